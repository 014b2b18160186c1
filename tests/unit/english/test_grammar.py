"""One table of plurals, singulars and articles, compared with a library that knows more words."""

import pytest

from intact.english.grammar import (
    conjugated,
    indefinite,
    is_plural_noun,
    plural,
    plural_noun,
    plural_phrase,
    possessive,
    singular,
    singulars,
    verb_of,
    with_indefinite,
    without_article,
)

PAIRS = """
businessman businessmen, policewoman policewomen, grandchild grandchildren, person people,
spokesperson spokespeople, German Germans, human humans, Scotsman Scotsmen, housewife housewives,
bookshelf bookshelves, belief beliefs, roof roofs, city cities, boy boys, soliloquy soliloquies,
church churches, stomach stomachs, march marches, box boxes, virus viruses, gas gases, lens lenses,
analysis analyses, thrombosis thromboses, iris irises, hero heroes, photo photos, quiz quizzes,
movie movies, headache headaches, attorney attorneys, mother-in-law mothers-in-law,
commander-in-chief commanders-in-chief, passer-by passers-by, summons summonses, olive olives
"""


@pytest.mark.parametrize("pair", PAIRS.split(","))
def test_plural_and_back(pair):
    one, many = pair.split()
    assert plural_noun(one) == many
    assert plural_noun(many) == many
    assert singular(many.lower()) == one.lower()
    assert singular(one.lower()) == one.lower()
    assert is_plural_noun(many.lower())


@pytest.mark.parametrize(
    "noun", "series police headquarters aircraft diabetes arthritis annals Swiss Japanese".split()
)
def test_what_has_no_plural_of_its_own_stays(noun):
    assert plural_noun(noun) == noun


@pytest.mark.parametrize("noun", ["specimen", "pumice", "bias", "bus", "crisis", "court"])
def test_what_is_no_plural_is_its_own_singular(noun):
    assert singular(noun) == noun


def test_the_head_of_a_phrase_is_inflected_and_takes_the_genitive():
    assert plural("member of the armed forces") == "members of the armed forces"
    assert plural("person living abroad") == "people living abroad"
    assert plural_phrase("a businessman in Turkey") == "businessmen in Turkey"
    assert plural_phrase("criminal law") == "criminal law"
    assert singulars("dairy workers") == ("dairy worker",)
    assert without_article("an old man") == "old man"
    assert possessive("several years") == "several years’"
    assert possessive("a court in Turkey", "'") == "a court in Turkey's"


@pytest.mark.parametrize(
    "phrase",
    """an hour; a university; a European; an EU directive; a UK court; an NHS hospital; a NATO base
    a UEFA cup; an MP; a one-off; an 18-karat gold; an 8-year sentence; a 110 m race; an 11 May
    a 1,800 m run; a urinary tract infection; a uranium ore; a uterus; an urban area; an umbrella
    an unidentified man; a unit; an uninsured driver; an honorary title; an heir; a hotel; a U-turn
    an X-ray; a Ugandan; an Uzbek; a Uighur; a PERSON_1; an ORGANISATION_1; an "old" man
    a usual day; an usher; an A-level; an aide; a eunuch""".replace("\n", ";").split(";"),
)
def test_the_article_goes_by_the_sound(phrase):
    article, _, rest = phrase.strip().partition(" ")
    assert indefinite(rest) == article
    assert with_indefinite(rest) == phrase.strip()


@pytest.mark.parametrize(
    ("word", "before", "form", "said"),
    [
        ("works", "She ", "s", "has a habit"),
        ("lost", "he had ", "perfect", "had a habit"),
        ("lost", "he ", "past", "had a habit"),
        ("studying", "is ", "ing", "having a habit"),
        ("teach", "I ", "plain", "have a habit"),
    ],
)
def test_a_verb_keeps_its_form(word, before, form, said):
    assert verb_of(word, before)[1] == form
    assert conjugated("have a habit", form) == said


def test_irregular_verbs_of_wordings():
    assert conjugated("lose a relative", "past") == "lost a relative"
    assert conjugated("commit an offence", "ing") == "committing an offence"
    assert conjugated("get help", "ing") == "getting help"
    assert conjugated("be absent for a time", "ing") == "being absent for a time"
    assert conjugated("agree to something", "ing") == "agreeing to something"
    assert conjugated("agree to something", "past") == "agreed to something"


def test_the_library_agrees_on_common_nouns():
    engine = pytest.importorskip("inflect").engine()  # it says "thiefs" and "grandchilds", too
    nouns = """court judge applicant lawyer ministry county village businesswoman wife knife child
    foot tooth mouse disease injury hospital clinic virus bus crisis diagnosis basis hypothesis
    potato hero piano studio church brush tax boss city toy monkey story key quiz series species
    half shelf leaf belief chief criterion phenomenon bacterium vertebra alumnus""".split()
    assert [n for n in nouns if plural_noun(n) != engine.plural_noun(n)] == []
    words = """hour heir honest university unit European one-off umbrella urban uncle NHS MP
    uniform useful usual idea apple ewe""".split()
    assert [w for w in words if with_indefinite(w) != engine.a(w)] == []
