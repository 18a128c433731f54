package protocol

import (
	"math"
	"slices"
	"strings"
	"testing"

	"membench/llm/llmtest"
	"membench/schema"
)

func TestNamesAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range All() {
		if seen[p.Name] {
			t.Errorf("%s is listed twice", p.Name)
		}
		seen[p.Name] = true
		if p.Version == "" || p.Formula == "" || p.Rule == nil && p.Judge == nil {
			t.Errorf("%s: %+v", p.Name, p)
		}
	}
	if _, err := ByName("em", "em@1", "nope"); err == nil || !strings.Contains(err.Error(), "locomo-f1") {
		t.Errorf("unknown name: have %v, want the known ones listed", err)
	}
	if ps, err := ByName("em", "em@1"); err != nil || len(ps) != 1 {
		t.Errorf("one protocol named twice: have %d, %v", len(ps), err)
	}
}

// rows of protocols.md §2.4, run with the upstream functions.
func TestLocomoTable(t *testing.T) {
	for _, c := range []struct {
		pred, gold         string
		single, list, mem0 float64
	}{
		{"7 May 2023", "7 May 2023", 1, 1, 1},
		{"On May 7th, 2023", "7 May 2023", .5714, .5, .5714},
		{"She went hiking, and swimming", "hiking, swimming, painting", .5714, .5, .5},
		{"running daily", "runs every day", .4, .4, 0},
		{"The cat and the dog", "a cat and dog", 1, 1, .75},
		{"he enjoys playing guitars", "enjoy play guitar", .8571, .8571, 0},
		{"cat cat cat", "cat", .5, .5, 1},
		{"", "Paris", 0, 0, 0},
		{"He's happy!", "he is happy", .8, .8, .4},
		{"Likely no; she wants to be a counselor", "Likely no; though she likes reading, she wants to be a counselor", .7778, .6474, .8421},
	} {
		for i, v := range [][2]float64{{LocomoF1(c.pred, c.gold), c.single}, {LocomoListF1(c.pred, c.gold), c.list}, {Mem0F1(c.pred, c.gold), c.mem0}} {
			if math.Abs(v[0]-v[1]) > 5e-5 {
				t.Errorf("%q for %q, column %d: have %.4f, want %.4f", c.pred, c.gold, i, v[0], v[1])
			}
		}
	}
}

func rec(answer string, golds ...string) *schema.QARecord {
	r := &schema.QARecord{Gold: golds[0], Answer: answer, Category: schema.CatIE, RawCategory: "4", Outcome: schema.OutcomeAnswered}
	if len(golds) > 1 {
		r.Golds = golds
	}
	return r
}

func score(t *testing.T, name string, r *schema.QARecord) *float64 {
	t.Helper()
	ps, err := ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return ps[0].Grade(r).Score
}

