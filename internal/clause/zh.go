package clause

import (
	"slices"
	"strings"
	"unicode/utf8"

	"membench/internal/hanseg"
	"membench/internal/pattern"
	"membench/internal/sentence"
	"membench/internal/timex"
)

// How Chinese is read. There is no treebank large enough to train a parser, so a
// sentence is cut at its commas into clauses, a clause into words, and the words are
// consumed in the order that Chinese gives them: opening, time, subject, adverbs and
// negation, prepositional phrases, verb, object. A clause without a subject has that
// of the clause before it, or the speaker's where nothing else is spoken of.

// A zhReader reads the clauses of one text in order.
type zhReader struct {
	o       Options
	subject Mention  // of the clause before in the sentence; Kind NoOne: none, or something that is no person
	thing   bool     // something that is no person
	last    Mention  // the relative or named person whom the text mentioned last
	topic   Phrase   // what the clause before names and says nothing of: 榴莲，我不喜欢
	bare    bool     // the clause before is the subject alone: 我表妹，在北京上学
	asking  bool     // a question is read, for what it asks
	asked   *zhAsked // the question that the text may answer; nil: none
}

// A zhClause is one clause while it is consumed.
type zhClause struct {
	text    string
	start   int // of the clause in the input
	ws      []hanseg.Word
	times   []timex.Expr
	i       int // next word
	f       Fact
	dropped bool   // no subject of its own
	alone   bool   // and none before it in the sentence
	unsure  bool   // and the clause before is on something else
	modal   string // 要, 会, 想, 能 …
	hearsay bool   // 听说
	maybe   bool   // 可能, 差点
	ba      Phrase // what 把 puts before the verb
	by      string // 被老板, 一个人: by whom or how, before the verb
	prep    string // 把, 给 …: what is before ba
	event   string // the words of what is done, in their order, where verb and object are not all of it
	does    bool   // 把 is before ba: somebody does it on purpose
	forWhom bool   // 给 is before ba, and it is a person
	from    Phrase // what is behind 从
	tail    string // what is behind a verb of zhLeaving
	passed  bool   // 过 is behind the verb
	marked  bool   // 了, 过 or 完 is
	topic   Phrase // what is before the subject and is the object of a verb that has none behind it
	if_     bool
	asking  bool   // of the reader
	elided  bool   // the subject is that of the question
	front   int    // where a thing of the person's begins
	asks    bool   // a verb and its denial: 去不去
	placed  int    // the word where the object begins
	after   bool   // something is done first that is not done yet
	reached string // 到 that ends the clause and is part of the verb
	planned bool   // the clause before is a plan, and this one may go on with it
	home    bool   // it says what is at the speaker's home
	going   bool   // 在 before the verb
	again   bool   // 再 before the verb
	own     bool   // it is a comment on a part or state of the person: 血压高
	never   bool   // what is denied is denied of any time: 不, not 没
}

