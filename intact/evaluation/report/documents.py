"""The page of a run: documents before and after, and why each replacement was chosen.

It is made from the objects that ``intact sanitize`` wrote.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from intact.domain import Span
from intact.evaluation.report.page import asset, render
from intact.formats.outcome import offsets, told_mentions

HIGH_RISK = 0.2
"""From here on, a replacement that no attacker guessed does not count as one that held."""
OUTCOMES = {
    "SAFE": f"not guessed, at a risk of {HIGH_RISK:.0%} or less",
    "RISKY": f"not guessed, but at a risk above {HIGH_RISK:.0%}",
    "CONTEXT": "told by the context, whatever stands here",
    "LABEL": "bare label",
    "GUESSED": "was guessed",
    "UNPARSED": "answer unreadable",
    "UNTESTED": "not attacked",
    "NO_MASK": "left as it was",
    "GUARD": "changed by the guard",
}
"""What can become of a mention, in words."""

_RISKS = (0.001, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 1.0)
_REACH = 60
"""Characters around its reckoned place in which a replacement is looked for."""

Raw = Mapping[str, Any]
Counts = tuple[str, str, list[tuple[str, list[tuple[str, int]]]], int]
"""Title, caption, (row, (class, count) of its parts) and the largest row."""


@dataclass(frozen=True, slots=True)
class Story:
    """How one entity came to its replacement, shared by its mentions.

    Attributes:
        rungs: its candidates, most specific first, the label last, as the output has them:
            ``text``, ``source``, ``chosen``, ``outcome``, ``rule``, ``risk``, ``guesses``.
    """

    entity: str
    kind: str
    outcome: str
    rungs: Sequence[Raw]

    @property
    def taken(self) -> int:
        """Position of the rung that was taken; the last where none is marked."""
        last = len(self.rungs) - 1
        return next((at for at, rung in enumerate(self.rungs) if rung.get("chosen")), last)

    @property
    def chosen(self) -> Raw:
        """The rung that was taken."""
        return self.rungs[self.taken] if self.rungs else {}

    @property
    def risk(self) -> float:
        """Risk of the rung taken; 0 where it was not attacked."""
        return float(self.chosen.get("risk") or 0.0)


@dataclass(frozen=True, slots=True)
class ReplacedPlace:
    """One replaced place of a document.

    Attributes:
        before: where it stands in the original.
        after: where its replacement stands in the sanitised text; None where it is gone.
        at: position of its story.
    """

    before: Span
    after: Span | None
    at: int


@dataclass(frozen=True, slots=True)
class ShownDocument:
    """One document of the page; ``guard`` is what the output tells of the guard, or empty."""

    id: str
    before: str
    after: str
    places: Sequence[ReplacedPlace]
    stories: Sequence[Story]
    notes: Sequence[str]
    protected: bool
    guard: Raw

    @classmethod
    def of(cls, raw: Raw) -> ShownDocument:
        """A document as ``intact sanitize`` wrote it."""
        items = [*_mentions(raw), *_swept(raw), *_guarded(raw)]
        items.sort(key=lambda item: (item["start"], -item["end"]))
        at: dict[tuple[str, str], int] = {}
        stories: list[Story] = []
        places: list[ReplacedPlace] = []
        for item, after in zip(items, _places(raw["sanitized_text"], items), strict=True):
            key = (item["entity"], item["kind"])
            if key not in at:
                at[key] = len(stories)
                story = Story(*key, item["outcome"], item["rungs"])
                stories.append(replace(story, outcome=_shown(story.outcome, story.risk)))
            places.append(ReplacedPlace(Span(item["start"], item["end"]), after, at[key]))
        told = raw.get("intact", {})
        return cls(
            id=str(raw.get("doc_id", raw.get("id"))),
            before=raw["text"],
            after=raw["sanitized_text"],
            places=places,
            stories=stories,
            notes=[note for note in told.get("notes", ()) if not note.startswith("guard: ")],
            protected=bool(told.get("protected", True)),
            guard=told.get("guard") or {},
        )


def documents_page(
    raw: Sequence[Raw],
    *,
    redact: bool = False,
    figures: Sequence[tuple[str, str, str]] = (),
    values: Sequence[tuple[str, str]] = (),
) -> str:
    """The run as one self-contained HTML page.

    Args:
        raw: the documents as ``intact sanitize`` wrote them.
        redact: leave out originals, guesses and candidates that were not taken: what remains
            was going to be published anyway.
        figures: further ones to stand on top: title, SVG, caption.
        values: measured values to stand on top: title, value.
    """
    documents = [ShownDocument.of(one) for one in raw]
    places = [document.stories[place.at] for document in documents for place in document.places]
    guards = [(at, d.id, d.guard) for at, d in enumerate(documents) if d.guard]
    return render(
        "documents.html.j2",
        redact=redact,
        tiles=[*_tiles(documents, places), *_guard_tiles([g for *_, g in guards]), *values],
        counts=[counts for counts in _counts(places) if counts[3]],
        figures=figures,
        kinds=sorted({story.kind for document in documents for story in document.stories}),
        outcomes=[
            (name, said)
            for name, said in OUTCOMES.items()
            if any(story.outcome == name for story in places)
        ],
        attackers=list(dict.fromkeys(name for *_, guard in guards for name in guard["before"])),
        guarded=guards,
        documents=[_document(index, d, redact) for index, d in enumerate(documents)],
        unprotected=[document.id for document in documents if not document.protected],
        data=_data(documents, redact),
        script=asset("documents.js"),
        said=json.dumps(OUTCOMES),
    )


def _shown(outcome: str, risk: float) -> str:
    """The outcome as the page tells it."""
    return "RISKY" if outcome == "SAFE" and risk > HIGH_RISK else outcome


def _tiles(documents: Sequence[ShownDocument], places: Sequence[Story]) -> list[tuple[str, str]]:
    counts = Counter(story.outcome for story in places)
    return [
        ("documents", f"{len(documents):,}"),
        ("replaced places", f"{len(places):,}"),
        ("entities", f"{sum(len(document.stories) for document in documents):,}"),
        *(
            (said, f"{counts[name] / len(places):.0%}")
            for name, said in OUTCOMES.items()
            if counts[name]
        ),
    ]


def _guard_tiles(guards: Sequence[Raw]) -> list[tuple[str, str]]:
    if not guards:
        return []
    hidden = sum(guard["reached"] >= guard["k"] for guard in guards)
    words = sum(guard.get("words", 0) for guard in guards)
    changed = sum(guard.get("words_changed", 0) for guard in guards) / max(1, words)
    return [
        ("hidden among k by the guard", f"{hidden:,} of {len(guards):,}"),
        ("of the other words changed for that", f"{changed:.1%}"),
    ]


def _counts(places: Sequence[Story]) -> Iterator[Counts]:
    """The figures: outcomes by type, rungs taken, risks."""
    kinds = sorted({story.kind for story in places})
    found = Counter((story.kind, story.outcome) for story in places)
    yield _counted(
        "Outcome by type",
        "Replaced places.",
        [(kind, [(name, found[kind, name]) for name in OUTCOMES]) for kind in kinds],
    )
    taken = Counter(s.taken for s in places if s.outcome not in ("LABEL", "GUARD"))
    labels = sum(story.outcome == "LABEL" for story in places)
    rungs = [(f"rung {at + 1}", [("rung", taken[at])]) for at in sorted(taken)]
    yield _counted(
        "Rung taken",
        "1 is the most specific candidate.",
        [*rungs, ("label", [("LABEL", labels)])],
    )
    risks = Counter(
        next(at for at, edge in enumerate(_RISKS) if min(story.risk, 1.0) <= edge)
        for story in places
        if "risk" in story.chosen
    )
    yield _counted(
        "Risk of what was taken",
        "Probability of a right guess.",
        [
            ("0" if at == 0 else f"≤ {edge:g}", [("risk", risks[at])])
            for at, edge in enumerate(_RISKS)
        ],
    )


def _counted(title: str, caption: str, rows: list[tuple[str, list[tuple[str, int]]]]) -> Counts:
    """Rows of counts with the sum of the largest; parts of nothing are left out."""
    largest = max((sum(count for _, count in parts) for _, parts in rows), default=0)
    return title, caption, [(name, [p for p in parts if p[1]]) for name, parts in rows], largest


def _document(index: int, document: ShownDocument, redact: bool) -> dict[str, Any]:
    before = [(place.before, at) for at, place in enumerate(document.places)]
    after = [(p.after, at) for at, p in enumerate(document.places) if p.after is not None]
    return {
        "index": index,
        "id": document.id,
        "places": len(document.places),
        "notes": document.notes,
        "after": list(_pieces(document, document.after, after)),
        "before": [] if redact else list(_pieces(document, document.before, before)),
    }


def _pieces(
    document: ShownDocument, text: str, spans: Sequence[tuple[Span, int]]
) -> Iterator[dict[str, Any]]:
    """The text in pieces; of places that overlap the first and longest is marked."""
    done = 0
    for span, at in sorted(spans, key=lambda item: (item[0].start, -item[0].end)):
        if span.start < done:
            continue
        if span.start > done:
            yield {"text": text[done : span.start], "place": None}
        story = document.stories[document.places[at].at]
        yield {
            "text": span.of(text),
            "place": at,
            "kind": story.kind,
            "outcome": story.outcome,
            "risk": f"{story.risk:.3f}",
        }
        done = span.end
    if done < len(text):
        yield {"text": text[done:], "place": None}


def _data(documents: Sequence[ShownDocument], redact: bool) -> str:
    """The stories as JSON that is safe inside a script element."""
    data = [
        {
            "stories": [_story(story, redact) for story in document.stories],
            "places": [
                [place.at, "" if redact else place.before.of(document.before)]
                for place in document.places
            ],
        }
        for document in documents
    ]
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _story(story: Story, redact: bool) -> dict[str, Any]:
    return {
        "kind": story.kind,
        "outcome": story.outcome,
        "rungs": [
            {key: rung.get(key, "") for key in ("text", "source", "rule")}
            | {
                "outcome": _shown(rung.get("outcome", ""), rung.get("risk") or 0.0),
                "entry": "" if redact else rung.get("entry", ""),
                "chosen": bool(rung.get("chosen")) or redact,
                "risk": rung.get("risk"),
                "guesses": []
                if redact
                else [[g.get("text", ""), g.get("p")] for g in rung.get("guesses", ())],
            }
            for rung in ([story.chosen] if redact else story.rungs)
        ],
    }


def _mentions(raw: Raw) -> Iterator[dict[str, Any]]:
    """The replaced mentions of all annotators, each place once."""
    seen: set[tuple[int, int]] = set()
    for mention in told_mentions(raw):
        start, end = offsets(mention)
        if not mention.get("replacement") or (start, end) in seen:
            continue
        seen.add((start, end))
        yield {
            "start": start,
            "end": end,
            "replacement": mention["replacement"],
            "entity": str(mention.get("entity_id", "")),
            "kind": str(mention.get("entity_type", mention.get("type", mention.get("label", "")))),
            "outcome": mention.get("outcome", "UNTESTED"),
            "rungs": mention.get("candidates", ()),
        }


def _swept(raw: Raw) -> Iterator[dict[str, Any]]:
    """The places that no annotation marked; they share their entity's story."""
    known = {item["entity"]: item for item in _mentions(raw)}
    for place in raw.get("intact", {}).get("swept", ()):
        entity = str(place.get("entity_id", ""))
        if entity in known and place.get("replacement"):
            yield known[entity] | _where(place)


def _guarded(raw: Raw) -> Iterator[dict[str, Any]]:
    """The words beyond all annotations that the guard replaced."""
    for place in raw.get("intact", {}).get("guard", {}).get("places", ()):
        story = {"entity": "words replaced by the guard", "kind": "GUARD", "outcome": "GUARD"}
        yield {**_where(place), **story, "rungs": ()}


def _where(place: Raw) -> dict[str, Any]:
    return {
        "start": place["start_offset"],
        "end": place["end_offset"],
        "replacement": place["replacement"],
    }


def _places(after: str, items: Sequence[Raw]) -> Iterator[Span | None]:
    """Where each replacement stands in the new text: near where what precedes it puts it."""
    old = new = 0
    for item in items:
        text = item["replacement"]
        expected = new + max(0, item["start"] - old)
        low = max(new, expected - _REACH)
        starts = list(_occurrences(after[low : expected + _REACH + len(text)], text))
        if not starts:
            yield None
            continue
        start = min((low + at for at in starts), key=lambda at: abs(at - expected))
        yield Span(start, start + len(text))
        old, new = item["end"], start + len(text)


def _occurrences(text: str, part: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)
