"""From Presidio's analyzer through INTACT to text.

    pip install ".[detection]"
    python examples/presidio_pipeline.py

The analyzer runs on an empty spaCy pipeline, so that the example needs no model: lists of names
and a pattern find the spans. In earnest, use ``AnalyzerEngine()`` with a spaCy model.
"""

from __future__ import annotations

import sys

try:
    import spacy
    from presidio_analyzer import (
        AnalyzerEngine,
        Pattern,
        PatternRecognizer,
        RecognizerRegistry,
        RecognizerResult,
    )
    from presidio_analyzer.nlp_engine import SpacyNlpEngine
    from presidio_anonymizer import AnonymizerEngine

    from intact.integrations.presidio import IntactOperator, plan_for
except ImportError as error:
    sys.exit(f'{error}. Install what this example needs with: pip install ".[detection]"')

TEXT = (
    "Ingrid Solbakken, a dentist from Tromsø, wrote to us on 3 March 2019. "
    "Her account at Nordea was charged 4,350 kroner. "
    "Ms Solbakken can be reached at ingrid.solbakken@example.org."
)
NAMES = {
    "PERSON": ["Ingrid Solbakken", "Solbakken"],
    "LOCATION": ["Tromsø"],
    "NRP": ["dentist"],
    "ORGANIZATION": ["Nordea"],
    "DATE_TIME": ["3 March 2019"],
    "MONEY": ["4,350 kroner"],
}


class EmptyNlpEngine(SpacyNlpEngine):
    """An NLP engine that only splits words."""

    def __init__(self) -> None:
        super().__init__()
        self.nlp = {"en": spacy.blank("en")}


def analyze(text: str) -> list[RecognizerResult]:
    """Return Presidio's findings."""
    recognizers = [PatternRecognizer(kind, deny_list=names) for kind, names in NAMES.items()]
    mail = Pattern("mail", r"[\w.]+@[\w.]+\w", 0.9)
    recognizers.append(PatternRecognizer("EMAIL_ADDRESS", patterns=[mail]))
    registry = RecognizerRegistry(recognizers, supported_languages=["en"])
    analyzer = AnalyzerEngine(registry=registry, nlp_engine=EmptyNlpEngine())
    return analyzer.analyze(text, language="en")


def main() -> None:
    """Analyzer, INTACT, anonymizer."""
    plan = plan_for(TEXT, analyze(TEXT))
    engine = AnonymizerEngine()
    engine.add_anonymizer(IntactOperator)
    done = engine.anonymize(TEXT, plan.results, plan.operators)
    print(done.text)
    for item in sorted(done.items, key=lambda item: item.start):
        print(f"  {item.entity_type:15} {item.text}")


if __name__ == "__main__":
    main()
