"""Classes of TAB documents for ``intact evaluate --classes``, where the corpus's meta has none.

    python eval/tab/classes.py tab_dev.json field > classes.json
    intact evaluate tab_dev.json --edits ours=edits.json --classes classes.json -o results

``field`` is the field of law whose words the original uses most: what a reader of sanitised
rulings may still want to sort them by. ``state`` is the respondent state, which sanitising is meant
to hide: there a loss is wanted.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

FIELDS = {
    "military": "court-martial|courts-martial|commanding officer|soldier|army|air force|navy",
    "criminal": "convicted|conviction|charged with|indictment|arrested|custody|detention|prison",
    "family": "access to|parental|care order|foster|child|children|mother|father|divorce",
    "health": "psychiatric|hospital|patient|medical|disability|pension|insurance|benefits?|ill",
    "property": "land|plot|expropriation|compensation|property|building|tenant|lease|permit",
}
STATES = {
    "United Kingdom": "United Kingdom",
    "Turkey": "Turkey",
    "Sweden": "Sweden",
    "Poland": "Poland",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("by", choices=("field", "state"))
    options = parser.parse_args()
    table = FIELDS if options.by == "field" else STATES
    found = {}
    for document in json.loads(options.corpus.read_text("utf-8")):
        text = document["text"] if options.by == "field" else document["text"][:600]
        name = most(text, table)
        if name:
            found[document["doc_id"]] = name
    print(json.dumps(found, indent=1, ensure_ascii=False))


def most(text: str, table: dict[str, str]) -> str:
    """The class whose words come most often; "" where none comes."""
    counts = {
        name: len(re.findall(rf"\b(?:{words})\b", text, re.IGNORECASE))
        for name, words in table.items()
    }
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] else ""


if __name__ == "__main__":
    main()
