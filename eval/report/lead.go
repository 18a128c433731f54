package report

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"slices"
	"strings"

	"membench/eval/figure"
	"membench/internal/stats"
	"membench/schema"
)

// A Lead summarises the main scores of a data set: which memory leads, by how much, and whether the difference is significant. Bounds (oracle, full context, no
// memory) are excluded.
type Lead struct {
	First      string   `json:"first"`                // highest mean, with unscored answers as wrong
	Second     string   `json:"second,omitzero"`      // the next one; "" if there is none
	Questions  int      `json:"questions"`            // scored for both
	Cases      int      `json:"cases"`                // with such questions
	Difference *float64 `json:"difference,omitempty"` // mean of First − Second over these questions
	Lo         *float64 `json:"lo,omitempty"`         // its interval: Student's t over cases, of one case over its questions
	Hi         *float64 `json:"hi,omitempty"`
	Shown      bool     `json:"shown"`           // the interval is above 0
	Close      []string `json:"close,omitempty"` // memories from which First is not separated
	// Differ are the fields in which the memories' runs differ, by the check of eval/compare. Runs are the memories in the order of its values. Apart are those that
	// are not comparable with the others; if no two are comparable, it is empty and none leads.
	Differ []figure.Difference `json:"fingerprint_differs,omitempty"`
	Runs   []string            `json:"runs,omitempty"`
	Apart  []string            `json:"apart,omitempty"`
}

// Ahead reports whether First is shown to be above every other, comparable, memory.
func (l *Lead) Ahead() bool {
	return l != nil && l.Second != "" && l.Shown && len(l.Close) == 0 && !l.none()
}

// none reports that no two memories are comparable.
func (l *Lead) none() bool { return len(l.Differ) > 0 && len(l.Apart) == 0 }

// scores are one system's main scores by question: repeats are averaged. They are kept in
// the order in which they came, so that sums do not depend on the order of a map.
type scores struct {
	at   map[uint64]int // hash of case and question → index
	list []score
}

type score struct {
	key, unit uint64 // hashes: the question, its case
	sum       float64
	n         int
}

func hash(s string) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, s)
	return h.Sum64()
}

func (s *scores) add(q *schema.QARecord, x float64) {
	unit, key := hash(q.CaseID), hash(q.CaseID+"\x00"+q.QuestionID+"\x00"+q.Checkpoint)
	i, ok := s.at[key]
	if !ok {
		if s.at == nil {
			s.at = map[uint64]int{}
		}
		i = len(s.list)
		s.at[key] = i
		s.list = append(s.list, score{key: key, unit: unit})
	}
	s.list[i].sum += x
	s.list[i].n++
}

// over are the differences of two systems at the questions scored for both, by case.
func (s *scores) over(o *scores) *stats.Differences[uint64] {
	d := &stats.Differences[uint64]{}
	for _, x := range s.list {
		if j, ok := o.at[x.key]; ok {
			y := o.list[j]
			d.Add(x.unit, x.sum/float64(x.n)-y.sum/float64(y.n))
		}
	}
	return d
}

// lead compares the highest memory of a data set with every other; nil where nothing was
// scored. by gives a system's scores.
func (d *Dataset) lead(by func(system string) *scores) *Lead {
	var list []*System // in the order of their means already
	for i := range d.Systems {
		if sc := d.Main(&d.Systems[i]); !d.Systems[i].bound() && sc != nil && sc.Overall.Value != nil {
			list = append(list, &d.Systems[i])
		}
	}
	if len(list) == 0 {
		return nil
	}
	l := &Lead{}
	if l.Differ = d.differ(list); len(l.Differ) > 0 {
		for _, s := range list {
			l.Runs = append(l.Runs, s.Name())
		}
		if group, rest := d.comparable(list); len(group) > 1 {
			list = group
			for _, s := range rest {
				l.Apart = append(l.Apart, s.Name())
			}
		}
	}
	l.First, l.Questions, l.Cases = list[0].Name(), d.Main(list[0]).Overall.N, d.Main(list[0]).Overall.Clusters
	for k, s := range list[1:] {
		diffs := by(l.First).over(by(s.Name()))
		r, _ := diffs.Test(d.confidence())
		in := r.Interval(d.confidence())
		shown := !math.IsNaN(in.Lo) && in.Lo > 0
		if k == 0 {
			l.Second, l.Questions, l.Cases, l.Shown = s.Name(), r.N, diffs.Conversations(), shown
			if r.N > 0 {
				l.Difference = &r.Mean
			}
			if !math.IsNaN(in.Lo) {
				lo, hi := max(-1, in.Lo), min(1, in.Hi)
				l.Lo, l.Hi = &lo, &hi
			}
		}
		if !shown {
			l.Close = append(l.Close, s.Name())
		}
	}
	return l
}

