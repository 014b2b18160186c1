"""The control attack: what is guessed at the label as well is told by the context."""

import math

import pytest

from intact.config import Settings
from intact.domain import Answer, Candidate, Document, Guess, Mention, Outcome, Span
from intact.formats.outcome import candidates, outcomes
from intact.planning.ladder import labels
from intact.protocols import Attacker
from intact.verification.matching import Matching
from intact.verification.rounds import RoundsSelector
from tests.marked import rewriter_for

TEXT = "She worked in Bergen for the choir of Norway."
MENTIONS = (
    Mention("1", Span(14, 20), "Bergen", "town", "LOC"),
    Mention("2", Span(38, 44), "Norway", "land", "LOC"),
)
LADDERS = {
    "town": tuple(
        Candidate(text, rank, "knowledge")
        for rank, text in enumerate(("a western port", "a port", "a town"))
    ),
    "land": (Candidate("a Nordic country", 0, "knowledge"), Candidate("a country", 1, "knowledge")),
}


class Knowing(Attacker):
    """Finds Bergen at the given rank and probability, by what stands there; asked is recorded."""

    name = "knowing"
    reads_wordings = True

    def __init__(self, found):
        self.found = found
        self.asked: list[str] = []

    def attack(self, challenges):
        self.asked += [challenge.replacement for challenge in challenges]
        return [self.answer(challenge) for challenge in challenges]

    def answer(self, challenge):
        rank, share = self.found.get(challenge.replacement, (5, None))
        texts = ["Voss", "Molde", "Narvik", "Skien", "Halden"]
        texts.insert(rank, "Bergen")
        logprob = None if share is None else math.log(share)
        guesses = [
            Guess(text, at, logprob if text == "Bergen" else None) for at, text in enumerate(texts)
        ]
        return Answer(tuple(guesses[:5]))


def select(attacker):
    selector = RoundsSelector([attacker], Matching(), labels, Settings())
    return selector.select(rewriter_for(Document("d", TEXT, MENTIONS)), LADDERS)


def test_what_is_guessed_at_its_label_keeps_its_most_specific_rung():
    attacker = Knowing({"a western port": (1, None), "LOC_1": (1, None)})
    result = select(attacker)
    town = result.decisions[0]
    assert town.text == "a western port"
    assert [attack.outcome for attack in town.attacks] == [Outcome.CONTEXT]
    assert town.attacks[0].rule == "exact"
    assert [(a.candidate.text, a.outcome) for a in town.controls] == [("LOC_1", Outcome.GUESSED)]
    assert attacker.asked == ["a western port", "a Nordic country", "LOC_1", "LOC_2"]
    assert outcomes(result) == {"1": "CONTEXT", "2": "SAFE"}
    assert candidates(town)[-1]["control"][0]["outcome"] == "GUESSED"


@pytest.mark.parametrize(
    ("at_rung", "at_label", "text"),
    [(0.5, 0.45, "a western port"), (0.5, 0.3, "a port"), (0.2, 0.9, "a western port")],
)
def test_probabilities_decide_where_there_are_any(at_rung, at_label, text):
    attacker = Knowing({"a western port": (0, at_rung), "LOC_1": (3, at_label)})
    assert select(attacker).decisions[0].text == text


def test_what_is_not_guessed_at_its_label_or_by_who_cannot_read_it_steps_up():
    attacker = Knowing({"a western port": (0, None), "a port": (4, None)})
    town = select(attacker).decisions[0]
    assert town.text == "a town"
    assert [attack.outcome for attack in town.controls] == [Outcome.SAFE]
    attacker = Knowing({"a western port": (0, None), "LOC_1": (0, None)})
    attacker.reads_wordings = False
    assert select(attacker).decisions[0].text == "a port"
    assert "LOC_1" not in attacker.asked


def test_words_that_say_what_the_label_says_are_no_worse_than_it():
    for text, stands in (("a certain place", "a certain place"), ("a spot", "LOC_1")):
        ladders = {**LADDERS, "town": (Candidate(text, 0, "knowledge"),)}
        attacker = Knowing({text: (0, None)})
        selector = RoundsSelector([attacker], Matching(), labels, Settings())
        town = selector.select(rewriter_for(Document("d", TEXT, MENTIONS)), ladders).decisions[0]
        assert town.text == stands
        assert town.controls[0].outcome is (Outcome.GUESSED if stands == text else Outcome.SAFE)


def test_past_the_last_rung_the_least_told_stands_where_the_label_is_guessed_too():
    told = {"a western port": (0, 0.9), "a port": (3, 0.6), "a town": (1, 0.8), "LOC_1": (4, 0.46)}
    town = select(Knowing(told)).decisions[0]
    assert town.text == "a port"
    assert [attack.outcome for attack in town.attacks] == [Outcome.GUESSED] * 3 + [Outcome.CONTEXT]
    hidden = {**told, "LOC_1": (5, None)}
    assert select(Knowing(hidden)).decisions[0].text == "LOC_1"


def test_an_unreadable_control_excuses_nothing():
    class Mute(Knowing):
        def answer(self, challenge):
            if challenge.replacement.startswith("LOC"):
                return Answer((Guess("N/A", 0),))
            return super().answer(challenge)

    town = select(Mute({"a western port": (0, None)})).decisions[0]
    assert town.text == "a port"
    assert [attack.outcome for attack in town.controls] == [Outcome.UNPARSED]


def test_at_its_label_nothing_is_left_out_where_an_attacker_is_asked():
    attacker = Knowing({"a western port": (0, None), "LOC_1": (0, None)})
    mention = Mention("m", Span(11, 17), "Bergen", "town", "LOC")
    selector = RoundsSelector([attacker], Matching(), labels, Settings())
    document = Document("d", "Bo sang at Bergen.", (mention,))
    done = selector.select(rewriter_for(document), LADDERS).decisions[0]
    assert done.text == "a western port" and "LOC_1" in attacker.asked
