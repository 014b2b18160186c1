import pytest

from intact.config import AttackSettings, load_prompts
from intact.domain import Challenge, PlacedReplacement, Span
from intact.errors import ModelError
from intact.protocols import CompletionRequest
from intact.verification.model_attacker import LlmAttacker
from tests.scripted import ScriptedModel

PROMPTS = load_prompts()
TEXT = "He lived in a town near a lake in the 1990s."
PLACES = (
    PlacedReplacement(Span(12, 18), 0),
    PlacedReplacement(Span(24, 30), 1),
    PlacedReplacement(Span(34, 43), 2),
)
TYPES = ("LOC", "LOC", "DATETIME")


def challenges():
    return [
        Challenge(TEXT, place.span, kind, PLACES) for place, kind in zip(PLACES, TYPES, strict=True)
    ]


def attacker(model):
    settings = AttackSettings(guesses=3, max_risk=0.5)
    return LlmAttacker(model, PROMPTS, settings)


def test_all_questions_share_one_prefix_and_dates_are_asked_for_dates() -> None:
    model = ScriptedModel(lambda _: "Ankara\nIzmir\nBursa")
    answers = attacker(model).attack(challenges())
    assert len({request.prefix for request in model.requests}) == 1
    assert ["date" in request.question for request in model.requests] == [False, False, True]
    assert all(request.lines == 3 for request in model.requests)
    assert [guess.text for guess in answers[0].guesses] == ["Ankara", "Izmir", "Bursa"]
    assert answers[0].belief and answers[0].parsed and not answers[0].uniform


@pytest.mark.parametrize(
    ("standing", "asked"),
    [
        ("May 1996", "each a full date:"),
        ("in 1996", "each a full date:"),
        ("the same day", "each a full date:"),
        ("the 2000s", "just a year"),
        ("the early 2000s", "just a year"),
        ("November", "each a day and month"),
        ("a Friday", "each a day of the week"),
        ("over-60", "each an age"),
        ("at the age of 50 to 60", "each an age"),
        ("many minutes", "each a length of time"),
        ("some time between 9 p.m. and midnight", "each a time of day"),
        ("a certain date", "worded as the original"),
        ("DATETIME_3", "worded as the original"),
    ],
)
def test_a_question_about_time_asks_for_the_shape_that_stands_there(
    standing: str, asked: str
) -> None:
    model = ScriptedModel(lambda _: "a\nb\nc")
    place = PlacedReplacement(Span(3, 3 + len(standing)), 0)
    attacker(model).attack([Challenge(f"It {standing} ended.", place.span, "DATETIME", (place,))])
    assert asked in model.requests[0].question


def test_the_original_is_not_in_any_prompt() -> None:
    model = ScriptedModel(lambda _: "a\nb\nc")
    attacker(model).attack(challenges())
    assert not any("Diyarbakır" in r.prefix + r.question for r in model.requests)


def test_seeds_belong_to_the_question_not_to_its_place_in_the_batch() -> None:
    model = ScriptedModel(lambda _: "a\nb\nc")
    machine = attacker(model)
    machine.attack(challenges())
    machine.attack(challenges()[2:])
    assert model.requests[3] == model.requests[2]
    assert len({request.seed for request in model.requests}) == 3


def test_an_unreadable_answer_is_asked_again_differently_then_unsafe() -> None:
    answers = iter(["I cannot", "a\nb\nc", "a\nb\nc", "I really cannot"])
    model = ScriptedModel(lambda _: next(answers))
    machine = attacker(model)
    first, second, third = machine.attack(challenges())
    assert not first.parsed and first.guesses == ()
    assert second.parsed and third.parsed
    assert machine.unparsed == 1
    retry, original = model.requests[3], model.requests[0]
    assert isinstance(retry, CompletionRequest) and isinstance(original, CompletionRequest)
    assert retry.question == original.question
    assert retry.seed != original.seed and retry.temperature > original.temperature


def test_doubled_guesses_are_one() -> None:
    [answer, *_] = attacker(ScriptedModel(lambda _: "Ankara\nankara\nIzmir")).attack(challenges())
    assert [(guess.text, guess.rank) for guess in answer.guesses] == [("Ankara", 0), ("Izmir", 1)]


def test_a_server_is_asked_about_a_whole_round_at_once_and_again_for_what_is_missing() -> None:
    def answer(request: CompletionRequest) -> str:
        if request.parts:
            return "[1]\nAnkara\nIzmir\nBursa\n[3]\n3 May 1991\n4 May 1992\n5 May 1993"
        return "Rize\nAdana\nVan"

    model = ScriptedModel(answer)
    settings = AttackSettings(guesses=3)
    machine = LlmAttacker(model, PROMPTS, settings, together=12)
    answers = machine.attack(challenges())
    assert [len(answer.guesses) for answer in answers] == [3, 3, 3]
    assert len(model.requests) == 2 and machine.unparsed == 0
    assert "[2]" in model.requests[1].question


def test_a_question_repeats_what_readers_see_article_included() -> None:
    model = ScriptedModel(lambda _: "a\nb\nc")
    place = PlacedReplacement(Span(3, 8), 0)
    for article in ("a", "the"):
        text = f"By {article} town it lay."
        span = Span(4 + len(article), 8 + len(article))
        place = PlacedReplacement(span, 0)
        attacker(model).attack([Challenge(text, span, "LOC", (place,))])
    first, second = model.requests
    assert '[1] ("a town"):' in first.question and '[1] ("the town"):' in second.question
    assert "By [1] it lay." in first.prefix
    assert first.prefix.partition("What readers")[0] == second.prefix.partition("What readers")[0]


def test_nothing_to_attack_is_nothing_to_ask() -> None:
    assert attacker(ScriptedModel()).attack([]) == []


def test_a_model_that_fails_is_heard() -> None:
    with pytest.raises(ModelError):
        attacker(ScriptedModel(lambda _: "a\nb\nc", crash_at=1)).attack(challenges())
