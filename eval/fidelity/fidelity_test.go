package fidelity

import (
	"strings"
	"testing"

	"membench/schema"
)

func TestCompare(t *testing.T) {
	o := Original{Text: "I paid 36 euros for the lamp on 8 May 2023. Maria didn't like it much.", Speaker: "Iris", Role: "user", Speakers: []string{"Iris", "Tomas"}, Time: "2023-05-09T10:00:00Z"}
	zh := Original{Text: "我在杭州花了三十六块钱买了这盏灯，妈妈不喜欢。", Speaker: "林晓", Speakers: []string{"林晓", "周航"}}
	for _, c := range []struct {
		o    Original
		got  string
		want string
	}{
		{o, o.Text, ""},
		{o, "Iris: " + strings.ToUpper(o.Text), ""},
		{o, "[1] 2023-05-09 Iris: " + o.Text, ""},
		{o, "Iris: I paid 36 euros for the  lamp, on 8 May 2023; Maria didn’t like it much", ""},
		{o, "Tomas: " + o.Text, schema.FaultSpeaker},
		{o, "[1] 2023-06-01 Iris: " + o.Text, schema.FaultDate},
		{o, "Iris: I paid 63 euros for the lamp on 8 May 2023. Maria didn't like it much.", schema.FaultNumber},
		{o, "Iris: I paid 36 euros for the lamp on 9 June 2023. Maria didn't like it much.", schema.FaultDate},
		{o, "Iris: I paid 36 euros for the lamp on 8 May 2023. Paula didn't like it much.", schema.FaultName},
		{o, "Iris: I paid 36 euros for the lamp on 8 May 2023. Maria did like it much.", schema.FaultNegated},
		{o, "Iris: I paid 36 euros for the lamp on 8 Ma", schema.FaultCut},
		{o, "Iris: I paid ** euros for the lamp on * May ****. Maria didn't like it much.", schema.FaultNumber},
		{Original{Text: "The code is 7719, no longer 4402.", Speaker: "Iris"}, "Iris: The code is ****, no longer ****.", schema.FaultNumber},
		{Original{Text: "It comes back on 11 March.", Speaker: "Iris", Time: "2025-03-02"}, "Iris: It comes back on 11 March 2031.", schema.FaultDate},
		{Original{Text: "It comes back on 11 March.", Speaker: "Iris", Time: "2025-03-02"}, "Iris: It comes back on 11 March 2025.", ""},
		{o, "  ", schema.FaultEmpty},
		{o, "mem-00417", schema.FaultIdentifier},
		{o, "The ferry left the harbour before the storm.", schema.FaultOther},
		{o, "I paid 36 euros for the lamp on 8 May 2023. Maria didn&#39;t like it much.", schema.FaultEncoding},
		{o, "I+paid+36+euros+for+the+lamp+on+8+May+2023.+Maria+didn%27t+like+it+much.", schema.FaultEncoding},
		{zh, zh.Text, ""},
		{zh, "林晓：" + zh.Text, ""},
		{zh, "周航：" + zh.Text, schema.FaultSpeaker},
		{zh, "我在杭州花了三十九块钱买了这盏灯，妈妈不喜欢。", schema.FaultNumber},
		{zh, "我在杭州花了三十六块钱买了这盏灯，妈妈喜欢。", schema.FaultNegated},
		{zh, "我在杭州花了三十六块", schema.FaultCut},
		{zh, "????????????????????，?????。", schema.FaultEncoding},
		{zh, "æ\u0088\u0091å\u009c¨æ\u009d­å·\u009eè\u008a±äº\u0086ä¸\u0089å\u008d\u0081å\u0085\u00adå\u009d\u0097é\u0092±ä¹°äº\u0086è¿\u0099ç\u009b\u008fç\u0081¯ï¼\u008cå¦\u0088å¦\u0088ä¸\u008då\u0096\u009cæ¬¢ã\u0080\u0082", schema.FaultEncoding},
	} {
		if d := Compare(c.o, c.got, nil); d.Kind != c.want {
			t.Errorf("%q: %q (%.2f, %s), want %q", c.got, d.Kind, d.Kept, d.Marked, c.want)
		}
	}
}

