"""What speaks for a word being part of a person's name, or against it."""

from __future__ import annotations

from intact.detection.runs import Token
from intact.english.names import TITLES


def is_title(token: Token) -> bool:
    """Whether a word is a form of address ("Dr")."""
    return token.text.lower().rstrip(".") in TITLES


def is_articled(text: str, token: Token) -> bool:
    """Whether "the" stands before a word.

    Args:
        text: the whole text.
        token: a word of it.
    """
    return text[max(0, token.start - 4) : token.start].lower() == "the "


def is_initialism(word: Token, first: Token) -> bool:
    """Whether "DOB" or "MEP" behind a name in mixed letters is no part of it.

    Args:
        word: the one that is asked about.
        first: the first word of the name.
    """
    return 1 < len(word.text) < 6 and not first.text.isupper() and not word.initials
