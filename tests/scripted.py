"""A model that says what it was told to."""

from __future__ import annotations

from typing import TypeVar

from intact.errors import ModelError
from intact.protocols import Completion, CompletionRequest

_T = TypeVar("_T")


class ScriptedModel:
    """Answers by a script and fails when it is asked more than it was told.

    Args:
        answers: texts given one after the other, or a function of the request.
        crash_at: the number (from 0) of the request at which it fails, None for never.
        context_length: in tokens; a token is four characters here.

    Attributes:
        requests: everything it was asked, in order.
        read: prompt tokens so far.
        written: tokens of its answers.
    """

    def __init__(self, answers=(), *, crash_at=None, context_length=8192, name="scripted"):
        self.name = name
        self.signature = name
        self.context_length = context_length
        self.requests: list[CompletionRequest] = []
        self.closed = False
        self.read = self.written = self.retried = 0
        self._answers = answers if callable(answers) else _in_order(answers)
        self._crash_at = crash_at

    def count(self, texts):
        """A quarter of the characters, rounded up."""
        return [-(-len(text) // 4) for text in texts]

    def complete(self, requests):
        """The next answers of the script."""
        done = []
        for request in requests:
            self._note(request)
            done.append(Completion(self._answers(request)))
            self.written += self.count([done[-1].text])[0]
        return done

    def close(self):
        """Remember that it was closed."""
        self.closed = True

    def _note(self, request):
        if self._crash_at is not None and len(self.requests) >= self._crash_at:
            raise ModelError(f"the scripted model fails at request {self._crash_at}")
        self.requests.append(request)
        self.read += self.count([request.prefix + request.question])[0]


def _in_order(items):
    """A function that gives the items one after the other, whatever it is asked."""
    left = iter(items)

    def following(_request):
        try:
            return next(left)
        except StopIteration:
            raise ModelError("the scripted model was asked more than it was told") from None

    return following
