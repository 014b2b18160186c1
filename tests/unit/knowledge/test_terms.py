import sqlite3

import pytest

from intact.knowledge.patterns import Context
from intact.knowledge.terms import Terms
from tools.knowledge.build import LADDERS
from tools.knowledge.terms import store_terms
from tools.knowledge.wordnet import Synset, WordNet

PERSON, PLAYER, BASS_PLAYER, ODD, MUSICIAN = 1, 2, 3, 4, 5
WORDNET = WordNet(
    {
        PERSON: Synset(PERSON, "tops", ("person", "somebody"), 0, False),
        ODD: Synset(ODD, "person", ("unfortunate",), PERSON, False),
        MUSICIAN: Synset(MUSICIAN, "person", ("musician",), PERSON, False),
        PLAYER: Synset(PLAYER, "person", ("zither player",), MUSICIAN, False),
        BASS_PLAYER: Synset(BASS_PLAYER, "person", ("bass zither player",), PLAYER, False),
        9: Synset(9, "shape", ("zigzag",), 0, False),
    },
    {
        "person": (1,),
        "unfortunate": (4,),
        "zither player": (2,),
        "bass zither player": (3,),
        "musician": (5,),
    },
)


@pytest.fixture(scope="module")
def connection():
    made = sqlite3.connect(":memory:")
    store_terms(made, LADDERS, WORDNET, lambda word: 6.0 - len(word) / 10)
    yield made
    made.close()


@pytest.fixture(scope="module")
def terms(connection):
    return Terms(connection)


def chain(terms, text, kind, before="", after=""):
    link = terms.link(text, kind, before, after)
    return [rung.text for rung in terms.chain(link)] if link else []


@pytest.mark.parametrize(
    ("text", "kind", "first"),
    [
        ("barrister", "DEM", "a lawyer"),
        ("Barristers", "DEM", "lawyers"),
        ("pastry cook", "DEM", "a food production worker"),
        ("glazier by trade", "DEM", "a craftsperson"),
        ("former bishop", "DEM", "a former senior member of the clergy"),
        ("retired glazier", "DEM", "a former craftsperson"),
        ("wool and cotton merchant", "DEM", "a merchant"),
        ("widower", "DEM", "a person who lost a spouse"),
        ("her two stepsons", "DEM", "step-relatives"),
        ("Swedish", "DEM", "Scandinavian"),
        ("Peruvian nationals", "DEM", "South American nationals"),
        ("of Kurdish origin", "DEM", "Western Asian origin"),
        ("migraine and insomnia", "DEM", "health conditions"),
        ("the left shin", "DEM", "part of a leg"),
        ("a deep cut on the chin", "DEM", "a cut"),
        ("problems with his knees", "DEM", "health conditions"),
        ("hip-related", "DEM", "health-related"),
        ("Forestry Act 1921", "MISC", "a written law"),
        ("farm hand, cotton", "DEM", "an agricultural worker"),
        ("defenders", "DEM", "people with a certain role"),
        ("first written warning", "MISC", "written warning"),
        ("Sjögren's", "DEM", "a blood or immune condition"),
        ("convicted of burglary", "DEM", "found guilty of a dishonest taking of property"),
        ("section 4 of the Divorce Act 1908", "MISC", "a legal provision"),
        ("Civic Government (Scotland) Act 1982", "MISC", "a law on public administration"),
        ("Broadcasting Act 1990", "MISC", "a law on the media"),
        ("Rules 7 and 9", "MISC", "legal provisions"),
        ("Miller v. Baker [1931] 2 KB 77", "MISC", "a decided court case"),
        ("three counts of arson", "MISC", "accusations"),
        ("Miners' Sickness Allowance", "MISC", "a sickness or disability benefit"),
        ("Saab 99", "MISC", "a Saab"),
        ("sold apples", "MISC", "traded in fruit"),
    ],
)
def test_first_rung(terms, text, kind, first):
    assert chain(terms, text, kind)[:1] == [first]


