"""A document read once: what stands around some words of it, and what their sentence requires
there.

Whether a noun follows, who owns what is named, whether something is negated: each is decided here
and nowhere else. Nothing is read before it is asked for, and nothing twice.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from intact.domain import Document, Entity, Span
from intact.english.grammar import OWNER, plural, singular, verb_of
from intact.english.numbers import CARDINALS
from intact.english.sentences import starts_sentence
from intact.english.time import WEEKDAYS
from intact.english.vocabulary import NEGATION, either, read_patterns, word_sets

AROUND = 240  # characters on each side of a place: a list may name its members as far away
_WORKS = word_sets("grammar", "nouns")["works"]
_PIECES = {
    "works": either(_WORKS.union(map(plural, _WORKS))),
    "negation": NEGATION.pattern,
    "owner": OWNER,
    "few": "|".join(CARDINALS[1:5]),
    "several": "|".join(CARDINALS[1:8]),
    "weekdays": "|".join(WEEKDAYS),
}
# Patterns for the words beside a place, by the name of what they show.
_FORMS = read_patterns("reading", _PIECES)


class _Shown(cached_property[bool]):
    """A property that tells whether the words on one side of a place have a form.

    Args:
        form: a name of ``_FORMS``.
        side: an attribute of the place; what comes after it must begin with the form. In
            ``around`` the words stand in brackets, "⟦so⟧".
    """

    def __init__(self, form: str, side: str) -> None:
        """Set up the property: True where the form is found in the place's attribute ``side``."""
        find = _FORMS[form].match if side == "after" else _FORMS[form].search
        super().__init__(lambda place: find(getattr(place, side)) is not None)


class Apposed(NamedTuple):
    """The noun after which a name stands: "the film [Heat]"."""

    noun: str  # in the singular
    alone: bool  # whether the noun belongs to this name only, and needs no "the"
    cut: int  # characters from the noun's end to the name
    quotes: int  # quotation marks among them; as many follow the name


