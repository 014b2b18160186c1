"""Builds a population on disk in bounded memory: sorted runs, then merged by ranges of features.

Individuals are read one at a time. Every ``CHUNK`` of them is counted, sorted and written as one
run a space; the runs are then merged range by range, so that memory is bounded by the chunk and
the range, not by the population.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intact.errors import InputError, ResourceError
from intact.population.features import SPACES, Featurizer, counted, tokens
from intact.population.index import ABOUT, VERSION, Population

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CHUNK = 5_000
"""Individuals in one run."""
RANGE = 12_000_000
"""Postings merged at once."""
GRAMS_UP_TO = 20_000
"""Individuals up to which character n-grams are indexed where nothing is said."""
ADJACENT_UP_TO = 100_000
"""The same of neighbouring words as they stand."""
_MOST_COUNTED = 65_535

Progress = Callable[[str, int], None]


@dataclass(frozen=True, slots=True)
class Individual:
    """One person of a population and what is publicly known of them.

    Attributes:
        name: unique in the population.
        text: public text, or the values of a profile with their variants, one a line.
    """

    name: str
    text: str


@dataclass(slots=True)
class _Counts:
    individuals: int = 0
    words: int = 0
    empty: int = 0
    names: list[str] = field(default_factory=list)


def build(
    people: Iterable[Individual],
    folder: Path,
    *,
    spaces: Sequence[str] = (),
    keep_texts: bool = False,
    progress: Progress = lambda what, done: None,
) -> Population:
    """Writes a population to ``folder`` and opens it.

    Args:
        people: consumed once, in order.
        spaces: which feature spaces; () chooses by the size of the population.
        keep_texts: keep the texts beside the index, for encoders.
        progress: told of what is being done and how far.

    Raises:
        InputError: for an individual that comes twice or knows nothing, or an empty population.
        ResourceError: if the folder is there and no population, or cannot be written.
    """
    _check_free(folder)
    part = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    try:
        part.mkdir(parents=True, mode=0o700)
        _Builder(part, spaces or SPACES, bool(spaces), keep_texts, progress).run(people)
        if folder.exists():
            shutil.rmtree(folder)
        part.rename(folder)
    except OSError as error:
        raise ResourceError(
            f"the population cannot be written ({error.strerror})", where=str(folder)
        ) from None
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return Population(folder)


def _check_free(folder: Path) -> None:
    if folder.exists() and not (folder / ABOUT).is_file():
        raise ResourceError(
            "is there already and is no population",
            where=str(folder),
            remedy="Choose another place.",
        )


class _Builder:
    """One building of one population."""

    def __init__(
        self, folder: Path, spaces: Sequence[str], fixed: bool, keep_texts: bool, progress: Progress
    ) -> None:
        self._folder = folder
        self._spaces = list(spaces)
        self._fixed = fixed
        self._keep_texts = keep_texts
        self._progress = progress
        self._maker = Featurizer()
        self._runs: dict[str, int] = dict.fromkeys(spaces, 0)

    def run(self, people: Iterable[Individual]) -> None:
        """Reads, sorts, merges, and says what it has made."""
        counts, digest = self._read(people)
        if not counts.individuals:
            raise InputError(
                "the population is empty", remedy='It needs {individual: "public text"}.'
            )
        _write_names(self._folder, counts.names)
        for space in self._spaces:
            self._merge(space, counts.individuals)
            self._progress(f"merging {space}", 1)
        about = {
            "version": VERSION,
            "individuals": counts.individuals,
            "words": counts.words,
            "spaces": self._spaces,
            "features": {
                space: (self._folder / f"{space}.keys").stat().st_size // 8
                for space in self._spaces
            },
            "sha256": digest,
        }
        (self._folder / ABOUT).write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")

    def _read(self, people: Iterable[Individual]) -> tuple[_Counts, str]:
        import numpy as np

        counts, digest = _Counts(), hashlib.sha256()
        seen: set[str] = set()
        waiting: dict[str, list[NDArray[np.uint64]]] = {space: [] for space in self._spaces}
        with (
            (self._folder / "texts.jsonl").open("w", encoding="utf-8") as texts,
            (self._folder / "sizes").open("wb") as sizes,
        ):
            for person in people:
                if person.name in seen:
                    raise InputError(f"the individual {person.name} is there twice")
                seen.add(person.name)
                words = tokens(person.text)
                if not words:
                    raise InputError(f"nothing is known of the individual {person.name}")
                counts.names.append(person.name)
                digest.update(f"{person.name}\0{person.text}\0".encode())
                self._maker.forget()
                found = self._maker.of(self._maker.ids(words), self._spaces)
                for space, features in found.items():
                    waiting[space].append(features.features)
                sizes.write(np.float32(len(words)).tobytes())
                if self._keep_texts:
                    texts.write(json.dumps(person.text, ensure_ascii=False) + "\n")
                counts.individuals += 1
                counts.words += len(words)
                if counts.individuals % CHUNK == 0:
                    self._flush(waiting, counts.individuals)
        if not self._keep_texts:
            (self._folder / "texts.jsonl").unlink()
        if any(waiting.values()):
            self._flush(waiting, counts.individuals)
        return counts, digest.hexdigest()

    def _flush(self, waiting: dict[str, list[NDArray[np.uint64]]], done: int) -> None:
        """Writes one sorted run a space."""
        self._drop_large(waiting, done)
        for space in self._spaces:
            group = waiting[space]
            _write_run(self._folder, space, self._runs[space], group, done - len(group))
            self._runs[space] += 1
            waiting[space] = []
        self._progress("reading", done)

    def _drop_large(self, waiting: dict[str, list[NDArray[np.uint64]]], done: int) -> None:
        """Leaves out the spaces that a population of this size cannot afford."""
        if self._fixed:
            return
        for space, limit in (("gram", GRAMS_UP_TO), ("adjacent", ADJACENT_UP_TO)):
            if done > limit and space in self._spaces:
                self._spaces.remove(space)
                waiting.pop(space)
                for path in self._folder.glob(f"{space}.run*"):
                    path.unlink()

    def _merge(self, space: str, individuals: int) -> None:
        """Merges the runs of a space range by range."""
        import numpy as np

        runs = [_Run(self._folder, space, number) for number in range(self._runs[space])]
        total = sum(len(run.keys) for run in runs)
        squares = np.zeros(individuals, dtype=np.float64)
        done = 0
        with _Writer(self._folder, space) as out:
            for low, high in _ranges(max(1, -(-total // RANGE))):
                pieces = [run.between(low, high) for run in runs]
                keys, people, counts = (
                    np.concatenate(column) for column in zip(*pieces, strict=True)
                )
                order = np.argsort(keys, kind="stable")  # individuals ascend from run to run
                keys, people, counts = keys[order], people[order], counts[order]
                distinct, starts, spread = np.unique(keys, return_index=True, return_counts=True)
                out.add(distinct, starts + done, people, counts)
                done += len(keys)
                idf = np.repeat(inverse_spread(spread, individuals), spread)
                weights = np.square((1 + np.log(counts)) * idf)
                squares += np.bincount(people, weights, minlength=individuals)
            out.finish(done, squares)
        for run in runs:
            run.remove()


def inverse_spread(spread: Any, individuals: int) -> Any:
    """IDF: ln((1 + N) / (1 + df)) + 1."""
    import numpy as np

    return np.log((1 + individuals) / (1 + np.asarray(spread, dtype=np.float64))) + 1


def _write_run(
    folder: Path, space: str, number: int, group: Sequence[NDArray[np.uint64]], first: int
) -> None:
    import numpy as np

    keys, people, counts = [], [], []
    for offset, features in enumerate(group):
        distinct, often = counted(features)
        keys.append(distinct)
        people.append(np.full(len(distinct), first + offset, dtype="<u4"))
        counts.append(np.minimum(often, _MOST_COUNTED).astype("<u2"))
    every = np.concatenate(keys)
    order = np.argsort(every, kind="stable")
    for name, column in (
        ("keys", every.astype("<u8")),
        ("people", np.concatenate(people)),
        ("counts", np.concatenate(counts)),
    ):
        column[order].tofile(folder / f"{space}.run{number}.{name}")


class _Run:
    """One sorted run on disk."""

    def __init__(self, folder: Path, space: str, number: int) -> None:
        import numpy as np

        self._paths = [
            folder / f"{space}.run{number}.{name}" for name in ("keys", "people", "counts")
        ]
        self.keys, self._people, self._counts = (
            np.memmap(path, dtype=kind, mode="r") if path.stat().st_size else np.zeros(0, kind)
            for path, kind in zip(self._paths, ("<u8", "<u4", "<u2"), strict=True)
        )

    def between(self, low: int, high: int) -> tuple[Any, Any, Any]:
        """The part with features in [low, high)."""
        import numpy as np

        start = int(np.searchsorted(self.keys, np.uint64(low)))
        end = len(self.keys)
        if high < 1 << 64:
            end = int(np.searchsorted(self.keys, np.uint64(high)))
        return self.keys[start:end], self._people[start:end], self._counts[start:end]

    def remove(self) -> None:
        """Deletes it."""
        for path in self._paths:
            path.unlink()


class _Writer:
    """Writes the merged arrays of one space."""

    def __init__(self, folder: Path, space: str) -> None:
        self._files = {
            name: (folder / f"{space}.{name}").open("wb")
            for name in ("keys", "starts", "individuals", "counts", "lengths")
        }

    def __enter__(self) -> _Writer:
        return self

    def __exit__(self, *exc: object) -> None:
        for file in self._files.values():
            file.close()

    def add(self, keys: Any, starts: Any, people: Any, counts: Any) -> None:
        """Adds one range."""
        keys.astype("<u8").tofile(self._files["keys"])
        starts.astype("<i8").tofile(self._files["starts"])
        people.astype("<u4").tofile(self._files["individuals"])
        counts.astype("<u2").tofile(self._files["counts"])

    def finish(self, total: int, squares: NDArray[np.float64]) -> None:
        """Adds the end of the last feature's postings, and the individuals' lengths."""
        import numpy as np

        np.array([total], dtype="<i8").tofile(self._files["starts"])
        np.sqrt(squares).astype("<f4").tofile(self._files["lengths"])


def _ranges(parts: int) -> list[tuple[int, int]]:
    bounds = [(1 << 64) * part // parts for part in range(parts + 1)]
    return list(pairwise(bounds))


def _write_names(folder: Path, names: Sequence[str]) -> None:
    import numpy as np

    lines = [0]
    with (folder / "names.txt").open("wb") as file:
        for name in names:
            lines.append(lines[-1] + file.write(json.dumps(name).encode("ascii") + b"\n"))
    np.array(lines, dtype="<i8").tofile(folder / "names.lines")
    order = sorted(range(len(names)), key=names.__getitem__)
    np.array(order, dtype="<u4").tofile(folder / "names.order")
