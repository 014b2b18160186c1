"""Choosing the next token: our own sampler, so that every backend gives the same kind of answer.

One seeded generator per answer makes an answer independent of what is decoded beside it. The line
rule (exactly n lines, none empty, none too long, none ending in a colon as announcements do, one of
the choices where there are some, always finished within the token budget) is checked on the sampled
token, and the whole vocabulary is masked only when that is refused.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from intact.errors import ModelError
from intact.protocols import Completion, CompletionRequest

if TYPE_CHECKING:
    from numpy.typing import NDArray

TOP_K = 40
TOP_P = 0.95
LINE_BYTES = 80
_AFTER_COLON = 8  # bytes of a line kept for what must follow a colon


@dataclass(frozen=True, slots=True)
class Masks:
    """What the line rule needs to know of every token; arrays of shape (vocabulary,).

    Attributes:
        plain: no line break in it, printable, no control token.
        visible: has more than white space (before a line break).
        ends: ends with a line break and has no other.
        colon: what is visible of it ends with a colon.
        length: bytes before the line break.
    """

    plain: NDArray[np.bool_]
    visible: NDArray[np.bool_]
    ends: NDArray[np.bool_]
    colon: NDArray[np.bool_]
    length: NDArray[np.int32]


class Vocabulary:
    """The bytes of every token, and which tokens end an answer or are never text."""

    def __init__(self, pieces: Sequence[bytes], stops: frozenset[int], controls: frozenset[int]):
        self.pieces = pieces
        self.stops = stops
        self.controls = controls

    def text(self, tokens: Sequence[int]) -> str:
        """The tokens' text; broken UTF-8 becomes a replacement character."""
        return b"".join(self.pieces[token] for token in tokens).decode("utf-8", "replace")

    @cached_property
    def by_piece(self) -> dict[bytes, list[int]]:
        """The tokens that write certain bytes."""
        found: dict[bytes, list[int]] = {}
        for token, piece in enumerate(self.pieces):
            if piece and token not in self.controls and token not in self.stops:
                found.setdefault(piece, []).append(token)
        return found

    @cached_property
    def masks(self) -> Masks:
        """The line rule's arrays.

        Raises:
            ModelError: if no token of this vocabulary ends a line.
        """
        size = len(self.pieces)
        plain, visible, ends, colon = (np.zeros(size, bool) for _ in range(4))
        masks = Masks(plain, visible, ends, colon, np.zeros(size, np.int32))
        for token, piece in enumerate(self.pieces):
            if not piece or token in self.controls or token in self.stops:
                continue
            head, newline, tail = piece.partition(b"\n")
            if tail or any(byte < 32 for byte in head):
                continue
            masks.plain[token] = not newline
            masks.ends[token] = bool(newline)
            shown = head.decode("utf-8", "replace").strip()
            masks.visible[token] = bool(shown)
            masks.colon[token] = shown.endswith(":")
            masks.length[token] = len(head)
        if not (masks.ends & ~masks.visible).any():
            raise ModelError(
                "the model's vocabulary has no token for a line break",
                where="setting model.grammar",
                remedy="Set model.grammar=false.",
            )
        return masks


