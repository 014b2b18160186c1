"""Ten places with known answers: a model's answers about them show whether it is fit to plan."""

from __future__ import annotations

import re
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping
from importlib.resources import files

from intact.domain import Candidate, Document, Ladder, Mention, Plan, Source, Span
from intact.english.words import normalise
from intact.planning.model.answers import read_phrase
from intact.planning.model.planner import ModelPlanner

_TABLE = tomllib.loads((files("intact.models") / "data" / "probe.toml").read_text("utf-8"))
_UNFIT = frozenset({"seam", "form", "beside", "long"})
_ORDER = ("truth", "decoy"), ("decoy", "truth")  # by turns
PLACES = len(_TABLE["place"])


def probe_model(planner: ModelPlanner, prove: Callable[[Document, Plan], Plan]) -> Counter[str]:
    """Ask a model about ten places with known answers, and return counts by name. "milliseconds" is
    how long the answers took. The others count the places for which the first phrase of the answer
    is readable ("read"); is true ("true"); is shown to be true ("shown"); fits its sentence
    ("fitting"); is copied from the text or another place ("copied"); or is a decoy, a false phrase
    that was proposed to it ("decoys").

    Args:
        planner: whose model is asked.
        prove: keeps the phrases that are shown to be true; none of a model most of whose phrases
            fail.
    """
    text, rows = _TABLE["text"], _TABLE["place"]
    mentions = tuple(
        Mention(str(n), Span(at := text.index(row["words"]), at + len(row["words"])), row["words"],
                str(n), row["type"])
        for n, row in enumerate(rows)
    )  # fmt: skip
    document = Document("probe", text, mentions)
    offered: Mapping[str, Ladder] = {
        str(n): tuple(Candidate(row[kind], at, "probe") for at, kind in enumerate(_ORDER[n % 2]))
        for n, row in enumerate(rows)
    }
    talk = planner.begin(document, document.entities, offered, keep=False)
    marked = talk.marked
    began = time.perf_counter()
    answers, _ = talk.ask_all()
    came = Counter(milliseconds=round(1000 * (time.perf_counter() - began)))
    plain = [[*map(normalise, (row["words"], row["truth"], row["decoy"]))] for row in rows]
    said = {n: read_phrase(cells[0])[0] for n, cells in answers.items() if cells}
    repeated = Counter(map(normalise, said.values()))
    told = {marked.numbered[n].entity_id: (Candidate(p, 0, Source.MODEL),) for n, p in said.items()}
    came["shown"] = len(prove(document, Plan(told)).ladders)
    for number, phrase in said.items():
        place, row = marked.numbered[number], rows[int(marked.numbered[number].entity_id)]
        own, (words, truth, decoy) = normalise(phrase), plain[int(place.entity_id)]
        again = repeated[own] > 1 or any(own in texts for texts in plain)
        copied = words in own or (again and own not in (truth, decoy))
        worded = marked.word(phrase, place)
        problem = talk.reader.problem(worded[1], place, worded[0]) if worded else "beside"
        true = re.search(row["true"], phrase, re.IGNORECASE) and problem != "false"
        came["read"] += 1
        came["copied"] += copied
        came["decoys"] += own == decoy
        came["true"] += bool(true) and not copied and own != decoy
        came["fitting"] += problem not in _UNFIT
    return came


def is_fit(came: Mapping[str, int]) -> bool:
    """Tell whether a model may plan: at least nine of its ten phrases are read, eight are true and
    eight fit, half of those read are shown to be true, and copied ones and decoys are at most one
    together.

    Args:
        came: the counts of ``probe_model``.
    """
    misled = came["copied"] + came["decoys"]
    sound = came["true"] >= 8 and came["fitting"] >= 8 and 2 * came["shown"] >= came["read"]
    return came["read"] >= 9 and sound and misled <= 1
