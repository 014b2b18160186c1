"""A user's own facts, read from a file: what is to replace a name, before all other candidates.

The file is CSV in UTF-8 with the columns ``surface``, ``phrase`` and, if wanted, ``kind`` (an
entity type, by any of its names) and ``note`` (for people). If a phrase is guessed, candidates that
say no more than it are tried next. A phrase that equals the surface keeps it in clear; the phrase
of a person or a code is a label.
"""

from __future__ import annotations

import csv
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, pairwise
from pathlib import Path

from intact import domain
from intact.discourse.things import may_be_one, names_of, people_of, thing_key
from intact.domain import LABEL_ONLY, Document, Entity, EntityType, Mention, Source, Span
from intact.english.plain import PlainText
from intact.english.scan import parse
from intact.english.sentences import starts_sentence
from intact.english.vocabulary import HONORIFICS, STOP_WORDS, either, vocabulary, word_sets
from intact.english.words import TITLES, fold, is_english, is_name_like, is_ordinary, name_of, words
from intact.errors import ConfigError, reading
from intact.formats.base import to_csv
from intact.planning.ladder import LABEL_WORDS, Aliases, DocumentChecks
from intact.protocols import DRIFT, Detected
from intact.rewriting.occurrences import occurrences

_COLUMNS = ("surface", "phrase", "kind", "note")
_PROBLEMS = {"empty": "the phrase says nothing", "long": "the phrase has too many words"}
_FEW = 3  # letters, with which a word in lower case may be anything
_TOLD = 20  # the most faults of a file that one message lists
_LABEL = r"([A-Za-z]+(?:[ _-][A-Za-z]+)*)(?:[ _-]?(\d{1,4}))?"
_LACKS: list[str] = vocabulary("texts")["label"]["lacks"]
_NAMES = word_sets("words", "names")
_TITLED = rf"(?i:(?:{either(TITLES | _NAMES['callings'])})\.? )+(?=\w)"
_SMALL = rf"(?<!\w)(?i:{either(STOP_WORDS | _NAMES['before'])})(?!\w)"
_REST = rf"(?:{_SMALL}\W*)*+(?<!\w)(?P<rest>\w.*?)(?:\W*{_SMALL})*\W*(?:\n|\Z)"
# Which words of a longer find, beside a fact's words (shown here as `` ``), can make those a part
# of a longer name: for words kept in clear, any word; for a phrase, only a word right before or
# after; for a label, only one right after, where a surname stands.
_BESIDE = (r"\w+", r"\w+(?=[ -]\n)|(?<=\n[ -])\w+", r"\w+(?=, \n)|(?<=\n[ -])\w+")
# Places in a find where a name cannot go on: a dash, a bracket, the end of a sentence.
_APART = r"\s[-–—|/]\s|\s[(\[]|[)\];:.!?…](?:\s|\Z)"
_key = lru_cache(1 << 14)(thing_key)
_WHY = ("means a person or code here, and gives no label", "names what is hidden here: left out")


