"""Find what fits the place of a mention in its sentence: a noun, an adjective, a deed, a number.

Where nothing is known of common words in a sentence, a wording stands that says nothing but fits;
a label stands in forms and tables, and for names.
"""

from __future__ import annotations

import re
from dataclasses import replace

from intact.domain import Document, Entity, Mention
from intact.english.grammar import (
    DETERMINERS,
    PREPOSITIONS,
    head_end,
    is_plural_noun,
    verb_of,
)
from intact.english.numbers import number
from intact.english.scan import parse, parse_temporal
from intact.english.vocabulary import ARTICLES, NEGATED_VERB, either, vocabulary
from intact.knowledge.patterns import SUBJECT, Context

DETERMINED = re.compile(
    r"(?:^|[\s(“\"])(?:(?P<one>an?)|(?P<own>his|her|their|its|my|our|your|\w+['’]s?)|the|this)"
    r"(?:\s[a-z]+(?:ed|al|ary|ory|ive|able|ible|ous|ful))?\s$",
    re.I,
)
"""Articles and owners before a noun. "No" is not among them: whoever had no lawyer may yet have
had a professional of another kind."""
AFTER_NOUN = re.compile(
    r"[.,;:)]|\s(?:who|which|that|of|in|at|on|for|from|to|by|with|and|or|was|were|is|are|had|has|"
    r"did|could|would|should|might|may|will|as|after|before|when|while|but|not|"
    r"(?![a-z]*eed|(?:hear|build|meet|rul|find|fund|hous|train|fil|plann|proceed)ing)[a-z]+(?:ed|ing))\b"
)
_BEFORE = 90
_CLAUSE = re.compile(r" (?:is|are|was|were|has|had|does|did|can|could|will|would) ")
_NAME = re.compile(r"[A-Z][\w.’'-]*$|[A-Z].* [A-Z]")
_LED = re.compile(r"(?i)\b(?:an?|the|my|his|her|their|our) (?:[\w-]+ )?$")
_WITH_DETERMINER = re.compile(r"(?:an?|the|his|her|its|their|our|my|your) ")
_BEING = re.compile(
    r"(?:\b(?:is|are|was|were|am|be|been|being|remain\w*|bec[ao]mes?|feels?|felt|seem\w*)|[’'](?:m|re))"
    r"(?: (?:also|now|then|still|not|very|too|so|quite))?\s$"
)
_GOVERNED = re.compile(
    r"(?:\b(?:of|in|on|at|by|with|for|from|about|into|after|during|without|ha[sd]|have|got)"
    r"|[’']ve)\s$"
)
_Row = tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str], str]
_SLOTS: tuple[_Row, ...] = tuple(
    (
        re.compile(rf"(?:{row['before']})$"),
        re.compile(row["words"], re.DOTALL),
        AFTER_NOUN if row.get("ends") else re.compile(""),
        row.get("phrase", ""),
    )
    for row in vocabulary("grammar")["last_resort"]
)
_NEGATION = re.compile(
    rf"\b(?:not?|never|nor|nothing|nobody|none|without|hardly|cannot|{NEGATED_VERB})\b"
)
_PART_END = re.compile(rf"\W*$|\W*\n|{AFTER_NOUN.pattern}")
_BEFORE_PLAIN = re.compile(
    r"\b(?:to|I|you|we|they|who|can|could|will|would|must|should|might|may|did|does|do|[a-z]+s)"
    r"(?: (?:also|now|still|often|only|always))?\s$"
)
_OBJECT_BEHIND = re.compile(r" (?:an?|the|his|her|its|their|our|my|your|him|them|me|us|it)\b")
_OBJECT = re.compile(r"\w+ (?:an?|the|his|her|their|my|our|him|them|me|us|it|\d[\d,.]*)\b")
_PASSIVE = re.compile(r"(?:is|are|was|were|be|been|being|am|gets?|got|getting)\b", re.IGNORECASE)
_AND_ADJECTIVE = re.compile(r" and(?= [a-z-]+ [a-z])")
_MODAL = re.compile(
    r"\b(?:can|could|will|would|must|should|might|did|does|do)(?:not| not|n[’']t|)\s$", re.I
)
# a verb with what it is done to
_WITH_OBJECT = re.compile(r"([a-z]{2,}) (?:an?|the|his|her|their|my|our|him|them|me|us|it)\b")


_DETERMINED_BEFORE = re.compile(rf"(?:['’]s|\b(?:{either(ARTICLES | DETERMINERS)}) [a-z]+)\s$")


