"""Rewriting any document with any overlapping spans: edits are exact, nothing masked is left."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from intact.domain import ENTITY_TYPES, Document, IdentifierType, Mention, Span, apply_edits
from intact.rewriting.occurrences import occurrences
from tests.marked import rewriter_for, saying

PIECES = st.sampled_from(
    "the a an on in at between of and his Ann Poe Hull court May 1996 3 5 years’ judges ’s ( ) “ ” "
    ". , [[ ]] ⟦1⟧ PERSON_1 *** İzmir Zoe\u0308 𝒜𝓃𝓃 😀 שלום مرحبا ß ﬁ \r\n \n \n\n"
    " \t 1. (a) \u00a0 e\u0301".split(" ")
)
TEXTS = st.lists(PIECES | st.text(max_size=6), min_size=1, max_size=24).map(" ".join)
PHRASES = st.sampled_from(
    ["a city in Turkey", "an office", "the mid-1990s", "May 1996", "between 1990 and 1999", "ORG_1",
     "the first person", "***", "several years", "in his thirties", "some time in the morning",
     "from the British Isles", "European", "[[x]]", "⟦2⟧", "judges", "", "...", "a", "the"]
)  # fmt: skip
TYPES = st.sampled_from((*ENTITY_TYPES, "SHIP"))


@st.composite
def documents(draw):
    text = draw(TEXTS)
    mentions = []
    if text:
        for index in range(draw(st.integers(0, 8))):
            start = draw(st.integers(0, len(text) - 1))
            end = draw(st.integers(start + 1, min(len(text), start + 20)))
            identifier = draw(st.sampled_from(list(IdentifierType)))
            mentions.append(
                Mention(
                    f"m{index}", Span(start, end), text[start:end], f"e{draw(st.integers(0, 4))}",
                    draw(TYPES), identifier,
                )
            )  # fmt: skip
    return Document("d", text, tuple(mentions))


@settings(max_examples=300, deadline=None)
@given(documents(), st.data())
def test_edits_give_the_text_and_cover_every_masked_character(document, data):
    found = occurrences(document)
    chosen = {
        entity.id: saying(data.draw(PHRASES), data.draw(st.sampled_from(["label", "llm"])))
        for entity in document.entities
    }
    rewriter = rewriter_for(document)
    rendered = rewriter.render(chosen)
    assert rewriter.render(chosen) == rendered
    assert apply_edits(document.text, rendered.edits) == rendered.text

    covered = {i for edit in rendered.edits for i in range(edit.span.start, edit.span.end)}
    for occurrence in found:
        assert covered.issuperset(range(occurrence.span.start, occurrence.span.end))
    for one, other in pairwise(found):
        if not one.mention_id and not other.mention_id:
            assert one.span.end <= other.span.start

    ids = sorted(r.mention_id for r in rendered.replacements if r.mention_id)
    assert ids == sorted(m.id for m in document.mentions if m.masked)
    assert len(rendered.replacements) == len(found)
    for spans in rendered.targets.values():
        assert all(span.end <= len(rendered.text) for span in spans)


@settings(max_examples=100, deadline=None)
@given(documents())
def test_without_masked_mentions_nothing_changes(document):
    clean = Document(document.id, document.text, ())
    assert rewriter_for(clean).render({}).text == document.text
