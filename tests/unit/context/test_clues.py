"""Clues in words that nobody annotated, by the form they have."""

import pytest

from intact.context import find_clues
from intact.knowledge.base import KnowledgeBase
from tests.marked import document_of

BASE = KnowledgeBase.open()


def clues(text, *masked):
    return [
        (clue.kind, clue.span.of(text)) for clue in find_clues(document_of(text, *masked), BASE)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He fell under section 7(2) of Law no. 3713 on terrorism.",
         ("norm", "section 7(2) of Law no. 3713")),
        ("They relied on the Prevention of Terrorism (Temporary Provisions) Act 1984.",
         ("title", "Prevention of Terrorism (Temporary Provisions) Act 1984")),
        ("The appeal court (kammarrätten) refused.", ("foreign", "kammarrätten")),
        ("He then moved to Norway with her.", ("place", "Norway")),
        ("She was paid Child Benefit until May.", ("term", "Child Benefit")),
        ("He relied on section 5 of the Law of 17 June 2004 on delay.",
         ("norm", "section 5 of the Law of 17 June 2004")),
        ("Under Article 146 § 1 of the – then in force – Criminal Code he was tried.",
         ("norm", "Article 146 § 1 of the – then in force – Criminal Code")),
        ("“In accordance with section 1, Road Traffic Offenders Act 1988, I give notice.”",
         ("norm", "section 1, Road Traffic Offenders Act 1988")),
        ("Then Law no. 4616 on Conditional Release, Deferral of Procedure and Punishments came.",
         ("norm", "Law no. 4616 on Conditional Release, Deferral of Procedure and Punishments")),
        (f"It was brought (Ustawa o {'skardze na naruszenie prawa strony ' * 3}) before them.",
         ("foreign", f"Ustawa o {'skardze na naruszenie prawa strony ' * 3}".strip())),
    ],
)  # fmt: skip
def test_lists(text, expected):
    assert clues(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "It was lodged under Article 34 of the Convention for the Protection of Human Rights.",
        "The President of the Second Section gave notice under Rule 52 § 1 of the Rules of Court.",
        "The complaint is inadmissible ratione materiae (prima facie).",
        "The Council of Europe and the Committee of Ministers were told.",
        "It was done by Order of the Court (see Öztürk cited above).",
        "A Deportation Order was made. He said that he would go.",
        "THE CIRCUMSTANCES OF THE CASE",
    ],
)
def test_leaves_what_tells_nothing(text):
    assert clues(text) == []


def test_what_is_masked_is_no_clue_and_its_other_names_are():
    text = "The court (kammarrätten) in Sundsvall."
    assert clues(text, ("kammarrätten", "ORG"), ("Sundsvall", "LOC")) == []
    text = "The United Kingdom of Great Britain and Northern Ireland replied."
    masked = "United Kingdom of Great Britain and Northern"
    assert clues(text, (masked, "LOC")) == []
    text = "The Agent was Mr J. Nowak of the Ministry of Foreign Affairs."
    assert clues(text, ("Mr J. Nowak", "PERSON")) == [
        ("institution", "Ministry of Foreign Affairs")
    ]
    text = "He sued Holland. The Dutch authorities and Mr Zwietering agreed; Zwietering won."
    found = clues(text, ("Holland", "LOC"), ("Mr Zwietering", "PERSON"))
    assert ("alias", "Dutch") in found
    assert ("alias", "Zwietering") in found


def test_a_detector_brings_its_names():
    text = "Zacharias Topp met Quentin Wuffle."
    seen = document_of(text, ("Zacharias Topp", "PERSON"), ("Quentin Wuffle", "PERSON")).mentions
    found = find_clues(document_of(text, ("Zacharias Topp", "PERSON")), BASE, seen)
    assert [(clue.kind, clue.span.of(text)) for clue in found] == [("name", "Quentin Wuffle")]


@pytest.mark.parametrize(
    ("found", "kind"),
    [("the applicant", "PERSON"), ("34", "CODE"), ("Human", "ORG"), ("Second Section", "ORG")],
)
def test_a_role_a_rule_or_a_plain_word_that_a_detector_finds_is_no_name(found, kind):
    text = f"It concerned {found} and others."
    assert find_clues(document_of(text), BASE, document_of(text, (found, kind)).mentions) == ()
