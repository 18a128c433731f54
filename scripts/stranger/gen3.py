#!/usr/bin/env python3
"""gen3.py SEED -> cases.jsonl, plan.json: a third set of dialogues, with longer turns and other sorts of values (durations, floors,
addresses, scores, degrees, flights, comparisons). A fact holds its value, another one of its sort, its words in the other language and, fault by fault, what is replaced by what."""
import datetime as D, json, random, sys
R = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 41)
PEOPLE = {"en": [("Leonie", "Piotr"), ("Hazel", "Tomasz"), ("Bridget", "Emil")], "zh": [("许诺", "老魏"), ("方圆", "大鹏"), ("江月", "小武")]}
FILL = {"en": ["The dog from the second floor barked through the whole night, and I am tired.", "Have you seen the queue in front of the new ice cream shop?", "I should really go to bed earlier, but then there was that film.", "Oh well, it could be worse, I suppose.", "My tea is cold already.", "They dig up our street for the third time.", "You sound cheerful today!", "I lost a button and found a coin.", "The library smells of floor wax.", "Do you remember our old maths teacher?", "It is so windy that the bins walk down the road.", "I will tell you another time."],
 "zh": ["二楼的狗叫了一整夜，我困得很。", "新开的冰淇淋店门口排的队你看见了吗？", "我真该早点睡，可是那部电影太好看了。", "算了，还能更糟呢。", "茶已经凉了。", "我们那条街第三次开挖了。", "你今天听上去心情不错！", "我丢了一颗纽扣，捡了一枚硬币。", "图书馆里一股地板蜡的味道。", "你还记得我们的数学老师吗？", "风大得连垃圾桶都在路上走。", "下次再跟你说。"]}
