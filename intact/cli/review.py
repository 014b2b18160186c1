"""``intact review``: a page on which a person decides; ``explain``: why each replacement was
chosen; ``report``: a page about a whole run; ``verify``: is this the certified file?"""

import getpass
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from operator import itemgetter
from pathlib import Path
from typing import Any

import typer
from rich.table import Column, Table
from rich.text import Text

from intact.cli import console, options
from intact.cli.options import Arg, Opt
from intact.config import Settings
from intact.domain import BY_CONCEPT, DETECTED, LABEL_ONLY, Document, Mention, Span
from intact.english.numbers import counted
from intact.errors import DocumentError, InputError, loading
from intact.formats.outcome import mentions_of_output, record_file, sanitized_objects
from intact.knowledge.base import KnowledgeBase
from intact.planning.model.answers import explain_reason
from intact.protocols import make_part
from intact.run.files import beside, write_private
from intact.run.job import load_manifest
from intact.shipped import sha256


def review(
    given: Path = Arg(metavar="INPUT|OUTPUT", help="A file or folder, or a run's output."),
    out: Path | None = Opt(None, "--out", "-o", help="The release; else beside the input."),
    decisions: Path | None = Opt(None, help="Decisions; else INPUT.decisions."),
    language: options.Language = None,
    kind: options.InputFormat = None,
    columns: options.Columns = "",
    skip_bad: options.SkipBad = False,
    config: options.Config = None,
    overrides: options.Overrides = None,
    allow_remote: options.AllowRemote = False,
    by: str = Opt("", help="Who decides; else the user who is logged in."),
    redact_originals: options.Redact = False,
    with_originals: options.Originals = False,
    glossary: Path | None = Opt(None, help="Glossary; else INPUT.glossary."),
    audit: options.Audit = None,
    certificate: options.Certificate = None,
    port: options.Port = 0,
) -> None:
    """Check every replacement, decide, and release, on a page in this machine's browser.

    The address that is printed works once. Each decision is saved immediately; intact sanitize
    --decisions FILE carries them out again. If you name an output, its input must lie beside it;
    the settings are those of its run, unless you give others.
    """
    from intact.review.app import serve_review
    from intact.review.reviewed import Review
    from intact.review.session import ReviewSession

    manifest = load_manifest(record_file(given).with_name("manifest.json"))
    path = given if manifest is None else _input_of(given, manifest)
    if manifest is None or config or overrides or language:
        own = {"run.language": language}
        settings = console.settings_of(config, overrides, own, allow_remote=allow_remote)
    else:
        with loading("its settings are not those of this version", given, kind=InputError):
            manifest["settings"]["model"]["allow_remote"] = allow_remote
            settings = Settings.model_validate(manifest["settings"])
    release = out or (beside(path) if manifest is None else given)
    named: dict[str, Any] = {"certificate": certificate, "kind": kind, "columns": columns}
    named |= {"decisions": decisions or path.with_name(f"{path.name}.decisions")}
    named |= {"glossary": glossary or path.with_name(f"{path.name}.glossary")}
    named |= {"by": by or _user(), "redact": redact_originals, "originals": with_originals}
    skip_bad |= bool(manifest and manifest.get("skip_bad"))
    review = Review((), release, path.is_dir(), settings, source=path, skip_bad=skip_bad, **named)
    console.print_passed_over(path, review.out)
    if audit is None:
        serve_review(review, port, lambda line: typer.echo(line, err=True))
        return
    with closing(ReviewSession(review, kept=True)) as session:
        write_private(audit, session.audit())
    typer.echo(f"Written: {audit}. It only lists decisions: no review was started.", err=True)


def _input_of(out: Path, manifest: dict[str, Any]) -> Path:
    """Return the path of the file or folder beside the output of a run whose files have the names
    and hashes of the run's input; the first by name. Raise an ``InputError`` if there is none.

    Args:
        out: the output.
        manifest: of the run.
    """
    files = {one["file"]: one["sha256"] for one in manifest.get("input", ())}
    for path in sorted(out.absolute().parent.iterdir()) if files else ():
        there = [path / name if out.is_dir() else path for name in files]
        named = path.name != out.name and (out.is_dir() or path.name in files)
        if named and all(map(Path.is_file, there)) and [*map(sha256, there)] == [*files.values()]:
            return out.with_name(path.name)
    problem = "it is what a run wrote, and its input has changed since, or is not beside it"
    raise InputError(problem, where=out)


