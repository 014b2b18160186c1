"""Make what a file says beside its text say nothing: names of its parts, looks, pictures.

A value stays if all its words are in the lists of ``contents.toml`` or the format's standard, its
long numbers rounded; a name becomes another one, equal names the same, so that what leads to a part
still leads there."""

import re
import tomllib
import unicodedata
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

from intact.errors import require


@cache
def contents(name: str, file: str = "contents") -> dict[str, Any]:
    """Read a format's tables of ``contents.toml`` or ``schemas.toml``: sets of words, which may be
    nested by name.

    Args:
        name: of the format.
        file: "contents" or "schemas".
    """

    def split(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: split(each) for key, each in value.items()}
        return frozenset(" ".join(value.split()).split("," if "," in value else None))

    path = Path(__file__).with_name(f"{file}.toml")
    return dict(split(tomllib.loads(path.read_text("utf-8"))[name]))


@cache
def namespaces(name: str) -> dict[str, str]:
    """List the namespaces of a format that stay, each with its usual prefix."""
    return {space: prefix for prefix, (space,) in contents(name)["namespaces"].items()}


_NUMBER, _ROW = r"\d*\.?\d+", r"\.?\d(?:(?:[^\w%#]|_|%(?=\d))*\d)*"
_TOKEN = re.compile(rf"#[0-9A-Fa-f]{{3,8}}(?!\w)|{_ROW}|[^\W\d_]+")
_NAME = re.compile(rf"([.#]?)([^\W\d][\w-]*)|{_ROW}|[^\0-\x7f]")
_CSS_GONE = re.compile(
    r"/\*.*?(?:\*/|\Z)|\"(?:\\.|[^\"\\])*\"?|'(?:\\.|[^'\\])*'?|url\([^)]*\)?|<!--|-->|@(?:import|charset|namespace)"
    r"[^;{]*;?",
    re.DOTALL | re.IGNORECASE,
)
_MOST, _LONGEST = 31_680, 12
"""Twentieths of a point on the longest page; larger numbers keep three digits. Characters."""
_MOST_DIGITS, _JOINED = 6, 3  # of a row of numbers; of numbers with nothing but a sign between them
_SHORT = 5  # digits of a number that could be a date or a telephone
_UNSEEN = 25  # of 255, how solid a pixel is that nobody sees
Box = tuple[float, float, float, float]
"""Left, top, right and bottom edge of a part of a picture, as shares of its width and height."""
WHOLE: Box = (0.0, 0.0, 1.0, 1.0)
_PICTURES = ("PNG", "JPEG", "GIF", "BMP")


def style_value(value: str) -> str | None:
    """Write a value as it may stand that says nothing but how something looks ("bold", "#ff0000",
    "12pt"), long numbers rounded; None if it may say more."""
    words, found = contents("looks")["words"], True

    def part(token: re.Match[str]) -> str:
        nonlocal found
        shown = token[0]
        if shown[0] == "#":
            return "#" + plain_colour(shown[1:])
        if not shown[-1].isdigit():
            found = found and (shown in words or shown.lower() in words)
            return shown
        return _plain_row(shown)

    plain = _TOKEN.sub(part, value)
    return plain if (found and value.isascii()) or is_symbol(value) else None


def is_symbol(value: str) -> bool:
    """Recognise a bullet or a sign: one character that is no letter, and "o" (Word's circle)."""
    shown = unicodedata.normalize("NFKC", value)
    return value == "o" or (len(value) == 1 and value < "\U00010000" and not shown.isalnum())


def _plain_row(row: str) -> str:
    """Write numbers with signs between them so that they are no telephone and no date: six digits
    at most, shared evenly, of several; none where no blank or comma stands between two of them
    ("555-0134"), or of more than six."""
    signs = re.split(_NUMBER, row)[1:-1]
    numbers = [number for number in re.findall(_NUMBER, row) if float(number)]
    digits = sum(map(str.isdigit, "".join(numbers)))
    joined = digits > _JOINED and not all(re.search(r"[\s,()]", sign) for sign in signs)
    if joined or len(numbers) > _MOST_DIGITS:
        return "0"
    share = _MOST_DIGITS // len(numbers) if signs and digits > _MOST_DIGITS else 0
    return re.sub(_NUMBER, lambda number: _rounded(number[0], share), row)


