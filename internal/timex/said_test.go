package timex_test

import (
	"testing"

	"membench/internal/timex"
)

// TestSaid resolves what only the day of speaking makes clear; 2026-01-18 was a Sunday.
func TestSaid(t *testing.T) {
	ref := timex.Date(2026, 1, 18)
	for _, c := range []struct {
		text  string
		ahead bool
		want  string // the days; "" none
	}{
		{"they came on Friday", false, "2026-01-16 2026-01-16"},
		{"they come on Friday", true, "2026-01-23 2026-01-23"},
		{"it was on Sunday", false, "2026-01-11 2026-01-11"},
		{"moving on the 7th", true, "2026-02-07 2026-02-07"},
		{"moved on the 7th", false, "2026-01-07 2026-01-07"},
		{"on the 7th floor", false, ""},
		{"last Saturday", false, "2026-01-17 2026-01-17"},
		{"on 28 December", false, "2025-12-28 2025-12-28"},
		{"this morning", false, "2026-01-18 2026-01-18"},
		{"礼拜三走的", false, "2026-01-14 2026-01-14"},
		{"下个月十号搬", true, "2026-02-10 2026-02-10"},
		{"六号到", true, "2026-02-06 2026-02-06"},
		{"for two weeks", false, ""},
	} {
		have := ""
		for _, e := range timex.Said(c.text, ref, c.ahead) {
			if e.Kind == timex.Absolute {
				have = e.Lo.String() + " " + e.Hi.String()
				break
			}
		}
		if have != c.want {
			t.Errorf("%s: have %q, want %q", c.text, have, c.want)
		}
	}
}
