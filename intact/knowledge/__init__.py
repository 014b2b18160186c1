"""The small types that the modules of the knowledge base share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

Votes = Mapping[str, float]
"""ISO 3166 two-letter country code -> share of one document's votes, in (0, 1].

Where few words speak of countries, they sum to less than 1.
"""


class Rule(StrEnum):
    """Rules by which a text is linked to the knowledge base, surest first."""

    EXACT = "exact"
    AFFIX = "affix"
    COMPOSITE = "composite"
    CONTAINED = "contained"
    HEAD = "head"


@dataclass(frozen=True, slots=True)
class Link:
    """The thing that a text is linked to.

    Attributes:
        concept: canonical id: "geo/TR", "geo/TR-34", "geo/745044" (geonames), "org/court"
            (a curated node), "term/lawyer", "wn/..." (WordNet); ids of one thing are equal.
        name: the name it was linked by, as the knowledge base spells it.
        kind: what it is: "country", "city", "subdivision", "region", "street", "organisation",
            "nationality", "term" ...
        rule: how it was found.
        country: ISO code of the country it lies in or belongs to, "" if unknown or none.
        place: concept id of the place it lies in ("geo/..."), "" if unknown or none.
        ambiguous: True if its geography is not sure enough to be told ("a town" only).
    """

    concept: str
    name: str
    kind: str
    rule: Rule
    country: str = ""
    place: str = ""
    ambiguous: bool = False


@dataclass(frozen=True, slots=True)
class Rung:
    """One step of a chain.

    Attributes:
        text: a true noun phrase as it stands in mid-sentence, with its article
            ("a criminal court in Turkey").
        concept: canonical id of what the phrase means, equal for equal meanings.
    """

    text: str
    concept: str


@dataclass(frozen=True, slots=True)
class Members:
    """The things that a phrase can stand for.

    Attributes:
        names: the likeliest first.
        probabilities: prior share of each name among all that the phrase can stand for, in
            (0, 1], parallel to ``names``, descending.
        total: how many things the phrase can stand for (at least ``len(names)``).
        ranked: whether their order tells anything; of the entries of a user's own ladders nobody
            knows which is the likeliest.
    """

    names: tuple[str, ...]
    probabilities: tuple[float, ...]
    total: int
    ranked: bool = True
