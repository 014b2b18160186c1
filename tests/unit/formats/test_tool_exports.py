"""What other tools export, read as they write it."""

import io
import json

import pytest

from intact.domain import IdentifierType
from intact.errors import DocumentError, FormatError
from intact.formats.known import by_name

EMOJI = "😀😀 Ann Lee met Bo in Riga. Lee left."


def read(name, data, where="export.x", annotator="first"):
    kind = by_name(name)
    raw = data if isinstance(data, bytes) else data.encode("utf-8")
    return [kind.load(r, annotator) for r in kind.records(io.BytesIO(raw), where)]


def one(name, data, **more):
    (loaded,) = read(name, data, **more)
    return loaded


def seen(loaded):
    return [(m.text, m.entity_type) for m in loaded.document.mentions]


def pair(folder, text, ann):
    (folder / "doc.txt").write_text(text, encoding="utf-8", newline="")
    (folder / "doc.ann").write_text(ann, encoding="utf-8", newline="")
    kind = by_name("brat")
    with (folder / "doc.ann").open("rb") as file:
        (record,) = kind.records(file, str(folder / "doc.ann"))
    return kind.load(record, "first")


def test_brat(tmp_path):
    loaded = pair(
        tmp_path,
        "Ann Lee met Bo.\nLee was North and South Korean.\n",
        "T1\tPerson 0 7\tAnn Lee\n"
        "T2\tPER 12 14\tBo\n"
        "T3\tPerson 16 19\tLee\n"
        "T4\tNationality 24 29;40 46\tNorth Korean\n"
        "*\tEquiv T1 T3\n"
        "R1\tMeets Arg1:T1 Arg2:T2\n"
        "A1\tIdentifier T1 DIRECT\n"
        "A2\tNegation T2\n"
        "#1\tAnnotatorNotes T1\tthe applicant\n",
    )
    ann, bo, lee, north, korean = loaded.document.mentions
    assert seen(loaded) == [
        ("Ann Lee", "PERSON"), ("Bo", "PERSON"), ("Lee", "PERSON"),
        ("North", "DEM"), ("Korean", "DEM"),
    ]  # fmt: skip
    assert ann.entity_id == lee.entity_id != bo.entity_id
    assert north.entity_id == korean.entity_id
    assert ann.identifier_type is IdentifierType.DIRECT
    assert bo.identifier_type is IdentifierType.QUASI
    assert any("discontinuous" in warning for warning in loaded.warnings)
    assert {"1 relations are not used", "1 attributes are not used", "1 notes are not used"} < set(
        loaded.warnings
    )


def test_brat_over_a_line_end_is_one_mention(tmp_path):
    loaded = pair(tmp_path, "the Bank\nof Norway", "T1\tORG 0 8;9 18\tthe Bank of Norway\n")
    assert seen(loaded) == [("the Bank\nof Norway", "ORG")]


@pytest.mark.parametrize(
    ("ann", "said"),
    [
        ("T1\tPER 0 70\tAnn", "lie outside the text"),
        ("T1\tPER 3 3\tAnn", "are empty"),
        ("T1\tPER\tAnn", "no text-bound annotation"),
        ("T1\n", "no text-bound annotation"),
    ],
)
def test_broken_brat_is_named(tmp_path, ann, said):
    with pytest.raises(DocumentError, match=said) as caught:
        pair(tmp_path, "Ann", ann)
    assert "doc.ann" in str(caught.value)


def test_brat_without_its_text(tmp_path):
    (tmp_path / "x.ann").write_text("T1\tPER 0 1\tx", encoding="utf-8")
    with pytest.raises(FormatError, match=r"x\.txt: its text cannot be read"):
        one("brat", b"", where=str(tmp_path / "x.ann"))


def test_standoff_does_not_leave_its_folder(tmp_path):
    (tmp_path / "secret.txt").write_text("s", encoding="utf-8")
    inside = tmp_path / "in"
    inside.mkdir()
    path = inside / "a.standoff"
    path.write_text("{}", encoding="utf-8")
    for name in ("../secret.txt", "/etc/hostname", ""):
        with pytest.raises(FormatError, match="not in the same folder"):
            one("standoff", json.dumps({"id": "a", "text_file": name}), where=str(path))


