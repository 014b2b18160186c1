"""Persons by what announces them, and the list of names."""

import re

import pytest

from intact.config import load_settings
from intact.detection.names import Use, initials_in, name_list, own_words, parted, turns_in
from intact.domain import Span
from intact.pipeline import Components, build_detector


@pytest.fixture(scope="module")
def detector():
    return build_detector(Components(load_settings()))


def persons(detector, text):
    return [
        item.mention.text
        for item in detector.detect(text).found
        if item.mention.entity_type == "PERSON"
    ]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("My name is Ann Lee.", ["Ann Lee"]),
        ("Nguyen Thi Hoa was born here.", ["Nguyen Thi Hoa"]),
        ("I saw Grace Achebe in May. Grace said no.", ["Grace Achebe", "Grace"]),
        ("my friend Mebrahtu went", ["Mebrahtu"]),
        ("Her doctor, Dr Susan Whitlock of Lawson Road Surgery, agrees.", ["Dr Susan Whitlock"]),
        ("Your ref: NG-7745120\nDear Mr Okafor,\nOur client fell", ["Mr Okafor"]),
        ("Dear Torunn Eide,\n\nthe loan", ["Torunn Eide"]),
        ("It is done.\n\nBest regards,\nMaren\n", ["Maren"]),
        ("From: Marta Nowak <m@example.org>\nCc: Lee, Hannah\n", ["Marta Nowak", "Lee, Hannah"]),
        ("Pt: OKAFOR, Ngozi\nsleeps badly", ["OKAFOR, Ngozi"]),
        ("OIC: PC 2714 MOXON, Karen     Stn: Leeds", ["MOXON, Karen"]),
        ("DECEASED: WHITCOMBE, Desmond Arthur. Male, 80s.", ["WHITCOMBE, Desmond Arthur"]),
        ("Present: VAN DER BERG, Jan, and his wife", ["VAN DER BERG, Jan"]),
        ("Staff N. OKORO (Grace) found him.", ["N. OKORO", "Grace"]),
        ("It is late.\n\nYours faithfully,\nCrystal West\n", ["Crystal West"]),
        ("But I'd Hafiz Bilal in the kitchen.", ["Hafiz Bilal"]),
        ("For her MS. She lives with Mr. Olu Ade.", ["Mr. Olu Ade"]),
        ("I am Abdul-Rahman bin Khalid al-Masri.", ["Abdul-Rahman bin Khalid al-Masri"]),
        ('It was Anna "Nan" Petrie again.', ['Anna "Nan" Petrie']),
        ("i was with callum for six years and he lied", ["callum"]),
        ("login dmitri.volkov failed", ["dmitri.volkov"]),
        ("Liesbeth Maas <lm@post.example> wrote", ["Liesbeth Maas"]),
        ("08:01 - kavi: i can go\n08:02 - kavi: ok then\n08:03 - kavi: thx\n", ["kavi"] * 3),
    ],
)  # fmt: skip
def test_finds(detector, text, wanted):
    assert re.findall(r"\w+", str(persons(detector, text))) == re.findall(r"\w+", str(wanted))


@pytest.mark.parametrize(
    "text",
    [
        "Will he come? May I ask? Mark my words.",
        "However, nobody came. Hence the delay. Said nothing.",
        "THE FACTS OF THE CASE",
        "He flew to Jordan in May.",
        "Dear Sir or Madam,\n\nplease pay.",
        "The John Lewis Partnership met at Victoria Station.",
        "Policy: see below. Claim form: attached.",
        "On 18 August I stood there.",
        "It is late.\n\nCumprimentos\n",
        "See you soon.\nS\nP.S. My phone is new.",
        "It is late.\n\nYours faithfully,\nThe Residents Committee\n",
    ],
)
def test_leaves(rules, text):
    assert persons(rules, text) == []


@pytest.mark.parametrize("text", ["KWOK (郭小曼)          1st Defendant", "Signed: 郭小曼"])
def test_a_name_in_other_letters_is_found(detector, text):
    assert "郭小曼" in {m.text for m in detector.detect(text).mentions}


