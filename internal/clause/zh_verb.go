package clause

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"membench/internal/hanseg"
	"membench/internal/pattern"
	"membench/internal/timex"
)

// verb reads prepositional phrases, the verb and its object.
func (c *zhClause) verb() bool {
	f := &c.f
	for steps := 0; steps < 4 && zhPreps[c.at(c.i)] && c.at(c.i) != ""; steps++ {
		p := c.at(c.i)
		if p == "在" && c.verbAt(c.i+1) && (c.class(c.i+2) != 'n' || c.nextVerb(c.i+2, false) < 0) { // 在看书: going on
			c.going = true
			c.i++
			continue
		}
		if c.at(c.i+1) == "着" { // 对着窗外发呆
			c.i++
		}
		v := c.nextVerb(c.i+1, p == "把" || p == "将")
		if p == "被" && c.verbAt(c.i+1) { // 被骂了
			v = c.i + 1
		}
		if v < 0 {
			if p == "叫" && f.Subject.Kind == Relative { // 我男朋友叫陈浩
				f.Verb, f.Object = p, c.objectPhrase(c.i+1)
				return f.Object.Text != ""
			}
			if p == "在" && c.i+1 < len(c.ws) { // 我在家
				f.Verb, f.Object = "在", c.objectPhrase(c.i+1)
				f.Place = f.Object
				return f.Object.Text != ""
			}
			return false
		}
		np := c.span(c.i+1, v)
		switch p {
		case "在", "于", "往":
			f.Place = np
		case "从":
			c.from = np
		case "把", "将":
			c.ba, c.prep, c.does = np, p, true
		case "跟", "和", "与", "同":
			if np.Text != "" {
				f.With = append(f.With, Mention{Kind: Described, Phrase: np})
			}
		case "给", "向", "为", "替":
			w := c.at(c.i + 1)
			c.ba, c.prep, c.forWhom = np, p, zhPronouns[w].Kind != NoOne || zhRelations[w] != ""
		case "对", "用":
			c.ba = np
		case "被":
			f.passive, c.by = true, p+np.Text
		case "让", "叫":
			f.Verb, f.Object = p, c.objectPhrase(c.i+1)
			return !c.dropped
		case "使", "由":
			return false
		}
		c.i = v
		if w := c.at(v); (w == "来" || w == "去") && c.verbAt(v+1) { // 用它来记事
			c.i++
		}
		c.more()
	}
	if k := c.whenClause(); k > 0 { // 退休以后天天去公园
		c.i = k
		c.more()
		return c.verb()
	}
	if c.i >= len(c.ws) {
		return false
	}
	w := c.at(c.i)
	switch {
	case zhFalseNegation[w], c.at(c.i+1) == "的" && c.at(c.i+2) != "是" && c.i+2 < len(c.ws) && (c.dropped || c.nextVerb(c.i+2, false) > 0): // 旅游的事…, 我养的猫死了
		return false
	case c.at(c.i+1) == "归" && c.at(c.i+2) == w: // 喜欢归喜欢
		return false
	case strings.HasPrefix(c.at(c.i+1), "起来") && (w == "听" || w == "看" || w == "说" || w == "想"): // 听起来…
		return false
	case w == "想" && c.i+1 < len(c.ws) && strings.ContainsRune("出起到", firstRune(c.at(c.i+1))): // 想出, 想起来
		return false
	case w == "会" && c.class(c.i+1) != 'n' && c.class(c.i+1) != 'm' && !c.verbAt(c.i+1): // 会这样
		return false
	case w == "是" && c.told(c.i+1): // 是去年来的深圳, 是坐高铁来的
		c.i++
		c.more()
		defer func() { f.Tense = Past }()
		return c.verb()
	case w == "是" && zhAdverbs[c.at(c.i+1)] && !c.inTime(c.i+1): // 是特意布置的
		return false
	case (w == "没有" || w == "没") && c.class(c.i+1) == 'i':
		return false
	case zhOwnState[w] && c.i+1 < len(c.ws) && c.commented(c.i+1): // 腰疼, 嗓子哑了
		f.Verb, f.Object = "是", c.objectPhrase(c.i)
		return true
	case w == "没有" || w == "没":
		f.Verb, f.Negated = "有", true
	case zhGoes[w] && c.verbAt(c.i+1) && zhVerbs[zhBase(c.at(c.i+1))] != "" && zhVerbs[zhBase(c.at(c.i+1))] != "DID": // 去领养了一只猫
		c.i++
		return c.verb()
	case zhVerbs[zhBase(w)] != "":
		f.Verb = zhBase(w)
		if v, ok := strings.CutSuffix(w, "了"); ok && zhVerbs[v] == zhVerbs[w] { // the lexicon has 吃了 for the sake of cutting
			f.Verb, f.Tense, c.marked = v, Past, true
		}
	case c.class(c.i) == 'i' && zhVerbs[string(firstRune(w))] != "": // 打呼噜
		f.Verb = w
	case c.class(c.i) == 'n' && c.i+1 < len(c.ws) && c.at(c.i+1) != "过敏" && zhIll.MatchString(c.objectPhrase(c.i).Text): // 我腰椎间盘突出
		f.Verb, f.Object = "有", c.objectPhrase(c.i)
		return true
	case c.at(c.i+1) == "过敏" && !zhAdverbs[w]: // 我酒精过敏
		c.ba = c.span(c.i, c.i+1)
		c.i++
		f.Verb = "过敏"
	case w == "烦" && c.isSpoken(c.i+1) && c.at(c.i+1) != "不" && !zhResults[c.at(c.i+1)] && !zhDegree[c.objectPhrase(c.i+1).Text]: // 烦开会
		f.Verb = "讨厌"
	case zhFeelings[w]:
		f.Verb = "是"
		f.Object = c.objectPhrase(c.i)
		return true
	case c.class(c.i) == 'v':
		f.Verb = w
	case zhGrade.MatchString(c.objectPhrase(c.i).Text): // 我儿子高三了
		f.Verb, f.Object = "是", c.objectPhrase(c.i)
		return true
	case c.class(c.i) == 'n' && c.i+1 < len(c.ws) && f.Subject.Kind != NoOne && !c.dropped && (zhAdverbs[c.at(c.i+1)] || c.class(c.i+1) == 'a' || c.class(c.i+1) == 'd'):
		// 我年龄有点大: topic and comment
		f.Verb, f.Object = "是", c.objectPhrase(c.i)
		return true
	case (!c.dropped || len(c.times) > 0 && c.times[0].End <= c.ws[c.i].Start || strings.Contains(c.text, "岁")) && c.class(c.i) == 'm' && zhYears.MatchString(c.objectPhrase(c.i).Text): // 我今年三十二
		f.Verb, f.Object = "是", c.objectPhrase(c.i)
		return f.Object.Text != ""
	default:
		return false
	}
	v := c.i
	c.i++
	for slices.Contains(zhAspects, c.at(c.i)) || c.at(c.i) == "完" || c.at(c.i) == "到" && c.at(c.i-1) != "搬" || c.at(c.i) == "好" {
		if w := c.at(c.i); w == "了" || w == "过" || w == "完" {
			f.Tense = Past
			c.marked, c.passed = true, c.passed || w == "过"
		}
		c.i++
	}
	if no := c.at(c.i); (no == "不" || no == "得") && zhPotential[c.at(c.i+1)] { // 吃不了, 买得起
		f.Negated, c.never, c.modal = f.Negated != (no == "不"), true, "能"
		c.i += 2
	} else if zhResults[c.at(c.i)] && c.at(c.i+1) == "了" { // 考下来了
		f.Tense = Past
		c.i++
	}
	if c.at(c.i) == "上" && zhVerbs[f.Verb] == "PREFERS_TOPIC" && c.isSpoken(c.i+1) { // 喜欢上写诗
		c.i++
	}
	if c.at(c.i) == "的" && c.at(c.i+1) == "是" { // 学的是会计
		c.i += 2
	}
	f.Object = c.objectPhrase(c.i)
	if zhDegree[f.Object.Text] { // 紧张死了
		f.Object, f.Tense = Phrase{Start: f.Object.Start, End: f.Object.Start}, Present
	}
	if f.Verb == "过敏" && c.ba.Text != "" {
		f.Object = Phrase{Start: f.Object.Start, End: f.Object.Start}
	}
	if strings.HasPrefix(c.rest(), "的") && c.nextVerb(c.i+1, false) > 0 { // 养了两年的绿萝死了
		return false
	}
	if c.dropped && c.marked && zhAppears[f.Verb] && c.class(c.i) == 'm' && zhSomebody(c.at(c.i+1)) { // 走了两个护士
		return false
	}
	if zhLeaving[f.Verb] {
		c.tail, f.Object = f.Object.Text, c.from
		return true
	}
	if c.ba.Text != "" {
		behind := f.Object
		if c.prep == "" || behind.Text == "" || strings.HasSuffix(f.Verb, "给") || c.verbAt(c.i) && c.at(c.i-1) == "了" { // behind 送给 is who gets it, behind 卖了 what was done next
			if f.Object = c.ba; behind.Text != "" && c.prep == "" {
				f.Object.Text += behind.Text
			}
		} else {
			c.event = c.prep + c.ba.Text + strings.Replace(c.span(v, c.i).Text, "了", "", 1) + behind.Text // 把照片发到群里, 给我爸买手机
			if !c.forWhom {
				f.Object.Text = c.ba.Text + behind.Text
				f.Object.Start = c.ba.Start
			}
		}
	}
	if topic := strings.Trim(c.topic.Text, " 《》“”，"); topic != "" && (c.counted(c.i) || zhVerbs[f.Object.Text] != "") {
		f.Object.Text += topic // 杂文我一直爱读
		f.Object.Start, f.Object.End = c.topic.Start, c.topic.End
	}
	return true
}

