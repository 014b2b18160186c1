"""A transformer encoder, read layer by layer: one vector a word, whatever the text's length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from intact.pretrained import MINILM, load_encoder

if TYPE_CHECKING:
    from torch import Tensor

    from intact.detection.tagger.words import Words

DEFAULT_MODEL = MINILM


@dataclass(frozen=True, slots=True)
class Window:
    """Tokens that the encoder reads at once.

    Attributes:
        tokens: ids, special tokens included.
        words: (word, position of its first token in ``tokens``) of the words it is read for.
    """

    tokens: tuple[int, ...]
    words: tuple[tuple[int, int], ...]


class Encoder:
    """Hidden states of some layers of a transformer.

    Args:
        model: "minilm" (all-MiniLM-L6-v2 as its package ships it), or the name or folder of any
            transformers encoder.
        layers: which hidden states are concatenated, 0 the embeddings; those above the highest
            are not computed.
        window: tokens read at once.
        stride: tokens of context on each side of the part that a window is read for.
        parts: a ready (tokenizer, network) instead of a name, for tests.

    Raises:
        MissingExtraError: if transformers is not installed.
        ModelError: if the model cannot be loaded.
    """

    def __init__(
        self,
        model: str = DEFAULT_MODEL,
        layers: Sequence[int] = (1, 2),
        window: int = 160,
        stride: int = 12,
        parts: tuple[Any, Any] | None = None,
    ) -> None:
        self.model = model
        self.layers = tuple(layers)
        self.window, self.stride = window, stride
        self.tokenizer, self.network = parts or load_encoder(model, "tagger")
        _shorten(self.network, max(self.layers))
        self.network.eval()
        self.tuned = False

    def settings(self) -> dict[str, Any]:
        """What makes an equal encoder."""
        own = {"model": self.model, "layers": list(self.layers)}
        return own | {"window": self.window, "stride": self.stride}

    def tune(self, layers: int) -> list[Any]:
        """Frees the weights of the topmost ``layers`` for training and returns them."""
        self.network.requires_grad_(False)
        self.network.train()
        self.tuned = True
        chosen = list(_stack(self.network) or [self.network])[-layers:]
        for layer in chosen:
            layer.requires_grad_(True)
        return [weight for layer in chosen for weight in layer.parameters()]

    @property
    def dimensions(self) -> int:
        """Length of a word's vector."""
        return int(self.network.config.hidden_size) * len(self.layers)

    def windows(self, words: Words) -> list[Window]:
        """The words' tokens in windows that overlap by their margins."""
        strings = words.strings
        if not strings:
            return []
        distinct = list(dict.fromkeys(strings))
        coded = self.tokenizer(distinct, add_special_tokens=False)["input_ids"]
        known = {word: ids[:8] for word, ids in zip(distinct, coded, strict=True)}
        unknown = [self.tokenizer.unk_token_id]
        pieces = [known[word] or unknown for word in strings]
        starts = [0]
        for piece in pieces:
            starts.append(starts[-1] + len(piece))
        flat = [token for piece in pieces for token in piece]
        first, last = self.tokenizer.cls_token_id, self.tokenizer.sep_token_id
        inner = self.window - 2 - 2 * self.stride
        found, word = [], 0
        while word < len(pieces):
            begin = starts[word]
            end = word
            while end < len(pieces) and (starts[end + 1] - begin <= inner or end == word):
                end += 1
            low, high = max(0, begin - self.stride), min(len(flat), starts[end] + self.stride)
            places = tuple((at, starts[at] - low + 1) for at in range(word, end))
            found.append(Window((first, *flat[low:high], last), places))
            word = end
        return found

    def states(self, windows: Sequence[Window], batch: int = 16) -> Tensor:
        """One row a word, in the order of the windows' words; shape (words, dimensions)."""
        import torch

        order = sorted(range(len(windows)), key=lambda at: len(windows[at].tokens))
        rows: dict[int, Tensor] = {}
        with torch.inference_mode(), self._precision():
            for start in range(0, len(order), batch):
                chosen = order[start : start + batch]
                read = self.read([windows[at] for at in chosen])
                rows.update(zip(chosen, read, strict=True))
        if not rows:
            return torch.zeros((0, self.dimensions))
        return torch.cat([rows[at] for at in range(len(windows))])

    def _precision(self) -> AbstractContextManager[object]:
        """Half the digits where the processor computes with them, which is twice as fast."""
        import torch

        able = _capabilities()
        half = bool(able.get("avx512_bf16") or able.get("amx_bf16"))
        return torch.autocast("cpu", dtype=torch.bfloat16, enabled=half)

    def read(self, windows: Sequence[Window]) -> list[Tensor]:
        """The states of each window's words; with gradients where they are on."""
        import torch

        length = max(len(window.tokens) for window in windows)
        tokens = torch.full((len(windows), length), self.tokenizer.pad_token_id or 0)
        mask = torch.zeros((len(windows), length), dtype=torch.long)
        for row, window in enumerate(windows):
            tokens[row, : len(window.tokens)] = torch.tensor(window.tokens)
            mask[row, : len(window.tokens)] = 1
        output = self.network(input_ids=tokens, attention_mask=mask, output_hidden_states=True)
        states = torch.cat([output.hidden_states[layer] for layer in self.layers], dim=-1)
        return [
            states[row, [place for _, place in window.words]].float()
            for row, window in enumerate(windows)
        ]


def _capabilities() -> Mapping[str, object]:
    """What the processor can do, as far as torch tells."""
    import torch

    told = getattr(torch.cpu, "get_capabilities", None)
    found: Mapping[str, object] = told() if told is not None else {}
    return found


def _stack(network: Any) -> Any:
    return getattr(getattr(network, "encoder", None), "layer", None)


def _shorten(network: Any, layers: int) -> None:
    """Drops the layers above, where the network is one that allows it."""
    stack = _stack(network)
    if stack is not None and len(stack) > layers:
        del stack[layers:]
        network.config.num_hidden_layers = layers
