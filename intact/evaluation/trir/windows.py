"""What the attacks are trained on: windows of the background, as it is and with names masked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from intact.domain import Span
from intact.evaluation.terms import names_and_words

WINDOW = 100
"""Words in a window (Pilán et al. 2024: the published attack's default)."""

OVERLAP = 25
"""Words that neighbouring windows share."""

_DIGITS = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Window:
    """A piece of background text and the position of its individual."""

    text: str
    individual: int


def windows_of(text: str) -> list[str]:
    """Windows of 100 words with 25 shared; one (perhaps empty) window at least."""
    words = text.split()
    step = WINDOW - OVERLAP
    last = max(1, len(words) - OVERLAP)
    return [" ".join(words[at : at + WINDOW]) for at in range(0, last, step)]


def training_windows(background: Mapping[str, str]) -> list[Window]:
    """Windows of every individual's text, then of its copy with names and numbers masked."""
    return [
        Window(window, index)
        for index, text in enumerate(background.values())
        for copy in (text, masked_copy(text))
        for window in windows_of(copy)
        if window
    ]


def training_copies(background: Mapping[str, str]) -> list[Window]:
    """Every individual's text whole, then its masked copy: two examples each, so that nobody is
    favoured for having more text."""
    return [
        Window(copy, index)
        for index, text in enumerate(background.values())
        for copy in (text, masked_copy(text))
    ]


def masked_copy(text: str) -> str:
    """``text`` without names (capitalised words that begin no sentence) and numbers, as a
    sanitised document would be: so the attack learns from what is left there."""
    parts: list[str] = []
    done = 0
    for span in names_and_words(text):
        if _telling(text, span):
            parts.append(text[done : span.start])
            done = span.end
    parts.append(text[done:])
    return " ".join("".join(parts).split())


def _telling(text: str, span: Span) -> bool:
    word = span.of(text)
    if _DIGITS.search(word):
        return True
    begins = text[: span.start].rstrip()[-1:] in ("", ".", "!", "?", ":", "\n", "“", '"')
    return word[0].isupper() and (" " in word or not begins)
