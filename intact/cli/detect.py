"""``intact detect``: find mentions in plain text, and measure detectors; ``convert``: annotated
documents from one tool's format to another's; ``context``: what unannotated words reveal."""

import json
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import typer
from rich.table import Column, Table
from typer.core import TyperGroup

from intact.api import load
from intact.cli import DONE, LEFT_OUT, LOOK, console, options
from intact.cli.options import DETECTORS, Many, Opt, Writes
from intact.context import CLASSES, ContextClue, find_clues
from intact.domain import ENTITY_TYPES, Document
from intact.english.numbers import counted
from intact.english.vocabulary import vocabulary
from intact.errors import ConfigError
from intact.formats.base import all_names, by_name, by_suffix, listed
from intact.pipeline import Components, build_detector
from intact.planning.glossary import draft_glossary, noted_labels
from intact.protocols import Detection
from intact.run.files import AtomicFile, as_tab, check_writable, detect, write_private
from intact.run.files import convert as run

_COLUMNS: dict[str, str] = vocabulary("texts")["measured"]
_BY_TYPE = {kind: f"recall/mentions/{kind}" for kind in ENTITY_TYPES}


class _InputFirst(TyperGroup):
    """Reads ``intact detect INPUT`` as ``intact detect text INPUT``; the same for its help."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments of a command, after putting ``text`` before them if they do not begin
        with the name of a command; return those that are left over.

        Args:
            ctx: of click.
            args: what follows ``intact detect``.
        """
        if args and args[0] not in self.commands:
            args = ["text", *args]
        return super().parse_args(ctx, args)


Finds = Sequence[tuple[Document, Detection]]
_HELP = "Find personal information: intact detect INPUT -o OUT.json."
app = console.command_group(_HELP, cls=_InputFirst)


@app.command("text")
def text(
    source: options.Source,
    out: Path | None = Writes(None, "--out", "-o", help="Where to write, as TAB's JSON; - prints."),
    glossary: Path | None = Writes(None, help="Instead draft a glossary (CSV) of all people."),
    detector: str | None = Opt(None, help=DETECTORS),
    threshold: float | None = Opt(None, min=0.0, max=1.0, help="Drop findings that score less."),
    kind: options.InputFormat = None,
    columns: options.Columns = "",
    config: options.Config = None,
    overrides: options.Overrides = None,
    skip_bad: options.SkipBad = False,
    doubts: bool = Opt(False, "--doubts", help="List what may have been missed, worst first."),
    require_certain: options.RequireCertain = False,
    quiet: options.Quiet = False,
) -> None:
    """Find personal information in texts and write it as TAB's JSON, or draft a glossary.

    Exit code: 0 done, 1 something was left out, 2 error, 3 unsure (with --require-certain).
    To measure detectors: intact detect evaluate CORPUS.
    """
    console.quiet_libraries()
    names = detector and detector.split(",")
    own = {"detection.threshold": threshold, "detection.detectors": names}
    settings = console.settings_of(config, overrides, own)
    if (out is None) == (glossary is None):
        raise ConfigError("name one of the two, and no more", where="-o, --glossary")
    began = time.monotonic()
    if glossary:  # one that is there already may be somebody's work
        check_writable(into=glossary.absolute().parent, new=[glossary.name])
        out = glossary
    with console.written_to(str(out)) as place, console.ProgressReporter(quiet=quiet) as reporter:
        sources, unread = console.find_sources(source, kind, place, columns=columns)
        finder = build_detector(Components(settings))
        warn = (lambda message: None) if doubts else reporter.warned  # doubts are listed at the end
        skip = reporter.skipped if skip_bad else None
        with closing(AtomicFile(place)) as file:  # begun before anything is detected
            found = [*detect(sources, finder, skip, warn, whole=bool(glossary))]
            tab = by_name("tab").assemble(map(as_tab, found), BytesIO(), place.name)
            file.fill(draft_glossary([one for one, _ in found]) if glossary else tab)
            file.publish()
    piped = str(out) == "-"
    say = console.result_printer(quiet=quiet, stderr=piped)
    by = f"{', '.join(settings.detection.chosen())} in {time.monotonic() - began:.1f} s"
    _print_counts(found, by, say)
    written = "the standard output" if piped else out
    say(f"Written: {written}. No detector finds everything: have it read before you rely on it.")
    console.print_unread(unread)
    told = vocabulary("texts")["told"]["noted"]
    console.print_list(told, noted_labels(glossary), "label", console.print_warning)
    if doubts:
        console.print_doubts(_doubts(found), say)
    done = LOOK if require_certain and any(seen.notes for _, seen in found) else DONE
    raise typer.Exit(LEFT_OUT if reporter.left_out or unread else done)


