"""Nothing stands without evidence, whoever wrote it."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from intact.domain import (
    Candidate,
    Clue,
    Document,
    EvidenceKind,
    Mention,
    Plan,
    Source,
    Span,
    Wording,
)
from intact.protocols import UNBELIEVED
from intact.verification.evidence import CONTRADICTED, COPIED, UNPROVEN, UNREAD, EvidenceFinder

TEXT = "He was a dentist in Leeds from 3 May 2001 and had 3 dogs."
WORDS = {"dentist": "DEM", "Leeds": "LOC", "3 May 2001": "DATETIME", "3 dogs": "QUANTITY"}


def document(words=WORDS):
    mentions = []
    for text, entity_type in words.items():
        at = TEXT.index(text)
        mentions.append(Mention(text, Span(at, at + len(text)), text, text, entity_type))
    return Document("one", TEXT, tuple(mentions))


class Scripted:
    """Entails what it is told to."""

    def __init__(self, **shares):
        self.shares, self.asked = shares, []

    def probabilities(self, text, asked):
        self.asked += [(span.of(text), phrase) for span, _, phrases in asked for phrase in phrases]
        return [[self.shares.get(p.replace(" ", "_"), 0.0) for p in ps] for _, _, ps in asked]


NOTHING = SimpleNamespace(subsumes=lambda *_: None, lies_elsewhere=lambda *_: False)


def finder(**shares):
    return EvidenceFinder(lambda: Scripted(**shares), NOTHING)


def by_model(*texts, **more):
    return tuple(Candidate(text, rank, Source.MODEL, **more) for rank, text in enumerate(texts))


def proved(ladders, words=WORDS, otherwise=None, kept=(), **shares):
    clues = (Clue(Span(0, 2), ("a clue",)),) if kept else ()
    plan = Plan(ladders, frozenset(kept), clues=clues, otherwise=otherwise or {})
    return finder(**shares).prove(document(words), plan)


def test_a_phrase_that_nothing_shows_falls_and_is_told():
    plan = proved({"dentist": by_model("a health worker", "zebra")}, a_health_worker=0.9)
    [stands] = plan.ladders["dentist"]
    assert stands.text == "a health worker"
    assert stands.evidence.kind is EvidenceKind.ENTAILMENT
    assert stands.evidence.probability == 0.9
    assert [(one.text, one.reason) for one in plan.dropped["dentist"]] == [("zebra", UNPROVEN)]


@pytest.mark.parametrize(
    ("mention", "phrase", "fails"),
    [
        ("3 May 2001", "the spring of 2001", ""),
        ("3 May 2001", "the early 2000s", ""),
        ("3 May 2001", "the 1990s", CONTRADICTED),
        ("3 May 2001", "zebra", UNREAD),
        ("3 May 2001", "a hospital", UNREAD),
        ("3 May 2001", "some time", UNREAD),
        ("3 dogs", "2 to 5 dogs", ""),
        ("3 dogs", "10 to 20 dogs", CONTRADICTED),
        ("3 dogs", "the 1990s", UNREAD),
        ("3 dogs", "a happy time", UNREAD),
    ],
)
def test_what_cannot_be_read_as_a_value_that_holds_is_refused(mention, phrase, fails):
    plan = proved({mention: by_model(phrase)}, **{phrase.replace(" ", "_"): 1.0})
    if fails:
        assert mention not in plan.ladders
        assert plan.dropped[mention][0].reason == fails
    else:
        assert plan.ladders[mention][0].evidence.kind is EvidenceKind.VALUE


@pytest.mark.parametrize("phrase", ["the early 2000s", "some months later", "hundreds of pounds"])
def test_no_time_and_no_amount_stands_for_a_place(phrase):
    plan = proved({"Leeds": by_model(phrase)}, **{phrase.replace(" ", "_"): 0.9})
    assert [one.reason for one in plan.dropped["Leeds"]] == [UNREAD]


def test_a_thing_whose_phrases_fall_has_the_ladder_of_the_rules():
    rules = (replace(by_model("a town or city")[0], source=Source.KNOWLEDGE),)
    plan = proved(
        {"Leeds": by_model("a dentist in a hospital")},
        otherwise={"Leeds": rules},
        a_town_or_city=0.9,
    )
    assert [one.text for one in plan.ladders["Leeds"]] == ["a town or city"]


def test_the_same_words_for_unlike_things_are_no_answer():
    plan = proved({"Leeds": by_model("a town"), "dentist": by_model("a town")}, a_town=0.99)
    assert not plan.ladders
    assert plan.dropped["Leeds"][0].reason == COPIED


def test_a_model_most_of_whose_phrases_fall_is_not_believed():
    words = {"dentist": "DEM", "Leeds": "LOC"}
    rules = (Candidate("a town", 0, Source.KNOWLEDGE),)
    plan = proved(
        {
            "dentist": by_model("a health worker", "b", "c", "d", "e"),
            "Leeds": by_model("f", "g", "h", "i"),
        },
        words,
        otherwise={"Leeds": rules},
        kept=("Leeds",),
        a_health_worker=0.9,
        a_town=0.9,
        a_clue=0.9,
    )
    assert set(plan.ladders) == {"Leeds"} and not plan.kept and not plan.clues
    assert any(note.startswith(UNBELIEVED) for note in plan.notes)


def test_each_wording_is_shown_where_it_stands():
    network = Scripted(a_clinician=0.9, clinician=0.1)
    own = document()
    wording = {"dentist": Wording(own.mentions[0].span, "clinician")}
    plan = Plan({"dentist": by_model("a clinician", wordings=wording)})
    done = EvidenceFinder(lambda: network, NOTHING).prove(own, plan)
    assert network.asked == [("dentist", "clinician")]
    assert "dentist" not in done.ladders


def test_a_decision_of_a_person_is_evidence():
    plan = proved({"Leeds": (Candidate("anywhere", 0, Source.KNOWLEDGE, decided=True),)})
    assert plan.ladders["Leeds"][0].evidence.kind is EvidenceKind.PERSON


@pytest.mark.parametrize(
    ("share", "kind"),
    [(0.0, EvidenceKind.PERSON), (0.4, EvidenceKind.PERSON), (0.9, EvidenceKind.ENTAILMENT)],
)
def test_the_phrase_of_a_person_stands_on_their_word_where_nothing_better_is_known(share, kind):
    own = {"dentist": (Candidate("a clinician", 0, Source.REVIEWER), *by_model("a worker"))}
    done = finder(a_clinician=share).prove_own(document(), own)
    assert [one.evidence and one.evidence.kind for one in done["dentist"]] == [kind, None]


def test_words_that_say_nothing_are_no_answer():
    plan = proved({"dentist": by_model("something", "a thing")}, something=1.0, a_thing=1.0)
    assert not plan.ladders


def test_decoys_are_written_as_the_phrases_between_which_they_stand():
    asked = []
    second = SimpleNamespace(ask=lambda _, places: asked.extend(places) or frozenset())
    words = {"dentist": "DEM", "dogs": "DEM"}
    ladders = {"dentist": by_model("a health worker"), "dogs": by_model("some animals")}
    own = {("dentist", "a health worker"), ("dogs", "some animals")}

    def shares(text, asked):
        return [[0.1 * ((s.of(text), p) in own) for p in phrases] for s, _, phrases in asked]

    network = SimpleNamespace(probabilities=shares)
    again = EvidenceFinder(lambda: network, NOTHING, lambda: second)
    again.prove(document(words), Plan(ladders))
    assert {place.mention.id: place.decoys for place in asked} == {
        "dentist": ("some animals",),
        "dogs": ("a health worker",),
    }
