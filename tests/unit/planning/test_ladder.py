"""Merging what several generators propose."""

from collections.abc import Mapping, Sequence

import pytest

from intact.domain import Candidate, Document, Entity, IdentifierType, Ladder, Mention, Span
from intact.planning.ladder import (
    CandidateChecks,
    ChainGenerator,
    contains,
    merged,
    narrower,
    reordered,
)


def rungs(*texts: str, source: str = "a") -> Ladder:
    return tuple(Candidate(text, rank, source) for rank, text in enumerate(texts))


class Fixed:
    name = "fixed"

    def __init__(self, ladders: Mapping[str, Ladder]) -> None:
        self.ladders = ladders
        self.asked: list[str] = []

    def generate(self, document: Document, entities: Sequence[Entity]) -> Mapping[str, Ladder]:
        self.asked += [entity.id for entity in entities]
        return {key: self.ladders[key] for key in self.asked if key in self.ladders}


def chain(*generators: Fixed, interleave: bool = False) -> Mapping[str, list[str]]:
    mentions = (
        Mention("1", Span(0, 6), "Bergen", "city", "LOC"),
        Mention("2", Span(7, 13), "Joiner", "trade", "DEM"),
        Mention("3", Span(14, 17), "Ola", "person", "PERSON"),
        Mention("4", Span(18, 22), "Voss", "direct", "LOC", IdentifierType.DIRECT),
    )
    document = Document("d", "Bergen Joiner Ola Voss", mentions)
    made = ChainGenerator(generators, CandidateChecks(), interleave=interleave)
    found = made.generate(document, document.entities)
    for ladder in found.values():
        assert [rung.rank for rung in ladder] == list(range(len(ladder)))
    return {key: [rung.text for rung in ladder] for key, ladder in found.items()}


def test_the_first_source_that_has_some_is_taken() -> None:
    first = Fixed({"city": rungs("a port", "a city")})
    second = Fixed({"city": rungs("a place"), "trade": rungs("a craftsman")})
    assert chain(first, second) == {"city": ["a port", "a city"], "trade": ["a craftsman"]}
    assert second.asked == ["trade"]


def test_a_source_with_nothing_sound_passes_on() -> None:
    first = Fixed({"city": rungs("the Bergen area")})
    assert chain(first, Fixed({"city": rungs("a city")})) == {"city": ["a city"]}


def test_interleaving_keeps_each_order_and_drops_what_is_there() -> None:
    first = Fixed({"city": rungs("a port", "a city")})
    second = Fixed({"city": rungs("the port", "a place", "a location")})
    assert chain(first, second, interleave=True) == {
        "city": ["the port", "a city", "a place", "a location"]
    }


def test_what_is_never_generalised_is_not_asked_for() -> None:
    generator = Fixed({"person": rungs("a man"), "direct": rungs("a town")})
    assert chain(generator) == {}
    assert generator.asked == ["city", "trade"]


def test_narrower_rungs_go_before_wider_ones() -> None:
    year = Candidate("1996", 0, "a", "interval:1996-01-01/1996-12-31")
    month = Candidate("May 1996", 0, "b", "interval:1996-05-01/1996-05-31")
    again = Candidate("the year 1996", 1, "b", "interval:1996-01-01/1996-12-31")
    assert [rung.text for rung in merged([(year,), (month, again)], 8)] == ["May 1996", "1996"]


def test_a_rung_waits_for_those_of_other_ladders_that_say_more() -> None:
    own = rungs("an island in the far north", "an island in the north", "a place in the sea")
    other = rungs("an island", "a natural feature")
    assert [rung.text for rung in merged([own, other], 8)] == [
        "an island in the far north",
        "an island in the north",
        "an island",
        "a natural feature",
        "a place in the sea",
    ]


def test_rungs_of_several_ladders_stand_in_the_order_of_how_much_they_fit() -> None:
    known = {"a town in the north": 900.0, "a town": 50_000.0, "a place in Europe": 300_000.0}
    model = rungs("a seaside resort", "a place in Europe", "somewhere abroad")
    base = rungs("a town in the north", "a town", "a place")
    texts = [
        rung.text
        for rung in merged([model, base], 8, "LOC", breadth=lambda phrase, _: known.get(phrase))
    ]
    assert texts.index("a town in the north") < texts.index("a place in Europe")
    assert texts.index("a town") < texts.index("a place in Europe")
    assert texts.index("a seaside resort") < texts.index("a town")


