"""All lists of faults in one form, and what a fair reader would call each of them. `python3 faults.py N` prints the names of list N.

A list (list1.py …) has TEXTS: name → (damage of a text, right kinds, what happens), planted when stored (s_NAME) and when returned (r_NAME); SAME: renderings that keep all that
was said, of which nothing may be called "altered"; EVENTS: name → (right hops, right kinds, what happens), done by the memory (mem.py, or CODE of the list); LOST: damage of which
"never stored" is as right; PAIRS: two at once, on the same turns. Of several kinds each is right; "-": none given is right too, and damage may pass for none. The first list has a
second one behind it."""
import importlib, sys
LISTS = {n: importlib.import_module(f"list{n}") for n in (1, 3, 4, 5, 6, 7, 8, 9)}
TEXT, CODE, X, NAMES = {}, {}, {}, {}
def add(n, name, hops, kinds, what):
    assert name not in X, name
    X[name] = ((hops,) if isinstance(hops, str) else hops, kinds.split(), what); NAMES[n].append(name)
KEPT, FINE = ("store", "overwrite", "retrieve", "context", "read", "judge", "gold"), " - refused echoed invented rank dropped"
for n, m in LISTS.items():
    NAMES[n] = []; lost = getattr(m, "LOST", ()); same = getattr(m, "SAME", {})
    for k, v in [*m.TEXTS.items(), *same.items()]: assert k not in TEXT, k; TEXT[k] = v[0]
    for k, (_, kinds, what) in m.TEXTS.items():
        may = "-" in kinds.split()
        for x, hops in ("s_", ("altered_stored", "store") if k in lost else ("altered_stored",)), ("r_", ("altered_retrieved",)): add(n, x+k, hops+KEPT*may, kinds+FINE*may, what)
    for k, (_, what) in same.items():
        for x in "sr": add(n, x+"_"+k, KEPT, FINE, "kept whole: "+what)
    for k, v in m.EVENTS.items(): add(n, k, *v)
    CODE |= getattr(m, "CODE", {})
    for pair in getattr(m, "PAIRS", ()): add(n, pair, X[pair.split("+")[0]][0], " ".join(X[pair.split("+")[0]][1]), "both, the first loses it first")
if __name__ == "__main__": print(*NAMES[int(sys.argv[1])])
