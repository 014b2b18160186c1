"""People's decisions: a file of JSON lines that is only ever added to, and their effects.

A line is about one text (the document's id and the SHA-256 of its text) and spans of it, so it
holds for every format and every later run, even if the file has another name by then. If the text
has changed, only decisions that hide something are applied again, and a note says so for each line.
"""

import errno
import fcntl
import hashlib
import json
import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field, fields, replace
from enum import StrEnum
from itertools import chain, dropwhile
from pathlib import Path
from typing import Any

from intact import domain
from intact.domain import LABEL_ONLY, Document, Entity, Ladder, Mention, Ruling, Source, Span
from intact.english.vocabulary import STOP_WORDS, vocabulary
from intact.english.words import fold, is_ordinary, name_words, words
from intact.errors import DocumentError, FormatError, RunError, reading
from intact.pipeline import describe_parts
from intact.planning.glossary import read_glossary
from intact.planning.ladder import DocumentChecks
from intact.protocols import DRIFT, REDONE
from intact.review.phrases import disclosed, refuse_if
from intact.rewriting.occurrences import occurrences
from intact.run.files import load_documents, writing
from intact.run.job import Job
from intact.shipped import sha256


class Action(StrEnum):
    """The decisions that a person may take.

    CLEAR says that nothing personal is at a doubtful place; it has no other effect.
    """

    ACCEPT = "accept"
    CHOOSE = "choose"
    PHRASE = "phrase"
    ALWAYS = "always"
    MASK = "mask"
    KEEP = "keep"
    MARK = "mark"
    UNMARK = "unmark"
    SPLIT = "split"
    JOIN = "join"
    RETYPE = "retype"
    CLEAR = "clear"
    UNDO = "undo"


SHOWS = frozenset({Action.KEEP, Action.UNMARK})  # leave the original in the text
# These decide which mentions are one entity, and of what type.
REGROUPS = frozenset({Action.SPLIT, Action.JOIN, Action.RETYPE})
# Accept, choose, phrase, always, mask and keep: of these, the last one about a place counts.
SETTLES = frozenset(Action) - REGROUPS - {Action.MARK, Action.UNMARK, Action.CLEAR, Action.UNDO}
BESIDE = REGROUPS | {Action.CLEAR}  # these do not decide what is put at their places
# What is said of a decision that is not applied as it was made, or is refused.
WHY: Mapping[str, str] = vocabulary("texts")["drift"]
_DONE_AGAIN = f"{WHY['changed']}; {REDONE}"


@dataclass(frozen=True, slots=True)
class ReviewLine:
    """One line of the file."""

    id: str  # unique in the file
    at: str  # when, UTC in ISO format
    by: str  # who decided
    action: Action
    document: str  # its id
    digest: str  # SHA-256 of the document's text
    entity_type: str = ""
    spans: tuple[Span, ...] = ()  # of all mentions, in that text
    left: tuple[Span, ...] = ()  # where the same words occur, but the person wants them left
    surfaces: tuple[str, ...] = ()  # the texts at the spans; empty where no originals are kept
    phrase: str = ""  # the phrase to be put there; "" for the label
    reason: str = ""  # why the original is kept
    undoes: str = ""  # id of the line that is taken back
    number: int = field(default=0, compare=False)  # of the line in the file, from 1; 0 if new

    @property
    def summary(self) -> str:
        """The decision in a few words, with its number in the file, and without any text of the
        document: "line 3 of the decisions: mask LOC"."""
        where = f"line {self.number} of the decisions: " if self.number else ""
        return f"{where}{self.action} {self.entity_type}".rstrip()

    @property
    def ruling(self) -> str:
        """The decision in words, with who made it, when and, if that was said, why: "label chosen
        by Kim, 2026-03-01 09:15 UTC"."""
        done, when = vocabulary("texts")["decided"][self.action], self.at[:16].replace("T", " ")
        return f"{done} by {self.by}, {when} UTC" + f": {self.reason}" * bool(self.reason)


_BEGINS = b'{"id": '  # each line of the file


