"""A user's own facts."""

import pytest

from intact.config import load_settings
from intact.detection.names import name_list
from intact.domain import Document, Mention, Span
from intact.english.words import is_english
from intact.errors import ConfigError
from intact.pipeline import build_pipeline
from intact.planning.glossary import Fact, Glossary, read_glossary
from intact.protocols import DRIFT, Detected
from tests.unit.discourse.test_things import document
from tests.work import count_calls


def written(tmp_path, text):
    path = tmp_path / "things.csv"
    path.write_text(text, encoding="utf-8")
    return path


def sanitised(tmp_path, rows, text, *wishes):
    path = written(tmp_path, f"surface,phrase,kind\n{rows}\n")
    settings = load_settings(None, [f'generation.glossary="{path}"', *wishes])
    return build_pipeline(settings).sanitize(document(text) if "[" in text else raw(text))


def raw(text):
    """A document that nobody annotated."""
    return Document("raw", text, (), annotated=False)


def may_name(word):
    """Tell whether a word may be a name, as the pipeline does."""
    return name_list().use(word) or not is_english(word)


def told(done):
    """Pick the notes on what could not be done as decided."""
    return [note.removeprefix(DRIFT) for note in done.notes if note.startswith(DRIFT)]


def test_words_are_found_that_no_detector_finds(tmp_path):
    rows = "Irwell,the river,\nthe Holcroft Mill,the works,ORG"
    text = "The Irwell is nothing to me, or Irwells. I left the Holcroft Mill for it."
    done = sanitised(tmp_path, rows, text, 'detection.detectors=["patterns"]')
    assert done.text.startswith("The river is nothing to me, or Irwells. I left the works")
    assert [m.entity_type for m in done.document.mentions] == ["MISC", "ORG"]
    assert not told(done)


def test_a_longer_find_stays_whole_and_a_shorter_one_gives_way(tmp_path):
    rows = "Irwell,the river,LOC\nOtto Lindqvist House,the home,ORG\nLindqvist,the maker,ORG"
    text = "We walked down Irwell Street. Otto Lindqvist House is shut."
    done = sanitised(tmp_path, rows, text)
    assert "river" not in done.text and "Irwell" not in done.text
    assert done.text.endswith("The home is shut.") and "maker" not in done.text


MOYO, RAG = Fact("Tendai Moyo", "P01", "PERSON", 2), Fact("Raghunathan", "P02", "PERSON", 2)
IRWELL, LEEDS, NIGHTS = (Fact(*[one] * 2, "", 2) for one in ("Irwell", "Leeds", "nights"))
MILL, JUNE, R = (
    Fact("Mill", "a site", "", 2),
    Fact("June", "P03", "", 2),
    Fact("Dr R", "P04", "", 2),
)


RW = Fact("RW", "P05", "", 2)


@pytest.mark.parametrize(
    ("fact", "text", "wanted"),
    [
        (MOYO, "[p:Interview of Tendai Moyo] and [o:Tendai Moyo case]", ["Tendai Moyo"] * 2),
        (MOYO, "[p:Tendai Moyo of Ward 9]", ["Tendai Moyo", "Ward 9"]),
        (MOYO, "[o:RXQ) Tendai Moyo RN]", ["RXQ", "Tendai Moyo"]),
        (MOYO, "[p:Luke and Tendai Moyo]", ["Luke", "Tendai Moyo"]),
        (MOYO, "[o:Tendai Moyo (Aire Valley Hospitals)]", ["Tendai Moyo", "Aire Valley Hospitals"]),
        (JUNE, "[p:June Hill], [p:Hill, June] and [p:Morning June]",
         ["June Hill", "Hill, June", "June"]),
        (MOYO, "[l:at 12 elm road, Tendai Moyo]", ["12 elm road", "Tendai Moyo"]),
        (RAG, "[p:That Dr Raghunathan], [p:Ms Raghunathan]", ["Dr Raghunathan", "Ms Raghunathan"]),
        (RAG, "[p:Anjali Raghunathan] and [m:A. Raghunathan]",
         ["Anjali Raghunathan", "A. Raghunathan"]),
        (RAG, "[p:Raghunathan-Lee], [l:Raghunathan House]",
         ["Raghunathan-Lee", "Raghunathan House"]),
        (R, "bay [m:C. Dr R.] and [l:bay C. Dr] R shouted", ["Dr R", "Dr R"]),
        (RW, "[q:RW Sun eve], [q:rang RW]", ["RW", "Sun eve", "RW"]),
        (JUNE, "[q:5 June 2026] and [m:Hello June]", ["5 June 2026", "June"]),
        (MILL, "[l:North Mill], [l:Mill Lane] and [o:Friends of Mill]",
         ["North Mill", "Mill Lane", "Mill"]),
        (NIGHTS, "[q:from nights] and [d:From nights]", ["nights", "nights"]),
        (IRWELL, "[l:Irwell Street], [p:John Irwell], [m:upper Irwell]",
         ["Irwell Street", "John Irwell", "Irwell"]),
        (LEEDS, "[o:University of Leeds]", ["University of Leeds"]),
        (LEEDS, "[o:Moyo - Leeds]", ["Moyo", "Leeds"]),
        (MOYO, "[p:Tendai Moyo FRCS (Tr & Orth]) left", ["Tendai Moyo", "FRCS", "Tr & Orth"]),
        (RAG, "[p:Raghunathan - CCTV] and [m:3 2nite, Raghunathan]",
         ["Raghunathan", "CCTV", "3 2nite", "Raghunathan"]),
        (RW, "E-stop by [c:RW. 999], [c:RW 999] and [c:rw.x@mail.example]",
         ["RW", "999", "RW 999", "rw.x@mail.example"]),
        (MOYO, "[p:Dear Tendai Moyo,]", ["Tendai Moyo"]),
    ],
)  # fmt: skip
def test_a_wrong_find_is_cut_and_a_longer_name_stays(fact, text, wanted):
    given = document(text)
    glossary = Glossary((fact,), may_name)
    detected = [Detected(one, "other", 1.0, ("tagger",)) for one in given.mentions]
    found = sorted(one.mention.span for one in glossary.find(given.text, detected))
    assert [span.of(given.text) for span in found] == wanted


