"""The third list, for the dialogues of set 2: written on 23 November 2026, 03:20, before the comparing code was read."""
import hashlib, re
from texts import han, any_, sub
def mid(t): n = len(t); return t[:n//4]+" … "+t[3*n//4:]
def halfwords(t): return " ".join(t.split()[::2]) if not han(t) else t[::2]
def vowels(t): return re.sub("[aeiou]", "", t) if not han(t) else "".join(c for i, c in enumerate(t) if i % 3 != 1)
def gbk(t): return t.encode().decode("gbk", "replace") if han(t) else t.encode("cp037").decode("latin-1")
def homo(t): return t.translate(str.maketrans("aeopcxy", "аеорсху"))
def leet(t): return t.translate(str.maketrans("aeiost", "431057"))
def shuffle(t):
    w = t.split() if not han(t) else list(t); return (" " if not han(t) else "").join(sorted(w, key=lambda x: hashlib.md5(x.encode()).hexdigest()))
TEXTS = {
 "place": (sub("place"), "name", "another town"), "given": (sub("given"), "name", "another given name"), "family": (sub("family"), "name", "another family name"), "initials": (sub("initials"), "name cut words", "a name became initials"),
 "clock": (sub("clock"), "date", "another clock time"), "halfday": (sub("halfday"), "date words", "morning became evening"), "weekday": (sub("weekday"), "date", "another weekday"), "month": (sub("month"), "date", "another month"), "year2": (sub("year2"), "date", "another year"),
 "spelled": (sub("spelled"), "number", "another number in words"), "unit2": (sub("unit2"), "number", "another unit"), "currency": (sub("currency"), "number", "another currency"), "decimal": (sub("decimal"), "number", "decimal point moved"), "digit0": (sub("digit0"), "number", "a zero too many"),
 "percent": (sub("percent"), "number", "another share"), "phone": (sub("phone"), "number", "another telephone number"), "mask": (sub("mask"), "words cut name number", "value masked"), "vague1": (sub("vague1"), "words cut number date name", "value made vague"),
 "thing2": (sub("thing2"), "words name", "another thing"), "notthing": (sub("notthing"), "negated", "denied"), "neglost": (sub("neglost"), "negated words", "never became always"), "neglost2": (sub("neglost2"), "negated cut", "never lost"),
 "swaproles": (sub("swaproles"), "words name other speaker", "who does what, exchanged"), "listcut": (sub("listcut"), "cut", "the list's rest lost"), "listother": (sub("listother"), "words name", "one item of a list replaced"), "orelse": (sub("orelse"), "added", "a rival value put in"), "swapvalue": (sub("swapvalue"), "name words", "value of somebody else"),
 "stale": (lambda t, p: p.get("older") or t, "older", "older value in place of the newer"),
 "entities": (any_(lambda t: "".join(f"&#{ord(c)};" for c in t)), "encoding", "every character a numeric entity"),
 "urlenc": (any_(lambda t: "".join(f"%{b:02X}" for b in t.encode())), "encoding", "percent-encoded"),
 "hex": (any_(lambda t: t.encode().hex()), "encoding", "bytes in hexadecimal"),
 "uesc": (any_(lambda t: "".join(f"\\u{ord(c):04x}" for c in t)), "encoding", "escaped as in JSON, all of it"),
 "gbk": (any_(gbk), "encoding", "read as GBK, or as EBCDIC"),
 "homo": (any_(homo), "encoding words", "Latin letters became Cyrillic ones"),
 "leet": (any_(leet), "encoding words number", "letters became digits"),
 "zwj": (any_(lambda t: "\u200d".join(t)), "encoding words", "an invisible character between any two"),
 "stars": (any_(lambda t: re.sub(r"[^\W_]", "*", t)), "encoding cut words empty", "every letter masked"),
 "middle": (any_(mid), "cut", "the middle lost"), "halfwords": (any_(halfwords), "cut", "every other word lost"), "vowels": (any_(vowels), "cut encoding words", "letters lost here and there"),
 "ellipsis": (any_(lambda t: t[:max(3, len(t)//5)]+"…"), "cut", "a preview in place of the text"),
 "lastword": (any_(lambda t: (t.split()[-1] if not han(t) else t[-3:])), "cut", "only the end kept"),
 "shuffle": (any_(shuffle), "words encoding other", "words in another order"),
 "null": (any_(lambda t: "null"), "empty other identifier", "the word null"), "dots": (any_(lambda t: "..."), "empty", "only punctuation"), "newline": (any_(lambda t: "\n\t"), "empty", "only white space"),
 "error503": (any_(lambda t: "Error 503: upstream timed out" if not han(t) else "错误 503：上游超时"), "other", "a message of failure in place of the text"),
 "template": (any_(lambda t: "{{memory.content}}"), "identifier other empty", "a template that nobody filled"),
 "asanai": (any_(lambda t: "As a language model I keep no personal details." if not han(t) else "作为语言模型，我不保存个人信息。"), "other", "a model's refusal in place of the text"),
 "uuid": (any_(lambda t: "-".join(re.fullmatch("(.{8})(.{4})(.{4})(.{4})(.{12})", hashlib.md5(t.encode()).hexdigest()).groups())), "identifier", "a UUID"),
 "sha": (any_(lambda t: "sha256:"+hashlib.sha256(t.encode()).hexdigest()), "identifier", "a digest"),
 "link": (any_(lambda t: "https://store.example/m/"+hashlib.md5(t.encode()).hexdigest()[:9]), "identifier", "a link"),
 "untrue": (any_(lambda t: ("It is not true that: " if not han(t) else "以下不属实：")+t), "negated added", "denied in front"),
 "proverb": (any_(lambda t: "Many hands make light work, as my grandmother said." if not han(t) else "老话说得好，人多力量大。"), "other", "a saying in place of the text"),
}
EVENTS = {
 "s_collide": (("overwrite", "store"), "updated dropped removed", "two turns under one id, the later one stays"),
 "s_expire": (("overwrite",), "removed", "gone without a word after some sessions"),
 "s_anon": (("altered_stored",), "speaker", "kept under 'N.N.'"),
 "s_later": (("altered_stored",), "date", "every date before the text a year late"),
 "r_other": (("retrieve",), "- rank dropped empty", "only what the other speaker said is searched"),
 "r_one": (("retrieve",), "- rank dropped", "one hit, the second best"),
 "r_anon": (("altered_retrieved",), "speaker", "returned under 'N.N.'"),
}
# Two at once, on the same turns: the first is the one that loses it first.
PAIRS = [a+"+"+b for a, b in [("s_place", "r_ellipsis"), ("s_clock", "r_gbk"), ("s_middle", "r_uuid"), ("s_entities", "r_spelled"), ("s_spelled", "r_null"), ("s_neglost", "r_proverb"), ("s_given", "r_shift"),
 ("s_unit2", "r_lag"), ("s_asanai", "r_ids"), ("s_halfwords", "s_del_later"), ("s_thing2", "s_over_later"), ("s_drop", "r_foreign"), ("s_del", "r_nohits"), ("s_over", "r_place"), ("s_del_later", "r_hex"), ("s_drop", "r_ellipsis"),
 ("r_weekday", "c_long"), ("r_ellipsis", "c_tokens"), ("r_lag", "c_long"), ("s_month", "c_tokens"), ("s_stale", "r_neighbour"), ("s_mask", "r_hex"), ("s_link", "r_link"), ("s_listcut", "r_listother")]]
