"""The seventh list, for the dialogues of set 5: what parsers, spreadsheets, locales, filters, splitters, databases, queues, caches and templates do to a memory. Written on
23 November 2026, 19:15 to 19:30, before any of it was run, by a subagent that had read nothing of the project but this folder. CODE: an event is a class around the memory."""
import base64, datetime, decimal, hashlib, json, re, unicodedata
from texts import han, any_, both, put, val, MON
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
 "seconds": (date(lambda d, t, zh: str((d-datetime.date(1970, 1, 1)).days*86400)), "date number encoding words -", "the day as seconds since 1970"),
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
 "celsius": (any_(lambda t: re.sub(r"(\d+) degrees Fahrenheit|(\d+)华氏度", lambda m: f"{round((int(m.group(1))-32)/1.8)} degrees Celsius" if m.group(1) else f"{round((int(m.group(2))-32)/1.8)}摄氏度", t)), "degrees converted rightly"),
 "grouped": (any_(lambda t: re.sub(r"\d{12,}", lambda m: f"{int(m.group()):,}", t)), "a long number in groups of three"),
 "listitem": (any_(lambda t: "• **"+t+"**"), "an item of a list, in bold"),
 "stripemoji": (any_(lambda t: re.sub("\\s?[\U00010000-\U0010ffff]", "" if not han(t) else "，", t)), "the emoji left out"),
 "ampm": (any_(lambda t: re.sub(r"(?<!\d)(1[3-9]|2[0-3]):(\d\d)", lambda m: f"{int(m.group(1))-12}:{m.group(2)} pm" if not han(t) else f"{'下午' if int(m.group(1)) < 18 else '晚上'}{int(m.group(1))-12}:{m.group(2)}", t)), "the hour with pm"),
 "bom": (any_(lambda t: "\ufeff"+t+"\u200b"), "a mark of byte order in front"),
 "plainsum": (any_(lambda t: re.sub(r"\$(\d),(\d{3}\.\d\d)", r"\1\2 US dollars" if not han(t) else r"\1\2美元", t)), "the sum without comma, the currency in words"),
 "srt": (any_(lambda t: "41\n00:02:05,120 --> 00:02:09,480\n"+t), "a subtitle with its times"),
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
