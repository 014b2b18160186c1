"""Start-up, speed and memory of the default pipeline, in one run.

    python eval/performance/pipeline.py CORPUS.json [--repeat 3] [--workers 2]

Machines are noisy, so times are those of the processor, and also given as multiples of the start of
a bare interpreter, measured in turn with them; the best of the repeats counts. Spans a second are
of the clock on the wall, as several workers share them: of all documents without the start, and
warm, which is what the second half of the documents adds to the first.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args(argv)
    documents = json.loads(options.corpus.read_text(encoding="utf-8"))
    half = documents[: len(documents) // 2]
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{name}.json" for name in ("none", "half", "all")]
        for path, part in zip(paths, ([], half, documents), strict=True):
            path.write_text(json.dumps(part), encoding="utf-8")
        commands = {
            "bare interpreter": [sys.executable, "-c", "pass"],
            "intact --version": [sys.executable, "-m", "intact", "--version"],
            "intact sanitize, no document": sanitize(paths[0], folder, options.workers),
            f"intact sanitize, {len(half)} documents": sanitize(paths[1], folder, options.workers),
            f"intact sanitize, {len(documents)} documents": sanitize(
                paths[2], folder, options.workers
            ),
        }
        runs = [[seconds(each) for each in commands.values()] for _ in range(options.repeat)]
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"{'':34}{'processor s':>12}{'x bare python':>16}{'wall s':>10}")
    best = [tuple(map(min, zip(*times, strict=True))) for times in zip(*runs, strict=True)]
    for name, (processor, wall) in zip(commands, best, strict=True):
        print(f"{name:34}{processor:>12.2f}{processor / best[0][0]:>16.1f}{wall:>10.2f}")
    start, first, whole = (wall for _, wall in best[2:])
    for title, spans, working in (
        ("without the start", count_spans(documents), whole - start),
        ("warm", count_spans(documents) - count_spans(half), whole - first),
    ):
        print(f"{f'spans a second, {title}':34}{spans / working:>12.0f}   ({spans} spans)")
    print(f"{'peak memory of a process, MB':34}{peak:>12.0f}")


def count_spans(documents: Sequence[Any]) -> int:
    """Count the mentions of documents, those of the first annotator."""
    annotated = (next(iter(document["annotations"].values())) for document in documents)
    return sum(len(each["entity_mentions"]) for each in annotated)


def sanitize(corpus: Path, folder: str, workers: int) -> list[str]:
    """Build the command that sanitises ``corpus`` into ``folder``."""
    out = ["-o", str(Path(folder) / "out.json"), "--workers", str(workers), "--quiet"]
    return [sys.executable, "-m", "intact", "sanitize", str(corpus), *out]


def seconds(command: Sequence[str]) -> tuple[float, float]:
    """Run a command. Return its seconds of the processor, and on the wall."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


if __name__ == "__main__":
    main()
