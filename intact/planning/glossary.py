"""A user's own facts: the phrase for a name, from a file, before all other candidates.

The file is CSV in UTF-8 with the columns ``surface``, ``phrase`` and, if wanted, ``kind`` (an
entity type, by any of its names). If a phrase is guessed, candidates that say no more follow.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from intact.discourse.things import thing_key
from intact.domain import (
    ENTITY_TYPES,
    LABEL_ONLY,
    REFUSED,
    Candidate,
    Entity,
    EntityType,
    Ladder,
    Mention,
    Source,
    Span,
    type_named,
)
from intact.english.reading import ReadDocument
from intact.errors import ConfigError, reading
from intact.formats.base import to_csv
from intact.planning.ladder import Aliases, CandidateChecks, DocumentChecks, narrower
from intact.protocols import Generator

_COLUMNS = ("surface", "phrase", "kind")
_PROBLEMS = {"empty": "the phrase says nothing", "long": "the phrase has too many words"}
_FINE = ("", *_PROBLEMS)
_NAMES_IT = "the phrase names what it has to hide, or what another row hides"


@dataclass(frozen=True, slots=True)
class Fact:
    """A row of a glossary; ``kind`` is an entity type, or "" for any."""

    surface: str
    phrase: str
    kind: str
    line: int


def read_glossary(path: Path, aliases: Aliases | None = None) -> tuple[Fact, ...]:
    """Read the facts of a CSV file, checked.

    Args:
        path: of the file.
        aliases: other names of what a text names, which a phrase must not hold either.

    Raises:
        ConfigError: if the file cannot be read, or a phrase names what it or another row hides; it
            names the line, never its text.
    """
    return checked_facts(path, tuple(_facts(path)), aliases)


def checked_facts(
    path: Path, facts: tuple[Fact, ...], aliases: Aliases | None = None
) -> tuple[Fact, ...]:
    """Check that facts may stand together: none names what it or another hides.

    Args:
        path: of their file, for messages.
        facts: of all lines.
        aliases: other names of what a text names, which a phrase must not hold either.

    Raises:
        ConfigError: for the first that may not, with its line.
    """
    owners = []
    for at, fact in enumerate(facts):
        span, kind = Span(0, len(fact.surface)), fact.kind or EntityType.MISC
        owners.append(Entity(str(at), (Mention(str(at), span, fact.surface, str(at), kind),)))
    checks = DocumentChecks(owners, aliases)
    seen: dict[tuple[str, str], Fact] = {}
    for fact, owner in zip(facts, owners, strict=True):
        if problem := checks.problem(fact.phrase, owner):
            words = enumerate(fact.phrase.split(), 1)
            wrong = [f"word {n} of " for n, w in words if checks.problem(w, owner) not in _FINE]
            raise _wrong(_PROBLEMS.get(problem, "".join(wrong[:1]) + _NAMES_IT), path, fact.line)
        same = seen.setdefault((fact.kind, thing_key(fact.surface, fact.kind)), fact)
        if same.phrase != fact.phrase:
            problem = f"line {same.line} says something else of this surface; take one of them back"
            raise _wrong(problem, path, fact.line)
    return facts


def glossary_text(facts: Iterable[Fact]) -> str:
    """Write facts as the file has them."""
    return to_csv(_COLUMNS, ((fact.surface, fact.phrase, fact.kind) for fact in facts))


def _facts(path: Path) -> Iterator[Fact]:
    try:
        with reading(path, ConfigError), path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.reader(file, strict=True)
            header = [name.strip().lower() for name in next(rows, [])]
            if not {"surface", "phrase"} <= set(header) <= set(_COLUMNS):
                raise _wrong(f"the first line must be {','.join(_COLUMNS)} with commas", path, 1)
            for row in rows:
                if any(cell.strip() for cell in row):
                    yield _fact(dict(zip(header, row, strict=False)), path, rows.line_num)
    except (UnicodeDecodeError, csv.Error):
        raise ConfigError("is no CSV in UTF-8", where=str(path)) from None


def _fact(cells: Mapping[str, str], path: Path, line: int) -> Fact:
    surface, phrase = (" ".join(cells.get(name, "").split()) for name in ("surface", "phrase"))
    kind = type_named(cells.get("kind", ""))
    if not surface or not phrase:
        raise _wrong("surface or phrase is missing", path, line)
    if kind in LABEL_ONLY:
        raise _wrong("only a label may stand for this kind; intact review can keep it", path, line)
    if kind and kind not in ENTITY_TYPES:
        raise _wrong(f"there is no such kind; there are {', '.join(ENTITY_TYPES)}", path, line)
    return Fact(surface, phrase, kind, line)


def _wrong(problem: str, path: Path, line: int) -> ConfigError:
    return ConfigError(problem, where=f"{path}, line {line}")


class GlossaryGenerator:
    """Puts a user's own facts before what another generator proposes."""

    name: str = Source.GLOSSARY

    def __init__(self, facts: Sequence[Fact], others: Generator, checks: CandidateChecks) -> None:
        self._facts = facts
        self._others = others
        self._checks = checks

    def generate(self, read: ReadDocument, entities: Sequence[Entity]) -> Mapping[str, Ladder]:
        """Propose for each entity the user's own phrase, then what another generator proposes that
        says no more. A phrase that names what another masked span of the document hides has
        the evidence ``REFUSED``, and so cannot stand.

        Args:
            read: the document with all that is hidden.
            entities: those to propose for; of these, ones that may only be labelled are passed on.
        """
        ladders = dict(self._others.generate(read, entities))
        checks = self._checks.of(read.document)
        for entity in entities:
            kind = entity.entity_type
            named = {thing_key(surface, kind) for surface in entity.surfaces}
            fitting = (fact for fact in self._facts if fact.kind in ("", kind))
            fact = next((fact for fact in fitting if thing_key(fact.surface, kind) in named), None)
            if fact is None or not entity.generalisable:
                continue
            refused = REFUSED if checks.problem(fact.phrase, entity) else None
            own = Candidate(fact.phrase, 0, Source.GLOSSARY, evidence=refused)
            rest = (rung for rung in ladders.get(entity.id, ()) if not narrower(rung, own))
            ranked = (replace(rung, rank=rank) for rank, rung in enumerate(rest, start=1))
            ladders[entity.id] = (own, *ranked)
        return ladders
