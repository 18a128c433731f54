package judge

import (
	"slices"
	"strings"

	"membench/internal/textnorm"
	"membench/internal/tokens"
)

var abstentions = newPhrases([]string{"no information", "not mention", "n't mention", "no mention", "not specif", "n't specif", "not provide", "n't provide", "not explicitly", "n't explicitly", "not available", "unknown", "no specific", "not determine", "n't determine", "cannot be determined", "not stated", "unclear", "not clear", "no record", "no evidence", "no detail", "not indicate", "n't indicate", "n't know", "not know", "n't say", "not enough info", "insufficient", "not sure", "not disclosed", "not discussed", "n't discuss", "no direct", "not found", "no memor", "not contain", "n't contain", "no explicit", "not recorded", "no reference", "not described", "no indication", "no relevant", "unable to", "no data", "no answer", "no idea", "no clue", "no comment",
	"不知道", "没有提到", "没提到", "未提及", "未提到", "没有提及", "无法确定", "不能确定", "没有相关", "没有信息", "无相关", "不清楚", "没有记录", "未说明", "没有说明", "未知", "无法回答", "不详", "没有具体", "没听说", "没印象"})

// said are verbs whose negation says that there is no answer.
var said = newPhrases([]string{"mention", "specified", "provided", "indicated", "recorded", "documented", "noted", "disclosed", "detailed", "listed", "given", "available"})

// abstention returns where an abstention begins, as a share of the text; 1.1 if there is none.
func abstention(s string) float64 {
	low := strings.ToLower(s)
	low = strings.ReplaceAll(low, "’", "'")
	first := abstentions.next(low, 0)
	for at := said.next(low, 0); at >= 0; at = said.next(low, at+1) { // "no middle name is mentioned"
		start := max(sentenceStart(low, at), at-60)
		for _, no := range []string{"no ", "not ", "n't ", "never ", "none ", "nothing "} {
			if j := strings.Index(low[start:at], no); j >= 0 && (j+start == 0 || low[j+start-1] == ' ' || no == "n't ") && (first < 0 || j+start < first) {
				first = j + start
			}
		}
	}
	switch strings.Trim(low, " .!") {
	case "n/a", "none", "not specified", "null", "nil", "":
		first = 0
	}
	if first < 0 {
		return 1.1
	}
	return float64(first) / float64(max(1, len(low)))
}

// yesNo reports whether a question asks for yes or no.
func yesNo(q *text) bool {
	if len(q.toks) == 0 {
		return false
	}
	switch q.toks[0].word {
	case "is", "are", "was", "were", "do", "does", "did", "has", "have", "had", "can", "could", "will", "would", "should", "might", "may":
		return !strings.Contains(q.raw, " or ") || strings.Contains(q.raw, "yes or no")
	}
	return strings.HasSuffix(strings.TrimRight(q.raw, "?？ "), "吗") || strings.Contains(q.raw, "是否") || strings.Contains(q.raw, "是不是") || strings.Contains(q.raw, "有没有")
}

// polarity returns +1 for a yes, -1 for a no, 0 for neither; explicit reports that a word at the beginning says so. If no such word does, the first sentence of
// an answer to a yes/no question decides.
func polarity(t *text, asked bool) (pol int, explicit bool) {
	for i := 0; i < len(t.toks) && i < 4; i++ {
		k := &t.toks[i]
		raw := t.raw[k.pos:]
		switch {
		case !k.han && textnorm.YesNo(k.word) > 0 || k.word == "definitely" || k.word == "certainly" || k.word == "absolutely" || k.word == "true" || hasAny(raw, "是的", "有的", "对，", "会的", "可以") || i == 0 && affirms(t.raw):
			return 1, true
		case !k.han && textnorm.YesNo(k.word) < 0 || k.word == "not" || k.word == "unlikely" || k.word == "false" || k.word == "never" || i == 0 && k.han && k.neg || hasAny(raw, "不会", "不是", "没有", "不太"):
			return -1, true
		case k.hedge || k.word == "most" || k.word == "very" || k.word == "it" || k.word == "is" || k.word == "would" || k.word == "be":
			continue
		}
		break
	}
	if !asked {
		return 0, false
	}
	if said := echoes(t); said != 0 {
		return said, true
	}
	for i := range t.toks {
		k := &t.toks[i]
		if k.sent > 0 {
			break
		}
		if k.neg && k.word != "nothing" && k.word != "without" || k.word == "unlikely" || k.word == "doubtful" {
			return -1, false
		}
	}
	return 1, false
}

