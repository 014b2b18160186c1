"""Templates to pages. Everything a page needs is in it: style, script, figures as SVG."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from intact import __version__
from intact.errors import MissingExtraError

_TEMPLATES = Path(__file__).with_name("templates")


def render(template: str, **values: Any) -> str:
    """The page made from ``template`` (HTML-escaped unless marked safe) and ``values``.

    Raises:
        MissingExtraError: if Jinja2 is not installed.
    """
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ImportError:
        raise MissingExtraError.of("jinja2", "evaluation") from None
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(template).render(
        version=__version__, style=_read("style.css"), switch=_read("switch.js"), **values
    )


def script(name: str) -> str:
    """A script's text, to be put into a page."""
    return _read(name)


def _read(name: str) -> str:
    return (_TEMPLATES / name).read_text("utf-8")
