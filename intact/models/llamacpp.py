"""The llama.cpp backend: any GGUF instruct model, through the C interface of llama-cpp-python.

The library runs in a process of its own, and the file is checked before it is loaded. Questions are
answered side by side, one token of each at a time. A grammar keeps answers in lines.
"""

from __future__ import annotations

import ctypes
import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from intact.config import ModelSettings
from intact.errors import ConfigError, MissingExtraError, ModelError, require
from intact.models import local
from intact.models.load import locate, model_signature
from intact.models.reading import LONGEST
from intact.models.sequences import Sequences, load_weights
from intact.models.worker import Worker
from intact.protocols import Completion, CompletionRequest

_CONTROL = 8 | 16  # attributes of control tokens, the library's and a user's
_LONGEST_PIECE = 512  # bytes of one token
_SIDE_BY_SIDE = 16  # the most sequences at a time; more bring nothing
_LIKELIEST = 512  # tokens that the grammar checks: the whole vocabulary takes too long
_HOLDING = 3  # parts of a sampler that hold an answer to lines: the last is the grammar
_AT_END = 4  # a line ends with this many tokens to spare, enough for one odd character
# The line after a place's number says something, holds no control character, and ends. Tokens that
# no line can hold are barred beforehand, so that it allows most of the likeliest, and at least one.
_SAID = r"a-zA-Z0-9\u00C0-\u024F\u0370-\u1FFF\u3040-\uD7AF"
_LINE = rf'root ::= [^\x00-\x1F|{_SAID}]* [{_SAID}] [^\x00-\x1F]* "\n"'


def load_llamacpp(settings: ModelSettings) -> Worker:
    """Load the model of a GGUF file in a process of its own.

    Raises:
        ConfigError: if the settings name no file, or one that is not there.
        MissingExtraError: if llama-cpp-python is not installed.
        ModelError: if the file is no GGUF file, or the model cannot be loaded.
    """
    path = locate(settings)
    check_gguf(path)
    if find_spec("llama_cpp") is None:
        raise MissingExtraError.of("llama-cpp-python", "llm")
    given, plainly = {"settings": settings, "path": path}, {"extra_buffers": False}
    return Worker(LlamaModel, given, path.stem, model_signature(settings), after_sigill=plainly)


def check_gguf(path: Path) -> None:
    """Raise a ``ConfigError`` if there is no file, and a ``ModelError`` if it cannot be a GGUF
    file."""
    where = "setting model.path"
    remedy = "Give a GGUF file, or set model.backend=transformers for a model folder."
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "is not there"
        raise ConfigError(f"{path} {what}", where=where, remedy=remedy)
    with path.open("rb") as file:
        head = file.read(8)
    if head[:4] != b"GGUF" or not 2 <= int.from_bytes(head[4:8], "little") <= 3:
        what = "is not a GGUF file, damaged, or of a version this program does not know"
        raise ModelError(f"{path.name} {what}", where=where, remedy=remedy)


@dataclass(slots=True)
class _Answer:
    """One answer while it is written."""

    request: CompletionRequest
    prompt: list[int]
    sampler: Any  # of the lines, then of what follows
    grammar: Any  # of a line; belongs to the sampler
    tokens: list[int] = field(default_factory=list)
    forced: deque[int] = field(default_factory=deque)  # tokens of a line's number, still to write
    line: bytes = b""  # the present line, after its number
    lines: int = 0  # lines that are complete
    begun: int = 0  # tokens before the present line
    ended: bool = False  # by the model

    @property
    def length(self) -> int:
        """The number of tokens of prompt and answer."""
        return len(self.prompt) + len(self.tokens)

    @property
    def due(self) -> int:
        """The number of places (numbers that must each have a line) that have no line yet."""
        return len(self.request.places) - self.lines

    @property
    def must_end_line(self) -> bool:
        """Tell whether the present line must end now: it says something, and is long, or the tokens
        that remain are needed for the other lines."""
        others = local.LINE_TOKENS * (self.due - 1)
        end = min(self.request.max_tokens - others, self.begun + self.request.line_tokens)
        left = end - len(self.tokens)
        said = any(map(str.isalnum, self.line.decode("utf-8", "ignore")))
        return said and (left <= _AT_END or len(self.line) > LONGEST - 20)

    @property
    def over(self) -> bool:
        """Tell whether the answer is complete: the model has ended it, its tokens are used up, or
        nothing but lines is wanted and each place has one."""
        lines = bool(self.request.places) and self.due == 0
        full = len(self.tokens) >= self.request.max_tokens
        return self.ended or full or (lines and self.request.only)


