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

    found = finders(settings, knowledge)
    if not found:
        raise ConfigError("there is no detector", where="setting detection.detectors")
    if settings.min_recall > 0 and "tagger" not in settings.chosen():
        raise ConfigError(
            "only a tagger can say at which threshold it reached a recall",
            where="setting detection.min_recall",
            remedy="Give one with --tagger, or set a lower --threshold.",
        )
    return DocumentDetector(found, settings.threshold)


def finders(settings: DetectionSettings, knowledge: OpenKnowledge) -> list[Finder]:
    """The finders that ``settings`` name, in order.

    Args:
        settings: of detection.
        knowledge: opens the knowledge base, if it is needed.
    """
    return [make_part("detector", name, settings, knowledge) for name in settings.chosen()]


class DetectorOnDemand:
    """A ``Detector`` that is made when it is first used: most documents bring their mentions.

    Args:
        make: makes the detector.
    """

    name = "detector"

    def __init__(self, make: Callable[[], DocumentDetector]) -> None:
        self._make = make

    @cached_property
    def ready(self) -> DocumentDetector:
        """The detector itself."""
        return self._make()

    def detect(self, text: str) -> Detection:
        """What is in ``text``."""
        return self.ready.detect(text)


def patterns(settings: DetectionSettings, knowledge: OpenKnowledge) -> Finder:
    """What is told by its form: addresses, numbers, dates.

    Args:
        settings: regions of telephone numbers.
        knowledge: not needed.
    """
    from intact.detection.patterns import PatternFinder

    return PatternFinder(settings.phone_regions)


def knowledge(settings: DetectionSettings, knowledge: OpenKnowledge) -> Finder:
    """What the knowledge base and lists of names know.

    Args:
        settings: not needed.
        knowledge: opens the knowledge base.
    """
    from intact.detection.knowledge import KnowledgeFinder

    return KnowledgeFinder(knowledge())


def presidio(settings: DetectionSettings, knowledge: OpenKnowledge) -> Finder:
    """What Presidio finds.

    Args:
        settings: the spaCy pipeline that Presidio uses, if any.
        knowledge: not needed.
    """
    from intact.detection.libraries import PresidioFinder

    return PresidioFinder(settings.spacy)


def spacy(settings: DetectionSettings, knowledge: OpenKnowledge) -> Finder:
    """What a spaCy pipeline finds.

    Args:
        settings: the pipeline's name.
        knowledge: not needed.
    """
    from intact.detection.libraries import SpacyFinder

    return SpacyFinder(settings.spacy)


def tagger(settings: DetectionSettings, knowledge: OpenKnowledge) -> Finder:
    """What the trained tagger finds.

    Args:
        settings: the model's folder, threshold and recall wanted.
        knowledge: not needed.
    """
    from intact.detection.tagger import load_tagger

    return load_tagger(settings.tagger or SHIPPED_TAGGER, settings.threshold, settings.min_recall)
