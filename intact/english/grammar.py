"""Plural, singular and indefinite article of English nouns and noun phrases, and verb forms.

A table (``data/inflection.toml``) holds the exceptions, and rules of spelling do the rest. The
library ``inflect`` takes 1.5 s to import, and alone it makes "annalss"; the tests compare with it
instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from intact.english.vocabulary import either, read_patterns, read_rules, vocabulary, word_sets
from intact.english.words import lemma

_CACHE = 1 << 14
_TABLE = vocabulary("inflection")


_LISTS = {name: words.split() for name, words in _TABLE.items() if isinstance(words, str)}
_PIECES = {name.replace("_", ""): "|".join(words) for name, words in _LISTS.items()}
_FORMS = read_patterns("inflection", _PIECES)
_PLURALS, _SINGULARS = (read_rules(_TABLE[name], _PIECES) for name in ("plurals", "singulars"))
_ENDINGS: dict[str, str] = _TABLE["irregular"]
_WHOLE: dict[str, str] = _ENDINGS | _TABLE["whole_words"]
_MANY_ENDS = tuple(_ENDINGS.values())
_MANY_TO_ONE = {many: one for one, many in _WHOLE.items()} | {"persons": "person"}
_NO_MAN = tuple(_LISTS["no_man"])
_SETS = {name: frozenset(words) for name, words in _LISTS.items()}
_ARTICLES = {"a": "a", "an": "a", "the": "the"}
_SPELLED_VOWELS = frozenset("AEFHILMNORSX")


def takes_an(text: str) -> bool:
    """Tell whether a text takes "an" and not "a", as its first word is read aloud: "NHS hospital",
    "18-year-old". False for a text without a word."""
    first = _FORMS["word"].search(text)
    if first is None:
        return False
    word = first.group()
    if word[0].isdigit():
        return _FORMS["spoken_an"].match(word) is not None
    letters = re.sub(r"[\d.]", "", word)
    # labels ("PERSON_1") and what can be spoken ("NATO") are read as words
    spelled = len(letters) < 4 or not re.search("[AEIOU]", letters[1:])
    if spelled and letters.isupper() and "_" not in word:
        return word[0] in _SPELLED_VOWELS
    low = word.lower()
    return bool(_FORMS["an"].match(low)) or (low[0] in "aeiou" and not _FORMS["a"].match(low))


def indefinite(noun: str) -> str:
    """Return the indefinite article, "a" or "an", that a noun or phrase after it needs; not the
    noun."""
    return "an" if takes_an(noun) else "a"


def with_indefinite(noun: str) -> str:
    """Return a noun or phrase with "a" or "an" before it: "an hour"."""
    return f"{indefinite(noun)} {noun}"


def without_article(phrase: str) -> str:
    """Return a phrase without a leading "a", "an", "the" or "some", in any case; unchanged if there
    is none."""
    return _FORMS["article"].sub("", phrase)


def head_end(phrase: str) -> int:
    """Return the offset in a noun phrase where its head ends, before the blank and the first
    preposition, relative word or participle: 8 for "big city in Turkey", 6 for "people working in a
    bank"; the length of the phrase if there is none."""
    modifier = _FORMS["after_head"].search(phrase)
    return modifier.start() if modifier else len(phrase)


def head_noun(phrase: str) -> str:
    """Return the last word before the first preposition, relative word or participle of a noun
    phrase: "district" for "a big district in Turkey"."""
    return phrase[: head_end(phrase)].rsplit(" ", 1)[-1]


def is_plural_noun(word: str) -> bool:
    """Tell whether a lower-case word looks like a plural noun, by its ending and the table of
    exceptions."""
    if word in _MANY_TO_ONE:
        return True
    if len(word) < 4 or word in _SETS["unchanged"] or word in _SETS["one_in_s"] or word in _WHOLE:
        return False
    if word.endswith(_MANY_ENDS) and word not in _SETS["no_men"]:
        return True
    about = _FORMS["about"].fullmatch(word)
    if about is not None:
        return is_plural_noun(about[1])
    return word.endswith("s") and not word.endswith(("ss", "us", "is", "’s", "'s"))


def plural(phrase: str) -> str:
    """Put the head of a noun phrase, which has no article, into the plural: "member of the armed
    forces" becomes "members of the armed forces". A plural stays as it is."""
    end = head_end(phrase)
    first, blank, last = phrase[:end].rpartition(" ")
    return first + blank + plural_noun(last) + phrase[end:]


