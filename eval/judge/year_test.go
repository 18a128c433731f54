package judge

import "testing"

// TestYear holds that a year which an answer adds to a gold's date must be near the dialogue, where its time is known.
func TestYear(t *testing.T) {
	q := Question{From: "2027-02-03T09:00:00Z", To: "2027-05-20T18:00:00Z"}
	for _, c := range []struct {
		text, gold, answer string
		doubtful           bool
	}{
		{"When does the piano tuner come?", "11 June", "11 June 2027", false},
		{"When does the piano tuner come?", "11 June", "On 11 June 2033.", true},
		{"When did the piano tuner come?", "11 June", "11 June 2019", true},
		{"When did the piano tuner come?", "3 December", "On 3 December 2026.", false},
		{"When does the piano tuner come?", "11 June 2033", "11 June 2033", false},
		{"When in 2033 does the piano tuner come?", "11 June", "11 June 2033", false},
		{"Until when is the hall let?", "to a choir until 2 November", "To a choir, until 2 November 2031.", true},
		{"Until when is the hall let?", "to a choir until 2 November", "To a choir, until 2 November 2027.", false},
		{"调音师哪天来？", "六月十一日", "2033年6月11日", true},
		{"调音师哪天来？", "六月十一日", "2027年6月11日", false},
	} {
		q.Text = c.text
		v := Judge(q, []string{c.gold}, c.answer)
		if !v.Correct || v.Doubt != "" != c.doubtful {
			t.Errorf("%q for %q: correct %v, doubt %q; want it right, doubtful %v", c.answer, c.gold, v.Correct, v.Doubt, c.doubtful)
		}
		if bare := Judge(Question{Text: c.text}, []string{c.gold}, c.answer); bare.Doubt != "" {
			t.Errorf("%q for %q, of a dialogue without a time: %s", c.answer, c.gold, bare.Doubt)
		}
	}
}
