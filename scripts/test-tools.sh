#!/usr/bin/env bash
# Installs what the tests use from outside Go, where it is missing: a Python with
# networkx, rdflib and snakemake, another with a small model of sentence vectors, the jars of a Neo4j, a Chromium with Chinese fonts, jq.
# Python and jars go to ~/.cache/membench; programs come from the system's packages
# (Debian's, as root; elsewhere install them by hand). Tests skip what is absent.
set -euo pipefail
cd "$(dirname "$0")/.."
cache=${XDG_CACHE_HOME:-$HOME/.cache}/membench
mkdir -p "$cache"

need=()
command -v chromium >/dev/null || need+=(chromium)
[ -e /usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc ] || need+=(fonts-noto-cjk)
command -v jq >/dev/null || need+=(jq)
command -v java >/dev/null || need+=(default-jre-headless)
command -v mvn >/dev/null || need+=(maven)
python3 -c 'import venv, ensurepip' 2>/dev/null || need+=(python3-venv)
if [ ${#need[@]} -gt 0 ]; then
  if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    apt-get update -q
    DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends "${need[@]}"
  else
    echo "test-tools: install by hand: ${need[*]}" >&2
  fi
fi

want="networkx==3.6.1 rdflib==7.6.0 PyLD==3.3.0 snakemake==9.27.1"
if [ "$(cat "$cache/venv/membench-has" 2>/dev/null)" != "$want" ]; then
  rm -rf "$cache/venv"
  python3 -m venv "$cache/venv"
  # shellcheck disable=SC2086
  "$cache/venv/bin/pip" install -q $want
  echo "$want" > "$cache/venv/membench-has"
fi
scripts/minilm.sh install
scripts/neo4j-lib.sh
