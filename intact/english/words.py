"""Words and names, and how alike they are: what leak checks and matching share.

Texts are compared in one form, folded: without case, diacritics and typographic variants, character
by character, so that a folded text leads back to the original. Other forms build on it:

* ``fold``: the folded text; ``folded``: the same with the way back; ``original_tokens``: its words
  with their offsets in the original.
* ``words``: the words as they stand, without genitive endings; ``key_words``: the same folded.
* ``key``: a name as it is looked up: folded, hyphens as blanks, without article and genitive
  ending.
* ``normalise``: folded words joined by blanks, without articles and titles.
* ``legible``: letters of other scripts as the Latin ones they look like; ``spelling``: only its
  letters and figures, folded, with figures read as letters.

Results are cached by text, because the same phrases and guesses come back in every round of a
selection.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import product, takewhile
from urllib.parse import unquote

from rapidfuzz.distance import OSA

from intact.english import numbers as values
from intact.english import vocabulary
from intact.english.vocabulary import ARTICLES, GENERIC_HEADS, HONORIFICS, KEPT_TITLES, STOP_WORDS

_CACHE = 1 << 16
_TABLE = vocabulary.vocabulary("words")["letters"]
# Characters that nobody sees, as a character class (Unicode's Default_Ignorable_Code_Point, and the
# blank of Braille).
INVISIBLE: str = _TABLE["invisible"]
_PLAIN = {
    **{each: plain for plain, written in _TABLE["marks"].items() for each in written},
    **dict(zip(*_TABLE["stroked"], strict=True)),
    **_TABLE["ligatures"],
}  # letters and marks, in lower case, that Unicode does not decompose -> plain ones
# Letters of other scripts -> the Latin ones that they look like; figures -> the letters as which
# they are read.
_ALIKE, _FIGURES = (str.maketrans(*_TABLE[name]) for name in ("alike", "figures"))
_SHORT, _LONG = 3, 8  # letters up to which names are short, and not long
FORMS = vocabulary.read_patterns("words")  # patterns of words, by their names
_EDGES = " \t\n.,;:!?\"'()[]«»*"
# A pattern of the genitive mark at the end of a name.
GENITIVE = re.compile(r"(?:['’]s|(?<=s)['’])\Z")


class _Letters(dict[int, str]):
    """Folded characters, each computed when it is first met."""

    def __missing__(self, code: int) -> str:
        """Return the folded form of a character, "" for one that nobody sees, and keep it.

        Args:
            code: of the character, as ``ord`` gives it.
        """
        char = chr(code)
        named = re.search(r"LETTER SMALL CAPITAL ([A-Z])$", unicodedata.name(char.lower()[:1], ""))
        char = named[1] if named else char
        apart = unicodedata.normalize("NFKD", char.casefold()).casefold()
        plain = (_PLAIN.get(each, each) for each in apart if not unicodedata.combining(each))
        seen = not re.match(f"[{INVISIBLE}]", chr(code))
        self[code] = folded = (_PLAIN.get(char) or "".join(plain)) if seen else ""
        return folded


_LETTERS = _Letters()


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text, and the offset of each of its characters in the original."""

    text: str
    origin: Sequence[int]  # offset there of each character and of the end

    def back(self, start: int, end: int) -> tuple[int, int]:
        """Map a range of the folded text to the original, as (start, end); combining marks are
        included.

        Args:
            start: in the folded text.
            end: there, exclusive.
        """
        return self.origin[start], self.origin[end]


def fold(text: str) -> str:
    """Return a text in the form in which texts are compared: lower case, without diacritics and
    invisible characters, with plain quotes, hyphens and spaces. Its length may change ("æ" is
    "ae")."""
    return text.lower().replace("`", "'") if text.isascii() else text.translate(_LETTERS)


def folded(text: str) -> Folded:
    """Return a text in the form in which texts are compared (see ``fold``), with the offset of each
    of its characters in the original."""
    plain = fold(text)
    if text.isascii() or all(len(_LETTERS[ord(char)]) == 1 for char in set(text)):
        return Folded(plain, range(len(text) + 1))
    origin = (at for at, char in enumerate(text) for _ in _LETTERS[ord(char)])
    return Folded(plain, (*origin, len(text)))


