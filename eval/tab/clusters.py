"""Do documents still fall into the same groups? (Pilán et al. 2024, 5.5, extrinsic evaluation)

    python eval/tab/clusters.py tab_dev.json NAME=edits.json ...

Documents are embedded as the mean of their windows' embeddings and clustered by k-means, the
originals and the edited ones alike; NMI compares the two clusterings. Each clustering is the best
of 50 random starts, each figure the mean of five such pairs. Both clusterings of a pair start from
the same seed, so unedited documents score exactly 1.

On a hundred documents of one kind, one k decides little: a small change of the texts was seen to
turn .14 into .85 at the k with the best silhouette. So the first column is the mean over k from 4
to 10; the second the k of the paper (4).
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.metrics import normalized_mutual_info_score

from intact.evaluation.corpus import read_corpus, read_system
from intact.models.encoder import SentenceEncoder
from intact.protocols import Embedder
from intact.reidentification.population import windows

WINDOW = 150  # words: within the 256 tokens that MiniLM reads
STARTS, RUNS, SIZES = 50, 5, range(4, 11)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("edits", nargs="+", metavar="NAME=FILE")
    options = parser.parse_args()
    corpus, encoder = read_corpus(options.corpus), SentenceEncoder()
    originals = clusterings(encoder, [document.text for document in corpus.documents])
    print("| | k 4 to 10 | k 4 |\n| --- | ---: | ---: |")
    for item in options.edits:
        name, _, file = item.partition("=")
        done = read_system(Path(file), name, corpus, print)
        edited = clusterings(encoder, [one.text for one in done])
        found = [agreement(own, other) for own, other in zip(originals, edited, strict=True)]
        print(f"| {name} | {sum(found) / len(found):.3f} | {found[0]:.3f} |")


def clusterings(embedder: Embedder, texts: Sequence[str]) -> list[list[NDArray[np.int32]]]:
    """For each number of clusters the clusters of each text, once for each run."""
    vectors = document_vectors(embedder, texts)
    return [
        [KMeans(k, n_init=STARTS, random_state=run).fit(vectors).labels_ for run in range(RUNS)]
        for k in SIZES
        if k < len(texts)
    ]


def agreement(own: Sequence[NDArray[np.int32]], other: Sequence[NDArray[np.int32]]) -> float:
    pairs = zip(own, other, strict=True)
    return float(np.mean([normalized_mutual_info_score(a, b) for a, b in pairs]))


def document_vectors(embedder: Embedder, texts: Sequence[str]) -> NDArray[np.float64]:
    """Mean of the embeddings of each text's windows, shape (texts, dimensions)."""
    rows = []
    for text in texts:
        pieces = [" ".join(words) for words in windows(text.split(), WINDOW, WINDOW)]
        rows.append(embedder.embed(pieces).astype(float).mean(axis=0))
    return np.stack(rows)


if __name__ == "__main__":
    main()
