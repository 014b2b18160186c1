"""Shows what `make demo` has done: before and after, and the figures of the run.

    python examples/demo.py FOLDER

FOLDER holds ``sanitized/``, its run folder and ``edits.json``, as the Makefile makes them.
"""

import json
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

SHOWN = {"asylum-decision": 2, "discharge-letter": 2, "police-report": 1}
"""Document -> which of its paragraphs to show."""


def main(folder: Path) -> None:
    """Prints everything."""
    console = Console(highlight=False)
    edits = json.loads((folder / "edits.json").read_text("utf-8"))
    for name, paragraph in SHOWN.items():
        (document,) = json.loads((folder / "sanitized" / f"{name}.json").read_text("utf-8"))
        _show(console, document, edits[document["doc_id"]], paragraph)
    manifest = json.loads((folder / "sanitized.run" / "manifest.json").read_text("utf-8"))
    console.print(_figures(manifest["figures"]))
    for title, where in (
        ("\nSanitised documents: ", folder / "sanitized"),
        ("Edits:               ", folder / "edits.json"),
        ("Manifest of the run: ", folder / "sanitized.run" / "manifest.json"),
        ("Why each choice:     ", f".venv/bin/intact explain {folder}/sanitized biography"),
    ):
        console.print(f"{title}{where}", soft_wrap=True)  # a command is never wrapped


def _show(console: Console, document: dict, edits: list, number: int) -> None:
    """Prints one paragraph before and after, with what changed in colour."""
    text = document["text"]
    paragraph = [part for part in text.split("\n\n") if len(part) > 200][number - 1]
    start = text.index(paragraph)
    end = start + len(paragraph)
    before, after = Text(), Text()
    done = start
    for low, high, replacement in edits:
        if start <= low and high <= end:
            before.append(text[done:low]).append(text[low:high], style="red")
            after.append(text[done:low]).append(replacement, style="green")
            done = high
    console.rule(Text(document["doc_id"], style="bold"), align="left")
    console.print(before.append(text[done:end]))
    console.print()
    console.print(after.append(text[done:end]))
    console.print()


def _figures(figures: dict) -> Table:
    """The run's figures as a table."""
    spans = figures["spans"]
    named = {"PERSON", "CODE"}
    labels = figures["labels_per_type"]
    others = sum(n for kind, n in figures["spans_per_type"].items() if kind not in named)
    bare = sum(n for kind, n in labels.items() if kind not in named)
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="bold")
    table.add_column(justify="right")
    table.add_row("documents", str(figures["documents"]))
    table.add_row("spans", str(spans))
    table.add_row("on a label, persons and codes apart", f"{100 * bare / others:.1f} %")
    for rung, count in sorted(figures["rungs"].items(), key=lambda item: int(item[0])):
        table.add_row(f"on rung {int(rung) + 1}", f"{100 * count / spans:.1f} %")
    table.add_row("named again without annotation", str(figures["swept"]))
    table.add_row("words changed", f"{100 * figures['words_changed'] / figures['words']:.1f} %")
    return table


if __name__ == "__main__":
    if not Path(*sys.argv[1:2], "edits.json").is_file():
        sys.exit("It shows what make demo has done: run that.")
    main(Path(sys.argv[1]))
