#!/usr/bin/env bash
# Times the bulk steps as whole processes, digests and fsync included, on three shapes
# of data, beside `jq -c .` on the same input without its broken lines and a plain copy
# of input and output, all in this run and in turns. Prints one Markdown row per step and
# shape, the worst ratio to jq first: rows/s, MB/s, peak memory, the ratios to jq and to
# the copy. Medians of RUNS (default 3); the peak is the greatest of all runs.
#
#   scripts/bench.sh                200,000 lines
#   scripts/bench.sh 2000000        two million
#
# The shapes: fresh (nearly every record once), repeats (2.3 rows a record, one file),
# files (the same in 2,000 files with a heavy tail, one a conversation, statuses mixed).
# SHAPES="files" and STEPS="cypher" take some of them.
#
# Needs jq and GNU time (/usr/bin/time). Files go to BENCH_DIR (default a folder in
# TMPDIR that is removed at the end). MEMBENCH names another binary than bin/membench.
set -euo pipefail
cd "$(dirname "$0")/.."
n=${1:-200000}
runs=${RUNS:-3}
shapes=${SHAPES:-fresh repeats files}
steps=${STEPS:-to-graph compile-claims cypher}
mb=${MEMBENCH:-$PWD/bin/membench}
[ -x "$mb" ] || { echo "bench: build first: make build" >&2; exit 1; }
for tool in jq /usr/bin/time; do
  command -v "$tool" >/dev/null || { echo "bench: $tool is not installed" >&2; exit 1; }
done
dir=${BENCH_DIR:-$(mktemp -d)}
mkdir -p "$dir"
[ -n "${BENCH_DIR:-}" ] || trap 'rm -rf "$dir"' EXIT
cp "$mb" "$dir/membench" # of a file that the linker wrote the kernel keeps larger pieces in memory: 10 MiB more
mb=$dir/membench
gen=$dir/benchdata
go build -C tools -o "$gen" ./benchdata

# make_input KIND ROWS SHAPE: the folder KIND.SHAPE, and its good lines in one file
make_input() {
  local to=$dir/$1.$3
  [ -s "$to.good.jsonl" ] && return
  rm -rf "$to" && mkdir "$to"
  case $3 in
    fresh) "$gen" -kind "$1" -n "$2" >"$to/all.jsonl" ;;
    repeats) "$gen" -kind "$1" -n "$2" -repeats 2.3 >"$to/all.jsonl" ;;
    files) "$gen" -kind "$1" -n "$2" -repeats 2.3 -mixed -files 2000 -o "$to" ;;
  esac
  cat "$to"/*.jsonl | jq -cR 'fromjson? | select(type == "object")' >"$to.good.jsonl"
}

# once CMD...: seconds and KiB of one run
once() { sync; /usr/bin/time -f '%e %M' -o "$dir/t" "$@" >/dev/null 2>"$dir/err" || [ $? = 3 ] || { cat "$dir/err" >&2; exit 1; }; tail -n 1 "$dir/t"; }
median() { sort -n | awk '{a[NR] = $1} END {print a[int((NR + 1) / 2)]}'; }

# row NAME SHAPE INPUT GOOD OUTPUT CMD...: jq, the command and the copy in turns; INPUT
# and OUTPUT are folders
row() {
  local name=$1 shape=$2 input=$3 good=$4 out=$5; shift 5
  : >"$dir/s"; : >"$dir/k"; : >"$dir/j"; : >"$dir/c"
  for _ in $(seq "$runs"); do
    once jq -c . $good | cut -d' ' -f1 >>"$dir/j"
    rm -rf "$out"
    once "$@" >"$dir/one"
    cut -d' ' -f1 "$dir/one" >>"$dir/s"; cut -d' ' -f2 "$dir/one" >>"$dir/k"
    once sh -c "cat '$input'/*.jsonl >'$dir/copy.in' && find '$out' -type f -exec cat {} + >'$dir/copy.out'" | cut -d' ' -f1 >>"$dir/c"
    rm -f "$dir"/copy.*
  done
  awk -v name="$name" -v shape="$shape" -v rows="$(cat "$input"/*.jsonl | wc -l)" -v bytes="$(cat "$input"/*.jsonl | wc -c)" -v outb="$(find "$out" -type f -printf '%s\n' | awk '{s += $1} END {print s}')" \
    -v s="$(median <"$dir/s")" -v k="$(sort -n "$dir/k" | tail -n 1)" -v j="$(median <"$dir/j")" -v c="$(median <"$dir/c")" 'BEGIN {
      printf "| %s | %s | %d | %.2f | %d k | %.0f (%.0f) | %.0f | %.1f | %.1f |\n", name, shape, rows, s, rows / s / 1000, bytes / s / 1e6, (bytes + outb) / s / 1e6, k / 1024, j / s, s / (c > 0 ? c : 0.01) }'
}

# step NAME SHAPE
step() {
  local graph=$dir/graph.$2
  case $1 in
    to-graph) row "$1" "$2" "$dir/exports.$2" "$dir/exports.$2.good.jsonl" "$graph" "$mb" to-graph --exports "$dir/exports.$2" -o "$graph" --limit 1 --max-rejected 1% ;;
    compile-claims) row "$1" "$2" "$dir/claims.$2" "$dir/claims.$2.good.jsonl" "$dir/out" "$mb" compile-claims "$dir/claims.$2" -o "$dir/out" --limit 1 ;;
    cypher)
      [ -d "$graph" ] || "$mb" to-graph --exports "$dir/exports.$2" -o "$graph" --limit 1 --max-rejected 1% 2>"$dir/err"
      row "$1" "$2" "$graph" "$graph/nodes.jsonl $graph/edges.jsonl" "$dir/out" "$mb" cypher "$graph" -o "$dir/out" --limit 1 ;;
  esac
  rm -rf "$dir/out"
}

echo "| step | shape | rows in | seconds | rows/s | MB/s in (in+out) | peak MiB | × \`jq -c .\` | × copy time |"
echo "|---|---|---|---|---|---|---|---|---|"
for shape in $shapes; do
  make_input exports "$n" "$shape"
  make_input claims "$((n * 6 / 5))" "$shape"
done
for name in $steps; do
  for shape in $shapes; do step "$name" "$shape"; done | sort -t'|' -k9,9n
done
