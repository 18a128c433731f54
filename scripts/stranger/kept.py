"""A seventh list, the other half, for the dialogues of set 5 (facts7.py): what parsers, spreadsheets, locales, filters, splitters, databases, queues, caches and templates
do to a memory, with what a careful person would call each. Written on 23 November 2026, 19:15 to 19:30, before anything of it was run, by somebody who had read of the
project only scripts/stranger. Form, kinds and "-" as in fifth.py; LOST: "never stored" is as right as "altered" when it happens at storing. CODE: an event is a class around
the correct memory (seventh.py). A fault of a name is planted when stored (s_) and when returned (r_)."""
import base64, datetime, decimal, hashlib, json, re, unicodedata
from third import han, both, MON
from fourth import val, put, any_
def table(t, d):
    for a, b in d.items(): t = t.replace(a, b)
    return t
def say(d, zh, y): return f"{y}年{d.month}月{d.day}日" if zh else f"{d.day} {MON[d.month-1]} {y}"
def date(f):  # the first whole date of a text by another text
    def g(t, p):
        m = re.search(r"(\d{1,2}) ("+"|".join(MON)+r") (20\d\d)", t)
        if m: return t.replace(m.group(), f(datetime.date(int(m.group(3)), MON.index(m.group(2))+1, int(m.group(1))), t, False))
        m = re.search(r"(20\d\d)年(\d{1,2})月(\d{1,2})日", t)
        return t.replace(m.group(), f(datetime.date(*map(int, m.groups())), t, True)) if m else t
    return g
