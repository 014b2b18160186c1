"""Puts the chosen phrases into the text: decisions -> edits and where the phrases stand then.

What does not depend on the choice (nesting, context) is found once, in ``Rewriter``; each
fitted slot is remembered, so that a round that changes a few phrases costs little more.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from intact.domain import Document, Edit, EntityType, Replacement, Span, apply_edits
from intact.english.agreement import Form, form, polished
from intact.errors import DocumentError
from intact.rewriting.fitting import Fitted, fit, plain
from intact.rewriting.nesting import Occurrence, clusters
from intact.rewriting.slots import Slot, slots

_LABEL = re.compile(r"[A-Z][A-Z_]*_\d+|\[[A-Z_]+ \d+\]|\*+")
_GENITIVE = re.compile(r"(?<=\w)['’]s$|(?<=s)['’]$")


@dataclass(frozen=True, slots=True)
class Phrase:
    """What stands for an entity, as it would stand in mid-sentence, and where it comes from.

    Attributes:
        origin: "dates", "knowledge", "llm" ... as in Candidate.source; "label" for a label,
            which is put in without article or change of case.
    """

    text: str
    origin: str = ""


@dataclass(frozen=True, slots=True)
class RenderedDocument:
    """A document with phrases put in.

    Attributes:
        edits: ascending, not overlapping.
        replacements: one per occurrence, in text order; an occurrence that goes with another
            has the origin "nested" and no text.
        targets: entity id -> where its phrases stand in the new text, ascending; an entity
            that only ever goes with others has none.
        text: the new text.
    """

    edits: tuple[Edit, ...]
    replacements: tuple[Replacement, ...]
    targets: Mapping[str, tuple[Span, ...]]
    text: str


class Rewriter:
    """Fits phrases into one document, any number of times.

    Args:
        occurrences: every place that must go, as :func:`intact.rewriting.sweep.occurrences` gives.
        agreement: fit articles, prepositions and case; off, phrases go in as they are.
    """

    def __init__(
        self, document: Document, occurrences: Sequence[Occurrence], *, agreement: bool = True
    ) -> None:
        self._document = document
        self._agreement = agreement
        self._slots = _one_number(slots(document.text, clusters(occurrences)))
        self._fitted: dict[tuple[int, str, bool, int, bool], Fitted] = {}

    def render(self, decisions: Mapping[str, Phrase]) -> RenderedDocument:
        """The document with ``decisions`` (entity id -> phrase) put in.

        Raises:
            DocumentError: if an entity that has to go has no phrase.
        """
        text = self._document.text
        edits: list[Edit] = []
        replacements: list[Replacement] = []
        targets: dict[str, list[Span]] = {}
        parts: list[str] = []
        done = length = 0
        stacked = False
        said = ""
        for index, slot in enumerate(self._slots):
            phrase = self._phrase(decisions, slot)
            shape = _shape(phrase, slot)
            if slot.echo and slot.echo[0] == done and said == shape.text and self._agreement:
                said_in = edits.pop()
                edits.append(Edit(Span(said_in.span.start, slot.echo[1]), said_in.text))
                replacements += _records(slot, Span(*slot.echo), "", "nested")
                done = slot.echo[1]
                continue
            said = shape.text
            fitted = self._fit(index, slot, shape, done, stacked and slot.after_slot)
            bare = shape.label or not shape.article or fitted.text.endswith("’s")
            stacked = slot.entity_type == EntityType.DEM and bare
            kept = text[done : fitted.start]
            length += len(kept)
            parts += (kept, fitted.text)
            own = _edits(fitted)
            edits += own
            main = own[1] if fitted.parts else own[0]
            replacements += _records(slot, main.span, main.text, phrase.origin)
            if fitted.low < fitted.high:
                here = Span(length + fitted.low, length + fitted.high)
                targets.setdefault(slot.entity_id, []).append(here)
            length += len(fitted.text)
            done = fitted.end
        parts.append(text[done:])
        return RenderedDocument(
            tuple(edits),
            tuple(replacements),
            {key: tuple(spans) for key, spans in targets.items()},
            "".join(parts),
        )

    def _phrase(self, decisions: Mapping[str, Phrase], slot: Slot) -> Phrase:
        try:
            return decisions[slot.entity_id]
        except KeyError:
            raise DocumentError(
                "nothing was decided for it",
                where=f"document {self._document.id}, entity {slot.entity_id}",
                remedy="Every masked entity needs a phrase or a label.",
            ) from None

    def _fit(self, index: int, slot: Slot, shape: Form, done: int, stacked: bool) -> Fitted:
        floor = done if slot.left and slot.left[0].start < done else 0
        key = (index, shape.text, shape.label, floor, stacked)
        fitted = self._fitted.get(key)
        if fitted is None:
            if self._agreement:
                fitted = fit(self._document.text, slot, shape, start=floor, stacked=stacked)
            else:
                fitted = plain(slot, shape)
            self._fitted[key] = fitted
        return fitted


def _one_number(found: Sequence[Slot]) -> tuple[Slot, ...]:
    """The slots; an entity that is plural in one place is plural in all."""
    plural = {slot.entity_id for slot in found if slot.many}
    return tuple(
        replace(slot, many=True) if slot.entity_id in plural and not slot.many else slot
        for slot in found
    )


def _edits(fitted: Fitted) -> list[Edit]:
    if fitted.parts is None:
        return [Edit(Span(fitted.start, fitted.end), fitted.text)]
    before, behind = fitted.parts
    edits = [
        Edit(Span(fitted.start, before), fitted.text[: fitted.low]),
        Edit(Span(before, behind), fitted.text[fitted.low :]),
    ]
    return edits if behind == fitted.end else [*edits, Edit(Span(behind, fitted.end), "")]


def _shape(phrase: Phrase, slot: Slot) -> Form:
    if phrase.origin == "label" or _LABEL.fullmatch(phrase.text):
        return form(phrase.text, True)
    text = _GENITIVE.sub("", phrase.text.strip()) or phrase.text  # the slot knows if it needs one
    return form(polished(text) if slot.entity_type == EntityType.DATETIME else text)


def _records(slot: Slot, span: Span, text: str, origin: str) -> list[Replacement]:
    outer = slot.cluster.outer
    records = [Replacement(span, text, outer.entity_id, outer.mention_id, origin)]
    records += [
        Replacement(inner.span, "", inner.entity_id, inner.mention_id, "nested")
        for inner in slot.cluster.inner
    ]
    return records


def render(
    document: Document,
    decisions: Mapping[str, Phrase],
    occurrences: Sequence[Occurrence],
    *,
    agreement: bool = True,
) -> RenderedDocument:
    """``decisions`` put into ``document`` once; see :class:`Rewriter` for several rounds."""
    return Rewriter(document, occurrences, agreement=agreement).render(decisions)


def check(document: Document, rendered: RenderedDocument) -> bool:
    """Whether the edits give exactly the rendered text."""
    return apply_edits(document.text, rendered.edits) == rendered.text
