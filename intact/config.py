"""Settings: typed, with default < ``--config`` < ``--set``.

The fields below hold the defaults. A preset (configs/*.toml) or a user's file names only what it
changes and overrides the defaults; ``--set`` overrides both. A wheel carries copies of ``configs/``
and ``prompts/`` in ``intact/data/`` (pyproject.toml, force-include).
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from intact.domain import ENTITY_TYPES
from intact.english.vocabulary import vocabulary
from intact.errors import ConfigError
from intact.shipped import read_toml, resource_dir

Probability = Annotated[float, Field(ge=0.0, le=1.0)]
Count = Annotated[int, Field(ge=1, le=1000)]
Rank = Annotated[int, Field(ge=0, le=32)]
TypeName = Annotated[str, Field(pattern=f"^({'|'.join(ENTITY_TYPES)})$")]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class GoalSettings(_Section):
    """The purpose of the text in your own words. A language model that is set is told it."""

    protect: str = ""
    """What matters most to hide: `where she lives`."""
    preserve: str = ""
    """What must stay readable: `clinical findings and doses`."""


class LabelSettings(_Section):
    """The label of an entity without a generalisation."""

    style: Literal["underscore", "brackets", "stars", "readable"] = "underscore"
    """How it looks: "underscore": (Mr) PERSON_1, NAME_1 (of whom?), DETAIL_1; "brackets": [PERSON
    1]; "stars": ***; "readable": the first person. With "underscore" it is left out where the
    sentence does without it."""


class GenerationSettings(_Section):
    """The sources of candidates."""

    sources: tuple[str, ...] = ("dates", "quantities", "knowledge")
    """Generators, in order: "dates", "quantities", "knowledge", "llm", or another package's. The
    first that has candidates for an entity is taken; with a language model all are asked, and their
    candidates stand in one order."""
    ladders: tuple[Path, ...] = ()
    """Text files with ladders of your own, asked before the embedded ones (docs/tutorial.md)."""
    glossary: Path | None = None
    """A CSV file (surface, phrase, kind): what stands for your names before all else, and what
    stays (docs/tutorial.md)."""


class AttackSettings(_Section):
    """The attackers, how often they may guess, and how sure they may be."""

    attackers: tuple[str, ...] = ("knowledge",)
    """Attackers, in order: "knowledge", "llm", or another package's."""
    guesses: Count = 5
    """Guesses an attacker has at an entity."""
    max_risk: Probability = 0.45
    """Highest probability that one of the guesses is right; above it the candidate falls."""
    min_risk: Probability = 0.06
    """A right guess that its attacker holds to be right with less gives nothing away ("High Court",
    one of hundreds, for "a court"); 0: every right guess counts. A guess without a probability, or
    of a language model, always counts."""


class SelectionSettings(_Section):
    """Settings for choosing the rung of each entity."""

    keep: bool | None = None
    """Leave words that tell nothing about anybody; direct identifiers never. Unset: on for mentions
    that a detector found and off for annotated ones. Only a language model leaves any."""
    start_rank: Rank = 0
    """First rung that is tried; 0 is the most specific."""
    start_rank_per_type: Mapping[TypeName, Rank] = Field(default_factory=lambda: {"DATETIME": 1})
    """The same by entity type. Dates start at rung 1: rung 0 keeps the month, and of the days of
    one month few are needed for a guess."""

    @field_validator("start_rank_per_type", mode="before")
    @classmethod
    def _lie_over_default(cls, given: Any) -> Any:
        """Return a table of start ranks by entity type with the default's entries ({"DATETIME": 1})
        for the types that it does not name; anything but a table unchanged."""
        return {"DATETIME": 1, **given} if isinstance(given, Mapping) else given

    def start_rank_for(self, entity_type: str) -> int:
        """Return the rank of the first candidate that is tried for an entity of a type: the type's
        own rank if it has one, else ``start_rank``. 0 is the most specific candidate."""
        return self.start_rank_per_type.get(entity_type, self.start_rank)


class GuardSettings(_Section):
    """Hiding each document's individual among a population; off without a background."""

    background: Path | None = None
    """What `intact background build` made, or a small source of public text; unset is no guard."""
    k: Annotated[int, Field(ge=1, le=10_000)] = 5
    """Others that have to come before the individual, for tfidf and for bm25."""
    max_words: Annotated[float, Field(ge=0.0, le=1_000_000)] = 0.25
    """Words that may be changed beyond the mentions: a share below 1, else a count."""
    protect: str = ""
    """The one individual of all documents, or a JSON file {doc_id: individual}."""
    absent: Literal["error", "ok"] = "error"
    """What if the population lacks the individual."""


