#!/usr/bin/env python3
"""gen.py SEED -> cases.jsonl (own dialogues), plan.json (what each gold turn holds)."""
import json, random, sys, datetime as D
seed=int(sys.argv[1]) if len(sys.argv)>1 else 11
R=random.Random(seed)
EN=dict(people=[("Ines","Harald"),("Owen","Sabine"),("Petra","Callum"),("Yusuf","Greta")],
 city=["Tampere","Bergamo","Cork","Aarhus","Toledo","Graz","Lugano","Malmo"],boat=["Nightjar","Saltwind","Marigold","Kestrel","Bramble","Juniper","Peregrine","Thistle"],
 doc=["Okafor","Lindqvist","Marchetti","Novak","Pereira","Haddad","Brandt","Kowalski"],food=["shrimp","walnuts","cheese","mushrooms","pork","lentils"],
 soup=["leek soup","goulash","minestrone","pumpkin soup","borscht","fish chowder","onion soup","ramen"],car=["green Skoda","red Fiat","grey Volvo","white Dacia","blue Seat","black Opel"],
 thing=["accordion","canoe","sewing machine","telescope","typewriter","loom"],
 fill=["Did you sleep well?","The tram was late again and everybody grumbled.","I listened to the rain for a while.","Let us talk about something nicer.","That is funny, tell me more.","The bakery has changed its opening hours, I think.","I spilled coffee over the newspaper.","Somebody practises trumpet below my window.","The neighbours painted the fence.","You always say that.","I read half a novel on the train.","Hmm, I am not sure about it.","The lift is broken, so I took the stairs.","We watched an old film and fell asleep.","It smells of autumn outside.","My umbrella turned inside out.","There was a queue at the post office.","I could not find my gloves.","Good idea, we should do that.","The radio only plays adverts now."])
ZH=dict(people=[("林晓","阿杰"),("苏敏","老秦"),("郑越","小唐"),("何静","阿峰")],
 city=["大连","桂林","昆明","厦门","兰州","洛阳","扬州","珠海"],boat=["白鹭号","海风号","金盏号","银杏号","远帆号","晨星号"],
 doc=["欧阳","沈","陆","贺","尹","邵","温","褚"],food=["虾","核桃","奶酪","蘑菇","猪肉","花生"],
 soup=["冬瓜汤","酸辣汤","紫菜汤","羊肉汤","番茄汤","鱼头汤","莲藕汤","豆腐汤"],car=["绿色斯柯达","红色菲亚特","灰色沃尔沃","白色大众","蓝色丰田","黑色本田"],
 thing=["手风琴","皮划艇","缝纫机","望远镜","打字机","织布机"],
 fill=["昨晚睡得好吗？","电车又晚点了，大家都在抱怨。","我听了一会儿雨声。","我们聊点别的吧。","真有意思，多说说。","面包店好像改了营业时间。","咖啡洒在报纸上了。","楼下有人在练小号。","邻居把篱笆刷了一遍漆。","你总是这么说。","火车上我读了半本小说。","嗯，我也说不准。","电梯坏了，我走的楼梯。","看了一部老电影，看着看着睡着了。","外面有秋天的味道。","伞被风吹翻了。","邮局里排了很长的队。","手套怎么也找不到了。","好主意，就这么办。","广播里现在全是广告。"])
MON=["January","February","March","April","May","June","July","August","September","October","November","December"]
cases=[];plan={}
def two(L):
    a,b=R.sample(L,2); return a,b
