"""The whole path with a scripted model: a good one helps, one that lies or babbles does no harm."""

import json
import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import intact
import intact.models.entailment
import intact.models.load
import intact.pipeline
from eval.llm import behaviours
from intact import cli as command_line
from intact.config import Settings
from intact.domain import Document, IdentifierType, Mention, Outcome, Source, Span
from intact.errors import ModelError
from intact.models.reading import by_number, read_rows
from intact.pipeline import build_pipeline
from intact.run.work import figures
from tests.marked import tab_document
from tests.scripted import ScriptedModel

TEXT = (
    "Maria Lopez was born on 3 May 1981 in Bergen. She worked as a midwife at Haukeland University "
    "Hospital. She was paid 43,000 kroner a month. On 7 June 2014 Haukeland dismissed her. She "
    "calls herself the night owl of ward B."
)
SPANS = (
    ("Maria Lopez", "PERSON", "p"),
    ("3 May 1981", "DATETIME", "born"),
    ("Bergen", "LOC", "town"),
    ("midwife", "DEM", "trade"),
    ("Haukeland University Hospital", "ORG", "clinic"),
    ("43,000 kroner", "QUANTITY", "pay"),
    ("7 June 2014", "DATETIME", "left"),
    ("Haukeland", "ORG", "clinic"),
)
PLAN = """
1 | <on> in the early 1980s | <on> in the 1980s
2 | a coastal city in Northern Europe | a city
3 | health professional on a ward | health professional
4 | a large teaching hospital | a hospital
5 | 20,000 to 60,000 kroner | some tens of thousands <kroner>
6 | <On> In the middle of the 2010s
7 | the hospital | the hospital
also | the night owl of ward B | by a nickname
"""
OTHERS = "Trondheim | Ålesund | Molde | Kristiansund"


def document(**more):
    mentions, at = [], 0
    for number, (text, kind, entity) in enumerate(SPANS):
        start = TEXT.index(text, at)
        at = start + len(text)
        direct = IdentifierType.DIRECT if kind == "PERSON" else IdentifierType.QUASI
        mentions.append(Mention(str(number), Span(start, at), text, entity, kind, direct))
    return Document("d", TEXT, tuple(mentions), **more)


class Believing:
    """Holds whatever is said for true: what these tests look at is not truth."""

    def probabilities(self, text, asked):
        return [[1.0] * len(phrases) for _, _, phrases in asked]


@pytest.fixture(autouse=True)
def believing(monkeypatch):
    monkeypatch.setattr(intact.models.entailment, "load_entailment", lambda *_: Believing())


def places(request):
    return re.findall(r"\d+", request.question.partition("places")[2])


def guesses(request, cells=OTHERS):
    return "\n".join(f"{number} | {cells}" for number in places(request))


def answers(plan=PLAN, repair="", proofread="none", guessed=OTHERS):
    def answer(request):
        if "guesses for each" in request.question:
            return guesses(request, guessed)
        if re.search("A stranger who saw nothing|These he guessed", request.question):
            return repair
        return proofread if "strict editor" in request.question else plan

    return answer


def sanitised(monkeypatch, answer, **more):
    model = ScriptedModel(answer, context_length=more.pop("window", 32_000))
    monkeypatch.setattr(intact.models.load, "load_model", lambda _: model)
    chosen = Settings.model_validate({"model": {"backend": "openai", "name": "x"}} | more)
    return build_pipeline(chosen).sanitize(document()), model


def test_the_plan_stands_word_for_word_and_unmarked_words_change_if_protected(monkeypatch):
    done, model = sanitised(monkeypatch, answers())
    assert "was born in the early 1980s in a coastal city in Northern Europe." in done.text
    assert "as a health professional on a ward at a large teaching hospital." in done.text
    assert "In the middle of the 2010s the hospital dismissed her." in done.text
    assert "night owl" in done.text  # unmarked words change only where the context is protected
    assert len(model.requests) <= 5
    done, _ = sanitised(monkeypatch, answers(), context={"protect": True})
    assert "calls herself by a nickname." in done.text


