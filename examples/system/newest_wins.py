#!/usr/bin/env python3
"""A memory system of an outsider's, as a program: it keeps what each side said, finds it
by shared words (pairs of characters in Chinese), and lets the newer of two equally good
ones go first. docs/adding-a-system.md walks through it. Standard library only."""
import json
import re
import sys


def words(text):
    text = text.lower()
    han = re.findall(r"[\u3400-\u9fff]{2}", text) + re.findall(r"(?<=[\u3400-\u9fff])[\u3400-\u9fff]{2}", text)
    return set(re.findall(r"[a-z0-9]+", text)) | set(han)


class NewestWins:
    def hello(self, protocol):
        return {"name": "newest-wins", "version": "1", "methods": ["reset", "ingest", "retrieve", "export", "drop"]}

    def reset(self, run, scope):
        self.items = []

    def ingest(self, turns, **_):
        first = len(self.items)
        for t in turns:
            self.items.append({"id": f"{len(self.items):06d}", "text": f"{t.get('name') or t['role']}: {t['text']}",
                               "turns": [t["id"]], "created_at": t.get("time", "")})
        return {"changes": [{"op": "ADD", "id": i["id"], "new": i["text"]} for i in self.items[first:]]}

    def retrieve(self, query, k, **_):
        asked = words(query)
        found = []
        for n, i in enumerate(self.items):
            shared = len(asked & words(i["text"]))
            if shared:
                found.append({"id": i["id"], "text": i["text"], "turns": i["turns"], "score": shared + n / (len(self.items) + 1)})
        return {"hits": sorted(found, key=lambda h: -h["score"])[:k]}

    def export(self):
        return {"items": self.items}

    def drop(self):
        self.items = []


memory = NewestWins()
for line in sys.stdin:
    r = json.loads(line)
    method = getattr(memory, r["method"], None) if r["method"] in memory.hello(1)["methods"] + ["hello"] else None
    if method is None:
        out = {"id": r["id"], "error": {"code": "unsupported", "message": r["method"]}}
    else:
        try:
            out = {"id": r["id"], "result": method(**r.get("params", {})) or {}}
        except Exception as err:
            out = {"id": r["id"], "error": {"message": f"{type(err).__name__}: {err}"}}
    print(json.dumps(out, ensure_ascii=False), flush=True)
