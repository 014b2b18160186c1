import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from intact.domain import Edit, Score, Span
from intact.errors import ConfigError, EditsError, FormatError
from intact.evaluation.report import results_page
from intact.evaluation.results import (
    SLOW,
    Results,
    as_data,
    chosen_metrics,
    document_rows,
    evaluate,
    read_results,
    rows,
)

ROOT = Path(__file__).resolve().parents[3]


def example():
    score = Score("tps", 0.8, 2, "tps|x", (0.7, 0.9), {"a": 0.9, "b": 0.7}, {"a": 3.0, "b": 3.0})
    part = Score("tps/LOC", math.nan, 0, "tps/LOC|x")
    other = Score("tps", 0.6, 2, "tps|x", None, {"a": 0.6, "b": 0.6})
    return Results(
        {"one <b>": {"tps": score, "tps/LOC": part}, "two": {"tps": other}},
        titles={"tps": ("Text kept", "higher")},
        skipped={"trir": "no background"},
        warnings=("3 edits left out",),
        documents=2,
    )


def test_json_is_valid_and_comes_back(tmp_path):
    text = json.dumps(as_data(example()), allow_nan=False)
    (tmp_path / "results.json").write_text(text)
    found = read_results(tmp_path)
    assert read_results(tmp_path / "results.json") == found
    assert found.systems["one <b>"]["tps"] == example().systems["one <b>"]["tps"]
    assert math.isnan(found.systems["one <b>"]["tps/LOC"].value)
    assert found.skipped == {"trir": "no background"}
    assert json.loads(text)["systems"]["two"]["tps"].keys() >= {
        "value", "interval", "n", "signature",
    }  # fmt: skip


@pytest.mark.parametrize("data", [[], {}, {"systems": {"a": {"tps": 3}}}, {"systems": 4}])
def test_other_json_is_refused(tmp_path, data):
    (tmp_path / "results.json").write_text(json.dumps(data))
    with pytest.raises(FormatError, match=r"results\.json"):
        read_results(tmp_path)


def test_the_page_holds_everything_and_loads_nothing():
    page = results_page(example())
    assert "one &lt;b&gt;" in page
    assert "0.700 – 0.900" in page
    assert "3 edits left out" in page
    assert "no background" in page
    assert "http" not in page.replace("http-equiv", "")
    assert 'class="best"' in page
    assert page.count("<td") == 2 * 2  # a cell for each system, measured or not


def test_evaluate_takes_edits_or_documents_of_the_same_texts(document, replaced, context):
    edits = {"d1": [Edit(Span(22, 28), "a city"), Edit(Span(0, 9), "PERSON_1")]}
    systems = {"edits": edits, "documents": [replaced("x", "y", "z", "x", "y")]}
    found = evaluate([document], systems, ["left", "words_changed"], context=context)
    assert found.systems["edits"]["left"].value == pytest.approx(3 / 4)
    assert found.systems["documents"]["left"].value == 0.0
    assert found.documents == 1
    assert list(found.titles) == ["left", "words_changed"]
    raw = {"d1": [[22, 28, "a city"], (0, 9, "PERSON_1")]}  # as an edits file has them
    again = evaluate([document], {"raw": raw}, ["left"], context=context)
    assert again.systems["raw"]["left"].value == pytest.approx(3 / 4)
    other = replaced("x", "y", "z", "x", "y", source=replace(document, text=document.text + "!"))
    with pytest.raises(EditsError, match="has another text"):
        evaluate([document], {"x": [other]}, ["left"], context=context)


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        ({}, "documents are missing"),
        ({"d1": 5}, "x, document d1: its edits are not a list"),
        ({"d1": [["0", 9, "x"]]}, "x, document d1: an edit is not"),
        ({"d1": [], "d2": []}, "there is no document d2"),
        ({"d1": [Edit(Span(60, 99), "x")]}, "an edit ends at 99"),
        ({"d1": [Edit(Span(0, 9), "x"), Edit(Span(4, 12), "y")]}, "two edits overlap"),
    ],
)
def test_evaluate_checks_systems(document, context, edits, message):
    with pytest.raises(EditsError, match=message):
        evaluate([document], {"x": edits}, ["left"], context=context)


def test_evaluate_knows_its_metrics(document, context):
    with pytest.raises(ConfigError, match="no metric called 'taste'"):
        evaluate([document], {"x": {"d1": []}}, ["taste"], context=context)
    every = [metric.name for metric in chosen_metrics(None, context)]
    assert "tps" in every
    assert not set(SLOW) & set(every)
    assert [metric.name for metric in chosen_metrics("tps", context)] == ["tps"]
    named = chosen_metrics(["all", "trir_encoder", "tps"], context)
    assert [metric.name for metric in named] == [*every, "trir_encoder"]


def test_rows_of_results():
    assert next(iter(rows(example()))) == ("one <b>", "tps", "0.8", "0.7", "0.9", 2, "tps|x")
    assert ("a", "one <b>", "tps", "0.9", "3") in list(document_rows(example()))


def test_documents_are_measured_at_the_mentions_of_the_originals(document, replaced, context):
    done = replaced("x", "y", "z", "x", "y")
    joined = replace(done, document=replace(done.document, mentions=done.document.mentions[:1]))
    systems = {"edits": {"d1": done.edits}, "documents": [joined]}
    found = evaluate([document], systems, ["left", "inconsistent"], context=context).systems
    assert found["documents"] == found["edits"]
