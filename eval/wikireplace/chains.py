"""Is what people chose among our candidates? The WikiReplace table.

    python eval/wikireplace/chains.py DATA/wikireplace/wikireplace_a.json [--misses]

WikiReplace (Olstad et al. 2023) lets people choose a replacement for each span of 50 biographies
from chains that Wikidata gives. For each choice this looks whether the ladder that INTACT
generates for the span holds it: exactly (articles and case apart), with the same head noun, or as
another name of the same rung. Choices that say nothing are left out: ``***``, PERSON n. Those that
are patterns, and no phrases ("X lb", DATE), are counted apart, as they cannot be in any ladder.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from intact.domain import Document, IdentifierType, Mention, Span
from intact.english.grammar import head_end
from intact.english.reading import ReadDocument
from intact.english.words import lemma, normalise
from intact.knowledge.base import KnowledgeBase
from intact.planning.rules.kinds import KnowledgeGenerator
from intact.planning.rules.quantities import QuantityGenerator
from intact.planning.rules.times import DateGenerator
from intact.protocols import make_part

NOTHING = re.compile(r"\*+|PERSON \d+")
PATTERN = re.compile(r"DATE|.*\bX\b.*|.*\$X.*|Xth .*")
DATE_FRAME = re.compile(r"^date in (?=the )")


@dataclass(frozen=True, slots=True)
class Choice:
    """The phrases that people chose for a mention, and our ladder for it."""

    entity_type: str
    span: str
    wanted: str
    ladder: tuple[str, ...]


def choices(record: Mapping[str, Any], generators: tuple[Any, ...]) -> Iterator[Choice]:
    """The choices made in one document."""
    for annotator, layer in record["annotations"].items():
        raw = layer["entity_mentions"]
        document = _document(record, annotator, raw)
        ladders: dict[str, tuple[str, ...]] = {}
        read = ReadDocument(document)
        for generator in generators:
            for entity, ladder in generator.generate(read, document.entities).items():
                ladders.setdefault(entity, tuple(candidate.text for candidate in ladder))
        for mention in raw:
            selected = (mention.get("replacement") or {}).get("generalization_selection") or {}
            for wanted in selected:
                yield Choice(
                    mention["entity_type"],
                    mention["span_text"],
                    wanted,
                    ladders.get(mention["entity_mention_id"], ()),
                )


def _document(record: Mapping[str, Any], annotator: str, raw: list[Any]) -> Document:
    """The document with every mention an entity of its own: choices are made per mention."""
    mentions = tuple(
        Mention(
            item["entity_mention_id"],
            Span(item["start_offset"], item["end_offset"]),
            record["text"][item["start_offset"] : item["end_offset"]],
            item["entity_mention_id"],
            item["entity_type"],
            IdentifierType.QUASI,
        )
        for item in raw
    )
    return Document(record["doc_id"], record["text"], mentions, annotator)


def how(choice: Choice, base: KnowledgeBase) -> str:
    """ "exact", "head", "synonym", "missing" (not in the ladder) or "no ladder"."""
    if not choice.ladder:
        return "no ladder"
    wanted = DATE_FRAME.sub("", choice.wanted)
    if any(normalise(wanted) == normalise(rung) for rung in choice.ladder):
        return "exact"
    if any(_head(wanted) == _head(rung) for rung in choice.ladder):
        return "head"
    if any(_same(wanted, rung, base) for rung in choice.ladder):
        return "synonym"
    return "missing"


def _head(phrase: str) -> str:
    plain = normalise(phrase)
    return lemma((plain[: head_end(plain)].split() or [plain])[-1])


def _same(wanted: str, rung: str, base: KnowledgeBase) -> bool:
    """Return whether both are names of one thing in the knowledge base."""
    one = base.link(wanted, "MISC", {})
    other = base.link(rung, "MISC", {})
    return one is not None and other is not None and one.concept == other.concept


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--knowledge", type=Path, help="another knowledge file")
    parser.add_argument("--misses", action="store_true", help="list what was not found")
    options = parser.parse_args()
    base = KnowledgeBase.open(options.knowledge)
    reader = make_part("kind_reader", "tagger", base.lexicon)
    generators = (DateGenerator(), QuantityGenerator(), KnowledgeGenerator(base, reader))
    counts: dict[str, Counter[str]] = {}
    for record in json.loads(options.data.read_text(encoding="utf-8")):
        for choice in choices(record, generators):
            if choice.entity_type == "PERSON" or NOTHING.fullmatch(choice.wanted):
                continue
            outcome = "pattern" if PATTERN.fullmatch(choice.wanted) else how(choice, base)
            counts.setdefault(choice.entity_type, Counter())[outcome] += 1
            if options.misses and outcome in ("missing", "no ladder"):
                print(f"{choice.entity_type} {choice.span!r}: {choice.wanted!r} {choice.ladder}")
    show(counts)


def show(counts: Mapping[str, Counter[str]]) -> None:
    """Prints the table: a row a type, then dates and all others together."""
    columns = ("exact", "head", "synonym", "missing", "no ladder", "pattern")
    print("| type | choices | found |", " | ".join(columns), "|")
    print("|" + " --- |" * (len(columns) + 3))
    others: Counter[str] = Counter()
    for kind, row in counts.items():
        if kind != "DATETIME":
            others.update(row)
    for kind, row in [*sorted(counts.items()), ("all but dates", others)]:
        phrases = sum(row.values()) - row["pattern"]
        found = row["exact"] + row["head"] + row["synonym"]
        share = f"{found / phrases:.0%}" if phrases else ""
        cells = " | ".join(str(row[column]) for column in columns)
        print(f"| {kind} | {phrases} | {share} | {cells} |")


if __name__ == "__main__":
    main()
