"""Where populations come from: JSON, JSON lines, folders of texts, profile tables, Wikidata.

What a source may hold of an individual:

* a string: public text;
* an object of values: a profile table ({"birth_date": "1970-03-02", "team": ["A", "B"]});
* a Wikidata-like record: {"id", "labels", "descriptions", "aliases", "claims"}.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from intact.english.calendar import MONTH_NAMES
from intact.errors import FormatError, InputError
from intact.formats.base import decode
from intact.formats.json_text import parse_json
from intact.knowledge.base import KnowledgeBase

Variants = Callable[[str], Iterable[str]]
"""Other ways to write a value of a profile."""

_IDS = ("individual", "id", "doc_id", "name")
_ISO = re.compile(r"[+]?(\d{4})-(\d{2})-(\d{2})(?:T[\d:]+Z?)?")
_NAME = re.compile(r"[A-Z][\w.'’-]*(?:\s+[^\W\d_][\w.'’-]*){1,5}")
_OFFICIAL = re.compile(r"(?:\w+ )?(?:republic|kingdom|commonwealth|state) of (.+)", re.I)
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class Individual:
    """One person of a population and what is publicly known of them.

    Attributes:
        name: unique in the population.
        text: public text, or the values of a profile with their variants, one a line.
    """

    name: str
    text: str


def read_people(source: Path, variants: Variants = lambda value: ()) -> Iterator[Individual]:
    """The individuals of a source, lazily where its format allows.

    Args:
        source: a .json or .jsonl file, or a folder of .txt files named after individuals.
        variants: other ways to write a value of a profile; texts are taken as they are.

    Raises:
        InputError: if it cannot be read, or an individual comes twice or is empty.
        FormatError: if it is none of the formats.
    """
    found = False
    for name, known in _entries(source):
        found = True
        text = known if isinstance(known, str) else "\n".join(_profile(known, variants))
        if not text.strip():
            raise InputError(
                f"nothing is known of the individual {name}",
                where=str(source),
                remedy="Give it a text, or leave it out.",
            )
        yield Individual(name, text)
    if not found:
        raise InputError(
            "the population is empty",
            where=str(source),
            remedy='It needs {individual: "public text"}.',
        )


def _entries(source: Path) -> Iterator[tuple[str, Any]]:
    if source.is_dir():
        yield from _folder(source)
    elif source.suffix.lower() in (".jsonl", ".ndjson"):
        yield from _lines(source)
    else:
        yield from _json(source)


def _folder(source: Path) -> Iterator[tuple[str, str]]:
    paths = sorted(path for path in source.rglob("*.txt") if path.is_file())
    if not paths:
        raise InputError("the folder has no .txt files", where=str(source))
    for path in paths:
        yield path.relative_to(source).with_suffix("").as_posix(), decode(_read(path), str(path))


def _lines(source: Path) -> Iterator[tuple[str, Any]]:
    try:
        with source.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    where = f"{source}, line {number}"
                    yield _record(_parsed(line, where), where)
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=str(source)) from None


def _json(source: Path) -> Iterator[tuple[str, Any]]:
    data = _parsed(_read(source), str(source))
    if isinstance(data, dict):
        for name, known in data.items():
            if not isinstance(known, str | dict | list):
                raise FormatError(
                    f"the individual {name} has neither text nor profile", where=str(source)
                )
            yield name, known
    elif isinstance(data, list):
        for number, item in enumerate(data, start=1):
            yield _record(item, f"{source}, entry {number}")
    else:
        raise FormatError(
            "is no population",
            where=str(source),
            remedy='It needs {individual: "public text"}, or a list of records.',
        )


def _record(item: object, where: str) -> tuple[str, Any]:
    if not isinstance(item, dict):
        raise FormatError("is no record of an individual", where=where)
    key = next((key for key in _IDS if item.get(key)), None)
    if key is None:
        raise FormatError(
            "the individual has no name", where=where, remedy='It needs "individual" or "id".'
        )
    known = item.get("text", item.get("profile"))
    if known is None:
        known = {other: value for other, value in item.items() if other != key or key == "name"}
    return str(item[key]), known


def _profile(known: object, variants: Variants) -> Iterator[str]:
    """The values of a profile, each followed by its variants."""
    for value in _values(known):
        yield value
        yield from variants(value)


def _values(known: object) -> Iterator[str]:
    if isinstance(known, dict | list):
        for value in known.values() if isinstance(known, dict) else known:
            yield from _values(value)
    elif isinstance(known, str | int | float) and not isinstance(known, bool):
        text = str(known).strip()
        if text:
            yield text


def _parsed(data: bytes, where: str) -> Any:
    """A JSON value in which no individual comes twice."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        counts = Counter(name for name, _ in pairs)
        if len(counts) < len(pairs):
            raise InputError(
                f"{counts.most_common(1)[0][0]} is there twice",
                where=where,
                remedy="Join what is known of one individual.",
            )
        return dict(pairs)

    return parse_json(data, where, unique)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=str(path)) from None


def surface_variants(knowledge: KnowledgeBase | None = None) -> Variants:
    """Other ways in which texts write what a profile says: dates, parts of names, countries.

    Args:
        knowledge: knows nationalities and other names of countries; without it none are given.
    """

    def variants(value: str) -> Iterator[str]:
        dated = _ISO.fullmatch(value)
        if dated:
            yield from _dates(*map(int, dated.groups()))
        elif len(value) <= _LONGEST:
            yield from _parts(value)
            official = _OFFICIAL.fullmatch(value)
            names = (value, official[1]) if official else (value,)
            aliases = knowledge.aliases if knowledge else lambda name: frozenset[str]()
            for name in names:
                yield from sorted(aliases(name) - {value.lower()})

    return variants


def _dates(year: int, month: int, day: int) -> Iterator[str]:
    """A date in the notations of running text, then month and year, then the year.

    Wikidata writes 00 for a month or day that is not known.
    """
    if 1 <= month <= 12:
        name = MONTH_NAMES[month - 1]
        try:
            date(year, month, day)
        except ValueError:
            pass
        else:
            yield f"{day} {name} {year}"
            yield f"{name} {day}, {year}"
            yield f"{day:02}.{month:02}.{year}"
            yield f"{day:02}/{month:02}/{year}"
        yield f"{name} {year}"
    yield str(year)


def _parts(name: str) -> Iterator[str]:
    """First, middle and last names apart, and the first with the last."""
    if _NAME.fullmatch(name):
        parts = name.split()
        yield from parts
        if len(parts) > 2:
            yield f"{parts[0]} {parts[-1]}"
