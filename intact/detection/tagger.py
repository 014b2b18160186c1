"""A trained detector: a transformer encoder's frozen states, words and forms, one linear layer.

It is kept in a folder: ``tagger.json`` (which encoder and layers, how it was trained, what it
reached on documents it had not seen) and ``weights.safetensors``. Nothing in it is text of the
corpus; like every trained model it may have learned names by heart, so share it as you would
share the corpus.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import torch
from torch.nn import functional

from intact.detection.findings import Finding
from intact.domain import ENTITY_TYPES, Span
from intact.english.wordlists import STOP_WORDS
from intact.errors import ConfigError, MissingExtraError, ModelError
from intact.pretrained import MINILM, load_encoder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from torch import Tensor

VERSION = 2
TYPES = tuple(ENTITY_TYPES)
TAGS = ("O", *(f"{place}-{kind}" for kind in TYPES for place in "BI"))
"""Outside, or the first and a further word of a mention of each type."""

_SETTINGS, _WEIGHTS = "tagger.json", "weights.safetensors"
_DOUBT = 1.5  # words down to this part of the threshold are told as unsure
_JOINT = 3  # characters that may lie between two words of one mention
_WORD = re.compile(r"[^\W\d_]+|\d+|[^\w\s]|_")
_NEAR, _FORMS_NEAR = 1, 2  # neighbours on each side whose states, or forms, are read
BUCKETS = 1 << 16
"""Words, pairs of words and their ends are hashed into so many numbers."""

_PAIRED = 4  # the forms, first in the row, that are also seen together with the neighbours'


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a text: runs of letters, runs of digits, single other characters.

    Attributes:
        spans: ascending, not overlapping.
        breaks: whether a line ends before the word (the first word too).
    """

    text: str
    spans: tuple[Span, ...]
    breaks: tuple[bool, ...]

    @classmethod
    def of(cls, text: str) -> Words:
        """The words of ``text``."""
        spans = tuple(Span(match.start(), match.end()) for match in _WORD.finditer(text))
        ends = (0, *(span.end for span in spans))
        breaks = tuple(
            end == 0 or "\n" in text[end : span.start]
            for end, span in zip(ends, spans, strict=False)
        )
        return cls(text, spans, breaks)

    def __len__(self) -> int:
        return len(self.spans)

    @property
    def strings(self) -> list[str]:
        """The words as they stand."""
        return [span.of(self.text) for span in self.spans]

    def content(self) -> list[bool]:
        """Whether each word is more than a function word or punctuation."""
        return [w[0].isalnum() and w.lower() not in STOP_WORDS for w in self.strings]

    def forms(self) -> Tensor:
        """What encoders of lower case do not see, shape (words, forms), each 0 or 1."""
        lower = {word for word in self.strings if word.islower()}
        rows = [
            (*_form(word), word[0].isupper() and word.lower() in lower, new_line)
            for word, new_line in zip(self.strings, self.breaks, strict=True)
        ]
        return torch.tensor(rows, dtype=torch.float32)

    def buckets(self) -> Tensor:
        """Numbers of the words themselves and of those beside them, shape (words, features).

        Each is below ``BUCKETS`` and the same in every process; collisions are rare and harmless.
        """
        import torch

        low = ["", "", *(word.lower() for word in self.strings), "", ""]
        rows = [
            [
                crc32(f"{kind}\0{text}".encode()) % BUCKETS
                for kind, text in enumerate(
                    (
                        *low[at - 2 : at + 3],
                        f"{low[at - 1]} {low[at]}",
                        f"{low[at]} {low[at + 1]}",
                        low[at][-3:],
                        low[at][:3],
                    )
                )
            ]
            for at in range(2, len(low) - 2)
        ]
        return torch.tensor(rows)


def _form(word: str) -> tuple[bool, ...]:
    number = word.isdigit()
    return (
        word[0].isupper(),
        word.isupper() and len(word) > 1,
        word.islower(),
        number,
        number and len(word) == 4,
        number and len(word) <= 2,
        not word[0].isalnum(),
        len(word) == 1,
        len(word) == 2,
        len(word) >= 8,
        *(word in marks for marks in (".!?", ",;:", "()", "-/", "'’\"")),
    )


