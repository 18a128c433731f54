#!/bin/bash
# Does what a newcomer does, on a machine that has Go, git and make and nothing of ours:
# clones the repository into an empty home (no modules, no build cache) and runs the first
# four steps of a tutorial with their own export: newcomer.sh PAGE EXPORT NAME WORD QUESTION
#   scripts/newcomer.sh docs/tutorial.md "examples/chats/WhatsApp Chat with Ana.txt" Wei Porto "Where does Wei live?"
# It prints the commands, which it reads from the page, the time by the wall and of
# processors, and the answer.
set -euo pipefail
repo=$(cd "$(dirname "$0")/.." && pwd)
page=$1 export=$(realpath "$2") name=$3 word=$4 question=$5
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
mkdir "$work/home" "$work/path"
for tool in go git make sh bash cat mkdir rm cp expr getconf awk sed uname env git-upload-pack; do
  if at=$(command -v $tool); then ln -s "$at" "$work/path/$tool"; fi
done
# The page's commands: fences up to step 5, with the newcomer's file, name, word and question.
python3 - "$repo/$page" "$export" "$name" "$word" "$question" > "$work/steps.sh" <<'PY'
import re, shlex, sys
page, export, name, word, question = sys.argv[1:]
text = open(page, encoding="utf-8").read().split("\n## 5.")[0]
blocks = re.findall(r"^```(?:sh|text)\n(.*?)^```", text, re.M | re.S)
lines = [l for b in blocks for l in b.splitlines() if re.match(r"(membench|make|export) ", l)]
for l in lines:
    l = re.sub(r'init "[^"]*" --me \S+', lambda m: "init %s --me %s" % (shlex.quote(export), shlex.quote(name)), l)
    l = re.sub(r"trace \S+", lambda m: "trace " + shlex.quote(word), l)
    l = re.sub(r'graph "[^"]*"$', lambda m: "graph " + shlex.quote(question), l)
    print(l)
PY
cat "$work/steps.sh"
cat > "$work/run.sh" <<EOF
set -eu
git clone -q "$repo" "$work/home/membench"
cd "$work/home/membench"
. "$work/steps.sh"
test -s tutorial/out/graph.html
EOF
path="$(go env GOROOT)/bin:$work/path" proxy=$(go env GOPROXY)
TIMEFORMAT='%R s by the wall, %U + %S s of processors'
time env -i HOME="$work/home" PATH="$path" LANG="${LANG:-C.UTF-8}" GOPROXY="$proxy" GOFLAGS=-modcacherw "$work/path/sh" "$work/run.sh" > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
grep -m1 -B2 "^answered by" "$work/log"
