"""The entities of a document: which mentions are one entity, which States it names, which court is
above which.

* Persons: surnames agree and nothing contradicts (titles, given names, initials). A surname alone
  that fits several people is that of the one whose full name comes most often; any other name that
  fits several is that of the one mentioned last. Initials alone ("A.K.") fit a full name.
* Organisations, places and the rest: the same words; an acronym and its long form; a short form
  given in brackets (``Long Form (“the short form”)``).
* Dates and amounts: the same value, however written. Codes: the same letters and digits.
"""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise, permutations, product
from types import MappingProxyType

from intact.domain import BY_CONCEPT, ENTITY_TYPES, Document, Entity, EntityType, Mention, Span
from intact.english import words
from intact.english.quantities import parse_quantity
from intact.english.reading import ReadDocument
from intact.english.scan import parse_temporal
from intact.english.sentences import VERSUS
from intact.english.vocabulary import read_patterns, word_sets
from intact.formats.mentions import DisjointSets
from intact.knowledge.base import KnowledgeBase

_FORMS = read_patterns("things")


Names = dict[int, words.Name]  # the names of people, by the index of their span


def entities(text: str, spans: Sequence[Mention], names: Names | None = None) -> list[int]:
    """Return a number for each mention, in order: mentions of one entity have the same number, and
    entities are numbered 1, 2 ... by their first mentions.

    Args:
        text: the original.
        spans: with their types; ascending.
        names: if they have been read already; see ``names_of``.
    """
    groups = DisjointSets(len(spans))
    _persons(names_of(text, spans) if names is None else names, spans, groups)
    _others(text, spans, groups)
    _short_forms(text, spans, groups)
    numbers: dict[int, int] = {}
    return [numbers.setdefault(groups.root(at), len(numbers) + 1) for at in range(len(spans))]


_FAR_MORE = 3
_MOST = 64  # a further mention is compared with at most this many persons of a name, the last ones


@dataclass(slots=True, eq=False)
class _Person:
    """One person, while mentions are being assigned."""

    places: list[int]  # indices of all spans, ascending
    names: Counter[words.Name]  # that these show

    def fits(self, name: words.Name) -> bool:
        """Check whether ``name`` fits all fuller names of the person, or the first name if there
        are none. A bare surname or given name needs to fit only one of them."""
        full = [other for other in self.names if other.fullness] or list(self.names)[:1]
        enough = all if name.fullness or name.initials else any
        return enough(map(name.fits, full))

    def distance(self, at: int, name: words.Name) -> tuple[bool, bool, bool, bool, int, bool, int]:
        """Measure how far a name at a place is from being the person's, by parts in falling weight:
        whether only the person is called Jnr; whether none of its titles is theirs; whether their
        sex is not known to be that of the name; whether they have other titles; for a surname
        alone, how often it follows their given names (negated); whether the nearest mention comes
        after; and how many spans away that is.

        Args:
            at: index of the span with the name.
            name: one that fits the person.
        """
        worn = {title for own in self.names for title in own.worn}
        bare = bool(name.worn) and worn.isdisjoint(name.worn)
        unlike = bool(name.sex) and all(name.sex != own.sex for own in self.names)
        named = (own for own in self.names if own.given and own.surname == name.surname)
        times = 0 if name.given else sum(map(self.names.__getitem__, named))
        before = bisect_left(self.places, at)
        way = at - self.places[before - 1] if before else self.places[0] - at
        aged = (own.surname for own in self.names if own.age)
        younger = not name.age and name.surname in aged
        return younger, bare, unlike, bare and bool(worn), -times, not before, way


_Known = dict[str, dict[_Person, None]]  # by key, in the order in which they were found


def names_of(text: str, spans: Sequence[Mention]) -> Names:
    """Map the index of each mention that is a person's name to the name: its title, given names and
    surname, and the sex that the document shows: by the titles of the full name anywhere; if there
    are none, by words of kinship beside it and by a given name that only one sex has. Contradictory
    signs count for nothing; for a surname alone only its own title counts. Mentions of other types,
    or without a name, are absent.

    Args:
        text: the original.
        spans: of all types, in any order.
    """
    people = (at for at, one in enumerate(spans) if one.entity_type == EntityType.PERSON)
    read = ((at, words.name_at(text, spans[at].span.start, spans[at].text)) for at in people)
    names = {at: name for at, name in read if name is not None}
    titles, kin = (defaultdict[tuple[str, ...], set[str]](set) for _ in range(2))
    for at, name in names.items():
        beside = words.told_beside(text, spans[at].span.start, spans[at].span.end)
        titles[name.whole].add(name.sex or "-")
        kin[name.whole] |= beside
    for at, name in names.items():
        first = name.given[:1]
        beside = kin[name.whole] | kin[first] | {words.given_sexes().get(one, "-") for one in first}
        told = titles[name.whole] - {"-"} or beside - {"-"}
        if first and not name.sex and len(told) == 1:
            names[at] = replace(name, sex=min(told))
    return names


