"""The outcome of each mention as an output states it: its replacement, the reasons and the
alternatives; and edits.

Edits have the exchange format of the TAE evaluator (where they are "anonymizations"), ``{doc_id:
[[start, end, "replacement"], ...]}``. An item without a third element deletes the text. They are
written ascending and without overlaps, and read in any order."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from intact import domain
from intact.errors import EditsError, FormatError
from intact.formats.base import Format, Record, by_suffix, read, read_json, to_json
from intact.formats.mentions import FIELDS, read_field

LABEL = "LABEL"  # the outcome of a mention that has its label
COVERED = "COVERED"  # of one inside a longer one, whose replacement covers both
UNTESTED = "UNTESTED"  # of one whose replacement was not attacked
UNTOUCHED = "NO_MASK"  # of one that was not to be replaced
_GRAVITY = tuple(domain.Outcome)
LAYER = "entity_mentions"  # TAB's field for the mentions of an annotator


def mention_fields(sanitized: domain.SanitizedDocument) -> dict[str, dict[str, Any]]:
    """Return the fields that the output adds to each mention, by mention id.

    ``replacement`` is the text there now: None if nothing was to be replaced; "" if a longer
    mention's replacement covers this one, too (COVERED), or if what would have said nothing was
    left out. ``outcome`` is as in ``outcomes``. ``candidates`` is the ladder (the entity's possible
    phrases, most specific first), with the label last; it is given at the first mention of an
    entity, and the others have the offsets of that mention in ``candidates_at``. ``dropped``, for
    what stays as it is, lists the phrases that failed a check. ``decided`` says what people and the
    glossary decided on it, if they did.
    """
    texts = {r.mention_id: r.text for r in sanitized.replacements if r.mention_id}
    ladders = {d.entity.id: candidates(d) for d in sanitized.decisions}
    ends, said = outcomes(sanitized), defaultdict[domain.Span, list[str]](list)
    for place, told in ((at, o.told) for o in sanitized.decided.values() for at in o.spans):
        said[place].append(told)
    first: dict[str, list[int]] = {}
    fields = {}
    for mention in sanitized.document.mentions:
        own = [mention.span.start, mention.span.end]
        ladder = ladders.get(mention.entity_id, []) if mention.masked else []
        at = first.setdefault(mention.entity_id, own) if ladder else own
        around = (said[at] for at in said if not mention.masked and at.contains(mention.span))
        ruled = said.get(mention.span) or next(around, [])
        failed = () if mention.masked else sanitized.dropped.get(mention.entity_id, ())
        fields[mention.id] = {
            "replacement": texts.get(mention.id),
            **({"candidates": ladder} if at is own else {"candidates_at": at}),
            "outcome": ends[mention.id],
            **_kept(decided=ruled, dropped=_dropped(failed)),
        }
    return fields


def outcomes(sanitized: domain.SanitizedDocument) -> dict[str, str]:
    """Map the id of each mention to how it ended, by the first of these that holds: COVERED (it
    stands inside a longer mention that was replaced), NO_MASK (not to be replaced), LABEL (its
    entity has its label, or was left out wherever it stood), UNTESTED (nobody attacked the phrase);
    else the gravest result of the attackers' last attacks on the phrase: SAFE, CONTEXT, GUESSED or
    UNPARSED, rising."""
    nested = {r.mention_id for r in sanitized.replacements if r.origin == domain.Source.NESTED}
    decided, ends = dict[str, str](), dict[str, str]()
    said = {r.entity_id for r in sanitized.replacements if r.text}
    for decision in sanitized.decisions:
        attacks = _last_attacks(decision).get(-1 if decision.chosen is None else decision.chosen)
        told = decision.chosen is not None and decision.entity.id in said
        tested = _worst(attacks).outcome.value if attacks else UNTESTED
        decided[decision.entity.id] = tested if told else LABEL
    for mention in sanitized.document.mentions:
        end = decided.get(mention.entity_id, UNTESTED) if mention.masked else UNTOUCHED
        ends[mention.id] = COVERED if mention.id in nested else end
    return ends


def document_fields(
    sanitized: domain.SanitizedDocument, fields: Mapping[str, dict[str, Any]]
) -> dict[str, Any]:
    """Return the fields that the output adds to a document: ``sanitized_text``, and in ``intact``
    whether it is ``protected``, the ``notes``, the ``swept`` names (replaced where nobody marked
    them) and the ``edits``; also, if there are any, the ``doubts`` (what detection may have
    missed), the ``clues`` (other words that may reveal somebody), the mentions made of clues
    (``context``) or by people (``marked``), with how each ended, and what the ``guard`` did to hide
    a person among others.

    Args:
        sanitized: the document with what was decided.
        fields: of its mentions, as ``mention_fields`` returns them.
    """
    doubts, guarding = sanitized.doubts, sanitized.guarding
    unmarked = (r for r in sanitized.replacements if not r.mention_id)
    own = (r for r in unmarked if r.origin != domain.Source.GUARD)
    swept = [_at(r.span) | {"replacement": r.text, "entity_id": r.entity_id} for r in own]
    record: dict[str, Any] = {"protected": sanitized.protected, "notes": list(sanitized.notes)}
    record |= {"swept": swept, "edits": edit_items(sanitized.edits)}
    if doubts:
        told = ((_at(one.span), one.entity_type, one.missed) for one in doubts.places)
        places = [at | {"entity_type": kind, "missed": missed} for at, kind, missed in told]
        record["doubts"] = {"rate": doubts.rate, "left": list(doubts.left), "places": places}
    clues = [
        _at(clue.span) | {"phrases": list(clue.phrases)} | _kept(dropped=_dropped(clue.dropped))
        for clue in sanitized.clues
    ]
    mentions, guard = sanitized.document.mentions, guarding and _guard(sanitized, guarding)
    context = [_made(m, {"class": m.clue}, fields) for m in mentions if m.clue]
    marked = [_made(m, {"decision": m.marked_by}, fields) for m in mentions if m.marked_by]
    record |= _kept(clues=clues, context=context, marked=marked, guard=guard)
    return {"sanitized_text": sanitized.text, "intact": record}


def _made(
    mention: domain.Mention, reason: dict[str, Any], fields: Mapping[str, dict[str, Any]]
) -> dict[str, Any]:
    """Return a mention that the input did not have as a JSON object: its offsets, the fields of
    ``reason``, its entity, and those of ``fields`` that say how it ended."""
    entity = {"entity_type": mention.entity_type, "entity_id": mention.entity_id}
    return _at(mention.span) | reason | entity | fields[mention.id]


def _at(span: domain.Span) -> dict[str, Any]:
    """Return the offsets of a span as the fields ``start_offset`` and ``end_offset`` of a JSON
    object."""
    return {"start_offset": span.start, "end_offset": span.end}


def _guard(sanitized: domain.SanitizedDocument, guarding: domain.Guarding) -> dict[str, Any]:
    """Return as a JSON object what the guard did to hide a person among a population: ranks before
    and after, the entities that it put on a vaguer phrase, and the places of other words that it
    changed, with what stands there now."""
    names = ("individual", "k", "reached", "before", "after", "raised", "words_changed", "words")
    own = (r for r in sanitized.replacements if r.origin == domain.Source.GUARD)
    places = [_at(r.span) | {"replacement": r.text} for r in own]
    return {name: getattr(guarding, name) for name in names} | {"places": places}


def candidates(decision: domain.Decision) -> list[dict[str, Any]]:
    """Return the ladder of an entity (its possible phrases, most specific first) as JSON objects
    {"text", "rank", "source", ...}, with its label last.

    A candidate may have: ``chosen``, true if it stands; if it was attacked, the attack with the
    gravest outcome, as ``attacker``, ``outcome``, ``rule``, ``risk``, ``guesses`` with their
    probabilities ``p``, and a ``note`` if the attacker read the document in parts; ``attacks``, if
    there were several attackers; ``evidence`` that it is true, see ``evidence_fields``;
    ``wordings``, the words that a planner wrote for it, by mention id. Of several attacks by one
    attacker the last counts, because later rounds see the document closer to its final form. The
    label has the attacks on itself in ``control``, for comparison, and in ``dropped`` the phrases
    that failed a check before any attack, with the name of that check.
    """
    last = _last_attacks(decision)
    rungs: list[dict[str, Any]] = []
    for position, candidate in enumerate(decision.ladder):
        rung = {"text": candidate.text, "rank": candidate.rank, "source": candidate.provenance}
        rung |= _kept(
            evidence=candidate.evidence and evidence_fields(candidate.evidence),
            entry=candidate.entry,
            wordings={key: one.text for key, one in candidate.wordings.items()},
            chosen=position == decision.chosen,
        )
        if attacks := last.get(position):
            rung |= _attack(_worst(attacks))
            if len(attacks) > 1:
                rung["attacks"] = [_attack(attack) for attack in attacks.values()]
        rungs.append(rung)
    label = {"text": decision.label, "rank": len(rungs), "source": domain.Source.LABEL}
    control, dropped = [*map(_attack, decision.controls)], _dropped(decision.dropped)
    return [*rungs, label | _kept(control=control, dropped=dropped, chosen=decision.chosen is None)]


def evidence_fields(evidence: domain.Evidence) -> dict[str, Any]:
    """Return the evidence that a phrase is true as a JSON object: its ``kind``, and the probability
    ``p`` if it is below 1."""
    sure = evidence.probability >= 1
    return {"kind": evidence.kind.value} | ({} if sure else {"p": evidence.probability})


def _kept(**fields: Any) -> dict[str, Any]:
    """Return the given fields without those whose values are empty, 0, False or None."""
    return {name: value for name, value in fields.items() if value}


def _dropped(phrases: Iterable[domain.DroppedPhrase]) -> list[dict[str, str]]:
    """Return phrases that failed a check as JSON objects {"text", "reason", "source"}, in the same
    order; the reason is the name of the check."""
    return [{"text": p.text, "reason": p.reason, "source": p.source} for p in phrases]


def _last_attacks(decision: domain.Decision) -> Mapping[int, dict[str, domain.Attack]]:
    """Return each attacker's last attack on each phrase of an entity's ladder: position of the
    phrase (from 0, the most specific) -> attacker's name -> attack. Phrases that were not attacked
    are absent."""
    positions = {candidate: at for at, candidate in enumerate(decision.ladder)}
    last: dict[int, dict[str, domain.Attack]] = defaultdict(dict)
    for attack in decision.attacks:
        if attack.candidate in positions:
            last[positions[attack.candidate]][attack.attacker] = attack
    return last


def _worst(attacks: Mapping[str, domain.Attack]) -> domain.Attack:
    """Return the attack with the gravest outcome (SAFE, CONTEXT, GUESSED, UNPARSED, ascending); of
    several, that with the highest risk.

    Args:
        attacks: at least one, by attacker.
    """
    return max(attacks.values(), key=lambda attack: (_GRAVITY.index(attack.outcome), attack.risk))


def _attack(attack: domain.Attack) -> dict[str, Any]:
    """Return an attack as a JSON object: attacker, outcome, rule, risk, and each guess with its
    probability ``p`` (None if the attacker gave none); also its note, if it has one."""
    given = ((one.text, one.logprob) for one in attack.guesses)
    guesses = [{"text": t, "p": None if p is None else round(math.exp(p), 6)} for t, p in given]
    told: dict[str, Any] = {"attacker": attack.attacker, "outcome": attack.outcome.value}
    told |= {"rule": attack.rule, "risk": round(attack.risk, 6), "guesses": guesses}
    return told | _kept(note=attack.note)


def add(raw: Mapping[str, Any], fields: Mapping[str, Any], ours: bool) -> dict[str, Any]:
    """Return a copy of an object with fields added. A value that a field would overwrite is kept as
    "NAME_before", unless INTACT wrote it.

    Args:
        raw: an object of the input.
        fields: what the output adds.
        ours: whether INTACT wrote ``raw``; the fields of that earlier run are then overwritten, and
            its candidates and decisions left out.
    """
    if ours:
        own = {key: raw[key] for key in raw if not key.startswith(("candidates", "decided"))}
        return {**own, **fields}
    return {**raw, **{f"{key}_before": raw[key] for key in fields if key in raw}, **fields}


def was_ours(raw: Any) -> bool:
    """Tell whether an earlier run of INTACT wrote an object, by its fields ``text``,
    ``sanitized_text`` and ``intact``; False for anything else."""
    told = isinstance(raw, dict) and isinstance(raw.get("intact"), dict)
    return told and {"text", "sanitized_text"} <= raw.keys()


def without_original(sanitized: domain.SanitizedDocument, id_field: str) -> dict[str, Any]:
    """Return a sanitised document as an object that holds nothing of the original: its id,
    ``sanitized_text``, and in ``intact`` whether it is protected, and the notes. Further fields of
    the input and mentions are left out: nobody has read those fields, and candidates and guesses
    quote what they replaced.

    Args:
        sanitized: the document with its edits.
        id_field: the input's name for the id: "id" or "doc_id".
    """
    own = {"protected": sanitized.protected, "notes": list(sanitized.notes)}
    return {id_field: sanitized.document.id, "sanitized_text": sanitized.text, "intact": own}


def record_file(out: Path) -> Path:
    """Return the path of the record of a run whose output has no room for what was decided: JSON
    lines in the run folder beside ``out``, "OUT.run/record.jsonl". It need not exist."""
    return out.with_name(f"{out.name}.run") / "record.jsonl"


def sanitized_objects(run: Path) -> dict[str, Mapping[str, Any]]:
    """Return the JSON objects of the documents that ``intact sanitize`` wrote into a file, or into
    the files of a folder, by document id, with what was decided: from the output itself, or from
    the record in the run folder, which counts if both have a document.

    Raises:
        FormatError: if there are none.
        InputError: if something cannot be read.
    """
    paths = sorted(path for path in run.rglob("*") if path.is_file()) if run.is_dir() else [run]
    telling = [path for path in paths if (kind := by_suffix(path)) is None or kind.tells]
    record = record_file(run)
    found = {
        str(one.raw.get("doc_id", one.raw.get("id"))): one.raw
        for path in (*telling, *([record] if record.is_file() else ()))
        for _, one in read(path)
        if isinstance(one, Record) and was_ours(one.raw)
    }
    if not found:
        problem = "there are no sanitised documents in it, and no record of them beside it"
        raise FormatError(problem, where=run)
    return found


def layers_of(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return the mentions of each annotator of a document, as its JSON object holds them: lists by
    annotator's name, None in place of a list that is missing; a single list under "mentions" if the
    object names no annotators; {} if it has no mentions at all."""
    if "annotations" not in raw:
        return {"mentions": raw["mentions"]} if "mentions" in raw else {}
    given = raw["annotations"].items()
    return {name: one.get(LAYER) if isinstance(one, dict) else None for name, one in given}


