"""Measure our llama.cpp engine beside a plain loop over llama_decode: same file, threads and batch.

Reading is a prompt in batches of 512; writing is greedy, one answer and eight side by side, what
their questions take to read left out. Rounds of both alternate; each figure is the best of its
rounds. Processor time compares two programs on a busy machine (``--wall``: the clock); with one
thread it is the time that an idle machine needs.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from intact.config import ModelSettings
from intact.models.llamacpp import LlamaModel
from intact.models.load import locate
from intact.protocols import CompletionRequest

READ, WRITTEN, BESIDE, ROUNDS = 512, 40, 8, 3
SENTENCE = "The court heard the case of the nurse in March, and her sister gave evidence. "


class Plain:
    """A loop over llama.cpp itself: no prompt, no grammar, no texts."""

    def __init__(self, model: LlamaModel, sequences: int) -> None:
        self.lib, self.model = model._lib, model
        own = self.lib.llama_context_default_params()
        own.n_seq_max, own.n_ctx = sequences, 2048 * sequences
        own.n_batch = own.n_ubatch = 512
        own.kv_unified = False
        own.flash_attn_type = self.lib.LLAMA_FLASH_ATTN_TYPE_DISABLED
        own.n_threads = own.n_threads_batch = model._settings.threads
        self.context = self.lib.llama_init_from_model(model._model, own)
        self.batch = self.lib.llama_batch_init(512, 0, 1)
        chain = self.lib.llama_sampler_chain_default_params()
        self.chain = self.lib.llama_sampler_chain_init(chain)
        self.lib.llama_sampler_chain_add(self.chain, self.lib.llama_sampler_init_greedy())

    def decode(self, rows: list[tuple[int, int, int, bool]]) -> None:
        """Feed tokens, each with its position, sequence, and whether logits are wanted."""
        self.batch.n_tokens = len(rows)
        for at, (token, position, sequence, wanted) in enumerate(rows):
            self.batch.token[at], self.batch.pos[at] = token, position
            self.batch.n_seq_id[at], self.batch.seq_id[at][0] = 1, sequence
            self.batch.logits[at] = wanted
        assert self.lib.llama_decode(self.context, self.batch) == 0

    def read(self, tokens: list[int], sequence: int = 0) -> None:
        """Read a prompt."""
        memory = self.lib.llama_get_memory(self.context)
        self.lib.llama_memory_seq_rm(memory, sequence, -1, -1)
        for at in range(0, len(tokens), 512):
            some = tokens[at : at + 512]
            self.decode([(t, at + n, sequence, n == len(some) - 1) for n, t in enumerate(some)])

    def write(self, tokens: list[int], sequences: int, count: int) -> None:
        """Write so many tokens to each of some sequences that hold the prompt."""
        last = [tokens[-1]] * sequences
        for n in range(count):
            self.decode([(t, len(tokens) + n, at, True) for at, t in enumerate(last)])
            last = [
                int(self.lib.llama_sampler_sample(self.chain, self.context, at))
                for at in range(sequences)
            ]

    def close(self) -> None:
        """Free the context."""
        self.lib.llama_sampler_free(self.chain)
        self.lib.llama_batch_free(self.batch)
        self.lib.llama_free(self.context)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", type=Path)
    parser.add_argument("--name", default="smollm2-135m")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--wall", action="store_true")
    arguments = parser.parse_args()
    clock = time.perf_counter if arguments.wall else time.process_time
    asked = {"path": arguments.model} if arguments.model else {"name": arguments.name}
    settings = ModelSettings(context=2048, threads=arguments.threads, **asked)
    path = locate(settings)
    began = time.perf_counter()
    model = LlamaModel(settings, path)
    print(f"{path.name}: loaded in {time.perf_counter() - began:.1f} s, {_memory():.2f} GB")
    for name, ours, theirs in measure(model, clock):
        share = f"{100 * ours / theirs:.0f} %"
        print(f"{name:<34}{ours:8.1f}{theirs:8.1f} tokens/s {share:>6}", flush=True)
    print(f"at most {_memory():.2f} GB")
    model.close()


def measure(model: LlamaModel, clock: Callable[[], float]) -> Iterator[tuple[str, float, float]]:
    """Yield what was measured: its name, our tokens a second, and llama.cpp's own."""
    one, eight = Plain(model, 1), Plain(model, BESIDE)
    content = SENTENCE * (READ // model.count([SENTENCE])[0])
    tokens = model._prompt(content)
    short, written = model._prompt(SENTENCE * 8), [0]

    def timed(work: Callable[[], Any], amount: int) -> float:
        began = clock()
        work()
        return amount / (clock() - began)

    def ask(count: int, places: tuple[int, ...], most: int) -> float:
        asked = [
            CompletionRequest(SENTENCE * 8, f"Tell it {n}\n", places, most) for n in range(count)
        ]
        began, before = clock(), model.written
        model.complete(asked)
        written[0] = model.written - before
        return clock() - began

    def reading() -> None:
        model._memory._states.clear()
        model.complete([CompletionRequest(content, "", max_tokens=1)])

    rounds = [
        (timed(reading, len(tokens)), timed(lambda: one.read(tokens), len(tokens)))
        for _ in range(ROUNDS)
    ]
    yield ("read", *map(max, zip(*rounds, strict=True)))
    for count, plain in ((1, one), (BESIDE, eight)):
        for name, places in (("written", ()), ("written in lines", tuple(range(1, 5)))):
            ours = theirs = 0.0
            ask(count, places, WRITTEN)
            for _ in range(ROUNDS):
                seconds = ask(count, places, WRITTEN)
                amount = written[0] - count
                ours = max(ours, amount / (seconds - ask(count, (), 1)))
                for sequence in range(count):
                    plain.read(short, sequence)
                began = clock()
                plain.write(short, count, WRITTEN)
                theirs = max(theirs, count * WRITTEN / (clock() - began))
            yield f"{name}, {count} at a time", ours, theirs
    one.close()
    eight.close()


def _memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


if __name__ == "__main__":
    main()
