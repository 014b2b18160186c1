"""Exports of other tools, read as they write them."""

import io
import json
import zlib

import pytest

from intact.errors import DocumentError, FormatError
from intact.formats.base import by_name

EMOJI = "😀😀 Ann Lee met Bo in Riga. Lee left."


def read(name, data, where="export.x", annotator="first"):
    kind = by_name(name)
    raw = data if isinstance(data, bytes) else data.encode("utf-8")
    return [kind.load(r, annotator) for r in kind.records(io.BytesIO(raw), where)]


def one(name, data, **more):
    (loaded,) = read(name, data, **more)
    return loaded


def seen(loaded):
    return [(m.text, m.entity_type) for m in loaded.document.mentions]


def studio(*values, **more):
    result = [
        {"id": f"r{n}", "from_name": "label", "to_name": "text", "type": "labels", "value": value}
        for n, value in enumerate(values)
    ]
    return {"result": result, "was_cancelled": False} | more


def value(start, end, text, label):
    return {"start": start, "end": end, "text": text, "labels": [label]}


def test_label_studio_counts_utf16_units():
    annotation = studio(value(5, 12, "Ann Lee", "PER"), value(23, 27, "Riga", "LOC"))
    annotation["result"].append(
        {"type": "relation", "from_id": "r1", "to_id": "r0", "direction": "right", "labels": []}
    )
    annotation["result"].append({"type": "choices", "value": {"choices": ["ok"]}})
    task = {"id": 9, "data": {"text": EMOJI, "source": "x"}, "annotations": [annotation]}
    loaded = one("labelstudio", json.dumps([task], indent=2))
    assert seen(loaded) == [("Ann Lee", "PERSON"), ("Riga", "LOC")]
    first, second = loaded.document.mentions
    assert first.entity_id == second.entity_id
    assert "results that are no labelled spans are not used (1)" in loaded.warnings


def test_label_studio_short_export():
    raw = {"id": 2, "text": "Ann in Riga", "label": [value(7, 11, "Riga", "Location")]}
    assert seen(one("labelstudio", json.dumps([raw]))) == [("Riga", "LOC")]


def test_label_studio_has_several_annotators():
    first, second = studio(value(0, 3, "Ann", "PER")), studio(value(7, 11, "Riga", "LOC"))
    gone = studio(value(4, 6, "in", "LOC"), was_cancelled=True)
    task = {"id": 2, "data": {"text": "Ann in Riga"}, "annotations": [gone, first, second]}
    data = json.dumps([task])
    assert seen(one("labelstudio", data)) == [("Ann", "PERSON")]
    assert seen(one("labelstudio", data, annotator="annotator2")) == [("Riga", "LOC")]
    assert len(seen(one("labelstudio", data, annotator="all"))) == 2


def test_label_studio_tells_what_is_odd_about_the_mentions_that_are_taken():
    twice = studio(value(0, 3, "Ann", "PER"), value(0, 3, "Ann", "LOC"))
    odd = studio(value(0, 3, "Ann", "PER"), {"choices": ["ok"]})
    data = json.dumps([{"id": 2, "data": {"text": "Ann in Riga"}, "annotations": [odd, twice]}])
    unused = "results that are no labelled spans are not used (1)"
    assert one("labelstudio", data).warnings == (unused,)
    first, second = one("labelstudio", data, annotator="all").warnings
    assert first == unused and second.startswith("look at its mentions: 1 ")


def result(start, end, kind, **more):
    return {"entity_type": kind, "start": start, "end": end, "score": 0.85} | more


RESULTS = [
    result(0, 7, "PERSON", analysis_explanation=None, recognition_metadata={"x": "y"}),
    result(0, 3, "PERSON"),
    result(11, 15, "LOCATION"),
    result(19, 29, "DATE_TIME"),
]


def test_presidio_analyzer_results():
    text = "Ann Lee in Riga on 3 May 1996"
    kinds = ["PERSON", "PERSON", "LOC", "DATETIME"]
    for data in (
        json.dumps({"text": text, "analyzer_results": RESULTS}, indent=1),
        json.dumps([{"text": text, "results": RESULTS}]),
        json.dumps({"id": "a", "text": text, "entities": RESULTS}),
    ):
        assert [kind for _, kind in seen(one("presidio", data))] == kinds


def test_presidio_results_without_their_text_or_of_its_output_are_refused():
    with pytest.raises(DocumentError, match="results without their text"):
        read("presidio", json.dumps(RESULTS))
    raw = {"text": "<PERSON> in Riga", "items": [result(0, 8, "PERSON", operator="replace")]}
    with pytest.raises(DocumentError, match="offsets are those of its output"):
        one("presidio", json.dumps(raw))


def test_docbin_of_entities_alone():
    spacy = pytest.importorskip("spacy")
    from spacy.tokens import DocBin, Span

    doc = spacy.blank("en")("Ann Lee lives in Riga.")
    doc.ents = [Span(doc, 0, 2, "PERSON"), Span(doc, 4, 5, "GPE", kb_id="Q1773")]
    loaded = one("docbin", DocBin(docs=[doc]).to_bytes(), where="corpus.spacy")
    assert loaded.document.id == "corpus"
    assert seen(loaded) == [("Ann Lee", "PERSON"), ("Riga", "LOC")]
    assert loaded.document.mentions[1].entity_id == "Q1773"


def test_a_docbin_that_unpacks_to_too_much_is_refused_before_it_is_read():
    pytest.importorskip("spacy")
    packer = zlib.compressobj()
    packed = b"".join(packer.compress(bytes(1 << 20)) for _ in range(300)) + packer.flush()
    with pytest.raises(FormatError, match="unpacks to more than 256 MiB"):
        read("docbin", packed)


def test_what_is_no_docbin():
    pytest.importorskip("spacy")
    with pytest.raises(FormatError, match="not a DocBin file"):
        read("docbin", b"something else")
