#!/usr/bin/env bash
# Times the bulk steps as whole processes, digests and fsync included, beside
# `jq -c .` on the same input without its broken lines and a plain copy of input and
# output, all in this run. Prints one Markdown row per step: rows/s, MB/s, peak
# memory, the ratio to jq and to the copy. Medians of RUNS (default 3).
#
#   scripts/bench.sh                200,000 lines
#   scripts/bench.sh 2000000        two million
#
# Needs jq and GNU time (/usr/bin/time). Files go to BENCH_DIR (default a folder in
# TMPDIR that is removed at the end).
set -euo pipefail
cd "$(dirname "$0")/.."
n=${1:-200000}
runs=${RUNS:-3}
mb=$PWD/bin/membench
[ -x "$mb" ] || { echo "bench: build first: make build" >&2; exit 1; }
for tool in jq /usr/bin/time; do
  command -v "$tool" >/dev/null || { echo "bench: $tool is not installed" >&2; exit 1; }
done
dir=${BENCH_DIR:-$(mktemp -d)}
mkdir -p "$dir"
[ -n "${BENCH_DIR:-}" ] || trap 'rm -rf "$dir"' EXIT
gen=$dir/benchdata
go build -C tools -o "$gen" ./benchdata

make_input() { # kind rows name
  [ -s "$dir/$3.jsonl" ] || "$gen" -kind "$1" -n "$2" >"$dir/$3.jsonl"
  [ -s "$dir/$3.good.jsonl" ] || jq -cR 'fromjson? | select(type == "object")' "$dir/$3.jsonl" >"$dir/$3.good.jsonl"
}

# once CMD...: seconds and KiB of one run
once() { sync; /usr/bin/time -f '%e %M' -o "$dir/t" "$@" >/dev/null 2>"$dir/err" || { cat "$dir/err" >&2; exit 1; }; cat "$dir/t"; }
median() { sort -n | awk '{a[NR] = $1} END {print a[int((NR + 1) / 2)]}'; }

# row NAME INPUT GOOD OUTPUT CMD...: alternates jq, copy and the command
row() {
  local name=$1 input=$2 good=$3 out=$4; shift 4
  : >"$dir/s"; : >"$dir/k"; : >"$dir/j"; : >"$dir/c"
  for _ in $(seq "$runs"); do
    once jq -c . $good | cut -d' ' -f1 >>"$dir/j"
    rm -rf "$out"
    once "$@" >"$dir/one"
    cut -d' ' -f1 "$dir/one" >>"$dir/s"; cut -d' ' -f2 "$dir/one" >>"$dir/k"
    once sh -c "cat $input >$dir/copy.in && cat $(find "$out" -type f | tr '\n' ' ') >$dir/copy.out" | cut -d' ' -f1 >>"$dir/c"
    rm -f "$dir"/copy.*
  done
  awk -v name="$name" -v rows="$(cat $input | wc -l)" -v bytes="$(cat $input | wc -c)" -v outb="$(find "$out" -type f -printf '%s\n' | awk '{s += $1} END {print s}')" \
    -v s="$(median <"$dir/s")" -v k="$(sort -n "$dir/k" | tail -n 1)" -v j="$(median <"$dir/j")" -v c="$(median <"$dir/c")" 'BEGIN {
      printf "| %s | %d | %.2f | %d k | %.0f (%.0f) | %.0f | %.1f | %.1f |\n", name, rows, s, rows / s / 1000, bytes / s / 1e6, (bytes + outb) / s / 1e6, k / 1024, j / s, s / (c > 0 ? c : 0.01) }'
}

echo "| step | rows in | seconds | rows/s | MB/s in (in+out) | peak MiB | × \`jq -c .\` | × copy time |"
echo "|---|---|---|---|---|---|---|---|"
make_input exports "$n" exports
row to-graph "$dir/exports.jsonl" "$dir/exports.good.jsonl" "$dir/graph" "$mb" to-graph --exports "$dir/exports.jsonl" -o "$dir/graph" --limit 1
make_input claims "$((n * 6 / 5))" by_conv
row compile-claims "$dir/by_conv.jsonl" "$dir/by_conv.good.jsonl" "$dir/claims" "$mb" compile-claims "$dir/by_conv.jsonl" -o "$dir/claims"
row cypher "$dir/graph/nodes.jsonl $dir/graph/edges.jsonl" "$dir/graph/nodes.jsonl $dir/graph/edges.jsonl" "$dir/cypher" "$mb" cypher "$dir/graph" -o "$dir/cypher" --limit 1
