"""The sanitised document in the parts that the guard may change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from intact.config import GuardSettings
from intact.domain import Candidate, Decision, Document, Ladder, SanitizedDocument, Span
from intact.protocols import Generaliser, Spot
from intact.reidentification.features import is_content, tokens
from intact.rewriting.occurrences import Occurrence
from intact.rewriting.rewrite import Phrase, RenderedDocument
from intact.selection.descent import Option, Piece, Unit
from intact.selection.masked_names import MaskedNames
from intact.selection.spots import Found, find_spots

MASK = "***"
ORIGIN = "guard"
_GENERALISED, _CLIMBED = 0.6, 0.1
"""Share of the information that a first generalisation, and a rung more, lose; a mask loses all."""


@dataclass(frozen=True, slots=True)
class Draft:
    """Units, the document in pieces, and how many content words no annotation covers."""

    units: tuple[Unit, ...]
    pieces: tuple[Piece, ...]
    content: int

    def extra(self, choices: Sequence[int]) -> list[tuple[Occurrence, Phrase]]:
        """What has to be rewritten beside the masked entities."""
        return [
            (
                Occurrence(span, unit.id, "", unit.entity_type),
                Phrase(unit.options[choice].text, ORIGIN),
            )
            for unit, choice in zip(self.units, choices, strict=True)
            if not unit.entity and choice >= 0
            for span in unit.spans
        ]


def draft(
    chosen: SanitizedDocument,
    rendered: RenderedDocument,
    generaliser: Generaliser,
    settings: GuardSettings,
) -> Draft:
    """The document as it stands in ``rendered``, with everything that may stand elsewhere."""
    document = chosen.document
    edits = rendered.edits
    keep = frozenset(word for text in settings.keep for word in tokens(text))
    found = find_spots(document, [edit.span for edit in edits], keep)
    proposed: Mapping[str, tuple[str, Ladder]] = {}
    if settings.edit == "generalise":
        proposed = generaliser.propose(document, (*found.long, *found.words))
    units = list(_entities(chosen)) if settings.edit == "generalise" else []
    units += _words(document, found, proposed)
    return Draft(tuple(units), tuple(_pieces(document, rendered, units)), found.content)


def worth_of(words: Sequence[str]) -> float:
    """How much information words hold: one each, so that few words change."""
    return float(sum(map(is_content, words)) or 1)


def _entities(chosen: SanitizedDocument) -> Iterator[Unit]:
    """Masked entities that may climb."""
    names = MaskedNames(chosen.document)
    for decision in chosen.decisions:
        if decision.chosen is None:
            continue
        worth = worth_of(tokens(decision.entity.mentions[0].text)) * len(decision.entity.mentions)
        options = tuple(_climbs(decision, names, worth))
        yield Unit(
            decision.entity.id,
            True,
            decision.entity.entity_type,
            tuple(mention.span for mention in decision.entity.mentions),
            options,
        )


def _climbs(decision: Decision, names: MaskedNames, worth: float) -> Iterator[Option]:
    """The rungs above the one chosen, then the label."""
    first = (decision.chosen or 0) + 1
    rungs = [(at, rung) for at, rung in enumerate(decision.ladder) if at >= first]
    height = len(rungs) + 1
    for step, (at, rung) in enumerate(rungs, start=1):
        if not names.named_by(rung):
            loss = worth * _CLIMBED * step / height
            yield Option(rung.text, tuple(tokens(rung.text)), loss, at)
    yield Option(decision.label, tuple(tokens(decision.label)), worth * _CLIMBED, None)


def _words(
    document: Document, found: Found, proposed: Mapping[str, tuple[str, Ladder]]
) -> list[Unit]:
    """Long spots that can be generalised, then the single words that no such spot covers."""
    units: list[Unit] = []
    covered: set[Span] = set()
    for spot in found.long:
        spans = tuple(s for s in spot.spans if not any(s.overlaps(other) for other in covered))
        if spot.key in proposed and spans:
            covered.update(spans)
            units.append(_unit(document, Spot(spot.key, spot.kind, spans), proposed[spot.key]))
    taken = sorted(covered)
    for spot in found.words:
        spans = tuple(s for s in spot.spans if not _inside(s, taken))
        if spans:
            whole = len(spans) == len(spot.spans)
            known = proposed.get(spot.key) if whole else None
            units.append(_unit(document, Spot(spot.key, spot.kind, spans), known))
    return units


def _unit(document: Document, spot: Spot, proposal: tuple[str, Ladder] | None) -> Unit:
    entity_type, ladder = proposal or ("", ())
    originals = tokens(spot.spans[0].of(document.text))
    worth = worth_of(originals) * len(spot.spans)
    options = [*_generalisations(ladder, worth), Option(MASK, (), worth, None)]
    changed = sum(sum(map(is_content, tokens(span.of(document.text)))) for span in spot.spans)
    name = f"{ORIGIN}:{spot.kind}:{spot.key}"
    return Unit(name, False, entity_type, spot.spans, tuple(options), max(changed, 1))


def _generalisations(ladder: Sequence[Candidate], worth: float) -> Iterator[Option]:
    for at, rung in enumerate(ladder):
        share = _GENERALISED + (1 - _GENERALISED) * at / (len(ladder) + 1)
        yield Option(rung.text, tuple(tokens(rung.text)), worth * share, at)


def _inside(span: Span, taken: Sequence[Span]) -> bool:
    return any(span.overlaps(other) for other in taken)


def _pieces(
    document: Document, rendered: RenderedDocument, units: Sequence[Unit]
) -> Iterator[Piece]:
    """Kept words, words to be changed, and replacements, from start to end."""
    text = document.text
    numbers = {unit.id: at for at, unit in enumerate(units)}
    marks = [
        (span, at, tuple(tokens(span.of(text))))
        for at, unit in enumerate(units)
        if not unit.entity
        for span in unit.spans
    ]
    speakers = {
        replacement.span: replacement.entity_id
        for replacement in rendered.replacements
        if replacement.origin != "nested"
    }
    marks += [
        (edit.span, numbers.get(speakers.get(edit.span, ""), -1), tuple(tokens(edit.text)))
        for edit in rendered.edits
    ]
    done = 0
    for span, unit, words in sorted(marks):
        yield Piece(-1, tuple(tokens(text[done : span.start])))
        yield Piece(unit, words)
        done = span.end
    yield Piece(-1, tuple(tokens(text[done:])))
