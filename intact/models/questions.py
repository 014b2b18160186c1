"""Answers of a language model in lines, read by the shape that was asked for.

Models wrap lists in thoughts, remarks, fences, numbers and JSON; all of that is taken off, and
what is then no list, or none of the choices, is not read at all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from intact.english.vocabulary import vocabulary
from intact.protocols import CompletionRequest

if TYPE_CHECKING:
    pass

_REMARKS = vocabulary("answers")["remarks"]
_CHATTER = re.compile(rf"(?:{_REMARKS['begin']})", re.IGNORECASE)
_SAME = {word: key for key, all_ in _REMARKS["same"].items() for word in (key, *all_)}
_DENIED = re.compile(rf"\b(?:{_REMARKS['denied']})\b")
_THOUGHT = re.compile(
    r"<(think(?:ing)?|reason(?:ing)?|analysis)>.*?(?:</\1>|\Z)"
    r"|\A.*</think(?:ing)?>"  # opened by the chat template
    r"|\A.*<\|channel\|>final(?:<\|message\|>)?"
    r"|<\|[a-z_]+\|>",
    re.DOTALL | re.IGNORECASE,
)
_BULLET = re.compile(r"[-*•–—·+]\s+(?=\S)|[-*•–—·](?=[^\W\d_])")
_NUMBER = re.compile(r"(?:#|[^\W\d_]+ )?\(?(\d{1,2})[.):]\s+(?=\S)")
_LETTER = re.compile(r"\(?([a-z])[.)]\s+(?=\S)", re.IGNORECASE)
_MARK = re.compile(r"\W*\[(\w+)\]\W*")
_STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"(?!\s*:)')
_NAMED = ("answer", "guess", "text", "phrase", "replacement", "candidate", "value", "name")
_LONGEST, _MOST_WORDS = 120, 14
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "«": "»", "`": "`", "„": "“", "*": "*"}
_QUOTES |= {"_": "_"}
_ONLY = "answers"  # the key of an answer of one part


def read(answer: str, request: CompletionRequest) -> dict[str, tuple[str, ...]]:
    """What an answer holds of what was asked for.

    Args:
        answer: what the model wrote.
        request: what it was asked.

    Returns:
        The lines of each part, unquoted, at most as many as asked for; "" is the name of the
        only part. A part of which nothing can be read is left out.
    """
    text = _THOUGHT.sub("", answer).replace("**", "").replace("\r", "").strip()
    parts = request.parts or ("",)
    found = _from_json(text, parts)
    if found is None:
        found = _parts(text, request) if request.parts else {"": _lines(text, request)}
    kept = {}
    for part, items in found.items():
        if request.choices:
            fit = [choice for item in items if (choice := choose(item, request.choices))]
        else:
            fit = [item for item in map(unquote, items) if item and len(item) <= _LONGEST]
        if fit:
            kept[part] = tuple(fit[: request.lines or None])
    return kept


def unquote(text: str) -> str:
    """``text`` without quotation marks or emphasis around the whole of it."""
    text = text.strip()
    while len(text) > 1 and _QUOTES.get(text[0]) == text[-1]:
        inner = text[1:-1].strip()
        if not inner or text[0] in inner or text[-1] in inner:
            stripped = text.strip("*_`").strip()
            if stripped == text or not stripped:
                break
            inner = stripped
        text = inner
    return text


def choose(text: str, choices: Sequence[str]) -> str:
    """The one of ``choices`` that an answer names, "" if it names none or more than one.

    Args:
        text: one line of an answer: "Yes", "**Answer: yes**", "yes, because ...".
        choices: those offered.
    """
    said = _words(text)
    known = {_words(choice): choice for choice in choices}
    for key in sorted(known, key=len, reverse=True):
        if f"{said} ".startswith(f"{key} "):
            return known[key]
    first = _SAME.get(said.partition(" ")[0], "")
    for key, choice in known.items():
        if first and _SAME.get(key) == first:
            return choice
    named = [key for key in known if f" {key} " in f" {said} "]
    named = [key for key in named if not any(key in longer for longer in set(named) - {key})]
    return known[named[0]] if len(named) == 1 and not _DENIED.search(said) else ""


def json_schema(request: CompletionRequest) -> dict[str, Any]:
    """The shape of an answer as a JSON schema: an object with a key for each part."""
    item: dict[str, Any] = {"type": "string"}
    if request.choices:
        item["enum"] = list(request.choices)
    if request.lines > 1:
        item = {
            "type": "array",
            "items": item,
            "minItems": request.lines,
            "maxItems": request.lines,
        }
    parts = request.parts or (_ONLY,)
    return {
        "type": "object",
        "properties": dict.fromkeys(parts, item),
        "required": list(parts),
        "additionalProperties": False,
    }


def json_remark(request: CompletionRequest) -> str:
    """What is added to a question whose answer has to be JSON."""
    shown: Any = "..." if request.lines == 1 else ["...", "..."]
    example = json.dumps(dict.fromkeys(request.parts or (_ONLY,), shown))
    return f"\n{_REMARKS['json'].format(example=example)}\n"


def lines_of(answer: str, request: CompletionRequest) -> str | None:
    """An answer in JSON as plain lines; None if it is not one.

    Args:
        answer: JSON by :func:`json_schema`.
        request: what was asked.
    """
    try:
        raw = json.loads(answer)
        values = [raw[part] for part in request.parts or (_ONLY,)]
    except (ValueError, TypeError, LookupError):
        return None
    several = [[value] if isinstance(value, str) else value for value in values]
    if not all(isinstance(v, list) and all(isinstance(i, str) for i in v) for v in several):
        return None
    rows = []
    for part, items in zip(request.parts or ("",), several, strict=True):
        alone = part and request.lines == 1
        rows += [f"[{part}]"] if part and not alone else []
        rows += [(f"{part}: " if alone else "") + " ".join(item.split()) for item in items]
    return "\n".join(rows)


def shape(answer: str) -> str:
    """What an answer looks like, without any of its words: for messages.

    "3 lines of 12, 40 and 7 words, a think block, ends in mid-sentence".
    """
    lines = [line for line in answer.splitlines() if line.strip()]
    if not lines:
        return "empty"
    counts = [str(len(line.split())) for line in lines[:6]]
    words = " and ".join([", ".join(counts[:-1]), counts[-1]][len(counts) < 2 :])
    signs = {
        "a think block": _THOUGHT.search(answer),
        "JSON": answer.lstrip()[:1] in "[{",
        "a code fence": "```" in answer,
        "bullets": _BULLET.match(lines[0].strip()),
        "numbers": _NUMBER.match(lines[-1].strip()),
        "begins like a remark or a refusal": _CHATTER.match(lines[0].strip()),
    }
    said = "".join(f", {sign}" for sign, there in signs.items() if there)
    return f"{len(lines)} lines of {words} words{said}"


# -- JSON -------------------------------------------------------------------------------------


def _from_json(text: str, parts: Sequence[str]) -> dict[str, list[str]] | None:
    """The strings of the first JSON value in a text, by part; None where there is no JSON."""
    at = re.search(r"\A(?:[^\[{]*[:\n])?\s*(?:```\w*\s*)?([\[{])(?!\w+\])", text)
    if at is None:
        return None
    try:
        raw, _ = json.JSONDecoder().raw_decode(text[at.start(1) :])
    except ValueError:
        return _broken(text[at.start(1) :], parts)
    if parts == ("",):
        return {"": list(_strings(raw))}
    return {part: items for part in parts if (items := list(_strings(_under(raw, part))))}


def _broken(text: str, parts: Sequence[str]) -> dict[str, list[str]] | None:
    """The whole strings of JSON that was cut, or of a list in the manner of other languages."""
    if parts != ("",):
        return None
    single = re.findall(r"'((?:[^'\n]|(?<=\w)'(?=\w))*)'(?!\w|\s*:)", text)
    found = _STRING.findall(text) or single
    return {"": [item.replace('\\"', '"') for item in found]} if found else None


def _under(raw: Any, part: str) -> Any:
    """What stands under a part's name, however deep."""
    if isinstance(raw, dict):
        for key, value in raw.items():
            if part in re.findall(r"\w+", str(key)):
                return value
        if any(str(value) in (part, f"[{part}]") for value in raw.values()):
            return {k: v for k, v in raw.items() if str(v) not in (part, f"[{part}]")}
    inner = raw.values() if isinstance(raw, dict) else raw if isinstance(raw, list) else ()
    return next((found for value in inner if (found := _under(value, part)) is not None), None)


