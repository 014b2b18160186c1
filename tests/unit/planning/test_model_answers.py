"""The answers of a planning model: which words stay."""

import pytest

from intact.domain import Document, Mention, Span
from intact.planning.ladder import DocumentChecks
from intact.planning.model.answers import AnswerReader
from intact.planning.model.marking import MarkedDocument

TEXT = "The nurse rang, and the nurse left."
MARKED = "The ⟦1|DEM|nurse⟧ rang, and the ⟦2=1|DEM|nurse⟧ left."
SPANS = [Span(at, at + 5) for at in (4, 24)]
MENTIONS = tuple(Mention(f"m{at}", at, at.of(TEXT), "nurse", "DEM") for at in SPANS)


@pytest.mark.parametrize(
    ("answers", "stays"),
    [
        ({1: ("keep",), 2: ("a worker",)}, {"nurse"}),
        ({1: ("keep",)}, {"nurse"}),
        ({1: ("a worker",), 2: ("keep",)}, set()),
        ({2: ("keep",)}, set()),
    ],
)
def test_words_stay_if_the_answer_about_their_first_place_says_so(answers, stays):
    document = Document("d", TEXT, MENTIONS)
    marked = MarkedDocument(document, frozenset({"nurse"}), {})
    assert marked.show(Span(0, len(TEXT))) == MARKED
    checks = DocumentChecks(document.entities)
    reader = AnswerReader(marked, checks, document.entities, keep=True)
    assert reader.kept(answers) == stays
    assert not AnswerReader(marked, checks, document.entities, keep=False).kept(answers)
