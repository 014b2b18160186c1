"""The protocol of formats: recognise, read and write files; and the checks that all share.

A format is a subclass of ``Format``. All about it is in that class; the only other place that knows
it is the registry."""

import codecs
import csv
import json
import math
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from io import BytesIO, StringIO
from itertools import chain, islice
from mimetypes import MimeTypes
from pathlib import Path, PurePath
from typing import IO, Any, BinaryIO, ClassVar
from warnings import catch_warnings

from intact.domain import Document, SanitizedDocument
from intact.errors import ConfigError, DocumentError, FormatError, InputError, loading, reading
from intact.formats.pieces import Piece, changes, fixed, text_of
from intact.protocols import load_part, part_names

MOST_BYTES = 16 << 20  # limit for a text that is read whole; files of documents are streamed
_HALF = "[\ud800-\udfff]"  # of a surrogate pair
_LONGEST = 6  # the most characters of a usual suffix
MOST_UNPACKED = 256 << 20  # bytes that a packed file may unpack to
MOST_PACKED = 64 << 20  # limit, in bytes, for a file that is read whole and is not all text
TOO_MUCH = "nested too deeply or a number too long to be read"
_LOOKS = tomllib.loads(Path(__file__).with_name("beginnings.toml").read_text("utf-8"))
EMPTY = "its list of mentions is empty, so they are detected"
UNREAD_REMEDY = "Save .doc as .docx and .xls as .xlsx; have an OCR program read pictures."


@dataclass(frozen=True, slots=True)
class Record:
    """One document as its file holds it."""

    raw: Any  # its content, as ``records`` read it (for JSON formats: the object)
    where: str  # the file and the place in it, for messages
    id: str = ""  # of the document if nothing in it says one; "" is the stem of its file


