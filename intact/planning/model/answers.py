"""Read a language model's answers about the places of a document into ladders.

Each phrase is checked by rule; one that fails is recorded with the name of the check. It must not
name anything hidden; a date, age, amount or count in it that can be read must contain the original;
and it must fit the words beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import InitVar, dataclass

from intact import domain
from intact.english import words
from intact.english.scan import contains, parse, parse_temporal, read_time
from intact.english.sentences import starts_sentence
from intact.english.time import Kind, Temporal
from intact.english.vocabulary import ARTICLES, vocabulary
from intact.english.words import normalise
from intact.models.reading import Row
from intact.planning.ladder import DocumentChecks
from intact.planning.model.marking import MarkedDocument, MarkedPlace
from intact.planning.rules.fitting import MOVABLE

_MOST_WORDS = 30
_SINGLING_OUT = frozenset({Kind.INTERVAL, Kind.PARTIAL, Kind.AGE})
_NAMING = frozenset({"equal", "contains", "ngram", "discloses"})
# no two of these words may stand side by side: "his a son"
_DETERMINING = ARTICLES | {"his", "its", "their", "my", "our", "your", "whose"}
_META = re.compile(r"[\[\]{}<>⟦⟧|_#\ufffd]|https?:", re.I)
_EXPLAINED: dict[str, str] = vocabulary("texts")["reasons"]


_NEEDS = re.compile(r"\s*\(needs?:?\s+(\d+(?:\s*(?:,|and)\s*\d+)*)\)\s*", re.I)
_STAYS = ("keep", "stays")
# Words that are capitalised only at the beginning of a sentence.
_OPENING = frozenset({"a", "an", "the", "some", "one", "on", "in", "at"})


@dataclass(eq=False)
class AnswerReader:
    """Reads the answers about one document, and checks their phrases.

    Args:
        marked: the document with its places.
        checks: find what a phrase leaks or discloses.
        entities: those that phrases may replace.
        keep: whether places may stay as they are.
    """

    marked: MarkedDocument
    checks: DocumentChecks
    entities: InitVar[Sequence[domain.Entity]]
    keep: bool

    def __post_init__(self, entities: Sequence[domain.Entity]) -> None:
        self._text = self.marked.document.text
        self._entities = {entity.id: entity for entity in entities}
        self._spans = [m.span for m in self.marked.document.mentions if m.masked]

    def takes_rules(self, cells: Sequence[str]) -> bool:
        """Tell whether the cells of a model's answer accept the phrases that the rules propose: the
        first one is "rules"."""
        return bool(cells) and cells[0].strip(" .").lower() == "rules"

    def kept(self, answers: Mapping[int, Sequence[str]]) -> frozenset[str]:
        """Return the ids of the entities that are to stay in clear: a model's answer about their
        first place says so, and the checks allow it. Empty if nothing may stay.

        Args:
            answers: the cells by the number of the place; the first cell "keep" or "stays" says so.
        """
        said = {n for n, cells in answers.items() if cells and cells[0].lower() in _STAYS}
        every = self.marked.places_of.items() if self.keep else ()
        named = (key for key, places in every if places[0].number in said)
        return frozenset(filter(self._may_stay, named))

    def ladders(
        self, answers: Mapping[int, Sequence[str]]
    ) -> tuple[dict[str, domain.Ladder], dict[str, tuple[domain.DroppedPhrase, ...]]]:
        """Turn a model's answers into ladders. Return them by entity id (phrases that pass all
        checks, most specific first), and, by entity id, the phrases that failed a check with its
        name. An entity whose first place was answered "rules" is in neither; one may be in both.

        Args:
            answers: the cells (phrases) by the number of the place.
        """
        ladders: dict[str, domain.Ladder] = {}
        dropped: dict[str, tuple[domain.DroppedPhrase, ...]] = {}
        for key, places in self.marked.places_of.items():
            if self.takes_rules(answers.get(places[0].number, ())):
                continue
            rungs, failed = self._rungs(places, answers)
            first = answers.get(places[0].number, ("",))[0]
            if self.keep and first.lower() in _STAYS and not self._may_stay(key):
                failed.append(domain.DroppedPhrase(first, "stays"))
            if rungs:
                ladders[key] = rungs
            if failed:
                dropped[key] = tuple(failed)
        return ladders, dropped

    def _rungs(
        self, places: Sequence[MarkedPlace], answers: Mapping[int, Sequence[str]]
    ) -> tuple[domain.Ladder, list[domain.DroppedPhrase]]:
        """Turn the answers about one entity into its ladder: the first cells of its places make the
        first candidate, the second cells the next, and so on; a place with fewer cells repeats its
        last. A candidate of which one phrase fails a check is left out, and so is one that repeats
        an earlier one. Return the ladder, () if nothing is sound, and for each candidate that
        failed its first failing phrase.

        Args:
            places: all places of the entity.
            answers: the cells by the number of the place.
        """
        cells = {p: [c for c in answers.get(p.number, ()) if c] for p in places}
        # none of "12 | rules", "12 | keep" beside phrases elsewhere
        cells = {p: c for p, c in cells.items() if c and c[0].lower() not in ("rules", *_STAYS)}
        height = max(map(len, cells.values()), default=0)
        found: list[domain.Candidate] = []
        failed: list[domain.DroppedPhrase] = []
        for at in range(height):
            wordings, problem = self._wordings({p: own[: at + 1][-1] for p, own in cells.items()})
            phrase = next((one.text for one in wordings.values() if one.text), "")
            if problem:
                failed.append(problem)
            elif phrase and all(phrase != each.text for each in found):
                first, _, rest = phrase.partition(" ")
                if first.lower() in _OPENING:
                    phrase = f"{first.lower()} {rest}".strip()
                rank, source = len(found), domain.Source.MODEL
                found.append(domain.Candidate(phrase, rank, source, wordings=wordings))
        return tuple(found), failed

    def _wordings(
        self, cells: Mapping[MarkedPlace, str]
    ) -> tuple[dict[str, domain.Wording], domain.DroppedPhrase | None]:
        """Read the words that a model's phrases put at the places of one entity. Return them by
        mention id, with None; or, if a phrase fails a check, {} and that phrase with the name of
        the check.

        Args:
            cells: the phrase for each place.
        """
        wordings = {}
        for place, cell in cells.items():
            said, needs = read_phrase(cell)
            worded = self.marked.word(said, place)
            if worded is None:
                return {}, domain.DroppedPhrase(said, "beside")
            span, text = worded
            if problem := self.problem(text, place, span):
                return {}, domain.DroppedPhrase(said, problem)
            leant = (self.marked.numbered.get(n) for n in needs)
            others = {one.entity_id for one in leant if one} - {place.entity_id}
            wordings[place.mention_id] = domain.Wording(span, text, tuple(sorted(others)))
        return wordings, None

    def clues(self, rows: Iterable[Row]) -> list[domain.Clue]:
        """Read a model's rows about unmarked words ("also", the words as they stand, vaguer ones)
        into clues: the span where the words first stand, the vaguer phrases that pass the checks,
        and those that fail with the reason. Clues are in text order. A phrase that is only the
        words again is left out.

        Words that are not in the text, have fewer than three characters, or overlap a mention or an
        earlier clue, are skipped.
        """
        taken, found = [m.span for m in self.marked.document.mentions], []
        for row in rows:
            words, *phrases = row.cells
            at = self._text.find(words) if len(words) > 2 else -1
            span = domain.Span(at, at + len(words))
            if at < 0 or any(span.overlaps(other) for other in taken):
                continue
            taken.append(span)
            sound = [p for p in phrases if normalise(p) != normalise(words)]
            failed = {p: self._clue_problem(p) for p in sound}
            dropped = tuple(domain.DroppedPhrase(p, why) for p, why in failed.items() if why)
            found.append(domain.Clue(span, tuple(p for p in sound if not failed[p]), dropped))
        return sorted(found, key=lambda clue: clue.span)

    def _may_stay(self, entity_id: str) -> bool:
        """Tell whether a model may leave an entity's words in clear: not those of a named place or
        body, nor a date, an age or an unreadable time with figures in it. A time in words alone
        ("May") may stay, and so may anything of another type."""
        entity = self._entities[entity_id]
        if entity.entity_type in (domain.EntityType.LOC, domain.EntityType.ORG):
            return not any(map(words.is_capitalised, filter(words.telling_lemmas, entity.surfaces)))
        if entity.entity_type != domain.EntityType.DATETIME:
            return True
        read = [parse_temporal(s) for s in entity.surfaces if any(map(str.isdigit, s))]
        return not any(one is None or one.kind in _SINGLING_OUT for one in read)

    def _clue_problem(self, phrase: str) -> str:
        """Name the check that a phrase for unmarked words fails: "long" (over 30 words) or
        "discloses" (it names something hidden); "" if it fails none."""
        if len(phrase.split()) > _MOST_WORDS:
            return "long"
        found = (self.checks.problem(phrase, entity) for entity in self._entities.values())
        return "discloses" if any(one in _NAMING for one in found) else ""

    def problem(self, phrase: str, place: MarkedPlace, span: domain.Span) -> str:
        """Name the check that a phrase for a place fails; "" if it fails none.

        In this order: "form" (no letter or digit, brackets or a link), "long" (over 30 words),
        "beside" (it would replace another place), "false" or "equal" (see ``compare_value``), one
        of ``DocumentChecks.problem``, "seam" (it repeats the word beside it). A repeated word of a
        class ("son") is no fault.

        Args:
            phrase: the words that would be put there.
            place: of the entity that it is to hide.
            span: all that the words would replace: the place, and the words replaced on either side
                of it.
        """
        entity = self._entities[place.entity_id]
        if not any(map(str.isalnum, phrase)) or _META.search(phrase):
            return "form"
        if len(phrase.split()) > _MOST_WORDS:
            return "long"
        own = place.span
        others = (one for one in self._spans if not one.contains(own) and not own.contains(one))
        if any(other.overlaps(span) for other in others):
            return "beside"
        if found := compare_value(phrase, entity):
            return found
        found = self.checks.problem(phrase, entity)
        if found == "lemma" and not any(map(self._is_name, entity.mentions)):
            found = ""  # a word of a class ("son") is no name; the attack says whether it tells
        if found and found != "long":
            return found
        return "seam" if self._doubles(phrase, span) else ""

    def _is_name(self, mention: domain.Mention) -> bool:
        """Tell whether a mention is capitalised, and not only because it begins a sentence."""
        if not starts_sentence(self._text, mention.span.start):
            return words.is_capitalised(mention.text)
        return bool(words.name_words(mention.text[:1].lower() + mention.text[1:]))

    def _doubles(self, phrase: str, span: domain.Span) -> bool:
        """Tell whether a phrase at its place repeats the word before or after it, or puts two
        articles or other determiners, or two movable words, side by side.

        Args:
            phrase: the words that would be put there.
            span: of the original: the words that they would replace.
        """
        before = re.search(r"(\w+)\s+\Z", self._text[max(0, span.start - 20) : span.start])
        after = re.match(r"\s+(\w+)", self._text[span.end : span.end + 20])
        said = phrase.lower().split()
        if before is not None:
            last, first = before[1].lower(), said[0]
            if last == first or {last, first} <= _DETERMINING or {last, first} <= MOVABLE:
                return True
        return bool(after and after[1].lower() == said[-1])


def explain_reason(reason: str) -> str:
    """Return, in words, what the name of a failed check means ("discloses": "it names what is
    hidden elsewhere"); an unknown name unchanged."""
    return _EXPLAINED.get(reason, reason).replace("{most}", str(_MOST_WORDS))


def compare_value(phrase: str, entity: domain.Entity) -> str:
    """Compare the time or amount in a phrase with the entity's originals. Return "false" if it does
    not contain one of them, "equal" if it says as much, and "" if it may be used or holds no such
    value.

    Args:
        phrase: as it would replace the entity.
        entity: with the originals; those that cannot be read are left out.
    """
    read = read_time if entity.entity_type == domain.EntityType.DATETIME else parse
    said = read(phrase)
    for original in map(read, entity.surfaces):
        if said is not None and original is not None:
            held = contains(said, original)
            if held is False:
                return "false"
            if contains(original, said) or (held and isinstance(said, Temporal) and said.either):
                return "equal"
    return ""


def read_phrase(cell: str) -> tuple[str, list[int]]:
    """Split a cell of a model's answer into its phrase, without the remark "(needs 3, 5)", and the
    numbers of the places that the remark names: "a third of that sum (needs 4)" gives ("a third of
    that sum", [4]). [] without a remark."""
    needs = [int(n) for found in _NEEDS.finditer(cell) for n in re.findall(r"\d+", found[1])]
    return _NEEDS.sub(" ", cell).strip(), needs
