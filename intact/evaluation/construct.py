"""Construct loss: does the edited text still have the same kinds of words? (Kleinberg et al. 2022)

Frequencies of word classes per document before and after, with a Bayes factor for each class that
says how strongly the documents speak for no difference (JZS t-test, Rouder et al. 2009). Classes
come from any spaCy pipeline where one is named; without one from the light tagger: closed classes
by list, names by capitals, numerals by digits and number words, the rest by ending.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import ClassVar, Protocol

from intact.domain import Score
from intact.english.words import numbers
from intact.evaluation.metric import Metric, Pairs
from intact.evaluation.statistics import Tally, mean_score, sign

CLASSES = (
    "ADJ",
    "ADP",
    "ADV",
    "AUX",
    "CONJ",
    "DET",
    "NOUN",
    "NUM",
    "PRON",
    "PROPN",
    "VERB",
)
"""Universal word classes that are told apart."""

_SCALE = math.sqrt(2) / 2  # the usual width of the Cauchy prior


class Tagger(Protocol):
    """Gives words their classes."""

    name: str

    def tags(self, text: str) -> Sequence[str]:
        """The class of each word of ``text``, one of ``CLASSES``; others are left out."""


class LightTagger:
    """Word classes without a model: right for closed classes, rough for open ones. Both texts
    are tagged alike, so what it gets wrong mostly cancels out."""

    name = "light"
    _CLOSED: ClassVar[dict[str, str]] = {
        word: kind
        for kind, words in {
            "DET": "a an the this that these those each every either neither some any no all both",
            "PRON": "i you he she it we they me him her us them my your his its our their who whom "
            "whose which what himself herself itself themselves myself one there",
            "ADP": "of in on at by for with from to into onto upon about against between during "
            "before after above below over under since until within without through among as",
            "CONJ": "and or but nor if because although though while whereas unless than that",
            "AUX": "am is are was were be been being have has had do does did will would shall "
            "should can could may might must",
            "ADV": "not also only very too then here now never always often again further however",
        }.items()
        for word in words.split()
    }
    _ENDINGS = (
        (re.compile(r".{3,}ly$"), "ADV"),
        (re.compile(r".{3,}(?:ed|ing)$"), "VERB"),
        (re.compile(r".{2,}(?:al|ive|ous|ful|less|able|ible|ic|ary|ish|ese)$"), "ADJ"),
    )

    def tags(self, text: str) -> Sequence[str]:
        """The class of each word."""
        found = []
        begins = True
        for token in re.findall(r"\w+|[.!?\n]", text):
            if not token[0].isalnum():
                begins = True
                continue
            found.append(self._tag(token, begins))
            begins = False
        return found

    def _tag(self, word: str, begins: bool) -> str:
        lower = word.lower()
        if lower in self._CLOSED:
            return self._CLOSED[lower]
        if word[0].isdigit() or numbers(lower):
            return "NUM"
        if word[0].isupper() and not begins:
            return "PROPN"
        return next((kind for ending, kind in self._ENDINGS if ending.match(lower)), "NOUN")


class ConstructLoss(Metric):
    """Mean total variation between the word classes of each document before and after (0: the
    same shares, 1: nothing in common). Parts: the mean change of each class's share, and under
    "bf01" the Bayes factor for no change (above 3 speaks for none, below 1/3 for one)."""

    name = "construct"
    title = "Construct loss (word classes)"
    better = "lower"
    source = "Kleinberg et al. 2022, construct loss and table 2; Rouder et al. 2009, eq. 1"
    tagger: Tagger = LightTagger()

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """Total variation, then change and Bayes factor of each class."""
        before = {p.document.id: shares(self.tagger.tags(p.document.text)) for p in pairs}
        after = {p.document.id: shares(self.tagger.tags(p.text)) for p in pairs}
        change = {
            kind: {key: after[key][kind] - before[key][kind] for key in before} for kind in CLASSES
        }
        distance = {
            key: Tally(sum(abs(change[kind][key]) for kind in CLASSES) / 2) for key in before
        }
        scores = [self._score(self.name, distance)]
        for kind in CLASSES:
            values = list(change[kind].values())
            name = f"{self.name}/{kind}"
            scores.append(
                self._score(name, {key: Tally(value) for key, value in change[kind].items()})
            )
            factor = bayes_factor_null(values)
            signature = sign(f"{name}/bf01", tagger=self.tagger.name, n=len(values))
            scores.append(Score(f"{name}/bf01", factor, len(values), signature))
        return tuple(scores)

    def _score(self, name: str, tallies: dict[str, Tally]) -> Score:
        signature = sign(name, tagger=self.tagger.name, n=len(tallies), seed=self.context.seed)
        return mean_score(name, tallies, signature=signature, seed=self.context.seed)


def shares(tags: Sequence[str]) -> dict[str, float]:
    """Share of each class among the tags; all zero for none."""
    counts = Counter(tag for tag in tags if tag in CLASSES)
    total = sum(counts.values())
    return {kind: counts[kind] / total if total else 0.0 for kind in CLASSES}


def bayes_factor_null(differences: Sequence[float]) -> float:
    """Bayes factor of "no difference" over "some difference" for paired values: JZS with a
    Cauchy prior of width 0.707. Infinite where all values are zero, NaN for fewer than two.

    Source: Rouder et al. 2009, eq. 1.
    """
    import numpy as np
    from scipy.integrate import quad

    n = len(differences)
    if n < 2:
        return math.nan
    values = np.asarray(differences, float)
    deviation = float(values.std(ddof=1))
    if deviation == 0:
        return math.inf if not values.any() else 0.0
    t2 = (float(values.mean()) / (deviation / math.sqrt(n))) ** 2
    free = n - 1

    def log_integrand(g: float) -> float:
        wide = 1 + n * g * _SCALE**2
        return float(
            -0.5 * math.log(wide)
            - (free + 1) / 2 * math.log1p(t2 / (wide * free))
            - 0.5 * math.log(2 * math.pi)
            - 1.5 * math.log(g)
            - 1 / (2 * g)
        )

    log_null = -(free + 1) / 2 * math.log1p(t2 / free)
    alternative, _ = quad(
        lambda u: math.exp(log_integrand(u / (1 - u)) - log_null) / (1 - u) ** 2, 0, 1, limit=200
    )
    return 1 / alternative if alternative else math.inf
