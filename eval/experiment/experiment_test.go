package experiment

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"membench/config"
	"membench/eval/pipeline"
	"membench/internal/stats"
)

// do makes a small experiment over the example cases and gives its folder.
func do(t *testing.T, dir string, change func(*Design)) {
	t.Helper()
	v := &config.Eval{Version: config.Version, Seed: 1, Name: "small", Datasets: []config.EvalSet{{Name: "cases", Path: filepath.Join("..", "..", "examples", "measure", "cases.jsonl"), MaxCases: 3}}}
	v.Output.Folder, v.Run.NoTimes = dir, true
	d := Defaults()
	d.Failures, d.Ks = []string{"mem0"}, []int{3}
	if change != nil {
		change(&d)
	}
	if err := v.Check(nil); err != nil {
		t.Fatal(err)
	}
	now := func() time.Time { return time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC) }
	if _, err := Run(t.Context(), Options{Eval: v, Design: d, Pipeline: pipeline.Options{Now: now, Membench: "test"}}); err != nil {
		t.Fatal(err)
	}
}

// times are when files were made, by their path.
func times(t *testing.T, dir string) map[string]time.Time {
	t.Helper()
	out := map[string]time.Time{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		rel, _ := filepath.Rel(dir, path)
		out[rel] = info.ModTime()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// An experiment makes every table and figure; done again it does nothing; a changed
// option repeats only what depends on it.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	do(t, dir, nil)
	for _, want := range []string{"report.md", "1-failures/to-label.jsonl", "1-failures/to-label.csv", "1-failures/decisions.json", "2-oracle/oracle-town.tex", "3-main/main-town.csv", "4-ablation/ablation-town-figure.svg", "4-ablation/ablation-town-figure.png", "5-curve/curve-figure-town.csv", "runs/qarp/qa_records.jsonl"} {
		if info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(want))); err != nil || info.Size() == 0 {
			t.Errorf("%s is missing or empty (%v)", want, err)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "report.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# QARP: small", "Experiment 4", "(4-ablation/ablation-town-figure.svg)", "does it hurt to leave out: latest?"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	first := times(t, dir)
	same := func(what string, may func(path string) bool) {
		t.Helper()
		for path, at := range times(t, dir) {
			if !at.Equal(first[path]) && path != "report.md" && !strings.Contains(path, "journal") && !may(path) {
				t.Errorf("%s: %s was made again", what, path)
			}
		}
	}
	do(t, dir, nil)
	same("done again", func(string) bool { return false })
	do(t, dir, func(d *Design) { d.PerType = 2 })
	same("another draw", func(path string) bool { return strings.HasPrefix(path, "1-failures") })
	label, err := os.ReadFile(filepath.Join(dir, "1-failures", "to-label.csv"))
	if err != nil {
		t.Fatal(err)
	}
	said := filepath.Join(t.TempDir(), "anna.csv")
	if err := os.WriteFile(said, label, 0o666); err != nil {
		t.Fatal(err)
	}
	do(t, dir, func(d *Design) { d.PerType, d.Labels = 2, []string{said} })
	same("labels", func(path string) bool { return strings.HasPrefix(path, "1-failures") })
}

// An experiment that is stopped in the middle continues, and comes to the same.
func TestStopped(t *testing.T) {
	whole, stopped := t.TempDir(), t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	small := func(ctx context.Context, dir string, words func(string, ...any)) error {
		v := &config.Eval{Version: config.Version, Seed: 1, Name: "small", Datasets: []config.EvalSet{{Name: "cases", Path: filepath.Join("..", "..", "examples", "measure", "cases.jsonl"), MaxCases: 1}}}
		v.Output.Folder, v.Run.NoTimes = dir, true
		d := Defaults()
		d.Failures, d.Ks = nil, nil
		if err := v.Check(nil); err != nil {
			t.Fatal(err)
		}
		now := func() time.Time { return time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC) }
		_, err := Run(ctx, Options{Eval: v, Design: d, Pipeline: pipeline.Options{Now: now, Membench: "test", Log: pipeline.Log{Words: words}}})
		return err
	}
	err := small(ctx, stopped, func(format string, args ...any) {
		line := fmt.Sprintf(format, args...)
		if strings.HasPrefix(line, "arm 4 ") {
			cancel()
		}
	})
	if err == nil {
		t.Fatal("a stopped experiment ends without an error")
	}
	before := times(t, filepath.Join(stopped, "runs", Unified))
	if err := errors.Join(small(t.Context(), stopped, nil), small(t.Context(), whole, nil)); err != nil {
		t.Fatal(err)
	}
	for path, at := range times(t, filepath.Join(stopped, "runs", Unified)) {
		if !at.Equal(before[path]) {
			t.Errorf("%s of a finished arm was made again", path)
		}
	}
	for _, name := range []string{"4-ablation/report.md", "3-main/main-town.csv", "5-curve/curve-town.csv"} {
		a, err1 := os.ReadFile(filepath.Join(whole, filepath.FromSlash(name)))
		b, err2 := os.ReadFile(filepath.Join(stopped, filepath.FromSlash(name)))
		if err := errors.Join(err1, err2); err != nil || string(a) != string(b) {
			t.Errorf("%s differs from that of an undisturbed experiment (%v)", name, err)
		}
	}
}

