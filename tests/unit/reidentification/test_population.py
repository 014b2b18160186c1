"""Populations: their sources, and what is kept of them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from intact.errors import FormatError, InputError, ResourceError
from intact.knowledge.base import KnowledgeBase
from intact.reidentification import population as populations
from intact.reidentification.population import Population, open_population, owners, signature
from intact.reidentification.ranking import LINEAR, combined, probabilities, ranking, reidentifiers
from intact.reidentification.sources import Individual, read_people, surface_variants

PEOPLE = {
    "baker": "A baker from Gloam sells rye bread and seeded rolls on Thursdays.",
    "smith": "A smith from Gloam mends ploughs and shoes horses near the mill.",
    "diver": "A diver photographs wrecks off the coast and sells prints.",
    "judge": "A judge plays the bassoon and collects antique barometers.",
}


def made(people: dict[str, str] = PEOPLE) -> Population:
    return Population.of(Individual(name, text) for name, text in people.items())


def test_every_attacker_finds_the_author_of_a_quotation() -> None:
    population = made()
    for attacker in reidentifiers(population, LINEAR):
        (scores,) = attacker.scores(["She collects antique barometers, says the judge."])
        best = ranking(scores, 2)
        assert population.names[best[0][0]] == "judge", attacker.name
        assert len(best) == 2
        assert sum(p for _, p in best) <= 1 + 1e-9


def test_names_and_numbers() -> None:
    population = made()
    assert population.names == list(PEOPLE)
    assert [population.number(name) for name in PEOPLE] == [0, 1, 2, 3]
    assert population.number("nobody") is None


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    population = made()
    population.save(tmp_path / "pop")
    found = Population.load(tmp_path / "pop")
    assert (found.names, found.texts) == (population.names, population.texts)
    assert found.digest == population.digest == signature(tmp_path / "pop")
    one, two = reidentifiers(population, LINEAR), reidentifiers(found, LINEAR)
    for attacker, again in zip(one, two, strict=True):
        assert np.array_equal(
            attacker.scores(list(PEOPLE.values())), again.scores(list(PEOPLE.values()))
        )


def test_only_the_owner_can_read_it(tmp_path: Path) -> None:
    made().save(tmp_path / "pop")
    assert (tmp_path / "pop").stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "pop").iterdir()} == {0o600}


def test_the_same_again(tmp_path: Path) -> None:
    for name in ("one", "two"):
        made().save(tmp_path / name)
    for file in sorted((tmp_path / "one").iterdir()):
        if file.suffix != ".npz":  # they tell the time
            assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes(), file.name


def test_large_populations_have_no_character_features(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "gram" in made().spaces
    monkeypatch.setattr(populations, "GRAMS_UP_TO", 2)
    assert "gram" not in made().spaces


def test_scores_of_several() -> None:
    assert np.allclose(probabilities(np.zeros(4)), 0.25)
    assert combined([np.array([1.0, 0.0]), np.array([0.0, 1.0])]).tolist() == pytest.approx(
        [0.88079708, 0.88079708]
    )


def test_sources(tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "ann.txt").write_text("Ann paints.")
    (tmp_path / "texts.json").write_text(json.dumps({"ann": "Ann paints."}))
    (tmp_path / "texts.jsonl").write_text('{"id": "ann", "text": "Ann paints."}\n\n')
    for name in ("texts", "texts.json", "texts.jsonl"):
        assert list(read_people(tmp_path / name)) == [Individual("ann", "Ann paints.")]


def test_profiles_and_records_with_variants(tmp_path: Path) -> None:
    record = {
        "id": "Q1",
        "labels": "Ann Mary Poe",
        "descriptions": "painter",
        "claims": {"P569": ["1970-03-02"], "citizenship": "Republic of Turkey"},
    }
    (tmp_path / "records.jsonl").write_text(json.dumps(record) + "\n")
    variants = surface_variants(KnowledgeBase.open())
    (person,) = read_people(tmp_path / "records.jsonl", variants)
    lines = person.text.split("\n")
    assert person.name == "Q1"
    for value in ("painter", "2 March 1970", "March 2, 1970", "March 1970", "1970", "Ann", "Poe"):
        assert value in lines
    assert {"Ann Poe", "turkish", "turkey", "Republic of Turkey"} <= set(lines)
    assert list(surface_variants()("1970-00-00")) == ["1970"]
    assert "30 February 1970" not in list(surface_variants()("1970-02-30"))


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
        Population.of(read_people(tmp_path / name))


def test_what_is_no_population_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "pop").mkdir()
    (tmp_path / "pop" / "mine").write_text("x")
    with pytest.raises(ResourceError, match="is no population"):
        made().save(tmp_path / "pop")
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
