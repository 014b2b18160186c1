"""Unannotated occurrences of masked entities."""

import pytest

from intact.domain import Document, EntityType, Mention, Span
from intact.rewriting.occurrences import occurrences
from tests.marked import document_of
from tests.work import count_calls


def swept(text, surface, kind=EntityType.PERSON):
    """Return the sweep's findings when the first ``surface`` in ``text`` is annotated."""
    start = text.index(surface)
    mention = Mention("m", Span(start, start + len(surface)), surface, "e", kind)
    found = occurrences(Document("d", text, (mention,)))
    return [o.span.of(text) for o in found if not o.mention_id]


@pytest.mark.parametrize(
    ("surface", "rest", "expected"),
    [
        ("Ms Ann Poe", "Ann Poe left", ["Ann Poe"]),
        ("Ms Ann Poe", "POE left", ["POE"]),
        ("Cllr. Poe", "a query from Cllr. Rees and from Cllr. Poe", ["Cllr. Poe"]),
        ("Ms Ann Poe", "A. Poe left", ["A. Poe"]),
        ("Ms Ann Poe", "A.P. left", ["A.P."]),
        ("Ms Ann Poe", "Action: AP, seen by AP.", ["AP", "AP"]),
        ("Ms Ann Poe", "the ap and APs", []),
        ("Niamh O'Donnell", "NOD asked", ["NOD"]),
        ("Gil Pont", "GP: he came", []),
        ("Alma Stone", "AS TO THE FACTS", []),
        ("Ms Ann Poe", "poem and poe", []),
        ("Ms Ann Poe", "Poe's cat", ["Poe"]),
        ("Mr İlker Çağ", "Ilker Cag", ["Ilker Cag"]),
        ("Mr N.Ö. Akin", "N. Ö. Akin", ["N. Ö. Akin"]),
        ("Jo May", "it may rain. May is warm", []),
        ("Jo May", "they saw May there", ["May"]),
        ("Jo Court", "so the Court said", []),
        ("Jo May", "then Mr May left", ["Mr May"]),
        ("Lia Thu Anh Berg", "and Anh Berg sang", ["Anh Berg"]),
        ("Thomas Poe", "the Thomas Cook agency", []),
        ("Ida van der Berg", "van der Berg", ["van der Berg"]),
        ("his wife", "the wife", []),
        ("Jean-Luc Moreau", "that Jean-Luc fell", ["Jean-Luc"]),
        ("Jean-Luc Moreau", "that Jean-Luc Berg fell", []),
        ("Jean-Luc Moreau", "that Jean-Pierre fell", []),
        ("Mary Ann Poe", "we saw Mary Ann there", ["Mary Ann"]),
        ("Li Wu", "then Wu left", ["Wu"]),
        ("Ann O'Brien-Ng", "Mr Ng's cat, Dr. Ng, the ng", ["Mr Ng", "Dr. Ng"]),
        ("Ms Ann Poe", "then Poe2, ANN1 and Poet2", ["Poe2", "ANN1"]),
        ("Tom Poe", "we told Tom so", ["Tom"]),
        ("Rose Baker", "they heard Baker. It then adjourned", ["Baker"]),
        ("Rose Baker", "it ended. Baker appealed", ["Baker"]),
        ("Rose Baker", "it ended. Baker and he left", ["Baker"]),
        ("Rose Baker", "it ended. Baker bread was sold", []),
    ],
)
def test_names(surface, rest, expected):
    assert swept(f"There was {surface}. And {rest}.", surface) == expected


@pytest.mark.parametrize(
    ("beside", "swept_there"),
    [
        ("We met Nurse Conor.", True),
        ("We met Uncle Conor and Little Conor.", True),
        ("The note says: Tell Conor again.", True),
        ("PLAN\nAsk Conor to walk.", True),
        ("HCA Conor and Ward B Conor came.", True),
        ("THE PATIENT CONOR SLEPT.", True),
        ("FORENAME CONOR SURNAME BRANNAGH", True),
        ("Then Conor I agree.", True),
        ("We saw Conor Monday.", True),
        ("She wrote; Today Conor slept.", True),
        ("They met Conor Walsh.", False),
        ("They met Conor Cook.", False),
        ("They met CONOR COOK.", False),
        ("They met Sarah Conor.", False),
        ("They met Rose Conor.", False),
        ("They met B. Conor.", False),
        ("They met Conor Walsh", False),
        ("They met Rose-Conor.", False),
    ],
)
def test_a_given_name_is_swept_unless_the_word_beside_it_makes_it_somebody_elses(
    beside, swept_there
):
    found = swept(f"There was Conor Brannagh. {beside}", "Conor Brannagh")
    assert any("conor" in one.casefold() for one in found) is swept_there


