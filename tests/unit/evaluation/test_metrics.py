"""Each metric on a tiny document, worked out by hand."""

import pytest

from intact.domain import Answer, Document, Edit, Guess, IdentifierType, Mention, Span
from intact.errors import NotMeasuredError
from intact.evaluation.corpus import pair
from intact.evaluation.detection import DetectionPrecision, DetectionRecall
from intact.evaluation.grammar import GrammarDefects, places_of_defects
from intact.evaluation.judge import Containment, holds
from intact.evaluation.metric import EvaluationContext, comparable_parts
from intact.evaluation.risk import AttackerInference, ClosedPoolInference
from intact.evaluation.strings import (
    EntityConsistency,
    LabelShare,
    PartsLeft,
    StringsLeft,
    is_label,
    normal_form,
)
from intact.evaluation.tps import WordsChanged
from intact.protocols import Attacker
from tests.marked import document_of


def values(measure, *pairs):
    return {score.name: score.value for score in measure.scores(pairs)}


def test_strings_and_parts_left(context, replaced):
    found = values(StringsLeft(context), replaced("PERSON_1", "a city", "1815", "PERSON_2", None))
    assert found["left"] == pytest.approx(2 / 4)  # London and 1815 of four distinct strings
    assert found["left/names"] == pytest.approx(1 / 3)
    assert found["left/values"] == 1.0
    text = "Ada Byron spoke. Byron left."
    person = Mention("m", Span(0, 9), "Ada Byron", "e", "PERSON", IdentifierType.DIRECT)
    one = pair(Document("d", text, (person,)), [Edit(Span(0, 9), "PERSON_1")])
    assert values(PartsLeft(context), one)["parts_left"] == 1.0
    assert values(StringsLeft(context), one)["left"] == 0.0


def test_consistency(context, replaced):
    same = replaced("x", "a city", "y", "z", "the city")
    other = replaced("x", "a city", "y", "z", "a capital")
    assert values(EntityConsistency(context), same)["inconsistent"] == 0.0
    assert values(EntityConsistency(context), other)["inconsistent"] == 1.0
    assert normal_form("In the City’s") == normal_form("a city")


def test_words_changed_and_labels(context, replaced):
    found = values(WordsChanged(context), replaced("x", None, "y", None, None))
    assert found["words_changed"] == pytest.approx(3 / 13)
    found = values(LabelShare(context), replaced("PERSON_1", "LOC_1", "the 1810s", "P", "a city"))
    assert found["labels"] == pytest.approx(1 / 3)
    assert is_label("[ORG 2]", "ORG")
    assert is_label("***", "ORG")
    assert is_label("DETAIL_3", "DEM")
    assert is_label("NAME_3", "MISC")
    assert not is_label("DETAIL_3", "ORG")
    assert not is_label("", "ORG")
    assert not is_label("an organisation", "ORG")


def test_closed_pool(context):
    names = "Bonn Oslo Rome Lima Kyiv Graz Pula"
    document = document_of(names, *((name, "LOC") for name in names.split()))
    first, *_ = document.mentions
    exact = pair(document, [Edit(first.span, first.text.lower())])
    found = values(ClosedPoolInference(context), exact)
    assert found["inference"] == 1.0  # the others stand as they were
    gone = pair(document, [Edit(m.span, "") for m in document.mentions])
    assert values(ClosedPoolInference(context), gone)["inference"] == 0.0
    alone = pair(Document("d", names, (first,)), exact.edits)
    scores = [ClosedPoolInference(context).score(each) for each in ([exact], [gone], [alone])]
    assert "pool:7" in scores[0].signature and "pool:1" in scores[2].signature
    assert comparable_parts(scores[0]) == comparable_parts(scores[1]) != comparable_parts(scores[2])


class Clerk(Attacker):
    """Guesses one thing."""

    name = "clerk"

    def __init__(self, guess):
        self._guess = guess
        self.seen = []

    def attack(self, challenges):
        self.seen += challenges
        return [Answer((Guess(self._guess, 0),)) for _ in challenges]


def test_attackers_read_the_final_document(encoder, replaced):
    clerk = Clerk("London")
    context = EvaluationContext(
        encoder,
        attackers={"clerk": clerk},
        judge_guess=lambda answer, entity: answer.guesses[0].text in entity.surfaces,
    )
    one = replaced("PERSON_1", "a city", None, "PERSON_2", "a city")
    found = values(AttackerInference(context), one)
    assert found["attack/LOC"] == 1.0
    assert found["attack/DATETIME"] == 1.0  # it still stands
    assert [challenge.replacement for challenge in clerk.seen] == ["a city"]
    standing = [place.span.of(one.text) for place in clerk.seen[0].placed]
    assert standing == ["PERSON_1", "a city", "PERSON_2", "a city"]


def test_without_attackers_it_is_not_measured(context, replaced):
    with pytest.raises(NotMeasuredError, match="--attackers"):
        AttackerInference(context).scores([replaced("", "", "", "", "")])


def test_recall(context, replaced, encoder, document):
    found = values(DetectionRecall(context), replaced("x", "y", None, "z", None))
    assert found["recall/direct"] == 1.0
    assert found["recall/quasi"] == 0.0  # London once, 1815 never
    assert found["recall"] == pytest.approx(2 / 4)
    assert found["recall/mentions"] == pytest.approx(3 / 5)
    found = values(DetectionRecall(context), replaced("Ada Byron", "x", "x", "x", "x"))
    assert found["recall/direct"] == pytest.approx(1 / 2)
    other = Document("d1", document.text, document.mentions[:1], annotator="b")
    context = EvaluationContext(encoder, layers={"d1": (document, other)})
    found = values(DetectionRecall(context), replaced("x", None, None, None, None))
    assert found["recall"] == pytest.approx(2 / 5)


def test_precision(context, document):
    wide = pair(document, [Edit(Span(0, 18), "x")])  # "Ada Byron was born"
    found = values(DetectionPrecision(context), wide)
    assert found["precision"] == pytest.approx(2 / 3)  # "was" is a stop word
    assert found["precision/mentions"] == 1.0
    assert 0 < found["precision/weighted"] < 1


@pytest.mark.parametrize(
    ("text", "start", "end", "new", "kind"),
    [
        ("in the London area", 7, 13, "a city", "doubled article"),
        ("in a Roman town", 5, 10, "old", "a or an"),
        ("in London", 3, 9, "in a city", "doubled preposition"),
        ("on 3 May 1996", 3, 13, "the 1990s", "on and a period"),
        ("the court Rex", 10, 13, "court", "doubled word"),
        ("met Rex there", 4, 7, "A man", "capital in mid-sentence"),
        ("in 1994 or so", 3, 7, "early 1990s", "part of a decade without article"),
    ],
)
def test_defects(text, start, end, new, kind):
    one = pair(Document("d", text, ()), [Edit(Span(start, end), new)])
    assert {name for name, _ in places_of_defects(one)} == {kind}


def test_the_originals_defects_do_not_count(context):
    one = pair(Document("d", "the the man met Rex", ()), [Edit(Span(16, 19), "PERSON_1")])
    assert values(GrammarDefects(context), one)["grammar"] == 0


def test_containment(context, replaced):
    right = replaced("x", "y", "the 1810s", "z", "y")
    wrong = replaced("x", "y", "the 1820s", "z", "y")
    assert values(Containment(context), right)["contradicted"] == 0.0
    assert values(Containment(context), wrong)["contradicted"] == 1.0
    assert holds("a date", "red") is None
