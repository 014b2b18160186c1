"""Candidates from a language model: true, ever more general phrases, asked for by entity.

The question shows the sentence of the first mention and up to two more that say something else,
what else is masked as labels, with one example of the same type before it (Pilán et al. 2024,
section 3.1). All entities of a document are asked about in one call. Persons, codes, and dates and
quantities that the rules can read are never asked about.
"""

from __future__ import annotations

import logging
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from intact.config import Prompts, escape, escape_line
from intact.domain import (
    BY_VALUE,
    LABEL_ONLY,
    Candidate,
    Document,
    Entity,
    EntityType,
    Ladder,
    Mention,
    Span,
)
from intact.english.quantities import parse_quantity
from intact.english.scan import Value, parse_temporal
from intact.english.sentences import sentence_around
from intact.english.vocabulary import STOP_WORDS, either, word_sets
from intact.english.words import is_foreign, is_name, lemmas, normalise
from intact.models.questions import Question, Questioner, unquote
from intact.planning.ladder import CandidateChecks, Subsumes, labels, reordered
from intact.protocols import LanguageModel

_LOG = logging.getLogger("intact")
_SENTENCES = 3
_WIDEST = 400
_ANSWER_TOKENS = 24
_COMMENT = re.compile(
    r"\s+[-–—→]+>?\s+.*"  # "a city - because ..."
    r"|\s*\((?!s\)).*"  # "a city (such as Ankara)"
    r"|[,;]?\s+(?:(?:such as|for example|for instance|like|including|namely)\b|e\.g\.|i\.e\.).*"
    r"|\s*[:;]\s.*",
    re.IGNORECASE | re.DOTALL,
)
_PREPOSITIONS = r"\b(?:in|at|on|from|to|by|with|for|into|during)\s+"
_PREPOSITION = re.compile(
    rf"^{_PREPOSITIONS}(?!h(?:is|er)\b|their\b|its\b|time to time)(?=\S)", re.IGNORECASE
)
_AFTER_ONE = re.compile(rf"{_PREPOSITIONS}(?:the\s+)?\Z", re.IGNORECASE)
_PLAIN_FIRST = frozenset(
    "a an the some several many few one two another someone something somewhere more less over "
    "under about around between almost nearly early mid late member resident person people large "
    "small public private local national international".split()
)
_META = re.compile(
    r"^(?:the )?replacements?\b"
    r"|\b(?:original|span|phrase|hypernym|synonym|generic term|redacted|anonymi[sz]ed"
    r"|unknown|n/?a|none|placeholder|sentence|something|someone|somebody)\b|^there$|[\[\]{}<>|_#\ufffd]|\w_\d|([^\W\d])\1{2}",
    re.IGNORECASE,
)
COUNT = 5
"""Candidates asked of the language model."""
_TEMPERATURE = 0.3
_MOST_WORDS = 14
_MOST_NAMED = 20
_NAMED = frozenset({EntityType.LOC, EntityType.ORG, EntityType.DEM})
_VERDICT_TOKENS = 4
_COUNTRY = "a country"
_VERDICTS: Mapping[str, Mapping[str, str]] = {
    "first": {"broader": "yes", "same": "no", "narrower": "no", "false": "never", "unsure": ""},
    "second": {"less": "yes", "equal": "no", "more": "no", "wrong": "never", "unsure": ""},
}
"""For each wording of the judge's question what its answers say, "" for nothing."""
UNVERIFIED = "llm, unverified"
"""The source of a candidate that nothing confirms and nothing denies."""
_SHORT = 3
_WORD = re.compile(r"[^\W\d_]+")
_CLAUSES = word_sets("grammar", "clauses")
_FINITE = re.compile(rf"\b(?:{either(_CLAUSES['finite'])})\b")
_OBJECT = re.compile(rf"([a-z]+) (?:{either(_CLAUSES['determiners'])}) ")


