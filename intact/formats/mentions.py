"""Annotated mentions: reading, checking, bringing several annotators together, and writing."""

import re
from bisect import bisect_left, bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count
from typing import Any

from intact import domain
from intact.domain import ENTITY_TYPES, OFFSETS, Covered, Document, IdentifierType, Mention, Span
from intact.english.vocabulary import vocabulary
from intact.errors import DocumentError, IntactError
from intact.formats.base import Loaded, check_text, listed, parse_json

Layers = Mapping[str, Sequence[Mention]]
Links = dict[tuple[str, int], str]
Warn = Callable[[str], object]  # called with a message that holds no document text

# The names of a mention's fields in files, TAB's first and in TAB's order.
FIELDS: Mapping[str, Sequence[str]] = vocabulary("texts")["fields"]
_PROTECTION = (IdentifierType.NO_MASK, IdentifierType.QUASI, IdentifierType.DIRECT)


def read_layer(raws: object, text: str, where: str, warn: Warn = str) -> tuple[Mention, ...]:
    """Return one annotator's mentions in the order given; other tools' names of types are
    translated.

    A mention without an id gets "mention3" (its number, from 1), and a repeated id a number
    ("m1#2"). Mentions without an entity id are one entity ("thing1") if their types and texts
    agree.

    Args:
        raws: a list of objects with the field names of TAB or JSONL.
        text: of the document; offsets are code points in it.
        where: the document, for messages.
        warn: called with a message about mentions that contradict others, and about offsets that
            seem to be wrong and have no ``span_text`` to check them by.

    Raises:
        DocumentError: naming the mentions that are not what they must be, up to ten; or if most of
            those that cannot be checked seem to be wrong.
    """
    if not isinstance(raws, list):
        raise DocumentError("its mentions are not a list", where=where)
    mentions: list[Mention] = []
    wrong: list[IntactError] = []
    seen: Counter[str] = Counter()
    named = {str(read_field(raw, "entity")) for raw in raws if isinstance(raw, dict)}
    free = (name for n in count(1) if (name := f"thing{n}") not in named)
    unnamed: dict[str, str] = defaultdict(lambda: next(free))
    for number, raw in enumerate(raws, start=1):
        own = str(read_field(raw, "id") or "") if isinstance(raw, dict) else ""
        given = own or f"mention{number}"
        seen[given] += 1
        again = f"#{seen[given]}" if seen[given] > 1 else ""
        try:
            mentions.append(_read(raw, text, given + again, unnamed))
        except DocumentError as error:
            wrong.append(error.at(f"mention {number}{_shown(own)}"))
    if wrong:
        said = listed([wrong[0].problem, *(f"{e.where}: {e.problem}" for e in wrong[1:])], 10, None)
        remedy = " ".join(dict.fromkeys(e.remedy for e in wrong[:10] if e.remedy))
        raise DocumentError(said, where=f"{where}, {wrong[0].where}", remedy=remedy)
    pairs = zip(mentions, raws, strict=True)
    loose = sorted(one.span for one, raw in pairs if read_field(raw, "text") is None)
    _check_offsets(text, loose, where, warn)
    _warn_of_contradictions(mentions, raws, warn)
    return tuple(mentions)


