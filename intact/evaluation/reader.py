"""A language model that sees both texts and judges every replacement, whichever system made it.

One request shows the original and the finished text with the edits numbered; a text that is too
long is shown in parts. Neither shows direct identifiers.
"""

from collections.abc import Sequence

from intact.domain import SanitizedDocument, Score, Span
from intact.english.sentences import fit_sentences, sentences
from intact.errors import NotMeasuredError
from intact.evaluation.metric import Metric, Pairs
from intact.models.prompts import Prompts, escape, escape_line
from intact.models.reading import ask_twice
from intact.protocols import CompletionRequest, LanguageModel
from intact.rewriting.occurrences import occurrences

# The questions about each place, in the order of its answers.
QUESTIONS = ("true", "less_specific", "fits", "vague")
_ROW_TOKENS = 20  # tokens of the answer for one place


# The type of one edit's mention, and a reader's verdicts on it by the names of ``QUESTIONS``.
Judgement = tuple[str, dict[str, bool]]


class MarkedPair:
    """An original and its finished text, with numbered places and without direct identifiers."""

    def __init__(self, done: SanitizedDocument) -> None:
        """Number the edits to be judged, from 1, in ``places``: those that replace more than direct
        identifiers."""
        document = done.document
        self._text = document.text
        ids = {entity.id: number for number, entity in enumerate(document.entities, 1)}
        direct = (place for place in occurrences(document) if place.direct)
        self._direct = sorted((p.span, f"{p.entity_type}_{ids[p.entity_id]}") for p in direct)
        self._types = [(m.span, m.entity_type) for m in document.mentions if m.masked]
        self._edits = done.edits
        judged = []
        for edit in done.edits:
            words = self._without_names(edit.span.start, edit.span.end, labels=False)
            judged += [edit] if any(map(str.isalnum, words)) else []
        self.places = dict(enumerate(judged, 1))

    def entity_type(self, number: int) -> str:
        """Return the type of the longest masked mention that a place overlaps; "CONTEXT" if there
        is none.

        Args:
            number: of the place, from 1.
        """
        span = self.places[number].span
        overlapping = [(len(own), kind) for own, kind in self._types if own.overlaps(span)]
        return max(overlapping)[1] if overlapping else "CONTEXT"

    def show(self, part: Span, *, finished: bool) -> str:
        """Return a part of either text, escaped for a prompt and with labels for direct
        identifiers, its places numbered: "⟦3: a nurse⟧", "⟦4: (nothing)⟧" for words that were
        deleted.

        Args:
            part: whole sentences of the original, which no edit crosses.
            finished: whether to show the edited text, not the original.
        """
        numbers = {edit: number for number, edit in self.places.items()}
        at, shown = part.start, []
        for edit in self._edits:
            if part.start <= edit.span.start and edit.span.end <= part.end:
                shown.append(escape(self._without_names(at, edit.span.start)))
                words = edit.text
                if edit in numbers and not finished:
                    words = self._without_names(edit.span.start, edit.span.end)
                words = escape_line(words) or "(nothing)"
                shown.append(f"⟦{numbers[edit]}: {words}⟧" if edit in numbers else words)
                at = edit.span.end
        return "".join([*shown, escape(self._without_names(at, part.end))])

    def sentences(self) -> Sequence[Span]:
        """Return the spans of the original's sentences, in order, none of which ends inside an
        edit."""
        return sentences(self._text, [edit.span for edit in self._edits])

    def _without_names(self, start: int, end: int, *, labels: bool = True) -> str:
        """Return characters of the original with a label ("PERSON_1") for each direct identifier in
        them, or without these identifiers.

        Args:
            start: the offset of the first character.
            end: of the last one, exclusive.
            labels: False leaves direct identifiers out.
        """
        at, parts = start, []
        for span, label in self._direct:
            if span.start < end and span.end > at:
                parts += [self._text[at : max(at, span.start)], label if labels else ""]
                at = span.end
        return "".join([*parts, self._text[at:end]])


