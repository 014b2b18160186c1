"""The words that the rules of detection go by, read from the package's data files."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).resolve().parent / "data"


@lru_cache(8)
def vocabulary(name: str) -> dict[str, Any]:
    """The tables of ``data/<name>.toml``."""
    return tomllib.loads((_FOLDER / f"{name}.toml").read_text("utf-8"))
