"""Compare the checks of language with a person's verdicts on 200 replacements.

    python eval/judgments/language.py TAB.json

``places.json`` holds for each place: its corpus (TAB's development set, or ``eval/documents``), the
document, where the replaced words stood, whether the sentence reads as good English there (1), and
the edits near it as they were then; no text of the documents. 100 are of judgments with their
annotations, 100 of ``open`` and ``held_out`` as detected, drawn by chance (labels of names and
codes apart), and judged in one sitting before a check was run on them. What ``unlikely`` goes by
was chosen on the places of odd number.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from sklearn.metrics import cohen_kappa_score, precision_score, recall_score

from intact.domain import Document, Edit, Span
from intact.evaluation.corpus import new_places, pair, read_corpus
from intact.evaluation.grammar import Neighbours, places_of_defects

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "documents"))

from corpus import documents  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("tab", type=Path)
    texts = {"tab": {one.id: one.text for one in read_corpus(parser.parse_args().tab).documents}}
    texts["documents"] = {
        f"{folder}/{one['doc_id']}": one["text"]
        for folder in ("open", "held_out")
        for path in sorted((HERE.parent / "documents" / folder).glob("*.txt"))
        for one in documents(path)
    }
    known = {name: Neighbours(list(of.values())) for name, of in texts.items()}
    bad, unlikely, patterns = [], [], []
    for corpus, name, start, end, reads, edits in json.loads((HERE / "places.json").read_text()):
        made = [Edit(Span(low, high), text) for low, high, text in sorted(edits)]
        one = pair(Document(name, texts[corpus][name], ()), made)
        own = [edit.span for edit in made].index(Span(start, end))
        low, high = new_places(made)[own]
        bad.append(not reads)
        unlikely.append(
            {edit.span: told for edit, told in known[corpus].unlikely(one)}[Span(start, end)]
        )
        patterns.append(any(p.start < high and low < p.end for _, p in places_of_defects(one)))
    for title, chosen in (
        ("odd, chosen on", slice(0, None, 2)),
        ("even", slice(1, None, 2)),
        ("all", slice(None)),
    ):
        for check, told in (("unlikely", unlikely), ("grammar", patterns)):
            truth, said = bad[chosen], told[chosen]
            print(
                f"{title:15} {check:9} {len(truth)} places, {sum(truth)} bad, {sum(said)} told:"
                f" precision {precision_score(truth, said, zero_division=0):.2f}"
                f" recall {recall_score(truth, said):.2f}"
                f" kappa {cohen_kappa_score(truth, said):.2f}"
            )


if __name__ == "__main__":
    main()
