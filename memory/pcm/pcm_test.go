package pcm

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"membench/llm"
	"membench/llm/llmtest"
	"membench/memory"
	"membench/schema"
)

func near(a, b float64) bool { return math.Abs(a-b) < 5e-6 }

// The worked numbers of seed 003, and those that follow from its formulas.
func TestWorkedNumbers(t *testing.T) {
	for _, c := range []struct {
		what       string
		have, want float64
	}{
		{"decay 0.8·e^(−0.3·3.5)", Decay(0.8, 3.5, 0.3), 0.27995},
		{"reinforce 0.8 + 0.05·(1−0.8)", Reinforce(0.8, 0.05), 0.81},
		{"masked 0.8·0.9·0.85", Masked(0.8, 0.9, 0.85), 0.612},
		{"masked 0.3·0.1·0.7", Masked(0.3, 0.1, 0.7), 0.021},
		{"first weight at S 1", Initial(1), 0.44621},
		{"first weight at S 3", Initial(3), 0.49051},
		{"effective 4.2 at H 0.26, λ 0.5", Effective(4.2, 0.26, 0.5), 3.654},
		{"effective 4.2 at H 0.26, λ 1: the picture's 3.1", Effective(4.2, 0.26, 1), 3.108},
		{"fade over ten days", Fade(0.5, 10, 0.01), 0.45242},
		{"entropy of one", Entropy([]float64{0.4}, false), 0},
		{"entropy of none", Entropy(nil, true), 1},
		{"entropy of equals", Entropy([]float64{0.3, 0.3, 0.3}, false), 1},
	} {
		if !near(c.have, c.want) {
			t.Errorf("%s: have %.5f, want %.5f", c.what, c.have, c.want)
		}
	}
	var ten []float64 // 0.62 down to 0.30: plain entropy hides that the first is far ahead
	for i := range 10 {
		ten = append(ten, 0.62-0.32*float64(i)/9)
	}
	if plain, soft := Entropy(ten, false), Entropy(ten, true); plain < 0.98 || soft > 0.9 {
		t.Errorf("ten cosines: plain %.3f, soft %.3f: want plain near 1 and soft well below", plain, soft)
	}
	for s, want := range map[float64]string{3.01: High, 3: Medium, 1.01: Medium, 1: Low, 0: Low} {
		if have := Level(s, 1, 3); have != want {
			t.Errorf("level of %g: have %s, want %s", s, have, want)
		}
	}
}

// play hears lines of one user, each a session of its own day, and gives the decisions.
func play(t *testing.T, d memory.Deps, o Options, lines ...string) (memory.Memory, []Decision) {
	t.Helper()
	ctx := context.Background()
	var seen []Decision
	sys, err := New(d, o, func(d Decision) { seen = append(seen, d) })
	if err != nil {
		t.Fatal(err)
	}
	m, err := sys.Open(ctx, memory.Namespace{Run: "r", Scope: "u:c1"})
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range lines {
		turn := schema.Turn{Role: "user", Name: "Ana", Text: l, Time: fmt.Sprintf("2026-03-%02dT09:00:00Z", i+1), Sources: []schema.EventRef{{ConvID: "c1", TurnID: i + 1}}}
		b := memory.Batch{Key: fmt.Sprint(i), Session: fmt.Sprint("s", i+1), Turns: []schema.Turn{turn}, UserID: "u"}
		if _, err := m.Ingest(ctx, b); err != nil {
			t.Fatal(err)
		}
		if _, err := memory.Finish(ctx, m, b.Session); err != nil {
			t.Fatal(err)
		}
	}
	return m, seen
}

func turns(all []Decision) (out []Decision) {
	for _, d := range all {
		if d.Surprisal != nil {
			out = append(out, d)
		}
	}
	return out
}

func items(t *testing.T, m memory.Memory) (out []memory.Item) {
	t.Helper()
	list, _ := memory.List(m)
	for it, err := range list(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, it)
	}
	return out
}

