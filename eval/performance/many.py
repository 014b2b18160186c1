"""Many documents in one process, in two, and on Ray: time, processor seconds, memory, disk, bytes.

    python eval/performance/many.py CORPUS.json --documents 5000 --shards 50 --ways 1,2,ray
    python eval/performance/many.py CORPUS.json --ways loop,loops,1,2,halves --repeat 5

The corpus (TAB or JSON lines) is repeated until there are enough documents. Machines are noisy, so
the ways take turns, ``--repeat`` times, and ratios of processor seconds say more than wall times.

What two processes can reach at all on this machine is measured beside them: ``halves`` are two
commands side by side with half of the documents each, ``loop`` and ``loops`` one and two processes
of plain Python that share nothing. "others" is how many processors everything else had meanwhile;
the ratios at the end are of the rounds in which that was least.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

TICK = os.sysconf("SC_CLK_TCK")


@dataclass
class Seen:
    """Time and memory of a command and all its processes.

    Attributes:
        processor: process -> seconds.
        memory: process -> MB as time went on, of those with ``intact`` or ``ray::Actor`` in them.
        disk: most bytes of outputs and run folder at one moment.
        others: processors that everything else had meanwhile.
    """

    wall: float = 0.0
    others: float = 0.0
    processor: dict[int, float] = field(default_factory=dict)
    memory: dict[int, list[float]] = field(default_factory=dict)
    disk: int = 0
    actors: set[int] = field(default_factory=set)


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--documents", type=int, default=5000)
    parser.add_argument("--shards", type=int, default=50)
    parser.add_argument("--ways", default="1,2,ray")
    parser.add_argument("--repeat", type=int, default=1)
    options = parser.parse_args(argv)
    best: dict[str, tuple[float, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        size = make(options.corpus, root / "in", options.documents, options.shards)
        print(f"{options.documents} documents, {size / 1e6:.1f} MB, {options.shards} files")
        print(f"{'':12}{'wall s':>9}{'CPU s':>9}{'others':>9}{'actors':>9}{'MB first':>10}"
              f"{'MB last':>9}{'disk x input':>14}  output")  # fmt: skip
        for _ in range(options.repeat):
            for way in options.ways.split(","):
                out = root / "out"
                out.mkdir()
                seen = watch(commands(root / "in", out, way, options.documents), out)
                best[way] = min(best.get(way, (9e9, 0.0)), (round(seen.others, 1), seen.wall))
                print(
                    f"{way:12}{seen.wall:>9.1f}{sum(seen.processor.values()):>9.1f}"
                    f"{seen.others:>9.2f}"
                    f"{sum(s for p, s in seen.processor.items() if p in seen.actors):>9.1f}"
                    f"{memory(seen, 0.25):>10.0f}{memory(seen, 1.0):>9.0f}"
                    f"{seen.disk / size:>14.2f}  {digest(out)}",
                    flush=True,
                )
                shutil.rmtree(out)
    for one, two, work in (("loop", "loops", 2), ("1", "halves", 1), ("1", "2", 1)):
        if {one, two} <= best.keys():
            print(f"{two} beside {one}: {work * best[one][1] / best[two][1]:.2f} times as fast")


def make(corpus: Path, folder: Path, documents: int, shards: int) -> int:
    """A folder of JSON lines; its size in bytes."""
    text = corpus.read_text(encoding="utf-8")
    given = json.loads(text) if text.startswith("[") else [json.loads(x) for x in text.splitlines()]
    folder.mkdir()
    for shard in range(shards):
        numbers = range(documents * shard // shards, documents * (shard + 1) // shards)
        lines = (json.dumps({**given[n % len(given)], "doc_id": f"d{n}"}) + "\n" for n in numbers)
        (folder / f"{shard:05}.jsonl").write_text("".join(lines))
    return sum(path.stat().st_size for path in folder.iterdir())


def commands(source: Path, out: Path, way: str, documents: int) -> list[list[str]]:
    """``intact sanitize`` in so many processes, or on Ray in two; or what ``halves``, ``loop`` and
    ``loops`` are."""
    if way.startswith("loop"):
        loop = f"for i in range({documents} * 1_000_000): i * i % 7"
        return [[sys.executable, "-c", loop]] * (2 if way == "loops" else 1)
    how = ["--on", "ray", "--workers", "2"] if way == "ray" else ["--workers", way]
    parts = {source: how}
    if way == "halves":
        parts = {source.with_name("in0"): [], source.with_name("in1"): []}
        files = sorted(source.iterdir())
        for at, part in enumerate(parts):
            part.mkdir(exist_ok=True)
            for file in files[at * len(files) // 2 : (at + 1) * len(files) // 2]:
                shutil.copy(file, part)
    sanitize = [sys.executable, "-m", "intact", "sanitize", "-q"]
    return [[*sanitize, str(one), "-o", str(out / one.name), *how] for one, how in parts.items()]


def busy() -> float:
    """Seconds that all processors have worked since the machine began."""
    times = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]
    return sum(int(one) for at, one in enumerate(times) if at not in (3, 4)) / TICK


def watch(many: Sequence[Sequence[str]], out: Path) -> Seen:
    """Runs commands side by side and looks at their processes and files all the while."""
    seen = Seen()
    before, began = busy(), time.perf_counter()
    processes = [subprocess.Popen(words) for words in many]
    looked = 0.0
    while None in [process.poll() for process in processes]:
        for process in processes:
            look(process.pid, seen)
        if time.perf_counter() - looked > 1:
            looked = time.perf_counter()
            seen.disk = max(seen.disk, used(out))
        time.sleep(0.1)
    seen.wall = time.perf_counter() - began
    seen.others = (busy() - before - sum(seen.processor.values())) / seen.wall
    seen.disk = max(seen.disk, used(out))
    for process in processes:
        if process.returncode:
            raise SystemExit(f"{process.args!r}: {process.returncode}")
    return seen


def look(root: int, seen: Seen) -> None:
    """Notes processor seconds and memory of a process and all below it."""
    parents, times, pages = {}, {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        pid = int(path.parent.name)
        parents[pid] = int(fields[1])
        times[pid] = (int(fields[11]) + int(fields[12])) / TICK
        pages[pid] = int(fields[21])
    ours, before = {root}, 0
    while len(ours) > before:
        before = len(ours)
        ours |= {pid for pid, parent in parents.items() if parent in ours}
    for pid in ours & times.keys():
        seen.processor[pid] = times[pid]
        seen.memory.setdefault(pid, []).append(pages[pid] * os.sysconf("SC_PAGE_SIZE") / 2**20)
        try:
            if Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"ray::Actor"):
                seen.actors.add(pid)
        except OSError:
            pass


def memory(seen: Seen, part: float) -> float:
    """The largest worker's memory in MB, by so much of its time."""
    workers = seen.actors or set(seen.memory)
    return max(max(m[: max(1, int(len(m) * part))]) for p, m in seen.memory.items() if p in workers)


def used(place: Path) -> int:
    """Bytes of all files under a folder."""
    total = 0
    for folder, _, names in os.walk(place):
        for name in names:
            try:
                total += (Path(folder) / name).stat().st_size
            except OSError:
                continue
    return total


def digest(out: Path) -> str:
    """A hash of all output files."""
    found = hashlib.sha256()
    for path in sorted(out.rglob("*.jsonl")):
        found.update(path.read_bytes())
    return found.hexdigest()[:12]


if __name__ == "__main__":
    main()