// zhSomebody reports whether a noun is one for a person.
func zhSomebody(w string) bool {
	return zhRelations[w] != "" || strings.HasSuffix(w, "人") || w != "" && slices.ContainsFunc(zhJobs, func(s string) bool { return strings.HasSuffix(w, s) })
}

// zhGoes are verbs of motion before what one goes to do.
var zhGoes = set("去 来 过去 过来 跑去")

// zhAppears are verbs with what appears or is gone behind them, zhOfThings those whose subject is a thing.
var zhAppears, zhOfThings = set("走 来 死 跑 飞 停 出 下 刮 涨 降 跌 断 发生 出现 多 少 剩 掉 漏"), set("到期 过期 升级 重启 上线 下线 停")

// told reports whether 是 before word i only stresses when, where or how something happened: 是去年来的.
func (c *zhClause) told(i int) bool {
	if !c.inTime(i) && c.at(i) != "从" && c.at(i) != "在" && c.at(i) != "坐" {
		return false
	}
	for k := i + 1; k+1 < len(c.ws); k++ {
		if c.verbAt(k) && c.at(k+1) == "的" {
			return k+3 >= len(c.ws)
		}
	}
	return false
}

// counted reports whether nothing but a number, a length of time and particles stands from word i on: 弹了十年.
func (c *zhClause) counted(i int) bool {
	for ; i < len(c.ws); i++ {
		if c.class(i) != 'm' && c.class(i) != 'u' && c.class(i) != 'y' && !c.inTime(i) && !zhAdverbs[c.at(i)] && !zhResults[c.at(i)] && isHanWord(c.at(i)) {
			return false
		}
	}
	return true
}

