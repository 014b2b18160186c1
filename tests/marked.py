"""Documents whose masked words are named."""

from intact.domain import Document, Mention, Span


def document_of(text, *masked, name="d"):
    """Return a document with an entity for each (words, entity type), where they first stand."""
    mentions = []
    for number, (words, kind) in enumerate(masked):
        start = text.index(words)
        span = Span(start, start + len(words))
        mentions.append(Mention(f"m{number}", span, words, f"e{number}", kind))
    return Document(name, text, tuple(mentions))
