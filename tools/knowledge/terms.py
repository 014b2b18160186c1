"""The tables of common nouns and adjectives: the ladders, WordNet below them, priors.

Words of WordNet are kept only where their hypernyms lead to a rung of a ladder; only the ladders'
phrases are ever shown, and as guesses words that are not rude.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from intact.english.words import key
from intact.knowledge.ladders import Node, read_ladders
from intact.knowledge.terms import write_terms
from tools.knowledge.wordnet import Synset, WordNet

NOT_TERMS = frozenset({"organisations.txt"})
_TOPS = frozenset({"person", "animal", "plant", "food", "substance", "feeling"})
_NO_ANCHOR = frozenset(
    "object thing item possession relation case matter right work action order position paper "
    "character figure form range point sign organ arm report record act event member party "
    "company house operation claim motion appeal charge count sentence bill note letter post "
    "section article clause paragraph schedule rule play performance production picture game "
    "relative property structure material creation composition money cell ground land field "
    "defender forward tackle speaker producer fighter runner trainer player adviser partner "
    "agent practitioner minister deputy justice administrator creator scholar academician student "
    "pupil guard candidate head expert champion "
    "worker learner artist beggar trade business sector industry system service activity pain "
    "condition".split()
)
_FINE_KINDS = frozenset({"thing", "nature", "occupation", "work", "sport", "body"})
_INDIVIDUALS = frozenset({"event", "act", "communication", "artifact", "group", "cognition"})
_RARE = 2.0


_FIRST_SENSE = 100
"""The rank of the first sense of a word of WordNet; names in ladders have lower ones."""


@dataclass(frozen=True, slots=True)
class Sense:
    """A set of words of WordNet that mean the same.

    Attributes:
        synset: its number in WordNet.
        kind: its lexicographer file ("person", "act" ...).
        names: its words, the usual one first.
        ranks: which sense of each word it is, the most frequent 0.
        above: concept of the next more general thing ("wn/..." or of a rung).
        rung: concept of the nearest rung of a ladder above it.
    """

    synset: int
    kind: str
    names: tuple[str, ...]
    ranks: Mapping[str, int]
    above: str
    rung: str

    @property
    def concept(self) -> str:
        """Canonical id."""
        return f"wn/{self.synset}"


def store_terms(
    connection: sqlite3.Connection,
    folder: Path,
    wordnet: WordNet,
    frequency: Callable[[str], float],
) -> None:
    """Fills the term tables of ``connection``.

    Args:
        connection: a database without them.
        folder: ladder files (organisations apart).
        wordnet: what may continue on the rungs.
        frequency: Zipf frequency (0 to 8) of an English word.

    Raises:
        ConfigError: if a ladder file is wrong.
    """
    files = sorted(path for path in folder.glob("*.txt") if path.name not in NOT_TERMS)
    nodes = read_ladders(files)
    senses = _anchored(nodes, wordnet, frequency)
    below = [(sense.concept, sense.above, sense.names) for sense in senses]
    write_terms(connection, nodes, below, frequency)
    _leave_unsaid(connection, nodes, senses, wordnet)
    ids = {node.concept: number for number, node in enumerate(nodes, start=1)}
    connection.executemany(
        "INSERT INTO sense VALUES (?, ?, ?)",
        ((-sense.synset, ids[sense.rung], sense.kind) for sense in senses),
    )
    names = sorted(
        (key(name), -sense.synset, _FIRST_SENSE + rank)
        for sense in senses
        for name, rank in sense.ranks.items()
    )
    connection.executemany("INSERT OR IGNORE INTO term_name VALUES (?, ?, 0, ?)", names)
    connection.commit()


def _leave_unsaid(
    connection: sqlite3.Connection,
    nodes: Sequence[Node],
    senses: Iterable[Sense],
    wordnet: WordNet,
) -> None:
    """Takes rude words out of what the rungs above them can stand for: people are shown that as
    guesses. In texts the words stay known."""
    parents = {node.concept: node.parent for node in nodes}
    numbers = {node.concept: number for number, node in enumerate(nodes, start=1)}
    for sense in senses:
        unsaid = wordnet.synsets[sense.synset].rude.intersection(sense.names)
        above = sense.rung
        while above in numbers:
            rows = ((numbers[above], name) for name in unsaid)
            connection.executemany("DELETE FROM term_member WHERE term = ? AND name = ?", rows)
            above = parents[above]


def _anchored(nodes: Iterable[Node], wordnet: WordNet, zipf: Callable[[str], float]) -> list[Sense]:
    """The synsets whose hypernyms lead to a rung: those in use, and those above them."""
    anchors = _anchors(nodes, wordnet)
    found: dict[int, Sense] = {}
    lowest: list[int] = []
    for synset in wordnet.synsets.values():
        if synset.offset in anchors or (synset.instance and synset.lexicon not in _INDIVIDUALS):
            continue
        rung = _rung_above(synset, wordnet, anchors)
        if rung is None:
            continue
        used = tuple(name for name in synset.lemmas if zipf(name) >= _RARE)
        names = used or synset.lemmas[:1]
        above = anchors.get(synset.parent)
        found[synset.offset] = Sense(
            synset=synset.offset,
            kind=synset.lexicon,
            names=names,
            ranks=_ranks(names, synset.offset, wordnet),
            above=above.concept if above else f"wn/{synset.parent}",
            rung=rung.concept,
        )
        if used:
            lowest.append(synset.offset)
    wanted: set[int] = set()
    for offset in lowest:
        step = offset
        while step in found:
            wanted.add(step)
            step = wordnet.synsets[step].parent
    return [sense for offset, sense in found.items() if offset in wanted]


def _ranks(names: Iterable[str], offset: int, wordnet: WordNet) -> dict[str, int]:
    """Return which sense of each name the synset is, the most frequent 0."""
    senses = {name: wordnet.senses.get(name.lower(), ()) for name in names}
    return {name: found.index(offset) for name, found in senses.items() if offset in found}


def _rung_above(synset: Synset, wordnet: WordNet, anchors: Mapping[int, Node]) -> Node | None:
    """The rung that the nearest hypernym in a ladder means, None if none is in one."""
    parent = wordnet.synsets.get(synset.parent)
    while parent is not None:
        if parent.offset in anchors:
            return anchors[parent.offset]
        parent = wordnet.synsets.get(parent.parent)
    return None


def _anchors(nodes: Iterable[Node], wordnet: WordNet) -> dict[int, Node]:
    """Synset offset -> the ladder's node that means the same.

    A single word of several senses is trusted only as the name that a rung is worded by.
    """
    anchors: dict[int, Node] = {}
    for node in nodes:
        if node.adjective or not (node.rung or node.kind in _FINE_KINDS):
            continue
        for place, name in enumerate(node.names):
            senses = wordnet.senses.get(name.lower(), ())
            sure = " " in name or len(senses) == 1 or (node.rung and place == 0)
            if not sure or name in _NO_ANCHOR:
                continue
            for offset in senses:
                lexicon = wordnet.synsets[offset].lexicon
                if lexicon in node.wordnet or (lexicon == "tops" and name in _TOPS):
                    anchors.setdefault(offset, node)
                    break
    return anchors
