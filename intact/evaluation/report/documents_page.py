"""The page of a run: documents before and after, and why each replacement was chosen."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from intact.domain import Span
from intact.evaluation.report.figures import columns, stacked
from intact.evaluation.report.page import render, script

OUTCOMES = {
    "SAFE": "held against every guess",
    "LABEL": "bare label",
    "GUESSED": "was guessed",
    "UNPARSED": "answer unreadable",
    "UNTESTED": "not attacked",
    "NO_MASK": "left as it was",
    "GUARD": "changed by the guard",
}
"""What can become of a mention, in words."""

_RISKS = (0.001, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 1.0)


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
    rungs: Sequence[Mapping[str, Any]]

    @property
    def chosen(self) -> Mapping[str, Any]:
        """The rung that was taken; the last where none is marked."""
        marked = (rung for rung in self.rungs if rung.get("chosen"))
        return next(marked, self.rungs[-1] if self.rungs else {})

    @property
    def risk(self) -> float:
        """Risk of the rung taken; 0 where it was not attacked."""
        return float(self.chosen.get("risk") or 0.0)


@dataclass(frozen=True, slots=True)
class Shown:
    """One replaced place.

    Attributes:
        before: where it stands in the original.
        after: where its replacement stands in the sanitised text; None where it is gone.
        story: position of its story.
    """

    before: Span
    after: Span | None
    story: int


@dataclass(frozen=True, slots=True)
class ShownGuard:
    """What the guard reached in one document.

    Attributes:
        k: others that had to come before the individual.
        reached: others that do, for every attacker.
        ranks: attacker, rank of the individual before, and after; 1 is the first place.
        words_changed: content words beyond the annotations that were replaced, of ``words``.
    """

    k: int
    reached: int
    ranks: Sequence[tuple[str, int, int]]
    words_changed: int
    words: int


@dataclass(frozen=True, slots=True)
class ShownDocument:
    """One document of the page."""

    id: str
    before: str
    after: str
    places: Sequence[Shown]
    stories: Sequence[Story]
    notes: Sequence[str] = ()
    protected: bool = True
    guard: ShownGuard | None = None


@dataclass(frozen=True, slots=True)
class Extras:
    """What can stand on top beside the counts: further figures (title, SVG, caption) and
    measured values (title, value)."""

    figures: Sequence[tuple[str, str, str]] = ()
    values: Sequence[tuple[str, str]] = field(default_factory=tuple)


def documents_page(
    documents: Sequence[ShownDocument], *, redact: bool = False, extras: Extras | None = None
) -> str:
    """The run as one self-contained HTML page.

    Args:
        redact: leave out originals, guesses and candidates that were not taken: what remains
            was going to be published anyway.
    """
    extras = extras or Extras()
    stories = [(document, story) for document in documents for story in document.stories]
    places = [
        (document.stories[place.story], place)
        for document in documents
        for place in document.places
    ]
    kinds = sorted({story.kind for _, story in stories})
    outcomes = [name for name in OUTCOMES if any(s.outcome == name for s, _ in places)]
    return render(
        "documents.html.j2",
        redact=redact,
        tiles=[*_tiles(documents, places), *_guard_tiles(documents), *extras.values],
        figures=[*_figures(places, kinds), *extras.figures],
        kinds=kinds,
        outcomes=[(name, OUTCOMES[name]) for name in outcomes],
        attackers=_attackers(documents),
        guarded=[(at, d.id, d.guard) for at, d in enumerate(documents) if d.guard is not None],
        documents=[_document(index, d, redact) for index, d in enumerate(documents)],
        unprotected=[document.id for document in documents if not document.protected],
        data=_data(documents, redact),
        script=script("documents.js"),
    )


def _tiles(
    documents: Sequence[ShownDocument], places: Sequence[tuple[Story, Shown]]
) -> list[tuple[str, str]]:
    total = len(places)
    counts = Counter(story.outcome for story, _ in places)
    return [
        ("documents", f"{len(documents):,}"),
        ("replaced places", f"{total:,}"),
        ("entities", f"{sum(len(document.stories) for document in documents):,}"),
        *(
            (OUTCOMES[name], f"{counts[name] / total:.0%}")
            for name in OUTCOMES
            if total and counts[name]
        ),
    ]


def _guard_tiles(documents: Sequence[ShownDocument]) -> list[tuple[str, str]]:
    guards = [document.guard for document in documents if document.guard is not None]
    if not guards:
        return []
    hidden = sum(guard.reached >= guard.k for guard in guards)
    words = sum(guard.words for guard in guards)
    changed = sum(guard.words_changed for guard in guards) / words if words else 0.0
    return [
        ("hidden among k by the guard", f"{hidden:,} of {len(guards):,}"),
        ("of the other words changed for that", f"{changed:.1%}"),
    ]


def _attackers(documents: Sequence[ShownDocument]) -> list[str]:
    """All attackers that some guard was measured by, in order."""
    guards = (document.guard for document in documents if document.guard is not None)
    return list(dict.fromkeys(name for guard in guards for name, _, _ in guard.ranks))


def _figures(
    places: Sequence[tuple[Story, Shown]], kinds: Sequence[str]
) -> list[tuple[str, str, str]]:
    table = {
        kind: dict(Counter(story.outcome for story, _ in places if story.kind == kind))
        for kind in kinds
    }
    rungs = Counter(
        "label" if story.outcome == "LABEL" else str(_rung(story) + 1)
        for story, _ in places
        if story.outcome != "GUARD"
    )
    names = sorted((name for name in rungs if name != "label"), key=int)
    taken = [(f"rung {name}" if name == "1" else name, rungs[name]) for name in names]
    if rungs["label"]:
        taken.append(("label", rungs["label"]))
    risks = [(_risk_name(at), 0) for at in range(len(_RISKS))]
    counted = Counter(
        next(at for at, edge in enumerate(_RISKS) if min(story.risk, 1.0) <= edge)
        for story, _ in places
        if "risk" in story.chosen
    )
    risks = [(name, counted[at]) for at, (name, _) in enumerate(risks)]
    found = [
        ("Outcome by type", stacked(table, {name: name for name in OUTCOMES}), "Replaced places."),
        ("Rung taken", columns(taken, "rung taken"), "1 is the most specific candidate."),
        ("Risk of what was taken", columns(risks, "risk"), "Probability of a right guess."),
    ]
    return [figure for figure in found if figure[1]]


def _rung(story: Story) -> int:
    return next((at for at, rung in enumerate(story.rungs) if rung.get("chosen")), 0)


def _risk_name(at: int) -> str:
    return "0" if at == 0 else f"≤ {_RISKS[at]:g}"


def _document(index: int, document: ShownDocument, redact: bool) -> dict[str, Any]:
    before = [(place.before, at) for at, place in enumerate(document.places)]
    after = [(p.after, at) for at, p in enumerate(document.places) if p.after is not None]
    return {
        "index": index,
        "id": document.id,
        "places": len(document.places),
        "notes": document.notes,
        "protected": document.protected,
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
        story = document.stories[document.places[at].story]
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
                [place.story, "" if redact else place.before.of(document.before)]
                for place in document.places
            ],
        }
        for document in documents
    ]
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _story(story: Story, redact: bool) -> dict[str, Any]:
    rungs = [story.chosen] if redact else story.rungs
    return {
        "kind": story.kind,
        "outcome": story.outcome,
        "entity": story.entity,
        "rungs": [
            {
                "text": rung.get("text", ""),
                "source": rung.get("source", ""),
                "chosen": bool(rung.get("chosen")) or redact,
                "outcome": rung.get("outcome", ""),
                "rule": rung.get("rule", ""),
                "risk": rung.get("risk"),
                "guesses": []
                if redact
                else [[g.get("text", ""), g.get("p")] for g in rung.get("guesses", ())],
            }
            for rung in rungs
        ],
    }
