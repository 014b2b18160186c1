"""How models write answers, and what is read of them: 30 behaviours x (candidates, judge, attack).

    python eval/llm/behaviours.py

One row a behaviour; how many of the five candidates, the one verdict and the five guesses are read.
``tests/unit/models/test_behaviours.py`` holds every cell.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from intact.english.guesses import names_nothing
from intact.models.questions import read
from intact.protocols import CompletionRequest

CANDIDATES = (
    "a port city in the Netherlands",
    "a large city in the Low Countries",
    "a city in Western Europe",
    "a city in Europe",
    "a place abroad",
)
GUESSES = ("Rotterdam", "The Hague", "Antwerp", "St. John's", "3 September 1981")
KINDS = {"candidates": CANDIDATES, "judge": ("yes",), "attack": GUESSES}
REQUESTS = {
    "candidates": CompletionRequest("", "", lines=5),
    "judge": CompletionRequest("", "", lines=1, choices=("yes", "no")),
    "attack": CompletionRequest("", "", lines=5),
}
_REFUSAL = "I'm sorry, but I can't help with identifying people or with confidential documents."


@dataclass(frozen=True, slots=True)
class Behaviour:
    """A way to answer.

    Attributes:
        write: the items -> the answer.
        read: how many of the items must be read: candidates, judge, attack; a verdict that is not
            read counts as no, a guess that is not read never as safe.
    """

    name: str
    write: Callable[[Sequence[str]], str]
    read: tuple[int, int, int] = (5, 1, 5)


def _rows(items: Sequence[str], form: str = "{}") -> str:
    return "\n".join(form.format(item, number) for number, item in enumerate(items, 1))


def _nothing(items: Sequence[str]) -> str:
    says = ["Unknown", "Not specified", "Cannot be determined", "No information", "N/A"]
    return _rows(says[: len(items)])


BEHAVIOURS = (
    Behaviour("plain lines", _rows),
    Behaviour("announced", lambda i: f"Here are {len(i)} guesses:\n{_rows(i)}"),
    Behaviour("remarks around", lambda i: f"Sure! Here you go:\n\n{_rows(i)}\n\nHope this helps!"),
    Behaviour("note at the end", lambda i: f"{_rows(i)}\n\nNote: this is a guess, nothing more."),
    Behaviour("thoughts before", lambda i: f"<think>\nA list.\n1. x\n</think>\n\n{_rows(i)}"),
    Behaviour("empty thoughts", lambda i: f"<think>\n\n</think>\n\n{_rows(i)}"),
    Behaviour("thoughts, opened by the template", lambda i: f"Wants a list.\n</think>\n{_rows(i)}"),
    Behaviour("thoughts, cut", lambda i: "<think>\nThe user wants a list of", (0, 0, 0)),
    Behaviour(
        "channels",
        lambda i: f"<|channel|>analysis<|message|>A list.<|channel|>final<|message|>{_rows(i)}",
    ),
    Behaviour("numbers", lambda i: _rows(i, "{1}. {0}")),
    Behaviour("numbers, all 1", lambda i: _rows(i, "1. {0}")),
    Behaviour("numbers from 0", lambda i: "\n".join(f"{n}) {x}" for n, x in enumerate(i))),
    Behaviour(
        "numbers, backwards",
        lambda i: "\n".join(f"{len(i) - n}. {x}" for n, x in enumerate(i)),
    ),
    Behaviour("numbered by name", lambda i: _rows(i, "Guess {1}: {0}")),
    Behaviour("bullets", lambda i: _rows(i, "* {0}")),
    Behaviour("bold", lambda i: _rows(i, "**{0}**")),
    Behaviour("bold bullets, numbered", lambda i: _rows(i, "- **{1}.** {0}")),
    Behaviour("quotation marks", lambda i: _rows(i, '"{0}"')),
    Behaviour("code fence", lambda i: f"```text\n{_rows(i)}\n```"),
    Behaviour("JSON array", lambda i: json.dumps(list(i))),
    Behaviour("JSON object, fenced", lambda i: f"```json\n{json.dumps({'answers': [*i]})}\n```"),
    Behaviour("JSON, one key a line", lambda i: json.dumps({str(n): x for n, x in enumerate(i)})),
    Behaviour(
        "JSON objects",
        lambda i: json.dumps([{"rank": n, "guess": x} for n, x in enumerate(i)], indent=1),
    ),
    Behaviour("JSON, cut", lambda i: json.dumps(list(i))[:-1] + ', "and'),
    Behaviour("Python list", lambda i: str([x.replace("'", "’") for x in i])),
    Behaviour("one line, commas", lambda i: f"Answer: {', '.join(i)}."),
    Behaviour(
        "table", lambda i: "| n | answer |\n|---|---|\n" + _rows(i, "| {1} | {0} |"), (5, 1, 5)
    ),
    Behaviour("fewer", lambda i: _rows(i[: 1 + len(i) // 2]), (3, 1, 3)),
    Behaviour("more", lambda i: _rows([*i, "a thing", "something", "a matter"])),
    Behaviour("with explanations below", lambda i: _rows(i, "{1}. {0}\n   - because of the text")),
    Behaviour("refusal", lambda i: _REFUSAL, (0, 0, 0)),
    Behaviour("refusal, a line each", lambda i: f"Sorry, but\n{_REFUSAL}\nPlease ask", (0, 0, 0)),
    Behaviour("names nothing", _nothing, (0, 0, 0)),
    Behaviour("empty", lambda i: "", (0, 0, 0)),
    Behaviour("a loop", lambda i: "the words go on and on " * 40, (0, 0, 0)),
)
VERDICTS = {
    "Yes.": "yes",
    "**Yes**": "yes",
    "Answer: yes": "yes",
    '"Yes"': "yes",
    "True": "yes",
    "yes, because a port is a city": "yes",
    "The answer is: **no**": "no",
    "No. It is a county.": "no",
    "false": "no",
    "It is not true": "",
    "yes or no": "yes",
    "That depends.": "",
    "It would be correct to say yes here": "yes",
}
"""Verdicts in words, and how they are read; "" counts as no."""


def items_read(kind: str, behaviour: Behaviour) -> tuple[str, ...]:
    """What is read of an answer, and names something.

    Args:
        kind: of answer, a key of ``KINDS``.
        behaviour: how it is written.
    """
    items = read(behaviour.write(KINDS[kind]), REQUESTS[kind]).get("", ())
    return items if kind == "judge" else tuple(x for x in items if not names_nothing(x, "MISC"))


def main() -> None:
    """Print the table."""
    print(f"{'behaviour':<34}" + "".join(f"{kind:>12}" for kind in KINDS))
    for behaviour in BEHAVIOURS:
        cells = []
        for kind, must in zip(KINDS, behaviour.read, strict=True):
            found = len(items_read(kind, behaviour))
            cells.append(f"{found}/{len(KINDS[kind])}" + ("" if found == must else f" (!{must})"))
        print(f"{behaviour.name:<34}" + "".join(f"{cell:>12}" for cell in cells))


if __name__ == "__main__":
    main()