def _check_offsets(text: str, loose: Sequence[Span], where: str, warn: Warn) -> None:
    """Warn, in one message, of spans (ascending) that begin or end inside words or at blanks; raise
    a ``DocumentError`` instead if there are more than two, and most do. Do nothing if none does."""
    if cut := [span for span in loose if cuts_word(text, span)]:
        odd = f"{len(cut)} of {len(loose)} mentions without span_text, the first at {cut[0].start},"
        odd += " begin or end inside a word or at a blank"
        how = "in UTF-16 units" if max(text[: cut[0].end]) > "\uffff" else "in bytes or from 1"
        remedy = f"{OFFSETS}; these may be counted {how}. Give span_text, which checks them."
        if len(cut) > max(2, len(loose) // 2):
            raise DocumentError(odd, where=where, remedy=remedy)
        warn(f"{odd}. {remedy}")


_CONTRADICTIONS: Mapping[str, str] = vocabulary("texts")["contradictions"]


def _warn_of_contradictions(mentions: Sequence[Mention], raws: Sequence[Any], warn: Warn) -> None:
    """Warn, in one message, of mentions that contradict others (two types of an entity or at a
    place, crossing spans, repeated ids), with their number and the first three offsets; do nothing
    if none does."""
    odd: dict[str, list[str]] = defaultdict(list)
    kinds: dict[str | Span, str] = {}  # of an entity, and at a place
    ends: list[int] = []
    told = any(read_field(raw, "identifier") for raw in raws)
    pairs = zip(mentions, raws, strict=True)
    for own, raw in sorted(pairs, key=lambda pair: (pair[0].span.start, -pair[0].span.end)):
        kind, span = own.entity_type, own.span
        found = {
            "apart": kinds.setdefault(own.entity_id, kind) != kind,
            "twice": kinds.setdefault(span, kind) != kind,
            "crossed": bisect_right(ends, span.start) < bisect_left(ends, span.end),
            "same_id": str(read_field(raw, "id") or own.id) != own.id,
            "no_kind": told and read_field(raw, "identifier") is None,
        }
        insort(ends, span.end)
        for what in filter(found.get, found):
            odd[what].append(str(span.start))
    if odd:
        said = (f"{len(at)} {_CONTRADICTIONS[k]}, at {listed(at, 3)}" for k, at in odd.items())
        warn(f"look at its mentions: {'; '.join(said)}")


def cuts_word(text: str, span: Span) -> bool:
    """Tell whether a span begins or ends inside a word or number, or with white space.

    Args:
        text: the document.
        span: in it.
    """
    shown, pairs = span.of(text), (text[max(0, at - 1) : at + 1] for at in (span.start, span.end))
    inside = (p.isdigit() or (p.isalpha() and p.lower() != p.upper()) for p in pairs if p[1:])
    return shown != shown.strip() or any(inside)


# A pattern of ids that messages may show, such as "T12"; others may be made of the document's
# words.
_PLAIN_ID = r"(?!(?:.*\d){5})(?!.*[^\W\d_]{3})\S+"


def _shown(own: str) -> str:
    """Return an id in brackets for a message (" (T12)"); "" if it may hold words of the
    document."""
    return f" ({own})" if re.fullmatch(_PLAIN_ID, own) else ""


def read_field(raw: Mapping[str, Any], name: str) -> Any:
    """Return the value of a field of a mention, under whichever name a tool gives it, TAB's first;
    None if the mention lacks it.

    Args:
        raw: the mention as its file holds it.
        name: a key of ``FIELDS`` ("type", "start").
    """
    return next((raw[key] for key in FIELDS[name] if raw.get(key) is not None), None)


def _read(raw: object, text: str, mention_id: str, unnamed: Mapping[str, str]) -> Mention:
    """Return the ``Mention`` that a file holds as an object; raise a ``DocumentError`` without a
    place if the object is not what it must be. It is a quasi-identifier if it does not say.

    Args:
        raw: with the field names of TAB or JSONL.
        text: of the document.
        mention_id: the id that the mention gets.
        unnamed: the entity id for each type with its words, where the object has none.
    """
    if not isinstance(raw, dict):
        raise DocumentError("is not an object")
    start, end = read_field(raw, "start"), read_field(raw, "end")
    for name, value in (("start", start), ("end", end)):
        if isinstance(value, bool) or not isinstance(value, int):
            raise DocumentError(f"its {name} offset is missing or not a whole number")
    if start < 0 or end > len(text):
        problem = f"offsets [{start}, {end}) lie outside the text of {len(text)} characters"
        raise DocumentError(problem, remedy=f"{OFFSETS}.")
    if start >= end:
        raise DocumentError(f"offsets [{start}, {end}) are empty or the wrong way round")
    kind, surface = read_field(raw, "type"), text[start:end]
    if not isinstance(kind, str) or not kind.strip():
        raise DocumentError("it has no entity type")
    kind = domain.type_named(kind)
    if read_field(raw, "text") not in (None, surface):
        problem = f"the text at [{start}, {end}) is not its span_text"
        raise DocumentError(problem, remedy=f"{OFFSETS}, in the text as it stands.")
    given = read_field(raw, "identifier")
    identifier = "QUASI" if given is None else str(given).upper()
    if identifier not in (known := IdentifierType.__members__):
        raise DocumentError("its identifier type is unknown", remedy=f"Known: {', '.join(known)}.")
    entity = read_field(raw, "entity")
    entity = unnamed[surface_entity(kind, surface)] if entity is None else str(entity)
    return Mention(mention_id, Span(start, end), surface, entity, kind, known[identifier])


# A pattern of the names that an unknown type may have: the name comes from the data, and is shown
# in labels.
_TYPE = r"(?!(?:.*\d){3})[A-Z][A-Z\d_]{1,39}"
UNKNOWN = "a label with its type's name stands for what is of no type that INTACT knows"


def check_types(loaded: Loaded, where: str) -> Loaded:
    """Return a document with a warning added that lists the unknown types of its masked mentions,
    or as it is if there are none; refuse an unknown type that is not like MEMBER_NUMBER. Mentions
    that are not masked may have any type.

    Args:
        loaded: the document.
        where: file and document, for messages.

    Raises:
        DocumentError: for the first masked mention of such a type; it is named by its offset, and
            by its id only where that reveals nothing.
    """
    masked = (m for m in loaded.document.mentions if m.masked)
    unknown = [m for m in masked if m.entity_type not in ENTITY_TYPES]
    odd = next((m for m in unknown if not re.fullmatch(_TYPE, m.entity_type)), None)
    if odd is not None:
        problem, at = "its type is unknown and not in capitals", f"{odd.span.start}{_shown(odd.id)}"
        remedy = f"Take {', '.join(ENTITY_TYPES)} or one like MEMBER_NUMBER, which its label shows."
        raise DocumentError(problem, where=f"{where}, mention at {at}", remedy=remedy)
    types = listed(sorted({m.entity_type for m in unknown}))
    return replace(loaded, warnings=(*loaded.warnings, f"{UNKNOWN}: {types}")) if types else loaded


def choose_layer(
    layers: Layers, annotator: str, text: str, where: str, said: Mapping[str, Sequence[str]]
) -> tuple[tuple[Mention, ...], Links, tuple[str, ...]]:
    """Choose whose mentions to work with. Return (these mentions; for each annotated one, by
    (annotator, its index from 0), the id of the mention that it became; warnings): what was odd
    about them, and a warning if other annotators mask words where the first, who is taken, masks
    nothing.

    Args:
        layers: mentions by annotator.
        annotator: "first", "all" (the union) or an annotator's name.
        text: of the document.
        where: the document, for messages.
        said: what was odd about the mentions of each annotator, if anything was.

    Raises:
        DocumentError: if there is no such annotator, or nobody annotated it.
    """
    if not layers:
        raise DocumentError("it has no annotations", where=where)
    if annotator == "all" and len(layers) > 1:
        return *_union(layers), tuple(dict.fromkeys(chain(*said.values())))
    name = first_annotator(layers) if annotator in ("first", "all") else annotator
    if name not in layers:
        remedy = f"It has {len(layers)} others. Use --annotator first or all."
        raise DocumentError("there is no such annotator", where=where, remedy=remedy)
    mentions, own = tuple(layers[name]), Covered(text, (m.span for m in layers[name] if m.masked))
    masked = (m.span for each in layers.values() for m in each if m.masked)
    odd = annotator == "first" and not all(map(own.touches, masked))
    links = {(name, at): mention.id for at, mention in enumerate(mentions)}
    return mentions, links, (*said.get(name, ()), *(OTHERS_MASK,) * odd)


def first_annotator(layers: Layers) -> str:
    """Return the name of the first annotator who marked anything; if nobody did, of the first
    annotator. There has to be one."""
    return next((name for name, mentions in layers.items() if mentions), next(iter(layers)))


OTHERS_MASK = "other annotators mask words that the first leaves; --annotator all takes everybody's"


def _union(layers: Layers) -> tuple[tuple[Mention, ...], Links]:
    """Return (the mentions of all annotators, ascending; for each annotated one, by (annotator, its
    index from 0), the id of the mention that it became). Equal spans become one, with the most
    protective identifier type that an annotator gave; ids become "ANNOTATOR:ID". Two annotators'
    entities become one if they share a span and a type, so that one person does not get two
    numbers."""
    every = {
        (name, at): replace(own, id=f"{name}:{own.id}", entity_id=f"{name}:{own.entity_id}")
        for name, mentions in layers.items()
        for at, own in enumerate(mentions)
    }
    first: dict[Span, Mention] = {}
    same = []
    for mention in every.values():
        known = first.setdefault(mention.span, mention)
        same += [(mention.id, known.id)] if known.entity_type == mention.entity_type else []
    merged: dict[Span, Mention] = {}
    for mention in join_linked([*every.values()], same):
        known = merged.setdefault(mention.span, mention)
        strongest = max(known, mention, key=lambda m: _PROTECTION.index(m.identifier_type))
        merged[mention.span] = replace(known, identifier_type=strongest.identifier_type)
    links = {place: first[mention.span].id for place, mention in every.items()}
    return tuple(sorted(merged.values(), key=lambda m: (m.span, m.id))), links


class DisjointSets:
    """Disjoint sets of the numbers from 0; at first each number is a set of its own."""

    def __init__(self, size: int) -> None:
        self._parent = list(range(size))

    def root(self, at: int) -> int:
        """Return the least number of the set that a number is in; it identifies the set."""
        while self._parent[at] != at:
            self._parent[at] = at = self._parent[self._parent[at]]
        return at

    def join(self, one: int, other: int) -> None:
        """Join the sets of two numbers, in place.

        Args:
            one: any member of a set.
            other: any member of another set, or of the same.
        """
        low, high = sorted((self.root(one), self.root(other)))
        self._parent[high] = low


def join_linked(
    mentions: Sequence[Mention], links: Iterable[tuple[str, str]]
) -> tuple[Mention, ...]:
    """Return mentions in the same order, linked ones with the same entity id: that of their entity
    that comes first. Their whole entities are joined, with mentions that no link names.

    Args:
        mentions: of one document, with ids.
        links: pairs of their ids; pairs with an unknown id are ignored.
    """
    keys = [*dict.fromkeys(mention.entity_id for mention in mentions)]
    groups, number = DisjointSets(len(keys)), {key: at for at, key in enumerate(keys)}
    owner = {mention.id: number[mention.entity_id] for mention in mentions}
    for one, other in links:
        if one in owner and other in owner:
            groups.join(owner[one], owner[other])
    return tuple(replace(m, entity_id=keys[groups.root(number[m.entity_id])]) for m in mentions)


def load(doc_id: str, text: object, raws: object, where: str) -> Loaded:
    """Return a document of a text and the mentions that another tool found in it, with warnings
    about what is odd.

    Args:
        doc_id: its id.
        text: whatever the file holds in the place of the text; checked here.
        raws: its mentions, as ``read_layer`` takes them, or their JSON.
        where: file and document, for messages.

    Raises:
        DocumentError: if text or mentions are not what they must be.
    """
    raws = parse_json(raws.encode(), where) if isinstance(raws, str) else raws
    checked, odd = check_text(text, where)
    mentions = read_layer(raws, checked, where, (told := [*odd]).append)
    return Loaded(Document(doc_id, checked, mentions), warnings=(*told,))


def surface_entity(kind: str, text: str) -> str:
    """Return the entity id for mentions that bring none, "TYPE:words" with the words casefolded; it
    is the same for equal types and texts.

    Args:
        kind: the entity type.
        text: the mention's words, in any case.
    """
    return f"{kind}:{text.casefold()}"
