"""One document: detect, plan, verify, place, without I/O (``Pipeline``); and settings to pipeline:
the one place where the parts are put together.

The built-in generators, attackers and selectors have a function here that takes the
``Components``: the settings, and what several parts share. Parts of other packages are called
with the same (see ``protocols``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from intact.config import (
    ENTAILMENT,
    KIND_HEAD,
    SHIPPED_TAGGER,
    TAGGER_SETTINGS,
    Prompts,
    Settings,
    load_prompts,
    sha256,
)
from intact.detection.factory import DetectorOnDemand, detector
from intact.detection.findings import Covered
from intact.discourse.things import States, find_states, unified
from intact.domain import (
    ENTITY_TYPES,
    Answer,
    Document,
    Edit,
    Entity,
    IdentifierType,
    Ladder,
    Outcome,
    Plan,
    SanitizedDocument,
    Source,
    Span,
)
from intact.english.languages import reads_english
from intact.english.numbers import counted
from intact.english.plain import PlainText, read_plain
from intact.english.reading import ReadDocument
from intact.errors import ConfigError, InputError, LanguageError
from intact.knowledge.base import FILE, KnowledgeBase
from intact.knowledge.kinds import FILE as KINDS
from intact.planning.glossary import GlossaryGenerator, read_glossary
from intact.planning.ladder import CandidateChecks, ChainGenerator, RulePlanner, labels
from intact.planning.rules.kinds import KnowledgeGenerator, UnmarkedGenerator
from intact.planning.rules.quantities import QuantityGenerator
from intact.planning.rules.times import DateGenerator
from intact.planning.rules.wording import rewriter_of
from intact.protocols import (
    DRIFT,
    UNSURE,
    Attacker,
    Detection,
    Detector,
    Generator,
    LanguageModel,
    Matcher,
    Planner,
    Reviser,
    make_part,
)
from intact.rewriting.rewrite import Rewriter
from intact.verification.evidence import EvidenceFinder, ProvenPlanner
from intact.verification.matching import Matching, judge
from intact.verification.rounds import RoundsSelector
from intact.verification.rule_attacker import KnowledgeAttacker
from intact.verification.second_question import SecondQuestion
from intact.verification.state import Labeller, Selector

if TYPE_CHECKING:
    from intact.context import ContextProtection
    from intact.models.counted import CountedModel
    from intact.models.entailment import EntailmentNetwork
    from intact.planning.model.planner import ModelPlanner


StatesReader = Callable[[ReadDocument], States]  # the States that a document speaks of


@dataclass(frozen=True, slots=True)
class PlannedDocument:
    """A document before anything is chosen for it: what no choice of phrases changes.

    Attributes:
        document: with its mentions, those that people marked and clues among them.
        plain: its text as a person reads it.
        flat: what is verified: that text, in which what the plan keeps is no masked mention, and
            clues that the plan found are mentions.
        plan: what may stand for each thing of ``flat``.
        rewriter: of ``flat``.
        notes: what could not be done as people decided.
    """

    document: Document
    plain: PlainText
    flat: Document
    plan: Plan
    rewriter: Rewriter
    notes: tuple[str, ...] = ()


NOTHING_DECIDED: Mapping[str, frozenset[Span]] = {}


class Pipeline:
    """Sanitises documents one at a time; no document depends on those before it.

    Args:
        planner: says what may stand for each thing.
        selector: verifies: attacks what stands, chooses among the rungs and places the words.
        detector: finds mentions in raw text; None where documents bring theirs.
        close: frees what the parts hold (a language model's process).
        reviser: what people decided about the documents, if anything.
        context: makes mentions of words that nobody annotated; None leaves them.
        usage: what language models were asked so far.
        states: reads the States that a document speaks of.
        english_only: whether documents in other languages are refused.
        without_model: verifies where a model's plan is not believed; None: ``selector``.
        evidence: finds what shows that people's own phrases are true; None: nothing.
    """

    def __init__(
        self,
        planner: Planner,
        selector: Selector,
        detector: Detector | None = None,
        close: Callable[[], None] | None = None,
        reviser: Reviser | None = None,
        context: ContextProtection | None = None,
        usage: Callable[[], Mapping[str, float]] = dict,
        states: StatesReader = lambda _: States(),
        *,
        english_only: bool = False,
        without_model: Selector | None = None,
        evidence: EvidenceFinder | None = None,
    ) -> None:
        self._planner = planner
        self._selector = selector
        self._without_model = without_model or selector
        self._detector = detector
        self._close = close
        self._reviser = reviser
        self._evidence = evidence
        self._context = context
        self._states = states
        self._english_only = english_only
        self.usage = usage

    def sanitize(self, document: Document) -> SanitizedDocument:
        """Sanitise a document: put a replacement in place of every masked mention.

        Detect, plan, verify, place. Of a document that nobody annotated the mentions are detected;
        the notes say so, and why something may have been missed (``UNSURE``).

        Raises:
            InputError: if it is not annotated and there is no detector.
            LanguageError: if it is not in English, which is all that the rules know.
        """
        if document.annotated:
            return self.verify(self.plan(document))
        try:
            detection = self.detect(document.text)
        except InputError as error:
            raise error.at(f"document {document.id}") from None
        found = document.with_detected(detection.mentions)
        done = self.verify(self.plan(found, detected=True))
        count = len(detection.mentions)
        said = f"{counted(count, 'mention')} detected, none was annotated"
        unsure = (f"{UNSURE}{note}" for note in detection.notes)
        doubts = detection.doubts if document.text.strip() else None
        return replace(done, notes=(said, *unsure, *done.notes), doubts=doubts)

    def plan(
        self,
        document: Document,
        *,
        detected: bool = False,
        earlier: PlannedDocument | None = None,
    ) -> PlannedDocument:
        """Plan a document: find out what may stand for each of its things, before anything is
        attacked.

        Args:
            document: with its mentions.
            detected: whether a program found them: then words that tell nothing may be kept, unless
                people review the document: they say what is kept.
            earlier: planned before; taken again where people's decisions leave its mentions.

        Raises:
            LanguageError: if it is not in English, which is all that the rules know.
        """
        self.check_language(document)
        plain = read_plain(document.text)
        joined = unified(plain.read(document))
        if plain.text != document.text:
            owner = {m.id: m.entity_id for m in joined.mentions}
            own = (replace(m, entity_id=owner[m.id]) for m in document.mentions)
            joined = replace(document, mentions=tuple(own))
        document = joined
        notes: tuple[str, ...] = ()
        if self._context is not None:
            document = self._context.mentions(document)
        if self._reviser is not None:
            document, notes = self._reviser.mentions(document)
        if earlier is not None and earlier.document == document:
            return replace(earlier, notes=notes)
        flat = plain.read(document)
        read = ReadDocument(flat)
        decides = detected and self._reviser is None
        plan = self._planner.plan(read, planned_entities(flat), detected=decides)
        if self._context is not None:
            plan = plan.with_clues(flat)
            flat = plan.document or flat
            plan = replace(plan, ladders=self._context.ladders(document, plan.ladders))
        if self._reviser is None:  # what people review, no program keeps
            flat = without(flat, plan.kept)
        read = read.of(flat)
        rewriter = rewriter_of(read, self._states(read))
        return PlannedDocument(document, plain, flat, plan, rewriter, notes)

    def check_language(self, document: Document) -> None:
        """Raise a ``LanguageError`` if nothing of a document is in English, where that counts."""
        if self._english_only and not reads_english(document.text):
            raise LanguageError(
                "it is not in English, the only language that INTACT reads",
                remedy="Leave it out, or take it with --language any: most will then be missed.",
            )

    def verify(self, planned: PlannedDocument) -> SanitizedDocument:
        """Attack a planned document, and sanitise it with the words that stand up to every
        attack."""
        document, flat, plan = planned.document, planned.flat, planned.plan
        notes, decided = (*plan.notes, *planned.notes), NOTHING_DECIDED
        if any(one.source == Source.GLOSSARY for own in plan.dropped.values() for one in own):
            notes += (f"{DRIFT}a phrase of the glossary names what is hidden here; it is left out",)
        if self._reviser is not None:
            ladders, decided, more = self._reviser.ladders(document, plan.ladders)
            if self._evidence is not None:
                ladders = self._evidence.prove_own(flat, ladders)
            plan, notes = replace(plan, ladders=ladders), (*notes, *more)
        editor = self._planner.edit(flat, plan, clues=self._context is not None)
        selector = self._selector if plan.believed else self._without_model
        done = selector.select(planned.rewriter, plan.ladders, editor)
        clues = (*done.clues, *(c for c in plan.clues if self._context is None or c.dropped))
        left = tuple({clue.span: clue for clue in clues}.values())
        if left:
            notes += (f"{len(left)} passages outside the mentions may tell who is meant",)
        decisions = (
            replace(d, dropped=(*plan.dropped.get(d.entity.id, ()), *d.dropped))
            for d in done.decisions
        )
        ids = {decision.entity.id for decision in done.decisions}
        stay = {key: phrases for key, phrases in plan.dropped.items() if key not in ids}
        done = replace(done, decisions=tuple(decisions), clues=left, dropped=stay)
        done = replace(done, notes=(*done.notes, *notes))
        plain = planned.plain.text == document.text
        return replace(done if plain else lead_back(done, planned), decided=decided)

    def detect(self, text: str) -> Detection:
        """Detect the mentions in raw text.

        Raises:
            InputError: if there is no detector.
        """
        if self._detector is None:
            raise InputError("it has no annotated mentions, and nothing here detects them")
        return self._detector.detect(text)

    def close(self) -> None:
        """Free what the parts hold; calling it twice does no harm."""
        if self._close is not None:
            self._close()


def lead_back(done: SanitizedDocument, planned: PlannedDocument) -> SanitizedDocument:
    """Put what was verified of the plain text into the text as it was given, and take out of it
    what nobody sees.

    Args:
        done: of the plain text.
        planned: the document, whose text is another one.
    """
    plain, text = planned.plain, planned.document.text
    edits = plain.edit(done.edits)
    done = replace(done, edits=(), document=plain.lead_back(done.document))
    done = plain.lead_back(done) if len(plain.at) > 1 else done
    odd = plain.hidden()
    inside = Covered(text, odd)
    edits = tuple(edit for edit in edits if not inside.holds(edit.span))
    taken = Covered(text, (edit.span for edit in edits))
    hidden = [span for span in odd if not taken.touches(span)]
    if hidden:
        said = f"{len(hidden)} runs of characters that nobody sees as they stand are removed"
        done = replace(done, notes=(*done.notes, said))
        edits = (*edits, *(Edit(span, "") for span in hidden))
    return replace(done, edits=tuple(sorted(edits, key=lambda edit: edit.span)))


def planned_entities(document: Document) -> list[Entity]:
    """Pick the entities that a generalisation may stand for.

    Direct identifiers and unknown types are not among them and end on their label."""
    return [
        entity
        for entity in document.entities
        if entity.generalisable and entity.entity_type in ENTITY_TYPES
    ]


def without(document: Document, kept: Collection[str]) -> Document:
    """Leave some entities of a document as they are.

    Args:
        document: with its mentions.
        kept: ids of the entities; their mentions are no longer masked.
    """
    mentions = (
        replace(mention, identifier_type=IdentifierType.NO_MASK)
        if mention.entity_id in kept
        else mention
        for mention in document.mentions
    )
    return replace(document, mentions=tuple(mentions)) if kept else document


class Components:
    """The parts that one pipeline shares, each made when it is first asked for."""

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
        """Load the language model of a role, once; prompts are checked before that.

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
        portion = (1 if settings.backend == "llamacpp" else 4) * settings.parallel
        model = CountedModel(load_model(settings), store, portion)
        self._models[name] = model
        return model

    def usage(self) -> Mapping[str, float]:
        """Sum up what the language models were asked so far; see ``CountedModel``."""
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
        """The labels that entities fall back on."""
        return partial(labels, style=self.settings.labels.style)

    @cached_property
    def states(self) -> StatesReader:
        """The States that a document speaks of."""
        return partial(find_states, base=self.knowledge)

    @cached_property
    def checks(self) -> CandidateChecks:
        """The checks that a candidate has to pass."""
        return CandidateChecks(self.knowledge.aliases)

    @cached_property
    def evidence(self) -> EvidenceFinder:
        """Finds what shows that phrases are true."""
        second = self._second_question if self.settings.model_named("reader").configured else None

        def network() -> EntailmentNetwork:
            from intact.models.entailment import load_entailment

            return load_entailment(ENTAILMENT, SHIPPED_TAGGER / "tokenizer.json")

        return EvidenceFinder(network, self.knowledge, second)

    def _second_question(self) -> SecondQuestion:
        return SecondQuestion(self.model_named("reader"), self.prompts, self.settings.run.seed)

    @cached_property
    def matcher(self) -> Matcher:
        """The rules by which a guess gives the original away."""
        return Matching(self.knowledge.tells, self.knowledge.identifies)


def build_pipeline(settings: Settings, reviser: Reviser | None = None) -> Pipeline:
    """Build the pipeline that the settings describe.

    Args:
        settings: all of them; what a preset, a file and overrides make.
        reviser: what people decided about the documents, if anything.

    Raises:
        ConfigError: if they name a part that does not exist.
        ResourceError: if the knowledge base cannot be opened.
        ModelError: if the language model cannot be loaded.
    """
    components = Components(settings)
    try:
        selector, without_model = _selectors(components)
        return Pipeline(
            _planner(components),
            selector,
            _detector(components),
            close=components.close,
            usage=components.usage,
            reviser=reviser,
            context=_context(components),
            states=components.states,
            english_only=settings.run.language == "en",
            without_model=without_model,
            evidence=components.evidence,
        )
    except BaseException:
        components.close()
        raise


def build_detector(settings: Settings) -> Detector:
    """Build the detector that the settings describe.

    Raises:
        ConfigError: for an unknown detector or a setting that it lacks.
        MissingExtraError: if a package it needs is not installed.
        ModelError: if a model cannot be loaded.
    """
    components = Components(settings)
    return detector(settings.detection, lambda: components.knowledge)


def build_attackers(settings: Settings) -> dict[str, Attacker]:
    """Build the attackers that the settings name, by name, to be run on documents that are
    finished.

    Raises:
        ConfigError: if they name one that does not exist.
    """
    return {attacker.name: attacker for attacker in _attackers(Components(settings)).values()}


def build_guess_judge(settings: Settings) -> Callable[[Answer, Entity], bool]:
    """Build a function that tells if an attacker's answer gives an entity away; every right
    guess counts, however unlikely it was held to be."""

    matcher = Components(settings).matcher
    attack = settings.attack.model_copy(update={"min_risk": 0.0})

    def guessed(answer: Answer, entity: Entity) -> bool:
        """Check that an answer gives an entity away.

        Args:
            answer: one that cannot be read gives it away, too.
            entity: the original, with all its mentions.
        """
        return judge(answer, entity, matcher, attack).outcome is not Outcome.SAFE

    return guessed


def build_ladders(settings: Settings) -> Callable[[Document], Mapping[str, Ladder]]:
    """Build a function that plans the candidates of every entity of a document that may be
    generalised, unattacked."""
    planner = _planner(Components(settings))
    return lambda document: planner.plan(ReadDocument(document), planned_entities(document)).ladders


def describe_parts(settings: Settings) -> dict[str, str]:
    """Name the version or SHA-256 of everything that a result depends on beside the settings."""
    packages = {name: metadata.version(name) for name in ("rapidfuzz", "simplemma")}
    files = {"knowledge": FILE, "kinds": KINDS, "kind head": KIND_HEAD} | {
        f"ladder {path}": path for path in settings.generation.ladders
    }
    files |= {f"entailment {path.name}": path for path in sorted(ENTAILMENT.iterdir())}
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
    """Make the generator of dates, ages and durations by rules."""
    return DateGenerator()


def quantity_generator(components: Components) -> Generator:
    """Make the generator of numbers and amounts by rules."""
    return QuantityGenerator()


def knowledge_generator(components: Components) -> Generator:
    """Make the generator of kinds of places, organisations, people and particulars."""
    lexicon = components.knowledge.lexicon
    return KnowledgeGenerator(components.knowledge, make_part("kind_reader", "tagger", lexicon))


def knowledge_attacker(components: Components) -> Attacker:
    """Make the attacker that guesses by the knowledge base and the rest of the text."""
    return KnowledgeAttacker(components.knowledge, components.settings.attack)


def llm_attacker(components: Components, *, values: bool = False) -> Attacker:
    """Make the attacker that is a language model: the stranger.

    Args:
        components: what the parts share.
        values: whether it guesses at dates and amounts, too.
    """
    from intact.verification.model_attacker import LlmAttacker

    settings = components.settings
    return LlmAttacker(
        components.model_named("stranger"),
        components.prompts,
        settings.attack,
        settings.run.seed,
        together=settings.model_named("stranger").together,
        values=values,
    )


def _planner(components: Components) -> Planner:
    """Choose the planner: a language model, if "llm" is among the sources, else rules."""
    planner: Planner = RulePlanner(_rules(components))
    if "llm" in components.settings.generation.sources:
        proposer = components.model_named("proposer")
        planner = model_planner(components, proposer, components.prompts)
    return ProvenPlanner(planner, components.evidence)


def model_planner(components: Components, model: LanguageModel, prompts: Prompts) -> ModelPlanner:
    """Make the planner that asks a language model about the whole document.

    Args:
        components: what the parts share.
        model: is asked.
        prompts: its questions.
    """
    from intact.planning.model.conversation import PlanningModel
    from intact.planning.model.planner import ModelPlanner

    settings = components.settings
    own = settings.model_named("proposer")
    quick = own.effort == "quick"
    return ModelPlanner(
        PlanningModel(model, prompts, settings.goal, settings.run.seed, own.together, quick),
        _rules(components),
        components.checks,
        components.labels,
        keep=settings.selection.keep,
    )


def _rules(components: Components) -> Generator:
    """Make the generators that ask no model, and what the user wrote down."""
    settings, checks, base = components.settings.generation, components.checks, components.knowledge
    sources = [name for name in settings.sources if name != "llm"]
    generators = [make_part("generator", name, components) for name in sources]
    chain = ChainGenerator(generators, checks)
    if settings.glossary is None:
        return chain

    facts = read_glossary(settings.glossary, base.aliases)
    return GlossaryGenerator(facts, chain, checks)


def _detector(components: Components) -> Detector:
    """Make a detector that is loaded at the first document without mentions."""
    return DetectorOnDemand(
        lambda: detector(components.settings.detection, lambda: components.knowledge)
    )


Selecting = Callable[[Sequence[Attacker]], Selector]  # makes what verifies against attackers


def _selectors(components: Components) -> tuple[Selector, Selector | None]:
    """Make what verifies, with all attackers, and without the language model if it is one."""
    background, attackers = components.settings.guard.background, _attackers(components)
    selecting = _guarded(components, background) if background else _unguarded(components)
    others = [attacker for name, attacker in attackers.items() if name != "llm"]
    without_model = selecting(others) if len(others) < len(attackers) else None
    return selecting([*attackers.values()]), without_model


def _guarded(components: Components, background: Path) -> Selecting:
    from intact.reidentification.attackers import reidentifiers
    from intact.reidentification.population import open_population, owners
    from intact.verification.guard import ALSO, ENSEMBLE, GuardedSelector, Opponents

    settings, unguarded = components.settings, _unguarded(components)
    population = open_population(background)
    opponents = Opponents(
        population,
        reidentifiers(population, ENSEMBLE),
        reidentifiers(population, ALSO, skip_too_large=True),
        owners(settings.guard.protect),
    )

    def guarded(attackers: Sequence[Attacker]) -> Selector:
        return GuardedSelector(
            unguarded(attackers),
            opponents,
            UnmarkedGenerator(components.knowledge, components.checks),
            attackers,
            components.matcher,
            settings,
        )

    return guarded


def _context(components: Components) -> ContextProtection | None:
    settings = components.settings.context
    if not settings.protect:
        return None
    from intact.context import ContextProtection

    return ContextProtection(components.knowledge)


def _unguarded(components: Components) -> Selecting:
    def unguarded(attackers: Sequence[Attacker]) -> Selector:
        return RoundsSelector(
            attackers,
            components.matcher,
            components.labels,
            components.settings,
            components.knowledge.implies,
        )

    return unguarded


def _attackers(components: Components) -> dict[str, Attacker]:
    """Make all that attack, by their names in the settings; a thing is guessed where one of them
    guesses it."""
    names = components.settings.attack.attackers
    return {name: make_part("attacker", name, components) for name in names}
