"""Share of masked demographics and other phrases of real documents that the ladders know."""

import sqlite3
from collections import Counter

from intact.discourse.things import unified
from intact.english.reading import ReadDocument
from intact.evaluation.corpus import read_corpus
from intact.knowledge.terms import Terms
from tools.knowledge.build import LADDERS
from tools.knowledge.terms import store_terms
from tools.knowledge.wordnet import WordNet

AT_LEAST = {"DEM": 0.8, "MISC": 0.85}


def test_most_phrases_have_rungs(data_dir):
    """The ladders alone: no WordNet, no places or organisations, no dates. Short forms are asked
    for with the words that the text gives for them, as the planner does."""
    connection = sqlite3.connect(":memory:")
    store_terms(connection, LADDERS, WordNet({}, {}), len)
    terms = Terms(connection)
    known = Counter()
    asked = Counter()
    corpus = read_corpus(data_dir / "tab" / "tab_dev.json")
    for one in corpus.documents:
        for document in map(unified, corpus.layers.get(one.id) or (one,)):
            read = ReadDocument(document)
            for entity in document.entities:
                kind, mentions = entity.entity_type, entity.mentions
                if kind in AT_LEAST:
                    links = (terms.link(m.text, kind, read.place(m.span)) for m in mentions)
                    asked[kind] += len(mentions)
                    known[kind] += len(mentions) * any(link is not None for link in links)
    for kind, share in AT_LEAST.items():
        assert known[kind] / asked[kind] >= share, (kind, known[kind], asked[kind])
