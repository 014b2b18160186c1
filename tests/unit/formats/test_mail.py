"""E-mail: decoded, sanitised, encoded again; what cannot be read does not go out."""

import base64
import io
import mailbox
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default

import pytest

from intact.errors import DocumentError, FormatError
from intact.formats.base import by_name, load_record
from tests.unit.formats.files import sanitize_with

pytest.importorskip("bs4")

PAIRS = (("Ann(?: Lee)?|ann(?:_|\\.)?lee", "PERSON_1"), ("Riga", "a city"))


def message():
    made = EmailMessage()
    made["From"] = "Ann Lee <ann.lee@example.org>"
    made["Subject"] = "Visit of Ann Lee – à propos"
    made["Received"] = "from annlee.example.org"
    made["Message-ID"] = "<annlee@example.org>"
    made.set_content("Ann Lee is at home – in Riga.\n", cte="base64")
    made.add_alternative("<p>Ann <b>Lee</b> of Riga</p>", subtype="html", cte="quoted-printable")
    made.add_attachment(b"Ann Lee wrote this.\n", "text", "plain", filename="Ann_Lee.txt")
    made.add_attachment(b"\x89PNG Ann Lee", "image", "png", filename="annlee.png")
    made.add_attachment(b"Ann Lee\0", "application", "x-odd", filename="annlee.odd")
    made.add_attachment(b"Ann Lee, cut off", "application", "pdf", filename="annlee.pdf")
    forwarded = EmailMessage()
    forwarded["Subject"] = "Ann Lee"
    forwarded.set_content("From Ann Lee, in Riga\n")
    made.add_attachment(forwarded)
    return made


def decoded(data):
    """All that a mail program would show or save."""
    found = message_from_bytes(data, policy=default)
    parts = list(found.walk())
    heads = [str(value) for part in parts for value in part.values()]
    bodies = [part.get_content() for part in parts if part.get_content_maintype() == "text"]
    return "\n".join([*heads, *bodies])


def test_a_message_is_sanitised_in_all_its_parts():
    data = message().as_bytes()
    ((made, loaded),) = sanitize_with(by_name("mail"), data, *PAIRS)
    assert made == sanitize_with(by_name("mail"), data, *PAIRS)[0][0]
    shown = decoded(made)
    for gone in ("Ann", "annlee", "Riga", "Received", "Message-ID"):
        assert gone not in shown
    assert b"Ann" not in made
    back = message_from_bytes(made, policy=default)
    assert [part.get_content_type() for part in back.walk()] == [
        "multipart/mixed", "multipart/alternative", "text/plain", "text/html", "text/plain",
        "message/rfc822", "text/plain",
    ]  # fmt: skip
    plain, html = (back.get_body(kind) for kind in (("plain",), ("html",)))
    assert plain.get_content() == "PERSON_1 is at home – in a city.\n"
    assert plain["Content-Transfer-Encoding"] == "base64"
    assert html["Content-Transfer-Encoding"] == "quoted-printable"
    assert "<b>" in html.get_content()
    assert next(back.iter_attachments()).get_filename() == "PERSON_1.txt"
    assert back["Subject"] == "Visit of PERSON_1 – à propos"
    said = " ".join(loaded.warnings)
    for told in (
        "further headers (2)",
        "attachment 2 removed: a picture",
        "attachment 3 removed",
        "attachment 4 removed",
    ):
        assert told in said
    assert "Ann" not in said


HEADED = """From: "Lee, Ann (RXQ) Riga Hospital" <ann.lee@example.org>
To: Bo Quist <bo@example.org>, ann.lee@example.org; "Ek, Di" <di@example.org>
Date: Mon, 9 Mar 2026 10:00:00 +0000

Ann Lee left.
"""


@pytest.mark.parametrize(
    ("pairs", "told"),
    [
        (
            [(r"Lee, Ann \(RXQ", "PERSON_1"), (r"ann\.lee\S+(?=>)", "CODE_1")],
            {"From": "PERSON_1 Riga Hospital <CODE_1@example.invalid>"},
        ),
        (
            [(r"Bo Quist", "the first person"), (r"ann\.lee\S+(?=;)", "CODE_1")],
            {
                "To": "the first person <bo@example.org>, CODE_1 <CODE_1@example.invalid>, "
                '"Ek, Di" <di@example.org>'
            },
        ),
        ([("Mon, 9.*", "March 2026")], {"Date": None, "Comments": "Date: March 2026"}),
        ([("9 Mar", "2 Mar")], {"Date": "Mon, 02 Mar 2026 10:00:00 +0000"}),
    ],
)
def test_headers_that_were_replaced_are_those_of_a_mail(pairs, told):
    ((made, _),) = sanitize_with(by_name("mail"), HEADED.encode(), *pairs)
    back = message_from_bytes(made, policy=default)
    assert {name: back[name] and str(back[name]) for name in told} == told
    assert not any(back[name].defects for name in told if back[name])


