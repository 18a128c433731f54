"""Runs the existing Python chain of seed 004, as it stood on the schema's day, over one
folder of generated rows, for TestPythonChain.

    chain.py CHECKOUT IN OUT

CHECKOUT is a checkout of XnneHangLab/XnneHangLab at 21c5c497 (`git archive 21c5c497
memory_bench` is enough). IN holds exports.jsonl and by_conv/; OUT gets the chain's own
records in the layouts that it writes, each file sorted by id: memory.nodes, memory.edges,
entities, claims, claims.nodes, claims.edges. Listed departures are made here, so that all else can be compared byte for byte
(docs/deviations.md): no state database, which drops the second record of one text
(to-graph 1); the records of one run come in the order of their instants instead of that
of the file (2); a point's id stands in properties as it was given, an integer or null,
and a null is no text in names (6); evidence that was merged or sorted has all its members (compile-claims 12).
"""

import json
import logging
import sys
from collections import defaultdict
from datetime import datetime, timezone
from pathlib import Path

checkout, source, out = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
sys.path.insert(0, checkout)
logging.disable(logging.CRITICAL)
from memory_bench.scripts import claims_to_graph, compiled_claims, mem0_to_graph  # noqa: E402


def instant(text):
    try:
        t = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return (1, 0)
    return (0, (t if t.tzinfo else t.replace(tzinfo=timezone.utc)).timestamp())


def write(name, rows, key, **layout):
    with (out / name).open("w", encoding="utf-8") as f:
        for row in sorted(rows, key=key):
            f.write(json.dumps(row, ensure_ascii=False, **layout) + "\n")


MEMBERS = ("memory_item_id", "point_id", "conv_id", "scene_id", "created_at", "text")


def by_id(row):
    return row["id"]


def memory_graph():
    stats, meta, records = defaultdict(int), {"warnings_truncated": False, "warnings_count_total_estimate": 0}, []
    with (source / "exports.jsonl").open(encoding="utf-8") as f:
        for n, line in enumerate(f, 1):
            if r := mem0_to_graph.parse_record(line, n, source, False, stats, [], 0, meta):
                point = json.loads(line)["id"]
                if point is None:
                    r.source_point_id = ""
                at = instant(r.payload.get("created_at"))
                records.append((at, isinstance(point, int), r.source_point_id, r.exported_at, n, r, point))
    nodes, edges = {}, {}
    for *_, r, point in sorted(records, key=lambda r: r[:5]):
        ns, es = mem0_to_graph.build_graph_from_record(r, stats)
        for n in ns:
            if "point_id" in n["props"]:
                n["props"]["point_id"] = point
            nodes.setdefault(n["id"], n)
        for e in es:
            e["props"]["source_point_id"] = point
            edges.setdefault(e["id"], e)
    write("memory.nodes", nodes.values(), by_id)
    write("memory.edges", edges.values(), by_id)


def claims_graph():
    entities, claims, rewritten = {}, {}, set()
    for path in sorted((source / "by_conv").glob("*.jsonl")):
        for row in compiled_claims.read_jsonl(path):
            if row["record_type"] == "entity":
                compiled_claims.merge_entities(entities, row)
            else:
                compiled_claims.merge_claims(claims, row)
                if claims[row["claim_id"]]["evidence"] != row["evidence"]:
                    rewritten.add(row["claim_id"])
    compact = {"separators": (",", ":")}
    entities = sorted(entities.values(), key=lambda r: (r["entity_type"], r["entity_id"]))
    claims = sorted(claims.values(), key=lambda r: (r["domain"], r["predicate"], r["claim_id"]))
    g = claims_to_graph.build_graph(entities, claims, rewrite_user_id=False, benchmark_user_id="", emit_shortcut_predicate_edges=False)
    write("claims.nodes", g.nodes, by_id)
    write("claims.edges", g.edges, by_id)
    for c in (c for c in claims if c["claim_id"] in rewritten):
        c["evidence"] = [{m: e.get(m) or "" for m in MEMBERS} for e in c["evidence"]]
    write("entities", entities, lambda _: 0, **compact)
    write("claims", claims, lambda _: 0, **compact)


out.mkdir(parents=True, exist_ok=True)
memory_graph()
claims_graph()
