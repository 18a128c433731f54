"""The eighth list, the other half: see list8. Kept sealed from those who mended what list8 showed; written before any of it was run, by a subagent that had read nothing of the project but this folder."""
import datetime, json, re, urllib.parse
from texts import han, any_, both, val, MON, W
def table(t, d):
    for a, b in d.items(): t = t.replace(a, b)
    return t
def shift(a, n):  # a day of the plan by some days
    m = re.fullmatch(r"(\d+) (\w+) (\d{4})", a)
    d = (datetime.date(int(m.group(3)), MON.index(m.group(2))+1, int(m.group(1))) if m else datetime.date(*map(int, re.findall(r"\d+", a))))+datetime.timedelta(days=n)
    return f"{d.day} {MON[d.month-1]} {d.year}" if m else f"{d.year}年{d.month}月{d.day}日"
HOUR = dict(zip("six seven eight nine ten 六 七 八 九 十".split(), [6, 7, 8, 9, 10]*2))
NUM = dict(zip("three four five six 三 四 五 六".split(), [3, 4, 5, 6]*2))
def TRAD(t): return table(t, {"干妈": "乾媽", "谷仓": "穀倉", "面包": "麵包", "衣里": "衣裡", "这里": "這裡"}).translate(str.maketrans(
 "业东两为丽么乌乐书买亚从仓们传侄个儿几击剧剑厅发双后听吗响团园场块垫妈娅学尔岛师帐币帘库张戏护换数时机杂条来柜栈楼欧气汤涨湿灯炉点独现玛电画签经给维罢药装见视订许论证话该说请读调谅谜贝费赛赶车轮边过运还这进邮邻针钙钟钢铁锌键镁长间队阵顶须频风飞饭马驼骑鲁鸟鸣鸵罗谁养绵橱壶没",
 "業東兩為麗麼烏樂書買亞從倉們傳姪個兒幾擊劇劍廳發雙後聽嗎響團園場塊墊媽婭學爾島師帳幣簾庫張戲護換數時機雜條來櫃棧樓歐氣湯漲濕燈爐點獨現瑪電畫簽經給維罷藥裝見視訂許論證話該說請讀調諒謎貝費賽趕車輪邊過運還這進郵鄰針鈣鐘鋼鐵鋅鍵鎂長間隊陣頂須頻風飛飯馬駝騎魯鳥鳴鴕羅誰養綿櫥壺沒"))
def renew(r, i):  # what an answer to an ingest tells of an item is what is kept
    for c in r.get("changes", []):
        if c["id"] == i["id"]: c["new"] = i["text"]