def _user() -> str:
    """Return the name of the user who is logged in; "somebody" if it is unknown."""
    with suppress(KeyError, OSError):
        return getpass.getuser()
    return "somebody"


Raw = Mapping[str, Any]
Say = Callable[..., None]


def explain(
    out: options.Output, doc_id: options.DocId = None, mention_id: options.MentionId = None
) -> None:
    """Show what replaced each mention and why: candidates, guesses, the rule that fired, risk;
    who decided it, when and why (a person, or a line of the glossary); and who is who: each label
    with all the words that it stands for.

    For a single mention it also shows the words around it, and what kind of thing they suggest.
    It shows originals: they are in the output file, or in the record in the folder OUT.run.
    """
    if out.suffix == ".run" and out.with_suffix("").exists():  # the record of this output
        out = out.with_suffix("")
    documents = sanitized_objects(out)
    say = console.result_printer(quiet=False, wide=False)
    if doc_id is None and len(documents) > 1:
        for name, raw in documents.items():
            say(f"{name}: {counted(len([*_ended(raw)]), 'mention')}")
        return
    only = next(iter(documents.values())) if len(documents) == 1 and mention_id is None else {}
    if only and any(each["id"] == doc_id for each in _ended(only)):
        doc_id, mention_id = None, doc_id
    name = doc_id or next(iter(documents))
    if name not in documents:
        remedy = f"See the documents there are: intact explain {out}"
        raise DocumentError(f"there is no document {name}", where=out, remedy=remedy)
    raw = documents[name]
    if mention_id is None:
        _say_document(say, name, raw)
        return
    shown = next((each for each in _ended(raw) if each["id"] == mention_id), None)
    if shown is None:
        problem = f"there is no mention {mention_id} with a recorded outcome"
        remedy = f"See the mentions there are: intact explain {out} {name}"
        raise DocumentError(problem, where=f"{out}, document {name}", remedy=remedy)
    _say_mention(say, raw, shown)


def _say_document(say: Say, name: str, raw: Raw) -> None:
    """Print a document as a table: for each mention that has an outcome, the outcome, what became
    of it and why; then its notes, and who is who (each label with the words it replaces).

    Args:
        say: prints lines and tables.
        name: the document's id.
        raw: the document as the output has it.
    """
    say(f"Document {name}")
    columns = (Column(no_wrap=True), Column(overflow="fold"))
    table = Table(*columns, box=None, pad_edge=False, show_header=False)
    for mention in _ended(raw):  # two lines each
        became = Text(console.printable(f"{_became(raw, mention)}  [{mention['id']}]"))
        why = Text(f"  {console.printable(_why(raw, mention))}", style="dim")
        outcome = Text(mention["outcome"], style=console.OUTCOME_STYLES.get(mention["outcome"], ""))
        table.add_row(outcome, Text("\n").join((became, why)))
    say(table)
    say(*_notes(raw), *_who_is_who(raw))


def _ended(raw: Raw) -> Iterator[Raw]:
    """Yield the mentions of a document in an output that have an outcome, in order."""
    return (each for each in mentions_of_output(raw) if "outcome" in each)


def _became(raw: Raw, mention: Raw) -> str:
    """Return what became of a mention in words: "PERSON: Ann Lee became PERSON_1"; or that it
    stays, is part of another replacement, or was left out."""
    first, last, new = mention["start"], mention["end"], mention["replacement"]
    original = raw["text"][first:last]
    within = any(start < last and first < end for start, end, _ in raw["intact"]["edits"])
    stays = "stays, but for what is masked elsewhere" if within else "stays"
    gone = "is part of another replacement" if mention["outcome"] == "COVERED" else "was left out"
    shown = f"became {new.strip()}" if new else gone
    return f"{mention['type']}: {original} {stays if new is None else shown}"