func TestRefused(t *testing.T) {
	v := &config.Eval{Version: config.Version}
	v.Output.Folder = t.TempDir()
	for want, change := range map[string]func(*Options){
		"per_type":      func(o *Options) { o.Design.PerType = 0 },
		"has its own":   func(o *Options) { o.Eval.Systems = []config.EvalSystem{{Type: "bm25"}} },
		"protocols are": func(o *Options) { o.Eval.Grading.Protocols = []string{"em@1"} },
		"does it go":    func(o *Options) { o.Eval.Output.Folder = "" },
	} {
		c := *v
		o := Options{Eval: &c, Design: Defaults()}
		change(&o)
		if want == "does it go" {
			c.Name = ""
		}
		if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) && want != "does it go" {
			t.Errorf("%s: have %v", want, err)
		}
	}
}

// Token-matched is given what QARP spent, in the mean of its questions.
func TestSpent(t *testing.T) {
	dir := t.TempDir()
	run := filepath.Join(dir, "runs", QARP)
	if err := os.MkdirAll(run, 0o777); err != nil {
		t.Fatal(err)
	}
	line := `{"system":"qarp","dataset":"d","case_id":"c","question_id":"%s","question":"q","gold":"g","category":"IE","raw_category":"1","hits":[],"answer":"a","by":"rule","outcome":"answered","usage":[{"step":"retrieve","calls":2,"input_tokens":%d,"output_tokens":10},{"step":"answer","calls":1,"input_tokens":999,"output_tokens":9}]}` + "\n"
	text := fmt.Sprintf(line+line, "q1", 190, "q2", 390)
	if err := os.WriteFile(filepath.Join(run, "qa_records.jsonl"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	e := &experiment{dir: dir}
	if have, err := e.spent(t.Context(), QARP); err != nil || have != 300 {
		t.Errorf("have %d (%v), want 300", have, err)
	}
}

func TestDecisions(t *testing.T) {
	for _, c := range []struct {
		e    estimate
		want string
	}{
		{estimate{n: 9, mean: .2, lo: .12, hi: .3}, Met}, {estimate{n: 9, mean: .2, lo: .05, hi: .3}, NotShown},
		{estimate{n: 9, mean: .02, lo: -.05, hi: .06}, NotMet}, {estimate{n: 0, mean: math.NaN()}, Unknown},
		{estimate{n: 9, mean: .2, lo: math.NaN(), hi: math.NaN()}, NotShown},
	} {
		if have := atLeast("", "", "", c.e, .1).Verdict; have != c.want {
			t.Errorf("%+v: have %s, want %s", c.e, have, c.want)
		}
	}
	a, b := &estimate{p: .01}, &estimate{p: .04}
	holm([]*estimate{a, {p: math.NaN()}, b})
	if a.adjusted != .02 || b.adjusted != .04 {
		t.Errorf("Holm: have %g and %g, want 0.02 and 0.04", a.adjusted, b.adjusted)
	}
}

// The gap between types: three conversations, IE always right, TR right in one.
func TestSpread(t *testing.T) {
	r := &results{arms: []string{Unified}, of: map[[2]string]answers{{Unified, "d"}: {}}}
	for i, conv := range []string{"a", "b", "c"} {
		r.of[[2]string{Unified, "d"}][conv+"1"] = answer{conversation: conv, category: "IE", score: 1}
		x := answer{conversation: conv, category: "TR"}
		if i == 0 {
			x.score = 1
		}
		r.of[[2]string{Unified, "d"}][conv+"2"] = x
	}
	gap, best, worst := r.spread(Unified, "d", 1)
	if math.Abs(gap.mean-2./3) > 1e-9 || best != "IE" || worst != "TR" || gap.lo > gap.mean || gap.hi < gap.mean || gap.hi > 1 {
		t.Errorf("have %+v, %s − %s", gap, best, worst)
	}
	m := map[string]*stats.Cluster{}
	into(m, "a", 1)
	into(m, "a", 0)
	if e := estimateOf(m, true); e.n != 2 || e.mean != .5 || !(e.lo > 0 && e.hi < 1) {
		t.Errorf("one conversation: have %+v, want Wilson's interval", e)
	}
}

func TestCells(t *testing.T) {
	for in, want := range map[string]string{"=1+2": "'=1+2", "-3.5": "-3.5", "-3.5 [a]": "'-3.5 [a]", "plain": "plain", "@x": "'@x", "": ""} {
		if have := plainCell(in); have != want {
			t.Errorf("%q: have %q, want %q", in, have, want)
		}
	}
	if have := latexEscapes.Replace(`50 % of a_b & {c}`); have != `50 \% of a\_b \& \{c\}` {
		t.Errorf("have %s", have)
	}
}

// Names beside a crowded figure keep their order and distance, and stay in the picture.
func TestApart(t *testing.T) {
	order := []point{{y: .4}, {y: .31}, {y: .31}, {y: .3}, {y: .02}, {y: .01}, {y: 0}}
	have := apart(order, .04)
	for i, y := range have {
		if y < 0 || i > 0 && have[i-1]-y < .04-1e-9 {
			t.Errorf("heights %v: want at least .04 between them and none below 0", have)
		}
	}
	if have[0] != .4 || have[1] != .31 {
		t.Errorf("heights %v: what has room is moved", have)
	}
}
