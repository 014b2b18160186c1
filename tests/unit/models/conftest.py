"""Tiny models with random weights, made once a test run."""

import importlib.util
import socket
import subprocess
import sys
import time
from contextlib import contextmanager

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


@contextmanager
def llama_server(path):
    """A server of llama-cpp-python with a model file; its address."""
    import httpx

    if not all(map(importlib.util.find_spec, ("llama_cpp", "starlette_context"))):
        pytest.skip("llama_cpp.server is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "llama_cpp.server", "--model", str(path)]
    command += ["--port", str(port), "--n_ctx", "1024", "--n_threads", "1", "--logits_all", "true"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        url = f"http://127.0.0.1:{port}/v1"
        for _ in range(300):
            try:
                httpx.get(f"{url}/models", trust_env=False)
                break
            except httpx.HTTPError:
                time.sleep(0.1)
        yield url
        process.terminate()


@pytest.fixture(scope="session")
def serving():
    """Serves a model file: a context manager of the address."""
    return llama_server