def _who_is_who(raw: Raw) -> Iterator[str]:
    """Yield a line for each label that stands in a document, in order of their first mention, with
    all the different words it replaces: "Who is who: PERSON_1: Ann Lee / Mrs Lee"."""
    named = defaultdict[str, dict[str, None]](dict)
    for mention in filter(itemgetter("replacement"), _ended(raw)):
        if (label := mention["candidates"][-1]).get("chosen"):
            words = raw["text"][mention["start"] : mention["end"]]
            named[label["text"]][" ".join(words.split())] = None
    yield from (f"Who is who: {label}: {' / '.join(every)}" for label, every in named.items())


def _why(raw: Raw, mention: Raw) -> str:
    """Return the reasons for a mention's outcome, joined by semicolons: what people and the
    glossary decided, then what the rules found; of a mention that stays, what was decided, or else
    that its words tell nothing, or that it was annotated as harmless."""
    told = mention.get("decided", [])
    if mention["outcome"] == "NO_MASK":
        own = "its words tell nothing" if "doubts" in raw["intact"] else "annotated as harmless"
        return "; ".join(told or [own])
    return "; ".join((*told, _reason_of_rules(mention)))


def _reason_of_rules(mention: Raw) -> str:
    """Return the rules' reason for the replacement of a mention. For a label: that it is a direct
    identifier, that no generalisation is known, or how many candidates fell (were guessed or
    unreadable). Else the number of the phrase among the candidates ("rung 2 of 4"), its source,
    entry and risk, and how many fell before."""
    if mention["outcome"] == "COVERED":
        return "inside a longer mention"
    rungs = mention["candidates"]
    chosen = next(rung for rung in rungs if rung.get("chosen"))
    fallen = [rung for rung in rungs if rung.get("outcome") in ("GUESSED", "UNPARSED")]
    if chosen["source"] == "label":
        if len(rungs) == 1:
            direct = mention.get("identifier_type") == "DIRECT" or mention["type"] in LABEL_ONLY
            return "direct identifier" if direct else "no generalisation known"
        return f"{len(fallen)} of {len(rungs) - 1} candidates fell"
    first = f"rung {rungs.index(chosen) + 1} of {len(rungs) - 1} ({chosen['source']})"
    if "entry" in chosen:
        first += f", taken for {chosen['entry']}"
    if mention["outcome"] == "CONTEXT":
        first += ", told by the context, whatever stands here"
    risk = f", risk {chosen['risk']:.2f}" if "risk" in chosen else ", not attacked"
    return first + risk + (f", {len(fallen)} fell before" if fallen else "")


def _notes(raw: Raw) -> Iterator[str]:
    """Yield a line for each place of a document that nobody annotated and that was replaced or may
    tell something, each followed by a line for each phrase that was dropped for it; then one for
    each note of the document."""
    record = raw["intact"]
    guarded, clues = record.get("guard", {}).get("places", ()), record.get("clues", ())
    for place in (*record.get("swept", ()), *guarded, *clues):
        start, end = place["start_offset"], place["end_offset"]
        offered = "; ".join(place.get("phrases", ())) or "nothing was proposed"
        told = f"may tell who is meant ({offered})"
        if "replacement" in place:
            told = f"became {place['replacement']}{' (guard)' * (place in guarded)}"
        yield f"Not annotated, at {start}: {raw['text'][start:end]} {told}"
        yield from _dropped(place)
    yield from (f"Note: {note}" for note in record.get("notes", ()))


def _say_mention(say: Say, raw: Raw, mention: Raw) -> None:
    """Print what became of a mention and why, the words around it and the kinds of things they
    suggest, and each candidate with the attacks on it, their guesses, and the phrases that were
    dropped.

    Args:
        say: prints lines and tables.
        raw: the document as the output has it.
        mention: one of it, with its candidates.
    """
    say(_became(raw, mention), f"Why: {_why(raw, mention)}")
    kinds = _say_sentence(say, raw, mention) if mention["type"] in BY_CONCEPT else {}
    for rung in mention["candidates"]:
        for attack in rung.get("attacks") or rung.get("control") or [rung]:
            mark = "→" if rung.get("chosen") else " "
            words = rung.get("wordings", {}).get(mention["id"], rung["text"])
            say(f"{mark} {words}  ({_attack_in_words(rung, attack, kinds)})")
            made = ((guess["text"], guess["p"]) for guess in attack.get("guesses", ()))
            guesses = ", ".join(text if p is None else f"{text} {p:.2f}" for text, p in made)
            for name, more in (("guesses", guesses), ("note", attack.get("note"))):
                if more:
                    say(Text(f"    {name}: {console.printable(more)}", style="dim"))
        say(*_dropped(rung))
    say(*_dropped(mention))


