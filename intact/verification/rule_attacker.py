"""The rule-based attacker: ranks what a phrase can mean by prior and context.

It reads nothing but the sanitised text. Names are ranked by their prior (population, frequency), by
the countries that the text still names, and by whether they stand in the text unmasked. For times
and numbers it gives the share of the equally likely values that its guesses cover.
"""

import math
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import cached_property, lru_cache
from itertools import accumulate

from intact.config import AttackSettings
from intact.discourse.ledger import FORMS, follows, plainly
from intact.domain import BY_VALUE, PROPER, Answer, Challenge, EntityType, Guess, Span, gaps_between
from intact.english import words
from intact.english.grammar import indefinite
from intact.english.quantities import Quantity, QuantityKind
from intact.english.scan import Value, find_dates, parse_temporal, read_value
from intact.english.time import DAYS, UNITS, Granularity, Kind, Temporal
from intact.english.vocabulary import SAYS_NOTHING, vocabulary
from intact.english.words import fold
from intact.knowledge import Members, Votes
from intact.knowledge.base import KnowledgeBase
from intact.protocols import Attacker

_WORD = re.compile(r"[^\W_]+|\|")
_COMMON = re.compile(r"\b(?:(?!(?:of|the|and|for|in|on)\b)[a-zß-öø-ÿ]\w*\b *)+")
_NAME = re.compile(r"\b[^\W\d_a-z][^\W\d_]+(?:[ -][^\W\d_a-z][^\W\d_]+)*")


class Clues:
    """The names and dates in a sanitised text, those in the spans ``replaced`` included; and which
    given names stand outside these spans."""

    def __init__(self, text: str, replaced: Sequence[Span] = ()) -> None:
        """Find the dates of all the text that have a year, with the spans of each, and its
        capitalised names, each once."""
        self._text = text
        self._replaced = replaced
        self.dates: Mapping[Temporal, list[Span]] = defaultdict(list)  # one, in whatever forms
        for span, time in find_dates(text):
            self.dates[time].append(span)
        self.names = tuple(dict.fromkeys(_NAME.findall(text)))  # each once

    def standing(self, names: Iterable[str]) -> list[str]:
        """Return those of the names, in their order, that stand in the text outside its
        replacements, capitalised there and as whole words, and that hold more than common words.
        How the given names are capitalised, and diacritics, do not count."""
        folded, known = self._left
        return [one for one in names if (said := _spoken(one))[0] in known and said[1] in folded]

    @cached_property
    def _left(self) -> tuple[str, frozenset[str]]:
        """Return the text outside replacements, folded, its words parted by single spaces, with "|"
        for lower-case words and gaps; and the set of its words."""
        gaps = gaps_between(self._replaced, len(self._text))
        folded = _spaced(_COMMON.sub("|", " | ".join(self._text[a:b] for a, b in gaps)))
        return folded, frozenset(folded.split())

    def date_before(self, target: Span) -> Temporal | None:
        """Return the last date with a year ("May 1996", "1996") that ends before ``target``, or
        where it begins, whether it was left in the text or is a replacement; None if there is
        none."""
        left = [(span, time) for time, spans in self.dates.items() for span in spans]
        said = ((span, parse_temporal(span.of(self._text))) for span in self._replaced)
        dates = left + [(span, time) for span, time in said if time and time.kind is Kind.INTERVAL]
        before = [(span.end, time) for span, time in dates if span.end <= target.start]
        return max(before, key=lambda each: each[0])[1] if before else None

    def dates_within(self, phrase: Temporal, target: Span) -> list[str]:
        """List finer dates that lie inside a vague one and stand elsewhere in the text.

        Args:
            phrase: the time that replaces a hidden date.
            target: its place; dates that stand only there are left out.

        Returns:
            Each date once, as it is first written, the nearest to the place first.
        """
        inside = [
            spans
            for time, spans in self.dates.items()
            if time.granularity < phrase.granularity
            and phrase.contains(time)
            and any(not span.overlaps(target) for span in spans)
        ]
        inside.sort(key=lambda spans: min(abs(span.start - target.start) for span in spans))
        return [" ".join(spans[0].of(self._text).split()) for spans in inside]


