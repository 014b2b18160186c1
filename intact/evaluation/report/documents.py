"""The page of a run: documents before and after, and why each replacement was chosen.

It is made from the objects that ``intact sanitize`` wrote.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from intact.domain import Edit, Span
from intact.evaluation.pairs import new_places
from intact.evaluation.report.page import asset, render
from intact.formats.outcome import offsets, told_mentions

_HIGH_RISK = 0.2  # from here on, what no attacker guessed does not count as held
_OUTCOMES = {
    "SAFE": f"not guessed, at a risk of {_HIGH_RISK:.0%} or less",
    "RISKY": f"not guessed, but at a risk above {_HIGH_RISK:.0%}",
    "CONTEXT": "told by the context, whatever stands here",
    "LABEL": "bare label",
    "GUESSED": "was guessed",
    "UNPARSED": "answer unreadable",
    "UNTESTED": "not attacked",
    "NO_MASK": "left as it was",
    "GUARD": "changed by the guard",
}
_RISKS = (0.001, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 1.0)

Raw = Mapping[str, Any]
Counts = tuple[str, str, list[tuple[str, list[tuple[str, int]]]], int]
"""Title, caption, (row, (class, count) of its parts) and the largest row."""


class Story:
    """How one entity came to its replacement, shared by its mentions.

    Args:
        kind: type of the entity.
        outcome: as the output has it.
        rungs: its candidates as the output has them, most specific first, the label last.
    """

    def __init__(self, kind: str, outcome: str, rungs: Sequence[Raw] = ()) -> None:
        self.kind, self.rungs = kind, rungs
        self.taken = next((at for at, r in enumerate(rungs) if r.get("chosen")), len(rungs) - 1)
        self.risk = float(rungs[self.taken].get("risk") or 0.0) if rungs else 0.0
        self.outcome = _shown(outcome, self.risk)


class ReplacedPlace(NamedTuple):
    """One replaced place: where it stands in the original and in the sanitised text (None where
    its replacement is part of another one), and its story."""

    before: Span
    after: Span | None
    story: Story


class ShownDocument:
    """One document of the page.

    Args:
        raw: as ``intact sanitize`` wrote it.
    """

    def __init__(self, raw: Raw) -> None:
        told: Raw = raw.get("intact", {})
        self.id = str(raw.get("doc_id", raw.get("id")))
        self.before: str = raw["text"]
        self.after: str = raw["sanitized_text"]
        self.guard: Raw = told.get("guard") or {}
        self.notes = [note for note in told.get("notes", ()) if not note.startswith("guard: ")]
        self.protected = bool(told.get("protected", True))
        self.stories: dict[str, Story] = {}
        self.places: list[ReplacedPlace] = []
        edits = tuple(Edit(Span(start, end), text) for start, end, text in told.get("edits", ()))
        for start, end, text, entity in sorted(set(self._items(raw)), key=lambda i: (i[0], -i[1])):
            span = Span(start, end)
            after = (
                Span(*at)
                for edit, at in zip(edits, new_places(edits), strict=True)
                if edit.text == text and edit.span.overlaps(span)
            )
            self.places.append(ReplacedPlace(span, next(after, None), self.stories[entity]))

    def _items(self, raw: Raw) -> Iterator[tuple[int, int, str, str]]:
        """Each replaced place once: offsets, replacement, entity; tells the entities' stories."""
        for mention in told_mentions(raw):
            if mention.get("replacement"):
                entity = str(mention.get("entity_id", ""))
                kind = mention.get("entity_type", mention.get("type", mention.get("label", "")))
                told = (mention.get("outcome", "UNTESTED"), mention.get("candidates", ()))
                self.stories.setdefault(entity, Story(str(kind), *told))
                yield *offsets(mention), mention["replacement"], entity
        swept = raw.get("intact", {}).get("swept", ())
        for place in (*swept, *self.guard.get("places", ())):
            entity = str(place.get("entity_id", "words replaced by the guard"))
            if "entity_id" not in place:
                self.stories.setdefault(entity, Story("GUARD", "GUARD"))
            if entity in self.stories and place.get("replacement"):
                yield *offsets(place), place["replacement"], entity


def documents_page(
    raw: Sequence[Raw],
    *,
    redact: bool = False,
    values: Sequence[tuple[str, str]] = (),
) -> str:
    """The run as one self-contained HTML page.

    Args:
        raw: the documents as ``intact sanitize`` wrote them.
        redact: leave out originals, guesses and candidates that were not taken: what remains
            was going to be published anyway.
        values: measured values to stand on top: title, value.
    """
    documents = [ShownDocument(one) for one in raw]
    places = [place.story for document in documents for place in document.places]
    guards = [(at, d.id, d.guard) for at, d in enumerate(documents) if d.guard]
    found = Counter(story.outcome for story in places)
    return render(
        "documents.html.j2",
        redact=redact,
        tiles=[*_tiles(documents, found), *_guard_tiles([g for *_, g in guards]), *values],
        counts=[counts for counts in _counts(places) if counts[3]],
        kinds=sorted({story.kind for d in documents for story in d.stories.values()}),
        outcomes=[(name, said) for name, said in _OUTCOMES.items() if found[name]],
        attackers=list(dict.fromkeys(name for *_, guard in guards for name in guard["before"])),
        guarded=guards,
        documents=[_document(index, d, redact) for index, d in enumerate(documents)],
        unprotected=[document.id for document in documents if not document.protected],
        data=_data(documents, redact),
        script=asset("documents.js"),
        said=json.dumps(_OUTCOMES),
    )