def original_tokens(text: str) -> list[tuple[str, int, int]]:
    """Split a text into its folded words (of letters and digits alone), in text order: (word,
    start, end), with offsets in the original, the end exclusive."""
    plain = folded(text)
    return [(m.group(), *plain.back(*m.span())) for m in FORMS["folded"].finditer(plain.text)]


def legible(text: str) -> str:
    """Return a text as it is read: letters and digits of other scripts become the Latin ones that
    they look like or mean, and percent escapes are decoded ("%41" is "A")."""
    plain = unicodedata.normalize("NFKC", unquote(text)).translate(_ALIKE)
    return "".join(str(unicodedata.digit(c)) if c.isdigit() else c for c in plain)


def spelling(text: str) -> str:
    """Return only the letters that a text spells in any writing, folded and joined, with figures
    read as letters, and "i" as "l": "hollls" for "H0ll1s" and for "Hollis". Figures that look like
    no letter (6, 9) stay."""
    return "".join(filter(str.isalnum, fold(legible(text)))).translate(_FIGURES)


def spells_nearly(word: str, names: Iterable[str]) -> bool:
    """Tell whether a word spells a name with at most one letter wrong, or two if both have nine
    letters or more ("Holis", "HOLL1S", "Pete"). An ordinary lower-case word does not.

    Args:
        word: as it stands.
        names: as ``spelling`` returns them; names of up to three letters are ignored.
    """
    said = spelling(word)
    allowed = [(n, 2 if min(len(n), len(said)) > _LONG else 1) for n in names if len(n) > _SHORT]
    strange = not word.islower() or not is_ordinary(word)
    return strange and any(OSA.distance(name, said) <= errors for name, errors in allowed)


@lru_cache(_CACHE)
def key(text: str) -> str:
    """Return a name in the form in which names are looked up: folded, with blanks for hyphens,
    without article, genitive ending, and the quotes and punctuation around it: "st mary" for "The
    St-Mary's"."""
    plain = " ".join(fold(text).replace("-", " ").split()).strip(_EDGES)
    return FORMS["article"].sub("", GENITIVE.sub("", plain)).strip(_EDGES)


def key_words(text: str) -> tuple[str, ...]:
    """Split a text into its folded words of letters and digits, in order, without genitive endings;
    hyphens separate words, but apostrophes, full stops, "&" and "+" inside them are kept: ("ann",
    "o'shea") for "Ann's O'Shea"."""
    return tuple(GENITIVE.sub("", word) or word for word in FORMS["key"].findall(fold(text)))


def slug(text: str) -> str:
    """Return a name as a part of an id: the letters a to z and digits of its folded form, with
    hyphens between: "a-b-c" for "A B/c". Letters of other scripts are dropped; "" if nothing is
    left."""
    return re.sub(r"[^a-z0-9]+", "-", fold(text)).strip("-")


_SHARED = GENERIC_HEADS | vocabulary.FREQUENT
_LEARNED = vocabulary.word_sets("clues", "learned")["words"]
NGRAM = 4  # characters that names must share to give one away
NAME_SLACK = 2  # how much longer an n-gram must be to count between a name and a word in lower case


@lru_cache(_CACHE)
def words(text: str) -> tuple[str, ...]:
    """Split a text into words as they stand, in order. Hyphens separate words, genitive endings are
    removed, and apostrophes and full stops are kept inside words only: ("Ann", "old", "house") for
    "Ann's old-house."."""
    return tuple(GENITIVE.sub("", match.group()) for match in FORMS["run"].finditer(text))


@lru_cache(_CACHE)
def lemma(word: str) -> str:
    """Return the folded dictionary form of an English word: "court" for "Courts". A word of one or
    two letters, or with other characters than letters, is only folded."""
    folded = fold(word)
    return fold(_lemmatize(folded)) if folded.isalpha() and len(folded) > 2 else folded


def _lemmatize(word: str) -> str:
    """Return the dictionary form of an English word, as simplemma has it; an unknown word as it
    is."""
    from simplemma import lemmatize  # its dictionary is read at the first call (0.25 s)

    return str(lemmatize(word, lang="en"))


