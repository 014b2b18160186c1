"""Without originals: the certificate of a run, one page for print, and the list of decisions."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from html import escape, unescape
from pathlib import Path
from string import Template
from typing import Any

from intact.config import sha256
from intact.domain import Document
from intact.errors import FormatError, RunError, reading
from intact.formats.base import to_csv
from intact.review.decisions import Action, ReviewLine, in_force, read_decisions, text_digest
from intact.run.files import write_private
from intact.run.job import Job, load_manifest


def certify(job: Job, decisions: Path | None, path: Path, confirmed_by: str = "") -> None:
    """Write the certificate of a run that is finished.

    Args:
        decisions: what people decided, if anything.
        confirmed_by: who confirmed every warning before the release; "" if nobody was asked.
    """
    manifest = load_manifest(job.manifest)
    if manifest is None or not manifest["finished"]:
        raise RunError("the run left no manifest", where=str(job.manifest))
    outputs = dict(manifest["output"])
    if str(path) in outputs:
        raise RunError("it would replace the output", where=str(path))
    outputs.pop(str(job.edits), None)
    lines = [] if decisions is None else read_decisions(decisions)
    told = record({**manifest, "output": outputs}, lines) | {"confirmed_by": confirmed_by}
    write_private(path, certificate(told))


_RECORD = re.compile(r'<pre id="record">(.*?)</pre>', re.DOTALL)
_OUTCOMES = {
    "SAFE": "a statement that no configured attacker guessed",
    "CONTEXT": "guessed, but as well at the label: the context tells it",
    "LABEL": "a label",
    "COVERED": "within a longer place",
    "GUESSED": "guessed; a person decided that it stays",
    "UNPARSED": "a phrase that no attacker could read; a person decided that it stays",
    "UNTESTED": "not attacked",
}
_ACTIONS = {
    "accept": "accepted",
    "choose": "another candidate",
    "phrase": "own phrase",
    "always": "own phrase, for the glossary",
    "mask": "label",
    "keep": "kept as it is",
    "mark": "missed text hidden",
    "unmark": "not personal",
    "split": "split",
    "join": "joined",
    "retype": "another type",
    "clear": "doubtful place looked at",
}
_TO_KNOW = {
    "skipped": "left out (documents or files)",
    "unprotected": "could not be protected as asked",
    "drifted": "not as a person decided, because the text changed",
    "detected": "not annotated: mentions were detected by rules and models",
}
_ATTACK = ("attackers", "guesses", "max_risk", "min_risk")
_MOST = 50  # different warnings that are listed
_AUDITED = ("when", "who", "what", "document", "type", "places", "phrase", "why", "state")
_FORMULA = "=+-@\t"  # what begins a formula in a spreadsheet


def record(manifest: Mapping[str, Any], lines: Iterable[ReviewLine]) -> dict[str, Any]:
    """Return what a certificate says, as JSON values."""
    figures, files = manifest["figures"], manifest["input"]
    decided: dict[str, Counter[str]] = {}
    for line in in_force(lines):
        decided.setdefault(line.by, Counter())[line.action.value] += 1
    warnings = Counter(
        note for file in files for notes in file.get("warnings", {}).values() for note in notes
    )
    rates = [told[0] for file in files for told in file.get("doubts", {}).values()]
    unread = Counter(Path(name).suffix or "no suffix" for name in manifest.get("unread", ()))
    model, attack = (manifest["settings"].get(name, {}) for name in ("model", "attack"))
    return {
        "certificate": 1,
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "version": manifest["version"],
        "settings": text_digest(json.dumps(manifest["settings"], sort_keys=True)),
        "model": str(model.get("name") or model.get("path") or "none"),
        "attack": {name: attack.get(name) for name in _ATTACK},
        "parts": manifest["parts"],
        "input": [{name: one[name] for name in ("sha256", "format", "documents")} for one in files],
        "output": sorted(manifest["output"].values()),
        "documents": figures.get("documents", 0),
        "detected": figures.get("detected", 0),
        "skipped": manifest["skipped"],
        "outcomes": figures.get("outcomes", {}),
        "unprotected": figures.get("unprotected", 0),
        "drifted": len(figures.get("drifted", {})),
        "warnings": dict(warnings),
        "unread": dict(unread),
        "doubts": {"mean": round(sum(rates) / len(rates), 1), "most": max(rates)} if rates else {},
        "decided": {by: dict(counts) for by, counts in decided.items()},
    }


def certificate(told: Mapping[str, Any]) -> str:
    """Return the page."""
    ends = told["outcomes"].items()
    outcomes = [(str(n), _OUTCOMES[name]) for name, n in ends if name in _OUTCOMES]
    people = [
        (by, ", ".join(f"{count} {_ACTIONS.get(name, name)}" for name, count in counts.items()))
        for by, counts in told["decided"].items()
    ]
    left = [(str(told[key]), what) for key, what in _TO_KNOW.items() if told[key]]
    inputs = [(f"{one['format']}: {one['documents']}", one["sha256"]) for one in told["input"]]
    made = [("INTACT", told["version"]), ("Settings (SHA-256)", told["settings"])]
    how = told["attack"]
    who = ", ".join(how["attackers"] or ()) or "nobody"
    risk = f"{how['max_risk']:.0%}" if how["max_risk"] is not None else "any"
    least = f" held to be right with {how['min_risk']:.0%} or more" if how["min_risk"] else ""
    stands = f"a risk above {risk} that one is right does not stand"
    made += [
        ("Language model", told["model"]),
        ("Attacked by", f"{who}: {how['guesses']} guesses{least}; {stands}"),
        *((name, str(value)) for name, value in told["parts"].items()),
    ]
    warned = [(_counted(n, "document"), note) for note, n in told["warnings"].items()][:_MOST]
    warned += [(_counted(n, "file"), f"not read: {kind}") for kind, n in told["unread"].items()]
    if told["doubts"]:
        mean, most = told["doubts"]["mean"], told["doubts"]["most"]
        rate = f"{mean:.1f} in a hundred words; in the most doubtful document {most:.1f}"
        warned.append(("mentions", f"that detection probably missed: {rate}"))
    confirmed = f", confirmed by {escape(told['confirmed_by'])}" if told["confirmed_by"] else ""
    tables = (
        _table("Places, and what stands there", outcomes),
        _table("Documents to know about", left),
        _table(f"Warnings{confirmed}", warned),
        _table("Who decided", people or [("nobody", "every choice was made by rule")]),
        _table("Output (SHA-256)", [("", one) for one in told["output"]]),
        _table("Input, documents (SHA-256)", inputs),
        _table("Made with", made),
    )
    page = Template(Path(__file__).with_name("certificate.html").read_text("utf-8"))
    return page.substitute(
        made=escape(told["made"]),
        documents=told["documents"],
        tables="\n".join(filter(None, tables)),
        record=escape(json.dumps(told, sort_keys=True)),
    )


def _counted(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'s' if count != 1 else ''}"


def _table(title: str, rows: Sequence[tuple[str, str]]) -> str:
    if not rows:
        return ""
    shown = ((escape(name), escape(value)) for name, value in rows)
    body = "".join(f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in shown)
    return f"<h2>{title}</h2><table>{body}</table>"


def audit(
    lines: Sequence[ReviewLine], documents: Sequence[Document], originals: Mapping[str, set[str]]
) -> str:
    """Return every decision as CSV, without originals: when, who, what, why, and what came of it.

    Documents go by the beginning of the SHA-256 of their text.

    Args:
        lines: of the file, in order.
        originals: what must not be told, by document id.
    """
    rows = []
    undone = {line.undoes for line in lines}
    counts = {line.id for line in in_force(lines)}
    now = {document.id: text_digest(document.text) for document in documents}
    for line in lines:
        state = "taken back" if line.id in undone else "overruled"
        if line.id in counts:
            same = line.digest == now.get(line.document)
            state = "in force" if same else "the text changed"
        hidden = _match_originals(originals.get(line.document, set()) | set(line.surfaces))
        cells = [line.at, line.by, line.action.value, line.digest[:16], line.entity_type]
        cells += [str(len(line.spans) or ""), hidden.sub("[…]", line.phrase)]
        cells += [hidden.sub("[…]", line.reason), "" if line.action is Action.UNDO else state]
        rows.append([f"'{cell}" if cell[:1] in _FORMULA and cell else cell for cell in cells])
    return to_csv(_AUDITED, rows)


def _match_originals(originals: Iterable[str]) -> re.Pattern[str]:
    """Return where an original, or a capitalised word or a number of one, stands."""
    names = {word for one in originals for word in re.findall(r"\w{3,}|\d+", one)}
    parts = {*originals, *(word for word in names if word[0].isupper() or word[0].isdigit())}
    parts.discard("")
    some = "|".join(re.escape(one) for one in sorted(parts, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{some})(?!\w)" if some else r"(?!)", re.IGNORECASE)


def verify(path: Path, output: Path) -> list[str]:
    """Return what is wrong with an output; nothing if it is what the certificate speaks of.

    Args:
        output: a file, or a folder with all that was written.

    Raises:
        FormatError: if there is no certificate at ``path``.
        RunError: if something cannot be read.
    """
    known: set[str] = set()
    with reading(path, RunError), suppress(ValueError, TypeError, KeyError):
        found = _RECORD.search(path.read_text("utf-8"))
        known |= set(json.loads(unescape(found[1]))["output"] if found else ())
    if not known:
        raise FormatError("it is no certificate", where=str(path))
    if not output.is_dir():
        return [] if sha256(output) in known else [f"{output}: the certificate does not name it"]
    hashes = {one: sha256(one) for one in sorted(output.rglob("*")) if one.is_file()}
    unknown = [one for one, found in hashes.items() if found not in known]
    wrong = [f"{one}: the certificate does not name it" for one in unknown]
    missing = len(known - set(hashes.values()))
    return wrong + ([f"not there, of what it names: {missing}"] if missing else [])
