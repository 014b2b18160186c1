"""context.protect: clues become mentions, attacked and recorded like others."""

import json

import pytest

from intact.config import load_settings
from intact.domain import Document
from intact.formats.outcome import decided
from intact.pipeline import build_pipeline

TEXT = (
    "He was tried under section 7(2) of Law no. 3713 and section 12 of Law no. 3713. "
    "The village court (domstolloven) refused, and so did the Supreme Administrative Court."
)


def sanitized(*, protect, text=TEXT):
    settings = load_settings(None, [f"context.protect={str(protect).lower()}"])
    pipeline = build_pipeline(settings)
    return pipeline.sanitize(Document("d", text, ()))


def test_each_clue_gets_a_true_phrase_and_is_in_the_record():
    done = sanitized(protect=True)
    assert "a legal provision and a second legal provision" in done.text
    assert "(a term in another language)" in done.text
    for words in ("3713", "domstolloven", "section"):
        assert words not in done.text
    told = decided(sanitized(protect=True))["intact"]["context"]
    assert [one["class"] for one in told] == ["norm", "norm", "foreign", "institution"]
    assert all(one["outcome"] == "SAFE" and one["candidates"] for one in told)
    assert TEXT[told[2]["start_offset"] : told[2]["end_offset"]] == "domstolloven"
    json.dumps(told)


def test_what_words_of_another_language_may_mean_in_english_is_not_told():
    law = "Ustawa o skardze na naruszenie prawa strony do rozpoznania sprawy w postępowaniu"
    told = "The complaint was brought in time, and it was heard by the court as soon as it could. "
    done = sanitized(protect=True, text=f"{told * 3}It was under a law ({law}).")
    assert done.text == f"{told * 3}It was under a law (a passage in another language)."


def test_it_is_off_but_in_the_preset_strict():
    done = sanitized(protect=False)
    assert done.text == TEXT
    assert "context" not in decided(done)["intact"]
    assert load_settings("strict").context.protect
    assert not load_settings(None).context.protect


@pytest.mark.parametrize(
    "text", ["He was held in Police Custody.", "It fell under the Convention."]
)
def test_no_false_phrase(text):
    assert sanitized(protect=True, text=text).text == text


def test_a_term_of_few_countries_gets_its_own_phrase():
    text = "The investigating judge heard her, and her barrister got a State pension."
    done = sanitized(protect=True, text=text)
    assert done.text == "The judge heard her, and her lawyer got a pension."
