package clause

import (
	"slices"
	"strings"
	"unicode/utf8"

	"membench/internal/hanseg"
	"membench/internal/pattern"
)

// The verb of a Chinese clause, what stands before it, and its object.

// verb reads prepositional phrases, the verb and its object.
func (c *zhClause) verb() bool {
	if ok, whole := c.prepositions(); whole {
		return ok
	}
	if k := c.whenClause(); k > 0 { // 退休以后天天去公园
		c.i = k
		c.more()
		return c.verb()
	}
	if c.i >= len(c.ws) || c.saysNothing() {
		return false
	}
	if ok, whole := c.predicate(); whole {
		return ok
	}
	v := c.i
	c.i++
	c.complements()
	return c.object(v)
}

// prepositions reads what stands before the verb and says where, with whom or on what. If that is all of the clause, whole is true, and ok says whether it states something.
func (c *zhClause) prepositions() (ok, whole bool) {
	f := &c.f
	for steps := 0; steps < 4 && zhPreps[c.at(c.i)] && c.at(c.i) != ""; steps++ {
		p := c.at(c.i)
		if p == "在" && c.verbAt(c.i+1) && c.at(c.i+2) != "时" && c.at(c.i+2) != "的" && !zhEmployer.MatchString(c.at(c.i+1)) && !(zhVerbs[c.at(c.i+1)] == "" && zhVerbs[c.at(c.i+2)] == "DID" && c.class(c.i+2) != 'u') && !(zhVerbs[c.at(c.i+1)] == "" && zhRoom.MatchString(c.at(c.i+2))) && (c.class(c.i+2) != 'n' || c.nextVerb(c.i+2, false) < 0) { // 在看书: going on
			c.going = true
			c.i++
			continue
		}
		if c.at(c.i+1) == "着" { // 对着窗外发呆
			c.i++
		}
		v := c.nextVerb(c.i+1, p == "把" || p == "将")
		if last := len(c.ws) - 1; p == "在" && v > 0 && v < last && zhAtWork[c.at(last)] && c.class(v) == 'v' && zhVerbs[c.at(v)] == "" { // 在字节跳动工作
			v = last
		}
		if p == "被" && c.verbAt(c.i+1) { // 被骂了
			v = c.i + 1
		}
		if v < 0 {
			if p == "叫" && f.Subject.Kind == Relative { // 我男朋友叫陈浩
				f.Verb, f.Object = p, c.objectPhrase(c.i+1)
				return f.Object.Text != "", true
			}
			if p == "在" && c.i+1 < len(c.ws) { // 我在家
				f.Verb, f.Object = "在", c.objectPhrase(c.i+1)
				f.Place = f.Object
				return f.Object.Text != "", true
			}
			return false, true
		}
		np := c.span(c.i+1, v)
		switch p {
		case "在", "于":
			f.Place = np
		case "往":
			c.by = p + np.Text
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
			return !c.dropped, true
		case "使", "由", "离": // 离地铁十分钟
			return false, true
		}
		c.i = v
		if w := c.at(v); (w == "来" || w == "去") && c.verbAt(v+1) { // 用它来记事
			c.i++
		}
		c.more()
	}
	return false, false
}

// zhAtWork are verbs of what one does for an employer.
var zhAtWork = set("工作 上班 打工 实习 任职 就职")

// saysNothing reports whether the word at the verb's place only looks like a verb.
func (c *zhClause) saysNothing() bool {
	w, next := c.at(c.i), c.at(c.i+1)
	switch {
	case zhFalseNegation[w], next == "的" && c.at(c.i+2) != "是" && c.i+2 < len(c.ws) && (c.dropped || c.nextVerb(c.i+2, false) > 0): // 旅游的事…, 我养的猫死了
	case w == "信" && c.f.Negated && c.dropped && c.verbAt(c.i+1): // 不信看步数
	case next == "归" && c.at(c.i+2) == w: // 喜欢归喜欢
	case strings.HasPrefix(next, "起来") && (w == "听" || w == "看" || w == "说" || w == "想"): // 听起来…
	case w == "想" && c.i+1 < len(c.ws) && strings.ContainsRune("出起到", firstRune(next)): // 想出, 想起来
	case w == "会" && c.class(c.i+1) != 'n' && c.class(c.i+1) != 'm' && !c.verbAt(c.i+1): // 会这样
	case w == "是" && zhAdverbs[next] && !c.inTime(c.i+1) && !c.told(c.i+1): // 是特意布置的
	case (w == "没有" || w == "没") && c.class(c.i+1) == 'i':
	default:
		return false
	}
	return true
}

