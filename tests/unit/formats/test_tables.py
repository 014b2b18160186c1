"""CSV and Parquet with a column of texts."""

import base64
import io
import json
import re
from pathlib import Path

import pytest

from intact.config import load_settings
from intact.domain import Edit, Mention, SanitizedDocument, Span
from intact.errors import FormatError, InputError
from intact.formats import base
from intact.formats.base import by_name, by_suffix
from intact.pipeline import build_pipeline

MENTIONS = json.dumps([{"start": 0, "end": 3, "type": "PER", "identifier_type": "DIRECT"}])
TABLE = 'name;text;id\nAnn;"Ann said ""no"";\nand left";7\nBo;Bo stayed;8\n'.replace(";\n", ";\n")


def rows(name, data, where="t.csv"):
    kind = by_name(name)
    found = []
    for record in kind.records(io.BytesIO(data), where):
        if isinstance(record, InputError):
            found.append(record)
            continue
        try:
            found.append(kind.load(record, "first"))
        except InputError as error:
            found.append(error)
    return found


def sanitised(name, data, where="t.csv"):
    """Every text's first three characters replaced by X, behind its heading."""
    kind = by_name(name)
    pieces = []
    for record in kind.records(io.BytesIO(data), where):
        if isinstance(record, InputError):
            continue
        loaded = kind.load(record, "first")
        text = loaded.document.text
        at = min((one.end for one in loaded.document.kept if one.of(text).strip()), default=0)
        edits = (Edit(Span(at, at + 3), "X"),) if len(loaded.document.text) >= at + 3 else ()
        pieces.append(
            kind.render(record, loaded, SanitizedDocument(loaded.document, edits, (), ()))
        )
    return joined(kind.assemble(iter(pieces), io.BytesIO(data), where))


def joined(pieces):
    return b"".join(piece.encode() if isinstance(piece, str) else piece for piece in pieces)


def test_csv_rows_are_documents():
    first, second = rows("csv", TABLE.encode())
    assert first.document.text == 'Ann said "no";\nand left'
    assert (first.document.id, second.document.id) == ("7", "8")
    assert first.document.annotated is False
    assert first.warnings == ("these columns go out UNCHANGED: column 1 (name)",)
    assert second.warnings == (
        "labels are counted anew in each row: PERSON_1 of two rows may be two people",
    )


def test_no_column_goes_out_as_it_is_unless_asked():
    with pytest.raises(FormatError, match=r"are: column 1 \(name\)\. .*--columns text,NAME"):
        sanitised("csv", TABLE.encode())


def test_csv_keeps_all_but_the_text_and_empties_mentions():
    done = sanitised("csv:text", b"\xef\xbb\xbf" + TABLE.encode()).decode()
    assert done == 'name;text;id\nAnn;"X said ""no"";\nand left";7\nBo;Xstayed;8\n'
    data = b'id,text,mentions\n1,Ann left,"' + MENTIONS.replace('"', '""').encode() + b'"\n'
    (loaded,) = rows("csv", data)
    assert loaded.document.annotated
    assert [(m.text, m.entity_type) for m in loaded.document.mentions] == [("Ann", "PERSON")]
    assert sanitised("csv", data).decode() == "id,text,mentions\n1,X left,\n"


def test_a_table_with_tabs_is_read_by_its_cells():
    found = by_suffix(Path("t.tsv"))
    assert found is not None and found.name == "csv"
    table = b"id\ttext\n1\tAnn left\n"
    assert sanitised("csv", table) == b"id\ttext\n1\tX left\n"


def test_the_column_can_be_named():
    data = b"id\tletter\n1\tAnn left\n"
    assert rows("csv:letter", data)[0].document.text == "letter: Ann left"
    assert sanitised("csv:letter", data) == b"id\tletter\n1\tX left\n"
    with pytest.raises(FormatError, match="it has no column 'text' among its 2"):
        rows("csv", data)


def test_names_of_columns_are_not_quoted():
    data = b"Rose Baker,May Young\nAnn left,x\n"
    for columns, named in (("csv", "text"), ("csv:notes", "notes"), ("csv:Rose Baker,no", "no")):
        with pytest.raises(FormatError, match=f"no column '{named}' among its 2") as told:
            rows(columns, data)
        assert not re.search("Rose|May", str(told.value))
    assert "UNCHANGED: column 2" in str(rows("csv:Rose Baker", data)[0].warnings)


def test_bad_rows_come_as_errors():
    good, ragged, broken = rows("csv", b'text,mentions\na,\nb,c,d\ne,"{"\n')
    assert good.document.text == "a"
    assert "row 2: it has 3 cells" in str(ragged)
    assert "row 3: not valid JSON" in str(broken)
    (other,) = rows("csv", b'text,mentions\ne,"{}"\n')
    assert "row 1: its mentions are not a list" in str(other)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "it is empty"),
        (b"\n", "it is empty"),
        (b"text\nab\n\xc5x\n", r"byte 8"),
        (b"text\n" + b"a" * 2_000_000 + b"\xff\n", r"byte 2000005"),
        (b"te\xffxt\n", r"byte 2"),
        (b'text\n"a" b\n', "not valid CSV"),
        (b"text,text\n1,2\n", "same name"),
    ],
)
def test_what_is_no_csv(data, said):
    with pytest.raises(FormatError, match=said):
        rows("csv", data)