// affirms reports a yes that is all of a text before its first mark, as in Chinese the verb of the question.
func affirms(s string) bool {
	s = strings.TrimSpace(s)
	if i := strings.IndexAny(s, ",.!，。！"); i >= 0 {
		s = s[:i]
	}
	return textnorm.YesNo(s) > 0
}

func hasAny(s string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
}

// turnsRound reports whether the first sentence of a text has the opposite of a word of the question but not the word: "she dislikes it" says no to "does she
// like it".
func turnsRound(q, t *text) bool {
	qu, u := q.units(), t.units()
	for i := range qu {
		if qu[i].stop && len(qu[i].anti) == 0 || t.unitHas(qu[i].stem) {
			continue
		}
		for j := range u {
			if u[j].sent == 0 && opposite(&qu[i], &u[j]) {
				return true
			}
		}
	}
	return false
}

// echoes returns the polarity of a first sentence that is only a pronoun or name and an auxiliary: "She does."
func echoes(t *text) int {
	n, aux, no, more := 0, false, false, false
	for i := range t.toks {
		k := &t.toks[i]
		if k.sent > 0 || i > 0 && strings.ContainsAny(t.gap(i), ",;:") {
			break
		}
		n++
		no = no || k.neg
		more = more || i > 0 && k.neg && i+1 < len(t.toks) && !t.toks[i+1].stop && t.toks[i+1].sent == 0 // "I have no idea"
		aux = aux || i > 0 && auxiliary[strings.TrimSuffix(k.word, "n't")]
	}
	switch {
	case n < 2 || n > 4 || !aux || more || !persons[t.toks[0].word] && !t.toks[0].name:
		return 0
	case no:
		return -1
	}
	return 1
}

var auxiliary = tokens.Set("is are was were do does did has have had can could will would should might may")

// telling are words of saying, knowing and finding: denying one of them says that there is no answer.
var (
	telling    = tokens.Set("mention mentions mentioned mentioning tell tells told say says said saying state states stated specify specifies specified give gives gave given provide provides provided record recorded records note noted notes know knows known find finds found contain contains indicate indicates indicated discuss discussed talk talked talks share shared reveal revealed disclose disclosed information info detail details come comes came up name named names have bring brought about record trace sign idea clue")
	hanTelling = []string{"提", "说", "讲", "告诉", "知道", "晓得", "清楚", "找到", "信息", "记录", "透露", "得知", "涉及", "谈", "交代", "无从"}
)

// withholds reports whether one of the first n sentences of a text denies that the requested information was mentioned or is known.
func (t *text) withholds(n int) bool { return t.deniesTelling(0, n) }

// withheldAt reports whether the sentence that begins at token i does.
func (t *text) withheldAt(i int) bool { return t.deniesTelling(i, t.toks[i].sent+1) }

// deniesTelling reports whether there is such a denial from a token up to sentence n.
func (t *text) deniesTelling(from, n int) bool {
	for i := from; i < len(t.toks); i++ {
		k := &t.toks[i]
		if k.sent >= n {
			break
		}
		if k.han {
			rest := []rune(t.raw[k.pos:])
			if strings.ContainsRune("没未无不", rest[0]) && !partOf(t.raw, k.pos, string(rest[0]), "", "") && hasWithin(string(rest[1:min(len(rest), 8)]), hanTelling) {
				return true
			}
			continue
		}
		if !k.neg {
			continue
		}
		for j := i + 1; j < len(t.toks) && j <= i+7 && t.toks[j].sent == k.sent; j++ {
			if telling[t.toks[j].word] {
				return true
			}
		}
	}
	return false
}

