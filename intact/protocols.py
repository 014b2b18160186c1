"""The seams: what the parts of INTACT expect of each other, one method each, and the registry: the
names by which a configuration or a command line asks for a part.

Built-in parts are written in ``parts.toml`` as ``"module:attribute"`` and imported when used; other
packages add theirs through entry points of the group ``intact.<kind>``. A part is called with

=============  =====================================================  =========================
kind           called with                                            gives
=============  =====================================================  =========================
generator      ``pipeline.Components``                                   ``Generator``
attacker       ``pipeline.Components``                                   ``Attacker``
detector       ``DetectionSettings``, a function opening knowledge    ``findings.Finder``
model          ``ModelSettings``                                      ``LanguageModel``
format         nothing, or the name of a column                       ``formats.base.Format``
metric         ``EvaluationContext``                                  ``evaluation.metric.Metric``
reidentifier   ``Population``, or that and what follows a colon       ``attackers.Reidentifier``
command        nothing: it is a function or a ``typer.Typer``         a command of ``intact``
=============  =====================================================  =========================
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from intact import domain
from intact.english.reading import ReadDocument
from intact.errors import ConfigError, MissingExtraError
from intact.shipped import read_toml

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_SECOND_TEMPERATURE = 0.7


@dataclass(frozen=True, slots=True)
class Detected:
    """A mention that was detected, and the evidence for it."""

    mention: domain.Mention
    kind: str  # finer than its type ("email")
    score: float  # how sure it is, in (0, 1]
    sources: tuple[str, ...]  # detectors that found it; "repeat" for a further occurrence


@dataclass(frozen=True, slots=True)
class Detection:
    """The mentions of one text. Even without notes, there is no promise that all were found."""

    found: tuple[Detected, ...]  # in text order; only a user's own words overlap others
    notes: tuple[str, ...] = ()  # why the detectors are unsure of this text, without quoting it
    doubts: domain.Doubts = field(default_factory=domain.Doubts)  # what was probably missed

    @property
    def mentions(self) -> tuple[domain.Mention, ...]:
        """The detected mentions alone, in text order."""
        return tuple(item.mention for item in self.found)


UNSURE = "unsure: "  # begins notes that say why something may have been missed in a document
UNBELIEVED = "not believed: "  # begins the note of a model most of whose phrases fall
DRIFT = "not as decided: "  # the beginning of notes on what could not be done as a person decided
LOST = "not as decided, as no document of the input has the name or the text"
# The note on a document that seems to be sanitised already: it would become vaguer than it has to
# be.
AGAIN = "it holds labels of INTACT already, so it seems to be sanitised: sanitise the original"
# The beginning of the note on runs between characters that force a direction, or that hide.
CUT = "text was removed that is shown otherwise than it stands there: "
# The end of a ``DRIFT`` note on a decision that was put into effect all the same, found by its
# words.
REDONE = "done again, but look at it"


class Detector(Protocol):
    """Finds mentions in plain text."""

    def detect(self, text: str, kept: Iterable[domain.Span] = ()) -> Detection:
        """Find the personal information in a text. Return its mentions in text order, with the
        evidence for each; notes on why something may have been missed; and an estimate of what was.

        Args:
            text: the text.
            kept: spans of headings and of borders between cells; the text before one and the text
                after it are never read as one line.
        """


class Generator(Protocol):
    """Proposes generalisations."""

    def generate(
        self, read: ReadDocument, entities: Sequence[domain.Entity]
    ) -> Mapping[str, domain.Ladder]:
        """Propose a ladder (candidate phrases, most specific first) for each entity.

        Every candidate is true of the entity. It is called once, with all entities of a document.

        Args:
            read: the document, read once for all generators.
            entities: of this document, those that may be generalised.

        Returns:
            Ladders by entity id; an entity of which the generator knows nothing is absent.
        """


@dataclass(frozen=True, slots=True)
class SentenceReading:
    """The kind of a mention and its place in the sentence, as the sentence shows them.

    Attributes:
        kinds: the probabilities of its likelier kinds; that of a kind includes those of all kinds
            below it.
        slot: the place that its words fill ("nominal", "plural", "adj", "pred", "verb", "clause",
            "field"), or "" if the sentence leaves it open.
    """

    kinds: Mapping[str, float]
    slot: str = ""


class KindReader(Protocol):
    """Says what kind of thing each mention is, in its sentence."""

    def read(
        self, document: domain.Document, mentions: Sequence[domain.Mention], known: Sequence[str]
    ) -> Sequence[SentenceReading]:
        """Read from the sentence of each mention what kind of thing it is, and what place it fills
        there.

        Args:
            document: its text is read.
            mentions: in this text.
            known: for each mention the kind that its words are taken for, or "".

        Returns:
            One reading for each mention, in order.
        """


class PlanEditor(Protocol):
    """Revises a plan after its text was attacked: it mends what was guessed and reads the text
    again."""

    def revise(
        self, placed: Mapping[str, domain.Candidate], findings: Sequence[domain.AttackFinding]
    ) -> domain.Plan:
        """Propose other phrases for what was guessed, and for what does not read well: false,
        ungrammatical, contradictory and unclear words.

        The plan returned holds new candidates, most specific first, for the entities that are to
        change, and the phrases that failed a check; and further unmarked words that give something
        away. If those are to be changed, they are mentions of the plan's document and have ladders.

        Args:
            placed: the candidate that stands for each entity; entities at their label are absent.
            findings: what was guessed, and from which words; if there are none, the text is only
                read.
        """


class Planner(Protocol):
    """Makes the plan of a document."""

    def plan(
        self, read: ReadDocument, entities: Sequence[domain.Entity], *, detected: bool = False
    ) -> domain.Plan:
        """Propose candidates for each entity of a document. Return the plan: candidates by entity
        id, most specific first; what stays in clear; and the phrases that failed a check.

        Args:
            read: the document with its mentions, read once for all.
            entities: of this document, those that may be generalised.
            detected: whether a program found the mentions: words that reveal nothing may then be
                kept.
        """

    def edit(
        self, document: domain.Document, plan: domain.Plan, *, clues: bool = False
    ) -> PlanEditor | None:
        """Return the editor that mends a plan after an attack; None if this planner mends none.

        Args:
            document: with its mentions.
            plan: of this document.
            clues: whether to mend unmarked words that give something away, too.
        """
        return None


class Attacker(Protocol):
    """Guesses originals from sanitised text.

    A subclass inherits the trait. An attacker without ``reads_wordings`` is asked once for each
    wording of an entity, at its first place, and never at labels; one with it, as a language model,
    is asked once for the entity, and once with all of them at their labels."""

    name: str  # as it is asked for and recorded
    reads_wordings: bool = False  # whether it reads the whole text, with all replacements

    def attack(self, challenges: Sequence[domain.Challenge]) -> Sequence[domain.Answer]:
        """Guess the originals: return one answer per challenge, in order, with its guesses from the
        likeliest on."""


# Makes the labels of all masked entities of a document, which are given in the order of their first
# mentions, by their ids.
Labeller = Callable[[Sequence[domain.Entity]], Mapping[str, str]]


class Matcher(Protocol):
    """Decides whether a guess gives the original away. It has no state and no side effects."""

    def match(self, guess: domain.Guess, mention: domain.Mention) -> str:
        """Name the rule by which a guess gives a mention away, or "" where it does not.

        Args:
            guess: an attacker's.
            mention: the original.
        """


class Reviser(Protocol):
    """Puts people's decisions into effect before anything else is chosen. Both methods also return
    notes, one for each decision that could not be applied, without text of the document."""

    def mentions(self, document: domain.Document) -> tuple[domain.Document, tuple[str, ...]]:
        """Mark and unmark mentions as people decided, and keep in clear what they want kept. Return
        the document changed so, and notes."""

    def ladders(
        self, document: domain.Document, ladders: Mapping[str, domain.Ladder]
    ) -> tuple[Mapping[str, domain.Ladder], Mapping[str, domain.Ruling], tuple[str, ...]]:
        """Put what people decided into the candidates of entities: a chosen phrase is marked as
        ``Candidate.decided``, an entity that is to have its label has no candidates.

        Args:
            document: with the mentions that ``mentions`` made.
            ladders: candidates by entity id.

        Returns:
            The ladders; by the decision's id, the places of the text where that decision is the
                last word; and notes.
        """


@dataclass(frozen=True, slots=True)
class UnmarkedWords:
    """Words that no annotation marks and that may have to be replaced."""

    key: str  # its words, folded; the same for every place
    kind: str  # "name" (capitalised words), "date", "number" or "word"
    spans: tuple[domain.Span, ...]  # every place in the document, ascending


class Generaliser(Protocol):
    """Proposes generalisations of words that no annotation marks."""

    def propose(
        self, document: domain.Document, unmarked: Sequence[UnmarkedWords]
    ) -> Mapping[str, tuple[str, Sequence[str]]]:
        """Propose truthful generalisations of unmarked words. Return (entity type, phrases) for
        each, by its ``key``.

        Args:
            document: the original.
            unmarked: words of its text, each with all its places.

        Returns:
            Entity type and phrases, most specific first, by key; absent where nothing true is
                known.
        """


class Embedder(Protocol):
    """Turns texts into unit vectors."""

    name: str

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts in an array of shape (len(texts), dimensions), rows of length 1."""


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """A question to an instruct model. ``prefix + question`` is one user message.

    If ``places`` are given, the answer is made to hold a line for each of them, in order, and then
    what follows these lines: by a JSON schema, or by a rule of the sampler. ``models.reading``
    reads it.
    """

    prefix: str  # the part that many requests share (instructions, document); read once
    question: str
    places: tuple[int, ...] = ()  # those that must have a line, 0 to 9999; () for free text
    max_tokens: int = 160  # bound on the answer, in tokens; at least ten a place
    temperature: float = 0.0  # 0 is greedy
    seed: int = 0  # of this request's sampling
    only: bool = False  # whether the answer ends with the line of the last place

    @property
    def line_tokens(self) -> int:
        """The most tokens that a line of the answer may take: an equal share of ``max_tokens``,
        rounded down, if the answer is nothing but lines (``only``), else all of them."""
        return self.max_tokens // len(self.places) if self.only else self.max_tokens