def mk(lang,i):
    V=EN if lang=="en" else ZH; A,B=V["people"][i]; en=lang=="en"
    F=[] # (session, speaker, text, plan)
    Q=[]
    def fact(s,who,text,q,ans,typ,value,alt,older=None,generic=None):
        f=dict(s=s,who=who,text=text,p=dict(type=typ,value=value,alt=alt,older=older,generic=generic)); F.append(f)
        if q: Q.append((q,ans,typ,[f]))
        return f
    for who in (A,B):
        c,c2=two(V["city"]); b,b2=two(V["boat"]); d,d2=two(V["doc"]); so,so2=two(V["soup"])
        n=R.randint(21,98)*10+R.randint(1,9); n2=n+R.choice([30,-40,200])
        fact(R.randint(0,3),who,f"My brother moved to {c} and rents a small flat there." if en else f"我哥哥搬到{c}去了，在那边租了一间小公寓。",
             f"Which city did {who}'s brother move to?" if en else f"{who}的哥哥搬到哪个城市去了？",c,"place",c,c2,generic="somewhere" if en else "某个地方")
        fact(R.randint(0,3),who,f"My dentist is Doctor {d}, two streets away from here." if en else f"我的牙医是{d}医生，离这里两条街。",
             f"Who is {who}'s dentist?" if en else f"{who}的牙医是谁？",f"Doctor {d}" if en else f"{d}医生","name",d,d2,generic="someone" if en else "某")
        fact(R.randint(0,3),who,f"My favourite soup is {so}, nothing else comes near." if en else f"我最喜欢的汤是{so}，别的都比不上。",
             f"What is {who}'s favourite soup?" if en else f"{who}最喜欢的汤是什么？",so,"thing",so,so2,generic="something" if en else "某样东西")
        fact(R.randint(0,3),who,f"The new greenhouse cost me {n} euros in the end." if en else f"新的温室最后花了我{n}欧元。",
             f"How many euros did {who}'s new greenhouse cost in the end?" if en else f"{who}的新温室最后花了多少欧元？",f"{n} euros" if en else f"{n}欧元","number",str(n),str(n2),generic="some" if en else "若干")
        m,dd=R.randint(1,12),R.randint(2,26)
        ds=(lambda m,d:f"{d} {MON[m-1]} 2026") if en else (lambda m,d:f"2026年{m}月{d}日")
        fact(R.randint(0,3),who,f"The piano exam is on {ds(m,dd)}, and I am nervous already." if en else f"钢琴考试定在{ds(m,dd)}，我已经紧张了。",
             f"On which date is {who}'s piano exam?" if en else f"{who}的钢琴考试是哪一天？",ds(m,dd),"date",ds(m,dd),ds(m%12+1,dd),generic="some day" if en else "某天")
        k=R.randint(4,19)
        fact(R.randint(0,3),who,f"My morning run along the canal is {k} kilometres." if en else f"我每天沿运河晨跑{k}公里。",
             f"How long is {who}'s morning run along the canal?" if en else f"{who}每天沿运河晨跑多远？",f"{k} kilometres" if en else f"{k}公里","unit",str(k),str(k+5),generic="some" if en else "一些")
    who,o=(A,B) if R.random()<.5 else (B,A)
    b,b2=two(V["boat"])
    fact(R.randint(0,3),who,f"We finally named the boat {b} and drank to it." if en else f"我们终于给船取名叫{b}，还喝了一杯。",
         f"What did {who} name the boat?" if en else f"{who}给船取了什么名字？",b,"name",b,b2,generic="something" if en else "某号")
    c,c2=two(V["car"])
    fact(R.randint(0,3),who,f"I looked at many cars last month. In the end I bought a {c}." if en else f"上个月我看了很多车。最后我买了一辆{c}。",
         f"Which car did {who} buy in the end?" if en else f"{who}最后买了一辆什么车？",c,"thing",c,c2,generic="car" if en else "车")
    for w in (A,B):
        f_,f2=two(V["food"])
        fact(R.randint(0,3),w,f"I do not eat {f_} any more." if en else f"我现在不吃{f_}了。",
         f"Does {w} eat {f_}?" if en else f"{w}现在吃{f_}吗？",f"No, {w} does not eat {f_} any more." if en else f"不，{w}不吃{f_}了。","neg",f_,f2,generic="things" if en else "东西")
    for w in (A,B):
        x,y=R.sample(range(1011,9899),2)
        t1=f"The door code of my cellar is {x}." if en else f"我家地窖的门锁密码是{x}。"
        f1=fact(0,w,t1,None,None,"old",str(x),str(y))
        f2=fact(R.randint(2,3),w,f"The door code of my cellar is {y} now, they changed it." if en else f"我家地窖的门锁密码现在是{y}，换过了。",None,None,"update",str(y),str(x),older=t1,generic="different" if en else "别的")
        Q.append((f"What is the door code of {w}'s cellar now?" if en else f"{w}家地窖的门锁密码现在是多少？",str(y),"update",[f2]))
    th,_=two(V["thing"])
    start=D.datetime(2026,R.randint(1,5),R.randint(1,9),9)
    days=[0,9,20,33]; sess=[];tid=0
    cid=f"bl-{lang}-{i}"
    so_day={}
    f=fact(R.randint(0,3),who,f"Today I sold the old {th}." if en else f"今天我把旧{th}卖掉了。",None,None,"when",th,"",generic="thing" if en else "东西")
    d=start+D.timedelta(days=days[f["s"]]); Q.append((f"On which day did {who} sell the old {th}?" if en else f"{who}是哪天把旧{th}卖掉的？",f"{d.day} {MON[d.month-1]} {d.year}" if en else f"{d.year}年{d.month}月{d.day}日","when",[f]))
    for s in range(4):
        L=[f for f in F if f["s"]==s]; R.shuffle(L)
        fl=[dict(who=R.choice((A,B)),text=R.choice(V["fill"]),p=None) for _ in range(max(5,18-len(L)))]
        allt=fl[:]
        for f in L: allt.insert(R.randint(0,len(allt)),f)
        st=start+D.timedelta(days=days[s]); turns=[]
        for j,f in enumerate(allt):
            tid+=1; f["tid"]=tid
            turns.append(dict(turn_id=tid,role="user" if f["who"]==A else "assistant",name=f["who"],text=f["text"],time=(st+D.timedelta(minutes=2*j+2)).strftime("%Y-%m-%dT%H:%M:%SZ")))
            if f["p"]:
                plan[f"{cid}|{tid}"]=dict(f["p"],text=f["text"],who=f["who"],other=B if f["who"]==A else A,session=s)
        sess.append(dict(session_id=f"s{s+1}",time=st.strftime("%Y-%m-%dT%H:%M:%SZ"),turns=turns))
    cat={"update":"KU","when":"TR","date":"TR"}
    cases.append(dict(case_id=cid,dataset="blind",conv_id=cid,unit="turn",speakers=[A,B],sessions=sess,
        questions=[dict(question_id=f"{cid}/q{n}",question=q,answer=a,category=cat.get(t,"IE"),raw_category=t,evidence=[dict(conv_id=cid,turn_id=f["tid"]) for f in fs]) for n,(q,a,t,fs) in enumerate(Q,1)]))
for i in range(4):
    mk("en",i); mk("zh",i)
open("cases.jsonl","w").write("".join(json.dumps(c,ensure_ascii=False)+"\n" for c in cases))
json.dump(plan,open("plan.json","w"),ensure_ascii=False,indent=0)
print(len(cases),"cases",[sum(len(s["turns"]) for s in c["sessions"]) for c in cases],sum(len(c["questions"]) for c in cases),"questions")
