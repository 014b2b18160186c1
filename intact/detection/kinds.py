"""Heads on the tagger's states: which kind of the tree each mention is of in its sentence, and
which place its words fill there.

What the words can mean comes from the lexicon and the knowledge base, what the sentence says from
the network; a log-linear model has learned how much weight each gets (``eval/documents/kinds.py``).
The probability of a kind includes those of all kinds below it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256

import numpy as np
from safetensors.numpy import load_file

from intact.detection.tagger import STEP, WINDOW, Tagger, load_tagger
from intact.domain import DETECTED, Document, EntityType, Mention, Span
from intact.errors import ModelError, loading
from intact.knowledge.kinds import Lexicon
from intact.models.network import Array, softmax
from intact.protocols import SentenceReading
from intact.shipped import KIND_HEAD

TYPES = (EntityType.ORG, EntityType.LOC, EntityType.DEM, EntityType.MISC)
_AROUND = 40  # tokens read on each side of a mention, if it was not detected
_LEAST = 0.005  # kinds less likely than this are left out
SLOTS = ("field", "nominal", "plural", "adj", "pred", "verb", "clause")
_FIELD = SLOTS.index("field")
_NO_FIELD = 0.1  # if less probably a field of a form, a label fits as badly as a wrong slot
_LIKELY_SLOT = 0.5
_SURE_SLOT = 0.8  # right in 92 % of new documents


class KindHead:
    """Gives every kind its probability in the sentence.

    Args:
        tagger: whose network reads.
        lexicon: knows what words can mean.
        weights: ``mean`` and ``spread`` of the features, shape (features,); ``features``, shape
            (features, rank); ``kinds``, shape (kinds + 1, rank), the last row for no kind;
            ``bias``, shape (types, kinds + 1); ``lexicon``, shape (4,), the weights of what the
            words can mean; ``trust``, shape (features + 1, 4), how the sentence changes these;
            ``temper``, shape (1,); ``tree``, a digest of the kinds in their order. For the slots:
            ``place_mean`` and ``place_spread``, shape (place features,); ``hidden``, shape (place
            features + 1, units), and ``slots``, shape (units + 1, slots), of which the last row is
            the bias.

    Raises:
        ModelError: if the weights are for another tree.
    """

    def __init__(self, tagger: Tagger, lexicon: Lexicon, weights: Mapping[str, Array]) -> None:
        tree = lexicon.tree
        self._tagger, self._lexicon = tagger, lexicon
        self._weights = {name: values.astype(np.float32) for name, values in weights.items()}
        self._ids = list(tree)
        if bytes(weights["tree"]) != digest_of(self._ids):
            raise ModelError("the head is for another tree of kinds", remedy="Train it again.")
        self._number = {kind: number for number, kind in enumerate(self._ids)}
        self._under = np.zeros((len(tree), len(tree)), dtype=np.float32)  # each kind, what is above
        for number, kind in enumerate(tree):
            self._under[number, [self._number[above.id] for above in tree.path(kind)]] = 1

    def read(
        self, document: Document, mentions: Sequence[Mention], known: Sequence[str]
    ) -> list[SentenceReading]:
        """Read, for each mention in order, the probability in [0, 1] of each kind that it may be of
        in its sentence, by the kind's id (below 0.005 left out; that of a kind includes all kinds
        below it), and the slot that its words fill, "" where none is sure.

        Args:
            document: if its mentions were detected, the windows of detection, which have been read,
                are read again; otherwise only what is around the mentions.
            mentions: of places, organisations, characteristics and particulars.
            known: for each mention the kind that the knowledge base takes it for, or "".
        """
        if not mentions:
            return []
        spans, text = [one.span for one in mentions], document.text
        around = WINDOW if document.annotator == DETECTED else _AROUND
        seen, places = mention_features(self._tagger, text, spans, around)
        own = self._weights
        seen = (seen - own["mean"]) / own["spread"]
        heard = seen @ own["features"]
        trust = seen @ own["trust"][:-1] + own["trust"][-1]
        believed = own["lexicon"] * 2 / (1 + np.exp(-trust))
        kinds = (m.entity_type for m in mentions)
        types = [TYPES.index(kind if kind in TYPES else TYPES[-1]) for kind in kinds]
        logits = heard @ own["kinds"].T + own["bias"][types]
        masses = np.zeros((len(mentions), len(self._ids)), dtype=np.float32)
        for row, (mention, kind) in enumerate(zip(mentions, known, strict=True)):
            channels = (*self._lexicon.read(mention.text), {kind: 1.0} if kind else {})
            for weight, senses in zip(believed[row], channels, strict=True):
                for sense, share in senses.items():
                    masses[row, self._number[sense]] += weight * share
        logits[:, :-1] += masses @ self._under @ self._under.T  # summed along each path
        logits *= own["temper"]
        sums = softmax(logits)[:, :-1] @ self._under
        likely = ((row, np.flatnonzero(row >= _LEAST)) for row in sums)
        shares = ({self._ids[at]: float(row[at]) for at in chosen} for row, chosen in likely)
        return [*map(SentenceReading, shares, self._read_slots(places))]

    def _read_slots(self, places: Array) -> list[str]:
        """Return for each mention, in order, the grammatical slot that its words fill ("nominal",
        "plural", "adj" ...); "" where none is sure.

        Args:
            places: what the network reads around the mentions, shape (mentions, place features).
        """
        own = self._weights
        seen = (places - own["place_mean"]) / own["place_spread"]
        units = np.maximum(seen @ own["hidden"][:-1] + own["hidden"][-1], 0)
        shares = softmax(units @ own["slots"][:-1] + own["slots"][-1])
        least = np.where(shares[:, _FIELD] >= _NO_FIELD, _SURE_SLOT, _LIKELY_SLOT)
        sure = zip(shares.argmax(axis=1), shares.max(axis=1) >= least, strict=True)
        return [SLOTS[at] if told else "" for at, told in sure]


def load_kind_head(lexicon: Lexicon) -> KindHead:
    """Load the shipped head on the shipped tagger.

    Raises:
        ModelError: if it is missing or made for another tree.
    """
    with loading("the head of kinds cannot be read", KIND_HEAD):
        return KindHead(load_tagger(), lexicon, load_file(KIND_HEAD))


def digest_of(kinds: Iterable[str]) -> bytes:
    """Hash kinds in their order, to 32 bytes, so that a head fits no other tree."""
    return sha256("\n".join(kinds).encode()).digest()


def mention_features(
    tagger: Tagger, text: str, spans: Sequence[Span], around: int = WINDOW
) -> tuple[Array, Array]:
    """Describe spans of a text by the states of the tagger's network, each in the window of
    detection in whose middle it stands. The tagger remembers the windows that it has just read.

    Args:
        tagger: whose network reads.
        text: the document.
        spans: in any order.
        around: tokens of a window that are read on each side of the spans in it.

    Returns:
        Two arrays. The spans themselves, shape (spans, 3 * dimensions): the mean of the last states
            of a span's tokens, the last state of its last token, the mean of its tokens'
            embeddings. Their surroundings, shape (spans, 8 * dimensions): states and embeddings of
            the token before, the first token, the last token, and the token after. A token that is
            missing counts as 0.
    """
    pieces = tagger.reader.read(text)
    words = np.array([(word.start, word.end) for word in pieces.words]).reshape(-1, 2)
    begins, ends = words.T[:, pieces.owner]
    starts, stops = np.array([(one.start, one.end) for one in spans]).reshape(-1, 2).T
    first, behind = np.searchsorted(ends, starts, "right"), np.searchsorted(begins, stops)
    windows = pieces.windows()
    nearest = np.rint((first + behind - WINDOW) / (2 * STEP)).clip(0, len(windows) - 1)
    nearest[first >= behind] = -1  # no window has a span without tokens
    matrix = np.zeros((len(spans), 3 * tagger.width), dtype=np.float32)
    places = np.zeros((len(spans), 8 * tagger.width), dtype=np.float32)
    for at in sorted({*nearest.astype(int).tolist()} - {-1}):
        rows, window = np.flatnonzero(nearest == at), windows[at]
        start = max(window.start, int(first[rows].min()) - around)
        window = slice(start, min(window.stop, int(behind[rows].max()) + around))
        _, states, embedded = tagger.read_window(pieces, window)
        outer = [np.pad(each, ((1, 1), (0, 0))) for each in (states, embedded)]
        for row in rows:
            own = slice(*(max(0, end - start) for end in (first[row], behind[row])))
            near = states[own]
            matrix[row] = np.concatenate([near.mean(axis=0), near[-1], embedded[own].mean(axis=0)])
            beside = own.start + np.array([0, 1, len(near), len(near) + 1])
            places[row] = np.concatenate([each[beside].ravel() for each in outer])
    return matrix, places
