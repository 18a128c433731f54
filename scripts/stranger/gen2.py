#!/usr/bin/env python3
"""gen2.py SEED -> cases.jsonl, plan.json: a second set of dialogues. A fact names, fault by fault, what is replaced by what ("subs")."""
import datetime as D, json, random, sys
R = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 23)
PEOPLE = {"en": [("Marta", "Devin"), ("Ruth", "Anselm"), ("Tilda", "Jorge")], "zh": [("周宁", "老韩"), ("白露", "阿坤"), ("孙倩", "大刘")]}
FILL = {"en": ["The kettle is making that noise again.", "I could not find my other glove.", "How was your weekend?", "The radio played nothing but old songs.", "My neighbour waved at me for once.", "Rain, rain and more rain.", "You would have laughed.", "I had soup and went to bed early.", "The printer ate another page.", "Let me think about that.", "The stairs smell of paint.", "Somebody left the window open."],
 "zh": ["水壶又在响了。", "另一只手套找不到了。", "周末过得怎么样？", "收音机里全是老歌。", "邻居难得跟我打了招呼。", "雨下个不停。", "你听了肯定会笑。", "我喝了点汤就睡了。", "打印机又卡纸了。", "让我想一想。", "楼道里都是油漆味。", "谁把窗户开着没关。"]}
