"""A language model as attacker: a stranger who reads the finished text and guesses.

One request asks for guesses at every place, and for the words that gave most away; a text that is
too long is attacked in parts. Dates, amounts and counts that the rules can read are not asked
about: whoever guesses one right was only lucky, and the rules count how many values the phrase
leaves. The attack is that of INTACT (Pilán et al. 2024, section 3.2), made on the whole document at
once.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace

from intact.config import AttackSettings
from intact.domain import Answer, Challenge, Guess, PlacedReplacement, Span, cut_at
from intact.english.scan import read_value
from intact.english.sentences import fit_sentences, sentences
from intact.models.prompts import Prompts, escape
from intact.models.reading import ask_twice
from intact.protocols import Attacker, CompletionRequest, LanguageModel

_GUESS_TOKENS, _ROW_TOKENS = 8, 24
_NUMBER_TOKENS, _QUESTION_TOKENS = 4, 128
_LEAST_PLACES = 8  # a text is shown whole if answers about this many places fit after it
_LOG = logging.getLogger("intact")


class LlmAttacker(Attacker):
    """Guesses with a language model.

    Args:
        together: places in one request; 0 for all.
    """

    name = "llm"
    reads_wordings = True  # it is shown the whole text, and so all replacements of an entity

    def __init__(
        self,
        model: LanguageModel,
        prompts: Prompts,
        settings: AttackSettings,
        seed: int = 0,
        together: int = 0,
    ) -> None:
        """Keep the model, its prompts and the settings, and work out the tokens of one answer."""
        self._model, self._prompts, self._settings = model, prompts, settings
        self._seed, self._together = seed, together
        self._row = settings.guesses * _GUESS_TOKENS + _ROW_TOKENS

    def attack(self, challenges: Sequence[Challenge]) -> Sequence[Answer]:
        """Guess the original at every place; places of one text share one request.

        Args:
            challenges: of any texts; dates and amounts that the rules can read are not asked about,
                and get an answer without guesses.

        Returns:
            One answer for each challenge, in order, its guesses likeliest first, without
                probabilities, as many as the settings allow; an answer that could not be read has
                no guesses and is not ``parsed``.

        Raises:
            ContextError: if a text does not fit the model even in parts.
            ModelError: if the model failed.

        Source: Pilán et al. 2024, section 3.2.
        """
        found: dict[int, Answer] = {}
        texts: dict[tuple[str, tuple[PlacedReplacement, ...]], list[int]] = {}
        for index, challenge in enumerate(challenges):
            if read_value(challenge.replacement, challenge.entity_type) is not None:
                found[index] = Answer(())
            else:
                texts.setdefault((challenge.text, challenge.placed), []).append(index)
        for (text, placed), indexes in texts.items():
            targets = {index: challenges[index].target for index in indexes}
            found |= self._attack_text(text, placed, targets)
        return [found[index] for index in range(len(challenges))]

    def _attack_text(
        self, text: str, placed: Sequence[PlacedReplacement], targets: Mapping[int, Span]
    ) -> dict[int, Answer]:
        """Ask the model for guesses at the places of one text, in parts if it is long; return an
        answer for each key of ``targets``. One that could not be read has no guesses and is not
        ``parsed``; the log counts these.

        Args:
            text: the sanitised text.
            placed: all its replacements; where only labels could stand, the model is shown no
                number.
            targets: the span of each place to be guessed, by any number.
        """
        marks = [place for place in placed if not place.label_only] or [
            PlacedReplacement(target, index) for index, target in targets.items()
        ]
        numbers = {place.span: place.entity + 1 for place in marks}
        shown = {part: _show(text, part, marks) for part in self._parts(text, marks)}
        fitting = {part: max(1, self._fitting(said)) for part, said in shown.items()}
        found = ask_twice(
            self._model,
            {numbers[span]: span.start for span in targets.values()},
            [(part, min(self._together or most, most)) for part, most in fitting.items()],
            lambda part, some: self._request(shown[part], some),
            self._answer,
        )
        unread = Answer((), parsed=False)
        answers = {index: found.get(numbers[span], unread) for index, span in targets.items()}
        if lost := sum(answer is unread for answer in answers.values()):
            _LOG.warning("%d of %d attacks could not be read: not safe", lost, len(targets))
        return answers

    def _answer(self, cells: Sequence[str]) -> Answer:
        """Return the cells of a row as an answer: its guesses, likeliest first, each once, and, as
        its note, the words after "//" in the last cell ("" if there are none). Without a guess it
        is not ``parsed``."""
        *others, last = cells
        guess, _, telling = last.partition("//")
        kept = list(dict.fromkeys(filter(None, [*others, guess.strip()])))[: self._settings.guesses]
        guesses = tuple(Guess(one, rank) for rank, one in enumerate(kept))
        return Answer(guesses, parsed=bool(kept), note=telling.strip())

    def _request(self, shown: str, numbers: Sequence[int]) -> CompletionRequest:
        """Return the question that shows a text and asks for guesses at the places with these
        numbers; the answer must be about nothing else (``only``)."""
        given = {"document": shown, "count": str(self._settings.guesses)}
        room = self._row * len(numbers)
        made = self._prompts.request("stranger", numbers, self._seed, max_tokens=room, **given)
        return replace(made, only=True)

    def _fitting(self, shown: str) -> int:
        """Return how many places the model can be asked about at once after it has read a text, so
        that question and answer fit its context; 0 if none."""
        used = sum(self._model.count([self._prompts.templates["stranger.prefix"], shown]))
        free = self._model.context_length - used - _QUESTION_TOKENS
        return max(0, free // (self._row + _NUMBER_TOKENS))

    def _parts(self, text: str, marks: Sequence[PlacedReplacement]) -> list[Span]:
        """Cut a text into spans of whole sentences that fit the model, in text order; return the
        whole text as one span if answers about all its places, or about eight, fit after it. Raise
        a ``ContextError`` if a sentence does not fit."""
        whole = Span(0, max(1, len(text)))
        if self._fitting(_show(text, whole, marks)) >= min(len(marks), _LEAST_PLACES):
            return [whole]
        [frame] = self._model.count([self._prompts.templates["stranger.prefix"]])
        spans = list(sentences(text, [place.span for place in marks]))
        sizes = self._model.count([_show(text, span, marks) for span in spans])
        return fit_sentences(spans, sizes, frame, self._model.context_length, share=2)


def _show(text: str, part: Span, marks: Sequence[PlacedReplacement]) -> str:
    """Return a part of a text, escaped for a prompt, with the places in it marked by their numbers
    from 1: "⟦3: a nurse⟧"."""
    numbered = ((place.span, place.entity + 1) for place in marks)
    pieces = ((escape(piece), number) for piece, number in cut_at(text, numbered, part))
    return "".join(f"⟦{number}: {said}⟧" if number else said for said, number in pieces).strip()
