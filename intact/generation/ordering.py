"""Which of two candidates says less, where that can be told without asking."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from intact.domain import Candidate
from intact.generation.chain import contains
from intact.text.agreement import head_end
from intact.text.words import content_lemmas

Subsumes = Callable[[str, str, str], bool | None]
"""general, specific, entity type -> whether it is true of it, None if unknown."""


def reordered(
    candidates: Sequence[Candidate], entity_type: str, subsumes: Subsumes | None = None
) -> list[Candidate]:
    """The candidates with each before those that plainly contain it; else as they came."""
    ordered: list[Candidate] = []
    for candidate in candidates:
        place = next(
            (
                index
                for index, other in enumerate(ordered)
                if narrower(candidate, other, entity_type, subsumes)
            ),
            len(ordered),
        )
        ordered.insert(place, candidate)
    return ordered


def narrower(
    one: Candidate, other: Candidate, entity_type: str, subsumes: Subsumes | None = None
) -> bool:
    """Whether ``one`` plainly says more than ``other``.

    It does if its interval lies in the other's; if it has the other's head and every content
    word of it, and more ("a city in Turkey", "a city"); or if the knowledge base says that the
    other is true of it.
    """
    if contains(other.subsumes, one.subsumes):
        return True
    if contains(one.subsumes, other.subsumes):
        return False
    more, less = content_lemmas(one.text), content_lemmas(other.text)
    if less and less < more and _head(one.text) == _head(other.text):
        return True
    if subsumes is None or (more and more < less):
        return False
    return bool(subsumes(other.text, one.text, entity_type)) and not subsumes(
        one.text, other.text, entity_type
    )


def _head(phrase: str) -> str:
    """The last word of the phrase's head noun group."""
    head = phrase[: head_end(phrase)].split()
    return head[-1].casefold() if head else ""
