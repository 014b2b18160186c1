from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from intact.errors import FormatError, InputError, ResourceError
from intact.reidentification import building, linear
from intact.reidentification.boolean import BooleanAttacker
from intact.reidentification.building import Individual, build
from intact.reidentification.features import Featurizer, tokens
from intact.reidentification.index import Population
from intact.reidentification.linear import SCHEMES, LinearAttacker
from intact.reidentification.opening import open_population, owners
from intact.reidentification.ranking import (
    probabilities,
    rank_of,
    ranking,
    reidentifiers,
    together,
)
from intact.reidentification.sources import read_people
from intact.reidentification.variance import Variance

PEOPLE = {
    "baker": "A baker from Gloam sells rye bread and seeded rolls on Thursdays.",
    "smith": "A smith from Gloam mends ploughs and shoes horses near the mill.",
    "diver": "A diver photographs wrecks off the coast and sells prints.",
    "judge": "A judge plays the bassoon and collects antique barometers.",
}


def population(folder: Path, people: dict[str, str] = PEOPLE, **options: object) -> Population:
    made = (Individual(name, text) for name, text in people.items())
    return build(made, folder / "pop", **options)  # type: ignore[arg-type]


def test_every_attacker_finds_the_author_of_a_quotation(tmp_path: Path) -> None:
    found = population(tmp_path)
    for attacker in reidentifiers(found, [*SCHEMES, "boolean"]):
        scores = next(iter(attacker.scores(["She collects antique barometers, says the judge."])))
        assert rank_of(scores, 3) == 0, attacker.name
        best = ranking(scores, 2)
        assert found.name(best.individuals[0]) == "judge"
        assert sum(best.probabilities) <= 1 + 1e-9


def test_names_and_numbers(tmp_path: Path) -> None:
    found = population(tmp_path)
    assert [found.name(number) for number in range(4)] == list(PEOPLE)
    assert [found.number(name) for name in PEOPLE] == [0, 1, 2, 3]
    assert found.number("nobody") is None


def test_chunks_and_ranges_make_the_same_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = population(tmp_path / "one")
    monkeypatch.setattr(building, "CHUNK", 1)
    monkeypatch.setattr(building, "RANGE", 7)
    two = population(tmp_path / "two")
    for file in sorted(one.folder.iterdir()):
        assert file.read_bytes() == (two.folder / file.name).read_bytes(), file.name


def test_large_populations_leave_out_what_they_cannot_afford(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "CHUNK", 2)
    monkeypatch.setattr(building, "GRAMS_UP_TO", 2)
    found = population(tmp_path)
    assert "gram" not in found.spaces
    assert not list(found.folder.glob("gram*"))
    with pytest.raises(ResourceError, match="without gram"):
        found.space("gram")


def test_scores_do_not_change_when_computed_by_difference(tmp_path: Path) -> None:
    found = population(tmp_path)
    maker = Featurizer()
    words = maker.ids(tokens(PEOPLE["smith"]))
    for scheme in SCHEMES.values():
        attacker = LinearAttacker(found, scheme)
        for space, placed in maker.of(words, scheme.spaces).items():
            features = np.unique(placed.features)
            counts = np.ones(len(features), dtype=np.int64)
            once, never = np.zeros(found.size), np.zeros(found.size)
            attacker.weigh(space, features, attacker.amounts(counts), once)
            attacker.weigh(space, features, attacker.amounts(counts * 0), never)
            assert once[1] > 0
            assert np.all(never == 0)
            columns = attacker.columns(space, features, np.arange(4, dtype=np.int32))
            assert np.allclose(columns.sum(axis=0), once, atol=1e-5)
            some = attacker.columns(space, features, np.array([-1, 1, -1, 0], dtype=np.int32))
            assert np.allclose(some, columns[:, [3, 1]])


def test_scores_do_not_depend_on_how_many_postings_are_weighed_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = population(tmp_path)
    every = list(PEOPLE.values())
    for name in SCHEMES:
        (whole,) = (list(each.scores(every)) for each in reidentifiers(found, [name]))
        for block in (1, 3):
            monkeypatch.setattr(linear, "BLOCK", block)
            (parts,) = (list(each.scores(every)) for each in reidentifiers(found, [name]))
            assert np.allclose(whole, parts), name
        monkeypatch.undo()