def test_standoff_of_another_text_is_refused(tmp_path):
    kind = by_name("standoff")
    (tmp_path / "a.txt").write_text("Another text", encoding="utf-8")
    (tmp_path / "a.standoff").write_text(
        json.dumps({"id": "a", "text_file": "a.txt", "sha256": "0" * 64, "mentions": []}),
        encoding="utf-8",
    )
    with pytest.raises(FormatError, match="SHA-256"), (tmp_path / "a.standoff").open("rb") as file:
        list(kind.records(file, str(tmp_path / "a.standoff")))


@pytest.mark.parametrize(
    "shape",
    [
        {"label": [[3, 10, "PER"], [15, 17, "PER"], [21, 25, "LOC"], [27, 30, "PER"]]},
        {
            "entities": [
                {"id": 7, "label": "PER", "start_offset": 3, "end_offset": 10},
                {"id": 8, "label": "PER", "start_offset": 15, "end_offset": 17},
                {"id": 9, "label": "LOC", "start_offset": 21, "end_offset": 25},
                {"id": 10, "label": "PER", "start_offset": 27, "end_offset": 30},
            ],
            "relations": [
                {"id": 1, "from_id": 10, "to_id": 7, "type": "COREF"},
                {"id": 2, "from_id": 7, "to_id": 8, "type": "MET"},
            ],
            "Comments": [],
        },
    ],
)
def test_doccano(shape):
    text = EMOJI.replace("😀😀", "Hi")
    loaded = one("doccano", json.dumps({"id": 4, "text": text} | shape))
    assert loaded.document.id == "4"
    assert seen(loaded) == [
        ("Ann Lee", "PERSON"), ("Bo", "PERSON"), ("Riga", "LOC"), ("Lee", "PERSON"),
    ]  # fmt: skip
    linked = loaded.document.mentions[0].entity_id == loaded.document.mentions[3].entity_id
    assert linked == ("relations" in shape)
    assert ("1 relations are not used" in loaded.warnings) == ("relations" in shape)


def test_doccano_that_counted_utf16_units():
    drifted = {"id": 1, "text": EMOJI, "label": [[5, 12, "PER"], [23, 27, "LOC"]]}
    loaded = one("doccano", json.dumps(drifted))
    assert seen(loaded) == [("Ann Lee", "PERSON"), ("Riga", "LOC")]
    assert loaded.warnings == ("2 offsets counted UTF-16 units and were repaired",)
    right = {"id": 1, "text": EMOJI, "label": [[3, 10, "PER"], [21, 25, "LOC"]]}
    assert seen(one("doccano", json.dumps(right))) == seen(loaded)


@pytest.mark.parametrize("raw", [{"id": 1, "text": "x"}, {"id": 1, "text": "x", "label": [[1, 2]]},
                                 {"id": 1, "text": "x", "label": [["0", 1, "PER"]]},
                                 {"id": 1, "text": "x", "label": ["PER"]}, [5], [[]]])  # fmt: skip
def test_broken_doccano(raw):
    with pytest.raises(DocumentError):
        one("doccano", json.dumps(raw))


def studio(*values, **more):
    result = [
        {"id": f"r{n}", "from_name": "label", "to_name": "text", "type": "labels", "value": value}
        for n, value in enumerate(values)
    ]
    return {"result": result, "was_cancelled": False} | more


def value(start, end, text, label):
    return {"start": start, "end": end, "text": text, "labels": [label]}


def test_label_studio_counts_utf16_units():
    annotation = studio(value(5, 12, "Ann Lee", "PER"), value(23, 27, "Riga", "LOC"))
    annotation["result"].append(
        {"type": "relation", "from_id": "r1", "to_id": "r0", "direction": "right", "labels": []}
    )
    annotation["result"].append({"type": "choices", "value": {"choices": ["ok"]}})
    task = {"id": 9, "data": {"text": EMOJI, "source": "x"}, "annotations": [annotation]}
    loaded = one("labelstudio", json.dumps([task], indent=2))
    assert seen(loaded) == [("Ann Lee", "PERSON"), ("Riga", "LOC")]
    first, second = loaded.document.mentions
    assert first.entity_id == second.entity_id
    assert "1 results that are no labelled spans are not used" in loaded.warnings


def test_label_studio_that_counted_code_points_is_repaired():
    task = {"id": 9, "data": {"text": EMOJI}, "predictions": [studio(value(21, 25, "Riga", "LOC"))]}
    loaded = one("labelstudio", json.dumps([task]))
    assert seen(loaded) == [("Riga", "LOC")]
    assert loaded.warnings == ("1 offsets counted code points, not UTF-16 units",)