// goldWithholds reports whether a gold says that there is no answer: it denies that one was mentioned and has no content of its own.
func (p *prepared) goldWithholds() bool {
	t := p.gt
	if len(t.toks) == 0 || yesNo(p.qt) || !t.withholds(1) {
		return false
	}
	switch first := &t.toks[0]; {
	case first.word == "he", first.word == "she", first.word == "they", first.word == "i", first.word == "because":
		return false
	}
	own := 0
	for i := range t.units() {
		u := &t.units()[i]
		if u.sent > 0 || u.stop || telling[u.word] || giving[u.word] || frame(u) || u.han && (hasWithin(u.word, hanTelling) || strings.Contains(p.qt.raw, u.word) || u.neg) || p.qt.unitHas(u.stem) || source[u.word] {
			continue
		}
		own++
	}
	return own <= 1
}

// source are words for the sources of an answer.
var source = tokens.Set("conversation conversations chat chats dialogue history context memory memories text enough sufficient available user 对话 对话中 聊天 上下文 用户 文中 相关")

// restatedBy is the share of the question's words that the answer has.
func (p *prepared) restatedBy() float64 {
	n, hit := 0, 0
	for i := range p.qt.units() {
		u := &p.qt.units()[i]
		if u.stop {
			continue
		}
		n++
		hit += int(b2f(p.at.unitHas(u.stem)))
	}
	if n == 0 {
		return 0
	}
	return float64(hit) / float64(n)
}

// comparePolarity compares a yes or no with the gold's.
func comparePolarity(q, g, a *text) (relation, []Fact) {
	gp, _ := polarity(g, false)
	ap, explicit := polarity(a, true)
	said := 0
	if !explicit {
		if said = toldYesNo(q, a); said != 0 {
			ap = said
		} else if turnsRound(q, a) {
			ap = -ap
		}
	}
	say := map[int]string{1: "yes", -1: "no"}
	how := ", between the lines"
	score := .7
	switch {
	case explicit:
		how, score = ", in a word", .92
	case said != 0:
		how, score = repeated, .92
	}
	r := relation{class: "the same " + say[gp] + how, score: score, same: true}
	if explicit && len(a.content()) <= 2 {
		r.class, r.same = "the same "+say[gp]+" and little else", false
		for i := range a.toks {
			if a.toks[i].vague {
				r.same = true // "not really a kind of …": the words decide
			}
		}
	}
	if explicit && !r.same && len(a.toks) > 1 && abstention(a.raw[a.toks[1].pos:]) < .2 {
		return relation{class: "abstains, for a " + say[gp], score: .2, off: true}, nil // "No, not mentioned."
	}
	if ab := abstention(a.raw); ab <= .5 && !explicit || ab < .05 {
		r = relation{class: "abstains, for a " + say[gp], score: map[int]float64{1: .05, -1: .45}[gp], off: true}
	} else if gp != ap {
		r = relation{class: "the other of yes and no" + how, score: .04, off: explicit}
	}
	return r, []Fact{{Kind: "polarity", Gold: say[gp], Answer: say[ap], Same: gp == ap, Say: r.class}}
}

func hasWithin(s string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(s, w) })
}

// hanAt is the word of words that begins at a Chinese token or is in it, "" without one.
func (t *text) hanAt(k *tok, words map[string]bool) string {
	best := ""
	for w := range words {
		if k.han && (strings.Contains(k.word, w) || strings.HasPrefix(t.raw[k.pos:], w)) && (len(w) > len(best) || len(w) == len(best) && w < best) {
			best = w
		}
	}
	return best
}
