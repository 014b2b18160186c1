"""Read the lines of an answer: a number or a word, and cells separated by bars.

Models wrap their lines in thoughts, fences, bullets, tables or JSON, repeat them, and stop in the
middle. Whatever is a line is read; of repeated ones the last counts; everything else is ignored.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain, pairwise, repeat
from typing import Any, TypeVar

from intact.domain import Span
from intact.english.vocabulary import read_patterns, vocabulary
from intact.protocols import CompletionRequest, LanguageModel, another_try

# Patterns of the lines of answers, and of what models write around them.
_FORMS = read_patterns("answers")
_QUOTED = {'"': '"', "“": "”", "‘": "’", "'": "'", "`": "`", "«": "»"}
LONGEST = 300  # the most characters of a cell; longer ones are left out


Read = TypeVar("Read")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of an answer: a place's number or "also", and its cells without quotation marks."""

    key: str
    cells: tuple[str, ...]


def read_rows(answer: str) -> list[Row]:
    """Return the lines of a model's answer, plain or JSON, in order: of "7 | a nurse | a worker"
    the key "7" and the cells "a nurse" and "a worker". Thoughts, lines of another form, cells that
    are empty or longer than 300 characters, and lines without cells are left out; [] if nothing is
    left."""
    text = _FORMS["thought"].sub("", answer).replace("**", "").replace("\r", "")
    rows = list(_from_json(text))
    for line in () if rows else text.split("\n"):
        rows += _rows_of(line)
    return [row for row in rows if row.cells]


def by_number(rows: Iterable[Row], known: Set[int]) -> dict[int, tuple[str, ...]]:
    """Return the cells of rows about known places, by the number of the place. The last row about a
    place counts; places without a row are absent.

    Args:
        rows: of one answer.
        known: numbers of the places that were asked about.
    """
    numbered = ((int(row.key), row.cells) for row in rows if row.key.isdecimal())
    return {number: cells for number, cells in numbered if number in known}


def ask_twice(
    model: LanguageModel,
    places: Mapping[int, int],
    parts: Iterable[tuple[Span, int]],
    request: Callable[[Span, Sequence[int]], CompletionRequest],
    read: Callable[[Sequence[str]], Read | None],
) -> dict[int, Read]:
    """Ask a model about places, and once more (``another_try``) about those whose answers could not
    be read. Return what ``read`` made of the last line about each place in an answer, by the
    place's number. Places without a readable answer, or in no part, are absent.

    Args:
        model: gets all requests of a turn in one call.
        places: the number of each place -> the offset where it begins.
        parts: parts of the text, each with the most places of it that one request may ask about.
        request: makes the question about some places of a part.
        read: reads the cells of a line; None if it cannot.
    """
    found: dict[int, Read] = {}
    for again in (False, True):
        asked: list[tuple[list[int], CompletionRequest]] = []
        for part, size in parts:
            inside = (number for number, at in places.items() if part.start <= at < part.end)
            due = sorted(number for number in inside if number not in found)
            for some in (due[at : at + size] for at in range(0, len(due), size)):
                question = request(part, some)
                asked.append((some, another_try(question) if again else question))
        answers = model.complete([question for _, question in asked]) if asked else ()
        for (some, _), answer in zip(asked, answers, strict=True):
            for number, cells in by_number(read_rows(answer.text), frozenset(some)).items():
                if (said := read(cells)) is not None:
                    found[number] = said
    return found


def _row(key: str, cells: Iterable[Any]) -> Row:
    """Make a row of a number or word, in lower case, and of cells: without line breaks and
    quotation marks, and without cells that are empty or longer than 300 characters."""
    kept = (unquote(" ".join(str(cell).split())) for cell in cells)
    return Row(key.lower(), tuple(cell for cell in kept if cell and len(cell) <= LONGEST))


