package graphmem_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"membench/datasets"
	"membench/datasets/all"
	"membench/graph"
	"membench/internal/exttest"
	"membench/internal/stats"
	"membench/llm/hashing"
	"membench/memory"
	"membench/memory/baseline"
	"membench/memory/graphmem"
	"membench/memory/memorytest"
	"membench/schema"
	"membench/schema/jsonl"
)

// A set is other data that the ranking must hold on, by what its gold names.
type set struct {
	name, dataset string
	paths         []string // below data/
	unit          string   // what gold evidence is: turn, round, session
	prepare       func(*schema.Case)
	keep          func(schema.Question) bool
}

var sets = []set{
	{"Mem-Gallery", "memgallery", []string{"mem_gallery/dialog"}, "round", nil, func(q schema.Question) bool { return len(q.Attachments) == 0 }},
	{"Mem-Gallery, questions with an image", "memgallery", []string{"mem_gallery/dialog"}, "round", nil, func(q schema.Question) bool { return len(q.Attachments) > 0 }},
	{"HaluMem", "halumem", []string{"halumem/pilot_slices"}, "session", sessionsNamed, nil},
	{"LongMemEval-S", "longmemeval", []string{"longmemeval/s_star_multiquestion_sample.json", "longmemeval/s_abstain_flat_sample4.json"}, "session", sessionsNamed, nil},
}

// sessionsNamed makes evidence of the ids that a question names: of gold points, which
// stand in sessions, or of sessions.
func sessionsNamed(c *schema.Case) {
	for i := range c.Questions {
		q := &c.Questions[i]
		q.Evidence = nil
		for _, s := range c.Sessions {
			named := slices.Contains(q.EvidenceIDs, s.SourceID) ||
				slices.ContainsFunc(s.Points, func(p schema.MemoryPoint) bool { return slices.Contains(q.EvidenceIDs, p.ID) })
			if named && len(s.Turns) > 0 {
				q.Evidence = append(q.Evidence, s.Turns[0].Turn(c.ConvID).Sources[0])
			}
		}
	}
}

// unitOf maps a turn to the first one of its round or session.
func unitOf(c schema.Case, unit string) func(schema.EventRef) schema.EventRef {
	if unit == "turn" {
		return nil
	}
	first := map[schema.EventRef]schema.EventRef{}
	for _, s := range c.Sessions {
		var head schema.EventRef
		for i, u := range s.Turns {
			ref := u.Turn(c.ConvID).Sources[0]
			if i == 0 || unit == "round" && u.Role == memory.RoleUser {
				head = ref
			}
			first[ref] = head
		}
	}
	return func(r schema.EventRef) schema.EventRef { return first[r] }
}

func (s set) cases(t *testing.T) (out []schema.Case) {
	t.Helper()
	var want []string
	for _, p := range s.paths {
		want = append(want, "data/"+p)
	}
	dir := exttest.Shared(t, want...)
	if dir == "" {
		return nil
	}
	d, ok := all.Lookup(s.dataset)
	if !ok {
		t.Fatal(s.dataset)
	}
	for _, p := range s.paths {
		files := []jsonl.File{datasets.PathFile(filepath.Join(dir, "data", p), nil)}
		if filepath.Ext(p) == "" {
			var err error
			if files, err = datasets.Find([]string{filepath.Join(dir, "data", p)}, d.Match, nil); err != nil {
				t.Fatal(err)
			}
		}
		for r, err := range d.Cases(context.Background(), files, datasets.Options{}) {
			if err != nil {
				continue // what is wrong with the data is the subject of other tests
			}
			c := r.V
			if s.prepare != nil {
				s.prepare(&c)
			}
			if s.keep != nil {
				c.Questions = slices.DeleteFunc(slices.Clone(c.Questions), func(q schema.Question) bool { return !s.keep(q) })
			}
			c.Questions = slices.DeleteFunc(slices.Clone(c.Questions), func(q schema.Question) bool { return len(q.Evidence) == 0 })
			if len(c.Questions) > 0 {
				out = append(out, c)
			}
		}
	}
	return out
}

