import pytest

from intact.domain import Document
from intact.errors import NotMeasuredError
from intact.evaluation.corpus import pair
from intact.evaluation.metric import EvaluationContext, comparable_parts
from intact.evaluation.risk import ReidentificationRisk

BACKGROUND = {
    "ada": "She wrote about engines, numbers and poetry; engines fascinated her.",
    "emmy": "She proved theorems about rings and symmetry, and taught algebra.",
    "grace": "She wrote compilers for ships and found a moth in a relay.",
    "mary": "She collected fossils on the coast, ichthyosaurs and ammonites.",
}
ABOUT = {
    "ada": "A paper on engines and poetry.",
    "emmy": "A talk about symmetry of rings.",
    "grace": "The moth in the relay of the compilers.",
    "mary": "Ammonites and other fossils of the coast.",
}


def documents():
    return [pair(Document(name, text, ()), ()) for name, text in ABOUT.items()]


def test_risk(encoder):
    scores = ReidentificationRisk(EvaluationContext(encoder, background=BACKGROUND)).scores(
        documents()
    )
    found = {score.name: score for score in scores}
    assert found["trir"].value == 1.0
    assert found["trir"].interval[0] == pytest.approx(0.51, abs=0.01)  # Wilson, 4 of 4
    assert found["trir/chance"].value == pytest.approx(1 / 4)
    assert found["trir/mrr"].value == 1.0
    assert set(found["trir"].per_document) == set(ABOUT)
    assert "chance:0.2500" in found["trir"].signature
    scores = [found["trir"]]
    for background in (BACKGROUND, {**BACKGROUND, "ada": "She wrote about looms."}):
        other = EvaluationContext(encoder, background=background, seed=1)
        scores.append(ReidentificationRisk(other).score(documents()[:3]))
    one, same, changed = map(comparable_parts, scores)
    assert one == same != changed


def test_individuals_are_mapped_and_missing_ones_counted(encoder):
    context = EvaluationContext(
        encoder, background=BACKGROUND, owner={"d1": "ada", "d2": "d2"}.__getitem__
    )
    one = pair(Document("d1", ABOUT["ada"], ()), ())
    assert ReidentificationRisk(context).score([one]).value == 1.0
    said = []
    background = {name: text for name, text in BACKGROUND.items() if name != "mary"}
    context = EvaluationContext(encoder, background=background, warn=said.append)
    score = ReidentificationRisk(context).score(documents())
    assert score.n == 3
    assert said == ["1 documents left out: the background lacks their individual"]


@pytest.mark.parametrize("background", [{}, {"nobody": "text"}])
def test_without_background_it_is_not_measured(encoder, background):
    with pytest.raises(NotMeasuredError):
        ReidentificationRisk(EvaluationContext(encoder, background=background)).scores(documents())
