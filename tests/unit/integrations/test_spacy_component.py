"""INTACT in a blank spaCy pipeline."""

import pytest

spacy = pytest.importorskip("spacy")

from spacy.tokens import Doc, DocBin, Span

from intact.errors import ConfigError

TEXT = "Zelda Quimby lives in Tromsø. She was born on 3 May 1996."


@pytest.fixture
def nlp():
    had = Doc.get_extension("sanitized") if Doc.has_extension("sanitized") else None
    yield spacy.blank("en")
    if Doc.has_extension("sanitized"):
        Doc.remove_extension("sanitized")
    if had:
        Doc.set_extension("sanitized", default=had[0])


def marked(nlp):
    doc = nlp.make_doc(TEXT)
    doc.ents = [Span(doc, 0, 2, "PERSON"), Span(doc, 4, 5, "GPE"), Span(doc, 10, 13, "DATE")]
    return doc


def run(nlp, doc):
    for _, pipe in nlp.pipeline:
        doc = pipe(doc)
    return doc


def test_span_groups_come_before_entities(nlp):
    nlp.add_pipe("intact")
    text = run(nlp, marked(nlp))._.sanitized
    assert text.startswith("PERSON_1 lives in ")
    assert not any(word in text for word in ("Zelda", "Tromsø", "3 May 1996"))
    doc = marked(nlp)
    doc.spans["sc"] = [Span(doc, 0, 2, "PERSON"), Span(doc, 0, 1, "PERSON")]
    assert "Tromsø" in run(nlp, doc)._.sanitized


def test_settings_are_passed_on(nlp):
    nlp.add_pipe("intact", config={"overrides": ["labels.style='stars'"]})
    assert run(nlp, marked(nlp))._.sanitized.startswith("*")


def test_wrong_settings_and_anothers_extension_are_told(nlp):
    with pytest.raises(ConfigError, match="labels"):
        nlp.add_pipe("intact", config={"overrides": ["labels.style='loud'"]})
    Doc.set_extension("sanitized", getter=len, force=True)
    with pytest.raises(ConfigError, match="another extension"):
        nlp.add_pipe("intact")


def test_the_text_survives_a_docbin_and_the_pipeline_a_folder(nlp, tmp_path):
    nlp.add_pipe("intact")
    doc = run(nlp, marked(nlp))
    data = DocBin(docs=[doc], store_user_data=True).to_bytes()
    (back,) = DocBin().from_bytes(data).get_docs(nlp.vocab)
    assert back._.sanitized == doc._.sanitized
    nlp.to_disk(tmp_path)
    again = spacy.load(tmp_path)
    assert run(again, marked(again))._.sanitized == run(nlp, marked(nlp))._.sanitized
