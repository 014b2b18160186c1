"""The llama.cpp backend: any GGUF instruct model, on a laptop's processor.

The file is looked at before anything is loaded, and the engine runs in a process of its own.
"""

from __future__ import annotations

from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from intact.config import ModelSettings
from intact.errors import ConfigError, MissingExtraError, ModelError
from intact.models.llama_engine import EngineSettings
from intact.models.worker import Worker


def load_llamacpp(settings: ModelSettings, path: Path, signature: str) -> Worker:
    """The model of a GGUF file, in its own process.

    Args:
        settings: section ``model``.
        path: the file; its other parts, if it is split, beside it.
        signature: of the model.

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
        exact=settings.exact,
    )
    arguments: dict[str, Any] = {
        "settings": asdict(engine),
        "template": settings.template,
        "grammar": settings.grammar,
    }
    factory = "intact.models.llamacpp:in_process"
    plain = {"settings": arguments["settings"] | {"extra_buffers": False}}
    return Worker(factory, arguments, name=path.stem, signature=signature, after_sigill=plain)


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
