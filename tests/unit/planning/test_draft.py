"""Drafts of glossaries."""

import pytest

from intact.discourse.things import unified
from intact.planning.glossary import draft_glossary, read_glossary
from tests.unit.discourse.test_things import document


@pytest.mark.parametrize(
    ("texts", "wanted"),
    [
        (["[p:Siobhan Kettlewell]. [p:SK]", "[p:Graham Pellow]", "[p:Mr Graham Pellow]",
          "[p:Kettlewell]"],
         ["Kettlewell,P01", "SK,P01", "Siobhan Kettlewell,P01", "Graham Pellow,P02",
          "Mr Graham Pellow,P02"]),
        (["[p:George Moyo]. [p:Moyo]", "[p:T. Moyo]", "[p:Tendai\nMoyo]. [p:T.]. [p:Moyo]",
          "[p:Al]"],
         ["George Moyo,P01,see P02", "T. Moyo,P02,see P01", "Tendai Moyo,P02,see P01", "Al,P03"]),
        (["[p:Graham Pellow]. [p:Pellow]", "[p:Graham Pellow]. [p:Bo Ek]", "[p:Julie Pellow]",
          "[p:Pellow]"],
         ["Graham Pellow,P01,see P02", "Pellow,P01,see P02", "Julie Pellow,P02,see P01",
          "Bo Ek,P03"]),
        (["[p:Brother Mahmood]. [p:Mrs Mahmood]", "[p:Mr. S. Mahmood]", "[p:his wife]", ""],
         ["Brother Mahmood,P01,see P02", "Mr. S. Mahmood,P01,see P02", "Mrs Mahmood,P02,see P01"]),
        (["[p:Lee, Ann]", "[p:A. Lee]"], ["A. Lee,P01", '"Lee, Ann",P01']),
        (["[p:D Hale]. [p:Bo Ek]", "Brother [p:Hale] senior"],
         ["D Hale,P01,see P02", "Hale,P02,see P01", "Bo Ek,P03"]),
        (["[p:Agnieszka Wolska]. [p:Bo Ek]", "[p:Aga W]", "[p:Jan W]", "[p:Mr Wolski]"],
         ["Agnieszka Wolska,P01,see P02", "Aga W,P02,\"see P01, P04\"", "Bo Ek,P03",
          "Mr Wolski,P04,\"see P02, P05\"", "Jan W,P05,see P04"]),
    ],
)  # fmt: skip
def test_a_draft_has_a_label_for_each_person_of_all_documents(tmp_path, texts, wanted):
    drafted = draft_glossary(unified(document(text)) for text in texts)
    rows = [one.replace(",PERSON", "").rstrip(",") for one in drafted.splitlines()[1:]]
    assert rows == wanted
    path = tmp_path / "draft.csv"
    path.write_text(drafted, "utf-8")
    assert len(read_glossary(path)) == len(wanted)
