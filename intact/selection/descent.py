"""The guard's search: the step that loosens the attackers' hold most per information lost, again
and again, until the individual is hidden (Morris et al. 2022, algorithm 1, with more than masks).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Protocol

from intact.domain import Span
from intact.reidentification.features import Featurizer, ranges

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Hold(Protocol):
    """Attackers' hold on the true individual in the document as it stands."""

    def learn(self, words: NDArray[np.int64]) -> None:
        """These words may come into the document."""

    def move(self, words: NDArray[np.int64]) -> None:
        """The document stands as ``words`` now."""

    def ranks(self) -> Mapping[str, int]:
        """Rank of the true individual by attacker; 1 is the first place."""

    def excess(self, margin: float) -> NDArray[np.float64]:
        """By attacker: how far the individual stands too high; 0 is low enough."""

    def gains(
        self, owner: NDArray[np.int64], units: int, excess: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """What each unit's words add to the hold."""


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that may stand for a unit.

    Attributes:
        text: the phrase.
        words: its folded words.
        loss: information lost against the text as it was before the guard; 1 is a word masked.
        rung: of the ladder, None for the label or "***".
    """

    text: str
    words: tuple[str, ...]
    loss: float
    rung: int | None


@dataclass(frozen=True, slots=True)
class Unit:
    """What changes together: a masked entity, or all places of some unannotated words.

    Attributes:
        id: the entity's id, or one of the guard's own.
        options: what may stand there, least loss first; choice -1 is what stands there now.
        changed: content words beyond annotated spans that any option replaces.
    """

    id: str
    entity: bool
    entity_type: str
    spans: tuple[Span, ...]
    options: tuple[Option, ...]
    changed: int = 0


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the document: some folded words, and the unit that may change them (or -1)."""

    unit: int
    words: tuple[str, ...]


class Layout:
    """The document as a row of words under choices.

    Args:
        units: what may be changed.
        pieces: the document from start to end.
        maker: numbers the words.
    """

    def __init__(self, units: Sequence[Unit], pieces: Sequence[Piece], maker: Featurizer) -> None:
        import numpy as np

        self.units = units
        self._owners = np.array([piece.unit for piece in pieces], dtype=np.int64)
        phrases = [piece.words for piece in pieces]
        phrases += [option.words for unit in units for option in unit.options]
        rows = [maker.ids(words) for words in phrases]
        self._lengths = np.array([len(row) for row in rows], dtype=np.int64)
        self._starts = np.cumsum(self._lengths) - self._lengths
        self._every = np.concatenate([np.zeros(0, dtype=np.int64), *rows])
        before = np.cumsum([len(pieces), *(len(unit.options) for unit in units)])
        self._first = before.astype(np.int64)

    def possible(self) -> NDArray[np.int64]:
        """The words of all options, one phrase after the other."""
        return self._every[int(self._lengths[: len(self._owners)].sum()) :]

    def words(self, choices: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The words by their numbers, and the unit of each."""
        import numpy as np

        taken = np.array([*choices, -1], dtype=np.int64)[self._owners]  # -1 where nothing changes
        rows = np.where(taken < 0, np.arange(len(taken)), self._first[self._owners] + taken)
        lengths = self._lengths[rows]
        return (
            self._every[ranges(self._starts[rows], lengths)],
            np.repeat(self._owners, lengths),
        )


@dataclass(frozen=True, slots=True)
class Step:
    """One step taken, or taken back.

    Attributes:
        choice: what stands there now; -1 is what stood there before the guard.
        before, after: rank of the true individual by attacker.
    """

    unit: int
    choice: int
    before: Mapping[str, int]
    after: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop.

    Attributes:
        words: content words beyond annotated spans that may be changed at most.
        margin: standard deviations below the k-th other that are wanted.
        batch: steps taken before the hold is looked at again; more than 1 where looking is slow.
    """

    words: int
    margin: float
    batch: int = 1


class Descent:
    """One search in one document.

    Args:
        layout: what may be changed.
        pressure: the attackers' hold on the document as it stands.
        limits: when to stop.
        random: takes steps in random order where given (the random baseline).
    """

    def __init__(
        self, layout: Layout, pressure: Hold, limits: Limits, random: Random | None = None
    ) -> None:
        self._layout = layout
        self._pressure = pressure
        self.limits = limits
        self._random = random
        self.choices = [-1] * len(layout.units)
        self.path: list[Step] = []
        pressure.learn(layout.possible())
        pressure.move(layout.words(self.choices)[0])
        self._ranks = pressure.ranks()

    @property
    def changed(self) -> int:
        """Content words beyond annotated spans that are changed now."""
        units = self._layout.units
        return sum(unit.changed for unit, at in zip(units, self.choices, strict=True) if at >= 0)

    def run(self) -> bool:
        """Takes steps until the individual is hidden; False where that cannot be."""
        while True:
            excess = self._pressure.excess(self.limits.margin)
            if not excess.any():
                return True
            units = self._next(excess)
            if not units:
                return False
            for unit in units:
                self.step(unit)

    def step(self, unit: int) -> None:
        """Takes one step."""
        self._put(unit, self.choices[unit] + 1)
        self._record(unit)

    def _put(self, unit: int, choice: int) -> None:
        self.choices[unit] = choice
        self._pressure.move(self._layout.words(self.choices)[0])

    def _record(self, unit: int) -> None:
        before, self._ranks = self._ranks, self._pressure.ranks()
        self.path.append(Step(unit, self.choices[unit], before, self._ranks))

    def _next(self, excess: NDArray[np.float64]) -> list[int]:
        """The steps that gain most for what they cost; none where nothing helps."""
        units = self._layout.units
        room = self.limits.words - self.changed
        open_ = [
            at
            for at, unit in enumerate(units)
            if self.choices[at] + 1 < len(unit.options)
            and (self.choices[at] >= 0 or unit.changed <= room)
        ]
        if self._random is not None:
            return [self._random.choice(open_)] if open_ else []
        _, owner = self._layout.words(self.choices)
        gains = self._pressure.gains(owner, len(units), excess)
        worth = {at: gains[at] / self._cost(at) for at in open_ if gains[at] > 1e-9}
        best = sorted(worth, key=lambda at: (-worth[at], at))[: self.limits.batch]
        return [at for place, at in enumerate(best) if place == 0 or self._fits(at)]

    def _fits(self, unit: int) -> bool:
        """Whether a step is within the limit, with room for what else is taken with it."""
        room = self.limits.words - self.changed
        return self._layout.units[unit].changed * self.limits.batch <= room

    def _cost(self, unit: int) -> float:
        options, choice = self._layout.units[unit].options, self.choices[unit]
        before = options[choice].loss if choice >= 0 else 0.0
        return max(options[choice + 1].loss - before, 1e-3)

    def prune(self) -> None:
        """Takes back what turns out not to be needed, the costliest first."""
        units = self._layout.units
        taken = [at for at, unit in enumerate(units) if self.choices[at] >= 0 and not unit.entity]
        taken.sort(key=lambda at: (-units[at].options[self.choices[at]].loss, at))
        for at in taken:
            choice = self.choices[at]
            self._put(at, -1)
            if self._pressure.excess(self.limits.margin).any():
                self._put(at, choice)
            else:
                self._record(at)
