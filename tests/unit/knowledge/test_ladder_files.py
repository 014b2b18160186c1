import pytest

from intact.errors import ConfigError
from intact.knowledge.ladders import join, parse_ladder, read_ladders

TREE = """
# Remark
@types DEM MISC
@kind occupation
@wordnet person
a person | people
    a miller = grinder of corn
        - windmiller / keeper of a windmill, watermiller|water millers [NL]
"""


def test_a_tree_gives_rungs_and_entries_with_their_parents():
    person, miller, wind, water = parse_ladder(TREE, "mills.txt")
    assert person.parent == ""
    assert person.plural == "people"
    assert miller.concept == "term/miller"
    assert miller.parent == person.concept
    assert miller.names == ("miller", "grinder of corn")
    assert miller.plural == "millers"
    assert miller.plural_names == ("millers", "grinders of corn")
    assert wind.concept == "term/occupation/windmiller"
    assert wind.phrase == "a windmiller"
    assert wind.names == ("windmiller", "keeper of a windmill")
    assert not wind.rung
    assert water.plural == "water millers"
    assert water.country == "NL"
    assert water.types == ("DEM", "MISC")
    assert water.wordnet == ("person",)


def test_adjectives_and_mass_nouns_take_no_article():
    text = (
        "@form adjective\nNordic\n    - Lapp\n@form noun\n@entries mass\nan ache\n    - lumbago\n"
    )
    nordic, lapp, ache, lumbago = parse_ladder(text, "x")
    assert (lapp.phrase, lapp.adjective) == ("Lapp", True)
    assert lapp.concept.startswith("term/adj/")
    assert nordic.plural_names == ()
    assert ache.phrase == "an ache"
    assert (lumbago.phrase, lumbago.plural) == ("lumbago", "lumbago")


def test_an_outermost_rung_continues_where_another_file_defines_it():
    upper = parse_ladder("a person\n    a trader\n", "upper.txt")
    lower = parse_ladder("a trader\n    - fruiterer\n", "lower.txt")
    nodes = {node.concept: node for node in join([*lower, *upper])}
    assert nodes["term/trader"].parent == "term/person"
    assert nodes["term/term/fruiterer"].parent == "term/trader"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a person\n    a cook\na thing\n    a cook\n", "already has a place"),
        ("a cook\n    a baker\na baker\n    a cook\n", "above itself"),
        ("- cook\n", "under no rung"),
        ("a cook\n    - baker,, boiler\n", "no words"),
        ("a person\n    = cook\n", "no words"),
        ("    a cook\n", "indented"),
        ("@colour red\n", "unknown"),
        ("@form verb\n", "unknown"),
    ],
)
def test_errors_name_file_and_line(text, problem):
    with pytest.raises(ConfigError, match=problem) as caught:
        join(parse_ladder(text, "mine.txt"))
    assert "mine.txt, line" in str(caught.value)


def test_a_file_that_is_no_text_is_refused(tmp_path):
    path = tmp_path / "bad.txt"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match=r"bad\.txt"):
        read_ladders([path])
