"""The tagger, with a tiny random encoder."""

from copy import deepcopy

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from intact.detection.tagger.decoding import findings
from intact.detection.tagger.encoder import Encoder
from intact.detection.tagger.head import TAGS
from intact.detection.tagger.tagger import About, Reached, load_tagger
from intact.detection.tagger.training import Example, Plan, targets, train
from intact.detection.tagger.words import BUCKETS, features, shape, words_of
from intact.domain import IdentifierType, Mention, Span
from intact.errors import ConfigError, InputError, ModelError

pytestmark = pytest.mark.filterwarnings("ignore")
NAMES = ("Novak", "Kral", "Zgrob", "Berg", "Okonjo", "Tanaka")


def example(name: str, town: str) -> Example:
    text = f"Mr {name} went to {town} and saw the house there. It was cold."
    person, place = text.index("Mr"), text.index(town)
    return Example(
        text,
        (
            (
                Mention(
                    "a",
                    Span(person, 3 + len(name)),
                    f"Mr {name}",
                    "1",
                    "PERSON",
                    IdentifierType.DIRECT,
                ),
                Mention("b", Span(place, place + len(town)), town, "2", "LOC"),
            ),
        ),
    )


EXAMPLES = [example(name, town) for name in NAMES for town in ("Leeds", "Oslo", "Brno")]


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("encoder")
    words = sorted({w.lower() for e in EXAMPLES for w in words_of(e.text).strings})
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
    return Encoder("tiny", (1, 2), window=32, stride=4, parts=deepcopy(parts))


@pytest.fixture(scope="module")
def tagger(parts):
    encoder = Encoder("tiny", (1, 2), window=32, stride=4, parts=deepcopy(parts))
    return train(EXAMPLES, encoder, Plan(epochs=5, rate=0.05, weight=2.0))


def test_words_and_shapes():
    words = words_of("Mr O'Neil-Smith\n\nsaw 1996/A.")
    assert words.strings == ["Mr", "O", "'", "Neil", "-", "Smith", "saw", "1996", "/", "A", "."]
    assert [at for at, new in enumerate(words.breaks) if new] == [0, 6]
    assert [shape(w) for w in ("Novak", "IWB", "1996", "iPad")] == ["Xxx", "XX", "4d", "xXxx"]


def test_features_are_the_same_everywhere():
    one = features(words_of("Mr Novak met Mr Novak."))
    assert one.shape[0] == 6 and one.min() >= 0 and one.max() < BUCKETS
    assert (one == features(words_of("Mr Novak met Mr Novak."))).all()
    assert features(words_of("")).shape[0] == 0
    assert features(words_of("a b"), ["", "place"]).shape[1] > one.shape[1]


def test_windows_read_each_word_once(encoder):
    words = words_of("Mr Novak went to Leeds. " * 30)
    windows = encoder.windows(words)
    assert [at for window in windows for at, _ in window.words] == list(range(len(words)))
    assert all(len(window.tokens) <= 32 for window in windows)
    assert encoder.states(windows).shape == (len(words), 32)
    assert encoder.states([]).shape == (0, 32)


def test_a_word_longer_than_a_window(encoder):
    words = words_of("x" * 500 + " Novak")
    assert encoder.states(encoder.windows(words)).shape[0] == 2


def test_targets_of_several_annotators():
    text = "Mr Novak left"
    one = Mention("a", Span(0, 8), "Mr Novak", "1", "PERSON")
    other = Mention("b", Span(3, 8), "Novak", "1", "PERSON")
    quiet = Mention("c", Span(9, 13), "left", "2", "MISC", IdentifierType.NO_MASK)
    table = targets(words_of(text), [(one, quiet), (other,)])
    begin, inside = TAGS.index("B-PERSON"), TAGS.index("I-PERSON")
    assert table[0, begin] == 0.5 and table[0, 0] == 0.5
    assert table[1, inside] == 0.5 and table[1, begin] == 0.5
    assert table[2, 0] == 1.0


def test_it_learns(tagger):
    text = "Mr Smith went to Leeds and saw the house there."
    found = {(f.kind, f.span.of(text)) for f in tagger.find(text) if f.score >= 0.5}
    assert {("person", "Mr Smith"), ("place", "Leeds")} <= found
    assert tagger.about.trained["documents"] == len(EXAMPLES)
    assert max(one.recall for one in tagger.about.reached) > 0.9


def test_the_same_seed_gives_the_same_weights(parts):
    def weights():
        encoder = Encoder("tiny", (1,), window=32, stride=4, parts=deepcopy(parts))
        return train(EXAMPLES[:4], encoder, Plan(epochs=1, held_out=0)).head.states

    assert torch.equal(weights(), weights())


def test_it_comes_back_from_its_folder(tagger, parts, tmp_path):
    tagger.save(tmp_path / "model")
    again = load_tagger(tmp_path / "model", 0.5, parts=deepcopy(parts))
    text = EXAMPLES[0].text
    assert again.find(text) == tagger.find(text)
    assert (tmp_path / "model" / "weights.safetensors").stat().st_mode & 0o077 == 0


def test_upper_layers_can_be_tuned(parts, tmp_path):
    own = deepcopy(parts)
    encoder = Encoder("tiny", (2,), window=32, stride=4, parts=own)
    before = own[1].encoder.layer[1].output.dense.weight.clone()
    made = train(EXAMPLES[:6], encoder, Plan(epochs=1, tuned=1))
    assert not torch.equal(before, own[1].encoder.layer[1].output.dense.weight)
    assert torch.equal(
        parts[1].encoder.layer[0].output.dense.weight, own[1].encoder.layer[0].output.dense.weight
    )
    made.save(tmp_path)
    again = load_tagger(tmp_path, parts=deepcopy(parts))
    assert again.find(EXAMPLES[0].text) == made.find(EXAMPLES[0].text)


def test_threshold_for_a_recall(tagger):
    about = About({}, (Reached(0.1, 0.99, 1, 0.9, 0.5), Reached(0.5, 0.9, 1, 0.8, 0.9)))
    tagger_ = type(tagger)(tagger.encoder, tagger.head, about)
    assert tagger_.threshold_for(0.95) == 0.1
    assert tagger_.threshold_for(0.9) == 0.5
    with pytest.raises(ConfigError, match=r"0\.990 at most"):
        tagger_.threshold_for(0.995)


def test_nothing_to_learn_from(encoder):
    with pytest.raises(InputError, match="no masked mentions"):
        train([Example("nothing here", ((),))], encoder, Plan(epochs=1))


def test_broken_folders(tmp_path):
    with pytest.raises(ModelError, match="is no tagger"):
        load_tagger(tmp_path)
    (tmp_path / "tagger.json").write_text("{}")
    with pytest.raises(ModelError, match="is no tagger"):
        load_tagger(tmp_path)


def test_unknown_encoder():
    with pytest.raises(ModelError, match="cannot be loaded"):
        Encoder("/nowhere/at/all")


def test_runs_of_words():
    words = words_of("Mr Novak of\n\nLeeds a Kral")
    shares = np.zeros((len(words), len(TAGS)), dtype=np.float32)
    for at, tag in enumerate(["B-PERSON", "I-PERSON", "O", "B-LOC", "B-MISC", "B-PERSON"]):
        shares[at, TAGS.index(tag)] = 1.0
    found = findings(words, shares, 0.5, "t")
    assert [(f.kind, f.span.of(words.text)) for f in found] == [
        ("person", "Mr Novak"), ("place", "Leeds"), ("person", "Kral"),
    ]  # fmt: skip
