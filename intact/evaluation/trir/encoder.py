"""The paper's attack: a transformer fine-tuned to tell whose text a window is.

Windows of the background with and without names; a classification head over mean-pooled token
states, started from the mean of each individual's windows, so that few epochs are enough; the
training stops when windows held out are told no better. A sanitised document goes to the
individual with the largest sum of its windows' log-probabilities.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intact.evaluation.trir.windows import Window, windows_of
from intact.pretrained import load_encoder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Training:
    """How the encoder is trained.

    Attributes:
        epochs: at most.
        patience: epochs without a better held-out accuracy before it stops.
        batch: windows a step.
        rate: learning rate of the encoder; the head's is ten times that.
        tokens: windows are cut there.
        frozen: share of the encoder's weights, from the embeddings up, that stay as they are:
            halves the work, and a background of a few hundred windows cannot teach them more.
        hold_out: of so many windows of an individual one is held out.
        seed: of shuffling.
    """

    epochs: int = 6
    patience: int = 2
    batch: int = 16
    rate: float = 1e-4
    tokens: int = 160
    frozen: float = 0.5
    hold_out: int = 6
    seed: int = 0


class EncoderAttack:
    """A fine-tuned transformer encoder.

    Args:
        model: name or path of a transformers model.
        training: how it is trained.
        store: folder for checkpoints, one file an epoch's end; training resumes from it. They
            hold weights only; mode 0600.
        progress: told of steps.
    """

    name = "encoder"

    def __init__(
        self,
        model: str,
        training: Training | None = None,
        *,
        store: Path | None = None,
        progress: Progress = lambda what, done, total: None,
        device: str | None = None,
    ) -> None:
        self._model = model
        self._training = training or Training()
        self._store = store
        self._progress = progress
        self._device = device

    def fit(self, windows: Sequence[Window], individuals: int) -> None:
        """Trains on windows of the background, or goes on from a checkpoint of the same.

        Raises:
            MissingExtraError: if transformers is not installed.
            ModelError: if the model cannot be loaded.
        """
        import torch

        plan = self._training
        torch.manual_seed(plan.seed)
        self._tokenizer, encoder = load_encoder(self._model, "evaluation")
        weights = list(encoder.parameters())
        for weight in weights[: int(len(weights) * plan.frozen)]:
            weight.requires_grad_(False)
        self._network: Any = _network(encoder, individuals)
        self._network.to(self._device or ("cuda" if torch.cuda.is_available() else "cpu"))
        held = [w for index, w in enumerate(windows) if index % plan.hold_out == 1]
        learn = [w for index, w in enumerate(windows) if index % plan.hold_out != 1]
        state = _Checkpoint(self._store, self._key(windows))
        optimiser = torch.optim.AdamW(
            [
                {"params": [w for w in weights if w.requires_grad], "lr": plan.rate},
                {"params": self._network.head.parameters(), "lr": plan.rate * 10},
            ],
            weight_decay=0.01,
        )
        epoch, best, waited = state.load(self._network, optimiser)
        if epoch == 0:
            self._start_head(learn, individuals)
        while epoch < plan.epochs and waited < plan.patience:
            self._epoch(learn, optimiser, epoch)
            accuracy = self._accuracy(held)
            epoch += 1
            waited = 0 if accuracy > best else waited + 1
            if accuracy > best:
                state.keep_best(self._network)
            best = max(best, accuracy)
            state.save(self._network, optimiser, (epoch, best, waited))
        state.restore_best(self._network)

    def scores(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Shape (texts, individuals): summed log-probabilities of the windows."""
        import numpy as np

        pieces = [windows_of(text) for text in texts]
        found = self._predict([window for group in pieces for window in group])
        rows, start = [], 0
        for group in pieces:
            rows.append(found[start : start + len(group)].sum(axis=0))
            start += len(group)
        return np.stack(rows)

    def _key(self, windows: Sequence[Window]) -> str:
        plan = json.dumps([self._model, asdict(self._training)])
        data = hashlib.sha256(plan.encode())
        for window in windows:
            data.update(f"{window.individual}:{window.text}\n".encode())
        return data.hexdigest()[:16]

    def _start_head(self, windows: Sequence[Window], individuals: int) -> None:
        """Sets each individual's weights to the scaled mean of its windows' states."""
        import torch

        pooled = torch.tensor(self._predict([w.text for w in windows], head=False))
        pooled = torch.nn.functional.normalize(pooled - pooled.mean(dim=0), dim=1)
        owner = torch.tensor([window.individual for window in windows])
        sums = torch.zeros(individuals, pooled.shape[1]).index_add_(0, owner, pooled)
        with torch.no_grad():
            weights = torch.nn.functional.normalize(sums, dim=1) * 10
            self._network.head.weight.copy_(weights.to(self._network.head.weight.device))
            self._network.head.bias.zero_()

    def _epoch(self, windows: Sequence[Window], optimiser: Any, epoch: int) -> None:
        import torch

        plan = self._training
        generator = torch.Generator().manual_seed(plan.seed * 1000 + epoch)
        order = torch.randperm(len(windows), generator=generator).tolist()
        torch.manual_seed(plan.seed * 1000 + epoch)  # dropout: the same after a resume
        self._network.train()
        steps = range(0, len(order), plan.batch)
        for step, start in enumerate(steps):
            group = [windows[index] for index in order[start : start + plan.batch]]
            logits = self._network(**self._encode([window.text for window in group]))
            owner = torch.tensor([window.individual for window in group], device=logits.device)
            loss: Any = torch.nn.functional.cross_entropy(logits, owner)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self._network.parameters(), 1.0)
            optimiser.step()
            optimiser.zero_grad()
            done = epoch * len(steps) + step + 1
            self._progress("training the encoder attack", done, plan.epochs * len(steps))

    def _accuracy(self, windows: Sequence[Window]) -> float:
        if not windows:
            return 0.0
        found = self._predict([window.text for window in windows]).argmax(axis=1)
        hits = [int(one) == w.individual for one, w in zip(found, windows, strict=True)]
        return sum(hits) / len(hits)

    def _predict(self, texts: Sequence[str], *, head: bool = True) -> NDArray[np.float32]:
        """Log-probabilities (texts, individuals), or pooled states where ``head`` is off."""
        import numpy as np
        import torch

        self._network.eval()
        order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
        found: dict[int, NDArray[np.float32]] = {}
        with torch.inference_mode():
            for start in range(0, len(order), 32):
                group = order[start : start + 32]
                encoded = self._encode([texts[index] for index in group])
                rows = (
                    torch.log_softmax(self._network(**encoded), dim=-1)
                    if head
                    else self._network.pool(**encoded)
                )
                for index, row in zip(group, rows.float().cpu().numpy(), strict=True):
                    found[index] = row
        return np.stack([found[index] for index in range(len(texts))])

    def _encode(self, texts: Sequence[str]) -> dict[str, Any]:
        encoded = self._tokenizer(
            list(texts),
            padding=True,
            truncation=True,
            max_length=self._training.tokens,
            return_tensors="pt",
        )
        device = self._network.head.weight.device
        return {
            "input_ids": encoded["input_ids"].to(device),
            "attention_mask": encoded["attention_mask"].to(device),
        }