def plural_phrase(phrase: str) -> str:
    """Put a phrase with "a" or "an" into the plural, without the article ("a city in Turkey"
    becomes "cities in Turkey"); return any other phrase unchanged."""
    read = NounPhrase.of(phrase)
    return plural(read.rest) if read.article == "a" else phrase


@lru_cache(_CACHE)
def plural_noun(noun: str) -> str:
    """Put one noun into the plural, its case kept; return a plural, or a noun without one,
    unchanged."""
    low = noun.lower()
    if low in _SETS["unchanged"] or is_plural_noun(low):
        return noun
    if low in _WHOLE:
        return noun[0] + _WHOLE[low][1:]
    about = _FORMS["about"].fullmatch(noun)
    if about is not None:
        return plural_noun(about[1]) + about[2]
    for one, many in _ENDINGS.items():
        if low.endswith(one) and not low.endswith(_NO_MAN):
            return noun[: len(noun) - len(one)] + many
    return next(_rewritten(noun, _PLURALS))


def _rewritten(noun: str, rows: Iterable[tuple[re.Pattern[str], str]]) -> Iterator[str]:
    """Yield what rules of spelling make of a noun: one form for each rule whose pattern matches all
    of the noun, in the order of the rules.

    Args:
        noun: one word.
        rows: the rules, as (pattern, template of the new form).
    """
    read = ((pattern.fullmatch(noun), new) for pattern, new in rows)
    return (found.expand(new) for found, new in read if found)


def singular(noun: str) -> str:
    """Put one lower-case noun into the singular, the likeliest if there are several; return any
    word that is no plural unchanged."""
    return next(iter(_ones(noun)), noun)


def singulars(name: str) -> tuple[str, ...]:
    """List the singulars of which a lower-case name may be the plural, the likeliest first: ("dairy
    worker",) for "dairy workers"; () if it is no plural."""
    head, _, last = name.rpartition(" ")
    return tuple(f"{head} {one}" if head else one for one in _ones(last))


@lru_cache(_CACHE)
def _ones(many: str) -> tuple[str, ...]:
    """List all singular nouns whose plural a lower-case word is, the likeliest first; () if it is
    no plural."""
    if many in _MANY_TO_ONE:
        return (_MANY_TO_ONE[many],)
    about = _FORMS["about"].fullmatch(many)
    if about is not None:
        return tuple(one + about[2] for one in _ones(about[1]))
    if not is_plural_noun(many):
        return ()
    irregular = [(one, several) for one, several in _ENDINGS.items() if many.endswith(several)]
    candidates = [many.removesuffix(several) + one for one, several in irregular]
    candidates += _rewritten(many, _SINGULARS)
    return tuple(one for one in dict.fromkeys(candidates) if plural_noun(one) == many != one)


def possessive(text: str, mark: str = "’") -> str:
    """Return a phrase in the genitive, with "’s", or the mark alone after a plural or a name in s:
    "several years’", "a court in Turkey’s".

    Args:
        text: the phrase; its last word decides.
        mark: the apostrophe that the document uses.
    """
    last = text.rsplit(" ", 1)[-1]
    if last.endswith("s") and (is_plural_noun(last.lower()) or last[0].isupper()):
        return text + mark
    return f"{text}{mark}s"


_VERBS = {verb: forms.split() for verb, forms in _TABLE["verbs"].items()}
_PAST_ALIKE = _TABLE["past_alike"]


def verb_of(word: str, before: str = "") -> tuple[str, str]:
    """Return a verb's dictionary form, and the name of the form that it had: "plain", "s" (works),
    "ing", "past", "perfect" (after "has") or "passive" (after "was"). ("work", "s") for "works".
    That it is a verb is not checked: other words in -s have the form "s", too, and those that
    differ otherwise from their dictionary form are a "past" ("children").

    Args:
        word: a verb in lower case. Of those whose past is spelled alike, only cut, hit, hurt and
            quit can be a past; "put" is always plain.
        before: the text before it, up to and with the blank, which distinguishes "to [cut] it" from
            "has [cut] it"; "" if there is none.
    """
    past_alike = word in _PAST_ALIKE and not _FORMS["before_plain"].search(before)
    plain = _PAST_ALIKE[word] if past_alike else lemma(word)
    if word == plain and not past_alike:
        return plain, "plain"
    if word.endswith("ing"):
        return plain, "ing"
    if word == "has" or (word.endswith("s") and word != "was"):
        return plain, "s"
    fitting = (form for form in ("passive", "perfect") if _FORMS[form].search(before))
    return plain, next(fitting, "past")


