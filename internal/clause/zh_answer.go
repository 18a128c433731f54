package clause

import (
	"slices"
	"strings"
	"unicode/utf8"

	"membench/internal/hanseg"
	"membench/internal/pattern"
	"membench/internal/sentence"
	"membench/internal/textnorm"
	"membench/internal/timex"
)

// How a Chinese answer is read with the question before it: 华为, asked 你在哪儿上班, is 我在华为上班.

// A zhAsked is the question that a text may answer.
type zhAsked struct {
	text string // as the one who answers would say it: 我在哪儿上班
	fact Fact   // the zero Fact where it has no verb that is known
	who  Mention
	wh   []int // where the question word is in text; nil: it asks whether
}

// Asks reports whether a Chinese text ends with a question.
func Asks(text string) bool {
	if strings.IndexFunc(text, textnorm.IsHan) < 0 || len(text) > longSentence {
		return false
	}
	r := zhReader{}
	r.asks(text)
	return r.asked != nil
}

// asks notes the last question of what the other one said before.
func (r *zhReader) asks(before string) {
	all := sentence.Split(before)
	if len(all) == 0 {
		return
	}
	st := all[len(all)-1]
	if n := len(all); !st.Question && n > 1 && all[n-2].Question { // 去趟长沙？高铁一个多小时
		st = all[n-2]
	}
	clauses := zhClauses(st.Text)
	if len(clauses) == 0 {
		return
	}
	last := clauses[len(clauses)-1]
	text := strings.TrimRight(st.Text[last[0]:last[1]], " ？?。！!~～…")
	c := &zhClause{text: text}
	if c.ws, c.asks = zhChoice(zhCut(text)); !st.Question && !zhAsks(c) {
		return
	}
	q := &zhAsked{text: zhTurn.Replace(zhAskEnd.ReplaceAllString(zhAskDone.ReplaceAllString(text, "了"), ""))}
	q.wh = zhAskWord.FindStringIndex(q.text)
	other := zhReader{o: Options{Names: r.o.Names, Year: r.o.Year}, asking: true}
	said := other.sentence(sentence.Sentence{Text: q.text, End: len(q.text)})
	if n := len(said); n > 0 {
		q.fact = said[n-1]
		q.who = q.fact.Subject
	}
	if (q.who.Kind == Speaker && q.who.Text == "" || len(said) == 0) && !strings.ContainsAny(q.text, "我你他她它") { // 考哪儿, 严重吗, of whom the answerer spoke before
		if own := r.topicOf(r.o.Own); own.Kind != NoOne {
			q.who = own
		}
	}
	r.asked = q
}

var (
	zhTurn      = strings.NewReplacer("我们", "你们", "咱们", "咱们", "你们", "我们", "我", "你", "你", "我", "您", "我")
	zhAskDone   = pattern.New(`了?没有?[啊呀呢]?$`) // 换没: whether it is done
	zhAskEnd    = pattern.New(`(?:[吗呢呀啊嘛]|不)+$`)
	zhTimesOver = pattern.New(`^[一两几\d]+[次遍回趟]$`) // 浇一次: no thing
	zhAskWord   = pattern.New(`(?:什么|啥|几)(?:时候|点|号)|哪(?:儿|里|边|个(?:城市|地方|学校|公司)|天|年|家)?|谁|(?:什么|啥)(?:工作|专业|职业|牌子|品种|名字?)?|几(?:岁|个)|多大年纪|多[大少久高]`)
)

