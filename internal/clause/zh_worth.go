package clause

import (
	"strings"
	"unicode/utf8"

	"membench/internal/pattern"
)

// Whether what a Chinese clause says is worth keeping.

// zhTopic begins a comment on what is before it.
var zhTopic = pattern.New(`^(?:没|不[^错]|是)`)

// zhStands are slots of what a clause without a subject says of the speaker, too: 在星河公司上班.
var zhStands = set("LIVES_IN WORKS_AT WORKS_AS STUDIES FOLLOWS_DIET")

// zhPersonal are slots of what is said of people only.
var zhPersonal = set("FEELS PREFERS_TOPIC HAS_CONDITION PLANS")

// worth reports whether the fact is worth keeping, and sets its confidence and tier.
func (c *zhClause) worth() bool {
	f := &c.f
	obj := f.Object.Text
	if zhTopic.MatchString(obj) && (zhVerbs[f.Verb] == "DID" || f.Slot == "HAS_HABIT") { // 喝酒没输过, 跑步是别想了: what the verb names is the topic
		return false
	}
	if strings.Contains(obj, "什么") || zhIdle[f.Verb] && obj == "" && !(zhGoes[f.Verb] && f.When.Text != "") || zhIdioms[f.Verb+obj] || f.Verb == "是" && (obj == "" || strings.HasPrefix(obj, "这") || strings.HasPrefix(obj, "不是") || strings.HasPrefix(obj, "啥") || f.Negated && (strings.HasPrefix(obj, "不") || c.verbAt(c.i))) || zhNothing[f.Verb] {
		return false
	}
	if c.dropped && zhOfThings[f.Verb] || zhVerbs[f.Verb] == "PREFERS_TOPIC" && obj == "" {
		return false
	}
	f.Confidence, f.Tier = 0.87, Default
	low := func(by float64) { f.Confidence -= by }
	personal := c.own && (!c.alone || c.aspect("了") || zhVerbs[f.Verb] != "" || c.has(zhMuch)) || f.Slot == "LIVES_IN" && zhVerbs[f.Verb] == "DID" || zhStands[f.Slot] && !c.alone && !c.unsure && c.modal == "" && utf8.RuneCountInString(f.Value.Text) > 1 && !strings.Contains(c.text, "的") && !zhAdverbs[c.at(c.i)] || zhPersonal[f.Slot] && (f.Slot != "PLANS" || zhVerbs[f.Verb] == "PLANS")
	if c.dropped && (!personal || c.alone && f.Slot == "FEELS") && !((past(f) || c.going || c.never || f.passive || (c.planned || c.after) && f.Modality == Plan) && (personal || !zhIdle[f.Verb] || c.done() && utf8.RuneCountInString(obj) > 2 && c.topic.Text == "" && !f.Negated && !c.verbAt(c.placed) && !zhPreps[c.at(c.placed)] && f.Verb != "等" || f.Slot == "HAS_HABIT" || f.Modality == Plan && utf8.RuneCountInString(obj) > 1)) || c.dropped && (f.Slot == "HAS_OPINION" || f.Slot == "WANTS" || f.Slot == "HAS") {
		low(0.1) // nobody is named, and nothing says that it happened
	}
	if c.dropped && f.Subject.Kind == Speaker && (c.at(c.placed) == "我" || c.at(c.placed+1) == "我" && zhPreps[c.at(c.placed)] || (c.prep == "给" || c.prep == "帮") && strings.HasPrefix(c.ba.Text, "我") && !strings.HasPrefix(c.ba.Text, "我自己")) { // 带给我, 等我电话
		low(0.1)
	}
	if zhHere[obj] || c.alone && strings.Contains(obj, "的人") { // 喜欢安静的人不一定孤独: of people in general
		low(0.1)
	}
	if obj == "" && c.by == "" && (f.Modality != Plan || f.When.Text == "") && f.Place.Text == "" && (zhActs[f.Verb] || (c.dropped || c.elided || f.Negated) && utf8.RuneCountInString(strings.TrimRight(f.Verb, "过了")) == 1) {
		low(0.1) // nobody can tell later what was meant
	}
	if c.unsure && !personal {
		low(0.1)
	}
	if c.dropped {
		low(0.04)
		if !personal && (zhVerbs[f.Verb] == "" && !f.passive && !c.does && !c.done() && !c.going && f.Modality != Plan || zhVerbs[f.Verb] == "IS") {
			low(0.3)
		}
	}
	if f.Modality != Asserted && f.Modality != Plan {
		low(0.4)
	}
	switch f.Subject.Kind {
	case Addressee:
		if low(0.04); !c.marked && !c.aspect("过") && !zhPast[f.When.Text] || obj == "" || zhIdle[f.Verb] || f.Modality == Plan || c.modal != "" || strings.ContainsAny(c.text, "吧太") {
			low(0.26)
		}
	case Pronoun, Described:
		if low(0.04); f.Subject.Kind == Described || f.Subject.Plural || !c.spoken[f.Subject.Gender] {
			low(0.04)
		}
	}
	if strings.HasPrefix(obj, "得") && c.dropped || obj == "" && strings.HasSuffix(f.Verb, "到") || c.dropped && zhGoes[f.Verb] && c.marked && c.at(c.i-1) == "了" && (c.verbAt(c.i) || zhPreps[c.at(c.i)]) { // 看得太清, 收到了, 来了给你看
		low(0.1)
	}
	if zhVerbs[f.Verb] == "" && !personal && !f.passive && !c.does && !c.goesOn() && !((c.planned || c.after) && f.Modality == Plan) && (zhIdle[f.Verb] && f.Verb != "让" || c.dropped && !c.done() || !c.dropped && !c.marked && f.When.Text == "" && !c.never && (utf8.RuneCountInString(obj) < 2 || c.modal != "" || f.Subject.Plural || c.has(zhVague)) || obj == "" && !past(f) || f.Verb == "在") {
		low(0.1)
	}
	if zhIdle[f.Verb] && !personal && f.Verb != "有" && !(zhGoes[f.Verb] && f.Modality == Plan && f.When.Text != "") && utf8.RuneCountInString(obj) < 2 {
		low(0.15)
	}
	return f.sure()
}

