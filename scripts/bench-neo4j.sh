#!/bin/sh
# Measures ways into Neo4j on one server in one run and prints Markdown tables:
#
#   scripts/bench-neo4j.sh first     a graph of thirty types and constraints that are not there yet: bare driver loop and load-neo4j's defaults
#   scripts/bench-neo4j.sh load      bare driver loop and ours, twice: 100,000 nodes and 200,000 relationships
#   scripts/bench-neo4j.sh sessions  ours with one and two sessions; row by row with literals
#   scripts/bench-neo4j.sh delta     the same graph again, and with 1 % changed
#   scripts/bench-neo4j.sh bulk      admin import against Bolt, 1.5 million elements
#
#   scripts/bench-neo4j.sh clients   KGX's loader, neo4j-graphrag and graphiti beside ours: wants their environments, see the test
#
# Without an argument all but the last of them, about ten minutes. Needs Java 17 and Neo4j's jars.
set -eu
cd "$(dirname "$0")/.."
for what in ${*:-first load sessions delta bulk}; do
	echo "## $what"
	go test ./cypher/neo4j -run '^TestMeasure$' -count 1 -timeout 40m -v -measure "$what" | grep -v "^ok\|^PASS\|^---\|^==="
done