func (r *zhReader) sentence(st sentence.Sentence) []Fact {
	var out []Fact
	cond, soon, first := false, false, true // first: nothing but words like 嗯 before
	r.subject, r.thing, r.bare = Mention{}, false, false
	for _, c := range zhClauses(st.Text) {
		text := once(st.Text[c[0]:c[1]])
		m := zhCalled.FindStringSubmatch(text)
		if m != nil && len(out) > 0 { // what follows is of whom is called so: 请了个学徒，叫小满，以前在食堂做饭
			r.subject, r.thing = Mention{}, true
			if k := out[len(out)-1].Slot; k != "HAS_PET" {
				r.subject, r.thing = Mention{Kind: Named, Phrase: Phrase{Text: m[1], Start: st.Start + c[0], End: st.Start + c[0]}}, false
			}
		}
		if m != nil && len(out) > 0 && (out[len(out)-1].Slot == "HAS_PET" || out[len(out)-1].Slot == "HAS_RELATIVE") {
			out[len(out)-1].Value.Text += "，叫" + m[1] // 我养了一只猫，叫豆豆
			continue
		}
		cl := &zhClause{asking: r.asking, text: text, start: st.Start + c[0], times: zhTimes(text, r.o.Year)}
		cl.ws, cl.asks = zhChoice(zhCut(text))
		cl.f = Fact{Start: st.Start, End: st.End, definite: true} // Chinese does not mark it
		r.bare = r.bare && !strings.HasSuffix(strings.TrimSpace(st.Text[:c[0]]), ":") && !strings.HasSuffix(strings.TrimSpace(st.Text[:c[0]]), "：")
		cl.topic, r.topic = r.topic, Phrase{}
		if n := len(out); n > 0 && (out[n-1].Modality == Plan || out[n-1].Slot == "PLANS" && out[n-1].Tense != Past) && !out[n-1].Negated && !soon && (out[n-1].When.Text != "" || zhDayAhead.MatchString(out[n-1].Object.Text)) {
			k := slices.IndexFunc(cl.ws, func(w hanseg.Word) bool { return w.Form == "请" })
			cl.planned = k < 0 || zhPronouns[cl.at(k+1)].Kind == Addressee || cl.class(k+1) == 'n' // 请你吃饭, not 收到请回复
		}
		f, ok := r.clause(cl, st.Question && c[1] == len(st.Text))
		if !ok && !st.Question && len(out) == 0 && first {
			if whole, answers := r.answer(cl, st); answers {
				f, ok, r.subject = whole, true, whole.Subject
			}
		}
		first = first && cl.i >= len(cl.ws)
		if n := len(out); !ok && n > 0 && cl.named() && (cl.at(1) == "的" || cl.class(0) == 'm') && out[n-1].completed(cl.objectPhrase(0)) { // 吃了，食堂的麻辣烫
			continue
		}
		if !ok && cl.nominal(0, len(cl.ws)) {
			r.topic = cl.objectPhrase(0)
		}
		if n := len(out); ok && n > 0 && out[n-1].Slot == "HAS_PET" && cl.dropped && zhOfPets[f.Verb] { // 养了一缸鱼，生了一堆
			continue
		}
		soon = cl.modal == "要" && cl.aspect("了")
		if cl.if_ || !ok && cl.maybe {
			cond = true
		} else if cond && ok && f.Modality == Asserted && (f.Tense != Past || strings.ContainsAny(text, "就早")) || cond && ok && f.Modality == Plan { // 要是…，我早就搬走了
			f.Modality = Condition
		}
		if r.o.Ended != nil {
			f.Over = f.ending(r.o.Ended, text)
		}
		if !ok && len(f.Over) > 0 {
			f.onlyEnds, ok = true, true
		}
		if !ok {
			// "我做产品经理，已经三年了": a length alone belongs to the clause before.
			if len(out) > 0 && len(cl.times) > 0 && out[len(out)-1].When.Text == "" && utf8.RuneCountInString(text) <= 10 {
				e := cl.times[0]
				out[len(out)-1].Time, out[len(out)-1].When = e, Phrase{Text: text[e.Pos:e.End], Start: cl.start + e.Pos, End: cl.start + e.End}
			}
			continue
		}
		out = append(out, f)
	}
	return out
}

// completed gives what was done to a thing, and to none that the clause names, what is named behind it, and reports whether it did.
func (f *Fact) completed(thing Phrase) bool {
	if f.Tense != Past || f.Negated || f.Modality != Asserted || f.Object.Text+f.Place.Text != "" || !zhActs[f.Verb] || f.Value.Text != f.Verb || thing.Text == "" {
		return false
	}
	f.Object, f.Value.Text = thing, f.Verb+thing.Text
	f.note("completed")
	return true
}

// once is a clause that is said twice without the second time: 不请了不请了.
func once(text string) string {
	if s := strings.TrimRight(text, " 。！!～~…"); len(s) >= len("退了退了") && s[:len(s)/2] == s[len(s)/2:] {
		return s[:len(s)/2]
	}
	return text
}

// zhOfPets are verbs whose subject is the pet that the clause before names.
var zhOfPets = set("死 生 走丢 跑 丢 病 怀 咬 叫")

func (c *zhClause) at(i int) string {
	if i < 0 || i >= len(c.ws) {
		return ""
	}
	return c.ws[i].Form
}

func (c *zhClause) class(i int) byte {
	if i < 0 || i >= len(c.ws) {
		return 0
	}
	return c.ws[i].Class
}

func (c *zhClause) span(from, to int) Phrase {
	if from >= to || from >= len(c.ws) {
		return Phrase{}
	}
	a, b := c.ws[from].Start, c.ws[min(to, len(c.ws))-1].End
	return Phrase{Text: c.text[a:b], Start: c.start + a, End: c.start + b}
}

