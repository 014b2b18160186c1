"""Attackers that the guard never saw: each learns from public texts whose a document is.

Own implementations or scikit-learn's, sharing no code with the guard's, so that a fault of one is
not hidden by the same fault of the other. An attacker is a function from public texts (one an
individual) to a function from documents to scores, shape (documents, individuals).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import ComplementNB
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

Scores = Any
Attack = Callable[[Sequence[str]], Scores]
Learner = Callable[[Sequence[str]], Attack]
LENGTH, STRIDE = 100, 75
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z]\w+(?: [A-Z]\w+)*")


def cosine(**options: Any) -> Learner:
    """TF-IDF cosine of whole texts."""

    def learn(public: Sequence[str]) -> Attack:
        vectorizer = TfidfVectorizer(sublinear_tf=True, **options)
        known = vectorizer.fit_transform(public)
        return lambda texts: (vectorizer.transform(texts) @ known.T).toarray()

    return learn


def best_windows(**options: Any) -> Learner:
    """TF-IDF cosine of each window with its closest one of an individual, averaged."""

    def learn(public: Sequence[str]) -> Attack:
        vectorizer = TfidfVectorizer(sublinear_tf=True, **options)
        pieces, owners = cut(public)
        known = vectorizer.fit_transform(pieces)

        def attack(texts: Sequence[str]) -> Scores:
            parts, documents = cut(texts)
            near = (vectorizer.transform(parts) @ known.T).toarray()
            return mean_of_best(near, documents, owners, len(texts), len(public))

        return attack

    return learn


def bm25(k1: float, b: float, **options: Any) -> Learner:
    """BM25 with the document as the query."""

    def learn(public: Sequence[str]) -> Attack:
        vectorizer = CountVectorizer(**options)
        counts = vectorizer.fit_transform(public).tocsc()
        sizes = np.asarray(counts.sum(axis=1)).ravel()
        spread = np.diff(counts.indptr)
        idf = np.log1p((len(public) - spread + 0.5) / (spread + 0.5))
        held = counts.tocoo()
        full = held.data + k1 * (1 - b + b * sizes[held.row] / sizes.mean())
        held.data = idf[held.col] * held.data * (k1 + 1) / full
        known = held.tocsr()
        return lambda texts: ((vectorizer.transform(texts) > 0) @ known.T).toarray()

    return learn


def likelihood(mu: float) -> Learner:
    """The document's words under each individual's smoothed unigram model."""

    def learn(public: Sequence[str]) -> Attack:
        vectorizer = CountVectorizer(stop_words="english")
        counts = vectorizer.fit_transform(public).toarray()
        common = counts.sum(axis=0) / counts.sum()
        model = (counts + mu * common) / (counts.sum(axis=1, keepdims=True) + mu)
        return lambda texts: vectorizer.transform(texts) @ np.log(model / common).T

    return learn


def trained(model: Callable[[], Any], **options: Any) -> Learner:
    """A classifier of windows, plain and with their names masked; a document's are summed."""

    def learn(public: Sequence[str]) -> Attack:
        vectorizer = TfidfVectorizer(sublinear_tf=True, **options)
        pieces, owners = cut(public)
        masked = [_NAME.sub("ENTITY", piece) for piece in pieces]
        features = vectorizer.fit_transform([*pieces, *masked])
        classifier = model().fit(features, np.concatenate((owners, owners)))

        def attack(texts: Sequence[str]) -> Scores:
            parts, documents = cut(texts)
            found = vectorizer.transform(parts)
            if hasattr(classifier, "predict_log_proba"):
                scores = classifier.predict_log_proba(found)
            else:
                scores = classifier.decision_function(found)
            return summed(scores, documents, len(texts))

        return attack

    return learn


def latent(dimensions: int, **options: Any) -> Learner:
    """Cosine in the space of the largest singular vectors of the public windows."""

    def learn(public: Sequence[str]) -> Attack:
        vectorizer = TfidfVectorizer(sublinear_tf=True, stop_words="english", **options)
        space = TruncatedSVD(dimensions, random_state=0)
        space.fit(vectorizer.fit_transform(cut(public)[0]))
        known = normalize(space.transform(vectorizer.transform(public)))
        return lambda texts: normalize(space.transform(vectorizer.transform(texts))) @ known.T

    return learn


def sentences(words: int, stride: int, how: str) -> Learner:
    """MiniLM's vectors of windows: of their means, or of each one's closest, the cosine."""

    def learn(public: Sequence[str]) -> Attack:
        from intact.models.encoder import SentenceEncoder

        encoder = SentenceEncoder()
        pieces, owners = cut(public, words, stride)
        known = encoder.embed(pieces)
        means = normalize(summed(known, owners, len(public)))

        def attack(texts: Sequence[str]) -> Scores:
            parts, documents = cut(texts, words, stride)
            found = encoder.embed(parts)
            if how == "mean":
                return normalize(summed(found, documents, len(texts))) @ means.T
            return mean_of_best(found @ known.T, documents, owners, len(texts), len(public))

        return attack

    return learn


def cut(texts: Sequence[str], words: int = LENGTH, stride: int = STRIDE) -> tuple[list[str], Any]:
    """Windows of all texts, and the number of each one's text."""
    pieces, owners = [], []
    for number, text in enumerate(texts):
        every = text.split()
        for start in range(0, max(len(every) - words + stride, 1), stride):
            pieces.append(" ".join(every[start : start + words]))
            owners.append(number)
    return pieces, np.array(owners)


def summed(rows: Scores, owners: Any, size: int) -> Scores:
    """The sum of the rows of each owner."""
    total = np.zeros((size, rows.shape[1]))
    np.add.at(total, owners, rows)
    return total


def mean_of_best(near: Scores, documents: Any, owners: Any, size: int, people: int) -> Scores:
    """By document and individual: the closest window of the individual, averaged over windows."""
    firsts = np.searchsorted(owners, np.arange(people))
    best = np.maximum.reduceat(near, firsts, axis=1)
    return summed(best, documents, size) / np.bincount(documents)[:, None]


FAMILY: Mapping[str, Learner] = {
    "TF-IDF words, pairs": cosine(ngram_range=(1, 2)),
    "TF-IDF words, no function words": cosine(stop_words="english"),
    "TF-IDF pairs, triples": cosine(ngram_range=(2, 3)),
    "TF-IDF characters 3-5": cosine(analyzer="char_wb", ngram_range=(3, 5)),
    "TF-IDF characters 4-6, across words": cosine(analyzer="char", ngram_range=(4, 6)),
    "TF-IDF best windows": best_windows(ngram_range=(1, 2)),
    "BM25 words, b .75": bm25(1.2, 0.75),
    "BM25 words, pairs, b .3": bm25(2.0, 0.3, ngram_range=(1, 2)),
    "likelihood of words": likelihood(300.0),
    "naive Bayes on windows": trained(lambda: ComplementNB(alpha=0.1)),
    "ridge on windows": trained(lambda: RidgeClassifier(1.0), ngram_range=(1, 2)),
    "logistic on windows": trained(lambda: LogisticRegression(C=10.0, max_iter=100)),
    "SVM on windows, characters": trained(
        lambda: LinearSVC(C=1.0, random_state=0), analyzer="char_wb", ngram_range=(3, 5), min_df=2
    ),
    "latent 64": latent(64),
    "MiniLM means": sentences(100, 75, "mean"),
    "MiniLM best windows": sentences(100, 75, "best"),
    "MiniLM best windows of 40": sentences(40, 40, "best"),
}
"""By name. The MiniLM ones need the extra "evaluation"."""
