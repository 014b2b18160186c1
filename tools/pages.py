"""Writes the pages of docs/ that are made from the code: ``make docs``.

docs/settings.md comes from the descriptions of the settings, docs/api.md from the docstrings of
what ``import intact`` offers, docs/commands.md from the commands with their help, the sections of
docs/metrics.md from the metrics. A test compares them with what stands in docs/.
"""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import is_dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import tomli_w
import typer
from pydantic import BaseModel
from pydantic.fields import FieldInfo

import intact
from intact.config import Settings
from intact.evaluation.metric import Metric
from intact.protocols import BUILT_IN, load_part

DOCS = Path(__file__).resolve().parent.parent / "docs"
_FIELD = re.compile(r"^((?:    # .+\n)*)    (\w+): .*?(?:  # (.+))?$", re.MULTILINE)
"""A field of a dataclass with the comment beside it or the string below it."""
_SECTION = re.compile(r"(Args|Attributes|Raises|Returns|Yields):")
_GROUPS: Mapping[str, Callable[[Any], bool]] = {
    "Functions": inspect.isfunction,
    "Sanitizer": lambda found: found is intact.Sanitizer,
    "Settings": lambda found: found is intact.Settings,
    "Types": lambda found: inspect.isclass(found) and not issubclass(found, Exception),
    "Errors": lambda found: inspect.isclass(found) and issubclass(found, Exception),
}


def settings_page() -> str:
    """docs/settings.md: every setting with its default, what it may be, and what it does."""
    lines = [
        "# Settings",
        "",
        "Made from the code by `make docs`. A TOML file holds sections with settings; it lies over"
        " the default, and `--set section.name=value` lies over both. `intact config show` prints"
        " what holds, `intact config list` the presets. Paths count from the folder in"
        " which a command is run, not from the file.",
    ]
    for section, field in Settings.model_fields.items():
        kind = field.annotation
        if not (isinstance(kind, type) and issubclass(kind, BaseModel)):
            lines += ["", f"## {section}", "", _told(field)]
            continue
        lines += ["", f"## {section}", "", str(inspect.getdoc(kind)), ""]
        lines += ["| setting | default | may be | what it does |", "| --- | --- | --- | --- |"]
        for name, each in kind.model_fields.items():
            cells = (f"`{section}.{name}`", _default(each), _allowed(each), _told(each))
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def _told(field: FieldInfo) -> str:
    """Write what stands below a field on one line."""
    return " ".join(str(field.description).split())


def _default(field: FieldInfo) -> str:
    value = field.get_default(call_default_factory=True)
    if value is None:
        return "unset"
    if isinstance(value, Mapping):
        inner = ", ".join(f"{key} = {_toml(each)}" for key, each in value.items())
        return f"`{{ {inner} }}`" if inner else "`{}`"
    return f"`{_toml(value)}`"


def _toml(value: object) -> str:
    plain = [str(each) for each in value] if isinstance(value, tuple) else value
    text = tomli_w.dumps({"x": plain}).removeprefix("x = ").strip()
    return re.sub(r",?\s*\]$", "]", re.sub(r"\s+", " ", text).replace("[ ", "["))


def _allowed(field: FieldInfo) -> str:
    kind = field.annotation
    if get_origin(kind) is Literal:
        return ", ".join(f"`{each}`" for each in get_args(kind))
    if get_origin(kind) is types.UnionType:
        kind = next(each for each in get_args(kind) if each is not types.NoneType)
    names = {str: "text", int: "whole number", float: "number", bool: "true, false", Path: "path"}
    name = names.get(kind, "") if isinstance(kind, type) else ""
    if get_origin(kind) is tuple:
        name = f"list of {names[get_args(kind)[0]]}s"
    name = name or ("table" if get_args(kind)[-1:] == (Any,) else "table by entity type")
    bounds = {
        attribute: getattr(rule, attribute)
        for rule in field.metadata
        for attribute in ("ge", "gt", "le")
        if getattr(rule, attribute, None) is not None
    }
    low = f"{bounds['ge']:g}" if "ge" in bounds else f"above {bounds.get('gt', 0):g}"
    high = f" to {bounds['le']:g}" if "le" in bounds else " or more"
    return f"{name}, {low}{high}" if bounds else name


def api_page() -> str:
    """docs/api.md: what ``import intact`` offers, with its docstrings."""
    lines = [
        "# Python",
        "",
        "Made from the docstrings by `make docs`. This page is the public face: it changes only"
        " with a line in CHANGELOG.md. All other modules are private, also those whose names have"
        " no underscore, but for what docs/extending.md names.",
    ]
    known = [name for name in intact.__all__ if not name.startswith("_")]
    for title, belongs in _GROUPS.items():
        mine = [name for name in known if belongs(getattr(intact, name))]
        known = [name for name in known if name not in mine]
        lines += ["", f"## {title}"]
        for name in mine:
            lines += ["", *_described(name, getattr(intact, name))]
    assert not known, f"in no group: {known}"
    return "\n".join(lines) + "\n"