def test_a_date_whose_phrases_all_fall_ends_on_a_range_of_the_rules(monkeypatch):
    plan = PLAN.replace(
        "1 | <on> in the early 1980s | <on> in the 1980s", "1 | long before | <on> at harvest"
    )

    def answer(request):
        told = answers(plan, repair="1 | <on> at sea", guessed=OTHERS)(request)
        if seen := re.search(r"⟦(\d+): (?:long before|at harvest|at sea)⟧", request.prefix):
            told = re.sub(rf"(?m)^{seen[1]} .*$", f"{seen[1]} | 3 May 1981", told)
        return told

    done, model = sanitised(monkeypatch, answer)
    assert "DATETIME_" not in done.text
    assert any(period in done.text for period in ("century", "1980s", "a certain"))
    assert len(model.requests) <= 8


WORDY = "a city " + "that is " * 14  # thirty words; one more is too many
SOUND = PLAN.replace(" | some tens of thousands <kroner>", "")  # of this nothing is dropped


@pytest.mark.parametrize("protect", [False, True])
@pytest.mark.parametrize("rest", ["", "by a nickname"])
def test_what_is_dropped_of_phrases_for_unmarked_words_is_recorded(monkeypatch, protect, rest):
    said = " | ".join([WORDY + "old", "the one from Bergen", *filter(None, [rest])])
    plan = SOUND.replace("by a nickname", said)
    done, _ = sanitised(monkeypatch, answers(plan), context={"protect": protect})
    dropped = [each for one in (*done.clues, *done.decisions) for each in one.dropped]
    said = [one.reason for one in dropped if one.source == Source.MODEL]
    assert said == ["long", "discloses"]
    assert figures(done)["dropped"] == 2
    assert len(done.clues) == (not (protect and rest))


def test_the_command_line_counts_what_was_dropped_and_explains_it(monkeypatch, tmp_path, capsys):
    plan = SOUND.replace("2 | ", f"2 | {WORDY}old | ").replace("by a nickname", WORDY + "old")
    model = ScriptedModel(answers(plan), context_length=32_000)
    monkeypatch.setattr(intact.models.load, "load_model", lambda _: model)
    source, out = tmp_path / "in.json", tmp_path / "out.json"
    source.write_text(json.dumps([tab_document("d", TEXT, *(span[:2] for span in SPANS[1:7]))]))
    asked = ["--set", "model.backend=openai", "--set", "model.name=x", "--no-store"]

    def shown(*arguments):
        assert command_line.run([str(each) for each in arguments]) == 0
        return " ".join(capsys.readouterr().out.split())

    counted = "Checks dropped 2 phrases of the model in all"
    assert counted in shown("sanitize", source, "-o", out, *asked)
    assert counted in shown("sanitize", source, "-o", out, *asked, "--resume")
    because = f"{WORDY}old (dropped: it has more than 30 words)"
    assert because in shown("explain", out, "d", "m1") and because in shown("explain", out, "d")
    rules = shown("sanitize", source, "-o", out, "--set", "attack.attackers=[]")
    assert "Checks dropped" not in rules


def test_a_run_counts_evidence_and_names_a_model_that_is_not_believed(
    monkeypatch, tmp_path, capsys
):
    monkeypatch.undo()  # the network is there, and believes nothing blindly
    zebras = "\n".join(f"{number} | a zebra | zebras" for number in range(1, 8))
    model = ScriptedModel(answers(zebras), context_length=32_000)
    monkeypatch.setattr(intact.models.load, "load_model", lambda _: model)
    source, out, page = (tmp_path / name for name in ("in.json", "out.json", "page.html"))
    source.write_text(json.dumps([tab_document("d", TEXT, *(span[:2] for span in SPANS[1:7]))]))
    asked = ["--set", "model.backend=openai", "--set", "model.name=stripes", "--no-store"]
    more = ["--certificate", str(page), *asked]
    assert command_line.run(["sanitize", str(source), "-o", str(out), *more]) == 0
    told = capsys.readouterr()
    assert "not believed: stripes: 1 document: d" in " ".join(told.err.split())
    assert "Taken to be true: " in told.out and "3 by arithmetic" in told.out
    assert "zebra" not in json.loads(out.read_text())[0]["sanitized_text"]
    counts = json.loads((tmp_path / "out.json.run" / "manifest.json").read_text())["figures"]
    assert counts["unbelieved"] == {"d": 1} and counts["evidence"]["VALUE"] == 3
    shown = page.read_text("utf-8")
    assert "the language model (stripes) was not believed" in shown and "by arithmetic" in shown


