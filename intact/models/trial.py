"""The model of ``sanitize --plan``: the real one for some seconds, then one that imitates it.

From the real one's answers we learn how fast it reads and writes on this machine; and, by kind of
question, what share of the tokens it may write it does write, for what share of places it writes no
line, and what share of originals its guesses hit. The rest is estimated, and imitated at these
rates.
"""

import logging
import re
import time
import zlib
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, repeat

from intact.config import ModelSettings
from intact.errors import IntactError
from intact.models.counted import AnswerStore, CountedModel
from intact.models.load import load_model
from intact.models.local import common_length
from intact.models.reading import by_number, read_rows
from intact.protocols import Completion, CompletionRequest

SAMPLE = 30.0  # seconds for which the real model is asked
_MOST = 20.0  # of them for one kind of question
_PIECE = 1000  # characters of the text with which the speed is measured
_USUAL = 0.45  # share of the granted tokens that answers take, with models that follow instructions
_HIT = 0.35  # share of places that strong models guess
_KIND = 60  # characters at the beginning of a prefix that identify the kind of question
_BESIDE = 4  # questions in one call
_ENOUGH = 40  # places that suffice to know how a kind is answered, and tokens to know how fast
_FEW = 8  # places that are asked about even if it takes longer
_PRIOR = 4  # the weight, in places, of the usual rates
_FRAME = 7  # tokens around a question
_KEPT = 4  # prefixes that an engine remembers
Requests = Sequence[CompletionRequest]
_MARK = r"([^⟦⟧]{0,24})⟦(\d+)(?:=\d+)?(\||:)(?:\w+\|)?\s*([^⟦⟧]*)⟧"


@dataclass(slots=True)
class _Sample:
    """Real answers to one kind of question."""

    seconds: float = 0.0
    granted: int = 0  # tokens that they were allowed to take
    used: int = 0
    places: int = 0
    hits: int = 0  # originals that were guessed
    said: list[str] = field(default_factory=list)  # the first cell of each line


