"""Make what a file says besides its text meaningless: names of its parts, looks, pictures.

A value stays if all its words are in the lists of ``contents.toml`` or in the format's standard,
with long numbers rounded. A name is replaced by another, equal names by the same, so that
references to a part still work."""

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
    """Return a format's tables of ``contents.toml`` or ``schemas.toml`` by their names: each a set
    of words, or sets by further names.

    Args:
        name: of the format.
        file: "contents" or "schemas".
    """

    def split(value: Any) -> Any:
        """Return a text as the set of its words, which commas, if there are any, else blanks
        separate; of a table, the same for each of its values."""
        if isinstance(value, dict):
            return {key: split(each) for key, each in value.items()}
        return frozenset(" ".join(value.split()).split("," if "," in value else None))

    path = Path(__file__).with_name(f"{file}.toml")
    return dict(split(tomllib.loads(path.read_text("utf-8"))[name]))


@cache
def namespaces(name: str) -> dict[str, str]:
    """Return the namespaces of a format that may stay in its files: the usual prefix by the
    address."""
    return {space: prefix for prefix, (space,) in contents(name)["namespaces"].items()}


@cache
def regexes(name: str) -> dict[str, re.Pattern[str]]:
    """Return the patterns of a table of ``patterns.toml``, compiled, by their names; lines of one
    pattern are joined."""
    tables = tomllib.loads(Path(__file__).with_name("patterns.toml").read_text("utf-8"))
    return {key: re.compile(text.replace("\n", "")) for key, text in tables[name].items()}


_LOOKS, _NUMBER = regexes("looks"), regexes("looks")["number"]
# The height of the longest page in twentieths of a point, beyond which numbers keep three digits;
# and the most characters of a number that is kept.
_MOST, _LONGEST = 31_680, 12
_MOST_DIGITS, _JOINED = 6, 3  # of a row of numbers; of numbers with nothing but a sign between them
_SHORT = 5  # the least digits of a number that could be a date or a telephone number
_UNSEEN = 25  # of 255: a pixel that is no more opaque than this is not seen
# Left, top, right and bottom edge of a part of a picture, as shares of its width and height.
Box = tuple[float, float, float, float]
WHOLE: Box = (0.0, 0.0, 1.0, 1.0)
_PICTURES = ("PNG", "JPEG", "GIF", "BMP")


def style_value(value: str) -> str | None:
    """Return a value that says nothing but how something looks ("bold", "#ff0000", "12pt"), with
    long numbers and tell-tale colours rounded; None if it may say more."""
    words, found = contents("looks")["words"], True

    def part(token: re.Match[str]) -> str:
        """Return a word, a row of numbers or a colour of the value as it may stay; note in
        ``found`` if a word is none of those that only say how something looks."""
        nonlocal found
        shown = token[0]
        if shown[0] == "#":
            return "#" + plain_colour(shown[1:])
        if not shown[-1].isdigit():
            found = found and (shown in words or shown.lower() in words)
            return shown
        return _plain_row(shown)

    plain = _LOOKS["token"].sub(part, value)
    return plain if (found and value.isascii()) or is_symbol(value) else None


def is_symbol(value: str) -> bool:
    """Tell whether a value is a bullet or a sign: one character that is no letter or digit, or "o"
    (Word's circle)."""
    shown = unicodedata.normalize("NFKC", value)
    return value == "o" or (len(value) == 1 and value < "\U00010000" and not shown.isalnum())


def _plain_row(row: str) -> str:
    """Return a row of numbers with signs between them, so rounded that it is no telephone number
    and no date. Several numbers keep six digits in all, shared evenly. The row becomes "0" if two
    numbers are joined by neither blank nor comma ("555-0134"), or there are more than six
    numbers."""
    signs = _NUMBER.split(row)[1:-1]
    numbers = [number for number in _NUMBER.findall(row) if float(number)]
    digits = sum(map(str.isdigit, "".join(numbers)))
    joined = digits > _JOINED and not all(re.search(r"[\s,()]", sign) for sign in signs)
    if joined or len(numbers) > _MOST_DIGITS:
        return "0"
    share = _MOST_DIGITS // len(numbers) if signs and digits > _MOST_DIGITS else 0
    return _NUMBER.sub(lambda number: _rounded(number[0], share), row)