// A contradiction decays the node, keeps it, and ties the new fact to it; what agrees
// raises its weight; the rest becomes a hypothesis.
func TestAgents(t *testing.T) {
	m, all := play(t, memory.Deps{}, Defaults(), "I live in Lyon near the old port.", "I live in Lyon near the port.", "I moved to Ghent last week.", "My sister keeps eleven bees in a wooden box.")
	d := turns(all)
	if len(d) != 4 {
		t.Fatalf("have %d decisions about turns, want 4", len(d))
	}
	for i, want := range []string{AgentStart, AgentMaintenance, AgentCorrection, AgentProfiling} {
		if d[i].Agent != want {
			t.Errorf("turn %d: have %s (%+v), want %s", i+1, d[i].Agent, *d[i].Surprisal, want)
		}
	}
	fix := d[2]
	if fix.Surprisal.Relation != Contradictory || fix.Surprisal.Level != High || len(fix.Surprisal.With) == 0 {
		t.Errorf("the move: have %+v", *fix.Surprisal)
	}
	decayed := 0
	for _, n := range fix.Nodes {
		if n.Op == "decay" {
			decayed++
			if want := Decay(*n.Before, fix.Surprisal.Effective, 0.3); !near(*n.After, want) || *n.After >= *n.Before {
				t.Errorf("decay: have %g of %g, want %g", *n.After, *n.Before, want)
			}
		}
	}
	if decayed == 0 || len(fix.Edges) == 0 || fix.Edges[0].Relation != Supersedes || fix.Edges[0].Weight != 0.9 {
		t.Errorf("the move: have nodes %+v, edges %+v", fix.Nodes, fix.Edges)
	}
	var old, hypo bool
	for _, it := range items(t, m) {
		old = old || strings.Contains(it.Text, "Lyon")
		hypo = hypo || it.Kind == "insight"
	}
	if !old || !hypo {
		t.Errorf("old node kept: %t, hypothesis there: %t", old, hypo)
	}
	got, err := m.Retrieve(context.Background(), memory.Query{Text: "Where do I live now, Lyon or Ghent?", K: 3})
	if err != nil || len(got.Hits) == 0 || !strings.Contains(got.Hits[0].Text, "Ghent") {
		t.Errorf("have %v (%v), want Ghent first", got.Hits, err)
	}
}

// In faithful mode nothing that was contradicted decays, and all that was found rises.
func TestFaithful(t *testing.T) {
	o := Defaults()
	o.Mode = "faithful"
	_, all := play(t, memory.Deps{}, o, "I live in Lyon near the old port.", "I live in Lyon near the old port.", "I moved to Ghent last week.")
	for _, d := range all {
		for _, n := range d.Nodes {
			if n.Op == "decay" || n.Op == "fade" {
				t.Errorf("a node decays: %+v", n)
			}
		}
		if d.Agent == AgentStart || d.Surprisal != nil && d.Surprisal.Forced {
			t.Errorf("a repair in faithful mode: %+v", d)
		}
	}
	if first := turns(all)[0]; !near(first.Surprisal.Raw, 3.5+1) && !near(first.Surprisal.Raw, 3.5) || first.Surprisal.Entropy != 1 {
		t.Errorf("an empty memory: have %+v, want distance 1, conflict 0.5, entropy 1", first.Surprisal)
	}
}

// A hypothesis that later turns support becomes a fact; one that nobody supports fades.
func TestHypotheses(t *testing.T) {
	p := &policy{o: Defaults(), seen: func(Decision) {}}
	if err := p.o.check(nil); err != nil {
		t.Fatal(err)
	}
	w, n := Initial(2), 0
	for ; w < promoteFrom; n++ {
		w = Reinforce(w, 0.05)
	}
	if n != 11 {
		t.Errorf("%d confirmations until a hypothesis of surprise 2 is promoted, want 11", n)
	}
	_, all := play(t, memory.Deps{}, Defaults(), "I live in Lyon.", "Violins need warm rooms in winter, my teacher says.", "Tea.", "Milk.", "Rain again.")
	faded := false
	for _, d := range all {
		for _, n := range d.Nodes {
			if n.Op == "fade" {
				faded = true
				if *n.After >= *n.Before {
					t.Errorf("a hypothesis grew with time: %+v", n)
				}
			}
		}
	}
	if !faded {
		t.Error("no hypothesis faded over four days")
	}
}

