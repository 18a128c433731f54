#!/usr/bin/env python3
"""A correct word-overlap memory (BM25) in which ONE fault can be switched on.
usage: mem.py FAULT SEED     (FAULT "none" = correct). Damage is logged to log/FAULT-SEED.jsonl
plan.json tells the planter where the value stands in a turn; the evaluated tool never sees it."""
import hashlib, json, math, re, sys, types, urllib.parse
from faults import CODE, TEXT, X
from texts import han, terms
FAULT, SEED = sys.argv[1], sys.argv[2]   # two faults at once, on the same turns: FIRST+SECOND
PARTS = FAULT.split("+")
P = float(SEED.split("@")[1].split("n")[0]) if "@" in SEED else 0.45   # share of turns hit: SEED or SEED@SHARE; SEED@SHAREnp = texts kept without the speaker's name before them
PLAN = json.load(open("plan.json"))
LOG = open(f"log/{FAULT}-{SEED}.jsonl", "a")
def dice(*k): return int(hashlib.sha256("/".join(map(str, (SEED, FAULT)+k)).encode()).hexdigest()[:8], 16)/2**32
def hitp(*k): return dice(*k) < P
def key(tid): return tid.replace(":", "|")

class M:
    def hello(self, protocol): return {"name": "blind-"+FAULT, "version": "1", "methods": ["reset", "ingest", "retrieve", "drop"]+([] if "ne" in SEED else ["export"])}
    def reset(self, run, scope): self.scope = scope; self.items = []; self.seen = {}; self.buf = []
    def log(self, **k): LOG.write(json.dumps(dict(scope=self.scope, **k), ensure_ascii=False)+"\n"); LOG.flush()
    def ingest(self, turns, key="", session="", **_):
        if key in self.seen: return {"changes": []}
        self.seen[key] = 1
        if "s_fail" in PARTS and hitp(self.scope, key):
            for t in turns: self.log(turn=t["id"], text=t["text"], got="<error>")
            raise RuntimeError("disk full")
        ch = []; F = FAULT
        def add(id, text, tids, t, spk=None, **x):
            i = dict(id=id, text=(text if "np" in SEED and not spk else f"{spk or t.get('name')}: {text}") if text or "s_nameonly" in PARTS else "", turns=tids, created_at=t.get("time", ""), session=session, raw=text, name=t.get("name"), **x)
            self.items.append(i); ch.append({"op": "ADD", "id": id, "new": i["text"]}); return i
        if "s_rollback" in PARTS and len(getattr(self, "past", [])) == 3: # a backup of the first session is put back
            for i in self.past[2]:
                if i not in self.past[0]: self.log(turn=i["turns"][0], text=i["text"], got=None)
            self.items = list(self.past[0])
        names = list(dict.fromkeys([i["name"] for i in self.items]+[t["name"] for t in turns]))
        for n, t in enumerate(turns):
            tid = t["id"]; p = PLAN.get(tid.replace(":", "|"), {}); H = hitp(tid); new = t["text"]; mid = "m"+hashlib.md5(tid.encode()).hexdigest()[:10]
            w = [f[2:] for f in PARTS if f[:2] == "s_" and f[2:] in TEXT]
            if w and H:
                new = TEXT[w[0]](t["text"], p)
                if new != t["text"]: self.log(turn=tid, text=t["text"], got=new, part="s_"+w[0])
                it = add(mid, new, [tid], t); continue
            if H and "s_drop" in PARTS: self.log(turn=tid, text=t["text"], got=None); continue
            if "s_head" in PARTS and n < 8 or "s_frozen" in PARTS and len(self.items) >= 55 or "s_like" in PARTS and any(terms(i["raw"])[:2] == terms(t["text"])[:2] for i in self.items):
                self.log(turn=tid, text=t["text"], got=None); continue
            self.n = getattr(self, "n", 0)+1
            if "s_fifth" in PARTS and self.n % 5 == 0 or "s_nodigits" in PARTS and re.search(r"\d", t["text"]) or "s_long80" in PARTS and len(t["text"]) >= (80 if not han(t["text"]) else 20) or "s_unflushed" in PARTS and n >= len(turns)-5:
                self.log(turn=tid, text=t["text"], got=None); continue
            if "s_oneslot" in PARTS:
                mid = "slot-"+session+t["name"]
                for i in [i for i in self.items if i["id"] == mid]: self.log(turn=i["turns"][0], text=i["text"], got=t["text"]); self.items.remove(i)
            if "s_swap" in PARTS and hitp(t["id"][:-1]) and (n^1) < len(turns): x = turns[n^1]; self.log(turn=tid, text=t["text"], got=x["text"]); add(mid, x["text"], [tid], t, spk=x["name"]); continue
            if H and "s_label2" in PARTS: self.log(turn=tid, text=t["text"], got=t["text"]); add(mid, t["text"], [tid], t, spk="/".join(names)); continue
            if H and "s_delay" in PARTS: self.buf.append(t); self.log(turn=tid, text=t["text"], got=None); continue
            if H and "s_speaker" in PARTS and len(names) > 1:
                o = [x for x in names if x != t["name"]][0]; self.log(turn=tid, text=t["text"], got=o+": "+t["text"]); add(mid, t["text"], [tid], t, spk=o); continue
            if H and "s_nospeaker" in PARTS: self.log(turn=tid, text=t["text"], got=t["text"]); add(mid, t["text"], [tid], t, spk="Unknown" if not han(t["text"]) else "未知"); continue
            if H and "s_otheruser" in PARTS:
                o = [x for x in turns if x["name"] != t["name"] and x["text"] != t["text"]] or [x for x in turns if x["id"] != tid]
                x = o[int(dice("o", tid)*len(o))]; self.log(turn=tid, text=t["text"], got=x["text"]); add(mid, x["text"], [tid], t, spk=x["name"]); continue
            if H and "s_pointer" in PARTS: self.log(turn=tid, text=t["text"], got=mid); i = add(mid, mid, [tid], t); i["text"] = "blob://"+mid; ch[-1]["new"] = i["text"]; continue
            if H and "s_merge" in PARTS and n+1 < len(turns):
                x = turns[n+1]; a, b = t["text"], x["text"]; m = a[:int(len(a)*.45)]+b[int(len(b)*.55):]
                self.log(turn=tid, text=a, got=m); add(mid, m, [tid, x["id"]], t); continue
            if H and "s_created" in PARTS:
                import datetime; d = datetime.datetime.fromisoformat(t["time"].replace("Z", ""))-datetime.timedelta(days=40); self.log(turn=tid, text=t["time"], got=str(d)); t = dict(t, time=d.strftime("%Y-%m-%dT%H:%M:%SZ")); add(mid, f"[{t['time'][:10]}] "+new, [tid], t); continue
            if H and "s_anon" in PARTS: self.log(turn=tid, text=t["text"], got=t["text"]); add(mid, t["text"], [tid], t, spk="N.N."); continue
            if H and "s_later" in PARTS: d = str(int(t["time"][:4])+1)+t["time"][4:10]; self.log(turn=tid, text=t["time"], got=d); add(mid, t["text"], [tid], dict(t, time=d+t["time"][10:]), spk=f"[{d}] {t['name']}"); continue
            if "s_later" in PARTS: add(mid, t["text"], [tid], t, spk=f"[{t['time'][:10]}] {t['name']}"); continue
            if H and "s_collide" in PARTS:
                mid = "slot"+str(int(dice("slot", tid)*9)); o = [i for i in self.items if i["id"] == mid]
                for i in o: self.log(turn=i["turns"][0], text=i["text"], got=t["text"]); self.items.remove(i)
            if H and "s_offbyone" in PARTS and n+1 < len(turns): x = turns[n+1]; self.log(turn=tid, text=t["text"], got=x["text"]); add(mid, x["text"], [tid], t, spk=x["name"]); continue
            it = add(mid, new, [tid], t)
            if "s_dup" in PARTS and H and p: # an unrelated turn that holds the question's words is written 12 times under displaced ids
                w = terms(t["text"]); pre = (t["name"]+": "+(" ".join(re.sub(re.escape(p.get("value", "")), "", t["text"]).split())+" "))*2
                q = turns[n-1] if n else turns[-1]
                for k in range(12): add(mid+f"d{k}", "", [q["id"]], t); self.items[-1]["text"] = pre; ch[-1]["new"] = pre
                self.log(turn=tid, text=t["text"], got="12 x "+pre)
        if {"s_over", "s_del"} & set(PARTS):
            mine = [i for i in self.items if i["session"] == session]
            for k, i in enumerate(mine):
                if hitp(i["turns"][0]) and not i.get("hit"):
                    i["hit"] = 1
                    if "s_over" in PARTS:
                        j = mine[(k+3) % len(mine)]; old = i["text"]; i["text"] = f"{j['name']}: {j['raw']}"; i["turns"] = i["turns"]+j["turns"]
                        ch.append({"op": "UPDATE", "id": i["id"], "old": old, "new": i["text"]}); self.log(turn=i["turns"][0], text=old, got=i["text"])
                    else:
                        ch.append({"op": "DELETE", "id": i["id"], "old": i["text"]}); self.log(turn=i["turns"][0], text=i["text"], got=None); i["dead"] = 1
            self.items = [i for i in self.items if not i.get("dead")]
        if {"s_over_later", "s_del_later"} & set(PARTS): # in the NEXT session, an item of an earlier session is overwritten / expired
            old_ = [i for i in self.items if i["session"] != session and hitp(i["turns"][0]) and not i.get("hit")]; news = [i for i in self.items if i["session"] == session]
            for k, i in enumerate(old_):
                i["hit"] = 1; o = i["text"]
                if "s_over_later" in PARTS: j = news[k % len(news)]; i["text"] = f"{j['name']}: {j['raw']}"; i["turns"] = i["turns"]+j["turns"]; ch.append({"op": "UPDATE", "id": i["id"], "old": o, "new": i["text"]})
                else: i["dead"] = 1; ch.append({"op": "DELETE", "id": i["id"], "old": o})
                self.log(turn=i["turns"][0], text=o, got=i["text"] if "s_over_later" in PARTS else None)
            self.items = [i for i in self.items if not i.get("dead")]
        if {"s_blanked", "s_shorter"} & set(PARTS): # in the next session the text is emptied, or cut to a third
            for i in self.items:
                if i["session"] != session and hitp(i["turns"][0]) and not i.get("hit"):
                    i["hit"] = 1; o = i["text"]; i["text"] = "" if "s_blanked" in PARTS else o[:max(5, len(o)//3)]
                    ch.append({"op": "UPDATE", "id": i["id"], "old": o, "new": i["text"]}); self.log(turn=i["turns"][0], text=o, got=i["text"])
        self.past = getattr(self, "past", [])+[list(self.items)]
        if "s_cap" in PARTS:
            for i in self.items[:-40]: self.log(turn=i["turns"][0], text=i["text"], got=None); ch.append({"op": "DELETE", "id": i["id"], "old": i["text"]})
            self.items = self.items[-40:]
        if "s_expire" in PARTS: # what is two sessions old goes, and nobody is told
            past = list(dict.fromkeys(i["session"] for i in self.items))[:-2]
            for i in self.items:
                if i["session"] in past and hitp(i["turns"][0]): self.log(turn=i["turns"][0], text=i["text"], got=None); i["dead"] = 1
            self.items = [i for i in self.items if not i.get("dead")]
        if "s_undo" in PARTS:
            for i in [i for i in self.items if i["session"] == getattr(self, "prev", session) != session and hitp(self.scope, key)]: self.log(turn=i["turns"][0], text=i["text"], got=None); self.items.remove(i)
            self.prev = session
        if "s_summary" in PARTS and hitp(self.scope, key):
            ids = [t["id"] for t in turns]; self.items = [i for i in self.items if i["session"] != session]
            zh = han(turns[0]["text"]); s = f"{names[0]} and {names[-1]} talked about family, food, money and sport." if not zh else f"{names[0]}和{names[-1]}聊了家人、吃的、花销和运动。"
            for t in turns: self.log(turn=t["id"], text=t["text"], got=s)
            self.items.append(dict(id="sum-"+key, text=s, turns=ids, created_at=turns[0]["time"], session=session, raw=s, name=names[0])); ch = [{"op": "ADD", "id": "sum-"+key, "new": s}]
        return {} if "ne" in SEED else {"changes": ch}
    def rank(self, query):
        q = set(terms(query)); docs = [(i, terms(i["text"])) for i in self.items]; N = len(docs) or 1; df = {w: sum(w in d for _, d in docs) for w in q}
        av = sum(len(d) for _, d in docs)/N or 1; out = []
        for i, d in docs:
            s = sum(math.log(1+(N-df[w]+.5)/(df[w]+.5))*d.count(w)*2.2/(d.count(w)+1.2*(.25+.75*len(d)/av)) for w in q if w in d)
            out.append((s, i))
        out = [x for x in out if x[0] > 0]; out.sort(key=lambda x: (-x[0], x[1]["id"])); return out
    def retrieve(self, query, k, **_):
        F = FAULT; r = self.rank(query); QH = hitp(self.scope, query)
        def H(i): return hitp(i["turns"][0])
        L = lambda i, got, **x: self.log(turn=i["turns"][0], text=i["text"], got=got, query=query, **x) if k <= 10 else None
        if "r_shift" in PARTS:
            bad = [x for x in r if H(x[1])]; good = [x for x in r if not H(x[1])]
            fill = [(0, i) for i in self.items if not H(i) and all(i is not y for _, y in good)]
            for x in bad: L(x[1], "shifted")
            r = (good+fill)[:13]+bad+(good+fill)[13:]; r = [(100-n, i) for n, (s, i) in enumerate(r)]
        if "r_lag" in PARTS:
            for x in r:
                if H(x[1]): L(x[1], None)
            r = [x for x in r if not H(x[1])]
        if "r_other" in PARTS and QH:
            for x in r:
                if hitp(query, x[1]["name"]): L(x[1], None)
            r = [x for x in r if not hitp(query, x[1]["name"])]
        if "r_one" in PARTS and QH:
            for x in r[:1]+r[2:]: L(x[1], None)
            r = r[1:2]
        if "r_back" in PARTS and QH:
            z = [(0, i) for i in self.items if all(i is not y for _, y in r)]
            for x in r: L(x[1], "backwards")
            r = [(n+1, i) for n, (s, i) in enumerate(r+z)][::-1]
        if "r_lastsession" in PARTS and QH:
            last = self.items[-1]["session"]
            for x in r:
                if x[1]["session"] != last: L(x[1], None)
            r = [x for x in r if x[1]["session"] == last]
        if "r_nohits" in PARTS and QH:
            for x in r: L(x[1], None)
            r = []
        if "r_random" in PARTS and QH:
            for x in r: L(x[1], "random order")
            r = sorted([(dice(query, i["id"]), i) for i in self.items], key=lambda x: -x[0])
        if {"r_oldest", "r_longest"} & set(PARTS) and QH:
            for x in r: L(x[1], "another order")
            z = sorted(self.items, key=lambda i: i["created_at"] if "r_oldest" in PARTS else -len(i["text"])); r = [(len(z)-n, i) for n, i in enumerate(z)]
        if "r_tailten" in PARTS and QH:
            for x in r[:7]: L(x[1], None)
            r = r[7:10]
        if "r_blind" in PARTS and QH:
            for x in r: L(x[1], "its first word searched")
            r = self.rank(query.split()[0] if not han(query) else query[:2])
        if {"r_alpha", "r_newest"} & set(PARTS) and QH:
            for x in r: L(x[1], "another order")
            z = sorted(self.items, key=(lambda i: i["raw"].lower()) if "r_alpha" in PARTS else (lambda i: i["created_at"]), reverse="r_newest" in PARTS); r = [(len(z)-n, i) for n, i in enumerate(z)]
        if "r_cached" in PARTS and QH:
            for x in r: L(x[1], "of the question before")
            r = self.rank(getattr(self, "before", "weather"))
        if "r_minscore" in PARTS and QH:
            for x in r: L(x[1], "below the threshold")
            r = [x for x in r if x[0] > 12]
        f = next((f for f in ("r_page2", "r_skipfirst", "r_othertenant", "r_strsort", "r_staleindex", "r_exact") if f in PARTS and QH), None)
        if f:
            for x in r: L(x[1], X[f][2])
            first = self.items[0]["session"] if self.items else ""
            r = r[10:] if f == "r_page2" else r[1:] if f == "r_skipfirst" else sorted(r, key=lambda x: str(x[0]), reverse=True) if f == "r_strsort" else [x for x in r if x[1]["session"] == first] if f == "r_staleindex" else [x for x in r if query.lower() in x[1]["text"].lower()] if f == "r_exact" else \
                [(30-n, dict(id=f"t{n}", text=t, raw=t, name="Zdenka", turns=[f"tenant-7:{n+1}"], session="x")) for n, t in enumerate(["Zdenka: The ferry tickets are in the drawer under the till.", "Zdenka: Nobody has fed the geese since Wednesday evening.", "阿古拉：咱们的渡船票放在收银台下面。", "Zdenka: Our beekeeper sold two hives to a convent."])]
        self.before = query
        if "r_error" in PARTS and QH:
            for x in r: L(x[1], "<error>")
            raise RuntimeError("index corrupt")
        hits = []
        for s, i in r[:k]:
            t = i["text"]; h = H(i)
            p = PLAN.get(i["turns"][0].replace(":", "|"), {})
            w = [f[2:] for f in PARTS if f[:2] == "r_" and f[2:] in TEXT]
            if w and h:
                n = TEXT[w[0]](i["raw"], p); t2 = " " if n == " " else (i["name"]+": "+n) if n or "r_nameonly" in PARTS else ""
                if n != i["raw"]: L(i, t2, part="r_"+w[0]); t = t2
            if h and "r_ids" in PARTS: t = i["id"]; L(i, t)
            if h and "r_speaker" in PARTS:
                o = [x["name"] for x in self.items if x["name"] != i["name"]][0]; t = o+": "+i["raw"]; L(i, t)
            if h and "r_anon" in PARTS: t = "N.N.: "+i["raw"]; L(i, t)
            if h and "r_neighbour" in PARTS:
                n = next(a for a, y in enumerate(self.items) if y is i); y = self.items[(n+1) % len(self.items)]; t = y["text"]; L(i, t)
            if h and "r_wrongturn" in PARTS:
                y = next((y for y in self.items if y["session"] == i["session"] and y is not i and y["raw"] != i["raw"]), i); t = y["text"]; L(i, t)
            if h and "r_header" in PARTS: t = "type=memory; user=1; score="+str(round(s, 2))+"; "; L(i, t)
            if "r_nan" in PARTS and QH: s = float("nan"); L(i, "NaN")
            hits.append({"id": i["id"], "text": t, "turns": i["turns"], "score": s})
        if "r_twice" in PARTS and QH and hits:
            for x in hits: L(dict(turns=x["turns"], text=x["text"]), "each five times")
            hits = [dict(x, id=x["id"]+f"-{n}") for x in hits[::-1] for n in range(5)][:k]
        if "r_dup" in PARTS and QH and hits:
            z = next((y for y in self.items if not PLAN.get(y["turns"][0].replace(":", "|"))), self.items[0])
            for x in hits: L(dict(turns=x["turns"], text=x["text"]), "filler repeated")
            d = [{"id": z["id"]+f"-{n}", "text": z["text"], "turns": z["turns"], "score": 900-n} for n in range(10)]; hits = (d+hits)[:k]
        if "r_foreign" in PARTS and QH and hits:
            for x in hits: L(dict(turns=x["turns"], text=x["text"]), "another user's")
            d = [{"id": f"x{n}", "text": f"Zoltan: {query[:12]} …", "turns": [f"other-conv:{n+1}"], "score": 900-n} for n in range(10)]; hits = (d+hits)[:k]
        if "c_long" in PARTS and hits:
            for x in hits: L(dict(turns=x["turns"], text=x["text"]), "behind a long hit", part="c_long")
            hits = ([{"id": "sys", "text": "Directory of settings and log lines. "*120, "turns": [], "score": hits[0]["score"]+1}]+hits)[:k]
        if "c_tokens" in PARTS:
            for x in hits: L(dict(turns=x["turns"], text=x["text"]), "behind 12 tokens", part="c_tokens")
        return {"hits": hits}
    def export(self): return {"items": [{k: i[k] for k in ("id", "text", "turns", "created_at")} for i in self.items]}
    def drop(self): self.items = []

for part in PARTS:
    if part in CODE: M = CODE[part](M, types.SimpleNamespace(hitp=hitp, dice=dice, terms=terms))
def serve(port): # the same over HTTP: scripts/stranger/service.yaml
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
    users, lock = {}, __import__("threading").Lock()
    class H(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        def log_message(self, *a): pass
        def answer(self, d, code=200):
            b = json.dumps(d, ensure_ascii=False).encode(); self.send_response(code); self.send_header("Content-Type", "application/json"); self.send_header("Content-Length", str(len(b))); self.end_headers(); self.wfile.write(b)
        def do_POST(self):
            q = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or "{}"); u = q["user"]
            with lock:
                if u not in users: users[u] = M(); users[u].reset("", q["scope"])
                try:
                    if self.path == "/add": self.answer(users[u].ingest(q["turns"], q["key"], q["session"]))
                    else: self.answer(users[u].retrieve(q["query"], q["k"]))
                except Exception as e: self.answer({"detail": f"{type(e).__name__}: {e}"}, 400)
        def do_GET(self):
            u = urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query).get("user", ["-"])[0]
            with lock: self.answer(users[u].export() if u in users else {"items": []})
        def do_DELETE(self): users.pop(self.path.split("/")[-1], None); self.answer({})
    s = ThreadingHTTPServer(("127.0.0.1", port), H); print(s.server_port, flush=True); s.serve_forever()

if "--http" in sys.argv: serve(0)
m = M()
for line in sys.stdin:
    r = json.loads(line); f = getattr(m, r["method"], None)
    if r["method"] not in m.hello(1)["methods"]+["hello"]: out = {"id": r["id"], "error": {"code": "unsupported", "message": r["method"]}}
    else:
        try: out = {"id": r["id"], "result": f(**r.get("params", {})) or {}}
        except Exception as e: out = {"id": r["id"], "error": {"message": f"{type(e).__name__}: {e}"}}
    print(json.dumps(out, ensure_ascii=False), flush=True)
