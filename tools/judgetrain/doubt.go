package main

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"sort"
	"strings"

	"membench/eval/calibrate"
	"membench/eval/judge"
)

// doubtRow is an accepted answer of known truth, as the weights for doubt see it.
type doubtRow struct {
	f        []float64
	sentence bool
	right    bool
	refused  bool // the judge says no
	real     bool // recorded; else planted
	long     bool // of another set than LoCoMo
	family   string
	shape    string
	base     string // question or conversation, so that a base is never on both sides
	answer   string
	w        float64
}

// familyOf groups shapes that are variants of one: what stands before the comma.
func familyOf(shape string) string {
	name, _, _ := strings.Cut(shape, ",")
	return name
}

// doubtRows are the recorded right answers outside the test conversations, and every
// shape on recorded and on invented questions.
func doubtRows(shared string, shapes []calibrate.Shape) (out []doubtRow, plants, passed int, err error) {
	rows, err := load(shared, devConvs)
	if err != nil {
		return nil, 0, 0, err
	}
	more, err := labelled(shared)
	if err != nil {
		return nil, 0, 0, err
	}
	add := func(r doubtRow, q judge.Question, golds []string) bool {
		r.f, r.sentence = judge.Manner(q, golds, r.answer)
		if r.f != nil {
			out = append(out, r)
		}
		return r.f != nil
	}
	var real []row
	for _, r := range rows {
		if r.Real && r.Right {
			real = append(real, r)
			add(doubtRow{right: true, real: true, base: r.Conv, answer: r.Answer, w: 2}, r.question(), r.golds())
		}
	}
	for _, r := range more {
		if r.Real && r.Right {
			add(doubtRow{right: true, real: true, long: true, base: r.Conv, answer: r.Answer, w: 2}, r.question(), r.golds())
		}
	}
	for i, r := range real {
		for k := range 2 {
			s := shapes[int(draw32(r.Question, r.Set, k)%uint32(len(shapes)))]
			other := otherGold(real, i, k)
			if s.Lang != "en" || other == "" || len(r.Answer) > 300 || strings.Contains(s.Template, "{many}") || strings.Contains(s.Template, "{others}") {
				continue
			}
			a := s.Fill(r.Question, r.Gold, []string{other, otherGold(real, i, k+7), otherGold(real, i, k+11)}, func(x string) string {
				if x == r.Gold {
					return r.Answer
				}
				return replaceFold(r.Answer, r.Gold, x)
			})
			if strings.Contains(s.Template, "{wrong}") && replaceFold(r.Answer, r.Gold, other) == r.Answer {
				continue
			}
			plants++
			if add(doubtRow{right: s.Right, family: familyOf(s.Name), shape: s.Name, base: r.Conv, answer: a, w: plantedWeight(s.Right)}, r.question(), r.golds()) {
				passed++
			}
		}
	}
	built, err := calibrate.BuiltIn(shapes, []string{"en", "zh", "ops en", "ops zh"}, 20)
	if err != nil {
		return nil, 0, 0, err
	}
	for _, p := range built {
		plants++
		if add(doubtRow{right: p.Shape.Right, family: familyOf(p.Shape.Name), shape: p.Shape.Lang + " " + p.Shape.Name, base: p.Set + p.Record.Question, answer: p.Answer, w: .5 * plantedWeight(p.Shape.Right)}, judge.Question{Text: p.Record.Question}, []string{p.Record.Gold}) {
			passed++
		}
	}
	return out, plants, passed, nil
}

// plantedWeight makes up for there being fewer right shapes than wrong ones, and fewer
// planted right answers than recorded ones.
func plantedWeight(right bool) float64 {
	if right {
		return 2
	}
	return 1
}

func draw32(parts ...any) uint32 {
	h := fnv.New32a()
	fmt.Fprint(h, parts...)
	x := h.Sum32()
	x ^= x >> 15
	x *= 2246822519
	return x ^ x>>13
}

// otherGold is the gold of another question that asks with the same word.
func otherGold(rows []row, i, k int) string {
	head, _, _ := strings.Cut(rows[i].Question, " ")
	for step := range 400 {
		o := rows[(i+int(draw32(rows[i].Question, k)%997)+step*13)%len(rows)]
		if h, _, _ := strings.Cut(o.Question, " "); h == head && o.Gold != rows[i].Gold && !strings.Contains(strings.ToLower(rows[i].Answer), strings.ToLower(o.Gold)) && !strings.Contains(strings.ToLower(rows[i].Gold), strings.ToLower(o.Gold)) {
			return o.Gold
		}
	}
	return ""
}

func replaceFold(s, old, new string) string {
	if i := strings.Index(strings.ToLower(s), strings.ToLower(old)); i >= 0 {
		return s[:i] + new + s[i+len(old):]
	}
	return s
}

func doubtDefaults() options {
	o := defaults()
	o.trees, o.depth, o.rate, o.minLeaf, o.lambda, o.logistic = 180, 5, .1, 1, 2, false
	return o
}

