#!/usr/bin/env bash
# Measures steps on Spark beside the one-machine commands on generated lines, and compares
# the lines written, in any order: measure.sh ROWS [MASTER]. Prints a Markdown row a step:
# seconds and processor seconds of whole processes with all that they start, and ratios.
# Processor time is that of a cgroup (v1, cpuacct) and needs root; without it only wall time
# is printed. Disk: about 8 KB a row for to-graph, with what Spark exchanges.
#   STEPS="annotate claimify compile-claims to-graph validate cypher admin-csv"
#   HOT=.95   share of lines with one text (exports) · ODD=1 mixed claims that come again
#   MEMBENCH, PYTHON (with pyspark[sql]), SHARDS (default: the job's), DRIVER_MEMORY (default 2g)
set -euo pipefail
cd "$(dirname "$0")/../.."
n=$1 master=${2:-local[2]}
mb=${MEMBENCH:-$PWD/bin/membench}
python=${PYTHON:-${XDG_CACHE_HOME:-$HOME/.cache}/membench/venv-spark/bin/python3}
dir=$(mktemp -d)
group=/sys/fs/cgroup/cpuacct/membench-$$
mkdir "$group" 2>/dev/null || group=
trap 'rm -rf "$dir"; [ -z "$group" ] || rmdir "$group" 2>/dev/null || true' EXIT
. scripts/spark/steps.sh

# once CMD...: "wall cpu" of a process and all that it starts; faults in the data are fine
once() {
  [ -z "$group" ] || echo 0 >"$group/cpuacct.usage"
  GROUP=$group /usr/bin/time -f '%e' -o "$dir/time" sh -c '[ -z "$GROUP" ] || echo $$ >"$GROUP/tasks"; exec "$@"' sh "$@" >"$dir/out.txt" 2>"$dir/err.txt" || [ $? = 3 ] || { tail -30 "$dir/err.txt" >&2; exit 1; }
  [ -z "$group" ] || while [ -n "$(cat "$group/tasks")" ]; do sleep .2; done # the JVM ends after Python
  cpu=-1
  [ -z "$group" ] || cpu=$(awk '{printf "%.1f", $1 / 1e9}' "$group/cpuacct.usage")
  echo "$(tail -n 1 "$dir/time") $cpu"
}

main() { # whole before it starts: a script that is edited while it runs goes wrong
  echo "| step | rows | one machine: s (cpu s) | Spark $master: s (cpu s) | ratio (cpu) | same lines |"
  echo "| --- | --- | --- | --- | --- | --- |"
  for step in ${STEPS:-claimify compile-claims to-graph validate cypher admin-csv}; do
    prepare "$step"
    read -r w1 c1 < <(once "$mb" "${one[@]}")
    if [ "$step" = validate ]; then mkdir "$dir/one" && mv "$dir/out.txt" "$dir/one/findings.jsonl"; fi
    want=$(sum "$dir/one")
    rm -rf "$dir/one"
    read -r w2 c2 < <(once env SPARK_LOCAL_IP=127.0.0.1 "$python" "${far[@]}" --master "$master" ${SHARDS:+--num-shards "$SHARDS"} --membench "$mb" --conf "spark.driver.memory=${DRIVER_MEMORY:-2g}" --conf "spark.local.dir=$dir")
    have=$(sum "$dir/far") same=no
    [ "$want" != "$have" ] || same="yes (${want##* })"
    [ "$same" != no ] || echo "$step: one machine $want, Spark $have" >&2
    awk -v s="$step" -v n="$n" -v w1="$w1" -v c1="$c1" -v w2="$w2" -v c2="$c2" -v same="$same" 'BEGIN {printf "| %s | %d | %.1f (%.1f) | %.1f (%.1f) | %.1f (%.1f) | %s |\n", s, n, w1, c1, w2, c2, w2 / w1, c2 / c1, same}'
  done
}
main
