"""``intact evaluate``: what is kept, what can be inferred, who can be linked, what is true."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from intact.build import Components, build_attackers, build_guess_judge, build_ladders
from intact.cli.console import (
    AllowRemote,
    Annotator,
    Cache,
    Config,
    Overrides,
    ProgressReporter,
    Quiet,
    quiet_libraries,
    result_printer,
    screen_width,
)
from intact.cli.results import show, write
from intact.config import Settings, load_settings
from intact.domain import SanitizedDocument
from intact.errors import ConfigError, InputError
from intact.evaluation import EvaluationContext, baselines
from intact.evaluation import evaluate as score
from intact.evaluation.corpus import (
    Corpus,
    read_corpus,
    read_sanitized,
    read_system,
)
from intact.evaluation.pairs import pair
from intact.models.embedder import SentenceEncoder
from intact.reidentification.population import owners as owners_of
from intact.reidentification.population import read_people
from intact.run.files import check_writable


def evaluate(
    corpus: Annotated[Path, typer.Argument(help="The original documents with annotations.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for results and report.")],
    edits: Annotated[
        list[str] | None, typer.Option(metavar="NAME=FILE", help="A system's edits.")
    ] = None,
    sanitized: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=FILE", help="A system's finished texts, or intact's output."),
    ] = None,
    metrics: Annotated[
        str, typer.Option(help="Names with commas; all is all but slow ones. See docs/metrics.md.")
    ] = "all",
    background: Annotated[
        Path | None, typer.Option(help='{individual: "public text"}, for linkage attacks.')
    ] = None,
    owners: Annotated[
        Path | None, typer.Option(help="{doc_id: individual}, where they differ.")
    ] = None,
    attackers: Annotated[
        str, typer.Option(help="Who attacks the final documents; names with commas, or none.")
    ] = "knowledge",
    baselines: Annotated[
        bool, typer.Option(help="Add suppression, labels, most and least specific.")
    ] = False,
    encoder: Annotated[
        str, typer.Option(help="Sentence encoder: minilm, or a name or folder.")
    ] = "minilm",
    attack_encoder: Annotated[
        str, typer.Option(help="Sentence encoder of trir_encoder: minilm, or a name or folder.")
    ] = "minilm",
    config: Config = None,
    overrides: Overrides = None,
    allow_remote: AllowRemote = False,
    annotator: Annotator = "first",
    seed: Annotated[int, typer.Option(help="Seed of all that is drawn.")] = 0,
    cache: Cache = None,
    quiet: Quiet = False,
) -> None:
    """Score systems on a corpus: results.json, results.csv, per_document.csv and report.html.

    Any system can be scored from an edits file or from its finished texts.
    """
    quiet_libraries()
    if not (edits or sanitized or baselines):
        raise ConfigError(
            "no system is named",
            remedy="Add --edits NAME=FILE, --sanitized NAME=FILE or --baselines.",
        )
    wishes = [*(overrides or ()), f"attack.attackers={_names(attackers)!r}"]
    settings = load_settings(config, wishes, allow_remote=allow_remote)
    check_writable(folder=out)
    with ProgressReporter(quiet=quiet) as told:
        read = read_corpus(corpus, annotator)
        systems = systems_of(read, edits or [], sanitized or [], told)
        if baselines:
            systems |= _baselines(read, settings)
        context = EvaluationContext(
            embedder=SentenceEncoder(encoder, cache=cache),
            background=dict(read_people(background)) if background else {},
            owner=owners_of(str(owners or ""), "--owners"),
            layers=read.layers,
            encoder=attack_encoder,
            seed=seed,
            progress=told.progress,
            warn=told.warned,
            **_attacks(settings),
        )
        found = score(read.documents, systems, _names(metrics), context=context)
    results = replace(found, warnings=tuple(told.warnings))
    write(results, out)
    say = result_printer(quiet=quiet)
    say(show(results, screen_width()))
    say(f"Written: {out}/results.json, results.csv (n, signatures), per_document.csv, report.html")


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip() not in ("", "none")]


def systems_of(
    corpus: Corpus, edits: list[str], sanitized: list[str], told: ProgressReporter
) -> dict[str, list[SanitizedDocument]]:
    """What systems made of a corpus, by their names.

    Args:
        corpus: the originals.
        edits: NAME=FILE of edits.
        sanitized: NAME=FILE of finished texts.
        told: hears warnings.
    """
    systems: dict[str, list[SanitizedDocument]] = {}
    for option, item in [
        *(("--edits", e) for e in edits),
        *(("--sanitized", s) for s in sanitized),
    ]:
        name, equals, file = item.partition("=")
        path = Path(file if equals else name)
        name = name if equals else path.stem
        if name in systems:
            raise InputError(
                f"two systems are called {name}", where=option, remedy="Write NAME=FILE."
            )
        systems[name] = (
            read_system(path, name, corpus, told.warned)
            if option == "--edits"
            else read_sanitized(path, corpus)
        )
    return systems


def _baselines(corpus: Corpus, settings: Settings) -> dict[str, list[SanitizedDocument]]:
    documents = corpus.documents
    ladders, labels = build_ladders(settings), Components(settings).labels
    known = {document.id: (ladders(document), labels(document)) for document in documents}
    return {
        "original": [pair(d, ()) for d in documents],
        "suppression": [pair(d, baselines.suppression(d)) for d in documents],
        "entity label": [pair(d, baselines.entity_labels(d)) for d in documents],
        "most specific": [pair(d, baselines.rung(d, *known[d.id], 0)) for d in documents],
        "least specific": [pair(d, baselines.rung(d, *known[d.id], -1)) for d in documents],
    }


def _attacks(settings: Settings) -> dict[str, Any]:
    if not settings.attack.attackers:
        return {}
    return {"attackers": build_attackers(settings), "judge_guess": build_guess_judge(settings)}
