"""``intact evaluate``: what is kept, what can be inferred, who can be linked, what is true;
``compare``: two such results."""

import json
import math
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from itertools import product
from pathlib import Path

from rich.console import Group
from rich.table import Column, Table

from intact.cli import console, options
from intact.cli.options import ENCODER, Arg, Many, Opt
from intact.config import Settings, most_places
from intact.domain import Document, Edit, Ladder, SanitizedDocument, Score
from intact.english.numbers import counted
from intact.english.reading import ReadDocument
from intact.errors import ConfigError, InputError
from intact.evaluation import EvaluationContext
from intact.evaluation import corpus as corpora
from intact.evaluation import evaluate as scored
from intact.evaluation.corpus import pair
from intact.evaluation.metric import made_with, paired_difference
from intact.evaluation.reader import ModelReader
from intact.evaluation.results import Results, as_data, document_rows, read_results, rows
from intact.formats.base import to_csv
from intact.models.encoder import SentenceEncoder
from intact.pipeline import Components, build_attackers, build_guess_judge, build_ladders
from intact.planning.rules.wording import rewriter_of
from intact.reidentification.population import owners as owners_of
from intact.reidentification.population import read_people
from intact.rewriting.rewrite import Phrase
from intact.run.files import check_writable, make_private_folder, write_private
from intact.run.job import Observer
from intact.run.names import unchecked_names


def evaluate(
    corpus: options.Corpus,
    out: options.OutFolder,
    edits: Many = Opt(None, metavar="NAME=FILE", help="A system's edits."),
    sanitized: Many = Opt(None, metavar="NAME=FILE", help="A system's texts, or intact's output."),
    metrics: options.Metrics = "all",
    background: Path | None = Opt(None, help="{individual: public text}, for linkage."),
    owners: Path | None = Opt(None, help="{doc_id: individual}, where they differ."),
    attackers: options.Attackers = "knowledge",
    baselines: bool = Opt(False, help="Add suppression, labels, most and least specific."),
    encoder: str = Opt("minilm", help=f"Sentence encoder: {ENCODER}"),
    attack_encoder: str = Opt("minilm", help=f"Sentence encoder of trir_encoder: {ENCODER}"),
    config: options.Config = None,
    overrides: options.Overrides = None,
    allow_remote: options.AllowRemote = False,
    annotator: options.RunAnnotator = None,
    seed: options.RunSeed = None,
    quiet: options.Quiet = False,
) -> None:
    """Score systems on a corpus: results.json, results.csv, per_document.csv and report.html.

    Any system can be scored from an edits file or from its finished texts.
    """
    console.quiet_libraries("wordfreq")
    if not (edits or sanitized or baselines):
        raise ConfigError("no system is named")
    own = {"attack.attackers": _names(attackers), "run.annotator": annotator, "run.seed": seed}
    settings = console.settings_of(config, overrides, own, allow_remote=allow_remote)
    check_writable(into=out, new=("results.json", "results.csv", "per_document.csv", "report.html"))
    components = Components(settings)
    with console.ProgressReporter(quiet=quiet) as reporter:
        read = corpora.read_corpus(corpus, settings.run.annotator, reporter.warned)
        if said := unchecked_names({one.id: corpus.name for one in read.documents}, ())[0]:
            reporter.warned(said)
        ours = _baselines(read, settings) if baselines else {}
        systems = systems_of(read, edits or [], sanitized or [], reporter, ours)
        context = EvaluationContext(
            embedder=SentenceEncoder(encoder),
            background=dict(read_people(background)) if background else {},
            owner=owners_of(str(owners or ""), "--owners"),
            layers=read.layers,
            encoder=attack_encoder,
            seed=settings.run.seed,
            reader=_reader(components) if "reader" in _names(metrics) else None,
            progress=reporter.progress,
            warn=reporter.warned,
            attackers=build_attackers(settings),
            judge_guess=build_guess_judge(settings),
        )
        with closing(components):
            scores = scored(read.documents, systems, _names(metrics), context=context)
    results = replace(scores, warnings=tuple(reporter.warnings))
    write(results, out)
    say = console.result_printer(quiet=quiet)
    say(show(results, console.screen_width()))
    say(f"Written: {out}/results.json, results.csv (n, signatures), per_document.csv, report.html")


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip() not in ("", "none")]


