"""Files sanitised with given replacements, as the tests of formats need them."""

import io
import re
import zipfile

from intact.domain import Edit, SanitizedDocument, Span


def sanitize_with(kind, data, *pairs, name="in.x"):
    """Return each document's output and what was loaded, each first string replaced by the second.

    Args:
        kind: a format.
        data: a file.
        pairs: (pattern, replacement).
        name: of the file.
    """
    made = []
    for record in kind.records(io.BytesIO(data), name):
        loaded = kind.load(record, "first")
        text = loaded.document.text
        edits = sorted(
            (Edit(Span(*m.span()), new) for old, new in pairs for m in re.finditer(old, text)),
            key=lambda edit: edit.span,
        )
        done = SanitizedDocument(loaded.document, tuple(edits), (), ())
        made.append((kind.render(record, loaded, done), loaded))
    return made


def parts_of(data):
    """Return the names and texts of the files in an archive."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name).decode("utf-8", "replace") for name in archive.namelist()}


def repacked(data, change, **added):
    """Return an archive with its parts changed.

    Args:
        data: an archive.
        change: a function of a part's name and bytes; returns its new content.
        added: contents of further parts, by name.
    """
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
        for name, content in added.items():
            new.writestr(name, content)
    return made.getvalue()
