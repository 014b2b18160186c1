"""Generalisations of words that no annotation marks: only those that are sure to be true.

A name needs an exact link whose geography is certain, a common noun a curated ladder and places
where a noun phrase fits; dates that can be read are widened. Everything else has no ladder.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from intact.domain import (
    Candidate,
    Document,
    Entity,
    EntityType,
    IdentifierType,
    Ladder,
    Mention,
    Span,
)
from intact.english.wordlists import GENERIC_HEADS, STOP_WORDS
from intact.english.words import lemma
from intact.generation.checks import CandidateChecks, DocumentChecks
from intact.generation.dates import date_ladder
from intact.knowledge import Link, Rule, Votes
from intact.knowledge.base import KnowledgeBase
from intact.protocols import UnmarkedWords

_CONTEXT = 80
_SURE = frozenset({Rule.EXACT, Rule.AFFIX})
_DETERMINED = re.compile(
    r"(?:^|[\s(“\"])(?:(?P<one>an?)|(?P<own>his|her|their|its)|the|this)\s$", re.I
)
"""What is negated is not among these: who had no lawyer need not have had no professional."""
_BARE = re.compile(r"\s(?:of|in|by|with|for|from|and|or)\s$", re.I)
_BEFORE_YEAR = re.compile(
    r"\b(?:in|since|until|till|from|to|by|before|after|during|the|and|between|around|about)\s$",
    re.I,
)
_AFTER_NOUN = re.compile(
    r"[.,;:)]|\s(?:who|which|that|of|in|at|on|for|from|to|by|with|and|or|was|were|is|are|had|has|"
    r"did|could|would|should|might|may|will|as|after|before|when|while|but|not)\b"
)
_QUALIFIED = re.compile(
    r"\s(?:order|judge|judgment|decision|ruling|hearing|proceeding|rule|registr|building|office|staff|"
    r"case|action|appeal|practice|file|report|member|employee|spokes|meeting|document|letter|record)",
    re.I,
)
"""Nouns that a name before them qualifies: "a County Court order"."""
_NAMES = (EntityType.LOC, EntityType.ORG, EntityType.DEM)
_PLACES = frozenset({"country", "city", "subdivision", "region"})
_LAWS = frozenset({"act", "code"})
_RULES = _LAWS | frozenset(
    "acts codes law laws rule rules order orders regulation regulations convention conventions "
    "directive directives protocol protocols treaty bill charter guidelines statute statutes "
    "covenant agreement declaration instruction instructions decree".split()
)
"""Words of names that are no bodies, though their other words may say so: "Police Act"."""
_LAW = (
    Candidate("a written law", 0, "guard", "concept:term/written-law"),
    Candidate("a source of law", 1, "guard", "concept:term/source-of-law"),
)
_NOUNS = frozenset({"occupation", "health", "family", "document"})
"""Kinds of curated nouns that mean one thing in most texts; "matter" or "trial" do not."""
_SENSES = frozenset(
    "office cell room stable general memorial form list paper minute receipt check plan party add "
    "agreement contract photo photograph picture drawing home recovery disorder dependency consort "
    "writer author driver director agent administrator player owner manager editor employer "
    "creditor prosecutor victim girlfriend boyfriend partner attempt negligence summons road "
    "gentleman man woman".split()
)
"""Nouns of these kinds that often mean another thing (one assumes an office, and sits in one), or
whom one is for once, not for a living: the writer of a letter."""
_VAGUE = re.compile(
    r"\bcertain\b|\bcircumstances?\b|\bknown to another\b|\bthings?\b|\bgood health\b"
    r"|\boutside employment\b|\bwith an occupation\b"
)
"""Rungs that tell of a common noun no more than a mask does, and fit worse."""
_INNER = re.compile(r"[-‑–/]| ?\(?[A-Z]| on [A-Z]")
"""What follows a name that is a part of a longer one."""


class UnmarkedGenerator:
    """A ``Generaliser`` over the knowledge base.

    Args:
        base: the knowledge base.
        checks: what a phrase must not say.
    """

    def __init__(self, base: KnowledgeBase, checks: CandidateChecks) -> None:
        self._base = base
        self._checks = checks

    def propose(
        self, document: Document, unmarked: Sequence[UnmarkedWords]
    ) -> Mapping[str, tuple[str, Ladder]]:
        """Entity type and ladder by key of those that something sure is known of.

        Args:
            document: as it was, with its mentions.
            unmarked: those that no mention covers.
        """
        votes = self._base.votes([document.text])
        checks = self._checks.of(document)
        found = {}
        for words in unmarked:
            proposal = self._of(document, words, votes, checks)
            if proposal is not None:
                found[words.key] = proposal
        return found

    def _of(
        self, document: Document, words: UnmarkedWords, votes: Votes, checks: DocumentChecks
    ) -> tuple[str, Ladder] | None:
        entity_type, ladder = self._ladder(document, words, votes)
        entity = _entity(document, words, entity_type)
        kept = [each for each in ladder if not checks.problem(each.text, entity)]
        ranked = tuple(
            Candidate(each.text, rank, each.source, each.subsumes) for rank, each in enumerate(kept)
        )
        return (entity_type, ranked) if ranked else None

    def _ladder(self, document: Document, words: UnmarkedWords, votes: Votes) -> tuple[str, Ladder]:
        text = document.text
        surfaces = tuple(dict.fromkeys(span.of(text) for span in words.spans))
        if words.kind == "date":
            fits = all(_date_place(text, span) for span in words.spans)
            return EntityType.DATETIME, date_ladder(surfaces) if fits else ()
        if words.kind == "name":
            bound = any(_inner(text, span) or _owned(text, span) for span in words.spans)
            return (
                self._name(text, surfaces, words.spans, votes)
                if not bound
                else (EntityType.MISC, ())
            )
        if words.kind == "word" and all(_ends_noun(text, span) for span in words.spans):
            return EntityType.MISC, self._noun(text, words.spans)
        return EntityType.MISC, ()

    def _name(
        self, text: str, surfaces: Sequence[str], spans: Sequence[Span], votes: Votes
    ) -> tuple[str, Ladder]:
        before, after = _around(text, spans[0])
        words = surfaces[0].lower().split()
        if len(words) > 1 and surfaces[0].isupper():
            return EntityType.MISC, ()  # a heading
        if words[-1].isdigit():
            words.pop()
        if not _RULES.isdisjoint(words):
            named = len(words) > 1 and words[-1] in _LAWS
            return EntityType.MISC, _LAW if named else ()
        for kind in _NAMES:
            link = self._base.link(surfaces[0], kind, votes, before, after)
            if link is None or link.ambiguous or not _sure_name(link, kind, words):
                continue
            stands_alone = kind != EntityType.ORG or all(_ends_phrase(text, span) for span in spans)
            return kind, self._rungs(link, votes) if stands_alone else ()
        return EntityType.MISC, ()

    def _noun(self, text: str, spans: Sequence[Span]) -> Ladder:
        """The rungs of a curated noun in all its forms here; they must agree."""
        ladders = set()
        for span in spans:
            surface = span.of(text)
            if not _SENSES.isdisjoint({surface.lower(), lemma(surface.lower())}):
                return ()
            before, after = _around(text, span)
            link = self._base.link(surface, EntityType.MISC, {}, before, after)
            if link is None or link.rule is not Rule.EXACT or link.ambiguous:
                return ()
            ladder = self._rungs(link, {})
            if not link.concept.startswith("term/") or not _sure_noun(link, ladder):
                return ()
            if link.kind == "offence" and after.startswith(" to "):
                return ()  # a conspiracy to do something
            many = lemma(surface) != surface.lower() or link.kind == "offence"
            ladders.add(tuple(r for r in ladder if _fits(before, link, r, many=many)))
        return ladders.pop() if len(ladders) == 1 else ()

    def _rungs(self, link: Link, votes: Votes) -> Ladder:
        return tuple(
            Candidate(rung.text, rank, "guard", f"concept:{rung.concept}")
            for rank, rung in enumerate(self._base.chain(link, votes))
        )


def _sure_name(link: Link, kind: str, words: Sequence[str]) -> bool:
    """Whether what a name is linked to is true of it with near certainty."""
    if kind == EntityType.LOC:
        return link.rule in _SURE and link.concept.startswith("geo/") and link.kind in _PLACES
    if kind == EntityType.ORG:
        headed = ("of" in words or words[-1] in GENERIC_HEADS) and words[-1] != "government"
        head = words[words.index("of") - 1] if "of" in words else words[-1]
        one = lemma(head) == head and "and the" not in " ".join(words)
        return len(words) > 1 and headed and one and link.concept.startswith("org/")
    titled = len(words) > 1 and link.kind == "occupation" and "and" not in words
    return link.rule in _SURE and titled


def _sure_noun(link: Link, ladder: Ladder) -> bool:
    """Whether a common noun has one meaning that its ladder is true of."""
    if link.kind == "offence":
        return any(each.text == "an unlawful act" for each in ladder)
    return link.kind in _NOUNS or (link.kind == "thing" and len(ladder) > 2)


def _date_place(text: str, span: Span) -> bool:
    """Whether a time phrase may stand at ``span``: a year is often part of a law's name."""
    if not span.of(text).isdigit():
        return True
    before, _ = _around(text, span)
    return bool(_BEFORE_YEAR.search(before))


