"""Generalisations of words that no annotation marks."""

from functools import partial

import pytest

from intact.domain import Document, Span
from intact.planning.ladder import DocumentChecks
from intact.planning.rules.kinds import UnmarkedGenerator
from intact.protocols import UnmarkedWords


@pytest.fixture(scope="module")
def generator(base):
    return UnmarkedGenerator(base, partial(DocumentChecks, aliases=base.aliases))


def proposed(generator, text, part, kind):
    start = text.index(part)
    spot = UnmarkedWords(part.lower(), kind, (Span(start, start + len(part)),))
    found = generator.propose(Document("d", text, ()), [spot])
    return [*found[spot.key][1]] if found else []


def test_dates_and_nouns_where_their_phrase_fits(generator):
    assert proposed(generator, "It closed in 1984.", "1984", "date")
    assert not proposed(generator, "Under the Ferry Act 1984 he paid.", "1984", "date")
    assert proposed(generator, "She was the teacher of two boys.", "teacher", "word")
    assert not proposed(generator, "She read a teacher manual.", "teacher", "word")
    assert not proposed(generator, "It was the matter of a day.", "matter", "word")
    assert not proposed(generator, "He assumed the office of chairman.", "office", "word")
    assert not proposed(generator, "He spoke quietly to her.", "quietly", "word")


@pytest.mark.parametrize(
    ("text", "word", "left_out"),
    [
        ("He sold the agricultural land.", "agricultural", True),
        ("He gave no reasonable excuse.", "reasonable", False),  # no excuse says more
        ("The official letter came.", "official", False),  # a noun as well
        ("The land is agricultural.", "agricultural", False),
        ("The statutory and other notices came.", "statutory", False),
    ],
)
def test_an_adjective_may_be_left_out_where_the_rest_stays_true(generator, text, word, left_out):
    assert proposed(generator, text, word, "word") == ["certain"] * left_out


def test_names_but_not_where_they_qualify_a_noun(generator):
    assert "a country in Northern Europe" in proposed(
        generator, "He moved to Norway later.", "Norway", "name"
    )
    assert proposed(generator, "The Supreme Court heard it.", "Supreme Court", "name")
    laws = proposed(generator, "Under the Police Act he paid.", "Police Act", "name")
    assert laws[-1] == "a source of law"
    assert not proposed(generator, "Under the Police Rules he paid.", "Police Rules", "name")
    assert not proposed(generator, "They heard Queen often.", "Queen", "name")
    text = "It was heard by the County Court in May."
    assert proposed(generator, text, "County Court", "name")
    assert not proposed(generator, text.replace(" in", " judge in"), "County Court", "name")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("He had no teacher then.", "teacher"),  # who had none of them may have had another
        ("He spoke with his teacher.", "teacher"),  # whose professional one is nobody says
        ("They agreed on a conspiracy to defraud.", "conspiracy"),
    ],
)
def test_nouns_that_would_be_wrong(generator, text, part):
    assert not proposed(generator, text, part, "word")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("Under the Northern Ireland (Ferries) Act he paid.", "Northern Ireland"),
        ("He asked his Commanding Officer.", "Commanding Officer"),
        ("He moved to Norway-based firms.", "Norway"),
    ],
)
def test_part_of_a_longer_name_stays(generator, text, part):
    assert not proposed(generator, text, part, "name")
