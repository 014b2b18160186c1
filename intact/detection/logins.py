"""Logins made of a person's name: "dmitri.volkov"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from intact.detection.name_list import Use, name_list
from intact.domain import Span
from intact.english.words import is_english

_HANDLE = re.compile(r"(?<![\w.@/-])([^\W\d_]{3,})[._]([^\W\d_]{3,})(?![\w@.-]*[\w@])")


def logins(text: str) -> Iterator[Span]:
    """Where a given name and a surname are joined by a full stop or an underscore."""
    names = name_list()
    for match in _HANDLE.finditer(text):
        first, last = match.groups()
        given = last.islower() and names.given_use(first) is Use.MOSTLY
        if given and (names.surname_use(last) or not is_english(last)):
            yield Span(*match.span())