def another_try(request: CompletionRequest, number: int = 1) -> CompletionRequest:
    """Return the same question with its seed raised by ``number``, and a temperature of 0.7 at
    least, so that it is answered differently.

    Args:
        request: as it was answered before.
        number: of the try, from 1; each has a seed of its own.
    """
    warm = max(_SECOND_TEMPERATURE, request.temperature)
    return replace(request, seed=request.seed + number, temperature=warm)


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's answer."""

    text: str
    finished: bool = True  # False if it was cut at ``max_tokens``
    prompt_tokens: int = 0  # tokens of the whole prompt, shared prefix included
    answer_tokens: int = 0
    refused: str = ""  # why a server gave no answer (a filter, a status), "" if it did


@runtime_checkable
class LanguageModel(Protocol):
    """An instruct model. Requests that share a prefix are cheapest in one call."""

    name: str  # what a user calls it
    signature: str  # backend, file with its hash, every parameter that changes answers
    context_length: int  # tokens that prompt and answer may take together
    read: int  # prompt tokens read so far
    written: int  # tokens of answers so far
    retried: int  # requests sent again so far

    def count(self, texts: Sequence[str]) -> Sequence[int]:
        """Return the number of tokens that each text takes, in order (an upper estimate where the
        model cannot tell)."""

    def complete(self, requests: Sequence[CompletionRequest]) -> Sequence[Completion]:
        """Answer requests: one completion for each, in order. Raise a ``ContextError`` if a request
        does not fit."""

    def close(self) -> None:
        """Free what the model holds. Calling it twice does no harm."""