class LlmGenerator:
    """Asks a language model for candidates, cleans them, and keeps those that are confirmed.

    A candidate is confirmed by the knowledge base or, where that cannot tell, by the model asked
    twice in different words, which must agree. What neither confirms is dropped, or kept as
    unverified, which its source says.

    Args:
        model: the language model.
        prompts: its prompts.
        seed: of the sampling.
        subsumes: what a knowledge base knows of one phrase being true of another, or None.
        checks: which candidates are sound; others are not judged.
        together: how many questions a request holds.
        judge: the language model that judges and orders; None for the same.
        judged: whether it is asked at all.
        unverified: whether what nothing confirms and nothing denies is kept.

    Attributes:
        unparsed: answers so far that could not be read, the second try included.
    """

    name = "llm"

    def __init__(
        self,
        model: LanguageModel,
        prompts: Prompts,
        seed: int = 0,
        subsumes: Subsumes | None = None,
        checks: CandidateChecks | None = None,
        together: int = 1,
        judge: LanguageModel | None = None,
        *,
        judged: bool = True,
        unverified: bool = False,
    ) -> None:
        self._prompts = prompts
        self._twice, self._unverified = judged, unverified
        self._subsumes = subsumes
        self._checks = checks
        self._questioner = Questioner(model, prompts, seed, together)
        self._judge = Questioner(judge or model, prompts, seed, together)
        self.unparsed = 0

    def generate(self, document: Document, entities: Sequence[Entity]) -> Mapping[str, Ladder]:
        """A ladder for each entity that the model had something to say about.

        Args:
            document: the text around the entities.
            entities: those to be generalised.

        Raises:
            ContextError: a sentence does not fit the model.
            ModelError: the model failed.
        """
        return self.beside(document, entities, {})[0]

    def beside(
        self,
        document: Document,
        entities: Sequence[Entity],
        proposed: Mapping[str, Sequence[Ladder]],
    ) -> tuple[Mapping[str, Ladder], frozenset[str]]:
        """As ``generate``; and the ids of those that the knowledge base takes for something else.

        That is so where the judge calls its most specific phrase false, twice ("sugar", of which
        somebody is ill, is no food). Then what it knows of them does not count.

        Args:
            document: the text around the entities.
            entities: those to be generalised.
            proposed: what other generators said, by entity id.
        """
        wanted = [each for each in entities if is_for_model(each) and not self._is_country(each)]
        shown = {entity.id: context(document, entity) for entity in wanted}
        prefix = self._prefix(document)
        asked = [self._question(entity, shown[entity.id], prefix) for entity in wanted]
        checks = None if self._checks is None else self._checks.of(document)
        found: dict[str, Ladder] = {}
        for entity, lines in zip(wanted, self._ask(asked), strict=True):
            ladder = tuple(self._candidates(entity, lines, _takes_preposition(document, entity)))
            found[entity.id] = ladder if checks is None else checks.keep(ladder, entity)
        linked = {
            entity.id: next(
                (rungs[0] for rungs in proposed.get(entity.id, ()) if rungs[0].entry), None
            )
            for entity in wanted
        }
        found, denied = self._confirmed(wanted, shown, found, linked)
        return {
            entity.id: tuple(
                replace(candidate, rank=rank)
                for rank, candidate in enumerate(
                    reordered(found[entity.id], entity.entity_type, self._subsumes)
                )
            )
            for entity in wanted
            if found[entity.id]
        }, denied

    def _prefix(self, document: Document) -> str:
        """What all questions of a document share: an example of each type, and what to hide."""
        shown = (
            self._prompts.fill(
                "generate.example",
                kind=each.kind,
                sentence=each.sentence,
                answer="\n".join(each.answer),
            )
            for each in self._prompts.examples.values()
        )
        return self._prompts.fill(
            "generate.prefix",
            count=str(COUNT),
            examples="\n".join(shown).rstrip(),
            hidden="; ".join(map(escape_line, _named(document))) or "the marked words",
        )

    def _question(self, entity: Entity, sentences: Sequence[str], prefix: str) -> Question:
        text = self._prompts.fill(
            "generate.question",
            count=str(COUNT),
            sentences="\n".join(sentences),
            target=escape_line(entity.mentions[0].text),
            kind=self._prompts.example(entity.entity_type).kind.partition(":")[0],
        )
        return Question(
            prefix,
            text,
            lines=COUNT,
            tokens=_ANSWER_TOKENS,
            temperature=_TEMPERATURE,
        )

    def _ask(self, questions: Sequence[Question]) -> list[tuple[str, ...]]:
        """The lines of each answer; what cannot be read is asked once more, then given up."""
        lines = self._questioner.put(questions)
        again = [index for index, found in enumerate(lines) if not found]
        replies = self._questioner.put([questions[index] for index in again], again=1)
        for index, reply in zip(again, replies, strict=True):
            lines[index] = reply
        lost = lines.count(())
        self.unparsed += lost
        if lost:
            _LOG.info("%d of %d lists of candidates could not be read, twice", lost, len(lines))
        return lines

    def _candidates(
        self, entity: Entity, lines: Sequence[str], preposition: bool
    ) -> Iterator[Candidate]:
        """The cleaned phrases, each meaning once."""
        seen: set[tuple[str, ...]] = set()
        for line in lines:
            text = clean(line, preposition)
            key = lemmas(normalise(text))
            if text and key not in seen and fits(text, entity):
                seen.add(key)
                yield Candidate(text, len(seen) - 1, self.name, _canonical(text, entity))

    def _known(self, text: str, entity: Entity) -> bool | None:
        """Whether a phrase is true of an entity as far as the knowledge base knows: of all its
        names, and of those that it knows."""
        if entity.entity_type in BY_VALUE:
            return None  # rules do where values can be read
        if self._subsumes is None:
            return None
        told = {self._subsumes(text, name, entity.entity_type) for name in entity.surfaces}
        return False if False in told else True if True in told else None

    def _is_country(self, entity: Entity) -> bool:
        """Whether the knowledge base knows it for a country: one phrase has to fit the State, its
        government and its nationals, and there are rules for that."""
        return self._subsumes is not None and any(
            self._subsumes(_COUNTRY, name, entity.entity_type) for name in entity.surfaces
        )

    # -- the model as its own judge ---------------------------------------------------------

    def _confirmed(
        self,
        entities: Sequence[Entity],
        shown: Mapping[str, Sequence[str]],
        found: Mapping[str, Ladder],
        linked: Mapping[str, Candidate | None],
    ) -> tuple[dict[str, Ladder], frozenset[str]]:
        """The candidates that are confirmed, the others as the settings say; and whose link to
        the knowledge base is denied. What that calls false is only asked about beside its link."""
        known = {(e.id, c.text): self._known(c.text, e) for e in entities for c in found[e.id]}
        asked = [
            (entity, candidate)
            for entity in entities
            for link in [linked[entity.id]]
            for candidate in (*found[entity.id], *([link] if link else []))
            if not known.get((entity.id, candidate.text))
            and (link or known[entity.id, candidate.text] is None)
        ]
        votes: dict[tuple[str, str], list[str]] = {(e.id, c.text): [] for e, c in asked}
        for wording, verdicts in _VERDICTS.items() if self._twice else ():
            left = [
                (entity, candidate)
                for entity, candidate in asked
                for said in [votes[entity.id, candidate.text]]
                if (
                    not said or said == ["never"]
                    if candidate.entry
                    else not {"no", "never"} & {*said}
                )
            ]
            questions = [self._judged(entity, each, shown, wording) for entity, each in left]
            for (entity, candidate), reply in zip(left, self._judge.put(questions), strict=True):
                vote = verdicts.get("".join(reply), "")
                votes[entity.id, candidate.text].append(vote)
        denied = frozenset(
            key
            for key, link in linked.items()
            if link and votes.get((key, link.text)) == ["never"] * 2
        )
        kept: dict[str, Ladder] = {}
        for key, ladder in found.items():
            rungs = []
            for each in ladder:
                told = None if key in denied else known[key, each.text]
                said = votes.get((key, each.text), [])
                if told or (told is None and said and {*said} == {"yes"}):
                    rungs.append(each)
                elif told is None and self._unverified and not {"no", "never"} & {*said}:
                    rungs.append(replace(each, source=UNVERIFIED))
            kept[key] = tuple(rungs)
        return kept, denied

    def _judged(
        self, entity: Entity, candidate: Candidate, shown: Mapping[str, Sequence[str]], wording: str
    ) -> Question:
        target = escape_line(entity.mentions[0].text)
        return Question(
            self._prompts.templates[f"judge.{wording}"],
            self._prompts.fill("judge.question", candidate=escape_line(candidate.text)),
            lines=1,
            tokens=_VERDICT_TOKENS,
            choices=tuple(_VERDICTS[wording]),
            about=self._prompts.fill(
                "judge.about", sentences="\n".join(shown[entity.id]), target=target
            ),
        )


