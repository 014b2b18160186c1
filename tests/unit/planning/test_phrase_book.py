"""One phrase, one thing."""

import pytest

from intact.discourse.ledger import plainly
from intact.discourse.things import States, find_states
from intact.domain import Span
from intact.english.reading import ReadDocument
from intact.planning.rules.phrase_book import PhraseBook, surely_two
from intact.rewriting.occurrences import Occurrence
from intact.rewriting.slots import slots
from tests.unit.discourse.test_things import document


def test_places_of_the_respondent_are_there(base):
    text = "application no. 1/23 against [l:Sweden]. He left [l:Stockholm] for [l:Oslo]. "
    text += "The [o:Government] knew."
    states = find_states(ReadDocument(document(text)), base)
    assert states == States("SE", dict.fromkeys(["e0", "e1", "e3"], "SE"))
    masked = [Occurrence(Span(0, 9), f"e{at}", entity_type="LOC") for at in (1, 2)]
    book = PhraseBook(states, slots("Stockholm", masked))
    phrases = ["a city in Europe"] * 2
    assert book.reword(phrases) == ["a city in the respondent State", ""]
    assert plainly("a city in the respondent State") == "a city"


def told(respondent, *mentions):
    """Return a book's phrases; mentions are (entity, type, name, phrase, text that follows)."""
    countries = {
        "tr": "TR", "turkish": "TR", "gov": "TR", "se": "SE", "swedish": "SE", "iran": "IR",
    }  # fmt: skip
    text, masked = "", []
    for who, kind, name, _, after in mentions:
        masked.append(Occurrence(Span(len(text), len(text) + len(name)), who, entity_type=kind))
        text += f"{name}{after}; "
    book = PhraseBook(States(respondent, countries), slots(text, masked))
    return book.reword([phrase for *_, phrase, _ in mentions])


def test_the_respondent_state_is_one_state_whoever_is_spoken_of():
    assert told(
        "TR",
        ("tr", "LOC", "Turkey", "a country in Asia", " lodged"),
        ("turkish", "DEM", "Turkish", "Asian", " national"),
        ("gov", "ORG", "Turkish Government", "the government of a country in Asia", ""),
        ("gov", "ORG", "Turkey", "the government of a country in Asia", ""),
        ("tr", "LOC", "Turkey", "a country in Asia", "."),
        ("turkish", "DEM", "Turkish", "Asian", " music"),
        ("turkish", "DEM", "Turkish", "a certain country", " cook"),
        ("turkish", "DEM", "Turkish national", "national of a certain country", ""),
    ) == [
        "the respondent State",
        "the respondent State",
        "the Government of the respondent State",
        "the respondent State",
        "the respondent State",
        "",
        "the respondent State",
        "national of the respondent State",
    ]


def test_other_states_are_told_from_it_and_from_each_other():
    assert told(
        "TR",
        ("swedish", "DEM", "Swedish", "a certain country", " national"),
        ("se", "LOC", "Sweden", "a country in Europe", ""),
        ("iran", "LOC", "Iran", "a country", ""),
        ("iran", "LOC", "Iran", "a country", ""),
    ) == ["another country", "the other country", "a third country", "the third country"]


def test_no_phrase_holds_a_masked_name_and_labels_say_nothing():
    assert told(
        "TR",
        ("gov", "ORG", "Government", "the government of a country", ""),
        ("tr", "LOC", "Turkey", "a country", ""),
    ) == ["the government of the respondent State", "the respondent State"]
    mentions = [("tr", "LOC", "Turkey", "a country", ""), ("se", "LOC", "Sweden", "a country", "")]
    assert told("", *mentions) == ["", ""]
    assert told("TR", ("tr", "LOC", "Turkey", "", "")) == [""]


def test_a_body_may_be_called_by_nothing_but_brackets():
    assert told("tr", ("a", "ORG", "(FK) (FKA)", "a court", " held")) == [""]


def test_two_bodies_never_go_by_one_definite_phrase():
    assert told(
        "",
        ("a", "ORG", "Lund District Court", "a court", ""),
        ("b", "ORG", "Supreme Court", "a court", ""),
        ("a", "ORG", "Lund District Court", "a court", ""),
        ("b", "ORG", "Supreme Court", "a court", ""),
        ("c", "ORG", "District Court", "a court", ""),
        ("d", "ORG", "Lund Police", "a police force", ""),
        ("e", "ORG", "Lund Council", "an authority", ""),
        ("f", "ORG", "Malmö Council (rådet)", "an authority", ""),
        ("f", "ORG", "Malmö Council", "an authority", ""),
    ) == ["", "a second court", "", "a second court", "", "", "", *["a second authority"] * 2]


@pytest.mark.parametrize(
    ("one", "other", "wanted"),
    [
        ("Supreme Court", "District Court of Lund", True),
        ("County Administrative Court", "Administrative Court of Appeal", True),
        ("District Court", "Lund District Court", False),
        ("Essex Constabulary", "Surrey Police", True),
        ("9th Chamber of Lund Court of Trade", "4th Chamber of the Lund Court of Trade", True),
        ("7th Chamber of the Lund Court", "Lund Court", False),
        ("Home Office", "Home Department", False),
        ("Court of Cassation", "Supreme Court", False),
    ],
)
def test_bodies_are_two_only_where_their_names_say_so(one, other, wanted):
    assert surely_two(one, other) is wanted
    assert surely_two(other, one) is wanted


@pytest.mark.parametrize(
    ("phrase", "plain"),
    [
        ("the respondent State", "a country"),
        ("another country in Europe", "a country in Europe"),
        ("the second court", "the court"),
        ("respondent country", "a country"),
        ("a state in the United States", "a state in the United States"),
    ],
)
def test_an_attacker_reads_what_a_phrase_says_by_itself(phrase, plain):
    assert plainly(phrase) == plain


def test_the_respondent_is_read_from_the_text(base):
    case = document("application no. 1/23 against [l:the Republic of Turkey] by a [d:Swedish] man")
    assert find_states(ReadDocument(case), base) == States("TR", {"e0": "TR", "e1": "SE"})
    two = document("applications (nos. 1/23) against [l:Turkey] and against [l:Sweden], 1996")
    assert find_states(ReadDocument(two), base).respondent == ""
    assert find_states(ReadDocument(document("He lives in [l:Turkey].")), base).respondent == ""


def test_the_title_of_a_case_names_the_respondent_too(base):
    title = "CASE OF [p:IVANOV] v. [l:TURKEY]\n\nHe is a [d:Swedish] national."
    states = find_states(ReadDocument(document(title)), base)
    assert states == States("TR", {"e1": "TR", "e2": "SE"})
    cited = f"Facts.\n{'He left. ' * 50}See Ivanov v. [l:Turkey]."
    assert find_states(ReadDocument(document(cited)), base).respondent == ""


def test_the_respondent_of_a_title_is_called_so_in_its_capitals():
    text = "CASE OF IVANOV v. TURKEY\n"
    where = Span(len(text) - 7, len(text) - 1)
    slot = slots(text, [Occurrence(where, "tr", entity_type="LOC")])
    book = PhraseBook(States("TR", {"tr": "TR"}), slot)
    assert (book.reword(["a country"]), slot[0].upper) == (["the respondent State"], True)
