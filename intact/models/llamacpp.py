"""The llama.cpp backend: any GGUF instruct model, through llama-cpp-python.

The file is looked at before anything is loaded; the library runs in a process of its own.
"""

from __future__ import annotations

import ctypes
import os
from collections import deque
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intact.config import ModelSettings
from intact.errors import ConfigError, MissingExtraError, ModelError, require
from intact.models.load import locate, model_signature
from intact.models.local import ChatTemplate, ControlWords, LocalModel, Vocabulary, choose_template
from intact.models.worker import Worker

_CONTROL, _USER_DEFINED = 8, 16  # token attributes
_LONGEST_PIECE = 512  # bytes of one token


def load_llamacpp(settings: ModelSettings) -> Worker:
    """Return the model of a GGUF file in its own process; errors name the setting."""
    path = locate(settings)
    check_gguf(path)
    if find_spec("llama_cpp") is None:
        raise MissingExtraError.of("llama-cpp-python", "llm")
    return Worker(
        "intact.models.llamacpp:in_process",
        {"settings": settings.model_dump(mode="json"), "path": str(path)},
        name=path.stem,
        signature=model_signature(settings),
        after_sigill={"extra_buffers": False},
    )


def in_process(settings: dict[str, Any], path: str, extra_buffers: bool = True) -> LlamaModel:
    """Return the model in this process; what the worker calls."""
    return LlamaModel(ModelSettings.model_validate(settings), Path(path), extra_buffers)


def check_gguf(path: Path) -> None:
    """Refuse what is not there (``ConfigError``), or cannot be a GGUF file (``ModelError``)."""
    where = "setting model.path"
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "is not there"
        remedy = "Give a GGUF file; see: intact models list"
        raise ConfigError(f"{path} {what}", where=where, remedy=remedy)
    with path.open("rb") as file:
        head = file.read(8)
    if head[:4] != b"GGUF" or not 2 <= int.from_bytes(head[4:8], "little") <= 3:
        raise ModelError(
            f"{path.name} is not a GGUF file, damaged, or of a version this program does not know",
            where=where,
            remedy="Give a GGUF file, or set model.backend=transformers for a model folder.",
        )


class LlamaModel(LocalModel):
    """A GGUF model; ``extra_buffers`` are for the processor's own kernels."""

    def __init__(self, settings: ModelSettings, path: Path, extra_buffers: bool = True) -> None:
        self._library, self._llama = _load(settings, path, extra_buffers)
        vocabulary = _vocabulary(self._library, self._llama)
        own = self._llama.metadata.get("tokenizer.chat_template")
        begin, end = (self._piece(t) for t in (self._llama.token_bos(), self._llama.token_eos()))
        super().__init__(
            settings,
            vocabulary,
            ChatTemplate(choose_template(settings.template, own), begin, end),
            ControlWords(self._piece(token) for token in sorted(vocabulary.controls)),
            int(self._library.llama_model_n_ctx_train(self._llama.model)),
            path.stem,
        )

    def close(self) -> None:
        """Free the model."""
        self._llama.close()

    def _tokens(self, text: str) -> list[int]:
        tokens: list[int] = self._llama.tokenize(
            text.encode("utf-8", "replace"), add_bos=False, special=True
        )
        return tokens

    def _piece(self, token: int) -> str:
        """A token's text as the vocabulary writes it, "" for no token (-1)."""
        if token < 0:
            return ""
        vocabulary = self._library.llama_model_get_vocab(self._llama.model)
        raw: bytes = self._library.llama_vocab_get_text(vocabulary, token) or b""
        return raw.decode("utf-8", "replace")

    def _cut(self, length: int) -> bool:
        memory = self._library.llama_get_memory(self._llama.ctx)
        if not self._library.llama_memory_seq_rm(memory, 0, length, -1):
            self._llama.reset()
            return False
        self._llama.n_tokens = length
        return True

    def _feed(self, tokens: list[int]) -> NDArray[np.float32]:
        try:
            self._llama.eval(tokens)
        except RuntimeError as error:
            self._llama.reset()
            raise ModelError(f"the library refused a batch ({error})") from None
        logits = self._library.llama_get_logits_ith(self._llama.ctx, -1)
        return np.ctypeslib.as_array(logits, (len(self._vocabulary.pieces),))