def text_digest(text: str) -> str:
    """Return the SHA-256 of a text's UTF-8, in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


class DecisionFile:
    """The file of decisions, open for one review at a time; mode 0600. A line that was added
    survives whatever happens later.

    Args:
        path: made if it is not there.
        kept: whether the file is only read; this is possible while another review has it.

    Attributes:
        lines: those that it held when it was opened.

    Raises:
        FormatError: if it holds something else.
        RunError: if it cannot be written, or another review has it.
    """

    def __init__(self, path: Path, *, kept: bool = False) -> None:
        """Open the file, made if it is not there, and read its lines; lock it against other reviews
        unless it is only read. A last line that was cut short is removed."""
        self.path, self._number = path, -1
        if kept:
            self.lines = read_decisions(path)
            return
        with writing(path):
            flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
            self._number = os.open(path, flags, 0o600)
        try:
            fcntl.flock(self._number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._number)
            raise RunError("another review is writing these decisions", where=path) from None
        try:
            data = path.read_bytes()
            self.lines = _lines(data, path)  # a file of something else is refused untouched
            # a line that a killed review did not finish was never confirmed to the person
            self._held = data[: data.rfind(b"\n") + 1]
            with writing(path):
                os.fchmod(self._number, 0o600)
                os.ftruncate(self._number, len(self._held))
        except BaseException:
            self.close()
            raise

    def check(self) -> None:
        """Raise a ``RunError`` unless the file at its path is still the one that was opened, with
        just the content that this review read or wrote."""
        with reading(self.path, RunError):
            same = os.path.samestat(self.path.stat(), os.fstat(self._number))
            check_kept(self.path, self._held if same else None)

    def add(self, lines: Iterable[ReviewLine]) -> None:
        """Add decisions to the file, a line each. They are on the disk when this returns; if it
        raises, none is. Raise a ``RunError`` if they cannot be written, or if something else has
        changed the file."""
        self.check()
        names = [each.name for each in fields(ReviewLine)[:-1]]  # a line does not hold its number
        shown = [{n: value for n in names if (value := getattr(line, n))} for line in lines]
        rows = (json.dumps(one, ensure_ascii=False, default=astuple) + "\n" for one in shown)
        data = "".join(rows).encode("utf-8")
        size = os.fstat(self._number).st_size
        with writing(self.path):
            try:
                if os.write(self._number, data) != len(data):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                os.fsync(self._number)
                self._held += data
            except BaseException:
                os.ftruncate(self._number, size)
                raise

    def close(self) -> None:
        """Unlock and close the file; remove it if it is empty. A file that is only read is left as
        it is."""
        if self._number >= 0:
            if not os.fstat(self._number).st_size:
                self.path.unlink(missing_ok=True)
            os.close(self._number)


def check_kept(path: Path, known: bytes | None) -> None:
    """Raise a ``RunError`` if a file has other content than this review read or wrote last; else do
    nothing.

    Args:
        path: of decisions, or a glossary.
        known: the content that the review read or wrote, b"" for no file; None if another file is
            in its place.

    Raises:
        RunError: if it holds something else.
    """
    if known is None or (path.read_bytes() if path.is_file() else b"") != known:
        raise RunError("something else than this review has changed it", where=path)


def read_decisions(path: Path) -> list[ReviewLine]:
    """Read the decisions in a file, in order and each with the number of its line; [] if there is
    no file. Copies of a line count once, and a last line that was cut short is left out.

    Raises:
        FormatError: if a line is no decision, or two lines with one id differ.
        RunError: if it cannot be read.
    """
    with reading(path, RunError):
        data = path.read_bytes() if path.exists() else b""
    return _lines(data, path)


def _lines(data: bytes, path: Path) -> list[ReviewLine]:
    """Read the decisions in the content of a file; see ``read_decisions``.

    Args:
        data: the content.
        path: for messages.
    """
    end = data.rfind(b"\n") + 1
    whole = data[:end].splitlines()
    if not (data[end:].startswith(_BEGINS) or _BEGINS.startswith(data[end:])):
        whole.append(data[end:])  # something else than a line that was cut short
    lines = dict[str, ReviewLine]()
    for number, raw in enumerate(whole, start=1):
        line = replace(_line(raw, where := f"{path}, line {number}"), number=number)
        same = lines.setdefault(line.id, line)  # a copy of a line counts once
        if line != same:
            said = f"line {same.number} has its id, but says something else. Keep one of the two"
            raise FormatError(said, where=where)
    return [*lines.values()]


def _line(raw: bytes, where: str) -> ReviewLine:
    """Read a decision from a line of JSON; raise a ``FormatError`` that names ``where`` if it is
    none."""
    try:
        values: dict[str, Any] = json.loads(raw)
        values |= {"id": str(values["id"]), "action": Action(values["action"])}
        for name in ("spans", "left"):
            values[name] = tuple(Span.read(int(a), int(b)) for a, b in values.get(name, ()))
        values["surfaces"] = tuple(map(str, values.get("surfaces", ())))
        return ReviewLine(**values)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, DocumentError):
        raise FormatError("it is no decision", where=where) from None


def not_undone(lines: Iterable[ReviewLine]) -> list[ReviewLine]:
    """List the decisions that were not taken back, in order. The lines that take others back are
    left out, too."""
    given = list(lines)
    undone = {line.undoes for line in given if line.action is Action.UNDO}
    return [line for line in given if line.action is not Action.UNDO and line.id not in undone]


def in_force(lines: Iterable[ReviewLine]) -> list[ReviewLine]:
    """List the decisions that count, in order: those that nobody took back. One that settles what
    stands (accept, choose, phrase, always, mask, keep) keeps only those of its places that no later
    one is about, and is left out if none is left; so an entity that was split, joined, retyped or
    unmarked has to be decided anew."""
    later: set[tuple[str, str, Span]] = set()
    kept: list[ReviewLine] = []
    for line in reversed(not_undone(lines)):
        places = {span: (line.document, line.digest, span) for span in line.spans}
        spans = tuple(span for span, place in places.items() if place not in later)
        if spans or line.action not in SETTLES:
            kept.append(replace(line, spans=spans) if line.action in SETTLES else line)
        if line.action is not Action.MARK:
            later.update(places.values())
    return kept[::-1]


def resting(line_id: str, lines: Sequence[ReviewLine]) -> list[ReviewLine]:
    """List a decision and the later ones that rest on it, in order: if it marks or regroups
    mentions (mark, split, join, retype), those that are about one of its places; else itself alone.
    [] if it is not among the lines.

    Args:
        line_id: of the decision.
        lines: in order, about one document.
    """
    later = [*dropwhile(lambda line: line.id != line_id, lines)]
    gone = later[:1]
    if gone and gone[0].action in REGROUPS | {Action.MARK}:
        gone += (line for line in later[1:] if set(line.spans) & set(gone[0].spans))
    return gone


class Decisions:
    """The effects of the lines of a file; a ``Reviser``.

    Args:
        lines: of the file, in order.
        documents: all of the input.
        glossary: the file of the user's glossary, whose labels are allowed for anything; it need
            not be there.

    Attributes:
        lost: summaries of the lines that count but are about no document of the input.
        parts: what a result depends on besides, if lines are about documents with another name.
    """

    def __init__(
        self, lines: Iterable[ReviewLine], documents: Iterable[Document], glossary: Path | None
    ) -> None:
        """Match the decisions with the documents, by id and text, and read the glossary's
        labels."""
        facts = read_glossary(glossary) if glossary and glossary.is_file() else ()
        self.lines, self.labels = list(lines), {fact.phrase for fact in facts if fact.label}
        self._alike = defaultdict[str, list[str]](list)
        for one in documents:
            self._alike[text_digest(one.text)].append(one.id)
        there = {*chain(*self._alike.values())}
        homes = [(line, self.documents_of(line)) for line in self.lines]
        lost = in_force(line for line, names in homes if names[0] not in there)
        self.lost = [f"{line.document}, {line.summary}" for line in lost]
        moved = [(line.id, names) for line, names in homes if names != [line.document]]
        self.parts = {"decisions on renamed documents": text_digest(repr(moved))} if moved else {}

    def documents_of(self, line: ReviewLine) -> list[str]:
        """List the ids of the documents that a decision is about, at least one.

        It is the document with its id and its text. Without that, it is all documents with its text
        under other ids, but a decision that shows an original (keep, unmark) needs exactly one
        such. Otherwise the decision's own id is returned, whose document may be missing, or have
        another text."""
        alike = self._alike.get(line.digest, [])
        unsure = line.action in SHOWS and len(alike) > 1
        return [line.document] if line.document in alike or not alike or unsure else alike

    def about(self, document: Document) -> list[ReviewLine]:
        """List the decisions that count for a document, in order and under its id. One about an
        earlier text of it does not count if all of its original texts were decided on anew."""
        name, left = document.id, not_undone(self.lines)
        own = (line for line in left if name in self.documents_of(line))
        lines = in_force(replace(line, document=name) for line in own)
        digest = text_digest(document.text)
        anew = {one for line in lines if line.digest == digest for one in line.surfaces}
        return [o for o in lines if o.digest == digest or not o.surfaces or {*o.surfaces} - anew]

    def mentions(self, document: Document) -> tuple[Document, tuple[str, ...]]:
        """Apply what people marked, unmarked, regrouped and want kept. Return the document with its
        mentions changed so and with the places that stay as they are in ``kept``, and notes on
        decisions that could not be applied as they were made. What is hidden elsewhere stays hidden
        inside of what is kept."""
        digest, notes, shown = text_digest(document.text), [], set[Span]()
        for line in self.about(document):
            same = line.digest == digest
            if not same and line.action in SHOWS | REGROUPS:
                notes.append(_note(line, WHY["changed"]))
            elif line.action is Action.MARK:
                places = (one for each in line.surfaces for one in places_of(document.text, each))
                spans = line.spans if same else tuple(places)
                document = _marked(document, spans, line.entity_type, line.id)
                if not same:
                    notes.append(_note(line, _DONE_AGAIN if spans else WHY["changed"]))
            elif line.action in SHOWS | REGROUPS:
                before, document = document, _revised(document, line)
                if document == before:
                    notes.append(_note(line, WHY["nowhere"]))
                shown.update(line.spans if line.action in SHOWS else ())
            document = replace(document, kept=document.kept | {*(line.left if same else ())})
        return _kept(document, shown), tuple(notes)

    def ladders(
        self, document: Document, ladders: Mapping[str, Ladder]
    ) -> tuple[Mapping[str, Ladder], Mapping[str, Ruling], tuple[str, ...]]:
        """Apply the phrases that people chose and the labels that they set. Return three: the
        ladders (candidates by entity id, a chosen one marked as decided, () for a label); by the id
        of each decision, the places where it has the last word; and notes on decisions that could
        not be applied as they were made.

        Args:
            document: with people's mentions.
            ladders: by entity id, as the planner made them.
        """
        digest, notes = text_digest(document.text), []
        entities, checks = document.entities, DocumentChecks(document.entities)
        changed, lines = dict(ladders), self.about(document)
        holding = {line.id: line for line in lines if line.digest == digest}
        for line in lines:
            if line.action not in SETTLES or line.action is Action.KEEP:
                continue
            same = line.digest == digest
            about = of_line(entities, line, same=same)
            if not about and line in self.lines:  # a line that lost places need not hold anywhere
                notes.append(_note(line, WHY["nowhere" if same else "changed"]))
            if about and not same:
                notes.append(_note(line, _DONE_AGAIN))
            for entity in about if same else about[:1]:
                ladder = (o for o in ladders.get(entity.id, ()) if o.source != Source.GLOSSARY)
                offered = {"", *self.labels, *(rung.text for rung in ladder)}
                if line.phrase not in offered and disclosed(line.phrase, entity, document, checks):
                    notes.append(_note(line, WHY["discloses"]))
                    changed[entity.id] = ()
                    holding.pop(line.id, None)
                else:
                    changed[entity.id] = _chosen_first(changed.get(entity.id, ()), line.phrase)
        return changed, _holding(document, [*holding.values()]), tuple(notes)


def _marked(document: Document, spans: Sequence[Span], entity_type: str, line_id: str) -> Document:
    """Return the document with a mention of one new entity added at each of some spans, except
    where a masked mention covers the span; it is a direct identifier if only a label may replace
    its type.

    Args:
        document: with its mentions.
        spans: of its text.
        entity_type: of the mentions.
        line_id: of the line that marks them; the entity has this id, too.
    """
    known = [mention.span for mention in document.mentions if mention.masked]
    own = (line_id, entity_type, _identifies(entity_type))
    new = [
        Mention(f"marked:{line_id}:{at.start}", at, at.of(document.text), *own, marked_by=line_id)
        for at in spans
        if not any(other.contains(at) for other in known)
    ]
    return replace(document, mentions=(*document.mentions, *new))


def _kept(document: Document, shown: set[Span]) -> Document:
    """Return the document with the shown places added to ``kept``, and with a masked mention for
    each further occurrence of what is hidden elsewhere that overlaps such a place but does not
    cover one."""
    swept = [one for one in occurrences(document) if not one.mention_id] if shown else []
    inside = (
        Mention(f"inside:{at.start}", at, at.of(document.text), whose, kind, _identifies(kind))
        for at, whose, kind in ((one.span, one.entity_id, one.entity_type) for one in swept)
        if any(map(at.overlaps, shown)) and not any(map(at.contains, shown))
    )
    document = replace(document, mentions=(*document.mentions, *inside))
    return replace(document, kept=document.kept | shown)


def _chosen_first(ladder: Ladder, phrase: str) -> Ladder:
    """Return a ladder (candidates of an entity, most specific first) with the phrase that a person
    decided on marked as decided; if the ladder lacks it, it is put first. For the phrase "" return
    an empty ladder, so that the label is used. Ranks count from 0 again."""
    if phrase and all(candidate.text != phrase for candidate in ladder):
        ladder = (domain.Candidate(phrase, 0, Source.REVIEWER), *ladder)
    return tuple(
        replace(one, rank=rank, decided=one.decided or one.text == phrase)
        for rank, one in enumerate(ladder if phrase else ())
    )


def _identifies(entity_type: str) -> domain.IdentifierType:
    """Return how mentions of a type identify: DIRECT if only a label may replace them, else
    QUASI."""
    kinds = domain.IdentifierType
    return kinds.DIRECT if entity_type in LABEL_ONLY else kinds.QUASI


def _revised(document: Document, line: ReviewLine) -> Document:
    """Return the document with the mentions at exactly the spans of a decision changed as its
    action says.

    KEEP and UNMARK leave them as they are, unmasked. SPLIT and JOIN make them one new entity, of
    the decision's type; RETYPE gives them this type."""

    def changed(mention: Mention) -> Mention:
        """Return a mention as the decision changes it."""
        if line.action in SHOWS:
            return replace(mention, identifier_type=domain.IdentifierType.NO_MASK)
        whose = mention.entity_id if line.action is Action.RETYPE else line.id
        crossed = (line.entity_type in LABEL_ONLY) != (mention.entity_type in LABEL_ONLY)
        kind = _identifies(line.entity_type) if crossed else mention.identifier_type
        return replace(mention, entity_id=whose, entity_type=line.entity_type, identifier_type=kind)

    own = (changed(one) if one.span in line.spans else one for one in document.mentions)
    return replace(document, mentions=tuple(own))