@dataclass(frozen=True, slots=True)
class Fact:
    """A row of a glossary. ``kind`` is an entity type, or "" for any; ``line`` is its line in the
    file."""

    surface: str
    phrase: str
    kind: str
    line: int
    note: str = ""

    @property
    def words(self) -> str:
        """The words that the row of the glossary is about, as they are searched for: without their
        article "the" and genitive ending."""
        return _bare(self.surface)

    @property
    def clear(self) -> bool:
        """Tell whether the words stay in clear, because the row's phrase is the same, in whatever
        case."""
        return self.phrase.casefold() == self.surface.casefold()

    @property
    def label(self) -> bool:
        """Tell whether the row's phrase is a label, as "P01" or "Brother 1"; False if it is the
        same as the words that it would replace."""
        return not (self.clear or self._lacks)

    @property
    def _lacks(self) -> str:
        """The reason why the row's phrase is not a label, in words for a message; "" if it is a
        label. A label consists of English words or abbreviations of up to three capitals, without a
        name, which would say something untrue. It ends in a number, because without a number
        "Grace" is a name and "Patient" a word of the text. And it is no label that INTACT may make
        itself for another entity."""
        found = re.fullmatch(_LABEL, self.phrase)
        parts = re.split("[ _-]", found[1]) if found else []
        strange = not all(is_english(one) or (len(one) < 4 and one.isupper()) for one in parts)
        own = " ".join(parts).upper() in LABEL_WORDS
        faults = zip(_LACKS, (not found, strange, found and not found[2], own), strict=True)
        return next((why for why, so in faults if so), "")

    @property
    def fault(self) -> str:
        """The fault that the row has by itself, in words for a message: an empty cell, no label for
        a person or code, an unknown kind; "" if it has none."""
        if not self.surface or not self.phrase:
            return "surface or phrase is missing"
        if self.kind in LABEL_ONLY and not self.clear and self._lacks:
            return f"for this kind only a label may stand, as P01 or Brother 1: {self._lacks}"
        known = not self.kind or self.kind in domain.ENTITY_TYPES
        return "" if known else f"no such kind; there are {', '.join(domain.ENTITY_TYPES)}"

    def means(self, entity: Entity) -> bool:
        """Tell whether the phrase of this row of a glossary may replace an entity: the row has the
        entity's type, or none, and one of its names. False for a row that keeps its words in clear,
        and for a person whose sex, first name, or title Mr, Mrs, Ms or Miss is another."""
        kind, key = entity.entity_type, _key(self.words, entity.entity_type)
        named = (one for one in entity.surfaces if _key(one, kind) == key)
        fits = any(kind != EntityType.PERSON or not _clash(self.words, one) for one in named)
        return fits and self.kind in ("", kind) and not self.clear


Facts = tuple[Fact, ...]


def read_glossary(path: Path, aliases: Aliases | None = None) -> Facts:
    """Read the facts of a CSV file (a row each: what is to replace which name), and check them.
    Return them in the order of the lines.

    Args:
        path: of the file.
        aliases: looks up other names of what a text names; a phrase must not contain these either.

    Raises:
        ConfigError: if the file cannot be read, or a phrase names what it or another row hides. The
            message names the line, never its text.
    """
    return checked_facts(path, tuple(_facts(path)), aliases)


def checked_facts(path: Path, facts: Facts, aliases: Aliases | None = None) -> Facts:
    """Return facts (rows of a glossary) unchanged if they can be used together: each row is sound,
    no phrase names what its own row or another hides, and no two rows with one kind (or none) say
    different things of one surface.

    Args:
        path: of their file, for messages.
        facts: of all lines.
        aliases: looks up other names of what a text names; a phrase must not contain these either.

    Raises:
        ConfigError: if some cannot. It names the first such line and lists further ones.
    """
    _raise_first(path, [(one.line, why) for one in facts if (why := one.fault)])
    owners = [_owner(*numbered) for numbered in enumerate(facts)]
    hiding = [(f, o) for f, o in zip(facts, owners, strict=True) if not f.clear]
    labelled = DocumentChecks((o for f, o in hiding if f.label), aliases)
    checks = DocumentChecks((o for _, o in hiding), aliases)
    seen: dict[tuple[str, str], Fact] = {}
    wrong = list[tuple[int, str]]()
    for fact, owner in zip(facts, owners, strict=True):
        by = labelled if fact.label else checks  # "Therapist 1" names no clinic
        if not fact.clear and (why := by.problem(fact.phrase, owner)):
            wrong.append((fact.line, _PROBLEMS.get(why) or _names_it(fact, owner, by, facts)))
        key = _said(fact.surface) if fact.label else thing_key(fact.surface, fact.kind)
        same = seen.setdefault((fact.kind, key), fact)
        if len({one.clear or one.phrase.casefold() for one in (same, fact)}) > 1:
            wrong.append((fact.line, f"line {same.line} says something else of it; take one back"))
    _raise_first(path, wrong)
    return facts


