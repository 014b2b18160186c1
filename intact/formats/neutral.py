"""Make what a file says beside its text say nothing: names of its parts, looks, pictures.

A value stays if all its words are of the vocabulary of looks below, and its numbers short; a name
becomes another one, equal names the same, so that what leads to a part still leads there."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

from intact.errors import require


@cache
def contents(name: str) -> dict[str, Any]:
    """Read a format's tables of ``contents.toml``: sets of words, which may be nested by name."""

    def split(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: split(each) for key, each in value.items()}
        return frozenset(" ".join(value.split()).split("," if "," in value else None))

    path = Path(__file__).with_name("contents.toml")
    return dict(split(tomllib.loads(path.read_text("utf-8"))[name]))


_TOKEN = re.compile(r"#[0-9A-Fa-f]{3,8}(?!\w)|\d+|[^\W\d_]+")
_CSS_GONE = re.compile(
    r"/\*.*?(?:\*/|\Z)|\"[^\"]*\"?|'[^']*'?|url\([^)]*\)?|<!--|-->|@(?:import|charset|namespace)"
    r"[^;{]*;?",
    re.DOTALL | re.IGNORECASE,
)
_GIVEN = re.compile(
    r"[a-z][A-Za-z0-9-]*|[-+]?[\d.]{1,12}(?:[a-z]{2}|%)?|#?[0-9A-Fa-f]{6,8}|[a-z]{2}-[A-Z]{2}"
    r"|\{[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}\}"
)
_MOST_DIGITS = 4
_PICTURES = ("PNG", "JPEG", "GIF", "BMP")
_SHOWN = ("transparency", "duration", "loop", "background", "dpi", "gamma")
_ORIENTATION = 0x0112


def is_given(value: str) -> bool:
    """Recognise a value that no person wrote: a number, a colour, an id, or one of a fixed list."""
    return _GIVEN.fullmatch(value) is not None or is_plain(value)


def is_plain(value: str) -> bool:
    """Recognise a value that says nothing but how something looks ("bold", "#ff0000", "12pt")."""
    return all(
        token[0] == "#"
        or (len(token) <= _MOST_DIGITS if token.isdigit() else len(token) < 3)
        or not {token, token.lower()}.isdisjoint(contents("looks")["words"])
        for token in _TOKEN.findall(value)
    )


class Names(dict[str, str]):
    """The stand-ins for the names that a file gives to its parts (styles, bookmarks, classes)."""

    def __missing__(self, name: str) -> str:
        self[name] = made = f"name{len(self) + 1}"
        return made

    def rename(self, name: str) -> str:
        """Give a name its stand-in, the same each time; of "#name" the mark stays."""
        bare = name.removeprefix("#")
        return name[: len(name) - len(bare)] + (self[bare] if bare else "")

    def relation(self, key: str) -> str:
        """Give the id of a relation its stand-in; "rId7" says nothing and stays."""
        return key if re.fullmatch(r"rId\d{1,6}", key) else self[key]

    def restyle(self, css: str) -> str:
        """Clean the rules of a style sheet, or a list of declarations: rename selectors, and
        drop declarations that hold words beside those of looks."""

        def selector(found: re.Match[str]) -> str:
            mark, word = found[1], found[2]
            return mark + (
                self[word]
                if mark or not (is_plain(word) or word in contents("html")["elements"])
                else word
            )

        def part(found: re.Match[str]) -> str:
            said, end = found[1], found[2]
            if end == "{":
                return re.sub(r"([.#]?)([^\W\d][\w-]*)", selector, said).replace("\\", "") + end
            return (said if is_plain(said) and "\\" not in said else "") + end

        return re.sub(r"([^{};]+)([{};]?)", part, _CSS_GONE.sub("", css))


def clean_picture(data: bytes) -> tuple[str, bytes]:
    """Strip a picture of all but what it shows, and name its kind ("png"); a blank one and ""
    for what cannot be read as pixels (drawings in EMF or SVG, damaged files)."""
    image, made = require("PIL.Image"), BytesIO()
    try:
        with image.open(BytesIO(data), formats=_PICTURES) as given:
            kind = str(given.format)
            turned = given.getexif().get(_ORIENTATION, 1) != 1
            shown = require("PIL.ImageOps").exif_transpose(given) if turned else given
            shown.info = {key: shown.info[key] for key in _SHOWN if key in shown.info}
            quality = {"quality": 95 if turned else "keep"} if kind == "JPEG" else {}
            frames = {"save_all": True} if getattr(given, "n_frames", 1) > 1 else {}
            shown.save(made, kind, exif=b"", comment=b"", **quality, **frames)
            return kind.lower(), made.getvalue()
    except Exception:  # noqa: BLE001  (Pillow raises whatever the decoder of a format does)
        image.new("L", (1, 1), 255).save(blank := BytesIO(), "PNG")
        return "", blank.getvalue()
