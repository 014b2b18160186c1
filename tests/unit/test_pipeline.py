"""The way of a document: detect, plan, verify, place."""

import gc
from dataclasses import replace

import pytest

from intact.config import Settings
from intact.domain import Answer, Candidate, Document, Mention, Plan, Span
from intact.errors import InternalError
from intact.pipeline import build_pipeline
from intact.planning.ladder import labels
from intact.protocols import AGAIN, CUT, Attacker
from intact.sanitizing import Pipeline
from intact.verification.matching import Matching
from intact.verification.rounds import RoundsSelector

TEXT = "A joiner of Bergen met a hewer of Voss."
MENTIONS = (
    Mention("1", Span(12, 18), "Bergen", "bergen", "LOC"),
    Mention("2", Span(34, 38), "Voss", "voss", "LOC"),
)
DOCUMENT = Document("d", TEXT, MENTIONS)
CHOSEN = (Candidate("a harbour", 0, "reviewer", decided=True),)


class Silent(Attacker):
    """Has no idea."""

    name = "silent"

    def attack(self, challenges):
        return [Answer(())] * len(challenges)


class Keeper:
    """Plans a town for Bergen and keeps Voss as it is."""

    name = "keeper"

    def __init__(self):
        self.planned: list[tuple[str, bool]] = []

    def plan(self, read, entities, *, detected=False):
        self.planned.append((read.document.id, detected))
        return Plan({"bergen": (Candidate("a town", 0, "knowledge"),)}, frozenset(["voss"]))

    def edit(self, document, plan, *, clues=False):
        return None


class People:
    """Decide nothing, or on Bergen."""

    def __init__(self, ladder=()):
        self.ladder = ladder

    def mentions(self, document):
        return document, ()

    def ladders(self, document, ladders):
        return (ladders | {"bergen": self.ladder} if self.ladder else ladders), {}, ()


def pipeline(planner, reviser=None):
    selector = RoundsSelector([Silent()], Matching(), labels, Settings())
    return Pipeline(planner, selector, None, reviser=reviser)


def test_a_plan_says_what_stands_and_what_is_kept():
    done = pipeline(Keeper()).sanitize(DOCUMENT)
    assert done.text == "A joiner of a town met a hewer of Voss."


def test_what_people_review_no_program_keeps():
    planner = Keeper()
    made = pipeline(planner, People())
    assert made.finish(made.plan(DOCUMENT, detected=True)).text.endswith("a hewer of LOC_2.")
    assert planner.planned == [("d", False)]


def test_a_decision_is_verified_on_the_plan_that_is_there():
    planner, people = Keeper(), People()
    made = pipeline(planner, people)
    planned = made.plan(DOCUMENT)
    people.ladder = CHOSEN
    again = made.plan(DOCUMENT, earlier=planned)
    assert "a harbour" in made.finish(again).text
    assert again.rewriter is planned.rewriter and len(planner.planned) == 1


def test_no_document_depends_on_those_before_it():
    made = pipeline(Keeper())
    other = Document("e", TEXT.replace("Voss", "Moss"), ())
    assert made.sanitize(other).text == other.text
    first, second = made.sanitize(DOCUMENT), made.sanitize(DOCUMENT)
    assert first == second


@pytest.mark.parametrize(
    ("text", "noted"),
    [
        ("Ms PERSON_2 and PERSON_1 met at ORG_1.", True),
        ("[PERSON 1] and [PERSON 2] met a [NAME 3].", True),
        ("Ms PERSON_2 met PERSON_1. PERSON 3, ORGAN_4, [Note 5] and A_6 stayed.", False),
    ],
)
def test_what_was_sanitised_before_has_a_note(text, noted):
    for people in (None, People()):
        made = pipeline(Keeper(), people)
        done = made.finish(made.plan(Document("d", text, ())))
        assert done.notes.count(AGAIN) == noted and done.text == text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("A hewer of Ber\u202egen met one of Voss.", "A hewer of a town"),
        ("A hewer of Ber\u202dgen met Voss\u202c here.", "A hewer of a town here."),
        ("A hewer \u202eof Bergen\u202c met Voss.", "A hewer  met LOC_2."),
        ("A hewer \u200b\u202eof Bergen and Voss\u202c met.", "A hewer  met."),
        ("A hewer of Ber\u200b\u200b\u200bgen met Voss.", "A hewer of a town met LOC_2."),
    ],
)
def test_a_find_over_characters_that_force_a_direction_leaves_nothing_behind_it(text, left):
    class Both(Keeper):
        def plan(self, read, entities, *, detected=False):
            return replace(super().plan(read, entities), kept=frozenset())

    end = text.index("gen") + 3
    bergen, voss = Span(text.index("Ber"), end), Span(at := text.index("Voss"), at + 4)
    pairs = ((bergen, "bergen"), (voss, "voss"))
    mentions = tuple(Mention(e, span, span.of(text), e, "LOC") for span, e in pairs)
    done = pipeline(Both()).sanitize(Document("d", text, mentions))
    assert done.text == left
    assert any(note.startswith(CUT) for note in done.notes) is any(
        c in text for c in "\u202d\u202e"
    )
    assert all(one.text in done.text for one in done.replacements)


@pytest.mark.parametrize(
    "change",
    [
        lambda done: replace(done, edits=done.edits[1:]),
        lambda done: replace(done, edits=(), replacements=()),
        lambda done: replace(done, edits=(replace(done.edits[0], text=""),)),
        lambda done: replace(done, edits=(replace(done.edits[0], span=Span(12, 17)),)),
    ],
)
def test_no_document_whose_record_claims_what_its_text_does_not_show_is_released(change):
    class Losing(RoundsSelector):
        def select(self, *given):
            return change(super().select(*given))

    made = pipeline(Keeper())
    made.selector = Losing([Silent()], Matching(), labels, Settings())
    with pytest.raises(InternalError, match="would not stand in its text"):
        made.sanitize(DOCUMENT)


@pytest.mark.parametrize(("own", "young"), [(700, 10_000), (0, 0), (50_000, 50_000)])
def test_garbage_is_looked_for_less_often_unless_the_process_says_how_often(own, young):
    before = gc.get_threshold()
    gc.set_threshold(own)
    build_pipeline(Settings()).close()
    found = gc.get_threshold()[0]
    gc.set_threshold(*before)
    assert found == young