@dataclass(frozen=True, slots=True)
class Loaded:
    """A record as a document."""

    document: Document
    # (annotator, index among its mentions, from 0) -> id of the mention in ``document``.
    links: Mapping[tuple[str, int], str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()  # about what is no reason to refuse it; no document text
    parsed: Any = None  # what ``load`` made of the record and ``render`` needs again


Rendered = Iterable[str | bytes]  # documents as they will be in the output, in order
Output = Iterator[str | bytes]  # an output file, a piece at a time
Losses = Counter[str]  # what a format could not hold (a noun in the plural) -> how often


class Format:
    """Reads and writes one kind of file, a document at a time.

    A file consists of ``header``, the rendered documents joined by ``separator``, and ``footer``,
    unless the format has its own ``assemble``.

    Args:
        column: the column asked for, or "".
    """

    name: ClassVar[str]
    annotated: ClassVar[bool] = True  # whether its documents can bring mentions
    suffixes: ClassVar[tuple[str, ...]] = ()  # the first format that has a suffix is taken
    beginnings: ClassVar[tuple[bytes, ...]] = ()  # how its files begin, after white space
    has_columns: ClassVar[bool] = False  # whether ``name:COLUMN`` names the column with the texts
    tells: ClassVar[bool] = False  # whether its files say what was decided about each mention
    written_as: ClassVar[str] = ""  # the suffix of a sanitised file, where it is another one
    header: ClassVar[str] = ""
    separator: ClassVar[str] = ""
    footer: ClassVar[str] = ""
    needs: ClassVar[str] = "json"  # the module without which it cannot be read
    originals: bool = True  # whether files that say what was decided keep texts and other fields

    def __init__(self, column: str = "") -> None:
        self.column = column

    def records(self, file: BinaryIO, where: str) -> Iterator[Record | InputError]:
        """Yield a ``Record`` for each document of a file, in order; by default a single one, whose
        ``raw`` is all bytes of the file.

        A document that cannot be read, in a file that can, is yielded as the error itself, so that
        a caller may skip it.

        Args:
            file: at its beginning; by default at most 64 MiB.
            where: its path, for messages and for ids of documents that have none.

        Raises:
            FormatError: if the rest of the file cannot be read.
        """
        yield Record(read_whole(file, where, MOST_PACKED), where)

    def load(self, record: Record, annotator: str) -> Loaded:
        """Return the document that a record holds, with its mentions, and warnings about it. Each
        format has its own; the base class raises a ``NotImplementedError``.

        Args:
            record: as ``records`` read it.
            annotator: whose mentions: "first", "all" (the union) or a name.

        Raises:
            DocumentError: if text, id or a mention is missing or wrong.
        """
        raise NotImplementedError

    def render(self, record: Record, loaded: Loaded, sanitized: SanitizedDocument) -> str | bytes:
        """Return a document as it will be in the output; by default only its sanitised text.

        Args:
            record: what was read; formats that keep fields of the input take them from it.
            loaded: what ``load`` made of that record; its ``parsed`` may be changed.
            sanitized: the same document with its edits, whose offsets are those of ``loaded``.
        """
        return sanitized.text

    def assemble(self, pieces: Rendered, source: BinaryIO, where: str) -> Output:
        """Yield the output file, a piece at a time: by default the header, the rendered documents
        with the separator between them, and the footer. Header and footer are yielded for no
        documents, too.

        Args:
            pieces: what ``render`` returned for each document that was sanitised, in order.
            source: the input file at its beginning, for formats whose output needs it.
            where: its path, for messages.
        """
        yield self.header
        for position, piece in enumerate(pieces):
            if position and self.separator:
                yield self.separator
            yield piece
        yield self.footer

    def write(self, documents: Iterable[Document], losses: Losses) -> Iterator[bytes]:
        """Convert documents of another format into a file of this one; yield its bytes lazily, a
        piece at a time. No documents give a file with header and footer alone.

        Args:
            documents: read once, in order.
            losses: what the format cannot hold is counted here (a noun in the plural -> how often),
                while the pieces are taken; by default nothing is.

        Raises:
            ConfigError: before the first piece, if the format can only be written where it was
                read.
        """
        written = (self.dump(document) for document in documents)
        first = [*islice(written, 1)]  # a format that cannot be written says so before all else
        for piece in self.assemble(chain(first, written), BytesIO(), self.name):
            yield piece if isinstance(piece, bytes) else piece.encode("utf-8")

    def dump(self, document: Document) -> str:
        """Return a document that comes from another format as it will stand in the file. The base
        class raises a ``ConfigError``: most formats can only be written where they were read."""
        raise ConfigError(f"{self.name} can only be written where it was read")


class UnmarkedFormat(Format):
    """The base class of formats whose files never bring mentions: they have to be detected."""

    annotated = False


class TextFormat(UnmarkedFormat):
    """Plain text: one document per file, with the file's name as its id."""

    name = "text"
    suffixes: ClassVar[tuple[str, ...]] = (".txt", ".text", ".log", ".rst")

    def records(self, file: BinaryIO, where: str) -> Iterator[Record | InputError]:
        """Yield one ``Record``, whose ``raw`` is the text of the file. Line ends are kept; a byte
        order mark is dropped.

        Args:
            file: UTF-8, at most 16 MiB.
            where: the file's path, from which the document's id is made, too.

        Raises:
            FormatError: if it is larger, no text in UTF-8, or begins like another format ("%PDF-").
        """
        yield Record(decode(read_whole(file, where), where), where)

    def load(self, record: Record, annotator: str) -> Loaded:
        """Return a text as a document without mentions, with the file's name (without suffix) as
        its id; a blank text gives a warning.

        Args:
            record: its ``raw`` is the text.
            annotator: not used: nobody annotated it.
        """
        return load_plain(record.raw, record)


class PartlyReadFormat(TextFormat):
    """The base class of texts of which only some parts are read; the others stay as they are."""

    def split(self, source: str) -> tuple[list[Piece], tuple[str, ...]]:
        """Return (the pieces of a file in order, warnings about it). Pieces with a kind are not
        read; those without a place are read, but not written. The base class raises a
        ``NotImplementedError``.

        Args:
            source: the whole file.
        """
        raise NotImplementedError

    def load(self, record: Record, annotator: str) -> Loaded:
        """Return the parts of a file that are read, joined, as a document without mentions.

        Args:
            record: its ``raw`` is the whole text; ``parsed`` of the result will be all its pieces.
            annotator: not used: nobody annotated it.
        """
        parts, warnings = self.split(record.raw)
        return load_plain([part for part in parts if not part.kind], record, warnings, parts)

    def render(self, record: Record, loaded: Loaded, sanitized: SanitizedDocument) -> str:
        """Return the whole file with the parts that are read edited, the others as they were. Where
        a piece loses its beginning, the blanks behind it go, too: a line of a cue that became blank
        would end the cue.

        Args:
            record: not used.
            loaded: its ``parsed`` are the pieces of the file.
            sanitized: edits of the text that is read.
        """
        parts: list[Piece] = loaded.parsed
        new = dict(changes([part for part in parts if not part.kind], sanitized.edits))
        shown = ((part, new.get(part.place, part.text)) for part in parts if part.place is not None)
        return "".join(text if part.text[:1].isspace() else text.lstrip() for part, text in shown)


def load_record(kind: Format, record: Record, annotator: str, *, whole: bool = False) -> Loaded:
    """Return the document of a record, as its format loads it. A document without mentions is
    marked as not annotated, so that they are detected; if a format that can bring mentions brought
    an empty list, a warning says so.

    Args:
        kind: the format that read the record.
        record: one document as its file holds it.
        annotator: whose mentions: "first", "all" (the union) or a name.
        whole: whether a table with columns that nobody chose to sanitise is refused, too.

    Raises:
        InputError: if the record is not what its format says, or is nested too deeply.
    """
    try:
        loaded = kind.load(record, annotator)
    except RecursionError:
        raise FormatError("its parts are nested too deeply", where=record.where) from None
    document = loaded.document
    if whole and kind.has_columns:
        kind.render(record, loaded, SanitizedDocument(document, (), (), ()))
    if not document.annotated or (kind.annotated and document.mentions):
        return loaded
    warnings = (*loaded.warnings, *((EMPTY,) * kind.annotated))
    return replace(loaded, document=replace(document, annotated=False), warnings=warnings)


def load_plain(
    value: object, record: Record, warnings: Iterable[str] = (), parsed: Any = None, unread: int = 0
) -> Loaded:
    """Return an extracted text as a document without mentions, with its warnings. Its id is the
    record's, or else the file's name without suffix. A blank text is no error by itself: it adds
    the warning "it contains no text" before the others.

    Args:
        value: the text, or the list of its pieces; anything else is refused.
        record: what it was extracted from.
        warnings: about what was lost or is odd, without words of the document.
        parsed: what the format needs again to write the file.
        unread: the number of pictures and the like that nobody reads, and that stay.

    Raises:
        FormatError: if the text is blank, and something is unread.
        DocumentError: if it is no string, is longer than 16 Mi characters, or holds half a
            surrogate pair.
    """
    pieces = value if isinstance(value, list) else []
    text, odd = check_text(text_of(pieces) if isinstance(value, list) else value, record.where)
    if odd and unread:
        raise FormatError(f"has no text, only pictures ({unread})", where=record.where)
    document = Document(record.id or stem(record.where), text, (), kept=fixed(pieces))
    return Loaded(document, warnings=(*odd, *warnings), parsed=parsed)


def by_name(name: str) -> Format:
    """Return a new object of the format with a name; "csv:COLUMN" also names the column with the
    texts.

    Raises:
        ConfigError: if there is no such format, or a column is named for one without columns.
    """
    plain, colon, column = name.partition(":")
    made: Format = load_part("format", plain)(column)
    if colon and not made.has_columns:
        having = [n for n in part_names("format") if by_name(n).has_columns]
        remedy = f"Those that have: {', '.join(having)}."
        raise ConfigError(f"the format {plain} has no columns", remedy=remedy)
    return made


def by_suffix(path: Path) -> Format | None:
    """Return a new object of the first format, in the registry's order, that has the suffix of a
    file, in any case; None if no format has it. The file is not opened."""
    formats = map(by_name, part_names("format"))
    return next((kind for kind in formats if path.suffix.lower() in kind.suffixes), None)


def common_suffix(name: str) -> str:
    """Return the suffix of a file's name with its dot, in lower case, if it is a usual one
    (".docx"); else, and for a name without suffix, "other", since it may be somebody's name."""
    shown = Path(f"x{PurePath(name).suffix.lower()}")
    known = len(shown.suffix) <= _LONGEST and (MimeTypes().guess_type(shown)[0] or by_suffix(shown))
    return shown.suffix if known else "other"


def by_content(file: IO[bytes]) -> Format:
    """Return a new object of the first format, in the registry's order, that a file begins like,
    after a byte order mark and white space; plain text if none fits. Leave the file at its
    beginning."""
    file.seek(0)
    start = file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()
    file.seek(0)
    formats = map(by_name, part_names("format"))
    return next((kind for kind in formats if start.startswith(kind.beginnings)), TextFormat())


def read(path: Path, kind: Format | None = None) -> Iterator[tuple[Format, Record | InputError]]:
    """Yield (the file's format, record) for each document of a file, in order, lazily; a document
    that cannot be read is yielded as its error in place of the record.

    Args:
        path: of a file, not of a folder.
        kind: its format; None chooses by suffix, then by content.

    Raises:
        InputError: if the file, or the rest of it, cannot be read.
    """
    with reading(path), path.open("rb") as file:
        kind = kind or by_suffix(path) or by_content(file)
        for record in kind.records(file, str(path)):
            yield kind, record


def read_documents(
    path: Path, kind: Format | None = None, annotator: str = "first"
) -> Iterator[tuple[Format, Record, Loaded]]:
    """Yield each document of a file, in order, as (the file's format, its record, the loaded
    document).

    Args:
        path: the file.
        kind: its format; None chooses by suffix, then by content.
        annotator: "first", "all" (the union) or an annotator's name.

    Raises:
        InputError: if the file cannot be read, or at the first document that cannot be.
    """
    for form, record in read(path, kind):
        if isinstance(record, InputError):
            raise record
        yield form, record, load_record(form, record, annotator)


def all_names() -> str:
    """Return the names of all formats for messages, in the registry's order, joined by commas."""
    return ", ".join(part_names("format"))


def read_whole(file: BinaryIO, where: str, most: int = MOST_BYTES) -> bytes:
    """Return all bytes of a file, unless it is too large.

    Args:
        file: at its beginning.
        where: the file's path, for messages.
        most: the most bytes allowed.

    Raises:
        FormatError: if there are more.
    """
    data = file.read(most + 1)
    if len(data) > most:
        problem = f"larger than {most >> 20} MiB, which is the limit for files that are read whole"
        raise FormatError(problem, where=where)
    return data


def read_lines(file: BinaryIO, where: str) -> Iterator[bytes]:
    """Yield the lines of a file, with their line ends.

    Args:
        file: at its beginning, or at that of a line.
        where: the file's path, for messages.

    Raises:
        FormatError: at a line of more than 16 MiB, with its number.
    """
    for number, line in enumerate(iter(lambda: file.readline(MOST_BYTES + 1), b""), start=1):
        if len(line) > MOST_BYTES:
            problem = f"longer than {MOST_BYTES >> 20} MiB, the limit for a document"
            raise FormatError(problem, where=f"{where}, line {number}")
        yield line


def decoded(parts: Iterable[bytes], where: str) -> Iterator[str]:
    """Yield the parts of a file as text, in order, decoded from UTF-8, without a byte order mark
    and without empty parts; a character that two parts share comes with the second.

    Args:
        parts: all bytes of the file in order; a part may end inside a character.
        where: the file's path, for messages.

    Raises:
        FormatError: at a byte that is not UTF-8, with its number (from 0).
    """
    decoder, done = codecs.getincrementaldecoder("utf-8-sig")(), 0
    for data in chain(parts, [b""]):
        with decoding(where, done - len(decoder.getstate()[0])):
            text = decoder.decode(data, final=not data)
        done += len(data)
        if text:
            yield text


def decode(data: bytes, where: str) -> str:
    """Return the bytes of a file as text, decoded from UTF-8, without a byte order mark; refuse
    files that hold no text.

    Args:
        data: the whole file.
        where: the file's path, for messages.

    Raises:
        FormatError: if its first bytes are those of another format ("%PDF-"), even if it is valid
            UTF-8; else if a byte is not UTF-8, or is zero, with the number of that byte (from 0).
    """
    start = data[:16].removeprefix(b"\xef\xbb\xbf").lstrip()
    for name, look in _LOOKS.items():
        if start.startswith(tuple(map(bytes.fromhex, look["begins"]))):
            problem = f"not a text file (it looks like {name})"
            raise FormatError(problem, where=where, remedy=look["remedy"])
    with decoding(where):
        text = data.decode("utf-8-sig")
    binary = data.find(b"\0")
    if binary >= 0:
        raise FormatError(f"not a text file (a zero byte at byte {binary})", where=where)
    return text


@contextmanager
def decoding(where: str, before: int = 0, called: str = "UTF-8") -> Iterator[None]:
    """Turn the error for bytes that are not in their encoding into one that names the first such
    byte.

    Args:
        where: the file, or the line in it, for messages.
        before: the number of bytes of the file before those that are decoded.
        called: the encoding, for messages.

    Raises:
        FormatError: for a ``UnicodeDecodeError`` in the block.
    """
    try:
        yield
    except UnicodeDecodeError as error:
        raise FormatError(f"not {called} (byte {before + error.start})", where=where) from None


@contextmanager
def unreadable(problem: str, where: str) -> Iterator[None]:
    """Turn whatever a library raises inside the ``with`` block into a ``FormatError`` of one line
    for the user, and silence its warnings.

    Args:
        problem: what is wrong; the name of the exception is added, never its message.
        where: the file's path.

    Raises:
        FormatError: for any exception in the block that is not INTACT's own.
    """
    # a library's warning may quote the document
    with loading(problem, where, kind=FormatError), catch_warnings(action="ignore"):
        yield


def decode_as(data: bytes, encoding: str, where: str) -> str:
    """Return bytes as text, decoded from the encoding that their file names.

    Args:
        data: a page, or a body of a message.
        encoding: its name.
        where: the file, for messages.

    Raises:
        FormatError: if the encoding is unknown, or the bytes are not in it.
    """
    try:
        with decoding(where, called=encoding.upper()):
            return data.decode(encoding)
    except (LookupError, ValueError):  # a name with a null character is a ValueError
        raise FormatError("the encoding that it names is unknown", where=where) from None


def stem(where: str) -> str:
    """Return the id for a document from its file's path: "x" for "in/x.txt"; but "a/x" for
    "in/./a/x.txt", where "/./" separates the input folder from the path in it; and "x.txt" for
    "in/././x.txt", which says that another "x" lies beside it."""
    _, whole, place = where.rpartition("/././")
    if whole:
        return place
    _, below, place = where.rpartition("/./")
    return PurePath(place).with_suffix("").as_posix() if below else PurePath(where).stem or where


def check_text(value: object, where: str) -> tuple[str, tuple[str, ...]]:
    """Return (the text, warnings), after checking that it can be worked on: the only warning is "it
    contains no text" for a blank one; else they are ().

    Args:
        value: whatever the file holds in the place of the text.
        where: file and document, for messages.

    Raises:
        DocumentError: if it is no string, is longer than 16 Mi characters, or holds half a
            surrogate pair.
    """
    if not isinstance(value, str):
        raise DocumentError("its text is missing or not a string", where=where)
    if len(value) > MOST_BYTES:
        problem = f"its text is longer than {MOST_BYTES >> 20} Mi characters"
        raise DocumentError(problem, where=where)
    if half := re.search(_HALF, value):
        problem = f"its text holds half a surrogate pair at offset {half.start()}"
        raise DocumentError(problem, where=where)
    return value, () if value.strip() else ("it contains no text",)


def listed(names: Sequence[str], most: int = 20, width: int | None = 40) -> str:
    """Return names for a message, joined by commas: the first ones, shortened, and the number of
    the others ("a, b and 3 more"); "" for no names.

    Args:
        names: of fields, columns, documents.
        most: how many are listed.
        width: the most characters of each; None for all.
    """
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(name[:width] for name in names[:most]) + more


def check_object(record: Record) -> dict[str, Any]:
    """Return the JSON object that a record holds; raise a ``DocumentError`` if it holds another
    value."""
    if not isinstance(record.raw, dict):
        raise DocumentError("it is not an object", where=record.where)
    return record.raw


def check_id(raw: Mapping[str, Any], where: str) -> str:
    """Return the id of a document, as a string, from its "doc_id", or else its "id".

    Args:
        raw: the JSON object of the document; whole numbers serve as ids, too.
        where: file and document, for messages.

    Raises:
        DocumentError: if it has none, an empty one, or one that is not valid Unicode.
    """
    value = raw.get("doc_id", raw.get("id"))
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise DocumentError("it has no id", where=where)
    if re.search(_HALF, str(value)):
        raise DocumentError("its id is not valid Unicode", where=where)
    return str(value)


def _dict(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the names and values of a JSON object as a ``dict``; raise a ``JSONDecodeError`` that
    gives the two positions (from 1) if a name comes twice."""
    made, first = dict(pairs), dict[str, int]()
    for at, (name, _) in enumerate(pairs if len(made) < len(pairs) else (), start=1):
        if first.setdefault(name, at) != at:
            problem = f"an object has the same name twice: its names {first[name]} and {at}"
            raise json.JSONDecodeError(problem, "", 0)
    return made


def _float(number: str) -> float:
    """Return the number that digits or a name ("NaN") stand for; raise a ``JSONDecodeError`` if it
    is not finite."""
    if not math.isfinite(value := float(number)):
        raise json.JSONDecodeError("a number is none (NaN), infinite or too large", "", 0)
    return value


# Decodes JSON in which every value is read and can be written again. Its errors quote nothing.
DECODER = json.JSONDecoder(object_pairs_hook=_dict, parse_float=_float, parse_constant=_float)


def parse_json(data: bytes, where: str) -> Any:
    """Return the value that a line or a file of JSON holds.

    Args:
        data: UTF-8, with or without a byte order mark.
        where: the file, or the line in it, for messages.

    Raises:
        FormatError: if it is no JSON, is nested too deeply, has a name twice in one object, or a
            number that JSON cannot hold.
    """
    with decoding(where):
        text = data.decode("utf-8-sig")
    try:
        return DECODER.decode(text)
    except json.JSONDecodeError as error:
        place = f", line {error.lineno}, column {error.colno}" if error.doc else ""
        problem = f"not valid JSON ({error.msg}{place})"
    except (RecursionError, ValueError):
        problem = TOO_MUCH
    raise FormatError(problem, where=where)


def read_json(path: Path) -> Any:
    """Return the JSON value in a file; raise an ``InputError`` if it cannot be read or holds
    none."""
    with reading(path):
        return parse_json(path.read_bytes(), str(path))


def to_csv(heads: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """Return a table as comma-separated text, with a line feed after each row; the heads are the
    first.

    Args:
        heads: the names of the columns.
        rows: their cells, as many as heads; None becomes an empty cell.
    """
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows([heads, *rows])
    return text.getvalue()


def to_json(value: Any) -> str:
    """Return a value as compact JSON on one line. Characters beyond ASCII are kept; half a
    surrogate pair, which UTF-8 cannot hold, is escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return re.sub(_HALF, lambda half: rf"\u{ord(half[0]):x}", text)
