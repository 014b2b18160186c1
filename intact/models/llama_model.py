"""llama.cpp as a ``LanguageModel``, in the process that calls it (see ``llamacpp.py``).

Prompts are rendered and tokenised whole. Where the shared prefix ends is decided by the prefix
alone, never by what else is asked, so an answer does not depend on the batch it came in.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from intact.models.llama_engine import BATCH, OUTPUTS, Engine, EngineSettings, common_length
from intact.models.llama_scoring import Scored, score_rest
from intact.models.sampling import Answer, check_budget, log_totals
from intact.models.templates import ChatTemplate, ControlWords, choose_template
from intact.protocols import Completion, CompletionRequest, ScoreRequest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(slots=True)
class _Job:
    """One prompt: its tokens, and how many of them are the shared prefix."""

    index: int
    tokens: list[int]
    shared: int
    answer: Answer | None = None
    alternatives: list[list[int]] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    position: int = 0

    @property
    def prefix(self) -> tuple[int, ...]:
        return tuple(self.tokens[: self.shared])

    @property
    def suffix(self) -> list[int]:
        return self.tokens[self.shared :]


class LlamaModel:
    """A GGUF model that answers and scores many short questions about one long prefix.

    Args:
        settings: of the engine.
        template: the setting ``model.template``.
        grammar: whether answers are held to their number of lines.
    """

    def __init__(self, settings: EngineSettings, template: str = "", grammar: bool = True) -> None:
        self.engine = Engine(settings)
        try:
            begin, end = self.engine.file.begin_and_end()
            source = choose_template(template, self.engine.file.chat_template())
            self._template = ChatTemplate(source, begin, end)
            self._words = ControlWords(self.engine.file.control_words())
        except BaseException:
            self.engine.close()
            raise
        self._grammar = grammar
        self._base: tuple[str, list[int]] | None = None  # the last prefix alone, tokenised
        self.context_length = self.engine.limit
        self.scores = True
        self.name = self.signature = Path(settings.path).stem

    def count(self, texts: Sequence[str]) -> Sequence[int]:
        """Tokens of each text."""
        return [len(self.engine.file.tokenize(self._words.escape(text))) for text in texts]

    def complete(self, requests: Sequence[CompletionRequest]) -> Sequence[Completion]:
        """One completion per request; see ``LanguageModel``."""
        answers: list[Answer] = []
        jobs: list[_Job] = []
        for request in requests:
            check_budget(request)
            job = self._job(len(jobs), request.prefix, request.question)
            job.answer = Answer(
                request, self.engine.file.vocabulary, len(job.tokens), grammar=self._grammar
            )
            answers.append(job.answer)
            jobs.append(job)
        for group in self._groups(jobs, [request.max_tokens for request in requests]):
            self._decode(group)
        return [answer.completion() for answer in answers]

    def score(self, requests: Sequence[ScoreRequest]) -> Sequence[tuple[float, ...]]:
        """Log-probability of each alternative as the beginning of the answer."""
        jobs = [self._score_job(index, request) for index, request in enumerate(requests)]
        lengths = [max(map(len, job.alternatives), default=0) for job in jobs]
        for group in self._groups(jobs, lengths):
            waves = -(-len(group) // self.engine.slots)
            for wave in range(waves):
                self._score_wave(group[wave::waves])
        return [tuple(job.scores) for job in jobs]

    @property
    def read(self) -> int:
        """Prompt tokens evaluated so far."""
        return self.engine.read

    @property
    def written(self) -> int:
        """Tokens generated so far."""
        return self.engine.written

    def close(self) -> None:
        """Free the model."""
        self.engine.close()

    # -- prompts --------------------------------------------------------------------------

    def _tokens(self, content: str, answer: str = "") -> list[int]:
        return self.engine.file.tokenize(
            self._template.render(self._words.escape(content)) + answer
        )

    def _job(self, index: int, prefix: str, question: str) -> _Job:
        tokens = self._tokens(prefix + question)
        if self._base is None or self._base[0] != prefix:
            self._base = (prefix, self._tokens(prefix))
        shared = min(common_length(self._base[1], tokens), len(tokens) - 1)
        return _Job(index, tokens, shared)

    def _score_job(self, index: int, request: ScoreRequest) -> _Job:
        job = self._job(index, request.prefix, request.question)
        rendered = self._template.render(self._words.escape(request.prefix + request.question))
        wholes = [
            self.engine.file.tokenize(rendered + self._words.escape(alternative))
            for alternative in request.alternatives
        ]
        # Where an alternative's first letters merge with the prompt's last, scoring begins there.
        start = min((common_length(job.tokens, whole) for whole in wholes), default=0)
        start = max(start, 1)
        job.alternatives = [whole[start:] for whole in wholes]
        job.tokens = job.tokens[:start]
        job.shared = min(job.shared, start - 1)
        job.scores = [0.0] * len(wholes)
        return job

    def _groups(self, jobs: Sequence[_Job], answers: Sequence[int]) -> Iterator[list[_Job]]:
        """Jobs that share a prefix, each time after that prefix has been read.

        Args:
            jobs: all prompts.
            answers: the most tokens that each one's answer may take.
        """
        if not jobs:
            return
        pairs = list(zip(jobs, answers, strict=True))
        self.engine.reserve(
            max(len(job.tokens) + answer for job, answer in pairs) + 1,
            max(len(job.suffix) + answer for job, answer in pairs) + 1,
        )
        groups: dict[tuple[int, ...], list[_Job]] = {}
        for job in jobs:
            groups.setdefault(job.prefix, []).append(job)
        for prefix, group in groups.items():
            self.engine.read_prefix(prefix)
            yield group

    # -- decoding -------------------------------------------------------------------------

    def _decode(self, group: list[_Job]) -> None:
        """Answer all jobs of a group, a new one as soon as a slot is free.

        A call takes ``width`` answers. What is left over for a last, narrow wave takes turns with
        the wave before it instead: calls of few answers cost nearly as much as full ones.
        """
        width = self.engine.width
        waiting = sorted(group, key=lambda job: (len(job.suffix), job.index))[::-1]
        free = list(range(self.engine.slots, 0, -1))
        live: dict[int, _Job] = {}
        while waiting or live:
            fresh: dict[int, _Job] = {}
            while waiting and free and (len(live) + len(fresh) < width or len(waiting) < width):
                slot = free.pop()
                fresh[slot] = waiting.pop()
                self.engine.branch(slot)
            for slots in self._calls(fresh):
                self._ask({slot: fresh[slot] for slot in slots})
            live |= fresh
            for slot in [slot for slot, job in live.items() if job.answer and job.answer.done]:
                free.append(slot)
                del live[slot]
            if live:
                turn = sorted(
                    live, key=lambda slot: (live[slot].position - len(live[slot].tokens), slot)
                )
                self._step({slot: live[slot] for slot in turn[:width]})
            free.sort(reverse=True)

    def _calls(self, jobs: dict[int, _Job]) -> Iterator[list[int]]:
        """Slots whose questions go into one call; if exact, they are equally long."""
        slots = sorted(jobs, key=lambda slot: (len(jobs[slot].suffix), slot))
        call: list[int] = []
        for slot in slots:
            length = len(jobs[slot].suffix)
            full = len(call) == OUTPUTS or (len(call) + 1) * length > BATCH
            if call and (full or (self.engine.exact and length != len(jobs[call[0]].suffix))):
                yield call
                call = []
            call.append(slot)
        if call:
            yield call

    def _ask(self, jobs: dict[int, _Job]) -> None:
        """Read the questions of one call, and take the first token of each answer."""
        logits = self._read(jobs)
        totals = log_totals(logits)
        for row, slot in enumerate(sorted(jobs)):
            answer = jobs[slot].answer
            if answer is not None:
                answer.take(logits[row], totals[row])

    def _read(self, jobs: dict[int, _Job]) -> list[NDArray[np.float32]]:
        """Read the questions of some slots; the logits after each.

        One that is longer than a call comes alone.
        """
        longest = max(len(job.suffix) for job in jobs.values())
        logits: list[NDArray[np.float32]] = []
        for start in range(0, longest, BATCH):
            logits = self.engine.feed(
                {slot: job.suffix[start : start + BATCH] for slot, job in jobs.items()},
                {slot: job.shared + start for slot, job in jobs.items()},
                outputs=start + BATCH >= longest,
            )
        for job in jobs.values():
            job.position = len(job.tokens)
        return logits

    def _step(self, live: dict[int, _Job]) -> None:
        """One more token for every live answer."""
        answers = {slot: job.answer for slot, job in live.items() if job.answer is not None}
        rows = {slot: [answer.tokens[-1]] for slot, answer in answers.items()}
        positions = {slot: live[slot].position for slot in rows}
        logits = self.engine.feed(rows, positions, generated=True)
        totals = log_totals(logits)
        for row, slot in enumerate(sorted(rows)):
            live[slot].position += 1
            answers[slot].take(logits[row], totals[row])

    # -- scoring --------------------------------------------------------------------------

    def _score_wave(self, wave: list[_Job]) -> None:
        """Score the alternatives of as many jobs as there are slots."""
        jobs = dict(enumerate(wave, start=1))
        self.engine.clear_slots()
        for slot in jobs:
            self.engine.branch(slot)
        for slots in self._calls(jobs):
            some = {slot: jobs[slot] for slot in slots}
            logits = self._read(some)
            totals = log_totals(logits)
            for row, slot in enumerate(sorted(some)):
                job = some[slot]
                for index, tokens in enumerate(job.alternatives):
                    first = float(logits[row][tokens[0]]) - totals[row] if tokens else 0.0
                    job.scores[index] = first
        rest = {
            slot: Scored(job.position, job.alternatives, job.scores) for slot, job in jobs.items()
        }
        score_rest(self.engine, rest)
