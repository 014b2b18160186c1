"""Linking and wording places and organisations; lessons of earlier trials as regressions."""

import pytest

from intact.errors import ResourceError
from intact.knowledge import Rule
from intact.knowledge.base import FILE, KnowledgeBase

TURKISH = {"TR": 1.0}
BRITISH = {"GB": 0.9, "IE": 0.1}
SWEDISH = {"SE": 1.0}


def texts(base, text, entity_type, votes):
    link = base.link(text, entity_type, votes)
    return [] if link is None else [rung.text for rung in base.chain(link)]


def test_a_city_is_worded_from_its_country_out(base):
    chain = texts(base, "Diyarbakır", "LOC", TURKISH)
    assert chain[:3] == ["a city in Turkey", "a city in Western Asia", "a city in Asia"]
    assert chain[3:] == ["a city", "a place in Western Asia", "a place in Asia", "a place"]


@pytest.mark.parametrize(
    ("text", "votes", "first"),
    [
        ("Orsa", SWEDISH, "a town in Sweden"),
        ("Kalmar", SWEDISH, "a town or city in Sweden"),
        ("Turkey", TURKISH, "a country in Western Asia"),
        ("the United Kingdom’s", BRITISH, "a country in Northern Europe"),
        ("Texas", {"US": 1.0}, "a state in the United States"),
        ("Leeds", BRITISH, "a city in England"),
        ("Istanbul", {}, "a city in Turkey"),
        ("Kenya", {}, "a country in East Africa"),
        ("Warsaw", {"PL": 1.0}, "a capital city in Eastern Europe"),
        ("Qwyxbridge, Devon", BRITISH, "a place in England"),
        ("Turkish", TURKISH, "Western Asian"),
        ("M4", BRITISH, "a road in the United Kingdom"),
        ("Heathcombe Prison, Leeds", BRITISH, "a prison in England"),
    ],
)
def test_places(base, text, votes, first):
    assert texts(base, text, "LOC", votes)[0] == first


def test_votes_and_containers_decide_between_namesakes(base):
    link = base.link("Stalybridge, Cheshire", "LOC", BRITISH)
    assert (link.country, link.rule) == ("GB", Rule.COMPOSITE)
    british = base.link("Newcastle", "LOC", BRITISH)
    australian = base.link("Newcastle", "LOC", {"AU": 1.0})
    assert (british.country, australian.country) == ("GB", "AU")


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("goalie", "a defensive player"),  # whatever the sport
        ("winger", "an attacking player"),
        ("midfielder", "an outfield player"),
        ("chess master", "a board game player"),
        ("businessman", "a person in commerce"),
        ("provost", "a senior figure"),  # of a church, a college or a town
        ("first secretary", "a senior figure"),  # of an embassy or a party
        ("missionary", "a church worker"),
        ("canoness", "a member of a religious order"),
        ("rishi", "a religious figure"),
        ("condottiero", "a military leader"),
        ("ministerialis", "a member of a great household"),
        ("patron of the arts", "a supporter of culture"),
        ("hurley maker", "a craftsperson"),
        ("Government Pleader", "a lawyer"),  # no authority
        ("Chief Justice", "a senior judge"),
        ("sheriff's deputy", "a law enforcement officer"),
        ("head girl", "a senior pupil"),
        ("social worker", "a welfare professional"),
        ("veena player", "a musician"),  # plays in no team
        ("cheese grader", "a food production worker"),
    ],
)
def test_roles_are_told_by_what_is_true_of_all_who_have_them(base, text, first):
    assert texts(base, text, "DEM", {})[0] == first


@pytest.mark.parametrize("text", ["Middlesex", "Stalybridge", "Gaziosmanpaşa"])
def test_no_namesake_in_a_country_nobody_spoke_of(base, text):
    votes = {"SE": 1.0}
    chain = texts(base, text, "LOC", votes)
    assert chain and not any(" in " in rung for rung in chain)


@pytest.mark.parametrize(
    ("text", "votes", "first"),
    [
        ("9th Chamber of the Sinop Commercial Court", TURKISH, "a commercial court in Turkey"),
        ("Supreme Court (Højesteret)", {"DK": 1.0}, "a supreme court in Denmark"),
        ("St Mary's Church", {}, "a church"),
        ("the state of Michigan", {}, "a state"),
        ("Government of Sweden", SWEDISH, "the government of a country in Northern Europe"),
        ("Swedish Government", SWEDISH, "the government of a country in Northern Europe"),
        ("Kingdom of Norway", {"NO": 1.0}, "a country in Northern Europe"),
        ("University of Graz", {"AT": 1.0}, "a university in Austria"),
        ("Zenbrook Fastenings Ltd", BRITISH, "a limited company"),
        ("Zenbrook Insurance plc", BRITISH, "a limited company"),
        ("Council of Europe", {}, "an international organisation"),
        ("3rd Infantry Regiment", {}, "a military unit"),
    ],
)
def test_organisations(base, text, votes, first):
    assert texts(base, text, "ORG", votes)[0] == first


def test_organisations_have_rungs_without_geography(base):
    chain = texts(base, "Sinop Assize Court", "ORG", TURKISH)
    assert chain[1] == "a court in Turkey"
    assert chain[2:4] == ["a criminal court", "a court"]
    assert chain[-2:] == ["a public authority", "an organisation"]


@pytest.mark.parametrize(
    ("text", "votes", "first"),
    [
        ("seen as the very soul of the trade", BRITISH, ""),  # "as" is no legal form there
        ("House of Lords Standing Order IV", BRITISH, "a document"),
        ("Deputy Registrars", BRITISH, "court officials in the United Kingdom"),
        ("Kent Magistrates' Court", {}, "a lower court"),
        ("Swedeen", TURKISH, ""),
        ("United Kingdom of Great Britain and", BRITISH, "a country in Northern Europe"),
        ("Wexland State", {"US": 1.0}, ""),
    ],
)
def test_what_looks_like_an_organisation(base, text, votes, first):
    assert (texts(base, text, "ORG", votes) or [""])[0] == first


