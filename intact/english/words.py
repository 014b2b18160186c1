"""Words and how alike they are: what leak checks and matching share.

Everything here is pure. Results are cached by text, because the same phrases and guesses come
back in every round of a selection. Comparison is blind to case and diacritics.
"""

from __future__ import annotations

import re
from functools import lru_cache

from intact.english import numbers as values
from intact.english.fold import fold
from intact.english.vocabulary import word_sets
from intact.english.wordlists import (
    ARTICLES,
    FREQUENT,
    GENERIC_HEADS,
    HONORIFICS,
    STOP_WORDS,
)

_WORD = re.compile(r"[^\W_]+(?:[.’'][^\W_]+)*")
_POSSESSIVE = re.compile(r"[’']s?$")
_LEADING = re.compile(r"^[\W_]*(?:(?:the|an?)\s+)?", re.IGNORECASE)
_NUMBER = re.compile(rf"(?<![\w.,])(?:{values.DIGITS}|{values.WORDS})(?!\w)")
_NEGATION = re.compile(r"[a-z]+n['’]t|cannot")
_LEARNED = word_sets("clues", "learned")["words"]
_ORDINARY = re.compile(r"[^\W\d_]{2,}")
_SAMPLE = 20_000  # characters
_LEAST_WORDS = 10
_ENGLISH = 0.6
_CACHE = 1 << 16
NAME_SLACK = 2
"""How much longer an n-gram must be to count between a name and a word in lower case."""


@lru_cache(_CACHE)
def words(text: str) -> tuple[str, ...]:
    """The words of ``text`` as they stand, in order; hyphens divide, possessive endings go."""
    found = (_POSSESSIVE.sub("", match.group()) for match in _WORD.finditer(text))
    return tuple(word for word in found if word)


@lru_cache(_CACHE)
def lemma(word: str) -> str:
    """The folded dictionary form of one English word ("Courts" -> "court")."""
    folded = fold(word)
    if not folded.isalpha() or len(folded) < 3:
        return folded
    from simplemma import lemmatize  # its dictionary is read at the first call (0.25 s)

    return fold(lemmatize(folded, lang="en"))


@lru_cache(_CACHE)
def lemmas(text: str) -> tuple[str, ...]:
    """The lemmas of all words of ``text``, in order."""
    return tuple(lemma(word) for word in words(text))


@lru_cache(_CACHE)
def content_lemmas(text: str) -> frozenset[str]:
    """Lemmas of the words that are no function words, numbers or single letters."""
    return frozenset(
        found
        for word, found in zip(words(text), lemmas(text), strict=True)
        if len(found) > 1
        and not found.isdigit()
        and fold(word) not in STOP_WORDS
        and found not in STOP_WORDS
    )


@lru_cache(_CACHE)
def telling_lemmas(text: str) -> frozenset[str]:
    """Content lemmas that are neither generic heads nor among the words every document has."""
    forms = {found: fold(word) for word, found in zip(words(text), lemmas(text), strict=True)}
    return frozenset(
        found
        for found in content_lemmas(text)
        if not is_generic(found) and not is_generic(forms[found])
    )


@lru_cache(_CACHE)
def name_words(text: str) -> frozenset[str]:
    """Folded words of ``text`` that look like parts of a name: capitalised and telling."""
    return frozenset(
        fold(word)
        for word in words(text)
        if word[0].isupper()
        and len(word) > 1
        and not _is_common(word)
        and fold(word) not in STOP_WORDS
    )


def is_generic(lemma_: str) -> bool:
    """Whether a lemma is one that a generalisation may share with its original."""
    return lemma_ in GENERIC_HEADS or lemma_ in FREQUENT or _NEGATION.fullmatch(lemma_) is not None


def _is_common(word: str) -> bool:
    """Whether a word or its lemma is generic ("United", whose lemma is "unite")."""
    return is_generic(lemma(word)) or is_generic(fold(word))


@lru_cache(_CACHE)
def normalise(text: str) -> str:
    """Folded words joined by blanks, without articles and titles: "the Mr. Smith" -> "smith"."""
    folded = [fold(word) for word in words(text)]
    kept = [word for word in folded if word not in ARTICLES and word not in HONORIFICS]
    return " ".join(kept or folded)


