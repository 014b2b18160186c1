"""Any installed spaCy pipeline as a finder: its entities, their labels mapped."""

from __future__ import annotations

from typing import Any

from intact.detection.findings import Finding
from intact.domain import Span
from intact.errors import ConfigError, MissingExtraError, ModelError

_KINDS = {
    "PERSON": "person",
    "PER": "person",
    "GPE": "place",
    "LOC": "place",
    "LOCATION": "place",
    "FAC": "place",
    "ORG": "organisation",
    "NORP": "nationality",
    "LANGUAGE": "nationality",
    "DATE": "date",
    "TIME": "time",
    "MONEY": "money",
    "QUANTITY": "quantity",
    "PERCENT": "quantity",
    "CODE": "code",
    "DEM": "characteristic",
    "DATETIME": "date",
    "MISC": "other",
    "EVENT": "other",
    "PRODUCT": "other",
    "WORK_OF_ART": "other",
    "LAW": "other",
}
_LEFT = frozenset({"CARDINAL", "ORDINAL"})
_SCORE = 0.8  # spaCy gives none; about the precision of its small English pipelines


class SpacyFinder:
    """The entities of a spaCy pipeline. Bare numbers (CARDINAL, ORDINAL) are left.

    Args:
        pipeline: its name or folder, or a loaded one.

    Raises:
        MissingExtraError: if spaCy is not installed.
        ModelError: if the pipeline is not.
    """

    name = "spacy"

    def __init__(self, pipeline: Any) -> None:
        self._nlp = load_pipeline(pipeline) if isinstance(pipeline, str) else pipeline

    def find(self, text: str) -> list[Finding]:
        """Findings in ``text``."""
        return [
            Finding(
                Span(entity.start_char, entity.end_char),
                _KINDS.get(entity.label_, "other"),
                _SCORE,
                self.name,
            )
            for entity in self._nlp(text).ents
            if entity.label_ not in _LEFT
        ]


def load_pipeline(name: str) -> Any:
    """The installed spaCy pipeline called ``name``.

    Raises:
        ConfigError: if ``name`` is empty.
        MissingExtraError: if spaCy is not installed.
        ModelError: if there is no such pipeline.
    """
    if not name:
        raise ConfigError(
            "the spacy detector needs a pipeline",
            where="setting detection.spacy",
            remedy="Set it to an installed pipeline's name, such as en_core_web_sm.",
        )
    try:
        import spacy
    except ImportError:
        raise MissingExtraError.of("spacy", "detection") from None
    try:
        return spacy.load(name)
    except Exception as error:  # noqa: BLE001  (missing, or made for another version)
        raise ModelError(
            f"the spaCy pipeline cannot be loaded ({type(error).__name__})",
            where=f"pipeline {name}",
            remedy=f"Install it (python -m spacy download {name}) or give its folder.",
        ) from None