TEXTS = {
 "abbrev": (any_(lambda t: re.split(r"(?<=\bDr\.)\s", t)[0]), "cut", "a sentence splitter took 'Dr.' for an end"),
 "ack": (any_(lambda t: "Got it, I will keep that in mind!" if not han(t) else "好的，我记住了！"), "other words dropped", "the model's acknowledgement in place of the text"),
 "asciiignore": (any_(lambda t: t.encode("ascii", "ignore").decode()), "encoding cut empty words name dropped", "all that is not ASCII dropped"),
 "autocorrect": (any_(lambda t: table(t, {"Grizzo": "Grizzly", "Waffel": "Waffle", "Biskit": "Biscuit", "Pepperl": "Pepper", "毛逗": "毛豆", "雪裘": "雪球", "果栋": "果冻", "团仔": "团子"})), "name words", "corrected to a word of the dictionary"),
 "backref": (any_(lambda t: re.sub(r"\$\d", "", t)), "number cut words", "a replacement string took $1 for a group"),
 "commentstrip": (any_(lambda t: re.sub("//.*", "", t)), "cut", "all behind // taken for a comment"),
 "doubleconv": (any_(lambda t: re.sub(r"\d+(?= degrees Fahrenheit|华氏度)", lambda m: str(round(int(m.group())*1.8+32)), t)), "number", "degrees converted although they were converted already"),
 "entlink": (put(lambda v, zh: "Q"+str(int(hashlib.md5(v.encode()).hexdigest()[:6], 16)), {"name", "words"}), "identifier words name cut", "an entity's number in place of its name"),
 "exceldate": (any_(lambda t: re.sub(r"(?<![A-Za-z0-9.–-])([1-9])-([1-9])(?![A-Za-z0-9–-])", lambda m: f"{m.group(2)}-{MON[int(m.group(1))-1][:3]}" if not han(t) else f"{m.group(1)}月{m.group(2)}日", t)), "date number words encoding", "a spreadsheet made a score a date"),
 "excelserial": (date(lambda d, t, zh: str((d-datetime.date(1899, 12, 30)).days)), "date number words encoding", "the day as a spreadsheet's serial number"),
 "halfpii": (put(lambda v, zh: v.split()[0]+" [NAME]" if not zh and " " in v and v[:1].isupper() and not any(c.isdigit() for c in v) else v[0]+"**" if zh and re.fullmatch("[一-鿿]{3,4}", v) else "", {"name"}), "name cut words", "the family name or the given name scrubbed"),
 "humanize": (any_(lambda t: re.sub(r"\$(\d),(\d)\d\d\.\d\d", r"$\1.\2k", t)), "number cut words", "a sum shortened to thousands"),
 "jsfloat": (any_(lambda t: re.sub(r"\d{17,}", lambda m: str(int(decimal.Decimal(repr(float(m.group()))))), t)), "number", "a long number went through a double"),
 "mdunder": (any_(lambda t: re.sub(r"_([^_\s]+)_", r"\1", t)), "encoding words cut name number", "Markdown took underscores for emphasis"),
 "mimeword": (any_(lambda t: "=?UTF-8?B?"+base64.b64encode(t.encode()).decode()+"?="), "encoding identifier other", "an encoded word of mail, not decoded"),
 "percents": (put(lambda v, zh: "%s"), "words cut name number date identifier", "a place-holder nobody filled, for the value"),
 "punctdigits": (any_(lambda t: re.sub(r"(?<=\d)[:.,–-](?=\d)", "", t)), "number date words", "signs between digits lost"),
 "quotecut": (any_(lambda t: re.split("['’‘\"“]", t)[0]), "cut", "a string ended at the quotation mark"),
 "sexagesimal": (any_(lambda t: re.sub(r"(?<!\d)(\d{1,2}):(\d\d)(?!\d)", lambda m: str(60*int(m.group(1))+int(m.group(2))), t)), "date number words encoding", "a YAML parser read a time as a number to base sixty"),
 "striptags": (any_(lambda t: re.sub(r"<[^>]*>", "", t)), "cut encoding number words name", "a sanitiser took a part for a tag"),
 "triple": (lambda t, p: (f"({p['who']})-[:MENTIONED]->(:Topic {{uid: {len(t)}}})") if p.get("who") else t, "other words identifier cut dropped", "an edge of a graph without the value"),
 "unescape": (any_(lambda t: t.replace("\\n", "\n").replace("\\t", "\t")), "encoding words cut name", "backslashes of a path taken for escapes"),
 "utf8mb3": (any_(lambda t: re.split("[\U00010000-\U0010ffff]", t)[0]), "cut", "a column of three bytes a character cuts at the emoji"),
 "yamlbool": (any_(lambda t: re.sub(r"(?<![A-Za-z])NO(?= \d)", "False", t)), "words name number encoding", "the Norway problem: NO is false"),
}
LOST = ('ack', 'asciiignore', 'triple')
SAME = {
 "ampm": (any_(lambda t: re.sub(r"(?<!\d)(1[3-9]|2[0-3]):(\d\d)", lambda m: f"{int(m.group(1))-12}:{m.group(2)} pm" if not han(t) else f"{'下午' if int(m.group(1)) < 18 else '晚上'}{int(m.group(1))-12}:{m.group(2)}", t)), "the hour with pm"),
 "bom": (any_(lambda t: "\ufeff"+t+"\u200b"), "a mark of byte order in front"),
 "plainsum": (any_(lambda t: re.sub(r"\$(\d),(\d{3}\.\d\d)", r"\1\2 US dollars" if not han(t) else r"\1\2美元", t)), "the sum without comma, the currency in words"),
 "srt": (any_(lambda t: "41\n00:02:05,120 --> 00:02:09,480\n"+t), "a subtitle with its times"),
}
EVENTS = {
 "c_worst60": (("context", "altered_context", "retrieve"), "cut dropped rank", "the ten hits worst first, in a window of sixty tokens"),
 "r_groupby": (("retrieve",), "rank - dropped", "one hit a session, and not its best"),
 "r_profile": (("altered_retrieved", "retrieve"), "words other cut - rank dropped", "a profile that names all turns, in place of the hits"),
 "r_scope": (("retrieve",), "rank foreign - dropped", "the filter for the user forgotten: everybody's memories are searched"),
 "s_ghost": (("store", "overwrite"), "dropped removed", "told as added, never written"),
 "s_langid": (("store",), "dropped", "texts with foreign letters refused as another language"),
 "s_lastspeaker": (("altered_stored",), "speaker", "a loop's variable: who spoke last in the session said it all"),
 "s_partial": (("ingest", "store"), "failed dropped", "a deadlock in the middle of a batch, and the second try is taken for done"),
 "s_semidup": (("store", "altered_stored"), "dropped older", "the newer text taken for a duplicate of a similar older one"),
 "s_zerobased": (("altered_stored", "store"), "cut other dropped", "its first half under the id of the turn before"),
}
def c_worst60(M, G):
    class X(M):
        def retrieve(self, query, k, **o):
            r = super().retrieve(query, k, **o); h = r["hits"][:10][::-1]+r["hits"][10:]
            for n, x in enumerate(h):
                x["score"] = float(1000-n)
                if k <= 10 and x["turns"]: self.log(turn=x["turns"][0], text=x["text"], got="worst first", query=query)
            return {"hits": h}
    return X
def r_groupby(M, G):
    class X(M):
        def rank(self, query):
            r = super().rank(query)
            if not G.hitp(self.scope, query): return r
            one = {}
            for s, i in r:
                if self.k <= 10: self.log(turn=i["turns"][0], text=i["text"], got="grouped", query=query)
                if i["session"] not in one or i["id"] < one[i["session"]][1]["id"]: one[i["session"]] = (s, i)
            return sorted(one.values(), key=lambda x: -x[0])
        def retrieve(self, query, k, **o): self.k = k; return super().retrieve(query, k, **o)
    return X
