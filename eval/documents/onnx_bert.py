"""Write BERT encoders (Devlin et al. 2019) in ONNX; needs the package onnx.

Operations of onnxruntime's own (``com.microsoft``) stand for what it would otherwise have to fuse.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from intact.models.network import Array

SCALE = ".scale"  # ends the name of the scale of a rounded matrix
BLOCK = 128  # neighbouring inputs that share a scale where inputs differ much
WIDE, SLIM = 127, 63
"""Largest integers of rounded matrices; products of slim ones overflow on no processor."""

PARTS = ("query", "key", "value")  # matrices of the attention, which are stored as one
_EPSILON = 1e-12  # of BERT's normalisation
_TINY = 1e-10  # for the scale of what is all 0
_OPSET, _OWN_OPSET, _IR_VERSION = 18, 1, 8  # onnxruntime reads them since 1.14


def encode_bert(weights: Mapping[str, Array], heads: int, *, rounded: bool = False) -> bytes:
    """Return a BERT encoder in ONNX.

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
        self._weights, self._rounded = weights, rounded
        self._operations: list[Any] = []
        self._stored: list[Any] = []

    def store(self, name: str, values: NDArray[Any]) -> str:
        """Keep ``values`` under ``name``, which is returned."""
        whole = np.ascontiguousarray(values)
        self._stored.append(onnx.numpy_helper.from_array(whole, name))
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
        make = onnx.helper.make_node
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
        helper, kinds = onnx.helper, onnx.TensorProto
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
