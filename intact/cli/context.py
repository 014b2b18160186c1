"""``intact context``: what the words that nobody annotated give away."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from intact.api import load
from intact.build import Components, build_detector, evidence_finder
from intact.cli.console import (
    Annotator,
    Config,
    Overrides,
    Quiet,
    counted,
    printable,
    result_printer,
)
from intact.config import load_settings
from intact.context.clues import CLASSES, ContextClue, find_clues
from intact.domain import Document
from intact.run.files import check_writable, write_private

_SHOWN = 6


def context(
    corpus: Annotated[Path, typer.Argument(help="Annotated documents.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write all clues as JSON (mode 0600).")
    ] = None,
    detect: Annotated[
        bool, typer.Option(help="Also list what the detector finds and nobody annotated.")
    ] = True,
    words: Annotated[bool, typer.Option(help="Show the words, not only the lines.")] = True,
    annotator: Annotator = "first",
    config: Config = None,
    overrides: Overrides = None,
    quiet: Quiet = False,
) -> None:
    """List clues outside the mentions: norms, foreign words, institutions, places, other names.

    Suggestions for a reviewer: annotate them, or set context.protect. That nothing is listed does
    not mean that nothing is told: subject and procedure tell, too.
    """
    check_writable(out)
    settings = load_settings(config, overrides or [])
    components = Components(settings)
    finder = evidence_finder(components) if settings.context.attributes else None
    detector = build_detector(settings) if detect else None
    say = result_printer(quiet=quiet)
    found: dict[str, list[dict[str, Any]]] = {}
    for document in load(corpus, annotator=annotator):
        seen = detector.detect(document.text).mentions if detector else ()
        told = finder.find(document.text) if finder else ()
        if told is None:
            say(f"{document.id}: the model's answer cannot be read, twice")
        clues = find_clues(document, components.knowledge, seen, told or ())
        found[document.id] = _objects(document, clues)
        if clues and not quiet:
            say(f"{document.id}: {counted(len(clues), 'clue')}")
            say(_table(found[document.id], words=words))
    if out is not None:
        write_private(out, json.dumps(found, ensure_ascii=False, indent=1) + "\n")
        say(f"Written: {out}. It holds words of the documents.")


def _objects(document: Document, clues: tuple[ContextClue, ...]) -> list[dict[str, Any]]:
    return [
        {
            "class": clue.kind,
            "start_offset": clue.span.start,
            "end_offset": clue.span.end,
            "line": document.text.count("\n", 0, clue.span.start) + 1,
            "text": clue.span.of(document.text),
        }
        | ({"gloss": clue.gloss} if clue.gloss else {})
        for clue in clues
    ]


def _table(clues: list[dict[str, Any]], *, words: bool) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    own = defaultdict(list)
    for clue in clues:
        own[clue["class"]].append(clue)
    for kind, title in CLASSES.items():
        if kind in own:
            at = sorted({clue["line"] for clue in own[kind]})
            shown = ", ".join(map(str, at[:_SHOWN])) + (" ..." if len(at) > _SHOWN else "")
            texts = list(dict.fromkeys(clue["text"] for clue in own[kind]))
            told = "; ".join(texts[:_SHOWN]) + (" ..." if len(texts) > _SHOWN else "")
            cells = [f"  {title}", str(len(own[kind])), f"lines {shown}"]
            table.add_row(*cells, *([printable(told)] if words else []))
    return table