def _owner(at: int, fact: Fact) -> Entity:
    """Make the entity that a row of a glossary hides: its id is ``at`` as text, its one mention has
    the row's surface, and its type is that of the row, or MISC. Titles before a name that has a
    label do not count as part of it."""
    shown = re.sub(f"^{_TITLED}", "", fact.surface) if fact.label else fact.surface
    return Entity(str(at), (Mention("", Span(0, 1), shown, str(at), fact.kind or EntityType.MISC),))


def _names_it(fact: Fact, owner: Entity, by: DocumentChecks, facts: Sequence[Fact]) -> str:
    """Describe why a phrase may not stand: which of its words names what is to be hidden, and which
    line hides that, as "word 2 (“clinic”) of the phrase names what line 4 hides". Only a word in
    small letters is quoted.

    Args:
        fact: the row of the glossary with the phrase.
        owner: what the row hides.
        by: the checks that the phrase failed.
        facts: all of the file; the ids of what they hide are their indices.
    """
    fine = {"", *_PROBLEMS}
    at = ((n, w) for n, w in enumerate(fact.phrase.split(), 1) if by.problem(w, owner) not in fine)
    shown = (f"word {n} of " if w != w.lower() else f"word {n} (“{w}”) of " for n, w in at)
    lines = sorted(facts[int(one)].line for one in by.named_in(fact.phrase, owner.id))
    whose = f"line {lines[0]} hides" if lines else "it has to hide"
    return f"{next(shown, '')}the phrase names what {whose}"


def glossary_text(facts: Iterable[Fact]) -> str:
    """Return facts as the text of a CSV file: a line with the names of the columns (surface,
    phrase, kind, note), then one line for each fact, in order."""
    return to_csv(_COLUMNS, ((one.surface, one.phrase, one.kind, one.note) for one in facts))


def draft_glossary(documents: Iterable[Document]) -> str:
    """Return the CSV text of a glossary for the persons of documents: a row for each of their
    names, with the person's label ("P01", "P02").

    Persons are joined across documents by their fullest names, as within one document. A single
    letter, or a name that several of them share, gets no row, because only each document shows
    whose it is. Those who may be one person, or share a name, stand side by side, with a note ("see
    P07").

    Args:
        documents: with their mentions.
    """
    people = people_of(documents)
    owners = Counter(chain(*({_said(one) for one in own} for own in people)))
    sure = [sorted(one for one in own if owners[_said(one)] == 1) for own in people]
    kept = [n for n, own in enumerate(sure) if own]
    near = {n: [m for m in kept if m != n and may_be_one(people[n], people[m])] for n in kept}
    order = dict.fromkeys(chain(*((n, *own) for n, own in near.items())))
    labels = {n: f"P{at:02}" for at, n in enumerate(order, start=1)}
    notes = {n: f"see {', '.join(sorted(labels[m] for m in o))}" for n, o in near.items() if o}
    told = ((one, labels[n], notes.get(n, "")) for n in order for one in sure[n])
    return glossary_text(Fact(one, label, EntityType.PERSON, 0, note) for one, label, note in told)


def noted_labels(path: Path | None) -> list[str]:
    """List the labels of a drafted glossary file whose rows have a note (that two may be one
    person), sorted, each once; [] if the path is None."""
    return sorted({fact.phrase for fact in _facts(path) if fact.note}) if path else []


def _facts(path: Path) -> Iterator[Fact]:
    """Yield the facts of a glossary file, line by line, not yet checked; blank lines are skipped.
    Blanks in cells are made single, and a kind becomes INTACT's name of the type. Raise a
    ``ConfigError`` if the file cannot be read, is no CSV in UTF-8 or has other columns."""
    try:
        with reading(path, ConfigError), path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.reader(file, strict=True)
            header = [name.strip().lower() for name in next(rows, [])]
            if not {"surface", "phrase"} <= set(header) <= set(_COLUMNS):
                _raise_first(path, [(1, f"it must be {','.join(_COLUMNS)} with commas")])
            for row in rows:
                cells = {
                    name: " ".join(cell.split()) for name, cell in zip(header, row, strict=False)
                }
                surface, phrase, kind, note = (cells.get(name, "") for name in _COLUMNS)
                if any(map(str.strip, row)):
                    yield Fact(surface, phrase, domain.type_named(kind), rows.line_num, note)
    except (UnicodeDecodeError, csv.Error):
        raise ConfigError("is no CSV in UTF-8", where=path) from None


