package explain_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"membench/eval/explain"
	"membench/eval/protocol"
	"membench/eval/reader"
	"membench/memory"
	"membench/memory/all"
	"membench/schema"
)

// planted asks every question of a case whose evidence the plan damages, of a system that
// has the faults, and records the run as eval run does.
func planted(t *testing.T, sys memory.System, faults []Fault, c *schema.Case, plan Plan) (sessions []schema.SessionRecord, qa []schema.QARecord) {
	t.Helper()
	ctx := context.Background()
	expected := map[schema.EventRef]string{}
	for _, s := range c.Sessions {
		for _, x := range s.Turns {
			expected[schema.EventRef{ConvID: c.ConvID, TurnID: x.TurnID}] = x.Name + ": " + x.Text
		}
	}
	m, err := sys.Open(ctx, memory.Namespace{Run: "faults", Scope: c.ID})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	var before []memory.Item
	var dead error
	for i := range c.Sessions {
		s := &c.Sessions[i]
		rec := schema.SessionRecord{System: "planted", Dataset: c.Dataset, CaseID: c.ID, SessionID: s.ID, Index: i, Outcome: schema.OutcomeAnswered}
		var turns []schema.Turn
		for _, x := range s.Turns {
			turns = append(turns, x.Turn(c.ConvID))
		}
		if dead == nil {
			var r memory.Receipt
			if r, dead = m.Ingest(ctx, memory.Batch{Session: s.ID, Turns: turns, UserID: "u", AgentID: "a"}); dead == nil {
				rec.Turns = len(turns)
				more, err := memory.Finish(ctx, m, s.ID)
				if err != nil {
					t.Fatal(err)
				}
				for _, ch := range append(r.Changes, more.Changes...) {
					if ch.Op != memory.OpAdd {
						rec.Changes = append(rec.Changes, schema.MemoryChange{Op: ch.Op, ID: ch.ID, Old: ch.Old, New: ch.New})
					}
				}
			}
		}
		if dead != nil {
			rec.Outcome, rec.Error = schema.OutcomeError, dead.Error()
		} else {
			now := items(t, m)
			for _, d := range memory.Diff(before, now, nil) {
				rec.Delta = append(rec.Delta, schema.MemoryDelta{Op: d.Op, ID: d.Item.ID, Text: d.Item.Text, Previous: d.Old, Sources: d.Item.Sources})
			}
			before = now
		}
		sessions = append(sessions, rec)
	}
	for _, q := range c.Questions {
		if !slices.ContainsFunc(q.Evidence, func(e schema.EventRef) bool { _, ok := plan.Turns[e]; return ok }) {
			continue
		}
		rec := q.Record()
		rec.System, rec.Dataset, rec.CaseID, rec.K, rec.Outcome, rec.By = "planted", c.Dataset, c.ID, k, schema.OutcomeAnswered, "ideal"
		if dead != nil {
			rec.Outcome, rec.Error = schema.OutcomeError, "not asked: "+dead.Error()
			qa = append(qa, rec)
			continue
		}
		got, err := m.Retrieve(ctx, memory.Query{Text: q.Text, K: deep, UserID: "u", AgentID: "a"})
		if err != nil { // the question has no answer, and says why
			rec.Outcome, rec.Error = schema.OutcomeError, err.Error()
			qa = append(qa, rec)
			continue
		}
		for n, h := range got.Hits {
			if n < k {
				rec.Hits = append(rec.Hits, schema.QAHit{Rank: n + 1, ID: h.ID, Score: h.Score, Text: h.Text, Sources: h.Sources})
			} else {
				rec.Below = append(rec.Below, schema.QARank{Rank: n + 1, ID: h.ID, Sources: h.Sources})
			}
		}
		shown := slices.Clone(rec.Hits)
		for _, f := range faults {
			var kept []schema.QAHit
			for i := range shown {
				if text := f.Context(shown[i:i+1], plan); len(text) > 0 {
					h := shown[i]
					h.Text = text[0]
					kept = append(kept, h)
				}
			}
			shown = kept
		}
		var texts []string
		for _, h := range shown {
			texts = append(texts, h.Text)
		}
		rec.Context = strings.Join(texts, "\n")
		right := !slices.ContainsFunc(q.Evidence, func(e schema.EventRef) bool { return !slices.Contains(strings.Split(rec.Context, "\n"), expected[e]) })
		rec.Answer = "I don't know."
		if right {
			rec.Answer = q.Answer
		}
		for _, f := range faults {
			if right && f.Reads() {
				rec.Answer, right = f.Answer(q.Text, rec.Context, q.Answer), false
			}
		}
		score := 0.
		if right {
			score = 1
		}
		g := protocol.Scored(score)
		g.Protocol, g.By = "mem0-2025@1", "judge-model"
		rec.Grades = append(rec.Grades, g)
		qa = append(qa, rec)
	}
	return sessions, qa
}

