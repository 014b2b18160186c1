"""The terms of a document: what information content is counted of (Pilán et al. 2024, 4.1.1).

Non-overlapping stretches that are a named entity, a noun phrase, or a word that is no stop word.
Named entities are the document's annotated mentions. Noun phrases come from any spaCy pipeline
where one is named; without one the light splitter is used: a run of capitalised words and the
initials and particles between them ("European Court", "van der Berg") is one term, every other
word that is no stop word is its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from intact.domain import Document, Span
from intact.english.wordlists import STOP_WORDS
from intact.errors import MissingExtraError, ModelError

_WORD = re.compile(r"[^\W_]+(?:['’\-./][^\W_]+)*")
_PARTICLES = frozenset(
    ("de", "del", "della", "der", "den", "di", "du", "la", "le", "van", "von", "of")
)


@dataclass(frozen=True, slots=True)
class Term:
    """One term; ``entity`` says whether it is an annotated mention."""

    span: Span
    entity: bool = False


class TermSplitter(Protocol):
    """Finds the terms of text that no mention covers."""

    name: str

    def split(self, text: str) -> Sequence[Span]:
        """Terms in text order, not overlapping."""


class LightSplitter:
    """Runs of capitalised words, else single words; needs no model."""

    name = "light"

    def split(self, text: str) -> Sequence[Span]:
        """Terms in text order, not overlapping."""
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


class SpacySplitter:
    """Named entities and noun phrases of a spaCy pipeline, then words that are no stop words.

    Args:
        pipeline: name or folder of a pipeline with a parser.

    Raises:
        MissingExtraError: if spaCy is not installed.
        ModelError: if the pipeline cannot be loaded.
    """

    def __init__(self, pipeline: str) -> None:
        try:
            import spacy
        except ImportError:
            raise MissingExtraError.of("spacy", "detection") from None
        try:
            self._pipeline = spacy.load(pipeline)
        except Exception as error:  # noqa: BLE001 - whatever spaCy and its models raise
            raise ModelError(
                f"the spaCy pipeline cannot be loaded ({type(error).__name__})",
                where=pipeline,
                remedy=f"Install it with: python -m spacy download {pipeline}",
            ) from None
        self.name = f"spacy({pipeline})"

    def split(self, text: str) -> Sequence[Span]:
        """Terms in text order, not overlapping."""
        parsed = self._pipeline(text)
        chunks = list(parsed.noun_chunks) if parsed.has_annotation("DEP") else []
        taken: set[int] = set()
        spans: list[Span] = []
        for chunk in (*parsed.ents, *chunks):
            tokens = set(range(chunk.start, chunk.end))
            if not tokens & taken and chunk.text.strip():
                taken |= tokens
                spans.append(Span(chunk.start_char, chunk.end_char))
        for token in parsed:
            free = token.i not in taken and _WORD.search(token.text)
            if free and token.lower_ not in STOP_WORDS:
                spans.append(Span(token.idx, token.idx + len(token)))
        return sorted(spans)


def document_terms(document: Document, splitter: TermSplitter) -> tuple[Term, ...]:
    """The terms of ``document`` in text order, not overlapping.

    Overlapping mentions make one term; what the splitter finds is cut at the mentions' borders.
    """
    entities = _merged([mention.span for mention in document.mentions])
    terms = [Term(span, True) for span in entities]
    done = 0
    for gap_end, next_start in [*((e.start, e.end) for e in entities), (len(document.text), 0)]:
        gap = document.text[done:gap_end]
        terms += [Term(Span(done + span.start, done + span.end)) for span in splitter.split(gap)]
        done = next_start
    return tuple(sorted(terms, key=lambda term: term.span))


def word_spans(text: str) -> list[Span]:
    """Where the words of ``text`` stand."""
    return [Span(match.start(), match.end()) for match in _WORD.finditer(text)]


def words_of(text: str) -> list[str]:
    """The words of ``text``, as written."""
    return _WORD.findall(text)


def _merged(spans: list[Span]) -> list[Span]:
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start < merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(span.end, merged[-1].end))
        else:
            merged.append(span)
    return merged


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
