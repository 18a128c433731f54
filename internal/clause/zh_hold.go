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

// When a Chinese clause is so, and how it is held.

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
		if strings.HasSuffix(c.text[:e.Pos], "到") && f.Object.Text == f.When.Text || strings.HasPrefix(f.Object.Text, f.When.Text+"的") { // 改到周日, 坐周日的车
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
		if zhWhen[w.Form] || zhAdverbs[w.Form] && zhDayAhead.MatchString(w.Form) { // 中秋
			f.When = Phrase{Text: w.Form, Start: c.start + w.Start, End: c.start + w.End}
			return
		}
	}
}

// zhWhen are words of time that name no day.
var zhWhen = set("最近 以前 之前 从前 小时候 刚 刚刚 刚才 现在 目前 一直 经常 常常 每天 天天 平时 总是 偶尔 有时 从来 后来 曾经 将来 以后 当时 当年 那会儿 那时 那时候 那阵子 上回 上次 早上 晚上 中午 下午 上午 未来 周末")

// zhAsks reports whether the clause asks: by a particle, a question word, or a verb and
// its denial (是不是, 有没有).
func zhAsks(c *zhClause) bool {
	t := strings.TrimRight(c.text, " 。！？!?~～…")
	if zhRetort.MatchString(t) && !strings.ContainsAny(c.text, "？?你您") { // 人家有女朋友好吗
		return false
	}
	if zhWh.MatchString(t) && !zhAny.MatchString(t) {
		return true
	}
	if c.asks && !zhAny.MatchString(t) || strings.HasSuffix(t, "吗") || strings.HasSuffix(t, "么") && !strings.HasSuffix(t, "什么") || zhTag.MatchString(t) || strings.HasSuffix(c.text, "？") || strings.HasSuffix(c.text, "?") {
		return true
	}
	return slices.ContainsFunc([]string{"是不是", "有没有", "能不能", "可不可以", "要不要", "会不会", "好不好", "对不对", "对吧"}, func(a string) bool {
		before, _, found := strings.Cut(t, a)
		return found && !strings.ContainsAny(before, "定道")
	})
}

// zhRetort is a statement with a question behind it that asks nothing.
var zhRetort = pattern.New(`^[^别要]*[有是][^别要]+好[吗吧][。.…！!~～ ]*$`)

// zhWh are words that ask; with one of zhAny they stand for anything or are told of (谁都不知道).
var (
	zhWh  = pattern.New(`怎么办|往哪|干[吗嘛啥么]|[什啥]么?时候|几[点岁号]|为什么|为啥|怎样|怎么样|咋|[在去住到从]哪|哪(?:[里儿个天位家些年]|$)|谁|多少钱|多[久长大远高]$|多长时间`)
	zhTag = pattern.New(`(?:[^不是对]不|[^有还就都也]没|了没有)[啊呀]?$`) // 去不, 换没
	zhAny = pattern.New(`都|也|知道|忘|无论|不管|随便|问|告诉`)
)

var zhIfs = set("如果 要是 假如 万一 如 若 只要 除非 要不是 早知道")

var zhSays = set("说 告诉 问 提 叫 让")

// zhBit is how long one will go on: 再刷会儿.
var zhBit = pattern.New(`^(?:一?会儿?|一下|一阵)`)

// zhUrges begins what others are told to do.
var zhUrges = pattern.New(`^\s*(?:记得|注意|加油|早点|赶紧|赶快|快点|请|祝|保重|小心|多[喝吃穿休注保]|少[喝吃])`)

// zhBeWell ends what others are told to be (回家小心点, 儿子上课认真点), zhAgrees what will do (发到邮箱就可以了).
var zhBeWell, zhAgrees = pattern.New(`(?:小心|认真|仔细|快|慢|早|乖|注意|温柔|客气)一?点[啊呀哈哦吧！!。~～]*$`), pattern.New(`就(?:可以|行|好|成)了?[。！!~～]*$`)

