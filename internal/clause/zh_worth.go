package clause

import (
	"strings"
	"unicode/utf8"

	"membench/internal/pattern"
)

// Whether what a Chinese clause says is worth keeping.

// zhTopic begins a comment on what is before it.
var zhTopic = pattern.New(`^(?:没|不[^错]|是)`)

// worth reports whether the clause states something, and notes what makes that doubtful.
func (c *zhClause) worth() bool {
	f := &c.f
	obj := f.Object.Text
	if zhTopic.MatchString(obj) && (zhVerbs[f.Verb] == "DID" || f.Slot == "HAS_HABIT") { // 喝酒没输过, 跑步是别想了: what the verb names is the topic
		return false
	}
	if strings.Contains(obj, "什么") || strings.Contains(obj, "啥") || zhIdle[f.Verb] && obj == "" && !(zhGoes[f.Verb] && f.When.Text != "") || zhIdioms[f.Verb+obj] || f.Verb == "是" && (obj == "" || strings.HasPrefix(obj, "这") || strings.HasPrefix(obj, "不是") || f.Negated && (strings.HasPrefix(obj, "不") || c.verbAt(c.i))) || zhNothing[f.Verb] {
		return false
	}
	if c.dropped && zhOfThings[f.Verb] || zhVerbs[f.Verb] == "PREFERS_TOPIC" && obj == "" {
		return false
	}
	f.noteIf(zhHere[obj] || strings.Contains(obj, "的人"), "object general")                         // 喜欢安静的人不一定孤独
	f.noteIf(obj == "" && c.by == "" && f.Place.Text == "" && f.When.Text == "", "reference lost") // nobody can tell later what was meant
	f.noteIf(zhIdle[f.Verb] && utf8.RuneCountInString(obj) < 2, "thin verb")
	c.describe()
	return true
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
