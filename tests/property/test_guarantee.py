"""The guarantee: whatever the attacker does, every choice was attacked in the final document."""

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from intact.config import Settings
from intact.domain import (
    Answer,
    Candidate,
    Document,
    Guess,
    IdentifierType,
    Mention,
    Outcome,
    Plan,
    Span,
)
from intact.planning.ladder import labels
from intact.protocols import Attacker
from intact.verification import rounds
from intact.verification.matching import Matching
from intact.verification.rounds import RoundsSelector
from tests.marked import rewriter_for

NAMES = ("Aurland", "Bodvik", "Cathus", "Dunmoor", "Elstad", "Fjordby")
MOODS = ("random", "context", "adversary", "knowing", "garbled", "paranoid")


class Wild(Attacker):
    """Guesses by mood: at random, by the whole text, the right answer, or nonsense."""

    name = "wild"

    def __init__(self, mood, seed):
        self.mood = mood
        self.random = Random(seed)
        self.read: dict[str, set[int]] = {}  # text -> where it answered readably

    def attack(self, challenges):
        answers = [self.answer(challenge) for challenge in challenges]
        for challenge, answer in zip(challenges, answers, strict=True):
            if answer.parsed:
                self.read.setdefault(challenge.text, set()).add(challenge.target.start)
        return answers

    def answer(self, challenge):
        right = Answer(tuple(Guess(name, rank) for rank, name in enumerate(NAMES)))
        if self.mood == "random":
            return right if self.random.random() < 0.4 else Answer(())
        if self.mood == "context":  # every change of the text changes who is guessed
            lot = Random(f"{challenge.text}{challenge.target.start}").random()
            return right if lot < 0.4 else Answer(())
        if self.mood == "adversary":  # waits until the others have moved
            stands = [place.span.of(challenge.text) for place in challenge.placed]
            moved = sum(int(one[-1]) for one in stands if " " in one and one[-1].isdigit())
            own = challenge.replacement.rpartition(" ")[2]
            return right if own.isdigit() and int(own) < moved else Answer(())
        if self.mood == "knowing":  # early from low rungs, late or never elsewhere
            own = challenge.replacement.rpartition(" ")[2]
            late = Random(challenge.target.start).randrange(len(NAMES) + 1)
            early = int(own) if own.isdigit() else late
            return Answer(() if early == len(NAMES) else self.at(early))
        if self.mood == "garbled":
            return Answer((), parsed=self.random.random() < 0.7)
        return right

    @staticmethod
    def at(rank):
        """The right name and others, from ``rank`` on."""
        wrong = tuple(Guess(f"Q{place}x", place) for place in range(rank))
        return (*wrong, *(Guess(name, rank + at) for at, name in enumerate(NAMES)))


@st.composite
def cases(draw):
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=8))
    text, mentions = "", []
    for number, name in enumerate(names):
        direct = draw(st.booleans()) and number % 3 == 0
        identifier = IdentifierType.DIRECT if direct else IdentifierType.QUASI
        span = Span(len(text) + 4, len(text) + 4 + len(name))
        text += f"saw {name}, "
        mentions.append(Mention(f"m{number}", span, name, name, "LOC", identifier))
    ladders = {
        name: tuple(
            Candidate(f"place {rank}", rank, "knowledge") for rank in range(draw(st.integers(0, 5)))
        )
        for name in set(names)
    }
    return Document("d", text, tuple(mentions)), ladders


@settings(max_examples=150, deadline=None)
@given(
    case=cases(),
    moods=st.lists(st.sampled_from(MOODS), min_size=1, max_size=2),
    seed=st.integers(0, 99),
    most=st.sampled_from([1, 2, 40]),
    start=st.integers(0, 3),
    control=st.booleans(),
)
def test_every_choice_is_safe_in_the_final_text_or_told_by_the_context(
    case, moods, seed, most, start, control
):
    document, ladders = case
    configured = Settings.model_validate(
        {"selection": {"start_rank": start}, "attack": {"guesses": len(NAMES)}}
    )
    attackers = [Wild(mood, seed) for mood in moods]
    for number, attacker in enumerate(attackers):
        attacker.name = f"wild {number}"
        attacker.reads_wordings = control
    selector = RoundsSelector(attackers, Matching(), labels, configured)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rounds, "MOST_ROUNDS", most)
        result = selector.select(rewriter_for(document), ladders)
    for decision in result.decisions:
        ranks = [attack.candidate.rank for attack in decision.attacks]
        falls = sum(later < earlier for earlier, later in pairwise(ranks))
        assert falls <= len(decision.ladder)  # rungs go up, and settle on the least told
        if decision.chosen is None:
            continue
        assert decision.entity.generalisable
        guessed_at_label = sum(a.outcome is Outcome.GUESSED for a in decision.controls)
        last = decision.attacks[-len(attackers) :]
        told = sum(attack.outcome is Outcome.CONTEXT for attack in last)
        assert {attack.outcome for attack in last} <= {Outcome.SAFE, Outcome.CONTEXT}
        assert told <= guessed_at_label <= len(attackers)
        assert not (told and not control)
        assert {attack.candidate for attack in last} == {decision.ladder[decision.chosen]}
        place = result.text.index(decision.text) if decision.text in result.text else -1
        assert place >= 0
        for attacker in attackers:
            assert result.text in attacker.read
    on_rungs = sum(decision.chosen is not None for decision in result.decisions)
    for attacker in attackers:
        assert len(attacker.read.get(result.text, ())) >= on_rungs


class Reviser:
    """Proposes other phrases at random, for anything."""

    def __init__(self, seed):
        self.random = Random(seed)
        self.asked = 0

    def revise(self, placed, findings):
        self.asked += 1
        lot = [key for key in sorted(placed) if self.random.random() < 0.5]
        phrases = {key: (Candidate(f"area {self.random.random()}", 0, "llm"),) for key in lot}
        return Plan(phrases)


@settings(max_examples=100, deadline=None)
@given(case=cases(), mood=st.sampled_from(MOODS), seed=st.integers(0, 99), control=st.booleans())
def test_with_an_editor_it_ends_soon_and_nothing_guessed_stands(case, mood, seed, control):
    document, ladders = case
    attacker, editor = Wild(mood, seed), Reviser(seed)
    attacker.reads_wordings = control
    asked = []
    attack = attacker.attack
    attacker.attack = lambda each: (asked.append(each[0].text), attack(each))[1]
    chosen = Settings.model_validate({"attack": {"guesses": len(NAMES)}})
    selector = RoundsSelector([attacker], Matching(), labels, chosen)
    result = selector.select(rewriter_for(document), ladders, editor=editor)
    assert editor.asked <= 2
    assert len(asked) <= 6  # three attacks and the control; what settles is attacked once more
    for decision in result.decisions:
        if decision.chosen is not None:
            last = decision.attacks[-1]
            assert last.outcome in (Outcome.SAFE, Outcome.CONTEXT)
            assert last.candidate == decision.ladder[decision.chosen]
            told = last.outcome is Outcome.CONTEXT
            assert not told or any(a.outcome is Outcome.GUESSED for a in decision.controls)
