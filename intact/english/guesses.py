"""Guesses that name something: neither refusals, nor labels, nor copies of what stands in the
text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from intact.domain import BY_VALUE, PROPER, Answer, Challenge, EntityType, Guess
from intact.english.grammar import NounPhrase
from intact.english.quantities import parse_quantity
from intact.english.scan import parse_temporal
from intact.english.vocabulary import read_patterns, vocabulary
from intact.english.words import fold, normalise, words

_NOTHING = vocabulary("answers")["nothing"]
_WHOLE = frozenset(_NOTHING["whole"])
_STARTS = tuple(start + " " for start in _NOTHING["starts"])
_AGES = frozenset(_NOTHING["ages"])
_NUMBERLESS = PROPER | {EntityType.DEM}
_FORMS = read_patterns("answers")


def with_real_guesses(answers: Iterable[Answer], challenges: Sequence[Challenge]) -> list[Answer]:
    """Return answers of an attacker with only those guesses that name something, each once (the
    first of those that differ in case, articles or titles only), with ranks anew from 0.

    A leading place number ("[3] Oslo") is cut off, and a guess with the number of another place is
    left out. An answer without a guess left counts as unparsed; one of equal draws (``uniform``),
    or without guesses, stays as it is.

    Args:
        answers: of one attacker, in the order of ``challenges``.
        challenges: what it was shown. A copy of the words at the target is no guess, nor is, except
            at dates and amounts, a copy of those at another place.
    """
    standing: dict[tuple[int, int], frozenset[str]] = {}
    read = []
    for answer, challenge in zip(answers, challenges, strict=False):
        shown = id(challenge.text), id(challenge.placed)
        if shown not in standing:
            standing[shown] = challenge.standing.union(map(normalise, challenge.standing))
        real = answer.guesses and not answer.uniform
        read.append(_with_real_guesses(answer, challenge, standing[shown]) if real else answer)
    return read


def _with_real_guesses(answer: Answer, challenge: Challenge, standing: frozenset[str]) -> Answer:
    """Return an answer with only the guesses that name something, ranked anew from 0; it is
    unparsed if none is left.

    Args:
        answer: of an attacker.
        challenge: what it was shown.
        standing: the words at the other places of the text, as they are and normalised, which are
            no guesses, except at dates, amounts and the like.
    """
    own = normalise(challenge.replacement)
    # "1994" may stand at another place and yet be a guess at "the 1990s"
    copies = frozenset() if challenge.entity_type in BY_VALUE else standing
    kind = _kind(challenge.replacement, challenge.entity_type)
    kept: dict[str, Guess] = {}
    for guess in answer.guesses:
        marked = _FORMS["marked"].match(guess.text)
        said = (int(marked[1]) - 1, challenge.target) if marked else None
        if said and said not in ((one.entity, one.span) for one in challenge.placed):
            continue
        text = guess.text[marked.end() :] if marked else guess.text
        folded, bare = normalise(text), text.strip()
        name = bare[:1].isupper() and not bare.isupper() and not NounPhrase.of(bare).article
        copy = folded == own or bare in copies or (not name and normalise(bare) in copies)
        if not copy and not names_nothing(text, kind):  # "Army" is no copy of "an army"
            kept.setdefault(folded, Guess(text, len(kept), guess.logprob))
    return replace(answer, guesses=tuple(kept.values()), parsed=answer.parsed and bool(kept))


def _kind(replacement: str, entity_type: str) -> str:
    """Return the entity type as which guesses at a replacement are read: the original's, or
    QUANTITY for a trait (DEM) where a number ("30 to 40"), an age ("a young adult") or a label
    stands."""
    if entity_type != EntityType.DEM:
        return entity_type
    value = parse_quantity(replacement) or parse_temporal(replacement)
    number = value or _FORMS["label"].fullmatch(replacement)
    aged = not _AGES.isdisjoint(words(fold(replacement)))
    return EntityType.QUANTITY if number or aged else entity_type


@lru_cache(1 << 16)
def names_nothing(text: str, entity_type: str) -> bool:
    """Tell whether a guess names nothing: a refusal ("unknown"), a label ("PERSON_1"), marks
    without letters or digits, talk (four words or more, the last in lower case with a full stop),
    or, for a name, a mere class ("a town").

    Args:
        text: the guess as it was given.
        entity_type: the original's; a number names no person, place, body or trait (DEM).
    """
    folded = " ".join(fold(word) for word in words(text))
    bare = folded if entity_type in BY_VALUE else _FORMS["number_behind"].sub("", folded)
    return (
        not any(map(str.isalnum, text))
        or bare in _WHOLE
        or f"{folded} ".startswith(_STARTS)
        or _FORMS["label"].fullmatch(text.strip()) is not None
        or _FORMS["talk"].fullmatch(text.strip()) is not None
        or (entity_type in _NUMBERLESS and not any(map(str.isalpha, text)))
        or (entity_type in PROPER and _FORMS["mere_class"].fullmatch(text.strip()) is not None)
    )
