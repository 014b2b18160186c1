"""Clean masked phrases, reduce them to their heads, and match them against patterns.

A pattern says which true phrases follow from a phrase's form alone ("Article 5 of ...": a legal
provision), or from its form and the phrases over its parts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import islice

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

_NUMBERED = {"months": "|".join(MONTH_NAMES), "few": "|".join(CARDINALS[:12])}
FORMS = read_patterns("phrases", vocabulary("grammar")["phrases"] | _NUMBERED)
_ALONE = word_sets("grammar", "nouns")["alone"]


@dataclass(frozen=True)
class PlacedPhrase:
    """A phrase to link, with the type of its mention and its place."""

    entity_type: str
    place: Place

    @property
    def text(self) -> str:
        """Return the phrase as it stands in the text."""
        return self.place.words

    @cached_property
    def asked(self) -> str:
        """Return the phrase without quotation marks, final brackets, determiners and counts; see
        ``cleaned``."""
        return cleaned(self.text)

    @property
    def proper(self) -> bool:
        """Tell whether the phrase is of type MISC and a name: "Blade Runner", "our collie
        [Biscuit]"."""
        text = self.text
        capital = re.compile(r"\d*[^\W\d_a-z]")
        words = [word for word in text.split() if len(word) > 3 or capital.match(word)]
        one_name = re.fullmatch(r"[A-Z][a-z]+", text) and re.search(r"[a-z,] $", self.place.before)
        title = len(words) > 1 and all(map(capital.match, words))
        return self.entity_type == "MISC" and (bool(one_name) or title)


def is_title(text: str) -> bool:
    """Tell whether a text is a title or nickname, whose words say nothing: it begins with a
    quotation mark and a capital, or with "The", "A" or "An" and two words or more, the first with a
    capital ("The Long Road", but not "The Road")."""
    return bool(re.match(r"[\"“‘«„']\s*[A-ZÀ-Þ]|(?:The|A|An) [A-ZÀ-Þ]\w+ ", text))


EDGES = " \t\n.,;:!?\"'“”„«»‘’*"


def cleaned(text: str) -> str:
    """Return a phrase without quotation marks, brackets at the end, and the determiners and counts
    before it: "nurses" for "the three nurses (both)"."""
    phrase = " ".join(text.split()).strip(EDGES)
    phrase = FORMS["tail"].sub("", phrase).strip(EDGES) or phrase
    if not FORMS["provision"].match(phrase) and not FORMS["law"].search(phrase):
        phrase = FORMS["amount"].sub("", phrase, count=1)
    while (determiner := FORMS["determiner"].match(phrase)) is not None:
        phrase = phrase[determiner.end() :]
    return phrase.strip(EDGES)


def without_determiner(text: str) -> str:
    """Return a phrase without quotation marks and its first article or possessive; counts stay."""
    return FORMS["begins"].sub("", " ".join(text.split()).strip(EDGES))


def parts(text: str) -> tuple[str, ...]:
    """Split "A, B and C" into its parts, ``cleaned``, in order; a phrase that joins nothing is one
    part."""
    return tuple(part for each in FORMS["join"].split(text) if (part := cleaned(each)))


def heads(text: str) -> Iterator[tuple[str, bool]]:
    """Yield (noun phrase, whole) for shorter and shorter noun phrases that contain the head noun of
    a phrase, the longest first; ``whole`` tells whether it says as much as the phrase (only sides
    and qualities are cut off). Nothing if the phrase is no plain noun phrase: it contains a verb, a
    pronoun or a quotation."""
    if FORMS["no_head"].search(text):
        return
    phrase = text
    while (partitive := FORMS["partitive"].match(phrase)) is not None:
        phrase = cleaned(phrase[partitive.end() :])
    plain = FORMS["side"].sub("", phrase)
    if plain != text:
        yield plain, True
    if any(map(str.isdigit, phrase.rpartition(" ")[2])):
        yield phrase.rpartition(" ")[0], False
    cuts = list(FORMS["cut"].finditer(phrase))
    if cuts and cuts[0].group() in (",", ";") and " and " not in phrase:
        phrase, cuts = phrase[: cuts[0].start()], []
    elif cuts and cuts[0].group().strip() in ("and", "or", ","):
        phrase, cuts = _last_part(phrase), []
    for cut in reversed(cuts[1:]):
        yield phrase[: cut.start()], False
    nouns = (phrase[: cuts[0].start()] if cuts else phrase).split()
    for start in _beginnings(phrase, nouns, cut=bool(cuts)):
        if start or cuts or phrase != text:
            yield FORMS["side"].sub("", " ".join(nouns[start:])), False


