package clause

import (
	"slices"
	"strings"
	"unicode/utf8"

	"membench/internal/pattern"
)

// What stands where in a Chinese clause.

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
		case (zhResults[w] || zhInto[w]) && k > i+1 && zhVerbs[c.at(k-1)] != "": // 把论文写完, 把照片发给他
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
			c.after = !c.aspect("了") && !c.asking
			return k + 1
		case w == "就" && c.planned && c.verbAt(c.i) && c.verbAt(k+1): // 考过了就申请调门诊
			return k + 1
		case w == "就" && c.verbAt(k-1) && c.verbAt(c.i) && c.verbAt(k+1) && !zhIdle[c.at(c.i)] && !zhNothing[c.at(k+1)]: // 回来就发烧了
			return k + 1
		case w == "就" && c.at(c.i+1) == "了" && zhGoes[c.at(k+1)]: // 下了班就去钓鱼
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
	return c.marked && c.f.Object.Text != "" && (c.reached != "" || c.topic.Text != "" && c.topic.Start >= c.start || !c.counted(c.i)) && !zhAppears[c.f.Verb]
}

// ill is the word behind an illness at the next word that something else follows, or 0.
func (c *zhClause) ill() int {
	for k := c.i + 2; k < min(c.i+4, len(c.ws)); k++ {
		if zhIll.MatchString(c.span(c.i, k).Text) && (c.verbAt(k) || strings.HasPrefix(c.at(k+1), "不")) && c.at(c.i+1) != "过敏" {
			return k
		}
	}
	return 0
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
	end := len(c.ws)
	for k := i + 1; k < end; k++ { // 崴了啊大哥
		if w := c.at(k); slices.Contains(zhEndings[2:], w) && w != "的" && end-k < 4 {
			end = k
		}
	}
	p := c.span(i, end)
	if s := strings.TrimRight(p.Text, " 。.…！!~～"); zhRetort.MatchString(c.text) && (strings.HasSuffix(s, "好吗") || strings.HasSuffix(s, "好吧")) {
		p.Text = s[:len(s)-len("好吗")]
	}
	for again := true; again; {
		again = false
		p.Text = strings.TrimRight(p.Text, " 。．.·！？!?~～…，,、")
		for _, e := range zhEndings {
			if rest, ok := strings.CutSuffix(p.Text, e); ok && !strings.HasSuffix(rest, "不") {
				p.Text, again = rest, true
			}
		}
		p.Text = strings.TrimSuffix(p.Text, "也是")
		if rest := zhWhile.ReplaceAllString(p.Text, ""); rest != p.Text {
			p.Text, again = rest, true
		}
	}
	p.End = p.Start + len(p.Text)
	for range 2 { // of one character between two blanks, too
		p.Text = zhBlank.ReplaceAllString(p.Text, "$1$2")
	}
	return p
}

// has reports whether a word of the set is in the clause, and in no expression of time.
func (c *zhClause) has(words map[string]bool) bool {
	for k, w := range c.ws {
		if words[w.Form] && !c.inTime(k) {
			return true
		}
	}
	return false
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// zhBlank is a blank between characters, which separates nothing.
var zhBlank = pattern.New(`(\p{Han}) +(\p{Han})`)
