package qarp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"membench/llm"
	"membench/llm/llmtest"
	"membench/memory"
	"membench/memory/native"
	"membench/schema"
)

// A note is a hit of the backend under test.
type note struct {
	id    schema.PointID
	score float64
	time  string
	text  string
}

// board is a backend of fixed hits, by a word of the question.
type board struct {
	hits  map[string][]note
	asked []string
}

func (b *board) Info() memory.Info                                             { return memory.Info{Name: "board", Version: "1"} }
func (b *board) Open(context.Context, memory.Namespace) (memory.Memory, error) { return b, nil }
func (b *board) Ingest(context.Context, memory.Batch) (memory.Receipt, error) {
	return memory.Receipt{}, nil
}
func (b *board) Close() error { return nil }
func (b *board) Retrieve(_ context.Context, q memory.Query) (out memory.Retrieved, _ error) {
	b.asked = append(b.asked, fmt.Sprint(q.Text, " ", q.K))
	for word, notes := range b.hits {
		if !strings.Contains(q.Text, word) {
			continue
		}
		for _, n := range notes[:min(q.K, len(notes))] {
			var meta schema.ObjectBuilder
			meta.String("created_at", n.time)
			out.Hits = append(out.Hits, memory.Hit{ID: n.id, Text: n.text, Score: n.score, Meta: meta.Object()})
		}
	}
	return out, nil
}

// planned answers with a plan, and keeps every text when it is to refine.
func planned(plan string) llm.Generator {
	return llmtest.Func(func(r llm.Request) (string, error) {
		if r.Purpose == "plan" {
			return plan, nil
		}
		var items []string
		for n := 1; strings.Contains(r.Prompt, fmt.Sprintf("\n%d. ", n)); n++ {
			items = append(items, fmt.Sprintf(`{"n":%d}`, n))
		}
		return `{"items":[` + strings.Join(items, ",") + `]}`, nil
	})
}

var notes = map[string][]note{"home": {
	{"a", .9, "2026-03-01", "Ana lives in Porto"}, {"b", .8, "2026-01-01", "Ana lives in Porto"}, {"c", .7, "2026-02-01", "Bees make honey"},
	{"d", .6, "", "It rained all day"}, {"e", .5, "2025-01-01", "Tea is green"},
}, "work": {{"w", .95, "2026-01-05", "Ana bakes bread"}, {"a", .2, "2026-03-01", "Ana lives in Porto"}}}

func TestLayer(t *testing.T) {
	const plain = `{"keywords":["home"],"parts":[],"in_time":%t,"latest":%t,"threshold":0.85,"hint":""}`
	parts := `{"keywords":[],"parts":["her home","her work"],"in_time":false,"latest":false,"threshold":0.92,"hint":""}`
	for _, c := range []struct {
		name  string
		mode  string
		o     Options
		plan  string
		k     int
		asked string
		want  string // ids
		shown string // begins the context; "": not looked at
	}{
		{"question and keywords, twice as many", "", Options{}, fmt.Sprintf(plain, false, false), 2, "her home home 4", "a b", "Ana lives in Porto"},
		{"faithful: keywords alone", native.Faithful, Options{}, fmt.Sprintf(plain, false, false), 2, "home 4", "a b", ""},
		{"in time: the best, then ordered", "", Options{}, fmt.Sprintf(plain, true, false), 3, "her home home 6", "b c a", "2026-01-01 Ana"},
		{"faithful: ordered, then the oldest", native.Faithful, Options{}, fmt.Sprintf(plain, true, false), 3, "home 6", "d e b", "It rained"},
		{"the latest of what says the same", "", Options{Near: .82}, fmt.Sprintf(plain, false, true), 3, "her home home 6", "a c", ""},
		{"parts: each its own search, the best first", "", Options{}, parts, 2, "her home 2|her work 2", "w a", ""},
		{"faithful: in the order of the parts, the gate looks at the first", native.Faithful, Options{}, parts, 2, "her home 2|her work 2", "", noMemory},
		{"a gate of one's own", "", Options{Threshold: .95}, fmt.Sprintf(plain, false, false), 2, "her home home 4", "", noMemory},
		{"without a plan: the question alone", "", Options{Without: []string{"plan"}}, "", 2, "her home 2", "a b", ""},
		{"without the gate", native.Faithful, Options{Without: []string{"gate"}}, parts, 2, "her home 2|her work 2", "a b", ""},
		{"without parts", "", Options{Without: []string{"parts"}}, parts, 2, "her home 4", "a b", ""},
		{"without order in time", "", Options{Without: []string{"time"}}, fmt.Sprintf(plain, true, false), 2, "her home home 4", "a b", ""},
		{"without the latest", "", Options{Without: []string{"latest"}}, fmt.Sprintf(plain, false, true), 3, "her home home 6", "a b c", ""},
		{"without refining", "", Options{Without: []string{"refine"}}, fmt.Sprintf(plain, false, false), 1, "her home home 2", "a", "Ana lives in Porto"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := &board{hits: notes}
			c.o.Mode = c.mode
			s, err := Wrap(b, memory.Deps{LLM: planned(c.plan)}, c.o)
			if err != nil {
				t.Fatal(err)
			}
			m, err := s.Open(context.Background(), memory.Namespace{})
			if err != nil {
				t.Fatal(err)
			}
			r, err := m.Retrieve(context.Background(), memory.Query{Text: "her home", K: c.k})
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			for i, h := range r.Hits {
				ids = append(ids, string(h.ID))
				if h.Score != 1/float64(1+i) {
					t.Errorf("hit %d has the score %v", i+1, h.Score)
				}
			}
			if have := strings.Join(ids, " "); have != c.want || strings.Join(b.asked, "|") != c.asked || !strings.HasPrefix(r.Context, c.shown) {
				t.Errorf("have %q, asked %q, shown %q", have, b.asked, r.Context)
			}
		})
	}
}

// Asking never falls back in silence; wrong options and backends are refused.
func TestRefused(t *testing.T) {
	broken := llmtest.Func(func(r llm.Request) (string, error) {
		return "", &llm.Error{Purpose: r.Purpose, Kind: llm.KindServer, Err: errors.New("down")}
	})
	s, err := Wrap(&board{hits: notes}, memory.Deps{LLM: broken}, Defaults())
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.Open(context.Background(), memory.Namespace{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Retrieve(context.Background(), memory.Query{Text: "home"}); err == nil || !strings.Contains(err.Error(), "down") {
		t.Errorf("have %v", err)
	}
	for want, o := range map[string]Options{"without": {Without: []string{"everything"}}, "threshold": {Threshold: -1}, "near": {Near: 2}, "mode": {Mode: "best"}} {
		if _, err := Wrap(&board{}, memory.Deps{}, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: have %v", want, err)
		}
	}
	if _, err := Wrap(blind{&board{}}, memory.Deps{}, Defaults()); err == nil || !strings.Contains(err.Error(), "does not rank") {
		t.Errorf("a backend that does not rank: have %v", err)
	}
	if s, _ := Wrap(&board{}, memory.Deps{}, Defaults()); s.Info().Name != "qarp-rule" || !slices.Contains(memory.CapabilitiesOf(s).ByRule, "plan") {
		t.Errorf("have %+v", s.Info())
	}
}

type blind struct{ *board }

func (blind) Capabilities() memory.Capabilities {
	return memory.Capabilities{Unit: "turn", Retrieval: memory.RetrievalBlind}
}
