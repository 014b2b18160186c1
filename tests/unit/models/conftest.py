"""Tiny models with random weights, made once a test run."""

import pytest


@pytest.fixture(scope="session")
def maker():
    """The module that writes GGUF files."""
    pytest.importorskip("gguf")
    pytest.importorskip("tokenizers")
    from eval.performance import random_gguf

    return random_gguf


@pytest.fixture(scope="session")
def gguf_file(maker, tmp_path_factory):
    """A model file of one layer."""
    return maker.write_model(tmp_path_factory.mktemp("models") / "tiny-q4_0.gguf")


@pytest.fixture
def load(gguf_file):
    """Loads the tiny model with some settings; closes it after the test."""
    pytest.importorskip("llama_cpp")
    from intact.config import ModelSettings
    from intact.models.load import load_model

    opened = []

    def opener(path=gguf_file, **settings):
        settings = {"context": 1024, "threads": 1} | settings
        opened.append(load_model(ModelSettings(path=path, **settings)))
        return opened[-1]

    yield opener
    for model in opened:
        model.close()