func TestRules(t *testing.T) {
	type row struct {
		protocol, answer string
		golds            []string
		want             float64
	}
	for _, c := range []row{
		{"em", "The  Oolong tea!", []string{"oolong tea"}, 1},
		{"em", "乌龙茶。", []string{"乌龙茶"}, 1},
		{"em", "ＡＢＣ", []string{"abc"}, 1},
		{"em", "3.5", []string{"35"}, 0},
		{"em", "$5", []string{"€5"}, 0},
		{"contains", "她最喜欢乌龙茶。", []string{"乌龙茶"}, 1},
		{"contains", "She is a carpenter", []string{"carp"}, 0},
		{"contains", "anything", []string{""}, 0},
		{"contains", "it was Oslo, I think", []string{"Paris", "Oslo"}, 1},
		{"mixed-f1", "喜欢红茶", []string{"喜欢绿茶"}, .75},
		{"squad-f1", "喜欢红茶", []string{"喜欢绿茶"}, 0},
		{"squad-f1", "", []string{"the"}, 1},
		{"squad-em", "The cat.", []string{"cat"}, 1},
		{"numeric", "label: 43", []string{"43"}, 1},
		{"numeric", "twenty-one of them", []string{"21"}, 1},
		{"numeric", "一共二十一只", []string{"21 cats"}, 1},
		{"numeric", "2,500 and 3.5", []string{"2500"}, 1},
		{"numeric", "18 days", []string{"19 days"}, 0},
		{"locomo-f1", "not mentioned anywhere", []string{"x"}, 0},
		{"rouge-l", "the cat sat", []string{"the cat sat on the mat"}, 2 * 1 * .5 / 1.5},
	} {
		have := score(t, c.protocol, rec(c.answer, c.golds...))
		if have == nil || math.Abs(*have-c.want) > 1e-9 {
			v := math.NaN()
			if have != nil {
				v = *have
			}
			t.Errorf("%s of %q for %q: have %v, want %v", c.protocol, c.answer, c.golds, v, c.want)
		}
	}
	if s := score(t, "numeric", rec("3", "no number")); s != nil {
		t.Error("numeric scored a gold without a number")
	}
	five := rec("There is no information available.", "x")
	five.RawCategory = "5"
	if s := score(t, "locomo-f1", five); s == nil || *s != 1 {
		t.Error("category 5: an abstention does not score 1")
	}
	cut := rec("yes", "Yes; she would")
	cut.RawCategory = "3"
	if s := score(t, "locomo-f1", cut); s == nil || *s != 1 {
		t.Error("category 3: the gold is not cut at the semicolon")
	}
}

func TestNumbers(t *testing.T) {
	for s, want := range map[string][]float64{
		"": nil, "no number": nil, "twenty-one": {21}, "two hundred and five dogs": {205}, "three thousand two hundred": {3200},
		"one two": {1, 2}, "twenty twenty": {20, 20}, "5 million": {5e6}, "3万": {3e4}, "二〇二三年": {2023}, "一百零五": {105}, "十二": {12}, "两千": {2000}, "三万五千": {35000},
		"1,234.5": {1234.5}, "3rd": {3}, "v2x": nil, "10%": {10}, "7 May 2023": {7, 2023}, "twice": {2}, "and": nil, "hundred": {100},
	} {
		if have := Numbers(s); !slices.Equal(have, want) {
			t.Errorf("Numbers(%q): have %v, want %v", s, have, want)
		}
	}
}

// FuzzRules: no text makes a rule panic, leave [0,1] or score an answer that is its own
// gold below the best.
func FuzzRules(f *testing.F) {
	for _, s := range []string{"", "a", "the cat, and dog; no", "Σ’s 3.5 İ", "Answer: x\ny", "二十一", "\xff\xfe", "1. a\n2. b"} {
		f.Add(s, "the gold; 21")
	}
	for _, a := range llmtest.WrongAnswers() {
		f.Add(a.Answer, a.Gold)
	}
	f.Fuzz(func(t *testing.T, answer, gold string) {
		for _, c := range []string{"1", "2", "3", "4", "5"} {
			r := rec(answer, gold)
			r.RawCategory, r.Source = c, "eventqa_full"
			for _, p := range All() {
				if p.Rule == nil {
					continue
				}
				g := p.Grade(r)
				if g.Score != nil && !(*g.Score >= 0 && *g.Score <= 1+1e-12) {
					t.Errorf("%s of %q for %q: %v", p.Name, answer, gold, *g.Score)
				}
				if (g.Score == nil) != (g.Outcome != schema.GradeScored) {
					t.Errorf("%s: outcome %s with score %v", p.Name, g.Outcome, g.Score)
				}
			}
		}
		for _, name := range []string{"em", "contains", "mixed-f1", "squad-em", "squad-f1"} {
			if s := score(t, name, rec(answer, answer)); s == nil || *s != 1 {
				t.Errorf("%s of %q for itself: %v", name, answer, s)
			}
		}
		if have := MABParse(answer); strings.Contains(have, "\n") {
			t.Errorf("MABParse(%q): %q has a line break", answer, have)
		}
	})
}

