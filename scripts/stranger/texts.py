"""What the lists of faults do with texts: f(text, plan) → text, where the plan (gen.py) says what value the text has, and another one."""
import re
han = lambda t: bool(re.search(r"[\u3400-\u9fff]", t))
MON = "January February March April May June July August September October November December".split()
def terms(t):
    t = t.lower(); w = re.findall(r"[a-z0-9]+", t)
    for r in re.findall(r"[\u3400-\u9fff]+", t): w += [r[i:i+2] for i in range(max(1, len(r)-1))]
    return w
W = lambda t: re.findall(r"\S+", t) if not han(t) else re.findall(r"[一-鿿]|[^一-鿿]+", t)
J = lambda w, t: (" " if not han(t) else "").join(w)
def val(p, t): v = p.get("value", ""); return v if v and v in t else ""
any_ = lambda g: lambda t, p: g(t)
sub = lambda k: lambda t, p: t.replace(*p["subs"][k]) if p.get("subs", {}).get(k) else t  # as the plan says
def both(en, zh): return lambda t, p: re.sub(*(zh if han(t) else en), t, count=1)  # one rule for each language: pattern and replacement
def put(new, types=None):  # the value by another text
    def g(t, p):
        v = val(p, t)
        if not v or types and p.get("type") not in types: return t
        n = new(v, han(t)); return t.replace(v, n) if n else t
    return g
