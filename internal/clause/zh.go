package clause

import (
	"slices"
	"strings"
	"unicode"
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
	subject Mention // of the clause before in the sentence; Kind NoOne: none, or something that is no person
	thing   bool    // something that is no person
	last    Mention // the relative or named person whom the text mentioned last
	topic   Phrase  // what the clause before names and says nothing of: 榴莲，我不喜欢
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
	home    bool // it says what is at the speaker's home
	going   bool // 在 before the verb
	again   bool // 再 before the verb
	never   bool // what is denied is denied of any time: 不, not 没
}

func (r *zhReader) sentence(st sentence.Sentence) []Fact {
	var out []Fact
	cond := false
	r.subject, r.thing = Mention{}, false
	for _, c := range zhClauses(st.Text) {
		text := st.Text[c[0]:c[1]]
		if m := zhCalled.FindStringSubmatch(text); m != nil && len(out) > 0 && (out[len(out)-1].Slot == "HAS_PET" || out[len(out)-1].Slot == "HAS_RELATIVE") {
			out[len(out)-1].Value.Text += "，叫" + m[1] // 我养了一只猫，叫豆豆
			continue
		}
		cl := &zhClause{text: text, start: st.Start + c[0], ws: zhCut(text), times: zhTimes(text, r.o.Year)}
		cl.f = Fact{Start: st.Start, End: st.End, definite: true} // Chinese does not mark it
		cl.topic, r.topic = r.topic, Phrase{}
		f, ok := r.clause(cl, st.Question && c[1] == len(st.Text))
		if !ok && cl.nominal(0, len(cl.ws)) {
			r.topic = cl.objectPhrase(0)
		}
		if n := len(out); ok && n > 0 && out[n-1].Slot == "HAS_PET" && cl.dropped && zhOfPets[f.Verb] { // 养了一缸鱼，生了一堆
			continue
		}
		if cl.if_ || !ok && cl.maybe {
			cond = true
		} else if cond && ok && f.Modality == Asserted && (f.Tense != Past || strings.ContainsAny(text, "就早")) || cond && ok && f.Modality == Plan { // 要是…，我早就搬走了
			f.Modality = Condition
		}
		if r.o.Ended != nil {
			f.Over = f.ending(r.o.Ended, text)
		}
		if !ok && len(f.Over) > 0 {
			f.Tier, ok = Wide, true
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

// zhOfPets are verbs whose subject is the pet that the clause before names.
var zhOfPets = set("死 生 走丢 跑 丢 病 怀 咬 叫")

// zhCalled is a clause that names what the one before it is about.
var zhCalled = pattern.New(`^\s*(?:名字?|它|他|她)?(?:就?叫|名叫)(?:做|作)?(\p{Han}{1,4}|[A-Za-z]+)[。！!～~\s]*$`)

// zhNamed is the name that a clause gives.
var zhNamed = pattern.New(`叫做?(\p{Han}{1,4})[。！!～~\s]*$`)

// zhClauses cuts a sentence at its commas and the like.
func zhClauses(s string) (out [][2]int) {
	from := 0
	add := func(to int) {
		if strings.TrimSpace(s[from:to]) != "" {
			out = append(out, [2]int{from, to})
		}
	}
	for i, r := range s {
		if i < from {
			continue
		}
		if i > from+6 && (zhSplits(s[i:]) || strings.ContainsRune("我你他她咱", r) && zhWhile.MatchString(s[from:i])) {
			add(i)
			from = i
			continue
		}
		if face := zhFace.FindString(s[i:]); r == '[' && face != "" {
			add(i)
			from = i + len(face)
			continue
		}
		if strings.ContainsRune("，,；;。！!？?：:…~～\n", r) || unicode.Is(unicode.So, r) || r == ' ' && zhPause(s[from:i], s[i+1:]) {
			add(i)
			from = i + utf8.RuneLen(r)
		}
	}
	if from < len(s) {
		add(len(s))
	}
	// A question mark belongs to its clause.
	if n := len(out); n > 0 && strings.ContainsAny(s[out[n-1][1]:], "?？") {
		out[n-1][1] = len(s)
	}
	return out
}

var (
	zhFace  = pattern.New(`^\[\p{Han}{1,5}\]`)                 // an emoji by its name: [苦涩]
	zhWhile = pattern.New(`(?:那年|那会儿?|那时候?|的时候|以后|之后|之前|以前)$`) // ends a clause of time
)

// zhPause reports whether a blank is between two clauses, and not beside a word or number of another script (我在 Acme 上班).
func zhPause(before, after string) bool {
	if before = strings.TrimRightFunc(before, func(r rune) bool { return r < utf8.RuneSelf && r != ' ' }); before == "" || strings.HasSuffix(before, " ") {
		return false
	}
	return isHanWord(after)
}

// zhSplits reports whether a text continues with a word that joins clauses.
func zhSplits(s string) bool {
	words := []string{"所以", "但是", "因为", "然后", "可是", "而且", "不过", "于是", "但我", "但他", "但她"}
	return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(s, w) })
}

// zhTimes are the expressions of time of a clause; those of habit (每周三晚上) have no Kind.
func zhTimes(text string, year int) []timex.Expr {
	out := slices.DeleteFunc(timex.Find(text, year), func(e timex.Expr) bool { return strings.HasPrefix(text[e.End:], "级") }) // 三年级 is no length
	for i := range out {
		// 下个月十号 is one expression.
		out[i].End += len(zhDay.FindString(text[out[i].End:]))
	}
	for _, m := range zhEvery.FindAllStringIndex(text, -1) {
		if slices.ContainsFunc(out, func(e timex.Expr) bool { return e.Kind == timex.Deictic && e.Pos < m[0] && e.End >= m[1] }) { // 下周三
			continue
		}
		out = slices.DeleteFunc(out, func(e timex.Expr) bool { return e.Pos < m[1] && e.End > m[0] })
		out = append(out, timex.Expr{Pos: m[0], End: m[1]})
	}
	return out
}

var zhDay = pattern.New(`^[\d一二三四五六七八九十]{1,3}[号日]`)

var zhEvery = pattern.New(`(?:周|星期|礼拜)[一二三四五六日天]|[\d一二三四五六七八九十]{1,3}号|每[个隔]?(?:天|周|星期|礼拜|月|年|晚|早)[一二三四五六日天末]?(?:早上|晚上|中午|下午|上午|早|晚)?`)

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
	case c.cleft(r):
	case c.patient():
		c.omitted(r)
		r.adverbs(c)
	case zhOwnState[c.at(c.i)] && c.commented(c.i+1):
		c.omitted(r)
	case c.otherSubject():
		r.subject, r.thing = Mention{}, true
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
	if !c.verb() {
		return *f, false
	}
	c.time()
	c.hold(question)
	return *f, c.slot()
}

