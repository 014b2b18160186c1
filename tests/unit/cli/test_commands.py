"""Output of the commands."""

import hashlib
import io
import json
import os
import sys
from types import SimpleNamespace

import pytest

import intact as library
from intact.protocols import part_names
from tests.unit.cli.conftest import FAST


@pytest.fixture
def done(intact, tmp_path, tab, document):
    out = tmp_path / "out.json"
    assert intact("sanitize", tab(document()), "-o", out, "--quiet")[:2] == (0, "")
    return out


def test_version(intact, monkeypatch, capsys):
    from intact.cli import main

    monkeypatch.setattr(sys, "argv", ["intact", "--version"])
    main()
    assert capsys.readouterr().out == f"intact {library.__version__}\n"


def test_help_names_every_command(intact):
    code, out, _ = intact("--help")
    assert code == 0
    assert all(name in out for name in part_names("command"))
    for name in part_names("command"):
        code, out, _ = intact(name, "--help")
        assert (code, "Usage: intact" in out) == (0, True)


def test_explain_shows_originals_of_jsonl_and_obeys_no_text(intact, tmp_path):
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    text = "Ann\x1b[31m\nLee left."
    mention = {"id": 7, "start": 0, "end": 12, "type": "PERSON", "identifier_type": "DIRECT"}
    source.write_text(json.dumps({"id": "a", "text": text, "mentions": [mention]}))
    assert intact("sanitize", source, "-o", out)[0] == 0
    code, shown, _ = intact("explain", out, "a")
    assert (code, "Ann\\x1b[31m\\nLee" in shown, "\x1b" in shown) == (0, True, False)
    assert "direct identifier" in intact("explain", out, "a", "7")[1]


def test_sanitize_says_what_it_did_and_takes_seed_and_annotator(intact, tmp_path, tab, document):
    out = tmp_path / "out.json"
    code, stdout, _ = intact("sanitize", tab(document()), "-o", out)
    assert code == 0
    assert "1 document, 4 spans" in stdout and str(out) in stdout
    code, stdout, _ = intact("sanitize", tab(document()), "-o", out, "--resume")
    assert (code, "all there already" in stdout) == (0, True)
    out = tmp_path / "out.json"
    options = ("--seed", 7, "--annotator", "ann", "--set", "attack.guesses=3")
    assert intact("sanitize", tab(document()), "-o", out, "-q", *options)[0] == 0
    settings = json.loads((tmp_path / "out.json.run" / "manifest.json").read_text())["settings"]
    assert (settings["run"]["seed"], settings["run"]["annotator"]) == (7, "ann")
    assert settings["attack"]["guesses"] == 3


def test_what_other_annotators_mask_is_told(intact, tmp_path, tab, document):
    one = document()
    more = one["annotations"]["ann"]["entity_mentions"]
    both = tab(one | {"annotations": {"bo": {"entity_mentions": more[:2]}} | one["annotations"]})
    told = "d1): other annotators mask words that the first leaves; --annotator all"
    assert told in intact("sanitize", both, "-o", tmp_path / "out.json")[2]
    assert told not in intact("sanitize", both, "-o", tmp_path / "o.json", "--annotator", "all")[2]


def test_sanitize_reads_standard_input(intact, tmp_path, tab, document, monkeypatch):
    data = tab(document()).read_bytes()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))
    out = tmp_path / "out.json"
    assert intact("sanitize", "-", "-o", out, "--quiet")[0] == 0
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"[{}]")))
    code, _, err = intact("sanitize", "-", "-o", out)
    assert (code, "standard input, document 1: it has no id" in err) == (2, True)
    assert json.loads(out.read_text())


