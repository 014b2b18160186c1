"""E-mail (.eml, .mbox): headers, bodies and attachments of a message are one document.

The headers that readers see (From, To, Cc, Bcc, Reply-To, Subject, Date), text and HTML bodies, and
attachments in a format that can be read are kept: they are decoded, sanitised, and encoded again as
they were. Everything else (routing headers, ids, signatures, pictures, attachments that cannot be
read) is removed; warnings count it."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email import headerregistry, message_from_bytes, policy, utils
from email.message import EmailMessage, MIMEPart
from io import BytesIO
from mimetypes import guess_type
from pathlib import Path, PurePath
from typing import Any, BinaryIO, ClassVar

from intact.domain import Edit, SanitizedDocument, apply_edits
from intact.errors import DocumentError, FormatError, InputError
from intact.formats import base
from intact.formats.base import Loaded, Record
from intact.formats.html import HtmlFormat
from intact.formats.neutral import contents
from intact.formats.pieces import Piece, share_edits, warn_of

_HEADERS = ("From", "To", "Cc", "Bcc", "Reply-To", "Subject", "Date")
_WORDS = contents("mail")
_BODIES = {"text/plain": base.TextFormat, "text/html": HtmlFormat}
_MOST_DEEP = 20
_ENVELOPE = b"From MAILER-DAEMON Thu Jan  1 00:00:00 1970\n"
_FROM, _QUOTED_FROM = re.compile(rb"^(>*From )", re.M), re.compile(rb"^>(>*From )", re.M)


_REGISTRY: Any = headerregistry.HeaderRegistry()
for _name in _HEADERS:
    _REGISTRY.map_to_type(_name, headerregistry.UnstructuredHeader)
# The policy for reading and writing messages, under which visible headers are plain text.
_POLICY: Any = policy.EmailPolicy(header_factory=_REGISTRY, utf8=False)


_Source = tuple[base.Format, Record, Loaded]


@dataclass(slots=True)
class _Leaf:
    """A body or an attachment that is kept."""

    name: str  # of its file, "" if it has none
    new_name: str  # that without what was replaced in it, and without suffix
    encoding: str | None  # the transfer encoding, None for the usual one
    source: _Source  # of its own text
    edits: tuple[Edit, ...] = ()  # of that text


class MailFormat(base.UnmarkedFormat):
    """Reads a message as one document and writes it back with its text sanitised."""

    name = "mail"
    suffixes: ClassVar[tuple[str, ...]] = (".eml",)
    beginnings = (*b"Received: Return-Path: Delivered-To: MIME-Version: Message-ID:".split(),)

    def load(self, record: Record, annotator: str) -> Loaded:
        """Return the text of visible headers, bodies and attachments of a message as one document
        without mentions; everything else is left out, and warnings count it.

        Args:
            record: its ``raw`` is the message.
            annotator: not used: mail brings no mentions.

        Raises:
            InputError: if it is no e-mail, is encrypted or nested more than 20 deep, or a body
                cannot be read.
        """
        reader = _Reader(record.where)
        message = reader.read_message(message_from_bytes(record.raw, policy=_POLICY), 0)
        pieces = [*_pieces(message, reader.leaves)]
        warnings = (*warn_of(reader.gone.items(), "removed"), *reader.warnings)
        return base.load_plain(pieces, record, warnings, (message, reader.leaves))

    def render(self, record: Record, loaded: Loaded, sanitized: SanitizedDocument) -> bytes:
        """Return the bytes of the message with its text edited, with encodings and line ends as
        they were.

        Args:
            record: its ``raw`` shows which line ends the message had.
            loaded: its ``parsed`` are the kept parts, which are changed.
            sanitized: edits of the extracted text.
        """
        made: EmailMessage = loaded.parsed[0]
        leaves, pieces = loaded.parsed[1], list(_pieces(*loaded.parsed))
        for piece, edits in zip(pieces, share_edits(pieces, sanitized.edits), strict=True):
            text = apply_edits(piece.text, tuple(edits))
            if piece.place is None or text == piece.text:
                continue
            part, field = piece.place
            if field == "content":
                leaves[part].edits = tuple(edits)
            elif field == "name":
                leaves[part].new_name = text.replace("/", " ")
            else:
                own = _readable(part.keys()[field], " ".join(text.split()))
                part._headers[field] = _POLICY.header_store_parse(*own)
        for part in reversed([*made.walk()]):  # those inside others come first
            if part in leaves:
                _write_leaf(part, leaves[part])
            elif part.get_content_maintype() == "multipart":
                content = b"".join(child.as_bytes() for child in part.get_payload())
                part.set_boundary(f"=_{hashlib.sha256(content).hexdigest()[:24]}")
        if "MIME-Version" not in made:
            made["MIME-Version"] = "1.0"
        crlf = b"\r\n" in record.raw[:4096]
        return made.as_bytes(policy=_POLICY.clone(linesep="\r\n" if crlf else "\n"))


class MboxFormat(MailFormat):
    """Reads a mailbox, one document per message, and writes it back."""

    name = "mbox"
    suffixes: ClassVar[tuple[str, ...]] = (".mbox", ".mbx")
    beginnings = (b"From ",)

    def records(self, file: BinaryIO, where: str) -> Iterator[Record | InputError]:
        """Yield the messages of a mailbox in order, each as a ``Record`` with its bytes and an id
        made of the file's name and the message's number ("x-2"); none for an empty file.

        Args:
            file: at its beginning, read a line at a time.
            where: the file's path, for messages.

        Raises:
            FormatError: if its first line that is not blank does not begin with "From ", or a
                message is larger than 64 MiB.
        """
        message, number, blank = bytearray(), 0, True
        for line in file:
            if blank and line.startswith(b"From "):
                if number:
                    yield self._record(message, number, where)
                message, number = bytearray(), number + 1
            elif not number and line.strip():
                problem = 'not a mailbox (its first line does not begin with "From ")'
                raise FormatError(problem, where=where)
            elif number:
                message += line
            blank = not line.strip()
            if len(message) > base.MOST_PACKED:
                problem = f"message {number} is larger than {base.MOST_PACKED >> 20} MiB"
                raise FormatError(problem, where=where)
        if number:
            yield self._record(message, number, where)

    def _record(self, message: bytearray, number: int, where: str) -> Record:
        """Return the ``Record`` of a message of a mailbox: its bytes, with quoted lines (">From ")
        as they were before, and an id made of the file's name and the message's ``number``."""
        data, place = _QUOTED_FROM.sub(rb"\1", bytes(message)), f"{where}, message {number}"
        return Record(data, place, f"{base.stem(where)}-{number}")

    def render(self, record: Record, loaded: Loaded, sanitized: SanitizedDocument) -> bytes:
        """Return the bytes of a message as it stands in a mailbox: behind an envelope that names
        neither sender nor time, lines that begin with "From " quoted, and a blank line at the end.

        Args:
            record: as ``MailFormat.render`` takes it.
            loaded: its ``parsed`` are the kept parts, which are changed.
            sanitized: edits of the extracted text.
        """
        made = super().render(record, loaded, sanitized)
        return _ENVELOPE + _FROM.sub(rb">\1", made).rstrip(b"\r\n") + b"\n\n"


class _Reader:
    """Reads a message into the parts that are kept."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._attachments = 0
        self.leaves: dict[MIMEPart, _Leaf] = {}
        self.gone: Counter[str] = Counter()  # removed
        self.warnings: list[str] = []  # of attachments; no text of them

    def read_message(self, message: Any, depth: int) -> EmailMessage:
        """Return a new message with only those headers and parts of a message, or of one attached
        to another, that are kept; enter its bodies and attachments into ``leaves`` by their new
        parts, and count in ``gone`` what is left out.

        Args:
            message: as the standard library parsed it, with the policy of this module.
            depth: how many parts it is nested in; 0 for a message by itself.

        Raises:
            FormatError: if it has none of the visible headers, or is nested too deeply.
            DocumentError: if it is encrypted, or a body cannot be read.
        """
        given = ((name, each) for name in _HEADERS for each in message.get_all(name, ()))
        headers = [(name, " ".join(str(value).split())) for name, value in given]
        if not headers:
            problem = "not an e-mail (it has no From, To, Subject or Date)"
            raise FormatError(problem, where=self._where)
        kept = {name.lower() for name in _HEADERS} | _WORDS["structure"]
        self.gone["further headers"] += sum(name.lower() not in kept for name in message)
        if any(part.defects for part in message.walk()) and not depth:
            self.warnings.append("it is cut off or damaged; what can be read of it is")
        made = EmailMessage(policy=_POLICY)
        for name, value in headers:
            made[name] = value
        self._read_part(message, depth, made)
        return made

    def _read_part(self, part: Any, depth: int, made: MIMEPart) -> bool:
        """Fill ``made``, the part that will be written, with what is kept of ``part``; return
        whether anything is. Raise an ``InputError`` if the part is encrypted or nested more than 20
        deep, or a body cannot be read."""
        kind = part.get_content_type()
        if kind in _WORDS["encrypted"]:
            remedy = "Open it in a mail program and save it without encryption."
            raise DocumentError("is encrypted", where=self._where, remedy=remedy)
        if depth > _MOST_DEEP:
            raise FormatError("its parts are nested too deeply", where=self._where)
        if kind == "message/rfc822":
            if str(part.get("Content-Transfer-Encoding", "")).lower() in _WORDS["encodings"]:
                self.warnings.append("an attached message removed: it is encoded once more")
                return False
            made.set_content(self.read_message(part.get_payload(0), depth + 1))
        elif part.is_multipart():
            made["Content-Type"] = kind if kind in _WORDS["multiparts"] else "multipart/mixed"
            parts = ((each, MIMEPart(policy=_POLICY)) for each in part.iter_parts())
            made.set_payload([own for each, own in parts if self._read_part(each, depth + 1, own)])
        elif leaf := self._read_leaf(part, kind):
            self.leaves[made] = leaf
        else:
            return False
        return True

    def _read_leaf(self, part: Any, kind: str) -> _Leaf | None:
        """Return the text, name and encoding of a body or an attachment; None if the part is
        removed, which is counted or warned of: signatures, pictures, and files that cannot be read.
        Raise a ``DocumentError`` if a body cannot be read."""
        name = " ".join((part.get_filename() or "").split())
        other = "pictures" if kind.startswith("image/") else "parts that are no text"
        signature = kind in _WORDS["signatures"]
        if signature or not (name or kind in _BODIES):
            self.gone["signatures" if signature else other] += 1
            return None
        form = base.by_suffix(Path(name)) if name else _BODIES[kind]()
        self._attachments += bool(name)
        said = f"attachment {self._attachments}" if name else "body"
        try:
            source = self._read_source(part, form)
        except InputError as error:
            if not name:
                problem = f"a body cannot be read ({error.problem})"
                raise DocumentError(problem, where=self._where, remedy=error.remedy) from None
            self.warnings.append(f"{said} removed: {error.problem}")
            return None
        self.warnings += [f"{said}: {each}" for each in source[2].warnings if each.strip()]
        encoding = str(part.get("Content-Transfer-Encoding", "")).lower()
        kept = encoding if encoding in _WORDS["encodings"] else None
        return _Leaf(name, PurePath(name).stem, kept, source)

    def _read_source(self, part: Any, form: base.Format | None) -> _Source:
        """Return a body or an attachment as its own format reads it: (format, record, loaded
        document). Raise an ``InputError`` if the format is None or one whose files bring mentions
        or hold several texts, or the part cannot be read."""
        if form is None or form.annotated or isinstance(form, MboxFormat):
            what = "picture" if part.get_content_maintype() == "image" else "file"
            raise FormatError(f"a {what} in a format that cannot be read", where=self._where)
        if part.get_content_maintype() == "text" and type(form) in (base.TextFormat, HtmlFormat):
            charset = part.get_content_charset("utf-8").replace("us-ascii", "utf-8")
            text = base.decode_as(part.get_payload(decode=True), charset, self._where)
            record = Record(text, self._where)
        else:
            data = BytesIO(part.get_payload(decode=True) or b"")
            first = next(form.records(data, self._where), FormatError("it is empty"))
            if isinstance(first, InputError):
                raise first
            record = first
        return form, record, form.load(record, "first")