// plans damages the evidence of every third question of a case with one piece of it.
func plans(c, stranger *schema.Case) Plan {
	p := Plan{Turns: map[schema.EventRef]World{}}
	turns := map[int]schema.CaseTurn{}
	for _, s := range c.Sessions {
		for _, t := range s.Turns {
			turns[t.TurnID] = t
		}
	}
	evidence := map[int]bool{}
	for _, q := range c.Questions {
		for _, e := range q.Evidence {
			evidence[e.TurnID] = true
		}
	}
	n := 0
	for i, q := range c.Questions {
		if len(q.Evidence) != 1 || i%3 != 0 {
			continue
		}
		t := turns[q.Evidence[0].TurnID]
		w := World{Speaker: t.Name, ID: fmt.Sprintf("mem_%08x", 7919*t.TurnID)}
		for _, s := range c.Speakers {
			if s != t.Name {
				w.Other = s
			}
		}
		other := turns[1+(t.TurnID+len(turns)/2)%len(turns)]
		for evidence[other.TurnID] {
			other = turns[1+other.TurnID%len(turns)]
		}
		w.Elsewhere = other.Name + ": " + other.Text
		s := stranger.Sessions[n%len(stranger.Sessions)]
		for _, x := range s.Turns {
			if len(x.Text) > len(w.Stranger) {
				w.Stranger = x.Text
			}
		}
		n++
		p.Turns[q.Evidence[0]] = w
	}
	return p
}

// strangers are cases that share no sentence with the invented ones.
func stranger(lang int) *schema.Case {
	lines := [][]string{{
		"Quarterly audits of the cooperative dairy begin when barley prices settle around harvest.",
		"Ferry captains debate whether lighthouse keepers deserve pensions under maritime statutes.",
		"Seventeen volunteers catalogued lichens along granite terraces before monsoon clouds arrived.",
	}, {
		"合作社的乳品审计要等大麦价格稳定以后才能开始进行。",
		"渡轮船长们争论灯塔守望者是否应当享受海事养老金。",
		"十七名志愿者在季风到来之前登记了花岗岩台地的地衣。",
	}}[lang]
	c := &schema.Case{ID: "stranger"}
	for i, l := range lines {
		c.Sessions = append(c.Sessions, schema.Session{ID: fmt.Sprint(i), Turns: []schema.CaseTurn{{TurnID: i + 1, Text: l}}})
	}
	return c
}

