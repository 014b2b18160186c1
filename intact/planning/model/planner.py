"""Plan a document with a language model that reads all of it.

The questions share one prefix, which holds the original with its places marked: the plan; again,
what got no sound phrase; the repair of what an attack guessed; a last reading. Entities for which
no sound phrase was offered keep the rules' ladder.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from intact.domain import (
    BY_VALUE,
    AttackFinding,
    Candidate,
    Document,
    Entity,
    Ladder,
    Plan,
)
from intact.english.reading import ReadDocument
from intact.english.scan import parse
from intact.english.words import normalise, says_nothing
from intact.planning.ladder import Checker, narrower
from intact.planning.model.answers import AnswerReader
from intact.planning.model.conversation import Conversation, PlanningModel
from intact.planning.model.marking import MarkedDocument
from intact.protocols import Generator, Labeller, PlanEditor


@dataclass(eq=False)
class ModelPlanner:
    """Asks a language model for the plan of a document.

    Args:
        by: the model, and how it is asked.
        rules: proposes phrases where the model has nothing better.
        checks: find candidates that leak or disclose.
        labels: of direct identifiers, which no model reads.
        keep: whether words that reveal nothing may stay in clear; None: only if a program found
            them.
    """

    by: PlanningModel
    rules: Generator
    checks: Checker
    labels: Labeller
    keep: bool | None = None

    def plan(
        self, read: ReadDocument, entities: Sequence[Entity], *, detected: bool = False
    ) -> Plan:
        """Ask a language model for the plan of a document: for each entity its sound phrases, and
        after them wider ones of the rules; for an entity without any, the ladder of the rules. The
        plan also holds the entities kept in clear, the phrases that failed a check, clues (unmarked
        words that give something away) and, under ``otherwise``, all ladders of the rules.

        Args:
            read: the document, with all its mentions.
            entities: those of it that a generalisation may replace; if there are none, the plan is
                empty.
            detected: whether a program found them.

        Raises:
            ContextError: if not even one sentence fits the model.
            ModelError: if the model failed.
        """
        if not entities:
            return Plan({})
        rules = self.rules.generate(read, entities)
        keep = detected if self.keep is None else self.keep
        talk = self.begin(read.document, entities, rules, keep=keep)
        reader, numbered = talk.reader, talk.marked.numbered
        answers, clue_rows = talk.ask_all()
        ladders, dropped = reader.ladders(answers)
        settled = {*ladders, *reader.kept(answers)}
        left = (n for n, place in numbered.items() if place.entity_id not in settled)
        lost = [number for number in left if not reader.takes_rules(answers.get(number, ()))]
        if lost:
            more, _ = talk.ask(lost, lambda _, some: talk.again(some, dropped))
            answers |= more
            ladders, later = reader.ladders(answers)
            for key, phrases in later.items():
                dropped[key] = tuple(dict.fromkeys((*dropped.get(key, ()), *phrases)))
        kept = reader.kept(answers)
        missing = len(numbered.keys() - answers.keys())
        said = {
            f"{missing} places without a readable answer of the model": missing,
            f"{len(kept)} things left as they are: they tell nothing about anybody": kept,
        }
        for entity in entities:
            if own := ladders.get(entity.id):
                wider = _wider(entity, rules.get(entity.id, ()), own[-1])
                ladders[entity.id] = _ranked((*own, *wider))
        found = tuple(reader.clues(clue_rows))
        notes = tuple(note for note, stands in said.items() if stands)
        return Plan({**rules, **ladders}, kept, dropped, found, notes, otherwise=rules)

    def edit(self, document: Document, plan: Plan, *, clues: bool = False) -> PlanEditor:
        """Return an editor that mends a plan of a document with the same model.

        Args:
            document: with all its mentions.
            plan: its ladders are what is proposed now.
            clues: whether to change unmarked words that give something away, too.
        """
        return ModelEditor(self, document, plan.ladders, clues)

    def begin(
        self,
        document: Document,
        entities: Sequence[Entity],
        ladders: Mapping[str, Ladder],
        *,
        keep: bool,
    ) -> Conversation:
        """Mark the places of a document, and return the conversation in which a model is asked
        about them; nothing is asked yet.

        Args:
            document: with all its mentions.
            entities: those of it that a phrase may replace.
            ladders: what is proposed by rule.
            keep: whether places may stay as they are.
        """
        things = frozenset(entity.id for entity in entities)
        marked = MarkedDocument(document, things, self.labels(document.entities))
        reader = AnswerReader(marked, self.checks(document.entities), entities, keep=keep)
        return Conversation(self.by, marked, reader, ladders)


@dataclass(eq=False)
class ModelEditor:
    """Revises a plan with the model that made it.

    Args:
        planner: begins the conversations.
        ladders: those planned for the document.
        clues: whether to change unmarked words that give something away, too.
    """

    planner: ModelPlanner
    document: Document
    ladders: Mapping[str, Ladder]
    clues: bool

    def revise(self, placed: Mapping[str, Candidate], findings: Sequence[AttackFinding]) -> Plan:
        """Ask the model for other phrases. Return a plan with ladders for the entities that change
        only. Unmarked words that give something away are mentions of its document, and have
        ladders, if ``clues``; this object knows them from then on.

        Args:
            placed: the candidate that stands for each entity; entities at their label are absent.
            findings: what was guessed, and from which words; if there are none, the text is only
                read.
        """
        entities = [entity for entity in self.document.entities if entity.id in self.ladders]
        talk = self.planner.begin(self.document, entities, self.ladders, keep=False)
        plan = talk.revise(placed, findings)
        if self.clues and any(clue.phrases for clue in plan.clues):
            plan = plan.with_clues(self.document)
            self.document = plan.document or self.document
            self.ladders = {**self.ladders, **plan.ladders}
        return plan


def _ranked(ladder: Ladder) -> Ladder:
    """Return a ladder without candidates whose words an earlier one has, in order, ranked 0, 1, 2
    ..."""
    distinct = {normalise(one.text): one for one in reversed(ladder)}
    kept = [one for one in ladder if distinct[normalise(one.text)] is one]
    return tuple(replace(one, rank=rank) for rank, one in enumerate(kept))


def _wider(entity: Entity, rules: Ladder, last: Candidate) -> Ladder:
    """Choose from the rules' candidates for an entity those to try after a model's phrases, in
    their order.

    Of a time or amount they are the ones wider than ``last`` (the later half if ``last`` cannot be
    read), then the last one again, so that it is always among them. Of anything else it is the last
    one alone, and only if it says nothing ("a thing"), which reads better than a label and is as
    safe; else ().

    Args:
        entity: its type decides.
        rules: most specific first.
        last: the least specific of the model's phrases.
    """
    if entity.entity_type not in BY_VALUE:
        return tuple(one for one in rules[-1:] if says_nothing(one.text))
    read = parse(last.text) is not None
    less = (one for one in rules if narrower(last, one))
    return (*(less if read else rules[len(rules) // 2 :]), *rules[-1:])
