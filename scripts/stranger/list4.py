"""The fourth list, for the dialogues of set 1: written on 23 November 2026, 07:25, before any of it was run, by one who knew the comparing code."""
import json, re
from texts import han, both, put, MON
def sub(t, p, new, types=None): return put(new, types)(t, p)
CN = "零一二三四五六七八九"
def day(t, d):
    m = re.search(r"(\d+) (\w+) 2026", t)
    if m and m.group(2) in MON: return t.replace(m.group(), d(int(m.group(1)), MON.index(m.group(2))+1, False))
    m = re.search(r"2026年(\d+)月(\d+)日", t)
    return t.replace(m.group(), d(int(m.group(2)), int(m.group(1)), True)) if m else t
say = lambda d, m, zh, y=2026: f"{y}年{m}月{d}日" if zh else f"{d} {MON[m-1]} {y}"
def spelled(n, zh):
    n = int(n)
    if zh:
        s = str(n); u = ["", "十", "百", "千"]; out = "".join(CN[int(c)]+(u[len(s)-1-i] if c != "0" else "") for i, c in enumerate(s)).rstrip("零")
        return re.sub("零+", "零", re.sub("^一十", "十", out))
    one = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(); ten = "x x twenty thirty forty fifty sixty seventy eighty ninety".split()
    if n < 20: return one[n]
    if n < 100: return ten[n//10]+("-"+one[n%10] if n%10 else "")
    if n < 1000: return one[n//100]+" hundred"+(" and "+spelled(n%100, 0) if n%100 else "")
    return one[n//1000]+" thousand"+(" "+spelled(n%1000, 0) if n%1000 else "")
def unit(f):
    def g(t, p):
        m = re.search(r"(\d+) kilometres|(\d+)公里", t)
        if not m: return t
        n = int(m.group(1) or m.group(2)); a = f"{n*f:.1f}"; return t.replace(m.group(), a+" miles" if m.group(1) else a+"英里")
    return g
def paraphrase(t, p):
    for a, b in [(r"My brother moved to (\w+) and rents a small flat there", r"My brother has moved to \1, and he rents a small flat there"), (r"The new greenhouse cost me (\d+) euros in the end", r"In the end the new greenhouse cost me \1 euros"),
      (r"My dentist is Doctor (\w+), two streets away from here", r"Doctor \1, two streets away from here, is my dentist"), (r"The piano exam is on (.*?), and I am nervous already", r"I am nervous already, and the piano exam is on \1"), (r"I do not eat (\w+) any more", r"I don't eat \1 any more"),
      (r"我哥哥搬到(.+?)去了，在那边租了一间小公寓", r"我哥哥搬去\1了，在那边租了间小公寓"), (r"新的温室最后花了我(\d+)欧元", r"新的温室，最后花了我\1欧元"), (r"我的牙医是(.+?)医生，离这里两条街", r"我的牙医，是\1医生，离这里有两条街"), (r"钢琴考试定在(.+?)，我已经紧张了", r"我已经紧张了，钢琴考试定在\1"), (r"我现在不吃(.+?)了", r"我现在已经不吃\1了")]:
        if re.search(a, t): return re.sub(a, b, t)
    return t
def thirdperson(t, p, who=""):
    w = p.get("who") or ("The user" if not han(t) else "用户")
    if han(t): return t.replace("我", w) if "我" in t else t
    return re.sub(r"\bme\b", "them", re.sub(r"\bmy\b", "their", re.sub(r"\b(My)\b", w+"'s", re.sub(r"\bI\b", w, t)))) if re.search(r"\b(I|My|my|me)\b", t) else t
TEXTS = {  # fault: (function, fair kinds, what happens)
 "convwrong": (unit(.9), "number words", "unit converted wrongly"), "dollars": (lambda t, p: sub(t, p, lambda v, z: str(int(int(v)*1.37)), ("number",)).replace("euros", "dollars").replace("欧元", "美元") if p.get("type") == "number" else t, "number", "sum in another currency, wrongly converted"),
 "negmove": (lambda t, p: t.replace("soup is", "soup is not").replace("nothing else comes", "something else comes").replace("汤是", "汤不是").replace("别的都比不上", "别的都比得上") if p.get("type") == "thing" else t, "negated", "negation in another clause"),
 "glued": (lambda t, p: t+(" Callum: Never mind, the museum was closed on Tuesday and we walked home." if not han(t) else "小唐：没关系，博物馆周二闭馆，我们就走回家了。"), "added", "another's turn glued to it"),
 "yours": (both((r"\b(My|I) ", lambda m: {"My": "Your ", "I": "You "}[m.group(1)]), ("我", "你")), "words speaker name", "first person became second"),
 "whose": (both((r"\bMy ", "Ottokar's "), ("我", "老葛")), "name words speaker", "pronoun replaced by a stranger's name"),
 "tz": (lambda t, p: day(t, lambda d, m, z: say(d-1 or 2, m, z)), "date", "date a day earlier"), "century": (lambda t, p: day(t, lambda d, m, z: say(d, m, z, 1926)), "date", "another century"), "nextmonth": (lambda t, p: day(t, lambda d, m, z: "下个月" if z else "next month"), "date words cut", "date became relative"),
 "noyear": (lambda t, p: day(t, lambda d, m, z: f"{m}月" if z else MON[m-1]), "cut date", "day and year lost"), "arabic": (lambda t, p: re.sub(r"\d", lambda m: chr(0x660+int(m.group())), t), "encoding number date", "digits of another script"),
 "homovalue": (lambda t, p: sub(t, p, lambda v, z: v.translate(str.maketrans("aeopcxyTAHKMCB", "аеорсхуТАНКМСВ")) if not z else None, ("name", "place")), "encoding words name", "the value's letters are Cyrillic"),
 "sentences": (lambda t, p: "".join(reversed(re.findall(r"[^.。]+[.。]", t))).strip() if len(re.findall(r"[.。]", t)) > 1 else t, "words", "sentences in the other order"),
 "midbyte": (lambda t, p: t.encode()[:max(5, len(t.encode())*2//5//3*3+1)].decode("utf-8", "replace"), "cut encoding", "cut inside a character"), "midbytes": (lambda t, p: t.encode()[:7].decode("utf-8", "ignore"), "cut", "seven bytes kept"),
 "initial": (lambda t, p: sub(t, p, lambda v, z: v[0]+"." if not z else v[0]+"某", ("name", "place")), "cut name words", "value became an initial"), "emoji": (lambda t, p: sub(t, p, lambda v, z: "🍲", ("thing",)), "words cut name", "value became a picture"),
 "ocr": (lambda t, p: t.translate(str.maketrans("olsaegI", "01s4€9l")) if not han(t) else t.replace("的", "旳").replace("了", "孒").replace("我", "戈").replace("是", "昰"), "encoding words number", "read by a bad scanner"),
 "stutter": (lambda t, p: " ".join(w+" "+w for w in t.split()) if not han(t) else "".join(c+c for c in t), "words added encoding", "each word twice"),
 "left": (both((r"moved to", "moved away from"), ("搬到(.+?)去了", r"从\1搬走了")), "words negated name", "to became from"), "rarely": (both((r"do not eat (\w+) any more", r"rarely eat \1 now"), ("不吃", "很少吃")), "words negated number", "never became rarely"),
 "hypo": (lambda t, p: "If it is true, then "+t[0].lower()+t[1:] if not han(t) else "要是真的话，"+t, "added words negated", "made a condition"), "asked": (lambda t, p: "Is it really so that "+t[0].lower()+t[1:-1]+"?" if not han(t) else "难道"+t[:-1]+"吗？", "words added negated", "made a question"),
 "rumour": (lambda t, p: "According to gossip nobody could confirm, "+t[0].lower()+t[1:] if not han(t) else "据没人能证实的传闻，"+t, "added words negated", "made a rumour"), "range": (lambda t, p: sub(t, p, lambda v, z: f"{int(v)-90} to {int(v)+90}" if not z else f"{int(v)-90}到{int(v)+90}", ("number",)), "number", "number became a range"),
 "revcode": (lambda t, p: sub(t, p, lambda v, z: v[::-1] if v != v[::-1] else None, ("update",)), "number", "code backwards"), "maskmid": (lambda t, p: sub(t, p, lambda v, z: v[0]+"*"*(len(v)-2)+v[-1], ("update", "number")), "number cut encoding words", "digits masked"),
 "censored": (lambda t, p: re.sub(r"\b\w{6,}\b", "[censored]", t) if not han(t) else re.sub("牙医|温室|考试|晨跑|哥哥", "【屏蔽】", t), "words cut name encoding", "words censored"), "crossed": (lambda t, p: sub(t, p, lambda v, z: "冬瓜汤" if not z else "leek soup", ("thing",)), "words name", "value in the other language"),
 "alphabet": (lambda t, p: " ".join(sorted(t.strip(".。").split(), key=str.lower)) if not han(t) else "".join(sorted(t)), "words encoding other", "words by the alphabet"), "consonants": (lambda t, p: "".join(c for c in t if c not in "aeiou") if not han(t) else t[1::2], "cut", "every second letter lost"),
 "dupword": (lambda t, p: sub(t, p, lambda v, z: v+(" or maybe not " if not z else "，也许不是")+v), "words added negated name", "value made doubtful"), "unknownval": (lambda t, p: sub(t, p, lambda v, z: "N/A", ("name", "place", "thing", "number", "update", "unit", "date")), "words cut name number date", "value lost: N/A"),
 "plus": (lambda t, p: sub(t, p, lambda v, z: str(int(v)+1), ("number", "update", "unit")), "number", "one more"), "double": (lambda t, p: sub(t, p, lambda v, z: str(2*int(v)), ("number", "unit")), "number", "twice as much"), "minus": (lambda t, p: sub(t, p, lambda v, z: v[:-1], ("number", "update")), "number", "last digit lost"),
 "swapnames": (both((r"Doctor (\w+)", "Doctor Zhukov"), (r"是(.+?)医生", "是司马医生")), "name", "another name"), "title": (both((r"Doctor", "Nurse"), ("医生", "护士")), "words name", "another title"), "relative": (both((r"brother", "uncle"), ("哥哥", "叔叔")), "words name", "another relation"),
 "colour": (both((r"\b(green|red|grey|white|blue|black)\b", "orange"), ("(绿|红|灰|白|蓝|黑)色", "橙色")), "words", "another colour"), "unfilled": (lambda t, p: "{speaker} said: {text}", "identifier empty other words", "an unfilled template"), "apology": (lambda t, p: "Sorry, this memory could not be summarised." if not han(t) else "抱歉，无法总结这条记忆。", "other empty", "an apology in place of the text"),
 "topic": (lambda t, p: "Topic: daily life" if not han(t) else "主题：日常生活", "other words cut", "a topic in place of the text"), "headword": (lambda t, p: t.split()[0] if not han(t) else t[:2], "cut empty", "first word only"), "rot47": (lambda t, p: "".join(chr(33+(ord(c)-33+47) % 94) if 33 <= ord(c) < 127 else c for c in t) if not han(t) else t.encode("utf-8").decode("cp1252", "replace"), "encoding", "ROT47, or UTF-8 read as Windows-1252"),
}
LOST = ("headword", "topic")
SAME = {
 "iso": (lambda t, p: day(t, lambda d, m, z: f"2026-{m:02d}-{d:02d}"), "date written as ISO"), "words": (lambda t, p: sub(t, p, lambda v, z: spelled(v, z), ("number", "unit")), "number in words"), "convright": (unit(.621371), "unit converted rightly"), "fullwidth": (lambda t, p: "".join(chr(ord(c)+0xfee0) if 33 <= ord(c) < 127 else c for c in t), "full-width letters"),
 "json": (lambda t, p: json.dumps({"type": "memory", "content": t}, ensure_ascii=False), "inside JSON"), "bold": (lambda t, p: sub(t, p, lambda v, z: f"**{v}**"), "value in bold"), "paraphrase": (paraphrase, "other order of words, same meaning"), "thirdperson": (thirdperson, "told in the third person"),
}
EVENTS = {
 "s_offbyone": (("altered_stored",), "other", "each text under the id of the turn before it"), "s_cap": (("overwrite",), "removed", "only the last 40 kept"), "r_alpha": (("retrieve",), "rank", "sorted by letters"), "r_newest": (("retrieve",), "rank", "newest first, whatever was asked"),
 "r_cached": (("retrieve",), "- rank dropped foreign", "the hits of the question before"), "r_wrongturn": (("altered_retrieved",), "other", "text of another turn of its session"), "r_minscore": (("retrieve",), "- dropped empty rank", "only hits above a threshold"), "r_twice": (("retrieve",), "rank duplicate", "each hit five times"),
}
