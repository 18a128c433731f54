#!/usr/bin/env bash
# Runs every fuzz target of the module for the given time each (default 20s) and
# prints the executions of each. Ends with 1 when one of them finds a fault.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-20s}
status=0
# A find is made smaller in ten steps, not for a minute: where goroutines make coverage
# vary, every run looks like a find and nothing else would be done.
while IFS=: read -r file target; do
  dir=./$(dirname "$file")
  log=$(mktemp)
  if go test "$dir" -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 10x >"$log" 2>&1; then
    execs=$(grep -oE 'execs: [0-9]+' "$log" | tail -n 1 | grep -oE '[0-9]+' || echo 0)
    printf '%-14s %-28s %s executions\n' "$(dirname "$file")" "$target" "$execs"
  else
    cat "$log"
    status=1
  fi
  rm -f "$log"
done < <(grep -rHoE '^func Fuzz[A-Za-z0-9_]*' --include='*_test.go' . | sed -E 's#^\./##; s#:func #:#' | sort)
exit $status
