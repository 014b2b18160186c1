"""Seconds that readers and detectors take for ten times the text: should be about ten times.

    python eval/performance/linear.py

Each line is a text that repeats one piece. Processor seconds of this process; of three tries the
best. The exit code is 1 if one takes more than fifteen times as long. The tests count calls
instead; this also sees what a regular expression costs.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from intact.config import load_settings
from intact.english.scan import scan
from intact.pipeline import build_detector

REPEATS = (
    "one hundred ", "EUR ", "May ", "two ", "twenty-", "Mr A. ", "Dear ", "Ann Lee, ", "the ", "A-",
    "my a ", "old black ", "type 1 ", "London ", "1 and ", "no. 12345/07 ", "1 (", "a.", "A\n", " ",
    "1", "1,", "::", "a-", "(", "her old ", "more than ", "the applicant ",
)  # fmt: skip
NUMBERED = ("Anna {n} Lee. ", "Mr Smith{n}. ", "EUR {n}. ", "{n} May 1990. ")
MOST = 15.0
_LEAST = 0.004  # seconds; what is faster is noise


def repeated(piece: str, length: int) -> str:
    """Return about ``length`` characters of ``piece`` repeated; {n} in it is a number."""
    if "{n}" not in piece:
        return (piece * (length // len(piece) + 1))[:length]
    return "".join(piece.format(n=n) for n in range(length // (len(piece) - 3)))[:length]


def ratio(work: Callable[[str], object], piece: str, length: int) -> float:
    """Return how many times longer ten times the text takes, at best of three tries.

    Args:
        work: reads a text.
        piece: what the text repeats.
        length: of the short text, in characters.
    """
    tries = []
    for _ in range(3):
        seconds = []
        for size in (length, 10 * length):
            text = repeated(piece, size)
            began = time.process_time()
            work(text)
            seconds.append(max(time.process_time() - began, _LEAST))
        tries.append(seconds[1] / seconds[0])
    return min(tries)


def main() -> int:
    """Print a line for each text and reader; return the exit code."""
    detector = build_detector(load_settings(None, ["detection.detectors=['patterns','knowledge']"]))
    worst = 0.0
    for name, work, length in (("scan", scan, 10_000), ("detect", detector.detect, 3_000)):
        for piece in (*REPEATS, *NUMBERED):
            found = ratio(work, piece, length)
            worst = max(worst, found)
            print(f"{'MISS' if found > MOST else 'ok  '} {name:<7} {piece!r:<20} {found:5.1f}")
    return int(worst > MOST)


if __name__ == "__main__":
    sys.exit(main())
