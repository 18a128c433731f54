package clause

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// line is a fact on one line: subject | verb | object | when | marks.
func line(f Fact) string {
	marks := []string{f.Slot}
	if f.Negated {
		marks = append(marks, "not")
	}
	if f.Modality != Asserted {
		marks = append(marks, []string{"", "plan", "wish", "condition", "hearsay", "question", "imperative"}[f.Modality])
	}
	return fmt.Sprintf("%s|%s|%s|%s|%s", kindName(f.Subject), f.Verb, f.Value.Text, f.When.Text, strings.Join(marks, " "))
}

// TestAnswers: an answer is read with its question.
func TestAnswers(t *testing.T) {
	for _, tc := range []struct {
		asked, text string
		want        []string
	}{
		{"where are you working now?", "Northgate", []string{"S|work|Northgate||WORKS_AT"}},
		{"ok question, where do you live", "in Bern", []string{"S|live|Bern||LIVES_IN"}},
		{"do you have kids?", "yeah two", []string{"S|have|kids||HAS_RELATIVE"}},
		{"do you have a car", "nope", []string{"S|have|car||HAS not"}},
		{"what do you do?", "nurse", []string{"S|be|nurse||WORKS_AS"}},
		{"your dad would faint, isn't he scared of snakes", "terrified", []string{"father|be|terrified of snakes||IS"}},
		{"isn't your dad scared of snakes", "got bit by one in Kent", []string{"father|get|get bit by one in Kent||DID"}},
		{"did you see the rota?", "not yet", nil},
		{"are you ok?", "yeah", nil},
		{"I went to Bern.", "nope", nil},
		{"my sister wrote", "she moved to Bern", []string{"sister|move|Bern||LIVES_IN"}},
		{"What do you do when not singing?", "school cook by day", []string{"S|be|school cook by day||WORKS_AS"}},
		{"where do you work", "still at Northgate", []string{"S|work|Northgate||WORKS_AT"}},
		{"do you live with your mum", "no, with my aunt in Bern", []string{"S|live|live with my aunt in Bern||HAS_HABIT"}},
		{"what does your brother do", "drives for a dairy", []string{"brother|drive|drive dairy||HAS_HABIT"}},
		{"my sister and my aunt wrote", "she moved to Bern", []string{"pronoun|move|Bern||LIVES_IN"}}, // which of them?
		{"how's Ned's dog", "he moved to Bern", []string{"pronoun|move|Bern||LIVES_IN"}},              // the dog, or Ned
		{"thanks, Ada", "she moved to Bern", []string{"pronoun|move|Bern||LIVES_IN"}},                 // not who is spoken to
	} {
		var have []string
		for _, f := range Candidates(tc.text, Options{Before: tc.asked}) {
			if f.Modality == Asserted || f.Modality == Plan {
				have = append(have, line(f))
			}
		}
		if !slices.Equal(have, tc.want) {
			t.Errorf("%q, %q: have %q, want %q", tc.asked, tc.text, have, tc.want)
		}
	}
}

// TestValues: what fills the slot of the first fact, without what is no part of it.
func TestValues(t *testing.T) {
	for text, want := range map[string]string{
		"I am 34 years old":                      "HAS_AGE 34 years old",
		"My son is 3 years old.":                 "HAS_AGE 3 years old",
		"我今年35岁了":                                "HAS_AGE 35岁",
		"I live in Cork right now.":              "LIVES_IN Cork",
		"I live in Tampere 🇫🇮":                   "LIVES_IN Tampere",
		"I moved to Boston on Saturday!":         "LIVES_IN Boston",
		"I moved from Bern to Basel.":            "LIVES_IN Basel",
		"I'm based in Nairobi these days":        "LIVES_IN Nairobi",
		"On 1 June I start at Kiteworks.":        "PLANS start at Kiteworks",
		"Ana no longer works at Kiteworks":       "WORKS_AT Kiteworks",
		"我在字节跳动工作":                               "WORKS_AT 字节跳动",
		"I have two routers, a Fritz and a Hub.": "HAS two routers|Fritz|Hub",
		"I have time and money":                  "HAS time and money",
		"SW-CORE-01 搬走了":                         "",
	} {
		have := ""
		if fs := Read(text, Options{Names: []string{"Ben", "Ana"}, Year: 2026}); len(fs) > 0 {
			have = fs[0].Slot + " " + strings.Join(fs[0].Values(), "|")
		}
		if have != want {
			t.Errorf("%q: have %q, want %q", text, have, want)
		}
	}
}

