"""A quick look at edits for a TAB corpus: utility, inference, linkage, leaks, language.

    python eval/tab/measure.py --edits ours=out/edits.json --edits intact=published_intact.json \
        --background public.json tab_dev.json

Definitions and code are those of ``intact evaluate`` but for the units, which docs/metrics.md
compares. ``--original`` adds the unedited documents, ``--documents 20`` takes the first ones only.
"""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from intact.domain import SanitizedDocument
from intact.evaluation.consistency import entity_consistency, surface_consistency
from intact.evaluation.corpus import read_corpus, read_system
from intact.evaluation.grammar import places_of_defects
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
    corpus = read_corpus(options.data)
    documents = corpus.documents[: options.documents]
    near = options.data.parent.parent / "background" / "tab_dev_public10.json"
    background_file = options.background or (near if near.is_file() else None)
    background = json.loads(background_file.read_text()) if background_file else {}
    systems: dict[str, Sequence[SanitizedDocument]] = {}
    if options.original:
        systems["original"] = [pair(document, ()) for document in documents]
    for item in options.edits:
        name, _, file = item.partition("=")
        systems[name] = read_system(Path(file), name, corpus, print)[: options.documents]
    encoder = SentenceEncoder(cache=CACHE)
    splitter, information = LightSplitter(), FrequencyInformation()
    weighted = [weigh(document, splitter, information) for document in documents]
    rows = {name: measure(weighted, pairs, encoder, background) for name, pairs in systems.items()}
    show(rows)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))


def measure(
    weighted: Sequence[Weighted],
    pairs: Sequence[SanitizedDocument],
    encoder: SentenceEncoder,
    background: Mapping[str, str],
) -> dict[str, float]:
    """All figures of one system, by name."""
    kept = preserved(weighted, [one.edits for one in pairs], encoder)
    strings = masked_strings(pairs)
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
        row["linkage"] = linked(
            background, [one.document.id for one in pairs], [one.text for one in pairs]
        )
    left = [found for one in pairs for found in strings_left(one.document, one.text)]
    row["left: names etc."] = sum(not found.is_value for found in left)
    row["left: dates, quantities"] = sum(found.is_value for found in left)
    return row | consistency(pairs) | grammar(pairs)


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


def consistency(pairs: Sequence[SanitizedDocument]) -> dict[str, float]:
    entities = [entity_consistency(one.document, one.edits) for one in pairs]
    surfaces = [surface_consistency(one.document, one.edits) for one in pairs]
    return {
        "entities differing": sum(found.differing for found in entities),
        "  of": sum(found.groups for found in entities),
        "surfaces differing": sum(found.differing for found in surfaces),
        "  of ": sum(found.groups for found in surfaces),
    }


def grammar(pairs: Sequence[SanitizedDocument]) -> dict[str, float]:
    """Counts of the package's language defects, by kind."""
    counts = Counter(kind for pair in pairs for kind, _ in places_of_defects(pair))
    rows: dict[str, float] = {"grammar": counts.total()}
    return rows | {f"  {kind}": counts[kind] for kind in sorted(counts)}


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


if __name__ == "__main__":
    main()
