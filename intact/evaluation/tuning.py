"""Sweeping thresholds without new attacks: every rung is weighed once, settings only add up.

What a rung would keep (its share of its document's information times its similarity), whether it
would be guessed, and which words it would bring are worked out once for every entity. A setting
then chooses rungs, and its utility, inference risk and linkage risk are sums. They are estimates:
phrases are not yet fitted into sentences, and a run under the setting may end on another rung. What
a run has really made is measured by the same means.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from intact.domain import Decision, SanitizedDocument
from intact.evaluation.front import Point
from intact.evaluation.inference import GUESSES, attackable, closed_pool_ranks
from intact.evaluation.information import InformationContent
from intact.evaluation.labels import is_label
from intact.evaluation.pairs import masked_strings
from intact.evaluation.similarity import similarities
from intact.evaluation.terms import TermSplitter
from intact.evaluation.tps import Weighted, preserved, weigh
from intact.protocols import Embedder

Choice = Callable[[Decision], int | None]
"""The rung that a setting takes of an entity; None is the label."""


@dataclass(frozen=True, slots=True)
class _Rung:
    """One candidate (or the label) of one entity: what taking it adds.

    Attributes:
        kept: bits kept, over all mentions of the entity.
        guessed: mentions that the closed pool would give away.
        phrase: column of its words.
    """

    kept: float
    guessed: int
    phrase: int


@dataclass(frozen=True, slots=True)
class _Entity:
    document: int
    decision: Decision
    rungs: tuple[_Rung, ...]
    mentions: int
    attacked: bool


class Sweep:
    """The weighed rungs of a corpus that was sanitised with every rung attacked.

    Args:
        documents: the run's output, with decisions.
        background: public text by individual, or empty.
        owner: the individual a document is about.
    """

    def __init__(
        self,
        documents: Sequence[SanitizedDocument],
        embedder: Embedder,
        splitter: TermSplitter,
        information: InformationContent,
        background: Mapping[str, str],
        owner: Callable[[str], str] = lambda document_id: document_id,
    ) -> None:
        self._embedder = embedder
        self._weighted = weighted = [weigh(d.document, splitter, information) for d in documents]
        self._total = [sum(w.bits) for w in weighted]
        self._phrases: dict[str, int] = {}
        bits = [_mention_bits(w) for w in weighted]
        self._open = [
            total - sum(found.values()) for total, found in zip(self._total, bits, strict=True)
        ]
        self._entities = self._weigh(documents, bits, embedder)
        self._linker = None
        if background:
            texts = [_without_mentions(w) for w in weighted]
            owners = [owner(w.document.id) for w in weighted]
            self._linker = _Linker(background, owners, texts, list(self._phrases))

    def point(self, name: str, choose: Choice) -> Point:
        """What the setting ``choose`` would do."""
        kept = list(self._open)
        guessed = labels = attacked = 0
        taken: list[tuple[int, int, int]] = []
        for entity in self._entities:
            chosen = choose(entity.decision)
            rung = entity.rungs[-1 if chosen is None else chosen]
            kept[entity.document] += rung.kept
            taken.append((entity.document, rung.phrase, entity.mentions))
            if entity.attacked:
                attacked += entity.mentions
                guessed += rung.guessed
                labels += entity.mentions * (chosen is None)
        tps = [k / t if t else 1.0 for k, t in zip(kept, self._total, strict=True)]
        return Point(
            name,
            tps=sum(tps) / len(tps),
            inference=guessed / max(1, attacked),
            linkage=self._linker.linked(taken) if self._linker else math.nan,
            labels=labels / max(1, attacked),
        )

    def measured(self, name: str, documents: Sequence[SanitizedDocument]) -> Point:
        """What a run over the same documents has really done."""
        kept = preserved(self._weighted, [d.edits for d in documents], self._embedder)
        strings = [s for s in masked_strings(documents) if attackable(s.entity_type)]
        ranks = closed_pool_ranks(strings, self._embedder)
        count = max(1, len(strings))
        return Point(
            name,
            tps=sum(each.similarity for each in kept) / len(kept),
            inference=sum(0 <= rank < GUESSES for rank in ranks) / count,
            linkage=self._linker.linked_texts([d.text for d in documents])
            if self._linker
            else math.nan,
            labels=sum(is_label(s.after, s.entity_type) for s in strings) / count,
            measured=True,
        )

    def _weigh(
        self,
        documents: Sequence[SanitizedDocument],
        bits: Sequence[Mapping[str, float]],
        embedder: Embedder,
    ) -> list[_Entity]:
        hits = _pool_hits(documents, embedder)
        pairs = {
            (mention.text, text): 0.0
            for document in documents
            for decision in document.decisions
            for mention in decision.entity.mentions
            for text in _texts(decision)
        }
        pairs = dict(zip(pairs, similarities(embedder, list(pairs)), strict=True))
        found = []
        for at, document in enumerate(documents):
            for decision in document.decisions:
                mentions = decision.entity.mentions
                kind = decision.entity.entity_type
                rungs = tuple(
                    _Rung(
                        kept=sum(bits[at].get(m.id, 0.0) * pairs[m.text, text] for m in mentions),
                        guessed=sum(hits.get((kind, text, m.text), False) for m in mentions),
                        phrase=self._phrases.setdefault(text, len(self._phrases)),
                    )
                    for text in _texts(decision)
                )
                found.append(_Entity(at, decision, rungs, len(mentions), attackable(kind)))
        return found


def _texts(decision: Decision) -> list[str]:
    """The candidates' texts, then the label."""
    return [*(candidate.text for candidate in decision.ladder), decision.label]


