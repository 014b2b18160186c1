"""Counts grammar defects that replacements bring in, for any edits of TAB documents.

    python eval/tab/grammar.py TAB.json EDITS.json [--show N]

A defect counts only where it touches a replacement; what the original had already is not
counted. The patterns are those that make a reader stumble; each is counted once per place.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)
_SEASON = r"(?:spring|summer|autumn|winter)"
_PREPOSITION = r"(?:in|on|at|by|of|from|to|since|until|between|before|after|during|within|for|with)"
_STARTS_AN = (
    r"(?:e(?!u|we)\w|[aio](?!ne\b|nce\b)\w|u(?!ni[^mn]|s[eua]|k\b|[A-Z])\w"
    r"|8\d*\b|1[18]\b|hour|honest|heir)"
)
_PATTERNS: Mapping[str, re.Pattern[str]] = {
    "doubled article": re.compile(r"\b(?:the|an?)\s+(?:the|an?)\b(?! [’'])", re.I),
    "determiner + article": re.compile(
        r"\b(?:his|her|its|their|my|our|your|this|these|those)\s+(?:an?|the)\b"
        r"|\w[’']s\s+(?:an?|the)\s(?=\w)",
        re.I,
    ),
    "a/an": re.compile(
        rf"\ba\s+(?={_STARTS_AN})|\ban\s+(?=[b-df-gj-np-tv-z][a-z]|univ|one\b|us[eu])", re.I
    ),
    "doubled preposition": re.compile(
        rf"\b(?P<p>{_PREPOSITION})\s+(?P=p)\b|\b(?:on|in|at)\s+(?:on|in|at|between|some time|since"
        r"|during|from|within)\b|\b(?:between|from)\s+(?:between|from)\b",
        re.I,
    ),
    "doubled word": re.compile(r"\b(?P<w>[A-Za-z]{2,})\s+(?P=w)\b(?![’'])"),
    "on + month, year or season": re.compile(
        rf"\bon\s+(?:(?:the|early|mid|late|middle|end|beginning|start|part|first|second"
        rf"|half|of)[ -])*"
        rf"(?:{_MONTH}\b(?!\s+\d{{1,2}}\b)|\d{{4}}s?\b|{_SEASON}\b)",
    ),
    "no article before part of decade": re.compile(
        r"(?<!the )(?<!The )(?<!THE )\b(?:(?:early|mid|late)[ -]\d{3}0s|(?<!-)(?<!early )(?<!late )"
        r"(?<!mid )(?<!or )(?<!and )(?<=[a-z] )\d{3}0s(?! [a-z]+ (?:of|by|against))|(?:end|middle"
        r"|part|beginning|start|half) of \d{4}s)\b",
        re.I,
    ),
    "capital in mid-sentence": re.compile(
        r"(?<=[a-z,;] )(?:A|An|The|In|On|At|Some|Several|One|Between|From|About|Around|Early|Late"
        r"|Mid|Before|After|During)(?= [a-z])"
    ),
}  # fmt: skip

Edits = Sequence[Sequence[object]]


def pieces(text: str, edits: Edits) -> tuple[str, list[tuple[int, int]]]:
    """The sanitised text and where the replacements stand in it."""
    parts: list[str] = []
    places: list[tuple[int, int]] = []
    done = length = 0
    for edit in sorted(edits, key=lambda e: (int(str(e[0])), int(str(e[1])))):
        start, end = int(str(edit[0])), int(str(edit[1]))
        if start < done:
            continue
        new = str(edit[2]) if len(edit) > 2 else ""
        parts += (text[done:start], new)
        length += start - done
        places.append((length, length + len(new)))
        length += len(new)
        done = end
    parts.append(text[done:])
    return "".join(parts), places


def defects(text: str, edits: Edits) -> Iterator[tuple[str, int, int]]:
    """Name and place (in the sanitised text) of every defect that touches a replacement."""
    new, places = pieces(text, edits)
    old = {name: _around(pattern, text) for name, pattern in _PATTERNS.items()}
    for name, pattern in _PATTERNS.items():
        for match in pattern.finditer(new):
            start, end = match.span()
            touches = any(low < max(end, start + 1) and start < high for low, high in places)
            seen = old[name][new[max(0, start - 12) : end + 12]]
            if touches and not seen:
                yield name, start, end


def _around(pattern: re.Pattern[str], text: str) -> Counter[str]:
    """What stands around every match in the original, so that its own defects can be told."""
    return Counter(text[max(0, m.start() - 12) : m.end() + 12] for m in pattern.finditer(text))


def table(documents: Mapping[str, str], edits: Mapping[str, Edits]) -> Counter[str]:
    """Number of defects by name over all documents that have edits."""
    counts: Counter[str] = Counter()
    for key, text in documents.items():
        counts.update(name for name, _, _ in defects(text, edits.get(key, ())))
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("tab", type=Path)
    parser.add_argument("edits", type=Path)
    parser.add_argument("--show", type=int, default=0, help="print the first N places of each kind")
    arguments = parser.parse_args()
    documents = {d["doc_id"]: d["text"] for d in json.loads(arguments.tab.read_text("utf-8"))}
    edits = json.loads(arguments.edits.read_text("utf-8"))
    counts = table(documents, edits)
    for name in _PATTERNS:
        print(f"{counts[name]:6}  {name}")
    print(f"{sum(counts.values()):6}  all, in {len(documents)} documents")
    shown: Counter[str] = Counter()
    for key, text in documents.items():
        new, _ = pieces(text, edits.get(key, ()))
        for name, start, end in defects(text, edits.get(key, ())):
            shown[name] += 1
            if shown[name] <= arguments.show:
                print(f"{name}: {key}: {new[max(0, start - 40) : end + 40]!r}")


if __name__ == "__main__":
    main()
