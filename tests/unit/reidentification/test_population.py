"""Populations: their sources, and what is kept of them."""

import json

import numpy as np
import pytest

from intact.errors import FormatError, InputError, ResourceError
from intact.reidentification import population as populations
from intact.reidentification.attackers import (
    LINEAR,
    ranking,
    reidentifiers,
)
from intact.reidentification.population import (
    Population,
    open_population,
    owners,
    read_people,
    signature,
)

PEOPLE = {
    "baker": "A baker from Gloam sells rye bread and seeded rolls on Thursdays.",
    "smith": "A smith from Gloam mends ploughs and shoes horses near the mill.",
    "diver": "A diver photographs wrecks off the coast and sells prints.",
    "judge": "A judge plays the bassoon and collects antique barometers.",
}


def made(people=PEOPLE):
    return Population.of(people.items())


def test_large_populations_have_no_character_features_and_all_find_an_author(monkeypatch):
    population = made()
    for attacker in reidentifiers(population, LINEAR):
        (scores,) = attacker.scores(["She collects antique barometers, says the judge."])
        best = ranking(scores, 2)
        assert population.names[best[0][0]] == "judge", attacker.name
        assert len(best) == 2
        assert sum(p for _, p in best) <= 1 + 1e-9
    assert "gram" in made().spaces
    monkeypatch.setattr(populations, "GRAMS_UP_TO", 2)
    assert "gram" not in made().spaces


def test_what_is_saved_is_loaded(tmp_path):
    population = made()
    (tmp_path / "pop").write_bytes(population.to_bytes())
    found = Population.load(tmp_path / "pop")
    assert (found.names, found.texts) == (population.names, population.texts)
    assert found.digest == population.digest == signature(tmp_path / "pop")
    one, two = reidentifiers(population, LINEAR), reidentifiers(found, LINEAR)
    for attacker, again in zip(one, two, strict=True):
        assert np.array_equal(
            attacker.scores(list(PEOPLE.values())), again.scores(list(PEOPLE.values()))
        )


def test_sources(tmp_path):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "ann.txt").write_text("Ann paints.")
    (tmp_path / "texts.json").write_text(json.dumps({"ann": "Ann paints."}))
    (tmp_path / "texts.jsonl").write_text('{"id": "ann", "text": "Ann paints."}\n\n')
    for name in ("texts", "texts.json", "texts.jsonl"):
        assert list(read_people(tmp_path / name)) == [("ann", "Ann paints.")]


@pytest.mark.parametrize(
    ("name", "content", "error", "message"),
    [
        ("a.json", '{"ann": "x", "ann": "y"}', InputError, "its names 1 and 2"),
        ("a.jsonl", '{"id": "a", "text": "x"}\n{"id": "a", "text": "y"}', InputError, "twice"),
        ("a.json", '{"ann": "  "}', InputError, "nothing is known of the individual ann"),
        ("a.json", "{}", InputError, "population is empty"),
        ("a.json", '{"ann": 7}', FormatError, "no population"),
        ("a.json", "{", FormatError, "not valid JSON"),
        ("a.jsonl", '{"text": "x"}', InputError, "no id"),
        ("a.jsonl", '["x"]', InputError, "object"),
    ],
)
def test_bad_sources(tmp_path, name, content, error, message):
    (tmp_path / name).write_text(content)
    with pytest.raises(error, match=message):
        Population.of(read_people(tmp_path / name))


def test_opening(tmp_path):
    (tmp_path / "texts.json").write_text(json.dumps(PEOPLE))
    assert open_population(tmp_path / "texts.json").size == 4
    with pytest.raises(ResourceError, match="no population"):
        open_population(tmp_path / "nowhere")
    assert owners("")("d1") == "d1"
    assert owners("Ann Poe")("d1") == "Ann Poe"
    (tmp_path / "map.json").write_text('{"d1": "ann"}')
    assert owners(str(tmp_path / "map.json"))("d1") == "ann"
    assert owners(str(tmp_path / "map.json"))("d2") == "d2"
