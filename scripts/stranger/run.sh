#!/usr/bin/env bash
# Faults that language-model subagents thought of (23 November 2026), planted in a program: run.sh [--http] FOLDER SEED FAULT...
# FOLDER is made; SEED or SEED@SHARE (0.45 of the turns unless said); faults are those of faults.py: $(python3 faults.py N) is
# list N; "none" is the correct program, which ana.py needs as none-1. With --http the program is a service (service.yaml).
# Then: (cd FOLDER && python3 ana.py SEED[,SEED...] [FAULT...]). The dialogues (gen.py): SET=1 for lists 1 and 4, 2 for 3, 3 for 5,
# 4 for 6, 5 for 7, 6 for 8; DIALOGUES=n draws others.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mb=${MEMBENCH:-$here/../../bin/membench}
http=; if [ "$1" = --http ]; then http=1; shift; fi
mkdir -p "$1/runs" "$1/log"; cp "$here"/*.py "$1"; cd "$1"; seed=$2; shift 2
[ -f cases.jsonl ] || python3 gen.py "${SET:-1}" "${DIALOGUES:-11}"
for f in "$@"; do
  rm -rf "runs/$f-$seed" "log/$f-$seed.jsonl"
  x=()
  case $f in *c_long) x=(--context-tokens 400) ;; *c_tokens) x=(--context-tokens 12) ;; *c_*400) x=(--context-tokens 400) ;; *c_*60) x=(--context-tokens 60) ;; esac
  system="f=process{command: [python3, $PWD/mem.py, $f, '$seed']}"
  if [ -n "$http" ]; then
    rm -f port; python3 mem.py "$f" "$seed" --http >port & server=$!
    until [ -s port ]; do sleep .05; done
    sed "s/PORT/$(cat port)/" "$here/service.yaml" >service.yaml; system=f=service.yaml
  fi
  "$mb" eval run cases.jsonl -q --no-times -p rule --system "$system" "${x[@]}" -o "runs/$f-$seed" >runs.log 2>&1 || { echo "$f failed"; tail -2 runs.log; }
  [ -z "$http" ] || { kill $server; wait $server 2>/dev/null || true; }
  "$mb" eval explain "runs/$f-$seed" --json -q > "runs/$f-$seed.json" 2>>runs.log || tail -2 runs.log
done
