package main

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"

	"membench/eval/calibrate"
	"membench/eval/judge"
	"membench/internal/codec"
)

// sureRow is an answer of known truth as the weights of the last stage see it.
type sureRow struct {
	f      []float64
	right  bool
	writer string // who wrote it; "" recorded or planted
	group  string
	base   string // conversation or question: never on both sides
	w      float64
	text   [3]string // question, gold, answer
}

// writersRows reads batches of answers that language models wrote for the judge: lines of question, gold,
// prediction, group.
func writersRows(paths []string) (out []sureRow, err error) {
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".jsonl")
		err := eachLine(path, func(b []byte) error {
			var r struct {
				Question   string `json:"question"`
				Gold       string `json:"gold"`
				Prediction string `json:"prediction"`
				Group      string `json:"group"`
			}
			if err := codec.Unmarshal(b, &r); err != nil {
				return err
			}
			if r.Question == "" {
				return nil
			}
			g := map[string]string{"ops_right": "right_ops", "wrong_certain": "wrong", "ops_wrong": "wrong", "wrong_uncertain": "uncertain"}[r.Group]
			g = cmp.Or(g, r.Group)
			x := sureRow{right: strings.HasPrefix(g, "right"), writer: name, group: g, base: "w " + r.Question, w: 1, text: [3]string{r.Question, r.Gold, r.Prediction}}
			q := judge.Question{Text: r.Question}
			if name == "known" {
				x.w = knownWeight
			}
			x.f = judge.Sure(q, []string{r.Gold}, r.Prediction)
			out = append(out, x)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// line is the row on one line.
func (r *sureRow) line() string {
	return strings.ReplaceAll(strings.Join(r.text[:], " | "), "\n", "\\n")
}

// answerFiles are the batches of the repository that the weights are trained on, and others.
func answerFiles(more []string) []string {
	own, _ := filepath.Glob("judgetrain/testdata/answers/*.jsonl")
	return append(own, more...)
}

// sureRows adds the recorded answers outside the test conversations, and the shapes.
func sureRows(shared string, shapes []calibrate.Shape, paths []string) ([]sureRow, error) {
	out, err := writersRows(paths)
	if err != nil {
		return nil, err
	}
	rows, err := load(shared, devConvs)
	if err != nil {
		return nil, err
	}
	more, err := labelled(shared)
	if err != nil {
		return nil, err
	}
	for _, r := range append(rows, more...) {
		if draw32("sample", r.Question, r.Answer)%sureSample != 0 {
			continue
		}
		f := judge.Sure(r.question(), r.golds(), r.Answer)
		x := sureRow{f: f, right: r.Right && r.Real, group: "recorded wrong", base: r.Conv, w: recordedWeight, text: [3]string{r.Question, r.Gold, r.Answer}}
		if x.right {
			x.group = "recorded terse"
			if n := len(strings.Fields(r.Answer)); n >= 7 && strings.ContainsAny(r.Answer[len(strings.TrimSpace(r.Answer))-1:], ".!?*") {
				x.group = "recorded full"
			}
		}
		if !r.Real {
			x.group, x.w = "planted", plantWeight
		}
		out = append(out, x)
	}
	built, err := calibrate.BuiltIn(shapes, []string{"en", "zh", "ops en", "ops zh"}, 3)
	if err != nil {
		return nil, err
	}
	for _, p := range built {
		q := judge.Question{Text: p.Record.Question}
		f := judge.Sure(q, []string{p.Record.Gold}, p.Answer)
		g, w := "shape wrong", shapeWeight
		if p.Shape.Right {
			g, w = "shape right", 1.4*shapeWeight // there are fewer
		}
		out = append(out, sureRow{f: f, right: p.Shape.Right, group: g, base: p.Set + p.Record.Question, w: w, text: [3]string{p.Record.Question, p.Record.Gold, p.Answer}})
	}
	return out, nil
}

const sureThreshold = .58 // nearly nine in ten wrong or uncertain answers of writers unseen are held; from .60 on eval/explain loses its bound

// Recorded verdicts are milder than the writers of the batches (a part of a list is often right there), and there are
// many: they weigh little. Plants, shapes and examples of the tests' shapes weigh what it takes to hold their figures
// (docs/quality.md).
const recordedWeight, plantWeight, shapeWeight, knownWeight = .12, 1.2, 1.1, 4

// sureSample is of how many recorded answers one is taken.
const sureSample = 3

func sureDefaults() options {
	o := defaults()
	o.trees, o.depth, o.rate, o.minLeaf, o.lambda, o.logistic = 800, 4, .1, 2, 3, false
	o.cols = 15
	return o
}

func fitSure(rows []sureRow, keep func(*sureRow) bool) *judge.Model {
	var ex []example
	for i := range rows {
		if r := &rows[i]; r.f != nil && keep(r) {
			ex = append(ex, example{r.f, float64(b2i(r.right)), r.w})
		}
	}
	return fit(ex, judge.SureNames(), sureDefaults())
}

// lookSure prints what writers and conversations come to that the weights have not seen.
func lookSure(shared string, batches []string, n int) error {
	rows, err := sureRows(shared, calibrate.Shapes(), answerFiles(batches))
	if err != nil {
		return err
	}
	writers := map[string]bool{}
	for i := range rows {
		if rows[i].writer != "" {
			writers[rows[i].writer] = true
		}
	}
	side := func(s string) int { return int(draw32("sure", s) % 3) }
	scores := make([]float64, len(rows))
	var wg sync.WaitGroup
	sem := make(chan bool, 2)
	run := func(keep, held func(*sureRow) bool) {
		wg.Add(1)
		sem <- true
		go func() {
			defer wg.Done()
			score := fitSure(rows, keep).Scorer()
			for i := range rows {
				if r := &rows[i]; held(r) && r.f != nil {
					scores[i] = score(r.f)
				}
			}
			<-sem
		}()
	}
	const parts = 5
	part := map[string]int{} // of the writers, so many at a time are left out
	for i, w := range slices.Sorted(maps.Keys(writers)) {
		part[w] = i % parts
	}
	for k := range parts {
		run(func(r *sureRow) bool { return r.writer == "" || part[r.writer] != k }, func(r *sureRow) bool { return r.writer != "" && part[r.writer] == k })
	}
	{
		const k = 0 // one third of the recorded and planted
		run(func(r *sureRow) bool { return r.writer != "" || side(r.base) != k }, func(r *sureRow) bool { return r.writer == "" && side(r.base) == k })
	}
	wg.Wait()
	for _, t := range []float64{.5, .52, .54, .56, .58, .6, .65, .7} {
		fmt.Printf("t %.2f\n", t)
		m := marked{}
		for i := range rows {
			r := &rows[i]
			held := scores[i] < t
			if r.writer == "" && side(r.base) != 0 {
				continue
			}
			if r.writer != "" {
				m.add("all "+r.group, held)
				m.add("writer "+r.writer+" "+strings.ReplaceAll(r.group, "uncertain", "wrong"), held)
			} else {
				m.add(r.group, held)
			}
		}
		names := slices.Sorted(maps.Keys(m))
		for _, k := range names {
			fmt.Printf("   %-28s %5d %.3f\n", k, m[k][1], m.share(k))
		}
	}
	if n > 0 {
		idx := make([]int, 0, len(rows))
		for i := range rows {
			if rows[i].writer != "" && rows[i].f != nil {
				idx = append(idx, i)
			}
		}
		sort.Slice(idx, func(a, b int) bool { return scores[idx[a]] < scores[idx[b]] })
		for _, i := range idx {
			if r := &rows[i]; r.right && scores[i] < .5 || !r.right && scores[i] >= .5 {
				fmt.Printf("%.2f %s %s %s\n", scores[i], r.writer, r.group, r.line())
			}
		}
	}
	return nil
}

// trainSure trains the weights of the last stage on all rows.
func trainSure(shared string, m *judge.Model) error {
	rows, err := sureRows(shared, calibrate.Shapes(), answerFiles(nil))
	if err != nil {
		return err
	}
	m.Sure = fitSure(rows, func(*sureRow) bool { return true })
	m.Sure.Made = "answers by language models that had not seen the judge (tools/judgetrain/testdata/answers), recorded answers outside the two test conversations, and the shapes of eval/calibrate/data/shapes.txt"
	m.Thresholds.Sure = sureThreshold
	return nil
}
