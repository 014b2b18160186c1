"""Where the data lies that people edit: presets and prompts.

In a checkout, and in an editable install of one, they are the folders ``configs/`` and
``prompts/`` beside the package; a wheel carries copies of them in ``intact/data/`` (pyproject.toml,
force-include), made when it is built.
"""

from __future__ import annotations

from pathlib import Path

from intact.errors import ResourceError

_PACKAGE = Path(__file__).resolve().parent
SHIPPED_TAGGER = _PACKAGE / "detection" / "data" / "tagger"
"""The folder of the tagger that comes with the package."""

TAGGER_SETTINGS = "tagger.json"
"""The file of a tagger's folder that says what it is, its weights by their SHA-256."""


def resource_dir(name: str) -> Path:
    """The folder ``name`` ("configs", "prompts").

    Raises:
        ResourceError: if it is neither in the package nor beside it.
    """
    for folder in (_PACKAGE / "data" / name, _PACKAGE.parent / name):
        if folder.is_dir():
            return folder
    raise ResourceError(
        f"the shipped folder {name} is missing", remedy="Reinstall INTACT: its files are damaged."
    )
