"""File formats: each one's reading, writing and marks."""

import io
import json
import re
from pathlib import Path

import pytest

from intact.domain import Candidate, Decision, Document, Edit, Replacement, SanitizedDocument, Span
from intact.errors import DocumentError, EditsError, FormatError, InputError
from intact.evaluation.corpus import check_fit
from intact.formats.base import (
    Format,
    Record,
    TextFormat,
    by_content,
    by_name,
    by_suffix,
    load_record,
)
from intact.formats.jsonl import JsonlFormat, TabFormat
from intact.formats.outcome import read_edits
from intact.formats.tables import CsvFormat
from intact.protocols import BUILT_IN

ROOT = Path(__file__).parents[3]
TEXT = "Ann Lee lives in Riga 😀."
MENTIONS = [
    {"zzz": [1], "entity_type": "PERSON", "entity_mention_id": "m1", "start_offset": 0,
     "end_offset": 7, "span_text": "Ann Lee", "identifier_type": "DIRECT", "entity_id": "e1"},
    {"entity_type": "LOC", "entity_mention_id": "m2", "start_offset": 17, "end_offset": 21,
     "span_text": "Riga", "identifier_type": "QUASI", "entity_id": "e2"},
]  # fmt: skip
RAW = {
    "meta": {"year": 2001, "x": 1.50},
    "text": TEXT,
    "doc_id": "d1",
    "annotations": {"anna": {"note": None, "entity_mentions": MENTIONS}},
    "task": "",
}


def sanitized(document):
    person, place = document.entities
    ladder = (Candidate("a city in Latvia", 0, "knowledge"),)
    return SanitizedDocument(
        document,
        edits=(
            Edit(person.mentions[0].span, "PERSON_1"),
            Edit(place.mentions[0].span, "a city in Latvia"),
        ),
        replacements=(
            Replacement(person.mentions[0].span, "PERSON_1", "e1", person.mentions[0].id, "label"),
            Replacement(place.mentions[0].span, "a city in Latvia", "e2", place.mentions[0].id),
        ),
        decisions=(Decision(person, (), None, "PERSON_1"), Decision(place, ladder, 0, "LOC_1")),
    )


def rendered(kind, raw, annotator="first"):
    record = Record(raw, "f")
    loaded = kind.load(record, annotator)
    return json.loads(kind.render(record, loaded, sanitized(loaded.document)))


def test_tab_keeps_all_and_adds_the_outcome():
    after = rendered(TabFormat(), RAW)
    assert list(after) == [*RAW, "sanitized_text", "intact"]
    assert after["sanitized_text"] == "PERSON_1 lives in a city in Latvia 😀."
    first, second = after["annotations"]["anna"]["entity_mentions"]
    assert list(first) == [*MENTIONS[0], "replacement", "candidates", "outcome"]
    assert (first["replacement"], first["outcome"]) == ("PERSON_1", "LABEL")
    assert (second["replacement"], second["outcome"]) == ("a city in Latvia", "UNTESTED")
    for mention in (first, second):
        for key in ("replacement", "candidates", "outcome"):
            del mention[key]
    del after["sanitized_text"], after["intact"]
    assert after == RAW


def test_foreign_values_under_our_names_are_kept_and_our_own_are_not():
    mentions = [{**MENTIONS[0], "replacement": {"chain": ["x"]}}, MENTIONS[1]]
    raw = {**RAW, "annotations": {"anna": {"entity_mentions": mentions}}}
    once = rendered(TabFormat(), raw)
    assert once["annotations"]["anna"]["entity_mentions"][0]["replacement_before"] == {
        "chain": ["x"]
    }
    assert rendered(TabFormat(), once) == once


