package baseline_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"membench/llm"
	"membench/llm/llmtest"
	"membench/memory"
	"membench/memory/memorytest"
	"membench/memory/op"
)

func items(t *testing.T, m memory.Memory) (out []memory.Item) {
	t.Helper()
	s, ok := memory.As[memory.Snapshotter](m)
	if !ok {
		t.Fatal("no snapshots")
	}
	for it, err := range s.Snapshot(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, it)
	}
	return out
}

// TestGAReflects: a session's end makes insights that name what they stand on.
func TestGAReflects(t *testing.T) {
	for _, model := range []bool{false, true} {
		d := memory.Deps{}
		if model {
			d.LLM = llmtest.Func(usable)
		}
		m := open(t, "GAMemory", "", d)
		say(t, m, "I moved near my friend Ines in Porto.", "Today Ines gave me two apple trees.", "I planted them with Ines.")
		insights := 0
		for _, it := range items(t, m) {
			if it.Kind != "insight" {
				continue
			}
			insights++
			if len(it.Links) == 0 || len(it.Sources) == 0 {
				t.Errorf("model %t: the insight %q stands on nothing", model, it.Text)
			}
			seen := map[string]bool{}
			for _, l := range it.Links {
				if seen[string(l)] {
					t.Errorf("evidence %s twice", l)
				}
				seen[string(l)] = true
			}
		}
		if insights == 0 {
			t.Errorf("model %t: no insight", model)
		}
	}
}

// TestGAScores: faithful adds cosine, recency and importance as they are; fixed puts the
// first two on [0,1], so that the best fit has all of its weight.
func TestGAScores(t *testing.T) {
	texts := []string{"the red kite flew over the harbour"}
	for range 60 {
		texts = append(texts, "plain talk of soup")
	}
	scores := map[string]float64{}
	for _, mode := range []string{"fixed", "faithful"} {
		m := open(t, "GAMemory", `{"mode":"`+mode+`","threshold":1000}`, memory.Deps{})
		say(t, m, texts...)
		r := ask(t, m, "kite over the harbour", 61)
		i := slices.IndexFunc(r.Hits, func(h memory.Hit) bool { return strings.Contains(h.Text, "kite") })
		if i < 0 {
			t.Fatalf("%s: not found in %v", mode, r.Hits)
		}
		scores[mode] = r.Hits[i].Score
	}
	imp := op.RuleImportance("user: " + texts[0])
	if have, want := scores["fixed"], 1+0+imp; math.Abs(have-want) > 1e-6 {
		t.Errorf("fixed: have %v, want the whole of relevance, none of recency, importance %v", have, imp)
	}
	recency := math.Pow(0.995, 61)
	if cos := scores["faithful"] - recency - imp; cos <= 0.2 || cos >= 1 {
		t.Errorf("faithful: %v leaves %v for the cosine", scores["faithful"], cos)
	}
}

// TestMGTiers: what falls out of the queue is archived, the summary is written again, a
// search finds it; faithful the search fails, as published.
func TestMGTiers(t *testing.T) {
	texts := []string{"My tortoise Bo lives on the balcony."}
	for i := range 30 {
		texts = append(texts, fmt.Sprintf("On day %d we had soup and bread again.", i))
	}
	m := open(t, "MGMemory", `{"max_tokens":80}`, memory.Deps{})
	say(t, m, texts...)
	byTier := map[string]int{}
	for _, it := range items(t, m) {
		byTier[it.Tier]++
		if it.Kind == "summary" && it.Text == "" {
			t.Error("the summary is empty")
		}
	}
	if byTier["recall"] == 0 || byTier["fifo"] == 0 || byTier[""] != 1 {
		t.Errorf("tiers %v: want both, and one summary", byTier)
	}
	r := ask(t, m, "Where does the tortoise live?", 3)
	if !strings.Contains(r.Hits[0].Text, "tortoise") || !strings.Contains(r.Context, "(Recursive Memory Summary)") {
		t.Errorf("have %v\n%s", r.Hits, r.Context)
	}
	f := open(t, "MGMemory", `{"mode":"faithful","max_tokens":80}`, memory.Deps{})
	say(t, f, append(texts, strings.Repeat("a very long entry about soup ", 40))...)
	for _, h := range ask(t, f, "Where does the tortoise live?", 50).Hits {
		if strings.Contains(h.Text, "tortoise") {
			t.Errorf("faithful: found what only a search can find: %v", h)
		}
	}
}

