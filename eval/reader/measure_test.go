package reader_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"membench/datasets"
	"membench/datasets/locomo"
	"membench/datasets/longmemeval"
	"membench/eval/judge"
	"membench/eval/reader"
	"membench/internal/bm25"
	"membench/internal/exttest"
	"membench/internal/stats"
	"membench/schema"
	"membench/schema/jsonl"
)

var update = flag.Bool("update", false, "write the generated part of docs/quality.md again")

// tally counts right answers of one column.
type tally struct{ right, n int }

func (c tally) String() string {
	if c.n == 0 {
		return "–"
	}
	w := stats.Wilson(c.right, c.n, .95)
	return fmt.Sprintf("%.3f (%d/%d; %.2f–%.2f)", float64(c.right)/float64(c.n), c.right, c.n, w.Lo, w.Hi)
}

// TestRuleQuality holds docs/quality.md's table of the rule reader to what it does. The
// judge is the rule judge, so the figures are of the two together.
func TestRuleQuality(t *testing.T) {
	dir := exttest.Shared(t, "data/locomo/locomo8.json", "data/longmemeval/longmemeval_oracle_evidence_turns.json")
	type row struct{ label, key string }
	columns := map[string]map[string]*tally{}
	add := func(column, key string, right bool) {
		if columns[column] == nil {
			columns[column] = map[string]*tally{}
		}
		for _, k := range []string{key, "all"} {
			if k == "all" && strings.HasPrefix(key, "LoCoMo 5") {
				continue // never in one mean with the others
			}
			c := columns[column][k]
			if c == nil {
				c = &tally{}
				columns[column][k] = c
			}
			c.n++
			if right {
				c.right++
			}
		}
	}
	test := map[schema.ConvID]bool{"conv-47": true, "conv-49": true}
	dev := map[schema.ConvID]bool{"conv-26": true, "conv-30": true, "conv-41": true, "conv-42": true, "conv-43": true, "conv-44": true}
	for c := range cases(t, filepath.Join(dir, "data/locomo/locomo8.json"), locomo.Cases) {
		column := "tuned on"
		switch {
		case test[schema.ConvID(c.ID)]:
			column = "kept back"
		case !dev[schema.ConvID(c.ID)]:
			t.Fatalf("a conversation of neither half: %s", c.ID)
		}
		m := newMeasure(c)
		for _, q := range c.Questions {
			if len(q.Evidence) == 0 {
				continue
			}
			add("LoCoMo, evidence, "+column, "LoCoMo "+q.RawCategory, m.right(t, q, q.Evidence))
			add("LoCoMo, BM25 k 10, "+column, "LoCoMo "+q.RawCategory, m.right(t, q, m.best(q.Text, 10)))
		}
	}
	for c := range cases(t, filepath.Join(dir, "data/longmemeval/longmemeval_oracle_evidence_turns.json"), longmemeval.Cases) {
		m := newMeasure(c)
		for _, q := range c.Questions {
			if len(q.Evidence) > 0 {
				add("LongMemEval, evidence", q.RawCategory, m.right(t, q, q.Evidence))
			}
		}
	}
	var b strings.Builder
	b.WriteString("| LoCoMo | evidence, tuned on | evidence, kept back | BM25 k 10, tuned on | BM25 k 10, kept back |\n|---|---|---|---|---|\n")
	for _, r := range []row{{"1 multi-hop", "LoCoMo 1"}, {"2 time", "LoCoMo 2"}, {"3 open", "LoCoMo 3"}, {"4 single-hop", "LoCoMo 4"}, {"**1–4**", "all"}, {"5 unanswerable", "LoCoMo 5"}} {
		b.WriteString("| " + r.label + " |")
		for _, column := range []string{"LoCoMo, evidence, tuned on", "LoCoMo, evidence, kept back", "LoCoMo, BM25 k 10, tuned on", "LoCoMo, BM25 k 10, kept back"} {
			b.WriteString(" " + columns[column][r.key].String() + " |")
		}
		b.WriteString("\n")
	}
	b.WriteString("\n| LongMemEval | evidence turns |\n|---|---|\n")
	lme := columns["LongMemEval, evidence"]
	var types []string
	for k := range lme {
		if k != "all" {
			types = append(types, k)
		}
	}
	slices.Sort(types)
	for _, k := range append(types, "all") {
		b.WriteString("| " + k + " | " + lme[k].String() + " |\n")
	}
	doc := "../../docs/quality.md"
	old, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	part := regexp.MustCompile(`(?s)(<!-- generated: reader -->\n).*?(<!-- end: reader -->)`)
	want := part.ReplaceAll(old, []byte("<!-- generated: reader -->\n"+b.String()+"<!-- end: reader -->"))
	if *update {
		if err := os.WriteFile(doc, want, 0o644); err != nil {
			t.Fatal(err)
		}
	} else if string(old) != string(want) {
		t.Errorf("docs/quality.md has other figures than\n%s\nrun this test with -update", b.String())
	}
}

// measure asks the questions of one case.
type measure struct {
	c     schema.Case
	turns map[int]schema.CaseTurn
	words bm25.Index
	r     reader.Reader
}

func newMeasure(c schema.Case) *measure {
	m := &measure{c: c, turns: map[int]schema.CaseTurn{}, r: reader.Rule()}
	for _, s := range c.Sessions {
		for _, x := range s.Turns {
			x.Time = cmp.Or(x.Time, s.Time)
			m.turns[x.TurnID] = x
			m.words.Set(x.TurnID-1, m.text(x.TurnID))
		}
	}
	return m
}

func (m *measure) text(turn int) string {
	x := m.turns[turn]
	return cmp.Or(x.Name, x.Role) + ": " + datasets.WithCaptions(x.Text, x.Attachments)
}

func (m *measure) best(question string, k int) []schema.EventRef {
	scores := m.words.Dense(nil, question, len(m.turns))
	var out []schema.EventRef
	for i := range scores {
		out = append(out, schema.EventRef{ConvID: m.c.ConvID, TurnID: i + 1})
	}
	slices.SortStableFunc(out, func(a, b schema.EventRef) int { return cmp.Compare(scores[b.TurnID-1], scores[a.TurnID-1]) })
	return out[:min(k, len(out))]
}

func (m *measure) right(t *testing.T, q schema.Question, turns []schema.EventRef) bool {
	t.Helper()
	var hits []schema.QAHit
	for _, e := range turns {
		hits = append(hits, schema.QAHit{Text: m.text(e.TurnID), Sources: []schema.EventRef{e}})
	}
	shown := reader.Show{Time: func(e schema.EventRef) string { return m.turns[e.TurnID].Time }}.Context(hits)
	a, err := m.r.Read(context.Background(), reader.Input{Question: q, Speakers: m.c.Speakers, Context: shown, Hits: hits})
	if err != nil {
		t.Fatal(err)
	}
	return judge.Judge(judge.Question{Text: q.Text, Abstain: q.Abstain, AsOf: q.AsOf}, q.Golds(), a.Text).Correct
}

func cases(t *testing.T, path string, read func(context.Context, []jsonl.File, datasets.Options) schema.Seq[schema.Case]) func(func(schema.Case) bool) {
	t.Helper()
	files, err := datasets.Find([]string{path}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(schema.Case) bool) {
		n := 0
		for rec, err := range read(context.Background(), files, datasets.Options{}) {
			if err == nil {
				n++
				if !yield(rec.V) {
					return
				}
			}
		}
		if n == 0 {
			t.Errorf("%s holds no case", path)
		}
	}
}