def _raise_first(path: Path, wrong: Sequence[tuple[int, str]]) -> None:
    """Raise a ``ConfigError`` for the first of some (line, problem), which lists up to 19 others,
    too, and counts the rest; do nothing if there are none."""
    more = "; ".join(f"line {line}, {problem}" for line, problem in wrong[1:_TOLD])
    more += f"; and {len(wrong) - _TOLD} more" * (len(wrong) > _TOLD)
    for line, problem in wrong[:1]:
        raise ConfigError(problem, where=f"{path}, line {line}", remedy=more and f"Also {more}.")


def _bare(shown: str) -> str:
    """Return words without "the" or "The" before them and without the genitive "'s" behind them; an
    apostrophe alone stays ("Bergs'")."""
    return shown.removeprefix("the ").removeprefix("The ").removesuffix("'s").removesuffix("’s")


def _said(shown: str) -> str:
    """Return words in small letters, without full stops, article and genitive ending, but with
    titles, so that equal surfaces compare equal."""
    return fold(" ".join(words(_bare(shown))))


def _clash(one: str, other: str) -> bool:
    """Tell whether two texts are names that cannot be one person's: the names or the sexes differ
    ("Ann Lee" and "Bo Lee", "Sir Roe" and "Lady Roe"), or each has a title among Mr, Mrs, Ms and
    Miss and they share none. So "Mrs" and "Ms" also clash, but no other titles do: "Dr Roe" may be
    "Mr Roe" or "Prof Roe". False if one of them is no name.

    Args:
        one: a text.
        other: another text.
    """
    first, second = name_of(one), name_of(other)
    if first is None or second is None:
        return False
    titles = bool(first.title and second.title) and first.worn.isdisjoint(second.worn)
    return titles or not first.fits(second)


def _parts(text: str, span: Span) -> list[Span]:
    """Cut a find (a span that a detector found) into consecutive stretches that together cover it,
    in text order: a name cannot go on over a dash, a bracket or an end of a sentence, and each of
    these is a stretch of its own.

    Args:
        text: of the document.
        span: of the find.
    """
    stops = [(m[0][0] in ".!?…", *m.span()) for m in re.finditer(_APART, span.of(text))]
    cuts = (at for full, *at in stops if not full or starts_sentence(text, span.start + at[1]))
    ends = [0, *chain.from_iterable(cuts), len(span)]
    return [Span(span.start + one, span.start + other) for one, other in pairwise(ends)]


def _held(finds: Iterable[Span]) -> dict[int, Span]:
    """Map each offset of a character inside some spans to the longest span that covers it."""
    return {at: one for one in sorted(finds, key=len) for at in range(one.start, one.end)}