// TestMGDeltas: a move down is an archive, a new summary an update.
func TestMGDeltas(t *testing.T) {
	m := open(t, "MGMemory", `{"max_tokens":40}`, memory.Deps{})
	ops := map[string]int{}
	for s := range 4 {
		b := memorytest.Batch("c")
		b.Session = fmt.Sprint("s", s)
		for i := range 4 {
			b.Turns = append(b.Turns, memorytest.Turn("c", 4*s+i+1, "user", fmt.Sprintf("In week %d Lena painted boat number %d blue.", s, i)))
		}
		if _, err := m.Ingest(context.Background(), b); err != nil {
			t.Fatal(err)
		}
		if _, err := memory.Finish(context.Background(), m, b.Session); err != nil {
			t.Fatal(err)
		}
		d, _ := memory.As[memory.Deltaer](m)
		for x, err := range d.Delta(context.Background(), b.Session) {
			if err != nil {
				t.Fatal(err)
			}
			ops[x.Op]++
		}
	}
	if ops[memory.DeltaAdd] != 17 || ops[memory.DeltaArchive] == 0 || ops[memory.DeltaUpdate] == 0 {
		t.Errorf("deltas %v: want 16 entries and a summary added, entries archived, the summary updated", ops)
	}
}

// TestAMem: links are found, neighbours change, and the two modes differ where the
// sheet says: content is not searched until a rebuild.
func TestAMem(t *testing.T) {
	g := llmtest.Func(func(r llm.Request) (string, error) {
		if r.Purpose == op.PurposeKeywords {
			return `{"items":["tortoise"]}`, nil
		}
		if r.Purpose == op.PurposeNote {
			return `{"keywords":["pets"],"context":"Talk of home.","tags":["home"]}`, nil
		}
		return usable(r)
	})
	for mode, finds := range map[string]bool{"fixed": true, "faithful": false} {
		m := open(t, "amem", `{"mode":"`+mode+`"}`, memory.Deps{LLM: g})
		say(t, m, "We painted the kitchen.", "The tortoise sleeps.", "It rained on the roof.")
		all := items(t, m)
		if len(all) != 3 || !strings.Contains(all[0].Text, "tags: orchard, porto") {
			t.Errorf("%s: the first note was not changed: %q", mode, all[0].Text)
		}
		if len(all[2].Links) != 1 || all[2].Links[0] != all[0].ID {
			t.Errorf("%s: links %v, want the first note only: a number that is no note's is skipped", mode, all[2].Links)
		}
		r := ask(t, m, "Which animal?", 1)
		if got := strings.Contains(r.Hits[0].Text, "tortoise"); got != finds {
			t.Errorf("%s: found by content: %t, want %t (%q)", mode, got, finds, r.Hits[0].Text)
		}
	}
}

// TestRules: the rule twins of operations, in both languages.
func TestRules(t *testing.T) {
	if a, b := op.RuleImportance("Mm, okay?"), op.RuleImportance("I moved to Porto on 3 May and I love it."); a >= b || a < 0.1 || b > 1 {
		t.Errorf("importance %v and %v", a, b)
	}
	if v := op.RuleImportance("我决定搬到北京，3月5日走。"); v < 0.5 {
		t.Errorf("importance %v", v)
	}
	if q := op.RuleQuestions([]string{"we met Ines", "then Ines left", "小林说《雨夜》很好"}, 2); len(q) != 2 || q[0] != "What do we know about Ines?" {
		t.Errorf("questions %q", q)
	}
	s := op.RuleSummary("Bo is a tortoise.", []string{"Yes. Bo eats dandelions every morning.", "Yes."}, 12)
	if !strings.Contains(s, "tortoise") || !strings.Contains(s, "dandelions") || len(strings.Fields(s)) > 12 {
		t.Errorf("summary %q", s)
	}
	if op.RuleSummary("", nil, 10) != "" {
		t.Error("a summary of nothing")
	}
}
