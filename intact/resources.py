"""Where the shipped data lies: presets, prompts and the knowledge base."""

from __future__ import annotations

from pathlib import Path

from intact.errors import ResourceError

_PACKAGE = Path(__file__).resolve().parent


def resource_dir(name: str) -> Path:
    """The folder ``name`` ("configs", "prompts"): inside the package when installed, beside it
    in a checkout.

    Raises:
        ResourceError: if neither is there.
    """
    for folder in (_PACKAGE / name, _PACKAGE.parent / name):
        if folder.is_dir():
            return folder
    raise ResourceError(
        f"the shipped folder {name} is missing", remedy="Reinstall INTACT: its files are damaged."
    )
