#!/bin/sh
# Loads graphs of so many elements into a server of its own and says what membench took:
#
#   scripts/neo4j-large.sh bolt 40000 1000000     over Bolt, into an empty scope, then the same again
#   scripts/neo4j-large.sh bulk 10000000          by admin import, into the stopped server of 'membench neo4j up'
#
# Two nodes of five elements, three relationships of four types, properties as the chain's
# have them. Needs Java, Neo4j's jars and about 1 GB of disk for a million elements.
set -eu
cd "$(dirname "$0")/.."
how=$1
shift
work=$(mktemp -d "${TMPDIR:-/tmp}/neo4j-large-XXXXXX")
bin=$work/membench
export MEMBENCH_NEO4J_HOME=$work/home
trap '"$bin" neo4j down -q >/dev/null 2>&1 || true; rm -rf "$work"' EXIT
go build -trimpath -o "$bin" ./cmd/membench
make_graph() { # elements, folder: ids in order, as every writer of ours leaves them
	mkdir -p "$2"
	awk -v n="$(($1 * 2 / 5))" 'BEGIN { for (i = 0; i < n; i++)
		printf "{\"id\":\"topic:%09d\",\"labels\":[\"Topic\"],\"props\":{\"name\":\"第 %d 条：经常使用笔记功能来记录小事\",\"display\":\"item %d\",\"created_at\":\"2026-02-24T18:21:58Z\",\"confidence\":0.%d,\"tags\":[\"a\",\"b%d\"]}}\n", i, i, i, i % 90 + 10, i % 7 }' >"$2/nodes.jsonl"
	awk -v n="$(($1 * 2 / 5))" -v m="$(($1 * 3 / 5))" 'BEGIN { split("ABOUT KNOWS LIKES NEXT", t, " "); per = int((m + 3) / 4); for (k = 1; k <= 4; k++) for (i = 0; i < per && made < m; i++) { made++
		s = sprintf("topic:%09d", i * n / per); d = sprintf("topic:%09d", (i * 7 + k) % n)
		printf "{\"id\":\"edge:%s:%s:%s\",\"type\":\"%s\",\"src\":\"%s\",\"dst\":\"%s\",\"props\":{\"since\":%d,\"processed_key\":\"k%d\"}}\n", t[k], s, d, t[k], s, d, i, i } }' >"$2/edges.jsonl"
}
measured() { # what, command...
	what=$1
	shift
	/usr/bin/time -f "$what: %e s, %U s of processor time, %M KB at most" "$@" >"$work/out" 2>"$work/err" || { cat "$work/out" "$work/err"; exit 1; }
	grep ' at most$' "$work/err"
}
for n in "$@"; do
	make_graph "$n" "$work/g"
	case $how in
	bolt)
		"$bin" neo4j up --heap 2048 -q >/dev/null
		measured "$n elements, first load" "$bin" load-neo4j "$work/g" --scope "s$n" -q
		measured "$n elements, again" "$bin" load-neo4j "$work/g" --scope "s$n" -q
		"$bin" neo4j down -q >/dev/null
		;;
	bulk)
		rm -rf "$work/home"
		"$bin" neo4j up -q >/dev/null # as a person has it: the password and the folder are there
		"$bin" neo4j down -q >/dev/null
		measured "$n elements, --bulk" "$bin" load-neo4j "$work/g" --bulk --overwrite -q
		cat "$work/out"
		"$bin" neo4j up --heap 2048 -q >/dev/null
		"$bin" neo4j status -q
		"$bin" neo4j down -q >/dev/null
		;;
	*)
		sed -n 2,8p "$0"
		exit 2
		;;
	esac
done
