package op

import (
	"slices"
	"strings"

	"membench/internal/hanseg"
	"membench/internal/textnorm"
	"membench/internal/tokens"
)

// words cuts Chinese text for the whole package; it is safe for concurrent use.
var words = hanseg.New(nil)

// meta words are about the conversation, not about its subject.
var meta = map[string]bool{"tell": true, "told": true, "mention": true, "say": true, "said": true, "talk": true, "ever": true, "know": true, "rememb": true, "remember": true, "share": true,
	"提到": true, "告诉": true, "说过": true, "提过": true, "知道": true, "记得": true, "聊过": true, "时候": true, "什么": true, "哪里": true, "名字": true, "一下": true, "开始": true, "现在": true, "目前": true}

// Content returns the content words of a text, each once, in order: for English the stems of all but function words, for Chinese nouns, places, names, and
// longer verbs and adjectives.
func Content(text string) (out []string) {
	add := func(w string) {
		if !meta[w] && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	for _, t := range tokens.Split(text) {
		if !t.Han {
			for _, w := range tokens.Terms(t.Text) {
				add(w)
			}
		}
	}
	for _, w := range words.Cut(text) {
		long := len(w.Form) > len("字")
		if w.Form == "" || !textnorm.IsHan([]rune(w.Form)[0]) {
			continue
		}
		switch w.Class {
		case 'n', 'S', 'R', 'N':
			add(w.Form)
		case 'v', 'a', 0:
			if long {
				add(w.Form)
			}
		}
	}
	return out
}

// Holds is the share of the words that a text has, in [0,1]; 0 of no words.
func Holds(words []string, text string) float64 {
	if len(words) == 0 {
		return 0
	}
	have := map[string]bool{}
	for _, t := range tokens.Terms(text) {
		have[t] = true
	}
	n := 0
	for _, w := range words {
		if have[w] || textnorm.IsHan([]rune(w)[0]) && strings.Contains(text, w) {
			n++
		}
	}
	return float64(n) / float64(len(words))
}

// absentBelow is the share of the asked words that some text must hold, where it is asked
// whether a thing was ever said.
const absentBelow = 0.5

// RuleAbsent reports whether a question that asks if something is known (a plan with the
// strict threshold) is about a thing that none of the texts holds.
func RuleAbsent(question string, p Plan, texts []string) bool {
	asked := Content(question)
	if p.Threshold < strictThreshold || len(asked) == 0 {
		return false
	}
	return !slices.ContainsFunc(texts, func(t string) bool { return Holds(asked, t) >= absentBelow })
}

// members are examples of classes that the everyday lexicon (tokens.Kin) lacks.
var members = []struct {
	class string
	of    string
}{
	{"餐厅 餐馆 饭店 馆子 菜系 restaurant restaurants cuisine cuisines", "日料 川菜 粤菜 湘菜 火锅 烤肉 面馆 菜馆 料理 sushi ramen noodles hotpot curry pizza bistro diner trattoria"},
	{"城市 地方 city cities country countries", "去过 搬到 旅行 visited moved travelled flew"},
}

// states: how people say that it is, and that it has become another.
var states = []struct{ asked, said string }{
	{"live living home address 住 住址 家", "live moved 住在 搬到"},
	{"work working job employer 工作 上班 职业", "work job started quit 工作 上班 换 辞"},
	{"favourite favorite like prefer 最喜欢 最爱 喜欢", "favourite prefer switched 最喜欢 变成 改"},
	{"pet cat dog 宠物 猫 狗", "adopted got 养 领养"},
	{"car drive phone laptop 车 手机 电脑", "bought sold switched 买 换 卖"},
	{"married partner dating girlfriend boyfriend wife husband 结婚 对象", "married met broke 结婚 分手 认识"},
	{"called name 名字 叫", "called name renamed 叫 改名"},
}

// changes are words for a change of the state that a question asks for.
func changes(question string) (out []string) {
	low := strings.ToLower(question)
	have := map[string]bool{}
	for _, t := range tokens.Split(low) {
		have[t.Text] = true
	}
	for _, s := range states {
		if slices.ContainsFunc(strings.Fields(s.asked), func(w string) bool { return have[w] || w[0] >= 0x80 && strings.Contains(low, w) }) {
			out = append(out, strings.Fields(s.said)...)
		}
	}
	return out
}

// examples are words for members of the classes that a question names.
func examples(question string) string {
	low := strings.ToLower(question)
	var out []string
	for _, m := range members {
		if slices.ContainsFunc(strings.Fields(m.class), func(c string) bool { return strings.Contains(low, c) }) {
			out = append(out, strings.Fields(m.of)...)
		}
	}
	return strings.Join(append(out, tokens.Kin(question)...), " ")
}