// cleft reads 手册是我去年写的: the person behind 是 is the subject, what is before it the
// object.
func (c *zhClause) cleft(r *zhReader) bool {
	k := slices.IndexFunc(c.ws[c.i:], func(w hanseg.Word) bool { return w.Form == "是" })
	if k < 1 || !strings.HasSuffix(strings.TrimRight(c.text, "。！ "), "的") {
		return false
	}
	m, next := r.person(c, c.i+k+1)
	if m.Kind == NoOne {
		return false
	}
	c.ba, c.f.Subject, c.i = c.span(c.i, c.i+k), m, next
	r.subject = m
	r.adverbs(c)
	c.f.Tense = Past
	return true
}

// ownPet reads who is at the front of 我家狗昨天做了手术: whatever is said of it, the speaker has it.
func (c *zhClause) ownPet() bool {
	w, k := c.at(c.i), c.i+1
	if zhPronouns[w].Kind != Speaker {
		return false
	}
	for ; c.at(k) == "的" || c.at(k) == "那" || c.at(k) == "这" || c.class(k) == 'q' || c.class(k) == 'a' || c.class(k) == 'b' || c.class(k) == 'm'; k++ {
	}
	if c.class(k) == 'v' || zhVerbs[c.at(k)] != "" || !zhPet(c.at(k)) || c.at(k+1) == "的" || c.has(zhGone) {
		return false
	}
	f := &c.f
	f.Subject, f.Verb, f.Slot, f.Object = Mention{Kind: Speaker, Phrase: c.span(c.i, c.i+1)}, "有", "HAS_PET", c.span(k, k+1)
	f.Value, f.Confidence, f.Tier = f.Object, 0.87, Default
	if m := zhNamed.FindStringSubmatch(c.text); m != nil {
		f.Value.Text += "，叫" + m[1]
	}
	return true
}