def is_for_model(entity: Entity) -> bool:
    """Whether a model is asked about an entity at all: not where rules do better."""
    if entity.entity_type in LABEL_ONLY or not entity.generalisable:
        return False
    if entity.entity_type == EntityType.DATETIME:
        return all(parse_temporal(surface) is None for surface in entity.surfaces)
    if entity.entity_type == EntityType.QUANTITY:
        return all(parse_quantity(surface) is None for surface in entity.surfaces)
    return True


def _named(document: Document) -> list[str]:
    """The names that no candidate may tell: of places, organisations, nationalities."""
    names = (
        entity.mentions[0].text
        for entity in document.entities
        if entity.generalisable and entity.entity_type in _NAMED
    )
    return [name for name in dict.fromkeys(names) if is_name(name)][:_MOST_NAMED]


def context(document: Document, entity: Entity) -> list[str]:
    """The sentence of the first mention and up to two more that say something else.

    Each is on one line, escaped, with the mention in double square brackets and whatever else is
    masked as its label: nothing is sent that need not be.

    Args:
        document: all its mentions.
        entity: its mentions are shown.
    """
    text = document.text
    masks = [
        (other.span, named[other.entity_id])
        for named in [labels(document)]
        for other in document.mentions
        if other.masked and other.entity_id != entity.id
    ]
    shown: dict[str, str] = {}
    for mention in entity.mentions:
        span = _shortened(sentence_around(text, mention.span), mention)
        key = normalise(span.of(text))
        if key and key not in shown:
            before = _masked(text, span.start, mention.span.start, masks)
            after = _masked(text, mention.span.end, span.end, masks)
            shown[key] = f"{before}[[{escape_line(mention.text)}]]{after}".strip()
        if len(shown) == _SENTENCES:
            break
    return list(shown.values()) or [f"[[{escape_line(entity.mentions[0].text)}]]"]


