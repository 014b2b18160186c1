"""The motivated intruder: people or models guess the originals at marked places without knowing
them.

Places are marked in two sheets: one with the documents as they were sanitised, one with every
masked mention replaced by its bare type, which shows how much the context alone reveals. Only the
key holds originals.

Source: the motivated intruder test of the Information Commissioner's Office (UK), Anonymisation:
managing data protection risk, 2012, chapter 2; the control attack as in Giomi et al. 2023.
"""

import csv
import hashlib
import json
import math
import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from itertools import islice, product, starmap
from pathlib import Path
from typing import Any, ClassVar

from pydantic import ConfigDict, TypeAdapter

from intact import domain
from intact.english.guesses import with_real_guesses
from intact.english.vocabulary import vocabulary
from intact.errors import FormatError, InputError, loading, reading
from intact.evaluation.corpus import entity_labels, pair, regions
from intact.evaluation.metric import mean_score, paired_difference, wilson
from intact.evaluation.report import render
from intact.evaluation.risk import GUESSES, targets_of
from intact.formats.base import decoding, read_json, to_csv
from intact.protocols import Matcher

# The two sheets: the documents as they were sanitised, and with bare types.
PHRASES, LABELS = "phrases", "labels"

_HEADER = ("sheet", "document", "place", "stands", *(f"guess {n + 1}" for n in range(GUESSES)))
_SAID: str = vocabulary("texts")["key_of_intruder"]
_VERSION = 1
_Places = Mapping[str, Mapping[str, Any]]
_Shares = dict[str, float]  # place -> share of right guesses among readers who gave any


def make_kit(
    pairs: Sequence[domain.SanitizedDocument],
    *,
    documents: int = 24,
    spans: int = 8,
    seed: int = 0,
) -> tuple[Mapping[str, str], int, int]:
    """Draw documents and places, and make both sheets and the key of an intruder test.

    A place is one replacement of an entity that may be generalised, and of no other entity.

    Args:
        pairs: sanitised documents to draw from.
        documents: how many to draw at most.
        spans: how many places to draw in each at most.
        seed: of the draw.

    Returns:
        The contents of the files by name ("sheet.csv", "sheet.html", "labels.csv", "labels.html"
            and "key.json", which alone holds originals), the number of documents drawn, and that of
            places.

    Raises:
        InputError: if no document has a place that can be asked for.
    """
    draw = random.Random(f"intruder:{seed}")
    order = list(pairs)
    draw.shuffle(order)
    places_of = ((one.document.id, _drawn_places(one, spans, draw)) for one in order)
    drawn = list(islice(((doc_id, places) for doc_id, places in places_of if places), documents))
    if not drawn:
        raise InputError("no document has a replacement that can be asked for")
    key = _key(drawn, seed)
    files = {"key.json": json.dumps(key, ensure_ascii=False, indent=1) + "\n"}
    for sheet, kind in key["sheets"].items():
        name = "sheet" if kind == PHRASES else LABELS
        files[f"{name}.csv"] = _table(key, sheet, kind)
        files[f"{name}.html"] = _page(key, sheet, kind)
    return files, len(drawn), len(key["places"])


_Both = tuple[domain.Entity, Mapping[str, domain.Challenge]]


def _drawn_places(one: domain.SanitizedDocument, spans: int, draw: random.Random) -> list[_Both]:
    """Draw entities that can be located on both sheets; return them in text order, each with its
    challenge (text, span and type) by the kind of the sheet. Edits within one masked stretch are
    merged: "on 18 June 2009" and "in 2009" differ in two places, neither of which is the whole
    date.

    Args:
        one: the sanitised document.
        spans: how many entities to draw at most.
        draw: the source of chance.
    """
    document, labelled = one.document, entity_labels(one.document)
    stretches, sheets = [edit.span for edit in labelled], []
    for edits in (one.edits, labelled):
        touched = [r for r in regions(document.text, stretches, edits) if r.touched]
        other = [e for e in edits if not any(e.span.overlaps(r.span) for r in touched)]
        whole = [*(domain.Edit(r.span, r.after) for r in touched), *other]
        targets = targets_of(pair(document, sorted(whole, key=lambda edit: edit.span)))
        asked = [(t.entity, t.challenge) for t in targets if t.challenge is not None]
        at = Counter(challenge.target for _, challenge in asked)
        sheets.append({e.id: (e, c) for e, c in asked if at[c.target] == 1})
    ours, bare = sheets
    both: list[_Both] = [
        (entity, {PHRASES: challenge, LABELS: bare[key][1]})
        for key, (entity, challenge) in ours.items()
        if key in bare and entity.generalisable
    ]
    chosen = draw.sample(both, min(spans, len(both)))
    return sorted(chosen, key=lambda place: place[1][PHRASES].target)


