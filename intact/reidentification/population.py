"""A population: who there is, what is publicly known of them, and which features that has.

It is held in memory, for up to about 100,000 individuals; a folder keeps it between runs
(``population.json``, ``names.json``, ``texts.jsonl``, ``lengths.npy``, and one ``.npz`` for each
feature space), readable by its owner only.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import numpy as np
from scipy.sparse import csr_array

from intact.errors import ConfigError, InputError, ResourceError
from intact.formats.json_text import read_json
from intact.knowledge.base import KnowledgeBase
from intact.reidentification.features import Counts, count, tokens
from intact.reidentification.sources import Individual, read_people, surface_variants

VERSION = 2
ABOUT = "population.json"
GRAMS_UP_TO = 20_000
"""Individuals up to which character n-grams are counted."""
LARGEST_SOURCE = 64 * 1024 * 1024
"""Bytes of a source that is indexed on the fly; a larger one has to be built once."""


class Population:
    """Individuals with their texts and features.

    Args:
        names: unique.
        texts: public text of each.
        lengths: words of each text.
        spaces: feature space -> counts, shape (features, individuals).
        digest: SHA-256 of names and texts.
    """

    def __init__(
        self,
        names: Sequence[str],
        texts: Sequence[str],
        lengths: Any,
        spaces: Mapping[str, Counts],
        digest: str,
    ) -> None:
        self.names = names
        self.texts = texts
        self.lengths = lengths
        self.spaces = spaces
        self.digest = digest
        self.size = len(names)

    @classmethod
    def of(cls, people: Iterable[Individual]) -> Population:
        """The population of some individuals, counted.

        Raises:
            InputError: for an individual that comes twice or knows nothing, or an empty population.
        """
        known: dict[str, str] = {}
        rows: list[list[str]] = []
        digest = hashlib.sha256()
        for person in people:
            if person.name in known:
                raise InputError(
                    f"the individual {person.name} is there twice",
                    remedy="Join what is known of one individual.",
                )
            known[person.name] = person.text
            rows.append(tokens(person.text))
            if not rows[-1]:
                raise InputError(f"nothing is known of the individual {person.name}")
            digest.update(f"{person.name}\0{person.text}\0".encode())
        if not known:
            raise InputError(
                "the population is empty", remedy='It needs {individual: "public text"}.'
            )
        spaces = ("word", "pair", "adjacent", *(("gram",) if len(known) <= GRAMS_UP_TO else ()))
        lengths = np.array([len(row) for row in rows], dtype=np.int64)
        counts = count(rows, spaces)
        return cls(list(known), list(known.values()), lengths, counts, digest.hexdigest())

    @classmethod
    def load(cls, folder: Path) -> Population:
        """The population that :meth:`save` wrote to ``folder``.

        Raises:
            ResourceError: if it is no population, damaged, or one of another version.
        """
        about = _about(folder)
        try:
            names = json.loads((folder / "names.json").read_text(encoding="utf-8"))
            with (folder / "texts.jsonl").open(encoding="utf-8") as file:
                texts = [json.loads(line) for line in file]
            lengths = np.load(folder / "lengths.npy", allow_pickle=False)
            spaces = {name: _counts(folder / f"{name}.npz") for name in about["spaces"]}
        except OSError as error:
            raise _damaged(folder, f"{Path(error.filename or '').name}: {error.strerror}") from None
        except (ValueError, KeyError, EOFError, zipfile.BadZipFile):
            raise _damaged(folder, "a file in it is not whole") from None
        shapes = {len(names), len(texts), len(lengths)} | {
            counts.matrix.shape[1] for counts in spaces.values()
        }
        if shapes != {about["individuals"]}:
            raise _damaged(folder, "its files are not of one population")
        return cls(names, texts, lengths, spaces, about["sha256"])

    def save(self, folder: Path) -> None:
        """Writes the population, whole or not at all, readable by its owner only.

        Raises:
            ResourceError: if the folder is there and no population, or cannot be written.
        """
        check_free(folder)
        part, old = (folder.with_name(f".{folder.name}.{what}") for what in ("part", "old"))
        for left in (part, old):
            shutil.rmtree(left, ignore_errors=True)
        try:
            part.mkdir(parents=True, mode=0o700)
            self._write(part)
            if folder.exists():
                folder.rename(old)
            part.rename(folder)
        except OSError as error:
            raise ResourceError(
                f"the population cannot be written ({error.strerror})", where=str(folder)
            ) from None
        finally:
            for left in (part, old):
                shutil.rmtree(left, ignore_errors=True)

    def _write(self, folder: Path) -> None:
        about = {
            "version": VERSION,
            "individuals": self.size,
            "words": self.words,
            "spaces": list(self.spaces),
            "sha256": self.digest,
        }
        lines = "".join(json.dumps(text) + "\n" for text in self.texts)
        for name, text in (
            (ABOUT, json.dumps(about, indent=1) + "\n"),
            ("names.json", json.dumps(self.names) + "\n"),
            ("texts.jsonl", lines),
        ):
            with _private(folder / name) as file:
                file.write(text.encode())
        with _private(folder / "lengths.npy") as file:
            np.save(file, self.lengths)
        for name, counts in self.spaces.items():
            held = counts.matrix
            with _private(folder / f"{name}.npz") as file:
                np.savez(
                    file, keys=counts.keys, starts=held.indptr, people=held.indices, often=held.data
                )

    @property
    def words(self) -> int:
        """How many words the texts have together."""
        return int(self.lengths.sum())

    def number(self, name: str) -> int | None:
        """The position of the individual called ``name``, or None."""
        return self._numbers.get(name)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: at for at, name in enumerate(self.names)}


def check_free(folder: Path) -> None:
    """Whether a population may be written to ``folder``.

    Raises:
        ResourceError: if something else is there.
    """
    if folder.exists() and not is_population(folder):
        raise ResourceError(
            "is there already and is no population",
            where=str(folder),
            remedy="Choose another place.",
        )


def is_population(path: Path) -> bool:
    """Whether a path looks like a saved population."""
    return (path / ABOUT).is_file()


def open_population(path: Path, knowledge: KnowledgeBase | None = None) -> Population:
    """The population at ``path``: a saved one, or a small source that is counted now.

    Args:
        path: what :meth:`Population.save` wrote, or a source as ``sources.read_people`` reads it.
        knowledge: knows other names of what profiles say, or None.

    Raises:
        ResourceError: if there is none.
        InputError: if it is a source too large, or one that is wrong.
    """
    if is_population(path) or not path.exists():
        return Population.load(path)
    if path.is_file() and path.stat().st_size > LARGEST_SOURCE:
        raise InputError(
            "is a source and too large to be indexed on the fly",
            where=str(path),
            remedy=f"Build it once: intact background build {path} -o POP",
        )
    return Population.of(read_people(path, surface_variants(knowledge)))


def signature(path: Path) -> str:
    """SHA-256 of what a population was made from; of a source, of its files."""
    if is_population(path) or not path.exists():
        return str(_about(path)["sha256"])
    digest = hashlib.sha256()
    for file in sorted(path.rglob("*.txt")) if path.is_dir() else [path]:
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def owners(protect: str, where: str = "setting guard.protect") -> Callable[[str], str]:
    """Whose each document is: its own id, one name for all, or as a JSON file says.

    Args:
        protect: "", a name, or the path of {doc_id: individual}.
        where: what was set, for errors.

    Raises:
        ConfigError: if the file is no such mapping.
    """
    if not protect:
        return str
    path = Path(protect)
    if path.suffix.lower() != ".json":
        return lambda doc_id: protect
    try:
        mapping = read_json(path)
    except InputError as error:
        raise ConfigError(f"{path} {error.problem}", where=where) from None
    if not isinstance(mapping, dict) or not all(isinstance(name, str) for name in mapping.values()):
        raise ConfigError(
            f"{path} is no map of documents to individuals",
            where=where,
            remedy='It needs {"doc_id": "individual"}.',
        )
    return lambda doc_id: str(mapping.get(doc_id, doc_id))


def _private(path: Path) -> IO[bytes]:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def _counts(path: Path) -> Counts:
    with np.load(path, allow_pickle=False) as held:
        keys, starts, people, often = (held[name] for name in ("keys", "starts", "people", "often"))
    individuals = json.loads((path.parent / ABOUT).read_text(encoding="utf-8"))["individuals"]
    return Counts(keys, csr_array((often, people, starts), shape=(len(keys), individuals)))


def _about(folder: Path) -> Mapping[str, Any]:
    """What a saved population says of itself."""
    remedy = "Make it with: intact background build SOURCE -o POP"
    try:
        about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise ResourceError("there is no population", where=str(folder), remedy=remedy) from None
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
    wanted = (("individuals", int), ("words", int), ("spaces", list), ("sha256", str))
    if not all(isinstance(about.get(key), kind) for key, kind in wanted):
        raise _damaged(folder, f"{ABOUT} is not whole")
    return about


def _damaged(folder: Path, how: str) -> ResourceError:
    return ResourceError(
        f"the population is damaged: {how}",
        where=str(folder),
        remedy="Make it again with: intact background build SOURCE -o POP",
    )