// zhGone are words of a pet that one has no longer.
var zhGone = set("死 死了 走 走丢 丢 送人 送走 没了 去世 离世 卖 卖了 以前 小时候")

// mentioned notes the last relative or named person of a clause.
func (r *zhReader) mentioned(c *zhClause) {
	for k := range c.ws {
		if m, _ := r.person(c, k); m.Kind == Relative || m.Kind == Named {
			r.last = m
		}
	}
}

// pronoun is whom a pronoun means: the person whom the text mentioned last, if the gender fits.
func (r *zhReader) pronoun(m Mention) Mention {
	if m.Kind == Pronoun && !m.Plural && r.last.Kind != NoOne && !r.last.Plural && (r.last.Gender == m.Gender || r.last.Gender == Unknown || m.Gender == Unknown) {
		return r.last
	}
	return m
}

// omitted gives a clause the subject of the clause before it, or the speaker if there is none.
func (c *zhClause) omitted(r *zhReader) {
	c.dropped = true
	if c.f.Subject = r.subject; r.subject.Kind == NoOne {
		c.f.Subject, c.alone, c.unsure = Mention{Kind: Speaker}, true, r.thing
	}
}

// topicalised reads 恐怖片我从来不看: the object is before the person who does it.
func (c *zhClause) topicalised(r *zhReader) bool {
	for k := c.i + 1; k+1 < len(c.ws); k++ {
		if zhPronouns[c.at(k)].Kind == NoOne || c.at(k) == "自己" || !c.nominal(c.i, k) || c.at(k-1) == "和" || c.at(k-1) == "跟" {
			continue
		}
		m, next := r.person(c, k)
		if m.Kind == NoOne || c.at(next) == "的" {
			return false
		}
		c.topic, c.f.Subject, c.i = c.span(c.i, k), m, next
		return true
	}
	return false
}

// patient reads 烟早戒了, 驾照考下来了: a thing before a verb that only people do and that has no object behind it is what is done.
func (c *zhClause) patient() bool {
	k := c.i
	for ; k < len(c.ws); k++ {
		w := c.at(k)
		if behind := c.at(k + 1); behind == "的" && k+2 < len(c.ws) { // 新买的车
			continue
		}
		if c.verbAt(k) && (k > c.i || zhVerbs[w] != "") || zhAdverbs[w] || zhNegations[w] || zhPreps[w] || zhModals[w] || c.inTime(k) || zhPronouns[w].Kind != NoOne || zhRelations[w] != "" {
			break
		}
	}
	if k == c.i || k >= len(c.ws) || strings.ContainsRune("ufiaz", rune(c.class(k-1))) || zhPet(c.at(k-1)) || zhEmployer.MatchString(c.at(k-1)) {
		return false
	}
	v := k
	for v < len(c.ws) && !zhActs[zhBase(c.at(v))] {
		w := c.at(v)
		if !zhAdverbs[w] && !zhNegations[w] && !zhModals[w] && !c.inTime(v) && w != "是" {
			return false
		}
		v++
	}
	end := v + 1
	for end < len(c.ws) && (c.class(end) == 'u' || c.class(end) == 'y' || c.class(end) == 'm' || c.inTime(end) || zhResults[c.at(end)] || zhAdverbs[c.at(end)] || !isHanWord(c.at(end))) {
		end++
	}
	if v >= len(c.ws) || end < len(c.ws) || zhBase(c.at(v)) == "卖" && strings.ContainsAny(c.at(v)+c.at(v+1), "完光") || v == k && end == v+1 && zhBase(c.at(v)) == c.at(v) { // 书看: nothing says that it is done
		return false
	}
	c.topic, c.i = c.span(c.i, k), k
	return true
}

// patientAt reports whether patient would read what stands from word i on.
func (c *zhClause) patientAt(i int) bool {
	d := *c
	d.i = i
	return d.patient()
}

// commented reports whether what stands from word i on comments on the noun before it: 腰不行了, 血压有点高, 嗓子疼.
func (c *zhClause) commented(i int) bool {
	if i >= len(c.ws) {
		return false
	}
	for ; i < len(c.ws) && (zhAdverbs[c.at(i)] || zhNegations[c.at(i)] || c.inTime(i)); i++ {
	}
	if c.class(i) == 'n' && !zhIll.MatchString(c.objectPhrase(i).Text) { // 牙套
		return false
	}
	return i >= len(c.ws) || !zhActs[zhBase(c.at(i))] && !zhPreps[c.at(i)]
}