def _beginnings(phrase: str, nouns: Sequence[str], *, cut: bool) -> range:
    """Return the indexes of the nouns with which a head may begin; empty if the phrase is no plain
    noun phrase, because it has a verb or, where a part was ``cut`` off, begins with a participle.

    Args:
        phrase: the phrase.
        nouns: its words before that part.
        cut: whether a part was cut off behind them.
    """
    if any(map(FORMS["no_noun"].fullmatch, nouns)):
        return range(0)
    verbal = nouns and len(phrase.split()) > 1 and FORMS["verbal"].fullmatch(nouns[0])
    if verbal and (cut or nouns[0][-1] == "g"):
        return range(0)
    return range(len(nouns) - (bool(nouns) and lemma(nouns[-1].lower()) in _ALONE))


def _last_part(phrase: str) -> str:
    """Return the last part of a phrase, which follows the last comma or "and": a "pay and accounts
    clerk" is an "accounts clerk". "" if that is no plain noun phrase."""
    last = re.split(r"\sand\s|,\s", phrase)[-1]
    broken = any(map(FORMS["no_noun"].fullmatch, phrase.split())) or " or " in phrase
    return "" if broken or FORMS["cut"].search(last) else last


def concept(text: str) -> str:
    """Return a text as a part of a concept id, in lower case with hyphens, of at most 60
    characters."""
    return slug(text)[:60]


def is_date(text: str) -> bool:
    """Tell whether a text, of at most four words, is a year, a bare number or an ordinal in figures
    ("3rd"), or has a day and a month in it ("3 May 1996", "June 3", but not "May 3"); none of these
    is a term. Ordinals in words ("the fifth") do not count."""
    return len(text.split()) <= 4 and bool(
        FORMS["ordinal"].fullmatch(text) or FORMS["date"].search(text)
    )


# Returns the phrases over a part of a phrase, most specific first; () if the part is not known.
Look = Callable[[str], tuple[str, ...]]


def link_over(
    asked: str, phrases: Iterable[str], kind: str, own: str, named: str = ""
) -> Link | None:
    """Return an entry of the knowledge base (id, kind, true phrases) for a phrase, with the phrases
    that its form says are true of it; None if there are none.

    Args:
        asked: the phrase, ``cleaned``.
        phrases: what is true of it, most specific first.
        kind: of the entry.
        own: the part of its concept id that names the pattern.
        named: the text from which the last part of that id is made; "" for the phrase.
    """
    rungs = tuple(Rung(each, f"term/{concept(each)}") for each in phrases)
    name = f"term/{own}/{concept(named or asked)}"
    return Link(name, asked, kind, Rule.COMPOSITE, rungs=rungs) if rungs else None


# patterns, and what is true of a phrase in which the first of them is found
_Rows = tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]


@cache
def _rows(table: str) -> _Rows:
    return tuple((re.compile(left), tuple(right.split("; "))) for left, right in read_table(table))


@cache
def _kinds(entity_type: str) -> _Rows:
    """Return the rows of ``data/kinds.txt`` that are marked with an entity type, in file order:
    (pattern, the phrases that are true where it is found)."""
    marks = ((FORMS["types"].match(row[0].pattern), row) for row in _rows("kinds"))
    return tuple(row for types, row in marks if types and entity_type in types[1].split())


def _first_phrases(rows: _Rows, *texts: str) -> tuple[str, ...]:
    """Return the phrases of the first row whose pattern is found in one of the texts, most specific
    first; () if none is.

    Args:
        rows: (pattern, phrases).
        texts: they are searched in this order for each row.
    """
    return next((said for pattern, said in rows if any(map(pattern.search, texts))), ())


