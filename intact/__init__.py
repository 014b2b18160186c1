"""INTACT: truthful text sanitisation.

>>> import intact
>>> for document in intact.sanitize(intact.load_tab("corpus.json")):  # doctest: +SKIP
...     print(document.text)
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = ["__version__", "detect", "load_tab", "sanitize"]

if TYPE_CHECKING:
    from intact.api import detect, load_tab, sanitize


def __getattr__(name: str) -> Any:
    """Imports the library when it is first used, so that ``import intact`` costs nothing."""
    if name not in __all__:
        raise AttributeError(f"module 'intact' has no attribute {name!r}")
    from intact import api

    return getattr(api, name)