// nominal reports whether the words [from, to) name a thing: nouns, and titles in marks.
func (c *zhClause) nominal(from, to int) bool {
	noun, quoted := false, false
	for k := from; k < to; k++ {
		w := c.at(k)
		switch {
		case w == "《" || w == "“":
			quoted, noun = true, true
		case w == "》" || w == "”":
			quoted = false
		case quoted || w == "的" || w == "第" || c.class(k) == 'm' || w == "这" || w == "那" || w == "种" || w == "这种" || w == "那种" || w == "东西":
		case zhVerbs[w] == "" && c.class(k) == 'v' && c.class(k+1) == 'n' && k+1 < to: // 养生文章
		case c.inTime(k) || c.verbAt(k) || zhPreps[w] || zhAdverbs[w] || zhNegations[w] || zhPronouns[w].Kind != NoOne:
			return false
		case c.class(k) == 'n' || c.class(k) == 'R' || c.class(k) == 0:
			noun = true
		default:
			return false
		}
	}
	return noun && to > from
}

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

func isName(w string) bool { return len(w) > 1 && w[0] >= 'A' && w[0] <= 'Z' }

// subjectOf reads a person at the front of the clause.
func (r *zhReader) subjectOf(c *zhClause) bool {
	m, next := r.person(c, c.i)
	if m.Kind == NoOne {
		return false
	}
	c.f.Subject, c.i = r.pronoun(m), next
	// 我和女朋友去…: the others come along.
	for w := c.at(c.i); w == "和" || w == "跟" || w == "与"; w = c.at(c.i) {
		o, next := r.person(c, c.i+1)
		if o.Kind == NoOne {
			break
		}
		c.f.With = append(c.f.With, o)
		c.i = next
	}
	return true
}

// person reads a mention at word i.
func (r *zhReader) person(c *zhClause, i int) (Mention, int) {
	w := c.at(i)
	m, ok := zhPronouns[w]
	switch {
	case ok:
		m.Phrase = c.span(i, i+1)
		j := i + 1
		if c.at(j) == "的" {
			j++
		}
		if k := c.at(j); zhRelations[k] != "" && m.Kind != NoOne {
			owner := r.pronoun(m)
			rel := Mention{Kind: Relative, Relation: zhRelations[k], Gender: relationGender(zhRelations[k]), Phrase: c.span(i, j+1)}
			if owner.Kind != Speaker {
				rel.Owner = &owner
			}
			if n, next := r.name(c, j+1); n.Kind != NoOne { // 我朋友阿伟
				n.Relation, n.Owner = rel.Relation, rel.Owner
				return n, next
			}
			if next := c.at(j + 1); next == "他们" || next == "她们" { // 我哥他们一家
				j++
			}
			if next := c.at(j + 1); next == "一家" || next == "一家人" || next == "家" {
				j++
			}
			return rel, j + 1
		}
		if zhBeforeRelation[c.at(j)] && zhRelations[c.at(j+1)] != "" { // 我大学室友
			key := zhRelations[c.at(j+1)]
			rel := Mention{Kind: Relative, Relation: key, Gender: relationGender(key), Phrase: c.span(i, j+2)}
			if m.Kind != Speaker {
				rel.Owner = &m
			}
			return rel, j + 2
		}
		for k := j; k < min(j+3, len(c.ws)); k++ { // 我最好的朋友
			if key := zhRelations[c.at(k+1)]; strings.HasSuffix(c.at(k), "的") && key != "" && c.class(j) != 'v' {
				return Mention{Kind: Relative, Relation: key, Gender: relationGender(key), Phrase: c.span(i, k+2)}, k + 2
			}
		}
		if c.class(j) == 'n' && zhInside[c.at(j+1)] && c.verbAt(j+2) { // 我家阳台上养了
			return m, j + 2
		}
		if c.at(i+1) == "的" || zhThing(c, i+1) && !zhOwnState[c.at(i+1)] && !c.patientAt(i+1) { // 我的电脑, 我家猫: no person
			return Mention{}, i
		}
		return m, i + 1
	case zhRelations[w] != "":
		key := zhRelations[w]
		if n, next := r.name(c, i+1); n.Kind != NoOne {
			n.Relation = key
			return n, next
		}
		if zhThing(c, i+1) {
			return Mention{}, i
		}
		m := Mention{Kind: Relative, Relation: key, Gender: relationGender(key), Phrase: c.span(i, i+1), Plural: key == "parent" || key == "family"}
		if !familyKey[key] && !strings.HasPrefix(w, "我") {
			m.Kind = Described
		}
		return m, i + 1
	case c.class(i) == 'n' && zhRelations[c.at(i+1)] != "" && i+1 < len(c.ws) && zhBeforeRelation[w]: // 大学室友
		key := zhRelations[c.at(i+1)]
		return Mention{Kind: Described, Relation: key, Phrase: c.span(i, i+2)}, i + 2
	case (w == "大" || w == "小") && c.at(i+1) == "的": // 大的上小学，小的…
		return Mention{Kind: Described, Relation: "child", Phrase: c.span(i, i+2)}, i + 2
	}
	return r.name(c, i)
}

