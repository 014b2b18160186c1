"""Plain text with its mentions in a file beside it: ``letter.txt`` and ``letter.standoff``.

The second is one JSON object: ``{"id", "text_file": "letter.txt", "sha256", "mentions": [...]}``
with mentions as in JSONL. The hash is the text file's; offsets fit no other text.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from intact.domain import Document
from intact.errors import DocumentError, FormatError, InputError
from intact.formats.base import Loaded, Record, check_id
from intact.formats.exchange import AsJsonl, Layer, load
from intact.formats.jsonstream import parse_line
from intact.formats.reading import MOST_BYTES, decode, read_whole
from intact.formats.writing import Lost, as_object


@dataclass(frozen=True, slots=True)
class StandoffFormat(AsJsonl):
    """Reads and writes a text file and its mentions."""

    name: str = "standoff"
    annotated: bool = True
    suffixes: tuple[str, ...] = (".standoff",)

    def records(self, file: BinaryIO, where: str) -> Iterator[Record | InputError]:
        """The one document of the file; see ``Format``."""
        raw = parse_line(read_whole(file, where), where)
        if not isinstance(raw, dict):
            raise FormatError("the top level is not an object", where=where)
        text, digest = read_beside(where, raw.get("text_file"))
        if raw.get("sha256", digest) != digest:
            raise FormatError(
                "its text file is not the one it was written for (another SHA-256)",
                where=where,
                remedy="Offsets fit one text only; put the original text file beside it.",
            )
        yield Record({**raw, "text": text}, where)

    def load(self, record: Record, annotator: str) -> Loaded:
        """The document; see ``Format``."""
        raw = record.raw
        if not isinstance(raw.get("mentions"), list):
            raise DocumentError("its mentions are missing", where=record.where)
        return load(check_id(raw, record.where), raw["text"], Layer(raw["mentions"]), record.where)

    def files(self, document: Document, stem: str, lost: Lost) -> Mapping[str, bytes]:
        """The two files of a document."""
        text = document.text.encode("utf-8")
        raw = as_object(document)
        del raw["text"]
        lost.add("languages", int(raw.pop("language", "en") != "en"))
        raw |= {"text_file": f"{stem}.txt", "sha256": hashlib.sha256(text).hexdigest()}
        content = json.dumps(raw, ensure_ascii=False, indent=1) + "\n"
        return {f"{stem}.standoff": content.encode("utf-8"), f"{stem}.txt": text}


def read_beside(where: str, name: object) -> tuple[str, str]:
    """Text and SHA-256 of the text file called ``name`` in the folder of the file ``where``.

    Raises:
        FormatError: if the name leaves the folder, or it cannot be read as text.
    """
    plain = isinstance(name, str) and Path(name).name == name and "\0" not in name
    if not name or not plain or not Path(where).is_file():
        raise FormatError(
            "its text file is not named, or not in the same folder",
            where=where,
            remedy="Text and annotations lie side by side; give the annotations' path.",
        )
    path = Path(where).parent / str(name)
    try:
        with path.open("rb") as file:
            data = read_whole(file, str(path), MOST_BYTES)
    except OSError as error:
        raise FormatError(
            f"its text cannot be read ({error.strerror})",
            where=str(path),
            remedy="Text and annotations lie side by side.",
        ) from None
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    return decode(data, str(path)), hashlib.sha256(data).hexdigest()
