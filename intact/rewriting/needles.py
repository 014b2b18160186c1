"""What the sweep looks for: the forms in which a masked entity may stand unannotated."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from intact.domain import BY_VALUE, Entity, EntityType
from intact.english.fold import folded, tokens
from intact.english.wordlists import HONORIFICS, STOP_WORDS

_SUFFIXES = frozenset("qc kc jr sr ii iii iv mp esq phd md obe cbe mbe".split())
_PARTICLES = frozenset(
    "van von de der den del della di da dos du la le el al bin ibn af av".split()
)
_NOT_INITIALS = frozenset("uk us eu un ad bc am pm qc kc dc ce ok id no ec eea usa echr".split())
MONTHS = frozenset(
    "january february march april may june july august september october november december".split()
)
_ARTICLES = frozenset({"the", "a", "an"})
_BRACKET = re.compile(r"^(?P<head>[^()]+?)\s*\((?P<inner>[^()]+)\)\s*$")
_GENITIVE = re.compile(r"(?:['’]s|(?<=s)['’])$")
_COMMON_NAMES = frozenset(
    (
        "may will mark bell brown white black green gray grey long short young old king queen "
        "price law page hope grace rose lily faith joy bill bob rob jack frank grant chase hunt "
        "fisher baker cook smith mason carter cooper taylor turner walker parker porter potter "
        "farmer butcher marsh field hill wood woods brook brooks stone rivers lake church bishop "
        "abbot pope priest dean judge major sergeant mayor best good moody sharp wise strong "
        "swift noble rich poor day knight night summer winter spring snow frost rain storm march "
        "april june august sunday monday friday art drew sue pat ray roman christian dick miles "
        "guy max rusty sandy dale glen heath penny ruby pearl amber dawn eve ivy holly daisy "
        "violet olive ginger basil cherry berry flowers plant reed park street banks bridge ford "
        "gates house hall castle barn stable lane west east north south little small large head "
        "hand foot back case court trial cross battle war love power speed post ball cash bond "
        "brand crane drake fox hare lamb lion wolf bird swan martin robin jay son sons child man "
        "chance rush skill prior rule state union worth wild pitt self"
    ).split()
)

ANY, CAPITAL, UPPER = "any", "capital", "upper"


@dataclass(frozen=True, slots=True)
class Needle:
    """One form to look for.

    Attributes:
        words: its folded words.
        gaps: what stands between them, folded, white space as one blank; for names without
            blanks and full stops ("N.Ö. Akın" = "N. Ö. Akin").
        case: ANY, CAPITAL (each word begins with one) or UPPER (no small letter).
        alone: not beside another capitalised word (a given name may be part of another name).
        common: also an ordinary word: not at the start of a sentence.
        exact: whether it is the annotated form and not one derived from it.
    """

    words: tuple[str, ...]
    gaps: tuple[str, ...]
    entity_id: str
    entity_type: str
    case: str = ANY
    alone: bool = False
    common: bool = False
    dotted: bool = False
    exact: bool = True


def gap(text: str, name: bool) -> str:
    """The normal form of what stands between two words."""
    return re.sub(r"[\s.]+", "", text) if name else re.sub(r"\s+", " ", text)


def needles(entity: Entity) -> Iterator[Needle]:
    """The forms to look for, annotated ones first."""
    for surface in entity.surfaces:
        kind = next(m.entity_type for m in entity.mentions if m.text == surface)
        yield from _of_surface(surface, entity.id, kind)


def _of_surface(surface: str, entity_id: str, kind: str) -> Iterator[Needle]:
    if kind == EntityType.PERSON:
        yield from _person(surface, entity_id)
    elif kind == EntityType.CODE:
        yield from _code(surface, entity_id)
    elif kind in BY_VALUE:
        yield from _measure(surface, entity_id, kind)
    else:
        yield from _thing(surface, entity_id, kind)


def _split(surface: str, name: bool) -> tuple[list[str], list[str], list[str]]:
    """Folded words, their gaps, and the words as they stand."""
    base = _GENITIVE.sub("", surface.strip())
    plain = folded(base)
    found = tokens(plain.text)
    shown = [base[slice(*plain.back(start, end))] for _, start, end in found]
    gaps = [gap(plain.text[a[2] : b[1]], name) for a, b in pairwise(found)]
    return [word for word, _, _ in found], gaps, shown


def _person(surface: str, entity_id: str) -> Iterator[Needle]:
    words, gaps, shown = _split(surface, True)
    while words and (words[0] in HONORIFICS or words[0] in _ARTICLES):
        words, gaps, shown = words[1:], gaps[1:], shown[1:]
    while len(words) > 1 and words[-1] in _SUFFIXES:
        words, gaps, shown = words[:-1], gaps[:-1], shown[:-1]
    if not words:
        return
    kind = EntityType.PERSON
    if all(word.islower() for word in shown):  # "his wife"
        if len("".join(words)) >= 4 and words[-1] not in STOP_WORDS:
            yield Needle(tuple(words), tuple(gaps), entity_id, kind)
        return
    if all(len(word) == 1 for word in words):
        if len(words) > 1 and "".join(words) not in _NOT_INITIALS:
            yield Needle(tuple(words), tuple(gaps), entity_id, kind, UPPER, dotted=True)
        return
    if len(words) > 1:
        yield Needle(tuple(words), tuple(gaps), entity_id, kind)
        yield from _derived(words, shown, entity_id)
    elif len(words[0]) > 1:
        yield _single(words[0], entity_id, exact=True)


def _single(word: str, entity_id: str, *, exact: bool, alone: bool = False) -> Needle:
    common = word in _COMMON_NAMES or word in STOP_WORDS or word in MONTHS
    return Needle(
        (word,), (), entity_id, EntityType.PERSON, CAPITAL, alone or common, common, False, exact
    )


def _derived(words: list[str], shown: list[str], entity_id: str) -> Iterator[Needle]:
    """Shorter forms of a full name: surname, initials with and without it, given name alone."""
    last, kind = words[-1], EntityType.PERSON
    named = shown[-1][:1].isupper()
    given = [word for word in words[:-1] if word not in _PARTICLES]
    if len(last) >= 2 and named:
        if given:
            initials = [word[0] for word in given]
            for front in ([given[0]], initials, initials[:1]):
                form = (*front, last)
                if len(form) <= len(words):
                    yield Needle(form, ("",) * len(front), entity_id, kind, CAPITAL, exact=False)
        particles = [word for word in words[1:-1] if word in _PARTICLES]
        if particles:
            form = (*particles, last)
            yield Needle(form, ("",) * len(particles), entity_id, kind, exact=False)
        if len(last) >= 3:
            yield _single(last, entity_id, exact=False)
    letters = tuple(word[0] for word in words if word not in _PARTICLES)
    if len(letters) > 1 and "".join(letters) not in _NOT_INITIALS:
        yield Needle(
            letters, ("",) * (len(letters) - 1), entity_id, kind, UPPER, dotted=True, exact=False
        )
    if len(words[0]) >= 4 and shown[0][:1].isupper():
        yield _single(words[0], entity_id, exact=False, alone=True)


def _code(surface: str, entity_id: str) -> Iterator[Needle]:
    words, gaps, _ = _split(surface, False)
    size = sum(map(len, words))
    if not words or size < 3 or (len(words) == 1 and words[0].isdigit() and size < 4):
        return
    yield Needle(tuple(words), tuple(gaps), entity_id, EntityType.CODE)


def _measure(surface: str, entity_id: str, kind: str) -> Iterator[Needle]:
    words, gaps, _ = _split(surface, False)
    while words and words[0] in _ARTICLES | {"in", "on", "at"}:
        words, gaps = words[1:], gaps[1:]
    joined = "".join(words)
    telling = len(words) > 1 or (joined.isdigit() and len(joined) >= 4)
    if words and telling and len(joined) >= 4 and not set(words) <= STOP_WORDS:
        yield Needle(tuple(words), tuple(gaps), entity_id, kind)


def _thing(surface: str, entity_id: str, kind: str) -> Iterator[Needle]:
    bracket = _BRACKET.match(surface)
    parts = [surface] + ([bracket["head"], bracket["inner"]] if bracket else [])
    for index, part in enumerate(parts):
        words, gaps, shown = _split(part, False)
        while len(words) > 1 and words[0] in _ARTICLES:
            words, gaps, shown = words[1:], gaps[1:], shown[1:]
        letters = sum(map(len, words))
        if not words or letters < 2 or all(word in STOP_WORDS for word in words):
            continue
        if index and not any(word[:1].isupper() for word in shown):
            continue
        upper = letters < 4 or (index == 2 and "".join(shown).isupper())
        if upper and not "".join(shown).isupper():
            continue
        case = UPPER if upper else ANY
        yield Needle(tuple(words), tuple(gaps), entity_id, kind, case, exact=index == 0)
