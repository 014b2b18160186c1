"""Information content of terms: IC(t) = -log2 P(t) in bits (Pilán et al. 2024, eq. 3)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, Protocol

from intact.english.wordlists import STOP_WORDS
from intact.errors import MissingExtraError
from intact.evaluation.terms import Term, words_of

_FLOOR = 1e-8  # below the rarest word that wordfreq's large English list knows


class InformationContent(Protocol):
    """Estimates how surprising terms are where they stand."""

    name: str

    def bits(self, text: str, terms: Sequence[Term]) -> Sequence[float]:
        """-log2 P of each term in ``text``, each >= 0."""


class FrequencyInformation:
    """P of a term from the frequency of its words in general language (wordfreq); needs no model.

    Words are taken as independent, so a term's bits are the sum over its words that are no stop
    words; ``combine="rarest"`` counts the rarest word only, as the paper does with sub-tokens.

    Args:
        language: wordfreq's code.
        combine: "sum" or "rarest".
    """

    def __init__(self, language: str = "en", combine: Literal["sum", "rarest"] = "sum") -> None:
        self.name = f"frequency({language},{combine})"
        self._language = language
        self._combine = combine
        self._known: dict[str, float] = {}

    def bits(self, text: str, terms: Sequence[Term]) -> Sequence[float]:
        """-log2 P of each term, at most 27 bits a word."""
        return [self._of(term.span.of(text)) for term in terms]

    def _of(self, term: str) -> float:
        words = [word.lower() for word in words_of(term)]
        content = [word for word in words if word not in STOP_WORDS] or words
        bits = [self._word(word) for word in content]
        return sum(bits) if self._combine == "sum" else max(bits, default=0.0)

    def _word(self, word: str) -> float:
        if word not in self._known:
            try:
                from wordfreq import word_frequency
            except ImportError:
                raise MissingExtraError.of("wordfreq", "evaluation") from None
            probability = max(word_frequency(word, self._language), _FLOOR)
            self._known[word] = -math.log2(min(probability, 1.0))
        return self._known[word]


class Remembered:
    """Another estimate, asked once for each text and its terms: models are slow.

    Args:
        information: what is asked.
    """

    def __init__(self, information: InformationContent) -> None:
        self.name = information.name
        self._information = information
        self._known: dict[tuple[str, tuple[Term, ...]], Sequence[float]] = {}

    def bits(self, text: str, terms: Sequence[Term]) -> Sequence[float]:
        """What the other says."""
        key = (text, tuple(terms))
        if key not in self._known:
            self._known[key] = self._information.bits(text, terms)
        return self._known[key]
