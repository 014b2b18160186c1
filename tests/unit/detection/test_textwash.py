"""Textwash's categories."""

from intact import detect, sanitize

TEXT = (
    "Mr Pieter van der Berg, a nurse, mailed jan@x.example in 1996. Pieter said he had 4 cats in "
    "Leeds. At 3.40 p.m. van der Berg called the Inland Water Board."
)


def test_categories():
    found = {(m.text, m.entity_type) for m in detect(TEXT, "textwash").mentions}
    assert found >= {
        ("Pieter", "PERSON_FIRSTNAME"),
        ("van der Berg", "PERSON_LASTNAME"),
        ("jan@x.example", "EMAIL_ADDRESS"),
        ("1996", "DATE"),
        ("4", "NUMERIC"),
        ("Leeds", "LOCATION"),
        ("3.40 p.m.", "TIME"),
        ("Inland Water Board", "ORGANIZATION"),
        ("nurse", "OCCUPATION"),
    }
    assert not any(m.entity_type == "PRONOUN" for m in detect(TEXT, "textwash").mentions)


def test_one_name_has_one_label():
    (done,) = sanitize([TEXT], "textwash")
    assert done.text.startswith("Mr PERSON_FIRSTNAME_1 PERSON_LASTNAME_1, an OCCUPATION_1")
    assert ". PERSON_FIRSTNAME_1 said he had NUMERIC_1 cats" in done.text
    assert "PERSON_LASTNAME_1 called" in done.text


def test_pronouns_are_optional():
    (done,) = sanitize([TEXT], "textwash", ["detection.pronouns=true"])
    assert "said PRONOUN_1 had" in done.text
