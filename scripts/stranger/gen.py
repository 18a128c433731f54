#!/usr/bin/env python3
"""gen.py SET SEED -> cases.jsonl, plan.json: dialogues of one of six sets, half of them Chinese. The plan says what each gold turn holds: its
value, another one of its sort (alt), and fault by fault what is replaced by what (subs). The evaluated tool never sees it."""
import datetime as D, json, random, sys
SET, R = int(sys.argv[1]), random.Random(int(sys.argv[2]))
MON = "January February March April May June July August September October November December".split()
def pick(*L): return R.sample(L, 2)
def same(L): return [(x, x) for x in L]

PEOPLE1 = {"en": [("Ines", "Harald"), ("Owen", "Sabine"), ("Petra", "Callum"), ("Yusuf", "Greta")], "zh": [("林晓", "阿杰"), ("苏敏", "老秦"), ("郑越", "小唐"), ("何静", "阿峰")]}
FILL1 = {"en": ["Did you sleep well?", "The tram was late again and everybody grumbled.", "I listened to the rain for a while.", "Let us talk about something nicer.", "That is funny, tell me more.", "The bakery has changed its opening hours, I think.", "I spilled coffee over the newspaper.", "Somebody practises trumpet below my window.", "The neighbours painted the fence.", "You always say that.", "I read half a novel on the train.", "Hmm, I am not sure about it.", "The lift is broken, so I took the stairs.", "We watched an old film and fell asleep.", "It smells of autumn outside.", "My umbrella turned inside out.", "There was a queue at the post office.", "I could not find my gloves.", "Good idea, we should do that.", "The radio only plays adverts now."],
 "zh": ["昨晚睡得好吗？", "电车又晚点了，大家都在抱怨。", "我听了一会儿雨声。", "我们聊点别的吧。", "真有意思，多说说。", "面包店好像改了营业时间。", "咖啡洒在报纸上了。", "楼下有人在练小号。", "邻居把篱笆刷了一遍漆。", "你总是这么说。", "火车上我读了半本小说。", "嗯，我也说不准。", "电梯坏了，我走的楼梯。", "看了一部老电影，看着看着睡着了。", "外面有秋天的味道。", "伞被风吹翻了。", "邮局里排了很长的队。", "手套怎么也找不到了。", "好主意，就这么办。", "广播里现在全是广告。"]}
POOL1 = {"city": (["Tampere", "Bergamo", "Cork", "Aarhus", "Toledo", "Graz", "Lugano", "Malmo"], ["大连", "桂林", "昆明", "厦门", "兰州", "洛阳", "扬州", "珠海"]), "boat": (["Nightjar", "Saltwind", "Marigold", "Kestrel", "Bramble", "Juniper", "Peregrine", "Thistle"], ["白鹭号", "海风号", "金盏号", "银杏号", "远帆号", "晨星号"]), "doc": (["Okafor", "Lindqvist", "Marchetti", "Novak", "Pereira", "Haddad", "Brandt", "Kowalski"], ["欧阳", "沈", "陆", "贺", "尹", "邵", "温", "褚"]), "food": (["shrimp", "walnuts", "cheese", "mushrooms", "pork", "lentils"], ["虾", "核桃", "奶酪", "蘑菇", "猪肉", "花生"]), "soup": (["leek soup", "goulash", "minestrone", "pumpkin soup", "borscht", "fish chowder", "onion soup", "ramen"], ["冬瓜汤", "酸辣汤", "紫菜汤", "羊肉汤", "番茄汤", "鱼头汤", "莲藕汤", "豆腐汤"]), "car": (["green Skoda", "red Fiat", "grey Volvo", "white Dacia", "blue Seat", "black Opel"], ["绿色斯柯达", "红色菲亚特", "灰色沃尔沃", "白色大众", "蓝色丰田", "黑色本田"]), "thing": (["accordion", "canoe", "sewing machine", "telescope", "typewriter", "loom"], ["手风琴", "皮划艇", "缝纫机", "望远镜", "打字机", "织布机"])}
def facts1(en, who, other):
    pool = lambda k: R.sample(POOL1[k][not en], 2)
    def f(typ, e, z, value, alt, generic, older=None, **x): t = e if en else z; return dict(text=t[0], q=t[1], a=t[2], type=typ, value=value, alt=alt, generic=generic[not en], older=older, **x)
    c, b, d, so, car, fo, th = (pool(k) for k in "city boat doc soup car food thing".split())
    n = R.randint(21, 98)*10+R.randint(1, 9); m, day, k = R.randint(1, 12), R.randint(2, 26), R.randint(4, 19); x, y = R.sample(range(1011, 9899), 2)
    date = lambda m: f"{day} {MON[m-1]} 2026" if en else f"2026年{m}月{day}日"
    return [
     f("place", (f"My brother moved to {c[0]} and rents a small flat there.", f"Which city did {who}'s brother move to?", c[0]), (f"我哥哥搬到{c[0]}去了，在那边租了一间小公寓。", f"{who}的哥哥搬到哪个城市去了？", c[0]), *c, ("somewhere", "某个地方")),
     f("name", (f"My dentist is Doctor {d[0]}, two streets away from here.", f"Who is {who}'s dentist?", f"Doctor {d[0]}"), (f"我的牙医是{d[0]}医生，离这里两条街。", f"{who}的牙医是谁？", f"{d[0]}医生"), *d, ("someone", "某")),
     f("thing", (f"My favourite soup is {so[0]}, nothing else comes near.", f"What is {who}'s favourite soup?", so[0]), (f"我最喜欢的汤是{so[0]}，别的都比不上。", f"{who}最喜欢的汤是什么？", so[0]), *so, ("something", "某样东西")),
     f("number", (f"The new greenhouse cost me {n} euros in the end.", f"How many euros did {who}'s new greenhouse cost in the end?", f"{n} euros"), (f"新的温室最后花了我{n}欧元。", f"{who}的新温室最后花了多少欧元？", f"{n}欧元"), str(n), str(n+30), ("some", "若干")),
     f("date", (f"The piano exam is on {date(m)}, and I am nervous already.", f"On which date is {who}'s piano exam?", date(m)), (f"钢琴考试定在{date(m)}，我已经紧张了。", f"{who}的钢琴考试是哪一天？", date(m)), date(m), date(m%12+1), ("some day", "某天")),
     f("unit", (f"My morning run along the canal is {k} kilometres.", f"How long is {who}'s morning run along the canal?", f"{k} kilometres"), (f"我每天沿运河晨跑{k}公里。", f"{who}每天沿运河晨跑多远？", f"{k}公里"), str(k), str(k+5), ("some", "一些")),
     f("name", (f"We finally named the boat {b[0]} and drank to it.", f"What did {who} name the boat?", b[0]), (f"我们终于给船取名叫{b[0]}，还喝了一杯。", f"{who}给船取了什么名字？", b[0]), *b, ("something", "某号")),
     f("thing", (f"I looked at many cars last month. In the end I bought a {car[0]}.", f"Which car did {who} buy in the end?", car[0]), (f"上个月我看了很多车。最后我买了一辆{car[0]}。", f"{who}最后买了一辆什么车？", car[0]), *car, ("car", "车")),
     f("neg", (f"I do not eat {fo[0]} any more.", f"Does {who} eat {fo[0]}?", f"No, {who} does not eat {fo[0]} any more."), (f"我现在不吃{fo[0]}了。", f"{who}现在吃{fo[0]}吗？", f"不，{who}不吃{fo[0]}了。"), *fo, ("things", "东西")),
     f("update", (f"The door code of my cellar is {y} now, they changed it.", f"What is the door code of {who}'s cellar now?", str(y)), (f"我家地窖的门锁密码现在是{y}，换过了。", f"{who}家地窖的门锁密码现在是多少？", str(y)), str(y), str(x), ("different", "别的"), older=f"The door code of my cellar is {x}." if en else f"我家地窖的门锁密码是{x}。"),
     f("when", (f"Today I sold the old {th[0]}.", f"On which day did {who} sell the old {th[0]}?", None), (f"今天我把旧{th[0]}卖掉了。", f"{who}是哪天把旧{th[0]}卖掉的？", None), th[0], "", ("thing", "东西")),
    ]