// differ are the fields in which runs differ.
func (d *Dataset) differ(list []*System) []figure.Difference {
	prints := make([]map[string]string, len(list))
	for i, s := range list {
		prints[i] = s.Summary.Fingerprint
	}
	return figure.Differences(prints, figure.Protocol(d.Protocol))
}

// comparable returns the largest group of comparable runs, of several the one with the highest score, and the others.
func (d *Dataset) comparable(list []*System) (group, rest []*System) {
	for i, first := range list {
		of, others := []*System{first}, slices.Clone(list[:i])
		for _, s := range list[i+1:] {
			if len(d.differ(append(slices.Clone(of), s))) == 0 {
				of = append(of, s)
			} else {
				others = append(others, s)
			}
		}
		if i == 0 || len(of) > len(group) {
			group, rest = of, others
		}
	}
	return group, rest
}

// headline describes which memory leads, by how much, and how certain that is.
func (d *Dataset) headline() words {
	l := d.Lead
	if l == nil {
		return w("No memory system was graded on this data set.", "该数据集上没有评过分的记忆系统。")
	}
	first := d.score(l.First)
	if l.Second == "" {
		return words{fmt.Sprintf("%s scores %s. There is no other memory system to compare it with.", l.First, first.en), fmt.Sprintf("%s 得分 %s。没有其他记忆系统可比较。", l.First, first.zh)}
	}
	if l.none() {
		t := words{strings.Join(l.Runs, ", ") + " are not comparable, so none is said to be ahead.", strings.Join(l.Runs, "、") + " 不可比较，因此不说明哪个领先。"}
		return t.and(l.differing())
	}
	t := d.standing(l, first)
	if len(l.Apart) > 0 {
		t = t.and(others(l.Apart, "Not comparable with these, and left out: %s.", "与上述不可比较、未计入：%s。")).and(l.differing())
	}
	return t
}

// differing are the fields in which runs differ, with their values.
func (l *Lead) differing() (t words) {
	for _, x := range l.Differ {
		of := make([]string, len(l.Runs))
		for i, v := range x.Values {
			of[i] = l.Runs[i] + " " + cmp.Or(v, none)
		}
		t = t.and(wordsf("%s differs: %s.", "%s 不同：%s。", x.Field, strings.Join(of, " | ")))
	}
	return t
}

