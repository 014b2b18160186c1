"""The marked documents that the tagger learns from can be read, all of them."""

import importlib.util
from pathlib import Path

import pytest

DOCUMENTS = Path(__file__).parents[3] / "eval" / "documents"
MARKED = sorted(DOCUMENTS.glob("*/*.txt"))


@pytest.fixture(scope="module")
def corpus():
    spec = importlib.util.spec_from_file_location("corpus", DOCUMENTS / "corpus.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", MARKED, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_mark_of_the_documents_is_whole(corpus, path):
    for document in corpus.documents(path):
        mentions = document["annotations"]["annotator1"]["entity_mentions"]
        spans = [(one["start_offset"], one["end_offset"]) for one in mentions]
        assert [document["text"][slice(*span)] for span in spans] == [
            one["span_text"] for one in mentions
        ]