// A point in a number ends no sentence.
func TestFactsWithDecimals(t *testing.T) {
	o := Original{Text: "Mrs Haddad takes 2.5 mg of bisoprolol at breakfast, the box is in the blue drawer.", Speaker: "Nadia"}
	if d := Facts(o, "Mrs Haddad's bisoprolol dose at breakfast is 2.5 mg; the box is in the blue drawer.", true); !d.Same() {
		t.Errorf("have %+v", d)
	}
	if d := Facts(o, "At breakfast Mrs Haddad takes 3.5 mg of bisoprolol, and the box is in the blue drawer.", true); d.Kind != schema.FaultNumber {
		t.Errorf("another dose: have %+v", d)
	}
}

// TestKinds names what happened to a text by the values that changed.
func TestKinds(t *testing.T) {
	for _, c := range []struct{ want, got, kind string }{
		{"钢琴课改到2026年10月4日了。", "苏敏：钢琴课改到2026年11月4日了。", schema.FaultDate},
		{"The exam is on 17 April, and I am nervous.", "The exam is on 17 May, and I am nervous.", schema.FaultDate},
		{"考试定在2026年10月4日。", "考试定在2026年4月10日。", schema.FaultDate},
		{"My shift begins at eight in the morning.", "My shift begins at six in the morning.", schema.FaultDate},
		{"The trail is 18 kilometres long.", "The trail is 18 miles long.", schema.FaultNumber},
		{"院子里有十五棵树。", "院子里有二十棵树。", schema.FaultNumber},
		{"The trail costs me 480 dollars.", "The trail costs me 48 dollars.", schema.FaultNumber},
		{"We lost the quiz 4-9, alas.", "We lost the quiz 49, alas.", schema.FaultNumber},
		{"The library is open 8–16 this week.", "The library is open 816 this week.", schema.FaultNumber},
		{"The gate opens to 555-0182 only.", "The gate opens to 5550182 only.", ""},
		{"The play takes 95 minutes.", "The play takes 1 h 35 min.", ""},
		{"The play takes 95 minutes.", "The play takes 1 h 45 min.", schema.FaultNumber},
		{"We sold the old barge to Rita in May.", "We sold the We sold the We sold the We sold the We sold the", schema.FaultCut},
		{"我小时候住在烟台。", "我小时候住在大理。", schema.FaultName},
		{"我的房东叫陈晓梅，住在楼上。", "我的房东叫赵志远，住在楼上。", schema.FaultName},
		{"The loft cost us 14,520 euros.", "The loft cost us 14.520 euros.", schema.FaultNumber},
		{"The loft cost us 14,520 euros.", "The loft cost us 14520 euros.", ""},
		{"It was -8 degrees in the attic.", "It was 8 degrees in the attic.", schema.FaultNumber},
		{"My code is 0417 882, keep it.", "My code is 417 882, keep it.", schema.FaultNumber},
		{"The box weighs 21.5 kilograms, take the car.", "The box weigh 21.5 kilogram, take the car.", schema.FaultCut},
		{"Judith Vale lent me a canoe for the lake.", "I lent Judith Vale a canoe for the lake.", schema.FaultWords},
		{"My dentist is Doctor Novak, two streets away.", "Doctor Novak, two streets away, is my dentist.", ""},
		{"The loft cost us 520 euros in the end.", "In the end the loft cost us 520 euros.", ""},
		{"My aunt turned eighty in May and still drives.", "in May and still drives. My aunt turned eighty", schema.FaultWords},
		{"Please write to me from the harbour tomorrow.", "easePlay itewray otay emay omfray ethay arbourhay omorrowtay.", schema.FaultEncoding},
		{"Please write to me from the harbour tomorrow.", "Pleas writ t m fro th harbou tomorro.", schema.FaultCut},
		{"Please write to me from the harbour tomorrow.", "\x1b[32mPlease write to me from the harbour tomorrow.\x1b[0m", ""},
		{"Nora waters my plants.", "Iris waters my plants.", schema.FaultName},
		{"我的房东叫陈晓梅，住在楼上。", "我的房东叫某某某，住在楼上。", schema.FaultWords},
		{"I never drink coffee after lunch.", "I drink coffee after lunch.", schema.FaultNegated},
		{"我最喜欢的汤是冬瓜汤。", "我最喜欢的汤是别的东西。", schema.FaultWords},
		{"I play the harp, my sister plays the drums.", "My sister plays the harp, I play the drums.", schema.FaultWords},
		{"My dentist is Doctor Novak, two streets away from here.", "Ines: reets away from here.", schema.FaultCut},
		{"My dentist is Doctor Novak, two streets away from here.", "My dntst s Dctr Nvk, tw strts wy frm hr.", schema.FaultCut},
		{"My dentist is Doctor Novak, two streets away from here.", "Novak dentist", schema.FaultCut},
		{"My dentist is Doctor Novak, two streets away from here.", "Ines: ", schema.FaultEmpty},
		{"My dentist is Doctor Novak, two streets away from here.", "Ines: null", schema.FaultEmpty},
		{"我的牙医是沈医生，离这里两条街。", "我 的 牙 医 是 沈 医 生 ， 离 这 里 两 条 街 。", schema.FaultEncoding},
		{"My dentist is near.", "M\u200dy\u200d d\u200de\u200dn\u200dt\u200di\u200ds\u200dt is near.", schema.FaultEncoding},
		{"我的牙医是沈医生，离这里两条街。", "甲乙丙丁戊己庚辛，子丑寅卯辰巳。", schema.FaultEncoding},
		{"I grew up in Leeds.", "It is not true that: I grew up in Leeds.", schema.FaultNegated},
		{"The exam is on 14 October 2026, and I am nervous.", "Ines: Theexamison14October2026,andIamnervous.", schema.FaultEncoding},
		{"新的温室最后花了我809欧元。", "新 的 温 室 最 后 花 了 我 8 0 9 欧 元 。", schema.FaultEncoding},
		{"我现在不吃花生了。", "啊侻伻嗎储佊丌夝。", schema.FaultEncoding},
		{"我的房租涨了23%。", "我的 … 3%。", schema.FaultCut},
		{"I never drink coffee after lunch.", "drink coffee after lunch. never I", schema.FaultWords},
		{"我的行李箱重26公斤。", "的6我箱行斤李公。2重", schema.FaultWords},
		{"I keep 3 cats and 5 dogs.", "I keep 5 cats and 3 dogs.", schema.FaultNumber},
		{"我吃虾，我不吃核桃。", "我不吃虾，我吃核桃。", schema.FaultNegated},
		{"The exam is on 23 January 2026, and I am nervous.", "The exam is on 23 Janund my gloves.", schema.FaultCut},
		{"My run is 9 kilometres.", "My run is 5.6 miles.", ""},
		{"My run is 9 kilometres.", "My run is 9 miles.", schema.FaultNumber},
		{"The greenhouse cost me 809 euros.", "The greenhouse cost me eight hundred and nine euros.", ""},
		{"新的温室花了我809欧元。", "新的温室花了我八百零九欧元。", ""},
		{"The exam is on 14 October 2026.", "The exam is on 2026-10-14.", ""},
		{"The exam is on 14 October 2026.", "The exam is on ١٤ October ٢٠٢٦.", schema.FaultEncoding},
		{"I grew up in Leeds.", `{"type": "memory", "content": "I grew up in Leeds."}`, ""},
		{"I grew up in Leeds.", "Is it so that I grew up in Leeds?", schema.FaultWords},
		{"我的牙医是沈医生，离这里两条街。", "我的牙医是沈医生，离这\uFFFD", schema.FaultCut},
		{"I was born in Cork.", "I was born in Leeds.", schema.FaultName},
		{"I am fond of figs.", "Marta: https://store.example/m/1f2e3d", schema.FaultIdentifier},
		{"I am fond of figs.", "Ines: You are fond of figs.", schema.FaultSpeaker},
		{"I lost my gloves at the fair.", "Marta lost Marta's gloves at the fair.", schema.FaultSpeaker},
		{"I lost my gloves at the fair.", "Ines lost Ines's gloves at the fair.", ""},
		{"I don't eat pork, and I am tired.", "Ines: I am tired, I do not eat pork.", ""},
		{"The tram leaves at 6:11 from the market.", "The_tram_leaves_at_6_11_from_the_market", schema.FaultEncoding},
		{"The choir rehearses every Thursday.", "The choir rehearses every Saturday.", schema.FaultDate},
		{"My locker is number 1928 now.", "My locker is number 1982 now.", schema.FaultNumber},
		{"I opened the workshop in 1928.", "I opened the workshop in 1982.", schema.FaultDate},
		{"我的房东叫刘建国。", "我的房东叫赵建国。", schema.FaultName},
		{"My plumber has the number 555-8491.", "My plumber has the number 555-****.", schema.FaultCut},
		{"The green lamp costs 30 euros.", "ĠTheĠgreenĠlampĠcostsĠ30Ġeuros.", schema.FaultEncoding},
		{"The green lamp costs 30 euros.", "0000  54 68 65 20 67 72 65 65 6e 20 6c 61 6d 70 20 63\n0010  6f 73 74 73 20 33 30 20 65 75 72 6f 73 2e", schema.FaultEncoding},
		{"The green lamp costs 30 euros.", "The green lamp...[truncated 16 chars]", schema.FaultCut},
		{"My sister's lamp is green.", "INSERT INTO memories (body) VALUES ('My sister''s lamp is green.');", ""},
		{"Which lamp I like is the green one.", "Which lamp do I like?", schema.FaultWords},
		{"I grew up in Leeds.", "Ines: Marta claims: \"I grew up in Leeds.\"", schema.FaultSpeaker},
	} {
		o := Original{Text: c.want, Speaker: "Ines", Speakers: []string{"Ines", "Marta", "苏敏"}, Around: []string{"I found my gloves.", "He lives in Leeds."}}
		if d := Compare(o, c.got, nil); d.Kind != c.kind {
			t.Errorf("%q: %q (%.2f, %s), want %q", c.got, d.Kind, d.Kept, d.Marked, c.kind)
		}
	}
}

