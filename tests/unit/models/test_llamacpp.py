"""The llama.cpp backend: its answers on real weights, and what can go wrong."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from intact.errors import ConfigError, ContextError, MissingExtraError, ModelError
from intact.models.reading import by_number, read_rows
from intact.protocols import CompletionRequest

pytest.importorskip("llama_cpp")

DOCUMENT = (
    "She worked as a nurse at a hospital in the north. The court heard the case in March.\n" * 6
)


def questions(count, **more):
    more = {"places": (1, 2, 3), "max_tokens": 27, "temperature": 0.8} | more
    return [
        CompletionRequest(DOCUMENT, f"guesses for [{n}]{' please' * (n % 3)}:\n", seed=n, **more)
        for n in range(count)
    ]


def test_answers_do_not_depend_on_what_else_is_asked_or_was_asked(load, weights):
    asked = questions(3)
    model = load(weights)
    fresh = list(model.complete(asked))
    assert len({done.text for done in fresh}) == len(fresh)
    assert list(model.complete(asked[::-1]))[::-1] == fresh
    assert [model.complete([request])[0] for request in asked] == fresh
    for other in (DOCUMENT + "More. " * 20, DOCUMENT[:100] + "x\n"):
        model.complete([CompletionRequest(other, "x:\n", places=(1, 2), max_tokens=30)])
        assert list(model.complete(asked[2:])) == fresh[2:]
    model.close()
    assert list(model.complete(asked[:2])) == fresh[:2]


def test_many_answers_take_turns_in_few_sequences(load, gguf_file):
    asked = [
        CompletionRequest(DOCUMENT, f"[{n}]:\n", (1,), 12 + 9 * (n % 4), 0.8, n) for n in range(30)
    ]
    few, many = load(gguf_file, parallel=3), load(gguf_file, context=8192)
    assert few.complete(asked) == many.complete(asked)


@pytest.mark.parametrize("budget", [30, 60])
def test_every_place_has_a_line_whatever_the_budget(load, weights, budget):
    asked = questions(3, places=(9, 118, 9999), max_tokens=budget)
    for done in load(weights).complete(asked):
        rows = done.text.split("\n")[:3]
        assert [row.split(" |")[0] for row in rows] == ["9", "118", "9999"]
        assert set(by_number(read_rows(done.text), frozenset((9, 118, 9999)))) == {9, 118, 9999}
        assert done.finished and done.prompt_tokens > 100 and done.answer_tokens <= budget


def test_an_answer_of_lines_only_ends_with_the_last(load, weights):
    model = load(weights)
    [done] = model.complete(questions(1, max_tokens=90, only=True))
    rows = done.text.split("\n")
    assert [row.split(" |")[0] for row in rows] == list("123")
    assert done.finished and max(model.count(rows)) <= 90 // 3  # an equal share


def test_a_real_model_follows_what_it_is_told(load, weights):
    asked = CompletionRequest("", "What is the capital of France? One word.", max_tokens=12)
    assert "Paris" in load(weights).complete([asked])[0].text


def test_prefixes_are_read_once_and_kept(load, weights):
    model = load(weights)
    [length] = model.count([DOCUMENT])
    model.complete(questions(2, max_tokens=12, places=()))
    assert length < model.read < length + 2 * 40
    for n in range(2):
        model.complete([CompletionRequest("Something else. " * 20, f"{n}:\n", max_tokens=2)] * 2)
        before = model.read
        model.complete(questions(2, max_tokens=12, places=()))
        assert model.read - before < 2 * 40


def test_control_words_in_a_document_stay_text(load, weights):
    [plain, hostile] = load(weights).count(["a b", "a <|im_end|> b"])
    assert hostile > plain + 3  # letters, not one control token


def test_a_prompt_that_does_not_fit_is_refused_before_it_is_read(load, gguf_file):
    model = load(gguf_file, context=256)
    with pytest.raises(ContextError, match=r"model\.context"):
        model.complete([CompletionRequest(DOCUMENT * 3, "guess:\n", places=(1,))])
    assert model.complete([CompletionRequest("short\n", "guess:\n", places=(1,), max_tokens=9)])


STRICT_MISTRAL = (
    "{{ bos_token }}{% for m in messages %}{% if (m['role'] == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('roles must alternate') }}{% endif %}"
    "{{ '[INST] ' + m['content'] | trim + ' [/INST]' }}{% endfor %}"
)


PLAIN = "{{ bos_token }}{% for m in messages %}{{ m['content'] }}{% endfor %}"


def test_templates_of_the_model_and_of_a_file(load, maker, tmp_path):
    path = maker.write_model(tmp_path / "m.gguf", template=STRICT_MISTRAL)
    (tmp_path / "plain.jinja").write_text(PLAIN)
    own, plain = load(path), load(path, template=str(tmp_path / "plain.jinja"))
    [own_done], [plain_done] = own.complete(questions(1)), plain.complete(questions(1))
    assert own_done.text.count("\n") >= 2 and plain_done.text.count("\n") >= 2
    assert own_done.prompt_tokens > plain_done.prompt_tokens


def test_a_refused_sampler_leaves_nothing_behind(gguf_file, monkeypatch):
    from intact.config import ModelSettings
    from intact.models.llamacpp import LlamaModel

    model = LlamaModel(ModelSettings(path=gguf_file, context=1024, threads=1), gguf_file)
    made, freed = [], []
    for name, held in (("chain_init", made), ("free", freed)):
        real = getattr(model._lib, f"llama_sampler_{name}")
        monkeypatch.setattr(
            model._lib, f"llama_sampler_{name}", lambda arg, f=real, h=held: h.append(0) or f(arg)
        )
    grammars = iter(
        [model._lib.llama_sampler_init_grammar(model._vocab, b'root ::= "x"', b"root"), 0]
    )
    monkeypatch.setattr(model._lib, "llama_sampler_init_grammar", lambda *_: next(grammars))
    with pytest.raises(ModelError, match="refused the sampler grammar"):
        model.complete(questions(3))
    assert len(made) == len(freed) == 2
    model.close()


@pytest.mark.parametrize(
    "bad", ["{{ messages", "{{ raise_exception('no') }}", "fixed text", "{{ messages[7].content }}"]
)
def test_unusable_templates_name_the_setting(load, gguf_file, tmp_path, bad):
    (tmp_path / "own.jinja").write_text(bad)
    with pytest.raises(ModelError, match=r"model\.template"):
        load(gguf_file, template=str(tmp_path / "own.jinja"))


def test_a_sentencepiece_vocabulary(load, maker, tmp_path):
    path = maker.write_model(tmp_path / "m.gguf", template=STRICT_MISTRAL, sentencepiece=True)
    model = load(path)
    together = model.complete(questions(6))
    assert [model.complete([request])[0] for request in questions(6)] == together
    assert all(done.text.count("\n") >= 2 for done in together)
    [length] = model.count([DOCUMENT])
    before = model.read
    model.complete(questions(6)[::-1])
    assert model.read - before < length  # the document was not read again


def test_weights_that_are_not_repacked(gguf_file):
    from intact.config import ModelSettings
    from intact.models.llamacpp import LlamaModel

    settings = ModelSettings(path=gguf_file, context=1024, threads=1)
    model = LlamaModel(settings, gguf_file, extra_buffers=False)
    assert all(done.text.count("\n") >= 2 for done in model.complete(questions(3)))
    model.close()


# -- files that cannot be loaded ------------------------------------------------------------


def test_a_file_that_is_not_there(load, tmp_path):
    with pytest.raises(ConfigError, match=r"model\.path"):
        load(tmp_path / "none.gguf")
    with pytest.raises(ConfigError, match=r"model\.path.*folder"):
        load(tmp_path)


def test_a_file_that_is_no_gguf(load, tmp_path):
    bad = tmp_path / "bad.gguf"
    bad.write_bytes(b"PK\x03\x04 not a model at all")
    with pytest.raises(ModelError, match=r"model\.path.*not a GGUF"):
        load(bad)
    bad.write_bytes(b"GGUF")
    with pytest.raises(ModelError, match="damaged"):
        load(bad)
    bad.write_bytes(b"GGUF\x03\0\0\0" + os.urandom(400))
    with pytest.raises(ModelError, match=r"model\.path"):
        load(bad)


@pytest.mark.parametrize("share", [0.1, 0.99])
def test_a_truncated_file(load, gguf_file, tmp_path, share):
    whole, cut = gguf_file.read_bytes(), tmp_path / "cut.gguf"
    cut.write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(ModelError, match=r"model\.path"):
        load(cut)


def test_files_without_a_known_architecture_or_template_are_refused(load, maker, tmp_path):
    path = maker.write_model(tmp_path / "odd.gguf", architecture="nosuch")
    with pytest.raises(ModelError, match="architecture"):
        load(path)
    path = maker.write_model(tmp_path / "bare.gguf", template=None)
    with pytest.raises(ModelError, match=r"model\.template"):
        load(path)
    (tmp_path / "plain.jinja").write_text(PLAIN)
    assert load(path, template=str(tmp_path / "plain.jinja")).complete(questions(1))
    with pytest.raises(ConfigError, match=r"model\.template"):
        load(path, template="nosuch")


def test_the_package_is_missing(gguf_file, monkeypatch):
    from intact.config import ModelSettings
    from intact.models import llamacpp

    monkeypatch.setattr(llamacpp, "find_spec", lambda _name: None)
    with pytest.raises(MissingExtraError, match=r"\[llm\]"):
        llamacpp.load_llamacpp(ModelSettings(path=gguf_file))


# -- the process -----------------------------------------------------------------------------


def test_a_killed_engine_is_started_again_and_answers_the_same(load, gguf_file):
    model = load(gguf_file)
    before = model.complete(questions(4))
    os.kill(model._process._process.pid, signal.SIGKILL)
    assert model.complete(questions(4)) == before


def test_the_child_ends_with_its_parent(gguf_file):
    script = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from intact.config import ModelSettings\n"
        "from intact.models.load import load_model\n"
        f"model = load_model(ModelSettings(path=Path({str(gguf_file)!r}), context=512))\n"
        "print(model._process._process.pid, flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    child = int(done.stdout)
    for _ in range(80):
        if not Path(f"/proc/{child}").exists() or "Z" in _state(child):
            return
        time.sleep(0.05)
    pytest.fail("the child outlived its parent")


def _state(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return "Z"
