"""Builds a population on disk in bounded memory: sorted runs, then merged by ranges of features.

Individuals are read one at a time. Every ``CHUNK`` of them, or ``WORDS`` of their words, is
counted, sorted and written as one run a space (see :mod:`intact.reidentification.runs`); the
runs are then merged range by range, so that memory is bounded by the chunk and the range, not by
the population. Only names are held.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from intact.errors import InputError, ResourceError
from intact.reidentification.features import SPACES, Featurizer, tokens
from intact.reidentification.index import ABOUT, VERSION, Population
from intact.reidentification.runs import Runs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CHUNK = 5_000
"""Individuals in one run, at most."""
WORDS = 1_000_000
"""Words from which a run ends before that."""
RANGE = 4_000_000
"""Postings merged at once."""
GRAMS_UP_TO = 20_000
"""Individuals up to which character n-grams are indexed where nothing is said."""
ADJACENT_UP_TO = 100_000
"""The same of neighbouring words as they stand."""

Progress = Callable[[str, int, int], None]
"""What is being done, how far, and of how many (0: not known)."""


@dataclass(frozen=True, slots=True)
class Individual:
    """One person of a population and what is publicly known of them.

    Attributes:
        name: unique in the population.
        text: public text, or the values of a profile with their variants, one a line.
    """

    name: str
    text: str


class _Chunk:
    """Individuals that were read and not yet written.

    Attributes:
        rows: each one's words as ids of the featurizer.
        words: how many they are together.
    """

    def __init__(self) -> None:
        self.rows: list[NDArray[np.int64]] = []
        self.words = 0

    def add(self, row: NDArray[np.int64]) -> bool:
        """Takes one more individual's words; True when it is full."""
        self.rows.append(row)
        self.words += len(row)
        return len(self.rows) >= CHUNK or self.words >= WORDS


def build(
    people: Iterable[Individual],
    folder: Path,
    *,
    spaces: Sequence[str] = (),
    keep_texts: bool = False,
    progress: Progress = lambda what, done, total: None,
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
        _put(part, folder)
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


def _put(part: Path, folder: Path) -> None:
    """Puts what was built in place of what was there."""
    old = folder.with_name(f".{folder.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        folder.rename(old)
    part.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


class _Builder:
    """One building of one population."""

    def __init__(
        self, folder: Path, spaces: Sequence[str], fixed: bool, keep_texts: bool, progress: Progress
    ) -> None:
        self._folder = folder
        self._fixed = fixed
        self._keep_texts = keep_texts
        self._progress = progress
        self._maker = Featurizer()
        self._runs = {space: Runs(folder, space) for space in dict.fromkeys(spaces)}
        self._names: list[str] = []
        self._words = 0

    def run(self, people: Iterable[Individual]) -> None:
        """Reads, sorts, merges, and says what it has made."""
        digest = self._read(people)
        if not self._names:
            raise InputError(
                "the population is empty", remedy='It needs {individual: "public text"}.'
            )
        self._progress("reading", len(self._names), len(self._names))
        _write_names(self._folder, self._names)
        for number, (space, runs) in enumerate(self._runs.items()):
            self._progress("merging", number, len(self._runs))
            self._merge(space, runs)
        self._progress("merging", len(self._runs), len(self._runs))
        about = {
            "version": VERSION,
            "individuals": len(self._names),
            "words": self._words,
            "spaces": list(self._runs),
            "features": {
                space: (self._folder / f"{space}.keys").stat().st_size // 8 for space in self._runs
            },
            "sha256": digest,
        }
        (self._folder / ABOUT).write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")

    def _read(self, people: Iterable[Individual]) -> str:
        """Writes the runs; returns the digest of what was read."""
        import numpy as np

        digest, seen, chunk = hashlib.sha256(), set[str](), _Chunk()
        with ExitStack() as files:
            sizes = files.enter_context((self._folder / "sizes").open("wb"))
            texts = files.enter_context(self._texts())
            for person in people:
                if person.name in seen:
                    raise InputError(
                        f"the individual {person.name} is there twice",
                        remedy="Join what is known of one individual.",
                    )
                seen.add(person.name)
                words = tokens(person.text)
                if not words:
                    raise InputError(f"nothing is known of the individual {person.name}")
                digest.update(f"{person.name}\0{person.text}\0".encode())
                sizes.write(np.float32(len(words)).tobytes())
                if self._keep_texts:
                    texts.write(json.dumps(person.text, ensure_ascii=False) + "\n")
                self._names.append(person.name)
                self._words += len(words)
                if chunk.add(self._maker.ids(words)):
                    self._flush(chunk)
                    chunk = _Chunk()
        if chunk.rows:
            self._flush(chunk)
        return digest.hexdigest()

    def _texts(self) -> IO[str]:
        """Where the texts go."""
        path = self._folder / "texts.jsonl" if self._keep_texts else Path(os.devnull)
        return path.open("w", encoding="utf-8")

    def _flush(self, chunk: _Chunk) -> None:
        """Writes one sorted run a space."""
        import numpy as np

        done = len(self._names)
        self._drop_large(done)
        owners = np.repeat(np.arange(len(chunk.rows)), [len(row) for row in chunk.rows])
        ids = np.concatenate(chunk.rows)
        for space, runs in self._runs.items():
            placed = self._maker.of(ids, (space,))[space]
            own = owners[placed.first]
            whole = own == owners[placed.last]  # no neighbours across individuals
            runs.add(placed.features[whole], own[whole], done - len(chunk.rows))
        self._maker.forget()
        self._progress("reading", done, 0)

    def _drop_large(self, done: int) -> None:
        """Leaves out the spaces that a population of this size cannot afford."""
        if self._fixed:
            return
        for space, limit in (("gram", GRAMS_UP_TO), ("adjacent", ADJACENT_UP_TO)):
            if done > limit and space in self._runs:
                self._runs.pop(space).remove()

    def _merge(self, space: str, runs: Runs) -> None:
        """Merges the runs of a space range by range."""
        import numpy as np

        individuals, done = len(self._names), 0
        squares = np.zeros(individuals, dtype=np.float64)
        with _Writer(self._folder, space) as out:
            for keys, people, counts in runs.merged(RANGE):
                distinct, starts, spread = np.unique(keys, return_index=True, return_counts=True)
                out.add(distinct, starts + done, people, counts)
                done += len(keys)
                idf = np.repeat(inverse_spread(spread, individuals), spread)
                weights = np.square((1 + np.log(counts.astype(np.float64))) * idf)
                squares += np.bincount(people, weights, minlength=individuals)
            out.finish(done, squares)
        runs.remove()


def inverse_spread(spread: Any, individuals: int) -> Any:
    """IDF: ln((1 + N) / (1 + df)) + 1."""
    import numpy as np

    return np.log((1 + individuals) / (1 + np.asarray(spread, dtype=np.float64))) + 1


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


def _write_names(folder: Path, names: Sequence[str]) -> None:
    import numpy as np

    lines = [0]
    with (folder / "names.txt").open("wb") as file:
        for name in names:
            lines.append(lines[-1] + file.write(json.dumps(name).encode("ascii") + b"\n"))
    np.array(lines, dtype="<i8").tofile(folder / "names.lines")
    order = sorted(range(len(names)), key=names.__getitem__)
    np.array(order, dtype="<u4").tofile(folder / "names.order")
