"""The llama.cpp backend: any GGUF instruct model, on a laptop's processor.

The file is looked at before anything is loaded, and the engine runs in a process of its own.
"""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from intact.config import ModelSettings
from intact.errors import ConfigError, MissingExtraError, ModelError
from intact.models.llama_engine import EngineSettings
from intact.models.worker import Worker

_BLOCKS, _BLOCK = 64, 65_536


def load_llamacpp(settings: ModelSettings, path: Path) -> Worker:
    """The model of a GGUF file, in its own process.

    Args:
        settings: section ``model``.
        path: the file; its other parts, if it is split, beside it.

    Raises:
        MissingExtraError: llama-cpp-python is not installed.
        ConfigError: there is no such file.
        ModelError: it is not a GGUF file, or cannot be loaded; the message names the setting.
    """
    check_gguf(path)
    if find_spec("llama_cpp") is None:
        raise MissingExtraError.of("llama-cpp-python", "llm")
    engine = EngineSettings(
        str(path),
        context=settings.context,
        threads=settings.threads,
        gpu_layers=settings.gpu_layers,
        flash_attention=settings.flash_attention,
        parallel=settings.parallel,
        cache_memory=settings.cache_memory,
    )
    arguments: dict[str, Any] = {
        "settings": asdict(engine),
        "template": settings.template,
        "grammar": settings.grammar,
    }
    worker = Worker("intact.models.llamacpp:in_process", arguments, name=path.stem, signature="")
    worker.signature = _signature(settings, path, str(worker.facts["template"]))
    return worker


def in_process(settings: dict[str, Any], template: str, grammar: bool) -> Any:
    """The model in this process; what the worker calls."""
    from intact.models.llama_model import LlamaModel

    return LlamaModel(EngineSettings(**settings), template, grammar)


def check_gguf(path: Path) -> None:
    """Refuse what cannot be a GGUF file.

    Raises:
        ConfigError: it is not there.
        ModelError: it is something else.
    """
    where = "setting model.path"
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "is not there"
        raise ConfigError(
            f"{path} {what}", where=where, remedy="Give a GGUF file; see: intact models list"
        )
    try:
        with path.open("rb") as file:
            head = file.read(8)
    except OSError as error:
        raise ConfigError(f"{path} cannot be read ({error.strerror})", where=where) from None
    if head[:4] != b"GGUF":
        raise ModelError(
            f"{path.name} is not a GGUF file",
            where=where,
            remedy="Give a GGUF file, or set model.backend=transformers for a model folder.",
        )
    if len(head) < 8 or not 2 <= int.from_bytes(head[4:8], "little") <= 3:
        raise ModelError(
            f"{path.name} is damaged, or a GGUF version this program does not know",
            where=where,
            remedy="Download it again.",
        )


def fingerprint(path: Path) -> str:
    """A hash of a large file's size and of 64 blocks spread over it; 16 hexadecimal digits."""
    size = path.stat().st_size
    digest = hashlib.sha256(str(size).encode())
    with path.open("rb") as file:
        for index in range(_BLOCKS):
            file.seek(max(0, (size - _BLOCK)) * index // (_BLOCKS - 1))
            digest.update(file.read(_BLOCK))
    return digest.hexdigest()[:16]


def _signature(settings: ModelSettings, path: Path, template: str) -> str:
    try:
        engine = version("llama-cpp-python")
    except PackageNotFoundError:
        engine = "?"
    parts = {
        "llama-cpp-python": engine,
        "file": f"{path.name}:{fingerprint(path)}",
        "template": hashlib.sha256(template.encode()).hexdigest()[:16],
        "context": settings.context,
        "grammar": settings.grammar,
        "flash_attention": settings.flash_attention,
        "gpu_layers": settings.gpu_layers,
    }
    return " ".join(f"{key}={value}" for key, value in parts.items())
