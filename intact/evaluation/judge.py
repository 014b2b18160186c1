"""A judge of replacements, trained on people's judgments: are they true of the original, do they
say less?

Logistic regression (eval/judgments/train.py) over features of the wording. It never asks the
knowledge base, from which this project's own phrases come. Only containment of a date or number
(``intact.english``) counts as proved.
"""

import json
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from intact.domain import BY_VALUE, GENERALISABLE, Score, type_row
from intact.english import words
from intact.english.quantities import parse_quantity
from intact.english.scan import parse_temporal
from intact.english.time import Kind
from intact.english.vocabulary import word_sets
from intact.errors import NotMeasuredError, ResourceError, loading
from intact.evaluation import metric
from intact.evaluation.corpus import MaskedString, masked_strings
from intact.evaluation.strings import is_label
from intact.evaluation.tps import similarities
from intact.protocols import Embedder

# For each target the feature that proves it, and the least verdict where it does: people agreed
# with 44 of 45 proofs of truth and with 36 of 37 proofs that a phrase is less specific.
PROVED = {"truthful": ("covers", 0.95), "less_specific": ("strictly_covers", 0.9)}

WEIGHTS = Path(__file__).with_name("judge_weights.json")

_VAGUE = word_sets("grammar", "judged")["vague"]
_BY_TYPE = ("near", "label", "capital", "names_brought", "numbers_brought", "article")
_LABEL = re.compile(r"[A-Z]{3,}[_ ]?\d*")


class LearnedJudge:
    """Judges replacements as people did. A ``ResourceError`` if the weights cannot be read."""

    def __init__(self, embedder: Embedder, weights: Path = WEIGHTS) -> None:
        """Read the weights, and name the judge after their encoder and version. Raise a
        ``ResourceError`` if they cannot be read."""
        self._embedder = embedder
        with loading("the judge's weights cannot be read", weights, kind=ResourceError):
            data: dict[str, Any] = json.loads(weights.read_text("utf-8"))
        self.encoder = str(data["encoder"])
        self.name = f"learned({self.encoder},{data['version']})"
        self._models = {target: data[target] for target in PROVED}

    def judge(self, items: Sequence[MaskedString], target: str) -> list[float]:
        """Return for each replacement, in order, the probability in [0, 1] that it is as asked, as
        people would judge; at least 0.95 (0.9 for "less_specific") where the calendar or arithmetic
        proves it.

        Args:
            items: originals with their replacements.
            target: "truthful", true of the original, or "less_specific", saying less than the
                original.
        """
        own, (proof, least) = self._models[target], PROVED[target]
        judgments = []
        for row in judgment_features(items, self._embedder):
            weighed = (weight * row[name] for name, weight in own["weights"].items())
            total = own["bias"] + math.fsum(weighed)
            probability = 1 / (1 + math.exp(-total)) if total > -700 else 0.0
            judgments.append(max(probability, least) if row[proof] > 0 else probability)
        return judgments


def holds(general: str, specific: str) -> bool | None:
    """Tell whether a time or amount ("the 1990s") contains another of the same kind. None if a text
    is neither, if they are of different kinds or units ("10" and "£12"), or if the calendar cannot
    decide ("1998" and "4 January").

    Args:
        general: the text that may contain the other.
        specific: the text that may lie in it.
    """
    moment, other = parse_temporal(general), parse_temporal(specific)
    if moment is not None and other is not None:
        verdict = moment.contains(other)  # None for "1998" and "4 January"
        if verdict is not None or {moment.kind, other.kind} <= {Kind.INTERVAL, Kind.PARTIAL}:
            return verdict
    amount, amounts = parse_quantity(general), parse_quantity(specific)
    return amount.contains(amounts) if amount is not None and amounts is not None else None


def judgment_features(items: Sequence[MaskedString], embedder: Embedder) -> list[dict[str, float]]:
    """Return the features of each replacement's wording, by name, in order; every row has the same
    names.

    Args:
        items: originals with their replacements.
        embedder: the encoder that the judge's weights belong to.
    """
    near = similarities(embedder, [(item.before, item.after) for item in items])
    kind = similarities(embedder, [(type_row(i.entity_type).hypernym, i.after) for i in items])
    rows = []
    for item, one, two in zip(items, near, kind, strict=True):
        before, after = (
            max(metric.word_bits(text), default=0.0) / 20 for text in (item.before, item.after)
        )  # of the rarest word, as the paper does with sub-tokens
        row = _proofs(item) | _words(item)
        row |= {"rare_before": before, "rare_after": after, "commoner": before - after}
        row |= {"near": one, "of_its_kind": two}
        for of in GENERALISABLE:  # features that mean something else for each type
            here = float(item.entity_type == of)
            row |= {of: here} | {f"{of}:{name}": here * row[name] for name in _BY_TYPE}
        rows.append(row)
    return rows


