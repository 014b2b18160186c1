"""Workbooks, OpenDocument, RTF, PDF: text is sanitised, nothing hidden goes out.

Files of LibreOffice are made, and opened again, where it is installed."""

import io
import re
import shutil
import subprocess
import time

import pytest

from intact.errors import FormatError
from intact.formats.archive import MOST_ELEMENTS, pack_parts
from intact.formats.base import by_name
from tests.unit.formats.files import parts_of, repacked, sanitize_with

RANGES = {
    "mergeCells": '<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>',
    "links": '<hyperlinks><hyperlink ref="A1:XFD1048576" location="A1"/></hyperlinks>',
}
PAIRS = (("Ann Lee|Lee", "PERSON_1"), ("Riga", "a city"))
HIDDEN = re.compile("Ann|Lee|Riga|Quist", re.IGNORECASE)


def workbook():
    openpyxl = pytest.importorskip("openpyxl")
    from openpyxl.comments import Comment
    from openpyxl.worksheet.datavalidation import DataValidation

    book = openpyxl.Workbook()
    book.properties.creator = "Bo Quist"
    sheet = book.active
    sheet.title = "Ann Lee"
    for row in (["Name", "Age", "Town"], ["Ann Lee", 61, "Riga"], ["x", 7, '=B2&" Riga"']):
        sheet.append(row)
    sheet["A2"].comment = Comment("Ann is my cousin", "Bo Quist")
    sheet["C2"].hyperlink = "https://example.org/ann-lee"
    sheet["B2"].number_format = '"Quist "0'
    rule = DataValidation(type="list", formula1='"Ann Lee,Bo Quist"')
    sheet.add_data_validation(rule)
    rule.add("A3")
    book.create_sheet("Hidden").append(["Riga"])
    book["Hidden"].sheet_state = "hidden"
    data = io.BytesIO()
    book.save(data)
    return data.getvalue()


def test_a_workbook_keeps_its_values_and_nothing_else():
    data = workbook()
    ((made, loaded),) = sanitize_with(by_name("xlsx"), data, *PAIRS)
    for name, content in parts_of(made).items():
        assert not HIDDEN.search(content), name
    openpyxl = pytest.importorskip("openpyxl")
    back = openpyxl.load_workbook(io.BytesIO(made))
    assert back.sheetnames == ["PERSON_1", "Hidden"]
    rows = list(back["PERSON_1"].iter_rows(values_only=True))
    assert rows == [("Name", "Age", "Town"), ("PERSON_1", 61, "a city"), ("x", 7, None)]
    assert "Name: Ann Lee\nAge: 61\nTown: Riga\n" in loaded.document.text
    said = " ".join(loaded.warnings)
    for told in ("comments (1)", "links (1)", "rules for cells (1)", "formulas without a kept"):
        assert told in said
    assert made == sanitize_with(by_name("xlsx"), data, *PAIRS)[0][0]


NS = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{full}:1.0"'
    for name, full in (("office", "office"), ("text", "text"), ("draw", "drawing"))
)
CONTENT = f"""<office:document-content {NS} xmlns:xlink="http://www.w3.org/1999/xlink"
 xmlns:dc="http://purl.org/dc/elements/1.1/"><office:body><office:text>
<text:tracked-changes><text:changed-region><text:deletion><text:p>Ann Lee was cut</text:p>
</text:deletion></text:changed-region></text:tracked-changes>
<text:p>Dear <text:span>Ann</text:span> Lee<office:annotation><dc:creator>Bo Quist</dc:creator>
<text:p>Ann!</text:p></office:annotation> of<text:s text:c="2"/><text:a
 xlink:href="https://example.org/riga">Riga</text:a><text:bookmark text:name="Ann_Lee"/>,<draw:frame
><draw:image xlink:href="Pictures/ann.png"/></draw:frame> goodbye</text:p>
</office:text></office:body></office:document-content>"""


def test_opendocument_keeps_its_layout_and_nothing_of_the_person():
    pytest.importorskip("lxml")
    data = pack_parts(
        [
            ("mimetype", b"application/vnd.oasis.opendocument.text"),
            ("content.xml", CONTENT.encode()),
            ("meta.xml", b"<x>Bo Quist</x>"),
            ("Pictures/ann.png", b"Ann Lee"),
            ("Object 1/content.xml", b"<x>Ann Lee</x>"),
        ]
    )
    ((made, loaded),) = sanitize_with(by_name("odt"), data, *PAIRS)
    assert loaded.document.text == "Dear Ann Lee of  Riga, goodbye\n"
    for name, content in parts_of(made).items():
        assert not HIDDEN.search(content + name), name
    ((_, again),) = sanitize_with(by_name("odt"), made)
    assert again.document.text == "Dear PERSON_1 of  a city, goodbye\n"
    said = " ".join(loaded.warnings)
    for told in ("comments (1)", "tracked changes (1)", "pictures (1)", "document properties (1)"):
        assert told in said


