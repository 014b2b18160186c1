"""Without originals: the certificate of a run, one page for print, and the list of decisions."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import partial
from html import escape, unescape
from itertools import chain
from pathlib import Path
from string import Template
from typing import Any

from intact.config import sha256
from intact.domain import Document, Outcome, Span
from intact.english.numbers import counted
from intact.english.words import fold, folded, spelling, spells_nearly
from intact.errors import FormatError, RunError, reading
from intact.formats.base import common_suffix, to_csv
from intact.formats.pieces import cut_at
from intact.review import decisions as deciding
from intact.review.decisions import SHOWS, Action, ReviewLine, in_force, read_decisions, text_digest
from intact.run.files import SKIPPED, check_writable, load_documents, write_private
from intact.run.job import Job, load_manifest


@dataclass(frozen=True, slots=True)
class Question:
    """A warning that a person confirms before a release."""

    about: str  # what it says, as the certificate has it
    names: tuple[str, ...] = ()  # of documents or files; only the page shows them

    def __str__(self) -> str:
        return f"{self.about} ({', '.join(self.names)})" if self.names else self.about


@dataclass(frozen=True, slots=True)
class People:
    """The part of people in a release."""

    actions: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """By person, at how many places which action was the last."""
    beside: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """By person, how often which action that decides on no place was taken."""

    def count(self, *, clear: bool) -> int:
        """Count the places that people decided on: those left in clear, or those replaced."""
        made = (each for counts in self.actions.values() for each in counts.items())
        return sum(number for action, number in made if (action in SHOWS) is clear)


def count_choices(people: People, outcomes: Mapping[str, int]) -> dict[str, int]:
    """Count the places of a release by who decided on them, and what went out all the same.

    Args:
        people: their part.
        outcomes: of all masked mentions, counted.
    """
    places = sum(outcomes.get(name, 0) for name in _WORDS["outcomes"])
    decided, clear = min(places, people.count(clear=False)), people.count(clear=True)
    count = {"places": places, "decided": decided, "by_rule": places - decided, "clear": clear}
    guessed = sum(outcomes.get(name, 0) for name in (Outcome.GUESSED, Outcome.UNPARSED))
    return count | {"found": places + clear, "guessed": guessed}


def check_certificate(path: Path | None, job: Job, *kept: Path | None) -> None:
    """Fail at once where a certificate could not be written, or would replace a file of the run.

    Args:
        path: of the certificate; None if none is wanted.
        job: the run, with its inputs and outputs.
        kept: files of decisions and glossaries, which neither it nor an output may replace.

    Raises:
        RunError: for either.
    """
    outputs = {Path(str(one)).absolute() for one in map(job.output, job.sources)}
    own = {each.absolute() for each in kept if each is not None}
    inputs = {Path(str(one.place())).absolute() for one in job.sources}
    if path is not None and path.absolute() in outputs | inputs | own:
        raise RunError("it would replace the input, the output or what is decided", where=str(path))
    for each in sorted((outputs | inputs) & own):
        problem = "decisions and glossary need a file beside input and output"
        raise RunError(problem, where=str(each))
    check_writable(path)


def certify(
    job: Job,
    decisions: Path | None,
    path: Path | None,
    confirmed_by: str = "",
    questions: Sequence[Question] = (),
) -> str:
    """Write the certificate of a run that is finished; say in a line what goes out in clear or
    guessed as people decided, "" for nothing.

    Args:
        job: the run.
        decisions: what people decided, if anything.
        path: of the certificate; None writes none.
        confirmed_by: who was asked the questions before the release, and confirmed all of them.
        questions: those that were asked.

    Raises:
        RunError: if the run left no manifest, or the certificate cannot be written.
    """
    manifest = load_manifest(job.manifest)
    if manifest is None or not manifest["finished"]:
        raise RunError("the run left no manifest", where=str(job.manifest))
    lines = () if decisions is None else read_decisions(decisions)
    read = load_documents(job.sources, job.settings.run.annotator, skipped=[]) if lines else ()
    people = count_decisions((loaded.document for _, _, loaded in read), lines)
    count = count_choices(people, manifest["figures"].get("outcomes", {}))
    if path is not None:
        root = job.out if job.folder else job.out.parent
        written = {to: one for to, one in manifest["output"].items() if to != str(job.edits)}
        outputs = {_name_digest(Path(to), root): one for to, one in written.items()}
        model = job.settings.model_named("proposer").shown or "none"
        told = manifest | {"output": outputs, "model": model}
        write_private(path, certificate(draw_record(told, people, confirmed_by, questions)))
    return "; ".join(ASKED[name].format(**count) for name in ("clear", "guessed") if count[name])


def count_decisions(documents: Iterable[Document], lines: Iterable[ReviewLine]) -> People:
    """Count by person the decisions that are in force and about these very texts.

    Args:
        documents: as they are now.
        lines: of the file of decisions, in order.
    """
    now = {document.id: text_digest(document.text) for document in documents}
    held = [line for line in in_force(lines) if line.digest == now.get(line.document)]
    placing = deciding.SETTLES | SHOWS | {Action.MARK}
    placed = (line for line in held if line.action in placing)
    last = {(line.document, span): line for line in placed for span in line.spans}
    return People(_tally(last.values()), _tally(o for o in held if o.action not in placing))


def _tally(lines: Iterable[ReviewLine]) -> dict[str, dict[str, int]]:
    """Count actions by person."""
    counts: dict[str, Counter[str]] = {}
    for line in lines:
        counts.setdefault(line.by, Counter())[line.action.value] += 1
    return {by: dict(own) for by, own in counts.items()}


_RECORD = re.compile(r'<pre id="record">(.*?)</pre>', re.DOTALL)
_FOLDER = Path(__file__).parent
_WORDS = tomllib.loads((_FOLDER / "certificate.toml").read_text("utf-8"))
ASKED: Mapping[str, str] = _WORDS["asked"]
_ATTACK = ("attackers", "guesses", "max_risk", "min_risk")
_INPUT = ("sha256", "format", "documents")
_MOST = 50  # different warnings that are listed
_AUDITED = ("when", "who", "what", "document", "type", "places", "phrase", "why", "state")
_FORMULA = "=+-@\t"  # what begins a formula in a spreadsheet


def draw_record(
    manifest: Mapping[str, Any], people: People, confirmed_by: str, questions: Sequence[Question]
) -> dict[str, Any]:
    """Draw up the record of a run: all that a certificate says; its page holds it as JSON, too.

    Args:
        manifest: of the run that is finished; its outputs are those to be certified, by the digest
            of their names: the page holds no name.
        people: their part in it.
        confirmed_by: who confirmed the questions; "" if nobody was asked.
        questions: those that were asked.
    """
    figures, files = manifest["figures"], manifest["input"]
    warnings = Counter(chain(*(n for file in files for n in file.get("warnings", {}).values())))
    if not confirmed_by:
        warnings.update(f"{SKIPPED}: {common_suffix(one)}" for one in manifest.get("unread", ()))
    warnings.update(filter(None, [manifest.get("unchecked")]))
    asked = {one.about: len(one.names) for one in questions}
    attack, counts = manifest["settings"].get("attack", {}), {**manifest, **figures}
    outcomes: Mapping[str, int] = figures.get("outcomes", {})
    return {
        "certificate": 4,
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "version": manifest["version"],
        "settings": text_digest(json.dumps(manifest["settings"], sort_keys=True)),
        "model": manifest["model"],
        "attack": {name: attack.get(name) for name in _ATTACK},
        "parts": manifest["parts"],
        "input": [{name: one[name] for name in _INPUT} for one in files],
        "output": manifest["output"],
        "documents": figures.get("documents", 0),
        "to_know": {
            name: len(count) if isinstance(count, Mapping) else count
            for name in _WORDS["to_know"]
            if (count := counts.get(name))
        },
        "outcomes": outcomes,
        "evidence": figures.get("evidence", {}),
        "people": asdict(people),
        "by_rule": count_choices(people, outcomes)["by_rule"],
        "confirmed_by": confirmed_by,
        "confirmed": [*zip(asked.values(), asked, strict=True)],
        "unconfirmed": {note: n for note, n in warnings.items() if note not in asked},
        "missed": [doubts[0] for file in files for doubts in file.get("doubts", {}).values()],
    }


def certificate(told: Mapping[str, Any]) -> str:
    """Write the page of a certificate."""
    people, places = People(**told["people"]), partial(counted, thing="place")
    who = [
        (by, f"{places(sum(counts.values()))}{_listed(': ', counts)}{_listed('; also ', beside)}")
        for by in dict.fromkeys((*people.actions, *people.beside))
        for counts, beside in [(people.actions.get(by, {}), people.beside.get(by, {}))]
    ]
    who.append(("nobody", f"{places(told['by_rule'])}: chosen by rule, confirmed by nobody"))
    clear = people.count(clear=True)
    all_places = places(told["by_rule"] + people.count(clear=False) + clear)
    ends = {**told["outcomes"], "CLEAR": clear}
    inputs = [(f"{one['format']}: {one['documents']}", one["sha256"]) for one in told["input"]]
    missed = [("", estimate_missed(told["missed"]))] if told["missed"] else []
    how = told["attack"]
    risk = f"{how['max_risk']:.0%}" if how["max_risk"] is not None else "any"
    least = f"; a right one counts from {how['min_risk']:.0%}" if how["min_risk"] else ""
    attackers = ", ".join(how["attackers"] or ()) or "nobody"
    stands = f"a phrase is rejected if the chance that one is right exceeds {risk}"
    made = [
        ("INTACT", told["version"]),
        ("Settings (SHA-256)", told["settings"]),
        ("Language model", told["model"]),
        ("Attacked by", f"{attackers}: {how['guesses']} guesses{least}; {stands}"),
        *((name, str(value)) for name, value in told["parts"].items()),
    ]
    shown = f"Shown before the release, and confirmed by {escape(told['confirmed_by'])}"
    known = _worded("to_know", told["to_know"])
    to_know = [(count, one.replace("MODEL", told["model"])) for count, one in known]
    unasked = [(str(count), note) for note, count in told["unconfirmed"].items()]
    tables = (
        _table(f"What stands at the {all_places}", _worded("outcomes", ends)),
        _table("What the truth of the words rests on", _worded("evidence", told["evidence"])),
        _table(f"Who decided on the {all_places}", who),
        _table("Documents to know about", to_know),
        _table(shown, [(str(count or ""), about) for count, about in told["confirmed"]]),
        _table("Warnings that nobody was asked to confirm", unasked[:_MOST]),
        _table("What detection may have missed", missed),
        _table("Output (SHA-256)", [("", one) for one in sorted(told["output"].values())]),
        _table("Input, documents (SHA-256)", inputs),
        _table("Made with", made),
    )
    page = Template((_FOLDER / "certificate.html").read_text("utf-8"))
    return page.substitute(
        made=escape(told["made"]),
        documents=counted(told["documents"], "document"),
        tables="\n".join(filter(None, tables)),
        record=escape(json.dumps(told, sort_keys=True)),
    )


def estimate_missed(rates: Sequence[float]) -> str:
    """Say how many details detection has probably missed, by the rates of documents."""
    mean = f"{sum(rates) / len(rates):.1f} details missed per 100 words"
    most = f"; in the most doubtful document {max(rates):.1f}" if len(rates) > 1 else ""
    return f"Estimate: {mean}{most}"


def _worded(table: str, counts: Mapping[str, int]) -> list[tuple[str, str]]:
    """Word counts, none of them 0, by what they count, in the table's order."""
    return [(str(n), said) for name, said in _WORDS[table].items() if (n := counts.get(name))]


