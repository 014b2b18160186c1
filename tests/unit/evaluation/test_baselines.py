from intact.cli.evaluate import replace_by_rung
from intact.domain import Candidate, apply_edits
from intact.evaluation.corpus import edits_of, entity_labels

LADDERS = {
    "e2": (Candidate("a city in England", 0, "x"), Candidate("a place", 1, "x")),
    "e3": (Candidate("the 1810s", 0, "x"),),
}
LABELS = {"e1": "PERSON_1", "e2": "LOC_1", "e3": "DATETIME_1", "e4": "PERSON_2"}


def test_suppression_labels_and_rungs(document):
    suppressed = apply_edits(document.text, edits_of(document, lambda _: ""))
    assert suppressed == " was born in  in . She met  in ."
    assert apply_edits(document.text, entity_labels(document)) == (
        "PERSON was born in LOC in DATETIME. She met PERSON in LOC."
    )
    found = apply_edits(document.text, replace_by_rung(document, LADDERS, LABELS, 0))
    assert found.startswith("PERSON_1 was born in a city in England in the 1810s. She met PERSON_2")
    assert "a place" in apply_edits(document.text, replace_by_rung(document, LADDERS, LABELS, -1))
