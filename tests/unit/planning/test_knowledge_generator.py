"""Ladders from the knowledge base: names, short forms, last resorts."""

from dataclasses import replace

import pytest

from intact.domain import Span
from intact.english.reading import ReadDocument
from intact.knowledge import Rung
from intact.planning.rules.kinds import KnowledgeGenerator, allowed_rungs
from intact.protocols import SentenceReading
from tests.marked import document_of


class _Reading:
    """A reader that gives every mention the same kinds."""

    def __init__(self, shares, slot=""):
        self.reading = SentenceReading(shares, slot)

    def read(self, document, mentions, known):
        return [self.reading for _ in mentions]


@pytest.fixture(scope="module")
def generator(base):
    return KnowledgeGenerator(base, _Reading({}))


def ladders(generator, doc):
    found = generator.generate(ReadDocument(doc), doc.entities)
    by_id = {entity.id: entity.surfaces[0] for entity in doc.entities}
    return {by_id[key]: [rung.text for rung in ladder] for key, ladder in found.items()}


def test_the_document_tells_the_country(generator):
    doc = document_of(
        "The Swedish applicant, of Swedish parents, lived in Sala in Sweden and was tried by the "
        "District Court.",
        ("Swedish", "DEM"),
        ("Sala", "LOC"),
        ("District Court", "ORG"),
    )
    found = ladders(generator, doc)
    assert found["Sala"][0] == "a town in Sweden"
    assert found["District Court"][0] == "a district court in Sweden"


def test_short_forms_mean_what_the_document_says(generator):
    text = "He appealed to the Privy Council. The Council sat in Denmark, Kingdom of Denmark."
    doc = document_of(text, ("Privy Council", "ORG"), ("Council ", "ORG"))
    short = replace(doc.mentions[1], text="Council", span=Span(38, 45))
    found = ladders(generator, replace(doc, mentions=(doc.mentions[0], short)))
    assert found["Council"][0] == "a public authority"


def test_a_nationality_is_sure_though_the_word_names_a_language_too(generator):
    doc = document_of("Four Swedish nationals complained.", ("Swedish", "DEM"))
    (ladder,) = generator.generate(ReadDocument(doc), doc.entities).values()
    assert {rung.evidence.probability for rung in ladder} == {1.0}


def test_a_government_is_no_country(generator):
    text = "He sued the Kingdom of Sweden. The Swedish Government answered."
    doc = document_of(text, ("Kingdom of Sweden", "ORG"), ("Swedish Government", "ORG"))
    state, government = doc.mentions
    both = replace(doc, mentions=(state, replace(government, entity_id=state.entity_id)))
    (ladder,) = generator.generate(ReadDocument(both), both.entities).values()
    assert ladder[0].text == "the government of a country in Northern Europe"


def test_last_resorts(generator):
    doc = document_of(
        "In Qwyxle he met Zanbrook and left on 4 May 1999.",
        ("Qwyxle", "LOC"),
        ("Zanbrook", "ORG"),
        ("4 May 1999", "ORG"),
    )
    found = ladders(generator, doc)
    assert found["Qwyxle"] == ["a place"]
    assert found["Zanbrook"][-1] == "an organisation"
    assert "4 May 1999" not in found


@pytest.mark.parametrize(
    ("text", "part", "kind", "last"),
    [
        ("He was singled out as a liar there.", "singled out as a liar", "MISC", None),
        ("I talked to him: lost his job then.", "lost his job", "DEM", "was out of work"),
        ("When he slept six nights there.", "slept", "DEM", None),
        ("Fifty-three yes, six maybe.", "six", "DEM", None),
        ("His gout is back.", "gout", "DEM", "a personal circumstance"),
        ("Comments of the Belgian Government.", "Belgian", "ORG", "a certain country"),
        ("Ann came, she is 8, she sings.", "8", "MISC", None),
        ("He read about working conditions.", "working conditions", "MISC", None),
    ],
)  # fmt: skip
def test_where_all_is_told_what_fits_and_says_nothing_is_left(generator, text, part, kind, last):
    found = ladders(generator, document_of(text, (part, kind))).get(part, [None])
    assert found[-1] == last


@pytest.mark.parametrize(
    ("shares", "left"),
    [
        ({"part-of-the-head": 0.3, "part-of-the-body": 0.4},
         ["part of the head", "a part of the body"]),
        ({"part-of-the-head": 0.001, "part-of-the-body": 0.4}, ["a part of the body"]),
        ({"manager": 0.9}, []),
        ({}, ["part of the head", "a part of the body"]),
    ],
)  # fmt: skip
def test_the_sentence_rules_out_senses(base, shares, left):
    rungs = (Rung("part of the head", "a"), Rung("a part of the body", "b"))
    allowed = allowed_rungs(base.lexicon, rungs, shares)
    assert len(allowed) == len(left)
    assert [rung.text for rung in allowed[-1:]] == ["a part of the body"][: len(left)]


