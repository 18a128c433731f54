#!/usr/bin/env bash
# results-systems.sh [RUN]: asks a sample of LongMemEval, Mem-Gallery and HaluMem of every
# system that needs nothing from outside, explains what failed, and prints the table of
# docs/results.md, "Every system on three more sets". With RUN, a folder of such a run, it
# only explains and prints. Offline; about 4 min of CPU.
set -euo pipefail
data=${MEMBENCH_SHARED:-../shared}/data
membench=${MEMBENCH:-go run ./cmd/membench}
run=${1:-}
if [ -z "$run" ]; then
  tmp=$(mktemp -d)
  trap 'rm -rf "$tmp"' EXIT
  run=$tmp/run
  $membench eval run "longmemeval=$data/longmemeval/s_star_multiquestion_sample.json" \
    "memgallery=$data/mem_gallery/dialog/Dog_Behavior_Research_Academic_Life.json" \
    "halumem=$data/halumem/pilot_slices/pilot_slice_user3.jsonl" \
    --system all --no-times -p rule,choice,evidence-recall -o "$run" >&2
fi
$membench eval explain "$run" >&2
jq -rn --slurpfile sums "$run/summary.jsonl" '
  ["longmemeval", "memgallery", "halumem"] as $sets |
  def pct: . * 1000 | round / 10 | tostring;
  def add1($k): .[$k] = ((.[$k] // 0) + 1);
  (reduce inputs as $q ({};
    .[$q.system].chars += ([$q.hits[]?.text | length] | add // 0) | .[$q.system].n += 1 |
    if $q.attribution.hop then .[$q.system][$q.dataset] |= add1($q.attribution.hop) else . end)) as $of |
  def cell($s; $d):
    ([$sums[] | select(.system == $s and .dataset == $d)][0].scores // [] | [.[] | select(.protocol == "rule@2")][0].overall) as $r |
    if $r == null then "–" else "\($r.value | pct) [\($r.lo | pct), \($r.hi | pct)]" end +
    (($of[$s][$d] // {}) | to_entries | if length == 0 then "" else "; " + ([.[] | "\(.value) \(.key)"] | join(", ")) end);
  "| system | LongMemEval (26): right; lost at | Mem-Gallery (63): right; lost at | HaluMem (47): right; lost at | tokens of the hits |", "|---|---|---|---|---|",
  ([$sums[] | {s: .system, v: ([.scores[] | select(.protocol == "rule@2")][0].overall | .value * .n)}] | group_by(.s) | map({s: .[0].s, v: (map(.v) | add)}) | sort_by(-.v, .s)[] | .s as $s |
    "| \($s) | \(cell($s; $sets[0])) | \(cell($s; $sets[1])) | \(cell($s; $sets[2])) | \(($of[$s].chars / $of[$s].n / 4) | round) |")
' "$run/qa_records.jsonl"
