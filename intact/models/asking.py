"""Questions put to a language model: several in one request where that is cheaper, and read.

A server reads every prompt anew, so what shares its prefix is asked together; an engine that
keeps the prefix is asked one question after the other.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from intact.models.parsing import read
from intact.prompts import Prompts
from intact.protocols import CompletionRequest, LanguageModel, another_try


@dataclass(frozen=True, slots=True)
class Question:
    """One question, answered by so many lines.

    Attributes:
        prefix: what many questions share.
        text: the question itself, a line or a few.
        lines: of its answer.
        tokens: that a line may take.
        choices: each line is one of these; () for any line.
        temperature: 0 is greedy.
        about: what stands before it, once for all questions with the same; those are never put
            apart.
        name: of its part in an answer to several; "" for a running number.
    """

    prefix: str
    text: str
    lines: int
    tokens: int
    choices: tuple[str, ...] = ()
    temperature: float = 0.0
    about: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """The lines of an answer, and their natural log-probabilities where the model tells them."""

    lines: tuple[str, ...] = ()
    logprobs: tuple[float, ...] = ()


class Questioner:
    """Puts questions and reads the answers.

    Args:
        model: the language model.
        prompts: its prompts.
        seed: of the sampling; the same question has the same whatever is asked beside it.
        together: how many questions a request holds at most, but for those about the same.
    """

    def __init__(
        self, model: LanguageModel, prompts: Prompts, seed: int = 0, together: int = 1
    ) -> None:
        self._model = model
        self._prompts = prompts
        self._seed = seed
        self._together = together

    def put(self, questions: Sequence[Question], *, again: int = 0) -> list[Reply]:
        """A reply to each question, in order; without lines where nothing could be read.

        Args:
            questions: those with the same prefix may share a request.
            again: how often they have been put before: to be answered differently.

        Raises:
            ContextError: one does not fit the model.
            ModelError: the model failed.
        """
        packs = self._packed(questions)
        requests = [self._request([questions[index] for index in pack]) for pack in packs]
        if again:
            requests = [another_try(request, again) for request in requests]
        replies = [Reply()] * len(questions)
        done = self._model.complete(requests) if requests else []
        for pack, request, answer in zip(packs, requests, done, strict=True):
            found = read(answer.text, request)
            for index, part in zip(pack, request.parts or ("",), strict=True):
                lines = found.get(part, ())
                told = len(pack) == 1 and len(answer.logprobs) == len(lines)
                replies[index] = Reply(lines, answer.logprobs if told else ())
        return replies

    def _packed(self, questions: Sequence[Question]) -> list[list[int]]:
        """The numbers of the questions that share a request: three times as many where a word
        answers each, and no more text than fits the context beside its prefix."""
        packs: dict[object, list[list[int]]] = {}
        for index, each in enumerate(questions):
            key = each.prefix, each.lines, each.tokens, each.choices, each.temperature
            rows = packs.setdefault(key, [[]])
            own = [questions[number] for number in rows[-1]]
            same = own and each.about and own[-1].about == each.about
            most = self._together * (3 if each.choices and self._together > 1 else 1)
            about = dict.fromkeys(one.about for one in (*own, each))
            size = len("".join((*about, *(one.text for one in (*own, each)))).encode())
            if own and not same and (len(own) >= most or size > self._model.context_length):
                rows.append([])
            rows[-1].append(index)
        return [row for rows in packs.values() for row in rows]

    def _request(self, pack: Sequence[Question]) -> CompletionRequest:
        first = pack[0]
        text = first.about + first.text
        parts: tuple[str, ...] = ()
        if len(pack) > 1:
            parts = tuple(each.name or str(number) for number, each in enumerate(pack, 1))
            shown = "".join(
                ("" if before is not None and before.about == each.about else each.about)
                + f"\n[{part}] {each.text.strip()}\n"
                for before, part, each in zip((None, *pack), parts, pack, strict=False)
            )
            kind = "several.lines" if first.lines > 1 else "several.words"
            text = self._prompts.fill(kind, questions=_close(shown), first=parts[0])
        return CompletionRequest(
            first.prefix,
            text,
            lines=first.lines,
            choices=first.choices,
            parts=parts,
            max_tokens=(first.tokens * first.lines + 4 * bool(parts)) * len(pack),
            temperature=first.temperature,
            seed=zlib.crc32(f"{self._seed}\0{text}".encode("utf-8", "replace")),
        )


def _close(text: str) -> str:
    """A list of questions, blank lines only before what they are about."""
    return re.sub(r"\n+(?=\[\d+\] )", "\n", text).strip("\n")
