"""E-mail (.eml, .mbox): headers, bodies and attachments of a message are one document.

Kept are the headers that readers see (From, To, Cc, Bcc, Reply-To, Subject, Date), text and HTML
bodies, and attachments in a format that can be read; all are decoded, sanitised, and encoded again
as they were. Everything else (routing headers, ids, signatures, pictures, attachments that cannot
be read) is removed, counted and told."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from email import message_from_bytes
from email.headerregistry import HeaderRegistry, UnstructuredHeader
from email.message import EmailMessage, MIMEPart
from email.policy import EmailPolicy
from io import BytesIO
from pathlib import Path, PurePath
from typing import Any, BinaryIO, ClassVar

from intact.domain import Document, Edit, SanitizedDocument
from intact.errors import DocumentError, FormatError, InputError
from intact.formats.base import (
    MOST_PACKED,
    Format,
    Loaded,
    Record,
    TextFormat,
    by_suffix,
    check_text,
    read_whole,
    stem,
)
from intact.formats.html import HtmlFormat
from intact.formats.pieces import Piece, rewritten, share_edits, warn_of

_HEADERS = ("From", "To", "Cc", "Bcc", "Reply-To", "Subject", "Date")
_STRUCTURE = frozenset(
    "mime-version content-type content-transfer-encoding content-disposition".split()
)
_ENCRYPTED = ("multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime")
_MULTIPARTS = ("multipart/alternative", "multipart/related")
_SIGNATURES = ("application/pgp-signature", "application/pkcs7-signature")
_MOST_DEEP = 20
_ENVELOPE = b"From MAILER-DAEMON Thu Jan  1 00:00:00 1970\n"
_FROM, _QUOTED_FROM = re.compile(rb"^(>*From )", re.M), re.compile(rb"^>(>*From )", re.M)


def _policy() -> Any:
    """Return the policy by which messages are read and written: visible headers are plain text."""
    registry: Any = HeaderRegistry()
    for name in _HEADERS:
        registry.map_to_type(name, UnstructuredHeader)
    return EmailPolicy(header_factory=registry, utf8=False)


@dataclass(slots=True)
class _Part:
    """A part of a message that is kept.

    Attributes:
        kind: its content type ("multipart/mixed", "message/rfc822", "text/plain").
        headers: the headers that are kept, of a message.
        parts: what is in it, of a multipart or a message.
        name: the name of its file, "" if it has none.
        new_name: that without what was replaced in it; None where nothing was.
        encoding: how it was encoded for transport.
        source: format, record and what was loaded, of a part with a text of its own.
        edits: of that text.
    """

    kind: str
    headers: list[tuple[str, str]] = field(default_factory=list)
    parts: list[_Part] = field(default_factory=list)
    name: str = ""
    new_name: str | None = None
    encoding: str = ""
    source: tuple[Format, Record, Loaded] | None = None
    edits: tuple[Edit, ...] = ()


class MailFormat(Format):
    """Reads a message as one document and writes it back with its text sanitised."""

    name = "mail"
    annotated = False
    suffixes: ClassVar[tuple[str, ...]] = (".eml",)
    beginnings: ClassVar[tuple[bytes, ...]] = (
        b"Received:",
        b"Return-Path:",
        b"Delivered-To:",
        b"MIME-Version:",
        b"Message-ID:",
    )

    def records(self, file: BinaryIO, where: str) -> Iterator[Record | InputError]:
        """Read the one message of the file; see ``Format``."""
        yield Record({"data": read_whole(file, where, MOST_PACKED), "number": 0}, where)

    def load(self, record: Record, annotator: str) -> Loaded:
        """Return the text of headers, bodies and attachments, without mentions; see ``Format``."""
        number = record.raw["number"]
        where = f"{record.where}, message {number}" if number else record.where
        reader = _Reader(where)
        message = reader.read_message(message_from_bytes(record.raw["data"], policy=_policy()), 0)
        pieces = [Piece(text, real=slot is not None) for text, slot in _slots(message)]
        text, odd = check_text("".join(piece.text for piece in pieces), where)
        warnings = (*odd, *warn_of(reader.gone.items(), "removed"), *reader.warnings)
        doc_id = f"{stem(record.where)}-{number}" if number else stem(record.where)
        return Loaded(Document(doc_id, text, ()), warnings=warnings, parsed=message)

    def render(self, record: Record, loaded: Loaded, sanitized: SanitizedDocument) -> bytes:
        """Return the message with its text edited, encoded as it was."""
        slots = list(_slots(loaded.parsed))
        pieces = [Piece(text, real=place is not None) for text, place in slots]
        edits = share_edits(pieces, sanitized.edits)
        texts = rewritten(pieces, sanitized.edits)
        for (old, place), own, new in zip(slots, edits, texts, strict=True):
            if place is not None and new != old:
                part, field = place
                if field == "content":
                    part.edits = tuple(own)
                elif field == "name":
                    part.new_name = new
                elif isinstance(field, int):
                    part.headers[field] = part.headers[field][0], new
        made = _written_message(loaded.parsed)
        if "MIME-Version" not in made:
            made["MIME-Version"] = "1.0"
        crlf = b"\r\n" in record.raw["data"][:4096]
        return made.as_bytes(policy=_policy().clone(linesep="\r\n" if crlf else "\n"))


class MboxFormat(MailFormat):
    """Reads a mailbox, a message a document, and writes it back."""

    name = "mbox"
    suffixes: ClassVar[tuple[str, ...]] = (".mbox", ".mbx")
    beginnings: ClassVar[tuple[bytes, ...]] = (b"From ",)

    def records(self, file: BinaryIO, where: str) -> Iterator[Record | InputError]:
        """Read the messages one after the other."""
        lines: list[bytes] = []
        number, size, blank = 0, 0, True
        for line in file:
            if blank and line.startswith(b"From "):
                if number:
                    yield self._record(lines, number, where)
                lines, size, number = [], 0, number + 1
            elif not number and line.strip():
                raise FormatError(
                    'not a mailbox (its first line does not begin with "From ")',
                    where=where,
                    remedy="A single message is .eml.",
                )
            elif number:
                lines.append(line)
                size += len(line)
            blank = not line.strip()
            if size > MOST_PACKED:
                raise FormatError(
                    f"message {number} is larger than {MOST_PACKED >> 20} MiB", where=where
                )
        if number:
            yield self._record(lines, number, where)

    def _record(self, lines: Iterable[bytes], number: int, where: str) -> Record:
        return Record({"data": _QUOTED_FROM.sub(rb"\1", b"".join(lines)), "number": number}, where)

    def render(self, record: Record, loaded: Loaded, sanitized: SanitizedDocument) -> bytes:
        """Return the message as it stands in a mailbox, without its envelope's sender and time."""
        made = super().render(record, loaded, sanitized)
        return _ENVELOPE + _FROM.sub(rb">\1", made).rstrip(b"\r\n") + b"\n\n"


