#!/bin/sh
# An evaluation in n shards on one machine, P at once, and then the whole run.
#   shards.sh OUT N P -- what 'membench eval run' is given, without -o and --shard
# A shard that fails is told; the same command goes on where it stopped.
set -eu
out=$1 n=$2 at_once=$3
shift 4
mkdir -p "$out"
i=0
while [ "$i" -lt "$n" ]; do echo "$i"; i=$((i + 1)); done |
	xargs -P "$at_once" -I SHARD "${MEMBENCH:-membench}" eval run "$@" -o "$out/part-SHARD" --shard "SHARD/$n"
"${MEMBENCH:-membench}" eval merge "$out"/part-* -o "$out/whole"
