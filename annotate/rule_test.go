package annotate

import (
	"regexp"
	"testing"

	"membench/schema"
)

func TestRuleTag(t *testing.T) {
	const c, e, f = schema.TagCanon, schema.TagEpisodic, schema.TagFiller
	for text, want := range map[string]string{
		// lasting
		"我叫陈默。": c, "我最喜欢乌龙茶了": c, "我每天早上都去跑步。": c, "我从小就怕黑": c, "我是护士": c, "我不太擅长做饭": c,
		"我平时不吃甜的。": c, "我住在杭州": c, "支付网关归平台组管。": c, "我一向睡得很晚": c, "我对花生过敏": c, "嗯，我从来不喝咖啡。": c,
		"I'm a nurse.": c, "I always run before work.": c, "My favourite tea is oolong.": c, "I can't stand loud bars.": c, "I grew up in Oslo.": c,
		"I've played the cello for ten years.": c, "I'm allergic to peanuts.": c, "The billing service is owned by the payments team.": c, "I’m a big fan of opera": c,
		"I enjoy hiking": c, "我有睡前看书的习惯": c, "Every time I fly I get sick.": c, "When I was a kid I wanted to fly.": c,
		// of the moment
		"我今天有点累": e, "它已经习惯了这里": e, "我想去买杯咖啡": e, "昨天下雨了，我们没出门。": e, "要是我有一只猫就好了": e, "你最喜欢哪本书？": e, "你每天都跑步吗": e, "等会我发邮件问问看": e, "缓存命中率掉到了 40%": e,
		"We lost the match yesterday.": e, "I'd love to see your garden.": e, "Do you always run?": e, "You always say that, and then the train is late.": e, "I will start a new job next month.": e,
		"Latency on api-3 went to 900 ms": e, "I finished chapter two this morning and it still drags": e,
		// nothing to keep
		"嗯": f, "嗯嗯，好的。": f, "谢谢你！": f, "晚安": f, "……": f, "没问题": f, "不好意思啊": f, "怎么了？": f, "早上好": f, "哈哈哈": f, "(": f, "🙂": f,
		"Wow!": f, "Thanks, Anna!": f, "That's so cool!": f, "Good night": f, "Hey Tom, how are you?": f, "Yeah, totally.": f, "Congrats! So proud of you!": f, "ok": f, "Sounds great!": f,
	} {
		if got, rule := RuleTag(text); got != want {
			t.Errorf("%s: have %s by %s, want %s", text, got, rule, want)
		}
	}
}

func TestRulesAreWellFormed(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range ruleList {
		if seen[r.Name] || r.Lang != "zh" && r.Lang != "en" || r.Tag != schema.TagCanon {
			t.Errorf("rule %+v", r)
		}
		seen[r.Name] = true
		if _, err := regexp.Compile(r.Pattern); err != nil {
			t.Errorf("%s: %v", r.Name, err)
		}
		if r.re.MatchString("") {
			t.Errorf("%s matches nothing at all", r.Name)
		}
	}
}

func TestRuleNeedsNoContext(t *testing.T) {
	turns := []Utterance{{Role: schema.RoleHuman, Text: "ok"}, {Role: schema.RoleUI, Text: "I love tea"}, {Role: schema.RoleHuman, Marker: markProbe, Text: "I love tea"}, {Role: schema.RoleTool, Text: "ok"}}
	got, err := Rule().Tag(t.Context(), Window{Turns: turns})
	if err != nil || got.Of[0].Tag != schema.TagFiller || got.Of[1].Tag != schema.TagFiller || got.Of[2].Tag != schema.TagProbe || got.Of[3].Tag != schema.TagEpisodic {
		t.Errorf("have %+v %v", got, err)
	}
}

func FuzzRuleTag(f *testing.F) {
	f.Add("我最喜欢茶。I love tea! \xff…")
	f.Fuzz(func(t *testing.T, text string) {
		tag, rule := RuleTag(text)
		if tag != schema.TagCanon && tag != schema.TagEpisodic && tag != schema.TagFiller || rule == "" {
			t.Fatalf("%q by %q", tag, rule)
		}
	})
}

func BenchmarkRuleTag(b *testing.B) {
	lines := []string{"我每天早上都喝一杯茶，你呢？", "今天下雨，我们哪儿也没去，就在家看了一部很长的电影。", "Wow, that's great! What happened next?", "I've been painting since I was a kid and it helps me relax."}
	n := 0
	for _, l := range lines {
		n += len(l)
	}
	b.SetBytes(int64(n))
	for b.Loop() {
		for _, l := range lines {
			RuleTag(l)
		}
	}
}
