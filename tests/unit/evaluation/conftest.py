"""Small made-up documents and an encoder that needs no model."""

import numpy as np
import pytest

from intact.domain import Document, Edit, IdentifierType, Mention, Span
from intact.evaluation.corpus import pair
from intact.evaluation.metric import EvaluationContext

TEXT = "Ada Byron was born in London in 1815. She met Babbage in London."


class LetterEncoder:
    """Unit vectors of letter counts: the same words are near each other."""

    name = "letters"

    def __init__(self):
        self.asked: list[str] = []

    def embed(self, texts):
        self.asked += texts
        rows = np.zeros((len(texts), 128), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for char in text:
                row[ord(char) % 128] += 1
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        return rows / np.maximum(norms, 1e-9)


MENTIONS = (
    ("Ada Byron", 0, "e1", "PERSON"), ("London", 22, "e2", "LOC"), ("1815", 32, "e3", "DATETIME"),
    ("Babbage", 46, "e4", "PERSON"), ("London", 57, "e2", "LOC"),
)  # fmt: skip


@pytest.fixture
def document():
    mentions = []
    for words, start, entity, kind in MENTIONS:
        span = Span(start, start + len(words))
        identifier = IdentifierType.DIRECT if kind == "PERSON" else IdentifierType.QUASI
        mentions.append(Mention(f"m{start}", span, words, entity, kind, identifier))
    return Document("d1", TEXT, tuple(mentions))


@pytest.fixture
def encoder():
    return LetterEncoder()


@pytest.fixture
def context(encoder):
    return EvaluationContext(encoder)


@pytest.fixture
def replaced(document):
    """The document with its mentions replaced in order; None leaves one as it is."""

    def make(*texts, source=document):
        edits = [
            Edit(one.span, text)
            for one, text in zip(source.mentions, texts, strict=True)
            if text is not None
        ]
        return pair(source, edits)

    return make
