"""A language model as attacker: it is shown a text and guesses.

The text holds a marker for each entity, and a list after it says what readers see at each; a
replacement that changes changes a line of that list, and the text is read once for all rounds. The
list is in the order of rungs climbed, so that what changed last stands last and the lines before it
are not read again; an article belongs to its phrase. A text that is too long for the model is shown
in windows. A window holds the target's sentence and every sentence with another mention of it; the
record says so.

Guessing is the attack of INTACT (Pilán et al. 2024, section 3.2): k guesses for each target,
likeliest first.
"""

from __future__ import annotations

import logging
import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from intact.config import AttackSettings, Prompts, escape, escape_line
from intact.domain import (
    Answer,
    Challenge,
    EntityType,
    Guess,
    PlacedReplacement,
    Span,
)
from intact.english.grammar import ARTICLES
from intact.english.scan import parse_temporal
from intact.english.sentences import sentences
from intact.english.time import Granularity, Kind
from intact.english.vocabulary import either
from intact.english.words import normalise
from intact.errors import ContextError
from intact.models.questions import Question, Questioner, checked
from intact.protocols import Attacker, LanguageModel

ANSWER_TOKENS = 12
"""Tokens that one guess of the model may take."""

RESERVED = 96
"""Tokens kept free for the question and the chat's own words."""

_STRIDE = 0.75
_SEAM = 4  # tokens that may come in where pieces of text meet
_GAP = " [...] "


@dataclass(frozen=True, slots=True)
class View:
    """What a model is shown for one challenge: a prefix, the target's marker, what readers see
    there, a note."""

    prefix: str
    marker: str
    shown: str
    note: str = ""


class Exhibitor:
    """Shows the challenges of one round.

    Args:
        model: counts tokens and says how long its context is.
        prompts: where the words around the text come from.
        answer_tokens: tokens that the longest answer takes.
    """

    def __init__(self, model: LanguageModel, prompts: Prompts, answer_tokens: int) -> None:
        self._model = model
        self._prompts = prompts
        self._room = model.context_length - answer_tokens - RESERVED

    def show(self, challenges: Sequence[Challenge]) -> list[View]:
        """A view of each challenge, in order; challenges of one text share their prefixes.

        Raises:
            ContextError: not even one sentence with its instructions fits the model.
        """
        groups: dict[tuple[str, tuple[PlacedReplacement, ...]], list[int]] = {}
        for index, challenge in enumerate(challenges):
            groups.setdefault((challenge.text, challenge.placed), []).append(index)
        views: dict[int, View] = {}
        for (text, standing), indexes in groups.items():
            targets = [challenges[index].target for index in indexes]
            views |= zip(indexes, self._views(text, standing, targets), strict=True)
        return [views[index] for index in range(len(challenges))]

    def _views(
        self, text: str, standing: tuple[PlacedReplacement, ...], targets: Sequence[Span]
    ) -> list[View]:
        page = Page(text, standing)
        whole = page.prefix(self._prompts, page.all_pieces())
        if self._model.count([whole])[0] <= self._room:
            return [View(whole, *page.marked(target)) for target in targets]
        return _Windows(page, self._prompts, self._model, self._room).views(targets)


def _with_article(text: str, place: PlacedReplacement) -> PlacedReplacement:
    """A replacement with the article before it, which changes with it."""
    start = place.span.start
    before = re.search(rf"(?<!\w)(?:{either(ARTICLES)})\s\Z", text[max(0, start - 5) : start], re.I)
    if before is None:
        return place
    return replace(place, span=Span(start - len(before[0]), place.span.end))


