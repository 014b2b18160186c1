"""``intact evaluate``: what is kept, what can be inferred, who can be linked, what is true."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from intact.cli.console import AllowRemote, Told, quiet_libraries, screen_width, speaker

if TYPE_CHECKING:
    from intact.config import Settings
    from intact.domain import SanitizedDocument
    from intact.evaluation.corpus import Corpus
    from intact.evaluation.information import InformationContent
    from intact.evaluation.metric import EvaluationContext, Metric
    from intact.protocols import Embedder

SLOW = ("trir_encoder",)
"""Metrics that "all" leaves to those who name them: they train for minutes."""

_PACKAGES = {
    "numpy": "numpy",
    "scipy": "scipy",
    "sklearn": "scikit-learn",
    "wordfreq": "wordfreq",
    "jinja2": "jinja2",
    "tokenizers": "tokenizers",
    "safetensors": "safetensors",
}


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
    classes: Annotated[
        str | None,
        typer.Option(metavar="FILE|meta.KEY", help="Classes for the downstream classifier."),
    ] = None,
    attackers: Annotated[
        str, typer.Option(help="Who attacks the final documents; names with commas, or none.")
    ] = "knowledge",
    baselines: Annotated[
        bool, typer.Option(help="Add suppression, labels, most and least specific, surrogates.")
    ] = False,
    ic: Annotated[
        Literal["frequency", "bert", "llm"], typer.Option(help="Information content by.")
    ] = "frequency",
    ic_model: Annotated[str | None, typer.Option(help="Model of bert or llm.")] = None,
    encoder: Annotated[
        str, typer.Option(help="Sentence encoder: minilm, or a name or folder.")
    ] = "minilm",
    attack_encoder: Annotated[
        str, typer.Option(help="Transformer that trir_encoder trains: minilm, or a name or folder.")
    ] = "minilm",
    spacy_pipeline: Annotated[
        str | None, typer.Option("--spacy", help="spaCy pipeline for noun phrases.")
    ] = None,
    compat: Annotated[
        bool, typer.Option(help="The published code's arithmetic for TPS, faults included.")
    ] = False,
    config: Annotated[str | None, typer.Option(help="Preset or file: attack settings.")] = None,
    overrides: Annotated[
        list[str] | None, typer.Option("--set", help="A setting: section.name=value.")
    ] = None,
    allow_remote: AllowRemote = False,
    annotator: Annotated[str, typer.Option(help="first, all or an annotator's name.")] = "first",
    seed: Annotated[int, typer.Option(help="Seed of all that is drawn.")] = 0,
    cache: Annotated[
        Path | None, typer.Option(help="Folder for embeddings; default INTACT_CACHE or ~/.cache.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only say what goes wrong.")] = False,
) -> None:
    """Score systems on a corpus: results.json, results.csv, per_document.csv and report.html.

    Any system can be scored from an edits file or from its finished texts.
    """
    quiet_libraries()
    need_evaluation()
    from intact.config import load_settings
    from intact.errors import ConfigError
    from intact.evaluation.corpus import read_background, read_corpus, read_texts
    from intact.evaluation.metric import EvaluationContext
    from intact.evaluation.results import evaluate as score
    from intact.models.embedder import SentenceEncoder

    if not (edits or sanitized or baselines):
        raise ConfigError(
            "no system is named",
            remedy="Add --edits NAME=FILE, --sanitized NAME=FILE or --baselines.",
        )
    wishes = [*(overrides or ()), f"attack.attackers={_names(attackers)!r}"]
    settings = load_settings(config, wishes, allow_remote=allow_remote)
    with Told(quiet=quiet) as told:
        read = read_corpus(corpus, annotator)
        systems = _systems(read, edits or [], sanitized or [], told)
        if baselines:
            systems |= _baselines(read, settings, seed)
        embedder = SentenceEncoder(encoder, cache=cache or cache_folder())
        measures = _measures(
            metrics,
            EvaluationContext(
                embedder,
                information=_information(ic, ic_model),
                background=read_background(background) if background else {},
                owners=read_texts(owners, "mapping of documents to individuals") if owners else {},
                layers=read.layers,
                classes=_classes(classes, read),
                compat=compat,
                encoder=attack_encoder,
                store=(cache or cache_folder()),
                seed=seed,
                progress=told.progress,
                warn=told.warn,
                **_splitter(spacy_pipeline),
                **_attacks(settings),
                **_judge(embedder, settings),
            ),
        )
        results = score(measures, systems, told.warnings)
    from intact.cli.results import show, write

    write(results, out)
    say = speaker(quiet=quiet)
    say(show(results, screen_width()))
    say(f"Written: {out}/results.json, results.csv (n, signatures), per_document.csv, report.html")


def cache_folder() -> Path:
    """Where embeddings are kept: INTACT_CACHE, or a folder of the user's cache."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("INTACT_CACHE") or Path(home) / "intact")


