"""Trains the judge on human judgments and prints how well it agrees with people.

    python eval/judgments/train.py judgments.jsonl [--write]

Prints for "truthful" and "less specific" a table of n, accuracy, AUC and Cohen's kappa: over eight
folds of documents, and on held-out documents (30 %, by the hash of their id) overall and by type;
how often people agreed with what the containment of dates and numbers proves; and what is left
without those proofs, which are the judge's only evidence by code that also writes replacements.
``--write`` puts the weights made from the training documents where the package reads them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import cohen_kappa_score, roc_auc_score
from sklearn.model_selection import GroupKFold

from intact.evaluation.corpus import MaskedString
from intact.evaluation.judge import PROVED, WEIGHTS, judgment_features
from intact.models.encoder import SentenceEncoder

STRENGTH = 0.1  # inverse regularisation of the standardised features
FOLDS = 8
PROOFS = ("covers", "covered", "equal", "strictly_covers", "disproved")
Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("judgments", type=Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    rows = [json.loads(line) for line in options.judgments.read_text("utf-8").splitlines()]
    rows = [row for row in rows if row["replacement"]]
    features = judgment_features([item(row) for row in rows], SentenceEncoder())
    names, matrix = list(features[0]), np.array([list(row.values()) for row in features])
    documents = np.array([row["entity_id"].split("_")[0] for row in rows])
    types = np.array([row["entity_type"] for row in rows])
    without = matrix.copy()
    without[:, [names.index(name) for name in PROOFS]] = 0
    weights: dict[str, Any] = {"version": 2, "encoder": "minilm"}
    for target in PROVED:
        known = np.array([row[target] is not None for row in rows])
        wanted = np.array([row[target] == 1 for row in rows])[known]
        print(f"\n{target}: {known.sum()} judgments, {wanted.mean():.1%} yes")
        proof = matrix[known][:, names.index(PROVED[target][0])] > 0
        print(f"proved: {proof.sum()}, people agree with {wanted[proof].sum()}")
        found = proved(folds(matrix[known], wanted, documents[known]), proof, target)
        show("all types", found, wanted, head="eight folds")
        show("without proofs", folds(without[known], wanted, documents[known]), wanted)
        testing = np.array([held_out(name) for name in documents[known]])
        model = fit(matrix[known][~testing], wanted[~testing])
        found = proved(probability(model, matrix[known][testing]), proof[testing], target)
        show("all types", found, wanted[testing], head="held-out documents")
        for kind in sorted(set(types)):
            here = types[known][testing] == kind
            show(kind, found[here], wanted[testing][here])
        plain = fit(without[known][~testing], wanted[~testing])
        show("without proofs", probability(plain, without[known][testing]), wanted[testing])
        bias, slopes = model
        weights[target] = {
            "bias": round(bias, 5),
            "weights": {n: round(float(w), 5) for n, w in zip(names, slopes, strict=True)},
        }
    if options.write:
        WEIGHTS.write_text(json.dumps(weights, indent=1) + "\n", "utf-8")
        print(f"\nWritten: {WEIGHTS}")


def item(row: dict[str, Any]) -> MaskedString:
    left, _, rest = row["context"].partition("[[")
    right = rest.partition("]]")[2]
    return MaskedString(row["span"], row["replacement"], row["entity_type"], left, right)


def held_out(document: str) -> bool:
    return hashlib.sha256(document.encode()).digest()[0] < 0.3 * 256


def fit(matrix: Array, wanted: Flags) -> tuple[float, Array]:
    """Bias and weights on the features as they are."""
    centre, scale = matrix.mean(axis=0), matrix.std(axis=0)
    scale[scale < 1e-9] = 1.0
    model = LogisticRegression(C=STRENGTH, max_iter=5000).fit((matrix - centre) / scale, wanted)
    slopes = model.coef_[0] / scale
    return float(model.intercept_[0] - slopes @ centre), slopes


def probability(model: tuple[float, Array], matrix: Array) -> Array:
    found: Array = 1 / (1 + np.exp(-(model[0] + matrix @ model[1])))
    return found


def proved(found: Array, proof: Flags, target: str) -> Array:
    """Return the judge's probabilities, raised where containment is proved."""
    raised: Array = np.where(proof, np.maximum(found, PROVED[target][1]), found)
    return raised


def folds(matrix: Array, wanted: Flags, documents: Sequence[str]) -> Array:
    """Probabilities by models that were trained on the documents of the other folds."""
    found = np.zeros(len(wanted))
    for train, test in GroupKFold(FOLDS).split(matrix, wanted, documents):
        found[test] = probability(fit(matrix[train], wanted[train]), matrix[test])
    return found


def show(kind: str, found: Array, wanted: Flags, head: str = "") -> None:
    """One line of the table, under ``head`` where there is one."""
    if head:
        print(f"{head:20} {'n':>5} {'accuracy':>9} {'AUC':>6} {'kappa':>6}")
    said = found > 0.5
    both = len(set(wanted.tolist())) > 1
    auc = f"{roc_auc_score(wanted, found):6.3f}" if both else "     -"
    kappa = f"{cohen_kappa_score(wanted, said):6.3f}" if both else "     -"
    print(f"  {kind:18} {len(wanted):5} {(said == wanted).mean():9.3f} {auc} {kappa}")


if __name__ == "__main__":
    main()
