// Package calibrate measures a judge on answers with known verdicts, and corrects an accuracy for the judge's errors.
//
// Plants makes such answers from the golds: right ones in other words (Paraphrase),
// wrong ones that name something else of the same kind (Specific), wrong ones that
// name nothing (Vague). They are made by rule and from the input alone, the same for
// the same input; they are plainer than what people and models write, so that the
// rates are a floor of a judge's errors, not the whole of them.
package calibrate

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"membench/internal/textnorm"
	"membench/internal/timex"
	"membench/schema"
)

// Kind of a planted answer.
type Kind string

const (
	Paraphrase Kind = "paraphrase" // right: the gold in another form
	Specific   Kind = "specific"   // wrong: another date, number or thing
	Vague      Kind = "vague"      // wrong: names nothing
	Restated   Kind = "restated"   // wrong: a specific one behind the question, repeated
)

// Kinds lists them in the order of reports.
func Kinds() []Kind { return []Kind{Paraphrase, Specific, Vague, Restated} }

// Right reports whether a judge should accept an answer of this kind.
func (k Kind) Right() bool { return k == Paraphrase }

// A Plant is one answer of known truth to the question of a record.
type Plant struct {
	Kind   Kind
	Answer string
}

// Pool holds golds by their form; specific wrong answers are drawn from it. It keeps
// every distinct gold, about its length and 50 bytes more each.
type Pool struct {
	by   map[string][]string
	seen map[string]bool
}

// Add puts the golds of a record into the pool.
func (p *Pool) Add(r schema.QARecord) {
	if p.by == nil {
		p.by, p.seen = map[string][]string{}, map[string]bool{}
	}
	for _, g := range r.AllGolds() {
		if g = strings.TrimSpace(g); g != "" && !p.seen[g] {
			p.seen[g] = true
			f := form(g)
			p.by[f] = append(p.by[f], g)
		}
	}
}

// form returns the form of a gold: only answers of the same form replace each other.
func form(g string) string {
	es := timex.Find(textnorm.Compat(g), 0)
	lang := textnorm.Lang(g)
	n := len(strings.Fields(g))
	switch {
	case len(es) == 1 && es[0].Kind == timex.Absolute && es[0].Grain == timex.Days && es[0].Op == timex.Plain && !es[0].Yearless && covers(es[0], g):
		return "day"
	case len(es) > 0:
		return "time " + lang
	case number(g) != "":
		return "number"
	case strings.ContainsAny(g, ",;、，；"):
		return "list " + lang
	case n <= 3:
		return "short " + lang
	case n <= 8:
		return "phrase " + lang
	}
	return "long " + lang
}

// covers reports whether the expression is all of the text but marks.
func covers(e timex.Expr, g string) bool {
	g = textnorm.Compat(g)
	return strings.Trim(g[:e.Pos]+g[e.End:], " .,。，") == ""
}

// number returns the first run of digits of a text that is only a number and a word.
func number(g string) string {
	if len(strings.Fields(g)) > 2 || len(g) > 16 {
		return ""
	}
	i := strings.IndexFunc(g, func(r rune) bool { return r >= '0' && r <= '9' })
	if i < 0 {
		return ""
	}
	j := i
	for j < len(g) && g[j] >= '0' && g[j] <= '9' {
		j++
	}
	return g[i:j]
}

// Plants makes the answers of known truth to one record's question: one of each kind
// that can be made. Questions without a gold, and those that cannot be answered, get none.
func (p *Pool) Plants(r schema.QARecord) []Plant {
	golds := r.AllGolds()
	gold := strings.TrimSpace(golds[0])
	if gold == "" || r.Abstain {
		return nil
	}
	h := seed(r)
	zh := textnorm.Lang(r.Question+gold) == "zh"
	out := []Plant{{Paraphrase, paraphrase(gold, h, zh)}}
	if wrong := p.wrong(r, golds, h); wrong != "" {
		restated := fmt.Sprintf("To the question \"%s\": %s", r.Question, wrong)
		if zh {
			restated = "关于“" + r.Question + "”：" + wrong
		}
		out = append(out, Plant{Specific, wrong}, Plant{Restated, restated})
	}
	return append(out, Plant{Vague, vague(gold, h, zh)})
}

// seed depends on the question only, so that a choice never moves with the order of
// the input.
func seed(r schema.QARecord) uint32 {
	h := fnv.New32a()
	fmt.Fprint(h, r.Dataset, "\x00", r.CaseID, "\x00", r.QuestionID, "\x00", r.Question)
	return h.Sum32()
}

func pick(list []string, h uint32) string { return list[int(h%uint32(len(list)))] }

