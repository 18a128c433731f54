#!/usr/bin/env bash
# parity.sh: runs the originals of memory systems again and writes what they keep and find
# to memory/baseline/testdata/parity. Needs the package index, git, python3.11, python3.13
# and about 2 GB (PyTorch among it); environments and checkouts are kept in ~/.cache/membench.
# Versions and commits are pinned.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$here/../../memory/baseline/testdata/parity
cache=${XDG_CACHE_HOME:-$HOME/.cache}/membench
py=${PYTHON:-python3.11}
env() { # NAME PACKAGES...: an environment with packages, made once
  local dir=$cache/$1
  shift
  if [ ! -e "$dir/.parity" ]; then
    [ -x "$dir/bin/pip" ] || "$py" -m venv "$dir"
    "$dir/bin/pip" install -q "$@"
    touch "$dir/.parity"
  fi
}
export PARITY_SOURCES=$cache/sources
checkout() { # NAME REPOSITORY COMMIT: what no package holds
  [ -d "$PARITY_SOURCES/$1" ] || git clone -q "https://github.com/$2" "$PARITY_SOURCES/$1"
  git -C "$PARITY_SOURCES/$1" -c advice.detachedHead=false checkout -q "$3"
}
checkout AgenticMemory WujiangXu/AgenticMemory 7f716dc5
checkout A-mem agiresearch/A-mem ceffb860
checkout Mem-Gallery ma-xueqian/Mem-Gallery c0a04545 # a full public fork of YuanchenBei/Mem-Gallery
checkout SimpleMem aiming-lab/SimpleMem db80b6a7
checkout memU NevaMind-AI/memU 357aefc8 # the package builds a core in Rust that it does not use
py=${PYTHON313:-python3.13} env memu pydantic sqlmodel pendulum defusedxml httpx numpy openai langchain-core
env parity-sources torch numpy chromadb rank-bm25
env mem0-1.0.11 mem0ai==1.0.11 qdrant-client==1.20.0
env mem0-2.2.1 mem0ai==2.2.1 qdrant-client==1.20.0
env parity mem0ai==1.0.11 qdrant-client==1.20.0 kuzu==0.11.3 rank-bm25==0.2.2 faiss-cpu regex lancedb pyarrow tantivy dateparser python-igraph networkx tqdm pandas einops filelock botocore python-dotenv tenacity
env graphiti kuzu==0.11.3 neo4j openai httpx numpy pydantic posthog python-dotenv tenacity
# Without what they require: the models that they would load are not asked here, and
# graphiti-core wants a certifi that the index does not have.
"$cache/parity/bin/pip" install -q --no-deps simplemem==0.1.0 memoryos-pro==0.1.0 hipporag==2.0.0a4
"$cache/graphiti/bin/pip" install -q --no-deps graphiti-core==0.31.2
mkdir -p "$out"
"$cache/mem0-1.0.11/bin/python" "$here/parity.py" mem0-published "$out"
"$cache/mem0-2.2.1/bin/python" "$here/parity.py" mem0-v2 "$out"
for system in mem0-graph memoryos simplemem hipporag; do
  "$cache/parity/bin/python" "$here/parity.py" "$system" "$out"
done
"$cache/graphiti/bin/python" "$here/parity.py" graphiti-native "$out"
for system in amem amem-product FUMemory STMemory LTMemory GAMemory MGMemory RFMemory MMMemory MMFUMemory NGMemory AUGUSTUSMemory UniversalRAGMemory omni-simplemem; do
  "$cache/parity-sources/bin/python" "$here/parity.py" "$system" "$out"
done
"$cache/memu/bin/python" "$here/parity.py" memu "$out"