// clause reads one clause.
func (r *zhReader) clause(c *zhClause, question bool) (Fact, bool) {
	f := &c.f
	question = question || zhAsks(c)
	defer r.mentioned(c)
	r.opening(c)
	if c.ownPet() {
		r.subject, r.thing = Mention{}, true
		c.hold(question)
		f.Tense, f.Begun = Present, false
		return *f, f.Modality == Asserted && !f.Negated
	}
	of := r.subject
	found := r.subjectOf(c) || c.topicalised(r)
	before := c.i
	r.adverbs(c)
	if !found && c.i > before { // "昨天我…": the subject is behind the time
		found = r.subjectOf(c)
		r.adverbs(c)
	}
	switch {
	case c.home && !found:
		f.Subject = Mention{Kind: Speaker, Phrase: Phrase{Start: c.start, End: c.start}}
		r.subject = f.Subject
	case found:
		r.thing = false
		if r.subject = f.Subject; c.at(c.i+1) != "的" && c.patient() { // 我驾照考下来了; but 我妈包的粽子寄到了
			r.adverbs(c)
		}
	case c.at(c.i+1) == "了" && c.whenClause() > 0:
		c.omitted(r)
	case c.cleft(r):
	case c.patient():
		c.omitted(r)
		r.adverbs(c)
	case zhOwnState[c.at(c.i)] && c.commented(c.i+1):
		c.omitted(r)
	case c.possessed(r):
		r.subject, r.thing = Mention{}, true
		said := f.Object
		c.time()
		c.hold(question)
		f.Object, f.Value = said, said
		if r.o.Ended != nil {
			d := *c
			d.f.Over = nil
			if d.i = c.front; d.thing(r.o.Ended) {
				d.time()
				d.hold(question)
				if over := d.f.ending(r.o.Ended, c.text); len(over) > 0 {
					return d.f, false
				}
			}
		}
		return *f, c.worth()
	case len(c.times) > 0 && c.counted(c.i) && !slices.ContainsFunc(c.ws, func(w hanseg.Word) bool { return zhVerbs[w.Form] != "" || zhResults[w.Form] }): // 都三年了
		return *f, false
	case c.otherSubject():
		r.subject, r.thing = Mention{}, r.asked == nil || r.asked.who.Kind == NoOne || !c.named() // who answers goes on of who was asked about
		if r.o.Ended != nil && c.thing(r.o.Ended) {
			c.time()
			c.hold(question)
		}
		return *f, false
	default:
		c.omitted(r)
	}
	if f.Subject.Kind == NoOne {
		return *f, false
	}
	if c.dropped {
		f.Subject.Start, f.Subject.End = c.start, c.start
	}
	r.bare = c.i >= len(c.ws) && (found || r.bare)
	if c.calls() { // 妈，…: who is spoken to
		r.subject, r.bare = Mention{}, false
		return *f, false
	}
	if !c.verb() {
		return *f, false
	}
	c.time()
	c.hold(question)
	if told := zhTold.FindStringSubmatch(f.Object.Text); f.Subject.Relation == "doctor" && zhSays[f.Verb] && told != nil && zhIll.MatchString(told[1]) { // 大夫说是半月板磨损
		if f.Subject = of; of.Kind == NoOne {
			f.Subject = Mention{Kind: Speaker}
		}
		r.subject, f.Subject.Start, f.Subject.End = f.Subject, c.start, c.start
		f.Verb, f.Object.Text = "有", told[1]
	}
	c.completed(r.asked)
	return *f, c.slot()
}

// calls reports whether the clause is nothing but a word for a relative, without whose it is.
func (c *zhClause) calls() bool {
	return c.i >= len(c.ws) && c.f.Subject.Text != "" && zhRelations[c.f.Subject.Text] != "" && !strings.HasPrefix(c.f.Subject.Text, "我") && len(c.f.With) == 0
}

// zhTold is what a doctor says that one has.
var zhTold = pattern.New(`^(?:我|他|她)?(?:说|讲)?(?:这?就?是|有|得了)(\p{Han}{2,8})$`)

