"""Settings to a detector."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from intact.config import SHIPPED_TAGGER, DetectionSettings
from intact.errors import ConfigError
from intact.knowledge.base import KnowledgeBase
from intact.protocols import Detection, make_part

if TYPE_CHECKING:
    from intact.detection.detector import DocumentDetector
    from intact.detection.findings import Finder

OpenKnowledge = Callable[[], KnowledgeBase]


def detector(settings: DetectionSettings, knowledge: OpenKnowledge) -> DocumentDetector:
    """The detector that ``settings`` describe.

    Args:
        knowledge: opens the knowledge base, if it is needed.

    Raises:
        ConfigError: for an unknown detector or a setting that it lacks.
        MissingExtraError: if a package it needs is not installed.
        ModelError: if a model cannot be loaded.
    """
    # most documents bring their mentions: nothing of detection is loaded for them
    from intact.detection.detector import DocumentDetector
    from intact.detection.tagger import Tagger

    found: list[Finder] = []
    for chosen in settings.chosen():
        name, *pipeline = chosen.split(":", 1)
        found.append(make_part("detector", name, settings, knowledge, *filter(None, pipeline)))
    if not found:
        raise ConfigError("there is no detector", where="setting detection.detectors")
    common = next((one.is_common for one in found if isinstance(one, Tagger)), None)
    return DocumentDetector(found, settings.threshold, common)


class DetectorOnDemand:
    """A ``Detector`` that is made when it is first used: most documents bring their mentions."""

    name = "detector"

    def __init__(self, make: Callable[[], DocumentDetector]) -> None:
        self._make = make

    @cached_property
    def ready(self) -> DocumentDetector:
        """The detector itself."""
        return self._make()

    def detect(self, text: str) -> Detection:
        """Return what is in ``text``."""
        return self.ready.detect(text)


def patterns(settings: DetectionSettings, knowledge: OpenKnowledge) -> Finder:
    """Return what is told by its form: addresses, numbers, dates."""
    from intact.detection.patterns import PatternFinder

    return PatternFinder()


def knowledge(settings: DetectionSettings, knowledge: OpenKnowledge) -> Finder:
    """Return what the knowledge base and lists of names know."""
    from intact.detection.knowledge import KnowledgeFinder

    return KnowledgeFinder(knowledge())


def presidio(settings: DetectionSettings, knowledge: OpenKnowledge, pipeline: str = "") -> Finder:
    """Return what Presidio finds, with a spaCy pipeline or without one."""
    from intact.detection.libraries import PresidioFinder

    return PresidioFinder(pipeline)


def spacy(settings: DetectionSettings, knowledge: OpenKnowledge, pipeline: str = "") -> Finder:
    """Return what a spaCy pipeline finds."""
    from intact.detection.libraries import SpacyFinder

    return SpacyFinder(pipeline)


def tagger(settings: DetectionSettings, knowledge: OpenKnowledge) -> Finder:
    """Return what the trained tagger finds."""
    from intact.detection.tagger import load_tagger

    return load_tagger(settings.tagger or SHIPPED_TAGGER, settings.threshold)
