"""Formats of other tools: written and read again, nothing is lost without a message."""

import io

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from intact.domain import ENTITY_TYPES, Document, IdentifierType, Mention, Span
from intact.formats.base import Losses, by_name

ALPHABET = "abcÅß d\n\t \r😀𝔸é.,|[]_\\*->;#1\u2028\u00a0'\"<&"
KINDS = (*ENTITY_TYPES, "SKILL")
FORMATS = "tab jsonl labelstudio".split()


@st.composite
def documents(draw):
    text = draw(st.text(ALPHABET, min_size=1, max_size=40))
    mentions = []
    for number in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(text) - 1))
        end = draw(st.integers(start + 1, min(len(text), start + 9)))
        mentions.append(
            Mention(
                f"m{number}",
                Span(start, end),
                text[start:end],
                f"e{draw(st.integers(0, 3))}",
                draw(st.sampled_from(KINDS)),
                draw(st.sampled_from(IdentifierType)),
            )
        )
    mentions.sort(key=lambda m: (m.span, m.id))
    return Document("d1", text, tuple(mentions))


def there_and_back(name, document):
    kind, lost = by_name(name), Losses()
    data = b"".join(kind.write([document], lost))
    (record,) = kind.records(io.BytesIO(data), "d1.x")
    return kind.load(record, "first").document, lost


def shape(document):
    """Return what must survive of the mentions: place, type, identifier type and entity."""
    first = {}
    for mention in document.mentions:
        first.setdefault(mention.entity_id, (mention.span, mention.entity_type))
    return sorted(
        (m.span, m.entity_type, m.identifier_type, first[m.entity_id]) for m in document.mentions
    )


def places(document):
    return {(m.span.start, m.span.end, m.entity_type) for m in document.mentions}


@pytest.mark.parametrize("name", FORMATS)
@settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@example(Document("d1", "😀 Ann", (Mention("m", Span(2, 5), "Ann", "e", "PERSON"),)))
@given(documents())
def test_nothing_is_lost_silently(name, document):
    back, lost = there_and_back(name, document)
    if not +lost:
        assert back.text == document.text
        assert shape(back) == shape(document)
    if not any("text" in what for what in lost):
        assert back.text == document.text
        if not any("changed" in what for what in lost):
            assert places(back) <= places(document)
        left_out = sum(n for what, n in lost.items() if "left out" in what)
        assert len(back.mentions) + left_out >= len(document.mentions)


@pytest.mark.parametrize("name", ["tab", "jsonl"])
@settings(max_examples=15, deadline=None, derandomize=True)
@given(documents())
def test_our_own_formats_hold_all(name, document):
    back, lost = there_and_back(name, document)
    assert not +lost
    assert back.mentions == document.mentions
    assert back.text == document.text
