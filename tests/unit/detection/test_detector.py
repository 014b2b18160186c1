"""Detectors put together."""

import itertools

import pytest

from intact.config import load_settings
from intact.detection.detector import DocumentDetector
from intact.detection.findings import Finding
from intact.domain import Document, IdentifierType, Span
from intact.errors import ConfigError, ModelError
from intact.pipeline import Components, build_detector, build_pipeline

TEXT = (
    "The case was lodged (no. 12345/07) by two Dutch nationals, Mr Jan van der Berg and "
    "Ms Anna K. Zgrobski (“the applicants”), on 3 May 2007. The first applicant sued the Inland "
    "Water Board (“the IWB”) and the IWB paid EUR 3,500. Zgrobski lives at 12 Baker Street."
)


def test_the_whole(rules):
    found = rules.detect(TEXT)
    mentions = found.mentions
    assert [m.id for m in mentions] == [f"m{n}" for n in range(1, len(mentions) + 1)]
    assert all(m.text == m.span.of(TEXT) for m in mentions)
    assert all(a.span.end <= b.span.start for a, b in itertools.pairwise(mentions))
    entity = {m.text: m.entity_id for m in mentions}
    assert entity["Zgrobski"] == entity["Ms Anna K. Zgrobski"]
    assert entity["IWB"] == entity["Inland Water Board"]
    kinds = {m.text: (m.entity_type, m.identifier_type) for m in mentions}
    assert kinds["12345/07"] == ("CODE", IdentifierType.DIRECT)
    assert kinds["Zgrobski"] == ("PERSON", IdentifierType.DIRECT)
    assert kinds["Dutch"] == ("DEM", IdentifierType.QUASI)
    assert found.notes == ()


def test_initials_in_a_transcript_are_the_person_named_in_it(rules):
    text = "Interviewer: Ms Philippa Dunn.\n\nPD: Did the GP call?\nTR: No.\nPD: Who else?"
    people = [m for m in rules.detect(text).mentions if m.entity_type == "PERSON"]
    assert [m.text for m in people] == ["Ms Philippa Dunn", "PD", "PD"]
    assert len({m.entity_id for m in people}) == 1


@pytest.mark.parametrize(
    ("shown", "kind"),
    [("K. S. Venugopalan", "PERSON"), ("J. Baker", "PERSON"), ("U.S. Army", "MISC")],
)
def test_initials_before_a_surname_are_a_persons(shown, kind):
    tagger = Scripted("tagger", (shown, "other", 0.9))
    (one,) = DocumentDetector([tagger]).detect(f"It came from {shown} at last.").mentions
    assert (one.text, one.entity_type) == (shown, kind)


@pytest.mark.parametrize(
    ("text", "shown", "kind"),
    [
        ("Deposit: 1950. Paid in full.", "1950", "QUANTITY"),
        ("Cost of works: 1950. Paid in full.", "1950", "QUANTITY"),
        ("She owes him 2015 and left.", "2015", "QUANTITY"),
        ("The rent was 1999 a term.", "1999", "QUANTITY"),
        ("She paid 1912 in May 2019.", "1912", "QUANTITY"),
        ("Left: 450.20\nLeft: 1950\n", "1950", "QUANTITY"),
        ("Built: 1930\nBuilt: 1950\n", "1950", "DATETIME"),
        ("She paid the rent in 1999.", "1999", "DATETIME"),
    ],
)
def test_a_sum_without_its_currency_is_no_year(rules, text, shown, kind):
    (one,) = [mention for mention in rules.detect(text).mentions if mention.text == shown]
    assert one.entity_type == kind


@pytest.mark.parametrize(
    ("first", "letters"), [("Graham Pellow", "GP"), ("Siobhan Kettlewell", "SK")]
)
def test_initials_in_brackets_behind_a_name_are_that_persons(first, letters):
    text = f"Present: {first} ({letters}). {letters} left, as Ann Lee (CEO) said."
    tagger = Scripted("tagger", (first, "person", 0.99), ("Ann Lee", "person", 0.99))
    found = DocumentDetector([tagger]).detect(text).mentions
    assert [m.text for m in found] == [first, letters, letters, "Ann Lee"]
    assert len({m.entity_id for m in found}) == 2