def test_the_marks_of_notes_in_opendocument_are_not_read_and_stay():
    pytest.importorskip("lxml")
    style = "urn:oasis:names:tc:opendocument:xmlns:style:1.0"
    looks = f"""<office:automatic-styles xmlns:style="{style}"><style:style style:name="T1"
 style:family="text"><style:text-properties style:text-position="super 58%"/></style:style>
</office:automatic-styles><office:body>"""
    body = """<text:p>Ann paid £600<text:note text:id="ftn1" text:note-class="footnote"
><text:note-citation>1</text:note-citation><text:note-body><text:p>Deed.</text:p></text:note-body
></text:note> and £5<text:span text:style-name="T1">2</text:span>.</text:p><text:p>Riga</text:p>"""
    content = re.sub("(?s)<text:tracked.*</text:p>", body, CONTENT)
    data = [("mimetype", b"x"), ("content.xml", content.replace("<office:body>", looks).encode())]
    ((made, loaded),) = sanitize_with(by_name("odt"), pack_parts(data), ("Ann", "She"))
    assert loaded.document.text == "Ann paid £600 and £5.\nDeed.\nRiga\n"
    kept = parts_of(made)["content.xml"]
    assert re.sub("<[^>]+>", "", kept).split() == ["She", "paid", "£6001Deed.", "and", "£52.Riga"]
    assert "note-citation" in kept and "super 58%" in kept


@pytest.mark.parametrize("spaces", [1, 30])
def test_a_name_around_a_row_of_spaces_in_opendocument_goes_whole(spaces):
    pytest.importorskip("lxml")
    body = f'<text:p>by Ann<text:s text:c="{spaces}"/>Lee, here</text:p>'
    content = re.sub("(?s)<text:tracked.*</text:p>", body, CONTENT).encode()
    data = pack_parts([("mimetype", b"x"), ("content.xml", content)])
    ((made, _),) = sanitize_with(by_name("odt"), data, ("Ann +Lee", "PERSON_1"))
    ((_, again),) = sanitize_with(by_name("odt"), made)
    assert again.document.text == "by PERSON_1, here\n"


def test_rtf_is_read_for_its_text():
    pytest.importorskip("striprtf")
    data = rb"{\rtf1\ansi{\info{\author Bo Quist}}{\header B}{\b Ann} Lee,\par Zo\'eb of Riga}"
    ((made, loaded),) = sanitize_with(by_name("rtf"), data, *PAIRS)
    assert made == "PERSON_1,\nZoë of a city"
    assert "document properties (1), headers and footers (1)" in " ".join(loaded.warnings)
    with pytest.raises(FormatError, match="not an RTF"):
        sanitize_with(by_name("rtf"), b"text")


def pdf(*pages):
    """A PDF with a line of text a page."""
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(pages)))
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Count {len(pages)}/Kids[{kids}]>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for number, text in enumerate(pages):
        shown = f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET" if text else ""
        objects += [
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F1 3 0 R>>>>"
            f"/Contents {5 + 2 * number} 0 R>>",
            f"<</Length {len(shown)}>>stream\n{shown}\nendstream",
        ]
    info = len(objects) + 1
    objects.append("<</Author(Bo Quist)>>")
    body = "%PDF-1.4\n" + "".join(f"{n} 0 obj\n{o}\nendobj\n" for n, o in enumerate(objects, 1))
    return f"{body}trailer<</Root 1 0 R/Info {info} 0 R/Size {info + 1}>>\n%%EOF\n".encode()


def test_pdf_is_read_for_its_text():
    pytest.importorskip("pypdfium2")
    kind = by_name("pdf")
    ((made, loaded),) = sanitize_with(kind, pdf("Dear Ann Lee", "", "of Riga"), *PAIRS)
    assert made == "Dear PERSON_1\n\f\n\fof a city\n"
    said = " ".join(loaded.warnings)
    assert "properties (1)" in said
    assert "pages without text are left out, they look scanned: 2" in said
    with pytest.raises(FormatError, match="it looks scanned"):
        sanitize_with(kind, pdf(""))
    with pytest.raises(FormatError, match="not a PDF"):
        sanitize_with(kind, b"%PDF-1.4 broken")


def test_a_line_of_a_pdf_that_runs_up_goes_on_at_a_ligature():
    pytest.importorskip("pypdfium2")
    level = pdf(r"Mr Scra) Tj (\001) Tj (eld of) Tj ( floor")
    ligature = b"/Helvetica/Encoding<</Differences[1/fi]>>"
    turned = b"0 1 -1 0 500 0 cm BT /F1 12 Tf 72 700 Td"
    data = level.replace(b"/Helvetica", ligature).replace(b"BT /F1 12 Tf 72 700 Td", turned)
    ((made, _),) = sanitize_with(by_name("pdf"), re.sub(rb"/Length \d+", b"/Length 92", data))
    assert made == "Mr Scrafield of floor\n"


LETTER = """<html><head><title>Ann Lee</title><meta name="author" content="Bo Quist"></head><body>
<h1>Letter</h1><p>Dear <b>Ann</b> Lee,</p><p>you live in Riga, don't you?</p>
<table><tr><td>Ann Lee</td><td>Riga</td></tr></table></body></html>"""


