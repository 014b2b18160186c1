"""A trained tagger: finds mentions, and is kept in a folder.

The folder holds ``tagger.json`` (which encoder and layers, how it was trained, what it reached on
documents it had not seen) and ``weights.safetensors``. Nothing in it is text of the corpus; like
every trained model it may have learned names by heart, so share it as you would share the corpus.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intact.detection.findings import Finding
from intact.detection.tagger.decoding import findings, masked_probability
from intact.detection.tagger.encoder import Encoder
from intact.detection.tagger.head import TAGS, Head
from intact.detection.tagger.words import Words, features, words_of
from intact.errors import ConfigError, MissingExtraError, ModelError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from torch import Tensor

VERSION = 1
_SETTINGS, _WEIGHTS = "tagger.json", "weights.safetensors"
_DOUBT = 1.5  # words down to this part of the threshold are told as unsure


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
        threshold: words that belong to a mention with at least this probability are found.
    """

    name = "tagger"

    def __init__(
        self, encoder: Encoder, head: Head, about: About | None = None, threshold: float = 0.5
    ) -> None:
        self.encoder, self.head, self.about = encoder, head, about or About()
        self.threshold = threshold

    def find(self, text: str) -> list[Finding]:
        """Findings in ``text``; those that score less than the threshold are only doubts."""
        words = words_of(text)
        if not len(words):
            return []
        shares = self.probabilities(words)
        found = findings(words, shares, self.threshold, self.name)
        doubtful = shares.copy()
        doubtful[masked_probability(shares) >= self.threshold] = 0.0
        doubtful[masked_probability(shares) >= self.threshold, 0] = 1.0
        return found + findings(words, doubtful, self.threshold / _DOUBT, self.name)

    def probabilities(self, words: Words, states: Tensor | None = None) -> NDArray[np.float32]:
        """Probability of each tag, shape (words, tags).

        Args:
            states: the encoder's states of the words, where they are known.
        """
        import torch

        if states is None:
            states = self.encoder.states(self.encoder.windows(words))
        with torch.inference_mode():
            logits = self.head.logits(states.float(), torch.from_numpy(features(words)))
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

        tensors = {f"head.{key}": value for key, value in self.head.tensors().items()}
        if self.encoder.tuned:
            own = self.encoder.network.state_dict()
            tensors |= {f"encoder.{key}": value.contiguous() for key, value in own.items()}
        told = {
            "version": VERSION,
            "tags": TAGS,
            "encoder": self.encoder.settings(),
            "tuned": self.encoder.tuned,
            "trained": dict(self.about.trained),
            "reached": [asdict(one) for one in self.about.reached],
        }
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            save_file(tensors, folder / _WEIGHTS)
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
    encoder = Encoder(**told["encoder"], parts=parts)
    if told["tuned"]:
        own = {k[8:]: v for k, v in tensors.items() if k.startswith("encoder.")}
        encoder.network.load_state_dict(own)
        encoder.tuned = True
    head = Head(tensors["head.states"], tensors["head.bias"], tensors["head.table"])
    about = About(told["trained"], tuple(Reached(**one) for one in told["reached"]))
    tagger = Tagger(encoder, head, about, threshold)
    if min_recall > 0:
        tagger.threshold = min(threshold, tagger.threshold_for(min_recall))
    return tagger
