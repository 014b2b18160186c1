"""Settings: typed, with default < ``--config`` < ``--set``; and the prompts, read from
``prompts/*.toml`` and checked before any model is touched.

There is one default: what the fields below say. A preset (configs/*.toml) or a user's file names
only what it changes and lies over it; ``--set`` lies over both.

Presets and prompts lie, in a checkout and in an editable install of one, in ``configs/`` and
``prompts/`` beside the package; a wheel carries copies in ``intact/data/`` (pyproject.toml,
force-include), made when it is built.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from intact.domain import GENERALISABLE
from intact.errors import ConfigError, ResourceError, RunError

_PACKAGE = Path(__file__).resolve().parent
SHIPPED_TAGGER = _PACKAGE / "detection" / "data" / "tagger"
"""The folder of the tagger that comes with the package."""

TAGGER_SETTINGS = "tagger.json"
"""The file of a tagger's folder that says what it is, its weights by their SHA-256."""

Probability = Annotated[float, Field(ge=0.0, le=1.0)]
Count = Annotated[int, Field(ge=1, le=1000)]
Rank = Annotated[int, Field(ge=0, le=32)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class LabelSettings(_Section):
    """How an entity without a generalisation is called."""

    style: Literal["underscore", "brackets", "stars", "readable"] = "underscore"
    """How it looks: "underscore": PERSON_1; "brackets": [PERSON 1]; "stars": ***; "readable": the
    first person."""
    titles: bool = True
    """Keep a plain title: "Mr PERSON_1" (not with stars or readable labels)."""


class GenerationSettings(_Section):
    """Where candidates come from and which are kept."""

    sources: tuple[str, ...] = ("dates", "quantities", "knowledge")
    """Generators, in order: "dates", "quantities", "knowledge", "llm", or another package's."""
    max_candidates: Count = 8
    """Candidates kept for an entity, the most specific first."""
    ladders: tuple[Path, ...] = ()
    """TOML files with ladders of your own, asked before the embedded ones (docs/tutorial.md)."""
    glossary: Path | None = None
    """A CSV file with facts of your own (surface, phrase, kind), used before all else
    (docs/tutorial.md)."""
    check_leaks: bool = True
    """Drop candidates that share a telling word, a number or part of a name with the original."""
    check_disclosure: bool = True
    """Drop candidates that name what another masked span of the document hides."""
    merge: Literal["first", "interleave"] = "first"
    """Whose are kept: "first": the first generator that has candidates; "interleave": all of them,
    ordered."""
    max_words: Count = 8
    """Longer candidates stay only where there is no shorter one."""
    count: int = Field(5, ge=1, le=12)
    """Candidates asked of the language model."""
    temperature: float = Field(0.3, ge=0.0, le=2.0)
    """Of the language model that proposes; 0 is greedy."""
    judge: bool = True
    """The language model is asked twice, in different words, whether what it proposed is true,
    where the knowledge base cannot tell."""
    unverified: Literal["drop", "allow"] = "drop"
    """What becomes of candidates of the model that nobody confirms and nobody denies; allowed,
    their source is "llm, unverified"."""
    model: str = ""
    """Who proposes: a name under [models], else the one of [model]."""
    judge_model: str = ""
    """Who judges candidates: a name under [models], else who proposes."""


class TypeAttackSettings(_Section):
    """Attack thresholds of one entity type; None is the general setting."""

    guesses: Count | None = None
    """As in the section, for this type; unset is the section's."""
    max_risk: Probability | None = None
    """As in the section, for this type; unset is the section's."""


class AttackSettings(_Section):
    """Who attacks, how often they may guess, how sure they may be."""

    attackers: tuple[str, ...] = ("knowledge",)
    """Attackers, in order: "knowledge", "llm", "evidence" (words by which a model still guesses
    context.attributes), or another package's."""
    guesses: Count = 5
    """Guesses an attacker has at an entity."""
    max_risk: Probability = 0.45
    """Highest probability that one of the guesses is right; above it the candidate falls."""
    min_risk: Probability = 0.06
    """A right guess that its attacker holds to be right with less gives nothing away ("High Court",
    one of hundreds, for "a court"); 0: every right guess counts. A guess without a probability, or
    with a model's own belief, always counts."""
    control: Literal["label", "none"] = "label"
    """What a guessed entity is attacked at for comparison: its label, once; guessed there as well,
    the candidate adds nothing and stands. "none": every guess counts."""
    added_risk: Probability = 0.1
    """How much likelier than at the label an attacker may guess a candidate that adds nothing;
    without probabilities the right guess must come no earlier."""
    least_states: int = Field(20, ge=0, le=180)
    """How many States all replacements of a document together must leave for one that is hidden
    (regions, currencies): 20 leaves "Europe", 60 no part of the world; 0 does not look."""
    given: Literal["nothing", "states"] = "nothing"
    """What it knows before: "states": the knowledge attacker is told which States the document
    speaks of, as most readers see from the rest of the text, when it guesses places and bodies."""
    temperature: float = Field(0.0, ge=0.0, le=2.0)
    """Of the language model that attacks; 0 is greedy."""
    layout: Literal["legend", "inline"] = "legend"
    """Where an attacked text shows its replacements: in a "legend" or "inline"."""
    answer_tokens: int = Field(12, ge=2, le=200)
    """Tokens that one guess of the model may take."""
    reason: bool = False
    """Whether the model names the words that tell most before it guesses; the record keeps them."""
    samples: int = Field(1, ge=1, le=25)
    """How often the model is asked; the share of answers that name a guess is how sure it is."""
    models: tuple[str, ...] = Field(("",), min_length=1)
    """Which language models attack, all of them: names under [models]; "" is the one of [model]."""
    per_type: Mapping[str, TypeAttackSettings] = {}
    """guesses and max_risk by entity type: attack.per_type.LOC.max_risk."""

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
    """A telling word in common gives the original away."""
    ngram: Rank = 4
    """Letters that names must share to give the original away; 0 is off."""
    acronym: bool = True
    """An acronym gives its long form away, and the other way round."""
    number: bool = True
    """The same quantity in whatever notation gives it away."""
    date: bool = True
    """The same date, duration, age or time in whatever notation gives it away."""
    containment: bool = True
    """A guess that lies inside the original, or holds it, gives it away."""
    same: bool = True
    """What names the same thing as far as the knowledge base knows gives it away ("UK", "the United
    Kingdom")."""


class SelectionSettings(_Section):
    """How the rung of each entity is chosen."""

    method: str = "rounds"
    """By "rounds", "sequential" (as published, without the guarantee), or another package's."""
    start_rank: Rank = 0
    """First rung that is tried; 0 is the most specific."""
    start_rank_per_type: Mapping[str, Rank] = Field(default_factory=lambda: {"DATETIME": 1})
    """The same by entity type. The first rung of a date keeps its month, and few dates of a month
    are told from another."""

    def start_rank_for(self, entity_type: str) -> int:
        """The first rung that is tried for an entity of this type."""
        return self.start_rank_per_type.get(entity_type, self.start_rank)


class GuardSettings(_Section):
    """Hiding each document's individual among a population; off without a background."""

    background: Path | None = None
    """What `intact background build` made, or a small source of public text; unset is no guard."""
    k: int = Field(5, ge=1, le=10_000)
    """Others of the population that have to come before the true individual."""
    ensemble: tuple[str, ...] = ("tfidf", "bm25")
    """Attackers of which every one has to be misled."""
    also: tuple[str, ...] = ("ridge", "ridge_grams", "naive_bayes")
    """Further attackers, for which half of k is enough."""
    margin: float = Field(0.0, ge=0.0, le=10.0)
    """Standard deviations that the true individual must lie below the k-th other."""
    max_words: float = Field(0.25, ge=0.0, le=1_000_000)
    """Words that may be changed beyond the mentions: a share below 1, else a count."""
    protect: str = ""
    """The one individual of all documents, or a JSON file {doc_id: individual}."""
    edit: Literal["generalise", "mask"] = "generalise"
    """What further words become: a generalisation where there is one, or just ***."""
    absent: Literal["error", "ok"] = "error"
    """What if the population lacks the individual."""


class ContextSettings(_Section):
    """Words that nobody annotated and that tell something (`intact context` lists them)."""

    protect: bool = False
    """Treat them as mentions: each gets a true coarser phrase, attacked like any other, and a label
    only where nothing true is known."""
    classes: tuple[str, ...] = ("norm", "title", "foreign", "institution", "place", "term", "alias")
    """Which classes of words (docs/context.md)."""
    attributes: tuple[str, ...] = ()
    """What a language model tries to work out of the person ("age", "occupation", "home"): the
    words by which it does are listed and protected, too. None: it is not asked."""


class RewriteSettings(_Section):
    """How replacements are put into the text."""

    sweep: bool = True
    """Replace further occurrences of masked names that nobody annotated."""
    agreement: bool = True
    """Fit articles, prepositions and number to the sentence."""
    timeline: bool = True
    """Dates that would read alike say how they follow each other ("some weeks later in 2004")."""
    things: bool = True
    """One phrase for one thing: "the respondent State" for the State that a case is against, "a
    second court" for another body with the same phrase."""


class ModelSettings(_Section):
    """Which language model, and how it runs. Without one, the knowledge base does the work."""

    backend: str = "llamacpp"
    """Who runs it: "llamacpp", "transformers", "openai" (a server), or another package's."""
    path: Path | None = None
    """A GGUF file, or a folder for transformers."""
    repo: str = ""
    """A repository of the Hugging Face hub, with `file` in it."""
    file: str = ""
    """The file in `repo`."""
    revision: str = ""
    """Commit or tag of `repo`."""
    name: str = ""
    """A name of `intact models list`; with a server, its name for the model."""
    template: str = ""
    """Chat template: "" is the model's own, else a family's name or a file."""
    context: int = Field(4096, ge=256, le=1_000_000)
    """Tokens that prompt and answer may take together."""
    threads: int = Field(0, ge=0, le=512)
    """Threads that compute; 0 is the cores that are idle."""
    gpu_layers: int = Field(0, ge=-1, le=1000)
    """Layers put on the graphics processor (llamacpp); -1 is all."""
    parallel: int = Field(16, ge=1, le=4096)
    """Answers at a time that a server is asked for (openai), by all processes together."""
    precision: Literal["auto", "nf4", "bfloat16", "float32"] = "auto"
    """Of the weights (transformers)."""
    url: str = ""
    """Of an OpenAI-compatible server; "" is http://127.0.0.1:8080/v1."""
    allow_remote: bool = Field(False, exclude=True)
    """Whether `url` may be of another machine; said on the command line only."""
    api_key_env: str = "INTACT_API_KEY"
    """The environment variable that holds the server's key."""
    timeout: float = Field(300.0, gt=0.0, le=86_400)
    """Seconds for one request to the server."""
    retries: int = Field(9, ge=0, le=100)
    """How often a failed request to the server is repeated, a minute apart at most unless the
    server asks for longer; 9 is about three minutes."""
    extra: dict[str, Any] = {}
    """Further fields of every request to the server, such as reasoning_effort."""
    thinking_tokens: int = Field(0, ge=0, le=100_000)
    """Tokens granted to thoughts before each answer, where a server's model cannot do without."""
    together: int = Field(0, ge=0, le=64)
    """Questions in one request; 0 is 12 for a server, which reads every prompt anew, else 1."""
    store: Path | None = None
    """The file in which answers are kept, so that none is asked for twice; the command line takes
    one in the user's cache folder (--no-store: none)."""
    price_read: float = Field(0.0, ge=0.0)
    """Price of a million tokens read, for --plan."""
    price_written: float = Field(0.0, ge=0.0)
    """Price of a million tokens written, for --plan."""
    grammar: bool = True
    """Hold answers to their shape, by JSON schema or grammar, where backend or server can."""

    @property
    def questions(self) -> int:
        """How many questions a request holds."""
        return self.together or (12 if self.backend == "openai" else 1)

    @property
    def configured(self) -> bool:
        """Whether a model was asked for at all."""
        return bool(self.path or self.repo or self.name or self.url)


class PromptSettings(_Section):
    """Where the prompt files are."""

    dir: Path | None = None
    """A folder with changed copies of prompts/*.toml; what it lacks is as shipped."""


class DetectionSettings(_Section):
    """How mentions are found in texts that bring none."""

    detectors: tuple[str, ...] = ("auto",)
    """Their names: "auto", "patterns", "knowledge", "presidio", "spacy", "tagger", or another
    package's."""
    threshold: Probability = 0.5
    """Findings that score less do not count."""
    tagger: Path | None = None
    """The folder of a trained tagger; else the one that is shipped."""
    min_recall: Probability = 0.0
    """Use the tagger's threshold that reached this recall on held-out texts."""
    spacy: str = ""
    """An installed spaCy pipeline; "auto" uses it when it is set."""
    phone_regions: tuple[str, ...] = ("GB", "US")
    """Countries whose national telephone numbers are read."""

    def chosen(self) -> tuple[str, ...]:
        """The detectors, "auto" resolved: rules, the tagger, and spaCy where it is set."""
        auto = ("patterns", "knowledge", *(["spacy"] if self.spacy else []), "tagger")
        named = (one for name in self.detectors for one in (auto if name == "auto" else (name,)))
        return tuple(dict.fromkeys(named))


class RunSettings(_Section):
    """What a run needs beyond the method."""

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


class Settings(_Section):
    """The whole configuration."""

    labels: LabelSettings = LabelSettings()
    generation: GenerationSettings = GenerationSettings()
    attack: AttackSettings = AttackSettings()
    match: MatchSettings = MatchSettings()
    selection: SelectionSettings = SelectionSettings()
    guard: GuardSettings = GuardSettings()
    context: ContextSettings = ContextSettings()
    rewrite: RewriteSettings = RewriteSettings()
    model: ModelSettings = ModelSettings()
    models: Mapping[str, Mapping[str, Any]] = {}
    """Further language models by name: what each changes of [model]."""
    prompts: PromptSettings = PromptSettings()
    detection: DetectionSettings = DetectionSettings()
    run: RunSettings = RunSettings()

    @model_validator(mode="after")
    def _check_models(self) -> Settings:
        for name in ("", *self.models, *self.model_names):
            self.model_named(name)
        return self

    @property
    def model_names(self) -> tuple[str, ...]:
        """The language models that have a part in it, each once."""
        own = self.generation
        return tuple(dict.fromkeys((own.model, own.judge_model or own.model, *self.attack.models)))

    @property
    def has_model(self) -> bool:
        """Whether any of them is set."""
        return any(self.model_named(name).configured for name in self.model_names)

    def model_named(self, name: str) -> ModelSettings:
        """A language model: "" is section ``model``, any other lies over it.

        Raises:
            ValueError: there is none of that name.
        """
        if name and name not in self.models:
            raise ValueError(f"there is no [models.{name}]")
        own = {**self.model.model_dump(), "allow_remote": self.model.allow_remote}
        return ModelSettings.model_validate(own | dict(self.models.get(name, {})))

    @property
    def decisive(self) -> dict[str, Any]:
        """The settings that decide what comes out, as JSON has them: not those of waiting, of
        keeping answers, and of prices."""
        tree = self.model_dump(mode="json")
        for section in (tree["model"], *tree["models"].values()):
            for name in ("timeout", "retries", "store", "price_read", "price_written"):
                section.pop(name, None)
        return tree


def with_model(settings: Settings) -> Settings:
    """The settings in which a configured model is used, unless they say themselves by whom.

    Then the model proposes candidates beside the knowledge base and attacks after it.
    """
    if not settings.has_model:
        return settings
    generation: dict[str, Any] = {}
    if "sources" not in settings.generation.model_fields_set:
        generation["sources"] = (*settings.generation.sources, "llm")
        if "merge" not in settings.generation.model_fields_set:
            generation["merge"] = "interleave"
    attack: dict[str, Any] = {}
    if "attackers" not in settings.attack.model_fields_set:
        evidence = ("evidence",) if settings.context.attributes else ()
        attack["attackers"] = (*settings.attack.attackers, "llm", *evidence)
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
    if any(section.pop("allow_remote", False) for section in _models(tree)):
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
    *section, name = [str(part) for part in first["loc"]] or ["models"]
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
    if not path.exists():
        raise ConfigError(
            f"there is no preset or file called {str(config)!r}",
            remedy=f"Presets: {', '.join(presets())}.",
        )
    return read_toml(path)


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a TOML file.

    Raises:
        ConfigError: if it cannot be read, or is none.
    """
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise ConfigError(f"cannot be read ({error.strerror})", where=str(path)) from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"not UTF-8 (byte {error.start})", where=str(path)) from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"not valid TOML ({error})", where=str(path)) from None
    except (RecursionError, ValueError):
        raise ConfigError("nested too deeply or a number too long", where=str(path)) from None


def sha256(path: Path) -> str:
    """The SHA-256 of a file, hexadecimal.

    Raises:
        RunError: if it cannot be read.
    """
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise RunError(f"cannot be read ({error.strerror})", where=str(path)) from None


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
    default = ModelSettings().api_key_env
    if any(section.get("api_key_env", default) != default for section in _models(tree)):
        raise ConfigError(
            "a file may not say which environment variable is sent to a server",
            where="setting model.api_key_env",
            remedy="Give it as --set model.api_key_env=NAME, or as an override in Python.",
        )


def _models(tree: dict[str, Any]) -> list[dict[str, Any]]:
    """The sections that describe a language model."""
    more = tree.get("models")
    sections = [tree.get("model"), *(more.values() if isinstance(more, dict) else ())]
    return [section for section in sections if isinstance(section, dict)]


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


def resource_dir(name: str) -> Path:
    """The folder ``name`` ("configs", "prompts").

    Raises:
        ResourceError: if it is neither in the package nor beside it.
    """
    for folder in (_PACKAGE / "data" / name, _PACKAGE.parent / name):
        if folder.is_dir():
            return folder
    raise ResourceError(
        f"the shipped folder {name} is missing", remedy="Reinstall INTACT: its files are damaged."
    )


_FIELD = re.compile(r"\{(\w+)\}")

# For each file the templates it must hold, and the fields each template must and may use.
_TEMPLATES: dict[str, dict[str, frozenset[str]]] = {
    "generate": {
        "prefix": frozenset({"count", "examples", "hidden"}),
        "example": frozenset({"kind", "sentence", "answer"}),
        "question": frozenset({"count", "sentences", "target", "kind"}),
    },
    "attack": {
        "legend": frozenset({"document", "legend"}),
        "inline": frozenset({"document"}),
        "question": frozenset({"count", "marker", "shown"}),
        "reason": frozenset(),
    },
    "attack_date": dict.fromkeys(
        ("date", "years", "day", "weekday", "age", "duration", "clock", "time"),
        frozenset({"count", "marker", "shown"}),
    ),
    "evidence": {"prefix": frozenset({"attributes", "document"}), "question": frozenset()},
    "judge": {
        "first": frozenset(),
        "second": frozenset(),
        "about": frozenset({"sentences", "target"}),
        "question": frozenset({"candidate"}),
    },
    "several": dict.fromkeys(("lines", "words"), frozenset({"questions", "first"})),
}

# What could end our own quoting, or the turn itself, if a document said it.
_DANGEROUS = re.compile(
    r"<\|[^\n|>]{0,40}\|>"  # <|im_end|>, <|eot_id|>
    r"|</?s>|\[/?INST\]|<</?SYS>>"  # Llama 2, Mistral
    r"|</?(?:start|end)_of_(?:turn|text)>|<(?:bos|eos|pad|unk)>"  # Gemma
    r"|</?(?:think|tool_call|tool_response)>"
    r"|<{3,}|>{3,}|\[{2,}|\]{2,}"  # our fences and target marks
)
_MARKER = re.compile(r"\[(\d+)([:\]])")
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class PromptExample:
    """One worked answer, shown before the question."""

    sentence: str
    target: str
    answer: tuple[str, ...]
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Prompts:
    """All prompts of one folder.

    Attributes:
        templates: by "file.template", surrounding line breaks as the file has them.
        examples: one for each entity type.
        sha256: of everything above, for signatures and the record.
    """

    templates: Mapping[str, str]
    examples: Mapping[str, PromptExample]
    sha256: str

    def fill(self, template: str, **fields: str) -> str:
        """A template with its fields filled; the values are not searched for fields."""
        return _FIELD.sub(lambda match: fields[match[1]], self.templates[template])

    def example(self, entity_type: str) -> PromptExample:
        """The example of a type; an unknown type has that of MISC."""
        return self.examples.get(entity_type, self.examples["MISC"])


def load_prompts(folder: Path | None = None) -> Prompts:
    """The prompts of ``folder``; files it lacks are the shipped ones.

    Raises:
        ConfigError: a file or template is missing, unknown, unreadable, or has a wrong field.
    """
    shipped = resource_dir("prompts")
    if folder is not None:
        _check_folder(folder)
    trees: dict[str, dict[str, Any]] = {}
    for name, known in _TEMPLATES.items():
        own = folder / f"{name}.toml" if folder is not None else None
        path = own if own is not None and own.is_file() else shipped / f"{name}.toml"
        trees[name] = read_toml(path)
        _check_file(trees[name], known, path)
    examples = _examples(trees["generate"], "generate.toml")
    digest = hashlib.sha256(repr((trees, examples)).encode()).hexdigest()
    templates = {
        f"{name}.{template}": trees[name][template].removeprefix("\n")
        for name, known in _TEMPLATES.items()
        for template in known
    }
    return Prompts(templates, examples, digest)


def escape(text: str) -> str:
    """``text`` for a prompt: nothing in it can be taken for our marks or a chat's control words.

    A space breaks every such word up; "[12]" becomes "(12)". Offsets change.
    """
    clean = _UNPRINTABLE.sub("\ufffd", text)
    clean = _DANGEROUS.sub(lambda match: " ".join(_split(match[0])), clean)
    return _MARKER.sub(lambda match: f"({match[1]}{':' if match[2] == ':' else ')'}", clean)


def escape_line(text: str) -> str:
    """:func:`escape`, on one line."""
    return " ".join(escape(text).split())


def _split(word: str) -> list[str]:
    """The word's first character and its rest; for a run of one character, all of them."""
    return list(word) if len(set(word)) == 1 else [word[0], word[1:]]


def _check_folder(folder: Path) -> None:
    where = "setting prompts.dir"
    if not folder.is_dir():
        raise ConfigError(f"there is no folder {folder}", where=where)
    for path in sorted(folder.glob("*.toml")):
        if path.stem not in _TEMPLATES:
            raise ConfigError(
                f"{path.name} is not a prompt file",
                where=where,
                remedy=f"Known: {', '.join(f'{name}.toml' for name in _TEMPLATES)}.",
            )


def _check_file(tree: dict[str, Any], known: dict[str, frozenset[str]], path: Path) -> None:
    for name, fields in known.items():
        template = tree.get(name)
        if not isinstance(template, str) or not template.strip():
            raise ConfigError(f"the template {name!r} is missing or empty", where=str(path))
        used = frozenset(_FIELD.findall(template))
        if used != fields:
            missing = ", ".join(f"{{{field}}}" for field in sorted(fields - used))
            unknown = ", ".join(f"{{{field}}}" for field in sorted(used - fields))
            raise ConfigError(
                "; ".join(
                    part
                    for part in (
                        f"lacks {missing}" if missing else "",
                        f"has the unknown {unknown}" if unknown else "",
                    )
                    if part
                ),
                where=f"{path}, template {name}",
                remedy=f"Its fields: {', '.join(sorted(fields)) or 'none'}.",
            )
    for name in tree:
        if name not in known and name != "examples":
            raise ConfigError(f"{name!r} is not one of its templates", where=str(path))


def _examples(tree: dict[str, Any], where: str) -> dict[str, PromptExample]:
    examples: dict[str, PromptExample] = {}
    for kind in GENERALISABLE:
        raw = tree.get("examples", {}).get(kind)
        try:
            sentence, target, said = (str(raw[name]) for name in ("sentence", "target", "kind"))
            example = PromptExample(sentence, target, tuple(raw["answer"]), said)
        except (TypeError, KeyError):
            raise ConfigError(
                "needs kind, sentence, target and answer", where=f"{where}, examples.{kind}"
            ) from None
        if f"[[{example.target}]]" not in example.sentence or not example.answer:
            raise ConfigError(
                "the sentence must hold [[target]], and there must be answers",
                where=f"{where}, examples.{kind}",
            )
        examples[kind] = example
    return examples