class ContextSettings(_Section):
    """Words that nobody annotated and that tell something (`intact context` lists them)."""

    protect: bool = False
    """Treat them as mentions: each gets a true coarser phrase, attacked like any other, and a label
    only where nothing true is known."""


class ModelSettings(_Section):
    """The language model and its engine. Without one, the knowledge base does the work."""

    backend: str = "llamacpp"
    """Who runs it: "llamacpp" ("openai" with a `url`), "transformers", "openai" (a server), or
    another package's."""
    path: Path | None = None
    """A GGUF file, or a folder for transformers."""
    name: str = ""
    """A name of `intact models list`; on the Hugging Face hub OWNER/NAME/FILE.gguf, or OWNER/NAME
    for transformers (`@REVISION` may follow); with a server, its own name."""
    effort: Literal["quick", "full"] = "full"
    """How often it is asked: "quick": one plan, attacked by rules, mended and read once, then
    attacked by a model: three requests a document, at most five; "full": a model attacks up to
    three times, and is answered twice."""
    template: str = ""
    """Chat template: "" is the model's own, else a family's name or a file."""
    context: int = Field(4096, ge=256, le=1_000_000)
    """Tokens that prompt and answer may take together."""
    threads: int = Field(0, ge=0, le=512)
    """Threads that compute; 0 is the cores that are idle."""
    gpu_layers: int = Field(0, ge=-1, le=1000)
    """Layers put on the graphics processor (llamacpp); -1 is all."""
    parallel: Annotated[int, Field(ge=1, le=4096)] = 16
    """Answers at a time that a server is asked for (openai), by all processes together."""
    url: str = ""
    """Of an OpenAI-compatible server; "" is http://127.0.0.1:8080/v1."""
    allow_remote: bool = Field(False, exclude=True)
    """Whether `url` may be of another machine; said on the command line only."""
    api_key_env: str = "INTACT_API_KEY"
    """The environment variable that holds the server's key."""
    timeout: float = Field(300.0, gt=0.0, le=86_400)
    """Seconds for one request to the server."""
    extra: dict[str, Any] = {}
    """Further fields of every request to the server, such as reasoning_effort."""
    thinking_tokens: Annotated[int, Field(ge=0, le=100_000)] = 0
    """Tokens granted to thoughts before each answer, where a server's model cannot do without."""
    together: Annotated[int, Field(ge=0, le=64)] = 0
    """Places in one request; 0 is all that fit the context."""
    store: Path | None = None
    """The file in which answers are kept, so that none is asked for twice. It holds document text.
    The command line takes one in the user's cache folder (--no-store: none)."""

    @model_validator(mode="after")
    def _ask_server(self) -> ModelSettings:
        """Set the backend to "openai" if a URL is given and the backend is the default, "llamacpp".
        Return these settings, changed in place."""
        if self.url and self.backend == "llamacpp":
            object.__setattr__(self, "backend", "openai")
        return self

    @property
    def shown(self) -> str:
        """The model's name, else its path, else its URL, for a person to read; "" if no model was
        asked for."""
        return self.name or str(self.path or self.url)


class PromptSettings(_Section):
    """The place of the prompt files."""

    dir: Path | None = None
    """A folder with changed copies of prompts/*.toml; what it lacks is as shipped."""


class DetectionSettings(_Section):
    """Settings for finding mentions in texts that bring none."""

    detectors: tuple[str, ...] = ("auto",)
    """Their names: "auto" (patterns, knowledge, tagger), "patterns", "knowledge", "tagger",
    "presidio", "spacy:PIPELINE" (an installed one), or another package's."""
    threshold: Probability = 0.4
    """Findings that score less do not count."""
    tagger: Path | None = None
    """The folder of a trained tagger; else the one that is shipped."""

    def chosen(self) -> tuple[str, ...]:
        """List the names of the detectors in order, each once, with "patterns", "knowledge" and
        "tagger" in place of "auto"."""
        auto = ("patterns", "knowledge", "tagger")
        named = (one for name in self.detectors for one in (auto if name == "auto" else (name,)))
        return tuple(dict.fromkeys(named))