// predicate reads the verb. Where it is all of what is said, or a noun or adjective says it, whole is true, and ok says whether it states something.
func (c *zhClause) predicate() (ok, whole bool) {
	f := &c.f
	be := func(verb string) (bool, bool) {
		f.Verb, f.Object = verb, c.objectPhrase(c.i)
		return f.Object.Text != "", true
	}
	w := c.at(c.i)
	switch {
	case w == "是" && c.told(c.i+1): // 是去年来的深圳, 是坐高铁来的
		c.i++
		c.more()
		ok = c.verb()
		f.Tense = Past
		return ok, true
	case zhOwnState[w] && c.i+1 < len(c.ws) && c.commented(c.i+1): // 腰疼, 嗓子哑了
		c.own = true
		be("是")
		for k := c.i + 2; k+1 < len(c.ws); k++ { // 血压高还不听劝
			if zhMore[c.at(k)] && (c.class(k-1) == 'a' || zhIll.MatchString(c.at(k-1))) && c.verbAfter(k+1) {
				f.Object = c.span(c.i, k)
				return true, true
			}
		}
		for k := c.i + 1; k < len(c.ws); k++ {
			if w := zhBase(c.at(k)); zhVerbs[w] != "" && zhVerbs[w] != "PREFERS_TOPIC" && !zhAdverbs[w] && !zhNegations[w] && !zhFeelings[w] && !zhIll.MatchString(f.Object.Text) { // 脚崴了, 膝盖手术
				f.Verb, c.event = w, f.Object.Text
				break
			}
		}
		return true, true
	case c.at(c.i+1) == "的" && c.at(c.i+2) == "是" && zhOwnState[c.at(c.i+3)] && c.i+4 >= len(c.ws) && (zhIll.MatchString(w) || zhFeelings[w]): // 疼的是脚后跟
		c.own = true
		f.Verb, f.Object = "是", c.span(c.i+3, c.i+4)
		f.Object.Text += w
		return true, true
	case w == "没有" || w == "没":
		f.Verb, f.Negated = "有", true
	case zhGoes[w] && c.verbAt(c.i+1) && zhVerbs[zhBase(c.at(c.i+1))] != "" && zhVerbs[zhBase(c.at(c.i+1))] != "DID": // 去领养了一只猫
		c.i++
		return c.verb(), true
	case w == "改" && (c.inTime(c.i+1) || zhDayAhead.MatchString(c.at(c.i+1))): // 改周日搬了
		v := c.i
		c.i++
		c.more()
		if ok = c.verb(); ok {
			f.Modality, c.event, c.after = Plan, c.objectPhrase(v).Text, true
		}
		return ok, true
	case zhVerbs[zhBase(w)] != "":
		f.Verb = zhBase(w)
		if v, ok := strings.CutSuffix(w, "了"); ok && zhVerbs[v] == zhVerbs[w] { // the lexicon has 吃了 for the sake of cutting
			f.Verb, f.Tense, c.marked = v, Past, true
		}
	case c.class(c.i) == 'i' && zhVerbs[string(firstRune(w))] != "": // 打呼噜
		f.Verb = w
	case c.class(c.i) == 'n' && c.i+1 < len(c.ws) && c.at(c.i+1) != "过敏" && zhIll.MatchString(c.objectPhrase(c.i).Text): // 我腰椎间盘突出
		return be("有")
	case c.class(c.i) == 'n' && c.ill() > 0: // 我妈腰椎间盘突出干不了重活
		f.Verb, f.Object = "有", c.span(c.i, c.ill())
		c.i = c.ill()
		return true, true
	case c.at(c.i+1) == "过敏" && !zhAdverbs[w]: // 我酒精过敏
		c.ba = c.span(c.i, c.i+1)
		c.i++
		f.Verb = "过敏"
	case w == "烦" && c.isSpoken(c.i+1) && c.at(c.i+1) != "不" && !zhResults[c.at(c.i+1)] && !zhDegree[c.objectPhrase(c.i+1).Text]: // 烦开会
		f.Verb = "讨厌"
	case zhFeelings[w]:
		be("是")
		return true, true
	case c.class(c.i) == 'v' || c.predicative(c.i):
		f.Verb = w
	case !c.dropped && f.Subject.Kind != Addressee && c.class(c.i) == 'a' && !c.isSpoken(c.i+1) && utf8.RuneCountInString(w) > 1 && !zhPraise[w]: // 她很年轻
		return be("是")
	case !c.dropped && zhKind.MatchString(c.objectPhrase(c.i).Text) && c.nominal(c.i, len(c.ws)): // 他四川人
		return be("是")
	case zhGrade.MatchString(c.objectPhrase(c.i).Text): // 我儿子高三了
		return be("是")
	case c.class(c.i) == 'n' && c.i+1 < len(c.ws) && f.Subject.Kind != NoOne && !c.dropped && (zhAdverbs[c.at(c.i+1)] || c.class(c.i+1) == 'a' || c.class(c.i+1) == 'd'): // 我年龄有点大: topic and comment
		return be("是")
	case (!c.dropped || len(c.times) > 0 && c.times[0].End <= c.ws[c.i].Start || strings.Contains(c.text, "岁")) && (c.class(c.i) == 'm' || strings.Contains(c.text, "岁")) && zhYears.MatchString(c.objectPhrase(c.i).Text): // 我今年三十二
		return be("是")
	default:
		return false, true
	}
	return true, false
}

