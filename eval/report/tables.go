package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"membench/eval/figure"
	"membench/internal/stats"
	"membench/schema"
)

// A table is shared by Markdown and HTML.
type table struct {
	Title words
	Head  []column
	Rows  [][]cell
	Notes []words
}

type column struct {
	words
	Text bool // not a number: aligned to the left
}

type cell struct {
	words
	Strong bool   // above every other memory of its column, as far as intervals show
	Find   string // "": no link; otherwise the filter of the page's list of answers
}

func num(s string) cell { return cell{words: data(s)} }

func numbers(heads ...words) (out []column) {
	for _, h := range heads {
		out = append(out, column{words: h})
	}
	return out
}

func systemColumn() column { return column{w("System", "系统"), true} }

// seedCategories are the columns of seed 000's table, there whether or not a data set
// has such questions.
var seedCategories = []string{schema.CatIE, schema.CatMR, schema.CatTR, schema.CatKU, schema.CatABS}

// categories are the columns of a data set's main table.
func (d *Dataset) categories() []string {
	var more []string
	for i := range d.Systems {
		if sc := d.Main(&d.Systems[i]); sc != nil {
			for _, c := range sc.Categories {
				if c.Figure.N+c.Figure.Unscored > 0 && !slices.Contains(seedCategories, c.Category) {
					more = append(more, c.Category)
				}
			}
		}
	}
	slices.SortFunc(more, byCategory)
	return slices.Concat(seedCategories, slices.Compact(more))
}

// byCategory orders categories as schema.Categories does, unknown ones last.
func byCategory(a, b string) int {
	place := func(c string) uint { return uint(slices.Index(schema.Categories(), c)) } // of an unknown one the greatest
	return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b))
}

func category(sc *schema.Score, name string) *schema.Figure {
	if sc == nil {
		return nil
	}
	return figureOf(sc.Categories, name)
}

// figureOf is the figure of a category, nil if there is none.
func figureOf(list []schema.CategoryFigure, name string) *schema.Figure {
	if i := slices.IndexFunc(list, func(c schema.CategoryFigure) bool { return c.Category == name }); i >= 0 {
		return &list[i].Figure
	}
	return nil
}

// label is category for the data set's own labels.
func label(sc *schema.Score, name string) *schema.Figure {
	if sc == nil {
		return nil
	}
	return figureOf(sc.RawCategories, name)
}

func withSign(s string) string {
	if s == none {
		return s
	}
	return s + "%"
}

// grader names the grader of a table's scores.
func (d *Dataset) grader() string { return grader{d.Protocol, d.By}.String() }

// heading is seed 000's: "LoCoMo (10 conversations, ~1986 questions)".
func (d *Dataset) heading() words {
	if d.Cases > 0 {
		return words{fmt.Sprintf("%s (%s, %s)", d.Name, plural(d.Cases, "case"), plural(d.Questions, "question")), fmt.Sprintf("%s（%s 个案例，%s 个问题）", d.Name, grouped(d.Cases), grouped(d.Questions))}
	}
	return words{fmt.Sprintf("%s (%s)", d.Name, plural(d.Questions, "question")), fmt.Sprintf("%s（%s 个问题）", d.Name, grouped(d.Questions))}
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return grouped(n) + " " + noun + "s"
}

