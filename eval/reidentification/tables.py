"""The tables and curves of both re-identification papers, by masking and by the guard.

    python eval/reidentification/tables.py tab_dev.json --background public.json --out results
    python eval/reidentification/tables.py --biographies 400 --out results

Per method and k: per cent of words masked or changed, information loss (compressed size), and
the rate at which any attacker of the ensemble puts the true individual first (Morris et al. 2022,
table 2 and figure 2). The ensemble that measures is not the one that guards. Methods: masks
alone, and the guard, which generalises before it masks. Writes tables.json,
tables.md and pareto.png.
"""

from __future__ import annotations

import argparse
import json
import lzma
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib import import_module
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from intact.config import load_settings
from intact.domain import Document, Mention, SanitizedDocument
from intact.evaluation.corpus import read_corpus
from intact.evaluation.tps import word_spans
from intact.pipeline import build_pipeline
from intact.reidentification.attackers import others_ahead
from intact.reidentification.population import Population, open_population
from intact.verification import guard

FILTERS = ({"id": lzma.FILTER_LZMA2, "preset": 9, "dict_size": 1 << 20},)
DEPTHS = (1, 2, 5, 8, 10, 50, 100)
METHODS: Mapping[str, tuple[str, ...]] = {
    "guard": (),
}
LOOKS: Mapping[str, tuple[str, str]] = {
    "guard": ("#0072B2", "o"),
    "no edits": ("#000000", "X"),
    "annotated spans": ("#000000", "P"),
}
"""Okabe and Ito's colours, told apart by everybody, and a marker each."""
ENSEMBLE = ("tfidf", "bm25", "ridge")
DPI = 150
SCALE = DPI / 72  # pixels a point
NOTHING, ANNOTATED = "no edits", "annotated spans"
COLUMNS = ("method", "k", "% words", "info loss %", "rate", "protected")
FIGURES = (
    ("% words", "words, %", 1),
    ("info loss %", "information lost, %", 1),
    ("rate", "linked", 2),
    ("protected", "reached k", 0),
)
MEASURES = (
    "TF-IDF pairs, triples",
    "TF-IDF characters 3-5",
    "BM25 words, pairs, b .3",
    "likelihood of words",
)
"""Names of ``attackers.FAMILY``."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("data", type=Path, nargs="?")
    parser.add_argument("--background", type=Path, help="a source or a population")
    parser.add_argument("--biographies", type=int, help="make up so many instead")
    parser.add_argument("--documents", type=int, help="the first ones only")
    parser.add_argument("--depths", default=",".join(map(str, DEPTHS)))
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--draw", type=Path, help="only draw and print this tables.json")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    if not options.draw and not options.biographies and not (options.data and options.background):
        parser.error("give a corpus with --background, or --biographies N")
    options.out.mkdir(parents=True, exist_ok=True)
    if options.draw:
        rows = json.loads(options.draw.read_text())
        sys.stdout.write(markdown(rows))
    else:
        with TemporaryDirectory() as folder:
            documents, source = material(options, Path(folder))
            rows = table(documents[: options.documents], source, options)
        (options.out / "tables.json").write_text(json.dumps(rows, indent=1) + "\n")
        (options.out / "tables.md").write_text(markdown(rows))
    draw(rows, options.out / "pareto.png")


def material(options: Any, folder: Path) -> tuple[list[Document], Path]:
    """The documents, and the source of their population."""
    if options.biographies:
        sys.path.insert(0, str(Path(__file__).parent))
        profiles, texts = import_module("biographies").people(options.biographies)
        source = folder / "profiles.json"
        source.write_text(json.dumps(profiles))
        documents = [Document(name, text, ()) for name, text in list(texts.items())[:100]]
        return documents, source
    return list(read_corpus(options.data).documents), options.background


def table(documents: Sequence[Document], source: Path, options: Any) -> list[Any]:
    """A row a method and k; several processes make them, in order."""
    depths = [k for k in map(int, options.depths.split(",")) if k < open_population(source).size]
    wanted = [(NOTHING, 0)]
    if any(document.mentions for document in documents):
        wanted.append((ANNOTATED, 0))
    wanted += [(method, k) for method in options.methods.split(",") for k in depths]
    print("".join(f"{name:>16}" for name in COLUMNS), flush=True)
    rows = []
    work = partial(row, documents, source)
    with ProcessPoolExecutor(options.processes, get_context("spawn")) as pool:
        for found in pool.map(work, wanted):
            rows.append(found)
            print("".join(f"{value!s:>16}" for value in found.values()), flush=True)
    return rows


def row(documents: Sequence[Document], source: Path, wanted: tuple[str, int]) -> dict[str, Any]:
    """One method at one k, edited and measured."""
    sys.path.insert(0, str(Path(__file__).parent))
    family = import_module("attackers").FAMILY
    method, k = wanted
    population = open_population(source)
    if method == NOTHING:
        done = [plain(document) for document in documents]
    else:
        settings = [
            f"guard.background={json.dumps(str(source))}",
            f"guard.k={k}",
            "guard.max_words=0.99",
            *METHODS.get(method, ()),
        ]
        guard.ENSEMBLE, guard.LESSER = ENSEMBLE, ()  # of the papers
        pipeline = build_pipeline(load_settings(None, [] if method == ANNOTATED else settings))
        done = [pipeline.sanitize(document) for document in documents]
    judges = [family[name](population.texts) for name in MEASURES]
    return measured(method, k, done, judges, population)


def plain(document: Document) -> SanitizedDocument:
    untouched: tuple[Mention, ...] = ()
    return SanitizedDocument(Document(document.id, document.text, untouched), (), (), ())


def measured(
    method: str,
    k: int,
    done: Sequence[SanitizedDocument],
    judges: Sequence[Any],
    population: Population,
) -> dict[str, Any]:
    owners = [population.number(one.document.id) for one in done]
    found = [np.asarray(judge([one.text for one in done])) for judge in judges]
    hits = 0
    for owner, scores in zip(owners, zip(*found, strict=True), strict=True):
        hits += owner is not None and any(others_ahead(row, owner) == 0 for row in scores)
    before = sum(compressed_size(one.document.text) for one in done)
    after = sum(compressed_size(one.text) for one in done)
    return {
        "method": method,
        "k": k,
        "% words": round(100 * sum(map(changed, done)) / sum(map(words, done)), 2),
        "info loss %": round(100 * (1 - after / before), 2),
        "rate": round(hits / len(done), 4),
        "protected": sum(one.protected for one in done),
    }


def compressed_size(text: str) -> int:
    """Bytes of a text under LZMA2 without container (information loss, Morris et al. 2022, 6.4)."""
    return len(lzma.compress(text.encode(), format=lzma.FORMAT_RAW, filters=FILTERS))


def words(one: SanitizedDocument) -> int:
    return len(word_spans(one.document.text))


def changed(one: SanitizedDocument) -> int:
    return sum(len(word_spans(edit.span.of(one.document.text))) for edit in one.edits)


def markdown(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a table: a line for each measure without a guard, then lines by method by k."""
    plain_rows = [row for row in rows if not row["k"]]
    depths = sorted({row["k"] for row in rows if row["k"]})
    lines = [
        f"{row['method'].capitalize()}: words {row['% words']:.1f} %, "
        f"information lost {row['info loss %']:.1f} %, linked {row['rate']:.2f}.  "
        for row in plain_rows
    ]
    head = " | ".join(["method", "", *(f"k = {k}" for k in depths)])
    lines += ["", f"| {head} |", "| --- | --- |" + " ---: |" * len(depths)]
    for method in methods([row for row in rows if row["k"]]):
        own = {row["k"]: row for row in rows if row["method"] == method}
        for at, (figure, label, digits) in enumerate(FIGURES):
            cells = [f"{own[k][figure]:.{digits}f}" if k in own else "" for k in depths]
            lines.append(" | ".join([f"| {'' if at else method}", label, *cells]) + " |")
    return "\n".join(lines) + "\n"


