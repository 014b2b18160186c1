"""JSON read a document at a time, with errors that name the place and never the text.

The standard library's decoder is fed a chunk at a time. The faster streaming parsers are no
replacement: yajl (ijson) turns half a surrogate pair into "?" without a word and refuses numbers
over 64 bits; its pure Python backend takes ten times as long.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator
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
        file: at its beginning.
        where: the name of the file, for messages.
        chunk: bytes to read at a time.

    Raises:
        FormatError: if the file is not one JSON array in UTF-8; tells the byte of what is no
            UTF-8, else the number of the document (from 1).
    """
    source = _Characters(file, where, chunk)
    if source.next() != "[":
        raise FormatError(
            "the top level is not a list of documents",
            where=where,
            remedy="TAB is one JSON list; for a document a line use --format jsonl.",
        )
    source.at += 1
    number = 0
    while not (source.next() == "]" and not number):
        number += 1
        try:
            value = source.value()
        except (ValueError, RecursionError) as error:
            problem = error.msg if isinstance(error, json.JSONDecodeError) else _TOO_MUCH
            raise FormatError(
                f"not valid JSON ({problem}, document {number})", where=where
            ) from None
        yield value
        if source.next() != ",":
            break
        source.at += 1
    if source.next() != "]":
        raise FormatError(
            f"not valid JSON (expected ',' or ']' after document {number})", where=where
        )
    source.at += 1
    if source.next():
        raise FormatError("not valid JSON (something follows the end of the list)", where=where)


class _Characters:
    """The characters of a file from ``at`` on; what stands before is dropped with each chunk."""

    def __init__(self, file: BinaryIO, where: str, chunk: int) -> None:
        self._file = file
        self._where = where
        self._chunk = chunk
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._text = ""
        self._bytes = 0
        self._ended = False
        self.at = 0

    def next(self) -> str:
        """The next character that is no white space, or "" at the end."""
        while True:
            space = _SPACE.match(self._text, self.at)
            self.at = space.end() if space else self.at
            if self.at < len(self._text) or self._ended:
                return self._text[self.at : self.at + 1]
            self._fill()

    def value(self) -> Any:
        """Reads one JSON value.

        Raises:
            ValueError, RecursionError: if there is none.
        """
        self.next()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self.at)
            except json.JSONDecodeError as error:
                torn = error.msg.startswith("Unterminated string")
                if self._ended or not (torn or error.pos >= len(self._text) - _SLACK):
                    raise
            else:
                goes_on = isinstance(value, int | float) and end + _SLACK > len(self._text)
                if self._ended or not goes_on:
                    self.at = end
                    return value
            self._fill()

    def _fill(self) -> None:
        """Drops what is done with and reads on, at least as much again as is left over."""
        rest = self._text[self.at :]
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
        self._text, self.at = rest + more, 0


def parse_json(
    data: bytes, where: str, pairs: Callable[[list[tuple[str, Any]]], Any] | None = None
) -> Any:
    """The JSON value of a line or a file.

    Args:
        data: its bytes.
        where: its place, for messages.
        pairs: what makes an object of its names and values.

    Raises:
        FormatError: if it is none.
    """
    try:
        return json.loads(data.decode("utf-8-sig"), object_pairs_hook=pairs)
    except UnicodeDecodeError as error:
        raise FormatError(
            f"not UTF-8 (byte {error.start})", where=where, remedy="Save it as UTF-8."
        ) from None
    except json.JSONDecodeError as error:
        raise FormatError(
            f"not valid JSON ({error.msg}, line {error.lineno}, column {error.colno})", where=where
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
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=str(path)) from None
    return parse_json(data, str(path))


def to_json(value: Any) -> str:
    """``value`` as compact JSON on one line that UTF-8 can hold."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"))
    return text
