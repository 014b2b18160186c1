"""Linking organisations: by name, by head noun and place, by legal form."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from intact.knowledge.heads import Found, Head, Heads, head_of
from intact.knowledge.keys import is_name, key, words
from intact.knowledge.phrases import Phrases, distinct
from intact.knowledge.places import Places
from intact.knowledge.types import Link, Rule, Rung, Votes
from intact.knowledge.voting import only
from intact.knowledge.wording import plural_phrase

NATIONAL = frozenset({"state", "government", "court", "public", "police", "army", "legal"})
"""Kinds of organisation that belong to one country: the document's, if it speaks of one only."""

_BRACKETS = re.compile(r"^(?P<outer>[^()]*[^()\s])\s*[(\[](?P<inner>.+?)[)\]]?$")
_STATE = re.compile(
    r"^(?:the\s+)?(?:\w+\s+)?(?:republic|kingdom|state|federation|principality|commonwealth)"
    r"(?:\s+of\s+(?:the\s+)?(?P<of>.+))?$",
    re.IGNORECASE,
)
_OWN_STATE = re.compile(r"^(?:the\s+)?(?:(?P<whose>\w+)\s+)?state$", re.IGNORECASE)
_PARTNERS = re.compile(
    r"(?:,| &| and) (?:co\b|company\b|partners\b|sons\b|brothers\b|associates\b)|"
    r"^[A-Z][\w’'-]+(?:, [A-Z][\w’'-]+)*,? (?:&|and) [A-Z][\w’'-]+$"
)
_GOVERNMENT = "government"


class Organisations:
    """Finds organisations and words them."""

    def __init__(self, heads: Heads, places: Places, phrases: Phrases) -> None:
        self._heads = heads
        self._places = places
        self._phrases = phrases

    def link(self, text: str, votes: Votes) -> Link | None:
        """What the organisation ``text`` is, None if it is not known."""
        bare = text.strip(" \n\t\"'“”‘’.,;:()")
        match = _BRACKETS.match(bare)
        outer, inner = (match["outer"], match["inner"]) if match else (bare, "")
        return (
            self._state(outer, votes)
            or self._named(outer, votes)
            or self._named(inner, votes)
            or self._by_head(outer, votes)
            or self._by_head(inner, votes)
            or self._partners(outer)
        )

    def _state(self, text: str, votes: Votes) -> Link | None:
        """A state under its name: "Kingdom of Sweden", "Sweden"."""
        state = _OWN_STATE.match(text)
        if state is not None:
            link = self._places.country(key(state["whose"] or ""), votes)
            country = link.country if link else only(votes)
            if country and (link or not state["whose"]):
                return Link("org/government", text, _GOVERNMENT, Rule.HEAD, country)
        named = is_name(text) or _STATE.match(text)
        link = self._places.country(key(text), votes) if named else None
        if link is None:
            return None
        return replace(link, kind="country") if _STATE.match(text) else link

    def _named(self, text: str, votes: Votes) -> Link | None:
        """One organisation under its own name."""
        parts = words(key(text))
        if not is_name(text):
            return None
        for found in self._heads.find(parts, "ORG"):
            if found.name.proper and found.end - found.start == len(parts):
                return self._link(text, found, Rule.EXACT, votes)
        return None

    def _by_head(self, text: str, votes: Votes) -> Link | None:
        parts = words(text)
        every = self._heads.find(parts, "ORG")
        found = self._kind_of(every, parts)
        if found is not None and self._head(found).kind == "section":
            rest = (match for match in every if not match.name.proper)
            whole = head_of(rest, parts, found.end + 1)
            found = whole or found
        if found is not None and self._head(found).kind == "form":
            before = parts[: found.start]
            inner = head_of(
                (m for m in every if not m.name.proper and m.end <= found.start), before
            )
            if inner is not None and any(
                head.kind == "company" for head in self._heads.line(inner.name.head)
            ):
                country = found.name.country or inner.name.country
                found = replace(inner, name=replace(inner.name, country=country))
        if found is not None:
            return self._link(text, found, Rule.HEAD, votes)
        named = [m for m in every if m.name.proper and _distinctive(m, text)]
        if named:
            return self._link(
                text, max(named, key=lambda m: m.end - m.start), Rule.CONTAINED, votes
            )
        return None

    def _kind_of(self, every: Sequence[Found], parts: Sequence[str]) -> Found | None:
        """The head noun; words like "group" or "office" only where nothing tells more."""
        heads = [match for match in every if not match.name.proper]
        telling = [match for match in heads if self._head(match).parent]
        return head_of(telling, parts) or head_of(heads, parts)

    def _partners(self, text: str) -> Link | None:
        if not _PARTNERS.search(text):
            return None
        return Link("org/firm", text, "firm", Rule.AFFIX)

    def _head(self, found: Found) -> Head:
        head = self._heads.of(found.name.head)
        assert head is not None  # Heads.load keeps no name without its head
        return head

    def _link(self, text: str, found: Found, rule: Rule, votes: Votes) -> Link:
        head = self._head(found)
        country, part = found.name.country, ""
        if not country and not found.name.proper:
            spot = self._places.within(text, votes, skip=found)
            if spot is not None:
                country, part = spot.country, spot.part
                if head.concept == "org/government" and not spot.whole:
                    place = f"geo/{part}" if part else ""
                    return Link("org/regional-government", text, "state", rule, country, place)
            elif head.kind in NATIONAL:
                country = only(votes)
        kind = f"{head.kind}/plural" if found.name.plural else head.kind
        place = f"geo/{part}" if part else ""
        return Link(head.concept, text, kind, rule, country, place)

    def chain(self, link: Link) -> tuple[Rung, ...]:
        """True phrases for a linked organisation, most specific first."""
        return distinct(self._rungs(link))

    def _rungs(self, link: Link) -> Iterator[Rung]:
        kind, _, plural = link.kind.partition("/")
        line = self._heads.line(link.concept)
        if not line:
            yield Rung("a firm", "firm@")
            yield Rung("an organisation", "organisation@")
            return
        if kind == _GOVERNMENT and link.country:
            yield from self._governments(link)
            line = line[1:]
        else:
            yield from self._located(line, link, plural=bool(plural))
        for head in line:
            yield Rung(plural_phrase(head.phrase) if plural else head.phrase, head.concept)

    def _located(self, line: Sequence[Head], link: Link, *, plural: bool) -> Iterator[Rung]:
        """The kind in its country, the next kind there, the kind in its region and continent."""
        if not link.country:
            return
        part = link.place.removeprefix("geo/")
        first, *others = [
            tuple(
                self._phrases.located(
                    plural_phrase(head.phrase) if plural else head.phrase, link.country, part
                )
            )
            for head in line
            if head.parent or head is line[0]
        ][:2]
        near = len(first) - len(self._phrases.world.regions_of(link.country)) - 1
        yield from first[:near]
        for other in others:
            yield from other[:near]
        yield from first[near:]

    def _governments(self, link: Link) -> Iterator[Rung]:
        yield from self._phrases.regional("the government of a country", link.country)
        yield Rung("a national government", "org/national-government")


def _distinctive(match: Found, text: str) -> bool:
    """Whether a proper name inside a longer one is surely that name: of several words, or caps."""
    if match.end - match.start >= 2:
        return True
    return match.name.text.isupper() and len(match.name.text) >= 3 and match.name.text in text
