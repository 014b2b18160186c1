"""From settings to a ``Pipeline``: the one place where the parts are put together.

The built-in generators, attackers and selectors have a function here that takes the ``Components``:
the settings, and what several parts share. Parts of other packages are called with the same (see
``protocols``).
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property, lru_cache, partial
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from intact import protocols
from intact.config import Settings
from intact.detection.detector import DocumentDetector
from intact.detection.factory import detector
from intact.detection.names import name_list
from intact.discourse.things import find_states
from intact.domain import Answer, Entity, Outcome
from intact.english.words import is_english
from intact.errors import ConfigError
from intact.knowledge.base import FILE, KnowledgeBase
from intact.knowledge.kinds import FILE as KINDS
from intact.models.prompts import Prompts, load_prompts
from intact.planning.glossary import Glossary, read_glossary
from intact.planning.ladder import Checker, DocumentChecks, RulePlanner, labels
from intact.planning.rules.kinds import KnowledgeGenerator, UnmarkedGenerator
from intact.planning.rules.quantities import QuantityGenerator
from intact.planning.rules.times import DateGenerator
from intact.protocols import LanguageModel, make_part
from intact.sanitizing import Pipeline
from intact.shipped import ENTAILMENT, KIND_HEAD, RESCORER, SHIPPED_TAGGER, TAGGER_SETTINGS, sha256
from intact.verification.evidence import EvidenceFinder
from intact.verification.matching import Matching, judge
from intact.verification.rounds import RoundsSelector
from intact.verification.rule_attacker import KnowledgeAttacker
from intact.verification.second_question import SecondQuestion

if TYPE_CHECKING:
    from intact.context import ContextProtection
    from intact.models.counted import CountedModel
    from intact.models.entailment import EntailmentNetwork
    from intact.planning.model.planner import ModelPlanner


class Components:
    """The parts that one pipeline shares, each made when it is first asked for."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._models: dict[str, CountedModel] = {}

    @cached_property
    def knowledge(self) -> KnowledgeBase:
        """The embedded knowledge base, with the user's own ladders (phrases for a name, most
        specific first) from the settings."""
        return KnowledgeBase.open(extra_ladders=self.settings.generation.ladders)

    @cached_property
    def prompts(self) -> Prompts:
        """The language model's prompts: the shipped ones, or changed copies in the folder of the
        settings."""
        return load_prompts(self.settings.prompts.dir)

    def model_named(self, role: str) -> LanguageModel:
        """Return the language model of a role. It is loaded once, after the prompts have been
        checked; roles without a table of their own share one model.

        Args:
            role: one of ``config.ROLES``, or "" for the model of section ``model``, which also
                stands in for a role that has none of its own.

        Raises:
            ConfigError: if no model is set, or it cannot do what is asked of it.
            ModelError: if it cannot be loaded.
        """
        name = role if role in self.settings.models else ""
        if name in self._models:
            return self._models[name]
        settings = self.settings.model_named(name)
        if not settings.shown:
            asking = "settings generation.sources, attack.attackers"
            raise ConfigError("llm is asked for, but no language model is set", where=asking)
        from intact.models.counted import AnswerStore, CountedModel
        from intact.models.load import load_model

        _ = self.prompts
        store = AnswerStore(settings.store) if settings.store is not None else None
        portion = (1 if settings.backend == "llamacpp" else 4) * settings.parallel
        model = CountedModel(load_model(settings), store, portion)
        self._models[name] = model
        return model

    def usage(self) -> Mapping[str, float]:
        """Return the sums, name -> number, of what all language models were asked so far (requests,
        tokens, seconds; see ``CountedModel``); empty before the first is loaded."""
        total: Counter[str] = Counter()
        for model in self._models.values():
            total.update(model.usage)
        return total

    def close(self) -> None:
        """Close the language models that were loaded; they are loaded again if asked for later."""
        while self._models:
            self._models.popitem()[1].close()

    @cached_property
    def labels(self) -> protocols.Labeller:
        """A function that returns the labels of a document's entities, by entity id, in the style
        of the settings. For entities that only a label may replace, a label of the user's glossary
        wins."""
        style, own = self.settings.labels.style, self.glossary.phrases
        return lambda entities: {
            **labels(entities, style),
            **own(entity for entity in entities if not entity.generalisable),
        }

    @cached_property
    def glossary(self) -> Glossary:
        """The user's glossary (which phrase replaces which name), read from the file of the
        settings; without a file it is empty."""
        path = self.settings.generation.glossary
        facts = read_glossary(path, self.knowledge.aliases) if path else ()
        return Glossary(facts, lambda word: name_list().use(word) or not is_english(word))

    @cached_property
    def checks(self) -> Checker:
        """A function that makes, from the entities of a document, the checks that candidates have
        to pass there."""
        return partial(DocumentChecks, aliases=lru_cache(1 << 14)(self.knowledge.aliases))

    @cached_property
    def evidence(self) -> EvidenceFinder:
        """Finds evidence that phrases are true: arithmetic, the knowledge base, the entailment
        network and, if there is a model for the role "reader", its answers."""

        def second() -> SecondQuestion:
            return SecondQuestion(self.model_named("reader"), self.prompts, self.settings.run.seed)

        def network() -> EntailmentNetwork:
            from intact.models.entailment import load_entailment

            return load_entailment()

        asks = self.settings.model_named("reader").shown
        return EvidenceFinder(network, self.knowledge, second if asks else None)

    @cached_property
    def matcher(self) -> protocols.Matcher:
        """Decides by rules and the knowledge base whether a guess gives the original away."""
        return Matching(self.knowledge.tells, self.knowledge.identifies)


