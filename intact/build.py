"""Settings to pipeline: the one place where the parts are put together.

Each part has a function here that takes the ``Workshop``, from which it gets the settings and
what several parts share. Parts of other packages come through entry points (see ``registry``)
and are called with the settings.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intact import registry
from intact.config import Settings, with_model
from intact.domain import Answer, Document, Entity, Ladder, Outcome
from intact.errors import ConfigError, ResourceError
from intact.pipeline import Pipeline, propose
from intact.protocols import Attacker, Detector, Generator, LanguageModel, Matcher, Selector

if TYPE_CHECKING:
    from intact.knowledge.base import KnowledgeBase
    from intact.prompts import Prompts
    from intact.selection.state import Labeller


class Workshop:
    """What the parts of one pipeline share, each made when it is first asked for."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    @cached_property
    def knowledge(self) -> KnowledgeBase:
        """The embedded knowledge base."""
        from intact.knowledge.base import KnowledgeBase

        return KnowledgeBase.open(extra_ladders=self.settings.generation.ladders)

    @cached_property
    def prompts(self) -> Prompts:
        """The language model's prompts."""
        from intact.prompts import load_prompts

        return load_prompts(self.settings.prompts.dir)

    @cached_property
    def model(self) -> LanguageModel:
        """The language model; prompts are checked before it is loaded."""
        from intact.models.load import load_model

        if not self.settings.model.configured:
            raise ConfigError(
                "llm is asked for, but no language model is set",
                where="settings generation.sources, attack.attackers",
                remedy="Set model.name or model.path; see: intact models list",
            )
        _ = self.prompts
        model = load_model(self.settings.model)
        if self.settings.attack.kind != "guess" and not model.scores:
            model.close()
            raise ConfigError(
                "this model's server gives no log-probabilities",
                where="setting attack.kind",
                remedy="Set attack.kind=guess, or model.template to the model's family.",
            )
        return model

    def close(self) -> None:
        """Free what the parts hold."""
        model = self.__dict__.pop("model", None)
        if model is not None:
            model.close()

    @cached_property
    def labels(self) -> Labeller:
        """What entities fall back on."""
        from intact.generation.labels import labels

        own = self.settings.labels
        return partial(labels, style=own.style, titles=own.titles)

    @cached_property
    def matcher(self) -> Matcher:
        """When a guess gives the original away."""
        from intact.attack.matching import Matching

        return Matching(self.settings.match)


def build_pipeline(settings: Settings, generator: Generator | None = None) -> Pipeline:
    """The pipeline that ``settings`` describe.

    Args:
        generator: proposes candidates instead of what the settings name.

    Raises:
        ConfigError: if they name a part that does not exist.
        ResourceError: if the knowledge base cannot be opened.
        ModelError: if the language model cannot be loaded.
    """
    return _pipeline(settings, _selector, generator)


def build_recorder(settings: Settings) -> Pipeline:
    """A pipeline that has every candidate attacked, for thresholds to be tried on the record.

    Raises:
        ConfigError, ResourceError, ModelError: as ``build_pipeline``.
    """
    return _pipeline(settings, _recorder)


def _pipeline(
    settings: Settings,
    selector: Callable[[Workshop], Selector],
    generator: Generator | None = None,
) -> Pipeline:
    workshop = Workshop(with_model(settings))
    try:
        return Pipeline(
            generator or _generator(workshop),
            selector(workshop),
            _detector(workshop),
            close=workshop.close,
        )
    except BaseException:
        workshop.close()
        raise


def build_detector(settings: Settings) -> Detector:
    """What finds mentions in plain text under ``settings``.

    Raises:
        ConfigError: for an unknown detector or a setting that it lacks.
        MissingExtraError: if a package it needs is not installed.
        ModelError: if a model cannot be loaded.
    """
    from intact.detection.factory import detector

    workshop = Workshop(settings)
    return detector(settings.detection, lambda: workshop.knowledge)


def build_attackers(settings: Settings) -> dict[str, Attacker]:
    """The attackers that ``settings`` name, by name, to be run on documents that are finished.

    Raises:
        ConfigError: if they name one that does not exist.
    """
    attackers = _attackers(Workshop(settings))
    return dict(zip(settings.attack.attackers, attackers, strict=True))


def build_guess_judge(settings: Settings) -> Callable[[Answer, Entity], bool]:
    """Whether an attacker's answer gives an entity away, under ``settings``."""
    from intact.selection.judging import judge

    matcher = Workshop(settings).matcher

    def guessed(answer: Answer, entity: Entity) -> bool:
        return judge(answer, entity, matcher, settings.attack).outcome is not Outcome.SAFE

    return guessed


def build_ladders(settings: Settings) -> Callable[[Document], Mapping[str, Ladder]]:
    """The candidates of every entity of a document that may be generalised, unattacked."""
    return partial(propose, _generator(Workshop(settings)))


def describe_parts(settings: Settings) -> dict[str, str]:
    """Name -> version or SHA-256 of what a result depends on beside the settings."""
    from intact.knowledge.base import FILE

    packages = {name: metadata.version(name) for name in ("rapidfuzz", "simplemma")}
    files = {"knowledge": FILE} | {f"ladder {path}": path for path in settings.generation.ladders}
    parts = packages | {name: _sha256(path) for name, path in files.items()}
    if settings.guard.background is not None:
        from intact.reidentification.opening import signature

        parts["background"] = signature(settings.guard.background)
        if Path(settings.guard.protect).is_file():
            parts["guard.protect"] = _sha256(Path(settings.guard.protect))
    if settings.detection.tagger is not None:
        parts["tagger"] = _sha256(settings.detection.tagger / "weights.safetensors")
    if settings.model.configured:
        from intact.models.load import model_signature
        from intact.prompts import load_prompts

        parts["prompts"] = load_prompts(settings.prompts.dir).sha256
        parts["model"] = model_signature(settings.model)
    return parts


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ResourceError(f"cannot be read ({error.strerror})", where=str(path)) from None


