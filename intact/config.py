"""Settings: typed, with default < ``--config`` < ``--set``.

There is one default: what the fields below say. A preset (configs/*.toml) or a user's file names
only what it changes and lies over it; ``--set`` lies over both.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from intact.errors import ConfigError
from intact.resources import resource_dir

Probability = Annotated[float, Field(ge=0.0, le=1.0)]
Count = Annotated[int, Field(ge=1, le=1000)]
Rank = Annotated[int, Field(ge=0, le=32)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class LabelSettings(_Section):
    """How an entity without a generalisation is called."""

    style: Literal["underscore", "brackets", "stars", "readable"] = "underscore"
    titles: bool = True  # "Mr PERSON_1"


class GenerationSettings(_Section):
    """Where candidates come from and which are kept."""

    sources: tuple[str, ...] = ("dates", "quantities", "knowledge")
    max_candidates: Count = 8
    ladders: tuple[Path, ...] = ()
    check_leaks: bool = True
    check_disclosure: bool = True
    merge: Literal["first", "interleave"] = "first"  # the first source that has some, or all
    max_words: Count = 8  # longer candidates stay only where there is no shorter one
    count: Annotated[int, Field(ge=1, le=12)] = 5  # candidates asked of the language model
    temperature: Annotated[float, Field(ge=0.0, le=2.0)] = 0.3
    judge: bool = True  # the language model drops candidates that it calls untrue itself


class TypeAttackSettings(_Section):
    """Attack thresholds of one entity type; None is the general setting."""

    guesses: Count | None = None
    max_risk: Probability | None = None


class AttackSettings(_Section):
    """Who attacks, how often they may guess, how sure they may be."""

    attackers: tuple[str, ...] = ("knowledge",)
    guesses: Count = 5
    max_risk: Probability = 0.45
    kind: Literal["guess", "likelihood", "both"] = "guess"
    temperature: Annotated[float, Field(ge=0.0, le=2.0)] = 0.0
    decoys: Annotated[int, Field(ge=1, le=32)] = 8  # wrong originals scored beside the right one
    layout: Literal["legend", "inline"] = "legend"  # where an attacked text shows replacements
    answer_tokens: Annotated[int, Field(ge=2, le=200)] = 12  # that one guess may take
    per_type: Mapping[str, TypeAttackSettings] = Field(default_factory=dict)

    def guesses_for(self, entity_type: str) -> int:
        """How many guesses the attacker has at an entity of this type."""
        own = self.per_type.get(entity_type)
        return self.guesses if own is None or own.guesses is None else own.guesses

    def max_risk_for(self, entity_type: str) -> float:
        """The highest probability of a right guess that counts as safe for this type."""
        own = self.per_type.get(entity_type)
        return self.max_risk if own is None or own.max_risk is None else own.max_risk


class MatchSettings(_Section):
    """Which rules decide that a guess gives the original away."""

    lemma: bool = True
    ngram: Rank = 4  # characters that names must share; 0 is off
    acronym: bool = True
    number: bool = True
    date: bool = True
    containment: bool = True
    partial: Probability = 0.0  # a match must give away at least this share of the original


class SelectionSettings(_Section):
    """How the rung of each entity is chosen."""

    method: str = "rounds"  # or "sequential", or another package's
    start_rank: Rank = 0
    # The first rung of a date keeps its month, and few dates of a month are told from another.
    start_rank_per_type: Mapping[str, Rank] = Field(default_factory=lambda: {"DATETIME": 1})
    max_rounds: Count = 40  # from then on a guessed entity goes straight to its label
    record_all: bool = False  # attack every rung once, for tuning thresholds afterwards

    def start_rank_for(self, entity_type: str) -> int:
        """The first rung that is tried for an entity of this type."""
        return self.start_rank_per_type.get(entity_type, self.start_rank)


class GuardSettings(_Section):
    """Hiding each document's individual among a population; off without a background."""

    background: Path | None = None  # what `intact background build` made, or a small source
    k: Annotated[int, Field(ge=1, le=10_000)] = 5  # others that have to come first
    ensemble: tuple[str, ...] = ("retrieval",)  # every one of these attackers has to be misled
    also: tuple[str, ...] = ("windows", "window_grams", "window_bayes")  # half of k
    margin: Annotated[float, Field(ge=0.0, le=10.0)] = 0.0  # standard deviations below the k-th
    max_words: Annotated[float, Field(ge=0.0, le=1_000_000)] = 0.25  # a share below 1, else a count
    protect: str = ""  # the one individual of all documents, or a JSON file {doc_id: individual}
    keep: tuple[str, ...] = ()  # words that are never changed
    edit: Literal["generalise", "mask"] = "generalise"
    order: Literal["greedy", "random"] = "greedy"
    absent: Literal["error", "ok"] = "error"  # what if the population lacks the individual


