"""Decisions are carried out by ``sanitize`` in every format, and certified without originals."""

import json
import os

import pytest

from intact.cli import run
from intact.config import load_settings
from intact.review.certificate import verify
from intact.review.decisions import Action
from intact.review.reviewed import Review
from intact.review.session import DecisionRequest, ReviewSession
from tests.marked import tab_document

TEXT = "Ann Lee moved from Bergen to Leeds in 1978."


def as_text(path, text=TEXT):
    path.write_text(text, "utf-8")


def as_html(path, text=TEXT):
    path.write_text(f"<html><body><p>{text}</p></body></html>", "utf-8")


def as_csv(path, text=TEXT):
    path.write_text(f"id,text\nd1,{text}\n", "utf-8")


def as_jsonl(path, text=TEXT):
    mentions = [
        {"start": text.index(name), "end": text.index(name) + len(name), "type": "LOC"}
        for name in ("Bergen", "Leeds")
        if name in text
    ]
    path.write_text(json.dumps({"id": "d1", "text": text, "mentions": mentions}) + "\n", "utf-8")


def as_tab(path, text=TEXT):
    made = tab_document("d1", text, ("Bergen", "LOC"), ("Leeds", "LOC"), layer="annotator1")
    path.write_text(json.dumps([made]), "utf-8")


def as_word(path, text=TEXT):
    document = pytest.importorskip("docx").Document()
    document.add_paragraph(text)
    document.save(str(path))


def json_of(path):
    read = json.loads(path.read_text("utf-8"))
    return dict(read[0] if isinstance(read, list) else read)


def text_of(path):
    if path.suffix == ".docx":
        return str(pytest.importorskip("docx").Document(str(path)).paragraphs[0].text)
    if path.suffix.startswith(".json"):
        return str(json_of(path)["sanitized_text"])
    return path.read_text("utf-8")


FORMATS = {
    "txt": as_text, "html": as_html, "csv": as_csv, "jsonl": as_jsonl, "json": as_tab,
    "docx": as_word,
}  # fmt: skip


def sanitize(source, out, *more):
    return run(["sanitize", str(source), "-o", str(out), "-q", *more])


def review(source, out, decisions):
    own = {"source": source, "decisions": decisions, "by": "Q. Reviewer"}
    own["glossary"] = source.with_name("in.glossary")
    return ReviewSession(Review((), out, source.is_dir(), load_settings(), **own))


@pytest.mark.parametrize("suffix", FORMATS)
def test_decisions_hold_in_every_format(tmp_path, suffix):
    source, decisions = tmp_path / f"in.{suffix}", tmp_path / "in.decisions"
    out, page = tmp_path / f"out.{suffix}", tmp_path / "certificate.html"
    FORMATS[suffix](source)
    session = review(source, out, decisions)
    view = session.document(0)
    key = next(one["key"] for one in view["entities"] if "Bergen" in one["surfaces"][0])
    view = session.decide(0, DecisionRequest(Action.PHRASE, key, "a rainy harbour", ""))
    assert "a rainy harbour" in view["text"]
    session.close()
    more = ("--decisions", str(decisions), "--certificate", str(page))
    assert sanitize(source, out, *more) == 0
    assert "a rainy harbour" in text_of(out)
    told = page.read_text("utf-8")
    assert "Q. Reviewer" in told and "1 own phrase" in told
    assert not any(word in told for word in ("Bergen", "Leeds", "Lee", "harbour"))
    assert "<script" not in told and "http" not in told
    assert run(["verify", str(out), "--certificate", str(page)]) == 0
    out.write_bytes(out.read_bytes() + b" ")
    assert run(["verify", str(out), "--certificate", str(page)]) == 1


@pytest.mark.parametrize("suffix", FORMATS)
def test_finds_are_changed_in_every_format(tmp_path, suffix):
    source, decisions = tmp_path / f"in.{suffix}", tmp_path / "in.decisions"
    out = tmp_path / f"out.{suffix}"
    FORMATS[suffix](source, "A purple kite flew over Bergen and Leeds with a purple kite.")
    session = review(source, out, decisions)
    raw = session.documents[0].raw.text

    def of(view, place):
        there = (one for one in view["entities"] for p in one["places"] if p["start"] == place[0])
        return dict(next(there))

    def at(part, start=0):
        found = raw.index(part, start)
        return found, found + len(part)

    second, bergen, leeds = at("purple kite", at("purple kite")[1]), at("Bergen"), at("Leeds")
    view = session.decide(
        0, DecisionRequest(Action.MARK, text="purple kite", type="MISC", places=[second])
    )
    view = session.decide(0, DecisionRequest(Action.RETYPE, of(view, second)["key"], type="CODE"))
    view = session.decide(0, DecisionRequest(Action.MASK, of(view, bergen)["key"]))
    view = session.decide(
        0, DecisionRequest(Action.JOIN, of(view, leeds)["key"], of(view, bergen)["key"])
    )
    view = session.decide(0, DecisionRequest(Action.UNMARK, of(view, leeds)["key"]))
    assert "A purple kite flew over Bergen and Leeds with CODE_1." in view["text"]
    session.close()
    assert sanitize(source, out, "--decisions", str(decisions)) == 0
    assert view["text"].strip() in text_of(out)
    if suffix.startswith("json"):
        (told,) = json_of(out)["intact"]["marked"]
        assert (told["entity_type"], told["replacement"]) == ("CODE", "CODE_1")