// paraphrase rephrases the gold: a date in another notation, a list in another order, otherwise in a sentence.
func paraphrase(gold string, h uint32, zh bool) string {
	switch f := form(gold); {
	case f == "day":
		y, m, d := timex.Find(textnorm.Compat(gold), 0)[0].Lo.Civil()
		name := strings.Fields("January February March April May June July August September October November December")[m-1]
		return pick([]string{
			fmt.Sprintf("%04d-%02d-%02d", y, m, d), fmt.Sprintf("It was on %s %d, %d.", name, d, y),
			fmt.Sprintf("%d %s %d", d, name, y), fmt.Sprintf("%d年%d月%d日", y, m, d),
		}, h)
	case strings.HasPrefix(f, "list"):
		items := strings.FieldsFunc(gold, func(r rune) bool { return strings.ContainsRune(",;、，；", r) })
		for i := range items {
			items[i] = strings.TrimPrefix(strings.Trim(items[i], " ."), "and ")
		}
		last := len(items) - 1
		if last > 0 {
			items = append([]string{items[last]}, items[:last]...)
		}
		if zh {
			return strings.Join(items, "、")
		}
		return strings.Join(items, ", ")
	}
	trimmed := strings.TrimRight(gold, ".。 ")
	if zh {
		return pick([]string{"答案是" + trimmed + "。", trimmed + "，之前提到过。", "应该就是" + trimmed}, h)
	}
	return pick([]string{"The answer is " + trimmed + ".", trimmed + ", from what was said.", capital(trimmed) + "."}, h)
}

func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// wrong is an answer of the gold's form that is not the gold.
func (p *Pool) wrong(r schema.QARecord, golds []string, h uint32) string {
	if r.Wrong != "" {
		return r.Wrong
	}
	gold := strings.TrimSpace(golds[0])
	f := form(gold)
	switch f {
	case "day":
		d := timex.Find(textnorm.Compat(gold), 0)[0].Lo
		shift := timex.Day(9 + h%50)
		if h&64 != 0 {
			shift = -shift
		}
		y, m, day := (d + shift).Civil()
		return fmt.Sprintf("%d %s %d", day, strings.Fields("January February March April May June July August September October November December")[m-1], y)
	case "number":
		n := number(gold)
		v := 0
		fmt.Sscan(n, &v)
		w := v + 1 + int(h%4)
		if h&8 != 0 && v > 2 {
			w = v - 1
		}
		return strings.Replace(gold, n, fmt.Sprint(w), 1)
	}
	list := p.by[f]
	for i := range list {
		g := list[(int(h%uint32(len(list)))+i)%len(list)]
		if !shares(g, r.Question) && !anyShares(g, golds) {
			return g
		}
	}
	return ""
}

// shaped makes the answers of the shapes: one of each of the question's language that its
// gold and the golds of other questions can fill.
func (p *Pool) shaped(r schema.QARecord, shapes []Shape) []Plant {
	golds := r.AllGolds()
	gold := strings.TrimSpace(golds[0])
	if len(shapes) == 0 || gold == "" || r.Abstain {
		return nil
	}
	lang := "en"
	if textnorm.Lang(r.Question+gold) == "zh" {
		lang = "zh"
	}
	h := seed(r)
	var others []string
	if w := p.wrong(r, golds, h); w != "" {
		others = append(others, w)
		list := p.by[form(gold)]
		for i := 0; i < len(list) && len(others) < 20; i++ {
			g := list[(int(h%uint32(len(list)))+i)%len(list)]
			if g != w && !shares(g, r.Question) && !anyShares(g, golds) {
				others = append(others, g)
			}
		}
	}
	var out []Plant
	for _, s := range shapes {
		if s.Lang != lang || len(others) < 4 && (strings.Contains(s.Template, "{many}") || strings.Contains(s.Template, "{others}")) {
			continue
		}
		if a := s.Fill(r.Question, gold, others, nil); a != "" {
			out = append(out, Plant{Kind(s.Name), a})
		}
	}
	return out
}

func anyShares(g string, golds []string) bool {
	return slices.ContainsFunc(golds, func(x string) bool { return shares(g, x) })
}

// shares reports whether two texts have a word of four letters, a number or a pair of
// Chinese characters in common: then one may be right where the other is.
func shares(a, b string) bool {
	words := map[string]bool{}
	for _, w := range units(a) {
		words[w] = true
	}
	return slices.ContainsFunc(units(b), func(w string) bool { return words[w] })
}

func units(s string) (out []string) {
	for _, w := range strings.FieldsFunc(strings.ToLower(textnorm.Compat(s)), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		rs := []rune(w)
		switch {
		case textnorm.IsHan(rs[0]):
			for i := 0; i+1 < len(rs); i++ {
				out = append(out, string(rs[i:i+2]))
			}
		case len(rs) >= 4 || unicode.IsDigit(rs[0]):
			out = append(out, w)
		}
	}
	return out
}

// vague is an answer that names nothing.
func vague(gold string, h uint32, zh bool) string {
	f := form(gold)
	time := f == "day" || strings.HasPrefix(f, "time")
	switch {
	case time && zh:
		return pick([]string{"前一阵子", "某个时候", "不久之前的某一天"}, h)
	case time:
		return pick([]string{"Some time ago", "At some point back then", "A while back, around that season"}, h)
	case f == "number" && zh:
		return pick([]string{"有好几个", "不少", "若干"}, h)
	case f == "number":
		return pick([]string{"Several", "Quite a few of them", "A certain number"}, h)
	case zh:
		return pick([]string{"和那件事有关的东西", "一些相关的事情", "某种大家都知道的东西"}, h)
	}
	return pick([]string{"Something related to that", "Various things of that kind", "Someone or something that was meaningful at the time", "A few different ones"}, h)
}
