"""Plan a document with a language model that reads the whole of it.

Five questions share one prefix, which holds the original with its places marked: the plan; once
more what failed a check; the repair of what an attack hit; a last reading. What the model writes is
checked by rule before it counts (``checks``), and every phrase that is dropped keeps its reason.
Things for which nothing sound was offered keep the rules' ladder.
"""

from __future__ import annotations

import logging
import re
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from intact.config import GoalSettings, Prompts, escape_line
from intact.domain import (
    BY_VALUE,
    AttackFinding,
    Candidate,
    Clue,
    Document,
    DroppedPhrase,
    Entity,
    EntityType,
    Ladder,
    Plan,
    Source,
    Span,
    Wording,
)
from intact.english.quantities import parse_quantity
from intact.english.scan import parse_temporal
from intact.english.sentences import pack_sentences
from intact.english.words import normalise, says_nothing
from intact.errors import ContextError
from intact.models.reading import Row, by_number, read_rows
from intact.planning.ladder import CandidateChecks, StatementT, Subsumes
from intact.planning.model.checks import PhraseChecks, explain_reason
from intact.planning.model.marking import MarkedDocument, MarkedPlace
from intact.protocols import CompletionRequest, Generator, LanguageModel, PlanEditor, another_try

_LOG = logging.getLogger("intact")
_PHRASE_TOKENS, _ROW_TOKENS = 14, 6
_PLACE_TOKENS = 3 * _PHRASE_TOKENS + _ROW_TOKENS
_CLUE_TOKENS = 240
_LEAST_PLACES = 4
"""Places that can be answered for in one request, or the document is shown in parts."""
_RESERVE = _CLUE_TOKENS + 128
_SHOWN_RUNGS = 2
_NEEDS = re.compile(r"\s*\(needs?:?\s+(\d+(?:\s*(?:,|and)\s*\d+)*)\)\s*", re.I)
_WORLD = re.compile(r"\s*\(world\)\s*", re.I)
Labeller = Callable[[Document], Mapping[str, str]]
Question = Callable[[Span, Sequence[int]], str]
"""Puts a question about a part of the document and some of its places."""


