"""Self-contained pages: each holds everything it needs, style and script included."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from intact import __version__
from intact.domain import Edit, Score, Span, cut_at
from intact.english.vocabulary import vocabulary
from intact.errors import require
from intact.evaluation.corpus import new_places
from intact.evaluation.results import Results
from intact.formats.outcome import mentions_of_output

_TEMPLATES = Path(__file__).with_name("templates")
_ARROWS = {"higher": "↑", "lower": "↓", "": ""}
_REFERENCE = "original"
_NONE = Score("", math.nan, 0, "")


def render(template: str, **values: Any) -> str:
    """Fill the template of a page, and return the HTML. Values are HTML-escaped unless marked safe.

    Args:
        template: its file name in ``templates/``.
        values: by the names that the template uses; a missing one is an error.
    """
    jinja2 = require("jinja2")
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return str(environment.get_template(template).render(version=__version__, **values))


def results_page(results: Results) -> str:
    """Return the results of an evaluation as an HTML page, systems side by side; it holds no
    document text."""
    mains: list[tuple[str, str, list[Mapping[str, Any]]]] = []
    parts: dict[str, list[tuple[str, str, list[Mapping[str, Any]]]]] = {}
    for name in results.metrics:
        main, _, part = name.partition("/")
        title, better = results.titles.get(main, (main, ""))
        if part == "chance":
            mains.append((f"{title}, by chance alone", "", _cells(results, name, "")))
        elif part:
            parts.setdefault(title, []).append((part, "", _cells(results, name, "")))
        else:
            mains.append((title, _ARROWS[better], _cells(results, name, better)))
    scores = [score for by_metric in results.systems.values() for score in by_metric.values()]
    signatures = list(dict.fromkeys(score.signature for score in scores))
    shown = {"signatures": signatures, "rows": mains, "parts": parts}
    return render("results.html.j2", results=results, **shown)


def _cells(results: Results, metric: str, better: str) -> list[Mapping[str, Any]]:
    """Return the cell of each system in one row of the page's table, in their order: "text" (the
    value, "–" if the system has none), "interval" ("0.801 – 0.880", or ""), "signature", and
    whether it is the "best" to three decimal places, which the original never is, nor any system
    if all others are equal.

    Args:
        results: of all systems.
        metric: the name of the score.
        better: "higher" or "lower"; "" marks none as the best.
    """
    scores = {name: own.get(metric, _NONE) for name, own in results.systems.items()}
    rivals = {name: round(one.value, 3) for name, one in scores.items() if name != _REFERENCE}
    values = set(filter(math.isfinite, rivals.values()))
    best = (max if better == "higher" else min)(values) if better and len(values) > 1 else None
    return [
        {
            "text": _text(one.value),
            "interval": " – ".join(map(_text, filter(math.isfinite, one.interval or ()))),
            "signature": one.signature,
            "best": rivals.get(name, math.nan) == best,
        }
        for name, one in scores.items()
    ]


def _text(value: float) -> str:
    """Return a score as text: three decimal places, from 1000 on none; "–" for NaN."""
    return "–" if math.isnan(value) else f"{value:.3f}" if abs(value) < 1000 else f"{value:,.0f}"


_HIGH_RISK = 0.2  # above this risk, a replacement that nobody guessed counts as risky, not safe
_SAID = vocabulary("texts")["outcomes"]
_OUTCOMES = {name: said.format(risk=f"{_HIGH_RISK:.0%}") for name, said in _SAID.items()}
Raw = Mapping[str, Any]
# The rows of a figure: (name of the row, (class, count) of each of its parts).
Rows = list[tuple[str, list[tuple[str, int]]]]
_OF_RUNG = ("text", "source", "rule", "outcome", "risk", "chosen", "entry", "guesses")
# The fields of a candidate that the page shows; ``_REDACTED`` are those shown without originals.
_REDACTED = _OF_RUNG[:-2]


class Story:
    """An entity's candidates from first to last, which is the label, and the one that was taken."""

    def __init__(self, kind: str, outcome: str, rungs: Sequence[Raw] = ()) -> None:
        """Take the candidate that is marked as chosen, else the last one, with its risk (0 if none
        is recorded), and the outcome as the page counts it."""
        self.kind, self.rungs = kind, rungs
        self.taken = next((at for at, r in enumerate(rungs) if r.get("chosen")), len(rungs) - 1)
        self.risk = float(rungs[self.taken].get("risk") or 0.0) if rungs else 0.0
        self.outcome = _shown(outcome, self.risk)


class ReplacedPlace(NamedTuple):
    """A place in the original and in the sanitised text (None if it is part of another one), and
    its story."""

    before: Span
    after: Span | None
    story: Story