def test_a_planner_sees_no_direct_identifier_and_keeps_no_name(monkeypatch):
    _, model = sanitised(monkeypatch, answers())
    for request in model.requests:
        assert "Lopez" not in request.prefix + request.question
        if "guesses for each" in request.question:  # the stranger sees finished text only
            assert "Haukeland" not in request.prefix
    plan = "\n".join(f"{number} | keep" for number in range(1, 8))
    done, model = sanitised(monkeypatch, answers(plan), selection={"keep": True})
    assert "as a midwife at" in done.text
    assert not any(word in done.text for word in ("Haukeland", "Bergen", "3 May", "7 June"))
    assert any("may not stay" in request.question for request in model.requests)


def test_what_the_stranger_names_is_repaired(monkeypatch):
    def answer(request):
        told = "Haukeland" if "large teaching hospital" in request.prefix else "Molde"
        guessed = f"{told} | Ålesund // teaching hospital"
        return answers(repair="4 | a big clinic\n7 | the clinic", guessed=guessed)(request)

    done, model = sanitised(monkeypatch, answer)
    assert "at a big clinic." in done.text
    assert "the clinic dismissed her" in done.text
    assert any("teaching hospital" in r.question for r in model.requests)
    [clinic] = [each for each in done.decisions if each.entity.id == "clinic"]
    assert clinic.attacks[0].candidate.text == "a large teaching hospital"
    assert clinic.controls  # and the stranger was asked at the labels, too


def test_what_is_guessed_at_the_label_as_well_is_repaired_twice_at_most(monkeypatch):
    asked = []

    def answer(request):
        if "These he guessed as well" in request.question:
            asked.append(request.question)
        repair = f"4 | place of work {'A' * len(asked)}\n7 | her work"
        return answers(repair=repair, guessed="Haukeland | Molde // dismissed")(request)

    done, model = sanitised(monkeypatch, answer)
    assert len(asked) == 2 and len(model.requests) <= 8
    lines = [line for line in asked[0].splitlines() if line.startswith("4, 7: a large teaching")]
    assert "also guessed with the place left empty" in lines[0] and "dismissed" in lines[0]
    assert "A stranger who saw nothing" not in asked[0]  # nothing is asked of its own words
    [clinic] = [each for each in done.decisions if each.entity.id == "clinic"]
    assert clinic.text == "place of work AA"
    assert [attack.outcome for attack in clinic.attacks][-1] is Outcome.CONTEXT


@pytest.mark.parametrize(
    ("effort", "lost", "asked"),
    [("quick", False, 3), ("quick", True, 4), ("full", False, 5), ("full", True, 7)],
)
def test_effort_says_how_often_a_model_is_asked(monkeypatch, effort, lost, asked):
    plan = PLAN.replace("2 | a coastal city in Northern Europe | a city\n", "") if lost else PLAN

    def answer(request):
        if "no sound phrase yet" in request.question:
            return "2 | a coastal city"
        return answers(plan, repair="7 | her work", proofread="3 | health worker")(request)

    own = {"model": {"backend": "openai", "name": "x", "effort": effort}}
    done, model = sanitised(monkeypatch, answer, **own)
    assert len(model.requests) == asked
    assert "as a health worker at" in done.text
    strangers = ["guesses for each" in request.question for request in model.requests]
    assert sum(strangers) == (1 if effort == "quick" else 2)
    attackers = {attack.attacker for each in done.decisions for attack in each.attacks}
    assert attackers == {"knowledge", "llm"}


def test_guesses_that_no_rule_can_compare_are_shown_to_the_planner(monkeypatch):
    guessed = "an obstetric nurse | a carer // ward"
    done, model = sanitised(monkeypatch, answers(proofread="3 | health worker", guessed=guessed))
    revised = [each.question for each in model.requests if "strict editor" in each.question]
    assert "3: health professional on a ward // an obstetric nurse, a carer" in revised[0]
    assert "as a health worker." in done.text  # what stood at the label says nothing


