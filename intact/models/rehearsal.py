"""A model that needs no weights: what a run would ask of a real one is counted."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from os.path import commonprefix

from intact.config import ModelSettings
from intact.protocols import Completion, CompletionRequest, ScoreRequest


class RehearsalModel:
    """Answers what fits the question and counts; a token is four characters.

    It calls every candidate true and guesses nothing right.

    Args:
        settings: section ``model``; where questions go one by one, an engine keeps the prefix.

    Attributes:
        read: prompt tokens so far.
        written: tokens of its answers.
    """

    def __init__(self, settings: ModelSettings) -> None:
        self.name = self.signature = "rehearsal"
        self.context_length = settings.context
        self.scores = True
        self.read = self.written = 0
        self._keeps = settings.questions == 1
        self._last = ""

    def count(self, texts: Sequence[str]) -> Sequence[int]:
        """A quarter of the characters, rounded up."""
        return [-(-len(text) // 4) for text in texts]

    def complete(self, requests: Sequence[CompletionRequest]) -> Sequence[Completion]:
        """Some answer of the right shape to each."""
        done = []
        for request in requests:
            self._note(request)
            done.append(Completion(_whatever(request)))
            self.written += self.count([done[-1].text])[0]
        return done

    def score(self, requests: Sequence[ScoreRequest]) -> Sequence[tuple[float, ...]]:
        """The first alternative is always the likeliest."""
        for request in requests:
            self._note(request)
        return [tuple(-float(n) for n, _ in enumerate(one.alternatives)) for one in requests]

    def close(self) -> None:
        """Holds nothing."""

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
