"""A model that says what it was told to: for tests, and for rehearsing a run without weights."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from os.path import commonprefix
from typing import TypeVar

from intact.config import ModelSettings
from intact.errors import ModelError
from intact.protocols import Completion, CompletionRequest, ScoreRequest

_T = TypeVar("_T")


class ScriptedModel:
    """Answers by a script and fails when it is asked more than it was told.

    Args:
        answers: texts given one after the other, or a function of the request.
        scores: tuples of log-probabilities one after the other, or a function of the request.
        crash_at: the number (from 0) of the request at which it fails, None for never.
        context_length: in tokens; a token is four characters here.

    Attributes:
        requests: everything it was asked, in order.
        read: prompt tokens so far.
        written: tokens of its answers.
    """

    def __init__(
        self,
        answers: Sequence[str] | Callable[[CompletionRequest], str] = (),
        scores: Sequence[tuple[float, ...]] | Callable[[ScoreRequest], tuple[float, ...]] = (),
        *,
        crash_at: int | None = None,
        context_length: int = 8192,
        name: str = "scripted",
    ) -> None:
        self.name = name
        self.signature = name
        self.context_length = context_length
        self.scores = True
        self.requests: list[CompletionRequest | ScoreRequest] = []
        self.closed = False
        self.read = self.written = 0
        self._answers = answers if callable(answers) else _in_order(answers)
        self._scores = scores if callable(scores) else _in_order(scores)
        self._crash_at = crash_at

    def count(self, texts: Sequence[str]) -> Sequence[int]:
        """A quarter of the characters, rounded up."""
        return [-(-len(text) // 4) for text in texts]

    def complete(self, requests: Sequence[CompletionRequest]) -> Sequence[Completion]:
        """The next answers of the script."""
        done = []
        for request in requests:
            self._note(request)
            done.append(Completion(self._answers(request)))
            self.written += self.count([done[-1].text])[0]
        return done

    def score(self, requests: Sequence[ScoreRequest]) -> Sequence[tuple[float, ...]]:
        """The next scores of the script."""
        done = []
        for request in requests:
            self._note(request)
            done.append(self._scores(request))
        return done

    def close(self) -> None:
        """Remember that it was closed."""
        self.closed = True

    def _note(self, request: CompletionRequest | ScoreRequest) -> None:
        if self._crash_at is not None and len(self.requests) >= self._crash_at:
            raise ModelError(f"the scripted model fails at request {self._crash_at}")
        self.requests.append(request)
        self.read += self.count([request.prefix + request.question])[0]


class RehearsalModel(ScriptedModel):
    """Answers what fits the question and counts: what a run would ask of a real model.

    It calls every candidate true and guesses nothing right.

    Args:
        settings: section ``model``; where questions go one by one, an engine keeps the prefix.
    """

    def __init__(self, settings: ModelSettings) -> None:
        super().__init__(
            _whatever,
            lambda request: tuple(-float(n) for n, _ in enumerate(request.alternatives)),
            context_length=settings.context,
            name="rehearsal",
        )
        self._keeps = settings.questions == 1
        self._last = ""

    def _note(self, request: CompletionRequest | ScoreRequest) -> None:
        text = request.prefix + request.question
        shared = len(commonprefix((self._last, text))) if self._keeps else 0  # noqa: RUF071
        self._last = text
        self.read += self.count([text[shared:]])[0]


def _whatever(request: CompletionRequest) -> str:
    answers = []
    for part in request.parts or ("",):
        lines = request.choices[:1] * request.lines or [
            f"a place near {_name(f'{request.question}{part}{n}')}" for n in range(request.lines)
        ]
        mark = part and (f"{part}: " if request.lines == 1 else f"[{part}]\n")
        answers.append(mark + "\n".join(lines))
    return "\n".join(answers)


def _name(key: str) -> str:
    """A name of a place that there is not, the same for the same key."""
    number = zlib.crc32(key.encode("utf-8", "replace"))
    syllables = (
        f"{'bdgklmnprstvz'[number >> n & 7]}{'aeio'[number >> n + 3 & 3]}" for n in range(6)
    )
    return "".join(syllables).capitalize()


def _in_order(items: Sequence[_T]) -> Callable[[object], _T]:
    """A function that gives the items one after the other, whatever it is asked."""
    left = iter(items)

    def following(_request: object) -> _T:
        try:
            return next(left)
        except StopIteration:
            raise ModelError("the scripted model was asked more than it was told") from None

    return following