def _listed(lead: str, counts: Mapping[str, int]) -> str:
    return lead + ", ".join(map(" ".join, _worded("actions", counts))) if counts else ""


def _table(title: str, rows: Sequence[tuple[str, str]]) -> str:
    if not rows:
        return ""
    shown = ((escape(name), escape(value)) for name, value in rows)
    body = "".join(f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in shown)
    return f"<h2>{title}</h2><table>{body}</table>"


def audit(
    lines: Sequence[ReviewLine], documents: Sequence[Document], originals: Mapping[str, set[str]]
) -> str:
    """List every decision as CSV, without originals: when, who, what, why, and what came of it.

    Documents go by the beginning of the SHA-256 of their text.

    Args:
        lines: of the file, in order.
        documents: as they are now; decisions about other texts are told as such.
        originals: what must not be told, by document id.
    """
    rows, by_id = [], {line.id: line for line in lines}
    undone = {line.undoes for line in lines}
    counts = {line.id for line in in_force(lines)}
    now = {document.id: text_digest(document.text) for document in documents}
    for line in lines:
        state = "taken back" if line.id in undone else "overruled"
        if line.id in counts:
            same = line.digest == now.get(line.document)
            state = "in force" if same else "the text changed"
        struck = partial(
            _strike, *_match_originals({*originals.get(line.document, ()), *line.surfaces})
        )
        of = by_id.get(line.undoes, line)
        what = line.action.value if of is line else f"{line.action.value} of {of.action.value}"
        cells = [line.at, line.by, what, line.digest[:16], of.entity_type]
        cells += [str(len(of.spans) or ""), struck(of.phrase)]
        cells += [struck(line.reason), "" if line.action is Action.UNDO else state]
        rows.append([f"'{cell}" if cell[:1] in _FORMULA and cell else cell for cell in cells])
    return to_csv(_AUDITED, rows)


