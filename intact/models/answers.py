"""What an attacker's answer names, if anything. An answer that names nothing is never safe.

Who reads an answer in words reads it here: the language model, which is asked again, and the
selection, for whatever attacker.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from intact.domain import BY_VALUE, Answer, Challenge, EntityType, Guess
from intact.english.agreement import split_article
from intact.english.fold import fold
from intact.english.quantities import parse_quantity
from intact.english.scan import parse_temporal
from intact.english.vocabulary import vocabulary
from intact.english.words import normalise, words

_NOTHING = vocabulary("answers")["nothing"]
_WHOLE = frozenset(_NOTHING["whole"])
_STARTS = tuple(start + " " for start in _NOTHING["starts"])
_PROPER = frozenset({EntityType.PERSON, EntityType.LOC, EntityType.ORG})
_NUMBERLESS = _PROPER | {EntityType.DEM}
_LABEL = re.compile(r"[\[<({]*(?:[A-Z]{2,}(?:_[A-Z]+)*_\d+|([Xx*_.])\1{2,})[\]>)}]*")
_MARKED = re.compile(r"\[(\d+)(?::[^\]]*)?\][:\s-]*")
_NUMBER_BEHIND = re.compile(r"(?<!\bno) \d+$")
_CLASS = re.compile(rf"(?:{_NOTHING['class']}) [^A-Z]+")
_TALK = re.compile(r"(?:\S+\s+){3,}[a-z]{3,}[.!]")


def checked(
    answers: Iterable[Answer], challenges: Sequence[Challenge], wanted: Callable[[str], int]
) -> list[Answer]:
    """Answers with nothing in them but guesses that name something, each once.

    An answer is not parsed if it has guesses and none of them names anything; a language
    model's also if it has fewer different ones than were asked for. An attacker other than a
    model may have no idea. Draws from a pool are left as they are.

    Args:
        answers: as given, one for each challenge.
        challenges: of one round; they tell what stands in the text.
        wanted: how many guesses an entity of a type was asked for.
    """
    standing: dict[tuple[int, int], frozenset[str]] = {}
    read = []
    for answer, challenge in zip(answers, challenges, strict=False):
        if not answer.uniform and (answer.guesses or answer.belief):
            shown = id(challenge.text), id(challenge.placed)
            if shown not in standing:
                standing[shown] = _standing(challenge)
            read.append(_checked(answer, challenge, standing[shown], wanted(challenge.entity_type)))
        else:
            read.append(answer)
    return read


def _standing(challenge: Challenge) -> frozenset[str]:
    """What stands in the text, and what a copy of it comes to."""
    said = {place.span.of(challenge.text) for place in challenge.placed}
    return frozenset(said | {normalise(text) for text in said})


def _copied(text: str, standing: frozenset[str]) -> bool:
    """Whether a guess is a copy of what stands there. "Army" is none of "an army"."""
    name = text[:1].isupper() and not text.isupper() and not split_article(text)[0]
    return text in standing or (not name and normalise(text) in standing)


def _checked(answer: Answer, challenge: Challenge, standing: frozenset[str], least: int) -> Answer:
    own = normalise(challenge.replacement)
    # "1994" may stand at another place and yet be a guess at "the 1990s"
    copies = frozenset() if challenge.entity_type in BY_VALUE else standing
    kind = _kind(challenge.replacement, challenge.entity_type)
    numbers = {place.entity + 1 for place in challenge.placed if place.span == challenge.target}
    kept: dict[str, Guess] = {}
    for guess in answer.guesses:
        marked = _MARKED.match(guess.text)
        if marked and int(marked[1]) not in numbers:
            continue
        text = guess.text[marked.end() :] if marked else guess.text
        folded = normalise(text)
        copy = folded == own or _copied(text.strip(), copies)
        if not copy and not names_nothing(text, kind):
            kept.setdefault(folded, replace(guess, text=text, rank=len(kept)))
    enough = len(kept) >= least if answer.belief else kept
    return replace(answer, guesses=tuple(kept.values()), parsed=answer.parsed and bool(enough))


def _kind(replacement: str, entity_type: str) -> str:
    """The type that guesses are read as: a number can be the trait of a person that stands as one
    ("30 to 40", an age), and whatever a label hides."""
    if entity_type != EntityType.DEM or not (
        _LABEL.fullmatch(replacement) or parse_quantity(replacement) or parse_temporal(replacement)
    ):
        return entity_type
    return EntityType.QUANTITY


@lru_cache(1 << 16)
def names_nothing(text: str, entity_type: str) -> bool:
    """Whether a guess names nothing: a refusal, a label, a mark, a mere class, talk.

    Args:
        text: the guess.
        entity_type: of what it is about; a bare number names no person, place or body.
    """
    folded = " ".join(fold(word) for word in words(text))
    bare = folded if entity_type in BY_VALUE else _NUMBER_BEHIND.sub("", folded)
    return (
        not any(map(str.isalnum, text))
        or bare in _WHOLE
        or f"{folded} ".startswith(_STARTS)
        or _LABEL.fullmatch(text.strip()) is not None
        or _TALK.fullmatch(text.strip()) is not None
        or (entity_type in _NUMBERLESS and not any(map(str.isalpha, text)))
        or (entity_type in _PROPER and _CLASS.fullmatch(text.strip()) is not None)
    )