@lru_cache(_CACHE)
def lemmas(text: str) -> tuple[str, ...]:
    """Return the lemma (folded dictionary form) of each word of a text, in order."""
    return tuple(lemma(word) for word in words(text))


@lru_cache(_CACHE)
def content_lemmas(text: str) -> frozenset[str]:
    """Return the lemmas (folded dictionary forms) of the words of a text that are not function
    words, numbers or single letters: {"court", "sit"} for "the courts sat"."""
    return frozenset(
        base
        for word, base in zip(words(text), lemmas(text), strict=True)
        if len(base) > 1 and not base.isdigit() and STOP_WORDS.isdisjoint((fold(word), base))
    )


def says_nothing(text: str) -> bool:
    """Tell whether a phrase says no more than a label does: its only words but function words are
    such as "person" or "thing", or it has none."""
    return content_lemmas(text) <= vocabulary.SAYS_NOTHING


@lru_cache(_CACHE)
def telling_lemmas(text: str) -> frozenset[str]:
    """Return the lemmas (folded dictionary forms) of the words of a text that are neither function
    words, numbers, single letters nor so common that sharing one gives nothing away: generic heads
    ("man") and words of almost every document."""
    forms = {lemma(word): word for word in words(text)}
    return frozenset(base for base in content_lemmas(text) if not _is_common(forms[base]))


def _telling(text: str) -> Iterator[str]:
    """Yield, as they stand and in order, the words of a text that are neither function words nor so
    common that sharing one gives nothing away."""
    return (w for w in words(text) if not _is_common(w) and fold(w) not in STOP_WORDS)


@lru_cache(_CACHE)
def name_words(text: str) -> frozenset[str]:
    """Return the set of the folded words of a text that look like parts of a name: capitalised, of
    two letters or more, and neither function words nor so common that sharing one gives nothing
    away: {"wexham"} for "The Court of Wexham"."""
    return frozenset(fold(w) for w in _telling(text) if w[0].isupper() and len(w) > 1)


def is_name_like(text: str) -> bool:
    """Tell whether a text is written as a name is: it begins with a capital, and has two or more
    capitalised words and otherwise only function words, or a capitalised word that is neither
    English nor all in capitals."""
    telling = [word for word in words(text) if word.lower() not in STOP_WORDS]
    capitals = [word for word in telling if word[0].isupper()]
    strange = any(not (one.isupper() or is_english(one)) for one in capitals)
    return text[:1].isupper() and (strange or 1 < len(capitals) == len(telling))


def is_generic(lemma_: str) -> bool:
    """Tell whether a lemma is so common that a generalisation may share it with its original: a
    generic head ("man"), a word of almost every document, or a negation."""
    return lemma_ in _SHARED or vocabulary.NEGATION.fullmatch(lemma_) is not None


@lru_cache(_CACHE)
def _is_common(word: str) -> bool:
    """Tell whether a word, or its lemma ("unite" of "United"), is so common that sharing it gives
    nothing away; see ``is_generic``."""
    return is_generic(lemma(word)) or is_generic(fold(word))


@lru_cache(_CACHE)
def normalise(text: str) -> str:
    """Return the folded words of a text (see ``words``) joined by blanks, without articles and
    titles: "the Mr. Smith" becomes "smith". If nothing else is left, they stay."""
    folded = [fold(word) for word in words(text)]
    kept = [word for word in folded if word not in ARTICLES and word not in HONORIFICS]
    return " ".join(kept or folded)


@lru_cache(_CACHE)
def numbers(text: str) -> frozenset[float]:
    """Return the set of the values of the numbers and ordinals in a text, in digits or words:
    {32.0, 3} for "thirty-two, 3rd". Decades ("1990s") are not numbers; a compound ordinal counts in
    parts ("twenty-third": 20 and 3)."""
    written = values.FORMS["alone"].finditer(values.normalised(text))
    readings = {values.number(match.group()) for match in written}
    readings |= {values.ordinal(fold(word)) for word in words(text)}
    return frozenset(value for value in readings if value is not None)


