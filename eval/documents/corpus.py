"""Documents of many kinds that are no judgments, made up and marked by hand, as TAB's JSON.

    python eval/documents/corpus.py eval/documents/open open.json
    intact detect evaluate open.json --detector patterns,knowledge

``training``, ``open``, ``second_look``, ``held_out``, ``first_look`` and ``fourth_look`` are what
the shipped tagger learned from (``tagger.py``), and may be read while rules are written. Of
``third_look`` nothing but the first ten lines of one document has been read, for its format;
replacements in ``fifth_look`` have, after it was measured (docs/detection.md, docs/quality.md).
Whoever reads them has to write others.

A mark is ``[[P1 Ann Lee]]``: a letter for the type (P person, C code, L place, O organisation, D
attribute, T time, Q quantity, M other) and the entity's number; without one, equal words are one
entity. A file holds one document, or several under lines ``=== name``.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

TYPES = {
    "P": "PERSON", "C": "CODE", "L": "LOC", "O": "ORG",
    "D": "DEM", "T": "DATETIME", "Q": "QUANTITY", "M": "MISC",
}  # fmt: skip
SEVERAL = re.compile(r"^=== (\w+)\n", re.MULTILINE)
MARK = re.compile(r"\[\[([PCLODTQM])(\d*) (.+?)\]\]")


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args(argv)
    made = [one for path in sorted(options.folder.glob("*.txt")) for one in documents(path)]
    options.out.write_text(json.dumps(made, ensure_ascii=False, indent=1), encoding="utf-8")
    spans = sum(len(one["annotations"]["annotator1"]["entity_mentions"]) for one in made)
    print(f"{len(made)} documents, {spans} spans: {options.out}")


def documents(path: Path) -> list[dict[str, Any]]:
    """The marked texts of a file as documents of TAB's JSON."""
    parts = SEVERAL.split(path.read_text(encoding="utf-8"))
    if len(parts) == 1:
        return [document(path.stem, parts[0])]
    return [document(name, text) for name, text in zip(parts[1::2], parts[2::2], strict=True)]


def document(name: str, marked: str) -> dict[str, Any]:
    """A marked text as one document of TAB's JSON.

    Args:
        name: of the document.
        marked: its text.
    """
    text, at = "", 0
    mentions: list[dict[str, Any]] = []
    for match in MARK.finditer(marked):
        text += marked[at : match.start()]
        letter, number, surface = match.groups()
        mentions.append(
            {
                "entity_type": TYPES[letter],
                "entity_mention_id": f"{name}_m{len(mentions) + 1}",
                "entity_id": f"{name}_{letter}{number or surface.lower()}",
                "start_offset": len(text),
                "end_offset": len(text) + len(surface),
                "span_text": surface,
                "edit_type": "check",
                "identifier_type": "DIRECT" if letter in "PC" else "QUASI",
                "confidential_status": "NOT_CONFIDENTIAL",
            }
        )
        text += surface
        at = match.end()
    text += marked[at:]
    if "[[" in text or "]]" in text:
        raise SystemExit(f"{name}: a mark is broken")
    return {
        "doc_id": name,
        "text": text,
        "dataset_type": "dev",
        "meta": {},
        "quality_checked": True,
        "task": "",
        "annotations": {"annotator1": {"entity_mentions": mentions}},
    }


if __name__ == "__main__":
    main()
