"""The results of an evaluation: systems, their scores, what was not measured; to JSON and back."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from intact import __version__
from intact.domain import Score
from intact.errors import FormatError, MissingExtraError, NotMeasuredError
from intact.evaluation.metric import Metric, Pairs

VERSION = 1
"""Of the JSON."""

Scores = dict[str, Score]


@dataclass(frozen=True, slots=True)
class Results:
    """Scores by system and metric.

    Attributes:
        systems: name -> metric -> score, in the order given; parts are named "metric/part".
        titles: metric -> its title and whether more or less is better ("higher", "lower", "").
        skipped: metric -> why it was not measured.
        warnings: what a reader should know of the numbers.
        documents: how many documents were evaluated.
    """

    systems: Mapping[str, Scores]
    titles: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    skipped: Mapping[str, str] = field(default_factory=dict)
    warnings: Sequence[str] = ()
    documents: int = 0

    @property
    def metrics(self) -> list[str]:
        """All metrics and parts that some system has, in order."""
        return list(dict.fromkeys(name for scores in self.systems.values() for name in scores))


def evaluate(
    measures: Sequence[Metric], systems: Mapping[str, Pairs], warnings: Sequence[str] = ()
) -> Results:
    """Scores every system by every measure. One that no system has what it needs for is skipped,
    with why.

    ``warnings`` is read when all is done, so measures may add to it meanwhile.
    """
    scores: dict[str, Scores] = {name: {} for name in systems}
    skipped: dict[str, str] = {}
    for measure in measures:
        whys = []
        for name, pairs in systems.items():
            try:
                scores[name].update({score.name: score for score in measure.scores(pairs)})
            except (NotMeasuredError, MissingExtraError) as error:
                whys.append(str(error))
        if whys and len(whys) == len(systems):
            skipped[measure.name] = whys[0]
    return Results(
        systems=scores,
        titles={measure.name: (measure.title, measure.better) for measure in measures},
        skipped=skipped,
        warnings=tuple(dict.fromkeys(warnings)),
        documents=max((len(pairs) for pairs in systems.values()), default=0),
    )


def to_json(results: Results) -> dict[str, Any]:
    """``results`` as JSON data; values that are no numbers become null."""
    return {
        "intact": __version__,
        "version": VERSION,
        "documents": results.documents,
        "metrics": {
            name: {"title": title, "better": better}
            for name, (title, better) in results.titles.items()
        },
        "skipped": dict(results.skipped),
        "warnings": list(results.warnings),
        "systems": {
            system: {name: _score_json(score) for name, score in scores.items()}
            for system, scores in results.systems.items()
        },
    }


def from_json(data: Any, where: str) -> Results:
    """The results in JSON data.

    Raises:
        FormatError: if it is none.
    """
    try:
        return Results(
            systems={
                system: {name: _score(name, item) for name, item in scores.items()}
                for system, scores in data["systems"].items()
            },
            titles={
                name: (item["title"], item["better"])
                for name, item in data.get("metrics", {}).items()
            },
            skipped=data.get("skipped", {}),
            warnings=tuple(data.get("warnings", ())),
            documents=data.get("documents", 0),
        )
    except (KeyError, TypeError, AttributeError, ValueError):
        raise FormatError(
            "these are no results", where=where, remedy="Give a results.json of intact evaluate."
        ) from None


def rows(results: Results) -> Iterator[tuple[str, str, str, str, str, int, str]]:
    """(system, metric, value, low, high, n, signature) of every score, numbers as text."""
    for system, scores in results.systems.items():
        for name, score in scores.items():
            low, high = score.interval or (math.nan, math.nan)
            yield (
                system,
                name,
                _text(score.value),
                _text(low),
                _text(high),
                score.n,
                score.signature,
            )


def document_rows(results: Results) -> Iterator[tuple[str, str, str, str, str]]:
    """(document, system, metric, value, weight) of every score that is kept by document."""
    for system, scores in results.systems.items():
        for name, score in scores.items():
            for document, value in score.per_document.items():
                weight = score.weights.get(document, 1.0)
                yield document, system, name, _text(value), _text(weight)


def _score_json(score: Score) -> dict[str, Any]:
    low, high = score.interval or (None, None)
    data: dict[str, Any] = {
        "value": _number(score.value),
        "interval": None if score.interval is None else [_number(low), _number(high)],
        "n": score.n,
        "signature": score.signature,
        "per_document": {key: _number(value) for key, value in score.per_document.items()},
    }
    if score.weights:
        data["weights"] = {key: _number(value) for key, value in score.weights.items()}
    return data


def _score(name: str, data: Mapping[str, Any]) -> Score:
    interval = data.get("interval")
    return Score(
        name=name,
        value=math.nan if data["value"] is None else float(data["value"]),
        n=int(data["n"]),
        signature=str(data["signature"]),
        interval=None if interval is None else (float(interval[0]), float(interval[1])),
        per_document={key: float(value) for key, value in data.get("per_document", {}).items()},
        weights={key: float(value) for key, value in data.get("weights", {}).items()},
    )


def _number(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else round(float(value), 6)


def _text(value: float) -> str:
    number = _number(value)
    return "" if number is None else f"{number:.6g}"
