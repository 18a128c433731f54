#!/usr/bin/env python3
"""A memory system for membench as a program: it keeps turns and finds them by shared
terms (words, and pairs of Chinese characters). One JSON object a line comes in on
standard input, one goes out on standard output; words go to standard error.

Wrap a library by filling in the methods; leave out of METHODS what it cannot do."""
import hashlib
import json
import re
import sys

METHODS = ["reset", "ingest", "retrieve", "answer", "export", "drop"]


def terms(text):
    text = text.lower()
    words = set(re.findall(r"[a-z0-9]+", text))
    for run in re.findall(r"[\u3400-\u9fff\U00020000-\U0003ffff]+", text):
        words.update(run[i : i + 2] for i in range(max(1, len(run) - 1)))
    return words


class Memory:
    def hello(self, protocol):
        return {"name": "shared-terms", "version": "1", "methods": METHODS}

    def reset(self, run, scope):
        self.items = []

    def ingest(self, turns, user_id="", **_):
        changes = []
        for t in turns:
            if not t["text"].strip():
                continue
            i = hashlib.md5(f"{len(self.items)}/{t['text']}".encode()).hexdigest()
            item = {"id": i, "text": t["text"], "turns": [t["id"]], "created_at": t.get("time", "")}
            self.items.append(item)
            changes.append({"op": "ADD", "id": i, "new": t["text"]})
        return {"changes": changes}

    def retrieve(self, query, k, **_):
        q = terms(query)
        hits = []
        for item in self.items:
            n = len(q & terms(item["text"]))
            if n:
                hits.append({"id": item["id"], "text": item["text"], "turns": item["turns"], "score": n / len(q)})
        hits.sort(key=lambda h: (-h["score"], h["id"]))
        return {"hits": hits[:k]}

    def answer(self, query, k, **rest):
        hits = self.retrieve(query, k, **rest)["hits"]
        return {"answer": hits[0]["text"] if hits else "", "hits": hits[:1]}

    def export(self):
        return {"items": self.items}

    def drop(self):
        self.items = []


def main():
    memory = Memory()
    for line in sys.stdin.buffer:
        request = json.loads(line)
        answer = {"id": request["id"]}
        try:
            method = getattr(memory, request["method"], None)
            if method is None:
                answer["error"] = {"code": "unsupported", "message": request["method"]}
            else:
                answer["result"] = method(**request["params"])
        except Exception as e:  # the system failed, the protocol did not
            answer["error"] = {"code": "failed", "message": f"{type(e).__name__}: {e}"}
        sys.stdout.buffer.write(json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