// nextVerb is the verb that a prepositional phrase ends at: the first one, or the last
// behind 把, whose noun may hold verbs (把数据库的连接池调到二百).
func (c *zhClause) nextVerb(i int, last bool) int {
	at, loose := -1, -1
	for k := i + 1; k < len(c.ws); k++ {
		w := c.at(k)
		switch {
		case zhVerbs[w] == "" && c.class(k) == 'v' && c.at(i-1) == "对" && zhVerbs[c.at(k+1)] != "": // 对散文式叙事没有抵抗力
			continue
		case zhResults[w] && k > i+1 && zhVerbs[c.at(k-1)] != "": // 把论文写完
			continue
		case !c.verbAt(k) && !zhModals[w] && !(zhNegations[w] && !zhFalseNegation[w]):
			continue
		case c.at(k+1) == "的" && k+2 < len(c.ws):
			if loose < 0 {
				loose = k
			}
			continue
		case zhVerbs[zhBase(w)] == "" && c.class(k) == 'v' && (c.at(k+1) == "" || c.class(k+1) == 'n') && last:
			continue
		}
		if !last || c.at(k+1) == "了" { // 把吉他卖了换了台相机
			return k
		}
		if zhVerbs[w] != "" || at < 0 {
			at = k
		}
	}
	if at < 0 {
		return loose // 我们在青岛拍的婚纱照
	}
	return at
}

// whenClause is the word behind a clause of time that is before the verb, or 0.
func (c *zhClause) whenClause() int {
	for k := c.i + 1; k+1 < len(c.ws) && k < c.i+7; k++ {
		switch w := c.at(k); {
		case w == "完" && k == c.i+1 && c.verbAt(k-1) && c.verbAt(k+1) && c.isSpoken(k+2): // 搬完请你吃饭
			return k + 1
		case w == "就" && c.verbAt(k-1) && c.verbAt(c.i) && c.verbAt(k+1) && !zhIdle[c.at(c.i)] && !zhNothing[c.at(k+1)]: // 回来就发烧了
			return k + 1
		case (w == "前" || w == "后") && c.verbAt(k-1):
			if c.verbAt(c.i) {
				return k + 1
			}
		case w == "以后" || w == "之后" || w == "以前" || w == "之前" || w == "时候" || w == "时" || w == "后" && c.class(k-1) != 'f':
			if c.verbAt(c.i) {
				return k + 1
			}
		}
	}
	return 0
}

// rest is the text from the next word on that is neither a number nor a time.
func (c *zhClause) rest() string {
	k := c.i
	for k < len(c.ws) && (c.class(k) == 'm' || c.inTime(k)) {
		k++
	}
	return c.span(k, len(c.ws)).Text
}

// done reports whether 了 or 过 behind a verb with an object says that somebody has done it: 交了首付, but not 下了场雨.
func (c *zhClause) done() bool {
	return c.marked && c.f.Object.Text != "" && !c.counted(c.i) && !zhAppears[c.f.Verb]
}

// isSpoken reports whether a word of content stands at i.
func (c *zhClause) isSpoken(i int) bool {
	return c.at(i) != "" && c.class(i) != 'u' && c.class(i) != 'y' && isHanWord(c.at(i))
}

// more skips what may be between a prepositional phrase and the verb.
func (c *zhClause) more() {
	for c.i < len(c.ws) {
		w := c.at(c.i)
		switch {
		case zhNegations[w] && !zhFalseNegation[w] && c.verbAt(c.i+1):
			c.f.Negated = true
		case zhAdverbs[w] || c.inTime(c.i):
		case zhModals[w] && c.verbAt(c.i+1):
			c.modal = w
		default:
			return
		}
		c.i++
	}
}

