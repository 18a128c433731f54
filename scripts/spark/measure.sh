#!/usr/bin/env bash
# Measures steps on Spark beside the one-machine commands on generated lines, and compares
# the lines written, in any order: measure.sh ROWS [MASTER]. Prints a Markdown row a step:
# seconds and processor seconds of whole processes with all that they start, and ratios.
# Processor time is that of a cgroup (v1, cpuacct) and needs root; without it only wall time
# is printed. Disk: about 10 KB a row, with what Spark exchanges.
#   STEPS="annotate claimify compile-claims to-graph validate cypher admin-csv"
#   HOT=.95   share of lines with one text (exports) · ODD=1 hazards (mixed claims, repeats)
#   MEMBENCH, PYTHON (with pyspark[sql]), SHARDS (default: the job's), DRIVER_MEMORY (default 2g)
#   IMPORT=1  also lets neo4j-admin (NEO4J_ADMIN) import the parts of admin-csv
set -euo pipefail
cd "$(dirname "$0")/../.."
n=$1 master=${2:-local[2]}
mb=${MEMBENCH:-$PWD/bin/membench}
python=${PYTHON:-${XDG_CACHE_HOME:-$HOME/.cache}/membench/venv-spark/bin/python3}
dir=$(mktemp -d)
group=/sys/fs/cgroup/cpuacct/membench-$$
mkdir "$group" 2>/dev/null || group=
trap 'rm -rf "$dir"; [ -z "$group" ] || rmdir "$group" 2>/dev/null || true' EXIT
go build -C tools -o "$dir/gen" ./benchdata
go build -C tools -o "$dir/linesum" ./linesum
cp scripts/spark/*.py "$dir"

# once CMD...: "wall cpu" of a process and all that it starts; faults in the data are fine
once() {
  [ -z "$group" ] || echo 0 >"$group/cpuacct.usage"
  GROUP=$group /usr/bin/time -f '%e' -o "$dir/time" sh -c '[ -z "$GROUP" ] || echo $$ >"$GROUP/tasks"; exec "$@"' sh "$@" >"$dir/out.txt" 2>"$dir/err.txt" || [ $? = 3 ] || { tail -30 "$dir/err.txt" >&2; exit 1; }
  [ -z "$group" ] || while [ -n "$(cat "$group/tasks")" ]; do sleep .2; done # the JVM ends after Python
  cpu=-1
  [ -z "$group" ] || cpu=$(awk '{printf "%.1f", $1 / 1e9}' "$group/cpuacct.usage")
  echo "$(tail -n 1 "$dir/time") $cpu"
}
sum() { find "$@" -type f ! -name 'manifest.json' ! -name import.sh ! -name '.*' -print0 | xargs -0 cat | "$dir/linesum"; }
exports() { [ -d "$dir/exports" ] || { mkdir "$dir/exports"; "$dir/gen" -kind exports -n "$n" -hot "${HOT:-0}" | split -C 128M --additional-suffix=.jsonl - "$dir/exports/"; }; }
graph() { [ -d "$dir/graph" ] || { exports; "$mb" to-graph --exports "$dir/exports" -o "$dir/graph" -q --limit 1 >/dev/null 2>&1 || [ $? = 3 ]; }; }

echo "| step | rows | one machine: s (cpu s) | Spark $master: s (cpu s) | ratio (cpu) | same lines |"
echo "| --- | --- | --- | --- | --- | --- |"
for step in ${STEPS:-claimify compile-claims to-graph validate cypher admin-csv}; do
  rm -rf "$dir/one" "$dir/far"
  case $step in
    annotate)
      mkdir -p "$dir/chats"
      "$dir/gen" -kind events -n "$n" | sed 's/.*"role_type": "\([a-z]*\)".*"content": \("[^"]*"\).*/{"role": "\1", "content": \2}/; s/"human"/"user"/' | split -l 5000 --additional-suffix=.jsonl - "$dir/chats/"
      one=(annotate "$dir/chats" -o "$dir/one" -q) far=(annotate "$dir/chats") ;;
    claimify) exports; one=(claimify "$dir/exports" -o "$dir/one" -q --limit 1) far=(claimify "$dir/exports") ;;
    compile-claims)
      mkdir -p "$dir/claims"
      "$dir/gen" -kind claims -n "$n" ${ODD:+-mixed -repeats 2.3} | split -C 128M --additional-suffix=.jsonl - "$dir/claims/"
      one=(compile-claims "$dir/claims" -o "$dir/one" -q --limit 1) far=(compile-claims "$dir/claims") ;;
    to-graph) exports; one=(to-graph --exports "$dir/exports" -o "$dir/one" -q --limit 1) far=(to-graph --exports "$dir/exports") ;;
    validate) graph; one=(validate "$dir/exports" "$dir/graph" --format json) far=(validate "$dir/exports" "$dir/graph") ;;
    cypher) graph; one=(cypher "$dir/graph" -o "$dir/one" -q --limit 1) far=(cypher "$dir/graph/nodes.jsonl" "$dir/graph/edges.jsonl") ;;
    admin-csv) graph; one=(export "$dir/graph" --format admin-csv -o "$dir/one" -q --limit 1) far=(admin-csv "$dir/graph/nodes.jsonl" "$dir/graph/edges.jsonl") ;;
  esac
  read -r w1 c1 < <(once "$mb" "${one[@]}")
  [ "$step" != validate ] || { mkdir "$dir/one"; grep -v '^$' "$dir/out.txt" >"$dir/one/findings.jsonl" || true; }
  want=$(sum "$dir/one")
  if [ "$step" = to-graph ]; then rm -rf "$dir/graph"; mv "$dir/one" "$dir/graph"; case " ${STEPS:-validate} " in *" validate "* | *" cypher "* | *" admin-csv "*) ;; *) rm -rf "$dir/graph" ;; esac; fi
  rm -rf "$dir/one"
  read -r w2 c2 < <(once env SPARK_LOCAL_IP=127.0.0.1 "$python" "$dir/membench_spark.py" "${far[@]}" -o "$dir/far" --master "$master" ${SHARDS:+--num-shards "$SHARDS"} --membench "$mb" --conf "spark.driver.memory=${DRIVER_MEMORY:-2g}" --conf "spark.local.dir=$dir" --conf spark.ui.enabled=false --conf spark.ui.showConsoleProgress=false)
  have=$(sum "$dir/far") same=no
  [ "$want" != "$have" ] || same="yes (${want##* })"
  [ "$same" != no ] || echo "$step: one machine $want, Spark $have" >&2
  awk -v s="$step" -v n="$n" -v w1="$w1" -v c1="$c1" -v w2="$w2" -v c2="$c2" -v same="$same" 'BEGIN {printf "| %s | %d | %.1f (%.1f) | %.1f (%.1f) | %.1f (%.1f) | %s |\n", s, n, w1, c1, w2, c2, w2 / w1, c2 / c1, same}'
  if [ "$step" = admin-csv ] && [ -n "${IMPORT:-}" ]; then once sh "$dir/far/import.sh"; tail -8 "$dir/out.txt"; fi
done
