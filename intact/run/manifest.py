"""The manifest of a run: what was asked, with what, and what came of it; no document text."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from intact import __version__
from intact.errors import RunError
from intact.run.files import write_private
from intact.run.source import Plan

_MUST_AGREE = {
    "version": "INTACT's version",
    "settings": "the configuration",
    "parts": "the knowledge base or another part",
    "input": "the input",
    "skip_bad": "--skip-bad",
}


def describe(
    plan: Plan,
    *,
    settings: Mapping[str, Any],
    parts: Mapping[str, str],
    skip_bad: bool,
) -> dict[str, Any]:
    """The manifest of a run that has not begun: what its output depends on."""
    return {
        "version": __version__,
        "settings": dict(settings),
        "parts": dict(sorted(parts.items())),
        "input": [
            {
                "file": str(file.source.relative),
                "format": file.source.format.name,
                "sha256": file.digest,
                "documents": file.documents,
                "skipped": len(file.bad),
            }
            for file in plan.files
        ],
        "documents": plan.documents,
        "spans": plan.spans,
        "skip_bad": skip_bad,
        "finished": False,
    }


def finish(
    manifest: Mapping[str, Any], figures: Mapping[str, Any], outputs: Mapping[str, str]
) -> dict[str, Any]:
    """The manifest of a finished run: with its figures and the SHA-256 of each file written."""
    return {**manifest, "finished": True, "figures": dict(figures), "output": dict(outputs)}


def save(manifest: Mapping[str, Any], path: Path) -> None:
    """Writes it, atomically and privately."""
    write_private(path, json.dumps(manifest, indent=2, ensure_ascii=True) + "\n")


def load(path: Path) -> dict[str, Any] | None:
    """The manifest at ``path``, or None if there is none.

    Raises:
        RunError: if it cannot be read.
    """
    try:
        manifest = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError):
        manifest = None
    if not _whole(manifest):
        raise RunError(
            "the manifest is damaged", where=str(path), remedy="Run again without --resume."
        )
    found: dict[str, Any] = manifest
    return found


def _whole(manifest: object) -> bool:
    """Whether it has what resuming reads."""
    if not isinstance(manifest, dict) or not isinstance(manifest.get("finished"), bool):
        return False
    wanted = ("figures", "output") if manifest["finished"] else ()
    return all(isinstance(manifest.get(key), dict) for key in wanted)


def check_same(old: Mapping[str, Any], new: Mapping[str, Any], where: str) -> None:
    """Checks that a run to be resumed is the run that was begun.

    Raises:
        RunError: if its output would mix two different runs; names what differs.
    """
    changed = [
        name
        for key, name in _MUST_AGREE.items()
        if json.dumps(old.get(key)) != json.dumps(new[key])
    ]
    if changed:
        raise RunError(
            f"cannot resume: {' and '.join(changed)} changed since the run began",
            where=where,
            remedy="Run without --resume to start over, or restore what changed.",
        )


def sha256(path: Path) -> str:
    """The SHA-256 of a file, hexadecimal.

    Raises:
        RunError: if it cannot be read.
    """
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise RunError(f"cannot be read again ({error.strerror})", where=str(path)) from None
