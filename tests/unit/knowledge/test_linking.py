"""Linking of names: no phrase says a country, kind or number that the name does not tell."""

import pytest

from intact.english.reading import Place

DANISH = {"DK": 0.95}
ITALIAN = {"IT": 0.9}
JAMAICAN = {"JM": 0.96, "US": 0.02}
BRITISH = {"GB": 0.9}


def first(base, text, entity_type, votes):
    link = base.link(text, entity_type, votes)
    return base.chain(link)[0].text if link else ""


@pytest.mark.parametrize(
    ("text", "votes", "phrase"),
    [
        ("Wexvik Fisheries AS", BRITISH, "a limited company"),
        ("Wexmora a.s.", BRITISH, "a limited company"),
        ("Wexmora A/S", DANISH, "a limited company"),
        ("Signed S Wexley", BRITISH, ""),
        ("First National Bank of Wexville", {"US": 0.9}, "a bank"),
        ("Wex Sunrise Farms", BRITISH, "an agricultural business"),
        ("Roche AG", BRITISH, "a limited company"),
        ("Wexmar Office Furniture", {}, "a business"),
        ("Wexmar Motors", {}, "a motor trade business"),
        ("Wexmar & Partners", {}, "a professional firm"),
        ("Wexmar sorting office", {}, "a mail service"),
        ("Wexmar Parish Pastoral Council", {}, "a church committee"),
        ("Wexmar school council", {}, "a body within an organisation"),
        ("Wexmar Record Office", {}, "an archive"),
        ("Wexmar Blood Centre", {}, "a health or care facility"),
        ("Wexmar Owners Corporation", {}, "a residents' body"),
    ],
)
def test_companies_and_other_bodies(base, text, votes, phrase):
    assert first(base, text, "ORG", votes) == phrase


@pytest.mark.parametrize(
    ("text", "votes", "phrase"),
    [
        ("District Court of Wexopot", ITALIAN, "a district court"),
        ("Sopot District Court", ITALIAN, "a district court"),
        ("District Court", ITALIAN, "a district court in Italy"),
        ("Second Section of the Court of Cassation", ITALIAN, "a supreme court in Italy"),
        ("Government of Wexland", BRITISH, "a public authority"),
        ("Wexbridge Prison", BRITISH, "a prison"),
    ],
)
def test_an_unknown_place_does_not_lie_in_the_document_s_country(base, text, votes, phrase):
    assert first(base, text, "ORG", votes) == phrase


def test_one_word_is_not_yet_a_country_and_an_unknown_place_has_none(base):
    assert base.link("Mirador Wexorres", "LOC", DANISH) is None
    once = base.votes(["Bo, a Danish diver, was late."])
    often = base.votes(["Bo, a Danish diver from Denmark, spoke Danish with the other Danes."])
    assert once["DK"] < 0.5 and often["DK"] > 0.75
    assert base.link("Ghent", "LOC", base.votes(["Ghent"])).country == "BE"


@pytest.mark.parametrize(
    ("text", "name", "country"),
    [
        ("He lives in Savannah, Georgia.", "Georgia", "US"),
        ("He lives in Tbilisi, Georgia.", "Georgia", "GE"),
        ("She was born in Scarborough, Ontario.", "Ontario", "CA"),
        ("A farm in Maua, Kenya.", "Maua", "KE"),
        ("He moved from Leeds, England, to Hull.", "Hull", "GB"),
        ("The inquest was held in Newcastle, England.", "Newcastle", "GB"),
    ],
)
def test_what_a_place_stands_beside_tells_its_country(base, text, name, country):
    assert base.link(name, "LOC", base.votes([text, name])).country == country