@dataclass(slots=True)
class Decoding:
    """One answer in the making."""

    request: CompletionRequest
    vocabulary: Vocabulary
    prompt_tokens: int = 0
    grammar: bool = True
    tokens: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    done: bool = False
    finished: bool = False
    _random: np.random.Generator | None = None
    _line: int = 0
    _text: bytes = b""
    _visible: bool = False
    _colon: bool = False

    def take(self, logits: NDArray[np.float32], log_total: float) -> int:
        """Choose the next token from the logits of shape (vocabulary,) and record it.

        Args:
            logits: raw logits after everything so far.
            log_total: log of the sum of their exponentials.
        """
        token = self._sample(logits)
        if self.grammar and self.request.rows:
            fit = self._fitting()
            if fit and token not in fit:
                only = np.full_like(logits, -np.inf)
                only[fit] = logits[fit]
                token = self._sample(only)
            elif not fit and not self._allowed(token):
                token = self._sample(self._masked(logits))
        if token in self.vocabulary.stops:
            self.done = self.finished = True
            return token
        self.tokens.append(token)
        self.logprobs.append(float(logits[token]) - log_total)
        self._advance(token)
        if len(self.tokens) >= self.request.max_tokens:
            self.done = True
        return token

    def completion(self) -> Completion:
        """The answer as it stands."""
        text = self.vocabulary.text(self.tokens)
        return Completion(
            text.rstrip("\n"),
            finished=self.finished,
            prompt_tokens=self.prompt_tokens,
            answer_tokens=len(self.tokens),
            logprobs=self._line_logprobs(),
        )

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

    def _spare(self) -> int:
        """Tokens left beyond one for this line's end and two for each line after it."""
        left = self.request.max_tokens - len(self.tokens)
        return left - 2 * (self.request.rows - self._line - 1) - 1

    def _must_end_line(self) -> bool:
        return self._visible and self._spare() <= 0

    def _fitting(self) -> list[int]:
        """The tokens that may follow where the line is told beforehand; none where it is not."""
        own = self.request
        begin, words = "", own.choices
        if own.parts and own.lines == 1:
            begin = f"{own.parts[self._line]}: "
        elif own.parts:
            block, row = divmod(self._line, own.lines + 1)
            words = words if row else (f"[{own.parts[block]}]",)
        found: list[int] = []
        for line in (f"{begin}{word}".encode() for word in words or ("",)):
            rest = line[len(self._text) :]
            if line.startswith(self._text) and rest:
                pieces = (rest[:size] for size in range(1, len(rest) + 1))
                found += (
                    token for piece in pieces for token in self.vocabulary.by_piece.get(piece, ())
                )
            elif line == self._text and words:
                found += self.vocabulary.by_piece.get(b"\n", ())
        return found

    def _allowed(self, token: int) -> bool:
        """Whether the line rule lets this token follow."""
        masks = self.vocabulary.masks
        visible = bool(masks.visible[token])
        size = len(self._text) + int(masks.length[token])
        if size > LINE_BYTES or not (visible or self._visible):
            return False
        if masks.ends[token]:
            return not (masks.colon[token] if visible else self._colon)
        if masks.colon[token] and (self._spare() <= 2 or size > LINE_BYTES - _AFTER_COLON):
            return False
        return bool(masks.plain[token]) and not self._must_end_line()

    def _masked(self, logits: NDArray[np.float32]) -> NDArray[np.float32]:
        """The logits with everything that :meth:`_allowed` refuses at minus infinity."""
        masks = self.vocabulary.masks
        ends = masks.ends & ~masks.colon
        if self._colon:
            ends &= masks.visible
        size = len(self._text) + masks.length
        plain = masks.plain & ~(
            masks.colon & ((self._spare() <= 2) | (size > LINE_BYTES - _AFTER_COLON))
        )
        allowed = ends if self._must_end_line() else plain | ends
        if not self._visible:
            allowed = allowed & masks.visible
        fits = allowed & (size <= LINE_BYTES)
        return np.where(fits if fits.any() else masks.ends, logits, np.float32(-np.inf))

    def _advance(self, token: int) -> None:
        piece = self.vocabulary.pieces[token]
        if not self.request.rows:
            return
        head, newline, _ = piece.rpartition(b"\n")
        self._text += piece
        shown = (head if newline else piece).decode("utf-8", "replace").strip()
        if shown:
            self._visible, self._colon = True, shown.endswith(":")
        if newline:
            self._line += 1 if self._visible else 0
            self._text, self._visible, self._colon = b"", False, False
        if self._line >= self.request.rows:
            self.done = self.finished = True

    def _line_logprobs(self) -> tuple[float, ...]:
        sums = [0.0]
        for token, logprob in zip(self.tokens, self.logprobs, strict=True):
            sums[-1] += logprob
            if b"\n" in self.vocabulary.pieces[token]:
                sums.append(0.0)
        return tuple(sums[: self.vocabulary.text(self.tokens).rstrip("\n").count("\n") + 1])


def log_totals(rows: Sequence[NDArray[np.float32]] | NDArray[np.float32]) -> list[float]:
    """log sum exp of each row of logits, each of shape (vocabulary,)."""
    totals = []
    buffer = np.empty(0, np.float32)  # for one row, which the processor's cache holds
    for row in rows:
        buffer = buffer if buffer.shape == row.shape else np.empty_like(row)
        top = row.max()
        np.exp(np.subtract(row, top, out=buffer), out=buffer)
        totals.append(float(top) + math.log(float(np.sum(buffer))))
    return totals


def common_length(left: Sequence[int], right: Sequence[int]) -> int:
    """How many tokens the two have in common from the start.

    Args:
        left: token ids.
        right: token ids.
    """
    for place, (one, other) in enumerate(zip(left, right, strict=False)):
        if one != other:
            return place
    return min(len(left), len(right))


def check_budget(request: CompletionRequest) -> None:
    """Refuse a request whose token budget cannot hold its lines.

    Raises:
        ModelError: if it has less than two tokens a line.
    """
    if request.max_tokens < max(1, 2 * request.rows):
        raise ModelError(
            f"{request.max_tokens} tokens cannot hold {request.rows} lines",
            where="setting attack.answer_tokens",
            remedy="Give at least two tokens for each line.",
        )
