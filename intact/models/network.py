"""Networks in ONNX, computed by onnxruntime; ``eval/documents/onnx_bert.py`` writes them."""

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

onnxruntime.disable_telemetry_events()  # if it was imported before INTACT
Array = NDArray[np.float32]


class Network:
    """A network in ONNX on onnxruntime. It runs on one thread, or on as many as OMP_NUM_THREADS
    says."""

    def __init__(self, model: bytes) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = int(os.environ.get("OMP_NUM_THREADS") or 1)
        used = ["CPUExecutionProvider"]
        self._session = onnxruntime.InferenceSession(model, options, providers=used)

    def read(self, outputs: Sequence[str], **inputs: NDArray[Any]) -> list[Array]:
        """Compute the outputs named, in that order, each of shape (texts, tokens, ...).

        Args:
            outputs: names of outputs of the network.
            inputs: an array for each of its inputs, by name.
        """
        return list(self._session.run(outputs, inputs))


def softmax(logits: NDArray[Any]) -> Array:
    """Return the probabilities that logits stand for, in the same shape; along the last axis they
    add up to 1."""
    shares: Array = np.exp(logits - logits.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    return shares
