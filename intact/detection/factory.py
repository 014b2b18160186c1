"""From settings to a detector; and finders of other libraries: a spaCy pipeline, and Presidio.

Presidio needs a spaCy pipeline for names. If none is given, its pattern recognisers run alone on a
blank English pipeline: they find addresses, numbers and codes, but no names.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intact.config import DetectionSettings
from intact.detection.findings import Finder, Finding
from intact.domain import Span
from intact.errors import ConfigError, loading, require
from intact.knowledge.base import KnowledgeBase
from intact.protocols import make_part
from intact.shipped import SHIPPED_TAGGER, read_toml

if TYPE_CHECKING:
    from intact.detection.detector import DocumentDetector

# The share of the threshold from which the finders' own scores count where finds are scored again.
# At a lower threshold spans are longer and more is found, and the second opinion then judges it.
SEARCHED = 0.8
OpenKnowledge = Callable[[], KnowledgeBase]


def detector(settings: DetectionSettings, knowledge: OpenKnowledge) -> DocumentDetector:
    """Build the detector that the settings describe. If the tagger is one of its finders, its finds
    are scored again in their sentences.

    Args:
        settings: which finders, from which score on, and the tagger's folder.
        knowledge: opens the knowledge base, if it is needed.

    Raises:
        ConfigError: for no detector, an unknown one, or a setting that it lacks.
        MissingExtraError: if a package it needs is not installed.
        ModelError: if a model cannot be loaded.
    """
    # most documents bring their mentions: nothing of detection is loaded for them
    from intact.detection.detector import DocumentDetector

    rescored = "tagger" in settings.chosen()
    least = settings.threshold * (SEARCHED if rescored else 1)
    searched = settings.model_copy(update={"threshold": least})
    finders: list[Finder] = []
    for chosen in settings.chosen():
        name, *pipeline = chosen.split(":", 1)
        finders.append(make_part("detector", name, searched, knowledge, *filter(None, pipeline)))
    if not finders:
        raise ConfigError("there is no detector", where="setting detection.detectors")
    if not rescored:
        return DocumentDetector(finders, least)
    from intact.detection.rescoring import load_rescorer

    return DocumentDetector(finders, least, load_rescorer(settings.threshold))


def patterns(settings: DetectionSettings, knowledge: OpenKnowledge) -> Finder:
    """Make the finder of what can be recognised by its form: addresses, numbers, dates.

    Args:
        settings: not used.
        knowledge: not used.
    """
    from intact.detection.patterns import PatternFinder

    return PatternFinder()


def knowledge(settings: DetectionSettings, knowledge: OpenKnowledge) -> Finder:
    """Make the finder of what the knowledge base and lists of names know.

    Args:
        settings: not used.
        knowledge: opens the knowledge base.
    """
    from intact.detection.knowledge import KnowledgeFinder

    return KnowledgeFinder(knowledge())


def presidio(settings: DetectionSettings, knowledge: OpenKnowledge, pipeline: str = "") -> Finder:
    """Make the finder that asks Presidio.

    Args:
        settings: not used.
        knowledge: not used.
        pipeline: name of an installed spaCy pipeline; "" runs the pattern recognisers alone.

    Raises:
        MissingExtraError: if presidio-analyzer is not installed.
        ModelError: if the pipeline is not installed.
    """
    return PresidioFinder(pipeline)


def spacy(settings: DetectionSettings, knowledge: OpenKnowledge, pipeline: str = "") -> Finder:
    """Make the finder that asks a spaCy pipeline.

    Args:
        settings: not used.
        knowledge: not used.
        pipeline: name of an installed pipeline, or its folder; "" raises an error.

    Raises:
        ConfigError: if no pipeline is named.
        MissingExtraError: if spaCy is not installed.
        ModelError: if the pipeline is not installed.
    """
    return SpacyFinder(pipeline)


def tagger(settings: DetectionSettings, knowledge: OpenKnowledge) -> Finder:
    """Make the finder that uses a trained network.

    Args:
        settings: the tagger's folder, None for the shipped one, and its threshold.
        knowledge: not used.

    Raises:
        ModelError: if there is no tagger in the folder.
    """
    from intact.detection.tagger import load_tagger

    return load_tagger(settings.tagger or SHIPPED_TAGGER, settings.threshold)


# Kind -> the libraries' names for it.
_NAMED = read_toml(Path(__file__).resolve().parent / "data" / "labels.toml")
_KINDS = {label: kind for kind, labels in _NAMED.items() for label in labels.split()}
_LEFT = frozenset({"CARDINAL", "ORDINAL"})
_SCORE = 0.8  # spaCy gives none; about the precision of its small English pipelines


class SpacyFinder:
    """Finds the entities of a spaCy pipeline, except bare numbers (CARDINAL, ORDINAL).

    Args:
        pipeline: its name or folder, or a loaded one.

    Raises:
        ConfigError: if the name is empty.
        MissingExtraError: if spaCy is not installed.
        ModelError: if the pipeline is not installed.
    """

    name = "spacy"

    def __init__(self, pipeline: Any) -> None:
        self._nlp = load_pipeline(pipeline) if isinstance(pipeline, str) else pipeline

    def find(self, text: str) -> list[Finding]:
        """Return a finding for each entity that the spaCy pipeline sees in a text, in text order
        and with the score 0.8; none for a bare number (CARDINAL, ORDINAL). A label that has no kind
        here becomes "other"."""
        findings = []
        for entity in self._nlp(text).ents:
            if entity.label_ not in _LEFT:
                span, kind = Span(entity.start_char, entity.end_char), _KINDS.get(entity.label_)
                findings.append(Finding(span, kind or "other", _SCORE, self.name))
        return findings


def load_pipeline(name: str) -> Any:
    """Load an installed spaCy pipeline.

    Raises:
        ConfigError: if ``name`` is empty.
        MissingExtraError: if spaCy is not installed.
        ModelError: if there is no such pipeline.
    """
    if not name:
        where = "setting detection.detectors"
        raise ConfigError("the spacy detector needs a pipeline", where=where)
    spacy = require("spacy")
    remedy = f"Install it (python -m spacy download {name}) or give its folder."
    with loading("the spaCy pipeline cannot be loaded", f"pipeline {name}", remedy):
        return spacy.load(name)


# --- Presidio ----------------------------------------------------------------------------------


class PresidioFinder:
    """Finds with Presidio's ``AnalyzerEngine``; its types are mapped to kinds, unknown ones to
    codes.

    Args:
        pipeline: name of an installed spaCy pipeline; "" runs the pattern recognisers alone.
        engine: a ready ``AnalyzerEngine``, in place of one on that pipeline; None makes one.

    Raises:
        MissingExtraError: if presidio-analyzer is not installed.
        ModelError: if the pipeline is not installed.
    """

    name = "presidio"

    def __init__(self, pipeline: str = "", engine: Any = None) -> None:
        self._engine = engine or _engine(pipeline)

    def find(self, text: str) -> list[Finding]:
        """Return a finding for each result of Presidio that is not empty, in its order and with its
        score, which is kept in (0, 1]. A type that has no kind here becomes "code"."""
        findings = []
        for result in self._engine.analyze(text=text, language="en"):
            if result.start < result.end:
                span, kind = Span(result.start, result.end), _KINDS.get(result.entity_type, "code")
                score = min(1.0, max(float(result.score), 1e-6))
                findings.append(Finding(span, kind, score, self.name))
        return findings


def _engine(pipeline: str) -> Any:
    """Start Presidio's analyzer for English on an installed spaCy pipeline; for "" on a blank one,
    with its recognisers of patterns alone."""
    spacy, analyzer = require("spacy"), require("presidio_analyzer")
    ready = require("presidio_analyzer.nlp_engine").SpacyNlpEngine()
    # a pipeline that is loaded already; Presidio would download one
    ready.nlp = {"en": load_pipeline(pipeline) if pipeline else spacy.blank("en")}
    registry = analyzer.RecognizerRegistry(supported_languages=["en"])
    registry.load_predefined_recognizers(languages=["en"])
    if not pipeline:
        registry.remove_recognizer("SpacyRecognizer")
    with loading("Presidio's analyzer cannot be started", ""):
        return analyzer.AnalyzerEngine(registry, ready, supported_languages=["en"])
