package sentence

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"membench/internal/textnorm"
	"membench/internal/tokens"
)

// A Line is one turn of a dialogue. Speaker only distinguishes the turns of one person from another's. Apart: it was said so long after the line before
// that it cannot continue that line's sentence.
type Line struct {
	Speaker, Text string
	Apart         bool
}

// A Fact is a sentence worth keeping, in its own words. Lines are the indexes of the
// lines it comes from, ascending; all are of one speaker. Text is found verbatim in
// the line, or, when a sentence runs over several lines, in these lines joined.
type Fact struct {
	Text  string
	Lines []int
}

// maxJoin is how many lines one sentence may run over.
const maxJoin = 3

// Facts returns the sentences that state something, in order. Quotations, greetings, back-channel
// and sentences of too little content are omitted, and questions, unless informs reports
// that one states something beside what it asks:
//
//   - a sentence needs three content characters (two when it speaks of the speaker), or
//     two content words (one when it speaks of the speaker), or one of each;
//   - grammar words, set phrases of courtesy and links are not content.
//
// A line that ends in a comma or colon continues in the next line of the same speaker. So does one without any mark before a line in lower case, if a word at the
// joint belongs to both: "I moved to | leeds", "I work at Bosch | since May". "I live in Leeds | my sister lives in York" are two.
func Facts(lines []Line, informs func(question string) bool) []Fact {
	var out []Fact
	for i := 0; i < len(lines); {
		text := strings.TrimSpace(lines[i].Text)
		ends := []int{len(text)} // ends[j] is where line i+j ends in text
		j := i + 1
		for j < len(lines) && j-i < maxJoin && lines[j].Speaker == lines[i].Speaker && !lines[j].Apart && goesOn(text, lines[j].Text) {
			next := strings.TrimSpace(lines[j].Text)
			if last, _ := utf8.DecodeLastRuneInString(text); last < utf8.RuneSelf {
				text += " "
			}
			text += next
			ends = append(ends, len(text))
			j++
		}
		for _, s := range Split(text) {
			if s.Quoted || !states(s.Text) || s.Question && !informs(s.Text) {
				continue
			}
			f := Fact{Text: s.Text}
			from := 0
			for n, end := range ends {
				if s.Start < end && s.End > from {
					f.Lines = append(f.Lines, i+n)
				}
				from = end
			}
			out = append(out, f)
		}
		i = j
	}
	return out
}

func goesOn(text, next string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	first, _ := utf8.DecodeRuneInString(strings.TrimSpace(next))
	switch {
	case text == "" || first == utf8.RuneError:
		return false
	case strings.ContainsRune("，,、：:", last):
		return true
	}
	if !unicode.IsLower(first) || !unicode.IsLetter(last) && !unicode.IsDigit(last) {
		return false
	}
	ahead, behind := strings.Fields(strings.ToLower(text)), strings.Fields(next)
	return links[behind[0]] || links[ahead[len(ahead)-1]] || opens[ahead[len(ahead)-1]]
}

// links are words that join what stands before them to what follows; opens are words that need what follows.
var (
	links = tokens.Set("and or but nor because since until till unless although though while when where who whose which that than as if in on at to for from by with without about into onto over under of after before during near like")
	opens = tokens.Set("a an the my your his her its our their this these those some any is are was were am be been i'm i’m have has had will would can could should very really so too not")
)

// states reports whether a sentence has content of its own.
func states(s string) bool {
	s = courtesy.Replace(strings.ToLower(textnorm.WithoutLinks(s)))
	words, chars, all := 0, 0, 0
	self := strings.ContainsAny(s, "我咱俺")
	for _, t := range tokens.Split(s) {
		if t.Han {
			for _, r := range t.Text {
				if !tokens.FunctionRune(r) {
					chars++
				}
			}
			continue
		}
		all++
		switch t.Text {
		case "i", "im", "ive", "id", "my", "we", "our", "me":
			self = true
		}
		if !tokens.Stop(t.Text) && !backchannel[t.Text] && utf8.RuneCountInString(t.Text) > 1 || isNumber(t.Text) {
			words++
		}
	}
	return chars >= 3 || words >= 2 || chars >= 1 && words >= 1 || self && (chars >= 2 || words >= 1 && all >= 3)
}

func isNumber(s string) bool { return strings.Trim(s, "0123456789") == "" }

// backchannel words keep a talk going and state nothing.
var backchannel = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields("thanks thank bye goodbye night morning afternoon evening sure right alright haha lol hmm um uh ah aw aww sorry welcome please cool nice great good awesome amazing wonderful lovely sweet glad happy agree agreed absolutely definitely exactly totally true course indeed yep nope nah know see mean guess think sounds sound look looks soon later wait way") {
		m[w] = true
	}
	return m
}()

// courtesy takes set phrases out; longest first, since the first match wins.
var courtesy = strings.NewReplacer(
	"请多多指教", "", "请多指教", "", "多多指教", "", "不好意思", "", "非常感谢", "", "没有关系", "", "怎么说呢", "", "原来如此", "", "大家好", "", "对不起", "", "谢谢你", "", "谢谢", "", "没关系", "", "没问题", "",
	"晚上好", "", "早上好", "", "下午好", "", "中午好", "", "辛苦了", "", "说起来", "", "话说回来", "", "是这样", "", "知道了", "", "明白了", "", "是啊", "", "是的", "", "好的", "", "你好", "", "您好", "", "再见", "", "拜拜", "",
	"晚安", "", "早安", "", "加油", "", "当然", "", "哈哈", "", "嘿嘿", "", "呵呵", "", "真的", "", "确实", "", "不错", "", "太好了", "", "好吧", "", "可以", "", "收到", "", "这样", "", "那样", "", "怎么", "", "什么", "",
	"take care", "", "have a good", "", "talk to you", "", "can't wait", "", "good to see", "", "nice to meet", "", "no problem", "", "of course", "", "let me know", "", "keep it up", "", "good luck", "", "keep up", "", "you're welcome", "",
)
