#!/usr/bin/env bash
# The tables of eval/results/all_sets.md: every set below FOLDER with three configurations. Usage: eval/run_all.sh FOLDER OUT
set -euo pipefail
folder=$1 out=$2
mkdir -p "$out"
for set in "$folder"/*/; do
  name=$(basename "$set")
  hookclaw eval run "$set" --json "$out/$name.default.json" >/dev/null || continue
  if grep -q '"ranking"' "$out/$name.default.json"; then
    hookclaw eval run "$set" --set enableVector=false --json "$out/$name.bm25.json" >/dev/null
    hookclaw eval run "$set" --set enableBm25=false --json "$out/$name.vector.json" >/dev/null
  fi
done
python "$(dirname "$0")/table.py" "$out"