def test_explain_tells_a_document_and_a_mention(intact, done):
    code, out, _ = intact("explain", done, "d1")
    assert code == 0
    assert "Tromsø" in out and "PERSON_1" in out and "direct identifier" in out
    assert "Not annotated, at 46: Topp became PERSON_1" in out
    code, out, _ = intact("explain", done, "d1", "m1")
    assert code == 0
    assert "LOC: Tromsø became" in out and "entry Tromsø" in out and "LOC_1" in out


def test_explain_tells_what_of_a_harmless_mention_is_masked_elsewhere(intact, tmp_path):
    text = "Ann Zammit relied on Zammit v. Malta and on the Borg Act."
    spans = [(0, 10, "PERSON", "DIRECT"), (21, 36, "MISC", "NO_MASK"), (48, 56, "MISC", "NO_MASK")]
    names = ("start", "end", "type", "identifier_type")
    mentions = [dict(zip(names, span, strict=True)) for span in spans]
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text(json.dumps({"id": "a", "text": text, "mentions": mentions}))
    assert intact("sanitize", source, "-o", out, *FAST)[0] == 0
    assert "relied on PERSON_1 v. Malta and on the Borg Act." in out.read_text()
    shown = intact("explain", out, "a")[1]
    assert "Zammit v. Malta stays, but for what is masked elsewhere" in shown
    assert "Borg Act stays  [" in shown and "at 21: Zammit became PERSON_1" in shown


RULED = "Joan Bell met Mr Rowe in Oslo. Ms Bell, a nurse, saw York and Siemens in Leeds."


def test_explain_says_who_decided_and_who_is_who(intact, tmp_path):
    source, facts, out = (tmp_path / name for name in ("a.txt", "facts.csv", "out.txt"))
    source.write_text(RULED, "utf-8")
    facts.write_text("surface,phrase\nLeeds,Leeds\nMr Rowe,Owner 1\n", "utf-8")
    digest = hashlib.sha256(RULED.encode()).hexdigest()
    said = {"Ms Bell": "split", "York": "keep", "Oslo": "mask", "Siemens": "unmark"}
    lines = (
        {"id": f"{n}", "at": "2026-11-30T13:32:46+00:00", "by": "IRO", "action": action}
        | {"document": "a", "digest": digest, "reason": "s.40" * (action == "keep")}
        | {"spans": [[at := RULED.index(name), at + len(name)]], "surfaces": [name]}
        | {"entity_type": "PERSON" if action == "split" else "LOC"}
        for n, (name, action) in enumerate(said.items())
    )
    decisions = tmp_path / "a.decisions"
    decisions.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    given = ("sanitize", source, "-o", out, "--decisions", decisions, "--glossary", facts)
    assert intact(*given)[0] == 0
    shown = " ".join(intact("explain", out)[1].split())
    by = "by IRO, 2026-11-30 13:32 UTC"
    assert f"kept as it is {by}: s.40" in shown
    assert f"taken for nothing personal {by}" in shown
    assert f"label chosen {by}; no generalisation known" in shown
    assert f"split off {by}; direct identifier" in shown
    assert "kept in clear by line 2 of the glossary" in shown and "harmless" not in shown
    assert "by line 3 of the glossary; direct identifier" in shown
    assert "Who is who: Owner 1: Mr Rowe" in shown and "PERSON_3: Ms Bell" in shown


def test_explain_needs_what_is_there(intact, done, tmp_path, tab, document):
    for arguments, said in (
        ((done, "d9"), "there is no document d9"),
        ((done, "d1", "m9"), "there is no mention m9"),
        ((tab(document()), "d1"), "no sanitised documents"),
        ((tmp_path / "none.json", "d1"), "cannot be read"),
    ):
        code, _, err = intact("explain", *arguments)
        assert (code, said in err) == (2, True)


