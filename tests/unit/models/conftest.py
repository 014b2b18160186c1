"""Tiny models with random weights, made once a test run."""

import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def maker() -> ModuleType:
    """The module that writes GGUF files."""
    pytest.importorskip("gguf")
    pytest.importorskip("tokenizers")
    path = ROOT / "eval" / "performance" / "random_gguf.py"
    spec = importlib.util.spec_from_file_location("random_gguf", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["random_gguf"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def gguf_file(maker: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model file of one layer."""
    return maker.write_model(tmp_path_factory.mktemp("models") / "tiny-q4_0.gguf")


@pytest.fixture
def load(gguf_file: Path) -> Iterator[Callable[..., Any]]:
    """Loads the tiny model with some settings; closes it after the test."""
    pytest.importorskip("llama_cpp")
    from intact.config import ModelSettings
    from intact.models.load import load_model

    opened: list[Any] = []

    def opener(path: Path = gguf_file, **settings: Any) -> Any:
        settings = {"context": 1024, "threads": 1} | settings
        opened.append(load_model(ModelSettings(path=path, **settings)))
        return opened[-1]

    yield opener
    for model in opened:
        model.close()
