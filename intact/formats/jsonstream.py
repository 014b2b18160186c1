"""JSON read a document at a time, with errors that name the place and never the text."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from intact.errors import FormatError, InputError

CHUNK = 1 << 20
_SPACE = re.compile(r"[ \t\r\n]*")
_SLACK = 16  # a literal, number or escape cut by the end of a chunk is shorter than this
_TOO_MUCH = "nested too deeply or a number too long to be read"
_DECODER = json.JSONDecoder()


def iterate_array(file: BinaryIO, where: str, chunk: int = CHUNK) -> Iterator[Any]:
    """The values of a file that holds one JSON array, each as soon as it has been read.

    Holds one value and one chunk in memory. A byte order mark is allowed.

    Args:
        chunk: bytes to read at a time.

    Raises:
        FormatError: if the file is not one JSON array in UTF-8.
    """
    source = _Buffer(file, where, chunk)
    if source.peek() != "[":
        raise FormatError(
            "the top level is not a list of documents",
            where=where,
            remedy="TAB is one JSON list; for a document a line use --format jsonl.",
        )
    source.skip()
    if source.peek() == "]":
        source.skip()
    else:
        yield source.value()
        while source.peek() == ",":
            source.skip()
            yield source.value()
        if source.peek() != "]":
            raise source.error("expected ',' or ']' after a document")
        source.skip()
    if source.peek():
        raise source.error("something follows the end of the list")


def parse_line(line: bytes, where: str) -> Any:
    """The JSON value of one line.

    Raises:
        FormatError: if it is none.
    """
    try:
        return json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise FormatError(
            f"not UTF-8 (byte {error.start} of the line)", where=where, remedy="Save it as UTF-8."
        ) from None
    except json.JSONDecodeError as error:
        raise FormatError(
            f"not valid JSON ({error.msg}, column {error.colno})", where=where
        ) from None
    except (RecursionError, ValueError):
        raise FormatError(_TOO_MUCH, where=where) from None


def read_json(path: Path) -> Any:
    """The JSON value in a file.

    Raises:
        InputError: if the file cannot be read.
        FormatError: if it holds no JSON.
    """
    try:
        return json.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=str(path)) from None
    except UnicodeDecodeError as error:
        raise FormatError(f"not UTF-8 (byte {error.start})", where=str(path)) from None
    except json.JSONDecodeError as error:
        raise FormatError(
            f"not valid JSON ({error.msg}, line {error.lineno}, column {error.colno})",
            where=str(path),
        ) from None
    except (RecursionError, ValueError):
        raise FormatError(_TOO_MUCH, where=str(path)) from None


class _Buffer:
    """The undecided rest of a file, refilled as needed."""

    def __init__(self, file: BinaryIO, where: str, chunk: int) -> None:
        self._file = file
        self._where = where
        self._chunk = chunk
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._text = ""
        self._at = 0
        self._bytes = 0
        self._lines = self._column = 1  # where the buffer begins
        self._ended = False

    def peek(self) -> str:
        """The next character that is no white space, or "" at the end."""
        while True:
            space = _SPACE.match(self._text, self._at)
            self._at = space.end() if space else self._at
            if self._at < len(self._text) or self._ended:
                return self._text[self._at : self._at + 1]
            self._fill()

    def skip(self) -> None:
        """Passes the character that ``peek`` showed."""
        self._at += 1

    def value(self) -> Any:
        """Reads one JSON value."""
        self.peek()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if self._ended or not self._may_be_cut(error):
                    raise self.error(error.msg, error.pos) from None
            except (RecursionError, ValueError):
                raise self.error(_TOO_MUCH) from None
            else:
                goes_on = isinstance(value, int | float) and end + _SLACK > len(self._text)
                if self._ended or not goes_on:
                    self._at = end
                    return value
            self._fill()

    def error(self, problem: str, at: int | None = None) -> FormatError:
        """An error at ``at`` (default: here), with its line and column in the file."""
        at = self._at if at is None else at
        line = self._lines + self._text.count("\n", 0, at)
        newline = self._text.rfind("\n", 0, at)
        column = at - newline if newline >= 0 else self._column + at
        return FormatError(
            f"not valid JSON ({problem}, line {line}, column {column})", where=self._where
        )

    def _may_be_cut(self, error: json.JSONDecodeError) -> bool:
        return error.msg.startswith("Unterminated string") or (
            error.pos >= len(self._text) - _SLACK
        )

    def _fill(self) -> None:
        """Drops what is done with and reads on, at least as much again as is left over."""
        newline = self._text.rfind("\n", 0, self._at)
        self._lines += self._text.count("\n", 0, self._at)
        self._column = self._at - newline if newline >= 0 else self._column + self._at
        rest = self._text[self._at :]
        data = self._file.read(max(self._chunk, len(rest)))
        try:
            more = self._decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            raise FormatError(
                f"not UTF-8 (near byte {self._bytes + error.start})",
                where=self._where,
                remedy="Save the file as UTF-8.",
            ) from None
        self._bytes += len(data)
        self._ended = not data
        self._text, self._at = rest + more, 0


def to_json(value: Any) -> str:
    """``value`` as compact JSON on one line that UTF-8 can hold."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(value)
    return text
