from intact.domain import Candidate
from intact.generation.ordering import narrower, reordered


def rungs(*texts: str) -> list[Candidate]:
    return [Candidate(text, rank, "llm") for rank, text in enumerate(texts)]


def texts(candidates: list[Candidate]) -> list[str]:
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
