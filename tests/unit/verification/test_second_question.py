"""A second question with decoys."""

from intact.domain import Document, Mention, Span
from intact.models.prompts import load_prompts
from intact.protocols import Completion
from intact.verification.second_question import OpenPlace, SecondQuestion

TEXT = "She was a dentist in Leeds."
DENTIST = Mention("m1", Span(10, 17), "dentist", "e1", "DEM")
PLACES = [OpenPlace(DENTIST, ("a clinician",), ("a lawyer", "a singer"))]


class Reader:
    """Ticks the choices whose words it was told."""

    name, signature, context_length = "reader", "reader", 8000

    def __init__(self, *believed, answer=None):
        self.believed, self.answer, self.asked = believed, answer, []

    def complete(self, requests):
        self.asked += requests
        return [Completion(self.answer or self.ticked(one.prefix)) for one in requests]

    def ticked(self, prefix):
        lines = [line.strip() for line in prefix.splitlines() if line.startswith("   ")]
        letters = [line[0] for line in lines if line[3:] in self.believed]
        return "1 | " + (" | ".join(letters) or "-")


def ask(reader):
    return SecondQuestion(reader, load_prompts()).ask(Document("one", TEXT, (DENTIST,)), PLACES)


def test_what_a_reader_confirms_who_sees_through_decoys_is_shown():
    reader = Reader("a clinician")
    assert ask(reader) == {("m1", "a clinician")}
    assert "She was a [dentist] in Leeds." in reader.asked[0].prefix


def test_who_believes_decoys_is_not_believed():
    assert ask(Reader("a clinician", "a lawyer")) is None


def test_an_answer_that_cannot_be_read_confirms_nothing():
    assert ask(Reader(answer="I think both are fine.")) is None