def check_clear(document: Document, places: Iterable[Span], own: Callable[[str], object]) -> None:
    """Check what people want left in clear; raise a ``RefusedError`` if it names anything that is
    hidden elsewhere, or by the user's glossary. Everyday words do not count as names.

    Args:
        document: with people's mentions.
        places: spans of the original that people want left as they are.
        own: tells whether a text holds words of the glossary.

    Raises:
        RefusedError: if it does.
    """
    named = chain.from_iterable(one.surfaces for one in document.entities)
    names = frozenset(chain.from_iterable(map(name_words, named)))
    for _, left in left_in_clear(document, places):
        refuse_if(own(left) or not all(map(is_ordinary, names & name_words(left))), WHY["names"])


def of_line(entities: Sequence[Entity], line: ReviewLine, *, same: bool) -> list[Entity]:
    """List the entities that a decision is about, in the order given; [] if there is none any more.

    Args:
        entities: of the document as it is now.
        line: the decision.
        same: whether the decision was about this same text. If so, an entity with a mention at one
            of its spans counts, else one of its type with just the original texts that it kept.
    """
    if same:
        return [one for one in entities if any(m.span in line.spans for m in one.mentions)]
    alike = (one for one in entities if one.entity_type == line.entity_type)
    return [one for one in alike if {*one.surfaces} == {*line.surfaces}]


