"""Candidates from a language model: true, ever more general phrases, asked for by entity.

The question shows the sentence of the first mention and up to two more that say something else,
with one example of the same type before it (Pilán et al. 2024, section 3.1). All entities of a
document are asked about in one call. Persons, codes, and dates and quantities that the rules can
read are never asked about.
"""

from __future__ import annotations

import logging
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace

from intact.config import GenerationSettings
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
from intact.english.scan import parse_temporal
from intact.english.sentences import sentence_around
from intact.english.words import lemmas, normalise
from intact.generation.ladder import Subsumes, narrower, reordered
from intact.models.parsing import read, unquote
from intact.prompts import Prompts, escape_line
from intact.protocols import Completion, CompletionRequest, LanguageModel, ScoreRequest, second_try

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
_PREPOSITION = re.compile(
    r"^(?:in|at|on|from|to|of|by|with|for|into|during)\s+(?=\S)", re.IGNORECASE
)
_PLAIN_FIRST = frozenset(
    "a an the some several many few one two another someone something somewhere more less over "
    "under about around between almost nearly early mid late member resident person people large "
    "small public private local national international".split()
)
_META = re.compile(
    r"\b(?:original|replacement|span|phrase|hypernym|synonym|generic term|redacted|anonymi[sz]ed"
    r"|unknown|n/?a|none|placeholder|sentence)\b|[\[\]{}<>|_#\ufffd]|\w_\d",
    re.IGNORECASE,
)
_MOST_WORDS = 14


class LlmGenerator:
    """Asks a language model for candidates, cleans them, has it judge them, puts them in order.

    Args:
        model: the language model.
        prompts: its prompts.
        settings: how many candidates, how warm, whether to judge.
        seed: of the sampling.
        subsumes: what a knowledge base knows of one phrase being true of another, or None.

    Attributes:
        unparsed: answers so far that could not be read, the second try included.
    """

    name = "llm"

    def __init__(
        self,
        model: LanguageModel,
        prompts: Prompts,
        settings: GenerationSettings,
        seed: int = 0,
        subsumes: Subsumes | None = None,
    ) -> None:
        self._model = model
        self._prompts = prompts
        self._settings = settings
        self._seed = seed
        self._subsumes = subsumes
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
        wanted = [entity for entity in entities if is_for_model(entity)]
        if not wanted:
            return {}
        shown = {entity.id: context(document.text, entity) for entity in wanted}
        answers = self._ask([self._request(entity, shown[entity.id]) for entity in wanted])
        found = {
            entity.id: self._candidates(entity, answer)
            for entity, answer in zip(wanted, answers, strict=True)
        }
        if self._settings.judge:
            found = self._judged(wanted, shown, found)
        for entity in wanted:
            found[entity.id] = reordered(found[entity.id], entity.entity_type, self._subsumes)
        if self._settings.judge:
            self._swap_by_model([(entity, found[entity.id]) for entity in wanted])
        return {
            key: tuple(replace(candidate, rank=rank) for rank, candidate in enumerate(rungs))
            for key, rungs in found.items()
            if rungs
        }

    def _request(self, entity: Entity, sentences: Sequence[str]) -> CompletionRequest:
        count = str(self._settings.count)
        example = self._prompts.example(entity.entity_type)
        shown = self._prompts.fill(
            "generate.example",
            sentence=example.sentence,
            target=example.target,
            answer="\n".join(example.answer),
        )
        target = escape_line(entity.mentions[0].text)
        question = self._prompts.fill(
            "generate.question", count=count, sentences="\n".join(sentences), target=target
        )
        return CompletionRequest(
            self._prompts.fill("generate.prefix", count=count, example=shown.rstrip()),
            question,
            lines=self._settings.count,
            max_tokens=_ANSWER_TOKENS * self._settings.count,
            temperature=self._settings.temperature,
            seed=self._seed_of(question),
        )

    def _seed_of(self, question: str) -> int:
        return zlib.crc32(f"{self._seed}\0{question}".encode("utf-8", "replace"))

    def _ask(self, requests: Sequence[CompletionRequest]) -> list[tuple[str, ...]]:
        """The items of each answer; what cannot be read is asked once more, then given up."""
        done = self._model.complete(requests)
        items = [self._items(*pair) for pair in zip(done, requests, strict=True)]
        again = [index for index, found in enumerate(items) if not found]
        if again:
            retries = [second_try(requests[i]) for i in again]
            for index, new in zip(again, self._model.complete(retries), strict=True):
                items[index] = self._items(new, requests[index])
        lost = items.count(())
        self.unparsed += lost
        if lost:
            _LOG.info("%d of %d lists of candidates could not be read, twice", lost, len(items))
        return items

    def _items(self, done: Completion, request: CompletionRequest) -> tuple[str, ...]:
        return read(done.text, request).get("", ())

    def _candidates(self, entity: Entity, items: Sequence[str]) -> list[Candidate]:
        """The cleaned phrases, each meaning once, none known to be false."""
        seen: set[tuple[str, ...]] = set()
        kept: list[Candidate] = []
        for item in items:
            text = clean(item)
            key = lemmas(normalise(text))
            if text and key not in seen and self._may_be_true(text, entity):
                seen.add(key)
                kept.append(Candidate(text, len(kept), "llm", _canonical(text, entity)))
        return kept

    def _may_be_true(self, text: str, entity: Entity) -> bool:
        """False only where the knowledge base shows that it is not."""
        surface = entity.mentions[0].text
        if self._subsumes is None or entity.entity_type in BY_VALUE:
            return True
        return self._subsumes(text, surface, entity.entity_type) is not False

    # -- the model as its own judge ---------------------------------------------------------

    def _judged(
        self,
        entities: Sequence[Entity],
        shown: Mapping[str, Sequence[str]],
        found: Mapping[str, list[Candidate]],
    ) -> dict[str, list[Candidate]]:
        """Candidates that the model itself calls true."""
        questions = [
            self._prompts.fill(
                "judge.truth",
                sentence=shown[entity.id][0],
                target=escape_line(entity.mentions[0].text),
                candidate=escape_line(candidate.text),
            )
            for entity in entities
            for candidate in found[entity.id]
        ]
        verdicts = iter(self._yes(questions))
        return {
            entity.id: [candidate for candidate in found[entity.id] if next(verdicts)]
            for entity in entities
        }

    def _swap_by_model(self, ladders: Sequence[tuple[Entity, list[Candidate]]]) -> None:
        """Swap neighbours of which the model says that the later is a kind of the earlier only.

        One pass, and not where rules have told the two apart.
        """
        pairs = [
            (rungs, index)
            for entity, rungs in ladders
            for index in range(len(rungs) - 1)
            if not narrower(rungs[index], rungs[index + 1], entity.entity_type, self._subsumes)
        ]
        questions = []
        for rungs, index in pairs:
            one, other = escape_line(rungs[index].text), escape_line(rungs[index + 1].text)
            for specific, general in ((other, one), (one, other)):
                questions.append(
                    self._prompts.fill("judge.kind", specific=specific, general=general)
                )
        verdicts = self._yes(questions)
        for number, (rungs, index) in enumerate(pairs):
            if verdicts[2 * number] and not verdicts[2 * number + 1]:
                rungs[index], rungs[index + 1] = rungs[index + 1], rungs[index]

    def _yes(self, questions: Sequence[str]) -> list[bool]:
        """Whether the model says yes to each question; what cannot be read is a no."""
        prefix = self._prompts.templates["judge.prefix"]
        yes, no = self._prompts.templates["judge.yes"], self._prompts.templates["judge.no"]
        if self._model.scores:
            requests = [ScoreRequest(prefix, question, (yes, no)) for question in questions]
            return [good > bad for good, bad in self._model.score(requests)]
        asked = [
            CompletionRequest(prefix, question, lines=1, choices=(yes, no), max_tokens=4)
            for question in questions
        ]
        answers = zip(self._model.complete(asked), asked, strict=True)
        return [read(done.text, request).get("") == (yes,) for done, request in answers]


