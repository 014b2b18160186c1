"""The certificate of a run (one page to print) and the list of decisions; neither holds
originals."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from html import escape, unescape
from itertools import chain
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from intact.domain import EvidenceKind, Outcome, Source, Span, cut_at
from intact.english import scan, words
from intact.english.numbers import counted
from intact.english.time import Days
from intact.errors import FormatError, RunError, reading
from intact.formats.base import common_suffix, to_csv
from intact.protocols import LOST
from intact.review.decisions import BESIDE, SHOWS, ReviewLine, in_force, read_decisions, text_digest
from intact.run.files import SKIPPED, write_private
from intact.run.job import Job, Manifest
from intact.shipped import sha256

if TYPE_CHECKING:
    from intact.review.reviewed import ReviewedDocument  # brings the networks


@dataclass(frozen=True, slots=True)
class Question:
    """A warning that a person confirms before a release."""

    about: str  # the warning, as the certificate has it
    names: tuple[str, ...] = ()  # of documents or files; only the page shows them
    words: tuple[str, ...] = ()  # original words, each once; only the page shows these, too

    def __str__(self) -> str:
        """Return the warning with what it is about in brackets: "Files not read (a.png, b.png)"."""
        told = ", ".join((*self.names, *map("“{}”".format, self.words)))
        return f"{self.about} ({told})" if told else self.about


def count_places(total: Mapping[str, Any], lines: Iterable[ReviewLine]) -> dict[str, Any]:
    """Count the places of a document or a run by who decided on them (people, the glossary, rules)
    and by what became of them (in clear, guessed). The page, the questions before a release and the
    certificate show these counts.

    Args:
        total: the figures of one document, or of a run.
        lines: of the file of decisions; those that have the last word at no place do not count.

    Returns:
        Counts by name. ``actions``: person -> action -> at how many places it has the last word;
            ``beside``: person -> action -> how often it was taken, for actions that decide on no
            place.
        Places: ``found``, all; ``places``, replaced, of these ``decided`` by people, ``rows`` by
            the glossary, ``by_rule`` by nobody; ``clear``, in clear, of these ``own`` by people and
            ``kept`` by the glossary; ``chosen``, decided or left in clear by people; ``guessed``,
            guessed or not readable; ``alone``, with a person's word as the only evidence.
            ``unused``: decisions that were not used.
    """
    held, kept, clear, decided = total.get("decided", {}), total.get("clear", 0), 0, 0
    rows = sum(n for key, n in held.items() if key.startswith(Source.GLOSSARY)) - kept
    people: dict[str, dict[str, Counter[str]]] = {"actions": {}, "beside": {}}
    for line in lines:
        if number := held.get(line.id, 0):
            aside = line.action in BESIDE
            own = people["beside" if aside else "actions"].setdefault(line.by, Counter())
            own[line.action.value] += 1 if aside else number
            clear += number * (line.action in SHOWS)
            decided += number * (not aside and line.action not in SHOWS)
    ends = Counter(total.get("outcomes", {}))
    places = sum(ends[name] for name in _WORDS["outcomes"])
    count = {"places": places, "decided": decided, "rows": rows, "by_rule": places - decided - rows}
    count |= {"clear": clear + kept, "own": clear, "kept": kept, "chosen": decided + clear}
    count |= {"found": places + clear + kept, "unused": total.get("unused", 0)}
    count["alone"] = total.get("evidence", {}).get(EvidenceKind.PERSON, 0)
    return people | count | {"guessed": ends[Outcome.GUESSED] + ends[Outcome.UNPARSED]}


def certify(
    job: Job, manifest: Manifest, confirmed_by: str = "", questions: Sequence[Question] = ()
) -> str:
    """Write the certificate of a finished run, if the job names a file for it. Return a line that
    says how many places are released in clear, and how many guessed, by people's decision; "" if
    there are none, or if the run has neither decisions nor certificate nor glossary.

    Args:
        job: the run.
        manifest: of the run.
        confirmed_by: who was asked the questions before the release, and confirmed all of them.
        questions: those that were asked.

    Raises:
        RunError: if the certificate cannot be written.
    """
    if not (job.decisions or job.certificate or job.settings.generation.glossary):
        return ""  # nobody decided anything
    lines = read_decisions(job.decisions) if job.decisions else ()
    count = count_places(manifest["figures"], lines)
    if job.certificate is not None:
        root = job.out if job.folder else job.out.parent
        written = {to: one for to, one in manifest["output"].items() if to != str(job.edits)}
        outputs = {_name_digest(Path(to), root): one for to, one in written.items()}
        model = job.settings.model_named("proposer").shown or "none"
        told = {**manifest, "output": outputs, "model": model}
        page = certificate(draw_record(told, count, confirmed_by, questions))
        write_private(job.certificate, page)
    return "; ".join(ASKED[name].format(**count) for name in ("clear", "guessed") if count[name])


_RECORD = re.compile(r'<pre id="record">(.*?)</pre>', re.DOTALL)
_FOLDER = Path(__file__).parent
_WORDS = tomllib.loads((_FOLDER / "certificate.toml").read_text("utf-8"))
ASKED: Mapping[str, str] = _WORDS["asked"]
_MOST = 50  # most different warnings that are listed
_FORMULA = "=+-@\t"  # characters that begin a formula in a spreadsheet


def draw_record(
    manifest: Manifest, places: Mapping[str, Any], confirmed_by: str, questions: Sequence[Question]
) -> dict[str, Any]:
    """Return the record of a run, everything that its certificate states, as JSON values: counts,
    hashes, settings of the attack, and warnings; no names and no words of a document.

    Args:
        manifest: of the finished run; the outputs to be certified have digests of their names as
            keys, because the page holds no names.
        places: counts of its places; see ``count_places``.
        confirmed_by: who confirmed the questions; "" if nobody was asked.
        questions: those that were asked.
    """
    figures, files = manifest["figures"], manifest["input"]
    warnings = Counter(chain(*(n for file in files for n in file.get("warnings", {}).values())))
    if not confirmed_by:
        warnings.update(f"{SKIPPED}: {common_suffix(one)}" for one in manifest.get("unread", ()))
    warnings.update(filter(None, [manifest.get("unchecked"), LOST * bool(manifest.get("lost"))]))
    asked = {one.about: len(one.names) for one in questions}
    attack, counts = manifest["settings"]["attack"], {**manifest, **figures}
    return {
        "certificate": 4,
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        **{name: manifest[name] for name in ("version", "model", "parts", "output")},
        "settings": text_digest(json.dumps(manifest["settings"], sort_keys=True)),
        "attack": {name: attack[name] for name in _WORDS["attack"]},
        "input": [{name: one[name] for name in _WORDS["input"]} for one in files],
        "documents": figures.get("documents", 0),
        "to_know": {
            name: len(count) if isinstance(count, Mapping) else count
            for name in _WORDS["to_know"]
            if (count := counts.get(name))
        },
        "outcomes": figures.get("outcomes", {}) | {"CLEAR": places["clear"]},
        "evidence": figures.get("evidence", {}),
        "places": places,
        "confirmed_by": confirmed_by,
        "confirmed": [*zip(asked.values(), asked, strict=True)],
        "unconfirmed": {note: n for note, n in warnings.items() if note not in asked},
        "missed": [doubts[0] for file in files for doubts in file.get("doubts", {}).values()],
    }


def certificate(told: Mapping[str, Any]) -> str:
    """Return the HTML page of a certificate, made of the record that ``draw_record`` returns; the
    page holds that record as JSON, too."""
    count, places = told["places"], partial(counted, thing="place")
    actions, beside = count["actions"], count["beside"]
    who = [
        (by, places(sum(own.values())) + _listed(": ", own) + _listed("; also ", beside.get(by)))
        for by, own in ({by: {} for by in beside} | actions).items()
    ]
    if both := count["kept"] + count["rows"]:
        own = {"keep": count["kept"], "row": count["rows"]}
        who.append(("the glossary", places(both) + _listed(": ", own)))
    who.append(("nobody", f"{places(count['by_rule'])}: chosen by rule, confirmed by nobody"))
    who += _worded("unused", count)
    all_places = places(count["found"])
    inputs = [(f"{one['format']}: {one['documents']}", one["sha256"]) for one in told["input"]]
    missed = [("", estimate_missed(told["missed"]))] if told["missed"] else []
    how = told["attack"]
    limits = f"right ones count from {how['min_risk']:.0%}, none stands above {how['max_risk']:.0%}"
    made = [
        ("INTACT", told["version"]),
        ("Settings (SHA-256)", told["settings"]),
        ("Language model", told["model"]),
        ("Attacked by", f"{', '.join(how['attackers'])}: {how['guesses']} guesses; {limits}"),
    ]
    shown = f"Shown before the release, and confirmed by {escape(told['confirmed_by'])}"
    known = [(n, o.replace("MODEL", told["model"])) for n, o in _worded("to_know", told["to_know"])]
    unasked = [(str(n), note) for note, n in told["unconfirmed"].items()]
    tables = (
        _table(f"What stands at the {all_places}", _worded("outcomes", told["outcomes"])),
        _table("What the truth of the words rests on", _worded("evidence", told["evidence"])),
        _table(f"Who decided on the {all_places}", who),
        _table("Documents to know about", known),
        _table(shown, [(str(n or ""), about) for n, about in told["confirmed"]]),
        _table("Warnings that nobody was asked to confirm", unasked[:_MOST]),
        _table("What detection may have missed", missed),
        _table("Output (SHA-256)", [("", one) for one in sorted(told["output"].values())]),
        _table("Input, documents (SHA-256)", inputs),
        _table("Made with", made),
    )
    return Template((_FOLDER / "certificate.html").read_text("utf-8")).substitute(
        made=f"{datetime.fromisoformat(told['made']):%d %B %Y, %H:%M} UTC",
        documents=f"{counted(told['documents'], 'document')} in {counted(len(inputs), 'file')}",
        tables="\n".join(filter(None, tables)),
        parts=_table("Parts", [(name, str(value)) for name, value in told["parts"].items()]),
        record=escape(json.dumps(told, sort_keys=True)),
    )


def estimate_missed(rates: Sequence[float]) -> str:
    """Word how many details detection has probably missed: the mean of all documents, and if there
    are several, the rate of the most doubtful one.

    Args:
        rates: details missed per 100 words, of each document.
    """
    mean = f"{sum(rates) / len(rates):.1f} details missed per 100 words"
    most = f"; in the most doubtful document {max(rates):.1f}" if len(rates) > 1 else ""
    return f"Estimate before any review: {mean}{most}"


def _worded(table: str, counts: Mapping[str, int]) -> list[tuple[str, str]]:
    """Pair each count that is not 0 with the words for what it counts: [("2", "labels"), ...], in
    the order of the words. Of two wordings the first is for one, the second for more.

    Args:
        table: a table of ``certificate.toml`` ("actions").
        counts: by the names in that table; others are ignored.
    """
    words = ((counts.get(name, 0), said) for name, said in _WORDS[table].items())
    return [(str(n), said if isinstance(said, str) else said[n > 1]) for n, said in words if n]


def _listed(lead: str, counts: Mapping[str, int] | None) -> str:
    """Write counts of actions in a line behind a lead: ": 2 labels, 1 accepted" for the lead ": ";
    "" if there are none."""
    return lead + ", ".join(map(" ".join, _worded("actions", counts))) if counts else ""


def _table(title: str, rows: Sequence[tuple[str, str]]) -> str:
    """Write a heading and a table as HTML; "" if there are no rows.

    Args:
        title: of the heading, as HTML.
        rows: (name, value) each, as plain text.
    """
    if not rows:
        return ""
    body = "".join(f"<tr><th>{escape(n)}</th><td>{escape(value)}</td></tr>" for n, value in rows)
    return f"<h2>{title}</h2><table>{body}</table>"


def audit(lines: Sequence[ReviewLine], documents: Mapping[str, ReviewedDocument]) -> str:
    """Return all decisions as CSV, a row each in the order given, under a row of names: when, who,
    what, of which file and document, what text and type, at how many places, which phrase, why, and
    what became of it. Whatever is hidden in the documents is struck out of phrases and reasons.

    Files are named by the hash that the certificate has of them, documents by their number in the
    file and the beginning of the SHA-256 of their text.

    Args:
        lines: of the file of decisions, in order; each names its document as it is called now.
        documents: those under review, ready, by their ids.
    """
    rows, by_id = [], {line.id: line for line in lines}
    undone = {line.undoes: "taken back" for line in lines}
    kept = (line for line in in_force(lines) if line.document in documents)
    states = {line.id: documents[line.document].state(line) for line in kept}
    strike = {key: _striker(_hidden_in(one, lines)) for key, one in documents.items()}
    for line in lines:
        one, of = documents.get(line.document), by_id.get(line.undoes, line)
        unused = "overruled" if one else "no longer applies"
        state = undone.get(line.id) or states.get(line.id, unused)
        lost = _striker(dict.fromkeys(of.surfaces, of.entity_type))
        struck = strike.get(line.document, lost)
        what = line.action.value if of is line else f"{line.action.value} of {of.action.value}"
        cells = [line.at, line.by, what, *(one.place if one else ("", "")), line.digest[:16]]
        cells += [of.entity_type, str(len(of.spans) or ""), struck(of.phrase)]
        cells += [struck(line.reason), "" if line.undoes else state]
        rows.append([f"'{cell}" if cell[:1] in _FORMULA and cell else cell for cell in cells])
    return to_csv(_WORDS["audited"], rows)


def _hidden_in(one: ReviewedDocument, lines: Iterable[ReviewLine]) -> dict[str, str]:
    """Map each text that is hidden in a document to its entity type: those of masked mentions, and
    those that a decision is about, unless a mention leaves them in clear."""
    mentions = one.now.document.mentions
    masked = {m.text: m.entity_type for m in mentions if m.masked}
    own = (o for o in lines if o.document == one.raw.id)
    said = {text: line.entity_type for line in own for text in one.texts(line)}
    clear = {m.text for m in mentions} - masked.keys()
    return {text: kind for text, kind in (said | masked).items() if text not in clear}


def _striker(hidden: Mapping[str, str]) -> Callable[[str], str]:
    """Return a function that takes a text and returns it with "[…]" in place of what is hidden, in
    any letter case and with any separators.

    It also strikes out the names and numbers in hidden texts, words that contain one of five
    letters or more or are nearly a name, and every number of five digits or more. References to
    laws stay, and so do English words in lower case. Titles do not count as names, nor do such
    words in the name of something that is no person ("Council").

    Args:
        hidden: texts, with their types.
    """
    names = set[str]()
    for one, kind in hidden.items():
        for word in re.findall(r"\w{3,}|\d\d", one):
            title = word.lower() in words.TITLES and not one.endswith(word)
            plain = title or (kind != "PERSON" and words.is_ordinary(word))
            names |= {word} if word[0].isdigit() or (word[0].isupper() and not plain) else set()
    patterns = [r"\d(?:[\W_]*\d){4,}"]
    bare = {re.sub(r"[\W_]+", "", words.fold(one)) for one in {*hidden, *names}} - {""}
    for letters in sorted(bare, key=len, reverse=True):
        spelled = r"[\W_]*".join(map(re.escape, letters))
        wide = len(letters) > 4
        patterns.append(rf"[^\W_]*{spelled}[^\W_]*" if wide else rf"(?<!\w){spelled}(?!\w)")
    near = {words.spelling(w) for w in names if w[0].isupper()}
    near |= {words.spelling(w) for one in hidden for w in words.words(one) if w.islower()}
    times = filter(None, map(scan.parse_temporal, hidden))
    days = chain.from_iterable(one.days(yearless=True) for one in times)
    whole = {*map(words.fold, hidden)}
    return partial(_strike, re.compile("|".join(patterns)), near, {*days}, whole)


def _strike(
    hidden: re.Pattern[str], names: Collection[str], days: Days, whole: set[str], text: str
) -> str:
    """Return a text with "[…]" in place of whatever a pattern finds in it, folded, of words that
    are nearly names, and of days in whatever notation. References to laws stay, and so do ordinary
    words in lower case.

    Args:
        hidden: the pattern; it is searched for in the folded text.
        names: names and telling words, in their spelling; see ``words.spelling``.
        days: hidden ones, with their year and as days of any year.
        whole: hidden texts, folded; a word that is one is struck out even if it is an ordinary
            word.
        text: to be shown.
    """
    plain, laws = words.folded(text), [Span(*m.span()) for m in re.finditer(_WORDS["law"], text)]
    found = [Span(*plain.back(*m.span())) for m in hidden.finditer(plain.text)]
    each = re.finditer(r"[^\W_]+", text)
    found += [Span(*m.span()) for m in each if words.spells_nearly(m[0], names)]
    found += [span for span, day in scan.find_days(text) if not days.isdisjoint(day.days())]
    said = [at for at in found if not any(law.contains(at) for law in laws)]
    lower = filter(str.islower, words.words(text))
    plainly = {w for w in lower if words.is_ordinary(w) and words.fold(w) not in whole}
    struck = cut_at(text, ((at, "[…]") for at in said if at.of(text) not in plainly))
    return "".join(mark or part for part, mark in struck)


def verify(path: Path, output: Path) -> list[str]:
    """Compare an output with its certificate. Return a message for each file that has changed or is
    not part of the release, in the order of their paths, and last one that counts the missing files
    of a folder; [] if all is right. A single file may have another name than it was released under.

    Args:
        path: of the certificate.
        output: a file, or the folder of the whole release.

    Raises:
        FormatError: if there is no certificate at ``path``.
        RunError: if something cannot be read.
    """
    known: dict[str, str] = {}
    with reading(path, RunError), suppress(ValueError, TypeError, KeyError, RecursionError):
        found = _RECORD.search(path.read_text("utf-8"))
        known |= json.loads(unescape(found[1]))["output"] if found else {}
    if not known:
        raise FormatError("it is no certificate of this version", where=path)
    whole, released = output.is_dir(), {*known.values()}
    there, wrong = set(), []
    for file, given in _digests(output, path):
        name = _name_digest(file, output if whole else output.parent)
        there.add(name)
        if given != known.get(name, "" if whole or given not in released else given):
            changed = "changed since the release" if name in known else "not part of the release"
            said = "released under another name" if given in released else changed
            wrong.append(f"{file}: {said}")
    missing = len(known.keys() - there) if whole else 0
    return wrong + [f"{output}: {missing} of {len(known)} released files not there"] * bool(missing)


def _digests(output: Path, certificate: Path) -> Iterator[tuple[Path, str]]:
    """Yield (path, SHA-256 in hexadecimal) of a file, or of everything below a folder, sorted,
    except the certificate and folders that hold something. The hash is "none" for what is there but
    is no regular file (a link, an empty or unreadable folder, a pipe)."""
    entries = {*output.rglob("*")} if output.is_dir() else {output}
    for one in sorted(entries.difference(*(one.parents for one in entries))):
        if one.absolute() != certificate.absolute():
            real = one == output or (one.is_file() and not one.is_symlink())
            yield one, sha256(one) if real else "none"


def _name_digest(file: Path, root: Path) -> str:
    """Return the SHA-256 of a file's path below a folder ("a/x.txt"), by which a certificate names
    the file without its name."""
    return text_digest(file.relative_to(root).as_posix())
