"""A quick look at edits for a TAB corpus: utility, inference, linkage, leaks, language.

    python eval/tab/measure.py --edits ours=out/edits.json --edits intact=published_intact.json \
        --background public.json tab_dev.json

``--original`` adds the unedited documents, ``--documents 20`` takes the first ones only.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from intact.domain import Document, Edit, IdentifierType, Mention, Span, apply_edits
from intact.evaluation.consistency import entity_consistency, surface_consistency
from intact.evaluation.inference import attackable, closed_pool_ranks
from intact.evaluation.information import FrequencyInformation
from intact.evaluation.labels import is_label
from intact.evaluation.leakage import strings_left
from intact.evaluation.pairs import MaskedString, masked_strings, pair
from intact.evaluation.similarity import similarities
from intact.evaluation.terms import LightSplitter
from intact.evaluation.tps import Weighted, preserved, weigh
from intact.models.embedder import SentenceEncoder

CACHE = Path(os.environ.get("INTACT_CACHE", Path.home() / ".cache" / "intact"))
GUESSES = 5


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("data", type=Path)
    parser.add_argument("--edits", action="append", default=[], metavar="NAME=FILE")
    parser.add_argument("--background", type=Path, help="{doc_id: public text}")
    parser.add_argument("--original", action="store_true")
    parser.add_argument("--documents", type=int)
    parser.add_argument("--json", type=Path, help="write the figures there too")
    options = parser.parse_args(argv)
    documents = read_tab(options.data)[: options.documents]
    near = options.data.parent.parent / "background" / "tab_dev_public10.json"
    background_file = options.background or (near if near.is_file() else None)
    background = json.loads(background_file.read_text()) if background_file else {}
    systems: dict[str, dict[str, tuple[Edit, ...]]] = {}
    if options.original:
        systems["original"] = {document.id: () for document in documents}
    for item in options.edits:
        name, _, file = item.partition("=")
        systems[name] = read_edits(Path(file), documents)
    encoder = SentenceEncoder(cache=CACHE)
    splitter, information = LightSplitter(), FrequencyInformation()
    weighted = [weigh(document, splitter, information) for document in documents]
    rows = {name: measure(weighted, edits, encoder, background) for name, edits in systems.items()}
    show(rows)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))


def measure(
    weighted: Sequence[Weighted],
    edits: Mapping[str, Sequence[Edit]],
    encoder: SentenceEncoder,
    background: Mapping[str, str],
) -> dict[str, float]:
    """All figures of one system, by name."""
    documents = [w.document for w in weighted]
    own = [edits[document.id] for document in documents]
    after = [apply_edits(d.text, tuple(e)) for d, e in zip(documents, own, strict=True)]
    kept = preserved(weighted, own, encoder)
    strings = masked_strings([pair(d, e) for d, e in zip(documents, own, strict=True)])
    near = similarities(encoder, [(s.before, s.after) for s in strings])
    row = {
        "TPS": mean([k.similarity for k in kept]),
        "TPI": mean([k.information for k in kept]),
        "span similarity": mean(near),
        "labels": mean(
            [is_label(s.after, s.entity_type) for s in strings if attackable(s.entity_type)]
        ),
    }
    row |= guessed(strings, encoder)
    if background:
        row["linkage"] = linked(background, [d.id for d in documents], after)
    left = [found for d, a in zip(documents, after, strict=True) for found in strings_left(d, a)]
    row["left: names etc."] = sum(not found.is_value for found in left)
    row["left: dates, quantities"] = sum(found.is_value for found in left)
    row |= consistency(documents, own) | grammar(documents, own)
    return row


def guessed(strings: Sequence[MaskedString], encoder: SentenceEncoder) -> dict[str, float]:
    attacked = [string for string in strings if attackable(string.entity_type)]
    hits = [0 <= rank < GUESSES for rank in closed_pool_ranks(attacked, encoder)]
    row = {f"guessed@{GUESSES}": mean(hits)}
    for kind in sorted({string.entity_type for string in attacked}):
        of_kind = [hit for s, hit in zip(attacked, hits, strict=True) if s.entity_type == kind]
        row[f"  {kind}"] = mean(of_kind)
    return row


def linked(background: Mapping[str, str], owners: Sequence[str], texts: Sequence[str]) -> float:
    """Top-1 by TF-IDF cosine over words and word pairs, of the owners the background has."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2))
    near = vectorizer.fit_transform(background.values())
    best = (vectorizer.transform(texts) @ near.T).toarray().argmax(axis=1)
    names = list(background)
    pairs = zip(owners, best, strict=True)
    return mean([names[at] == owner for owner, at in pairs if owner in background])


def consistency(documents: Sequence[Document], edits: Sequence[Sequence[Edit]]) -> dict[str, float]:
    pairs = list(zip(documents, edits, strict=True))
    entities = [entity_consistency(d, e) for d, e in pairs]
    surfaces = [surface_consistency(d, e) for d, e in pairs]
    return {
        "entities differing": sum(found.differing for found in entities),
        "  of": sum(found.groups for found in entities),
        "surfaces differing": sum(found.differing for found in surfaces),
        "  of ": sum(found.groups for found in surfaces),
    }


def grammar(documents: Sequence[Document], edits: Sequence[Sequence[Edit]]) -> dict[str, float]:
    """Defects by kind, as grammar.py beside this file counts them."""
    sys.path.insert(0, str(Path(__file__).parent))
    table: Any = importlib.import_module("grammar").table
    counts = table(
        {d.id: d.text for d in documents},
        {
            d.id: [[e.span.start, e.span.end, e.text] for e in own]
            for d, own in zip(documents, edits, strict=True)
        },
    )
    total = {"grammar": sum(counts.values())}
    return total | {f"  {kind}": counts[kind] for kind in sorted(counts)}


def show(rows: Mapping[str, Mapping[str, float]]) -> None:
    names = list(dict.fromkeys(name for row in rows.values() for name in row))
    width = max(12, *(len(system) + 2 for system in rows))
    print(f"{'':26}" + "".join(f"{system:>{width}}" for system in rows))
    for name in names:
        cells = "".join(f"{form(row.get(name)):>{width}}" for row in rows.values())
        print(f"{name:26}{cells}")


def form(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def mean(values: Sequence[float]) -> float:
    return float(sum(values) / len(values)) if values else 0.0


def read_tab(path: Path) -> list[Document]:
    """The documents of a TAB file as their first annotators saw them."""
    documents = []
    for item in json.loads(path.read_text(encoding="utf-8")):
        name, layer = next(iter(item["annotations"].items()))
        mentions = [
            Mention(
                id=m["entity_mention_id"],
                span=Span(m["start_offset"], m["end_offset"]),
                text=m["span_text"],
                entity_id=m["entity_id"],
                entity_type=m["entity_type"],
                identifier_type=IdentifierType(m["identifier_type"]),
            )
            for m in layer["entity_mentions"]
        ]
        documents.append(Document(item["doc_id"], item["text"], tuple(mentions), name))
    return documents


def read_edits(path: Path, documents: Sequence[Document]) -> dict[str, tuple[Edit, ...]]:
    """Edits by document; of two that overlap the first, longer one is kept."""
    data = json.loads(path.read_text(encoding="utf-8"))
    result = {}
    for document in documents:
        edits: list[Edit] = []
        for start, end, *text in sorted(data[document.id], key=lambda e: (e[0], -e[1])):
            if not edits or start >= edits[-1].span.end:
                edits.append(Edit(Span(start, end), text[0] if text else ""))
        result[document.id] = tuple(edits)
    return result


if __name__ == "__main__":
    main()
