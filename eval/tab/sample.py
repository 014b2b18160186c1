"""Draws a seeded sample of (entity, replacement) pairs in context, for a reader to judge.

    python eval/tab/sample.py OUT.json --n 200 --seed 3 --types ORG,LOC

``OUT.json`` is what ``intact sanitize`` writes. An entity is drawn once, with one of its
mentions; the context shows the original text, the rungs show what else there was.
``--distinct`` draws each pair of original and replacement once for the whole file.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from intact.formats.outcome import mentions_of_output

CONTEXT = 70


@dataclass(frozen=True, slots=True)
class Pair:
    """One mention of an entity, what stands for it now, and the ladder it was taken from."""

    document: str
    entity_type: str
    before: str
    original: str
    after: str
    replacement: str
    rungs: tuple[str, ...]


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("data", type=Path)
    parser.add_argument("--n", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--types", default="ORG,LOC")
    parser.add_argument("--distinct", action="store_true", help="each pair of texts once")
    parser.add_argument("--rungs", action="store_true", help="show the whole ladder")
    parser.add_argument("--context", type=int, default=CONTEXT)
    options = parser.parse_args(argv)
    chance = random.Random(options.seed)
    documents = json.loads(options.data.read_text(encoding="utf-8"))
    pairs = list(draw(documents, options.types.split(","), options.context, chance))
    if options.distinct:
        pairs = list({(p.original, p.replacement): p for p in pairs}.values())
    chosen = sorted(chance.sample(range(len(pairs)), min(options.n, len(pairs))))
    for number, index in enumerate(chosen, start=1):
        print(shown(number, pairs[index], rungs=options.rungs))


def draw(
    documents: Sequence[Any], types: Sequence[str], context: int, chance: random.Random
) -> Iterator[Pair]:
    """One pair for every entity of these types that has a replacement, in file order."""
    for document in documents:
        entities: dict[str, list[Any]] = {}
        for mention in mentions_of_output(document):
            if mention["type"] in types and mention.get("replacement"):
                entities.setdefault(mention["entity_id"], []).append(mention)
        for mentions in entities.values():
            mention = chance.choice(mentions)
            start, end, text = mention["start_offset"], mention["end_offset"], document["text"]
            yield Pair(
                document["doc_id"],
                mention["entity_type"],
                " ".join(text[max(0, start - context) : start].split()),
                mention["span_text"],
                " ".join(text[end : end + context].split()),
                mention["replacement"],
                tuple(
                    ("*" if rung.get("chosen") else "") + rung["text"]
                    for rung in mention["candidates"]
                ),
            )


def shown(number: int, pair: Pair, *, rungs: bool) -> str:
    """The pair on one line; with ``rungs`` its ladder on a second one, a star at the chosen."""
    line = (
        f"{number:3} {pair.entity_type} … {pair.before} "
        f"[[{pair.original} -> {pair.replacement}]] {pair.after} …"
    )
    return f"{line}\n      {' | '.join(pair.rungs)}" if rungs else line


if __name__ == "__main__":
    main()
