"""A GGUF file in memory: its weights, its vocabulary, and what its metadata say."""

from __future__ import annotations

import ctypes
from collections import deque
from pathlib import Path
from typing import Any

from intact.errors import MissingExtraError, ModelError
from intact.models.machine import check_memory, load_error
from intact.models.sampling import Vocabulary

_CONTROL, _USER_DEFINED = 8, 16  # token attributes


class LlamaFile:
    """A loaded file.

    Args:
        path: the file.
        gpu_layers: how many layers go to a graphics card.
        extra_buffers: whether weights may be repacked for the processor's own kernels.

    Attributes:
        library: the module of the C library.
        handle: what the library calls the model.
        size: of the vocabulary.
        trained: tokens of context that the model was trained on.
        vocabulary: bytes and kind of every token.

    Raises:
        MissingExtraError: llama-cpp-python is not installed.
        ModelError: the file cannot be loaded; the message says why and which setting to change.
    """

    def __init__(self, path: Path, gpu_layers: int = 0, extra_buffers: bool = True) -> None:
        try:
            import llama_cpp
        except ImportError as error:
            package = (error.name or "").partition(".")[0]
            other = package and package != "llama_cpp"
            raise MissingExtraError.of(package if other else "llama-cpp-python", "llm") from None
        self.library: Any = llama_cpp
        self._log: deque[str] = deque(maxlen=40)
        self._catch_log()
        self.library.llama_backend_init()
        self.handle = self._load(path, gpu_layers, extra_buffers)
        self._vocab = self.library.llama_model_get_vocab(self.handle)
        self.size = int(self.library.llama_vocab_n_tokens(self._vocab))
        self.trained = int(self.library.llama_model_n_ctx_train(self.handle))
        self.vocabulary = self._vocabulary()

    def metadata(self, key: str) -> str | None:
        """A value of the file's metadata, as text."""
        size = 64
        while True:
            buffer = ctypes.create_string_buffer(size)
            need = self.library.llama_model_meta_val_str(self.handle, key.encode(), buffer, size)
            if need < 0:
                return None
            if need < size:
                return buffer.value.decode("utf-8", "replace")
            size = need + 1

    def chat_template(self) -> str | None:
        """The chat template in the file."""
        raw = self.library.llama_model_chat_template(self.handle, None)
        return raw.decode("utf-8", "replace") if raw else None

    def piece(self, token: int) -> str:
        """A token's text as the vocabulary writes it, "" for no token (-1)."""
        if token < 0:
            return ""
        raw: bytes = self.library.llama_vocab_get_text(self._vocab, token) or b""
        return raw.decode("utf-8", "replace")

    def begin_and_end(self) -> tuple[str, str]:
        """The texts of the tokens that begin and end a prompt."""
        return (
            self.piece(self.library.llama_vocab_bos(self._vocab)),
            self.piece(self.library.llama_vocab_eos(self._vocab)),
        )

    def control_words(self) -> list[str]:
        """The texts of all control tokens."""
        return [self.piece(token) for token in sorted(self.vocabulary.controls)]

    def tokenize(self, text: str) -> list[int]:
        """Tokens of a rendered prompt; control words in it become control tokens."""
        raw = text.encode("utf-8", "replace")
        size = len(raw) + 8
        while True:
            tokens = (ctypes.c_int32 * size)()
            count = self.library.llama_tokenize(
                self._vocab, raw, len(raw), tokens, size, False, True
            )
            if count >= 0:
                return list(tokens[:count])
            size = -count

    def last_words(self) -> str:
        """The library's last complaint, on one line."""
        return " ".join(list(self._log)[-2:])[:300]

    def close(self) -> None:
        """Free it."""
        if self.handle is not None:
            self.library.llama_model_free(self.handle)
            self.handle = None

    def bytes_per_token(self) -> int:
        """Bytes of keys and values that one token takes, 16-bit."""
        architecture = self.metadata("general.architecture") or ""
        heads = max(1, int(self.library.llama_model_n_head(self.handle)))
        size = int(self.library.llama_model_n_embd(self.handle)) // heads
        key = int(self.metadata(f"{architecture}.attention.key_length") or size)
        value = int(self.metadata(f"{architecture}.attention.value_length") or size)
        layers = int(self.library.llama_model_n_layer(self.handle))
        return (
            layers
            * max(1, int(self.library.llama_model_n_head_kv(self.handle)))
            * (key + value)
            * 2
        )

    def _catch_log(self) -> None:
        def keep(level: int, text: bytes, _data: Any) -> None:
            if level >= 3 and text:  # warnings and errors
                self._log.append(text.decode("utf-8", "replace").strip())

        self._logger = self.library.llama_log_callback(keep)  # must live as long as the library
        self.library.llama_log_set(self._logger, ctypes.c_void_p())

    def _load(self, path: Path, gpu_layers: int, extra_buffers: bool) -> Any:
        check_memory(path.stat().st_size, "the model", "setting model.path")
        parameters = self.library.llama_model_default_params()
        parameters.n_gpu_layers = gpu_layers
        # Repacked weights double the memory of a mapped file; K-quants are slower repacked.
        repack = extra_buffers and not _is_k_quant(path)
        parameters.use_extra_bufts = repack
        parameters.load_mode = (
            self.library.LLAMA_LOAD_MODE_NONE if repack else self.library.LLAMA_LOAD_MODE_MMAP
        )
        model = self.library.llama_model_load_from_file(str(path).encode(), parameters)
        if not model:
            raise load_error(path, " ".join(self._log))
        if not self.library.llama_model_has_decoder(model) or self.library.llama_model_has_encoder(
            model
        ):
            self.library.llama_model_free(model)
            raise ModelError(
                "the file holds no model that writes text",
                where=f"setting model.path, {path.name}",
                remedy="Choose an instruct model; see: intact models list",
            )
        return model

    def _vocabulary(self) -> Vocabulary:
        pieces: list[bytes] = []
        stops: set[int] = set()
        controls: set[int] = set()
        buffer = ctypes.create_string_buffer(512)
        for token in range(self.size):
            count = self.library.llama_token_to_piece(self._vocab, token, buffer, 512, 0, False)
            pieces.append(buffer.raw[: max(0, count)])
            if self.library.llama_vocab_is_eog(self._vocab, token):
                stops.add(token)
            if self.library.llama_vocab_get_attr(self._vocab, token) & (_CONTROL | _USER_DEFINED):
                controls.add(token)
        return Vocabulary(pieces, frozenset(stops), frozenset(controls))


def _is_k_quant(path: Path) -> bool:
    return "_k" in path.stem.lower()