def mentions_of_output(raw: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the mentions of all annotators as the output has them, in order, each with the
    candidates of its entity (empty or absent if it has none), and with ``id``, ``start``, ``end``
    and ``type``, whatever the input's names for these are."""
    mentions: list[dict[str, Any]] = []
    for mention in chain(*layers_of(raw).values()):
        named = {name: str(read_field(mention, name) or "") for name in ("id", "type")}
        named |= {name: read_field(mention, name) for name in ("start", "end")}
        mentions.append(mention | named)
    having = (mention for mention in reversed(mentions) if mention.get("candidates"))
    ladders = {(one["start"], one["end"]): one["candidates"] for one in having}
    for mention in mentions:
        if place := mention.get("candidates_at"):
            mention["candidates"] = ladders.get(tuple(place), [])
    return mentions


class _EditsFile(Format):
    header, separator, footer = "{\n", ",\n", "\n}\n"


EDITS = _EditsFile()  # assembles an edits file from the lines of its documents


def edits_line(doc_id: str, edits: Iterable[domain.Edit]) -> str:
    """Return the line of a document in an edits file, ``"ID": [[start, end, "replacement"], ...]``,
    without the comma after it.

    Args:
        doc_id: the document's id.
        edits: ascending, not overlapping.
    """
    return f"{to_json(doc_id)}: {to_json(edit_items(edits))}"


def edit_items(edits: Iterable[domain.Edit]) -> list[list[int | str]]:
    """Return edits as lists [start, end, replacement], in the same order."""
    return [[edit.span.start, edit.span.end, edit.text] for edit in edits]


def read_edits(path: Path) -> tuple[dict[str, tuple[domain.Edit, ...]], Counter[str]]:
    """Return (edits, left out) of an edits file, JSON ``{doc_id: [[start, end, "replacement"],
    ...]}``: each document's edits by its id, ascending; and for each how many were left out because
    they overlap the one before.

    Raises:
        InputError: if the file cannot be read; a ``FormatError`` if it is no JSON.
        EditsError: if it is no edits file.
    """
    tree = read_json(path)
    if not isinstance(tree, dict):
        raise EditsError("the top level is not an object", where=path)
    by_document, overlapping = {}, Counter[str]()
    for doc_id, items in tree.items():
        kept: list[domain.Edit] = []
        for edit in edits_of_items(items, f"{path}, document {doc_id}"):
            if kept and edit.span.start < kept[-1].span.end:
                overlapping[doc_id] += 1
            else:
                kept.append(edit)
        by_document[doc_id] = tuple(kept)
    return by_document, overlapping


def edits_of_items(items: Any, where: str) -> tuple[domain.Edit, ...]:
    """Return the edits of a document, ascending; of edits that begin together, the longest comes
    first. Overlaps are kept.

    Args:
        items: each ``[start, end]``, ``[start, end, "replacement"]`` or an ``Edit``, in any order.
        where: whose edits they are, for messages.

    Raises:
        EditsError: if they are no edits.
    """
    if not isinstance(items, Sequence):
        raise EditsError("its edits are not a list", where=where)
    edits = (_edit(item, where) for item in items)
    return tuple(sorted(edits, key=lambda edit: (edit.span.start, -edit.span.end)))


def _edit(item: Any, where: str) -> domain.Edit:
    """Return an ``Edit``, given as such or as [start, end] (which deletes) or [start, end,
    replacement]; raise an ``EditsError`` if it is none of these."""
    if isinstance(item, domain.Edit):
        item = (item.span.start, item.span.end, item.text)
    if isinstance(item, list | tuple) and len(item) in (2, 3):
        start, end, text = item if len(item) == 3 else (*item, "")
        if type(start) is type(end) is int and 0 <= start < end and isinstance(text, str):
            return domain.Edit(domain.Span(start, end), text)
    problem = "an edit is not [start, end] or [start, end, replacement] with 0 <= start < end"
    raise EditsError(problem, where=where)


def as_object(document: domain.Document, *, words: bool = False) -> dict[str, Any]:
    """Return a document as INTACT's JSON lines hold it: id, text, mentions, and its language if
    that is not English.

    Args:
        document: with its mentions.
        words: whether each mention has its words, by which a reader can check its offsets.
    """
    language = {} if document.language == "en" else {"language": document.language}
    mentions = []
    for one in document.mentions:
        own = {"id": one.id, "start": one.span.start, "end": one.span.end, "type": one.entity_type}
        own |= {"identifier_type": one.identifier_type.value, "entity_id": one.entity_id}
        mentions.append(own | ({"text": one.text} if words else {}))
    return {"id": document.id, "text": document.text, **language, "mentions": mentions}


def tab_object(document: domain.Document) -> dict[str, Any]:
    """Return a document as TAB's JSON holds it, all mentions under its annotator, or "annotator1"
    if it names none."""
    raw = as_object(document, words=True)
    given = raw.pop("mentions")
    mentions = [{names[0]: read_field(m, field) for field, names in FIELDS.items()} for m in given]
    layer = {document.annotator or "annotator1": {LAYER: mentions}}
    return {"doc_id": raw.pop("id"), **raw, "annotations": layer}


def record_line(sanitized: domain.SanitizedDocument) -> str:
    """Return a sanitised document as a JSON line without a line end: original text, mentions with
    their outcomes, sanitised text, and what else was decided."""
    return to_json(as_object(sanitized.document) | decided(sanitized))


def decided(sanitized: domain.SanitizedDocument) -> dict[str, Any]:
    """Return what the output says of a document besides its id and text: the original's
    ``mentions``, each with its outcome, ``sanitized_text``, and in ``intact`` the notes, the edits
    and so on."""
    fields = mention_fields(sanitized)
    plain = as_object(sanitized.document)["mentions"]
    mentions = [mention | fields[mention["id"]] for mention in plain]
    return {"mentions": mentions} | document_fields(sanitized, fields)
