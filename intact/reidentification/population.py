"""A population: its individuals, the public text about each, and the features of that text.

It is held in memory, for up to about 100,000 individuals; it can be saved to a file (NumPy's .npz).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from io import BytesIO
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intact import errors
from intact.english.vocabulary import STOP_WORDS
from intact.english.words import fold
from intact.formats.base import TextFormat, read_documents, read_json

# Words in a window, and from the beginning of one to that of the next (Pilán et al. 2024: 25 words
# overlap).
WINDOW, STRIDE = 100, 75

Features = NDArray[np.uint64]
Ids = NDArray[np.int64]
_TOKEN = re.compile(r"[^\W_]+")
_GRAMS = (3, 4, 5)
_CHUNK = 1_000_000  # words whose features are made at once; limits memory


def folded_words(text: str) -> list[str]:
    """Return the words of a text, folded (lower case, no diacritics), in order; apostrophes,
    hyphens and all other signs part words."""
    return _TOKEN.findall(fold(text))


def is_content(word: str) -> bool:
    """Tell whether a folded word is a content word: no function word and no single letter; a digit
    is one."""
    return word not in STOP_WORDS and (len(word) > 1 or word.isdigit())


def windows(
    words: Sequence[str], length: int = WINDOW, stride: int = STRIDE
) -> list[Sequence[str]]:
    """Cut words into overlapping windows, in order. Up to ``length`` words, even none, make one
    window.

    Args:
        words: of a text.
        length: words in a window; the last may be shorter.
        stride: words from the beginning of one window to that of the next.

    Source: Pilán et al. 2024, section 4.2: 100 words, 25 of them shared.
    """
    last = max(len(words) - length + stride, 1)
    return [words[start : start + length] for start in range(0, last, stride)]


@dataclass(frozen=True, slots=True)
class Placed:
    """The features of one space in a row of words, and the indices of the first and last word of
    each."""

    features: Features
    first: Ids
    last: Ids


class Featurizer:
    """Turns words into feature numbers. It remembers every word it has seen, so make one for each
    document.

    Spaces: "word" holds content words; "pair" pairs of neighbours after function words are left
    out; "adjacent" pairs of neighbours in the text, unless both are function words; "gram" three to
    five characters of a content word with a space on each side.
    """

    def __init__(self) -> None:
        """Begin without any word known."""
        self._ids: dict[str, int] = {}
        self._numbers: Features = np.zeros(0, dtype=np.uint64)
        self._content = np.zeros(0, dtype=bool)

    def ids(self, words: Sequence[str]) -> Ids:
        """Return a number for each word of a row, the same for the same word, for :meth:`placed`.
        The numbers mean something in this featurizer only."""
        return np.array([self._ids.setdefault(w, len(self._ids)) for w in words], dtype=np.int64)

    def placed(self, ids: Ids, space: str) -> Placed:
        """Return the features of a row of words as numbers, one for each place where a feature
        occurs, in text order, each with the indices of the first and last word that it comes from.

        Args:
            ids: the row, as :meth:`ids` numbers it.
            space: the kind of features: "word" (content words), "pair" (neighbouring content
                words), "adjacent" (neighbouring words, one of them a content word) or "gram"
                (characters of a content word).
        """
        if fresh := list(islice(self._ids, len(self._numbers), None)):  # words since the last call
            numbers = np.array([_number(word) for word in fresh], dtype=np.uint64)
            self._numbers = np.concatenate((self._numbers, numbers))
            self._content = np.concatenate((self._content, [is_content(word) for word in fresh]))
        if space == "adjacent":
            content = self._content[ids]
            kept = np.flatnonzero(content[:-1] | content[1:])
            return Placed(_pairs(self._numbers[ids], 2)[kept], kept, kept + 1)
        places = np.flatnonzero(self._content[ids])
        if space == "word":
            return Placed(self._numbers[ids[places]], places, places)
        if space == "pair":
            return Placed(_pairs(self._numbers[ids[places]], 1), places[:-1], places[1:])
        known, (words, at) = list(self._ids), np.unique(ids[places], return_inverse=True)
        rows = [_grams(known[word]) for word in words]
        sizes = np.array([len(row) for row in rows], dtype=np.int64)
        every, starts = np.fromiter(chain(*rows), np.uint64), np.cumsum(sizes) - sizes
        places = np.repeat(places, sizes[at])
        return Placed(every[ranges(starts[at], sizes[at])], places, places)


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of features (ascending) in some texts, shape (features, texts)."""

    keys: Features
    matrix: Any  # a csr_array

    @staticmethod
    def joined(parts: Sequence[Counts]) -> Counts:
        """Return one table of the features of several spaces in the same texts: features as rows,
        sorted by their keys whatever space they come from, texts as columns.

        Args:
            parts: a table for each space, at least one.
        """
        keys = np.concatenate([part.keys for part in parts])
        order = np.argsort(keys)
        both = errors.require("scipy.sparse").vstack([part.matrix for part in parts], "csr")
        return Counts(keys[order], both[order])


