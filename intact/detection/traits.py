"""Illnesses of the knowledge base's ladders, wherever they stand, and what the packs find.

What somebody does for a living, and what only the sentence tells, is left to the tagger.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from intact.detection.findings import Finding
from intact.detection.vocabulary import compiled, packs, vocabulary
from intact.domain import Span
from intact.knowledge import ladders

PROBABLE = 0.6

_MOST = 4  # words of an illness
_LEAST = 5  # letters of one of one word
_WORD = re.compile(r"[^\W\d_]+(?:[’'-][^\W\d_]+)*")


def traits(text: str, source: str) -> Iterator[Finding]:
    """Findings in ``text``: illnesses, and whatever the packs find.

    Args:
        text: any.
        source: the detector's name.
    """
    yield from packs(text, source)
    before, known = _illnesses()
    words = [match.span() for match in _WORD.finditer(text)]
    at = 0
    while at < len(words):
        start = words[at][0]
        longest = known.get(text[start : words[at][1]].lower(), ())
        for name in longest:
            if text[start : start + len(name)].lower() == name:
                last = at + len(_WORD.findall(name)) - 1
                if last < len(words) and words[last][1] == start + len(name):
                    said = before.search(text, max(0, start - 40), start)
                    span = Span(said.start() if said else start, start + len(name))
                    yield Finding(span, "characteristic", PROBABLE, source)
                    at = last
                    break
        at += 1


@lru_cache(1)
def _illnesses() -> tuple[re.Pattern[str], Mapping[str, list[str]]]:
    """What may stand before an illness ("chronic"), and first words -> illnesses, long ones first,
    in lower case."""
    tables = vocabulary("traits")
    before, vague = (
        compiled(tables["patterns"][name], tables["words"])
        for name in ("before_illness", "vague_illness")
    )
    told_little = frozenset(tables["lists"]["vague"].split())
    named = {
        name.lower()
        for node in ladders.read_ladders([Path(ladders.__file__).parent / "ladders" / "health.txt"])
        if node.kind == "health"
        for name in (*node.names, *node.plural_names)
    }
    known: dict[str, list[str]] = {}
    for name in sorted(named - told_little, key=lambda name: (-len(name), name)):
        words = _WORD.findall(name)
        if not vague.match(name) and len(name) >= _LEAST and 0 < len(words) <= _MOST:
            known.setdefault(words[0], []).append(name)
    return before, known
