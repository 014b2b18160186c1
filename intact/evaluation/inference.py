"""Inference risk: how often what stands for a masked string gives the string back.

The closed pool ranks every masked string of the corpus by its likeness to the replacement: the most
that can be asked of a replacement alone. An attacker (knowledge base, language model) reads the
final document and makes ranked guesses of its own.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from intact.domain import (
    LABEL_ONLY,
    Challenge,
    Entity,
    PlacedReplacement,
    SanitizedDocument,
    Score,
    Span,
)
from intact.errors import NotMeasuredError
from intact.evaluation.corpus import MaskedString, masked_strings, new_places
from intact.evaluation.metric import Metric, Pairs, valued
from intact.protocols import Embedder

GUESSES = 5


def closed_pool_ranks(strings: Sequence[MaskedString], embedder: Embedder) -> list[int]:
    """Return how many other originals of its type are nearer to each string's replacement than its
    own; -1 where nothing stands for the string. ``strings`` is the pool: all of the corpus."""
    ranks = [-1] * len(strings)
    for kind in sorted({string.entity_type for string in strings}):
        own = [(at, string) for at, string in enumerate(strings) if string.entity_type == kind]
        pool = sorted({string.before for _, string in own})
        afters = sorted({string.after.strip() for _, string in own} - {""})
        if not afters:
            continue
        near = dict(zip(afters, embedder.embed(afters) @ embedder.embed(pool).T, strict=True))
        for at, string in own:
            if after := string.after.strip():
                nearer = near[after] > near[after][pool.index(string.before)]
                ranks[at] = int(np.count_nonzero(nearer))
    return ranks


class ClosedPoolInference(Metric):
    """Share of masked strings (names and codes apart) that are among the five originals of their
    type, of the whole corpus, nearest to what stands for them."""

    name = "inference"
    title = "Guessed in five, closed pool"
    better = "lower"
    source = "inference attack of Pilán et al. 2024, 3.2, with a closed pool of originals"

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """Return the score overall, then by entity type."""
        strings = [string for string in masked_strings(pairs) if string.attackable]
        ranks = closed_pool_ranks(strings, self.context.embedder)
        hits = [float(0 <= rank < GUESSES) for rank in ranks]
        return self.by_type(valued(strings, hits), k=GUESSES, encoder=self.context.embedder.name)


class AttackerInference(Metric):
    """Share of masked entities (names and codes apart) that an attacker guesses from the final
    document within the guesses the settings give it; one score an attacker and entity type. An
    entity whose original still stands counts as guessed, one that is gone does not."""

    name = "attack"
    title = "Guessed by an attacker"
    better = "lower"
    source = "Pilán et al. 2024, 3.2, run on the final document"
    needs = ("`--attackers NAMES`",)

    def scores(self, pairs: Pairs) -> tuple[Score, ...]:
        """Return what any attacker guesses, then each, overall and by type."""
        attackers, judge = self.context.attackers, self.context.judge_guess
        if not attackers or judge is None:
            raise NotMeasuredError("no attacker was given", remedy="Give --attackers knowledge.")
        targets = [targets_of(one) for one in pairs]
        hits: dict[str, list[float]] = {name: [] for name in attackers}
        for name, attacker in attackers.items():
            for done, group in enumerate(targets, start=1):
                asked = [target.challenge for target in group if target.challenge is not None]
                answers = iter(attacker.attack(asked) if asked else ())
                hits[name] += [
                    float(judge(next(answers), one.entity) if one.challenge else one.standing)
                    for one in group
                ]
                self.context.progress(f"attack by {attacker.name}", done, len(targets))
        together = [max(found) for found in zip(*hits.values(), strict=True)]
        units = [(one.document, one.entity.entity_type) for group in targets for one in group]
        scores: list[Score] = []
        for part, found in {"": together, **hits}.items():
            values = [(*unit, hit) for unit, hit in zip(units, found, strict=True)]
            scores += self.by_type(values, part)
        return tuple(scores)


@dataclass(frozen=True, slots=True)
class Target:
    """An entity to be attacked: what is seen of it, and whether it is still ``standing``."""

    document: str
    entity: Entity
    challenge: Challenge | None
    standing: bool


def targets_of(pair: SanitizedDocument) -> list[Target]:
    """Return the entities of a document that an attacker may be asked for, whoever edited it."""
    text = pair.text
    places = [Span(start, max(end, start + 1)) for start, end in new_places(pair.edits)]
    owner: dict[int, int] = {}
    first: dict[str, Span] = {}
    untouched: set[str] = set()
    starts = [edit.span.end for edit in pair.edits]
    for number, entity in enumerate(pair.document.entities):
        for mention in entity.mentions:
            at = bisect_right(starts, mention.span.start)
            if at == len(pair.edits) or not pair.edits[at].span.overlaps(mention.span):
                untouched.add(entity.id)
                continue
            owner.setdefault(at, number)
            if pair.edits[at].text.strip():
                first.setdefault(entity.id, places[at])
    standing = tuple(
        PlacedReplacement(places[at], number)
        for at, number in sorted(owner.items())
        if pair.edits[at].text
    )
    targets = []
    for entity in pair.document.entities:
        challenge, still = None, entity.id in untouched
        if entity.id in first and not still:
            challenge = Challenge(text, first[entity.id], entity.entity_type, standing)
        if entity.entity_type not in LABEL_ONLY:
            targets.append(Target(pair.document.id, entity, challenge, still))
    return targets
