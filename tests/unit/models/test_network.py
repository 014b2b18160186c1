"""Encoders in ONNX."""

import os
import subprocess
import sys

import numpy as np
import pytest

from intact.models.network import Network

pytest.importorskip("onnx")
from eval.documents.onnx_bert import BLOCK, PARTS, encode_bert


@pytest.fixture(scope="module")
def weights():
    drawn = np.random.default_rng(0)
    found = {
        "embeddings.word_embeddings.weight": drawn.normal(0, 0.3, (50, BLOCK)),
        "embeddings.position_embeddings.weight": drawn.normal(0, 0.3, (20, BLOCK)),
        "embeddings.token_type_embeddings.weight": np.zeros((2, BLOCK)),
    }
    own = "encoder.layer.0."
    shapes = {f"{own}attention.self.{part}": (BLOCK, BLOCK) for part in PARTS} | {
        f"{own}attention.output.dense": (BLOCK, BLOCK),
        f"{own}intermediate.dense": (2 * BLOCK, BLOCK),
        f"{own}output.dense": (BLOCK, 2 * BLOCK),
    }
    for name, shape in shapes.items():
        found[f"{name}.weight"] = drawn.normal(0, 0.1, shape)
        found[f"{name}.bias"] = np.zeros(shape[0])
    for name in ("embeddings", f"{own}attention.output", f"{own}output"):
        found[f"{name}.LayerNorm.weight"] = np.ones(BLOCK)
        found[f"{name}.LayerNorm.bias"] = np.zeros(BLOCK)
    return {name: values.astype(np.float32) for name, values in found.items()}


def test_rounding_changes_little_and_makes_the_network_small(weights):
    ids = np.arange(24).reshape(2, 12)
    exact, rounded = (encode_bert(weights, 4, rounded=one) for one in (False, True))
    assert len(rounded) < 0.4 * len(exact)
    (one,), (other,) = (Network(model).read(["states"], ids=ids) for model in (exact, rounded))
    assert one.shape == (2, 12, BLOCK)
    near = (one * other).sum(axis=2) / np.linalg.norm(one, axis=2) / np.linalg.norm(other, axis=2)
    assert near.min() > 0.995


def test_texts_do_not_see_each_other(weights):
    network = Network(encode_bert(weights, 4))
    ids = np.arange(24).reshape(2, 12)
    (together,) = network.read(["states"], ids=ids)
    (alone,) = network.read(["states"], ids=ids[:1])
    assert np.allclose(together[0], alone[0], atol=1e-5)


def test_onnxruntime_is_told_not_to_report_before_anybody_imports_it():
    code = "import intact, os, sys; print(os.environ['ORT_DISABLE_TELEMETRY'])"
    code += "; assert 'onnxruntime' not in sys.modules"
    bare = {name: value for name, value in os.environ.items() if not name.startswith("ORT_")}
    told = subprocess.check_output([sys.executable, "-c", code], env=bare, text=True)
    assert told.startswith("1")