def need_evaluation() -> None:
    """Says what to install where the packages that evaluate are missing.

    Raises:
        MissingExtraError: if one is.
    """
    from importlib.util import find_spec

    from intact.errors import MissingExtraError

    for module, package in _PACKAGES.items():
        if find_spec(module) is None:
            raise MissingExtraError.of(package, "evaluation")


def _classes(wish: str | None, corpus: Corpus) -> dict[str, str]:
    """Document id -> class, from a file or from what the corpus says of its documents; of several
    (the articles of a ruling) the first."""
    from intact.errors import InputError
    from intact.evaluation.corpus import read_texts

    if wish is None:
        return {}
    kind, key = wish[:4], wish[5:]
    if kind != "meta" or wish[4:5] not in (":", ".") or Path(wish).is_file():
        return read_texts(Path(wish), "mapping of documents to classes")
    values = {doc_id: meta.get(key) for doc_id, meta in corpus.meta.items()}
    firsts = {k: v[0] if isinstance(v, list) and v else v for k, v in values.items()}
    found = {doc_id: str(value) for doc_id, value in firsts.items() if value not in (None, "", [])}
    if not found:
        keys = sorted({name for meta in corpus.meta.values() for name in meta})
        raise InputError(
            f"no document's meta tells of {key!r}",
            where="--classes",
            remedy=f"There is: {', '.join(keys)}." if keys else "Its documents have no meta.",
        )
    return found


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip() not in ("", "none")]


def _systems(
    corpus: Corpus, edits: list[str], sanitized: list[str], told: Told
) -> dict[str, list[SanitizedDocument]]:
    from intact.errors import InputError
    from intact.evaluation.corpus import named, read_sanitized, read_system

    files = named(edits, "--edits")
    texts = named(sanitized, "--sanitized")
    twice = sorted(files.keys() & texts.keys())
    if twice:
        raise InputError(f"two systems are called {twice[0]}", remedy="Write NAME=FILE.")
    systems = {name: read_system(path, name, corpus, told.warn) for name, path in files.items()}
    return systems | {
        name: read_sanitized(path, name, corpus, told.warn) for name, path in texts.items()
    }


def _baselines(corpus: Corpus, settings: Settings, seed: int) -> dict[str, list[SanitizedDocument]]:
    from intact.build import Components, build_ladders
    from intact.evaluation import baselines
    from intact.evaluation.pairs import pair

    documents = corpus.documents
    ladders, labels = build_ladders(settings), Components(settings).labels
    known = {document.id: (ladders(document), labels(document)) for document in documents}
    surrogates = baselines.Surrogates(seed)
    return {
        "original": [pair(d, ()) for d in documents],
        "suppression": [pair(d, baselines.suppression(d)) for d in documents],
        "entity label": [pair(d, baselines.entity_labels(d)) for d in documents],
        "most specific": [pair(d, baselines.rung(d, *known[d.id], 0)) for d in documents],
        "least specific": [pair(d, baselines.rung(d, *known[d.id], -1)) for d in documents],
        "surrogates": [pair(d, surrogates(d)) for d in documents],
    }


def _measures(wanted: str, context: EvaluationContext) -> list[Metric]:
    from intact import registry

    every = [name for name in registry.names("metric") if name not in SLOW]
    chosen = dict.fromkeys(
        metric for name in _names(wanted) for metric in (every if name == "all" else [name])
    )
    return [registry.load("metric", name)(context) for name in chosen]


def _information(kind: str, model: str | None) -> InformationContent:
    from intact.errors import ConfigError
    from intact.evaluation.information import FrequencyInformation, Remembered

    if kind == "frequency":
        return FrequencyInformation()
    from intact.evaluation.information_models import BertInformation, CausalInformation

    if kind == "bert":
        return Remembered(BertInformation(model or "bert-base-uncased"))
    if model is None:
        raise ConfigError("no model is named", where="--ic llm", remedy="Add --ic-model NAME.")
    return Remembered(CausalInformation(model))


def _splitter(pipeline: str | None) -> Mapping[str, Any]:
    if pipeline is None:
        return {}
    from intact.evaluation.terms import SpacySplitter

    return {"splitter": SpacySplitter(pipeline)}


def _attacks(settings: Settings) -> Mapping[str, Any]:
    if not settings.attack.attackers:
        return {}
    from intact.build import build_attackers, build_guess_judge

    return {"attackers": build_attackers(settings), "judge_guess": build_guess_judge(settings)}


def _judge(embedder: Embedder, settings: Settings) -> Mapping[str, Any]:
    from intact.build import Components
    from intact.evaluation.judge import LearnedJudge

    return {"judge": LearnedJudge(embedder, Components(settings).knowledge.subsumes)}