TEXTS = {
 "aftervalue": (lambda t, p: t[t.index(val(p, t))+len(val(p, t)):].strip() if val(p, t) else t, "cut empty", "what stands behind the value only"),
 "altogether": (both((r"\beach\b", "altogether"), ("每张", "一共")), "words number", "a price apiece became the sum"),
 "beforevalue": (lambda t, p: t[:t.index(val(p, t))].rstrip() if val(p, t) else t, "cut empty", "generation stopped before the value"),
 "bigenough": (both((r"\btoo big for\b", "just small enough for"), ("太大，进不了", "不大，进得了")), "words negated", "too big became small enough"),
 "codeswitch": (lambda t, p: t[:len(t)//2]+" "+p["xl"][len(p["xl"])//2:] if p.get("xl") else t, "words encoding other cut name -", "half of it in the other language"),
 "crossed8": (both((r"studies chemistry, my niece Dora studies dance", "studies dance, my niece Dora studies chemistry"), ("学化学，侄女朵拉学舞蹈", "学舞蹈，侄女朵拉学化学")), "words name", "who does which exchanged"),
 "despite": (both((r"\bbecause of\b", "despite"), ("因为", "尽管有")), "words negated", "because of became despite"),
 "dozenten": (both((r"\b(three|four|five|six) dozen\b", lambda m: str(10*NUM[m.group(1)])), ("订了(.)打", lambda m: f"订了{10*NUM[m.group(1)]}个")), "number words", "a dozen counted as ten"),
 "exceptincl": (both((r"\bexcept\b", "including"), ("除了([一-鿿]{2})，", r"包括\1在内，")), "words negated", "except became including"),
 "forgood": (both((r"\btemporarily\b", "for good"), ("暂时住", "永远住")), "words date negated", "for a while became for good"),
 "formenc": (any_(lambda t: urllib.parse.quote_plus(urllib.parse.quote(t)) if han(t) else urllib.parse.quote_plus(t).replace("+", "%2B")), "encoding words", "escaped for a form, twice"),
 "fournights": (both((r"\ba fortnight\b", "four nights"), ("半个月", "半年")), "number words date", "a span of time misunderstood"),
 "fromlast": (both((r"\bthird from last\b", "third"), ("倒数第三名", "第三名")), "cut words number", "'from last' dropped"),
 "guestlist": (both((r"Ulla and Jens have said yes to my dinner, (\w+) has said no", r"Ulla, Jens and \1 have said yes to my dinner"), ("乌拉和延斯都说来，([一-鿿]{2})说不来", r"乌拉、延斯和\1都说来")), "words negated name cut", "one put among the others of a list"),
 "hardly": (both((r"\bhardly work\b", "work hard"), ("几乎没碰", "没少碰")), "words negated", "hardly became hard"),
 "insteadswap": (both((r"took up (\w+) instead of ballet", r"took up ballet instead of \1"), ("没去学芭蕾，学了([一-鿿]+)", r"没去学\1，学了芭蕾")), "words name", "what was chosen and what was not, exchanged"),
 "kinskip": (both((r"\bbrother's boss\b", "brother"), ("弟弟的老板", "弟弟")), "cut words name", "one link of a relation skipped"),
 "lastsstarts": (both((r"\blasts until\b", "starts on"), ("休到(.+?)为止", r"从\1开始休")), "words date", "the end became the beginning"),
 "minutes100": (both((r"(\d+) minutes", lambda m: f"{int(m.group(1))/100} hours"), (r"(\d+)分钟", lambda m: f"{int(m.group(1))/100}小时")), "number words date", "an hour of a hundred minutes"),
 "noop": (any_(lambda t: '{"memory": [{"event": "NONE"}]}'), "empty identifier other words", "the extractor's 'nothing to do' in place of the text"),
 "oneperson": (both((r"My niece (\w+) studies chemistry, my niece Dora studies dance", r"My niece \1 Dora studies chemistry and dance"), ("我侄女([一-鿿]{2})学化学，侄女朵拉学舞蹈", r"我侄女\1朵拉学化学和舞蹈")), "words name added cut", "two people merged into one"),
 "onequarter": (both((r"\bThree quarters\b", "One quarter"), ("四分之三", "四分之一")), "number words", "three quarters became one"),
 "onlylost": (both((r"\bonly ", ""), ("只在", "在")), "cut words", "'only' dropped"),
 "posttags": (any_(lambda t: " ".join(("PRON", "VERB", "DET", "NOUN", "ADJ")[len(w)*7 % 5] for w in W(t))), "words encoding other identifier", "parts of speech in place of the words"),
 "pronoun": (both((r"\band he repairs\b", "and I repair"), ("，他会修", "，我会修")), "words speaker name", "a pronoun resolved to the speaker"),
 "qawrong": (lambda t, p: (f"Q: {p['q']}\nA: {p['alt']}" if not han(t) else f"问：{p['q']}\n答：{p['alt']}") if p.get("alt") and p.get("q") else t, "number name words date other cut", "turned into question and answer, with another value for the answer"),
 "quarterhour": (both((r"a quarter to (\w+)", lambda m: f"{HOUR[m.group(1)]}:45"), ("差一刻(.)点", lambda m: f"{HOUR[m.group(1)]}:45")), "date words number", "a quarter to eight resolved to 8:45"),
 "quarterpast": (both((r"\bquarter to\b", "quarter past"), ("差一刻([一-鿿]+?)点", r"\1点一刻")), "date words number", "quarter to became quarter past"),
 "roman": (any_(lambda t: re.sub(r"\b(XIV|XIX|XXIV|XLII)\b", lambda m: {"XIV": "XVI", "XIX": "XXI", "XXIV": "XXVI", "XLII": "LXII"}[m.group()], t) if not han(t) else re.sub("XLII|XXIV|XIX|XIV", lambda m: {"XIV": "XVI", "XIX": "XXI", "XXIV": "XXVI", "XLII": "LXII"}[m.group()], t)), "number name words", "letters of a Roman number exchanged"),
 "notall": (both((r"\bNot all of\b", "None of"), ("没有都剪", "都没有剪")), "negated words number", "not all became none"),
 "theirtime": (both((r"\bour time\b", "their time"), ("咱们这边的", "他们那边的")), "words date speaker", "another place's clock"),
 "wayback": (both((r"from (\w+) to Harbeck", r"from Harbeck to \1"), ("从([一-鿿]+?)开到哈贝克", r"从哈贝克开到\1")), "words name", "from and to exchanged"),
 "weekearlier": (lambda t, p: re.sub("^[昨今]天我" if han(t) else "^(Yesterday|Today) I", (shift(p["a"], -7)+"我") if han(t) else f"On {shift(p['a'], -7)} I", t) if p.get("sort") == "when" else t, "date words", "a relative day resolved a week too early"),
 "yestersession": (lambda t, p: re.sub("^昨天我" if han(t) else "^Yesterday I", (shift(p["a"], 1)+"我") if han(t) else f"On {shift(p['a'], 1)} I", t) if p.get("ago") else t, "date words", "yesterday resolved as the day it was said"),
}
LOST = ('noop', 'posttags', 'beforevalue')
SAME = {
 "arabicroman": (any_(lambda t: re.sub("XLII|XXIV|XIX|XIV", lambda m: {"XIV": "14", "XIX": "19", "XXIV": "24", "XLII": "42"}[m.group()], t)), "a Roman number in figures"),
 "cdata": (any_(lambda t: "<![CDATA["+t+"]]>"), "inside CDATA"),
 "dozens": (both((r"\b(three|four|five|six) dozen\b", lambda m: str(12*NUM[m.group(1)])), ("订了(.)打", lambda m: f"订了{12*NUM[m.group(1)]}个")), "dozens counted rightly"),
 "fence": (any_(lambda t: "```text\n"+t+"\n```"), "inside a code fence"),
 "frontmatter": (any_(lambda t: "---\ntype: fact\nsource: chat\n---\n"+t), "below a head of YAML"),
 "qaright": (lambda t, p: (f"Q: {p['q']}\nA: {t}" if not han(t) else f"问：{p['q']}\n答：{t}") if p.get("q") else t, "the question before it"),
 "resolved": (lambda t, p: re.sub("^[昨今]天我" if han(t) else "^(Yesterday|Today) I", p["a"]+"我" if han(t) else f"On {p['a']} I", t) if p.get("sort") == "when" else t, "a relative day resolved rightly"),
 "saidby": (lambda t, p: (f'{p["who"]} said: "{t}"' if not han(t) else f'{p["who"]}说：“{t}”') if p.get("who") else t, "quoted, with who said it"),
 "share": (both((r"\bThree quarters\b", "75 percent"), ("四分之三", "百分之七十五")), "the fraction in percent"),
 "spelling": (any_(lambda t: table(t, {"neighbour": "neighbor", "colour": "color", "theatre": "theater"}) if not han(t) else TRAD(t)), "American spelling, or traditional characters"),
 "twoweeks": (both((r"\ba fortnight\b", "two weeks"), ("半个月", "十五天")), "a fortnight as two weeks"),
}
EVENTS = {
 "c_chrono60": (("context", "altered_context", "retrieve"), "cut dropped rank", "the ten hits put into the order of time, in a window of sixty tokens"),
 "c_window60": (("context", "altered_context"), "cut dropped", "each hit with the six turns before it in front, in a window of sixty tokens"),
 "r_decay": (("retrieve",), "rank - dropped", "a weight for age that halves each day"),
 "r_zip": (("altered_retrieved",), "other", "texts and ids zipped with one left out: each id with the text of the next hit"),
 "s_dedupolder": (("overwrite", "store"), "removed updated dropped", "the older of two texts that sound alike is deleted, whoever said it"),
 "s_ner": (("altered_stored",), "speaker", "a name found in the text kept for the speaker's"),
 "s_restart": (("overwrite", "store"), "updated removed dropped", "a counter of ids begins anew in each session, an equal id overwrites"),
 "s_short": (("store",), "dropped", "short texts held to be of no importance"),
 "s_stream": (("altered_stored", "store"), "cut dropped", "the stream broke off: half of a turn, and nothing behind it"),
}
def c_chrono60(M, G):
    class X(M):
        def retrieve(self, query, k, **o):
            r = super().retrieve(query, k, **o); at = {i["id"]: (i["created_at"], n) for n, i in enumerate(self.items)}
            h = sorted(r["hits"][:10], key=lambda x: at.get(x["id"], ("", 0)))+r["hits"][10:]
            for n, x in enumerate(h):
                x["score"] = float(1000-n)
                if k <= 10 and x["turns"]: self.log(turn=x["turns"][0], text=x["text"], got="in the order of time", query=query)
            return {"hits": h}
    return X
def c_window60(M, G):
    class X(M):
        def retrieve(self, query, k, **o):
            r = super().retrieve(query, k, **o); at = {i["id"]: n for n, i in enumerate(self.items)}
            for h in r["hits"]:
                if k <= 10 and h["turns"]: self.log(turn=h["turns"][0], text=h["text"], got="behind its neighbours", query=query)
                n = at[h["id"]]; h["text"] = "\n".join(i["text"] for i in self.items[max(0, n-6):n+1])
            return r
    return X
def r_decay(M, G):
    class X(M):
        def rank(self, query):
            r = super().rank(query)
            if not r or not G.hitp(self.scope, query): return r
            day = lambda i: datetime.date.fromisoformat(i["created_at"][:10]).toordinal()
            new = max(day(i) for i in self.items); z = sorted(((s*.5**(new-day(i)), i) for s, i in r), key=lambda x: (-x[0], x[1]["id"]))
            if self.k <= 10:
                for _, i in z: self.log(turn=i["turns"][0], text=i["text"], got="by age", query=query)
            return z
        def retrieve(self, query, k, **o): self.k = k; return super().retrieve(query, k, **o)
    return X
def r_zip(M, G):
    class X(M):
        def retrieve(self, query, k, **o):
            r = super().retrieve(query, k, **o); h = r["hits"]
            if G.hitp(self.scope, query):
                for a, b in zip(h, h[1:]):
                    if k <= 10: self.log(turn=a["turns"][0], text=a["text"], got=b["text"], query=query)
                    a["text"] = b["text"]
                r["hits"] = h[:-1] if len(h) > 1 else h
            return r
    return X
def s_dedupolder(M, G):
    class X(M):
        def ingest(self, turns, key="", session="", **o):
            n = len(self.items); r = super().ingest(turns, key, session, **o); w = [set(G.terms(i["raw"])) for i in self.items]; gone = []
            for a, i in enumerate(self.items):
                if any(j["name"] != i["name"] and w[a] and w[b] and len(w[a] & w[b]) >= .5*len(w[a] | w[b]) for b, j in enumerate(self.items) if b > a and b >= n): gone.append(i)
            for i in gone: self.log(turn=i["turns"][0], text=i["text"], got=None)
            self.items = [i for i in self.items if all(i is not g for g in gone)]
            return r
    return X
def s_ner(M, G):
    class X(M):
        def ingest(self, turns, key="", session="", **o):
            n = len(self.items); r = super().ingest(turns, key, session, **o)
            for i in self.items[n:]:
                p = G.PLAN.get(G.key(i["turns"][0]), {}); v = val(p, i["raw"]) if p.get("sort") == "name" else ""
                if not v or not G.hitp(i["turns"][0]): continue
                i["text"] = f"{v}: {i['raw']}"; i["name"] = v; self.log(turn=i["turns"][0], text=i["raw"], got=i["text"]); renew(r, i)
            return r
    return X
def s_restart(M, G):
    class X(M):
        def ingest(self, turns, key="", session="", **o):
            n = len(self.items); r = super().ingest(turns, key, session, **o); old = {i["id"]: i for i in self.items[:n]}; gone = []
            for k, i in enumerate(self.items[n:]):
                was = i["id"]; i["id"] = f"mem-{k+1}"; g = old.get(i["id"])
                if g: gone.append(g); self.log(turn=g["turns"][0], text=g["text"], got=i["text"])
                for c in r.get("changes", []):
                    if c["id"] == was:
                        c["id"] = i["id"]
                        if g: c.update(op="UPDATE", old=g["text"])
            self.items = [i for i in self.items if all(i is not g for g in gone)]
            return r
    return X
def s_short(M, G):
    class X(M):
        def ingest(self, turns, key="", session="", **o):
            bad = [t for t in turns if len(t["text"]) < (44 if not han(t["text"]) else 15)]
            if key not in self.seen:
                for t in bad: self.log(turn=t["id"], text=t["text"], got=None)
            return super().ingest([t for t in turns if t not in bad], key, session, **o)
    return X
def s_stream(M, G):
    class X(M):
        def ingest(self, turns, key="", session="", **o):
            if key in self.seen or not G.hitp(self.scope, key) or len(turns) < 3: return super().ingest(turns, key, session, **o)
            h = len(turns)//3; t = dict(turns[h]); t["text"] = t["text"][:len(t["text"])//2]
            self.log(turn=t["id"], text=turns[h]["text"], got=t["text"])
            for x in turns[h+1:]: self.log(turn=x["id"], text=x["text"], got=None)
            return super().ingest([*turns[:h], t], key, session, **o)
    return X
CODE = {n: globals()[n] for n in EVENTS}