def test_a_value_with_few_left_is_revised_with_the_chance_said(monkeypatch):
    plan = re.sub(r"(?m)^5 \|.*$", "5 | 42,000 to 45,000 kroner", PLAN)
    done, model = sanitised(monkeypatch, answers(plan, repair="5 | 10,000 to 90,000 kroner"))
    assert "paid 10,000 to 90,000 kroner" in done.text
    [asked] = [each.question for each in model.requests if "A stranger who saw" in each.question]
    assert "by chance: " in asked and "// one of" not in asked


@pytest.mark.parametrize("answer", ["repair", "proofread"])
def test_unmarked_words_that_a_revision_finds_change_where_the_context_is_protected(
    monkeypatch, answer
):
    plan = PLAN.replace("also | the night owl of ward B | by a nickname\n", "")
    told = {answer: "also | the night owl of ward B | by a nickname"}
    scripted = answers(plan, **told, guessed="midwife // owl" if answer == "repair" else OTHERS)
    done, model = sanitised(monkeypatch, scripted, context={"protect": True})
    assert done.text.endswith("calls herself by a nickname.")
    [clue] = [each for each in done.decisions if each.entity.mentions[0].clue]
    assert clue.chosen is not None and "night owl" in done.document.text
    attacked = [each for each in model.requests if "guesses for each" in each.question]
    assert "calls herself ⟦" in attacked[-1].prefix
    left, _ = sanitised(monkeypatch, scripted)
    assert "the night owl" in left.text and left.clues


def test_a_last_reading_mends_one_place_and_leaves_the_others(monkeypatch):
    done, _ = sanitised(monkeypatch, answers(proofread="7 | her employer"))
    assert "at a large teaching hospital." in done.text
    assert "her employer dismissed her" in done.text


UNSOUND = (
    ("2 | Bergen in Norway", "its own name"),
    ("1 | <on> in the 1990s", "a period without the day"),
    ("1 | in the early 1980s", "two prepositions"),
    ("3 | our health worker", "two determiners"),
    ("5 | 10,000 to 20,000 kroner", "a range without the sum"),
    ("3 | nurse at Haukeland", "the name of another thing"),
    ("4 | <in> a sickbay", "words that do not stand there"),
)


@pytest.mark.parametrize(("row", "why"), UNSOUND)
def test_an_unsound_phrase_never_stands(monkeypatch, row, why):
    number, _, phrase = row.partition(" | ")
    plan = re.sub(rf"(?m)^{number} \|.*$", row, PLAN)
    done, model = sanitised(monkeypatch, answers(plan))
    assert re.sub(r"<\w+> ", "", phrase) not in done.text, why
    assert sum("no sound phrase" in each.question for each in model.requests) == 1


USELESS = (
    "",
    "I'm sorry, but I can't help with that.",
    TEXT,
    "Maria Lopez, Bergen, Haukeland",
    "```json\n{}\n```",
    '{"1": ["3 May 1981"], "4": ["Haukeland University Hospital"]}',
    "eins | zwei | drei",
    "\n".join(f"{n} | {text}" for n, (text, _, _) in enumerate(SPANS[1:], 1)),
)


@pytest.mark.parametrize("babble", USELESS)
def test_a_model_that_says_nothing_of_use_does_no_harm(monkeypatch, babble):
    try:
        done, _ = sanitised(monkeypatch, lambda _: babble)
    except ModelError as error:
        assert "could not be read" in str(error)
    else:
        assert not any(text in done.text for text, _, _ in SPANS)


QUESTIONS = {
    "stranger": "guesses for each",
    "revise": "strict editor",
    "again": "no sound phrase",
    "plan": "Now the lines",
}
HABITS = [one for one in behaviours.BEHAVIOURS if one.read != "all"]