// complements reads the particles and complements behind the verb.
func (c *zhClause) complements() {
	f := &c.f
	for slices.Contains(zhAspects, c.at(c.i)) || c.at(c.i) == "完" || c.at(c.i) == "到" && c.at(c.i-1) != "搬" || c.at(c.i) == "好" {
		w := c.at(c.i)
		if w == "到" && !c.isSpoken(c.i+1) && zhVerbs[f.Verb+w] == "" && utf8.RuneCountInString(f.Verb) == 1 { // 报到
			c.reached = w
		}
		if w == "了" || w == "过" || w == "完" && !slices.ContainsFunc(c.ws[c.i+1:], func(w hanseg.Word) bool { return w.Form == "再" || w.Form == "得" || w.Form == "要" }) {
			f.Tense = Past
			c.marked, c.passed = true, c.passed || w == "过"
		}
		c.i++
	}
	if no := c.at(c.i); (no == "不" || no == "得") && zhPotential[c.at(c.i+1)] { // 吃不了, 买得起
		f.Negated, c.never, c.modal = f.Negated != (no == "不"), !zhAttains[c.at(c.i+1)], "能"
		c.i += 2
	} else if zhResults[c.at(c.i)] && c.at(c.i+1) == "了" { // 考下来了
		f.Tense = Past
		c.i++
	} else if utf8.RuneCountInString(c.at(c.i)) == 2 && zhResults[c.at(c.i)] && c.class(c.i+1) == 'm' && !c.inTime(c.i+1) && c.modal == "" && !f.Negated { // 救回来四条
		f.Tense, c.marked, c.reached = Past, true, c.at(c.i)
		c.i++
	}
	if c.at(c.i) == "上" && zhVerbs[f.Verb] == "PREFERS_TOPIC" && c.isSpoken(c.i+1) { // 喜欢上写诗
		c.i++
	}
	if c.at(c.i) == "的" && c.at(c.i+1) == "是" { // 学的是会计
		c.i += 2
	}
}

// object reads what stands behind the verb at word v, with what 把 or a topic puts before it, and is false for a clause that is not about its subject.
func (c *zhClause) object(v int) bool {
	f := &c.f
	if c.at(c.i) == "的" && c.aspect("了") && c.class(len(c.ws)-1) != 'n' && zhVerbs[f.Verb] == "" { // 我腌的菜好了
		return false
	}
	f.Object, c.placed = c.objectPhrase(c.i), c.i
	if zhRelations[f.Object.Text] != "" && c.marked && (zhActs[f.Verb] || zhGoes[f.Verb] || zhOfThings[f.Verb] || f.Verb == "回") && f.Verb != "送" && f.Verb != "请" { // 吃了妈: who is spoken to
		f.Object = Phrase{Start: f.Object.Start, End: f.Object.Start}
	}
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
	if topic := strings.Trim(c.topic.Text, " 《》“”，"); topic != "" && (!zhToward[f.Verb] || c.topic.Start >= c.start) && (c.counted(c.i) || zhVerbs[f.Object.Text] != "") {
		f.Object.Text += topic // 杂文我一直爱读
		f.Object.Start, f.Object.End = c.topic.Start, c.topic.End
	}
	return true
}

// zhRoom ends the name of a place that begins with a verb: 自习室.
var zhRoom = pattern.New(`^(?:室|馆|厅|楼|店|站|场|院|处|中心)$`)

// zhSomebody reports whether a noun is one for a person.
func zhSomebody(w string) bool {
	return zhRelations[w] != "" || strings.HasSuffix(w, "人") || w != "" && slices.ContainsFunc(zhJobs, func(s string) bool { return strings.HasSuffix(w, s) })
}

// zhGoes are verbs of motion before what one goes to do.
var zhGoes = set("去 来 过去 过来 跑去")

// zhPraise are adjectives of assent, not of what somebody is like; zhKind ends what somebody is, without 是.
var (
	zhPraise = set("可以 不错 一样 同样 方便 厉害 清楚 明白 正常 正好 容易 确定 可惜 奇怪")
	zhKind   = pattern.New(`(?:..人|座|\d0后|型血|户口|独生女|独生子)$`)
)

// zhAppears are verbs with what appears or is gone behind them, zhOfThings those whose subject is a thing.
var zhAppears, zhOfThings = set("走 来 死 跑 飞 停 出 下 刮 涨 降 跌 断 发生 出现 多 少 剩 掉 漏"), set("到 到期 过期 升级 重启 上线 下线 停")
