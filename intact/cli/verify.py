"""``intact verify``: whether an output is what a certificate speaks of."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from intact.cli.console import print_error
from intact.review.certificate import verify as differences


def verify(
    output: Annotated[Path, typer.Argument(help="What was released: a file or a folder.")],
    certificate: Annotated[
        Path, typer.Option(help="What intact sanitize --certificate wrote with it.")
    ],
) -> None:
    """Check a released file, or all files of a folder, against its certificate.

    Exit code: 0 it is what was certified, 1 it is not, 2 error.
    """
    wrong = differences(certificate, output)
    for line in wrong:
        print_error(line)
    if wrong:
        raise typer.Exit(1)
    typer.echo("It is what the certificate speaks of.")
