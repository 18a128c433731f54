#!/usr/bin/env bash
# contracts.sh: lets each vendor's own Python client live the life of a memory against a
# recorder and writes what it sent to memory/service/testdata/contracts. Needs the package
# index and python3.11; environments are kept in ~/.cache/membench/contracts. Clients are
# installed without what they require; the little that they import stands in one shared
# environment. Versions are pinned: a new one is a new line here and a look at the differences.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$here/../../memory/service/testdata/contracts
cache=${XDG_CACHE_HOME:-$HOME/.cache}/membench/contracts
py=${PYTHON:-python3.11}
clients=(
  mem0ai==2.2.1 mem0ai==1.0.11 letta-client==1.12.1 zep-cloud==3.30.0 zep-cloud==4.0.1
  supermemory==3.62.0 supermemory==5.0.1 memobase==0.0.27 cognee==1.6.5 memu-py==0.2.2
  MemoryOS==2.0.33 hindsight-client==1.1.0 everos==0.4.0
)
if [ ! -e "$cache/venv/.done" ]; then
  "$py" -m venv "$cache/venv"
  "$cache/venv/bin/pip" install -q httpx pydantic requests anyio distro sniffio typing-extensions aiohttp aiohttp-retry \
    python-dateutil urllib3 python-dotenv structlog concurrent-log-handler
  touch "$cache/venv/.done"
fi
mkdir -p "$out"
for client in "${clients[@]}"; do
  dir=$cache/$client
  if [ ! -d "$dir" ]; then
    # memu-py 0.2 says that it wants Python 3.12; its client runs on 3.11.
    "$cache/venv/bin/pip" install -q --no-deps --ignore-requires-python --target "$dir" "$client"
  fi
  "$cache/venv/bin/python" "$here/life.py" "$client" "$dir" "$out"
done
