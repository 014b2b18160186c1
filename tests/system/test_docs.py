"""README and docs say what is so: a command gives the output it shows, all are understood."""

import re
import shlex
import shutil
from pathlib import Path

import pytest
import typer

from intact import cli, registry

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^(?:\$ |    )?(?:[A-Z_]+=\S+ )?(intact [a-z].*?)(?:\s+#.*)?$")
TIMES = re.compile(r"in [\d.]+ s, [\d,]+ spans/s")


def commands(page: Path) -> list[str]:
    """The lines that call the command, in fenced and indented blocks."""
    text = page.read_text("utf-8").replace("\\\n", " ")
    inside = [line for kind, block in BLOCK.findall(text) if kind != "python"
              for line in block.splitlines()]  # fmt: skip
    indented = [line for line in BLOCK.sub("", text).splitlines() if line.startswith("    ")]
    return [found[1] for line in inside + indented if (found := COMMAND.match(line))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_command_is_understood(page: Path) -> None:
    for command in commands(page):
        first, *rest = shlex.split(command.partition(" | ")[0].partition(" > ")[0])[1:]
        if first.startswith("-"):
            continue
        made = registry.load("command", first)
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


def said(text: str) -> list[str]:
    """What was printed, but for times and spaces at the ends of lines."""
    return [TIMES.sub("in 1 s", line.rstrip()) for line in text.strip().splitlines()]


@pytest.fixture(scope="session")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the letter, as text and in Word."""
    word = pytest.importorskip("docx").Document()
    folder = tmp_path_factory.mktemp("desk")
    letter = ROOT / "examples" / "letter.txt"
    shutil.copy(letter, folder)
    for paragraph in letter.read_text("utf-8").split("\n\n"):
        word.add_paragraph(" ".join(paragraph.split()))
    word.save(folder / "letter.docx")
    return folder


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_is_shown_is_what_comes(
    page: Path,
    desk: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    monkeypatch.chdir(desk)
    monkeypatch.setenv("COLUMNS", "80")
    for kind, block in BLOCK.findall(page.read_text("utf-8")):
        if kind == "console":
            command, _, shown = block.partition("\n")
            assert cli.run(shlex.split(command)[2:]) == 0
            came = said(capfdbinary.readouterr().out.decode())
            wanted = said(shown)
            if wanted[-1] == "...":
                wanted, came = wanted[:-1], came[: len(wanted) - 1]
            assert came == wanted, command


def test_the_readme_shows_what_becomes_of_the_letter(desk: Path) -> None:
    source, out = desk / "letter.txt", desk / "readme.txt"
    assert cli.run(["sanitize", str(source), "-o", str(out), "-q"]) == 0
    before, after = (" ".join(path.read_text("utf-8").split()) for path in (source, out))
    readme = (ROOT / "README.md").read_text("utf-8")
    table = re.findall(r"^\| (?!before|---)(.*?) \| (.*?) \|$", readme, re.MULTILINE)
    for old, new in table[:2]:
        assert old in before and new in after
