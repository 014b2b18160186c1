"""A planner's words stand exactly where it says; everywhere else rules fit the phrase."""

import re

import pytest

from intact.domain import Document, Mention, Span, Wording, apply_edits
from tests.marked import rewriter_for, saying

TEXT = (
    "On 3 May 1996, in Oslo, the Oslo City Court of Norway heard a 47-year-old Danish driver. "
    "On 4 May 1996 and 5 May 1996 the Oslo City Court’s Registry wrote to him; Oslo was wet."
)
PHRASES = {
    "3 May 1996": "1996",
    "Oslo": "a city",
    "Oslo City Court": "a court",
    "Norway": "a Nordic country",
    "47-year-old": "in his forties",
    "Danish": "of a Nordic nationality",
    "driver": "a worker",
    "4 May 1996": "1996",
    "5 May 1996": "1996",
}


def document():
    kinds = {"Oslo": "LOC", "Norway": "LOC", "Danish": "DEM", "driver": "DEM"}
    mentions = []
    for found in re.finditer("|".join(sorted(PHRASES, key=len, reverse=True)), TEXT):
        words, span = found[0], Span(*found.span())
        kind = "DATETIME" if words[-1].isdigit() or "year" in words else kinds.get(words, "ORG")
        mentions.append(Mention(f"m{span.start}", span, words, words, kind))
    return Document("d", TEXT, tuple(mentions))


@pytest.mark.parametrize("number", range(len(document().mentions)))
@pytest.mark.parametrize("left", [0, 1, 4])
@pytest.mark.parametrize("text", ["a thing of an own kind", "", "the Court’s"])
def test_a_planners_words_stand_as_they_are(number, left, text):
    doc = document()
    mention = doc.mentions[number]
    before = doc.mentions[number - 1].span.end if number else 0
    span = Span(max(before, mention.span.start - left), mention.span.end)
    wording = {mention.id: Wording(span, text)}
    phrases = {
        key: saying(phrase, "llm", wording if key == mention.entity_id else {})
        for key, phrase in PHRASES.items()
    }
    rendered = rewriter_for(doc).render(phrases)
    assert [edit for edit in rendered.edits if edit.span.overlaps(span)] == [
        edit for edit in rendered.edits if (edit.span, edit.text) == (span, text)
    ]
    assert rendered.text == apply_edits(TEXT, rendered.edits)
    [record] = [one for one in rendered.replacements if one.mention_id == mention.id]
    assert (record.span, record.text) == (span, text)


@pytest.mark.parametrize("number", ["¹", "٣", "2", "④"])
def test_a_number_in_any_script_may_stand_before_a_mention(number):
    text = f"She met {number} miners."
    start = text.index("miners")
    mention = Mention("m", Span(start, start + 6), "miners", "e", "DEM")
    given = Document("d", text, (mention,))
    made = rewriter_for(given).render({"e": saying("a worker")})
    assert "miners" not in made.text