def pick(*L): return R.sample(L, 2)
def facts(en, who, other):
    """(text, question, answer, {fault: (old, new)}, older text or None)"""
    def f(e, z, **subs): t = e if en else z; return t[0], t[1], t[2], subs, t[3] if len(t) > 3 else None
    n = lambda a, b: a if en else b
    c, c2 = pick("Kaunas", "Braga", "Leeds", "Odense") if en else pick("烟台", "温州", "大理", "保定")
    m, m2 = pick("Olga Petersen", "Nora Feld", "Iris Quinn", "Ella Moss") if en else pick("王丽华", "赵志远", "陈晓梅", "刘建国")
    h, h2 = R.sample(["seven", "eight", "nine", "ten"], 2) if en else R.sample("七八九十", 2)
    d, d2 = R.sample(["Monday", "Tuesday", "Thursday", "Saturday"], 2) if en else R.sample(["周一", "周二", "周四", "周六"], 2)
    mo, mo2 = R.sample(["March", "June", "October"], 2) if en else R.sample(["三月", "六月", "十月"], 2)
    y, y2 = R.sample(["1998", "2003", "2009", "2015"], 2)
    w, w2 = R.sample([("twelve", "十二"), ("fifteen", "十五"), ("twenty", "二十"), ("forty", "四十")], 2)
    kg, pr, pc, ph = R.randint(12, 48), R.randint(11, 97)*10, R.randint(4, 38), f"555-{R.randint(1010, 9890)}"
    p, p2 = R.sample([("figs", "无花果"), ("plums", "李子"), ("peanuts", "花生"), ("olives", "橄榄")], 2)
    i, i2 = R.sample([("cello", "大提琴"), ("flute", "长笛"), ("harp", "竖琴"), ("organ", "风琴")], 2)
    b, b2 = R.sample([("copper kettle", "铜壶"), ("glass lamp", "玻璃灯"), ("wicker basket", "藤篮"), ("felt hat", "毡帽")], 2)
    pin, pin2 = R.sample(range(2013, 9899), 2)
    L = lambda x: x[0] if en else x[1]
    N = n(f"My landlord is called {m}.", f"我的房东叫{m}。")
    return [
     f((f"I grew up in {c} before we moved.", f"Where did {who} grow up?", c), (f"搬家以前我是在{c}长大的。", f"{who}是在哪里长大的？", c), place=(c, c2), swapvalue=(c, c2), mask=(c, "***"), vague1=(c, n("that town", "那个地方")), orelse=(c, n(f"{c} or {c2}", f"{c}或者{c2}"))),
     f((N, f"What is the name of {who}'s landlord?", m), (N, f"{who}的房东叫什么名字？", m), given=(m, m2.split()[0]+" "+m.split()[1] if en else m[0]+m2[1:]), family=(m, m.split()[0]+" "+m2.split()[1] if en else m2[0]+m[1:]), swapvalue=(m, m2), mask=(m, "[PERSON]"), initials=(m, ". ".join(x[0] for x in m.split())+"." if en else m[0]+"某")),
     f((f"My yoga class begins at {h} in the morning.", f"At what time does {who}'s yoga class begin?", f"{h} in the morning"), (f"我的瑜伽课早上{h}点开始。", f"{who}的瑜伽课几点开始？", f"早上{h}点"), clock=(h, h2), ampm=(n("in the morning", "早上"), n("in the evening", "晚上"))),
     f((f"The choir rehearses every {d}.", f"On which day does {who}'s choir rehearse?", d), (f"合唱团每{d}排练。", f"{who}的合唱团每周哪天排练？", d), weekday=(d, d2), vague1=(d, n("week", "周"))),
     f((f"We are getting the roof repaired in {mo}.", f"In which month does {who} get the roof repaired?", mo), (f"我们打算{mo}修屋顶。", f"{who}打算几月修屋顶？", mo), month=(mo, mo2)),
     f((f"I opened the workshop back in {y}.", f"In which year did {who} open the workshop?", y), (f"我的作坊是{y}年开的。", f"{who}的作坊是哪一年开的？", f"{y}年"), year2=(y, y2)),
     f((f"There are {L(w)} chairs in the reading room.", f"How many chairs are in {who}'s reading room?", L(w)), (f"阅览室里有{L(w)}把椅子。", f"{who}的阅览室里有多少把椅子？", f"{L(w)}把"), spelled=(L(w), L(w2)), vague1=(L(w), n("some", "几"))),
     f((f"The suitcase of mine weighs {kg} kg.", f"How much does {who}'s suitcase weigh?", f"{kg} kg"), (f"我的行李箱重{kg}公斤。", f"{who}的行李箱有多重？", f"{kg}公斤"), unit2=(n(" kg", "公斤"), n(" g", "克")), decimal=(str(kg), f"{kg/10}"), digit0=(str(kg), f"{kg}0")),
     f((f"The bicycle of mine cost {pr} dollars.", f"How many dollars did {who}'s bicycle cost?", f"{pr} dollars"), (f"我的自行车花了{pr}元。", f"{who}的自行车花了多少钱？", f"{pr}元"), currency=(n("dollars", f"{pr}元"), n("pesos", f"{pr}卢布")), decimal=(str(pr), f"{pr/10}"), digit0=(str(pr), f"{pr}0")),
     f((f"My rent went up by {pc} percent.", f"By how much did {who}'s rent go up?", f"{pc} percent"), (f"我的房租涨了{pc}%。", f"{who}的房租涨了多少？", f"{pc}%"), percent=(str(pc), str(pc+31)), unit2=(n("percent", f"{pc}%"), n("dollars", f"{pc}元"))),
     f((f"The number of my plumber is {ph}.", f"What is the number of {who}'s plumber?", ph), (f"我那个水管工的电话是{ph}。", f"{who}的水管工电话是多少？", ph), phone=(ph, ph[:4]+str(int(ph[4:])+101)), mask=(ph, "555-****")),
     f((f"I am allergic to {L(p)}, so no cake for me.", f"What is {who} allergic to?", L(p)), (f"我对{L(p)}过敏，蛋糕就算了。", f"{who}对什么过敏？", L(p)), thing2=(L(p), L(p2)), notthing=(n("am allergic", "过敏"), n("am not allergic", "不过敏")), orelse=(L(p), n(f"{L(p)} or {L(p2)}", f"{L(p)}或者{L(p2)}"))),
     f((f"I play the {L(i)}, my sister plays the drums.", f"Which instrument does {who} play?", L(i)), (f"我拉{L(i)}，我姐姐打鼓。", f"{who}会什么乐器？", L(i)), swaproles=(n(f"I play the {L(i)}, my sister plays the drums", f"我拉{L(i)}，我姐姐打鼓"), n(f"My sister plays the {L(i)}, I play the drums", f"我姐姐拉{L(i)}，我打鼓")), thing2=(L(i), L(i2))),
     f((f"I bought candles, string and a {L(b)} at the fair.", f"What did {who} buy at the fair besides candles and string?", L(b)), (f"我在集市上买了蜡烛、绳子和{L(b)}。", f"除了蜡烛和绳子，{who}在集市上还买了什么？", L(b)), listcut=(n(f", string and a {L(b)}", f"、绳子和{L(b)}"), ""), listother=(L(b), L(b2))),
     f((f"I never drink coffee after lunch.", f"Does {who} drink coffee after lunch?", "No, never."), ("我午饭后从来不喝咖啡。", f"{who}午饭后喝咖啡吗？", "不喝。"), neglost=(n("never", "从来不"), n("always", "总是")), neglost2=(n("never ", "从来不"), "")),
     f((f"The PIN of my garage is {pin2}, it was changed.", f"What is the PIN of {who}'s garage now?", str(pin2), f"The PIN of my garage is {pin}."), (f"我车库的密码换成{pin2}了。", f"{who}车库现在的密码是多少？", str(pin2), f"我车库的密码是{pin}。"), stale=(None, None), mask=(str(pin2), "####")),
    ]