def test_row_numbers_of_a_table_are_nobodys():
    rows = "".join(f"No: {n}\nRent arrears: {n}0\nTenant: Bo Ek\n" for n in (1, 2, 3))
    text = f"Sheet: Flats\nNo\nRent arrears\nTenant\n{rows}"
    told = [(f"{n}", "code", 0.9) for n in (1, 2)]
    tagger = Scripted("tagger", *told, ("Bo Ek", "person", 0.9))
    assert {m.text for m in DocumentDetector([tagger]).detect(text).mentions} == {"Bo Ek"}


@pytest.mark.parametrize(("text", "told"), [("D.O.B.: 3.2.2015", "3.2.2015"), ("Age: 47", "47")])
def test_the_name_of_a_field_is_no_part_of_what_stands_there(rules, text, told):
    assert [m.text for m in rules.detect(f"Form\n{text}\nEnd").mentions] == [told]


@pytest.mark.parametrize("text", ["Claim No. K04TR118", "Dear Sirs,\n"])
def test_numbers_of_claims_and_salutations_are_nobodys(rules, text):
    assert {m.entity_type for m in rules.detect(text).mentions} <= {"CODE"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Dear Sirs,\n\nIt rained.", ""),
        ("Hi Chairman\n\nIt rained.", ""),
        ("Dear Parents and Carers,\n", ""),
        ("> Dear Housing Team:\n", ""),
        ("Hello Your Honour,\n", ""),
        ("Dear Judge Hollis,\n", "Hollis"),
        ("Dear Aunty Lorraine,\n", "Lorraine"),
        ("Dear Dean,\n", "Dean"),
    ],
)
def test_who_is_greeted_by_a_role_is_nobody(text, found):
    (line, *_) = text.split("\n")
    greeted = line.rstrip(",:").lstrip("> ").partition(" ")[2]
    tagger = Scripted("tagger", (found or greeted, "person", 0.9), (greeted, "other", 0.6))
    shown = {m.text for m in DocumentDetector([tagger]).detect(text).mentions}
    assert shown == set() if not found else any(found in each for each in shown)


@pytest.mark.parametrize("kind", ["National Insurance", "Social Insurance", "Council Tax"])
def test_a_number_that_everybody_has_is_no_organisation(rules, kind):
    found = rules.detect(f"I have lost my {kind} number. He works for {kind} Services.")
    assert [m.text for m in found.mentions] == [f"{kind} Services"]


def test_the_deceased_is_no_december():
    tagger = Scripted("tagger", ("dec'", "date", 0.95))
    assert not DocumentDetector([tagger]).detect("A ring was given to her by dec'd then.").mentions


def test_what_clinicians_measure_is_nobodys(rules):
    noted = "FINDINGS\nTemp 39.1 °C, SpO2 89 % on air, HbA1c 8.9 %, BMI 31, PHQ-9 14. Obs stable."
    masked = {m.text for m in rules.detect(noted).mentions}
    assert masked.isdisjoint({"Temp", "SpO2", "HbA1c", "BMI", "PHQ-9", "Obs"})


@pytest.mark.parametrize("text", ["", " ", "\n", "😀", "x" * 3000, "Ünïcödé — «»"])
def test_odd_texts(rules, text):
    assert all(m.text for m in rules.detect(text).mentions)


def test_doubts():
    detector = build_detector(Components(load_settings(None, ["detection.detectors=['patterns']"])))
    many = "Then Zorblax met Quennoth and Vrylla near Threxos and Ombrik. " * 3
    assert any("names may be left" in note for note in detector.detect(many).notes)
    strange = "der Hund und die Katze sind heute nicht gekommen weil es regnet " * 6
    assert any("English" in note for note in detector.detect(strange).notes)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (["detection.detectors=['magic']"], "no detector called 'magic'"),
        (["detection.detectors=[]"], "there is no detector"),
        (["detection.detectors=['spacy']"], "needs a pipeline"),
    ],
)
def test_wrong_settings(settings, said):
    with pytest.raises(ConfigError, match=said):
        build_detector(Components(load_settings(None, settings)))


def test_no_tagger_there(tmp_path):
    with pytest.raises(ModelError, match="is no tagger"):
        build_detector(Components(load_settings(None, [f"detection.tagger={str(tmp_path)!r}"])))


def test_raw_text_is_detected_then_sanitised():
    pipeline = build_pipeline(load_settings())
    done = pipeline.sanitize(Document("a", TEXT, (), annotated=False))
    assert "Zgrobski" not in done.text and "12345/07" not in done.text
    assert "the applicants" in done.text
    assert "detected, none was annotated" in done.notes[0]
    assert pipeline.sanitize(Document("a", TEXT, ())).text == TEXT


