"""Find what fits the place of a mention in its sentence: a noun, an adjective, a deed, a number.

If nothing is known of common words in a sentence, they get a wording that says nothing but fits. In
forms and tables, and for names, they get a label.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from intact.english.grammar import NounPhrase, verb_of
from intact.english.numbers import number
from intact.english.reading import Place
from intact.english.scan import parse, parse_temporal
from intact.english.vocabulary import NEGATION, denies, vocabulary

_NAME = re.compile(r"[A-Z][\w.’'-]*$|[A-Z].* [A-Z]")
_SLOTS = tuple(
    (
        re.compile(rf"(?:{row['before']})$"),
        re.compile(row["words"], re.DOTALL),
        row.get("ends", False),
    )
    for row in vocabulary("grammar")["last_resort"]
)


def slot_of(places: Sequence[Place]) -> str:
    """Name the wording of a kind that fits all places of an entity: "name", "noun" (after a
    determiner), "bare", "plural", "adj" or "pred" (after "is"); "" if none surely fits.

    Args:
        places: of its mentions, which must agree on the slot.
    """
    found = {_slot_at(place) for place in places}
    return found.pop() if len(found) == 1 else ""


def _slot_at(place: Place) -> str:
    form = "" if place.is_clause else _form_of(place.words)
    if form and place.qualifies:
        return "" if place.begins_determined else "adj"
    if form == "counted":
        return "pred" if place.after_being else "plural" if place.noun_ends else ""
    if form == "plural":
        placed = place.words[0].islower() and (place.determined or place.governed)
        return "plural" if placed and place.noun_ends else ""
    if form == "single":
        return "noun" if place.determined else "pred" if place.after_being else _bare_slot(place)
    return form


def _form_of(words: str) -> str:
    """Name the form of words: "counted" ("two men"), "plural", "name" or "single"; "" if they name
    no kind of thing."""
    phrase, named = NounPhrase.of(words), words.istitle() and " " in words
    one = phrase.article == "a"
    count = None if one or named else number(phrase.opening)
    if _is_no_kind(words) or (count is not None and count < 2):
        return ""
    if count:
        return "counted"
    if phrase.is_plural and not one:
        return "plural"
    return "name" if _NAME.match(words) else "single"


def _bare_slot(place: Place) -> str:
    """Return "bare" for a single thing without a determiner, as in "in [prison]" but not in "has
    [left home]"; else ""."""
    words = place.words
    done = verb_of(NounPhrase.of(words).opening, place.before)[1] == "perfect"
    bare = words[0].islower() and not words.endswith("ing") and place.noun_ends and not done
    return "bare" if bare and place.governed else ""


def _is_no_kind(words: str) -> bool:
    """Tell whether words say how many, how old or when, or what is not so ("not deaf")."""
    alone = " " not in words and number(words.lower()) is not None
    told = denies(words) or NEGATION.search(words) is not None
    return alone or told or parse_temporal(words) is not None


def worded_slot(places: Sequence[Place], slot: str) -> str:
    """Translate the slot that the kinds' head reads into the wording of a kind that fits it; "" if
    none does.

    Args:
        places: of an entity's mentions, which must agree.
        slot: what the head reads for them: "nominal", "clause", "verb", "pred" ...
    """
    if any(_is_no_kind(each.words) or parse(each.words) for each in places):
        return ""
    if slot == "nominal":
        return "" if any(place.determined for place in places) else "bare"
    return "" if slot in ("clause", "verb") else slot


def takes_no_noun(places: Sequence[Place]) -> bool:
    """Tell whether every place of an entity takes a clause, an adjective or an adverb.

    Args:
        places: of its mentions.
    """
    return all(map(_is_noun_free, places))


def _is_noun_free(place: Place) -> bool:
    """Tell whether a place is of a kind that takes no noun."""
    return any(
        words.fullmatch(place.words)
        and (place.noun_ends or not ends)
        and before.search(place.before)
        for before, words, ends in _SLOTS
    )
