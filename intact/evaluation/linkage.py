"""Linkage by retrieval: which public text is nearest to the sanitised document?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from intact.errors import InputError


def retrieval_ranks(
    background: Mapping[str, str], owners: Sequence[str], texts: Sequence[str]
) -> list[int]:
    """For each text the rank of its owner's public text by TF-IDF cosine (words and word pairs,
    logarithmic counts): 0 means linked. -1 where the background does not have the owner.

    Args:
        background: public text by individual.
        owners: the individual each text is about.
        texts: the sanitised documents.

    Raises:
        InputError: if the background is empty.
    """
    import numpy as np
    from sklearn.feature_extraction.text import TfidfVectorizer

    if not background:
        raise InputError("the background has no texts", remedy="Give {individual: public text}.")
    known = {name: index for index, name in enumerate(background)}
    vectorizer = TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2))
    near = vectorizer.fit_transform(background.values())
    scores = (vectorizer.transform(texts) @ near.T).toarray()
    ranks = []
    for owner, row in zip(owners, scores, strict=True):
        own = known.get(owner)
        ranks.append(-1 if own is None else int(np.count_nonzero(row > row[own])))
    return ranks