# Kind -> name -> "module:attribute".
BUILT_IN: dict[str, dict[str, str]] = read_toml(Path(__file__).with_name("parts.toml"))


def part_names(kind: str) -> tuple[str, ...]:
    """List the names of all parts of a kind ("metric"): the built-in ones in their order, then
    those of other packages; () for an unknown kind that no package has."""
    own, others = BUILT_IN.get(kind, {}), entry_points(group=f"intact.{kind}")
    return (*own, *(point.name for point in others if point.name not in own))


def load_part(kind: str, name: str) -> Callable[..., Any]:
    """Import a part (a generator, an attacker, a metric, a format ...) by its kind and registered
    name. Return the class or function that makes it, uncalled.

    Args:
        kind: "generator", "attacker", "detector", "kind_reader", "model", "format", "metric",
            "reidentifier" or "command".
        name: of a built-in part or of another package's; if both have it, the built-in one is
            taken.

    Raises:
        ConfigError: if there is no such part; the message lists those there are.
        MissingExtraError: if its module needs a package that is not installed.
    """
    own = [EntryPoint(name, BUILT_IN[kind][name], kind)] if name in BUILT_IN.get(kind, ()) else ()
    try:  # the others are looked for in all installed packages, which takes time
        for point in own or entry_points(group=f"intact.{kind}"):
            if point.name == name:
                found: Callable[..., Any] = point.load()
                return found
    except ModuleNotFoundError as error:
        raise _missing(kind, name, error) from None
    remedy = f"Known: {', '.join(part_names(kind))}."
    raise ConfigError(f"there is no {kind} called {name!r}", remedy=remedy)


def make_part(kind: str, name: str, *given: Any) -> Any:
    """Import a part (a generator, an attacker, a detector ...) by its kind and registered name,
    call it with the given arguments, and return what that makes.

    Args:
        kind: as for ``load_part``.
        name: under which it is registered.
        given: the arguments that a part of this kind takes (for a generator, ``Components``).

    Raises:
        ConfigError: if there is no such part; the message lists those there are.
        MissingExtraError: if it needs a package that is not installed.
    """
    factory = load_part(kind, name)
    try:
        return factory(*given)
    except ModuleNotFoundError as error:
        raise _missing(kind, name, error) from None


def _missing(kind: str, name: str, error: ModuleNotFoundError) -> MissingExtraError:
    """Return the error for a part ("the metric 'trir'") that needs a package which is not
    installed."""
    return MissingExtraError.of_module(error.name or "", f"the {kind} {name!r}")
