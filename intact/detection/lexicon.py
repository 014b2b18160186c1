"""Whether a word is an ordinary English one."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(1 << 14)
def is_english(word: str) -> bool:
    """Whether a word is one of the English dictionary."""
    from simplemma import is_known

    return bool(is_known(word.lower(), lang="en"))
