"""The terms of a document, what each tells, and how alike two of them are.

Terms (Pilán et al. 2024, 4.1.1) are stretches that do not overlap: an annotated mention, a run of
capitalised words with the initials and particles between them ("European Court", "van der Berg"),
or another word that is no stop word. Their information content is IC(t) = -log2 P(t) in bits
(eq. 3), here from word frequencies; their similarity is that of sentence embeddings (eq. 6).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from intact.domain import Document, Span
from intact.english.vocabulary import STOP_WORDS
from intact.errors import require
from intact.protocols import Embedder

_WORD = re.compile(r"[^\W_]+(?:['’\-./][^\W_]+)*")
_PARTICLES = frozenset(
    ("de", "del", "della", "der", "den", "di", "du", "la", "le", "van", "von", "of")
)
_FLOOR = 1e-8  # below the rarest word that wordfreq's large English list knows


@dataclass(frozen=True, slots=True)
class TextTerm:
    """One term; ``entity`` says whether it is an annotated mention."""

    span: Span
    entity: bool = False


class FrequencyInformation:
    """P of a term from the frequency of its words in general language (wordfreq); needs no model.

    Words are taken as independent, so a term's bits are the sum over its words that are no stop
    words; ``combine="rarest"`` counts the rarest word only, as the paper does with sub-tokens.

    Args:
        combine: "sum" or "rarest".
    """

    def __init__(self, combine: Literal["sum", "rarest"] = "sum") -> None:
        self.name = f"frequency(en,{combine})"
        self._combine = combine
        self._known: dict[str, float] = {}

    def bits(self, text: str, terms: Sequence[TextTerm]) -> Sequence[float]:
        """-log2 P of each term, at most 27 bits a word.

        Args:
            text: the text the terms are of.
            terms: any stretches of it.

        Raises:
            MissingExtraError: if wordfreq is not installed.
        """
        return [self.of(term.span.of(text)) for term in terms]

    def of(self, term: str) -> float:
        """-log2 P of one term."""
        words = [word.lower() for word in _WORD.findall(term)]
        content = [word for word in words if word not in STOP_WORDS] or words
        bits = [self._word(word) for word in content]
        return sum(bits) if self._combine == "sum" else max(bits, default=0.0)

    def _word(self, word: str) -> float:
        if word not in self._known:
            probability = max(require("wordfreq").word_frequency(word, "en"), _FLOOR)
            self._known[word] = -math.log2(min(probability, 1.0))
        return self._known[word]


def document_terms(document: Document) -> tuple[TextTerm, ...]:
    """The terms of ``document`` in text order, not overlapping.

    Mentions that overlap make one term; names and words are cut at the mentions' borders.
    """
    entities: list[Span] = []
    for span in sorted(mention.span for mention in document.mentions):
        if entities and span.start < entities[-1].end:
            entities[-1] = Span(entities[-1].start, max(span.end, entities[-1].end))
        else:
            entities.append(span)
    terms = [TextTerm(span, True) for span in entities]
    done = 0
    for gap_end, next_start in [*((e.start, e.end) for e in entities), (len(document.text), 0)]:
        gap = document.text[done:gap_end]
        terms += [
            TextTerm(Span(done + span.start, done + span.end)) for span in names_and_words(gap)
        ]
        done = next_start
    return tuple(sorted(terms, key=lambda term: term.span))


def names_and_words(text: str) -> list[Span]:
    """Runs of capitalised words, and the single words that are no stop words; in text order."""
    words = list(_WORD.finditer(text))
    spans: list[Span] = []
    index = 0
    while index < len(words):
        last = _name_end(text, words, index)
        span = Span(words[index].start(), words[last].end())
        if last > index or words[index].group().lower() not in STOP_WORDS:
            spans.append(span)
        index = last + 1
    return spans


def word_spans(text: str) -> list[Span]:
    """Where the words of ``text`` stand."""
    return [Span(match.start(), match.end()) for match in _WORD.finditer(text)]


def similarities(embedder: Embedder, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """How much of the meaning of each original its replacement keeps (Pilán et al. 2024, eq. 6).

    Args:
        embedder: gives unit vectors.
        pairs: original and replacement.

    Returns:
        Cosine of the embeddings of each pair, clipped to [0, 1]: 1 where both are equal, 0 where
        nothing stands for the original.
    """
    stripped = [(before.strip(), after.strip()) for before, after in pairs]
    wanted = [pair for pair in stripped if pair[0] and pair[1] and pair[0] != pair[1]]
    texts = sorted({text for pair in wanted for text in pair})
    row = {text: index for index, text in enumerate(texts)}
    vectors = embedder.embed(texts)
    known = {
        pair: min(1.0, max(0.0, float(vectors[row[pair[0]]] @ vectors[row[pair[1]]])))
        for pair in dict.fromkeys(wanted)
    }
    return [
        1.0 if before == after else known.get((before, after), 0.0) for before, after in stripped
    ]


def _name_end(text: str, words: list[re.Match[str]], first: int) -> int:
    """Index of the last word of the capitalised run that starts at ``first``."""
    last = first
    if not _capital(words[first].group()):
        return last
    for index in range(first + 1, len(words)):
        before, word = words[index - 1], words[index].group()
        between = text[before.end() : words[index].start()]
        initial = between == ". " and len(before.group()) == 1
        if between != " " and not initial:
            break
        if _capital(word):
            last = index
        elif word not in _PARTICLES:
            break
    return last


def _capital(word: str) -> bool:
    return word[0].isupper() and word.lower() not in STOP_WORDS