def _strings(raw: Any) -> Iterator[str]:
    """The strings that a JSON value lists."""
    if isinstance(raw, str | int | float | bool):
        yield str(raw)
    elif isinstance(raw, list):
        for value in raw:
            yield from _strings(value)
    elif isinstance(raw, dict):
        lists = [value for value in raw.values() if isinstance(value, list | dict)]
        named = [raw[key] for key in _NAMED if isinstance(raw.get(key), str)]
        for value in lists[:1] or named[:1] or raw.values():
            yield from _strings(value)


# -- text -------------------------------------------------------------------------------------


def _parts(text: str, request: CompletionRequest) -> dict[str, list[str]]:
    """The lines under, or behind, the name of each part."""
    found: dict[str, list[str]] = {}
    rows = [row.strip() for row in text.split("\n") if row.strip()]
    own: list[str] | None = None
    marked = any((mark := _MARK.match(row)) and mark[1] in request.parts for row in rows)
    for row in rows:
        part, rest = _heading(row, request, marked)
        if part:
            own = found.setdefault(part, [])
            own += [rest] if rest else []
        elif own is not None:
            own.append(row)
    if not found and len(request.parts) == 1:
        return {request.parts[0]: _lines(text, request)}
    if not found and request.lines == 1:
        items = _lines(text, request)
        same = len(items) == len(request.parts)
        return (
            {part: [item] for part, item in zip(request.parts, items, strict=True)} if same else {}
        )
    return {part: _lines("\n".join(own), request) for part, own in found.items()}