def _described(name: str, found: Any) -> Iterator[str]:
    kind = "" if inspect.isfunction(found) else "class "
    plain = inspect.isclass(found) and issubclass(found, Exception | BaseModel)
    yield f"### {kind}`{name}{'' if plain else _signature(found)}`"
    yield ""
    yield _markdown(inspect.getdoc(found) or "")
    if not inspect.isclass(found):
        return
    fields = _FIELD.findall(inspect.getsource(found)) if is_dataclass(found) else []
    told = ((name, beside or above.replace("    # ", "")) for above, name, beside in fields)
    explained = [(name, " ".join(text.split())) for name, text in told if text]
    yield from ("", "*Attributes*", "") if explained else ()
    for field, text in explained:
        yield f"- `{field}`: {text.replace('``', '`')}"
    for member, value in vars(found).items():
        read = isinstance(value, property | cached_property)
        if member.startswith("_") or not (inspect.isfunction(value) or read):
            continue
        shown = f".{member}" + ("" if read else _signature(value))
        yield ""
        yield f"#### `{name}{shown}`"
        yield ""
        yield _markdown(inspect.getdoc(value) or "")


def _signature(found: Any) -> str:
    try:
        text = str(inspect.signature(found))
    except ValueError:
        return ""
    text = re.sub(r"(: |-> )'([^']*)'", r"\1\2", text)  # annotations are strings
    text = re.sub(r"\(self(?:, )?", "(", text)
    return re.sub(r" -> None$", "", text)


def _markdown(text: str) -> str:
    """A docstring as Markdown: its sections become lists."""
    lines: list[str] = []
    in_section = in_example = False
    for line in text.replace("``", "`").splitlines():
        heading = _SECTION.fullmatch(line)
        if heading is not None:
            in_section = True
            lines += [f"*{heading[1]}*", ""]
        elif in_section and (item := re.fullmatch(r" {4}([\w*][\w.,* ]*): (.*)", line)):
            lines.append(f"- `{item[1]}`: {item[2]}")
        elif in_section and line.startswith("        "):
            lines[-1] += f" {line.strip()}"
        elif line.startswith(">>> ") or (line and in_example):
            in_example = True
            lines.append(f"    {line}")
        else:
            in_section, in_example = in_section and not line, False
            lines.append(line)
    return "\n".join(lines).strip()


def commands_page() -> str:
    """Return docs/commands.md: every command of the command line with its arguments and options."""
    lines = [
        "# Commands",
        "",
        "Made from the code by `make docs`. `intact COMMAND --help` prints the same.",
    ]
    for name in BUILT_IN["command"]:
        app = load_part("command", name)
        if not isinstance(app, typer.Typer):
            app, command = typer.Typer(add_completion=False), app
            app.command(name)(command)
        lines += _command(name, typer.main.get_command(app))
    return "\n".join(lines) + "\n"


def _command(name: str, command: Any) -> Iterator[str]:
    yield from ("", f"## intact {name}", "", _markdown(inspect.cleandoc(command.help or "")))
    shown = [each for each in command.params if not getattr(each, "hidden", False)]
    if shown:
        yield from ("", "| argument, option | default | what it does |", "| --- | --- | --- |")
    for each in shown:
        is_option = each.param_type_name == "option"
        opts = ", ".join((*each.opts, *each.secondary_opts)) if is_option else each.name.upper()
        default = f"`{each.default}`" if isinstance(each.default, str | int | float) else ""
        default = default if each.default else ""
        told = " ".join((getattr(each, "help", "") or "").split()).replace("|", "\\|")
        yield f"| `{opts}` | {default} | {told} |"
    for inner, below in getattr(command, "commands", {}).items():
        yield from _command(f"{name} {inner}", below)


def metrics_page() -> str:
    """docs/metrics.md with a section for each metric, from its class."""
    page = (DOCS / "metrics.md").read_text("utf-8")
    begin, end = page.index("-->\n") + 4, page.index("\n## Reading them together")
    better = {"higher": "More is better", "lower": "Less is better", "": "Neither way is better"}
    lines = []
    for name in BUILT_IN["metric"]:
        metric = load_part("metric", name)
        assert isinstance(metric, type) and issubclass(metric, Metric)
        lines += ["", f"## `{name}`: {metric.title}", ""]
        lines += [" ".join(inspect.cleandoc(metric.__doc__ or "").split()), ""]
        lines += [f"- {better[metric.better]}.", f"- Source: {metric.source}."]
        lines += [f"- Needs {need}." for need in metric.needs]
    return page[:begin] + "\n".join(lines) + "\n" + page[end:]


PAGES: Mapping[str, Callable[[], str]] = {
    "settings.md": settings_page,
    "api.md": api_page,
    "commands.md": commands_page,
    "metrics.md": metrics_page,
}


if __name__ == "__main__":
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), "utf-8")
