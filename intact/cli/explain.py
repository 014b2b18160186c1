"""``intact explain``: why each replacement was chosen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from intact.cli.console import OUTCOME_STYLES, printable
from intact.domain import LABEL_ONLY
from intact.errors import DocumentError, FormatError, InputError
from intact.formats.base import Record, by_content, by_suffix
from intact.formats.outcome import was_ours


def explain(
    out: Annotated[Path, typer.Argument(help="What intact sanitize wrote: a file or a folder.")],
    doc_id: Annotated[str, typer.Argument(help="Id of a document.")],
    mention_id: Annotated[str | None, typer.Argument(help="Id of one mention.")] = None,
) -> None:
    """Show what replaced each mention and why: candidates, guesses, the rule that fired, risk.

    Shows originals: the output file of a run holds them.
    """
    raw = _document(out, doc_id)
    mentions = list(_mentions(raw))
    console = Console(highlight=False)
    if mention_id is None:
        console.print(_overview(doc_id, mentions))
        _say_notes(console, raw)
        return
    for mention in mentions:
        if mention_id == _id(mention):
            _say_mention(console, mention)
            return
    raise DocumentError(
        f"there is no mention {mention_id} with a recorded outcome",
        where=f"{out}, document {doc_id}",
        remedy=f"See the mentions there are: intact explain {out} {doc_id}",
    )


def _document(out: Path, doc_id: str) -> Mapping[str, Any]:
    """The sanitised document called ``doc_id``."""
    paths = sorted(p for p in out.rglob("*") if by_suffix(p)) if out.is_dir() else [out]
    found = False
    for raw in (raw for path in paths for raw in _objects(path)):
        if str(raw.get("doc_id", raw.get("id"))) == doc_id:
            found = True
            if was_ours(raw):
                return raw
    if found:
        raise FormatError(
            "the document has not been sanitised",
            where=f"{out}, document {doc_id}",
            remedy="Give the file that intact sanitize wrote.",
        )
    raise DocumentError(f"there is no document {doc_id}", where=str(out))


def _objects(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        with path.open("rb") as file:
            kind = by_suffix(path) or by_content(file)
            for record in kind.records(file, str(path)):
                if isinstance(record, Record) and isinstance(record.raw, dict):
                    yield record.raw
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=str(path)) from None


def _mentions(raw: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    layers = [layer["entity_mentions"] for layer in raw.get("annotations", {}).values()]
    for mentions in layers or [raw.get("mentions", ())]:
        for mention in mentions:
            if "outcome" in mention:
                start = mention.get("start_offset", mention.get("start"))
                end = mention.get("end_offset", mention.get("end"))
                yield {"span_text": raw["text"][start:end]} | mention


def _id(mention: Mapping[str, Any]) -> str:
    return str(mention.get("entity_mention_id", mention.get("id", "")))


def _original(mention: Mapping[str, Any]) -> str:
    return str(mention.get("span_text", mention.get("text", "")))


def _kind(mention: Mapping[str, Any]) -> str:
    return str(mention.get("entity_type", mention.get("type", mention.get("label", ""))))


def _line(shown: str) -> Text:
    return Text(printable(shown))


def _colour(outcome: str) -> Text:
    return Text(outcome, style=OUTCOME_STYLES.get(outcome, ""))


def _overview(doc_id: str, mentions: list[Mapping[str, Any]]) -> Table:
    table = Table(box=None, pad_edge=False, title=f"Document {doc_id}", title_justify="left")
    for name in ("Mention", "Type", "Original", "Replacement", "Outcome", "Why"):
        table.add_column(name, no_wrap=name in ("Mention", "Type", "Outcome"))
    for mention in mentions:
        table.add_row(
            _line(_id(mention)),
            _line(_kind(mention)),
            _line(_original(mention)),
            _line(_shown(mention)),
            _colour(mention["outcome"]),
            _line(_why(mention)),
        )
    return table


def _shown(mention: Mapping[str, Any]) -> str:
    replacement = mention["replacement"]
    if replacement is None:
        return "(left as it is)"
    return replacement or "(part of another replacement)"


def _why(mention: Mapping[str, Any]) -> str:
    """The story of a mention in a few words."""
    if mention["outcome"] == "NO_MASK":
        return "annotated as harmless"
    if mention["outcome"] == "COVERED":
        return "inside a longer mention"
    rungs = mention["candidates"]
    chosen = next(rung for rung in rungs if rung.get("chosen"))
    fallen = [rung for rung in rungs if rung.get("outcome") in ("GUESSED", "UNPARSED")]
    if chosen["source"] == "label":
        if len(rungs) == 1:
            direct = mention.get("identifier_type") == "DIRECT" or _kind(mention) in LABEL_ONLY
            return "direct identifier" if direct else "no generalisation known"
        return f"{len(fallen)} of {len(rungs) - 1} candidates fell"
    first = f"rung {chosen['rank'] + 1} of {len(rungs) - 1} ({chosen['source']})"
    if mention["outcome"] == "CONTEXT":
        first += ", told by the context, whatever stands here"
    risk = f", risk {chosen['risk']:.2f}" if "risk" in chosen else ", not attacked"
    return first + risk + (f", {len(fallen)} fell before" if fallen else "")


def _say_notes(console: Console, raw: Mapping[str, Any]) -> None:
    for swept in raw["intact"].get("swept", ()):
        original = raw["text"][swept["start_offset"] : swept["end_offset"]]
        console.print(
            _line(f"Not annotated, at {swept['start_offset']}: "),
            _line(original),
            _line(f" became {swept['replacement']}"),
            sep="",
        )
    for place in raw["intact"].get("guard", {}).get("places", ()):
        original = raw["text"][place["start_offset"] : place["end_offset"]]
        shown = f" became {place['replacement']} (guard)"
        console.print(
            _line(f"Not annotated, at {place['start_offset']}: "),
            _line(original),
            _line(shown),
            sep="",
        )
    for note in raw["intact"].get("notes", ()):
        console.print(_line(f"Note: {note}"))


def _say_mention(console: Console, mention: Mapping[str, Any]) -> None:
    console.print(_line(f"{_kind(mention)}  {_original(mention)}  became  {_shown(mention)}"))
    console.print(_line(f"Why: {_why(mention)}"))
    table = Table(
        "", "Candidate", "Source", "Outcome", "Risk", "Rule", "Guesses",
        box=None, pad_edge=False,
    )  # fmt: skip
    for rung in mention["candidates"]:
        for attack in rung.get("attacks") or rung.get("control") or [rung]:
            guesses = ", ".join(_guess(guess) for guess in attack.get("guesses", ()))
            table.add_row(
                "→" if rung.get("chosen") else "",
                _line(rung["text"]),
                _line(rung["source"]),
                _colour(attack.get("outcome", "")),
                f"{attack['risk']:.3f}" if "risk" in attack else "",
                _line(attack.get("rule", "")),
                _line(guesses),
            )
    console.print(table)


def _guess(guess: Mapping[str, Any]) -> str:
    return guess["text"] if guess["p"] is None else f"{guess['text']} {guess['p']:.2f}"
