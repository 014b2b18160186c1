"""Writes the tables of common nouns and adjectives: the ladders, WordNet below them, priors.

WordNet words are kept only where their hypernyms lead to a rung of a ladder, and from there on
the ladder speaks: the odd upper levels of WordNet never show.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from intact.english.fold import key
from intact.english.inflect import plural_phrase, with_indefinite, without_article
from intact.knowledge.ladders import Form, Node, read_ladders
from intact.knowledge.wordnet import Synset, WordNet, read_wordnet

LADDERS = Path(__file__).resolve().parent / "ladders"
NOT_TERMS = frozenset({"organisations.txt"})
MEMBERS = 32
CURATED, WORDNET = 0, 1
SHARES = 1_000_000

_SCHEMA = """
CREATE TABLE IF NOT EXISTS term (
    id INTEGER PRIMARY KEY, concept TEXT, parent INTEGER, phrase TEXT, plural TEXT, kind TEXT,
    types TEXT, form TEXT, country TEXT, source INTEGER, rung INTEGER, total INTEGER);
CREATE TABLE IF NOT EXISTS term_name (
    key TEXT, term INTEGER, plural INTEGER, rank INTEGER, PRIMARY KEY (key, term, plural)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS term_member (
    term INTEGER, rank INTEGER, name TEXT, share INTEGER, PRIMARY KEY (term, rank)
) WITHOUT ROWID;
"""
_ODD = frozenset(
    "psycho know_nothing "
    "entity abstraction whole attribute unit causal_agent psychological_feature matter relation "
    "expert unfortunate unskilled_person good_person bad_person adult juvenile_person "
    "organism being living_thing object instrumentality artifact artefact equal peer "
    "life_form perceiver traveler contestant communicator intellectual capitalist "
    "lover simpleton ruler female male worker creator follower leader acquaintance "
    "case domain_name lot thing item way part piece member line body range".split()
)
_RENAMED = {
    "unwelcome person": "",
    "feeling of": "",
    "military man": "a member of the armed forces",
    "skilled worker": "a skilled worker",
    "pathological state": "a health condition",
    "physiological condition": "a physical condition",
    "ill health": "a health condition",
    "instrument": "an instrument",
}
_TOPS = frozenset({"person", "animal", "plant", "food", "substance"})
_NO_ANCHOR = frozenset(
    "object thing item possession relation case matter right work action order position paper "
    "character figure form range point sign organ arm report record act event member party "
    "company house operation claim motion appeal charge count sentence bill note letter post "
    "section article clause paragraph schedule rule play performance production picture game "
    "relative property structure material creation composition money cell ground land field "
    "defender forward tackle speaker producer fighter runner trainer player adviser partner "
    "agent practitioner minister deputy justice administrator creator scholar academician student "
    "pupil guard candidate head expert champion "
    "trade business sector industry system service activity pain condition".split()
)
_FINE_KINDS = frozenset({"thing", "nature", "occupation", "work", "sport", "body"})
_MASS = frozenset({"food", "substance", "state", "feeling", "process", "attribute", "phenomenon"})
_INDIVIDUALS = frozenset({"event", "act", "communication", "artifact", "group", "cognition"})
_RARE = 2.0


@dataclass(frozen=True, slots=True)
class _Entry:
    node: Node
    source: int
    ranks: Mapping[str, int]


def build(
    connection: sqlite3.Connection,
    folder: Path = LADDERS,
    wordnet: WordNet | None = None,
    frequency: Callable[[str], float] | None = None,
) -> None:
    """Fills the term tables of ``connection``.

    Args:
        folder: ladder files (organisations apart).
        wordnet: what may continue on the rungs; read from where Debian puts it by default.
        frequency: Zipf frequency (0 to 8) of an English word; wordfreq's by default.

    Raises:
        ConfigError: if a ladder file is wrong.
        ResourceError: if WordNet is not installed.
    """
    files = sorted(path for path in folder.glob("*.txt") if path.name not in NOT_TERMS)
    nodes = read_ladders(files)
    zipf = frequency or _wordfreq()
    below = _anchored(nodes, read_wordnet() if wordnet is None else wordnet, zipf)
    entries = [*(_Entry(node, CURATED, {}) for node in nodes), *below]
    store(connection, entries, zipf)


def store_ladders(connection: sqlite3.Connection, nodes: Sequence[Node]) -> None:
    """Fills the tables with nothing but ``nodes`` (a user's own ladders, in memory)."""
    store(connection, [_Entry(node, CURATED, {}) for node in nodes], lambda _: 3.0)


def _wordfreq() -> Callable[[str], float]:
    import wordfreq

    return lambda word: float(wordfreq.zipf_frequency(word, "en"))


def store(
    connection: sqlite3.Connection, entries: Sequence[_Entry], zipf: Callable[[str], float]
) -> None:
    """Writes ``entries``, their names, and what each rung can stand for, likeliest first."""
    connection.executescript(_SCHEMA)
    ids = {entry.node.concept: number for number, entry in enumerate(entries, start=1)}
    members = _members(entries, zipf)
    connection.executemany(
        "INSERT INTO term VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                ids[node.concept],
                node.concept,
                ids.get(node.parent, 0),
                node.phrase,
                "" if node.plural == plural_phrase(node.phrase) else node.plural,
                node.kind,
                " ".join(node.types),
                node.form.value,
                node.country,
                entry.source,
                int(node.rung),
                members[node.concept][0] if node.concept in members else 0,
            )
            for entry in entries
            for node in (entry.node,)
        ),
    )
    connection.executemany(
        "INSERT OR IGNORE INTO term_name VALUES (?, ?, ?, ?)",
        sorted(
            (key(name), ids[entry.node.concept], plural, entry.ranks.get(name, rank))
            for entry in entries
            for plural, names in enumerate((entry.node.names, _plurals(entry)))
            for rank, name in enumerate(names)
        ),
    )
    connection.executemany(
        "INSERT INTO term_member VALUES (?, ?, ?, ?)",
        (
            (ids[concept], rank, name, round(share * SHARES))
            for concept, (_, likeliest) in members.items()
            for rank, (name, share) in enumerate(likeliest)
        ),
    )
    connection.execute("CREATE INDEX IF NOT EXISTS term_concept ON term (concept)")
    connection.commit()