def _match_originals(originals: Iterable[str]) -> tuple[re.Pattern[str], set[str]]:
    """Make the pattern of originals in any case and with any separators, of the names and numbers
    in them, words that hold one of five letters or more, and every number of five figures or more,
    for folded texts; and how the names are spelled."""
    names = {word for one in originals for word in re.findall(r"\w{3,}|\d+", one)}
    parts = {*originals, *(word for word in names if word[0].isupper() or word[0].isdigit())}
    patterns = [r"\d(?:[\W_]*\d){4,}"]
    for letters in sorted(
        {re.sub(r"[\W_]+", "", fold(one)) for one in parts} - {""}, key=len, reverse=True
    ):
        spelled = r"[\W_]*".join(map(re.escape, letters))
        wide = len(letters) > 4
        patterns.append(rf"[^\W_]*{spelled}[^\W_]*" if wide else rf"(?<!\w){spelled}(?!\w)")
    return re.compile("|".join(patterns)), {spelling(w) for w in names if w[0].isupper()}


def _strike(hidden: re.Pattern[str], names: Collection[str], text: str) -> str:
    """Strike out of a text what a pattern of originals finds in it, folded, and words that are
    nearly names."""
    plain = folded(text)
    found = [plain.back(*m.span()) for m in hidden.finditer(plain.text)]
    words = re.finditer(r"[^\W_]+", text)
    found += [m.span() for m in words if spells_nearly(m[0], names)]
    struck = cut_at(text, ((Span(*ends), "[…]") for ends in found))
    return "".join(mark or part for part, mark in struck)


