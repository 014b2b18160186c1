"""Sorted runs of postings on disk, and their merging in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BITS = 12
"""Highest bits of a feature by which the bounds of a run's parts are kept."""
_MOST_COUNTED = 65_535
_COLUMNS = {"keys": "<u8", "people": "<u4", "counts": "<u2"}


class Runs:
    """The runs of one feature space, one after the other in one file a column.

    Args:
        folder: where they are written.
        space: the name of the space.
    """

    def __init__(self, folder: Path, space: str) -> None:
        self._paths = {name: folder / f"{space}.run.{name}" for name in _COLUMNS}
        self._bounds: list[NDArray[np.int64]] = []
        self._length = 0

    def add(self, features: NDArray[np.uint64], people: NDArray[np.int64], first: int) -> None:
        """Writes one run.

        Args:
            features: of several individuals, with repeats.
            people: whose each is, numbered from 0; parallel.
            first: the number of the individual that is 0 here; all of earlier runs are lower.
        """
        import numpy as np

        order = np.argsort(features)
        distinct, group = np.unique(features[order], return_inverse=True)
        width = int(people.max(initial=0)) + 1
        pairs, often = np.unique(group * width + people[order], return_counts=True)
        rows, own = np.divmod(pairs, width)
        keys = distinct[rows].astype("<u8")
        self._append("keys", keys)
        self._append("people", (own + first).astype("<u4"))
        self._append("counts", np.minimum(often, _MOST_COUNTED).astype("<u2"))
        edges = np.arange(1 << _BITS, dtype=np.uint64) << np.uint64(64 - _BITS)
        inner = np.searchsorted(keys, edges)
        self._bounds.append(np.append(inner, len(keys)) + self._length)
        self._length += len(keys)

    def merged(self, most: int) -> Iterator[tuple[Any, Any, Any]]:
        """Features, individuals and counts of all runs, ascending, range by range.

        Args:
            most: postings in one range, unless one part has more.
        """
        import numpy as np

        if not self._length:
            return
        bounds = np.stack(self._bounds)
        sizes = np.diff(bounds, axis=1).sum(axis=0)
        low = 0
        while low < len(sizes):
            high, total = low + 1, int(sizes[low])
            while high < len(sizes) and total + int(sizes[high]) <= most:
                total += int(sizes[high])
                high += 1
            keys, people, counts = (
                self._read(name, kind, bounds[:, low], bounds[:, high])
                for name, kind in _COLUMNS.items()
            )
            order = np.argsort(keys, kind="stable")  # individuals ascend from run to run
            yield keys[order], people[order], counts[order]
            low = high

    def remove(self) -> None:
        """Deletes them."""
        for path in self._paths.values():
            path.unlink(missing_ok=True)

    def _append(self, name: str, column: Any) -> None:
        with self._paths[name].open("ab") as file:
            column.tofile(file)

    def _read(
        self, name: str, kind: str, starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> Any:
        """One column of the same part of every run."""
        import numpy as np

        pieces = []
        with self._paths[name].open("rb") as file:
            for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
                file.seek(start * np.dtype(kind).itemsize)
                pieces.append(np.fromfile(file, kind, end - start))
        return np.concatenate(pieces)