// objectPhrase is the rest of the clause from word i, without endings.
func (c *zhClause) objectPhrase(i int) Phrase {
	for i < len(c.ws) && (c.at(i) == "了" || c.at(i) == "过" || c.at(i) == "的") {
		i++
	}
	p := c.span(i, len(c.ws))
	for again := true; again; {
		again = false
		p.Text = strings.TrimRight(p.Text, " 。．.·！？!?~～…，,、")
		for _, e := range zhEndings {
			if rest, ok := strings.CutSuffix(p.Text, e); ok && !strings.HasSuffix(rest, "不") {
				p.Text, again = rest, true
			}
		}
		if rest := zhWhile.ReplaceAllString(p.Text, ""); rest != p.Text {
			p.Text, again = rest, true
		}
	}
	p.End = p.Start + len(p.Text)
	return p
}

// time notes the words of time of the clause.
func (c *zhClause) time() {
	f := &c.f
	best := -1
	for n, e := range c.times {
		if best < 0 || c.times[best].Kind == timex.Duration && e.Kind != timex.Duration || c.times[best].Kind == timex.Clock {
			best = n
		}
	}
	if best >= 0 {
		e := c.times[best]
		f.Time, f.When = e, Phrase{Text: c.text[e.Pos:e.End], Start: c.start + e.Pos, End: c.start + e.End}
		for _, every := range []string{"每个", "每"} {
			if strings.HasSuffix(c.text[:e.Pos], every) {
				f.Time = timex.Expr{}
				f.When.Text, f.When.Start = every+f.When.Text, f.When.Start-len(every)
				break
			}
		}
		if next := strings.TrimPrefix(f.Object.Text, f.When.Text); next != f.Object.Text && next != "" && zhVerbs[f.Verb+string(firstRune(next))] != "" { // 请了半天假
			return
		}
		if f.Object.Text != "" && (f.When.Text != f.Object.Text || e.Kind == timex.Duration) {
			f.Object.Text = strings.TrimSuffix(strings.TrimPrefix(f.Object.Text, f.When.Text), f.When.Text)
			if f.Object.Text == "第" || f.Object.Text == "快" || f.Object.Text == "有" { // 退休第三年
				f.Object.Text = ""
			}
			f.Object.Text = strings.TrimRight(f.Object.Text, "快都")
			if f.Value.Text = ""; f.Object.Text == "" {
				f.Object = Phrase{Start: f.Object.Start, End: f.Object.Start}
			}
		}
		return
	}
	for _, w := range c.ws {
		if zhWhen[w.Form] {
			f.When = Phrase{Text: w.Form, Start: c.start + w.Start, End: c.start + w.End}
			return
		}
	}
}

// zhWhen are words of time that name no day.
var zhWhen = set("最近 以前 之前 从前 小时候 刚 刚刚 刚才 现在 目前 一直 经常 常常 每天 天天 平时 总是 偶尔 有时 从来 后来 曾经 将来 以后 当时 早上 晚上 中午 下午 上午 未来 周末")

// zhAsks reports whether the clause asks: by a particle, a question word, or a verb and
// its denial (是不是, 有没有).
func zhAsks(c *zhClause) bool {
	t := strings.TrimRight(c.text, " 。！？!?~～…")
	if zhWh.MatchString(t) && !zhAny.MatchString(t) {
		return true
	}
	if strings.HasSuffix(t, "吗") || strings.HasSuffix(t, "么") && !strings.HasSuffix(t, "什么") || zhTag.MatchString(t) || strings.HasSuffix(c.text, "？") || strings.HasSuffix(c.text, "?") {
		return true
	}
	return slices.ContainsFunc([]string{"是不是", "有没有", "能不能", "可不可以", "要不要", "会不会", "好不好", "对不对", "对吧"}, func(a string) bool {
		before, _, found := strings.Cut(t, a)
		return found && !strings.ContainsAny(before, "定道")
	})
}

// zhWh are words that ask; with one of zhAny they stand for anything or are told of (谁都不知道).
var (
	zhWh  = pattern.New(`怎么办|[什啥]么?时候|几点|为什么|为啥|咋[样办]|哪[里儿个天位家]|谁|多少钱`)
	zhTag = pattern.New(`(?:[^不是对]不|[^有还就都也了]没|了没有)$`) // 去不, 换没
	zhAny = pattern.New(`都|也|知道|忘|无论|不管|随便|问|告诉`)
)

var zhIfs = set("如果 要是 假如 万一 如 若 只要 除非 要不是 早知道")

var zhSays = set("说 告诉 问 提 叫 让")

// zhBit is how long one will go on: 再刷会儿.
var zhBit = pattern.New(`^(?:一?会儿?|一下|一阵)`)

// zhUrges begins what others are told to do.
var zhUrges = pattern.New(`^\s*(?:记得|注意|加油|早点|赶紧|赶快|快点|请|祝|保重|小心|多[喝吃穿休注保]|少[喝吃])`)