class RewriteSettings(_Section):
    """How replacements are put into the text."""

    sweep: bool = True
    agreement: bool = True


class ModelSettings(_Section):
    """Which language model, and how it runs. Without one, the knowledge base does the work."""

    backend: str = "llamacpp"  # "transformers", "openai", or another package's
    path: Path | None = None  # a GGUF file, or a folder for transformers
    repo: str = ""  # a repository on the Hugging Face hub, with ``file`` in it
    file: str = ""
    revision: str = ""
    name: str = ""  # a name of `intact models list`; with HTTP, the server's name for the model
    template: str = ""  # chat template: "" is the model's own, else a family's name or a file
    context: Annotated[int, Field(ge=256, le=1_000_000)] = 4096
    threads: Annotated[int, Field(ge=0, le=512)] = 0  # 0: the cores that are idle
    gpu_layers: Annotated[int, Field(ge=-1, le=1000)] = 0
    flash_attention: bool = False
    parallel: Annotated[int, Field(ge=1, le=64)] = 16  # transformers, openai: answers at a time
    precision: Literal["auto", "nf4", "bfloat16", "float32"] = "auto"  # transformers
    lora: tuple[Path, ...] = ()  # transformers: adapter folders
    url: str = ""  # of an OpenAI-compatible server, "" is http://127.0.0.1:8080/v1
    allow_remote: bool = Field(default=False, exclude=True)  # url may be of another machine
    api_key_env: str = "INTACT_API_KEY"  # the environment variable that holds the key
    timeout: Annotated[float, Field(gt=0.0, le=86_400)] = 300.0  # seconds for one HTTP request
    retries: Annotated[int, Field(ge=0, le=20)] = 4
    grammar: bool = True  # constrain answers, where the backend or server can

    @property
    def configured(self) -> bool:
        """Whether a model was asked for at all."""
        return bool(self.path or self.repo or self.name or self.url)


class PromptSettings(_Section):
    """Where the prompt files are."""

    dir: Path | None = None  # a folder with changed copies of prompts/*.toml


class DetectionSettings(_Section):
    """How mentions are found in texts that bring none."""

    detectors: tuple[str, ...] = ("auto",)  # patterns, knowledge, presidio, spacy, tagger
    threshold: Probability = 0.5  # findings that score less do not count
    tagger: Path | None = None  # what `intact detect train` made; "auto" uses it when it is set
    min_recall: Probability = 0.0  # the tagger's threshold is what reached this on held-out texts
    spacy: str = ""  # an installed spaCy pipeline; "auto" uses it when it is set
    phone_regions: tuple[str, ...] = ("GB", "US")  # whose national telephone numbers are read
    categories: Literal["tab", "textwash"] = "tab"
    pronouns: bool = False  # mask pronouns, too; only with the categories of textwash

    def chosen(self) -> tuple[str, ...]:
        """The detectors, "auto" resolved: rules, and the models that are set."""
        models = [("spacy", bool(self.spacy)), ("tagger", self.tagger is not None)]
        auto = ("patterns", "knowledge", *(name for name, there in models if there))
        named = (one for name in self.detectors for one in (auto if name == "auto" else (name,)))
        return tuple(dict.fromkeys(named))


class RunSettings(_Section):
    """What a run needs beyond the method."""

    seed: int = 0
    annotator: str = "first"
    keep_journal: bool = False  # the journal holds the texts; it is removed when all is done


class Settings(_Section):
    """The whole configuration."""

    labels: LabelSettings = LabelSettings()
    generation: GenerationSettings = GenerationSettings()
    attack: AttackSettings = AttackSettings()
    match: MatchSettings = MatchSettings()
    selection: SelectionSettings = SelectionSettings()
    guard: GuardSettings = GuardSettings()
    rewrite: RewriteSettings = RewriteSettings()
    model: ModelSettings = ModelSettings()
    prompts: PromptSettings = PromptSettings()
    detection: DetectionSettings = DetectionSettings()
    run: RunSettings = RunSettings()


def with_model(settings: Settings) -> Settings:
    """The settings in which a configured model is used, unless they say themselves by whom.

    Then the model proposes candidates beside the knowledge base and attacks after it.
    """
    if not settings.model.configured:
        return settings
    generation: dict[str, Any] = {}
    if "sources" not in settings.generation.model_fields_set:
        *others, last = settings.generation.sources
        generation["sources"] = (*others, "llm", last)
        if "merge" not in settings.generation.model_fields_set:
            generation["merge"] = "interleave"
    attack: dict[str, Any] = {}
    if "attackers" not in settings.attack.model_fields_set:
        attack["attackers"] = (*settings.attack.attackers, "llm")
    return settings.model_copy(
        update={
            "generation": settings.generation.model_copy(update=generation),
            "attack": settings.attack.model_copy(update=attack),
        }
    )