@lru_cache(_CACHE)
def shared_ngram(name: str, text: str) -> str:
    """Return the characters, folded, that the beginning of a word of a name or of a text shares
    with a word of the other, ``NGRAM`` (4) of them; "" if there are none.

    Only one of the two words must begin with them: Yorkshire matches York, but the Midlands do not
    match England. With a lower-case word, which is no name, it takes ``NAME_SLACK`` (2) more:
    Polish does not match police.

    Args:
        name: only its capitalised, telling words count; they are tried in alphabetical order.
        text: a guess or replacement; its function words and common words do not count.

    Source: Pilán et al. 2024, section 3.2: matching by shared character 4-grams.
    """
    mine, theirs = sorted(name_words(name)), name_words(text)
    least = {w: NGRAM + NAME_SLACK * (w not in theirs) for w in map(fold, _telling(text))}
    shared = (common_part(one, word, size) for one in mine for word, size in least.items())
    return next(filter(None, shared), "")


def common_part(one: str, other: str, size: int) -> str:
    """Return the first ``size`` characters of one folded word if they stand anywhere in the other:
    of ``one`` first, then of ``other``; "" if neither word's do.

    Args:
        one: a folded word.
        other: another one.
        size: characters of the beginning, from 1; a shorter word has no such beginning.
    """
    beginnings = ((one[:size], other), (other[:size], one))
    return next((start for start, word in beginnings if len(start) == size and start in word), "")


@lru_cache(_CACHE)
def acronyms(text: str) -> frozenset[str]:
    """Return the acronyms that a text may be known by, folded, by the first letters of its
    capitalised words and of all its words but articles: {"unp", "unop"} for "United Nations of
    Peace". A text with fewer than two capitalised words has none."""
    everything = [word for word in words(text) if fold(word) not in ARTICLES]
    capitalised = [word for word in everything if word[0].isupper()]
    groups = (capitalised, everything) if len(capitalised) > 1 else ()
    return frozenset("".join(fold(word)[0] for word in group) for group in groups)


def is_capitalised(text: str) -> bool:
    """Tell whether a text starts with a capital, after any article and quotes."""
    return FORMS["leading"].sub("", text)[:1].isupper()


def is_acronym(text: str) -> bool:
    """Tell whether a text reads as one acronym ("PKK", "P.K.K.", "NATO", "UKIP"): two to eight
    capitals, perhaps with full stops."""
    letters = text.strip().replace(".", "")
    return 2 <= len(letters) <= 8 and letters.isalpha() and letters.isupper()


@lru_cache(_CACHE)
def is_english(word: str) -> bool:
    """Tell whether a word, in any case, is in the English dictionary. False for ""."""
    from simplemma import is_known

    return bool(word) and bool(is_known(word.lower(), lang="en"))


@lru_cache(_CACHE)
def is_ordinary(word: str) -> bool:
    """Tell whether the English dictionary has a word, in any case, as more than a name: "house",
    but not "kyle"."""
    return is_english(word) and _lemmatize(word.lower()).islower()


@lru_cache(_CACHE)
def is_foreign(word: str) -> bool:
    """Tell whether a word is foreign: neither it nor its lemma is in the English dictionary, it is
    no function word, generic head ("gmbh") or learned loan ("facto"), and it is not in capitals. A
    word can be neither English nor foreign; what has no letters counts as foreign ("123")."""
    low = word.lower()
    plain = low in STOP_WORDS or low in _LEARNED or low in GENERIC_HEADS
    return not plain and not is_english(low) and not is_english(lemma(low)) and not word.isupper()


_NAMES = vocabulary.word_sets("words", "names")
# Titles and occupations that stand before a name, in lower case.
TITLES = HONORIFICS | _NAMES["titles"]
_BEFORE = TITLES | _NAMES["before"]
PARTICLES = _NAMES["particles"]
_AGES = {word: age for age in ("jr", "sr") for word in _NAMES[age]}
_BEARERS = {"Mr": "men", "Ms": "women"}
_SEXES = {sex: vocabulary.word_sets("people", table) for sex, table in _BEARERS.items()}
_SEXED = {fold(word): sex for sex, own in _SEXES.items() for word in own["titles"]}
_FORMS = vocabulary.read_patterns("people", {"titles": vocabulary.either(TITLES)})
names_several = _FORMS["several"].search  # a match for the names of two persons: "Ann and Bo Lee"
_NEAR = 40  # characters beside a name in which a title or a word of kinship is looked for