// hold is tense and modality.
func (c *zhClause) hold(question bool) {
	f := &c.f
	soon := c.modal == "要" && c.aspect("了") // 我要搬家了
	past := !soon && c.aspect("了") || c.aspect("过") || zhPast[f.When.Text]
	future := false
	if f.Time.Kind == timex.Deictic {
		past = past || f.Time.Op == timex.Ago
		future = f.Time.Op == timex.Ahead
	}
	if strings.HasPrefix(f.When.Text, "下") || strings.HasPrefix(f.When.Text, "明") {
		future = true
	}
	if past {
		f.Tense = Past
		f.Begun = !c.passed && (c.aspect("了") || zhJust[f.When.Text]) && !c.has(zhFormer)
	}
	switch {
	case question:
		f.Modality = Question
	case c.if_:
		f.Modality = Condition
	case c.has(zhIfs) || strings.Contains(c.text, "的话"):
		f.Modality = Condition
	case c.hearsay:
		f.Modality = Hearsay
	case c.maybe:
		f.Modality = Condition
	case c.modal == "别", strings.HasSuffix(strings.TrimRight(c.text, " 。！!～~"), "吧") && !past:
		f.Modality = Imperative
	case f.Subject.Kind == Addressee && strings.HasPrefix(strings.TrimSpace(c.text), "请"), strings.HasPrefix(c.text, "请多") || strings.HasPrefix(c.text, "请你"):
		f.Modality = Imperative
	case c.dropped && strings.Contains(c.text, "了就"), c.dropped && strings.Contains(c.text, "过就"): // 考过了就申请
		f.Modality = Condition
	case c.alone && !past && zhUrges.MatchString(c.text):
		f.Modality = Imperative
	case zhSays[f.Verb]: // what is said may be of another time
	case f.Verb == "希望":
		f.Modality = Wish
	case zhVerbs[f.Verb] == "WANTS":
		f.Tense = Present
		if past {
			f.Tense = Past
		}
	case zhVerbs[f.Verb] == "PLANS":
		f.Modality, f.Tense = Plan, Future
		if f.Negated || f.Verb == "准备" && !c.verbAt(c.i) {
			f.Modality, f.Tense = Asserted, Present
		}
	case soon && f.Verb != "是", c.again && !past && zhBit.MatchString(f.Object.Text):
		f.Modality, f.Tense = Plan, Future
	case (c.modal == "要" || c.modal == "会" && (future || c.text != "" && f.Subject.Kind == Speaker && future)) && !past || future && !past && f.Verb != "是":
		f.Modality, f.Tense = Plan, Future
	case c.modal == "得" || c.modal == "必须":
		f.Modality, f.Tense = Plan, Future
	}
}

// aspect reports whether 了 or 过 is in the clause as a particle, or behind a verb in one word: not in 过来, 为了, 吃不了.
func (c *zhClause) aspect(mark string) bool {
	for k, w := range c.ws {
		if w.Form == mark && c.at(k-1) != "不" && c.at(k-1) != "得" || strings.HasSuffix(w.Form, mark) && zhVerbs[strings.TrimSuffix(w.Form, mark)] != "" && !zhFixed[w.Form] {
			return true
		}
	}
	return false
}

// zhFixed are verbs of whose own the last character is.
var zhFixed = set("受不了 通过 错过")

// has reports whether a word of the set is in the clause, and in no expression of time.
func (c *zhClause) has(words map[string]bool) bool {
	for k, w := range c.ws {
		if words[w.Form] && !c.inTime(k) {
			return true
		}
	}
	return false
}

// zhFormer are words of a time that is no longer; zhJust of one that has just begun.
var (
	zhFormer = set("以前 之前 从前 过去 曾 曾经 小时候 当时 当年 那时 那时候 原来 原先 原本 本来")
	zhJust   = set("刚 刚刚 刚才")
)

// lasted reports whether a state is said to have lasted for a time, but not up to now: 住了五年. 住了五年了 does, 已经住了五年 too.
func (c *zhClause) lasted() bool {
	return c.f.Begun && !strings.HasSuffix(strings.TrimRight(c.text, " 。.！!～~"), "了") && !c.has(zhAlready) &&
		slices.ContainsFunc(c.times, func(e timex.Expr) bool { return e.Kind == timex.Duration })
}

var (
	zhAlready = set("已经 已 快 都 一直 到现在 至今")
	zhLasting = set("LIVES_IN WORKS_AT WORKS_AS STUDIES STUDIES_AT HAS_PET")
)

var zhPast = set("以前 之前 从前 小时候 刚 刚刚 刚才 曾经 当时 昨天 前天 昨晚 去年")