def _key(drawn: Sequence[tuple[str, Sequence[_Both]]], seed: int) -> dict[str, Any]:
    """Return the key as JSON data: "sheets" (id -> kind), "documents" (number, id and both texts),
    and "places" by number from "1" (document, type, originals, and the span on either sheet).

    Args:
        drawn: document ids, each with its places.
        seed: of the draw; the ids of the sheets depend on it.
    """
    documents: list[dict[str, Any]] = []
    places: dict[str, dict[str, Any]] = {}
    for number, (doc_id, own) in enumerate(drawn, start=1):
        texts = {kind: each.text for kind, each in own[0][1].items()}
        documents.append({"document": number, "doc_id": doc_id, "texts": texts})
        for entity, at in own:
            places[str(len(places) + 1)] = {
                "document": number,
                "entity_type": entity.entity_type,
                "originals": list(entity.surfaces),
                "spans": {kind: [c.target.start, c.target.end] for kind, c in at.items()},
            }
    sheets = {}
    for kind in (PHRASES, LABELS):
        held = json.dumps([kind, seed, places, [each["texts"] for each in documents]])
        sheets[hashlib.sha256(held.encode()).hexdigest()[:10]] = kind
    made = {"intact_intruder": _VERSION, "holds": _SAID, "sheets": sheets}
    return made | {"documents": documents, "places": places}


def _table(key: Mapping[str, Any], sheet: str, kind: str) -> str:
    """Return the sheet to be filled in, as CSV with a line for each place: sheet, document, place,
    the words that stand there, and empty columns for guesses. Words that a spreadsheet would take
    for a formula ("=...") get an apostrophe in front.

    Args:
        key: of the kit.
        sheet: its id.
        kind: "phrases" or "labels".
    """
    rows: list[Sequence[Any]] = []
    empty = [""] * GUESSES
    for number, place in key["places"].items():
        stands = _challenge(key, place, kind).replacement
        stands = f"'{stands}" if stands[:1] in "=+-@\t\r" else stands  # no formula anywhere
        rows.append((sheet, place["document"], number, stands, *empty))
    return to_csv(_HEADER, rows)


def _page(key: Mapping[str, Any], sheet: str, kind: str) -> str:
    """Return the sheet to read and print, as HTML: marked texts, and empty lines for the guesses.

    Args:
        key: of the kit.
        sheet: its id.
        kind: "phrases" or "labels".
    """
    documents = []
    for each in key["documents"]:
        own = ((n, p) for n, p in key["places"].items() if p["document"] == each["document"])
        marks = ((domain.Span.read(*place["spans"][kind]), number) for number, place in own)
        parts = [(text, number or "") for text, number in domain.cut_at(each["texts"][kind], marks)]
        documents.append({"number": each["document"], "parts": parts})
    return render("intruder.html.j2", sheet=sheet, documents=documents, guesses=GUESSES)


def _challenge(key: Mapping[str, Any], place: Mapping[str, Any], kind: str) -> domain.Challenge:
    """Make the challenge at a place of one sheet: the sheet's text, the place's span in it, and its
    type.

    Args:
        key: as ``read_key`` returns it.
        place: of the key.
        kind: of the sheet, "phrases" or "labels".
    """
    text = key["documents"][place["document"] - 1]["texts"][kind]
    return domain.Challenge(text, domain.Span.read(*place["spans"][kind]), place["entity_type"])


def read_key(path: Path) -> dict[str, Any]:
    """Read the key of a kit, and return it as JSON data. Raises a ``FormatError`` if the file is no
    key."""
    key = read_json(path)
    if not isinstance(key, dict) or key.get("intact_intruder") != _VERSION:
        raise FormatError("is no key of an intruder kit", where=path)
    return key