def test_a_wrong_find_over_a_name_takes_its_label_all_the_same(tmp_path):
    text = "Interview SK, answer 7. The post went to Hannah Birtwhistle of Ward 9."
    done = sanitised(tmp_path, "SK,P01,PERSON\nHannah Birtwhistle,P02,PERSON", text)
    assert done.text.startswith("Interview P01, answer ") and "went to P02 of Ward " in done.text


def test_two_people_in_one_find_take_their_labels(tmp_path):
    text = "Dr Prentice came. FH to write to Dr Prentice. DWJ to be the only contact. DWJ agreed."
    done = sanitised(tmp_path, "Dr Prentice,Doctor 2,PERSON\nDWJ,Son 1,PERSON", text)
    assert "write to Doctor 2. Son 1 to be" in done.text


def test_a_row_has_its_own_type_whatever_is_detected(tmp_path):
    text = "Anna Bakke lives here. I saw Anna Bakke."
    done = sanitised(tmp_path, "Anna Bakke,a ferry,MISC", text)
    assert done.text == "A ferry lives here. I saw the ferry."
    done = sanitised(tmp_path, "Anna Bakke,a ferry,", text)
    assert "Anna" not in done.text and "ferry" not in done.text
    assert told(done) == ["line 2 of the glossary means a person or code here, and gives no label"]


def test_annotations_stay_as_they_are(tmp_path):
    rows = "Elm Works,the workshop,ORG"
    done = sanitised(tmp_path, rows, "[p:Ann Lee] left Elm Works.")
    assert done.text == "PERSON_1 left Elm Works." and not told(done)


@pytest.mark.parametrize("annotated", [True, False])
def test_words_that_stay_stay_but_within_longer_finds(tmp_path, annotated):
    shown = "[p:John Irwell] and [l:Irwell Street] and the [l:Irwell]. Irwell and Irwell Street."
    if not annotated:
        shown = "Mr John Irwell lives in Irwell Street. The Irwell. I swam in the Irwell."
    done = sanitised(tmp_path, "the Irwell,the Irwell,LOC", shown)
    assert done.text.count("Irwell") == 2 and "Irwell Street" not in done.text
    assert len(done.document.clear) == 2 and {*done.document.clear.values()} == {"2"}
    assert "kept in clear by the glossary, lines (and how many places): 2 (2)" in done.notes


