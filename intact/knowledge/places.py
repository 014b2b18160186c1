"""Linking places: countries, towns, areas, and places known only by their head noun."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from intact.english.vocabulary import word_sets
from intact.english.words import is_capitalised, key, key_words
from intact.knowledge import Link, Rule, Rung, Votes
from intact.knowledge.geography import (
    FORMS,
    PHRASES,
    Gazetteer,
    Phrases,
    PlaceKind,
    Role,
    World,
    choose_place,
    linked,
    only,
    size_of,
)
from intact.knowledge.ladders import PREPOSITIONS, SETTLED, Found, Heads, ends_otherwise, head_of

_SMALL = frozenset({PlaceKind.TOWN, PlaceKind.VILLAGE, PlaceKind.UNSIZED})
_NO_SEATS = _SMALL | {PlaceKind.DISTRICT}
_HEADS = word_sets("grammar", "heads")
_TOWNS = frozenset(PlaceKind) - {PlaceKind.DISTRICT, PlaceKind.AREA}
_UNKNOWN = "a place"
_NAMESAKES = {kind: PHRASES[kind] for kind in (PlaceKind.VILLAGE, PlaceKind.DISTRICT)}
# The phrase for a name that several places have, by the kind of the likeliest one.
_NAMESAKES[PlaceKind.TOWN] = PHRASES[PlaceKind.VILLAGE]
_MAIN = 0.5  # the share of votes of a document's own country


@dataclass(frozen=True, slots=True)
class Spot:
    """The location of something: a country and perhaps a part of it ("GB", "GB-ENG"). ``whole``
    says that it is the country itself and not something in it."""

    country: str
    part: str = ""
    whole: bool = False


class Places:
    """Finds places and words them."""

    def __init__(self, world: World, gazetteer: Gazetteer, heads: Heads, phrases: Phrases) -> None:
        """Keep the sources by which places are linked and worded."""
        self._world = world
        self._gazetteer = gazetteer
        self._heads = heads
        self._phrases = phrases

    def link(self, text: str, votes: Votes) -> Link | None:
        """Return the knowledge-base entry (id, kind, country) of a place by its name, its parts,
        its address or its head noun; None if it is not known.

        Args:
            text: the name.
            votes: the countries that the document names; {} for none.
        """
        return (
            self.exact(text, votes)
            or self._composite(text, votes)
            or _road(text, votes)
            or self.address(text, votes)
            or self._by_head(text, votes)
        )

    def address(self, text: str, votes: Votes) -> Link | None:
        """Return the knowledge-base entry (id, kind, country) of a house with its number, a post
        office box or a postcode, whatever type the mention has; None if the text is no address.

        Args:
            text: the whole mention; with anything else in it, it is no address.
            votes: the countries that the document names.
        """
        found = FORMS["address"].fullmatch(text.strip())
        if found is None:
            return None
        street = found["street"] or found["after"]
        if street:
            parts = key_words(street.partition(",")[0])
            line = {
                head.concept
                for match in self._heads.find(parts, "LOC")
                for head in self._heads.line(match.name.head)
            }
            least = "loc/street" if found["after"] else "loc/road"  # "County Road 1"
            if least not in line and not any(map(FORMS["street_ending"].search, parts[-3:])):
                return None
        concept = "loc/address" if street or found["box"] else "loc/postal-area"
        spot = self.place_named_in(text, votes) or Spot("")
        return Link(concept, text, "locality", Rule.AFFIX, spot.country, spot.part)

    def seat(self, text: str, votes: Votes) -> Link | None:
        """Return the knowledge-base entry (id, kind, country) of the place after which an
        organisation is named; None if there is none. "Wexland State" is a team and not a state, and
        a firm may have the name of a town, so only cities count.

        Args:
            text: the name.
            votes: the countries that the document names; the city need not lie in them.
        """
        link = self.link(text, votes)
        if link is None or link.ambiguous or link.kind in _NO_SEATS:
            return None
        exact, city = link.rule is Rule.EXACT, link.kind in (PlaceKind.CITY, PlaceKind.CAPITAL)
        renamed = exact and city and key(link.name) != key(text)  # "Temasek", once Singapore
        firm = link.kind == PlaceKind.TOWN_OR_CITY and only(votes) != link.country
        if renamed or firm or self._is_ground(link, text):
            return None
        # "Lima House" is named after a place, and need not be there
        abroad = link.rule is Rule.HEAD and "," not in text and link.country != only(votes)
        return replace(link, country="", part="") if abroad else link

    def _is_ground(self, link: Link, text: str) -> bool:
        """Tell whether a name of a place is never that of a body: the place is a state (but not
        "State of"), a part of nature or of a building, or its noun stands in the middle, "Princess
        Marina Referral"."""
        line = {head.concept for head in self._heads.line(link.concept)}
        state = "loc/state" in line and "state of " not in text.lower()
        midst = link.rule is Rule.HEAD and not self._at_an_end(text)
        return state or midst or not _HEADS["no_bodies"].isdisjoint(line)

    def _at_an_end(self, text: str) -> bool:
        """Tell whether a name begins or ends with the noun that shows its kind; True if it has
        none, or a comma."""
        parts = key_words(text)
        head = head_of(self._heads.find(parts, "LOC"), parts)
        first = head is None or not set(parts[: head.start]) - {"the"}
        return head is None or first or head.end == len(parts) or "," in text

    def exact(self, text: str, votes: Votes) -> Link | None:
        """Return the knowledge-base entry (id, kind, country) of a country, nationality word, town
        or area with exactly this name; None for others, and for a town with "the": "the Caledon" is
        none.

        Args:
            text: the name, with a capital.
            votes: the countries that the document names, which decide between "Georgia" and
                "Georgia".
        """
        text_key = key(text)
        if not text_key or not is_capitalised(text) or FORMS["direction"].fullmatch(text_key):
            return None
        country = self.country(text_key, votes)
        places = self._gazetteer.find(text_key)
        if country is not None:
            own = votes.get(country.country.partition("-")[0], 0.0)
            areas = (place for place in places if place.kind is PlaceKind.AREA)
            if all(votes.get(area.country, 0.0) <= own for area in areas):
                return country  # but "Georgia" in a US case
        best = choose_place(text_key, places, votes)
        river = text[:4] == "the " and best and best.kind in _TOWNS and best.name[:4] != "The "
        return None if river else best

    def country(self, text_key: str, votes: Votes) -> Link | None:
        """Return the knowledge-base entry (id, kind, country) of the country that a name, adjective
        or demonym means, with "country", "adjective" or "demonym" as its kind; None if there is
        none. "Republic of" and the like before a name are skipped.

        Args:
            text_key: the key of the word.
            votes: of several countries, the one with most votes is taken.
        """
        bare = FORMS["form_of_state"].sub("", text_key)
        rows = self._world.find(text_key) or self._world.find(bare)
        if not rows:
            return None
        country, role = max(
            rows, key=lambda item: (votes.get(item[0].state, 0.0), item[0].weight, item[0].code)
        )
        kind = "country" if role is Role.NAME else str(role)
        return Link(f"geo/{country.code}", country.name, kind, Rule.EXACT, country.code)

    def _composite(self, text: str, votes: Votes) -> Link | None:
        """Return the knowledge-base entry (id, kind, country) of a name with what it lies in after
        a comma or in brackets, "Macon, Georgia"; None if no sure place is named there."""
        match = FORMS["composite"].match(text.strip())
        if match is None:
            return None
        head, pieces = match["head"], re.split(r"[,()]", match["rest"] or match["inner"])
        links = (self.exact(piece, votes) for piece in reversed(pieces))
        spot = next((_spot(link) for link in links if link and not link.ambiguous), None)
        if spot is None:
            return None
        places = self._gazetteer.find(key(head))
        if within := [place for place in places if place.lies_in(spot.country, spot.part)]:
            return linked(max(within, key=size_of), Rule.COMPOSITE)
        unknown = Link(f"geo/{spot.part or spot.country}/{key(head)}", head, "locality", Rule.HEAD)
        # "3 Harbour Row, Anstruther" is no port
        found = self.address(text, votes) or self._by_head(head, {spot.country: 1.0}) or unknown
        return replace(found, rule=Rule.COMPOSITE, country=spot.country, part=spot.part)

    def _by_head(self, text: str, votes: Votes) -> Link | None:
        """Return the knowledge-base entry (id, kind, country) of a place by the head noun of its
        name ("Elm Street": a street), with the location that its other words name, if they do
        ("Leeds Street"); None if there is no head noun, or the words behind it make the name
        another thing's ("Elm Street Surgery").

        Args:
            text: the name.
            votes: the countries that the document names; they decide between places of one name.
        """
        parts = key_words(text)
        noun = head_of(self._heads.find(parts, "LOC"), parts)
        first, comma, _ = text.partition(",")
        if noun is None:
            return self._by_head(first, votes) if comma else None
        if ends_otherwise(text, parts, noun) or (parts[0] in PREPOSITIONS and text[0].islower()):
            return None  # "behind the temple" is none
        if noun.name.text in SETTLED and noun.start and text.endswith(noun.name.text.title()):
            return Link("loc/place", text, "locality", Rule.HEAD)  # "Broken Hill" is a town
        if FORMS["direction"].fullmatch(key(noun.name.text)) and noun.end - noun.start < len(parts):
            return None
        named_after = noun.name.head in _HEADS["named_after"]
        spot = (None if named_after else self.place_named_in(text, votes, skip=noun)) or Spot("")
        return Link(noun.name.head, text, "locality", Rule.HEAD, spot.country, spot.part)

    def place_named_in(self, text: str, votes: Votes, skip: Found | None = None) -> Spot | None:
        """Return the location of something by the first place named in it that is sure: the longest
        names are tried first, each from left to right. None if none is sure. Country names and
        nationality words are, but for names of three letters that are not all capitals ("Car"); a
        city or area is only if its country has half of the document's votes; a town or village
        never is.

        Args:
            text: a longer name ("Bergen District Court").
            votes: the countries that the document speaks of; a word of a name may mean something
                else where they are silent.
            skip: words of the name that state its kind and are no place.
        """
        for name in _names_within(text, skip):
            link = self.exact(name, votes)
            if link is None or link.ambiguous:
                continue
            word = len(name) == 3 and link.kind == "country" and not name.isupper()
            if word or link.kind in _SMALL:  # "Car"; it may be a person's name too
                continue
            spot = _spot(link)
            if spot.whole or votes.get(link.country, 0.0) >= _MAIN:
                return spot  # but "Far North Pharmacy" need not be in Cameroon
        return None

    def chain(self, link: Link) -> Iterator[Rung]:
        """Yield the phrases that are true of a linked place, as rungs with the id of what they
        mean, most specific first as a rule (a capital is "a capital city in Western Asia" before "a
        city in Turkey").

        For an adjective or demonym ("Turkish") these are adjectives ("Western Asian", "Asian"), and
        last "a certain country"; else noun phrases."""
        if link.kind in (Role.ADJECTIVE, Role.DEMONYM):
            regions = self._world.regions_of(link.country)
            yield from (Rung(r.adjective, f"adjective@{r.code}") for r in regions if r.adjective)
            yield Rung("a certain country", "geo/any")
        elif link.kind == "country":
            yield from self._phrases.in_regions("a country", link.country)
            yield Rung(_UNKNOWN, "place@")
        elif link.kind == "locality":
            line = self._heads.line(link.concept)
            phrase = line[0].phrase if line else _UNKNOWN
            yield from self._phrases.located(phrase, link.country, link.part, link.name)
            yield from (Rung(head.phrase, head.concept) for head in line[1:])
            yield Rung(_UNKNOWN, "place@")
        else:
            yield from self._town(link)

    def _shared_rungs(self, phrase: str, name: str) -> Iterator[Rung]:
        """Yield the located phrases that are true of every town with a name, wherever it lies ("a
        town in Europe"), smallest location first; none if towns of only one country have it.

        Args:
            phrase: with its article ("a town").
            name: of the towns.
        """
        countries = self._gazetteer.countries_of(key(name))
        if len(countries) < 2:  # one that the document does not mention: it may be another
            return
        said = [[*self._phrases.located(phrase, each, "", name)] for each in countries]
        for rung in said[0]:
            if all(rung in each for each in said) and not rung.concept.endswith("@"):
                yield rung

    def _town(self, link: Link) -> Iterator[Rung]:
        """Yield the phrases that are true of a linked town or area, as rungs with the id of what
        they mean, most specific first; of one whose geography is uncertain, only those that are
        true of all its namesakes."""
        kind, part = PlaceKind(link.kind), link.part
        if link.ambiguous:
            if kind is not PlaceKind.AREA:
                phrase = _NAMESAKES.get(kind, "a town or city")
                yield from self._shared_rungs(phrase, link.name)
                yield Rung(phrase, "place@town")
            yield Rung(_UNKNOWN, "place@")
            return
        phrase = PHRASES[kind]
        if kind is PlaceKind.AREA:
            areas = self._gazetteer.find(key(link.name))
            phrase = next((p.phrase for p in areas if p.concept == link.concept), phrase)
            if self._phrases.names.get(part) == link.name:
                part = ""  # it is that part itself
        if kind is PlaceKind.CAPITAL:
            for region in self._world.regions_of(link.country)[:1]:
                yield Rung(f"{phrase} in {region.name}", f"capital@{region.code}")
            phrase = PHRASES[PlaceKind.CITY]
        yield from self._phrases.located(phrase, link.country, part, link.name)
        yield from self._phrases.in_regions(_UNKNOWN, link.country, link.name)

    def inside(self, text: str, noun: str, scope: str | None) -> bool | None:
        """Tell whether a place with a name is of a kind and in a scope; None if that is unknown, as
        for a place of another kind.

        Args:
            text: the place's name.
            noun: the kind, folded, without article ("city", "country").
            scope: a code of a country, part or region; "" is the world, None an unknown scope.
        """
        countries = [each for each, role in self._world.find(key(text)) if role is Role.NAME]
        spots = [(each.code, "") for each in countries if noun == "country"]
        for place in () if countries else self._gazetteer.find(key(text)):
            if noun in (key(place.phrase), "city" if place.kind is PlaceKind.CAPITAL else ""):
                spots.append((place.country, place.part))
        if scope is None or not spots:
            return None
        around = (code for spot in spots for code, _ in self._phrases.scopes(*spot))
        return scope in ("", *around)