class _Reader:
    """Reads a message into what is kept of it.

    Attributes:
        gone: what is removed, counted.
        warnings: what is said of attachments; no text of them.
    """

    def __init__(self, where: str) -> None:
        self._where = where
        self._attachments = 0
        self.gone: Counter[str] = Counter()
        self.warnings: list[str] = []

    def read_message(self, message: Any, depth: int) -> _Part:
        """Return a message with the headers that are kept, and its content; raise ``FormatError``
        if it has none of the headers of a message, or is nested too deeply, or ``DocumentError`` if
        it is encrypted."""
        if depth > _MOST_DEEP:
            raise FormatError("its parts are nested too deeply", where=self._where)
        headers = [
            (name, " ".join(str(value).split()))
            for name in _HEADERS
            for value in message.get_all(name, ())
        ]
        if not headers:
            raise FormatError(
                "not an e-mail (it has no From, To, Subject or Date)", where=self._where
            )
        kept = {name.lower() for name in _HEADERS} | _STRUCTURE
        self.gone["further headers"] += sum(name.lower() not in kept for name in message)
        content = self._read_part(message, depth)
        return _Part("message/rfc822", headers, [content] if content else [])

    def _read_part(self, part: Any, depth: int) -> _Part | None:
        """Return a part as it is kept, or None if it is not."""
        kind = part.get_content_type()
        if kind in _ENCRYPTED:
            raise DocumentError(
                "is encrypted",
                where=self._where,
                remedy="Open it in a mail program and save it without encryption.",
            )
        if depth > _MOST_DEEP:
            raise FormatError("its parts are nested too deeply", where=self._where)
        if kind == "message/rfc822":
            return self.read_message(part.get_payload(0), depth + 1)
        if part.is_multipart():
            kind = kind if kind in _MULTIPARTS else "multipart/mixed"
            found = [self._read_part(each, depth + 1) for each in part.iter_parts()]
            return _Part(kind, parts=[each for each in found if each is not None])
        return self._read_leaf(part, kind)

    def _read_leaf(self, part: Any, kind: str) -> _Part | None:
        """Return a body or an attachment that can be read, or None; says what is removed."""
        name = " ".join((part.get_filename() or "").split())
        if kind in _SIGNATURES:
            self.gone["signatures"] += 1
            return None
        if not name and kind not in ("text/plain", "text/html"):
            self.gone["pictures" if kind.startswith("image/") else "parts that are no text"] += 1
            return None
        encoding = str(part.get("Content-Transfer-Encoding", "")).lower()
        made = _Part(kind, name=name, encoding=encoding)
        if name:
            self._attachments += 1
            form = by_suffix(Path(name))
            unread = form is None or form.annotated or isinstance(form, MboxFormat)
            form = None if unread else form
        else:
            form = HtmlFormat() if kind == "text/html" else TextFormat()
        record = loaded = None
        try:
            record = self._record_of(part, form) if form else None
            loaded = form.load(record, "first") if form and record else None
        except InputError as error:
            if not name:
                raise DocumentError(
                    f"a body cannot be read ({error.problem})", where=self._where
                ) from None
        if form is None or record is None or loaded is None:
            what = "picture" if kind.startswith("image/") else "file"
            self.warnings.append(
                f"attachment {self._attachments} removed: a {what} in a format that cannot be read"
            )
            return None
        said = f"attachment {self._attachments}" if name else "body"
        self.warnings += [f"{said}: {each}" for each in loaded.warnings if each.strip()]
        made.source = (form, record, loaded)
        return made

    def _record_of(self, part: Any, form: Format) -> Record | None:
        """Return what a format reads of a part."""
        if part.get_content_maintype() == "text" and type(form) in (TextFormat, HtmlFormat):
            try:
                return Record(part.get_content(), self._where)
            except (LookupError, ValueError):  # a name with a null character is a ValueError
                raise DocumentError("its encoding is unknown", where=self._where) from None
        data = part.get_payload(decode=True) or b""
        found = next(form.records(BytesIO(data), self._where), None)
        if isinstance(found, InputError):
            raise found
        return found