class ModelPlanner:
    """Asks a language model for the plan of a document.

    Args:
        model: that plans, repairs and proofreads.
        prompts: its prompts.
        rules: proposes what stands where the model has nothing better.
        checks: which candidates leak or disclose.
        labels: of direct identifiers, which no model reads.
        goal: what to protect and to preserve, in the user's words.
        subsumes: what a knowledge base knows of a phrase being true of a name.
        keep: whether words that tell nothing may stay; None: only where a program found them.
        seed: of the sampling.
        together: places in one request; 0 for as many as fit.

    Attributes:
        unanswered: places so far for which no answer could be read, the second try included.
    """

    name = "model"

    def __init__(
        self,
        model: LanguageModel,
        prompts: Prompts,
        rules: Generator,
        checks: CandidateChecks,
        labels: Labeller,
        goal: GoalSettings,
        subsumes: Subsumes,
        *,
        keep: bool | None = None,
        seed: int = 0,
        together: int = 0,
    ) -> None:
        self._model = model
        self._prompts = prompts
        self._rules = rules
        self._checks = checks
        self._labels = labels
        self._goal = goal
        self._subsumes = subsumes
        self._keep = keep
        self._seed = seed
        self._together = together
        self.unanswered = 0

    def plan(
        self, document: Document, entities: Sequence[Entity], *, detected: bool = False
    ) -> Plan:
        """Propose what may stand for each thing.

        Args:
            document: with its mentions.
            entities: those of it that a generalisation may stand for.
            detected: whether a program found them.

        Raises:
            ContextError: not even one sentence fits the model.
            ModelError: the model failed.
        """
        rules = self._rules.generate(document, entities) if entities else {}
        if not entities:
            return Plan(rules)
        keep = detected if self._keep is None else self._keep
        talk = self._begin(document, entities, rules, keep=keep)
        answers, clues = talk.ask_all()
        ladders, dropped = talk.read(answers)
        lost = [p.number for p in talk.marked.places if p.entity_id not in ladders]
        lost = [
            n
            for n in lost
            if not talk.takes_rules(answers.get(n, ())) and n not in talk.kept(answers)
        ]
        if lost:
            more, _ = talk.ask(lost, lambda _, some: talk.again(some, dropped))
            answers |= more
            ladders, later = talk.read(answers)
            for key, phrases in later.items():
                dropped[key] = tuple(dict.fromkeys((*dropped.get(key, ()), *phrases)))
        kept = frozenset(talk.things(talk.kept(answers)))
        missing = sum(p.number not in answers for p in talk.marked.places)
        self.unanswered += missing
        notes = [f"{missing} places without a readable answer of the model"] if missing else []
        if missing:
            _LOG.warning("%d of %d places got no answer", missing, len(talk.marked.places))
        if kept:
            notes.append(f"{len(kept)} things left as they are: they tell nothing about anybody")
        for entity in entities:  # what a value's own phrases leave too open, a wider one may not
            if entity.id in ladders and entity.entity_type in BY_VALUE:
                own, known = ladders[entity.id], rules.get(entity.id, ())
                wider = (
                    _wider(known, own[-1], parse_temporal)
                    if entity.entity_type == EntityType.DATETIME
                    else _wider(known, own[-1], parse_quantity)
                )
                ladders[entity.id] = _ranked((*own, *wider))
        return Plan(
            {**rules, **ladders},
            kept,
            dropped,
            tuple(talk.clues(clues)),
            tuple(notes),
        )

    def edit(self, document: Document, plan: Plan) -> PlanEditor:
        """Return who mends this plan.

        Args:
            document: as it was planned.
            plan: of this document.
        """
        entities = [e for e in document.entities if e.id in plan.ladders]
        return self._begin(document, entities, plan.ladders, keep=False)

    def _begin(
        self,
        document: Document,
        entities: Sequence[Entity],
        ladders: Mapping[str, Ladder],
        *,
        keep: bool,
    ) -> Conversation:
        marked = MarkedDocument(
            document, frozenset(entity.id for entity in entities), self._labels(document)
        )
        checks = PhraseChecks(document, self._checks.of(document), entities, self._subsumes)
        return Conversation(
            self._model, self._prompts, marked, checks, ladders, self._goal,
            keep=keep, seed=self._seed, together=self._together,
        )  # fmt: skip