class RunSettings(_Section):
    """Settings of a run beyond the method."""

    seed: int = 0
    """Of all that is drawn: same input, settings and seed give the same bytes."""
    annotator: str = "first"
    """Whose mentions are taken: "first", "all" (the union) or a name."""
    language: Literal["en", "any"] = "en"
    """Which are taken: "any" also takes documents that are not in English; else they are
    refused."""
    keep_record: bool = True
    """Keep what was decided in the run folder where the output has no room for it, for explain and
    report; it holds the originals."""


Role = Literal["proposer", "stranger", "reader"]
ROLES: tuple[Role, ...] = get_args(Role)
"""The model that proposes phrases, the one that attacks the finished text, and the one that judges
whether a phrase is true."""


class Settings(_Section):
    """The whole configuration."""

    goal: GoalSettings = GoalSettings()
    labels: LabelSettings = LabelSettings()
    generation: GenerationSettings = GenerationSettings()
    attack: AttackSettings = AttackSettings()
    selection: SelectionSettings = SelectionSettings()
    guard: GuardSettings = GuardSettings()
    context: ContextSettings = ContextSettings()
    model: ModelSettings = ModelSettings()
    models: Mapping[Role, Mapping[str, Any]] = {}
    """A language model for one role, as a table of what it changes of [model]: `[models.proposer]`
    proposes phrases, `[models.stranger]` attacks, `[models.reader]` judges what was proposed. A
    role without a table has the model of [model]."""
    prompts: PromptSettings = PromptSettings()
    detection: DetectionSettings = DetectionSettings()
    run: RunSettings = RunSettings()

    @model_validator(mode="after")
    def _use_model(self) -> Settings:
        """Add "llm" behind the generators and behind the attackers, if a model is set for any role,
        but not to a list that was given explicitly. Return these settings, changed in place.

        Raises:
            ValueError: if the table of a role's model is wrong.
        """
        models = [self.model_named(role) for role in ROLES]  # each is checked
        if any(model.shown for model in models):
            for section, name in (("generation", "sources"), ("attack", "attackers")):
                own = getattr(self, section)
                if name not in own.model_fields_set:
                    parts = (*getattr(own, name), "llm")
                    object.__setattr__(self, section, own.model_copy(update={name: parts}))
        return self

    @property
    def model_names(self) -> tuple[str, ...]:
        """The names of the tables that describe the models in use, each once: "" for [model], else
        a role of [models]. With a table for "reader" alone they are ("", "reader")."""
        return tuple(dict.fromkeys(role if role in self.models else "" for role in ROLES))

    @property
    def has_model(self) -> bool:
        """Tell whether a language model is set for any role."""
        return any(self.model_named(name).shown for name in self.model_names)

    def model_named(self, role: str) -> ModelSettings:
        """Return the settings of a role's language model: those of section ``model``, overridden by
        the role's own table in ``models`` if there is one. Any other role ("") has section
        ``model``."""
        own = {**self.model.model_dump(), "allow_remote": self.model.allow_remote}
        changed = next((table for name, table in self.models.items() if name == role), {})
        return ModelSettings.model_validate(own | dict(changed))

    @property
    def decisive(self) -> dict[str, Any]:
        """The settings that influence the result, as JSON data: all but ``allow_remote`` and a
        model's timeout and store."""
        idle = {"timeout", "store"}
        return self.model_dump(mode="json", exclude={"model": idle, "models": {"__all__": idle}})


def presets() -> tuple[str, ...]:
    """List the names of the shipped presets ("strict"), sorted."""
    return tuple(sorted(path.stem for path in resource_dir("configs").glob("*.toml")))


Config = str | Path | Settings | None
"""A preset's name ("strict"), a TOML file, ready settings, or None for the default."""


