"""The files that come with the package: where they lie, and how files are read whole and hashed."""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path
from typing import Any

from intact.errors import ConfigError, ResourceError, RunError, reading

_PACKAGE = Path(__file__).resolve().parent
# The folder of the tagger that comes with the package.
SHIPPED_TAGGER = _PACKAGE / "detection" / "data" / "tagger"

ENTAILMENT = _PACKAGE / "verification" / "data" / "entailment"
# The head on the tagger that says of what kind mentions are.
KIND_HEAD = _PACKAGE / "detection" / "data" / "kinds.safetensors"

# The head on the tagger that says whether finds are mentions.
RESCORER = _PACKAGE / "detection" / "data" / "rescoring.safetensors"

# The file in a tagger's folder that says what it is, and the SHA-256 of its weights.
TAGGER_SETTINGS = "tagger.json"


def read_toml(path: Path) -> dict[str, Any]:
    """Return the tables of a TOML file, nested; raise a ``ConfigError`` if it cannot be read or is
    not TOML."""
    try:
        with reading(path, ConfigError):
            return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ConfigError(f"not UTF-8 (byte {error.start})", where=path) from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"not valid TOML ({error})", where=path) from None
    except (RecursionError, ValueError):
        raise ConfigError("nested too deeply or a number too long", where=path) from None


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file, hexadecimal; raise a ``RunError`` if it cannot be read."""
    with reading(path, RunError), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def resource_dir(name: str) -> Path:
    """Return the path of the folder ``name`` ("configs", "prompts") in the package, as in a wheel,
    or beside it, as in a checkout; raise a ``ResourceError`` if there is neither."""
    for folder in (_PACKAGE / "data" / name, _PACKAGE.parent / name):
        if folder.is_dir():
            return folder
    raise ResourceError(f"the shipped folder {name} is missing")
