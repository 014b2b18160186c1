"""The published scheme in eval/paper, with a scripted model."""

from eval.paper import published
from intact.domain import Document, Mention, Span
from tests.scripted import ScriptedModel

TEXT = "Ola Moen, a joiner, left Bergen on 3 May 1971. Bergen missed Ola."
SPANS = (
    ("Ola Moen", "PERSON", "p"),
    ("joiner", "DEM", "j"),
    ("Bergen", "LOC", "b"),
    ("3 May 1971", "DATETIME", "d"),
)
ANSWERS = {
    "[[Bergen]]": "1. a port in Norway\n2. a city",
    "[[joiner]]": "- a craftsman\n- a worker",
}


def document():
    mentions = [
        Mention(key, Span(at := TEXT.index(text), at + len(text)), text, key, kind)
        for text, kind, key in SPANS
    ]
    again = TEXT.rindex("Bergen")
    mentions.insert(4, Mention("b2", Span(again, again + 6), "Bergen", "b", "LOC"))
    return Document("d", TEXT, tuple(mentions))


def sanitized(guess):
    """The text under the scheme.

    Args:
        guess: from the attacked document to the answer.
    """

    def answer(request):
        if "Guesses:" not in request.question:
            return next(said for name, said in ANSWERS.items() if name in request.question)
        return guess(request.question.partition("<<<")[2])

    model = ScriptedModel(answer)
    text = TEXT
    for start, end, phrase in reversed(published.PublishedScheme(model).sanitize(document())):
        text = text[:start] + phrase + text[end:]
    return text, model


def test_the_first_candidate_that_is_not_guessed_is_taken():
    text, model = sanitized(lambda shown: "Bergen" if "[[a port" in shown else "Oslo\nVoss")
    assert text.startswith("PERSON_1, a a craftsman, left a city on ")
    assert text.endswith(". a city missed Ola.")  # not annotated, not swept
    assert "1971" in text and "3 May" not in text
    attacked = [r.question for r in model.requests if "Guesses:" in r.question]
    assert any("[[a port in Norway]] missed" in question for question in attacked)


def test_an_answer_that_cannot_be_read_makes_nothing_safe():
    text, _ = sanitized(lambda _: "")
    assert text == "PERSON_1, a DEM_1, left LOC_1 on DATETIME_1. LOC_1 missed Ola."
