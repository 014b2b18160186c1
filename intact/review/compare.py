"""Compare the decisions of two people, and list what an auditor may see of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from intact.domain import Document
from intact.formats.base import to_csv
from intact.review.decisions import REGROUPS, SHOWS, Action, ReviewLine, in_force, text_digest

_COLUMNS = ("when", "who", "what", "document", "type", "places", "phrase", "why", "state")
_FORMULA = "=+-@\t"
"""What begins a formula in a spreadsheet."""

Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Said:
    """A person's wish for a place: a "label", a "phrase", or what is there to be "shown"."""

    kind: str
    phrase: str
    line: ReviewLine

    def same(self, other: Said) -> bool:
        """Return whether another wants the same there."""
        return (self.kind, self.phrase) == (other.kind, other.phrase)


def said(lines: Iterable[ReviewLine], document: Document) -> dict[Place, Said]:
    """Return what is decided about each place of a document as its text is now.

    Args:
        lines: of a file of decisions, in order.
    """
    digest = text_digest(document.text)
    about = (line for line in lines if line.document == document.id and line.digest == digest)
    found = {}
    for line in in_force(about):
        if line.action not in REGROUPS:
            hidden = "phrase" if line.phrase else "label"
            shows = line.action in SHOWS or line.action is Action.CLEAR
            what = Said("shown" if shows else hidden, line.phrase, line)
            found.update(dict.fromkeys(line.spans, what))
    return found


def agreement(pairs: Sequence[tuple[Mapping[Place, Said], Mapping[Place, Said]]]) -> dict[str, Any]:
    """Return how far two people agree, over the places of all documents that both decided on.

    ``kappa`` is Cohen's (1960) of the three kinds of decision; None where it is not defined.

    Args:
        pairs: of each document, what the one and what the other decided.
    """
    both = [(one[place], two[place]) for one, two in pairs for place in one if place in two]
    alone = [sum(place not in b for a, b in pairs for place in a)]
    alone += [sum(place not in a for a, b in pairs for place in b)]
    kinds = Counter((a.kind, b.kind) for a, b in both)
    agreed = sum(count for (a, b), count in kinds.items() if a == b)
    kappa = None
    if both:
        first, second = Counter(a.kind for a, _ in both), Counter(b.kind for _, b in both)
        chance = sum(first[kind] * second[kind] for kind in first) / len(both) ** 2
        if chance < 1:
            kappa = round((agreed / len(both) - chance) / (1 - chance), 2)
    return {
        "both": len(both),
        "same": sum(a.same(b) for a, b in both),
        "same_kind": agreed,
        "kappa": kappa,
        "alone": alone,
    }


def differences(
    one: Mapping[Place, Said], two: Mapping[Place, Said], text: str
) -> list[dict[str, Any]]:
    """Return where two people want something else or only one decided; a pair of decisions once."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for place in sorted({*one, *two}):
        a, b = one.get(place), two.get(place)
        if a is None or b is None or not a.same(b):
            ids = (a.line.id if a else "", b.line.id if b else "")
            row = {"text": text[slice(*place)], "place": list(place), "sides": [shown(a), shown(b)]}
            found.setdefault(ids, row)
    return list(found.values())


def shown(what: Said | None) -> dict[str, str] | None:
    """Return a decision as the page has it."""
    if what is None:
        return None
    line = what.line
    return {
        "kind": what.kind,
        "action": line.action,
        "phrase": what.phrase,
        "by": line.by,
        "at": line.at,
        "why": line.reason,
    }


def audit(
    lines: Sequence[ReviewLine], documents: Sequence[Document], originals: Mapping[str, set[str]]
) -> str:
    """Return every decision as CSV, without originals: when, who, what, why, and what came of it.

    Documents go by the beginning of the SHA-256 of their text.

    Args:
        lines: of the file, in order.
        documents: as they are now.
        originals: what must not be told, by document id.
    """
    rows = []
    undone = {line.undoes for line in lines}
    counts = {line.id for line in in_force(lines)}
    now = {document.id: text_digest(document.text) for document in documents}
    for line in lines:
        state = "taken back" if line.id in undone else "overruled"
        state = "in force" if line.id in counts else state
        if line.id in counts and line.digest != now.get(line.document):
            state = "the text changed"
        originals_of = originals.get(line.document, set()) | set(line.surfaces)
        hidden = _match_originals(originals_of)
        cells = [line.at, line.by, line.action.value, line.digest[:16], line.entity_type]
        cells += [str(len(line.spans) or ""), hidden.sub("[…]", line.phrase)]
        cells += [hidden.sub("[…]", line.reason), "" if line.action is Action.UNDO else state]
        rows.append([f"'{cell}" if cell[:1] in _FORMULA and cell else cell for cell in cells])
    return to_csv(_COLUMNS, rows)


def _match_originals(originals: Iterable[str]) -> re.Pattern[str]:
    """Return where an original, or a capitalised word or a number of one, stands."""
    names = {word for one in originals for word in re.findall(r"\w{3,}|\d+", one)}
    parts = {*originals, *(word for word in names if word[0].isupper() or word[0].isdigit())}
    parts.discard("")
    some = "|".join(re.escape(one) for one in sorted(parts, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{some})(?!\w)" if some else r"(?!)", re.IGNORECASE)