def verify(path: Path, output: Path) -> list[str]:
    """Compare an output with its certificate, file by file; list what is wrong with each. A single
    file may have another name.

    Args:
        path: of the certificate.
        output: a file, or a folder with all that was written.

    Raises:
        FormatError: if there is no certificate at ``path``.
        RunError: if something cannot be read.
    """
    known: dict[str, str] = {}
    with reading(path, RunError), suppress(ValueError, TypeError, KeyError):
        found = _RECORD.search(path.read_text("utf-8"))
        known |= json.loads(unescape(found[1]))["output"] if found else {}
    if not known:
        raise FormatError("it is no certificate of this version", where=str(path))
    whole, released = output.is_dir(), {*known.values()}
    files = filter(Path.is_file, sorted(output.rglob("*"))) if whole else (output,)
    there, wrong = set(), []
    for file in (one for one in files if one.absolute() != path.absolute()):
        given, name = sha256(file), _name_digest(file, output if whole else output.parent)
        there.add(name)
        if given != known.get(name, "" if whole or given not in released else given):
            changed = "changed since the release" if name in known else "not part of the release"
            said = "released under another name" if given in released else changed
            wrong.append(f"{file}: {said}")
    missing = len(known.keys() - there) if whole else 0
    return wrong + [f"{output}: {missing} of {len(known)} released files not there"] * bool(missing)


def _name_digest(file: Path, root: Path) -> str:
    return text_digest(file.relative_to(root).as_posix())
