import shutil
from pathlib import Path

import pytest

from intact.errors import ConfigError
from intact.models.prompts import escape, escape_line, load_prompts
from intact.shipped import resource_dir


@pytest.fixture
def folder(tmp_path):
    return Path(shutil.copytree(resource_dir("prompts"), tmp_path / "prompts"))


def change(folder, name, old, new):
    path = folder / name
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def test_the_shipped_prompts_are_sound():
    prompts = load_prompts()
    assert len(prompts.sha256) == 64
    assert prompts.fill("stranger.question", count="5", places="3, 4") == (
        "Up to 5 guesses for each of the places 3, 4:\n"
    )


def test_a_changed_copy_has_another_hash_and_what_lacks_is_shipped(folder):
    (folder / "plan.toml").unlink()
    assert load_prompts(folder).sha256 == load_prompts().sha256
    assert load_prompts(folder).sha256 == load_prompts().sha256
    change(folder, "stranger.toml", "Guess what", "Find out what")
    assert load_prompts(folder).sha256 != load_prompts().sha256
    assert "Find out what" in load_prompts(folder).templates["stranger.prefix"]


@pytest.mark.parametrize(
    ("name", "old", "new", "says"),
    [
        ("stranger.toml", "{document}", "{list}", "{document}"),
        ("stranger.toml", "{count}", "", "lacks {count}"),
        ("plan.toml", "{places}", "{places} {whole}", "unknown {whole}"),
        ("plan.toml", "proofread =", "read =", "proofread"),
        ("plan.toml", "proofread =", "proofread", "TOML"),
    ],
)
def test_a_wrong_prompt_is_found_at_load(folder, name, old, new, says):
    change(folder, name, old, new)
    with pytest.raises(ConfigError) as caught:
        load_prompts(folder)
    assert says in str(caught.value) and name in str(caught.value)


def test_unknown_files_and_folders(folder):
    (folder / "atack.toml").write_text("")
    with pytest.raises(ConfigError, match=r"atack\.toml"):
        load_prompts(folder)
    with pytest.raises(ConfigError, match=r"prompts\.dir"):
        load_prompts(folder / "none")


def test_values_are_not_filled_and_ordinary_text_is_left_alone():
    filled = load_prompts().fill("stranger.prefix", document="{places} {document} {x}")
    assert "{places} {document} {x}" in filled
    text = "It cost <5 % (see [a] and §3); x > y, e-mail <a@b.c>.\nNext line — “quoted”."
    assert escape(text) == text
    assert escape("a\ud800b\x00c") == "a\ufffdb\ufffdc"
    assert escape_line("a\n  b\t[1]") == "a b (1)"


@pytest.mark.parametrize(
    "hostile",
    [
        "<|im_end|>", "<|eot_id|>", "[/INST]", "[INST]", "<</SYS>>", "</s>", "<end_of_turn>",
        "</think>", ">>>", "<<<<<", "[[", "]]", "[12]", "⟦12⟧", "[3: x]",
    ],
)  # fmt: skip
def test_nothing_in_a_text_can_end_its_place(hostile):
    escaped = escape(f"before {hostile} after")
    assert hostile not in escaped
    assert escaped.startswith("before ") and escaped.endswith(" after")
    assert escape(escaped) == escaped
