"""A person's decisions are carried out, attacked and kept."""

import csv
import hashlib
import json
import re
import stat
from html import unescape
from pathlib import Path

import pytest

from intact.cli import run
from intact.config import load_settings
from intact.errors import ConfigError, FormatError, InputError, LanguageError, ModelError, RunError
from intact.knowledge.base import KnowledgeBase
from intact.review.decisions import Action, read_decisions
from intact.review.phrases import RefusedError
from intact.review.release import UNSEEN, release
from intact.review.session import ORIGINALS, DecisionRequest
from intact.run.job import run as run_job


def entity(view, surface):
    return next(one for one in view["entities"] if surface in one["surfaces"])


def decide(session, action, surface, text=""):
    return session.decide(
        0, DecisionRequest(action, entity(session.document(0), surface)["key"], text, "")
    )


def test_what_is_guessed_stays_if_a_person_decided_on_it(begin, letter):
    session = begin(letter)
    rungs = entity(session.document(0), "Norwegian")["candidates"]
    guessed = next(rung for rung in rungs if rung["outcome"] == "GUESSED")
    view = decide(session, Action.CHOOSE, "Norwegian", guessed["text"])
    one = entity(view, "Norwegian")
    assert one["replacement"] == guessed["text"] and one["outcome"] == "GUESSED"
    chosen = next(rung for rung in one["candidates"] if rung["chosen"])
    assert chosen["outcome"] == "GUESSED" and chosen["source"] == guessed["source"]
    assert one["decided"]["by"] == "Ann"


def test_an_own_phrase_stands_but_is_not_held_to_be_safe(begin, letter):
    review = begin(letter)
    outcome = entity(review.document(0), "Bergen")["outcome"]
    accepted = decide(review, Action.CHOOSE, "Bergen", "a place")
    assert entity(accepted, "Bergen")["outcome"] == outcome == "SAFE"
    own = decide(review, Action.PHRASE, "Bergen", "somewhere rainy")
    assert "somewhere rainy" in own["text"]
    assert entity(own, "Bergen")["outcome"] == "UNPARSED"
    view = decide(begin(letter), Action.PHRASE, "Lars Henriksen", "an elderly man")
    assert "My father, an elderly man, was born" in view["text"]
    assert "An elderly man speaks" in view["text"] and "Henriksen" not in view["text"]


def test_a_phrase_is_checked_by_the_parts_that_sanitise(begin, letter, monkeypatch):
    opened, open_ = [], KnowledgeBase.open
    monkeypatch.setattr(KnowledgeBase, "open", lambda **how: opened.append(how) or open_(**how))
    decide(begin(letter), Action.PHRASE, "Bergen", "somewhere rainy")
    assert len(opened) == 1


OTHER_WRITING = (
    "Ann Lee of Barrow-in-Furness moved to Leeds on 3 May 1951.\n"
    "The 55-year-old called at 02:15 and again at 02:50 from phone 555-0134-22.\n"
    "At 2.15 p.m. the nurse, who has diabetes, earned 41,500 dollars a year.\n"
    "She left at 8.15-8.40 on 10/3, as she did on 2025-05-14.\n"
)


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
def test_a_phrase_that_is_false_or_gives_away_is_refused(begin, letter, surface, phrase):
    session = begin(letter)
    with pytest.raises(RefusedError):
        decide(session, Action.PHRASE, surface, phrase)
    assert not read_decisions(letter.with_name("letter.decisions"))


@pytest.mark.parametrize(
    ("surface", "phrase", "why"),
    [
        ("02:15", "shortly after quarter past two", "original: “quarter past two”"),
        ("02:50", "ten to three", "is the original"),
        ("02:50", "half past two", "not true"),
        ("Barrow", "a port like b4rr0w", "original: “b4rr0w”"),
        ("Barrow", "a w o r r a b", "words of the original"),
        ("Barrow", "a port like Barow", "original: “Barow”"),
        ("Barrow", "a port like B4row", "original: “B4row”"),
        ("555-0134-22", "SSS ol3 4zz", "words of the original"),
        ("Barrow", "\N{CYRILLIC CAPITAL LETTER VE}arrow", "of the"),
        ("Barrow", "the port %42arrow", "of the"),
        ("Barrow", "a port\U000e0042\U000e0061", "nobody can see"),
        ("Barrow", "a \x01 port", "nobody can see"),
        ("Barrow", "a \ud800 port", "nobody can see"),
        ("Barrow", "NAME_1", "looks like a label"),
        ("555-0134-22", "5550134 22", "words of the original"),
        ("555-0134-22", "\u0665\u0665\u0665\u0660\u0661\u0663\u0664", "of the original"),
        ("3 May 1951", "a city in France", "not true"),
        ("Barrow", "a port called Borrow", "original: “Borrow”"),
        ("Barrow", "a port like B*rrow", "original: “B.rrow”"),
        ("Ann Lee", "A. L.", "original: “AL”"),
        ("555-0134-22", "zero one three four", "words of the original"),
        ("2.15 p.m.", "1415", "is the original"),
        ("2.15 p.m.", "two fifteen", "is the original"),
        ("2.15 p.m.", "quarter after two", "is the original"),
        ("41,500 dollars", "41 500", "original's number"),
        ("41,500 dollars", "41.5k", "original's number"),
        ("41,500 dollars", "a sum of 41,500 a year", "original's number: “41,500”"),
        ("diabetes", "diabetis", "original: “diabetis”"),
        ("diabetes", "setebaid", "words of the original"),
        ("diabetes", "a d i a b e t e s", "words of the original"),
        ("55-year-old", "a 70-year-old", "not true of the original: “70-year-old”"),
        ("8.15-8.40", "in the afternoon", "not true of the original"),
        ("8.15-8.40", "a few minutes", "not true of the original"),
        ("10/3", "10 March", "is the original"),
        ("2025-05-14", "on 14 May 2025", "is the original"),
        ("2025-05-14", "June 2025", "not true of the original"),
        ("Ann Lee", "a man called Lee", r"repeats a word .* take it for no find \(d\), then hide"),
        ("Barrow", "a town near Lees", r"elsewhere: “Lees”"),
        ("Barrow", "a town (1951-05-03)", "elsewhere"),
        ("Barrow", "a town of May 3rd", "elsewhere"),
        ("Barrow", "PERSON_1", r"join it with what has that \(g\)"),
    ],
)
def test_a_phrase_says_the_same_in_other_writing_or_what_cannot_be(
    begin, letter, surface, phrase, why
):
    letter.write_text(OTHER_WRITING, "utf-8")
    session = begin(letter)
    [one] = [e for e in session.document(0)["entities"] if surface in e["surfaces"][0]]
    with pytest.raises(RefusedError, match=why):
        session.decide(0, DecisionRequest(Action.PHRASE, one["key"], phrase))
    assert (
        session.decide(0, DecisionRequest(Action.PHRASE, one["key"], "something else"))["key"]
        == one["key"]
    )


@pytest.mark.parametrize("phrase", ["in his forties", "in her 40s", "aged 40 to 49"])
def test_an_age_in_tens_is_no_decade_alone(begin, tmp_path, phrase):
    path, text = tmp_path / "letter.jsonl", "The caller (male, 40s) was rude."
    mention = {"start": text.index("40s"), "end": text.index("40s") + 3, "type": "DATETIME"}
    path.write_text(json.dumps({"id": "a", "text": text, "mentions": [mention]}), "utf-8")
    session = begin(path)
    with pytest.raises(RefusedError, match="is the original"):
        decide(session, Action.PHRASE, "40s", phrase)
    assert "in middle age" in decide(session, Action.PHRASE, "40s", "in middle age")["text"]


@pytest.mark.parametrize(
    ("shown", "phrase"),
    [
        ("5 ft 8", "between 5 ft and 6 ft tall"),
        ("172 cm tall", "between 160 cm and 180 cm in height"),
        ("10 stone 4", "between 10 stone and 12 stone"),
        ("of 84 kg on arrival", "of between 50 and 100 kg in all"),
        ("60 metres off the road", "at some metres"),
        ("pregnant for 31 weeks", "expecting for some weeks"),
    ],
)
def test_a_unit_is_no_repetition(begin, tmp_path, shown, phrase):
    path, text = tmp_path / "letter.jsonl", f"The man ({shown}) was rude."
    mention = {"start": 9, "end": 9 + len(shown), "type": "DEM"}
    path.write_text(json.dumps({"id": "a", "text": text, "mentions": [mention]}), "utf-8")
    session = begin(path)
    assert phrase in decide(session, Action.PHRASE, shown, phrase)["text"]
    with pytest.raises(RefusedError):
        decide(session, Action.PHRASE, shown, f"or {shown}")