@pytest.mark.parametrize(
    ("text", "entity_type", "phrase"),
    [
        ("Wexmar Peaches", "ORG", "a sports team"),
        ("the St. Wexmar Black Hawks", "ORG", "a sports team"),
        ("the Peaches", "ORG", ""),
        ("Grey Wolves", "ORG", ""),
        ("Wexland national under-21 team", "ORG", "a sports team"),
        ("Wexmar Albion", "ORG", "a sports club"),
        ("Wexmar FK", "ORG", "a sports club"),
        ("FK", "ORG", ""),
        ("Hapoel Wexmar", "ORG", "a sports club"),
        ("Wexmar Rowing Federation", "ORG", "a sports organisation"),
        ("Wexmar Counties East League", "ORG", "a sports organisation"),
        ("Wexmar Muslim League", "ORG", "an organisation"),
        ("Wexmar League", "MISC", "a sports league"),
        ("Wexmar Sports Hall of Fame", "MISC", "a commemorative institution"),
        ("Wexmar Raceway", "ORG", "a sports venue"),
        ("Wexmar & Sons", "ORG", "a business"),
        ("Wexmar, Wexell & Wexton", "ORG", "a business"),
        ("Wexell & Hove", "ORG", ""),
        ("Accident & Emergency", "ORG", ""),
        ("Wexmar Press", "ORG", "a media company"),
        ("Wexmar Records", "ORG", "a music company"),
        ("the White Sox", "ORG", "a sports team"),
        ("Wexmar Motor Co.", "ORG", "a firm"),
        ("Wexmar Co. Early Childhood", "ORG", ""),
        ("Wexmar Air Corps", "ORG", "a military unit"),
        ("28th Wexmar Foot", "ORG", "a military unit"),
        ("Wexmar Academy of Sciences", "ORG", "a research institution"),
        ("Penn State", "ORG", "a university"),
        ("Phi Beta Kappa", "ORG", "a student society"),
        ("the Archbishop of Wexmar", "ORG", "a religious authority"),
        ("the Wexmar kingdom", "ORG", "a monarchy"),
        ("the Magic Kingdom", "ORG", ""),
        ("the II Electoral District of Wexmar", "MISC", "a voting area"),
        ("Honoured Artist of Wexland", "MISC", "an honorary title"),
        ("the Wexschule", "ORG", "a school"),
        ("11th Light Dragoons", "ORG", "a military unit"),
        ("Wexmar Cantonment", "ORG", "a military base"),
        ("KCMG", "ORG", "an official honour"),
        ("O.S.B.", "ORG", "a religious order"),
        ("the U.S. state of Wexland", "ORG", "a state or province"),
        ("Prix Wexmar", "MISC", "an award"),
        ("the Second Crusade", "MISC", "an armed conflict"),
    ],
)
def test_a_name_says_by_its_own_words_what_it_is(base, text, entity_type, phrase):
    assert first(base, text, entity_type, {}) == phrase


@pytest.mark.parametrize("text", ["Cairo Café", "Paris Bakery Ltd", "Turkish Wex Ltd"])
def test_a_firm_called_after_a_country_may_be_anywhere(base, text):
    assert " in " not in first(base, text, "ORG", BRITISH)


def test_a_small_namesake_abroad_needs_support(base):
    assert first(base, "Half Moon", "ORG", JAMAICAN) == ""
    assert first(base, "Half Moon", "LOC", JAMAICAN) == "a town or village"
    assert first(base, "Granville", "LOC", JAMAICAN) == "a town or district"
    assert first(base, "Granville", "LOC", {"FR": 0.9}) == "a town in France"
    assert base.link("Patagonia", "LOC", DANISH) is None
    assert first(base, "lay-by by the chapel", "LOC", {}) == "a place for vehicles"
    assert first(base, "Kópavogur", "LOC", {}) == "a town or city in Iceland"
    assert first(base, "Ravenna", "LOC", {}) == "a town or city in Italy"
    assert first(base, "Gujarat", "LOC", {}).startswith("a state or territory in")


@pytest.mark.parametrize(
    ("text", "entity_type"),
    [
        ("Mill Wexend", "LOC"),
        ("China Garden", "ORG"),
        ("The Library of Wex series", "ORG"),
        ("King's Head", "ORG"),
    ],
)
def test_a_noun_in_a_name_is_not_always_what_it_is(base, text, entity_type):
    assert first(base, text, entity_type, BRITISH) == ""