class LlamaModel(local.LocalModel):
    """A GGUF model in this process. ``extra_buffers`` allows the processor's own kernels. Raises a
    ``ModelError`` if it cannot be loaded or has no usable chat template."""

    def __init__(self, settings: ModelSettings, path: Path, extra_buffers: bool = True) -> None:
        self._settings = settings
        self._lib = lib = require("llama_cpp.llama_cpp")
        self._model, self._log = load_weights(lib, settings, path, extra_buffers)
        self._vocab = lib.llama_model_get_vocab(self._model)
        self._size = lib.llama_vocab_n_tokens(self._vocab)
        self._buffer = ctypes.create_string_buffer(_LONGEST_PIECE)
        attributes = partial(lib.llama_vocab_get_attr, self._vocab)
        own = [token for token in range(self._size) if attributes(token) & _CONTROL]
        self._escape = local.control_words(map(self._text, own))
        own += [token for token in range(self._size) if not _is_text(self._piece(token))]
        self._unfit = (lib.llama_logit_bias * len(own))(*((token, -math.inf) for token in own))
        self._render = local.checked_template(lambda: self._template(settings.template))
        trained = int(lib.llama_model_n_ctx_train(self._model))
        self._trained, self.context_length = trained, min(settings.context, trained)
        [self._line_end] = self._tokens("\n")[-1:] or [0]
        if not self._piece(self._line_end).endswith(b"\n"):
            problem = "the model's vocabulary has no token for a line break"
            raise ModelError(problem, where="setting model.path")
        self._memory = Sequences(lib, self._model, settings.threads, self.context_length)
        self.name, self.signature = path.stem, ""

    def close(self) -> None:
        """Free the model."""
        if self._model is not None:
            self._memory.close()
            self._lib.llama_model_free(self._model)
            self._model = None

    def complete(self, requests: Sequence[CompletionRequest]) -> Sequence[Completion]:
        """Return one completion for each request, in order. Raise a ``ContextError`` if one does
        not fit the context. After any error while answers are written, the memory of the context is
        freed; the next call makes it anew."""
        prompts, asked = self._prompts(requests), list[_Answer]()
        try:
            for request, prompt in zip(requests, prompts, strict=True):
                asked.append(_Answer(request, prompt, *self._sampler(request)))
                self._number_line(asked[-1])
            for prefix in dict.fromkeys(request.prefix for request in requests):
                group = [one for one in asked if one.request.prefix == prefix]
                self._answer(self._prompt(prefix), group)
        except BaseException:
            self._memory.forget()
            raise
        finally:
            self.read = self._memory.read
            for one in asked:
                self._lib.llama_sampler_free(one.sampler)
        return [self._completion(one) for one in asked]

    def _completion(self, one: _Answer) -> Completion:
        """Make the ``Completion`` of an answer that is complete: its text without line breaks at
        the end, bytes that are no UTF-8 as U+FFFD, and the numbers of its tokens. It is finished if
        the model ended it or each place has its line."""
        text = b"".join(map(self._piece, one.tokens)).decode("utf-8", "replace").rstrip("\n")
        finished = one.ended or (bool(one.request.places) and one.due == 0)
        return Completion(text, finished, len(one.prompt), len(one.tokens))

    # -- text and tokens ------------------------------------------------------------------------

    def _template(self, setting: str) -> Callable[[str], str] | None:
        """Make the function that puts a message into a chat template: that of the file which the
        setting names or, for "", the model's own; None if the model has none."""
        lib, formats = self._lib, require("llama_cpp.llama_chat_format")
        own: bytes | None = lib.llama_model_chat_template(self._model, None)
        source = local.read_template(setting) or (own or b"").decode("utf-8", "replace")
        if not source:
            return None
        ends = (lib.llama_vocab_eos(self._vocab), lib.llama_vocab_bos(self._vocab))
        formatter = formats.Jinja2ChatFormatter(source, *map(self._text, ends))
        formatter.strftime_now = lambda _: ""  # no clock: the same input has the same prompt

        def render(content: str) -> str:
            message = {"role": "user", "content": content}
            return str(formatter(messages=[message], enable_thinking=False).prompt)

        return render

    def _tokens(self, text: str) -> list[int]:
        """Return the tokens of a text as it is, with control words read as such."""
        raw = text.encode("utf-8", "replace")
        room = (self._lib.llama_token * (len(raw) + 8))()
        size = self._lib.llama_tokenize(self._vocab, raw, len(raw), room, len(room), False, True)
        return list(room[:size])

    def _piece(self, token: int) -> bytes:
        """Return the bytes that a token writes; none for a control token."""
        room = self._buffer
        size = self._lib.llama_token_to_piece(self._vocab, token, room, len(room), 0, False)
        return room.raw[: max(0, size)]

    def _text(self, token: int) -> str:
        """Return a token's text as the vocabulary writes it; "" for no token (-1)."""
        raw = self._lib.llama_vocab_get_text(self._vocab, token) if token >= 0 else b""
        return (raw or b"").decode("utf-8", "replace")

    # -- answers --------------------------------------------------------------------------------

    def _answer(self, whole: list[int], group: Sequence[_Answer]) -> None:
        """Write the answers to questions that share a prefix into their ``_Answer``s, several at a
        time. The prefix is read once.

        Args:
            whole: the tokens of a prompt that holds nothing but the prefix.
            group: the answers, not yet begun.
        """
        shared = min(local.common_length(whole, one.prompt[:-1]) for one in group)
        prefix, memory = whole[:shared], self._memory
        need = max(len(one.prompt) + one.request.max_tokens for one in group)
        beside = min(_SIDE_BY_SIDE, self._settings.parallel, 2 * self.context_length // need)
        live: list[_Answer | None] = [None] * min(len(group), max(1, beside))  # by sequence
        memory.make_room(len(live), need)
        state = memory.read_prefix(prefix) if prefix else None
        waiting = deque(group)
        while True:
            live = [one if one is not None and not one.over else None for one in live]
            if waiting and None in live:
                at = live.index(None)
                live[at] = one = waiting.popleft()
                memory.put(at, state)
                self._write(one, memory.feed(at, shared, one.prompt[shared:]))
                continue
            going = self._close_ranks(live)
            if not going:
                return
            latest = [(one.tokens[-1], one.length - 1, at, True) for at, one in enumerate(going)]
            memory.decode(latest)
            for row, one in enumerate(going):
                self._write(one, row)

    def _close_ranks(self, live: list[_Answer | None]) -> list[_Answer]:
        """Move sequences into the places of those that are complete, in ``live`` and in the memory,
        and return the answers that are still being written, by sequence. A batch is fastest if its
        sequences are numbered without gaps.

        Args:
            live: by sequence, None where an answer is complete; shortened to those returned.
        """
        while None in live:
            hole, last = live.index(None), live.pop()
            if last is not None:
                live[hole] = last
                self._memory.move(len(live), hole)
        return [one for one in live if one is not None]

    def _sampler(self, request: CompletionRequest) -> tuple[Any, Any]:
        """Make the sampler that draws the tokens of an answer, and return it with the grammar of a
        line in it, None for a request without places. If there are places, the first three parts
        of its chain hold the answer to lines; the last part draws. The caller frees it. Raise a
        ``ModelError`` if the library refuses a part."""
        lib, grammar = self._lib, None
        parts: list[tuple[Any, ...]] = []  # the names of the library's samplers, with arguments
        if request.places:
            parts += [("logit_bias", self._size, len(self._unfit), self._unfit)]
            parts += [("top_k", _LIKELIEST), ("grammar", self._vocab, _LINE.encode(), b"root")]
        if request.temperature > 0.0:
            parts += [("top_k", local.TOP_K), ("top_p", local.TOP_P, 1)]
            parts += [("temp", request.temperature), ("dist", request.seed & 0xFFFFFFFF)]
        else:
            parts += [("greedy",)]
        made = lib.llama_sampler_chain_init(lib.llama_sampler_chain_default_params())
        for name, *given in parts:
            sampler = getattr(lib, f"llama_sampler_init_{name}")(*given)
            if not sampler:  # in a chain it would end the process
                lib.llama_sampler_free(made)
                raise ModelError(f"the library refused the sampler {name}")
            lib.llama_sampler_chain_add(made, sampler)
            grammar = sampler if name == "grammar" else grammar
        return made, grammar

    def _write(self, one: _Answer, row: int) -> None:
        """Add the next token to an answer: one of a line's number if some is still to write, a line
        break if the line must end, else one drawn from the logits in a row of the last batch. A
        token with which the model ends the answer is not added; it marks the answer as ended."""
        lib, forced = self._lib, bool(one.forced)
        if forced:
            token = one.forced.popleft()
        elif one.due and one.must_end_line:
            token = self._line_end
        else:
            token = int(lib.llama_sampler_sample(one.sampler, self._memory.context, row))
        one.ended = not one.due and lib.llama_vocab_is_eog(self._vocab, token)
        if one.ended:
            return
        one.tokens.append(token)
        self.written += 1
        if one.due and not forced:
            one.line += self._piece(token)
            if one.line.endswith(b"\n"):
                one.lines, one.line = one.lines + 1, b""
                self._number_line(one)

    def _number_line(self, one: _Answer) -> None:
        """Put the tokens of the next place's number ("7 |") before whatever is drawn for an answer;
        after the last place, free it from the grammar of lines. Nothing for a request without
        places."""
        if one.due:
            if one.lines:
                self._lib.llama_sampler_reset(one.grammar)
            one.begun = len(one.tokens)
            one.forced.extend(self._tokens(f"{one.request.places[one.lines]} |"))
        elif one.request.places:
            for _ in range(_HOLDING):
                self._lib.llama_sampler_free(self._lib.llama_sampler_chain_remove(one.sampler, 0))
            self._lib.llama_sampler_reset(one.sampler)  # the seed's draws begin anew


def _is_text(piece: bytes) -> bool:
    """Tell whether the bytes of a token are whole printable characters, perhaps with a line break
    at their end; False for no bytes."""
    written = piece.removesuffix(b"\n").decode("utf-8", "surrogateescape")  # no half is printable
    return bool(piece) and written.isprintable()