def test_a_mailbox_is_a_document_a_message(tmp_path):
    path = tmp_path / "a.mbox"
    box = mailbox.mbox(path)
    second = EmailMessage()
    second["Subject"] = "Riga"
    second.set_content("one\n\nFrom Ann Lee\n")
    box.add(message())
    box.add(second)
    box.close()
    done = sanitize_with(by_name("mbox"), path.read_bytes(), *PAIRS, name="a.mbox")
    assert [loaded.document.id for _, loaded in done] == ["a-1", "a-2"]
    path.write_bytes(b"".join(made for made, _ in done))
    back = [decoded(bytes(each)) for each in mailbox.mbox(path)]
    assert len(back) == 2
    assert "From PERSON_1\n" in back[1]
    assert not any(word in text for text in back for word in ("Ann", "Riga"))


@pytest.mark.parametrize(
    ("data", "error", "said"),
    [
        (b"no mail at all\n", FormatError, "not an e-mail"),
        (b"Subject: x\nContent-Type: application/pkcs7-mime\n\nQUJD\n", DocumentError, "encrypted"),
        (b"Subject: x\nContent-Type: text/plain; charset=odd\n\nx\n", DocumentError, "encoding"),
        (b"Subject: x\n\nHe can\x92t.\n", DocumentError, r"not UTF-8 \(byte 6\)"),
        (
            b"Subject: x\nContent-Type: text/plain; charset=us-ascii\n\nHe can\x92t.\n",
            DocumentError,
            r"not UTF-8 \(byte 6\)",
        ),
    ],
)
def test_what_cannot_be_read(data, error, said):
    with pytest.raises(error, match=said):
        sanitize_with(by_name("mail"), data)
    with pytest.raises(FormatError, match="not a mailbox"):
        sanitize_with(by_name("mbox"), data)


@pytest.mark.parametrize(
    "head",
    [
        f"Content-Type: text/plain; {'(' * 3000}x{')' * 3000}\n\n",
        f"Content-Disposition: inline; {'(' * 3000}x{')' * 3000}\n\n",
        "".join(f'Content-Type: multipart/mixed; boundary="{n}"\n\n--{n}\n' for n in range(3000)),
    ],
    ids=["type", "disposition", "parts"],
)
def test_a_message_that_is_nested_too_deeply_is_refused_and_named(head):
    data = f"Subject: x\n{head}It rained.\n".encode()
    (record,) = by_name("mail").records(io.BytesIO(data), "x.eml")
    with pytest.raises(FormatError, match=r"^x\.eml: its parts are nested too deeply"):
        load_record(by_name("mail"), record, "first")
    box = b"From a\nSubject: x\n\nIt rained.\n\nFrom b\n" + data
    good, bad = by_name("mbox").records(io.BytesIO(box), "x.mbox")
    assert load_record(by_name("mbox"), good, "first").document.id == "x-1"
    with pytest.raises(FormatError, match=r"^x\.mbox, message 2: its parts are nested"):
        load_record(by_name("mbox"), bad, "first")


def test_a_message_that_is_encoded_once_more_is_dropped_and_named():
    inner = base64.b64encode(b"Subject: Ann Lee\n\nAnn Lee left.\n").decode()
    data = (
        'Subject: x\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="b"\n\n'
        "--b\nContent-Type: text/plain\n\nIt rained.\n--b\nContent-Type: message/rfc822\n"
        f"Content-Transfer-Encoding: base64\n\n{inner}\n--b--\n"
    )
    form = by_name("mail")
    (record,) = form.records(io.BytesIO(data.encode()), "x.eml")
    loaded = form.load(record, "first")
    assert "an attached message removed: it is encoded once more" in loaded.warnings
    assert "It rained." in loaded.document.text and inner not in loaded.document.text


def test_words_of_the_form_are_reached_by_no_edit():
    form = by_name("mail")
    (record,) = form.records(io.BytesIO(message().as_bytes()), "x.eml")
    document = form.load(record, "first").document
    fixed = {span.of(document.text).strip() for span in document.kept}
    assert {"From:", "Subject:", "Attachment:", ".txt"} <= fixed


def test_a_body_without_a_charset_is_utf8_and_a_text_that_is_not_is_removed_and_named():
    head = b"Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nZo\xc3\xab\n--b\n"
    attached = b'Content-Disposition: attachment; filename="a.txt"\n\nZo\xeb\n--b--\n'
    (record,) = by_name("mail").records(io.BytesIO(head + attached), "x.eml")
    loaded = by_name("mail").load(record, "first")
    assert "Zoë" in loaded.document.text and "\ufffd" not in loaded.document.text
    assert "attachment 1 removed: not UTF-8 (byte 2)" in loaded.warnings