def places_of(text: str, part: str) -> tuple[Span, ...]:
    """List the spans of all occurrences of words in a text, as whole words, character by character
    and in order.

    Args:
        text: of the document.
        part: the words; "" is found nowhere.
    """
    whole = rf"(?<!\w){re.escape(part)}(?!\w)"
    return tuple(Span(*match.span()) for match in re.finditer(whole, text)) if part else ()


def _note(line: ReviewLine, why: str) -> str:
    """Return the note that a decision could not be applied as it was made, with the reason, its
    summary and its id."""
    return f"{DRIFT}{why} [{line.summary}, {line.id}]"


def _holding(document: Document, lines: Sequence[ReviewLine]) -> dict[str, Ruling]:
    """Return a ruling for each decision about this same text, by its id: the decision in words,
    with the places at which it has the last word, maybe none. These are places that are in clear
    now, for a decision that shows the original (keep, unmark), else masked mentions. Of decisions
    about one place the last has it; those that regroup mentions (split, join, retype) take no
    places from others.

    Args:
        document: with people's mentions.
        lines: in order.
    """
    shown = {at for at, _ in left_in_clear(document, (m.span for m in document.mentions))}
    masked = {mention.span for mention in document.mentions if mention.masked}
    held, taken = {}, set[Span]()
    for line in reversed(lines):
        left = {*line.spans} - (set() if line.action in REGROUPS else taken)
        if line.action is not Action.CLEAR:
            left &= shown if line.action in SHOWS else masked
        taken |= set() if line.action in REGROUPS else left
        held[line.id] = Ruling(line.ruling, frozenset(left), line.action in BESIDE)
    return held