def r_profile(M, G):
    class X(M):
        def retrieve(self, query, k, **o):
            r = super().retrieve(query, k, **o)
            if not r["hits"] or not G.hitp(self.scope, query): return r
            i = self.items[0]; t = f"{i['name']}: Profile: sociable, fond of nature, close to the family, careful with money." if not han(i["raw"]) else f"{i['name']}：画像：开朗，喜欢自然，顾家，花钱谨慎。"
            if k <= 10:
                for h in r["hits"]: self.log(turn=h["turns"][0], text=h["text"], got=t, query=query)
            return {"hits": [{"id": "profile", "text": t, "turns": [x for h in r["hits"] for x in h["turns"]], "score": 1.0}]}
    return X
def r_scope(M, G):
    class X(M):
        def rank(self, query):
            r = super().rank(query)
            if not G.hitp(self.scope, query): return r
            mine = self.items
            if self.k <= 10:
                for _, i in r: self.log(turn=i["turns"][0], text=i["text"], got="everybody's", query=query)
            conv = mine[0]["turns"][0].rsplit(":", 1)[0] if mine else ""
            theirs = [dict(id=f"z{c['conv_id']}{t['turn_id']}", text=f"{t['name']}: {t['text']}", raw=t["text"], name=t["name"], turns=[f"{c['conv_id']}:{t['turn_id']}"], session=s["session_id"], created_at=t["time"]) for c in map(json.loads, open("cases.jsonl")) if c["conv_id"] != conv for s in c["sessions"] for t in s["turns"]]
            who = {i["name"] for i in mine}; q = query
            for n in who: q = q.replace(n+"'s", " ").replace(n, " ")
            self.items = mine+theirs
            try: return super().rank(q)
            finally: self.items = mine
        def retrieve(self, query, k, **o): self.k = k; return super().retrieve(query, k, **o)
    return X
def s_ghost(M, G):
    class X(M):
        def ingest(self, turns, key="", session="", **o):
            n = len(self.items); r = super().ingest(turns, key, session, **o)
            for i in self.items[n:]:
                if G.hitp(i["turns"][0]): self.log(turn=i["turns"][0], text=i["text"], got=None); self.items.remove(i)
            return r
    return X
def s_langid(M, G):
    class X(M):
        def ingest(self, turns, key="", session="", **o):
            bad = [t for t in turns if (re.search("[A-Za-z]", t["text"]) if han(t["text"]) else not t["text"].isascii())]
            if key not in self.seen:
                for t in bad: self.log(turn=t["id"], text=t["text"], got=None)
            return super().ingest([t for t in turns if t not in bad], key, session, **o)
    return X
def s_lastspeaker(M, G):
    class X(M):
        def ingest(self, turns, key="", session="", **o):
            n = len(self.items); r = super().ingest(turns, key, session, **o); last = turns[-1].get("name") if turns else ""
            for i in self.items[n:]:
                if i["name"] == last or not G.hitp(i["turns"][0]): continue
                i["text"] = f"{last}: {i['raw']}"; self.log(turn=i["turns"][0], text=i["raw"], got=i["text"])
                for c in r.get("changes", []):
                    if c["id"] == i["id"]: c["new"] = i["text"]
            return r
    return X
def s_partial(M, G):
    class X(M):
        def ingest(self, turns, key="", session="", **o):
            if key not in self.seen and G.hitp(self.scope, key):
                h = len(turns)//2; super().ingest(turns[:h], key, session, **o)
                for t in turns[h:]: self.log(turn=t["id"], text=t["text"], got="<error>")
                raise RuntimeError("deadlock found when trying to get lock; try restarting transaction")
            return super().ingest(turns, key, session, **o)
    return X
def s_semidup(M, G):
    class X(M):
        def ingest(self, turns, key="", session="", **o):
            if key in self.seen: return {"changes": []}
            seen, keep = [(i["name"], set(G.terms(i["raw"]))) for i in self.items], []
            for t in turns:
                w = set(G.terms(t["text"]))
                if any(n == t.get("name") and w and v and len(w & v) >= .65*min(len(w), len(v)) for n, v in seen): self.log(turn=t["id"], text=t["text"], got=None); continue
                seen.append((t.get("name"), w)); keep.append(t)
            return super().ingest(keep, key, session, **o)
    return X
def s_zerobased(M, G):
    class X(M):
        def ingest(self, turns, key="", session="", **o):
            n = len(self.items); r = super().ingest(turns, key, session, **o); new = self.items[n:]; ids = [t["id"] for t in turns]
            for i in new:
                tid = i["turns"][0]; k = ids.index(tid)
                if not k or not G.hitp(tid): continue
                i["turns"] = [ids[k-1]]; i["text"] = f"{i['name']}: {i['raw'][:int(len(i['raw'])*.45)]}"; self.log(turn=tid, text=i["raw"], got=i["text"])
                for c in r.get("changes", []):
                    if c["id"] == i["id"]: c["new"] = i["text"]
            return r
    return X
CODE = {n: globals()[n] for n in EVENTS}
names = sorted({x+"_"+k for k in [*TEXTS, *SAME] for x in "sr"} | set(EVENTS))
if __name__ == "__main__": print(*names)