@pytest.fixture(scope="module")
def office(tmp_path_factory):
    """Converts a file with LibreOffice: (name, content, suffix) -> bytes."""
    program = shutil.which("soffice")
    if program is None:
        pytest.skip("LibreOffice is not installed")
    folder = tmp_path_factory.mktemp("office")

    def convert(name, content, to):
        (folder / name).write_bytes(content)
        filters = ["--infilter=HTML (StarWriter)"] if name.endswith(".html") else []
        profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
        command = [program, "--headless", profile, *filters, "--convert-to", to]
        subprocess.run(
            [*command, "--outdir", folder / "out", folder / name], check=True, capture_output=True
        )
        suffix = to.partition(":")[0]
        return (folder / "out" / name).with_suffix(f".{suffix}").read_bytes()

    return convert


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["docx", "odt", "rtf", "pdf"])
def test_letters_of_another_program(office, kind):
    pytest.importorskip("docx")
    pytest.importorskip("pypdfium2")
    form = by_name(kind)
    data = office("letter.html", LETTER.encode(), kind)
    ((made, _),) = sanitize_with(form, data, *PAIRS)
    shown = made if isinstance(made, str) else office(f"back.{kind}", made, "txt:Text").decode()
    words = re.sub(r"[\ufeff|\s]+", " ", shown).strip()
    assert words == "Letter Dear PERSON_1, you live in a city, don't you? PERSON_1 a city"
    if isinstance(made, bytes):
        assert not any(HIDDEN.search(content) for content in parts_of(made).values())


@pytest.mark.slow
def test_a_pdf_with_a_password(office):
    pytest.importorskip("pypdfium2")
    options = '{"EncryptFile":{"type":"boolean","value":"true"},'
    options += '"DocumentOpenPassword":{"type":"string","value":"x"}}'
    data = office("locked.html", LETTER.encode(), f"pdf:writer_pdf_Export:{options}")
    with pytest.raises(FormatError, match="is encrypted"):
        sanitize_with(by_name("pdf"), data)


@pytest.mark.slow
def test_tables_of_another_program(office):
    pytest.importorskip("openpyxl")
    data = office("table.csv", b"Name,Born,Town\nAnn Lee,1961-03-03,Riga\n", "xlsx")
    ((made, loaded),) = sanitize_with(by_name("xlsx"), data, *PAIRS)
    assert "Born: 1961-03-03\n" in loaded.document.text
    assert office("back.xlsx", made, "csv") == b"Name,Born,Town\nPERSON_1,1961-03-03,a city\n"


def test_a_cell_far_away_takes_no_longer_than_a_near_one():
    openpyxl = pytest.importorskip("openpyxl")
    book, data = openpyxl.Workbook(), io.BytesIO()
    book.active["XFD1048576"] = "Ann Lee"
    book.save(data)
    began = time.monotonic()
    ((made, _),) = sanitize_with(by_name("xlsx"), data.getvalue(), *PAIRS)
    back = openpyxl.load_workbook(io.BytesIO(made))
    assert back.active["XFD1048576"].value == "PERSON_1" and time.monotonic() - began < 5


@pytest.mark.parametrize("name", RANGES)
def test_ranges_of_all_cells_are_refused(name):
    def change(part, content):
        old = b"</sheetData>"
        return (
            content.replace(old, old + RANGES[name].encode())
            if b"sheetData" in content
            else content
        )

    with pytest.raises(FormatError, match="merges or links more than"):
        sanitize_with(by_name("xlsx"), repacked(workbook(), change))


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        *[("odt", "content.xml"), ("odt", "styles.xml"), ("xlsx", "xl/sharedStrings.xml")],
        *[("docx", "word/main.bin"), ("docx", "_rels/.rels"), ("docx", "META-INF/manifest.xml")],
    ],
)
def test_declared_entities_are_refused_for_they_may_stand_for_text(kind, name):
    content = b'<!DOCTYPE x [<!ENTITY x "was treated in Riga">]><x>Ann &x;</x>'
    for written in (content, b"\n" + content, content.decode().encode("utf-16")):
        with pytest.raises(FormatError, match=r"^in\.x: declares a document type"):
            sanitize_with(by_name(kind), pack_parts([(name, written)]))


def test_the_document_type_of_an_old_manifest_is_no_harm():
    old = b'<!DOCTYPE manifest PUBLIC "-//OpenOffice.org//DTD Manifest 1.0//EN" "Manifest.dtd"><x/>'
    parts = [("content.xml", CONTENT.encode()), ("META-INF/manifest.xml", old)]
    ((_, loaded),) = sanitize_with(by_name("odt"), pack_parts(parts))
    assert "Riga" in loaded.document.text


def test_millions_of_elements_are_refused_before_they_are_read():
    pytest.importorskip("docx")
    body = b"<w:document><w:body>" + b"<w:p/>" * (MOST_ELEMENTS + 1) + b"</w:body></w:document>"
    began = time.monotonic()
    with pytest.raises(FormatError, match="more than 2,000,000 elements"):
        sanitize_with(by_name("docx"), pack_parts([("word/document.xml", body)]))
    assert time.monotonic() - began < 5
