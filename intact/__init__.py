"""INTACT: truthful text sanitisation.

>>> import intact
>>> print(intact.sanitize("Ann Lee was born on 3 May 1971.").text)  # doctest: +SKIP

What is listed in ``__all__`` is the public face (docs/api.md); all else may change.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

if TYPE_CHECKING:
    from intact.api import Sanitizer, detect, load, sanitize, save
    from intact.config import Settings, load_settings, presets
    from intact.domain import (
        Candidate,
        Decision,
        Document,
        Edit,
        Entity,
        EntityType,
        IdentifierType,
        Mention,
        Replacement,
        SanitizedDocument,
        Score,
        Span,
    )
    from intact.errors import (
        ConfigError,
        ContextError,
        DocumentError,
        EditsError,
        FormatError,
        InputError,
        IntactError,
        InternalError,
        MissingExtraError,
        ModelError,
        NotMeasuredError,
        ResourceError,
        RunError,
    )
    from intact.evaluation import Results, evaluate
    from intact.protocols import Detected, Detection

__all__ = [
    "Candidate",
    "ConfigError",
    "ContextError",
    "Decision",
    "Detected",
    "Detection",
    "Document",
    "DocumentError",
    "Edit",
    "EditsError",
    "Entity",
    "EntityType",
    "FormatError",
    "IdentifierType",
    "InputError",
    "IntactError",
    "InternalError",
    "Mention",
    "MissingExtraError",
    "ModelError",
    "NotMeasuredError",
    "Replacement",
    "ResourceError",
    "Results",
    "RunError",
    "SanitizedDocument",
    "Sanitizer",
    "Score",
    "Settings",
    "Span",
    "__version__",
    "detect",
    "evaluate",
    "load",
    "load_settings",
    "presets",
    "sanitize",
    "save",
]

_MODULES = ("errors", "domain", "protocols", "config", "api", "evaluation")
"""Where the names are, what is quick to import first."""


def __getattr__(name: str) -> Any:
    """Import a part when it is first used, so that ``import intact`` costs nothing."""
    if name in __all__:
        for module in _MODULES:
            found = vars(import_module(f"intact.{module}")).get(name)
            if found is not None:
                return found
    raise AttributeError(f"module 'intact' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *globals()})
