package experiment

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"membench/config"
	"membench/eval/records"
	"membench/internal/atomicfile"
	"membench/internal/build"
	"membench/internal/codec"
	"membench/internal/stats"
	"membench/memory"
	"membench/memory/pcm"
	"membench/memory/recall"
	"membench/schema"
	"membench/schema/jsonl"
)

// Arms of the experiment on PCM.
const (
	StoreAll = "store-all" // every turn, searched by the same embedder
	PCM      = "pcm"
	PCMGate  = "pcm-gate"
)

// A Trace is one decision of PCM, with the case that it was made in: a line of
// trace/ARM.jsonl.
type Trace struct {
	Dataset string `json:"dataset"`
	CaseID  string `json:"case_id"`
	pcm.Decision
}

// Kept is the content of PCM at the end of a case: a line of trace/ARM.kept.jsonl.
type Kept struct {
	Dataset string         `json:"dataset"`
	CaseID  string         `json:"case_id"`
	Turns   int            `json:"turns"`
	Said    int            `json:"said_tokens"`   // of all turns
	Active  int            `json:"active_tokens"` // of nodes that a search sees
	All     int            `json:"all_tokens"`    // of all nodes
	Nodes   map[string]int `json:"nodes"`         // by type
}

// RunPCM runs the PCM experiment: PCM, PCM that stores only surprising turns, and a memory of every turn; their answers, their content, and every decision of
// PCM.
func RunPCM(ctx context.Context, o Options, p pcm.Options) (string, error) {
	gate := p
	gate.Gate = true
	options := map[string]pcm.Options{PCM: p, PCMGate: gate}
	s := study{title: "PCM", arms: []arm{{StoreAll, "main", `{name: "store-all", type: "embedding-only"}`, false}}}
	for _, name := range []string{PCM, PCMGate} {
		text, err := codec.Append(nil, options[name], codec.Compact)
		if err != nil {
			return "", err
		}
		s.arms = append(s.arms, arm{name, "main", fmt.Sprintf("{name: %q, type: pcm, options: %s}", name, text), false})
	}
	s.between = func(ctx context.Context, e *experiment) error {
		for _, name := range []string{PCM, PCMGate} {
			if err := e.trace(ctx, name, options[name]); err != nil {
				return fmt.Errorf("trace of %s: %w", name, err)
			}
		}
		return nil
	}
	files := []string{"trace/pcm.jsonl", "trace/pcm.kept.jsonl", "trace/pcm-gate.jsonl", "trace/pcm-gate.kept.jsonl"}
	all := func(arm) bool { return true }
	s.analyses = []analysis{{folder: "1-answers", arms: all, inputs: files, run: pcmAnswers}, {folder: "2-surprise", arms: func(a arm) bool { return a.name == PCM }, inputs: files[:1], run: pcmSurprise}}
	return run(ctx, o, s)
}

// deps are the models that PCM was asked with: answers come from the same cassette.
func (e *experiment) deps() (d memory.Deps, err error) {
	m := e.Pipeline.Models
	if m == nil {
		return d, nil
	}
	d.Prompts = m.Prompts
	if name := e.Eval.Models.Extract.Name; name != "" {
		if d.LLM, err = m.As(name).Generator(config.Extract); err != nil {
			return d, err
		}
	}
	d.Embed, err = m.Embedder()
	return d, err
}

// trace plays the cases into PCM once more and records its decisions. With a model, its answers come from the run's cassette.
func (e *experiment) trace(ctx context.Context, name string, o pcm.Options) error {
	cases := filepath.Join(e.dir, "runs", name, records.CasesFile)
	kept := filepath.Join(e.dir, "trace", name+".kept.jsonl")
	d, err := e.deps()
	if err != nil {
		return err
	}
	key := map[string]any{"pcm": o}
	if d.LLM != nil {
		key["model"] = d.LLM.Model()
	}
	b := e.builder()
	b.Root = "."
	_, _, err = b.Do(ctx, build.Step{Name: "trace " + name, Version: 1, Options: key, Inputs: []string{cases}, InPlace: true, Output: filepath.Join(e.dir, "trace", name+".jsonl"), Also: []string{kept},
		Run: func(ctx context.Context, path string) (build.Result, error) {
			var ends []Kept
			err := atomicfile.Write(path, func(w io.Writer) error {
				for r, err := range jsonl.Files[schema.Case]([]string{cases}, nil) {
					if err != nil {
						return err
					}
					k, err := replayPCM(ctx, w, d, o, &r.V)
					if err != nil {
						return fmt.Errorf("case %s: %w", r.V.ID, err)
					}
					ends = append(ends, k)
				}
				return nil
			})
			if err != nil {
				return build.Result{}, err
			}
			return build.Result{}, atomicfile.Write(kept, func(w io.Writer) error {
				for _, k := range ends {
					if err := codec.WriteLine(w, k); err != nil {
						return err
					}
				}
				return nil
			})
		}})
	return err
}