def test_a_place_abroad_says_no_more_than_a_place() -> None:
    known = {"a town or village": 90_000.0, "a place abroad": 100.0}
    ladders = [rungs("a town or village", "a place"), rungs("a place abroad")]
    found = merged(ladders, 8, "LOC", breadth=lambda phrase, _: known.get(phrase))
    assert found[0].text == "a town or village"


def test_what_fits_everybody_comes_last_whatever_is_known_of_another() -> None:
    known = {"not well": 5.0}
    ladders = [rungs("of a certain description"), rungs("very tired", "not well")]
    found = merged(ladders, 8, "DEM", breadth=lambda phrase, _: known.get(phrase))
    assert [r.text for r in found] == ["very tired", "not well", "of a certain description"]


def test_a_rung_that_holds_for_every_time_comes_last() -> None:
    model = (Candidate("1944", 0, "llm", "interval:1944-01-01/1944-12-31"),)
    rules = (Candidate("a certain time", 0, "dates", "any:-inf/inf"),)
    assert [rung.text for rung in merged([rules, model], 8, "DATETIME")] == [
        "1944",
        "a certain time",
    ]


def test_either_word_of_a_wider_rung_counts() -> None:
    ladders = [rungs("a city in the north of Italy", "a thing"), rungs("a town or city in Italy")]
    assert merged(ladders, 8)[1].text == "a town or city in Italy"
    assert merged(ladders[::-1], 8)[0].text == "a city in the north of Italy"


def test_a_rung_waits_for_what_the_knowledge_base_knows_to_say_more() -> None:
    def subsumes(general: str, specific: str, _type: str) -> bool | None:
        return True if (general, specific) == ("a watercraft", "a ship") else None

    ladders = [rungs("a trawler", "a ship"), rungs("a watercraft", "a thing")]
    texts = [rung.text for rung in merged(ladders, 8, "MISC", subsumes)]
    assert texts == ["a trawler", "a ship", "a watercraft", "a thing"]


def test_the_last_resort_survives_the_limit() -> None:
    assert [r.text for r in merged([rungs(*"abcdef")], 3)] == ["a", "b", "f"]


@pytest.mark.parametrize(
    ("outer", "inner", "expected"),
    [
        ("interval:1990-01-01/1999-12-31", "interval:1996-05-01/1996-05-31", True),
        ("interval:1996-05-01/1996-05-31", "interval:1990-01-01/1999-12-31", False),
        ("duration:10/100", "duration:9/50", False),
        ("duration:5/100", "duration:9/50", True),
        ("number:0/100 GBP", "number:5/10 GBP", False),
        ("interval:1990-01-01/1999-12-31", "number:1/2", False),
        ("concept:geo/TR", "concept:geo/TR-34", False),
        (None, "number:1/2", False),
    ],
)
def test_contains(outer: str | None, inner: str | None, expected: bool) -> None:
    assert contains(outer, inner) is expected


def texts(candidates: Sequence[Candidate]) -> list[str]:
    return [candidate.text for candidate in candidates]


def test_more_words_about_the_same_head_say_more() -> None:
    mixed = rungs("a city", "a city in Turkey", "a large city in Turkey")
    assert texts(reordered(mixed, "LOC")) == [
        "a large city in Turkey",
        "a city in Turkey",
        "a city",
    ]


def test_other_heads_are_left_as_they_came() -> None:
    mixed = rungs("a court", "a court official", "a public body")
    assert texts(reordered(mixed, "ORG")) == texts(mixed)


def test_intervals_and_the_knowledge_base_decide() -> None:
    wide = Candidate("the 1990s", 0, "llm", "interval:1990-01-01/1999-12-31")
    narrow = Candidate("1996", 1, "llm", "interval:1996-01-01/1996-12-31")
    assert texts(reordered([wide, narrow], "DATETIME")) == ["1996", "the 1990s"]

    def subsumes(general: str, specific: str, kind: str) -> bool | None:
        return (general, specific) == ("a health worker", "a midwife") or None

    one, other = rungs("a health worker", "a midwife")
    assert narrower(other, one, "DEM", subsumes)
    assert not narrower(one, other, "DEM", subsumes)
    assert texts(reordered([one, other], "DEM", subsumes)) == ["a midwife", "a health worker"]
