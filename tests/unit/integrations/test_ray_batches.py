"""The class for batches, without Ray: dicts of columns, data frames, Arrow tables."""

import json
import pickle
from unittest.mock import MagicMock

import pytest

from intact import errors
from intact.config import load_settings
from intact.errors import ModelError
from intact.integrations.tables import COLUMNS, BatchSanitizer
from intact.sanitizing import Pipeline

TEXTS = ["Zelda lives in Riga.", None, "", 7, "SECRET-TEXT at Riga"]
MENTIONS = [
    [{"start": 0, "end": 5, "type": "PERSON"}, {"start": 15, "end": 19, "type": "LOC"}],
    None,
    [],
    [],
    [{"start": 0, "end": 500, "type": "PERSON"}],
]


def test_a_dict_of_columns():
    batch = {"id": [1, 2, 3, 4, 5], "text": TEXTS, "marks": MENTIONS}
    done = BatchSanitizer("text", "marks")(batch)
    assert list(done) == ["id", *COLUMNS]
    assert done["sanitized_text"][0].startswith("PERSON_1 lives in a ")
    assert done["sanitized_text"][1:] == [None, "", None, None]
    assert done["intact_status"] == ["done", "done", "done", "failed", "failed"]
    assert done["intact_error"][:3] == [None, None, None]
    assert "not a string" in done["intact_error"][3]
    assert "end" in done["intact_error"][4]
    assert "SECRET" not in str(done)
    (first, _) = json.loads(done["intact_edits"][0])
    assert first == [0, 5, "PERSON_1"]
    assert "text" in batch, "the batch given is left alone"


def test_what_is_detected_what_stays_and_what_is_replaced():
    done = BatchSanitizer()({"text": ["Write to zelda@example.org."]})
    assert done["sanitized_text"] == ["Write to CODE_1."]
    assert BatchSanitizer()({"text": []}) == {name: [] for name in COLUMNS}
    batch = {"text": ["Write to zelda@example.org."], "intact_status": ["old"]}
    done = BatchSanitizer(keep_original=True)(batch)
    assert done["text"] == batch["text"]
    assert done["intact_status"] == ["done"]


def test_data_frames_and_arrow_tables_stay_what_they_are():
    pandas, pyarrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    frame = pandas.DataFrame({"n": [1, 2], "text": ["Write to z@example.org.", None]}, index=[5, 6])
    done = BatchSanitizer()(frame)
    assert list(done.columns) == ["n", *COLUMNS]
    assert list(done.index) == [5, 6]
    assert done["sanitized_text"][5] == "Write to CODE_1."
    table = pyarrow.table({"n": [1, 2], "text": ["Write to z@example.org.", None]})
    out = BatchSanitizer()(table)
    assert out.column_names == ["n", *COLUMNS]
    assert out["sanitized_text"].to_pylist() == ["Write to CODE_1.", None]
    assert {str(out.schema.field(name).type) for name in COLUMNS} == {"string"}
    marks = [json.dumps(MENTIONS[0])]
    table = pyarrow.table({"text": TEXTS[:1], "as_json": marks, "as_structs": MENTIONS[:1]})
    for column in ("as_json", "as_structs"):
        assert (
            BatchSanitizer("text", column)(table)["sanitized_text"][0]
            .as_py()
            .startswith("PERSON_1")
        )


def test_it_pickles_before_and_after_work():
    one = BatchSanitizer()
    one({"text": ["Riga"]})
    again = pickle.loads(pickle.dumps(one))
    assert again({"text": ["z@example.org"]})["sanitized_text"] == ["CODE_1"]


@pytest.mark.parametrize("fault", [KeyError, MemoryError])
def test_an_unforeseen_fault_is_a_row_without_text(monkeypatch, fault):
    def fall(self, document):
        raise fault(document.text)

    monkeypatch.setattr(Pipeline, "sanitize", fall)
    done = BatchSanitizer()({"text": ["SECRET-TEXT"]})
    assert done["intact_status"] == ["failed"]
    assert fault.__name__ in done["intact_error"][0]
    assert "SECRET" not in str(done)


def test_a_server_that_is_away_is_no_fault_of_a_document(monkeypatch):
    def fall(self, document):
        raise ModelError("the server failed")

    monkeypatch.setattr(Pipeline, "sanitize", fall)
    with pytest.raises(ModelError):
        BatchSanitizer()({"text": ["x"]})


def test_an_actor_is_made_as_the_sanitizer_was(monkeypatch):
    made, ray = BatchSanitizer("a", "b", "strict", workers=3, keep_original=True), MagicMock()
    ray.is_initialized.return_value = False
    monkeypatch.setattr(errors, "require", lambda _name: ray)
    made.map_dataset(ray.dataset)
    ((actor,), asked) = ray.dataset.repartition().map_batches.call_args
    assert actor(**asked["fn_constructor_kwargs"]) == made
    ray.ActorPoolStrategy.assert_called_once_with(size=3)


def test_documents_in_flight_share_out_the_requests():
    from intact.run.work import shared_out

    server = ["model.backend=openai", "model.url=http://127.0.0.1:1/v1", "model.parallel=64"]
    settings = load_settings(None, server)
    for processes in (1, 2, 3, 4, 16, 100):
        share, documents = shared_out(settings, processes)
        assert processes * documents * share.model.parallel <= max(64, processes)
        assert documents == {1: 8, 2: 5, 3: 4, 4: 4, 16: 2, 100: 1}[processes]
    assert shared_out(load_settings(None), 4)[1] == 1