class Page:
    """A text cut into sentences, with markers where replacements stand."""

    def __init__(self, text: str, standing: tuple[PlacedReplacement, ...]) -> None:
        self._text = text
        self._shown = [_with_article(text, place) for place in standing if not place.label_only]
        self.spans = sentences(text, [place.span for place in self._shown])
        self._starts = [span.start for span in self.spans]
        self._first: dict[int, PlacedReplacement] = {}
        self._wordings: dict[int, dict[str, str]] = {}
        self._at: dict[int, int] = {}
        self._entities: list[set[int]] = [set() for _ in self.spans]
        self._sentences: dict[int, list[int]] = {}
        for place in self._shown:
            number = self.sentence_of(place.span)
            self._first.setdefault(place.entity, place)
            said = place.span.of(text)
            self._wordings.setdefault(place.entity, {}).setdefault(normalise(said), said)
            self._at[place.span.end] = place.entity
            self._entities[number].add(place.entity)
            self._sentences.setdefault(place.entity, []).append(number)
        self.pieces = [self._render(span) for span in self.spans]

    def all_pieces(self) -> range:
        """The numbers of all sentences."""
        return range(len(self.pieces))

    def entity(self, target: Span) -> int:
        """The number of the entity that stands at ``target``."""
        try:
            return self._at[target.end]
        except KeyError:
            raise ValueError(f"nothing stands at {target}") from None

    def marked(self, target: Span) -> tuple[str, str]:
        """The marker of what stands at ``target``, and the words that readers see there."""
        entity = self.entity(target)
        return f"[{entity + 1}]", self._said(entity)

    def _said(self, entity: int) -> str:
        return " / ".join(map(escape_line, self._wordings[entity].values()))

    def sentence_of(self, target: Span) -> int:
        """The number of the sentence that ``target`` stands in."""
        return bisect_right(self._starts, target.start) - 1

    def sentences_with(self, entity: int) -> list[int]:
        """The numbers of the sentences that an entity stands in, ascending, each once."""
        return sorted(set(self._sentences.get(entity, ())))

    def prefix(self, prompts: Prompts, numbers: Sequence[int]) -> str:
        """The prefix that shows some sentences, in order.

        Args:
            prompts: the model's.
            numbers: of the sentences, ascending.
        """
        parts: list[str] = []
        for before, number in zip([-1, *numbers], numbers, strict=False):
            if number != before + 1:
                parts.append(_GAP)
            parts.append(self.pieces[number])
        document = "".join(parts).strip()
        return prompts.fill(
            "attack.legend", document=document, legend=self._legend(frozenset(numbers))
        )

    def _legend(self, numbers: frozenset[int]) -> str:
        there = {entity for number in numbers for entity in self._entities[number]}
        entities = sorted(
            (self._first[entity] for entity in there), key=lambda place: (place.rung, place.entity)
        )
        return "\n".join(map(self._line, entities))

    def _line(self, place: PlacedReplacement) -> str:
        return f"[{place.entity + 1}] {self._said(place.entity)}"

    def lines_of(self, number: int) -> str:
        """The lines that a sentence brings into the legend, if nothing else does."""
        return self._legend(frozenset({number}))

    def _render(self, sentence: Span) -> str:
        parts: list[str] = []
        done = sentence.start
        first = bisect_left(self._shown, sentence.start, key=lambda place: place.span.start)
        for place in self._shown[first:]:
            if place.span.start >= sentence.end:
                break
            if place.span.start < done or place.span.end > sentence.end:
                continue
            parts.append(escape(self._text[done : place.span.start]))
            parts.append(f"[{place.entity + 1}]")
            done = place.span.end
        parts.append(escape(self._text[done : sentence.end]))
        return "".join(parts)


@dataclass(slots=True)
class _Window:
    """One prefix: the number of its row, the sentences it shows."""

    row: int
    sentences: set[int]
    prefix: str = ""


class _Windows:
    """A text that does not fit: overlapping rows of sentences, one of them for each target."""

    def __init__(self, page: Page, prompts: Prompts, model: LanguageModel, room: int) -> None:
        self._page = page
        self._prompts = prompts
        self._model = model
        frame = model.count([page.prefix(prompts, ())])[0]
        self._room = room - frame
        legends = [page.lines_of(number) for number in page.all_pieces()]
        counts = list(model.count([*page.pieces, *legends]))
        both = zip(counts[: len(legends)], counts[len(legends) :], strict=True)
        self._sizes = [piece + legend + _SEAM for piece, legend in both]
        if self._room < max(self._sizes, default=0):
            raise ContextError(
                f"a sentence of {max(self._sizes)} tokens and {frame} of instructions do not fit "
                f"the context of {model.context_length}",
                where="setting model.context",
                remedy="Raise it, or take a model with a longer context.",
            )
        self._rows = self._cut(int(self._room * 0.6))

    def views(self, targets: Sequence[Span]) -> list[View]:
        """A view of each target; targets of one window share its prefix as far as they fit."""
        open_windows: dict[int, _Window] = {}
        placed: list[tuple[_Window, Span, int]] = []
        for target in targets:
            entity = self._page.entity(target)
            own = self._page.sentence_of(target)
            row = min(range(len(self._rows)), key=lambda row: self._distance(row, own))
            wanted = set(self._page.sentences_with(entity))
            window = open_windows.get(row)
            if window is None or not self._fits(window.sentences | wanted):
                window = open_windows[row] = _Window(row, set(range(*self._rows[row])))
            left_out = 0
            for number in sorted(wanted - window.sentences, key=lambda n: (abs(n - own), n)):
                if self._fits(window.sentences | {number}):
                    window.sentences.add(number)
                else:
                    left_out += 1
            placed.append((window, target, left_out))
        return [self._view(*place) for place in placed]

    def _view(self, window: _Window, target: Span, left_out: int) -> View:
        if not window.prefix:
            window.prefix = self._page.prefix(self._prompts, sorted(window.sentences))
        note = f"read in window {window.row + 1} of {len(self._rows)}"
        if left_out:
            note += f", without {left_out} sentences that name it again"
        return View(window.prefix, *self._page.marked(target), note)

    def _distance(self, row: int, sentence: int) -> tuple[int, int]:
        start, end = self._rows[row]
        return abs(start + end - 1 - 2 * sentence), row

    def _fits(self, numbers: set[int]) -> bool:
        return self._cost(numbers) <= self._room

    def _cost(self, numbers: set[int]) -> int:
        """Tokens of some sentences with their legends, at most."""
        return sum(self._sizes[number] for number in numbers)

    def _cut(self, limit: int) -> list[tuple[int, int]]:
        """Half-open ranges of sentences of at most ``limit`` tokens that overlap by a quarter."""
        rows: list[tuple[int, int]] = []
        start = 0
        while not rows or rows[-1][1] < len(self._sizes):
            end, used = start, 0
            while end < len(self._sizes) and (end == start or used + self._sizes[end] <= limit):
                used += self._sizes[end]
                end += 1
            rows.append((start, end))
            start = max(start + 1, start + int((end - start) * _STRIDE))
        return rows