def test_changed_text_ends_with_one_and_names_the_document(tmp_path, capsys):
    source, decisions = tmp_path / "in.txt", tmp_path / "in.decisions"
    as_text(source)
    session = review(source, tmp_path / "o", decisions)
    key = next(o["key"] for o in session.document(0)["entities"] if o["surfaces"] == ["Leeds"])
    session.decide(0, DecisionRequest(Action.KEEP, key, "it is public", ""))
    session.close()
    source.write_text(TEXT.replace("Bergen", "Oslo"), "utf-8")
    out = tmp_path / "out.txt"
    assert sanitize(source, out, "--decisions", str(decisions)) == 1
    assert "not as decided: 1 document: in" in capsys.readouterr().err
    assert "Leeds" not in out.read_text("utf-8")


def test_no_decisions_and_no_certificate_are_errors(tmp_path):
    source, out = tmp_path / "in.txt", tmp_path / "out.txt"
    as_text(source)
    assert sanitize(source, out, "--decisions", str(tmp_path / "none")) == 2
    deep = f'<pre id="record">{"[" * 100_000}</pre>'
    for content in ("", '<pre id="record">{}</pre>', '<pre id="record">[]</pre>', deep):
        (tmp_path / "page.html").write_text(content, "utf-8")
        assert run(["verify", str(source), "--certificate", str(tmp_path / "page.html")]) == 2
    assert run(["verify", str(source), "--certificate", str(tmp_path / "gone.html")]) == 2


def test_a_folder_is_checked_whole(tmp_path):
    folder, out, page = tmp_path / "in", tmp_path / "out", tmp_path / "c.html"
    folder.mkdir()
    for name in ("a", "b"):
        (folder / f"{name}.txt").write_text(f"{TEXT} {name}", "utf-8")
    assert sanitize(folder, out, "--certificate", str(page)) == 0
    assert run(["verify", str(out), "--certificate", str(page)]) == 0
    first, second, more = out / "a.txt", out / "b.txt", out / "c.txt"
    texts = first.read_bytes(), second.read_bytes()

    def differences(a, b, c=None, given=out):
        for file, content in ((first, a), (second, b), (more, c)):
            file.unlink(missing_ok=True)
            if content is not None:
                file.write_bytes(content)
        return [one.removeprefix(f"{tmp_path}/") for one in verify(page, given)]

    assert differences(*texts) == differences(*texts, given=first) == []
    assert differences(None, texts[1]) == ["out: 1 of 2 released files not there"]
    other = "released under another name"
    assert differences(*texts[::-1]) == [f"out/a.txt: {other}", f"out/b.txt: {other}"]
    assert differences(*texts[::-1], given=first) == [f"out/a.txt: {other}"]
    assert differences(*texts, texts[0]) == [f"out/c.txt: {other}"]
    assert differences(*texts, texts[0], given=more) == []
    assert differences(*texts, b"x") == ["out/c.txt: not part of the release"]
    assert differences(texts[0], b"x") == ["out/b.txt: changed since the release"]
    (out / "empty").mkdir()
    (out / "folder").symlink_to(folder)
    (out / "gone").symlink_to(tmp_path / "nowhere")
    (out / "linked.txt").symlink_to(first)
    os.mkfifo(out / "pipe")
    odd = ("empty", "folder", "gone", "linked.txt", "pipe")
    assert differences(*texts) == [f"out/{name}: not part of the release" for name in odd]
    assert differences(texts[0], b"x", given=second) == ["out/b.txt: changed since the release"]
    assert "a.txt" not in page.read_text("utf-8")


def test_a_certificate_counts_documents_and_files(tmp_path):
    source, page = tmp_path / "in.csv", tmp_path / "c.html"
    source.write_text(f"text\n{TEXT}\n{TEXT}\n", "utf-8")
    assert sanitize(source, tmp_path / "o.csv", "--certificate", str(page)) == 0
    assert "2 documents in 1 file" in page.read_text("utf-8")