def _dates(workshop: Workshop) -> Generator:
    from intact.generation.dates import DateGenerator

    return DateGenerator()


def _quantities(workshop: Workshop) -> Generator:
    from intact.generation.quantities import QuantityGenerator

    return QuantityGenerator()


def _knowledge(workshop: Workshop) -> Generator:
    from intact.generation.knowledge import KnowledgeGenerator

    return KnowledgeGenerator(workshop.knowledge)


def _knowledge_attacker(workshop: Workshop) -> Attacker:
    from intact.attack.knowledge import KnowledgeAttacker

    return KnowledgeAttacker(workshop.knowledge, workshop.settings.attack)


def _llm(workshop: Workshop) -> Generator:
    from intact.generation.llm import LlmGenerator

    settings = workshop.settings
    return LlmGenerator(
        workshop.model,
        workshop.prompts,
        settings.generation,
        settings.run.seed,
        workshop.knowledge.subsumes,
    )


def _llm_attacker(workshop: Workshop) -> Attacker:
    from intact.attack.llm import LlmAttacker, LlmAttackSettings

    settings = workshop.settings.attack
    return LlmAttacker(
        workshop.model,
        workshop.prompts,
        LlmAttackSettings(
            kind=settings.kind,
            guesses=settings.guesses_for,
            doubt=settings.max_risk_for,
            decoys=settings.decoys,
            temperature=settings.temperature,
            layout=settings.layout,
            answer_tokens=settings.answer_tokens,
            seed=workshop.settings.run.seed,
        ),
        siblings=None if settings.kind == "guess" else _knowledge_attacker(workshop),
    )


_GENERATORS: Mapping[str, Callable[[Workshop], Generator]] = {
    "dates": _dates,
    "quantities": _quantities,
    "knowledge": _knowledge,
    "llm": _llm,
}
_ATTACKERS: Mapping[str, Callable[[Workshop], Attacker]] = {
    "knowledge": _knowledge_attacker,
    "llm": _llm_attacker,
}


def _generator(workshop: Workshop) -> Generator:
    from intact.generation.chain import ChainGenerator
    from intact.generation.checks import CandidateChecks

    settings = workshop.settings.generation
    generators = [_part("generator", name, _GENERATORS, workshop) for name in settings.sources]
    checks = CandidateChecks(settings, workshop.knowledge)
    return ChainGenerator(generators, checks, settings, workshop.knowledge.subsumes)


def _detector(workshop: Workshop) -> Detector:
    """Made at the first document without mentions; most documents bring theirs."""
    from intact.detection.factory import DetectorOnDemand, detector

    return DetectorOnDemand(
        lambda: detector(workshop.settings.detection, lambda: workshop.knowledge)
    )


def _selector(workshop: Workshop) -> Selector:
    if workshop.settings.guard.background is None:
        return _rounds(workshop)
    return _guarded(workshop, workshop.settings.guard.background)


def _guarded(workshop: Workshop, background: Path) -> Selector:
    from intact.generation.checks import CandidateChecks
    from intact.generation.unmarked import UnmarkedGenerator
    from intact.reidentification.opening import open_population, owners
    from intact.reidentification.ranking import reidentifiers
    from intact.reidentification.windows import window_attackers
    from intact.selection.guard import GuardedSelector, Opponents
    from intact.selection.reading_pressure import Reader

    settings = workshop.settings
    population = open_population(background, workshop.knowledge)
    wanted = settings.guard.also if "retrieval" in settings.guard.ensemble else ()
    also = window_attackers(population, wanted)
    found = reidentifiers(population, settings.guard.ensemble, windows=bool(also))
    opponents = Opponents(
        population,
        [linear for each in found if (linear := getattr(each, "linear", None)) is not None],
        [each for each in found if isinstance(each, Reader)],
        owners(settings.guard.protect),
        also,
    )
    return GuardedSelector(
        _rounds(workshop),
        opponents,
        UnmarkedGenerator(
            workshop.knowledge, CandidateChecks(settings.generation, workshop.knowledge)
        ),
        _attackers(workshop),
        workshop.matcher,
        settings,
    )


def _rounds(workshop: Workshop) -> Selector:
    from intact.selection.rounds import RoundsSelector
    from intact.selection.sequential import SequentialSelector

    settings = workshop.settings
    kind = SequentialSelector if settings.selection.method == "sequential" else RoundsSelector
    return kind(_attackers(workshop), workshop.matcher, workshop.labels, settings)


def _recorder(workshop: Workshop) -> Selector:
    from intact.selection.replay import Recorder

    return Recorder(_attackers(workshop), workshop.matcher, workshop.labels, workshop.settings)


def _attackers(workshop: Workshop) -> list[Attacker]:
    names = workshop.settings.attack.attackers
    return [_part("attacker", name, _ATTACKERS, workshop) for name in names]


def _part(
    kind: str, name: str, own: Mapping[str, Callable[[Workshop], Any]], workshop: Workshop
) -> Any:
    others = tuple(registry.names(kind))
    try:
        if name in own:
            return own[name](workshop)
        if name in others:
            return registry.load(kind, name)(workshop.settings)
    except ModuleNotFoundError as error:
        raise registry.missing(kind, name, error) from None
    raise ConfigError(
        f"there is no {kind} called {name!r}", remedy=f"Known: {', '.join((*own, *others))}."
    )
