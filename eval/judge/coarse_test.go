package judge

import "testing"

// TestCoarse: what says less than a gold that is a date, or abstains from yes or no, is not right, however likely its other words make it; other spellings of one value are.
func TestCoarse(t *testing.T) {
	for _, c := range []struct {
		question, gold, answer string
		want                   bool
	}{
		{"When did Ana start?", "8 July 2026", "2026", false},
		{"When did Ana start?", "8 July 2026", "July 2026", false},
		{"When did Ana start?", "8 July 2026", "On the 8th of July 2026.", true},
		{"When did Ana start?", "2026", "2026", true},
		{"她什么时候去？", "2026年7月8日", "2026年", false},
		{"Does Ana smoke?", "No", "No idea.", false},
		{"Does Ana smoke?", "No", "I have no idea", false},
		{"Does Ana smoke?", "No", "No, she doesn't.", true},
		{"他抽烟吗？", "没有", "没听说", false},
		{"Where was Ana born?", "Valparaíso", "Valparaiso", true},
		{"评审是星期几？", "周四", "星期四", true},
		{"评审是星期几？", "周四", "礼拜四", true},
		{"评审是星期几？", "周四", "星期五", false},
		{"她多久游一次泳？", "一周五天", "一周五天", true},
	} {
		if v := Judge(Question{Text: c.question}, []string{c.gold}, c.answer); v.Correct != c.want {
			t.Errorf("%s %s: %q: have %v (%s, doubt %q), want %v", c.question, c.gold, c.answer, v.Correct, v.Reason, v.Doubt, c.want)
		}
	}
	for text, want := range map[string]string{"一周一次": "一周一次", "一周五天": "一周五天", "周五晚上": " Friday 晚上", "星期天": " Sunday "} {
		if have := weekdays(text); have != want {
			t.Errorf("%s: have %q, want %q", text, have, want)
		}
	}
}
