"""One document under selection: the texts that its ladders make, and the attacks on them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from intact.config import AttackSettings, Settings
from intact.discourse.ledger import Implies, telling
from intact.domain import (
    Answer,
    Attack,
    Candidate,
    Challenge,
    Clue,
    Decision,
    DroppedPhrase,
    Entity,
    EntityType,
    Ladder,
    Outcome,
    PlacedReplacement,
    Plan,
    SanitizedDocument,
    Source,
    Span,
)
from intact.english.guesses import with_real_guesses
from intact.english.scan import parse_temporal, read_value
from intact.english.time import Kind
from intact.english.words import normalise, says_nothing
from intact.protocols import Attacker, Labeller, Matcher
from intact.rewriting.rewrite import RenderedDocument, Rewriter
from intact.verification import matching

NAME_REINTRODUCED = "reintroduced"  # name of this check in the record, as attacker and as rule

STATE_TOLD = "states"  # name of the rule: all phrases together leave too few States
LEANS = "leans on what is not told"  # the rule: a wording refers to an entity at its label
UNREAD = "unread"  # the rule: no attacker could read the phrase, so it is not safe
LEAST_STATES = 20  # States that all phrases together must leave possible: 20 allows "Europe"
Rungs = Mapping[str, int | None]  # the rung taken by each entity; None is the label

SHOWN = 5  # the most guesses that a finding shows


class SelectionState:
    """One document under selection: its ladders, the texts they make, every attack so far.

    Args:
        ladders: candidates by entity id; entities that are absent get their label.
        matcher: decides if a guess is a mention.
        phrases: what stands at those of the rewriter's places that belong to no entity, by their
            ids.
        implies: looks up what a phrase says of countries, for ``LEAST_STATES``; None leaves that
            out.
    """

    def __init__(
        self,
        rewriter: Rewriter,
        ladders: Mapping[str, Ladder],
        labels: Labeller,
        settings: Settings,
        matcher: Matcher,
        phrases: Mapping[str, Candidate] | None = None,
        implies: Implies | None = None,
    ) -> None:
        """Take in the entities of the rewriter's document, with their ladders and labels; nothing
        is attacked or settled yet."""
        self.entities: dict[str, Entity] = {}
        self.ladders: dict[str, Ladder] = {}
        self.attacks: dict[str, list[Attack]] = defaultdict(list)
        self.controls: dict[str, list[Attack]] = defaultdict(list)
        self.settled: set[str] = set()  # entities at the rung that revealed least, which they keep
        self._controls: dict[str, dict[str, Answer]] = {}
        self._dropped: dict[str, tuple[DroppedPhrase, ...]] = {}
        self._clues: tuple[Clue, ...] = ()
        self._settings, self._matcher = settings, matcher
        self._phrases = phrases or {}
        self._labeller = labels
        self._take_in(rewriter, ladders)
        self._implies, self._hidden = implies, frozenset(rewriter.states.countries.values())

    def _take_in(self, rewriter: Rewriter, ladders: Mapping[str, Ladder]) -> dict[str, int | None]:
        """Take over the document of a rewriter, and add the entities that are new in it, each with
        its ladder; where only a label may stand and no person decided on a rung, the ladder is left
        empty. Return the first rung of each new entity by its id: 0, or None, the label, where the
        ladder is empty."""
        self.document, self._rewriter = rewriter.document, rewriter
        self.labels = self._labeller(self.document.entities)
        known = self.entities
        self.entities = {entity.id: entity for entity in self.document.entities}
        for key in (new := [key for key in self.entities if key not in known]):
            ladder = ladders.get(key, ())
            decided = self.entities[key].generalisable or _decided(ladder) is not None
            self.ladders[key] = ladder if decided else ()
        self._order = {key: number for number, key in enumerate(self.ladders)}
        return {key: 0 if self.ladders[key] else None for key in new}

    def start(self) -> dict[str, int | None]:
        """Return the rung that selection begins with, by entity id: an index into its ladder, or
        None, the label, for an entity without candidates. Where a person decided on a rung, that is
        it; a ladder that begins with a phrase of the glossary or a model begins at 0; any other
        where the settings say, at most at its last rung. For a time, that is the first rung whose
        rank is the one set or higher, or the nearest below it that cannot be any time.

        Source: Pilán et al. 2024, section 3.3, begins at the most specific candidate; where the
        settings begin is our own.
        """
        rungs: dict[str, int | None] = {}
        for key, entity in self.entities.items():
            ladder = self.ladders[key]
            rungs[key] = _decided(ladder)
            if rungs[key] is not None or not ladder:
                continue
            wanted = self._settings.selection.start_rank_for(entity.entity_type)
            if ladder[0].source in (Source.GLOSSARY, Source.MODEL):
                wanted = 0
            elif entity.entity_type == EntityType.DATETIME:  # what a check dropped counts as one
                wanted = next((at for at, rung in enumerate(ladder) if rung.rank >= wanted), wanted)
                wanted = min(wanted, len(ladder) - 1)
                while wanted and (ladder[wanted].subsumes or "").startswith("any"):
                    wanted -= 1  # a short ladder begins where it says something
            rungs[key] = min(wanted, len(ladder) - 1)
        return rungs

    def above(self, entity_id: str, rung: int | None) -> int | None:
        """Return the next vaguer rung (index into the ladder); None, the label, after the last one.

        Args:
            entity_id: of the ladder.
            rung: the one to leave; None, the label, stays None.
        """
        return rung + 1 if rung is not None and rung < len(self.ladders[entity_id]) - 1 else None

    def standing(self, rungs: Rungs) -> dict[str, Candidate]:
        """Return the candidate that stands for each entity, by id; entities at their label are
        absent."""
        return {key: self.ladders[key][rung] for key, rung in rungs.items() if rung is not None}

    def guessed_at_label(self, rungs: Rungs) -> set[str]:
        """Return the ids of the entities whose latest attack by some attacker, on the candidate
        that now stands, has the outcome CONTEXT: guessed where they stand, and at the label as
        well."""
        return {
            key
            for key, one in self.standing(rungs).items()
            if Outcome.CONTEXT
            in {a.attacker: a.outcome for a in self.attacks[key] if a.candidate == one}.values()
        }

    def extend(self, more: Plan, rungs: Rungs) -> dict[str, int | None]:
        """Put an editor's new candidates directly above the rung that each entity has, or above the
        last one that was attacked; for an entity at its label, above its last rung. Those that
        stand below already are left out. The plan's clues and dropped phrases are recorded, too.

        Args:
            more: an editor's plan. Its ladders for entities that had no candidate, or on which a
                person decided, are ignored. If it has a document, entities that are new there are
                added.
            rungs: those taken now.

        Returns:
            By entity id, the first new rung of each entity that got one; for new entities 0, or
            None, the label, for one without candidates.
        """
        self._clues += more.clues
        for key, phrases in more.dropped.items():
            self._dropped[key] = (*self._dropped.get(key, ()), *phrases)
        changed: dict[str, int | None] = {}
        if more.document is not None:
            changed |= self._take_in(self._rewriter.of(more.document), more.ladders)
        for key, new in more.ladders.items():
            rung, ladder = rungs.get(key), self.ladders.get(key, ())
            if key in changed or not ladder or self._is_decided(key, rung):
                continue
            seen = [ladder.index(attack.candidate) for attack in self.attacks[key]]
            new_rung = len(ladder) if rung is None else max(rung, *seen, 0) + 1
            tried = {_words_of(one) for one in ladder[:new_rung]}
            fresh = [one for one in new if _words_of(one) not in tried]
            if fresh:
                again = {_words_of(one) for one in fresh}
                left = (one for one in ladder[new_rung:] if _words_of(one) not in again)
                above = enumerate((*fresh, *left), ladder[new_rung - 1].rank + 1)
                ranked = (replace(one, rank=rank) for rank, one in above)
                self.ladders[key] = (*ladder[:new_rung], *ranked)
                changed[key] = new_rung
        return changed

    def settle(self, entity_id: str) -> int | None:
        """Choose where an entity stands that cannot climb further: if the label was guessed as
        well, on the rung that reveals least.

        An attacker who guesses a rung must have guessed the label, too; if not, the rung gives
        something away. A rung reveals less if its probability is lower; if equal, if its right
        guess comes later; if equal, if it is vaguer. The entity is recorded as settled there. If
        nothing at all was guessed at the label, the last rung is taken if it says no more than the
        label ("a place") and was not attacked. Unmarked words settle on the vaguest of their
        phrases that no rule forbids, which says less than the words themselves.

        Args:
            entity_id: of an entity that was attacked on its rungs.

        Returns:
            The rung, an index into the ladder; None, the label, if there is no such rung.
        """
        entity, ladder = self.entities[entity_id], self.ladders[entity_id]
        if self.is_unmarked(entity_id):
            by_rule = {NAME_REINTRODUCED, STATE_TOLD, LEANS}
            ruled = {a.candidate for a in self.attacks[entity_id] if a.attacker in by_rule}
            self.settled.add(entity_id)
            return max((at for at, one in enumerate(ladder) if one not in ruled), default=None)
        knows = {a.attacker for a in self.controls[entity_id] if a.outcome is Outcome.GUESSED}
        told: dict[int, tuple[float, int, int]] = {}
        barred: set[int] = set()
        for attack in self.attacks[entity_id] if knows else ():
            rung = ladder.index(attack.candidate)
            unread = attack.outcome is Outcome.UNPARSED
            if unread or (attack.outcome not in matching.STANDING and attack.attacker not in knows):
                barred.add(rung)
            elif attack.outcome is not Outcome.SAFE:
                rank = matching.rank_of_match(attack.guesses, entity, self._matcher)
                told[rung] = max(told.get(rung, (0.0, -SHOWN, -rung)), (attack.risk, -rank, -rung))
        least = min(told.keys() - barred, key=told.__getitem__, default=None)
        if least is None:
            least = self._untried_label(entity_id)
        if least is not None:
            self.settled.add(entity_id)
        return least

    def _untried_label(self, entity_id: str) -> int | None:
        """Return the last rung if it says no more than the label ("a certain time"), was not
        attacked itself, and nothing was guessed when the label was attacked; else None. The attacks
        on the label are then recorded as attacks on this rung."""
        ladder, controls = self.ladders[entity_id], self.controls[entity_id]
        last = len(ladder) - 1
        if (
            not ladder
            or not controls
            or not self.is_label(entity_id, last)
            or any(attack.candidate == ladder[last] for attack in self.attacks[entity_id])
            or any(control.outcome is not Outcome.SAFE for control in controls)
        ):
            return None
        self.attacks[entity_id] += (replace(one, candidate=ladder[last]) for one in controls)
        return last

    def is_unmarked(self, entity_id: str) -> bool:
        """Check whether an entity consists of words that a planner found outside the mentions and
        has phrases for; False if it has no ladder."""
        ladder = self.ladders[entity_id]
        clues = all(mention.clue for mention in self.entities[entity_id].mentions)
        return bool(ladder) and clues and ladder[-1].source is Source.MODEL

    def record_context(
        self, entity_id: str, rung: int | None, settled: int | None, last: Attacker
    ) -> bool:
        """Set the outcome of an entity's last attack to CONTEXT (the context gives it away) if it
        settles on the rung at which all attackers have just attacked it. Return whether that was
        done.

        Args:
            entity_id: of the entity.
            rung: the one attacked.
            settled: the one on which it stands from now on; None for the label.
            last: the attacker that is asked last.
        """
        attacks = self.attacks[entity_id]
        told = settled is not None and settled == rung and attacks[-1].attacker == last.name
        if told:
            attacks[-1] = replace(attacks[-1], outcome=Outcome.CONTEXT)
        return told

    def raised_to_agree(self, rungs: Rungs) -> dict[str, int | None]:
        """Return a copy of rungs, raised until the phrases can stand together.

        They can if, taken together, they leave ``LEAST_STATES`` countries to choose from for each
        hidden State, and no wording leans on (refers to) an entity that stands at its label. Each
        rung that is left is recorded as guessed, by rule; one that a person decided is recorded,
        but stays."""
        raised = dict(rungs)
        held: set[str] = set()
        while True:
            standing = {key: one for key, one in self.standing(raised).items() if key not in held}
            failing = {
                key: LEANS
                for key, one in standing.items()
                for wording in one.wordings.values()
                if any(raised.get(other) is None for other in wording.leans_on)
            }
            if not failing and self._implies is not None:
                texts = {key: one.texts for key, one in standing.items()}
                told = telling(texts, self._implies, LEAST_STATES, self._hidden)
                failing = dict.fromkeys(told, STATE_TOLD)
            if not failing:
                return raised
            for key, rule in failing.items():
                self.record_by_rule(key, raised[key] or 0, rule)
                if self._is_decided(key, raised[key]):
                    held.add(key)
                else:
                    raised[key] = self.above(key, raised[key])

    def _is_decided(self, entity_id: str, rung: int | None) -> bool:
        """Check whether a person decided on a rung; False for the label."""
        return rung is not None and self.ladders[entity_id][rung].decided

    def render(self, rungs: Rungs, label: Source = Source.LABEL) -> RenderedDocument:
        """Return the document with the phrases under ``rungs`` put in: its edits, replacements and
        new text.

        Args:
            rungs: those taken; None is the label.
            label: the origin of what stands at its label; CONTROL: no label is left out.
        """
        said = {
            key: Candidate(self.labels[key], 0, label) if rung is None else self.ladders[key][rung]
            for key, rung in rungs.items()
        }
        return self._rewriter.render({**said, **self._phrases})

    def _placed(self, rendered: RenderedDocument) -> tuple[PlacedReplacement, ...]:
        """List every place of a sanitised text where an entity stands, ascending, with the
        entity's number in the order of first mentions from 0, and whether only its label could
        stand there."""
        placed: list[PlacedReplacement] = []
        for key in filter(self.entities.__contains__, rendered.targets):
            own = self._order[key], not self.ladders[key]
            placed += (PlacedReplacement(span, *own) for span in rendered.targets[key])
        return tuple(sorted(placed, key=lambda place: place.span))

    def attack(
        self,
        rendered: RenderedDocument,
        rungs: Rungs,
        due: Iterable[str],
        attackers: Sequence[Attacker],
        last: bool = True,
    ) -> set[str]:
        """Attack entities, record every attack, and return the ids of those that have to go up to a
        vaguer rung: those that an attacker guessed, or about which its answer could not be read,
        unless a person decided on them.

        An entity is attacked at the first place of each of its wordings ("another country", then
        "the other country"); the worst answer counts and is recorded. An attacker is not asked
        about entities that an earlier one has guessed. If an attacker guesses an entity no worse at
        its label, the context gives it away and not the rung. A model's phrase that no attacker can
        read has to go up, too. An entity that stands nowhere (nested in another's span) cannot be
        attacked.

        Args:
            rendered: the text that is attacked, made of ``rungs``.
            rungs: those taken.
            due: ids of the entities to attack; those at their label are skipped.
            attackers: asked one after the other.
            last: whether no other attacker will be asked, so that what none has read is not safe.
        """
        asked = [key for key in due if key in rendered.targets and rungs[key] is not None]
        left = asked = sorted(asked, key=self._order.__getitem__)
        for attacker in attackers:
            answers = self._asked(attacker, rendered, left)
            verdicts = self._verdicts(attacker, rungs, answers)
            for key, (answer, verdict) in verdicts.items():
                self._record(key, rungs[key] or 0, attacker.name, answer, verdict)
            fell = {
                key for key, each in verdicts.items() if each[1].outcome not in matching.STANDING
            }
            left = [key for key in left if key not in fell]
        unread = [key for key in left if last and self._is_unread(key, rungs[key] or 0)]
        for key in unread:
            self.record_by_rule(key, rungs[key] or 0, UNREAD, Outcome.UNPARSED)
        fallen = {*asked}.difference(left).union(unread)
        return {key for key in fallen if not self._is_decided(key, rungs[key])}

    def _verdicts(
        self, attacker: Attacker, rungs: Rungs, answers: Mapping[str, Sequence[Answer]]
    ) -> dict[str, tuple[Answer, matching.Verdict]]:
        """Return, by entity id, the attacker's answer that gives the entity away most, and the
        verdict on it. Entities whose phrase the attacker could not read are absent; for those that
        it guessed, its answer at their label is judged, too."""
        read = [key for key in answers if self._is_read(key, rungs[key], answers[key])]
        verdicts = {key: self._judged(key, answers[key]) for key in read}
        found = [key for key in read if verdicts[key][1].outcome is Outcome.GUESSED]
        told = {key: verdicts[key][0] for key in found}
        for key, control in self._at_labels(attacker, rungs, told).items():
            verdicts[key] = self._judged(key, answers[key], control)
        return verdicts

    def _is_unread(self, key: str, rung: int) -> bool:
        """Check whether no attack on a rung is recorded, as no attacker could read its phrase; one
        by the rule "unread" does not count."""
        one = self.ladders[key][rung]
        return all(a.candidate != one or a.attacker == UNREAD for a in self.attacks[key])

    def _is_read(self, key: str, rung: int | None, answers: Sequence[Answer]) -> bool:
        """Check whether an attacker could read any wording of the phrase that stands for an entity.
        Phrases that neither a model nor a reviewer wrote always count as read."""
        written = self.ladders[key][rung or 0].source in (Source.MODEL, Source.REVIEWER)
        return not written or any(answer.read for answer in answers)

    def is_label(self, key: str, rung: int | None) -> bool:
        """Check whether a rung says in prose no more than the label says, as "a certain time" and
        "a place" do.

        Args:
            key: the entity's id.
            rung: of its ladder; None counts as 0.
        """
        text = self.ladders[key][rung or 0].text
        is_time = self.entities[key].entity_type == EntityType.DATETIME
        time = parse_temporal(text) if is_time else None
        return says_nothing(text) or (time is not None and time.kind is Kind.ANY)

    def is_counted(self, key: str, rung: int | None) -> bool:
        """Check whether a rung is a range of times or amounts, not written by a model, whose values
        an attacker counts and does not guess.

        Args:
            key: the entity's id.
            rung: of its ladder; False for None, the label.
        """
        if rung is None or self.ladders[key][rung].source is Source.MODEL:
            return False
        return read_value(self.ladders[key][rung].text, self.entities[key].entity_type) is not None

    def _asked(
        self, attacker: Attacker, rendered: RenderedDocument, due: Sequence[str]
    ) -> dict[str, list[Answer]]:
        """Ask an attacker about entities. Return, by entity id, one answer for each different
        wording of it in the text, or a single one if the attacker reads all wordings. Guesses that
        name nothing, or copy the text, are left out of the answers. An answer that is missing, or
        that loses all its guesses, counts as not parsed."""
        text, placed = rendered.text, self._placed(rendered)
        owners: list[str] = []
        challenges: list[Challenge] = []
        for key in due:
            wordings: dict[str, Span] = {}
            for span in rendered.targets[key]:
                wordings.setdefault(normalise(span.of(text)), span)
            targets = list(wordings.values())
            for target in targets[:1] if attacker.reads_wordings else targets:
                owners.append(key)
                challenges.append(Challenge(text, target, self.entities[key].entity_type, placed))
        answers = list(attacker.attack(challenges)) if challenges else []
        answers += [Answer((), parsed=False)] * (len(challenges) - len(answers))
        found: dict[str, list[Answer]] = {key: [] for key in due}
        for key, answer in zip(owners, with_real_guesses(answers, challenges), strict=True):
            found[key].append(answer)
        return found

    def _judged(
        self, key: str, answers: Sequence[Answer], control: Answer | None = None
    ) -> tuple[Answer, matching.Verdict]:
        """Return the answer that gives an entity away most, with the verdict on it.

        If ``control``, the answer at the label, gives away as much of the entity, or, once
        selection has settled, any of it, the outcome is CONTEXT in place of GUESSED."""
        compared = self._compared(key)

        def told_by_context(answer: Answer) -> bool:
            """Tell whether an answer that guesses the entity counts as given away by the context
            and not by its phrase."""
            settled = key in self.settled
            if control is None or (settled and self.is_unmarked(key)):
                return settled and self.is_unmarked(key)
            at_label = settled and matching.is_guessed(control, *compared)
            return at_label or matching.adds_nothing(answer, control, *compared)

        judged = []
        for answer in answers:
            verdict = matching.judge(answer, *compared)
            if verdict.outcome is Outcome.GUESSED and told_by_context(answer):
                verdict = verdict._replace(outcome=Outcome.CONTEXT)
            judged.append((answer, verdict))
        return max(judged, key=lambda one: ([*Outcome].index(one[1].outcome), one[1].risk))

    def _compared(self, key: str) -> tuple[Entity, Matcher, AttackSettings]:
        """Return the entity with which guesses at a key are compared, the matcher and the attack
        settings, as ``matching.judge`` takes them."""
        return self.entities[key], self._matcher, self._settings.attack

    def _at_labels(
        self, attacker: Attacker, rungs: Rungs, found: Mapping[str, Answer]
    ) -> dict[str, Answer]:
        """Return an attacker's answers at the labels (the control), by entity id, for those of the
        entities that it guessed; each new answer is judged and recorded in ``controls``.

        An attacker that reads the whole text is asked only once, in a document where every entity
        stands at its label, about everything that may later be guessed. If a rung says what the
        label says ("a place"), the answer to it is taken for the answer to the label. {} for an
        attacker that does not read the whole text."""
        if not attacker.reads_wordings:
            return {}
        controls = self._controls.setdefault(attacker.name, {})
        same = [key for key in found if self.is_label(key, rungs[key])]
        due: list[str] = []
        if found and not controls:
            rendered = self.render(dict.fromkeys(rungs), Source.CONTROL)
            open_ = rendered.targets.keys() - same
            due = [key for key, rung in rungs.items() if rung is not None and key in open_]
            answers = self._asked(attacker, rendered, due)
            controls |= {key: each[0] for key, each in answers.items()}
        controls |= {key: found[key] for key in same}
        for key in due + same:
            label = Candidate(self.labels[key], len(self.ladders[key]), "label")
            answer = controls[key]
            verdict = matching.judge(answer, *self._compared(key))
            attack = Attack(label, attacker.name, answer.guesses, *verdict, note=answer.note)
            others = [one for one in self.controls[key] if one.attacker != attacker.name]
            self.controls[key] = [*others, attack]
        return {key: controls[key] for key in found if key in controls}

    def record_by_rule(
        self, entity_id: str, rung: int, rule: str, outcome: Outcome = Outcome.GUESSED
    ) -> None:
        """Add to an entity's attacks that a rung reveals what is masked, or is not safe, by a rule
        in place of an attacker: without guesses, with the risk 1.

        Args:
            entity_id: of the entity.
            rung: of its ladder.
            rule: recorded as attacker and as rule (``NAME_REINTRODUCED``).
            outcome: GUESSED, or UNPARSED.
        """
        self._record(entity_id, rung, rule, Answer(()), matching.Verdict(outcome, rule, 1.0))

    def _record(
        self, entity_id: str, rung: int, attacker: str, answer: Answer, verdict: matching.Verdict
    ) -> None:
        """Add an attack, as made by an attacker on a rung with this answer and verdict, to the
        attacks of an entity."""
        candidate = self.ladders[entity_id][rung]
        attack = Attack(candidate, attacker, answer.guesses, *verdict, note=answer.note)
        self.attacks[entity_id].append(attack)

    def result(self, rungs: Rungs, rendered: RenderedDocument) -> SanitizedDocument:
        """Return the sanitised document with a decision for each entity: its ladder, the rung
        taken, every attack, and the phrases dropped. A note counts the replaced places that nobody
        had marked.

        Args:
            rungs: the final ones; None is the label.
            rendered: the text that they make.
        """
        decisions = tuple(
            Decision(
                entity=entity,
                ladder=self.ladders[key],
                chosen=rungs[key],
                label=self.labels[key],
                attacks=tuple(self.attacks[key]),
                controls=tuple(self.controls[key]),
                dropped=self._dropped.get(key, ()),
            )
            for key, entity in self.entities.items()
        )
        replacements = rendered.replacements
        swept = sum(not r.mention_id and r.entity_id in self.entities for r in replacements)
        return SanitizedDocument(
            document=self.document,
            edits=rendered.edits,
            replacements=replacements,
            decisions=decisions,
            notes=(f"unannotated occurrences replaced: {swept}",) if swept else (),
            clues=self._clues,
        )


def _words_of(candidate: Candidate) -> tuple[object, ...]:
    """Return a key that is equal for candidates with the same words at every place."""
    return (candidate.text, *candidate.wordings.values())


def _decided(ladder: Ladder) -> int | None:
    """Return the first rung that a person decided on; None if there is none."""
    return next((at for at, one in enumerate(ladder) if one.decided), None)
