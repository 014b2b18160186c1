"""Information lost, as a compressor sees it (Morris et al. 2022, section 6.4 and table 2)."""

from __future__ import annotations

import lzma

from intact.domain import Score
from intact.evaluation.metric import Metric, Pairs
from intact.evaluation.statistics import Tally, mean_score, sign

_FILTERS = ({"id": lzma.FILTER_LZMA2, "preset": 9, "dict_size": 1 << 20},)


class InformationLoss(Metric):
    """1 - compressed size after / compressed size before, over all documents; below zero where
    replacements carry more characters' worth of surprise than the originals did."""

    name = "information_loss"
    title = "Information loss (compression)"
    better = "lower"
    source = "Morris et al. 2022, table 2"

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """One score: bytes lost over bytes there were."""
        tallies = {}
        for one in pairs:
            before = compressed_size(one.document.text)
            tallies[one.document.id] = Tally(before - compressed_size(one.text), before)
        signature = sign(self.name, compressor="lzma2-9", n=len(tallies), seed=self.context.seed)
        return (mean_score(self.name, tallies, signature=signature, seed=self.context.seed),)


def compressed_size(text: str) -> int:
    """Bytes of ``text`` under LZMA2 without container."""
    return len(lzma.compress(text.encode(), format=lzma.FORMAT_RAW, filters=_FILTERS))