def left_in_clear(document: Document, places: Iterable[Span]) -> Iterator[tuple[Span, str]]:
    """Yield (place, words) for each part of the places that no masked mention covers, and that is
    in clear in the released text: the whole place, and the words of the part with single blanks.
    Parts that consist of function words only are left out, unless they are the whole place.

    Args:
        document: with people's mentions.
        places: spans of the original that people want left as they are.
    """
    hidden = domain.Covered(document.text, (m.span for m in document.mentions if m.masked))
    for place in places:
        for part in hidden.gaps(place):
            shown = part.of(document.text)
            if part == place or not STOP_WORDS.issuperset(map(fold, words(shown))):
                yield place, " ".join(shown.split())


def decisions_about(job: Job) -> Decisions | None:
    """Read people's decisions about the documents of a run; None if the job names no file of
    decisions. Documents that cannot be read are passed over.

    Raises:
        RunError: if there is no such file.
        FormatError: if a line is no decision.
    """
    if (path := job.decisions) is None:
        return None
    if not path.is_file():
        raise RunError("there is no such file", where=path, remedy="intact review writes it.")
    read = load_documents(job.sources, job.settings.run.annotator, lambda error: None)
    documents = (loaded.document for _, _, loaded in read)
    return Decisions(read_decisions(path), documents, job.settings.generation.glossary)


def heeding(job: Job, said: Decisions | None) -> Job:
    """Return the job with ``parts`` set to the signatures of all that its result depends on besides
    the settings, decisions among it, and ``lost`` to the decisions that are about nothing in its
    input.

    Args:
        job: the run; its file of decisions need not be there yet.
        said: the decisions in it, for this input; None for no decisions.
    """
    parts, lost = (said.parts, said.lost) if said else ({}, ())
    own = {"decisions": sha256(job.decisions)} if job.decisions and job.decisions.exists() else {}
    return replace(job, parts=describe_parts(job.settings) | own | parts, lost=lost)
