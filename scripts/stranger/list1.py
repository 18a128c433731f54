"""The first list, and a second one of seven behind it: written before any answer of explain on them was seen, on 23 November 2026, 01:57 and 01:59."""
import base64, codecs, re
from texts import han, terms, MON
def rep(t, a, b): return t.replace(a, b) if a else t
def rot(t):
    if han(t): return "".join(chr(0x4e00+(ord(c)*7+131) % 3000) if "\u3400" <= c <= "\u9fff" else c for c in t)
    v = "aeiou"; return "".join((v[(v.index(c)+2) % 5] if c in v else c) for c in codecs.encode(t, "rot13"))
NEG = lambda t: t.replace("do not eat", "eat").replace(" any more", " again").replace("不吃", "吃")
GEN = {"en": "We talked about family, food and plans for the season.", "zh": "我们聊了家里的事、吃的和这一季的打算。"}
def trunc(t, p): return t[:max(4, int(len(t)*.4))]
def tailonly(t, p): return t[int(len(t)*.62):]
def mojibake(t, p): return t.encode("utf-8").decode("latin-1") if han(t) else t.encode("utf-16-le").decode("utf-16-be")
def b64(t, p): return base64.b64encode(t.encode()).decode()
def qmarks(t, p): return t.encode("ascii", "replace").decode() if han(t) else t
def mdate(t, p): return rep(t, p["value"], p["alt"]) if p.get("type") == "date" else t
def year(t, p): return t.replace("2026", "2021") if p.get("type") == "date" else t
def number(t, p): return rep(t, p["value"], p["alt"]) if p.get("type") in ("number", "unit", "update") else t
def transpose(t, p):
    v = p.get("value", ""); return rep(t, v, v[:-2]+v[-1]+v[-2]) if p.get("type") in ("number", "update") and v[-1] != v[-2] else t
def thousand(t, p): return rep(t, p["value"], p["value"][0]+"."+p["value"][1:]) if p.get("type") == "number" else t
def digits(t, p): return re.sub(r"\d", "", t)
def unit(t, p): return t.replace("kilometres", "miles").replace("公里", "英里").replace("euros", "dollars").replace("欧元", "美元") if p.get("type") in ("unit", "number") else t
def neg(t, p): return NEG(t) if p.get("type") == "neg" else t
def name(t, p): return rep(t, p["value"], p["alt"]) if p.get("type") in ("name", "place") else t
def thing(t, p): return rep(t, p["value"], p["alt"]) if p.get("type") in ("thing",) else t
def generic(t, p): return rep(t, p["value"], p["generic"]) if p.get("generic") and p["type"] not in ("neg", "when") else t
def redact(t, p): return rep(t, p["value"], "[REDACTED]") if p.get("value") and p["type"] not in ("neg", "when") else t
def typo(t, p):
    v = p.get("value", "")
    if p.get("type") not in ("name", "place", "thing"): return t
    if han(v): return rep(t, v, v[:-1]+chr(ord(v[-1])+3)) if p["type"] != "thing" else rep(t, v, chr(ord(v[0])+5)+v[1:])
    w = max(v.split(), key=len); return rep(t, w, w[:2]+chr(97+(ord(w[2])-96) % 26)+w[3]+w[3:] if len(w) > 3 else w+"x")
def lower(t, p): return re.sub(r"[^\w\s]", "", t.lower())
def nospace(t, p): return t.replace(" ", "") if not han(t) else " ".join(t)
def rev(t, p): return t[::-1]
def first(t, p): return re.split(r"(?<=[.。])\s*", t)[0] if p.get("type") == "thing" else t
def keywords(t, p): # only the three longest terms without the value
    v = terms(p.get("value", "")) if p else []; w = [x for x in terms(t) if x not in v]; return " ".join(sorted(set(w), key=lambda x: (-len(x), x))[:3])
def empty(t, p): return ""
def added(t, p): return t+((" No, wait, I was wrong: it is "+p["alt"]+".") if not han(t) else ("不对，我记错了，是"+p["alt"]+"。")) if p.get("alt") and p["type"] not in ("neg", "when", "old", "update") else t
def older(t, p): return p["older"] if p.get("older") else t
def nonsense(t, p): return rot(t)
def cap12(t, p): return t[:12] if not han(t) else t[:6]
def vague(t, p): return GEN["zh" if han(t) else "en"]
def hedge(t, p): return (("Perhaps the user was asked about: " + t[:18]+" …") if not han(t) else ("用户可能提到："+t[:5]+"……")) if p else t
def swapdm(t, p):
    m = re.search(r"(\d+) (\w+) 2026", t)
    if m and m.group(2) in MON and int(m.group(1)) <= 12: return t.replace(m.group(), f"{MON.index(m.group(2))+1} {MON[int(m.group(1))-1]} 2026")
    m = re.search(r"2026年(\d+)月(\d+)日", t)
    return t.replace(m.group(), f"2026年{m.group(2)}月{m.group(1)}日") if m and int(m.group(2)) <= 12 else t
