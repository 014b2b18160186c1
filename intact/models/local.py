"""Models in this process: chat templates, and answers token by token.

The sampler is our own, so that every engine gives the same kind of answer, and one seeded generator
an answer makes it independent of what is asked beside it. A prefix that questions share stays in
memory. The row rule (a line for each place, in order, none empty, none too long, all of them within
the token budget; then whatever follows) is checked on the sampled token, and the whole vocabulary
is masked only when that is refused. Templates are Jinja and run in a sandbox; everything goes into
one user message, because some refuse a system message.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from os.path import commonprefix
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intact.config import ModelSettings
from intact.errors import ConfigError, ContextError, ModelError, require
from intact.models.reading import LONGEST
from intact.protocols import Completion, CompletionRequest

FAMILIES: dict[str, str] = {
    "chatml": (
        "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
        "{{ '<|im_start|>assistant\n' }}"
    ),
    "mistral": "{{ bos_token }}{% for m in messages %}[INST] {{ m.content }} [/INST]{% endfor %}",
    "llama3": (
        "{{ bos_token }}{% for m in messages %}<|start_header_id|>{{ m.role }}<|end_header_id|>"
        "\n\n{{ m.content }}<|eot_id|>{% endfor %}"
        "{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}"
    ),
    "gemma": (
        "{{ bos_token }}{% for m in messages %}<start_of_turn>{{ m.role }}\n{{ m.content }}"
        "<end_of_turn>\n{% endfor %}{{ '<start_of_turn>model\n' }}"
    ),
}
_PROBE = "0f8c27"
_WHERE = "setting model.template"


class ChatTemplate:
    """A checked chat template in Jinja; a ``ModelError`` if it cannot render one user message. A
    prompt begins with the text of the token ``bos``, or "", and ends with that of ``eos``."""

    def __init__(self, source: str, bos: str = "", eos: str = "") -> None:
        jinja2, sandbox = require("jinja2"), require("jinja2.sandbox")
        self._names = {"bos_token": bos, "eos_token": eos}
        environment = sandbox.ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
        )

        def refuse(message: str) -> Any:
            raise ModelError(f"the chat template refuses the message: {message[:80]}")

        # no clock: the same input has the same prompt
        environment.globals |= {"raise_exception": refuse, "strftime_now": lambda form: ""}
        problem = "drops the user's message"
        try:
            self._template = environment.from_string(source)
            usable = _PROBE in self.render(_PROBE)
        except (jinja2.TemplateError, ModelError, TypeError, ValueError, AttributeError) as error:
            usable, problem = False, f"cannot be used ({type(error).__name__})"
        if not usable:
            remedy = f"Set model.template to one of {', '.join(FAMILIES)}, or to a file."
            raise ModelError(f"the chat template {problem}", where=_WHERE, remedy=remedy)

    def render(self, content: str) -> str:
        """The whole prompt of one user message, up to where the answer begins."""
        messages = [{"role": "user", "content": content}]
        options = {"add_generation_prompt": True, "enable_thinking": False, "tools": None}
        return str(self._template.render(messages=messages, **options, **self._names))


def choose_template(setting: str, own: str | None) -> str:
    """Return the template that ``model.template`` asks for: a family's, a file's, the model's."""
    if not setting:
        if own:
            return own
        remedy = f"Set model.template to the model's family: {', '.join(FAMILIES)}, or a file."
        raise ModelError("the model file has no chat template", where=_WHERE, remedy=remedy)
    if setting in FAMILIES:
        return FAMILIES[setting]
    try:
        return Path(setting).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        problem = f"{setting!r} is neither a readable file nor one of {', '.join(FAMILIES)}"
        raise ConfigError(problem, where=_WHERE) from None


class ControlWords:
    """Keeps a message from holding the model's own control words."""

    def __init__(self, words: Iterable[str]) -> None:
        real = sorted({word for word in words if len(word) > 1}, key=lambda w: (-len(w), w))
        self._pattern = re.compile("|".join(map(re.escape, real)) or r"\Z.")

    def escape(self, content: str) -> str:
        """Return ``content`` with a space after the first character of each control word."""
        found = 1
        while found:
            content, found = self._pattern.subn(lambda m: f"{m[0][0]} {m[0][1:]}", content)
        return content


TOP_K = 40
TOP_P = 0.95
ROW_BYTES = LONGEST  # a row of one cell is never too long to be read
_ROW_TOKENS = 9  # at most, of the shortest row: "1234 |", a letter, a line break


