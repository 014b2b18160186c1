"""One document: detect, generate, select, without I/O (``Pipeline``); and settings to pipeline: the
one place where the parts are put together.

The built-in generators, attackers and selectors have a function here that takes the
``Components``: the settings, and what several parts share. Parts of other packages are called
with the same (see ``protocols``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property, partial
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from intact.config import (
    SHIPPED_TAGGER,
    TAGGER_SETTINGS,
    Prompts,
    Settings,
    load_prompts,
    sha256,
    with_model,
)
from intact.detection.factory import DetectorOnDemand, detector
from intact.discourse.things import states, unified
from intact.domain import ENTITY_TYPES, Answer, Document, Entity, Ladder, Outcome, SanitizedDocument
from intact.english.sentences import unwrapped, wrapped
from intact.english.words import reads_english
from intact.errors import ConfigError, InputError, LanguageError
from intact.knowledge.base import FILE, KnowledgeBase
from intact.planning.ladder import CandidateChecks, ChainGenerator, labels
from intact.planning.rules.kinds import KnowledgeGenerator
from intact.planning.rules.quantities import QuantityGenerator
from intact.planning.rules.times import DateGenerator
from intact.protocols import (
    UNSURE,
    Attacker,
    Detection,
    Detector,
    Generator,
    LanguageModel,
    Matcher,
    Reviser,
    make_part,
)
from intact.verification.judging import judge
from intact.verification.matching import Matching
from intact.verification.rounds import RoundsSelector
from intact.verification.rule_attacker import KnowledgeAttacker
from intact.verification.state import Labeller, Selector, StatesReader

if TYPE_CHECKING:
    from intact.context.clues import EvidenceFinder
    from intact.context.protect import ContextProtection
    from intact.models.counted import CountedModel


class Pipeline:
    """Sanitises documents one at a time; of the last one it keeps the candidates, for a review
    that asks for them after each change.

    Args:
        generator: proposes a ladder per entity.
        selector: chooses among the rungs and rewrites the text.
        detector: finds mentions in raw text; None where documents bring theirs.
        close: frees what the parts hold (a language model's process).
        reviser: what people decided about the documents, if anything.
        context: makes mentions of words that nobody annotated; None leaves them.
        usage: what language models were asked so far.
        english_only: whether documents in other languages are refused.
    """

    def __init__(
        self,
        generator: Generator,
        selector: Selector,
        detector: Detector | None = None,
        close: Callable[[], None] | None = None,
        reviser: Reviser | None = None,
        context: ContextProtection | None = None,
        usage: Callable[[], Mapping[str, float]] = dict,
        *,
        english_only: bool = False,
    ) -> None:
        self._generator = generator
        self._selector = selector
        self._detector = detector
        self._close = close
        self._reviser = reviser
        self._context = context
        self._english_only = english_only
        self._proposed: tuple[Document, Document, Mapping[str, Ladder]] | None = None
        self.usage = usage

    def sanitize(self, document: Document) -> SanitizedDocument:
        """The document with a replacement for every masked mention.

        Raises:
            InputError: if it is not annotated and there is no detector.
            LanguageError: if it is not in English, which is all that the rules know.
        """
        if not document.annotated:
            return self.sanitize_raw(document)
        if self._english_only and not reads_english(document.text):
            raise LanguageError(
                "it is not in English, which is all that is known here",
                remedy="Leave it out; or sanitise it in the knowledge that most will be missed: "
                "run.language=any.",
            )
        document = unified(document)
        if self._context is not None:
            document = self._context.mentions(document)
        if self._reviser is None:
            return self._select(document, *self._propose(document))
        document, first = self._reviser.mentions(document)
        flat, proposed = self._propose(document)
        ladders, more = self._reviser.ladders(document, proposed)
        done = self._select(document, flat, ladders)
        return replace(done, notes=(*done.notes, *first, *more))

    def _select(
        self, document: Document, flat: Document, ladders: Mapping[str, Ladder]
    ) -> SanitizedDocument:
        """What the selector makes of ``flat``, the document with its wrapped lines read as one."""
        done = self._selector.select(flat, ladders)
        if flat == document:
            return done
        edits = wrapped(document.text, flat.text, done.edits)
        return replace(done, document=done.document.with_text(document.text), edits=edits)

    def _propose(self, document: Document) -> tuple[Document, Mapping[str, Ladder]]:
        """The document with its wrapped lines read as one, and what is proposed for it."""
        if self._proposed is None or self._proposed[0] != document:
            leave = "" if self._context is None else self._context.own
            flat = document.with_text(unwrapped(document.text))
            ladders = propose(self._generator, flat, leave)
            if self._context is not None:
                ladders = self._context.ladders(document, ladders)
            self._proposed = document, flat, ladders
        return self._proposed[1:]

    def sanitize_raw(self, document: Document) -> SanitizedDocument:
        """The same for a document that nobody annotated: its mentions are detected first.

        The notes say so, and why something may have been missed (``UNSURE``).

        Raises:
            InputError: if there is no detector.
        """
        try:
            detection = self.detect(document.text)
        except InputError as error:
            raise error.at(f"document {document.id}") from None
        done = self.sanitize(replace(document, mentions=detection.mentions, annotated=True))
        count = len(detection.mentions)
        said = f"{count} mention{'' if count == 1 else 's'} detected, none was annotated"
        unsure = (f"{UNSURE}{note}" for note in detection.notes)
        return replace(done, notes=(said, *unsure, *done.notes), doubts=detection.doubts)

    def detect(self, text: str) -> Detection:
        """The mentions in raw text.

        Raises:
            InputError: if there is no detector.
        """
        if self._detector is None:
            raise InputError("it has no annotated mentions, and nothing here detects them")
        return self._detector.detect(text)

    def close(self) -> None:
        """Frees what the parts hold; calling it twice does no harm."""
        if self._close is not None:
            self._close()


def propose(generator: Generator, document: Document, leave: str = "") -> Mapping[str, Ladder]:
    """A ladder for each entity that a generalisation may stand for, unattacked.

    Direct identifiers and unknown types have none and end on their label.

    Args:
        generator: asked once for all entities.
        document: what is to be sanitised.
        leave: how ids of entities begin that are left out.
    """
    entities = [
        entity
        for entity in document.entities
        if entity.generalisable and entity.entity_type in ENTITY_TYPES
        if not (leave and entity.id.startswith(leave))
    ]
    return generator.generate(document, entities) if entities else {}


class Components:
    """What the parts of one pipeline share, each made when it is first asked for."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._models: dict[str, CountedModel] = {}

    @cached_property
    def knowledge(self) -> KnowledgeBase:
        """The embedded knowledge base."""
        return KnowledgeBase.open(extra_ladders=self.settings.generation.ladders)

    @cached_property
    def prompts(self) -> Prompts:
        """The language model's prompts."""
        return load_prompts(self.settings.prompts.dir)

    @property
    def model(self) -> LanguageModel:
        """The language model of section ``model``."""
        return self.model_named("")

    def model_named(self, role: str) -> LanguageModel:
        """Return the language model of a role, loaded once; prompts are checked before that.

        Args:
            role: one of ``config.ROLES``, or "" for that of section ``model``.

        Raises:
            ConfigError: none is set, or it cannot do what is asked of it.
        """
        name = role if role in self.settings.models else ""
        if name in self._models:
            return self._models[name]
        settings = self.settings.model_named(name)
        if not settings.configured:
            raise ConfigError(
                "llm is asked for, but no language model is set",
                where="settings generation.sources, attack.attackers",
                remedy="Set model.name or model.path; see: intact models list",
            )
        from intact.models.counted import AnswerStore, CountedModel
        from intact.models.load import load_model

        _ = self.prompts
        store = AnswerStore(settings.store) if settings.store is not None else None
        at_once = 1 if settings.backend == "llamacpp" else 4 * settings.parallel
        model = CountedModel(load_model(settings), store, at_once)
        self._models[name] = model
        return model

    def usage(self) -> Mapping[str, float]:
        """What the language models were asked so far; see ``CountedModel``."""
        total: Counter[str] = Counter()
        for model in self._models.values():
            total.update(model.usage)
        return total

    def close(self) -> None:
        """Free what the parts hold."""
        while self._models:
            self._models.popitem()[1].close()

    @cached_property
    def labels(self) -> Labeller:
        """What entities fall back on."""
        return partial(labels, style=self.settings.labels.style)

    @cached_property
    def states(self) -> StatesReader:
        """The States that a document speaks of."""
        return partial(states, base=self.knowledge)

    @cached_property
    def checks(self) -> CandidateChecks:
        """Which candidates are sound."""
        return CandidateChecks(self.knowledge.aliases)

    @cached_property
    def matcher(self) -> Matcher:
        """When a guess gives the original away."""
        return Matching(self.knowledge.tells)


def build_pipeline(settings: Settings, reviser: Reviser | None = None) -> Pipeline:
    """The pipeline that ``settings`` describe.

    Args:
        settings: of every part.
        reviser: what people decided about the documents, if anything.

    Raises:
        ConfigError: if they name a part that does not exist.
        ResourceError: if the knowledge base cannot be opened.
        ModelError: if the language model cannot be loaded.
    """
    components = Components(with_model(settings))
    try:
        return Pipeline(
            _generator(components),
            _selector(components),
            _detector(components),
            close=components.close,
            usage=components.usage,
            reviser=reviser,
            context=_context(components),
            english_only=settings.run.language == "en",
        )
    except BaseException:
        components.close()
        raise


def build_detector(settings: Settings) -> Detector:
    """What finds mentions in plain text under ``settings``.

    Raises:
        ConfigError: for an unknown detector or a setting that it lacks.
        MissingExtraError: if a package it needs is not installed.
        ModelError: if a model cannot be loaded.
    """
    components = Components(settings)
    return detector(settings.detection, lambda: components.knowledge)


def build_attackers(settings: Settings) -> dict[str, Attacker]:
    """The attackers that ``settings`` name, by name, to be run on documents that are finished.

    Raises:
        ConfigError: if they name one that does not exist.
    """
    return {attacker.name: attacker for attacker in _attackers(Components(settings))}


def build_guess_judge(settings: Settings) -> Callable[[Answer, Entity], bool]:
    """Whether an attacker's answer gives an entity away, under ``settings``; every right guess
    counts, however unlikely it was held to be."""

    matcher = Components(settings).matcher
    attack = settings.attack.model_copy(update={"min_risk": 0.0})

    def guessed(answer: Answer, entity: Entity) -> bool:
        return judge(answer, entity, matcher, attack).outcome is not Outcome.SAFE

    return guessed


def build_ladders(settings: Settings) -> Callable[[Document], Mapping[str, Ladder]]:
    """The candidates of every entity of a document that may be generalised, unattacked."""
    return partial(propose, _generator(Components(settings)))


def describe_parts(settings: Settings) -> dict[str, str]:
    """Name -> version or SHA-256 of what a result depends on beside the settings."""
    packages = {name: metadata.version(name) for name in ("rapidfuzz", "simplemma")}
    files = {"knowledge": FILE} | {f"ladder {path}": path for path in settings.generation.ladders}
    if settings.generation.glossary is not None:
        files["glossary"] = settings.generation.glossary
    parts = packages | {name: sha256(path) for name, path in files.items()}
    if settings.guard.background is not None:
        from intact.reidentification.population import signature

        parts["background"] = signature(settings.guard.background)
        if Path(settings.guard.protect).is_file():
            parts["guard.protect"] = sha256(Path(settings.guard.protect))
    if "tagger" in settings.detection.chosen():
        folder = settings.detection.tagger or SHIPPED_TAGGER
        parts["tagger"] = sha256(folder / TAGGER_SETTINGS)
    for name in settings.model_names:
        if (model := settings.model_named(name)).configured:
            from intact.models.load import model_signature

            parts["prompts"] = Components(settings).prompts.sha256
            parts[f"model {name}".rstrip()] = model_signature(model)
    return parts


def date_generator(components: Components) -> Generator:
    """Dates, ages and durations by rules."""
    return DateGenerator()


def quantity_generator(components: Components) -> Generator:
    """Numbers and amounts by rules."""
    return QuantityGenerator()


def knowledge_generator(components: Components) -> Generator:
    """Places, organisations, characteristics and particulars by the knowledge base."""
    return KnowledgeGenerator(components.knowledge)


def knowledge_attacker(components: Components) -> Attacker:
    """Guesses by the knowledge base and the rest of the text."""
    return KnowledgeAttacker(components.knowledge, components.settings.attack)


def llm_generator(components: Components, *, looked_up: bool = True) -> Generator:
    """Whatever the language model proposes.

    Args:
        components: what the parts share.
        looked_up: whether the knowledge base says which of it is true, where it can.
    """
    from intact.planning.llm import LlmGenerator

    settings = components.settings
    return LlmGenerator(
        components.model_named("proposer"),
        components.prompts,
        settings.run.seed,
        components.knowledge.subsumes if looked_up else None,
        components.checks,
        settings.model_named("proposer").questions,
        judge=components.model_named("reader"),
    )


def llm_attacker(components: Components) -> Attacker:
    """Guesses by the language model that is the stranger."""
    from intact.verification.model_attacker import LlmAttacker

    settings = components.settings
    return LlmAttacker(
        components.model_named("stranger"),
        components.prompts,
        settings.attack,
        settings.run.seed,
        together=3 * settings.model_named("stranger").questions,
    )


def evidence_finder(components: Components) -> EvidenceFinder:
    """Finds and attacks the words that tell ``context.attributes``."""
    from intact.context.clues import EvidenceFinder

    settings = components.settings
    return EvidenceFinder(
        components.model, components.prompts, settings.context.attributes, settings.run.seed
    )


def _generator(components: Components) -> Generator:

    settings = components.settings.generation
    generators = [make_part("generator", name, components) for name in settings.sources]
    checks, base = components.checks, components.knowledge
    chain = ChainGenerator(
        generators, checks, base.subsumes, base.breadth, interleave="llm" in settings.sources
    )
    if settings.glossary is None:
        return chain
    from intact.planning.glossary import GlossaryGenerator, read_glossary

    facts = read_glossary(settings.glossary, components.knowledge.aliases)
    return GlossaryGenerator(settings.glossary, facts, chain, checks)


def _detector(components: Components) -> Detector:
    """Made at the first document without mentions; most documents bring theirs."""
    return DetectorOnDemand(
        lambda: detector(components.settings.detection, lambda: components.knowledge)
    )


def _selector(components: Components) -> Selector:
    if components.settings.guard.background is None:
        return _unguarded(components)
    return _guarded(components, components.settings.guard.background)


def _guarded(components: Components, background: Path) -> Selector:
    from intact.planning.rules.kinds import UnmarkedGenerator
    from intact.reidentification.attackers import reidentifiers
    from intact.reidentification.population import open_population, owners
    from intact.verification.guard import ALSO, ENSEMBLE, GuardedSelector, Opponents

    settings = components.settings
    population = open_population(background)
    opponents = Opponents(
        population,
        reidentifiers(population, ENSEMBLE),
        reidentifiers(population, ALSO, skip_too_large=True),
        owners(settings.guard.protect),
    )
    return GuardedSelector(
        _unguarded(components),
        opponents,
        UnmarkedGenerator(
            components.knowledge,
            components.checks,
        ),
        _attackers(components),
        components.matcher,
        settings,
        components.states,
    )


def _context(components: Components) -> ContextProtection | None:
    settings = components.settings.context
    if not settings.protect:
        return None
    from intact.context.protect import ContextProtection

    if not settings.attributes:
        return ContextProtection(components.knowledge)
    worded = "llm" in components.settings.generation.sources
    return ContextProtection(
        components.knowledge,
        evidence_finder(components),
        llm_generator(components, looked_up=False) if worded else None,
    )


def _unguarded(components: Components) -> Selector:
    return RoundsSelector(
        _attackers(components),
        components.matcher,
        components.labels,
        components.settings,
        components.states,
        components.knowledge.implies,
    )


def _attackers(components: Components) -> list[Attacker]:
    """All that attack; a thing is guessed where one of them guesses it."""
    names = components.settings.attack.attackers
    return [make_part("attacker", name, components) for name in names]
