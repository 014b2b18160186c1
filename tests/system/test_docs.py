"""README and docs say what is so: commands are understood, work, and give what is shown."""

import contextlib
import doctest
import json
import re
import runpy
import shlex
import shutil
from pathlib import Path

import pytest
import typer

import intact
from intact import cli
from intact.cli.console import HINT
from intact.config import Settings, load_settings, presets
from intact.protocols import load_part
from intact.review.decisions import Action
from intact.review.release import release, release_questions
from intact.review.session import DecisionRequest, ReviewSession
from intact.server.app import create_app

ROOT = Path(__file__).resolve().parents[2]
WAYS_IN = (ROOT / "docs" / "ways_in.md").read_text("utf-8")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^(?:\$ |    )?(?:[A-Z_]+=\S+ )?(intact [a-z].*?)(?:\s+#.*)?$")
TIMES = re.compile(r"in [\d.]+ s, [\d,]+ spans/s")
ELSEWHERE = re.compile(
    r"model\.|models (pull|check)|--plan|--on ray|--model |allow-remote|^intact serve"  # not here
    r"|documents/tagger.py|model/|tab_dev|third_look|encoder"  # minutes
)
"""What needs a model, a network, a cluster or many minutes: it is only read."""
CODES = {" --target ": (0, 1), " --background ": (0, 1), " detect ": (0, 3)}
"""Of commands that may say more than that all is well: a target is missed, people cannot be hidden
among so few, texts are in doubt."""


def commands(page):
    """The lines that call the command, in fenced and indented blocks."""
    text = page.read_text("utf-8").replace("\\\n", " ")
    inside = [line for kind, block in BLOCK.findall(text) if kind != "python"
              for line in block.splitlines()]  # fmt: skip
    indented = [line for line in BLOCK.sub("", text).splitlines() if line.startswith("    ")]
    return [found[1] for line in inside + indented if (found := COMMAND.match(line))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_command_is_understood(page):
    for command in commands(page):
        first, *rest = shlex.split(command.partition(" | ")[0].partition(" > ")[0])[1:]
        if first.startswith("-"):
            continue
        made = load_part("command", first)
        if not isinstance(made, typer.Typer):
            single = typer.Typer()
            single.command()(made)
            made = single
        parsed = typer.main.get_command(made)
        context = parsed.make_context(first, list(rest))
        if hasattr(parsed, "resolve_command"):
            left = [*context._protected_args, *context.args]
            name, below, more = parsed.resolve_command(context, left)
            below.make_context(name, more, parent=context)


def said(text):
    """Return the printed text without times and without spaces at the ends of lines."""
    return [TIMES.sub("in 1 s", line.rstrip()) for line in text.strip().splitlines()]


MADE = {
    "filled_sheet.csv": "kit/sheet.csv",
    "filled_labels.csv": "kit/labels.csv",
    "letters.decisions": "nothing",
    "ann.decisions": "nothing",
    "bob.decisions": "nothing",
    "letters.glossary": "things.csv",
    "int01.txt": "letter.txt",
    "int02.txt": "letter.txt",
    "corrected.json": "tasks.json",
}
"""What somebody fills in or corrects -> what it may be made from."""


@pytest.fixture(scope="session")
def desk(tmp_path_factory):
    """A folder with all that README and docs speak of."""
    word = pytest.importorskip("docx").Document()
    folder = tmp_path_factory.mktemp("desk")
    letter = ROOT / "examples" / "letter.txt"
    (folder / "examples").mkdir()
    for place in (folder, folder / "examples"):
        shutil.copy(letter, place)
    for paragraph in letter.read_text("utf-8").split("\n\n"):
        word.add_paragraph(" ".join(paragraph.split()))
    for name in ("letter.docx", "judgment.docx"):
        word.save(folder / name)
    for name in ("letters", "judgments", "interviews", "case"):
        (folder / name).mkdir()
        shutil.copy(letter, folder / name)
    examples = [ROOT / "examples" / f"{name}.json" for name in ("court-dismissal", "biography")]
    corpus = [_begun(json.loads(path.read_text("utf-8"))[0]) for path in examples]
    for name in ("in", "corpus"):
        (folder / f"{name}.json").write_text(json.dumps(corpus), "utf-8")
    nothing = json.dumps({document["doc_id"]: [] for document in corpus})
    for name in ("edits", "theirs", "other"):
        (folder / f"{name}.json").write_text(nothing, "utf-8")
    people = {document["doc_id"]: document["text"][:600] for document in corpus}
    people |= {
        f"p{at}": f"{kind} person number {at} who lives in a house with {at} windows and a dog."
        for at, kind in enumerate("tall small quick slow happy quiet brave kind".split() * 3)
    }
    for name in ("public", "people"):
        (folder / f"{name}.json").write_text(json.dumps(people), "utf-8")
    (folder / "press").mkdir()
    for name, told in (people | {"letter": "A nurse who has a dog."}).items():
        (folder / "press" / f"{name}.txt").write_text(told, "utf-8")
    (folder / "nothing").touch()
    (folder / "big.jsonl").write_text('{"id": "a", "text": "Ann Lee left."}\n', "utf-8")
    (folder / "notes.csv").write_text("id,note\n1,Ann Lee was born in Bergen in 1951.\n", "utf-8")
    tutorial = BLOCK.findall((ROOT / "docs" / "tutorial.md").read_text("utf-8"))
    bees, things = (block for kind, block in tutorial if not kind)
    (folder / "bees.txt").write_text(bees, "utf-8")
    interviews = BLOCK.findall((ROOT / "docs" / "researcher.md").read_text("utf-8"))
    (names,) = (block for kind, block in interviews if not kind)
    (folder / "names.csv").write_text(names, "utf-8")
    for name in ("things.csv", "court.csv"):
        (folder / name).write_text(things, "utf-8")
    return folder


def _begun(document):
    """The beginning of a document: commands are to work here, not to work long."""
    layers = document["annotations"].values()
    for layer in layers:
        mentions = layer["entity_mentions"]
        layer["entity_mentions"] = [one for one in mentions if one["end_offset"] <= 500]
    return document | {"text": document["text"][:500]}


@pytest.fixture
def at_desk(desk, tmp_path, monkeypatch):
    """A copy of the desk to work at. A review releases as soon as it is opened."""
    place = tmp_path / "desk"
    shutil.copytree(desk, place)
    monkeypatch.chdir(place)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("intact.review.app.serve_review", _decided)
    monkeypatch.setattr("intact.cli.evaluate._GRID", ("attack.max_risk=0.3",))
    return place


def _decided(review, *_):
    """Somebody accepts all there is, and presses Release."""
    with contextlib.closing(ReviewSession(review)) as session:
        for number in range(len(session.documents)):
            for one in session.document(number)["entities"]:
                session.decide(
                    number, DecisionRequest(Action.ACCEPT, one["key"], one["replacement"])
                )
        assert "out" in release(
            session, [str(one) for one in release_questions(session)], session.state()[0]
        )


def run(command, place):
    """Runs a command as it is printed, redirected or not, with what its page does not make."""
    plain, _, target = command.replace("DOC_ID", "biography").partition(" > ")
    for wanted in ("before/results.json", "after/results.json", "other/results.json"):
        if wanted in plain:  # of an evaluation that the page does not show
            (place / wanted).parent.mkdir()
            measures = ["--edits", "ours=edits.json", "--metrics", "left", "-q"]
            assert cli.run(["evaluate", "corpus.json", *measures, "-o", wanted.split("/")[0]]) == 0
    for wanted, made in MADE.items():
        if wanted in plain and not (place / wanted).exists():
            shutil.copy(place / made, place / wanted)
    printed = (place / (target or "printed")).open("w", encoding="utf-8")
    with printed, contextlib.redirect_stdout(printed):
        code = cli.run(shlex.split(plain)[1:])
    allowed = next((codes for part, codes in CODES.items() if part in plain), (0,))
    assert code in allowed, command


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_command_works(page, at_desk):
    for command in commands(page):
        if not ELSEWHERE.search(command):
            run(command, at_desk)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_is_shown_is_what_comes(page, at_desk, capfdbinary):
    for kind, block in BLOCK.findall(page.read_text("utf-8")):
        if kind == "console":
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, shown = part.partition("\n")
                program, *arguments = shlex.split(command, comments=True)
                if program == "cat":
                    (name,) = arguments
                    if not (at_desk / name).exists() or name == "letter.txt":
                        (at_desk / name).write_text(shown.strip() + "\n", "utf-8")
                    came = said((at_desk / name).read_text("utf-8"))
                else:
                    assert cli.run(arguments) == 0
                    came = said(capfdbinary.readouterr().out.decode())
                wanted = said(shown)
                if wanted[-1:] == ["..."]:
                    wanted, came = wanted[:-1], came[: len(wanted) - 1]
                assert came == wanted, command


def test_the_readme_shows_what_becomes_of_the_letter(at_desk):
    source, out = at_desk / "letter.txt", at_desk / "readme.txt"
    assert cli.run(["sanitize", str(source), "-o", str(out), "-q"]) == 0
    before, after = (" ".join(path.read_text("utf-8").split()) for path in (source, out))
    readme = (ROOT / "README.md").read_text("utf-8")
    table = re.findall(r"^\| (?!before|---)(.*?) \| (.*?) \|$", readme, re.MULTILINE)
    for old, new in table[:3]:
        assert old in before and new in after


SHOWN = re.compile(r"^```python\n(.*?)^```\n(?:```text\n(.*?)^```$)?", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("name", ["README.md", "docs/ways_in.md"])
def test_python_does_as_shown(name, at_desk, capsys):
    page = (ROOT / name).read_text("utf-8")
    if letter := re.search(r"\$ cat letter\.txt\n(.*?)\n\n", page, re.DOTALL):
        (at_desk / "letter.txt").write_text(letter[1] + "\n", "utf-8")
    ((source, shown),) = SHOWN.findall(page)
    exec(compile(source, name, "exec"), {})
    came = said(capsys.readouterr().out)
    assert came if not shown else came == said(shown)


def test_the_first_page_makes_its_letter_and_tells_of_the_hint(at_desk):
    docx = pytest.importorskip("docx")
    page = (ROOT / "docs" / "first_ten_minutes.md").read_text("utf-8")
    ((source, _),) = SHOWN.findall(page)
    (hint,) = re.findall(r"^```text\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    made = [one.text for one in docx.Document(str(at_desk / "letter.docx")).paragraphs]
    (at_desk / "letter.docx").unlink()
    shutil.copy(ROOT / "examples" / "letter.txt", at_desk / "examples")
    exec(compile(source, page, "exec"), {})
    assert [one.text for one in docx.Document(str(at_desk / "letter.docx")).paragraphs] == made
    assert hint.strip() == HINT


def test_the_library_does_as_its_page_says():
    failed, tried = doctest.testfile(str(ROOT / "docs" / "api.md"), module_relative=False,
                                     extraglobs={"Sanitizer": intact.Sanitizer})  # fmt: skip
    assert tried and not failed


def test_the_example_with_presidio_prints_what_is_shown(capsys):
    pytest.importorskip("presidio_anonymizer")
    runpy.run_path(str(ROOT / "examples" / "presidio_pipeline.py"), run_name="__main__")
    shown = re.findall(r"^```text\n(.*?)^```$", WAYS_IN, re.DOTALL | re.MULTILINE)
    assert said(capsys.readouterr().out) == said(shown[-1])


def test_the_server_answers_as_shown():
    testclient = pytest.importorskip("starlette.testclient")
    (request,) = re.findall(r"-d '(.*?)'", WAYS_IN)
    (answer,) = re.findall(r"^```json\n(.*?)^```$", WAYS_IN, re.DOTALL | re.MULTILINE)
    app = create_app({"": Settings()} | {name: load_settings(name) for name in presets()})
    with testclient.TestClient(app, base_url="http://127.0.0.1:8000") as client:
        came = client.post("/sanitize", json=json.loads(request)).json()
    assert came == json.loads(answer)
