"""One fold for the whole project: capital and small alike, and the way back to the original."""

import sqlite3
import string
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intact import sanitize
from intact.detection.names import FILE as NAMES
from intact.domain import Document, Mention, Span
from intact.english.words import fold, folded, key, key_words
from intact.knowledge.base import FILE as KNOWLEDGE


def known_letters():
    """All letters that the list of names and the gazetteer know, and the Latin ones beyond."""
    rows = sqlite3.connect(KNOWLEDGE).execute("SELECT name FROM city WHERE name NOT NULL")
    found = {*NAMES.read_text("utf-8"), *"".join(name for (name,) in rows)}
    found |= {chr(code) for code in range(0x250) if chr(code).isalpha()}
    return "".join(sorted(char for char in found if char.isalpha()))


LETTERS = known_letters()


def test_every_letter_folds_once_to_a_plain_one():
    assert [c for c in LETTERS if not fold(c) == fold(c.upper()) == fold(c.lower())] == []
    latin = [c for c in LETTERS if unicodedata.name(c, "").startswith("LATIN")]
    rows = sqlite3.connect(KNOWLEDGE).execute("SELECT name FROM city WHERE name NOT NULL")
    used = {char for (name,) in rows for char in name}
    assert [c for c in latin if c in used and not fold(c).isascii()] == []
    everything = "".join(map(chr, range(sys.maxunicode + 1)))
    assert fold(fold(everything)) == fold(everything)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Øystein Ødegård", "oystein odegard"),
        ("Æsir Þór", "aesir Thor"),
        ("GROẞMANN", "Großmann"),
        ("İstanbul ISPARTA", "istanbul ısparta"),
        ("O’Brien–Smith", "o'brien-smith"),
        ("Jose\u0301", "José"),
        ("Lu\u00adka\u200bsz", "Lukasz"),
    ],
)
def test_variants_of_a_name_fold_alike(one, other):
    assert fold(one) == fold(other)


@given(st.text(alphabet=LETTERS + string.punctuation + " \n\u0301’–", max_size=40))
def test_offsets_lead_back_to_the_original(text):
    plain = folded(text)
    assert plain.text == fold(text)
    assert fold(text.upper()) == fold(text)
    assert plain.back(0, len(plain.text))[1] == len(text)
    for at in range(len(plain.text)):
        start, end = plain.back(at, at + 1)
        shown = text[start : max(end, start + 1)]
        assert plain.text[at] in fold(shown)


def test_keys_have_no_article_hyphen_or_possessive():
    assert key("the United Kingdom’s") == "united kingdom"
    assert key(" Baden-Württemberg, ") == "baden wurttemberg"
    assert key_words("St Mary’s, Łódź") == ("st", "mary", "lodz")


def test_a_name_is_masked_without_its_diacritics_too():
    text = "Đorđe Łęcki spoke. Later Dorde Lecki left."
    mention = Mention("m1", Span(0, 11), text[:11], "p1", "PERSON")
    (made,) = sanitize([Document("d", text, (mention,))])
    assert "Dorde" not in made.text and "Lecki" not in made.text
