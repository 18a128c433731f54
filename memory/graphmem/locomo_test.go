package graphmem_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"membench/datasets"
	"membench/datasets/locomo"
	"membench/graph"
	"membench/internal/exttest"
	"membench/internal/stats"
	"membench/llm"
	"membench/llm/hashing"
	"membench/memory"
	"membench/memory/baseline"
	"membench/memory/graphmem"
	"membench/memory/memorytest"
	"membench/schema"
	"membench/schema/jsonl"
)

var update = flag.Bool("update", false, "write the generated parts of docs/results.md again")

// An arm is a row of the ablation: the default with something changed.
type arm struct {
	name   string
	hash   bool // the hashing embedder; else recorded MiniLM vectors
	change func(*graphmem.Options)
}

var arms = []arm{
	{"the default", false, func(*graphmem.Options) {}},
	{"− NEXT (window, turn after)", false, func(o *graphmem.Options) { o.Window, o.Next = 0, 0 }},
	{"− REPLY_TO", false, func(o *graphmem.Options) { o.ReplyWords, o.ReplyMeaning = 0, 0 }},
	{"− IN_SESSION", false, func(o *graphmem.Options) { o.Session, o.SessionMeaning = 0, 0 }},
	{"− NEXT, REPLY_TO, IN_SESSION", false, func(o *graphmem.Options) {
		o.Window, o.Next, o.ReplyWords, o.ReplyMeaning, o.Session, o.SessionMeaning = 0, 0, 0, 0, 0, 0
	}},
	{"− speaker", false, func(o *graphmem.Options) { o.Speaker = 0 }},
	{"− date", false, func(o *graphmem.Options) { o.Date = 0 }},
	{"− time words", false, func(o *graphmem.Options) { o.When, o.Temporal = 0, 0 }},
	{"− kind of turn (length, question, first person)", false, func(o *graphmem.Options) { o.Length, o.Question, o.First = 0, 0, 0 }},
	{"− words", false, func(o *graphmem.Options) { o.Words, o.Window, o.Session, o.ReplyWords = 0, 0, 0, 0 }},
	{"− meaning (words alone)", false, func(o *graphmem.Options) { o.Meaning, o.Next, o.SessionMeaning, o.ReplyMeaning = 0, 0, 0, 0 }},
	{"− is-a (lexicon)", false, func(o *graphmem.Options) { o.IsA = 0 }},
	{"the default", true, func(*graphmem.Options) {}},
	{"HippoRAG 2's retrieval, by rule", true, func(o *graphmem.Options) { o.Ranking = graphmem.HippoRAG }},
	{"Graphiti's retrieval, by rule", true, func(o *graphmem.Options) { o.Ranking = graphmem.Graphiti }},
}

func conversations(t *testing.T) (cases []schema.Case, minilm llm.Embedder) {
	t.Helper()
	dir := exttest.Shared(t, "data/locomo/locomo8.json", "data/locomo_minilm/locomo8.f16.npy")
	file := datasets.PathFile(filepath.Join(dir, "data", "locomo", "locomo8.json"), nil)
	for r, err := range locomo.Cases(context.Background(), []jsonl.File{file}, datasets.Options{}) {
		if err == nil {
			cases = append(cases, r.V)
		}
	}
	return cases, memorytest.Recorded(t, filepath.Join(dir, "data", "locomo_minilm"))
}

// recalls are the scores of each case, by a system that ingests it.
func recalls(t *testing.T, sys memory.System, cases []schema.Case, unit func(schema.EventRef) schema.EventRef) [][]memorytest.Score {
	t.Helper()
	return each(t, cases, func(i int) ([]memorytest.Score, error) {
		return memorytest.EvidenceRecall(context.Background(), sys, cases[i], 10, unit)
	})
}

