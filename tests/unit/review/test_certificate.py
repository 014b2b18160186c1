"""What was decided is done by ``sanitize`` in every format, and certified without originals."""

import json
from pathlib import Path

import pytest

from intact.cli import run
from intact.config import load_settings
from intact.review.decisions import Action
from intact.review.session import ReviewSession
from intact.run.source import find

TEXT = "Ann Lee moved from Bergen to Leeds in 1978."


def as_text(path: Path) -> None:
    path.write_text(TEXT, "utf-8")


def as_html(path: Path) -> None:
    path.write_text(f"<html><body><p>{TEXT}</p></body></html>", "utf-8")


def as_csv(path: Path) -> None:
    path.write_text(f"id,text\nd1,{TEXT}\n", "utf-8")


def as_jsonl(path: Path) -> None:
    place = TEXT.index("Bergen")
    mention = {"start": place, "end": place + 6, "type": "LOC"}
    path.write_text(json.dumps({"id": "d1", "text": TEXT, "mentions": [mention]}) + "\n", "utf-8")


def as_word(path: Path) -> None:
    document = pytest.importorskip("docx").Document()
    document.add_paragraph(TEXT)
    document.save(str(path))


FORMATS = {"txt": as_text, "html": as_html, "csv": as_csv, "jsonl": as_jsonl, "docx": as_word}


def sanitize(source: Path, out: Path, *more: str) -> int:
    return run(["sanitize", str(source), "-o", str(out), "-q", *more])


@pytest.mark.parametrize("suffix", FORMATS)
def test_decisions_hold_in_every_format(tmp_path: Path, suffix: str) -> None:
    source, decisions = tmp_path / f"in.{suffix}", tmp_path / "in.decisions"
    out, page = tmp_path / f"out.{suffix}", tmp_path / "certificate.html"
    FORMATS[suffix](source)
    session = ReviewSession(
        find(str(source), None, None, out), load_settings(None, ()), decisions, "Q. Reviewer"
    )
    view = session.document(0)
    key = next(one["key"] for one in view["entities"] if one["surfaces"] == ["Bergen"])
    view = session.decide(0, Action.PHRASE, key, "a rainy harbour", "")
    assert "a rainy harbour" in view["text"]
    session.close()
    more = ("--decisions", str(decisions), "--certificate", str(page))
    assert sanitize(source, out, *more) == 0
    if suffix != "docx":
        assert "a rainy harbour" in out.read_text("utf-8")
    else:
        assert (
            "a rainy harbour" in pytest.importorskip("docx").Document(str(out)).paragraphs[0].text
        )
    told = page.read_text("utf-8")
    assert "Q. Reviewer" in told and "1 own phrase" in told
    assert not any(word in told for word in ("Bergen", "Leeds", "Lee", "harbour"))
    assert "<script" not in told and "http" not in told
    assert run(["verify", str(out), "--certificate", str(page)]) == 0
    out.write_bytes(out.read_bytes() + b" ")
    assert run(["verify", str(out), "--certificate", str(page)]) == 1


def test_changed_text_ends_with_one_and_names_the_document(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, decisions = tmp_path / "in.txt", tmp_path / "in.decisions"
    as_text(source)
    session = ReviewSession(
        find(str(source), None, None, tmp_path / "o"), load_settings(None, ()), decisions, "Q"
    )
    key = next(o["key"] for o in session.document(0)["entities"] if o["surfaces"] == ["Leeds"])
    session.decide(0, Action.KEEP, key, "it is public", "")
    session.close()
    source.write_text(TEXT.replace("Bergen", "Oslo"), "utf-8")
    out = tmp_path / "out.txt"
    assert sanitize(source, out, "--decisions", str(decisions)) == 1
    assert "not as decided: 1 document: in" in capsys.readouterr().err
    assert "Leeds" not in out.read_text("utf-8")


def test_no_decisions_and_no_certificate_are_errors(tmp_path: Path) -> None:
    source, out = tmp_path / "in.txt", tmp_path / "out.txt"
    as_text(source)
    assert sanitize(source, out, "--decisions", str(tmp_path / "none")) == 2
    for content in ("", '<pre id="record">{}</pre>', '<pre id="record">[]</pre>'):
        (tmp_path / "page.html").write_text(content, "utf-8")
        assert run(["verify", str(source), "--certificate", str(tmp_path / "page.html")]) == 2
    assert run(["verify", str(source), "--certificate", str(tmp_path / "gone.html")]) == 2


def test_a_folder_is_checked_whole(tmp_path: Path) -> None:
    folder, out, page = tmp_path / "in", tmp_path / "out", tmp_path / "c.html"
    folder.mkdir()
    for name in ("a", "b"):
        (folder / f"{name}.txt").write_text(f"{TEXT} {name}", "utf-8")
    assert sanitize(folder, out, "--certificate", str(page)) == 0
    assert run(["verify", str(out), "--certificate", str(page)]) == 0
    (out / "a.txt").unlink()
    assert run(["verify", str(out), "--certificate", str(page)]) == 1