// fitDoubt trains on the rows that keep takes: the recorded right ones weigh as much as
// the planted ones together.
func fitDoubt(rows []doubtRow, keep func(*doubtRow) bool) *judge.Model {
	var ex []example
	sum := [2]float64{}
	for i := range rows {
		if r := &rows[i]; keep(r) {
			sum[int(b2i(r.right))] += r.w
		}
	}
	for i := range rows {
		if r := &rows[i]; keep(r) {
			y := 1 - float64(b2i(r.right))
			ex = append(ex, example{r.f, y, r.w * (sum[0] + sum[1]) / 2 / sum[b2i(r.right)]})
		}
	}
	return fit(ex, judge.MannerNames(), doubtDefaults())
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// doubtScores scores every row by weights that saw neither its family of shapes nor its
// question's conversation.
func doubtScores(rows []doubtRow) []float64 {
	const k = 4
	side := func(s string) int { return int(draw32("fold", s) % k) }
	out := make([]float64, len(rows))
	for f := range k {
		m := fitDoubt(rows, func(r *doubtRow) bool {
			return side(r.base) != f && (r.real || side(r.family) != f)
		})
		for i := range rows {
			r := &rows[i]
			if r.real && side(r.base) == f || !r.real && side(r.family) == f {
				out[i] = m.Score(r.f)
			}
		}
	}
	return out
}

// doubtMissed is the share of the planted wrong answers that say the gold, of shapes and
// conversations that the weights have not seen, which may stay unmarked. Recorded right answers
// are then marked in 5 %, and batches by other hands are missed far less (docs/quality.md).
const doubtMissed = .08

// doubtThreshold is the score below which that share lies.
func doubtThreshold(rows []doubtRow, scores []float64) float64 {
	var wrong []float64
	for i, r := range rows {
		if !r.right {
			wrong = append(wrong, scores[i])
		}
	}
	sort.Float64s(wrong)
	return digits(wrong[int(doubtMissed*float64(len(wrong)))])
}

// trainDoubt prints what families of shapes and conversations that the weights have not seen
// come to, the n shapes of which least is marked among it, and writes weights of all rows
// into the model at out where one is named.
func trainDoubt(shared string, shapes []calibrate.Shape, out string, n int) error {
	rows, plants, passed, err := doubtRows(shared, shapes)
	if err != nil {
		return err
	}
	fmt.Printf("%d planted answers, %d say the gold; %d rows with the recorded right ones\n", plants, passed, len(rows))
	scores := doubtScores(rows)
	t := doubtThreshold(rows, scores)
	fmt.Printf("threshold %.3f\n", t)
	if n < 0 {
		for j, name := range judge.MannerNames() {
			var c [3][2]int // recorded right, planted right, planted wrong
			for _, r := range rows {
				if r.sentence {
					k := 0
					if !r.real {
						k = 2 - b2i(r.right)
					}
					c[k][1]++
					c[k][0] += b2i(r.f[j] > 0)
				}
			}
			fmt.Printf("%-26s recorded %.3f planted right %.3f wrong %.3f\n", name, share(c[0]), share(c[1]), share(c[2]))
		}
		n = 0
	}
	kinds, byShape := marked{}, marked{}
	for i, r := range rows {
		form := " terse"
		if r.sentence {
			form = " sentence"
		}
		kind := "planted"
		if r.real {
			kind = "recorded"
			if r.long {
				kind = "recorded elsewhere"
			}
		} else {
			byShape.add(r.shape, scores[i] >= t)
		}
		kinds.add(kind+map[bool]string{true: " right", false: " wrong"}[r.right]+form, scores[i] >= t)
	}
	kinds.print(len(kinds), func(a, b string) bool { return a < b })
	byShape.print(n, func(a, b string) bool {
		return byShape.share(a) < byShape.share(b) || byShape.share(a) == byShape.share(b) && a < b
	})
	if out == "" {
		return nil
	}
	var m judge.Model
	if err := readJSON(out, &m); err != nil {
		return err
	}
	m.Doubt = fitDoubt(rows, func(*doubtRow) bool { return true })
	m.Doubt.Made = "recorded right answers outside the two test conversations, and the shapes of eval/calibrate/data/shapes.txt on these and on invented questions"
	m.Thresholds.Doubt = t
	return writeModel(out, &m)
}

// marked counts how many of each name are marked.
type marked map[string][2]int

func (m marked) add(name string, is bool) {
	c := m[name]
	m[name] = [2]int{c[0] + b2i(is), c[1] + 1}
}

func (m marked) share(name string) float64 { return share(m[name]) }

func (m marked) print(n int, less func(a, b string) bool) {
	names := make([]string, 0, len(m))
	for k := range m {
		names = append(names, k)
	}
	sort.Slice(names, func(i, j int) bool { return less(names[i], names[j]) })
	for _, k := range names[:min(n, len(names))] {
		fmt.Printf("  %-40s n %5d marked %.3f\n", k, m[k][1], m.share(k))
	}
}

func share(c [2]int) float64 { return float64(c[0]) / float64(max(1, c[1])) }

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
