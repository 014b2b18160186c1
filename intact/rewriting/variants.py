"""The forms in which a masked name may stand unmarked: shorter, initials, other spellings."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from intact.domain import BY_VALUE, Entity, EntityType
from intact.english.time import MONTH_NAMES
from intact.english.vocabulary import ABBREVIATIONS, ARTICLES, HONORIFICS, STOP_WORDS, word_sets
from intact.english.words import GENITIVE, fold, is_english, is_ordinary, original_tokens

MONTHS = frozenset(map(str.lower, MONTH_NAMES))  # in lower case
ANY, CAPITAL, UPPER = "any", "capital", "upper"
_NAMES = word_sets("grammar", "names")
_PARTICLES, _NOT_INITIALS = _NAMES["particles"], _NAMES["not_initials"]
COMMON_NAMES = _NAMES["common"]  # names that are ordinary words too, in lower case
_COMMON = COMMON_NAMES | STOP_WORDS | MONTHS
# Endings of firms' names that may be missing when a firm is named again.
_LEGAL_FORMS = frozenset("ltd limited plc inc llc llp corp co company gmbh ag ab sa srl bv".split())
_BRACKET = re.compile(r"^(?P<head>[^()]+?)\s*\((?P<inner>[^()]+)\)\s*$")


@dataclass(frozen=True, slots=True)
class SurfaceVariant:
    """One form to search for."""

    words: tuple[str, ...]  # its folded words
    gaps: tuple[str, ...]  # the text between them, see ``gap``
    case: str = ANY  # ANY, CAPITAL (each word begins with one) or UPPER (no small letter)
    alone: bool = False  # not beside another capitalised word, as in the name of somebody else
    common: bool = False  # also an ordinary word: not where it may be that word
    dotted: bool = False  # with a full stop between its words
    exact: bool = True  # whether it is the annotated form and not one derived from it
    entity_id: str = ""  # of what it names
    entity_type: str = ""


def gap(text: str, name: bool) -> str:
    """Normalise the text between two words: white space becomes one blank; in a person's ``name``,
    blanks and full stops are removed ("N.Ö. Akın" = "N. Ö. Akin").

    Args:
        text: between two words, already folded.
        name: whether they are of a person's name.
    """
    return re.sub(r"[\s.]+", "", text) if name else re.sub(r"\s+", " ", text)


def surface_variants(entities: Iterable[Entity]) -> list[SurfaceVariant]:
    """List the forms in which the names and values of entities are searched for, in the order of
    the entities, those of an entity's first surface (text of a mention) first."""
    found: list[SurfaceVariant] = []
    for entity in entities:
        kinds = {mention.text: mention.entity_type for mention in reversed(entity.mentions)}
        for surface in entity.surfaces:
            kind = kinds[surface]
            forms = _FORMS_OF.get(kind, _thing)(surface, kind)
            found += (replace(form, entity_id=entity.id, entity_type=kind) for form in forms)
    return found


class _Surface:
    """The words of a surface: folded, as they are written, and the text between them."""

    def __init__(self, surface: str, *, name: bool = False) -> None:
        base = GENITIVE.sub("", surface.strip())
        found = original_tokens(base)
        self.words = [word for word, _, _ in found]
        self.shown = [base[start:end] for _, start, end in found]
        between = (base[end:start] for (*_, end), (_, start, _) in pairwise(found))
        self._gaps = [gap(fold(text), name) for text in between]

    @property
    def size(self) -> int:
        """The number of its letters and digits."""
        return sum(map(len, self.words))

    @property
    def is_name(self) -> bool:
        """Check whether one of its words begins with a capital."""
        return any(word[:1].isupper() for word in self.shown)

    def without_first(self, words: Container[str], least: int = 0) -> None:
        """Remove ``words`` from the front, in place, while more than ``least`` words are left.

        Args:
            words: folded.
            least: how many words must be left.
        """
        while len(self.words) > least and self.words[0] in words:
            del self.words[0], self.shown[0], self._gaps[:1]

    def without_last(self, words: Container[str]) -> None:
        """Remove ``words`` from the end, in place; the first word always stays."""
        while len(self.words) > 1 and self.words[-1] in words:
            del self.words[-1], self.shown[-1], self._gaps[-1]

    def as_variant(self, case: str = ANY) -> SurfaceVariant:
        """Build the form to search for from the words that are left.

        Args:
            case: how it must be written: ANY, CAPITAL or UPPER.
        """
        return SurfaceVariant(tuple(self.words), tuple(self._gaps), case)


def _person(surface: str, kind: str) -> Iterator[SurfaceVariant]:
    """Yield the forms of a person's name without titles and suffixes: the full name first, then the
    shorter ones. A single word, initials ("K.B.") and words in lower case ("his wife") have only
    themselves; nothing if they say too little ("K.", "she")."""
    own = _Surface(surface, name=True)
    own.without_first(HONORIFICS | ARTICLES - {"a"} if "A" in own.shown else HONORIFICS | ARTICLES)
    own.without_last(_NAMES["suffixes"])
    words = own.words
    if not words:
        return
    if all(map(str.islower, own.shown)):  # "his wife"
        if own.size >= 4 and words[-1] not in STOP_WORDS:
            yield own.as_variant()
    elif all(len(word) == 1 for word in words):
        if _are_initials(words):
            yield replace(own.as_variant(UPPER), dotted=True)
    elif len(words) > 1:
        yield own.as_variant()
        yield from _derived(words, own.shown)
    elif len(words[0]) > 1:
        yield replace(_name(words), exact=True)