def test_a_label_of_ones_own_stands_for_all_forms_in_all_documents(tmp_path):
    rows = "Maureen Tattersall,P01,PERSON\nMT,P01,PERSON\nMo,P01,PERSON"
    one = sanitised(
        tmp_path, rows, "MT: I am [p:Maureen Tattersall]. [p:Mrs Tattersall] and [p:Al]."
    )
    assert one.text == "P01: I am P01. P01 and PERSON_2."
    two = sanitised(tmp_path, rows, "Fred Hale said: Maureen Tattersall, called Mo, MT, left.")
    assert two.text == "PERSON_1 said: P01, called P01, P01, left."
    text = "INT: Thank you, Maureen Tattersall.\nMT: So.\nINT: Since?\nMT: Yes, Maureen said.\n"
    alone = sanitised(tmp_path, "Maureen Tattersall,P01,PERSON", text)
    assert alone.text == "INT: Thank you, P01.\nP01: So.\nINT: Since?\nP01: Yes, P01 said.\n"
    code = sanitised(tmp_path, "KX4-41077,Case 3,CODE", "File KX4-41077 is lost.")
    assert code.text == "File Case 3 is lost."


def test_a_name_that_stays_keeps_its_title_and_stays_in_capitals(tmp_path):
    rows = "Okafor,Okafor,\nElm Rural Council,Elm Rural Council,ORG"
    text = "ELM RURAL COUNCIL\nCllr Okafor did not reply. Okafor left."
    assert sanitised(tmp_path, rows, text).text == text


def test_the_same_words_may_stay_in_either_case(tmp_path):
    rows = "baby brain,baby brain,\nBaby brain,baby brain,\nBABY BRAIN,BABY BRAIN,"
    done = sanitised(tmp_path, rows, "Baby brain! she said; baby brain. [d:BABY BRAIN]!")
    assert done.text == "Baby brain! she said; baby brain. BABY BRAIN!"
    assert len(read_glossary(written(tmp_path, "surface,phrase\nOak,A hut\noak,a hut\n"))) == 2


def test_names_are_met_in_lower_case_where_they_are_no_ordinary_words(tmp_path):
    rows = "Asda,Asda,\nTendai Moyo,P01,PERSON\nMoyo,P01,PERSON\nGrace,P02,PERSON\nTM,P01,PERSON"
    text = "asda want it by grace, moyo said; tm and moyo's mate. kev moyo lives in moyo street"
    done = sanitised(tmp_path, rows, text, 'detection.detectors=["patterns"]')
    assert done.text.startswith("asda want it by grace, P01 said; tm and P01's mate. ")
    given = document("[p:kev moyo] in [l:moyo street], [p:tendai moyo], [o:asda], [o:asda pool]")
    detected = [Detected(one, "other", 1.0, ("tagger",)) for one in given.mentions]
    facts = read_glossary(written(tmp_path, f"surface,phrase,kind\n{rows}"))
    made = Glossary(facts, may_name).find(given.text, detected)
    own = [one.mention.text for one in made if one.sources == ("glossary",)]
    assert own == ["tendai moyo", "asda"] and len(made) == 5


def test_whom_a_label_stands_for_is_for_the_user_to_say(tmp_path):
    rows = "Graham Pellow,Manager 1,PERSON\nGray P,Manager 1,\nSiobhan Dacey,Manager 1,PERSON"
    rows += "\nK04-417,manager 1,CODE"
    done = sanitised(tmp_path, rows, "[p:Graham Pellow], [p:Gray P], [p:Siobhan Dacey].")
    assert done.text == "Manager 1, Manager 1, Manager 1."


@pytest.mark.parametrize(
    ("rows", "text", "wanted"),
    [
        ("Mr Mahmood,P01\nMrs Mahmood,P02", "[p:Mrs Mahmood] left.", "P02 left."),
        ("Ms Roe,P01\nMrs Roe,P02", "Ms Roe saw Mrs Roe. Mrs. Roe saw Ms Roe.",
         "P01 saw P02. P02 saw P01."),
        ("Ms Roe,P01", "[p:Mrs Roe] left.", "Ms PERSON_1 left."),
        ("Peter Hale,P01\nMr Hale,P01\nSusan Hale,P02\nMrs Hale,P03",
         "Peter Hale hit Susan Hale. Mr Hale hit Mrs Hale.", "P01 hit P02. P01 hit P03."),
        ("Drita,P01\nMrs Drita Roe,P01\nDr Ada Roe,P02\nDr Ada Roe FRCP,P03",
         "I saw Mrs Drita Roe, and Dr Ada Roe FRCP.", "I saw P01, and P03."),
        ("Hale,P01\nMrs Hale,P02", "[p:Mrs Hale] and [p:Hale] left.", "P02 and P01 left."),
        ("The Revd Canon Ada Roe,P01", "The [p:Revd Canon Ada Roe] spoke.", "The P01 spoke."),
        ("Ada Roe,Therapist 1\nCentre for Psychotherapy,the clinic", "[p:Ada Roe] left.",
         "Therapist 1 left."),
    ],
)  # fmt: skip
def test_the_row_of_the_very_words_goes_before_all_others(tmp_path, rows, text, wanted):
    typed = "\n".join(f"{row},{'ORG' if 'clinic' in row else 'PERSON'}" for row in rows.split("\n"))
    assert sanitised(tmp_path, typed, text).text == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("[p:Jim Hale] rang.\n[p:Hale] or Hale? Which [p:Hale]?",
         "P01 rang.\nPERSON_2 or PERSON_2? Which PERSON_2?"),
        ("[p:Jim Hale] rang. [p:Hale] was late.\n[p:Ms Hale] was not.",
         "P01 rang. P01 was late.\nP02 was not."),
        ("[p:Jim Hale] rang [p:Ada Hale]. [p:Hale] was late.", "P01 rang P02. PERSON_3 was late."),
    ],
)  # fmt: skip
def test_a_surname_of_two_people_is_nobodys_unless_the_paragraph_tells(tmp_path, text, wanted):
    rows = "Jim Hale,P01,PERSON\nMr Hale,P01,PERSON\nAda Hale,P02,PERSON\nMs Hale,P02,PERSON"
    assert sanitised(tmp_path, rows, text).text == wanted
    assert "P03 " in sanitised(tmp_path, f"{rows}\nHale,P03,PERSON", text).text