def is_for_model(entity: Entity) -> bool:
    """Whether a model is asked about an entity at all: not where rules do better."""
    if entity.entity_type in LABEL_ONLY or not entity.generalisable:
        return False
    if entity.entity_type == EntityType.DATETIME:
        return all(parse_temporal(surface) is None for surface in entity.surfaces)
    if entity.entity_type == EntityType.QUANTITY:
        return all(parse_quantity(surface) is None for surface in entity.surfaces)
    return True


def context(text: str, entity: Entity) -> list[str]:
    """The sentence of the first mention and up to two more that say something else.

    Each is on one line, escaped, with the mention in double square brackets.

    Args:
        text: the document's.
        entity: its mentions are shown.
    """
    shown: dict[str, str] = {}
    for mention in entity.mentions:
        span = _shortened(sentence_around(text, mention.span), mention)
        key = normalise(span.of(text))
        if key and key not in shown:
            before = escape_line(text[span.start : mention.span.start])
            after = escape_line(text[mention.span.end : span.end])
            left = " " if text[mention.span.start - 1 : mention.span.start].isspace() else ""
            right = " " if text[mention.span.end : mention.span.end + 1].isspace() else ""
            target = escape_line(mention.text)
            shown[key] = f"{before}{left}[[{target}]]{right}{after}".strip()
        if len(shown) == _SENTENCES:
            break
    return list(shown.values()) or [f"[[{escape_line(entity.mentions[0].text)}]]"]


def _shortened(sentence: Span, mention: Mention) -> Span:
    """At most ``_WIDEST`` characters on each side of the mention."""
    return Span(
        max(sentence.start, mention.span.start - _WIDEST),
        min(sentence.end, mention.span.end + _WIDEST),
    )


def _canonical(text: str, entity: Entity) -> str | None:
    """What a date or quantity covers, in the form that candidates are compared in."""
    if entity.entity_type == EntityType.DATETIME:
        temporal = parse_temporal(text)
        return None if temporal is None else temporal.canonical()
    if entity.entity_type == EntityType.QUANTITY:
        quantity = parse_quantity(text)
        return None if quantity is None else quantity.canonical()
    return None


def clean(line: str) -> str:
    """The phrase that a line of an answer offers, or "" if it offers none.

    Quotation marks, explanations, examples, full stops and leading prepositions go; "A city"
    becomes "a city". A line that talks about the task, or is a sentence, offers nothing.
    """
    text = unquote(" ".join(line.split()))
    text = unquote(_COMMENT.sub("", text, count=1))
    text = _without_stop(text)
    text = _PREPOSITION.sub("", text, count=1)
    first, _, rest = text.partition(" ")
    if first.lower() in _PLAIN_FIRST:
        text = f"{first.lower()} {rest}".strip()
    if not any(map(str.isalnum, text)) or _META.search(text):
        return ""
    if len(text.split()) > _MOST_WORDS or re.search(r"[.!?]\s", text) or text.endswith(("!", "?")):
        return ""
    return text


def _without_stop(text: str) -> str:
    """Without a closing full stop, unless it belongs to an abbreviation ("the U.S.")."""
    text = text.rstrip(" ,;:")
    last = text.rsplit(" ", 1)[-1]
    return text[:-1] if last.endswith(".") and "." not in last[:-1] else text