def people_of(documents: Iterable[Document]) -> list[dict[str, words.Name]]:
    """List the persons of documents, each as a mapping from a name as it is written to the name as
    it was read, with all their names but single letters. They are joined across documents by their
    fullest names, as within one document.

    Args:
        documents: with their mentions.
    """
    found = defaultdict[tuple[int, str], dict[str, words.Name]](dict)
    for number, document in enumerate(documents):
        for at, name in names_of(document.text, document.mentions).items():
            mention = document.mentions[at]
            if len(name.initials) != 1:
                found[number, mention.entity_id][" ".join(mention.text.split())] = name
    best = [max(own.items(), key=lambda one: one[1].fullness) for own in found.values()]
    marks = [Mention("", Span(0, 1), shown, "", EntityType.PERSON) for shown, _ in best]
    names = {at: name for at, (_, name) in enumerate(best)}
    people = defaultdict[int, dict[str, words.Name]](dict)
    for number, own in zip(entities("", marks, names), found.values(), strict=True):
        people[number] |= own
    return [*people.values()]


_TELLING = 3  # the first letters that a given name and its short form share, at most


def may_be_one(one: Mapping[str, words.Name], other: Mapping[str, words.Name]) -> bool:
    """Tell whether two persons may be one, by any two of their names: these share a word, one given
    name may be short for the other ("Kev", "Aga"), or one is but the initial of a surname ("Jan W",
    "Mr Wolski").

    Args:
        one: the names of a person; see ``people_of``.
        other: those of another one.
    """
    return any(_may_be_one(*names) for names in product(one.values(), other.values()))


def _may_be_one(one: words.Name, other: words.Name) -> bool:
    """Tell whether two names may be one person's, by the rules of ``may_be_one``."""
    shared = any(len(word) > 1 for word in {*one.whole} & {*other.whole})
    ways = permutations((one, other))
    initial = any(a.worn and not a.given and b.surname == a.surname[:1] for a, b in ways)
    given = (name.given or (name.surname,) * (not name.worn) for name in (one, other))
    alike = ((a, b, min(_TELLING, len(a) - 1, len(b) - 1)) for a, b in product(*given))
    short = (a[: max(2, n)] == b[: max(2, n)] for a, b, n in alike if n > 0)
    return shared or initial or any(short)


def _persons(names: Names, spans: Sequence[Mention], groups: DisjointSets) -> None:
    """Join the mentions of each person in ``groups``, which is changed, fuller names first: a name
    goes to the nearest of the persons whose names it fits, or begins a new person.

    Args:
        names: by the index of their mention.
        spans: all mentions.
        groups: sets of indexes of mentions.
    """
    known: _Known = defaultdict(dict)
    order = sorted(names.items(), key=lambda o: (o[1].short, -o[1].fullness, o[1].initials, o[0]))
    for at, name in order:
        near = {one for key in _keys(name) for one in islice(reversed(known[key]), _MOST)}
        fitting = [one for one in near if one.fits(name)] or _initialled(known, name, spans[at])
        fitting = fitting or _shortened(known, name)
        if fitting:
            person = min(fitting, key=lambda one: one.distance(at, name))
            groups.join(at, person.places[0])
            insort(person.places, at)
        else:
            person = _Person([at], Counter())
        for key in _keys(name):
            known[key][person] = None
        person.names[name] += 1


def _initialled(known: _Known, name: words.Name, span: Mention) -> list[_Person]:
    """Return the one person, in a list, whose initials a name consists of; [] if there is none or
    there are several. "TB" is T. Bakkejord, or whoever with these letters is named three times as
    often as any other; "K." is Kyle only if nobody else has a name with that letter.

    Args:
        known: the persons so far, by the keys of their names.
        name: the initials.
        span: their mention.
    """
    letters = name.initials or name.surname
    people = known.get(f"{name.title}{letters}.", {})
    if len(letters) > 1 and len(people) > 1:
        *_, other, most = sorted(people, key=lambda one: len(one.places))
        people = {most: None} if len(most.places) >= _FAR_MORE * len(other.places) else people
    rivals = known.get(f"{letters}-", people)
    lone = not (name.fullness or name.age) and (name.initials or words.is_acronym(span.text))
    return [*people] if lone and len(people) == 1 and people == rivals else []