def _load(settings: ModelSettings, path: Path, extra_buffers: bool) -> tuple[Any, Any]:
    """The library's module and the loaded model."""
    llama_cpp, library = require("llama_cpp"), require("llama_cpp.llama_cpp")
    log: deque[str] = deque(maxlen=40)

    def keep(level: int, text: bytes, _data: Any) -> None:
        if level >= 3 and text:  # warnings and errors
            log.append(text.decode("utf-8", "replace").strip())

    callback = library.llama_log_callback(keep)
    library.llama_log_set(callback, ctypes.c_void_p())
    # Repacked weights double the memory of a mapped file; K-quants are slower repacked.
    repack = extra_buffers and "_k" not in path.stem.lower()
    make = library.llama_model_default_params

    def parameters() -> Any:
        made = make()
        made.use_extra_bufts = repack
        return made

    library.llama_model_default_params = parameters  # ``Llama`` has no argument for it
    try:
        options = {"n_ctx": settings.context, "n_gpu_layers": settings.gpu_layers}
        options |= dict.fromkeys(("n_threads", "n_threads_batch"), settings.threads or idle_cores())
        llama = llama_cpp.Llama(str(path), **options, use_mmap=not repack, verbose=False)
    except Exception as error:  # noqa: BLE001 (the library raises ValueError, Jinja its own)
        raise _load_error(path, " ".join(log), error) from None
    finally:
        library.llama_model_default_params = make
    llama.log_callback = callback  # must live as long as the library
    if not library.llama_model_has_decoder(llama.model) or library.llama_model_has_encoder(
        llama.model
    ):
        llama.close()
        problem = "the file holds no model that writes text"
        remedy = "Choose an instruct model; see: intact models list"
        raise ModelError(problem, where=f"setting model.path, {path.name}", remedy=remedy)
    return library, llama


def _vocabulary(library: Any, llama: Any) -> Vocabulary:
    pieces: list[bytes] = []
    vocabulary = library.llama_model_get_vocab(llama.model)
    buffer = ctypes.create_string_buffer(_LONGEST_PIECE)
    tokens, never = range(llama.n_vocab()), _CONTROL | _USER_DEFINED
    for token in tokens:
        count = library.llama_token_to_piece(vocabulary, token, buffer, _LONGEST_PIECE, 0, False)
        pieces.append(buffer.raw[: max(0, count)])
    stops = frozenset(t for t in tokens if library.llama_vocab_is_eog(vocabulary, t))
    controls = frozenset(t for t in tokens if library.llama_vocab_get_attr(vocabulary, t) & never)
    return Vocabulary(pieces, stops, controls)


def idle_cores() -> int:
    """Return how many cores this process may use that are not busy now, at least one; more threads
    are far slower than fewer (0.3 against 28 tokens/s measured)."""
    mine = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return max(1, mine - round(load))


def _load_error(path: Path, log: str, error: Exception) -> ModelError:
    """Return why a file did not load, from what the library logged and raised."""
    low = log.lower()
    known = {
        "unknown model architecture": (
            "the installed llama.cpp does not know this model's architecture",
            "Update llama-cpp-python, or choose another model.",
        ),
        "corrupted or incomplete|not within the file bounds|truncated|failed to read": (
            "the file is incomplete or damaged",
            "Download it again.",
        ),
        "alloc|out of memory": (
            "there is not enough memory for the model and its context",
            "Choose a smaller model or quantisation, or lower model.context or model.gpu_layers.",
        ),
    }
    for signs, (problem, remedy) in known.items():
        if any(sign in low for sign in signs.split("|")):
            return ModelError(problem, where=f"setting model.path, {path.name}", remedy=remedy)
    reason = log[-200:] or f"{type(error).__name__}: {str(error)[:200]}"
    problem = f"llama.cpp cannot load the file ({reason})"
    remedy = "Choose a GGUF file of an instruct model; see: intact models list"
    return ModelError(problem, where=f"setting model.path, {path.name}", remedy=remedy)
