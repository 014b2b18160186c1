"""``intact intruder``: a kit to test what people or models can guess, and its score."""

import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from rich.table import Column, Table

from intact.cli import console, options
from intact.cli.options import Arg, Opt
from intact.config import load_settings
from intact.english.numbers import counted
from intact.english.vocabulary import vocabulary
from intact.errors import InputError
from intact.evaluation.corpus import read_corpus, read_sanitized, read_system
from intact.evaluation.intruder import ask_attacker, make_kit, read_answers, read_key, score_answers
from intact.evaluation.risk import GUESSES
from intact.formats.base import read_json
from intact.formats.outcome import record_file, sanitized_objects
from intact.pipeline import Components, llm_attacker
from intact.run.files import check_writable, make_private_folder, write_private

app = console.command_group("Let people or models guess what was replaced, and score them.")
_ASKED = (f"attack.guesses={GUESSES}",)  # a model gets as many guesses as people
_SHEETS = {"phrases": "as sanitised", "labels": "at bare labels"}
_WHERE: dict[str, str] = vocabulary("texts")["cited"]


@app.command()
def make(
    sanitized: Path = Arg(help="What intact sanitize wrote; with --edits, the originals."),
    out: Path = Arg(help="The folder to write."),
    edits: Path | None = Opt(None, help="Any system's edits."),
    documents: int = Opt(24, min=1, help="Documents drawn."),
    spans: int = Opt(8, min=1, help="Places marked in each."),
    seed: options.Seed = 0,
    ask: options.Ask = None,
    annotator: options.Annotator = "first",
    quiet: options.Quiet = False,
) -> None:
    """Write two blind sheets (as sanitised, and at bare labels) and the key to score them.

    Read or print sheet.html and labels.html; fill in sheet.csv and labels.csv. Only key.json holds
    originals.
    """

    with console.ProgressReporter(quiet=quiet) as reporter:
        # if the output holds no originals, the record does
        sanitized = record if (record := record_file(sanitized)).is_file() else sanitized
        corpus = read_corpus(sanitized, annotator)
        given, read = edits or sanitized, read_system if edits else read_sanitized
        pairs = read(given, given.stem, corpus, reporter.warned)
    asked = dict(_asked(item, sanitized) for item in ask or ())
    files, drawn, places = make_kit(pairs, documents=documents, spans=spans, seed=seed, asked=asked)
    check_writable(into=out, new=files)
    make_private_folder(out)
    for name, content in files.items():
        write_private(out / name, content)
    say = console.result_printer(quiet=quiet)
    say(f"{counted(places, 'place')} in {counted(drawn, 'document')}: {out}")
    say("key.json holds the originals: keep it from those who guess. The sheets hold what is left.")


def _asked(item: str, path: Path) -> tuple[str, Mapping[str, Sequence[str]]]:
    """Read an attribute: its name, and the right answers by document id, from a file or the
    documents' meta."""
    name, equals, file = item.partition("=")
    if equals:
        found = data if isinstance(data := read_json(Path(file)), dict) else {}
    else:
        given = sanitized_objects(path)
        found = {key: (raw.get("meta") or {}).get(name) for key, raw in given.items()}
    known = {
        doc_id: [str(each) for each in (value if isinstance(value, list) else [value])]
        for doc_id, value in found.items()
        if value not in (None, "", [])
    }
    if not known:
        raise InputError(f"no document has the attribute {name!r}", where="--ask")
    return name, known


@app.command()
def score(
    key: Path = Arg(help="The kit's key.json."),
    answers: options.Answers = None,
    model: options.Model = None,
    out: options.OutJson = None,
    config: options.Config = None,
    overrides: options.Overrides = None,
    allow_remote: options.AllowRemote = False,
    seed: options.Seed = 0,
) -> None:
    """Tell how much was guessed by type, and what the phrases told beyond bare labels.

    Guesses are compared with the originals by the rules that sanitisation uses.
    """
    read = read_key(key)
    given = [each for path in answers or () for each in read_answers(path, read)]
    asked = [] if model is None else [f"model.name={model}", *_ASKED]
    settings = load_settings(config, [*(overrides or ()), *asked], allow_remote=allow_remote)
    with closing(Components(settings)) as components:
        if model is not None:
            given += ask_attacker(llm_attacker(components, values=True), read)
        elif not given:
            raise InputError("nobody has answered")
        figures = score_answers(read, given, components.matcher, seed=seed)
    say = console.result_printer(quiet=False)
    for line in _lines(figures):
        say(line)
    if out is not None:
        write_private(out, json.dumps(figures, ensure_ascii=False, indent=1) + "\n")
        say(f"Written: {out}")


def _lines(found: Mapping[str, Any]) -> list[object]:
    lines: list[object] = [_table(found["sheets"]), ""]
    for kind, sheet in found["sheets"].items():
        if sheet["unanswered"]:
            said = counted(sheet["unanswered"], "place")
            lines.append(f"{_SHEETS[kind]}: {said} without a guess; they do not count")
    added = found["added"]
    if added is None:
        lines.append("What the phrases add is known when both sheets are answered.")
    else:
        low, high = added["interval"] or (float("nan"),) * 2
        told, where = vocabulary("texts")["told"]["added"], counted(added["places"], "place")
        lines.append(told.format(**added, low=low, high=high, where=where))
    for kind, attributes in found["attributes"].items():
        named = ((name, f"{each['named']} of {each['asked']}") for name, each in attributes.items())
        lines += (f"{name} named {_SHEETS[kind]}: {count}" for name, count in named)
    for kind, cited in found["words"].items():
        if cited["where"]:
            parts = ", ".join(f"{n} {_WHERE[where]}" for where, n in cited["where"].items())
            lines.append(f"Words cited as telling, {_SHEETS[kind]}: {parts}")
            lines.append("  " + "; ".join(f"{word} ({n})" for word, n in cited["cited"].items()))
    return lines


def _table(sheets: Mapping[str, Any]) -> Table:
    """Lay out the share guessed by type, two columns for each sheet."""
    heads = [head for kind in sheets for head in (f"guessed {_SHEETS[kind]}", "places")]
    columns = (Column(head, justify="right", no_wrap=True) for head in heads)
    table = Table("", *columns, box=None, pad_edge=False)
    for name in dict.fromkeys(name for each in sheets.values() for name in each["types"]):
        cells = []
        for each in sheets.values():
            row = each["types"].get(name)
            if row is None or not row["places"]:
                cells += ["", ""]
                continue
            low_high = "" if not row["interval"] else " ({:.2f}–{:.2f})".format(*row["interval"])
            cells += [f"{row['guessed']:.2f}{low_high}", str(row["places"])]
        table.add_row(name, *cells)
    return table
