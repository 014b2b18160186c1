"""evaluate, compare, tune and report: what they write, and what they say to bad input."""

import csv
import json
import re
import shutil
import subprocess

import pytest

from intact import pipeline
from intact.models import encoder
from tests.marked import tab_document
from tests.unit.evaluation.conftest import LetterEncoder

CHEAP = ("--metrics", "left,words_changed,recall,grammar,labels", "--attackers", "none")
FULL = [[0, 14, "PERSON_1"], [18, 24, "a city"], [34, 44, "May 1996"], [55, 62, "in his 30s"]]


@pytest.fixture
def write(tmp_path):
    def put(name, data):
        path = tmp_path / name
        path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
        return path

    return put


@pytest.fixture
def corpus(tab, document):
    return tab(document(), document(doc_id="d2"))


def test_evaluate_writes_all_four_files(intact, corpus, write, tmp_path):
    edits = write("edits.json", {"d1": FULL, "d2": list(reversed(FULL))})
    out = tmp_path / "results"
    code, said, _ = intact("evaluate", corpus, "--edits", f" ours = {edits}", *CHEAP, "-o", out)
    assert code == 0
    assert "Masked strings left" in said
    results = json.loads((out / "results.json").read_text())
    score = results["systems"]["ours"]["left"]
    assert (score["value"], score["n"]) == (0.0, 8)
    assert results["systems"]["ours"]["recall"]["value"] == 1.0
    with (out / "per_document.csv").open() as file:
        assert {row["doc_id"] for row in csv.DictReader(file)} == {"d1", "d2"}
    assert all(path.stat().st_mode & 0o077 == 0 for path in out.iterdir())
    assert {path.name for path in out.iterdir()} == {
        "results.json", "results.csv", "per_document.csv", "report.html",
    }  # fmt: skip


def test_ids_that_may_name_somebody_are_counted_and_what_is_not_there_is_said(
    intact, tab, document, write, tmp_path
):
    corpus = tab(document(doc_id="zacharias_topp", annotations={"ann": {"entity_mentions": []}}))
    edits = write("edits.json", {"zacharias_topp": []})
    out = tmp_path / "results"
    args = ("--edits", f"x={edits}", "--metrics", "labels", "--attackers", "none", "-o", out)
    code, said, err = intact("evaluate", corpus, *args)
    assert code == 0, err
    assert "may say who somebody is (change the ids): 1 document id" in err
    assert re.search(r"Bare labels.*nothing to measure", said) and "nan" not in said
    told = " ".join(json.loads((out / "results.json").read_text())["warnings"])
    assert "1 document id" in told and "topp" not in told


def test_attackers_baselines_and_readers_share_their_parts(
    intact, corpus, write, tmp_path, monkeypatch
):
    made, class_ = [], pipeline.Components
    monkeypatch.setattr(
        pipeline, "Components", lambda given: made.append(class_(given)) or made[-1]
    )
    options = ("--baselines", "--metrics", "left", "--out", tmp_path / "out")
    assert intact("evaluate", corpus, *options)[0] == 0
    assert len(made) == 1


