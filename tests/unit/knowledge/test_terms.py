import sqlite3

import pytest

from intact.english.reading import Place
from intact.knowledge.terms import Terms
from tools.knowledge.build import LADDERS
from tools.knowledge.terms import store_terms
from tools.knowledge.wordnet import Synset, WordNet, read_wordnet

PERSON, PLAYER, BASS_PLAYER, ODD, MUSICIAN, RUDE = 1, 2, 3, 4, 5, 6
WORDNET = WordNet(
    {
        PERSON: Synset(PERSON, "tops", ("person", "somebody"), 0, False),
        ODD: Synset(ODD, "person", ("unfortunate",), PERSON, False),
        MUSICIAN: Synset(MUSICIAN, "person", ("musician",), PERSON, False),
        PLAYER: Synset(PLAYER, "person", ("zither player",), MUSICIAN, False),
        BASS_PLAYER: Synset(BASS_PLAYER, "person", ("bass zither player",), PLAYER, False),
        RUDE: Synset(RUDE, "person", ("zik", "zok"), MUSICIAN, False, {"zok"}),
        9: Synset(9, "shape", ("zigzag",), 0, False),
    },
    {
        "person": (1,),
        "unfortunate": (4,),
        "zither player": (2,),
        "bass zither player": (3,),
        "musician": (5,),
        "zik": (6,),
        "zok": (6,),
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


def test_rude_words_are_known_but_no_guesses(connection, terms):
    told = {name for (name,) in connection.execute("SELECT name FROM term_member")}
    assert "zik" in told and "zok" not in told
    known = connection.execute("SELECT COUNT(*) FROM term_name WHERE term = ?", (-RUDE,))
    assert next(known) == (2,)


def test_the_rude_words_of_wordnet_are_those_of_a_marked_meaning(tmp_path):
    usage = ";u 07124340 n 0201"  # of its second word
    rows = [
        f"00000001 08 n 02 back 0 dorsum 0 002 @ 00000002 n 0000 {usage} | x",
        "00000002 08 n 01 part 0 002 ;u 06718862 n 0000 ;u 07157273 n 0000 | x",
        "00000003 08 n 01 trunk 0 002 @ 00000002 n 0000 ;u 07157273 n 0000 | x",
    ]
    (tmp_path / "data.noun").write_text("  head\n" + "\n".join(rows) + "\n")
    (tmp_path / "index.noun").write_text("back n 1 0 1 0 00000001\n")
    synsets = read_wordnet(tmp_path).synsets
    assert [set(synsets[at].rude) for at in (1, 2, 3)] == [{"dorsum"}, {"part"}, set()]
    assert synsets[1].parent == 2


def chain(terms, text, kind, before="", after=""):
    link = terms.link(text, kind, Place(before, text, after))
    return [rung.text for rung in link.rungs] if link else []


@pytest.mark.parametrize(
    ("text", "kind", "first"),
    [
        ("barrister", "DEM", "a lawyer"),
        ("barrister, cold store", "DEM", "a barrister"),
        ("wool and cotton merchant", "DEM", "a merchant"),
        ("Saab 99", "MISC", "a Saab"),
        ("former bishop", "DEM", "a former senior member of the clergy"),
        ("her two stepsons", "DEM", "step-relatives"),
        ("Peruvian nationals", "DEM", "South American nationals"),
        ("migraine and insomnia", "DEM", "health conditions"),
        ("a deep cut on the chin", "DEM", "a cut"),
        ("son's autism", "DEM", "a developmental disorder"),
        ("section 4 of the Divorce Act 1908", "MISC", "a legal provision"),
        ("Civic Government (Scotland) Act 1982", "MISC", "a law on public administration"),
        ("Miller v. Baker [1931] 2 KB 77", "MISC", "a decided court case"),
    ],
)
def test_first_rung(terms, text, kind, first):
    assert chain(terms, text, kind)[:1] == [first]


@pytest.mark.parametrize(
    "text", ["12 June 1987", "“Magpie”", "zigzagged at once to every question", ""]
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
    assert "of a certain skin colour" not in chain(terms, "black", "DEM", "a ", " woman")


def test_nationality_keeps_its_country_and_a_verb_its_object(terms):
    link = terms.link("Norwegian", "DEM")
    assert link.country == "NO"
    other = terms.link("Norwegian", "DEM", Place("the ", "Norwegian", " flag"))
    assert other.concept == link.concept
    assert terms.link("cleans", "DEM", Place("My wife, who ", "cleans", " the offices")) is None


def test_a_users_ladder_comes_first_and_runs_on_in_the_shipped_ones(connection, tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("@types DEM\na lawyer\n    a maritime lawyer\n        - wreck counsel\n")
    own = Terms(connection, [path])
    assert chain(own, "wreck counsel", "DEM")[:3] == [
        "a maritime lawyer",
        "a lawyer",
        "a legal professional",
    ]


@pytest.mark.parametrize(
    ("before", "text", "first"),
    [
        ("He wrote that he ", "lost his job", "was out of work"),
        ("He was ", "tearful", "showing distress"),
        ("they took out ", "one kidney", "an internal organ"),
        ("a son who ", "was killed in 1996", "passed away"),
        ("LANGUAGES\nWelsh (native), ", "Swedish", "a Scandinavian language"),
        ("Nationality: ", "Peruvian", "South American"),
    ],
)
def test_what_is_said_of_somebody_is_said_wider_in_its_own_form(terms, before, text, first):
    link = terms.link(text, "DEM", Place(before, text, ", and so on."))
    assert link.rungs[0].text == first


@pytest.mark.parametrize(
    ("text", "entity_type", "phrase"),
    [
        ("typist", "DEM", "a secretarial worker"),
        ("tree surgeon", "DEM", "a gardening or forestry worker"),
        ("massage", "DEM", "a hands-on treatment"),
        ("chemotherapy", "DEM", "a cancer treatment"),
        ("unmarried", "DEM", "without a spouse"),
        ("coeliac", "DEM", "with a digestive condition"),
        ("junior minister for transport", "DEM", "a member of a government"),
        ("deputy director in charge of credit cards", "DEM", "a director"),
        ("trainee solicitor", "DEM", "a trainee"),
        ("wardrobe", "MISC", "a piece of furniture"),
        ("fire drill", "MISC", "a safety exercise"),
        ("HND in Marine Biology", "DEM", "an educational qualification"),
        ("SP30", "MISC", "a driving offence"),
    ],
)
def test_a_word_has_the_nearest_phrase_that_is_true_of_it(terms, text, entity_type, phrase):
    assert chain(terms, text, entity_type)[0] == phrase


def test_what_has_its_article_is_a_noun_already(terms):
    assert chain(terms, "riveter", "DEM", "he was a ", " there")[0] == "a metal worker"


def test_a_head_that_is_another_thing_alone_says_nothing(terms):
    for text in ("the wine vat", "a line lead", "levels in the house"):
        assert terms.link(text, "DEM", Place("he saw ", text)) is None
    assert "addiction" in chain(terms, "a history of alcohol misuse", "DEM", "he had ")[0]


@pytest.mark.parametrize(
    ("before", "text", "kind"),
    [
        ("the hospital (", "Isala", "MISC"),
        ("as a ", "jolly fellow", "DEM"),
        ("her mother-in-", "law", "DEM"),
        ("lung disease (", "GOLD 3", "DEM"),
        ("he went to sea ", "without papers", "MISC"),
        ("Well. ", "Denies chest pain", "MISC"),
        ("", "Alleges officer", "DEM"),
        ("who nursed ", "Ma", "DEM"),
    ],
)
def test_what_only_looks_like_something_has_no_link(terms, before, text, kind):
    assert terms.link(text, kind, Place(before, text)) is None