func each(t *testing.T, cases []schema.Case, score func(i int) ([]memorytest.Score, error)) [][]memorytest.Score {
	t.Helper()
	out, errs := make([][]memorytest.Score, len(cases)), make([]error, len(cases))
	var wg sync.WaitGroup
	for i := range cases { // memories of one system are independent
		wg.Go(func() { out[i], errs[i] = score(i) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	return out
}

// graphs are the cases as the graph memory keeps them, made once: every arm is asked
// over them.
func graphs(t *testing.T, cases []schema.Case) []*graph.Local {
	t.Helper()
	out := make([]*graph.Local, len(cases))
	each(t, cases, func(i int) ([]memorytest.Score, error) {
		ctx := context.Background()
		out[i] = graph.NewLocal()
		sys := graphmem.NewIn(memory.Deps{}, graphmem.Defaults(), func(context.Context, memory.Namespace, bool) (graph.Store, func() error, error) {
			return out[i], nil, nil
		})
		m, err := sys.Open(ctx, memory.Namespace{Scope: cases[i].ID})
		if err != nil {
			return nil, err
		}
		return nil, memorytest.Play(ctx, m, cases[i])
	})
	return out
}

// readings are the graphs as they are read for one embedder.
func readings(t *testing.T, gs []*graph.Local, e llm.Embedder) []*graphmem.Reading {
	t.Helper()
	out := make([]*graphmem.Reading, len(gs))
	for i, g := range gs {
		var err error
		if out[i], err = graphmem.Over(context.Background(), g, memory.Deps{Embed: e}, graphmem.Defaults()); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// over are the scores of each case, asked over its graph; units, which may be nil, are by case.
func over(t *testing.T, rs []*graphmem.Reading, cases []schema.Case, k int, o graphmem.Options, units []func(schema.EventRef) schema.EventRef) [][]memorytest.Score {
	t.Helper()
	return each(t, cases, func(i int) ([]memorytest.Score, error) {
		var unit func(schema.EventRef) schema.EventRef
		if units != nil {
			unit = units[i]
		}
		return memorytest.AskEvidence(context.Background(), rs[i].With(o), cases[i], k, unit, false)
	})
}

// clusters sums the scores of a category by case, less those of other where it is given.
func clusters(scores, other [][]memorytest.Score, cat string) (out []stats.Cluster) {
	for i, s := range scores {
		of := memorytest.By(s)[cat]
		c := stats.Cluster{Sum: of.Sum, N: of.N}
		if other != nil {
			c.Sum -= memorytest.By(other[i])[cat].Sum
		}
		out = append(out, c)
	}
	return out
}

func mean(cs []stats.Cluster) float64 {
	sum, n := 0.0, 0
	for _, c := range cs {
		sum, n = sum+c.Sum, n+c.N
	}
	return sum / float64(n)
}

// A renamed embedder gives a question that has no recorded vector one of zeros, so that
// meaning says nothing of it. Vectors were recorded of questions without the speakers' full
// names; what a speaker is called by is left out of a question, too, since then.
type renamed struct {
	llm.Embedder
	mu    sync.Mutex
	texts map[string]bool
}

func (r *renamed) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out, err := r.Embedder.Embed(ctx, texts)
	var missing *llm.Error
	if len(texts) != 1 || !errors.As(err, &missing) || missing.Kind != llm.KindMissing {
		return out, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.texts[texts[0]] = true
	return [][]float32{make([]float32, 384)}, nil
}

// TestLoCoMo measures what each part of the ranking brings: evidence recall at 10 on
// LoCoMo's eight conversations, and the difference to the default, question by question.
func TestLoCoMo(t *testing.T) {
	cases, minilm := conversations(t)
	lenient := &renamed{Embedder: minilm, texts: map[string]bool{}}
	embedders := map[bool]llm.Embedder{false: lenient, true: hashing.New(0)}
	base := map[bool][][]memorytest.Score{}
	gs := graphs(t, cases)
	read := map[bool][]*graphmem.Reading{}
	for hash, e := range embedders {
		read[hash] = readings(t, gs, e)
	}
	var rows strings.Builder
	row := func(name, embedder string, each, base [][]memorytest.Score) {
		all := clusters(each, nil, "all")
		iv := stats.BootstrapMean(all, 2000, 1, .95)
		fmt.Fprintf(&rows, "| %s | %s | %.3f [%.3f, %.3f] |", name, embedder, mean(all), iv.Lo, iv.Hi)
		if base == nil {
			rows.WriteString(" – | – |")
		} else {
			for _, cat := range []string{"all", "1"} {
				d := clusters(each, base, cat)
				iv := stats.BootstrapMean(d, 2000, 1, .95)
				star := ""
				if iv.Lo > 0 || iv.Hi < 0 {
					star = "*"
				}
				fmt.Fprintf(&rows, " %+.3f [%+.3f, %+.3f]%s |", mean(d), iv.Lo, iv.Hi, star)
			}
		}
		for _, cat := range []string{"1-4", "1", "2", "3", "4", "5"} {
			fmt.Fprintf(&rows, " %.3f |", mean(clusters(each, nil, cat)))
		}
		rows.WriteString("\n")
	}
	for _, a := range arms {
		o := graphmem.Defaults()
		a.change(&o)
		each := over(t, read[a.hash], cases, 10, o, nil)
		if base[a.hash] == nil {
			base[a.hash] = each
			row(a.name, embedders[a.hash].Profile(), each, nil)
			continue
		}
		row(a.name, embedders[a.hash].Profile(), each, base[a.hash])
	}
	if len(lenient.texts) > 3 {
		t.Errorf("questions without a recorded vector: %d, want 3 at most: %v", len(lenient.texts), lenient.texts)
	}
	// The best arm that looks at each turn by itself.
	alone, err := baseline.TurnAlone().Open(memory.Deps{Embed: minilm}, nil)
	if err != nil {
		t.Fatal(err)
	}
	other := recalls(t, alone, cases, nil)
	row("turn-alone", minilm.Profile(), other, base[false])

	for cat, want := range map[string]float64{"all": .85, "1-4": .82, "1": .51, "2": .89, "4": .93} {
		if m := mean(clusters(base[false], nil, cat)); m < want {
			t.Errorf("category %s: recall %.4f, want %.2f", cat, m, want)
		}
	}
	if iv := stats.BootstrapMean(clusters(base[false], other, "all"), 2000, 1, .95); iv.Lo <= 0 {
		t.Errorf("against the best arm that looks at each turn by itself: [%.4f, %.4f], want above 0", iv.Lo, iv.Hi)
	}
	n := func(cat string) (n int) {
		for _, c := range clusters(other, nil, cat) {
			n += c.N
		}
		return n
	}
	head := fmt.Sprintf("| arm | embedder | all (%d) [95 %%] | difference, all | difference, 1 | without 5 (%d) |", n("all"), n("1-4"))
	for _, cat := range []string{"1", "2", "3", "4", "5"} {
		head += fmt.Sprintf(" %s (%d) |", cat, n(cat))
	}
	fill(t, resultsDoc, "graph", head+"\n|---|---|---|---|---|---|---|---|---|---|---|\n"+rows.String())
}

const resultsDoc = "../../docs/results.md"

// fill compares a generated part of a page with what it should be, or writes it.
func fill(t *testing.T, path, part, table string) {
	t.Helper()
	t.Log("\n" + table)
	doc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	re := regexp.MustCompile(`(?s)(<!-- generated: ` + part + ` -->\n).*?(<!-- end: ` + part + ` -->)`)
	if !re.Match(doc) {
		t.Fatal(path + " has no part " + part)
	}
	want := re.ReplaceAllFunc(doc, func([]byte) []byte {
		return []byte("<!-- generated: " + part + " -->\n" + table + "<!-- end: " + part + " -->")
	})
	if *update {
		if err := os.WriteFile(path, want, 0o666); err != nil {
			t.Fatal(err)
		}
	} else if string(want) != string(doc) {
		t.Errorf("%s is not current: go test ./memory/graphmem -run %s -update", path, t.Name())
	}
}
