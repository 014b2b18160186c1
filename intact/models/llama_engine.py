"""llama.cpp at the level of tokens: one prefix, many sequences that branch from it.

Sequence 0 holds the prefix; sequences 1 to ``slots`` hold the questions. What the C library
answers with an abort (an oversized batch, a position gap) is checked here before the call, and
the engine is meant to live in a process of its own (``worker.py``) all the same.

The prefix is kept once for all sequences. An answer does not depend on what was asked before, but
its sums may differ in the last digits with what is decoded beside it. With ``exact`` every sequence
has its own stretch of memory, and one call feeds equally many tokens to each (flash attention off);
then an answer does not depend on its neighbours, not in the last bit, at 1.4 times the time and
far more memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intact.errors import ContextError, ModelError
from intact.models.llama_file import LlamaFile
from intact.models.machine import check_memory, idle_cores

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BATCH = 512
OUTPUTS = 128  # a multiple of 16: the library's kernels take 16 rows at a time
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
    extra_buffers: bool = True  # whether weights may be repacked for the processor's own kernels


class Engine:
    """A loaded model and its context. Not thread-safe.

    Attributes:
        file: the model's file.
        limit: tokens that one sequence may have.
        slots: sequences that may branch from the prefix.
        width: sequences that are best decoded in one call.
        exact: see above.
        read: tokens evaluated so far as parts of prompts, prefixes included.
        written: tokens evaluated so far that had been generated.

    Raises:
        MissingExtraError: llama-cpp-python is not installed.
        ModelError: the file cannot be loaded; the message says why and which setting to change.
    """

    def __init__(self, settings: EngineSettings) -> None:
        self.file = LlamaFile(Path(settings.path), settings.gpu_layers, settings.extra_buffers)
        self._c = self.file.library
        self._settings = settings
        self._context: Any = None
        self._batch: Any = None
        self.limit = min(settings.context, self.file.trained)
        self.width = settings.parallel
        self.exact = settings.exact
        self.prefix: list[int] = []
        self.slots = 0
        self.read = self.written = 0
        self._sequences = 0  # that the context has, the prefix included
        self._cells = 0  # tokens that one sequence (exact) or all together may have

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
            trained = self.file.trained
            hint = (
                f"Raise it to {tokens} or more (the model was trained on {trained})."
                if tokens <= trained
                else f"The model was trained on {trained} tokens; choose one with more."
            )
            raise ContextError(
                f"a prompt and its answer take {tokens} tokens, the context is {self.limit}",
                where="setting model.context",
                remedy=hint,
            )
        longest = -(-tokens // _GRAIN) * _GRAIN
        affordable = int(self._settings.cache_memory * 1e9 / self.file.bytes_per_token())
        if self.exact:
            if longest > self._cells:
                slots = max(1, min(self.width, affordable // longest - 1))
                self._make_context(longest, slots + 1, longest * (slots + 1))
            self.slots = self._sequences - 1
            return
        own = -(-min(tail or tokens, tokens) // _OWN_GRAIN) * _OWN_GRAIN
        most = min(255, 2 * self.width - 1)  # one call's worth, and what is left over of the next
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
    ) -> list[NDArray[np.float32]]:
        """Evaluate one call's worth of tokens.

        Args:
            rows: sequence -> its next tokens; equally many for each, if exact.
            positions: sequence -> the position of the first of them.
            outputs: True for the logits after each sequence's last token, "all" for those after
                every token, False for none.
            generated: whether to count them as written rather than read.

        Returns:
            Logits, each of shape (vocabulary,), in ascending order of sequences. They are the
            library's own memory: the next call overwrites them.

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
            raise ModelError(
                f"the engine refused a batch (code {code})", remedy=self.file.last_words()
            )
        self.written += count if generated else 0
        self.read += 0 if generated else count
        pointers = (self._c.llama_get_logits_ith(self._context, index) for index in wanted)
        return [np.ctypeslib.as_array(pointer, (self.file.size,)) for pointer in pointers]

    def forget(self) -> None:
        """Drop all sequences, the prefix too."""
        if self._context is not None:
            self._c.llama_memory_clear(self._memory, True)
        self.prefix = []

    def close(self) -> None:
        """Free everything."""
        self._free_context()
        self.file.close()

    # -- inside ---------------------------------------------------------------------------

    def _check(self, rows: Mapping[int, Sequence[int]], positions: Mapping[int, int]) -> int:
        lengths = {len(tokens) for tokens in rows.values()}
        count = sum(len(tokens) for tokens in rows.values())
        uneven = len(lengths) != 1 if self.exact else 0 in lengths
        if uneven or not 0 < count <= BATCH:
            raise ModelError(f"a batch of {count} tokens in rows of {sorted(lengths)} lengths")
        for sequence, tokens in rows.items():
            end = int(self._c.llama_memory_seq_pos_max(self._memory, sequence)) + 1
            if positions[sequence] != end or end + len(tokens) > self._cells:
                raise ModelError(f"sequence {sequence} ends at {end}, not {positions[sequence]}")
            if not all(0 <= token < self.file.size for token in tokens):
                raise ModelError("a token outside the vocabulary")
        return count

    def _remove(self, sequence: int, start: int) -> bool:
        return bool(self._c.llama_memory_seq_rm(self._memory, sequence, start, -1))

    def _make_context(self, cells: int, sequences: int, total: int) -> None:
        self._free_context()
        settings = self._settings
        need = total * self.file.bytes_per_token()
        check_memory(need, "keys and values", "setting model.cache_memory")
        parameters = self._c.llama_context_default_params()
        parameters.n_seq_max = sequences
        parameters.kv_unified = not self.exact
        parameters.n_ctx = total  # if not unified, divided among the sequences
        parameters.n_batch = parameters.n_ubatch = BATCH
        parameters.n_outputs_max = OUTPUTS
        parameters.n_threads = parameters.n_threads_batch = settings.threads or idle_cores()
        parameters.flash_attn_type = (
            self._c.LLAMA_FLASH_ATTN_TYPE_ENABLED
            if settings.flash_attention
            else self._c.LLAMA_FLASH_ATTN_TYPE_DISABLED
        )
        self._context = self._c.llama_init_from_model(self.file.handle, parameters)
        if not self._context:
            raise ModelError(
                f"no context of {total} tokens could be made",
                where="settings model.context, model.parallel, model.cache_memory",
                remedy="Lower one of them. " + self.file.last_words(),
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
