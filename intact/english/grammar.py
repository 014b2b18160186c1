"""Plural, singular and indefinite article of English nouns and noun phrases, and verb forms.

A table (``data/inflection.toml``) holds the exceptions, and rules of spelling do the rest. The
library ``inflect`` takes 1.5 s to import, and alone it makes "annalss"; the tests compare with it
instead.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from intact.english.vocabulary import either, filled, read_patterns, vocabulary, word_sets
from intact.english.words import lemma

_CACHE = 1 << 14
_TABLE = vocabulary("inflection")


def _pairs(text: str) -> dict[str, str]:
    words = text.replace(",", " ").split()
    return dict(zip(words[::2], words[1::2], strict=True))


_ENDINGS = _pairs(_TABLE["irregular"])
_WHOLE = _ENDINGS | _pairs(_TABLE["whole_words"])
_MANY_ENDS = tuple(_ENDINGS.values())
_MANY_TO_ONE = {many: one for one, many in _WHOLE.items()} | {"persons": "person"}
_NO_MAN = tuple(_TABLE["no_man"].split())
_NO_MEN = frozenset(_TABLE["no_men"].split())
_HARD_CH = tuple(_TABLE["hard_ch"].split())
_UNCHANGED = frozenset(_TABLE["unchanged"].split())
_UNCHANGED_ENDS = ("itis", "pox", "fish", "ois")
_ONE_IN_E = frozenset(_TABLE["one_in_ie"].split()) | frozenset(_TABLE["one_in_che"].split())
_ONE_IN_S = frozenset(_TABLE["one_in_s"].split()) | frozenset(_TABLE["one_in_us"].split())
_LISTS = "after_head participles an_before a_before passive perfect".split()
_FORMS = read_patterns(
    "inflection", {name.replace("_", ""): "|".join(_TABLE[name].split()) for name in _LISTS}
)
_ARTICLES = {"a": "a", "an": "a", "the": "the"}
_SPELLED_VOWELS = frozenset("AEFHILMNORSX")


def starts_with_vowel(text: str) -> bool:
    """Tell whether a text takes "an", as it is read aloud: "an NHS hospital", "an 18-year-old"."""
    first = _FORMS["word"].search(text)
    if first is None:
        return False
    word = first.group()
    if word[0].isdigit():
        digits = re.split(r"[.,]|\D", word)[0]
        eleven = digits[:2] in ("11", "18") and len(digits) in (2, 5)
        return digits.startswith("8") or eleven
    letters = re.sub(r"[\d.]", "", word)
    # labels ("PERSON_1") and what can be spoken ("NATO") are read as words
    spelled = len(letters) < 4 or not re.search("[AEIOU]", letters[1:])
    if spelled and letters.isupper() and "_" not in word:
        return word[0] in _SPELLED_VOWELS
    low = word.lower()
    return bool(_FORMS["an"].match(low)) or (low[0] in "aeiou" and not _FORMS["a"].match(low))


def indefinite(noun: str) -> str:
    """Return "a" or "an", as the following noun needs it."""
    return "an" if starts_with_vowel(noun) else "a"


def with_indefinite(noun: str) -> str:
    """Put the indefinite article before a noun."""
    return f"{indefinite(noun)} {noun}"


def without_article(phrase: str) -> str:
    """Remove a leading "a", "an", "the" or "some" from a phrase."""
    return _FORMS["article"].sub("", phrase)


def head_end(phrase: str) -> int:
    """Return the offset where the head of a noun phrase ends: at its first preposition or relative
    word."""
    modifier = _FORMS["after_head"].search(phrase)
    return modifier.start() if modifier else len(phrase)


def head_noun(phrase: str) -> str:
    """Return the last word of a noun phrase's head: "district" for "a big district in Turkey"."""
    return phrase[: head_end(phrase)].rsplit(" ", 1)[-1]