_Place = tuple[_Part, int | str]
"""A part, and where in it a stretch of text belongs: the number of a header, "name", "content"."""


def _slots(part: _Part) -> Iterator[tuple[str, _Place | None]]:
    """Yield the text of a message in stretches, each with where it belongs."""
    for number, (name, value) in enumerate(part.headers):
        yield f"{name}: ", None
        yield value, (part, number)
        yield "\n", None
    if part.name:
        yield "\nAttachment: ", None
        yield part.name.replace("_", " "), (part, "name")
        yield "\n", None
    if part.source is not None:
        yield "\n", None
        yield part.source[2].document.text, (part, "content")
        yield "\n", None
    for each in part.parts:
        yield from _slots(each)


def _written_message(message: _Part) -> EmailMessage:
    """Return a message with its text edited."""
    made = EmailMessage(policy=_policy())
    for name, value in message.headers:
        made[name] = " ".join(value.split())
    for part in message.parts[:1]:
        _write_part(made, part)
    return made


def _write_part(made: MIMEPart, part: _Part) -> None:
    """Give a message or a part its content."""
    if part.source is not None:
        _write_leaf(made, part)
    elif part.kind == "message/rfc822":
        made.set_content(_written_message(part))
    else:
        made["Content-Type"] = part.kind
        children: list[Any] = []
        for each in part.parts:
            child = MIMEPart(policy=_policy())
            _write_part(child, each)
            children.append(child)
        made.set_payload(children)
        content = b"".join(child.as_bytes() for child in children)
        made.set_boundary(f"=_{hashlib.sha256(content).hexdigest()[:24]}")


def _write_leaf(made: MIMEPart, part: _Part) -> None:
    """Give a part its text, encoded as it was; an attachment also its name."""
    assert part.source is not None
    form, record, loaded = part.source
    document = SanitizedDocument(loaded.document, part.edits, (), ())
    content = form.render(record, loaded, document)
    text = content if isinstance(content, str) else None
    if isinstance(form, HtmlFormat) and isinstance(content, bytes):
        text = content.decode("utf-8")
    named: dict[str, Any] = {}
    if part.name:
        suffix = form.written_as or PurePath(part.name).suffix
        name = part.name if part.new_name is None else part.new_name.replace("/", " ")
        bare = PurePath(name).stem
        named = {"disposition": "attachment", "filename": f"{bare.strip() or 'file'}{suffix}"}
    if text is not None:
        kept = part.encoding if part.encoding in ("base64", "quoted-printable") else None
        subtype = "html" if isinstance(form, HtmlFormat) else "plain"
        made.set_content(text, subtype=subtype, charset="utf-8", cte=kept, **named)
    else:
        main, _, sub = part.kind.partition("/")
        damaged = not re.fullmatch(r"[\w.+-]+/[\w.+-]+", part.kind)
        if damaged or main in ("text", "multipart", "message"):
            main, sub = "application", "octet-stream"
        made.set_content(content, maintype=main, subtype=sub, cte="base64", **named)