@pytest.mark.parametrize(
    ("text", "entity_type", "before", "phrase"),
    [
        ("Biscuit", "MISC", "our collie ", ""),  # a name is no food
        ("lithium batteries", "MISC", "pallets of ", "electrical devices"),
        ("te reo Māori", "DEM", "and speaks ", "a language"),
        ("Qxrzzi", "MISC", "Speaks Tonga, some ", "a language"),
        ("Qxrzzi", "MISC", "They did not speak, ", ""),
        ("carer for her sister", "DEM", "a ", "a person caring for another"),
        ("pākehā", "DEM", "was smaller, ", ""),
        ("Bad Dreams", "MISC", "in the film ", "a film"),
        ("Hamlet 2", "MISC", "wrote the films Bad Dreams and ", "a film"),
    ],
)
def test_the_kind_is_the_head_nouns_and_fits_the_sentence(base, text, entity_type, before, phrase):
    link = base.link(text, entity_type, {}, Place(before, text))
    rungs = base.chain(link) if link is not None else ()
    assert [each.text for each in rungs if each.text == phrase] == [phrase][: bool(phrase)]
    assert rungs == () or phrase


def test_money_and_house_numbers_tell_where_a_place_is(base):
    votes = base.votes(["Train to Durham. I paid £11.20 and US$ 3."])
    assert next(iter(votes)) == "GB"
    assert first(base, "Durham", "LOC", votes) != first(base, "Durham", "LOC", {"US": 0.5})
    assert not base.votes(["EUR 300, seat B 41, PCN BM702"])
    assert first(base, "3 Harbour Row, Anstruther", "LOC", BRITISH).startswith("an address in")
    assert first(base, "Flat 6, Palm Court, Hove", "LOC", BRITISH).startswith("an address in")


def test_a_people_of_which_every_region_is_told_is_an_origin(base):
    last = {}
    for before, after in (("he is ", ", and"), ("the only ", " there"), ("a ", " cook")):
        link = base.link("Kurdish", "DEM", {}, Place(before, "Kurdish", after))
        last[before] = base.chain(link)[-1].text
    assert last == {"he is ": "of a particular origin", "the only ": "Asian", "a ": "Asian"}


@pytest.mark.parametrize(
    ("text", "entity_type", "phrase"),
    [
        ("Far North Pharmacy", "ORG", "a health or care facility"),  # not Cameroon's Far North
        ("Universidad del Valle", "ORG", "a university"),
        ("Government Secondary School, Wukari", "ORG", "a school"),
        ("the Clan Macleod", "MISC", ""),
        ("Dunn's River Falls", "LOC", "a waterfall"),
        ("behind the old ice house", "LOC", "a building"),
        ("Škofja Loka", "LOC", "a town or district in Slovenia"),
        ("in the drying room", "MISC", "a room"),
        ("under the age of 18", "DEM", ""),
    ],
)
def test_one_word_of_a_name_does_not_decide(base, text, entity_type, phrase):
    votes = base.votes([text])
    link = base.link(text, entity_type, votes)
    rungs = base.chain(link) if link is not None else ()
    assert [each.text for each in rungs if each.text == phrase] == [phrase][: bool(phrase)]
    assert rungs == () or phrase


@pytest.mark.parametrize(
    ("text", "entity_type", "phrase"),
    [
        ("Box 62, 409 Wexing Ave", "ORG", "an address"),
        ("4417 Wexet Ct", "LOC", "an address"),
        ("Wexor Forest", "LOC", "a place"),
        ("CF24 3QN", "LOC", "a postal area"),
        ("PAN", "MISC", ""),
    ],
)
def test_a_name_is_only_what_it_surely_is(base, text, entity_type, phrase):
    assert first(base, text, entity_type, {}) == phrase


def test_what_is_denied_to_some_is_not_denied_to_all_of_their_kind(base):
    for before, told in (("such benefits were payable to ", True), ("no such was paid to ", False)):
        assert (base.link("widowers", "DEM", {}, Place(before, "widowers")) is not None) is told


def test_a_numbered_ward_is_a_hospitals(base):
    link = base.link("Ward 3", "LOC", {})
    assert link is not None and "a part of a hospital" in [one.text for one in base.chain(link)]