// replayPCM plays one case, session by session.
func replayPCM(ctx context.Context, w io.Writer, d memory.Deps, o pcm.Options, c *schema.Case) (Kept, error) {
	k := Kept{Dataset: c.Dataset, CaseID: c.ID, Nodes: map[string]int{}}
	var failed error
	sys, err := pcm.New(d, o, func(x pcm.Decision) {
		if failed == nil {
			failed = codec.WriteLine(w, Trace{c.Dataset, c.ID, x})
		}
	})
	if err != nil {
		return k, err
	}
	m, err := sys.Open(ctx, memory.Namespace{Run: "trace", Scope: c.ID})
	if err != nil {
		return k, err
	}
	defer m.Close()
	for _, s := range c.Sessions {
		b := memory.Batch{Key: s.ID, Session: s.ID}
		for _, u := range s.Turns {
			t := u.Turn(c.ConvID)
			t.Time = cmp.Or(t.Time, s.Time)
			b.Turns = append(b.Turns, t)
			k.Turns++
			k.Said += recall.TokensOf(t.Name + ": " + t.Text)
		}
		if _, err := m.Ingest(ctx, b); err != nil {
			return k, err
		}
		if _, err := memory.Finish(ctx, m, s.ID); err != nil {
			return k, err
		}
	}
	list, _ := memory.List(m)
	for it, err := range list(ctx) {
		if err != nil {
			return k, err
		}
		n := recall.TokensOf(it.Text)
		k.All += n
		if it.Status == memory.StatusActive {
			k.Active += n
		}
		k.Nodes[it.Meta.Text("node_type")]++
	}
	return k, failed
}

// pcmAnswers compares the answers and the stored content.
func pcmAnswers(_ context.Context, e *experiment, r *results, out *output) {
	out.heading("## Answers, and what is kept")
	for _, set := range r.datasets {
		cats := r.categories(set)
		t := table{name: "answers-" + slug(set), title: "Answers, " + set, head: append(append([]string{"system", "all"}, cats...), "evidence recall", "kept tokens", "of what was said", "nodes", "corrections", "hypotheses", "promoted", "confirmed"),
			note: "Kept tokens are those of all nodes at the end, summed over conversations. \"store-all\" keeps every turn."}
		said := 0
		cells := map[string][]string{}
		for _, name := range []string{PCM, PCMGate} {
			k, err := keptOf(filepath.Join(e.dir, "trace", name+".kept.jsonl"), set)
			if out.fails(err) {
				return
			}
			said = k.Said
			n := map[string]int{}
			for tr, err := range ReadTrace(filepath.Join(e.dir, "trace", name+".jsonl")) {
				if out.fails(err) {
					return
				}
				if tr.Dataset == set {
					count(n, tr.Decision)
				}
			}
			nodes := 0
			for _, x := range k.Nodes {
				nodes += x
			}
			cells[name] = []string{strconv.Itoa(k.All), points(float64(k.All) / float64(max(1, said))), strconv.Itoa(nodes), strconv.Itoa(n[pcm.AgentCorrection]), strconv.Itoa(n["hypothesis"]), strconv.Itoa(n["promote"]), strconv.Itoa(n["reinforce"])}
		}
		cells[StoreAll] = []string{strconv.Itoa(said), points(1), "–", "–", "–", "–", "–"}
		for _, a := range r.arms {
			row := []string{a, r.score(a, set, "").String()}
			for _, c := range cats {
				row = append(row, points(r.score(a, set, c).mean))
			}
			row = append(row, r.mean(a, set, "", true, func(x answer) float64 { return x.recall }).String())
			t.add(append(row, cells[a]...)...)
		}
		out.table(&t)
		out.gains(r, set, "against-store-all-"+slug(set), "PCM against storing everything, "+set, StoreAll, []string{PCM, PCMGate})
		for _, a := range []string{PCM, PCMGate} {
			out.decisions = append(out.decisions, atLeast("does it pay to keep by surprise: "+a+"?", set, a+" − store-all > 0", r.gain(a, StoreAll, set, ""), 1e-9))
		}
	}
}

func count(n map[string]int, d pcm.Decision) {
	n[d.Agent]++
	for _, x := range d.Nodes {
		n[x.Op]++
		if x.Op == "add" && x.Type == pcm.Hypothesis {
			n["hypothesis"]++
		}
	}
}