def _doubts(found: Finds) -> dict[str, tuple[float, tuple[str, ...]]]:
    """Return what may have been missed, by document id: (estimated mentions missed per 100 words,
    remarks). Blank texts are absent."""
    told = {one.id: (seen.notes, seen.doubts) for one, seen in found if one.text.strip()}
    return {name: (doubts.rate, (*notes, *doubts.left)) for name, (notes, doubts) in told.items()}


def _print_counts(found: Finds, by: str, say: Callable[[str], None]) -> None:
    """Print two lines: how many documents, mentions and entities there are, and how many mentions
    of each type, by name.

    Args:
        found: the documents.
        by: names who found them, and how fast.
        say: prints a line.
    """
    mentions = [mention for document, _ in found for mention in document.mentions]
    said = f"{counted(len(found), 'document')}, {counted(len(mentions), 'mention')}"
    entities = sum(len(document.entities) for document, _ in found)
    say(f"{said} of {entities} entit{'y' if entities == 1 else 'ies'} by {by}.")
    types = Counter(mention.entity_type for mention in mentions)
    say(", ".join(f"{name} {count}" for name, count in sorted(types.items())))


@app.command("evaluate")
def evaluate(
    corpus: options.Corpus,
    detector: Many = Opt(None, help=f"{DETECTORS} Repeat to compare."),
    config: options.Config = None,
    overrides: options.Overrides = None,
    quiet: options.Quiet = False,
) -> None:
    """Measure recall and precision of detectors against annotations.

    Do not judge a tagger on documents that it was trained on.
    """
    from intact.evaluation.corpus import read_corpus
    from intact.evaluation.detection import measured

    console.quiet_libraries("wordfreq")
    read = read_corpus(corpus)
    results = {}
    with console.ProgressReporter(quiet=quiet) as reporter:
        for names in detector or ("patterns,knowledge,tagger",):
            chosen = {"detection.detectors": names.split(",")}
            finder = build_detector(Components(console.settings_of(config, overrides, chosen)))
            progress = partial(reporter.progress, names, total=len(read.documents))
            results[names] = measured(finder, read.documents, read.layers, progress)
    say = console.result_printer(quiet=False)
    for title, columns in (("Recall and precision", _COLUMNS), ("Recall by type", _BY_TYPE)):
        heads = [Column(column, justify="right") for column in columns]
        table = Table("detectors", *heads, title=title, title_justify="left", box=None)
        for names, (scores, _) in results.items():
            table.add_row(names, *(f"{scores[part].value:.3f}" for part in columns.values()))
        say(table)
    for names, (_, unsure) in results.items():
        say(f"{names}: unsure of {counted(unsure, 'document')}")