def slot_of(document: Document, entity: Entity) -> str:
    """Name the wording of a kind that fits all places of an entity: "name", "noun" (with a
    determiner), "bare", "plural", "adj" or "pred" (behind "is"); "" where none is sure.

    Args:
        document: its text is read around the mentions.
        entity: all its mentions must agree on the slot.
    """
    found = {_slot_at(document.text, mention) for mention in entity.mentions}
    return "name" if found == {"name", "noun"} else found.pop() if len(found) == 1 else ""


def _slot_at(text: str, mention: Mention) -> str:
    words = mention.text
    if _CLAUSE.search(words) or words.isspace():
        return ""
    before, after = before_mention(text, mention), text[mention.span.end :][:40]
    determined = _WITH_DETERMINER.match(words) is not None
    one = re.match(r"an? ", words) is not None
    count = None if one or (words.istitle() and " " in words) else number(words.split()[0].lower())
    if _is_value(words) or (count is not None and count < 2):
        return ""
    if before_noun(text, mention):
        return "" if determined else "adj"
    governed = _GOVERNED.search(before) is not None
    owned = determined or DETERMINED.search(before) is not None
    head = words[: head_end(words)].split() or [""]
    if count and _BEING.search(before):
        return "pred"
    if count or (not one and is_plural_noun(head[-1].lower())):
        plain = count or (words[0].islower() and (owned or governed))
        return "plural" if plain and AFTER_NOUN.match(after) else ""
    if _NAME.match(words):
        return "name"
    if owned:
        return "noun"
    if _BEING.search(before):
        return "pred"
    done = verb_of(words.split()[0].lower(), before)[1] == "perfect"  # "has [left the house]"
    bare = words[0].islower() and not words.endswith("ing") and AFTER_NOUN.match(after) and not done
    return "bare" if bare and governed else ""


def is_determined(text: str, mention: Mention) -> bool:
    """Tell whether an article or an owner belongs to a mention: "a [car]", "his old [car]".

    Args:
        text: of the whole document.
        mention: in it.
    """
    before = before_mention(text, mention)
    led = DETERMINED.search(before) or _DETERMINED_BEFORE.search(before)
    return bool(led or _WITH_DETERMINER.match(mention.text))


def is_predicate(text: str, mention: Mention) -> bool:
    """Tell whether a mention says what somebody is: "she is a [nurse]", "Bo, a [nurse]".

    Args:
        text: of the whole document.
        mention: in it.
    """
    before = _LED.sub("", before_mention(text, mention))
    return bool(_BEING.search(before) or before.endswith((", ", "(", " as ")))


def _is_value(words: str) -> bool:
    """Tell whether words say how many, how old or when: no kind of thing."""
    alone = " " not in words and number(words.lower()) is not None
    return alone or parse_temporal(words) is not None


def worded_slot(document: Document, entity: Entity, slot: str) -> str:
    """Translate the slot that the kinds' head reads into the wording of a kind that fits it; ""
    where none does.

    Args:
        document: its text is read around the mentions.
        entity: all its mentions must agree.
        slot: what the head says of the place: "nominal", "clause", "verb", "pred" ...
    """
    text = document.text
    if any(_is_value(each.text) or parse(each.text) for each in entity.mentions):
        return ""
    if slot not in ("nominal", "clause"):
        return slot
    owned = {bool(DETERMINED.search(before_mention(text, each))) for each in entity.mentions}
    if slot == "clause":  # "my [father had died]", "[on a boat]"
        starts = {each.text.split()[0].lower() for each in entity.mentions}
        led = not starts.isdisjoint(PREPOSITIONS | ARTICLES)
        return "" if led or True in owned else slot
    owned |= {_WITH_DETERMINER.match(each.text) is not None for each in entity.mentions}
    return "noun" if owned == {True} else "bare" if owned == {False} else ""


def neutral_wording(document: Document, entity: Entity) -> str:
    """Find the words that fit each place of an entity and say nothing, or "".

    Args:
        document: its text is read around the mentions.
        entity: all its mentions must agree.
    """
    rows = [_row_at(document.text, each) for each in entity.mentions]
    found = {row[-1] if row else "" for row in rows}
    return found.pop() if len(found) == 1 else ""


def takes_no_noun(document: Document, entity: Entity) -> bool:
    """Tell whether each place of an entity asks for a clause or a deed: "he [threw a stone]".

    Args:
        document: its text is read around the mentions.
        entity: whose places they are.
    """
    text = document.text
    return all(_row_at(text, each) or _deed(text, each) for each in entity.mentions)


