#!/usr/bin/env bash
# results.sh FOLDER [SET…]: asks every system that needs nothing from outside the data at
# hand, grades by rule, explains what failed, and prints the tables of docs/results.md,
# "Answers on LoCoMo" and "Every system on four data sets". Offline. What FOLDER holds
# already is not asked again, only graded and explained: after a change of the judge run it
# on the same folder. SET: locomo, longmemeval, longmemeval-s, memgallery, halumem (all).
# HALUMEM and GALLERY name parts of those two. About 40 minutes of processor time.
set -euo pipefail
data=${MEMBENCH_SHARED:-../shared}/data
membench=${MEMBENCH:-go run ./cmd/membench}
out=$1
shift
sets=("$@")
[ $# -gt 0 ] || sets=(locomo longmemeval longmemeval-s memgallery halumem)
declare -A source=(
  [locomo]=locomo=$data/locomo/locomo8.json
  [longmemeval]=longmemeval=$data/longmemeval/longmemeval_oracle_evidence_turns.json
  [longmemeval-s]=longmemeval=$data/longmemeval/s_star_multiquestion_sample.json
  [memgallery]=memgallery=${GALLERY:-$data/mem_gallery/dialog}
  [halumem]=halumem=${HALUMEM:-$data/halumem/pilot_slices}
)
mkdir -p "$out"
for set in "${sets[@]}"; do
  run=$out/$set
  protocols=rule,evidence-recall
  [ "$set" != locomo ] || protocols+=,locomo-f1
  [ -e "$run/pipeline_qa.jsonl" ] || $membench -q eval run "${source[$set]}" --system all --no-times --no-grade -p "$protocols" -o "$run"
  $membench -q eval grade "$run/pipeline_qa.jsonl" -p "$protocols" --again -o "$run.jsonl"
  $membench -q eval explain "$run.jsonl" --cases "$run/cases.jsonl.zst" --sessions "$run/pipeline_sessions.jsonl" >&2
  $membench -q eval aggregate "$run.jsonl" --json | jq -c --arg set "$set" '.[] + {set: $set}' >"$run.sums"
  # By system: the characters of the hits, and at which hop failed questions were lost.
  jq -c '[.system, ([.hits[]?.text | length] | add // 0), .attribution.hop]' "$run.jsonl" |
    jq -sc --arg set "$set" 'group_by(.[0])[] | {set: $set, system: .[0][0], tokens: ((map(.[1]) | add) / length / 4 | round),
      lost: (map(.[2] // empty) | group_by(.) | map("\(length) \(.[0])") | join(", "))}' >"$run.lost"
done
files() { for set in "${sets[@]}"; do cat "$out/$set.$1"; done; }
jq -nr --slurpfile lost <(files lost) --slurpfile sums <(files sums) '
  ($sums | map(.set) | unique) as $sets |
  def pct: if . == null then "–" else (. * 1000 | round / 10 | tostring) end;
  def of($p): [.scores[] | select(.protocol == $p)][0];
  def rule: of("rule@2").overall;
  def n($set): [$sums[] | select(.set == $set) | rule.n] | max;
  def cell($s; $set): [$sums[] | select(.system == $s and .set == $set)][0] as $r | [$lost[] | select(.system == $s and .set == $set)][0] as $l |
    if $r == null then "–" else "\($r | rule.value | pct) [\($r | rule.lo | pct), \($r | rule.hi | pct)]; \($l.tokens)" + (if $l.lost == "" then "" else "; " + $l.lost end) end;
  (if $sets | index("locomo") then
    "| system | rule judge, categories 1–4 [95 %] | doubtful [all wrong, all right] | LoCoMo F1 [95 %] | category 5, rule judge | evidence recall at 10 |", "|---|---|---|---|---|---|",
    ($sums | map(select(.set == "locomo")) | sort_by(-rule.value, .system)[] |
      "| \(.system) | \(rule | "\(.value | pct) [\(.cluster_lo | pct), \(.cluster_hi | pct)]") | \(rule | if .doubtful then "\(.doubtful) [\(.doubt_lo | pct), \(.doubt_hi | pct)]" else "0" end) | \(of("locomo-f1@1").overall | "\(.value | pct) [\(.cluster_lo | pct), \(.cluster_hi | pct)]") | \([of("rule@2").raw_categories[] | select(.category == "5")][0].figure.value | pct) | \(of("evidence-recall@1").overall.value | pct) |"), ""
  else empty end),
  "| system | " + ($sets | map("\(.) (\(n(.)))") | join(" | ")) + " |", "|---|" + ($sets | map("---|") | join("")),
  ($sums | group_by(.system) | map({s: .[0].system, v: (map(rule.value) | add)}) | sort_by(-.v, .s)[] | .s as $s | "| \($s) | " + ($sets | map(cell($s; .)) | join(" | ")) + " |")'
