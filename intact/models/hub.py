"""Open instruct models that are worth a try, and model files from the Hugging Face hub.

Files are cached, verified, and never fetched unless asked for. The table is data/catalogue.toml.
"""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from intact.errors import ConfigError, MissingExtraError, ModelError

_WHERE = "settings model.repo, model.file"


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """One model.

    Attributes:
        size: GB on disk.
        memory: GB in use.
        family: of its chat template, for information; the file brings its own.
        thinking: "no", or "off": it could, and is told not to.
    """

    name: str
    repo: str
    file: str
    licence: str
    size: float
    memory: float
    family: str
    thinking: str
    use: str


_TABLE = tomllib.loads((Path(__file__).parent / "data" / "catalogue.toml").read_text("utf-8"))
CATALOGUE = tuple(CatalogueEntry(name, **row) for name, row in _TABLE.items())
DEFAULT = "qwen3-4b"
HINT = (
    "No language model is set, so the embedded knowledge base does the work. To use a model: "
    f"intact models pull {DEFAULT}, then --set model.name={DEFAULT}"
)
"""What to tell a user who has set no model."""


def entry(name: str) -> CatalogueEntry:
    """The model of that name.

    Raises:
        ConfigError: if the table has none.
    """
    for model in CATALOGUE:
        if model.name == name:
            return model
    raise ConfigError(
        f"there is no model called {name!r}",
        where="setting model.name",
        remedy=f"Known: {', '.join(model.name for model in CATALOGUE)}.",
    )


def cached(repo: str, file: str, revision: str = "") -> Path | None:
    """Where a file is in the local cache, None if it is not there. Opens no connection.

    Args:
        repo: a repository on the hub.
        file: a file in it.
        revision: commit or tag, or "" for the default branch.

    Raises:
        MissingExtraError: huggingface_hub is not installed.
    """
    found = _hub().try_to_load_from_cache(repo, file, revision=revision or None)
    return Path(found) if isinstance(found, str) else None


def pull(repo: str, file: str, revision: str = "") -> Path:
    """Fetch a file into the cache, unless it is there, and verify it.

    Args:
        repo: "owner/name".
        file: a file in it; the first of a split model's parts.
        revision: branch, tag or commit; "" is the main branch.

    Raises:
        MissingExtraError: huggingface_hub is not installed.
        ModelError: there is no such file, no connection, or the file is not what it should be.
    """
    hub = _hub()
    wanted = _published_hash(hub, repo, file, revision)
    try:
        path = Path(hub.hf_hub_download(repo, file, revision=revision or None))
    except Exception as error:  # noqa: BLE001 (the hub's errors have many roots)
        raise _failed(repo, file, error) from None
    if wanted and _sha256(path) != wanted:
        raise ModelError(
            f"the file fetched is not the one published ({wanted[:12]}...)",
            where=f"{repo}/{file}",
            remedy=f"Delete {path} and pull it again.",
        )
    return path


def _published_hash(hub: Any, repo: str, file: str, revision: str) -> str:
    if hub.constants.HF_HUB_OFFLINE:
        return ""
    try:
        infos = hub.HfApi().get_paths_info(repo, [file], revision=revision or None)
    except Exception as error:  # noqa: BLE001 (the hub's errors have many roots)
        raise _failed(repo, file, error) from None
    if not infos:
        raise ModelError(f"{repo} has no file {file}", where=_WHERE)
    lfs = getattr(infos[0], "lfs", None)
    return str(lfs.sha256) if lfs is not None else ""


def _failed(repo: str, file: str, error: Exception) -> ModelError:
    return ModelError(
        f"{repo}/{file} cannot be fetched ({type(error).__name__})",
        where=_WHERE,
        remedy="Check the names and the connection; HF_HUB_OFFLINE=1 forbids fetching.",
    )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _hub() -> Any:
    try:
        import huggingface_hub
        import huggingface_hub.constants
    except ImportError:
        raise MissingExtraError.of("huggingface_hub", "llm") from None
    return huggingface_hub