// standing describes the first two of the comparable memories.
func (d *Dataset) standing(l *Lead, first words) words {
	basis := words{fmt.Sprintf("%s in %s", plural(l.Questions, "question"), plural(l.Cases, "case")), fmt.Sprintf("%s 个案例的 %s 个问题", grouped(l.Cases), grouped(l.Questions))}
	if l.Cases == 1 {
		basis = words{basis.en + ", which says nothing about other cases", basis.zh + "，不说明其他案例"}
	}
	by := words{"an unknown number of points", "未知分数"}
	if l.Difference != nil {
		by = words{fmt.Sprintf("%.1f points", 100**l.Difference), fmt.Sprintf("%.1f 分", 100**l.Difference)}
	}
	behind := l.Difference != nil && *l.Difference < 0 // on what both were scored on: more answers of the second were not scored
	span := w("no interval", "无区间")
	if l.Lo != nil {
		lo, hi := *l.Lo, *l.Hi
		if behind {
			lo, hi = -hi, -lo
		}
		span = words{fmt.Sprintf("%s %+.1f to %+.1f", d.level("%s interval"), 100*lo, 100*hi), fmt.Sprintf("%s %+.1f 至 %+.1f", d.level("%s 区间"), 100*lo, 100*hi)}
	}
	if behind {
		second := d.score(l.Second)
		t := words{fmt.Sprintf("No memory system is shown to be ahead. %s scores %s, %s %s; over the questions scored for both %s is ahead by %.1f points (%s; %s).", l.First, first.en, l.Second, second.en, l.Second, -100**l.Difference, span.en, basis.en),
			fmt.Sprintf("没有哪个记忆系统被证明领先。%s 得分 %s，%s 得分 %s；在两者都评过分的问题上，%s 高出 %.1f 分（%s；%s）。", l.First, first.zh, l.Second, second.zh, l.Second, -100**l.Difference, span.zh, basis.zh)}
		return t.and(others(l.Close[1:], "Also not separated from it: %s.", "同样无法与它区分：%s。"))
	}
	if l.Difference != nil && *l.Difference == 0 && first.en == d.score(l.Second).en {
		t := words{fmt.Sprintf("No memory system is shown to be ahead. %s and %s have the same score, %s (%s; %s).", l.First, l.Second, first.en, span.en, basis.en),
			fmt.Sprintf("没有哪个记忆系统被证明领先。%s 与 %s 得分相同，均为 %s（%s；%s）。", l.First, l.Second, first.zh, span.zh, basis.zh)}
		return t.and(others(l.Close[1:], "Also not separated from them: %s.", "同样无法与它们区分：%s。"))
	}
	if !l.Shown {
		t := words{fmt.Sprintf("No memory system is shown to be ahead. %s has the highest score, %s, but its lead of %s over %s may be chance (%s; %s).", l.First, first.en, by.en, l.Second, span.en, basis.en),
			fmt.Sprintf("没有哪个记忆系统被证明领先。%s 得分最高（%s），但它比 %s 高出的 %s可能出于偶然（%s；%s）。", l.First, first.zh, l.Second, by.zh, span.zh, basis.zh)}
		return t.and(others(l.Close[1:], "Also not separated from it: %s.", "同样无法与它区分：%s。"))
	}
	t := words{fmt.Sprintf("%s is ahead of %s by %s (%s; %s): it scores %s.", l.First, l.Second, by.en, span.en, basis.en, first.en),
		fmt.Sprintf("%s 比 %s 领先 %s（%s；%s），得分 %s。", l.First, l.Second, by.zh, span.zh, basis.zh, first.zh)}
	return t.and(others(l.Close, "It is not separated from: %s.", "但它无法与以下系统区分：%s。"))
}

func others(names []string, en, zh string) words {
	if len(names) == 0 {
		return words{}
	}
	return words{fmt.Sprintf(en, strings.Join(names, ", ")), fmt.Sprintf(zh, strings.Join(names, "、"))}
}

func (t words) and(u words) words {
	if u.en == "" {
		return t
	}
	if t.en == "" {
		return u
	}
	return words{t.en + " " + u.en, t.zh + u.zh}
}

// score is a system's main mean in percent.
func (d *Dataset) score(name string) words {
	for i := range d.Systems {
		if s := &d.Systems[i]; s.Name() == name {
			f := &d.Main(s).Overall
			t := w(withSign(percent(f.Value)), withSign(percent(f.Value)))
			if f.Unscored > 0 {
				t.en += fmt.Sprintf(" of the %s scored answers (%s are not scored; with those as wrong %s)", grouped(f.N), grouped(f.Unscored), withSign(percent(f.Strict)))
				t.zh += fmt.Sprintf("（只计评过分的 %s 个回答；%s 个未评分，若按错误计为 %s）", grouped(f.N), grouped(f.Unscored), withSign(percent(f.Strict)))
			}
			return t
		}
	}
	return w(none, none)
}

// setting describes the conditions of the figures: data, grader, model, k and date.
func (r *Report) setting(d *Dataset) words {
	t := words{"Data: " + d.heading().en + ". Grader: " + d.grader(), "数据：" + d.heading().zh + "。评分：" + d.grader()}
	add := func(en, zh string, list []string) {
		if len(list) > 0 {
			t.en += ". " + en + ": " + strings.Join(list, ", ")
			t.zh += "。" + zh + "：" + strings.Join(list, "、")
		}
	}
	add("Answers by", "回答", d.Answerers)
	add("k", "k", d.K)
	var dates []string
	for _, run := range r.Runs {
		if day, _, _ := strings.Cut(run.Now, "T"); day != "" && !slices.Contains(dates, day) {
			dates = append(dates, day)
		}
	}
	slices.Sort(dates)
	add("Date", "日期", dates)
	return words{t.en + ".", t.zh + "。"}
}
