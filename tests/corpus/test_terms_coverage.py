"""Share of masked demographics and other phrases of real documents that the ladders know."""

import json
import sqlite3
from collections import Counter

from intact.domain import Document, Span
from intact.english.reading import ReadDocument
from intact.knowledge.terms import Terms
from tools.knowledge.build import LADDERS
from tools.knowledge.terms import store_terms
from tools.knowledge.wordnet import WordNet

AT_LEAST = {"DEM": 0.8, "MISC": 0.85}


def test_most_phrases_have_rungs(data_dir):
    """The ladders alone: no WordNet, no places or organisations, no dates."""
    connection = sqlite3.connect(":memory:")
    store_terms(connection, LADDERS, WordNet({}, {}), len)
    terms = Terms(connection)
    known = Counter()
    asked = Counter()
    for record in json.loads((data_dir / "tab" / "tab_dev.json").read_text(encoding="utf-8")):
        text = record["text"]
        read = ReadDocument(Document("", text, ()))
        for layer in record["annotations"].values():
            for mention in layer["entity_mentions"]:
                kind, start, end = (
                    mention["entity_type"], mention["start_offset"], mention["end_offset"],
                )  # fmt: skip
                if kind in AT_LEAST:
                    said, place = mention["span_text"], read.place(Span(start, end))
                    asked[kind] += 1
                    known[kind] += terms.link(said, kind, place) is not None
    for kind, share in AT_LEAST.items():
        assert known[kind] / asked[kind] >= share, kind
