"""Whatever stands in a file, a reader gives documents or an error of INTACT's own."""

import csv
import io
import json
import re
import tempfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from intact.domain import Document, IdentifierType, Mention, SanitizedDocument, Span
from intact.errors import InputError
from intact.formats.base import Losses, by_name

TEXT = "Zelda Quimby 😀 of Riga,\r\nborn 1970. She paid 5 lats."
MENTIONS = ((0, 12, "PERSON", "DIRECT"), (0, 5, "PERSON", "QUASI"), (18, 22, "LOC", "QUASI"))
ODD = (
    b"\x00", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\r", b"\t", b"\\", b'"', b"-1", b"9" * 30,
    b"1e999", b"NaN", b"null", b"[]", b"{}", b"[" * 50, b"\\ud83d", b"\xe2\x80\xa8", b"\x1b[31m",
    b"<", b"&#0;", b"]]>", b"|", b"_", b"O", b"\n", b" ", b"T1", b"*\t", b"A\n", b";",
)  # fmt: skip
FORMATS = ("tab jsonl text labelstudio presidio docbin csv parquet docx html").split()
QUICK = settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def sample():
    mentions = tuple(
        Mention(f"m{n}", Span(s, e), TEXT[s:e], f"e{n}", kind, IdentifierType(identifier))
        for n, (s, e, kind, identifier) in enumerate(MENTIONS)
    )
    return Document("d1", TEXT, mentions)


def written(name):
    """A good file of a format (and the one beside it); the first is to be read."""
    if name == "html":
        return {"d1.html": f"<!DOCTYPE html><p title='x'>{TEXT}<br><b>a</b><!--c--></p>".encode()}
    if name == "docx":
        made = pytest.importorskip("docx").Document()
        made.add_paragraph(TEXT).add_run("bold").bold = True
        data = io.BytesIO()
        made.save(data)
        return {"d1.docx": data.getvalue()}
    kind = by_name(name)
    if name == "text":
        return {"d1.txt": TEXT.encode()}
    if name in ("tab", "jsonl", "labelstudio"):
        return {"d1.x": b"".join(kind.write([sample(), sample()], Losses()))}
    if name == "docbin":
        spacy, tokens = pytest.importorskip("spacy"), pytest.importorskip("spacy.tokens")
        doc = spacy.blank("xx")(TEXT)
        doc.spans["intact"] = [doc.char_span(s, e, k, alignment_mode="expand")
                               for s, e, k, _ in MENTIONS]  # fmt: skip
        return {"d1.x": tokens.DocBin(docs=[doc]).to_bytes()}
    if name == "presidio":
        found = [{"entity_type": k, "start": s, "end": e, "score": 1} for s, e, k, _ in MENTIONS]
        return {"d1.x": json.dumps({"id": 1, "text": TEXT, "analyzer_results": found}).encode()}
    mentions = json.dumps([{"start": s, "end": e, "type": k} for s, e, k, _ in MENTIONS])
    if name == "csv":
        table = io.StringIO(newline="")
        csv.writer(table).writerows([["id", "text", "mentions"], ["d1", TEXT, mentions]])
        return {"d1.x": table.getvalue().encode()}
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = {"id": ["d1"], "text": [TEXT], "mentions": [mentions]}
    data = io.BytesIO()
    parquet.write_table(pytest.importorskip("pyarrow").table(rows), data)
    return {"d1.x": data.getvalue()}


def read(name, files):
    """Reads the first file to the end, and writes it as what it was where that can be done."""
    kind = by_name(name)
    with tempfile.TemporaryDirectory() as folder:
        for file, content in files.items():
            (Path(folder) / file).write_bytes(content)
        path = Path(folder) / next(iter(files))
        try:
            with path.open("rb") as opened:
                records = list(kind.records(opened, str(path)))
        except InputError as error:
            said(error, folder)
            return
        pieces = []
        for record in records:
            try:
                if isinstance(record, InputError):
                    raise record
                loaded = kind.load(record, "first")
            except InputError as error:
                said(error, folder)
                continue
            done = SanitizedDocument(loaded.document, (), (), ())
            try:
                pieces.append(kind.render(record, loaded, done))
            except InputError as error:
                said(error, folder)
        with path.open("rb") as opened:
            try:
                list(kind.assemble(iter(pieces), opened, str(path)))
            except InputError as error:
                said(error, folder)