class Conversation:
    """All questions about one document; they share its prefix.

    Args:
        model: that answers.
        prompts: where its words come from.
        marked: the document with its places.
        checks: of its phrases.
        ladders: what is proposed by rule, or planned already, by entity id.
        goal: what to protect and to preserve.
        keep: whether places may stay as they are.
        seed: of the sampling.
        together: places in one request; 0 for as many as fit.
    """

    def __init__(
        self,
        model: LanguageModel,
        prompts: Prompts,
        marked: MarkedDocument,
        checks: PhraseChecks,
        ladders: Mapping[str, Ladder],
        goal: GoalSettings,
        *,
        keep: bool,
        seed: int,
        together: int,
    ) -> None:
        self.marked = marked
        self._model = model
        self._prompts = prompts
        self._checks = checks
        self._ladders = ladders
        self._keep = keep
        self._seed = seed
        self._together = together
        self._places = {place.number: place for place in marked.places}
        self._of: dict[str, list[MarkedPlace]] = defaultdict(list)
        for place in marked.places:
            self._of[place.entity_id].append(place)
        said = [f"Hide above all: {escape_line(goal.protect)}."] * bool(goal.protect)
        said += [f"Must stay readable: {escape_line(goal.preserve)}."] * bool(goal.preserve)
        self._purpose = "\n".join(["", *said, ""]) if said else ""

    # -- asking ---------------------------------------------------------------------------

    def ask_all(self) -> tuple[dict[int, tuple[str, ...]], list[Row]]:
        """Ask for every place; what is missing is asked for once more.

        Returns:
            Cells by the number of the place; and the rows about unmarked words.
        """
        wanted = sorted(self._places)
        answers, clues = self.ask(wanted)
        missing = [number for number in wanted if number not in answers]
        if missing:
            more, later = self.ask(missing, again=1)
            answers, clues = {**more, **answers}, clues or later
        return answers, clues

    def ask(
        self, numbers: Sequence[int], question: Question | None = None, again: int = 0
    ) -> tuple[dict[int, tuple[str, ...]], list[Row]]:
        """Ask about some places, part by part of the document.

        Args:
            numbers: of the places.
            question: puts it, given a part and those of the places that stand there; None for the
                plan's own, which is put for as many places at a time as fit.
            again: how often it was put before.

        Returns:
            Cells by the number of the place; those of an edit may be of any place of its part. And
            the rows about unmarked words.
        """
        wanted, rows = frozenset(numbers), list[Row]()
        known = frozenset(self._places) if question else wanted
        for part in self._parts():
            inside = [place.number for place in self._inside(part) if place.number in wanted]
            prefix = self._prefix(part, by_number(rows, known))
            free = self._model.context_length - self._model.count([prefix])[0] - _RESERVE
            fitting = max(1, free // _PLACE_TOKENS)
            size = len(inside) if question else min(self._together or fitting, fitting)
            requests = []
            for at in range(0, len(inside), size or 1):
                some = inside[at : at + size]
                if question is None:
                    text = self._prompts.fill("plan.question", places=_listed(some))
                    requests.append(self._request(prefix, text, some, due=True))
                else:
                    requests.append(self._request(prefix, question(part, some), some, due=False))
            if again:
                requests = [another_try(request, again) for request in requests]
            done = self._model.complete(requests) if requests else ()
            rows += [row for each in done for row in read_rows(each.text)]
        return by_number(rows, known), [row for row in rows if row.key == "also"]

    def _request(
        self, prefix: str, question: str, places: Sequence[int], *, due: bool
    ) -> CompletionRequest:
        """Return a question; an edit may leave places out (``due`` False), and so fits sooner."""
        most = _PLACE_TOKENS * len(places) + _CLUE_TOKENS
        if not due:
            free = self._model.context_length - self._model.count([prefix + question])[0] - 64
            most = max(min(most, free), min(most, _LEAST_PLACES * _PLACE_TOKENS))
        return CompletionRequest(
            prefix,
            question,
            places=tuple(places) if due else (),
            max_tokens=most,
            temperature=0.0,
            seed=zlib.crc32(f"{self._seed}\0{question}".encode("utf-8", "replace")),
        )

    def _inside(self, part: Span) -> list[MarkedPlace]:
        return [p for p in self.marked.places if part.start <= p.span.start < part.end]

    def _prefix(self, part: Span, earlier: Mapping[int, Sequence[str]] | None = None) -> str:
        return self._prompts.fill(
            "plan.prefix",
            purpose=self._purpose,
            keep=self._prompts.templates["plan.keep"] if self._keep else "",
            document=self.marked.show(part).strip(),
            proposals="\n".join(self._proposals(self._inside(part), earlier or {})) or "none",
        )

    def _proposals(
        self, places: Sequence[MarkedPlace], earlier: Mapping[int, Sequence[str]]
    ) -> list[str]:
        """Return what the rules would say, a line a thing; of a thing that an earlier part has
        answered for, what was said there."""
        lines = []
        for key in dict.fromkeys(place.entity_id for place in places):
            own = [place for place in places if place.entity_id == key]
            said = next((earlier[p.number] for p in self._of[key] if p.number in earlier), ())
            phrases = [_plain(cell)[0] for cell in said] or [
                one.text
                for one in self._ladders.get(key, ())
                if not says_nothing(one.text)
                and not self._checks.problem(one.text, own[0], own[0].span)
            ]
            if phrases:
                shown = " | ".join(map(escape_line, phrases[:_SHOWN_RUNGS]))
                before = " (said before)" if said else ""
                lines.append(f"{', '.join(str(p.number) for p in own)}{before}: {shown}")
        return lines

    def _parts(self) -> list[Span]:
        """Return the parts of the document that fit the model; the whole where it does.

        An edit shows a part twice, as it was and as it would stand.
        """
        whole = Span(0, max(1, len(self.marked.document.text)))
        least = _RESERVE + _LEAST_PLACES * _PLACE_TOKENS
        room = self._model.context_length - least
        if sum(self._model.count([self._prefix(whole), self.marked.show(whole)])) <= room:
            return [whole]
        spans = self.marked.sentences()
        instructions = self._prompts.templates["plan.prefix"] + self._purpose
        if self._keep:
            instructions += self._prompts.templates["plan.keep"]
        frame, *sizes = self._model.count(
            [instructions, *(self.marked.show(span) for span in spans)]
        )
        if (room - frame) // 3 < max(sizes, default=0):
            raise ContextError(
                f"a sentence of {max(sizes)} tokens and {frame} of instructions do not fit "
                f"the context of {self._model.context_length}",
                where="setting model.context",
                remedy="Raise it, or take a model with a longer context.",
            )
        return pack_sentences(spans, sizes, (room - frame) // 3)

    # -- reading --------------------------------------------------------------------------

    def takes_rules(self, cells: Sequence[str]) -> bool:
        """Return whether an answer takes what the rules propose."""
        return bool(cells) and cells[0].strip(" .").lower() == "rules"

    def kept(self, answers: Mapping[int, Sequence[str]]) -> frozenset[int]:
        """Return the places that may stay as they are: those of things of which all may.

        Args:
            answers: cells by the number of the place.
        """
        said = {
            n for n, cells in answers.items() if cells and cells[0].lower() in ("keep", "stays")
        }
        whole = {
            key
            for key, places in self._of.items()
            if self._keep
            and self._checks.may_stay(key)
            and all(p.number in said or p.first in said for p in places)
        }
        return frozenset(p.number for p in self.marked.places if p.entity_id in whole)

    def things(self, numbers: Iterable[int]) -> list[str]:
        """Return the entity ids of some places.

        Args:
            numbers: of the places.
        """
        return list(dict.fromkeys(self._places[number].entity_id for number in numbers))

    def read(
        self, answers: Mapping[int, Sequence[str]]
    ) -> tuple[dict[str, Ladder], dict[str, tuple[DroppedPhrase, ...]]]:
        """Turn answers into ladders; what fails a check is dropped with its reason.

        Args:
            answers: cells by the number of the place.
        """
        ladders: dict[str, Ladder] = {}
        dropped: dict[str, tuple[DroppedPhrase, ...]] = {}
        for key, places in self._of.items():
            if self.takes_rules(answers.get(places[0].number, ())):
                continue
            rungs, failed = self._rungs(places, answers)
            first = answers.get(places[0].number, ("",))[0]
            if self._keep and first.lower() in ("keep", "stays") and not self._checks.may_stay(key):
                failed.append(DroppedPhrase(first, "stays"))
            if rungs:
                ladders[key] = rungs
            if failed:
                dropped[key] = tuple(failed)
        return ladders, dropped

    def _rungs(
        self, places: Sequence[MarkedPlace], answers: Mapping[int, Sequence[str]]
    ) -> tuple[Ladder, list[DroppedPhrase]]:
        """Return the sound candidates for one thing, and the phrases that failed."""
        cells = {p: [c for c in answers.get(p.number, ()) if c] for p in places}
        for place, own in cells.items():  # "12 | rules", "12 | keep" beside phrases elsewhere
            cells[place] = [] if own and own[0].lower() in ("rules", "keep", "stays") else own
        height = max(map(len, cells.values()), default=0)
        found: list[Candidate] = []
        unknown: list[Candidate] = []  # they rest on the world, and nothing confirms them
        failed: list[DroppedPhrase] = []
        for rung in range(height):
            wordings: dict[str, Wording] = {}
            phrase = problem = ""
            guessed = False
            for place, own in cells.items():
                if not own:
                    continue
                said, needs, world = _plain(own[min(rung, len(own) - 1)])
                guessed |= world and not self._checks.confirmed(said, place)
                worded = self.marked.word(said, place)
                if worded is None:
                    problem = "beside"
                elif not problem:
                    span, text = worded
                    problem = self._checks.problem(text, place, span)
                    leans = tuple(
                        self._places[n].entity_id
                        for n in needs
                        if n in self._places and self._places[n].entity_id != place.entity_id
                    )
                    wordings[place.mention_id] = Wording(span, text, leans)
                    phrase = phrase or text
                if problem:
                    failed.append(DroppedPhrase(said, problem))
                    break
            if not problem and phrase and all(phrase != each.text for each in (*found, *unknown)):
                (unknown if guessed else found).append(
                    Candidate(_mid_sentence(phrase), rung, Source.MODEL, wordings=wordings)
                )
        rungs = (*found, *unknown)
        return tuple(replace(one, rank=rank) for rank, one in enumerate(rungs)), failed

    def again(self, numbers: Sequence[int], dropped: Mapping[str, Sequence[DroppedPhrase]]) -> str:
        """Return the question about places that have no sound phrase.

        Args:
            numbers: of the places.
            dropped: what failed, by entity id.
        """
        lines = []
        for number in numbers:
            failed = dropped.get(self._places[number].entity_id, ())
            said = "; ".join(
                f"{escape_line(one.text)} ({explain_reason(one.reason)})" for one in failed
            )
            lines.append(f"{number}: {said or 'nothing was offered'}")
        return self._prompts.fill("plan.again", problems="\n".join(lines))

    def clues(self, rows: Iterable[Row]) -> list[Clue]:
        """Return the unmarked words of some rows where they stand, each place once.

        Args:
            rows: "also", the words as they stand, vaguer ones.
        """
        text, taken = self.marked.document.text, [m.span for m in self.marked.document.mentions]
        found = []
        for row in rows:
            words, *phrases = row.cells
            at = text.find(words) if len(words) > 2 else -1
            if at < 0:
                continue
            span = Span(at, at + len(words))
            if any(span.overlaps(other) for other in taken):
                continue
            taken.append(span)
            sound = [p for p in phrases if normalise(p) != normalise(words)]
            found.append(Clue(span, tuple(p for p in sound if not self._checks.names(p))))
        return sorted(found, key=lambda clue: clue.span)

    # -- editing --------------------------------------------------------------------------

    def revise(self, placed: Mapping[str, Candidate], findings: Sequence[AttackFinding]) -> Plan:
        """Propose other phrases for what was guessed or does not read well; see ``PlanEditor``.

        Places that are not answered for keep their words, unless their thing was guessed.
        """
        found: dict[int, str] = {}
        for finding in findings:
            places = self._of.get(finding.entity_id, ())
            where = ", ".join(str(place.number) for place in places)
            said = " / ".join(dict.fromkeys(self._standing(placed, p) for p in places))
            line = f"{where}: {said} // {', '.join(map(escape_line, finding.guesses))}"
            line += f" // {escape_line(finding.telling)}" if finding.telling else ""
            line += f" ({finding.remark})" if finding.remark else ""
            found |= {place.number: line for place in places}

        def question(part: Span, some: Sequence[int]) -> str:
            hit = "\n".join(dict.fromkeys(found[number] for number in some if number in found))
            text = self._prompts.fill("plan.finished", text=self.finished(placed, part))
            mend = self._prompts.fill("plan.repair", findings=hit) if hit else ""
            return text + mend + self._prompts.templates["plan.proofread"]

        answers, rows = self.ask(sorted(self._places), question)
        changed = {n: c for n, c in answers.items() if c[0].lower() not in ("rules", "stays")}
        ladders, dropped = self.read(changed)
        guessed = {finding.entity_id for finding in findings}
        for key in ladders.keys() & placed.keys() - guessed:
            before, [mended, *_] = placed[key], ladders[key]
            text = mended.text if self._of[key][0].mention_id in mended.wordings else before.text
            wordings = {**before.wordings, **mended.wordings}
            ladders[key] = (replace(mended, text=text, wordings=wordings),)
        return Plan(ladders, dropped=dropped, clues=tuple(self.clues(rows)))

    def finished(self, placed: Mapping[str, Candidate], part: Span) -> str:
        """Return a part of the text as it would stand, each place with its number.

        Args:
            placed: the candidate that stands for each entity; those on their label are absent.
            part: of the original; it cuts no place.
        """
        at, shown = part.start, []
        for place in self._inside(part):
            candidate = placed.get(place.entity_id)
            wording = candidate.wordings.get(place.mention_id) if candidate else None
            span = wording.span if wording else place.span
            start = max(at, span.start)
            shown.append(self.marked.show(Span(at, start)) if start > at else "")
            shown.append(f"⟦{place.number}: {self._standing(placed, place)}⟧")
            at = max(at, span.end)
        shown.append(self.marked.show(Span(at, part.end)) if at < part.end else "")
        return "".join(shown).strip()

    def _standing(self, placed: Mapping[str, Candidate], place: MarkedPlace) -> str:
        candidate = placed.get(place.entity_id)
        if candidate is None:
            return escape_line(self.marked.label(place))
        wording = candidate.wordings.get(place.mention_id)
        return escape_line(wording.text if wording else candidate.text)


def _ranked(ladder: Ladder) -> Ladder:
    """Return the candidates with other words, ranks 0, 1, 2 ..."""
    distinct = {normalise(one.text): one for one in reversed(ladder)}
    kept = [one for one in ladder if distinct[normalise(one.text)] is one]
    return tuple(replace(one, rank=rank) for rank, one in enumerate(kept))


def _wider(
    rules: Ladder, last: Candidate, read: Callable[[str], StatementT | None]
) -> Iterator[Candidate]:
    """Yield the rules' rungs for a value that say less than the last of a model's phrases.

    The last of them always does; where the phrase cannot be read, so does the later half.
    """
    said = read(last.text)
    for at, rung in enumerate(rules):
        value = read(rung.text)
        if said is None or value is None:
            wider = at >= len(rules) // 2
        else:
            wider = bool(value.contains(said)) and not said.contains(value)
        if wider or at == len(rules) - 1:
            yield rung


def _plain(cell: str) -> tuple[str, list[int], bool]:
    """Return a phrase without its remarks, the places it needs, and whether it rests on knowledge
    of the world."""
    needs = [int(n) for found in _NEEDS.finditer(cell) for n in re.findall(r"\d+", found[1])]
    world = _WORLD.search(cell) is not None
    return _WORLD.sub(" ", _NEEDS.sub(" ", cell)).strip(), needs, world


def _mid_sentence(phrase: str) -> str:
    """Return a phrase as it would stand in mid-sentence, without the capital of a beginning."""
    first, _, rest = phrase.partition(" ")
    plain = first.lower() in {"a", "an", "the", "some", "one", "on", "in", "at"}
    return f"{first.lower()} {rest}".strip() if plain else phrase


def _listed(numbers: Sequence[int]) -> str:
    """Return numbers as a list: "1 to 9", "1, 3, 8"."""
    if len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"{numbers[0]} to {numbers[-1]}"
    return ", ".join(map(str, numbers))