_LOG = logging.getLogger("intact")

_SHAPES = {
    Kind.INTERVAL: "date",
    Kind.RELATIVE: "date",
    Kind.PARTIAL: "day",
    Kind.WEEKDAY: "weekday",
    Kind.AGE: "age",
    Kind.DURATION: "duration",
    Kind.CLOCK: "clock",
}
"""The question to ask for a kind of time."""


class LlmAttacker(Attacker):
    """Attacks all challenges of a round over one reading of their text.

    Args:
        model: the language model.
        prompts: its prompts.
        settings: number of guesses and so on.
        seed: of the sampling.
        together: how many questions a request holds.

    Attributes:
        unparsed: answers so far that could not be read, the second try included.
    """

    name = "llm"
    reads_wordings = True  # a question shows all that stands for an entity

    def __init__(
        self,
        model: LanguageModel,
        prompts: Prompts,
        settings: AttackSettings,
        seed: int = 0,
        together: int = 1,
    ) -> None:
        self._model = model
        self._prompts = prompts
        self._settings = settings
        self._questioner = Questioner(model, prompts, seed, together)
        longest = settings.guesses * ANSWER_TOKENS
        self._exhibitor = Exhibitor(model, prompts, longest * together)
        self.unparsed = 0

    def attack(self, challenges: Sequence[Challenge]) -> Sequence[Answer]:
        """One answer per challenge, in order.

        Raises:
            ContextError: a text does not fit the model even in parts.
            ModelError: the model failed.
        """
        if not challenges:
            return []
        views = self._exhibitor.show(challenges)
        # what is not read, or gives too few different guesses, is asked for once more
        answers = [Answer((), parsed=False, belief=True, note=view.note) for view in views]
        due = list(range(len(challenges)))
        for again in (0, 1):
            asked = [self._question(challenges[index], views[index]) for index in due]
            for index, reply in zip(due, self._questioner.put(asked, again=again), strict=True):
                new = [Guess(text, rank) for rank, text in enumerate(reply)]
                guesses = _distinct([*answers[index].guesses, *new])
                answers[index] = replace(answers[index], guesses=guesses, parsed=bool(guesses))
            answers = checked(answers, challenges, lambda _: self._settings.guesses)
            due = [index for index, answer in enumerate(answers) if not answer.parsed]
        self.unparsed += len(due)
        if due:
            _LOG.warning("%d of %d attacks could not be read: not safe", len(due), len(answers))
        return answers

    def _question(self, challenge: Challenge, view: View) -> Question:
        count = self._settings.guesses
        template = "attack.question"
        if challenge.entity_type == EntityType.DATETIME:
            template = f"attack_date.{_shape(challenge.replacement)}"
        return Question(
            view.prefix,
            self._prompts.fill(template, count=str(count), marker=view.marker, shown=view.shown),
            lines=count,
            tokens=ANSWER_TOKENS,
            name=view.marker.strip("[]"),
        )


def _shape(replacement: str) -> str:
    """Which question asks for the kind of time that a replacement shows."""
    time = parse_temporal(replacement)
    if time is None:
        return "time"
    if time.kind is Kind.INTERVAL and time.granularity > Granularity.YEAR:
        return "years"
    return _SHAPES.get(time.kind, "time")


def _distinct(guesses: Sequence[Guess]) -> tuple[Guess, ...]:
    """Each guess once, ranks 0, 1, 2 ..."""
    seen: dict[str, Guess] = {}
    for guess in guesses:
        seen.setdefault(normalise(guess.text) or guess.text, guess)
    return tuple(replace(guess, rank=rank) for rank, guess in enumerate(seen.values()))
