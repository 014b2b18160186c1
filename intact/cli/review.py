"""``intact review``: a page on which a person decides."""

from __future__ import annotations

import getpass
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from intact.cli.console import AllowRemote, Config, InputFormat, Overrides
from intact.config import Settings, load_settings
from intact.errors import InputError, require
from intact.formats.outcome import record_file
from intact.review.app import serve_review
from intact.review.session import Review, ReviewSession
from intact.run.files import beside, sha256, write_private
from intact.run.job import load_manifest


def review(
    given: Annotated[
        Path,
        typer.Argument(metavar="INPUT|OUTPUT", help="A file or a folder, or what became of it."),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="What release writes; else beside the input."),
    ] = None,
    decisions: Annotated[
        Path | None, typer.Option(help="The file of decisions; else INPUT.decisions.")
    ] = None,
    kind: InputFormat = None,
    config: Config = None,
    overrides: Overrides = None,
    allow_remote: AllowRemote = False,
    by: Annotated[
        str, typer.Option(help="Who decides, as the decisions tell; else who is logged in.")
    ] = "",
    redact_originals: Annotated[
        bool, typer.Option("--redact-originals", help="Keep no originals in the decisions.")
    ] = False,
    glossary: Annotated[
        Path | None,
        typer.Option(help="Where “always this for that” goes; else INPUT.glossary."),
    ] = None,
    compare: Annotated[
        Path | None, typer.Option(help="Another person's decisions, to be shown beside yours.")
    ] = None,
    audit: Annotated[
        Path | None,
        typer.Option(help="Write who decided what, when and why, without originals, and end."),
    ] = None,
    certificate: Annotated[
        Path | None, typer.Option(help="Release writes this page for print, too.")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 0,
) -> None:
    """Look at every replacement, decide, and release: a page for this machine's browser.

    The address that is printed works once. Every decision is written at once;
    intact sanitize --decisions FILE does the same again. An output is reviewed with the input that
    lies beside it and, if no others are given, with the settings of its run.
    """
    for package in ("uvicorn", "fastapi"):
        require(package)
    manifest = load_manifest(record_file(given).with_name("manifest.json"))
    path = given if manifest is None else _input_of(given, manifest)
    if manifest is None or config or overrides:
        settings = load_settings(config, overrides or (), allow_remote=allow_remote)
    else:
        settings = _settings_of(manifest, allow_remote)
    review = Review(
        source=path,
        kind=kind,
        out=out or (beside(path) if manifest is None else given),
        decisions=decisions or path.with_name(f"{path.name}.decisions"),
        settings=settings,
        by=by or _user(),
        redact=redact_originals,
        certified=certificate,
        glossary=glossary or path.with_name(f"{path.name}.glossary"),
        other=compare,
    )
    if audit is None:
        serve_review(review, port, lambda line: typer.echo(line, err=True))
        return
    with closing(ReviewSession(review)) as session:
        write_private(audit, session.audit())


def _input_of(out: Path, manifest: dict[str, Any]) -> Path:
    """The input of a run, if it lies beside the output as it was then."""
    files = {one["file"]: one["sha256"] for one in manifest.get("input", ())}
    folder = out.is_dir()
    named = out.stem.removesuffix(".sanitized") if folder else next(iter(files), "")
    path = out.with_name(named) if named else out
    there = [path / name if folder else path for name in files]
    if path == out or any(not one.is_file() for one in there):
        problem = "its input is not beside it"
    elif [sha256(one) for one in there] != list(files.values()):
        problem = "its input is not what it was"
    else:
        return path
    remedy = f"Name the input: intact review INPUT -o {out}"
    raise InputError(f"it is what a run wrote, and {problem}", where=str(out), remedy=remedy)


def _settings_of(manifest: dict[str, Any], allow_remote: bool) -> Settings:
    tree = manifest["settings"]
    try:
        tree["model"]["allow_remote"] = allow_remote
        return Settings.model_validate(tree)
    except (ValidationError, LookupError, TypeError):
        raise InputError(
            "its settings are not those of this version", remedy="Say which: --config."
        ) from None


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "somebody"
