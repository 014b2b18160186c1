"""Masked names that replacements bring back."""

from dataclasses import replace

import pytest

from intact.config import Settings
from intact.discourse.things import States
from intact.domain import Candidate, Document, IdentifierType, Mention, Span
from intact.english.reading import ReadDocument
from intact.planning.ladder import labels
from intact.planning.rules.wording import rewriter_of
from intact.verification.masked_names import MaskedNames
from intact.verification.matching import Matching
from intact.verification.state import SelectionState

TEXT = "The bank Riverside of Elm is in Valley. Ossi, 34, died. Valley Road is near."


def document():
    wanted = [("Riverside", "ORG"), ("Elm", "LOC"), ("Valley", "LOC"), ("Ossi", "PERSON")]
    mentions = tuple(
        Mention(text, Span(start := TEXT.index(text), start + len(text)), text, text, kind)
        for text, kind in wanted
    )
    masked = Mention("34", Span(46, 48), "34", "34", "QUANTITY", IdentifierType.NO_MASK)
    return Document("d", TEXT, (*mentions, masked))


def candidate(text):
    return Candidate(text, 0, "knowledge")


@pytest.mark.parametrize(
    ("phrase", "named"),
    [
        ("a RIVERSIDE firm", True),
        ("a firm by the riversides", False),
        ("an ossi", True),
        ("elm trees", False),  # three letters
        ("34 firms", False),
    ],
)
def test_candidates_that_name_what_is_masked(phrase, named):
    assert MaskedNames(document().entities).named_by(candidate(phrase)) is named


@pytest.mark.parametrize("phrase", ["a firm in Izmir", "a firm in ızmır", "a firm in İZMİR"])
def test_letters_with_and_without_their_dots_are_one_name(phrase):
    mention = Mention("m", Span(0, 5), "İzmir", "e", "LOC")
    assert MaskedNames(Document("d", "İzmir", (mention,)).entities).named_by(candidate(phrase))


def test_only_replacements_are_blamed_for_a_name_that_stands():
    at = TEXT.index("Valley Road")
    made = replace(document(), kept=frozenset({Span(at, at + len("Valley Road"))}))
    rewriter = rewriter_of(ReadDocument(made), States())
    ladders = {"Riverside": (candidate("a firm in Valley"),), "Elm": (candidate("a place"),)}
    chosen = SelectionState(rewriter, ladders, labels, Settings(), Matching())
    rendered = chosen.render(chosen.start())
    assert "Valley Road" in rendered.text  # kept by somebody: nobody's fault here
    assert MaskedNames(made.entities).reintroduced(rendered) == {"Riverside"}