func TestRead(t *testing.T) {
	for _, tc := range []struct {
		text string
		want []string
	}{
		{"I went to Lisbon with my sister last May.", []string{"S|go|Lisbon|last May|VISITED"}},
		{"Raghav call me when you are free.", []string{"A|be|free||IS"}}, // not "Raghav calls"
		{"Raghav calls his mother every Sunday.", []string{"named|call|call his mother|every Sunday|HAS_HABIT"}},
		{"off to Bern on the 9th with Ada", []string{"S|go|go to Bern on the 9th with Ada||PLANS plan"}},
		{"I'm off to bake a pie", []string{"S|bake|bake a pie||PLANS plan"}},
		{"start at the dairy monday", []string{"S|start|start at the dairy|monday|PLANS plan"}},
		{"handing my badge in at the dairy friday", []string{"S|hand|hand my badge in at the dairy|friday|PLANS plan"}},
		{"our Ada's getting married", []string{"named|get|get married||PLANS plan"}},
		{"My sister is like 12.", []string{"sister|be|12||HAS_AGE"}},
		{"my brother's 32", []string{"brother|be|32||HAS_AGE"}},
		{"My nan turned 90 last week.", []string{"grandmother|turn|90|last week|HAS_AGE"}},
		{"My brother won't stop whistling.", []string{"brother|whistle|whistle||HAS_HABIT"}},
		{"you used to paint every week??", []string{"A|paint|paint|every week|HAS_HABIT"}},
		{"My flatmate Ada is not happy with the heating.", []string{"roommate|be|happy with the heating||FEELS not"}},
		{"my brother's knee is bad", []string{"brother|be|knee that is bad||HAS_CONDITION"}},
		{"I no longer work at a bank.", []string{"S|work|bank||WORKS_AT not"}},
		{"I started at Brightwave on the 2nd.", []string{"S|start|Brightwave||WORKS_AT"}},
		{"My sister landed a role at Northgate Hospital.", []string{"sister|land|Northgate Hospital||WORKS_AT"}},
		{"I got a place at Leeds University!", []string{"S|get|Leeds University||STUDIES_AT"}},
		{"We started at the top of Ben Nevis.", []string{"S|start|start at the top of Ben Nevis||DID"}},
		{"My brother is a nurse and he lives in Porto.", []string{"brother|be|nurse||WORKS_AS", "brother|live|Porto||LIVES_IN"}},
		{"I'm going to adopt a puppy next week.", []string{"S|adopt|adopt puppy|next week|PLANS plan"}},
		{"Did you buy the car?", []string{"A|buy|car||OWNS question"}},
		{"She said that Anna moved to Rome.", []string{"pronoun|say|say Anna moved to Rome||DID", "named|move|Rome||LIVES_IN hearsay"}},
		{"If I had time, I would learn Greek.", []string{"S|have|time||HAS condition", "S|learn|learn Greek||DID condition"}},
		{"I usually give up but fixed the bike.", []string{"S|give up|give up|usually|HAS_HABIT", "S|fix|fix bike||DID"}},
		{"I'm allergic to peanuts.", []string{"S|be|allergic to peanuts||HAS_CONDITION"}},
		{"Let me know how it goes!", nil},
		{"我已经不在银行工作了，现在自己开咖啡店。", []string{"S|工作|银行||WORKS_AT not", "S|开|开咖啡店|现在|DID"}},
		{"我对花生过敏。", []string{"S|过敏|花生过敏||HAS_CONDITION"}},
		{"那家店味道不错。", nil},
		{"最近没钱。", []string{"S|有|钱|最近|HAS not"}},
		{"我妈下个月去北京。", []string{"mother|去|去北京|下个月|PLANS plan"}},
		{"你喜欢猫吗？", []string{"A|喜欢|猫||PREFERS_TOPIC question"}},
		{"听说他辞职了。", []string{"pronoun|辞职|辞职||DID hearsay"}},
		{"Landed in Lisbon!!", []string{"S|land|land in Lisbon||DID"}},
		{"Thanks, just got back from Rome with my sister.", []string{"S|get|get back from Rome with my sister|just|DID"}},
		{"Love sushi.", []string{"S|love|sushi||PREFERS_TOPIC"}},
		{"Never been to Japan.", []string{"S|be|Japan||VISITED not"}},
		{"Allergic to peanuts.", []string{"S|be|allergic to peanuts||HAS_CONDITION"}},
		{"Will visit my parents next week.", []string{"S|visit|visit my parents|next week|PLANS plan"}},
		{"Playing games is my escape.", nil},
		{"Exciting to see what's in store!", nil},
		{"Don't forget the keys.", nil},
		{"Could be worse.", nil},
		{"My aunt's at the bakery, loves it, but she starts at five.", []string{"aunt|be|at the bakery||IS", "aunt|love|it||PREFERS_TOPIC", "aunt|start|start at five||DID"}},
		{"I hate skiing, my cousin Lena's got a cabin.", []string{"S|hate|skiing||PREFERS_TOPIC not", "cousin|have|cabin||HAS"}},
		{"Painted the fence twice and it's not even May.", []string{"S|paint|fence twice||MADE"}},
		{"Dad's birthday, what was I meant to do, stay at home like a monk", []string{"S|be|I meant to do, stay at home like a monk||IS question"}},
		{"is the kettle still broken", nil},
		{"No, Rolf sold the boat to a man from Kiel.", []string{"named|sell|sell boat to a man from Kiel||DID"}},
		{"Gerd and I are thinking of Malta for March.", []string{"S|think|think Malta|March|PLANS plan", "named|think|think Malta|March|PLANS plan"}},
		{"Our Nell's moving to Leith on the 8th.", []string{"named|move|move to Leith on the 8th||PLANS plan"}},
		{"I start at the bank on the 14th.", []string{"S|start|start at the bank on the 14th||PLANS plan"}},
		{"You haven't skated since primary school.", []string{"A|skate|skate since primary school||DID not"}},
		{"You did a great job!", []string{"A|do|do great job||DID"}},
		{"Shoulder's fine since the operation.", []string{"S|be|shoulder that is fine since the operation||HAS_CONDITION"}},
		{"still don't eat mussels", []string{"S|eat|eat mussels||HAS_HABIT not"}},
		{"been seeing her since spring", []string{"S|see|see her since spring||DID"}},
		{"have to be at the clinic by nine", []string{"S|have|be at the clinic by nine||PLANS plan"}},
		{"I can't trust Odo, he crashed the boat.", []string{"S|trust|trust Odo||HAS_HABIT not", "named|crash|crash boat||DID"}},
		{"We flew to Lima, he liked it.", []string{"S|fly|Lima||VISITED", "pronoun|like|it||PREFERS_TOPIC"}},
		{"I live in a dorm on my own!", []string{"S|live|live in a dorm on my own||HAS_HABIT"}},
		{"I got the idea from a walk with my dogs two weeks ago.", []string{"S|get|get idea from a walk with my dogs|two weeks ago|DID"}},
		{"Golf bores me to tears.", []string{"S|bore|Golf||PREFERS_TOPIC not"}},
		{"I'm fascinated by trains.", []string{"S|fascinate|trains||PREFERS_TOPIC"}},
		{"对海鲜过敏。", []string{"S|过敏|海鲜过敏||HAS_CONDITION"}},
		{"今天好累。", []string{"S|是|累|今天|FEELS"}},
		{"恐怖片我从来不看。", []string{"S|看|看恐怖片||HAS_HABIT not"}},
		{"榴莲这种东西，我真是受不了。", []string{"S|受不了|榴莲这种东西||PREFERS_TOPIC not"}},
		{"Mum's from Cork, and my brother's a plumber.", []string{"mother|be|Cork||COMES_FROM", "brother|be|plumber||WORKS_AS"}},
		{"My commute takes an hour each way.", []string{"S|take|commute that takes an hour each way|an hour|HAS"}},
		{"There's a piano in our kitchen.", []string{"S|be|piano in our kitchen||HAS"}},
		{"There's a piano in the kitchen.", nil},
		{"There's a problem in my opinion.", nil},
		{"My dream came true, my dream comes true.", nil},
		{"My phone's been giving me a hard time.", []string{"S|give|phone that has been giving me a hard time||HAS"}},
		{"My knees are bad from years of running.", []string{"S|be|knees that are bad from years of running||HAS_CONDITION"}},
		{"Our cat sleeps on the radiator.", []string{"S|sleep|cat||HAS_PET"}},
		{"I like my dog and my cat.", []string{"S|like|my dog and my cat||PREFERS_TOPIC"}},
		{"My weekend is busy with work.", nil},
		{"My name is Tamsin.", []string{"S|be|Tamsin||HAS_NAME"}},
		{"I've been vegetarian for ten years.", []string{"S|be|vegetarian|ten years|FOLLOWS_DIET"}},
		{"I've had a bad back since the accident.", []string{"S|have|bad back since the accident||HAS"}},
		{"I drive an old van.", []string{"S|drive|drive old van||HAS_HABIT"}},
		{"I'm driving an old van.", []string{"S|drive|drive old van||DID"}},
		{"Can't swim.", []string{"S|swim|swim||HAS_SKILL not"}},
		{"My aunt can play the cello.", []string{"aunt|play|play cello||HAS_SKILL"}},
		{"I can't drive tonight.", []string{"S|drive|drive|tonight|HAS_HABIT not"}},
		{"Can't wait to see it and hang out.", nil},
		{"Left-handed, sorry.", []string{"S|be|left-handed, sorry||IS"}},
		{"My brother Tom, a plumber, lives in Hull.", []string{"brother|live|Hull||LIVES_IN"}},
		{"My mother-in-law lives in Hull.", []string{"mother-in-law|live|Hull||LIVES_IN"}},
		{"I was born in 1990.", []string{"S|bear|born 1990|1990|HAS_AGE"}},
		{"我家阳台上养了三只乌龟。", []string{"S|养|三只乌龟||HAS_PET"}},
		{"家里有一架钢琴。", []string{"S|有|钢琴||HAS"}},
		{"我最好的朋友叫小雨。", []string{"S|叫|最好的朋友，叫小雨||HAS_RELATIVE"}},
		{"我有偏头痛。", []string{"S|有|偏头痛||HAS_CONDITION"}},
		{"把吉他卖了换了台相机。", []string{"S|卖|卖吉他||DID"}},
		{"我室友喝酒没输过。", nil},
		{"刚下班 明天去苏州", []string{"S|下班|下班|刚|DID", "S|去|去苏州|明天|PLANS plan"}}, // a blank is a comma
		{"我在 Acme 上班 [捂脸] 不吃香菜😂", []string{"S|上班|Acme||WORKS_AT", "S|吃|吃香菜||HAS_HABIT not"}},
		{"我妈，昨天住院了", []string{"mother|住院|住院|昨天|HAS_CONDITION"}},
		{"驾照考下来了，奶茶早戒了", []string{"S|考|考驾照||DID", "S|戒|戒奶茶||DID"}}, // what is done is in front
		{"天亮了，票卖完了，股票又跌了", nil},
		{"我妹包的饺子寄到了", nil},
		{"昨天被老板骂了", []string{"S|骂|被老板骂|昨天|DID"}},
		{"我姐让我帮她搬家", []string{"sister|让|让我帮她搬家||DID"}},
		{"把合同发到群里了", []string{"S|发|把合同发到群里||DID"}},
		{"刚给我爸买了个手机", []string{"S|买|给我爸买个手机|刚|DID"}},
		{"我是去年来的深圳", []string{"S|来|来深圳|去年|DID"}},
		{"我还不是背着房贷", []string{"S|背着|背着房贷||DID"}}, // a denial that asks for assent
		{"我哪买得起房", []string{"S|买|买房||HAS_HABIT not"}},
		{"吃不了辣", []string{"S|吃|吃辣||HAS_HABIT not"}},
		{"我要搬家了", []string{"S|搬家|搬家||PLANS plan"}},
		{"我明天过来帮忙", []string{"S|帮忙|帮忙|明天|PLANS plan"}},
		{"要不是你，我早就去爬山了", []string{"S|去|去爬山||DID condition"}},
		{"我差一点，就把那页撕了", []string{"S|撕|撕那页||DID condition"}},
		{"听说小李要结婚了", []string{"named|结婚|结婚||HAS_STATUS hearsay"}},
		{"去公园散步不", []string{"S|去|去公园散步不||DID question"}},
		{"走了两个护士", nil}, // who has gone is behind the verb
		{"养了两年的绿萝死了", nil},
		{"护士长自己都在顶班", nil},
		{"我上大学那年他开了家店", []string{"S|上|上大学||DID", "pronoun|开|开家店||DID"}},
		{"我从厂里下岗那年她才五岁", []string{"S|下岗|从厂里下岗||DID", "pronoun|是|五岁||HAS_AGE"}},
		{"从上海回来就发烧了", []string{"S|发烧|发烧||HAS_CONDITION"}},
		{"膝盖又疼了，我酒精过敏", []string{"S|是|膝盖又疼||HAS_CONDITION", "S|过敏|酒精过敏||HAS_CONDITION"}},
		{"我老家是湖南的", []string{"S|是|湖南||COMES_FROM"}},
		{"我家狗昨天做了手术", []string{"S|有|狗||HAS_PET"}},
		{"昨天去领养了一只猫", []string{"S|领养|猫|昨天|HAS_PET"}},
		{"我儿子高三了", []string{"son|是|高三||IS"}},
		{"我会弹吉他，学的是会计", []string{"S|弹|弹吉他||HAS_SKILL", "S|学|会计||STUDIES"}},
		{"我再刷会儿视频", []string{"S|刷|刷会儿视频||PLANS plan"}},
		{"也许我会喜欢上写诗", []string{"S|喜欢|写诗||PREFERS_TOPIC condition"}},
		{"要是没下雨，我早升职了", []string{"S|下雨|下雨||DID not condition", "S|升职|升职||DID condition"}},
		{"养了一缸鱼，生了一堆", []string{"S|养|一缸鱼||HAS_PET"}},
		{"我舅天天钓鱼，我嫂子开店", []string{"uncle|钓鱼|钓鱼|天天|HAS_HABIT", "sister-in-law|开店|开店||DID"}},
		{"我有一只猫叫豆豆", []string{"S|有|猫，叫豆豆||HAS_PET"}},
		{"我妈退休了。她现在天天跳舞", []string{"mother|退休|退休||HAS_STATUS", "mother|跳舞|跳舞|现在|DID"}},
		{"你见过小王吗 他离婚了", []string{"A|见|见小王||DID question", "named|离婚|离婚||HAS_STATUS"}},
		{"我妈做饭，他不会", []string{"mother|做饭|做饭||DID"}},
		{"我哥说他下周出差", []string{"brother|说|说他下周出差|下周|DID"}},
		{"牛 还好我没选", []string{"S|选|选||DID not"}},
		{"就是那个新曲子我还没学会呢", []string{"S|学会|那个新曲子||HAS_SKILL not"}},
		{"血压 有点 高", []string{"S|是|血压有点高||IS"}}, // blanks that end no clause
		{"我妈 上周 膝盖 手术", []string{"mother|手术|膝盖手术|上周|DID"}},
		{"老家 宁波的", []string{"S|是|宁波||COMES_FROM"}},
		{"膝盖别跑坏了", nil},
		{"我脚崴了啊大哥", []string{"S|崴|脚崴||HAS_CONDITION"}},
		{"我手机摔坏了，我夜班全靠咖啡撑着", []string{"S|摔|手机摔坏||DID", "S|靠|夜班全靠咖啡撑着||DID"}},
		{"我表妹，在北京考研呢", []string{"cousin|考研|在北京考研||DID"}},
		{"我招了个徒弟，叫周满，以前在饭馆做面条", []string{"S|招|招个徒弟||DID", "named|做|饭馆|以前|WORKS_AT"}},
		{"后来老老实实吃药了", []string{"S|吃药|吃药|后来|DID"}},
		{"你回不回家", []string{"A|回家|回家||DID question"}},
		{"我还没决定去不去", []string{"S|决定|决定去不去||PLANS not"}},
		{"不买了不买了", []string{"S|买|买||DID not"}},
		{"周五搬家，每周五跑步", []string{"S|搬家|搬家|周五|PLANS plan", "S|跑步|跑步|每周五|HAS_HABIT"}},
		{"我拿不到钥匙", []string{"S|拿|拿钥匙||DID not"}},
		{"我叫个外卖", []string{"S|叫|叫个外卖||DID"}},
		{"她婆婆腰椎间盘突出搬不了东西", []string{"mother-in-law|有|腰椎间盘突出||HAS_CONDITION"}},
		{"下了班就去江边钓鱼", []string{"S|去|去江边钓鱼||DID"}},
		{"我换工作了，现在是夜班护士", []string{"S|换|换工作||DID", "S|是|夜班护士|现在|WORKS_AS"}},
		{"房东说下个月要卖房你听说没", []string{"landlord|说|说要卖房|下个月|DID", "A|听说|听说没||DID question"}},
		{"我小姨在西安", []string{"aunt|在|在西安||DID"}},
		{"住三楼", []string{"S|住|住三楼||DID"}}, // no rival of the town
		{"喜欢归喜欢，也就看过一次吧。", []string{"S|看过|看过一次||DID"}},
		{"> I live in Cork.\nI live in Dublin.", []string{"S|live|Dublin||LIVES_IN"}},
		{"```\nname: Bob\nI live in Berlin.\n```\nI live in Cork.", []string{"S|live|Cork||LIVES_IN"}},
		{"~~I live in Rome.~~ **I live in Bari**", []string{"S|live|Bari||LIVES_IN"}},
		{"I work at **Brightwave**.", []string{"S|work|Brightwave||WORKS_AT"}},
		{"我住在**北京**。", []string{"S|住在|北京||LIVES_IN"}},
		{"I used to live in Vienna before Graz.", []string{"S|live|Vienna||LIVES_IN"}},
		{"I love Tom's cooking, not his jokes.", []string{"S|love|Tom's cooking||PREFERS_TOPIC"}},
		{"I live in Graz, not Vienna.", []string{"S|live|Graz||LIVES_IN"}},
		{"I like tea but not coffee.", []string{"S|like|tea||PREFERS_TOPIC"}},
		{"I named the dog after my grandma.", []string{"S|name|name dog after my grandma||DID"}},
		{"", nil},
	} {
		var have []string
		for _, f := range Candidates(tc.text, Options{}) {
			have = append(have, line(f))
			for _, p := range []Phrase{f.Object, f.When, f.Place, f.Value} {
				if p.Start < 0 || p.Start > p.End || p.End > len(tc.text) {
					t.Errorf("%q: span %+v", tc.text, p)
				}
			}
		}
		if got, want := strings.Join(have, "\n"), strings.Join(tc.want, "\n"); got != want {
			t.Errorf("%q:\nhave\n%s\nwant\n%s", tc.text, got, want)
		}
	}
}

