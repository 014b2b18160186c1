"""The knowledge file from tiny inputs: its contents, and the same bytes every time."""

import pytest

pytest.importorskip("wordfreq")

from intact.errors import ResourceError
from intact.knowledge.base import KnowledgeBase
from intact.knowledge.terms import write_terms
from tools.knowledge.build import DATA, build

CITIES = [
    {
        "name": name, "countrycode": "SE", "population": population, "latitude": latitude,
        "longitude": 15.0, "admin1code": "01", "alternatenames": others,
    }
    for name, population, latitude, others in [
        ("Storstad", 900_000, 59.0, ["Storborg", "Gross-Stadt", "Стад"]),
        ("Nära", 50_000, 59.1, []),
        ("Medelby", 30_000, 62.0, []),
        ("Lillby", 700, 65.0, []),
        ("Lillby", 300, 66.0, []),
    ]
]  # fmt: skip
COUNTRIES = {"SE": {"capital": "Storstad", "population": 10_000_000}}

SUPPLEMENTAL = """<supplementalData><territoryContainment>
<group type="150" contains="154 155 039 151"/>
<group type="154" contains="SE NO GG IM JE DK EE FI FO GB IE IS LT LV"/>
<group type="150" contains="SE" status="grouping"/>
</territoryContainment></supplementalData>"""
NAMES = """<ldml><localeDisplayNames><subdivisions>
<subdivision type="se01">Provinsen</subdivision></subdivisions></localeDisplayNames></ldml>"""
GROUPS = """<supplementalData><subdivisionContainment>
<subgroup type="SE" contains="se01"/></subdivisionContainment></supplementalData>"""


@pytest.fixture
def cldr(tmp_path):
    folder = tmp_path / "common"
    (folder / "supplemental").mkdir(parents=True)
    (folder / "subdivisions").mkdir()
    codes = " ".join(
        line.split("|")[0].strip()
        for line in (DATA / "countries.txt").read_text(encoding="utf-8").splitlines()
        if line[:2].isupper() and line[2] == " "
    )
    text = SUPPLEMENTAL.replace("SE NO GG IM JE DK EE FI FO GB IE IS LT LV", codes)
    (folder / "supplemental" / "supplementalData.xml").write_text(text, encoding="utf-8")
    (folder / "supplemental" / "subdivisions.xml").write_text(GROUPS, encoding="utf-8")
    (folder / "subdivisions" / "en.xml").write_text(NAMES, encoding="utf-8")
    return folder


def no_terms(connection):
    write_terms(connection, ())


def test_the_same_inputs_give_the_same_bytes_and_a_missing_one_is_named(tmp_path, cldr):
    build(tmp_path / "a.sqlite", CITIES, COUNTRIES, cldr, no_terms, {})
    build(tmp_path / "b.sqlite", list(reversed(CITIES)), COUNTRIES, cldr, no_terms, {})
    assert (tmp_path / "a.sqlite").read_bytes() == (tmp_path / "b.sqlite").read_bytes()
    with pytest.raises(ResourceError, match="unicode-cldr-core"):
        build(tmp_path / "a.sqlite", [], {}, tmp_path / "nowhere", no_terms, {})


def test_what_is_built_can_be_asked(tmp_path, cldr):
    build(tmp_path / "a.sqlite", CITIES, COUNTRIES, cldr, no_terms, {})
    base = KnowledgeBase.open(tmp_path / "a.sqlite")
    votes = {"SE": 1.0}
    firsts = {}
    for name in ("Storstad", "Storborg", "Nära", "Medelby", "Lillby", "Provinsen"):
        link = base.link(name, "LOC", votes)
        assert link is not None
        firsts[name] = base.chain(link)[0].text
    base.close()
    assert firsts == {
        "Storstad": "a capital city in Northern Europe",
        "Storborg": "a capital city in Northern Europe",
        "Nära": "a town or district in Sweden",
        "Medelby": "a town or city in Sweden",
        "Lillby": "a town or village in Sweden",
        "Provinsen": "a county in Sweden",
    }
