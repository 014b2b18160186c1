"""llama.cpp at the level of tokens: one prefix, many sequences that branch from it.

Sequence 0 holds the prefix; sequences 1 to ``slots`` hold the questions. What the C library
answers with an abort (an oversized batch, a position gap) is checked here before the call, and
the engine is meant to live in a process of its own (``worker.py``) all the same.

One call feeds equally many tokens to each sequence, and flash attention is off. With ``exact``
every sequence has its own stretch of memory, too; then an answer does not depend on what is
decoded beside it, not in the last bit. Without it the prefix is kept once for all sequences:
that is faster (1.4 times at 1,800 tokens) and takes far less memory, an answer does not depend on
what was asked before, but its sums may differ in the last digits with the number of neighbours.
"""

from __future__ import annotations

import ctypes
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intact.errors import ContextError, MissingExtraError, ModelError
from intact.models.machine import check_memory, idle_cores, load_error
from intact.models.sampling import Vocabulary

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BATCH = 512
OUTPUTS = 64
_CONTROL, _USER_DEFINED = 8, 16  # token attributes
_GRAIN, _OWN_GRAIN = 256, 32


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """What the engine is told; see ``ModelSettings`` for the meaning of each."""

    path: str
    context: int = 4096
    threads: int = 0
    gpu_layers: int = 0
    flash_attention: bool = False
    parallel: int = 16
    cache_memory: float = 1.0
    exact: bool = False