def is_plural_noun(word: str) -> bool:
    """Tell whether a lower-case word looks like a plural noun."""
    if word in _MANY_TO_ONE:
        return True
    if len(word) < 4 or word in _UNCHANGED or word in _ONE_IN_S or word in _WHOLE:
        return False
    if word.endswith(_MANY_ENDS) and word not in _NO_MEN:
        return True
    about = _FORMS["about"].fullmatch(word)
    if about is not None:
        return is_plural_noun(about[1])
    return word.endswith("s") and not word.endswith(("ss", "us", "is", "’s", "'s"))


def plural(phrase: str) -> str:
    """Put the head of a noun phrase, which has no article, into the plural: "members of the armed
    forces"."""
    end = head_end(phrase)
    head, rest = phrase[:end], phrase[end:]
    first, _, last = head.rpartition(" ")
    many = plural_noun(last)
    return (f"{first} {many}" if first else many) + rest


def plural_phrase(phrase: str) -> str:
    """Put a phrase with "a" or "an" into the plural, without the article; return any other
    unchanged."""
    read = NounPhrase.of(phrase)
    return plural(read.rest) if read.article == "a" else phrase


@lru_cache(_CACHE)
def plural_noun(noun: str) -> str:
    """Put one noun into the plural; return a plural unchanged."""
    low = noun.lower()
    if low in _UNCHANGED or is_plural_noun(low) or low.endswith(_UNCHANGED_ENDS):
        return noun
    if low in _WHOLE:
        return noun[0] + _WHOLE[low][1:]
    about = _FORMS["about"].fullmatch(noun)
    if about is not None:
        return plural_noun(about[1]) + about[2]
    for one, many in _ENDINGS.items():
        if low.endswith(one) and not low.endswith(_NO_MAN):
            return noun[: len(noun) - len(one)] + many
    if low.endswith(("osis", "asis", "esis", "ysis", "isis", "psis")):
        return noun[:-2] + "es"
    if noun[0].isupper() and low.endswith("ese"):
        return noun
    if re.search(r"(?:s|x|z|ch|sh)$", low) and not low.endswith(_HARD_CH):
        return noun + "es"
    if re.search(r"[^aeiou]y$|quy$", low) and not noun[0].isupper():
        return noun[:-1] + "ies"
    return noun + "s"


def singular(noun: str) -> str:
    """Put one lower-case noun into the singular; return what is no plural unchanged."""
    return next(iter(_ones(noun)), noun)


def singulars(name: str) -> tuple[str, ...]:
    """List what a lower-case name could be the plural of ("dairy worker"), the likeliest first; ()
    if it is no plural."""
    head, _, last = name.rpartition(" ")
    return tuple(f"{head} {one}" if head else one for one in _ones(last))


@lru_cache(_CACHE)
def _ones(many: str) -> tuple[str, ...]:
    """List all nouns that have this plural, the likeliest first."""
    if many in _MANY_TO_ONE:
        return (_MANY_TO_ONE[many],)
    about = _FORMS["about"].fullmatch(many)
    if about is not None:
        return tuple(one + about[2] for one in _ones(about[1]))
    candidates = [
        many[: len(many) - len(several)] + one
        for one, several in _ENDINGS.items()
        if many.endswith(several) and many not in _NO_MEN
    ]
    if is_plural_noun(many):
        if many.endswith("ies") and many[:-1] not in _ONE_IN_E and len(many) > 4:
            candidates.append(many[:-3] + "y")
        hissing = many.endswith(("ches", "shes", "sses", "xes", "zzes"))
        double = (hissing and many[:-1] not in _ONE_IN_E) or many[:-2] in _ONE_IN_S
        candidates += [many[:-2], many[:-1]] if double else [many[:-1], many[:-2]]
        candidates.append(many[:-2] + "is")
    return tuple(one for one in dict.fromkeys(candidates) if plural_noun(one) == many != one)


