"""However a masked name is spelled or joined to other words, nothing of it is left."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from intact.domain import Document, IdentifierType, Mention, Span
from intact.english.vocabulary import ABBREVIATIONS, STOP_WORDS
from intact.english.words import fold
from intact.rewriting.occurrences import occurrences

GIVEN = ("Zofia", "José", "Anikó", "Tomasz", "Søren", "Ikram")
SURNAMES = ("Kowalski", "Gutiérrez", "Szabó", "Okonjo", "Lindqvist")
VARIANTS = {
    "again": "{given} {surname}",
    "initial": "{initial}. {surname}",
    "joined": "Keller-{surname}'s dog",
    "apostrophe": "O'{surname}",
    "joined behind": "{surname}-Keller",
    "family": "the {surname}{plural}",
    "small": "{given} {surname}",
    "capitals": "{given} {surname}",
    "direction marks": "{given} {surname}",
    "decomposed": "{given} {surname}",
    "zero width": "{given} {surname}",
    "full width": "{given} {surname}",
}


POSITIONS = ("{}: No.", "Action: {}", "seen by {}.", "| {} | 3 |", "{}", "Then {} left.", "({})")


def respelled(name, text):
    if name == "decomposed":
        return unicodedata.normalize("NFD", text)
    if name == "small":
        return text.lower()
    if name == "capitals":
        return text.upper()
    if name == "direction marks":
        return text[0] + "\u202d" + text[1:]
    if name == "zero width":
        return text[0] + "\u200b" + text[1:]
    if name == "full width":
        return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)
    return text


def swept(text, name, kind):
    """``text`` without the places where ``name``, which it begins with, stands."""
    mention = Mention("m", Span(0, len(name)), name, "e", kind, IdentifierType.DIRECT)
    for place in reversed(occurrences(Document("d", text, (mention,)))):
        text = text[: place.span.start] + "_" + text[place.span.end :]
    return text


@pytest.mark.parametrize("variant", VARIANTS)
@settings(deadline=None)  # the first example reads the dictionary
@given(given_name=st.sampled_from(GIVEN), surname=st.sampled_from(SURNAMES))
def test_no_spelling_of_a_name_is_left(variant, given_name, surname):
    shown = VARIANTS[variant].format(
        given=given_name,
        surname=surname,
        initial=given_name[0],
        plural="es" if surname.endswith("z") else "s",
    )
    name = f"{given_name} {surname}"
    left = swept(f"{name} came. Then {respelled(variant, shown)} left.", name, "PERSON")
    assert (
        fold(surname) not in fold(left)
        and "O'" not in left
        and "O\u2019" not in left
        and "Keller" not in left
    )


@given(st.sampled_from(GIVEN), st.sampled_from(SURNAMES), st.sampled_from(POSITIONS))
def test_initials_are_hers_wherever_they_stand(given_name, surname, position):
    name, letters = f"{given_name} {surname}", fold(given_name[0] + surname[0]).upper()
    if letters in ABBREVIATIONS or fold(letters) in STOP_WORDS:
        letters = f"{letters[0]}.{letters[1]}."  # with full stops nothing else is meant
    left = swept(f"{name} came.\n{position.format(letters)}\n", name, "PERSON")
    assert letters not in left


@pytest.mark.parametrize("name", ["K.B.", "A.B.", "Ms A.B.", "A. Berg"])
def test_a_first_initial_is_no_article(name):
    assert swept(f"{name} came. Then {name} left.", name, "PERSON") == "_ came. Then _ left."


@given(*(st.sampled_from(SURNAMES),) * 2)
def test_each_of_two_surnames_is_hers(one, other):
    name = f"Zofia {one} {other}"
    assert one not in swept(f"{name} came. Then Ms {one} left.", name, "PERSON")


@pytest.mark.parametrize("form", ["Ltd", "plc", "GmbH"])
def test_a_firm_is_named_without_its_legal_form(form):
    name = f"Harrow & Quill {form}"
    assert swept(f"{name} won. Harrow & Quill paid.", name, "ORG") == "_ won. _ paid."


@pytest.mark.parametrize("given_name", ["kyle", "josé", "thomas", "zofia"])
def test_a_given_name_in_small_letters_goes(given_name):
    name = f"{given_name.title()} Brandvold"
    assert swept(f"{name} came. Then {given_name} left.", name, "PERSON") == "_ came. Then _ left."


@pytest.mark.parametrize("word", ["rose", "castle", "hunter", "bishops"])
def test_an_ordinary_word_that_is_a_name_stays(word):
    name = f"Rose {word.title()}"
    text = f"{name} came. Then the {word} fell."
    assert swept(text, name, "PERSON") == f"_ came. Then the {word} fell."


@pytest.mark.parametrize(
    ("name", "again"),
    [
        ("Harrow & Quill Ltd", "Harrow and Quill"),
        ("Harrow and Quill", "Harrow & Quill"),
        ("Harrow & Quill & Co", "Harrow & Quill"),
        ("Vestrano AG", "Vestrano"),
    ],
)
def test_a_firm_is_named_in_other_spellings(name, again):
    assert swept(f"{name} won. Then {again} paid.", name, "ORG") == "_ won. Then _ paid."


@pytest.mark.parametrize("place", ["London", "Apple"])
def test_a_firm_called_like_something_else_is_not_what_it_is_called_after(place):
    text = f"{place} Ltd won. She saw {place} then."
    assert swept(text, f"{place} Ltd", "ORG") == f"_ won. She saw {place} then."