def _spaced(text: str) -> str:
    """Return the folded words and the bars ("|") of a text, in order, with one space around
    each."""
    return f" {' '.join(_WORD.findall(fold(text)))} "


@lru_cache(1 << 14)
def _spoken(name: str) -> tuple[str, str]:
    """Return the folded first word of a name, and all its folded words with a space around each:
    "New York" gives "new" and " new york ". Both are "" if the name has only common words."""
    spaced = _spaced(name) if words.telling_lemmas(name) else ""
    return spaced[1:].partition(" ")[0], spaced


# The unit in which something is stated that took a week, month, year or longer time.
_TOLD_IN = {UNITS[unit]: UNITS[part] for unit, part in vocabulary("time")["told_in"].items()}
_QUARTER_HOUR = 15
_MONTH_DAYS = 31
_YEAR_DAYS = 366
_OPEN = 1000  # values that a range without an end leaves


def equally_likely(phrase: Value, samples: int = 5) -> tuple[int, tuple[str, ...]]:
    """Count the originals that a phrase leaves, and write down some as they may have stood there.

    The count follows from what the rules write: "March 1996" and "1996" stand for a day, a part of
    a year for a month, several years for a year. A rule that words a time otherwise needs a case
    here, or its phrases fail at once. A range between two months or two years comes from two days
    or two months, a time of day from a quarter of an hour. Counts are whole numbers, shares whole
    percentages; sums and measures are stated to two digits of the least value. An amount without an
    upper end leaves 1000.

    Args:
        phrase: a time or quantity, as the text states it now.
        samples: the most originals to write down; none is written for quantities, for times that
            are no dates (ages, times of day) and for ranges between two months or two years.

    Returns:
        The count, at least 1, and at most ``samples`` originals at even distances, ascending: "the
            1990s" -> (10, ("1991", "1992", "1995", "1996", "1998")).
    """
    if isinstance(phrase, Quantity):
        scale = 100.0 if phrase.kind is QuantityKind.SHARE else 1.0 / phrase.factor
        ranges = (_two_digit_values(low * scale, high * scale) for low, high in phrase.ranges)
        return math.prod(ranges), ()
    if phrase.kind is Kind.CLOCK:
        return max(1, phrase.values(Granularity.MINUTE) // _QUARTER_HOUR), ()
    if phrase.kind not in (Kind.INTERVAL, Kind.PARTIAL):
        return phrase.values(_stated_unit(phrase)), ()
    days = phrase.values(Granularity.DAY)
    if days > _MONTH_DAYS and phrase.granularity <= Granularity.MONTH:
        return _MONTH_DAYS**2, ()
    if days <= _MONTH_DAYS or _YEAR_DAYS - 1 <= days <= _YEAR_DAYS:
        return days, _written(phrase, samples, "{0.day} {0:%B %Y}")
    if days < _YEAR_DAYS:
        return phrase.values(Granularity.MONTH), _written(phrase, samples, "{0:%B %Y}")
    if phrase.granularity is Granularity.YEAR:
        return 12**2, ()
    return phrase.values(Granularity.YEAR), _written(phrase, samples, "{0.year}")


def _stated_unit(phrase: Temporal) -> Granularity:
    """Return the unit in which the original of a duration or order of time was stated: for "more
    than a year" months, else the unit of the phrase itself."""
    grain = phrase.granularity
    if phrase.kind is Kind.DURATION and phrase.first == DAYS[grain] and math.isinf(phrase.last):
        return _TOLD_IN.get(grain, grain)
    return grain


def _written(phrase: Temporal, samples: int, form: str) -> tuple[str, ...]:
    """Return days that lie at even distances over the whole phrase as texts ("3 May 1996"),
    ascending, each text once; without the year if the phrase has none.

    Args:
        phrase: a time.
        samples: the most texts to write.
        form: the format string for a date.
    """
    shift = 1  # from the last day of a span
    if phrase.kind is Kind.PARTIAL:
        shift, form = date(2000, 1, 1).toordinal(), form.removesuffix(" %Y}") + "}"
    behind = list(accumulate(int(high) - int(low) + 1 for low, high in phrase.spans))
    count = min(samples, behind[-1])
    places = (int(behind[-1] / count * (at + 0.5)) for at in range(count))
    days = (int(phrase.spans[n := bisect_right(behind, at)][1]) + at - behind[n] for at in places)
    return tuple(dict.fromkeys(form.format(date.fromordinal(day + shift)) for day in days))


def _two_digit_values(low: float, high: float) -> int:
    """Return how many values with two significant digits (of the least value), but no fractions,
    lie between ``low`` and ``high``, both included: 11 from 100 to 200; at least 1, and 1000 if
    there is no upper end."""
    if math.isinf(high):
        return _OPEN
    least = low if low > 0 else high / 10
    digits = math.floor(math.log10(least)) if least > 0 else 0
    step = max(1.0, 10.0 ** (digits - 1))
    return max(1, math.floor((high - low) / step + 1e-6) + 1)


GUESSES = 10  # guesses in one answer, so that other thresholds can be tried on the record
LISTED = 50  # names that are weighed by clues
VOTE_TRUST = 0.7  # probability that a place lies in one of the countries that the text names
UNMASKED_BOOST = 20.0  # factor by which a name is likelier if it is in the text unmasked
# The weight of naming a region, for its countries together, where naming a country weighs 1.
REGION_VOTE = 0.5
UNSEEN = 50.0  # how many more originals an open class (organisations, traits) has than are known
DATE_TRUST = 0.4  # probability that a masked date is one of the finer dates left in the text

_Votes = tuple[tuple[str, float], ...]  # countries, with their shares of the votes
_UNREAD = Answer((), read=False)
_LISTED_IN_FULL = ("geo/", "term/adj/nationality/")
_DETERMINER = re.compile(r"\A(?:the|an?|his|her|its|their|this|that) (?=.)")
_PREPOSITION = re.compile(r"\A(?:in|on|at|of|from|by|since|until|during|for) (?=.)")


class KnowledgeAttacker(Attacker):
    """Attacks with the knowledge base. It gives up to ``GUESSES`` (10) guesses, even if the
    settings ask for fewer."""

    name = "knowledge"

    def __init__(self, base: KnowledgeBase, settings: AttackSettings | None = None) -> None:
        """Keep the knowledge base and the number of guesses, at least ``GUESSES``, and set up
        caches of what is looked up."""
        self._base = base
        self._guesses = max(GUESSES, (settings or AttackSettings()).guesses)
        self._read = lru_cache(1)(self._clues_of)  # a text is attacked twice: in part, then whole
        self._link = lru_cache(1 << 16)(lambda name, kind: base.link(name, kind, {}))
        self._members = lru_cache(1 << 14)(self._members_of)
        self._regions = lru_cache(1 << 14)(self._countries_in)
        self._any_of = lru_cache(1 << 14)(self._answer_to_value)
        self._prior = lru_cache(1 << 14)(self._prior_of)
        self._likeliest = lru_cache(1 << 14)(self._weighed)

    def attack(self, challenges: Sequence[Challenge]) -> Sequence[Answer]:
        """Guess each original from the phrase, the knowledge base and the rest of the text.

        Args:
            challenges: those of one text are best given together, because it is read only once.

        Returns:
            One answer for each, in order, its guesses likeliest first; without guesses if the
                phrase tells the attacker nothing; one whose words it cannot read is not ``read``.
        """
        texts = {id(one.text): one for one in reversed(challenges)}
        read = {
            key: self._read(one.text, tuple(each.span for each in one.placed) or (one.target,))
            for key, one in texts.items()
        }
        return [self._answer(one, *read[id(one.text)]) for one in challenges]

    def _clues_of(self, text: str, replaced: Sequence[Span]) -> tuple[Clues, Votes]:
        """Return the clues of a text, in which the spans ``replaced`` were put; and, by country,
        the weight of the names in all the text that name this country or a region in which it lies:
        shares that sum to 1, {} if it names none."""
        clues = Clues(text, replaced)
        named = self._base.votes((" ; ".join(clues.names),))
        heard = math.fsum(named.values())
        votes = defaultdict(float, {country: vote / heard for country, vote in named.items()})
        for name in clues.names:
            for country, share in self._regions(name) if words.name_words(name) else ():
                votes[country] += REGION_VOTE * share
        total = math.fsum(votes.values())
        return clues, {country: vote / total for country, vote in votes.items()}

    def _answer(self, challenge: Challenge, clues: Clues, votes: Votes) -> Answer:
        """Guess the original at one place: a time by the dates around it or by the count of days
        that it leaves, an amount by the count of its values, a name by its prior and by the
        ``clues`` and ``votes`` of the text. A phrase that is none of these gives an answer without
        guesses; it counts as read only if it says nothing ("a certain time")."""
        phrase = plainly(" ".join(challenge.replacement.split()))
        if challenge.entity_type == EntityType.DATETIME:
            # "the same day" leaves at least what the date before it leaves
            if follows(phrase):
                return self._any_of(clues.date_before(challenge.target))
            time = read_value(phrase, EntityType.DATETIME)
            if not isinstance(time, Temporal):
                return _UNREAD
            decade = time.last - time.first <= DAYS[Granularity.DECADE]
            narrow = decade and time.kind is Kind.INTERVAL
            near = clues.dates_within(time, challenge.target) if narrow else ()
            if near:
                share = DATE_TRUST / len(near)
                return Answer(_ranked([(date, share) for date in near[: self._guesses]]))
            return self._any_of(time)
        if challenge.entity_type == EntityType.QUANTITY:
            return self._any_of(read_value(phrase, EntityType.QUANTITY))
        members = self._members(phrase, challenge.entity_type)
        if members is None:
            # an age, a date or a sum may go under any type
            if challenge.entity_type not in PROPER:
                values = (read_value(phrase, kind) for kind in sorted(BY_VALUE))
                if (value := next(filter(None, values), None)) is not None:
                    return self._any_of(value)
            return Answer((), read=words.normalise(phrase) in SAYS_NOTHING)
        if not members.ranked:
            return self._uniform(members.total + int(UNSEEN), members.names)
        inside = FORMS["inside"].search(challenge.replacement)
        voted = tuple(votes.items()) if inside or self._is_located(phrase) else ()
        standing = clues.standing(self._prior(members, challenge.entity_type))
        return self._likeliest(members, challenge.entity_type, voted, tuple(standing))

    def _answer_to_value(self, value: Value | None) -> Answer:
        """Return equally likely guesses at the original of a time or amount; for None an answer
        that is not ``read``."""
        return _UNREAD if value is None else self._uniform(*equally_likely(value, self._guesses))

    def _uniform(self, count: int, samples: Sequence[str]) -> Answer:
        """Return an answer of equally likely guesses, each with the probability 1 / ``count``:
        first the samples, then "one of 31" for those that are not written out; as many as the
        attacker may guess, at most ``count``."""
        shown = [*samples, *[f"one of {count}"] * self._guesses][: min(self._guesses, count)]
        return Answer(_ranked([(text, 1.0 / count) for text in shown]), uniform=True)

    def _weighed(
        self, members: Members, entity_type: str, votes: _Votes, standing: Sequence[str]
    ) -> Answer:
        """Return the likeliest of the listed members as guesses, likeliest first, given the clues
        in the text: the prior mixed with one in which each country has the share of its votes, and
        names that stand unmasked raised.

        Args:
            members: the originals that the phrase can mean, with their priors.
            entity_type: of the place.
            votes: pairs (country, share of the votes); () leaves countries out.
            standing: those members that stand in the text unmasked.
        """
        prior, named = self._prior(members, entity_type), dict(votes)
        listed, weights = math.fsum(prior.values()), dict(prior)
        countries = {name: self._country(name, entity_type) for name in prior} if votes else {}
        shares: dict[str, float] = defaultdict(float)  # of the countries that have votes
        for name, country in countries.items():
            if country in named:
                shares[country] += prior[name]
        heard = math.fsum(named[country] for country in shares)
        if len(set(countries.values())) > 1 and heard:
            for name, country in countries.items():
                own = prior[name]
                voted = named[country] / heard * own / shares[country] if country in shares else 0.0
                weights[name] = (1 - VOTE_TRUST) * own + VOTE_TRUST * listed * voted
        for name in standing:
            weights[name] *= UNMASKED_BOOST
        total = math.fsum(weights.values()) + max(0.0, 1.0 - listed)
        chances = [(name, weight / total) for name, weight in weights.items()]
        return Answer(_ranked(sorted(chances, key=lambda item: -item[1])[: self._guesses]))

    def _prior_of(self, members: Members, entity_type: str) -> Mapping[str, float]:
        """Return, by name, the prior probabilities of the members whose names say something.
        Namesakes are added up; if the class is not listed in full, the sum stays below 1."""
        listed = self._listed(members.names[0], entity_type)
        known = 1.0 if listed else members.total / (members.total + UNSEEN)
        prior: dict[str, float] = defaultdict(float)
        for name, share in zip(members.names, members.probabilities, strict=True):
            if words.content_lemmas(name):
                prior[name] += share
        return {name: known * share for name, share in prior.items()}

    def _countries_in(self, region: str) -> tuple[tuple[str, float], ...]:
        """Return the countries of the region that ``region`` names or is the adjective of, as pairs
        (country, its share in [0, 1]); () if it is no region."""
        asked = (f"a country in {region}", EntityType.LOC), (region, EntityType.DEM)
        found = ((self._base.members(*each, LISTED), each[1]) for each in asked)
        members, kind = next((one for one in found if one[0]), (None, ""))
        if members is None or not self._listed(members.names[0], kind):
            return ()
        countries = (self._country(name, kind) for name in members.names)
        known = zip(countries, members.probabilities, strict=True)
        return tuple((country, share) for country, share in known if country)

    def _is_located(self, phrase: str) -> bool:
        """Check whether a phrase itself says where, by a name or the word of a region; if it does
        not, the countries in the text would tell as much about a label."""
        core = _DETERMINER.sub("", phrase[:1].lower() + phrase[1:], count=1)
        name = core if core[:1].isupper() else phrase
        return bool(words.name_words(core)) or (name.istitle() and bool(self._regions(name)))

    def _listed(self, name: str, entity_type: str) -> bool:
        """Check whether a name is one of a class that the knowledge base lists in full (places,
        nationalities)."""
        link = self._link(name, entity_type)
        return link is not None and link.concept.startswith(_LISTED_IN_FULL)

    def _country(self, name: str, entity_type: str) -> str:
        """Return the country of what the knowledge base links a name with; "" if it knows
        neither."""
        link = self._link(name, entity_type)
        return link.country if link is not None else ""

    def _members_of(self, phrase: str, entity_type: str) -> Members | None:
        """Return what a phrase can mean (names with probabilities), by the first of its variants
        that has any; None if none has, or the phrase says no more than a label does."""
        if words.normalise(phrase) in SAYS_NOTHING:
            return None
        found = (self._base.members(one, entity_type, LISTED) for one in phrase_variants(phrase))
        return next((members for members in found if members and members.names), None)


def phrase_variants(phrase: str) -> tuple[str, ...]:
    """Return the forms that a phrase may have had in its ladder, each once: itself; then, without
    preposition, article and genitive ending, with "a", bare, and with "the"; last, itself with a
    capital: "in the city" -> ("in the city", "a city", "city", "the city", "In the city")."""
    core = _PREPOSITION.sub("", phrase[:1].lower() + phrase[1:], count=1)
    core = words.GENITIVE.sub("", _DETERMINER.sub("", core, count=1))
    proper = phrase[:1].upper() + phrase[1:]
    return tuple(dict.fromkeys((phrase, f"{indefinite(core)} {core}", core, f"the {core}", proper)))


def _ranked(weighed: Sequence[tuple[str, float]]) -> tuple[Guess, ...]:
    """Return (text, probability) pairs as guesses, ranked 0, 1 ... in the order given, with the
    natural logarithm of each probability."""
    return tuple(
        Guess(text, rank, math.log(min(1.0, max(weight, 1e-12))))
        for rank, (text, weight) in enumerate(weighed)
    )