def _name(words: list[str], *, alone: bool = False, case: str = CAPITAL) -> SurfaceVariant:
    """Make the variant, derived from a person's name, whose words have only blanks between them. A
    single ordinary word ("baker") is marked as common, and as no name beside another capital.

    Args:
        words: folded.
        alone: whether it is no match beside another capitalised word, as in somebody else's name.
        case: how it must be written: ANY, CAPITAL or UPPER.
    """
    common, gaps = len(words) == 1 and words[0] in _COMMON, ("",) * (len(words) - 1)
    return SurfaceVariant(tuple(words), gaps, case, alone or common, common, exact=False)


def _are_initials(letters: list[str]) -> bool:
    """Check whether letters are somebody's initials: two or more, and together no common
    abbreviation."""
    return len(letters) > 1 and "".join(letters) not in _NOT_INITIALS


def _derived(words: list[str], shown: list[str]) -> Iterator[SurfaceVariant]:
    """Yield shorter forms of a full name: those that end in its surname, each given name, its
    initials with full stops, then without.

    Args:
        words: of the name, folded.
        shown: the same words as they are written.
    """
    if len(words[-1]) >= 2 and shown[-1][:1].isupper():
        yield from _surnamed(words)
    for word, written in zip(words[:-1], shown[:-1], strict=True):
        if _tells(word) and word not in _PARTICLES | HONORIFICS and written[0].isupper():
            yield _name([word], alone=True)  # "Ms Lopez" is Maria Lopez Garcia
    letters = [word[0] for word in words if word not in _PARTICLES]
    if _are_initials(letters):
        yield replace(_name(letters, case=UPPER), dotted=True)
        joined = "".join(letters)
        if joined.upper() not in ABBREVIATIONS and joined not in STOP_WORDS | HONORIFICS:
            yield _name([joined], case=UPPER)  # "Action: KT"


def _tells(word: str) -> bool:
    """Check whether a word can be somebody's name by itself: "Tom", "Wu", but not "Do"."""
    return len(word) > 2 or (len(word) > 1 and not is_ordinary(word))


def _surnamed(words: list[str]) -> Iterator[SurfaceVariant]:
    """Yield forms that end in the surname: "Ann Berg", "A. Berg", "van der Berg", "Berg", "the
    Bergs"; for a surname that is too short or ordinary to stand alone, instead of the last two, it
    with each title: "Mr Ng"."""
    last = words[-1]
    given = [word for word in words[:-1] if word not in _PARTICLES]
    initials = [word[0] for word in given]
    for front in (given[:1], initials, initials[:1]) if given else ():
        yield _name([*front, last])
    particles = [word for word in words[1:-1] if word in _PARTICLES]
    if particles:
        yield _name([*particles, last], case=ANY)
    if _tells(last):
        yield _name([last])
        family = last + ("es" if last.endswith(("s", "x", "z", "ch", "sh")) else "s")
        if not is_ordinary(family):  # "the Brandvolds", not "the Banks"
            yield _name([family])
    else:
        yield from (_name([title, last]) for title in sorted(HONORIFICS))  # "Mr Ng"


def _code(surface: str, kind: str) -> Iterator[SurfaceVariant]:
    """Yield the one form of a code, as it stands; none if it has fewer than three letters and
    digits, or is a number of three digits."""
    own = _Surface(surface)
    if own.size > 3 or (own.size == 3 and not (len(own.words) == 1 and own.words[0].isdigit())):
        yield own.as_variant()


def _value(surface: str, kind: str) -> Iterator[SurfaceVariant]:
    """Yield the one form of a date or amount, without its article or preposition; none if it is a
    single word that is no number, has fewer than four letters and digits, or only function
    words."""
    own = _Surface(surface)
    own.without_first(ARTICLES | {"in", "on", "at"})
    distinctive = len(own.words) > 1 or "".join(own.words).isdigit()
    if distinctive and own.size >= 4 and not set(own.words) <= STOP_WORDS:
        yield own.as_variant()


def _thing(surface: str, kind: str) -> Iterator[SurfaceVariant]:
    """Yield a name of a place, body or thing, its other spellings and its parts in and before
    brackets; of a body also without its legal form. Those that are too short, or nothing but
    function words, are left out."""
    for index, part in enumerate(_names_of(surface, kind)):
        own = _Surface(part)
        own.without_first(ARTICLES, least=1)
        upper = "".join(own.shown).isupper()
        least = 2 if upper else 4
        if own.size < least or STOP_WORDS.issuperset(own.words) or (index and not own.is_name):
            continue
        case = UPPER if own.size < 4 or (index == 2 and upper) else ANY
        whole = len(own.words)
        yield replace(own.as_variant(case), exact=index == 0)
        own.without_last(_LEGAL_FORMS)
        one = len(own.words) == 1
        known = own.words[-1] == "and" or (one and is_english(own.words[0]))
        if kind == EntityType.ORG and len(own.words) < whole and not known:  # not "London Ltd"
            yield replace(own.as_variant(CAPITAL if one else case), exact=False)


def _names_of(surface: str, kind: str) -> list[str]:
    """List the text of a mention first, then its other names: before and in brackets ("Health and
    Safety Executive (HSE)") or, of a body without brackets, with "&" for "and" and the reverse."""
    if bracket := _BRACKET.match(surface):
        return [surface, bracket["head"], bracket["inner"]]
    spellings = [re.sub(r"\s+and\s+", " & ", surface), re.sub(r"\s*&\s*", " and ", surface)]
    return list(dict.fromkeys([surface, *spellings])) if kind == EntityType.ORG else [surface]


# By type, the function that makes the forms of a surface; for other types it is ``_thing``.
_FORMS_OF = {EntityType.PERSON: _person, EntityType.CODE: _code, **dict.fromkeys(BY_VALUE, _value)}
