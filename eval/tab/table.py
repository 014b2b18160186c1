"""The README's table: every preset, and the published systems beside it, by one command.

    python eval/tab/table.py ../shared/data/tab/tab_dev.json [--presets default,strict,utility]

Published edits (``published_*.json``) that lie beside the corpus are measured as well. The
sanitised documents and edits stay in ``--out`` (a temporary folder if none is given).
"""

from __future__ import annotations

import argparse
import importlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
MEASURE: Any = importlib.import_module("measure")
CONTAINMENT: Any = importlib.import_module("containment")

ROWS = {
    "TPS": "TPS",
    "span similarity": "mean span similarity",
    "guessed@5": "guessed@5",
    "labels": "bare labels",
    "linkage": "linkage, public 10 %",
    "left: names etc.": "names etc. left standing",
    "left: dates, quantities": "dates and quantities left standing",
    "grammar": "grammar defects",
    "entities differing": "entities with different replacements",
    "value lost": "dates and numbers whose replacement does not hold the value",
}


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--presets", default="default,utility,strict")
    parser.add_argument("--background", type=Path, help="{doc_id: public text}")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args(argv)
    folder = options.out or Path(tempfile.mkdtemp(prefix="intact-table-"))
    folder.mkdir(parents=True, exist_ok=True)
    presets = options.presets.split(",")
    files = {name: sanitised(options.corpus, name, folder) for name in presets}
    for published in sorted(options.corpus.parent.glob("published_*.json")):
        files[published.stem.replace("published_", "published: ")] = published
    print_table(measured(options.corpus, files, options.background, folder))
    print(f"\nFiles: {folder}")


def sanitised(corpus: Path, preset: str, folder: Path) -> Path:
    """The edits that ``intact sanitize --config PRESET`` writes for ``corpus``."""
    edits = folder / f"{preset}_edits.json"
    command = [sys.executable, "-m", "intact", "sanitize", str(corpus), "--quiet"]
    command += ["-o", str(folder / f"{preset}.json"), "--edits", str(edits), "--config", preset]
    subprocess.run(command, check=True)
    return edits


def measured(
    corpus: Path, files: Mapping[str, Path], background: Path | None, folder: Path
) -> dict[str, dict[str, float]]:
    """All figures of all systems, by system."""
    figures = folder / "figures.json"
    arguments = [str(corpus), "--json", str(figures)]
    for name, file in files.items():
        arguments += ["--edits", f"{name}={file}"]
    if background is not None:
        arguments += ["--background", str(background)]
    MEASURE.main(arguments)
    rows: dict[str, dict[str, float]] = json.loads(figures.read_text(encoding="utf-8"))
    for name, file in files.items():
        print(f"\nContainment, {name}")
        rows[name]["value lost"] = CONTAINMENT.main(corpus, file)
    return rows


def print_table(rows: Mapping[str, Mapping[str, float]]) -> None:
    """The table in Markdown, one system a column."""
    print("\n| | " + " | ".join(rows) + " |")
    print("| --- |" + " --- |" * len(rows))
    for key, title in ROWS.items():
        cells = [form(row.get(key)) for row in rows.values()]
        print(f"| {title} | " + " | ".join(cells) + " |")


def form(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.3f}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    main()