def _rounded(number: str, digits: int) -> str:
    """Return a number as text, rounded to so many significant ``digits``. With 0 digits it keeps
    three if it is longer than lengths on a page are (31,680 or six characters), else all. A number
    of more than twelve characters becomes "0"."""
    if len(number) > _LONGEST:
        return "0"
    if not digits and float(number) <= _MOST and len(number) <= _LONGEST // 2:
        return number
    return f"{float(f'{float(number):.{digits or 3}g}'):.6f}".rstrip("0").rstrip(".")


def plain_colour(value: str) -> str:
    """Return a colour in hexadecimal digits, without "#", as it may stay. One of digits alone or of
    letters alone, which could be a number or a word, is rounded to the nearest of few shades; a
    short one ("f00") is written with six digits."""
    value = value if len(value) > 5 else "".join(2 * digit for digit in value)
    if not (value[-6:].isdigit() or value[-6:].isalpha()):
        return value
    pairs = (int(value[at : at + 2], 16) for at in range(0, len(value), 2))
    return "".join(f"{(pair + 8) // 17:X}" * 2 for pair in pairs)


def plain_css(css: str) -> str:
    """Return style rules without comments, strings, addresses and imports, their escapes
    decoded."""
    plain = _LOOKS["unread"].sub("", css)
    return _LOOKS["escape"].sub(lambda code: chr(int(code[1] or "20", 16) % 0x110000), plain)


class Names(dict[str, str]):
    """Stand-ins for the names that a file gives to its parts (styles, bookmarks, classes)."""

    def __missing__(self, name: str) -> str:
        """Enter a stand-in for a new name, and return it: "name1" for the first name, "name2" for
        the second."""
        self[name] = made = f"name{len(self) + 1}"
        return made

    def rename(self, name: str) -> str:
        """Return the stand-in for a name ("name3"), the same each time; a leading "#" or "-" stays.
        A number of five or more digits gets another number; shorter ones, and "", stay."""
        bare = name.lstrip("#-")
        if bare.isdecimal():
            return name if len(bare) < _SHORT else str(10**_SHORT + int(self[bare][4:]))
        return name[: len(name) - len(bare)] + (self[bare] if bare else "")

    def restyle(self, css: str) -> str:
        """Return the rules of a style sheet, or a list of declarations, with the names in selectors
        replaced by stand-ins, and without the declarations that say more than how something
        looks."""

        def selector(found: re.Match[str]) -> str:
            """Return a name found in a selector as its stand-in ("name1"), but that of an element
            or a look ("table", "bold") as it is; a row of numbers rounded; and nothing for a
            character beyond ASCII."""
            mark, word = found[1], found[2]
            if word is None:
                return _plain_row(found[0]) if found[0].isascii() else ""
            known = style_value(word) is not None or word in contents("html")["elements"]
            return mark + (word if known and not mark else self[word])

        def part(found: re.Match[str]) -> str:
            """Return a selector with its names replaced, or a declaration, which is left out if it
            says more than how something looks; the sign behind it stays."""
            said, end = found[1], found[2]
            if end == "{":
                return _LOOKS["name"].sub(selector, said).replace("\\", "") + end
            return ("" if "\\" in said else style_value(said) or "") + end

        return _LOOKS["part"].sub(part, _LOOKS["unread"].sub("", css))


def clean_picture(data: bytes, box: Box = WHOLE) -> tuple[str, bytes]:
    """Return (kind, bytes) of a new picture file with the visible pixels of a picture alone; the
    kind is "png" or "jpeg". A file that cannot be read as pixels (EMF or SVG drawings, damaged
    files) gives "" and the bytes of a blank picture. Only the first picture of an animation is
    kept, and no pixels that are at most a tenth opaque.

    Args:
        data: the file.
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
