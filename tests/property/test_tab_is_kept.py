"""Whatever stands in a TAB file still stands in it afterwards, and the edits give the text."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from intact.config import load_settings
from intact.domain import ENTITY_TYPES, apply_edits
from intact.formats.base import Record
from intact.formats.jsonl import TabFormat
from intact.pipeline import build_pipeline

PIPELINE = build_pipeline(load_settings(None, ["generation.sources=[]", "attack.attackers=[]"]))
KINDS = (*ENTITY_TYPES, "SHIP")
TEXTS = st.text(st.sampled_from("abc AB.é😀\u0301\n’'-/1"), min_size=1, max_size=60)
EXTRA = st.dictionaries(st.sampled_from(["zz", "meta", "replacement", "task"]), st.integers())


@st.composite
def documents(draw):
    text = draw(TEXTS)
    layers = {}
    for name in draw(st.lists(st.sampled_from(["x", "y"]), min_size=1, unique=True)):
        mentions = []
        for number in range(draw(st.integers(0, 6))):
            start = draw(st.integers(0, len(text) - 1))
            end = draw(st.integers(start + 1, len(text)))
            kind = draw(st.sampled_from(KINDS))
            own = {
                "entity_type": kind,
                "entity_mention_id": f"{name}{number}",
                "start_offset": start,
                "end_offset": end,
                "span_text": text[start:end],
                "identifier_type": draw(st.sampled_from(["DIRECT", "QUASI", "NO_MASK"])),
                "entity_id": f"{kind}{draw(st.integers(0, 2))}",
            }
            mentions.append(draw(EXTRA) | own)
        layers[name] = {"entity_mentions": mentions}
    return draw(EXTRA) | {"doc_id": "d", "text": text, "annotations": layers}


@settings(deadline=None, max_examples=150)
@given(documents(), st.sampled_from(["first", "all"]))
def test_everything_is_kept_and_the_edits_give_the_text(raw, annotator):
    kind = TabFormat()
    record = Record(raw, "f")
    loaded = kind.load(record, annotator)
    done = PIPELINE.sanitize(loaded.document)
    after = json.loads(kind.render(record, loaded, done))
    assert after["sanitized_text"] == apply_edits(raw["text"], done.edits)
    _kept(raw, after, {"annotations"})
    assert list(after["annotations"]) == list(raw["annotations"])
    marked = [name for name, layer in raw["annotations"].items() if layer["entity_mentions"]]
    touched = list(raw["annotations"]) if annotator == "all" else marked[:1]
    for name, layer in raw["annotations"].items():
        for old, new in zip(
            layer["entity_mentions"], after["annotations"][name]["entity_mentions"], strict=True
        ):
            if name not in touched:
                assert new == old
                continue
            _kept(old, new, set())
            if old["identifier_type"] != "NO_MASK":
                assert new["replacement"] is not None
                left_out = () if new["replacement"] else ("COVERED",)  # or left out of an aside
                assert new["outcome"] in ("LABEL", *left_out)


def _kept(old, new, apart):
    assert [key for key in new if key in old] == list(old)
    for key, value in old.items():
        if key not in apart:
            assert value in (new[key], new.get(f"{key}_before"))
