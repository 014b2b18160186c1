"""The published procedure."""

from collections.abc import Sequence

from intact.config import Settings
from intact.domain import Answer, Candidate, Challenge, Document, Guess, Mention, Span
from intact.planning.ladder import labels
from intact.verification.matching import Matching
from intact.verification.rounds import SequentialSelector


class Attacker:
    name = "scripted"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def attack(self, challenges: Sequence[Challenge]) -> Sequence[Answer]:
        assert len(challenges) == 1
        phrase = challenges[0].replacement.lower()
        self.asked.append(phrase)
        guesses = ("Bergen", "Voss") if phrase in ("a port", "a village", "a place") else ()
        return [Answer(tuple(Guess(text, rank) for rank, text in enumerate(guesses)))]


def run(seed: int) -> tuple[dict[str, str], list[str]]:
    text = "Bergen, Voss and Molde"
    mentions = tuple(
        Mention(name, Span(start := text.index(name), start + len(name)), name, name, "LOC")
        for name in ("Bergen", "Voss", "Molde")
    )
    ladders = {
        name: tuple(Candidate(phrase, rank, "knowledge") for rank, phrase in enumerate(phrases))
        for name, phrases in {
            "Bergen": ("a port", "a city"),
            "Voss": ("a village", "a place"),
            "Molde": ("a town",),
        }.items()
    }
    settings = Settings.model_validate({"run": {"seed": seed}, "attack": {"control": "none"}})
    attacker = Attacker()
    selector = SequentialSelector([attacker], Matching(settings.match), labels, settings)
    result = selector.select(Document("d", text, mentions), ladders)
    return {decision.entity.id: decision.text for decision in result.decisions}, attacker.asked


def test_the_first_candidate_not_guessed_is_taken() -> None:
    chosen, asked = run(0)
    assert chosen == {"Bergen": "a city", "Voss": "LOC_2", "Molde": "a town"}
    assert sorted(asked) == ["a city", "a place", "a port", "a town", "a village"]


def test_the_order_depends_on_the_seed_alone() -> None:
    assert run(3) == run(3)
    assert len({tuple(run(seed)[1]) for seed in range(8)}) > 1
