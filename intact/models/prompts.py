"""The prompts of language models: read from ``prompts/*.toml`` and checked before any model is
used; filled in, with document text made harmless."""

import hashlib
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from intact.english.vocabulary import vocabulary
from intact.errors import ConfigError
from intact.protocols import CompletionRequest
from intact.shipped import read_toml, resource_dir

_FIELD = re.compile(r"\{(\w+)\}")

# What could end our own quoting, or the turn itself, if a document said it.
_DANGEROUS = re.compile("|".join(vocabulary("texts")["dangerous"]))
_BRACKETS = str.maketrans("⟦⟧", "[]")  # those around places
_MARKER = re.compile(r"\[(\d+)([:\]])")
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Prompts:
    """All prompts of one folder, by "file.template", and a hash of them for signatures."""

    templates: Mapping[str, str]
    sha256: str

    def fill(self, template: str, **fields: str) -> str:
        """Return the text of a template with its fields filled in. Braces in the values are not
        taken for fields.

        Args:
            template: "file.template".
            fields: a value for each of its fields; further ones are ignored.
        """
        return _FIELD.sub(lambda match: fields[match[1]], self.templates[template])

    def request(
        self, role: str, numbers: Sequence[int], seed: int, *, max_tokens: int, **fields: str
    ) -> CompletionRequest:
        """Make the request that asks a role's question about some places, numbered spots of the
        text that must each have a line in the answer. Its seed follows from ``seed`` and the
        question.

        Args:
            role: the file of its templates "prefix" and "question" ("reader").
            numbers: of the places.
            seed: of the run; each question derives its own from it.
            max_tokens: the most tokens of the answer.
            fields: the values for both templates, besides "places".
        """
        question = self.fill(f"{role}.question", places=", ".join(map(str, numbers)), **fields)
        own = zlib.crc32(f"{seed}\0{question}".encode("utf-8", "replace"))
        prefix, places = self.fill(f"{role}.prefix", **fields), tuple(numbers)
        return CompletionRequest(prefix, question, places=places, max_tokens=max_tokens, seed=own)


def load_prompts(folder: Path | None = None) -> Prompts:
    """Read all prompt files and check them; return their templates by "file.template", and a hash
    of all. Raise a ``ConfigError`` for a folder that is not there, a file or template that is
    unknown, or a template that is missing, empty or has other fields than the shipped one.

    Args:
        folder: holds files that replace the shipped ones of the same name; None: all are the
            shipped ones.
    """
    files = sorted(resource_dir("prompts").glob("*.toml"))
    shipped = {path.name: read_toml(path) for path in files}
    trees, where = dict(shipped), "setting prompts.dir"
    if folder is not None and not folder.is_dir():
        raise ConfigError(f"there is no folder {folder}", where=where)
    for path in sorted(folder.glob("*.toml")) if folder is not None else ():
        if path.name not in shipped:
            remedy = f"Known: {', '.join(shipped)}."
            raise ConfigError(f"{path.name} is not a prompt file", where=where, remedy=remedy)
        trees[path.name] = read_toml(path)
        _check_file(trees[path.name], shipped[path.name], path)
    digest = hashlib.sha256(repr(trees).encode()).hexdigest()
    templates = {
        f"{name.removesuffix('.toml')}.{template}": words.removeprefix("\n")
        for name, tree in trees.items()
        for template, words in tree.items()
    }
    return Prompts(templates, digest)


def escape(text: str) -> str:
    """Make a text harmless in a prompt, and return it: nothing in it can be taken for our marks or
    for control words. A space breaks up every such word; "[12]" and "⟦12⟧" become "(12)", other
    "⟦" and "⟧" square brackets, unprintable characters U+FFFD. Offsets change."""
    clean = _UNPRINTABLE.sub("\ufffd", text.translate(_BRACKETS))
    clean = _DANGEROUS.sub(
        lambda match: " ".join(match[0] if len({*match[0]}) == 1 else (match[0][0], match[0][1:])),
        clean,
    )
    return _MARKER.sub(lambda match: f"({match[1]}{':' if match[2] == ':' else ')'}", clean)


def escape_line(text: str) -> str:
    """Make a text harmless in a prompt (see ``escape``), and return it on one line."""
    return " ".join(escape(text).split())


def _check_file(tree: dict[str, Any], shipped: Mapping[str, str], path: Path) -> None:
    """Raise a ``ConfigError`` if a prompt file lacks a template, has one that is not shipped, or
    one with other fields.

    Args:
        tree: its templates, by name.
        shipped: the templates of the shipped file of the same name.
        path: of the file, for messages.
    """
    for name, words in shipped.items():
        template, fields = tree.get(name), frozenset(_FIELD.findall(words))
        if not isinstance(template, str) or not template.strip():
            raise ConfigError(f"the template {name!r} is missing or empty", where=path)
        used = frozenset(_FIELD.findall(template))
        if used != fields:
            wrong = {"lacks": fields - used, "has the unknown": used - fields}
            told = (f"{what} {{{field}}}" for what, of in wrong.items() for field in sorted(of))
            remedy = f"Its fields: {', '.join(sorted(fields)) or 'none'}."
            raise ConfigError("; ".join(told), where=f"{path}, template {name}", remedy=remedy)
    if unknown := [name for name in tree if name not in shipped]:
        raise ConfigError(f"{unknown[0]!r} is not one of its templates", where=path)