// zhInside are words behind a thing that say where in it.
var zhInside = set("上 里 下 旁 旁边 里面 上面 下面 楼上 楼下 门口 附近")

// zhOwnState are nouns that a comment on is one on the person: 我血压有点高.
var zhOwnState = set("血压 血糖 血脂 尿酸 体重 膝盖 腰 颈椎 胃 肚子 头 头发 脸 牙 牙齿 耳朵 鼻子 肩膀 胳膊 手腕 脚 腿 眼睛 嗓子 心情 压力 身体 记性 年纪 个子 视力 听力 皮肤 睡眠 体力 胆子 酒量 英语 日语 数学 老家 家乡 籍贯 专业 生日 星座 血型")

var zhBeforeRelation = set("大学 高中 初中 小学 公司 以前 单位 部门")

var familyKey = set("mother father parent sister brother wife husband son daughter grandmother grandfather uncle aunt cousin nephew niece mother-in-law father-in-law brother-in-law sister-in-law son-in-law daughter-in-law ex family girlfriend boyfriend child partner spouse grandson granddaughter")

// zhThing reports whether what follows a person is a thing of theirs and the subject:
// 我家猫, 我手机. What follows it must be no verb.
func zhThing(c *zhClause, i int) bool {
	w := c.at(i)
	if w == "" || c.class(i) != 'n' || zhVerbs[w] != "" || zhAdverbs[w] || utf8.RuneCountInString(w) == 1 && !slices.Contains(zhPets, w) {
		return false
	}
	if c.at(i+1) == "过敏" || zhIll.MatchString(c.objectPhrase(i).Text) {
		return false
	}
	return (zhVerbs[c.at(i+1)] != "" || c.class(i+1) == 'd' || c.class(i+1) == 'v')
}

// name reads a person's name: one of the talk, 小陈, 老刘, 阿伟, 王工, 李老师, or one of
// the dictionary's names that a verb or adverb follows.
func (r *zhReader) name(c *zhClause, i int) (Mention, int) {
	if i >= len(c.ws) {
		return Mention{}, i
	}
	rest := c.text[c.ws[i].Start:]
	for _, n := range r.o.Names {
		if n != "" && strings.HasPrefix(rest, n) {
			end := c.ws[i].Start + len(n)
			j := i
			for j < len(c.ws) && c.ws[j].Start < end {
				j++
			}
			return Mention{Kind: Named, Phrase: Phrase{Text: n, Start: c.start + c.ws[i].Start, End: c.start + end}}, j
		}
	}
	rs := []rune(rest)
	take := func(n int) (Mention, int) {
		end := c.ws[i].Start + len(string(rs[:n]))
		j := i
		for j < len(c.ws) && c.ws[j].Start < end {
			j++
		}
		if j > i && c.ws[j-1].End > end {
			return Mention{}, i
		}
		return Mention{Kind: Named, Phrase: Phrase{Text: string(rs[:n]), Start: c.start + c.ws[i].Start, End: c.start + end}}, j
	}
	switch {
	case len(rs) > 3 && rs[0] == '老' && strings.ContainsRune(zhSurnames, rs[1]) && rs[2] == '头': // 老张头
		return take(3)
	case len(rs) > 2 && strings.ContainsRune("小老阿", rs[0]) && (rs[0] == '阿' || strings.ContainsRune(zhSurnames, rs[1])) && c.ws[i].End-c.ws[i].Start <= 6:
		return take(2)
	case len(rs) > 2 && strings.ContainsRune(zhSurnames, rs[0]) && strings.ContainsRune("工总姐哥", rs[1]) && c.ws[i].End-c.ws[i].Start <= 6:
		return take(2)
	case c.class(i) == 'R' && utf8.RuneCountInString(c.at(i)) >= 2 && (zhVerbs[c.at(i+1)] != "" || zhAdverbs[c.at(i+1)] || zhPreps[c.at(i+1)]) && strings.ContainsRune(zhSurnames, rs[0]):
		return take(utf8.RuneCountInString(c.at(i)))
	case isName(c.at(i)) && i+1 < len(c.ws) && (zhVerbs[c.at(i+1)] != "" || zhAdverbs[c.at(i+1)]):
		return Mention{Kind: Named, Phrase: c.span(i, i+1)}, i + 1
	}
	return Mention{}, i
}