// TestMarked shows the whole difference, and nothing else.
func TestMarked(t *testing.T) {
	for _, c := range []struct{ want, got, marked string }{
		{"Today I sold the old loom.", "Ines: Last week I sold the old loom.", "[-Today-]{+Last week+} I sold the old loom."},
		{"考试定在2026年10月4日。", "考试定在2026年4月10日。", "考试定在2026年[-10月-]4{+月10+}日。"},
		{"I grew up in Leeds.", "I grew up in the north of Leeds.", "I grew up in {+the north of+} Leeds."},
	} {
		if d := Compare(Original{Text: c.want, Speakers: []string{"Ines"}}, c.got, nil); d.Marked != c.marked {
			t.Errorf("have %s, want %s", d.Marked, c.marked)
		}
	}
}

func TestFacts(t *testing.T) {
	o := Original{Text: "I moved to Lisbon with 3 cats last spring. Tomas never liked the noise.", Speaker: "Iris", Speakers: []string{"Iris", "Tomas"}}
	for _, c := range []struct{ got, want string }{
		{"Iris moved to Lisbon with three cats", ""},
		{"Iris moved to Porto with 3 cats last spring", schema.FaultName},
		{"Iris moved to Lisbon with 5 cats", schema.FaultNumber},
		{"Tomas liked the noise", schema.FaultNegated},
		{"Iris enjoys the sea", ""},
	} {
		if d := Facts(o, c.got, true); d.Kind != c.want {
			t.Errorf("%q: %q (%s), want %q", c.got, d.Kind, d.Marked, c.want)
		}
	}
}

