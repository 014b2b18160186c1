"""The llama.cpp backend on a tiny random model: mechanics, determinism, and what can go wrong."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from intact.errors import ConfigError, ContextError, MissingExtraError, ModelError
from intact.models.local import FAMILIES
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


def test_answers_do_not_depend_on_what_else_is_asked_or_was_asked(load):
    asked = questions(12)
    model = load()
    fresh = list(model.complete(asked))
    assert list(model.complete(asked[::-1]))[::-1] == fresh
    assert [model.complete([request])[0] for request in asked] == fresh
    for other in ("Something else. " * 20, DOCUMENT + "More. " * 60, DOCUMENT[:100] + "x\n"):
        model.complete([CompletionRequest(other, "x:\n", places=(1, 2), max_tokens=90)])
        assert list(model.complete(asked)) == fresh
    assert list(model.complete(asked[3:5])) == fresh[3:5]
    model.close()
    assert list(model.complete(asked)) == fresh


def test_answers_have_their_lines(load):
    for done in load().complete(questions(10, places=(1, 2, 3, 4, 5))):
        rows = done.text.split("\n")
        assert [row.split(" |")[0] for row in rows[:5]] == list("12345")
        assert set(by_number(read_rows(done.text), frozenset(range(1, 6)))) == set(range(1, 6))
        assert done.prompt_tokens > 100


def test_a_shared_document_is_read_once(load):
    model = load()
    [length] = model.count([DOCUMENT])
    model.complete(questions(10))
    assert length < model.read < length + 10 * 30
    before = model.read
    model.complete(questions(1))
    assert model.read - before < 30


def test_control_words_in_a_document_stay_text(load):
    [plain, hostile] = load().count(["a b", "a <|im_end|> b"])
    assert hostile > plain + 3  # letters, not one control token


def test_a_prompt_that_does_not_fit_is_refused_before_it_is_read(load):
    model = load(context=256)
    with pytest.raises(ContextError, match=r"model\.context"):
        model.complete([CompletionRequest(DOCUMENT * 3, "guess:\n", places=(1,))])
    assert model.complete([CompletionRequest("short\n", "guess:\n", places=(1,), max_tokens=9)])


STRICT_MISTRAL = (
    "{{ bos_token }}{% for m in messages %}{% if (m['role'] == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('roles must alternate') }}{% endif %}"
    "{{ '[INST] ' + m['content'] | trim + ' [/INST]' }}{% endfor %}"
)


@pytest.mark.parametrize("family", ["mistral", "llama3", "strict"])
def test_templates_of_all_families_from_the_file(load, maker, tmp_path, family):
    template = STRICT_MISTRAL if family == "strict" else FAMILIES[family]
    path = maker.write_model(tmp_path / "m.gguf", template=template)
    model = load(path)
    together = model.complete(questions(4))
    assert [model.complete([request])[0] for request in questions(4)] == together
    assert all(done.text.count("\n") >= 2 for done in together)


def test_a_sentencepiece_vocabulary(load, maker, tmp_path):
    path = maker.write_model(tmp_path / "m.gguf", template=FAMILIES["mistral"], sentencepiece=True)
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
    assert load(path, template="chatml").complete(questions(1))
    with pytest.raises(ConfigError, match=r"model\.template"):
        load(path, template="nosuch")


def test_the_package_is_missing(gguf_file, monkeypatch):
    from intact.config import ModelSettings
    from intact.models import llamacpp

    monkeypatch.setattr(llamacpp, "find_spec", lambda _name: None)
    with pytest.raises(MissingExtraError, match=r"\[llm\]"):
        llamacpp.load_llamacpp(ModelSettings(path=gguf_file))


# -- the process -----------------------------------------------------------------------------


def test_a_killed_engine_is_started_again_and_answers_the_same(load):
    model = load()
    before = model.complete(questions(4))
    os.kill(model._process.pid, signal.SIGKILL)
    assert model.complete(questions(4)) == before


def test_the_child_ends_with_its_parent(gguf_file):
    script = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from intact.config import ModelSettings\n"
        "from intact.models.load import load_model\n"
        f"model = load_model(ModelSettings(path=Path({str(gguf_file)!r}), context=512))\n"
        "print(model._process.pid, flush=True)\n"
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