def test_explain_tells_the_sentence_and_its_kinds(intact, tmp_path):
    (source := tmp_path / "a.txt").write_text("Ann Lee works as a midwife in Oslo.")
    intact("sanitize", source, "-o", out := tmp_path / "b.txt")
    record = json.loads((tmp_path / "b.txt.run" / "record.jsonl").read_text())
    spans = {m["id"]: slice(m["start"], m["end"]) for m in record["mentions"]}
    (job,) = (key for key, span in spans.items() if record["text"][span] == "midwife")
    for given in ((out, job), (tmp_path / "b.txt.run", job), (out, "a", job)):
        code, shown, _ = intact("explain", *given)
        assert code == 0 and "as a [midwife] in" in shown
        shown = " ".join(shown.split())
        assert "Kinds by the sentence: a person" in shown and "kind 1.00)" in shown
        assert "(its place: nominal)" in shown


LETTER = "Ann Lee was born in Tromsø on 3 May 1951. She has rheumatoid arthritis."


@pytest.mark.parametrize("name", ["a.txt", "a.html", "a.csv", "a.docx", "a.jsonl"])
def test_explain_and_report_know_every_format(intact, tmp_path, name):
    source, out = tmp_path / name, tmp_path / f"out-{name}"
    shapes = {"html": f"<p>{LETTER}</p>", "csv": f'id,text\na,"{LETTER}"\n'}
    shapes["jsonl"] = json.dumps({"id": "a", "text": LETTER})
    if name.endswith("docx"):
        word = pytest.importorskip("docx").Document()
        word.add_paragraph(LETTER)
        word.save(source)
    else:
        source.write_text(shapes.get(source.suffix[1:], LETTER))
    assert intact("sanitize", source, "-o", out, "-q")[0] == 0
    code, told, _ = intact("explain", out)
    assert (code, "LOC: Tromsø became" in told, "taken for Tromsø" in told) == (0, True, True)
    assert max(map(len, told.splitlines())) <= 80
    page = tmp_path / "page.html"
    assert intact("report", out, "-o", page, "-q")[0] == 0
    assert "Tromsø" in page.read_text()
    record = tmp_path / f"{out.name}.run" / "record.jsonl"
    assert record.exists() == (name != "a.jsonl")
    assert not record.exists() or record.stat().st_mode & 0o777 == 0o600
    unkept = ("--set", "run.keep_record=false", *FAST)
    assert intact("sanitize", source, "-o", out, "-q", *unkept)[0] == 0
    assert not record.exists()


def test_config_round_trips(intact, tmp_path):
    code, out, _ = intact("config", "show", "--set", "attack.guesses=9")
    assert (code, "guesses = 9" in out) == (0, True)
    (tmp_path / "mine.toml").write_text(out)
    assert intact("config", "show", tmp_path / "mine.toml")[1] == out


def test_doctor_says_what_is_missing_or_damaged(intact, monkeypatch, tmp_path):
    code, out, _ = intact("doctor")
    assert (code, library.__version__ in out) == (0, True)
    monkeypatch.setattr("intact.cli.config.metadata.distributions", lambda **_: ())
    _, out, _ = intact("doctor")
    assert '[llm]"' in out and "intact-sanitizer" not in out
    monkeypatch.setattr("intact.knowledge.base.FILE", tmp_path / "none.sqlite")
    code, out, _ = intact("doctor")
    assert (code, "the knowledge file is missing" in out, "fastapi" in out) == (1, True, True)


def test_unforeseen_errors_are_one_line(intact, tmp_path, tab, document, monkeypatch):
    def fall_over(*_):
        raise ValueError("Zacharias Topp")

    monkeypatch.setattr("intact.run.job.add_figures", fall_over)
    arguments = ("sanitize", tab(document()), "-o", tmp_path / "out.json")
    monkeypatch.delenv("INTACT_DEBUG", raising=False)
    code, _, err = intact(*arguments)
    assert (code, "Topp" in err, "INTACT_DEBUG=1" in err) == (70, False, True)
    monkeypatch.setitem(os.environ, "INTACT_DEBUG", "1")
    _, _, err = intact(*arguments)
    assert "Traceback" in err