def match(phrase: PlacedPhrase, look: Look) -> Link | None:
    """Return an entry of the knowledge base for a phrase by the first pattern that it has, with the
    phrases that follow from it, most specific first; None if it has none.

    Args:
        phrase: as it stands.
        look: finds the more general phrases for a part; () for "" and for what is unknown.
    """
    return next(filter(None, (pattern(phrase, look) for pattern in _PATTERNS)), None)


def _law(phrase: PlacedPhrase, look: Look) -> Link | None:
    """Return an entry for the name of a law ("Road Traffic Act 1988") with the phrases that are
    true of it, the last "a legal text"; None for other phrases, and for entity types but MISC and
    ""."""
    if phrase.entity_type not in ("MISC", "") or not FORMS["law"].search(phrase.asked):
        return None
    said = (*_first_phrases(_rows("laws"), phrase.asked.lower()), "a written law", "a legal text")
    return link_over(phrase.asked, said, "law", "law")


def _profession(phrase: PlacedPhrase, look: Look) -> Link | None:
    """Return an entry for somebody's former or present profession ("ex-nurse", "retired crane
    driver") with the phrases that are true of it ("a former health worker"). None if there are
    none, or for "ex-" if the last of them is no person's."""
    asked, former = phrase.asked, FORMS["former"].match(phrase.asked)
    over = look(former["who"]) if former else ()
    somebody = re.search(r"\b(?:person|people)\b", "".join(over[-1:]))
    if asked.lower().startswith("ex") and not somebody:
        over = ()  # "ex-Rooster"
    if FORMS["past"].match(asked):  # "retired crane driver"
        roles = [one for one in over if re.match("an? ", one) and not one.startswith("a person")]
        over = tuple(with_indefinite(f"former {without_article(each)}") for each in roles) or over
    return link_over(asked, over, "occupation", "by-profession")


@dataclass(frozen=True, slots=True)
class _Said:
    """One reading of what is said of somebody: a deed, "has [lost] [his job]"; or, without a verb,
    what somebody is, "[allergic to nuts]"."""

    rest: str  # what follows the verb
    verb: str = ""  # in the dictionary form
    form: str = "plain"  # the one that it has, see ``verb_of``
    has: str = ""  # "has " or "had " before a perfect, else ""

    @classmethod
    def read(cls, phrase: PlacedPhrase) -> Iterator[_Said]:
        """Yield the readings of a phrase: as what somebody is, unless a noun follows; and as a deed
        ("lost his job"), if one can stand at its place."""
        words = phrase.text.strip(EDGES)
        words = FORMS["adverb"].sub("", words[:1].lower() + words[1:], count=1)
        first, _, rest = words.partition(" ")
        second, _, behind = rest.partition(" ")
        deed = cls(behind, *verb_of(second, f"{first} "), has=f"{first} ")
        if deed.form != "perfect":
            deed = cls(rest, *verb_of(first, phrase.place.before))
        if not phrase.place.noun_follows:
            yield cls(words)
        if deed._fits(phrase):
            yield deed

    def _fits(self, phrase: PlacedPhrase) -> bool:
        """Tell whether the reading as a deed fits where a phrase stands. It does not if the phrase
        is a name, a noun ("her [runs]"), or something done to somebody."""
        place, before = phrase.place, phrase.place.before
        if self._is_name(phrase) or place.articled or before.endswith(" as "):
            return False
        fits = {
            "passive": False,
            "plain": place.asks_plain_verb or before.endswith("and "),
            "past": bool(FORMS["before_past"].search(before)),
        }
        return fits.get(self.form, True) and bool(self.rest or not place.object_follows)

    def over(self, look: Look, kind: str) -> list[str]:
        """Return the more general phrases for the object of the verb, most specific first; [] if it
        is unknown, or none of them is of a kind.

        Args:
            look: finds the more general phrases for a part of a phrase.
            kind: a word that one of them must contain ("sport"); "" for any.
        """
        over = look(cleaned(FORMS["object"].sub("", self.rest)))
        known = kind in " ".join(over)
        return [one for one in over if known and not re.match("(?:a )?part|.*circumstance", one)]

    def _is_name(self, phrase: PlacedPhrase) -> bool:
        """Tell whether a capital makes a phrase a name. It does not at the start of a sentence that
        opens with a verb ("Lost his job"), nor, in what is said of people, before a verb in
        "-s"."""
        person = phrase.entity_type == "DEM"
        first = re.match(r"\w+(?: [a-z]|$)" if person else r"\w+ [a-z]", phrase.text)
        opens = first and phrase.place.opens_sentence and self.form in ("s", "past")
        return phrase.text[:1].isupper() and not (opens or (person and self.form == "s"))


