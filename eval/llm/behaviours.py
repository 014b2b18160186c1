"""Measure what is read of answers written in many ways: behaviours x questions.

    python eval/llm/behaviours.py

One row a behaviour, one column a question (plan, stranger, revise, reader); each cell
says how many of the places that were answered are read, with all their phrases.
``tests/unit/models/test_reading.py`` holds every cell.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from intact.models.reading import by_number, read_rows

Rows = Mapping[int, tuple[str, ...]]

KINDS: dict[str, Rows] = {
    "plan": {
        1: ("a port city in the Netherlands", "a port city", "a city abroad"),
        2: ("a nurse on nights", "a health worker"),
        12: ("<on> a day in the spring (needs 2)", "<on> some day that year"),
        118: ("rules",),
    },
    "stranger": {
        1: ("Rotterdam", "The Hague", "Antwerp // port, Low Countries"),
        2: ("midwife", "St. John's matron // the ward"),
        12: ("3 September 1981 // term",),
    },
    "revise": {2: ("somebody in health care", "an employee"), 12: ("<on> some time later",)},
    "reader": {1: ("yes", "yes", "yes", "no"), 2: ("no", "yes", "no", "yes")},
}
_REFUSAL = "I'm sorry, but I can't help with identifying people or with confidential documents."


@dataclass(frozen=True, slots=True)
class Behaviour:
    """A way to answer.

    Attributes:
        write: the rows -> the answer.
        read: which of the rows must be read: "all", "none", "first" or "but last".
    """

    name: str
    write: Callable[[Rows], str]
    read: str = "all"


def _lines(rows: Rows, form: str = "{0} | {1}", bar: str = " | ") -> str:
    return "\n".join(form.format(number, bar.join(cells)) for number, cells in rows.items())


def _first(rows: Rows) -> Rows:
    return dict(list(rows.items())[:1])


def _cut_json(rows: Rows) -> str:
    """Return lines in JSON that end in the middle."""
    return json.dumps({"lines": _lines(rows).split("\n")})[:-9]


BEHAVIOURS = (
    Behaviour("plain lines", _lines),
    Behaviour("announced", lambda r: f"Here are the lines:\n\n{_lines(r)}"),
    Behaviour("remarks around", lambda r: f"Sure! Here you go:\n\n{_lines(r)}\n\nHope this helps!"),
    Behaviour("blank lines between", lambda r: _lines(r).replace("\n", "\n\n")),
    Behaviour("line ends of another system", lambda r: _lines(r).replace("\n", "\r\n")),
    Behaviour("no blanks", lambda r: _lines(r, "{0}|{1}", "|")),
    Behaviour("a colon", lambda r: _lines(r, "{0}: {1}")),
    Behaviour("thoughts before", lambda r: f"<think>\nMany.\n1 | x\n</think>\n\n{_lines(r)}"),
    Behaviour("empty thoughts", lambda r: f"<think>\n\n</think>\n\n{_lines(r)}"),
    Behaviour("thoughts, opened by the template", lambda r: f"1 | x\n</think>\n{_lines(r)}"),
    Behaviour("thoughts, cut", lambda r: "<think>\nThe user wants lines:\n1 | x", "none"),
    Behaviour(
        "channels",
        lambda r: f"<|channel|>analysis<|message|>A list.<|channel|>final<|message|>{_lines(r)}",
    ),
    Behaviour("bullets", lambda r: _lines(r, "- {0} | {1}")),
    Behaviour("marks", lambda r: _lines(r, "⟦{0}⟧ | {1}")),
    Behaviour("brackets", lambda r: _lines(r, "[{0}] | {1}")),
    Behaviour("marks of one thing", lambda r: _lines(r, "{0}=1 | {1}")),
    Behaviour("bold", lambda r: _lines(r, "**{0}** | {1}")),
    Behaviour("quotation marks", lambda r: _lines(r, '{0} | "{1}"', '" | "')),
    Behaviour("code fence", lambda r: f"```text\n{_lines(r)}\n```"),
    Behaviour(
        "table",
        lambda r: "| place | phrases |\n|---|---|\n" + _lines(r, "| {0} | {1} |"),
    ),
    Behaviour("JSON, lines", lambda r: json.dumps({"lines": _lines(r).split("\n")})),
    Behaviour("JSON, a key a place", lambda r: json.dumps({str(n): [*c] for n, c in r.items()})),
    Behaviour(
        "JSON, objects, fenced",
        lambda r: (
            "```json\n"
            + json.dumps([{"place": n, "phrases": [*c]} for n, c in r.items()], indent=1)
            + "\n```"
        ),
    ),
    Behaviour("out of order", lambda r: "\n".join(reversed(_lines(r).split("\n")))),
    Behaviour("doubled, the last counts", lambda r: _lines(r, "{0} | another") + "\n" + _lines(r)),
    Behaviour("places nobody asked about", lambda r: f"{_lines(r)}\n77 | a town\n4096 | a court"),
    Behaviour("fewer", lambda r: _lines(_first(r)), "first"),
    Behaviour("cut in a number", lambda r: f"{_lines(_first(r))}\n1", "first"),
    Behaviour("JSON, cut", _cut_json, "but last"),
    Behaviour("clues behind", lambda r: f"{_lines(r)}\nalso | squad boss | the leader"),
    Behaviour("refusal", lambda r: _REFUSAL, "none"),
    Behaviour("the document back", lambda r: "She moved to ⟦1|LOC|Rotterdam⟧ in 1981.", "none"),
    Behaviour("orders of the document", lambda r: "Names: Ada Lovelace, Mary Shelley", "none"),
    Behaviour("another language", lambda r: "Voici une réponse sans lignes.", "none"),
    Behaviour("sound", lambda r: "none", "none"),
    Behaviour("empty", lambda r: "", "none"),
    Behaviour("a loop", lambda r: "the words go on and on " * 40, "none"),
    Behaviour("a loop in a line", lambda r: "1 | " + "on and on " * 400, "none"),
)


def rows_read(kind: str, behaviour: Behaviour) -> dict[int, tuple[str, ...]]:
    """Return the cells that are read of an answer, by the number of the place.

    Args:
        kind: of question, a key of ``KINDS``.
        behaviour: how it is answered.
    """
    rows = KINDS[kind]
    found = by_number(read_rows(behaviour.write(rows)), frozenset(rows))
    return {number: cells for number, cells in found.items() if cells}


def rows_due(kind: str, behaviour: Behaviour) -> Rows:
    """Return the rows that must be read of an answer.

    Args:
        kind: of question, a key of ``KINDS``.
        behaviour: how it is answered.
    """
    rows = KINDS[kind]
    return {
        "all": rows,
        "first": _first(rows),
        "but last": dict(list(rows.items())[:-1]),
        "none": {},
    }[behaviour.read]


def main() -> None:
    """Print the table."""
    print(f"{'behaviour':<34}" + "".join(f"{kind:>12}" for kind in KINDS))
    for behaviour in BEHAVIOURS:
        cells = []
        for kind, rows in KINDS.items():
            found, due = rows_read(kind, behaviour), rows_due(kind, behaviour)
            cells.append(f"{len(found)}/{len(rows)}" + ("" if found == due else " (!)"))
        print(f"{behaviour.name:<34}" + "".join(f"{cell:>12}" for cell in cells))


if __name__ == "__main__":
    main()
