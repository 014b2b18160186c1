"""The public face: what ``import intact`` offers and how its verbs take what they are given."""

import subprocess
import sys

import pytest

import intact

TEXT = "Ann Lee was born on 3 May 1971."


def test_everything_that_is_promised_is_there_and_shown() -> None:
    assert set(intact.__all__) <= set(dir(intact))
    assert all(getattr(intact, name) is not None for name in intact.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nosuch'"):
        _ = intact.nosuch


def test_the_import_alone_brings_nothing_heavy() -> None:
    code = "import intact, sys; print(*(m for m in sys.modules if m.startswith('intact')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["intact"]


def test_a_string_is_one_text() -> None:
    done = intact.sanitize(TEXT)
    assert isinstance(done, intact.SanitizedDocument)
    assert done.document.text == TEXT
    assert "Ann" not in done.text


def test_a_document_is_one_and_an_iterable_gives_an_iterator() -> None:
    document = intact.Document("d", "No one.", ())
    assert intact.sanitize(document).document is document
    several = intact.sanitize([TEXT, document])
    assert [one.document.id for one in several] == ["text1", "d"]


def test_many_are_consumed_as_they_are_asked_for() -> None:
    read: list[int] = []

    def texts():
        for number in range(3):
            read.append(number)
            yield "No one."

    several = intact.sanitize(texts())
    assert read == []
    next(several)
    assert read == [0]


def test_a_sanitizer_keeps_its_pipeline() -> None:
    with intact.Sanitizer("strict", ["run.seed=3"]) as sanitizer:
        assert (sanitizer.settings.run.seed, sanitizer.settings.attack.guesses) == (3, 8)
        assert sanitizer.sanitize(TEXT, "one").document.id == "one"
        assert [m.text for m in sanitizer.detect(TEXT).mentions] == ["Ann Lee", "3 May 1971"]


def test_a_wrong_configuration_is_told_at_the_call() -> None:
    with pytest.raises(intact.ConfigError, match="no preset or file"):
        intact.sanitize([], "nosuch")
    with pytest.raises(intact.ConfigError, match="ready settings"):
        intact.sanitize(TEXT, intact.Settings(), ["run.seed=1"])


def test_what_nobody_annotated_is_detected_not_let_through(tmp_path) -> None:
    (tmp_path / "letter.txt").write_text(TEXT, "utf-8")
    (document,) = intact.load(tmp_path / "letter.txt")
    assert not document.annotated
    assert "Ann" not in intact.sanitize(document).text


def test_a_file_is_loaded_by_its_suffix_its_content_or_a_name(tmp_path) -> None:
    line = '{"id": "a", "text": "Ann", "mentions": [{"start": 0, "end": 3, "type": "PERSON"}]}'
    for name in ("a.jsonl", "a.unknown"):
        (tmp_path / name).write_text(line, "utf-8")
        (document,) = intact.load(tmp_path / name)
        assert (document.id, document.annotated) == ("a", True)
    (raw,) = intact.load(tmp_path / "a.jsonl", "text")
    assert raw.text == line


def test_a_file_that_is_not_there_or_wrong_says_so(tmp_path) -> None:
    with pytest.raises(intact.InputError, match="cannot be read"):
        list(intact.load(tmp_path / "no.json"))
    (tmp_path / "bad.json").write_text("[{}]", "utf-8")
    with pytest.raises(intact.DocumentError):
        list(intact.load(tmp_path / "bad.json"))