READ_TWICE = "We met Ann Lee at 8.15-8.40 on 10/3, the day after 2025-05-14, and 12/06/2026."


@pytest.mark.parametrize(
    ("surface", "kind", "phrase"),
    [
        ("8.15-8.40", "DATETIME", "in the morning"),  # or in the evening: a person knows
        ("10/3", "MISC", "in March"),
        ("2025-05-14", "CODE", "May 2025"),
        ("12/06/2026", "DATETIME", "June 2026"),
        ("Ann Lee", "PERSON", "Workforce 1"),  # a label of the glossary
    ],
)
def test_a_person_is_believed_where_no_program_can_tell(begin, tmp_path, surface, kind, phrase):
    path, facts = tmp_path / "letter.jsonl", tmp_path / "facts.csv"
    facts.write_text("surface,phrase,kind\nMax Orr,Workforce 1,PERSON\n", "utf-8")
    others = {"Workforce Directorate": "ORG", surface: kind}
    text = f"The Workforce Directorate. {READ_TWICE}"
    mentions = [
        {"start": text.index(own), "end": text.index(own) + len(own), "type": of}
        for own, of in others.items()
    ]
    path.write_text(json.dumps({"id": "a", "text": text, "mentions": mentions}), "utf-8")
    told = decide(begin(path, glossary=facts), Action.PHRASE, surface, phrase)
    view = begin(path, glossary=facts).document(0)
    [chosen] = [rung for rung in entity(view, surface)["candidates"] if rung["chosen"]]
    assert phrase in view["text"] and view["text"] == told["text"] and not view["notes"]
    assert chosen["evidence"]["kind"] == "PERSON"


def test_mask_keep_unmark_mark_undo(begin, letter):
    session = begin(letter)
    first = session.document(0)["text"]
    masked = decide(session, Action.MASK, "Bergen")
    assert "He worked. Mr" in masked["text"]  # where a label would say nothing, nothing stands
    assert entity(masked, "Bergen")["outcome"] == "LABEL"
    with pytest.raises(RefusedError, match="why"):
        decide(session, Action.KEEP, "Leeds", " ")
    kept = decide(session, Action.KEEP, "Leeds", "the city council is public")
    assert "to Leeds in" in kept["text"]
    assert kept["done"][-1]["reason"] == "the city council is public"
    assert "Norwegian" in decide(session, Action.UNMARK, "Norwegian")["text"]
    marked = session.decide(0, DecisionRequest(Action.MARK, "", "father", "DEM"))
    assert "father" not in marked["text"]
    for _ in range(4):
        undone = session.undo(0)
    assert undone["text"] == first
    with pytest.raises(RefusedError):
        session.undo(0)


def test_the_next_review_goes_on_where_the_last_one_was_killed(begin, letter):
    text = decide(begin(letter), Action.PHRASE, "Lars Henriksen", "an elderly man")["text"]
    path = letter.with_name("letter.decisions")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with path.open("ab") as file:
        file.write(b'{"id": "torn')
    session = begin(letter)
    assert session.document(0)["text"] == text
    decide(session, Action.MASK, "Bergen")
    assert [line.action for line in read_decisions(path)] == [Action.PHRASE, Action.MASK]


@pytest.mark.parametrize("step", ["sanitised", "written"])
def test_what_fails_is_not_decided(begin, letter, monkeypatch, step):
    review = begin(letter)
    key = entity(review.document(0), "Bergen")["key"]
    review.decide(0, DecisionRequest(Action.MASK, key))
    path = letter.parent / "letter.decisions"
    before = (review.overview(), review.document(0), path.read_bytes())

    def failed(_):
        raise ModelError("it ended")

    with monkeypatch.context() as broken:
        broken.setattr(
            *((review, "_redo") if step == "sanitised" else (review._file, "add")), failed
        )
        with pytest.raises(ModelError):
            review.decide(0, DecisionRequest(Action.KEEP, key, "it is public"))
    assert (review.overview(), review.document(0), path.read_bytes()) == before


def test_a_document_that_fails_in_an_unforeseen_way_keeps_no_other_from_being_read(
    begin, letter, monkeypatch
):
    (letter.parent / "more").mkdir()
    for name in ("a.txt", "b.txt"):
        (letter.parent / "more" / name).write_text(f"{name}: Ann Lee lives in Bergen.\n")
    review = begin(letter.parent / "more")
    redo = review._redo

    def failed(one):
        return redo(one) if one.raw.id == "b" else {}[one.raw.text]

    monkeypatch.setattr(review, "_redo", failed)
    review._read_ahead()
    first, second = review.overview()["documents"]
    assert second["ready"] and "internal error (KeyError" in first["problem"]
    assert "Bergen" not in first["problem"]


def test_what_was_decided_last_is_as_if_it_were_decided_first(begin, letter):
    review = begin(letter)
    keys = [one["key"] for one in review.document(0)["entities"]]
    for key in keys:
        review.decide(0, DecisionRequest(Action.MASK, key))
    last, again = review.undo(0), begin(letter).document(0)
    assert last["text"] == again["text"]
    names = ("key", "replacement", "outcome", "sentences")
    told = [[[one[name] for name in names] for one in each["entities"]] for each in (last, again)]
    assert told[0] == told[1]


def test_one_review_at_a_time(begin, letter):
    begin(letter)
    with pytest.raises(RunError, match="another review"):
        begin(letter, end_others=False)


def test_changed_text_is_told_and_shows_nothing_more(begin, letter):
    session = begin(letter)
    decide(session, Action.KEEP, "Bergen", "a reason")
    decide(session, Action.MASK, "Leeds")
    decide(session, Action.PHRASE, "3 May 1951", "the early 1950s")
    letter.write_text(letter.read_text("utf-8").replace("3 May 1951", "4 June 1952"), "utf-8")
    view = begin(letter).document(0)
    notes = " ".join(view["notes"])
    assert "Bergen" not in view["text"]
    assert entity(view, "Leeds")["outcome"] == "LABEL" and "done again" in notes
    assert "early 1950s" not in view["text"] and notes.count("text has changed") == 3


def test_a_renamed_document_keeps_its_decisions(begin, letter, intact):
    session = begin(letter)
    decide(session, Action.KEEP, "Leeds", "Lars Henriksen is public")
    text = session.decide(0, DecisionRequest(Action.MARK, "", "father", "DEM"))["text"]
    own = letter.with_name("letter.decisions")
    moved = letter.rename(letter.with_name("other.txt"))
    out = letter.with_name("o.txt")
    assert intact("sanitize", moved, "-o", out, "--decisions", own)[0] == 0
    assert out.read_text("utf-8") == text
    session = begin(moved)
    assert session.document(0)["text"] == text and "Henriksen" not in session.audit()
    session.undo(0)
    assert "father" in session.undo(0)["text"] and not session.document(0)["done"]


def test_a_new_document_of_the_same_name_takes_no_decisions(begin, tmp_path, letter, intact):
    session = begin(letter)
    session.decide(0, DecisionRequest(Action.MARK, "", "father", "DEM"))
    decide(session, Action.KEEP, "Leeds", "it is public")
    folder, own = tmp_path / "in", letter.with_name("letter.decisions")
    folder.mkdir()
    letter.rename(folder / "letter.txt")
    (folder / "letter.html").write_text("<p>My father moved to Leeds.</p>", "utf-8")
    code, _, err = intact("sanitize", folder, "-o", tmp_path / "o", "--decisions", own)
    assert (code, "not as decided" in err) == (0, False)
    assert "father" not in (tmp_path / "o" / "letter.txt").read_text("utf-8")
    assert "father" in (tmp_path / "o" / "letter.html").read_text("utf-8")
    (folder / "copy.txt").write_bytes((folder / "letter.txt").read_bytes())  # which of them is it?
    code, _, err = intact("sanitize", folder, "-o", tmp_path / "o", "--decisions", own)
    assert (code, "not as decided" in err) == (1, True)
    for name in ("letter.txt", "copy.txt"):
        text = (tmp_path / "o" / name).read_text("utf-8")
        assert "father" not in text and "to Leeds" not in text
    session = begin(folder)
    assert all("father" not in session.document(at)["text"] for at in (0, 2))
    session.undo(0, session.document(0)["done"][0]["id"])
    assert all("father" in session.document(at)["text"] for at in (0, 2))