def count(rows: Iterable[Sequence[str]], spaces: Sequence[str]) -> dict[str, Counts]:
    """Count the features of some texts. Return, by space, a table with a row for each feature,
    ascending by its number, and a column for each text, in order.

    Args:
        rows: the folded words of each text.
        spaces: kinds of features: "word", "pair", "adjacent", "gram"; see ``Featurizer``.
    """
    featurizer = Featurizer()
    ids = [featurizer.ids(row) for row in rows]
    lengths = np.array([len(row) for row in ids], dtype=np.int64)
    full = np.flatnonzero(np.diff(np.cumsum(lengths) // _CHUNK)) + 1
    by_space = {}
    for space in spaces:
        features, owners = [np.zeros(0, dtype=np.uint64)], [np.zeros(0, dtype=np.int32)]
        for start, end in pairwise(sorted({0, *full.tolist(), len(ids)})):
            every = np.concatenate(ids[start:end])
            owner = np.repeat(np.arange(start, end, dtype=np.int32), lengths[start:end])
            placed = featurizer.placed(every, space)
            whole = owner[placed.first] == owner[placed.last]  # no neighbours across texts
            features.append(placed.features[whole])
            owners.append(owner[placed.first][whole])
        keys, places = np.unique(np.concatenate(features), return_inverse=True)
        ones = np.ones(len(places), dtype=np.int32)
        at, shape = (places, np.concatenate(owners)), (len(keys), len(ids))
        matrix = errors.require("scipy.sparse").csr_array((ones, at), shape=shape)
        by_space[space] = Counts(keys, matrix)
    return by_space


def ranges(starts: Ids, lengths: Ids) -> Ids:
    """Return start, start + 1 ... of each range, one range after the other, as one array.

    Args:
        starts: shape (ranges,).
        lengths: how many numbers each range has; 0 gives none.
    """
    return np.repeat(starts - np.cumsum(lengths) + lengths, lengths) + np.arange(lengths.sum())


@lru_cache(1 << 17)
def _number(text: str) -> int:
    """Return a number of 64 bits for a text, the same in every process."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


@lru_cache(1 << 15)
def _grams(word: str) -> tuple[int, ...]:
    """Return the numbers of a word's character n-grams, of three to five characters, with a space
    on each side of the word; the shorter ones first, as often as they occur."""
    padded = f" {word} "
    pieces = (padded[at : at + size] for size in _GRAMS for at in range(len(padded) - size + 1))
    return tuple(_number(f"#{piece}") for piece in pieces)


def _pairs(numbers: Features, salt: int) -> Features:
    """Return one number for every two neighbours, in which their order counts; one number less than
    there are.

    Args:
        numbers: of words.
        salt: makes the numbers of one space differ from another's.
    """
    mixed = numbers[:-1] * np.uint64(0x9E3779B97F4A7C15) + numbers[1:] + np.uint64(salt)
    mixed ^= mixed >> np.uint64(31)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    return mixed ^ (mixed >> np.uint64(29))


VERSION = 3
_PARTS = ("keys", "often", "people", "starts")  # of a space in a file
GRAMS_UP_TO = 20_000  # most individuals for which character n-grams are counted
# Most bytes of a source whose features are counted at once; from a larger one a population has to
# be built and saved first.
LARGEST_SOURCE = 64 * 1024 * 1024


@dataclass(frozen=True)
class Population:
    """Individuals with their texts and features."""

    names: Sequence[str]
    texts: Sequence[str]
    lengths: Any  # number of words in each text
    spaces: Mapping[str, Counts]  # feature space -> counts, shape (features, individuals)
    digest: str  # SHA-256 of names and texts

    @property
    def size(self) -> int:
        """The number of individuals."""
        return len(self.names)

    @classmethod
    def of(cls, people: Iterable[tuple[str, str]]) -> Population:
        """Make a population of (name, public text) pairs, numbered in their order from 0. It has
        counts in the spaces "word", "pair", "adjacent" and, up to ``GRAMS_UP_TO`` individuals,
        "gram". Raises an ``InputError`` if a name comes twice, a text has no words, or there is
        nobody."""
        known: dict[str, str] = {}
        rows: list[list[str]] = []
        digest = hashlib.sha256()
        for name, text in people:
            if name in known:
                raise errors.InputError(f"the individual {name} is there twice")
            known[name] = text
            rows.append(folded_words(text))
            if not rows[-1]:
                raise errors.InputError(f"nothing is known of the individual {name}")
            digest.update(f"{name}\0{text}\0".encode())
        if not known:
            raise errors.InputError("the population is empty")
        spaces = ("word", "pair", "adjacent", *(("gram",) if len(known) <= GRAMS_UP_TO else ()))
        lengths = np.array([len(row) for row in rows], dtype=np.int64)
        counts = count(rows, spaces)
        return cls(list(known), list(known.values()), lengths, counts, digest.hexdigest())

    @classmethod
    def load(cls, path: Path) -> Population:
        """Return the population saved in a file. Raises a ``ResourceError`` if it is missing,
        damaged or of another version."""
        with _saved(path) as told:
            names, texts = (json.loads(told[name].tobytes()) for name in ("names", "texts"))
            spaces = {}
            for space in told["spaces"]:
                keys, *held = (told[f"{space} {part}"] for part in _PARTS)
                shape = len(keys), len(names)
                counted = errors.require("scipy.sparse").csr_array(tuple(held), shape=shape)
                spaces[str(space)] = Counts(keys, counted)
            return cls(names, texts, told["lengths"], spaces, str(told["sha256"]))

    def to_bytes(self) -> bytes:
        """Return the population as the content of a file (NumPy's .npz), which ``load`` reads."""
        held = {
            "version": np.array(VERSION),
            "sha256": np.array(self.digest),
            "names": np.frombuffer(json.dumps(self.names).encode(), np.uint8),
            "texts": np.frombuffer(json.dumps(self.texts).encode(), np.uint8),
            "lengths": self.lengths,
            "spaces": np.array(list(self.spaces)),
        }
        for space, counts in self.spaces.items():
            own = counts.matrix
            values = (counts.keys, own.data, own.indices, own.indptr)
            held |= {f"{space} {part}": each for part, each in zip(_PARTS, values, strict=True)}
        file = BytesIO()
        np.savez(file, **held)
        return file.getvalue()

    def number(self, name: str) -> int | None:
        """Return the number of an individual, from 0, by name; None if the population lacks it."""
        return self._numbers.get(name)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: at for at, name in enumerate(self.names)}


@contextmanager
def _saved(path: Path) -> Iterator[Any]:
    """Open a saved population, and yield its arrays by name. Raises a ``ResourceError`` if the file
    is missing, is none, or has another version, and for any error in the ``with`` block that is not
    INTACT's own."""
    where, kind = str(path), errors.ResourceError
    if not path.exists():
        raise kind("there is no population", where=where)
    problem = "the population cannot be read: it is damaged, or is none"
    with errors.loading(problem, where, kind=kind), np.load(path, allow_pickle=False) as held:
        if (version := int(held["version"])) != VERSION:
            raise kind(f"the population is of version {version}, not {VERSION}", where=where)
        yield held


def _is_saved(path: Path) -> bool:
    """Tell whether a path is a saved population, not a source; False for a folder, True also for a
    file that is missing or cannot be read."""
    if path.is_dir():
        return False
    try:
        with path.open("rb") as file:
            return file.read(2) == b"PK"  # .npz is a zip file
    except OSError:
        return True


def open_population(path: Path) -> Population:
    """Load a saved population, or make one of a source (``read_people``) at once. Raises an
    ``InputError`` for a source file, not a folder, of more than ``LARGEST_SOURCE`` bytes, and a
    ``ResourceError`` if nothing is there or a saved one cannot be read."""
    if _is_saved(path):
        return Population.load(path)
    if path.is_file() and path.stat().st_size > LARGEST_SOURCE:
        problem = "is a source and too large to be indexed on the fly"
        remedy = f"Build it once: intact background build {path} -o POP"
        raise errors.InputError(problem, where=path, remedy=remedy)
    return Population.of(read_people(path))


def signature(path: Path) -> str:
    """Return the SHA-256, in hexadecimal, of a saved population's names and texts; or of a source
    file, or the .txt files of a folder and of those below it, with their names. Raises a
    ``ResourceError`` if nothing is there or a saved one cannot be read."""
    if _is_saved(path):
        with _saved(path) as held:
            return str(held["sha256"])
    digest = hashlib.sha256()
    for file in sorted(path.rglob("*.txt")) if path.is_dir() else [path]:
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def read_people(source: Path) -> Iterator[tuple[str, str]]:
    """Yield (individual, public text), lazily where the format allows. The source is JSON
    ({individual: "public text"}), documents named after individuals, or a folder of .txt files,
    whose paths in it without ending ("staff/lee") are the names. Raises an ``InputError`` if it
    holds nobody; a name that comes twice is yielded twice."""
    first = None
    for first in _people_in(source):
        yield first
    if first is None:
        raise errors.InputError("the population is empty", where=source)


def _people_in(source: Path) -> Iterator[tuple[str, str]]:
    """Yield (individual, public text) of a source, as ``read_people`` does, but nothing, and no
    error, for an empty one."""
    if source.suffix.lower() == ".json":
        yield from _read_strings(source, "is no population").items()
        return
    folder = source.is_dir()
    for path in sorted(source.rglob("*.txt")) if folder else [source]:
        for _, _, loaded in read_documents(path, TextFormat() if folder else None):
            name = path.relative_to(source).with_suffix("").as_posix() if folder else ""
            yield name or loaded.document.id, loaded.document.text


def _read_strings(path: Path, problem: str) -> dict[str, str]:
    """Return the object in a JSON file that maps strings to strings; raise a ``FormatError`` with
    the problem if it holds anything else."""
    data = read_json(path)
    if not isinstance(data, dict) or not all(isinstance(text, str) for text in data.values()):
        raise errors.FormatError(problem, where=path)
    return data


def owners(protect: str, where: str = "setting guard.protect") -> Callable[[str], str]:
    """Return a function from the id of a document to the name of its individual. A JSON file is
    read at once.

    Args:
        protect: "" if documents are named after their individuals, one name for all documents, or a
            JSON file that maps ids to individuals; ids that it lacks count as names.
        where: the setting or option, for messages.

    Raises:
        ConfigError: if the file cannot be read or is no such map.
    """
    if not protect:
        return str
    path = Path(protect)
    if path.suffix.lower() != ".json":
        return lambda doc_id: protect
    try:
        mapping = _read_strings(path, "is no map of documents to individuals")
    except errors.InputError as why:
        raise errors.ConfigError(f"{path} {why.problem}", where=where, remedy=why.remedy) from None
    return lambda doc_id: mapping.get(doc_id, doc_id)
