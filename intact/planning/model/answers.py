"""Read what a language model answered about the places of a document into ladders."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from intact.domain import Candidate, Clue, DroppedPhrase, Ladder, Source, Span, Wording
from intact.english.words import normalise
from intact.models.reading import Row
from intact.planning.model.checks import PhraseChecks
from intact.planning.model.marking import MarkedDocument, MarkedPlace

_NEEDS = re.compile(r"\s*\(needs?:?\s+(\d+(?:\s*(?:,|and)\s*\d+)*)\)\s*", re.I)
_WORLD = re.compile(r"\s*\(world\)\s*", re.I)
_STAYS = ("keep", "stays")
_OPENING = frozenset({"a", "an", "the", "some", "one", "on", "in", "at"})
"""Words whose capital is that of a sentence's beginning."""


class AnswerReader:
    """Reads the answers about one document; ``keep`` says whether places may stay as they are."""

    def __init__(self, marked: MarkedDocument, checks: PhraseChecks, *, keep: bool) -> None:
        self._marked = marked
        self._checks = checks
        self._keep = keep

    def takes_rules(self, cells: Sequence[str]) -> bool:
        """Return whether an answer takes what the rules propose."""
        return bool(cells) and cells[0].strip(" .").lower() == "rules"

    def kept(self, answers: Mapping[int, Sequence[str]]) -> frozenset[str]:
        """Return the ids of the things that may stay as they are: all their places may."""
        said = {n for n, cells in answers.items() if cells and cells[0].lower() in _STAYS}
        return frozenset(
            key
            for key, places in self._marked.places_of.items()
            if self._keep
            and self._checks.may_stay(key)
            and all(place.number in said or place.first in said for place in places)
        )

    def ladders(
        self, answers: Mapping[int, Sequence[str]]
    ) -> tuple[dict[str, Ladder], dict[str, tuple[DroppedPhrase, ...]]]:
        """Turn answers into ladders; what fails a check is dropped with its reason."""
        ladders: dict[str, Ladder] = {}
        dropped: dict[str, tuple[DroppedPhrase, ...]] = {}
        for key, places in self._marked.places_of.items():
            if self.takes_rules(answers.get(places[0].number, ())):
                continue
            rungs, failed = self._rungs(places, answers)
            first = answers.get(places[0].number, ("",))[0]
            if self._keep and first.lower() in _STAYS and not self._checks.may_stay(key):
                failed.append(DroppedPhrase(first, "stays"))
            if rungs:
                ladders[key] = rungs
            if failed:
                dropped[key] = tuple(failed)
        return ladders, dropped

    def _rungs(
        self, places: Sequence[MarkedPlace], answers: Mapping[int, Sequence[str]]
    ) -> tuple[Ladder, list[DroppedPhrase]]:
        """Return the sound candidates for one thing, and the phrases that failed."""
        cells = {p: [c for c in answers.get(p.number, ()) if c] for p in places}
        for place, own in cells.items():  # "12 | rules", "12 | keep" beside phrases elsewhere
            cells[place] = [] if own and own[0].lower() in ("rules", *_STAYS) else own
        height = max(map(len, cells.values()), default=0)
        found: list[Candidate] = []
        unknown: list[Candidate] = []  # they rest on the world, and nothing confirms them
        failed: list[DroppedPhrase] = []
        for rung in range(height):
            wordings: dict[str, Wording] = {}
            phrase = problem = ""
            guessed = False
            for place, own in cells.items():
                if not own:
                    continue
                said, needs, world = read_phrase(own[min(rung, len(own) - 1)])
                guessed |= world and not self._checks.confirmed(said, place)
                worded = self._marked.word(said, place)
                if worded is None:
                    problem = "beside"
                else:
                    span, text = worded
                    problem = self._checks.problem(text, place, span)
                    leant = (self._marked.numbered.get(n) for n in needs)
                    others = {one.entity_id for one in leant if one} - {place.entity_id}
                    wordings[place.mention_id] = Wording(span, text, tuple(sorted(others)))
                    phrase = phrase or text
                if problem:
                    failed.append(DroppedPhrase(said, problem))
                    break
            if not problem and phrase and all(phrase != each.text for each in (*found, *unknown)):
                first, _, rest = phrase.partition(" ")
                if first.lower() in _OPENING:
                    phrase = f"{first.lower()} {rest}".strip()
                candidate = Candidate(phrase, rung, Source.MODEL, wordings=wordings)
                (unknown if guessed else found).append(candidate)
        rungs = enumerate((*found, *unknown))
        return tuple(replace(one, rank=rank) for rank, one in rungs), failed

    def clues(self, rows: Iterable[Row]) -> list[Clue]:
        """Return the unmarked words of rows ("also", the words as they stand, vaguer ones), each
        place once; a phrase that fails a check is dropped with its reason."""
        text, taken = self._marked.document.text, [m.span for m in self._marked.document.mentions]
        found = []
        for row in rows:
            words, *phrases = row.cells
            at = text.find(words) if len(words) > 2 else -1
            if at < 0:
                continue
            span = Span(at, at + len(words))
            if any(span.overlaps(other) for other in taken):
                continue
            taken.append(span)
            sound = [p for p in phrases if normalise(p) != normalise(words)]
            failed = {p: self._checks.clue_problem(p) for p in sound}
            dropped = tuple(DroppedPhrase(p, why) for p, why in failed.items() if why)
            found.append(Clue(span, tuple(p for p in sound if not failed[p]), dropped))
        return sorted(found, key=lambda clue: clue.span)


def read_phrase(cell: str) -> tuple[str, list[int], bool]:
    """Return a phrase without its remarks, the places it needs, and whether it rests on knowledge
    of the world."""
    needs = [int(n) for found in _NEEDS.finditer(cell) for n in re.findall(r"\d+", found[1])]
    world = _WORLD.search(cell) is not None
    return _WORLD.sub(" ", _NEEDS.sub(" ", cell)).strip(), needs, world