nameonly = lambda t, p: ""
def added2(t, p): return t+((" Others say it is "+p["alt"]+".") if not han(t) else ("也有人说是"+p["alt"]+"。")) if p.get("alt") and p["type"] not in ("neg", "when", "old", "update") else t
def blank(t, p): return " "
def relday(t, p): return t.replace("Today", "Last week").replace("今天", "上周")
def kin(t, p): return t.replace("brother", "sister").replace("哥哥", "姐姐").replace("dentist", "plumber").replace("牙医", "水管工").replace("canal", "river").replace("运河", "河堤")
def round100(t, p): return rep(t, p["value"], ("about " if not han(t) else "大约")+str(round(int(p["value"])/100)*100)) if p.get("type") == "number" else t
TR = {"place": ("我哥哥搬了家。", "My relative moved house."), "name": ("我的牙医就在附近。", "The doctor is near."), "thing": ("我有喜欢的东西。", "There is a thing the user likes."), "number": ("温室花了不少钱。", "The warm room was expensive."), "date": ("考试快到了。", "The exam is soon."), "unit": ("我早上跑步。", "The user jogs."), "neg": ("我吃东西。", "The user eats."), "update": ("密码换了。", "The password was changed."), "old": ("有个密码。", "There is a password."), "when": ("卖了一样东西。", "Something was sold.")}
def transl(t, p): return TR[p["type"]][han(t)] if p else t
TEXTS = {
 "trunc": (trunc, "cut", "rest of the turn cut off"), "tailonly": (tailonly, "cut", "beginning of the turn lost"), "mojibake": (mojibake, "encoding", "wrong character set"), "b64": (b64, "encoding", "base64 not decoded"),
 "qmarks": (qmarks, "encoding", "non-ASCII became ?"), "mdate": (mdate, "date", "date moved"), "year": (year, "date", "year wrong"), "number": (number, "number", "number changed"),
 "transpose": (transpose, "number", "digits swapped"), "thousand": (thousand, "number", "thousands separator misread"), "digits": (digits, "number cut date", "digits removed"), "unit": (unit, "number words", "unit changed"),
 "neg": (neg, "negated", "negation lost"), "name": (name, "name", "name swapped"), "thing": (thing, "words name", "object replaced by another"), "generic": (generic, "words cut", "value replaced by 'something'"),
 "redact": (redact, "words cut name number date", "value masked"), "typo": (typo, "words name encoding", "misspelt value"), "lower": (lower, "words encoding", "lower-cased, punctuation gone"),
 "nospace": (nospace, "words encoding", "blanks lost"), "rev": (rev, "encoding words", "letters reversed"), "first": (first, "cut", "second sentence lost"), "keywords": (keywords, "words cut", "only keywords kept, value gone"),
 "empty": (empty, "empty", "empty text"), "added": (added, "added", "false correction added"), "older": (older, "older", "older value in place of newer"), "nonsense": (nonsense, "words encoding", "nonsense language"),
 "cap12": (cap12, "cut", "capped at 12/6 characters"), "vague": (vague, "words other", "empty phrase instead of the fact"), "hedge": (hedge, "cut words", "paraphrase without the value"),
 "swapdm": (swapdm, "date", "day and month swapped"),
 "added2": (added2, "added", "contradicting value added"), "nameonly": (nameonly, "empty cut", "only the speaker's name left"), "blank": (blank, "empty", "one blank as text"),
 "relday": (relday, "date words", "'today' became 'last week'"), "kin": (kin, "words name", "relation or noun replaced"), "round100": (round100, "number", "number rounded"),
 "transl": (transl, "words other", "mistranslated, value lost"),
}
LOST = ("empty", "keywords", "vague", "hedge", "nameonly", "transl")
EVENTS = {
 "s_drop": (("store",), "dropped", "never stored"), "s_delay": (("store",), "dropped", "held in a buffer, never written"), "s_speaker": (("altered_stored",), "speaker", "said by the other"),
 "s_nospeaker": (("altered_stored",), "speaker", "speaker unknown"), "s_otheruser": (("altered_stored",), "other", "another turn's text under the id"), "s_pointer": (("altered_stored",), "identifier", "reference instead of text"),
 "s_merge": (("altered_stored",), "cut words", "half of this and half of the next turn"), "s_dup": (("retrieve",), "rank duplicate", "crowded out by duplicates"),
 "s_over": (("overwrite",), "updated", "overwritten by a later turn, same session"), "s_del": (("overwrite",), "removed", "deleted in same session"), "s_over_later": (("overwrite",), "updated", "overwritten in next session"),
 "s_del_later": (("overwrite",), "removed", "deleted in next session"), "s_summary": (("store", "altered_stored"), "dropped words cut", "only a summary"), "s_fail": (("ingest", "store"), "failed dropped", "write failed"),
 "r_shift": (("retrieve",), "rank", "moved below k"), "r_lag": (("retrieve",), "- dropped", "stored, never in the index"), "r_back": (("retrieve",), "rank", "worst first"),
 "r_lastsession": (("retrieve",), "- dropped rank", "only the last session searched"), "r_nohits": (("retrieve",), "- empty dropped", "no hits at all"), "r_random": (("retrieve",), "rank", "random order"),
 "r_ids": (("altered_retrieved",), "identifier", "ids only"), "r_speaker": (("altered_retrieved",), "speaker", "wrong speaker shown"), "r_neighbour": (("altered_retrieved",), "other", "text of the next turn"),
 "r_header": (("altered_retrieved",), "words empty cut other", "metadata instead of text"), "r_dup": (("retrieve",), "rank duplicate", "one item ten times"),
 "r_foreign": (("retrieve",), "rank foreign", "another user's items before it"), "c_long": (("context", "altered_context"), "cut dropped", "a long hit pushed it out of the window"),
 "c_tokens": (("context", "altered_context"), "cut dropped", "window of 12 tokens"), "s_created": (("altered_stored",), "date", "time of the memory moved by 40 days"),
}
