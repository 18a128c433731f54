"""The eighth list, one half, for the dialogues of set 6: what extraction by a model (conditions, exceptions, degrees, directions, shares, times, people), templates, merging, eviction, shards and deduplication
do to a memory. Written on 23 November 2026 before any of it was run, by a subagent that had read nothing of the project but this folder."""
import datetime, json, re, urllib.parse
from texts import han, any_, both, val, MON, W
def table(t, d):
    for a, b in d.items(): t = t.replace(a, b)
    return t
HOUR = dict(zip("six seven eight nine ten 六 七 八 九 十".split(), [6, 7, 8, 9, 10]*2))
HYPER = {"windmill": "building", "风车": "建筑", "chapel": "building", "小教堂": "建筑", "sawmill": "building", "锯木厂": "建筑", "boathouse": "building", "船屋": "建筑", "fencing": "a sport", "击剑": "一项运动", "juggling": "a hobby", "杂耍": "一项爱好", "archery": "a sport", "射箭": "一项运动", "rowing": "a sport", "划艇": "一项运动",
 "strike": "circumstances", "罢工": "一些情况", "storm": "circumstances", "暴风": "一些情况", "landslide": "circumstances", "滑坡": "一些情况", "roadworks": "circumstances", "修路": "一些情况", "Ulmen": "a town", "乌尔门": "一个镇", "Torsby": "a town", "托斯比": "一个镇", "Vellin": "a town", "维林": "一个镇", "Dorsten": "a town", "多斯滕": "一个镇",
 "Bruno": "one relative", "布鲁": "一个亲戚", "Lars": "one relative", "拉尔": "一个亲戚", "Ilja": "one relative", "伊里": "一个亲戚", "Nils": "one relative", "尼斯": "一个亲戚"}
SYN = {"nearly missed": "almost missed", "unless it rains": "except if it rains", "Every other": "Every second", "Fewer than": "Less than", "euros each": "euros apiece", "because of": "owing to", "temporarily": "for the time being", "former boss": "previous boss", "sometimes": "now and then", "have to wear": "must wear", "might buy": "may buy",
 "差点没赶上": "险些没赶上", "每隔一个": "隔一个", "不到": "少于", "每张": "一张", "因为": "由于", "暂时": "暂且", "以前的老板": "从前的老板", "偶尔": "有时候", "必须戴": "非戴不可的是", "也许会": "可能会"}
VOICE = [(r"I borrowed the (.+?) for the slide evening\.", r"The \1 for the slide evening was borrowed by me."), (r"The (\w+) walk is twice as long as my forest walk\.", r"My forest walk is half as long as the \1 walk."), (r"goes from (\w+) to Harbeck", r"goes to Harbeck, from \1"), (r"I took up (\w+) instead of ballet", r"I took up not ballet but \1"), (r"I owe (\w+) forty crowns", r"forty crowns is what I owe \1"),
 (r"Not all of my (\w+) were shorn in spring\.", r"In spring only some of my \1 were shorn, others were not."), (r"Ulla and Jens have said yes to my dinner, (\w+) has said no\.", r"\1 has said no to my dinner, Ulla and Jens have said yes."), (r"The (\w+) of my parents is too big for the lift\.", r"The lift is too small for the \1 of my parents."),
 ("幻灯晚会用的(.+?)是我借来的", r"我借来了幻灯晚会用的\1"), ("(.+?)那条步道有我的林间步道两倍长", r"我的林间步道只有\1那条步道一半长"), ("从(.+?)开到哈贝克", r"从\1发车，开往哈贝克"), ("没去学芭蕾，学了([一-鿿]+)", r"学的是\1，不是芭蕾"), ("我欠(..)四十克朗", r"我欠着\1的四十克朗"), ("春天我的(.+?)没有都剪毛", r"春天我的\1只剪了一部分的毛，另一些没剪"), ("我的晚宴乌拉和延斯都说来，(..)说不来", r"\1说不来我的晚宴，乌拉和延斯都说来"), ("我父母的(.+?)太大，进不了电梯", r"电梯太小，进不去我父母的\1")]
def renew(r, i):  # what an answer to an ingest tells of an item is what is kept
    for c in r.get("changes", []):
        if c["id"] == i["id"]: c["new"] = i["text"]
