"""A head on the tagger's states: which kind of the tree each mention is of, in its sentence.

What the words can mean comes from the lexicon and the knowledge base, what the sentence says from
the network; a log-linear model learned how far to believe each (``eval/documents/kinds.py``). A
kind has the probability of all that is below it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np
from safetensors.numpy import load_file

from intact.config import KIND_HEAD
from intact.detection.tagger import WINDOW, Pieces, Tagger, load_tagger
from intact.domain import EntityType, Mention
from intact.errors import ModelError
from intact.knowledge.lexicon import Lexicon

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float32]

TYPES = (EntityType.ORG, EntityType.LOC, EntityType.DEM, EntityType.MISC)
_LEAST = 0.005  # kinds less likely than this are not told
_AROUND = 40  # tokens read on each side of a span
_NEAR = 400  # characters in which these are looked for


class KindHead:
    """Gives every kind its probability in the sentence.

    Args:
        tagger: on whose states it stands.
        lexicon: what words can mean, with its tree of kinds.
        weights: ``mean`` and ``spread`` of the features, shape (features,); ``features``, shape
            (features, rank); ``kinds``, shape (kinds + 1, rank), the last for none of them;
            ``bias``, shape (types, kinds + 1); ``lexicon``, shape (4,); ``temper``, shape (1,);
            ``tree``, a digest of the kinds in their order.

    Raises:
        ModelError: if the weights are for another tree.
    """

    def __init__(self, tagger: Tagger, lexicon: Lexicon, weights: Mapping[str, Array]) -> None:
        tree = lexicon.tree
        self._tagger, self._lexicon = tagger, lexicon
        self._weights = {name: values.astype(np.float32) for name, values in weights.items()}
        self._ids = [kind.id for kind in tree]
        if bytes(weights["tree"]) != digest_of(self._ids):
            raise ModelError("the head is for another tree of kinds", remedy="Train it again.")
        self._number = {kind: number for number, kind in enumerate(self._ids)}
        self._parents = np.array([self._number.get(kind.parent, -1) for kind in tree])
        depth = np.array([len(tree.path(kind)) for kind in self._ids])
        self._levels = [np.flatnonzero(depth == level) for level in range(2, depth.max() + 1)]

    def read(
        self, text: str, mentions: Sequence[Mention], known: Sequence[str]
    ) -> list[Mapping[str, float]]:
        """Return for each mention its kinds with their probabilities, in [0, 1].

        Args:
            text: of the document.
            mentions: of places, organisations, characteristics and particulars.
            known: for each mention the kind that the knowledge base takes it for, or "".
        """
        if not mentions:
            return []
        seen = features(self._tagger, text, [(m.span.start, m.span.end) for m in mentions])
        own = self._weights
        heard = ((seen - own["mean"]) / own["spread"]) @ own["features"]
        types = [
            TYPES.index(m.entity_type) if m.entity_type in TYPES else len(TYPES) - 1
            for m in mentions
        ]
        logits = heard @ own["kinds"].T + own["bias"][types]
        for row, (mention, kind) in enumerate(zip(mentions, known, strict=True)):
            channels = (*self._lexicon.read(mention.text), {kind: 1.0} if kind else {})
            for weight, senses in zip(own["lexicon"], channels, strict=True):
                if senses:
                    logits[row, :-1] += weight * self._along_paths(senses)
        logits *= own["temper"]
        shares = np.exp(logits - logits.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        sums = self._summed(shares[:, :-1])
        return [
            {self._ids[at]: float(row[at]) for at in np.flatnonzero(row >= _LEAST)} for row in sums
        ]

    def _summed(self, shares: Array) -> Array:
        """Return for each kind the sum of it and all below, shape (mentions, kinds)."""
        sums: Array = shares.copy()
        for level in reversed(self._levels):
            np.add.at(sums.T, self._parents[level], sums.T[level])
        return sums

    def _along_paths(self, senses: Mapping[str, float]) -> Array:
        """Return for each kind how much of the senses lies on its way to the top."""
        masses = np.zeros((1, len(self._ids)), dtype=np.float32)
        for kind, share in senses.items():
            masses[0, self._number[kind]] += share
        sums: Array = self._summed(masses)[0]
        for level in self._levels:
            sums[level] += sums[self._parents[level]]
        return sums


def load_kind_head(lexicon: Lexicon) -> KindHead:
    """Return the shipped head on the shipped tagger.

    Args:
        lexicon: what words can mean.

    Raises:
        ModelError: if it is missing or for another tree.
    """
    try:
        weights = load_file(KIND_HEAD)
    except Exception as error:  # noqa: BLE001  (missing, cut short or something else)
        raise ModelError(
            f"the head of kinds cannot be read ({type(error).__name__})", where=str(KIND_HEAD)
        ) from None
    return KindHead(load_tagger(), lexicon, weights)


def digest_of(kinds: Iterable[str]) -> bytes:
    """Return what tells one order of kinds from another, 32 bytes."""
    return sha256("\n".join(kinds).encode()).digest()


def features(tagger: Tagger, text: str, spans: Sequence[tuple[int, int]]) -> Array:
    """Return what the network makes of spans of a text.

    Args:
        tagger: whose network reads the text, where the spans are.
        text: of the document.
        spans: start and end of each.

    Returns:
        Shape (spans, 3 * dimensions): the mean of the last states of a span's tokens, the last
        state of its last token, the mean of its words' embeddings. A span without a token is 0.
    """
    found = []
    for start, end in spans:
        pieces, inside = _tokens_near(tagger, text, start, end)
        window = _window_around(inside, len(pieces.ids)) if len(inside) else slice(0)
        states, words = tagger.read_window(pieces, window, "states", "words")
        own = inside[inside < window.stop] - window.start
        if len(own):
            seen = [states[own].mean(axis=0), states[own[-1]], words[own].mean(axis=0)]
        else:
            seen = [np.zeros(states.shape[1], dtype=np.float32)] * 3
        found.append(np.concatenate(seen))
    return np.stack(found)


def _tokens_near(
    tagger: Tagger, text: str, start: int, end: int
) -> tuple[Pieces, NDArray[np.int64]]:
    """Return the text around a span as the network reads it, and which of its tokens are in it."""
    first = max(0, start - _NEAR)
    pieces = tagger.reader.read(text[first : end + _NEAR])
    begins = np.array([pieces.words[owner].start for owner in pieces.owner], dtype=np.int64)
    ends = np.array([pieces.words[owner].end for owner in pieces.owner], dtype=np.int64)
    return pieces, np.flatnonzero((begins < end - first) & (ends > start - first))


def _window_around(tokens: NDArray[np.int64], length: int) -> slice:
    """Return the tokens that are read for a span: its own and some on each side."""
    start = max(0, int(tokens[0]) - _AROUND)
    end = min(int(tokens[-1]) + 1 + _AROUND, start + WINDOW, length)
    return slice(start, end)
