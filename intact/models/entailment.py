"""The entailment network: does a phrase follow from a mention in its sentence?

An encoder (MiniLM, Wang et al. 2020) reads the sentence, the mention alone and each phrase alone; a
small head compares them, and lets the words of the phrase attend to the sentence and the mention.
So a sentence is read once for all questions about it, and a phrase once in a run. The encoder runs
in eight bits on ONNX Runtime; data, training and figures are in ``eval/entailment`` and
docs/evidence.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from intact.domain import EntityType, Span
from intact.errors import loading
from intact.models.network import Array, Network, softmax
from intact.shipped import ENTAILMENT, SHIPPED_TAGGER

BEFORE, AFTER = 20, 10  # the most tokens of the sentence that are read before and after a mention
_AROUND = 200  # characters of the text that are tokenised on either side of a mention
_LONGEST = 24  # tokens of a mention or phrase that are read
_CLS, _SEP = 101, 102  # of BERT's uncased vocabulary
TYPES = ("LOC", "ORG", "DEM", "MISC", "DATETIME", "QUANTITY")


@dataclass(frozen=True, slots=True)
class Pair:
    """A mention in its sentence, and phrases that may follow from it, as tokens.

    Attributes:
        sentence: tokens of the mention and of the words around it.
        inside: where the mention's tokens lie in ``sentence``.
        mention: tokens of the mention alone.
        phrases: tokens of each phrase alone.
        type: the index of the mention's type in ``TYPES``.
    """

    sentence: list[int]
    inside: slice
    mention: list[int]
    phrases: list[list[int]]
    type: int


def read_pair(
    tokenizer: Tokenizer, text: str, span: Span, entity_type: str, phrases: Sequence[str]
) -> Pair:
    """Turn a mention, the words around it (20 tokens before, 10 after) and each phrase into tokens,
    all with BERT's marks of begin and end. Of a mention of more than 24 tokens the middle is left
    out, of a longer phrase the end.

    Args:
        tokenizer: of the encoder.
        text: of a document.
        span: of the mention.
        entity_type: of the mention; a type that is not in ``TYPES`` counts as MISC.
        phrases: as they would stand there, at least one.
    """
    around = text[max(0, span.start - _AROUND) : span.start], text[span.end : span.end + _AROUND]
    parts = (span.of(text), *around, *phrases)
    own, before, after, *said = (tokenizer.encode(o, add_special_tokens=False).ids for o in parts)
    if len(own) > _LONGEST:
        own = own[: _LONGEST // 2] + own[-_LONGEST // 2 :]
    left, right = before[-BEFORE:], after[:AFTER]
    return Pair(
        [_CLS, *left, *own, *right, _SEP],
        slice(1 + len(left), 1 + len(left) + max(1, len(own))),
        [_CLS, *own, _SEP],
        [[_CLS, *phrase[:_LONGEST], _SEP] for phrase in said],
        TYPES.index(entity_type if entity_type in TYPES else EntityType.MISC),
    )


HEADS = 12  # of the attention of a phrase's words to the sentence
_REMEMBERED = 4096  # phrases and mentions whose states are kept


class EntailmentNetwork:
    """Computes how probably phrases follow from mentions in their sentences.

    Args:
        encoder: the network that reads texts, in ONNX.
        weights: of the head. ``ask``, ``key``, ``value`` and ``out``, shape (width, width), of the
            attention; ``units``, shape (8 * width + 1, units), and ``score``, shape (units + 1,),
            of which the last row is the bias; ``near``, shape (2,), the weights of the similarity
            to the mention and to its context; ``types``, shape (types,), added by the type of the
            mention.
        tokenizer: of the encoder.
    """

    def __init__(self, encoder: bytes, weights: Mapping[str, Array], tokenizer: Tokenizer) -> None:
        self._network = Network(encoder)
        self._weights = {name: value.astype(np.float32) for name, value in weights.items()}
        self._read = partial(read_pair, tokenizer)
        self._alone = lru_cache(_REMEMBERED)(self._encode)

    def probabilities(
        self, text: str, asked: Sequence[tuple[Span, str, Sequence[str]]]
    ) -> list[list[float]]:
        """Return, for each mention, the probability in [0, 1] with which each of its phrases
        follows; [] for a mention without phrases.

        Args:
            text: of the document.
            asked: for each mention its span, its type, and the phrases as they would stand there.
        """
        return [self._scores(self._read(text, *one)) if one[2] else [] for one in asked]

    def _encode(self, row: Sequence[int]) -> Array:
        """Compute the last states of a row of tokens, shape (tokens, width). Each row is read
        alone, because in eight bits rows that are read together would change each other's
        rounding."""
        [states] = self._network.read(["states"], ids=np.array([row]))
        return np.asarray(states[0])

    def _scores(self, pair: Pair) -> list[float]:
        """Compute the probability in [0, 1] with which each phrase of a pair follows from its
        mention, in order."""
        own, sentence = self._weights, self._encode(pair.sentence)
        alone = self._alone(tuple(pair.mention))
        seen = np.concatenate([sentence, alone])
        keys, values = (_in_heads(seen @ own[part]) for part in ("key", "value"))
        mention, context = alone.mean(axis=0), sentence[pair.inside].mean(axis=0)
        phrases = [self._alone(tuple(phrase)) for phrase in pair.phrases]
        asks = _in_heads(np.concatenate(phrases) @ own["ask"])
        heard = softmax(asks @ keys.transpose(0, 2, 1) / asks.shape[2] ** 0.5) @ values
        read = heard.transpose(1, 0, 2).reshape(heard.shape[1], -1) @ own["out"]
        ends = np.cumsum([len(phrase) for phrase in phrases])[:-1]
        reads = np.stack([part.mean(axis=0) for part in np.split(read, ends)])
        said = np.stack([phrase.mean(axis=0) for phrase in phrases])
        both = np.broadcast_to(mention, said.shape), np.broadcast_to(context, said.shape)
        compared = [each for one in both for each in (one * said, np.abs(one - said))]
        features = np.concatenate([reads, *both, said, *compared], axis=1)
        units = np.maximum(features @ own["units"][:-1] + own["units"][-1], 0)
        scores = units @ own["score"][:-1] + own["score"][-1] + own["types"][pair.type]
        lengths = np.linalg.norm(said, axis=1)
        near = [said @ one / (lengths * np.linalg.norm(one)) for one in (mention, context)]
        scores = scores + own["near"] @ np.stack(near)
        return [float(share) for share in 1 / (1 + np.exp(-scores))]


def _in_heads(states: Array) -> Array:
    """Reshape states from (tokens, width) to (heads, tokens, width / heads), for the attention."""
    return states.reshape(len(states), HEADS, -1).transpose(1, 0, 2)


@cache
def load_entailment() -> EntailmentNetwork:
    """Load the shipped network, with the tokenizer of the shipped tagger; once in a process.

    Raises:
        ModelError: if one of its files is missing or damaged.
    """
    with loading("the entailment network cannot be read", ENTAILMENT):
        tokenizer = Tokenizer.from_file(str(SHIPPED_TAGGER / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        weights = load_file(ENTAILMENT / "head.safetensors")
        return EntailmentNetwork((ENTAILMENT / "network.onnx").read_bytes(), weights, tokenizer)