func FuzzCompare(f *testing.F) {
	f.Add("I paid 36 euros.", "Iris: I paid 63 euros.")
	f.Add("我不喜欢。", "\xff\xfe我喜欢")
	f.Fuzz(func(t *testing.T, want, got string) {
		if len(want)+len(got) > 2000 {
			return
		}
		if d := Compare(Original{Text: want}, want, nil); !d.Same() {
			t.Errorf("%q is not itself: %s", want, d.Kind)
		}
		d := Compare(Original{Text: want}, got, nil)
		if d.Kept < 0 || d.Kept > 1.0001 {
			t.Errorf("%q, %q: kept %v", want, got, d.Kept)
		}
		Facts(Original{Text: want}, got, false)
	})
}

// A system that makes a habit of keeping single sentences is judged on facts; one whose texts
// were cut inside a sentence, emptied or spoilt keeps what was said, and these were damaged.
func TestFrameOfSentences(t *testing.T) {
	said := []string{"Hello there! I moved to Lisbon last spring. The rent is high.", "So good to see you. My sister Ada keeps two goats.", "Oh no! The tram was late again today.", "Well. We climbed the old tower on Sunday. It rained."}
	for name, c := range map[string]struct {
		keep     func(string) []string
		verbatim bool
	}{
		"one sentence":      {func(s string) []string { return []string{strings.TrimSpace(sentences(s)[1]) + "."} }, false},
		"each for itself":   {func(s string) []string { return sentences(s) }, false},
		"whole":             {func(s string) []string { return []string{"Iris: " + s} }, true},
		"cut in a word":     {func(s string) []string { return []string{s[:len(s)/2]} }, true},
		"without beginning": {func(s string) []string { return []string{s[strings.LastIndexByte(s[:len(s)*2/3], ' ')+1:]} }, true},
	} {
		var f Frame
		for i := range 8 {
			s := said[i%len(said)]
			if i < 3 || name == "one sentence" || name == "each for itself" {
				f.Learn(Original{Text: s}, c.keep(s)...)
			} else {
				f.Learn(Original{Text: s}, s)
			}
		}
		if f.Verbatim() != c.verbatim {
			t.Errorf("%s: verbatim %v: %+v", name, f.Verbatim(), f)
		}
	}
}

