"""A column of a data frame."""

import pytest

pd = pytest.importorskip("pandas")

from intact.errors import DocumentError, LanguageError
from intact.integrations.tables import BatchSanitizer, sanitize_column

MENTIONS = [{"start": 0, "end": 5, "type": "PERSON"}, {"start": 15, "end": 19, "type": "LOC"}]
GERMAN = 3 * "Die Klägerin ist in Bergen geboren und wohnt seit vielen Jahren in der Stadt. "


def test_a_column_of_categories_has_new_texts():
    texts = pd.Series(["Zelda lives in Riga.", None], dtype="category")
    done = sanitize_column(texts, pd.Series([MENTIONS, []]))
    assert done[0] and "Zelda" not in done[0] and pd.isna(done[1])


def test_texts_change_and_all_else_stays():
    frame = pd.DataFrame(
        {"text": ["Zelda lives in Riga.", None, ""], "n": [1, 2, 3]}, index=["a", "b", "c"]
    )
    marks = pd.Series([MENTIONS, None, []], index=frame.index)
    done = sanitize_column(frame["text"], marks)
    assert list(done.index) == ["a", "b", "c"]
    assert done.name == "text"
    assert done["a"].startswith("PERSON_1 lives in a")
    assert "Riga" not in done["a"]
    assert pd.isna(done["b"])
    assert done["c"] == ""
    assert frame["text"]["a"] == "Zelda lives in Riga."


def test_a_wrong_row_is_named_without_its_text():
    texts = pd.Series(["Zelda", "Bo"], index=[7, 8])
    with pytest.raises(DocumentError, match="row 8") as caught:
        sanitize_column(texts, pd.Series([[], MENTIONS]))
    assert "Bo" not in str(caught.value)
    with pytest.raises(DocumentError, match="not a string"):
        sanitize_column(pd.Series([3]), pd.Series([[]]))
    with pytest.raises(LanguageError, match="row 9: it is not in English"):
        sanitize_column(pd.Series(["Zelda left.", GERMAN], index=[8, 9]), pd.Series([[], MENTIONS]))


def test_the_way_that_goes_on_says_of_each_row_what_became_of_it():
    frame = pd.DataFrame({"text": ["Zelda lives in Riga.", GERMAN, 7], "n": [1, 2, 3]})
    done = BatchSanitizer("text")(frame)
    assert [*done["n"]] == [1, 2, 3] and [*done["intact_status"]] == ["done", "failed", "failed"]
    assert [*pd.isna(done["intact_error"])] == [True, False, False]