@dataclass(frozen=True, slots=True)
class ReadersAnswers:
    """The answers of one reader to one sheet."""

    answers: dict[str, list[str]]  # guesses by place ("17"), in order
    sheet: str = ""  # "phrases" or "labels"; before it is looked up in the key, its id
    __pydantic_config__: ClassVar = ConfigDict(coerce_numbers_to_str=True)


def read_answers(path: Path, key: Mapping[str, Any]) -> list[ReadersAnswers]:
    """Read the guesses of one or several readers, and check that they are for places of the key.
    Return the answers of each reader to each sheet, whose kind ("phrases" or "labels") they name.

    Args:
        path: a filled-in sheet (CSV), or JSON from a model: ``{"sheet": ID, "answers": {"1":
            [guesses]}}`` or a list of such.
        key: as ``read_key`` returns it.

    Raises:
        FormatError: if it is neither.
        InputError: if it answers another sheet, or places that the key does not have.
    """
    read = _read_table if path.suffix.lower() == ".csv" else _read_objects
    answers = []
    for one in read(path):
        if one.sheet not in key["sheets"]:
            raise InputError("these are answers to another sheet than the key's", where=path)
        unknown = len(one.answers.keys() - key["places"].keys())
        if unknown:
            problem = f"{unknown} answers are to places that the key does not have"
            raise InputError(problem, where=path)
        answers.append(replace(one, sheet=key["sheets"][one.sheet]))
    return answers


def _read_table(path: Path) -> list[ReadersAnswers]:
    """Read the answers in a CSV file; return those to each sheet together, with the sheet's id and
    the guesses as written ("" for none) by place; of lines for one place the last counts. Columns
    may be separated by commas, semicolons or tabs. Raise a ``FormatError`` if it has no lines or
    lacks the columns of a sheet."""
    with reading(path), decoding(str(path)):
        text = path.read_bytes().decode("utf-8-sig")
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    rows = list(csv.DictReader(StringIO(text, newline=""), delimiter=delimiter))
    if not rows or not {*_HEADER[:3], _HEADER[-1]} <= rows[0].keys():
        raise FormatError("it lacks the columns of a sheet", where=path)
    answers = defaultdict[str, dict[str, list[str]]](dict)
    for row in rows:
        sheet, place = row["sheet"] or "", (row["place"] or "").strip()
        answers[sheet][place] = [row[name] or "" for name in _HEADER[4:]]
    return [ReadersAnswers(own, sheet) for sheet, own in answers.items()]


def _read_objects(path: Path) -> list[ReadersAnswers]:
    """Read the answers in a JSON file: an object with "sheet" (its id) and "answers" (guesses by
    place), or a list of such; return them in order. Raise a ``FormatError`` if it holds anything
    else."""
    data = read_json(path)
    problem = "is no object with answers, each a list of strings"
    with loading(problem, path, kind=FormatError):
        objects = data if isinstance(data, list) else [data]
        return TypeAdapter(list[ReadersAnswers]).validate_python(objects)


def score_answers(
    key: Mapping[str, Any], answers: Sequence[ReadersAnswers], matcher: Matcher, *, seed: int = 0
) -> dict[str, Any]:
    """Score an intruder test: how much was guessed on each sheet, and what the phrases added to the
    bare types. The result is ready for JSON and holds no originals: "sheets" by kind, each with
    "readers" (their number), "unanswered" and "types" (a row for "all", then for each entity type,
    see ``_by_type``); and "added" (see ``_added``), None if no place was answered on both sheets.

    A place counts as the share of readers who guessed it among those who gave a guess; one that
    nobody gave a guess for counts nowhere. A copy of the words that stand there is no guess.
    "unanswered" counts the readers without a guess, summed over places.

    Args:
        key: as ``read_key`` returns it.
        answers: of readers of either sheet; a sheet that nobody answered is left out.
        matcher: decides whether a guess is right.
        seed: of the bootstrap over documents.
    """
    judged: dict[str, _Shares] = {}
    sheets: dict[str, dict[str, Any]] = {}
    for kind in (PHRASES, LABELS):
        if own := [each for each in answers if each.sheet == kind]:
            judged[kind], silent = _judged(key, own, kind, matcher)
            types = _by_type(judged[kind], key["places"], seed)
            sheets[kind] = {"readers": len(own), "unanswered": silent, "types": types}
    return {"sheets": sheets, "added": _added(judged, key["places"], seed)}