@dataclass(frozen=True)
class Name:
    """A name, folded."""

    title: str  # "Mr", "Ms" or ""
    given: tuple[str, ...]  # given names, initials as one letter each
    surname: str  # the last word, or "" of initials alone
    initials: str = ""  # the letters of a name that is initials alone ("A.K."), else ""
    called: str = ""  # the given name in quotes or brackets (Enoch "Nocky" Shaw), or ""
    sex: str = ""  # "Mr" or "Ms" if a title or the document shows it, else ""
    age: str = ""  # "jr" or "sr" if the name says so, else ""
    worn: frozenset[str] = frozenset()  # all titles, as they stand: "dr", "mrs"

    @cached_property
    def fullness(self) -> int:
        """Return the weight of what the name says: 2 for each given name that is no initial, 1 more
        if there is any given name or initial before the surname, and 1 for Mr or Ms; 0 for initials
        alone. When persons are told apart, fuller names come first."""
        if self.initials:
            return 0
        return 2 * sum(len(word) > 1 for word in self.given) + bool(self.given) + bool(self.title)

    def fits(self, other: Name) -> bool:
        """Tell whether both names can be one person's.

        They can if nothing differs (``differs``) and one of these holds: initials match, where one
        of the names is initials alone; the surnames are the same, and given names agree as far as
        both go, an initial standing for a name, or one's first given name is what the other is
        called (in quotes); or one is a single name without a title, and a given name of the other
        (of up to two letters, only the first)."""
        if self.differs(other):
            return False
        if self.initials or other.initials:
            comparable = len(self.letters) > 1 or (self.initials and other.initials)
            return bool(comparable) and not self.lettered.isdisjoint(other.lettered)
        if self.surname == other.surname:  # given names agree as far as both go
            pairs = zip(self.given, other.given, strict=False)  # or one is the other's initial
            agree = all(a == b or (a[0] == b[0] and 1 in (len(a), len(b))) for a, b in pairs)
            first = (*self.given[:1], *other.given[:1])
            return agree or not {self.called, other.called}.isdisjoint(first)
        lone, full = (self, other) if not self.given else (other, self)  # "Ann", "Ann Lee"
        known = full.given if len(lone.surname) > 2 else full.given[:1]
        return not lone.given and not lone.title and lone.surname in known

    def differs(self, other: Name) -> bool:
        """Tell whether two names cannot be one person's: one is a man's and the other a woman's, or
        one is the son's and the other the father's: somebody called Jnr is not the person whose
        given name stands without it."""
        ages = {self.age, other.age}
        plain = other if self.age else self
        apart = bool(plain.age or plain.given or plain.initials)
        return {self.sex, other.sex} == {"Mr", "Ms"} or (len(ages) > 1 and apart)

    @property
    def alone(self) -> str:
        """Return the surname, folded, if the name is no more than that, else ""."""
        return self.surname * (not (self.fullness or self.initials or self.worn or self.age))

    @property
    def short(self) -> bool:
        """Tell whether only a letter of the surname stands after a given name: "Noreen G."."""
        return bool(self.given) and not self.surname[1:]

    @cached_property
    def whole(self) -> tuple[str, ...]:
        """Return the folded words of the name without titles, in order: ("ann", "lee"); ("",) for
        initials alone."""
        return (*self.given, self.surname)

    @cached_property
    def letters(self) -> str:
        """Return the initials of the whole name, folded and joined ("al" for Ann Lee), without the
        name in quotes."""
        return self.initials or "".join(word[0] for word in self.whole if word != self.called)

    @cached_property
    def lettered(self) -> frozenset[str]:
        """Return all initials with which the name may be written, folded: {"do", "ds", "dos"} for
        D. O'Shea."""
        own = (word for word in self.whole if self.given and word != self.called)
        parts = (re.split(r"[-']|(?<=^mc)|(?<=^mac)", word) for word in own)
        ways = ({one[0][0], one[-1][:1], "".join(part[:1] for part in one)} - {""} for one in parts)
        return frozenset({self.letters, *map("".join, product(*ways))} - {""})


