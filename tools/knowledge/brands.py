"""Names of chains and operators, from the Name Suggestion Index (BSD licence; the npm package
``name-suggestion-index``): what kind of organisation goes by a name that says nothing itself.

Left out are names that are read by their words ("Kent Bank"), that are also words, places or
persons' names, or that organisations of different kinds have.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Set
from contextlib import closing
from pathlib import Path

from intact.detection.names import Use, name_list
from intact.english.words import is_english, key, key_words
from intact.knowledge import Rule
from intact.knowledge.base import KnowledgeBase
from intact.knowledge.ladders import HeadName

KINDS = Path(__file__).with_name("brand_kinds.txt")
FILE = Path(__file__).with_name("brands.txt")
BODIES = Path(__file__).with_name("bodies.txt")  # by editors, with the country where one has them
_SHORTEST = 3
_COMPANIES = frozenset({"bank", "company", "law-firm"})  # with all that ends in "-company"


def write_brands(index: Path, target: Path) -> None:
    """Write the file of names by their kinds.

    Args:
        index: ``dist/json/nsi.json`` of the package.
    """
    told = json.loads(index.read_text("utf-8"))
    kinds: dict[str, set[str]] = defaultdict(set)
    for name, kind in _read_names(told["nsi"]):
        kinds[key(name)].add(kind)
    made: dict[str, list[str]] = defaultdict(list)
    ours = {name.text for name in read_brands(target)} if target.is_file() else frozenset[str]()
    with closing(KnowledgeBase.open()) as base:
        for name, found in sorted(kinds.items()):
            several = all(kind in _COMPANIES or kind.endswith("-company") for kind in found)
            kind = next(iter(found)) if len(found) == 1 else "company" if several else ""
            if kind and not _is_taken(base, name, ours):
                made[kind].append(name)
    version = told["_meta"]["version"]
    lines = [f"# Names of chains and operators: name-suggestion-index {version} (BSD-3-Clause)."]
    for kind, names in sorted(made.items()):
        lines += [f"[{kind}]", *names]
    target.write_text("\n".join(lines) + "\n", "utf-8")


def read_brands(path: Path) -> Iterator[HeadName]:
    """Yield the names of a file, each with its head and country: "[hospital GB]", "[bank]"."""
    kind = country = ""
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("["):
            kind, _, country = line.strip("[]").partition(" ")
        elif not line.startswith("#"):
            yield HeadName(line, f"org/{kind}", country, True, False)


def _read_names(
    paths: dict[str, dict[str, list[dict[str, dict[str, str]]]]],
) -> Iterator[tuple[str, str]]:
    """Yield each name with the kind of an organisation that has it."""
    rules = [
        (re.compile(path), kind)
        for line in KINDS.read_text("utf-8").splitlines()
        if not line.startswith("#")
        for path, _, kind in [line.rpartition(" = ")]
    ]
    for path, found in sorted(paths.items()):
        kind = next((kind for rule, kind in rules if rule.fullmatch(path)), "")
        for item in found.get("items", ()) if kind else ():
            tags = item["tags"]
            named = {
                tags.get(tag, "") for tag in ("name", "name:en", "brand", "brand:en", "operator")
            }
            acronym = kind == "energy-company"
            for name in sorted(named - {""}):
                if name[0].isupper() and not (acronym and name.isupper()):
                    yield name, kind


def _is_taken(base: KnowledgeBase, name: str, ours: Set[str]) -> bool:
    """Return whether a name means something else, too, is read by its words, or stands in a ladder:
    is known and not among ``ours``."""
    words, listed = key_words(name), name_list()
    if len(name) < _SHORTEST or not name.isascii() or not words or not words[0][0].isalpha():
        return True
    persons = all(listed.use(w) is not Use.NEVER for w in words)
    common = len(words) == 1 and (is_english(name) or is_english(name.rstrip("s")))
    shown = name.title()
    body = base.link(shown, "ORG", {})
    known = body is not None and (body.rule is not Rule.EXACT or name not in ours)
    place = base.link(shown, "LOC", {})
    town = place is not None and place.concept.startswith("geo/")
    return persons or common or town or known