def presets() -> tuple[str, ...]:
    """The names of the shipped presets, sorted."""
    return tuple(sorted(path.stem for path in resource_dir("configs").glob("*.toml")))


def load_settings(
    config: str | Path | None = None,
    overrides: Sequence[str] = (),
    *,
    allow_remote: bool = False,
) -> Settings:
    """Settings: the default, a preset or a TOML file over it, ``a.b=value`` overrides on top.

    Tables lie over each other key by key: a file that sets ``start_rank_per_type.QUANTITY`` keeps
    the default's ``DATETIME``.

    Args:
        config: a preset ("strict"), a path, or None for the default.
        overrides: ``"attack.max_risk=0.3"``: the value is read as TOML, else as a plain string.
        allow_remote: whether ``model.url`` may be of another machine, which is then sent the
            originals. Neither a file nor an override can say so.

    Raises:
        ConfigError: unknown preset, unreadable file, unknown setting, value of a wrong type.
    """
    tree = {} if config is None else _read(config)
    _check_not_in_file(tree)
    for override in overrides:
        _set(tree, override)
    if _model(tree).pop("allow_remote", False):
        raise ConfigError(
            "is no setting of files or --set",
            where="setting model.allow_remote",
            remedy="Say --allow-remote, or allow_remote=True in Python.",
        )
    if allow_remote:
        tree.setdefault("model", {})["allow_remote"] = True
    try:
        return with_model(Settings.model_validate(_over_default(tree)))
    except ValidationError as error:
        raise _told(error) from None


_PROBLEMS = {
    "extra_forbidden": "there is no such setting",
    "model_type": "is a section, not a setting",
    "dict_type": "is a section, not a setting",
    "tuple_type": 'is a list; write ["one", "two"]',
}
"""What pydantic calls a problem -> what to say of it; else its own message."""


def _told(error: ValidationError) -> ConfigError:
    """The first problem, and a setting that is called alike."""
    first = error.errors()[0]
    *section, name = (str(part) for part in first["loc"])
    remedy = "See: intact config show"
    if first["type"] == "extra_forbidden":
        known: Any = Settings.model_fields
        for part in section:
            known = getattr(getattr(known.get(part), "annotation", None), "model_fields", {})
        alike = get_close_matches(name, known, 1)
        remedy = f"Did you mean {'.'.join((*section, *alike))}?" if alike else remedy
    return ConfigError(
        _PROBLEMS.get(first["type"], first["msg"]),
        where=f"setting {'.'.join((*section, name))}",
        remedy=remedy,
    )


def _read(config: str | Path) -> dict[str, Any]:
    path = resource_dir("configs") / f"{config}.toml"
    if str(config) not in presets():
        path = Path(config)
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except FileNotFoundError:
        raise ConfigError(
            f"there is no preset or file called {str(config)!r}",
            remedy=f"Presets: {', '.join(presets())}.",
        ) from None
    except OSError as error:
        raise ConfigError(f"cannot be read ({error.strerror})", where=str(path)) from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"not UTF-8 (byte {error.start})", where=str(path)) from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"not valid TOML ({error})", where=str(path)) from None
    except (RecursionError, ValueError):
        raise ConfigError("nested too deeply or a number too long", where=str(path)) from None


def _over_default(tree: dict[str, Any]) -> dict[str, Any]:
    """``tree``; a setting that is a table itself (a value for each type) keeps default entries."""
    default = Settings().model_dump()
    for section, values in tree.items():
        for name, value in values.items() if isinstance(values, dict) else ():
            below = default.get(section, {}).get(name)
            if isinstance(value, dict) and isinstance(below, dict):
                values[name] = below | value
    return tree


def _check_not_in_file(tree: dict[str, Any]) -> None:
    """Refuses a file that chooses which environment variable is sent as a key."""
    name = _model(tree).get("api_key_env", ModelSettings().api_key_env)
    if name != ModelSettings().api_key_env:
        raise ConfigError(
            "a file may not say which environment variable is sent to a server",
            where="setting model.api_key_env",
            remedy="Give it as --set model.api_key_env=NAME, or as an override in Python.",
        )


def _model(tree: dict[str, Any]) -> dict[str, Any]:
    section = tree.get("model")
    return section if isinstance(section, dict) else {}


def _set(tree: dict[str, Any], override: str) -> None:
    key, equals, raw = override.partition("=")
    if not equals or not key.strip():
        raise ConfigError(
            f"{override!r} is not a setting", where="--set", remedy="Write --set section.name=value"
        )
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