// overview is the table of seed 000 §9.
func (d *Dataset) overview() table {
	t := table{Head: append([]column{systemColumn()}, numbers(w("Overall", "总体"))...)}
	cats := d.categories()
	for _, c := range cats {
		t.Head = append(t.Head, column{words: data(c)})
	}
	t.Head = append(t.Head, column{words: w("Tokens", "词元")})
	estimated, silent, failed := false, false, false
	for i := range d.Systems {
		s := &d.Systems[i]
		sc := d.Main(s)
		row := []cell{{words: data(s.Name())}}
		values := []*float64{Shown(overall(sc))}
		failed = failed || sc != nil && sc.Overall.Unscored > 0
		for _, c := range cats {
			values = append(values, Shown(category(sc, c)))
		}
		for _, v := range values {
			if text := withSign(percent(v)); v == nil || (grader{d.Protocol, d.By}).says(s) {
				row = append(row, num(text))
			} else {
				row, silent = append(row, num(notApplicable)), true
			}
		}
		tokens := none
		if s.Tokens.Total > 0 {
			tokens = short(float64(s.Tokens.Total))
			if s.Tokens.Estimated && s.Tokens.Total > 0 && !recorded(s.Summary.Usage) {
				tokens, estimated = "~"+tokens, true
			}
		}
		t.Rows = append(t.Rows, append(row, num(tokens)))
	}
	d.markBest(&t, len(cats)+1, func(s *System, c int) *schema.Figure {
		if c == 0 {
			return overall(d.Main(s))
		}
		return category(d.Main(s), cats[c-1])
	})
	t.Notes = append(t.Notes, wordsf("%s; the tables below give intervals and what was excluded. Tokens: everything that models read and wrote, judges excluded.",
		"%s；区间与未计入的部分见下面各表。词元：除评判外模型读写的全部词元。", d.grader()))
	if estimated {
		t.Notes = append(t.Notes, w("~ no model was asked: the length of the contexts shown, as tokens, by estimate.", "~ 没有调用模型：按所示上下文的长度估算的词元。"))
	}
	if failed {
		t.Notes = append(t.Notes, w("Answers that were not scored (asking or judging failed) count as wrong, as in the order of the systems; the means without them are below.", "未评分的回答（提问或评判失败）按错误计，系统的排序也如此；不计它们的均值见下表。"))
	}
	if silent {
		t.Notes = append(t.Notes, silence)
	}
	if doubts := d.doubts(); len(doubts) > 0 {
		list := strings.Join(doubts, ", ")
		t.Notes = append(t.Notes, wordsf("Doubtful answers count by the more likely verdict; in brackets the mean with all of them wrong and with all of them right: %s.", "存疑的回答按其倾向计；括号内为全部算错和全部算对时的均值：%s。", list))
	}
	if apart := d.Apart(); len(apart) > 0 {
		t.Notes = append(t.Notes, wordsf("Label %s is reported separately and is not in Overall.", "标签 %s 单列，不计入总体。", strings.Join(apart, ", ")))
	}
	return t
}

// Shown is the mean that tables lead with and systems are ordered by: unscored answers count as wrong. nil if nothing was asked.
func Shown(f *schema.Figure) *float64 {
	if f == nil {
		return nil
	}
	return cmp.Or(f.Strict, f.Value)
}

// ShownInterval is Wilson's interval of Shown at the level conf, over all questions that were asked; NaN if nothing was scored.
func ShownInterval(f *schema.Figure, conf float64) (lo, hi float64) {
	v := Shown(f)
	if v == nil || f.N == 0 {
		return math.NaN(), math.NaN()
	}
	in := stats.WilsonOf(*v, float64(f.N+f.Unscored), conf)
	return in.Lo, in.Hi
}

func recorded(usage []schema.StepUsage) bool {
	return slices.ContainsFunc(usage, func(u schema.StepUsage) bool { return u.Step != "judge" && u.InputTokens+u.OutputTokens > 0 })
}

// doubts are the doubtful answers of each system.
func (d *Dataset) doubts() (out []string) {
	for i := range d.Systems {
		if sc := d.Main(&d.Systems[i]); sc != nil && sc.Overall.Doubtful > 0 {
			out = append(out, d.Systems[i].Name()+" "+figure.Doubt(sc.Overall))
		}
	}
	return out
}

// Apart lists the labels that are reported separately and are in no total.
func (d *Dataset) Apart() []string {
	for i := range d.Systems {
		if sc := d.Main(&d.Systems[i]); sc != nil && len(sc.Apart) > 0 {
			return sc.Apart
		}
	}
	return nil
}

