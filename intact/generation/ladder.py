"""One ladder for each entity: what several generators propose, merged and put in order."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date

from intact.config import GenerationSettings
from intact.domain import Candidate, Document, Entity, Ladder
from intact.english import words
from intact.english.inflect import head_noun
from intact.english.wordlists import SAYS_NOTHING
from intact.generation.checks import CandidateChecks
from intact.protocols import Doubter, Generator

Subsumes = Callable[[str, str, str], bool | None]
"""general, specific, entity type -> whether it is true of it, None if unknown."""

Breadth = Callable[[str, str], float | None]
"""phrase, entity type -> about how many things it fits, None if unknown."""

_NEARER = 1e-6
_EITHER = re.compile(r"\b(\w+) or (\w+)\b")


class ChainGenerator:
    """Asks several generators, checks what they propose, and merges it into one ladder.

    With ``generation.merge = "first"`` a generator is asked only for the entities that those
    before it had no sound candidate for; with "interleave" all are asked and their rungs are
    put in one order.

    Args:
        generators: in order of preference.
        checks: which candidates are sound.
        settings: how to merge, and how many candidates to keep.
        subsumes: what a knowledge base knows of one phrase being true of another, or None.
        breadth: about how many things a phrase fits as far as is known, or None.
    """

    name = "chain"

    def __init__(
        self,
        generators: Sequence[Generator],
        checks: CandidateChecks,
        settings: GenerationSettings,
        subsumes: Subsumes | None = None,
        breadth: Breadth | None = None,
    ) -> None:
        self._breadth = breadth
        self._generators = generators
        self._checks = checks
        self._settings = settings
        self._subsumes = subsumes

    def generate(self, document: Document, entities: Sequence[Entity]) -> Mapping[str, Ladder]:
        """A ladder for each entity that may be generalised and that a generator can help.

        Args:
            document: where the entities stand.
            entities: the entities to be generalised.
        """
        checks = self._checks.of(document)
        wanted = [entity for entity in entities if entity.generalisable]
        found: dict[str, list[Ladder]] = {entity.id: [] for entity in wanted}
        for generator in self._generators:
            if self._settings.merge == "first":
                wanted = [entity for entity in wanted if not found[entity.id]]
            if not wanted:
                break
            if isinstance(generator, Doubter):
                proposed, denied = generator.beside(document, wanted, found)
                for key in denied:
                    found[key] = [rest for ladder in found[key] if (rest := _unlinked(ladder))]
            else:
                proposed = generator.generate(document, wanted)
            for entity in wanted:
                kept = checks.keep(proposed.get(entity.id, ()), entity)
                if kept:
                    found[entity.id].append(kept)
        most = self._settings.max_candidates
        return {
            entity.id: merged(
                found[entity.id], most, entity.entity_type, self._subsumes, self._breadth
            )
            for entity in entities
            if found.get(entity.id)
        }


def _unlinked(ladder: Ladder) -> Ladder:
    """The rungs that do not depend on what the knowledge base takes an original for."""
    return tuple(
        rung for rung in ladder if not rung.entry or words.content_lemmas(rung.text) <= SAYS_NOTHING
    )


def merged(
    ladders: Sequence[Ladder],
    limit: int,
    entity_type: str = "",
    subsumes: Subsumes | None = None,
    breadth: Breadth | None = None,
) -> Ladder:
    """The rungs of all ladders in the order of how much they fit, each meaning once, ranks
    0, 1, 2 ...

    A rung of which that is not known stands between its neighbours. What plainly says more than
    another goes before it. Of more than ``limit`` rungs the most general stays, because it is the
    last resort before the label.

    Args:
        ladders: of one entity, in order of preference.
        limit: how many rungs to keep, at least 1.
        entity_type: the entity's type.
        subsumes: what a knowledge base knows, or None.
        breadth: how many things a phrase fits, or None.
    """
    if len(ladders) == 1:
        rungs = _sorted(
            _distinct(ladders[0]), lambda one, other: contains(other.subsumes, one.subsumes)
        )
    else:
        known = [[_size(rung, entity_type, breadth) for rung in ladder] for ladder in ladders]
        sized = [
            pair
            for number, ladder in enumerate(ladders)
            for pair in zip(_filled(ladders, known, number), ladder, strict=True)
        ]
        in_order = [rung for _, rung in sorted(sized, key=lambda pair: pair[0])]
        rungs = reordered(_distinct(in_order), entity_type, subsumes)
    if len(rungs) > limit:
        rungs = [*rungs[: limit - 1], rungs[-1]]
    if len(ladders) == 1:
        return tuple(rungs)
    return tuple(replace(rung, rank=rank) for rank, rung in enumerate(rungs))


def _size(rung: Candidate, entity_type: str, breadth: Breadth | None) -> float | None:
    """The logarithm of how many things a rung fits: days, numbers, or what is known of; None if
    nothing is."""
    if rung.subsumes is not None and rung.subsumes.count("/") == 1:
        kind, _, ends = rung.subsumes.partition(":")
        if kind == "any":
            return math.inf
        low, high = ends.split("/")
        if kind == "interval":
            days = date.fromisoformat(high[:10]) - date.fromisoformat(low[:10])
            return math.log(days.days + 1)
        if kind == "number":
            with suppress(ValueError):
                return math.log(1 + float(high.split()[0]) - float(low))
    if words.content_lemmas(rung.text) <= SAYS_NOTHING:
        return math.inf
    count = breadth(rung.text, entity_type) if breadth is not None else None
    return None if count is None else math.log(count)


def _filled(
    ladders: Sequence[Ladder], known: Sequence[Sequence[float | None]], number: int
) -> list[float]:
    """The sizes of one ladder, never falling; what is not known lies between its neighbours, and
    where none is, before what another ladder says in fewer words."""
    sizes, own = known[number], ladders[number]
    others = [
        (len(words.content_lemmas(rung.text)), size)
        for rungs, told in zip(ladders, known, strict=True)
        for rung, size in zip(rungs, told, strict=True)
        if size is not None and size < math.inf
    ]
    filled: list[float] = []
    for place, size in enumerate(sizes):
        least = filled[-1] if filled else -math.inf
        own_size = size
        if own_size is None:
            after = [one for one in sizes[place + 1 :] if one is not None and one < math.inf]
            said = len(words.content_lemmas(own[place].text))
            vaguer = [one for content, one in others if content < said]
            top = max((one for _, one in others), default=(place + 0.5) / len(own))
            own_size = min((*after, *vaguer), default=top) - _NEARER
        filled.append(max(own_size, least))
    return filled


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


def _sorted(
    rungs: Iterable[Candidate], goes_before: Callable[[Candidate, Candidate], bool]
) -> list[Candidate]:
    """The rungs, each put before the first that it has to go before; else as they came."""
    ordered: list[Candidate] = []
    for rung in rungs:
        places = (at for at, other in enumerate(ordered) if goes_before(rung, other))
        ordered.insert(next(places, len(ordered)), rung)
    return ordered


def reordered(
    candidates: Sequence[Candidate], entity_type: str, subsumes: Subsumes | None = None
) -> list[Candidate]:
    """The candidates with each before those that plainly contain it; else as they came.

    Args:
        candidates: of one entity.
        entity_type: the entity's type.
        subsumes: what a knowledge base knows, or None.
    """
    return _sorted(candidates, lambda one, other: narrower(one, other, entity_type, subsumes))


def narrower(
    one: Candidate, other: Candidate, entity_type: str, subsumes: Subsumes | None = None
) -> bool:
    """Whether ``one`` plainly says more than ``other``.

    It does if its interval lies in the other's; if it has the other's head and every content
    word of it, and more ("a city in Turkey", "a city"); or if the knowledge base says that the
    other is true of it.

    Args:
        one, other: candidates of one entity.
        entity_type: the entity's type.
        subsumes: what a knowledge base knows, or None.
    """
    if contains(other.subsumes, one.subsumes):
        return True
    if contains(one.subsumes, other.subsumes):
        return False
    more = words.content_lemmas(one.text)
    for reading in _readings(other.text):
        less = words.content_lemmas(reading)
        if less and less < more and head_noun(one.text).casefold() == head_noun(reading).casefold():
            return True
    less = words.content_lemmas(other.text)
    if subsumes is None or (more and more < less):
        return False
    return bool(subsumes(other.text, one.text, entity_type)) and not subsumes(
        one.text, other.text, entity_type
    )


def _readings(phrase: str) -> list[str]:
    """ "a town or city in Italy" -> "a town in Italy", "a city in Italy"; else the phrase."""
    either = _EITHER.search(phrase)
    if either is None:
        return [phrase]
    return [phrase[: either.start()] + word + phrase[either.end() :] for word in either.groups()]


def contains(outer: str | None, inner: str | None) -> bool:
    """Whether one canonical form ("interval:1990-01-01/1999-12-31") contains another, strictly.

    False where that is not known: different kinds, several ranges, concepts, nothing at all.

    Args:
        outer, inner: canonical forms as in ``Candidate.subsumes``.
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
