"""One phrase, one entity: how an entity is called in the light of the document's other entities.

* The State that a case is against is "the respondent State", and its places are there: "a city in
  the respondent State". Of the others, the first is "another country" and then "the other country",
  the next "a third country".
* Two bodies that are surely different and would have the same phrase are numbered: "a court", "a
  second court". So are unannotated norms with other numbers: "a second legal provision".

A phrase of the book says no more than the one it replaces, except which of the document's own
entities is meant; ``plainly`` undoes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from intact.discourse.ledger import FORMS, MOST_NUMBERED
from intact.discourse.things import BODIES, States
from intact.domain import EntityType, Source
from intact.english.grammar import NounPhrase, head_noun
from intact.english.numbers import as_ordinal
from intact.english.words import content_lemmas, is_acronym, is_english, lemma, normalise, words
from intact.rewriting.slots import Slot

_NORM = f"{Source.CONTEXT}:norm:"  # how the ids of norms begin that nobody annotated
_OWNER = "the respondent State"


class PhraseBook:
    """The phrase book of one document. The phrases may change, the document's slots do not."""

    def __init__(self, states: States, slots: Sequence[Slot]) -> None:
        self._states, self._slots, self.at = states, slots, range(len(slots))
        self._hidden = {"State", "Government"} & {slot.head for slot in slots}
        self._names: dict[str, str] = {}
        for slot in slots:
            name = FORMS["bracketed"].sub("", slot.head) or slot.head  # "[(the NBI)]"
            if len(name) > len(self._names.get(slot.entity_id, "")):
                self._names[slot.entity_id] = name
        norms = (slot for slot in slots if slot.occurrence.mention_id.startswith(_NORM))
        numbers = ((slot.entity_id, FORMS["of_norm"].search(slot.head)) for slot in norms)
        self._numbers = {norm: number[0] for norm, number in numbers if number}

    def reword(self, phrases: Sequence[str]) -> list[str]:
        """Choose other phrases that keep the document's States and bodies apart ("the respondent
        State", "another country", "a second court"). Where the document masks "State" or
        "Government" by itself, the phrases for States have that word in small letters.

        Args:
            phrases: for each slot the words to be put there, "" for a label.

        Returns:
            For each slot the other phrase, "" if it keeps its own.
        """
        said = self._of_states(phrases) if self._states.respondent else [""] * len(phrases)
        for word in sorted(self._hidden):
            said = [phrase.replace(word, word.lower()) for phrase in said]
        ordinals = self._ordinals(phrases, said)
        for at, slot in enumerate(self._slots):
            number = ordinals.get((slot.entity_id, phrases[at]), 1)
            if number > 1:
                ordinal = as_ordinal(number, spelled_to=MOST_NUMBERED)
                said[at] = f"a {ordinal} {NounPhrase.of(phrases[at]).rest}"
        return said

    def _of_states(self, phrases: Sequence[str]) -> list[str]:
        """Return, for each slot, the phrase for a State, its government or its nationals ("the
        respondent State", "another country", "nationals of the other country"); "" for other slots
        and for those whose own phrase is "".

        Args:
            phrases: what was chosen for each slot, "" for a label.
        """
        others: dict[str, int] = {}
        said = []
        for slot, phrase in zip(self._slots, phrases, strict=True):
            country = self._states.countries.get(slot.entity_id, "")
            if not country or not phrase:
                said.append("")
            elif country == self._states.respondent:
                said.append(_respondent(slot, phrase))
            else:
                said.append(_other(slot, phrase, country, others))
        return said

    def _ordinals(
        self, phrases: Sequence[str], said: Sequence[str]
    ) -> Mapping[tuple[str, str], int]:
        """Number bodies and norms that are surely different and share a phrase: map (entity id,
        phrase) to 1, 2 ... in text order, up to twelve. A body that may be one of them, but surely
        is none of the others, has the same number as that one; one that may be several of them is
        absent.

        Args:
            phrases: of each slot.
            said: other phrases for slots, which then are not numbered; "" for none.
        """
        bodies: dict[str, dict[str, None]] = {}
        for slot, phrase, other in zip(self._slots, phrases, said, strict=True):
            read = NounPhrase.of(phrase)
            body = read.article == "a" and read.head not in BODIES["persons"]
            named = slot.entity_type == EntityType.ORG or slot.entity_id in self._numbers
            if named and body and not other:
                bodies.setdefault(phrase, {})[slot.entity_id] = None
        numbers = {}
        for phrase, things in bodies.items():
            apart: list[str] = []
            for thing in list(things)[:MOST_NUMBERED]:
                same = [one for one in apart if not self._differ(thing, one)]
                if not same:
                    apart.append(thing)
                    numbers[thing, phrase] = len(apart)
                elif len(same) == 1:  # it may be that one, and no other
                    numbers[thing, phrase] = numbers[same[0], phrase]
        return numbers

    def _differ(self, one: str, other: str) -> bool:
        """Tell whether two entities, given by their ids, are surely different: norms with other
        numbers, or bodies with names that surely mean two."""
        if one in self._numbers and other in self._numbers:
            return self._numbers[one] != self._numbers[other]
        return surely_two(self._names[one], self._names[other])