def _masked(text: str, start: int, end: int, masks: Sequence[tuple[Span, str]]) -> str:
    """A part of a text on one line, blanks around it kept, with labels for what is masked."""
    pieces = []
    for span, label in sorted(masks):
        if start <= span.start and span.end <= end:
            pieces += [text[start : span.start], label]
            start = span.end
    return re.sub(r"\s+", " ", escape("".join((*pieces, text[start:end]))))


def _shortened(sentence: Span, mention: Mention) -> Span:
    """At most ``_WIDEST`` characters on each side of the mention."""
    return Span(
        max(sentence.start, mention.span.start - _WIDEST),
        min(sentence.end, mention.span.end + _WIDEST),
    )


def _value(text: str, entity_type: str) -> Value | None:
    """What a date or quantity is read as."""
    read = {EntityType.DATETIME: parse_temporal, EntityType.QUANTITY: parse_quantity}
    parse = read.get(entity_type)
    return None if parse is None else parse(text)


def _canonical(text: str, entity: Entity) -> str | None:
    """What a date or quantity covers, in the form that candidates are compared in."""
    value = _value(text, entity.entity_type)
    return None if value is None else value.canonical()


def fits(phrase: str, entity: Entity) -> bool:
    """Whether a phrase is of the document's language and of the same kind of words as a mention.

    A verb with its object ("ran a shop") stands for a verb with its object only, and the other
    way round; nothing with a finite verb elsewhere is a phrase.

    Args:
        phrase: a cleaned candidate.
        entity: what it would stand for.
    """
    own = entity.mentions[0].text
    words = _WORD.findall(phrase)
    return not (
        any(not word.isascii() and not word[:1].isupper() for word in words)
        or any(word.islower() and is_foreign(word) for word in words if len(word) > _SHORT)
        or any(word.istitle() and word.lower() in STOP_WORDS for word in words[1:])
        or _is_verb_phrase(phrase) != _is_verb_phrase(own)
        or (_FINITE.search(phrase) and not _FINITE.search(own))
    )


def _is_verb_phrase(text: str) -> bool:
    begins = _OBJECT.match(text)
    return begins is not None and begins[1] not in STOP_WORDS


def _takes_preposition(document: Document, entity: Entity) -> bool:
    """Whether a phrase for it may begin with a preposition: it begins with one itself ("at home"),
    or is no name and stands after none ("diagnosed [[last winter]]", "he is [[bald]]")."""
    if all(_PREPOSITION.match(mention.text) for mention in entity.mentions):
        return True
    return entity.entity_type not in (EntityType.LOC, EntityType.ORG) and not any(
        _AFTER_ONE.search(document.text[max(0, each.span.start - 16) : each.span.start])
        for each in entity.mentions
    )


def clean(line: str, preposition: bool = False) -> str:
    """The phrase that a line of an answer offers, or "" if it offers none.

    Quotation marks, explanations, examples and full stops go; "A city" becomes "a city". A line
    that talks about the task, or is a sentence, offers nothing.

    Args:
        line: of the answer.
        preposition: whether it may begin with one; else that goes too.
    """
    text = unquote(" ".join(unicodedata.normalize("NFKC", line).split()))
    text = unquote(_COMMENT.sub("", text, count=1))
    text = _without_stop(text)
    text = text if preposition else _PREPOSITION.sub("", text, count=1)
    first, _, rest = text.partition(" ")
    if first.lower() in _PLAIN_FIRST:
        text = f"{first.lower()} {rest}".strip()
    if not any(map(str.isalnum, text)) or not text.isprintable() or _META.search(text):
        return ""
    if len(text.split()) > _MOST_WORDS or re.search(r"[.!?]\s", text) or text.endswith(("!", "?")):
        return ""
    return text


def _without_stop(text: str) -> str:
    """Without a closing full stop, unless it belongs to an abbreviation ("the U.S.")."""
    text = text.rstrip(" ,;:")
    last = text.rsplit(" ", 1)[-1]
    return text[:-1] if last.endswith(".") and "." not in last[:-1] else text
