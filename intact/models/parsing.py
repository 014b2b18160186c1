"""A model's answer -> a list of phrases, or nothing. Nothing is guessed at: when in doubt, fail."""

from __future__ import annotations

import re

_BULLET = re.compile(r"[-*•–—·]\s+(?=\S)|[-*•–—·](?=[^\W\d_])")
_NUMBER = re.compile(r"\(?(\d{1,2})[.):]\s+(?=\S)")
_CHATTER = re.compile(
    r"(?:sure|well,|yes,|no,|certainly|of course|here (?:are|is)|below (?:are|is)|okay|ok|note"
    r"|i |i'm|i am|as an?\b|sorry|unfortunately|based on|let me|please"
    r"|the (?:most likely )?(?:guesses|replacements))",
    re.IGNORECASE,
)
_LONGEST = 120
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "«": "»", "`": "`", "„": "“", "*": "*"}
_QUOTES |= {"_": "_"}


def parse_list(answer: str, count: int, *, at_least: int | None = None) -> tuple[str, ...] | None:
    """The first ``count`` items of an answer that was asked for as a list, one item a line.

    Bullets and running numbers are taken off where the whole list has them ("3 children" and
    "- 5" keep their numbers); lines before or after such a list are dropped. A list without
    them must be nothing but the list.

    Args:
        answer: what the model wrote.
        count: how many items were asked for.
        at_least: how many must be there; all of them unless told.

    Returns:
        The items, unquoted, or None if this is not such a list.
    """
    lines = [line.strip() for line in answer.split("\n")]
    lines = [line for line in lines if line and not line.startswith("```")]
    items = _bulleted(lines) or _numbered(lines) or _plain(lines, count)
    items = [item for item in map(unquote, items) if item]
    needed = count if at_least is None else at_least
    if len(items) < needed or any(len(item) > _LONGEST for item in items[:count]):
        return None
    return tuple(items[:count])


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


def _bulleted(lines: list[str]) -> list[str]:
    """The items of the longest run of bulleted lines, if there is a run of two."""
    run = _longest_run([_BULLET.match(line) is not None for line in lines])
    if run is None:
        return []
    items = [_BULLET.sub("", lines[index], count=1) for index in run]
    numbered = _numbered(items)
    return numbered if len(numbered) == len(items) else items


def _numbered(lines: list[str]) -> list[str]:
    """The items numbered 1, 2, 3 ..., if there are at least two, one after the other."""
    items: list[str] = []
    for line in lines:
        match = _NUMBER.match(line)
        if match and int(match[1]) == len(items) + 1:
            items.append(line[match.end() :])
        elif items:
            break
    return items if len(items) > 1 else []


def _plain(lines: list[str], count: int) -> list[str]:
    """The lines themselves, if they are no more than asked for and none is talk.

    As many lines as asked for are the list, unless the first one only announces it.
    """
    if len(lines) == count > 1:
        return [] if _announces(lines[0]) else lines
    if len(lines) > count or any(_announces(line) or _rambles(line) for line in lines):
        return []
    if len(lines) == 1:
        return [_BULLET.sub("", _NUMBER.sub("", lines[0], count=1), count=1)]
    return lines


def _announces(line: str) -> bool:
    return line.endswith(":") or _CHATTER.match(line) is not None


def _rambles(line: str) -> bool:
    return len(line.split()) > 14


def _longest_run(flags: list[bool]) -> range | None:
    best = range(0)
    start = 0
    for index, flag in enumerate([*flags, False]):
        if flag:
            continue
        if index - start > len(best):
            best = range(start, index)
        start = index + 1
    return best if len(best) > 1 else None
