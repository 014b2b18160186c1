"""A data frame."""

import pytest

pd = pytest.importorskip("pandas")

from intact.integrations.tables import BatchSanitizer

MENTIONS = [{"start": 0, "end": 5, "type": "PERSON"}, {"start": 15, "end": 19, "type": "LOC"}]
GERMAN = 3 * "Die Klägerin ist in Bergen geboren und wohnt seit vielen Jahren in der Stadt. "


@pytest.mark.parametrize("kind", [None, "category"])
def test_texts_change_and_all_else_stays(kind):
    texts = pd.Series(["Zelda lives in Riga.", None, ""], dtype=kind)
    frame = pd.DataFrame({"text": texts, "n": [1, 2, 3], "marks": [MENTIONS, None, []]})
    frame.index = ["a", "b", "c"]
    done = BatchSanitizer("text", "marks")(frame)
    assert list(done.index) == ["a", "b", "c"] and list(done["n"]) == [1, 2, 3]
    first, missing, empty = done["sanitized_text"]
    assert first.startswith("PERSON_1 lives in a") and "Riga" not in first
    assert pd.isna(missing) and empty == ""
    assert frame["text"]["a"] == "Zelda lives in Riga."


def test_what_became_of_each_row_is_said():
    frame = pd.DataFrame({"text": ["Zelda lives in Riga.", GERMAN, 7], "n": [1, 2, 3]})
    done = BatchSanitizer("text")(frame)
    assert [*done["n"]] == [1, 2, 3] and [*done["intact_status"]] == ["done", "failed", "failed"]
    assert [*pd.isna(done["intact_error"])] == [True, False, False]
