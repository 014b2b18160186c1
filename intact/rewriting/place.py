"""Put words where they belong, and say where they stand then. The sentence is read again before:
words beside a place that the new ones make wrong change with them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from intact.domain import Edit, EntityType, Replacement, Source, Span
from intact.english.grammar import indefinite, is_plural_noun


@dataclass(frozen=True, slots=True)
class WordedPlace:
    """The words for one place of a text."""

    edits: tuple[Edit, ...]  # one directly after the other, see ``FittedPhrase``
    targets: tuple[tuple[str, Span], ...]  # entity id, and where its phrase is in the new words
    replacements: tuple[Replacement, ...]  # what the record says of it, nested ones included

    @property
    def span(self) -> Span:
        """The characters of the original that go."""
        return Span(self.edits[0].span.start, self.edits[-1].span.end)

    def speaking_for(self, replacements: Sequence[Replacement], end: int) -> WordedPlace:
        """Let the same words also stand for places behind.

        Args:
            replacements: of the places behind.
            end: offset in the original up to which their characters go.
        """
        last = self.edits[-1]
        wider = Edit(Span(last.span.start, max(last.span.end, end)), last.text)
        every = (*self.replacements, *replacements)
        return replace(self, edits=(*self.edits[:-1], wider), replacements=every)


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
        kept = text[done : one.span.start]
        new = "".join(edit.text for edit in one.edits)
        start = length + len(kept)
        for entity_id, span in one.targets:
            targets[entity_id].append(Span(start + span.start, start + span.end))
        parts += (kept, new)
        length = start + len(new)
        done = one.span.end
    parts.append(text[done:])
    return RenderedDocument(
        edits=tuple(edit for one in worded for edit in one.edits),
        replacements=tuple(record for one in worded for record in one.replacements),
        targets={key: tuple(spans) for key, spans in targets.items()},
        text="".join(parts),
    )


_ONLY = re.compile(r"\b(the|his|her|its|their|our|my|your) (?:only|sole) $", re.IGNORECASE)
_THE = re.compile(r"\b(the) $", re.IGNORECASE)
_RESTRICTOR = re.compile(r"(?:only|sole|first|last|(?:old|eld|young)est)(?: |$)")
"""What makes a thing the one of its kind, and need not of a wider kind."""
_ARTICLE = re.compile(r"(?:an?|the) ")
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
    for one in worded:
        last = mended[-1] if mended else None
        done = last.span.end if last is not None else 0
        start, end = one.span.start, one.span.end
        between = text[max(done, start - _LONGEST) : start]
        said = _said(one)
        restricted = _RESTRICTOR.match(one.span.of(text))
        only = _THE.search(between) if restricted else _ONLY.search(between)
        if _is_label(one) or not one.targets or one.targets[0][0] not in types:
            mended.append(one)
        elif (
            last is not None
            and between == ", "
            and done == start - 2
            and _is_seat(last, one, types)
        ):
            mended.append(_beginning(one, 2, " at " if said.startswith("an address") else " in "))
        elif only:
            after = re.match(r"\s?([\w-]*)", text[end:])
            follows = f"{said} {after[1] if after else ''}".split()
            mended.append(_beginning(one, len(only[0]), _unrestricted(only[1], follows)))
        else:
            mended.append(one)
    return mended


def _said(one: WordedPlace) -> str:
    return "".join(edit.text for edit in one.edits)


def _is_label(one: WordedPlace) -> bool:
    return any(record.origin == Source.LABEL for record in one.replacements)


def _is_seat(body: WordedPlace, seat: WordedPlace, types: Mapping[str, str]) -> bool:
    """Check that a place is told only to say where the body before it is."""
    told = [types.get(each.targets[0][0]) if each.targets else "" for each in (body, seat)]
    named = told == [EntityType.ORG, EntityType.LOC] and not _is_label(body)
    return named and _ARTICLE.match(_said(seat)) is not None


def _unrestricted(determiner: str, follows: Sequence[str]) -> str:
    """Find what stands for "the only " before some words: "a ", or nothing before a plural."""
    if determiner.lower() != "the":
        return f"{determiner} "
    article = indefinite(" ".join(follows))
    if follows[:1] in (["a"], ["an"]) or any(map(is_plural_noun, follows)):
        return ""
    return f"{article.capitalize() if determiner[0].isupper() else article} "


def _beginning(one: WordedPlace, before: int, words: str) -> WordedPlace:
    """Put ``words`` for the ``before`` characters in front of a place."""
    first, *rest = one.edits
    wider = Edit(Span(first.span.start - before, first.span.end), words + first.text)
    moved = tuple(
        (entity, Span(span.start + len(words), span.end + len(words)))
        for entity, span in one.targets
    )
    return replace(one, edits=(wider, *rest), targets=moved)
