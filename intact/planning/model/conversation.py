"""Ask a language model about the places of a document. Every question has the same prefix, which
holds the original with its places marked."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from intact.config import GoalSettings
from intact.domain import AttackFinding, Candidate, DroppedPhrase, Ladder, Outcome, Plan, Span
from intact.english.sentences import fit_sentences
from intact.english.words import says_nothing
from intact.models.prompts import Prompts, escape_line
from intact.models.reading import Row, by_number, read_rows
from intact.planning.model.answers import AnswerReader, explain_reason, read_phrase
from intact.planning.model.marking import MarkedDocument, MarkedPlace
from intact.protocols import CompletionRequest, LanguageModel, another_try

_PHRASE_TOKENS, _ROW_TOKENS = 14, 6
_PLACE_TOKENS = 3 * _PHRASE_TOKENS + _ROW_TOKENS
_CLUE_TOKENS = 240
_LEAST_PLACES = 4  # places that one request must have room for; else the document is split
_RESERVE = _CLUE_TOKENS + 128
_SHOWN_RUNGS = 2
_REVISED = (
    ("plan.repair", Outcome.GUESSED),
    ("plan.elsewhere", Outcome.CONTEXT),
    ("plan.compare", Outcome.SAFE),
)  # templates for what an attack found, most urgent first; those that do not fit are left out
# Makes the text of a question about a part of the document, given some places of that part.
Question = Callable[[Span, Sequence[int]], str]


@dataclass(frozen=True, slots=True)
class PlanningModel:
    """A language model that plans, and how it is asked."""

    model: LanguageModel
    prompts: Prompts  # where its words come from
    goal: GoalSettings
    seed: int = 0
    together: int = 0  # places in one request; 0 for as many as fit
    quick: bool = False  # whether unanswered places are asked for only together with failed ones

    @property
    def purpose(self) -> str:
        """The user's goal as a prompt states it, on lines of their own: "Hide above all: ...",
        "Must stay readable: ..."; "" if there is none."""
        goals = {"Hide above all": self.goal.protect, "Must stay readable": self.goal.preserve}
        said = [f"{what}: {escape_line(words)}." for what, words in goals.items() if words]
        return "\n".join(["", *said, ""]) if said else ""


@dataclass(eq=False)
class Conversation:
    """All questions about one document, and the reader of their answers.

    Args:
        by: the model, and how it is asked.
        ladders: what is proposed by rule, or planned already, by entity id.
    """

    by: PlanningModel
    marked: MarkedDocument
    reader: AnswerReader
    ladders: Mapping[str, Ladder]

    def ask_all(self) -> tuple[dict[int, tuple[str, ...]], list[Row]]:
        """Ask a language model about every place, and once more about those without an answer; a
        quick plan leaves those to the question about failed phrases. Return the cells of the
        answers (phrases, most specific first) by the number of the place, and the rows about words
        that nobody marked but that may give somebody away; a place that got no answer is absent."""
        wanted = sorted(self.marked.numbered)
        answers, clue_rows = self.ask(wanted)
        missing = [n for n in wanted if n not in answers and not self.by.quick]
        if missing:
            more, later = self.ask(missing, attempt=1)
            answers, clue_rows = {**more, **answers}, clue_rows or later
        return answers, clue_rows

    def ask(
        self, numbers: Sequence[int], question_of: Question | None = None, attempt: int = 0
    ) -> tuple[dict[int, tuple[str, ...]], list[Row]]:
        """Ask a language model about some places, part by part of the document.

        Args:
            numbers: of the places.
            question_of: makes the text of the question, given a part and those of the places that
                it holds; None for the plan's own question, which is asked about as many places at a
                time as fit.
            attempt: 0 for the first time that this is asked; the seed depends on it, so that
                answers differ.

        Returns:
            The cells of the answers by the number of the place, and the rows about unmarked words.
                A place without a readable answer is absent. With ``question_of``, a cell may be of
                any place of the document.
        """
        fill, wanted, rows = self.by.prompts.fill, frozenset(numbers), list[Row]()
        write = question_of or (lambda _, some: fill("plan.question", places=_listed(some)))
        known = frozenset(self.marked.numbered) if question_of else wanted
        for part in self._parts():
            inside = [place.number for place in self._inside(part) if place.number in wanted]
            prefix = self._prefix(part, by_number(rows, known))
            free = self.by.model.context_length - self.by.model.count([prefix])[0] - _RESERVE
            fitting = max(1, free // _PLACE_TOKENS)
            size = len(inside) if question_of else min(self.by.together or fitting, fitting)
            requests = []
            for at in range(0, len(inside), size or 1):
                some = inside[at : at + size]
                request = self._request(prefix, write(part, some), some, due=question_of is None)
                requests.append(another_try(request, attempt) if attempt else request)
            done = self.by.model.complete(requests) if requests else ()
            rows += [row for each in done for row in read_rows(each.text)]
        return by_number(rows, known), [row for row in rows if row.key == "also"]

    def _request(
        self, prefix: str, question: str, places: Sequence[int], *, due: bool
    ) -> CompletionRequest:
        """Make the request of one question to a language model, with room for its answer and a seed
        that depends on the question.

        Args:
            prefix: what many requests share.
            question: what follows it.
            places: numbers of the places it is about.
            due: whether each place must have its line. If not, as in an edit, the answer may be
                shorter, so a longer question still fits.
        """
        most = _PLACE_TOKENS * len(places) + _CLUE_TOKENS
        if not due:
            free = self.by.model.context_length - self.by.model.count([prefix + question])[0] - 64
            most = min(most, max(free, _LEAST_PLACES * _PLACE_TOKENS))
        seed = zlib.crc32(f"{self.by.seed}\0{question}".encode("utf-8", "replace"))
        return CompletionRequest(prefix, question, tuple(places) if due else (), most, seed=seed)

    def _inside(self, part: Span) -> list[MarkedPlace]:
        """List the places that begin in a part of the document, in text order."""
        every = self.marked.numbered.values()
        return [p for p in every if part.start <= p.span.start < part.end]

    def _prefix(self, part: Span, earlier: Mapping[int, Sequence[str]] | None = None) -> str:
        """Write the prefix of all questions about a part: the part with its places marked, and what
        is proposed for them.

        Args:
            part: of the document.
            earlier: the answers about earlier parts, by the number of the place.
        """
        prompts, document = self.by.prompts, self.marked.show(part).strip()
        proposals = "\n".join(self._proposals(part, earlier or {})) or "none"
        own = {"purpose": self.by.purpose, "document": document, "proposals": proposals}
        keep = prompts.templates["plan.keep"] if self.reader.keep else ""
        return prompts.fill("plan.prefix", keep=keep, **own)

    def _proposals(self, part: Span, earlier: Mapping[int, Sequence[str]]) -> Iterator[str]:
        """Yield a line for each entity of a part, with the numbers of its places and at most two
        phrases: those of the answer about an earlier part, if it has one ("3, 7 (said before): a
        nurse | a worker"), else sound ones of the rules ("3, 7: a nurse"). An entity without a
        phrase has no line.

        Args:
            part: of the document.
            earlier: the cells of earlier answers by the number of the place.
        """
        things: dict[str, list[MarkedPlace]] = {}
        for place in self._inside(part):
            things.setdefault(place.entity_id, []).append(place)
        for key, own in things.items():
            before = (earlier.get(place.number) for place in self.marked.places_of[key])
            said = next(filter(None, before), ())
            phrases = [read_phrase(cell)[0] for cell in said] or [
                one.text
                for one in self.ladders.get(key, ())
                if not says_nothing(one.text)
                and not self.reader.problem(one.text, own[0], own[0].span)
            ]
            if phrases:
                shown = " | ".join(map(escape_line, phrases[:_SHOWN_RUNGS]))
                remark = " (said before)" if said else ""
                yield f"{', '.join(str(place.number) for place in own)}{remark}: {shown}"

    def _parts(self) -> list[Span]:
        """Return consecutive parts of the document, as spans, that each fit the model; one part if
        the whole fits. Room is left for an edit, which shows a part twice, as it was and as it
        would stand. Raise a ``ContextError`` if a sentence does not fit."""
        whole = Span(0, max(1, len(self.marked.document.text)))
        templates, count = self.by.prompts.templates, self.by.model.count
        edit = sum(count([templates[f"plan.{one}"] for one in ("finished", "repair", "proofread")]))
        least = _RESERVE + _LEAST_PLACES * _PLACE_TOKENS + edit
        room = self.by.model.context_length - least
        if sum(count([self._prefix(whole), self.marked.show(whole)])) <= room:
            return [whole]
        spans = self.marked.sentences()
        instructions = templates["plan.prefix"] + self.by.purpose
        if self.reader.keep:
            instructions += templates["plan.keep"]
        frame, *sizes = count([instructions, *map(self.marked.show, spans)])
        return fit_sentences(spans, sizes, frame + least, self.by.model.context_length, share=3)

    def again(self, numbers: Sequence[int], dropped: Mapping[str, Sequence[DroppedPhrase]]) -> str:
        """Return the text of the question about places that have no sound phrase yet: a line for
        each with the phrases that failed, and why, or "nothing was offered".

        Args:
            numbers: of the places.
            dropped: phrases that failed a check, by entity id.
        """
        lines = []
        for number in numbers:
            failed = dropped.get(self.marked.numbered[number].entity_id, ())
            why = (f"{escape_line(one.text)} ({explain_reason(one.reason)})" for one in failed)
            lines.append(f"{number}: {'; '.join(why) or 'nothing was offered'}")
        return self.by.prompts.fill("plan.again", problems="\n".join(lines))

    def revise(self, placed: Mapping[str, Candidate], findings: Sequence[AttackFinding]) -> Plan:
        """Ask a language model for other phrases for what was guessed or does not read well. Return
        a plan with ladders for the entities that change only, the phrases that failed a check, and
        clues (unmarked words that give something away).

        A place without an answer keeps its words, unless its entity was guessed.

        Args:
            placed: the candidate that stands for each entity; entities at their label are absent.
            findings: what was guessed, and from which words; if there are none, the text is only
                read.
        """
        told: dict[Outcome, dict[int, str]] = {outcome: {} for outcome in Outcome}
        for finding in findings:
            places = self.marked.places_of.get(finding.entity_id, ())
            where = ", ".join(str(place.number) for place in places)
            said = " / ".join(dict.fromkeys(self._standing(placed, p)[1] for p in places))
            parts = [said, ", ".join(map(escape_line, finding.guesses))]
            parts += [escape_line(finding.telling), finding.remark and f"({finding.remark})"]
            line = f"{where}: {' // '.join(filter(None, parts))}"
            told[finding.outcome] |= {place.number: line for place in places}

        def question(part: Span, some: Sequence[int]) -> str:
            """Return the text of the question about a part: the part as it stands now, and what was
            found at its places, as far as it fits the model; what was guessed is always in it.

            Args:
                part: of the document.
                some: numbers of the places in it.
            """
            fill, model = self.by.prompts.fill, self.by.model
            finished = fill("plan.finished", text=self.finished(placed, part))
            asked = [finished, fill("plan.proofread")]
            for template, outcome in _REVISED:
                lines = told[outcome]
                listed = "\n".join(dict.fromkeys(lines[n] for n in some if n in lines))
                more = fill(template, findings=listed) if listed else ""
                used = sum(model.count([self._prefix(part), *asked, more]))
                least = _RESERVE + _LEAST_PLACES * _PLACE_TOKENS
                if used + least <= model.context_length or outcome is Outcome.GUESSED:
                    asked.insert(-1, more)
            return "".join(asked)

        answers, clue_rows = self.ask(sorted(self.marked.numbered), question)
        changed = {n: c for n, c in answers.items() if c[0].lower() not in ("rules", "stays")}
        ladders, dropped = self.reader.ladders(changed)
        guessed = {one.entity_id for one in findings if one.outcome is Outcome.GUESSED}
        for key in ladders.keys() & placed.keys() - guessed:
            before, [mended, *_] = placed[key], ladders[key]
            first = self.marked.places_of[key][0].mention_id
            text = (mended if first in mended.wordings else before).text
            wordings = {**before.wordings, **mended.wordings}
            ladders[key] = (replace(mended, text=text, wordings=wordings),)
        return Plan(ladders, dropped=dropped, clues=tuple(self.reader.clues(clue_rows)))

    def finished(self, placed: Mapping[str, Candidate], part: Span) -> str:
        """Return a part of the text as it would stand now, each place with its number: "⟦3: a
        nurse⟧", or "⟦3: PERSON_1⟧" at its label.

        Args:
            placed: the candidate that stands for each entity; entities at their label are absent.
            part: of the original; its bounds cut no place.
        """
        at, shown = part.start, []
        shown_as = {key: escape_line(candidate.text) for key, candidate in placed.items()}
        for place in self._inside(part):
            span, words = self._standing(placed, place)
            shown.append(self.marked.show(Span(at, max(at, span.start)), shown_as))
            shown.append(f"⟦{place.number}: {words}⟧")
            at = max(at, span.end)
        return "".join([*shown, self.marked.show(Span(at, part.end), shown_as)]).strip()

    def _standing(self, placed: Mapping[str, Candidate], place: MarkedPlace) -> tuple[Span, str]:
        """Return the span of the original that is replaced at a place now, and the words that stand
        there, on one line: those that the candidate has for its mention, else the candidate's
        phrase; the label where no candidate is placed.

        Args:
            placed: the candidate that stands for each entity, by its id.
            place: of the original.
        """
        candidate = placed.get(place.entity_id)
        if candidate is None:
            return place.span, escape_line(self.marked.label(place.entity_id))
        wording = candidate.wordings.get(place.mention_id)
        span, words = (wording.span, wording.text) if wording else (place.span, candidate.text)
        return span, escape_line(words)


def _listed(numbers: Sequence[int]) -> str:
    """Write numbers of places for a question: "1 to 9" for three or more without a gap, else "1, 3,
    8"; "" for none.

    Args:
        numbers: ascending.
    """
    if len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"{numbers[0]} to {numbers[-1]}"
    return ", ".join(map(str, numbers))
