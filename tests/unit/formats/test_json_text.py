import io
import json
import time
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from intact.errors import FormatError
from intact.formats import base, jsonl
from intact.formats.base import Record, parse_json, to_json
from intact.formats.jsonl import JsonlFormat, TabFormat, iterate_array

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@settings(max_examples=40, deadline=None)
@given(st.lists(VALUES), st.integers(1, 40), st.sampled_from([None, 1]), st.booleans())
def test_reads_what_json_reads_whatever_the_chunks(values, chunk, indent, ascii_only):
    text = json.dumps(values, indent=indent, ensure_ascii=ascii_only)
    data = io.BytesIO(text.encode("utf-8", "surrogatepass" if ascii_only else "replace"))
    expected = json.loads(data.getvalue())
    with patch.object(jsonl, "CHUNK", chunk):
        assert list(iterate_array(data, "f")) == expected


def test_a_list_is_read_value_by_value_and_its_documents_are_counted():
    assert list(iterate_array(io.BytesIO(b"\xef\xbb\xbf \r\n[ 1 ,\n2 ] \n"), "f")) == [1, 2]
    assert list(iterate_array(io.BytesIO(b" [ ] "), "f")) == []
    data = b"[\n" + b'{"a": 1},\n' * 500 + b"oops]"
    with pytest.raises(FormatError, match="document 501"), patch.object(jsonl, "CHUNK", 64):
        list(iterate_array(io.BytesIO(data), "f"))
    data = io.BytesIO(b"[1, " + b" " * 10_000 + b"2]")
    with patch.object(jsonl, "CHUNK", 16):
        assert next(iterate_array(data, "f")) == 1
    assert data.tell() < 100


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "it is empty"),
        (b" \n", "it is empty"),
        (b"{}", "top level is not a list"),
        (b"[1", "expected ',' or ']'"),
        (b"[1,]", "Expecting value, document 2"),
        (b'[\n{"a": }]', "Expecting value, document 1"),
        (b'[{"a": "b', "Unterminated string"),
        (b"[1] 2", "something follows"),
        (b'["\xff"]', "not UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[" + b"9" * 5000 + b"]", "number too long"),
    ],
)
@pytest.mark.parametrize("chunk", [3, 1 << 20])
def test_what_is_no_list_is_an_error_that_names_the_place(data, said, chunk, monkeypatch):
    monkeypatch.setattr(jsonl, "CHUNK", chunk)
    with pytest.raises(FormatError, match=said) as caught:
        list(iterate_array(io.BytesIO(data), "corpus.json"))
    assert caught.value.where == "corpus.json"


TWICE = "an object has the same name twice: its names 1 and 3"
HIDDEN = [
    ('{"text": "Mr Topp", "id": 1, "text": "hello"}', TWICE),
    ('{"id": 1, "meta": [{"a": 1, "b": 2, "a": 3}]}', TWICE),
    ('{"\\u0061": 1, "b": 2, "a": 3}', TWICE),
    *((f'{{"id": 1, "x": {x}}}', "NaN") for x in ("NaN", "Infinity", "-Infinity", "1e999")),
]


@pytest.mark.parametrize(("object_", "said"), HIDDEN)
def test_what_would_hide_a_text_or_could_not_be_written_again_is_refused(object_, said):
    with pytest.raises(FormatError, match=said) as caught:
        parse_json(object_.encode(), "f")
    assert caught.value.where == "f" and "Topp" not in str(caught.value)
    good, bad = JsonlFormat().records(io.BytesIO(b'{"id": 0}\n' + object_.encode()), "f")
    assert good.raw == {"id": 0} and said in str(bad) and bad.where == "f, line 2"
    with pytest.raises(FormatError, match=rf"{said}.*, document 2"):
        list(iterate_array(io.BytesIO(f"[1, {object_}]".encode()), "f"))


def test_what_stands_twice_is_found_in_time():
    many = ", ".join(f'"{n}": 1' for n in range(100_000))
    began = time.monotonic()
    with pytest.raises(FormatError, match="its names 100000 and 100001"):
        parse_json(f'{{{many}, "99999": 2}}'.encode(), "f")
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("line", [b"{", b"\xff", b"[" * 100_000, b"9" * 5000])
def test_bad_lines(line):
    with pytest.raises(FormatError):
        parse_json(line, "f, line 3")


def test_json_is_valid_utf8_and_documents_have_a_limit(monkeypatch):
    assert to_json({"a": "é😀"}) == '{"a":"é😀"}'
    assert to_json("\ud800") == '"\\ud800"'
    monkeypatch.setattr(base, "MOST_BYTES", 1000)
    line = json.dumps({"id": "a", "text": "x" * 9000}).encode()
    with pytest.raises(FormatError, match="longer than"):
        list(JsonlFormat().records(io.BytesIO(line), "f"))
    monkeypatch.setattr(jsonl, "CHUNK", 100)
    with pytest.raises(FormatError, match="longer than"):
        list(iterate_array(io.BytesIO(b"[" + line + b"]"), "f"))


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"agent_email": "jane.roe@insurer.example", "n": 1}, "agent_email, n"),
        ({"Annelise Lee": "al@insurer.example", "task": "x"}, "field 3, task"),
        ({"Annelise: note": 1}, "field 3"),
        ({"id": "7", "doc_id": "a", "agentPhone": 2049981233}, "id, agentPhone"),
        ({"mentions": []}, ""),
        ({"language": "of Trowbridge"}, "language"),
    ],
)
def test_other_fields_are_named_or_numbered_where_their_name_may_be_somebodys(fields, said):
    loaded = JsonlFormat().load(Record({"id": "a", "text": "x"} | fields, "f"), "first")
    told = (f"other fields are left as they are: {said}",) if said else ()
    assert loaded.warnings == told


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"marked by": "jane.roe@insurer.example"}, "of mentions: marked by"),
        ({"Annelise Lee": ["Ann"], "Bo: note": 1}, "a field of an annotator or mention"),
        ({"entity_id": "ann_trowbridge"}, "of mentions: entity_id"),
    ],
)
def test_other_fields_of_mentions_are_named_unless_their_name_may_be_somebodys(fields, said):
    mention = {"start": 0, "end": 1, "type": "MISC"} | fields
    loaded = JsonlFormat().load(Record({"id": "a", "text": "x", "mentions": [mention]}, "f"), "all")
    assert loaded.warnings == (f"other fields are left as they are: {said}",)


def test_other_fields_of_annotators_are_named():
    layers = {"anne": {"entity_mentions": [], "note": "Ann"}}
    raw = {"doc_id": "a", "text": "x", "mentions": [], "annotations": layers}
    loaded = TabFormat().load(Record(raw, "f"), "first")
    assert loaded.warnings == ("other fields are left as they are: mentions, of annotators: note",)