def _rounded(number: str, digits: int) -> str:
    """Write a number with some digits; if 0, with three where it is longer than lengths are."""
    if len(number) > _LONGEST:
        return "0"
    if not digits and float(number) <= _MOST and len(number) <= _LONGEST // 2:
        return number
    return f"{float(f'{float(number):.{digits or 3}g}'):.6f}".rstrip("0").rstrip(".")


def plain_colour(value: str) -> str:
    """Write a colour as it may stand: one of digits or of letters alone, which could be a number
    or a word, in the nearest of few shades."""
    value = value if len(value) > 5 else "".join(2 * digit for digit in value)
    if not (value[-6:].isdigit() or value[-6:].isalpha()):
        return value
    pairs = (int(value[at : at + 2], 16) for at in range(0, len(value), 2))
    return "".join(f"{(pair + 8) // 17:X}" * 2 for pair in pairs)


def plain_css(css: str) -> str:
    """Take comments, strings and addresses out of style rules, and read what is escaped."""
    escape = r"\\([0-9a-fA-F]{1,6}|)\s?"
    return re.sub(
        escape, lambda code: chr(int(code[1] or "20", 16) % 0x110000), _CSS_GONE.sub("", css)
    )


class Names(dict[str, str]):
    """The stand-ins for the names that a file gives to its parts (styles, bookmarks, classes)."""

    def __missing__(self, name: str) -> str:
        self[name] = made = f"name{len(self) + 1}"
        return made

    def rename(self, name: str) -> str:
        """Give a name its stand-in, the same each time; of "#name" the mark stays. What is called
        by a number gets another one, if it is not short."""
        bare = name.lstrip("#-")
        if bare.isdecimal():
            return name if len(bare) < _SHORT else str(10**_SHORT + int(self[bare][4:]))
        return name[: len(name) - len(bare)] + (self[bare] if bare else "")

    def restyle(self, css: str) -> str:
        """Clean the rules of a style sheet, or a list of declarations: rename selectors, and
        drop declarations that hold words beside those of looks."""

        def selector(found: re.Match[str]) -> str:
            mark, word = found[1], found[2]
            if word is None:
                return _plain_row(found[0]) if found[0].isascii() else ""
            known = style_value(word) is not None or word in contents("html")["elements"]
            return mark + (word if known and not mark else self[word])

        def part(found: re.Match[str]) -> str:
            said, end = found[1], found[2]
            if end == "{":
                return _NAME.sub(selector, said).replace("\\", "") + end
            return ("" if "\\" in said else style_value(said) or "") + end

        return re.sub(r"([^{};]+)([{};]?)", part, _CSS_GONE.sub("", css))


def clean_picture(data: bytes, box: Box = WHOLE) -> tuple[str, bytes]:
    """Write the pixels that a picture shows anew, and name its kind ("png", "jpeg"); a blank one
    and "" for what cannot be read as pixels (drawings in EMF or SVG, damaged files). Of an
    animation the first picture stays; pixels of which a tenth or less is seen do not.

    Args:
        box: the part that is shown.
    """
    image, made = require("PIL.Image"), BytesIO()
    try:
        with image.open(BytesIO(data), formats=_PICTURES) as given:
            kind = "JPEG" if given.format == "JPEG" else "PNG"
            shown = require("PIL.ImageOps").exif_transpose(given)
            if shown.mode.startswith("I"):  # 16 bits
                shown = shown.convert("I").point(lambda level: level * (1 / 256)).convert("L")
            shown = shown.convert("RGB" if kind == "JPEG" else "RGBA")
            left, top, right, bottom = (round(at * shown.size[n % 2]) for n, at in enumerate(box))
            shown = shown.crop((left, top, max(right, left + 1), max(bottom, top + 1)))
            pixels = image.new(shown.mode, shown.size)
            seen = [255 * (alpha > _UNSEEN) for alpha in range(256)]
            mask = shown.getchannel("A").point(seen, "1") if kind == "PNG" else None
            pixels.paste(shown, mask=mask)
            pixels.save(made, kind, **({"quality": 95} if kind == "JPEG" else {}))
            return kind.lower(), made.getvalue()
    except Exception:  # noqa: BLE001  (Pillow raises whatever the decoder of a format does)
        image.new("L", (1, 1), 255).save(blank := BytesIO(), "PNG")
        return "", blank.getvalue()
