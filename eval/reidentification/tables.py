"""The tables and curves of both re-identification papers, by masking and by the guard.

    python eval/reidentification/tables.py tab_dev.json --background public.json --out results
    python eval/reidentification/tables.py --biographies 400 --out results

Per method and k: per cent of words masked or changed, information loss (compressed size), and
the rate at which any attacker of the ensemble puts the true individual first (Morris et al. 2022,
table 2 and figure 2). The ensemble that measures is not the one that guards. Methods: greedy
masks, random masks (both of the slides on disclosure risk), greedy masks against the inverted
index, and the guard, which generalises before it masks. Writes tables.json and pareto.png.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from intact.build import build_pipeline
from intact.config import load_settings
from intact.domain import Document, Mention, SanitizedDocument
from intact.evaluation.information_loss import compressed_size
from intact.evaluation.terms import word_spans
from intact.population.index import Population
from intact.population.ranking import rank_of, reidentifiers

DEPTHS = (1, 2, 5, 8, 10, 50, 100)
METHODS: Mapping[str, tuple[str, ...]] = {
    "guard": (),
    "greedy masks": ("guard.edit=mask",),
    "random masks": ("guard.edit=mask", "guard.order=random"),
    "index masks": ("guard.edit=mask", 'guard.ensemble=["boolean"]'),
}
GUARDS = 'guard.ensemble=["tfidf","bm25","discriminant"]'
MEASURES = ("pairs", "stems", "grams", "bm25_pairs")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("data", type=Path, nargs="?")
    parser.add_argument("--background", type=Path, help="a source or a population")
    parser.add_argument("--biographies", type=int, help="make up so many instead")
    parser.add_argument("--documents", type=int, help="the first ones only")
    parser.add_argument("--depths", default=",".join(map(str, DEPTHS)))
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--measures", default=",".join(MEASURES))
    parser.add_argument("--suppressed", action="store_true", help="mask annotated spans first")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as folder:
        documents, population = material(options, Path(folder))
        documents = documents[: options.documents]
        rows = table(documents, population, options)
    (options.out / "tables.json").write_text(json.dumps(rows, indent=1) + "\n")
    draw(rows, options.out / "pareto.png")


def material(options: Any, folder: Path) -> tuple[list[Document], Population]:
    from intact.population.building import build
    from intact.population.index import is_population
    from intact.population.sources import read_people
    from intact.population.variance import Variance

    if options.biographies:
        sys.path.insert(0, str(Path(__file__).parent))
        profiles, texts = import_module("biographies").people(options.biographies)
        source = folder / "profiles.json"
        source.write_text(json.dumps(profiles))
        documents = [Document(name, text, ()) for name, text in list(texts.items())[:100]]
        return documents, build(read_people(source, Variance()), folder / "pop", keep_texts=True)
    if is_population(options.background):
        population = Population(options.background)
    else:
        people = read_people(options.background, Variance())
        population = build(people, folder / "pop", keep_texts=True)
    sys.path.insert(0, str(Path(__file__).parents[1] / "tab"))
    return import_module("measure").read_tab(options.data), population


def table(documents: Sequence[Document], population: Population, options: Any) -> list[Any]:
    judges = reidentifiers(population, options.measures.split(","))
    head = ("method", "k", "% words", "info loss %", "rate", "protected")
    print("".join(f"{name:>14}" for name in head))
    rows = [tell("no edits", 0, [plain(document) for document in documents], judges, population)]
    if any(document.mentions for document in documents):
        base = [build_pipeline(load_settings()).sanitize(document) for document in documents]
        rows.append(tell("annotated spans", 0, base, judges, population))
    for method in options.methods.split(","):
        for k in map(int, options.depths.split(",")):
            if k < population.size:
                settings = load_settings(
                    None,
                    [
                        f"guard.background={json.dumps(str(population.folder))}",
                        GUARDS,
                        f"guard.k={k}",
                        "guard.max_words=0.99",
                        *METHODS[method],
                    ],
                )
                pipeline = build_pipeline(settings)
                done = [pipeline.sanitize(document) for document in documents]
                rows.append(tell(method, k, done, judges, population))
    return rows


def plain(document: Document) -> SanitizedDocument:
    untouched: tuple[Mention, ...] = ()
    return SanitizedDocument(Document(document.id, document.text, untouched), (), (), ())


def tell(
    method: str,
    k: int,
    done: Sequence[SanitizedDocument],
    judges: Sequence[Any],
    population: Population,
) -> dict[str, Any]:
    owners = [population.number(one.document.id) for one in done]
    found = [judge.scores([one.text for one in done]) for judge in judges]
    hits = 0
    for owner, scores in zip(owners, zip(*found, strict=True), strict=True):
        hits += owner is not None and any(rank_of(row, owner) == 0 for row in scores)
    before = sum(compressed_size(one.document.text) for one in done)
    after = sum(compressed_size(one.text) for one in done)
    row = {
        "method": method,
        "k": k,
        "% words": round(100 * sum(map(changed, done)) / sum(map(words, done)), 2),
        "info loss %": round(100 * (1 - after / before), 2),
        "rate": round(hits / len(done), 4),
        "protected": sum(one.protected for one in done),
    }
    print("".join(f"{value!s:>14}" for value in row.values()), flush=True)
    return row


def words(one: SanitizedDocument) -> int:
    return len(word_spans(one.document.text))


def changed(one: SanitizedDocument) -> int:
    return sum(len(word_spans(edit.span.of(one.document.text))) for edit in one.edits)


def draw(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Rate against per cent of words, one line a method."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4))
    for method in dict.fromkeys(row["method"] for row in rows):
        own = sorted((r["% words"], r["rate"]) for r in rows if r["method"] == method)
        axes.plot(*zip(*own, strict=True), marker="o", label=method)
    axes.set_xlabel("words masked or changed, %")
    axes.set_ylabel("re-identified by any attacker not guarded against")
    axes.set_ylim(bottom=0)
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=150)


if __name__ == "__main__":
    main()