def _shown(outcome: str, risk: float) -> str:
    """The outcome as the page tells it."""
    return "RISKY" if outcome == "SAFE" and risk > _HIGH_RISK else outcome


def _tiles(documents: Sequence[ShownDocument], found: Counter[str]) -> list[tuple[str, str]]:
    return [
        ("documents", f"{len(documents):,}"),
        ("replaced places", f"{found.total():,}"),
        ("entities", f"{sum(len(document.stories) for document in documents):,}"),
        *((said, f"{found[n] / found.total():.0%}") for n, said in _OUTCOMES.items() if found[n]),
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
        [(kind, [(name, found[kind, name]) for name in _OUTCOMES]) for kind in kinds],
    )
    taken = Counter(s.taken for s in places if s.outcome not in ("LABEL", "GUARD"))
    rungs = [(f"rung {at + 1}", [("rung", taken[at])]) for at in sorted(taken)]
    labels = [("LABEL", sum(story.outcome == "LABEL" for story in places))]
    yield _counted("Rung taken", "1 is the most specific candidate.", [*rungs, ("label", labels)])
    risks = Counter(
        next(at for at, edge in enumerate(_RISKS) if min(story.risk, 1.0) <= edge)
        for story in places
        if story.rungs and "risk" in story.rungs[story.taken]
    )
    edges = ("0", *(f"≤ {edge:g}" for edge in _RISKS[1:]))
    yield _counted(
        "Risk of what was taken",
        "Probability of a right guess.",
        [(edge, [("risk", risks[at])]) for at, edge in enumerate(edges)],
    )


def _counted(title: str, caption: str, rows: list[tuple[str, list[tuple[str, int]]]]) -> Counts:
    """Rows of counts with the sum of the largest; parts of nothing are left out."""
    largest = max((sum(count for _, count in parts) for _, parts in rows), default=0)
    return title, caption, [(name, [p for p in parts if p[1]]) for name, parts in rows], largest


def _document(index: int, document: ShownDocument, redact: bool) -> dict[str, Any]:
    places = list(enumerate(document.places))
    before = [] if redact else [(place.before, at) for at, place in places]
    after = [(place.after, at) for at, place in places if place.after is not None]
    return {
        "index": index,
        "id": document.id,
        "places": len(document.places),
        "notes": document.notes,
        "after": list(_pieces(document, document.after, after)),
        "before": list(_pieces(document, document.before, before)),
    }


def _pieces(
    document: ShownDocument, text: str, spans: Sequence[tuple[Span, int]]
) -> Iterator[dict[str, Any]]:
    """The text in pieces; of places that overlap the first and longest is marked."""
    done = 0
    for span, at in sorted(spans, key=lambda item: (item[0].start, -item[0].end)):
        if span.start < done:
            continue
        story = document.places[at].story
        yield {"text": text[done : span.start], "place": None}
        yield {
            "text": span.of(text),
            "place": at,
            "kind": story.kind,
            "outcome": story.outcome,
            "risk": f"{story.risk:.3f}",
        }
        done = span.end
    yield {"text": text[done:], "place": None}


def _data(documents: Sequence[ShownDocument], redact: bool) -> str:
    """The stories as JSON that is safe inside a script element."""
    data = []
    for document in documents:
        stories = {story: at for at, story in enumerate(document.stories.values())}
        places = [
            [stories[place.story], "" if redact else place.before.of(document.before)]
            for place in document.places
        ]
        data.append({"stories": [_story(story, redact) for story in stories], "places": places})
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _story(story: Story, redact: bool) -> dict[str, Any]:
    shown = story.rungs[story.taken : story.taken + 1] if redact else story.rungs
    return {
        "kind": story.kind,
        "outcome": story.outcome,
        "rungs": [
            {key: rung.get(key, "") for key in ("text", "source", "rule")}
            | {
                "outcome": _shown(rung.get("outcome", ""), rung.get("risk") or 0.0),
                "entry": "" if redact else rung.get("entry", ""),
                "chosen": redact or bool(rung.get("chosen")),
                "risk": rung.get("risk"),
                "guesses": []
                if redact
                else [[g.get("text", ""), g.get("p")] for g in rung.get("guesses", ())],
            }
            for rung in shown
        ],
    }
