#!/usr/bin/env bash
# Measures steps on Spark beside the one-machine commands on generated lines, and compares
# the sorted output: measure.sh ROWS [MASTER]. Prints a Markdown row a step: seconds and
# processor seconds of whole processes, peak memory, ratios. Processor time is that of a
# cgroup (v1, cpuacct) and needs root; without it only wall time is printed.
#   HOT=.95   share of lines with one text (exports) · STEPS="to-graph compile-claims"
#   MEMBENCH, PYTHON (with pyspark[sql]), SHARDS (default 2), DRIVER_MEMORY (default 2g)
set -euo pipefail
cd "$(dirname "$0")/../.."
n=$1 master=${2:-local[2]}
mb=${MEMBENCH:-$PWD/bin/membench}
python=${PYTHON:-${XDG_CACHE_HOME:-$HOME/.cache}/membench/venv-spark/bin/python3}
dir=$(mktemp -d)
group=/sys/fs/cgroup/cpuacct/membench-$$
mkdir "$group" 2>/dev/null || group=
trap 'rm -rf "$dir"; [ -z "$group" ] || rmdir "$group" || true' EXIT
go build -C tools -o "$dir/gen" ./benchdata

# once CMD...: "wall cpu peak-KiB" of a process and all that it starts; faults in the data are fine
once() {
  [ -z "$group" ] || echo 0 >"$group/cpuacct.usage"
  GROUP=$group /usr/bin/time -f '%e %M' -o "$dir/time" sh -c '[ -z "$GROUP" ] || echo $$ >"$GROUP/tasks"; exec "$@"' sh "$@" >"$dir/out.txt" 2>&1 || [ $? = 3 ] || { tail -20 "$dir/out.txt" >&2; exit 1; }
  [ -z "$group" ] || while [ -n "$(cat "$group/tasks")" ]; do sleep .2; done # the JVM ends after Python
  read -r wall peak < <(tail -n 1 "$dir/time")
  cpu=-1
  [ -z "$group" ] || cpu=$(awk '{printf "%.1f", $1 / 1e9}' "$group/cpuacct.usage")
  echo "$wall $cpu $peak"
}
sum() { find "$@" -name '*.jsonl' -print0 | xargs -0 cat | LC_ALL=C sort -S 512M -T "$dir" | sha256sum | cut -c1-16; }

echo "| step | rows | one machine: s (cpu s) | Spark $master: s (cpu s) | ratio (cpu) | same bytes |"
echo "| --- | --- | --- | --- | --- | --- |"
for step in ${STEPS:-to-graph compile-claims}; do
  rm -rf "$dir"/in "$dir"/one "$dir"/far && mkdir "$dir/in"
  case $step in
    to-graph) "$dir/gen" -kind exports -n "$n" -hot "${HOT:-0}" | split -C 128M --additional-suffix=.jsonl - "$dir/in/" ; one=(to-graph --exports "$dir/in" -o "$dir/one" -q --limit 1) far=(to-graph --exports "$dir/in") ;;
    compile-claims) "$dir/gen" -kind claims -n "$n" | split -C 128M --additional-suffix=.jsonl - "$dir/in/" ; one=(compile-claims "$dir/in" -o "$dir/one" -q --limit 1) far=(compile-claims "$dir/in") ;;
  esac
  read -r w1 c1 _ < <(once "$mb" "${one[@]}")
  read -r w2 c2 _ < <(once env SPARK_LOCAL_IP=127.0.0.1 "$python" scripts/spark/membench_spark.py "${far[@]}" -o "$dir/far" --master "$master" --num-shards "${SHARDS:-2}" --membench "$mb" --conf "spark.driver.memory=${DRIVER_MEMORY:-2g}" --conf spark.ui.enabled=false --conf spark.ui.showConsoleProgress=false)
  same=no
  [ "$(sum "$dir/one")" != "$(sum "$dir/far")" ] || same=yes
  awk -v s="$step" -v n="$n" -v w1="$w1" -v c1="$c1" -v w2="$w2" -v c2="$c2" -v same="$same" 'BEGIN {printf "| %s | %d | %.1f (%.1f) | %.1f (%.1f) | %.1f (%.1f) | %s |\n", s, n, w1, c1, w2, c2, w2 / w1, c2 / c1, same}'
done