def _network(encoder: Any, individuals: int) -> Any:
    import torch

    class Network(torch.nn.Module):
        """Mean-pooled states of the encoder, then one linear layer."""

        def __init__(self) -> None:
            super().__init__()
            self.encoder = encoder
            self.dropout = torch.nn.Dropout(0.1)
            self.head = torch.nn.Linear(encoder.config.hidden_size, individuals)

        def pool(self, input_ids: Any, attention_mask: Any) -> Any:
            states = self.encoder(input_ids=input_ids, attention_mask=attention_mask)
            mask = attention_mask.unsqueeze(-1).to(states.last_hidden_state.dtype)
            total = (states.last_hidden_state * mask).sum(dim=1)
            return torch.nn.functional.normalize(total / mask.sum(dim=1).clamp(min=1), dim=1)

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            return self.head(self.dropout(self.pool(input_ids, attention_mask)))

    return Network()


class _Checkpoint:
    """The state of one training on disk; does nothing without a folder."""

    def __init__(self, folder: Path | None, key: str) -> None:
        self._best: Any = None
        self._path = None if folder is None else folder / f"encoder-attack-{key}.pt"
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)

    def load(self, network: Any, optimiser: Any) -> tuple[int, float, int]:
        """Epochs done, best accuracy, epochs since; zeros where there is no checkpoint."""
        import torch

        if self._path is None or not self._path.is_file():
            return 0, -1.0, 0
        state = torch.load(self._path, map_location="cpu", weights_only=True)
        network.load_state_dict(state["network"])
        optimiser.load_state_dict(state["optimiser"])
        self._best = state["best"]
        return int(state["epoch"]), float(state["accuracy"]), int(state["waited"])

    def keep_best(self, network: Any) -> None:
        """Remembers the weights as they are."""
        self._best = {key: value.cpu().clone() for key, value in network.state_dict().items()}

    def restore_best(self, network: Any) -> None:
        """Puts the best weights back."""
        if self._best is not None:
            network.load_state_dict(self._best)

    def save(self, network: Any, optimiser: Any, where: tuple[int, float, int]) -> None:
        """Writes the state, whole or not at all."""
        import torch

        if self._path is None:
            return
        epoch, accuracy, waited = where
        part = self._path.with_suffix(".part")
        part.touch(mode=0o600)
        torch.save(
            {
                "network": network.state_dict(),
                "optimiser": optimiser.state_dict(),
                "best": self._best,
                "epoch": epoch,
                "accuracy": accuracy,
                "waited": waited,
            },
            part,
        )
        part.replace(self._path)