def possessive(text: str, mark: str = "’") -> str:
    """Put a phrase into the genitive: "several years’", "a court in Turkey’s".

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
    """Reduce a verb to its dictionary form, and name the form it had: "plain", "s" (works), "ing",
    "past", "perfect" (after "has") or "passive" (after "was").

    Args:
        word: a verb in lower case.
        before: the text before it, up to and with the blank, which distinguishes "[put] it" from
            "has [put] it"; "" if there is none.
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


_DOUBLED = frozenset(_TABLE["doubled"].split())  # verbs whose last letter doubles: "stopped"


def conjugated(phrase: str, form: str) -> str:
    """Put a phrase that begins with a verb into a form: "have a habit" becomes "has a habit".

    Args:
        phrase: its verb in the dictionary form.
        form: one that ``verb_of`` names, except "passive".
    """
    verb, space, rest = phrase.partition(" ")
    past, participle, third = (*_VERBS.get(verb, ()), "", "", "")[:3]
    mute = verb.endswith("e") and len(verb) > 2 and verb[-2] not in "eoy"  # not of "be", "see"
    stem = verb[:-1] if mute else verb
    if verb in _DOUBLED:
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
STATES = _CLASSES["states"]
HAVING: dict[str, str] = vocabulary("grammar")["having"]
"""Forms of "be" -> the forms of "have" that replace them before something that somebody has."""
_DETERMINED = rf"(?:the|an?|{either(DETERMINERS)})\s(?!age\s)|(?-i:[A-Z])"
LOCATED = rf"(?:{either(_CLASSES['locating'])})\s(?={_DETERMINED})"
"""A pattern of words that say where something is: "[behind] the house"."""
OWNER = rf"(?!(?:{either(_CLASSES['contracted'])})['’])[\w-]*(?:['’]s|\b['’])(?!\S)"
"""A pattern of the genitive, as in "Ann's", but not of contractions such as "it's"."""


@dataclass(frozen=True)
class NounPhrase:
    """A phrase as it would stand in mid-sentence. It is read once, and what it shows is kept."""

    article: str  # "a" (also for "an"), "the" or ""
    rest: str  # the phrase without it

    @classmethod
    @lru_cache(_CACHE)
    def of(cls, text: str, *, label: bool = False) -> NounPhrase:
        """Read a phrase.

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
        """The phrase with its article."""
        article = indefinite(self.rest) if self.article == "a" else self.article
        return f"{article} {self.rest}" if article else self.rest

    @cached_property
    def first(self) -> str:
        """The first word after the article, in lower case."""
        return self.rest.partition(" ")[0].lower()

    @cached_property
    def opening(self) -> str:
        """The first word, which may be the article, in lower case."""
        return self.text.partition(" ")[0].lower()

    @cached_property
    def end(self) -> int:
        """The offset in ``rest`` where its head noun ends."""
        return head_end(self.rest)

    @cached_property
    def head(self) -> str:
        """Its head noun, in lower case."""
        return (self.rest[: self.end].split() or [""])[-1].lower()

    @property
    def tail(self) -> str:
        """All that follows its head noun: " in Turkey"."""
        return self.rest[self.end :]

    @cached_property
    def is_plural(self) -> bool:
        """Tell whether its head noun looks like a plural."""
        return is_plural_noun(self.head)

    @cached_property
    def plural(self) -> str:
        """The phrase in the plural, without its article."""
        return plural(self.rest)

    @property
    def is_proper(self) -> bool:
        """Check whether it begins, after the article, with anything but a lower-case letter, as
        names and numbers do."""
        return not self.rest[:1].islower()

    @cached_property
    def time(self) -> str:
        """The preposition with which it stands after a verb as a time: "in" ("May 1996"), "on" ("a
        later date"), "at", "during", "between" or "from"; "free" if it takes none, "" if it is no
        such time."""
        low = self.text.lower()
        return next((kind for kind, pattern in _KINDS if pattern.match(low)), "")


_STANDING = vocabulary("grammar")["standing"]
_PIECES: dict[str, str] = _STANDING["pieces"]
_KINDS = [(kind, re.compile(filled(found, _PIECES))) for kind, found in _STANDING["kinds"]]
