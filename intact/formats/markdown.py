"""Markdown: one document a file. Its words are sanitised; the marks of code blocks and the targets
of links stay, and remarks that no reader sees go."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import ClassVar

from intact.domain import SanitizedDocument
from intact.formats.base import Loaded, Record, TextFormat
from intact.formats.pieces import (
    PERSONAL,
    Piece,
    distinctive_words,
    holds_any,
    rewritten,
    warn_of,
)

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[^\n]*\n?")
_REMARK = re.compile(r"<!--.*?-->", re.DOTALL)
_TARGET = re.compile(
    r"(?<=\]\()[ ]*(<[^>\n]*>|[^\s()]+(?:\([^\s()]*\)[^\s()]*)*)|"
    r"(?m:^ {0,3}\[[^\]\n]+\]:[ ]*)(<[^>\n]*>|\S+)"
)


class MarkdownFormat(TextFormat):
    """Reads a Markdown file as one document and writes it back with its words sanitised."""

    name = "markdown"
    suffixes: ClassVar[tuple[str, ...]] = (".md", ".markdown")

    def load(self, record: Record, annotator: str) -> Loaded:
        """Return its words, without mentions; see ``Format``."""
        parts, remarks = _split_markdown(record.raw)
        words = replace(record, raw="".join(text for text, seen in parts if seen))
        loaded = super().load(words, annotator)
        gone = warn_of([("comments", remarks)], "removed")
        return replace(loaded, warnings=(*loaded.warnings, *gone), parsed=parts)

    def render(self, record: Record, loaded: Loaded, sanitized: SanitizedDocument) -> str:
        """Return the file with its words edited, and targets that tell one of them emptied."""
        pieces = [Piece(text) for text, seen in loaded.parsed if seen]
        new = iter(rewritten(pieces, sanitized.edits))
        words = distinctive_words(loaded.document.text, sanitized.edits)
        return "".join(next(new) if seen else _mark(text, words) for text, seen in loaded.parsed)


def _mark(text: str, words: frozenset[str]) -> str:
    """Return a mark of structure as it may stay: a fence without a name, a target without words."""
    fence = _FENCE.fullmatch(text)
    if fence:
        return text if not holds_any(text, words) else f"{fence[1]}\n"
    personal = text.strip(" <").lower().startswith((*PERSONAL, "data:"))
    return "#" if personal or holds_any(text, words) else text


def _split_markdown(source: str) -> tuple[list[tuple[str, bool]], int]:
    """Return the file in pieces, each with whether it is words, and how many remarks it had."""
    parts: list[tuple[str, bool]] = []
    remarks = 0
    fence, prose = "", ""

    def end_of_prose() -> int:
        plain, count = _REMARK.subn("", prose)
        at = 0
        for target in _TARGET.finditer(plain):
            start, end = target.span(1 if target[1] is not None else 2)
            parts.extend([(plain[at:start], True), (plain[start:end], False)])
            at = end
        parts.append((plain[at:], True))
        return count

    for line in source.splitlines(keepends=True):
        mark = _FENCE.fullmatch(line)
        closes = bool(fence) and mark is not None and mark[1].startswith(fence)
        if mark and (closes or not fence):
            remarks += 0 if fence else end_of_prose()
            prose, fence = "", "" if closes else mark[1]
            parts.append((line, False))
        elif fence:
            parts.append((line, True))
        else:
            prose += line
    return parts, remarks + end_of_prose()
