"""INTACT as an operator of the installed presidio-anonymizer."""

import pytest

pytest.importorskip("presidio_anonymizer")

from presidio_anonymizer import AnonymizerEngine
from presidio_anonymizer.entities import InvalidParamError, OperatorConfig, RecognizerResult

from intact.integrations.presidio import IntactOperator, plan_for

TEXT = (
    "Zelda Quimby was born in Tromsø on 3 May 1996. Zelda Quimby left the Bank of Norway "
    "for Tromsø in May 1996. Ask zelda@example.org."
)


def found(*spans):
    results = []
    for surface, kind in spans:
        at = TEXT.find(surface)
        while at >= 0:
            results.append(RecognizerResult(kind, at, at + len(surface), 0.85))
            at = TEXT.find(surface, at + 1)
    return results


RESULTS = found(
    ("Zelda Quimby", "PERSON"),
    ("Tromsø", "LOCATION"),
    ("3 May 1996", "DATE_TIME"),
    ("the Bank of Norway", "ORGANIZATION"),
    ("zelda@example.org", "EMAIL_ADDRESS"),
)


@pytest.fixture
def engine():
    made = AnonymizerEngine()
    made.add_anonymizer(IntactOperator)
    return made


def test_the_engine_writes_what_intact_decided(engine):
    plan = plan_for(TEXT, RESULTS)
    done = engine.anonymize(TEXT, plan.results, plan.operators)
    assert done.text == plan.sanitized.text
    assert not any(name in done.text for name in ("Zelda", "Quimby", "Tromsø", "zelda@"))
    assert "1996" not in done.text or "May 1996" in done.text
    assert all(item.operator == "intact" for item in done.items)


def test_results_that_overlap_repeat_or_touch(engine):
    results = [
        *RESULTS,
        RecognizerResult("PERSON", 0, 5, 0.4),
        RecognizerResult("ORGANIZATION", 0, 12, 0.3),
        RecognizerResult("PERSON", 6, 12, 0.4),
    ]
    plan = plan_for(TEXT, results)
    assert engine.anonymize(TEXT, plan.results, plan.operators).text == plan.sanitized.text
    assert not any(name in plan.sanitized.text for name in ("Zelda", "Quimby"))


def test_without_a_plan_it_says_what_to_do(engine):
    with pytest.raises(InvalidParamError, match="plan_for"):
        engine.anonymize(TEXT, RESULTS, {"DEFAULT": OperatorConfig("intact")})
    assert plan_for(TEXT, []).sanitized.notes == (
        "nothing was to be replaced: the text stays as it is",
    )
    plan = plan_for(TEXT, RESULTS[:1])
    with pytest.raises(InvalidParamError, match=r"plan\.results"):
        engine.anonymize(TEXT, RESULTS, plan.operators)


def test_one_person_gets_one_number(engine):
    text = "Ms Zelda Quimby met Bo Topp. Ms Quimby left; Mr Topp stayed."
    names = [("Zelda Quimby", 3), ("Bo Topp", 20), ("Quimby", 32), ("Topp", 48)]
    results = [RecognizerResult("PERSON", at, at + len(name), 0.9) for name, at in names]
    plan = plan_for(text, results)
    done = engine.anonymize(text, plan.results, plan.operators).text
    assert done == "Ms PERSON_1 met PERSON_2. Ms PERSON_1 left; Mr PERSON_2 stayed."
