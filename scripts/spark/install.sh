#!/usr/bin/env bash
# Installs PySpark for the tests and measurements of Spark into ~/.cache/membench (850 MB).
set -euo pipefail
home=${XDG_CACHE_HOME:-$HOME/.cache}/membench/venv-spark
want="pyspark[sql]==4.1.4"
if [ "$(cat "$home/membench-has" 2>/dev/null)" != "$want" ]; then
  rm -rf "$home"
  python3 -m venv "$home"
  "$home/bin/pip" install -q "$want"
  echo "$want" > "$home/membench-has"
fi
