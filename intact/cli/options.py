"""The arguments and options of all commands, each defined once."""

import os
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Annotated as Is
from typing import Any, Literal

from typer import Argument, Context, Option

from intact.run.files import check_spared


def _spare(context: Context, value: Any) -> Any:
    """Return the value of an output option, unless the command line also names that file otherwise,
    as FILE or NAME=FILE; that is an error, because it would be overwritten."""
    given = chain(*(one if isinstance(one, list) else [one] for one in context.params.values()))
    named = (part for one in map(str, given) for part in (one, one.partition("=")[2]))
    check_spared(map(Path, filter(os.path.isfile, named)), Path(value or ""))
    return value


Arg = partial(Argument, readable=False, is_eager=True)
Opt = partial(Option, readable=False, is_eager=True)
"""Typer does not check whether files can be read; whoever reads one raises an error that names it
("cannot be read"). Inputs are eager: they are parsed before outputs, in whatever order the command
line names them."""
_Writes = partial(Option, readable=False, callback=_spare)
_Out = partial(_Writes, "--out", "-o")

_Many = list[str] | None
_DETECTORS = "Names with commas: patterns, knowledge, presidio, spacy, tagger; or auto."
_ENCODER = "minilm, or the name or folder of another."

# What is read
Source = Is[str, Arg(metavar="INPUT", help="A file, a folder, or - for standard input.")]
Corpus = Is[Path, Arg(help="Annotated documents: TAB's JSON, JSONL, or another format.")]
Texts = Is[Path, Arg(help="Documents: TAB's JSON, JSONL, or {doc_id: text}.")]
People = Is[Path, Arg(help="JSON, JSONL, or a folder of .txt files, one per individual.")]
Population = Is[Path, Arg(metavar="POP", help="What intact background build wrote.")]
Reviewed = Is[Path, Arg(metavar="INPUT|OUTPUT", help="A file or folder, or a run's output.")]
Output = Is[Path, Arg(metavar="OUT", help="What intact sanitize wrote: a file or a folder.")]
Released = Is[Path, Arg(metavar="OUTPUT", help="What was released: a file or a folder.")]
Sanitized = Is[Path, Arg(help="What intact sanitize wrote; with --edits, the originals.")]
DocId = Is[str | None, Arg(help="A document's id; not needed where there is only one.")]
MentionId = Is[str | None, Arg(help="A mention's id.")]
First = Is[Path, Arg(help="A results.json, or its folder.")]
Second = Is[Path | None, Arg(help="Another, for the same documents.")]
Key = Is[Path, Arg(help="The kit's key.json.")]
Answers = Is[list[Path] | None, Arg(help="Filled-in sheets (CSV) and models' answers (JSON).")]
Preset = Is[str | None, Arg(help="A preset or a TOML file.")]
CacheFolder = Is[Path | None, Arg(help="By default the user's cache.")]
ModelName = Is[str, Arg(help="A name from the list, or OWNER/NAME/FILE.gguf@REVISION.")]
InputFormat = Is[str | None, Opt("--format", help="The input's format; else by suffix.")]
FromFormat = Is[str | None, Opt("--from", help="The input's format; else by suffix and content.")]
Columns = Is[str, Opt(metavar="NAMES", help="Tables: columns to sanitise; others stay UNCHANGED.")]
Language = Is[Literal["en", "any"] | None, Opt(help="any: accept documents not in English.")]
Annotator = Is[str, Opt(help="first, all (the union) or an annotator's name.")]
RunAnnotator = Is[str | None, Opt(help="first, all (the union) or an annotator's name.")]
SkipBad = Is[bool, Opt("--skip-bad", help="Report documents with errors and leave them out.")]

# What is written
Out = Is[str | None, _Out(help="Where to write; - prints; else beside the input.")]
OutFile = Is[Path, _Out(help="The file to write.")]
OutFolder = Is[Path, _Out(help="The folder to write.")]
OutTab = Is[Path | None, _Out(help="Where to write, as TAB's JSON; - prints.")]
Draft = Is[Path | None, _Writes("--glossary", help="Instead draft a glossary (CSV) of all people.")]
OutJson = Is[Path | None, _Out(help="Also write everything as JSON (mode 0600).")]
OutRelease = Is[Path | None, Opt("--out", "-o", help="The release; else beside the input.")]
Converted = Is[Path, Argument(metavar="OUT", help="A file.", callback=_spare)]
ToFormat = Is[str | None, Opt("--to", help="The output's format; else by suffix.")]
Kit = Is[Path, Arg(help="The folder to write.")]
Edits = Is[Path | None, _Writes(help="Also write {doc_id: [[start, end, replacement]]}.")]
Certificate = Is[Path | None, _Writes(help="Also write a certificate: what was done, and hashes.")]
Audit = Is[Path | None, _Writes(help="Only write who decided what, when and why; no originals.")]
NoOriginal = Is[bool, Opt("--no-original", help="JSON: write originals to OUT.run only.")]
Originals = Is[bool, Opt("--with-originals", help="JSON: also release originals and other fields.")]
Redact = Is[bool, Opt("--redact-originals", help="Keep no originals in what is written.")]