PEOPLE2 = {"en": [("Marta", "Devin"), ("Ruth", "Anselm"), ("Tilda", "Jorge")], "zh": [("周宁", "老韩"), ("白露", "阿坤"), ("孙倩", "大刘")]}
FILL2 = {"en": ["The kettle is making that noise again.", "I could not find my other glove.", "How was your weekend?", "The radio played nothing but old songs.", "My neighbour waved at me for once.", "Rain, rain and more rain.", "You would have laughed.", "I had soup and went to bed early.", "The printer ate another page.", "Let me think about that.", "The stairs smell of paint.", "Somebody left the window open."],
 "zh": ["水壶又在响了。", "另一只手套找不到了。", "周末过得怎么样？", "收音机里全是老歌。", "邻居难得跟我打了招呼。", "雨下个不停。", "你听了肯定会笑。", "我喝了点汤就睡了。", "打印机又卡纸了。", "让我想一想。", "楼道里都是油漆味。", "谁把窗户开着没关。"]}
def facts2(en, who, other):
    def f(e, z, **subs): t = e if en else z; return dict(text=t[0], q=t[1], a=t[2], value=t[2], subs=subs, older=t[3] if len(t) > 3 else None)
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
     f((f"My yoga class begins at {h} in the morning.", f"At what time does {who}'s yoga class begin?", f"{h} in the morning"), (f"我的瑜伽课早上{h}点开始。", f"{who}的瑜伽课几点开始？", f"早上{h}点"), clock=(h, h2), halfday=(n("in the morning", "早上"), n("in the evening", "晚上"))),
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

PEOPLE3 = {"en": [("Leonie", "Piotr"), ("Hazel", "Tomasz"), ("Bridget", "Emil")], "zh": [("许诺", "老魏"), ("方圆", "大鹏"), ("江月", "小武")]}
FILL3 = {"en": ["The dog from the second floor barked through the whole night, and I am tired.", "Have you seen the queue in front of the new ice cream shop?", "I should really go to bed earlier, but then there was that film.", "Oh well, it could be worse, I suppose.", "My tea is cold already.", "They dig up our street for the third time.", "You sound cheerful today!", "I lost a button and found a coin.", "The library smells of floor wax.", "Do you remember our old maths teacher?", "It is so windy that the bins walk down the road.", "I will tell you another time."],
 "zh": ["二楼的狗叫了一整夜，我困得很。", "新开的冰淇淋店门口排的队你看见了吗？", "我真该早点睡，可是那部电影太好看了。", "算了，还能更糟呢。", "茶已经凉了。", "我们那条街第三次开挖了。", "你今天听上去心情不错！", "我丢了一颗纽扣，捡了一枚硬币。", "图书馆里一股地板蜡的味道。", "你还记得我们的数学老师吗？", "风大得连垃圾桶都在路上走。", "下次再跟你说。"]}
def sorted_facts(en, who): # what facts3 and facts4 make one of: both languages' (text, question, answer), the value and another of its sort in both
    out = []
    def f(sort, e, z, v, w, subs=None, older=None):
        a, b = (e, z) if en else (z, e); i = 0 if en else 1
        out.append(dict(text=a[0].format(v[i]), q=a[1].format(who), a=a[2].format(v[i]), value=v[i], alt=w[i], sort=sort, type=sort, xl=b[0].format(v[1-i]), subs={k: x[i] for k, x in (subs or {}).items()}, older=older and older[i].format(w[i])))
    return out, f
def facts3(en, who, other):
    out, f = sorted_facts(en, who)
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

PEOPLE4 = {"en": [("Agnes", "Rafael"), ("Nell", "Hugo"), ("Carmen", "Otto")], "zh": [("程程", "老方"), ("林夏", "阿伟"), ("何晴", "大志")]}
FILL4 = {"en": ["I had to laugh about the parrot in the pet shop.", "Are you still awake?", "The heating makes a strange noise, like a kettle.", "We should phone more often, don't you think?", "There is fog over the fields today.", "Sorry, I was in the garden and did not hear it.", "My shoes are soaked.", "That reminds me of school.", "The milk has gone off again.", "Somebody parked in front of our gate.", "Well, well, who would have thought so.", "I am knitting something, but nobody knows what."],
 "zh": ["宠物店的那只鹦鹉把我逗笑了。", "你还没睡吗？", "暖气怪响的，跟水壶似的。", "咱们该多打打电话，你说呢？", "今天田里起了雾。", "不好意思，我在院子里没听见。", "我的鞋全湿透了。", "这让我想起上学的时候。", "牛奶又坏了。", "有人把车停在我家门口。", "哎呀，谁想得到呢。", "我在织东西，可谁也看不出是什么。"]}