def said(error, folder):
    """It tells the file, and nothing of the text."""
    assert folder in str(error)
    assert "Zelda" not in str(error) and "Riga" not in str(error)


@st.composite
def damaged(draw, data):
    """``data`` with a few pieces cut out, doubled, flipped or written over."""
    made = bytearray(data)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(made)))
        end = min(len(made), at + draw(st.sampled_from((1, 2, 7, 40, len(made)))))
        made[at:end] = draw(
            st.sampled_from((b"", *ODD, bytes(made[at:end]) * 2, bytes(made[at:end])[::-1]))
        )
    return bytes(made)


@pytest.mark.parametrize("name", FORMATS)
@QUICK
@given(data=st.data())
def test_damaged_files(name, data):
    files = written(name)
    spoilt = data.draw(st.sampled_from(list(files)))
    files[spoilt] = data.draw(damaged(files[spoilt]))
    read(name, files)


@QUICK
@given(data=st.data())
def test_word_with_damaged_parts(data):
    """The archive is sound, what is in it is not; every element may stand anywhere."""
    (name, content), *_ = written("docx").items()
    old, made = zipfile.ZipFile(io.BytesIO(content)), io.BytesIO()
    part = data.draw(st.sampled_from(["word/document.xml", "word/settings.xml", *PACKAGING]))
    spoilt = old.read(part)
    if part == "word/document.xml":
        elements = data.draw(st.lists(st.sampled_from(ELEMENTS), max_size=6))
        spoilt = re.sub(rb"(<w:p>|<w:r>|<w:sectPr)", "".join(elements).encode() + rb"\1", spoilt)
    if data.draw(st.booleans()) or part != "word/document.xml":
        spoilt = data.draw(damaged(spoilt))
    with zipfile.ZipFile(made, "w") as new:
        for item in old.namelist():
            new.writestr(item, spoilt if item == part else old.read(item))
    read("docx", {name: made.getvalue()})


PACKAGING = ("[Content_Types].xml", "_rels/.rels", "word/_rels/document.xml.rels")
ELEMENTS = ["<?p q?>", "<w:hyperlink w:tooltip='x'/>"]
ELEMENTS += """
<w:ins/> <w:del><w:r><w:delText>x</w:delText></w:r></w:del> <w:p/> <w:t>x</w:t> <w:tab/>
<w:moveTo><w:p><w:t>y</w:t></w:p></w:moveTo> <w:trPr><w:del/></w:trPr>
<w:tr><w:trPr><w:del/></w:trPr></w:tr> <w:tbl><w:tr><w:trPr><w:del/></w:trPr></w:tr></w:tbl>
<w:r><w:t/><w:br/></w:r> <!--c--> <w:fldSimple/> <w:instrText/>
<w:sdt><w:sdtPr><w:alias/></w:sdtPr></w:sdt> <w:moveFrom><w:r/></w:moveFrom>
<w:ins><w:del><w:p><w:ins/></w:p></w:del></w:ins> <w:bookmarkStart/> <w:commentReference/>
""".split()
KEYS = "id text start end type label labels value entities relations from_id to_id meta".split()
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 99) | st.floats() | st.text(max_size=4)
    | st.sampled_from((10**30, "PERSON", "d1")),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=6,
)  # fmt: skip


@pytest.mark.parametrize("name", ["tab", "jsonl", "labelstudio", "presidio"])
@QUICK
@given(data=st.data())
def test_other_things_in_good_json(name, data):
    files = written(name)
    file = next(iter(files))
    lines = name in ("jsonl", "presidio")
    tree = [json.loads(x) for x in files[file].splitlines()] if lines else json.loads(files[file])
    holder = [tree]
    key = 0
    while isinstance(holder[key], dict | list) and holder[key] and data.draw(st.integers(0, 5)):
        holder = holder[key]
        key = data.draw(
            st.sampled_from(sorted(holder) if isinstance(holder, dict) else range(len(holder)))
        )
    holder[key] = data.draw(ANYTHING)
    given = tree if isinstance(tree, list) else [tree]
    text = "\n".join(map(json.dumps, given)) if lines else json.dumps(tree)
    files[file] = text.encode()
    read(name, files)


@pytest.mark.parametrize("name", FORMATS)
@QUICK
@given(data=st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode()))
def test_any_bytes(name, data):
    files = written(name)
    files[next(iter(files))] = data
    read(name, files)
