"""Documents whose masked words are named."""

from intact.discourse.things import States
from intact.domain import Candidate, Document, Mention, Span
from intact.english.reading import ReadDocument
from intact.planning.rules.wording import rewriter_of


def document_of(text, *masked, name="d"):
    """Return a document with an entity for each (words, entity type), where they first stand."""
    mentions = []
    for number, (words, kind) in enumerate(masked):
        start = text.index(words)
        span = Span(start, start + len(words))
        mentions.append(Mention(f"m{number}", span, words, f"e{number}", kind))
    return Document(name, text, tuple(mentions))


def tab_document(name, text, *masked, layer="a"):
    """Return a TAB document with a mention for each (words, type), where they first stand."""
    mentions = [
        {"entity_type": kind, "entity_mention_id": f"m{at}", "entity_id": f"e{at}",
         "start_offset": text.index(words), "end_offset": text.index(words) + len(words),
         "span_text": words, "identifier_type": "DIRECT" if kind == "PERSON" else "QUASI"}
        for at, (words, kind) in enumerate(masked)
    ]  # fmt: skip
    return {"doc_id": name, "text": text, "annotations": {layer: {"entity_mentions": mentions}}}


def rewriter_for(document, states=None):
    """Return what puts phrases worded by rules into a document, told apart in its States."""
    return rewriter_of(ReadDocument(document), states or States())


def saying(text, source="", wordings=None):
    """Return a candidate with some words, as a rewriter is given it."""
    return Candidate(text, 0, source, wordings=wordings or {})