// markBest emphasises the highest figure of a column if it is significant: its interval lies above those of all other memories (bounds are excluded); in the
// column of main means, the paired comparison decides (see Lead). of returns the figure of a system in a column, nil if there is none.
func (d *Dataset) markBest(t *table, columns int, of func(s *System, column int) *schema.Figure) {
	if d.Lead != nil && d.Lead.none() { // none is better than what it cannot be compared with
		return
	}
	for c := range columns {
		best, others := -1, 0
		low, high := 0.0, math.Inf(-1)
		for i := range d.Systems {
			f := of(&d.Systems[i], c)
			if s := &d.Systems[i]; s.bound() || d.Lead != nil && slices.Contains(d.Lead.Apart, s.Name()) || f == nil || f.Value == nil {
				continue
			}
			lo, hi := reach(f)
			if best >= 0 {
				others++
			}
			if best < 0 || *Shown(f) > *Shown(of(&d.Systems[best], c)) {
				if best >= 0 {
					high = max(high, second(reach(of(&d.Systems[best], c))))
				}
				best, low = i, lo
			} else {
				high = max(high, hi)
			}
		}
		if best < 0 || others == 0 {
			continue
		}
		strong := low > high
		if sc := d.Main(&d.Systems[best]); sc != nil && of(&d.Systems[best], c) == &sc.Overall {
			strong = d.Lead.Ahead()
		}
		t.Rows[best][c+1].Strong = strong
	}
}

func second(_, hi float64) float64 { return hi }

// reach returns the interval of a figure: over cases if there are several, otherwise over questions; with unscored answers around the mean that counts them.
func reach(f *schema.Figure) (lo, hi float64) {
	lower := *f.Value - *Shown(f)
	switch {
	case f.ClusterLo != nil && f.ClusterHi != nil:
		return *f.ClusterLo - lower, *f.ClusterHi - lower
	case f.Lo != nil && f.Hi != nil:
		return *f.Lo - lower, *f.Hi - lower
	}
	return math.Inf(-1), math.Inf(1)
}

// figures returns the main protocol with n, intervals and exclusions.
func (d *Dataset) figures() table {
	t := table{Title: wordsf("Figures by %s, in percent", "%s 的各项数字（百分数）", d.grader()),
		Head: append([]column{systemColumn()}, numbers(w("mean", "均值"), words{d.level("%s interval"), d.level("%s 区间")}, w("by case", "按案例"), data("n"), w("unscored", "未评分"), w("strict", "严格"), w("macro", "宏平均"), w("corrected golds", "修正答案后"), w("std over repeats", "重复间标准差"), w("doubtful", "存疑"))...)}
	doubtful, corrected, repeated, lists := false, false, false, []string{}
	for i := range d.Systems {
		s := &d.Systems[i]
		sc := d.Main(s)
		if sc == nil {
			t.Rows = append(t.Rows, []cell{{words: data(s.Name())}, num(none), num(none), num(none), num("0"), num(none), num(none), num(none), num(none), num(none), num(none)})
			continue
		}
		f := sc.Overall
		fixed := none
		if c := sc.Corrected; c != nil {
			corrected = true
			fixed = fmt.Sprintf("%s (%d / %d)", percent(c.Overall.Value), c.Questions, c.LeftOut)
			for _, l := range c.Overlays {
				if !slices.Contains(lists, l) {
					lists = append(lists, l)
				}
			}
		}
		doubt := cmp.Or(figure.Doubt(f), none)
		doubtful = doubtful || doubt != none
		std := none
		if r := sc.Repeats; r != nil {
			repeated = true
			std = fmt.Sprintf("%s (%d)", percent(r.StdSample), r.N)
		}
		t.Rows = append(t.Rows, []cell{{words: data(s.Name())}, num(percent(f.Value)), num(interval(f.Lo, f.Hi)), num(interval(f.ClusterLo, f.ClusterHi)),
			{words: data(grouped(f.N)), Find: d.find(s, nil)}, {words: data(grouped(f.Unscored)), Find: d.find(s, map[string]string{"verdict": Unscored})}, num(percent(f.Strict)), num(percent(sc.Macro)), num(fixed), num(std), num(doubt)})
	}
	t.Notes = append(t.Notes, w("Interval: Wilson's, over questions; by case: Student's t over cases. Unscored: asking or judging failed; strict counts them as 0. Macro: mean of the set's own labels.",
		"区间：对问题的 Wilson 区间；按案例：以案例为单位的 t 区间。未评分：提问或评判失败；“严格”把它们计为 0。宏平均：数据集各标签均值的平均。"))
	if doubtful {
		t.Notes = append(t.Notes, w("Doubtful: answers that the judge cannot grade with certainty; the mean uses the more likely verdict. In brackets: the mean with all of them wrong and with all of them right.",
			"存疑：评判无法确定含义的回答，均值按其倾向计；括号内为全部算错和全部算对时的均值。"))
	} else {
		t.dropColumn(10)
	}
	if repeated {
		t.Notes = append(t.Notes, w("Std over repeats: of the repeats' means, n − 1 below the bar; in brackets how many.", "重复间标准差：各次重复均值的样本标准差（n − 1）；括号内为重复次数。"))
	} else {
		t.dropColumn(9)
	}
	if corrected {
		t.Notes = append(t.Notes, wordsf("Corrected golds (%s): in brackets the answers graded again / skipped because no right answer can be determined.", "修正答案（%s）：括号内为重新评分数 / 因无法确定正确答案而不计的数目。", strings.Join(lists, ", ")))
	} else {
		t.dropColumn(8)
	}
	d.markBest(&t, 1, func(s *System, _ int) *schema.Figure { return overall(d.Main(s)) })
	return t
}