def test_only_the_chosen_annotators_mentions_are_touched():
    raw = {**RAW, "annotations": {**RAW["annotations"], "bert": {"entity_mentions": MENTIONS[:1]}}}
    after = rendered(TabFormat(), raw)
    assert after["annotations"]["bert"]["entity_mentions"] == MENTIONS[:1]
    both = rendered(TabFormat(), raw, "all")
    assert both["annotations"]["bert"]["entity_mentions"][0]["replacement"] == "PERSON_1"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"text": None}, "text is missing"),
        ({"text": 5}, "not a string"),
        ({"text": "x\ud800"}, "half a surrogate pair at offset 1"),
        ({"doc_id": None}, "no id"),
        ({"doc_id": True}, "no id"),
        ({"annotations": None}, "annotations are missing"),
        ({"annotations": [{"entity_mentions": []}]}, "annotations are not an object"),
        ({"annotations": {}}, "no annotations"),
        ({"annotations": {"anna": []}}, '"entity_mentions" are missing'),
        ({"annotations": {"anna": {"entity_mentions": {}}}}, "not a list"),
    ],
)
def test_documents_that_are_not_what_they_must_be(change, said):
    with pytest.raises(DocumentError, match=said):
        TabFormat().load(Record({**RAW, **change}, "f, document 1"), "first")


def test_jsonl_reads_lines_and_yields_errors_of_bad_ones():
    line = {"id": 7, "text": TEXT, "mentions": MENTIONS}
    data = b"\xef\xbb\xbf" + json.dumps(line).encode() + b"\r\n\n{oops\n" + json.dumps(RAW).encode()
    found = list(JsonlFormat().records(io.BytesIO(data), "f"))
    assert [type(item) for item in found] == [Record, FormatError, Record]
    assert found[1].where == "f, line 3"
    assert JsonlFormat().load(found[0], "first").document.id == "7"
    assert JsonlFormat().load(found[2], "anna").document.id == "d1"


def test_jsonl_adds_the_outcome_and_without_mentions_is_raw_text():
    after = rendered(JsonlFormat(), {"id": "a", "text": TEXT, "mentions": MENTIONS, "n": 1})
    assert list(after) == ["id", "text", "mentions", "n", "sanitized_text", "intact"]
    assert after["mentions"][1]["replacement"] == "a city in Latvia"
    assert rendered(JsonlFormat(), RAW) == rendered(TabFormat(), RAW)
    found = JsonlFormat().load(Record({"id": 1, "text": TEXT}, "a.jsonl, line 1"), "first")
    assert not found.document.annotated and found.document.mentions == ()


@pytest.mark.parametrize(
    ("kind", "raw"),
    [
        (JsonlFormat, {"mentions": []}),
        (TabFormat, {"annotations": {"ann": {"entity_mentions": []}}}),
        (CsvFormat, {"row": {"text": TEXT, "mentions": "[]"}, "columns": ("text",), "number": 1}),
    ],
)
def test_an_empty_list_of_mentions_is_no_annotation(kind, raw):
    record = Record({"id": "a", "text": TEXT, **raw}, "a")
    loaded = load_record(kind(), record, "first")
    assert not loaded.document.annotated and "empty" in loaded.warnings[-1]
    if kind is TabFormat:
        done = sanitized(kind().load(Record(RAW, "a"), "first").document)
        made = json.loads(kind().render(record, loaded, done))
        assert len(kind().load(Record(made, "a"), "first").document.mentions) == 2


@pytest.mark.parametrize("raw", [[], "x", {}, {"id": 1}, {"id": 1, "text": "a", "mentions": 1}])
def test_jsonl_lines_that_are_no_documents(raw):
    with pytest.raises(DocumentError):
        JsonlFormat().load(Record(raw, "f"), "first")


def test_plain_text_is_one_document():
    (record,) = TextFormat().records(io.BytesIO(b"\xef\xbb\xbfa\r\nb"), "x/letter.txt")
    document = TextFormat().load(record, "first").document
    assert (document.id, document.text) == ("letter", "a\r\nb")
    with pytest.raises(FormatError, match="byte 1"):
        list(TextFormat().records(io.BytesIO(b"a\xff"), "f"))


def test_formats_are_found_by_name_suffix_and_content(tmp_path):
    assert isinstance(by_name("tab"), TabFormat)
    assert isinstance(by_suffix(tmp_path / "a.JSON"), TabFormat)
    assert isinstance(by_suffix(tmp_path / "a.ndjson"), JsonlFormat)
    assert by_suffix(tmp_path / "a") is None
    for data, name in ((b" [", "tab"), (b"\xef\xbb\xbf\n{", "jsonl"), (b"Dear", "text")):
        assert by_content(io.BytesIO(data)).name == name