def test_countries_are_voted_for_and_names_have_aliases(base):
    votes = base.votes(["The applicant, a Swedish national, lives in Sweden.", "Oslo"])
    assert next(iter(votes)) == "SE"
    assert 0.5 < sum(votes.values()) < 1.0
    assert votes["NO"] > 0
    assert next(iter(base.votes(["She was born in Pennsylvania, in Idaho."]))) == "US"
    assert base.votes([]) == {}
    assert base.votes(["he ate turkey and polish sausage"]) == {}
    assert base.is_shared("Newcastle") and not base.is_shared("Istanbul")
    assert {"turkey", "turkiye", "turkish", "turk"} <= base.aliases("Türkiye")
    assert {"uk", "united kingdom", "britain", "british"} <= base.aliases("UK")
    assert "warszawa" in base.aliases("Warsaw")
    assert base.aliases("Qwyx") == {"qwyx"}


@pytest.mark.parametrize(
    ("phrase", "name"),
    [
        ("a city in Turkey", "Istanbul"),
        ("a country in Southern Europe", "Italy"),
        ("Western Asian", "Turkish"),
        ("a European nationality", "German"),
        ("a town in England", "Reading"),
    ],
)
def test_members(base, phrase, name):
    members = base.members(phrase, "LOC", 10)
    assert name in members.names
    assert members.total >= len(members.names)
    assert list(members.probabilities) == sorted(members.probabilities, reverse=True)
    assert 0 < sum(members.probabilities) <= 1 + 1e-9


def test_members_of_an_office_are_heads_with_towns_and_of_an_unknown_scope_none(base):
    members = base.members("a labour court in Turkey", "ORG", 40)
    assert "Labour Court" not in members.names  # the phrase says so itself
    assert "Employment Court" in members.names
    assert any(name.startswith("Istanbul ") for name in members.names)
    assert base.members("a city in Blefuscu", "LOC", 5) is None


@pytest.mark.parametrize(
    ("general", "specific", "expected"),
    [
        ("a city in Turkey", "Ankara", True),
        ("a city in Greece", "Ankara", False),
        ("a country in Asia", "Turkey", True),
        ("a country in Europe", "Turkey", False),
        ("a court", "Sinop Assize Court", True),
        ("a city in Turkey", "Qwyx", None),
    ],
)
def test_subsumes(base, general, specific, expected):
    entity_type = "ORG" if "Court" in specific else "LOC"
    assert base.subsumes(general, specific, entity_type) is expected


@pytest.mark.parametrize(
    ("general", "specific", "entity_type", "expected"),
    [
        ("a town in northern Italy", "Bournemouth", "LOC", False),
        ("a nurse", "lawyer", "DEM", None),
        ("a state in the Balkans", "Croatia", "LOC", None),
        ("a Nordic country", "Spain", "LOC", False),
        ("a river in England", "Bournemouth", "LOC", False),
        ("a psychiatric hospital", "HMP Verne", "ORG", False),
        ("a correctional facility", "HMP Verne", "ORG", True),
        ("a prison in southern England", "HMP Verne", "ORG", None),
        ("a city", "Ankara Assize Court", "ORG", False),
        ("a tax authority", "Bournemouth", "LOC", False),
        ("a Hungarian", "British", "DEM", False),
        ("an antibiotic", "cannabis resin", "MISC", False),
        ("a circulatory disorder", "high blood pressure", "MISC", True),
    ],
)
def test_subsumes_reads_modifiers_parts_and_kinds(base, general, specific, entity_type, expected):
    assert base.subsumes(general, specific, entity_type) is expected


def test_user_ladders(tmp_path):
    ladder = tmp_path / "own.txt"
    ladder.write_text(
        "@types ORG\n@kind guild\n\na guild\n    - brewfellowship\n", encoding="utf-8"
    )
    base = KnowledgeBase.open(extra_ladders=[ladder])
    assert texts(base, "Brewfellowship of Borås", "ORG", SWEDISH)[0] == "a guild in Sweden"
    base.close()


def test_entries_of_user_ladders_are_unranked_and_never_hide_known_ones(tmp_path):
    ladder = tmp_path / "own.txt"
    ladder.write_text(
        "@types DEM\n@kind occupation\n\na lawyer\n    - weirmote reader\na weir keeper\n"
        "    - lockwarden\n",
        encoding="utf-8",
    )
    own, shipped = KnowledgeBase.open(extra_ladders=[ladder]), KnowledgeBase.open()
    known, added = (base.members("a lawyer", "DEM", 5) for base in (shipped, own))
    assert known is not None and added is not None and added.names == known.names
    keepers = own.members("a weir keeper", "DEM", 5)
    assert keepers is not None and keepers.names == ("lockwarden",) and not keepers.ranked
    own.close()
    shipped.close()


def test_the_shipped_file_is_small_and_read_only(base):
    assert FILE.stat().st_size <= 20 * 1024 * 1024
    with pytest.raises(ResourceError, match="OperationalError"):
        base._connection.execute("DELETE FROM city")


@pytest.mark.parametrize("name", ["Istanbul", "Topkapı", "Edirne", "Honolulu", "Vladivostok"])
def test_of_a_place_on_another_continent_than_its_country_no_continent_is_said(base, name):
    told = texts(base, name, "LOC", base.votes([name]))
    assert told and not [one for one in told if one.endswith(("Asia", "Europe", "America"))]