def test_decisions_on_what_is_not_there_are_told(begin, letter, intact):
    session = begin(letter)
    decide(session, Action.MASK, "Bergen")
    session.decide(0, DecisionRequest(Action.MARK, "", "father", "DEM"))
    session.undo(0)
    own, other = letter.with_name("letter.decisions"), letter.with_name("other.txt")
    other.write_text("Ann Lee lives in Leeds.", "utf-8")
    code, _, err = intact("sanitize", other, "--decisions", own)
    told = "letter, line 1 of the decisions: mask LOC"
    assert code == 1 and f"has the name or the text: 1 decision: {told}\n" in err
    assert any(told in one for one in release(begin(other), ())["questions"])


def test_decisions_without_originals_do_the_same(begin, letter):
    session = begin(letter, redact=True)
    decide(session, Action.MASK, "Bergen")
    text = session.decide(0, DecisionRequest(Action.MARK, "", "father", "DEM"))["text"]
    path = letter.with_name("letter.decisions")
    assert "Bergen" not in path.read_text("utf-8") and "father" not in path.read_text("utf-8")
    assert begin(letter).document(0)["text"] == text


def test_a_broken_line_and_a_link_are_refused(tmp_path, begin, letter):
    path = tmp_path / "x.decisions"
    for line in ("[]", "{}", '{"action": "dance"}', '{"action": "mask", "more": 1}', "\x00"):
        path.write_text(line + "\n", "utf-8")
        with pytest.raises(FormatError, match="line 1"):
            read_decisions(path)
    target = letter.with_name("other")
    letter.with_name("letter.decisions").symlink_to(target)
    with pytest.raises(RunError):
        begin(letter)
    assert not target.exists()


def places(text, part):
    return [(at, at + len(part)) for at in range(len(text)) if text.startswith(part, at)]


def test_split_join_retype_and_their_undo(begin, letter):
    session = begin(letter)
    first = session.document(0)
    henriksen = entity(first, "Mr Henriksen")
    assert len(henriksen["places"]) == 2
    place = henriksen["places"][1]
    span = (place["start"], place["end"])
    split = session.decide(0, DecisionRequest(Action.SPLIT, henriksen["key"], places=[span]))
    one, two = entity(split, "Lars Henriksen"), entity(split, "Mr Henriksen")
    assert one["key"] != two["key"] and one["label"] != two["label"]
    with pytest.raises(RefusedError, match="not all"):
        session.decide(0, DecisionRequest(Action.SPLIT, two["key"], places=[span]))
    joined = session.decide(0, DecisionRequest(Action.JOIN, two["key"], one["key"]))
    assert entity(joined, "Mr Henriksen")["surfaces"] == ["Lars Henriksen", "Mr Henriksen"]
    with pytest.raises(RefusedError, match="that thing"):
        session.decide(0, DecisionRequest(Action.JOIN, one["key"], one["key"]))
    typed = session.decide(
        0, DecisionRequest(Action.RETYPE, entity(joined, "Siemens")["key"], type="PERSON")
    )
    assert entity(typed, "Siemens")["replacement"].startswith("PERSON_")
    typed = session.decide(
        0, DecisionRequest(Action.RETYPE, entity(typed, "Siemens")["key"], type="ORG")
    )
    assert not entity(typed, "Siemens")["replacement"].startswith("PERSON_")
    for kind in ("ORG", "NOBODY"):
        with pytest.raises(RefusedError, match="other type"):
            session.decide(
                0, DecisionRequest(Action.RETYPE, entity(typed, "Siemens")["key"], type=kind)
            )
    again = begin(letter).document(0)
    assert again["text"] == typed["text"]
    session = begin(letter)
    for _ in range(4):
        undone = session.undo(0)
    assert undone["text"] == first["text"] and not undone["done"]


def decide_at(session, action, surface, **told):
    """Decide about the first thing that goes by some words."""
    view = session.document(0)
    key = next(e["key"] for e in view["entities"] if surface in e["surfaces"])
    return session.decide(0, DecisionRequest(action, key, **told))


def test_a_glossary_says_nothing_of_a_surname_that_two_people_have(begin, tmp_path):
    path, facts = tmp_path / "letter.txt", tmp_path / "facts.csv"
    text = "Mr Adam Roe fell. Adam Roe rang.\nWhich Roe is it?\n"
    path.write_text(text, "utf-8")
    facts.write_text("surface,phrase\nAdam Roe,Patient 1\nMr Roe,Patient 1\nMs Roe,Nurse 2\n")
    session = begin(path, glossary=facts)
    view = session.document(0)
    keys = {e["surfaces"][-1]: e["key"] for e in view["entities"]}
    assert view["text"] == "Patient 1 fell. Patient 1 rang.\nWhich PERSON_2 is it?\n"
    decide_at(session, Action.JOIN, "Roe", text=keys["Adam Roe"])
    view = decide_at(session, Action.SPLIT, "Adam Roe", places=places(text, "Roe")[-1:])
    assert not any("glossary" in said for said in view["told"])


def test_what_is_joined_takes_the_words_of_what_it_is_joined_to(begin, tmp_path):
    path, facts = tmp_path / "letter.txt", tmp_path / "facts.csv"
    text = "Mr Adam Roe fell. His boy Adam Roe (Junior) called Ms Hale, and Sue Hale left.\n"
    path.write_text(text, "utf-8")
    rows = "Adam Roe,Patient 1,PERSON\nJunior,Son 1,PERSON\n"
    facts.write_text(f"surface,phrase,kind\n{rows}", "utf-8")
    session = begin(path, glossary=facts)
    _, second = places(text, "Adam Roe")
    view = decide_at(session, Action.SPLIT, "Adam Roe", places=[second])
    assert view["told"] == ["The glossary says “Patient 1” of it; write an own phrase (e)."]
    key, junior = f"{second[0]}-{second[1]}", entity(view, "Junior")["key"]
    view = session.decide(0, DecisionRequest(Action.JOIN, key, junior))
    assert "Patient 1 fell. His boy Son 1 called" in view["text"] and not view["told"]
    assert begin(path, glossary=facts).document(0)["text"] == view["text"]
    session = begin(path, glossary=facts)
    assert "boy Patient 1 (Son 1)" in session.undo(0)["text"]


def test_an_own_phrase_is_handed_over_or_said_to_be_gone(begin, tmp_path):
    path, text = tmp_path / "letter.txt", "Dr Okoro left. The other Dr Okoro met Bo Lee.\n"
    path.write_text(text, "utf-8")
    session = begin(path)
    decide_at(session, Action.PHRASE, "Dr Okoro", text="somebody")
    view = decide_at(session, Action.SPLIT, "Dr Okoro", places=places(text, "Dr Okoro")[1:])
    assert view["told"] == ["“somebody” no longer stands here: decide anew."]
    assert view["text"].startswith("Somebody left. The other PERSON_")
    view = session.decide(0, DecisionRequest(Action.JOIN, view["key"], "0-8"))
    assert view["text"].lower().count("somebody") == 2 and not view["told"]


def test_missed_text_is_hidden_once_or_everywhere(begin, tmp_path):
    path = tmp_path / "letter.txt"
    text = "A purple kite flew. Then a purple kite fell.\n"
    path.write_text(text, "utf-8")
    session = begin(path)
    _, once = places(text, "purple kite")
    view = session.decide(
        0, DecisionRequest(Action.MARK, text="purple kite", type="PERSON", places=[once])
    )
    assert view["text"] == "A purple kite flew. Then a PERSON_1 fell.\n"
    with pytest.raises(RefusedError, match="letter by letter"):
        session.decide(
            0, DecisionRequest(Action.MARK, text="purple kite", type="PERSON", places=[(0, 6)])
        )
    with pytest.raises(RefusedError, match="replaced already"):
        session.decide(
            0, DecisionRequest(Action.MARK, text="purple kite", type="PERSON", places=[once])
        )
    session = begin(path)
    assert session.document(0)["text"] == view["text"]
    session.undo(0)
    view = session.decide(0, DecisionRequest(Action.MARK, text="purple kite", type="PERSON"))
    assert "purple" not in view["text"]
    view = session.decide(0, DecisionRequest(Action.UNMARK, entity(view, "purple kite")["key"]))
    assert view["text"] == text


