"""A population on disk, read through memory maps: who there is, and which features they have.

A folder with ``population.json`` (what it is, with the names of its arrays), ``names.txt`` (one
individual a line, JSON strings), ``names.idx`` (where each line begins, and the order of names)
and for each feature space three arrays: ``keys`` (features, ascending), ``starts`` (where each
one's postings begin), ``individuals`` and ``counts`` (the postings, individuals ascending).
Nothing is read before it is asked for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intact.errors import ResourceError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

VERSION = 1
ABOUT = "population.json"
_REMEDY = "Make it with: intact background build SOURCE -o POP"


@dataclass(frozen=True, slots=True)
class Postings:
    """Who has one feature, and how often.

    Attributes:
        individuals: numbers of individuals, ascending.
        counts: how often each has it, at least 1; parallel.
    """

    individuals: NDArray[np.uint32]
    counts: NDArray[np.uint16]


class Space:
    """One feature space of a population.

    Args:
        folder: of the index.
        name: of the space.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self.name = name
        self.keys = _array(folder / f"{name}.keys", "<u8")
        self.starts = _array(folder / f"{name}.starts", "<i8")
        self.individuals = _array(folder / f"{name}.individuals", "<u4")
        self.counts = _array(folder / f"{name}.counts", "<u2")
        self.lengths = _array(folder / f"{name}.lengths", "<f4")
        postings = int(self.starts[-1]) if len(self.starts) else -1
        if (
            len(self.starts) != len(self.keys) + 1
            or not len(self.individuals) == len(self.counts) == postings
        ):
            raise _damaged(folder, f"its {name} features are not whole")

    def find(self, features: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The row of each feature, or -1 where nobody has it."""
        import numpy as np

        rows = np.searchsorted(self.keys, features)
        rows[rows == len(self.keys)] = 0
        if not len(self.keys):
            return np.full(len(features), -1, dtype=np.int64)
        found: NDArray[np.int64] = np.where(self.keys[rows] == features, rows, -1)
        return found

    def spread(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many individuals have the feature of each row (0 for row -1)."""
        import numpy as np

        known = np.maximum(rows, 0)
        found: NDArray[np.int64] = np.where(
            rows < 0, 0, self.starts[known + 1] - self.starts[known]
        )
        return found

    def held_by(self, features: NDArray[np.uint64], individual: int) -> int:
        """How many of some distinct features an individual has."""
        rows = self.find(features)
        held = 0
        for row in rows[rows >= 0]:
            people = self.postings(int(row)).individuals
            at = int(people.searchsorted(individual))
            held += at < len(people) and int(people[at]) == individual
        return held

    def postings(self, row: int) -> Postings:
        """Who has the feature of a row."""
        start, end = int(self.starts[row]), int(self.starts[row + 1])
        return Postings(self.individuals[start:end], self.counts[start:end])


class Population:
    """A population, opened read-only. Several processes share its pages.

    Args:
        folder: made by :func:`intact.reidentification.building.build`.

    Raises:
        ResourceError: if it is no population, or one of another version.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.about = _about(folder)
        self.size: int = self.about["individuals"]
        self._spaces: dict[str, Space] = {}
        self._lines = _array(folder / "names.lines", "<i8")
        self._order = _array(folder / "names.order", "<u4")
        self._sizes = _array(folder / "sizes", "<f4")
        if not len(self._lines) == len(self._order) + 1 == len(self._sizes) + 1 == self.size + 1:
            raise _damaged(folder, "its names are not whole")

    @property
    def spaces(self) -> tuple[str, ...]:
        """The names of its feature spaces."""
        return tuple(self.about["spaces"])

    @property
    def digest(self) -> str:
        """SHA-256 of what it was made from and how."""
        return str(self.about["sha256"])

    def space(self, name: str) -> Space:
        """One of its feature spaces.

        Raises:
            ResourceError: if it was built without it.
        """
        if name not in self.about["spaces"]:
            raise ResourceError(
                f"the population was built without {name} features",
                where=str(self.folder),
                remedy=f"It has: {', '.join(self.spaces)}. Build it again with --features.",
            )
        if name not in self._spaces:
            found = Space(self.folder, name)
            if len(found.lengths) != self.size:
                raise _damaged(self.folder, f"its {name} features are not whole")
            self._spaces[name] = found
        return self._spaces[name]

    def norms(self, spaces: Sequence[str]) -> NDArray[np.float32]:
        """Euclidean lengths of the individuals' TF-IDF vectors over some spaces together."""
        import numpy as np

        squares = [np.square(self.space(name).lengths) for name in spaces]
        total: NDArray[np.float32] = np.sqrt(np.sum(squares, axis=0))
        return np.maximum(total, np.float32(1e-6))

    def sizes(self) -> NDArray[np.float32]:
        """How many content words each individual's text has."""
        found: NDArray[np.float32] = self._sizes
        return found

    def name(self, number: int) -> str:
        """The name of an individual."""
        start, end = int(self._lines[number]), int(self._lines[number + 1])
        try:
            with (self.folder / "names.txt").open("rb") as file:
                file.seek(start)
                return str(json.loads(file.read(end - start)))
        except (OSError, ValueError):
            raise _damaged(self.folder, "its names cannot be read") from None

    def number(self, name: str) -> int | None:
        """The number of the individual called ``name``, or None."""
        low, high = 0, self.size
        while low < high:
            middle = (low + high) // 2
            if self.name(int(self._order[middle])) < name:
                low = middle + 1
            else:
                high = middle
        if low < self.size and self.name(int(self._order[low])) == name:
            return int(self._order[low])
        return None

    def texts(self) -> Sequence[str]:
        """The texts of all individuals, where they were kept.

        Raises:
            ResourceError: if they were not.
        """
        path = self.folder / "texts.jsonl"
        if not path.is_file():
            raise ResourceError(
                "the population was built without its texts, which this attacker reads",
                where=str(self.folder),
                remedy="Build it again with --texts.",
            )
        try:
            with path.open(encoding="utf-8") as file:
                texts = [str(json.loads(line)) for line in file]
        except (OSError, ValueError):
            raise _damaged(self.folder, "its texts cannot be read") from None
        if len(texts) != self.size:
            raise _damaged(self.folder, "its texts are not whole")
        return texts


def is_population(folder: Path) -> bool:
    """Whether a path looks like an index."""
    return (folder / ABOUT).is_file()


def _about(folder: Path) -> Mapping[str, Any]:
    try:
        about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ResourceError("there is no population", where=str(folder), remedy=_REMEDY) from None
    except NotADirectoryError:
        raise ResourceError("is a file and no population", where=str(folder), remedy=_REMEDY) from (
            None
        )
    except OSError as error:
        raise ResourceError(
            f"the population cannot be read ({error.strerror})", where=str(folder)
        ) from None
    except ValueError:
        raise _damaged(folder, f"{ABOUT} is no JSON") from None
    if not isinstance(about, dict):
        raise _damaged(folder, f"{ABOUT} is no object")
    if about.get("version") != VERSION:
        raise ResourceError(
            f"the population is of version {about.get('version', 'unknown')}, not {VERSION}",
            where=str(folder),
            remedy="Build it again: intact background build SOURCE -o POP",
        )
    if not isinstance(about.get("individuals"), int) or not all(
        isinstance(about.get(key), kind)
        for key, kind in (("words", int), ("spaces", list), ("features", dict), ("sha256", str))
    ):
        raise _damaged(folder, f"{ABOUT} is not whole")
    return about


def _array(path: Path, kind: str) -> Any:
    """An array on disk; an empty file cannot be mapped."""
    import numpy as np

    try:
        size = path.stat().st_size
        return np.asarray(np.memmap(path, dtype=kind, mode="r")) if size else np.zeros(0, kind)
    except OSError as error:
        raise _damaged(path.parent, f"{path.name}: {error.strerror}") from None
    except ValueError:
        raise _damaged(path.parent, f"{path.name} is not whole") from None


def _damaged(folder: Path, how: str) -> ResourceError:
    return ResourceError(f"the population is damaged: {how}", where=str(folder), remedy=_REMEDY)
