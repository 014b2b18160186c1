"""Names to factories: what a configuration may ask for by name.

Built-in parts are written as ``"module:attribute"`` and imported when used, so that a listing
costs nothing. Other packages add theirs through entry points of the group ``intact.<kind>``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from intact.errors import ConfigError, MissingExtraError

BUILT_IN: dict[str, dict[str, str]] = {
    "metric": {
        "tps": "intact.evaluation.tps:TextPreservedSimilarity",
        "tpi": "intact.evaluation.tps:TextPreservedInformation",
        "span_similarity": "intact.evaluation.tps:SpanSimilarity",
        "inference": "intact.evaluation.inference:ClosedPoolInference",
        "attack": "intact.evaluation.inference:AttackerInference",
        "trir": "intact.evaluation.trir.risk:ReidentificationRisk",
        "trir_encoder": "intact.evaluation.trir.risk:ReidentificationRiskByEncoder",
        "guard": "intact.evaluation.guarded:GuardReached",
        "truthful": "intact.evaluation.truthfulness:Truthful",
        "less_specific": "intact.evaluation.truthfulness:LessSpecific",
        "contradicted": "intact.evaluation.truthfulness:Containment",
        "nmi": "intact.evaluation.clusters:ClusterAgreement",
        "recall": "intact.evaluation.detection:DetectionRecall",
        "precision": "intact.evaluation.detection:DetectionPrecision",
        "spans": "intact.evaluation.detection:SpanMatch",
        "left": "intact.evaluation.leakage:StringsLeft",
        "parts_left": "intact.evaluation.leakage:PartsLeft",
        "inconsistent": "intact.evaluation.consistency:EntityConsistency",
        "grammar": "intact.evaluation.grammar:GrammarDefects",
        "labels": "intact.evaluation.labels:LabelShare",
        "words_changed": "intact.evaluation.words_changed:WordsChanged",
        "information_loss": "intact.evaluation.information_loss:InformationLoss",
        "construct": "intact.evaluation.construct:ConstructLoss",
        "utility_loss": "intact.evaluation.utility:UtilityLoss",
    },
    "format": {
        "tab": "intact.formats.tab:TabFormat",
        "jsonl": "intact.formats.jsonl:JsonlFormat",
        "text": "intact.formats.plain:PlainFormat",
        "standoff": "intact.formats.standoff:StandoffFormat",
        "brat": "intact.formats.brat:BratFormat",
        "doccano": "intact.formats.doccano:DoccanoFormat",
        "labelstudio": "intact.formats.labelstudio:LabelStudioFormat",
        "presidio": "intact.formats.presidio:PresidioFormat",
        "docbin": "intact.formats.docbin:DocBinFormat",
        "conll": "intact.formats.conll:ConllFormat",
        "webanno": "intact.formats.webanno:WebannoFormat",
        "csv": "intact.formats.csv_table:CsvFormat",
        "parquet": "intact.formats.parquet:ParquetFormat",
        "docx": "intact.formats.docx_file:DocxFormat",
        "html": "intact.formats.html_page:HtmlFormat",
    },
}
"""Kind -> name -> where it is. What several parts share is put together in ``build``, so the
generators, attackers and detectors of INTACT itself are there."""

EXTRAS = {"llm": "llm"}
"""Parts that need an extra, and which."""


def names(kind: str) -> Iterator[str]:
    """The names known for ``kind``, built-in first."""
    own = BUILT_IN.get(kind, {})
    yield from own
    for point in entry_points(group=f"intact.{kind}"):
        if point.name not in own:
            yield point.name


def missing(kind: str, name: str, error: ModuleNotFoundError) -> MissingExtraError:
    """The error for a part that needs a package which is not installed."""
    package = (error.name or "").partition(".")[0]
    own = name in EXTRAS
    return MissingExtraError(
        f"the {kind} {name!r} needs the package {package}, which is not installed",
        remedy=f'Install it with: pip install "intact-sanitizer[{EXTRAS[name]}]"'
        if own
        else f"Install it with: pip install {package}",
    )


def load(kind: str, name: str) -> Callable[..., Any]:
    """The factory called ``name``.

    Raises:
        ConfigError: if there is none; the message lists those there are.
        MissingExtraError: if another package's part needs a module that is not installed.
    """
    target = BUILT_IN.get(kind, {}).get(name)
    if target is not None:
        module, _, attribute = target.partition(":")
        factory: Callable[..., Any] = getattr(import_module(module), attribute)
        return factory
    for point in entry_points(group=f"intact.{kind}"):
        if point.name == name:
            try:
                loaded: Callable[..., Any] = point.load()
            except ModuleNotFoundError as error:
                raise missing(kind, name, error) from None
            return loaded
    raise ConfigError(
        f"there is no {kind} called {name!r}", remedy=f"Known: {', '.join(names(kind))}."
    )
