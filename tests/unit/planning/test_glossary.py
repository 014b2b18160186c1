"""A user's own facts."""

import pytest

from intact.config import load_settings
from intact.errors import ConfigError
from intact.pipeline import build_pipeline
from intact.planning.glossary import Fact, read_glossary
from intact.protocols import DRIFT
from tests.unit.discourse.test_things import document


def written(tmp_path, text):
    path = tmp_path / "things.csv"
    path.write_text(text, encoding="utf-8")
    return path


def sanitised(tmp_path, rows, text, *wishes):
    path = written(tmp_path, f"surface,phrase,kind\n{rows}\n")
    settings = load_settings(None, [f'generation.glossary="{path}"', *wishes])
    return build_pipeline(settings).sanitize(document(text))


def test_a_file_is_read_with_its_lines(tmp_path):
    path = written(
        tmp_path, 'surface,phrase,kind\n"Elm Road, site",the workshop,place\n\nX1,a lab,\n'
    )
    assert read_glossary(path) == (
        Fact("Elm Road, site", "the workshop", "LOC", 2),
        Fact("X1", "a lab", "", 4),
    )


def test_a_fact_goes_before_all_else_whatever_the_preset(tmp_path):
    rows = "Northfield House,the applicant's school,ORG"
    text = "She went to [o:Northfield House]. [l:Northfield House] is a place."
    for preset in (None, "selection.start_rank=2"):
        done = sanitised(tmp_path, rows, text, *([preset] if preset else [])).text
        assert done.startswith("She went to the applicant's school. ")
        assert done.count("school") == 1


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("name,phrase\n", 1, "first line"),
        ("surface,phrase\nOakham,the Oakham school\n", 2, "word 2 of the phrase names what it has"),
        ("surface,phrase\nOakham,a school\nPinehill,near Oakham\n", 3, "names what"),
        ("surface,phrase,kind\nOakham,a school,ORG\nAnn Lee,a friend,PERSON\n", 3, "label"),
        ("surface,phrase,kind\nOakham,a school,spaceship\n", 2, "no such kind"),
        ("surface,phrase\nOakham,a school\n\nOakham,a lake\n", 4, "line 2"),
        ("surface,phrase\nOakham,\n", 2, "missing"),
        ("surface,phrase\nOakham,?!\n", 2, "says nothing"),
    ],
)
def test_what_is_wrong_is_refused_with_its_line_and_without_its_text(tmp_path, text, line, problem):
    with pytest.raises(ConfigError, match=f"line {line}") as caught:
        read_glossary(written(tmp_path, text))
    assert problem in str(caught.value)
    assert "Oakham" not in str(caught.value)


def test_a_file_that_is_no_csv_is_refused(tmp_path):
    path = tmp_path / "things.csv"
    path.write_bytes(b"surface,phrase\n\xff\xfe,\n")
    with pytest.raises(ConfigError, match="no CSV"):
        read_glossary(path)
    with pytest.raises(ConfigError, match="cannot be read"):
        read_glossary(tmp_path / "absent.csv")


def test_a_phrase_that_names_what_the_document_hides_is_left_out_and_told(tmp_path):
    rows = "Elm Works,the workshop near Pinehill,ORG"
    done = sanitised(tmp_path, rows, "[o:Elm Works] in [l:Pinehill]")
    assert "Pinehill" not in done.text and "workshop" not in done.text
    assert [note for note in done.notes if note.startswith(DRIFT)]
    alone = sanitised(tmp_path, rows, "[o:Elm Works] in town")
    assert "workshop near Pinehill" in alone.text and not alone.notes