@lru_cache(_CACHE)
def numbers(text: str) -> frozenset[float]:
    """The values of the numbers in ``text``, in digits or words; decades ("1990s") are none.

    A plain look for comparing texts; ``intact.english.numbers`` reads quantities properly.
    """
    found = {values.number(match.group()) for match in _NUMBER.finditer(values.normalised(text))}
    found |= {values.ordinal(fold(word)) for word in words(text)}
    return frozenset(value for value in found if value is not None)


def shared_lemma(one: str, other: str) -> str:
    """A telling lemma that both texts have (the first in alphabetical order), or "".

    Args:
        one: a text.
        other: the text it is compared with.
    """
    return min(telling_lemmas(one) & telling_lemmas(other), default="")


@lru_cache(_CACHE)
def shared_ngram(name: str, text: str, size: int = 4) -> str:
    """``size`` characters that a word of ``name`` shares with a word of ``text``, or "".

    The common part must begin one of the two words, so that Turkey meets Turkish and Yorkshire
    meets York, but the Midlands do not meet England. With a word in lower case, which is no
    name, it must be longer by ``NAME_SLACK``: Polish does not meet police.

    Args:
        name: of something that is hidden.
        text: what may give it away.
        size: characters, at least 1.
    """
    if size < 1:
        return ""
    theirs = name_words(text)
    for mine in sorted(name_words(name)):
        for word in words(text):
            folded = fold(word)
            if folded in theirs:
                found = common_part(mine, folded, size)
            elif not _is_common(word) and folded not in STOP_WORDS:
                found = common_part(mine, folded, size + NAME_SLACK)
            else:
                continue
            if found:
                return found
    return ""


def common_part(one: str, other: str, size: int) -> str:
    """The first ``size`` characters of one word if they are in the other, else "".

    Args:
        one: a folded word.
        other: the folded word it is compared with.
        size: characters, at least 1.
    """
    if len(one) < size or len(other) < size:
        return ""
    if one[:size] in other:
        return one[:size]
    return other[:size] if other[:size] in one else ""


@lru_cache(_CACHE)
def acronyms(text: str) -> frozenset[str]:
    """Acronyms that ``text`` may be known by, folded: of its capitalised words, and of all.

    "European Court of Human Rights" -> {"echr", "ecohr"}; fewer than two words have none.
    """
    everything = [word for word in words(text) if fold(word) not in ARTICLES]
    capitalised = [word for word in everything if word[0].isupper()]
    found = {
        "".join(fold(word)[0] for word in group)
        for group in (capitalised, everything)
        if len(capitalised) > 1
    }
    return frozenset(acronym for acronym in found if len(acronym) > 1)


def is_name(text: str) -> bool:
    """Whether ``text`` starts with a capital, an article and quotes apart."""
    return _LEADING.sub("", text)[:1].isupper()


def is_acronym(text: str) -> bool:
    """Whether ``text`` reads as one acronym ("PKK", "P.K.K.", "NATO", "UKIP")."""
    letters = text.strip().replace(".", "")
    return 2 <= len(letters) <= 8 and letters.isalpha() and letters.isupper()


@lru_cache(_CACHE)
def is_english(word: str) -> bool:
    """Whether a word is one of the English dictionary."""
    from simplemma import is_known

    return bool(is_known(word.lower(), lang="en"))


def reads_english(text: str) -> bool:
    """Whether the ordinary words of a text are English, or too few to tell.

    Of texts of many kinds three quarters and more are; of those in other languages at most half.
    """
    words = [word for word in _ORDINARY.findall(text[:_SAMPLE]) if word == word.lower()]
    return len(words) < _LEAST_WORDS or sum(map(is_english, words)) >= _ENGLISH * len(words)


@lru_cache(_CACHE)
def is_foreign(word: str) -> bool:
    """Whether a word is none of English: not in its dictionary, and no learned loan ("facto")."""
    low = word.lower()
    plain = low in STOP_WORDS or low in _LEARNED or low in GENERIC_HEADS
    return not plain and not is_english(low) and not is_english(lemma(low)) and not word.isupper()
