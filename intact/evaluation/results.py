"""The scores of systems on a corpus, and the results as JSON."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from intact import __version__
from intact.domain import Document, Edit, SanitizedDocument, Score
from intact.errors import EditsError, FormatError, MissingExtraError, NotMeasuredError, loading
from intact.evaluation.corpus import check_fit, pair
from intact.evaluation.metric import EvaluationContext, Metric, Pairs
from intact.formats.base import read_json
from intact.formats.outcome import edits_of_items
from intact.protocols import load_part, part_names

# Metrics that are measured only if they are named: they train for minutes, or ask a model.
SLOW = ("trir_encoder", "reader")

# Edits by document id, as ``Edit`` or as files have them; or sanitised documents.
System = Mapping[str, Sequence[Edit | Sequence[int | str]]] | Iterable[SanitizedDocument]

VERSION = 1  # of the JSON
Scores = dict[str, Score]


@dataclass(frozen=True, slots=True)
class Results:
    """Scores by system and metric."""

    systems: Mapping[str, Scores]  # name -> metric -> score; parts are named "metric/part"
    # Metric -> (its title, whether "higher" or "lower" is better).
    titles: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    skipped: Mapping[str, str] = field(default_factory=dict)  # metric -> why it was not measured
    warnings: Sequence[str] = ()
    documents: int = 0  # number of documents

    @property
    def metrics(self) -> list[str]:
        """List the names of all metrics and parts ("recall", "recall/direct") that any system has,
        each once, in the order of the systems' scores."""
        return list(dict.fromkeys(chain(*self.systems.values())))


def evaluate(
    originals: Iterable[Document],
    systems: Mapping[str, System],
    metrics: Sequence[str] | None = None,
    *,
    background: Mapping[str, str] | None = None,
    seed: int = 0,
    context: EvaluationContext | None = None,
) -> Results:
    """Score every system by every metric, as ``intact evaluate`` does. Return the scores by system
    and metric, with warnings.

    A metric that can be measured for no system is left out; ``skipped`` states why. One that can be
    measured for some has scores for these alone.

    Args:
        originals: the documents before sanitisation, with their annotations.
        systems: by name: edits by document id (``Edit``s, or ``[start, end, "replacement"]`` as in
            an edits file; not overlapping), or sanitised documents. Each must have all documents.
        metrics: names (docs/metrics.md); None is all except the slow ones.
        background: public text by individual, for attacks that re-identify.
        seed: of everything that is drawn: samples, bootstraps.
        context: everything that metrics may use: another encoder, attackers, several annotators. If
            given, its background and seed are used, not those above.

    Raises:
        ConfigError: if there is no metric of a name.
        EditsError: if a system lacks a document, has an unknown one, or edits that do not fit.
        MissingExtraError: if a package that evaluates is not installed.
    """
    documents = {document.id: document for document in originals}
    given = context or EvaluationContext(background=background or {}, seed=seed)
    warnings: list[str] = []

    def warn(message: str) -> None:
        warnings.append(message)
        given.warn(message)

    chosen = chosen_metrics(metrics, replace(given, warn=warn))
    known = {name: _pairs(documents, system, name) for name, system in systems.items()}
    return replace(score(chosen, known), warnings=tuple(dict.fromkeys(warnings)))


def chosen_metrics(names: Sequence[str] | None, context: EvaluationContext) -> list[Metric]:
    """Return the metrics with the names asked for, ready to score, each once, in the order of the
    names.

    Args:
        names: None, "all" or an empty sequence are all except the slow ones.
        context: what the metrics may use.

    Raises:
        ConfigError: if there is no metric of a name.
    """
    every = [name for name in part_names("metric") if name not in SLOW]
    wanted = [names] if isinstance(names, str) else names or ("all",)
    chosen = dict.fromkeys(one for name in wanted for one in (every if name == "all" else [name]))
    return [load_part("metric", name)(context) for name in chosen]


