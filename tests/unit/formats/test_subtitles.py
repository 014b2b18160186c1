"""Subtitles: what is said is read and sanitised, all that a player needs stays byte for byte."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intact.formats.base import by_name
from tests.unit.formats.files import sanitize_with

VTT = """WEBVTT - a talk
Kind: captions

NOTE
Made on 2024-04-23 --
by a machine

STYLE
::cue(v) { color: red }

1
00:00:01.200 --> 00:00:05.900 align:start position:10%
<v Ann Lee>So this is <i>Tom</i>, who lives
in Riga.

2
00:00:05.900 --> 00:00:12.480
<v Ann Lee>She did nights at Beechwood

3
00:12.480 --> 00:18.000
<v Ann Lee>Court, and I said: 12.480.

4
00:00:18.900 --> 00:00:22.310
<v Tom Ray>NOTE that I<00:00:19.000> left.</v>
"""
READ = """ - a talk
Kind: captions \n\
Made on 2024-04-23 --
by a machine
Ann Lee: So this is Tom, who lives
in Riga. She did nights at Beechwood Court, and I said: 12.480.
Tom Ray: NOTE that I left.
"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_what_is_said_is_running_text_and_all_else_stays(end):
    data = VTT.replace("\n", end).encode()
    ((made, loaded),) = sanitize_with(by_name("vtt"), data)
    within = ("talk", "captions ", "--", "lives", "left.")  # lines end there as in the file
    assert loaded.document.text == re.sub(f"({'|'.join(within)})\n", rf"\1{end}", READ)
    assert made.encode() == data
    said = "unsure: not read, and left as they are; look at them: style sheets"
    assert loaded.warnings == (f"{said} (1)",)
    pairs = (("Ann Lee", "PERSON_1"), ("Beechwood Court", "a home"), ("Riga", "a city"))
    ((made, _),) = sanitize_with(by_name("vtt"), data, *pairs)
    wanted = VTT.replace("Ann Lee", "PERSON_1").replace("Riga", "a city")
    wanted = wanted.replace("Beechwood", "a home").replace(">Court, and", ">, and")
    assert made == wanted.replace("\n", end)


SRT = """1
00:00:01,200 --> 00:00:05,900 X1:40 X2:600 Y1:20 Y2:50
He saw Beech
Court
there.

2
00:00:06,000 --> 00:00:07,000

3
00:00:07,000 --> 00:00:08,000
- Who?
- Bo.

Made by Bo Quist
"""


def test_no_line_of_a_cue_becomes_empty():
    ((made, loaded),) = sanitize_with(by_name("srt"), SRT.encode())
    assert made == SRT and loaded.warnings == ()
    assert loaded.document.text == (
        "He saw Beech\nCourt\nthere.\n- Who?\n- Bo.\n\nMade by Bo Quist\n"
    )
    source = SRT.replace("\nCourt", "").replace("- Who?", "Court\nWho?").replace("\nthere.", "")
    ((made, loaded),) = sanitize_with(by_name("srt"), source.encode(), ("Beech Court", "it"))
    assert "He saw it\n\n2\n" in made and "00:00:08,000\nWho?\n- Bo.\n" in made


@pytest.mark.parametrize(
    ("one", "two", "joint"),
    [("at Beech", "Court", " "), ("at Beech", "AB: Court", "\n"), ("at Beech", "- Court", "\n"),
     ("at Beech!", "Court", "\n"), ("at Beech", "B R: x", "\n"), ("at", "12:30", "\n")],
)  # fmt: skip
def test_a_sentence_goes_on_in_the_next_cue_unless_somebody_else_speaks(one, two, joint):
    cues = f"1\n00:01 --> 00:02\n{one}\n\n2\n00:02 --> 00:03\n{two}"
    assert sanitize_with(by_name("srt"), cues.encode())[0][1].document.text == one + joint + two


def test_what_only_looks_like_a_line_with_times_is_read():
    for line in ("Ann --> Bo", "00:01 --> 00:02 by:Ann", "00:01 --> 00:02 Ann"):
        data = f"WEBVTT\n\n00:01.000 --> 00:02.000\nx\n\n{line}\n".encode()
        assert line in sanitize_with(by_name("vtt"), data)[0][1].document.text


@given(st.lists(st.sampled_from(["\n", "\r", "NOTE", "1", "00:01 --> 00:02", "<v A>", "b", "."])))
def test_a_file_of_which_nothing_is_replaced_stays_as_it_is(parts):
    data = "".join(parts)
    ((made, _),) = sanitize_with(by_name("srt"), data.encode())
    assert made == data


def test_times_are_found_in_linear_time():
    for part in ("\n", "\r\n", "1\n", "\n\nx", "<v ", "00:01 -->\n", "\n\n1\n00:01 --> 00:02"):
        began = time.monotonic()
        sanitize_with(by_name("vtt"), f"WEBVTT\n{part * 40_000}".encode())
        assert time.monotonic() - began < 5, part
