#!/usr/bin/env bash
# results.sh FOLDER [SET…]: asks every system that needs nothing from outside the data at
# hand, grades by rule, explains what failed, and prints the tables of docs/results.md that
# stand between marks; with WRITE=docs/results.md it puts them there. Offline. What FOLDER
# holds already is not asked again, only graded and explained: after a change of the judge
# run it on the same folder. SET: locomo, longmemeval, longmemeval-s, memgallery, halumem
# (all). HALUMEM and GALLERY name parts of those two. An hour of processor time.
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
here=$(cd "$(dirname "$0")/.." && pwd)
jq -nr --slurpfile lost <(files lost) --slurpfile sums <(files sums) --rawfile speed "$here/memory/baseline/testdata/speed.tsv" '
  {locomo: "LoCoMo, categories 1–4", "longmemeval-s": "LongMemEval, long", longmemeval: "LongMemEval, evidence alone", memgallery: "Mem-Gallery", halumem: "HaluMem"} as $titles |
  ($sums | map(.set) | unique) as $have | [$titles | keys_unsorted[] | select(IN($have[]))] as $sets |
  def pct: if . == null then "–" else (. * 1000 | round / 10 | tostring) end;
  def of($p): [.scores[] | select(.protocol == $p)][0];
  def rule: of("rule@2").overall;
  def title: . as $set | "\($titles[.]) (\([$sums[] | select(.set == $set) | rule.n] | max))";
  def row($s; $set): [$sums[] | select(.system == $s and .set == $set)][0];
  def where($s; $set): [$lost[] | select(.system == $s and .set == $set)][0];
  def score($s; $set): row($s; $set) | if . == null then "–" else rule | "\(.value | pct) [\(.lo | pct), \(.hi | pct)]" end;
  ($speed | rtrimstr("\n") | split("\n") | map(split("\t") | {key: .[0], value: "\(.[2]) | \(.[4]) | \(.[5])"}) | from_entries) as $cost |
  def costs: (rtrimstr("-rule") | if . == "mem0-v1" then "mem0" else . end) as $name | $cost[$name] // "– | – | –";
  # Of the questions that were lost on LoCoMo, where it is known, the share that the memory lost: the rest were lost by who reads.
  def ours($s): where($s; "locomo") | if . == null or .lost == "" then "–" else
    [.lost | split(", ")[] | split(" ") | {n: .[0] | tonumber, hop: .[1]} | select(.hop | IN("gold", "opaque") | not)] |
    ((map(select(.hop != "read").n) | add) // 0) / ((map(.n) | add) // 1) * 100 | round | tostring end;
  def part($name): "<!-- results: \($name) -->", ., "<!-- end: \($name) -->";
  def table($head; rows): "| " + ($head | join(" | ")) + " |", "|" + ($head | map("---|") | join("")), rows;
  ($sums | group_by(.system) | sort_by(-(map(rule.value) | add), .[0].system) | map(.[0].system)) as $order |
  ([table(["system"] + ($sets | map(title)) + ["of the lost on LoCoMo, by the memory, %", "10,000 turns stored, s", "p95 of a question then, ms", "memory, MiB"];
    $order[] | . as $s | "| \($s) | " + ($sets | map(score($s; .)) | join(" | ")) + " | \(ours($s)) | \($s | costs) |")] | join("\n") | part("all")), "",
  (if $sets | index("locomo") then
    [table(["system", "rule judge, categories 1–4 [95 %]", "doubtful [all wrong, all right]", "LoCoMo F1 [95 %]", "category 5, rule judge", "evidence recall at 10"];
      $sums | map(select(.set == "locomo")) | sort_by(-rule.value, .system)[] |
        "| \(.system) | \(rule | "\(.value | pct) [\(.cluster_lo | pct), \(.cluster_hi | pct)]") | \(rule | if .doubtful then "\(.doubtful) [\(.doubt_lo | pct), \(.doubt_hi | pct)]" else "0" end) | \(of("locomo-f1@1").overall | "\(.value | pct) [\(.cluster_lo | pct), \(.cluster_hi | pct)]") | \([of("rule@2").raw_categories[] | select(.category == "5")][0].figure.value | pct) | \(of("evidence-recall@1").overall.value | pct) |")] | join("\n") | part("locomo"), ""
  else empty end),
  ([table(["system"] + ($sets | map($titles[.]));
    $order[] | . as $s | "| \($s) | " + ($sets | map(where($s; .) | if . == null then "–" else "\(.tokens)" + (if .lost == "" then "" else "; " + .lost end) end) | join(" | ")) + " |")] | join("\n") | part("lost"))' >"$out/tables.md"
if [ -z "${WRITE:-}" ]; then
  cat "$out/tables.md"
else # each part of the tables takes the place of the page's part of that name
  awk 'NR == FNR { if (/^<!-- results: /) name = $3; if (name) part[name] = part[name] $0 "\n"; if (/^<!-- end: /) name = ""; next }
    /^<!-- results: / && ($3 in part) { printf "%s", part[$3]; skip = 1 }
    !skip { print }
    /^<!-- end: / { skip = 0 }' "$out/tables.md" "$WRITE" >"$out/page.md"
  cat "$out/page.md" >"$WRITE"
fi
