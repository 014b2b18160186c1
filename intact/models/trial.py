"""The model of ``sanitize --plan``: the real one for some seconds, then one that imitates it.

What the real one does in that time says how fast it reads and writes on this machine, and how much
of what it may write it does write, by kind of question. The rest is reckoned.
"""

from __future__ import annotations

import logging
import re
import time
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from os.path import commonprefix

from intact.config import ModelSettings
from intact.errors import IntactError
from intact.models.counted import AnswerStore, CountedModel
from intact.models.load import load_model
from intact.protocols import Completion, CompletionRequest

SAMPLE = 20.0  # seconds that the real model is asked for
_FIRST = 5.0  # of them for the first kind of question: what guesses hit decides more
_STEP = 1.0  # seconds of a measurement that is long enough
_USUAL = 0.45  # share of its tokens that an answer takes, of models that do as they are told
_KIND = 60  # characters by which kinds of questions differ
_BESIDE = 4  # questions in one call
_LEAST = 32  # tokens that say how fast a model writes
_MARKED = r"⟦\d[^|⟧]*\|\w+\|([^⟧]+)⟧"  # an original in a question about a plan
_LOG = logging.getLogger("intact")


class TrialModel:
    """A ``LanguageModel`` for a trial run; without a real model one that only imitates.

    Args:
        settings: under ``extra["real"]`` those of the real model, if it is to be asked.
        clock: returns seconds.

    Attributes:
        reckoned: seconds that all calls would have taken beyond those that they took.
    """

    def __init__(
        self, settings: ModelSettings, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self.name = self.signature = "dry-run"
        self.context_length = settings.context
        self.read = self.written = self.retried = 0
        self.reckoned = 0.0
        self._clock, self._keeps, self._last = clock, not settings.url, ""
        self._real: CountedModel | None = None
        self._reading = self._writing = 0.0  # seconds for a token
        self._first = ""  # the first kind of question
        self._originals: list[str] = []  # those that a plan was last asked about
        self._spent: dict[str, float] = defaultdict(float)  # by kind of question; "" measuring
        self._granted, self._used = Counter[str](), Counter[str]()
        if "real" in settings.extra:
            own = ModelSettings.model_validate(settings.extra["real"])
            try:
                store = AnswerStore(own.store) if own.store else None
                self._real = CountedModel(load_model(own), store, own.parallel, most_unreadable=1.0)
                self.context_length = self._real.context_length
            except IntactError as error:
                _LOG.warning("its speed cannot be measured: %s", error)

    def count(self, texts: Sequence[str]) -> Sequence[int]:
        """Return the tokens of each text; without a real model a quarter of the characters."""
        return self._real.count(texts) if self._real else [-(-len(text) // 4) for text in texts]

    def complete(self, requests: Sequence[CompletionRequest]) -> Sequence[Completion]:
        """Return the real model's answers while there is time, then some of the right shape."""
        began, seconds, done = self._clock(), 0.0, list[Completion]()
        if self._real is not None and not self._reading:
            self._first = requests[0].prefix[:_KIND]
            self._measure(self._real, requests[0].prefix + requests[0].question)
        for at in range(0, len(requests), _BESIDE):
            some = requests[at : at + _BESIDE]
            kind = some[0].prefix[:_KIND]
            left = SAMPLE - sum(self._spent.values())
            if kind == self._first:
                left = min(left, _FIRST - self._spent[kind])
            seen = [word for one in some for word in re.findall(_MARKED, one.prefix + one.question)]
            self._originals = seen or self._originals
            read, written, due = self._reckon(some, kind)
            if self._real is not None and due <= left:
                before = self._spent[kind]
                done += self._ask(self._real, some, kind)
                seconds += self._spent[kind] - before
            else:
                self.read, self.written = self.read + read, self.written + written
                seconds += due
                done += (_imitate(request, self._originals) for request in some)
            self._last = some[-1].prefix + some[-1].question
        if self._real is not None:
            self.reckoned += seconds - (self._clock() - began)
        return done

    def close(self) -> None:
        """Free the real model."""
        if self._real is not None:
            self._real.close()

    def _measure(self, real: CountedModel, text: str) -> None:
        """Measure reading and writing with ever longer pieces of a question."""
        began, size, most = self._clock(), 400, 8

        def ask(most: int) -> tuple[float, Completion]:
            start = self._clock()
            [done] = real.model.complete([CompletionRequest(text[-size:], "", max_tokens=most)])
            return self._clock() - start, done

        seconds, _ = ask(1)  # makes the memory
        while size < 800 or (seconds < _STEP and size < len(text)):
            size *= 2
            seconds, done = ask(1)
            self._reading = seconds / max(1, done.prompt_tokens)
        again, seconds = 0.0 if self._keeps else seconds, 0.0
        while seconds < _STEP and most < 128:
            most *= 2
            seconds, done = ask(most)
            self._writing = max(0.0, seconds - again) / max(1, done.answer_tokens)
        self._spent[""] = self._clock() - began
        real.read, real.written = real.model.read, real.model.written  # that was not asked for

    def _ask(
        self, real: CountedModel, requests: Sequence[CompletionRequest], kind: str
    ) -> Sequence[Completion]:
        """Ask the real model and learn from it, if no answer was kept from before."""
        began, before = self._clock(), Counter(real.usage)
        done = real.complete(requests)
        seconds = self._clock() - began
        self._spent[kind] += seconds
        read, written = (int(real.usage[name] - before[name]) for name in ("read", "written"))
        self.read, self.written = self.read + read, self.written + written
        if real.usage["requests"] - before["requests"] == len(requests):
            self._granted[kind] += sum(request.max_tokens for request in requests)
            self._used[kind] += written
            if written > _LEAST:
                self._writing = max(0.0, seconds - self._reading * read) / written
        return done

    def _reckon(self, requests: Sequence[CompletionRequest], kind: str) -> tuple[int, int, float]:
        """Return the tokens that questions take to read and their answers to write, and seconds."""
        read, last, granted = 0, self._last, self._granted[kind]
        for request in requests:
            text = request.prefix + request.question
            shared = len(commonprefix((last, text))) if self._keeps else 0  # noqa: RUF071
            read += self.count([text[shared:]])[0]
            last = text
        share = self._used[kind] / granted if granted else _USUAL
        written = round(share * sum(request.max_tokens for request in requests))
        return read, written, self._reading * read + self._writing * written


def _imitate(request: CompletionRequest, originals: Sequence[str]) -> Completion:
    """Return an answer that takes what rules propose, or guesses an original at random: so about
    one place of a text is hit, and it is asked about again, as by a real model."""
    lines = []
    for number in request.places:
        key = zlib.crc32(f"{request.prefix}{number}".encode("utf-8", "replace"))
        guess = originals[key % len(originals)] if originals else "Kobadigo"
        lines.append(f"{number} | rules | {guess}")
    return Completion("\n".join(lines) or "none")
