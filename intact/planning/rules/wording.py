"""Word the phrases of a round for each place, for candidates that rules have planned.

A phrase is fitted into its sentence in the light of the others: which State or body is meant, how
dates follow each other, and what a list says only once. Words that a model wrote for a place stay.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import cache, partial
from itertools import groupby, pairwise
from operator import itemgetter

from intact.discourse.ledger import FORMS
from intact.discourse.things import States
from intact.domain import BY_VALUE, LABEL_ONLY, NAME, Candidate, EntityType, Source, Span, Wording
from intact.english.grammar import NounPhrase, indefinite
from intact.english.reading import Place, ReadDocument
from intact.english.scan import parse_temporal
from intact.english.time import Kind
from intact.english.vocabulary import ARTICLES, vocabulary
from intact.english.words import GENITIVE, plain_title
from intact.planning.rules.fitting import LEFT_OUT, OF_COUNTRIES, fit
from intact.planning.rules.phrase_book import PhraseBook
from intact.planning.rules.timeline import Timeline
from intact.rewriting.occurrences import occurrences
from intact.rewriting.rewrite import Rewriter
from intact.rewriting.slots import Slot

_NOTHING_TOLD = (f"a {OF_COUNTRIES}", "of a particular nationality", "of a particular origin")
_BODY = "an organisation"
# Phrases that fill a place of the sentence and say nothing there.
_FILLERS = ("a place", "an address", _BODY, "a certain day")
_STAY = (Source.REVIEWER, Source.GLOSSARY, Source.CONTROL)  # where words are never left out
_LABELS = (Source.LABEL, Source.CONTROL)
_LISTS = vocabulary("grammar")["lists"]
_DASHES = frozenset(_LISTS["dashes"])


def rewriter_of(read: ReadDocument, states: States) -> Rewriter:
    """Make the rewriter that writes a document's text anew, with a slot for each place where one of
    its entities is mentioned.

    Args:
        read: the document with its mentions.
        states: the States that it mentions.
    """
    places = occurrences(read.document)
    return Rewriter(read, places, lambda *about: RuleWords(*about).word, states)


class RuleWords:
    """Words the phrases of one document, any number of times.

    Args:
        read: the document.
        slots: its places.
        states: the States that it mentions.
    """

    def __init__(self, read: ReadDocument, slots: Sequence[Slot], states: States) -> None:
        self._read, self._text, self._slots = read, read.text, slots
        dates = (Timeline(read.text, slots, dated=dated) for dated in (True, False))
        # what tells entities apart, in the order in which it is asked
        self._tellers: list[PhraseBook | Timeline] = [PhraseBook(states, slots), *dates]
        pairs = enumerate(pairwise(slots), start=1)
        ends = (0, *(at for at, two in pairs if not _goes_on(read.text, *two)), len(slots))
        # two slots or more, by their indexes, for each list or range of times
        self._lists = [range(*one) for one in pairwise(ends) if len(range(*one)) > 1]
        self._works = list(_works(read, slots))
        self._fitted = cache(partial(fit, read.text))  # most phrases stay from round to round

    def word(self, phrases: Sequence[Candidate]) -> list[Wording]:
        """Return the wording of each slot, in order: the span that is replaced, and the words that
        then stand there. One slot may speak for the next, whose words are then "": "in 1996 [and
        1996]".

        Args:
            phrases: the candidate that was chosen for each slot.
        """
        pairs = zip(phrases, self._slots, strict=True)
        written = [one.wordings.get(slot.occurrence.mention_id) for one, slot in pairs]
        labels = [phrase.source in _LABELS for phrase in phrases]
        fixed = [label or own is not None for label, own in zip(labels, written, strict=True)]
        said = self._in_context([phrase.text for phrase in phrases], fixed)
        ends, owners = self._merged(said, written)
        self._leave_out(written, said, labels)
        wordings: list[Wording] = []
        leader = done = 0  # the last slot with words of its own, and where they end
        stacked = False
        for at, slot in enumerate(self._as_said(said, owners)):
            if at in ends:
                done, first = ends[at], wordings[leader]
                wordings[leader] = replace(first, span=Span(first.span.start, done))
                wordings.append(Wording(slot.span, ""))
                continue
            one = written[at]
            if one:
                start = max(done, min(one.span.start, slot.span.start))
                one = replace(one, span=Span(start, max(one.span.end, slot.span.end)))
                stacked = one.text.strip() in ("", *ARTICLES)
            else:
                one = self._fit(slot, said[at], phrases[at], done, stacked and slot.after_slot)
                following = next(iter(written[at + 1 : at + 2]), None)
                if following and one.span.end > following.span.start:
                    one = Wording(slot.span, said[at])
                stacked = _is_adjective(slot, labels[at] or one.text)
            if not fixed[at] and not fixed[leader]:
                one = self._seated(one, self._slots[leader], slot, done)
            wordings.append(one)
            leader, done = at, one.span.end
        for at, owner in owners.items():  # the words are those of another place of its list
            wordings[at], wordings[owner] = wordings[owner], wordings[at]
        return wordings

    def _in_context(self, phrases: Sequence[str], fixed: Sequence[bool]) -> list[str]:
        """Return the phrase of each slot, chosen in the light of the others ("a court" becomes "a
        second court", "2004" becomes "later in 2004") and without a genitive ending; phrases that
        are ``fixed`` stay as they are."""
        said = list(phrases)
        for at, phrase in enumerate(phrases):
            if not fixed[at]:  # a slot adds the genitive
                said[at] = GENITIVE.sub("", phrase.strip()) or phrase
        for teller in self._tellers:
            others = teller.reword(["" if fixed[at] else said[at] for at in teller.at])
            for at, other in zip(teller.at, others, strict=True):
                said[at] = other or said[at]
        return said

    def _as_said(self, said: Sequence[str], owners: Mapping[int, int]) -> Iterator[Slot]:
        """Yield each slot in order, changed by what is said at the others: a place that was named
        before counts as new if another place was called by the same phrase last, and a slot that
        speaks for a range has both its ends as its original ("1990 to 1995").

        Args:
            said: the phrase of each slot.
            owners: the slots that speak for a list, as keys.
        """
        last_of: dict[str, str] = {}
        for at, slot in enumerate(self._slots):
            one = slot
            if slot.entity_type == EntityType.LOC:
                if slot.later and last_of.get(said[at]) not in (slot.entity_id, None):
                    one = replace(slot, later=False)  # "the city" would be that other one
                last_of[said[at]] = slot.entity_id
            elif at in owners and _is_ranged(slot):
                one = replace(slot, head=f"{slot.head} to {self._slots[at + 1].head}")
            yield one

    def _merged(
        self, said: list[str], written: Sequence[Wording | None]
    ) -> tuple[dict[int, int], dict[int, int]]:
        """Join places that would say the same twice: "an office (an office)"; and times of a list,
        with what is between them and ends the list: "in 1996 and 1996 respectively".

        A day without a year takes the phrase of the next date in the list that has its year.
        ``said`` is changed.

        Args:
            said: the phrase of each slot.
            written: words of a model for each slot; lists with such words are left alone.

        Returns:
            For each slot that is joined to one before it, the offset where the joined words end;
                and for each slot that speaks for a list, the slot whose phrase it has.
        """
        owners: dict[int, int] = {}
        ends = {
            at: slot.echo
            for at, (one, slot) in enumerate(pairwise(self._slots), start=1)
            if slot.echo
            and (slot.entity_id == one.entity_id or (said[at] == said[at - 1] and not written[at]))
        }
        for run in self._lists:
            if any(written[at] for at in run):
                continue
            dated: dict[int, int] = {}
            for at in reversed(run):
                year = dated.get(at + 1, at)
                dated[at] = year if year != at and self._of_one_year(at, year, said[year]) else at
            for text, group in groupby(((said[dated[at]], at) for at in run), itemgetter(0)):
                first, *rest = (at for _, at in group)
                end = self._list_end(first, rest, text)
                if end:
                    ends |= dict.fromkeys(rest, end)
                    owners[first] = dated[first]
        for first, owner in owners.items():
            said[first] = said[owner]
        return ends, owners

    def _leave_out(
        self,
        written: list[Wording | None],
        said: Sequence[str],
        labels: Sequence[bool],
    ) -> None:
        """Leave out names after a noun that says what they are, "her song [Heat]", and adjectives
        of which nothing is said: "an [Irish] [nurse]".

        Args:
            written: the words for each slot, if there are any; changed where something is left out.
            said: the phrase of each slot.
            labels: whether it is a label.
        """
        for at, gone in self._works:
            written[at] = written[at] or Wording(gone, "")
        for at, (slot, noun) in enumerate(pairwise(self._slots)):
            if not (written[at] or written[at + 1]) and _says_nothing(slot, said[at], labels[at]):
                written[at] = self._before_noun(slot, noun, NounPhrase.of(said[at + 1]))

    def _list_end(self, first: int, rest: Sequence[int], said: str) -> int:
        """Return the offset in the text where a list of times ends that is said as one time, words
        such as "respectively" after it included; 0 if the list cannot be said as one.

        Args:
            first: the index of its first slot.
            rest: the indexes of its other slots; 0 is returned if there are none.
            said: the phrase that they share.
        """
        if not rest:
            return 0
        end = self._slots[rest[-1]].span.end
        if _is_ranged(self._slots[first]):
            return end if len(rest) == 1 and NounPhrase.of(said).time == "in" else 0
        if len(rest) == 1 and _joint(self._text, *self._slots[first : first + 2]) in _DASHES:
            return end  # "11.20-11.55"
        listed = FORMS["list_end"].match(self._text, end)
        return listed.end() if listed else 0

    def _of_one_year(self, at: int, dated: int, told: str) -> bool:
        """Check whether the phrase of a dated slot also contains another slot that is a day without
        a year, taken in the year of the dated one. False if either cannot be read so.

        Args:
            at: the index of the slot that may be a day without a year.
            dated: the index of the slot that has a year.
            told: the phrase of that slot.
        """
        heads = self._slots[at].head, self._slots[dated].head
        day, whole, period = map(parse_temporal, (*heads, told))
        if not day or not whole or not period or day.kind is not Kind.PARTIAL:
            return False
        if {whole.kind, period.kind} != {Kind.INTERVAL} or len(period.spans) > 1:
            return False
        start = date(date.fromordinal(int(whole.first)).year, 1, 1).toordinal()
        low, high = start + day.first - 2, start + day.last - 1  # a leap day more or less
        return period.first <= max(low, start) and high <= whole.last <= period.last

    def _fit(self, slot: Slot, said: str, chosen: Candidate, done: int, stacked: bool) -> Wording:
        """Return the words of one slot and the span that they replace: the phrase fitted into the
        sentence, or "" where the slot may be left out."""
        label, stays = chosen.source in _LABELS, chosen.decided or chosen.source in _STAY
        floor = done if slot.before and slot.before[0].start < done else 0
        place = self._read.place(slot.span)
        if label and plain_title(said) and not plain_title(place.words):
            said = said.partition(" ")[2]  # a title stands where the original has one
        if place.glosses and slot.entity_type == EntityType.DEM:
            return Wording(Span(slot.span.start, slot.span.end + len(": ")), "")
        spare = _says_nothing(slot, said, label) and place.needless and not slot.qualified
        if spare and slot.place.after != " ":
            return self._fitted(slot, LEFT_OUT, start=floor)
        # readers would rather have nothing there than a label or a filler (docs/quality.md)
        gone = None if stays else self._left_out(slot, place, said, label)
        if gone and gone.start >= done:
            return Wording(gone, "")
        return self._fitted(slot, said, label=label, start=floor, stacked=stacked)

    def _left_out(self, slot: Slot, place: Place, said: str, label: bool) -> Span | None:
        """Return the span of the original that is left out instead of words that would say nothing:
        a label such as DETAIL_1 (not of a person or code, and not one in brackets, stars or plain
        words), or a filler such as "a place". An aside goes as a whole, but only with a label, and
        not NAME_1; both go with an adjunct that the sentence does not need. None if the words have
        to stay."""
        start, end = slot.span.start, slot.span.end
        # whoever chose brackets or stars wants every gap marked
        unsaid = label and slot.entity_type not in LABEL_ONLY and said.isidentifier()
        if unsaid and place.aside and not said.startswith(NAME):
            return Span(start - place.aside[0], end + place.aside[1])
        behind = len(slot.place.before.split()) < 2 and said == _BODY  # "[Ann] from [Galfar]"
        spare = (unsaid or said in _FILLERS) and not (behind or place.restricted)
        return Span(start - slot.place.adjunct, end) if spare and slot.place.adjunct else None

    def _before_noun(self, slot: Slot, noun: Slot, said: NounPhrase) -> Wording | None:
        """Return the wording that leaves out an adjective and the blank after it, before a noun
        that is replaced, too: its text is "" or, if an article stood before, the article that the
        noun now needs ("an "). None if the adjective has to stay.

        Args:
            slot: of the adjective.
            noun: the next slot.
            said: the phrase of the noun.
        """
        alone = _joint(self._text, slot, noun) == " " and noun.head[:1].islower()
        if not alone or said.article == "the" or not self._read.place(slot.span).qualifies_only:
            return None
        led = bool(slot.before) and slot.before[-1].text in ("a", "an")
        start = slot.before[-1].start if led else slot.span.start
        # a label needs no article
        article = f"{indefinite(said.rest)} " * (led and said.rest[:1].islower())
        return Wording(Span(start, noun.span.start), article)

    def _seated(self, one: Wording, ahead: Slot, slot: Slot, done: int) -> Wording:
        """Put "in" before a place that follows a body after a comma: "a law firm[, a town]" becomes
        "a law firm in a town"; leave it out if it was named before, or is only said to be in the
        respondent State, as nearly every body is. Return the wording, whose span then holds the
        comma, too; other wordings are returned unchanged.

        Args:
            one: the wording of the place.
            ahead: the slot before.
            slot: that of the place.
            done: the offset where the words of the slot before end.
        """
        start, types = one.span.start, (ahead.entity_type, slot.entity_type)
        apposed = types == (EntityType.ORG, EntityType.LOC) and self._text[done:start] == ", "
        phrase = NounPhrase.of(one.text)
        if not apposed or not phrase.article:
            return one
        if phrase.article == "the" or FORMS["inside"].search(one.text):
            return Wording(Span(start - 2, one.span.end), "")
        said = one.said or Span(0, len(one.text))
        moved = Span(said.start + len(" in "), said.end + len(" in "))
        return Wording(Span(start - 2, one.span.end), f" in {one.text}", said=moved)


def _says_nothing(slot: Slot, said: str, label: bool) -> bool:
    """Tell whether the words at a slot say no more than nothing would: a label of anything but a
    person or a code, or a phrase such as "of a particular origin"."""
    return (label and slot.entity_type not in LABEL_ONLY) or said in _NOTHING_TOLD


def _goes_on(text: str, one: Slot, other: Slot) -> bool:
    """Check whether two neighbouring slots are times of one list or range, by the text between
    them: a comma, "and" ("in [1990] and in [1992]"), a dash, or "to" after "from", "and" after
    "between"."""
    joints = _LISTS["ranges" if _is_ranged(one) else "joints"]
    times = one.entity_type == other.entity_type == EntityType.DATETIME
    return times and _joint(text, one, other) in (*joints, *_DASHES)


def _works(read: ReadDocument, slots: Sequence[Slot]) -> Iterator[tuple[int, Span]]:
    """Yield the index of each slot that is a name after a noun that says what it is ("her song
    [Heat]"), with the span that may be left out: the name, its quotation marks and the blank before
    it."""
    for at, slot in enumerate(slots):
        work = read.place(slot.span).work if slot.entity_type == EntityType.MISC else None
        end = slot.span.end + (work.quotes if work else 0)
        closed = not read.text[slot.span.end : end].strip("\"”’'")  # not in "“[Mon] scooter”"
        if work and work.alone and closed:
            yield at, Span(slot.span.start - work.cut, end)


def _joint(text: str, one: Slot, other: Slot) -> str:
    """Return the text between two neighbouring slots."""
    return text[one.span.end : other.span.start]


def _is_ranged(slot: Slot) -> bool:
    """Tell whether "between" or "from" stands right before a slot, as where it begins a range:
    "between [1990] and [1995]"."""
    return bool(slot.before) and slot.before[-1].low in ("between", "from")


def _is_adjective(slot: Slot, shown: str | bool) -> bool:
    """Tell whether a phrase may stand as an adjective before what another slot names: that of a
    people ("Irish") without "the", or a time or amount after an article.

    Args:
        slot: of the phrase.
        shown: the words that stand there, or True for a label.
    """
    if slot.entity_type == EntityType.DEM:
        return shown is True or NounPhrase.of(str(shown)).article != "the"
    led = slot.before and slot.before[-1].low in ARTICLES  # "a [47-year-old] [driver]"
    return bool(led and slot.entity_type in BY_VALUE)
