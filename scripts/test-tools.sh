#!/usr/bin/env bash
# Installs what the tests use from outside Go, where it is missing: a Python with
# networkx, rdflib and snakemake, two versions of Mem0, another with a small model of
# sentence vectors (scripts/minilm.sh), two small models (membench model fetch), Java and Maven with the jars of a Neo4j (and of the
# newest one where a Java for it is found), a Chromium with Chinese fonts, jq. Python
# and jars go to ~/.cache/membench; programs come from the system's packages (Debian's,
# as root; elsewhere install them by hand). What cannot be had ends the script with 1 on
# a build server (CI=true); elsewhere the rest is done, and tests skip what is absent.
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
    [ "${CI:-}" != true ] || exit 1
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
for version in 2.2.1 1.0.11; do # real Mem0: the newest, and the last that updates and deletes
  want="mem0ai==$version qdrant-client==1.20.0 openai==3.54.0 protobuf==6.33.6"
  if [ "$(cat "$cache/mem0-$version/membench-has" 2>/dev/null)" != "$want" ]; then
    rm -rf "$cache/mem0-$version"
    python3 -m venv "$cache/mem0-$version"
    # shellcheck disable=SC2086
    "$cache/mem0-$version/bin/pip" install -q $want
    echo "$want" > "$cache/mem0-$version/membench-has"
  fi
done
scripts/site.sh out/site > /dev/null   # MkDocs and its theme
scripts/minilm.sh install
go run ./cmd/membench model fetch # SmolLM2-135M and multilingual-e5-small
for version in default newest; do
  # The newest Neo4j wants a newer Java than the system's may be: it is looked for first.
  if [ $version = default ]; then
    go run ./cmd/membench neo4j fetch
  elif ls /usr/lib/jvm 2>/dev/null | grep -Eq '(^|-)(2[1-9]|[3-9][0-9])(-|$)'; then
    go run ./cmd/membench neo4j fetch --version newest
  fi
done
