"""Findings in raw texts of many fields, countries and registers.

The texts are made up. Misses were read and mended on the first half only. The other half is no
clean test: its author wrote the rules and used some of its phrases as examples. The floors lie a
little under what was measured; since finds are scored again in their sentences more is found, and
more of it unmarked ("lost the baby"): recall's rose by .01 to .05, precision's fell by .015. The
fresh texts are by somebody who had not read the rules; two of their misses (particles of names, a
form of licence numbers) were mended after they were measured.
"""

from pathlib import Path

import pytest

from intact.config import load_settings
from intact.evaluation.detection import measured
from intact.formats.jsonl import TabFormat
from intact.pipeline import Components, build_detector

FOLDER = Path(__file__).resolve().parent.parent / "golden" / "raw_texts"
FLOORS = {
    "dev": {"recall/mentions/DIRECT": 0.98, "recall/mentions/QUASI": 0.96, "precision": 0.925},
    "fresh": {"recall/mentions/DIRECT": 0.97, "recall/mentions/QUASI": 0.94, "precision": 0.915},
    "held_out": {"recall/mentions/DIRECT": 0.96, "recall/mentions/QUASI": 0.87, "precision": 0.915},
}


def documents(name):
    kind = TabFormat()
    with (FOLDER / f"{name}.json").open("rb") as handle:
        return [kind.load(record, "first").document for record in kind.records(handle, name)]


@pytest.mark.parametrize("name", sorted(FLOORS))
def test_floors(name):
    scores, _ = measured(build_detector(Components(load_settings())), documents(name), {})
    low = {
        what: round(scores[what].value, 3)
        for what, floor in FLOORS[name].items()
        if scores[what].value < floor
    }
    assert not low
