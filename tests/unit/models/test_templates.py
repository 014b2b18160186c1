import pytest

from intact.errors import ConfigError, ModelError
from intact.models.local import FAMILIES, ChatTemplate, ControlWords, choose_template

pytest.importorskip("jinja2")

STRICT = (
    "{{ bos_token }}{% for m in messages %}{% if (m['role'] == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('roles must alternate') }}{% endif %}{% if m['role'] == 'user' %}"
    "{{ '[INST] ' + m['content'] + ' [/INST]' }}{% endif %}{% endfor %}"
)
DATED = "{{ strftime_now('%d %b %Y') }}{{ messages[0].content }}"


@pytest.mark.parametrize(
    ("family", "expected"),
    [
        ("chatml", "<|im_start|>user\nhello<|im_end|>\n<|im_start|>assistant\n"),
        ("mistral", "<s>[INST] hello [/INST]"),
        (
            "llama3",
            "<s><|start_header_id|>user<|end_header_id|>\n\nhello<|eot_id|>"
            "<|start_header_id|>assistant<|end_header_id|>\n\n",
        ),
        ("gemma", "<s><start_of_turn>user\nhello<end_of_turn>\n<start_of_turn>model\n"),
    ],
)
def test_families(family, expected):
    assert ChatTemplate(FAMILIES[family], "<s>", "</s>").render("hello") == expected


def test_strict_dated_and_hostile_templates():
    assert ChatTemplate(STRICT, "<s>").render("x") == "<s>[INST] x [/INST]"
    assert ChatTemplate(DATED).render("x") == "x"
    with pytest.raises(ModelError):
        ChatTemplate("{{ messages.__class__.__mro__ }}{{ messages[0].content }}x" + "{{ 1 + 'a' }}")


@pytest.mark.parametrize(
    "bad", ["{{ messages", "{{ raise_exception('no') }}", "fixed text", "{{ messages[7].content }}"]
)
def test_unusable_templates_name_the_setting(bad):
    with pytest.raises(ModelError, match=r"model\.template"):
        ChatTemplate(bad)


def test_choosing(tmp_path):
    file = tmp_path / "own.jinja"
    file.write_text("T", encoding="utf-8")
    assert choose_template("", "own") == "own"
    assert choose_template("gemma", "own") == FAMILIES["gemma"]
    assert choose_template(str(file), None) == "T"
    with pytest.raises(ModelError, match=r"model\.template.*no chat template"):
        choose_template("", None)
    with pytest.raises(ConfigError, match=r"model\.template"):
        choose_template("nonesuch", None)


def test_control_words_are_broken_up():
    words = ControlWords(["<|im_end|>", "<s>", "<<s>>", ""])
    escaped = words.escape("a<|im_end|>b<<s>>c<s>")
    assert not any(word in escaped for word in ("<|im_end|>", "<s>"))
    assert escaped.replace(" ", "") == "a<|im_end|>b<<s>>c<s>"
    assert ControlWords([]).escape("<s>") == "<s>"