def load_settings(
    config: Config = None, overrides: Sequence[str] = (), *, allow_remote: bool = False
) -> Settings:
    """Return the settings: the defaults, overridden by a preset or a TOML file, overridden by
    ``a.b=value``.

    Tables are merged key by key: a file that sets ``start_rank_per_type.QUANTITY`` keeps the
    default's ``DATETIME``.

    Args:
        config: a preset ("strict"), a path, None for the default, or ready settings, which are
            returned unchanged.
        overrides: ``"attack.max_risk=0.3"``: the value is read as TOML; if it is none, as a plain
            string.
        allow_remote: whether ``model.url`` may point to another machine, which is then sent the
            originals. Neither a file nor an override can allow it.

    Raises:
        ConfigError: for an unknown preset, an unreadable file, an unknown setting, a value of a
            wrong type or out of its range, ``model.allow_remote`` in a file or an override,
            ``model.api_key_env`` in a file, overrides of ready settings, or a string in place of
            the list of overrides.
    """
    if not isinstance(config, str | Path | Settings | None) or isinstance(overrides, str):
        raise ConfigError("this is no configuration", where="config, overrides")
    if isinstance(config, Settings):
        if overrides:
            raise ConfigError("overrides cannot be put over ready settings")
        return config
    tree = {} if config is None else _read_config(config)
    default_key = ModelSettings().api_key_env
    if any(section.get("api_key_env", default_key) != default_key for section in _models(tree)):
        problem = "a file may not say which environment variable is sent to a server"
        raise ConfigError(problem, where="setting model.api_key_env")
    for override in overrides:
        _set(tree, override)
    if any(section.pop("allow_remote", False) for section in _models(tree)):
        raise ConfigError("is no setting of files or --set", where="setting model.allow_remote")
    if allow_remote:
        tree.setdefault("model", {})["allow_remote"] = True
    try:
        return Settings.model_validate(tree)
    except ValidationError as error:
        raise _config_error(error) from None


def _read_config(config: str | Path) -> dict[str, Any]:
    """Read the tables of a shipped preset, by its name, or else of a TOML file, by its path; raise
    a ``ConfigError`` if there is neither, or the file is no TOML."""
    path = resource_dir("configs") / f"{config}.toml" if str(config) in presets() else Path(config)
    if not path.exists():
        remedy = f"Presets: {', '.join(presets())}."
        raise ConfigError(f"there is no preset or file called {str(config)!r}", remedy=remedy)
    return read_toml(path)


_PROBLEMS: Mapping[str, str] = vocabulary("texts")["problems"]
"""pydantic's name of a problem -> what to say of it; without an entry, its own message is used."""
_MOVED = {"repo": "Say it as model.name: OWNER/NAME/FILE.gguf, or OWNER/NAME."}
"""Settings of older files -> what takes their place."""


def _config_error(error: ValidationError) -> ConfigError:
    """Make the error for the first problem that pydantic reports, with the setting's name ("setting
    attack.max_risk"). For an unknown name of a setting or an entity type its remedy suggests the
    known name most like it, if any is; for a setting of older files, what takes its place; else to
    look at all settings."""
    first = error.errors()[0]
    *section, name = [str(part) for part in first["loc"] if part != "[key]"] or ["models"]
    setting = ".".join((*section, name))
    remedy = "See: intact config show"
    if first["type"] in ("extra_forbidden", "string_pattern_mismatch"):
        known: Any = Settings.model_fields
        for part in section:
            known = getattr(getattr(known.get(part), "annotation", None), "model_fields", {})
        known = known or ENTITY_TYPES
        alike = get_close_matches(name, known, 1) or get_close_matches(name.upper(), known, 1)
        remedy = f"Did you mean {'.'.join((*section, *alike))}?" if alike else remedy
        remedy = _MOVED.get(name, remedy)
    problem = _PROBLEMS.get(first["type"], first["msg"])
    return ConfigError(problem, where=f"setting {setting}", remedy=remedy)


def _models(tree: dict[str, Any]) -> list[dict[str, Any]]:
    """List the tables of a configuration that describe a language model: ``model`` first, then
    those in ``models``. What is absent or no table is left out."""
    more = tree.get("models")
    sections = [tree.get("model"), *(more.values() if isinstance(more, dict) else ())]
    return [section for section in sections if isinstance(section, dict)]


def _set(tree: dict[str, Any], override: str) -> None:
    """Put the value of "a.b=value" into nested tables: ``tree["a"]["b"]``. Tables are made where
    they are missing, and an earlier value is replaced. Raise a ``ConfigError`` if it is not of this
    form, or if a part of the name ("a") has a value that is no table.

    Args:
        tree: the tables; changed in place.
        override: its value is read as TOML; if it is none, it is a string.
    """
    key, equals, raw = override.partition("=")
    if not equals or not key.strip():
        raise ConfigError(f"{override!r} is not a setting", where="--set")
    *parents, leaf = key.strip().split(".")
    for parent in parents:
        child = tree.setdefault(parent, {})
        if not isinstance(child, dict):
            raise ConfigError(f"{parent!r} is a value, not a section", where=f"setting {key}")
        tree = child
    try:
        tree[leaf] = tomllib.loads(f"value = {raw}")["value"]
    except (RecursionError, ValueError):
        tree[leaf] = raw