// hold is tense and modality.
func (c *zhClause) hold(question bool) {
	f := &c.f
	c.going = c.going || strings.HasSuffix(strings.TrimRight(c.text, " 。！!～~…"), "呢") && !question && !c.marked && !f.Negated && !c.has(zhOften) && utf8.RuneCountInString(c.text) < 10 // 开会呢
	soon := c.modal == "要" && c.aspect("了")                                                                                                                                             // 我要搬家了
	past := !soon && c.aspect("了") || c.aspect("过") || zhPast[f.When.Text]
	future := false
	if f.Time.Kind == timex.Deictic {
		past = past || f.Time.Op == timex.Ago
		future = f.Time.Op == timex.Ahead
	}
	if strings.HasPrefix(f.When.Text, "下") || strings.HasPrefix(f.When.Text, "明") {
		future = true
	}
	if future && !strings.HasPrefix(f.When.Text, "下午") && !c.aspect("过") && zhVerbs[f.Verb] == "DID" && !f.Negated { // 明天就放假了
		past = false
	}
	if past {
		f.Tense = Past
		f.Begun = !c.passed && (c.aspect("了") || zhJust[f.When.Text]) && !c.has(zhFormer)
	}
	switch {
	case question && !c.asking:
		f.Modality = Question
	case c.if_:
		f.Modality = Condition
	case c.has(zhIfs) || strings.Contains(c.text, "的话"):
		f.Modality = Condition
	case c.hearsay:
		f.Modality = Hearsay
	case c.maybe:
		f.Modality = Condition
	case c.modal == "别", c.has(zhDont), strings.HasSuffix(strings.TrimRight(c.text, " 。！!～~"), "吧") && !past && !(c.planned && c.dropped && f.Time.Kind == timex.Duration):
		f.Modality = Imperative
	case f.Subject.Kind == Addressee && strings.HasPrefix(strings.TrimSpace(c.text), "请"), strings.HasPrefix(c.text, "请多") || strings.HasPrefix(c.text, "请你"):
		f.Modality = Imperative
	case c.dropped && strings.Contains(c.text, "了就") && c.planned:
		f.Modality, f.Tense = Plan, Future
	case c.dropped && strings.Contains(c.text, "了就"), c.dropped && strings.Contains(c.text, "过就"), c.dropped && strings.Contains(c.text, "了再"): // 考过了就申请, 干了再浇
		f.Modality = Condition
	case c.alone && !past && (zhUrges.MatchString(c.text) || f.Subject.Kind == Speaker && c.has(zhAdvice) || zhAgrees.MatchString(c.text)), (c.dropped || f.Subject.Kind == Relative && f.Subject.Owner == nil) && zhBeWell.MatchString(c.text):
		f.Modality = Imperative
	case zhSays[f.Verb]: // what is said may be of another time
	case f.Verb == "希望":
		f.Modality = Wish
	case f.Negated && f.Verb == "去" && f.Begun && strings.Contains(c.text, "不去"): // 不去京都了: it was meant to be
		f.Modality, f.Tense, f.Begun = Plan, Future, false
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
	case f.Modality == Asserted && f.Tense == Present && !past && c.scheduled(), f.Modality == Asserted && c.prospective():
		f.Modality, f.Tense, f.Begun = Plan, Future, false
	case c.modal == "得" || c.modal == "必须":
		f.Modality, f.Tense = Plan, Future
	}
}

