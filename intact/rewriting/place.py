"""Put words where they belong, and say where they stand then. The sentence is read again before:
words beside a place that the new ones make wrong change with them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from intact.domain import Edit, EntityType, Replacement, Source, Span
from intact.english.grammar import NounPhrase, indefinite, is_plural_noun


@dataclass(frozen=True, slots=True)
class WordedPlace:
    """The words for one place of a text."""

    edit: Edit
    target: tuple[str, Span] | None  # entity id, and where its phrase is in the new words
    replacements: tuple[Replacement, ...]  # what the record says of it, nested ones included

    def speaking_for(self, replacements: Sequence[Replacement], end: int) -> WordedPlace:
        """Let the same words also stand for places behind.

        Args:
            replacements: of the places behind.
            end: offset in the original up to which their characters go.
        """
        span = self.edit.span
        wider = Edit(Span(span.start, max(span.end, end)), self.edit.text)
        return replace(self, edit=wider, replacements=(*self.replacements, *replacements))

    @property
    def is_label(self) -> bool:
        """Check that a label stands there."""
        return any(record.origin == Source.LABEL for record in self.replacements)


@dataclass(frozen=True, slots=True)
class RenderedDocument:
    """A document with phrases put in."""

    edits: tuple[Edit, ...]  # ascending, not overlapping
    replacements: tuple[Replacement, ...]  # "nested" and without text where it goes with another
    targets: Mapping[
        str, tuple[Span, ...]
    ]  # entity id -> where it stands in the new text, if it does
    text: str  # the new text


def place(text: str, worded: Sequence[WordedPlace]) -> RenderedDocument:
    """Put words into a text at places that ascend and do not overlap.

    Args:
        text: the original.
        worded: ascending; their edits must not overlap.
    """
    parts: list[str] = []
    targets: dict[str, list[Span]] = defaultdict(list)
    done = length = 0
    for one in worded:
        kept, new = text[done : one.edit.span.start], one.edit.text
        start = length + len(kept)
        if one.target is not None:
            entity_id, span = one.target
            targets[entity_id].append(Span(start + span.start, start + span.end))
        parts += (kept, new)
        length = start + len(new)
        done = one.edit.span.end
    parts.append(text[done:])
    return RenderedDocument(
        edits=tuple(one.edit for one in worded),
        replacements=tuple(record for one in worded for record in one.replacements),
        targets={key: tuple(spans) for key, spans in targets.items()},
        text="".join(parts),
    )


_ONLY = re.compile(r"\b(the|his|her|its|their|our|my|your) (?:only|sole) $", re.IGNORECASE)
_THE = re.compile(r"\b(the) $", re.IGNORECASE)
_RESTRICTOR = re.compile(r"(?:only|sole|first|last|(?:old|eld|young)est)(?: |$)")
"""What makes a thing the one of its kind, and need not of a wider kind."""
_LONGEST = 12  # characters of "their only "


def reread(text: str, worded: Sequence[WordedPlace], types: Mapping[str, str]) -> list[WordedPlace]:
    """Read each place again beside the words before it, and mend what the two make wrong.

    A place behind a body is where the body is: "a law firm, a town" becomes "a law firm in a town".
    The only one of its kind need not be the only one of a wider kind: "the only Pakistani woman"
    becomes "an Asian woman", "his only son" "his child", wherever the span begins.

    Args:
        text: the original.
        worded: ascending.
        types: entity id -> entity type, of those whose words rules chose; others stay as they are.
    """
    mended: list[WordedPlace] = []
    done, told = 0, ""
    for here in worded:
        one, span, said = here, here.edit.span, here.edit.text
        kind = types.get(one.target[0], "") if one.target and not one.is_label else ""
        between = text[max(done, span.start - _LONGEST) : span.start]
        only = (_THE if _RESTRICTOR.match(span.of(text)) else _ONLY).search(between)
        seat = (told, kind) == (EntityType.ORG, EntityType.LOC) and NounPhrase.of(said).article
        if kind and seat and between == ", ":
            one = _beginning(one, 2, " at " if said.startswith("an address") else " in ")
        elif kind and only:
            after = re.match(r"\s?([\w-]*)", text[span.end :])
            follows = f"{said} {after[1] if after else ''}"
            one = _beginning(one, len(only[0]), _unrestricted(only[1], follows))
        mended.append(one)
        done, told = span.end, kind
    return mended


def _unrestricted(determiner: str, follows: str) -> str:
    """Find what stands for "the only " before some words: "a ", or nothing before a plural."""
    if determiner.lower() != "the":
        return f"{determiner} "
    if NounPhrase.of(follows).article or any(map(is_plural_noun, follows.split())):
        return ""
    article = indefinite(follows)
    return f"{article.capitalize() if determiner[0].isupper() else article} "


def _beginning(one: WordedPlace, before: int, words: str) -> WordedPlace:
    """Put ``words`` for the ``before`` characters in front of a place."""
    edit, (entity, at) = one.edit, one.target or ("", Span(0, 1))
    wider = Edit(Span(edit.span.start - before, edit.span.end), words + edit.text)
    target = entity, Span(at.start + len(words), at.end + len(words))
    return replace(one, edit=wider, target=target)