class Engine:
    """A loaded model and its context. Not thread-safe.

    Attributes:
        limit: tokens that one sequence may have.
        read: tokens evaluated so far as parts of prompts, prefixes included.
        written: tokens evaluated so far that had been generated.

    Raises:
        MissingExtraError: llama-cpp-python is not installed.
        ModelError: the file cannot be loaded; the message says why and which setting to change.
    """

    def __init__(self, settings: EngineSettings) -> None:
        try:
            import llama_cpp
        except ImportError:
            raise MissingExtraError.of("llama-cpp-python", "llm") from None
        self._c: Any = llama_cpp
        self._settings = settings
        self._log: deque[str] = deque(maxlen=40)
        self._catch_log()
        self._c.llama_backend_init()
        self._context: Any = None
        self._batch: Any = None
        self._model = self._load()
        self._vocab = self._c.llama_model_get_vocab(self._model)
        self._size = int(self._c.llama_vocab_n_tokens(self._vocab))
        self.trained = int(self._c.llama_model_n_ctx_train(self._model))
        self.limit = min(settings.context, self.trained)
        self.vocabulary = self._vocabulary()
        self.prefix: list[int] = []
        self.slots = 0
        self.read = self.written = 0
        self._sequences = 0  # that the context has, the prefix included
        self._cells = 0  # tokens that one sequence (exact) or all together may have

    # -- what the file says ---------------------------------------------------------------

    def metadata(self, key: str) -> str | None:
        """A value of the file's metadata, as text."""
        size = 64
        while True:
            buffer = ctypes.create_string_buffer(size)
            need = self._c.llama_model_meta_val_str(self._model, key.encode(), buffer, size)
            if need < 0:
                return None
            if need < size:
                return buffer.value.decode("utf-8", "replace")
            size = need + 1

    def chat_template(self) -> str | None:
        """The chat template in the file."""
        raw = self._c.llama_model_chat_template(self._model, None)
        return raw.decode("utf-8", "replace") if raw else None

    def piece(self, token: int) -> str:
        """A token's text as the vocabulary writes it, "" for no token (-1)."""
        if token < 0:
            return ""
        raw: bytes = self._c.llama_vocab_get_text(self._vocab, token) or b""
        return raw.decode("utf-8", "replace")

    def begin_and_end(self) -> tuple[str, str]:
        """The texts of the tokens that begin and end a prompt."""
        return (
            self.piece(self._c.llama_vocab_bos(self._vocab)),
            self.piece(self._c.llama_vocab_eos(self._vocab)),
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
            count = self._c.llama_tokenize(self._vocab, raw, len(raw), tokens, size, False, True)
            if count >= 0:
                return list(tokens[:count])
            size = -count

    # -- sequences ------------------------------------------------------------------------

    def reserve(self, tokens: int, tail: int | None = None) -> None:
        """Make room for sequences of ``tokens`` tokens; sets how many slots there are.

        Args:
            tokens: of the longest sequence, prefix and answer included.
            tail: at most so many of them are the sequence's own, not prefix.

        Raises:
            ContextError: they are longer than the model's context.
            ModelError: there is no memory for them.
        """
        if tokens > self.limit:
            hint = (
                f"Raise it to {tokens} or more (the model was trained on {self.trained})."
                if tokens <= self.trained
                else f"The model was trained on {self.trained} tokens; choose one with more."
            )
            raise ContextError(
                f"a prompt and its answer take {tokens} tokens, the context is {self.limit}",
                where="setting model.context",
                remedy=hint,
            )
        longest = -(-tokens // _GRAIN) * _GRAIN
        affordable = int(self._settings.cache_memory * 1e9 / self._bytes_per_token())
        most = self._settings.parallel
        if self._settings.exact:
            if longest > self._cells:
                slots = max(1, min(most, affordable // longest - 1))
                self._make_context(longest, slots + 1, longest * (slots + 1))
            self.slots = self._sequences - 1
            return
        own = -(-min(tail or tokens, tokens) // _OWN_GRAIN) * _OWN_GRAIN
        self.slots = max(1, min(most, (affordable - longest) // own))
        cells = longest + self.slots * own
        if cells > self._cells:
            self._make_context(cells, most + 1, cells)

    def read_prefix(self, tokens: Sequence[int]) -> None:
        """Have sequence 0 hold exactly ``tokens``; only what follows the first change is read."""
        kept = common_length(self.prefix, tokens)
        self.clear_slots()
        if kept < len(self.prefix) and not self._remove(0, kept):
            kept = 0
            self._remove(0, -1)
        self.prefix = list(tokens[:kept])
        for start in range(kept, len(tokens), BATCH):
            chunk = tokens[start : start + BATCH]
            self.feed({0: chunk}, {0: start}, outputs=False)
            self.prefix += chunk

    def clear_slots(self) -> None:
        """Forget all sequences but the prefix."""
        for slot in range(1, self._sequences):
            self._remove(slot, -1)

    def branch(self, slot: int) -> None:
        """Have ``slot`` begin as a copy of the prefix."""
        self._remove(slot, -1)
        self._c.llama_memory_seq_cp(self._memory, 0, slot, -1, -1)

    def rewind(self, slot: int, length: int) -> None:
        """Cut ``slot`` to its first ``length`` tokens.

        Raises:
            ModelError: this architecture cannot.
        """
        if not self._remove(slot, length):
            raise ModelError(
                "this kind of model cannot take tokens back, so it cannot score",
                where="setting attack.kind",
                remedy="Set attack.kind=guess and generation.judge=false.",
            )

    def feed(
        self,
        rows: Mapping[int, Sequence[int]],
        positions: Mapping[int, int],
        *,
        outputs: bool | str = True,
        generated: bool = False,
    ) -> NDArray[np.float32] | None:
        """Evaluate one call's worth of tokens: equally many for each sequence.

        Args:
            rows: sequence -> its next tokens.
            positions: sequence -> the position of the first of them.
            outputs: True for the logits after each sequence's last token, "all" for those after
                every token, False for none.
            generated: whether to count them as written rather than read.

        Returns:
            Logits, shape (rows or rows * tokens, vocabulary), in ascending order of sequences.

        Raises:
            ModelError: the call is malformed or the library failed; everything is forgotten.
        """
        import numpy as np

        count = self._check(rows, positions)
        wanted: list[int] = []
        at = 0
        for sequence in sorted(rows):  # ascending, or the library makes a batch of each
            for offset, token in enumerate(rows[sequence]):
                last = offset == len(rows[sequence]) - 1
                want = outputs == "all" or (outputs is True and last)
                self._batch.token[at] = token
                self._batch.pos[at] = positions[sequence] + offset
                self._batch.n_seq_id[at] = 1
                self._batch.seq_id[at][0] = sequence
                self._batch.logits[at] = want
                wanted += [at] if want else []
                at += 1
        if len(wanted) > OUTPUTS:
            raise ModelError(f"{len(wanted)} outputs asked of one call, at most {OUTPUTS}")
        self._batch.n_tokens = count
        code = self._c.llama_decode(self._context, self._batch)
        if code:
            self.forget()
            raise ModelError(f"the engine refused a batch (code {code})", remedy=self.last_words())
        self.written += count if generated else 0
        self.read += 0 if generated else count
        if not wanted:
            return None
        result = np.empty((len(wanted), self._size), np.float32)
        for row, index in enumerate(wanted):
            pointer = self._c.llama_get_logits_ith(self._context, index)
            result[row] = np.ctypeslib.as_array(pointer, (self._size,))
        return result

    def forget(self) -> None:
        """Drop all sequences, the prefix too."""
        if self._context is not None:
            self._c.llama_memory_clear(self._memory, True)
        self.prefix = []

    def last_words(self) -> str:
        """The library's last complaint, on one line."""
        return " ".join(list(self._log)[-2:])[:300]

    def close(self) -> None:
        """Free everything."""
        self._free_context()
        if self._model is not None:
            self._c.llama_model_free(self._model)
            self._model = None

    # -- inside ---------------------------------------------------------------------------

    def _check(self, rows: Mapping[int, Sequence[int]], positions: Mapping[int, int]) -> int:
        lengths = {len(tokens) for tokens in rows.values()}
        count = sum(len(tokens) for tokens in rows.values())
        if len(lengths) != 1 or not 0 < count <= BATCH:
            raise ModelError(f"a batch of {count} tokens in rows of {sorted(lengths)} lengths")
        for sequence, tokens in rows.items():
            end = int(self._c.llama_memory_seq_pos_max(self._memory, sequence)) + 1
            if positions[sequence] != end or end + len(tokens) > self._cells:
                raise ModelError(f"sequence {sequence} ends at {end}, not {positions[sequence]}")
            if not all(0 <= token < self._size for token in tokens):
                raise ModelError("a token outside the vocabulary")
        return count

    def _remove(self, sequence: int, start: int) -> bool:
        return bool(self._c.llama_memory_seq_rm(self._memory, sequence, start, -1))

    def _catch_log(self) -> None:
        def keep(level: int, text: bytes, _data: Any) -> None:
            if level >= 3 and text:  # warnings and errors
                self._log.append(text.decode("utf-8", "replace").strip())

        self._logger = self._c.llama_log_callback(keep)  # must live as long as the library
        self._c.llama_log_set(self._logger, ctypes.c_void_p())

    def _load(self) -> Any:
        settings = self._settings
        path = Path(settings.path)
        check_memory(path.stat().st_size, "the model", "setting model.path")
        parameters = self._c.llama_model_default_params()
        parameters.n_gpu_layers = settings.gpu_layers
        # Repacked weights double the memory of a mapped file; K-quants are slower repacked.
        repack = not _is_k_quant(path)
        parameters.use_extra_bufts = repack
        parameters.load_mode = (
            self._c.LLAMA_LOAD_MODE_NONE if repack else self._c.LLAMA_LOAD_MODE_MMAP
        )
        model = self._c.llama_model_load_from_file(str(path).encode(), parameters)
        if not model:
            raise load_error(path, " ".join(self._log))
        if not self._c.llama_model_has_decoder(model) or self._c.llama_model_has_encoder(model):
            self._c.llama_model_free(model)
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
        for token in range(self._size):
            count = self._c.llama_token_to_piece(self._vocab, token, buffer, 512, 0, False)
            pieces.append(buffer.raw[: max(0, count)])
            if self._c.llama_vocab_is_eog(self._vocab, token):
                stops.add(token)
            if self._c.llama_vocab_get_attr(self._vocab, token) & (_CONTROL | _USER_DEFINED):
                controls.add(token)
        return Vocabulary(pieces, frozenset(stops), frozenset(controls))

    def _bytes_per_token(self) -> int:
        """Bytes of keys and values that one token takes, 16-bit."""
        architecture = self.metadata("general.architecture") or ""
        heads = max(1, int(self._c.llama_model_n_head(self._model)))
        size = int(self._c.llama_model_n_embd(self._model)) // heads
        key = int(self.metadata(f"{architecture}.attention.key_length") or size)
        value = int(self.metadata(f"{architecture}.attention.value_length") or size)
        layers = int(self._c.llama_model_n_layer(self._model))
        return layers * max(1, int(self._c.llama_model_n_head_kv(self._model))) * (key + value) * 2

    def _make_context(self, cells: int, sequences: int, total: int) -> None:
        self._free_context()
        settings = self._settings
        need = total * self._bytes_per_token()
        check_memory(need, "keys and values", "setting model.cache_memory")
        parameters = self._c.llama_context_default_params()
        parameters.n_seq_max = sequences
        parameters.kv_unified = not settings.exact
        parameters.n_ctx = total  # if not unified, divided among the sequences
        parameters.n_batch = parameters.n_ubatch = BATCH
        parameters.n_outputs_max = OUTPUTS
        parameters.n_threads = parameters.n_threads_batch = settings.threads or idle_cores()
        parameters.flash_attn_type = (
            self._c.LLAMA_FLASH_ATTN_TYPE_ENABLED
            if settings.flash_attention
            else self._c.LLAMA_FLASH_ATTN_TYPE_DISABLED
        )
        self._context = self._c.llama_init_from_model(self._model, parameters)
        if not self._context:
            raise ModelError(
                f"no context of {total} tokens could be made",
                where="settings model.context, model.parallel, model.cache_memory",
                remedy="Lower one of them. " + self.last_words(),
            )
        self._memory = self._c.llama_get_memory(self._context)
        self._batch = self._c.llama_batch_init(BATCH, 0, 1)
        self._cells, self._sequences = cells, sequences

    def _free_context(self) -> None:
        if self._batch is not None:
            self._c.llama_batch_free(self._batch)
        if self._context is not None:
            self._c.llama_free(self._context)
        self._batch = self._context = None
        self.prefix, self._cells, self._sequences = [], 0, 0


def common_length(left: Sequence[int], right: Sequence[int]) -> int:
    """How many tokens the two have in common from the start."""
    length = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        length += 1
    return length


def _is_k_quant(path: Path) -> bool:
    return "_k" in path.stem.lower()
