#!/usr/bin/env python3
"""Checks the gold set: every reference resolves, every span lies in its text, ids,
halves and names are as the README says. Prints counts; exit 1 on any fault.

python3 check.py [--show]     --show prints each fact with its words (local use only)

Standard library only. MEMBENCH_SHARED names the folder "shared" (default: ../shared
relative to the repository root).
"""
import collections, json, os, re, sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import draw

faults = []


def fault(*a):
    faults.append(" ".join(str(x) for x in a))


def load(name):
    with open(os.path.join(HERE, name), encoding="utf-8", newline="") as f:
        raw = f.read()
    if not raw.endswith("\n") or "\r" in raw:
        fault(name, "must end in one newline and hold no CR")
    return [json.loads(l) for l in raw.split("\n")[:-1]]


def resolve(ev, cache={}):
    """text of the utterance by the event's own reference"""
    src = ev["source"]
    if src.startswith("shared:") and "#" in src:
        path, sample = src[7:].split("#")
        if src not in cache:
            with open(os.path.join(draw.SHARED, path), encoding="utf-8") as f:
                conv = [c for c in json.load(f) if c["sample_id"] == sample][0]["conversation"]
            cache[src] = {t["dia_id"]: t["text"] for k, s in conv.items()
                          if re.match(r"^session_\d+$", k) for t in s}
        return cache[src][ev["dia_id"]]
    path = os.path.join(draw.SHARED, src[7:]) if src.startswith("shared:") else os.path.join(HERE, src)
    if src not in cache:
        with open(path, encoding="utf-8", newline="") as f:
            cache[src] = f.read().split("\n")
    return draw.LINE.match(cache[src][ev["line"] - 1]).group(2)


def kind(ev):
    s = ev["source"]
    return "locomo" if "locomo" in s else "norm" if s.startswith("shared:") else "own-ops" if "oncall" in s else "own-chat"


def catalogue():
    """predicate -> negative, read from the white list without a YAML library"""
    out = {}
    path = os.path.join(draw.ROOT, "schema/catalog/catalog.yaml")
    if not os.path.exists(path):
        print("no catalogue at", path, "- predicate names not checked")
        return None
    with open(path, encoding="utf-8") as f:
        for m in re.finditer(r"^  ([A-Z_]+):\s+\{domain: \w+,.*?negative: (\w+)", f.read(), re.M):
            out[m.group(1)] = m.group(2)
    return set(out) | set(out.values())


