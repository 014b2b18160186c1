"""intact intruder: blind sheets, a key, and what was guessed."""

import csv
import json

import pytest

EDITS = [[0, 14, "PERSON_1"], [18, 24, "a city"], [31, 33, "in"], [34, 45, "1996."]]
EDITS += [[49, 62, "an adult"]]
ORIGINALS = ("Tromsø", "3 May 1996", "aged 34")


@pytest.fixture
def kit(intact, tab, document, tmp_path):
    """Writes a kit of two documents and returns its folder."""
    corpus = tab(document(), document(doc_id="d2"))
    edits = tmp_path / "edits.json"
    edits.write_text(json.dumps({"d1": EDITS, "d2": EDITS}))

    def make(*more, name="kit"):
        out = tmp_path / name
        code, said, told = intact("intruder", "make", corpus, out, "--edits", edits, *more)
        assert code == 0, told
        assert "key.json holds the originals" in said
        return out

    return make


def rows(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def fill(path, guess):
    """A copy of a sheet with a first guess everywhere."""
    own = rows(path)
    out = path.with_name(f"filled_{path.name}")
    with out.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(own[0]))
        writer.writeheader()
        for row in own:
            writer.writerow(row | {"guess 2": guess(row)})
    return out


def test_sheets_are_blind_and_the_key_is_private(kit):
    out = kit()
    assert {path.name for path in out.iterdir()} == {
        "key.json", "sheet.csv", "sheet.html", "labels.csv", "labels.html",
    }  # fmt: skip
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in out.iterdir())
    for name in ("sheet.csv", "sheet.html", "labels.csv", "labels.html"):
        text = (out / name).read_text()
        assert not [word for word in (*ORIGINALS, "Zacharias", "d1", "d2") if f">{word}" in text]
        assert not [word for word in ORIGINALS if word in text]
    key = json.loads((out / "key.json").read_text())
    assert "originals" in key["holds"]
    assert {tuple(p["originals"]) for p in key["places"].values()} <= {(o,) for o in ORIGINALS}


def test_the_same_seed_gives_the_same_kit(kit):
    one, two, other = kit(name="a"), kit(name="b"), kit("--seed", 3, name="c")
    assert (one / "key.json").read_bytes() == (two / "key.json").read_bytes()
    assert (one / "sheet.csv").read_text() != (other / "sheet.csv").read_text()


def test_guesses_are_scored_and_paired_with_the_labels(intact, kit, tmp_path):
    out = kit()
    truth = json.loads((out / "key.json").read_text())["places"]

    def right(row):
        return truth[row["place"]]["originals"][0]

    ours = fill(out / "sheet.csv", right)
    bare = fill(out / "labels.csv", lambda row: right(row) if row["stands"] == "LOC" else "Oslo")
    scores = tmp_path / "scores.json"
    code, said, told = intact("intruder", "score", out / "key.json", ours, bare, "-o", scores)
    assert code == 0, told
    assert not [word for word in ORIGINALS if word in said + scores.read_text()]
    found = json.loads(scores.read_text())
    assert found["sheets"]["phrases"]["types"]["all"]["guessed"] == 1.0
    assert found["sheets"]["labels"]["types"]["LOC"]["guessed"] == 1.0
    assert found["sheets"]["labels"]["types"]["DATETIME"]["guessed"] == 0.0
    added = found["added"]
    assert added["labels_only"] == 0
    assert added["both"] + added["phrases_only"] == added["places"]
    assert added["difference"] == pytest.approx(added["phrases_only"] / added["places"])


@pytest.mark.parametrize("nothing", ["", "unknown", "n/a", "a city", "LOC_1"])
def test_an_answer_that_names_nothing_is_no_failed_guess(intact, kit, tmp_path, nothing):
    out = kit()
    filled = fill(out / "sheet.csv", lambda row: nothing if row["stands"] == "a city" else "2 July")
    scores = tmp_path / "scores.json"
    assert intact("intruder", "score", out / "key.json", filled, "-o", scores)[0] == 0
    sheet = json.loads(scores.read_text())["sheets"]["phrases"]
    assert sheet["unanswered"] == 2
    assert "LOC" not in sheet["types"]


def test_models_answer_in_json(intact, kit, tmp_path):
    out = kit()
    key = json.loads((out / "key.json").read_text())
    sheet = rows(out / "sheet.csv")[0]["sheet"]
    answers = tmp_path / "model.json"
    guesses = {number: ["Oslo", place["originals"][0]] for number, place in key["places"].items()}
    answers.write_text(json.dumps({"sheet": sheet, "answers": guesses, "words": {"1": ["Topp"]}}))
    scores = tmp_path / "scores.json"
    assert intact("intruder", "score", out / "key.json", answers, "-o", scores)[0] == 0
    found = json.loads(scores.read_text())
    assert found["sheets"]["phrases"]["types"]["all"]["guessed"] == 1.0
    assert found["added"] is None


def test_answers_to_another_kit_are_refused(intact, kit):
    one, other = kit(name="a"), kit("--seed", 9, "--spans", 1, name="b")
    code, _, said = intact("intruder", "score", other / "key.json", one / "sheet.csv")
    assert code == 2
    assert "another sheet" in said
    code, _, said = intact("intruder", "score", one / "sheet.csv", one / "sheet.csv")
    assert code == 2


@pytest.mark.parametrize(
    "content",
    ["[1]", "{}", '{"sheet": "x", "answers": {"1": "a"}}', '{"sheet": null, "answers": {"9": []}}'],
)
def test_bad_answers_are_told(intact, kit, tmp_path, content):
    path = tmp_path / "bad.json"
    path.write_text(content)
    code, _, said = intact("intruder", "score", kit() / "key.json", path)
    assert code == 2
    assert "bad.json" in said


def test_nothing_to_ask_is_told(intact, tab, document, tmp_path):
    edits = tmp_path / "none.json"
    edits.write_text('{"d1": []}')
    code, _, said = intact("intruder", "make", tab(document()), tmp_path / "k", "--edits", edits)
    assert code == 2
    assert "no document has a replacement" in said


def test_texts_that_an_output_lacks_are_read_from_its_record(intact, tab, document, tmp_path):
    out = tmp_path / "out.json"
    code, _, said = intact("sanitize", tab(document()), "-o", out, "--no-original")
    assert code == 0, said
    code, _, said = intact("intruder", "make", out, tmp_path / "kit")
    assert code == 0, said
    assert (tmp_path / "kit" / "sheet.csv").is_file()


def test_a_kit_without_answers_is_told(intact, kit):
    code, _, told = intact("intruder", "score", kit() / "key.json")
    assert code == 2
    assert "nobody has answered" in told
