"""INTACT: truthful text sanitisation.

>>> import intact
>>> print(intact.sanitize("Ann Lee was born on 3 May 1971.").text)  # doctest: +SKIP

What ``__init__.pyi`` lists is the public face (docs/api.md); all else may change.
"""

import os
import re
from importlib import import_module
from pathlib import Path
from typing import Any

os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # before onnxruntime, or its maker hears of each run

__version__ = "0.2.0"

_FACE = Path(__file__).with_suffix(".pyi").read_text("utf-8")
_HOMES = {
    name: module
    for module, names in re.findall(r"from (\S+) import (\([^)]*\)|.*)", _FACE)
    for name in re.findall(r"(\w+) as", names)
}
__all__ = sorted([*_HOMES, "__version__"])  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    """Import the module of a public name when the name is first used, and return what it names; so
    ``import intact`` costs nothing. Raise an ``AttributeError`` for any other name."""
    if name in _HOMES:
        return vars(import_module(_HOMES[name]))[name]
    raise AttributeError(f"module 'intact' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *globals()})