def main():
    events, facts = load("events.jsonl"), load("facts.jsonl")
    preds = catalogue()
    drawn = [e for e, _, _ in draw.draw()]
    if [{k: e[k] for k in e if k not in ("tag", "tag_alt")} for e in events] != drawn:
        fault("events.jsonl is not what draw.py draws")
    text, by = {}, {}
    for e in events:
        if e["id"] in by:
            fault(e["id"], "twice")
        by[e["id"]] = e
        try:
            text[e["id"]] = resolve(e)
        except Exception as x:
            fault(e["id"], "does not resolve:", repr(x))
            continue
        tags = [e["tag"]] + e.get("tag_alt", [])
        if set(tags) - {"canon_only", "episodic", "filler"} or len(set(tags)) != len(tags):
            fault(e["id"], "tags", tags)
    ids, keys = set(), set()
    for f in facts:
        e = by.get(f["event"])
        if not e or f["event"] not in text:
            fault(f["id"], "unknown event")
            continue
        if f["id"] in ids:
            fault(f["id"], "twice")
        ids.add(f["id"])
        if (f["lang"], f["half"]) != (e["lang"], e["half"]):
            fault(f["id"], "lang or half differs from its event")
        if f["subject"] not in ("speaker", "addressee", "other") or type(f["certain"]) is not bool:
            fault(f["id"], "subject or certain")
        if f["expressible"]:
            ps = [f["predicate"]] + f.get("predicate_alt", [])
            if preds is not None and set(ps) - preds or "kind" in f or len(set(ps)) != len(ps):
                fault(f["id"], "predicates", ps)
        elif "predicate" in f or not re.match(r"^[a-z_]+$", f.get("kind", "")):
            fault(f["id"], "kind")
        if "same_as" in f and f["same_as"] not in ids - {f["id"]}:
            fault(f["id"], "same_as must name an earlier fact")
        if "object_span" not in f:
            fault(f["id"], "no object_span")
        for role in ("subject", "object"):
            spans = ([f[role + "_span"]] if role + "_span" in f else []) + f.get(role + "_alt", [])
            for s in spans:
                ok = len(s) == 2 and all(type(x) is int for x in s) and 0 <= s[0] < s[1] <= len(text[f["event"]])
                if not ok:
                    fault(f["id"], role, "bad span", s)
                elif text[f["event"]][s[0]:s[1]].strip() != text[f["event"]][s[0]:s[1]]:
                    fault(f["id"], role, "span has outer blanks", s)
            if len(set(map(tuple, spans))) != len(spans):
                fault(f["id"], role, "same span twice")
            if (role + "_name" in f) and not e["source"].startswith("texts/"):
                fault(f["id"], "a name for a local text")
        key = (f["event"], f.get("predicate"), f.get("kind"), f["subject"], tuple(f.get("subject_span", ())), tuple(f["object_span"]))
        if key in keys:
            fault(f["id"], "same fact twice")
        keys.add(key)
        if "--show" in sys.argv[1:]:
            t = text[f["event"]]
            print(f["id"], f["event"], f.get("predicate") or "x:" + f["kind"], f["subject"],
                  "|".join(t[a:b] for a, b in [f["object_span"]] + f.get("object_alt", [])), "" if f["certain"] else "(?)")
    half = {}
    for e in events:
        unit = e["source"] + (":" + e["dia_id"].split(":")[0] if "dia_id" in e else "")
        if half.setdefault(unit, e["half"]) != e["half"]:
            fault(unit, "in both halves")

    facts, twins = [f for f in facts if "same_as" not in f], [f for f in facts if "same_as" in f]
    print("events: %d  facts: %d (and %d other wordings)  expressible: %d (certain %d)" % (
        len(events), len(facts), len(twins), sum(f["expressible"] for f in facts),
        sum(f["expressible"] and f["certain"] for f in facts)))
    rows = collections.OrderedDict()
    for e in events:
        r = rows.setdefault((kind(e), e["lang"], e["half"]), collections.Counter())
        r["events"] += 1
        r[e["tag"]] += 1
    for f in facts:
        e = by[f["event"]]
        r = rows[(kind(e), e["lang"], e["half"])]
        r["facts"] += 1
        r["expr" if f["expressible"] else "not"] += 1
        r["expr_certain"] += f["expressible"] and f["certain"]
    cols = ["events", "canon_only", "episodic", "filler", "facts", "expr", "expr_certain", "not"]
    fmt = "%-9s %-4s %-5s" + " %12s" * len(cols)
    print(fmt % tuple(["source", "lang", "half"] + cols))
    for k in sorted(rows):
        print(fmt % (k + tuple(rows[k][c] for c in cols)))
    for i, label in ((1, "lang"), (2, "half"), (None, "all")):
        tot = collections.defaultdict(collections.Counter)
        for k, r in rows.items():
            tot[k[i] if i else "all"].update(r)
        for k in sorted(tot):
            print(fmt % ((label, k if i == 1 else "", k if i == 2 else "") + tuple(tot[k][c] for c in cols)))
    print("predicates:", dict(collections.Counter(f["predicate"] for f in facts if f["expressible"]).most_common()))
    print("kinds:", dict(collections.Counter(f["kind"] for f in facts if not f["expressible"]).most_common()))
    for x in faults:
        print("FAULT", x)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