def test_no_name_is_read_where_no_two_rows_share_a_surname(monkeypatch):
    named = Document("d", "Ann Lee", (Mention("m", Span(0, 7), "Ann Lee", "e", "PERSON"),))
    monkeypatch.setattr("intact.planning.glossary.name_of", None)
    assert Glossary(()).phrases(named.entities) == {}


@pytest.mark.parametrize(
    ("phrase", "why"),
    [
        ("Patient", "the number behind it is missing"),
        ("Storeman 1", "words is in no dictionary"),
        ("First Doris 1", "words is in no dictionary"),
        ("Mr R.", "more than letters and a number"),
        ("PERSON_3", "one of INTACT's own"),
    ],
)
def test_a_refused_label_is_told_what_it_lacks(tmp_path, phrase, why):
    with pytest.raises(ConfigError, match=f"line 2: for this kind only a label .*{why}"):
        read_glossary(written(tmp_path, f"surface,phrase,kind\nAnn Lee,{phrase},PERSON\n"))


def test_a_title_or_calling_before_a_name_is_not_the_name(tmp_path):
    rows = "Nurse Grace Okoro,Nurse 2,PERSON\nCoach Bo Lee,Coach 1,PERSON\nSN Wilk,Nurse 3,PERSON"
    assert len(read_glossary(written(tmp_path, f"surface,phrase,kind\n{rows}\n"))) == 3


def test_the_row_whose_words_a_phrase_names_is_told(tmp_path):
    rows = "Ann Lee,Baker 1,PERSON\nElm,a hut,\nRose Baker,Cook 1,PERSON\nOak,an oak,\n"
    told = r"line 2: word 1 of the phrase names what line 4 hides.*"
    told += r"line 5, word 2 \(“oak”\) of the phrase names what it has to hide"
    with pytest.raises(ConfigError, match=told):
        read_glossary(written(tmp_path, f"surface,phrase,kind\n{rows}"))


def test_the_faults_of_a_file_are_told_together(tmp_path):
    many = "Ann,Doris,PERSON\n" * 25
    with pytest.raises(ConfigError, match=r"line 21, .*; and 5 more\.$"):
        read_glossary(written(tmp_path, f"surface,phrase,kind\n{many}"))
    rows = "surface,phrase,kind\nAnn,Doris,PERSON\nOak,a hut,\nBo,,\nElm,a hut,ship\n"
    with pytest.raises(ConfigError, match=r"line 2: .*Also line 4, .*; line 5, no such kind"):
        read_glossary(written(tmp_path, rows))
    rows = "surface,phrase\nOak,an oak\nOak,a hut\n"
    with pytest.raises(ConfigError, match=r"line 2: .*Also line 3, line 2 says"):
        read_glossary(written(tmp_path, rows))


def test_lines_are_counted(tmp_path):
    path = written(tmp_path, "surface,phrase\nIrwell,Irwell\nOakham,a school\nNowhere,a lake\n")
    pipeline = build_pipeline(load_settings(None, [f'generation.glossary="{path}"']))
    done = pipeline.sanitize(document("Irwell, [l:Irwell]. [o:Oakham] and Oakham."))
    assert pipeline.glossary.count(done.document)["facts"] == {"2": 2, "3": 1, "4": 0}
    done = pipeline.sanitize(
        document("[l:Irwell Street] in [p:Oakham], [c:Irwell-3], [o:Oakham Ltd]")
    )
    assert pipeline.glossary.count(done.document)["within"] == {"2": 1, "3": 1}