def _shortened(known: _Known, name: words.Name) -> list[_Person]:
    """Return the one person, in a list, whose given name this is short for, Bernie is Bernadette
    Roe, or who has its given name and the letter of its surname: "Noreen G.". [] if there is none
    or there are several. Of 56 names of the first kind in 1,812 documents, one was somebody
    else's."""
    if name.short:
        near = known.get(name.given[0], {})
        shorts = ((one, {(*own.given[:1], own.surname[:1]) for own in one.names}) for one in near)
        people = [one for one, short in shorts if (*name.given, name.surname) in short]
        return people if len(people) == 1 else []
    if name.fullness or name.initials or name.age:
        return []
    bare = re.sub(r"(?:ie|ey|[yszoi])$", "", name.surname)
    stems = [each for each in (name.surname, bare, re.sub(r"(.)\1$", r"\1", bare)) if each[2:]]
    people = [
        one
        for one in known.get(f"{name.surname[0]}-", {})
        if any(given.startswith(tuple(stems)) for own in one.names for given in own.given)
    ]
    return people if len(people) == 1 else []


def _keys(name: words.Name) -> Iterator[str]:
    """Yield the keys of a name: of Ann Lee "al." (its initials), "lee", "ann", and "l-", "a-", the
    first letters by which a single letter is found; of initials alone ("A.K.") only "ak.". A title
    before a surname alone stands before its initials. Any two names of one person share a key."""
    addressed = name.title if not (name.given or name.initials) else ""
    yield from (f"{addressed}{letters}." for letters in name.lettered)  # "K." is no Mr Koh
    if not name.initials:
        yield name.surname
        yield from name.given
        yield from (f"{word[0]}-" for word in (name.surname, *name.given[:1]))


def _others(text: str, spans: Sequence[Mention], groups: DisjointSets) -> None:
    """Join in ``groups``, which is changed, the mentions of everything but named persons: those
    with the same words or value, with a short form that the text defines, with a name without its
    place, and with an acronym of a name.

    Args:
        text: the original.
        spans: all mentions.
        groups: sets of indexes of mentions.
    """
    seen: dict[tuple[str, str], int] = {}
    short: dict[tuple[str, str], int] = {}
    for at, span in enumerate(spans):
        kind, shown = span.entity_type, span.text
        if kind == EntityType.PERSON and words.name_of(shown) is not None:
            continue
        # "Supreme Court (Högsta domstolen)" is also called by either part alone
        inside = _FORMS["bracketed"].findall(shown) if kind in BY_CONCEPT else []
        for name in (shown, *inside, *([_FORMS["bracketed"].sub("", shown)] if inside else [])):
            groups.join(seen.setdefault((kind, thing_key(name, kind)), at), at)
        if kind in BY_CONCEPT:
            for acronym in () if words.is_acronym(shown) else sorted(words.acronyms(shown)):
                short.setdefault((kind, acronym), at)
    for at, name in _defined(text, spans):
        kind = spans[at].entity_type
        if (kind, thing_key(name, kind)) in seen:
            groups.join(seen[kind, thing_key(name, kind)], at)
    for at, other in _without_names(spans):
        groups.join(at, other)
    for (kind, written), at in seen.items():
        letters = written.replace(".", "").replace(" ", "")
        if (kind, letters) in short and words.is_acronym(spans[at].text):
            groups.join(short[kind, letters], at)


def _without_names(spans: Sequence[Mention]) -> Iterator[tuple[int, int]]:
    """Yield pairs of indexes of mentions of bodies that are one, such as "the Ankara Assize Court"
    and, later in the text, "the Assize Court", the longer first, if only one such longer name
    stands before the shorter."""
    bodies = [(at, span) for at, span in enumerate(spans) if span.entity_type == EntityType.ORG]
    named: dict[str, dict[str, int]] = {}
    for at, span in bodies:
        shown = _FORMS["bracketed"].sub("", span.text).removeprefix("the ")
        listed, names = words.words(shown), words.name_words(shown)
        spare = [words.fold(word) in names or word in ("of", "in", "the") for word in listed]
        for cut in range(1, len(listed) - 1):
            for left_out, rest in ((spare[:cut], listed[cut:]), (spare[-cut:], listed[:-cut])):
                if all(left_out):
                    named.setdefault(words.normalise(" ".join(rest)), {}).setdefault(shown, at)
    for at, span in bodies:
        longer = named.get(words.normalise(span.text.removeprefix("the ")), {})
        first = list(longer.values())
        if len({words.normalise(name) for name in longer}) == 1 and first[0] < at:
            yield first[0], at


