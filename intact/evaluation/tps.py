"""Text Preserved Similarity and Text Preserved Information (Pilán et al. 2024, eq. 4-7).

TPS(D', D) = sum over the terms t of D of RIC(t) * sim(t, replacement of t), RIC(t) = IC(t)/TIC. TPI
is the same with similarity 1 for an untouched term and 0 for any other. Terms are taken from the
original alone, so every system is weighed with the same weights, which sum to one. Terms that one
edit covers together are compared together, so none in a long mask counts as untouched.
"""

from collections.abc import Sequence
from operator import mul

from intact.domain import Covered, Document, Score, Span, gaps_between
from intact.english.vocabulary import STOP_WORDS
from intact.evaluation.corpus import masked_strings, merge_spans, regions
from intact.evaluation.metric import WORD, Metric, Pairs, valued, word_bits
from intact.protocols import Embedder

_PARTICLES = frozenset("de del della der den di du la le van von of".split())


def document_terms(document: Document) -> list[Span]:
    """Return the spans of a document's terms, ascending, not overlapping: its mentions, masked or
    not (overlapping ones merged), and, between them, names and single words that are no stop
    words."""
    terms = merge_spans(mention.span for mention in document.mentions)
    for start, end in gaps_between(terms, len(document.text)):
        words = names_and_words(document.text[start:end])
        terms += [Span(start + word.start, start + word.end) for word in words]
    return sorted(terms)


def names_and_words(text: str) -> list[Span]:
    """Return the spans of runs of capitalised words (names, with particles and initials inside: "J.
    van der Berg") and of single words that are no stop words, in text order, not overlapping."""
    words = list(WORD.finditer(text))
    spans: list[Span] = []
    index = 0
    while index < len(words):
        last = index
        for at in range(index + 1, len(words) if _capital(words[index].group()) else 0):
            before, word = words[at - 1], words[at].group()
            between = text[before.end() : words[at].start()]
            if between != " " and not (between == ". " and len(before.group()) == 1):  # initials
                break
            if _capital(word):
                last = at
            elif word not in _PARTICLES:
                break
        if last > index or words[index].group().lower() not in STOP_WORDS:
            spans.append(Span(words[index].start(), words[last].end()))
        index = last + 1
    return spans


def word_spans(text: str) -> list[Span]:
    """Return the spans of a text's words, in order; "mother-in-law's", "3.5" and "12/05" are one
    word each, "_" is none."""
    return [Span(match.start(), match.end()) for match in WORD.finditer(text)]


def similarities(embedder: Embedder, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Return how much of each original its replacement keeps, in order: the cosine of their
    embeddings, clipped to [0, 1]; 1 if both are equal, 0 if only one is empty. White space at their
    ends does not count.

    Args:
        embedder: gives unit vectors; asked once for all texts.
        pairs: originals and replacements.

    Source: Pilán et al. 2024, eq. 6.
    """
    stripped = [(before.strip(), after.strip()) for before, after in pairs]
    wanted = [pair for pair in stripped if pair[0] and pair[1] and pair[0] != pair[1]]
    texts = sorted({text for pair in wanted for text in pair})
    row = {text: index for index, text in enumerate(texts)}
    vectors = embedder.embed(texts)
    near = {pair: float(vectors[row[pair[0]]] @ vectors[row[pair[1]]]) for pair in wanted}
    return [float(a == b) or min(1.0, max(0.0, near.get((a, b), 0.0))) for a, b in stripped]


def _capital(word: str) -> bool:
    """Tell whether a word is capitalised and no stop word."""
    return word[0].isupper() and word.lower() not in STOP_WORDS


class TextPreservedSimilarity(Metric):
    """Share of the text's information that is kept, weighted by the similarity of originals and
    replacements. 1 for an unedited text; each document counts the same."""

    name = "tps"

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """Score the share of a text's information that its edited version keeps, 0 to 1, as the
        mean over documents; a document without terms counts as 1. There are no parts."""
        split, compared = [], []
        for one in pairs:
            text, terms = one.document.text, document_terms(one.document)
            parts = regions(text, terms, one.edits)
            bits = [sum(word_bits(term.of(text))) for term in terms]
            split.append((one.document.id, parts, bits))
            compared += [(part.span.of(text), part.after) for part in parts if part.touched]
        near = iter(self._kept(compared))
        values = []
        for key, parts, bits in split:
            held = [sum(bits[unit] for unit in region.units) for region in parts]
            kept = [next(near) if region.touched else 1.0 for region in parts]
            total = sum(held)
            values.append((key, sum(map(mul, held, kept)) / total if total else 1.0))
        encoder = self.context.embedder.name
        return (self.mean(values, ic="frequency(en,sum)", terms="light", encoder=encoder),)

    def _kept(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float]:
        """Return how much of each original its replacement keeps, 0 to 1, in order."""
        return similarities(self.context.embedder, pairs)


class TextPreservedInformation(TextPreservedSimilarity):
    """Share of the text's information in terms that no edit has touched: what TPS would be if every
    edit deleted its text."""

    name = "tpi"

    def _kept(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float]:
        """Return 1 for each original that its replacement equals, 0 for any other, in order."""
        return [float(before == after) for before, after in pairs]


class SpanSimilarity(Metric):
    """Mean similarity of each masked mention to its replacement, overall and by type. Mentions
    count the same, whatever their information."""

    name = "span_similarity"

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """Score the mean similarity of masked mentions to their replacements, 0 to 1: overall, then
        by entity type."""
        strings = masked_strings(pairs)
        embedder = self.context.embedder
        near = similarities(embedder, [(string.before, string.after) for string in strings])
        return self.by_type(valued(strings, near), encoder=embedder.name)


class WordsChanged(Metric):
    """Share of the original's words that an edit overlaps."""

    name = "words_changed"

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """Score the share of the originals' words that an edit overlaps, even one that changes
        nothing, over the words of all documents together; there are no parts."""
        units: list[tuple[str, float]] = []
        for one in pairs:
            text, words = one.document.text, word_spans(one.document.text)
            edited = Covered(text, (edit.span for edit in one.edits))
            units += ((one.document.id, edited.touches(word)) for word in words)
        return (self.mean(units),)