// slot says what slot the clause fills, and is false for what is not worth keeping.
func (c *zhClause) slot() bool {
	f := &c.f
	f.Slot, f.Value = zhVerbs[f.Verb], f.Object
	f.Slot = cmp.Or(f.Slot, "DID")
	if zhLeaving[f.Verb] { // what is left fills no slot
		f.Value = Phrase{}
	}
	name := ""
	if m := zhWithName.FindStringSubmatch(f.Object.Text); m != nil && zhHolds[f.Verb] { // 有一只猫叫豆豆
		f.Object.Text, name = m[1], "，叫"+m[2]
		f.Value.Text = m[1]
	}
	obj := f.Object.Text
	pet := zhPet(obj)
	switch {
	case f.Verb == "讨厌" || f.Verb == "受不了" || f.Verb == "最怕" || f.Verb == "不爱":
		f.Slot, f.Negated = "PREFERS_TOPIC", !f.Negated
	case f.Verb == "有" && pet && !slices.ContainsFunc(c.ws[min(c.i, len(c.ws)):], func(w hanseg.Word) bool { return zhVerbs[w.Form] != "" && w.Form != "叫" }):
		f.Slot = "HAS_PET"
	case f.Slot == "HAS_PET" && !pet:
		f.Slot = "DID"
	case f.Verb == "有" && f.Negated && zhRelations[obj] != "": // 没对象
		f.Slot = "HAS_RELATIVE"
	case f.Verb == "有" && slices.ContainsFunc([]string{"孩子", "儿子", "女儿", "姐", "妹", "哥", "弟", "朋友"}, func(s string) bool { return strings.Contains(obj, s) }):
		f.Slot = "HAS_RELATIVE"
	case f.Verb == "是" && strings.HasSuffix(obj, "人") && !strings.Contains(obj, "个") && utf8.RuneCountInString(obj) <= 5 && utf8.RuneCountInString(obj) > 2:
		f.Slot, f.Value.Text = "COMES_FROM", strings.TrimSuffix(obj, "人")
	case f.Verb == "是" && zhOrigin.MatchString(obj):
		f.Slot, f.Value.Text = "COMES_FROM", zhOrigin.FindStringSubmatch(obj)[1]
	case f.Verb == "是" && zhStates[obj] != "":
		f.Slot = zhStates[obj]
	case (f.Verb == "有" || f.Verb == "得" || f.Verb == "是") && zhIll.MatchString(obj) && !strings.ContainsAny(obj, "没不"):
		f.Slot = "HAS_CONDITION"
	case f.Verb == "是" && (strings.HasSuffix(obj, "岁") || zhNumber.MatchString(obj)):
		f.Slot = "HAS_AGE"
	case f.Verb == "是" && strings.HasPrefix(obj, "个"):
		f.Value.Text = strings.TrimPrefix(obj, "个")
	case f.Verb == "是" && zhFeelings[strings.TrimRight(strings.TrimLeft(obj, "很太"), "坏死疯")]:
		f.Slot = "FEELS"
	case (f.Verb == "是" || f.Verb == "做" || f.Verb == "当" || f.Verb == "干") && slices.ContainsFunc(zhJobs, func(s string) bool { return strings.HasSuffix(obj, s) }):
		f.Slot = "WORKS_AS"
	case (f.Verb == "工作" || f.Verb == "上班" || zhServes[f.Verb] && zhEmployer.MatchString(f.Place.Text)) && f.Place.Text != "":
		f.Slot, f.Value = "WORKS_AT", f.Place
	case f.Slot == "LIVES_IN" && zhHousing.MatchString(cmp.Or(f.Place.Text, obj)): // 住三楼 is no rival of the town
		f.Slot = "DID"
	case (f.Slot == "LIVES_IN" || strings.HasPrefix(f.Verb, "搬") && strings.ContainsRune("到去回来进", firstRune(obj))) && f.Place.Text+obj != "":
		f.Slot, f.Value = "LIVES_IN", f.Object
		if f.Place.Text != "" {
			f.Value = f.Place
		}
		f.Value.Text = strings.TrimPrefix(strings.TrimPrefix(f.Value.Text, "在"), "到")
	case f.Verb == "叫" && f.Subject.Kind == Relative && f.Subject.Owner == nil && obj != "": // 我男朋友叫陈浩
		f.Slot, f.Value.Text = "HAS_RELATIVE", strings.TrimPrefix(f.Subject.Text, "我")+"，叫"+obj
		f.Subject = Mention{Kind: Speaker, Phrase: f.Subject.Phrase}
	case (f.Verb == "办" || f.Verb == "办理" || f.Verb == "开" || f.Verb == "开通") && zhMember.MatchString(obj):
		f.Slot = "HAS"
		if f.Place.Text != "" && !strings.Contains(obj, "的") { // 在健身房办了会员
			f.Value.Text = f.Place.Text + "的" + obj
		}
	case f.Verb == "过敏" && c.ba.Text != "":
		f.Slot, f.Value = "HAS_CONDITION", c.ba
		f.Value.Text += "过敏"
	case zhVerbs[f.Verb] == "STUDIES_AT" && zhPost.MatchString(obj), f.Slot == "MADE" && zhTreated.MatchString(obj), f.Slot == "STUDIES_AT" && c.topic.Text != "", f.Slot == "MADE" && c.at(c.i-1) == "到", f.Slot == "OWNS" && c.modal == "能": // 写到第三章, 买不起房
		f.Slot = "DID"
	case f.Slot == "OWNS" && c.forWhom && !strings.HasPrefix(c.event, c.prep+"自己"): // 给我爸买了手机
		f.Slot = "DID"
	case f.Verb == "去" && strings.Contains(c.text, "去过"):
		f.Slot = "VISITED"
	case c.modal == "会" && f.Modality == Asserted && f.Tense == Present && f.Slot == "DID" && f.When.Text == "" && !c.dropped && c.event == "" && utf8.RuneCountInString(obj) < 4 && f.Subject.Kind != Addressee: // 会弹吉他; 会 before more than the name of an activity is habit
		f.Slot, f.Value.Text = "HAS_SKILL", f.Verb+obj
	case f.Verb == "会" && (f.Modality == Plan || obj == ""):
		f.Slot = "DID"
	}
	if f.Modality == Plan {
		f.Slot = "PLANS"
	} else if zhLasting[f.Slot] && c.lasted() {
		f.Slot = "DID"
	}
	if f.Slot == "WORKS_AT" && f.Place.Text == "" && (f.Verb == "工作" || f.Verb == "上班") {
		f.Slot = "DID"
	}
	if f.Value.Text == "" || f.Slot == "DID" || f.Slot == "PLANS" || f.Slot == "WANTS" && obj == "" {
		if f.Slot == "DID" && f.Tense == Present && (habitual(f.When.Text) || c.never) {
			f.Slot = "HAS_HABIT"
		} else if f.Slot != "PLANS" && f.Slot != "FEELS" && f.Slot != "HAS_STATUS" && f.Slot != "HAS_CONDITION" && f.Slot != "HAS_HABIT" && f.Slot != "FOLLOWS_DIET" {
			f.Slot = "DID"
		}
		if f.Place.Text != "" && c.event == "" && f.Verb != "在" {
			c.by = "在" + f.Place.Text + c.by
		}
		f.Value = Phrase{Text: cmp.Or(c.event, c.by+f.Verb+obj), Start: f.Object.Start, End: f.Object.End}
		if zhLeaving[f.Verb] {
			if f.Value.Text = f.Verb; f.Slot == "DID" {
				f.Value.Text += strings.TrimSuffix(strings.TrimSuffix(c.tail, f.When.Text), "第")
			}
			if obj != "" && f.Slot == "DID" {
				f.Value.Text = "从" + obj + f.Value.Text
			}
		}
	}
	if f.Slot == "HAS_CONDITION" && zhVerbs[f.Verb] == f.Slot && zhMeasure.MatchString(obj) { // 近视八百度
		f.Value.Text = f.Verb + obj
	}
	if f.Slot == "OWNS" || f.Slot == "HAS" || f.Slot == "HAS_PET" { // as "a dog" is dog
		f.Value.Text = oneOf.ReplaceAllString(f.Value.Text, "")
	}
	if f.Slot == "HAS_PET" || f.Slot == "HAS_RELATIVE" {
		f.Value.Text += name
	}
	return c.worth()
}