def _attack_in_words(rung: Raw, attack: Raw, kinds: Mapping[str, float]) -> str:
    """Return what is known of a candidate, joined by commas: the outcome of an attack, the
    candidate's source, the risk, the rule, the evidence with its probability, the entry, and the
    probability of the kind of thing that it names ("SAFE, knowledge, risk 0.021").

    Args:
        rung: a candidate.
        attack: on it; the candidate itself if it holds the result.
        kinds: probabilities by phrase.
    """
    shown = rung.get("evidence", {})
    said = [
        attack.get("outcome", ""),
        rung["source"],
        f"risk {attack['risk']:.3f}" if "risk" in attack else "",
        f"rule {attack['rule']}" if attack.get("rule") else "",
        " ".join([shown.get("kind", ""), f"{shown['p']:.2f}" if "p" in shown else ""]).strip(),
        f"entry {rung['entry']}" if "entry" in rung else "",
        f"kind {kinds[rung['text']]:.2f}" if rung["text"] in kinds else "",
    ]
    return ", ".join(filter(None, said))


def _dropped(raw: Raw) -> Iterator[str]:
    """Yield a line for each phrase that failed a check, with the reason; nothing if ``raw`` lists
    none."""
    for phrase in raw.get("dropped", ()):
        yield f"  {phrase['text']}  (dropped: {explain_reason(phrase['reason'])})"


def _say_sentence(say: Say, raw: Raw, mention: Raw) -> Mapping[str, float]:
    """Print the words around a mention and the five kinds of things that they make likeliest.
    Return, for each candidate phrase that names a kind, the probability of that kind, in [0, 1]."""
    text, span = raw["text"], Span.read(mention["start"], mention["end"])
    before = text[max(0, span.start - _SEEN) : span.start].partition(" ")[2]
    after = text[span.end : span.end + _SEEN].rpartition(" ")[0]
    say(" ".join(f"Sentence: {before}[{span.of(text)}]{after}".split()))
    with closing(KnowledgeBase.open()) as base:
        lexicon = base.lexicon
        phrases = {rung["text"]: lexicon.kind_of((rung["text"],)) for rung in mention["candidates"]}
        taken = next(filter(None, phrases.values()), "")
        one = Mention(mention["id"], span, span.of(text), "", mention["type"])
        whole = Document("", text, (one,), DETECTED)
        (reading,) = make_part("kind_reader", "tagger", lexicon).read(whole, [one], [taken])
        shares = reading.kinds
        likely = sorted(shares, key=lambda kind: -shares[kind])[:_KINDS]
        weighed = (f"{lexicon.tree[kind].phrase} {shares[kind]:.2f}" for kind in likely)
        place = f" (its place: {reading.slot})" if reading.slot else ""
    say(f"Kinds by the sentence: {', '.join(weighed) or 'none'}{place}")
    return {phrase: shares.get(kind, 0.0) for phrase, kind in phrases.items() if kind}


_SEEN = 160  # characters shown on each side of a mention; the tagger reads about as many
_KINDS = 5


def report(
    run: options.Output,
    out: options.OutFile = Path("report.html"),
    redact: options.Redact = False,
    quiet: options.Quiet = False,
) -> None:
    """Write one self-contained page: documents before and after, candidates, guesses, risks.

    The page contains the originals, unless you redact them.
    """
    from intact.evaluation.report import documents_page

    page = documents_page([*sanitized_objects(run).values()], redact=redact)
    write_private(out, page)
    say = console.result_printer(quiet=quiet)
    say(f"Written: {out}")
    if not redact:
        say("It contains the originals: keep it safe, or make it with --redact-originals.")


def verify(output: options.Released, certificate: options.Certified) -> None:
    """Check a released file, or every file in a folder, against its certificate.

    Exit code: 0 it is what was released, 1 it is not, 2 error.
    """
    from intact.review.certificate import verify as differences  # start-up

    wrong = differences(certificate, output)
    for line in wrong:
        console.print_error(line)
    if wrong:
        raise typer.Exit(1)
    typer.echo("Verified: as released, if nobody changed the certificate (it is not signed).")
