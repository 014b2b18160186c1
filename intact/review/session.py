"""One review: the documents of an input, the decisions about them, and their effects."""

import secrets
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import partial
from operator import attrgetter
from threading import Lock, Thread
from typing import Any

from intact.discourse.things import unified
from intact.domain import ENTITY_TYPES, LABEL_ONLY, Decision, Entity, SanitizedDocument, Span
from intact.errors import ConfigError, InputError, LanguageError, from_exception, reading
from intact.formats.base import UNREAD_REMEDY
from intact.formats.pieces import FIXED, FIXED_REMEDY
from intact.pipeline import Components, build_pipeline
from intact.planning.glossary import Fact, checked_facts, glossary_text, read_glossary
from intact.protocols import UNSURE
from intact.review import decisions as deciding
from intact.review import reviewed
from intact.review.certificate import audit, count_places
from intact.review.decisions import Action, Decisions, ReviewLine, check_kept, text_digest
from intact.review.phrases import RefusedError, check_characters, check_phrase, disclosed, refuse_if
from intact.review.reviewed import BRIEF, DOUBT, DocumentView, Review, ReviewedDocument
from intact.run import files
from intact.run.job import Job, check_job
from intact.run.work import figures, unchecked_names
from intact.sanitizing import PlannedDocument

ORIGINALS = "the output also holds the original text; sanitized_text alone is safe to pass on"
_MOST = 300  # most characters of a phrase, a reason, or missed text
_QUEUE = 2000  # most entities that the page lists for all documents; more are slow to draw
_PAUSE = 0.02  # seconds between documents read ahead, in which waiting requests get the lock


@dataclass(frozen=True, slots=True)
class DecisionRequest:
    """A decision that a person asks for.

    Attributes:
        action: the kind of decision.
        key: of the entity; "" where text is marked.
        text: what the action needs: the candidate, own phrase, reason, missed text, or the key of
            the entity to join. For ACCEPT, the phrase that the person sees, to detect that it has
            changed.
        type: of marked text, or the new type of an entity.
        places: those of the entity that are split off; where text is marked, the only places meant.
    """

    action: Action
    key: str = ""
    text: str = ""
    type: str = ""
    places: Sequence[tuple[int, int]] = ()


