"""A document as the page shows it: every entity in its sentences, with what may stand for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from intact.config import AttackSettings
from intact.domain import REVIEWER, Decision, Entity, Outcome, SanitizedDocument, Span
from intact.english.sentences import sentence_around
from intact.formats.outcome import COVERED, LABEL, UNTESTED, candidates, outcomes
from intact.review.decisions import ReviewLine

_SHARES = (
    (0.005, "almost never"),
    (0.03, "one time in fifty"),
    (0.075, "one time in twenty"),
    (0.15, "one time in ten"),
    (0.225, "one time in five"),
    (0.29, "one time in four"),
    (0.4, "one time in three"),
    (0.6, "one time in two"),
    (0.85, "three times in four"),
)
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_DOUBTFUL = 0.6
_SENTENCES = 6
"""Sentences that are shown of an entity."""


def entity_key(entity: Entity) -> str:
    """What the page calls an entity: where it first stands, which no decision changes."""
    span = entity.mentions[0].span
    return f"{span.start}-{span.end}"


def risk_in_words(risk: float, guesses: int) -> str:
    """A risk as a sentence.

    Args:
        risk: that one of the guesses is right, in [0, 1].
        guesses: how many an attacker has.
    """
    share = next((words for most, words in _SHARES if risk < most), "nearly always")
    count = _NUMBERS[guesses] if guesses < len(_NUMBERS) else str(guesses)
    one = "the one guess" if guesses == 1 else f"one of {count} guesses"
    return f"{share} {one} is right"


def seen(
    now: SanitizedDocument,
    offered: Mapping[str, Decision],
    decided: Mapping[str, ReviewLine],
    scores: Mapping[tuple[int, int], float],
    attack: AttackSettings,
    around: dict[Span, Span],
) -> dict[str, Any]:
    """A document as JSON values; entities worst first.

    Args:
        now: with all decisions.
        offered: every candidate by entity key.
        decided: what was decided by entity key.
        scores: of detected mentions, by span.
        attack: how many guesses there are.
        around: place -> its sentence, as far as known; more are added.
    """
    places = _Places(now, around)
    entities = [
        _entity(one, offered[entity_key(one.entity)], decided, scores, attack, places)
        for one in now.decisions
    ]
    entities.sort(key=lambda entity: -entity["concern"])
    return {
        "id": now.document.id,
        "text": now.text,
        "original": _marked(now),
        "entities": entities,
    }


def _entity(
    decision: Decision,
    offered: Decision,
    decided: Mapping[str, ReviewLine],
    scores: Mapping[tuple[int, int], float],
    attack: AttackSettings,
    places: _Places,
) -> dict[str, Any]:
    entity, key = decision.entity, entity_key(decision.entity)
    guesses = attack.guesses_for(entity.entity_type)
    tried = {rung["text"]: rung for rung in candidates(decision)}
    for rung in candidates(offered):
        kept = tried.setdefault(rung["text"], rung)
        if kept["source"] == REVIEWER:  # its own source tells more
            kept["source"] = rung["source"]
    rungs = [tried[one.text] for one in offered.ladder]
    chosen = next(rung for rung in candidates(decision) if rung.get("chosen"))
    outcome = LABEL if decision.chosen is None else chosen.get("outcome", UNTESTED)
    outcome = COVERED if places.covered(entity) else outcome
    score = min((scores.get((m.span.start, m.span.end), 1.0) for m in entity.mentions), default=1.0)
    line = decided.get(key)
    return {
        "key": key,
        "type": entity.entity_type,
        "surfaces": list(entity.surfaces),
        "mentions": len(entity.mentions),
        "replacement": decision.text,
        "label": decision.label,
        "outcome": outcome,
        "control": _control(decision, guesses),
        "doubtful": score < _DOUBTFUL,
        "score": round(score, 2),
        "concern": _concern(decision, outcome, chosen.get("risk", 0.0), score),
        "sentences": list(places.sentences(entity)),
        "candidates": [
            {
                "text": rung["text"],
                "source": rung["source"],
                "chosen": decision.chosen is not None and rung["text"] == decision.text,
                "outcome": rung.get("outcome", ""),
                "risk": risk_in_words(rung["risk"], guesses) if "risk" in rung else "",
                "guesses": [guess["text"] for guess in rung.get("guesses", ())][:guesses],
            }
            for rung in rungs
        ],
        "decided": line
        and {"action": line.action, "by": line.by, "at": line.at, "reason": line.reason},
    }


def _control(decision: Decision, guesses: int) -> str:
    """What the attack on the label found, in words; "" where there was none."""
    worst = max((attack.risk for attack in decision.controls), default=None)
    return "" if worst is None else risk_in_words(worst, guesses)


def _concern(decision: Decision, outcome: str, risk: float, score: float) -> float:
    """How much a person should look at it: what was guessed, doubtful finds, labels, risk."""
    guessed = outcome in (Outcome.GUESSED, Outcome.UNPARSED, UNTESTED)
    direct = not decision.entity.generalisable
    told = 1.0 * (outcome == Outcome.CONTEXT)
    label = 0.2 if outcome == LABEL and direct else 1.0 if outcome == LABEL else 0.0
    return 4.0 * guessed + 2.0 * (score < _DOUBTFUL) + label + told + risk


def _marked(now: SanitizedDocument) -> list[dict[str, str]]:
    """The original text in pieces, with the key of the entity that a piece belongs to."""
    text, done = now.document.text, 0
    spans = sorted(
        (m.span.start, -m.span.end, entity_key(d.entity))
        for d in now.decisions
        for m in d.entity.mentions
    )
    pieces = []
    for start, negative, key in spans:
        if start < done:
            continue
        pieces += [
            {"text": text[done:start], "key": ""},
            {"text": text[start:-negative], "key": key},
        ]
        done = -negative
    pieces.append({"text": text[done:], "key": ""})
    return [piece for piece in pieces if piece["text"]]


class _Places:
    """Where places of the original stand in the sanitised text."""

    def __init__(self, now: SanitizedDocument, around: dict[Span, Span]) -> None:
        self._now = now
        self._around = around
        self._text = now.text
        self._outcomes = outcomes(now)

    def covered(self, entity: Entity) -> bool:
        """Whether all that stands for an entity stands for a longer one, too."""
        return all(self._outcomes[mention.id] == COVERED for mention in entity.mentions)

    def sentences(self, entity: Entity) -> Iterable[dict[str, list[str]]]:
        """Each sentence that the entity stands in, before and after: before it, it, behind it."""
        last: Span | None = None
        shown = 0
        for mention in entity.mentions:
            around = self._around.get(mention.span)
            if around is None:
                around = sentence_around(self._now.document.text, mention.span)
                self._around[mention.span] = around
            if around == last or shown >= _SENTENCES:
                continue
            last, shown = around, shown + 1
            yield {
                "before": _cut(self._now.document.text, around, mention.span),
                "after": _cut(self._text, *self._moved(around, mention.span)),
            }

    def _moved(self, around: Span, place: Span) -> tuple[Span, Span]:
        """A sentence and a place of it in the sanitised text."""
        start, end, low, high = around.start, around.end, place.start, place.end
        moved = 0
        first = last = inner = None
        for edit in self._now.edits:
            grown = len(edit.text) - len(edit.span)
            if edit.span.end <= start and edit.span.start < start:
                moved += grown
                continue
            if edit.span.start >= end:
                break
            at = edit.span.start + moved
            first = at if first is None and edit.span.start < start else first
            if inner is None and edit.span.start < high and low < edit.span.end:
                inner = Span(at, max(at + len(edit.text), at + 1))
            moved += grown
            if edit.span.end > end:
                last = at + len(edit.text)
        begin = first if first is not None else start + self._shift(start)
        stop = last if last is not None else end + moved
        stop = min(len(self._text), max(stop, begin + 1))
        return Span(begin, stop), inner or Span(begin, stop)

    def _shift(self, at: int) -> int:
        return sum(
            len(edit.text) - len(edit.span) for edit in self._now.edits if edit.span.end <= at
        )


def _cut(text: str, around: Span, place: Span) -> list[str]:
    return [
        text[around.start : place.start],
        text[place.start : place.end],
        text[place.end : around.end],
    ]
