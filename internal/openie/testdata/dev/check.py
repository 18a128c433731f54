#!/usr/bin/env python3
"""Checks the development corpus: python3 check.py (exit 1 on any fault); prints the counts."""
import collections
import json
import pathlib
import re
import sys

here = pathlib.Path(__file__).resolve().parent
catalog = (here / "../../../../schema/catalog/catalog.yaml").resolve().read_text(encoding="utf-8")
pairs = re.findall(r"^  ([A-Z_]+): +\{domain: (\w+),.*?negative: ([A-Z_]+)", catalog, re.M)
domain = {p: d for pos, d, neg in pairs for p in (pos, neg)}
positive = {pos for pos, _, _ in pairs}
faults = []


def fold(s):
    return s.casefold().replace("’", "'")


def check(where, row, ops):
    def bad(msg):
        faults.append(f"{where}: {msg}")

    if set(row) - {"text", "speaker", "claims", "context"} or not row.get("text", "").strip():
        return bad("keys or empty text")
    if row["speaker"] not in ("user", "agent") or not isinstance(row["claims"], list):
        return bad("speaker or claims")
    text, context = fold(row["text"]), fold(row.get("context", ""))
    seen = set()
    for c in row["claims"]:
        extra = set(c) - {"predicate", "subject", "subject_alt", "object", "object_alt", "rank", "inferred", "or"}
        if extra or not c.get("object"):
            bad(f"claim keys {extra}")
        for p in [c["predicate"]] + [o["predicate"] for o in c.get("or", [])]:
            if p not in domain:
                bad(f"unknown predicate {p}")
            elif (domain[p] == "ops") != ops:
                bad(f"{p} is not for this file")
        obj = fold(c["object"])
        setting = c["predicate"].endswith("_SETTING") and "=" in obj
        found = all(part in text for part in obj.split("=", 1)) if setting else obj in text
        if found == bool(c.get("inferred")):
            bad(f"object {c['object']!r}: in text {found}, marked inferred {bool(c.get('inferred'))}")
        if ops:
            if c["subject"] == "context":
                if not any(fold(s) in context for s in c.get("subject_alt", [])):
                    bad("subject 'context' without its name in the context")
            elif fold(c["subject"]) not in text:
                bad(f"subject {c['subject']!r} not in text")
        elif c["subject"] not in ("speaker", "addressee"):
            bad(f"subject {c['subject']!r}")
        if "rank" in c and (type(c["rank"]) is not int or c["predicate"] not in positive):
            bad("rank")
        key = (c["predicate"], c["subject"], obj)
        if key in seen:
            bad(f"claim twice: {key}")
        seen.add(key)


texts = set()
for name in ("zh", "en", "ops"):
    rows = with_claim = claims = 0
    by = collections.Counter()
    for n, line in enumerate((here / f"{name}.jsonl").read_text(encoding="utf-8").splitlines(), 1):
        try:
            row = json.loads(line)
        except ValueError as e:
            faults.append(f"{name}:{n}: {e}")
            continue
        check(f"{name}:{n}", row, name == "ops")
        key = (row["text"], row.get("context"))
        if key in texts:
            faults.append(f"{name}:{n}: utterance twice")
        texts.add(key)
        rows, with_claim, claims = rows + 1, with_claim + bool(row["claims"]), claims + len(row["claims"])
        by.update(c["predicate"] for c in row["claims"])
    print(f"{name}: {rows} utterances, {with_claim} with a claim ({100 * with_claim // max(rows, 1)} %), {claims} claims")
    print("   " + ", ".join(f"{p} {k}" for p, k in sorted(by.items())))
    missing = [p for p in domain if (domain[p] == "ops") == (name == "ops") and not by[p]]
    if missing:
        print("   none of: " + ", ".join(missing))
for f in faults:
    print("FAULT", f)
sys.exit(1 if faults else 0)
