"""One line of a model's answer -> a candidate phrase, or nothing."""

from __future__ import annotations

import re

from intact.models.parsing import unquote

_COMMENT = re.compile(
    r"\s+[-–—→]+>?\s+.*"  # "a city - because ..."
    r"|\s*\((?!s\)).*"  # "a city (such as Ankara)"
    r"|[,;]?\s+(?:(?:such as|for example|for instance|like|including|namely)\b|e\.g\.|i\.e\.).*"
    r"|\s*[:;]\s.*",
    re.IGNORECASE | re.DOTALL,
)
_PREPOSITION = re.compile(
    r"^(?:in|at|on|from|to|of|by|with|for|into|during)\s+(?=\S)", re.IGNORECASE
)
_PLAIN_FIRST = frozenset(
    "a an the some several many few one two another someone something somewhere more less over "
    "under about around between almost nearly early mid late member resident person people large "
    "small public private local national international".split()
)
_META = re.compile(
    r"\b(?:original|replacement|span|phrase|hypernym|synonym|generic term|redacted|anonymi[sz]ed"
    r"|unknown|n/?a|none|placeholder|sentence)\b|[\[\]{}<>|_#\ufffd]|\w_\d",
    re.IGNORECASE,
)
_MOST_WORDS = 14


def clean(line: str) -> str:
    """The phrase that a line of an answer offers, or "" if it offers none.

    Quotation marks, explanations, examples, full stops and leading prepositions go; "A city"
    becomes "a city". A line that talks about the task, or is a sentence, offers nothing.
    """
    text = unquote(" ".join(line.split()))
    text = unquote(_COMMENT.sub("", text, count=1))
    text = _without_stop(text)
    text = _PREPOSITION.sub("", text, count=1)
    first, _, rest = text.partition(" ")
    if first.lower() in _PLAIN_FIRST:
        text = f"{first.lower()} {rest}".strip()
    if not any(map(str.isalnum, text)) or _META.search(text):
        return ""
    if len(text.split()) > _MOST_WORDS or re.search(r"[.!?]\s", text) or text.endswith(("!", "?")):
        return ""
    return text


def _without_stop(text: str) -> str:
    """Without a closing full stop, unless it belongs to an abbreviation ("the U.S.")."""
    text = text.rstrip(" ,;:")
    last = text.rsplit(" ", 1)[-1]
    return text[:-1] if last.endswith(".") and "." not in last[:-1] else text