def test_label_studio_short_export():
    raw = {"id": 2, "text": "Ann in Riga", "label": [value(7, 11, "Riga", "Location")]}
    assert seen(one("labelstudio", json.dumps([raw]))) == [("Riga", "LOC")]


def test_label_studio_has_several_annotators():
    first, second = studio(value(0, 3, "Ann", "PER")), studio(value(7, 11, "Riga", "LOC"))
    gone = studio(value(4, 6, "in", "LOC"), was_cancelled=True)
    task = {"id": 2, "data": {"text": "Ann in Riga"}, "annotations": [gone, first, second]}
    data = json.dumps([task])
    assert seen(one("labelstudio", data)) == [("Ann", "PERSON")]
    assert seen(one("labelstudio", data, annotator="annotator2")) == [("Riga", "LOC")]
    assert len(seen(one("labelstudio", data, annotator="all"))) == 2


def test_label_studio_whose_text_does_not_fit_is_refused():
    task = {
        "id": 2,
        "data": {"text": "Ann in Riga"},
        "annotations": [studio(value(0, 3, "Bob", "P"))],
    }
    with pytest.raises(DocumentError, match="is not its span_text"):
        one("labelstudio", json.dumps([task]))


def result(start, end, kind, **more):
    return {"entity_type": kind, "start": start, "end": end, "score": 0.85} | more


RESULTS = [
    result(0, 7, "PERSON", analysis_explanation=None, recognition_metadata={"x": "y"}),
    result(0, 3, "PERSON"),
    result(11, 15, "LOCATION"),
    result(19, 29, "DATE_TIME"),
]


def test_presidio_analyzer_results():
    text = "Ann Lee in Riga on 3 May 1996"
    kinds = ["PERSON", "PERSON", "LOC", "DATETIME"]
    for data in (
        json.dumps({"text": text, "analyzer_results": RESULTS}, indent=1),
        json.dumps([{"text": text, "results": RESULTS}]),
        json.dumps({"id": "a", "text": text, "entities": RESULTS}),
    ):
        assert [kind for _, kind in seen(one("presidio", data))] == kinds


def test_presidio_ids_are_made_by_line():
    lines = "".join(json.dumps({"text": t, "analyzer_results": []}) + "\n" for t in ("a", "b"))
    assert [d.document.id for d in read("presidio", lines)] == ["export-1", "export-2"]


def test_presidio_bare_results_beside_a_text(tmp_path):
    (tmp_path / "a.txt").write_text("Ann Lee in Riga on 3 May 1996", encoding="utf-8")
    (tmp_path / "a.json").write_text(json.dumps(RESULTS), encoding="utf-8")
    loaded = one("presidio", json.dumps(RESULTS), where=str(tmp_path / "a.json"))
    assert (loaded.document.id, len(loaded.document.mentions)) == ("a", 4)


def test_presidio_anonymizer_results_are_refused():
    raw = {"text": "<PERSON> in Riga", "items": [result(0, 8, "PERSON", operator="replace")]}
    with pytest.raises(DocumentError, match="offsets are those of its output"):
        one("presidio", json.dumps(raw))


CONLL = """-DOCSTART- -X- -X- O

EU NNP B-NP B-ORG
rejects VBZ B-VP O
Peter NNP B-NP B-PER
Blackburn NNP I-NP I-PER

BRUSSELS NNP B-NP B-LOC
1996-08-22 CD I-NP O

-DOCSTART- -X- -X- O

Ann NNP B-NP I-PER
Lee NNP I-NP I-PER
Riga NNP I-NP I-LOC
"""


def test_conll_2003():
    first, second = read("conll", CONLL)
    assert first.document.id == "export-1"
    assert first.document.text == "EU rejects Peter Blackburn\nBRUSSELS 1996-08-22"
    assert seen(first) == [("EU", "ORG"), ("Peter Blackburn", "PERSON"), ("BRUSSELS", "LOC")]
    assert seen(second) == [("Ann Lee", "PERSON"), ("Riga", "LOC")]  # IOB1: I- begins too


@pytest.mark.parametrize("tags", ["B-PER E-PER S-PER", "B-PER L-PER U-PER", "B-PER I-PER B-PER"])
def test_iob_dialects(tags):
    rows = zip(["Ann", "Lee", "Bo"], tags.split(), strict=True)
    loaded = one(
        "conll", "# newdoc id = d7\n# text = Ann\n" + "".join(f"{a}\t{b}\n" for a, b in rows)
    )
    assert loaded.document.id == "d7"
    assert seen(loaded) == [("Ann Lee", "PERSON"), ("Bo", "PERSON")]