func overall(sc *schema.Score) *schema.Figure {
	if sc == nil {
		return nil
	}
	return &sc.Overall
}

func (d *Dataset) level(format string) string {
	return fmt.Sprintf(format, fmt.Sprintf("%g %%", 100*d.confidence()))
}

func (d *Dataset) confidence() float64 {
	if len(d.Systems) > 0 && d.Systems[0].Summary.Confidence > 0 {
		return d.Systems[0].Summary.Confidence
	}
	return 0.95
}

func (t *table) dropColumn(i int) {
	t.Head = slices.Delete(t.Head, i, i+1)
	for j := range t.Rows {
		t.Rows[j] = slices.Delete(t.Rows[j], i, i+1)
	}
}

// protocols has the means of everything that graded.
func (d *Dataset) protocols() (table, bool) {
	list := graders(d.Systems)
	if len(list) < 2 {
		return table{}, false
	}
	t := table{Title: w("By every grader: mean in percent (n)", "各评分方式：均值百分数（n）"), Head: []column{systemColumn()}}
	for _, g := range list {
		t.Head = append(t.Head, column{words: data(g.String())})
	}
	silent := false
	for i := range d.Systems {
		s := &d.Systems[i]
		row := []cell{{words: data(s.Name())}}
		for _, g := range list {
			sc := scoreOf(&s.Summary, g.id, g.by)
			if sc != nil && !g.says(s) {
				row, silent = append(row, num(notApplicable)), true
				continue
			}
			if sc == nil || sc.Overall.Value == nil {
				row = append(row, num(none))
				continue
			}
			text := fmt.Sprintf("%s (%s)", percent(sc.Overall.Value), grouped(sc.Overall.N))
			row = append(row, num(text))
		}
		t.Rows = append(t.Rows, row)
	}
	d.markBest(&t, len(list), func(s *System, c int) *schema.Figure {
		if !list[c].says(s) {
			return nil
		}
		return overall(scoreOf(&s.Summary, list[c].id, list[c].by))
	})
	if silent {
		t.Notes = append(t.Notes, silence)
	}
	return t, true
}

