"""The prompts: read from ``prompts/*.toml`` and checked before any model is touched."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from intact.config import read_toml, resource_dir
from intact.domain import GENERALISABLE
from intact.errors import ConfigError

_FIELD = re.compile(r"\{(\w+)\}")

# For each file the templates it must hold, and the fields each template must and may use.
_TEMPLATES: dict[str, dict[str, frozenset[str]]] = {
    "generate": {
        "prefix": frozenset({"count", "kind", "example", "hidden"}),
        "example": frozenset({"sentence", "target", "answer"}),
        "question": frozenset({"count", "sentences", "target"}),
    },
    "attack": {
        "legend": frozenset({"document", "legend"}),
        "inline": frozenset({"document"}),
        "question": frozenset({"count", "marker", "shown"}),
        "reason": frozenset(),
    },
    "attack_date": dict.fromkeys(
        ("date", "years", "day", "weekday", "age", "duration", "clock", "time"),
        frozenset({"count", "marker", "shown"}),
    ),
    "evidence": {"prefix": frozenset({"attributes", "document"}), "question": frozenset()},
    "score": {"question": frozenset({"marker", "shown"})},
    "judge": {
        "first": frozenset(),
        "second": frozenset(),
        "about": frozenset({"sentences", "target"}),
        "question": frozenset({"candidate"}),
    },
    "several": dict.fromkeys(("lines", "words"), frozenset({"questions", "first"})),
}

# What could end our own quoting, or the turn itself, if a document said it.
_DANGEROUS = re.compile(
    r"<\|[^\n|>]{0,40}\|>"  # <|im_end|>, <|eot_id|>
    r"|</?s>|\[/?INST\]|<</?SYS>>"  # Llama 2, Mistral
    r"|</?(?:start|end)_of_(?:turn|text)>|<(?:bos|eos|pad|unk)>"  # Gemma
    r"|</?(?:think|tool_call|tool_response)>"
    r"|<{3,}|>{3,}|\[{2,}|\]{2,}"  # our fences and target marks
)
_MARKER = re.compile(r"\[(\d+)([:\]])")
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class PromptExample:
    """One worked answer, shown before the question."""

    sentence: str
    target: str
    answer: tuple[str, ...]
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Prompts:
    """All prompts of one folder.

    Attributes:
        templates: by "file.template", surrounding line breaks as the file has them.
        examples: one for each entity type.
        sha256: of everything above, for signatures and the record.
    """

    templates: Mapping[str, str]
    examples: Mapping[str, PromptExample]
    sha256: str

    def fill(self, template: str, **fields: str) -> str:
        """A template with its fields filled; the values are not searched for fields."""
        return _FIELD.sub(lambda match: fields[match[1]], self.templates[template])

    def example(self, entity_type: str) -> PromptExample:
        """The example of a type; an unknown type has that of MISC."""
        return self.examples.get(entity_type, self.examples["MISC"])


def load_prompts(folder: Path | None = None) -> Prompts:
    """The prompts of ``folder``; files it lacks are the shipped ones.

    Raises:
        ConfigError: a file or template is missing, unknown, unreadable, or has a wrong field.
    """
    shipped = resource_dir("prompts")
    if folder is not None:
        _check_folder(folder)
    trees: dict[str, dict[str, Any]] = {}
    for name, known in _TEMPLATES.items():
        own = folder / f"{name}.toml" if folder is not None else None
        path = own if own is not None and own.is_file() else shipped / f"{name}.toml"
        trees[name] = read_toml(path)
        _check_file(trees[name], known, path)
    examples = _examples(trees["generate"], "generate.toml")
    digest = hashlib.sha256(repr((trees, examples)).encode()).hexdigest()
    templates = {
        f"{name}.{template}": trees[name][template].removeprefix("\n")
        for name, known in _TEMPLATES.items()
        for template in known
    }
    return Prompts(templates, examples, digest)


def escape(text: str) -> str:
    """``text`` for a prompt: nothing in it can be taken for our marks or a chat's control words.

    A space breaks every such word up; "[12]" becomes "(12)". Offsets change.
    """
    clean = _UNPRINTABLE.sub("\ufffd", text)
    clean = _DANGEROUS.sub(lambda match: " ".join(_split(match[0])), clean)
    return _MARKER.sub(lambda match: f"({match[1]}{':' if match[2] == ':' else ')'}", clean)


def escape_line(text: str) -> str:
    """:func:`escape`, on one line."""
    return " ".join(escape(text).split())


def _split(word: str) -> list[str]:
    """The word's first character and its rest; for a run of one character, all of them."""
    return list(word) if len(set(word)) == 1 else [word[0], word[1:]]


def _check_folder(folder: Path) -> None:
    where = "setting prompts.dir"
    if not folder.is_dir():
        raise ConfigError(f"there is no folder {folder}", where=where)
    for path in sorted(folder.glob("*.toml")):
        if path.stem not in _TEMPLATES:
            raise ConfigError(
                f"{path.name} is not a prompt file",
                where=where,
                remedy=f"Known: {', '.join(f'{name}.toml' for name in _TEMPLATES)}.",
            )


def _check_file(tree: dict[str, Any], known: dict[str, frozenset[str]], path: Path) -> None:
    for name, fields in known.items():
        template = tree.get(name)
        if not isinstance(template, str) or not template.strip():
            raise ConfigError(f"the template {name!r} is missing or empty", where=str(path))
        used = frozenset(_FIELD.findall(template))
        if used != fields:
            missing = ", ".join(f"{{{field}}}" for field in sorted(fields - used))
            unknown = ", ".join(f"{{{field}}}" for field in sorted(used - fields))
            raise ConfigError(
                "; ".join(
                    part
                    for part in (
                        f"lacks {missing}" if missing else "",
                        f"has the unknown {unknown}" if unknown else "",
                    )
                    if part
                ),
                where=f"{path}, template {name}",
                remedy=f"Its fields: {', '.join(sorted(fields)) or 'none'}.",
            )
    for name in tree:
        if name not in known and name != "examples":
            raise ConfigError(f"{name!r} is not one of its templates", where=str(path))


def _examples(tree: dict[str, Any], where: str) -> dict[str, PromptExample]:
    examples: dict[str, PromptExample] = {}
    for kind in GENERALISABLE:
        raw = tree.get("examples", {}).get(kind)
        try:
            sentence, target, said = (str(raw[name]) for name in ("sentence", "target", "kind"))
            example = PromptExample(sentence, target, tuple(raw["answer"]), said)
        except (TypeError, KeyError):
            raise ConfigError(
                "needs kind, sentence, target and answer", where=f"{where}, examples.{kind}"
            ) from None
        if f"[[{example.target}]]" not in example.sentence or not example.answer:
            raise ConfigError(
                "the sentence must hold [[target]], and there must be answers",
                where=f"{where}, examples.{kind}",
            )
        examples[kind] = example
    return examples