// opening skips conjunctions and interjections; a condition is noted.
func (r *zhReader) opening(c *zhClause) {
	for c.i < len(c.ws) {
		switch w := c.at(c.i); {
		case zhIfs[w]:
			c.if_ = true
		case w == "这" && c.at(c.i+1) == "是" && zhPronouns[c.at(c.i+2)].Kind != NoOne: // 这是我第一次…
			c.i++
		case zhWithMe[w] && c.i+1 < len(c.ws) && slices.ContainsFunc(c.ws[c.i+1:min(len(c.ws), c.i+3)], func(w hanseg.Word) bool { return w.Form == "有" || w.Form == "养" }): // 家里养着一只画眉
			c.home = true
		case (w == "主要" || w == "关键" || w == "问题" || w == "重点") && c.at(c.i+1) == "是":
			c.i++
		case w == "就是" && zhPronouns[c.at(c.i+1)].Kind == NoOne: // 就是那首歌我还没学会
		case w == "听说" || w == "据说" || w == "据":
			c.hearsay = true
		case zhPreps[w] && c.i+2 < len(c.ws): // 对海鲜过敏, 和朋友吃饭
			return
		case w == "《" || w == "“":
			return
		case zhOpeners[w] || !isHanWord(w) && !isName(w):
		default:
			return
		}
		c.i++
	}
}

// zhWithMe are places of what the speaker has.
var zhWithMe = set("家里 家中 屋里 手里 手上 手头 名下")

func isHanWord(w string) bool {
	r, _ := utf8.DecodeRuneInString(w)
	return r >= 0x3400 && r < 0xa000
}

// adverbs skips adverbs, words of time and negations in front of the verb, and notes them.
func (r *zhReader) adverbs(c *zhClause) {
	for c.i < len(c.ws) {
		w := c.at(c.i)
		switch {
		case zhIfs[w]:
			c.if_ = true
		case c.i > 0 && slices.Contains(zhEndings, w) && w != "的" && w != "了": // 小时候啊…
		case c.inTime(c.i) && (c.class(c.i) != 'v' || w == "点"), w == "这" && c.inTime(c.i+1):
		case w == "一个人" || w == "独自":
			c.by = w
		case w == "没有" && !c.verbAt(c.i+1), w == "没" && !c.verbAt(c.i+1) && c.class(c.i+1) != 'd':
			return // the verb itself: 我没有钱
		case w == "不" && c.at(c.i-1) == "还" && c.at(c.i+1) == "是": // 我还不是背着房贷: so it is
			c.i++
		case w == "哪" && c.verbAt(c.i+1): // 我哪买得起: it is not so
			c.f.Negated = true
		case zhFalseNegation[w]:
			return
		case c.verbAt(c.i) && (c.at(c.i+1) == "都" || c.at(c.i+1) == "也") && zhNegations[c.at(c.i+2)] && strings.HasPrefix(c.at(c.i+3), w): // 碰都不碰
			c.f.Negated, c.never = true, zhNever[c.at(c.i+2)]
			c.i += 2
		case zhNegations[w]:
			c.f.Negated, c.never = true, zhNever[w]
			if strings.ContainsAny(w, "会能想要敢肯愿") && utf8.RuneCountInString(w) == 2 {
				c.modal = string([]rune(w)[1:])
			}
			if w == "别" || w == "不要" {
				c.modal = "别"
			}
		case zhModals[w] && c.verbAfter(c.i+1):
			c.modal = w
		case zhPerhaps[w]:
			c.maybe = true
		case w == "再":
			c.again = true
		case w == "连" && c.verbAt(c.i+1): // 连上了九天班
		case w == "头" && c.inTime(c.i+1), w == "人" && c.at(c.i+1) == "在": // 头一个月, 我人在外地
		case zhStages[w] && c.verbAt(c.i+1): // 我高中学过画
		case c.class(c.i) == 'c' && c.i > 0 && !strings.Contains(w, "不") && !zhBelieves[w] && !zhPreps[w] && c.verbAt(c.i+1): // 我接着看片子
		case w == "快要" || w == "就要", w == "快" && (zhVerbs[c.at(c.i+1)] == "DID" || zhVerbs[c.at(c.i+1)] == "STUDIES_AT" || c.at(c.i+1) == "到") && !zhDegree[c.at(c.i+1)] && c.aspect("了"): // 快到家了
			c.modal = "要"
		case w == "是" && c.topic.Text != "" && (zhAdverbs[c.at(c.i+1)] || zhNegations[c.at(c.i+1)]): // 这本我是真的喜欢
		case zhAdverbs[w] || c.class(c.i) == 'd' && zhVerbs[w] == "" || c.class(c.i) == 't' && !c.predicative(c.i) || c.manner(c.i):
			if (w == "有点" || w == "有点儿" || w == "有些") && c.i+1 >= len(c.ws) {
				return
			}
		default:
			return
		}
		c.i++
	}
}