// labels has the set's own labels, where they say more than our categories do.
func (d *Dataset) labels() (table, bool) {
	type own struct {
		name string
		of   []string
	}
	var list []own
	crossed := false
	for i := range d.Systems {
		sc := d.Main(&d.Systems[i])
		if sc == nil {
			continue
		}
		for _, c := range sc.RawCategories {
			crossed = crossed || len(c.Of) != 1 || c.Of[0] != c.Category
			if !slices.ContainsFunc(list, func(l own) bool { return l.name == c.Category }) {
				list = append(list, own{c.Category, c.Of})
			}
		}
	}
	if !crossed || len(list) < 2 {
		return table{}, false
	}
	slices.SortFunc(list, func(a, b own) int { return strings.Compare(a.name, b.name) })
	t := table{Title: w("By the data set's own labels: mean in percent, interval, n", "按数据集自有标签：均值百分数、区间、n"), Head: []column{systemColumn()}}
	for _, l := range list {
		name := cmp.Or(l.name, "–")
		if of := strings.Join(l.of, " "); of != l.name && of != "" {
			name += " · " + of
		}
		t.Head = append(t.Head, column{words: data(name)})
	}
	for i := range d.Systems {
		s := &d.Systems[i]
		sc := d.Main(s)
		row := []cell{{words: data(s.Name())}}
		for _, l := range list {
			text := none
			if f := label(sc, l.name); f != nil && f.N > 0 {
				text = fmt.Sprintf("%s [%s] %s", percent(f.Value), interval(f.Lo, f.Hi), grouped(f.N))
			}
			row = append(row, num(text))
		}
		t.Rows = append(t.Rows, row)
	}
	d.markBest(&t, len(list), func(s *System, c int) *schema.Figure { return label(d.Main(s), list[c].name) })
	return t, true
}

// outcomes returns how asking and grading went, so that nothing is excluded silently.
func (d *Dataset) outcomes() table {
	t := table{Title: w("Outcomes of asking and grading", "提问与评分的经过"), Head: append([]column{systemColumn()}, numbers(w("questions", "问题"), w("repeats", "重复"))...)}
	asked := []string{schema.OutcomeAnswered, schema.OutcomeEmpty, schema.OutcomeError, schema.OutcomeTimeout, schema.OutcomeRefused}
	gradings := []string{schema.GradeScored, schema.GradeJudgeFailed, schema.GradeNotAnswered, schema.GradeNA}
	if slices.ContainsFunc(d.Systems, func(s System) bool { sc := d.Main(&s); return sc != nil && sc.Outcomes[schema.GradeMissing] > 0 }) {
		gradings = append(gradings, schema.GradeMissing)
	}
	for _, o := range append(slices.Clone(asked), gradings...) {
		t.Head = append(t.Head, column{words: named(outcomeWords, o)})
	}
	t.Head = append(t.Head, column{words: w("coverage", "覆盖")})
	for i := range d.Systems {
		s := &d.Systems[i]
		row := []cell{{words: data(s.Name())}, num(grouped(s.Summary.Questions)), num(grouped(s.Summary.Repeats))}
		for _, o := range asked {
			row = append(row, num(grouped(s.Summary.Outcomes[o])))
		}
		sc := d.Main(s)
		for _, o := range gradings {
			n := none
			if sc != nil {
				n = grouped(sc.Outcomes[o])
			}
			row = append(row, num(n))
		}
		t.Rows = append(t.Rows, append(row, num(withSign(percent(s.Summary.Coverage)))))
	}
	t.Notes = append(t.Notes, wordsf("Asking, counted over all records; then grading by %s.", "先是提问的结果（全部记录），后是 %s 的评分结果。", d.grader()))
	return t
}

