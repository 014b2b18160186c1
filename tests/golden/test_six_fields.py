"""A letter of a clinic, a complaint, an interview, a report of the police, a life, a school report:
made-up texts of other fields than the courts', read line by line; what a clerk would sign."""

from pathlib import Path

import pytest

import intact

TEXTS = Path(__file__).with_name("six_fields.json")

TRUE = {
    "Coronary Care Unit": "a hospital department",
    "basement flat": "a part of a building",
    "ward clerk": "an office worker",
    "IT department": "an organisational unit",
    "Works Council": "an organisational unit",
    "An officer": "a working person",
    "Italian coast guard": "a government agency",
    "a camp near Keren": "a camp",
    "14 Ashfield Road, Stockport": "an address",
    "a petrol station": "a place for vehicles",
    "the A6": "a road",
    "resistance fighter": "a combatant",
    "bullying": "a workplace matter",
    "music": "a field of study",
}
"""Mention -> a rung that its ladder holds."""

FALSE = (
    "military officer",
    "combat sport",
    "a navy",
    "goods",
    "a bank",
    "railway",
    "person workings",
    "number of men had forced the kitchen window",
)
"""What must not stand anywhere in the sanitised texts."""

SAYS = {
    "clinic": ("died of a health condition in middle age", "weighs 50 to 200 kg"),
    "hr": ("I am between 20 and 40, a parent of more than one child",),
    "immigration": ("A: In 2019 I walked to", "studies "),
    "police": ("said that more than one man had forced", ", aged between 20 and 39, of a building"),
    "school": ("sees her regularly",),
}
"""Document -> what its sanitised text says."""


@pytest.fixture(scope="module")
def documents():
    return {each.document.id: each for each in intact.sanitize(intact.load(TEXTS))}


def test_ladders_are_true(documents):
    ladders = {
        mention.text: [candidate.text for candidate in decision.ladder]
        for each in documents.values()
        for decision in each.decisions
        for mention in decision.entity.mentions
    }
    for text, rung in TRUE.items():
        found = next(ladders[known] for known in ladders if text in known)
        assert rung in found, text


def test_nothing_false_is_said(documents):
    for each in documents.values():
        for words in FALSE:
            assert words not in each.text, (each.document.id, words)
    for each in documents.values():
        for decision in each.decisions:
            if "military person" in decision.text:
                assert decision.entity.surfaces == ("conscript",)


@pytest.mark.parametrize("name", SAYS)
def test_sentences_read_well(documents, name):
    for words in SAYS[name]:
        assert words in documents[name].text