def test_a_heading_that_nothing_reaches_cannot_be_marked(begin, tmp_path):
    table = tmp_path / "a.csv"
    table.write_text("note,Mark Young\nMark Young went away.,late\n", "utf-8")
    session = begin(table, columns="note,Mark Young")
    with pytest.raises(RefusedError, match="it stands in a heading"):
        session.decide(0, DecisionRequest(Action.MARK, text="Mark Young", type="PERSON"))
    assert any("a heading, which goes out" in one for one in release(session, ())["questions"])


def test_a_heading_that_is_a_cell_of_the_text_is_replaced_there(begin, tmp_path):
    book = pytest.importorskip("openpyxl").Workbook()
    for row in (("note", "Mark Young"), ("Mark Young went away.", "late")):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    session = begin(tmp_path / "a.xlsx")
    assert "note\nPERSON_1\n" in session.document(0)["text"]
    assert not any("a heading" in one for one in release(session, ())["questions"])


def test_always_this_for_that_is_a_glossary(begin, letter):
    glossary = letter.with_name("things.csv")
    session = begin(letter, glossary=glossary)
    first = session.document(0)["text"]
    view = decide(session, Action.ALWAYS, "Siemens", "an industrial group")
    assert "for an industrial group" in view["text"]
    kind = entity(view, "Siemens")["type"]
    row = f"Siemens,an industrial group,{kind},\n"
    assert glossary.read_text("utf-8") == f"surface,phrase,kind,note\n{row}"
    assert stat.S_IMODE(glossary.stat().st_mode) == 0o600
    with pytest.raises(RefusedError):  # it names what another row hides
        decide(session, Action.ALWAYS, "Bergen", "a town with a Siemens works")
    with pytest.raises(RefusedError):  # only a label may stand for a person always
        decide(session, Action.ALWAYS, "Lars Henriksen", "an elderly man")
    with pytest.raises(RefusedError, match="something else"):
        decide(session, Action.ALWAYS, "Siemens", "an old company")
    assert glossary.read_text("utf-8").count("\n") == 2
    other = letter.with_name("other.jsonl")
    mention = {"start": 14, "end": 21, "type": kind}
    record = {"id": "o", "text": "She works for Siemens.", "mentions": [mention]}
    other.write_text(json.dumps(record) + "\n", "utf-8")
    session = begin(other, glossary=glossary)
    assert "for an industrial group" in session.document(0)["text"]
    session = begin(letter, glossary=glossary)
    assert session.undo(0)["text"] == first
    assert glossary.read_text("utf-8") == "surface,phrase,kind,note\n"


def test_always_leaves_the_other_documents_to_be_read_again(begin, tmp_path):
    (folder := tmp_path / "in").mkdir()
    for name in ("a", "b"):
        (folder / f"{name}.txt").write_text("Ann Lee works for Siemens in Leeds.", "utf-8")
    session = begin(folder, glossary=tmp_path / "facts.csv")
    assert "industrial" not in session.document(1)["text"]
    decide(session, Action.ALWAYS, "Siemens", "an industrial group")
    assert [one["ready"] for one in session.overview()["documents"]] == [True, False]
    assert "an industrial group" in session.document(1)["text"]
    assert all(one["ready"] for one in session.overview()["documents"])


def test_a_glossary_that_may_not_be_read_is_said_to_be_so(begin, letter, monkeypatch):
    glossary, real = letter.with_name("things.csv"), Path.read_bytes
    glossary.write_text("surface,phrase\n")

    def refusing(path):
        if path == glossary:
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(Path, "read_bytes", refusing)
    with pytest.raises(ConfigError, match=r"things\.csv: cannot be read \(Permission denied\)"):
        begin(letter, glossary=glossary)


def test_a_phrase_is_checked_for_truth_and_language(begin, letter):
    session = begin(letter)
    own = {
        "3 May 1951": ("the early 1950s", "VALUE"),
        "Bergen": ("somewhere rainy", "PERSON"),
        "Lars Henriksen": ("an elderly man", "PERSON"),
    }
    for surface, (phrase, kind) in own.items():
        view = decide(session, Action.PHRASE, surface, phrase)
        [chosen] = [rung for rung in entity(view, surface)["candidates"] if rung["chosen"]]
        assert chosen["evidence"]["kind"] == kind
    told = decide(session, Action.PHRASE, "Siemens", "a employer of of many")["told"]
    assert any("of of" in each for each in told)
    with pytest.raises(RefusedError, match="counterpart"):
        decide(session, Action.PHRASE, "Siemens", "an employer (large")


def test_any_decision_is_taken_back(begin, letter):
    session = begin(letter)
    first = decide(session, Action.KEEP, "Leeds", "a reason")
    decide(session, Action.MASK, "Bergen")
    line = first["done"][0]["id"]
    view = session.undo(0, line)
    assert "Leeds" not in view["text"]
    assert entity(view, "Bergen")["decided"]["action"] == "mask"
    with pytest.raises(RefusedError):
        session.undo(0, line)


def test_what_another_tab_changed_is_not_accepted(begin, letter):
    session = begin(letter)
    old = entity(session.document(0), "Bergen")
    decide(session, Action.MASK, "Bergen")
    with pytest.raises(RefusedError, match="look again"):
        session.decide(0, DecisionRequest(Action.ACCEPT, old["key"], old["replacement"]))


def test_drift_stands_at_the_thing_and_first(begin, letter):
    session = begin(letter)
    decide(session, Action.MASK, "Leeds")
    letter.write_text(letter.read_text("utf-8") + "\nYours.\n", "utf-8")
    view = begin(letter).document(0)
    assert view["entities"][0]["surfaces"] == ["Leeds"] and view["entities"][0]["drifted"]
    [line] = view["done"]
    assert line["text"] == "Leeds" and line["state"] == "the text has changed"
    assert any("changed" in note and note.endswith(f"{line['id']}]") for note in view["notes"])
    assert not view["entities"][0]["decided"] and view["summary"]["chosen"] == 0
    session = begin(letter)
    for action, reason in ((Action.ACCEPT, ""), (Action.KEEP, "it is public")):
        view = decide(session, action, "Leeds", reason)
        assert not [note for note in view["notes"] if "not as decided" in note]
        assert session.undo(0)["entities"][0]["drifted"]


@pytest.mark.parametrize("action", [Action.SPLIT, Action.UNMARK, Action.KEEP, Action.RETYPE])
def test_what_no_longer_holds_stands_first_until_it_is_decided_anew(begin, letter, action):
    session = begin(letter)
    one = entity(session.document(0), "Mr Henriksen")
    place = [(one["places"][1]["start"], one["places"][1]["end"])] * (action == Action.SPLIT)
    asked = {"key": one["key"], "text": "it is public", "type": "ORG", "places": place}
    session.decide(0, DecisionRequest(action, **asked))
    if action == Action.SPLIT:
        decide(session, Action.ACCEPT, "Mr Henriksen")
    letter.write_text(letter.read_text("utf-8").replace("works", "worked") + "Yours.\n", "utf-8")
    session = begin(letter)
    view = session.document(0)
    assert "Mr Henriksen" in view["entities"][0]["surfaces"] and view["entities"][0]["drifted"]
    assert {each["state"] for each in view["done"]} == {"the text has changed"}
    view = decide(session, Action.MASK, "Mr Henriksen")
    assert not any(each["drifted"] for each in view["entities"])
    assert [(each["action"], each["state"]) for each in view["done"]] == [("mask", "in force")]
    assert not [note for note in view["notes"] if "not as decided" in note]


