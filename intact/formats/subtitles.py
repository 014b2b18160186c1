"""Subtitles and transcripts, WebVTT and SubRip: one document per file, with what is said as running
text.

Numbers of cues, lines with times and settings, marks of how words look, and style sheets stay byte
for byte; nobody reads the style sheets, so a warning counts them. Header and notes are read, too.
The speaker's name is read before what is said, and again only after somebody else has spoken."""

from intact.domain import SanitizedDocument
from intact.english.plain import may_wrap
from intact.formats.base import Loaded, Record, TextFormat, load_plain
from intact.formats.neutral import regexes
from intact.formats.pieces import LINE_END, Piece, Rest, changes

_PART = regexes("subtitles")["part"]


class WebVttFormat(TextFormat):
    """Reads the subtitles of a recording as one document, and writes them back with the words and
    the speakers' names sanitised."""

    name = "vtt"
    suffixes = (".vtt",)
    beginnings = (b"WEBVTT",)

    def load(self, record: Record, annotator: str) -> Loaded:
        """Extract what is said. A cue that ends in mid-sentence is joined to the next one.

        Args:
            record: its ``raw`` is the file; ``parsed`` will be its pieces; those that are not read
                have a kind.
            annotator: not used: subtitles bring no mentions.
        """
        rest, parts = Rest(), _split(record.raw)
        rest.kept["style sheets"] = sum(part.kind == "unread" for part in parts)
        read = [part for part in parts if not part.kind]
        return load_plain(read, record, rest.warnings(), parts)

    def render(self, record: Record, loaded: Loaded, sanitized: SanitizedDocument) -> str:
        """Return the file with what is said edited. No line of a cue becomes empty, since that
        would end the cue.

        Args:
            record: not used.
            loaded: its ``parsed`` are the pieces of the file.
            sanitized: edits of what is said.
        """
        parts: list[Piece] = loaded.parsed
        new = dict(changes([part for part in parts if not part.kind], sanitized.edits))
        shown = ((part, new.get(part.place, part.text)) for part in parts if part.place is not None)
        return "".join(text if part.text[:1].isspace() else text.lstrip() for part, text in shown)


class SubRipFormat(WebVttFormat):
    """Reads and writes SubRip."""

    name = "srt"
    suffixes = (".srt",)


def _split(source: str) -> list[Piece]:
    """Return a file in pieces: what is read (no kind); what stays ("still"), or may contain words
    that nobody reads ("unread"); and, without a place, what separates two cues when they are read.
    """
    parts, done = list[Piece](), 0
    speaker, last, apart = Piece(""), "", False  # last: what was read; apart: a cue ended since
    for found in _PART.finditer(source):
        words, done, who = source[done : found.start()], found.end(), found["speaker"]
        if said := words.strip():
            joint = Piece(" ") if may_wrap(last, said) else LINE_END
            parts += [joint] if apart else []
            last, apart = said, False
        parts.append(Piece(words, len(parts)))
        if who is None:
            parts.append(Piece(found[0], len(parts), "unread" if found["unread"] else "still"))
            apart = bool(last) and (apart or not found["look"])
        elif who == speaker.text:  # it is written as it was the first time
            parts += Piece(who, speaker.place, "still"), Piece(">", len(parts) + 1, "still")
        else:
            parts += [LINE_END] if last else []
            speaker, last, apart = Piece(who, len(parts)), who, False
            parts += speaker, Piece(": "), Piece(">", len(parts) + 2, "still")
    return parts
