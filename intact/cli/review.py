"""``intact review``: a page on which a person decides."""

from __future__ import annotations

import getpass
from pathlib import Path
from typing import Annotated

import typer

from intact.cli.console import AllowRemote, Config, InputFormat, Overrides
from intact.config import load_settings
from intact.errors import require
from intact.review.serve import Review, serve_review
from intact.run.files import write_private
from intact.run.source import beside


def review(
    source: Annotated[str, typer.Argument(metavar="INPUT", help="A file or a folder to review.")],
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
    intact sanitize --decisions FILE does the same again.
    """
    for package in ("uvicorn", "fastapi"):
        require(package)
    path = Path(source)
    review = Review(
        source=path,
        kind=kind,
        out=out or beside(path),
        decisions=decisions or path.with_name(f"{path.name}.decisions"),
        settings=load_settings(config, overrides or (), allow_remote=allow_remote),
        by=by or _user(),
        redact=redact_originals,
        certified=certificate,
        glossary=glossary or path.with_name(f"{path.name}.glossary"),
        other=compare,
    )
    if audit is None:
        serve_review(review, port, lambda line: typer.echo(line, err=True))
        return
    session = review.session()
    try:
        write_private(audit, session.audit())
    finally:
        session.close()


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "somebody"
