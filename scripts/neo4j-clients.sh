#!/bin/sh
# Installs the clients that scripts/bench-neo4j.sh clients measures beside ours, each in an
# environment of its own below ~/.cache/membench/neoclients (about 1.5 GB), and the
# procedures (APOC) that neo4j-graphrag's writer wants on the server.
set -eu
to=${1:-$HOME/.cache/membench/neoclients}
mkdir -p "$to"
install() { # environment, requirements
	[ -x "$to/$1/bin/python" ] || python3 -m venv "$to/$1"
	env=$1
	shift
	"$to/$env/bin/pip" install -q "$@"
}
install kgx kgx==2.6.0 biolink-model==4.4.6
install graphrag neo4j-graphrag==1.22.0
install graphiti graphiti-core==0.31.1 httpx
cd "$(dirname "$0")"
mvn -q -B -f neo4j-apoc.xml dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$to/apoc"
