"""The arithmetic of the published TPS code, faults included, for comparing with its figures.

Against the metric as defined it (1) counts every token as a term, stop words and punctuation too,
(2) takes a term for edited only if a mask begins or ends in it, so terms in the middle of a longer
mask score as preserved, (3) joins masks that touch and overlooks one that ends the text, and
(4) gives every term at a mask's border the similarity of the whole mask. Its information content
comes from BERT in segments of 100 tokens: ``BertInformation(window=100, context=0)``.

Described from the published code of Pilán et al. 2024 (eval_TPS.py, MIT); not copied from it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from intact.domain import Document, Edit, Span
from intact.evaluation.information import InformationContent
from intact.evaluation.similarity import similarities
from intact.evaluation.terms import Term, TermSplitter
from intact.protocols import Embedder

_TOKEN = re.compile(r"\w+|[^\w\s]")


def reference_preserved(
    document: Document,
    edits: Sequence[Edit],
    splitter: TermSplitter,
    information: InformationContent,
    embedder: Embedder,
) -> tuple[float, float]:
    """TPS and TPI of one document under the reference's arithmetic."""
    text = document.text
    terms = _terms(text, splitter)
    bits = information.bits(text, [Term(term) for term in terms])
    masks = _joined([edit.span for edit in edits], len(text))
    untouched = [0.0 if any(_borders(mask, t) for mask in masks) else 1.0 for t in terms]
    near = list(untouched)
    replaced = [edit for edit in edits if edit.text]
    values = similarities(embedder, [(edit.span.of(text), edit.text) for edit in replaced])
    for edit, value in zip(replaced, values, strict=True):
        for index, term in enumerate(terms):
            if _borders(edit.span, term):
                near[index] = value
    total = sum(bits)
    if not total:
        return 1.0, 1.0
    return (
        sum(b * s for b, s in zip(bits, near, strict=True)) / total,
        sum(b * s for b, s in zip(bits, untouched, strict=True)) / total,
    )


def _terms(text: str, splitter: TermSplitter) -> list[Span]:
    phrases = list(splitter.split(text))
    taken = bytearray(len(text))
    for phrase in phrases:
        taken[phrase.start : phrase.end] = b"\1" * len(phrase)
    tokens = [Span(match.start(), match.end()) for match in _TOKEN.finditer(text)]
    return sorted([*phrases, *(token for token in tokens if not taken[token.start])])


def _joined(masks: list[Span], length: int) -> list[Span]:
    joined: list[Span] = []
    for mask in sorted(masks):
        if joined and mask.start <= joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(mask.end, joined[-1].end))
        else:
            joined.append(mask)
    return [mask for mask in joined if mask.end < length]


def _borders(mask: Span, term: Span) -> bool:
    return term.start <= mask.start < term.end or term.start < mask.end <= term.end
