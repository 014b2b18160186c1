"""The whole path with a scripted model: an intelligent one helps, one that lies does no harm."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import intact
import intact.models.load
from intact.config import Settings, with_model
from intact.domain import Document, Mention, SanitizedDocument, Span
from intact.english.words import content_lemmas
from intact.pipeline import build_pipeline
from intact.protocols import CompletionRequest
from tests.scripted import ScriptedModel

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
Answerer = Callable[[CompletionRequest], str]

# What a good instruct model proposes, and what it guesses where it reads one of the phrases.
CANDIDATES: Mapping[str, str] = {
    "Centro Hospitalar do Alto Mondego": "a regional hospital centre|a public hospital|a hospital",
    "Viseu": "a medium-sized city in Southern Europe|a city in Southern Europe|a city in Europe",
    "primary school teacher": "educator of young children|education professional|professional",
    "Mangualde": "a small town in Southern Europe|a town in Southern Europe|a town in Europe",
    "type 2 diabetes": "a metabolic disorder|a chronic illness|an illness",
    "high blood pressure": "a cardiovascular risk factor|a circulatory disorder|a health problem",
    "stroke": "a cerebrovascular event|a sudden illness|an illness",
    "Luanda": "a coastal capital in Sub-Saharan Africa|a capital city in Africa|a city in Africa",
    "seamstress": "garment worker|craftsperson|manual worker",
    "Clermont-Ferrand": "an industrial city in Western Europe|a city in Western Europe|a city",
    "pharmacist": "qualified health worker|health professional|professional",
    "University of Coimbra": "an old university|a university|an educational institution",
    "Coimbra": "a university city in Southern Europe|a city in Southern Europe|a city",
    "Church of São Julião": "a parish church|a place of worship|a religious body",
    "flower farm": "a horticultural business|an agricultural business|a business",
    "greenhouse supervisor": "team leader in horticulture|agricultural supervisor|supervisor",
    "Lake Naivasha": "a freshwater body in Eastern Africa|a body of water in Africa|a place",
    "theft": "an offence against property|a criminal offence|an offence",
    "advocate": "legal practitioner|legal professional|professional",
    "shop steward": "workers' representative|employee with a function|employee",
}
GUESSES: Mapping[str, str] = {
    "coastal capital": "Maputo|Luanda|Dakar|Accra|Lomé",
    "hospital": "Hospital de São João|Hospital de Santa Maria|Hospital da Luz|HUC|Hospital de Faro",
    "Southern Europe": "Porto|Braga|Guarda|Lamego|Tondela",
    "Western Europe": "Lyon|Lille|Grenoble|Roubaix|Tours",
    "illness": "cancer|asthma|gout|influenza|tuberculosis",
    "metabolic": "diabetes|gout|obesity|hypothyroidism|porphyria",
}


def judging(request: CompletionRequest, true: Callable[[str], bool]) -> str:
    """A verdict on each phrase: the first choice means that it is true."""
    good, bad = request.choices[0], "false" if "false" in request.choices else "wrong"
    asked = re.findall(r"^\[(\d+)\] (.+)$", request.question, re.MULTILINE)
    if not request.parts:
        asked = [("", request.question.strip().splitlines()[-1])]
    lines = [
        f"{part}: {good if true(phrase) else bad}".removeprefix(": ") for part, phrase in asked
    ]
    return "\n".join(lines)


def parts_of(request: CompletionRequest, pattern: str) -> list[tuple[str, str]]:
    """The name of each question in a request, and what it is about."""
    found = re.findall(pattern, request.question)
    return list(zip(request.parts or ("",) * len(found), found, strict=True))


def written(parts: list[tuple[str, list[str]]]) -> str:
    return "\n".join("\n".join([f"[{name}]" if name else "", *lines]) for name, lines in parts)


def intelligent(request: CompletionRequest) -> str:
    """Proposes, judges honestly and attacks as a good instruct model would."""
    if request.choices:
        return judging(request, lambda _: True)  # all that it proposes is true
    if "guesses for [" in request.question:
        asked = parts_of(request, r'guesses for \[\d+\] \("(.*?)"\)')
        return written([(name, guesses(shown)) for name, shown in asked])
    asked = parts_of(request, r"replacements of \[\[(.*?)\]\], [^\n]*:")
    return written(
        [(name, CANDIDATES.get(target, "a matter").split("|")) for name, target in asked]
    )


def guesses(shown: str) -> list[str]:
    told = next((names for words, names in GUESSES.items() if words in shown), "")
    return told.split("|") if told else [f"{word} Xyla" for word in ("A", "B", "C", "D", "E")]


def sanitised(
    monkeypatch: pytest.MonkeyPatch, documents: list[Document], answer: Answerer | None, **more: Any
) -> tuple[list[SanitizedDocument], ScriptedModel]:
    model = ScriptedModel(answer or (lambda _: ""))
    model.scores = False
    monkeypatch.setattr(intact.models.load, "load_model", lambda _: model)
    chosen = {"backend": "openai", "name": "scripted"} if answer else {}
    settings = with_model(Settings.model_validate({"model": chosen, **more}))
    made = build_pipeline(settings)
    return [made.sanitize(document) for document in documents], model


def labels(done: SanitizedDocument) -> int:
    return sum(d.chosen is None for d in done.decisions if d.entity.generalisable)


def test_an_intelligent_model_makes_the_text_say_more_at_few_questions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("discharge-letter", "court-dismissal"):
        documents = list(intact.load(EXAMPLES / f"{name}.json"))
        [plain], _ = sanitised(monkeypatch, documents, None)
        [better], model = sanitised(monkeypatch, documents, intelligent)
        assert labels(better) <= labels(plain)
        from_model = [r.text for r in better.replacements if r.origin == "llm"]
        assert len(from_model) >= 3
        assert not {"matter", "a matter"} & set(from_model)  # what says nothing comes last
        told = [len(content_lemmas(done.text)) for done in (plain, better)]
        assert told[1] > told[0]
        assert len(model.requests) <= 60
        read = sum(len(r.prefix + r.question) // 4 for r in model.requests)
        assert read <= 20_000, read


# Where the knowledge base can tell: surface, type, what a model says falsely.
LIES = (
    ("Bournemouth", "LOC", "a spa town in northern Italy"),
    ("Bournemouth", "LOC", "a city in Asia"),
    ("Bournemouth", "LOC", "an Italian town"),
    ("Bournemouth", "LOC", "a river in England"),
    ("Dorset", "LOC", "a county in Scandinavia"),
    ("Dorset", "LOC", "a region in Southern Africa"),
    ("Spain", "LOC", "a Nordic country"),
    ("Spain", "LOC", "a country in Western Asia"),
    ("Croatia", "LOC", "a former French colony in Africa"),
    ("Munich", "LOC", "a city in Poland"),
    ("Turkey", "LOC", "a village"),
    ("HMP Verne", "ORG", "a psychiatric hospital"),
    ("HMP Verne", "ORG", "a university"),
    ("Ankara Assize Court", "ORG", "a university in France"),
    ("Barclays", "ORG", "a football club"),
    ("Home Office", "ORG", "a private hospital"),
    ("British", "DEM", "South American"),
    ("Hungarian", "DEM", "East Asian"),
    ("cannabis resin", "MISC", "an antibiotic"),
    ("French", "DEM", "Scandinavian"),
)


def about(surface: str, kind: str) -> Document:
    text = f"The report of that day speaks of {surface} and of nobody else."
    at = text.index(surface)
    mention = Mention("m", Span(at, at + len(surface)), surface, "e", kind)
    return Document("d", text, (mention,))


@pytest.mark.parametrize(("surface", "kind", "lie"), LIES)
def test_no_lie_gets_into_the_text_where_the_knowledge_base_can_tell(
    monkeypatch: pytest.MonkeyPatch, surface: str, kind: str, lie: str
) -> None:
    """Not even if the judge says yes to everything and the attacker never guesses."""

    def lying(request: CompletionRequest) -> str:
        if request.choices:
            return judging(request, lambda _: True)
        if "guesses for [" in request.question:
            return "\n".join(f"Xyla {letter}" for letter in "ABCDE")
        return lie

    [done], model = sanitised(monkeypatch, [about(surface, kind)], lying)
    assert lie not in done.text
    assert all(rung.source != "llm" for d in done.decisions for rung in d.ladder)
    assert model.requests or "a country" in {rung.text for d in done.decisions for rung in d.ladder}


def test_what_the_knowledge_base_cannot_tell_falls_to_an_honest_judge(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lies = {"Bournemouth": "a landlocked market town", "HMP Verne": "a boarding house for nurses"}

    def mixed(request: CompletionRequest) -> str:
        if request.choices:
            return judging(request, lambda phrase: phrase not in lies.values())
        if "guesses for [" in request.question:
            return "\n".join(f"Xyla {letter}" for letter in "ABCDE")
        return next(lie for name, lie in lies.items() if f"[[{name}]]" in request.question)

    documents = [about("Bournemouth", "LOC"), about("HMP Verne", "ORG")]
    done, _ = sanitised(monkeypatch, documents, mixed)
    assert not any(lie in each.text for each in done for lie in lies.values())


# Of whom the knowledge base holds another thing by that name: what it says, what is true.
MISTAKEN = (
    ("He took insulin, for the {} had cost him a leg.", "sugar", "DEM", "food", "chronic disease"),
    ("He slept and was {} well.", "fed", "DEM", "a public servant", "looked after"),
    ("Place of separation: {}.", "Fort Bliss", "LOC", "a town or city", "an army post"),
)


@pytest.mark.parametrize("honest", [True, False])
@pytest.mark.parametrize(("text", "surface", "kind", "mistake", "truth"), MISTAKEN)
def test_a_mistaken_link_falls_to_an_honest_judge_and_not_to_one_that_says_yes(
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    surface: str,
    kind: str,
    mistake: str,
    truth: str,
    honest: bool,
) -> None:
    def answer(request: CompletionRequest) -> str:
        if request.choices:
            return judging(request, lambda phrase: not honest or phrase == truth)
        if "guesses for [" in request.question:
            return "\n".join(f"Xyla {letter}" for letter in "ABCDE")
        return truth

    at = text.index("{")
    mention = Mention("m", Span(at, at + len(surface)), surface, "e", kind)
    document = Document("d", text.format(surface), (mention,))
    [done], _ = sanitised(monkeypatch, [document], answer)
    [decision] = done.decisions
    phrases = [rung.text for rung in decision.ladder]
    assert (mistake in phrases) is not honest
    assert not honest or truth in phrases
