"""One ladder for each entity out of what several generators propose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest

from intact.config import GenerationSettings
from intact.domain import Candidate, Document, Entity, Ladder
from intact.generation.checks import CandidateChecks
from intact.protocols import Generator
from intact.text import words


class ChainGenerator:
    """Asks several generators, checks what they propose, and merges it into one ladder.

    With ``generation.merge = "first"`` a generator is asked only for the entities that those
    before it had no sound candidate for; with "interleave" all are asked and their ladders are
    merged rung by rung.

    Args:
        generators: in order of preference.
        checks: which candidates are sound.
        settings: how to merge, and how many candidates to keep.
    """

    name = "chain"

    def __init__(
        self,
        generators: Sequence[Generator],
        checks: CandidateChecks,
        settings: GenerationSettings,
    ) -> None:
        self._generators = generators
        self._checks = checks
        self._settings = settings

    def generate(self, document: Document, entities: Sequence[Entity]) -> Mapping[str, Ladder]:
        """A ladder for each entity that may be generalised and that a generator can help."""
        checks = self._checks.of(document)
        wanted = [entity for entity in entities if entity.generalisable]
        found: dict[str, list[Ladder]] = {entity.id: [] for entity in wanted}
        for generator in self._generators:
            if self._settings.merge == "first":
                wanted = [entity for entity in wanted if not found[entity.id]]
            if not wanted:
                break
            proposed = generator.generate(document, wanted)
            for entity in wanted:
                kept = checks.keep(proposed.get(entity.id, ()), entity)
                if kept:
                    found[entity.id].append(kept)
        return {
            entity_id: merged(ladders, self._settings.max_candidates)
            for entity_id, ladders in found.items()
            if ladders
        }


def merged(ladders: Sequence[Ladder], limit: int) -> Ladder:
    """The rungs of all ladders, taken in turns, each meaning once, ranks 0, 1, 2 ...

    A rung goes before those that are known to contain what it says. Of more than ``limit``
    rungs the most general of each ladder stays, because it is the last resort before the label.
    """
    turns = (rung for turn in zip_longest(*ladders) for rung in turn if rung is not None)
    rungs = _ordered(_distinct(turns))
    if len(rungs) > limit:
        rungs = [*rungs[: limit - 1], rungs[-1]]
    return tuple(replace(rung, rank=rank) for rank, rung in enumerate(rungs))


def _distinct(rungs: Iterable[Candidate]) -> list[Candidate]:
    seen: set[object] = set()
    kept = []
    for rung in rungs:
        keys: list[object] = [words.lemmas(words.normalise(rung.text))]
        keys += [rung.subsumes] if rung.subsumes else []
        if seen.isdisjoint(keys):
            kept.append(rung)
        seen.update(keys)
    return kept


def _ordered(rungs: Sequence[Candidate]) -> list[Candidate]:
    ordered: list[Candidate] = []
    for rung in rungs:
        place = next(
            (
                index
                for index, other in enumerate(ordered)
                if contains(other.subsumes, rung.subsumes)
            ),
            len(ordered),
        )
        ordered.insert(place, rung)
    return ordered


def contains(outer: str | None, inner: str | None) -> bool:
    """Whether one canonical form ("interval:1990-01-01/1999-12-31") contains another, strictly.

    False where that is not known: different kinds, several ranges, concepts, nothing at all.
    """
    if outer is None or inner is None or outer == inner:
        return False
    kind, _, wide = outer.partition(":")
    other_kind, _, narrow = inner.partition(":")
    if kind != other_kind or wide.count("/") != 1 or narrow.count("/") != 1:
        return False
    low, high = wide.split("/")
    start, end = narrow.split("/")
    if kind == "interval":
        return low <= start and end <= high
    try:
        return float(low) <= float(start) and float(end) <= float(high)
    except ValueError:
        return False
