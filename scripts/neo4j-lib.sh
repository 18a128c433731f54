#!/bin/sh
# Fetch the jars of Neo4j Community with its admin import tool from Maven Central.
# Nothing is bundled with membench; Neo4j's own licence (GPLv3) applies to the jars.
#
#   scripts/neo4j-lib.sh [DIR]      default ~/.cache/membench/neo4j; prints the folder of the jars
#
# Needs Java 17 and Maven. 130 MB, about half a minute. Tests use the folder through
# MEMBENCH_NEO4J_LIB.
set -eu

version=${NEO4J_VERSION:-5.26.12}
dir=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/membench/neo4j}
lib=$dir/lib-$version

if [ -f "$lib/.complete" ]; then
	echo "$lib"
	exit 0
fi
command -v mvn >/dev/null || { echo "neo4j-lib.sh: mvn is missing: install Maven and Java 17" >&2; exit 1; }
mkdir -p "$dir"
work=$(mktemp -d "$dir/.fetch-XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM
cat >"$work/pom.xml" <<POM
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>membench</groupId><artifactId>neo4j-lib</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    <dependency><groupId>org.neo4j</groupId><artifactId>neo4j</artifactId><version>$version</version></dependency>
    <dependency><groupId>org.neo4j.app</groupId><artifactId>neo4j-server</artifactId><version>$version</version></dependency>
    <dependency><groupId>org.neo4j</groupId><artifactId>neo4j-import-tool</artifactId><version>$version</version></dependency>
  </dependencies>
</project>
POM
mvn -q -B -f "$work/pom.xml" dependency:copy-dependencies -DoutputDirectory="$work/lib" >&2
touch "$work/lib/.complete"
rm -rf "$lib"
mv "$work/lib" "$lib"
echo "$lib"
