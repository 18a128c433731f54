"""The fifth list, for the dialogues of set 3: written on 23 November 2026, 09:45, from the issue and docs/explain.md, before the comparing code was opened."""
import base64, hashlib, html, re
from texts import han, any_, put, sub, val, J, W
MORSE = dict(zip("abcdefghijklmnopqrstuvwxyz0123456789", ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.. ----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----.".split()))
def piglatin(t): return re.sub(r"\b([^\W\daeiouAEIOU_]+)([a-zA-Z]+)", r"\2\1ay", t) if not han(t) else re.sub(r"([一-鿿])", r"\1嘛", t)
def clause(t, p):  # the clause with the value goes
    v = val(p, t)
    if not v: return t
    c = re.split(r"(?<=[,，])\s*", t); k = [x for x in c if v not in x]; return J(k, t) if k and len(k) < len(c) else t
def twin(t): return t[:len(t)//2]+t[:len(t)//2]
def weave(t):
    a, b = W(t), W("On Friday somebody borrowed the tall ladder and brought back two." if not han(t) else "周五有人借走长梯子还回来两把"); o = []
    for i, x in enumerate(a): o += [x]+b[i:i+1]
    return J(o, t)
VOW = str.maketrans("aeiou", "eioua")
BIG = dict(zip("我的在了是不有人这那们说她他好都没到去家", "俺之於咧係弗冇亻這哪們說牠祂恏凾沒菿呿傢"))
TEXTS = {
 "b32": (any_(lambda t: base64.b32encode(t.encode()).decode()), "encoding", "base32"),
 "quopri": (any_(lambda t: "".join(f"={b:02X}" if b > 126 or b in (32, 44, 46, 61) else chr(b) for b in t.encode())), "encoding", "quoted-printable not decoded"),
 "binary": (any_(lambda t: " ".join(f"{b:08b}" for b in t.encode())), "encoding", "bits"),
 "decimalbytes": (any_(lambda t: " ".join(map(str, t.encode()))), "encoding", "bytes as decimal numbers"),
 "morse": (any_(lambda t: " ".join(MORSE.get(c, "/") for c in t.lower()) if not han(t) else t.encode("utf-16-be").decode("latin-1")), "encoding", "Morse, or UTF-16 read as Latin-1"),
 "sjis": (any_(lambda t: t.encode().decode("shift_jis", "replace") if han(t) else "".join(chr(ord(c) | 0x80) if ord(c) < 128 else c for c in t)), "encoding", "UTF-8 read as Shift-JIS, or the high bit set"),
 "utf7": (any_(lambda t: t.encode("utf-7").decode() if han(t) else t.encode("ascii", "ignore").hex(" ")), "encoding", "UTF-7, or spaced hexadecimal"),
 "atbash": (any_(lambda t: "".join(chr(219-ord(c)) if "a" <= c <= "z" else chr(155-ord(c)) if "A" <= c <= "Z" else c for c in t) if not han(t) else "".join(chr(ord(c)+1) if "一" <= c <= "鿿" else c for c in t)), "encoding", "alphabet mirrored, or each character's neighbour"),
 "vowelshift": (any_(lambda t: t.translate(VOW) if not han(t) else t.translate(str.maketrans(BIG))), "encoding words name", "vowels moved on, or look-alikes for common characters"),
 "zalgo": (any_(lambda t: "".join(c+"\u0301\u0323" if c.isalnum() else c for c in t)), "encoding words", "marks on every letter"),
 "piglatin": (any_(piglatin), "encoding words added", "Pig Latin, or a particle behind each character"),
 "snake": (any_(lambda t: re.sub(r"\W+", "_", t.strip(".。")) if not han(t) else "_".join(t)), "encoding words", "underscores for blanks"),
 "reversewords": (any_(lambda t: J(W(t)[::-1], t)), "words encoding other", "words backwards"),
 "wordrev": (any_(lambda t: J([w[::-1] for w in W(t)], t) if not han(t) else re.sub(r"[一-鿿]+", lambda m: m.group()[::-1], t)), "encoding words", "each word or clause backwards"),
 "everythird": (any_(lambda t: J([w for i, w in enumerate(W(t)) if i % 3 != 2], t)), "cut", "every third word lost"),
 "lastletter": (any_(lambda t: J([w[:-1] if len(w) > 2 else w for w in t.split()], t) if not han(t) else re.sub(r"[一-鿿](?=[，。])", "", re.sub(r"([一-鿿]{3})[一-鿿]", r"\1", t))), "cut encoding words", "the last letter of each word lost"),
 "three": (any_(lambda t: J([w[:3] for w in t.split()], t) if not han(t) else "".join(c[:3] for c in re.split("(?<=[，。])", t))), "cut encoding words", "three letters of each word"),
 "column": (any_(lambda t: t[:len(t)//3]+"\u2502"+t[2*len(t)//3:]), "cut", "a middle column lost"),
 "comma": (any_(lambda t: re.split("[,，]", t)[0] if re.search("[,，]", t) else t), "cut", "all behind the first comma lost"), "behind": (any_(lambda t: re.split("[,，]", t)[-1].strip() if re.search("[,，]", t) else t), "cut", "all before the last comma lost"),
 "clause": (clause, "cut", "the clause with the value lost"), "hole": (put(lambda v, z: "…"), "cut words name number date", "dots for the value"), "gone": (put(lambda v, z: " " if not z else "\u200b"), "cut", "the value lost"),
 "kwvalue": (lambda t, p: J(([p["who"]]+[w for w in W(t) if len(w) > 6][:1]+[val(p, t)]), t) if val(p, t) and not han(t) else t[:3]+val(p, t) if val(p, t) else t, "cut words", "a key word and the value only"),
 "twin": (any_(twin), "cut words", "the first half twice"), "weave": (any_(weave), "words added other", "another text between its words"),
 "masknouns": (any_(lambda t: re.sub(r"\b[a-z]{5,}\b", "thing", t) if not han(t) else re.sub("([一-鿿]{2})(?=[，。])", "东西", t)), "words cut", "long words became 'thing'"),
 "zeros": (any_(lambda t: re.sub(r"\d", "0", t)), "number date name", "every digit a zero"), "hash9": (any_(lambda t: re.sub(r"\d", "#", t)), "number date name cut encoding words", "every digit masked"),
 "alt": (lambda t, p: t.replace(p["value"], p["alt"]) if val(p, t) else t, "number name words date negated", "another value of its sort"), "both": (lambda t, p: t.replace(p["value"], p["value"]+(" and " if not han(t) else "和")+p["alt"]) if val(p, t) else t, "added", "another value beside it"),
 "instead": (lambda t, p: t.replace(p["value"], p["alt"]+("" if han(t) else " ")+("(formerly "+p["value"]+")" if not han(t) else "（原来是"+p["value"]+"）")) if val(p, t) else t, "added words", "called the former value"),
 "unit3": (sub("unit"), "number words date", "weeks became months"), "signlost": (sub("minus"), "number", "the sign lost"), "house": (sub("house"), "number name", "another house number"), "roles": (sub("roles"), "words speaker name", "giver and taker exchanged"),
 "compare": (sub("compare"), "words negated", "heavier became lighter"), "swapboth": (sub("swapboth"), "words name", "the two compared exchanged"), "quant": (sub("quant"), "negated words number", "all became none"), "tense": (sub("tense"), "words added negated", "done became wanted"),
 "antonym": (sub("antonym"), "words negated", "glad became sorry"), "season": (sub("season"), "date words cut", "the date became a season"), "monthonly": (sub("monthonly"), "date cut", "the day lost"), "side": (sub("side"), "words name", "left became right"), "neg2": (sub("neg"), "negated words number", "never became often"),
 "madeup": (any_(lambda t: t+(" I made that up." if not han(t) else "这是我编的。")), "added negated", "called an invention behind"), "outdated": (any_(lambda t: ("OUTDATED, no longer true: " if not han(t) else "已过时，不再属实：")+t), "added negated", "called outdated in front"),
 "quoted": (lambda t, p: (f'{p["other"]} claims: "{t}"' if not han(t) else f'{p["other"]}声称：“{t}”') if p.get("other") else t, "speaker added words name", "in the other's mouth"),
 "tail": (any_(lambda t: t+(" My cousin paid 4,410 crowns for her boat in 1987." if not han(t) else "我表姐1987年花4410克朗买了船。")), "added", "a stranger's sentence behind"),
 "xl": (lambda t, p: p.get("xl") or t, "words other encoding", "translated, the value with it"), "namexl": (lambda t, p: t.replace(val(p, t), "Verbena") if val(p, t) and p["sort"] in ("name", "words") and not han(t) else t.replace(val(p, t), "马鞭草") if val(p, t) and p["sort"] in ("name", "words") else t, "name words", "a value of another sort"),
 "jsonnull": (any_(lambda t: '{"memory": null}'), "empty identifier other words", "JSON without the text"), "object": (any_(lambda t: "[object Object]"), "identifier other empty", "an object printed"), "repr": (any_(lambda t: "<MemoryItem object at 0x"+hashlib.md5(t.encode()).hexdigest()[:12]+">"), "identifier other empty", "an address printed"),
 "vector": (any_(lambda t: str([round((b-100)/97, 4) for b in hashlib.md5(t.encode()).digest()])), "identifier other encoding", "the vector in place of the text"), "length": (any_(lambda t: f"{len(t)} characters" if not han(t) else f"共{len(t)}个字"), "identifier other", "the length in place of the text"),
 "trace": (any_(lambda t: 'Traceback (most recent call last): File "store.py", line 88, in load KeyError: \'body\''), "other", "a stack trace in place of the text"), "prompt": (any_(lambda t: "You are a summariser. Rewrite the message below in one sentence." if not han(t) else "你是摘要助手，请用一句话改写下面的消息。"), "other", "the prompt in place of the text"),
}
SAME = {
 "doubled": (any_(lambda t: t+" "+t), "the whole text twice"), "yaml": (any_(lambda t: "- role: user\n  memory: >\n    "+t), "inside YAML"), "xml": (any_(lambda t: "<memory><text>"+html.escape(t, quote=False)+"</text></memory>"), "inside XML"),
 "upper": (any_(lambda t: t.upper()), "capital letters"), "wrapped": (any_(lambda t: re.sub(r"(.{14}\S*)[ ]", r"\1\n", t) if not han(t) else t[:9]+"\n"+t[9:]), "lines wrapped"), "nfd": (any_(lambda t: "\u201c"+t.replace("'", "\u2019")+"\u201d"), "in quotation marks"),
}
EVENTS = {
 "s_head": (("store",), "dropped", "the first turns of each session lost"), "s_frozen": (("store",), "dropped", "nothing is written after 55 items, and nobody is told"), "s_like": (("store",), "dropped", "taken for a duplicate of another text that begins alike"),
 "s_rollback": (("overwrite",), "removed", "the last session begins with the state of the one before the last"), "s_blanked": (("overwrite",), "updated removed empty", "text emptied in the next session"), "s_shorter": (("overwrite",), "updated cut", "cut to a third in the next session"),
 "s_swap": (("altered_stored",), "other", "two neighbours' texts exchanged"), "s_label2": (("altered_stored",), "speaker", "kept under both names"),
 "r_oldest": (("retrieve",), "rank", "oldest first, whatever was asked"), "r_longest": (("retrieve",), "rank", "longest first"), "r_tailten": (("retrieve",), "rank - dropped", "only the worst three of ten"), "r_blind": (("retrieve",), "- rank dropped empty", "the question was lost, its first word searched"),
}
