"""What a language model infers and by which words: found, replaced, asked about again."""

import pytest

from intact.config import load_prompts, load_settings
from intact.context.clues import EvidenceFinder
from intact.domain import Challenge, Document, PlacedReplacement, Span
from intact.pipeline import Components, build_pipeline
from tests.scripted import ScriptedModel

TEXT = "Night shifts\non the ward 🩺 again. My 'adult' milestones, and Night shifts on the wards."
LIST = """Here is the list:
- occupation, nurse: "night shifts on the ward"
- occupation, nurse: "Night shifts on the ward"
- occupation, doctor: "🩺"
- age, about 30: “'adult' milestones”
- age, about 30: "not in the text"
"""


def finder(*answers: str) -> EvidenceFinder:
    return EvidenceFinder(ScriptedModel(answers), load_prompts(), ("age", "occupation"))


def test_evidence_stands_in_the_text_word_for_word() -> None:
    found = finder(LIST).find(TEXT)
    assert found is not None
    assert [(clue.span.of(TEXT), clue.gloss) for clue in found] == [
        ("Night shifts\non the ward", "occupation: nurse"),
        ("🩺", "occupation: doctor"),
        ("adult' milestones", "age: about 30"),
    ]


def test_none_is_an_answer_and_talk_is_not() -> None:
    assert finder("none").find(TEXT) == []
    assert finder("I cannot help with that.", "none").find(TEXT) == []
    assert finder("I cannot help with that.", "Sorry.").find(TEXT) is None


def test_a_phrase_that_still_tells_falls_and_an_unread_answer_is_not_safe() -> None:
    text = "Work at a clinic by the lake."
    places = (PlacedReplacement(Span(8, 16), 0), PlacedReplacement(Span(20, 28), 1))
    asked = [Challenge(text, place.span, "MISC", places) for place in places]
    told, safe = finder('- occupation, nurse: "a clinic"\n- home, Zug: "Work"').attack(asked)
    assert [guess.text for guess in told.guesses] == ["occupation: nurse"] and told.uniform
    assert safe.parsed and not safe.guesses
    assert not any(answer.parsed for answer in finder("Sorry.", "Sorry.").attack(asked))


@pytest.mark.parametrize("told_again", [False, True])
def test_protect_replaces_evidence_and_asks_again(
    monkeypatch: pytest.MonkeyPatch, told_again: bool
) -> None:
    def answer(request: object) -> str:
        if request.choices:  # type: ignore[attr-defined]
            chosen = request.choices[0]  # type: ignore[attr-defined]
            return "\n".join(f"{part}: {chosen}" for part in request.parts) or chosen  # type: ignore[attr-defined]
        prompt = request.prefix  # type: ignore[attr-defined]
        if "What can be worked out" not in prompt:
            return "work at odd hours\nwork"
        document = prompt.rpartition("<<<")[2]
        if "night shifts" in document:
            return '- occupation, nurse: "night shifts"\n- age, 30: "grown-ups"'
        return '- occupation, nurse: "odd hours"\n- age, 1: "x"' if told_again else "none"

    monkeypatch.setattr(Components, "model_named", lambda *_: ScriptedModel(answer))
    settings = load_settings(
        None,
        [
            "context.protect=true",
            'context.attributes=["occupation"]',
            'attack.attackers=["knowledge","evidence"]',
            "model.name=scripted",
        ],
    )
    done = build_pipeline(settings).sanitize(Document("d", "She is on night shifts again.", ()))
    assert done.text == f"She is on work{'' if told_again else ' at odd hours'} again."