// costs are tokens, money and time.
func (d *Dataset) costs() table {
	t := table{Title: w("Tokens, cost and time", "词元、费用与时间"), Head: append([]column{systemColumn()}, numbers(w("shown / question", "每题所示"), w("calls", "调用"), w("tokens in", "输入词元"), w("tokens out", "输出词元"), w("cost", "费用"), w("cost / 1,000 questions", "每千题费用"), w("judging", "评判费用"),
		w("retrieval p50", "检索 p50"), w("retrieval p95", "检索 p95"), w("answer p50", "回答 p50"), w("answer p95", "回答 p95"), w("answer length p50", "回答长度 p50"))...)}
	currency, asOf, priced, replayed := "", "", false, 0
	for i := range d.Systems {
		s := &d.Systems[i]
		var calls, in, out int
		for _, u := range s.Summary.Usage {
			replayed += u.Cached
			if u.Step == "judge" {
				continue
			}
			calls, in, out = calls+u.Calls, in+u.InputTokens, out+u.OutputTokens
		}
		cost, each, judging := none, none, none
		if c := s.Summary.Cost; c != nil {
			currency, asOf, priced = c.Currency, c.AsOf, true
			own := ownCost(c)
			cost = amount(own, c)
			if n := answers(s); n > 0 {
				each = amount(1000*own/float64(n), c)
			}
			if own != c.Total {
				judging = amount(c.Total-own, c)
			}
		}
		shown := none
		if s.Tokens.Questions > 0 {
			shown = short(s.Tokens.Shown)
			if s.Tokens.Estimated {
				shown = "~" + shown
			}
		}
		p := func(x *schema.Spread, f func(*schema.Spread) *float64) string {
			if x == nil {
				return none
			}
			return millis(f(x))
		}
		p50, p95 := func(x *schema.Spread) *float64 { return x.P50 }, func(x *schema.Spread) *float64 { return x.P95 }
		length := none
		if c := s.Summary.AnswerChars; c != nil && c.P50 != nil {
			length = fmt.Sprintf("%.0f", *c.P50)
		}
		t.Rows = append(t.Rows, []cell{{words: data(s.Name())}, num(shown), num(grouped(calls)), num(short(float64(in))), num(short(float64(out))), num(cost), num(each), num(judging),
			num(p(s.Summary.RetrieveMS, p50)), num(p(s.Summary.RetrieveMS, p95)), num(p(s.Summary.AnswerMS, p50)), num(p(s.Summary.AnswerMS, p95)), num(length)})
	}
	t.Notes = append(t.Notes, w("Shown: tokens given to the reader for one question (~ estimated from the length of the context). Calls and tokens: every step but judging. Length of answers in code points: long answers flatter a judge.",
		"每题所示：一个问题交给阅读器的词元（~ 按上下文长度估算）。调用与词元：除评判外的各步。回答长度按码位计：长回答会讨好评判。"))
	if priced {
		t.Notes = append(t.Notes, wordsf("Cost in %s by prices as of %s, of all tokens, those that a cassette answered included (%d calls); ≥ where a model has no price.", "费用以 %s 计，价格表日期 %s，按全部词元计算，含由录音应答的 %d 次调用；≥ 表示有模型没有价格。", currency, asOf, replayed))
	}
	return t
}

// ownCost leaves judging out.
func ownCost(c *schema.Cost) float64 {
	sum := 0.0
	for _, s := range c.Steps {
		if s.Step != "judge" {
			sum += s.Cost
		}
	}
	return sum
}

func answers(s *System) int {
	n := 0
	for _, k := range s.Summary.Outcomes {
		n += k
	}
	return n
}

// tables lists the tables below the overview, in order.
func (d *Dataset) tables() []table {
	out := []table{d.figures()}
	for _, f := range []func() (table, bool){d.protocols, d.labels} {
		if t, ok := f(); ok {
			out = append(out, t)
		}
	}
	out = append(out, d.outcomes(), d.costs())
	out = append(out, d.losses()...)
	if t, ok := d.sessions(); ok {
		out = append(out, t)
	}
	return out
}

// Warnings returns the warnings of the summaries, one line for systems that share one.
func (d *Dataset) Warnings() (out []schema.Sentence) {
	by := map[string][]string{}
	var order []string
	for i := range d.Systems {
		s := &d.Systems[i]
		for _, x := range s.Summary.Warnings {
			if by[x] == nil {
				order = append(order, x)
			}
			by[x] = append(by[x], s.Name())
		}
	}
	for _, x := range order {
		if len(by[x]) < len(d.Systems) || len(by[x]) == 1 {
			out = append(out, schema.Say("%s: %s", strings.Join(by[x], ", "), schema.Said(x)))
		} else {
			out = append(out, schema.Say("%s", schema.Said(x)))
		}
	}
	return out
}

// find is the address of a list of answers in the page.
func (d *Dataset) find(s *System, more map[string]string) string {
	f := []string{"dataset", d.Name, "system", s.Name()}
	for _, k := range []string{"category", "verdict", "hop", "cause"} {
		if v := more[k]; v != "" {
			f = append(f, k, v)
		}
	}
	return address(f...)
}
