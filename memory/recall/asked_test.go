package recall

import "testing"

func TestAskedOf(t *testing.T) {
	for q, want := range map[string]Asked{
		"When did I move?": {When: true, Own: true},
		"What did you recommend for the retry queue?":    {Told: true},
		"Could you show me how to write a login page?":   {Request: true, Own: true},
		"Can you list the order in which I raised them?": {Request: true, Own: true, Whole: true},
		"Which libraries does Ann use?":                  {},
		"Which city did Ann visit?":                      {Place: true},
		"What TV show was Ann watching?":                 {Title: true},
		"你推荐过哪家店？":                                       {Told: true},
		"请总结一下我的项目":                                      {Request: true, Own: true, Whole: true},
	} {
		if have := AskedOf(q); have != want {
			t.Errorf("%s: have %+v, want %+v", q, have, want)
		}
	}
}

func TestStanding(t *testing.T) {
	for said, want := range map[string]float64{"Always give version numbers when I ask about libraries.": 1, "Thanks. From now on, answer in French.": 1, "以后都用表格回答。": 1, "I always loved it.": 0, "It never rains here.": 0} {
		if have := PriorsOf(said).Standing; have != want {
			t.Errorf("%s: have %v, want %v", said, have, want)
		}
	}
}

func TestFirstName(t *testing.T) {
	names := []string{"Ana Ruiz", "Wei", "Tom Ash", "Tom Birch"}
	for i, want := range []string{"Ana", "", "", ""} {
		if have := firstName(names, i); have != want {
			t.Errorf("%s: have %q, want %q", names[i], have, want)
		}
	}
	if have := cutName("Where does Ana's cat sleep?", "Ana"); have != "Where does   cat sleep?" {
		t.Errorf("have %q", have)
	}
}