def test_a_line_that_is_too_long_is_named(monkeypatch):
    monkeypatch.setattr(base, "MOST_BYTES", 9)
    with pytest.raises(FormatError, match=r"t\.csv, line 3: longer than"):
        rows("csv", b"text\nab\n0123456789\n")


@pytest.fixture
def table():
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    def write(**columns):
        made = io.BytesIO()
        parquet.write_table(pyarrow.table(columns), made)
        return made.getvalue()

    return write


def test_parquet(table):
    from pyarrow import parquet

    data = table(n=[1.5, 2.5, None], text=["Ann left", None, "Bo"], mentions=[MENTIONS, None, "[]"])
    first, second, third = rows("parquet", data, "t.parquet")
    assert (first.document.id, first.document.text) == ("t-1", "Ann left")
    assert tuple(one.document.annotated for one in (first, second, third)) == (True, False, True)
    assert second.document.text == ""
    back = parquet.read_table(io.BytesIO(sanitised("parquet:text", data))).to_pydict()
    assert back == {"n": [1.5, 2.5, None], "text": ["X left", None, "Bo"], "mentions": [None] * 3}


def test_parquet_of_many_rows_without_those_left_out(table):
    from pyarrow import parquet

    data = table(id=[str(n) for n in range(700)], body=[f"text {n}" for n in range(700)])
    kind = by_name("parquet:body")
    pieces = iter([f'[{n}, ["T{n}"]]' for n in range(700) if n % 3])
    made = joined(kind.assemble(pieces, io.BytesIO(data), "t"))
    back = parquet.read_table(io.BytesIO(made)).to_pydict()
    assert back["body"] == [f"T{n}" for n in range(700) if n % 3]
    assert back["id"] == [str(n) for n in range(700) if n % 3]


def test_what_is_no_parquet(table, monkeypatch):
    with pytest.raises(FormatError, match="not a Parquet file"):
        rows("parquet", b"PAR1 something else PAR1")
    monkeypatch.setattr("intact.formats.tables.MOST_GROUP", 1)
    with pytest.raises(FormatError, match="unpacks to more than"):
        rows("parquet", table(text=["a"]))


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_several_columns_are_one_document(kind, tmp_path):
    table = {"id": ["7"], "name": ["Ann Lee"], "notes": ["Ann left"], "sum": ["3"]}
    if kind == "csv":
        data = "".join(",".join(row) + "\n" for row in (table, *zip(*table.values(), strict=True)))
        data = data.encode()
    else:
        pyarrow = pytest.importorskip("pyarrow")
        held = io.BytesIO()
        pytest.importorskip("pyarrow.parquet").write_table(pyarrow.table(table), held)
        data = held.getvalue()
    form = by_name(f"{kind}:name,notes")
    (record,) = form.records(io.BytesIO(data), "t")
    loaded = form.load(record, "first")
    assert loaded.document.text == "name: Ann Lee\nnotes: Ann left"
    assert loaded.warnings == ("these columns go out UNCHANGED: column 4 (sum)",)
    edits = (Edit(Span(6, 13), "P1"), Edit(Span(21, 24), "P1"))
    piece = form.render(record, loaded, SanitizedDocument(loaded.document, edits, (), ()))
    made = joined(form.assemble(iter([piece]), io.BytesIO(data), "t"))
    (record,) = by_name(f"{kind}:name,notes").records(io.BytesIO(made), "t")
    assert record.raw["row"] | {"id": "7", "sum": "3"} == {
        "id": "7", "name": "P1", "notes": "P1 left", "sum": "3"
    }  # fmt: skip
    with pytest.raises(FormatError, match="no column 'x'"):
        list(by_name(f"{kind}:name,x").records(io.BytesIO(data), "t"))


def test_cells_are_read_behind_headings_that_no_edit_reaches():
    (loaded,) = rows("csv:home_town,born,text", b"home_town,born,text\nSlough,1962,Ann left\n")
    document = loaded.document
    assert document.text == "home town: Slough\nborn: 1962\nAnn left"
    kept = [span.of(document.text) for span in sorted(document.kept)]
    assert kept == ["home town: ", "\n", "born: ", "\n"]
    at = document.text.index("town")
    heading, cell = (
        Mention(f"m{start}", Span(start, end), document.text[start:end], f"e{start}", "LOC")
        for start, end in ((at, at + 4), (at + 6, at + 12))
    )
    assert document.with_detected((heading, cell)).mentions == (cell,)
    data = b"town,born\nSlough,1962\n"
    assert sanitised("csv:town,born", data) == b"town,born\nXugh,1962\n"


TEN = "town,born,claim,amount,employer,remarks,nationality,phone,ward,street"
ROWS = (
    "Slough,1962,1875,1875,Tesco,She moved to Whitby,Polish,555 0134,Rosewood,12 Mill Lane",
    "Reading,3 May 1951,980,1999,Morrisons,none,British,01753 555012,Maple,High Street",
)


