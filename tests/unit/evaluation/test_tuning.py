import tomllib

import pytest

from intact.cli.evaluate import Tried, configuration, front, pick
from intact.config import Settings, load_settings
from intact.domain import Score


def tried(tps, inference):
    scores = (Score("x", value, 2, "") for value in (tps, inference, 0.0))
    return Tried(f"{tps} {inference}", *scores)


def test_front():
    best, worse, safe, same = tried(0.9, 0.4), tried(0.8, 0.4), tried(0.7, 0.1), tried(0.7, 0.1)
    assert front([worse, safe, best, same]) == [best, safe]


def test_the_chosen_point_meets_its_target_or_is_the_nearest():
    points = [tried(0.9, 0.4), tried(0.85, 0.3), tried(0.7, 0.1)]
    assert pick(points, "tps", 0.8) == points[1]
    assert pick(points, "risk", 0.35) == points[1]
    assert pick(points, "tps", 0.8).misses("tps", 0.8) == 0
    assert pick(points, "risk", 0.35).misses("risk", 0.35) == 0
    points = [tried(0.9, 0.4), tried(0.85, 0.3), tried(0.7, 0.1)]
    assert pick(points, "tps", 0.95) == points[0]
    assert points[0].misses("tps", 0.95) == pytest.approx(0.05)
    assert pick(points, "risk", 0.05) == points[2]
    assert points[2].misses("risk", 0.05) == pytest.approx(0.05)


def test_a_configuration_is_complete(tmp_path):
    """Its value is written even where it is the default's: the file alone gives the same run."""
    settings = load_settings(None, ["attack.max_risk=0.2", "selection.start_rank_per_type.LOC=1"])
    text = configuration(tried(0.8, 0.1), settings)
    assert tomllib.loads(text)["selection"].keys() >= {"start_rank"}
    file = tmp_path / "point.toml"
    file.write_text(text)
    assert load_settings(file) == settings
    file.write_text(configuration(tried(0.8, 0.1), Settings()))
    assert load_settings(file) == Settings()
