"""Find what fits the place of a mention in its sentence: a noun, an adjective, a deed, a number.

Where nothing is known of common words in a sentence, a wording stands that says nothing but fits;
a label stands in forms and tables, and for names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from intact.english.grammar import DETERMINERS, PREPOSITIONS, head_end, is_plural_noun, verb_of
from intact.english.numbers import number
from intact.english.reading import OBJECT, Place
from intact.english.scan import parse, parse_temporal
from intact.english.vocabulary import ARTICLES, NEGATION, vocabulary

_NAME = re.compile(r"[A-Z][\w.’'-]*$|[A-Z].* [A-Z]")
_Row = tuple[re.Pattern[str], re.Pattern[str], bool, str]
_SLOTS: tuple[_Row, ...] = tuple(
    (
        re.compile(rf"(?:{row['before']})$"),
        re.compile(row["words"], re.DOTALL),
        row.get("ends", False),
        row.get("phrase", ""),
    )
    for row in vocabulary("grammar")["last_resort"]
)
_WITH_OBJECT = re.compile(rf"\w+ (?:{OBJECT}|\d[\d,.]*)\b")
_PASSIVE = re.compile(r"(?:is|are|was|were|be|been|being|am|gets?|got|getting)\b", re.IGNORECASE)


def slot_of(places: Sequence[Place]) -> str:
    """Name the wording of a kind that fits all places of an entity: "name", "noun" (with a
    determiner), "bare", "plural", "adj" or "pred" (behind "is"); "" where none is sure.

    Args:
        places: of its mentions, which must agree on the slot.
    """
    found = {_slot_at(place) for place in places}
    return "name" if found == {"name", "noun"} else found.pop() if len(found) == 1 else ""


def _slot_at(place: Place) -> str:
    words = place.words
    if place.is_clause or words.isspace():
        return ""
    one = re.match(r"an? ", words) is not None
    count = None if one or (words.istitle() and " " in words) else number(words.split()[0].lower())
    if _is_value(words) or (count is not None and count < 2):
        return ""
    if place.qualifies:
        return "" if place.begins_determined else "adj"
    owned = place.begins_determined or bool(place.determiner)
    head = words[: head_end(words)].split() or [""]
    if count and place.after_being:
        return "pred"
    if count or (not one and is_plural_noun(head[-1].lower())):
        plain = count or (words[0].islower() and (owned or place.governed))
        return "plural" if plain and place.noun_ends else ""
    if _NAME.match(words):
        return "name"
    if owned:
        return "noun"
    if place.after_being:
        return "pred"
    done = verb_of(words.split()[0].lower(), place.before)[1] == "perfect"  # "has [left home]"
    bare = words[0].islower() and not words.endswith("ing") and place.noun_ends and not done
    return "bare" if bare and place.governed else ""


def _is_value(words: str) -> bool:
    """Tell whether words say how many, how old or when: no kind of thing."""
    alone = " " not in words and number(words.lower()) is not None
    return alone or parse_temporal(words) is not None


def worded_slot(places: Sequence[Place], slot: str) -> str:
    """Translate the slot that the kinds' head reads into the wording of a kind that fits it; ""
    where none does.

    Args:
        places: of an entity's mentions, which must agree.
        slot: what the head says of them: "nominal", "clause", "verb", "pred" ...
    """
    if any(_is_value(each.words) or parse(each.words) for each in places):
        return ""
    if slot not in ("nominal", "clause"):
        return slot
    owned = {bool(each.determiner) for each in places}
    if slot == "clause":  # "my [father had died]", "[on a boat]"
        starts = {each.words.split()[0].lower() for each in places}
        led = not starts.isdisjoint(PREPOSITIONS | ARTICLES)
        return "" if led or True in owned else slot
    owned |= {each.begins_determined for each in places}
    return "noun" if owned == {True} else "bare" if owned == {False} else ""


def neutral_wording(places: Sequence[Place]) -> str:
    """Find the words that fit each place of an entity and say nothing, or "".

    Args:
        places: of its mentions, which must agree.
    """
    rows = map(_row_at, places)
    found = {row[-1] if row else "" for row in rows}
    return found.pop() if len(found) == 1 else ""


def takes_no_noun(places: Sequence[Place]) -> bool:
    """Tell whether each place of an entity asks for a clause or a deed: "he [threw a stone]".

    Args:
        places: of its mentions.
    """
    return all(_row_at(each) or _deed(each) for each in places)


def deed_form(place: Place) -> str:
    """Name the form of the verb with which the words of a place begin, see ``verb_of``; "" where it
    may be passive, something is negated, or none is seen.

    Args:
        place: the first of its words is taken for the verb.
    """
    before = place.before
    first = re.match(r"[A-Za-z][a-z]+(?=\s|$)", place.words)
    negated = place.negated or NEGATION.search(place.words)
    if first is None or negated or _PASSIVE.match(place.words):
        return ""
    form = verb_of(first[0].lower(), before)[1]
    if form == "plain" and not place.asks_plain_verb:  # "and [won the cup]"
        return ""
    followed = _WITH_OBJECT.match(place.words)
    alone = re.search(r"[^\w\s’'\"”)]\s*$|^$", before) is not None
    if form == "passive" or (form == "past" and alone and not followed):
        return ""  # "[raised by her aunt]"
    return form


def _row_at(place: Place) -> _Row | None:
    """Find the row of places without a noun that a place is of, None if it is of none."""
    rows = (
        row
        for row in _SLOTS
        if row[1].fullmatch(place.words)
        and (place.noun_ends or not row[2])
        and row[0].search(place.before)
    )
    return next(rows, None)


def is_doing(place: Place) -> bool:
    """Tell whether words say what somebody is doing: "she is [snoring]".

    Args:
        place: of the words.
    """
    first = re.match(r"[a-z]+ing\b", place.words)
    return first is not None and place.after_being and verb_of(first[0])[1] == "ing"


def _deed(place: Place) -> bool:
    """Tell whether words are what somebody does: "he [threw a stone]"."""
    subject = place.subject
    first = re.match(r"(?!never|also|not|just|only)[a-z]{2,}(?!\w|-\d)", place.words)
    if first is None or first[0] in ARTICLES | DETERMINERS or number(first[0]) is not None:
        return False
    if first[0] in ("is", "was", "are", "were"):
        return True
    _, form = verb_of(first[0], place.before)
    if not subject and form == "perfect" and _WITH_OBJECT.match(place.words):
        return True
    if not subject:
        return place.after_modal and form == "plain"
    if form == "s" and not re.match(r"(?:he|she|who)\b(?! ha[ds])", subject, re.I):
        return False  # "they have [hands like spades]"
    if form == "plain" and not re.match(r"(?:I|you|we|they|who)\s$", subject):  # "he [left]"
        form = "perfect" if re.search(r"\bha(?:d|s|ve)\b", subject) else "past"
    sure = form in ("s", "past", "perfect") or " " in place.words
    return sure and form not in ("passive", "ing")
