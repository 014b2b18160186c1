"""Linkage of edited documents by attackers that the guard never saw.

    python eval/reidentification/unseen.py tab_dev.json --background public.json \
        --edits unguarded=a.json --edits guarded=b.json

Per attacker and system: the share of documents whose individual comes first, and among the first
five; then the worst and the union of all attackers, and the words changed beyond annotated spans.
A system "suppressed" (annotated spans removed) is always there to compare with. TPS and the rest
are eval/tab/measure.py's. ``--skip MiniLM`` leaves attackers out whose name has it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from intact.domain import Document, Edit, apply_edits
from intact.evaluation.corpus import read_corpus, read_system
from intact.evaluation.tps import word_spans
from intact.reidentification.attackers import others_ahead
from intact.reidentification.population import folded_words, is_content

sys.path.insert(0, str(Path(__file__).parent))


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("data", type=Path)
    parser.add_argument("--background", type=Path, required=True, help="{doc_id: public text}")
    parser.add_argument("--edits", action="append", default=[], metavar="NAME=FILE")
    parser.add_argument("--skip", action="append", default=[], metavar="PART_OF_NAME")
    parser.add_argument("--json", type=Path, help="write ranks there too")
    options = parser.parse_args(argv)
    background = json.loads(options.background.read_text(encoding="utf-8"))
    corpus = read_corpus(options.data)
    documents = [document for document in corpus.documents if document.id in background]
    systems = {"suppressed": {d.id: suppression(d) for d in documents}}
    for item in options.edits:
        name, _, file = item.partition("=")
        systems[name] = {
            one.document.id: one.edits for one in read_system(Path(file), name, corpus, print)
        }
    family = import_module("attackers").FAMILY
    chosen = {
        name: learner
        for name, learner in family.items()
        if not any(part in name for part in options.skip)
    }
    ranks = attacked(documents, systems, background, chosen)
    show(documents, systems, ranks)
    if options.json:
        options.json.write_text(json.dumps(ranks, indent=1) + "\n")


def suppression(document: Document) -> tuple[Edit, ...]:
    """Nothing for every annotated span."""
    edits: list[Edit] = []
    for mention in sorted(document.mentions, key=lambda m: (m.span.start, -m.span.end)):
        if mention.masked and (not edits or mention.span.start >= edits[-1].span.end):
            edits.append(Edit(mention.span, ""))
    return tuple(edits)


def attacked(
    documents: Sequence[Document],
    systems: Mapping[str, Mapping[str, Sequence[Edit]]],
    background: Mapping[str, str],
    family: Mapping[str, Any],
) -> dict[str, dict[str, list[int]]]:
    """Attacker -> system -> rank of each document's individual, 0 is the first place."""
    people = list(background)
    owners = [people.index(document.id) for document in documents]
    texts = {
        name: [apply_edits(d.text, tuple(edits[d.id])) for d in documents]
        for name, edits in systems.items()
    }
    found: dict[str, dict[str, list[int]]] = {}
    for name, learn in family.items():
        start = perf_counter()
        attack = learn(list(background.values()))
        found[name] = {}
        for system, own in texts.items():
            scores = np.asarray(attack(own), dtype=float)
            found[name][system] = [
                others_ahead(row, owner) for row, owner in zip(scores, owners, strict=True)
            ]
        print(f"{name}: {perf_counter() - start:.1f} s", file=sys.stderr, flush=True)
    return found


def show(
    documents: Sequence[Document],
    systems: Mapping[str, Mapping[str, Sequence[Edit]]],
    ranks: Mapping[str, Mapping[str, Sequence[int]]],
) -> None:
    width = max(len(name) for name in systems) + 4
    print(f"{'linkage@1 @5':38}" + "".join(f"{name:>{max(width, 14)}}" for name in systems))
    for attacker, row in ranks.items():
        print(f"{attacker:38}" + "".join(f"{cell(row[s]):>{max(width, 14)}}" for s in systems))
    for title, of in (("worst", max), ("any of them", None)):
        cells = []
        for system in systems:
            hits = np.array([np.array(row[system]) == 0 for row in ranks.values()])
            share = of(hits.mean(axis=1)) if of else hits.any(axis=0).mean()
            cells.append(f"{share:.3f}     ")
        print(f"{title:38}" + "".join(f"{text:>{max(width, 14)}}" for text in cells))
    for system, edits in systems.items():
        counts = [beyond(document, edits[document.id]) for document in documents]
        changed, words = (sum(column) for column in zip(*counts, strict=True))
        print(
            f"{system}: {100 * changed / words:.2f} % of {words} words beyond annotations changed"
        )


def beyond(document: Document, edits: Sequence[Edit]) -> tuple[int, int]:
    """Content words outside masked mentions: how many an edit reaches into, and how many."""
    masked = [mention.span for mention in document.mentions if mention.masked]
    changed = words = 0
    for span in word_spans(document.text):
        content = any(map(is_content, folded_words(span.of(document.text))))
        if content and not any(span.overlaps(other) for other in masked):
            words += 1
            changed += any(span.overlaps(edit.span) for edit in edits)
    return changed, words


def cell(ranks: Sequence[int]) -> str:
    found = np.array(ranks)
    return f"{(found == 0).mean():.3f} {(found < 5).mean():.3f}"


if __name__ == "__main__":
    main()
