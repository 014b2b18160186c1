"""A damaged file is read as far as it goes, or is an error; it is never a crash."""

import io
from email.message import EmailMessage
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from intact.errors import InputError
from intact.formats.archive import pack_parts
from intact.formats.base import by_name
from tests.unit.formats.files import sanitize_with
from tests.unit.formats.test_office_files import CONTENT, workbook

HTML = (
    b"<html><head><title>Ann Lee</title></head><body><p>Ann Lee &amp; Bo<br>met.</p></body></html>"
)
ODT = "application/vnd.oasis.opendocument.text"


def docx():
    made = pytest.importorskip("docx").Document()
    made.add_paragraph("Ann Lee met Bo.")
    made.add_table(1, 2).cell(0, 1).text = "Ann Lee"
    data = io.BytesIO()
    made.save(data)
    return data.getvalue()


def odt():
    pytest.importorskip("lxml")
    return pack_parts([("mimetype", ODT.encode()), ("content.xml", CONTENT.encode())])


def mail():
    made = EmailMessage()
    made["From"] = "Ann Lee <ann.lee@example.org>"
    made.set_content("Ann Lee is at home.\n", cte="base64")
    made.add_alternative(HTML.decode(), subtype="html")
    made.add_attachment(odt(), "application", "odt", filename="ann.odt")
    return made.as_bytes()


FILES = {
    "docx": cache(docx),
    "odt": cache(odt),
    "xlsx": cache(workbook),
    "mail": cache(mail),
    "html": lambda: HTML,
    "rtf": lambda: (
        rb"{\rtf1\ansi{\fonttbl{\f0 Arial;}}{\info{\author Ann}}\f0 Ann Lee\par caf\'e9 \u8211?}"
    ),
    "markdown": lambda: b"# Ann Lee\n\nAnn `x` <b>Lee</b>\n\n```\ncode\n```\n- [x](http://a/ann)\n",
}
damages = st.lists(
    st.tuples(st.integers(0, 2**20), st.integers(0, 60), st.binary(max_size=20)),
    min_size=1,
    max_size=4,
)


@pytest.mark.parametrize("kind", FILES)
@settings(max_examples=60, deadline=None)
@given(damages)
def test_a_damaged_file_is_read_or_an_error(kind, damages):
    data = bytearray(FILES[kind]())
    for at, gone, put in damages:
        start = at % (len(data) + 1)
        data[start : start + gone] = put
    try:
        sanitize_with(by_name(kind), bytes(data), ("Ann", "PERSON_1"))
    except InputError as error:
        assert "Ann" not in str(error)


@pytest.mark.parametrize("old", [b"multipart/mixed", b"application/odt", b'charset="utf-8"'])
@pytest.mark.parametrize("put", [b"\x00", b"\x0b", b"\x1c", b" ", b""])
@pytest.mark.parametrize("at", [1, 12])
def test_a_damaged_content_type_is_read_or_an_error(old, put, at):
    data = FILES["mail"]()
    assert old in data
    damaged = data.replace(old, old[:at] + put + old[at + 1 :])
    try:
        sanitize_with(by_name("mail"), damaged, ("Ann", "PERSON_1"))
    except InputError as error:
        assert "Ann" not in str(error)