// goesOn reports whether what the clause says is going on by its form: 在开会, 我在公园呢, 开会呢.
func (c *zhClause) goesOn() bool {
	f := &c.f
	return c.going && (!c.dropped || c.alone && !c.unsure && f.Object.Text == "" && utf8.RuneCountInString(f.Verb) > 1) && !zhIdle[f.Verb] && !strings.HasPrefix(f.Verb, "没") && f.Modality == Asserted
}

// zhDegree are complements of how much one feels.
var zhDegree = set("死 坏 疯 死我 坏我 要死 得要命 得不行 得很 得要死")

// zhHere are objects that mean nothing away from the talk.
var zhHere = set("你 我 他 她 它 这 那 这个 那个 这样 那样 这里 那里 这些 那些 你们 我们 他们 一下 下")

// zhIdle verbs need a real object to say something.
var zhIdle = set("说 告诉 问 看 做 有 是 去 来 给 用 找 得 想 觉得 感觉 认为 会 知道 让 弄 搞 带 点 上 开 打 放 等 见 没有 叫 提")

// zhNothing verbs say nothing of a person.
var zhNothing = set("要 感谢 存在 谢谢 麻烦 算 像 好像 等于 以为 觉着 看来 可见 使 令 推进 行 可好")

var zhIdioms = set("是生日快乐 说真的 看情况 想一下 看一下 有意思 有道理 有可能 来说 说来 没事 有时候 是吧 是啊 是这样 是的 知道 不知道")

// zhMuch say how much.
var zhMuch = set("有点 有点儿 有些 很 太 特别 越来越 比较 挺 老 总 总是 老是")

// zhVague make a clause of the simple present a comment on the talk.
var zhVague = set("就 也 太 真 倒 才 又 好像 似乎")
