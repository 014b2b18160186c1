"""An answer that names nothing never makes an entity safe."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from intact.config import AttackSettings, Settings
from intact.domain import (
    Answer,
    Candidate,
    Challenge,
    Document,
    Guess,
    Mention,
    Outcome,
    PlacedReplacement,
    Span,
)
from intact.english.guesses import names_nothing, with_real_guesses
from intact.models.prompts import load_prompts
from intact.planning.ladder import labels
from intact.protocols import Attacker
from intact.verification.matching import Matching
from intact.verification.model_attacker import LlmAttacker
from intact.verification.rounds import RoundsSelector
from tests.marked import rewriter_for
from tests.scripted import ScriptedModel

NOTHING = """\
Unknown; unknown person; Not specified; N/A; n.a.; None; none given; Cannot be determined; can't
say; Unable to tell; No information; No idea; Unclear; redacted; [REDACTED]; -----; —; ...; ???;
PERSON_1; [ORG_2]; LOC_1; XXXX; Revealing personal data is unethical.; This text concerns a real
person.; I cannot help with that; Sorry, no; a town; the lake; [17] Spain; Undisclosed; somewhere;
Guess 3; 12; Insufficient information; As an AI; withheld""".replace("\n", " ").split("; ")
"""Ways of answering nothing; "a town" and "a lake" are what stands in the text."""
TEXT = "She lived in a town by a lake."
PLACES = (PlacedReplacement(Span(13, 19), 0), PlacedReplacement(Span(23, 29), 1))
NAMES = ("Ankara", "Izmir", "Bursa", "Adana", "Mersin")


class Evasive(Attacker):
    """Answers with the given lines, whatever it is asked."""

    name = "evasive"

    def __init__(self, lines):
        self.answer = Answer(tuple(map(Guess, lines, range(len(lines)))))

    def attack(self, challenges):
        return [self.answer] * len(challenges)


def document():
    text = "She lived in Tromsø by Lake Ladoga."
    mentions = (
        Mention("1", Span(13, 19), "Tromsø", "t", "LOC"),
        Mention("2", Span(23, 34), "Lake Ladoga", "l", "LOC"),
    )
    ladders = {
        "t": (Candidate("a town", 0, "knowledge"), Candidate("a place", 1, "knowledge")),
        "l": (Candidate("a lake", 0, "knowledge"),),
    }
    return Document("d", text, mentions), ladders


def selected(attacker):
    selector = RoundsSelector([attacker], Matching(), labels, Settings())
    made, ladders = document()
    return selector.select(rewriter_for(made), ladders)


@settings(max_examples=200, deadline=None)
@given(lines=st.lists(st.sampled_from(NOTHING), min_size=1, max_size=7))
def test_who_answers_nothing_never_makes_anything_safe(lines):
    result = selected(Evasive(tuple(lines)))
    for decision in result.decisions:
        assert decision.chosen is None
        assert {attack.outcome for attack in decision.attacks} == {Outcome.UNPARSED}


def rows(cells):
    """Answer for every place that is asked about."""
    return ScriptedModel(
        lambda request: "\n".join(
            f"{number} | {cells}" for number in re.findall(r"\d+", request.question)[1:]
        )
    )


def test_answers_that_name_nothing_are_never_safe_and_wrong_guesses_are():
    machine = LlmAttacker(rows("N/A | unknown"), load_prompts(), AttackSettings())
    assert all(decision.chosen is None for decision in selected(machine).decisions)
    model = rows("// no idea")
    machine = LlmAttacker(model, load_prompts(), AttackSettings())
    [answer] = machine.attack([Challenge(TEXT, PLACES[0].span, "LOC", PLACES)])
    assert not answer.parsed
    machine = LlmAttacker(rows(" | ".join(NAMES[:2])), load_prompts(), AttackSettings())
    assert [decision.chosen for decision in selected(machine).decisions] == [0, 0]


def test_what_is_missing_is_asked_for_once_more():
    told = iter(["2 | Izmir", "1 | Bursa | Ankara // a word"])
    machine = LlmAttacker(
        ScriptedModel(lambda _: next(told)), load_prompts(), AttackSettings(guesses=3)
    )
    [answer] = machine.attack([Challenge(TEXT, PLACES[0].span, "LOC", PLACES)])
    assert [guess.text for guess in answer.guesses] == ["Bursa", "Ankara"]
    assert answer.note == "a word"


@pytest.mark.parametrize("window", [900, 1400, 4096])
@pytest.mark.parametrize("together", [0, 5])
def test_no_request_of_many_places_outgrows_the_context(window, together):
    text = "She knew a town. " * 60
    places = tuple(PlacedReplacement(Span(17 * n + 9, 17 * n + 15), n) for n in range(60))
    model = rows(" | ".join(NAMES))
    model.context_length = window
    machine = LlmAttacker(model, load_prompts(), AttackSettings(), together=together)
    asked = [Challenge(text, place.span, "LOC", places) for place in places]
    assert all(answer.parsed for answer in machine.attack(asked))
    for request in model.requests:
        prompt = sum(model.count([request.prefix, request.question]))
        assert prompt + request.max_tokens <= window


def test_a_right_guess_counts_under_its_own_number_and_among_too_few():
    attacker = Evasive(("Tromsø",))
    attacker.reads_wordings = False
    result = selected(attacker)
    assert result.decisions[0].attacks[0].outcome is Outcome.GUESSED
    challenge = Challenge(TEXT, PLACES[0].span, "LOC", PLACES)
    given_ = Answer((Guess("[1] Ankara", 0), Guess("[2] Izmir", 1), Guess("[1: a town]: Bursa", 2)))
    [answer] = with_real_guesses([given_], [challenge])
    assert [guess.text for guess in answer.guesses] == ["Ankara", "Bursa"]


@pytest.mark.parametrize("text", NOTHING[:27])
def test_nothing(text):
    assert names_nothing(text, "LOC")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Ankara", "LOC"),
        ("No. 10 Downing Street", "LOC"),
        ("Not the Nine O'Clock News", "MISC"),
        ("St. Mary's Hospital, Washington D.C.", "ORG"),
        ("Nobody's Fool", "MISC"),
        ("Iceland", "LOC"),
        ("T.", "PERSON"),
        ("three", "QUANTITY"),
    ],
)
def test_something(text, kind):
    assert not names_nothing(text, kind)
