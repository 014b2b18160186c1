"""The arguments and options that several commands have, each defined once, and those for which the
signature of their command has no room in a line."""

import os
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Annotated as Is
from typing import Any, Literal

from typer import Argument, Context, Option

from intact.run.files import check_spared


def _spare(context: Context, value: Any) -> Any:
    """Return the value of an output option as it is. Raise an ``InputError`` if another argument or
    option of the command line names the same file, as FILE or NAME=FILE, because the file would be
    overwritten."""
    given = chain(*(one if isinstance(one, list) else [one] for one in context.params.values()))
    named = (part for one in map(str, given) for part in (one, one.partition("=")[2]))
    check_spared(map(Path, filter(os.path.isfile, named)), Path(value or ""))
    return value


Arg = partial(Argument, readable=False, is_eager=True)
# Typer does not check whether files can be read; whoever reads one raises an error that names it
# ("cannot be read"). Inputs are eager: they are parsed before outputs, in whatever order the
# command line names them.
Opt = partial(Option, readable=False, is_eager=True)
Writes = partial(Option, readable=False, callback=_spare)
_Out = partial(Writes, "--out", "-o")

Many = list[str] | None
DETECTORS = "Names with commas: patterns, knowledge, presidio, spacy, tagger; or auto."

# What is read
Source = Is[str, Arg(metavar="INPUT", help="A file, a folder, or - for standard input.")]
Corpus = Is[Path, Arg(help="Annotated documents: TAB's JSON, JSONL, or another format.")]
Texts = Is[Path, Arg(help="Documents: TAB's JSON, JSONL, or {doc_id: text}.")]
People = Is[Path, Arg(help="JSON, JSONL, or a folder of .txt files, one per individual.")]
Population = Is[Path, Arg(metavar="POP", help="What intact background build wrote.")]
Output = Is[Path, Arg(metavar="OUT", help="What intact sanitize wrote: a file or a folder.")]
Released = Is[Path, Arg(metavar="OUTPUT", help="What was released: a file or a folder.")]
DocId = Is[str | None, Arg(help="A document's id; not needed where there is only one.")]
MentionId = Is[str | None, Arg(help="A mention's id.")]
Answers = Is[list[Path] | None, Arg(help="Filled-in sheets (CSV) and models' answers (JSON).")]
Preset = Is[str | None, Arg(help="A preset or a TOML file.")]
CacheFolder = Is[Path | None, Arg(help="By default the user's cache.")]
ModelName = Is[str, Arg(help="A name from the list, or OWNER/NAME/FILE.gguf@REVISION.")]
InputFormat = Is[str | None, Opt("--format", help="The input's format; else by suffix.")]
Columns = Is[str, Opt(metavar="NAMES", help="Tables: columns to sanitise; others stay UNCHANGED.")]
Language = Is[Literal["en", "any"] | None, Opt(help="any: accept documents not in English.")]
Annotator = Is[str, Opt(help="first, all (the union) or an annotator's name.")]
RunAnnotator = Is[str | None, Opt(help="first, all (the union) or an annotator's name.")]
SkipBad = Is[bool, Opt("--skip-bad", help="Report documents with errors and leave them out.")]

# What is written
Out = Is[str | None, _Out(help="Where to write; - prints; else beside the input.")]
OutFile = Is[Path, _Out(help="The file to write.")]
OutFolder = Is[Path, _Out(help="The folder to write.")]
OutJson = Is[Path | None, _Out(help="Also write everything as JSON (mode 0600).")]
Converted = Is[Path, Argument(metavar="OUT", help="A file.", callback=_spare)]
Certificate = Is[Path | None, Writes(help="Also write a certificate: what was done, and hashes.")]
Audit = Is[Path | None, Writes(help="Only write who decided what, when and why; no originals.")]
Originals = Is[bool, Opt("--with-originals", help="JSON: also release originals and other fields.")]
Redact = Is[bool, Opt("--redact-originals", help="Keep no originals in what is written.")]

# How it is done
Config = Is[str | None, Opt(help="A preset (see intact config list) or a TOML file.")]
Overrides = Is[Many, Opt("--set", metavar="SECTION.NAME=VALUE", help="A setting.")]
AllowRemote = Is[
    bool, Opt("--allow-remote", help="model.url may be another machine, which gets the originals.")
]
Background = Is[Path | None, Opt(help="Hide each person among this population (background build).")]
Seed = Is[int, Opt(help="Seed of everything random.")]
RunSeed = Is[int | None, Opt("--seed", help="Seed of everything random.")]
Workers = Is[int | None, Opt("--workers", min=1, max=256, help="Processes; unset: what helps.")]
RayAddress = Is[str, Opt(help="The cluster (auto: this machine's); else one is started here.")]
RequireCertain = Is[
    bool, Opt("--require-certain", help="Exit 3 (outputs are written) if a warning says unsure.")
]
Quiet = Is[bool, Opt("--quiet", "-q", help="Print warnings and errors only.")]

# Review, report, verify
Port = Is[int, Opt(min=0, max=65535, help="Port; 0 takes a free one.")]
Certified = Is[Path, Opt("--certificate", help="The certificate written with the release.")]

# Evaluate, tune
Metrics = Is[str, Opt(help="Names with commas; all: all but the slow ones (docs/metrics.md).")]
Attackers = Is[str, Opt(help="Who attacks the final documents; names with commas, or none.")]
Target = Is[str | None, Opt(help="Pick a point: tps=0.85 or risk=0.1 (inference in this corpus).")]
Tries = Is[Many, Opt("--try", metavar="SETTING=VALUES", help="Values with commas; all combined.")]

# Intruder, re-identification, models
Crowd = Is[Path, Opt("--background", "-b", help="A population (intact background build).")]
