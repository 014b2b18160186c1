"""Start-up, speed and memory of the default pipeline, in one run.

    python eval/performance/pipeline.py CORPUS.json [--repeat 3]

Machines are noisy, so times are those of the processor, and also given as multiples of the start of
a bare interpreter, measured in turn with them; the best of the repeats counts.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args(argv)
    documents = json.loads(options.corpus.read_text(encoding="utf-8"))
    spans = sum(
        len(next(iter(document["annotations"].values()))["entity_mentions"])
        for document in documents
    )
    with tempfile.TemporaryDirectory() as folder:
        nothing = Path(folder) / "nothing.json"
        nothing.write_text("[]")
        bare, version, start, whole = [], [], [], []
        for _ in range(options.repeat):
            bare.append(seconds([sys.executable, "-c", "pass"]))
            version.append(seconds([sys.executable, "-m", "intact", "--version"]))
            start.append(seconds(sanitize(nothing, folder)))
            whole.append(seconds(sanitize(options.corpus, folder)))
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    working = min(whole) - min(start)
    print(f"{'':34}{'seconds':>10}{'x bare python':>16}")
    for name, times in {
        "bare interpreter": bare,
        "intact --version": version,
        "intact sanitize, no document": start,
        f"intact sanitize, {len(documents)} documents": whole,
    }.items():
        print(f"{name:34}{min(times):>10.2f}{min(times) / min(bare):>16.1f}")
    print(f"{'spans per second, start-up apart':34}{spans / working:>10.0f}   ({spans} spans)")
    print(f"{'peak memory, MB':34}{peak:>10.0f}")


def sanitize(corpus: Path, folder: str) -> list[str]:
    """The command that sanitises ``corpus`` into ``folder``."""
    out = str(Path(folder) / "out.json")
    return [sys.executable, "-m", "intact", "sanitize", str(corpus), "-o", out, "--quiet"]


def seconds(command: Sequence[str]) -> float:
    """Processor time of ``command``."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
