"""Attacks of one's own. ``intact intruder``: a kit to test what people or models can guess, and its
score; ``intact reid``: which individuals are documents about? ``intact background``: the population
among which they hide."""

import json
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from rich.table import Column, Table

from intact.cli import console, options
from intact.cli.options import Arg, Opt
from intact.config import load_settings
from intact.english.numbers import counted
from intact.english.vocabulary import vocabulary
from intact.errors import FormatError, InputError
from intact.evaluation.corpus import read_corpus, read_sanitized, read_system
from intact.evaluation.intruder import make_kit, read_answers, read_key, score_answers
from intact.formats.base import read_json
from intact.formats.outcome import record_file, sanitized_objects
from intact.pipeline import Components
from intact.reidentification.attackers import Scores, combined, others_ahead, ranking, reidentifiers
from intact.reidentification.population import Population, open_population, owners, read_people
from intact.run.files import check_writable, make_private_folder, write_private

intruder = console.command_group("Let people or models guess what was replaced, and score them.")
_SHEETS = {"phrases": "as sanitised", "labels": "at bare labels"}


@intruder.command()
def make(
    sanitized: Path = Arg(help="What intact sanitize wrote; with --edits, the originals."),
    out: Path = Arg(help="The folder to write."),
    edits: Path | None = Opt(None, help="Any system's edits."),
    documents: int = Opt(24, min=1, help="Documents drawn."),
    spans: int = Opt(8, min=1, help="Places marked in each."),
    seed: options.Seed = 0,
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
    files, drawn, places = make_kit(pairs, documents=documents, spans=spans, seed=seed)
    check_writable(into=out, new=files)
    make_private_folder(out)
    for name, content in files.items():
        write_private(out / name, content)
    say = console.result_printer(quiet=quiet)
    say(f"{counted(places, 'place')} in {counted(drawn, 'document')}: {out}")
    say("key.json holds the originals: keep it from those who guess. The sheets hold what is left.")


@intruder.command()
def score(
    key: Path = Arg(help="The kit's key.json."),
    answers: options.Answers = None,
    out: options.OutJson = None,
    config: options.Config = None,
    overrides: options.Overrides = None,
    seed: options.Seed = 0,
) -> None:
    """Tell how much was guessed by type, and what the phrases told beyond bare labels.

    Guesses are compared with the originals by the rules that sanitisation uses.
    """
    read = read_key(key)
    given = [each for path in answers or () for each in read_answers(path, read)]
    if not given:
        raise InputError("nobody has answered")
    with closing(Components(load_settings(config, overrides or ()))) as components:
        figures = score_answers(read, given, components.matcher, seed=seed)
    say = console.result_printer(quiet=False)
    say(*_lines(figures))
    if out is not None:
        write_private(out, json.dumps(figures, ensure_ascii=False, indent=1) + "\n")
        say(f"Written: {out}")


def _lines(found: Mapping[str, Any]) -> list[object]:
    """Return the figures of ``score_answers`` for printing: a table of the shares guessed, a blank
    line, a line for each sheet with places left unanswered, and one on what the phrases add to
    labels."""
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
    return lines


def _table(sheets: Mapping[str, Any]) -> Table:
    """Return the figures of sheets as a table with a heading: a row for each entity type, in the
    order of the sheets, and for each sheet two columns, the share guessed with its interval, and
    the number of places; empty cells where it has none."""
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


reid = console.command_group("Re-identify documents against a population.")


@reid.command()
def attack(
    corpus: options.Texts,
    background: options.Crowd,
    out: options.OutFolder,
    attackers: str = Opt("all", help="all; or tfidf, bm25, ridge, encoder, encoder:MODEL."),
    top: int = Opt(10, min=1, max=1000, help="Individuals listed per document."),
    protect: str = Opt("", help="The true individual, or a JSON file {doc_id: individual}."),
    quiet: options.Quiet = False,
) -> None:
    """Rank the individuals of a population for each document, by every attacker and by all.

    In an output of intact sanitize, sanitized_text is attacked. Writes rankings.jsonl and
    results.json.
    """
    console.quiet_libraries("scipy")
    check_writable(into=out, new=("rankings.jsonl", "results.json"))
    population = open_population(background)
    texts = _texts(corpus)
    owner = owners(protect, "--protect")
    named = bool(protect) and Path(protect).suffix.lower() != ".json"
    if named and population.number(protect) is None:
        raise InputError(f"the population lacks the individual {protect}", where="--protect")
    reidentifying = reidentifiers(population, [name.strip() for name in attackers.split(",")])
    scores = {each.name: each.scores(list(texts.values())) for each in reidentifying}
    lines, ranks = [], dict[str, list[int]]()
    for at, doc_id in enumerate(texts):
        every = {name: own[at] for name, own in scores.items()}
        if len(every) > 1:
            every["ensemble"] = combined(list(every.values()))
        lines.append(_line(doc_id, every, population, population.number(owner(doc_id)), top))
        for name, rank in lines[-1].get("ranks", {}).items():
            ranks.setdefault(name, []).append(rank)
    make_private_folder(out)
    write_private(out / "rankings.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    results = _results(ranks, population.size, len(texts))
    write_private(out / "results.json", json.dumps(results, indent=1) + "\n")
    say = console.result_printer(quiet=quiet)
    for name, rates in results["rates"].items():
        say(f"{name:14} " + "  ".join(f"top {k}: {rate:.3f}" for k, rate in rates.items()))
    tell: Callable[[str], None] = say if ranks else console.print_warning
    tell(f"{results['documents']} of {len(texts)} documents have their individual there: {out}")


def _texts(corpus: Path) -> dict[str, str]:
    """Return the texts to attack, by document id: of JSON {doc_id: text} as they are, of an output
    of ``intact sanitize`` the sanitised ones, else those of annotated documents. Raise an
    ``InputError`` if the JSON is empty."""
    if corpus.suffix.lower() == ".json":
        data = read_json(corpus)
        if not data:
            raise InputError("it has no documents", where=corpus)
        if isinstance(data, dict) and all(isinstance(text, str) for text in data.values()):
            return data
    with suppress(FormatError):
        return {key: raw["sanitized_text"] for key, raw in sanitized_objects(corpus).items()}
    return {document.id: document.text for document in read_corpus(corpus).documents}


def _line(
    doc_id: str, scores: Mapping[str, Scores], population: Population, own: int | None, top: int
) -> dict[str, Any]:
    """Return the object of the line of rankings.jsonl about one document: its id, and for each
    attacker the individuals with probabilities ``p``, the likeliest first.

    Args:
        doc_id: its id.
        scores: of all individuals, by attacker.
        population: names the individuals.
        own: number of the true one; None if it is unknown or absent, and the line has no ``ranks``
            (from 1, by attacker, and "any" for the best).
        top: how many individuals are listed for each attacker.
    """
    attacks = {
        name: [{"individual": population.names[one], "p": p} for one, p in ranking(row, top)]
        for name, row in scores.items()
    }
    line: dict[str, Any] = {"doc_id": doc_id, "attacks": attacks}
    if own is not None:
        line["ranks"] = {name: others_ahead(row, own) + 1 for name, row in scores.items()}
        if len(scores) > 1:
            line["ranks"]["any"] = min(line["ranks"].values())
    return line


def _results(ranks: Mapping[str, list[int]], individuals: int, documents: int) -> dict[str, Any]:
    """Return the data of results.json: counts, and by attacker the share of documents whose
    individual is among the first k, in [0, 1], for several k below the number of individuals. Only
    documents whose individual is known and in the population count.

    Args:
        ranks: by attacker, the true individual's rank, from 1, in each document that has one.
        individuals: number in the population.
        documents: number attacked.
    """
    depths = [k for k in (1, 2, 5, 8, 10, 50, 100) if k < individuals]
    counts = {"individuals": individuals, "documents": len(next(iter(ranks.values()), []))}
    rates = {
        name: {str(k): sum(rank <= k for rank in own) / len(own) for k in depths}
        for name, own in ranks.items()
    }
    return {**counts, "documents_attacked": documents, "rates": rates}


background = console.command_group("Build and look at a background population.")


@background.command()
def build(source: options.People, out: options.OutFile, quiet: options.Quiet = False) -> None:
    """Index what is publicly known of a population, its texts included."""
    check_writable(out)
    population = Population.of(read_people(source))
    write_private(out, population.to_bytes())
    size = f"{population.size:,} individuals, {population.lengths.sum():,} words"
    console.result_printer(quiet=quiet)(f"{size}: {out}")


@background.command()
def info(population: options.Population) -> None:
    """Show how large a population is."""
    indexed = Population.load(population)
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_row("individuals", f"{indexed.size:,}")
    table.add_row("words", f"{indexed.lengths.sum():,}")
    for space, counts in indexed.spaces.items():
        table.add_row(f"{space} features", f"{len(counts.keys):,}")
    table.add_row("on disk", f"{population.stat().st_size / 1e6:,.1f} MB")
    table.add_row("sha256", indexed.digest)
    console.result_printer(quiet=False)(table)