@pytest.mark.parametrize(
    "text",
    ["12 June 1987", "1954", "49", "“Magpie”", "QXR", "replied at once to every question", "", "—"],
)
def test_what_is_not_sure_has_no_link(terms, text):
    assert terms.link(text, "MISC") is None


def test_the_sentence_tells_the_sense(terms):
    assert (
        chain(terms, "Finnish", "DEM", "Her mother tongue is ", ". She")[0] == "a Uralic language"
    )
    assert chain(terms, "Finnish", "DEM", "by a ", " national")[:1] == ["Nordic"]
    assert chain(terms, "child", "DEM", "she was a ", " in 1980")[0] == "a young person"
    assert chain(terms, "children", "DEM", "he left his ", " there")[0] == "close relatives"
    assert chain(terms, "Grey Dawn", "MISC", "she wrote the novel ", " and")[0] == "a novel"
    assert chain(terms, "“Late Guest”", "MISC", "a film called ", ".")[0] == "a film"


def test_a_postpositive_adjective_stays_out_before_a_noun(terms):
    assert "of a certain skin colour" not in chain(terms, "black", "DEM", "a ", " woman")
    assert "of a certain skin colour" in chain(terms, "black", "DEM", "who is ", ", left")


def test_nationality_keeps_its_country(terms):
    link = terms.link("Norwegian", "DEM")
    assert link.country == "NO"
    other = terms.link("Norwegian", "DEM", "the ", " flag")
    assert other.concept == link.concept


def test_members_are_likeliest_first(terms):
    found = terms.members("a legal professional", 5)
    assert len(found.names) == 5
    assert list(found.probabilities) == sorted(found.probabilities, reverse=True)
    assert found.total > 20
    many = terms.members("lawyers", 50)
    assert "barristers" in many.names
    assert terms.members("a purple idea", 5) is None