def has_object_behind(document: Document, entity: Entity) -> bool:
    """Tell whether the object of what somebody did follows a mention: "[lost] his work".

    Args:
        document: its text is read behind the mentions.
        entity: mentions of several words have their object inside.
    """
    return any(_object_behind(document.text, mention) for mention in entity.mentions)


def _object_behind(text: str, mention: Mention) -> bool:
    return " " not in mention.text and bool(_OBJECT_BEHIND.match(text, mention.span.end))


def deed_form(text: str, mention: Mention) -> str:
    """Name the form of the verb with which a mention begins, see ``verb_of``; "" where it may be
    passive, something is negated, or none is seen.

    Args:
        text: of the whole document.
        mention: its first word is taken for the verb.
    """
    before = before_mention(text, mention)
    first = re.match(r"[A-Za-z][a-z]+(?=\s|$)", mention.text)
    negated = _NEGATION.search(before[-12:]) or _NEGATION.search(mention.text)
    if first is None or negated or _PASSIVE.match(mention.text):
        return ""
    form = verb_of(first[0].lower(), before)[1]
    if form == "plain" and not _BEFORE_PLAIN.search(before):  # "and [won the cup]"
        return ""
    followed = _OBJECT.match(mention.text)
    alone = re.search(r"[^\w\s’'\"”)]\s*$|^$", before) is not None
    if form == "passive" or (form == "past" and alone and not followed):
        return ""  # "[raised by her aunt]"
    return form


def _row_at(text: str, mention: Mention) -> _Row | None:
    """Find the row of places without a noun that a mention is in, None if it is in none."""
    before, after = before_mention(text, mention), text[mention.span.end :][:40]
    rows = (
        row
        for row in _SLOTS
        if row[1].fullmatch(mention.text) and row[2].match(after) and row[0].search(before)
    )
    return next(rows, None)


def is_doing(text: str, mention: Mention) -> bool:
    """Tell whether a mention says what somebody is doing: "she is [snoring]".

    Args:
        text: of the whole document.
        mention: in it.
    """
    first = re.match(r"[a-z]+ing\b", mention.text)
    being = _BEING.search(before_mention(text, mention))
    return first is not None and being is not None and verb_of(first[0])[1] == "ing"


def _deed(text: str, mention: Mention) -> bool:
    """Tell whether a mention is what somebody does: "he [threw a stone]"."""
    before = before_mention(text, mention)
    subject = SUBJECT.search(before)
    first = re.match(r"(?!never|also|not|just|only)[a-z]{2,}(?!\w|-\d)", mention.text)
    if first is None or first[0] in ARTICLES | DETERMINERS or number(first[0]) is not None:
        return False
    if first[0] in ("is", "was", "are", "were"):
        return True
    _, form = verb_of(first[0], before)
    if subject is None and form == "perfect" and _WITH_OBJECT.match(mention.text):
        return True
    if subject is None:
        return bool(_MODAL.search(before)) and form == "plain"
    if form == "s" and not re.match(r"(?:he|she|who)\b(?! ha[ds])", subject[0], re.I):
        return False  # "they have [hands like spades]"
    if form == "plain" and not re.match(r"(?:I|you|we|they|who)\s$", subject[0]):  # "he [left]"
        form = "perfect" if re.search(r"\bha(?:d|s|ve)\b", subject[0]) else "past"
    sure = form in ("s", "past", "perfect") or " " in mention.text
    return sure and form not in ("passive", "ing")


def before_mention(text: str, mention: Mention) -> str:
    """Cut the text before a mention that its wording may depend on.

    Args:
        text: of the whole document; 90 characters at most come back.
        mention: in it.
    """
    return text[max(0, mention.span.start - _BEFORE) : mention.span.start]


def before_noun(text: str, mention: Mention) -> bool:
    """Tell whether a noun comes next, or after one adjective: "a [curious] and funny girl".

    Args:
        text: of the whole document; 8 characters before the mention and 40 behind it are read.
        mention: in it.
    """
    start, end = mention.span.start, mention.span.end
    context = Context(mention.entity_type, text[max(0, start - 8) : start], text[end : end + 40])
    if context.before.endswith((" a ", " an ", " the ")):
        context = replace(context, after=_AND_ADJECTIVE.sub("", context.after))
    return context.before_noun
