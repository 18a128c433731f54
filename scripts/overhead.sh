#!/usr/bin/env bash
# overhead.sh [RUNS]: what the evaluation pipeline costs beside waiting for a model: 64
# calls in flight, 200 ms each, 10,240 calls, against a bare loop over the same client.
# Wall-clock: run it on a quiet machine (one minute a run). Asked for: under 1 %.
set -euo pipefail
cd "$(dirname "$0")/.."
uptime
go test ./eval/run -run xxx -bench Overhead -benchtime 1x -count "${1:-3}"
