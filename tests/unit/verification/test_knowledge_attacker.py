"""The knowledge attacker on a small world."""

import math
from collections.abc import Sequence

import pytest

from intact.domain import Answer, Challenge, Span
from intact.knowledge import Link, Members, Rule
from intact.verification.rule_attacker import KnowledgeAttacker, phrase_variants

WORLD = {
    "a capital in Northern Europe": {"Oslo": 0.3, "Stockholm": 0.4, "Helsinki": 0.2},
    "a port in Norway": {"Oslo": 0.5, "Bergen": 0.3, "Molde": 0.04},
}
COUNTRIES = {"Oslo": "NO", "Bergen": "NO", "Molde": "NO", "Stockholm": "SE", "Helsinki": "FI"}


class Base:
    def __init__(self):
        self.heard: list[Sequence[str]] = []

    def votes(self, texts):
        self.heard.append(texts)
        return {"FI": 1.0} if any("Finnish" in text for text in texts) else {}

    def link(self, text, entity_type, votes):
        country = COUNTRIES.get(text, "")
        return Link(f"geo/{text}", text, "city", Rule.EXACT, country) if country else None

    def country_name(self, code):
        return {"NO": "Norway"}.get(code, "")

    def members(self, phrase, entity_type, limit):
        found = WORLD.get(phrase)
        if found is None:
            return None
        ranked = sorted(found.items(), key=lambda item: -item[1])[:limit]
        return Members(tuple(n for n, _ in ranked), tuple(p for _, p in ranked), len(found))


def attack(text, target, kind="LOC"):
    start = text.index(target)
    challenge = Challenge(text, Span(start, start + len(target)), kind)
    return KnowledgeAttacker(Base()).attack([challenge])[0]


def names(answer):
    return [guess.text for guess in answer.guesses]


def share(answer, count=5):
    return sum(math.exp(guess.logprob or 0) for guess in answer.guesses[:count])


def test_members_are_guessed_by_prior_country_and_name():
    answer = attack("He lived in a capital in Northern Europe.", "a capital in Northern Europe")
    assert names(answer) == ["Stockholm", "Oslo", "Helsinki"]
    assert share(answer) == pytest.approx(0.9)
    assert names(attack("The port in Norway is old.", "The port in Norway"))[0] == "Oslo"
    assert "a port in Norway" in phrase_variants("In the port in Norway")
    text = "He spoke to the Finnish press in a capital in Northern Europe."
    assert names(attack(text, "a capital in Northern Europe"))[0] == "Helsinki"
    text = "He went to a port in Norway. The MOLDE ferry was late."
    assert names(attack(text, "a port in Norway"))[0] == "Molde"
    text = "The Oslo and Bergen ferries left a port in Norway."
    assert share(attack(text, "a port in Norway"), 10) <= 1 + 1e-9


def test_a_text_is_read_once_however_often_it_is_attacked():
    base, text = Base(), "He went to a port in Norway."
    attacker = KnowledgeAttacker(base)
    for _ in range(2):
        attacker.attack([Challenge(text, Span(11, 27), "LOC")])
    assert len(base.heard) == 1


@pytest.mark.parametrize(
    ("before", "values"),
    [("in May 1996", 31), ("in 1996", 366), ("on 3 May 1996", 1), ("once", None)],
)
@pytest.mark.parametrize("phrase", ["same day", "some weeks later in 1996"])
def test_a_date_that_follows_another_is_as_hidden_as_that(phrase, before, values):
    answer = attack(f"He left {before}, and on the {phrase} was back.", phrase, "DATETIME")
    assert answer.uniform is (values is not None)
    if values is not None:
        assert math.exp(answer.guesses[0].logprob or 0) == pytest.approx(1 / values)


def test_an_order_alone_is_no_date():
    text = "He left on 3 May 1996. Some time later he was back."
    answer = attack(text, "Some time later", "DATETIME")
    assert all("May" not in guess.text for guess in answer.guesses)


def test_an_open_class_has_more_members(monkeypatch):
    monkeypatch.setitem(WORLD, "a guild", {"Bakers' Guild": 1.0})
    assert share(attack("He joined a guild.", "a guild", "ORG")) < 0.1


def test_unranked_members_are_guessed_at_random(monkeypatch):
    own = Members(("lockwarden", "sluicer"), (0.5, 0.5), 2, ranked=False)
    monkeypatch.setattr(Base, "members", lambda *_: own)
    answer = attack("He was a weir keeper.", "a weir keeper", "DEM")
    assert answer.uniform
    assert share(answer) == pytest.approx(5 / 52)


@pytest.mark.parametrize("kind", ["LOC", "DATETIME", "QUANTITY", "MISC"])
def test_an_unknown_phrase_gives_no_idea(kind):
    answer = attack("He saw an odd sight.", "an odd sight", kind)
    assert answer == Answer((), read=False)


def test_intervals_and_numbers_give_the_share_that_guesses_cover():
    month = attack("It was in May 1996.", "May 1996", "DATETIME")
    year = attack("It was in 1996.", "1996", "DATETIME")
    assert month.uniform
    assert share(month) == pytest.approx(5 / 31)
    assert share(year) == pytest.approx(5 / 366)
    answer = attack("He had 11 to 20 cows.", "11 to 20 cows", "QUANTITY")
    assert answer.uniform
    assert share(answer) == pytest.approx(0.5)
    text = "It was in the 1990s. He left in 1996 and returned in 1996, then died in 2004."
    answer = attack(text, "the 1990s", "DATETIME")
    assert names(answer) == ["1996"]
    assert not answer.uniform


def test_namesakes_count_together_and_ages_under_any_type(monkeypatch):
    attacker = KnowledgeAttacker(Base())
    for phrase, said in (("aged between 44 and 48", 5), ("aged between 40 and 59", 20)):
        text = f"Mags, {phrase}, drives."
        span = Span(6, 6 + len(phrase))
        (answer,) = attacker.attack([Challenge(text, span, "DEM", ())])
        assert answer.guesses[0].text == f"one of {said}"
    twice = Members(("Bergen", "Oslo", "Bergen"), (0.5, 0.3, 0.1), 3)
    monkeypatch.setattr(Base, "members", lambda *asked: twice)
    answer = attack("He lived in a port in Norway.", "a port in Norway")
    assert names(answer) == ["Bergen", "Oslo"]
    assert share(answer, 1) == pytest.approx(0.6)
