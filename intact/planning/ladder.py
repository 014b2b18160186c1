"""One ladder for each entity: what several generators propose, checked, merged and put in order.

A candidate must not repeat its original, leak it, or name what another span hides; one that does is
dropped before any attack. A label stands for an entity for which no true phrase is safe.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from intact import domain
from intact.english import words
from intact.english.grammar import head_noun
from intact.english.numbers import as_ordinal
from intact.english.reading import ReadDocument
from intact.english.scan import Value, find_days, is_wider, parse, parse_temporal
from intact.english.time import MONTHS, SEASONS, Days, Kind
from intact.english.vocabulary import GENERIC_HEADS, vocabulary, word_sets
from intact.english.words import fold
from intact.errors import ConfigError
from intact.protocols import Generator, Planner


def climb(
    surfaces: Sequence[str],
    stated: Sequence[Value],
    phrases: Iterable[str],
    read: Callable[[str], Value | None],
    source: str,
) -> domain.Ladder:
    """Build the ladder of one time or amount: a tuple of those phrases, ranked 0, 1, 2 ..., that
    contain every original value and are each strictly wider than the last phrase kept. () if none
    is left.

    Left out are phrases that cannot be read back, do not contain the originals, are no wider than
    the last one kept, or keep all numbers of one original ("18 to 20" for "20"). So every rung (a
    phrase of the ladder) is true, as far as the parser is right.

    Args:
        surfaces: the originals as they are written.
        stated: the originals as they were read.
        phrases: to be tried, most specific first.
        read: reads a phrase; None if it cannot.
        source: the source that the candidates carry ("dates").
    """
    numbers = [found for surface in surfaces if (found := numbers_in(surface))]
    below: list[Value] = []
    rungs: list[domain.Candidate] = []
    for phrase in phrases:
        said, kept = read(phrase), numbers_in(phrase)
        if said is None or any(found <= kept for found in numbers):
            continue
        if all(is_wider(said, one) for one in (*stated, *below[-1:])):
            below.append(said)
            rungs.append(domain.Candidate(phrase, len(rungs), source, said.canonical()))
    return tuple(rungs)


_PARTS = frozenset("early mid late beginning middle end half start".split())


@lru_cache(maxsize=16384)
def numbers_in(text: str) -> frozenset[object]:
    """Return the set of what is a number in a text: the values of its numbers as floats, its months
    as "month 5", and its seasons and the words for parts of a year ("early", "mid", "end") in lower
    case. Decades ("1990s") are left out, and so is the first of "18th or 19th century". The figure
    after a letter is also there as text: "2" for "Q2"."""
    text = re.sub(r"\d+\w\w or (?=\d+\w\w century)", "", text)  # it may be either century
    parts = re.findall(r"[^\W\d_]+|(?<=[^\W\d])\d+(?:[,.]\d+)*", text.lower())  # "Q2", "R48"
    months = {f"month {MONTHS[one]}" for one in parts if one in MONTHS}
    named = {one for one in parts if one in SEASONS or one in _PARTS or one[0].isdigit()}
    return words.numbers(text) | months | named


MOST_RUNGS = 8  # candidates kept for an entity, the most specific first
WORD_LIMIT = 8  # longer candidates stay only where there is no shorter one
HARD_WORD_LIMIT = 14  # longer candidates are dropped even if nothing shorter is there
_HIDING_NAMES = domain.BY_CONCEPT | {domain.EntityType.PERSON}
_SHORTEST_STANDING = 4
# Generators whose candidates are times or amounts, with the type of those.
_VALUES = {"dates": domain.EntityType.DATETIME, "quantities": domain.EntityType.QUANTITY}
# Looks up other names of what a text names, folded ("Turkey": "turkish", "turkiye").
Aliases = Callable[[str], frozenset[str]]


_QUALITIES = word_sets("grammar", "determiners")["qualities"]


def _is_head_only(shared: frozenset[str], original: str) -> bool:
    """Tell whether the words that a phrase shares with its original only say a class: the original
    begins in lower case, as a common noun phrase does, and each shared word is its head noun or a
    word such as "former". True if they share none; False for a name.

    Args:
        shared: lemmas that both have.
        original: the text that the phrase is to replace.
    """
    head = words.lemma(head_noun(original).lower())
    return original[:1].islower() and shared <= {head, *map(words.lemma, _QUALITIES)}


_CLASSES = word_sets("grammar", "bodies")["classes"]


def _own_name(body: str) -> str:
    """Return the words of a body's name, joined by blanks, without those for its branch or rank
    ("foreign", "education", "magistrate"); "" if nothing is left."""
    return " ".join(one for one in words.words(body) if words.lemma(one) not in _CLASSES)


def leak(candidate: str, originals: Sequence[str], entity_type: str) -> str:
    """Name the first check by which a candidate gives away one of its entity's texts; "" if none
    does.

    "equal": the same words. "numbers": it keeps all numbers of the original (decades are no
    numbers). "contains": every content word of the original is in it. "lemma": it shares a telling
    lemma, except a class word of a common noun phrase where more is hidden ("a former driver" for
    "a former tram driver"), or of a body ("a foreign ministry" for "Foreign and Commonwealth
    Office"). "ngram": it shares four characters of a name.

    Args:
        candidate: the phrase.
        originals: the different texts of the entity's mentions, tried in this order.
        entity_type: for a time or amount only "equal" and "numbers" are checked.
    """
    by_value = entity_type in domain.BY_VALUE
    is_class = entity_type in (domain.EntityType.DEM, domain.EntityType.MISC)
    for original in originals:
        if words.normalise(candidate) == words.normalise(original):
            return "equal"
        # in a date a month is a number, too, and a decade is none
        stated = numbers_in(original) if by_value else words.numbers(original)
        if stated and stated <= (numbers_in(candidate) if by_value else words.numbers(candidate)):
            return "numbers"
        if by_value:
            continue
        content = words.content_lemmas(original)
        if content and content <= words.content_lemmas(candidate):
            return "contains"
        telling = _own_name(original) if entity_type == domain.EntityType.ORG else original
        shared = words.telling_lemmas(candidate) & words.telling_lemmas(telling)
        if shared and not (is_class and _is_head_only(shared, original)):
            return "lemma"
        if words.shared_ngram(telling, candidate):
            return "ngram"
    return ""


class DocumentChecks:
    """The checks for the candidates of one document, whose masked spans are indexed once.

    Args:
        entities: what is hidden.
        aliases: looks up other names of what a text names; None: they are not checked.
    """

    def __init__(self, entities: Iterable[domain.Entity], aliases: Aliases | None = None) -> None:
        self._phrases: dict[str, list[tuple[tuple[str, ...], str]]] = defaultdict(list)
        self._exact: list[tuple[re.Pattern[str], str]] = []
        self._beginnings: dict[str, set[str]] = defaultdict(set)
        self._parts: dict[str, set[str]] = defaultdict(set)
        self._days: dict[tuple[Kind, float], set[str]] = defaultdict(set)
        for entity in entities:
            for surface in entity.surfaces:
                self._hide(surface, entity, aliases)

    def problem(self, phrase: str, entity: domain.Entity, source: str = "") -> str:
        """Name the check that a phrase for an entity fails; "" if it fails none.

        In this order: "empty" (no letter or digit); "equal", "numbers", "contains", "lemma" or
        "ngram" (it gives a text of the entity away, see ``leak``); "discloses" (it names what
        another entity hides); "long" (over 14 words).

        Args:
            phrase: as it would stand in mid-sentence.
            entity: what it is to replace.
            source: the candidate's; the phrases of "dates" and "quantities" are checked as values
                whatever the type of the mention.
        """
        if not any(map(str.isalnum, phrase)):
            return "empty"
        found = leak(_together(phrase), entity.surfaces, _VALUES.get(source, entity.entity_type))
        if found:
            return found
        if self.named_in(phrase, entity.id):
            return "discloses"
        return "long" if len(phrase.split()) > HARD_WORD_LIMIT else ""

    def keep(self, ladder: domain.Ladder, entity: domain.Entity) -> domain.Ladder:
        """Return the candidates of a ladder that pass all checks, in order; () if none does. Those
        over eight words stay only if no shorter one is left, but for times and amounts (from the
        sources "dates" and "quantities"), which stay whatever their length.

        Args:
            ladder: candidates for the entity.
            entity: what they are to replace.
        """
        kept = [rung for rung in ladder if not self.problem(rung.text, entity, rung.source)]
        short = (r for r in kept if r.source in _VALUES or len(r.text.split()) <= WORD_LIMIT)
        return tuple(short) or tuple(kept)

    def _hide(self, surface: str, entity: domain.Entity, aliases: Aliases | None) -> None:
        """Index what no other entity's candidate may hold: a surface (the text of a mention); the
        days that it names, if it is a time; and, of a person or anything else that is hidden by
        kind and not by value, the words of its name and of its other names.

        Args:
            surface: the text.
            entity: whose it is.
            aliases: looks up other names; None: none are indexed.
        """
        self._hide_phrase(surface, entity.id)
        time = parse_temporal(surface) if entity.entity_type == domain.EntityType.DATETIME else None
        for day in time.days(yearless=True) if time else ():
            self._days[day].add(entity.id)
        if entity.entity_type not in _HIDING_NAMES:
            return
        names = words.name_words(surface)
        hidden = [*names]
        if aliases is not None:
            asked = [surface, *(word for word in words.words(surface) if fold(word) in names)]
            for text in dict.fromkeys(asked):
                for alias in sorted(aliases(text) - {fold(text)}):
                    self._hide_phrase(alias, entity.id, alias=True)
                    hidden += words.name_words(alias.title())
        for name in hidden:
            self._beginnings[name[: words.NGRAM]].add(entity.id)
            for part in re.findall(_RUNS, name):
                self._parts[part].add(entity.id)

    def _hide_phrase(self, surface: str, entity_id: str, alias: bool = False) -> None:
        """Index a text that no other entity's candidate may hold: by its lemmas or, if it has only
        generic words ("the Court"), as it stands. Texts of up to three characters are left out,
        unless they are in capitals.

        Args:
            surface: the text.
            entity_id: whose it is.
            alias: whether it is another name of what the text names, so that it is indexed however
                short, but never if it is generic.
        """
        if len(surface) < _SHORTEST_STANDING and not alias and not surface.isupper():
            return
        if words.content_lemmas(surface) - GENERIC_HEADS or words.numbers(surface):
            lemmas = _lemmas(surface)
            if lemmas and (len(lemmas) > 1 or len(lemmas[0]) > 1):
                self._phrases[lemmas[0]].append((lemmas, entity_id))
        elif not alias:  # nothing but generic words ("the Court"): as it stands, case included
            pattern = re.compile(rf"(?<!\w){re.escape(surface)}(?!\w)")
            self._exact.append((pattern, entity_id))

    def named_in(self, phrase: str, entity_id: str) -> set[str]:
        """Return the ids of the other entities whose hidden words, names or days a phrase contains;
        an empty set if it contains none.

        Args:
            phrase: as it would stand in mid-sentence.
            entity_id: of the entity it is to replace, which is left out.
        """
        phrase = _together(phrase)
        lemmas = _lemmas(phrase)
        owners = {
            owner
            for start, first in enumerate(lemmas)
            for secret, owner in self._phrases.get(first, ())
            if lemmas[start : start + len(secret)] == secret
        }
        for name in words.name_words(phrase):  # see ``shared_ngram``
            owners |= self._parts.get(name[: words.NGRAM], set())
            owners.update(*(self._beginnings.get(part, ()) for part in re.findall(_RUNS, name)))
        owners |= {owner for pattern, owner in self._exact if pattern.search(phrase)}
        for day in _days_in(phrase) if self._days else ():
            owners |= self._days.get(day, set())
        return owners - {entity_id}


@lru_cache(1 << 14)
def _days_in(phrase: str) -> Days:
    """Return the set of the days that a phrase names, in whatever notation, each as (kind, day
    number): ``Kind.INTERVAL`` for a day with its year, ``Kind.PARTIAL`` for one of any year."""
    return frozenset(day for _, time in find_days(phrase) for day in time.days())


@lru_cache(1 << 14)
def _together(phrase: str) -> str:
    """Write three or more letters that stand apart together, with only the first as a capital: "T r
    o m s o" and "T-R-O-M-S-O" become "Tromso". Other words stay."""
    return re.sub(_APART, lambda found: re.sub(r"\W", "", found[0]).title(), phrase)


@lru_cache(1 << 14)
def _lemmas(text: str) -> tuple[str, ...]:
    """Return the lemmas of a text's words in order, in lower case, without articles and titles."""
    return tuple(words.normalise(" ".join(words.lemmas(text))).split())


# Makes the checks for the candidates of one document, given all entities that it hides.
Checker = Callable[[Iterable[domain.Entity]], DocumentChecks]

_RUNS = rf"(?=(.{{{words.NGRAM}}}))"  # all runs of four characters of a name
_APART = r"(?<!\w)[^\W\d_](?:[\s.·-]{1,3}[^\W\d_]){2,}(?!\w)"
_EITHER = re.compile(r"\b(\w+) or (\w+)\b")


@dataclass(eq=False)
class RulePlanner(Planner):
    """A planner that asks no model: it asks generators in order of preference, checks what they
    propose, and puts the user's own phrases before that. It cannot mend a plan, so entities that
    are guessed climb.

    Args:
        generators: each is asked only for the entities for which no generator before it had a sound
            candidate.
        checks: find candidates that leak or disclose.
        phrases: returns the phrases that a user wants for entities, by id.
    """

    generators: Sequence[Generator]
    checks: Checker
    phrases: Callable[[Iterable[domain.Entity]], Mapping[str, str]] = lambda _: {}

    def generate(
        self, read: ReadDocument, entities: Sequence[domain.Entity]
    ) -> Mapping[str, domain.Ladder]:
        """Propose a ladder (phrases, most specific first, at most eight from a generator) for each
        entity that may be generalised: the user's own phrase, and after it those sound candidates
        of the first generator with any that say no more than it does. Map ids of entities to their
        ladders, in the order of ``entities``; those for which there is nothing are absent.

        A phrase of the user that fails a check, as it names what another masked span hides, gets
        the evidence ``REFUSED``, and so is never used.

        Args:
            read: the document with all that is hidden.
            entities: those to propose for.
        """
        checks = self.checks(read.document.entities)
        found: dict[str, domain.Ladder] = {}
        left = wanted = [entity for entity in entities if entity.generalisable]
        for generator in self.generators:
            proposed = generator.generate(read, left) if left else {}
            for entity in left:
                if kept := checks.keep(proposed.get(entity.id, ()), entity):
                    found[entity.id] = distinct_rungs(kept, MOST_RUNGS)
            left = [entity for entity in left if entity.id not in found]
        said = self.phrases(wanted)
        for entity in (entity for entity in wanted if entity.id in said):
            refused = domain.REFUSED if checks.problem(said[entity.id], entity) else None
            own = domain.Candidate(said[entity.id], 0, domain.Source.GLOSSARY, evidence=refused)
            wider = (rung for rung in found.get(entity.id, ()) if not narrower(rung, own))
            ranked = (replace(rung, rank=rank) for rank, rung in enumerate(wider, start=1))
            found[entity.id] = (own, *ranked)
        return {entity.id: found[entity.id] for entity in entities if entity.id in found}

    def plan(
        self, read: ReadDocument, entities: Sequence[domain.Entity], *, detected: bool = False
    ) -> domain.Plan:
        """Return a plan with the ladder of each entity for which there are phrases; see
        ``generate``.

        Args:
            read: the document, with all that is hidden.
            entities: those to propose for; if there are none, the plan is empty.
            detected: not used: rules keep nothing in clear.
        """
        return domain.Plan(self.generate(read, entities) if entities else {})


def distinct_rungs(ladder: domain.Ladder, limit: int) -> domain.Ladder:
    """Return a ladder without rungs (phrases) that mean the same as an earlier one, by their lemmas
    or by what they cover, and cut to a length. If it is cut, the last rung stays, as the last
    resort before the label.

    Args:
        ladder: most specific first.
        limit: rungs that are left at most, 1 or more.
    """
    rungs: list[domain.Candidate] = []
    seen: set[object] = set()
    for rung in ladder:
        keys = {words.lemmas(words.normalise(rung.text)), rung.subsumes} - {None, ""}
        if seen.isdisjoint(keys):
            rungs.append(rung)
        seen |= keys
    return tuple(rungs if len(rungs) <= limit else [*rungs[: limit - 1], rungs[-1]])


def narrower(one: domain.Candidate, other: domain.Candidate) -> bool:
    """Check whether one candidate plainly says more than another: of two times or amounts, its
    interval lies inside the other's and is smaller; of others, it has the other's head noun, all of
    its content words, and more ("a city in Turkey", "a city"). False in doubt.

    Args:
        one: perhaps the one that says more.
        other: perhaps the one that says less.
    """
    wide, narrow = parse(other.text), parse(one.text)
    if wide is not None and narrow is not None:
        return is_wider(wide, narrow)
    readings, found = [other.text], _EITHER.search(other.text)
    if found:  # "a town or city in Italy": "a town in Italy", "a city in Italy"
        before, after = other.text[: found.start()], other.text[found.end() :]
        readings = [f"{before}{word}{after}" for word in found.groups()]
    more, head = words.content_lemmas(one.text), head_noun(one.text).casefold()
    same = [reading for reading in readings if head == head_noun(reading).casefold()]
    return any(less and less < more for less in map(words.content_lemmas, same))


_STYLES: Mapping[str, str] = vocabulary("texts")["labels"]


def _label_word(entity: domain.Entity, style: str) -> str:
    """Return the word of an entity's label as its type says it ("PERSON"): "DETAIL" for a
    characteristic, and "NAME" for a thing of no other type whose texts all look like names.

    Args:
        entity: what the label stands for.
        style: of the label; for "readable" the word is a noun ("person", "name").
    """
    row = domain.type_row(entity.entity_type)
    misc = entity.entity_type == domain.EntityType.MISC
    named = misc and all(map(words.is_name_like, entity.surfaces))
    spoken, written = ("name", domain.NAME) if named else (row.noun, row.label or row.name)
    return spoken if style == "readable" else written


def _title(entity: domain.Entity) -> str:
    """Return "Mr " or "Ms ", with the blank, if all titles before the mentions of a person are that
    one; "" for any other entity, and where mentions have no title or disagree. "Mrs" and "Miss"
    count as "Ms", which reveals no more than a pronoun does. Mentions of several people do not
    count."""
    person = entity.entity_type == domain.EntityType.PERSON
    single = (one for one in entity.surfaces if person and not words.names_several(one))
    titles = set(map(words.plain_title, single)) - {""}
    return f"{titles.pop()} " if len(titles) == 1 else ""


def labels(entities: Iterable[domain.Entity], style: str = "underscore") -> Mapping[str, str]:
    """Map the id of every entity to its label. Labels are numbered from 1 for each word, in the
    order of the entities: PERSON_1, DETAIL_1, PERSON_2.

    The word is that of the type, in plain English: "DETAIL" for characteristics and particulars,
    "NAME" for a name that may be anything's. A person's plain title stays before it, "Mr PERSON_1",
    but never with stars or readable labels.

    Args:
        entities: all that are masked in a document, in order of first mention.
        style: "underscore" (PERSON_1), "brackets" ([PERSON 1]), "stars" (***) or "readable" (the
            first person).

    Raises:
        ConfigError: if there is no such style.
    """
    form = _STYLES.get(style)
    if form is None:
        problem, remedy = f"there is no label style {style!r}", f"Styles: {', '.join(_STYLES)}."
        raise ConfigError(problem, where="setting labels.style", remedy=remedy)
    counts: Counter[str] = Counter()
    named: dict[str, str] = {}
    for entity in entities:
        word = _label_word(entity, style)
        counts[word] += 1
        ordinal = as_ordinal(counts[word], spelled_to=12)
        label = {"word": word, "number": counts[word], "ordinal": ordinal}
        named[entity.id] = form.format(title=_title(entity), **label)
    return named


LABEL_WORDS = (domain.NAME, *(row.label or row.name for row in domain.ENTITY_TYPES.values()))
_WRITTEN = "|".join(LABEL_WORDS)


def is_labelled(text: str) -> bool:
    """Tell whether a text holds three or more labels as INTACT writes them ("PERSON_1" or "[PERSON
    1]"), so that it is most likely a text that INTACT has written."""
    return len(re.findall(rf"(?:\b(?:{_WRITTEN})_|\[(?:{_WRITTEN}) )\d", text)) >= 3