# New objects from which the process looks for garbage, unless it has set more: all that is kept of
# the knowledge base is searched, too, which took up to a tenth of the time at Python's 700.
_YOUNG = 10_000


def build_pipeline(
    settings: Settings, reviser: protocols.Reviser | None = None, parts: Components | None = None
) -> Pipeline:
    """Build the pipeline that the settings describe. In the whole process, Python then looks for
    garbage after 10,000 new objects, unless it was told to do so less often or never.

    Args:
        settings: all of them; what a preset, a file and overrides make.
        reviser: what people decided about the documents, if anything.
        parts: made with these settings, to share them; the pipeline closes them.

    Raises:
        ConfigError: if they name a part that does not exist.
        ResourceError: if the knowledge base cannot be opened.
        ModelError: if the language model cannot be loaded.
    """
    gc.set_threshold((young := gc.get_threshold()[0]) and max(young, _YOUNG))  # 0: switched off
    components = parts or Components(settings)
    try:
        selector, without_model = _selectors(components)
        return Pipeline(
            _planner(components),
            selector,
            cache(lambda: build_detector(components)),  # most documents bring their mentions
            close=components.close,
            usage=components.usage,
            reviser=reviser,
            context=_context(components),
            states=partial(find_states, base=components.knowledge),
            english_only=settings.run.language == "en",
            without_model=without_model,
            evidence=components.evidence,
            glossary=components.glossary,
        )
    except BaseException:
        components.close()
        raise


def build_detector(components: Components) -> DocumentDetector:
    """Build the detector of raw text that the settings describe; it also finds the words of the
    user's glossary, if the settings name one.

    Raises:
        ConfigError: for an unknown detector or a setting that it lacks.
        MissingExtraError: if a package it needs is not installed.
        ModelError: if a model cannot be loaded.
    """
    made = detector(components.settings.detection, lambda: components.knowledge)
    if components.settings.generation.glossary:
        made.own = components.glossary.find
    return made


def build_attackers(components: Components) -> dict[str, protocols.Attacker]:
    """Make the attackers that the settings name, by these names, in their order. An entity counts
    as guessed if one of them guesses it.

    Raises:
        ConfigError: if the settings name one that does not exist.
    """
    names = components.settings.attack.attackers
    return {name: make_part("attacker", name, components) for name in names}


def build_guess_judge(components: Components) -> Callable[[Answer, Entity], bool]:
    """Build a function that is given an attacker's answer and an entity, and returns True if the
    answer gives the entity away. Every right guess counts, however improbable the attacker held it
    to be, and so does an answer that cannot be read. The knowledge base is opened at the first
    call.
    """
    attack = components.settings.attack.model_copy(update={"min_risk": 0.0})
    return lambda answer, entity: (
        judge(answer, entity, components.matcher, attack).outcome is not Outcome.SAFE
    )


def describe_parts(settings: Settings) -> dict[str, str]:
    """Return what a result depends on besides the settings, name -> signature: versions of packages
    ("rapidfuzz"), SHA-256 of files ("knowledge", "glossary"), signatures of models ("model") and of
    the background."""
    packages = {name: metadata.version(name) for name in ("rapidfuzz", "simplemma")}
    files = {"knowledge": FILE, "kinds": KINDS, "kind head": KIND_HEAD}
    files |= {f"ladder {path}": path for path in settings.generation.ladders}
    files |= {f"entailment {path.name}": path for path in sorted(ENTAILMENT.iterdir())}
    files |= {"glossary": facts} if (facts := settings.generation.glossary) else {}
    if "tagger" in settings.detection.chosen():
        files["tagger"] = (settings.detection.tagger or SHIPPED_TAGGER) / TAGGER_SETTINGS
        files["second opinion"] = RESCORER
    parts = packages | {name: sha256(path) for name, path in files.items()}
    if settings.guard.background is not None:
        from intact.reidentification.population import signature

        parts["background"] = signature(settings.guard.background)
        if Path(settings.guard.protect).is_file():
            parts["guard.protect"] = sha256(Path(settings.guard.protect))
    for name in settings.model_names:
        if (model := settings.model_named(name)).shown:
            from intact.models.load import model_signature

            parts["prompts"] = Components(settings).prompts.sha256
            parts[f"model {name}".rstrip()] = model_signature(model)
    return parts


