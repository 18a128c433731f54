#!/bin/sh
# Builds the documentation as a site: site.sh FOLDER. Every link is checked; a broken one
# fails. MkDocs and its theme are installed once below ~/.cache/membench.
set -eu
cd "$(dirname "$0")/.."
out=$(realpath -m "${1:-out/site}")
src=out/site-src
venv=${XDG_CACHE_HOME:-$HOME/.cache}/membench/site
want="mkdocs==1.6.1 mkdocs-material==9.8.1"
if [ "$(cat "$venv/membench-has" 2>/dev/null)" != "$want" ]; then
  rm -rf "$venv"
  python3 -m venv "$venv"
  # shellcheck disable=SC2086
  "$venv/bin/pip" install -q $want
  echo "$want" > "$venv/membench-has"
fi
rm -rf "$src"
mkdir -p "$src"
cp -R docs/. "$src"
go run -C tools ./clidocs -md "../$src/commands.md"
NO_MKDOCS_2_WARNING=1 "$venv/bin/mkdocs" build --quiet --strict --site-dir "$out"
echo "$out/index.html: serve it with python3 -m http.server -d $out"
