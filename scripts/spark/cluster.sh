#!/usr/bin/env bash
# Runs steps on a real standalone cluster on this machine, one master and two workers of the
# pip package. In each job the executor of the first filter is killed with signal 9. The
# lines written are those of the one-machine command, in any order: cluster.sh ROWS [STEP...]
# STEP:rows has Spark exchange rows where files would do.
#   STORE: a Hadoop file system on which the job reads and writes (store.sh starts one)
#   HOT, ODD (see steps.sh), MEMBENCH, PYTHON (with pyspark[sql]), JAVA_OPTIONS of all processes
set -euo pipefail
cd "$(dirname "$0")/../.."
n=$1
shift
mb=${MEMBENCH:-$PWD/bin/membench}
python=${PYTHON:-${XDG_CACHE_HOME:-$HOME/.cache}/membench/venv-spark/bin/python3}
SPARK_HOME=$("$python" -c 'import pyspark; print(pyspark.__path__[0])')
export SPARK_HOME SPARK_LOCAL_IP=127.0.0.1 SPARK_DAEMON_MEMORY=256m PYSPARK_PYTHON=$python
dir=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$dir"' EXIT
. scripts/spark/steps.sh

# The first filter that an executor starts after $dir/kill is made ends that executor.
cat >"$dir/membench" <<END
#!/bin/sh
p=\$\$
while [ -e "$dir/kill" ] && [ "\$p" -gt 1 ]; do
  if grep -q CoarseGrainedExecutorBackend "/proc/\$p/cmdline"; then
    rm "$dir/kill" 2>/dev/null && kill -9 "\$p"
  fi
  p=\$(ps -o ppid= -p "\$p" | tr -d ' ')
done
exec "$mb" "\$@"
END
chmod +x "$dir/membench"
port=$("$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
daemon() { "$SPARK_HOME/bin/spark-class" "org.apache.spark.deploy.$@" >"$dir/${#pids[@]}.log" 2>&1 & pids+=($!); }
daemon master.Master --host 127.0.0.1 --port "$port" --webui-port 0
for w in 1 2; do daemon worker.Worker --host 127.0.0.1 --webui-port 0 -c 1 -m 1g -d "$dir/work$w" "spark://127.0.0.1:$port"; done

# remote: the job's input and output are on STORE, under the same names
store() { "$SPARK_HOME/bin/spark-class" org.apache.hadoop.fs.FsShell "$@" 2>"$dir/store.log" || { cat "$dir/store.log" >&2; exit 1; }; }
remote() {
  local i path
  for i in "${!far[@]}"; do
    path=${far[i]}
    case $path in
      *.py) continue ;;
      "$dir/far") store -rm -r -f -skipTrash "$STORE$path" >/dev/null ;;
      "$dir"/*)
        store -mkdir -p "$STORE${path%/*}"
        store -put -f "$path" "$STORE${path%/*}/"
        ;;
      *) continue ;;
    esac
    far[i]=$STORE$path
  done
}

main() {
  local bad=0
  for job in "${@:-to-graph}"; do
    step=${job%:rows} exchange=auto
    [ "$step" = "$job" ] || exchange=rows
    prepare "$step"
    # annotate's records name their file from the folder where it is run; from a store, from its root.
    [ -z "${STORE:-}" ] || [ "$step" != annotate ] || one[1]=${one[1]#/}
    (if [ -n "${STORE:-}" ]; then cd /; fi && "$mb" "${one[@]}") >"$dir/out.txt" 2>/dev/null || [ $? = 3 ]
    if [ "$step" = validate ]; then mkdir "$dir/one" && mv "$dir/out.txt" "$dir/one/findings.jsonl"; fi
    want=$(sum "$dir/one")
    rm -rf "$dir/one"
    [ -z "${STORE:-}" ] || remote
    touch "$dir/kill"
    code=0
    "$python" "${far[@]}" --master "spark://127.0.0.1:$port" --num-shards 4 --exchange "$exchange" --membench "$dir/membench" \
      --conf spark.driver.memory=512m --conf spark.executor.memory=600m --conf "spark.local.dir=$dir" \
      --conf "spark.driver.extraJavaOptions=${JAVA_OPTIONS:-}" --conf "spark.executor.extraJavaOptions=${JAVA_OPTIONS:-}" >"$dir/job.log" 2>&1 || code=$?
    [ $code = 0 ] || [ $code = 3 ] || { tail -20 "$dir/job.log" >&2; exit 1; }
    lost=$(grep -c 'Lost \(executor\|task\)' "$dir/job.log" || true)
    if [ -n "${STORE:-}" ]; then
      store -get "$STORE$dir/far" "$dir/far"
      if [ "$step" = validate ]; then sed -i "s|$STORE/|/|g" "$dir"/far/findings/*.jsonl; fi # findings name the files that were read
    fi
    have=$(sum "$dir/far") same=same
    if [ "$want" != "$have" ]; then same="DIFFERENT from $want" bad=1; fi
    if [ -e "$dir/kill" ] || [ "$lost" = 0 ]; then same="$same, but NO executor was killed" bad=1; fi
    echo "cluster: $job, $n rows, executor killed ($lost lines about what was lost), $SECONDS s since the start: $have, $same"
  done
  return $bad
}
main "$@"
