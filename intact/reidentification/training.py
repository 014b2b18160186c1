"""Training of the two encoders by coordinate ascent (Morris et al. 2022, section 5).

With the profiles' vectors fixed, the document encoder learns from windows of which a random
number of words, from none to all, is masked; on odd epochs the profile encoder learns to be
found, and the vectors are made anew. Label smoothing. After every epoch the state is kept, and a
training that was stopped goes on from there.

Of individuals without documents their own public text serves: one half of its windows as
document, the other as profile, turn about. So the encoders learn to tell people by other words
of theirs, not to find the same words again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from intact.errors import InputError, ResourceError
from intact.reidentification.encoder import ABOUT, DOCUMENTS, PROFILES, SHARPNESS, Training
from intact.reidentification.index import Population
from intact.reidentification.network import BASE, Network, masked_copy, windows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_STATE = "checkpoint.pt"
_HELD, _HELD_AT = 7, 3  # of so many windows, or documents too short for that, one is held out

Progress = Callable[[str, int, int], None]
Pieces = list[tuple[str, int]]
"""Windows, and the number of the individual that each is of."""


def train(
    population: Population,
    documents: Mapping[str, str],
    out: Path,
    training: Training,
    progress: Progress = lambda what, done, total: None,
    base: str = BASE,
) -> float | None:
    """Trains both encoders, writes them to ``out`` and returns the share of held-out windows
    whose individual comes first, or None where texts are too short to hold any out.

    Args:
        documents: texts by individual; of others, parts of their own public text serve.
        out: the folder to write; a training of the same that was stopped there goes on.

    Raises:
        InputError: if the population has fewer than two individuals, or there are documents and
            none is of one of them.
        ResourceError: if it was built without texts, or ``out`` cannot be written.
    """
    if population.size < 2:
        raise InputError("there is nobody to tell apart in a population of one")
    sides = _Sides(population, documents, training.words)
    if documents and not sides.matched:
        raise InputError(
            "none of the documents is of an individual of the population",
            remedy="Document ids have to be the names of individuals.",
        )
    try:
        out.mkdir(mode=0o700, parents=True, exist_ok=True)
        key = _key(population, documents, training, base)
        return _Trainer(sides, _State(out, key), training, progress, base).run(out)
    except OSError as error:
        raise ResourceError(
            f"the encoders cannot be written ({error.strerror})", where=str(out)
        ) from None


def _key(population: Population, documents: Mapping[str, str], plan: Training, base: str) -> str:
    digest = hashlib.sha256(json.dumps([population.digest, base, asdict(plan)]).encode())
    for name, text in documents.items():
        digest.update(f"{name}\0{text}\0".encode())
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class _Side:
    """What one epoch learns from: windows of documents, and windows of profiles by individual."""

    documents: Pieces
    profiles: list[list[str]]


class _Sides:
    """Which windows stand for documents, and which for profiles."""

    def __init__(self, population: Population, documents: Mapping[str, str], words: int) -> None:
        names = [population.name(number) for number in range(population.size)]
        self.public = [windows(text, words) for text in population.texts()]
        self._documents = [
            windows(documents[name], words) if name in documents else None for name in names
        ]
        self.matched = sum(own is not None for own in self._documents)

    def of(self, turn: int) -> _Side:
        """What one turn (one epoch of each encoder) learns from."""
        learn: Pieces = []
        profiles: list[list[str]] = []
        for number, (public, own) in enumerate(zip(self.public, self._documents, strict=True)):
            if own is not None:
                learn += [(piece, number) for piece in _kept(own, number)]
                profiles.append(public)
            else:
                pieces = _kept(public)
                learn += [(piece, number) for piece in pieces[turn % 2 :: 2] or pieces]
                profiles.append(pieces[(turn + 1) % 2 :: 2] or pieces)
        return _Side(learn, profiles)

    def held(self) -> _Side:
        """Windows that nothing was learned from, and profiles without them."""
        held: Pieces = []
        profiles: list[list[str]] = []
        for number, (public, own) in enumerate(zip(self.public, self._documents, strict=True)):
            pieces = public if own is None else own
            short = own is not None and not _kept(own, number)
            held += [(piece, number) for piece in (pieces if short else pieces[_HELD_AT::_HELD])]
            profiles.append(_kept(public) if own is None else public)
        return _Side(held, profiles)


def _kept(pieces: Sequence[str], number: int = 0) -> list[str]:
    """The windows that are not held out; of short documents all, or none of every so many."""
    if len(pieces) <= _HELD_AT and number % _HELD == _HELD_AT:
        return []
    return [piece for at, piece in enumerate(pieces) if at % _HELD != _HELD_AT]


class _Trainer:
    """One training."""

    def __init__(
        self, sides: _Sides, state: _State, training: Training, progress: Progress, base: str
    ) -> None:
        self._sides = sides
        self._state = state
        self._plan = training
        self._progress = progress
        self._base = base

    def run(self, out: Path) -> float | None:
        """Alternates between the encoders."""
        plan = self._plan
        documents, profiles = plan.network(self._base), plan.network(self._base)
        epoch, centre = self._state.load(documents, profiles)
        if epoch == 0:
            self._state.clear(out)
            every = [piece for pieces in self._sides.public for piece in pieces]
            centre = [float(value) for value in profiles.vectors(every).mean(axis=0)]
        for network in (documents, profiles):
            network.set_centre(centre)
        while epoch < plan.epochs:
            side = self._sides.of(epoch // 2)
            if epoch % 2 == 0:
                known = profiles.means(side.profiles)
                self._epoch(documents, side.documents, known, epoch, masked=True)
            else:
                groups = _by_individual(side.documents, len(side.profiles))
                found = documents.means(groups)
                heads = _drawn(side.profiles, groups, Random(f"{plan.seed}:{epoch}:heads"))
                self._epoch(profiles, heads, found, epoch, masked=False)
            epoch += 1
            self._state.save(documents, profiles, epoch, centre)
        accuracy = self._accuracy(documents, profiles)
        about = {
            "base": self._base,
            "training": asdict(plan),
            "individuals": len(self._sides.public),
            "held_out_accuracy": None if accuracy is None else round(accuracy, 4),
            "centre": centre,
        }
        self._state.finish(out, documents, profiles, json.dumps(about, indent=1) + "\n")
        return accuracy

    def _epoch(
        self,
        network: Network,
        pieces: Pieces,
        others: NDArray[np.float32],
        epoch: int,
        *,
        masked: bool,
    ) -> None:
        import torch

        plan = self._plan
        torch.manual_seed(plan.seed * 1000 + epoch)  # dropout: the same where a training goes on
        random = Random(f"{plan.seed}:{epoch}")
        order = random.sample(range(len(pieces)), len(pieces))
        target = torch.tensor(others, device=network.device)
        share = 1 - 0.9 * epoch / max(plan.epochs - 1, 1)
        optimiser = torch.optim.Adam(network.freeze(plan.frozen), lr=plan.rate * share)
        network.module.train()
        for start in range(0, len(order), plan.batch):
            group = [pieces[at] for at in order[start : start + plan.batch]]
            texts = [masked_copy(text, random) if masked else text for text, _ in group]
            logits = network.forward(texts) @ target.T * SHARPNESS
            owners = torch.tensor([number for _, number in group], device=network.device)
            loss = torch.nn.functional.cross_entropy(logits, owners, label_smoothing=plan.smoothing)
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(network.module.parameters(), 5.0)
            optimiser.step()
            self._progress(f"epoch {epoch + 1} of {plan.epochs}", start + len(group), len(order))

    def _accuracy(self, documents: Network, profiles: Network) -> float | None:
        side = self._sides.held()
        if not side.documents:
            return None
        found = documents.vectors([piece for piece, _ in side.documents])
        best = (found @ profiles.means(side.profiles).T).argmax(axis=1)
        hits = [int(one) == own for one, (_, own) in zip(best, side.documents, strict=True)]
        return sum(hits) / len(hits)


class _State:
    """What has been learned so far, in the folder that the encoders will be in."""

    def __init__(self, folder: Path, key: str) -> None:
        self._path = folder / _STATE
        self._key = key

    def load(self, documents: Network, profiles: Network) -> tuple[int, list[float]]:
        """Epochs done and the centre; 0 where there is nothing of this training."""
        import torch

        try:
            state = torch.load(self._path, map_location="cpu", weights_only=True)
        except Exception:  # noqa: BLE001 - none, or whatever torch makes of a damaged file
            return 0, []
        if not isinstance(state, dict) or state.get("key") != self._key:
            return 0, []
        documents.module.load_state_dict(state["documents"])
        profiles.module.load_state_dict(state["profiles"])
        return int(state["epoch"]), list(state["centre"])

    def save(
        self, documents: Network, profiles: Network, epoch: int, centre: Sequence[float]
    ) -> None:
        """Writes the state, whole or not at all."""
        state = {
            "key": self._key,
            "epoch": epoch,
            "centre": list(centre),
            "documents": documents.module.state_dict(),
            "profiles": profiles.module.state_dict(),
        }
        _write(self._path, state)

    def clear(self, folder: Path) -> None:
        """Takes away an encoder that was trained before: it must not stand beside a new half."""
        (folder / ABOUT).unlink(missing_ok=True)

    def finish(self, folder: Path, documents: Network, profiles: Network, about: str) -> None:
        """Writes the encoders; what says that they are there comes last."""
        _write(folder / DOCUMENTS, documents.module.state_dict())
        _write(folder / PROFILES, profiles.module.state_dict())
        part = folder / f".{ABOUT}.part"
        part.touch(mode=0o600)
        part.write_text(about, encoding="utf-8")
        part.replace(folder / ABOUT)
        self._path.unlink(missing_ok=True)


def _write(path: Path, state: Any) -> None:
    import torch

    part = path.with_name(f".{path.name}.part")
    part.touch(mode=0o600)
    torch.save(state, part)
    part.replace(path)


def _by_individual(pieces: Pieces, individuals: int) -> list[list[str]]:
    groups: list[list[str]] = [[] for _ in range(individuals)]
    for text, number in pieces:
        groups[number].append(text)
    return groups


def _drawn(
    profiles: Sequence[Sequence[str]], groups: Sequence[Sequence[str]], random: Random
) -> Pieces:
    """One window of the profile of everybody who has documents to be found by."""
    return [
        (random.choice(pieces), number)
        for number, (pieces, own) in enumerate(zip(profiles, groups, strict=True))
        if own
    ]
