"""Prompts of the engines in this process: chat templates, control words, and room for an answer.

An answer about places has a line for each of them, in order: the engine writes the place's number,
the model what stands behind it. Everything is asked in one user message, because some templates
refuse a system message.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from intact.errors import ConfigError, ContextError, IntactError, ModelError

TOP_K, TOP_P = 40, 0.95
WHERE_TEMPLATE = "setting model.template"
LINE_TOKENS = 10  # at most, of the shortest line: "1234 |", a word, a line break
_PROBE = "0f8c27"


def read_template(setting: str) -> str | None:
    """Read the chat template in the file that ``model.template`` names; None without one."""
    try:
        return Path(setting).read_text(encoding="utf-8") if setting else None
    except (OSError, UnicodeDecodeError):
        remedy = "Name a file; llamacpp knows families, too: chatml, llama3, gemma, mistral-v7 ..."
        problem = f"{setting!r} is not a file that can be read"
        raise ConfigError(problem, where=WHERE_TEMPLATE, remedy=remedy) from None


def checked_template(make: Callable[[], Callable[[str], str] | None]) -> Callable[[str], str]:
    """Try out a chat template; return the function that turns a user's message into a prompt.
    Raises a ``ModelError`` if there is none, if it fails, or if it drops the message."""
    problem = "the model has no chat template"
    try:
        render = make()
        if render is not None and _PROBE in render(_PROBE):
            return render
        problem = problem if render is None else "the chat template drops the user's message"
    except IntactError:
        raise
    except Exception as error:  # noqa: BLE001 (templates are programs)
        problem = f"the chat template cannot be used ({type(error).__name__})"
    remedy = "Set model.template to a file, or with llamacpp to a family: chatml, llama3, gemma ..."
    raise ModelError(problem, where=WHERE_TEMPLATE, remedy=remedy)


def control_words(words: Iterable[str]) -> Callable[[str], str]:
    """Make the function that breaks each control word in a message by a space, so that no
    document can end its place in a chat."""
    real = {word for word in words if len(word) > 1 and any(map(str.isalnum, word))}
    ordered = sorted(real, key=lambda word: (-len(word), word))
    pattern = re.compile("|".join(map(re.escape, ordered)) or r"\Z.")

    def escape(content: str) -> str:
        replaced = 1
        while replaced:
            content, replaced = pattern.subn(lambda m: f"{m[0][0]} {m[0][1:]}", content)
        return content

    return escape


def common_length(one: Sequence[object], other: Sequence[object]) -> int:
    """Count the tokens with which two prompts begin alike.

    Args:
        one: tokens of a prompt.
        other: tokens of another one.
    """
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def check_fits(prompt: int, answer: int, context: int, trained: int) -> None:
    """Refuse a prompt that, with its answer, takes more tokens than the context has.

    Args:
        prompt: its tokens.
        answer: tokens that it may have at most.
        context: tokens that both may take together.
        trained: tokens that the model was trained on at once, for the message.

    Raises:
        ContextError: with how many tokens would do.
    """
    if (tokens := prompt + answer) > context:
        raise ContextError(
            f"a prompt and its answer take {tokens} tokens, the context is {context}",
            where="setting model.context",
            remedy=f"Raise it to {tokens} or more; the model was trained on {trained}.",
        )