def test_a_sense_that_is_far_less_likely_than_another_of_the_word_is_not_meant(base):
    made = document_of("Signed by the head, in May.", ("head", "DEM"))
    for person, said in ((0.2, True), (0.8, False)):
        shares = {"part-of-the-body": 0.05, "person": person}
        found = ladders(KnowledgeGenerator(base, _Reading(shares)), made)
        assert ("a part of the body" in found.get("head", [])) == said


def test_where_words_say_nothing_the_sentence_does(base):
    told = document_of("He was treated at the Qxrzzy in May.", ("Qxrzzy", "ORG"))
    shares = {"organisation": 0.99, "healthcare-facility": 0.98, "hospital": 0.96}
    reader = _Reading(shares, "nominal")
    sure = KnowledgeGenerator(base, reader).generate(ReadDocument(told), told.entities)["e0"]
    assert [rung.text for rung in sure][:2] == ["a hospital", "a health or care facility"]
    unsure = {"organisation": 0.9, "hospital": 0.6}
    less = KnowledgeGenerator(base, _Reading(unsure)).generate(ReadDocument(told), told.entities)[
        "e0"
    ]
    assert [rung.text for rung in less] == ["an organisation"]


@pytest.mark.parametrize(
    ("text", "part", "kind", "share", "first"),
    [
        ("They have hands like raw steak there.", "hands like raw steak", "DEM", 0.01, ""),
        ("They owe Quay Street Practice.", "Quay Street Practice", "ORG", 0.01, "an organisation"),
        ("They asked the Brent Prosecutor.", "the Brent Prosecutor", "ORG", 0.01, "a prosecutor"),
    ],
)  # fmt: skip
def test_a_part_of_the_words_that_contradicts_the_type_has_to_be_likely(
    base, text, part, kind, share, first
):
    made = document_of(text, (part, kind))
    shares = dict.fromkeys(("meat", "musical-group", "street", "prosecutor", "company"), share)
    found = ladders(KnowledgeGenerator(base, _Reading(shares)), made)
    assert next(iter(found.get(part, [])), "") == first


@pytest.mark.parametrize(
    ("text", "part", "shares", "said"),
    [
        ("She hid it in the qwerty.", "qwerty", {"thing": 0.5}, []),
        ("She hid it in the qwerty.", "qwerty", {"thing": 0.95}, ["an object"]),
        ("She hid it in the qwerty.", "qwerty", {"person": 0.5}, []),
        ("She had the qwerty.", "qwerty", {"health-matter": 0.97}, ["a health matter"]),
    ],
)
def test_a_common_noun_of_no_sure_kind_keeps_its_label(base, text, part, shares, said):
    generator = KnowledgeGenerator(base, _Reading(shares, "nominal"))
    assert ladders(generator, document_of(text, (part, "MISC"))).get(part, []) == said


@pytest.mark.parametrize(
    ("text", "part", "slot", "shares", "said"),
    [
        ("Bo juggled a bit.", "juggled a bit", "verb", {}, []),
        ("Bo asked Al to qwerty now.", "qwerty now", "verb", {}, []),
        ("Bo never juggled a bit.", "juggled a bit", "verb", {}, []),
        ("Bo, juggled by Al, left.", "juggled by Al", "verb", {}, []),
        ("Bo juggles a bit.", "juggles a bit", "verb", {"debt": 0.95}, []),
        ("Bo came, as all is odd.", "all is odd", "clause", {}, []),
        ("Bo came, as my qwerty was out.", "qwerty was out", "clause", {}, []),
        ("Bo came early, quite qwerty.", "quite qwerty", "pred", {}, []),
        ("Name: Bo\nDuty: qwerty", "qwerty", "field", {"debt": 0.95}, ["a debt"]),
        ("Bo is old, but not deaf.", "not deaf", "pred", {"disabled-person": 0.95}, []),
        ("Bo got 17.", "17", "nominal", {"thing": 0.95}, []),
        ("Bo was a Qxrzzy.", "Qxrzzy", "nominal", {"person": 0.6}, []),
        ("It was his Qxrzzy's aunt.", "Qxrzzy's aunt", "nominal", {"person": 0.6}, []),
        ("Bo saw no Qxrzzy, a Qxrzzy.", "no Qxrzzy", "nominal", {"person": 0.6}, []),
    ],
)
def test_where_no_rule_tells_the_slot_the_sentence_does(base, text, part, slot, shares, said):
    generator = KnowledgeGenerator(base, _Reading(shares, slot))
    assert ladders(generator, document_of(text, (part, "DEM"))).get(part, [])[:1] == said


def test_a_place_does_not_vouch_for_itself(generator):
    made = document_of("Ann, a Polish nurse, lives in Whitby.", ("Whitby", "LOC"))
    assert ladders(generator, made)["Whitby"][0] == "a town or city"
    made = document_of("Ann lives in Whitby, in England.", ("Whitby", "LOC"))
    assert ladders(generator, made)["Whitby"][0] == "a town in England"
    made = document_of("Ann, a Polish nurse, lives in Odense.", ("Odense", "LOC"))
    assert ladders(generator, made)["Odense"][0] == "a city in Denmark"
    made = document_of("Ann met an Armenian, who taught.", ("Armenian", "DEM"))
    assert "a language" not in ladders(generator, made).get("Armenian", [])