Systems = dict[str, list[SanitizedDocument]]


def systems_of(
    corpus: corpora.Corpus, edits: list[str], sanitized: list[str], told: Observer, ours: Systems
) -> Systems:
    """Read the output of systems for a corpus. Return the sanitised documents by the systems'
    names.

    Args:
        corpus: the originals.
        edits: NAME=FILE of edits files; without a name the file's stem is the name.
        sanitized: NAME=FILE of finished texts; the same.
        told: gets the warnings.
        ours: the output of the baselines, which is put after the others.

    Raises:
        InputError: if two systems have one name, or a file does not fit the corpus.
    """
    systems: Systems = {}
    for option, item in [("--edits", e) for e in edits] + [("--sanitized", s) for s in sanitized]:
        name, equals, file = map(str.strip, item.partition("="))
        path = Path(file if equals else name)
        name = name if equals else path.stem
        if name in systems or name in ours:
            raise InputError(f"two systems are called {name}", where=option)
        read = corpora.read_system if option == "--edits" else corpora.read_sanitized
        systems[name] = read(path, name, corpus, told.warned)
        if odd := sum(map(corpora.seems_unrelated, systems[name])):
            why = "most words that nobody marked change, or most edits cut words"
            said = f"{counted(odd, 'document')} edited from another text, it seems ({why})"
            told.warned(f"{name}: {said}: figures mean nothing there")
    return systems | ours


def _baselines(corpus: corpora.Corpus, settings: Settings) -> Systems:
    documents = corpus.documents
    ladders, labels = build_ladders(settings), Components(settings).labels
    known = {document.id: (ladders(document), labels(document)) for document in documents}
    return {
        "original": [pair(d, ()) for d in documents],
        "suppression": [pair(d, corpora.edits_of(d, lambda _: "")) for d in documents],
        "entity label": [pair(d, corpora.entity_labels(d)) for d in documents],
        "most specific": [pair(d, replace_by_rung(d, *known[d.id], 0)) for d in documents],
        "least specific": [pair(d, replace_by_rung(d, *known[d.id], -1)) for d in documents],
    }


def replace_by_rung(
    document: Document, ladders: Mapping[str, Ladder], labels: Mapping[str, str], at: int
) -> tuple[Edit, ...]:
    """Replace every entity by one candidate of its ladder, fitted into its sentences but not
    attacked; by its label if the ladder is empty.

    Args:
        document: its masked entities are replaced.
        ladders: candidates by entity id.
        labels: labels by entity id.
        at: position in the ladder; 0 is the most specific, -1 the least.
    """

    phrases = {entity.id: Phrase(labels[entity.id], "label") for entity in document.entities}
    chosen = {key: ladder[at] for key, ladder in ladders.items() if ladder and key in phrases}
    phrases |= {key: Phrase(rung.text, rung.source) for key, rung in chosen.items()}
    return rewriter_of(ReadDocument(document), sweep=False).render(phrases).edits


def _reader(components: Components) -> ModelReader | None:
    """Load the language model that reads both texts; None if none is set."""
    settings = components.settings.model_named("reader")
    if not settings.configured:
        return None
    model, seed = components.model_named("reader"), components.settings.run.seed
    return ModelReader(model, components.prompts, seed, most_places(settings.together))


_TITLE = 36
_SIGNIFICANT = 0.05  # p below which a difference gets an asterisk
_CELL = len("0.123 (0.123–0.123)")


def write(results: Results, out: Path) -> None:
    """Write results.json, results.csv, per_document.csv and report.html.

    Args:
        results: of all systems.
        out: the folder; it is made if it does not exist.

    Raises:
        RunError: if they cannot be written.
    """
    from intact.evaluation.report import results_page  # needs a template engine

    make_private_folder(out)
    data = json.dumps(as_data(results), indent=1, ensure_ascii=False)
    write_private(out / "results.json", f"{data}\n")
    heads = ("system", "metric", "value", "low", "high", "n", "signature")
    write_private(out / "results.csv", to_csv(heads, rows(results)))
    heads_by_document = ("doc_id", "system", "metric", "value", "weight")
    write_private(out / "per_document.csv", to_csv(heads_by_document, document_rows(results)))
    write_private(out / "report.html", results_page(results))


