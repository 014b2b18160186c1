"""Ask a language model a second, different question about phrases whose truth is open.

It sees the sentence and the phrases, in shuffled order and with decoys among them: phrases that are
true of other entities of the document. How it treats the decoys shows how far it can be believed.
"""

import random
import string
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from intact.domain import Document, Mention, Span
from intact.english.sentences import sentences
from intact.models.prompts import Prompts, escape_line
from intact.models.reading import ask_twice
from intact.protocols import CompletionRequest, LanguageModel

MOST_BELIEVED = 0.1  # the largest share of decoys that a model may accept and still be believed
_TOGETHER = 12  # sentences in one request
_ROW_TOKENS = 16
_NONE = "-"


@dataclass(frozen=True, slots=True)
class OpenPlace:
    """A mention with phrases whose truth is open, and decoys, which are not true of it."""

    mention: Mention
    phrases: tuple[str, ...]
    decoys: tuple[str, ...]


class SecondQuestion:
    """Asks which phrases follow from their sentences.

    Args:
        model: of the role ``reader``.
        prompts: where its words come from.
        seed: of the order in which choices are shown.
    """

    def __init__(self, model: LanguageModel, prompts: Prompts, seed: int = 0) -> None:
        self._model, self._prompts, self._seed = model, prompts, seed

    def ask(
        self, document: Document, places: Sequence[OpenPlace]
    ) -> frozenset[tuple[str, str]] | None:
        """Ask which phrases follow, with decoys among them. At a place without a readable answer,
        none does.

        Args:
            document: in which the mentions stand.
            places: with at most 26 phrases and decoys each, in all; of more, 26 drawn at random are
                shown.

        Returns:
            Pairs (id of a mention, phrase) that the model accepted, perhaps none; None if it is not
                believed, because it was shown no decoys or accepted more than a tenth of them
                (decoys at places without a readable answer do not count).
        """
        around = {place.mention.id: _sentence(document, place.mention) for place in places}
        draw = random.Random(zlib.crc32(f"{self._seed}\0{document.id}".encode()))
        choices: dict[int, dict[str, str]] = {}  # what each letter stands for
        for number, place in enumerate(places, 1):
            mixed = [*place.phrases, *place.decoys]
            draw.shuffle(mixed)
            choices[number] = dict(zip(string.ascii_lowercase, mixed, strict=False))

        def request(_: object, some: Sequence[int]) -> CompletionRequest:
            """Return the question about some places: their sentences, and below each its lettered
            phrases.

            Args:
                _: the part of the document; not used, since the question itself holds the
                    sentences.
                some: numbers of the places.
            """
            shown = []
            for number in some:
                lines = [f"{number}. {around[places[number - 1].mention.id]}"]
                listed = choices[number].items()
                lines += [f"   {letter}) {escape_line(said)}" for letter, said in listed]
                shown.append("\n".join(lines))
            given = {"sentences": "\n\n".join(shown)}
            room = _ROW_TOKENS * (len(some) + 2)
            return self._prompts.request("evidence", some, self._seed, max_tokens=room, **given)

        part = Span(0, max(1, len(document.text)))
        at = {number: place.mention.span.start for number, place in enumerate(places, 1)}
        answers = ask_twice(self._model, at, [(part, _TOGETHER)], request, _letters)
        confirmed: set[tuple[str, str]] = set()
        decoys = believed = 0
        for number, letters in answers.items():
            place, said = places[number - 1], choices[number]
            accepted = {said[letter] for letter in letters if letter in said}
            confirmed |= {(place.mention.id, one) for one in accepted.intersection(place.phrases)}
            decoys += len({*said.values()}.intersection(place.decoys))
            believed += len(accepted.intersection(place.decoys))
        trusted = decoys > 0 and believed <= MOST_BELIEVED * decoys
        return frozenset(confirmed) if trusted else None


def _letters(cells: Sequence[str]) -> tuple[str, ...] | None:
    """Return the letters that the cells of an answer choose ("b", "(C)"), in lower case; () for a
    single "-" or "none", None if a cell is anything else than one letter from a to z."""
    said = [cell.strip(" .()").lower() for cell in cells]
    if said in ([_NONE], ["none"]):
        return ()
    letters = tuple(one for one in said if len(one) == 1 and one in string.ascii_lowercase)
    return letters if len(letters) == len(said) else None


def _sentence(document: Document, mention: Mention) -> str:
    """Return the sentence of a mention on one line, escaped for a prompt, with the mention in
    square brackets: "He met [Ann Lee] there."; at most 300 characters before it and 200 after
    it."""
    text, span = document.text, mention.span
    inside = [own for own in sentences(text, [span]) if own.contains(span)]
    start, end = (inside[0].start, inside[0].end) if inside else (span.start, span.end)
    start, end = max(start, span.start - 300), min(end, span.end + 200)
    before, after = (escape_line(each) for each in (text[start : span.start], text[span.end : end]))
    return f"{before} [{escape_line(span.of(text))}] {after}".strip()