def _respondent(slot: Slot, phrase: str) -> str:
    """Return the phrase for the State that a case is against ("the respondent State"), its
    government ("the Government of the respondent State"), its nationals or its places; "" if the
    slot's own phrase means none of these."""
    if slot.entity_type == EntityType.DEM:
        person = FORMS["person_of"].fullmatch(phrase)
        if person is not None:
            return f"{person['who']} of {_OWNER}"
        national = FORMS["national"].match(slot.place.after)
        return _OWNER if national or FORMS["state"].fullmatch(phrase) else ""
    state = FORMS["state"].fullmatch(phrase) or FORMS["government"].fullmatch(phrase)
    if state and state.re is FORMS["government"] and "government" in slot.head.lower():
        return f"the Government of {_OWNER}"
    located = FORMS["located"].fullmatch(phrase)
    return _OWNER if state else f"{located['what']} in {_OWNER}" if located else ""


def _other(slot: Slot, phrase: str, country: str, others: dict[str, int]) -> str:
    """Return the phrase for a State that the case is not against, or its nationals: "another
    country" and later "the other country", of further States "a third country" and "the third
    country"; "" for anything else.

    Args:
        slot: where it is named.
        phrase: what was chosen for the slot.
        country: the code of the State.
        others: number by code, from 2, for the States so far; one that is not yet there is added.
    """
    state = FORMS["state"].fullmatch(phrase)
    person = FORMS["person_of"].fullmatch(phrase)
    national = slot.entity_type == EntityType.DEM and FORMS["national"].match(slot.place.after)
    if not (state or person or national):
        return ""
    known = country in others
    number = others.setdefault(country, len(others) + 2)
    where = (state["where"] if state else "") or ""
    who = f"{person['who']} of " if person else ""
    ordinal = "other" if number == 2 else as_ordinal(number, spelled_to=MOST_NUMBERED)
    if known:
        return f"{who}the {ordinal} country"
    return f"{who}{'another' if number == 2 else f'a {ordinal}'} country{where}"


def surely_two(one: str, other: str) -> bool:
    """Tell whether two names surely mean two bodies, neither a part of the other; False in doubt.

    They do if both are numbered and the numbers differ; if both are of one kind (two courts) and
    each has a telling word that the other lacks (but "Supreme Court" may be the "Court of
    Cassation"); or if they share no telling word and are of two kinds (a court, a ministry), or
    English with several. Acronyms are always in doubt.

    Args:
        one: a name as it is in the text.
        other: another.
    """
    if is_acronym(one) or is_acronym(other):
        return False
    which, rival = (FORMS["numbered"].search(normalise(name)) for name in (one, other))
    if which and rival and which[1] != rival[1]:
        return True
    first, second = _telling(one), _telling(other)
    only, lacking = first - second, second - first
    kind, other_kind = _kind(one), _kind(other)
    if not kind or kind != other_kind:
        english = all(is_english(word) for word in words(f"{one} {other}"))
        known = (kind and other_kind) or (english and min(len(first), len(second)) > 1)
        return bool(known and not first & second)
    return bool(only and lacking) and only | lacking != {"supreme", "cassation"}


def _kind(name: str) -> str:
    """Return the kind of body that a name says it is, in the singular ("court", "ministry"), or ""
    if it says none."""
    found = (lemma(word) for word in (head_noun(name), *words(name)[-1:], *words(name)))
    return next((word for word in found if word in BODIES["two"]), "")


def _telling(name: str) -> frozenset[str]:
    """Return the lemmas in a body's name that distinguish it from others of its kind: not "court",
    nor words such as "national"."""
    return content_lemmas(name) - BODIES["vague"] - BODIES["two"]
