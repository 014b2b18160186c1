"""Makes GGUF files with random weights: real shapes and a real tokeniser, no knowledge at all.

They serve to test and time the engine. What they write is noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
_TRAINING = [
    "the city court of appeal heard the case in March 1996 and gave judgment on 4 May 1997",
    "she worked as a nurse at a hospital in the north of the country for eleven years",
    "guesses for the number in square brackets, one per line, the most likely first",
    "a public body, a town in the east, a private company, a member of the family",
    "the applicant was born in 1961 and lived near the river with two brothers and a sister",
    "private details were replaced; the list after the text says what readers see there now",
    "his employer paid between 20,000 and 50,000 pounds to settle the claim before the hearing",
] * 3
_SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]


@dataclass(frozen=True, slots=True)
class Shape:
    """The size of a model of the Qwen2 family."""

    layers: int = 1
    width: int = 64
    hidden: int = 128
    heads: int = 2
    kv_heads: int = 1
    vocabulary: int = 0  # padded to this with made-up words; 0: just the tokeniser's own
    context: int = 8192


TINY = Shape()
HALF_BILLION = Shape(24, 896, 4864, 14, 2, 151_936, 32_768)


def write_model(
    path: Path,
    shape: Shape = TINY,
    *,
    quantisation: str = "Q4_0",
    template: str | None = CHATML,
    architecture: str = "qwen2",
    corpus: Sequence[str] = (),
    sentencepiece: bool = False,
    seed: int = 0,
) -> Path:
    """Write one model file.

    Args:
        path: where to; written whole or not at all.
        shape: its size.
        quantisation: "Q4_0", "Q8_0" or "F32" for the large tensors.
        template: chat template, None for none.
        architecture: the name the file gives itself; the tensors are Qwen2's whatever it is.
        corpus: texts that the tokeniser learns its words from, beside a few of its own.
        sentencepiece: a vocabulary of SentencePiece's kind, as Mistral's and Gemma's.
        seed: of the weights.
    """
    from gguf import GGUFWriter

    part = path.with_suffix(".part")
    writer = GGUFWriter(part, architecture)
    _parameters(writer, shape)
    if sentencepiece:
        vocabulary = _sentencepiece(writer)
    else:
        vocabulary = _vocabulary(writer, shape.vocabulary, corpus)
    if template is not None:
        writer.add_chat_template(template)
    _tensors(writer, shape, vocabulary, quantisation, np.random.default_rng(seed))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    part.replace(path)
    return path


def train_tokeniser(corpus: Sequence[str] = ()) -> tuple[list[str], list[str]]:
    """A byte-level BPE vocabulary and its merges, as a GGUF file wants them."""
    import json

    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokeniser = Tokenizer(models.BPE())
    tokeniser.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=3000 if corpus else 500,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokeniser.train_from_iterator([*_TRAINING, *corpus], trainer)
    model = json.loads(tokeniser.to_str())["model"]
    tokens = sorted(model["vocab"], key=model["vocab"].get)
    merges = [" ".join(pair) if isinstance(pair, list) else pair for pair in model["merges"]]
    return tokens, merges


def _parameters(writer: Any, shape: Shape) -> None:
    writer.add_context_length(shape.context)
    writer.add_embedding_length(shape.width)
    writer.add_block_count(shape.layers)
    writer.add_feed_forward_length(shape.hidden)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.kv_heads)
    writer.add_rope_freq_base(1e6)
    writer.add_layer_norm_rms_eps(1e-6)


def _vocabulary(writer: Any, padded: int, corpus: Sequence[str]) -> int:
    from gguf import TokenType

    tokens, merges = train_tokeniser(corpus)
    types = [TokenType.NORMAL] * len(tokens)
    filler = max(0, padded - len(tokens) - len(_SPECIAL))
    tokens += [f"Ġ{_syllables(index)}" for index in range(filler)]
    types += [TokenType.NORMAL] * filler
    tokens += _SPECIAL
    types += [TokenType.CONTROL] * len(_SPECIAL)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(tokens)
    writer.add_token_types(types)
    writer.add_token_merges(merges)
    writer.add_eos_token_id(len(tokens) - 1)
    writer.add_bos_token_id(len(tokens) - 3)
    writer.add_add_bos_token(False)
    return len(tokens)


def _sentencepiece(writer: Any) -> int:
    """Control tokens, bytes, letters and words; longer pieces score higher, as if merged later."""
    from gguf import TokenType

    words = sorted({f"▁{word}" for text in _TRAINING for word in text.split()})
    pieces = {word[:end] for word in words for end in range(1, len(word) + 1)}
    pieces |= {word[start:] for word in words for start in range(1, len(word))}
    texts = sorted(pieces, key=lambda piece: (len(piece), piece))
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *texts]
    types = [TokenType.UNKNOWN, TokenType.CONTROL, TokenType.CONTROL]
    types += [TokenType.BYTE] * 256 + [TokenType.NORMAL] * len(texts)
    scores = [0.0] * 259 + [-1000.0 / len(piece) for piece in texts]
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores(scores)
    writer.add_token_types(types)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_add_bos_token(True)
    return len(tokens)


def _syllables(index: int) -> str:
    """A made-up word, different for every number."""
    word = ""
    for _ in range(4):
        index, rest = divmod(index, 80)
        word += "bdfghjklmnprstvz"[rest % 16] + "aeiou"[rest // 16]
    return word


def _tensors(
    writer: Any, shape: Shape, vocabulary: int, quantisation: str, random: np.random.Generator
) -> None:
    width, kv = shape.width, shape.width // shape.heads * shape.kv_heads
    large = "Q8_0" if quantisation == "Q4_0" else quantisation  # tied output, as quantisers do
    _add(writer, "token_embd.weight", (vocabulary, width), large, random)
    writer.add_tensor("output_norm.weight", np.ones(width, np.float32))
    for layer in range(shape.layers):
        name = f"blk.{layer}"
        for norm in ("attn_norm", "ffn_norm"):
            writer.add_tensor(f"{name}.{norm}.weight", np.ones(width, np.float32))
        for part, rows in (("attn_q", width), ("attn_k", kv), ("attn_v", kv)):
            _add(writer, f"{name}.{part}.weight", (rows, width), quantisation, random)
            writer.add_tensor(f"{name}.{part}.bias", np.zeros(rows, np.float32))
        _add(writer, f"{name}.attn_output.weight", (width, width), quantisation, random)
        for part in ("ffn_gate", "ffn_up"):
            _add(writer, f"{name}.{part}.weight", (shape.hidden, width), quantisation, random)
        _add(writer, f"{name}.ffn_down.weight", (width, shape.hidden), quantisation, random)


def _add(
    writer: Any, name: str, size: tuple[int, int], kind: str, random: np.random.Generator
) -> None:
    """A random tensor, made in its quantised form at once: that is quick at any size."""
    from gguf import GGMLQuantizationType

    rows, columns = size
    scale = 1.0 / np.sqrt(columns)
    if kind == "F32":
        writer.add_tensor(name, random.normal(0.0, scale, size).astype(np.float32))
        return
    payload, deviation = {"Q4_0": (16, 4.6), "Q8_0": (32, 74.0)}[kind]
    blocks = rows * columns // 32
    raw = np.empty((blocks, 2 + payload), np.uint8)
    raw[:, :2] = np.frombuffer(np.float16(scale / deviation).tobytes(), np.uint8)
    raw[:, 2:] = random.integers(0, 256, (blocks, payload), dtype=np.uint8)
    writer.add_tensor(
        name,
        raw.reshape(rows, columns // 32 * (2 + payload)),
        raw_dtype=GGMLQuantizationType[kind],
    )
