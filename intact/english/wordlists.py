"""Words that tell nobody apart: function words, generic heads, words that every document has."""

from __future__ import annotations

from types import MappingProxyType

from intact.english.vocabulary import word_sets

_SETS = word_sets("words", "sets")

STOP_WORDS = _SETS["stop"]
"""Function words. Folded, lower case."""

ARTICLES = _SETS["articles"]

HONORIFICS = _SETS["honorifics"]
"""Titles before a name. They may stand beside the label of a person."""

KEPT_TITLES = MappingProxyType({"mr": "Mr", "mrs": "Ms", "ms": "Ms", "miss": "Ms"})
"""Titles that tell no more than a pronoun does, and how they are written."""

SAYS_NOTHING = _SETS["says_nothing"]
"""Nouns that, alone, say no more than a label does."""

GENERIC_HEADS = _SETS["generic"]
"""Heads and qualifiers that a generalisation may share with its original."""

FREQUENT = _SETS["frequent"]
"""Content words that stand in almost every such document: sharing one gives nothing away."""
