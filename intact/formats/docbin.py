"""spaCy's DocBin (``.spacy``): mentions in ``doc.spans["intact"]`` and, where they do not
overlap, in ``doc.ents``.

Read: the span group "intact", else "sc", else the entities. Written tokens are cut at the edges
of mentions, so that no mention is lost to tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any, BinaryIO

from intact.domain import Document, IdentifierType
from intact.errors import FormatError, InputError, require
from intact.formats.base import MOST_PACKED, ConversionLosses, Loaded, Record, read_whole, stem
from intact.formats.jsonl import WrittenAsJsonl
from intact.formats.mentions import Layer, load

GROUPS = ("intact", "sc")
_IDENTIFIERS = frozenset(IdentifierType)


class DocBinFormat(WrittenAsJsonl):
    """Reads and writes DocBin files."""

    name = "docbin"
    suffixes = (".spacy",)

    def records(self, file: BinaryIO, where: str) -> Iterator[Record | InputError]:
        """The docs of the file, as texts and spans; see ``Format``."""
        spacy, tokens = require("spacy"), require("spacy.tokens")
        data = read_whole(file, where, MOST_PACKED)
        try:
            docs = list(tokens.DocBin().from_bytes(data).get_docs(spacy.blank("xx").vocab))
        except Exception as error:  # noqa: BLE001  (zlib, msgpack, spaCy: any of them may balk)
            raise FormatError(
                f"not a DocBin file ({type(error).__name__})",
                where=where,
                remedy="Write it with spacy.tokens.DocBin(...).to_disk(path).",
            ) from None
        for number, doc in enumerate(docs, start=1):
            made = stem(where) if len(docs) == 1 else f"{stem(where)}-{number}"
            doc_id = str(doc.user_data.get("id") or made)
            yield Record({"id": doc_id, **from_doc(doc)}, f"{where}, document {number}")

    def load(self, record: Record, annotator: str) -> Loaded:
        """The doc; see ``Format``."""
        raw = record.raw
        return load(raw["id"], raw["text"], Layer(raw["mentions"]), record.where)

    def write(self, documents: Iterable[Document], losses: ConversionLosses) -> Iterator[bytes]:
        """The one DocBin, with ids in the docs' user data."""
        vocab = require("spacy").blank("xx").vocab
        made = require("spacy.tokens").DocBin(store_user_data=True)
        for document in documents:
            made.add(to_doc(document, vocab, losses))
        yield made.to_bytes()


def from_doc(doc: Any) -> dict[str, Any]:
    """``text`` and ``mentions`` (as in JSONL) of a spaCy ``Doc``."""
    spans = next((doc.spans[key] for key in GROUPS if doc.spans.get(key)), None)
    mentions = []
    for span in doc.ents if spans is None else spans:
        raw = {"start": span.start_char, "end": span.end_char, "type": span.label_}
        raw |= {"entity_id": span.kb_id_} if span.kb_id_ else {}
        raw |= {"identifier_type": span.id_} if span.id_ in _IDENTIFIERS else {}
        mentions.append(raw)
    return {"text": doc.text, "mentions": mentions}


def to_doc(document: Document, vocab: Any, losses: ConversionLosses) -> Any:
    """A spaCy ``Doc`` of a document; overlapping mentions are in the span group alone.

    Args:
        document: to be written.
        vocab: spaCy's.
        losses: told what is not in ``doc.ents``.
    """
    tokens = require("spacy.tokens")
    words, spaces = _words(
        document.text,
        {m.span.start for m in document.mentions},
        {m.span.end for m in document.mentions},
    )
    doc = tokens.Doc(vocab, words=words, spaces=spaces, user_data={"id": document.id})
    starts = {token.idx: token.i for token in doc}
    ends = {token.idx + len(token): token.i + 1 for token in doc}
    spans = [
        tokens.Span(
            doc,
            starts[m.span.start],
            ends[m.span.end],
            label=m.entity_type,
            kb_id=m.entity_id,
            span_id=m.identifier_type.value,
        )
        for m in document.mentions
    ]
    doc.spans[GROUPS[0]] = tokens.SpanGroup(doc, name=GROUPS[0], spans=spans)
    doc.ents = require("spacy.util").filter_spans(spans)
    losses.add(
        "mentions that overlap others, in doc.spans but not in doc.ents",
        len(spans) - len(doc.ents),
    )
    losses.add("languages", int(document.language != "en"))
    return doc


def _words(text: str, starts: set[int], ends: set[int]) -> tuple[list[str], list[bool]]:
    """Tokens, and whether a space follows each; together they give the text.

    A single space belongs to the token before it, unless a mention begins or ends with it.
    """
    words: list[str] = []
    spaces: list[bool] = []
    cut = sorted({0, len(text), *starts, *ends})
    for low, high in pairwise(cut):
        for match in re.finditer(r"\w+|[^\w\s]|\s+", text[low:high]):
            at = low + match.start()
            bare = match[0] == " " and at not in starts and at + 1 not in ends
            if bare and words and not spaces[-1]:
                spaces[-1] = True
            else:
                words.append(match[0])
                spaces.append(False)
    return words, spaces