def date_generator(components: Components) -> protocols.Generator:
    """Make the generator of dates, ages and durations by rules."""
    return DateGenerator()


def quantity_generator(components: Components) -> protocols.Generator:
    """Make the generator of numbers and amounts by rules."""
    return QuantityGenerator()


def knowledge_generator(components: Components) -> protocols.Generator:
    """Make the generator that says of what kind places, organisations, people and particulars
    are."""
    lexicon = components.knowledge.lexicon
    return KnowledgeGenerator(components.knowledge, make_part("kind_reader", "tagger", lexicon))


def knowledge_attacker(components: Components) -> protocols.Attacker:
    """Make the attacker that guesses from the knowledge base and the rest of the text."""
    return KnowledgeAttacker(components.knowledge, components.settings.attack)


def llm_attacker(components: Components) -> protocols.Attacker:
    """Make the attacker that is a language model: that of the role "stranger"."""
    from intact.verification.model_attacker import LlmAttacker

    settings, model = components.settings, components.model_named("stranger")
    together = settings.model_named("stranger").together
    given = components.prompts, settings.attack, settings.run.seed
    return LlmAttacker(model, *given, together)


def _planner(components: Components) -> protocols.Planner:
    """Make the planner: the one that asks a language model, if "llm" is among the sources of the
    settings, else that of rules."""
    if "llm" in components.settings.generation.sources:
        return model_planner(components, components.model_named("proposer"), components.prompts)
    return _rules(components)


def model_planner(components: Components, model: LanguageModel, prompts: Prompts) -> ModelPlanner:
    """Make the planner that asks a language model about the whole document.

    Args:
        components: what the parts share.
        model: the one to ask.
        prompts: its questions.
    """
    from intact.planning.model.conversation import PlanningModel
    from intact.planning.model.planner import ModelPlanner

    settings = components.settings
    own = settings.model_named("proposer")
    quick = own.effort == "quick"
    asked = PlanningModel(model, prompts, settings.goal, settings.run.seed, own.together, quick)
    shared = _rules(components), components.checks, components.labels
    return ModelPlanner(asked, *shared, keep=settings.selection.keep)


def _rules(components: Components) -> RulePlanner:
    """Make the planner that asks no model: it takes phrases from the user's glossary, and then from
    the generators that the settings name, in their order and except "llm"."""
    sources = [name for name in components.settings.generation.sources if name != "llm"]
    generators = [make_part("generator", name, components) for name in sources]
    return RulePlanner(generators, components.checks, components.glossary.phrases)


def _selectors(components: Components) -> tuple[RoundsSelector, RoundsSelector | None]:
    """Make the selector (which attacks the text and chooses the phrases) with all attackers, and a
    second one without the language model, which is None if no language model is among them. If the
    settings name a background, both also hide each document's individual among its population."""
    settings, attackers = components.settings, build_attackers(components)
    make = _guarded(components, settings.guard.background) if settings.guard.background else None

    def selector(some: Sequence[protocols.Attacker]) -> RoundsSelector:
        """Make the selector with some of the attackers."""
        shared = components.matcher, components.labels, settings, components.knowledge.implies
        return (make or RoundsSelector)(some, *shared)

    others = [attacker for name, attacker in attackers.items() if name != "llm"]
    without_model = selector(others) if len(others) < len(attackers) else None
    return selector([*attackers.values()]), without_model


def _guarded(components: Components, background: Path) -> Callable[..., RoundsSelector]:
    """Load the background (a population of documents) and the attackers that look for a document's
    individual in it. Return a function that makes a selector from the arguments of a
    ``RoundsSelector``, which also hides the individual."""
    from intact.reidentification.attackers import reidentifiers
    from intact.reidentification.population import open_population, owners
    from intact.verification.guard import ENSEMBLE, LESSER, GuardedSelector

    population = open_population(background)
    return partial(
        GuardedSelector,
        population=population,
        reidentifiers=reidentifiers(population, ENSEMBLE),
        lesser=reidentifiers(population, LESSER, skip_too_large=True),
        owner=owners(components.settings.guard.protect),
        generaliser=UnmarkedGenerator(components.knowledge, components.checks),
    )


def _context(components: Components) -> ContextProtection | None:
    """Make the protection of words that nobody annotated; None if the settings do not ask for
    it."""
    if not components.settings.context.protect:
        return None
    from intact.context import ContextProtection

    return ContextProtection(components.knowledge)