def test_a_users_ladder_comes_first_and_runs_on_in_the_shipped_ones(connection, tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("@types DEM\na lawyer\n    a maritime lawyer\n        - wreck counsel\n")
    own = Terms(connection, [path])
    assert chain(own, "wreck counsel", "DEM")[:3] == [
        "a maritime lawyer",
        "a lawyer",
        "a legal professional",
    ]


def test_same_text_same_rungs(connection, terms):
    again = Terms(connection)
    for text in ("cancer", "Polish", "gold medal", "two of arson"):
        assert chain(again, text, "MISC") == chain(terms, text, "MISC")


def test_ordinals_are_no_terms(terms):
    assert chain(terms, "8th", "MISC") == []


def test_officers_need_not_be_soldiers(terms):
    assert chain(terms, "decision officer", "DEM")[0] == "a person in authority"
    assert "a military person" in chain(terms, "army officer", "DEM")


@pytest.mark.parametrize(
    ("before", "text", "first"),
    [
        ("He wrote that he ", "lost his job", "had a change at work"),
        ("Dot, who is 91 and ", "uses a frame", "has a medical aid"),
        ("Joaquim is on dialysis and ", "can't drive", "can't do certain things"),
        ("When he went out to ", "smoke", "follow a certain habit"),
        ("Guapi, on the coast, the ", "seventh of eight children", "one of the children"),
        ("who is Danish and ", "studies dentistry", "learns about an applied science"),
        ("She ", "has tinnitus", "has an ear condition"),
        ("She ", "coaches a boys' football team", "helps others in a sport"),
        ("They ", "married", "had a change in the family"),
        ("I was ", "expecting my second child", "in certain family circumstances"),
        ("He was ", "tearful", "in a certain mood"),
        ("(", "10th grade, group C", "a school class"),
        ("I have an ", "irritable bladder", "a health condition"),
        ("I have ", "one kidney", "a health condition"),
        ("they took out ", "one kidney", "an internal organ"),
        ("takes ", "ramipril 5 mg", "a medicine"),
        ("tall, a ", "moko on the left forearm", "a bodily feature"),
        ("was a ", "forewoman", "a person working in an organisation"),
        ("She ", "stopped the sertraline", "had a change in the use of a medicine"),
        ("Mr Aas has ", "declined dialysis", "decided against a medical procedure"),
        ("in May. ", "Slept about two hours", "had a certain amount of rest"),
        ("wet hair. ", "Cried", "showed feelings"),
        ("the lamp, and ", "had not taken the ramipril", "had not done a certain thing"),
        ("a son who ", "was killed in 1996", "passed away"),
        ("I must say he ", "hit me on the arm", "made forceful contact"),
        ("I ", "must not work nights", "must not do certain things"),
        ("She ", "never drinks wine", "never does certain things"),
        ("I ", "never eat meat", "never do certain things"),
        ("a girl, ", "never on time", "of a certain character"),
        ("her ", "lip was bleeding", "health was affected"),
        ("given ", "ceftriaxone", "a medicine"),
        ("LANGUAGES\nWelsh (native), ", "Swedish", "a Scandinavian language"),
        ("he has been ", "in prison", "deprived of liberty"),
        ("with ", "increasing breathlessness", "a physical symptom"),
        ("Nationality: ", "Peruvian", "South American"),
        ("the girl ", "pushes the sofa against the door", "makes forceful contact"),
    ],
)
def test_what_is_said_of_somebody_is_said_wider_in_its_own_form(terms, before, text, first):
    link = terms.link(text, "DEM", before, ", and so on.")
    assert link.rungs[0].text == first


@pytest.mark.parametrize(
    ("before", "text", "kind"),
    [
        ("the hospital (", "Isala", "MISC"),
        ("up at 5 a.m. for ", "Chariots of Fire", "MISC"),
        ("as a ", "teaching fellow", "DEM"),
        ("on the news: ", "Weeping Statues", "MISC"),
        ("born ", "& Garden", "MISC"),
        ("her mother-in-", "law", "DEM"),
        ("severe on the left and ", "moderate", "DEM"),
        ("lung disease (", "GOLD 3", "DEM"),
        ("he went to sea ", "without papers", "MISC"),
    ],
)
def test_what_only_looks_like_something_has_no_link(terms, before, text, kind):
    assert terms.link(text, kind, before) is None


def test_a_year_behind_a_title_makes_it_a_work(terms):
    assert chain(terms, "Night Runner", "MISC", "films such as it, ", " (1999) and")[-1] == "a work"


def test_a_comma_puts_the_head_before_it(terms):
    assert chain(terms, "barrister, cold store", "DEM")[0] == "a barrister"


def test_a_role_comes_before_a_thing_for_a_person(terms):
    assert chain(terms, "chair", "DEM")[0] == "a person with a certain role"
    assert chain(terms, "chair", "MISC")[0] == "a household or personal object"


def test_a_nationality_alone_can_be_said_without_its_region(terms):
    assert (
        chain(terms, "Peruvian", "DEM", "Nationality: ", "\nBorn")[-1] == "of a certain nationality"
    )


def test_a_verb_whose_object_stands_behind_it_takes_one(terms):
    link = terms.link("cleans", "DEM", "My wife, who ", " the offices, has")
    assert [rung.text for rung in link.rungs] == ["deals with"]


@pytest.mark.parametrize("text", ["white Mazda Bounty", "red Piaggio", "Massey Ferguson 135"])
def test_a_car_by_its_maker(terms, text):
    link = terms.link(text, "MISC", "drove a ")
    assert link.rungs[0].text == "a motor vehicle"


@pytest.mark.parametrize(("before", "after"), [("she saw the ", True), ("the judge saw ", False)])
def test_an_article_stands_directly_before(before, after):
    assert Context("MISC", before).after_article is after
