"""Prints the language defects that replacements bring in, as ``intact evaluate`` counts them.

    python eval/tab/grammar.py TAB.json EDITS.json [--show N]

One line a kind of defect with its count, then all; with ``--show`` the first N places of each.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from intact.evaluation.corpus import read_corpus, read_system
from intact.evaluation.grammar import PATTERNS, places_of_defects


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("tab", type=Path)
    parser.add_argument("edits", type=Path)
    parser.add_argument("--show", type=int, default=0, help="print the first N places of each kind")
    options = parser.parse_args()
    pairs = read_system(options.edits, "edits", read_corpus(options.tab), print)
    counts: Counter[str] = Counter()
    for pair in pairs:
        for kind, place in places_of_defects(pair):
            counts[kind] += 1
            if counts[kind] <= options.show:
                around = pair.text[max(0, place.start - 40) : place.end + 40]
                print(f"{kind}: {pair.document.id}: {around!r}")
    for kind in PATTERNS:
        print(f"{counts[kind]:6}  {kind}")
    print(f"{counts.total():6}  all, in {len(pairs)} documents")


if __name__ == "__main__":
    main()
