#!/usr/bin/env bash
# Runs to-graph on a real standalone cluster on this machine, one master and two workers of
# the pip package, kills one executor with signal 9 in the middle, and compares the sorted
# output with the one-machine command: cluster.sh ROWS
#   MEMBENCH, PYTHON (with pyspark[sql])
set -euo pipefail
cd "$(dirname "$0")/../.."
n=$1
mb=${MEMBENCH:-$PWD/bin/membench}
python=${PYTHON:-${XDG_CACHE_HOME:-$HOME/.cache}/membench/venv-spark/bin/python3}
SPARK_HOME=$("$python" -c 'import pyspark; print(pyspark.__path__[0])')
export SPARK_HOME SPARK_LOCAL_IP=127.0.0.1 SPARK_DAEMON_MEMORY=256m PYSPARK_PYTHON=$python
dir=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$dir"' EXIT
port=$("$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
daemon() { "$SPARK_HOME/bin/spark-class" "org.apache.spark.deploy.$@" >"$dir/${#pids[@]}.log" 2>&1 & pids+=($!); }
daemon master.Master --host 127.0.0.1 --port "$port" --webui-port 0
for w in 1 2; do daemon worker.Worker --host 127.0.0.1 --webui-port 0 -c 1 -m 1g -d "$dir/work$w" "spark://127.0.0.1:$port"; done
go run -C tools ./benchdata -kind exports -n "$n" | { mkdir "$dir/in"; split -C 8M --additional-suffix=.jsonl - "$dir/in/"; }
"$mb" to-graph --exports "$dir/in" -o "$dir/one" -q --limit 1 2>/dev/null || [ $? = 3 ]
"$python" scripts/spark/membench_spark.py to-graph --exports "$dir/in" -o "$dir/far" --master "spark://127.0.0.1:$port" --num-shards 4 --combine no --membench "$mb" \
  --conf spark.driver.memory=512m --conf spark.executor.memory=600m --conf spark.ui.enabled=false --conf spark.ui.showConsoleProgress=false >"$dir/job.log" 2>&1 &
job=$! victim=
for _ in $(seq 600); do # until an executor runs one of our filters
  for executor in $(pgrep -P "${pids[1]}" || true); do
    if pgrep -f "$mb shard to-graph" >/dev/null; then victim=$executor; fi
  done
  [ -z "$victim" ] || break
  sleep .2
done
[ -n "$victim" ] || { echo "cluster: no executor was seen" >&2; tail -5 "$dir/job.log" >&2; exit 1; }
kill -9 "$victim"
code=0; wait "$job" || code=$?
[ $code = 0 ] || [ $code = 3 ] || { tail -20 "$dir/job.log" >&2; exit 1; }
sum() { find "$@" -name '*.jsonl' -print0 | xargs -0 cat | LC_ALL=C sort -S 256M -T "$dir" | sha256sum | cut -c1-16; }
lost=$(grep -c 'Lost \(executor\|task\)' "$dir/job.log" || true)
echo "$n rows, executor killed, $lost lines of Spark about lost executors and tasks: one machine $(sum "$dir/one"), cluster $(sum "$dir/far")"
[ "$(sum "$dir/one")" = "$(sum "$dir/far")" ]
