"""A language model as attacker: it guesses, and may score what was guessed.

Guessing is the attack of INTACT (Pilán et al. 2024, section 3.2): k guesses for each target,
likeliest first; of several samples, in the order of their votes. Scoring asks how probable the
original and the guesses of its kind are as the answer (teacher-forced, nothing is generated); the
risk is the posterior of the right one, p(o | text) / sum over the pool. The attacker is not told
which one is right.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from dataclasses import replace

from intact.attack.exhibit import Exhibitor, View
from intact.config import AttackSettings
from intact.domain import ENTITY_TYPES, Answer, Challenge, EntityType, Guess
from intact.english.quantities import parse_quantity
from intact.english.scan import parse_temporal
from intact.english.time import Granularity, Kind
from intact.english.words import normalise
from intact.models.answers import checked
from intact.models.asking import Question, Questioner, Reply
from intact.prompts import Prompts, escape_line
from intact.protocols import Attacker, LanguageModel, ScoreRequest

_LOG = logging.getLogger("intact")
_LEAST_DECOYS = 3
_UNSCORED = "too few guesses of its kind to be scored"
_CLUES = "Clues:"

_SHAPES = {
    Kind.INTERVAL: "date",
    Kind.RELATIVE: "date",
    Kind.PARTIAL: "day",
    Kind.WEEKDAY: "weekday",
    Kind.AGE: "age",
    Kind.DURATION: "duration",
    Kind.CLOCK: "clock",
}
"""The question to ask for a kind of time."""


class LlmAttacker:
    """Attacks all challenges of a round over one reading of their text.

    Args:
        model: the language model.
        prompts: its prompts.
        settings: kind of attack, number of guesses and so on.
        seed: of the sampling.
        siblings: an attacker whose guesses, things that the replacement could stand for, are
            scored beside the model's own.
        together: how many questions a request holds.

    Attributes:
        unparsed: answers so far that could not be read, the second try included.
    """

    name = "llm"
    reads_wordings = True  # a question shows all that stands for an entity

    def __init__(
        self,
        model: LanguageModel,
        prompts: Prompts,
        settings: AttackSettings,
        seed: int = 0,
        siblings: Attacker | None = None,
        together: int = 1,
    ) -> None:
        self._model = model
        self._prompts = prompts
        self._settings = settings
        self._questioner = Questioner(model, prompts, seed, together)
        self._siblings = siblings
        longest = max(settings.guesses_for(kind) for kind in ENTITY_TYPES) * settings.answer_tokens
        self._exhibitor = Exhibitor(model, prompts, settings.layout, longest * together)
        self.unparsed = 0

    def attack(self, challenges: Sequence[Challenge]) -> Sequence[Answer]:
        """One answer per challenge, in order.

        Raises:
            ContextError: a text does not fit the model even in parts.
            ModelError: the model failed.
        """
        if not challenges:
            return []
        views = self._exhibitor.show(challenges)
        guessed = self._guess(challenges, views)
        if self._settings.kind == "guess":
            return guessed
        return self._score(challenges, views, guessed)

    # -- guessing -------------------------------------------------------------------------

    def _guess(self, challenges: Sequence[Challenge], views: Sequence[View]) -> list[Answer]:
        """What is guessed; of several samples by the share of them that name it."""
        samples = [
            self._sample(challenges, views, number) for number in range(self._settings.samples)
        ]
        return samples[0] if len(samples) == 1 else list(map(_voted, zip(*samples, strict=True)))

    def _sample(
        self, challenges: Sequence[Challenge], views: Sequence[View], number: int
    ) -> list[Answer]:
        """What is not read, or gives too few different guesses, is asked for once more."""
        answers = [Answer((), parsed=False, belief=True, note=view.note) for view in views]
        due = list(range(len(challenges)))
        for again in (2 * number, 2 * number + 1):
            asked = [self._question(challenges[index], views[index]) for index in due]
            for index, reply in zip(due, self._questioner.put(asked, again=again), strict=True):
                told = _guesses(reply)
                note = answers[index].note
                if self._settings.reason and told and told[0].text.startswith(_CLUES):
                    note = _joined(note, told.pop(0).text)
                guesses = _distinct([*answers[index].guesses, *told])
                answers[index] = replace(
                    answers[index], guesses=guesses, parsed=bool(guesses), note=note
                )
            answers = checked(answers, challenges, self._settings.guesses_for)
            due = [index for index, answer in enumerate(answers) if not answer.parsed]
        self.unparsed += len(due)
        if due:
            _LOG.warning("%d of %d attacks could not be read: not safe", len(due), len(answers))
        return answers

    def _question(self, challenge: Challenge, view: View) -> Question:
        count = self._settings.guesses_for(challenge.entity_type)
        template = "attack.question"
        if challenge.entity_type == EntityType.DATETIME:
            template = f"attack_date.{_shape(challenge.replacement)}"
        reason = self._prompts.templates["attack.reason"] if self._settings.reason else ""
        return Question(
            view.prefix + reason,
            self._prompts.fill(template, count=str(count), marker=view.marker, shown=view.shown),
            lines=count + bool(reason),
            tokens=self._settings.answer_tokens,
            temperature=self._settings.temperature,
            name=view.marker.strip("[]"),
        )

    # -- scoring --------------------------------------------------------------------------

    def _score(
        self, challenges: Sequence[Challenge], views: Sequence[View], guessed: list[Answer]
    ) -> list[Answer]:
        """The posteriors of the originals among what else was guessed; where nothing of their
        kind was, the guesses themselves, and the note says so."""
        known: Sequence[Answer] = [Answer(())] * len(challenges)
        if self._siblings is not None:
            known = self._siblings.attack(challenges)
        pools = {
            index: pool
            for index, (challenge, own, others) in enumerate(
                zip(challenges, guessed, known, strict=True)
            )
            if len(pool := self._pool(challenge, (*own.guesses, *others.guesses)))
            > max(_LEAST_DECOYS, len(challenge.pool))
        }
        requests = [
            ScoreRequest(
                views[index].prefix,
                self._prompts.fill(
                    "score.question", marker=views[index].marker, shown=views[index].shown
                ),
                tuple(escape_line(item) for item in pool),
            )
            for index, pool in pools.items()
        ]
        scores = self._model.score(requests) if requests else ()
        answers = [replace(answer, note=_joined(answer.note, _UNSCORED)) for answer in guessed]
        for (index, pool), score in zip(pools.items(), scores, strict=True):
            answers[index] = Answer(
                _posterior(pool, score), uniform=True, belief=True, note=views[index].note
            )
        return answers

    def _pool(self, challenge: Challenge, guesses: Sequence[Guess]) -> tuple[str, ...]:
        """The original, and guesses of its kind and unit, sorted."""
        pool = {normalise(item): item for item in challenge.pool}
        kinds = {_kind(item, challenge.entity_type) for item in challenge.pool}
        for guess in guesses:
            if len(pool) > self._settings.decoys:
                break
            if _kind(guess.text, challenge.entity_type) in kinds:
                pool.setdefault(normalise(guess.text), guess.text)
        return tuple(sorted(pool.values()))


def _kind(text: str, entity_type: str) -> object:
    """What is compared of two originals: of a time its kind, of an amount its kind and unit; None
    for all names, "" where a value cannot be read."""
    if entity_type == EntityType.DATETIME:
        time = parse_temporal(text)
        return "" if time is None else (time.kind, time.granularity)
    if entity_type == EntityType.QUANTITY:
        amount = parse_quantity(text)
        return "" if amount is None else (amount.kind, amount.unit)
    return None


def _joined(note: str, more: str) -> str:
    return f"{note}; {more}" if note else more


def _guesses(reply: Reply) -> list[Guess]:
    logprobs = reply.logprobs or (None,) * len(reply.lines)
    rows = enumerate(zip(reply.lines, logprobs, strict=True))
    return [Guess(text, rank, logprob) for rank, (text, logprob) in rows]


def _shape(replacement: str) -> str:
    """Which question asks for the kind of time that a replacement shows."""
    time = parse_temporal(replacement)
    if time is None:
        return "time"
    if time.kind is Kind.INTERVAL and time.granularity > Granularity.YEAR:
        return "years"
    return _SHAPES.get(time.kind, "time")


def _posterior(pool: Sequence[str], scores: Sequence[float]) -> tuple[Guess, ...]:
    """The pool as ranked guesses with the logarithms of their posteriors."""
    top = max(scores)
    total = top + math.log(math.fsum(math.exp(score - top) for score in scores))
    order = sorted(range(len(pool)), key=lambda index: (-scores[index], pool[index]))
    return tuple(
        Guess(pool[index], rank, min(0.0, scores[index] - total))
        for rank, index in enumerate(order)
    )


def _voted(answers: Sequence[Answer]) -> Answer:
    """Several answers to one challenge as one: each guess as likely as the share of them that name
    it. Not read unless all are."""
    votes: dict[str, list[Guess]] = {}
    for answer in answers:
        for guess in answer.guesses:
            votes.setdefault(normalise(guess.text) or guess.text, []).append(guess)
    ranked = sorted(votes.values(), key=lambda same: (-len(same), min(g.rank for g in same)))
    return replace(
        answers[0],
        guesses=tuple(
            Guess(same[0].text, rank, math.log(len(same) / len(answers)))
            for rank, same in enumerate(ranked)
        ),
        parsed=all(answer.parsed for answer in answers),
    )


def _distinct(guesses: Sequence[Guess]) -> tuple[Guess, ...]:
    """Each guess once, ranks 0, 1, 2 ..."""
    seen: dict[str, Guess] = {}
    for guess in guesses:
        seen.setdefault(normalise(guess.text) or guess.text, guess)
    return tuple(replace(guess, rank=rank) for rank, guess in enumerate(seen.values()))