def _defined(text: str, spans: Sequence[Mention]) -> Iterator[tuple[int, str]]:
    """Yield the index of a mention with the short name that the text gives it, ``Long Form (“the
    Form”)``, for short names that it gives to only one entity."""
    found: dict[str, set[int]] = {}
    for at, span in enumerate(spans):
        after = span.span.end
        match = _FORMS["definition"].match(text, after, after + 80)
        if match and span.entity_type in BY_CONCEPT:
            found.setdefault(match["name"], set()).add(at)
    for name, places in found.items():
        if len({words.normalise(spans[at].text) for at in places}) == 1:
            yield from ((at, name) for at in sorted(places))


def thing_key(shown: str, kind: str) -> str:
    """Return a key that mentions of one entity share, however they are written: the letters and
    digits of a code in small letters ("ab123"); the value of a time or amount that can be read
    ("interval:1996-05-05/1996-05-05"); of anything else the words in small letters, without
    articles and titles. Words without a letter or digit are their own key.

    Args:
        shown: the mention's words.
        kind: its entity type.
    """
    if kind == EntityType.CODE:
        return "".join(char for char in words.fold(shown) if char.isalnum()) or shown
    if kind == EntityType.DATETIME and (temporal := parse_temporal(shown)) is not None:
        return temporal.canonical()
    if kind == EntityType.QUANTITY and (quantity := parse_quantity(shown)) is not None:
        rate = _FORMS["rate"].search(shown)
        return repr((quantity.kind, quantity.ranges, quantity.unit, rate and rate["time"]))
    return words.normalise(shown) or shown


def _short_forms(text: str, spans: Sequence[Mention], groups: DisjointSets) -> None:
    """Join in ``groups``, which is changed, the two mentions of ``Long Form (“short form”)``, which
    follow each other: the second is what the first is called from there on.

    Args:
        text: the original.
        spans: all mentions, in text order.
        groups: sets of indexes of mentions.
    """
    for (at, long), (other, short) in pairwise(enumerate(spans)):
        between = text[long.span.end : short.span.start]
        name, kind = short.text, long.entity_type
        lettered = kind == EntityType.PERSON and words.is_acronym(name)  # "née Tonks (HB)"
        others = lettered and {*words.fold(name)}.difference(
            ".", (words.fold(w)[0] for w in words.words(long.text))
        )
        if kind != short.entity_type or kind not in BY_CONCEPT | {EntityType.PERSON} or others:
            continue  # a telephone and the e-mail address after it are two
        quoted = any(mark in between for mark in '“"‘') or words.is_acronym(name)
        foreign = between.strip() == "(" and not any(map(words.is_english, words.words(name)))
        if foreign or (quoted and _FORMS["short_form"].fullmatch(between)):
            groups.join(at, other)


def unified(document: Document, labels: Mapping[str, str] = MappingProxyType({})) -> Document:
    """Return the document with one entity for all mentions of one person or thing, by rules: "Ms
    Lee" is "Ann Lee", an acronym its long form. Their entity id is that of the one named first. The
    same document is returned if nothing changes.

    Mentions of one entity stay together, unless they have several types or several of a user's
    labels: then those with each are an entity of their own, since no phrase is true of all. Two
    persons whose names or labels contradict each other anywhere are never joined.

    Args:
        document: with its mentions.
        labels: that a user wants for mentions, by their ids.
    """
    ordered = sorted(document.mentions, key=lambda m: (m.span.start, -m.span.end, m.id))
    kinds: dict[str, str] = {}
    told: dict[str, str] = {}
    owner: dict[str, str] = {}
    members: dict[str, list[Mention]] = defaultdict(list)
    for mention in ordered:
        whose, kind = mention.entity_id, mention.entity_type
        whose += f":{kind}" * (kinds.setdefault(whose, kind) != kind)
        label = labels.get(mention.id, "")
        apart = bool(label) and told.setdefault(whose, label) != label
        owner[mention.id] = whose + f":{label}" * apart
        members[owner[mention.id]].append(mention)
    known = [mention for mention in ordered if mention.entity_type in ENTITY_TYPES]
    read = names_of(document.text, known)
    names = {known[at].id: name for at, name in read.items()}
    first: dict[tuple[int, str], Mention] = {}
    for number, mention in zip(entities(document.text, known, read), known, strict=True):
        for key in ((number, ""), (number, labels.get(mention.id, ""))):
            one, two = owner[first.setdefault(key, mention).id], owner[mention.id]
            both = (*members[one], *members[two])
            agreed = len({labels[each.id] for each in both if each.id in labels}) < 2
            if one != two and agreed and _compatible(members[one], members[two], names):
                owner |= {each.id: one for each in members[two]}
                members[one] += members.pop(two)
    mentions = tuple(replace(each, entity_id=owner[each.id]) for each in document.mentions)
    return document if mentions == document.mentions else replace(document, mentions=mentions)