# How it is done
Config = Is[str | None, Opt(help="A preset (see intact config list) or a TOML file.")]
Overrides = Is[_Many, Opt("--set", metavar="SECTION.NAME=VALUE", help="A setting.")]
AllowRemote = Is[
    bool, Opt("--allow-remote", help="model.url may be another machine, which gets the originals.")
]
Detector = Is[str | None, Opt(help=_DETECTORS)]
Detectors = Is[_Many, Opt("--detector", help=f"{_DETECTORS} Repeat to compare.")]
Threshold = Is[float | None, Opt(min=0.0, max=1.0, help="Drop findings that score less.")]
NoStore = Is[bool, Opt("--no-store", help="Do not keep a model's answers for later runs.")]
Glossary = Is[Path | None, Opt(help="What stands for names: CSV (surface, phrase, kind).")]
Background = Is[Path | None, Opt(help="Hide each person among this population (background build).")]
Decisions = Is[Path | None, Opt(help="Do as people decided (intact review).")]
Seed = Is[int, Opt(help="Seed of everything random.")]
RunSeed = Is[int | None, Opt("--seed", help="Seed of everything random.")]
Workers = Is[int, Opt(min=1, max=256, help="Processes to work in.")]
On = Is[Literal["local", "ray"], Opt(help="ray: spread the documents over a cluster.")]
RayAddress = Is[str, Opt(help="The cluster (auto: this machine's); else one is started here.")]
Plan = Is[bool, Opt("--plan", help="Only say what a language model would be asked.")]
Resume = Is[bool, Opt("--resume", help="Go on with an interrupted run.")]
RequireCertain = Is[
    bool, Opt("--require-certain", help="Exit 3 (outputs are written) if a warning says unsure.")
]
Quiet = Is[bool, Opt("--quiet", "-q", help="Print warnings and errors only.")]
Doubts = Is[bool, Opt("--doubts", help="List what may have been missed, worst first.")]

# Review, report, verify
ReviewDecisions = Is[Path | None, Opt("--decisions", help="Decisions; else INPUT.decisions.")]
ReviewGlossary = Is[Path | None, Opt("--glossary", help="Glossary; else INPUT.glossary.")]
By = Is[str, Opt(help="Who decides; else the user who is logged in.")]
Port = Is[int, Opt(min=0, max=65535, help="Port; 0 takes a free one.")]
Certified = Is[Path, Opt("--certificate", help="The certificate written with the release.")]

# Serve
Host = Is[str, Opt(help="Address to listen at.")]
MaxMib = Is[int, Opt("--max-mib", min=1, max=1024, help="Largest request body, in MiB.")]
Deadline = Is[float, Opt("--deadline", min=0.1, max=86_400, help="Seconds a request may take.")]
MaxCharacters = Is[int, Opt("--max-characters", min=1, help="Longest text to find mentions in.")]

# Evaluate, compare, tune, context
SystemEdits = Is[_Many, Opt("--edits", metavar="NAME=FILE", help="A system's edits.")]
SystemTexts = Is[
    _Many, Opt("--sanitized", metavar="NAME=FILE", help="A system's texts, or intact's output.")
]
Metrics = Is[str, Opt(help="Names with commas; all: all but the slow ones (docs/metrics.md).")]
PublicTexts = Is[Path | None, Opt("--background", help="{individual: public text}, for linkage.")]
Owners = Is[Path | None, Opt(help="{doc_id: individual}, where they differ.")]
Attackers = Is[str, Opt(help="Who attacks the final documents; names with commas, or none.")]
Baselines = Is[bool, Opt(help="Add suppression, labels, most and least specific.")]
Encoder = Is[str, Opt(help=f"Sentence encoder: {_ENCODER}")]
AttackEncoder = Is[str, Opt(help=f"Sentence encoder of trir_encoder: {_ENCODER}")]
TwoSystems = Is[str, Opt("--systems", metavar="A,B", help="Two systems, of one result or of two.")]
Parts = Is[bool, Opt(help="Also compare the parts of metrics.")]
Target = Is[str | None, Opt(help="Pick a point: tps=0.85 or risk=0.1 (inference in this corpus).")]
Tries = Is[_Many, Opt("--try", metavar="SETTING=VALUES", help="Values with commas; all combined.")]
Jobs = Is[int, Opt(min=1, help="Runs at a time, each in a process.")]
Detect = Is[bool, Opt(help="Also list what the detector finds and nobody annotated.")]
Words = Is[bool, Opt(help="Show the words, not only the lines.")]

# Intruder, re-identification, models
SomeEdits = Is[Path | None, Opt("--edits", help="Any system's edits.")]
DocumentCount = Is[int, Opt("--documents", min=1, help="Documents drawn.")]
PlaceCount = Is[int, Opt("--spans", min=1, help="Places marked in each.")]
Ask = Is[_Many, Opt(metavar="NAME[=FILE]", help="Ask this key of meta, or a file {doc_id: value}.")]
Model = Is[str | None, Opt(help="Have this model of `intact models list` answer both sheets.")]
Save = Is[Path | None, _Writes(help="Write the settings that suit the model to this file.")]
Crowd = Is[Path, Opt("--background", "-b", help="A population (intact background build).")]
Linkers = Is[str, Opt("--attackers", help="all; or tfidf, bm25, ridge, encoder, encoder:MODEL.")]
Top = Is[int, Opt(min=1, max=1000, help="Individuals listed per document.")]
Protect = Is[str, Opt(help="The true individual, or a JSON file {doc_id: individual}.")]
