package claims

import (
	"slices"
	"strings"
	"testing"

	"membench/schema"
	"membench/schema/catalog"
)

// said makes memories of lines "Name: text", one a day.
func said(t *testing.T, conv string, lines ...string) []schema.MemoryExport {
	t.Helper()
	var out []schema.MemoryExport
	for i, l := range lines {
		name, text, _ := strings.Cut(l, ": ")
		m := memory(i+1, conv, "[User] "+text)
		m.Payload = m.Payload.Without("user_id", "agent_id", "character_id")
		var err error
		if m.Payload, err = m.Payload.With("actor_id", name); err != nil {
			t.Fatal(err)
		}
		out = append(out, m)
	}
	return out
}

func claimsOf(t *testing.T, o Options, ms ...schema.MemoryExport) (out []*schema.Claim) {
	t.Helper()
	m := NewMerger(nil, "")
	for r, err := range Extract(t.Context(), seq(ms...), o) {
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Add(r.V); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range m.All() {
		if s.Claim != nil {
			out = append(out, s.Claim)
		}
	}
	return out
}

// Raising the least confidence takes claims away and changes none; what holds however sure comes from patterns, too.
func TestMinConfidence(t *testing.T) {
	cat, err := catalog.Load([]byte("version: 1\npatterns:\n  - {predicate: PREFERS_TOPIC, object: Topic, match: 'fan of (?P<object>[a-z]+)', confidence: 0.6}\n"))
	if err != nil {
		t.Fatal(err)
	}
	lines := said(t, "c1", "Ann: I take the bus to work.", "Ann: I have two cats.", "Ben: I drink coffee.", "Ben: I used to smoke.", "Ben: Big fan of curling.", "Ben: My sister lives in Oslo.")
	var wider []schema.ClaimID
	for _, least := range []float64{0.01, 0, 0.61, 0.99} {
		var ids []schema.ClaimID
		for _, c := range claimsOf(t, Options{MinConfidence: least, Catalog: cat}, lines...) {
			ids = append(ids, c.ID)
			if float64(c.Confidence) < max(least-.005, 0) { // rounded to two places
				t.Errorf("least %v: %s has %v", least, c.ID, c.Confidence)
			}
			if wider != nil && !slices.Contains(wider, c.ID) {
				t.Errorf("least %v: %s is new", least, c.ID)
			}
		}
		if wider != nil && len(ids) >= len(wider) {
			t.Errorf("least %v: %d claims, want fewer than %d", least, len(ids), len(wider))
		}
		wider = ids
	}
	if len(wider) != 0 {
		t.Errorf("from .99: have %v, want none", wider)
	}
}

// The same name in two conversations is two people, and nobody's words outdate another's.
func TestPeopleApart(t *testing.T) {
	lines := []string{"Ann: My favorite color is blue.", "Ben: My favorite color is red.", "Ann: I like coffee.", "Ben: I don't like coffee."}
	cs := claimsOf(t, Options{}, append(said(t, "c1", lines...), said(t, "c2", lines...)...)...)
	subjects := map[schema.EntityID]bool{}
	for _, c := range cs {
		subjects[c.Subject.ID] = true
		if c.Status != schema.StatusActive {
			t.Errorf("%s is %s by %s", c.ID, c.Status, c.SupersededBy)
		}
	}
	for _, want := range []schema.EntityID{"person:c1/Ann", "person:c1/Ben", "person:c2/Ann", "person:c2/Ben"} {
		if !subjects[want] {
			t.Errorf("have %v, want %s", subjects, want)
		}
	}
}

// Mentions mean people: kin, pronouns, the one who listens.
func TestMentions(t *testing.T) {
	cs := claimsOf(t, Options{}, said(t, "c", "Ann: My sister works as a nurse.", "Ann: She loves pottery.", "Ben: Your sister lives in Lyon.", "Ben: I love pottery too.")...)
	want := map[string]bool{"person:c/Ann's sister": false}
	for _, c := range cs {
		if _, ok := want[string(c.Subject.ID)]; ok && c.Predicate == "WORKS_AS" {
			want[string(c.Subject.ID)] = true
		}
		if c.Predicate == "LIVES_IN" && c.Subject.ID != "person:c/Ann's sister" {
			t.Errorf("your sister in Ben's words: have %s", c.Subject.ID)
		}
	}
	for k, ok := range want {
		if !ok {
			t.Errorf("nothing about %s", k)
		}
	}
}

// An answer is read with its question, whether that is a memory of its own or named by the answer; a pronoun means the last person mentioned, also in the other's words.
func TestAnswers(t *testing.T) {
	for _, tc := range []struct {
		lines, asked, want string
	}{
		{"王芳: 你现在在哪儿上班|李明: 华为", "", "c/李明 WORKS_AT 华为"},
		{"李明: 星河公司", "你在哪上班？", "c/李明 WORKS_AT 星河公司"},
		{"李明: 没找，下周再说", "房子找了没？", "c/李明 DID_NOT 找房子"},
		{"李明: 我不回，太远了", "国庆回不回家", "c/李明 DOES_NOT_PLAN 回家"},
		{"李明: 我表妹在北京考研|王芳: 考哪儿|李明: 改师大心理了", "", "c/李明's cousin DID 改师大心理"},
		{"王芳: 你妈膝盖好了没|李明: 她上周住院了", "", "c/李明's mother HAS_CONDITION 住院"},
		{"李明: 我爸信佛以后吃素|王芳: 我还真不知道|李明: 嗯呢，初一还骑车", "", "c/李明's father DID 骑车"},
		{"李明: 我妹在备考，她婆婆住院了|王芳: 她去年在南京考过驾照", "", "c/李明's sister DID 在南京考驾照"},
		{"李明: 我妹在备考|王芳: 她去年在南京考过驾照", "", "c/李明's sister DID 在南京考驾照"},
	} {
		ms := said(t, "c", strings.Split(tc.lines, "|")...)
		if tc.asked != "" {
			var err error
			last := &ms[len(ms)-1]
			if last.Payload, err = last.Payload.With("asked", tc.asked); err != nil {
				t.Fatal(err)
			}
		}
		var have []string
		for _, c := range claimsOf(t, Options{}, ms...) {
			have = append(have, strings.TrimPrefix(string(c.Subject.ID), "person:")+" "+c.Predicate+" "+schema.NameOf(c.Object.ID))
		}
		if !slices.Contains(have, tc.want) {
			t.Errorf("%s: have %q, want %q", tc.lines, have, tc.want)
		}
	}
}

// An English pronoun means the one person whom the last turn speaks of that speaks of any; it means nobody where two are possible, or where a question before it was not kept.
func TestPronouns(t *testing.T) {
	for _, tc := range []struct{ lines, asked, want string }{
		{"Ann: my aunt called|Ben: oh no|Ann: she adopted a goat", "oh no", "person:c/Ann's aunt"},
		{"Ann: my aunt called|Ben: oh no|Ann: she wants it|Ben: go on|Ann: she adopted a goat", "go on", "person:c/Ann's aunt"},
		{"Ann: my aunt called my sister|Ben: oh no|Ann: she adopted a goat", "oh no", ""},
		{"Ann: my uncle called|Ben: oh no|Ann: she adopted a goat", "oh no", ""},
		{"Ann: my aunt called|Ben: oh no|Ann: she adopted a goat", "", ""},
		{"Ann: Karl's in Lisbon with Ada|Ben: his sister adopted a goat", "Karl's in Lisbon with Ada", ""},
		{"Ann: Karl called|Ben: his sister adopted a goat", "Karl called", "person:c/Karl's sister"},
	} {
		ms := said(t, "c", strings.Split(tc.lines, "|")...)
		last := &ms[len(ms)-1]
		if tc.asked != "" {
			var err error
			if last.Payload, err = last.Payload.With("asked", tc.asked); err != nil {
				t.Fatal(err)
			}
		}
		have := ""
		for _, c := range claimsOf(t, Options{}, ms...) {
			if strings.Contains(string(c.Object.ID), "goat") {
				have = string(c.Subject.ID)
			}
		}
		if have != tc.want {
			t.Errorf("%s: have %q, want %q", tc.lines, have, tc.want)
		}
	}
}

// In a group "you" is who spoke in the turn before, who is called mother is the mother of the one who calls, and a mother's 你爸 is her child's.
func TestGroup(t *testing.T) {
	lines := []string{"秦月: 小麦到宿舍了没", "小麦: 到了妈，食堂吃的面", "秦松: 钱够不够", "小麦: 够了爸，我周五回家", "秦月: 你爸昨天把花瓶打了", "秦月: 你姨下周来住几天", "秦松: 你妈早不做糟鱼了", "小麦: 我爸又熬夜了", "秦松: 你上次把伞落在车上了"}
	ms := said(t, "c", lines...)
	for i := range ms {
		var err error
		if ms[i].Payload, err = ms[i].Payload.With("events", []schema.EventRef{{ConvID: "c", TurnID: i + 1}}); err != nil {
			t.Fatal(err)
		}
	}
	var have []string
	for _, c := range claimsOf(t, Options{}, ms...) {
		have = append(have, strings.TrimPrefix(string(c.Subject.ID), "person:c/")+" "+c.Predicate+" "+schema.NameOf(c.Object.ID))
	}
	for _, want := range []string{"秦松 DID 打花瓶", "小麦's aunt PLANS 住几天", "秦月 DID_NOT 做糟鱼", "秦松 DID 熬夜", "小麦 PLANS 回家"} {
		if !slices.Contains(have, want) {
			t.Errorf("have %q, want %q", have, want)
		}
	}
}

// What was sold is not owned, what used to be is not now, and when it happened is not
// when it was said.
func TestFactsOverTime(t *testing.T) {
	cs := claimsOf(t, Options{}, said(t, "c", "Ann: I own a Golf.", "Ann: I sold the Golf.", "Ann: I visited Lisbon in May 2023.")...)
	at := slices.IndexFunc(cs, func(c *schema.Claim) bool { return c.Predicate == "OWNS" })
	if at < 0 || cs[at].Status != schema.StatusDeprecated || cs[at].Reason != ReasonContradicted {
		t.Errorf("the Golf: have %+v", cs)
	}
	for _, c := range cs {
		if c.Predicate == "VISITED" && c.Evidence[0].EventTime != "2023-05" {
			t.Errorf("Lisbon: have %+v", c.Evidence[0])
		}
	}
}

// What has been so for a time is so now; what used to be is not.
func TestPerfectHolds(t *testing.T) {
	for text, want := range map[string]string{"I've been vegetarian for ten years.": schema.StatusActive, "I've had a Panda since 2019.": schema.StatusActive, "I used to be vegetarian.": schema.StatusDeprecated,
		"Since 2019 I have lived in Hull.": schema.StatusActive, "I have always lived in Hull.": schema.StatusActive, "I've lived in Hull all my life.": schema.StatusActive, "I've always been a vegetarian.": schema.StatusActive, "I have lived in Hull before.": schema.StatusDeprecated} {
		for _, c := range claimsOf(t, Options{}, said(t, "c", "Ann: "+text)...) {
			if c.Status != want && (c.Predicate == "FOLLOWS_DIET" || c.Predicate == "HAS" || c.Predicate == "LIVES_IN") || strings.HasPrefix(c.Predicate, "DOES_NOT") && want == schema.StatusActive {
				t.Errorf("%s: %s is %s", text, c.ID, c.Status)
			}
		}
	}
}

// A time with one end has no other: nobody said when it was over, or when it began.
func TestOpenTimes(t *testing.T) {
	for text, want := range map[string]string{"I've lived in Hull since 2019.": "LIVES_IN 2019", "I lived in Hull until 2019.": "DOES_NOT_LIVE_IN 2019; LIVES_IN ", "I visited Hull before 2019.": "VISITED ", "I visited Hull in 2019.": "VISITED 2019"} {
		var have []string
		for _, c := range claimsOf(t, Options{}, said(t, "c", "Ann: "+text)...) {
			have = append(have, c.Predicate+" "+c.Evidence[0].EventTime)
		}
		slices.Sort(have)
		if got := strings.Join(have, "; "); got != want {
			t.Errorf("%s: have %q, want %q", text, got, want)
		}
	}
}

// What others say, think or write, and what was only meant to be, is no fact of the speaker's.
func TestSaidByOthers(t *testing.T) {
	for _, text := range []string{"Ben wrote: I live in Hull.", "People think I live in Hull.", "Everybody believes I work at Vega.", "I was going to move to Hull but I didn't."} {
		for _, c := range claimsOf(t, Options{}, said(t, "c", "Ann: "+text)...) {
			if c.Predicate == "LIVES_IN" || c.Predicate == "WORKS_AT" || c.Predicate == "PLANS" {
				t.Errorf("%s: have %s %s", text, c.Predicate, c.Object.ID)
			}
		}
	}
}

// A service that moved is no longer where it was; "it" is what the same turn named, in whatever order a memory lists the sentences.
func TestSystemsOverTime(t *testing.T) {
	for _, tc := range []struct {
		want  string
		lines []string
	}{
		{"RUNS_ON host:web-2", []string{"Ann: cart-api runs on host web-1.", "Ann: cart-api was moved to web-2."}},
		{"RUNS_ON host:web-2", []string{"王芳: cart-api 跑在 web-1。", "王芳: cart-api 迁移到了 web-2。"}},
		{"OWNED_BY topic:team Blue", []string{"Ann: mail-api runs on web-1.", "Ann: It is owned by team Blue.", "Ann: cart-api is not owned by team Red."}},
	} {
		ms := said(t, "c", tc.lines...)
		if len(ms) == 3 { // the last two are of one turn
			last, err := ms[2].Fields()
			if err == nil {
				ms[1].Payload, err = ms[1].Payload.With("created_at", last.CreatedAt)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		predicate, object, _ := strings.Cut(tc.want, " ")
		found := false
		for _, c := range claimsOf(t, Options{Operations: []string{"*"}}, ms...) {
			if c.Predicate == predicate && c.Status == schema.StatusActive && string(c.Subject.ID) == "service:cart-api" {
				if found = true; string(c.Object.ID) != object {
					t.Errorf("%v: have %s", tc.lines, c.Object.ID)
				}
			}
		}
		if !found {
			t.Errorf("%v: no %s", tc.lines, tc.want)
		}
	}
}

// What ends a job of which no name is said ends the one that holds, not one that is over.
func TestTheJobThatHolds(t *testing.T) {
	for _, lines := range [][]string{
		{"Ben: I work at Delta", "Ben: I quit Delta.", "Ben: I work at Kiteworks now", "Ben: I lost my job."},
		{"Ben: I work at Delta", "Ben: I work at Kiteworks now", "Ben: Kiteworks fired me today."},
	} {
		for _, c := range claimsOf(t, Options{}, said(t, "c", lines...)...) {
			if c.Predicate == "WORKS_AT" && c.Status == schema.StatusActive {
				t.Errorf("%v: %s is active", lines, c.Object.ID)
			}
			if c.Predicate == "DOES_NOT_WORK_AT" && c.Object.ID == "topic:Delta" && len(lines) == 3 {
				t.Errorf("%v: Delta is denied", lines)
			}
		}
	}
}

// A job that is named is the one that ends, also if it is not the newest.
func TestTheJobThatIsNamed(t *testing.T) {
	for _, c := range claimsOf(t, Options{}, said(t, "c", "Ben: I work at Delta", "Ben: I work at Kiteworks now", "Ben: Delta fired me.")...) {
		if c.Object.ID == "topic:Kiteworks" && (c.Predicate != "WORKS_AT" || c.Status != schema.StatusActive) {
			t.Errorf("%s is %s", c.ID, c.Status)
		}
	}
}

// A statement that ends a state meets the claim that the state made, whatever the words of the two have in common.
func TestEndsMeetTheirStates(t *testing.T) {
	for _, tc := range []struct{ state, end, predicate string }{
		{"I have a Golf.", "I sold my Golf.", "HAS"},
		{"I bought a canoe.", "I gave my canoe away last week.", "OWNS"},
		{"I own a piano.", "I got rid of the piano.", "OWNS"},
		{"I have a dog.", "I gave my dog away.", "HAS_PET"},
		{"I work at a bank.", "I quit my job at the bank.", "WORKS_AT"},
		{"I work at Acme.", "I used to work at Acme.", "WORKS_AT"},
		{"I work at Acme.", "I'm not working at Acme any more.", "WORKS_AT"},
		{"I live in Leeds.", "We moved out of Leeds.", "LIVES_IN"},
		{"I play the violin.", "I don't play the violin any more.", "HAS_HABIT"},
		{"I drink coffee.", "I stopped drinking coffee.", "HAS_HABIT"},
		{"我有一辆车。", "我把车卖了。", "HAS"},
		{"我养了一只狗。", "我把狗送人了。", "HAS_PET"},
		{"I live in Leeds.", "I used to live in Leeds.", "LIVES_IN"},
		// What is denied is what was said before, if the words name it.
		{"I own a Triumph motorbike.", "I sold the Triumph.", "OWNS"},
		{"I have a dog called Rex.", "I gave the dog away.", "HAS_PET"},
		{"I play badminton on Tuesdays.", "I don't play badminton these days.", "HAS_HABIT"},
		{"我有一辆本田思域。", "我把思域卖了。", "HAS"},
		// The subject suffers it, or somebody else did it.
		{"I have a rabbit named Clover.", "Clover passed away in the night.", "HAS_PET"},
		{"We have a spaniel.", "We had to put our dog down.", "HAS_PET"},
		{"I own a rowing boat.", "The boat was stolen last night.", "OWNS"},
		{"I own a greenhouse.", "The storm smashed my greenhouse.", "OWNS"},
		{"I work for Acme.", "They let me go on Monday.", "WORKS_AT"},
		{"I work for Acme.", "I got laid off.", "WORKS_AT"},
		{"I have a cold.", "My cold is gone.", "HAS_CONDITION"},
		{"我有一辆摩托车。", "摩托车昨天卖掉了。", "HAS"},
		{"我养了一只兔子，叫小白。", "小白上个月去世了。", "HAS_PET"},
		{"我在书店上班。", "公司把我裁了。", "WORKS_AT"},
		// The verb says what it was.
		{"I'm married to Ruth.", "Ruth and I got divorced.", "HAS_STATUS"},
		{"My girlfriend is called Ida.", "Ida and I broke up.", "HAS_RELATIVE"},
		{"I'm a nurse.", "I retired in May.", "WORKS_AS"},
		{"I'm studying chemistry.", "I dropped out of uni.", "STUDIES"},
		{"我女朋友叫小雅。", "我和小雅分手了。", "HAS_RELATIVE"},
		// The object is a part of what was said.
		{"I drink tea every morning.", "I gave up tea.", "HAS_HABIT"},
		{"I'm vegan.", "I stopped being vegan.", "FOLLOWS_DIET"},
		{"I'm on the paleo diet.", "I'm off paleo now.", "FOLLOWS_DIET"},
		{"I'm learning Welsh.", "I stopped learning Welsh.", "STUDIES"},
		{"I'm a member of the chess club.", "I left the club in May.", "IS"},
		{"I have a Times subscription.", "I cancelled the Times.", "HAS"},
		{"I own a sailboat.", "Sold the boat this morning.", "OWNS"},
		{"I own a harp.", "I don't have the harp any more.", "OWNS"},
		{"我办了健身房的年卡。", "年卡我退了。", "HAS"},
		// A plan is off where what is planned is denied or cancelled, in whatever words it was planned.
		{"I plan to visit Bergen in May.", "I am not going to visit Bergen.", "PLANS"},
		{"I'm planning on visiting Bergen.", "I'm not going to Bergen.", "PLANS"},
		{"I plan to travel to Bergen.", "I cancelled the Bergen trip.", "PLANS"},
		{"I'm going to fly to Bergen next week.", "The trip to Bergen fell through.", "PLANS"},
		{"我打算五月去大理旅行。", "我不去大理了。", "PLANS"},
		// What was not meant.
		{"I bought a Lada.", "Sorry, I meant a Fiat, not a Lada.", "OWNS"},
	} {
		cs := claimsOf(t, Options{}, said(t, "c", "Ann: "+tc.state, "Ann: "+tc.end)...)
		over := slices.ContainsFunc(cs, func(c *schema.Claim) bool {
			return c.Predicate == tc.predicate && c.Status == schema.StatusDeprecated
		})
		if !over {
			t.Errorf("%s %s: %s is not over", tc.state, tc.end, tc.predicate)
		}
	}
	cs := claimsOf(t, Options{}, said(t, "c", "Ann: I live in Leeds.", "Ann: I used to live in Leeds.", "Ann: I live in Leeds.")...)
	if !slices.ContainsFunc(cs, func(c *schema.Claim) bool { return c.Predicate == "LIVES_IN" && c.Status == schema.StatusActive }) {
		t.Errorf("what began again holds: have %+v", cs)
	}
	// Nothing is over where two things may be meant, where it is another thing, or where it did not come to it.
	for _, lines := range [][]string{
		{"Ann: I plan to visit Bergen.", "Ann: I plan to fly to Bergen in June.", "Ann: I'm not going to Bergen."},
		{"Ann: I plan to visit Bergen.", "Ann: I'm not going to Oslo."},
		{"王芳: 我打算去大理大学读书。", "王芳: 我不去大理了。"},
		{"Ann: I own a red canoe.", "Ann: I own a green canoe.", "Ann: I sold the canoe."},
		{"Ann: I have a motorbike helmet.", "Ann: I sold the motorbike."},
		{"Ann: I have a cat named Pickle.", "Ann: I nearly gave the cat away."},
		{"Ann: I gave the dog away.", "Ann: I have a dog called Rex."},
		{"Ann: I own a Triumph motorbike.", "Ben: I sold the Triumph."},
		{"王芳: 我住在成都。", "王芳: 要是工资再高点，我早就搬离成都了。"},
		{"Ann: I have a dog called Rex.", "Ann: My neighbour's dog died."},
		{"Ann: I have a dog called Rex.", "Ann: We lost Rex for an hour in the park."},
		{"Ann: I have a parrot.", "Ann: I lost my keys and the parrot laughed."},
		{"Ann: I have a van.", "Ann: I gave the van a good clean."},
		{"Ann: I work at the library.", "Ann: I left work early."},
		{"Ann: I work at Acme.", "Ann: I quit Twitter."},
		{"Ann: I study at Leeds.", "Ann: I left and went home."},
		{"Ann: I study at Leeds.", "Ann: The lecture left me tired."},
		{"Ann: I'm studying law.", "Ann: I finished school at four."},
		{"Ann: I have a Times subscription.", "Ann: I cancelled my Guardian subscription."},
		{"Ann: My boyfriend is called Tom.", "Ann: Eva and Max broke up."},
		{"Ann: I play the violin.", "Ann: My brother gave up the violin."},
		{"王芳: 我养了一只狗。", "王芳: 邻居家的狗昨天死了。"},
		{"王芳: 我在书店上班。", "王芳: 公司把小李裁了。"},
		{"王芳: 我养了一只猫，叫豆豆。", "王芳: 豆豆走过来了。"},
	} {
		ms := said(t, "c", lines...)
		for range 2 { // in the order of the file, and the other way round
			for _, c := range claimsOf(t, Options{}, ms...) {
				if c.Status == schema.StatusDeprecated {
					t.Errorf("%v: %s %s is over", lines, c.Predicate, c.Object.ID)
				}
			}
			slices.Reverse(ms)
		}
	}
	// None of these ends anything.
	for _, text := range []string{"I sell insurance.", "I sold lemonade on the beach.", "I donated blood.", "I stopped to buy bread.", "I stopped at the bakery.", "I quit my job.", "I want to quit smoking.", "I never gave my canoe away."} {
		for _, c := range claimsOf(t, Options{}, said(t, "c", "Ann: "+text)...) {
			if strings.HasPrefix(c.Predicate, "DOES_NOT") || strings.HasPrefix(c.Predicate, "HAS_NO") {
				t.Errorf("%s: have %s %s", text, c.Predicate, c.Object.ID)
			}
		}
	}
}
