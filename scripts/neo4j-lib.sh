#!/bin/sh
# Fetch the jars of Neo4j Community with its admin import tool from Maven Central.
# Nothing is bundled with membench; Neo4j's own licence (GPLv3) applies to the jars.
#
#   scripts/neo4j-lib.sh [DIR]      default ~/.cache/membench/neo4j-lib; prints the folder
#
# Needs Java 17 and Maven. 130 MB, about half a minute. Tests look there, or where
# MEMBENCH_NEO4J_LIB says.
set -eu

version=${NEO4J_VERSION:-5.26.12}
lib=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/membench/neo4j-lib}

if [ "$(cat "$lib/VERSION" 2>/dev/null)" = "$version" ]; then
	echo "$lib"
	exit 0
fi
command -v mvn >/dev/null || { echo "neo4j-lib.sh: mvn is missing: install Maven and Java 17" >&2; exit 1; }
mkdir -p "$(dirname "$lib")"
work=$(mktemp -d "$(dirname "$lib")/.fetch-XXXXXX")
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
echo "$version" >"$work/lib/VERSION"
rm -rf "$lib"
mv "$work/lib" "$lib"
echo "$lib"