@dataclass(frozen=True)
class Place:
    """Some words and the text around them, up to 240 characters on each side."""

    before: str = ""
    words: str = ""
    after: str = ""

    @cached_property
    def around(self) -> str:
        """Return the words in brackets, with the text around them: "saw ⟦him⟧ there"."""
        return f"{self.before}⟦{self.words}⟧{self.after}"

    # Whether a noun comes next: "a [curious] girl", "the [army] doctor".
    noun_follows = _Shown("noun", "after")

    # Whether what follows cannot be part of the same noun phrase.
    noun_ends = _Shown("noun_ends", "after")

    # Whether the words are one verb whose object follows: "[lost] his work".
    object_follows = _Shown("object_follows", "around")

    @cached_property
    def spoken(self) -> bool:
        """Tell whether the words, which may name a people, name a language here: "speaks [Danish]",
        "[Thai] (native)"."""
        said = _FORMS["spoken_before"].search(self.before) and not self.noun_follows
        return bool(said or _FORMS["spoken_behind"].match(self.after))

    # Whether the words say in which language a name follows: "([Thai]: สุข)".
    glosses = _Shown("glosses", "around")

    @cached_property
    def opens_sentence(self) -> bool:
        """Tell whether the words begin a sentence, a heading or a list item; quotes and brackets
        may stand before them."""
        return starts_sentence(self.before, len(self.before))

    # Whether the words open their line, but for a bullet or bracket, and no comma follows: the time
    # in "[09:02] Ann: hello".
    heads_line = _Shown("heads_line", "around")

    @cached_property
    def articled(self) -> bool:
        """Tell whether an article, "this" or a possessive ("her", "Ann's") stands directly before
        the words."""
        return bool(self.determiner) and self.before[:-1].lower().endswith(self.determiner)

    @cached_property
    def determiner(self) -> str:
        """Return the article or possessive before the words, or before one adjective before them,
        in lower case ("the", "this", "her", "ann's"); "" if there is none. Only adjectives with an
        ending such as -al or -ous count: "her" for "her legal [aid]", "" for "her big [dog]"."""
        found = _FORMS["determiner"].search(self.before)
        return found[1].lower() if found else ""

    @property
    def owner(self) -> str:
        """Return the possessive before the words, in lower case ("her", "ann's"); "" if there is
        none."""
        return "" if self.determiner in ("a", "an", "the", "this") else self.determiner

    # Whether the words begin with an article or a possessive.
    begins_determined = _Shown("begins_determined", "words")

    @cached_property
    def determined(self) -> bool:
        """Tell whether an article or a possessive belongs to the words: it stands before them, or
        before one adjective before them ("his legal [aid]"), or they begin with it."""
        return bool(self.determiner or self.begins_determined)

    # Whether somebody is said to have what the words name ("her", "the applicant's").
    owned = _Shown("owned", "around")

    # Whether the words themselves say whose something is: "her [son's autism]".
    of_another = _Shown("of_another", "words")

    # Whether the words contain a verb or a negation: "my [purse was stolen]", "[no sign]".
    is_clause = _Shown("clause", "words")

    @cached_property
    def aside(self) -> tuple[int, int] | None:
        """Return how many characters before and after the words go with them if an aside is left
        out: a bracket, an item of a list, an apposition: (2, 1) for " ([so])". None if the sentence
        needs the words."""
        if self.before.endswith(" (") and self.after.startswith(")"):
            return 2, 1
        behind = _FORMS["behind_aside"].match(self.after)
        said = _FORMS["clause"].search(f" {self.words} ") or _begins_with_verb(self.words)
        if not self.before.endswith(", ") or not behind or said:
            return None
        return None if _begins_with_verb(behind["word"] or "") else (2, 0)

    @cached_property
    def adjunct(self) -> int:
        """Return how many characters before the words go with them where nothing can be said of
        them, "drowned[ off the Esplanade].", "fell[ and broke his ankle].", "rang[ Monday] to say";
        0 if the sentence needs the words."""
        forms = (_FORMS["adjunct"], _FORMS["coordinate"], _FORMS["adverbial_day"])
        found = next(filter(None, (form.search(self.around) for form in forms)), None)
        return next(filter(None, found.groups())).index("⟦") if found else 0

    # Whether the clause denies, or says "only", "all", "the first": with less in it, it may be
    # false.
    restricted = _Shown("restricted", "before")

    @cached_property
    def qualifies_only(self) -> bool:
        """Tell whether the words are an adjective or a number (by their ending or a capital)
        without which the noun after them would still be true: "a [jealous] man", "the [Swedish]
        courts". False where something is denied, and for "the first [Swedish] court"."""
        article = _FORMS["begins_determined"].match(self.words)
        words = self.words[article.end() if article else 0 :]
        before = _FORMS["determined"].search(self.before + (article[0] if article else ""))
        if before is None or self.negation or self.is_clause:
            return False
        return _FORMS["described" if before["any"] else "adjective"].match(words) is not None

    @cached_property
    def needless(self) -> bool:
        """Tell whether the words only qualify a noun that follows directly, so that the sentence
        stays true without them: "a [jealous] man"."""
        behind = _FORMS["word_behind"].match(self.after)
        noun = behind and self.noun_follows and not _begins_with_verb(behind[1])
        return bool(noun and self.qualifies_only)

    @cached_property
    def work(self) -> Apposed | None:
        """Return the noun after which a name stands, in the singular, and how it stands there:
        "film" for "the film [Heat]", "ship" for "ships: Ark and [Argo]"; None if the words are no
        name, or follow no such noun."""
        named = _FORMS["name"].match(self.words) is not None
        for found in _FORMS["work"].finditer(self.before) if named else ():
            if not (behind := _FORMS["behind_work"].fullmatch(self.before, found.end())):
                continue
            many = found[0] not in _WORKS or found[0] == plural(found[0])
            listed, quotes = behind["listed"], len(behind["quotes"])
            if not listed or (many and not _FORMS["between_names"].sub("", listed)):
                the = not quotes and self.before[: found.start()].lower().endswith("the ")
                alone = not (many or the or listed)
                return Apposed(singular(found[0]), alone, len(behind[0]), quotes)
        return None

    # Whether a capitalised name stands between quotation marks that are no part of it.
    quoted = _Shown("quoted", "around")

    governed = _Shown("governed", "before")  # whether a preposition or "has" stands directly before

    @cached_property
    def subject(self) -> str:
        """Return a pronoun directly before the words, with the adverbs between them and the blank
        ("she later "), after which a verb is expected; "" if there is none."""
        found = _FORMS["subject"].search(self.before)
        return found[0] if found else ""

    # Whether a verb in its plain form fits: after "to", "can", "they".
    asks_plain_verb = _Shown("plain", "before")

    negated = _Shown("negated", "before")  # whether a negation governs the words: "not a [nurse]"

    @cached_property
    def negation(self) -> tuple[str, ...]:
        """Return the words from before a negation up to the place, in lower case, such as ("is",
        "not", "paid", "to"): the word before the negation, or ""; the negation, up to five words
        before in the same clause; and the words between. () if there is no negation."""
        found = _FORMS["negation"].search(self.before.lower())
        return (found["ahead"] or "", *found["words"].split()) if found else ()


def _begins_with_verb(words: str) -> bool:
    """Tell whether words begin with a finite verb ("lost his work"), the past or in -s, or with
    "can", "will" and the like. Other words of such a form count, too, as plurals do ("runs")."""
    first = words.partition(" ")[0].lower()
    return verb_of(first)[1] in ("past", "s") or bool(_FORMS["modal"].match(first))


class ReadDocument:
    """One reading of a document, made once and passed on.

    Args:
        document: its text is read; its mentions are only kept with it.
    """

    def __init__(self, document: Document) -> None:
        """Begin a reading of a document; nothing is read before it is asked for."""
        self.document = document
        self.text = document.text
        self._places: dict[Span, Place] = {}
        self._shown: dict[re.Pattern[str], bool] = {}

    def of(self, document: Document) -> ReadDocument:
        """Return a reading for other mentions of the same text, which shares what was read already.

        Args:
            document: if its text is another one, nothing is shared.
        """
        read = ReadDocument(document)
        if document.text == self.text:
            read._places, read._shown = self._places, self._shown
        return read

    def shows(self, form: re.Pattern[str]) -> bool:
        """Tell whether a pattern is found anywhere in the text; it is searched only once."""
        if form not in self._shown:
            self._shown[form] = form.search(self.text) is not None
        return self._shown[form]

    def place(self, span: Span) -> Place:
        """Return the words of a span with the text around them, up to 240 characters on each side.

        Args:
            span: of the words, in the document.
        """
        if span not in self._places:
            before = self.text[max(0, span.start - AROUND) : span.start]
            after = self.text[span.end : span.end + AROUND]
            self._places[span] = Place(before, span.of(self.text), after)
        return self._places[span]

    def places(self, entity: Entity) -> list[Place]:
        """List the words of each mention of an entity with the text around them, in text order."""
        return [self.place(mention.span) for mention in entity.mentions]
