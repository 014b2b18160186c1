"""One tiny model in two engines: the same answers, up to the numerics docs/models.md names."""

import json

import pytest

from intact.config import ModelSettings
from intact.models.load import load_model
from intact.protocols import CompletionRequest

for package in ("torch", "transformers", "llama_cpp", "gguf"):
    pytest.importorskip(package)

PARTS = {
    "token_embd.weight": "model.embed_tokens.weight",
    "output_norm.weight": "model.norm.weight",
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "attn_output": "self_attn.o_proj",
    **{f"attn_{part}": f"self_attn.{part}_proj" for part in "qkv"},
    **{f"ffn_{part}": f"mlp.{part}_proj" for part in ("gate", "up", "down")},
}
TEXT = "She worked as a nurse at a hospital in the north. The court heard the case.\n" * 3
FREE = [
    CompletionRequest(TEXT, f"guesses for [{n}]:\n", max_tokens=24, temperature=0.0, seed=n)
    for n in range(4)
]
LINES = [
    CompletionRequest(TEXT, f"guesses for [{n}]:\n", (1, 2, 3), 48, heat, n)
    for n, heat in enumerate((0.0, 0.3, 0.8))
]


@pytest.fixture(scope="module")
def gguf_twin(maker, tmp_path_factory):
    return maker.write_model(tmp_path_factory.mktemp("twin") / "twin.gguf", quantisation="F32")


@pytest.fixture(scope="module")
def folder_twin(maker, gguf_twin):
    """The same weights and words in Hugging Face's format."""
    import torch
    from gguf import GGUFReader
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

    reader = GGUFReader(gguf_twin)

    def told(key):
        return reader.fields[key].contents()

    weights = {}
    for tensor in reader.tensors:
        layer, _, name = tensor.name.removeprefix("blk.").partition(".")
        part, _, kind = name.rpartition(".")
        own = PARTS.get(tensor.name) or f"model.layers.{layer}.{PARTS[part]}.{kind}"
        weights[own] = torch.from_numpy(tensor.data.copy()).float()
    words = told("tokenizer.ggml.tokens")
    vocabulary = {word: number for number, word in enumerate(words)}
    merges = [tuple(merge.split(" ")) for merge in told("tokenizer.ggml.merges")]
    core = Tokenizer(models.BPE(vocabulary, merges))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=core,
        eos_token="<|im_end|>",
        additional_special_tokens=["<|endoftext|>", "<|im_start|>"],
        chat_template=maker.CHATML,
    )
    config = Qwen2Config(
        vocab_size=len(words),
        hidden_size=told("qwen2.embedding_length"),
        intermediate_size=told("qwen2.feed_forward_length"),
        num_hidden_layers=told("qwen2.block_count"),
        num_attention_heads=told("qwen2.attention.head_count"),
        num_key_value_heads=told("qwen2.attention.head_count_kv"),
        rms_norm_eps=told("qwen2.attention.layer_norm_rms_epsilon"),
        rope_theta=told("qwen2.rope.freq_base") if "qwen2.rope.freq_base" in reader.fields else 1e4,
        max_position_embeddings=1024,
        eos_token_id=vocabulary["<|im_end|>"],
        tie_word_embeddings=True,
    )
    model = Qwen2ForCausalLM(config)
    missing = model.load_state_dict(weights, strict=False).missing_keys
    assert missing == ["lm_head.weight"]  # tied
    path = gguf_twin.parent / "twin"
    model.save_pretrained(path)
    tokenizer.save_pretrained(path)
    assert json.loads((path / "config.json").read_text())["tie_word_embeddings"]
    return path


@pytest.fixture(scope="module")
def llama(gguf_twin):
    model = load_model(ModelSettings(path=gguf_twin, context=1024, threads=1))
    yield model
    model.close()


@pytest.fixture(scope="module")
def torch_model(folder_twin):
    settings = {"backend": "transformers", "path": folder_twin}
    return load_model(ModelSettings(**settings, context=1024, parallel=1))


def agreeing(ours, theirs):
    """Count the answers that begin alike: noise decides between words that are equally likely."""
    return sum(one[:12] == other[:12] for one, other in zip(ours, theirs, strict=True))


def test_the_processor_engines_agree(llama, torch_model):
    for asked in (FREE, LINES):
        ours = [done.text for done in llama.complete(asked)]
        theirs = [done.text for done in torch_model.complete(asked)]
        assert agreeing(ours, theirs) == len(asked), (ours, theirs)
