"""Clean masked phrases, cut them to their heads, and match them against patterns.

A pattern says which true phrases follow from a phrase's form alone ("Article 5 of ...": a legal
provision), or from its form and what is over its parts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from intact.english.grammar import (
    conjugated,
    plural_phrase,
    verb_of,
    with_indefinite,
    without_article,
)
from intact.english.numbers import CARDINALS
from intact.english.reading import Place
from intact.english.time import MONTH_NAMES
from intact.english.vocabulary import read_patterns, vocabulary, word_sets
from intact.english.words import lemma, slug
from intact.knowledge import Link, Rule, Rung
from intact.knowledge.ladders import read_table

_WORDS: dict[str, str] = vocabulary("grammar")["phrases"]
_PIECES = {name.replace("_", ""): words for name, words in _WORDS.items()}
_PIECES |= {"months": "|".join(MONTH_NAMES), "few": "|".join(CARDINALS[:12])}
_FORMS = read_patterns("phrases", _PIECES)
_ALONE = word_sets("grammar", "nouns")["alone"]
LAW, PROVISION = _FORMS["law"], _FORMS["provision"]


@dataclass(frozen=True, slots=True)
class Context:
    """A phrase to link: the type of its mention, and its place."""

    entity_type: str
    place: Place

    @property
    def proper(self) -> bool:
        """Tell whether the phrase is a name: "Blade Runner", "our collie [Biscuit]"."""
        text = self.place.words
        capital = re.compile(r"\d*[^\W\d_a-z]")
        words = [word for word in text.split() if len(word) > 3 or capital.match(word)]
        one_name = re.fullmatch(r"[A-Z][a-z]+", text) and re.search(r"[a-z,] $", self.place.before)
        title = len(words) > 1 and all(map(capital.match, words))
        return self.entity_type == "MISC" and (bool(one_name) or title)


def is_title(text: str) -> bool:
    """Recognise a title or nickname ("The Long Road"), whose words tell nothing."""
    return bool(re.match(r"[\"“‘«„']\s*[A-ZÀ-Þ]|(?:The|A|An) [A-ZÀ-Þ]\w+ ", text))


EDGES = " \t\n.,;:!?\"'“”„«»‘’*"


def cleaned(text: str) -> str:
    """Strip a phrase of quotes, brackets at its end, determiners and counts."""
    phrase = " ".join(text.split()).strip(EDGES)
    if phrase.startswith(("(", "[")) and phrase.endswith((")", "]")):
        phrase = phrase[1:-1].strip(EDGES)
    phrase = _FORMS["tail"].sub("", phrase).strip(EDGES) or phrase
    if not PROVISION.match(phrase) and not LAW.search(phrase):
        phrase = _FORMS["amount"].sub("", phrase, count=1)
    while (determiner := _FORMS["determiner"].match(phrase)) is not None:
        phrase = phrase[determiner.end() :]
    return phrase.strip(EDGES)


def without_determiner(text: str) -> str:
    """Strip a phrase of quotes and its first article or possessive; counts stay."""
    return _FORMS["begins"].sub("", " ".join(text.split()).strip(EDGES))


def is_plural(text: str) -> bool:
    """Tell whether the head of a phrase looks like a plural."""
    head = next(heads(text), (text, True))[0].rpartition(" ")[2].lower()
    return head.endswith("s") and not head.endswith(("ss", "us", "is"))


def parts(text: str) -> tuple[str, ...]:
    """Split "A, B and C" into its parts, cleaned; only one if nothing joins."""
    return tuple(part for each in _FORMS["join"].split(text) if (part := cleaned(each)))


def heads(text: str) -> Iterator[tuple[str, bool]]:
    """Yield ever shorter noun phrases that hold the head noun of a phrase, the longest first,
    and whether each says as much as the whole (only sides and qualities are cut). What is no
    plain noun phrase (it holds a verb, a pronoun or a quotation) gives none."""
    if _FORMS["no_head"].search(text):
        return
    phrase = text
    while (partitive := _FORMS["partitive"].match(phrase)) is not None:
        phrase = cleaned(phrase[partitive.end() :])
    plain = _FORMS["side"].sub("", phrase)
    if plain != text:
        yield plain, True
    if any(map(str.isdigit, phrase.rpartition(" ")[2])):
        yield phrase.rpartition(" ")[0], False
    cuts = list(_FORMS["cut"].finditer(phrase))
    if cuts and cuts[0].group() in (",", ";") and " and " not in phrase:
        phrase, cuts = phrase[: cuts[0].start()], []
    elif cuts and cuts[0].group().strip() in ("and", "or", ","):
        phrase, cuts = _last_part(phrase), []
    for cut in reversed(cuts[1:]):
        yield phrase[: cut.start()], False
    nouns = (phrase[: cuts[0].start()] if cuts else phrase).split()
    for start in _beginnings(phrase, nouns, cut=bool(cuts)):
        if start or cuts or phrase != text:
            yield _FORMS["side"].sub("", " ".join(nouns[start:])), False


def _beginnings(phrase: str, nouns: Sequence[str], *, cut: bool) -> range:
    """Number the nouns with which a head may begin; none in what is no plain noun phrase, by its
    first verb or, where a part was ``cut``, participle."""
    if any(map(_FORMS["no_noun"].fullmatch, nouns)):
        return range(0)
    verbal = nouns and len(phrase.split()) > 1 and _FORMS["verbal"].fullmatch(nouns[0])
    if verbal and (cut or nouns[0][-1] == "g"):
        return range(0)
    return range(len(nouns) - (bool(nouns) and lemma(nouns[-1].lower()) in _ALONE))


def _last_part(phrase: str) -> str:
    """Cut a phrase to its last part, what follows the last "and": a "pay and accounts clerk" is
    a clerk; "" where that is no plain noun phrase."""
    last = re.split(r"\sand\s|,\s", phrase)[-1]
    broken = any(map(_FORMS["no_noun"].fullmatch, phrase.split())) or " or " in phrase
    return "" if broken or _FORMS["cut"].search(last) else last


def concept(text: str) -> str:
    """Shorten a text to a part of a concept id."""
    return slug(text)[:60]


def is_date(text: str) -> bool:
    """Recognise a date, a year, a bare number or ordinal, which are no terms."""
    return len(text.split()) <= 4 and bool(
        _FORMS["ordinal"].fullmatch(text) or _FORMS["date"].search(text)
    )


Look = Callable[[str], tuple[str, ...]]
"""A part of a phrase -> the phrases over it, most specific first; empty if it is not known."""


def link_over(
    asked: str, phrases: Iterable[str], kind: str, own: str, named: str = ""
) -> Link | None:
    """Link a phrase to what its form says of it; None where that is nothing.

    Args:
        asked: the phrase, ``cleaned``.
        phrases: over it, most specific first.
        kind: of the link.
        own: the part of its concept id that names the pattern.
        named: what the last part of that id is made of; "" is the phrase.
    """
    rungs = tuple(Rung(each, f"term/{concept(each)}") for each in phrases)
    name = f"term/{own}/{concept(named or asked)}"
    return Link(name, asked, kind, Rule.COMPOSITE, rungs=rungs) if rungs else None


@cache
def _rows(table: str) -> tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]:
    return tuple((re.compile(left), tuple(right.split("; "))) for left, right in read_table(table))


@cache
def _kinds() -> tuple[tuple[frozenset[str], re.Pattern[str], tuple[str, ...]], ...]:
    """Read the rows of ``data/kinds.txt``: marks, pattern, phrases."""
    return tuple(
        (frozenset(marks[1].split()), pattern, phrases)
        for pattern, phrases in _rows("kinds")
        if (marks := _FORMS["types"].match(pattern.pattern))
    )


def _first_phrases(table: str, text: str) -> tuple[str, ...]:
    """Look up what the first pattern of ``data/<table>.txt`` that is found in a text says of it."""
    return next((said for pattern, said in _rows(table) if pattern.search(text)), ())


def match(text: str, asked: str, context: Context, look: Look) -> Link | None:
    """Find the first pattern that a phrase has, with the phrases that follow from it; or None.

    Args:
        text: the phrase as it stands.
        asked: the same, ``cleaned``.
        context: the place of the phrase.
        look: finds the phrases over a part; "" and what is unknown have none.
    """
    matches = (pattern(text.strip(), asked, context, look) for pattern in _PATTERNS)
    return next(filter(None, matches), None)


def _law(text: str, asked: str, context: Context, look: Look) -> Link | None:
    if context.entity_type not in ("MISC", "") or not LAW.search(asked):
        return None
    said = (*_first_phrases("laws", asked.lower()), "a written law", "a legal text")
    return link_over(asked, said, "law", "law")


def _profession(text: str, asked: str, context: Context, look: Look) -> Link | None:
    profession = _FORMS["former"].match(asked)
    if profession and re.search(r"['’]s? ", profession["who"]):
        return None  # "ex-husband's cousin"
    over = look(profession["who"]) if profession else ()
    somebody = re.search(r"\b(?:person|people)\b", "".join(over[-1:]))
    if asked.lower().startswith("ex") and not somebody:
        over = ()  # "ex-Rooster"
    if _FORMS["past"].match(asked):  # "retired crane driver"
        roles = [one for one in over if re.match("an? ", one) and not one.startswith("a person")]
        former = (with_indefinite(f"former {without_article(each)}") for each in roles)
        over = tuple(former) or over
    return link_over(asked, over, "occupation", "by-profession")


@cache
def _predicates() -> tuple[tuple[frozenset[str], re.Pattern[str], tuple[str, ...]], ...]:
    """Read the verbs, a pattern of what follows them, and what is true of it."""
    return tuple(
        (frozenset(verbs.split()), re.compile(rest or ".*"), tuple(said.split("; ")))
        for left, said in read_table("predicates")
        for verbs, _, rest in (left.partition("| "),)
    )


def predicate(text: str, asked: str, context: Context, look: Look) -> Link | None:
    """Widen what somebody does or is, in the verb's own form: "lost his job", "allergic to nuts";
    None where no row of the table fits.

    Args:
        text: the phrase as it stands, from its verb or adjective on.
        asked: the same, ``cleaned``.
        context: its ``before`` decides the form of the verb.
        look: finds the phrases over an object of the verb.
    """
    if context.entity_type not in ("MISC", "DEM"):
        return None
    low = text.strip(EDGES)
    low = low[:1].lower() + low[1:]
    whole = low
    place = context.place
    low, before, has = _FORMS["adverb"].sub("", low, count=1), place.before, ""
    done = re.match(r"(?P<has>ha(?:s|ve|d) )(?P<verb>\S+)", low)
    if done and verb_of(done["verb"], "has ")[1] == "perfect":
        low, before, has = low[done.end("has") :], done["has"], done["has"]
    first, _, rest = low.partition(" ")
    verb, form = verb_of(first, before)
    named = text[:1].isupper() and (form != "s" or context.entity_type == "MISC")
    if named and form in ("s", "past") and (" " in text or context.entity_type == "DEM"):
        named = not (re.match(r"\w+(?: [a-z]|$)", text) and place.opens_sentence)
    acts = not named and form != "passive" and not (place.articled or before.endswith(" as "))
    plain = form == "plain"
    acts = acts and (not plain or place.asks_plain_verb or before.endswith("and "))
    acts = acts and (form != "past" or _FORMS["before_past"].search(before) is not None)
    acts = acts and bool(rest or not place.object_follows)  # "[left] him with a knee"
    for verbs, pattern, said in _predicates():
        if place.noun_follows if not verbs else not (acts and verb in verbs):
            continue
        if not pattern.fullmatch(rest if verbs else low):
            continue
        over = look(cleaned(_FORMS["object"].sub("", rest))) if "{" in said[0] else ("",)
        asked_for = re.search(r"\{(\w+)\}", said[0])  # "{sport}": only where that is over it
        if asked_for and asked_for[1] not in " ".join(over):
            continue
        worded = [
            re.sub(r"\{\w*\}", one, each)
            for each in said
            for one in (over if "{" in each else ("",))
            if not one.startswith(("part", "a part")) and "circumstance" not in one
        ]
        if worded:
            made = (has + conjugated(each, form) if verbs else each for each in worded[:3])
            return link_over(asked, made, "activity", "predicate", whole)
    return None


def _worded(text: str, asked: str, context: Context, look: Look) -> Link | None:
    """Widen a phrase by its words alone, as ``data/kinds.txt`` has it."""
    for marks, pattern, phrases in _kinds():
        if context.entity_type in marks and (pattern.search(asked) or pattern.search(text)):
            return link_over(asked, phrases, "phrase", concept(without_article(phrases[-1])))
    return None


def _national(text: str, asked: str, context: Context, look: Look) -> Link | None:
    """Widen whose national somebody is: "a Georgian national", "Finnish nationals"."""
    who, _, noun = asked.rpartition(" ")
    if noun.lower().removesuffix("s") not in ("national", "citizen", "subject"):
        return None
    over = [each for each in look(who) if each[:1].isupper() and each != who]
    singular = [with_indefinite(f"{each} {noun.lower().removesuffix('s')}") for each in over]
    singular += ["a national of a certain country"] if over else []
    phrases = map(plural_phrase, singular) if noun.endswith("s") else singular
    return link_over(asked, phrases, "nationality", "national", who)


_PATTERNS = (_national, _worded, _law, _profession, predicate)


_NAMED_WITHIN = rf"(?:the|an?|his|her|their)\s+(?:\w+\s+)?({_WORDS['called']})\s+[A-Z“\"‘]"


def named_by_context(text: str, context: Context) -> str:
    """Find the common noun that the words beside a name say it is ("the novel X"); or "".

    Args:
        text: the name.
        context: up to 240 characters before the name and 40 behind it.
    """
    if context.entity_type not in ("MISC", "ORG"):
        return ""
    if within := re.match(_NAMED_WITHIN, text):
        return within[1].lower()
    if not text[:1].isupper() and not text.startswith(("“", '"', "‘", "'")):
        return ""
    noun = _FORMS["named"].search(context.place.before)
    year = re.match(r"[”\"’']?\s*\((?:[a-z ]+)?(?:1[89]|20)\d\d\)", context.place.after)
    if noun is None and context.entity_type == "MISC" and year:
        return "work"
    return noun["noun"].lower() if noun else ""


def named_by_itself(text: str, context: Context) -> str:
    """Find the common noun that a name's own words say it is ("X Award"); or "".

    Args:
        text: the name.
        context: only names of type MISC are asked.
    """
    if context.entity_type != "MISC":
        return ""
    return next(iter(_first_phrases("own_words", text)), "")
