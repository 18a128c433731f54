#!/bin/sh
# Fetches the jars of a Neo4j Community server and of its admin import from Maven
# Central into one folder (about 130 MB, once). Needs mvn and Java 17 or 21. Nothing
# of it is bundled with membench; Neo4j's own licence (GPLv3) applies to the jars.
#
#   scripts/neo4j-lib.sh                        into ~/.cache/membench/neo4j-lib
#   MEMBENCH_NEO4J_LIB=DIR scripts/neo4j-lib.sh
#
# Prints the folder. It is complete when it holds the file VERSION, written last; a run that
# finds the wanted version there does nothing. NEO4J_VERSION picks another patch.
set -eu
version=${NEO4J_VERSION:-5.26.12}
lib=${MEMBENCH_NEO4J_LIB:-${XDG_CACHE_HOME:-$HOME/.cache}/membench/neo4j-lib}

if [ "$(cat "$lib/VERSION" 2>/dev/null || true)" = "$version" ]; then
	echo "$lib"
	exit 0
fi
for tool in mvn java; do
	command -v "$tool" >/dev/null || { echo "neo4j-lib: $tool is not installed" >&2; exit 1; }
done
mkdir -p "$(dirname "$lib")"
new=$(mktemp -d "$lib.XXXXXX")
trap 'rm -rf "$new"' EXIT
trap 'exit 1' HUP INT TERM
cat >"$new/pom.xml" <<POM
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>membench</groupId><artifactId>neo4j-lib</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>org.neo4j</groupId><artifactId>neo4j</artifactId><version>$version</version></dependency>
    <dependency><groupId>org.neo4j.app</groupId><artifactId>neo4j-server</artifactId><version>$version</version></dependency>
    <dependency><groupId>org.neo4j</groupId><artifactId>neo4j-import-tool</artifactId><version>$version</version></dependency>
  </dependencies>
</project>
POM
mvn -q -B -f "$new/pom.xml" dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$new/lib" >&2
echo "$version" >"$new/lib/VERSION"
rm -rf "$lib"
mv "$new/lib" "$lib"
echo "$lib"
