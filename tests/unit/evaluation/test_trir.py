import pytest

from intact.domain import Document
from intact.errors import NotMeasuredError
from intact.evaluation.corpus import pair
from intact.evaluation.metric import EvaluationContext
from intact.evaluation.trir import ReidentificationRisk, ReidentificationRiskByEncoder

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


def test_any_attack_is_enough(encoder):
    measure = ReidentificationRisk(EvaluationContext(encoder, background=BACKGROUND))
    scores = measure._combined({"x": {"a": 0, "b": 3}, "y": {"a": 5, "b": 0}}, 10)
    found = {score.name: score.value for score in scores}
    assert (found["trir"], found["trir/x"], found["trir/y"]) == (1.0, 0.5, 0.5)
    assert found["trir/mrr"] == pytest.approx(((1 + 1 / 6) / 2 + (1 / 4 + 1) / 2) / 2)


def test_missing_individuals_are_counted(encoder):
    said = []
    background = {name: text for name, text in BACKGROUND.items() if name != "mary"}
    context = EvaluationContext(encoder, background=background, warn=said.append)
    score = ReidentificationRisk(context).score(documents())
    assert score.n == 3
    assert said == ["1 documents left out: the background lacks their individual"]


def test_owners_map_documents_to_individuals(encoder):
    context = EvaluationContext(
        encoder, background=BACKGROUND, owner={"d1": "ada", "d2": "d2"}.__getitem__
    )
    one = pair(Document("d1", ABOUT["ada"], ()), ())
    assert ReidentificationRisk(context).score([one]).value == 1.0


@pytest.mark.parametrize("background", [{}, {"nobody": "text"}])
def test_without_background_it_is_not_measured(encoder, background):
    with pytest.raises(NotMeasuredError):
        ReidentificationRisk(EvaluationContext(encoder, background=background)).scores(documents())


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory):
    """An untrained BERT of two small layers with a word-level vocabulary."""
    transformers = pytest.importorskip("transformers")
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("bert")
    words = sorted({w.strip(".,;").lower() for t in BACKGROUND.values() for w in t.split()})
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", ",", ";", *words]
    (folder / "vocab.txt").write_text("\n".join(vocabulary))
    transformers.BertTokenizer(str(folder / "vocab.txt")).save_pretrained(folder)
    config = transformers.BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=128,
    )
    transformers.BertForMaskedLM(config).save_pretrained(folder)
    return str(folder)


@pytest.mark.filterwarnings("ignore")
def test_an_encoder_among_the_attackers(encoder, tiny_model):
    context = EvaluationContext(encoder, background=BACKGROUND, encoder=tiny_model)
    found = {s.name: s for s in ReidentificationRiskByEncoder(context).scores(documents())}
    assert 0 <= found["trir_encoder/encoder"].value <= 1
    assert f"encoder:{tiny_model}" in found["trir_encoder"].signature