@pytest.mark.parametrize("row", ROWS)
def test_no_cell_of_ten_columns_stays_in_clear(row):
    data = f"{TEN}\n{row}\n".encode()
    (record,) = by_name(f"csv:{TEN}").records(io.BytesIO(data), "t.csv")
    document = by_name(f"csv:{TEN}").load(record, "first").document
    done = build_pipeline(load_settings()).sanitize(document)
    lines = [line.partition(": ") for line in done.text.splitlines()]
    assert [heading for heading, _, _ in lines] == TEN.split(",")
    cells = row.split(",")
    shown = {heading for (heading, _, now), old in zip(lines, cells, strict=True) if now == old}
    assert shown <= {"remarks"}
    amount = next(now for heading, _, now in lines if heading == "amount")
    assert not any(year in amount for year in ("18", "19")), amount


def test_parquet_says_nothing_beside_its_columns():
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    inner = pyarrow.field("x", pyarrow.int32(), metadata={"by": "Zorvexi"})
    fields = [
        pyarrow.field("text", pyarrow.string(), metadata={"by": "Zorvexi"}),
        pyarrow.field("sum", pyarrow.struct([inner])),
        pyarrow.field("mentions", pyarrow.list_(pyarrow.struct([("Zorvexi", pyarrow.int32())]))),
    ]
    schema = pyarrow.schema(fields, metadata={"Zorvexi": "1", "pandas": "Zorvexi"})
    held = io.BytesIO()
    rows_of = [{"text": "Ann left", "sum": {"x": 1}}]
    parquet.write_table(pyarrow.Table.from_pylist(rows_of, schema), held)
    (loaded,) = rows("parquet:text", held.getvalue())
    assert loaded.warnings[1:] == ("removed: remarks on columns (4)",)
    made = sanitised("parquet:text", held.getvalue())
    assert b"Zorvexi" not in made and b"Zorvexi" not in base64_of(made)
    assert parquet.read_table(io.BytesIO(made)).to_pylist()[0] | {"mentions": 0} == {
        "text": "X left", "sum": {"x": 1}, "mentions": 0
    }  # fmt: skip


def base64_of(data):
    """Return what stands in base64 anywhere in some bytes."""
    found = re.findall(rb"[A-Za-z0-9+/]{40,}", data)
    return b"".join(base64.b64decode(each[: len(each) // 4 * 4]) for each in found)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_heading_that_may_name_somebody_is_read_as_text(kind, table):
    heads = ["quintella_vasbrook", "text", "Born", "bmi"]
    if kind == "csv":
        data = ",".join(heads) + "\nx,Ann left,y,z\n"
        data = data.encode()
    else:
        data = table(**dict(zip(heads, (["x"], ["Ann left"], ["y"], ["z"]), strict=True)))
    first, second = rows(kind, data)
    assert first.document.text == "Quintella Vasbrook\nBmi"
    assert first.warnings == (
        "unsure: headings that may name somebody; look at what stays of them: column 1, column 4",
    )
    assert (first.document.id, second.document.id) == ("t-0", "t-1")
    said = "these columns go out UNCHANGED: column 1, column 3 (Born), column 4"
    assert second.warnings == (said,)
    made = sanitised(f"{kind}:text", data)
    form = by_name(f"{kind}:text")
    named = next(r.raw["row"] for r in form.records(io.BytesIO(made), "t") if r.raw["number"])
    assert named == {"Xntella Vasbrook": named[next(iter(named))], "text": "X left"} | {
        "Born": named["Born"], "bmi": named["bmi"]
    }  # fmt: skip
    left_out = joined(form.assemble(iter(()), io.BytesIO(data), "t"))
    assert b"Vasbrook" not in left_out and b"column 1" in left_out


def test_headings_are_replaced_and_stay_different():
    data = b"text,annelise_trowbridge,tel_5550134222,telAnnelise\nAnn left,x,y,z\n"
    form = by_name("csv:text")
    head, _ = form.records(io.BytesIO(data), "t.csv")
    loaded = form.load(head, "first")
    done = build_pipeline(load_settings()).sanitize(loaded.document)
    assert not {"Annelise", "Trowbridge", "5550134222"} & {*re.findall(r"\w+", done.text)}
    text = loaded.document.text
    whole = (Edit(Span(*m.span()), "X") for m in re.finditer(r".+", text))
    piece = form.render(head, loaded, SanitizedDocument(loaded.document, tuple(whole), (), ()))
    assert piece == "\0text,X,X (3),X (4)\n"


@pytest.mark.parametrize("first", ["Quintella Vasbrook", "Case of Zoe Vasbrook", "bmi", "3 May"])
def test_the_one_heading_of_a_table_may_be_its_first_text(first):
    (head, _) = rows("csv", f"{first}\nAnn\n".encode())
    assert head.document.text.casefold() == first.casefold()


@pytest.mark.parametrize("first", ["name", "Patient", "text", "Date of birth", "home_town"])
def test_a_usual_heading_stays(first):
    assert len(rows("csv", f"{first}\nAnn\n".encode())) == 1