def test_evaluate_twice_writes_the_same_bytes(intact, corpus, write, tmp_path):
    edits = write("edits.json", {"d1": FULL, "d2": []})
    for name in ("a", "b"):
        args = ("--edits", f"x={edits}", *CHEAP, "--quiet", "-o", tmp_path / name)
        assert intact("evaluate", corpus, *args)[0] == 0
    for file in ("results.json", "results.csv", "per_document.csv", "report.html"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_overlapping_edits_are_counted(intact, corpus, write, tmp_path):
    file = write("edits.json", {"d1": [*FULL, [20, 30, "x"]], "d2": FULL})
    out = tmp_path / "results"
    code, _, said = intact("evaluate", corpus, "--edits", f"x={file}", *CHEAP, "-o", out)
    assert code == 0
    assert "1 overlapping edits left out in 1 documents" in said
    assert "1 overlapping" in (out / "results.json").read_text()


@pytest.mark.parametrize(
    ("option", "data", "message"),
    [
        ("--edits", {"d1": FULL}, "1 of 2 documents are missing, the first is d2"),
        ("--edits", {"d1": FULL, "d2": [[0, 9999, "x"]]}, "an edit ends at 9999"),
        ("--edits", "{", "not valid JSON"),
        ("--background", ["x"], "is no population"),
        ("--sanitized", [{"doc_id": "d1"}], "no sanitized_text"),
        ("--sanitized", [{"doc_id": "d1", "text": "other", "sanitized_text": "x"}],
         "its original text is not the corpus's"),
    ],
)  # fmt: skip
def test_bad_inputs_are_errors(intact, corpus, write, tmp_path, option, data, message):
    file = write("file.json", data)
    value = file if option == "--background" else f"x={file}"
    edits = write("edits.json", {"d1": [], "d2": []})
    out = tmp_path / "results"
    args = ("--edits", f"ours={edits}", option, value, *CHEAP, "-o", out)
    code, _, said = intact("evaluate", corpus, *args)
    assert code == 2
    assert message in said and (str(file) in said or option != "--edits")
    assert not out.exists()


def test_what_cannot_be_measured_is_said(intact, corpus, write, tmp_path):
    edits = write("edits.json", {"d1": FULL, "d2": FULL})
    background = write("background.json", {"nobody": "some public words"})
    args = ("--edits", f"x={edits}", "--metrics", "trir,left", "--attackers", "none")
    out = tmp_path / "results"
    code, said, _ = intact("evaluate", corpus, *args, "--background", background, "-o", out)
    assert code == 0
    assert "trir was not measured: the background has none of the corpus's individuals" in said
    results = json.loads((out / "results.json").read_text())
    assert "trir" in results["skipped"]
    assert "trir" not in results["systems"]["x"]


def test_a_folder_is_no_corpus(intact, write, tmp_path):
    edits = write("edits.json", {})
    code, _, err = intact("evaluate", tmp_path, "--edits", f"a={edits}", "-o", tmp_path / "out")
    assert code == 2
    assert "is a folder, and a corpus is one file" in err


def test_systems_and_metrics_have_to_be_named_once(intact, corpus, tmp_path, write):
    code, _, said = intact("evaluate", corpus, "-o", tmp_path / "o")
    assert (code, "no system is named" in said) == (2, True)
    assert not (tmp_path / "o").exists()
    edits = write("edits.json", {"d1": FULL, "d2": FULL})
    args = ("-o", tmp_path / "o", "--attackers", "none", "--edits", f"x={edits}")
    code, _, said = intact("evaluate", corpus, *args, "--metrics", "taste")
    assert (code, "there is no metric called 'taste'" in said) == (2, True)
    code, _, said = intact("evaluate", corpus, *args, "--edits", f"x={edits}")
    assert (code, "two systems are called x" in said) == (2, True)


def test_compare(intact, corpus, write, tmp_path):
    for name, edits in (("a", []), ("b", FULL)):
        file = write(f"{name}.json", {"d1": edits, "d2": edits})
        args = ("--edits", f"x={file}", *CHEAP, "--quiet", "-o", tmp_path / name)
        assert intact("evaluate", corpus, *args)[0] == 0
    files = [tmp_path / name / "results.json" for name in ("a", "b")]
    code, said, _ = intact("compare", files[0], tmp_path / "b")  # or its folder
    assert code == 0
    line = next(line for line in said.splitlines() if line.startswith("left"))
    assert line.split() == [
        "left", "1.000", "0.000", "-1.000", "-1.000", "–", "-1.000", "0.5000", "2",
    ]  # fmt: skip
    assert "5 comparisons: where nothing differs, one in 20 gets an asterisk" in said
    args = ("--edits", f"y={file}", "--edits", f"z={file}", *CHEAP, "-q", "-o", tmp_path / "c")
    assert intact("evaluate", corpus, *args)[0] == 0
    code, _, said = intact("compare", files[0], tmp_path / "c" / "results.json")
    assert (code, "no two systems to compare" in said) == (2, True)
    code, _, said = intact("compare", files[0], corpus)
    assert (code, "these are no results" in said) == (2, True)


def test_two_systems_of_one_evaluation_are_compared_by_name(intact, corpus, write, tmp_path):
    out = tmp_path / "out"
    systems = [f"{name}={write('edits.json', {'d1': FULL, 'd2': []})}" for name in ("a", "b, c")]
    edits = ("--edits", systems[0], "--edits", systems[1], "--baselines")
    assert intact("evaluate", corpus, *edits, *CHEAP, "-q", "-o", out)[0] == 0
    for named, heads in (("b, c,original", "b, c original"), ("a, b, c", "a b, c")):
        code, said, _ = intact("compare", out, "--systems", named)
        assert (code, " ".join(said.split()).startswith(heads)) == (0, True)
    both = intact("compare", out, out, "--systems", "a,original")[1]
    assert both == intact("compare", out, "--systems", "a,original")[1]
    for named in ((), ("--systems", "a"), ("--systems", "a,d")):
        code, _, said = intact("compare", out, *named)
        assert (code, "Name two: --systems A,B. There are: a, b, c, original" in said) == (2, True)


def test_the_columns_of_compare_are_over_the_same_documents_as_the_difference(
    intact, tab, document, write, tmp_path, monkeypatch
):
    monkeypatch.setattr(encoder.SentenceEncoder, "embed", letters)
    for name, ids in (("a", ("d1", "d2")), ("b", ("d2",))):
        corpus = tab(*(document(doc_id=one) for one in ids))
        edits = {one: FULL if one == "d1" else [] for one in ids}
        args = ("--edits", f"x={write('edits.json', edits)}", "-q", "-o", tmp_path / name)
        assert intact("evaluate", corpus, *args, "--attackers", "none")[0] == 0
    _, said, _ = intact("compare", tmp_path / "a", tmp_path / "b")
    line = next(line for line in said.splitlines() if line.startswith("left"))
    assert line.split() == ["left", "1.000", "1.000", "+0.000", "1"]


def test_scores_that_were_measured_otherwise_are_not_compared(
    intact, tab, document, write, tmp_path, monkeypatch
):
    """The pool of a corpus is what its other documents bring."""
    monkeypatch.setattr(encoder.SentenceEncoder, "embed", letters)
    other = tab_document("d2", "Ann Lee of Riga", ("Riga", "LOC"), layer="ann")
    for name, documents in (("a", [document()]), ("b", [document(), other])):
        file = write("edits.json", {one["doc_id"]: [] for one in documents})
        args = ("--edits", f"x={file}", "--metrics", "inference,left", "--attackers", "none")
        out = ("-q", "-o", tmp_path / name)
        assert intact("evaluate", tab(*documents), *args, *out)[0] == 0
    code, said, warned = intact("compare", tmp_path / "a", tmp_path / "b")
    assert (code, "1 comparison:" in said) == (0, True)
    assert "inference is not compared (pool:3, pool:4): evaluate both on one corpus" in warned
    assert "inference" not in said


def test_what_an_earlier_run_wrote_is_kept(intact, corpus, write, tmp_path, monkeypatch):
    monkeypatch.setattr(encoder.SentenceEncoder, "embed", letters)
    file, out = write("a.json", {"d1": FULL, "d2": FULL}), tmp_path / "out"
    evaluate = ("evaluate", corpus, "--edits", file, *CHEAP, "-q", "-o")
    tune = ("tune", corpus, "--try", "attack.max_risk=0.1", "-q", "-o")
    make = ("intruder", "make", corpus, "--edits", file, "-q")
    for name, made in (("evaluate", evaluate), ("tune", tune), ("make", make)):
        assert intact(*made, out / name)[0] == 0
        before = {path: path.read_bytes() for path in (out / name).rglob("*") if path.is_file()}
        code, _, said = intact(*made, out / name)
        assert (code, "is there already, and would be replaced" in said) == (2, True)
        assert before == {path: path.read_bytes() for path in before}
    code, _, said = intact(*evaluate, file)
    assert (code, "the output is the input" in said) == (2, True)
    code, _, said = intact("evaluate", corpus, "--baselines", *CHEAP, "-o", tmp_path / "a.json")
    assert (code, "is a file, not a folder" in said) == (2, True)


def test_a_system_called_like_a_baseline_is_refused(intact, corpus, write, tmp_path):
    file = write("original.json", {"d1": [], "d2": []})
    args = ("--edits", file, "--baselines", *CHEAP, "-o", tmp_path / "out")
    code, _, said = intact("evaluate", corpus, *args)
    assert (code, "two systems are called original" in said) == (2, True)
    assert not (tmp_path / "out").exists()


@pytest.fixture
def run(intact, corpus, tmp_path):
    out = tmp_path / "out.json"
    assert intact("sanitize", corpus, "-o", out, "--quiet")[0] == 0
    return out


def test_report(intact, run, tmp_path):
    page = tmp_path / "page.html"
    code, said, _ = intact("report", run, "-o", page)
    assert code == 0
    assert "It contains the originals" in said
    text = page.read_text()
    assert "This page contains the originals." in text
    assert "Zacharias Topp" in text
    assert '<tr><th scope="row">PERSON</th><td>' in text
    assert "http" not in text.replace("http-equiv", "")
    assert page.stat().st_mode & 0o777 == 0o600


def test_a_redacted_report_has_no_originals(intact, run, tmp_path):
    page = tmp_path / "page.html"
    assert intact("report", run, "-o", page, "--redact-originals")[0] == 0
    text = page.read_text()
    assert "contains the originals" not in text
    for original in ("Zacharias", "Tromsø", "3 May 1996", "aged 34"):
        assert original not in text
    assert '"guesses":[[' not in text
    assert '"entity"' not in text


def test_finished_texts_and_edits_of_one_run_agree(intact, corpus, tmp_path):
    out, edits, results = (tmp_path / name for name in ("out.json", "edits.json", "results"))
    assert intact("sanitize", corpus, "-o", out, "--edits", edits, "-q")[0] == 0
    systems = ("--sanitized", f"texts={out}", "--edits", f"edits={edits}")
    assert intact("evaluate", corpus, *systems, "-o", results, "-q", "--attackers", "none")[0] == 0
    scores = json.loads((results / "results.json").read_text())["systems"]
    assert scores["texts"] == scores["edits"]
    assert intact("sanitize", corpus, "-o", out, "--no-original", "-q")[0] == 0
    asked = (*systems[:2], "-o", tmp_path / "again", "--attackers", "none")
    _, shown, warned = intact("evaluate", corpus, *asked)
    assert "texts: edits were found by comparing" in warned
    assert "recall was not measured: edits were found by comparing" in shown
    scores = json.loads((tmp_path / "again" / "results.json").read_text())["systems"]
    assert scores["texts"].keys() & {"left", "recall", "precision"} == {"left"}


OTHER = "Entirely other words that have no relation to anything whatsoever, and that nobody wrote."


@pytest.mark.parametrize(
    ("option", "data", "warned"),
    [
        ("--edits", [[1, 15, "PERSON_1"], [19, 25, "a city"], [35, 45, "May 1996"]], True),
        ("--edits", [[0, 14, "PERSON_1"], [20, 25, "a city"]], False),
        ("--sanitized", OTHER, True),
        ("--sanitized", "PERSON_1 of a city wrote on a day. PERSON_1 was aged 30 to 40.", False),
        ("--sanitized", "", True),
    ],
)
def test_edits_of_another_text_are_warned_of(
    intact, tab, document, write, tmp_path, option, data, warned
):
    file, out = write("system.json", {"d1": data}), tmp_path / "out"
    code, _, said = intact("evaluate", tab(document()), option, f"x={file}", *CHEAP, "-o", out)
    assert (code, "x: 1 document edited from another text, it seems" in said) == (0, warned)


@pytest.mark.parametrize("annotator", ["ann", "intact", "detected"])
def test_recall_of_our_own_finds_is_said_to_mean_nothing(
    intact, tab, document, write, tmp_path, annotator
):
    layer = document()["annotations"]["ann"]
    corpus = tab(document(annotations={annotator: layer}))
    file, out = write("edits.json", {"d1": FULL}), tmp_path / "out"
    code, _, said = intact("evaluate", corpus, "--edits", f"x={file}", *CHEAP, "-o", out)
    assert (code, "1 document without annotations by people" in said) == (0, annotator != "ann")


def test_chance_stands_below_what_it_is_of(intact, corpus, write, tmp_path):
    people = {"d1": "He wrote at Tromsø.", "d2": "She sang.", "d3": "They ran.", "d4": "We left."}
    edits = write("edits.json", {"d1": FULL, "d2": FULL})
    args = ("--background", write("people.json", people), "--metrics", "trir,left")
    out = tmp_path / "out"
    args = (*args, "--attackers", "none", "-o", out)
    said = intact("evaluate", corpus, "--edits", f"x={edits}", *args)[1].splitlines()
    at = next(n for n, line in enumerate(said) if line.startswith("Re-identification risk"))
    assert said[at + 1].split() == ["by", "chance", "alone", "0.250"]
    assert "(TRIR), by chance alone" in (out / "report.html").read_text()


def test_report_wants_a_run(intact, corpus, tmp_path):
    code, _, said = intact("report", corpus, "-o", tmp_path / "page.html")
    assert (code, "no sanitised documents" in said) == (2, True)
    assert not (tmp_path / "page.html").exists()


@pytest.fixture
def guarded(intact, corpus, write, tmp_path):
    people = {f"p{at}": f"somebody else number {at} in a town" for at in range(8)}
    background = write("people.json", {"d1": "the joiner", "d2": "the nurse", **people})
    out = tmp_path / "guarded.json"
    code, _, _ = intact("sanitize", corpus, "-o", out, "-q", "--background", background)
    assert code in (0, 1)
    return out


def test_the_report_tells_of_the_guard(intact, guarded, tmp_path):
    page = tmp_path / "page.html"
    assert intact("report", guarded, "-o", page, "-q")[0] == 0
    text = page.read_text()
    assert '<h2 id="guard-title">The guard</h2>' in text
    assert "hidden among k by the guard" in text
    told = json.loads(guarded.read_text())[0]["intact"]["guard"]
    before, after = told["before"]["tfidf"], told["after"]["tfidf"]
    assert f'<span class="was">{before}</span> → {after}' in text


CHECK = """
<script>
const all = [...document.querySelectorAll(".after .s")];
const say = {};
say.places = all.length;
all[1].dispatchEvent(new MouseEvent("click", {bubbles: true}));
say.panel = document.getElementById("why").textContent.includes("Candidates");
say.twin = document.querySelectorAll(".before .s.twin").length;
document.querySelector('input[name="kind"][value="PERSON"]').click();
say.off = all.filter((span) => span.classList.contains("off")).length;
say.tab = all.find((span) => span.classList.contains("off")).tabIndex;
document.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape"}));
say.empty = document.getElementById("panel").classList.contains("empty");
all[1].focus();
all[1].dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true}));
say.next = all.indexOf(document.activeElement);
document.getElementById("theme").click();
say.theme = document.documentElement.dataset.theme;
document.title = JSON.stringify(say);
</script></body>
"""


def test_the_page_works_in_a_browser(intact, run, tmp_path):
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        pytest.skip("there is no Chromium here")
    page = tmp_path / "page.html"
    assert intact("report", run, "-o", page, "--quiet")[0] == 0
    page.write_text(page.read_text().replace("</body>", CHECK))
    flags = "--headless=new --no-sandbox --disable-gpu --dump-dom".split()
    command = [browser, *flags, page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    said = json.loads(done.stdout.partition("<title>")[2].partition("</title>")[0])
    assert said.pop("theme") in ("light", "dark")
    assert said.pop("places") > 4
    # off: the person and the surname alone, in each document
    assert said == {"panel": True, "twin": 1, "off": 4, "tab": -1, "empty": True, "next": 2}


RISKS = ("--try", "attack.max_risk=0.1,0.5")


def test_tune(intact, corpus, write, tmp_path, monkeypatch):
    monkeypatch.setattr(encoder.SentenceEncoder, "embed", letters)
    out = tmp_path / "tuned"
    code, said, _ = intact("tune", corpus, "-o", out, "--target", "tps=0.1")
    assert code == 0
    assert "Chosen:" in said and "Figures are of the documents tuned on" in said
    with (out / "pareto.csv").open() as file:
        points = list(csv.DictReader(file))
    assert points == sorted(points, key=lambda row: -float(row["tps"]))
    configs = sorted((out / "configs").iterdir())
    assert len(configs) == len(points)
    for config in (*configs, out / "chosen.toml"):
        sanitized = tmp_path / "again.json"
        assert intact("sanitize", corpus, "-o", sanitized, "--config", config, "-q")[0] == 0


def test_the_chosen_point_is_what_a_run_gives(intact, corpus, tmp_path, monkeypatch):
    monkeypatch.setattr(encoder.SentenceEncoder, "embed", letters)
    out, edits = tmp_path / "tuned", tmp_path / "edits.json"
    assert intact("tune", corpus, "-o", out, "--target", "risk=1", *RISKS, "-q")[0] == 0
    chosen = (out / "chosen.toml").read_text()
    said = re.search(r"tuned on: TPS ([\d.]+) .*, guessed in five ([\d.]+) ", chosen)
    again = ("-o", tmp_path / "o.json", "--edits", edits, "--config", out / "chosen.toml", "-q")
    assert intact("sanitize", corpus, *again)[0] == 0
    measures = ("--metrics", "tps,inference", "--attackers", "none", "-o", tmp_path / "results")
    assert intact("evaluate", corpus, "--edits", f"x={edits}", *measures, "-q")[0] == 0
    scores = json.loads((tmp_path / "results" / "results.json").read_text())["systems"]["x"]
    assert float(said[1]) == pytest.approx(scores["tps"]["value"], abs=5e-4)
    assert float(said[2]) == pytest.approx(scores["inference"]["value"], abs=5e-4)
    with (out / "sweep.csv").open() as file:
        points = [row for row in csv.DictReader(file) if chosen.startswith(f"# {row['settings']}")]
    low, high = scores["tps"]["interval"]
    assert float(points[0]["tps_low"]) == pytest.approx(low, abs=5e-5)
    assert float(points[0]["tps_high"]) == pytest.approx(high, abs=5e-5)


def test_the_annotator_is_the_one_of_the_settings(
    intact, tab, document, write, tmp_path, monkeypatch
):
    monkeypatch.setattr(encoder.SentenceEncoder, "embed", letters)
    one = document()
    more = one["annotations"]["ann"]["entity_mentions"]
    corpus = tab(one | {"annotations": {"bo": {"entity_mentions": more[:2]}} | one["annotations"]})
    own = write("own.toml", '[run]\nannotator = "ann"\n')
    out, results = tmp_path / "tuned", tmp_path / "results"
    assert intact("tune", corpus, "-o", out, "--annotator", "all", *RISKS, "-q")[0] == 0
    assert all('annotator = "all"' in one.read_text() for one in (out / "configs").iterdir())
    args = ("--baselines", "--config", own, "--metrics", "left", "--attackers", "none")
    assert intact("evaluate", corpus, *args, "-o", results, "-q")[0] == 0
    scores = json.loads((results / "results.json").read_text())["systems"]["original"]
    assert scores["left"]["n"] == 4
    args = ("--try", "run.annotator=bo,ann", "-o", tmp_path / "t", "-q")
    assert intact("tune", corpus, *args)[0] == 0
    with (tmp_path / "t" / "sweep.csv").open() as file:
        tps = {row["settings"]: row["tps"] for row in csv.DictReader(file)}
    assert tps["run.annotator=bo"] > tps["run.annotator=ann"]


def test_what_figures_are_worth_is_said(intact, tmp_path, monkeypatch):
    monkeypatch.setattr(encoder.SentenceEncoder, "embed", letters)
    text = tmp_path / "letter.txt"
    text.write_text("Ann Lee of Riga left on 3 May 1996.", encoding="utf-8")
    said = " ".join(intact("tune", text, "-o", tmp_path / "tuned", *RISKS)[2].split())
    assert "1 document without annotations by people: figures are about what INTACT found" in said
    assert "inference: DATETIME: with 1 original in all, any phrase" in said


def test_a_target_that_is_missed_is_told(intact, corpus, tmp_path, monkeypatch):
    monkeypatch.setattr(encoder.SentenceEncoder, "embed", letters)
    out = tmp_path / "tuned"
    code, said, warned = intact("tune", corpus, "-o", out, "--target", "tps=1", *RISKS)
    assert (code, "no setting meets tps=1" in warned) == (1, True)
    figure = re.search(r"Chosen: .*TPS ([\d.]+)", said)
    missed = re.search(r"misses it by ([\d.]+)", warned.replace("\n", " "))
    assert figure is not None and missed is not None
    assert float(figure[1]) + float(missed[1]) == pytest.approx(1, abs=2e-3)
    assert (out / "chosen.toml").exists()


def test_runs_in_processes_give_the_same(intact, corpus, tmp_path, monkeypatch):
    monkeypatch.setattr(encoder.SentenceEncoder, "embed", letters)
    for jobs in ("1", "2"):
        args = ("-o", tmp_path / jobs, "--jobs", jobs, *RISKS, "-q")
        assert intact("tune", corpus, *args)[0] == 0
    one, two = ((tmp_path / jobs / "sweep.csv").read_text() for jobs in ("1", "2"))
    assert one == two
    assert "attack.max_risk=0.1" in one


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--try", "attack.max_risk=2", "max_risk"),
        ("--try", "attack.max_risk", "lists no values"),
        ("--try", "attack.wit=1,2", "there is no such setting"),
        *(("--target", target, "--target") for target in ("tps", "tps=x", "speed=1", "risk=2")),
    ],
)
def test_bad_sweeps_and_targets(intact, corpus, tmp_path, option, value, message):
    code, _, said = intact("tune", corpus, "-o", tmp_path / "t", option, value)
    assert (code, message in said) == (2, True)


def letters(self, texts):
    return LetterEncoder().embed(texts)
