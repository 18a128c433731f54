#!/usr/bin/env python3
"""The least that membench can measure: a program with reset, ingest and answer."""
import json
import sys

kept = []


def reset(**_):
    kept.clear()


def ingest(content, **_):
    kept.extend(content.splitlines())


def answer(query, **_):
    """The line that shares most words with the question."""
    words = set(query.lower().split())
    best = max(kept, key=lambda line: len(words & set(line.lower().split())), default="")
    return {"answer": best}


for line in sys.stdin:
    request = json.loads(line)
    method = {"reset": reset, "ingest": ingest, "answer": answer}.get(request["method"])
    if method is None:
        out = {"id": request["id"], "error": {"code": "unsupported", "message": request["method"]}}
    else:
        out = {"id": request["id"], "result": method(**request["params"])}
    print(json.dumps(out), flush=True)