def _judged(
    key: Mapping[str, Any], answers: Sequence[ReadersAnswers], kind: str, matcher: Matcher
) -> tuple[_Shares, int]:
    """Return, for one sheet, each place's share in [0, 1] of readers with a right guess among those
    who gave any, by the place's number, without places for which nobody did; and how often a reader
    gave none.

    Args:
        key: as ``read_key`` returns it.
        answers: of the sheet's readers.
        kind: of the sheet, "phrases" or "labels".
        matcher: decides whether a guess is right.
    """
    shares: _Shares = {}
    silent = 0
    for number, place in key["places"].items():
        given = [domain.Answer(_guesses(one.answers.get(number, ()))) for one in answers]
        real = with_real_guesses(given, [_challenge(key, place, kind)] * len(given))
        named = [answer.guesses for answer in real if answer.guesses]
        silent += len(given) - len(named)
        if named:
            truths = [
                domain.Mention("", domain.Span(0, len(one)), one, "", place["entity_type"])
                for one in place["originals"]
            ]
            right = (any(starmap(matcher.match, product(own, truths))) for own in named)
            shares[number] = sum(right) / len(named)
    return shares, silent


def _by_type(shares: _Shares, places: _Places, seed: int) -> dict[str, dict[str, Any]]:
    """Average the shares guessed: over all places ("all", first; interval by bootstrap over
    documents), and by entity type (Wilson interval). Each row has the mean "guessed", the number of
    "places" and the "interval" (low, high). Without places, the row "all" is the only one, with NaN
    and None; its interval is None for one document, too.

    Args:
        shares: by place.
        places: of the key.
        seed: of the bootstrap.
    """
    whole = _mean(shares, places, seed)
    rows: dict[str, dict[str, Any]] = {}
    rows["all"] = {"guessed": whole.value, "places": len(shares), "interval": whole.interval}
    types = {item: places[item]["entity_type"] for item in shares}
    for name in sorted({*types.values()}):
        own = [share for item, share in shares.items() if types[item] == name]
        hits, n = math.fsum(own), len(own)
        rows[name] = {"guessed": hits / n, "places": n, "interval": wilson(round(hits), n)}
    return rows


def _mean(shares: _Shares, places: _Places, seed: int) -> domain.Score:
    """Return the mean of the shares of places, with an interval by bootstrap over documents.

    Args:
        shares: by place.
        places: of the key.
        seed: of the bootstrap.
    """
    values = [(str(places[item]["document"]), share) for item, share in shares.items()]
    return mean_score("intruder", values, seed=seed)


def _added(judged: Mapping[str, _Shares], places: _Places, seed: int) -> dict[str, Any] | None:
    """Compare both sheets over the places answered on both: how much the phrases revealed beyond
    the types. Return the mean of each sheet, the difference (phrases less labels) with its interval
    and p, and how many places at least half of the readers guessed on both sheets or on only one.
    None if there is no such place.

    Args:
        judged: shares by place, by the kind of the sheet.
        places: of the key.
        seed: of the bootstrap.
    """
    both = [item for item in judged.get(PHRASES, ()) if item in judged.get(LABELS, ())]
    if not both:
        return None
    kept = ({item: judged[kind][item] for item in both} for kind in (LABELS, PHRASES))
    one, two = (_mean(shares, places, seed) for shares in kept)
    difference = paired_difference(one, two, seed=seed)
    pairs = Counter(tuple(judged[k][i] >= 0.5 for k in (PHRASES, LABELS)) for i in both)
    return {
        "places": len(both),
        PHRASES: two.value,
        LABELS: one.value,
        "difference": difference.value,
        "interval": difference.interval,
        "p": None if math.isnan(difference.p) else difference.p,
        "both": pairs[True, True],
        "phrases_only": pairs[True, False],
        "labels_only": pairs[False, True],
    }


def _guesses(texts: Sequence[str]) -> tuple[domain.Guess, ...]:
    """Return the first five (``GUESSES``) texts that are not blank as guesses, without white space
    around them, ranked 0, 1 ... in their order."""
    given = [text.strip() for text in texts if text.strip()][:GUESSES]
    return tuple(domain.Guess(text, rank) for rank, text in enumerate(given))
