"""The questions before a release, and the release."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from functools import partial, reduce
from itertools import chain
from pathlib import Path
from typing import Any

from intact.formats.base import common_suffix
from intact.pipeline import build_pipeline
from intact.protocols import DRIFT, LOST, UNBELIEVED
from intact.review.certificate import ASKED, Question, certify, count_places, estimate_missed
from intact.review.decisions import heeding
from intact.review.phrases import refuse_if
from intact.review.reviewed import ReviewedDocument
from intact.review.session import ORIGINALS, ReviewSession
from intact.run.files import SKIPPED
from intact.run.job import Observer, run
from intact.run.work import Performers, add_figures, heading_warnings

UNSEEN = "Documents that nobody opened in this review, with no decision about them"


def release_questions(session: ReviewSession) -> Iterator[Question]:
    """Yield the questions that a person has to confirm before the output is written, in this order:
    files that nothing reads; names and ids that the output keeps; decisions about documents that
    are gone; documents that nobody opened; every other warning, with the documents that it is
    about; what is released in clear, guessed or decided by nobody; how much detection may have
    missed; and files that will be replaced. None is asked where there is nothing to ask."""
    documents = session.standing()
    if unread := session.unread:
        kinds = Counter(map(common_suffix, unread))
        shown = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
        yield Question(f"{SKIPPED}, and not released: {shown}", unread)
    decided = session.decisions.about
    unseen = tuple(one.raw.id for one in documents if not (one.opened or decided(one.raw)))
    told = (session.unchecked, (LOST, tuple(session.decisions.lost)), (UNSEEN, unseen))
    yield from (Question(*each) for each in told if each[1])
    about: dict[str, list[str]] = {}
    for one in documents:
        for note in _notes(one):
            about.setdefault(note, []).append(one.raw.id)
    yield from (Question(note, tuple(names)) for note, names in about.items())
    counts: dict[str, Any] = reduce(add_figures, map(session.count, documents), {})
    clear = tuple(dict.fromkeys(chain.from_iterable(map(session.in_clear, documents))))
    for name, words in ASKED.items():
        if counts[name]:
            yield Question(words.format(**counts), words=clear if name == "clear" else ())
    if rates := [o.doubts.rate for o in documents if o.raw.text.strip() and not o.raw.annotated]:
        yield Question(estimate_missed(rates))
    written = filter(None, (session.review.out, session.review.certificate))
    if old := tuple(map(_dated, filter(Path.exists, written))):
        yield Question("What is there already will be replaced", old)


def _dated(path: Path) -> str:
    """Return the path of a file with the time at which it was last written, in UTC: "out.txt,
    written 2026-03-01 09:15 UTC"."""
    changed = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    return f"{path}, written {changed:%Y-%m-%d %H:%M} UTC"


def _notes(one: ReviewedDocument) -> Iterator[str]:
    """Yield the warnings of a document under review, without the ids of decisions: that it is not
    protected, those about its input and headings, those of detection, and sorted those about
    decisions and an unbelieved model."""
    if not one.now.protected:
        yield "not protected as asked"
    yield from (*one.warnings, *heading_warnings(one.now, one.raw.kept), *one.notes)
    told = (note for note in one.now.notes if note.startswith((DRIFT, UNBELIEVED)))
    yield from sorted({note.partition(" [")[0] for note in told})


def release(session: ReviewSession, confirmed: Sequence[str], state: str = "") -> dict[str, Any]:
    """Write the output with the decisions as they are, once every question is confirmed; else write
    nothing and return the questions.

    Args:
        session: the documents and decisions; its settings have the glossary as it is now.
        confirmed: questions that a person has confirmed, word for word.
        state: the state that came with the questions; "" asks for the questions.

    Returns:
        If a question is not confirmed, ``questions`` and the ``state`` that they are about. Else
            ``out``, the paths of output and certificate in one line, ``outcomes``, how many places
            ended as SAFE, LABEL, CLEAR and so on, and ``notes`` for the person.

    Raises:
        InputError: if the input is not the one shown, or something was decided since the questions
            were asked; nothing is written then.
        RunError: if the decisions or the glossary are not those shown.
    """
    job = session.job()
    asked = [*release_questions(session)]
    now, decisions = session.state()
    refuse_if(state not in ("", now), "something was decided after that was asked; look again")
    if not (state and {str(one) for one in asked} <= set(confirmed)):
        return {"questions": [str(one) for one in asked], "state": now}
    job, settings = heeding(job, decisions), session.settings
    with closing(Performers(partial(build_pipeline, settings, decisions))) as performers:
        manifest = run(job, performers, Observer())
    certify(job, manifest, session.by, asked)
    done = manifest["figures"]
    notes = [f"{ORIGINALS}." if done.get("originals") else "Pass on only what was written."]
    written = [str(one) for one in (job.out, job.certificate) if one is not None]
    ends = done.get("outcomes", {}) | {"CLEAR": count_places(done, decisions.lines)["clear"]}
    return {"out": ", ".join(written), "outcomes": ends, "notes": notes}
