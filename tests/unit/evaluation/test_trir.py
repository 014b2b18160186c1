import numpy as np
import pytest

from intact.domain import Document
from intact.errors import NotMeasuredError
from intact.evaluation.metric import EvaluationContext
from intact.evaluation.pairs import pair
from intact.evaluation.trir.encoder import EncoderAttack, Training
from intact.evaluation.trir.linear import LinearAttack
from intact.evaluation.trir.retrieval import Bm25Attack, TfidfAttack
from intact.evaluation.trir.risk import ReidentificationRisk, true_ranks
from intact.evaluation.trir.windows import (
    Window,
    masked_copy,
    training_copies,
    training_windows,
    windows_of,
)

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


@pytest.mark.parametrize("attack", [TfidfAttack, Bm25Attack])
def test_retrieval(attack) -> None:
    one = attack()
    one.fit(list(BACKGROUND.values()))
    assert true_ranks(one.scores(list(ABOUT.values())), range(4)) == [0, 0, 0, 0]


def test_linear() -> None:
    one = LinearAttack()
    one.fit(training_copies(BACKGROUND), 4)
    assert true_ranks(one.scores(list(ABOUT.values())), range(4)) == [0, 0, 0, 0]


def test_an_attack_that_cannot_tell_gets_no_credit() -> None:
    assert true_ranks(np.zeros((2, 3)), [0, 2]) == [2, 2]
    assert true_ranks(np.array([[0.1, 0.5, 0.2]]), [1]) == [0]


def test_windows_overlap() -> None:
    words = [str(index) for index in range(180)]
    found = [window.split() for window in windows_of(" ".join(words))]
    assert [(window[0], window[-1]) for window in found] == [
        ("0", "99"),
        ("75", "174"),
        ("150", "179"),
    ]
    assert windows_of("") == [""]
    assert len(windows_of("word " * 100)) == 1


def test_masked_copies_have_no_names_or_numbers() -> None:
    text = "The Court met Ada Byron in 1996. Later she left London."
    assert masked_copy(text) == "The met in . Later she left ."


def test_training_windows_know_their_individual() -> None:
    found = training_windows({"a": "One two.", "b": "Three four."})
    assert [window.individual for window in found] == [0, 0, 1, 1]


def documents() -> list:
    return [pair(Document(name, text, ()), ()) for name, text in ABOUT.items()]


def test_risk(encoder) -> None:
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


def test_any_attack_is_enough(encoder) -> None:
    measure = ReidentificationRisk(EvaluationContext(encoder, background=BACKGROUND))
    scores = measure._scores(["a", "b"], {"x": [0, 3], "y": [5, 0]}, 10)
    found = {score.name: score.value for score in scores}
    assert (found["trir"], found["trir/x"], found["trir/y"]) == (1.0, 0.5, 0.5)
    assert found["trir/mrr"] == pytest.approx(((1 + 1 / 6) / 2 + (1 / 4 + 1) / 2) / 2)


def test_missing_individuals_are_counted(encoder) -> None:
    said: list[str] = []
    background = {name: text for name, text in BACKGROUND.items() if name != "mary"}
    context = EvaluationContext(encoder, background=background, warn=said.append)
    score = ReidentificationRisk(context).score(documents())
    assert score.n == 3
    assert said == ["1 documents left out: the background lacks their individual"]


def test_owners_map_documents_to_individuals(encoder) -> None:
    context = EvaluationContext(encoder, background=BACKGROUND, owners={"d1": "ada"})
    one = pair(Document("d1", ABOUT["ada"], ()), ())
    assert ReidentificationRisk(context).score([one]).value == 1.0


@pytest.mark.parametrize("background", [{}, {"nobody": "text"}])
def test_without_background_it_is_not_measured(encoder, background) -> None:
    with pytest.raises(NotMeasuredError):
        ReidentificationRisk(EvaluationContext(encoder, background=background)).scores(documents())


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory) -> str:
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


WINDOWS = [Window(text, index) for index, text in enumerate(BACKGROUND.values()) for _ in range(6)]
PLAN = Training(epochs=3, patience=9, batch=8, rate=3e-3)


@pytest.mark.filterwarnings("ignore")
def test_encoder_learns_and_resumes(tiny_model, tmp_path) -> None:
    through = EncoderAttack(tiny_model, PLAN)
    through.fit(WINDOWS, 4)
    scores = through.scores(list(ABOUT.values()))
    assert scores.shape == (4, 4)
    assert true_ranks(through.scores(list(BACKGROUND.values())), range(4)) == [0, 0, 0, 0]

    def stop(what: str, done: int, total: int) -> None:
        if done > total * 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        EncoderAttack(tiny_model, PLAN, store=tmp_path, progress=stop).fit(WINDOWS, 4)
    (checkpoint,) = tmp_path.iterdir()
    assert checkpoint.stat().st_mode & 0o777 == 0o600
    resumed = EncoderAttack(tiny_model, PLAN, store=tmp_path)
    resumed.fit(WINDOWS, 4)
    assert np.allclose(resumed.scores(list(ABOUT.values())), scores, atol=1e-4)
