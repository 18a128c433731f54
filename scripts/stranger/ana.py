#!/usr/bin/env python3
import json,sys,os,collections
from faults import TEXT, X
def load(p): return [json.loads(l) for l in open(p)] if os.path.exists(p) else []
seeds=sys.argv[1].split(","); faults=sys.argv[2:] or list(X)
BASE=os.environ.get("BASE","none-1"); base={r["question_id"]:r for r in load(f"runs/{BASE}/qa_records.jsonl")}
def right(r): return r["outcome"]=="answered" and any(g["protocol"].startswith("rule") and (g["score"] or 0)>=.5 for g in r["grades"])
def first(f,L): # of two faults the first that hit this turn
    for p in f.split("+"):
        if any(l.get("part")==p or "part" not in l and p[2:] not in TEXT and ("query" in l)==(p[0] in "rc") for l in L): return p
    return f
tot=[0,0,0];lang=collections.defaultdict(lambda:[0,0,0]);rows=[]; ex={}
for f in faults:
    n=h=k=miss=unexpl=wrongother=0; said=collections.Counter(); exs=[]
    for s in seeds:
        log=collections.defaultdict(list)
        for l in load(f"log/{f}-{s}.jsonl"): log[l["turn"]].append(l)
        for r in load(f"runs/{f}-{s}/qa_records.jsonl"):
            if r["outcome"]=="answered" and right(r): continue
            if not right(base[r["question_id"]]): continue
            ev=[f'{e["conv_id"]}:{e["turn_id"]}' for e in r["evidence"]]
            SC=r["evidence"][0]["conv_id"]
            L=[l for e in ev for l in log.get(e,[]) if l.get("query",r["question"])==r["question"]]
            if f=="s_fail" and not L: L=[l for v in log.values() for l in v if l["scope"]==SC]
            if not L: wrongother+=1; continue
            a=r.get("attribution")
            if not a: unexpl+=1; said[f'({r["outcome"]}, not explained)']+=1; continue
            n+=1; H,K,_=X[first(f,L)]; kd=a.get("kind","-"); ho=a["hop"] in H; ko=kd in K
            h+=ho; z=lang["zh" if "-zh-" in r["question_id"] else "en"]; z[0]+=1; z[1]+=ho; z[2]+=ho and ko; k+=ho and ko; said[a["hop"]+"/"+kd]+=1
            if not(ho and ko): exs.append((r,L[0],a))
    rows.append((f,n,h,k,unexpl,wrongother,said)); ex[f]=exs
    tot=[tot[0]+n,tot[1]+h,tot[2]+k]
md="| fault | expected hop / kinds | n | hop right % | hop+kind right % | it said (most frequent) | not expl. | failed, not hit |\n|---|---|--:|--:|--:|---|--:|--:|\n"
for f,n,h,k,u,w,s in rows:
    q=lambda x: f"{100*x/n:.0f}" if n else "–"
    md+=f"| {f}: {X[f][2]} | {'/'.join(X[f][0])}: {', '.join(X[f][1])} | {n} | {q(h)} | {q(k)} | {', '.join(f'{a} {b}' for a,b in s.most_common(4))} | {u} | {w} |\n"
n,h,k=tot
act=[r for r in rows if r[1]]
md+=f"\nOverall {len(act)} faults with failures, n={n}: hop right {h} = {100*h/max(n,1):.1f} %, hop and kind right {k} = {100*k/max(n,1):.1f} %; mean over faults: hop {100*sum(r[2]/r[1] for r in act)/max(1,len(act)):.1f} %, hop and kind {100*sum(r[3]/r[1] for r in act)/max(1,len(act)):.1f} %\n"
md+=f"By language (n, hop, hop+kind): "+"; ".join(f"{l}: {v[0]}, {100*v[1]/v[0]:.1f} %, {100*v[2]/v[0]:.1f} %" for l,v in sorted(lang.items()))+"\n"
open("table.md","w").write(md); print(md)
out=open("misses.txt","w")
for f in faults:
    for r,l,a in ex[f][:400]: out.write(f'{f}\t{r["question_id"]}\tQ {r["question"]} GOLD {r["gold"]}\n   turn  {l["text"]}\n   got   {l["got"]}\n   answer {r["answer"][:160]}\n   said  {a["hop"]}/{a.get("kind","-")} {a.get("cause","-")}: {a["reason"]}  marked={a.get("marked","")}\n')
