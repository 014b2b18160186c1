"""Information content from language models: masked (paper-faithful) and causal (surprisal).

Both read a text in windows that overlap, so that nothing of a long document is cut off: each
token is scored in the window that gives it most context.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from intact.domain import Span
from intact.evaluation.terms import Term
from intact.pretrained import load_encoder

ALTERNATION = 6
"""One of so many terms is masked at a time (Pilán et al. 2024, 5.5, footnote)."""


class BertInformation:
    """Bits under a masked language model (Pilán et al. 2024, 4.1.1).

    One of every N terms is masked at a time, the rest is context; the likelihood of a term is
    the least of its tokens'.

    Args:
        model: name or path of a transformers model with a masked-language-model head.
        every: N.
        window: tokens read at once; None is what the model allows.
        context: tokens by which neighbouring windows overlap on each side.
        batch: windows read together.
    """

    def __init__(
        self,
        model: str = "bert-base-uncased",
        *,
        every: int = ALTERNATION,
        window: int | None = None,
        context: int = 64,
        batch: int = 8,
        device: str | None = None,
    ) -> None:
        self.name = f"bert({model},N={every},window={window or 'model'},context={context})"
        self._model = model
        self._every = every
        self._window = window
        self._context = context
        self._batch = batch
        self._device = device
        self._loaded: tuple[Any, Any] | None = None

    def bits(self, text: str, terms: Sequence[Term]) -> Sequence[float]:
        """-log2 of the least likely token of each term; 0 for a term without tokens."""
        tokenizer, model = self._load()
        encoded = tokenizer(text, return_offsets_mapping=True, add_special_tokens=False)
        ids = list(encoded["input_ids"])
        owned = tokens_of([term.span for term in terms], list(encoded["offset_mapping"]))
        found = [0.0] * len(terms)
        for shift in range(self._every):
            turn = range(shift, len(terms), self._every)
            hidden = {token for index in turn for token in owned[index]}
            surprise = self._surprise(tokenizer, model, ids, hidden)
            for index in turn:
                found[index] = max((surprise[token] for token in owned[index]), default=0.0)
        return found

    def _surprise(
        self, tokenizer: Any, model: Any, ids: list[int], hidden: set[int]
    ) -> dict[int, float]:
        import torch

        masked = [tokenizer.mask_token_id if at in hidden else key for at, key in enumerate(ids)]
        size = (self._window or min(int(model.config.max_position_embeddings) - 4, 512)) - 2
        spans = windows(len(ids), size, min(self._context, size // 4))
        surprise: dict[int, float] = {}
        for first in range(0, len(spans), self._batch):
            group = spans[first : first + self._batch]
            rows = [
                tokenizer.build_inputs_with_special_tokens(masked[w.start : w.end])
                if hasattr(tokenizer, "build_inputs_with_special_tokens")
                else [tokenizer.cls_token_id, *masked[w.start : w.end], tokenizer.sep_token_id]
                for w in group
            ]
            padded = tokenizer.pad({"input_ids": rows}, return_tensors="pt").to(model.device)
            with torch.inference_mode():
                logits = torch.log_softmax(model(**padded).logits.float(), dim=-1)
            for row, window in enumerate(group):
                for token in sorted(hidden):
                    if window.keeps(token):
                        at = token - window.start + 1
                        surprise[token] = -float(logits[row, at, ids[token]]) / math.log(2)
        return surprise

    def _load(self) -> tuple[Any, Any]:
        if self._loaded is None:
            self._loaded = _load("AutoModelForMaskedLM", self._model, self._device)
        return self._loaded


class CausalInformation:
    """Surprisal in bits under a causal language model: the sum over a term's tokens, each
    given all text before it in its window.

    Args:
        model: name or path of a causal transformers model.
        window: tokens read at once; None is what the model allows, at most 1,024.
        context: tokens of the window before that are read again as context.
    """

    def __init__(
        self,
        model: str,
        *,
        window: int | None = None,
        context: int = 128,
        device: str | None = None,
    ) -> None:
        self.name = f"llm({model},window={window or 'model'},context={context})"
        self._model = model
        self._window = window
        self._context = context
        self._device = device
        self._loaded: tuple[Any, Any] | None = None

    def bits(self, text: str, terms: Sequence[Term]) -> Sequence[float]:
        """Surprisal of each term in bits; the text's very first token counts 0."""
        import torch

        if self._loaded is None:
            self._loaded = _load("AutoModelForCausalLM", self._model, self._device)
        tokenizer, model = self._loaded
        encoded = tokenizer(text, return_offsets_mapping=True, add_special_tokens=False)
        ids = list(encoded["input_ids"])
        limit = int(getattr(model.config, "max_position_embeddings", 1024) or 1024)
        size = self._window or min(limit, 1024)
        surprise = [0.0] * len(ids)
        for window in windows(len(ids), size, min(self._context, size // 2)):
            row = torch.tensor([ids[window.start : window.end]], device=model.device)
            with torch.inference_mode():
                logits = torch.log_softmax(model(row).logits.float(), dim=-1)[0]
            for token in range(max(window.start + 1, window.keep_start), window.end):
                value = float(logits[token - window.start - 1, ids[token]])
                surprise[token] = -value / math.log(2)
        owned = tokens_of([term.span for term in terms], list(encoded["offset_mapping"]))
        return [sum(surprise[token] for token in tokens) for tokens in owned]


class Window:
    """Tokens ``start`` to ``end`` are read, those from ``keep_start`` to ``keep_end`` kept."""

    __slots__ = ("end", "keep_end", "keep_start", "start")

    def __init__(self, start: int, end: int, keep_start: int, keep_end: int) -> None:
        self.start, self.end = start, end
        self.keep_start, self.keep_end = keep_start, keep_end

    def keeps(self, token: int) -> bool:
        """Whether ``token`` is scored in this window."""
        return self.keep_start <= token < self.keep_end


def windows(length: int, size: int, context: int) -> list[Window]:
    """Windows of at most ``size`` over ``length`` tokens; every token is kept in exactly one,
    with ``context`` read tokens around it wherever there are some."""
    step = max(1, size - 2 * context)
    found: list[Window] = []
    kept = 0
    while kept < length:
        start = max(0, kept - context)
        end = min(length, start + size)
        keep_end = (
            length if end == length else max(kept + 1, min(end - context, kept + step + context))
        )
        found.append(Window(start, end, kept, keep_end))
        kept = keep_end
    return found


def tokens_of(spans: Sequence[Span], offsets: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Indices of the tokens that overlap each span; spans and tokens in text order."""
    owned: list[list[int]] = []
    first = 0
    for span in spans:
        while first < len(offsets) and offsets[first][1] <= span.start:
            first += 1
        token = first
        mine = []
        while token < len(offsets) and offsets[token][0] < span.end:
            if offsets[token][1] > offsets[token][0]:
                mine.append(token)
            token += 1
        owned.append(mine)
    return owned


def _load(head: str, name: str, device: str | None) -> tuple[Any, Any]:
    tokenizer, model = load_encoder(name, "evaluation", head)
    return tokenizer, model.to(device or _device()).eval()


def _device() -> str:
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"