// zhHolds are verbs of having, zhWithName what one has and how it is called.
var (
	zhHolds    = set("有 养 领养 收养 生")
	zhWithName = pattern.New(`^(.+?)(?:名字)?叫做?(\p{Han}{1,4})$`)
)

// zhTopic begins a comment on what is before it.
var zhTopic = pattern.New(`^(?:没|不[^错]|是)`)

// zhIll ends what one suffers from; zhNumber is a number alone: 我今年三十二, zhMeasure begins with one.
var zhMeasure = pattern.New(`^[一二三四五六七八九十百\d]`)
var zhOrigin = pattern.New(`^(?:老家|家乡|籍贯)是?在?(\p{Han}{2,8})$`)
var zhGrade = pattern.New(`^(?:小学?|初|高|大|研)[一二三四五六]$`)
var zhPost = pattern.New(`(?:员|师|编|证|公)$`) // what one may pass the examination for, and is no school
var zhTreated = pattern.New(`(?:手术|检查|体检|治疗|按摩|绝育|复查)$`)
var zhHousing = pattern.New(`(?:楼上?|层|宿舍|隔壁|对面|楼下|酒店)$`)
var zhYears = pattern.New(`^[一二三四五六七八九十\d]{1,4}(?:岁半?)?$`)
var zhIll, zhNumber = pattern.New(`(?:病|症|炎|痛|疼|伤|癌|瘤|过敏|高血压|糖尿病|哮喘|突出|增生|磨损|撕裂|结节|囊肿|息肉|积液|弱视|散光|白内障)$`), pattern.New(`^[一二三四五六七八九十\d]+$`)

// zhServes are verbs of what one does for an employer, whose name zhEmployer ends: 在物流公司做调度.
var zhServes, zhEmployer = set("做 当 干 担任 打工 兼职 实习"), pattern.New(`(?:公司|店|厂|医院|学校|银行|局|所|院|馆|集团|工作室|大学|酒店|饭店|餐厅|超市|企业|外企|国企|事务所|律所|工地|机关|单位|机场|报社|电台|幼儿园|[中小]学)$`)

// zhMember is what one has as a member or subscriber.
var zhMember = pattern.New(`(?:会员|卡|套餐|账号|订阅)$`)

// oneOf is the measure word of a single thing.
var oneOf = pattern.New(`^(?:一|了)?(?:个|只|条|辆|台|把|本|部|间|套|张|架|匹|栋|艘|头|支|块|双)`)

