"""What can be told of a replacement without understanding it: evidence for truth and abstraction.

Containment of times and numbers, subsumption by the knowledge base, words shared and words brought
in, length and rarity, and how near embeddings are. Each feature is a number, unknown is 0. The
context is used only to see whether new words come from it: embedding it too was measured to add
nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from intact.domain import GENERALISABLE, Span, type_row
from intact.english.fold import fold
from intact.english.words import content_lemmas, is_generic, lemmas, name_words, numbers, words
from intact.evaluation.information import FrequencyInformation
from intact.evaluation.labels import is_label
from intact.evaluation.similarity import similarities
from intact.evaluation.terms import Term
from intact.evaluation.truth import Replaced, holds
from intact.protocols import Embedder

Subsumes = Callable[[str, str, str], "bool | None"]
"""Whether the first phrase is true of the second, of the type given; None if unknown."""

_VAGUE = frozenset(
    "a an some several certain various many few number group kind type sort approximately around "
    "about over under between multiple specific particular other another general".split()
)
_LABEL = re.compile(r"[A-Z]{3,}[_ ]?\d*")


def features(
    items: Sequence[Replaced], embedder: Embedder, subsumes: Subsumes | None = None
) -> tuple[list[str], list[list[float]]]:
    """Names of the features, and a row of them for each item."""
    near = _nearness(items, embedder)
    rarity = FrequencyInformation(combine="rarest")
    rows = [
        {**_truth(item, subsumes), **_words(item), **_rarity(item, rarity), **close}
        for item, close in zip(items, near, strict=True)
    ]
    rows = [{**row, **_crossed(item, row)} for item, row in zip(items, rows, strict=True)]
    names = list(rows[0]) if rows else []
    return names, [[row[name] for name in names] for row in rows]


def contained(item: Replaced, subsumes: Subsumes | None = None) -> float:
    """1 if the replacement provably covers the original, -1 if it provably does not, else 0."""
    return _truth(item, subsumes)["covers"]


def _truth(item: Replaced, subsumes: Subsumes | None) -> dict[str, float]:
    covers, covered = _verdict(item.after, item.before, item.entity_type, subsumes), 0.0
    if not is_label(item.after, item.entity_type):
        covered = _verdict(item.before, item.after, item.entity_type, subsumes)
    same = covers > 0 and covered > 0
    return {
        "covers": covers,
        "covered": covered,
        "equal": float(same or fold(item.before) == fold(item.after)),
        "strictly_covers": float(covers > 0 >= covered),
        "disproved": float(covers < 0),
    }


def _verdict(general: str, specific: str, kind: str, subsumes: Subsumes | None) -> float:
    verdict = holds(general, specific)
    if verdict is None and subsumes is not None:
        verdict = subsumes(general, specific, kind)
    return 0.0 if verdict is None else 1.0 if verdict else -1.0


def _words(item: Replaced) -> dict[str, float]:
    old, new = content_lemmas(item.before), content_lemmas(item.after)
    old_names, new_names = name_words(item.before), name_words(item.after)
    old_numbers, new_numbers = numbers(item.before), numbers(item.after)
    context = content_lemmas(f"{item.left} {item.right}")
    all_new = lemmas(item.after)
    count = max(1, len(all_new))
    return {
        "label": float(is_label(item.after, item.entity_type)),
        "placeholder": float(bool(_LABEL.match(item.after))),
        "kept": len(old & new) / max(1, len(old)),
        "shared": len(old & new) / max(1, len(new)),
        "brought_in": len(new - old) / 4,
        "from_context": len((new - old) & context) / max(1, len(new)),
        "names_lost": float(bool(old_names - new_names)),
        "names_brought": float(bool(new_names - old_names)),
        "names_kept": float(bool(new_names & old_names)),
        "numbers_lost": float(bool(old_numbers - new_numbers)),
        "numbers_brought": float(bool(new_numbers - old_numbers)),
        "numbers_kept": float(bool(old_numbers & new_numbers)),
        "digits": float(any(char.isdigit() for char in item.after)),
        "vague": float(any(fold(word) in _VAGUE for word in words(item.after))),
        "article": float(item.after.lower().startswith(("a ", "an ", "some ", "the "))),
        "capital": float(item.after[:1].isupper()),
        "title_case": sum(word[0].isupper() for word in words(item.after)) / count,
        "generic": sum(map(is_generic, all_new)) / count,
        "long": len(all_new) / 5,
        "longer": (len(all_new) - len(lemmas(item.before))) / 5,
        "cut": float(bool(item.after) and not item.after[-1].isalnum() and item.after[-1] in ",("),
    }


def _rarity(item: Replaced, information: FrequencyInformation) -> dict[str, float]:
    before, after = (
        information.bits(text, [Term(Span(0, len(text)))])[0] / 20 if text else 0.0
        for text in (item.before, item.after)
    )
    return {"rare_before": before, "rare_after": after, "commoner": before - after}


def _nearness(items: Sequence[Replaced], embedder: Embedder) -> list[dict[str, float]]:
    alone = similarities(embedder, [(item.before, item.after) for item in items])
    kind = similarities(embedder, [(type_row(i.entity_type).hypernym, i.after) for i in items])
    return [{"near": one, "of_its_kind": two} for one, two in zip(alone, kind, strict=True)]


def _crossed(item: Replaced, row: dict[str, float]) -> dict[str, float]:
    """Type indicators, and the features that mean something else for each type."""
    crossed: dict[str, float] = {}
    for kind in GENERALISABLE:
        here = float(item.entity_type == kind)
        crossed[kind] = here
        for name in ("near", "label", "capital", "names_brought", "numbers_brought", "article"):
            crossed[f"{kind}:{name}"] = here * row[name]
    return crossed