class TrialModel:
    """A ``LanguageModel`` for a trial run. Without a real model, it only imitates one.

    Args:
        settings: ``extra["real"]`` holds those of the real model, if it is to be asked.
        clock: returns seconds.

    Attributes:
        reckoned: seconds that all calls would have taken, less those that they did take.
    """

    def __init__(
        self, settings: ModelSettings, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self.name = self.signature = "dry-run"
        self.context_length = settings.context
        self.read = self.written = self.retried = 0
        self.reckoned = 0.0
        self._clock, self._keeps = clock, not settings.url
        self._known = deque([""], maxlen=_KEPT)  # the texts that were asked last
        self._real: CountedModel | None = None
        self._reading = self._writing = 0.0  # seconds for a token
        self._originals: dict[str, str] = {}  # by the words before them
        self._samples: dict[tuple[str, bool], _Sample] = defaultdict(_Sample)
        if "real" in settings.extra:
            own = ModelSettings.model_validate(settings.extra["real"])
            try:
                store = AnswerStore(own.store) if own.store else None
                self._real = CountedModel(load_model(own), store, own.parallel, most_unreadable=1.0)
                self.context_length = self._real.context_length
            except IntactError as error:
                logging.getLogger("intact").warning("its speed cannot be measured: %s", error)

    def count(self, texts: Sequence[str]) -> Sequence[int]:
        """Return the number of tokens of each text, in order; without a real model a quarter of its
        characters, rounded up."""
        return self._real.count(texts) if self._real else [-(-len(text) // 4) for text in texts]

    def complete(self, requests: Requests) -> Sequence[Completion]:
        """Return an answer to each request, in order: the real model's while there is time, and
        then made-up ones of the right shape. What all would have cost is estimated and added up:
        the tokens in ``read`` and ``written`` and, with a real model, the seconds, less those that
        passed, in ``reckoned``. Answers that the real model had kept from before cost nothing."""
        began, seconds, done = self._clock(), 0.0, list[Completion]()
        if self._real is not None and not self._reading:
            self._measure(self._real, (requests[0].prefix + requests[0].question)[1:])
        for at in range(0, len(requests), _BESIDE):
            some = requests[at : at + _BESIDE]
            sample = self._samples[some[0].prefix[:_KIND], bool(some[0].places)]
            marks = [mark for one in some for mark in _marks(one).values()]
            self._originals |= {words: said for words, plan, said in marks if plan}
            left = SAMPLE - sum(one.seconds for one in self._samples.values())
            if sample.places >= _FEW:
                left = min(left, _MOST - sample.seconds)
            if self._real is not None and self._reckon(some, sample)[2] <= left:
                before = self._real.usage["requests"]
                done += self._ask(self._real, some, sample)
                if before == self._real.usage["requests"]:
                    continue  # all were kept from before
            else:
                begun = chain(self._ask_some(some, sample, left), repeat(""))
                done += map(self._imitate, some, begun, repeat(sample))
            read, written, due = self._reckon(some, sample)
            self.read, self.written = self.read + read, self.written + written
            seconds += due
            self._known.extend(one.prefix + one.question for one in some)
        if self._real is not None:
            self.reckoned += seconds - (self._clock() - began)
        return done

    def close(self) -> None:
        """Free the real model."""
        if self._real is not None:
            self._real.close()

    def _measure(self, real: CountedModel, text: str) -> None:
        """Measure the seconds that reading and writing a token take, with pieces of a question, and
        keep them as estimates; the first piece only warms up. The time that this takes counts
        against ``SAMPLE``.

        Args:
            real: the model that is measured.
            text: of a question.
        """
        took = [self._clock()]
        for size, most in ((_PIECE // 4, 1), (_PIECE, 1), (_PIECE, 16)):
            [done] = real.model.complete([CompletionRequest(text[-size:], "", max_tokens=most)])
            took.append(self._clock())
        read, both = took[2] - took[1], took[3] - took[2]
        self._reading = read / max(1, done.prompt_tokens)
        self._writing = max(0.0, both - (0.0 if self._keeps else read)) / max(1, done.answer_tokens)
        self._samples["", False].seconds = took[3] - took[0]
        real.read, real.written = real.model.read, real.model.written  # that was not asked for

    def _ask(self, real: CountedModel, requests: Requests, sample: _Sample) -> Sequence[Completion]:
        """Ask the real model, and return its answers. Learn from them, for this kind of question,
        how many places get a line and how many originals are guessed; learn what they cost only if
        no answer had been kept.

        Args:
            real: the model to ask.
            requests: of one kind.
            sample: of this kind; it is updated.
        """
        began, before = self._clock(), real.usage.copy()
        done = real.complete(requests)
        seconds = self._clock() - began
        sample.seconds += seconds
        new = real.usage - before
        if new["requests"] == len(requests):
            sample.granted += sum(request.max_tokens for request in requests)
            sample.used += new["written"]
            if new["written"] > _ENOUGH:
                self._writing = max(0.0, seconds - self._reading * new["read"]) / new["written"]
        for request, answer in zip(requests, done, strict=True):
            marks, sample.places = _marks(request), sample.places + len(request.places)
            for number, cells in by_number(read_rows(answer.text), {*request.places}).items():
                sample.said.append(cells[0])
                words, plan, _ = marks.get(number, ("", True, ""))
                original = set() if plan else _telling(self._originals.get(words, ""))
                sample.hits += any(original & _telling(guess) for guess in cells)
        return done

    def _ask_some(self, requests: Requests, sample: _Sample, left: float) -> Iterator[str]:
        """Ask the real model about as many places as there is time for, until enough are known.
        Yield its answers: to the first questions, or to the first places of one.

        Args:
            requests: of one kind.
            sample: of this kind; it is updated.
            left: seconds for which it may be asked.
        """
        for one in requests:
            _, written, due = self._reckon([one], sample)
            many, writing = len(one.places), self._writing * written
            spare = (left - due + writing) / writing * many if writing else 0
            enough = _ENOUGH if sample.places >= _FEW or many <= _BESIDE else _FEW
            some = one.places[: max(0, min(int(spare), enough - sample.places))]
            if self._real is None or not some:
                return
            part = replace(one, places=some, max_tokens=one.max_tokens * len(some) // many)
            left += sample.seconds
            [answer] = self._ask(self._real, [part], sample)
            left -= sample.seconds
            yield answer.text

    def _reckon(self, requests: Requests, sample: _Sample) -> tuple[int, int, float]:
        """Estimate what some questions cost: (tokens that are read, tokens of the answers,
        seconds).

        Args:
            requests: of one kind.
            sample: of this kind; where it is empty, all kinds together are taken.
        """
        read, known = 0, [*self._known]
        for request in requests:
            text = request.prefix + request.question
            shared = max(common_length(one, text) for one in known) if self._keeps else 0
            read += _FRAME + self.count([text[shared:]])[0]
            known.append(text)
        own = [sample] if sample.granted else [*self._samples.values()]
        granted = sum(one.granted for one in own)
        share = sum(one.used for one in own) / granted if granted else _USUAL
        written = round(share * sum(request.max_tokens for request in requests))
        return read, written, self._reading * read + self._writing * written

    def _imitate(self, request: CompletionRequest, begun: str, sample: _Sample) -> Completion:
        """Make up an answer with a line for each place, or "none". Where generalisations are asked
        for, a line says "rules" (the rules' proposals), or a phrase that the real model repeats;
        where guesses are, it gives originals at the rate at which the real model guesses them, else
        a made-up name; at places without a mark, "-". Lines are left out at the real model's rate.
        The same question always has the same answer.

        Args:
            request: the question.
            begun: the real model's answer for the first places, or ""; it is kept as it is.
            sample: what is known of this kind of question.
        """
        lines, often = len(sample.said), [s for s in sample.said if sample.said.count(s) > 1]
        missing = (sample.places - lines) / (sample.places + _PRIOR)
        hit = (sample.hits + _PRIOR * _HIT) / (lines + _PRIOR)
        marks, rows = _marks(request), [begun]
        there = by_number(read_rows(begun), {*request.places})
        for number in request.places:
            words, plan, said = marks.get(number, ("", False, "-"))
            if plan:
                said = [*often, "rules"][min(int(_draw(words) * (lines + _PRIOR)), len(often))]
            elif number in marks:
                said = (_draw(words + said) < hit and self._originals.get(words)) or "Kobadigo"
            if number not in there and _draw(f"{number}{words}{request.seed}") >= missing:
                rows.append(f"{number} | {said}")
        return Completion("\n".join(filter(None, rows)) or "none")


def _marks(request: CompletionRequest) -> dict[int, tuple[str, bool, str]]:
    """Return (words before it in lower case, whether it shows an original, its own words) of each
    mark of a question, by its number: 7 -> ("she met", True, "Ann Lee") for "She met ⟦7| Ann
    Lee⟧"."""
    found = re.findall(_MARK, request.prefix + request.question)
    return {int(number): (words.strip().lower(), sign == "|", said)
            for words, number, sign, said in found}  # fmt: skip


def _telling(text: str) -> set[str]:
    """Return the different words of a text with more than three letters, in small letters."""
    return {word for word in re.findall(r"\w+", text.lower()) if len(word) > 3}


def _draw(key: str) -> float:
    """Return a number in [0, 1) that depends only on the key."""
    return zlib.crc32(key.encode("utf-8", "replace")) / 2**32