@pytest.mark.parametrize("kind", QUESTIONS)
@pytest.mark.parametrize("habit", HABITS, ids=lambda one: one.name)
def test_a_question_that_is_answered_badly_is_counted_and_harms_nothing(monkeypatch, habit, kind):
    def answer(request):
        asked = next(key for key, words in QUESTIONS.items() if words in request.question)
        plan = re.sub(r"(?m)^3 \|.*$", "3 | nurse at Haukeland", PLAN)  # so that it is put again
        good = answers(plan, repair="4 | a big clinic\n7 | the clinic")(request)
        if asked != kind and (kind, asked) != ("plan", "again"):
            return good
        return habit.write(by_number(read_rows(good), frozenset(range(1, 8))))

    try:
        done, _ = sanitised(monkeypatch, answer)
    except ModelError as error:
        assert kind == "stranger" and "could not be read" in str(error)
        return
    assert not any(text in done.text for text, _, _ in SPANS)
    assert "She was paid" in done.text and "dismissed her" in done.text
    if kind == "plan":
        assert any("without a readable answer" in note for note in done.notes)


@pytest.mark.parametrize(("copies", "window"), [(2, 2500), (6, 2800), (20, 4096)])
def test_a_document_that_does_not_fit_is_read_in_parts(monkeypatch, copies, window):
    def answer(request):
        if "guesses for each" in request.question:
            return guesses(request, "Haukeland | a midwife // ward")
        listed = request.question.rpartition("places ")[2]
        first, last = (re.findall(r"\d+", listed)[at] for at in (0, -1))
        return "\n".join(f"{n} | some one of them" for n in range(int(first), int(last) + 1))

    model = ScriptedModel(answer, context_length=window)
    monkeypatch.setattr(intact.models.load, "load_model", lambda _: model)
    chosen = Settings.model_validate({"model": {"backend": "openai", "name": "x"}})
    once = document()
    mentions = []
    for copy in range(copies):
        for m in once.mentions:
            span = Span(m.span.start + copy * len(TEXT), m.span.end + copy * len(TEXT))
            entity = m.entity_id + ("" if m.entity_id == "clinic" else str(copy))
            mentions.append(replace(m, id=f"{copy}.{m.id}", span=span, entity_id=entity))
    build_pipeline(chosen).sanitize(Document("d", TEXT * copies, tuple(mentions)))
    plans = [each for each in model.requests if "Now the lines" in each.question]
    first, *later = dict.fromkeys(each.prefix for each in plans)
    assert "(said before): some one of them" not in first
    assert later and all("(said before): some one of them" in prefix for prefix in later)
    for each in model.requests:
        tokens = model.count([each.prefix + each.question])[0] + each.max_tokens
        assert tokens <= window
        if "strict editor" in each.question:  # the part's own text, no more
            own = set(re.findall(r"⟦(\d+)", each.prefix.partition("Document:")[2]))
            assert set(re.findall(r"⟦(\d+): ", each.question)) <= own


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300))
def test_nothing_that_a_model_writes_breaks_the_reading(answer):
    assert all(row.cells for row in read_rows(answer))


def test_after_a_models_phrase_for_a_value_only_wider_ones_follow(monkeypatch):
    done, _ = sanitised(monkeypatch, answers())
    born = next(each for each in done.decisions if each.entity.id == "born")
    said = [candidate.text for candidate in born.ladder]
    assert said[:2] == ["in the early 1980s", "in the 1980s"]
    assert not {"1981", "May 1981", "the early 1980s"} & set(said)
    assert len(said) > 2


@pytest.mark.parametrize(
    ("phrases", "outcome"),
    [("a large clinic | a clinic | a ward", Outcome.SAFE), ("a clinic", Outcome.CONTEXT)],
    ids=["tried at the label alone", "guessed there as well"],
)
def test_what_falls_in_every_attack_ends_on_words_that_say_no_more_than_its_label(
    monkeypatch, phrases, outcome
):
    def answer(request):
        at_label = "ORG_1" in request.prefix
        plan = re.sub(r"(?m)^(4|7) \|.*$", rf"\1 | {phrases}", PLAN)
        return answers(plan, guessed=OTHERS if at_label else "Haukeland // dismissed")(request)

    done, model = sanitised(monkeypatch, answer)
    assert "at an organisation. " in done.text and len(model.requests) <= 8
    [clinic] = [each for each in done.decisions if each.entity.id == "clinic"]
    assert clinic.attacks[-1].outcome is outcome
    assert clinic.attacks[-1].guesses == clinic.controls[0].guesses
