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
            begin, end = self.engine.begin_and_end()
            source = choose_template(template, self.engine.chat_template())
            self._template = ChatTemplate(source, begin, end)
            self._words = ControlWords(self.engine.control_words())
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
        return [len(self.engine.tokenize(self._words.escape(text))) for text in texts]

    def complete(self, requests: Sequence[CompletionRequest]) -> Sequence[Completion]:
        """One completion per request; see ``LanguageModel``."""
        answers: list[Answer] = []
        jobs: list[_Job] = []
        for request in requests:
            check_budget(request)
            job = self._job(len(jobs), request.prefix, request.question)
            job.answer = Answer(
                request, self.engine.vocabulary, len(job.tokens), grammar=self._grammar
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
            for start in range(0, len(group), self.engine.slots):
                self._score_wave(group[start : start + self.engine.slots])
        return [tuple(job.scores) for job in jobs]

    def usage(self) -> tuple[int, int]:
        """Tokens read and written so far."""
        return self.engine.read, self.engine.written

    def close(self) -> None:
        """Free the model."""
        self.engine.close()

    # -- prompts --------------------------------------------------------------------------

    def _tokens(self, content: str, answer: str = "") -> list[int]:
        return self.engine.tokenize(self._template.render(self._words.escape(content)) + answer)

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
            self.engine.tokenize(rendered + self._words.escape(alternative))
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
        """Answer all jobs of a group, a new one as soon as a slot is free."""
        waiting = sorted(group, key=lambda job: (len(job.suffix), job.index))[::-1]
        free = list(range(self.engine.slots, 0, -1))
        live: dict[int, _Job] = {}
        while waiting or live:
            fresh: dict[int, _Job] = {}
            while waiting and free:
                slot = free.pop()
                fresh[slot] = waiting.pop()
                self.engine.branch(slot)
            for slots in self._equal(fresh):
                self._ask({slot: fresh[slot] for slot in slots})
            live |= fresh
            for slot in [slot for slot, job in live.items() if job.answer and job.answer.done]:
                free.append(slot)
                del live[slot]
            if live:
                self._step(live)
            free.sort(reverse=True)

    def _equal(self, jobs: dict[int, _Job]) -> Iterator[list[int]]:
        """Slots whose questions are equally long, as many as go into one call."""
        lengths: dict[int, list[int]] = {}
        for slot, job in jobs.items():
            lengths.setdefault(len(job.suffix), []).append(slot)
        for length, slots in lengths.items():
            size = max(1, BATCH // length)
            for start in range(0, len(slots), size):
                yield slots[start : start + size]

    def _ask(self, jobs: dict[int, _Job]) -> None:
        """Read the questions, all equally long, and take the first token of each answer."""
        logits = self._read(jobs)
        totals = log_totals(logits)
        for row, slot in enumerate(sorted(jobs)):
            answer = jobs[slot].answer
            if answer is not None:
                answer.take(logits[row], float(totals[row]))

    def _read(self, jobs: dict[int, _Job]) -> NDArray[np.float32]:
        """Read the questions of some slots, all equally long; the logits after each."""
        length = len(next(iter(jobs.values())).suffix)
        chunk = max(1, BATCH // len(jobs))
        for start in range(0, length, chunk):
            stop = min(start + chunk, length)
            logits = self.engine.feed(
                {slot: job.suffix[start:stop] for slot, job in jobs.items()},
                {slot: job.shared + start for slot, job in jobs.items()},
                outputs=stop == length,
            )
        for job in jobs.values():
            job.position = len(job.tokens)
        assert logits is not None  # the last call asked for outputs
        return logits

    def _step(self, live: dict[int, _Job]) -> None:
        """One more token for every live answer."""
        answers = {slot: job.answer for slot, job in live.items() if job.answer is not None}
        rows = {slot: [answer.tokens[-1]] for slot, answer in answers.items()}
        positions = {slot: live[slot].position for slot in rows}
        logits = self.engine.feed(rows, positions, generated=True)
        assert logits is not None  # outputs were asked for
        totals = log_totals(logits)
        for row, slot in enumerate(sorted(rows)):
            live[slot].position += 1
            answers[slot].take(logits[row], float(totals[row]))

    # -- scoring --------------------------------------------------------------------------

    def _score_wave(self, wave: list[_Job]) -> None:
        """Score the alternatives of as many jobs as there are slots."""
        jobs = dict(enumerate(wave, start=1))
        for slot in jobs:
            self.engine.branch(slot)
        for slots in self._equal(jobs):
            some = {slot: jobs[slot] for slot in slots}
            logits = self._read(some)
            totals = log_totals(logits)
            for row, slot in enumerate(sorted(some)):
                job = some[slot]
                for index, tokens in enumerate(job.alternatives):
                    first = float(logits[row][tokens[0]]) - float(totals[row]) if tokens else 0.0
                    job.scores[index] = first
        for rows in self._rests(jobs):
            self._score_rests(jobs, rows)

    def _rests(self, jobs: dict[int, _Job]) -> Iterator[dict[int, int]]:
        """Slot -> alternative, such that all are equally long and the outputs fit one call."""
        lengths: dict[int, dict[int, list[int]]] = {}
        for slot, job in jobs.items():
            for index, tokens in enumerate(job.alternatives):
                if len(tokens) > 1:
                    lengths.setdefault(len(tokens) - 1, {}).setdefault(slot, []).append(index)
        for length in sorted(lengths):
            queues = lengths[length]
            size = max(1, OUTPUTS // length)
            while queues:
                slots = sorted(queues, key=lambda slot: (-len(queues[slot]), slot))[:size]
                yield {slot: queues[slot].pop() for slot in slots}
                queues = {slot: queue for slot, queue in queues.items() if queue}

    def _score_rests(self, jobs: dict[int, _Job], chosen: dict[int, int]) -> None:
        some = min(chosen)
        length = len(jobs[some].alternatives[chosen[some]]) - 1
        for start in range(0, length, OUTPUTS):
            stop = min(start + OUTPUTS, length)
            rows, positions = {}, {}
            for slot, index in chosen.items():
                job = jobs[slot]
                if start == 0:
                    self.engine.rewind(slot, job.position)
                rows[slot] = job.alternatives[index][start:stop]
                positions[slot] = job.position + start
            logits = self.engine.feed(rows, positions, outputs="all")
            assert logits is not None  # outputs were asked for
            totals = log_totals(logits)
            for row, slot in enumerate(sorted(rows)):
                target = jobs[slot].alternatives[chosen[slot]][start + 1 : stop + 1]
                for offset, token in enumerate(target):
                    at = row * (stop - start) + offset
                    jobs[slot].scores[chosen[slot]] += float(logits[at][token]) - float(totals[at])