def conjugated(phrase: str, form: str) -> str:
    """Return a phrase with the verb that it begins with in another form: "have a habit" becomes
    "has a habit".

    Args:
        phrase: its verb in the dictionary form.
        form: "plain", "s", "ing", "past" or "perfect"; see ``verb_of``.
    """
    verb, space, rest = phrase.partition(" ")
    past, participle, third = (*_VERBS.get(verb, ()), "", "", "")[:3]
    mute = verb.endswith("e") and len(verb) > 2 and verb[-2] not in "eoy"  # not of "be", "see"
    stem = verb[:-1] if mute else verb
    if verb in _SETS["doubled"]:
        stem += stem[-1]
    ending = re.sub("(?<=[^aeiou])y$", "i", stem)
    regular = f"{ending}d" if ending.endswith("e") else f"{ending}ed"
    forms = {
        "plain": verb,
        "s": third or (f"{verb}s" if verb.endswith("e") else plural_noun(verb)),
        "ing": f"{verb[:-2]}ying" if verb.endswith("ie") else f"{stem}ing",
        "past": past or regular,
        "perfect": participle or past or regular,
    }
    return forms[form] + space + rest


_CLASSES = word_sets("grammar", "classes")
DETERMINERS = _CLASSES["determiners"]
PREPOSITIONS = _CLASSES["prepositions"]
# Forms of "be" -> the forms of "have" that replace them before something that somebody has.
HAVING: dict[str, str] = vocabulary("grammar")["having"]
_DETERMINED = rf"(?:the|an?|{either(DETERMINERS)})\s(?!age\s)|(?-i:[A-Z])"
# A pattern of words that say where something is: "[behind] the house".
LOCATED = rf"(?:{either(_CLASSES['locating'])})\s(?={_DETERMINED})"
# A pattern of the genitive, as in "Ann's", but not of contractions such as "it's".
OWNER = rf"(?!(?:{either(_CLASSES['contracted'])})['’])[\w-]*(?:['’]s|\b['’])(?!\S)"


@dataclass(frozen=True)
class NounPhrase:
    """A phrase as it would stand in mid-sentence. It is read once, and what it shows is kept."""

    article: str  # "a" (also for "an"), "the" or ""
    rest: str  # the phrase without it

    @classmethod
    @lru_cache(_CACHE)
    def of(cls, text: str, *, label: bool = False) -> NounPhrase:
        """Split a phrase into its article and the rest. A phrase of one word has no article, nor
        has a label that begins with "A".

        Args:
            text: the phrase.
            label: whether it is a label ("A 3"), in which "a" is no article.
        """
        first, _, rest = text.partition(" ")
        article = _ARTICLES.get(first.lower(), "")
        if not rest or (label and article == "a"):
            article = ""
        return cls(article, rest.lstrip()) if article else cls("", text)

    @cached_property
    def text(self) -> str:
        """Return the phrase with its article, "a" or "an" as the next word needs it."""
        article = indefinite(self.rest) if self.article == "a" else self.article
        return f"{article} {self.rest}" if article else self.rest

    @cached_property
    def first(self) -> str:
        """Return the first word after the article, in lower case."""
        return self.rest.partition(" ")[0].lower()

    @cached_property
    def end(self) -> int:
        """Return the offset in ``rest`` (the phrase without its article) where the head noun
        ends."""
        return head_end(self.rest)

    @cached_property
    def head(self) -> str:
        """Return the head noun of the phrase, in lower case: "city" for "a city in Turkey"; "" if
        it has none."""
        return (self.rest[: self.end].split() or [""])[-1].lower()

    @property
    def tail(self) -> str:
        """Return all that follows the head noun, with the blank before it: " in Turkey"; "" if
        nothing does."""
        return self.rest[self.end :]

    @cached_property
    def is_plural(self) -> bool:
        """Tell whether the head noun of the phrase looks like a plural."""
        return is_plural_noun(self.head)

    @cached_property
    def plural(self) -> str:
        """Return the phrase in the plural, without its article: "cities in Turkey"."""
        return plural(self.rest)

    @cached_property
    def time(self) -> str:
        """Return the preposition with which the phrase stands after a verb as a time: "in" ("May
        1996"), "on" ("a later date"), "at", "during", "between" or "from"; "free" if it takes none,
        "" if it is no such time."""
        low = self.text.lower()
        return next((kind for pattern, kind in _KINDS if pattern.match(low)), "")


_STANDING = vocabulary("grammar")["standing"]
_KINDS = read_rules(_STANDING["kinds"], _STANDING["pieces"])
