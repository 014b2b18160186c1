"""What a person decides is done, held, attacked and kept."""

import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from intact.errors import FormatError, RunError
from intact.review.decisions import Action, read_decisions
from intact.review.session import RefusedError, ReviewSession

Begin = Callable[..., ReviewSession]


def entity(view: dict[str, Any], surface: str) -> dict[str, Any]:
    return next(one for one in view["entities"] if surface in one["surfaces"])


def decide(session: ReviewSession, action: Action, surface: str, text: str = "") -> dict[str, Any]:
    return session.decide(0, action, entity(session.document(0), surface)["key"], text, "")


def test_what_is_guessed_stays_if_a_person_decided_on_it(begin: Begin, letter: Path) -> None:
    session = begin(letter)
    rungs = entity(session.document(0), "Norwegian")["candidates"]
    guessed = next(rung for rung in rungs if rung["outcome"] == "GUESSED")
    view = decide(session, Action.CHOOSE, "Norwegian", guessed["text"])
    one = entity(view, "Norwegian")
    assert one["replacement"] == guessed["text"] and one["outcome"] == "GUESSED"
    chosen = next(rung for rung in one["candidates"] if rung["chosen"])
    assert chosen["outcome"] == "GUESSED" and chosen["source"] == guessed["source"]
    assert one["decided"]["by"] == "Ann"


def test_every_guessed_candidate_may_be_chosen(begin: Begin, letter: Path) -> None:
    session = begin(letter)
    for one in session.document(0)["entities"]:
        for rung in one["candidates"]:
            if rung["outcome"] == "GUESSED":
                view = decide(session, Action.CHOOSE, one["surfaces"][0], rung["text"])
                assert entity(view, one["surfaces"][0])["replacement"] == rung["text"]
                session.undo(0)


def test_an_own_phrase_stands_even_for_a_name(begin: Begin, letter: Path) -> None:
    view = decide(begin(letter), Action.PHRASE, "Lars Henriksen", "an elderly man")
    assert "My father, an elderly man, was born" in view["text"]
    assert "An elderly man speaks" in view["text"] and "Henriksen" not in view["text"]


@pytest.mark.parametrize(
    ("surface", "phrase"),
    [
        ("Bergen", "a town near Leeds"),  # names what another one hides
        ("Bergen", "Bergen"),
        ("Bergen", "a town in Africa"),  # not true
        ("3 May 1951", "the 1960s"),  # not true
        ("3 May 1951", "3/5/1951"),
        ("3 May 1951", "the 3rd of May 1951"),
        ("Bergen", "..."),
        ("Lars Henriksen", "Lars"),
    ],
)
def test_a_phrase_that_is_false_or_gives_away_is_refused(
    begin: Begin, letter: Path, surface: str, phrase: str
) -> None:
    session = begin(letter)
    with pytest.raises(RefusedError):
        decide(session, Action.PHRASE, surface, phrase)
    assert not read_decisions(letter.with_name("letter.decisions"))


def test_mask_keep_unmark_mark_undo(begin: Begin, letter: Path) -> None:
    session = begin(letter)
    first = session.document(0)["text"]
    assert "LOC_1" in decide(session, Action.MASK, "Bergen")["text"]
    with pytest.raises(RefusedError, match="why"):
        decide(session, Action.KEEP, "Leeds", " ")
    kept = decide(session, Action.KEEP, "Leeds", "the city council is public")
    assert "to Leeds in" in kept["text"]
    assert kept["done"][-1]["why"] == "the city council is public"
    assert "Norwegian" in decide(session, Action.UNMARK, "Norwegian")["text"]
    marked = session.decide(0, Action.MARK, "", "Siemens", "ORG")
    assert "Siemens" not in marked["text"]
    for _ in range(4):
        undone = session.undo(0)
    assert undone["text"] == first
    with pytest.raises(RefusedError):
        session.undo(0)


def test_every_place_of_missed_text_is_hidden(begin: Begin, tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("We met a purple kite. Some like purple kites, not the purple kite.\n", "utf-8")
    text = begin(path).decide(0, Action.MARK, "", "purple kite", "PERSON")["text"]
    assert text.count("PERSON_1") == 2 and "purple kite" not in text.replace("purple kites", "")


def test_the_next_review_goes_on_where_the_last_one_was_killed(begin: Begin, letter: Path) -> None:
    text = decide(begin(letter), Action.PHRASE, "Lars Henriksen", "an elderly man")["text"]
    path = letter.with_name("letter.decisions")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with path.open("ab") as file:
        file.write(b'{"id": "torn')
    session = begin(letter)
    assert session.document(0)["text"] == text
    decide(session, Action.MASK, "Bergen")
    assert [line.action for line in read_decisions(path)] == [Action.PHRASE, Action.MASK]


def test_one_review_at_a_time(begin: Begin, letter: Path) -> None:
    begin(letter)
    with pytest.raises(RunError, match="another review"):
        begin(letter, end_others=False)


def test_changed_text_is_told_and_shows_nothing_more(begin: Begin, letter: Path) -> None:
    session = begin(letter)
    decide(session, Action.KEEP, "Bergen", "a reason")
    decide(session, Action.MASK, "Leeds")
    decide(session, Action.PHRASE, "3 May 1951", "the early 1950s")
    letter.write_text(letter.read_text("utf-8").replace("3 May 1951", "4 June 1952"), "utf-8")
    view = begin(letter).document(0)
    notes = " ".join(view["notes"])
    assert "Bergen" not in view["text"] and "it stays hidden" in notes
    assert entity(view, "Leeds")["outcome"] == "LABEL" and "done again" in notes
    assert "early 1950s" not in view["text"] and "not found any more" in notes


def test_decisions_without_originals_do_the_same(begin: Begin, letter: Path) -> None:
    session = begin(letter, redact=True)
    decide(session, Action.MASK, "Bergen")
    text = session.decide(0, Action.MARK, "", "Siemens", "ORG")["text"]
    path = letter.with_name("letter.decisions")
    assert "Bergen" not in path.read_text("utf-8") and "Siemens" not in path.read_text("utf-8")
    assert begin(letter).document(0)["text"] == text


def test_a_line_that_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.decisions"
    for line in ("[]", "{}", '{"action": "dance"}', '{"action": "mask", "more": 1}', "\x00"):
        path.write_text(line + "\n", "utf-8")
        with pytest.raises(FormatError, match="line 1"):
            read_decisions(path)


def test_a_link_in_place_of_the_decisions_is_refused(begin: Begin, letter: Path) -> None:
    target = letter.with_name("other")
    letter.with_name("letter.decisions").symlink_to(target)
    with pytest.raises(RunError):
        begin(letter)
    assert not target.exists()


def test_the_worst_comes_first(begin: Begin, letter: Path) -> None:
    concerns = [one["concern"] for one in begin(letter).document(0)["entities"]]
    assert concerns == sorted(concerns, reverse=True)


def test_sentences_show_what_changed(begin: Begin, letter: Path) -> None:
    for one in begin(letter).document(0)["entities"]:
        for sentence in one["sentences"]:
            assert sentence["before"][1] in one["surfaces"]
            assert one["replacement"].lower() in sentence["after"][1].lower()
