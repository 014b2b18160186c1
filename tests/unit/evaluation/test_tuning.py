import math

import pytest

from intact.domain import Candidate, Decision, SanitizedDocument
from intact.evaluation.front import Point, front, pick
from intact.evaluation.information import FrequencyInformation
from intact.evaluation.terms import LightSplitter
from intact.evaluation.tps import preserved, weigh
from intact.evaluation.tuning import Sweep


def point(tps: float, inference: float, linkage: float = math.nan) -> Point:
    return Point(f"{tps} {inference} {linkage}", tps, inference, linkage, 0.0)


def test_front() -> None:
    best, worse, safe, same = point(0.9, 0.4), point(0.8, 0.4), point(0.7, 0.1), point(0.7, 0.1)
    assert front([worse, safe, best, same]) == [best, safe]


def test_linkage_counts() -> None:
    assert len(front([point(0.9, 0.4, 0.5), point(0.8, 0.4, 0.3)])) == 2


def test_pick() -> None:
    points = [point(0.9, 0.4), point(0.85, 0.3), point(0.7, 0.1)]
    assert pick(points, "tps", 0.8) == points[1]
    assert pick(points, "risk", 0.35) == points[1]
    assert pick(points, "tps", 0.95) is None
    assert pick(points, "risk", 0.05) is None
    assert pick(points, "linkage", 1.0) is None
    linked = [point(0.9, 0.4, 0.5), point(0.85, 0.4, 0.2), point(0.8, 0.1, 0.1)]
    assert pick(linked, "linkage", 0.2) == linked[1]


@pytest.fixture
def run(document, replaced) -> SanitizedDocument:
    ladders = {
        "e2": (Candidate("a big city", 0, "x"), Candidate("a place", 1, "x")),
        "e3": (Candidate("the 1810s", 0, "x"),),
    }
    decisions = tuple(
        Decision(entity, ladders.get(entity.id, ()), None, entity.entity_type)
        for entity in document.entities
    )
    return SanitizedDocument(document, (), (), decisions)


def test_a_point_is_what_evaluating_the_edits_would_say(run, replaced, encoder) -> None:
    splitter, information = LightSplitter(), FrequencyInformation()
    sweep = Sweep([run], encoder, splitter, information, {})
    found = sweep.point("all first", lambda decision: 0 if decision.ladder else None)
    edited = replaced("PERSON", "a big city", "the 1810s", "PERSON", "a big city")
    weighted = weigh(run.document, splitter, information)
    wanted = preserved([weighted], [edited.edits], encoder)[0].similarity
    assert found.tps == pytest.approx(wanted)
    assert found.labels == 0.0
    assert math.isnan(found.linkage)
    labels = sweep.point("labels", lambda decision: None)
    assert labels.labels == 1.0
    assert labels.tps < found.tps


def test_linkage_is_that_of_the_words(run, encoder) -> None:
    background = {"d1": "the city of the 1810s", "other": "apples and pears"}
    sweep = Sweep([run], encoder, LightSplitter(), FrequencyInformation(), background)
    taken = sweep.point("first", lambda decision: 0 if decision.ladder else None)
    assert taken.linkage == 1.0


def test_what_a_run_has_made_is_measured(run, replaced, encoder) -> None:
    background = {"d1": "the city of the 1810s", "other": "apples and pears"}
    splitter, information = LightSplitter(), FrequencyInformation()
    sweep = Sweep([run], encoder, splitter, information, background)
    edited = replaced("PERSON", "a big city", "the 1810s", "PERSON", "a big city")
    found = sweep.measured("run", [edited])
    weighted = weigh(run.document, splitter, information)
    assert found.measured
    assert found.tps == pytest.approx(preserved([weighted], [edited.edits], encoder)[0].similarity)
    assert found.linkage == 1.0
    estimate = sweep.point("run", lambda decision: 0 if decision.ladder else None)
    assert (found.inference, found.labels) == (estimate.inference, estimate.labels)
