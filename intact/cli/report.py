"""``intact report``: a page that shows what a run replaced, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from intact.cli.console import speaker

if TYPE_CHECKING:
    from intact.evaluation.report.documents_page import Extras, ShownDocument, ShownGuard

_REACH = 60
"""Characters around its reckoned place in which a replacement is looked for."""


def report(
    run: Annotated[
        Path, typer.Argument(metavar="OUT", help="What intact sanitize wrote: a file or folder.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The page to write.")] = Path(
        "report.html"
    ),
    redact: Annotated[
        bool, typer.Option("--redact-originals", help="Leave out all that was not published.")
    ] = False,
    results: Annotated[
        Path | None, typer.Option(help="A results.json of intact evaluate, to be shown on top.")
    ] = None,
    pareto: Annotated[
        Path | None, typer.Option(help="A pareto.csv of intact tune, to be shown on top.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only say what goes wrong.")] = False,
) -> None:
    """Write one self-contained page: documents before and after, candidates, guesses, risks.

    The page contains the originals unless they are redacted.
    """
    from intact.evaluation.corpus import sanitized_objects
    from intact.evaluation.report.documents_page import documents_page
    from intact.run.files import write_private

    shown = [document(raw) for raw in sanitized_objects(run)]
    write_private(out, documents_page(shown, redact=redact, extras=_extras(results, pareto)))
    say = speaker(quiet=quiet)
    say(f"Written: {out}")
    if not redact:
        say("It contains the originals: keep it safe, or make it with --redact-originals.")


def document(raw: Mapping[str, Any]) -> ShownDocument:
    """A document of an output file as the page shows it."""
    from intact.domain import Span
    from intact.evaluation.report.documents_page import Shown, ShownDocument, Story

    before, after = raw["text"], raw["sanitized_text"]
    stories: dict[tuple[str, str], int] = {}
    told: list[Story] = []
    places: list[Shown] = []
    found = [*_mentions(raw), *_swept(raw), *_guarded(raw)]
    found.sort(key=lambda item: (item["start"], -item["end"]))
    for item, where in zip(found, _places(before, after, found), strict=True):
        key = (item["entity"], item["kind"])
        if key not in stories:
            stories[key] = len(told)
            told.append(Story(item["entity"], item["kind"], item["outcome"], item["rungs"]))
        places.append(Shown(Span(item["start"], item["end"]), where, stories[key]))
    details = raw.get("intact", {})
    return ShownDocument(
        id=str(raw.get("doc_id", raw.get("id"))),
        before=before,
        after=after,
        places=places,
        stories=told,
        notes=tuple(note for note in details.get("notes", ()) if not note.startswith("guard: ")),
        protected=bool(details.get("protected", True)),
        guard=_guard(details["guard"]) if details.get("guard") else None,
    )


def _guard(told: Mapping[str, Any]) -> ShownGuard:
    from intact.evaluation.report.documents_page import ShownGuard

    before, after = told["before"], told["after"]
    return ShownGuard(
        k=told["k"],
        reached=told["reached"],
        ranks=[(name, rank, after.get(name, rank)) for name, rank in before.items()],
        words_changed=told.get("words_changed", 0),
        words=told.get("words", 0),
    )


def _mentions(raw: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The replaced mentions of all annotators, each place once."""
    layers = [layer["entity_mentions"] for layer in raw.get("annotations", {}).values()]
    seen: set[tuple[int, int]] = set()
    for mention in (m for layer in (layers or [raw.get("mentions", ())]) for m in layer):
        start = mention.get("start_offset", mention.get("start"))
        end = mention.get("end_offset", mention.get("end"))
        if not mention.get("replacement") or (start, end) in seen:
            continue
        seen.add((start, end))
        yield {
            "start": start,
            "end": end,
            "replacement": mention["replacement"],
            "entity": str(mention.get("entity_id", "")),
            "kind": str(mention.get("entity_type", mention.get("type", mention.get("label", "")))),
            "outcome": mention.get("outcome", "UNTESTED"),
            "rungs": mention.get("candidates", ()),
        }


def _swept(raw: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The places that no annotation marked; they share their entity's story."""
    known = {item["entity"]: item for item in _mentions(raw)}
    for place in raw.get("intact", {}).get("swept", ()):
        entity = str(place.get("entity_id", ""))
        if entity in known and place.get("replacement"):
            yield known[entity] | {
                "start": place["start_offset"],
                "end": place["end_offset"],
                "replacement": place["replacement"],
            }


def _guarded(raw: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The words beyond all annotations that the guard replaced."""
    for place in raw.get("intact", {}).get("guard", {}).get("places", ()):
        yield {
            "start": place["start_offset"],
            "end": place["end_offset"],
            "replacement": place["replacement"],
            "entity": "words replaced by the guard",
            "kind": "GUARD",
            "outcome": "GUARD",
            "rungs": (),
        }


def _places(before: str, after: str, items: Sequence[Mapping[str, Any]]) -> Iterator[Any]:
    """Where each replacement stands in the new text: near where what precedes it puts it."""
    from intact.domain import Span

    old = new = 0
    for item in items:
        expected = new + max(0, item["start"] - old)
        low = max(new, expected - _REACH)
        text = item["replacement"]
        window = after[low : expected + _REACH + len(text)]
        starts = [low + at for at in _occurrences(window, text)]
        if not starts:
            yield None
            continue
        start = min(starts, key=lambda at: abs(at - expected))
        yield Span(start, start + len(text))
        old, new = item["end"], start + len(text)


def _occurrences(text: str, part: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


def _extras(results: Path | None, pareto: Path | None) -> Extras:
    from intact.evaluation.report.documents_page import Extras
    from intact.evaluation.results import from_json
    from intact.formats.jsonstream import read_json

    values: list[tuple[str, str]] = []
    if results is not None:
        read = from_json(read_json(results), str(results))
        values = [
            (f"{read.titles.get(name, (name, ''))[0]} ({system})", f"{score.value:.3f}")
            for system, scores in read.systems.items()
            for name, score in scores.items()
            if name in ("tps", "inference", "trir", "truthful")
        ]
    if pareto is None:
        return Extras(values=values)
    from intact.evaluation.tuning import pareto_figure

    return Extras(figures=[pareto_figure(pareto)], values=values)
