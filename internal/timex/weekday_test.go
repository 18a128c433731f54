package timex

import "testing"

func TestWeekdayOf(t *testing.T) {
	for word, want := range map[string]int{"sunday": 0, "tues": 2, "fridays": 5, "周日": 0, "星期天": 0, "礼拜三": 3, "周六": 6, "周末": -1, "第一": -1, "sun's": -1, "": -1} {
		have, ok := WeekdayOf(word)
		if ok != (want >= 0) || ok && have != want {
			t.Errorf("%q: have %d, %v, want %d", word, have, ok, want)
		}
	}
}