def _mention_bits(weighted: Weighted) -> dict[str, float]:
    """Bits of the terms that each masked mention covers; shared ones go to the first."""
    found: dict[str, float] = {}
    ends = [term.span.end for term in weighted.terms]
    done = 0
    for mention in sorted(weighted.document.mentions, key=lambda m: (m.span.start, -m.span.end)):
        if not mention.masked:
            continue
        first = max(done, bisect_right(ends, mention.span.start))
        done = first
        while done < len(ends) and weighted.terms[done].span.start < mention.span.end:
            done += 1
        found[mention.id] = sum(weighted.bits[first:done])
    return found


def _without_mentions(weighted: Weighted) -> str:
    parts, done = [], 0
    for mention in sorted(weighted.document.mentions, key=lambda m: m.span):
        if mention.masked and mention.span.end > done:
            parts.append(weighted.document.text[done : max(done, mention.span.start)])
            done = mention.span.end
    parts.append(weighted.document.text[done:])
    return " ".join(parts)


def _pool_hits(
    documents: Sequence[SanitizedDocument], embedder: Embedder
) -> dict[tuple[str, str, str], bool]:
    """(type, replacement, original) -> whether the closed pool's first five have the original."""
    import numpy as np

    wanted: dict[str, dict[tuple[str, str], None]] = {}
    for decision in (d for document in documents for d in document.decisions):
        kind = decision.entity.entity_type
        if attackable(kind):
            for mention in decision.entity.mentions:
                for text in _texts(decision):
                    wanted.setdefault(kind, {})[text, mention.text] = None
    hits: dict[tuple[str, str, str], bool] = {}
    for kind, pairs in wanted.items():
        pool = sorted({original for _, original in pairs})
        texts = sorted({text for text, _ in pairs})
        near = embedder.embed(texts) @ embedder.embed(pool).T
        fifth = np.sort(near, axis=1)[:, -min(GUESSES, len(pool))]
        row = {text: at for at, text in enumerate(texts)}
        column = {text: at for at, text in enumerate(pool)}
        for text, original in pairs:
            value = near[row[text], column[original]]
            hits[kind, text, original] = bool(value >= fifth[row[text]])
    return hits


class _Linker:
    """TF-IDF linkage of documents given as fixed words plus the words of chosen phrases."""

    def __init__(
        self,
        background: Mapping[str, str],
        owners: Sequence[str],
        texts: Sequence[str],
        phrases: Sequence[str],
    ) -> None:
        from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

        self._count: Any = CountVectorizer(stop_words="english")
        count = self._count
        known = count.fit_transform(background.values())
        self._transform: Any = TfidfTransformer(sublinear_tf=True)
        self._known = self._transform.fit_transform(known).T
        self._fixed = count.transform(texts)
        self._phrases = count.transform(phrases)
        place = {name: at for at, name in enumerate(background)}
        self._rows = [at for at, name in enumerate(owners) if name in place]
        self._own = [place[owners[at]] for at in self._rows]

    def linked(self, taken: Sequence[tuple[int, int, int]]) -> float:
        """Share of documents linked, for (document, phrase, times) of everything chosen."""
        from scipy.sparse import csr_matrix

        rows, columns, times = (list(values) for values in zip(*taken, strict=True))
        shape = (self._fixed.shape[0], self._phrases.shape[0])
        counts = self._fixed + csr_matrix((times, (rows, columns)), shape) @ self._phrases
        return self._share(counts)

    def linked_texts(self, texts: Sequence[str]) -> float:
        """Share of whole documents linked."""
        return self._share(self._count.transform(texts))

    def _share(self, counts: Any) -> float:
        import numpy as np

        if not self._rows:
            return math.nan
        near = (self._transform.transform(counts[self._rows]) @ self._known).toarray()
        return float(np.mean(near.argmax(axis=1) == np.asarray(self._own)))
