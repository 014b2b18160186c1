"""Presidio and spaCy as finders."""

from types import SimpleNamespace

import pytest

from intact.detection.factory import PresidioFinder, SpacyFinder, load_pipeline
from intact.errors import ConfigError, ModelError

pytestmark = pytest.mark.filterwarnings("ignore")


def test_spacy_entities():
    spacy = pytest.importorskip("spacy")
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("entity_ruler")
    ruler.add_patterns(
        [
            {"label": "GPE", "pattern": "Leeds"},
            {"label": "CARDINAL", "pattern": "two"},
            {"label": "STRANGE", "pattern": "Zog"},
        ]
    )
    text = "Zog saw two men in Leeds"
    found = [(f.kind, f.span.of(text)) for f in SpacyFinder(nlp).find(text)]
    assert found == [("other", "Zog"), ("place", "Leeds")]


def test_no_such_pipeline():
    pytest.importorskip("spacy")
    with pytest.raises(ModelError, match="pipeline xx_none"):
        load_pipeline("xx_none")
    with pytest.raises(ConfigError, match="needs a pipeline"):
        load_pipeline("")


def test_presidio_types_are_mapped():
    results = [
        SimpleNamespace(start=0, end=3, entity_type="PERSON", score=0.85),
        SimpleNamespace(start=4, end=7, entity_type="UK_NHS", score=1.0),
    ]
    engine = SimpleNamespace(analyze=lambda text, language: results)
    found = PresidioFinder(engine=engine).find("Jan 123")
    assert [(f.kind, f.score) for f in found] == [("person", 0.85), ("code", 1.0)]


def test_presidio_patterns_without_a_pipeline():
    pytest.importorskip("presidio_analyzer")
    text = "Mail anna@example.org or pay 4111 1111 1111 1111."
    kinds = {f.kind for f in PresidioFinder().find(text)}
    assert {"email", "card"} <= kinds