// scheduled reports whether an act is named with a day that is neither past nor repeated, and nothing says that it is done: 周五搬家, 国庆去海边.
func (c *zhClause) scheduled() bool {
	if s := cmp.Or(zhVerbs[c.f.Verb], "DID"); s != "DID" && s != "VISITED" && s != "OWNS" && !(s == "LIVES_IN" && c.planned && c.f.Time.Kind == timex.Duration) || c.f.Negated && !(c.never && c.modal != "能" && zhThisDay.MatchString(c.f.When.Text)) || c.going || c.marked || c.aspect("着") || c.has(zhOften) || zhSays[c.f.Verb] {
		return false
	}
	if zhHappens[c.f.Verb] || c.dropped && c.has(zhAdvice) {
		return false
	}
	if c.planned && c.f.When.Text == "" && (c.f.Verb == "在" || c.has(zhAlready) || !c.dropped && c.f.Place.Text != "" || zhVerbs[zhBase(c.f.Verb)] == "" && zhVerbs[string(firstRune(c.f.Verb))] == "" || strings.Contains(c.f.Object.Text, "我") || c.f.Object.Text == "" && zhVerbs[c.f.Verb] == "") {
		c.planned = false
	}
	if w := c.f.When.Text; strings.HasSuffix(w, "号") && !strings.Contains(w, "月") && slices.ContainsFunc(c.ws, func(n hanseg.Word) bool { return n.Start == c.f.Time.End && strings.ContainsRune("nq", rune(n.Class)) }) { // 2号车厢
		return false
	}
	if o := c.f.Object.Text; strings.HasSuffix(o, "那个") || strings.HasSuffix(o, "这个") { // 周六爬山那个
		return false
	}
	return !strings.HasSuffix(strings.TrimRight(c.text, " 。！!～~"), "的") && (zhDayAhead.MatchString(c.f.When.Text) || zhMoves[c.f.Verb] && (zhPartOfDay.MatchString(c.f.When.Text) || c.f.Time.Kind == timex.Clock) || c.f.Negated || c.after || c.offers() || c.planned && (c.f.When.Text == "" || c.f.Time.Kind == timex.Duration))
}

// zhAhead is a day that is neither past nor repeated.
const zhAhead = `^(?:这|本)?(?:[一二三四五六七八九十\d]{1,2}月(?:份|[底初中]|[一二三四五六七八九十\d]{1,3}[号日])?|[一二三四五六七八九十\d]{1,3}[号日]|今晚|过[一两三几]天|待会儿?|等会儿?|回头|周末|[周]?(?:周|星期|礼拜)[一二三四五六日天]|国庆|春节|元旦|中秋|端午|清明|五一|十一|过年|暑假|寒假|年底|月底)`

// offers reports whether the speaker says what they will do, for the person spoken to or now: 我去接你, 我给你打电话, 我把烟灰缸收起来, 蛋糕我来订. What is done already has 了 or a result.
func (c *zhClause) offers() bool {
	if !c.dropped && !c.going && c.f.Subject.Kind == Speaker && !c.f.Negated && c.modal == "" && !c.has(zhOften) && !habitual(c.f.When.Text) && (c.ba.Text != "" && strings.Contains(c.text, "把") || c.ahead()) {
		return true
	}
	return !c.dropped && !c.going && c.f.Place.Text == "" && c.f.Subject.Kind == Speaker && !strings.HasSuffix(c.f.Object.Text, "事") && (c.at(c.placed) == "给" && c.at(c.placed+1) == "你" || strings.HasPrefix(c.ba.Text, "你") && c.forWhom || c.verbAt(c.placed-1) && zhForYou[c.at(c.placed-1)] && c.at(c.placed-1) != "看" && c.at(c.placed) == "你" && c.at(c.placed+1) != "的" || zhGoes[c.f.Verb] && zhForYou[c.at(c.placed)] && c.at(c.placed+1) == "你")
}

// prospective reports whether an act of the speaker's is still to come by its form. Chinese marks what is done (了 or 过 behind the verb, a result) and what goes on (在, 着, 呢). An act without such a mark that follows at once (马上回家了), takes but a moment (我回头问问),
// or for which one sets out (我去教室) is meant to come, unless the clause names a time that is over, or how often.
func (c *zhClause) prospective() bool {
	f := &c.f
	moves := zhGoes[f.Verb] || zhMoves[f.Verb]
	end := strings.TrimRight(c.text, " 。！!～~啊哈哦呀啦")
	switch {
	case f.Subject.Kind != Speaker || c.going || c.by != "" || c.passed || c.aspect("着") || c.has(zhOften) || habitual(f.When.Text) || c.has(zhFormer) || zhPast[f.When.Text] || f.Time.Kind == timex.Duration || f.Time.Kind == timex.Deictic && f.Time.Op == timex.Ago,
		zhVerbs[f.Verb] != "" && zhVerbs[f.Verb] != "DID" && zhVerbs[f.Verb] != "VISITED" || zhSays[f.Verb]:
		return false
	case f.Negated:
		return moves && c.never && c.modal == ""
	case c.has(zhSoon), strings.HasPrefix(c.text, "以后"), c.modal == "会" && strings.HasSuffix(end, "的"): // 我会记得的
		return true
	case c.modal != "" && !moves, strings.HasSuffix(end, "的"), c.at(c.placed-1) == "了", c.dropped, c.marked || c.aspect("了"), strings.HasSuffix(f.Verb, "了"): // 我去超市了: one may be on the way, or there
		return false
	}
	return moves && f.Object.Text != "" || c.has(zhNext) || zhBit.MatchString(f.Object.Text) || delimited(c.text[max(0, strings.Index(c.text, f.Verb)):])
}

