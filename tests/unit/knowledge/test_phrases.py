"""Phrases that can be printed are worded as somebody would write them."""

from tools.phrases import all_problems, problems


def test_every_phrase_reads_well():
    assert all_problems() == []


def test_what_nobody_writes_is_named():
    bad = ("a person with a job", "something", "of a certain age", "an nurse", "a  nurse")
    assert len(problems(("here", each) for each in bad)) == len(bad)
    assert problems([("here", "a living thing"), ("here", "an artist")]) == []
