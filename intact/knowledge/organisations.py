"""Linking organisations: by name, by head noun and place, by legal form."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from intact.english.grammar import plural_phrase
from intact.english.vocabulary import word_sets
from intact.english.words import is_capitalised, key, key_words
from intact.knowledge import Link, Rule, Rung, Votes
from intact.knowledge.geography import FORMS, Phrases, only
from intact.knowledge.ladders import Found, Head, Heads, ends_otherwise, head_of
from intact.knowledge.places import Places, Spot

_KINDS = word_sets("grammar", "kinds")
_FORM = "form"
_ALSO_WORDS = word_sets("grammar", "heads")["also_words"] | {"a s"}


class Organisations:
    """Finds organisations and words them."""

    def __init__(self, heads: Heads, places: Places, phrases: Phrases) -> None:
        """Keep the sources by which organisations are linked and worded."""
        self._heads = heads
        self._places = places
        self._phrases = phrases

    def link(self, text: str, votes: Votes) -> Link | None:
        """Return the knowledge-base entry (id, kind, country) of an organisation's name by itself:
        as a State, as a known name, or by its head noun ("court"); None if it is not known.

        Args:
            text: the name, perhaps with another one in brackets.
            votes: the countries that the document names; {} for none.
        """
        bare = text.strip(" \n\t\"'“”‘’.,;:()")
        match = FORMS["brackets"].match(bare)
        outer = match["outer"] if match else bare
        return (
            self._state(outer, votes)
            or self._named(outer, votes)
            or self._by_head(outer.partition(",")[0], votes)
        )

    def _state(self, text: str, votes: Votes) -> Link | None:
        """Return the knowledge-base entry (id, kind, country) of a State's name, also one that is
        cut off: "Kingdom of Sweden", "Sweden"; None if it is no State's."""
        state = FORMS["state"].match(text)
        link = self._places.country(key(text), votes) if state or is_capitalised(text) else None
        if link is None and state:  # cut off: "United Kingdom of Great Britain and"
            parts = text.split()
            cut = (" ".join(parts[:size]) for size in range(len(parts) - 1, 1, -1))
            link = next(filter(None, (self._places.country(key(c), votes) for c in cut)), None)
        return replace(link, kind="country") if link and state else link

    def _named(self, text: str, votes: Votes) -> Link | None:
        """Return the knowledge-base entry (id, kind, country) of one organisation by its own name,
        which is all of a capitalised text; None if no ladder has it."""
        parts = key_words(key(text))
        if not is_capitalised(text):
            return None
        for match in self._heads.find(parts, "ORG"):
            if match.name.proper and match.end - match.start == len(parts):
                return self._link(text, match, Rule.EXACT, votes)
        return None

    def _by_head(self, text: str, votes: Votes) -> Link | None:
        """Return the knowledge-base entry (id, kind, country) of a body by the head noun of its
        name ("court"); a section gives way to the body after it. None if there is no head noun, or
        the name is that of something else."""
        parts = key_words(text)
        every = [found for found in self._heads.find(parts, "ORG") if self._counts(found, text)]
        plain = [found for found in every if not found.name.proper]
        found = self._main_head(plain, parts)
        if found is None or ends_otherwise(text, parts, found) or FORMS["sign"].search(text):
            return None
        if self._heads.of(found.name).kind == "section":
            found = head_of(plain, parts, found.end + 1) or found
        return self._link(text, found, Rule.HEAD, votes)

    def _counts(self, found: Found, text: str) -> bool:
        """Tell whether a head noun counts in a name. Legal forms count only near the end of a name,
        kinds of document not as its first word."""
        kind = self._heads.of(found.name).kind
        if kind != _FORM:
            return kind != "document" or bool(found.start)
        rest = key_words(text)[found.end :]
        written = found.name.text
        if any(map(str.isdigit, rest)) or (rest and written == "co"):  # "INC-4711", "Wex Co. Jail"
            return False
        small = written in _ALSO_WORDS and re.search(rf"(?<!\w){written}(?!\w)", text)
        return bool(found.start) and len(rest) <= 2 and is_capitalised(text) and not small

    def _main_head(self, heads: Sequence[Found], parts: Sequence[str]) -> Found | None:
        """Return the one of several head nouns that says what a body is: the last kind of document;
        else one that says more than words such as "group" or "office"; else one of these. None if
        there is none.

        Args:
            heads: head nouns in the name, in its order.
            parts: the folded words of the name.
        """
        documents = (one for one in reversed(heads) if self._heads.of(one.name).kind == "document")
        telling = [match for match in heads if self._heads.of(match.name).parent]
        return next(documents, None) or head_of(telling, parts) or head_of(heads, parts)

    def _link(self, text: str, found: Found, rule: Rule, votes: Votes) -> Link:
        """Return the knowledge-base entry (id, kind, country) of a name with a head that was found
        in it, located as far as that is certain. A government of no named State counts as a
        regional or public one, a named central bank as a bank.

        Args:
            text: the name.
            found: the head noun in it.
            rule: how sure the link is.
            votes: the countries that the document names.
        """
        head, concept = self._heads.of(found.name), found.name.head
        spot = self._spot(text, found, head, votes)
        vague = spot.whole or self._heads.generic(text)
        if head.concept == "org/government" and not (found.name.proper or vague):
            state = "org/regional-government" if spot.country else head.parent
            return Link(state, text, "state", rule, spot.country, spot.part)
        if concept == "org/central-bank" and not vague:  # "First National Bank of Wexham"
            return Link("org/bank", text, "company", rule)
        one = head.kind in _KINDS["one_each"] and is_capitalised(text)
        kind = f"{head.kind}/plural" if found.name.plural and not one else head.kind
        return Link(concept, text, kind, rule, spot.country, spot.part)

    def _spot(self, text: str, found: Found, head: Head, votes: Votes) -> Spot:
        """Return the location of an organisation, as far as that is certain; ``Spot("")`` if it is
        not.

        Args:
            text: its name.
            found: the head noun in it.
            head: what that noun means.
            votes: the countries that the document names.
        """
        country = "" if head.kind == _FORM else found.name.country
        if country or found.name.proper or head.concept == "org/embassy":
            return Spot(country)
        spot = self._places.place_named_in(text, votes, skip=found)
        if spot is None:
            own = head.kind in _KINDS["national"] and self._heads.generic(text)
            return Spot(only(votes) if own else "")
        named_after = head.kind in _KINDS["business"] and not FORMS["of_place"].search(text)
        if named_after and not (spot.whole and spot.country == only(votes)):
            return Spot("")  # "Cairo Café" may be anywhere
        return spot

    def chain(self, link: Link) -> Iterator[Rung]:
        """Yield the phrases that are true of a linked organisation, as rungs with the id of what
        they mean, most specific first; in the plural if its link is one of several bodies."""
        kind, _, plural = link.kind.partition("/")
        line = self._heads.line(link.concept)
        rungs = [Rung(plural_phrase(h.phrase) if plural else h.phrase, h.concept) for h in line]
        if kind == "government":
            yield from self._phrases.in_regions("the government of a country", link.country)
            yield Rung("the administration of a country", "org/administration")
            rungs = rungs[1:]
        elif link.country:  # in no larger surroundings, which say less than what an office does
            regions = len(self._phrases.world.regions_of(link.country))
            kinds = rungs[:2] if len(line) > 1 and line[1].parent else rungs[:1]
            for rung in kinds:
                located = [*self._phrases.located(rung.text, link.country, link.part)]
                yield from located[: -regions - 1]
        yield from rungs