def test_a_file_is_read_with_its_lines(tmp_path):
    path = written(
        tmp_path,
        'surface,phrase,kind,note\n"Elm Road, site",the workshop,place,old\n\nX1,a lab,,\n',
    )
    assert read_glossary(path) == (
        Fact("Elm Road, site", "the workshop", "LOC", 2, "old"),
        Fact("X1", "a lab", "", 4),
    )


def test_a_fact_goes_before_all_else_whatever_the_preset(tmp_path):
    rows = "Northfield House,the applicant's school,ORG"
    text = "She went to [o:Northfield House]. [l:Northfield House] is a place."
    for preset in (None, "selection.start_rank=2"):
        done = sanitised(tmp_path, rows, text, *([preset] if preset else [])).text
        assert done.startswith("She went to the applicant's school. ")
        assert done.count("school") == 1


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("name,phrase\n", 1, "it must be surface,phrase,kind"),
        ("surface,phrase\nOakham,the Oakham school\n", 2, "word 2 of the phrase names what it has"),
        ("surface,phrase\nOakham,a school\nPinehill,near Oakham\n", 3, "names what"),
        ("surface,phrase\nOakham,a school\nPinehill,by O a k h a m\n", 3, "names what line 2"),
        ("surface,phrase,kind\nOakham,a school,ORG\nAnn Lee,a friend,PERSON\n", 3, "label"),
        ("surface,phrase,kind\nAnn Lee,Doris,PERSON\n", 2, "label"),
        ("surface,phrase,kind\nAnn Lee,Doris 3,PERSON\n", 2, "label"),
        ("surface,phrase,kind\nAnn Lee,PERSON_3,PERSON\n", 2, "label"),
        ("surface,phrase,kind\nAnn Lee,Person 3,PERSON\n", 2, "label"),
        ("surface,phrase,kind\nAnn Lee,P01,PERSON\nAnn Lee,P02,PERSON\n", 3, "line 2"),
        ("surface,phrase\nOakham,Oakham\nOakham,a lake\n", 3, "line 2"),
        ("surface,phrase,kind\nOakham,a school,spaceship\n", 2, "no such kind"),
        ("surface,phrase\nOakham,a school\n\nOakham,a lake\n", 4, "line 2"),
        ("surface,phrase\nOakham,\n", 2, "missing"),
        ("surface,phrase\nOakham,?!\n", 2, "says nothing"),
    ],
)
def test_what_is_wrong_is_refused_with_its_line_and_without_its_text(tmp_path, text, line, problem):
    with pytest.raises(ConfigError, match=f"line {line}") as caught:
        read_glossary(written(tmp_path, text))
    assert problem in str(caught.value)
    assert "Oakham" not in str(caught.value)


def test_a_file_that_is_no_csv_is_refused(tmp_path):
    path = tmp_path / "things.csv"
    path.write_bytes(b"surface,phrase\n\xff\xfe,\n")
    with pytest.raises(ConfigError, match="no CSV"):
        read_glossary(path)
    with pytest.raises(ConfigError, match="cannot be read"):
        read_glossary(tmp_path / "absent.csv")


def test_a_phrase_that_names_what_the_document_hides_is_left_out_and_told(tmp_path):
    rows = "Elm Works,the workshop near Pinehill,ORG"
    done = sanitised(tmp_path, rows, "[o:Elm Works] in [l:Pinehill]")
    assert "Pinehill" not in done.text and "workshop" not in done.text
    assert told(done) == ["line 2 of the glossary names what is hidden here: left out"]
    alone = sanitised(tmp_path, rows, "[o:Elm Works] in town")
    assert "workshop near Pinehill" in alone.text and not alone.notes


def test_five_times_the_text_is_less_than_ten_times_the_work():
    part, glossary = "The Irwell ran by Leeds. ", Glossary((Fact("Irwell", "the river", "", 2),))

    def found(many):
        spans = [Span(at, at + 5) for at in range(18, many * len(part), len(part))]
        mentions = [Mention("", span, "Leeds", "e", "LOC") for span in spans]
        detected = [Detected(mention, "place", 1.0, ("tagger",)) for mention in mentions]
        assert len(glossary.find(part * many, detected)) == 2 * many

    found(1)
    assert count_calls(lambda: found(500)) < 10 * count_calls(lambda: found(100))
