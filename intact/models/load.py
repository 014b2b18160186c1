"""Settings to language model: which file, which backend."""

from __future__ import annotations

import hashlib
import json
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from intact import registry
from intact.config import ModelSettings
from intact.errors import ConfigError
from intact.models import hub
from intact.protocols import LanguageModel

_BLOCKS, _BLOCK = 64, 65_536


def load_model(settings: ModelSettings) -> LanguageModel:
    """The model that section ``model`` asks for; close it when done.

    Raises:
        ConfigError: there is no such file or model.
        MissingExtraError: the backend's package is not installed.
        ModelError: the model cannot be loaded.
    """
    model: LanguageModel = registry.make("model", settings.backend, settings)
    return model


def llamacpp(settings: ModelSettings) -> LanguageModel:
    """A GGUF file, run by llama.cpp."""
    from intact.models.llamacpp import load_llamacpp

    return load_llamacpp(settings, locate(settings), model_signature(settings))


def transformers(settings: ModelSettings) -> LanguageModel:
    """A model folder, run by transformers."""
    from intact.models.transformers_model import TransformersModel

    return TransformersModel(settings, locate(settings), model_signature(settings))


def openai(settings: ModelSettings) -> LanguageModel:
    """A server that speaks OpenAI's protocol."""
    from intact.models.openai import OpenAIModel

    return OpenAIModel(settings, model_signature(settings))


def locate(settings: ModelSettings) -> Path:
    """The model's file or folder on this machine. Opens no connection.

    Raises:
        ConfigError: it is not there; the message says how to get it.
        MissingExtraError: huggingface_hub is needed to look it up and not installed.
    """
    if settings.path is not None:
        if not settings.path.exists():
            raise ConfigError(
                f"{settings.path} is not there",
                where="setting model.path",
                remedy="See: intact models list",
            )
        return settings.path
    repo, file = settings.repo, settings.file
    if settings.name and not repo:
        known = hub.entry(settings.name)
        repo, file = known.repo, known.file
    if not repo and settings.url:
        raise ConfigError(
            f"the backend {settings.backend} asks no server",
            where="setting model.url",
            remedy="Set model.backend=openai as well.",
        )
    if not repo:
        raise ConfigError(
            "no model is set",
            where="setting model.path",
            remedy=f"Set model.path to a file, or: intact models pull {hub.DEFAULT}",
        )
    look_for = file or "config.json"
    found = hub.cached(repo, look_for, settings.revision)
    if found is None:
        wanted = settings.name or f"{repo} {file}".strip()
        raise ConfigError(
            f"{repo}/{look_for} is not in the cache",
            where="setting model.name" if settings.name else "setting model.repo",
            remedy=f"Fetch it with: intact models pull {wanted}",
        )
    return found if file else found.parent


def model_signature(settings: ModelSettings) -> str:
    """Backend, version, file and every setting that changes answers; loads nothing.

    Raises:
        ConfigError: the model's file is not there.
    """
    parts = {"backend": settings.backend, "version": _version(settings.backend)}
    if settings.backend == "openai":
        parts |= {"url": settings.url or "http://127.0.0.1:8080/v1", "model": settings.name}
        parts["extra"] = json.dumps(settings.extra, sort_keys=True) if settings.extra else ""
        parts["thinking_tokens"] = str(settings.thinking_tokens or "")
    else:
        path = locate(settings)
        parts["file"] = f"{path.name}:{fingerprint(path)}"
        parts["lora"] = ",".join(f"{lora.name}:{fingerprint(lora)}" for lora in settings.lora)
        parts["precision"] = settings.precision if settings.backend == "transformers" else ""
    parts |= {
        "template": settings.template if settings.backend != "openai" else "",
        "context": str(settings.context),
        "grammar": str(settings.grammar),
        "parallel": str(settings.parallel) if settings.backend == "openai" else "",
        "flash_attention": str(settings.flash_attention),
        "gpu_layers": str(settings.gpu_layers),
    }
    return " ".join(f"{key}={value}" for key, value in parts.items() if value)


def fingerprint(path: Path) -> str:
    """A hash of a large file's size and of 64 blocks spread over it; 16 hexadecimal digits.

    Of a folder: of its files, one after the other.
    """
    files = sorted(item for item in path.iterdir() if item.is_file()) if path.is_dir() else [path]
    digest = hashlib.sha256()
    for one in files:
        size = one.stat().st_size
        digest.update(f"{one.name if path.is_dir() else ''}\0{size}\0".encode())
        with one.open("rb") as file:
            for index in range(_BLOCKS if size > _BLOCK else 1):
                file.seek(max(0, size - _BLOCK) * index // (_BLOCKS - 1))
                digest.update(file.read(_BLOCK))
    return digest.hexdigest()[:16]


def _version(backend: str) -> str:
    package = {"llamacpp": "llama-cpp-python", "transformers": "transformers"}.get(backend)
    try:
        return version(package) if package else ""
    except PackageNotFoundError:
        return ""
