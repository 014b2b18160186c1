"""Findings by form: codes, numbers, dates and amounts."""

import pytest

from intact.detection.patterns import PatternFinder

FINDER = PatternFinder()


def found(text):
    return {(finding.kind, finding.span.of(text)) for finding in FINDER.find(text)}


@pytest.mark.parametrize(
    ("text", "kind", "shown"),
    [
        ("mail anna.b+x@post.example.org.", "email", "anna.b+x@post.example.org"),
        ("see https://x.example/a?b=1, please", "url", "https://x.example/a?b=1"),
        ("from 192.168.0.17 at night", "ip", "192.168.0.17"),
        ("to GB82 WEST 1234 5698 7654 32 now", "iban", "GB82 WEST 1234 5698 7654 32"),
        ("card 4111 1111 1111 1111 was", "card", "4111 1111 1111 1111"),
        ("DE89 3704 0044 0532 0130 00 is", "iban", "DE89 3704 0044 0532 0130 00"),
        ("card 4111 1111 1111 1112 was", "code", "4111 1111 1111 1112"),
        ("IBAN: DE89 3704 0044 0532 0130 01", "code", "DE89 3704 0044 0532 0130 01"),
        ("he is 131052-308T there", "code", "131052-308T"),
        ("call +44 20 7946 0958 now", "phone", "+44 20 7946 0958"),
        ("application (no. 12345/07) against", "code", "12345/07"),
        ("files nos. 2004/351 and 2004/352", "code", "2004/352"),
        ("passport AB1234567 was", "code", "AB1234567"),
        ("it was agreed on 5/8 but", "date", "5/8"),
        ("Bloods 04/02: normal", "date", "04/02"),
        ("2/9  Called.\n2/11  Went by.\n2/20  Cops here.\n", "date", "2/20"),
        ("2340  Man at door.\n0105  Woke.\n0220  Slept, EMS here 0231.\n", "time", "0231"),
        ("2340  Man at door.\n0105  Woke.\n0220  Slept.\n", "time", "2340"),
        ("born on 17.01.1955.", "date", "17.01.1955"),
        ("on 17 January 1955 in", "date", "17 January 1955"),
        ("between 1990 and 1995", "date", "between 1990 and 1995"),
        ("on 26\u201128 January 1994", "date", "26\u201128 January 1994"),
        ("in 1956 he", "date", "1956"),
        ("at 3.40 p.m. the", "time", "3.40 p.m."),
        ("took it at 2140 and sealed", "time", "2140"),
        ("Roster: Mon 0700-1500 Ann", "time", "Mon 0700-1500"),
        ("she is aged 34 now", "age", "aged 34"),
        ("for two years and six months", "duration", "two years and six months"),
        ("paid EUR 3,500 to", "money", "EUR 3,500"),
        ("SEK 9,128 (approximately EUR 950) was", "money", "SEK 9,128 (approximately EUR 950)"),
    ],
)
def test_finds(text, kind, shown):
    assert (kind, shown) in found(text)


@pytest.mark.parametrize(
    "text",
    [
        "sent GB82 WEST 1234 5698 7654 33",
        "under Article 34 of the Convention",
        "Law no. 2577 and section 11 of Act 4",
        "he may go on foot, and so on",
        "he was 1 of 5 of them",
        "version 1.2.3 came out",
        "pay 400 to the second applicant",
        "file nos. 2004/351 and 2004/352",
    ],
)
def test_leaves(text):
    kinds = {kind for kind, _ in found(text)}
    assert not kinds & {"card", "iban", "ip", "phone", "date"}


@pytest.mark.parametrize(
    "text",
    ["in flat 3/1, by 14/2", "fever x 5/7, power 4/5", "1998  Porter.\n2004  Cook.\n2010  Vet.\n"],
)
def test_other_figures_are_no_days_or_hours(text):
    assert not {
        shown for kind, shown in found(text) if kind == "time" or ("/" in shown and kind == "date")
    }


def test_check_digits_and_offsets():
    assert "iban" not in {kind for kind, _ in found("DE89 3704 0044 0532 0130 01 is")}
    for text in ("by 5555-5555-5555-4445", "of 1111 1111 1111 1111"):
        assert "card" not in {kind for kind, _ in found(text)}
    text = "😀😀 on 3 May 1996"
    assert ("date", "3 May 1996") in found(text)


def test_odd_texts():
    for text in ("", " ", "\n\n", "😀", "0" * 500, "a@b", "." * 300, "1/" * 200):
        FINDER.find(text)


def test_a_date_is_no_code_whatever_its_digits_check():
    text = "14.01.20  Mum in at own request. Seen on 14-01-2020 and 2024-09-09."
    assert {kind for kind, _ in found(text)} == {"date"}