cases, plan = [], {}
def mk(lang, i):
    A, B = PEOPLE[lang][i]; en = lang == "en"; cid = f"st-{lang}-{i}"; F, Q = [], []
    for who in (A, B):
        for text, q, a, subs, old in facts(en, who, B if who == A else A):
            f = dict(s=R.randint(2, 3) if old else R.randint(0, 3), who=who, text=text, p=dict(subs=subs, older=old, value=a))
            if old: F.append(dict(s=R.randint(0, 1), who=who, text=old, p=None))
            F.append(f); Q.append((q, a, f))
    start = D.datetime(2025, R.randint(2, 9), R.randint(1, 9), 18); tid = 0; sess = []
    for s in range(4):
        L = [f for f in F if f["s"] == s]; R.shuffle(L)
        for _ in range(max(4, 20-len(L))): L.insert(R.randint(0, len(L)), dict(who=R.choice((A, B)), text=R.choice(FILL[lang]), p=None))
        st = start+D.timedelta(days=11*s); turns = []
        for j, f in enumerate(L):
            tid += 1; f["tid"] = tid
            turns.append(dict(turn_id=tid, role="user" if f["who"] == A else "assistant", name=f["who"], text=f["text"], time=(st+D.timedelta(minutes=3*j)).strftime("%Y-%m-%dT%H:%M:%SZ")))
            if f["p"]: plan[f"{cid}|{tid}"] = dict(f["p"], text=f["text"], who=f["who"])
        sess.append(dict(session_id=f"s{s+1}", time=st.strftime("%Y-%m-%dT%H:%M:%SZ"), turns=turns))
    cases.append(dict(case_id=cid, dataset="blind", conv_id=cid, unit="turn", speakers=[A, B], sessions=sess,
        questions=[dict(question_id=f"{cid}/q{n}", question=q, answer=a, category="IE", raw_category="fact", evidence=[dict(conv_id=cid, turn_id=f["tid"])]) for n, (q, a, f) in enumerate(Q, 1)]))
for i in range(3): mk("en", i); mk("zh", i)
open("cases.jsonl", "w").write("".join(json.dumps(c, ensure_ascii=False)+"\n" for c in cases))
json.dump(plan, open("plan.json", "w"), ensure_ascii=False, indent=0)
print(len(cases), "cases", [sum(len(s["turns"]) for s in c["sessions"]) for c in cases], sum(len(c["questions"]) for c in cases), "questions")