def unquote(text: str) -> str:
    """Return a text without blanks and pairs of quotation marks around the whole of it; two marks
    with nothing between them stay."""
    text = text.strip()
    while len(text) > 2 and _QUOTED.get(text[0]) == text[-1] and text[0] not in text[1:-1]:
        text = text[1:-1].strip()
    return text


def json_schema(request: CompletionRequest) -> dict[str, Any]:
    """Return the JSON schema of an answer with a line for each place of a request, and with further
    lines unless it wants none: {"7": "... | ...", "also": ["... | ..."]}."""
    lines: dict[str, Any] = {str(number): {"type": "string"} for number in request.places}
    if not request.only:
        lines["also"] = {"type": "array", "items": {"type": "string"}}
    closed = {"required": [*lines], "additionalProperties": False}
    return {"type": "object", "properties": lines, **closed}


# The text that is added to a question whose answer has to be JSON.
JSON_REMARK: str = vocabulary("texts")["json_remark"]


def shape(answer: str) -> str:
    """Describe, for messages, an answer that could not be read, without its words: "3 lines, a
    think block"."""
    lines = [line for line in answer.splitlines() if line.strip()]
    signs = {
        "empty": not lines,
        "a think block": _FORMS["thought"].search(answer),
        "JSON": answer.lstrip()[:1] in ("[", "{"),
        "a code fence": "```" in answer,
        "begins like a remark or a refusal": lines and _FORMS["remark"].match(lines[0].strip()),
    }
    return ", ".join([f"{len(lines)} lines", *(sign for sign, there in signs.items() if there)])


def _from_json(text: str) -> Iterator[Row]:
    """Yield the rows of an answer in JSON: as ``json_schema`` describes it, or {"lines": ["7 |
    ..."]}, {"7": ["..."]} or [{"place": 7, "phrases": [...]}]. Nothing if it is no JSON; of JSON
    that is cut off, the rows that are complete."""
    begin = re.search(r"[\[{]", text)
    if begin is None or _FORMS["row"].match(text.lstrip().split("\n")[0]):
        return
    try:
        raw, _ = json.JSONDecoder().raw_decode(text[begin.start() :])
    except ValueError:  # cut: the strings that are whole
        said = [json.loads(one) for one in _FORMS["string"].findall(text)]
        raw = [*said, *({name: value} for name, value in pairwise(said))]
    yield from _rows_of(raw)


def _rows_of(raw: Any, name: str = "") -> Iterator[Row]:
    """Yield the rows of a line ("7 | a nurse") or of a value read from JSON, in order. Values
    without a name of their own, such as the fields of an object, are searched for rows; text that
    is no line of an answer gives none.

    Args:
        raw: the line or value; {"place": 7, "phrases": [...]} is one row.
        name: of the field that holds it. That of a number or "also" is the key of its row.
    """
    named = _FORMS["key"].fullmatch(name)
    if named and isinstance(raw, str):
        yield _row(name, raw.split("|"))
    elif named and isinstance(raw, list):
        lines = name == "also" and "|" in "".join(map(str, raw))
        cells = (str(cell).split("|") for cell in raw) if lines else [raw]
        yield from map(_row, repeat(name), cells)
    elif isinstance(raw, str) and (match := _FORMS["row"].fullmatch(" ".join(raw.split()))):
        yield _row(match["key"], match["cells"].split("|"))
    elif isinstance(raw, list):
        yield from chain.from_iterable(map(_rows_of, raw))
    elif isinstance(raw, dict):
        yield from _rows_of_object(raw)


def _rows_of_object(raw: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the rows of an object read from JSON: one if its values are a key and cells (a number
    and a list, say), else those of its fields."""
    flat = [each for one in raw.values() for each in (one if isinstance(one, list) else [one])]
    first, *rest = [str(each) for each in flat if isinstance(each, str | int)] or [""]
    is_key = _FORMS["key"].fullmatch
    if rest and is_key(first) and not any(map(is_key, raw)):
        yield _row(first, rest)
    else:
        yield from chain.from_iterable(map(_rows_of, raw.values(), raw))