def show(results: Results, width: int) -> Group:
    """Lay out the main scores of every system with their 95 % intervals, one metric on each line.

    Args:
        results: of all systems.
        width: columns of the screen; systems that do not fit get a further table.
    """
    systems = list(results.systems)
    wide = max(_CELL, *map(len, systems)) + 2 if systems else 1
    room = max(1, (width - _TITLE) // wide)
    tables = (_table(results, systems[at : at + room]) for at in range(0, len(systems), room))
    skipped = (f"{name} was not measured: {why}" for name, why in results.skipped.items())
    return Group(*tables, *skipped)


def _table(results: Results, systems: list[str]) -> Table:
    columns = [Column(system, justify="right", no_wrap=True) for system in systems]
    lead = Column("", min_width=_TITLE - 2, no_wrap=True)
    table = Table(lead, *columns, box=None, pad_edge=False)
    for metric, (title, better) in results.titles.items():
        arrow = {"higher": " ↑", "lower": " ↓"}.get(better, "")
        for name, head in ((metric, title + arrow), (f"{metric}/chance", "  by chance alone")):
            scores = [results.systems[system].get(name) for system in systems]
            if any(scores):
                table.add_row(head, *map(_cell, scores))
    return table


def _cell(score: Score | None) -> str:
    if score is None or math.isnan(score.value):
        return "nothing to measure" if score else ""
    return str(score)


def compare(
    first: Path = Arg(help="A results.json, or its folder."),
    second: Path | None = Arg(None, help="Another, for the same documents."),
    systems: str = Opt("", metavar="A,B", help="Two systems, of one result or of two."),
    parts: bool = Opt(False, help="Also compare the parts of metrics."),
    seed: options.Seed = 0,
) -> None:
    """Compare two results of intact evaluate, or two systems of one, over the documents that both
    have: difference, 95 % interval by bootstrap, p by an exact sign-flip test. An asterisk marks
    p < 0.05.

    Of two results, systems with the same name are compared, or the only one in each, if --systems
    names no others.
    """
    one, two = read_results(first), read_results(second or first)
    alone = len(one.systems) == len(two.systems) == 1
    pairs = [
        (a, b)
        for a, b in product(one.systems, two.systems)
        if systems in (f"{a},{b}", f"{a}, {b}") or (not systems and second and (a == b or alone))
    ]
    if not pairs:
        problem, where = "there are no two systems to compare", f"{first}, {second or first}"
        remedy = f"Name two: --systems A,B. There are: {', '.join({**one.systems, **two.systems})}."
        raise InputError(problem, where=where, remedy=remedy)
    say = console.result_printer(quiet=False)
    tables = [_compared(one, two, names, parts=parts, seed=seed) for names in pairs]
    tested = counted(sum(table.row_count for table in tables), "comparison")
    chance = "where nothing differs, one in 20 gets an asterisk by chance (docs/metrics.md)"
    for each in (*tables, f"{tested}: {chance}"):
        say(each)
        say("")


def _compared(
    first: Results, second: Results, names: tuple[str, str], *, parts: bool, seed: int
) -> Table:
    heads = names if names[0] != names[1] else (f"{names[0]}, first", f"{names[1]}, second")
    titles = (*heads, "difference", "95 %", "p", "documents")
    columns = [Column(title, justify="right", no_wrap=True) for title in titles]
    table = Table("", *columns, box=None, pad_edge=False)
    one, two = first.systems[names[0]], second.systems[names[1]]
    for metric, score in one.items():
        if metric not in two or ("/" in metric and not parts):
            continue
        if unlike := ", ".join(sorted(made_with(score) ^ made_with(two[metric]))):
            remedy = "evaluate both on one corpus, with the same options"
            console.print_warning(f"{metric} is not compared ({unlike}): {remedy}")
            continue
        paired = paired_difference(score, two[metric], seed=seed)
        interval = "" if paired.interval is None else "{:+.3f} – {:+.3f}".format(*paired.interval)
        p = "" if math.isnan(paired.p) else f"{paired.p:.4f}"
        difference = f"{paired.value:+.3f}{'*' if paired.p < _SIGNIFICANT else ''}"
        means = (f"{mean:.3f}" for mean in paired.means)
        table.add_row(metric, *means, difference, interval, p, str(paired.documents))
    return table