class Scripted:
    """Finds words with their kinds, scores and, if given, how sure it is of the kinds."""

    threshold = 0.5

    def __init__(self, name, *found):
        self.name, self.found = name, found

    def find(self, text):
        for words, kind, score, *sure in self.found:
            span = Span(start := text.index(words), start + len(words))
            yield Finding(span, kind, score, self.name, *sure)


@pytest.mark.parametrize(
    ("name", "masked", "certainty", "entity_type"),
    [
        ("Quorvex Trillam", 0.98, 0.95, "MISC"),  # a firm's, or somebody's
        ("Quorvex Trillam", 0.7, 0.99, "MISC"),  # nobody's, or somebody's
        ("Quorvex Trillam", 0.98, 0.98, "PERSON"),
        ("Hannah Trillam", 0.9, 0.85, "PERSON"),  # a listed name
    ],
)
def test_a_name_that_may_be_a_firms_is_just_a_name(name, masked, certainty, entity_type):
    tagger = Scripted("tagger", (name, "person", masked, certainty))
    (only,) = DocumentDetector([tagger]).detect(f"The offer of {name} is dearer.").mentions
    assert (only.entity_type, only.identifier_type) == (entity_type, "DIRECT")


@pytest.mark.parametrize(
    ("kind", "placed", "entity_type"),
    [
        ("organisation", 0.97, "LOC"),
        ("person", 0.97, "LOC"),
        ("organisation", 0.9, "MISC"),  # a ward, a team or a place
    ],
)
def test_a_name_that_is_surely_a_places_is_one(kind, placed, entity_type):
    tagger = Scripted("tagger", ("Quorvex", kind, 0.9, 0.5, 1.0, placed))
    (only,) = DocumentDetector([tagger]).detect("The boat was built in Quorvex.").mentions
    assert only.entity_type == entity_type


def test_a_name_is_a_places_everywhere_or_nowhere():
    text = "She left Quorvex. It was built in Quorvex."

    class Reader(Scripted):
        def find(self, text):
            for start, placed in zip((9, 34), self.found, strict=True):
                yield Finding(Span(start, start + 7), "organisation", 0.9, "tagger", 0.5, 1, placed)

    for sure, kinds in (((0.97, 0.98), {"LOC"}), ((0.6, 0.98), {"MISC"})):
        found = DocumentDetector([Reader("tagger", *sure)]).detect(text).mentions
        assert {m.entity_type for m in found} == kinds


@pytest.mark.parametrize(
    "kind, certainty, entity_type",
    [("code", 0.6, "CODE"), ("quantity", 0.6, "MISC"), ("quantity", 0.95, "QUANTITY")],
)
def test_a_short_number_of_whose_type_the_tagger_is_unsure_is_only_labelled(
    kind, certainty, entity_type
):
    tagger = Scripted("tagger", ("4471", kind, 0.9, certainty))
    (only,) = DocumentDetector([tagger]).detect("The locker is 4471, by the door.").mentions
    assert (only.identifier_type is IdentifierType.DIRECT) == (kind == "code")
    assert only.entity_type == entity_type


@pytest.mark.parametrize(("read", "kind"), [("place", "LOC"), ("person", "PERSON")])
def test_what_the_tagger_takes_for_something_else_everywhere_is_no_person(read, kind):
    lists = Scripted("knowledge", ("Abbey Rae", "person", 0.93))
    tagger = Scripted("tagger", ("Abbey Rae", read, 0.98))
    made = DocumentDetector([lists, tagger]).detect("Abbey Rae is near.")
    assert {m.entity_type for m in made.mentions} <= {kind, "MISC"}


def test_months_forms_and_dashes_are_no_names(rules):
    text = (
        "TRAVEL CLAIM     Policy KTA/88-20931/B\nInsured: Olamide Adeyemi  D.o.B. 17.07.86\n"
        "Flights: Gatwick - Kingston. He could not play until the end of March: £2.3k."
    )
    found = {mention.text for mention in rules.detect(text).mentions}
    assert found.isdisjoint({"Policy", "D.o.B.", "March", "Gatwick -"})
    assert {"KTA/88-20931/B", "Olamide Adeyemi"} <= found