// zhStages are schools that say when something was; zhBelieves are verbs of what is not so that the dictionary has as conjunctions.
var zhStages, zhBelieves = set("幼儿园 小学 初中 高中 大学 研究生"), set("以为 可以 可怕 甭 甭管 别说 别管 假说 接管 接过 哪怕 还是 所")

// zhPerhaps are adverbs of what is not so, or not known to be.
var zhPerhaps = set("恨不得 巴不得 差点 差一点 几乎 好像 可能 也许 大概 应该 看来 看样子 估计 恐怕 说不定 没准")

var zhModals = set("要 会 能 可以 得 必须 愿意 敢 应该 开始 继续")

// verbAfter reports whether a verb follows before the object could begin.
func (c *zhClause) verbAfter(i int) bool {
	for ; i < len(c.ws); i++ {
		if c.verbAt(i) || zhPreps[c.at(i)] {
			return true
		}
		if !zhAdverbs[c.at(i)] && !c.inTime(i) && !zhNegations[c.at(i)] {
			return false
		}
	}
	return false
}

func (c *zhClause) verbAt(i int) bool {
	w := c.at(i)
	if zhFalseNegation[w] {
		return false
	}
	return zhVerbs[w] != "" || c.class(i) == 'v' || zhFeelings[w] || c.predicative(i)
}

// predicative reports whether word i, which the dictionary has as a noun or a time, is in a verb's place: behind 不 or 没, before 了 or 过, or before a pronoun that ends the clause (不租房了, 联系他们, 过来了).
func (c *zhClause) predicative(i int) bool {
	w, next := c.at(i), c.at(i+1)
	if i == 0 || !strings.ContainsRune("nt", rune(c.class(i))) || utf8.RuneCountInString(w) != 2 || zhOwnState[w] || zhSomebody(w) || zhPet(w) || zhStates[w] != "" || c.inTime(i) && !zhToward[w] || zhAdverbs[w] {
		return false
	}
	switch before := c.at(i - 1); {
	case before == "的" || zhPreps[before] || c.class(i-1) == 'm' || c.class(i-1) == 'q' || c.class(i-1) == 'n' && !zhToward[w]:
		return false
	case zhToward[w]: // 我过来了, not 定下来了
		return c.class(i-1) != 'v' && zhVerbs[before] == "" && (next == "" || next == "了" || next == "过")
	case next == "了" || next == "过":
		return zhVerbs[string(firstRune(w))] != "" && (c.class(i-1) == 'r' || c.class(i-1) == 'd' || zhRelations[before] != "") || before == "不"
	case before == "不":
		return true
	}
	return zhPronouns[next].Kind != NoOne && zhPronouns[next].Kind != Speaker && (c.at(i+2) == "" || c.class(i+2) == 'u' || c.class(i+2) == 'y') && (c.class(i-1) == 'r' || zhAdverbs[c.at(i-1)] || zhNegations[c.at(i-1)])
}

// manner reports whether word i says how the verb behind it is done: 老老实实吃药, 硬撑着拖地.
func (c *zhClause) manner(i int) bool {
	w := c.at(i)
	return utf8.RuneCountInString(w) > 1 && zhVerbs[w] == "" && !zhFeelings[w] && c.at(i+1) != "到" && (c.class(i) == 'a' || c.class(i) == 'z') && (c.verbAt(i+1) || c.at(i+1) == "地" && c.verbAt(i+2))
}

func (c *zhClause) inTime(i int) bool {
	if i >= len(c.ws) {
		return false
	}
	w := c.ws[i]
	for _, e := range c.times {
		if w.Start >= e.Pos && w.End <= e.End || e.Pos >= w.Start && e.Pos < w.End && w.Class == 't' {
			return true
		}
	}
	return false
}
