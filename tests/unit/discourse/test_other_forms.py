"""Handles, lower case, parts of names and titled first names are of the only person they fit."""

import re

import pytest

from intact.detection.findings import Merged
from intact.discourse.things import entities
from intact.domain import Span


def people(marked: str) -> list[int]:
    text, spans = "", []
    for part in re.split(r"(\[.*?\])", marked):
        shown = part.strip("[]")
        if part.startswith("["):
            spans.append(Merged(Span(len(text), len(text) + len(shown)), "person", 0.9, ("a",)))
        text += shown
    return entities(text, spans)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("[tkowalski], [Tomasz Kowalski], [tomasz], [tomaszk92]", [1, 1, 1, 1]),
        ("[Nurul Izzah Ahmad], [Nurul Izzah], [Mr Nurul]", [1, 1, 1]),
        ("[Blessing Ada Obi] and her mother, [Ada Obi]", [1, 2]),
        ("[Anna Berg], [Tom Berg] and [berg]", [1, 2, 3]),
        ("[Nguyen Thi Hoa], [Nguyen Van Thang] and [Mr Nguyen]", [1, 2, 3]),
        ("[Anna Berg], [Tom Keller] and [his wife]", [1, 2, 3]),
        ("[Anna Berg] and [aberg@], [Axel Berg]", [1, 2, 3]),
        ("[Robert Hale], [Bob], [Bobby Hale] and [Rob]", [1, 1, 1, 1]),
        ("[Robert Hale], [Bob Marsh] and [Bob]", [1, 2, 2]),
        ("[Robert Hale], [Robert Marsh] and [Bob]", [1, 2, 3]),
        ("[Elizabeth Hale] and [Liz Marsh]", [1, 2]),
        ("[Ada Kowalski], [Ada Kowalsky] and [Adam Kowalski]", [1, 1, 2]),
        ("[Maria Rossi] and [Mario Rossi], [Ada Berg] and [Ada Borg]", [1, 2, 3, 4]),
    ],
)
def test_one_person_has_one_number(text, wanted):
    assert people(text) == wanted
