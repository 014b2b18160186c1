"""The transformers backend on a tiny random model made from a configuration."""

import json

import pytest

from intact.config import ModelSettings
from intact.errors import ConfigError, ContextError, ModelError
from intact.protocols import CompletionRequest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from intact.models.load import load_model

DOCUMENT = "She worked as a nurse at a hospital in the north. The court heard the case.\n" * 4
CHATML = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)


@pytest.fixture(scope="module")
def folder(maker, tmp_path_factory):
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

    path = tmp_path_factory.mktemp("hf") / "tiny"
    tokens, merges = maker.train_tokeniser()
    vocabulary = {token: number for number, token in enumerate(tokens)}
    core = Tokenizer(models.BPE(vocabulary, [tuple(merge.split(" ")) for merge in merges]))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=core,
        eos_token="<|im_end|>",
        additional_special_tokens=["<|im_start|>"],
        chat_template=CHATML,
    )
    torch.manual_seed(0)
    config = Qwen2Config(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=1024,
        eos_token_id=tokenizer.eos_token_id,
        tie_word_embeddings=True,
    )
    Qwen2ForCausalLM(config).save_pretrained(path)
    tokenizer.save_pretrained(path)
    return path


@pytest.fixture
def load(folder):
    def opener(**settings):
        chosen = {"backend": "transformers", "path": folder, "context": 1024} | settings
        return load_model(ModelSettings(**chosen))

    return opener


def questions(count):
    asked = (f"guesses for [{n}]{' please' * (n % 3)}:\n" for n in range(count))
    return [CompletionRequest(DOCUMENT, one, (1, 2, 3), 27, 0.8, n) for n, one in enumerate(asked)]


def test_answers_have_their_lines_and_a_document_is_read_once(load):
    model = load()
    done = model.complete(questions(9))
    for one in done:
        rows = one.text.split("\n")
        assert [row.split(" |")[0] for row in rows[:3]] == list("123")
    [length] = model.count([DOCUMENT])
    assert model.read < length + 9 * 40
    before = model.read
    model.complete(questions(2))
    assert model.read - before < 80


def test_neither_cache_nor_company_changes_answers(load):
    model = load()
    first = list(model.complete(questions(4)))
    other = DOCUMENT[:80] + "something else.\n"
    model.complete([CompletionRequest(other, "guess:\n", places=(1,), max_tokens=9)])
    assert list(model.complete(questions(4))) == first
    model = load()
    together = model.complete(questions(5))
    assert [model.complete([one])[0].text for one in questions(5)] == [d.text for d in together]


def test_what_does_not_fit_or_is_no_model(load, tmp_path):
    with pytest.raises(ContextError, match=r"model\.context"):
        load(context=256).complete([CompletionRequest(DOCUMENT * 9, "x", places=(1,))])
    with pytest.raises(ConfigError, match="not there"):
        load(path=tmp_path / "none")
    with pytest.raises(ConfigError, match=r"config\.json"):
        load(path=tmp_path)
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "nosuch"}))
    with pytest.raises(ModelError, match=r"model\.path"):
        load(path=tmp_path)
