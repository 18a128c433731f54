#!/usr/bin/env bash
# Starts a file system that is not this machine's disk, with nothing but packages of Maven and
# PyPI, runs a command, and stops it: store.sh hdfs|s3 COMMAND...
#   hdfs: one name node and one data node   s3: Moto, which keeps objects in memory, and Hadoop's S3A
# The command finds STORE (hdfs://HOST:PORT or s3a://BUCKET), and HADOOP_CONF_DIR and
# SPARK_DIST_CLASSPATH, with which Spark and its children reach it.
set -euo pipefail
kind=$1
shift
cache=${XDG_CACHE_HOME:-$HOME/.cache}/membench
hadoop=3.4.2 aws=2.29.52 moto=5.2.5 # hadoop: that of Spark 4.1
dir=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$dir"' EXIT
port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
open() { python3 -c 'import socket, sys; socket.create_connection(("127.0.0.1", int(sys.argv[1])), 1)' "$1" 2>/dev/null; }
within() { # SECONDS COMMAND...: repeats a command until it succeeds
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    [ $SECONDS -lt $end ] || { echo "store.sh: no answer of $kind:" >&2; tail -n 20 "$dir"/*.log >&2; exit 1; }
    sleep .5
  done
}

# jars FOLDER GROUP:NAME:VERSION...: these packages and what they need, once
jars() {
  local to=$cache/$1 a
  shift
  [ "$(cat "$to/membench-has" 2>/dev/null)" != "$*" ] || return 0
  rm -rf "$to"
  {
    echo '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>membench</groupId><artifactId>store</artifactId><version>1</version><dependencies>'
    for a in "$@"; do
      IFS=: read -r g n v <<<"$a"
      # bundle: all services of AWS, 600 MB
      echo "<dependency><groupId>$g</groupId><artifactId>$n</artifactId><version>$v</version><exclusions><exclusion><groupId>software.amazon.awssdk</groupId><artifactId>bundle</artifactId></exclusion></exclusions></dependency>"
    done
    echo '</dependencies></project>'
  } >"$dir/pom.xml"
  mvn -q -B -f "$dir/pom.xml" dependency:copy-dependencies "-DoutputDirectory=$to" -DincludeScope=runtime >"$dir/mvn.log" 2>&1 || { cat "$dir/mvn.log" >&2; exit 1; }
  echo "$*" >"$to/membench-has"
}

# settings FILE NAME=VALUE...: a file of Hadoop's settings
settings() {
  local file=$dir/conf/$1 s
  shift
  {
    echo '<configuration>'
    for s in "$@"; do echo "<property><name>${s%%=*}</name><value>${s#*=}</value></property>"; done
    echo '</configuration>'
  } >"$file"
}

mkdir "$dir/conf"
at=$(port)
case $kind in
  hdfs)
    jars hdfs "org.apache.hadoop:hadoop-hdfs:$hadoop" "org.apache.hadoop:hadoop-hdfs-client:$hadoop" "org.apache.hadoop:hadoop-common:$hadoop"
    export STORE=hdfs://127.0.0.1:$at
    settings core-site.xml "fs.defaultFS=$STORE"
    settings hdfs-site.xml dfs.replication=1 dfs.blocksize=8388608 dfs.permissions.enabled=false \
      "dfs.namenode.name.dir=$dir/names" "dfs.datanode.data.dir=$dir/data" dfs.namenode.http-address=127.0.0.1:0 \
      dfs.datanode.address=127.0.0.1:0 dfs.datanode.http.address=127.0.0.1:0 dfs.datanode.ipc.address=127.0.0.1:0
    mkdir -p "$dir"/conf/webapps/{hdfs,datanode,static} # their pages, which the packages lack
    node() { java -Xmx384m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp "$dir/conf:$cache/hdfs/*" "org.apache.hadoop.hdfs.server.$@"; }
    node namenode.NameNode -format -nonInteractive >"$dir/format.log" 2>&1
    node namenode.NameNode >"$dir/names.log" 2>&1 & pids+=($!)
    within 60 open "$at"
    node datanode.DataNode >"$dir/data.log" 2>&1 & pids+=($!)
    ;;
  s3)
    jars s3 "org.apache.hadoop:hadoop-aws:$hadoop" software.amazon.awssdk:{s3,s3-transfer-manager,sts,kms}:"$aws"
    if [ "$(cat "$cache/venv-moto/membench-has" 2>/dev/null)" != "$moto" ]; then
      rm -rf "$cache/venv-moto"
      python3 -m venv "$cache/venv-moto"
      "$cache/venv-moto/bin/pip" install -q "moto[server]==$moto"
      echo "$moto" >"$cache/venv-moto/membench-has"
    fi
    export STORE=s3a://membench AWS_ACCESS_KEY_ID=none AWS_SECRET_ACCESS_KEY=none AWS_REGION=us-east-1
    settings core-site.xml "fs.s3a.endpoint=http://127.0.0.1:$at" fs.s3a.path.style.access=true fs.s3a.connection.ssl.enabled=false
    export SPARK_DIST_CLASSPATH=$cache/s3/*
    "$cache/venv-moto/bin/moto_server" -H 127.0.0.1 -p "$at" >"$dir/moto.log" 2>&1 & pids+=($!)
    within 60 open "$at"
    python3 -c 'import sys, urllib.request; urllib.request.urlopen(urllib.request.Request(sys.argv[1], method="PUT"))' "http://127.0.0.1:$at/membench"
    ;;
  *) echo "store.sh: $kind: hdfs or s3" >&2; exit 2 ;;
esac
export HADOOP_CONF_DIR=$dir/conf
"$@"