// Facts are compared in sentences that speak of the same, however long the text.
func TestFactsOfALongText(t *testing.T) {
	o := Original{Text: "Hey, guess what? My sister Ada dyed her hair blue last week.", Speaker: "Ben"}
	long := "I never liked the old flat. My sister Ada dyed her hair blue last week. We do not own a car. The goats eat 12 apples."
	if d := Facts(o, long, true); !d.Same() {
		t.Errorf("what other sentences deny and count is not this one's: %+v", d)
	}
	for text, kind := range map[string]string{
		strings.Replace(long, "Ada dyed", "Ada never dyed", 1): schema.FaultNegated,
		strings.Replace(long, "Ada dyed", "Rosa dyed", 1):      schema.FaultName,
	} {
		if d := Facts(o, text, true); d.Kind != kind {
			t.Errorf("%s: have %+v, want %s", text, d, kind)
		}
	}
}

func TestExcerpt(t *testing.T) {
	text := "The tram was late again today. My sister Ada keeps two brown goats. It rained for hours."
	for got, want := range map[string]bool{
		"(5) The tram was late again today. It rained for hours.":                                   true,
		"The tram was late again today. My sister Rosa keeps two brown goats. It rained for hours.": false,
		text:             false,
		"Nothing of it.": false,
	} {
		if Excerpt(text, got) != want {
			t.Errorf("%q: want %v", got, want)
		}
	}
}

// A question that ends in more than its mark stays what it was.
func TestQuestionEndings(t *testing.T) {
	for _, said := range []string{"His name is Ned, how could I forget?!", "What's on your menu tonight?\t", "你今晚吃什么？！"} {
		o := Original{Text: said, Speaker: "John"}
		if d := Compare(o, "John: "+said, nil); !d.Same() {
			t.Errorf("%q: %+v", said, d)
		}
	}
	o := Original{Text: "His name is Ned.", Speaker: "John"}
	if d := Compare(o, "John: His name is Ned?", nil); d.Same() {
		t.Error("a statement that became a question is the same")
	}
}