MON = "January February March April May June July August September October November December".split()
def facts(en, who):
    """dicts: text, question, answer, value, alt (another of its sort), sort, xl (the text in the other language), subs, older"""
    out = []
    def f(sort, e, z, v, w, subs=None, older=None):
        a, b = (e, z) if en else (z, e); i = 0 if en else 1
        out.append(dict(text=a[0].format(v[i]), q=a[1].format(who), a=a[2].format(v[i]), value=v[i], alt=w[i], sort=sort, xl=b[0].format(v[1-i]), subs={k: x[i] for k, x in (subs or {}).items()}, older=older and older[i].format(w[i])))
    pick = lambda *L: R.sample(L, 2)
    same = lambda L: [(x, x) for x in L]
    v, w = pick(("six", "六"), ("nine", "九"), ("five", "五"), ("eleven", "十一"))
    f("number", ("The cast stays on my wrist for {} weeks, says the doctor, so there will be no tennis.", "For how many weeks does the cast stay on {}'s wrist?", "{} weeks"), ("医生说我手腕上的石膏要打{}个星期，网球是打不成了。", "{}手腕上的石膏要打几个星期？", "{}个星期"), v, w, dict(unit=(("weeks", "months"), ("个星期", "个月"))))
    v, w = pick(("third", "三"), ("fifth", "五"), ("eighth", "八"), ("second", "二"))
    f("number", ("They moved our office to the {} floor last week, and the view is much better.", "To which floor did they move {}'s office?", "{} floor"), ("上周我们的办公室搬到{}楼了，风景好多了。", "{}的办公室搬到几楼了？", "{}楼"), v, w)
    v, w = same([f"{x}{R.randint(11, 98)}@post.example" for x in R.sample(["otter", "maple", "quartz", "fjord", "tulip"], 2)])
    f("name", ("Please write to me at {} from now on, the old address does not work.", "To which address should one write to {} from now on?", "{}"), ("以后请写信到{}，旧地址不能用了。", "以后应该写信到{}的哪个地址？", "{}"), v, w)
    v, w = same([f"{x} {R.randint(201, 989)}" for x in R.sample(["LH", "KL", "CA", "MU"], 2)])
    f("number", ("My flight home is {}, with a very long stop in between.", "What is the number of {}'s flight home?", "{}"), ("我回家的航班是{}，中间要停很久。", "{}回家的航班号是多少？", "{}"), v, w)
    v, w = same(pick("3:1", "2:0", "4:2", "5:3"))
    f("number", ("Our handball team won {} on Sunday, and I even scored once.", "With which result did {}'s handball team win on Sunday?", "{}"), ("我们手球队周日{}赢了，我还进了一个球。", "{}的手球队周日以几比几赢的？", "{}"), v, w)
    v, w = same([f"-{x}" for x in R.sample(range(6, 29), 2)])
    f("number", ("It was {} degrees at the cabin in the morning, and the pipes were frozen.", "How many degrees was it at {}'s cabin in the morning?", "{} degrees"), ("早上小木屋那边{}度，水管都冻住了。", "{}的小木屋早上多少度？", "{}度"), v, w, dict(minus=(("It was -", "It was "), ("-", ""))))
    v, w = pick(("Mill Lane", "磨坊巷"), ("Abbey Row", "修道院街"), ("Harbour Street", "海港路"), ("Cherry Walk", "樱桃道"))
    n = R.randint(12, 87)
    f("name", (f"We live at {n} {{}} now, just behind the church.", "In which street does {} live now?", "{}"), (f"我们现在住在{{}}{n}号，就在教堂后面。", "{}现在住在哪条路？", "{}"), v, w, dict(house=((f"{n} ", f"{n+31} "), (f"{n}号", f"{n+31}号"))))
    v, w = pick(("Nadia Brook", "赵一鸣"), ("Oscar Lund", "钱多多"), ("Judith Vale", "孙小萌"), ("Marek Stein", "周大福"))
    f("name", ("{} lent me a tent for the trip to the lake, which was very kind.", "Who lent {} a tent for the trip to the lake?", "{}"), ("{}借给我一顶帐篷去湖边，人真好。", "谁借给{}一顶帐篷去湖边？", "{}"), v, w, dict(roles=((v[0]+" lent me", "I lent "+v[0]), (v[1]+"借给我", "我借给"+v[1]))))
    v, w = R.sample([("blue", "蓝色"), ("red", "红色"), ("silver", "银色"), ("yellow", "黄色")], 2)
    f("words", (f"The {{}} bike is heavier than the {w[0]} one, so I leave it in the garage.", "Which of {}'s bikes is heavier?", "the {} one"), (f"{{}}的自行车比{w[1]}的重，所以我把它放在车库里。", "{}哪辆自行车更重？", "{}的"), v, w, dict(compare=(("heavier", "lighter"), ("的重", "的轻")), swapboth=((f"The {v[0]} bike is heavier than the {w[0]}", f"The {w[0]} bike is heavier than the {v[0]}"), (f"{v[1]}的自行车比{w[1]}的", f"{w[1]}的自行车比{v[1]}的"))))
    v, w = pick(("chemistry", "化学"), ("geography", "地理"), ("Latin", "拉丁语"), ("history", "历史"))
    f("words", ("All of my students passed the {} test this spring, and we had cake.", "Which test did all of {}'s students pass this spring?", "{}"), ("今年春天我的学生全都通过了{}考试，我们吃了蛋糕。", "今年春天{}的学生全都通过了什么考试？", "{}"), v, w, dict(quant=(("All of", "None of"), ("全都通过了", "全都没通过"))))
    v, w = pick(("grey parrot", "灰鹦鹉"), ("tortoise", "乌龟"), ("white rabbit", "白兔"), ("ferret", "雪貂"))
    f("words", ("I adopted a {} in April, and it keeps me awake.", "Which animal did {} adopt in April?", "{}"), ("四月我收养了一只{}，吵得我睡不着。", "四月{}收养了什么动物？", "{}"), v, w, dict(tense=(("I adopted", "I want to adopt"), ("收养了", "想收养"))))
    v, w = same([f"{R.randint(6, 12)}:{R.randint(10, 29)}", f"{R.randint(13, 22)}:{R.randint(31, 59)}"])
    f("date", ("The bus to my aunt leaves at {} from the market square.", "At what time does the bus to {}'s aunt leave?", "{}"), ("去我姨妈家的大巴{}从集市广场开。", "去{}姨妈家的大巴几点开？", "{}"), v, w)
    v, w = pick(("violin teacher", "小提琴老师"), ("swimming coach", "游泳教练"), ("gardener", "园丁"), ("tax adviser", "税务顾问"))
    f("words", ("I am delighted with the new {}, and I say so to everybody.", "With whom is {} delighted?", "the new {}"), ("我对新来的{}非常满意，逢人就说。", "{}对谁非常满意？", "新来的{}"), v, w, dict(antonym=(("delighted", "disappointed"), ("满意", "失望"))))
    (m, d), (m2, d2) = [(R.randint(1, 12), R.randint(2, 27)) for _ in "ab"]
    v, w = [(f"{d} {MON[m-1]} 2027", f"2027年{m}月{d}日") for m, d in ((m, d), (m2, d2))]
    f("date", ("Our wedding party is on {}, so keep that evening free.", "On which date is {}'s wedding party?", "{}"), ("我们的婚宴定在{}，那天晚上你要空出来。", "{}的婚宴是哪一天？", "{}"), v, w, dict(season=((v[0], "spring 2027"), (v[1], "2027年春天")), monthonly=((v[0], f"{MON[m-1]} 2027"), (v[1], f"2027年{m}月"))))
    v, w = pick(("left knee", "左膝"), ("right ankle", "右脚踝"), ("left hip", "左髋"), ("right shoulder", "右肩"))
    f("words", ("I stopped jogging because of my {}, it hurts whenever it rains.", "Because of what did {} stop jogging?", "{}"), ("因为{}的毛病我不再慢跑了，一下雨就疼。", "{}因为什么毛病不再慢跑了？", "{}"), v, w, dict(side=(v[0] and (v[0].split()[0], {"left": "right", "right": "left"}[v[0].split()[0]]), (v[1][0], {"左": "右", "右": "左"}[v[1][0]]))))
    v, w = same([str(x) for x in R.sample(range(104, 987), 2)])
    f("number", ("My locker at the pool is number {} now, they gave me another one.", "What is the number of {}'s locker at the pool now?", "{}"), ("我在游泳馆的储物柜现在是{}号，换了一个。", "{}在游泳馆的储物柜现在是几号？", "{}号"), v, w, older=("My locker at the pool is number {}.", "我在游泳馆的储物柜是{}号。"))
    v, w = pick(("Iceland", "冰岛"), ("Morocco", "摩洛哥"), ("Peru", "秘鲁"), ("Japan", "日本"))
    f("neg", ("I have never been to {}, although everybody talks about it.", "Has {} ever been to "+v[0]+"?", "No, never."), ("我从来没去过{}，虽然大家都在说。", "{}去过"+v[1]+"吗？", "没去过。"), v, w, dict(neg=(("have never been", "have often been"), ("从来没去过", "经常去"))))
    return out