def test_the_queue_of_all_documents_has_the_worst_first(begin, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("a", "b"):
        (folder / f"{name}.txt").write_text(
            f"File {name}. Ann Lee moved from Bergen to Leeds.", "utf-8"
        )
    session = begin(folder)
    session.prepare()
    while not all(one["ready"] for one in session.overview()["documents"]):
        pass
    queue = session.overview()["queue"]
    assert session.overview()["found"] == len(queue)
    assert {one["document"] for one in queue} == {0, 1}
    concerns = [one["concern"] for one in queue]
    assert concerns == sorted(concerns, reverse=True)
    session.decide(0, DecisionRequest(Action.MASK, queue[0]["key"]))
    assert [bool(one["decided"]) for one in session.overview()["queue"]].count(True) == 1


def test_an_audit_holds_no_originals(begin, letter):
    session = begin(letter)
    decide(session, Action.KEEP, "Leeds", "=Leeds council is public, not Lars")
    decide(session, Action.MASK, "Bergen")
    decide(session, Action.PHRASE, "Bergen", "a rainy harbour")
    session.undo(0)
    text = session.audit()
    assert not any(name in text for name in ("Bergen", "Lars", "Henriksen"))
    rows = [line.split(",") for line in text.splitlines()]
    assert [row[2] for row in rows] == ["what", "keep", "mask", "phrase", "undo of phrase"]
    assert [row[-1] for row in rows] == ["state", "in force", "in force", "taken back", ""]
    assert rows[1][1] == "Ann" and "'=Leeds council is public" in text  # which is released
    assert rows[1][3:5] == [hashlib.sha256(letter.read_bytes()).hexdigest(), "1"]


KNOWN = (
    "Councillor Grant Rowe and Ann Bishop of Harrowmere District Council is 40. The lady at 16, "
    "Mr Mark Young and a nurse came on 3 May 2018."
)


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("Councillor, public role: the Council is public", ""),
        ("s.40 FOIA, s40(2), section 16 of the Data Protection Act 2018 apply", ""),
        ("granted the mark of a young council", ""),
        ("in 2018 at 16 she was 40", "in […] at […] she was […]"),
        ("Mark, Grant and Young of harrowmere", "[…], […] and […] of […]"),
        ("a nurse", "a […]"),
        ("Bishop wrote it to a bishop", "[…] wrote it to a bishop"),
        ("on 3/5/18, May 3rd, the third of May", "on […], […], the […]"),
        ("2018-05-03 or 3 to 9 May, not 4 May", "[…] or […], not 4 May"),
        ("a nurs3", "a […]"),
    ],
)
def test_an_audit_strikes_out_what_is_hidden_and_nothing_else(begin, tmp_path, reason, told):
    path = tmp_path / "letter.jsonl"
    finds = {
        "Councillor Grant Rowe": "PERSON",
        "Ann Bishop": "PERSON",
        "Mr Mark Young": "PERSON",
        "nurse": "DEM",
    }
    finds |= {"Harrowmere District Council": "ORG", "40": "DATETIME", "The lady at 16": "DEM"}
    finds |= {"3 May 2018": "DATETIME", "came": "MISC"}
    mentions = [
        {"start": KNOWN.index(one), "end": KNOWN.index(one) + len(one), "type": kind}
        for one, kind in finds.items()
    ]
    path.write_text(json.dumps({"id": "a", "text": KNOWN, "mentions": mentions}), "utf-8")
    session = begin(path)
    decide(session, Action.KEEP, "came", reason)
    [row] = csv.DictReader(session.audit().splitlines())
    assert row["why"] == (told or reason)


def test_an_audit_tells_what_came_of_each_decision_and_only_reads(begin, letter):
    session = begin(letter)
    session.decide(0, DecisionRequest(Action.MARK, "", "father", "DEM"))
    decide(session, Action.PHRASE, "father", "a relative")
    session.decide(0, DecisionRequest(Action.MARK, "", "worked", "DEM"))
    decide(session, Action.UNMARK, "worked")
    states = [row["state"] for row in csv.DictReader(session.audit().splitlines())]
    assert states == ["in force", "in force", "no longer applies", "in force"]
    own = begin(letter, end_others=False, kept=True)
    assert own.audit() == session.audit()
    own.close()
    assert decide(session, Action.MASK, "Bergen")["done"]
    letter.write_text(letter.read_text("utf-8") + "Yours.\n", "utf-8")
    changed = csv.DictReader(begin(letter).audit().splitlines())
    assert {row["state"] for row in changed} == {"the text has changed"}


def test_an_audit_holds_no_other_form_of_an_original(begin, letter):
    session = begin(letter)
    reason = "LEEDSER Henriksens-car larshenriksen L e e d s no 5550134222 Lëeds"
    reason += " Leeeds H3nr1ksen Henrikson"
    decide(session, Action.KEEP, "Siemens", f"public; {reason}")
    [told] = re.findall(r"public; (.*),in force", session.audit())
    assert told == "[…] […]-car […] […] no […] […] […] […] […]"


DOUBTFUL = "Ann Lee moved to Leeds.\n\nHer aunt sang, kept hens and sold eggs at 7, on line 3.\n"


def test_doubtful_places_come_before_phrases_and_labels(begin, letter):
    letter.write_text(DOUBTFUL, "utf-8")
    session = begin(letter)
    view = session.document(0)
    assert view["doubtful"]
    rows = session.overview()["queue"]
    concerns = [row["concern"] for row in rows]
    assert concerns == sorted(concerns, reverse=True)
    labels = [row["concern"] for row in rows if row["outcome"] == "LABEL"]
    phrases = [row["concern"] for row in rows if row["outcome"] == "SAFE"]
    assert min(view["doubtful"], key=lambda one: one["concern"])["concern"] > max(labels)
    assert not phrases or min(phrases) < rows[0]["concern"]
    total = view["summary"]["doubtful"]
    place = view["doubtful"][0]["places"][0]
    span = (place["start"], place["end"])
    seen = session.decide(0, DecisionRequest(Action.CLEAR, places=[span]))
    looked = {"seen": 1, "unseen": total - 1, "beside": {"Ann": {"clear": 1}}}
    assert seen["summary"] == view["summary"] | looked and seen["text"] == view["text"]
    text = view["doubtful"][0]["surfaces"][0]
    session.undo(0)
    hidden = session.decide(0, DecisionRequest(Action.MARK, text=text, type="MISC", places=[span]))
    assert hidden["summary"]["found"] == view["summary"]["found"] + 1
    assert len(hidden["doubtful"]) < len(view["doubtful"])
    with pytest.raises(RefusedError):
        session.decide(0, DecisionRequest(Action.CLEAR, places=[(0, 1)]))


def test_a_release_asks_about_every_warning_and_writes_nothing_before(begin, tmp_path):
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    (folder / "a.csv").write_text("id,text,name\n7,Ann Lee moved to Leeds.,Ann\n", "utf-8")
    for name in ("scan.png", "scan.Holworth-1951", "Letter to Dr. Trowbridge", "b.Trowbridge"):
        (folder / name).write_bytes(b"\x00\x01")
    session = begin(folder, certificate=tmp_path / "page.html", columns="text")
    out.mkdir()
    asked = release(session, ())["questions"]
    for about in ("scan.png", "column 3", "confirmed by nobody", "will be replaced"):
        assert any(about in question for question in asked), about
    assert release(session, asked[1:], session.state()[0])["questions"] == asked
    assert not list(out.iterdir())
    assert str(out) in release(session, asked, session.state()[0])["out"]
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "confirmed by Ann" in page and "may have missed" in page
    assert "1 .png, 3 other" in page and "Holworth" not in page and "Trowbridge" not in page
    assert "scan" not in page and "Lee" not in page


def test_a_release_shows_the_words_that_go_out_in_clear(begin, letter, tmp_path):
    page = tmp_path / "page.html"
    session = begin(letter, certificate=page)
    view = session.document(0)
    one = view["entities"][0]
    session.decide(0, DecisionRequest(Action.KEEP, one["key"], "she agreed"))
    asked = release(session, ())["questions"]
    assert any("in clear" in line and f"“{one['surfaces'][0]}”" in line for line in asked)
    release(session, asked, session.state()[0])
    assert one["surfaces"][0] not in page.read_text("utf-8")


SIGNED = "Dr Susan Whitlock of Lawson Road Surgery"