@dataclass(frozen=True)
class Vocabulary:
    """The bytes of every token, and which tokens end an answer or are never text."""

    pieces: Sequence[bytes]
    stops: frozenset[int]
    controls: frozenset[int]

    @cached_property
    def by_piece(self) -> dict[bytes, list[int]]:
        """The tokens that write certain bytes."""
        found: dict[bytes, list[int]] = {}
        for token, piece in enumerate(self.pieces):
            if piece and token not in self.controls and token not in self.stops:
                found.setdefault(piece, []).append(token)
        return found

    @cached_property
    def line_ends(self) -> list[int]:
        """Return the tokens with a line break and nothing behind it, or raise ``ModelError``."""
        of_piece = self.by_piece.items()
        found = [token for piece, own in of_piece if piece.endswith(b"\n") for token in own]
        if not found:
            problem = "the model's vocabulary has no token for a line break"
            remedy = "Choose another model; see: intact models list"
            raise ModelError(problem, where="setting model.path", remedy=remedy)
        return found


@dataclass(slots=True)
class Decoding:
    """One answer in the making."""

    request: CompletionRequest
    vocabulary: Vocabulary
    prompt_tokens: int = 0
    tokens: list[int] = field(default_factory=list)
    done: bool = False
    finished: bool = False
    _random: np.random.Generator | None = None
    _rows: int = 0  # written so far
    _text: bytes = b""  # of the row that is being written

    def take(self, logits: NDArray[np.float32]) -> int:
        """Choose the next token from the logits of shape (vocabulary,) and record it."""
        token = self._sample(logits)
        if self._rows < len(self.request.places):
            fit = self._fitting()
            if token not in fit if fit else not self._allowed(token):
                legal = fit or self._legal(logits)
                only = np.full_like(logits, -np.inf)
                only[legal] = logits[legal]
                token = self._sample(only)
        if token in self.vocabulary.stops:
            self.done = self.finished = True
            return token
        self.tokens.append(token)
        self._text += self.vocabulary.pieces[token]
        if self._text.endswith(b"\n"):
            self._rows, self._text = self._rows + 1, b""
        if len(self.tokens) >= self.request.max_tokens:
            self.done = True
            self.finished = 0 < len(self.request.places) <= self._rows
        return token

    def completion(self) -> Completion:
        """The answer as it stands; broken UTF-8 becomes a replacement character."""
        written = b"".join(self.vocabulary.pieces[token] for token in self.tokens)
        text = written.decode("utf-8", "replace").rstrip("\n")
        return Completion(text, self.finished, self.prompt_tokens, len(self.tokens))

    def _sample(self, logits: NDArray[np.float32]) -> int:
        best = int(np.argmax(logits))
        temperature = self.request.temperature
        if temperature <= 0.0:
            return best
        if self._random is None:
            self._random = np.random.default_rng(self.request.seed)
        # Nothing further below the best than this can matter: 1e-9 of its probability.
        near = np.flatnonzero(logits > logits[best] - 20.0 * temperature)
        if len(near) > TOP_K:
            near = near[np.argpartition(-logits[near], TOP_K)[:TOP_K]]
        near = near[np.lexsort((near, -logits[near]))]
        weights = np.exp((logits[near] - logits[best]).astype(np.float64) / temperature)
        weights /= weights.sum()
        cut = int(np.searchsorted(np.cumsum(weights), TOP_P)) + 1
        cumulative = np.cumsum(weights[:cut])
        draw = self._random.random() * cumulative[-1]
        return int(near[min(int(np.searchsorted(cumulative, draw, side="right")), cut - 1)])

    @property
    def _begin(self) -> bytes:
        """Return the beginning of the row that is being written."""
        return f"{self.request.places[self._rows]} |".encode()

    def _fitting(self) -> list[int]:
        """Return the tokens that may follow in the beginning of a row; none behind it."""
        rest = self._begin[len(self._text) :]
        pieces = (rest[:size] for size in range(1, len(rest) + 1))
        return [token for piece in pieces for token in self.vocabulary.by_piece.get(piece, ())]

    def _spare(self) -> int:
        """Return the tokens left beyond one for this row's end and those of each row after it."""
        left = self.request.max_tokens - len(self.tokens)
        return left - _ROW_TOKENS * (len(self.request.places) - self._rows - 1) - 1

    def _must_end_row(self) -> bool:
        return self._spare() <= 0 and _says_something(self._text[len(self._begin) :])

    def _allowed(self, token: int) -> bool:
        """Return whether the row rule lets this token follow the beginning of a row."""
        piece = self.vocabulary.pieces[token]
        head, newline, tail = piece.partition(b"\n")
        never = token in self.vocabulary.controls or token in self.vocabulary.stops
        long = len(self._text) + len(head) > ROW_BYTES
        if never or long or not piece or tail or any(byte < 32 for byte in head):
            return False
        said = _says_something(self._text[len(self._begin) :] + head)
        return said if newline else (said or self._spare() > 1) and not self._must_end_row()

    def _legal(self, logits: NDArray[np.float32]) -> list[int]:
        """Return the likeliest tokens that may follow."""
        ends = self.vocabulary.line_ends
        order = ends if self._must_end_row() else np.argsort(-logits, kind="stable").tolist()
        most = TOP_K if self.request.temperature > 0.0 else 1
        return list(islice(filter(self._allowed, order), None if order is ends else most)) or ends


