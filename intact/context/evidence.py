"""What a language model works out of somebody from a text, and the words by which it does.

It is asked for guesses at given attributes with verbatim evidence (Staab et al. 2025, Large
language models are advanced anonymizers); what does not stand in the text is dropped. The same
question is an attack on what stands for the evidence: it holds where the model no longer names it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from intact.context.clues import ContextClue
from intact.domain import Answer, Challenge, Guess, Span
from intact.english.fold import key
from intact.models.questions import Question, Questioner
from intact.prompts import Prompts, escape
from intact.protocols import LanguageModel

_LINE = re.compile(r"(?P<attribute>[^\"“”:]+?), (?P<guess>[^\"“”]+?): ?[\"“](?P<words>.+)[\"”]\.?")
_MOST, _TOKENS = 60, 30


class EvidenceFinder:
    """Finds evidence, and attacks replacements by looking for it again.

    Args:
        model: the language model.
        prompts: its prompts.
        attributes: what it looks for, in words ("age", "occupation").
        seed: of the sampling.
    """

    name = "evidence"
    reads_labels = False

    def __init__(
        self, model: LanguageModel, prompts: Prompts, attributes: Sequence[str], seed: int = 0
    ) -> None:
        self._questioner = Questioner(model, prompts, seed)
        self._prompts = prompts
        self._attributes = tuple(attributes)

    def find(self, text: str) -> list[ContextClue] | None:
        """The evidence in a text, with the guesses as glosses; None where no answer can be read.

        Raises:
            ContextError: the text does not fit the model.
            ModelError: the model failed.
        """
        prefix = self._prompts.fill(
            "evidence.prefix", attributes="; ".join(self._attributes), document=escape(text)
        )
        question = Question(prefix, self._prompts.templates["evidence.question"], _MOST, _TOKENS)
        for again in (0, 1):
            lines = self._questioner.put([question], again=again)[0].lines
            found = [match for line in lines if (match := _LINE.fullmatch(line.strip()))]
            if found or any(line.strip(" .").lower() == "none" for line in lines):
                return [clue for match in found for clue in _standing(text, match)]
        return None

    def attack(self, challenges: Sequence[Challenge]) -> Sequence[Answer]:
        """One answer a challenge: what is told by words that touch its place.

        Raises:
            ContextError: a text does not fit the model.
            ModelError: the model failed.
        """
        read: Mapping[str, list[ContextClue] | None] = {
            text: self.find(text) for text in dict.fromkeys(each.text for each in challenges)
        }
        return [_answer(challenge.target, read[challenge.text]) for challenge in challenges]


def _answer(place: Span, evidence: Sequence[ContextClue] | None) -> Answer:
    """What is told is held to be told for certain."""
    if evidence is None:
        return Answer((), parsed=False)
    told = dict.fromkeys(clue.gloss for clue in evidence if clue.span.overlaps(place))
    guesses = tuple(Guess(text, rank, 0.0) for rank, text in enumerate(told))
    return Answer(guesses, uniform=bool(guesses))


def _standing(text: str, match: re.Match[str]) -> list[ContextClue]:
    """The places of quoted words, whatever blanks or quotation marks stand between them."""
    words = re.split(r"[\s'’\"“”]+", match["words"].strip(" .…"))
    pattern = r"[\s'’\"“”]+".join(re.escape(word) for word in words if word)
    if not any(sign.isalnum() or not sign.isascii() for sign in pattern):
        return []
    first = r"\w" if pattern[0].isalnum() else r"\A\Z"  # a sign may stand right behind a word
    gloss = f"{match['attribute'].strip()}: {match['guess'].strip()}"
    return [
        ContextClue("evidence", Span(*place.span()), key(place.group()), gloss)
        for place in re.finditer(rf"(?<!{first}){pattern}(?!\w)", text)
    ]
