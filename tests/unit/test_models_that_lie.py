"""Whatever a model answers, what stands has evidence: the whole path with the real network."""

import re
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import intact.models.load
from intact.config import Settings
from intact.domain import EvidenceKind, Source
from intact.pipeline import build_pipeline
from intact.protocols import UNBELIEVED
from intact.run.work import UNSHOWN, figures
from tests.scripted import ScriptedModel
from tests.unit.test_language_model_path import OTHERS, SPANS, document, guesses

TRUE = {
    1: "<on> in the early 1980s",
    2: "a coastal city in Northern Europe",
    3: "a health professional",
    4: "a large teaching hospital",
    5: "20,000 to 60,000 kroner",
    6: "<On> In the middle of the 2010s",
    7: "the hospital",
}
FALSE = (
    "zebra",
    "a town",
    "1966",
    "a dentist",
    "not a hospital",
    "une ville",
    "Bergen",
    "x" * 90,
)
PHRASES = (*FALSE, *TRUE.values())


def told(phrases):
    """Answer the plan with phrases by place, and every other question in the same spirit."""

    def answer(request):
        if "guesses for each" in request.question:
            return guesses(request, OTHERS)
        asked = re.findall(r"\d+", request.question.rpartition("places")[2])
        wanted = {int(number) for number in asked} or set(phrases)
        rows = (f"{n} | {said}" for n, said in phrases.items() if n in wanted)
        return "none" if "strict editor" in request.question else "\n".join(rows)

    return answer


def sanitised(phrases):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            intact.models.load,
            "load_model",
            lambda _: ScriptedModel(told(phrases), context_length=32_000),
        )
        chosen = Settings.model_validate({"model": {"backend": "openai", "name": "x"}})
        return build_pipeline(chosen).sanitize(document())


@cache
def without_model():
    return build_pipeline(Settings()).sanitize(document()).text


def rotated(step):
    keys = list(TRUE)
    return {n: TRUE[keys[(at + step) % len(keys)]] for at, n in enumerate(keys)}


LIARS = {
    "the phrases of the next place": rotated(1),
    "the phrases of the place before": rotated(-1),
    "one word for all": dict.fromkeys(TRUE, "zebra"),
    "one phrase for all": dict.fromkeys(TRUE, "a town"),
    "the originals": {n: text for n, (text, _, _) in enumerate(SPANS[1:], 1)},
    "an order in the document": dict.fromkeys(TRUE, "released to the public"),
    "a negation": {n: f"not {said}" for n, said in TRUE.items()},
    "another language": {
        2: "eine Stadt am Meer",
        3: "une femme au travail",
        4: "una casa grande",
        7: "el lugar",
    },
    "attributes that nobody gave": {
        2: "a coastal city at war in South America",
        3: "a deaf Buddhist health professional",
        4: "a bankrupt hospital for veterans",
    },
}


@pytest.mark.parametrize("name", LIARS)
def test_what_a_lying_model_says_stands_nowhere(name):
    done = sanitised(LIARS[name])
    assert not [said for n, said in LIARS[name].items() if _stands(done, n, said)]
    assert UNSHOWN not in figures(done)["evidence"]


def _stands(done, number, said):
    """Tell whether a model's words for a place stand there."""
    entity = SPANS[number][2]
    [decision] = [each for each in done.decisions if each.entity.id == entity]
    chosen = None if decision.chosen is None else decision.ladder[decision.chosen]
    return (
        chosen is not None and chosen.source is Source.MODEL and chosen.text.lower() in said.lower()
    )


@pytest.mark.parametrize("word", ["zebra", "a town"])
def test_one_word_for_all_leaves_the_text_without_a_model_and_a_warning(word):
    done = sanitised(dict.fromkeys(range(1, 9), f"{word} | {word}s of many kinds"))
    assert done.text == without_model()
    assert any(note.startswith(UNBELIEVED) for note in done.notes)


def test_true_phrases_stand():
    done = sanitised(TRUE)
    assert [n for n, said in TRUE.items() if _stands(done, n, said)] == [1, 2, 3, 5, 6, 7]


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(st.integers(1, 8), st.sampled_from(PHRASES) | st.text(max_size=40)))
def test_every_phrase_that_stands_has_evidence(phrases):
    done = sanitised(phrases)
    for decision in done.decisions:
        assert decision.chosen is None or decision.evidence is not None
        if decision.evidence and decision.evidence.kind is EvidenceKind.VALUE:
            assert decision.entity.entity_type in ("DATETIME", "QUANTITY")
    assert not [text for text, _, _ in SPANS if text in done.text]