def _ends_noun(text: str, span: Span) -> bool:
    """Whether nothing follows that the noun at ``span`` would have to qualify."""
    return bool(_AFTER_NOUN.match(_around(text, span)[1]))


def _fits(before: str, link: Link, rung: Candidate, *, many: bool) -> bool:
    """Whether a rung tells something and may stand behind ``before``: after a determiner, or bare
    where the noun may (``many``: a plural, an offence); whose professional one is nobody says."""
    if _VAGUE.search(rung.text):
        return False
    single = rung.text.startswith(("a ", "an "))
    determiner = _DETERMINED.search(before)
    if determiner is None:
        return many and bool(_BARE.search(before))
    if determiner["own"] and link.kind == "occupation":
        return False
    return single or not determiner["one"]


def _inner(text: str, span: Span) -> bool:
    """Whether a name is a part of a longer one: "Northern Ireland (Temporary Provisions) Act"."""
    before, after = _around(text, span)
    ahead = re.search(r"(?:^|[\s(“\"])([^\W\d_]+)([-‑ /])$", before)
    joined = ahead is not None and (
        ahead[2] != " " or (ahead[1][0].isupper() and ahead[1].lower() not in STOP_WORDS)
    )
    return joined or bool(_INNER.match(after))


def _owned(text: str, span: Span) -> bool:
    """Whether somebody's is named: "her Commanding Officer" is not "her public official"."""
    found = _DETERMINED.search(_around(text, span)[0])
    return found is not None and found["own"] is not None


def _ends_phrase(text: str, span: Span) -> bool:
    """Whether no noun follows that the one at ``span`` would qualify: "a County Court order"."""
    return not _QUALIFIED.match(_around(text, span)[1])


def _around(text: str, span: Span) -> tuple[str, str]:
    return text[max(0, span.start - _CONTEXT) : span.start], text[span.end : span.end + _CONTEXT]


def _entity(document: Document, words: UnmarkedWords, entity_type: str) -> Entity:
    return Entity(
        f"guard:{words.key}",
        tuple(
            Mention(
                f"guard:{words.key}:{span.start}",
                span,
                span.of(document.text),
                f"guard:{words.key}",
                entity_type,
                IdentifierType.QUASI,
            )
            for span in words.spans
        ),
    )