def test_ties_are_shared() -> None:
    assert rank_of(np.array([1.0, 1.0, 0.5]), 0) == 1
    assert rank_of(np.zeros(5), 2) == 4
    assert np.allclose(probabilities(np.zeros(4)), 0.25)
    assert together([np.array([1.0, 0.0]), np.array([0.0, 1.0])]).tolist() == pytest.approx(
        [0.88079708, 0.88079708]
    )


def test_boolean_crowd_is_who_shares_all_terms(tmp_path: Path) -> None:
    attacker = BooleanAttacker(population(tmp_path))
    assert attacker.crowds("Somebody from Gloam", [0, 1]) == [2, 2]
    assert attacker.crowds("A baker from Gloam", [0, 1, 2]) == [1, 2, 0]
    assert attacker.crowds("", [0]) == [0]


def test_sources(tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "ann.txt").write_text("Ann paints.")
    (tmp_path / "texts.json").write_text(json.dumps({"ann": "Ann paints."}))
    (tmp_path / "texts.jsonl").write_text('{"id": "ann", "text": "Ann paints."}\n\n')
    for name in ("texts", "texts.json", "texts.jsonl"):
        assert list(read_people(tmp_path / name)) == [Individual("ann", "Ann paints.")]


def test_profiles_and_records_with_variance(tmp_path: Path) -> None:
    record = {
        "id": "Q1",
        "labels": "Ann Mary Poe",
        "descriptions": "painter",
        "claims": {"P569": ["1970-03-02"], "citizenship": "Hellenic Republic"},
    }
    (tmp_path / "records.jsonl").write_text(json.dumps(record) + "\n")
    (person,) = read_people(tmp_path / "records.jsonl", Variance())
    lines = person.text.split("\n")
    assert person.name == "Q1"
    for value in ("painter", "2 March 1970", "March 2, 1970", "March 1970", "1970", "Ann", "Poe"):
        assert value in lines
    assert {"Ann Poe", "Greece", "Hellenic Republic"} <= set(lines)
    assert list(Variance()("1970-00-00")) == ["1970"]
    assert "30 February 1970" not in list(Variance()("1970-02-30"))


@pytest.mark.parametrize(
    ("name", "content", "error", "message"),
    [
        ("a.json", '{"ann": "x", "ann": "y"}', InputError, "ann is there twice"),
        ("a.jsonl", '{"id": "a", "text": "x"}\n{"id": "a", "text": "y"}', InputError, "twice"),
        ("a.json", '{"ann": "  "}', InputError, "nothing is known of the individual ann"),
        ("a.json", '{"ann": {}}', InputError, "nothing is known"),
        ("a.json", '{"ann": "..."}', InputError, "nothing is known"),
        ("a.json", "{}", InputError, "population is empty"),
        ("a.json", '{"ann": 7}', FormatError, "neither text nor profile"),
        ("a.json", "7", FormatError, "no population"),
        ("a.json", "{", FormatError, "not valid JSON"),
        ("a.jsonl", '{"text": "x"}', FormatError, "no name"),
        ("a.jsonl", '["x"]', FormatError, "no record"),
    ],
)
def test_bad_sources(
    tmp_path: Path, name: str, content: str, error: type[Exception], message: str
) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(error, match=message):
        build(read_people(tmp_path / name), tmp_path / "pop")
    assert not (tmp_path / "pop").exists()
    assert not list(tmp_path.glob(".pop*"))


def test_what_is_no_population_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "pop").mkdir()
    (tmp_path / "pop" / "mine").write_text("x")
    with pytest.raises(ResourceError, match="is no population"):
        population(tmp_path)
    assert (tmp_path / "pop" / "mine").read_text() == "x"


def test_opening(tmp_path: Path) -> None:
    (tmp_path / "texts.json").write_text(json.dumps(PEOPLE))
    assert open_population(tmp_path / "texts.json").size == 4
    with pytest.raises(ResourceError, match="no population"):
        open_population(tmp_path / "nowhere")
    assert owners("")("d1") == "d1"
    assert owners("Ann Poe")("d1") == "Ann Poe"
    (tmp_path / "map.json").write_text('{"d1": "ann"}')
    assert owners(str(tmp_path / "map.json"))("d1") == "ann"
    assert owners(str(tmp_path / "map.json"))("d2") == "d2"
