package judge

import "testing"

func TestOrder(t *testing.T) {
	for _, c := range []struct {
		q, gold, answer string
		want            int
	}{
		{"Which came first, Ida's move to Bern or her promotion?", "Her move to Bern came first", "Ida was promoted first and then relocated to Bern.", -1},
		{"Which came first, Ida's move to Bern or her promotion?", "Her move to Bern came first", "Her promotion only came through after she had settled in Bern.", 1},
		{"Which came first, Ida's move to Bern or her promotion?", "Her promotion", "The promotion happened before the move to Bern.", 1},
		{"Which came first, Ida's move to Bern or her promotion?", "Her promotion", "Her promotion came first.", 1},
		{"Which came first, Ida's move to Bern or her promotion?", "Her promotion", "Before her promotion, Ida had moved to Bern.", -1},
		{"In what order did Ida visit the cities?", "Bern, then Porto, then Oslo", "First Bern, then Oslo, and Porto last.", -1},
		{"In what order did Ida visit the cities?", "Bern, then Porto, then Oslo", "She saw Bern, Porto and Oslo.", 1},
		{"What was changed?", "The timer was raised from 10 to 40", "The timer went to 40 from 10.", 1},
		{"What was changed?", "The timer was raised from 10 to 40", "The timer went from 40 to 10.", -1},
		{"What was changed?", "The timer was raised from 10 to 40", "They raised it from 10 to 40.", 1},
		{"林安是先学会游泳还是先学会滑雪?", "先学会滑雪,后学会游泳", "林安先学会的是游泳,几年之后才学会滑雪。", -1},
		{"林安是先学会游泳还是先学会滑雪?", "先学会滑雪", "先学会滑雪,之后才学会游泳。", 1},
		{"你是先学的游泳还是先学的滑雪？", "先学的游泳", "你是2019年夏天学的游泳，2021年冬天才学的滑雪，所以你是先学的游泳。", 1},
		{"Where does Ida live?", "Bern", "In Bern.", 0},
	} {
		p := prepare(Question{Text: c.q}, c.gold, c.answer)
		if got := p.inOrder(); got != c.want {
			t.Errorf("%s | %s | %s: order %d, want %d", c.q, c.gold, c.answer, got, c.want)
		}
	}
}
