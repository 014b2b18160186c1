"""What is used as a given name or a surname somewhere in the world (``names.txt``)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from pathlib import Path

from intact.english.fold import fold
from intact.errors import ResourceError

FILE = Path(__file__).resolve().parent / "names.txt"
_PARTS = ("given", "given word", "given place", "surname", "surname word", "surname place")


class Use(IntEnum):
    """How a string is used as a name."""

    NEVER = 0
    SOMETIMES = 1  # it is an everyday word or a big place as well: Grace, Jordan
    MOSTLY = 2


@dataclass(frozen=True, slots=True)
class NameList:
    """Names, folded, with how they are used."""

    given: Mapping[str, Use]
    surnames: Mapping[str, Use]

    def given_use(self, word: str) -> Use:
        """How ``word`` is used as a given name; of hyphenated words the least sure part counts
        where the whole is not listed."""
        return _use(self.given, word)

    def surname_use(self, word: str) -> Use:
        """How ``word`` is used as a surname."""
        return max(_use(self.surnames, word), min(_use(self.surnames, _stem(word)), Use.MOSTLY))

    def is_name(self, word: str) -> bool:
        """Whether ``word`` is mostly a name."""
        return Use.MOSTLY in (self.given_use(word), self.surname_use(word))


def _stem(word: str) -> str:
    """A surname without an article or a woman's ending in front or behind ("al-Masri")."""
    return re.sub(r"\A(?:al|el|ben|abu|ibn|mac|mc|o)[-'’](?=\w{3})", "", word.lower())


def _use(names: Mapping[str, Use], word: str) -> Use:
    folded = fold(word).rstrip(".")
    found = names.get(folded)
    if found is not None:
        return found
    if "-" not in folded:
        return Use.NEVER
    return min((names.get(part, Use.NEVER) for part in folded.split("-")), default=Use.NEVER)


@lru_cache(1)
def name_list() -> NameList:
    """The list, read once.

    Raises:
        ResourceError: if the file is missing or broken.
    """
    parts: dict[str, list[str]] = {}
    try:
        for block in FILE.read_text("utf-8").split("[")[1:]:
            title, _, body = block.partition("]\n")
            parts[title] = body.split()
        given = dict.fromkeys(parts["given"], Use.MOSTLY)
        surnames = dict.fromkeys(parts["surname"], Use.MOSTLY)
        for title in _PARTS:
            uses = given if title.startswith("given") else surnames
            if " " in title:
                uses.update(dict.fromkeys(parts[title], Use.SOMETIMES))
    except (OSError, KeyError, UnicodeDecodeError) as error:
        raise ResourceError(
            "the list of names is missing or broken", where=str(FILE), remedy="Reinstall INTACT."
        ) from error
    return NameList(given, surnames)
