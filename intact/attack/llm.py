"""A language model as attacker: it guesses, scores a closed pool, or does both.

Guessing is the attack of INTACT (Pilán et al. 2024, section 3.2): k guesses for each target,
likeliest first. Scoring asks how probable each of a pool of possible originals is as the answer
(teacher-forced, nothing is generated); the risk is the posterior of the right one,
p(o | text) / sum over the pool. The attacker is not told which one is right.
"""

from __future__ import annotations

import logging
import math
import zlib
from collections.abc import Sequence
from dataclasses import replace

from intact.attack.exhibit import Exhibitor, View
from intact.config import AttackSettings
from intact.domain import ENTITY_TYPES, Answer, Challenge, EntityType, Guess
from intact.english.scan import parse_temporal
from intact.english.time import Granularity, Kind
from intact.english.words import normalise
from intact.models.answers import checked
from intact.models.parsing import read
from intact.prompts import Prompts, escape_line
from intact.protocols import (
    Attacker,
    Completion,
    CompletionRequest,
    LanguageModel,
    ScoreRequest,
    second_try,
)

_LOG = logging.getLogger("intact")

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
        siblings: an attacker whose guesses, things that the replacement could stand for, serve
            as decoys; None for the general decoys of the prompts alone.

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
    ) -> None:
        self._model = model
        self._prompts = prompts
        self._settings = settings
        self._base_seed = seed
        self._siblings = siblings
        longest = max(map(self._answer_tokens, ENTITY_TYPES))
        self._exhibitor = Exhibitor(model, prompts, settings.layout, longest)
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
        if self._settings.kind == "guess":
            return self._guess(challenges, views)
        scored = self._score(challenges, views)
        if self._settings.kind == "likelihood":
            return scored
        return self._resolve(challenges, views, scored)

    # -- guessing -------------------------------------------------------------------------

    def _guess(self, challenges: Sequence[Challenge], views: Sequence[View]) -> list[Answer]:
        requests = [self._request(c, v) for c, v in zip(challenges, views, strict=True)]
        completions = list(self._model.complete(requests))
        answers = [self._read(*item) for item in zip(completions, requests, views, strict=True)]
        answers = checked(answers, challenges, self._settings.guesses_for)
        again = [index for index, answer in enumerate(answers) if not answer.parsed]
        if again:
            retries = self._model.complete([second_try(requests[i]) for i in again])
            for index, done in zip(again, retries, strict=True):
                new = self._read(done, requests[index], views[index])
                guesses = _distinct([*answers[index].guesses, *new.guesses])
                answers[index] = replace(new, guesses=guesses, parsed=True)
            answers = checked(answers, challenges, self._settings.guesses_for)
        lost = sum(not answer.parsed for answer in answers)
        self.unparsed += lost
        if lost:
            _LOG.warning("%d of %d attacks could not be read, twice: not safe", lost, len(answers))
        return answers

    def _request(self, challenge: Challenge, view: View) -> CompletionRequest:
        count = self._settings.guesses_for(challenge.entity_type)
        template = "attack.question"
        if challenge.entity_type == EntityType.DATETIME:
            template = f"attack_date.{_shape(challenge.replacement)}"
        return CompletionRequest(
            view.prefix,
            self._prompts.fill(template, count=str(count), marker=view.marker),
            lines=count,
            max_tokens=self._answer_tokens(challenge.entity_type),
            temperature=self._settings.temperature,
            seed=self._seed(challenge),
        )

    def _answer_tokens(self, entity_type: str) -> int:
        return self._settings.answer_tokens * self._settings.guesses_for(entity_type)

    def _seed(self, challenge: Challenge) -> int:
        """The same for the same question, whatever is asked beside it."""
        key = f"{self._base_seed}\0{challenge.target.start}\0{challenge.replacement}"
        return zlib.crc32(key.encode("utf-8", "replace"))

    def _read(self, done: Completion, request: CompletionRequest, view: View) -> Answer:
        items = read(done.text, request).get("", ())
        if not items:
            return Answer((), parsed=False, belief=True, note=view.note)
        logprobs: Sequence[float | None] = done.logprobs
        if len(logprobs) != len(items):
            logprobs = [None] * len(items)
        guesses = [
            Guess(text, rank, logprob)
            for rank, (text, logprob) in enumerate(zip(items, logprobs, strict=True))
        ]
        return Answer(_distinct(guesses), belief=True, note=view.note)

    # -- scoring --------------------------------------------------------------------------

    def _score(self, challenges: Sequence[Challenge], views: Sequence[View]) -> list[Answer]:
        pools = self._pools(challenges)
        requests = [
            ScoreRequest(
                view.prefix,
                self._prompts.fill("score.question", marker=view.marker),
                tuple(escape_line(item) for item in pool),
            )
            for view, pool in zip(views, pools, strict=True)
        ]
        scores = self._model.score(requests)
        return [
            Answer(_posterior(pool, score), uniform=True, belief=True, note=view.note)
            for pool, score, view in zip(pools, scores, views, strict=True)
        ]

    def _pools(self, challenges: Sequence[Challenge]) -> list[tuple[str, ...]]:
        """Each challenge's pool, filled up with decoys, sorted."""
        known: Sequence[Answer] = [Answer(())] * len(challenges)
        if self._siblings is not None:
            known = self._siblings.attack(challenges)
        pools = []
        for challenge, answer in zip(challenges, known, strict=True):
            pool = {normalise(item): item for item in challenge.pool}
            general = self._prompts.decoys_of(challenge.entity_type)
            for decoy in (*(guess.text for guess in answer.guesses), *general):
                if len(pool) > self._settings.decoys:
                    break
                pool.setdefault(normalise(decoy), decoy)
            pools.append(tuple(sorted(pool.values())))
        return pools

    def _resolve(
        self, challenges: Sequence[Challenge], views: Sequence[View], scored: list[Answer]
    ) -> list[Answer]:
        """Generate where somebody in the pool stands out: there the score leaves doubt."""
        doubtful = [
            index
            for index, (challenge, answer) in enumerate(zip(challenges, scored, strict=True))
            if _top(answer) > self._settings.max_risk_for(challenge.entity_type)
        ]
        guessed = self._guess([challenges[i] for i in doubtful], [views[i] for i in doubtful])
        for index, answer in zip(doubtful, guessed, strict=True):
            best = scored[index].guesses[:1]
            guesses = [replace(g, rank=g.rank + 1) for g in answer.guesses]
            scored[index] = replace(answer, guesses=_distinct([*best, *guesses]))
        return scored


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


def _top(answer: Answer) -> float:
    """The largest posterior in a scored pool."""
    return math.exp(answer.guesses[0].logprob or 0.0) if answer.guesses else 1.0


def _distinct(guesses: Sequence[Guess]) -> tuple[Guess, ...]:
    """Each guess once, ranks 0, 1, 2 ..."""
    seen: dict[str, Guess] = {}
    for guess in guesses:
        seen.setdefault(normalise(guess.text) or guess.text, guess)
    return tuple(replace(guess, rank=rank) for rank, guess in enumerate(seen.values()))