cases, plan = [], {}
def mk(lang, i):
    A, B = PEOPLE[lang][i]; cid = f"gn-{lang}-{i}"; F, Q = [], []
    for who in (A, B):
        for x in facts(lang == "en", who):
            s = R.randint(2, 3) if x["older"] else R.randint(0, 3)
            if x["older"]: F.append(dict(s=R.randint(0, 1), who=who, text=x["older"], p=None))
            f = dict(s=s, who=who, text=x["text"], p=dict(x, who=who, other=B if who == A else A)); F.append(f); Q.append((x["q"], x["a"], f))
    start = D.datetime(2026, R.randint(3, 8), R.randint(1, 9), 17); tid = 0; sess = []
    for s in range(4):
        L = [f for f in F if f["s"] == s]; R.shuffle(L)
        for _ in range(max(5, 22-len(L))): L.insert(R.randint(0, len(L)), dict(who=R.choice((A, B)), text=R.choice(FILL[lang]), p=None))
        st = start+D.timedelta(days=13*s); turns = []
        for j, f in enumerate(L):
            tid += 1; f["tid"] = tid
            turns.append(dict(turn_id=tid, role="user" if f["who"] == A else "assistant", name=f["who"], text=f["text"], time=(st+D.timedelta(minutes=4*j)).strftime("%Y-%m-%dT%H:%M:%SZ")))
            if f["p"]: plan[f"{cid}|{tid}"] = dict(f["p"], type=f["p"]["sort"])
        sess.append(dict(session_id=f"s{s+1}", time=st.strftime("%Y-%m-%dT%H:%M:%SZ"), turns=turns))
    cases.append(dict(case_id=cid, dataset="blind", conv_id=cid, unit="turn", speakers=[A, B], sessions=sess,
        questions=[dict(question_id=f"{cid}/q{n}", question=q, answer=a, category="IE", raw_category="fact", evidence=[dict(conv_id=cid, turn_id=f["tid"])]) for n, (q, a, f) in enumerate(Q, 1)]))
for i in range(3): mk("en", i); mk("zh", i)
open("cases.jsonl", "w").write("".join(json.dumps(c, ensure_ascii=False)+"\n" for c in cases))
json.dump(plan, open("plan.json", "w"), ensure_ascii=False, indent=0)
print(len(cases), "cases", [sum(len(s["turns"]) for s in c["sessions"]) for c in cases], sum(len(c["questions"]) for c in cases), "questions")
