"""The memory of llama.cpp: a context of several sequences, and the states of prefixes.

Each sequence has memory of its own, and flash attention is off, so that no answer depends on what
is computed beside it. A shared prefix is read once, and its state is put into every sequence. The
last states are kept, so that a role that asks again about a document reads nothing twice.
"""

import ctypes
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from intact.config import ModelSettings
from intact.english.vocabulary import vocabulary
from intact.errors import ModelError
from intact.models.local import common_length
from intact.processes import idle_cores

# Words of the library's log, separated by "|" -> (problem, remedy).
_LOAD_ERRORS: Mapping[str, tuple[str, str]] = vocabulary("texts")["load_errors"]
_BATCH = 512  # tokens of one decode; a longer one ends the process


class Sequences:
    """The sequences in which a model answers.

    Args:
        library: the C interface.
        model: as it was loaded.
        threads: that compute; 0 for as many as there are idle cores.
        length: the most tokens that a sequence may have.

    Attributes:
        read: tokens read so far, without those that were written.
        context: the library's, None before ``make_room``.
    """

    def __init__(self, library: Any, model: Any, threads: int, length: int) -> None:
        self._lib, self._model = library, model
        self._threads, self._length = threads, length
        self._shape = (0, 0)  # how many sequences, and tokens of each
        self._states: list[tuple[list[int], Any]] = []  # of prefixes, the latest last
        self._batch = library.llama_batch_init(_BATCH, 0, 1)
        self.context: Any = None
        self.read = 0

    def close(self) -> None:
        """Free the context and the batch."""
        self.forget()
        self._lib.llama_batch_free(self._batch)

    def forget(self) -> None:
        """Free the context; states of prefixes are kept."""
        if self.context is not None:
            self._lib.llama_free(self.context)
        self.context, self._shape = None, (self._shape[0], 0)

    def make_room(self, sequences: int, tokens: int) -> None:
        """Make a context that is large enough, if the present one is not; that one is freed then.
        Raise a ``ModelError`` if memory is too short.

        Args:
            sequences: the least number of sequences.
            tokens: the least number of tokens of each.
        """
        if self._shape[0] >= sequences and self._shape[1] >= tokens:
            return
        self.forget()
        if sequences != self._shape[0]:  # a state fits contexts of as many sequences only
            self._states.clear()
        lib, each = self._lib, self._length
        if sequences > 1:
            each = min(each, -(-tokens // 256) * 256)
        own = lib.llama_context_default_params()
        own.n_seq_max, own.n_ctx = sequences, each * sequences
        own.n_batch = own.n_ubatch = _BATCH
        own.kv_unified = False
        own.flash_attn_type = lib.LLAMA_FLASH_ATTN_TYPE_DISABLED
        own.n_threads = own.n_threads_batch = self._threads or idle_cores()
        self.context = lib.llama_init_from_model(self._model, own) or None
        if self.context is None:
            raise _load_error("the context", "out of memory")
        self._memory = lib.llama_get_memory(self.context)
        self._shape = (sequences, each)

    def decode(self, rows: Sequence[tuple[int, int, int, bool]]) -> None:
        """Have the library compute the states of some tokens, and the logits where they are wanted.
        Raise a ``ModelError`` if it refuses.

        Args:
            rows: (token, position, sequence, whether its logits are wanted) of each token; at most
                512.
        """
        batch = self._batch
        batch.n_tokens = len(rows)
        for at, (token, position, sequence, wanted) in enumerate(rows):
            batch.token[at], batch.pos[at], batch.logits[at] = token, position, wanted
            batch.n_seq_id[at], batch.seq_id[at][0] = 1, sequence
        if failed := self._lib.llama_decode(self.context, batch):
            raise ModelError(f"the library refused a batch ({failed})")

    def feed(self, sequence: int, at: int, tokens: Sequence[int]) -> int:
        """Read tokens into a sequence.

        Args:
            sequence: its number, from 0.
            at: the position of the first token, from 0.
            tokens: at least one.

        Returns:
            The row of the last token's logits.
        """
        self.read += len(tokens)
        for begin in range(0, len(tokens), _BATCH):
            some = tokens[begin : begin + _BATCH]
            last = len(some) - 1
            self.decode([(t, at + begin + n, sequence, n == last) for n, t in enumerate(some)])
        return last

    def read_prefix(self, tokens: list[int]) -> Any:
        """Return the state of a sequence that holds a prefix and nothing else, and keep it. The
        tokens that it shares with a kept state are not read again; the oldest states are dropped
        when all together have more than twice the tokens of a sequence. The content of sequence 0
        is lost unless a state of the whole prefix was kept already. Raise a ``ModelError`` if the
        library gives no state."""
        lib = self._lib
        states = [([], None), *self._states]
        known, state = max(states, key=lambda one: common_length(one[0], tokens))
        shared = common_length(known, tokens)
        if known != tokens:
            self.put(0, state if shared else None)
            if shared and not lib.llama_memory_seq_rm(self._memory, 0, shared, -1):
                self.put(0, None)  # it can be cut nowhere
                shared = 0
            if shared < len(tokens):
                self.feed(0, shared, tokens[shared:])
            state = (ctypes.c_uint8 * lib.llama_state_seq_get_size(self.context, 0))()
            if not lib.llama_state_seq_get_data(self.context, state, len(state), 0):
                raise ModelError("the library gave no state")
        self._states = [one for one in self._states if one[0] != tokens] + [(tokens, state)]
        while sum(len(one) for one, _ in self._states) > 2 * self._length:
            del self._states[0]
        return state

    def put(self, sequence: int, state: Any) -> None:
        """Make a sequence hold a state, and nothing else. Raise a ``ModelError`` if the library
        refuses it.

        Args:
            sequence: its number, from 0.
            state: see ``read_prefix``; None empties the sequence.
        """
        lib = self._lib
        lib.llama_memory_seq_rm(self._memory, sequence, -1, -1)
        if state is not None and not lib.llama_state_seq_set_data(
            self.context, state, len(state), sequence
        ):
            raise ModelError("the library refused a state")

    def move(self, sequence: int, to: int) -> None:
        """Move the content of a sequence to another. The library does so at its next decode, so the
        sequence must not be given a state before that.

        Args:
            sequence: its number, from 0.
            to: the number of the other, whose content is lost.
        """
        self._lib.llama_memory_seq_cp(self._memory, sequence, to, -1, -1)


def load_weights(
    lib: Any, settings: ModelSettings, path: Path, extra_buffers: bool
) -> tuple[Any, Any]:
    """Load the weights of a GGUF file. Return the model, and an object that must be kept as long as
    the model.

    Args:
        lib: the C interface of llama.cpp.
        settings: section ``model``; ``gpu_layers`` below 0 means all layers.
        path: of the file.
        extra_buffers: whether weights may be repacked for the processor's own kernels.

    Raises:
        ModelError: if the file cannot be loaded, or holds no model that writes text.
    """
    log: deque[str] = deque(maxlen=40)

    def keep(level: int, text: bytes, _data: Any) -> None:
        """Collect the library's warnings and errors, to quote them if loading fails.

        Args:
            level: of the library; 3 is a warning, 4 an error.
            text: a line, or a part of one.
            _data: not used.
        """
        if level >= 3 and text:  # warnings and errors
            log.append(text.decode("utf-8", "replace").strip())

    callback = lib.llama_log_callback(keep)
    lib.llama_log_set(callback, ctypes.c_void_p())
    lib.llama_backend_init()
    # Repacked weights double the memory of a mapped file; K-quants are slower repacked.
    repack = extra_buffers and "_k" not in path.stem.lower()
    own = lib.llama_model_default_params()
    own.use_extra_bufts = repack
    own.load_mode = lib.LLAMA_LOAD_MODE_NONE if repack else lib.LLAMA_LOAD_MODE_MMAP
    own.n_gpu_layers = settings.gpu_layers if settings.gpu_layers >= 0 else 1000
    model = lib.llama_model_load_from_file(str(path).encode(), own)
    if not model:
        raise _load_error(path.name, " ".join(log))
    if not lib.llama_model_has_decoder(model) or lib.llama_model_has_encoder(model):
        lib.llama_model_free(model)
        problem = "the file holds no model that writes text"
        raise ModelError(problem, where=f"setting model.path, {path.name}")
    return model, callback


def _load_error(file: str, log: str) -> ModelError:
    """Make the error that explains why a file did not load: with a remedy if the library's log
    holds words of a known problem, else with the end of the log."""
    low = log.lower()
    for signs, (problem, remedy) in _LOAD_ERRORS.items():
        if any(sign in low for sign in signs.split("|")):
            return ModelError(problem, where=f"setting model.path, {file}", remedy=remedy)
    problem = f"llama.cpp cannot load the file ({log[-200:] or 'it gives no reason'})"
    return ModelError(problem, where=f"setting model.path, {file}")
