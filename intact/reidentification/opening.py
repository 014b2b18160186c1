"""From what a setting names to a population, and from documents to their individuals."""

from __future__ import annotations

import hashlib
import json
import tempfile
import weakref
from collections.abc import Callable
from pathlib import Path

from intact.errors import ConfigError, InputError
from intact.knowledge.base import KnowledgeBase
from intact.reidentification.building import build
from intact.reidentification.index import Population, is_population
from intact.reidentification.sources import read_people
from intact.reidentification.variance import Variance

LARGEST_SOURCE = 64 * 1024 * 1024
"""Bytes of a source that is indexed on the fly; a larger one has to be built once."""


def open_population(path: Path, knowledge: KnowledgeBase | None = None) -> Population:
    """The population at ``path``: an index, or a small source that is indexed for this process.

    Raises:
        ResourceError: if there is none.
        InputError: if it is a source too large, or one that is wrong.
    """
    if is_population(path) or not path.exists():
        return Population(path)
    if path.is_file() and path.stat().st_size > LARGEST_SOURCE:
        raise InputError(
            "is a source and too large to be indexed on the fly",
            where=str(path),
            remedy=f"Build it once: intact background build {path} -o POP",
        )
    folder = tempfile.TemporaryDirectory(prefix="intact-population-")
    people = read_people(path, Variance(knowledge))
    population = build(people, Path(folder.name) / "population", keep_texts=True)
    weakref.finalize(population, folder.cleanup)
    return population


def signature(path: Path) -> str:
    """SHA-256 of what a population was made from; of a source, of its files."""
    if is_population(path) or not path.exists():
        return Population(path).digest
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
        mapping = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path} cannot be read ({error.strerror})", where=where) from None
    except ValueError:
        raise ConfigError(f"{path} is no JSON in UTF-8", where=where) from None
    if not isinstance(mapping, dict) or not all(isinstance(name, str) for name in mapping.values()):
        raise ConfigError(
            f"{path} is no map of documents to individuals",
            where=where,
            remedy='It needs {"doc_id": "individual"}.',
        )
    return lambda doc_id: str(mapping.get(doc_id, doc_id))