class ModelReader:
    """Asks a language model to judge every edit, ``together`` of them in one request (0 for
    all)."""

    def __init__(
        self, model: LanguageModel, prompts: Prompts, seed: int = 0, together: int = 0
    ) -> None:
        """Name the reader after its model and prompts, and keep both."""
        self.name = f"{model.name},{prompts.sha256[:8]}"
        self._model, self._prompts = model, prompts
        self._seed, self._together = seed, together

    def judge(self, done: SanitizedDocument) -> tuple[list[Judgement], int]:
        """Have the model judge a document's edits. Return its judgements in text order, each as
        (entity type, or "CONTEXT" for unmarked words; True or False by question: "true",
        "less_specific", "fits", "vague"), and the number of edits whose answers could not be read.
        Edits of nothing but direct identifiers are not judged. Raise a ``ContextError`` if a
        sentence does not fit the model."""
        pair = MarkedPair(done)
        size = self._together or len(pair.places)
        rows = ask_twice(
            self._model,
            {number: edit.span.start for number, edit in pair.places.items()},
            [(part, size) for part in self._parts(pair)] if pair.places else [],
            lambda part, some: self._request(pair, part, some),
            _verdicts,
        )
        judged = [(pair.entity_type(number), rows[number]) for number in sorted(rows)]
        return judged, len(pair.places) - len(rows)

    def _request(self, pair: MarkedPair, part: Span, numbers: Sequence[int]) -> CompletionRequest:
        """Return the question that shows a part in both versions and asks about the places with
        these numbers."""
        original, finished = (pair.show(part, finished=which).strip() for which in (False, True))
        shown, room = {"original": original, "finished": finished}, _ROW_TOKENS * (len(numbers) + 2)
        return self._prompts.request("reader", numbers, self._seed, max_tokens=room, **shown)

    def _parts(self, pair: MarkedPair) -> list[Span]:
        """Return consecutive parts of the original that fit the model in both versions; one part if
        everything fits. Raise a ``ContextError`` if a sentence does not fit."""
        spans = pair.sentences()
        shown = [(pair.show(s, finished=False), pair.show(s, finished=True)) for s in spans]
        prefix = self._prompts.templates["reader.prefix"]
        frame, *sizes = self._model.count([prefix, *map("".join, shown)])
        answer = _ROW_TOKENS * ((self._together or len(pair.places)) + 4)
        if sum(sizes) <= self._model.context_length - frame - answer:
            return [Span(spans[0].start, spans[-1].end)]
        return fit_sentences(spans, sizes, frame, self._model.context_length, share=2)


def _verdicts(cells: Sequence[str]) -> dict[str, bool] | None:
    """Return the cells of an answer as a verdict for each question of ``QUESTIONS``, True for yes;
    None unless there is exactly one "yes", "no", "true" or "false" for each. Only the first letter
    of a cell counts, and cells with another one ("unsure") are passed over."""
    said = [(cell.partition(":")[2].strip() or cell)[:1].lower() for cell in cells]
    read = [one in "yt" for one in said if one and one in "ytnf"]
    return dict(zip(QUESTIONS, read, strict=True)) if len(read) == len(QUESTIONS) else None


class ReaderJudgement(Metric):
    """Share of replacements that a language model calls true when it reads both texts side by side.
    Parts: the share that says less than the original, that fits its sentence, and that is vaguer
    than necessary, each by entity type, too; edits of unmarked words are CONTEXT. Direct
    identifiers are neither shown nor judged. Replacements whose answers cannot be read are left out
    and counted in a warning."""

    name = "reader"

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """Score the share of replacements that a language model calls true, overall and by type,
        then in the same way the shares that say less, that fit and that are vaguer than necessary.
        Raise a ``NotMeasuredError`` if there is no model to ask."""
        reader = self.context.reader
        if reader is None:
            raise NotMeasuredError("no model was given")
        judged: list[tuple[str, Judgement]] = []
        lost = 0
        for done, one in enumerate(pairs):
            judgements, unread = reader.judge(one)
            judged += [(one.document.id, each) for each in judgements]
            lost += unread
            self.context.progress("judgement by a reader", done + 1, len(pairs))
        if lost:
            self.context.warn(f"reader: {lost} replacements without a readable judgement left out")
        scores: list[Score] = []
        for question in QUESTIONS:
            said = [(key, kind, float(answers[question])) for key, (kind, answers) in judged]
            part = "" if question == "true" else question
            scores += self.by_type(said, part, model=reader.name)
        return tuple(scores)
