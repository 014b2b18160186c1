"""What a system has to be better than: edits that need no cleverness."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from intact.domain import Document, Edit, EntityType, Ladder, Mention, Span
from intact.errors import MissingExtraError
from intact.rewriting.occurrences import occurrences
from intact.rewriting.rewrite import Phrase, Rewriter

Replace = Callable[[Mention], str]


def suppression(document: Document) -> tuple[Edit, ...]:
    """Every masked mention is taken out."""
    return edits_of(document, lambda mention: "")


def entity_labels(document: Document) -> tuple[Edit, ...]:
    """Every masked mention becomes the name of its type."""
    return edits_of(document, lambda mention: mention.entity_type)


def rung(
    document: Document, ladders: Mapping[str, Ladder], labels: Mapping[str, str], at: int
) -> tuple[Edit, ...]:
    """Every entity becomes one candidate of its ladder, unattacked but fitted into its sentences;
    its label where it has none.

    Args:
        document: the original.
        ladders: candidates by entity id.
        labels: labels by entity id.
        at: position in the ladder; 0 is the most specific, -1 the least.
    """

    def phrase(entity_id: str) -> Phrase:
        ladder = ladders.get(entity_id, ())
        if ladder:
            return Phrase(ladder[at].text, ladder[at].source)
        return Phrase(labels[entity_id], "label")

    rewriter = Rewriter(document, occurrences(document, sweep=False))
    return rewriter.render({entity.id: phrase(entity.id) for entity in document.entities}).edits


class Surrogates:
    """False but plausible values of the same type (Faker): what de-identification tools offer.

    The same string gets the same surrogate within a document; everything depends on the seed and
    the document's id alone.

    Raises:
        MissingExtraError: if Faker is not installed.
    """

    def __init__(self, seed: int = 0) -> None:
        try:
            from faker import Faker
        except ImportError:
            raise MissingExtraError.of("faker", "evaluation") from None
        self._faker: Any = Faker("en_GB")
        self._seed = seed

    def __call__(self, document: Document) -> tuple[Edit, ...]:
        """The edits of one document."""
        draw = random.Random(f"{self._seed}:{document.id}")
        self._faker.seed_instance(draw.randrange(2**32))
        known: dict[tuple[str, str], str] = {}

        def replace(mention: Mention) -> str:
            key = (mention.entity_type, mention.text)
            if key not in known:
                known[key] = self._value(mention.entity_type, draw)
            return known[key]

        return edits_of(document, replace)

    def _value(self, entity_type: str, draw: random.Random) -> str:
        faker = self._faker
        kinds: dict[str, Callable[[], object]] = {
            EntityType.PERSON: faker.name,
            EntityType.CODE: lambda: f"{draw.randrange(1, 99999)}/{draw.randrange(100):02}",
            EntityType.LOC: faker.city,
            EntityType.ORG: faker.company,
            EntityType.DEM: lambda: faker.job().lower(),
            EntityType.DATETIME: lambda: "{0.day} {0:%B %Y}".format(faker.date_between("-60y")),
            EntityType.QUANTITY: lambda: draw.randrange(2, 1000),
        }
        return str(kinds.get(entity_type, faker.word)())


def edits_of(document: Document, replace: Replace) -> tuple[Edit, ...]:
    """One edit a masked mention; of overlapping ones the first and longest covers the others.

    Args:
        document: the original.
        replace: what stands for a mention.
    """
    edits: list[Edit] = []
    done = 0
    for mention in sorted(document.mentions, key=lambda m: (m.span.start, -m.span.end)):
        if not mention.masked or mention.span.end <= done:
            continue
        span = Span(max(done, mention.span.start), mention.span.end)
        edits.append(Edit(span, replace(mention)))
        done = span.end
    return tuple(edits)
