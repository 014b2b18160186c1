"""Measure what the gate of truth lets through: phrases of other places, one phrase for all, and
what careful editors wrote.

    python eval/entailment/gate.py DOCUMENTS.json [--ladders LADDERS.tsv] [--limit 40] [--stand F]

Each place of each document (TAB's JSON) is answered with what the rules propose for another place
of the document, of any type or of its own; then all of them with the same word. The ladders are
those of ``eval/entailment/ladders.tsv``, of which only held-out documents are taken. Many a phrase
of another place is true of both: ``--stand`` writes what stood, in its sentence, for readers.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from learn import KINDS, Example, held_out, read_labels, read_ladders

from intact.api import load
from intact.config import load_settings
from intact.domain import Candidate, Document, Entity, Ladder, Mention, Source
from intact.english.words import normalise
from intact.pipeline import Components, build_pipeline
from intact.verification.evidence import EvidenceFinder

_AROUND = 150  # characters shown on each side

Choice = Callable[[Document, Mapping[str, Ladder], Entity, random.Random], str]


def another(same_type: bool) -> Choice:
    """Return a choice of what belongs to another thing, of the same type or of any."""

    def choose(
        document: Document, ladders: Mapping[str, Ladder], entity: Entity, draw: random.Random
    ) -> str:
        own = {normalise(one.text) for one in ladders.get(entity.id, ())}
        others = [
            ladders[one.id][0].text
            for one in document.entities
            if one.id != entity.id
            and ladders.get(one.id)
            and (one.entity_type == entity.entity_type or not same_type)
        ]
        sound = [text for text in others if normalise(text) not in own]
        return draw.choice(sound) if sound else ""

    return choose


ANSWERS: Mapping[str, Choice] = {
    "of another place": another(same_type=False),
    "of another place of the type": another(same_type=True),
    "zebra": lambda *_: "zebra",
}


def passing(
    finder: EvidenceFinder,
    documents: Sequence[Document],
    choose: Choice,
    ladders: Sequence[Mapping[str, Ladder]],
    told_of: Callable[[Document, Entity, str], object] = lambda *_: None,
) -> tuple[Counter[str], Counter[str]]:
    """Return how many phrases stand and how many were said, by type of entity.

    Args:
        finder: of evidence.
        documents: annotated.
        choose: what is said of each thing.
        ladders: for each document what the rules propose.
        told_of: called with each phrase that stands.
    """
    stand, said = Counter[str](), Counter[str]()
    for document, own in zip(documents, ladders, strict=True):
        draw = random.Random(document.id)
        answered = {}
        for entity in document.entities:
            text = choose(document, own, entity, draw) if own.get(entity.id) else ""
            if text:
                answered[entity.id] = (Candidate(text, 0, Source.MODEL),)
        types = {entity.id: entity.entity_type for entity in document.entities}
        for key in answered:
            said[types[key]] += 1
        entities = {entity.id: entity for entity in document.entities}
        checked, _ = finder.check(document, entities, answered)
        for (key, _), told in checked.items():
            if not isinstance(told, str):
                stand[types[key]] += 1
                told_of(document, entities[key], answered[key][0].text)
    return stand, said


def written(
    finder: EvidenceFinder, examples: Sequence[Example]
) -> tuple[Counter[str], Counter[str]]:
    """Return how many of the editors' phrases stand, by type; first phrases apart ("first")."""
    stand, said = Counter[str](), Counter[str]()
    for one in examples:
        mention = Mention("m", one.span, one.mention, "e", one.entity_type)
        document = Document(one.document, one.text, (mention,))
        for name, phrases in ((one.entity_type, one.true), ("near miss", one.untrue)):
            ladder = tuple(Candidate(text, at, Source.MODEL) for at, text in enumerate(phrases))
            [entity] = document.entities
            checked, _ = finder.check(document, {"e": entity}, {"e": ladder})
            said[name] += len(ladder)
            stand[name] += sum(not isinstance(told, str) for told in checked.values())
    return stand, said


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("documents", type=Path)
    parser.add_argument("--ladders", type=Path)
    parser.add_argument("--limit", type=int, default=40)
    parser.add_argument("--stand", type=Path, help="TSV to write of what stood")
    options = parser.parse_args()
    components = Components(load_settings())
    finder = components.evidence
    documents = list(load(options.documents))[: options.limit]
    pipeline = build_pipeline(load_settings())
    ladders = [pipeline.plan(document).plan.ladders for document in documents]
    stood: list[str] = []
    for name, choose in ANSWERS.items():

        def keep(document: Document, entity: Entity, phrase: str, name: str = name) -> None:
            span = entity.mentions[0].span
            left, right = document.text[: span.start][-_AROUND:], document.text[span.end :]
            row = (name, entity.entity_type, left, span.of(document.text), right[:_AROUND], phrase)
            stood.append("\t".join(" ".join(cell.split()) for cell in row))

        show(name, *passing(finder, documents, choose, ladders, keep))
    if options.stand:
        options.stand.write_text("\n".join(stood) + "\n", encoding="utf-8")
    if options.ladders:
        examples = list(read_ladders(options.ladders))
        held = held_out([*examples, *read_labels(KINDS, random.Random(0))])
        show("written by editors", *written(finder, [o for o in examples if o.document in held]))


def show(name: str, stand: Counter[str], said: Counter[str]) -> None:
    """Print what stands of what was said."""
    parts = [f"{key} {stand[key]}/{said[key]}" for key in sorted(said)]
    print(f"{name}: {stand.total()} of {said.total()} stand ({', '.join(parts)})")


if __name__ == "__main__":
    main()
