"""Rewriting real documents: the nastiest phrases there are, and labels alone."""

import json
import re
from collections import Counter

from intact.domain import Document, IdentifierType, Mention, Span, apply_edits
from intact.evaluation.corpus import pair
from intact.evaluation.grammar import places_of_defects
from intact.planning.ladder import labels
from tests.marked import rewriter_for, saying


def documents(data_dir):
    for entry in json.loads((data_dir / "tab" / "tab_dev.json").read_text("utf-8")):
        for name, layer in entry["annotations"].items():
            mentions = tuple(
                Mention(
                    m["entity_mention_id"],
                    Span(m["start_offset"], m["end_offset"]),
                    m["span_text"],
                    m["entity_id"],
                    m["entity_type"],
                    IdentifierType(m["identifier_type"]),
                )
                for m in layer["entity_mentions"]
            )
            yield Document(entry["doc_id"], entry["text"], mentions, name)


def rewritten(document, published):
    """With each entity's first published replacement, else its label."""
    told = {(edit[0], edit[1]): str(edit[2]) for edit in published if len(edit) > 2}
    named = labels(document.entities)
    chosen = {}
    for entity in document.entities:
        texts = (told.get((m.span.start, m.span.end)) for m in entity.mentions)
        text = next((t for t in texts if t and not re.fullmatch(r"[A-Z]+_\d+", t)), None)
        chosen[entity.id] = saying(text, "llm") if text else saying(named[entity.id], "label")
    return rewriter_for(document).render(chosen)


def test_published_phrases_bring_in_at_most_twenty_defects(data_dir):
    published = json.loads((data_dir / "tab" / "published_intact.json").read_text("utf-8"))
    counts = Counter()
    for document in documents(data_dir):
        rendered = rewritten(document, published[document.id])
        assert apply_edits(document.text, rendered.edits) == rendered.text
        counts.update(kind for kind, _ in places_of_defects(pair(document, rendered.edits)))
    assert counts.total() <= 20, counts


def test_no_masked_name_still_stands(data_dir):
    standing = Counter()
    for document in documents(data_dir):
        text = rewritten(document, []).text
        for entity in document.entities:
            for surface in entity.surfaces:
                if len(surface) >= 4:
                    pattern = rf"(?<!\w){re.escape(surface)}(?!\w)"
                    found = re.findall(pattern, text, re.IGNORECASE)
                    standing[entity.entity_type] += len(found)
    measured = standing["DATETIME"] + standing["QUANTITY"]
    assert standing.total() - measured == 0, standing
    assert measured <= 40, standing
