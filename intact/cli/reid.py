"""``intact reid``: whose documents are they? Attacks against a background population."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from intact.reidentification.index import Population

app = typer.Typer(
    help="Re-identify documents against a population.", no_args_is_help=True, rich_markup_mode=None
)


@app.command()
def attack(
    corpus: Annotated[
        Path, typer.Argument(help="Documents: TAB's JSON, JSONL, or {doc_id: text}.")
    ],
    background: Annotated[
        Path, typer.Option("--background", "-b", help="A population (intact background build).")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder to write.")],
    attackers: Annotated[
        str, typer.Option(help="Comma-separated: all, retrieval, boolean, encoder:FOLDER ...")
    ] = "retrieval",
    top: Annotated[int, typer.Option(min=1, max=1000, help="Individuals listed a document.")] = 10,
    protect: Annotated[
        str, typer.Option(help="The true individual, or a JSON file {doc_id: individual}.")
    ] = "",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only say what goes wrong.")] = False,
) -> None:
    """Rank the individuals of a population for each document, by every attacker and by all.

    Of an output of intact sanitize its sanitized_text is attacked. Writes rankings.jsonl and
    results.json.
    """
    from intact.cli.console import Told, quiet_libraries, speaker
    from intact.knowledge.base import KnowledgeBase
    from intact.reidentification.opening import open_population, owners
    from intact.reidentification.ranking import reidentifiers
    from intact.run.files import make_private_folder, write_private

    quiet_libraries()
    population = open_population(background, KnowledgeBase.open())
    texts = _texts(corpus)
    owner = owners(protect, "--protect")
    _check_there(population, protect)
    found = reidentifiers(population, [name.strip() for name in attackers.split(",")])
    make_private_folder(out)
    with Told(quiet=quiet) as told:
        seen = partial(told.progress, "attacking")
        lines, ranks = _attacked(texts, found, population, owner, top, seen)
    write_private(out / "rankings.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    results = _results(ranks, population.size, len(texts))
    write_private(out / "results.json", json.dumps(results, indent=1) + "\n")
    say = speaker(quiet=quiet)
    for name, rates in results["rates"].items():
        say(f"{name:14} " + "  ".join(f"top {k}: {rate:.3f}" for k, rate in rates.items()))
    say(f"{results['documents']} of {len(texts)} documents have their individual there: {out}")


@app.command()
def train(
    background: Annotated[Path, typer.Argument(metavar="POP", help="Built with --texts.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder to write.")],
    corpus: Annotated[
        Path | None,
        typer.Option(help="Documents of the same individuals; else parts of their texts."),
    ] = None,
    epochs: Annotated[int, typer.Option(min=1, max=1000)] = 6,
    seed: Annotated[int, typer.Option(help="Seed of all that is random.")] = 0,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only say what goes wrong.")] = False,
) -> None:
    """Train the two encoders that match documents to individuals."""
    from intact.cli.console import Told, quiet_libraries, speaker
    from intact.reidentification.encoder import Training
    from intact.reidentification.opening import open_population
    from intact.reidentification.training import train as fit

    quiet_libraries()
    population = open_population(background)
    documents = _texts(corpus) if corpus else {}
    with Told(quiet=quiet) as told:
        accuracy = fit(
            population, documents, out, Training(epochs=epochs, seed=seed), told.progress
        )
    told_of = "Trained" if accuracy is None else f"Held-out accuracy {accuracy:.3f}"
    speaker(quiet=quiet)(f"{told_of}: {out}")


def _check_there(population: Population, protect: str) -> None:
    """One individual named for all documents has to be in the population."""
    from intact.errors import InputError

    one = bool(protect) and Path(protect).suffix.lower() != ".json"
    if one and population.number(protect) is None:
        raise InputError(
            f"the population lacks the individual {protect}",
            where="--protect",
            remedy="Name one of the population, or a JSON file {doc_id: individual}.",
        )


def _texts(corpus: Path) -> dict[str, str]:
    """The texts to attack by document id."""
    from intact.errors import FormatError, InputError
    from intact.evaluation.corpus import read_corpus, sanitized_objects
    from intact.formats.jsonstream import read_json

    if corpus.suffix.lower() == ".json":
        data = read_json(corpus)
        if not data:
            raise InputError("it has no documents", where=str(corpus))
        if isinstance(data, dict) and all(isinstance(text, str) for text in data.values()):
            return data
    try:
        done = sanitized_objects(corpus)
        return {str(raw.get("doc_id", raw.get("id"))): raw["sanitized_text"] for raw in done}
    except FormatError:
        pass
    return {document.id: document.text for document in read_corpus(corpus).documents}


def _attacked(
    texts: Mapping[str, str],
    found: Sequence[Any],
    population: Any,
    owner: Any,
    top: int,
    seen: Callable[[int, int], None],
) -> tuple[list[dict[str, Any]], dict[str, list[int]]]:
    """A line a document, and the true individuals' ranks by attacker."""
    from intact.reidentification.ranking import rank_of, ranking, together

    lines: list[dict[str, Any]] = []
    ranks: dict[str, list[int]] = {}
    streams = [each.scores(list(texts.values())) for each in found]
    for doc_id, scores in zip(texts, zip(*streams, strict=True), strict=True):
        own = population.number(owner(doc_id))
        every = dict(zip((each.name for each in found), scores, strict=True))
        if len(every) > 1:
            every["ensemble"] = together(list(scores))
        line: dict[str, Any] = {"doc_id": doc_id, "attacks": {}}
        for name, found_scores in every.items():
            best = ranking(found_scores, top)
            line["attacks"][name] = [
                {"individual": population.name(one), "p": p}
                for one, p in zip(best.individuals, best.probabilities, strict=True)
            ]
        if own is not None:
            line["ranks"] = {n: rank_of(s, own) + 1 for n, s in every.items()}
            if len(found) > 1:
                line["ranks"]["any"] = min(line["ranks"].values())
            for name, rank in line["ranks"].items():
                ranks.setdefault(name, []).append(rank)
        lines.append(line)
        seen(len(lines), len(texts))
    return lines, ranks


def _results(ranks: Mapping[str, list[int]], individuals: int, documents: int) -> dict[str, Any]:
    """Shares of documents whose individual is among the first k."""
    depths = [k for k in (1, 2, 5, 8, 10, 50, 100) if k < individuals]
    return {
        "individuals": individuals,
        "documents": len(next(iter(ranks.values()), [])),
        "documents_attacked": documents,
        "rates": {
            name: {str(k): sum(rank <= k for rank in own) / len(own) for k in depths}
            for name, own in ranks.items()
        },
    }
