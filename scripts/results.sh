#!/usr/bin/env bash
# results.sh [LOCOMO.json]: asks LoCoMo's conversations of every system that needs nothing
# from outside and prints the table of docs/results.md, "Answers on LoCoMo". Offline.
set -euo pipefail
data=${1:-${MEMBENCH_SHARED:-../shared}/data/locomo/locomo8.json}
run=$(mktemp -d)
trap 'rm -rf "$run"' EXIT
time go run ./cmd/membench eval run "locomo=$data" --system all --no-times -p rule,locomo-f1,evidence-recall -o "$run/run" >&2
jq -rs '
  def pct: if . == null then "–" else (. * 1000 | round / 10 | tostring) end;
  def cell: "\(.value | pct) [\(.cluster_lo | pct), \(.cluster_hi | pct)]";
  def doubt: if .doubtful then "\(.doubtful) [\(.doubt_lo | pct), \(.doubt_hi | pct)]" else "0" end;
  def of($p): [.scores[] | select(.protocol == $p)][0];
  "| system | rule judge, categories 1–4 [95 %] | doubtful [all wrong, all right] | LoCoMo F1 [95 %] | category 5, rule judge | evidence recall at 10 |", "|---|---|---|---|---|---|",
  (sort_by(-of("rule@2").overall.value, .system)[] |
    "| \(.system) | \(of("rule@2").overall | cell) | \(of("rule@2").overall | doubt) | \(of("locomo-f1@1").overall | cell) | \([of("rule@2").raw_categories[] | select(.category == "5")][0].figure.value | pct) | \(of("evidence-recall@1").overall.value | pct) |")
' "$run/run/summary.jsonl"