// The working memory is bounded, and what leaves it is kept.
func TestWorkingMemory(t *testing.T) {
	ctx := context.Background()
	o := Defaults()
	o.MaxContextTokens = 40
	sys, err := New(memory.Deps{}, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := sys.Open(ctx, memory.Namespace{Run: "r", Scope: "u"})
	if err != nil {
		t.Fatal(err)
	}
	b := memory.Batch{Key: "b", Session: "s"}
	for i := range 12 {
		b.Turns = append(b.Turns, schema.Turn{Role: "user", Name: "Ana", Text: fmt.Sprintf("Thing number %d is a %s.", i, strings.Repeat(string(rune('a'+i)), 9)), Sources: []schema.EventRef{{ConvID: "c", TurnID: i + 1}}})
	}
	if _, err := m.Ingest(ctx, b); err != nil {
		t.Fatal(err)
	}
	working, kept := 0, map[int]bool{}
	for _, it := range items(t, m) {
		if it.Tier == tierWorking {
			working++
		}
		for _, s := range it.Sources {
			kept[s.TurnID] = true
		}
	}
	if working == 0 || working > 4 || len(kept) != 12 {
		t.Errorf("have %d turns in the working memory and %d kept, want 1 to 4 and 12", working, len(kept))
	}
}

// A model decides through the same agents; its numbers name nodes in fixed mode only.
func TestModel(t *testing.T) {
	answers := llmtest.Func(func(r llm.Request) (string, error) {
		switch r.Purpose {
		case "intent":
			return `{"distribution":{"Coding":2,"Personal":1,"Nonsense":9}}`, nil
		case "conflict":
			return `{"relation":"contradictory","conflict_score":0.9,"conflicting":["1"]}`, nil
		case "correct":
			return `{"diagnosis":"moved on","outdated":[1],"new_facts":[{"content":"does research now","replaces":1}]}`, nil
		}
		return `{"reasoning":"r","hypothesis":"likes graphs"}`, nil
	})
	for mode, want := range map[string]bool{"fixed": true, "faithful": false} {
		o := Defaults()
		o.Mode = mode
		_, all := play(t, memory.Deps{LLM: answers}, o, "I write Python services.", "I gave up programming for research.")
		last := turns(all)[1]
		if p := last.Intent.Distribution["Coding"]; !near(p, 2.0/3) {
			t.Errorf("%s: share of Coding %g, want 2/3", mode, p)
		}
		decays := slices.ContainsFunc(last.Nodes, func(n NodeChange) bool { return n.Op == "decay" })
		if decays != want || want && last.Reason != "moved on" {
			t.Errorf("%s: a node decays: %t (%+v)", mode, decays, last)
		}
	}
}

// With an endpoint that scores, the raw surprise is the mean of its log-probabilities;
// with one that does not, the estimate is named as ours.
func TestNLL(t *testing.T) {
	o := Defaults()
	o.Surprisal = NLL
	if _, err := New(memory.Deps{}, o, nil); err == nil {
		t.Error("nll without a model: no error")
	}
	for answer, want := range map[string]string{"[-2,-4]": NLL, "[]": Semantic, "hello": Semantic, "[3]": Semantic} {
		g := llmtest.Func(func(r llm.Request) (string, error) {
			if r.Score != "" {
				if !strings.HasSuffix(r.Prompt, "\nUser: ") || r.Score != "I own a boat." {
					t.Errorf("scored %q after %q", r.Score, r.Prompt)
				}
				return answer, nil
			}
			return `{"distribution":{"Personal":1},"reasoning":"r","hypothesis":"h","diagnosis":"d","new_facts":[{"content":"c"}]}`, nil
		})
		_, all := play(t, memory.Deps{LLM: g}, o, "I own a boat.")
		s := turns(all)[0].Surprisal
		if s.Estimator != want || want == NLL && !near(s.Raw, 3) {
			t.Errorf("%s: have %+v, want %s", answer, *s, want)
		}
	}
}

func TestEntitiesAndTrace(t *testing.T) {
	o := Defaults()
	o.Entities, o.Surprisal = true, Ngram
	_, all := play(t, memory.Deps{}, o, "I like oolong tea.", "I like oolong tea.", "我喜欢普洱茶。")
	kinds := map[string]bool{}
	for _, d := range all {
		if _, err := json.Marshal(d); err != nil {
			t.Fatal(err)
		}
		for _, n := range d.Nodes {
			kinds[n.Type] = true
		}
	}
	if !kinds[Attribute] || !kinds[Fact] {
		t.Errorf("have nodes of %v, want attributes and facts", kinds)
	}
	a, b := turns(all)[0].Surprisal.Raw, turns(all)[1].Surprisal.Raw
	if a <= b || a > 5 || b < 0 {
		t.Errorf("word surprise: first %g, repeated %g: want it to fall, in [0,5]", a, b)
	}
}