func TestNotAnswered(t *testing.T) {
	r := rec("", "gold")
	r.Outcome, r.Error = schema.OutcomeError, "boom"
	for _, p := range All() {
		if p.Rule == nil {
			continue
		}
		if g := p.Grade(r); g.Outcome != schema.GradeNotAnswered || g.Score != nil || g.Protocol != p.ID() || g.By != schema.ByRule {
			t.Errorf("%s: have %+v", p.Name, g)
		}
	}
}

func TestRetrieval(t *testing.T) {
	ref := func(n int) schema.EventRef { return schema.EventRef{ConvID: "c", TurnID: n} }
	r := rec("x", "y")
	r.K = 10
	r.Evidence = []schema.EventRef{ref(3), ref(8), ref(8)}
	r.Hits = []schema.QAHit{{Sources: []schema.EventRef{ref(1)}}, {Sources: []schema.EventRef{ref(3), ref(2)}}, {Sources: []schema.EventRef{ref(3)}}}
	ps, err := ByName("lme-retrieval", "evidence-recall", "turn-recall")
	if err != nil {
		t.Fatal(err)
	}
	g := ps[0].Grade(r)
	for k, want := range map[string]float64{"recall_any@1": 0, "recall_any@3": 1, "recall_all@10": 0, "ndcg_any@3": .5, "ndcg_any@10": .5} {
		if math.Abs(g.Parts[k]-want) > 1e-9 {
			t.Errorf("%s: have %v, want %v", k, g.Parts[k], want)
		}
	}
	if *g.Score != 0 || len(g.Parts) != 12 {
		t.Errorf("lme-retrieval: %+v", g)
	}
	// A hit of all turns finds everything by hits, and what is among its first k by turns.
	all, few := *r, *r
	all.Hits = []schema.QAHit{{Sources: []schema.EventRef{ref(1), ref(2), ref(3), ref(4), ref(5), ref(6), ref(7), ref(8)}}}
	all.K, few.K = 3, 1
	for _, x := range []struct {
		r           *schema.QARecord
		hits, turns float64
	}{{r, .5, .5}, {&all, 1, .5}, {&few, .5, 0}} {
		if h, n := ps[1].Grade(x.r), ps[2].Grade(x.r); *h.Score != x.hits || *n.Score != x.turns {
			t.Errorf("k %d: evidence-recall %v, turn-recall %v, want %v, %v", x.r.K, *h.Score, *n.Score, x.hits, x.turns)
		}
	}
	// A hit of a run that has no text shows nothing, whatever it names.
	blank := *r
	blank.Given, blank.Hits = &schema.Extent{Turns: 9}, []schema.QAHit{{Text: " ", Sources: []schema.EventRef{ref(3), ref(8)}}, {Text: "a", Sources: []schema.EventRef{ref(1)}}}
	for _, p := range ps {
		if g := p.Grade(&blank); g.Score == nil || *g.Score != 0 {
			t.Errorf("%s of a hit without text: %+v", p.Name, g)
		}
	}
	r.Evidence = nil
	if g := ps[0].Grade(r); g.Outcome != schema.GradeNA || g.Reason == "" {
		t.Errorf("no evidence: %+v", g)
	}
}

// Every data set has a judge, its own or the one of any set; what grades by default is a rule.
func TestDefaults(t *testing.T) {
	for set, want := range map[string]string{"longmemeval": "lme-official", "locomo": "mem0-2025", "halumem": "domaina-answer,domaina-evidence", "memoryagentbench": "mab", "unheard-of": "mem0-2025"} {
		if have := strings.Join(JudgesOf(set), ","); have != want {
			t.Errorf("%s: judged by %s, want %s", set, have, want)
		}
	}
	ps, err := ByName(Defaults()...)
	if err != nil || len(ps) != 11 {
		t.Fatalf("have %d, %v", len(ps), err)
	}
	for _, p := range ps {
		if p.Rule == nil {
			t.Errorf("%s grades by default and has no rule", p.Name)
		}
	}
}
