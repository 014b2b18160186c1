"""The probe of ``intact models check``: what it calls fit."""

import re
from dataclasses import replace

import pytest

from intact.config import Settings
from intact.models.prompts import load_prompts
from intact.pipeline import Components, model_planner
from intact.planning.model.probe import _TABLE, PLACES, is_fit, probe_model
from tests.scripted import ScriptedModel

WRITTEN = (
    "a city by the Mediterranean", "in the years after the war", "a health professional",
    "some years later", "a large city abroad", "a hospital", "a chronic illness", "tradesman",
    "a sum of money", "an instrument",
)  # fmt: skip
PROVE = Components(Settings()).evidence.prove


def answering(says):
    """Return a planner whose model says of each of the ten places what ``says`` gives."""

    def answer(request):
        marks = dict(re.findall(r"⟦(\d+)\|[A-Z]+\|([^⟧]+)⟧", request.prefix + request.question))
        index = {row["words"]: n for n, row in enumerate(_TABLE["place"])}
        return "\n".join(f"{n} | {says(index[marks[str(n)]])}" for n in request.places)

    return model_planner(Components(Settings()), ScriptedModel(answer), load_prompts())


def test_a_strong_writer_is_fit():
    came = probe_model(answering(WRITTEN.__getitem__), PROVE)
    assert is_fit(came), came
    assert came["read"] == PLACES and came["shown"] >= 7 and not came["copied"] + came["decoys"]


@pytest.mark.parametrize(
    ("says", "counted"),
    [
        (lambda n: _TABLE["place"][n]["decoy"], "decoys"),
        (lambda n: _TABLE["place"][n]["words"], "copied"),
        (lambda n: "a place", "copied"),
    ],
)
def test_a_model_that_copies_or_believes_is_not(says, counted):
    came = probe_model(answering(says), PROVE)
    assert came[counted] >= 9 and not came["shown"] and not is_fit(came)


def test_a_model_most_of_whose_phrases_fall_is_not_fit():
    planner = answering(WRITTEN.__getitem__)
    came = probe_model(planner, lambda _, plan: replace(plan, ladders={}))
    assert came["true"] == PLACES and not is_fit(came)