@pytest.mark.parametrize(
    ("shown", "name"),
    [
        ("That Dr Roe", "Dr Roe"),
        ("Thought Denise", "Denise"),
        ("Interview of Tendai Moyo", "Tendai Moyo"),
        ("Nivrutti Pingle for", "Nivrutti Pingle"),
        ("Coach Dell", "Coach Dell"),
        ("Will Grant", "Will Grant"),
        ("V. Roe", "V. Roe"),
        ("Ferry de W.", "Ferry de W."),
        ("Rang Frailty", "Rang Frailty"),
    ],
)
def test_the_words_of_a_sentence_are_no_name(shown, name):
    assert own_words(shown, Span(0, len(shown))).of(shown) == name


@pytest.mark.parametrize(
    "text",
    [
        "Ali & Fatima Hassan own it. Mr Hassan is rude. Mrs Hassan is kind.",
        "John and Mary Smith live here. Mr and Mrs Smith complained.",
    ],
)
def test_two_persons_in_one_mention_are_no_one_of_them(detector, text):
    of = {m.text: m.entity_id for m in detector.detect(text).mentions}
    assert len(set(of.values())) == len(of)
    assert "Mr" not in of


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Mr T. He's fifty-three. I saw Mr T. on Monday.", ["Mr T.", "Mr T."]),
        ("Present: Dr Prentice, Desmond Whitcombe.", ["Dr Prentice", "Desmond Whitcombe"]),
        ("Miriam Szabo (MS) was there.\n\nMS: And the tremor?\n\nHL: It went on.",
         ["Miriam Szabo", "MS", "MS"]),
    ],
)  # fmt: skip
def test_a_person_ends_where_the_next_begins(detector, text, wanted):
    assert persons(detector, text) == wanted


@pytest.mark.parametrize(
    ("shown", "wanted"),
    [
        ("Dr Roe, Bo Ek", ["Dr Roe", "Bo Ek"]),
        *((one, [one]) for one in ("Mr J. De Meyer", "Roy H.W. Lee", "Dr Ye. Ek", "Mr Chas. Lee")),
        *((one, [one]) for one in ("Lt. Col. Ek", "Mr J. NG", "Mr Roe, QC", "LEE, Ann", "Dr. Roe")),
    ],
)  # fmt: skip
def test_a_mention_is_parted_at_the_comma_between_two_people(shown, wanted):
    assert [one.of(shown) for one in parted(shown, Span(0, len(shown)))] == wanted


def test_mentions_of_one_person_are_one_entity(detector):
    text = (
        'My name is Giuseppe "Pino" Lo Cascio. Ann Lee knew Pino. Lee paid; Mr Lo Cascio did not. '
        "Write to ann.lee or to Ann."
    )
    entity = {i.mention.text: i.mention.entity_id for i in detector.detect(text).found}
    assert entity["Pino"] == entity['Giuseppe "Pino" Lo Cascio'] == entity["Mr Lo Cascio"]
    assert entity["Lee"] == entity["Ann Lee"] == entity["Ann"] == entity["ann.lee"]
    assert entity["Lee"] != entity["Pino"]


LOG = """NOTE OF CALLS
02/04 09:12 SLA  Match found. Claim suspended from 6 April.
02/04 09:40 SLA  Letter sent to Doreen Kavanagh.
09/04 11:05 RPE  Call from her about the funeral.
09/04 11:31 RPE  Checked again. DK owes nothing. MSU sent.
"""


def test_titles_of_other_tongues_are_no_part_of_a_name(detector):
    text = "Hadji Yusuf Davids came with Boeta Salie Abrahams. Hadji Yusuf spoke, Boeta Salie sang."
    entities = {}
    for item in detector.detect(text).found:
        entities.setdefault(item.mention.entity_id, []).append(item.mention.text)
    assert [len(each) for each in entities.values()] == [2, 2]


def test_a_surname_may_be_its_letter(detector):
    text = "Darren H. came with Darren Hughes. Ann Hill and Ann Hunt saw Ann H. there."
    entity = {i.mention.text.rstrip("."): i.mention.entity_id for i in detector.detect(text).found}
    assert entity["Darren H"] == entity["Darren Hughes"]
    assert len({entity[each] for each in ("Ann H", "Ann Hill", "Ann Hunt")}) == 3


