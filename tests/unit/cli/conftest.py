"""Input for the command line."""

import json

import pytest

from tests.marked import tab_document

FAST = ("--set", "generation.sources=[]", "--set", "attack.attackers=[]")


@pytest.fixture
def document():
    """A TAB document about Zacharias Quisling-Topp of Tromsø, with things changed."""

    def make(**changes):
        text = "Zacharias Topp of Tromsø wrote on 3 May 1996. Topp was aged 34."
        masked = (("Zacharias Topp", "PERSON"), ("Tromsø", "LOC"), ("3 May 1996", "DATETIME"))
        return tab_document("d1", text, *masked, ("aged 34", "DATETIME"), layer="ann") | changes

    return make


@pytest.fixture
def tab(tmp_path):
    """Writes documents as a TAB file."""

    def write(*documents, name="in.json"):
        path = tmp_path / name
        path.write_text(json.dumps(documents), encoding="utf-8")
        return path

    return write
