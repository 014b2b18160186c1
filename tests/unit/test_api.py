"""The public face: what ``import intact`` offers and how its verbs take what they are given."""

import json

import pytest

import intact
from intact.sanitizing import UNCHANGED

TEXT = "Ann Lee was born on 3 May 1971."


GERMAN = "Frau Anna Lehmann wurde am 3. Mai 1971 in Bergen geboren und arbeitet dort als Lehrerin."


def test_everything_that_is_promised_is_there_and_shown():
    assert set(intact.__all__) <= set(dir(intact))
    assert all(getattr(intact, name) is not None for name in intact.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nosuch'"):
        _ = intact.nosuch


def test_one_text_one_document_or_many():
    done = intact.sanitize(TEXT)
    assert isinstance(done, intact.SanitizedDocument)
    assert done.document.text == TEXT
    assert "Ann" not in done.text
    document = intact.Document("d", "No one.", ())
    assert intact.sanitize(document).document is document
    several = intact.sanitize([TEXT, document])
    assert [one.document.id for one in several] == ["text1", "d"]


@pytest.mark.parametrize("given", [None, b"No one.", 5])
def test_what_is_no_text_is_told_at_the_call(given):
    with pytest.raises(intact.InputError, match="neither a text nor a Document"):
        intact.sanitize(given)
    several = intact.sanitize(["No one.", given])
    next(several)
    with pytest.raises(intact.InputError, match=r"text2: .* is neither"):
        next(several)


def test_an_error_ends_the_iterator_and_a_sanitizer_goes_on():
    german = 3 * "Die Klägerin ist in Bergen geboren und wohnt seit vielen Jahren dort. "
    several = intact.sanitize([german, "No one."])
    with pytest.raises(intact.LanguageError, match="text1: it is not in English"):
        next(several)
    assert [*several] == []
    with intact.Sanitizer() as sanitizer:
        with pytest.raises(intact.LanguageError):
            sanitizer.sanitize(german)
        assert sanitizer.sanitize("No one.").text == "No one."
    done = intact.sanitize(intact.Document("d", "No one.", ()))
    assert (done.protected, done.notes) == (True, (UNCHANGED,))


def test_many_are_consumed_as_they_are_asked_for():
    read = []

    def texts():
        for number in range(3):
            read.append(number)
            yield "No one."

    several = intact.sanitize(texts())
    assert read == []
    next(several)
    assert read == [0]


def test_a_sanitizer_keeps_its_pipeline_and_a_wrong_configuration_is_told():
    with intact.Sanitizer("strict", ["run.seed=3"]) as sanitizer:
        assert (sanitizer.settings.run.seed, sanitizer.settings.attack.guesses) == (3, 8)
        assert sanitizer.sanitize(TEXT, "one").document.id == "one"
        assert [m.text for m in sanitizer.detect(TEXT).mentions] == ["Ann Lee", "3 May 1971"]
    with pytest.raises(intact.ConfigError, match="no preset or file"):
        intact.sanitize([], "nosuch")
    with pytest.raises(intact.ConfigError, match="ready settings"):
        intact.sanitize(TEXT, intact.Settings(), ["run.seed=1"])


def test_what_nobody_annotated_is_detected_and_a_wrong_file_told(tmp_path):
    (tmp_path / "letter.txt").write_text(TEXT, "utf-8")
    (document,) = intact.load(tmp_path / "letter.txt")
    assert not document.annotated
    assert "Ann" not in intact.sanitize(document).text
    with pytest.raises(intact.InputError, match="no such file"):
        list(intact.load(tmp_path / "no.json"))
    (tmp_path / "bad.json").write_text("[{}]", "utf-8")
    with pytest.raises(intact.DocumentError):
        list(intact.load(tmp_path / "bad.json"))


def test_a_file_is_loaded_by_its_suffix_its_content_or_a_name(tmp_path):
    line = '{"id": "a", "text": "Ann", "mentions": [{"start": 0, "end": 3, "type": "PERSON"}]}'
    for name in ("a.jsonl", "a.unknown"):
        (tmp_path / name).write_text(line, "utf-8")
        (document,) = intact.load(tmp_path / name)
        assert (document.id, document.annotated) == ("a", True)
    (raw,) = intact.load(tmp_path / "a.jsonl", "text")
    assert raw.text == line


@pytest.mark.parametrize("name", ["out.json", "out.jsonl"])
def test_what_was_decided_is_saved_beside_the_original(tmp_path, name):
    done = list(intact.sanitize([TEXT, "On 4 May 1980 Bob Hill left."]))
    intact.save(done, tmp_path / name)
    text = (tmp_path / name).read_text("utf-8")
    raws = (
        json.loads(text)
        if name.endswith("json")
        else [json.loads(x) for x in text.split("\n") if x]
    )
    assert [raw["sanitized_text"] for raw in raws] == [one.text for one in done]
    assert "candidates" in text
    again = list(intact.load(tmp_path / name))
    assert [one.mentions for one in again] == [one.document.mentions for one in done]
    assert (tmp_path / name).stat().st_mode & 0o777 == 0o600


def test_documents_are_saved_as_annotations(tmp_path):
    document = intact.sanitize(TEXT).document
    intact.save(document, tmp_path / "one.jsonl")
    (again,) = intact.load(tmp_path / "one.jsonl")
    assert (again.text, again.mentions) == (document.text, document.mentions)
    intact.save([], tmp_path / "none.json")
    assert list(intact.load(tmp_path / "none.json")) == []


@pytest.mark.parametrize("suffix", ["txt", "md"])
def test_a_text_file_holds_one_sanitised_text(tmp_path, suffix):
    done = intact.sanitize(TEXT)
    intact.save(done, tmp_path / f"safe.{suffix}")
    assert (tmp_path / f"safe.{suffix}").read_text("utf-8") == done.text


@pytest.mark.parametrize(
    ("name", "times", "said"),
    [
        ("a.txt", 2, "one document a file"),
        ("a.docx", 1, "where it was read"),
        ("a.spacy", 1, "cannot hold what was decided"),
        ("a.what", 1, "no format has files"),
    ],
)
def test_what_cannot_be_saved_leaves_nothing_behind(tmp_path, name, times, said):
    with pytest.raises(intact.ConfigError, match=said):
        intact.save(intact.sanitize([TEXT] * times), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("hello", "document 1: str is no document"),
        (None, "document 1: NoneType is no document"),
        ([intact.Document("a", "", ())] * 2, "two documents called a"),
        ([intact.Document("a", "", ()), 5], "document 2: int is no document"),
    ],
)
def test_only_documents_with_ids_of_their_own_are_saved(tmp_path, given, said):
    with pytest.raises(intact.InputError, match=said):
        intact.save(given, tmp_path / "a.json")
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_text_or_no_configuration_is_told():
    for work in (intact.detect, intact.sanitize, lambda text: next(intact.sanitize([text]))):
        with pytest.raises(intact.InputError, match=r"text1?: its text holds half a surrogate"):
            work("Ann \ud83d left.")
    with pytest.raises(intact.InputError, match="text is missing or not a string"):
        intact.detect(None)
    for wrong in ({"config": {"attack": {"max_risk": 0.1}}}, {"overrides": "attack.max_risk=0.3"}):
        with pytest.raises(intact.ConfigError, match="this is no configuration"):
            intact.sanitize("x", **wrong)
    with pytest.raises(intact.InputError, match=r"^text2: it is not in English"):
        list(intact.sanitize(["Ann Lee lives in Riga.", GERMAN]))


def test_a_mention_may_cross_a_wrapped_line():
    text = "My father is a retired\nbus driver from Cork.\n"
    done = intact.sanitize(text)
    assert done.document.text == text and "retired\nbus driver" in {
        mention.text for mention in done.document.mentions
    }
    assert done.text.startswith("My father is a former\n") and " from a " in done.text
