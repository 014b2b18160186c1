"""Risk: how often a masked string is guessed, and a document linked to its individual.

The closed pool ranks all masked strings of the corpus by their likeness to the replacement: the
hardest test for a replacement alone. An attacker (knowledge base, language model) reads the final
document and makes ranked guesses of its own.

Text Re-Identification Risk (Pilán et al. 2024, 4.2; Manzanares-Salor et al. 2024): attackers learn
from public texts of a population and rank its individuals for each document. The ensemble counts a
document as re-identified if any attacker puts its individual first (Morris et al. 2022, 5).
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import repeat

import numpy as np

from intact import domain
from intact.english.numbers import counted
from intact.errors import NotMeasuredError
from intact.evaluation.corpus import masked_strings, new_places
from intact.evaluation.metric import ALIKE, Metric, Pairs, sign, valued, wilson
from intact.reidentification.attackers import Reidentifier, others_ahead, reidentifiers
from intact.reidentification.population import Population

GUESSES = 5


class ClosedPoolInference(Metric):
    """Share of masked strings, except names and codes, that are among the five originals nearest to
    their replacements, of all originals of their type in the whole corpus. The more originals the
    corpus has (`pool` in the signature), the fewer are guessed with the very same edits: only
    figures for the same corpus can be compared, and this is not the probability that a reader
    guesses."""

    name = "inference"

    def scores(self, pairs: Pairs) -> tuple[domain.Score, ...]:
        """Score the share of masked strings that are among the five originals of their type in the
        corpus nearest to their replacements: overall, then by entity type. A string that was
        deleted counts as not guessed; names and codes are left out."""
        strings = [string for string in masked_strings(pairs) if string.attackable]
        embedder = self.context.embedder
        hits = [0.0] * len(strings)
        for kind in sorted({string.entity_type for string in strings if string.after.strip()}):
            own = [(at, string) for at, string in enumerate(strings) if string.entity_type == kind]
            pool = sorted({string.before for _, string in own})
            if len(pool) <= GUESSES:
                few = f"with {counted(len(pool), 'original')} in all, any phrase counts as guessed"
                self.context.warn(f"{self.name}: {kind}: {few}")
            afters = sorted({string.after.strip() for _, string in own} - {""})
            near = dict(zip(afters, embedder.embed(afters) @ embedder.embed(pool).T, strict=True))
            for at, string in own:
                if after := string.after.strip():
                    nearer = near[after] > near[after][pool.index(string.before)]
                    hits[at] = float(np.count_nonzero(nearer) < GUESSES)
        size = len({(string.entity_type, string.before) for string in strings})
        return self.by_type(valued(strings, hits), k=GUESSES, pool=size, encoder=embedder.name)


class AttackerInference(Metric):
    """Share of masked entities, except names and codes, that an attacker guesses from the final
    document within the number of guesses that the settings allow; one score for each attacker and
    entity type. An entity whose original is still in the text counts as guessed, one that was
    deleted does not."""

    name = "attack"

    def scores(self, pairs: Pairs) -> tuple[domain.Score, ...]:
        """Attack every entity in the final documents. Score the share of entities that any attacker
        guesses, overall and by type, then each attacker's in the same way. An entity still in the
        text counts as guessed, one that was deleted as not guessed. Raise a ``NotMeasuredError``
        without attackers."""
        attackers, judge = self.context.attackers, self.context.judge_guess
        if not attackers or judge is None:
            raise NotMeasuredError("no attacker was given")
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
        scores: list[domain.Score] = []
        for part, found in {"": together, **hits}.items():
            values = [(*unit, hit) for unit, hit in zip(units, found, strict=True)]
            scores += self.by_type(values, part, attackers="+".join(attackers))
        return tuple(scores)


@dataclass(frozen=True, slots=True)
class Target:
    """An entity to be attacked: the challenge for it, None if it cannot be asked for, and whether a
    mention of it is ``standing``: untouched by every edit."""

    document: str
    entity: domain.Entity
    challenge: domain.Challenge | None
    standing: bool


def targets_of(pair: domain.SanitizedDocument) -> list[Target]:
    """List the entities of a document that an attacker could be asked for, in the order of first
    mention, whichever system edited it: those of a type that a generalisation may replace. The
    challenge is at the first edit with words that overlaps a mention; it is None where a mention is
    untouched (the entity is then ``standing``), or all are deleted."""
    text, edits, entities = pair.text, pair.edits, pair.document.entities
    places = [domain.Span(*place) for place in new_places(edits)]
    owner: dict[int, int] = {}  # of an edit with words, by number: the first entity that it covers
    first: dict[str, domain.Span] = {}
    untouched: set[str] = set()
    for number, entity in enumerate(entities):
        for mention in entity.mentions:
            at = bisect_right(edits, mention.span.start, key=lambda edit: edit.span.end)
            if at == len(edits) or not edits[at].span.overlaps(mention.span):
                untouched.add(entity.id)
            elif edits[at].text:
                owner.setdefault(at, number)
                if edits[at].text.strip():
                    first.setdefault(entity.id, places[at])
    placed = tuple(domain.PlacedReplacement(places[at], own) for at, own in sorted(owner.items()))
    targets = []
    for entity in entities:
        kind, still = entity.entity_type, entity.id in untouched
        asked = entity.id in first and not still
        challenge = domain.Challenge(text, first[entity.id], kind, placed) if asked else None
        if kind not in domain.LABEL_ONLY:
            targets.append(Target(pair.document.id, entity, challenge, still))
    return targets


class ReidentificationRisk(Metric):
    """Share of documents whose individual is put first, among those of the background, by any of
    the attackers: at least as high as the share of the best of them. Parts: each attacker, the
    chance level, and the mean reciprocal rank of the true individual over the attackers (the
    per-document risk). `intact reid attack` also asks naive Bayes and an ensemble, so its `any` may
    be higher; with `--attackers tfidf,bm25,ridge,ridge_grams` it has the same attackers as this
    metric. These are TF-IDF, BM25, and ridge regressions on words and on character n-grams, trained
    on windows of 100 words (25 shared) of the public texts, plain and with names masked. Documents
    whose individual is not in the background are left out and counted in a warning."""

    name = "trir"
    attackers: tuple[str, ...] = ("tfidf", "bm25", "ridge", "ridge_grams")
    _ready: Sequence[Reidentifier] = ()  # made once, the same for every system

    def scores(self, pairs: Pairs) -> tuple[domain.Score, ...]:
        """Score the share of documents whose individual an attacker puts first among all of the
        background: by any attacker, by each, and by chance ("chance"); then the mean reciprocal
        rank of the true individual over attackers and documents ("mrr"). Documents whose individual
        is not in the background are left out, with a warning; a ``NotMeasuredError`` is raised if
        that leaves none, or there is no background."""
        known = self._known(pairs)
        texts, numbers = zip(*known.values(), strict=True)
        self._ready = self._ready or reidentifiers(self._population, self.attackers)
        ahead = {one.name: map(others_ahead, one.scores(texts), numbers) for one in self._ready}
        ranks = {name: dict(zip(known, own, strict=True)) for name, own in ahead.items()}
        best = {key: min(own[key] for own in ranks.values()) for key in known}
        individuals, n, each = self._population.size, len(known), repeat(1 / len(ranks))
        chance = 1 / individuals
        signature = sign(f"{self.name}/chance", individuals=individuals, n=n)
        reciprocal = [(key, 1 / (own[key] + 1)) for own in ranks.values() for key in known]
        return (
            self._share("", best, chance),
            *(self._share(name, own, chance) for name, own in ranks.items()),
            domain.Score(f"{self.name}/chance", chance, n, signature),
            self.mean(reciprocal, "mrr", each, individuals=individuals),
        )

    def _known(self, pairs: Pairs) -> dict[str, tuple[str, int]]:
        """Return (text, number of its individual) by document id, for documents whose individual is
        in the background; warn of the others. Raise a ``NotMeasuredError`` if there are none, or
        there is no background."""
        if not self.context.background:
            raise NotMeasuredError("there is no background to attack with")
        number, owner = self._population.number, self.context.owner
        known: dict[str, tuple[str, int]] = {}
        for one in pairs:
            own = number(owner(one.document.id))
            if own is not None:
                known[one.document.id] = one.text, own
        if not known:
            raise NotMeasuredError("the background has none of the corpus's individuals")
        if missing := len(pairs) - len(known):
            told = f"{missing} documents left out: the background lacks their individual"
            self.context.warn(told)
        return known

    @cached_property
    def _population(self) -> Population:
        return Population.of(self.context.background.items())

    def _share(self, part: str, ranks: Mapping[str, int], chance: float) -> domain.Score:
        """Score the share of documents whose individual comes first, with Wilson's 95 % interval.

        Args:
            part: the name of the score's part, "" for the main score.
            ranks: by document id, how many others come before the individual.
            chance: the share by chance, for the signature.
        """
        hits = {key: float(rank == 0) for key, rank in ranks.items()}
        made = {"attackers": "+".join(self.attackers), "background": self._population.digest[:8]}
        made |= {"chance": f"{chance:.4f}", "interval": "wilson"}
        share = self.mean(hits.items(), part, ALIKE, **made)
        return replace(share, interval=wilson(int(sum(hits.values())), len(hits)))


class ReidentificationRiskByEncoder(ReidentificationRisk):
    """TRIR with a sentence encoder (MiniLM) among the attackers. It reads all texts, which takes
    minutes on a CPU. `intact reid attack --attackers encoder:MODEL` asks another encoder."""

    name = "trir_encoder"
    attackers = (*ReidentificationRisk.attackers, "encoder:minilm")
