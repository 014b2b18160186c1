"""Utility loss: what a downstream classifier loses (Kleinberg et al. 2022).

A linear classifier over TF-IDF is trained and tested on the originals, then on the edited texts,
in the same cross-validation folds; the loss is the difference in accuracy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from intact.domain import Score
from intact.errors import NotMeasuredError
from intact.evaluation.metric import Metric, Pairs
from intact.evaluation.statistics import Tally, mean_score, sign

_FOLDS = 5


class UtilityLoss(Metric):
    """Accuracy on the originals minus accuracy on the edited texts, over documents whose class
    has at least five. Parts: the two accuracies and the share of the largest class."""

    name = "utility_loss"
    title = "Utility loss (classifier)"
    better = "lower"
    source = "Kleinberg et al. 2022, utility loss"
    needs = ("classes",)

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """Loss, accuracy before, accuracy after, share of the largest class.

        Raises:
            NotMeasuredError: without two classes that have five documents each.
        """
        classes = self.context.classes
        sizes = Counter(classes[p.document.id] for p in pairs if p.document.id in classes)
        used = [p for p in pairs if sizes[classes.get(p.document.id, "")] >= _FOLDS]
        wanted = [classes[p.document.id] for p in used]
        if len(set(wanted)) < 2:
            raise NotMeasuredError(
                "there are no two classes with five documents each",
                remedy="Give --classes FILE with {doc_id: class}.",
            )
        before = self._hits([p.document.text for p in used], wanted)
        after = self._hits([p.text for p in used], wanted)
        parts = {
            self.name: [b - a for b, a in zip(before, after, strict=True)],
            f"{self.name}/before": before,
            f"{self.name}/after": after,
        }
        scores = [
            self._score(name, {p.document.id: Tally(v) for p, v in zip(used, values, strict=True)})
            for name, values in parts.items()
        ]
        largest = max(Counter(wanted).values()) / len(wanted)
        name = f"{self.name}/largest_class"
        return (*scores, Score(name, largest, len(used), sign(name, n=len(used))))

    def _hits(self, texts: Sequence[str], classes: Sequence[str]) -> list[float]:
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.linear_model import RidgeClassifier
        from sklearn.model_selection import StratifiedKFold, cross_val_predict
        from sklearn.pipeline import make_pipeline

        model = make_pipeline(
            TfidfVectorizer(sublinear_tf=True, stop_words="english"), RidgeClassifier()
        )
        folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=self.context.seed)
        found = cross_val_predict(model, list(texts), list(classes), cv=folds)
        return [float(one == other) for one, other in zip(found, classes, strict=True)]

    def _score(self, name: str, tallies: dict[str, Tally]) -> Score:
        signature = sign(
            name, classifier="tfidf+ridge", folds=_FOLDS, n=len(tallies), seed=self.context.seed
        )
        return mean_score(name, tallies, signature=signature, seed=self.context.seed)
