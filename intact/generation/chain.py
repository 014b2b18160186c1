"""One ladder for each entity out of what several generators propose."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from intact.config import GenerationSettings
from intact.domain import Candidate, Document, Entity, Ladder
from intact.english import words
from intact.generation.checks import CandidateChecks
from intact.generation.ordering import Subsumes, contains, narrower
from intact.protocols import Generator


class ChainGenerator:
    """Asks several generators, checks what they propose, and merges it into one ladder.

    With ``generation.merge = "first"`` a generator is asked only for the entities that those
    before it had no sound candidate for; with "interleave" all are asked and their ladders are
    merged rung by rung.

    Args:
        generators: in order of preference.
        checks: which candidates are sound.
        settings: how to merge, and how many candidates to keep.
        subsumes: what a knowledge base knows of one phrase being true of another, or None.
    """

    name = "chain"

    def __init__(
        self,
        generators: Sequence[Generator],
        checks: CandidateChecks,
        settings: GenerationSettings,
        subsumes: Subsumes | None = None,
    ) -> None:
        self._generators = generators
        self._checks = checks
        self._settings = settings
        self._subsumes = subsumes

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
        most = self._settings.max_candidates
        return {
            entity.id: merged(found[entity.id], most, entity.entity_type, self._subsumes)
            for entity in entities
            if found.get(entity.id)
        }


def merged(
    ladders: Sequence[Ladder],
    limit: int,
    entity_type: str = "",
    subsumes: Subsumes | None = None,
) -> Ladder:
    """The rungs of all ladders, taken in turns, each meaning once, ranks 0, 1, 2 ...

    A rung waits for those of other ladders that plainly say more, and goes before those that are
    known to contain what it says. Of more than ``limit`` rungs the most general of each ladder
    stays, because it is the last resort before the label.
    """
    rungs = _ordered(_distinct(_in_turns(ladders, entity_type, subsumes)))
    if len(rungs) > limit:
        rungs = [*rungs[: limit - 1], rungs[-1]]
    return tuple(replace(rung, rank=rank) for rank, rung in enumerate(rungs))


def _in_turns(
    ladders: Sequence[Ladder], entity_type: str, subsumes: Subsumes | None
) -> Iterator[Candidate]:
    """One rung of each ladder after the other, what says more before what says less."""
    left = [list(ladder) for ladder in ladders]
    while any(left):
        for own in left:
            if not own:
                continue
            rung = own.pop(0)
            for other in left:
                more = [narrower(one, rung, entity_type, subsumes) for one in other]
                if other is not own and any(more):
                    last = max(index for index, says in enumerate(more) if says)
                    yield from other[: last + 1]
                    del other[: last + 1]
            yield rung


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
