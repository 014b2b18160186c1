"""One default; a preset or a file lies over it; ``--set`` lies over both."""

import tomllib

import pytest

from intact.config import Settings, load_settings, presets
from intact.errors import ConfigError
from intact.shipped import resource_dir


def written(folder, text):
    file = folder / "mine.toml"
    file.write_text(text, "utf-8")
    return file


def flat(tree, before=""):
    found = {}
    for name, value in tree.items():
        inner = flat(value, f"{before}{name}.") if isinstance(value, dict) else None
        found |= {f"{before}{name}": value} if inner is None else inner
    return found


def test_no_file_the_default_preset_and_an_empty_file_are_one_default(tmp_path):
    default = Settings()
    assert default.attack.max_risk == 0.45
    assert load_settings() == default
    assert load_settings("default") == default
    assert load_settings(written(tmp_path, "")) == default


def test_files_and_tables_lie_over_the_default_key_by_key(tmp_path):
    settings = load_settings(written(tmp_path, "[run]\nseed = 7\n"))
    assert settings.run.seed == 7
    assert settings.model_copy(update={"run": Settings().run}) == Settings()
    file = written(tmp_path, "[selection.start_rank_per_type]\nQUANTITY = 2\n")
    assert load_settings(file).selection.start_rank_per_type == {"DATETIME": 1, "QUANTITY": 2}
    one = load_settings(None, ["selection.start_rank_per_type.LOC=3"])
    assert one.selection.start_rank_per_type == {"DATETIME": 1, "LOC": 3}
    file = written(tmp_path, "[attack]\nguesses = 9\nmax_risk = 0.2\n")
    attack = load_settings(file, ["attack.max_risk=0.3"]).attack
    assert (attack.guesses, attack.max_risk, attack.min_risk) == (9, 0.3, 0.06)


@pytest.mark.parametrize("preset", presets())
def test_a_preset_lies_over_the_default(preset):
    own = flat(tomllib.loads((resource_dir("configs") / f"{preset}.toml").read_text("utf-8")))
    default, settings = (
        flat(s.model_dump(mode="json")) for s in (Settings(), load_settings(preset))
    )
    # A model that is set attacks and proposes as well: the one thing that a file implies.
    changed = {name for name, value in settings.items() if value != default.get(name)}
    assert changed <= own.keys()
    assert all(settings[name] == value for name, value in own.items())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[attack]\nmax_rsk = 1\n", "Did you mean attack.max_risk?"),
        ("attack = 3\n", "is a section, not a setting"),
        ("[selection]\nstart_rank_per_type = 3\n", "is a section, not a setting"),
        ("[selection.start_rank_per_type]\ndatime = 3\n", "no such entity type.*type.DATETIME?"),
        ("[models.big]\nname = 'x'\n", "models.big: .*proposer"),
        ("[attack\n", "not valid TOML"),
        ("[model]\nrepo = 'a/b'\n", "model.repo: there is no such setting.*model.name"),
    ],
)
def test_errors_say_what_is_wrong_and_where(tmp_path, text, said):
    with pytest.raises(ConfigError, match=said.replace("?", r"\?")):
        load_settings(written(tmp_path, text))


def test_a_byte_order_mark_is_no_part_of_a_file(tmp_path):
    file = tmp_path / "own.toml"
    file.write_text("[run]\nseed = 7\n", encoding="utf-8-sig")
    assert load_settings(file).run.seed == 7


def test_a_file_alone_sends_nothing_to_another_machine(tmp_path):
    file = tmp_path / "own.toml"
    file.write_text('[model]\nbackend = "openai"\nurl = "https://example.org/v1"\n')
    assert not load_settings(file).model.allow_remote
    assert load_settings(file, allow_remote=True).model.allow_remote
    file.write_text("[model]\nallow_remote = true\n")
    with pytest.raises(ConfigError, match=r"model\.allow_remote.*--allow-remote"):
        load_settings(file)
    with pytest.raises(ConfigError, match=r"model\.allow_remote.*--allow-remote"):
        load_settings(None, ["model.allow_remote=true"])


def test_a_file_names_no_environment_variable_and_leave_is_not_written(tmp_path):
    file = tmp_path / "own.toml"
    file.write_text('[model]\napi_key_env = "AWS_SECRET_ACCESS_KEY"\n')
    with pytest.raises(ConfigError, match=r"model\.api_key_env.*--set"):
        load_settings(file)
    assert load_settings(None, ["model.api_key_env=MY_KEY"]).model.api_key_env == "MY_KEY"
    file.write_text('[model]\napi_key_env = "INTACT_API_KEY"\n')  # as `config show` writes it
    assert load_settings(file).model.api_key_env == "INTACT_API_KEY"
    assert "allow_remote" not in load_settings(None, allow_remote=True).model_dump()["model"]