class WordEncoder:
    """The hidden states of some layers of a transformer, one vector a word.

    Args:
        model: "minilm" (all-MiniLM-L6-v2 as its package ships it), or the name or folder of any
            transformers encoder.
        layers: which hidden states are concatenated, 0 the embeddings; those above the highest
            are not computed.
        window: tokens read at once; windows overlap by a fifth.
        parts: a ready (tokenizer, network) instead of a name, for tests.

    Raises:
        MissingExtraError: if transformers is not installed.
        ModelError: if the model cannot be loaded.
    """

    def __init__(
        self,
        model: str = MINILM,
        layers: Sequence[int] = (1, 2),
        window: int = 160,
        parts: tuple[Any, Any] | None = None,
    ) -> None:
        self.model, self.layers, self.window = model, tuple(layers), window
        self._tokenizer, self._network = parts or load_encoder(model, "tagger")
        self._network.eval()
        stack = getattr(getattr(self._network, "encoder", None), "layer", None)
        if stack is not None:
            del stack[max(self.layers) :]
        self.dimensions = int(self._network.config.hidden_size) * len(self.layers)

    def states(self, words: Sequence[str], batch: int = 16) -> Tensor:
        """Each word's first token where most is seen around it; shape (words, dimensions).

        Args:
            words: of one text.
            batch: windows encoded together.
        """
        coded = self._tokenizer(
            list(words),
            is_split_into_words=True,
            truncation=True,
            max_length=self.window,
            stride=self.window // 5,
            return_overflowing_tokens=True,
            padding=True,
            return_tensors="pt",
        )
        best: dict[int, tuple[int, int, int]] = {}  # word -> margin, row, place
        for row in range(len(coded["input_ids"])):
            owners = coded.word_ids(row)
            length = sum(owner is not None for owner in owners)
            for place, owner in enumerate(owners):
                if owner is not None and owner != owners[place - 1]:
                    seen = (min(place, length - place), row, place)
                    best[owner] = max(best.get(owner, seen), seen)
        chosen: dict[int, list[tuple[int, int]]] = {}  # row -> words and their places
        for word, (_, row, place) in best.items():
            chosen.setdefault(row, []).append((word, place))
        found = torch.zeros((len(words), self.dimensions))
        able: dict[str, Any] = getattr(torch.cpu, "get_capabilities", dict)()
        half = bool(able.get("avx512_bf16") or able.get("amx_bf16"))  # twice as fast there
        with (
            torch.inference_mode(),
            torch.autocast("cpu", dtype=torch.bfloat16, enabled=half),
        ):
            for start in range(0, len(coded["input_ids"]), batch):
                output = self._network(
                    input_ids=coded["input_ids"][start : start + batch],
                    attention_mask=coded["attention_mask"][start : start + batch],
                    output_hidden_states=True,
                )
                states = torch.cat([output.hidden_states[at] for at in self.layers], dim=-1)
                states = states.float()
                for row in range(len(states)):
                    for word, place in chosen.get(start + row, ()):
                        found[word] = states[row, place]
        return found


@dataclass(frozen=True, slots=True)
class TagLayer:
    """The linear layer from what is known of a word to the logits of ``TAGS``.

    Attributes:
        weight: shape (tags, columns) of states and forms; see ``columns``.
        bias: shape (tags,).
        table: shape (``BUCKETS``, tags).
    """

    weight: Tensor
    bias: Tensor
    table: Tensor

    @classmethod
    def new(cls, states: Tensor, forms: Tensor) -> TagLayer:
        """Small random weights from torch's generator, for such states and forms."""
        import torch

        width = columns(states, forms).shape[1]
        weight = torch.nn.init.normal_(torch.empty(len(TAGS), width), std=width**-0.5)
        return cls(weight, torch.zeros(len(TAGS)), torch.zeros(BUCKETS, len(TAGS)))

    def logits(self, inputs: Tensor, buckets: Tensor) -> Tensor:
        """Shape (words, tags).

        Args:
            inputs: what ``columns`` gives, shape (words, columns).
            buckets: shape (words, features).
        """
        from torch.nn import functional

        known = functional.embedding_bag(buckets, self.table, mode="sum")
        return functional.linear(inputs, self.weight, self.bias) + known


