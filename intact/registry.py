"""Names to parts: what a configuration or a command line may ask for by name.

Every kind of part is found the same way: built-in parts are written here as
``"module:attribute"`` and imported when used, so that a listing costs nothing; other packages add
theirs through entry points of the group ``intact.<kind>``. What is found is called with

=============  =====================================================  =========================
kind           called with                                            gives
=============  =====================================================  =========================
generator      ``build.Components``                                   ``protocols.Generator``
attacker       ``build.Components``                                   ``protocols.Attacker``
selector       ``build.Components``                                   ``protocols.Selector``
detector       ``DetectionSettings``, a function opening knowledge    ``findings.Finder``
model          ``ModelSettings``                                      ``protocols.LanguageModel``
format         nothing, or the name of a column                       ``formats.base.Format``
metric         ``EvaluationContext``                                  ``evaluation.metric.Metric``
reidentifier   ``Population``, or that and what follows a colon       ``ranking.Reidentifier``
command        nothing: it is a function or a ``typer.Typer``         a command of ``intact``
=============  =====================================================  =========================
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import EntryPoints, entry_points
from typing import Any

from intact.errors import ConfigError, MissingExtraError

BUILT_IN: dict[str, dict[str, str]] = {
    "metric": {
        "tps": "intact.evaluation.tps:TextPreservedSimilarity",
        "tpi": "intact.evaluation.tps:TextPreservedInformation",
        "span_similarity": "intact.evaluation.tps:SpanSimilarity",
        "inference": "intact.evaluation.inference:ClosedPoolInference",
        "attack": "intact.evaluation.inference:AttackerInference",
        "trir": "intact.evaluation.trir:ReidentificationRisk",
        "trir_encoder": "intact.evaluation.trir:ReidentificationRiskByEncoder",
        "guard": "intact.evaluation.trir:GuardReached",
        "truthful": "intact.evaluation.judge:Truthful",
        "less_specific": "intact.evaluation.judge:LessSpecific",
        "contradicted": "intact.evaluation.judge:Containment",
        "recall": "intact.evaluation.detection:DetectionRecall",
        "precision": "intact.evaluation.detection:DetectionPrecision",
        "left": "intact.evaluation.strings:StringsLeft",
        "parts_left": "intact.evaluation.strings:PartsLeft",
        "inconsistent": "intact.evaluation.strings:EntityConsistency",
        "grammar": "intact.evaluation.grammar:GrammarDefects",
        "unlikely": "intact.evaluation.grammar:Unlikely",
        "labels": "intact.evaluation.strings:LabelShare",
        "words_changed": "intact.evaluation.tps:WordsChanged",
    },
    "reidentifier": {
        "tfidf": "intact.reidentification.linear:tfidf",
        "bm25": "intact.reidentification.linear:bm25",
        "ridge": "intact.reidentification.linear:ridge",
        "ridge_grams": "intact.reidentification.linear:ridge_grams",
        "naive_bayes": "intact.reidentification.linear:naive_bayes",
        "encoder": "intact.reidentification.encoder:EncoderReidentifier",
    },
    "format": {
        "text": "intact.formats.base:TextFormat",
        "tab": "intact.formats.jsonl:TabFormat",
        "jsonl": "intact.formats.jsonl:JsonlFormat",
        "labelstudio": "intact.formats.tools:LabelStudioFormat",
        "presidio": "intact.formats.tools:PresidioFormat",
        "docbin": "intact.formats.tools:DocBinFormat",
        "csv": "intact.formats.tables:CsvFormat",
        "parquet": "intact.formats.tables:ParquetFormat",
        "docx": "intact.formats.markup:DocxFormat",
        "html": "intact.formats.markup:HtmlFormat",
    },
    "generator": {
        "dates": "intact.build:date_generator",
        "quantities": "intact.build:quantity_generator",
        "knowledge": "intact.build:knowledge_generator",
        "llm": "intact.build:llm_generator",
    },
    "attacker": {
        "knowledge": "intact.build:knowledge_attacker",
        "llm": "intact.build:llm_attacker",
        "evidence": "intact.build:evidence_finder",
    },
    "selector": {
        "rounds": "intact.build:rounds_selector",
        "sequential": "intact.build:sequential_selector",
    },
    "detector": {
        "patterns": "intact.detection.factory:patterns",
        "knowledge": "intact.detection.factory:knowledge",
        "presidio": "intact.detection.factory:presidio",
        "spacy": "intact.detection.factory:spacy",
        "tagger": "intact.detection.factory:tagger",
    },
    "model": {
        "llamacpp": "intact.models.load:llamacpp",
        "transformers": "intact.models.load:transformers",
        "openai": "intact.models.load:openai",
        "rehearsal": "intact.models.counted:RehearsalModel",
    },
    "command": {
        "sanitize": "intact.cli.sanitize:sanitize",
        "preview": "intact.cli.preview:preview",
        "review": "intact.cli.review:review",
        "verify": "intact.cli.explain:verify",
        "explain": "intact.cli.explain:explain",
        "detect": "intact.cli.detect:app",
        "convert": "intact.cli.convert:convert",
        "serve": "intact.cli.serve:serve",
        "evaluate": "intact.cli.evaluate:evaluate",
        "tune": "intact.cli.tune:tune",
        "report": "intact.cli.results:report",
        "compare": "intact.cli.results:compare",
        "background": "intact.cli.reid:background_app",
        "reid": "intact.cli.reid:app",
        "context": "intact.cli.context:context",
        "intruder": "intact.cli.intruder:app",
        "cache": "intact.cli.config:cache",
        "config": "intact.cli.config:app",
        "doctor": "intact.cli.doctor:doctor",
        "models": "intact.cli.models:app",
    },
}
"""Kind -> name -> where it is."""


def names(kind: str) -> tuple[str, ...]:
    """The names known for ``kind``, built-in first."""
    own = BUILT_IN.get(kind, {})
    return (*own, *(point.name for point in _others(kind) if point.name not in own))


def load(kind: str, name: str) -> Callable[..., Any]:
    """What is registered as ``name``.

    Args:
        kind: one of the table above.
        name: as listed by ``names``.

    Raises:
        ConfigError: if there is none; the message lists those there are.
        MissingExtraError: if its module needs a package that is not installed.
    """
    target = BUILT_IN.get(kind, {}).get(name)
    try:
        if target is not None:
            module, _, attribute = target.partition(":")
            found: Callable[..., Any] = getattr(import_module(module), attribute)
            return found
        for point in _others(kind):  # looks through all installed packages
            if point.name == name:
                loaded: Callable[..., Any] = point.load()
                return loaded
    except ModuleNotFoundError as error:
        raise _missing(kind, name, error) from None
    raise ConfigError(
        f"there is no {kind} called {name!r}", remedy=f"Known: {', '.join(names(kind))}."
    )


def make(kind: str, name: str, *given: Any) -> Any:
    """The part called ``name``, made of what its kind is given.

    Args:
        kind: one of the table above.
        name: as listed by ``names``.
        given: what the table says parts of this kind are called with.

    Raises:
        ConfigError: if there is none; the message lists those there are.
        MissingExtraError: if it needs a package that is not installed.
    """
    factory = load(kind, name)
    try:
        return factory(*given)
    except ModuleNotFoundError as error:
        raise _missing(kind, name, error) from None


def _others(kind: str) -> EntryPoints:
    return entry_points(group=f"intact.{kind}")


def _missing(kind: str, name: str, error: ModuleNotFoundError) -> MissingExtraError:
    """The error for a part that needs a package which is not installed."""
    return MissingExtraError.of_module(error.name or "", f"the {kind} {name!r}")
