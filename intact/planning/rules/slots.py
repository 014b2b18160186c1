"""Find what fits the place of a mention in its sentence: a noun, an adjective, a deed, a number.

If nothing is known of common words in a sentence, they get a wording that says nothing but fits. In
forms and tables, and for names, they get a label.
"""

from __future__ import annotations

from collections.abc import Sequence

from intact.english.numbers import number
from intact.english.reading import Place
from intact.english.scan import parse, parse_temporal
from intact.english.vocabulary import NEGATION, denies


def _is_no_kind(words: str) -> bool:
    """Tell whether words say how many, how old or when, or what is not so ("not deaf")."""
    alone = " " not in words and number(words.lower()) is not None
    told = denies(words) or NEGATION.search(words) is not None
    return alone or told or parse_temporal(words) is not None


def worded_slot(places: Sequence[Place], slot: str) -> str:
    """Translate the slot that the kinds' head reads into the wording of a kind that fits it: "noun"
    (after a determiner), "bare", "plural", "adj", "pred" (after "is") or "field"; "" if none does.

    Args:
        places: of an entity's mentions, which must agree.
        slot: what the head reads for them: "nominal", "clause", "verb", "pred" ...
    """
    if any(_is_no_kind(each.words) or parse(each.words) for each in places):
        return ""
    if slot == "nominal":
        determined = {place.determined for place in places}
        return "" if len(determined) > 1 else "noun" if determined.pop() else "bare"
    return "" if slot in ("clause", "verb") else slot
