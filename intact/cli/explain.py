"""``intact explain``: why each replacement was chosen; ``intact verify``: the certified file?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from intact.cli.console import OUTCOME_STYLES, counted, print_error, printable
from intact.domain import LABEL_ONLY
from intact.errors import DocumentError
from intact.formats.outcome import offsets, sanitized_objects, told_mentions
from intact.review.certificate import verify as differences

Raw = Mapping[str, Any]


def explain(
    out: Annotated[Path, typer.Argument(help="What intact sanitize wrote: a file or a folder.")],
    doc_id: Annotated[
        str | None, typer.Argument(help="Id of a document; not needed where there is one.")
    ] = None,
    mention_id: Annotated[str | None, typer.Argument(help="Id of one mention.")] = None,
) -> None:
    """Show what replaced each mention and why: candidates, guesses, the rule that fired, risk.

    Shows originals: the output file, or the record in the folder OUT.run, holds them.
    """
    documents = {str(raw.get("doc_id", raw.get("id"))): raw for raw in sanitized_objects(out)}
    console = Console(highlight=False)
    if doc_id is None and len(documents) > 1:
        for name, raw in documents.items():
            console.print(_line(f"{name}: {counted(len(list(_ended(raw))), 'mention')}"))
        return
    name = doc_id or next(iter(documents))
    if name not in documents:
        raise DocumentError(f"there is no document {name}", where=str(out))
    raw = documents[name]
    if mention_id is None:
        console.print(_line(f"Document {name}"))
        console.print(_overview(raw))
        for line in _notes(raw):
            console.print(_line(line))
        return
    found = next((each for each in _ended(raw) if _id(each) == mention_id), None)
    if found is None:
        raise DocumentError(
            f"there is no mention {mention_id} with a recorded outcome",
            where=f"{out}, document {name}",
            remedy=f"See the mentions there are: intact explain {out} {name}",
        )
    _say_mention(console, raw, found)


def _ended(raw: Raw) -> Iterator[Raw]:
    return (each for each in told_mentions(raw) if "outcome" in each)


def _id(mention: Raw) -> str:
    return str(mention.get("entity_mention_id", mention.get("id", "")))


def _kind(mention: Raw) -> str:
    return str(mention.get("entity_type", mention.get("type", mention.get("label", ""))))


def _line(shown: str) -> Text:
    return Text(printable(shown))


def _colour(outcome: str) -> Text:
    return Text(outcome, style=OUTCOME_STYLES.get(outcome, ""))


def _overview(raw: Raw) -> Table:
    """Two lines a mention, beside its outcome: what became of it, and why."""
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for mention in _ended(raw):
        became = f"{_became(raw, mention)}  [{_id(mention)}]"
        why = Text(f"  {printable(_why(mention))}", style="dim")
        table.add_row(_colour(mention["outcome"]), Text("\n").join((_line(became), why)))
    return table


def _became(raw: Raw, mention: Raw) -> str:
    original = raw["text"][slice(*offsets(mention))]
    new = mention["replacement"]
    shown = (
        "stays"
        if new is None
        else f"became {new.strip()}"
        if new
        else "is part of another replacement"
    )
    return f"{_kind(mention)}: {original} {shown}"


def _why(mention: Raw) -> str:
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
    if "entry" in chosen:
        first += f", taken for {chosen['entry']}"
    if mention["outcome"] == "CONTEXT":
        first += ", told by the context, whatever stands here"
    risk = f", risk {chosen['risk']:.2f}" if "risk" in chosen else ", not attacked"
    return first + risk + (f", {len(fallen)} fell before" if fallen else "")


def _notes(raw: Raw) -> Iterator[str]:
    told = raw["intact"]
    swept = [(place, "") for place in told.get("swept", ())]
    guarded = [(place, " (guard)") for place in told.get("guard", {}).get("places", ())]
    for place, by in swept + guarded:
        start, end = place["start_offset"], place["end_offset"]
        became = f"{raw['text'][start:end]} became {place['replacement']}{by}"
        yield f"Not annotated, at {start}: {became}"
    yield from (f"Note: {note}" for note in told.get("notes", ()))


def _say_mention(console: Console, raw: Raw, mention: Raw) -> None:
    console.print(_line(_became(raw, mention)))
    console.print(_line(f"Why: {_why(mention)}"))
    for rung in mention["candidates"]:
        for attack in rung.get("attacks") or rung.get("control") or [rung]:
            said = [
                attack.get("outcome", ""),
                rung["source"],
                f"risk {attack['risk']:.3f}" if "risk" in attack else "",
                f"rule {attack['rule']}" if attack.get("rule") else "",
                f"entry {rung['entry']}" if "entry" in rung else "",
            ]
            mark = "→" if rung.get("chosen") else " "
            console.print(_line(f"{mark} {rung['text']}  ({', '.join(filter(None, said))})"))
            guesses = ", ".join(_guess(guess) for guess in attack.get("guesses", ()))
            if guesses:
                console.print(Text(f"    guesses: {printable(guesses)}", style="dim"))


def _guess(guess: Raw) -> str:
    return guess["text"] if guess["p"] is None else f"{guess['text']} {guess['p']:.2f}"


def verify(
    output: Annotated[Path, typer.Argument(help="What was released: a file or a folder.")],
    certificate: Annotated[
        Path, typer.Option(help="What intact sanitize --certificate wrote with it.")
    ],
) -> None:
    """Check a released file, or all files of a folder, against its certificate.

    Exit code: 0 it is what was certified, 1 it is not, 2 error.
    """
    wrong = differences(certificate, output)
    for line in wrong:
        print_error(line)
    if wrong:
        raise typer.Exit(1)
    typer.echo("It is what the certificate speaks of.")
