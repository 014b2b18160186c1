"""Prompts of the engines in this process: chat templates, control words, and room for an answer.

An answer about places has a line for each of them, in order: the engine writes the place's number,
the model what follows it. Everything is asked in one user message, because some templates refuse a
system message.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from intact.errors import ConfigError, ContextError, ModelError, loading
from intact.protocols import CompletionRequest

TOP_K, TOP_P = 40, 0.95
WHERE_TEMPLATE = "setting model.template"
LINE_TOKENS = 10  # enough for the shortest line: "1234 |", a word, a line break
_PROBE = "0f8c27"


def read_template(setting: str) -> str | None:
    """Return the text of the file that the setting ``model.template`` names, a chat template; None
    for "". Raise a ``ConfigError`` if the file cannot be read."""
    problem = f"{setting!r} is not a file that can be read"
    with loading(problem, WHERE_TEMPLATE, kind=ConfigError):
        return Path(setting).read_text(encoding="utf-8") if setting else None


def checked_template(make: Callable[[], Callable[[str], str] | None]) -> Callable[[str], str]:
    """Try a chat template, and return the function that turns a user's message into a prompt. Raise
    a ``ModelError`` if there is no template, if it fails, or if it drops the message.

    Args:
        make: makes that function; None if the model has no template.
    """
    problem = "the model has no chat template"
    with loading("the chat template cannot be used", WHERE_TEMPLATE):  # it is a program
        render = make()
        if render is not None and _PROBE in render(_PROBE):
            return render
        problem = problem if render is None else "the chat template drops the user's message"
    raise ModelError(problem, where=WHERE_TEMPLATE)


def control_words(words: Iterable[str]) -> Callable[[str], str]:
    """Make the function that breaks up each control word in a message by a space, so that no
    document can end its turn in a chat. Words of one character, or without a letter or digit, are
    left whole."""
    real = {word for word in words if len(word) > 1 and any(map(str.isalnum, word))}
    ordered = sorted(real, key=lambda word: (-len(word), word))
    pattern = re.compile("|".join(map(re.escape, ordered)) or r"\Z.")

    def escape(content: str) -> str:
        """Return a message without control words of the chat template ("<|im_end|>"): a space
        behind the first character of each breaks it up."""
        replaced = 1
        while replaced:
            content, replaced = pattern.subn(lambda m: f"{m[0][0]} {m[0][1:]}", content)
        return content

    return escape


def common_length(one: Sequence[object], other: Sequence[object]) -> int:
    """Count the tokens at the beginning that two prompts share.

    Args:
        one: tokens of a prompt.
        other: tokens of another one.
    """
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


class LocalModel:
    """A base of the engines in this process: it counts tokens, and makes prompts that fit the
    context."""

    context_length: int
    read = written = retried = 0
    _trained: int  # tokens that the model was trained on at once
    _render: Callable[[str], str]  # puts a message into the chat template
    _escape: Callable[[str], str]  # breaks control words

    def count(self, texts: Sequence[str]) -> Sequence[int]:
        """Return the number of tokens of each text, in order, its control words broken up, without
        those of the chat template."""
        return [len(self._tokens(self._escape(text))) for text in texts]

    def _tokens(self, text: str) -> list[int]:
        """Return the tokens of a text as it is, with control words read as such; each engine has
        its own."""
        raise NotImplementedError

    def _prompt(self, content: str) -> list[int]:
        """Return the tokens of a user's message in the chat template, its control words broken
        up."""
        return self._tokens(self._render(self._escape(content)))

    def _prompts(self, requests: Sequence[CompletionRequest]) -> list[list[int]]:
        """Return the tokens of each request's prompt, in order. Raise a ``ContextError`` that says
        how many tokens the longest takes with its answer, if that does not fit the context."""
        prompts = [self._prompt(request.prefix + request.question) for request in requests]
        pairs, most = zip(requests, prompts, strict=True), self.context_length
        tokens = max((len(prompt) + request.max_tokens for request, prompt in pairs), default=0)
        if tokens > most:
            problem = f"a prompt and its answer take {tokens} tokens, the context is {most}"
            more = f"Raise it to {tokens} or more; the model was trained on {self._trained}."
            raise ContextError(problem, where="setting model.context", remedy=more)
        return prompts