@pytest.mark.parametrize(
    ("marked", "left"),
    [
        (["Dr Susan Whitlock", "Lawson Road Surgery"], []),
        ([f"{SIGNED} on"], []),
        (["Susan Whitlock", "Lawson Road Surgery"], ["Dr"]),
        (["Susan Whitlock"], ["Dr", "of Lawson Road Surgery"]),
        ([], [SIGNED]),
    ],
)
@pytest.mark.parametrize("action", [Action.UNMARK, Action.KEEP])
def test_only_what_goes_out_in_clear_is_named_and_counted(begin, tmp_path, action, marked, left):
    path, page = tmp_path / "letter.jsonl", tmp_path / "page.html"
    mentions = [
        {"start": 9, "end": 9 + len(SIGNED), "type": "PERSON"},
        *({"start": at, "end": at + 5, "type": "LOC"} for at in (0, len(SIGNED) + 13)),
    ]
    given = {"id": "a", "text": f"Leeds by {SIGNED} on Paris.", "mentions": mentions}
    path.write_text(json.dumps(given), "utf-8")
    session = begin(path, certificate=page)
    decide(session, action, SIGNED, "it is public")
    for part in marked:
        session.decide(
            0,
            DecisionRequest(Action.MARK, text=part, type="ORG" if "Surgery" in part else "PERSON"),
        )
    count, told, asked = counted(session)
    assert count["clear"] == told["outcomes"]["CLEAR"] == bool(left)
    named = [line for line in asked if line.startswith("Places that go out in clear")]
    words = ", ".join(f"“{part}”" for part in left)
    assert [line.partition(" (")[2] for line in named] == ([f"{words})"] if left else [])
    text = session.document(0)["text"]
    assert all(part in text for part in left) and not any(part in text for part in marked)


@pytest.mark.parametrize(("surface", "hedged"), [("denies smoking", True), ("smoking", False)])
def test_a_phrase_that_leaves_out_a_word_of_doubt_is_doubtful(begin, tmp_path, surface, hedged):
    path, text = tmp_path / "letter.jsonl", "The man denies smoking tobacco."
    start = text.index(surface)
    mention = {"start": start, "end": start + len(surface), "type": "DEM"}
    path.write_text(json.dumps({"id": "a", "text": text, "mentions": [mention]}), "utf-8")
    one = entity(decide(begin(path), Action.PHRASE, surface, "a habit"), surface)
    assert one["hedged"] is hedged and (one["weak"], one["concern"] > 6) == (hedged, hedged)


SHOUTED = """Dr Anjali Rao and Tom Pell wrote to Leeds. That was bad. That Dr Rao shouted.
Interview Pell wept at Leeds General Infirmary. Tom Dacey sang of Mark 7."""
NAMED = {
    "r": ["Dr Anjali Rao"],
    "p": ["Tom Pell"],
    "l": ["Leeds"],
    "o": ["Leeds General Infirmary"],
}
WRONG = {"t": ["That", "That Dr Rao"], "i": ["Interview Pell"], "d": ["Tom Dacey"], "m": ["Mark 7"]}


@pytest.fixture
def shouted(begin, tmp_path):
    """A review of made-up text in which finds are too long; "Mark" is in its glossary."""
    path, facts = tmp_path / "letter.jsonl", tmp_path / "facts.csv"
    finds = ((own, key) for key, every in {**NAMED, **WRONG}.items() for own in every)
    mentions = [
        {"start": at, "end": at + len(own), "type": "PERSON" if key in "rptid" else "ORG"}
        | {"entity_id": key}
        for own, key in finds
        for at in [SHOUTED.index(own)]
    ]
    path.write_text(json.dumps({"id": "a", "text": SHOUTED, "mentions": mentions}), "utf-8")
    facts.write_text("surface,phrase,kind\nMark,Clerk 1,PERSON\n", "utf-8")
    return begin(path, glossary=facts)


@pytest.mark.parametrize("action", [Action.UNMARK, Action.KEEP])
@pytest.mark.parametrize(
    ("surface", "told"),
    [
        ("That", "That was bad. That PERSON_1 shouted"),
        ("Interview Pell", "Interview PERSON_2 wept"),
        ("Leeds General Infirmary", "Europe General Infirmary"),
    ],
)
def test_what_is_hidden_elsewhere_stays_hidden_inside_of_what_is_left(
    shouted, begin, action, surface, told
):
    view = decide(shouted, action, surface, "it is public")
    assert told in view["text"]
    path, facts = shouted.review.source, shouted.review.glossary
    assert begin(path, glossary=facts).document(0)["text"] == view["text"]


@pytest.mark.parametrize("surface", ["Tom Dacey", "Mark 7"])
def test_no_find_may_be_a_name_that_is_hidden_elsewhere(shouted, surface):
    before = shouted.document(0)
    with pytest.raises(RefusedError, match=r"names what is hidden elsewhere.*Join.*say why"):
        decide(shouted, Action.UNMARK, surface)
    assert shouted.document(0) == before
    assert surface in decide(shouted, Action.KEEP, surface, "it is a song")["text"]


@pytest.mark.parametrize("whole", [False, True])
def test_originals_are_released_only_where_a_person_confirms_that(begin, tmp_path, whole):
    lines, page = tmp_path / "a.jsonl", tmp_path / "page.html"
    lines.write_text('{"id": "d1", "text": "Ann Lee left.", "label": "Bo Ek", "phone": 55501342}\n')
    session = begin(lines, certificate=page, originals=whole)
    asked = release(session, ())["questions"]
    assert any(ORIGINALS in one for one in asked) is whole
    assert any("as they are: label, phone" in one for one in asked) is whole
    told = release(session, asked, session.state()[0])
    assert told["notes"] == ([f"{ORIGINALS}."] if whole else ["Pass on only what was written."])
    written = session.review.out.read_text("utf-8")
    assert all((one in written) is whole for one in ("Ann Lee", "Bo Ek", "55501342"))
    assert ("whose original text" in page.read_text("utf-8")) is whole
    assert ("left out" in page.read_text("utf-8")) is not whole