class Glossary:
    """A user's facts, applied to documents.

    Args:
        facts: checked.
        may_name: tells whether a capitalised word may be a name, or part of one.
    """

    def __init__(self, facts: Facts, may_name: Callable[[str], object] = bool) -> None:
        self._facts, self._may_name = facts, may_name
        self._named = defaultdict[str, list[Fact]](list)  # by their words
        rows = [(name, one.phrase) for one in facts if one.label and (name := name_of(one.words))]
        owners = Counter(surname for surname, _ in {(name.surname, label) for name, label in rows})
        # Surnames that rows have for several people, and none has alone.
        self._several = {o for o, n in owners.items() if n > 1} - {name.alone for name, _ in rows}
        for fact in facts:
            capitals = {fact.words.upper()} if fact.clear and " " in fact.words else set[str]()
            named = any(len(one) > _FEW and not is_ordinary(one) for one in words(fact.words))
            for shown in {fact.words, fact.words.lower() if named else fact.words} | capitals:
                self._named[shown].append(fact)
        spaced = either(self._named).replace(r"\ ", r"[^\S\n]+")
        titled = rf"(?:(?:{either(map(str.title, HONORIFICS))})\b\.?[^\S\n]+)??"
        self._words = rf"(?<!\w){titled}(?P<words>(?:{spaced or '(?!)'}))(?!\w)"

    def _places(self, text: str, finds: Mapping[Span, str]) -> Iterator[tuple[Fact, Span]]:
        """Yield each row of the glossary with each place of the text where its words stand, in text
        order.

        They must stand as whole words within a line. A title before them belongs to the place, and
        so does the rest of a find that has the same words. A place that is only part of a longer
        name or code is left out (``_is_part``).

        Args:
            text: to search.
            finds: spans that detectors found, with their types; a code is never cut.
        """
        held = _held(finds)
        for found in re.finditer(self._words, text):
            over = dict.fromkeys(held[at] for at in range(*found.span()) if at in held)
            for fact in self._named[" ".join(found["words"].split())]:
                own, place = words(fact.words), Span(*found.span(0 if fact.label else "words"))
                place = next((one for one in over if words(_bare(one.of(text))) == own), place)
                longer = (one for one in over if place.overlaps(one) and not place.contains(one))
                if not any(self._is_part(fact, text, place, one, finds[one]) for one in longer):
                    yield fact, place

    def _is_part(self, fact: Fact, text: str, place: Span, longer: Span, kind: str) -> bool:
        """Tell whether the words of a row of the glossary are only a part of one longer find: of a
        code, of a date, of somebody's fuller name, or of a name that goes on beside them ("Irwell
        Street"); in lower case, of any. Words that are to stay in clear are a part of every find
        with another capitalised word.

        Args:
            fact: the row.
            text: of the document.
            place: where its words stand.
            longer: a span that a detector found, which overlaps the place and goes beyond it.
            kind: the entity type of that span.
        """
        around = f"{text[longer.start : place.start]}\n{text[place.end : longer.end]}"
        small = fact.words.islower() < place.of(text).islower()
        joined = re.search(r"\w[-'’]\n|\n-[^\W\d_a-z]", around)
        whole = kind == EntityType.CODE or (kind in domain.BY_VALUE and parse(fact.words))
        if any((joined, small, whole)):
            return True
        if all((kind in domain.BY_VALUE, fact.label)):
            return False  # "RW Sun eve" is cut at the initials
        own, full = name_of(place.of(text)), name_of(longer.of(text))
        beside = re.findall(_BESIDE[0 if fact.clear else 1 + fact.label], around)
        more = {fold(one) for one in words(around) if one[0].isupper()}
        goes_on = not more.intersection(map(fold, beside)) <= STOP_WORDS | TITLES
        if own and full and fact.label and kind not in (EntityType.LOC, EntityType.ORG):
            more &= {*full.whole} - {*own.whole, *TITLES}
            named = goes_on or all(len(word) == 1 or self._may_name(word) for word in more)
            return all((more, named, own.fits(full)))
        return goes_on

    def find(self, text: str, detected: Sequence[Detected]) -> list[Detected]:
        """Return the finds of detectors, in order, and after them a find for each place where a row
        of the glossary applies. A detector's find that overlaps such a place is dropped; each part
        of it that is left becomes a find if it holds a name or a number.

        Args:
            text: that nobody annotated.
            detected: the finds in it.
        """
        types = {_bare(one.mention.text): one.mention.entity_type for one in reversed(detected)}
        known = {(fact.words, fact.kind) for fact in self._facts}
        owners = {(m.span, m.entity_type): m.entity_id for m in (d.mention for d in detected)}
        parts = {part: kind for span, kind in owners for part in _parts(text, span)}
        facts = {span: fact for fact, span in self._places(text, parts)}
        pieces = domain.cut_at(text, facts.items())
        left = "".join("\n" * len(piece) if fact else piece for piece, fact in pieces)
        made = list[Detected]()
        for one, span in ((one, one.mention.span) for one in detected):
            made += [one] if span.of(left) == span.of(text) else self._rest(one, left)
        for span, fact in facts.items():
            said = types.get(fact.words, EntityType.MISC)
            row = domain.type_row(said if (fact.words, said) in known else fact.kind or said)
            how = [domain.IdentifierType.DIRECT] * (row.name in LABEL_ONLY)
            whose = owners.get((span, row.name), f"row {fact.line}")
            mention = Mention("", span, span.of(text), whose, row.name, *how)
            made.append(Detected(mention, row.kind, 1.0, (Source.GLOSSARY,)))
        return made

    def _rest(self, one: Detected, left: str) -> Iterator[Detected]:
        """Yield the parts of a find that no row of the glossary covers and that hold a name or a
        number, as direct identifiers of unknown type (MISC), without the small words at their ends.

        Args:
            one: the find.
            left: the text, with line breaks in place of the words of such rows.
        """
        stretches = ((at.start, at.of(left)) for at in _parts(left, one.mention.span))
        for at, part in ((at, one) for at, own in stretches for one in re.finditer(_REST, own)):
            capitals = [word for word in words(part["rest"]) if not word[0].islower()]
            named = any(word[0].isdigit() or self._may_name(word) for word in capitals)
            titles = TITLES.issuperset(map(fold, capitals)) and bool(capitals)
            if not titles and (named or is_name_like(part["rest"])):
                span = Span(at + part.start("rest"), at + part.end("rest"))
                whose, kind = f"rest {span.start}", EntityType.MISC
                rest = Mention("", span, part["rest"], whose, kind, domain.IdentifierType.DIRECT)
                yield replace(one, mention=rest, kind="name")

    def keep(self, document: Document, plain: PlainText) -> Document:
        """Return the document with the words that rows of the glossary keep in clear as further,
        unmasked mentions, and marked mentions inside them unmasked, too. Words inside a longer
        masked find are not kept. The same document if no row keeps words.

        Args:
            document: with its mentions.
            plain: its text as a person reads it.
        """
        if not any(fact.clear for fact in self._facts):
            return document
        flat, no, text = plain.read(document), domain.IdentifierType.NO_MASK, document.text
        places = self._places(flat.text, {o.span: EntityType.CODE for o in occurrences(flat)})
        stay = {plain.back(span): fact for fact, span in places if fact.clear}
        at, more = domain.Covered(text, stay), list[Mention]()
        old = [replace(m, identifier_type=no) if at.holds(m.span) else m for m in document.mentions]
        for span, fact in stay.items():
            by, kind = f"{Source.GLOSSARY} {fact.line}", EntityType.MISC
            more.append(Mention(f"{by} {span.start}", span, span.of(text), by, kind, no, "", by))
        return replace(document, mentions=(*old, *more), kept=document.kept | {*stay})

    def of(self, entity: Entity) -> Fact | None:
        """Return the row of the glossary whose phrase is to replace an entity; None if there is
        none. A phrase that is no label is only chosen for an entity that may be generalised; rows
        whose very words stand in the text go first."""
        own = self._meaning(entity)
        said = {_said(one) for one in entity.surfaces if own}
        own.sort(key=lambda fact: _said(fact.surface) not in said)
        return next((one for one in own if one.label or entity.generalisable), None)

    def _meaning(self, entity: Entity) -> list[Fact]:
        """List the rows of the glossary that mean an entity, in the order of the file. [] for an
        entity of which the text has nothing but a surname that several rows share."""
        several, names = self._several, map(name_of, entity.surfaces)
        apart = several and all(name is not None and name.alone in several for name in names)
        return [fact for fact in self._facts if not apart and fact.means(entity)]

    def exact(self, document: Document) -> dict[str, str]:
        """Map the ids of mentions of persons and codes to the user's own labels, where a row of the
        glossary has a mention's very words. Other mentions are absent.

        A surname alone that rows have for several people gets the label of the one person whom its
        paragraph names otherwise. If there is no such one, it gets the surname itself, which is no
        row's label, so it is joined with none of them.
        """
        rows = {(_said(one.surface), one.kind): one.phrase for one in self._facts if one.label}
        named = (m for m in document.mentions if rows and m.entity_type in LABEL_ONLY)
        asked = ((m.id, _said(m.text), m.entity_type) for m in named)
        found = {key: rows.get((said, kind)) or rows.get((said, "")) for key, said, kind in asked}
        told = {key: label for key, label in found.items() if label}
        alone, near = dict[str, tuple[int, str]](), defaultdict[tuple[int, str], set[str]](set)
        for at, name in names_of(document.text, document.mentions).items() if self._several else ():
            mention = document.mentions[at]
            place = document.text.rfind("\n", 0, mention.span.start), name.surname
            if mention.id in told:
                near[place].add(told[mention.id])
            elif name.alone in self._several:
                alone[mention.id] = place
        for key, place in alone.items():
            told[key] = min(near[place]) if len(near[place]) == 1 else place[1]
        return told

    def phrases(self, entities: Iterable[Entity]) -> Mapping[str, str]:
        """Map the ids of entities to the phrases that the glossary has for them: labels, where only
        a label may stand. Entities without a row are absent."""
        return {one.id: fact.phrase for one in entities if (fact := self.of(one))}

    def count(self, document: Document) -> dict[str, dict[str, int]]:
        """Count by line of the glossary, the key being the line's number as text. Under "facts",
        for every line, the entities that it means and the places that it keeps in clear, together;
        under "within", only for lines with any, the places where its words are hidden as a part of
        something longer, as it does not say (codes, times and amounts do not count)."""
        met = Counter(document.clear.values())
        met.update(str(one.line) for each in document.entities for one in self._meaning(each))
        whose = {m.span: one for one in document.entities for m in one.mentions}
        held, apart = _held(whose), {EntityType.CODE, *domain.BY_VALUE}
        found = ((fact, at, held.get(at.start, at)) for fact, at in self._places(document.text, {}))
        over = ((fact, whose[longer]) for fact, at, longer in found if len(longer) > len(at))
        named = ((fact, self.of(one)) for fact, one in over if one.entity_type not in apart)
        lines = (str(fact.line) for fact, own in named if not own or own.phrase != fact.phrase)
        facts = {str(one.line): met[str(one.line)] for one in self._facts}
        return {"facts": facts, "within": dict(Counter(lines))}

    def rulings(self, done: domain.SanitizedDocument) -> Mapping[str, domain.Ruling]:
        """Map "glossary 3", for each line of the glossary that decided what stands, to a ruling:
        the words "by line 3 of the glossary" or "kept in clear by line 3 of the glossary", and the
        spans of the original that the line replaced by its phrase or kept."""
        clear, held = done.document.clear, defaultdict[str, set[Span]](set)
        for span, line in clear.items():
            held[f"kept in clear by line {line}"].add(span)
        for one in done.decisions:
            if (fact := self.of(one.entity)) and fact.phrase == one.text:
                held[f"by line {fact.line}"].update(m.span for m in one.entity.mentions)
        made = ((f"{told} of the glossary", told.split()[-1], at) for told, at in held.items())
        return {f"{Source.GLOSSARY} {n}": domain.Ruling(o, frozenset(at)) for o, n, at in made}

    def notes(self, document: Document, plan: domain.Plan) -> Iterator[str]:
        """Yield notes on a finished plan: at most one that counts, by line of the glossary, the
        places kept in clear; then one for each entity whose row could not be followed, because its
        phrase names what is hidden here or is no label where only a label may stand.

        Args:
            document: with the masked mentions.
            plan: its plan; ``dropped`` says which phrases of the glossary failed.
        """
        if kept := Counter(map(int, document.clear.values())):
            lines = ", ".join(f"{line} ({n})" for line, n in sorted(kept.items()))
            yield f"kept in clear by the glossary, lines (and how many places): {lines}"
        for entity in document.entities:
            own, named = self.of(entity), self._meaning(entity)
            lost = any(one.source == Source.GLOSSARY for one in plan.dropped.get(entity.id, ()))
            if lost or (named and not own):
                yield f"{DRIFT}line {(own or named[0]).line} of the glossary {_WHY[lost]}"
