package probes_test

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"membench/datasets"
	"membench/datasets/probes"
	"membench/graph"
	"membench/schema"
)

func generate(t testing.TB, g graph.Graph, o probes.Options) []schema.Case {
	t.Helper()
	var out []schema.Case
	var k datasets.Checker
	for r, err := range probes.Generate(context.Background(), g, o) {
		if err != nil {
			t.Fatal(err)
		}
		k.Check(schema.Pos{}, r.V, func(f *schema.Finding) {
			if !f.Warning {
				t.Errorf("%s: %v", r.V.ID, f)
			}
		})
		out = append(out, r.V)
	}
	return out
}

type asked struct {
	schema.Question
	meta  probes.Meta
	turns []schema.CaseTurn
	c     schema.Case
}

func questions(t testing.TB, cases []schema.Case) (out []asked) {
	t.Helper()
	for _, c := range cases {
		turns := map[int]schema.CaseTurn{}
		for _, s := range c.Sessions {
			for _, x := range s.Turns {
				turns[x.TurnID] = x
			}
		}
		for _, q := range c.Questions {
			a := asked{Question: q, c: c}
			if err := q.Meta.Read(&a.meta); err != nil {
				t.Fatal(err)
			}
			for _, e := range q.Evidence {
				if e.ConvID != c.ConvID {
					t.Errorf("%s: evidence in %s", q.ID, e.ConvID)
				}
				a.turns = append(a.turns, turns[e.TurnID])
			}
			out = append(out, a)
		}
	}
	return out
}

// Of the questions at most a quarter are solved by searching for what they quote or say.
func TestSearched(t *testing.T) {
	g := dialogue(t, friends)
	var capped, all probes.Stats
	some := questions(t, generate(t, g, probes.Options{Count: 1000, Seed: 3, Stats: &capped}))
	whole := questions(t, generate(t, g, probes.Options{Searched: 1, Count: 1000, Seed: 3, Stats: &all}))
	if n := len(some); n == 0 || 4*capped.Searched > n {
		t.Errorf("%d of %d questions are solved by a string search, want a quarter at most", capped.Searched, n)
	}
	if all.Searched <= capped.Searched || len(whole) <= len(some) {
		t.Errorf("without a cap %d of %d, with one %d of %d", all.Searched, len(whole), capped.Searched, len(some))
	}
	late := 0
	for _, x := range capped.Types {
		late += x.Dropped["a string search finds it, and enough questions are already like that"]
		if x.Drawn != x.Kept+sum(x.Dropped) {
			t.Errorf("drawn %d, kept %d, dropped %v", x.Drawn, x.Kept, x.Dropped)
		}
	}
	if late == 0 {
		t.Error("none is counted as left out")
	}
}

func sum(m map[string]int) (n int) {
	for _, x := range m {
		n += x
	}
	return n
}