class ShownDocument:
    """One document of the page."""

    def __init__(self, raw: Raw) -> None:
        """Read a document of an output: both texts, the record of the guard, notes, doubts, the
        story of each entity by its id, and the replaced places in the order of the original."""
        record: Raw = raw.get("intact", {})
        self.id = str(raw.get("doc_id", raw.get("id")))
        self.before: str = raw["text"]
        self.after: str = raw["sanitized_text"]
        self.guard: Raw = record.get("guard") or {}
        self.notes = [note for note in record.get("notes", ()) if not note.startswith("guard: ")]
        doubts: Raw = record.get("doubts") or {}
        self.rate: float | None = doubts.get("rate")
        self.left = list(doubts.get("left", ()))
        self.protected = bool(record.get("protected", True))
        self.stories: dict[str, Story] = {}
        self.places: list[ReplacedPlace] = []
        edits = tuple(Edit(Span.read(*at), text) for *at, text in record.get("edits", ()))
        placed = [*zip(edits, new_places(edits), strict=True)]
        for start, end, text, entity in sorted(set(self._items(raw)), key=lambda i: (i[0], -i[1])):
            span = Span.read(start, end)
            own = (at for edit, at in placed if edit.text == text and edit.span.overlaps(span))
            after = next((Span(*at) for at in own), None)
            self.places.append(ReplacedPlace(span, after, self.stories[entity]))

    def pieces(self, before: bool) -> Iterator[tuple[str, int | None]]:
        """Yield the original (``before``) or the sanitised text, cut at its places: the text of
        each place with its index in ``places``, the text before, between and after with None."""
        spans = [(one.before if before else one.after, at) for at, one in enumerate(self.places)]
        known = [(span, at) for span, at in spans if span is not None]
        return cut_at(self.before if before else self.after, known)

    def _items(self, raw: Raw) -> Iterator[tuple[int, int, str, str]]:
        """Yield each replaced place as (start, end, replacement, entity id): mentions, then repeats
        that nobody had marked, then words that the guard replaced. Adds the entities' stories to
        ``stories``."""
        for mention in mentions_of_output(raw):
            if mention.get("replacement"):
                entity = str(mention.get("entity_id", ""))
                ended = (mention.get("outcome", "UNTESTED"), mention.get("candidates", ()))
                self.stories.setdefault(entity, Story(mention["type"], *ended))
                yield mention["start"], mention["end"], mention["replacement"], entity
        for place in (*raw.get("intact", {}).get("swept", ()), *self.guard.get("places", ())):
            entity = str(place.get("entity_id", "words replaced by the guard"))
            if "entity_id" not in place:
                self.stories.setdefault(entity, Story("GUARD", "GUARD"))
            if entity in self.stories and place.get("replacement"):
                start, end = place["start_offset"], place["end_offset"]
                yield start, end, place["replacement"], entity


def documents_page(raw: Sequence[Raw], *, redact: bool = False) -> str:
    """Return the documents of a run as one self-contained HTML page.

    Args:
        raw: the documents of an output, with the decisions.
        redact: leave out originals, guesses, and candidates that were not taken.
    """
    documents = [ShownDocument(one) for one in raw]
    places = [place.story for document in documents for place in document.places]
    guards = [(at, d.id, d.guard) for at, d in enumerate(documents) if d.guard]
    return render(
        "documents.html.j2",
        redact=redact,
        ended=Counter(story.outcome for story in places),
        by_type=_by_type(places),
        kinds=sorted({story.kind for d in documents for story in d.stories.values()}),
        attackers=list(dict.fromkeys(name for *_, guard in guards for name in guard["before"])),
        guarded=guards,
        hidden=sum(guard["reached"] >= guard["k"] for *_, guard in guards),
        documents=documents,
        data=[_data(document, redact) for document in documents],
        said=_OUTCOMES,
    )


def _shown(outcome: str, risk: float) -> str:
    """Return an outcome as the page counts it: "RISKY" in place of "SAFE" for a risk above 0.2, any
    other unchanged.

    Args:
        outcome: as the record names it.
        risk: of the candidate, in [0, 1].
    """
    return "RISKY" if outcome == "SAFE" and risk > _HIGH_RISK else outcome


def _by_type(places: Sequence[Story]) -> Rows:
    """Count replaced places: a row (type, counts) for each entity type, in alphabetical order; its
    counts are (outcome, number of places), 0 included."""
    kinds = sorted({story.kind for story in places})
    counts = Counter((story.kind, story.outcome) for story in places)
    return [(kind, [(name, counts[kind, name]) for name in _OUTCOMES]) for kind in kinds]


def _data(document: ShownDocument, redact: bool) -> dict[str, Any]:
    """Return a document as a JSON object for the page's script: under "stories" an object for each
    entity (its type, outcome and candidates, see ``_story``), and under "places", for each
    replacement in text order, a pair [index of its story, the original ("" if redacted)]."""
    stories = {story: at for at, story in enumerate(document.stories.values())}
    originals = ("" if redact else one.before.of(document.before) for one in document.places)
    own = (stories[place.story] for place in document.places)
    told = [_story(story, redact) for story in stories]
    return {"stories": told, "places": [*zip(own, originals, strict=True)]}


def _story(story: Story, redact: bool) -> dict[str, Any]:
    """Return a story as JSON values: as "kind" its entity type, as "outcome" its outcome, and as
    "rungs" the fields of its candidates that the page shows, most specific first.

    Args:
        story: of an entity.
        redact: show only the candidate that was taken, without its guesses.
    """
    names, taken = (_REDACTED, story.taken) if redact else (_OF_RUNG, 0)
    rungs = [
        {name: rung[name] for name in names if name in rung}
        | {"outcome": _shown(rung.get("outcome", ""), rung.get("risk") or 0.0)}
        for rung in story.rungs[taken : taken + 1 if redact else None]
    ]
    return {"kind": story.kind, "outcome": story.outcome, "rungs": rungs}