def columns(states: Tensor, forms: Tensor) -> Tensor:
    """States and forms of each word and its neighbours side by side, shape (words, columns).

    Args:
        states: shape (words, dimensions), of one text in order.
        forms: shape (words, forms).
    """

    def beside(rows: Tensor, reach: int) -> list[Tensor]:
        padded = functional.pad(rows, (0, 0, reach, reach))
        return [padded[at : at + len(rows)] for at in range(2 * reach + 1)]

    before, own, after = beside(forms, 1)
    pairs = [(other[:, :, None] * own[:, None, :_PAIRED]).flatten(1) for other in (before, after)]
    return torch.cat([*beside(states, _NEAR), *beside(forms, _FORMS_NEAR), *pairs], dim=1)


@dataclass(frozen=True, slots=True)
class Reached:
    """What a tagger reached at one threshold on documents that it was not trained on.

    Attributes:
        recall: share of masked mentions all of whose words were found.
        direct: the same of direct identifiers.
        quasi: the same of quasi identifiers.
        precision: share of the words found that an annotator masked.
    """

    threshold: float
    recall: float
    direct: float
    quasi: float
    precision: float


@dataclass(frozen=True, slots=True)
class About:
    """Where a tagger comes from.

    Attributes:
        trained: number of documents, epochs, seed and so on.
        reached: held-out figures, by ascending threshold; empty where nothing was held out.
    """

    trained: Mapping[str, Any] = field(default_factory=dict)
    reached: Sequence[Reached] = ()


class Tagger:
    """Finds mentions by what it has learned; a ``Finder``.

    Args:
        encoder: reads the words.
        layer: what was learned.
        about: where it comes from.
        threshold: words that belong to a mention with at least this probability are found.
    """

    name = "tagger"

    def __init__(
        self,
        encoder: WordEncoder,
        layer: TagLayer,
        about: About | None = None,
        threshold: float = 0.5,
    ) -> None:
        self.encoder, self.layer, self.about = encoder, layer, about or About()
        self.threshold = threshold

    def find(self, text: str) -> list[Finding]:
        """Findings in ``text``; those that score less than the threshold are only doubts."""
        words = Words.of(text)
        if not len(words):
            return []
        probabilities = self.probabilities(words, self.encoder.states(words.strings))
        doubtful = probabilities.copy()
        sure = masked_probability(probabilities) >= self.threshold
        doubtful[sure], doubtful[sure, 0] = 0.0, 1.0
        return findings(words, probabilities, self.threshold, self.name) + findings(
            words, doubtful, self.threshold / _DOUBT, self.name
        )

    def probabilities(self, words: Words, states: Tensor) -> NDArray[np.float32]:
        """Probability of each tag, shape (words, tags).

        Args:
            words: of one text.
            states: the encoder's states of them, shape (words, dimensions).
        """
        with torch.inference_mode():
            inputs = columns(states.float(), words.forms())
            logits = self.layer.logits(inputs, words.buckets())
            shares: NDArray[np.float32] = torch.softmax(logits, dim=1).numpy()
        return shares

    def threshold_for(self, recall: float) -> float:
        """The highest threshold that reached ``recall`` of the mentions held out in training.

        Raises:
            ConfigError: if none did, or nothing was held out.
        """
        good = [one.threshold for one in self.about.reached if one.recall >= recall]
        if good:
            return max(good)
        best = max((one.recall for one in self.about.reached), default=None)
        raise ConfigError(
            f"this tagger cannot promise a recall of {recall:g}",
            where="--min-recall",
            remedy="Nothing was held out when it was trained; set --threshold."
            if best is None
            else f"On held-out documents it reached {best:.3f} at most.",
        )

    def save(self, folder: Path) -> None:
        """Writes the tagger to ``folder``, which is made.

        Raises:
            ModelError: if it cannot be written.
        """
        from safetensors.torch import save_file

        encoder = self.encoder
        told = {
            "version": VERSION,
            "tags": TAGS,
            "encoder": {
                "model": encoder.model,
                "layers": encoder.layers,
                "window": encoder.window,
            },
            "trained": dict(self.about.trained),
            "reached": [asdict(one) for one in self.about.reached],
        }
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            save_file(asdict(self.layer), folder / _WEIGHTS)
            (folder / _WEIGHTS).chmod(0o600)
            (folder / _SETTINGS).write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
        except OSError as error:
            raise ModelError(f"cannot be written ({error.strerror})", where=str(folder)) from None


