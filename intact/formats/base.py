"""What every format offers, and what it says about one document of a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Protocol, runtime_checkable

from intact.domain import Document, SanitizedDocument
from intact.errors import DocumentError, InputError


@dataclass(frozen=True, slots=True)
class Record:
    """One document as its file holds it.

    Attributes:
        raw: what the file says, undigested (for JSON formats: the object).
        where: the file and the place in it, for messages.
    """

    raw: Any
    where: str


@dataclass(frozen=True, slots=True)
class Loaded:
    """A record as a document.

    Attributes:
        links: (annotator, position among its mentions) -> id of the mention in ``document``.
        warnings: what is odd but can be lived with; no document text.
        marked: whether the document says what its mentions are, be they none; else they have to
            be detected. A format that is not ``annotated`` never does.
    """

    document: Document
    links: Mapping[tuple[str, int], str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    marked: bool = True


class Format(Protocol):
    """Reads and writes one kind of file, a document at a time.

    A file is ``header``, the rendered documents joined by ``separator``, and ``footer``.
    ``annotated`` says whether its documents bring their mentions with them.
    """

    name: str
    annotated: bool
    suffixes: tuple[str, ...]
    header: str
    separator: str
    footer: str

    def records(self, file: BinaryIO, where: str) -> Iterator[Record | InputError]:
        """The documents of a file in order, lazily.

        A document that cannot be read, in a file that can, comes as the error itself, so that
        a caller may skip it.

        Raises:
            FormatError: if the rest of the file cannot be read.
        """

    def load(self, record: Record, annotator: str) -> Loaded:
        """The record as a document, with the mentions of the annotator asked for.

        Raises:
            DocumentError: if the record is not what it must be.
        """

    def render(self, record: Record, loaded: Loaded, sanitized: SanitizedDocument) -> str:
        """The record with what was decided, as it will stand in the output."""


@runtime_checkable
class Assembling(Protocol):
    """A format whose output needs its input: what ``render`` gave is put into the old file."""

    def assemble(self, source: BinaryIO, where: str, pieces: Iterator[str]) -> Iterator[bytes]:
        """The bytes of the output.

        Args:
            source: the input, at its beginning.
            pieces: what ``render`` gave for each document that came through, in order.
        """


def check_text(value: object, where: str) -> tuple[str, tuple[str, ...]]:
    """``value`` if it is a text that can be worked on, and what is odd about it.

    Raises:
        DocumentError: if it is no string, or holds half a surrogate pair.
    """
    if not isinstance(value, str):
        raise DocumentError(
            "its text is missing or not a string", where=where, remedy='It needs "text".'
        )
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise DocumentError(
            f"its text holds half a surrogate pair at offset {error.start}",
            where=where,
            remedy="The text was cut inside a character; export it again as UTF-8.",
        ) from None
    return value, () if value.strip() else ("the text is empty",)


def check_object(record: Record) -> dict[str, Any]:
    """The JSON object of a record.

    Raises:
        DocumentError: if it is none.
    """
    if not isinstance(record.raw, dict):
        raise DocumentError("it is not an object", where=record.where)
    return record.raw


def check_id(raw: Mapping[str, Any], where: str) -> str:
    """The id of a raw document.

    Raises:
        DocumentError: if there is none.
    """
    value = raw.get("doc_id", raw.get("id"))
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise DocumentError("it has no id", where=where, remedy='Give each document a "doc_id".')
    try:
        return str(value).encode("utf-8").decode("utf-8")
    except UnicodeEncodeError:
        raise DocumentError("its id is not valid Unicode", where=where) from None
