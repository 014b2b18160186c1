"""Counting people under several labels, and people who share one, in raw documents.

    python eval/documents/people.py fifth_look training/66.txt
    python eval/documents/people.py --judgments tab_dev.json

The marks of ``eval/documents`` do not say who is who: equal words are one person there.
``people.tsv`` says it, a line for each person with several names, by a reader of the documents:
``document <tab> name <tab> another name``. Judgments in TAB's JSON say it by their entity ids.
Counted are detected persons at places that were marked; a place where two people are marked counts
for nobody.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from corpus import documents

import intact

HOME = Path(__file__).resolve().parent


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("places", nargs="*", help="folders or files of eval/documents")
    parser.add_argument("--judgments", type=Path, help="documents in TAB's JSON")
    options = parser.parse_args(argv)
    verdicts = read_verdicts()
    found = [each for place in options.places for each in texts(HOME / place)]
    if options.judgments is not None:
        found += json.loads(options.judgments.read_text("utf-8"))
    total: Counter[str] = Counter()
    with intact.Sanitizer() as sanitizer:
        for one in found:
            total.update(count(one, sanitizer.detect(one["text"]).mentions, verdicts))
    for what, number in total.items():
        print(f"{number:6} {what}")


def read_verdicts() -> dict[tuple[str, str], str]:
    """Return the person, called by one name, of each document and name with several names."""
    lines = (line.split("\t") for line in (HOME / "people.tsv").read_text("utf-8").splitlines())
    return {(name, shown): names[0] for name, *names in lines for shown in names}


def texts(place: Path) -> Iterator[dict[str, Any]]:
    """Yield the documents of a file, or of all in a folder."""
    for path in sorted(place.glob("*.txt")) or [place]:
        yield from documents(path)


def count(
    one: Mapping[str, Any],
    detected: Sequence[intact.Mention],
    verdicts: Mapping[tuple[str, str], str],
) -> Counter[str]:
    """Count the people of a document by what became of them.

    Args:
        one: a document of TAB's JSON.
        detected: its mentions, as found in the raw text.
        verdicts: document and name -> person.
    """
    marked = next(iter(one["annotations"].values()))["entity_mentions"]
    people = [
        (
            each["start_offset"],
            each["end_offset"],
            verdicts.get((one["doc_id"], each["span_text"]), each["entity_id"]),
        )
        for each in marked
        if each["entity_type"] == "PERSON"
    ]
    labels: dict[str, set[str]] = defaultdict(set)
    bearers: dict[str, set[str]] = defaultdict(set)
    nobody = 0
    for mention in detected:
        if mention.entity_type != "PERSON":
            continue
        start, end = mention.span.start, mention.span.end
        who = {person for first, last, person in people if first < end and start < last}
        nobody += not who
        if len(who) == 1:
            labels[min(who)].add(mention.entity_id)
            bearers[mention.entity_id] |= who
    several = sum(len(each) > 1 for each in labels.values())
    shared = sum(len(each) > 1 for each in bearers.values())
    return Counter(
        {
            "documents": 1,
            "people": len(labels),
            "people under several labels": several,
            "labels of several people": shared,
            "places labelled as persons that are none": nobody,
        }
    )


if __name__ == "__main__":
    main()
