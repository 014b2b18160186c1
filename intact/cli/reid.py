"""``intact reid``: which individuals are documents about? ``intact background``: the population
among which they hide."""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from intact.cli import console, options
from intact.cli.options import Opt
from intact.errors import FormatError, InputError
from intact.evaluation.corpus import read_corpus
from intact.formats.base import read_json
from intact.formats.outcome import sanitized_objects
from intact.reidentification.attackers import Scores, combined, others_ahead, ranking, reidentifiers
from intact.reidentification.population import Population, open_population, owners, read_people
from intact.run.files import check_writable, make_private_folder, write_private

app = console.command_group("Re-identify documents against a population.")


@app.command()
def attack(
    corpus: options.Texts,
    background: options.Crowd,
    out: options.OutFolder,
    attackers: str = Opt("all", help="all; or tfidf, bm25, ridge, encoder, encoder:MODEL."),
    top: int = Opt(10, min=1, max=1000, help="Individuals listed per document."),
    protect: options.Protect = "",
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
    """Read the texts to attack, by document id; of an output of ``intact sanitize`` the sanitised
    texts."""
    if corpus.suffix.lower() == ".json":
        data = read_json(corpus)
        if not data:
            raise InputError("it has no documents", where=str(corpus))
        if isinstance(data, dict) and all(isinstance(text, str) for text in data.values()):
            return data
    with suppress(FormatError):
        return {key: raw["sanitized_text"] for key, raw in sanitized_objects(corpus).items()}
    return {document.id: document.text for document in read_corpus(corpus).documents}


def _line(
    doc_id: str, scores: Mapping[str, Scores], population: Population, own: int | None, top: int
) -> dict[str, Any]:
    """Describe the attacks on one document: the likeliest individuals by attacker, and the true
    one's rank, from 1."""
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
    """Compute by attacker the shares of documents whose individual is among the first k."""
    depths = [k for k in (1, 2, 5, 8, 10, 50, 100) if k < individuals]
    counts = {"individuals": individuals, "documents": len(next(iter(ranks.values()), []))}
    rates = {
        name: {str(k): sum(rank <= k for rank in own) / len(own) for k in depths}
        for name, own in ranks.items()
    }
    return {**counts, "documents_attacked": documents, "rates": rates}


background_app = console.command_group("Build and look at a background population.")


@background_app.command()
def build(source: options.People, out: options.OutFile, quiet: options.Quiet = False) -> None:
    """Index what is publicly known of a population, its texts included."""
    check_writable(out)
    population = Population.of(read_people(source))
    write_private(out, population.to_bytes())
    size = f"{population.size:,} individuals, {population.lengths.sum():,} words"
    console.result_printer(quiet=quiet)(f"{size}: {out}")


@background_app.command()
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
    Console(highlight=False, width=console.screen_width()).print(table)
