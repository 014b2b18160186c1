"""A model whose answers are counted, watched and kept.

Kept answers are found again by a hash of the model's signature and the whole question, including
its seed. They are stored as the model gave them, and so contain words of the documents.
"""

import hashlib
import json
import logging
import sqlite3
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from intact.errors import ModelError
from intact.models.reading import by_number, read_rows, shape
from intact.protocols import Completion, CompletionRequest, LanguageModel

# Logs how many questions of a step are answered (``%d of %d``); its records carry the number of all
# as ``asked``.
PROGRESS = logging.getLogger("intact.questions")
PROGRESS.propagate = False
_LOG = logging.getLogger("intact")
_LEAST, _WINDOW = 20, 100
_WHERE = "settings model.extra, model.thinking_tokens, model.template"
_TABLE = (
    "CREATE TABLE IF NOT EXISTS replies (id BLOB PRIMARY KEY, answer TEXT NOT NULL) WITHOUT ROWID"
)


class AnswerStore:
    """Answers in a file of mode 0600. If it cannot be read or written, a warning is logged, and it
    counts as empty."""

    def __init__(self, path: Path) -> None:
        try:
            path.parent.mkdir(0o700, parents=True, exist_ok=True)
            path.touch(mode=0o600)
            path.chmod(0o600)
            self._file: sqlite3.Connection | None = sqlite3.connect(
                path, timeout=30, isolation_level=None, check_same_thread=False
            )
            self._file.execute(_TABLE)
        except (OSError, sqlite3.Error) as error:
            self._file = None
            _LOG.warning("answers are not kept: %s (%s)", path, type(error).__name__)

    def find(self, question: bytes) -> Completion | None:
        """Return the kept answer to a question, given as the bytes under which it was kept; None if
        there is none that can be read."""
        key = hashlib.sha256(question).digest()
        rows = self._run("SELECT answer FROM replies WHERE id = ?", (key,))
        try:
            return Completion(**json.loads(rows[0][0])) if rows else None
        except (ValueError, TypeError):
            return None

    def keep(self, question: bytes, answer: Completion) -> bool:
        """Store an answer in place of an earlier one to the same question. Return whether there is
        a usable file: False if the answer is lost.

        Args:
            question: all that the answer depends on; only its hash is written.
            answer: as the model gave it; it may contain words of the documents.
        """
        row = (hashlib.sha256(question).digest(), json.dumps(asdict(answer)))
        self._run("INSERT OR REPLACE INTO replies VALUES (?, ?)", row)
        return self._file is not None

    def close(self) -> None:
        """Close the file; from then on no answer is found or kept."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _run(self, statement: str, values: tuple[Any, ...]) -> list[Any]:
        """Run an SQL statement, and return its rows. [] if there is no file, or if the statement
        fails: then a warning is logged, and the file is closed.

        Args:
            statement: with a question mark for each value.
            values: in the order of the question marks.
        """
        try:
            return self._file.execute(statement, values).fetchall() if self._file else []
        except sqlite3.Error as error:
            _LOG.warning("the kept answers cannot be used (%s)", type(error).__name__)
            self.close()
            return []


@dataclass(eq=False)
class CountedModel:
    """A ``LanguageModel`` that asks another one, and counts in ``usage``.

    Args:
        model: the one to ask.
        store: of kept answers; None: none are kept.
        at_once: questions that are asked in one call; the answers are kept after each call.
        clock: returns seconds.
        most_unreadable: the largest share of the last answers (at least twenty, at most a hundred)
            that may be unreadable; if there are more, ``complete`` raises a ``ModelError``.
    """

    model: LanguageModel
    store: AnswerStore | None = None
    at_once: int = 1
    clock: Callable[[], float] = time.perf_counter
    most_unreadable: float = 0.3

    def __post_init__(self) -> None:
        model = self.model
        self.name, self.signature = model.name, model.signature
        self.context_length = model.context_length
        self.read, self.written, self.retried = model.read, model.written, model.retried
        self.reckoned = 0.0
        # and kept answers, tokens read and written, questions unreadable and refused, seconds
        self.usage: Counter[str] = Counter(requests=0)
        self._readable: deque[bool] = deque(maxlen=_WINDOW)
        self.unread = ""  # what the last answer that could not be read looked like

    def count(self, texts: Sequence[str]) -> Sequence[int]:
        """Return the number of tokens of each text, in order."""
        return self.model.count(texts)

    def complete(self, requests: Sequence[CompletionRequest]) -> Sequence[Completion]:
        """Return the model's answer to each request, in order, and add requests, tokens and seconds
        to ``usage``. A request whose answer is kept is not asked again; of equal ones, one is
        asked. With a store, new answers but refusals are kept. Raise a ``ModelError`` if too many
        of the last answers, kept ones included, cannot be read."""
        keys = [json.dumps([3, self.signature, asdict(request)]).encode() for request in requests]
        kept = ((key, self.store.find(key)) for key in keys if self.store is not None)
        known = {key: answer for key, answer in kept if answer is not None}
        self.usage["kept"] += sum(key in known for key in keys)
        due = {key: one for key, one in zip(keys, requests, strict=True) if key not in known}
        for done in range(0, len(due), self.at_once):
            portion = dict(islice(due.items(), done, done + self.at_once))
            began = self.clock()
            try:
                answers = self.model.complete([*portion.values()])
            finally:
                self.usage["requests"] += len(portion)
                self.usage["seconds"] += self.clock() - began  # type: ignore[assignment]
                for name in ("read", "written", "retried", "reckoned"):
                    now = getattr(self.model, name, 0)
                    if now or name != "reckoned":  # that is of trial runs
                        self.usage[name] += now - getattr(self, name)
                        setattr(self, name, now)
            for key, answer in zip(portion, answers, strict=True):
                known[key] = answer
                if self.store is not None and not answer.refused:
                    self.usage["lost"] += not self.store.keep(key, answer)
            asked = {"asked": self.usage["requests"]}
            PROGRESS.info("%d of %d", done + len(portion), len(due), extra=asked)
        for key, request in zip(keys, requests, strict=True):
            self._watch(request, known[key])
        return [known[key] for key in keys]

    def close(self) -> None:
        """Free the model, and close the store."""
        self.model.close()
        if self.store is not None:
            self.store.close()

    def _watch(self, request: CompletionRequest, done: Completion) -> None:
        """Add to ``usage``, as "refused" or "unreadable", the number of places for which an answer
        has no readable line; raise a ``ModelError`` if that is so for too many of the last places.
        An answer to a question without places needs one line, or the word "none", else it counts as
        one unreadable place.

        Args:
            request: the question, with the numbers of the places that must each have a line.
            done: its answer.
        """
        rows = read_rows(done.text)
        if request.places:
            lost = len(request.places) - len(by_number(rows, frozenset(request.places)))
            self._readable.extend(number >= lost for number in range(len(request.places)))
        else:
            lost = int(not rows and "none" not in done.text.lower())
        self.usage["refused" if done.refused else "unreadable"] += lost
        if not lost:
            return
        cut = "" if done.finished else ", cut at the limit of its tokens"
        self.unread = f"refused with {done.refused}" if done.refused else shape(done.text) + cut
        bad, known = self._readable.count(False), len(self._readable)
        if known >= _LEAST and bad > self.most_unreadable * known:
            many = f"{bad} of {known} answers of {self.name} could not be read"
            problem = f"{many} (the last one: {self.unread}), so everything would end on its label"
            raise ModelError(problem, where=_WHERE)
