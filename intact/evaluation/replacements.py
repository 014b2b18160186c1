"""Small metrics of what stands for the masked mentions, and of how much was changed at all."""

from __future__ import annotations

import lzma

from intact.domain import Score
from intact.evaluation.metric import Metric, Pairs, valued
from intact.evaluation.pairs import masked_strings
from intact.evaluation.statistics import Tally
from intact.evaluation.terms import word_spans

_FILTERS = ({"id": lzma.FILTER_LZMA2, "preset": 9, "dict_size": 1 << 20},)


class LabelShare(Metric):
    """Share of masked mentions (names and codes apart) that ended on a bare type label."""

    name = "labels"
    title = "Bare labels"
    better = "lower"
    source = "Pilán et al. 2024, 5.4 and table 5"

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """Overall, then by entity type."""
        strings = [string for string in masked_strings(pairs) if string.attackable]
        return self.by_type(
            valued(strings, [float(is_label(s.after, s.entity_type)) for s in strings])
        )


class WordsChanged(Metric):
    """Share of the original's words that an edit reaches into."""

    name = "words_changed"
    title = "Words changed"
    better = "lower"
    source = "Morris et al. 2022, table 2 (% masked)"

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """One score over all words."""
        tallies = {}
        for one in pairs:
            spans = word_spans(one.document.text)
            changed, at = 0, 0
            for span in spans:
                while at < len(one.edits) and one.edits[at].span.end <= span.start:
                    at += 1
                changed += at < len(one.edits) and one.edits[at].span.overlaps(span)
            tallies[one.document.id] = Tally(changed, len(spans))
        return (self.mean(tallies),)


class InformationLoss(Metric):
    """1 - compressed size after / compressed size before, over all documents; below zero where
    replacements carry more characters' worth of surprise than the originals did."""

    name = "information_loss"
    title = "Information loss (compression)"
    better = "lower"
    source = "Morris et al. 2022, section 6.4 and table 2"

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """One score: bytes lost over bytes there were."""
        tallies = {}
        for one in pairs:
            before = compressed_size(one.document.text)
            tallies[one.document.id] = Tally(before - compressed_size(one.text), before)
        return (self.mean(tallies, compressor="lzma2-9"),)


def is_label(text: str, entity_type: str) -> bool:
    """Whether ``text`` is a bare type label, numbered or not.

    Args:
        text: a replacement: "ORG_2", "[ORG 2]", "***".
        entity_type: the type whose label it may be.
    """
    bare = text.strip("[]<>() ").rstrip("0123456789").rstrip("_ ")
    return bare.upper() == entity_type or (bool(text.strip()) and not text.strip("*_ "))


def compressed_size(text: str) -> int:
    """Bytes of ``text`` under LZMA2 without container."""
    return len(lzma.compress(text.encode(), format=lzma.FORMAT_RAW, filters=_FILTERS))