const zhSurnames = "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔安康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文"

// adverbs skips adverbs, words of time and negations in front of the verb, and notes them.
func (r *zhReader) adverbs(c *zhClause) {
	for c.i < len(c.ws) {
		w := c.at(c.i)
		switch {
		case zhIfs[w]:
			c.if_ = true
		case c.i > 0 && slices.Contains(zhEndings, w) && w != "的" && w != "了": // 小时候啊…
		case c.inTime(c.i) && c.class(c.i) != 'v', w == "这" && c.inTime(c.i+1):
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
		case w == "快要" || w == "就要":
			c.modal = "要"
		case w == "是" && c.topic.Text != "" && (zhAdverbs[c.at(c.i+1)] || zhNegations[c.at(c.i+1)]): // 这本我是真的喜欢
		case zhAdverbs[w] || c.class(c.i) == 'd' && zhVerbs[w] == "" || c.class(c.i) == 't':
			if (w == "有点" || w == "有点儿" || w == "有些") && c.i+1 >= len(c.ws) {
				return
			}
		default:
			return
		}
		c.i++
	}
}

// zhPerhaps are adverbs of what is not so, or not known to be.
var zhPerhaps = set("差点 差一点 几乎 好像 可能 也许 大概 应该 看来 看样子 估计 恐怕 说不定 没准")

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
	return zhVerbs[w] != "" || c.class(i) == 'v' || zhFeelings[w]
}

// otherSubject reports whether something that is no person is before the verb.
func (c *zhClause) otherSubject() bool {
	for k := c.i; k < len(c.ws); k++ {
		w := c.at(k)
		switch {
		case zhVerbs[w] != "" || zhModals[w] || zhPreps[w] || zhNegations[w]:
			return k > c.i && !zhPreps[c.at(c.i)]
		case zhAdverbs[w] || c.inTime(k):
		case c.class(k) == 'v' && k == c.i:
			return false
		case zhFeelings[w] && k == c.i:
			return false
		case c.class(k) == 'n' || c.class(k) == 'r' || c.class(k) == 'S' || c.class(k) == 'R' || c.class(k) == 'm' || c.class(k) == 0 || c.class(k) == 's':
			if k+1 < len(c.ws) {
				continue
			}
			return true
		}
	}
	return c.i < len(c.ws)
}

// zhToward are directions behind a verb of motion: what walks over is not gone.
var zhToward = set("过来 过去 来 去 进来 进去 出来 出去 上来 下来 回来 回去")

// thing reads a clause whose subject is no person as far as a verb that ends a state: 思域昨天卖掉了.
func (c *zhClause) thing(ended enders) bool {
	for k := c.i + 1; k < len(c.ws); k++ {
		ends, may := ended(c.at(k))
		if !c.verbAt(k) || len(ends)+len(may) == 0 || zhToward[c.at(k+1)] || zhToward[c.at(k+2)] {
			continue
		}
		end := k
		for end > c.i+1 && (zhAdverbs[c.at(end-1)] || c.inTime(end-1) || zhNegations[c.at(end-1)]) {
			end--
			c.f.Negated = c.f.Negated || zhNegations[c.at(end)]
		}
		c.f.Subject, c.f.Verb, c.f.passive = Mention{Phrase: c.span(c.i, end)}, c.at(k), true
		if c.at(k-1) == "我" && (c.at(k-2) == "把" || c.at(k-2) == "将") { // 公司把我裁了
			c.f.Subject = Mention{Kind: Speaker, Phrase: c.span(k-1, k)}
		}
		return true
	}
	return false
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