def facts4(en, who, other):
    out, f = sorted_facts(en, who)
    a, b = R.sample(range(3, 19), 2); n = R.randint(105, 985)
    v, w = same([f"{a},{n}", f"{b},{n}"])
    f("number", ("The new kitchen cost us {} euros altogether, tiles included.", "How many euros did {}'s new kitchen cost altogether?", "{} euros"), ("新厨房连瓷砖一共花了我们{}欧元。", "{}的新厨房一共花了多少欧元？", "{}欧元"), v, w, dict(locale=((f"{a},{n}", f"{a}.{n}"),)*2, scale=((f"{a},{n}", f"{a}{n}0"),)*2, dollars4=((" euros", " yen"), ("欧元", "日元"))))
    h = R.randint(9, 15); m = R.choice([10, 20, 35, 45]); v, w = same([f"{h}:{m}", f"{h+2}:{m}"])
    f("date", ("My daughter's choir starts at {} and lasts an hour.", "At what time does {}'s daughter's choir start?", "{}"), ("我女儿的合唱{}开始，唱一个小时。", "{}女儿的合唱几点开始？", "{}"), v, w, dict(shift8=((f"{h}:{m}", f"{h+8}:{m}"),)*2))
    x = R.randint(14, 29); v, w = same([f"{x}.5", f"{x+6}.5"])
    f("number", ("The parcel from my uncle weighs {} kilograms, so I took the car.", "How many kilograms does the parcel from {}'s uncle weigh?", "{} kilograms"), ("舅舅寄来的包裹重{}公斤，我只好开车去取。", "{}的舅舅寄来的包裹重多少公斤？", "{}公斤"), v, w, dict(pointlost=((f"{x}.5", f"{x}5"),)*2, pounds=(("kilograms", "pounds"), ("公斤", "英镑"))))
    v, w = pick(("Anita Bergholt", "陆远航"), ("Simon Achterberg", "蒋梦琪"), ("Louise Tarrant", "顾海涛"), ("Viktor Halasz", "范小雨"))
    f("name", ("{} looks after my cats when I am away at the seaside.", "Who looks after {}'s cats?", "{}"), ("我去海边的时候{}帮我照顾猫。", "谁帮{}照顾猫？", "{}"), v, w, dict(initial4=((v[0], v[0][0]+". "+v[0].split()[1]), (v[1], v[1][0]+"某")), surname=((v[0], v[0].split()[0]+" "+w[0].split()[1]), (v[1], w[1][0]+v[1][1:]))))
    v, w = pick(("the post office", "邮局"), ("the shipyard", "船厂"), ("the city library", "市图书馆"), ("the bank", "银行"))
    f("words", ("I no longer work at {}, that is behind me.", "Where does {} no longer work?", "{}"), ("我不在{}上班了，那都过去了。", "{}不在哪里上班了？", "{}"), v, w, dict(stillwork=(("no longer work", "still work"), ("不在"+v[1]+"上班了", "还在"+v[1]+"上班")), newwork=(("no longer work", "work again"), ("不在"+v[1]+"上班了", "又在"+v[1]+"上班了"))))
    v, w = pick(("Oslo", "奥斯陆"), ("Lisbon", "里斯本"), ("Krakow", "克拉科夫"), ("Naples", "那不勒斯"))
    f("name", ("In summer I will visit {} if the money lasts.", "Which city will {} visit in summer?", "{}"), ("要是钱够的话，夏天我会去{}看看。", "{}夏天会去哪个城市看看？", "{}"), v, w, dict(iflost=((" if the money lasts", ""), ("要是钱够的话，", "")), went=(("In summer I will visit", "Last summer I visited"), ("夏天我会去"+v[1]+"看看", "去年夏天我去"+v[1]+"看过"))))
    v, w = pick(("forty", "四十"), ("sixty", "六十"), ("ninety", "九十"), ("thirty", "三十"))
    f("number", ("At least {} people came to my reading in the old mill.", "How many people at least came to {}'s reading in the old mill?", "{}"), ("至少有{}个人来听我在老磨坊的朗读。", "至少有多少人来听{}在老磨坊的朗读？", "{}个"), v, w, dict(bound=(("At least", "At most"), ("至少", "最多")), teen=((v[0], v[0][:-1].replace("fort", "fourt")+"een"), (v[1], "十"+v[1][0]))))
    v, w = pick(("fennel", "茴香"), ("celery", "芹菜"), ("barley", "大麦"), ("spinach", "菠菜"))
    f("words", ("For the stew I still need leeks, carrots and {} from the market.", "What does {} still need for the stew besides leeks and carrots?", "{}"), ("炖菜我还缺大葱、胡萝卜和{}，得去市场买。", "除了大葱和胡萝卜，{}的炖菜还缺什么？", "{}"), v, w, dict(lastgone=((" and "+v[0], ""), ("和"+v[1], "")), listflip=((f"leeks, carrots and {v[0]}", f"{v[0]}, carrots and leeks"), (f"大葱、胡萝卜和{v[1]}", f"{v[1]}、胡萝卜和大葱"))))
    d = R.randint(2, 14); m, m2 = R.sample(range(12), 2); v, w = [(f"{d} {MON[q]}", f"{q+1}月{d}日") for q in (m, m2)]
    f("date", ("The museum is closed from {} on because of the roof.", "From which day on is {}'s museum closed?", "{}"), ("博物馆从{}起关门修屋顶。", "{}的博物馆从哪天起关门？", "{}"), v, w, dict(isoday=((f"{d} {MON[m]}", f"{MON[m]} {d}"), (f"{m+1}月{d}日", f"{m+1}月{d}号")), nextday=((f"{d} {MON[m]}", f"{d+1} {MON[m]}"), (f"{m+1}月{d}日", f"{m+1}月{d+1}日"))))
    v, w = same([f"0{R.randint(151, 179)} {R.randint(210, 989)} {R.randint(1010, 9890)}" for _ in "ab"])
    f("number", ("My new phone number is {}, please save it.", "What is {}'s new phone number?", "{}"), ("我的新电话号码是{}，你存一下。", "{}的新电话号码是多少？", "{}"), v, w, dict(zerolost=((v[0], v[0][1:]),)*2, groupswap=((v[0], " ".join(v[0].split()[i] for i in (0, 2, 1))),)*2))
    v, w = pick(("Irena", "玉兰"), ("Dagmar", "春梅"), ("Felicia", "秋菊"), ("Yvonne", "雪莲"))
    f("name", ("My cousin's wife {} teaches dance in the town hall.", "Who teaches dance in the town hall?", "{}"), ("我表弟的妻子{}在镇上教跳舞。", "谁在镇上教跳舞？", "{}"), v, w, dict(kin4=(("cousin's wife", "neighbour's aunt"), ("表弟的妻子", "邻居的姑姑"))))
    f("name", ("The green tent belongs to {}, not to my brother.", "To whom does {}'s green tent belong?", "{}"), ("那顶绿帐篷是{}的，不是我弟弟的。", "{}那边的绿帐篷是谁的？", "{}"), v, w, dict(owner=((f"to {v[0]}, not to my brother", f"to my brother, not to {v[0]}"), (f"是{v[1]}的，不是我弟弟的", f"是我弟弟的，不是{v[1]}的"))))
    v, w = [(f"{x}%", f"{x}%") for x in R.sample(range(11, 45), 2)]
    f("number", ("The shop gave me {} off on the walking boots.", "How much did the shop give {} off on the walking boots?", "{}"), ("登山鞋店里给我便宜了{}。", "登山鞋店里给{}便宜了多少？", "{}"), v, w, dict(permille=(("%", "‰"),)*2, asdecimal=((v[0], "0."+v[0][:-1]),)*2))
    v, w = pick(("salt", "盐"), ("sugar", "糖"), ("alcohol", "酒"), ("coffee", "咖啡"))
    f("words", ("After the operation the doctor forbade me {} for good.", "What did the doctor forbid {} after the operation?", "{}"), ("手术以后医生禁止我再碰{}。", "手术以后医生禁止{}碰什么？", "{}"), v, w, dict(allow=(("forbade me", "allowed me"), ("禁止我再碰", "允许我再碰"))))
    v, w = pick(("law", "法律"), ("medicine", "医学"), ("philosophy", "哲学"), ("music", "音乐"))
    f("words", ("First I studied {}, then I learned to bake.", "What did {} study first?", "{}"), ("我先学了{}，后来才学烘焙。", "{}先学了什么？", "{}"), v, w, dict(firstthen=((f"First I studied {v[0]}, then I learned to bake", f"First I learned to bake, then I studied {v[0]}"), (f"我先学了{v[1]}，后来才学烘焙", f"我先学了烘焙，后来才学{v[1]}"))))
    v, w = pick(("ninety-one", "九十一"), ("eighty-four", "八十四"), ("seventy-eight", "七十八"), ("ninety-six", "九十六"))
    f("number", ("My grandmother turned {} in May and still drives.", "How old did {}'s grandmother turn in May?", "{}"), ("我奶奶五月满了{}岁，还在开车。", "{}的奶奶五月满了多少岁？", "{}岁"), v, w, dict(tensonly=((v[0], v[0].split("-")[0]), (v[1], v[1][:2]))))
    v, w = same([str(x) for x in R.sample(range(11, 99), 2)])
    f("number", ("The tram to my place is now the {}, the old line is gone.", "Which tram goes to {}'s place now?", "{}"), ("到我家的电车现在是{}路，老线取消了。", "现在到{}家的电车是几路？", "{}路"), v, w, older=("The tram to my place is the {}.", "到我家的电车是{}路。"))
    return out