def _says_something(cells: bytes) -> bool:
    return any(map(str.isalnum, cells.decode("utf-8", "ignore")))


class LocalModel(ABC):
    """A model in this process that answers many short questions about a long prefix, one at a time.
    It was ``trained`` to read so many tokens at once; ``words`` are its control words."""

    def __init__(
        self,
        settings: ModelSettings,
        vocabulary: Vocabulary,
        template: ChatTemplate,
        words: ControlWords,
        trained: int,
        name: str,
        signature: str = "",
    ) -> None:
        self._vocabulary, self._template, self._words = vocabulary, template, words
        self._trained, self.context_length = trained, min(settings.context, trained)
        self._prefix: tuple[str, list[int]] = ("", [])  # the last one, tokenised
        self._memory: list[int] = []
        self.name, self.signature = name, signature
        self.read = self.written = self.retried = 0

    @abstractmethod
    def _tokens(self, text: str) -> list[int]:
        """A text's tokens, control words read as such."""

    @abstractmethod
    def _feed(self, tokens: list[int]) -> NDArray[np.float32]:
        """Return the logits after some more tokens, valid until the next call."""

    @abstractmethod
    def _cut(self, length: int) -> bool:
        """Cut the memory to its first ``length`` tokens, or if that fails to none (False)."""

    def count(self, texts: Sequence[str]) -> Sequence[int]:
        """Tokens of each text."""
        return [len(self._tokens(self._words.escape(text))) for text in texts]

    def complete(self, requests: Sequence[CompletionRequest]) -> Sequence[Completion]:
        """One completion per request; see ``LanguageModel``."""
        answers: dict[int, Completion] = {}
        prefixes = list(dict.fromkeys(request.prefix for request in requests))
        for index in sorted(range(len(requests)), key=lambda i: prefixes.index(requests[i].prefix)):
            request = requests[index]
            prompt = self._prompt(request.prefix + request.question)
            logits = self._read_prompt(prompt, request.prefix, request.max_tokens)
            answer = Decoding(request, self._vocabulary, len(prompt))
            while True:
                token = answer.take(logits)
                if answer.done:
                    break
                logits = self._evaluate([token])
                self.written += 1
            answers[index] = answer.completion()
        return [answers[index] for index in range(len(requests))]

    def _prompt(self, content: str) -> list[int]:
        return self._tokens(self._template.render(self._words.escape(content)))

    def _read_prompt(self, prompt: list[int], prefix: str, room: int) -> NDArray[np.float32]:
        """Return the logits after a prompt with ``room`` tokens behind; its prefix is read once."""
        tokens = len(prompt) + room
        if tokens > self.context_length:
            problem = f"a prompt and its answer take {tokens} tokens"
            problem += f", the context is {self.context_length}"
            remedy = f"Raise it to {tokens} or more; the model was trained on {self._trained}."
            raise ContextError(problem, where="setting model.context", remedy=remedy)
        if self._prefix[0] != prefix or not self._prefix[1]:
            self._prefix = (prefix, self._prompt(prefix))
        shared, kept = (
            min(len(commonprefix((known, prompt))), len(prompt) - 1)  # noqa: RUF071
            for known in (self._prefix[1], self._memory)
        )
        kept = min(kept, shared)
        if kept < len(self._memory):
            kept = kept if self._cut(kept) else 0
            del self._memory[kept:]
        self.read += len(prompt) - kept
        if kept < shared:
            self._evaluate(prompt[kept:shared])
        return self._evaluate(prompt[shared:])

    def _evaluate(self, tokens: list[int]) -> NDArray[np.float32]:
        memory, self._memory = self._memory, []
        logits = self._feed(tokens)
        self._memory = [*memory, *tokens]
        return logits