// zhSoon are adverbs of what follows at once or later, zhNext such as put acts in order, which may be done.
var zhSoon, zhNext = set("马上 立刻 立马 这就 回头 待会 待会儿 等会 等会儿 等下 一会 一会儿"), set("先 再 赶紧 赶快")

// delimited reports whether a verb phrase is of a moment: 问问, 查一查, 看一下, 睡会儿.
func delimited(phrase string) bool {
	if strings.Contains(phrase, "一下") {
		return true
	}
	r := []rune(phrase)
	for i := range min(4, len(r)) {
		if i+1 < len(r) && r[i] == r[i+1] || i+2 < len(r) && r[i+1] == '一' && r[i] == r[i+2] {
			return true
		}
	}
	return false
}

// ahead reports whether an act without a mark that it is done is one that the speaker is about to do: it ends with where something goes (带过去), is taken on (我来订), or gives
// the person spoken to something (转你一半).
func (c *zhClause) ahead() bool {
	obj, last := c.f.Object.Text, c.at(len(c.ws)-1)
	return zhResults[last] && utf8.RuneCountInString(last) == 2 || c.f.Verb == "来" && obj != "" && c.f.Place.Text == "" ||
		strings.HasPrefix(obj, "你") && obj != "你" && !strings.HasPrefix(obj, "你的") && !strings.HasPrefix(obj, "你们")
}

// zhMoves are verbs of motion, which zhPartOfDay, a part of a day that is not named, makes one of today: 我晚上回去吃.
var zhMoves, zhPartOfDay = set("去 来 过去 过来 回 回来 回去 回家 出去"), pattern.New(`^(?:早上|上午|中午|下午|傍晚|晚上)$`)

var zhDont = set("别")

// zhAdvice are words of what others are told to do.
var zhAdvice = set("早点 早些 好好 注意 小心 记得 千万")

// zhForYou are verbs of what is done for or with somebody, zhHappens of what nobody plans.
var zhForYou, zhHappens = set("找 接 送 带 帮 请 陪 教 借 还 告诉 通知 联系 看"), set("发现 发觉 看到 看见 听到 收到 知道 忘 忘记 记得 认识 遇到 遇见 碰见 丢 得 输 赢 生病 祝")

var (
	zhDayAhead = pattern.New(zhAhead)
	zhThisDay  = pattern.New(`^(?:今天|今晚|明天|后天)|` + strings.TrimPrefix(zhAhead, "^"))
	zhOften    = set("都 每 一般 平时 通常 经常 常 常常 总 总是 老 老是 偶尔 有时 一直")
)

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

var zhPast = set("以前 之前 从前 小时候 刚 刚刚 刚才 曾经 当时 当年 那会儿 那时 那时候 那阵子 上回 上次 昨天 前天 昨晚 去年")

// habitual reports whether words of time say that something is done again and again.
func habitual(when string) bool {
	switch when {
	case "天天", "经常", "常常", "平时", "总是", "usually", "always", "often", "regularly", "weekly", "daily", "a day", "a week", "a month", "a year":
		return true
	}
	return strings.HasPrefix(when, "每") || strings.HasPrefix(strings.ToLower(when), "every")
}

func past(f *Fact) bool { return f.Tense == Past || f.When.Text != "" }
