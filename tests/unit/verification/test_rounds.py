"""Selection in rounds, with scripted attackers."""

from dataclasses import replace

import pytest

from intact.config import Settings
from intact.discourse.things import States
from intact.domain import (
    Answer,
    Candidate,
    Challenge,
    Document,
    Guess,
    IdentifierType,
    Mention,
    Outcome,
    Plan,
    Span,
    Wording,
)
from intact.planning.ladder import labels
from intact.protocols import Attacker
from intact.verification import rounds
from intact.verification.matching import Matching
from intact.verification.rounds import RoundsSelector
from tests.marked import rewriter_for

TEXT = "Ola met Kari, a joiner, near Bergen in Norway. Bergen was wet."
SAFE = Answer(())


def document():
    wanted = [
        ("Ola", "PERSON", "ola", IdentifierType.DIRECT),
        ("Kari", "PERSON", "kari", IdentifierType.QUASI),
        ("joiner", "DEM", "trade", IdentifierType.QUASI),
        ("Bergen", "LOC", "town", IdentifierType.QUASI),
        ("Norway", "LOC", "land", IdentifierType.QUASI),
        ("Bergen", "LOC", "town", IdentifierType.QUASI),
    ]
    mentions, end = [], 0
    for number, (text, kind, entity, identifier) in enumerate(wanted):
        start = TEXT.index(text, end)
        end = start + len(text)
        mentions.append(Mention(f"m{number}", Span(start, end), text, entity, kind, identifier))
    return Document("d", TEXT, tuple(mentions))


def rungs(*texts):
    return tuple(Candidate(text, rank, "knowledge") for rank, text in enumerate(texts))


LADDERS = {
    "trade": rungs("a craftsman", "a worker"),
    "town": rungs("a port in Northern Europe", "a port", "a town"),
    "land": rungs("a Nordic country", "a country"),
}


class Scripted(Attacker):
    name = "scripted"
    reads_labels = False

    def __init__(self, answer):
        self.answer = answer
        self.asked: list[list[Challenge]] = []

    def attack(self, challenges):
        self.asked.append(list(challenges))
        return [self.answer(challenge) for challenge in challenges]


def guess(*texts):
    return Answer(tuple(Guess(text, rank) for rank, text in enumerate(texts)))


def select(*attackers, ladders=LADDERS, **selection):
    settings = Settings.model_validate({"selection": selection})
    selector = RoundsSelector(attackers, Matching(), labels, settings)
    return selector.select(rewriter_for(document()), ladders)


def choices(result):
    return {decision.entity.id: decision.text for decision in result.decisions}


def test_guessed_entities_step_up_and_others_stay():
    assert choices(select(Scripted(lambda _: SAFE))) == {
        "ola": "PERSON_1",
        "kari": "PERSON_2",
        "trade": "a craftsman",
        "town": "a port in Northern Europe",
        "land": "a Nordic country",
    }
    attacker = Scripted(lambda c: guess("Bergen") if "port" in c.replacement else SAFE)
    result = select(attacker)
    assert choices(result)["town"] == "a town"
    final = [c for asked in attacker.asked for c in asked if c.text == result.text]
    assert {c.replacement.split()[-1] for c in final} == {"craftsman", "town", "country"}


def test_what_was_safe_is_attacked_again_when_its_context_changes():
    def answer(challenge):
        if "port" in challenge.replacement:
            return guess("Bergen")
        if "Nordic" in challenge.replacement and "port" not in challenge.text:
            return guess("Norway")
        return SAFE

    result = select(Scripted(answer))
    assert choices(result)["land"] == "a country"
    outcomes = [a.outcome for d in result.decisions if d.entity.id == "land" for a in d.attacks]
    assert outcomes == [Outcome.SAFE, Outcome.GUESSED, Outcome.SAFE]


@pytest.mark.parametrize("together", [False, True])
def test_every_wording_is_attacked(together):
    text = "An application against Norway was lodged. Norway paid. Norway won."
    starts = [at for at in range(len(text)) if text.startswith("Norway", at)]
    mentions = tuple(Mention(f"{at}", Span(at, at + 6), "Norway", "n", "LOC") for at in starts)
    attacker = Scripted(lambda c: guess("Norway") if "he other" in c.replacement else SAFE)
    attacker.reads_wordings = together
    selector = RoundsSelector([attacker], Matching(), labels, Settings())
    rewriter = rewriter_for(Document("d", text, mentions), States("SE", {"n": "NO"}))
    [told] = selector.select(rewriter, {"n": rungs("a country", "a place")}).decisions
    asked = [challenge.replacement for challenge in attacker.asked[0]]
    if together:  # shown all wordings with one question
        assert (asked, told.text) == (["another country"], "a country")
    else:
        assert (asked, told.text) == (["another country", "The other country"], "a place")
        assert [attack.outcome for attack in told.attacks] == [Outcome.GUESSED, Outcome.SAFE]


def test_past_the_last_rung_or_too_many_rounds_is_the_label(monkeypatch):
    result = select(Scripted(lambda c: guess("Bergen", "Norway", "joiner")))
    assert choices(result) == {
        "ola": "PERSON_1",
        "kari": "PERSON_2",
        "trade": "DETAIL_1",
        "town": "LOC_1",
        "land": "LOC_2",
    }
    monkeypatch.setattr(rounds, "MOST_ROUNDS", 1)
    attacker = Scripted(lambda c: guess("Bergen") if "port" in c.replacement else SAFE)
    assert choices(select(attacker))["town"] == "LOC_1"


