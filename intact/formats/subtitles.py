"""Subtitles and transcripts, WebVTT and SubRip: one document per file, with what is said as running
text.

Numbers of cues, lines with times and settings, marks of how words look, and style sheets stay byte
for byte; nobody reads the style sheets, so a warning counts them. Header and notes are read, too.
The speaker's name is read before what is said, and again only after somebody else has spoken."""

from intact.english.plain import may_wrap
from intact.formats.base import PartlyReadFormat
from intact.formats.neutral import regexes
from intact.formats.pieces import LINE_END, Piece, Rest

_PART = regexes("subtitles")["part"]


class WebVttFormat(PartlyReadFormat):
    """Reads the subtitles of a recording as one document, and writes them back with the words and
    the speakers' names sanitised."""

    name = "vtt"
    suffixes = (".vtt",)
    beginnings = (b"WEBVTT",)

    def split(self, source: str) -> tuple[list[Piece], tuple[str, ...]]:
        """Return (pieces of a file in order, warnings). What is read has no kind; what stays has
        the kind "still", or "unread" if it may contain words (style sheets), which a warning
        counts. What separates two cues when they are read has no place: a blank if a sentence goes
        on, else a line end.

        Args:
            source: the whole file.
        """
        rest, parts, done = Rest(), list[Piece](), 0
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
        rest.kept["style sheets"] = sum(part.kind == "unread" for part in parts)
        return parts, rest.warnings()


class SubRipFormat(WebVttFormat):
    """Reads and writes SubRip."""

    name = "srt"
    suffixes = (".srt",)
