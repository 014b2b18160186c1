from intact.domain import apply_edits
from intact.evaluation.corpus import edits_of, entity_labels


def test_suppression_and_labels(document):
    suppressed = apply_edits(document.text, edits_of(document, lambda _: ""))
    assert suppressed == " was born in  in . She met  in ."
    assert apply_edits(document.text, entity_labels(document)) == (
        "PERSON was born in LOC in DATETIME. She met PERSON in LOC."
    )