@dataclass(frozen=True, slots=True)
class _Predicate:
    """A row of ``data/predicates.txt``: what is true of somebody of whom something is said."""

    verbs: frozenset[str]  # "" for no verb
    rest: re.Pattern[str]  # matches what follows the verb
    true: Sequence[str]  # the most specific first

    def worded(self, said: _Said, look: Look) -> Iterator[str]:
        """Yield what is true of somebody, in the form of the verb, most specific first. "{}" in a
        row stands for each more general phrase for the object of the verb, "{sport}" likewise, but
        only if one of them is a sport.

        Args:
            said: a deed with one of the verbs.
            look: finds the more general phrases for a part of a phrase.
        """
        for each in self.true:
            blank = re.search(r"\{(\w*)\}", each)
            for one in said.over(look, blank[1]) if blank else ("",):
                yield said.has + conjugated(re.sub(r"\{\w*\}", one, each), said.form)


@cache
def _predicates() -> tuple[_Predicate, ...]:
    """Return the rows of ``data/predicates.txt``, in file order: verbs, a pattern of what follows
    them, and the phrases that are true of whom they are said of."""
    return tuple(
        _Predicate(frozenset(verbs.split() or [""]), re.compile(rest or ".*"), true.split("; "))
        for left, true in read_table("predicates")
        for verbs, _, rest in (left.partition("| "),)
    )


def predicate(phrase: PlacedPhrase, look: Look) -> Link | None:
    """Return an entry for what somebody does or is ("lost his job", "allergic to nuts") with up to
    three vaguer phrases in the form of its verb ("was out of work"); None where no row of the table
    fits, and for entity types but MISC and DEM.

    Args:
        phrase: from its verb or adjective on; the text before decides the form of the verb.
        look: finds the more general phrases for an object of the verb.
    """
    if phrase.entity_type not in ("MISC", "DEM"):
        return None
    readings = tuple(_Said.read(phrase))
    made = (
        islice(row.worded(said, look), 3)
        for row in _predicates()
        for said in readings
        if said.verb in row.verbs and row.rest.fullmatch(said.rest)
    )
    links = (link_over(phrase.asked, each, "activity", "predicate", phrase.text) for each in made)
    return next(filter(None, links), None)


def _worded(phrase: PlacedPhrase, look: Look) -> Link | None:
    """Return an entry for a phrase with what its words alone say of it, by ``data/kinds.txt``; None
    if no row fits."""
    said = _first_phrases(_kinds(phrase.entity_type), phrase.asked, phrase.text)
    own = concept(without_article("".join(said[-1:])))
    return link_over(phrase.asked, said, "phrase", own)


def _national(phrase: PlacedPhrase, look: Look) -> Link | None:
    """Return an entry for a nationality with its noun ("a Georgian national", "Finnish nationals")
    with the vaguer ones ("an Asian national", last "a national of a certain country"); None for
    other phrases."""
    who, _, noun = phrase.asked.rpartition(" ")
    if noun.lower().removesuffix("s") not in ("national", "citizen", "subject"):
        return None
    over = [each for each in look(who) if each[:1].isupper() and each != who]
    singular = [with_indefinite(f"{each} {noun.lower().removesuffix('s')}") for each in over]
    singular += ["a national of a certain country"] if over else []
    phrases = map(plural_phrase, singular) if noun.endswith("s") else singular
    return link_over(phrase.asked, phrases, "nationality", "national", who)


_PATTERNS = (_national, _worded, _law, _profession, predicate)


def named_by_itself(phrase: PlacedPhrase) -> str:
    """Return the common noun that a name's own words say it is ("award" for "X Award"); "" if they
    say none.

    Args:
        phrase: the name; the answer is "" for all types but MISC.
    """
    own = _rows("own_words") if phrase.entity_type == "MISC" else ()
    return "".join(_first_phrases(own, phrase.text)[:1])
