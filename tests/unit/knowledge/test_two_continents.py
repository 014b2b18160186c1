"""Places that lie on another continent than most of their country."""

import pytest

from intact.config import load_settings
from intact.domain import Document, Mention, Span
from intact.pipeline import build_ladders

LADDERS = build_ladders(load_settings())


@pytest.mark.parametrize("name", ["Istanbul", "Topkapı", "Edirne", "Honolulu", "Vladivostok"])
def test_no_continent_is_said(name):
    text = f"He lived in {name} then."
    mention = Mention("m", Span(12, 12 + len(name)), name, "e", "LOC")
    told = [c.text for c in LADDERS(Document("d", text, (mention,)))["e"]]
    assert told and not [one for one in told if one.endswith(("Asia", "Europe", "America"))]