def _plurals(entry: _Entry) -> tuple[str, ...]:
    """Plurals worth storing: those of WordNet's words are found by rule."""
    return entry.node.plural_names if entry.source == CURATED else ()


_Likely = tuple[str, float]


def _members(
    entries: Sequence[_Entry], zipf: Callable[[str], float]
) -> dict[str, tuple[int, list[_Likely]]]:
    parents = {entry.node.concept: entry.node.parent for entry in entries}
    below: dict[str, list[_Likely]] = defaultdict(list)
    counts: dict[str, int] = defaultdict(int)
    for entry in entries:
        node = entry.node
        names = [(name, 10 ** zipf(name.lower())) for name in node.names[:4]]
        above = parents[node.concept]
        while above:
            counts[above] += 1
            below[above] += names
            above = parents.get(above, "")
    found: dict[str, tuple[int, list[_Likely]]] = {}
    for concept, names in below.items():
        whole = sum(weight for _, weight in names)
        likeliest = sorted(names, key=lambda row: (-row[1], row[0]))[:MEMBERS]
        found[concept] = (counts[concept], [(name, weight / whole) for name, weight in likeliest])
    return found


def _anchored(
    nodes: Iterable[Node], wordnet: WordNet, zipf: Callable[[str], float]
) -> list[_Entry]:
    """Entries for the synsets whose hypernyms lead to a rung, their parents put right."""
    anchors = _anchors(nodes, wordnet)
    entries: list[_Entry] = []
    for synset in wordnet.synsets.values():
        if synset.offset in anchors or (synset.instance and synset.lexicon not in _INDIVIDUALS):
            continue
        above = _above(synset, wordnet, anchors)
        if above is None:
            continue
        names = tuple(name for name in synset.lemmas if zipf(name) >= _RARE)
        entries.append(_entry(synset, names, above, wordnet, zipf))
    return _kept(entries, {node.concept for node in anchors.values()})


def _kept(entries: list[_Entry], roots: set[str]) -> list[_Entry]:
    """Entries that have a name in use or stand above one that has, and lead to a root."""
    known = {entry.node.concept: entry for entry in entries}
    wanted: set[str] = set()
    for entry in entries:
        path = [entry.node.concept] if entry.ranks else []
        while path and path[-1] in known:
            path.append(known[path[-1]].node.parent)
        if path and path[-1] in roots:
            wanted.update(path)
    return [entry for entry in entries if entry.node.concept in wanted]


def _anchors(nodes: Iterable[Node], wordnet: WordNet) -> dict[int, Node]:
    """Synset offset -> the ladder's node that means the same.

    A single word of several senses is trusted only as the name that a rung is worded by.
    """
    anchors: dict[int, Node] = {}
    for node in nodes:
        if node.form is not Form.NOUN or not (node.rung or node.kind in _FINE_KINDS):
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


def _above(synset: Synset, wordnet: WordNet, anchors: Mapping[int, Node]) -> str | None:
    """Concept of the nearest hypernym fit to be a rung, None if none leads to an anchor."""
    parent = wordnet.synsets.get(synset.parent)
    first: str | None = None
    while parent is not None:
        if parent.offset in anchors:
            return first or anchors[parent.offset].concept
        if first is None and not _ODD.intersection(
            lemma.replace(" ", "_") for lemma in parent.lemmas
        ):
            first = f"wn/{parent.offset}"
        parent = wordnet.synsets.get(parent.parent)
    return None


def _entry(
    synset: Synset,
    used: tuple[str, ...],
    above: str,
    wordnet: WordNet,
    zipf: Callable[[str], float],
) -> _Entry:
    names = used or synset.lemmas[:1]
    best = names[0]
    proper = best[:1].isupper()
    plural = without_article(plural_phrase(with_indefinite(best)))
    mass = synset.lexicon in _MASS and zipf(plural) < zipf(best) - 1.5
    phrase = _RENAMED.get(best) or (best if mass or proper else with_indefinite(best))
    ordered = tuple(dict.fromkeys((best, *names)))
    node = Node(
        concept=f"wn/{synset.offset}",
        parent=above,
        phrase=phrase,
        plural=plural_phrase(phrase),
        names=ordered,
        plural_names=(),
        kind=synset.lexicon,
        types=(),
        form=Form.NOUN,
        rung=not proper,
    )
    senses = {name: wordnet.senses.get(name.lower(), ()) for name in used}
    ranks = {
        name: 100 + found.index(synset.offset)
        for name, found in senses.items()
        if synset.offset in found
    }
    return _Entry(node, WORDNET, ranks)
