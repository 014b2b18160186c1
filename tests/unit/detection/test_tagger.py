"""The tagger, with a tiny random encoder."""

from copy import deepcopy

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from intact.detection.tagger import (
    BUCKETS,
    TAGS,
    About,
    Reached,
    WordEncoder,
    Words,
    columns,
    findings,
    load_tagger,
)
from intact.detection.training import TrainingPlan, measure, prepare, targets, train
from intact.domain import Document, IdentifierType, Mention, Span
from intact.errors import ConfigError, InputError, ModelError

pytestmark = pytest.mark.filterwarnings("ignore")
NAMES = ("Novak", "Kral", "Zgrob", "Berg", "Okonjo", "Tanaka")


def document(name: str, town: str) -> Document:
    text = f"Mr {name} went to {town} and saw the house there. It was cold."
    person, place = text.index("Mr"), text.index(town)
    who = Span(person, 3 + len(name))
    return Document(
        name + town,
        text,
        (
            Mention("a", who, f"Mr {name}", "1", "PERSON", IdentifierType.DIRECT),
            Mention("b", Span(place, place + len(town)), town, "2", "LOC"),
        ),
    )


DOCUMENTS = [document(name, town) for name in NAMES for town in ("Leeds", "Oslo", "Brno")]


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("encoder")
    words = sorted({w.lower() for d in DOCUMENTS for w in Words.of(d.text).strings})
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    (folder / "vocab.txt").write_text("\n".join([*special, *words, *"abcdefghijklmnopqrstuvwxyz"]))
    tokenizer = transformers.BertTokenizerFast(vocab_file=str(folder / "vocab.txt"))
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=64,
    )  # fmt: skip
    return tokenizer, transformers.BertModel(config)


@pytest.fixture
def encoder(parts):
    return WordEncoder("tiny", (1, 2), window=32, parts=deepcopy(parts))


@pytest.fixture(scope="module")
def tagger(parts):
    encoder = WordEncoder("tiny", (1, 2), window=32, parts=deepcopy(parts))
    examples = prepare([(document,) for document in DOCUMENTS], encoder)
    return train(examples, encoder, TrainingPlan(epochs=120, weight=2.0))


def test_words_and_their_forms():
    words = Words.of("Mr O'Neil-Smith\n\nsaw 1996/A.")
    assert words.strings == ["Mr", "O", "'", "Neil", "-", "Smith", "saw", "1996", "/", "A", "."]
    assert [at for at, new in enumerate(words.breaks) if new] == [0, 6]
    assert [word for word, content in zip(words.strings, words.content(), strict=True) if content]
    forms = words.forms()
    assert len(forms) == len(words) and len({tuple(row) for row in forms.tolist()}) > 6
    assert len(Words.of("")) == 0
    buckets = words.buckets()
    assert (buckets == Words.of(words.text).buckets()).all() and buckets.max() < BUCKETS
    assert len(buckets) == len(words)


def test_every_word_has_its_states_whatever_the_length(encoder):
    words = Words.of("Mr Novak went to Leeds. " * 30).strings
    states = encoder.states(words)
    assert states.shape == (len(words), 32)
    assert (states.abs().sum(dim=1) > 0).all()
    alone = encoder.states(words[:10])  # one window: the same but for what follows
    assert torch.allclose(alone[0], encoder.states(words[:10])[0])
    assert encoder.states(["x" * 500, "Novak"]).shape[0] == 2


def test_the_layer_sees_neighbours():
    inputs = columns(torch.eye(3), torch.ones(3, 5))
    assert inputs[1, :9].tolist() == [1, 0, 0, 0, 1, 0, 0, 0, 1]
    assert inputs[0, :3].tolist() == [0, 0, 0]


