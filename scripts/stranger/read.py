"""A seventh list, the first half, for the dialogues of set 5 (facts7.py): what parsers, spreadsheets, locales, filters, splitters, databases, queues, caches and templates
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
 "asr": (any_(lambda t: re.sub(r"(?<![A-Za-z])([BCEP])1([3-9])(?!\d)", lambda m: {"B": "bee", "C": "sea", "E": "he", "P": "pea"}[m.group(1)]+" "+{"3": "thirsty", "4": "for teen", "5": "fifty", "6": "six tin", "7": "seventy", "8": "ate teen", "9": "nine tea"}[m.group(2)] if not han(t) else {"B": "必", "C": "西", "E": "一", "P": "屁"}[m.group(1)]+"十"+"三四五六七八九"[int(m.group(2))-3], t)), "words number name encoding", "misheard by speech-to-text"),
 "buddhist": (date(lambda d, t, zh: say(d, zh, d.year+543)), "date number", "the year of the Buddhist calendar of a locale"),
 "decimalsplit": (any_(lambda t: re.split(r"(?<=\d)\.(?=\d)", t)[0]), "cut number", "a sentence splitter cut at the decimal point"),
 "epoch": (date(lambda d, t, zh: str((d-datetime.date(1970, 1, 1)).days*86400)), "date number encoding words -", "the day as seconds since 1970"),
 "exponent": (any_(lambda t: re.sub(r"(?<![A-Za-z0-9])(\d)E(\d)(?![A-Za-z0-9])", lambda m: f"{int(m.group(1))*10**int(m.group(2))}.0", t)), "number words encoding name", "letters of a plate read as an exponent"),
 "floatver": (any_(lambda t: re.sub(r"(?<![\d,.])(\d+\.\d*?[1-9])0+(?!\d)", r"\1", t)), "number cut", "4.10 read as a float"),
 "h12": (any_(lambda t: re.sub(r"(?<!\d)(1[3-9]|2[0-3]):(\d\d)", lambda m: f"{int(m.group(1))-12}:{m.group(2)}", t)), "date number", "twelve hours, and pm lost"),
 "hyphen": (any_(lambda t: re.sub(r"([A-Za-z]{3})([a-z]{3,})", r"\1-\n\2", t) if not han(t) else re.sub("([一-鿿]{3})(?=[一-鿿])", r"\1-\n", t)), "encoding words -", "hyphens and line ends within words"),
 "leftover": (any_(lambda t: t+("eese had been fed since Wednesday and the hens were out." if not han(t) else "星期三起就没喂过，鸡也都跑出来了。")), "added", "the end of a longer text left in the buffer"),
 "mailreply": (any_(lambda t: ("On Thu, 2 Jan 2020 at 08:11, Mailer <no-reply@lists.example> wrote:\n> " if not han(t) else "2020年1月2日 08:11，系统邮件 <no-reply@lists.example> 写道：\n> ")+t), "added date speaker words -", "a mail's line of another day and sender in front"),
 "middlename": (any_(lambda t: re.sub(r"\b(Anna|Karl|Mary) (?:Maria|Otto|Jane) ", r"\1 ", t) if not han(t) else re.sub("(欧阳|司马|诸葛)([一-鿿])[一-鿿](?=搬)", r"\1\2", t)), "name cut words", "two fields for a name of three"),
 "nfkc": (any_(lambda t: unicodedata.normalize("NFKC", t) if re.search("[½¼¾]", t) else t), "number encoding words", "NFKC glued a fraction to its whole number"),
 "prefixstem": (both((r"\bunmarried\b", "married"), ("未婚", "已婚")), "negated words", "a stemmer took the prefix off"),
 "punycode": (any_(lambda t: t.encode("punycode").decode() if not t.isascii() else t), "encoding words name cut other", "punycode not decoded"),
 "romanise": (any_(lambda t: table(t, {"Zoë Lindström": "Zoe Lindstroem", "José Ibáñez": "Hosse Ibanjes", "Renée Müller": "Rene Mueller", "Łukasz Świątek": "Wukash Shviontek", "吕晓雯": "Lv Xiaowen", "覃若楠": "Qin Ruonan", "单玉洁": "Shan Yujie", "仇海峰": "Qiu Haifeng"})), "name words encoding -", "a name in another romanisation or in pinyin"),
 "sciexcel": (any_(lambda t: re.sub(r"\d{12,}", lambda m: f"{float(m.group()):.2E}", t)), "number cut encoding words", "a spreadsheet's scientific notation"),
 "scunthorpe": (any_(lambda t: re.sub("(?i)sex|cunt|cock|裸|毒|枪", lambda m: "*"*len(m.group()), t)), "words name cut encoding", "a filter for bad words hit a place"),
 "selfname": (lambda t, p: t.replace(val(p, t), p["who"]) if val(p, t) and p.get("who") and p.get("sort") in ("name", "words") else t, "name words", "a template filled in the speaker's own name"),
 "servernow": (both((r"^Today I", "On 23 November 2031 I"), ("^今天", "2031年11月23日")), "date words", "today resolved against the server's clock"),
 "squeeze": (any_(lambda t: re.sub(r"(.)\1+", r"\1", t)), "cut encoding words number name", "doubled characters collapsed"),
 "stopnot": (both((r"\bnot (?!more)", ""), ("不(?=[卖租])", "")), "negated cut words", "'not' was a stop word"),
 "theythem": (any_(lambda t: re.sub(r"\b(We|I)\b", "They", re.sub(r"\b([Mm]y|[Oo]ur)\b", lambda m: "Their" if m.group()[0] in "MO" else "their", re.sub(r"\bme\b", "them", t))) if not han(t) else re.sub("我们家?|咱们|我", "他们", t)), "speaker words name -", "I and we became they"),
 "turkish": (any_(lambda t: t.replace("I", "ı").replace("i", "ı")), "encoding words name -", "lower case of a Turkish locale"),
 "unaccent": (any_(lambda t: "".join(c for c in unicodedata.normalize("NFD", t) if unicodedata.category(c) != "Mn").replace("Ł", "L") if not han(t) else t), "name encoding words -", "accents lost"),
 "withoutwith": (both((r"\bwithout\b", "with"), ("不加", "加")), "negated words", "without became with"),
}
LOST = ()
SAME = {
 "celsius": (any_(lambda t: re.sub(r"(\d+) degrees Fahrenheit|(\d+)华氏度", lambda m: f"{round((int(m.group(1))-32)/1.8)} degrees Celsius" if m.group(1) else f"{round((int(m.group(2))-32)/1.8)}摄氏度", t)), "degrees converted rightly"),
 "grouped": (any_(lambda t: re.sub(r"\d{12,}", lambda m: f"{int(m.group()):,}", t)), "a long number in groups of three"),
 "listitem": (any_(lambda t: "• **"+t+"**"), "an item of a list, in bold"),
 "stripemoji": (any_(lambda t: re.sub("\\s?[\U00010000-\U0010ffff]", "" if not han(t) else "，", t)), "the emoji left out"),
}
EVENTS = {
 "c_preamble400": (("context", "altered_context"), "cut dropped", "each hit begins with some hundred words about itself, and the window ends before the text"),
 "r_cachekey": (("retrieve",), "- rank dropped", "a cache whose key leaves out the person: the one hit of the same question about the other"),
 "r_ratelimit": (("retrieve",), "- rank dropped foreign empty other", "a note that there were too many requests as the only hit"),
 "r_snippet": (("altered_retrieved",), "cut encoding words", "a search page's excerpt around a word of the question"),
 "s_cascade": (("overwrite",), "removed", "accounts are merged in the third session, and what one of the two said in the first goes"),
 "s_chunk": (("altered_stored", "retrieve"), "cut words - rank dropped", "pieces of a fixed length, cut anywhere"),
 "s_columns": (("altered_stored", "store"), "other date words identifier number empty cut dropped", "a migration put the time into the text's column"),
 "s_tinyid": (("overwrite", "store"), "updated dropped removed", "ids end at 63, all later turns under one"),
 "s_userrole": (("store",), "dropped", "what the assistant said is not written"),
 "s_utcday": (("altered_stored",), "date", "the day before each text by another time zone's clock, a day early"),
}
def c_preamble400(M, G):
    class X(M):
        def retrieve(self, query, k, **o):
            r = super().retrieve(query, k, **o)
            for h in r["hits"]:
                if k <= 10 and h["turns"]: self.log(turn=h["turns"][0], text=h["text"], got="behind its own head", query=query)
                h["text"] = "Record of the collection default, written by worker seven, replicated twice, checked and signed. "*40+h["text"]
            return r
    return X
def r_cachekey(M, G):
    class X(M):
        def reset(self, *a, **o): self.kept = {}; return super().reset(*a, **o)
        def retrieve(self, query, k, **o):
            r = super().retrieve(query, k, **o); q = query
            for n in {i["name"] for i in self.items}: q = q.replace(n, "")
            if k > 10: return r
            if q in self.kept and self.kept[q][0] != query:
                for h in r["hits"]: self.log(turn=h["turns"][0], text=h["text"], got=None, query=query)
                return {"hits": self.kept[q][1]}
            self.kept[q] = (query, r["hits"][:1]); return r
    return X
def r_ratelimit(M, G):
    class X(M):
        def retrieve(self, query, k, **o):
            r = super().retrieve(query, k, **o)
            if not G.hitp(self.scope, query): return r
            if k <= 10:
                for h in r["hits"]: self.log(turn=h["turns"][0], text=h["text"], got=None, query=query)
            return {"hits": [{"id": "err-429", "text": "429 Too Many Requests: quota used up, try again in 20 s", "turns": [], "score": 0}]}
    return X
def r_snippet(M, G):
    class X(M):
        def retrieve(self, query, k, **o):
            r = super().retrieve(query, k, **o); q = G.terms(query)
            for h in r["hits"]:
                if not h["turns"] or not G.hitp(h["turns"][0]): continue
                t = h["text"]; l = t.lower(); zh = han(t); n = 4 if zh else 14; a, w = next(((l.find(x), x) for x in sorted(q, key=len, reverse=True) if l.find(x) >= 0), (0, t[:2])); s = f"…{t[max(0, a-n):a]}<em>{t[a:a+len(w)]}</em>{t[a+len(w):a+len(w)+n]}…"
                if k <= 10: self.log(turn=h["turns"][0], text=t, got=s, query=query)
                h["text"] = s
            return r
    return X
def s_cascade(M, G):
    class X(M):
        def ingest(self, turns, key="", session="", **o):
            old = list(dict.fromkeys(i["session"] for i in self.items))
            if len(old) == 2 and key not in self.seen and session not in old:
                gone = sorted({i["name"] for i in self.items})[int(G.dice("gone", self.scope)*2)]
                for i in [i for i in self.items if i["session"] == old[0] and i["name"] == gone]: self.log(turn=i["turns"][0], text=i["text"], got=None); self.items.remove(i)
            return super().ingest(turns, key, session, **o)
    return X
def s_chunk(M, G):
    class X(M):
        def ingest(self, turns, key="", session="", **o):
            n = len(self.items); r = super().ingest(turns, key, session, **o); new = self.items[n:]
            if not new: return r
            size = 60 if han(new[0]["raw"]) else 170; all_ = "".join(i["text"]+"\n" for i in new); at, spans = 0, []
            for i in new:
                e = at+len(i["text"]); spans.append((at, e, i))
                if at//size != (e-1)//size: self.log(turn=i["turns"][0], text=i["text"], got=all_[at:(at//size+1)*size])
                at = e+1
            self.items = self.items[:n]
            for c in range(0, len(all_), size):
                s = [x for a, e, x in spans if a < c+size and e > c]; text = all_[c:c+size].strip("\n")
                if s: self.items.append(dict(s[0], id=f"{s[0]['id']}c{c}", text=text, raw=text, turns=[t for x in s for t in x["turns"]]))
            return {"changes": [{"op": "ADD", "id": i["id"], "new": i["text"]} for i in self.items[n:]]} if "changes" in r else r
    return X
def s_columns(M, G):
    class X(M):
        def ingest(self, turns, key="", session="", **o):
            n = len(self.items); r = super().ingest(turns, key, session, **o)
            for i in self.items[n:]:
                if not G.hitp(i["turns"][0]): continue
                self.log(turn=i["turns"][0], text=i["raw"], got=i["created_at"]); i["raw"] = i["created_at"]; i["text"] = f"{i['name']}: {i['raw']}"
                for c in r.get("changes", []):
                    if c["id"] == i["id"]: c["new"] = i["text"]
            return r
    return X
def s_tinyid(M, G):
    class X(M):
        def ingest(self, turns, key="", session="", **o):
            r = super().ingest(turns, key, session, **o); num = lambda i: int(re.findall(r"\d+", i["turns"][0])[-1])
            over = [i for i in self.items if num(i) >= 63]; ids = {i["id"] for i in over}; old = next((i["text"] for i in over if i["id"] == "m63"), None)
            for i in over[:-1]: self.log(turn=i["turns"][0], text=i["text"], got=over[-1]["text"]); self.items.remove(i)
            for c in r.get("changes", []):
                if c["id"] in ids:
                    c["id"] = "m63"
                    if old is not None: c.update(op="UPDATE", old=old)
                    old = c["new"]
            for i in over[-1:]: i["id"] = "m63"
            return r
    return X
def s_userrole(M, G):
    class X(M):
        def ingest(self, turns, key="", session="", **o):
            if key not in self.seen:
                for t in turns:
                    if t.get("role") != "user": self.log(turn=t["id"], text=t["text"], got=None)
            return super().ingest([t for t in turns if t.get("role") == "user"], key, session, **o)
    return X
def s_utcday(M, G):
    class X(M):
        def ingest(self, turns, key="", session="", **o):
            n = len(self.items); r = super().ingest(turns, key, session, **o)
            for i in self.items[n:]:
                d = datetime.date.fromisoformat(i["created_at"][:10])
                if G.hitp(i["turns"][0]): d -= datetime.timedelta(days=1); self.log(turn=i["turns"][0], text=i["created_at"], got=str(d)); i["created_at"] = f"{d}T21{i['created_at'][13:]}"
                i["text"] = f"[{d}] "+i["text"]
                for c in r.get("changes", []):
                    if c["id"] == i["id"]: c["new"] = i["text"]
            return r
    return X
CODE = {n: globals()[n] for n in EVENTS}
names = sorted({x+"_"+k for k in [*TEXTS, *SAME] for x in "sr"} | set(EVENTS))
if __name__ == "__main__": print(*names)