PEOPLE5 = {"en": [("Rosalind", "Matteo"), ("Ingrid", "Felix"), ("Thea", "Anton")], "zh": [("苏晴", "老董"), ("叶青", "阿宽"), ("柳叶", "大壮")]}
FILL5 = {"en": ["The cat slept in the washing basket again.", "Well, what can one do.", "I burnt the toast and opened all windows.", "It was pitch dark by half past four.", "You have to see that film some time.", "My fountain pen leaks.", "The bus driver hummed a waltz.", "Oh, the doorbell, one moment.", "I counted the swans and then forgot how many there were.", "The tap drips in the rhythm of a march.", "We should go mushrooming once more.", "Nobody swept the leaves."],
 "zh": ["猫又睡在洗衣篮里了。", "唉，有什么办法呢。", "面包烤焦了，我把窗户全打开了。", "四点半天就黑透了。", "那部电影你真该去看看。", "我的钢笔漏墨水。", "公交司机一路哼着华尔兹。", "哦，有人按门铃，等一下。", "我数了天鹅，转眼就忘了有几只。", "水龙头滴得像在打拍子。", "咱们该再去采一回蘑菇。", "落叶也没人扫。"]}
def facts5(en, who, other):
    out, f = sorted_facts(en, who)
    v, w = same([f"${R.randint(1, 9)},{R.randint(110, 989)}.{R.randint(1, 9)}{R.randint(1, 9)}" for _ in "ab"])
    f("number", ("The repair of the harmonium cost me {} at the workshop.", "How much did the repair of {}'s harmonium cost?", "{}"), ("修那架脚踏风琴花了我{}，是在老作坊修的。", "{}修脚踏风琴花了多少钱？", "{}"), v, w)
    v, w = same([f"{R.randint(19, 22)}:{R.randint(31, 58)}", f"{R.randint(13, 17)}:{R.randint(11, 29)}"])
    f("date", ("The fireworks over the harbour begin at {}, so bring a blanket.", "At what time do the fireworks begin that {} wants to see?", "{}"), ("港口的烟花{}开始，记得带条毯子。", "{}要看的港口烟花开始的钟点是多少？", "{}"), v, w)
    v, w = pick(("lichens", "地衣"), ("glaciers", "冰川"), ("lighthouses", "灯塔"), ("bees", "蜜蜂"))
    f("words", ("Great news 🎉 I will write my thesis about {}.", "About what will {} write the thesis?", "{}"), ("好消息🎉我的论文要写{}。", "{}的论文要写什么？", "{}"), v, w)
    v, w = pick(("Haugland", "郝思远"), ("Pellegrin", "裴安然"), ("Osterman", "申屠文"), ("Vasquez", "魏子墨"))
    f("name", ("I asked Dr. {} about the rash, and it is harmless.", "Whom did {} ask about the rash?", "Dr. {}"), ("皮疹的事我问过 Dr. {} 了，没什么大碍。", "皮疹的事{}问过谁？", "{}"), v, w)
    v, w = same([f"{x}_{y}_<{R.randint(21, 98)}>" for x, y in zip(R.sample(["otter", "heron", "badger", "lynx"], 2), R.sample(["fog", "elm", "tide", "moss"], 2))])
    f("name", ("The wifi password at the cottage is {}, mind the signs.", "What is the wifi password at {}'s cottage?", "{}"), ("度假小屋的无线密码是{}，注意符号。", "{}的度假小屋无线密码是什么？", "{}"), v, w)
    v, w = same([str(R.randint(11, 98))+"".join(str(R.randint(1, 9)) for _ in range(14))+str(R.choice([1, 3, 7, 9])) for _ in "ab"])
    f("number", ("My membership number at the archive is {}, what a monster.", "What is {}'s membership number at the archive?", "{}"), ("我在档案馆的会员号是{}，长得吓人。", "{}在档案馆的会员号是多少？", "{}"), v, w)
    v, w = same([f"{x}.{R.choice([10, 20, 30, 40])}" for x in R.sample(range(3, 9), 2)])
    f("number", ("The tide app on my phone is stuck at version {} and crashes.", "At which version is {}'s tide app stuck?", "version {}"), ("我手机上的潮汐软件卡在{}版，老是闪退。", "{}的潮汐软件卡在哪个版本？", "{}版"), v, w)
    v, w = same([f"{x}{y}" for x, y in zip(R.sample(range(2, 8), 2), R.sample("½¼¾", 2))])
    f("number", ("The dough takes {} cups of rye flour, not more.", "What does {}'s dough take by way of rye flour?", "{} cups"), ("那个面团要{}杯黑麦粉，别多放。", "{}的面团要几杯黑麦粉？", "{}杯"), v, w)
    v, w = same([f"NO {a}E{b}" for a, b in zip(R.sample(range(2, 9), 2), R.sample(range(2, 6), 2))])
    f("name", ("The plate of our trailer is {}, easy to keep in mind.", "Which plate does {}'s trailer have?", "{}"), ("我们那辆拖车的车牌是{}，很好记。", "{}的拖车车牌是什么？", "{}"), v, w)
    v, w = pick(("Zoë Lindström", "吕晓雯"), ("José Ibáñez", "覃若楠"), ("Renée Müller", "单玉洁"), ("Łukasz Świątek", "仇海峰"))
    f("name", ("{} is my godmother's neighbour and repairs clocks.", "Who is the neighbour of {}'s godmother?", "{}"), ("{}是我干妈的邻居，会修钟表。", "{}的干妈的邻居是谁？", "{}"), v, w)
    v, w = [("selling", "卖"), ("renting", "租")]
    f("neg", ("We are not {} the caravan after all.", "Is {} selling the caravan?", "No, not selling it."), ("那辆房车我们到底还是不{}了。", "{}要卖房车吗？", "不卖了。"), v, w)
    v, w = pick(("milk", "奶"), ("sugar", "糖"), ("lemon", "柠檬"))
    f("neg", ("I take my morning tea without {}, as always.", "How does {} take the morning tea?", "without "+v[0]), ("我早上喝茶一向不加{}。", "{}早上喝茶怎么喝？", "不加"+v[1]), v, w)
    v, w = ("unmarried", "未婚"), ("divorced", "离异")
    f("words", ("My cousin Ralf is {} and likes it that way.", "Is {}'s cousin Ralf married?", "{}"), ("我表哥拉夫{}，他觉得这样挺好。", "{}的表哥拉夫结婚了吗？", "{}"), v, w)
    (m, d), (m2, d2) = [(R.randint(1, 12), R.randint(13, 27)) for _ in "ab"]
    v, w = [(f"{d} {MON[m-1]} 2031", f"2031年{m}月{d}日") for m, d in ((m, d), (m2, d2))]
    f("date", ("My residence permit runs out on {}, which is far away.", "On which date does {}'s residence permit run out?", "{}"), ("我的居留证{}到期，还早着呢。", "{}的居留证哪天到期？", "{}"), v, w)
    v, w = same([f"{a}-{b}" for a, b in zip(R.sample(range(2, 5), 2), R.sample(range(5, 9), 2))])
    f("number", ("We lost the chess match {}, sadly.", "With which result did {} lose the chess match?", "{}"), ("象棋赛我们{}输了，真可惜。", "{}的象棋赛以几比几输的？", "{}"), v, w)
    v, w = same([str(c*9//5+32) for c in R.sample(range(180, 245, 5), 2)])
    f("number", ("For the flat bread the oven must be at {} degrees Fahrenheit.", "How hot must the oven be for {}'s flat bread?", "{} degrees Fahrenheit"), ("烤那种扁面包，烤箱得{}华氏度。", "{}烤扁面包，烤箱要多热？", "{}华氏度"), v, w)
    v, w = pick(("Anna Maria Kolb", "欧阳晓燕"), ("Karl Otto Bauer", "司马云飞"), ("Mary Jane Porter", "诸葛小曼"))
    f("name", ("{} has moved in downstairs with a dog.", "Who has moved in downstairs at {}'s house?", "{}"), ("{}搬到我楼下来了，还带着一条狗。", "谁搬到{}楼下来了？", "{}"), v, w)
    v, w = pick(("Grizzo", "毛逗"), ("Waffel", "雪裘"), ("Biskit", "果栋"), ("Pepperl", "团仔"))
    f("name", ("Our hamster is called {} because of the fur.", "What is {}'s hamster called?", "{}"), ("我给仓鼠取名叫{}，因为那身毛。", "{}给仓鼠取了什么名字？", "{}"), v, w)
    v, w = same([f"{x}{R.randint(13, 19)}" for x in R.sample("BCEP", 2)])
    f("name", ("The evening course in bookbinding is held in room {} this time.", "In which room is {}'s course in bookbinding held?", "room {}"), ("这回装订课晚上在{}室上。", "{}的装订课在哪个教室上？", "{}室"), v, w)
    v, w = pick(("O'Malley's", "“老船长”"), ("D'Angelo's", "“月亮湾”"), ("L'Escale", "“半亩田”"))
    f("name", ("On Saturday we celebrate at {} with everybody.", "Where does {} celebrate on Saturday?", "{}"), ("周六我们在{}餐馆庆祝，大家都来。", "{}周六在哪家餐馆庆祝？", "{}"), v, w)
    v, w = pick(("Scunthorpe", "裸心谷"), ("Essex", "毒龙潭"), ("Cockermouth", "枪杆岭"))
    f("name", ("My pen friend lives in {} and breeds rabbits.", "Where does {}'s pen friend live?", "{}"), ("我的笔友住在{}，养兔子。", "{}的笔友住在哪里？", "{}"), v, w)
    v, w = same([f"https://pics.example/{x}{R.randint(21, 98)}" for x in R.sample(["tern", "dune", "buoy", "reef"], 2)])
    f("name", ("The photos of the regatta are under {} until June.", "Where are {}'s photos of the regatta?", "{}"), ("帆船赛的照片放在 {} ，六月以前都能看。", "{}的帆船赛照片放在哪里？", "{}"), v, w)
    v, w = same([f"D:\\notes\\tax{x}" for x in R.sample(range(11, 98), 2)])
    f("name", ("I keep the scanned receipts in {} on the old computer.", "In which folder does {} keep the scanned receipts?", "{}"), ("扫描的收据我存在旧电脑的 {} 里。", "{}把扫描的收据存在哪个文件夹？", "{}"), v, w)
    v, w = same([f"{a}–{b}" for a, b in zip(R.sample(range(7, 11), 2), R.sample(range(15, 20), 2))])
    f("date", ("The clinic lets visitors in {} on weekdays.", "At which hours does {}'s clinic let visitors in?", "{}"), ("那家医院平日{}点让人探视。", "{}说的医院平日什么时段让人探视？", "{}点"), v, w)
    v, w = same([str(x) for x in R.sample(range(104, 987), 2)])
    f("number", ("My parking space is number {} now, they moved me.", "What is the number of {}'s parking space now?", "{}"), ("我的车位现在是{}号，给我换过了。", "{}的车位现在是多少号？", "{}号"), v, w, older=("My parking space is number {}.", "我的车位是{}号。"))
    v, w = pick(("quince tree", "榅桲树"), ("walnut tree", "核桃树"), ("fig tree", "无花果树"))
    e, z = (f"Today I planted the {v[0]}.", f"On which day did {who} plant the {v[0]}?"), (f"今天我把{v[1]}种下了。", f"{who}是哪天把{v[1]}种下的？")
    t, x = (e, z) if en else (z, e)
    out.append(dict(text=t[0], q=t[1], a=None, value=v[not en], alt="", sort="when", type="when", xl=x[0], subs={}, older=None))
    return out

PEOPLE6 = {"en": [("Wilma", "Jasper"), ("Corinne", "Malte"), ("Saskia", "Borislav")], "zh": [("姜禾", "老焦"), ("丁可", "阿岩"), ("冯露", "小顾")]}
FILL6 = {"en": ["The kettle has lost its whistle.", "Somewhere a piano is being tuned, note by note.", "Well, that made me smile.", "I found last year's chestnuts in a coat.", "The pavement is all slush.", "Hold on, the soup is boiling over.", "What a colourful sky we had tonight.", "You can hear the ships hooting from here.", "Nothing but crossword puzzles on this train.", "The curtains need a wash.", "I have hiccups, do excuse them.", "Our letter box squeaks like a mouse."],
 "zh": ["水壶的哨子不响了。", "不知哪家在给钢琴调音，一个音一个音地敲。", "哈，把我逗乐了。", "大衣里翻出了去年的栗子。", "人行道上全是雪泥。", "等等，汤要溢出来了。", "今晚的天色真好看。", "从这儿能听见轮船鸣笛。", "火车上人人都在填字谜。", "窗帘该洗洗了。", "我打嗝停不下来，见谅。", "信箱吱呀吱呀的，像老鼠叫。"]}
def facts6(en, who, other):
    out, f = sorted_facts(en, who)
    nums = lambda *a: same([str(x) for x in R.sample(range(*a), 2)])
    def days():
        L = [(R.randint(2, 27), m) for m in R.sample(range(1, 13), 2)]; return [(f"{d} {MON[m-1]}", f"{m}月{d}日") for d, m in L]
    v, w = pick(("windmill", "风车"), ("chapel", "小教堂"), ("sawmill", "锯木厂"), ("boathouse", "船屋"))
    f("words", ("I might buy the {} next year, nothing is signed.", "Will {} buy the "+v[0]+" next year?", "might buy"), ("明年我也许会买下那座{}，还什么都没签。", "{}明年会买下那座"+v[1]+"吗？", "也许会买下"), v, w)
    v, w = pick(("quarry", "采石场"), ("reservoir", "水库"), ("mill pond", "磨坊塘"), ("canal", "运河"))
    f("words", ("I sometimes swim in the {} before work.", "How often does {} swim in the "+v[0]+" before work?", "sometimes"), ("上班前我偶尔去{}游泳。", "上班前{}多久去"+v[1]+"游一次泳？", "偶尔"), v, w)
    v, w = pick(("Tuesday", "周二"), ("Thursday", "周四"), ("Saturday", "周六"), ("Monday", "周一"))
    f("date", ("In winter my ferry runs only on {}s, so plan for it.", "When does {}'s ferry run in winter?", "only on {}s"), ("冬天我坐的渡船只在{}开，得算好日子。", "冬天{}坐的渡船什么时候开？", "只在{}"), v, w)
    v, w = pick(("Bruno", "布鲁"), ("Lars", "拉尔"), ("Ilja", "伊里"), ("Nils", "尼斯"))
    f("name", ("All my nephews except {} can ride a horse.", "Can all of {}'s nephews ride a horse?", "except {}"), ("除了{}，我的侄子都会骑马。", "{}的侄子都会骑马吗？", "除了{}"), v, w)
    v, w = pick(("lido", "露天泳池"), ("bandstand", "音乐亭"), ("jetty", "栈桥"), ("orchard", "果园"))
    f("words", ("On Sunday we all meet at my {} unless it rains.", "On which condition do they not meet at {}'s "+v[0]+" on Sunday?", "unless it rains"), ("周日大家在我的{}见面，除非下雨。", "周日什么情况下大家不在{}的"+v[1]+"见面？", "除非下雨"), v, w)
    v, w = pick(("Fabian", "阿福"), ("Lorenz", "老楼"), ("Gunilla", "桂妮"), ("Cosima", "小席"))
    f("name", ("Since the flea market I owe {} forty crowns.", "To whom does {} owe forty crowns since the flea market?", "I owe {}"), ("跳蚤市场以后我欠{}四十克朗。", "跳蚤市场以后{}欠谁四十克朗？", "我欠{}"), v, w)
    v, w = pick(("choir", "合唱团"), ("sailing", "帆船队"), ("chess", "棋社"), ("theatre", "剧社"))
    f("words", ("Some of my {} friends have moved away.", "How many of {}'s "+v[0]+" friends have moved away?", "Some of"), ("我{}的朋友有一些搬走了。", "{}"+v[1]+"的朋友搬走了多少？", "有一些"), v, w)
    v, w = pick(("iron", "铁"), ("zinc", "锌"), ("calcium", "钙"), ("magnesium", "镁"))
    f("words", ("I take my {} tablets before meals, said the pharmacist.", "When does {} take the "+v[0]+" tablets?", "before meals"), ("药剂师说，{}片我要饭前吃。", "{}的"+v[1]+"片什么时候吃？", "饭前"), v, w)
    v, w = days()
    f("date", ("My parental leave lasts until {} this time.", "Until which day does {}'s parental leave last?", "until {}"), ("这次我的育儿假休到{}为止。", "{}的育儿假休到哪天？", "到{}为止"), v, w)
    v, w = pick(("Wednesday", "周三"), ("Friday", "周五"), ("Sunday", "周日"), ("Thursday", "周四"))
    f("date", ("Every other {} I visit my godmother.", "How often does {} visit the godmother?", "Every other {}"), ("每隔一个{}我去看干妈。", "{}多久去看一次干妈？", "每隔一个{}"), v, w)
    v, w = nums(51, 98)
    f("number", ("This winter my heating bill rose by {} euros.", "By how much did {}'s heating bill rise this winter?", "by {} euros"), ("这个冬天我的暖气费涨了{}欧元。", "这个冬天{}的暖气费涨了多少？", "涨了{}欧元"), v, w)
    v, w = nums(24, 79)
    f("number", ("The opera tickets were {} euros each, and I took four.", "How much were {}'s opera tickets?", "{} euros each"), ("歌剧票每张{}欧元，我买了四张。", "{}的歌剧票多少钱？", "每张{}欧元"), v, w)
    v, w = nums(31, 88)
    f("number", ("I pay {} crowns a month for the allotment.", "How much does {} pay for the allotment?", "{} crowns a month"), ("那块小菜园我每个月付{}克朗。", "{}为小菜园付多少钱？", "每个月付{}克朗"), v, w)
    v, w = pick(("Ludmila", "柳米"), ("Arvid", "阿维"), ("Henrike", "韩丽"), ("Osman", "欧斯"))
    f("name", ("My former boss {} runs a bakery now.", "Who of {}'s acquaintances runs a bakery now?", "former boss {}"), ("我以前的老板{}现在开面包房。", "{}认识的谁现在开面包房？", "以前的老板{}"), v, w)
    v, w = pick(("stamps", "邮票"), ("thimbles", "顶针"), ("beer mats", "杯垫"), ("fossils", "化石"))
    f("words", ("I used to collect {}, but that is over.", "Does {} collect "+v[0]+"?", "used to collect"), ("我以前收集{}，不过早就不弄了。", "{}收集"+v[1]+"吗？", "以前收集"), v, w)
    v, w = pick(("novel", "小说"), ("model railway", "铁路模型"), ("dissertation", "学位论文"), ("quilt", "拼布被"))
    f("words", ("These days I hardly work on my {}.", "How much does {} work on the "+v[0]+" these days?", "hardly work"), ("这阵子我几乎没碰我的{}。", "这阵子{}碰那"+v[1]+"多不多？", "几乎没碰"), v, w)
    v, w = pick(("seaplane", "水上飞机"), ("mail boat", "邮船"), ("hydrofoil", "水翼船"), ("catamaran", "双体船"))
    f("words", ("I nearly missed the {} to the island.", "Did {} miss the "+v[0]+" to the island?", "nearly missed"), ("去岛上的{}我差点没赶上。", "去岛上的"+v[1]+"{}赶上了吗？", "差点没赶上"), v, w)
    v, w = pick(("fencing", "击剑"), ("juggling", "杂耍"), ("archery", "射箭"), ("rowing", "划艇"))
    f("words", ("This autumn I took up {} instead of ballet.", "What did {} take up this autumn?", "{} instead of ballet"), ("今年秋天我没去学芭蕾，学了{}。", "今年秋天{}学了什么？", "学了{}"), v, w)
    v, w = pick(("Ulmen", "乌尔门"), ("Torsby", "托斯比"), ("Vellin", "维林"), ("Dorsten", "多斯滕"))
    f("name", ("My night bus goes from {} to Harbeck.", "From where does {}'s night bus go?", "from {}"), ("我坐的夜班车从{}开到哈贝克。", "{}坐的夜班车从哪里开？", "从{}"), v, w)
    v, w = pick(("Dietmar", "老季"), ("Yannick", "亚尼"), ("Roswitha", "罗薇"), ("Tancred", "唐克"))
    f("name", ("My brother's boss {} keeps ostriches.", "Who keeps ostriches, as {} tells?", "brother's boss {}"), ("我弟弟的老板{}养鸵鸟。", "{}说的养鸵鸟的人是谁？", "弟弟的老板{}"), v, w)
    v, w = pick(("eight", "八"), ("nine", "九"), ("six", "六"), ("seven", "七"), ("ten", "十"))
    f("date", ("My train to the coast leaves at a quarter to {}.", "At what time does {}'s train to the coast leave?", "a quarter to {}"), ("我去海边的火车差一刻{}点开。", "{}去海边的火车几点开？", "差一刻{}点"), v, w)
    v, w = pick(("three", "三"), ("four", "四"), ("five", "五"), ("six", "六"))
    f("number", ("I ordered {} dozen tulip bulbs for the slope.", "How many tulip bulbs did {} order for the slope?", "{} dozen"), ("我给坡地订了{}打郁金香球根。", "{}给坡地订了多少郁金香球根？", "{}打"), v, w)
    v, w = pick(("painters", "油漆工"), ("roofers", "屋顶工"), ("tilers", "瓦工"), ("stove fitters", "砌炉匠"))
    f("words", ("The {} stay at my house for a fortnight.", "For how long do the "+v[0]+" stay at {}'s house?", "a fortnight"), ("{}要在我家待半个月。", v[1]+"要在{}家待多久？", "半个月"), v, w)
    v, w = pick(("apples", "苹果"), ("pears", "梨"), ("potatoes", "土豆"), ("beetroots", "甜菜"))
    f("words", ("Three quarters of my {} are in the cellar already.", "What share of {}'s "+v[0]+" is in the cellar already?", "Three quarters"), ("我的{}有四分之三已经放进地窖了。", "{}的"+v[1]+"有几成已经放进地窖了？", "四分之三"), v, w)
    v, w = [(f"{a}{b}", f"{a}万{b}千") for a, b in zip(R.sample(range(2, 9), 2), R.sample(range(1, 9), 2))]
    f("number", ("The new barn will cost us {} thousand euros.", "What will {}'s new barn cost?", "{} thousand euros"), ("新谷仓要花我们{}欧元。", "{}的新谷仓要花多少钱？", "{}欧元"), v, w)
    v, w = nums(610, 980)
    f("number", ("My rent is {} francs, heating not included.", "Is the heating included in {}'s rent?", "heating not included"), ("我的房租是{}法郎，暖气不算在内。", "{}的房租算上暖气了吗？", "暖气不算在内"), v, w)
    v, w = pick(("Kyoto", "京都"), ("Lima", "利马"), ("Perth", "珀斯"), ("Manila", "马尼拉"))
    h = f"{R.randint(10, 15)}:{R.choice([10, 20, 40, 50])}"
    f("name", (f"My video call with {{}} is at {h} our time.", "At what time is {}'s video call with "+v[0]+"?", f"{h} our time"), (f"我跟{{}}的视频通话在咱们这边的{h}。", "{}跟"+v[1]+"的视频通话几点？", f"咱们这边的{h}"), v, w)
    v, w = days()
    f("date", ("The tax papers I must hand in by {}.", "By which day must {} hand in the tax papers?", "by {}"), ("税单我得在{}之前交上去。", "{}得在哪天之前交税单？", "{}之前"), v, w)
    v, w = pick(("wrist splint", "护腕"), ("knee brace", "护膝"), ("sleep mask", "眼罩"), ("retainer", "牙套"))
    f("words", ("At night I have to wear the {}.", "Is {} free to leave off the "+v[0]+" at night?", "have to wear"), ("夜里我必须戴{}。", "夜里{}可以不戴"+v[1]+"吗？", "必须戴"), v, w)
    v, w = pick(("river", "河边"), ("cliff", "崖顶"), ("vineyard", "葡萄园"), ("marsh", "湿地"))
    f("words", ("The {} walk is twice as long as my forest walk.", "How long is the "+v[0]+" walk beside {}'s forest walk?", "twice as long"), ("{}那条步道有我的林间步道两倍长。", v[1]+"那条步道跟{}的林间步道比有多长？", "两倍长"), v, w)
    v, w = pick(("sack race", "套袋赛跑"), ("quiz", "知识竞赛"), ("regatta", "赛船会"), ("bake-off", "烘焙赛"))
    f("words", ("I came third from last in the {}.", "How did {} do in the "+v[0]+"?", "third from last"), ("{}我得了倒数第三名。", v[1]+"{}得了第几名？", "倒数第三名"), v, w)
    v, w = pick(("Ottilie", "欧蒂"), ("Berta", "贝塔"), ("Mathilde", "玛蒂"), ("Selma", "塞玛"))
    f("name", ("My aunt {} lives with us temporarily.", "For how long does {}'s aunt "+v[0]+" live with them?", "temporarily"), ("我姑妈{}暂时住在我们家。", "{}的姑妈"+v[1]+"要住多久？", "暂时"), v, w)
    v, w = pick(("projector", "投影机"), ("screen", "幕布"), ("generator", "发电机"), ("marquee", "大帐篷"))
    f("words", ("I borrowed the {} for the slide evening.", "Did {} buy the "+v[0]+" for the slide evening?", "borrowed"), ("幻灯晚会用的{}是我借来的。", "幻灯晚会用的"+v[1]+"是{}买的吗？", "借来的"), v, w)
    v, w = pick(("Pia", "皮娅"), ("Knut", "克努"), ("Elin", "艾琳"), ("Marit", "玛丽"))
    f("name", ("Ulla and Jens have said yes to my dinner, {} has said no.", "Who has said no to {}'s dinner?", "{} has said no"), ("我的晚宴乌拉和延斯都说来，{}说不来。", "谁说不来{}的晚宴？", "{}说不来"), v, w)
    v, w = pick(("Alma", "阿玛"), ("Edda", "艾达"), ("Runa", "如娜"), ("Freya", "芙蕾"))
    f("name", ("My niece {} studies chemistry, my niece Dora studies dance.", "Which niece of {}'s studies chemistry?", "{} studies chemistry"), ("我侄女{}学化学，侄女朵拉学舞蹈。", "{}的哪个侄女学化学？", "{}学化学"), v, w)
    v, w = pick(("Leopold", "老廖"), ("Sixten", "西登"), ("Ruben", "鲁本"), ("Anatol", "安多"))
    f("name", ("I met the new neighbour {}, and he repairs accordions.", "Who repairs accordions, {} or the new neighbour "+v[0]+"?", "he repairs accordions"), ("我见到了新邻居{}，他会修手风琴。", "谁会修手风琴，{}还是新邻居"+v[1]+"？", "他会修手风琴"), v, w)
    v, w = same(pick("XIV", "XIX", "XXIV", "XLII"))
    f("number", ("I am reading chapter {} of the saga.", "Which chapter of the saga is {} reading?", "chapter {}"), ("我在读那部传奇的第{}章。", "{}在读那部传奇的第几章？", "第{}章"), v, w)
    v, w = same(pick("75", "95", "105", "135", "160"))
    f("number", ("The dress rehearsal of our play takes {} minutes.", "How long does the dress rehearsal of {}'s play take?", "{} minutes"), ("我们那出戏的彩排要{}分钟。", "{}那出戏的彩排要多久？", "{}分钟"), v, w)
    v, w = pick(("sheep", "绵羊"), ("goats", "山羊"), ("alpacas", "羊驼"), ("rabbits", "长毛兔"))
    f("words", ("Not all of my {} were shorn in spring.", "How many of {}'s "+v[0]+" were shorn in spring?", "Not all"), ("春天我的{}没有都剪毛。", "春天{}的"+v[1]+"剪毛的有多少？", "没有都剪毛"), v, w)
    v, w = pick(("strike", "罢工"), ("storm", "暴风"), ("landslide", "滑坡"), ("roadworks", "修路"))
    f("words", ("We cancelled our hike because of the {}.", "Why did {} cancel the hike?", "because of the {}"), ("因为{}我们取消了徒步。", "{}为什么取消了徒步？", "因为{}"), v, w)
    v, w = pick(("thirty", "三十"), ("fifty", "五十"), ("seventy", "七十"), ("ninety", "九十"))
    f("number", ("Fewer than {} people signed my petition.", "How many people signed {}'s petition?", "Fewer than {}"), ("在我的请愿书上签名的不到{}人。", "在{}的请愿书上签名的有多少人？", "不到{}人"), v, w)
    v, w = pick(("sofa", "沙发"), ("wardrobe", "衣柜"), ("harpsichord", "羽管键琴"), ("dresser", "碗橱"))
    f("words", ("The {} of my parents is too big for the lift.", "Does the "+v[0]+" of {}'s parents fit into the lift?", "too big"), ("我父母的{}太大，进不了电梯。", "{}父母的"+v[1]+"进得了电梯吗？", "太大"), v, w)
    v, w = nums(3, 28)
    f("number", ("My seat at the concert hall is in row {} now, they moved me.", "In which row is {}'s seat at the concert hall now?", "row {}"), ("我在音乐厅的座位现在是第{}排，给我换过了。", "{}在音乐厅的座位现在是第几排？", "第{}排"), v, w, older=("My seat at the concert hall is in row {}.", "我在音乐厅的座位是第{}排。"))
    for v, ago, e, z in ((pick(("watercolour", "水彩画"), ("woodcut", "木刻"), ("diploma", "毕业证"))[0], 1, ("Yesterday I framed the {}.", "On which day did {} frame the "), ("昨天我把{}装了框。", "{}是哪天给", "装框的？")),
                         (pick(("hedge trimmer", "修枝机"), ("stepladder", "人字梯"), ("wheelbarrow", "独轮车"))[0], 0, ("Today I returned the {} to the landlord.", "On which day did {} return the "), ("今天我把{}还给房东了。", "{}是哪天把", "还给房东的？"))):
        E, Z = (e[0].format(v[0]), e[1].format(who)+v[0]+("?" if ago else " to the landlord?")), (z[0].format(v[1]), z[1].format(who)+v[1]+z[2]); t, x = (E, Z) if en else (Z, E)
        out.append(dict(text=t[0], q=t[1], a=None, ago=ago, value=v[not en], alt="", sort="when", type="when", xl=x[0], subs={}, older=None))
    return out

# name of the dialogues, people, what they say beside, facts, turns of a session and other turns among them at least, year, months, hour, days between sessions, minutes between turns
NAME, PEOPLE, FILL, FACTS, TURNS, LEAST, YEAR, MONTHS, HOUR, DAYS, MINUTES = {1: ("bl", PEOPLE1, FILL1, facts1, 18, 5, 2026, (1, 5), 9, 10, 2), 2: ("st", PEOPLE2, FILL2, facts2, 20, 4, 2025, (2, 9), 18, 11, 3),
 3: ("gn", PEOPLE3, FILL3, facts3, 22, 5, 2026, (3, 8), 17, 13, 4), 4: ("vf", PEOPLE4, FILL4, facts4, 22, 6, 2026, (4, 9), 11, 12, 3),
 5: ("ac", PEOPLE5, FILL5, facts5, 26, 6, 2026, (2, 8), 2, 12, 2), 6: ("ei", PEOPLE6, FILL6, facts6, 34, 6, 2027, (2, 9), 10, 9, 3)}[SET]
SESSIONS = 3 if SET == 6 else 4
cases, plan = [], {}
def mk(lang, i):
    A, B = PEOPLE[lang][i]; en = lang == "en"; cid = f"{NAME}-{lang}-{i}"; F, Q = [], []
    for who, other in ((A, B), (B, A)):
        for x in FACTS(en, who, other):
            f = dict(s=R.randint(2, SESSIONS-1) if x["older"] else R.randint(0, SESSIONS-1), who=who, text=x["text"], p=dict(x, who=who, other=other))
            if x["older"]: F.append(dict(s=R.randint(0, 1), who=who, text=x["older"], p=None))
            F.append(f); Q.append(f)
    start = D.datetime(YEAR, R.randint(*MONTHS), R.randint(1, 9), HOUR); tid = 0; sess = []
    for s in range(SESSIONS):
        L = [f for f in F if f["s"] == s]; R.shuffle(L)
        for _ in range(max(LEAST, TURNS-len(L))): L.insert(R.randint(0, len(L)), dict(who=R.choice((A, B)), text=R.choice(FILL[lang]), p=None))
        st = start+D.timedelta(days=DAYS*s); turns = []
        for j, f in enumerate(L):
            tid += 1; f["tid"] = tid; p = f["p"]
            turns.append(dict(turn_id=tid, role="user" if f["who"] == A else "assistant", name=f["who"], text=f["text"], time=(st+D.timedelta(minutes=MINUTES*j)).strftime("%Y-%m-%dT%H:%M:%SZ")))
            if p: plan[f"{cid}|{tid}"] = p; said = st-D.timedelta(days=p.get("ago", 0)); p["a"] = p["a"] or (f"{said.day} {MON[said.month-1]} {said.year}" if en else f"{said.year}年{said.month}月{said.day}日") # the day it was said, or so many before
        sess.append(dict(session_id=f"s{s+1}", time=st.strftime("%Y-%m-%dT%H:%M:%SZ"), turns=turns))
    cases.append(dict(case_id=cid, dataset="blind", conv_id=cid, unit="turn", speakers=[A, B], sessions=sess,
        questions=[dict(question_id=f"{cid}/q{n}", question=f["p"]["q"], answer=f["p"]["a"], category="IE", raw_category="fact", evidence=[dict(conv_id=cid, turn_id=f["tid"])]) for n, f in enumerate(Q, 1)]))
for i in range(len(PEOPLE["en"])): mk("en", i); mk("zh", i)
open("cases.jsonl", "w").write("".join(json.dumps(c, ensure_ascii=False)+"\n" for c in cases))
json.dump(plan, open("plan.json", "w"), ensure_ascii=False, indent=0)
print(len(cases), "cases", [sum(len(s["turns"]) for s in c["sessions"]) for c in cases], sum(len(c["questions"]) for c in cases), "questions")