def test_broken_conll_names_the_line():
    with pytest.raises(FormatError, match="line 2"):
        read("conll", "Ann B-PER\nLee\n")


WEBANNO = """#FORMAT=WebAnno TSV 3.3
#T_SP=de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS|PosValue
#T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|identifier|value
#T_CH=de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink|referenceRelation|referenceType


#Text=😀 Ann Lee of New\\-Town met Bo.
1-1\t0-2\t😀\t_\t_\t_\t_\t_\t
1-2\t3-6\tAnn\tNNP\tQ1[1]\tPER[1]\t_\t_\t
1-3\t7-10\tLee\t_\tQ1[1]\tPER[1]\t_\t_\t
1-4\t11-13\tof\t_\t_\t_\t_\t_\t
1-5\t14-22\tNew-Town\t_\tQ2\tLOC\t_\t_\t
1-5.1\t14-17\tNew\t_\t_\tOTH\t_\t_\t
1-6\t23-26\tmet\t_\t_\t_\t_\t_\t
1-7\t27-29\tBo\t_\t*[2]|*[3]\tPER[2]|ORG[3]\t_\t_\t
1-8\t29-30\t.\t_\t_\t_\t_\t_\t

#Text=Lee left.
2-1\t31-34\tLee\t_\tQ1\tPER\t_\t_\t
2-2\t35-39\tleft\t_\t_\t*\t_\t_\t
2-3\t39-40\t.\t_\t_\t_\t_\t_\t
"""


def test_webanno():
    loaded = one("webanno", WEBANNO)
    assert loaded.document.text == "😀 Ann Lee of New-Town met Bo.\nLee left."
    assert seen(loaded) == [
        ("Ann Lee", "PERSON"), ("New", "OTH"), ("New-Town", "LOC"), ("Bo", "PERSON"),
        ("Bo", "ORG"), ("Lee", "PERSON"),
    ]  # fmt: skip
    ids = [m.entity_id for m in loaded.document.mentions]
    assert ids[0] == ids[5] == "Q1"
    assert "1 layers of grammar are not used" in loaded.warnings
    assert "1 chains and relations are not used" in loaded.warnings
    assert "1 annotations without a value are not used" in loaded.warnings


def test_webanno_layers_of_ones_own():
    layer = "#FORMAT=WebAnno TSV 3.2\n#T_SP=webanno.custom.Pii|kind|note\n\n\n"
    tokens = "1-1\t0-2\tBo\tPER\tsure\t\n1-2\t3-7\tleft\t_\t_\t\n"
    loaded = one("webanno", f"{layer}#Text=Bo left\n{tokens}")
    assert seen(loaded) == [("Bo", "PERSON")]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("a\tb\n1\t2\n", "no WebAnno TSV 3"),
        ("#FORMAT=WebAnno TSV 3.2\n\n#Text=x\n1-1\tx\n", "line 4: is no token"),
        ("#FORMAT=WebAnno TSV 3.2\n\n#Text=xy\n1-1\t0-2\txy\n\n#Text=z\n2-1\t1-2\tz\n", "overlap"),
    ],
)
def test_broken_webanno(data, said):
    with pytest.raises(FormatError, match=said):
        read("webanno", data)


def test_docbin_of_entities_alone():
    spacy = pytest.importorskip("spacy")
    from spacy.tokens import DocBin, Span

    doc = spacy.blank("en")("Ann Lee lives in Riga.")
    doc.ents = [Span(doc, 0, 2, "PERSON"), Span(doc, 4, 5, "GPE", kb_id="Q1773")]
    loaded = one("docbin", DocBin(docs=[doc]).to_bytes(), where="corpus.spacy")
    assert loaded.document.id == "corpus"
    assert seen(loaded) == [("Ann Lee", "PERSON"), ("Riga", "LOC")]
    assert loaded.document.mentions[1].entity_id == "Q1773"


def test_what_is_no_docbin():
    pytest.importorskip("spacy")
    with pytest.raises(FormatError, match="not a DocBin file"):
        read("docbin", b"something else")


@pytest.mark.parametrize("name", ["doccano", "labelstudio", "presidio", "conll", "webanno"])
def test_wrong_encodings_name_the_byte(name):
    data = "#FORMAT=WebAnno TSV 3\nÅ".encode("latin-1") if name == "webanno" else b"[\n\xc5"
    with pytest.raises(FormatError, match=r"byte \d+"):
        read(name, data)
