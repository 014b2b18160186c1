"""Merging what several generators propose."""

from intact.domain import Candidate, Document, IdentifierType, Mention, Span
from intact.english.reading import ReadDocument
from intact.planning.ladder import DocumentChecks, RulePlanner, distinct_rungs, narrower


def rungs(*texts, source="a"):
    return tuple(Candidate(text, rank, source) for rank, text in enumerate(texts))


class Fixed:
    name = "fixed"

    def __init__(self, ladders):
        self.ladders = ladders
        self.asked: list[str] = []

    def generate(self, read, entities):
        self.asked += [entity.id for entity in entities]
        return {key: self.ladders[key] for key in self.asked if key in self.ladders}


def chain(*generators):
    mentions = (
        Mention("1", Span(0, 6), "Bergen", "city", "LOC"),
        Mention("2", Span(7, 13), "Joiner", "trade", "DEM"),
        Mention("3", Span(14, 17), "Ola", "person", "PERSON"),
        Mention("4", Span(18, 22), "Voss", "direct", "LOC", IdentifierType.DIRECT),
    )
    document = Document("d", "Bergen Joiner Ola Voss", mentions)
    made = RulePlanner(generators, DocumentChecks)
    found = made.generate(ReadDocument(document), document.entities)
    for ladder in found.values():
        assert [rung.rank for rung in ladder] == list(range(len(ladder)))
    return {key: [rung.text for rung in ladder] for key, ladder in found.items()}


def test_the_first_source_that_has_something_sound_is_taken():
    first = Fixed({"city": rungs("a port", "a city")})
    second = Fixed({"city": rungs("a place"), "trade": rungs("a craftsman")})
    assert chain(first, second) == {"city": ["a port", "a city"], "trade": ["a craftsman"]}
    assert second.asked == ["trade"]
    first = Fixed({"city": rungs("the Bergen area")})
    assert chain(first, Fixed({"city": rungs("a city")})) == {"city": ["a city"]}
    generator = Fixed({"person": rungs("a man"), "direct": rungs("a town")})
    assert chain(generator) == {}
    assert generator.asked == ["city", "trade"]


def test_narrower_rungs_go_before_wider_ones_and_the_last_survives():
    year = Candidate("1996", 0, "a", "interval:1996-01-01/1996-12-31")
    month = Candidate("May 1996", 0, "b", "interval:1996-05-01/1996-05-31")
    again = Candidate("the year 1996", 1, "b", "interval:1996-01-01/1996-12-31")
    assert [rung.text for rung in distinct_rungs((month, year, again), 8)] == ["May 1996", "1996"]
    assert [r.text for r in distinct_rungs(rungs(*"abcdef"), 3)] == ["a", "b", "f"]


def test_what_says_more():
    city, turkish, large = rungs("a city", "a city in Turkey", "a large city in Turkey")
    assert narrower(turkish, city) and narrower(large, turkish)
    court, official = rungs("a court", "a court official")
    assert not narrower(official, court) and not narrower(court, official)
    either = rungs("a town or city in Italy")[0]
    assert narrower(rungs("a city in the north of Italy")[0], either)
    wide = Candidate("the 1990s", 0, "llm", "interval:1990-01-01/1999-12-31")
    narrow = Candidate("1996", 1, "llm", "interval:1996-01-01/1996-12-31")
    assert narrower(narrow, wide) and not narrower(wide, narrow)
    fact, other = rungs("the 2000s", "5 to 10")  # a user's, of which no canonical form is kept
    assert not narrower(narrow, fact) and not narrower(narrow, other)
    assert narrower(rungs("2004")[0], fact)