func TestGoldens(t *testing.T) {
	g := dialogue(t, friends)
	var stats probes.Stats
	all := questions(t, generate(t, g, probes.Options{Searched: 1, Count: 1000, Seed: 3, Stats: &stats}))
	t.Log("\n" + stats.Summary())
	find := func(typ probes.Type, answer string, parts ...string) asked {
		t.Helper()
		for _, q := range all {
			ok := q.meta.Type == typ && q.Answer == answer
			for _, p := range parts {
				ok = ok && strings.Contains(q.Text, p)
			}
			if ok {
				return q
			}
		}
		var have []string
		for _, q := range all {
			if q.meta.Type == typ {
				have = append(have, q.Text+" = "+q.Answer)
			}
		}
		t.Errorf("no %s with %v and answer %q among\n%s", typ, parts, answer, strings.Join(have, "\n"))
		return asked{}
	}
	find(probes.SingleFact, "blank verse", "Nora")
	find(probes.SingleFact, "mending nets", "hobot")
	find(probes.SingleFact, "pier team", "crane-db")
	find(probes.SingleFact, "旧船票", "灯bot")
	q := find(probes.UpdateNew, "Ole Brandvik", "Nora")
	if q.Wrong != "Edda Lindqvist" || q.Category != schema.CatKU || len(q.Evidence) != 2 {
		t.Errorf("%+v", q.Question)
	}
	find(probes.UpdateOld, "Edda Lindqvist", "Ole Brandvik")
	find(probes.UpdateNew, "2 February 2026", "pickled herring")
	find(probes.UpdateNew, "陆闻笛", "小满")
	find(probes.UpdateOld, "顾长汀", "陆闻笛")
	find(probes.UpdateNew, "2026年3月20日", "清明前的雨")
	find(probes.Contradiction, "pickled herring", "19 January 2026", "2 February 2026")
	for _, q := range all { // of two owners the later one is the news
		if q.meta.Type == probes.Contradiction && strings.Contains(q.Answer, " and ") {
			t.Errorf("an update is asked for as a contradiction: %s = %s", q.Text, q.Answer)
		}
	}
	find(probes.Contradiction, "清明前的雨")
	q = find(probes.TwoHop, "pier team", "service that quay-api depends on")
	if q.meta.Proof.Query != probes.QueryChain || len(q.Evidence) != 2 {
		t.Errorf("%+v", q.meta.Proof)
	}
	find(probes.ThreeHop, "host-31", "the service that the service that quay-api depends on depends on")
	find(probes.TwoHop, "19 January 2026", "____", "hobot") // quoted by Nora, taken up by hobot
	find(probes.Order, "rowing across the fjord", "Nora")
	find(probes.Interval, "14 days", "blank verse")
	find(probes.Count, "2", "rowing across the fjord")
	find(probes.List, "5 January 2026, 20 February 2026", "Nora", "owing across the fjord")
	find(probes.List, "host-07, host-08", "gate-job")
	find(probes.WrongAttribute, "It was never mentioned.", "gate-job")
	find(probes.WrongTime, "Nothing was said of it on that day.")
	find(probes.WrongTime, "那一天没有提到。")
	for _, q := range all {
		if q.Difficulty == "" || q.meta.By != "rule" || q.Category == "" {
			t.Errorf("%s: %+v", q.ID, q.Question)
		}
		if q.Category != schema.CatABS && (len(q.Evidence) == 0 || len(q.meta.Sources) == 0 || q.meta.Sources[0].First == 0) {
			t.Errorf("%s has no evidence down to a source line: %+v", q.ID, q.meta.Sources)
		}
		if q.Text != strings.TrimSpace(q.Text) || strings.Contains(strings.ReplaceAll(q.Text, "____", ""), "{") {
			t.Errorf("%s: a template shows: %s", q.ID, q.Text)
		}
	}
}

// TestProofs runs every query on the graph that the cases were made of: it gives the
// evidence, and nothing where nothing can be found.
func TestProofs(t *testing.T) {
	g := dialogue(t, friends)
	for _, q := range questions(t, generate(t, g, probes.Options{Searched: 1, Count: 1000, Seed: 5})) {
		rows, err := q.meta.Proof.Rows(context.Background(), g)
		if err != nil {
			t.Fatal(err)
		}
		if q.meta.Proof.None {
			if len(rows) != 0 {
				t.Errorf("%s cannot be answered, yet: %v", q.Text, rows)
			}
			continue
		}
		found := map[string]bool{}
		for _, r := range rows {
			for _, v := range r {
				found[v] = true
			}
		}
		two := q.meta.Proof.Params.Text2 != "" && q.meta.Proof.Query == probes.QueryMentions
		for _, id := range q.EvidenceIDs {
			if !found[id] && !two {
				t.Errorf("%s [%s]: %s is evidence and not among the rows %v", q.Text, q.meta.Proof.Query, id, rows)
			}
		}
		if len(rows) == 0 {
			t.Errorf("%s: no rows", q.Text)
		}
	}
}