def _proofs(item: MaskedString) -> dict[str, float]:
    """Return the features that containment of dates and numbers gives: "covers" and "covered" are 1
    for proved, -1 for disproved, 0 for unknown; "equal", "strictly_covers" and "disproved" are 0 or
    1."""
    said = {True: 1.0, False: -1.0, None: 0.0}
    covers = said[holds(item.after, item.before)]
    label = is_label(item.after, item.entity_type)
    covered = 0.0 if label else said[holds(item.before, item.after)]
    same = covers > 0 and covered > 0
    return {
        "covers": covers,
        "covered": covered,
        "equal": float(same or words.fold(item.before) == words.fold(item.after)),
        "strictly_covers": float(covers > 0 >= covered),
        "disproved": float(covers < 0),
    }


def _words(item: MaskedString) -> dict[str, float]:
    """Return, by name, the features of wording that compare the words, names and numbers of a
    mention with those of its replacement; each is 0 or 1, a share, or a count divided by a
    constant."""
    old, new = words.content_lemmas(item.before), words.content_lemmas(item.after)
    context = words.content_lemmas(f"{item.left} {item.right}")
    all_new = words.lemmas(item.after)
    count = max(1, len(all_new))
    row = {
        "label": float(is_label(item.after, item.entity_type)),
        "placeholder": float(bool(_LABEL.match(item.after))),
        "kept": len(old & new) / max(1, len(old)),
        "shared": len(old & new) / max(1, len(new)),
        "brought_in": len(new - old) / 4,
        "from_context": len((new - old) & context) / max(1, len(new)),
        "digits": float(any(char.isdigit() for char in item.after)),
        "vague": float(any(words.fold(word) in _VAGUE for word in words.words(item.after))),
        "article": float(item.after.lower().startswith(("a ", "an ", "some ", "the "))),
        "capital": float(item.after[:1].isupper()),
        "title_case": sum(word[0].isupper() for word in words.words(item.after)) / count,
        "generic": sum(map(words.is_generic, all_new)) / count,
        "long": len(all_new) / 5,
        "longer": (len(all_new) - len(words.lemmas(item.before))) / 5,
        "cut": float(item.after.endswith((",", "("))),
    }
    for what, read in (("names", words.name_words), ("numbers", words.numbers)):
        gone, came = read(item.before), read(item.after)
        changes = {"lost": gone - came, "brought": came - gone, "kept": gone & came}
        row |= {f"{what}_{change}": float(bool(those)) for change, those in changes.items()}
    return row


class Truthful(metric.Metric):
    """Mean probability, as the judge estimates it, that the replacement of a mention is true of it.
    Names and codes are not judged, nor are mentions that were deleted. The judge sees the wording
    and the containment of dates and numbers, and knows nothing of the world."""

    name = "truthful"

    def scores(self, pairs: metric.Pairs) -> tuple[Score, ...]:
        """Score the mean probability, as a judge trained on people's judgments estimates it, that a
        replacement is true of its original (or says less, in a subclass): overall, then by entity
        type. Raise a ``NotMeasuredError`` if the context's encoder is not the one that the judge's
        weights belong to."""
        judge = LearnedJudge(self.context.embedder)
        if self.context.embedder.name != judge.encoder:
            problem = f"the judge's weights belong to the encoder {judge.encoder}"
            raise NotMeasuredError(problem, remedy=f"Give --encoder {judge.encoder}.")
        strings = [s for s in masked_strings(pairs) if s.attackable and s.after.strip()]
        first = {(s.document, s.before, s.after): s for s in reversed(strings)}
        seen = [first[s.document, s.before, s.after] for s in strings]
        said = judge.judge(seen, self.name)
        return self.by_type(metric.valued(strings, said), judge=judge.name)


class LessSpecific(Truthful):
    """Mean probability, as the judge estimates it, that the replacement of a mention says less than
    the mention did. Like the human judges, it mostly denies this of bare labels."""

    name = "less_specific"


class Containment(metric.Metric):
    """Of the replacements that state a time or an amount for a time or an amount, the share that
    provably does not contain the original; "about a month" for 28 days counts as such. Parts: the
    share of all dates and quantities for which this can be decided at all (`told`), and by type."""

    name = "contradicted"

    def scores(self, pairs: metric.Pairs) -> tuple[Score, ...]:
        """Score the share of dates and quantities whose replacement, read as one, does not contain
        the original, overall and by type, of those for which this can be decided; then, as "told",
        the share for which it can."""
        strings = [s for s in masked_strings(pairs) if s.entity_type in BY_VALUE]
        known = [(s, holds(s.after, s.before)) for s in strings]
        decided = [(s, not verdict) for s, verdict in known if verdict is not None]
        share = ((s.document, float(verdict is not None)) for s, verdict in known)
        scores = self.by_type([(s.document, s.entity_type, float(no)) for s, no in decided])
        return (*scores, self.mean(share, "told"))