@pytest.mark.parametrize(
    ("surface", "rest", "expected"),
    [
        ("Rose Baker", "they told Nurse Rose", ["Rose"]),
        ("Rose Baker", "we heard: Ask Rose", ["Rose"]),
        ("Jo Court", "so the High Court said", []),
        ("Will Poe", "his Last Will and THE COURT WILL DECIDE", []),
        ("Rose Baker", "they went by Old Baker Street", []),
    ],
)
def test_a_name_that_is_a_word_too_is_that_word_beside_a_capital(surface, rest, expected):
    assert swept(f"There was {surface}. And {rest}.", surface) == expected


@pytest.mark.parametrize(
    ("kind", "surface", "rest", "expected"),
    [
        (EntityType.CODE, "316/07", "no. 316/07", ["316/07"]),
        (EntityType.CODE, "316/07", "no. 2316/07", []),
        (EntityType.LOC, "Hull", "HULL and Hullabaloo", ["HULL"]),
        (EntityType.ORG, "the Boat Union", "boat union", ["boat union"]),
        (EntityType.ORG, "Boat Union (HBU)", "the HBU", ["HBU"]),
        (EntityType.ORG, "HBU", "the hbu", []),
        (EntityType.DEM, "Irish", "the Irish law", ["Irish"]),
        (EntityType.DATETIME, "1996", "case 1996/45", []),
        (EntityType.DATETIME, "3 May 1996", "on 23 May 1996", []),
        (EntityType.QUANTITY, "TRY 2,767", "of TRY 2,767.50", []),
        (EntityType.QUANTITY, "12", "and 12", []),
    ],
)
def test_the_rest(kind, surface, rest, expected):
    assert swept(f"There was {surface}; and {rest}.", surface, kind) == expected


def test_the_longest_form_wins():
    doc = Document("d", "Poe, Poe", (Mention("m", Span(0, 3), "Poe", "e", EntityType.PERSON),))
    assert len(occurrences(doc)) == 2
    text = "Ann Poe, Hull Road, Hull; Hull Road again"
    doc = document_of(text, ("Hull Road", "LOC"), ("Hull;", "LOC"))
    found = [(o.span.of(text), o.entity_id) for o in occurrences(doc) if not o.mention_id]
    assert found == [("Hull Road", "e0")]


def test_a_title_says_whose_the_surname_is():
    text = "Ann Poe and Tom Poe. Mr Poe left. Mrs Poe stayed."
    found = occurrences(document_of(text, ("Ann Poe", "PERSON"), ("Tom Poe", "PERSON")))
    swept = [(o.span.of(text), o.entity_id) for o in found if not o.mention_id]
    assert swept == [("Mr Poe", "e1"), ("Mrs Poe", "e0")]


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        ("The form gives May 3, 1951", ["May 3, 1951"]),
        ("DOB:1951-05-03", ["1951-05-03"]),
        ("seen 3/5/1951, 03.05.1951 or 3. 5. 51", ["3/5/1951", "03.05.1951", "3. 5. 51"]),
        ("on the 3rd of May, 1951", ["3rd of May, 1951"]),
        ("on Thursday 3 MAY 1951", ["3 MAY 1951"]),
        ("from 1-3 May 1951, in May 1951", ["1-3 May 1951"]),
        ("on 3 to 5 May 1951 or 1 to 5 May 1951", ["3 to 5 May 1951"]),
        ("19510503, 03051951, 3May51, 03MAY1951", ["19510503", "03051951", "3May51", "03MAY1951"]),
        ("scan_1951-05-03.pdf and 1951_05_03", ["1951-05-03", "1951_05_03"]),
        ("3 May in 1951, May 3, '51, 1951 May 3", ["3 May in 1951", "May 3, '51", "1951 May 3"]),
        ("3/5 1951, 3 5 1951, 3-May-1951", ["3/5 1951", "3 5 1951", "3-May-1951"]),
        ("no. 719510503, 3 May 1952, 195105034", []),
        ("on 4 May 1951, 3 May, 3.5.1951.2", []),
    ],
)
def test_days_are_compared_by_value(rest, expected):
    assert swept(f"Born 3 May 1951. {rest}.", "3 May 1951", EntityType.DATETIME) == expected


def test_a_range_names_no_day():
    text = "From 3 to 5 May 1951; May 3, 1951"
    assert swept(text, "3 to 5 May 1951", EntityType.DATETIME) == []


def test_a_name_said_over_and_over_takes_no_longer_each_time():
    def calls(often):
        text = f"Ann Poe. {'Ann ' * often}Berg."
        return count_calls(lambda: swept(text, "Ann Poe"))

    assert calls(2_000) < 6 * calls(500)