def draw(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Rate against what it costs: words changed, and information lost; one line a method."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(
        1, 2, figsize=(11, 5), dpi=DPI, sharey=True, layout="constrained"
    )
    costs = (("% words", "words masked or changed, %"), ("info loss %", "information lost, %"))
    for axes, (cost, label) in zip(panels, costs, strict=True):
        across = [row[cost] for row in rows]
        axes.set_xlim(min(0, *across) - 2, max(across) * 1.1 + 2)
        axes.set_ylim(-0.09, max(row["rate"] for row in rows) * 1.08)
        lines(axes, rows, cost)
        axes.set_xlabel(label)
        axes.grid(color="0.92")
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("documents linked by an attacker not guarded against")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    figure.savefig(path)
    pyplot.close(figure)


def lines(axes: Any, rows: Sequence[Mapping[str, Any]], cost: str) -> None:
    """The methods of one panel; the first and last point of each line tell its k, where there
    is room."""
    taken = [point for method in methods(rows) for point in along(rows, method, cost)]
    for method in methods(rows):
        own = sorted((r for r in rows if r["method"] == method), key=lambda r: int(r["k"]))
        across, up = [r[cost] for r in own], [r["rate"] for r in own]
        colour, marker = LOOKS.get(method, ("#000000", "*"))
        axes.plot(across, up, color=colour, marker=marker, markersize=6, lw=1.6, label=method)
        for at in sorted({0, len(own) - 1}) if own[0]["k"] else ():
            beside(axes, f"k={own[at]['k']}", (across[at], up[at]), colour, taken)


def methods(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(row["method"] for row in rows))


def along(
    rows: Sequence[Mapping[str, Any]], method: str, cost: str
) -> Iterator[tuple[float, float]]:
    """Points of a method's line, close enough that no label fits between."""
    own = [(r[cost], r["rate"]) for r in rows if r["method"] == method]
    yield from own
    for (left, low), (right, high) in pairwise(own):
        for part in range(1, 20):
            yield left + (right - left) * part / 20, low + (high - low) * part / 20


def beside(
    axes: Any,
    text: str,
    point: tuple[float, float],
    colour: str,
    taken: list[tuple[float, float]],
) -> None:
    """Writes beside a point where no other point or label is; not at all where all is full."""
    axes.figure.canvas.draw()
    here = axes.transData.transform(point)
    for dx, dy, side in ((8, 0, "left"), (-8, 0, "right"), (0, 14, "center"), (0, -14, "center")):
        shift = {"left": 22, "right": -22, "center": 0}[side]
        middle = (here[0] + (dx + shift) * SCALE, here[1] + dy * SCALE)
        near = [
            1
            for other in map(axes.transData.transform, taken)
            if abs(other[0] - middle[0]) < 24 * SCALE and abs(other[1] - middle[1]) < 9 * SCALE
        ]
        if not near and axes.bbox.contains(*middle):
            style = {"ha": side, "va": "center", "fontsize": 8, "color": colour}
            axes.annotate(text, point, xytext=(dx, dy), textcoords="offset points", **style)
            taken.append(tuple(axes.transData.inverted().transform(middle)))
            return


if __name__ == "__main__":
    main()