// TestHeld: what is meant to come, asked, compared with or quoted is no event.
func TestHeld(t *testing.T) {
	for _, tc := range []struct {
		text string
		want []string
	}{
		{"I'm leaving the bakery.", []string{"PLANS leave bakery"}},
		{"Ned's aunt is coming over on the bus", []string{"PLANS come over on the bus"}},
		{"I'm moving to Bern.", []string{"PLANS move to Bern"}},
		{"I'm leaving every day at six", []string{"HAS_HABIT leave every day at six"}},
		{"I left the bakery.", []string{"DID leave bakery"}},
		{"I'm crying in the bakery.", []string{"DID cry in the bakery"}},
		{"I feel like I'm 70", nil},
		{"I'm 70", []string{"HAS_AGE be 70"}},
		{"has anybody found the red scarf", nil},
		{"can't, got the dentist all day", nil},
		{"my brother in law lives in Bern", []string{"LIVES_IN live in Bern"}},
		{"“I walk home past the mill after dark.”", nil},
		{"我把箱子收起来", []string{"PLANS 收 箱子起来"}},
		{"我把箱子收起来了", []string{"DID 收 箱子"}},
		{"我每天把箱子收起来", []string{"HAS_HABIT 收 箱子起来"}},
		{"票我来订", []string{"PLANS 来 订票"}},
		{"我分你一半", []string{"PLANS 分 你一半"}},
	} {
		var have []string
		for _, f := range Candidates(tc.text, Options{}) {
			if f.Modality == Asserted || f.Modality == Plan {
				have = append(have, f.Slot+" "+f.Verb+" "+f.Object.Text)
			}
		}
		if got, want := strings.Join(have, "\n"), strings.Join(tc.want, "\n"); got != want {
			t.Errorf("%q:\nhave\n%s\nwant\n%s", tc.text, got, want)
		}
	}
}