def _pieces(message: EmailMessage, leaves: Mapping[MIMEPart, _Leaf]) -> Iterator[Piece]:
    """Yield the text of a message in pieces: its visible headers ("Subject: ..."), then, part by
    part, the name of an attachment and the text of a body or attachment. The place of a piece is
    (part, index of a header), (part, "name") or (part, "content"); None for what is only read."""
    for part in message.walk():
        shown = ((n, each) for n, each in enumerate(part.items()) if each[0] in _HEADERS)
        for number, (name, value) in shown:
            yield from (Piece(f"{name}: "), Piece(value, (part, number)), Piece("\n"))
        if leaf := leaves.get(part):
            if leaf.name:
                own = PurePath(leaf.name)
                stem = Piece(own.stem.replace("_", " "), (part, "name"))
                yield from (Piece("\nAttachment: "), stem, Piece(f"{own.suffix}\n"))
            text = leaf.source[2].document.text
            yield from (Piece("\n"), Piece(text, (part, "content")), Piece("\n"))


def _readable(name: str, text: str) -> tuple[str, str]:
    """Return (name, text) of an edited header as mail programs can read it. A date that is none
    becomes a comment ("Comments", "Date: ..."); a person without an address gets one that is
    nobody's: "PERSON_1 <CODE_1@example.invalid>". Other headers stay.

    Args:
        name: of the header.
        text: its new text.
    """
    if name == "Date" and utils.parsedate_tz(text) is None:
        return "Comments", f"Date: {text}"
    if name not in _HEADERS[: _HEADERS.index("Subject")]:
        return name, text
    made = []
    for one in re.findall(r'(?:[^,;"]|"[^"]*"?)+', text.rstrip(",; ")):
        who, _, address = (part.strip(' "<>') for part in one.partition("<"))
        who, address = (who, address) if address or "@" not in who else ("", who)
        if not re.fullmatch("[!-~]+@[!-~]+", address):
            label = re.sub("[^A-Za-z0-9]+", "_", address or who).strip("_")
            address = f"{label or 'nobody'}@example.invalid"
        paired = who.count("(") == who.count(")")
        made.append(utils.formataddr((who if paired else re.sub("[()]", "", who), address)))
    return name, ", ".join(made)


def _write_leaf(made: MIMEPart, part: _Leaf) -> None:
    """Put the edited text of a body or an attachment into the message part ``made``, encoded as it
    was; for an attachment, its new name as well."""
    form, record, loaded = part.source
    content = form.render(record, loaded, SanitizedDocument(loaded.document, part.edits, (), ()))
    kind = "html" if isinstance(form, HtmlFormat) else "plain"
    if kind == "html" and isinstance(content, bytes):
        content = content.decode("utf-8")
    suffix = form.written_as or PurePath(part.name).suffix
    name = f"{part.new_name.strip() or 'file'}{suffix}"
    named: Any = {"disposition": "attachment", "filename": name} if part.name else {}
    if isinstance(content, str):
        made.set_content(content, subtype=kind, charset="utf-8", cte=part.encoding, **named)
        return
    main, _, sub = (guess_type(f"x{suffix}")[0] or "application/octet-stream").partition("/")
    if main == "text":
        main, sub = "application", "octet-stream"
    made.set_content(content, maintype=main, subtype=sub, cte="base64", **named)
