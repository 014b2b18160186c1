"""The tree of kinds, its wordings, and the lexicon that leads words to it."""

import sqlite3

import pytest

from intact.domain import ENTITY_TYPES
from intact.english.grammar import takes_an
from intact.errors import ConfigError
from intact.knowledge.base import FILE
from intact.knowledge.kinds import Lexicon, kind_tree, read_kinds

TREE = """
@types DEM MISC
a craftsman
    a miller | grinders ; pred: at the mill ; bare: milling = a mill hand, @trade
        a windmiller
    a miller (moth)
    a sawyer ; said: a woodworker | people in wood
"""


@pytest.fixture(scope="module")
def lexicon():
    connection = sqlite3.connect(FILE)
    yield Lexicon(connection, kind_tree())
    connection.close()


def test_a_line_is_a_kind_with_its_wordings():
    tree = read_kinds(TREE, "mills.txt")
    miller = tree["miller"]
    assert [kind.id for kind in tree.path("windmiller")] == ["windmiller", "miller", "craftsman"]
    assert miller.plural == "grinders"
    assert miller.wordings == {"pred": "at the mill", "bare": "milling"}
    assert miller.rungs == ("a mill hand", "@trade")
    assert tree["miller-moth"].phrase == "a miller"
    sawyer = tree["sawyer"]
    assert (sawyer.name, sawyer.phrase, sawyer.plural) == (
        "a sawyer",
        "a woodworker",
        "people in wood",
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("    a miller", "line 1: the line is indented under nothing"),
        ("a miller\na miller", "line 2: .* stands there twice"),
        ("a miller ; colour: white", 'line 1: "colour" is no form'),
    ],
)
def test_a_wrong_line_is_named(text, told):
    with pytest.raises(ConfigError, match=told):
        read_kinds(text, "mills.txt")


def _lines(tree):
    for kind in tree.values():
        yield tuple(filter(None, (above.worded("noun") for above in tree.path(kind.id))))


def test_every_step_up_says_something_else():
    for phrases in _lines(kind_tree()):
        assert len(set(phrases)) == len(phrases), phrases


def test_phrases_are_grammatical():
    for kind in kind_tree().values():
        first, _, noun = kind.phrase.partition(" ")
        if first in ("a", "an"):
            assert (first == "an") == takes_an(noun), kind.phrase
            assert kind.plural != kind.phrase, kind.phrase
        else:
            assert kind.plural == kind.phrase, kind.phrase
        assert set(kind.types) <= set(ENTITY_TYPES), kind.phrase
        for words in kind.wordings.values():
            assert not words.startswith(("a ", "an ", "the ")), words


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("nurse", "nurse"),
        ("the Appeal Court", "appeal-court"),
        ("Polish", "national-of-a-country"),
        ("Polish", "language"),
        ("hives", "skin-condition"),
        ("hives", "container"),
    ],
)
def test_a_word_has_all_the_kinds_it_can_mean(lexicon, word, kind):
    whole, _, _ = lexicon.read(word)
    assert kind in whole
    assert sum(whole.values()) == pytest.approx(1.0)


def test_a_head_is_asked_where_the_whole_is_not_known(lexicon):
    whole, head, rest = lexicon.read("a very tall Polish nurse")
    assert not whole
    assert "nurse" in head
    assert "language" in rest
    assert lexicon.read("Qxzzy") == ({}, {}, {})
    assert lexicon.read("") == ({}, {}, {})
    assert lexicon.kind_of(["a district court in Turkey"]) == "district-court"
    assert lexicon.kind_of(["a thing nobody listed", "a lawyer"]) == "lawyer"
    assert lexicon.kind_of([]) == ""
