"""A document read once: what stands around any words of it, and what their sentence asks there.

Whether a noun follows, who owns what is named, whether something is negated: each is decided here
and nowhere else. Nothing is looked for before somebody asks, and nothing twice.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from intact.domain import Document, Entity, Span
from intact.english.numbers import CARDINALS
from intact.english.sentences import starts_sentence
from intact.english.vocabulary import NEGATION, either, vocabulary, word_sets

AROUND = 240  # characters on each side of a place: a list may name its members as far away
_NO_NOUN = vocabulary("grammar")["phrases"]["no_noun_behind"]
_NOUN = re.compile(rf"[ -]+(?!(?:{_NO_NOUN})\b)[a-z]")
_AND_ADJECTIVE = re.compile(r" and(?= [a-z-]+ [a-z])")
_NOUN_ENDS = re.compile(
    r"[.,;:)]|\s(?:who|which|that|of|in|at|on|for|from|to|by|with|and|or|was|were|is|are|had|has|"
    r"did|could|would|should|might|may|will|as|after|before|when|while|but|not|"
    r"(?![a-z]*eed|(?:hear|build|meet|rul|find|fund|hous|train|fil|plann|proceed)ing)[a-z]+(?:ed|ing))\b"
)
_OWN = r"his|her|their|its|my|our|your"
_CONTRACTED = either(word_sets("grammar", "classes")["contracted"])
_DETERMINER = re.compile(
    rf"(?:^|[\s(“\"])(an?|{_OWN}|(?!(?:{_CONTRACTED})['’])\w+['’]s?|the|this)"
    r"(?:\s[a-z]+(?:ed|al|ary|ory|ive|able|ible|ous|ful))?\s$",
    re.I,
)
"""Articles and owners before a noun. "No" is not among them: whoever had no lawyer may yet have
had a professional of another kind."""
_BEGINS_DETERMINED = re.compile(rf"(?:the|an?|{_OWN})\s", re.I)
_OWNER = re.compile(
    rf"(?:\b(?:his|her|their|my|our|your|whose|had|has|have|having|{'|'.join(CARDINALS[1:5])})"
    r"|[’']s|s[’'])\s+(?:\w+\s+)?$"
)
_BEGINS_OWNED = re.compile(rf"(?:his|her|their|my|our|your|{'|'.join(CARDINALS[1:8])})\s", re.I)
_BEING = re.compile(
    r"(?:\b(?:is|are|was|were|am|be|been|being|remain\w*|bec[ao]mes?|feels?|felt|seem\w*)|[’'](?:m|re))"
    r"(?: (?:also|now|then|still|not|very|too|so|quite))?\s$"
)
_GOVERNED = re.compile(
    r"(?:\b(?:of|in|on|at|by|with|for|from|about|into|after|during|without|ha[sd]|have|got)"
    r"|[’']ve)\s$"
)
_CLAUSE = re.compile(
    r" (?:is|are|was|were|has|have|had|does|did|can|could|will|would) |^(?:no|not|without|never) "
)
_SUBJECT = re.compile(
    r"\b(?:he|she|they|we|I|you|who)(?: (?:had|has|have|later|then|also|never))*\s$", re.I
)
_PLAIN = re.compile(
    r"(?:\b(?:to|I|you|we|they|who|can|could|will|would|must|should|might|may|did|does|do|not|both|[a-z]+s)"
    r"|n[’']t)(?: (?:also|now|still|often|only|always))?\s$"
)
OBJECT = rf"an?|the|{_OWN}|him|them|me|us|it"
"""A pattern of what begins the object of a verb."""
_OBJECT_BEHIND = re.compile(rf" (?:{OBJECT}|[a-z]{{3,}}s)\b")
_NEGATED = re.compile(
    rf"\b(?:{NEGATION.pattern}\s(?:\w+\s)?(?:an?\s|any\s|the\s)?|no\s(?:[\w-]+\s){{1,8}}(?:to|for|by)\s)$",
    re.I,
)


@dataclass(frozen=True)
class Place:
    """Some words and what stands around them, up to 240 characters on each side."""

    before: str = ""
    words: str = ""
    after: str = ""

    @cached_property
    def noun_follows(self) -> bool:
        """Tell whether a noun comes next: "a [curious] girl", "the [army] doctor"."""
        return bool(_NOUN.match(self.after))

    @cached_property
    def qualifies(self) -> bool:
        """Tell whether a noun comes next, or after one adjective: "a [curious] and funny girl"."""
        articled = self.before.endswith((" a ", " an ", " the "))
        after = _AND_ADJECTIVE.sub("", self.after, count=1) if articled else self.after
        return bool(_NOUN.match(after))

    @cached_property
    def noun_ends(self) -> bool:
        """Tell whether what follows can be no part of a noun phrase that the words are."""
        return bool(_NOUN_ENDS.match(self.after))

    @cached_property
    def object_follows(self) -> bool:
        """Tell whether what somebody did is said without its object: "[lost] his work"."""
        return " " not in self.words and bool(_OBJECT_BEHIND.match(self.after))

    @cached_property
    def opens_sentence(self) -> bool:
        """Tell whether a sentence, a heading or a list item begins with the words."""
        return starts_sentence(self.before, len(self.before))

    @cached_property
    def articled(self) -> bool:
        """Tell whether an article, or an owner, stands directly before."""
        return bool(self.determiner) and self.before[:-1].lower().endswith(self.determiner)

    @cached_property
    def determiner(self) -> str:
        """The article or owner before the words, in lower case, or before one adjective; or ""."""
        found = _DETERMINER.search(self.before)
        return found[1].lower() if found else ""

    @property
    def owner(self) -> str:
        """The determiner, if it says whose; or ""."""
        return "" if self.determiner in ("a", "an", "the", "this") else self.determiner

    @cached_property
    def begins_determined(self) -> bool:
        """Tell whether the words begin with an article or an owner."""
        return _BEGINS_DETERMINED.match(self.words) is not None

    @cached_property
    def determined(self) -> bool:
        """Tell whether an article or an owner belongs to the words: "his legal [aid]"."""
        return bool(self.determiner or self.begins_determined)

    @cached_property
    def owned(self) -> bool:
        """Tell whether somebody has what the words name ("her", "the applicant's")."""
        return bool(_BEGINS_OWNED.match(self.words) or _OWNER.search(self.before))

    @cached_property
    def is_clause(self) -> bool:
        """Tell whether the words hold a verb or deny: "my [purse was stolen]", "[no sign]"."""
        return bool(_CLAUSE.search(self.words))

    @cached_property
    def after_being(self) -> bool:
        """Tell whether the words are said of a subject: "she is [snoring]"."""
        return bool(_BEING.search(self.before))

    @cached_property
    def governed(self) -> bool:
        """Tell whether a preposition or "has" stands directly before."""
        return bool(_GOVERNED.search(self.before))

    @cached_property
    def subject(self) -> str:
        """A pronoun directly before, behind which a verb is expected, with adverbs; or ""."""
        found = _SUBJECT.search(self.before)
        return found[0] if found else ""

    @cached_property
    def asks_plain_verb(self) -> bool:
        """Tell whether a verb in its plain form fits: behind "to", "can", "they"."""
        return bool(_PLAIN.search(self.before))

    @cached_property
    def negated(self) -> bool:
        """Tell whether a negation governs the words: "not a [nurse]"."""
        return bool(_NEGATED.search(self.before))


class ReadDocument:
    """One reading of a document, made once and handed down.

    Args:
        document: its text is read, its mentions are kept beside it.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.text = document.text
        self._places: dict[Span, Place] = {}

    def of(self, document: Document) -> ReadDocument:
        """Keep what was read, for other mentions of the same text.

        Args:
            document: another text is read anew.
        """
        read = ReadDocument(document)
        if document.text == self.text:
            read._places = self._places
        return read

    def place(self, span: Span) -> Place:
        """Look up what stands around some words.

        Args:
            span: of the words, in the document.
        """
        if span not in self._places:
            before = self.text[max(0, span.start - AROUND) : span.start]
            after = self.text[span.end : span.end + AROUND]
            self._places[span] = Place(before, span.of(self.text), after)
        return self._places[span]

    def places(self, entity: Entity) -> list[Place]:
        """Look up what stands around each mention of an entity."""
        return [self.place(mention.span) for mention in entity.mentions]