// TestSets asks other data: the same ranking, weights untouched. With -update and in
// make soak all arms are tried on all sets, else the main arms on the sets of rounds.
func TestSets(t *testing.T) {
	hash := memory.Deps{Embed: hashing.New(0)}
	whole := *update || os.Getenv("MEMBENCH_SOAK") != ""
	var rows strings.Builder
	some := false
	made := map[string]*graph.Local{}
	for _, s := range sets {
		if !whole && s.unit == schema.UnitSession { // long histories
			continue
		}
		cases := s.cases(t)
		if len(cases) == 0 {
			continue
		}
		some = true
		k := 10
		if s.unit == "session" {
			k = 3
		}
		units := make([]func(schema.EventRef) schema.EventRef, len(cases))
		n, turns := 0, 0
		for i, c := range cases {
			units[i] = unitOf(c, s.unit)
			n += len(c.Questions)
			for _, x := range c.Sessions {
				turns += len(x.Turns)
			}
		}
		var base [][]memorytest.Score
		row := func(name string, scores [][]memorytest.Score) {
			all := clusters(scores, nil, "all")
			fmt.Fprintf(&rows, "| %s | %s | %d | %d in %d | %d | %s | %.3f |", s.name, s.unit, k, n, len(cases), turns, name, mean(all))
			switch {
			case base == nil:
				rows.WriteString(" – |\n")
			default:
				d := clusters(scores, base, "all")
				fmt.Fprintf(&rows, " %+.3f", mean(d))
				if len(cases) >= 5 {
					iv := stats.BootstrapMean(d, 2000, 1, .95)
					fmt.Fprintf(&rows, " [%+.3f, %+.3f]", iv.Lo, iv.Hi)
					if iv.Lo > 0 || iv.Hi < 0 {
						rows.WriteString("*")
					}
				}
				rows.WriteString(" |\n")
			}
		}
		var fresh []schema.Case // two sets may ask the same conversations
		for _, c := range cases {
			if made[c.ID] == nil {
				fresh = append(fresh, c)
			}
		}
		for i, g := range graphs(t, fresh) {
			made[fresh[i].ID] = g
		}
		gs := make([]*graph.Local, len(cases))
		for i, c := range cases {
			gs[i] = made[c.ID]
		}
		read := readings(t, gs, hash.Embed)
		for _, a := range setArms {
			if (len(cases) < 5 || !whole) && !a.few {
				continue
			}
			o := graphmem.Defaults()
			a.change(&o)
			scores := over(t, read, cases, k, o, units)
			row(a.name, scores)
			if base == nil {
				base = scores
			}
		}
		for _, spec := range []memory.Spec{baseline.BM25Stemmed(), baseline.ScoreFused(), baseline.TurnAlone()} {
			sys, err := spec.Open(hash, nil)
			if err != nil {
				t.Fatal(err)
			}
			row(spec.Name, each(t, cases, func(i int) ([]memorytest.Score, error) {
				return memorytest.EvidenceRecall(context.Background(), sys, cases[i], k, units[i])
			}))
		}
	}
	if !some {
		t.Skip("none of the other data sets is here: the table of docs/results.md is not checked")
	}
	if !whole {
		text, err := os.ReadFile(resultsDoc)
		if err != nil {
			t.Fatal(err)
		}
		for row := range strings.Lines(rows.String()) {
			if !strings.Contains(string(text), row) {
				t.Errorf("%s does not have the row\n%srun the test with -update", resultsDoc, row)
			}
		}
		return
	}
	fill(t, "graph sets", "| data | unit | k | questions in cases | turns | arm | recall at k | difference to the default |\n|---|---|---|---|---|---|---|---|\n"+rows.String())
}

var setArms = []setArm{
	{"graphmem, the default", true, func(*graphmem.Options) {}},
	{"− NEXT, REPLY_TO, IN_SESSION", true, func(o *graphmem.Options) {
		o.Window, o.Next, o.ReplyWords, o.ReplyMeaning, o.Session, o.SessionMeaning = 0, 0, 0, 0, 0, 0
	}},
	{"− speaker", false, func(o *graphmem.Options) { o.Speaker = 0 }},
	{"− date", false, func(o *graphmem.Options) { o.Date = 0 }},
	{"− kind of turn", false, func(o *graphmem.Options) { o.Length, o.Question, o.First = 0, 0, 0 }},
	{"+ PageRank", true, func(o *graphmem.Options) { o.PageRank = .1 }},
	{"− is-a", false, func(o *graphmem.Options) { o.IsA = 0 }},
	{"+ claims", false, func(o *graphmem.Options) { o.Claims = .1 }},
	{"+ things linked", false, func(o *graphmem.Options) { o.Entities = .3 }},
	{"+ walk", false, func(o *graphmem.Options) { o.Walk = .1 }},
	{"+ validity", true, func(o *graphmem.Options) { o.Outdated = -.3 }},
	{"HippoRAG 2's retrieval, by rule", false, func(o *graphmem.Options) { o.Ranking = graphmem.HippoRAG }},
	{"Graphiti's retrieval, by rule", false, func(o *graphmem.Options) { o.Ranking = graphmem.Graphiti }},
}

// A setArm is a row; few: also where there are few cases, which tell little.
type setArm struct {
	name   string
	few    bool
	change func(*graphmem.Options)
}