def test_a_bad_file_is_left_out_of_a_review_that_may_and_told(begin, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_text("Ann Lee left.")
    (folder / "b.docx").write_bytes(b"broken")
    with pytest.raises(InputError, match=r"b\.docx"):
        begin(folder)
    session = begin(folder, skip_bad=True)
    told = session.overview()
    assert [one["id"] for one in told["documents"]] == ["a"]
    assert told["unread"] == [f"{folder}/b.docx"]
    asked = release(session, ())["questions"]
    assert any("not released: 1 .docx" in one for one in asked)
    release(session, asked, session.state()[0])
    assert [one.name for one in session.review.out.iterdir()] == ["a.txt"]


@pytest.mark.parametrize("change", ["changed", "new", "unread", "gone", "late"])
def test_only_the_input_that_was_shown_is_released(begin, tmp_path, change, monkeypatch):
    folder = tmp_path / "in"
    folder.mkdir()
    for name in "ab":
        (folder / f"{name}.txt").write_text("Ann Lee left.")
    session = begin(folder, certificate=tmp_path / "page.html")
    asked = release(session, ())["questions"]

    def run_late(*given):
        (folder / "b.txt").write_text("Her dog is Rex.")
        return run_job(*given)

    changed = folder / {"new": "c.txt", "unread": "c.xyz"}.get(change, "b.txt")
    if change == "late":
        monkeypatch.setattr("intact.review.release.run", run_late)
    elif change == "gone":
        changed.unlink()
    else:
        changed.write_text("Her dog is Rex.")
    with pytest.raises(InputError, match=f"{changed.name}: the input changed since the review"):
        release(session, asked, session.state()[0])
    assert {one.name for one in tmp_path.iterdir()} <= {"in", "letter.decisions", "out.run"}


@pytest.mark.parametrize("change", ["append", "replace", "glossary"])
def test_only_the_decisions_that_were_shown_are_released(begin, letter, change):
    facts = letter.with_name("facts.csv")
    session = begin(letter, glossary=facts)
    decide(session, Action.ALWAYS, "Bergen", "a rainy harbour")
    asked, decisions = release(session, ()), letter.with_name("letter.decisions")
    before, changed = decisions.read_bytes(), facts if change == "glossary" else decisions
    if change == "replace":
        decisions.rename(decisions.with_suffix(".old"))
        decisions.write_bytes(before)
    else:
        changed.write_bytes(changed.read_bytes() * 2)
    with pytest.raises(RunError, match="something else than this review has changed it"):
        release(session, asked["questions"], asked["state"])
    with pytest.raises(RunError, match="begin it anew"):
        decide(session, Action.ALWAYS, "Leeds", "a large city")
    assert not session.review.out.exists()


def test_what_another_tab_decided_is_confirmed_by_nobody(begin, letter):
    session = begin(letter)
    decide(session, Action.KEEP, "Bergen", "public")
    asked = release(session, ())
    session.undo(0)
    decide(session, Action.KEEP, "Leeds", "public")
    with pytest.raises(RefusedError, match="look again"):
        release(session, asked["questions"], asked["state"])
    assert not session.review.out.exists()
    asked = release(session, asked["questions"])  # of no state
    assert "out" in release(session, asked["questions"], asked["state"])


def test_a_release_names_the_documents_that_nobody_opened(begin, tmp_path):
    (folder := tmp_path / "in").mkdir()
    for name in ("a", "b", "c"):
        (folder / f"{name}.txt").write_text(f"File {name}. Ann Lee moved to Leeds.", "utf-8")
    session = begin(folder)
    decide(session, Action.MASK, "Leeds")
    assert any(f"{UNSEEN} (b, c)" == one for one in release(session, ())["questions"])
    session = begin(folder)
    session.document(1)
    assert any(f"{UNSEEN} (c)" == one for one in release(session, ())["questions"])


def test_what_could_not_be_released_is_refused_at_the_start(begin, tmp_path):
    table, letter = tmp_path / "a.csv", tmp_path / "d.txt"
    table.write_text("id,text,name\n7,Ann Lee moved to Leeds.,Ann\n", "utf-8")
    with pytest.raises(InputError, match="would go out as they are: column 3"):
        begin(table)
    with pytest.raises(RunError, match="replace the input"):
        begin(table, columns="text", certificate=table)
    said = "Die Klägerin ist in Bergen geboren und wohnt seit vielen Jahren in der Stadt. "
    letter.write_text(9 * said, "utf-8")
    with pytest.raises(LanguageError, match="document d: it is not in English"):
        begin(letter)
    assert not read_decisions(tmp_path / "letter.decisions")


def test_undo_goes_back_in_time_over_all_documents(begin, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("a", "b"):
        (folder / f"{name}.txt").write_text(f"File {name}. Ann Lee moved to Leeds.", "utf-8")
    session = begin(folder)
    for number in (1, 0, 1):
        key = entity(session.document(number), "Leeds")["key"]
        session.decide(number, DecisionRequest(Action.MASK, key))
    assert [session.undo(0)["number"] for _ in range(3)] == [1, 0, 1]
    with pytest.raises(RefusedError, match="nothing to undo"):
        session.undo(0)


def test_the_certificate_has_what_was_shown_and_nothing_else(begin, tmp_path):
    letter, page = tmp_path / "okafor.txt", tmp_path / "page.html"
    letter.write_text(f"Dr Amara Okafor. {DOUBTFUL}", "utf-8")
    session = begin(letter, certificate=page)
    decide(session, Action.PHRASE, "Leeds", "a rainy place")
    asked = release(session, ())["questions"]
    assert any(q.endswith("or what has its name): 1 file name (okafor.txt)") for q in asked)
    assert any("confirmed by nobody" in question for question in asked)
    assert any("looked at by nobody" in question for question in asked)
    assert "out" in release(session, asked, session.state()[0])
    told = json.loads(unescape(re.search(r'id="record">(.*?)</pre>', page.read_text("utf-8"))[1]))
    shown = [(f"{about} (okafor", f"{about} (okafor.txt)") for n, about in told["confirmed"] if n]
    assert len(shown) == sum("okafor" in one for one in asked) and "okafor" not in str(told)
    assert all(any(one.startswith(s) for one in asked) for s, _ in shown)
    assert [about for n, about in told["confirmed"] if not n] == [
        o for o in asked if "okafor" not in o
    ]
    assert told["confirmed_by"] == "Ann" and told["unconfirmed"] == {}
    assert told["places"]["actions"] == {"Ann": {"phrase": 1}} and told["places"]["by_rule"] >= 1
    assert told["evidence"]["PERSON"] == 1
    assert "Leeds" not in page.read_text("utf-8") and "rainy" not in page.read_text("utf-8")


@pytest.mark.parametrize("other", ["no line end", "two\nlines", '{"name": 1}'])
def test_a_file_of_something_else_is_refused_untouched(begin, letter, other):
    decisions = letter.with_name("letter.decisions")
    decisions.write_text(other, "utf-8")
    decisions.chmod(0o644)
    with pytest.raises(FormatError, match="no decision"):
        begin(letter)
    assert decisions.read_text("utf-8") == other and decisions.stat().st_mode & 0o777 == 0o644


def test_a_certificate_replaces_no_decisions(begin, letter):
    with pytest.raises(RunError, match="two files of the run would be the same"):
        begin(letter, certificate=letter.with_name("letter.decisions"))


def test_every_place_of_a_thing_is_shown(begin, letter):
    letter.write_text("".join(f"Ann Lee paid {n} times, Ann Lee.\n" for n in range(40)), "utf-8")
    one = entity(begin(letter).document(0), "Ann Lee")
    assert len(one["places"]) == 80 and len(one["sentences"]) == 40
    for sentence in one["sentences"]:
        assert sentence["before"][1::2] == ["Ann Lee"] * 2
        assert sentence["after"][1::2] == ["PERSON_1"] * 2


def test_the_sentence_of_a_place_in_a_table_is_its_cell(begin, tmp_path):
    page = (
        "<table><tr><td>Ann Lee left</td><td>4 hours</td></tr><tr><td>Bo Ek too</td></tr></table>"
    )
    path = tmp_path / "table.html"
    path.write_text(f"<p>Two of them went.</p>{page}<p>Ann Lee came back.</p>", "utf-8")
    found = entity(begin(path).document(0), "Ann Lee")["sentences"]
    told = ["".join(one["before"]) for one in found], ["".join(one["after"]) for one in found]
    assert told == (
        ["Ann Lee left", "Ann Lee came back."],
        ["PERSON_1 left", "PERSON_1 came back."],
    )


def test_places_add_up_in_questions_certificate_and_run(begin, tmp_path, letter, capsys):
    page = tmp_path / "page.html"
    session = begin(letter, certificate=page)
    places = len([p for one in session.document(0)["entities"] for p in one["places"]])
    decide(session, Action.KEEP, "Leeds", "the council is public")
    decide(session, Action.UNMARK, "Siemens")
    decide(session, Action.PHRASE, "Lars Henriksen", "an elderly man")
    decide(session, Action.MASK, "Lars Henriksen")
    rungs = entity(session.document(0), "Norwegian")["candidates"]
    guessed = next(rung for rung in rungs if rung["outcome"] == "GUESSED")
    decide(session, Action.CHOOSE, "Norwegian", guessed["text"])
    asked = release(session, ())["questions"]
    by_rule = places - 5
    said = f"Places: {places}; in clear by a person's choice: 2, by the glossary: 0; replaced: "
    said += f"{places - 2}, of which decided by a person on this text: 3, by the glossary: 0, "
    assert (
        f"{said}chosen by a rule, or as decided on an "
        f"earlier text, and confirmed by nobody: {by_rule}" in asked
    )
    clear = f"taken for nothing personal: 2 of {places}"
    assert any(clear in question for question in asked)
    assert any(
        "which stays as a person decided on this text or an earlier one: 1" in question
        for question in asked
    )
    ends = release(session, asked, session.state()[0])["outcomes"]
    assert ends["CLEAR"] == 2 and sum(ends.values()) == places
    told = page.read_text("utf-8")
    kept = "1 another phrase chosen, 2 labels, 1 kept as it is, 1 not personal"
    assert f"5 places: {kept}" in told and f"at the {places} places" in told
    out, decisions = str(session.review.out), str(session.review.decisions)
    assert run(["sanitize", str(letter), "-o", out]) == 2
    assert "--decisions" in capsys.readouterr().err
    assert run(["sanitize", str(letter), "-o", out, "--decisions", decisions, "-q"]) == 0
    assert clear in capsys.readouterr().err


def counted(session):
    """Return what page, questions and certificate say about places, which is the same."""
    count = session.document(0)["summary"]
    asked = release(session, ())["questions"]
    assert any(f"Places: {count['found']};" in one for one in asked) is bool(count["by_rule"])
    release(session, asked, release(session, ())["state"])
    page = session.review.certificate.read_text("utf-8")
    told = json.loads(unescape(re.search(r'id="record">(.*?)</pre>', page)[1]))
    by_people = sum(sum(each.values()) for each in told["places"]["actions"].values())
    assert by_people == count["chosen"] == count["decided"] + count["clear"]
    assert told["places"]["by_rule"] == count["by_rule"] == count["found"] - count["chosen"] >= 0
    assert f"at the {count['found']} places" in page
    return count, told, asked


def test_only_decisions_that_hold_are_counted(begin, letter, tmp_path):
    page = tmp_path / "page.html"
    session = begin(letter, certificate=page)
    for one in session.document(0)["entities"]:
        session.decide(0, DecisionRequest(Action.ACCEPT, one["key"]))
    first, _, _ = counted(session)
    assert first["by_rule"] == 0 and first["unused"] == 0
    path = letter.with_name("letter.decisions")
    line = json.loads(path.read_text("utf-8").splitlines()[0])
    more = [
        line | {"id": f"{n}", "spans": [[n, n + 3]], "action": a}
        for n, a in enumerate(("accept", "keep", "unmark", "split", "clear"), 21)
    ]
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(each) + "\n" for each in more)
    again, told, asked = counted(begin(letter, certificate=page))
    assert {**again, "unused": 0} == first and again["unused"] == told["places"]["unused"] == 4
    assert told["places"]["beside"] == {}
    assert any("no longer apply and were not used: 4" in one for one in asked)
    assert any("with these settings nothing is found" in one for one in asked)
    assert not any("text has changed" in one for one in asked)


def test_decisions_of_other_settings_are_not_counted(begin, letter, tmp_path):
    session = begin(letter, certificate=tmp_path / "page.html")
    for one in session.document(0)["entities"]:
        session.decide(0, DecisionRequest(Action.ACCEPT, one["key"]))
    before, _, _ = counted(session)
    fewer = load_settings(None, ['detection.detectors=["patterns"]'])
    after, _, asked = counted(begin(letter, certificate=tmp_path / "page.html", settings=fewer))
    assert 0 < after["found"] < before["found"] and after["chosen"] <= after["found"]
    assert after["unused"] > 0 and not any("text has changed" in one for one in asked)


def test_a_place_that_is_kept_and_then_hidden_is_one_place(begin, letter, tmp_path):
    session = begin(letter, certificate=tmp_path / "page.html")
    first = session.document(0)["summary"]
    for action in (Action.KEEP, Action.UNMARK):
        decide(session, action, "Leeds", "it is public")
        assert session.document(0)["summary"]["clear"] == 1
        view = session.decide(0, DecisionRequest(Action.MARK, text="Leeds", type="LOC"))
        by_rule = first["by_rule"] - 1
        marked = {"decided": 1, "chosen": 1, "by_rule": by_rule, "actions": {"Ann": {"mark": 1}}}
        assert view["summary"] == first | marked == counted(session)[0]
        session.undo(0)
        session.undo(0)


def test_always_names_nothing_that_another_document_hides(begin, tmp_path):
    folder, facts = tmp_path / "in", tmp_path / "facts.csv"
    folder.mkdir()
    (folder / "a.txt").write_text("Ann Lee works for Siemens in Leeds.", "utf-8")
    (folder / "b.txt").write_text("Mr Gunnar Bakke sued Siemens in Bergen.", "utf-8")
    session = begin(folder, glossary=facts)
    with pytest.raises(RefusedError, match="hidden in document b"):
        decide(session, Action.ALWAYS, "Siemens", "the Bakke group")
    with pytest.raises(RefusedError, match="hidden in document b"):
        decide(session, Action.ALWAYS, "Siemens", "the Gunar group")
    assert not facts.exists()
    facts.write_text("surface,phrase,kind\nSiemens,the Bakke group,\n", "utf-8")
    session = begin(folder, glossary=facts)
    other = session.document(1)
    assert "Bakke" not in other["text"] and any("glossary" in note for note in other["notes"])
    asked = release(session, ())
    assert any("glossary" in one and "(b)" in one for one in asked["questions"])
    assert release(session, asked["questions"], asked["state"])["out"]


def test_a_copied_line_counts_once_and_two_of_one_id_are_refused(begin, letter):
    session = begin(letter)
    decide(session, Action.MASK, "Leeds")
    before = session.document(0)["summary"]
    path = letter.with_name("letter.decisions")
    line = path.read_text("utf-8")
    path.write_text(line + line, "utf-8")
    assert len(read_decisions(path)) == 1
    assert begin(letter).document(0)["summary"] == before
    path.write_text(line + line.replace('"by": "Ann"', '"by": "Bob"'), "utf-8")
    with pytest.raises(FormatError, match=r"line 2: line 1 has its id.*Keep one"):
        read_decisions(path)


def test_an_own_phrase_is_checked_again_when_more_is_hidden(begin, letter):
    session = begin(letter)
    decide(session, Action.UNMARK, "Lars Henriksen")
    decide(session, Action.PHRASE, "Siemens", "a firm of Henrikson")
    assert entity(session.document(0), "Siemens")["replacement"] == "a firm of Henrikson"
    undone = session.document(0)["done"][0]["id"]
    view = session.undo(0, undone)
    assert entity(view, "Siemens")["replacement"] != "a firm of Henrikson"
    assert any("names what is hidden by now" in note for note in view["notes"])


@pytest.mark.parametrize("action", ["accept", "choose"])
def test_what_never_was_a_candidate_is_checked_as_an_own_phrase(begin, letter, action):
    session = begin(letter)
    decide(session, Action.MASK, "Siemens")
    path = letter.with_name("letter.decisions")
    line = json.loads(path.read_text("utf-8")) | {"action": action, "phrase": "a man like 0kafor"}
    path.write_text(json.dumps(line) + "\n", "utf-8")
    view = begin(letter).document(0)
    assert entity(view, "Siemens")["outcome"] == "LABEL" and view["summary"]["decided"] == 0
    assert any("names what is hidden by now" in note for note in view["notes"])


def test_what_a_glossary_keeps_in_clear_is_asked_about_and_can_be_hidden(begin, tmp_path):
    facts, path = tmp_path / "facts.csv", tmp_path / "a.txt"
    facts.write_text("surface,phrase\nLeeds,Leeds\n", "utf-8")
    path.write_text("Ann Lee works for Siemens in Leeds. I saw Leeds.", "utf-8")
    session = begin(path, glossary=facts)
    assert session.document(0)["text"].count("Leeds") == 2
    (asked,) = (one for one in release(session, ())["questions"] if "go out in clear" in one)
    assert "nothing personal: 0 of 4; by the glossary: 2" in asked and asked.endswith("(“Leeds”)")
    count = session.document(0)["summary"]
    assert (count["chosen"], count["kept"], count["by_rule"]) == (0, 2, 2)
    shown = [each["text"] for each in session.document(0)["original"] if each["key"] == "kept"]
    assert shown == ["Leeds", "Leeds"]
    view = session.decide(0, DecisionRequest(Action.MARK, text="Leeds", type="LOC"))
    assert "Leeds" not in view["text"] and view["summary"]["clear"] == 0
    assert not any("go out in clear" in one for one in release(session, ())["questions"])


def test_always_is_looked_for_where_nothing_was_found(begin, tmp_path):
    folder, facts = tmp_path / "in", tmp_path / "facts.csv"
    folder.mkdir()
    (folder / "a.txt").write_text("Ann Lee works for Siemens in Leeds.", "utf-8")
    (folder / "b.txt").write_text("They say that siemens and Siemens are nothing to me.", "utf-8")
    settings = load_settings(None, ['detection.detectors=["patterns"]'])
    session = begin(folder, glossary=facts, settings=settings)
    assert "Siemens" in session.document(1)["text"]
    session.decide(0, DecisionRequest(Action.MARK, text="Siemens", type="ORG"))
    decide(session, Action.ALWAYS, "Siemens", "an industrial group")
    assert "Siemens" not in session.document(1)["text"]
