"""Lists what can be printed and how often it is, and checks how it is worded.

    python tools/phrases.py [SANITIZED.json ...]

Without files only the check is made. Files are outputs of ``intact sanitize`` in TAB's JSON: how
often each phrase is used there is counted, with up to ten sentences, most used first.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from intact.english.grammar import takes_an
from intact.english.vocabulary import vocabulary
from intact.knowledge.kinds import KindTree, kind_tree
from intact.knowledge.ladders import read_ladders, read_table
from intact.knowledge.terms import is_unsaid

LADDERS = Path(__file__).resolve().parents[1] / "intact" / "knowledge" / "ladders"
BANNED = re.compile(
    r"\b(?:an? certain(?! (?:day|week|month|season|term|year|period|time|date)\b)|of certain)\b"
    r"|\b(?:something|things?|somebody who|(?:person|people) who)\b"
    r"|\b(?:person|people) with\b|\bof some kind\b|^some (?!days|weeks|time)"
)
"""Wordings that nobody writes who has a noun; "a living thing" is one."""
ALLOWED = frozenset({"a living thing", "living things", "the people who run a country"})
_SENTENCES = 10
_AROUND = 60


def tree_phrases(tree: KindTree) -> Iterator[tuple[str, str]]:
    """Yield where each phrase of the tree stands and the phrase."""
    for kind in tree.values():
        if kind.worded("noun"):
            yield f"kind {kind.id}", kind.phrase
            yield f"kind {kind.id}, plural", kind.plural
        for form, words in kind.wordings.items():
            yield f"kind {kind.id}, {form}", words


def ladder_phrases() -> Iterator[tuple[str, str]]:
    """Yield where each rung of the ladders stands and its phrase."""
    files = sorted(LADDERS.glob("*.txt"))
    apart = [path for path in files if path.name == "organisations.txt"]
    for paths in ([path for path in files if path not in apart], apart):
        for node in read_ladders(paths):
            if node.rung and not is_unsaid(node.phrase):
                where = f"{Path(node.where.rpartition(',')[0]).name}{node.where.rpartition(',')[2]}"
                yield where, node.phrase
                yield f"{where}, plural", node.plural


def pattern_phrases() -> Iterator[tuple[str, str]]:
    """Yield what words and deeds are by their form, what a time is that nobody can place, and what
    stands where nothing is known."""
    for name in ("kinds", "predicates"):
        for _, said in read_table(name):
            yield from ((f"data/{name}.txt", each) for each in said.split("; "))
    yield from (("time.toml", said) for _, said in vocabulary("time")["unplaced"]["said"])


def problems(phrases: Iterable[tuple[str, str]]) -> list[str]:
    """Return what is wrong with phrases: banned wordings, a wrong article, spaces."""
    found = []
    for where, phrase in phrases:
        first, _, rest = phrase.partition(" ")
        if phrase not in ALLOWED and BANNED.search(phrase):
            found.append(f'{where}: "{phrase}" is worded as nobody writes')
        if first in ("a", "an") and (first == "an") != takes_an(rest):
            found.append(f'{where}: "{phrase}" has the wrong article')
        if phrase != " ".join(phrase.split()):
            found.append(f'{where}: "{phrase}" has spaces too many')
    return found


def tree_problems(tree: KindTree) -> list[str]:
    """Return kinds that say the same as one above them, which makes a rung of no use."""
    found = []
    for kind in tree.values():
        said = [each.worded("noun") for each in tree.path(kind.id)]
        if said[0] and said[0] in said[1:]:
            found.append(f'kind {kind.id}: "{said[0]}" is said of a kind above it, too')
    return found


def count_uses(paths: Sequence[Path]) -> tuple[Counter[str], dict[str, list[str]]]:
    """Return how often each phrase was chosen, and sentences of the originals."""
    uses: Counter[str] = Counter()
    sentences: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        for document in json.loads(path.read_text("utf-8")):
            (layer, *_) = document["annotations"].values()
            for mention in layer["entity_mentions"]:
                chosen = (one for one in mention.get("candidates", ()) if one.get("chosen"))
                said = next(chosen, None)
                if said is None:
                    continue
                phrase = "(a label)" if said["source"] == "label" else said["text"]
                uses[phrase] += 1
                if len(sentences[phrase]) < _SENTENCES:
                    start, end = mention["start_offset"], mention["end_offset"]
                    text = document["text"]
                    around = (text[max(0, start - _AROUND) : start], text[end : end + _AROUND])
                    before, after = (" ".join(part.split()) for part in around)
                    sentences[phrase].append(f"{before} [{text[start:end]}] {after}")
    return uses, sentences


def main(argv: Sequence[str] | None = None) -> int:
    """Check all phrases and, if there are files, list their use."""
    paths = [Path(each) for each in (sys.argv[1:] if argv is None else argv)]
    uses, sentences = count_uses(paths)
    for phrase, count in uses.most_common():
        print(f"{count:6} {phrase}", *sentences[phrase], sep="\n         ")
    found = all_problems()
    print(*found, sep="\n")
    return 1 if found else 0


def all_problems() -> list[str]:
    """Return what is wrong with anything that can be printed."""
    tree = kind_tree()
    written = (*tree_phrases(tree), *ladder_phrases(), *pattern_phrases())
    return [*problems(written), *tree_problems(tree)]


if __name__ == "__main__":
    sys.exit(main())
