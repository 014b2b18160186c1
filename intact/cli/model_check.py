"""One question of each prompt, put to a model: does it answer, can it be read, how fast is it?"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from intact.attack.exhibit import Layout
from intact.attack.llm import LlmAttacker
from intact.config import Settings
from intact.domain import Answer, Challenge, Document, Mention, PlacedReplacement, Span
from intact.generation.llm import LlmGenerator
from intact.prompts import Prompts
from intact.protocols import LanguageModel

_TEXT = (
    "The claimant was born in Valletta in 1958 and trained as a midwife. In 1983 she moved to "
    "Toulouse, where she was employed by the Hôpital Purpan until the flood of the Garonne. "
    "She later received a pension of 1,140 francs a month and wrote a book about Edith Piaf."
)
_SPANS = (
    ("Valletta", "LOC", "a capital in Southern Europe"),
    ("midwife", "DEM", "a health worker"),
    ("Toulouse", "LOC", "a large city in France"),
    ("Hôpital Purpan", "ORG", "a teaching hospital"),
    ("the flood of the Garonne", "MISC", "a natural disaster"),
)


@dataclass(frozen=True, slots=True)
class Check:
    """What came of one prompt.

    Attributes:
        asked: questions put.
        parsed: answers that could be read.
        right: originals guessed (or most probable in their pool), None where none are looked for.
        read: prompt tokens a second that the engine evaluated, whole prompts counted.
        seconds: it took.
    """

    prompt: str
    asked: int
    parsed: int
    right: int | None
    seconds: float
    read: float = 0.0
    written: float = 0.0


def checks(model: LanguageModel, prompts: Prompts, settings: Settings) -> Iterator[Check]:
    """Put every prompt to the model, on a small text written for it.

    Args:
        model: loaded.
        prompts: checked.
        settings: how the model generates and attacks.
    """
    yield _timed(model, "generate", partial(_generate, model, prompts, settings, False))
    yield _timed(model, "generate, judge", partial(_generate, model, prompts, settings, True))
    layouts: tuple[Layout, ...] = ("legend", "inline")
    for layout in layouts:
        own = settings.attack.model_copy(update={"kind": "guess", "layout": layout})
        attacker = LlmAttacker(model, prompts, own)
        yield _timed(model, f"attack, {layout}", partial(_attack, attacker))
    if model.scores:
        own = settings.attack.model_copy(update={"kind": "likelihood", "layout": "legend"})
        yield _timed(model, "score", partial(_attack, LlmAttacker(model, prompts, own)))


def _timed(
    model: LanguageModel, name: str, work: Callable[[], tuple[int, int, int | None]]
) -> Check:
    read, written = _usage(model)
    began = time.perf_counter()
    asked, parsed, right = work()
    seconds = time.perf_counter() - began
    now = _usage(model)
    rate = max(seconds, 1e-9)
    return Check(
        name, asked, parsed, right, seconds, (now[0] - read) / rate, (now[1] - written) / rate
    )


def _usage(model: Any) -> tuple[int, int]:
    return getattr(model, "read", 0), getattr(model, "written", 0)


def _generate(
    model: LanguageModel, prompts: Prompts, settings: Settings, judge: bool
) -> tuple[int, int, int | None]:
    chosen = settings.generation.model_copy(update={"judge": judge})
    generator = LlmGenerator(model, prompts, chosen, settings.run.seed)
    mentions = tuple(
        Mention(str(n), Span(at := _TEXT.index(text), at + len(text)), text, str(n), kind)
        for n, (text, kind, _) in enumerate(_SPANS)
    )
    document = Document("check", _TEXT, mentions)
    generator.generate(document, document.entities)
    return len(mentions), len(mentions) - generator.unparsed, None


def _attack(attacker: LlmAttacker) -> tuple[int, int, int | None]:
    text, standing = _sanitised()
    pools = {
        kind: tuple(sorted(original for original, other, _ in _SPANS if other == kind))
        for _, kind, _ in _SPANS
    }
    challenges = [
        Challenge(text, place.span, kind, standing, pools[kind])
        for place, (_, kind, _) in zip(standing, _SPANS, strict=True)
    ]
    answers = attacker.attack(challenges)
    right = sum(_hits(answer, span[0]) for answer, span in zip(answers, _SPANS, strict=True))
    return len(answers), sum(answer.parsed for answer in answers), right


def _hits(answer: Answer, original: str) -> bool:
    guesses = answer.guesses[: 1 if answer.uniform else None]
    return any(original.casefold() in guess.text.casefold() for guess in guesses)


def _sanitised() -> tuple[str, tuple[PlacedReplacement, ...]]:
    """The text with its replacements, and where they stand."""
    text, done, standing = "", 0, []
    for number, (original, _, phrase) in enumerate(_SPANS):
        at = _TEXT.index(original)
        text += _TEXT[done:at]
        standing.append(PlacedReplacement(Span(len(text), len(text) + len(phrase)), number))
        text += phrase
        done = at + len(original)
    return text + _TEXT[done:], tuple(standing)