def _compatible(one: list[Mention], other: list[Mention], names: dict[str, words.Name]) -> bool:
    """Check whether two entities can be one: all mentions have the same type and way of identifying
    or, of persons, no two names contradict each other.

    Args:
        one: the mentions of an entity.
        other: those of another one.
        names: of persons, by the ids of their mentions.
    """
    kinds = {(each.entity_type, each.identifier_type) for each in (*one, *other)}
    if one[0].entity_type != EntityType.PERSON:
        return len(kinds) == 1
    own, others = ([names[each.id] for each in some if each.id in names] for some in (one, other))
    return all(name.fits(rival) for name, rival in product(own, others))


@dataclass(frozen=True, slots=True)
class States:
    """The States that a document names."""

    respondent: str = ""  # code of the country that the case is against, "" for none
    # Entity id -> country code, for States, their governments and their nationals, and for places
    # in the State that the case is against.
    countries: Mapping[str, str] = field(default_factory=dict)


_TITLE = 400  # characters at the beginning of a text that may be its title
_STATE_KINDS = frozenset({"country", "government", "nationality"})


def find_states(read: ReadDocument, base: KnowledgeBase) -> States:
    """Return the States that a document names, by their name, government or nationals: country
    codes by entity id, and the code of the State that the case is against, "" if there is none or
    there are several. "The Government" by itself is that State's.

    Args:
        read: the document; only its masked mentions count.
        base: knows what is a country, a government or a nationality.
    """
    countries: dict[str, str] = {}
    others: dict[str, set[str]] = defaultdict(set)
    respondents = set()
    for entity in read.document.entities:
        if entity.entity_type not in BY_CONCEPT or not entity.mentions[0].text[:1].isalpha():
            continue
        name = _FORMS["people"].sub("", entity.mentions[0].text)
        link = base.link(name, entity.entity_type, {})
        if name == "Government":
            others[name].add(entity.id)
        elif link and link.kind in _STATE_KINDS and len(link.country) == 2:
            countries[entity.id] = link.country
            if any(_is_respondent(read, mention.span) for mention in entity.mentions):
                respondents.add(link.country)
        elif link and entity.entity_type == EntityType.LOC:
            others[link.country].add(entity.id)
    respondent = respondents.pop() if len(respondents) == 1 else ""
    own = others["Government"] | others[respondent] if respondent else ()
    return States(respondent, countries | dict.fromkeys(own, respondent))


def _is_respondent(read: ReadDocument, span: Span) -> bool:
    """Tell whether a State is one that an application is against, or that stands after "v." in the
    title, in the first 400 characters. Further down the text, "v." stands in the titles of other
    cases."""
    before = read.place(span).before
    titled = span.start < _TITLE and before.endswith((VERSUS, f"{VERSUS}the "))
    return titled or _FORMS["against"].search(before) is not None


BODIES = word_sets("grammar", "bodies")


def court_rank(entity: Entity) -> str:
    """Return "higher" or "lower" for a court whose names say so without contradiction ("Court of
    Appeal"; "County Court of Appeal" is higher); "" for any other entity."""
    named = entity.surfaces if entity.entity_type == EntityType.ORG else ()
    own = map(words.content_lemmas, named)  # "Court of Appeal"
    told = (next((at for at in ("higher", "lower") if name & BODIES[at]), "") for name in own)
    found = set(told) - {""}
    return found.pop() if len(found) == 1 else ""
