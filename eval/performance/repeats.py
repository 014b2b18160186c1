"""Repeated strings against prose of the same size: does any input stall sanitisation?

    python eval/performance/repeats.py eval/documents/open --size 100000
    python eval/performance/repeats.py eval/documents/open --size 1000000 --only "J. J. J. ,A"

Each text is sanitised in a process of its own, after one short text that loads the networks. The
table tells processor seconds and their ratio to prose of the same size; the exit code is 1 where a
ratio is above ``--most``.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path

REPEATS = (
    "J. J. J. ",
    "A",
    "a",
    "ACGT",
    "x ",
    "A B ",
    "$1",
    "$1 ",
    "£5 million ",
    "O'",
    "O'Neil ",
    "12-34-",
    "1.2.",
    "1/2/",
    "12:30 ",
    "0",
    "1 ",
    "x@y.z ",
    "a.b@",
    "https://",
    "www.a.com/",
    "John Smith ",
    "Smith, J., ",
    "Mr ",
    "Dr. ",
    "of the ",
    "the District Court of ",
    "and ",
    "12 March 1999 ",
    "born in 1970, ",
    "three weeks ",
    "(",
    "[A] ",
    '"',
    "-",
    "_",
    "\n",
    " ",
    "A\n",
    "é",
    "中",
    "\u200b",
    "Name: ",
    "his wife ",
    "one hundred ",
    "EUR ",
    "May ",
    "two ",
    "twenty-",
    "Mr A. ",
    "Dear ",
    "the ",
    "A-",
    "my a ",
    "old black ",
    "type 1 ",
    "London ",
    "1 and ",
    "no. 12345/07 ",
    "1 (",
    "a.",
    "1,",
    "::",
    "more than ",
    "the applicant ",
)
NUMBERED = ("Anna {n} Lee. ", "Mr Smith{n}. ", "EUR {n}. ", "{n} May 1990. ")


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table; return 1 where a repeat takes too long."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("prose", type=Path, help="file or folder of plain texts")
    parser.add_argument("--size", type=int, default=100_000, help="characters of each text")
    parser.add_argument("--most", type=float, default=2.0, help="highest ratio to prose")
    parser.add_argument("--only", default="", help="these repeats, separated by commas")
    options = parser.parse_args(argv)
    size = options.size
    prose, memory = measure(repeated(read_prose(options.prose), size), 3600)
    print(f"{'':16}{'s':>8}{'ratio':>8}{'MB':>7}   ({size} characters)")
    print(f"{'prose':16}{prose:>8.2f}{1:>8.2f}{memory:>7}", flush=True)
    chosen = options.only.split(",") if options.only else (*REPEATS, *NUMBERED)
    slow = 0
    for piece in chosen:
        spent, memory = measure(repeated(piece, size), max(5.0, 20 * prose))
        slow += spent > options.most * prose
        print(f"{piece!r:16}{spent:>8.2f}{spent / prose:>8.2f}{memory:>7}", flush=True)
    print(f"{slow} above {options.most}")
    return int(slow > 0)


def read_prose(path: Path) -> str:
    """Return the texts of ``path``, one after another."""
    files = sorted(path.rglob("*.txt")) if path.is_dir() else [path]
    return "\n\n".join(file.read_text("utf-8") for file in files)


def repeated(piece: str, size: int) -> str:
    """Return ``piece`` as often as fills ``size`` characters; {n} in it is a number."""
    if "{n}" not in piece:
        return (piece * (size // len(piece) + 1))[:size]
    return "".join(piece.format(n=n) for n in range(size // (len(piece) - 3)))[:size]


def measure(text: str, most: float) -> tuple[float, int]:
    """Return processor seconds of sanitising ``text`` and megabytes of its process.

    Args:
        text: any.
        most: seconds after which it is given up, and counts as having taken them.
    """
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_sanitize, args=(text, sender))
    process.start()
    sender.close()
    try:
        return receiver.recv() if receiver.poll(60 + most) else (most, 0)
    except EOFError:
        return float("inf"), 0
    finally:
        process.kill()
        process.join()


def _sanitize(text: str, sender: Connection) -> None:
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    from intact import Sanitizer

    with Sanitizer(overrides=["run.language=any"]) as sanitizer:
        sanitizer.sanitize("Mr John Smith was born in Leeds on 2 March 1970.")
        began = time.process_time()
        sanitizer.sanitize(text)
        spent = time.process_time() - began
    sender.send((spent, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10))


if __name__ == "__main__":
    raise SystemExit(main())