def _heading(row: str, request: CompletionRequest, bracketed: bool) -> tuple[str, str]:
    """The part that a line begins, and the rest of that line; where some are in brackets, "$25"
    is an answer."""
    marked = _MARK.search(row) if row.startswith("#") else _MARK.match(row)
    if marked is None and request.lines == 1:
        marked = re.match(r"\W*(?:[^\W\d_]+ )?(\w+)\s*[.):–-]\s*", row)
    if marked is None and not bracketed:
        marked = re.fullmatch(r"\W*(?:[^\W\d_]+ )?(\w+):?\W*", row)
    if marked is None or marked[1] not in request.parts:
        return "", ""
    return marked[1], row[marked.end() :]


def _lines(text: str, request: CompletionRequest) -> list[str]:
    """The items of a list, one a line, without what stands before, between and behind them."""
    text = re.sub(r"(?:^\|.*\n)?^\|[ :|-]+\|$", "", text, flags=re.MULTILINE)  # a table's head
    rows = [row.strip() for row in text.split("\n")]
    rows = [_cell(row) for row in rows if row and not row.startswith(("```", "---"))]
    listed = _numbered(rows) or _bulleted(rows)
    if listed or request.choices:
        return listed or rows
    count = request.lines
    while len(rows) > 1 and _announces(rows[0]):
        rows = rows[1:]
    end = next((at for at, row in enumerate(rows) if _CHATTER.match(row)), len(rows))
    rows = [row for row in rows[:end] if len(row.split()) <= _MOST_WORDS or _separated(row, count)]
    if len(rows) == 1:
        [row] = rows
        if count > 1 and (items := _separated(row, count)):
            return items
        return [] if _announces(row) else [_NUMBER.sub("", _BULLET.sub("", row, count=1), count=1)]
    return [row for row in rows if not row.endswith(":")]


def _separated(row: str, count: int) -> list[str]:
    """As many items as asked for on one line, between commas or semicolons."""
    row = row.rpartition(": ")[2].rstrip(".")
    for mark in (";", ","):
        items = [item.strip() for item in row.split(mark)]
        if 1 < count <= len(items) <= 2 * count:
            return items
    return []


def _cell(row: str) -> str:
    """The telling cell of a table's row; other lines as they are."""
    if not row.startswith("|"):
        return row
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    return next((cell for cell in cells if cell and not cell.rstrip(".").isdigit()), "")


def _bulleted(rows: list[str]) -> list[str]:
    """The items of the longest run of bulleted lines, if there is a run of two."""
    runs: list[list[str]] = [[]]
    for row in rows:
        if _BULLET.match(row):
            runs[-1].append(_BULLET.sub("", row, count=1))
        elif runs[-1]:
            runs.append([])
    items = max(runs, key=len)
    return (_numbered(items) or items) if len(items) > 1 else []


def _numbered(rows: list[str]) -> list[str]:
    """The items of a list numbered (or lettered) in whatever way, if it has two or more.

    Numbers are numbering if they run from 0 or 1, in any order, or are all the same.
    """
    for pattern, digits in ((_NUMBER, True), (_LETTER, False)):
        marks = [(match, row) for row in rows if (match := pattern.match(row))]
        if len(marks) < 2:
            continue
        numbers = [int(m[1]) if digits else ord(m[1].lower()) - 96 for m, _ in marks]
        runs = sorted(numbers) in (list(range(len(marks))), list(range(1, len(marks) + 1)))
        if runs or set(numbers) == {1}:
            return [row[match.end() :] for match, row in marks]
        count = next((n for n, number in enumerate(numbers) if number != n + 1), len(numbers))
        if count > 1:
            return [row[match.end() :] for match, row in marks[:count]]
    return []


def _announces(row: str) -> bool:
    return row.endswith(":") or _CHATTER.match(row) is not None


def _words(text: str) -> str:
    """The words of a line, folded, without what leads to an answer ("Answer: ...")."""
    bare = re.sub(rf"\A\W*(?:{_REMARKS['leads']})\W+", "", text, flags=re.IGNORECASE)
    return " ".join(re.findall(r"[^\W_]+", bare.casefold()))