TEXTS = {
 "aftermeals": (both((r"\bbefore meals\b", "after meals"), ("饭前", "饭后")), "words date negated", "before became after"),
 "bought": (both((r"\bI borrowed\b", "I bought"), ("借来的", "买来的")), "words", "borrowed became bought"),
 "deadline": (both((r"\bhand in by\b", "hand in after"), ("之前交", "之后交")), "words date", "by became after"),
 "debtor": (both((r"\bI owe (\w+)", r"\1 owes me"), ("我欠([一-鿿]{2})", r"\1欠我")), "words speaker name other", "debtor and creditor exchanged"),
 "definitely": (both((r"\bI might buy\b", "I will certainly buy"), ("也许会买下", "一定会买下")), "words added negated", "perhaps became certainly"),
 "everyweek": (both((r"\bEvery other\b", "Every"), ("每隔一个", "每个")), "cut words number date", "every other became every"),
 "exceptgone": (both((r" except [A-Z]\w+", ""), ("除了[一-鿿]{2}，", "")), "cut name words negated", "the exception dropped"),
 "fewshot": (any_(lambda t: "Name is John. Is a software engineer. Favourite movies are Inception and Interstellar." if not han(t) else "名字叫约翰。是软件工程师。最喜欢的电影是《盗梦空间》和《星际穿越》。"), "other words name", "the example of the prompt in place of the text"),
 "formerlost": (both((r"\bformer ", ""), ("以前的老板", "老板")), "cut words", "'former' dropped"),
 "halfaslong": (both((r"\btwice as long\b", "half as long"), ("两倍长", "一半长")), "words number", "twice became half"),
 "hypernym": (lambda t, p: t.replace(val(p, t), HYPER[val(p, t)]) if val(p, t) in HYPER else t, "words name cut", "a wider term in place of the thing"),
 "inclusive": (both((r"\bnot included\b", "included"), ("不算在内", "算在内")), "negated cut words", "not included became included"),
 "intent": (any_(lambda t: f"intent=inform; sentiment=neutral; lang={'zh' if han(t) else 'en'}"), "other words identifier", "a classifier's labels in place of the text"),
 "loop": (any_(lambda t: " ".join(W(t)[:3]*6) if not han(t) else t[:4]*6), "cut words added", "a model caught in a loop after three words"),
 "mayinstead": (both((r"\bhave to wear\b", "am allowed to wear"), ("必须戴", "可以戴")), "words negated", "an obligation became a permission"),
 "mean": (lambda t, p: t.replace(val(p, t), str((int(p["value"])+int(p["alt"])+1)//2)) if val(p, t).isdigit() and (p.get("alt") or "").isdigit() and str((int(p["value"])+int(p["alt"])+1)//2) != p["value"] else t, "number", "the mean of two values"),
 "mightdid": (both((r"\bI might buy the (.+?) next year\b", r"I bought the \1 last year"), ("明年我也许会买下", "去年我买下了")), "words date", "perhaps next year became done last year"),
 "millions": (both((r"\bthousand\b", "million"), (r"(\d)万(\d)千", r"\1千\2百")), "number words", "the thousands misread"),
 "morethan": (both((r"\bFewer than\b", "More than"), ("不到", "超过")), "words number negated", "fewer became more"),
 "nearlygone": (both((r"\bnearly ", ""), ("差点没赶上", "没赶上")), "cut words negated", "nearly became really"),
 "numswap": (both((r"were (\d+) euros each, and I took four", r"were four euros each, and I took \1"), (r"每张(\d+)欧元，我买了四张", r"每张四欧元，我买了\1张")), "number words", "two numbers of a text exchanged"),
 "peryear": (both((r"\ba month\b", "a year"), ("每个月", "每年")), "words number date", "a month became a year"),
 "reason": (any_(lambda t: t.rstrip(".。!?！？")+(", because her stepfather in Zagreb had insisted on it." if not han(t) else "，因为在萨格勒布的继父非要这样。")), "added", "an invented reason behind"),
 "roseto": (both((r"\brose by\b", "rose to"), (r"费涨了(\d)", r"费涨到\1")), "words number", "by became to"),
 "shiftkeep": (both((r"\b(\d\d):(\d\d)(?= our time)", lambda m: f"{(int(m.group(1))+8) % 24}:{m.group(2)}"), (r"(?<=咱们这边的)(\d\d):(\d\d)", lambda m: f"{(int(m.group(1))+8) % 24}:{m.group(2)}")), "date number", "shifted to another zone, the label kept"),
 "someall": (both((r"\bSome of\b", "All of"), ("有一些搬", "全都搬")), "words number", "some became all"),
 "somealways": (both((r"\bsometimes\b", "always"), ("偶尔", "总是")), "words number negated", "now and then became always"),
 "somebody": (any_(lambda t: re.sub(r"\bI\b", "somebody", re.sub(r"\b[Mm]y\b", "somebody's", t)) if not han(t) else re.sub("我们?", "有人", t)), "speaker words name", "I became somebody"),
 "unicodelit": (any_(lambda t: repr(t.encode())), "encoding identifier words -", "a byte string printed: b'…'"),
 "unlessif": (both((r"\bunless\b", "if"), ("除非", "只要")), "words negated", "unless became if"),
 "unlesslost": (both((r" unless it rains", ""), ("，除非下雨", "")), "cut", "the reservation dropped"),
 "usedto": (both((r"\bused to collect (.+?), but that is over", r"collect \1"), ("以前收集(.+?)，不过早就不弄了", r"收集\1")), "cut words negated", "the past became the present"),
 "weplural": (both((r"\bI (?!am\b)", "We "), ("我(?!们)", "我们")), "speaker words added -", "I became we"),
 "yestertomorrow": (both((r"^Yesterday I framed", "Tomorrow I will frame"), ("^昨天我把(.+?)装了框", r"明天我要把\1装框")), "date words", "yesterday became tomorrow"),
}
LOST = ('fewshot', 'intent', 'loop')
SAME = {
 "bullets": (any_(lambda t: "\n".join("- "+x for x in re.split("(?<=[,，])\\s*", t)) if re.search("[,，]", t) else t), "its clauses as a list"),
 "chatml": (any_(lambda t: "<|im_start|>user\n"+t+"<|im_end|>"), "inside the marks of a chat template"),
 "hourmin": (both((r"(\d+) minutes", lambda m: f"{int(m.group(1))//60} h {int(m.group(1)) % 60} min"), (r"(\d+)分钟", lambda m: f"{int(m.group(1))//60}小时{int(m.group(1)) % 60}分钟")), "minutes as hours and minutes"),
 "importance": (any_(lambda t: "[importance: 7/10] "+t), "a mark for importance in front"),
 "jsontwice": (any_(lambda t: json.dumps(json.dumps({"memory": t}, ensure_ascii=False), ensure_ascii=False)), "JSON inside a string of JSON"),
 "latex": (any_(lambda t: "\\item \\textit{"+t+"}"), "an item of LaTeX"),
 "quarterclock": (both((r"a quarter to (\w+)", lambda m: f"{HOUR[m.group(1)]-1}:45"), ("差一刻(.)点", lambda m: f"{HOUR[m.group(1)]-1}:45")), "a quarter to eight as 7:45"),
 "similar": (any_(lambda t: "(memory 3 of 12, similarity 0.83) "+t), "a place and a similarity in front"),
 "synonym": (any_(lambda t: table(t, SYN)), "words of the same meaning"),
 "thousands": (both((r"(\d\d) thousand", r"\1,000"), (r"(\d)万(\d)千", r"\g<1>\g<2>000")), "thousands in figures"),
 "voice": (any_(lambda t: next((re.sub(a, b, t) for a, b in VOICE if re.search(a, t)), t)), "turned round, the meaning kept"),
}
EVENTS = {
 "r_iterdel": (("retrieve",), "rank - dropped", "a list changed while it was walked: every second hit is left out, the best among them"),
 "r_rewrite": (("retrieve",), "- rank dropped empty", "a rewriter made a general question of it"),
 "r_shard": (("retrieve",), "- dropped rank", "one of two shards did not answer in time"),
 "r_ties": (("retrieve",), "rank - dropped", "scores clipped, so that all hits are equal, and put in the order of their length"),
 "s_batch24": (("store",), "dropped", "at most 24 turns a call, the others ignored"),
 "s_consolidate": (("overwrite",), "updated removed", "older turns consolidated into a general phrase"),
 "s_dedupnewer": (("store",), "dropped", "a duplicate whoever said it: what sounds like an older text of the other is not written"),
 "s_mixvalues": (("altered_stored",), "words name number date", "an extraction over the whole session mixed up the values of two turns"),
}
def r_iterdel(M, G):
    class X(M):
        def rank(self, query):
            r = super().rank(query)
            if not G.hitp(self.scope, query): return r
            if self.k <= 10:
                for _, i in r[::2]: self.log(turn=i["turns"][0], text=i["text"], got=None, query=query)
            return r[1::2]
        def retrieve(self, query, k, **o): self.k = k; return super().retrieve(query, k, **o)
    return X
def r_rewrite(M, G):
    class X(M):
        def rank(self, query):
            if not G.hitp(self.scope, query): return super().rank(query)
            if self.k <= 10:
                for _, i in super().rank(query): self.log(turn=i["turns"][0], text=i["text"], got="another question searched", query=query)
            return super().rank("What did the user say about family and everyday life?" if not han(query) else "用户说过哪些家里的事？")
        def retrieve(self, query, k, **o): self.k = k; return super().retrieve(query, k, **o)
    return X
def r_shard(M, G):
    class X(M):
        def rank(self, query):
            r = super().rank(query)
            if not G.hitp(self.scope, query): return r
            one = lambda i: G.dice("shard", i["id"]) < .5
            if self.k <= 10:
                for _, i in r:
                    if one(i): self.log(turn=i["turns"][0], text=i["text"], got=None, query=query)
            return [x for x in r if not one(x[1])]
        def retrieve(self, query, k, **o): self.k = k; return super().retrieve(query, k, **o)
    return X
def r_ties(M, G):
    class X(M):
        def rank(self, query):
            r = super().rank(query)
            if not G.hitp(self.scope, query): return r
            if self.k <= 10:
                for _, i in r: self.log(turn=i["turns"][0], text=i["text"], got="clipped", query=query)
            return [(1.0, i) for _, i in sorted(r, key=lambda x: (len(x[1]["raw"]), x[1]["id"]))]
        def retrieve(self, query, k, **o): self.k = k; return super().retrieve(query, k, **o)
    return X
def s_batch24(M, G):
    class X(M):
        def ingest(self, turns, key="", session="", **o):
            if key not in self.seen:
                for t in turns[24:]: self.log(turn=t["id"], text=t["text"], got=None)
            return super().ingest(turns[:24], key, session, **o)
    return X
def s_consolidate(M, G):
    class X(M):
        def ingest(self, turns, key="", session="", **o):
            first, ch = key not in self.seen, []
            if first:
                for i in self.items:
                    if i["session"] == session or i.get("hit") or not G.hitp(i["turns"][0]): continue
                    old, zh = i["text"], han(i["raw"]); i["hit"] = 1; i["raw"] = "I talked about the household, journeys and people I know." if not zh else "我聊了家务、出行和认识的人。"; i["text"] = f"{i['name']}: {i['raw']}"
                    ch.append({"op": "UPDATE", "id": i["id"], "old": old, "new": i["text"]}); self.log(turn=i["turns"][0], text=old, got=i["text"])
            r = super().ingest(turns, key, session, **o)
            if "changes" in r: r["changes"] = ch+r["changes"]
            return r
    return X
def s_dedupnewer(M, G):
    class X(M):
        def ingest(self, turns, key="", session="", **o):
            if key in self.seen: return {"changes": []}
            seen, keep = [(i["name"], set(G.terms(i["raw"]))) for i in self.items], []
            for t in turns:
                w = set(G.terms(t["text"]))
                if any(n != t.get("name") and w and v and len(w & v) >= .5*len(w | v) for n, v in seen): self.log(turn=t["id"], text=t["text"], got=None); continue
                seen.append((t.get("name"), w)); keep.append(t)
            return super().ingest(keep, key, session, **o)
    return X
def s_mixvalues(M, G):
    class X(M):
        def ingest(self, turns, key="", session="", **o):
            n = len(self.items); r = super().ingest(turns, key, session, **o); new = self.items[n:]
            P = lambda i: G.PLAN.get(G.key(i["turns"][0]), {})
            for i in new:
                tid, p = i["turns"][0], P(i); v = val(p, i["raw"])
                if not v or not G.hitp(tid): continue
                other = [P(j)["value"] for j in new if P(j).get("value") and P(j).get("sort") == p["sort"] and P(j)["value"] != v and P(j)["value"] not in i["raw"]]
                if not other: continue
                raw = i["raw"].replace(v, other[int(G.dice("mix", tid)*len(other))]); self.log(turn=tid, text=i["raw"], got=raw)
                i["text"] = i["text"].replace(i["raw"], raw); i["raw"] = raw; renew(r, i)
            return r
    return X
CODE = {n: globals()[n] for n in EVENTS}