// TestEveryTurnCounts takes each evidence turn of the questions of two and three hops
// out of the graph and asks the query again: nothing proves the answer any more.
func TestEveryTurnCounts(t *testing.T) {
	g := dialogue(t, friends)
	n := 0
	for _, q := range questions(t, generate(t, g, probes.Options{Searched: 1, Count: 1000, Seed: 1})) {
		if q.meta.Type != probes.TwoHop && q.meta.Type != probes.ThreeHop {
			continue
		}
		if len(q.EvidenceIDs) != map[probes.Type]int{probes.TwoHop: 2, probes.ThreeHop: 3}[q.meta.Type] {
			t.Errorf("%s: %d turns", q.Text, len(q.EvidenceIDs))
		}
		for _, id := range q.EvidenceIDs {
			rows, err := q.meta.Proof.Rows(context.Background(), without(t, g, schema.NodeID(id)))
			if err != nil {
				t.Fatal(err)
			}
			if len(rows) != 0 {
				t.Errorf("%s is answered without %s: %v", q.Text, id, rows)
			}
			n++
		}
	}
	if n < 20 {
		t.Errorf("only %d turns were taken away", n)
	}
}

// without is the graph as it would be had the turn not been said: without its event,
// the memories that stand on it alone, and the claims that stand on those alone.
func without(t *testing.T, g *graph.Local, id schema.NodeID) *graph.Local {
	t.Helper()
	gone := map[schema.NodeID]bool{id: true}
	standing := func(id schema.NodeID, typ string) bool {
		for e := range g.Neighbors(context.Background(), id, graph.Out, graph.Filter{Types: []string{typ}}) {
			if !gone[e.Dst] {
				return true
			}
		}
		return false
	}
	for _, step := range [][2]string{{"MemoryItem", "FROM_EVENT"}, {"Claim", "EVIDENCED_BY"}} {
		for n := range g.Nodes(context.Background(), graph.Filter{Labels: step[:1]}) {
			if !standing(n.ID, step[1]) {
				gone[n.ID] = true
			}
		}
	}
	out := graph.NewLocal()
	in := func(yield func(schema.Record[schema.Element], error) bool) {
		for r, err := range g.Elements() {
			if x := r.V; x.Node != nil && gone[x.Node.ID] || x.Edge != nil && (gone[x.Edge.Src] || gone[x.Edge.Dst]) {
				continue
			}
			if !yield(r, err) {
				return
			}
		}
	}
	if err := out.Read(context.Background(), in, nil); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestReply: what one person asks another becomes a question about that other, unless it
// points at what only those present know.
func TestReply(t *testing.T) {
	want := map[string]string{
		"What kind of vegetables does Petra grow behind the barn?": "I planted leeks and red cabbage along the south wall.",
		"How often does Petra water the seedlings?":                "I carry two cans out every evening after supper.",
		"Which tools did Petra buy for Petra's workshop?":          "I picked up a used lathe and a set of chisels.",
	}
	got := map[string]string{}
	for _, q := range questions(t, generate(t, dialogue(t, friends), probes.Options{Searched: 1, Types: []probes.Type{probes.Reply}})) {
		got[q.Text] = q.Answer
		if len(q.turns) != 1 || q.turns[0].Name != "Petra" {
			t.Errorf("%s: evidence %v", q.Text, q.turns)
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("have %v\nwant %v", got, want)
	}
}

func TestSeeded(t *testing.T) {
	g := dialogue(t, friends)
	a, b := generate(t, g, probes.Options{Searched: 1, Count: 40, Seed: 9}), generate(t, g, probes.Options{Searched: 1, Count: 40, Seed: 9})
	if !reflect.DeepEqual(a, b) {
		t.Error("one seed gives two results")
	}
	if reflect.DeepEqual(a, generate(t, g, probes.Options{Searched: 1, Count: 40, Seed: 10})) {
		t.Error("another seed gives the same")
	}
	n := map[string]int{}
	texts := map[string]bool{}
	for _, q := range questions(t, a) {
		n[q.RawCategory]++
		if texts[q.c.ID+q.Text] {
			t.Errorf("asked twice: %s", q.Text)
		}
		texts[q.c.ID+q.Text] = true
	}
	if len(n) != len(probes.Types()) {
		t.Errorf("40 questions of %v", n)
	}
	most, least := 0, 99
	for _, k := range n {
		most, least = max(most, k), min(least, k)
	}
	if most-least > 2 {
		t.Errorf("not balanced: %v", n)
	}
	only := questions(t, generate(t, g, probes.Options{Searched: 1, Types: []probes.Type{probes.Order}}))
	if len(only) == 0 || slices.ContainsFunc(only, func(q asked) bool { return q.meta.Type != probes.Order }) {
		t.Error("a type alone gives others")
	}
}

// TestRefusals: what must not become a question, and is counted.
func TestRefusals(t *testing.T) {
	day := "2026-01-05"
	for name, c := range map[string]struct {
		lines []line
		typ   probes.Type
		why   string
	}{
		"no name":          {[]line{{"c", day, "Nora", "Love and acceptance are everywhere to be found.", []string{"PREFERS_TOPIC Topic:and acceptance"}}}, probes.SingleFact, "the object is not a name"},
		"points back":      {[]line{{"c", day, "Nora", "I even made short films, but I did not enjoy the process at all.", []string{"DISLIKES_TOPIC Topic:process"}}}, probes.SingleFact, "the object is not a name"},
		"no thing":         {[]line{{"c", day, "Nora", "I just wanted to say hi to all of the harbour crew.", []string{"PREFERS_TOPIC Topic:say hi"}}}, probes.SingleFact, "the object is not a name"},
		"shell":            {[]line{{"c", day, "Nora", "I made good progress with the ledger this week.", []string{"MADE Topic:good progress with the ledger"}}}, probes.SingleFact, "the object is not a name"},
		"not in the words": {[]line{{"c", day, "Nora", "We met at the old pier yesterday.", []string{"PREFERS_TOPIC Topic:sailing boats"}}}, probes.SingleFact, "the answer is not in the words of its turns"},
		"subject missing":  {[]line{{"c", day, "Nora", "It runs on host-9 these days.", []string{"RUNS_ON Service:quay > Host:host-9"}}}, probes.SingleFact, "the turn does not name the subject"},
		"too little":       {[]line{{"c", day, "Nora", "I like tea.", []string{"PREFERS_TOPIC Topic:tea"}}, {"c", day, "Nora", "I also love the smell of tar and rope.", []string{"PREFERS_TOPIC Topic:the smell of tar"}}}, probes.SingleFact, "too little text surrounds the answer"},
		"leak":             {[]line{{"c", day, "Nora", "Nora Berg is owned by Nora, of course.", []string{"OWNED_BY Service:Nora Berg > Topic:Nora"}}}, probes.SingleFact, "the question gives the answer away"},
		"second answer":    {[]line{{"c", day, "Nora", "a1 depends on b1.", []string{"DEPENDS_ON Service:a1 > Service:b1"}}, {"c", day, "Nora", "a1 depends on b2.", []string{"DEPENDS_ON Service:a1 > Service:b2"}}, {"c", day, "Nora", "b1 runs on h1.", []string{"RUNS_ON Service:b1 > Host:h1"}}, {"c", day, "Nora", "b2 runs on h2.", []string{"RUNS_ON Service:b2 > Host:h2"}}}, probes.TwoHop, "the graph or the text has a second answer"},
		"one turn":         {[]line{{"c", day, "Nora", "a1 depends on b1, and b1 runs on h1.", []string{"DEPENDS_ON Service:a1 > Service:b1", "RUNS_ON Service:b1 > Host:h1"}}}, probes.TwoHop, "a turn proves more than one step, or a step is stated twice"},
	} {
		t.Run(name, func(t *testing.T) {
			var stats probes.Stats
			generate(t, dialogue(t, c.lines), probes.Options{Searched: 1, Stats: &stats, Count: 1000})
			x := stats.Types[c.typ]
			if x.Dropped[c.why] == 0 {
				t.Errorf("want a drop for %q, have\n%s", c.why, stats.Summary())
			}
			sum := x.Kept
			for _, n := range x.Dropped {
				sum += n
			}
			if sum != x.Drawn {
				t.Errorf("drawn %d, kept and dropped %d", x.Drawn, sum)
			}
			if len(stats.Findings()) == 0 {
				t.Error("nothing is told")
			}
		})
	}
}
