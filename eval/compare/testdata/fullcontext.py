"""Writes fullcontext.json: what statsmodels says of the four full-context runs of locomo_recorded.

v/bin/python fullcontext.py ../shared/data/locomo_recorded > fullcontext.json    (figures only)
"""
import json, sys, itertools
from statsmodels.stats.proportion import proportion_confint
from statsmodels.stats.inter_rater import fleiss_kappa

runs = ["fullcontext_gpt-4.1-mini-cot", "fullcontext_gpt-4.1-mini-memos", "fullcontext_gpt-4o-mini-cot", "fullcontext_gpt-4o-mini-memos"]
rows = {r: {d["question_id"]: d for d in map(json.loads, open(f"{sys.argv[1]}/{r}.jsonl"))} for r in runs}
ok = lambda d: sum(d["judgments"]) >= 2
out = {"runs": [], "pairs": []}
for r in runs:
    k, n = sum(map(ok, rows[r].values())), len(rows[r])
    lo, hi = proportion_confint(k, n, method="wilson")
    votes = [[sum(d["judgments"]), 3 - sum(d["judgments"])] for d in rows[r].values()]
    out["runs"].append({"run": r, "k": k, "n": n, "lo": lo, "hi": hi, "fleiss": fleiss_kappa(votes)})
for a, b in itertools.combinations(runs, 2):
    for cat in [None, 1, 2, 3, 4]:
        ids = [q for q in rows[a] if cat in (None, int(rows[a][q]["category"]))]
        w = sum(ok(rows[a][q]) and not ok(rows[b][q]) for q in ids)
        l = sum(ok(rows[b][q]) and not ok(rows[a][q]) for q in ids)
        out["pairs"].append({"a": a, "b": b, "category": str(cat or ""), "n": len(ids), "wins": w, "losses": l})
print(json.dumps(out, indent=1))