// TestManyMarks: a text full of marks that nothing closes is read, and stays as long as it was.
func TestManyMarks(t *testing.T) {
	text := strings.Repeat(" *x", 1<<19)
	if got := unmarked(text); got != text {
		t.Error("open marks were removed")
	}
	closed := strings.Repeat("*x* ", 1<<18)
	if got := unmarked(closed); len(got) != len(closed) || strings.Contains(got, "*") {
		t.Error("closed marks were kept")
	}
}

// Nothing in a text makes the reader fail, and every span lies inside the text.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"I don't like 北京 -- because, we've been there!!", "我妈下个月要来看我，我得把房间收拾一下。", "if if if I I I", "\xff的了没", "They let me go.", "Clover died.", "Somebody stole my bike", "I've broken my", "I'm learning", "the language I'm learning", "公司把我裁了", "思域昨天卖掉了，叫"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 2000 {
			return
		}
		ended := func(verb string) (ends, may []string) {
			switch verb {
			case "sell", "quit", "drop out of", "卖":
				return []string{"OWNS", "WORKS_AT", "HAS_HABIT"}, nil
			case "die", "break", "break up", "lay off", "let go", "steal", "be gone", "死", "裁":
				return nil, []string{"HAS_PET", "HAS", "WORKS_AT", "HAS_RELATIVE"}
			}
			return nil, nil
		}
		for _, x := range Read(s, Options{Names: []string{"Anna"}, Ended: ended}) {
			if len(x.Over) > 0 && x.Tier == Wide { // kept for what it ends
				continue
			}
			for _, p := range []Phrase{x.Subject.Phrase, x.Object, x.Place, x.When, x.Value} {
				if p.Start < 0 || p.Start > p.End || p.End > len(s) {
					t.Fatalf("%q: span %+v of %+v", s, p, x)
				}
			}
			if x.Verb == "" || x.Slot == "" || x.Confidence < 0 || x.Confidence > 1 {
				t.Fatalf("%q: %+v", s, x)
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	texts := []string{"Last weekend I went hiking near the lake with my sister, and we saw two herons before it started to rain.", "我妈下个月要来看我，我得把房间收拾一下。", "I love pottery.", "Did you see the match?"}
	Read(texts[0]+texts[1], Options{})
	for b.Loop() {
		for _, s := range texts {
			Read(s, Options{})
		}
	}
}

// What is mentioned with its owner is said to be there; what ends, is somebody else's or only of a kind is not.
func TestPresupposed(t *testing.T) {
	for text, want := range map[string][]string{
		"I asked my brother Karl about his cat": {"S HAS_RELATIVE brother Karl", "brother HAS_PET cat"},
		"Karl's cousin called":                  {"Karl HAS_RELATIVE cousin"},
		"I walked my old beagle":                {"S HAS_PET old beagle"},
		"I live with my flatmate Karl":          {"S HAS_RELATIVE flatmate Karl"},
		"your sister called":                    {"A HAS_RELATIVE sister"},
		"my mum wrote":                          nil,
		"I saw my late wife's brooch":           nil,
		"I gave my dog away":                    nil,
		"my fish was overcooked":                nil,
		"she went to my baby shower":            nil,
		"if your sister calls, say hi":          nil,
	} {
		var have []string
		ended := func(verb string) (ends, may []string) {
			if verb == "give away" {
				ends = []string{"HAS_PET"}
			}
			return ends, nil
		}
		for _, f := range Read(text, Options{Presupposed: true, Ended: ended}) {
			if (f.Slot == "HAS_RELATIVE" || f.Slot == "HAS_PET") && f.Tier == Default && len(f.Over) == 0 {
				who := kindName(f.Subject)
				if f.Subject.Kind == Named {
					who = f.Subject.Text
				}
				have = append(have, who+" "+f.Slot+" "+f.Value.Text)
			}
		}
		if !slices.Equal(have, want) {
			t.Errorf("%s: have %q, want %q", text, have, want)
		}
	}
}

// TestTrust: plain statements are of the default tier, and each is likelier to be right than a comment, a fragment or an order in the same words.
func TestTrust(t *testing.T) {
	best := func(text string) (f Fact) {
		for _, x := range Candidates(text, Options{}) {
			if x.weigh(); (x.Modality == Asserted || x.Modality == Plan) && x.Confidence > f.Confidence {
				f = x
			}
		}
		return f
	}
	for _, tc := range []struct{ plain, doubtful string }{
		{"My sister adopted a puppy in March", "We adopted it"},
		{"I moved to Bern for a new job last year", "we can do it"},
		{"My aunt works at the bakery on Mill Lane", "I thought you were in Bern"},
		{"I have a peanut allergy", "so I can do the late shift after all"},
		{"I play the cello in an orchestra", "he thinks so"},
		{"我妹妹在成都读研究生", "还在老地方"},
		{"我上个月从杭州搬到了成都", "到家给我打电话"},
		{"我对花生过敏", "你说得对"},
		{"我妈昨天做了膝盖手术", "看了一下"},
	} {
		plain, doubtful := best(tc.plain), best(tc.doubtful)
		if plain.Tier != Default || doubtful.Tier == Default || doubtful.Confidence >= plain.Confidence {
			t.Errorf("%q: %.2f, %q: %.2f", tc.plain, plain.Confidence, tc.doubtful, doubtful.Confidence)
		}
	}
}