def load_tagger(
    folder: Path,
    threshold: float = 0.5,
    min_recall: float = 0.0,
    *,
    parts: tuple[Any, Any] | None = None,
) -> Tagger:
    """The tagger in ``folder``.

    Args:
        folder: what ``Tagger.save`` wrote.
        threshold: see ``Tagger``.
        min_recall: if above 0, lowers the threshold to the highest that reached it.
        parts: a ready (tokenizer, network) in place of the encoder that it names, for tests.

    Raises:
        MissingExtraError: if torch or transformers is not installed.
        ModelError: if there is no tagger, or one of another version.
    """
    try:
        from safetensors.torch import load_file
    except ImportError:
        raise MissingExtraError.of("transformers", "tagger") from None
    remedy = "Make one with: intact detect train CORPUS -o MODEL"
    try:
        told = json.loads((folder / _SETTINGS).read_text(encoding="utf-8"))
        tensors = load_file(folder / _WEIGHTS)
    except Exception as error:  # noqa: BLE001  (missing, cut short or something else)
        raise ModelError(
            f"is no tagger ({type(error).__name__})", where=str(folder), remedy=remedy
        ) from None
    if told.get("version") != VERSION or told.get("tags") != list(TAGS):
        raise ModelError("the tagger is of another version", where=str(folder), remedy=remedy)
    encoder = WordEncoder(**told["encoder"], parts=parts)
    about = About(told["trained"], tuple(Reached(**one) for one in told["reached"]))
    tagger = Tagger(encoder, TagLayer(**tensors), about, threshold)
    if min_recall > 0:
        tagger.threshold = min(threshold, tagger.threshold_for(min_recall))
    return tagger


def masked_probability(probabilities: NDArray[np.float32]) -> NDArray[np.float32]:
    """How likely each word belongs to a mention of any type, shape (words,)."""
    return 1.0 - probabilities[:, 0]


def findings(
    words: Words, probabilities: NDArray[np.float32], floor: float, source: str
) -> list[Finding]:
    """Runs of words that belong to a mention with a probability of at least ``floor``.

    A run ends where a word is likelier to begin another mention than to go on, where the type
    changes, and where a line ends. The score of a run is that of its likeliest word.

    Args:
        words: of one text.
        probabilities: shape (words, tags).
        floor: in [0, 1].
        source: the detector's name.
    """
    chosen = masked_probability(probabilities)
    begin, inside = probabilities[:, 1::2], probabilities[:, 2::2]
    kinds = (begin + inside).argmax(axis=1)
    says_something = [
        content and (len(word) > 1 or word.isdigit() or word.isupper())
        for content, word in zip(words.content(), words.strings, strict=True)
    ]
    runs: list[list[int]] = []
    for at in range(len(words)):
        if chosen[at] < floor:
            continue
        goes_on = (
            bool(runs)
            and runs[-1][-1] == at - 1
            and not words.breaks[at]
            and words.spans[at].start - words.spans[at - 1].end <= _JOINT
            and kinds[at] == kinds[at - 1]
            and begin[at, kinds[at]] <= inside[at, kinds[at]]
        )
        if goes_on:
            runs[-1].append(at)
        else:
            runs.append([at])
    return [
        Finding(
            Span(words.spans[run[0]].start, words.spans[run[-1]].end),
            ENTITY_TYPES[TYPES[int(kinds[run[0]])]].kind,
            round(float(chosen[run].max()), 4),
            source,
        )
        for run in runs
        if any(says_something[at] for at in run)
    ]