def test_targets_of_several_annotators():
    text = "Mr Novak left"
    one = Mention("a", Span(0, 8), "Mr Novak", "1", "PERSON")
    other = Mention("b", Span(3, 8), "Novak", "1", "PERSON")
    quiet = Mention("c", Span(9, 13), "left", "2", "MISC", IdentifierType.NO_MASK)
    table = targets(Words.of(text), [(one, quiet), (other,)])
    begin, inside = TAGS.index("B-PERSON"), TAGS.index("I-PERSON")
    assert table[0, begin] == 0.5 and table[0, 0] == 0.5
    assert table[1, inside] == 0.5 and table[1, begin] == 0.5
    assert table[2, 0] == 1.0


def test_it_learns(tagger):
    text = "Mr Smith went to Leeds and saw the house there."
    found = {(f.kind, f.span.of(text)) for f in tagger.find(text) if f.score >= 0.5}
    assert {("person", "Mr Smith"), ("place", "Leeds")} <= found
    assert tagger.about.trained["documents"] == len(DOCUMENTS)
    assert max(one.recall for one in tagger.about.reached) > 0.9


def test_the_same_seed_gives_the_same_weights(encoder):
    examples = prepare([(document,) for document in DOCUMENTS[:4]], encoder)
    one, other = (
        train(examples, encoder, TrainingPlan(epochs=1, held_out=0)).layer.weight for _ in range(2)
    )
    assert torch.equal(one, other)


def test_it_comes_back_from_its_folder(tagger, parts, tmp_path):
    tagger.save(tmp_path / "model")
    again = load_tagger(tmp_path / "model", 0.5, parts=deepcopy(parts))
    text = DOCUMENTS[0].text
    assert again.find(text) == tagger.find(text)
    assert again.about.reached == tagger.about.reached
    assert (tmp_path / "model" / "weights.safetensors").stat().st_mode & 0o077 == 0


def test_measuring_by_hand(encoder):
    [example] = prepare([(DOCUMENTS[0],)], encoder)

    class Fixed:
        def probabilities(self, words, states):
            sure = np.array([w in ("Mr", "Novak", "house") for w in words.strings], float)
            return np.stack([1 - sure, sure], axis=1)

    half = next(one for one in measure(Fixed(), [example]) if one.threshold == 0.5)
    assert half == Reached(0.5, 0.5, 1.0, 0.0, 0.6667)  # Leeds is missed, the house is none


def test_threshold_for_a_recall(tagger):
    about = About({}, (Reached(0.1, 0.99, 1, 0.9, 0.5), Reached(0.5, 0.9, 1, 0.8, 0.9)))
    tagger_ = type(tagger)(tagger.encoder, tagger.layer, about)
    assert tagger_.threshold_for(0.95) == 0.1
    assert tagger_.threshold_for(0.9) == 0.5
    with pytest.raises(ConfigError, match=r"0\.990 at most"):
        tagger_.threshold_for(0.995)


def test_nothing_to_learn_from(encoder):
    with pytest.raises(InputError, match="no masked mentions"):
        train(
            prepare([(Document("x", "nothing here", ()),)], encoder),
            encoder,
            TrainingPlan(epochs=1),
        )


def test_broken_folders(tmp_path):
    with pytest.raises(ModelError, match="is no tagger"):
        load_tagger(tmp_path)
    (tmp_path / "tagger.json").write_text("{}")
    with pytest.raises(ModelError, match="is no tagger"):
        load_tagger(tmp_path)


def test_unknown_encoder():
    with pytest.raises(ModelError, match="cannot be loaded"):
        WordEncoder("/nowhere/at/all")


def test_runs_of_words():
    words = Words.of("Mr Novak of\n\nLeeds a Kral")
    shares = np.zeros((len(words), len(TAGS)), dtype=np.float32)
    for at, tag in enumerate(["B-PERSON", "I-PERSON", "O", "B-LOC", "B-MISC", "B-PERSON"]):
        shares[at, TAGS.index(tag)] = 1.0
    found = findings(words, shares, 0.5, "t")
    assert [(f.kind, f.span.of(words.text)) for f in found] == [
        ("person", "Mr Novak"), ("place", "Leeds"), ("person", "Kral"),
    ]  # fmt: skip