def _names_within(text: str, skip: Found | None) -> Iterator[str]:
    """Yield runs of words of a name that begin with a capital and may be the name of a place, from
    five words down to one, those of one length from left to right. Words of its head are left out,
    and so are saints: "St Mary's Church"."""
    tokens = re.findall(r"[^\W_]+(?:['’.-][^\W_]+)*", text)
    for size in range(min(5, len(tokens)), 0, -1):
        for start in range(len(tokens) - size + 1):
            if skip is not None and skip.start <= start and start + size <= skip.end:
                continue
            name, before = " ".join(tokens[start : start + size]), " ".join([*tokens[:start], ""])
            saint = size == 1 and (name.endswith(("'s", "’s")) or FORMS["saint"].search(before))
            if name[0].isupper() and not saint:
                yield name


def _road(text: str, votes: Votes) -> Link | None:
    """Return the knowledge-base entry (id, kind, country) of a numbered road ("M11", "Route 66"),
    in the one country of its document, if there is one; None if the text is no such road."""
    numbered = FORMS["road"].fullmatch(text.strip().removeprefix("the "))
    return Link("loc/road", text, "locality", Rule.AFFIX, only(votes)) if numbered else None


def _spot(link: Link) -> Spot:
    """Return the location that a linked place is: its State and part, and whether it is the country
    itself."""
    state, _, part = link.country.partition("-")
    whole = link.kind in {"country", Role.ADJECTIVE, Role.DEMONYM}
    return Spot(state, link.country if part else link.part, whole)
