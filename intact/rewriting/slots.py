"""What stands around a span: all that fitting a phrase needs and no phrase changes.

A slot is made once per document; see :mod:`intact.rewriting.fitting` for what is done with it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace

from intact.domain import BY_CONCEPT, EntityType, Span
from intact.english.agreement import DETERMINERS, PREPOSITIONS, head_end, is_plural_noun
from intact.english.numbers import whole_number
from intact.english.sentences import line_is_upper
from intact.rewriting.nesting import Cluster

_LEFT_WINDOW = 96
_LEFT = re.compile(r"(?:[\w’'-]+(?:[^\S\n\r]+|[^\S\n\r]*\r?\n[^\S\n\r]*)){0,5}\Z")
_TOKEN = re.compile(r"([\w’'-]+)(\s+)")
_INSIDE = re.compile(
    r"(?:(?:on|in|at|between|from|since|until|by|before|after|during|within|of|the|an?)\s+)+"
    r"(?=[^\s.,;])",
    re.I,
)
_POSSESSIVE = re.compile(r"(?:['’]s|(?<=s)['’])\Z")
_AFTER_POSSESSIVE = re.compile(r"['’]s(?!\w)|['’](?=\s\w)")
_FOLLOWED_BY_SENTENCE = re.compile(
    r"\s*\Z|\s*[\r\n]|\s+[\"“‘(]?(?:The|He|She|It|They|His|Her|Its|Their|This|That|These|Those|On"
    r"|In|At|By|As|A|An|However|Moreover|When|While|After|Before|Since|Subsequently|There|If"
    r"|According|Although|Following|Having|No|Both|For|From|During|Under|With|I|We)\b"
)
_ATTRIBUTED = re.compile(
    r"(?P<words>(?: (?:public|military|regional|provincial|local|civil|criminal|municipal|security"
    r"|national|state|district|police|city|border|administrative|deputy|chief))*"
    r" (?P<noun>(?:prosecutors?|governor|mayor|police|council)['’]s? [a-z]+|prosecutors?|police"
    r"|nationals?|nationality|citizens?|citizenship|courts?|branch|area|region|district|province|city|town|airport|prison|hospital"
    r"|offices?|authority|authorities|government|law|border|embassy|municipality|council"
    r"|directorate|station|department|legislation|passport|army|forces|company|companies"
    r"|subsidiary|lawyers?|solicitors?|advocates?|judges?|governor|mayor|suburbs?|section"
    r"|university|market|plant|factory|newspapers?|media|press|residents?|residence|origin"
    r"|descent|parents?|women|woman|men|man|children|language|traditions?|people|soldiers?"
    r"|population|representatives?|delegation|ambassador|consulate|territory|soil|coast|schools?"
    r"|proceedings|address|flat|house|home|property|roads?|motorway|accent))"
    r"(?![\w’'-])"
)
_ANY_NOUN = re.compile(r"(?P<words> (?P<noun>[a-z]{3,}))(?![\w’'-])")
_WITH_THE = re.compile(
    r"\b(?:[A-Z]*\d*[A-Z]+\d*|United .*|Netherlands|Philippines|Hague|Gambia|Sudan|.*(?:Kingdom"
    r"|Republic|Union|Islands?|Isles|States|Federation|River|Sea|Ocean|Region|Province|District"
    r"|County|City|Town|Coast|Mountains|Alps|Strait|Peninsula|Court|Centre|Hall|Building))$"
)
_MONTHS = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)
_DAY = r"(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_DAY_OR_MONTH = re.compile(rf"(?:{_DAY}\s)?{_MONTHS}\b")
_DAYS_BEFORE = re.compile(rf"(?<![\w./,])(?:{_DAY}(?:,\s|\s(?:and|or|to)\s|\s?[-–‑]\s?|\s))+\Z")
_SMALL_WORDS = PREPOSITIONS | frozenset(
    "public military local and or but who which that where when while if as than because "
    "although though so yet nor was were is are be been had has have did does will would may might "
    "can could shall should also then there respectively not only both he she it they "
    "pending".split()
)


@dataclass(frozen=True, slots=True)
class Word:
    """A word before a span, the white space after it, and where it starts."""

    text: str
    space: str
    start: int

    @property
    def low(self) -> str:
        """In lower case."""
        return self.text.lower()


@dataclass(frozen=True, slots=True)
class Slot:
    """One place in the text where one phrase has to fit.

    Attributes:
        span: the characters that go.
        entity_type: type of the entity that speaks here.
        left: up to five words directly before, nearest last; those inside the span count.
        opening, closing: brackets of the span that stay.
        possessive: "'" or "’" if the span ends in a genitive, else "".
        after_genitive: length of a genitive mark right after the span.
        head: the core in the original (without words of ``left`` and without brackets).
        named: whether ``head`` begins with a capital or a digit.
        many: whether ``head`` is a common noun in the plural.
        upper: whether the line is set in capitals.
        attributed: the nouns right after the span that it qualifies (" police"), or "".
        noun: the last of them.
        tail: length of a repeated bracket " (ABC)" of the same entity that goes with it.
        later: whether the entity has been named in an earlier slot, or is defined here (“the ...”).
        ranged: whether the core is a range ("1990 and 1995", "1990-1995").
        after_slot: whether another slot ends one space before.
        bridged: whether only the words of ``left`` stand between another slot and this one.
        echo: start and end of the bracket that this slot fills right after another slot, which
            goes if both say the same: "an office (an office)"; None if there is none.
        follows: up to 32 characters after the span, as far as the next slot.
    """

    cluster: Cluster
    span: Span
    entity_type: str
    left: tuple[Word, ...]
    opening: str
    closing: str
    possessive: str
    after_genitive: str
    head: str
    named: bool
    many: bool
    upper: bool
    attributed: str
    noun: str
    tail: int
    later: bool
    ranged: bool
    after_slot: bool
    bridged: bool
    echo: tuple[int, int] | None
    follows: str

    @property
    def entity_id(self) -> str:
        """The entity that speaks here."""
        return self.cluster.outer.entity_id


def slots(text: str, clusters: Sequence[Cluster]) -> tuple[Slot, ...]:
    """The slots of ascending ``clusters``; a bracket that repeats its entity is merged away."""
    clusters = _whole_words(text, clusters)
    made: list[Slot] = []
    seen: set[str] = set()
    position = 0
    while position < len(clusters):
        cluster = clusters[position]
        start_limit = clusters[position - 1].span.end if position else 0
        following = clusters[position + 1] if position + 1 < len(clusters) else None
        after = clusters[position + 2].span.start if position + 2 < len(clusters) else len(text)
        tail = _repeated(text, cluster, following, after)
        if tail and following is not None:
            cluster = Cluster(
                cluster.span, cluster.outer, (*cluster.inner, following.outer, *following.inner)
            )
            position += 1
            following = clusters[position + 1] if position + 1 < len(clusters) else None
        limit = following.span.start if following is not None else len(text)
        made.append(_slot(text, cluster, (start_limit, limit), tail, seen))
        seen.add(cluster.outer.entity_id)
        position += 1
    return tuple(made)


def _whole_words(text: str, clusters: Sequence[Cluster]) -> list[Cluster]:
    """The clusters, widened where one begins or ends inside a word (of a script with cases)."""
    whole: list[Cluster] = []
    for position, cluster in enumerate(clusters):
        start, end = cluster.span.start, cluster.span.end
        floor = whole[-1].span.end if whole else 0
        limit = clusters[position + 1].span.start if position + 1 < len(clusters) else len(text)
        if _cased(text[start]):
            while start > floor and _cased(text[start - 1]):
                start -= 1
        if cluster.outer.entity_type == EntityType.DATETIME:
            start = _whole_date(text, floor, start, end)
        if _cased(text[end - 1]):
            while end < limit and (_cased(text[end]) or unicodedata.combining(text[end])):
                end += 1
        start, end = whole_number(text, (floor, limit), start, end)
        if cluster.outer.entity_type in (EntityType.ORG, EntityType.LOC):
            end = _whole_name(text, start, end, limit)
        changed = (start, end) != (cluster.span.start, cluster.span.end)
        whole.append(replace(cluster, span=Span(start, end)) if changed else cluster)
    return whole


def _whole_date(text: str, floor: int, start: int, end: int) -> int:
    """Where a date begins whose days stand before the span: "20 [July 2006]", "3 and [5 May]"."""
    if not _DAY_OR_MONTH.match(text, start, end):
        return start
    before = _DAYS_BEFORE.search(text, max(floor, start - 40), start)
    return before.start() if before else start


_UNFINISHED = re.compile(
    r"(?:\b(?:First|Second|Third|Northern|Southern|Eastern|Western|New|Great|Saint|St\.?|El|Los|Las"
    r"|San|Santa)|[A-Z][\w’'-]+ (?:of(?: the)?|and|for))\Z"
)
_REST_OF_NAME = re.compile(r" (?:(?:of|and|for|the) )*[A-Z][\w’'-]+(?![\w’'-])")


def _whole_name(text: str, start: int, end: int, limit: int) -> int:
    """Where a name ends that the span cuts: "[Civil Court of First] Instance"."""
    if not _UNFINISHED.search(text, start, end):
        return end
    rest = _REST_OF_NAME.match(text, end, limit)
    return rest.end() if rest else end


def _cased(char: str) -> bool:
    return char.islower() or char.isupper()


def _repeated(text: str, cluster: Cluster, following: Cluster | None, limit: int) -> int:
    """Length of " (ABC)" after ``cluster`` where ABC is the same entity, else 0."""
    if following is None or following.outer.entity_id != cluster.outer.entity_id:
        return 0
    bounds = (cluster.span.end, limit)
    echo = _echo(text, bounds, following.span.start, following.span.end)
    return echo[1] - cluster.span.end if echo else 0


_BRACKETS = {" (": ")", " (“": "”)", ' ("': '")', " [": "]", " (‘": "’)"}


def _echo(
    text: str, bounds: tuple[int, int], start: int, end: int, own: str = ""
) -> tuple[int, int] | None:
    """The bracket from the slot before (at ``bounds[0]``) around ``[start, end)``, if any."""
    before, limit = bounds
    between = text[before:start]
    if between == " " and own in ("()", "[]"):
        return before, end
    closing = _BRACKETS.get(between, "")
    closed = closing and text.startswith(closing, end) and end + len(closing) <= limit
    return (before, end + len(closing)) if closed else None


def _slot(text: str, cluster: Cluster, bounds: tuple[int, int], tail: int, seen: set[str]) -> Slot:
    span, outer = cluster.span, cluster.outer
    start_limit, limit = bounds
    original = span.of(text)
    inside = _INSIDE.match(original)
    cut = inside.end() if inside else 0
    opening, head, closing, mark = _trim(original[cut:], text, span.end)
    window = max(start_limit, span.start - _LEFT_WINDOW)
    before = _LEFT.search(text, window, span.start)
    first = before.start() if before else span.start
    if first == window != start_limit and not text[first - 1].isspace():
        first = _next_word(text, first, span.start)
    words = tuple(
        Word(m.group(1), m.group(2), m.start())
        for m in _TOKEN.finditer(text, first, span.start + cut)
    )
    if opening:
        words = ()
    end = span.end + tail
    genitive = _AFTER_POSSESSIVE.match(text, end, limit) if not mark and not tail else None
    noun = None
    if not mark and not genitive and not closing and outer.entity_type in BY_CONCEPT:
        noun = _ATTRIBUTED.match(text, end, limit)
        if noun is None and outer.entity_type == EntityType.LOC and words:
            noun = _qualified(text, end, limit, words[-1].low, head)
    return Slot(
        cluster=cluster,
        span=Span(span.start, end),
        entity_type=outer.entity_type,
        left=words,
        opening=opening,
        closing=closing,
        possessive=mark,
        after_genitive=genitive.group() if genitive else "",
        head=head,
        named=not head[:1].islower(),
        many=_is_many(head),
        upper=len(head) > 1 and head.isupper() and line_is_upper(text, span.start, end),
        attributed=noun.group("words") if noun else "",
        noun=noun.group("noun") if noun else "",
        tail=tail,
        later=outer.entity_id in seen or _is_defined(text, words),
        ranged=_is_range(head),
        after_slot=start_limit == span.start - 1 and text[start_limit : span.start] == " ",
        bridged=bool(words) and start_limit > 0 and text[start_limit : words[0].start] == " ",
        echo=_echo(text, bounds, span.start, end, opening + closing),
        follows=text[end : min(limit, end + 32)],
    )


def _qualified(text: str, end: int, limit: int, before: str, head: str) -> re.Match[str] | None:
    """The noun that a place name between a determiner and a small word qualifies, if any."""
    owned = before in DETERMINERS | {"the", "a", "an"} or before.endswith(("'s", "’s", "s’", "s'"))
    if not owned or _WITH_THE.search(head):
        return None
    noun = _ANY_NOUN.match(text, end, limit)
    if noun is None or noun["noun"] in _SMALL_WORDS or noun["noun"].endswith("ed"):
        return None
    return noun


def _next_word(text: str, start: int, end: int) -> int:
    """The start of the first whole word after a word that ``start`` may cut."""
    while start < end and not text[start].isspace():
        start += 1
    while start < end and text[start].isspace():
        start += 1
    return start


_PAIRS = {"(": ")", "[": "]", "“": "”", "‘": "’", '"': '"', "«": "»", "{": "}"}


def _trim(core: str, text: str, end: int) -> tuple[str, str, str, str]:
    """Opening, head, closing and genitive mark of a span's core; brackets must balance outside.

    A pair of round or square brackets stays; a pair of quotation marks goes, since what stands
    there is no longer quoted. An unpaired mark stays, as its partner is outside.
    """
    opening = closing = mark = ""
    while len(core) > 2 and _PAIRS.get(core[0]) == core[-1] and _balanced(core[1:-1], core[0]):
        if core[0] in "([{":
            opening, closing = opening + core[0], core[-1] + closing
        core = core[1:-1]
    while len(core) > 1 and core[0] in _PAIRS and not _closed(core, core[0]):
        opening, core = opening + core[0], core[1:]
    while len(core) > 1 and core[-1] in ")]”»}" and not _opened(core, core[-1]):
        closing, core = core[-1] + closing, core[:-1]
    while len(core) > 1 and core[-1] in ",;:":
        closing, core = core[-1] + closing, core[:-1]
    genitive = _POSSESSIVE.search(core)
    if genitive and genitive.start():
        mark, core = genitive.group()[0], core[: genitive.start()]
    elif len(core) > 1 and core[-1] == "." and _FOLLOWED_BY_SENTENCE.match(text, end):
        closing, core = "." + closing, core[:-1]
    return opening, core, closing, mark


def _balanced(inner: str, opener: str) -> bool:
    """Whether a pair around ``inner`` belongs together: "(a) and (b)" does not."""
    closer, depth = _PAIRS[opener], 0
    if closer == opener:
        return opener not in inner
    for char in inner:
        depth += (char == opener) - (char == closer)
        if depth < 0:
            return False
    return depth == 0


def _closed(core: str, opener: str) -> bool:
    closer = _PAIRS[opener]
    if closer == opener:
        return core.count(opener) % 2 == 0
    return core.count(closer) >= core.count(opener)


def _opened(core: str, closer: str) -> bool:
    opener = next(key for key, value in _PAIRS.items() if value == closer)
    return core.count(opener) >= core.count(closer)


def _is_defined(text: str, words: Sequence[Word]) -> bool:
    """Whether the span and its "the" stand in quotation marks, as a defined term does."""
    return bool(words) and words[-1].low == "the" and text[max(0, words[-1].start - 1)] in '“"‘'


def _is_many(head: str) -> bool:
    if not head or head[0].isdigit() or head.lower() != head:
        return False
    noun = head[: head_end(head)].rsplit(" ", 1)[-1]
    return is_plural_noun(noun)


def _is_range(head: str) -> bool:
    return re.search(r"\s(?:and|to|until)\s|[–‑-]\s?\d", head) is not None
