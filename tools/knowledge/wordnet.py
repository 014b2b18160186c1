"""Reads the noun files of WordNet 3.0. Facts only: no glosses are kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from intact.errors import ResourceError

FILES = (
    "adj.all adj.pert adv.all tops act animal artifact attribute body cognition communication "
    "event feeling food group location motive object person phenomenon plant possession process "
    "quantity relation shape state substance time"
).split()
_RUDE = frozenset({"07124340", "06717170", "06718862"})
"""Offsets of the usages "obscenity, vulgarism", "disparagement" and "ethnic slur"."""


@dataclass(frozen=True, slots=True)
class Synset:
    """A set of nouns that mean the same.

    Attributes:
        lexicon: name of its lexicographer file ("person", "act" ...).
        parent: offset of the first hypernym; 0 if there is none.
        instance: whether it is one individual thing (its parent is what it is an instance of).
        rude: those of its lemmas that are obscene, disparaging or a slur in this meaning.
    """

    offset: int
    lexicon: str
    lemmas: tuple[str, ...]
    parent: int
    instance: bool
    rude: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class WordNet:
    """All noun synsets by offset, and the senses of each lemma, most frequent first."""

    synsets: Mapping[int, Synset]
    senses: Mapping[str, tuple[int, ...]]


def read_wordnet(folder: Path) -> WordNet:
    """Reads ``data.noun`` and ``index.noun``.

    Raises:
        ResourceError: if they are not there.
    """
    try:
        data = (folder / "data.noun").read_text(encoding="ascii").splitlines()
        index = (folder / "index.noun").read_text(encoding="ascii").splitlines()
    except OSError as error:
        raise ResourceError(
            "WordNet is missing",
            where=str(folder),
            remedy="apt-get install wordnet-base, or name its folder in INTACT_WORDNET",
        ) from error
    synsets = {synset.offset: synset for synset in _synsets(data)}
    return WordNet(synsets, dict(_senses(index)))


def _synsets(lines: list[str]) -> Iterator[Synset]:
    for line in lines:
        if line.startswith(" "):
            continue
        fields = line.split(" | ", maxsplit=1)[0].split()
        count = int(fields[3], 16)
        lemmas = tuple(word.replace("_", " ") for word in fields[4 : 4 + 2 * count : 2])
        pointers = fields[5 + 2 * count :]
        above = [int(pointers[i + 1]) for i in range(0, len(pointers) - 3, 4) if pointers[i] == "@"]
        kinds = [
            int(pointers[i + 1]) for i in range(0, len(pointers) - 3, 4) if pointers[i] == "@i"
        ]
        usages = zip(pointers[::4], pointers[1::4], pointers[3::4], strict=False)
        rude = {int(at[:2], 16) for sign, to, at in usages if sign == ";u" and to in _RUDE}
        yield Synset(
            int(fields[0]),
            FILES[int(fields[1])],
            lemmas,
            (above or kinds or [0])[0],
            not above,
            frozenset(word for at, word in enumerate(lemmas, 1) if rude & {0, at}),
        )


def _senses(lines: list[str]) -> Iterator[tuple[str, tuple[int, ...]]]:
    for line in lines:
        if line.startswith(" "):
            continue
        fields = line.split()
        count = int(fields[2])
        yield fields[0].replace("_", " "), tuple(int(field) for field in fields[-count:])
