#!/bin/sh
# Everything measured on TAB documents, ours beside the published systems:
#   sh eval/tab/systems.sh DATA OUT [options of intact evaluate]
# DATA has tab/tab_dev.json, tab/published_*.json and background/tab_dev_public10.json.
# Writes OUT/results (results.json, report.html) and OUT/tune (the Pareto front), both new, OUT/report.html,
# and prints the main scores as a Markdown table.
set -eu
data=$1 out=$2
shift 2
mkdir -p "$out"
corpus=$data/tab/tab_dev.json
intact sanitize "$corpus" -o "$out/ours.json" --edits "$out/ours_edits.json" -q
python - "$corpus" "$out/original.json" <<'PYTHON'
import json, sys
documents = json.load(open(sys.argv[1], encoding="utf-8"))
json.dump({document["doc_id"]: [] for document in documents}, open(sys.argv[2], "w"))
PYTHON
intact evaluate "$corpus" -o "$out/results" \
    --edits original="$out/original.json" \
    --edits suppression="$data/tab/published_suppression.json" \
    --edits "entity label=$data/tab/published_entity.json" \
    --edits presidio="$data/tab/published_presidio.json" \
    --edits "INTACT (published)=$data/tab/published_intact.json" \
    --edits ours="$out/ours_edits.json" \
    --background "$data/background/tab_dev_public10.json" "$@"
intact tune "$corpus" -o "$out/tune" --jobs 2
intact report "$out/ours.json" -o "$out/report.html"
python "$(dirname "$0")/table.py" "$out/results/results.json"