// zhPersonal are slots of what is said of people only.
var zhPersonal = set("FEELS PREFERS_TOPIC HAS_CONDITION PLANS")

// worth reports whether the fact is worth keeping, and sets its confidence and tier.
func (c *zhClause) worth() bool {
	f := &c.f
	obj := f.Object.Text
	if zhTopic.MatchString(obj) && (zhVerbs[f.Verb] == "DID" || f.Slot == "HAS_HABIT") { // 喝酒没输过, 跑步是别想了: what the verb names is the topic
		return false
	}
	if strings.Contains(obj, "什么") || zhIdle[f.Verb] && obj == "" || zhIdioms[f.Verb+obj] || f.Verb == "是" && (obj == "" || strings.HasPrefix(obj, "这") || strings.HasPrefix(obj, "不是") || strings.HasPrefix(obj, "啥") || f.Negated && (strings.HasPrefix(obj, "不") || c.verbAt(c.i))) || zhNothing[f.Verb] {
		return false
	}
	if c.dropped && zhOfThings[f.Verb] {
		return false
	}
	f.Confidence, f.Tier = 0.87, Default
	low := func(by float64) { f.Confidence -= by }
	personal := zhPersonal[f.Slot] && (f.Slot != "PLANS" || zhVerbs[f.Verb] == "PLANS")
	if c.dropped && (!personal || c.alone && f.Slot == "FEELS") && !((past(f) || c.going || c.never || f.passive) && (personal || !zhIdle[f.Verb] || f.Slot == "HAS_HABIT")) || c.dropped && (f.Slot == "HAS_OPINION" || f.Slot == "WANTS" || f.Slot == "HAS") {
		low(0.1) // nobody is named, and nothing says that it happened
	}
	if zhHere[obj] || c.alone && strings.Contains(obj, "的人") { // 喜欢安静的人不一定孤独: of people in general
		low(0.1)
	}
	if obj == "" && c.by == "" && (f.Modality != Plan || f.When.Text == "") && f.Place.Text == "" && (zhActs[f.Verb] || (c.dropped || f.Negated) && utf8.RuneCountInString(strings.TrimRight(f.Verb, "过了")) == 1) {
		low(0.1) // nobody can tell later what was meant
	}
	if c.unsure && !personal {
		low(0.1)
	}
	if c.dropped {
		low(0.04)
		if !personal && (zhVerbs[f.Verb] == "" && !f.passive && !c.does && !c.done() || zhVerbs[f.Verb] == "IS") {
			low(0.3)
		}
	}
	if f.Modality != Asserted && f.Modality != Plan {
		low(0.4)
	}
	switch f.Subject.Kind {
	case Addressee:
		low(0.3)
	case Pronoun, Described:
		low(0.08)
	}
	if strings.HasPrefix(obj, "得") && c.dropped || obj == "" && strings.HasSuffix(f.Verb, "到") || c.dropped && zhGoes[f.Verb] && c.marked && c.at(c.i-1) == "了" && (c.verbAt(c.i) || zhPreps[c.at(c.i)]) { // 看得太清, 收到了, 来了给你看
		low(0.1)
	}
	if zhVerbs[f.Verb] == "" && !personal && !f.passive && !c.does && (zhIdle[f.Verb] && f.Verb != "让" || c.dropped && !c.done() || !c.dropped && !c.marked && f.When.Text == "" && !c.never || obj == "" && !past(f) || f.Verb == "在") {
		low(0.1)
	}
	if zhIdle[f.Verb] && !personal && f.Verb != "有" && utf8.RuneCountInString(obj) < 2 {
		low(0.15)
	}
	return f.sure()
}

// zhDegree are complements of how much one feels.
var zhDegree = set("死 坏 疯 死我 坏我 要死 得要命 得不行 得很 得要死")

// habitual reports whether words of time say that something is done again and again.
func habitual(when string) bool {
	switch when {
	case "天天", "经常", "常常", "平时", "总是", "usually", "always", "often", "regularly", "weekly", "daily", "a day", "a week", "a month", "a year":
		return true
	}
	return strings.HasPrefix(when, "每") || strings.HasPrefix(strings.ToLower(when), "every")
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

func past(f *Fact) bool { return f.Tense == Past || f.When.Text != "" }

// zhHere are objects that mean nothing away from the talk.
var zhHere = set("你 我 他 她 它 这 那 这个 那个 这样 那样 这里 那里 这些 那些 你们 我们 他们 一下 下")

// zhIdle verbs need a real object to say something.
var zhIdle = set("说 告诉 问 看 做 有 是 去 来 给 用 找 得 想 觉得 感觉 认为 会 知道 让 弄 搞 带 点 上 开 打 放 等 见 没有 叫 提")

// zhNothing verbs say nothing of a person.
var zhNothing = set("谢谢 麻烦 算 像 好像 等于 以为 觉着 看来 可见 使 令 推进 行")

var zhIdioms = set("说真的 看情况 想一下 看一下 有意思 有道理 有可能 来说 说来 没事 有时候 是吧 是啊 是这样 是的 知道 不知道")