// keptOf sums the stored content over the cases of a data set.
func keptOf(path, dataset string) (sum Kept, err error) {
	sum.Nodes = map[string]int{}
	for k, err := range lines[Kept](path) {
		if err != nil {
			return sum, err
		}
		if k.Dataset == dataset {
			sum.Turns, sum.Said, sum.Active, sum.All = sum.Turns+k.Turns, sum.Said+k.Said, sum.Active+k.Active, sum.All+k.All
			schema.Tally(sum.Nodes, k.Nodes)
		}
	}
	return sum, nil
}

// ReadTrace reads a file of decisions.
func ReadTrace(path string) func(func(Trace, error) bool) { return lines[Trace](path) }

// lines reads a file of JSON lines of ours.
func lines[T any](path string) func(func(T, error) bool) {
	return func(yield func(T, error) bool) {
		var v T
		r, err := jsonl.Open(path, nil)
		if err != nil {
			yield(v, err)
			return
		}
		defer r.Close()
		for line, err := range jsonl.Lines(r, path, 0) {
			v = *new(T)
			if err == nil {
				if err = codec.Unmarshal(line.Bytes, &v); err != nil {
					err = fmt.Errorf("%v: want a line that 'membench experiment pcm' wrote: %w", line.Pos, err)
				}
			}
			if !yield(v, err) || err != nil {
				return
			}
		}
	}
}

// A Surprise is how the effective surprise is distributed.
type Surprise struct {
	Turns      int            `json:"turns"`
	Levels     map[string]int `json:"levels"`
	Forced     int            `json:"forced"` // contradictions below the upper threshold
	Estimators map[string]int `json:"estimators"`
	Raw        []float64      `json:"raw_percentiles"` // 5, 25, 40, 50, 75, 90, 95
	Entropy    []float64      `json:"entropy_percentiles"`
	Effective  []float64      `json:"effective_percentiles"`
	Histogram  []int          `json:"histogram"` // of the effective surprise, by quarters from 0; the last bin is 5 and above
}

// Percents are the percentiles of a Surprise.
var Percents = []float64{5, 25, 40, 50, 75, 90, 95}

// SurpriseOf reads the distribution out of a trace.
func SurpriseOf(path string) (Surprise, error) {
	s := Surprise{Levels: map[string]int{}, Estimators: map[string]int{}, Histogram: make([]int, 21)}
	var raw, entropy, effective []float64
	for t, err := range ReadTrace(path) {
		if err != nil {
			return s, err
		}
		if t.Surprisal == nil {
			continue
		}
		x := t.Surprisal
		s.Turns++
		s.Levels[x.Level]++
		s.Estimators[x.Estimator]++
		if x.Forced {
			s.Forced++
		}
		raw, entropy, effective = append(raw, x.Raw), append(entropy, x.Entropy), append(effective, x.Effective)
		s.Histogram[min(20, max(0, int(4*x.Effective)))]++
	}
	if s.Turns > 0 {
		s.Raw, s.Entropy, s.Effective = stats.Percentiles(raw, Percents...), stats.Percentiles(entropy, Percents...), stats.Percentiles(effective, Percents...)
	}
	return s, nil
}

func pcmSurprise(_ context.Context, e *experiment, _ *results, out *output) {
	out.heading("## Surprise")
	s, err := SurpriseOf(filepath.Join(e.dir, "trace", "pcm.jsonl"))
	if out.fails(err) || s.Turns == 0 {
		return
	}
	t := table{name: "surprise", title: "Surprise of the user's turns", head: []string{"", "5 %", "25 %", "40 %", "50 %", "75 %", "90 %", "95 %"}}
	for _, row := range []struct {
		name string
		of   []float64
	}{{"raw", s.Raw}, {"entropy of the search", s.Entropy}, {"effective", s.Effective}} {
		cells := []string{row.name}
		for _, x := range row.of {
			cells = append(cells, strconv.FormatFloat(x, 'f', 2, 64))
		}
		t.add(cells...)
	}
	t.note = fmt.Sprintf("%d turns: high %d (%d of them contradictions below the threshold), medium %d, low %d. Thresholds by percentile on this data: theta_high %.2f (90 %%), theta_low %.2f (40 %%).",
		s.Turns, s.Levels[pcm.High], s.Forced, s.Levels[pcm.Medium], s.Levels[pcm.Low], s.Effective[5], s.Effective[2])
	out.table(&t)
	h := bars{series: []string{"turns"}, values: [][]estimate{nil}}
	for i, n := range s.Histogram {
		h.groups = append(h.groups, strconv.FormatFloat(float64(i)/4, 'f', -1, 64))
		x := float64(n) / float64(s.Turns)
		h.values[0] = append(h.values[0], estimate{n: n, mean: x, lo: x, hi: x})
	}
	out.histogram("surprise-figure", "Effective surprise of the user's turns", h)
}