def test_edits_are_read_in_any_order_and_have_to_fit(tmp_path):
    path = tmp_path / "edits.json"
    path.write_text('{"d": [[9, 12], [0, 4, "x"], [3, 5, "y"]], "e": []}')
    edits = {"d": (Edit(Span(0, 4), "x"), Edit(Span(9, 12), "")), "e": ()}
    assert read_edits(path) == (edits, {"d": 1})
    items = {"d": (Edit(Span(0, 4), "x"),)}
    check_fit(items, [Document("d", "four", ())], "f")
    with pytest.raises(EditsError, match="no document d"):
        check_fit(items, [Document("e", "four", ())], "f")
    with pytest.raises(EditsError, match="ends at 4, the text at 3"):
        check_fit(items, [Document("d", "six", ())], "f")
    with pytest.raises(EditsError, match="1 of 2 documents are missing, the first is e"):
        check_fit(items, [Document("d", "four", ()), Document("e", "", ())], "f")


@pytest.mark.parametrize(
    "text",
    ["", "[]", '{"d": 1}', '{"d": [1]}', '{"d": [[1]]}', '{"d": [[3, 3, "x"]]}', '{"d": [[-1, 3]]}',
     '{"d": [[0, 4, 5]]}', '{"d": [[0, 4, "x", 1]]}',
     '{"d": [[true, 4, "x"]]}', '{"d": [["0", 4]]}'],
)  # fmt: skip
def test_wrong_edits(tmp_path, text):
    path = tmp_path / "edits.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"edits\.json"):
        read_edits(path)


def test_every_format_is_listed_as_it_is():
    page = (ROOT / "docs" / "formats.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (.*) \| (.*) \| (.*) \| (.*) \|$", page, re.M)
    assert [name for name, *_ in rows] == list(BUILT_IN["format"])
    for name, files, _, written, converted in rows:
        kind = by_name(name)
        assert all(f"`{suffix}`" in files for suffix in kind.suffixes[:1]), name
        assert (kind.written_as == ".jsonl") == (written == "JSONL"), name
        own = type(kind).write is not Format.write or type(kind).dump is not Format.dump
        assert own == converted.startswith("yes"), name


class SpacedPage:
    """A page as pdfium reads it: each character 6 wide and 12 high, with gaps between them.

    Args:
        text: of one line; a "_" is a blank that is guessed.
        gaps: widths between its characters, guessed blanks left out.
    """

    def __init__(self, text, gaps):
        self.text, self.raw, left = text.replace("_", " "), None, 0.0
        self.guessed = {at for at, char in enumerate(text) if char == "_"}
        self.boxes, gaps = {}, iter(gaps)
        for at in range(len(text)):
            if at not in self.guessed:
                self.boxes[at] = (left, 0.0, left + 6, 12.0)
                left += 6 + next(gaps, 0.0)

    def get_text_range(self):
        return self.text

    def count_chars(self):
        return len(self.text)

    def get_charbox(self, at, loose):
        return self.boxes[at]


@pytest.mark.parametrize(
    ("text", "gaps", "read"),
    [
        ("V_A_S_B_Z_O_E", [3, 3, 3, 9, 3, 3], "VASB ZOE"),
        ("Va_s_b_Zoe", [2, 3, 3, 9, 3, 3], "Vasb Zoe"),
        ("Dear V_a_s_b_Zoe", [0, 0, 0, 0, 0, 3, 3, 3, 3, 0, 0], "Dear Vasb Zoe"),
        ("I_am_to_go_on", [3, 0, 3, 0, 3, 0, 3, 0], "I am to go on"),
        ("1_2_3_4_5", [3, 3, 3, 3], "1 2 3 4 5"),
    ],
)
def test_spaced_letters_in_a_pdf_are_words(text, gaps, read, monkeypatch):
    from intact.formats import extracted

    pdfium = pytest.importorskip("pypdfium2.raw")
    monkeypatch.setattr(pdfium, "FPDFText_IsGenerated", lambda page, at: at in page.guessed)
    assert extracted._close_up(SpacedPage(text, gaps)).replace("\0", "") == read