// answer reads a clause that is no sentence without the question before it.
func (r *zhReader) answer(c *zhClause, st sentence.Sentence) (Fact, bool) {
	q := r.asked
	said := strings.Trim(zhAnswerEnd.ReplaceAllString(strings.TrimSpace(c.text), ""), " ，,")
	switch {
	case q == nil || said == "":
		return Fact{}, false
	case q.wh == nil && textnorm.YesNo(said) != 0:
		f := q.fact
		if f.Slot == "" || f.Negated || f.Modality != Asserted && f.Modality != Plan || f.Object.Text+f.Place.Text == "" {
			return Fact{}, false
		}
		f.Negated = textnorm.YesNo(said) < 0
		f.note("reply")
		return f.at(st), true
	case q.wh == nil || utf8.RuneCountInString(said) > 12 || !c.named() && !c.timed():
		return Fact{}, false
	}
	full := q.text[:q.wh[0]] + said + q.text[q.wh[1]:]
	if !strings.ContainsAny(full[:min(len(full), len("我们"))], "我") && q.who.Kind == Speaker {
		full = "我" + full
	}
	again := zhReader{o: Options{Names: r.o.Names, Year: r.o.Year}}
	facts := again.sentence(sentence.Sentence{Text: full, End: len(full)})
	if len(facts) != 1 {
		return Fact{}, false
	}
	facts[0].note("reply")
	return facts[0].at(st), true
}

var zhAnswerEnd = pattern.New(`[吧啊呀呢哦哈嘛呗啦的。！!～~…\s]+$`)

// timed reports whether the clause is nothing but a time.
func (c *zhClause) timed() bool {
	return len(c.ws) > 0 && !slices.ContainsFunc(c.ws, func(w hanseg.Word) bool {
		return !slices.ContainsFunc(c.times, func(e timex.Expr) bool { return w.Start >= e.Pos && w.End <= e.End }) && !strings.ContainsAny(w.Form, "吧呢啊呗的，") && !(zhAdverbs[w.Form] && zhDayAhead.MatchString(w.Form))
	})
}

// named reports whether the clause is nothing but a noun, a name or a number.
func (c *zhClause) named() bool {
	return len(c.ws) > 0 && len(c.ws) < 6 && !c.timed() && !slices.ContainsFunc(c.ws, func(w hanseg.Word) bool {
		return isHanWord(w.Form) && !strings.ContainsRune("nSRmqsbz\x00", rune(w.Class)) && !(c.at(1) == "的" && w.Start > c.ws[1].Start && (w.Class == 'a' || w.Class == 'v')) && !strings.Contains("的吧呢啊呗", w.Form) || zhVerbs[w.Form] != "" || zhOpeners[w.Form]
	})
}

// at puts a fact that was read in other words at a sentence.
func (f Fact) at(st sentence.Sentence) Fact {
	here := func(p *Phrase) { p.Start, p.End = st.Start, st.Start }
	for _, p := range []*Phrase{&f.Subject.Phrase, &f.Object, &f.Place, &f.When, &f.Value} {
		here(p)
	}
	for i := range f.With {
		here(&f.With[i].Phrase)
	}
	f.Start, f.End = st.Start, st.End
	return f
}

// completed gives a verb without an object that of the question: 没换, asked 宿舍换没.
func (c *zhClause) completed(q *zhAsked) {
	f := &c.f
	if q == nil || q.wh != nil || f.Object.Text+f.Place.Text+c.ba.Text != "" || q.fact.Verb == "" || c.by != "" {
		return
	}
	if v := zhBase(f.Verb); v != zhBase(q.fact.Verb) && !strings.HasPrefix(q.fact.Verb, v) && v != q.fact.Verb+"过" || zhTimesOver.MatchString(q.fact.Object.Text) {
		return
	}
	here := func(p Phrase) Phrase { return Phrase{Text: p.Text, Start: c.start, End: c.start} }
	if f.Verb != q.fact.Verb && zhVerbs[q.fact.Verb] != "" {
		f.Verb = q.fact.Verb
	}
	c.dropped = c.dropped && f.Subject.Kind != Speaker
	f.Object, f.Place = here(q.fact.Object), here(q.fact.Place)
	if len(c.times) == 0 && f.When.Text == "" && q.fact.When.Text != "" {
		f.When, f.Time = here(q.fact.When), q.fact.Time
	}
	if q.fact.Modality == Plan && f.Negated && f.Tense != Past {
		f.Modality = Plan
	}
}