// TestFaults plants every fault of the library, one at a time, in a system of turns, and
// holds explain to naming hop and kind in 95 % of each.
func TestFaults(t *testing.T) {
	spec, err := all.Lookup("bm25")
	if err != nil {
		t.Fatal(err)
	}
	faults := allFaults()
	if len(faults) < 40 {
		t.Fatalf("%d faults, want at least 40", len(faults))
	}
	cases := invented(12)
	for _, f := range faults {
		t.Run(f.Name, func(t *testing.T) {
			var score tally
			for i := range cases {
				sys, err := spec.Open(memory.Deps{}, nil)
				if err != nil {
					t.Fatal(err)
				}
				plan := plans(&cases[i], stranger(i%2))
				score.add(t, f.Wrap(sys, plan), f, []Fault{f}, &cases[i], plan)
			}
			if score.n < 8 {
				t.Errorf("%d questions failed, want at least 8", score.n)
			}
			score.want(t, 95)
		})
	}
}

// A tally counts what explain says of faults that were planted.
type tally struct{ n, hop, kind, shown int }

// add asks a case of a system with faults, of which f says what is right.
func (s *tally) add(t *testing.T, sys memory.System, f Fault, faults []Fault, c *schema.Case, plan Plan) {
	t.Helper()
	sessions, qa := planted(t, sys, faults, c, plan)
	for rec, err := range explain.QA(context.Background(), seq(qa), explain.Options{Sessions: seq(sessions), Cases: seq([]schema.Case{*c})}) {
		if err != nil {
			t.Fatal(err)
		}
		a := rec.V.Attribution
		if a == nil {
			continue // the damage does not apply to this text
		}
		s.n++
		if a.Hop == f.Hop {
			s.hop++
		}
		if a.Hop == f.Hop && (f.Kind == "" || a.Kind == f.Kind) {
			s.kind++
		} else if s.shown++; s.shown <= 2 {
			t.Logf("%s: want %s %s, have %s %s: %s", rec.V.QuestionID, f.Hop, f.Kind, a.Hop, a.Kind, a.Reason)
		}
	}
}

// include counts what another tally counted.
func (s *tally) include(o tally) {
	s.n, s.hop, s.kind = s.n+o.n, s.hop+o.hop, s.kind+o.kind
}

// want fails the test unless hop and kind are right in that many per cent.
func (s *tally) want(t *testing.T, percent int) {
	t.Helper()
	if s.kind*100 < percent*s.n {
		t.Errorf("%d failed, hop right in %d, hop and kind in %d, want %d %%", s.n, s.hop, s.kind, percent)
	}
}

// TestFalseAlarms asks undamaged systems: of what they fail at, at most 2 % may be called
// altered, and of systems that rewrite by design 5 %.
func TestFalseAlarms(t *testing.T) {
	sets := map[string][]schema.Case{"invented": invented(8), "LoCoMo": locomoCases(t)[:1]}
	for _, name := range []string{"bm25-stemmed", "simple-rag", "full-context", "STMemory", "LTMemory", "MGMemory", "GAMemory", "FUMemory", "amem", "mem0", "mem0-graph", "pcm", "memu", "graphmem"} {
		spec, err := all.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		for set, cases := range sets {
			if set == "LoCoMo" && !soak && !slices.Contains([]string{"bm25-stemmed", "simple-rag", "mem0", "graphmem"}, name) {
				continue // all in make soak
			}
			r := run{t: t, spec: spec, reader: reader.Rule()}
			r.do(cases)
			failed, altered := 0, 0
			for rec, err := range explain.QA(context.Background(), seq(r.qa), explain.Options{Sessions: seq(r.sessions), Cases: seq(cases)}) {
				if err != nil {
					t.Fatal(err)
				}
				a := rec.V.Attribution
				if a == nil {
					continue
				}
				failed++
				if strings.HasPrefix(a.Hop, "altered") {
					if altered++; altered <= 3 {
						t.Logf("%s %s %s: %s %s", name, rec.V.QuestionID, a.Hop, a.Kind, a.Reason)
					}
				}
			}
			t.Logf("%s, %s: %d failed, %d called altered", name, set, failed, altered)
			if altered*50 > failed {
				t.Errorf("%s, %s: %d of %d failures of an undamaged run are called altered, want at most 2 %%", name, set, altered, failed)
			}
		}
	}
}