def score(metrics: Sequence[Metric], systems: Mapping[str, Pairs]) -> Results:
    """Score every system by every metric. Return the scores by system and metric; a metric that can
    be measured for no system is in ``skipped`` with the reason, and one that can be measured for
    some has scores for these alone.

    Args:
        metrics: each scores all systems, and keeps what depends on the originals alone.
        systems: by name: the corpus's documents, each with the system's edits.
    """
    scores: dict[str, Scores] = {name: {} for name in systems}
    skipped: dict[str, str] = {}
    for metric in metrics:
        whys = []
        for name, pairs in systems.items():
            try:
                scores[name].update({score.name: score for score in metric.scores(pairs)})
            except (NotMeasuredError, MissingExtraError) as error:
                whys.append(str(error))
        if whys and len(whys) == len(systems):
            skipped[metric.name] = whys[0]
    return Results(
        systems=scores,
        titles={metric.name: (metric.title, metric.better) for metric in metrics},
        skipped=skipped,
        documents=max((len(pairs) for pairs in systems.values()), default=0),
    )


def _pairs(documents: Mapping[str, Document], system: System, name: str) -> Pairs:
    """Check one system's edits, and return its documents in the originals' order. Raise an
    ``EditsError`` if a document is missing, unknown or of another text, or if edits do not fit or
    overlap.

    Args:
        documents: the originals, by id.
        system: its edits or sanitised documents.
        name: of the system, for messages.
    """
    if isinstance(system, Mapping):
        given: dict[str, SanitizedDocument] = {}
        edits = {k: edits_of_items(own, f"{name}, document {k}") for k, own in system.items()}
    else:
        given = {one.document.id: one for one in system}
        edits = {key: one.edits for key, one in given.items()}
    check_fit(edits, documents.values(), name)
    for key, own in edits.items():
        if key in given and given[key].document.text != documents[key].text:
            raise EditsError(f"the document {key} has another text", where=name)
        if any(b.span.start < a.span.end for a, b in pairwise(own)):
            raise EditsError("two edits overlap", where=f"{name}, document {key}")
    paired = (given.get(key) or pair(one, edits[key]) for key, one in documents.items())
    return [replace(done, document=documents[done.document.id]) for done in paired]


_ROUNDED = json.JSONDecoder(parse_float=lambda number: round(float(number), 6))


def as_data(results: Results) -> dict[str, Any]:
    """Return results as the JSON data of a results file: its versions, the number of documents,
    titles of the metrics, what was skipped and why, warnings, and system -> metric -> score.
    Numbers are rounded to six decimal places; NaN becomes null."""
    data = _ROUNDED.decode(TypeAdapter(Results).dump_json(results).decode("utf-8"))
    for score in chain(*(scores.values() for scores in data["systems"].values())):
        del score["name"]
        if not score["weights"]:
            del score["weights"]
    titles = data["titles"].items()
    data["metrics"] = {name: {"title": title, "better": better} for name, (title, better) in titles}
    names = ("documents", "metrics", "skipped", "warnings", "systems")
    return {"intact": __version__, "version": VERSION} | {name: data[name] for name in names}


def read_results(path: Path) -> Results:
    """Read the results that ``intact evaluate`` wrote; a value of null becomes NaN.

    Args:
        path: a results.json, or the folder that it lies in.

    Raises:
        InputError: if the file cannot be read or holds no results.
    """
    path = path / "results.json" if path.is_dir() else path
    data = read_json(path)
    with loading("these are no results", path, kind=FormatError):
        metrics = data.get("metrics", {}).items()
        data["titles"] = {name: (one["title"], one["better"]) for name, one in metrics}
        for name, item in chain(*(scores.items() for scores in data["systems"].values())):
            item |= {"name": name, "value": math.nan if item["value"] is None else item["value"]}
        return TypeAdapter(Results).validate_python(data)


def rows(results: Results) -> Iterator[tuple[str, str, str, str, str, int, str]]:
    """Yield (system, metric, value, low, high, n, signature) of every score, system after system;
    values and the bounds of the 95 % interval as text, "" where there are none."""
    for system, scores in results.systems.items():
        for name, score in scores.items():
            low, high = map(_text, score.interval or (math.nan, math.nan))
            yield system, name, _text(score.value), low, high, score.n, score.signature


def document_rows(results: Results) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield (document, system, metric, value, weight) of every score that is kept by document,
    system after system; value and weight as text."""
    for system, scores in results.systems.items():
        for name, score in scores.items():
            for document, value in score.per_document.items():
                yield document, system, name, _text(value), _text(score.weights.get(document, 1.0))


def _text(value: float) -> str:
    """Return a number as text with six significant digits; "" for one that is not finite."""
    return f"{value:.6g}" if math.isfinite(value) else ""
