"""A trial run: the real model for 20 seconds, the rest reckoned."""

import pytest

from intact.config import ModelSettings
from intact.errors import ConfigError
from intact.models import trial
from intact.models.reading import by_number, read_rows
from intact.models.trial import SAMPLE, TrialModel
from intact.protocols import Completion, CompletionRequest
from tests.scripted import ScriptedModel

READING, WRITING = 1 / 40, 1 / 20  # seconds for a token


class Machine(ScriptedModel):
    """A model that reads and writes at a known speed; prefixes are not kept."""

    now = 0.0

    def complete(self, requests):
        """Let time pass."""
        before = self.read
        done = [
            Completion(
                "1 | so" if one.places else "so",
                prompt_tokens=self.count([one.prefix + one.question])[0] + trial._FRAME,
                answer_tokens=self.length(one),
            )
            for one in requests
        ]
        self.read += sum(each.prompt_tokens for each in done)
        self.written += sum(each.answer_tokens for each in done)
        took = sum(each.answer_tokens for each in done)
        self.now += READING * (self.read - before) + WRITING * took
        return done

    def length(self, request):
        """Return half of what may be written about places, and all of what is free."""
        return request.max_tokens // (2 if request.places else 1)


@pytest.fixture
def machine(monkeypatch):
    own = Machine()
    monkeypatch.setattr(trial, "load_model", lambda _: own)
    return own


def tried(machine, **more):
    real = ModelSettings(name="x", url="http://127.0.0.1/v1", **more).model_dump(mode="json")
    settings = ModelSettings(url="http://127.0.0.1/v1", extra={"real": real})
    return TrialModel(settings, lambda: machine.now)


def questions(count, places=(1,), most=20, words=40):
    return [CompletionRequest(f"{n} Some words. " * words, "?", places, most) for n in range(count)]


@pytest.mark.parametrize(("count", "most", "words"), [(3, 20, 5), (60, 20, 5), (4, 400, 800)])
def test_seconds_are_measured_first_and_reckoned_then(machine, count, most, words):
    asked = questions(count, most=most, words=words)
    model = tried(machine)
    for one in asked:
        model.complete([one])
    sampled, expected = machine.now, Machine()
    expected.complete(asked)
    assert sampled <= SAMPLE + 4.0  # a measurement begun is ended
    assert sampled + model.reckoned == pytest.approx(expected.now, rel=0.15)
    assert model.read == pytest.approx(expected.read, rel=0.1)
    assert model.written == pytest.approx(expected.written, rel=0.15)


def test_answers_are_real_ones_and_then_imitated(machine):
    done = tried(machine).complete(questions(60, words=5))
    said = [by_number(read_rows(one.text), frozenset((1,)))[1] for one in done]
    assert said[0] == ("so",) and said[-1] == ("-",)


def test_a_model_that_is_not_there_is_imitated_without_seconds(monkeypatch, caplog):
    def missing(_):
        raise ConfigError("not in the cache")

    monkeypatch.setattr(trial, "load_model", missing)
    model = tried(Machine())
    assert len(model.complete(questions(3))) == 3
    assert model.reckoned == 0.0 and "not in the cache" in caplog.text


PLAN = "⟦1|LOC|Bergen⟧ where she met ⟦2|DEM|a nurse⟧ who came from ⟦3|LOC|Oslo⟧"
ATTACK = "⟦1: a city⟧ where she met ⟦2: someone⟧ who came from ⟦3: a capital⟧"


def imitated(plan, attack):
    """Ask a model that is not there about a plan and an attack, a hundred places each."""
    model = TrialModel(ModelSettings(backend="dry-run"))
    lines = {"rules": 0, "stock": 0, "hit": 0, "missing": 0}
    for number in range(100):
        told = f"{number} days ago"
        for text in (PLAN, ATTACK):
            own = told + text.replace("where", told).replace("came", f"came {number}")
            model._samples[own[:60], True] = plan if text is PLAN else attack
            [done] = model.complete([CompletionRequest(own, "?", (1, 2, 3), 60)])
            said = by_number(read_rows(done.text), frozenset((1, 2, 3)))
            lines["missing"] += 3 - len(said)
            lines["rules"] += list(said.values()).count(("rules",))
            lines["stock"] += list(said.values()).count(("a hospital",))
            lines["hit"] += said.get(2) == ("a nurse",)
    return lines


def test_an_imitation_misses_repeats_and_hits_as_often_as_the_model_did():
    sound = trial._Sample(places=40, said=[str(n) for n in range(40)])
    poor = trial._Sample(places=80, said=["a hospital"] * 40)
    strong = trial._Sample(places=40, said=["x"] * 40, hits=40)
    lines = imitated(sound, strong)
    assert lines["rules"] == 300 and lines["missing"] == 0 and lines["hit"] > 85
    lines = imitated(poor, trial._Sample(places=40, said=["x"] * 40))
    assert lines["rules"] < 30 and lines["hit"] < 15 and 90 < lines["missing"] < 210