def plain_title(name: str) -> str:
    """Return the title, "Mr" or "Ms" (also for Mrs and Miss), with which a name or a label begins;
    "" if there is none. A title alone counts, but not in capitals ("MS")."""
    first, _, rest = name.partition(" ")
    return KEPT_TITLES.get(first.rstrip(".").lower(), "") if rest or name != name.upper() else ""


def name_of(shown: str) -> Name | None:
    """Return the parts of a person's name, folded. Small words around it are ignored ("In Bert",
    "Mr Kerr for the Government"), particles and suffixes in it left out ("de la", "PhD"), a surname
    that stands first is moved ("Lee, Ann"), and a login is read as a name ("ann.lee"). None if
    there is no name ("his wife", or no capital), or more than one ("Ann and Bo Lee")."""
    if names_several(shown):
        return None
    shown = _FORMS["surname_first"].sub(r"\2 \1", shown)
    if _FORMS["login"].match(shown):
        shown = shown.replace(".", " ").replace("_", " ").title()
    words = [GENITIVE.sub("", word.rstrip(".")) for word in _FORMS["word"].findall(shown)]
    leads = _BEFORE | _SEXED.keys() if words[1:] else _BEFORE  # "Brother Roe", but not "King"
    before = [*takewhile(leads.__contains__, map(fold, words))]
    own = [*takewhile("for".__ne__, words[len(before) :])]
    if not any(word[0].isupper() for word in own):
        return None
    title = next(filter(None, map(KEPT_TITLES.get, before)), "")
    sex = next(filter(None, map(_SEXED.get, before)), "")
    age = next(filter(None, (_AGES.get(fold(word), "") for word in own[1:])), "")
    named = partial(Name, title, sex=sex, age=age, worn=TITLES.intersection(before))
    every = [fold(word) for word in own]
    folded = [word for word in every if word not in _NAMES["suffixes"]] or every
    folded = [word for word in folded if word not in PARTICLES] or folded
    if all(len(word) == 1 for word in folded):
        return named((), "", "".join(folded))
    called = fold("".join(_FORMS["called"].findall(shown)[:1]))
    return named(tuple(folded[:-1]), folded[-1], called=called * (called != folded[0]))


def name_at(text: str, start: int, shown: str) -> Name | None:
    """Return the parts of a person's name in a text, folded, with the titles that stand before it,
    and "Jnr" or the like after it; None as for ``name_of``.

    Args:
        text: the document.
        start: offset of the name.
        shown: the name, as it stands there.
    """
    titles = _FORMS["titles"].search(text[max(0, start - _NEAR) : start])
    end = start + len(shown)
    behind = _FORMS["aged"].match(text, end, end + _NEAR)
    return name_of((titles[0] if titles else "") + shown + (behind[0] if behind else ""))


def told_beside(text: str, start: int, end: int) -> set[str]:
    """Return the set of what the words beside a name say of its bearer: "Mr" of a man and "Ms" of a
    woman ("his wife, Ann Lee", "Karl Brandt, brother"). Empty if they say nothing; both if they
    contradict each other.

    Args:
        text: the document.
        start: offset of the name.
        end: offset of its end, exclusive.
    """
    before = _FORMS["titles"].sub("", text[max(0, start - _NEAR) : start])
    told = _FORMS["before"].search(before), _FORMS["behind"].match(text, end, end + _NEAR)
    return {one.lastgroup for one in told if one and one.lastgroup}


@lru_cache(1)
def given_sexes() -> dict[str, str]:
    """Map given names that (nearly) only men or only women have, folded, to "Mr" (men) or "Ms"
    (women)."""
    parts = vocabulary.read_parts(vocabulary.GIVEN)
    return {name: sex for sex, names in parts.items() for name in names}