def test_initials_are_the_persons_whom_a_text_names_and_theirs_who_keep_its_log(detector):
    entity = {
        m.text: m.entity_id for m in detector.detect(LOG).mentions if m.entity_type == "PERSON"
    }
    assert entity.keys() >= {"SLA", "RPE", "DK", "Doreen Kavanagh"} and "MSU" not in entity
    assert entity["DK"] == entity["Doreen Kavanagh"]


INTERVIEW = """# Session 1 – Gary "Gaz" Pettifer
**Interviewer:** Dr Amina Yusuf

**AY:** So how did you get into shrimping?

**GP:** Me dad, Len, he had the boat.

**AY:** And the accident?

**GP:** At the Dog's Head. I told the doctor.
"""


def test_a_speaker_whose_initials_are_an_abbreviation_is_the_person_named(detector):
    mentions = detector.detect(INTERVIEW).mentions
    entity = {m.text: m.entity_id for m in mentions if m.entity_type == "PERSON"}
    assert entity["GP"] == entity['Gary "Gaz" Pettifer'] and entity["AY"] != entity["GP"]
    assert sum(m.text == "GP" for m in mentions) == 2
    assert not {"At", "At the"} & entity.keys()


def test_a_speaker_whose_initials_are_a_word_is_the_person_named(detector):
    text = "Neil Ormerod, recorded at home.\nNO: They shut it.\nMB: When?\nNO: Later.\nMB: I see.\n"
    entity = [
        m.entity_id for m in detector.detect(text).mentions if m.text in ("NO", "Neil Ormerod")
    ]
    assert len(entity) == 3 and len(set(entity)) == 1


def test_a_speaker_is_who_is_named_in_full_not_a_misspelling_with_initials(detector):
    text = (
        "My name is Zbigniew Maciejko. Mr Maciejko is with Ruth Pallister. I saw Maciejko.\n"
        "RP: So?\nZM: They wrote Z. Majesco once.\nRP: Why?\nZM: They could not, um, spell.\n"
    )
    mentions = detector.detect(text).mentions
    his = {m.entity_id for m in mentions if m.text in ("ZM", "Zbigniew Maciejko")}
    assert len(his) == 1 and "um" not in [m.text for m in mentions]


def test_a_name_in_other_letters_is_a_name(detector):
    found = detector.detect("I spoke to 王小明 about it.").mentions
    assert "王小明" in [m.text for m in found if m.identifier_type == "DIRECT"]


@pytest.mark.parametrize(
    ("text", "people", "initials"),
    [
        ("NS: Eleven.\nIC: Why?\nNS: Walt.\nIC: He died.", (), {"NS", "IC"}),
        ("S.M. So?\n\nG.V. No.\n\nS.M. Why?\n\nG.V. It was late.", (), {"SM", "GV"}),
        ("3/4/19 OV at home.\n9/4/19 OV missed.\n10/4/19 TC from him.", (), set()),  # one alone
        ("GP: no.\nHR: yes.\nGP: no.\nHR: yes.", (), set()),  # common abbreviations
        ("**GP:** no.\nHR: yes.\nGP: no.\nHR: yes.", ('Gary "Gaz" Pettifer',), {"GP"}),
        ("Seen by TM.", ("Thandi Moodley", "Guy Pine", "ABC"), {"TM"}),
    ],
)
def test_initials_are_of_people_and_of_those_who_take_turns(text, people, initials):
    assert initials_in(turns_in(text), people)[0] == initials


def test_the_list_knows_forms_and_doubles():
    names = name_list()
    assert names.given_use("Jürgen") is names.given_use("Juergen") is Use.MOSTLY
    assert names.given_use("Hans-Peter") is Use.MOSTLY
    assert names.given_use("Grace") is names.given_use("Jordan") is Use.SOMETIMES
    assert names.given_use("Table") is Use.NEVER
    assert names.use("Nguyễn") is Use.MOSTLY
