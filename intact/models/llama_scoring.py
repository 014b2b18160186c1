"""Log-probabilities of given answers: nothing is generated, and no common beginning read twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from intact.models.llama_engine import OUTPUTS, Engine, common_length
from intact.models.sampling import log_totals


@dataclass(frozen=True, slots=True)
class Stretch:
    """Some tokens to be read in one go.

    Attributes:
        start: how many tokens of the answer stand before them.
        tokens: the tokens.
        next: for each of them, the alternatives that go on after it, and with which token.
    """

    start: int
    tokens: tuple[int, ...]
    next: tuple[tuple[tuple[int, int], ...], ...]


@dataclass(slots=True)
class Scored:
    """The alternatives of one question, in a slot that has read it.

    Attributes:
        position: the position after the question.
        alternatives: the tokens of each.
        scores: the log-probabilities of each, as far as known.
    """

    position: int
    alternatives: Sequence[Sequence[int]]
    scores: list[float]
    stretches: list[Stretch] = field(default_factory=list)

    def plan(self, exact: bool) -> None:
        """Decide what has to be read.

        Args:
            exact: each alternative by itself, the shortest first; else, in the order of the
                alphabet, only what the one before does not begin with, too.
        """
        bodies = [tuple(tokens[:-1]) for tokens in self.alternatives]
        if exact:
            for index in sorted(range(len(bodies)), key=lambda index: len(bodies[index])):
                self._add(bodies[index], 0, [index])
        else:
            before: tuple[int, ...] = ()
            for body in sorted(set(bodies)):
                kept = common_length(before, body)
                self._add(body, kept, range(len(bodies)))
                before = body
        self.stretches.reverse()  # the next one last, to be popped

    def _add(self, body: tuple[int, ...], kept: int, readers: Sequence[int]) -> None:
        follow = [
            tuple(
                (index, self.alternatives[index][depth + 1])
                for index in readers
                if len(self.alternatives[index]) > depth + 1
                and tuple(self.alternatives[index][: depth + 1]) == body[: depth + 1]
            )
            for depth in range(kept, len(body))
        ]
        for start in range(kept, len(body), OUTPUTS):
            stop = min(start + OUTPUTS, len(body))
            tokens = body[start:stop]
            self.stretches.append(Stretch(start, tokens, tuple(follow[start - kept : stop - kept])))


def score_rest(engine: Engine, jobs: dict[int, Scored]) -> None:
    """Add to the scores what follows each alternative's first token.

    Args:
        engine: whose slots have read the questions.
        jobs: slot -> question.
    """
    for job in jobs.values():
        job.plan(engine.exact)
    for chosen in _calls(engine, jobs):
        for slot, stretch in chosen.items():
            engine.rewind(slot, jobs[slot].position + stretch.start)
        logits = engine.feed(
            {slot: stretch.tokens for slot, stretch in chosen.items()},
            {slot: jobs[slot].position + stretch.start for slot, stretch in chosen.items()},
            outputs="all",
        )
        row = 0
        totals = log_totals(logits)
        for slot in sorted(chosen):
            for followers in chosen[slot].next:
                for index, token in followers:
                    jobs[slot].scores[index] += float(logits[row][token]) - totals[row]
                row += 1


def _calls(engine: Engine, jobs: dict[int, Scored]) -> Iterator[dict[int, Stretch]]:
    """What goes into each call: as much as it holds, of the questions with most left first."""
    left = {slot: sum(len(s.tokens) for s in job.stretches) for slot, job in jobs.items()}
    while any(left.values()):
        waiting = sorted((s for s in jobs if left[s]), key=lambda slot: (-left[slot], slot))
        lengths = {slot: len(jobs[slot].stretches[-1].tokens) for slot in waiting}
        if engine.exact:  # only equal ones
            waiting = [slot for slot in waiting if lengths[slot] == min(lengths.values())]
        chosen: dict[int, Stretch] = {}
        room = OUTPUTS
        for slot in waiting:
            if lengths[slot] <= room:
                room -= lengths[slot]
                left[slot] -= lengths[slot]
                chosen[slot] = jobs[slot].stretches.pop()
        yield chosen