@pytest.mark.parametrize("answer", [Answer((), parsed=False), Answer((Guess("x", 0),), False)])
def test_unparsed_is_never_safe(answer):
    result = select(Scripted(lambda c: answer if "ort" in c.replacement else SAFE))
    assert choices(result)["town"] == "a town"
    (town,) = [decision for decision in result.decisions if decision.entity.id == "town"]
    assert [attack.outcome for attack in town.attacks[:2]] == [Outcome.UNPARSED] * 2


def test_an_attacker_that_answers_too_little_counts_as_unparsed():
    class Short(Scripted):
        def attack(self, challenges):
            return super().attack(challenges)[:-1]

    result = select(Short(lambda _: SAFE))
    assert choices(result)["land"] == "LOC_2"


def test_after_a_later_attackers_step_all_attack_again():
    first = Scripted(lambda c: guess("Bergen") if "port" in c.replacement else SAFE)
    second = Scripted(lambda _: SAFE)
    result = select(first, second)
    assert [sorted(c.replacement for c in asked) for asked in second.asked] == [
        ["a Nordic country", "a town", "craftsman"]
    ]
    assert {c.text for asked in second.asked for c in asked} == {result.text}
    first = Scripted(lambda _: SAFE)
    second = Scripted(lambda c: guess("Bergen") if "port" in c.replacement else SAFE)
    result = select(first, second)
    assert choices(result)["town"] == "a town"
    for attacker in (first, second):
        final = [c for asked in attacker.asked for c in asked if c.text == result.text]
        assert len(final) == 3


def test_attackers_see_no_original_and_one_text_a_round():
    attacker = Scripted(lambda _: SAFE)
    select(attacker)
    for asked in attacker.asked:
        assert len({id(challenge.text) for challenge in asked}) == 1
        assert len({id(challenge.placed) for challenge in asked}) == 1
        for challenge in asked:
            assert not any(name in challenge.text for name in ("Bergen", "Norway", "joiner"))


def test_selection_starts_where_it_is_told_and_direct_entities_have_their_label():
    result = select(Scripted(lambda _: SAFE), start_rank=1, start_rank_per_type={"DEM": 9})
    assert choices(result)["town"] == "a port"
    assert choices(result)["trade"] == "a worker"
    result = select(Scripted(lambda _: SAFE), ladders={"ola": rungs("a man")})
    assert choices(result)["ola"] == "PERSON_1"


def test_a_rung_that_names_what_is_masked_is_never_taken():
    ladders = {**LADDERS, "trade": rungs("a bergen craftsman", "a worker")}
    result = select(Scripted(lambda _: SAFE), ladders=ladders)
    (trade,) = [decision for decision in result.decisions if decision.entity.id == "trade"]
    assert trade.text == "a worker"
    assert trade.attacks[0].rule == "reintroduced"


def test_a_phrase_of_a_model_that_no_attacker_can_read_is_not_safe():
    ladders = {
        "town": (Candidate("a wet port", 0, "llm"), Candidate("a port", 1, "knowledge")),
        "trade": rungs("a craftsman"),
    }
    blind = Scripted(lambda _: Answer((), read=False))
    done = select(blind, ladders=ladders)
    standing = {d.entity.id: d.chosen for d in done.decisions}
    assert standing["town"] == 1 and standing["trade"] == 0
    [attack, _] = done.decisions[3].attacks[:2]
    assert (attack.outcome, attack.rule, attack.attacker) == (Outcome.UNPARSED, "unread", "unread")
    done = select(blind, Scripted(lambda _: SAFE), ladders=ladders)
    town = next(d for d in done.decisions if d.entity.id == "town")
    assert town.chosen == 0
    assert {attack.attacker for attack in town.attacks} == {"scripted"}


def test_words_that_lean_on_a_label_step_up_with_it():
    """ "a trade of that town" needs a phrase for the town; so does what leans on the trade."""
    trade = Wording(Span(5, 8), "a trade of that town", ("town",))
    land = Wording(Span(5, 8), "where that trade is common", ("trade",))
    ladders = {
        "town": rungs("a port"),
        "trade": (Candidate("a trade of a town", 0, "llm", wordings={"m": trade}),
                  Candidate("a trade", 1, "llm")),
        "land": (Candidate("a land", 0, "llm", wordings={"m": land}),),
    }  # fmt: skip
    stays = choices(select(Scripted(lambda _: SAFE), ladders=ladders))
    assert (stays["trade"], stays["land"]) == ("a trade of a town", "a land")
    found = Scripted(lambda c: guess("Bergen") if "port" in c.replacement else SAFE)
    moved = choices(select(found, ladders=ladders))
    assert (moved["town"], moved["trade"], moved["land"]) == ("LOC_1", "a trade", "a land")
    ladders["trade"] = ladders["trade"][:1]
    moved = choices(select(found, ladders=ladders))
    assert (moved["trade"], moved["land"]) == ("DETAIL_1", "LOC_2")


class Finding:
    """An editor that finds the unmarked "wet", for which no phrase is proved."""

    def revise(self, placed, findings):
        wet = Mention("clue 1", Span(len(TEXT) - 4, len(TEXT) - 1), "wet", "clue 1", "MISC")
        found = document()
        return Plan({}, document=replace(found, mentions=(*found.mentions, wet)))


def test_words_that_an_editor_finds_without_a_phrase_have_their_label():
    selector = RoundsSelector([Scripted(lambda _: SAFE)], Matching(), labels, Settings())
    result = selector.select(rewriter_for(document()), LADDERS, editor=Finding())
    assert result.text.endswith("was DETAIL_2.")