class ReviewSession:
    """The documents of an input, and the file of decisions about them.

    Every method may be called from any thread; one works at a time.

    Args:
        review: what is reviewed; its glossary is used from the start if it is there.
        kept: whether the session only reads; this is possible while another review decides.
    """

    def __init__(self, review: Review, *, kept: bool = False) -> None:
        """Read the input, check that the outputs can be written, and open the decisions and the
        pipeline; nothing is sanitised yet.

        Raises:
            InputError: if the input holds no document, or one cannot be read, or is not in English
                though it has to be.
            RunError: if an output or the decisions cannot be written, or another review has the
                decisions.
            ConfigError: if the glossary cannot be read, or the settings are wrong.
        """
        self.review, self.settings, self.by = review, review.settings, review.by
        self._lock, self._ended = Lock(), False
        self._ahead: Thread | None = None
        job, annotator = review.found(), self.settings.run.annotator
        check_job(job)
        self._glossary = job.glossary
        self.documents: list[ReviewedDocument] = []
        self.hashes, numbers = files.hash_files(job.sources, job.unread), Counter[str]()
        skipped: list[InputError] = []
        skip = skipped.append if review.skip_bad else None
        for source, record, loaded in files.load_documents(job.sources, annotator, skip):
            document = loaded.document
            source.format.render(record, loaded, SanitizedDocument(document, (), (), ()))
            whole = (ORIGINALS,) * (source.format.tells and review.originals)
            warnings = (*whole, *loaded.warnings)
            numbers[name := str(source.relative)] += 1
            place = (self.hashes[name], str(numbers[name]))
            self.documents.append(ReviewedDocument(document, source.name, place, warnings))
        if not self.documents:
            raise InputError("the input holds no document")
        self.unread = (*job.unread, *(one.where for one in skipped))
        ids = {one.raw.id: one.file for one in self.documents}
        self.unchecked = unchecked_names(ids, [source.name for source in job.sources])
        files.check_writable(*job.files)
        self._file = deciding.DecisionFile(review.decisions, kept=kept)
        try:
            raw = (one.raw for one in self.documents)
            self.decisions = Decisions(self._file.lines, raw, self._glossary)
            self._open()
            for one in self.documents:
                self._pipeline.check_language(one.raw.text)
        except BaseException as error:
            self._file.close()
            if isinstance(error, LanguageError):
                raise error.at(f"document {one.raw.id}") from None
            raise

    def _open(self) -> None:
        """Read the glossary, if its file is there, and build the pipeline with it; both replace
        earlier ones."""
        with reading(self._glossary, ConfigError):
            path = self._glossary if self._glossary.is_file() else None
            self._facts = path.read_bytes() if path else b""
        generation = self.settings.generation.model_copy(update={"glossary": path})
        self.settings = self.settings.model_copy(update={"generation": generation})
        self._components = Components(self.settings)
        self._pipeline = build_pipeline(self.settings, self.decisions, self._components)
        self._planned: PlannedDocument | None = None

    def close(self) -> None:
        """End the review: unlock the file of decisions, free the language models, and stop the work
        in the background."""
        with self._lock:
            self._ended = True
            self._pipeline.close()
            self._file.close()

    def prepare(self) -> None:
        """Start to sanitise all documents in the background, so that the queue knows the entities
        of all that a person should look at most; return at once."""
        self._ahead = Thread(target=self._read_ahead, daemon=True)
        self._ahead.start()

    def _read_ahead(self) -> None:
        """Sanitise each document that is out of date, one after the other, until the session is
        closed; keep the error of one that cannot be in its ``problem``. Let waiting requests have
        the lock after each."""
        for one in self.documents:
            with self._lock:
                if self._ended:
                    return
                try:
                    if one.things is None:
                        self._view(self._ready(one))
                except Exception as error:  # noqa: BLE001  (or the others would stay unread)
                    one.problem = str(from_exception(error, f"document {one.raw.id}"))
            time.sleep(_PAUSE)

    def overview(self) -> dict[str, Any]:
        """Return a summary of all documents as JSON values: how much of each is decided, and in
        ``queue`` the entities and doubtful places of all that are ready, at most 2000: undecided
        ones first, and of these those first that a person should look at most."""
        numbered = ((n, each) for n, one in enumerate(self.documents) for each in one.things or ())
        things = [{"document": number, **thing} for number, thing in numbered]
        things.sort(key=lambda thing: (bool(thing["decided"]), -thing["concern"]))
        return {
            "by": self.by,
            "types": list(ENTITY_TYPES),
            "documents": [self._summary(one) for one in self.documents],
            "queue": things[:_QUEUE],
            "found": len(things),
            "glossary": str(self._glossary),
            "unread": list(self.unread),
            "remedy": UNREAD_REMEDY,
        }

    def audit(self) -> str:
        """Return a table of all decisions as CSV, without what is hidden; see
        ``certificate.audit``. Documents that are out of date are sanitised first."""
        with self._lock:
            ready = {one.raw.id: self._ready(one) for one in self.documents}
            names = self.decisions.documents_of
            lines = [replace(line, document=names(line)[0]) for line in self.decisions.lines]
            return audit(lines, ready)

    def _summary(self, one: ReviewedDocument) -> dict[str, Any]:
        """Return a document's id and whether it is ready, as JSON values, with its counts if it is,
        else with the ``problem`` why it cannot be shown ("" if it is only not made yet)."""
        ready = one.things is not None
        said = self.count(one) if ready else {"problem": one.problem}
        return {"id": one.raw.id, "ready": ready} | said

    def count(self, one: ReviewedDocument) -> dict[str, Any]:
        """Count the places of a document that is ready, by name: those of ``count_places``, by who
        decided on them; and the places where something may have been missed, all (``doubtful``),
        looked at (``seen``) and not (``unseen``)."""
        looked = [bool(o["decided"]) for o in one.things or () if o["outcome"] == DOUBT]
        seen = {"doubtful": len(looked), "seen": sum(looked), "unseen": looked.count(False)}
        return count_places(figures(one.now), self.decisions.lines) | seen

    def document(self, number: int) -> dict[str, Any]:
        """Return a document as JSON values for the page, sanitised first if it is out of date; it
        counts as opened from then on.

        Args:
            number: of the document, from 0.
        """
        with self._lock:
            self.documents[number].opened = True
            return self._view(self._ready(self.documents[number]))

    def decide(self, number: int, asked: DecisionRequest) -> dict[str, Any]:
        """Take a decision and write it to the file. Return the changed document as JSON values,
        with the ``key`` of the entity that is at the place now, and in ``told`` remarks for the
        person.

        Args:
            number: of the document, from 0.
            asked: the decision.

        Raises:
            RefusedError: if it cannot be done; nothing is written then.
        """
        with self._lock:
            one = self._ready(self.documents[number])
            refuse_if(len(asked.text) > _MOST, f"that is longer than {_MOST} characters")
            asked = replace(asked, text=" ".join(asked.text.split()))
            spans = tuple(Span.read(*place) for place in asked.places)
            if asked.action is Action.MARK:
                line = self._marking(one, asked.text, asked.type, spans)
            elif asked.action is Action.CLEAR:
                doubtful = {place.span: place.entity_type for place in one.doubts.places}
                odd = len(spans) != 1 or spans[0] not in doubtful
                refuse_if(odd, "that is no place where something may be left")
                line = self._new(one, Action.CLEAR, entity_type=doubtful[spans[0]], spans=spans)
            else:
                check_characters(asked.text)
                line = self._line(one, asked, set(spans))
            brings = asked.action is Action.JOIN and line.phrase != ""  # undone with the join
            more = [replace(line, id=f"{line.id}+", action=Action.PHRASE)] * brings
            return self._add(one, [line, *more])

    def undo(self, number: int, line_id: str = "") -> dict[str, Any]:
        """Take back a decision that still counts, and those that rest on it. Return the changed
        document as JSON values, with its ``number``.

        Args:
            number: of the document that it is about, from 0.
            line_id: of the decision; "" for the last one about any document. The answer has the
                ``number`` of the document that it was about.

        Raises:
            RefusedError: if there is nothing to undo.
        """
        with self._lock:
            numbers = {one.raw.id: at for at, one in enumerate(self.documents)}
            names = self.decisions.documents_of
            left = [o for o in deciding.not_undone(self.decisions.lines) if names(o)[0] in numbers]
            if left and not line_id:
                number, line_id = numbers[names(left[-1])[0]], left[-1].id.removesuffix("+")
            one = self._ready(self.documents[number])
            gone = deciding.resting(line_id, [line for line in left if one.raw.id in names(line)])
            refuse_if(not gone, "there is nothing to undo")
            lines = [self._new(one, Action.UNDO, undoes=line.id) for line in gone]
            told = self._add(one, lines, undone=gone) | {"number": number}
            others = {name for line in gone for name in names(line)} - {one.raw.id}
            self._outdate(self.documents[numbers[name]] for name in others)  # of the same text
            return told

    def _add(
        self, one: ReviewedDocument, lines: Sequence[ReviewLine], undone: Sequence[ReviewLine] = ()
    ) -> dict[str, Any]:
        """Add decisions to the file and make the document anew with them; if either fails, take
        both back. Return the document as JSON values, with the ``key`` of the entity at the first
        place ("" if there is none), and ``told``, remarks on sentences that now have a defect and
        on phrases that went.

        Args:
            one: the document.
            lines: the decisions, at least one.
            undone: the earlier decisions that these take back.
        """
        about = [span for line in undone or lines for span in line.spans]
        held, before = self._holding(one, deciding.SETTLES), one.now
        size, shown = len(self.decisions.lines), (one.offered, one.things)
        try:
            with self._with_facts(one, undone or lines, drop=bool(undone)):
                self.decisions.lines += lines
                now, view = self._redo(one), self._view(one)
                if lines[0].action is Action.UNMARK:
                    own = partial(self._pipeline.glossary.find, detected=())
                    deciding.check_clear(now.document, about, own)
                self._file.add(lines)
        except BaseException:
            del self.decisions.lines[size:]
            one.made, (one.offered, one.things) = before, shown
            raise
        defects = reviewed.language_defects(before, now) if lines[0].phrase else ()
        told = [f"Look at the sentence: {each}" for each in defects]
        here = [d for d in now.decisions if any(m.span in about[:1] for m in d.entity.mentions)][:1]
        if lines[0].action in deciding.REGROUPS:
            phrases = {held[at].phrase for at in about if at in held} - {""}
            stands = {self._own_words(one, each) for each in here} - {""}
            told += reviewed.tell_regrouped(lines[0].action, phrases, stands)
        return view | {"key": "".join(reviewed.entity_key(d.entity) for d in here), "told": told}

    @contextmanager
    def _with_facts(
        self, one: ReviewedDocument, lines: Sequence[ReviewLine], *, drop: bool
    ) -> Iterator[None]:
        """Put the phrases of decisions that are to hold always (ALWAYS) into the glossary, or with
        ``drop`` take them out, and build the pipeline anew, before the ``with`` block runs; if the
        block raises, restore the glossary. Without such decisions just run the block.

        Args:
            one: the document that the lines are about.
            lines: decisions that are added or, with ``drop``, taken back.
            drop: whether they are taken back.

        Raises:
            RefusedError: if the glossary may not hold them.
            RunError: if something else than this review has changed the glossary.
        """
        always = (line for line in lines if line.action is Action.ALWAYS)
        changed = [fact for line in always for fact in _facts(line, one.texts(line))]
        if not changed:
            yield
            return
        path, old, aliases = self._glossary, self._facts, self._components.knowledge.aliases
        check_kept(path, old)
        facts = read_glossary(path, aliases) if path.exists() else ()
        row = attrgetter("surface", "phrase", "kind")
        wanted = {row(fact): fact for fact in (*facts, *changed)}  # equal facts are kept once
        gone = {*map(row, changed)} if drop else set()
        left = tuple(fact for key, fact in wanted.items() if key not in gone)
        try:
            text = glossary_text(checked_facts(path, left, aliases))
        except ConfigError as error:
            raise RefusedError(error.problem) from None
        try:
            self._rewrite(text)
            yield
        except BaseException:
            self._rewrite(old)
            raise

    def _rewrite(self, text: str | bytes) -> None:
        """Write the text of the glossary to its file, or remove the file if the text is empty.
        Build the pipeline anew with it, and discard what was made of all documents."""
        if text:
            files.write_private(self._glossary, text)
        else:
            self._glossary.unlink(missing_ok=True)
        self._pipeline.close()
        self._open()
        self._outdate(self.documents)

    def _outdate(self, documents: Iterable[ReviewedDocument]) -> None:
        """Discard what was made of some documents, and begin to make all documents that are out of
        date anew in the background, if that was begun before."""
        for each in (outdated := [*documents]):
            each.found, each.things, each.problem = None, None, ""
        if outdated and self._ahead is not None:
            self.prepare()

    def _ready(self, one: ReviewedDocument) -> ReviewedDocument:
        """Return a document, sanitised with all decisions first if it is out of date."""
        if one.things is None:
            self._redo(one)
        return one

    def _redo(self, one: ReviewedDocument) -> SanitizedDocument:
        """Sanitise a document with all decisions: detect its mentions, unless that is done, plan
        it, and choose its phrases. Store the result in it as ``made``, with what was offered, and
        return the result."""
        if one.found is None:
            document = one.raw
            if not document.annotated:
                detection = self._pipeline.detect(document.text, document.kept)
                one.notes = tuple(f"{UNSURE}{note}" for note in detection.notes)
                one.scores = {item.mention.span: item.score for item in detection.found}
                one.doubts = detection.doubts
                document = document.with_detected(detection.mentions)
            one.found, one.sentences = unified(document), reviewed.sentences_and_cells(document)
        planned = self._pipeline.plan(one.found, earlier=self._planned)
        one.made = replace(self._pipeline.finish(planned), doubts=one.doubts)
        self._planned, one.offered = planned, planned.plan.ladders
        return one.now

    def _line(self, one: ReviewedDocument, asked: DecisionRequest, places: set[Span]) -> ReviewLine:
        """Return a person's decision about an entity as a line for the file of decisions; raise a
        ``RefusedError`` if it is not possible.

        Its spans are those of all mentions, of a split the places alone, and of a join those of
        both entities. Its phrase is the one accepted, chosen or written, of a join that of the
        other entity; "" is the label.

        Args:
            one: the document.
            asked: the decision.
            places: those of ``asked``; they count for a split only.
        """
        decision, action, text = one.decision(asked.key), asked.action, asked.text
        entity, kind, said = decision.entity, decision.entity.entity_type, {"phrase": ""}
        spans = [mention.span for mention in entity.mentions]
        match action:
            case Action.ACCEPT:
                gone = text not in ("", decision.text)
                refuse_if(gone, "something else stands there by now; look again")
                said["phrase"] = "" if decision.chosen is None else decision.text
            case Action.CHOOSE:
                gone = text not in {each.text for each in one.candidates(decision)}
                refuse_if(gone, "that is none of its candidates; look again")
                said["phrase"] = text
            case Action.PHRASE | Action.ALWAYS:
                self._check_phrase(one, entity, text, always=action is Action.ALWAYS)
                said["phrase"] = text
            case Action.KEEP:
                refuse_if(not any(map(str.isalnum, text)), "say why it may stay as it is")
                said["reason"] = text
            case Action.RETYPE:
                odd, kind = asked.type not in ENTITY_TYPES or asked.type == kind, asked.type
                refuse_if(odd, "say of what other type it is")
            case Action.SPLIT:
                odd = not places or not places < set(spans)
                refuse_if(odd, "say which of its places are something else, not all of them")
                spans = sorted(places)
            case Action.JOIN:
                other = one.decision(text)
                refuse_if(other.entity.id == entity.id, "it is that thing")
                spans += [mention.span for mention in other.entity.mentions]
                kind, said["phrase"] = other.entity.entity_type, self._own_words(one, other)
        return self._new(one, action, entity_type=kind, spans=tuple(spans), **said)

    def _own_words(self, one: ReviewedDocument, decision: Decision) -> str:
        """Return the phrase that a person decided on for an entity, or else the glossary's label
        that stands for it; "" if neither is there, or the person decided on a label."""
        line = self._holding(one, deciding.SETTLES).get(decision.entity.mentions[0].span)
        return line.phrase if line else decision.text * (decision.text in self.decisions.labels)

    def _check_phrase(
        self, one: ReviewedDocument, entity: Entity, phrase: str, *, always: bool
    ) -> None:
        """Raise a ``RefusedError`` if a person's own phrase may not stand for an entity; else do
        nothing.

        Args:
            one: the document.
            entity: what it is to replace.
            phrase: as it was typed; a label of the glossary may stand for anything.
            always: whether it is to stand in all documents, by the glossary. Then it may name
                nothing that is hidden in any of them, and no type for which only a label stands.
        """
        direct = always and entity.entity_type in LABEL_ONLY
        refuse_if(direct, "only a label may always stand for that; write an own phrase")
        if phrase not in self.decisions.labels:
            check_phrase(phrase, entity, one.now.document, self._components)
        for each in self.documents if always else ():
            document = self._ready(each).now.document
            same = (o for o in document.entities if {*o.surfaces} & {*entity.surfaces})
            owner = next(same, replace(entity, id=""))  # an id means something in one document only
            told = disclosed(phrase, owner, document, self._components.checks(document.entities))
            refuse_if(told, f"it names what is hidden in document {each.raw.id}")

    def _marking(
        self, one: ReviewedDocument, text: str, kind: str, only: tuple[Span, ...]
    ) -> ReviewLine:
        """Return the decision that text was missed by the detector, as a line for the file; raise a
        ``RefusedError`` if the text does not stand in the document, cannot be edited there, or is
        hidden already.

        Args:
            one: the document.
            text: the words, with single blanks.
            kind: their entity type.
            only: the only places meant; () for all where the words stand.
        """
        refuse_if(kind not in ENTITY_TYPES, "say of what type it is")
        whole, places = one.raw.text, deciding.places_of(one.raw.text, text)
        wanted = only or places
        odd = {" ".join(span.of(whole).split()) for span in wanted} != {text}
        refuse_if(odd, "that does not stand in the document, letter by letter")
        fixed = any(each.overlaps(kept) for kept in one.raw.kept for each in wanted)
        refuse_if(fixed, f"it stands in {FIXED}. {FIXED_REMEDY}")
        masked = [mention.span for mention in one.now.document.mentions if mention.masked]
        gone = all(any(span.contains(each) for span in masked) for each in wanted)
        refuse_if(gone, "it is replaced already wherever it stands")
        left = tuple(place for place in places if place not in wanted)
        return self._new(one, Action.MARK, entity_type=kind, spans=wanted, left=left)

    def _new(self, one: ReviewedDocument, action: Action, **told: Any) -> ReviewLine:
        """Return a new decision about a document as it is now, as a line for the file: with an id
        of its own, the time and who decides; and with the original texts at its spans, unless these
        are to be redacted.

        Args:
            one: the document.
            action: the kind of decision.
            told: further fields of the line.
        """
        number, at = secrets.token_hex(4), datetime.now(UTC).isoformat(timespec="seconds")
        about = (one.raw.id, text_digest(one.raw.text))
        made = ReviewLine(number, at, self.by, action, *about, **told)
        return made if self.review.redact else replace(made, surfaces=one.texts(made))

    def _decided(self, one: ReviewedDocument) -> dict[str, tuple[ReviewLine, bool]]:
        """Map the keys of entities to (the decision that counts, whether it is about this same
        text); entities that nothing is decided about are absent."""
        digest, kinds = text_digest(one.raw.text), deciding.SETTLES | {Action.MARK}
        entities, holding = [d.entity for d in one.now.decisions], self._holding(one, kinds)
        decisions = {
            reviewed.entity_key(entity): (line, False)
            for line in self.decisions.about(one.raw)
            for entity in (entities if line.digest != digest else ())
            if {*entity.surfaces} & {*line.surfaces}
        }
        for entity in entities:
            if all(mention.span in holding for mention in entity.mentions):
                decisions[reviewed.entity_key(entity)] = holding[entity.mentions[0].span], True
        return decisions

    def _holding(self, one: ReviewedDocument, kinds: Collection[Action]) -> dict[Span, ReviewLine]:
        """Map each place at which a decision of some kinds has the last word to that decision; {}
        if there is none."""
        about = (line for line in self.decisions.about(one.raw) if line.action in kinds)
        held = one.now.decided
        return {at: o for o in about if o.id in held for at in held[o.id].spans}

    def in_clear(self, one: ReviewedDocument) -> list[str]:
        """List the original words of a document that are released in clear by the choice of a
        person or the glossary, in the order of their places, with single blanks."""
        places = sorted({*self._holding(one, deciding.SHOWS), *one.now.document.clear})
        return [shown for _, shown in deciding.left_in_clear(one.now.document, places)]

    def _view(self, one: ReviewedDocument) -> dict[str, Any]:
        """Return a ready document as JSON values: its text and entities, the decisions about it,
        warnings and counts. Its entries in the queue, ``things``, are made anew, too."""
        about, cleared = self.decisions.about(one.raw), self._holding(one, {Action.CLEAR})
        guesses = self.settings.attack.guesses
        view = DocumentView(one, self._decided(one), cleared, guesses).shown()
        all_of_it = (*view["doubtful"], *view["entities"])
        one.things = [{name: thing.get(name) for name in BRIEF} for thing in all_of_it]
        told = ({"text": " / ".join(one.texts(o)), "state": one.state(o)} for o in about)
        return view | {
            "rate": one.doubts.rate,
            "notes": [*one.warnings, *one.notes, *one.now.notes],
            "done": [asdict(line) | more for line, more in zip(about, told, strict=True)],
            "summary": self._summary(one),
        }

    def job(self) -> Job:
        """Return the run that a release is, for the input as it was shown; the run checks once more
        that nothing has changed.

        Raises:
            InputError: if the input has changed since, or files are new or gone.
            RunError: if the decisions or the glossary have changed.
        """
        job = replace(self.review.found(), settings=self.settings, check=self._check)
        self._check(files.hash_files(job.sources, job.unread))
        return job

    def _check(self, now: Mapping[str, str]) -> None:
        """Check that input, decisions and glossary are those that the person was shown. Of the
        input, an ``InputError`` names the first file that changed, is new or is gone; for the
        others a ``RunError`` is raised.

        Args:
            now: SHA-256 of the input's files, by their paths in the input.
        """
        for changed in sorted(name for name, _ in self.hashes.items() ^ now.items()):
            raise InputError("the input changed since the review began", where=changed)
        with self._lock:
            self._file.check()
            check_kept(self._glossary, self._facts)

    def state(self) -> tuple[str, Decisions]:
        """Return (a hash that changes with any decision or row of the glossary, a copy of the
        decisions)."""
        with self._lock:
            raw = (one.raw for one in self.documents)
            made = Decisions(self.decisions.lines, raw, self._glossary)
            return text_digest(f"{[line.id for line in made.lines]}{self._facts!r}"), made

    def standing(self) -> list[ReviewedDocument]:
        """Return all documents, each sanitised with the decisions as they are now and with its
        entries in the queue."""
        with self._lock:
            for one in self.documents:
                if one.things is None:
                    self._view(self._ready(one))
        return self.documents


def _facts(line: ReviewLine, surfaces: Sequence[str]) -> tuple[Fact, ...]:
    """Return rows for a glossary that put a decision's phrase in place of each of some texts, in
    their order and each once. They are numbered from 2, as if they were lines below a heading."""
    texts = enumerate(dict.fromkeys(" ".join(surface.split()) for surface in surfaces), 2)
    return tuple(Fact(surface, line.phrase, line.entity_type, at) for at, surface in texts)