def convert(
    source: options.Source,
    out: options.Converted,
    from_: str | None = Opt(None, "--from", help="The input's format; else by suffix and content."),
    columns: options.Columns = "",
    to: str | None = Opt(None, help="The output's format; else by suffix."),
    annotator: options.Annotator = "first",
    skip_bad: options.SkipBad = False,
    quiet: options.Quiet = False,
) -> None:
    """Convert annotations from one tool's format to another's, and say what is lost.

    All formats can be read; tab, jsonl and labelstudio can be written. The text is the one that
    sanitize reads, as offsets refer to it: cells of columns that are named stand a cell a
    line, each behind its heading. Exit code: 0 done, 1 something was left out, 2 error.
    """
    sources, unread = console.find_sources(source, from_, out, columns=columns, originals=False)
    target = by_name(to) if to else by_suffix(out)
    if target is None:
        remedy = f"Say --to and one of: {all_names()}."
        raise ConfigError("its format is not known by its suffix", where=out, remedy=remedy)
    with console.ProgressReporter(quiet=quiet) as reporter:
        skip = reporter.skipped if skip_bad else None
        done = run(sources, out, target, annotator, skip, reporter.warned)
    counts = ", ".join(counted(done[thing], thing) for thing in ("document", "mention"))
    console.result_printer(quiet=quiet)(f"{counts}. Written: {out} ({target.name})")
    console.print_unread(unread)
    raise typer.Exit(LEFT_OUT if reporter.left_out or unread else DONE)


_SHOWN = 6


def context(
    corpus: options.Corpus,
    out: options.OutJson = None,
    detect: bool = Opt(True, help="Also list what the detector finds and nobody annotated."),
    words: bool = Opt(True, help="Show the words, not only the lines."),
    annotator: options.RunAnnotator = None,
    config: options.Config = None,
    overrides: options.Overrides = None,
    quiet: options.Quiet = False,
) -> None:
    """List clues outside the mentions: norms, foreign words, institutions, places, other names.

    They are suggestions for a reviewer: annotate them, or set context.protect. An empty list does
    not mean that nothing is given away: subject and procedure may do so, too.
    """
    check_writable(out)
    settings = console.settings_of(config, overrides, {"run.annotator": annotator})
    components = Components(settings)
    detector = build_detector(components) if detect else None
    say = console.result_printer(quiet=quiet)
    listed: dict[str, list[dict[str, Any]]] = {}
    documents = [*load(corpus, annotator=settings.run.annotator)]
    for document in documents:  # nothing is printed before all are read
        seen = detector.detect(document.text, document.kept).mentions if detector else ()
        clues = find_clues(document, components.knowledge, seen)
        listed[document.id] = _objects(document, clues)
        if clues and not quiet:
            say(f"{document.id}: {counted(len(clues), 'clue')}")
            say(_table(listed[document.id], words=words))
    if out is not None:
        write_private(out, json.dumps(listed, ensure_ascii=False, indent=1) + "\n")
        say(f"Written: {out}. It holds words of the documents.")


def _objects(document: Document, clues: tuple[ContextClue, ...]) -> list[dict[str, Any]]:
    """Return the clues of a document as JSON objects, in order: class, offsets, the number of the
    line (from 1), and the words."""
    ends = [at for at, letter in enumerate(document.text) if letter == "\n"]
    return [
        {"class": clue.kind, "start_offset": clue.span.start, "end_offset": clue.span.end}
        | {"line": bisect_left(ends, clue.span.start) + 1, "text": clue.span.of(document.text)}
        for clue in clues
    ]


def _table(clues: list[dict[str, Any]], *, words: bool) -> Table:
    """Return clues as a table, a row for each class that has any: its heading, how many, the
    numbers of their lines, and with ``words`` their different words; at most six lines and six
    words."""
    table = Table(box=None, pad_edge=False, show_header=False)
    for kind, title in CLASSES.items():
        if own := [clue for clue in clues if clue["class"] == kind]:
            lines = listed([str(line) for line in sorted({clue["line"] for clue in own})], _SHOWN)
            texts = listed([*dict.fromkeys(clue["text"] for clue in own)], _SHOWN, None)
            cells = [f"  {title}", str(len(own)), f"lines {lines}"]
            table.add_row(*cells, *([console.printable(texts)] if words else []))
    return table
