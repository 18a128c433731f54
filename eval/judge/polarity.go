package judge

import "strings"

var abstentions = []string{"no information", "not mention", "n't mention", "no mention", "not specif", "n't specif", "not provide", "n't provide", "not explicitly", "n't explicitly", "not available", "unknown", "no specific", "not determine", "n't determine", "cannot be determined", "not stated", "unclear", "not clear", "no record", "no evidence", "no detail", "not indicate", "n't indicate", "n't know", "not know", "n't say", "not enough info", "insufficient", "not sure", "not disclosed", "not discussed", "n't discuss", "no direct", "not found", "no memor", "not contain", "n't contain", "no explicit", "not recorded", "no reference", "not described", "no indication", "no relevant", "unable to", "no data", "no answer",
	"不知道", "没有提到", "没提到", "未提及", "未提到", "没有提及", "无法确定", "不能确定", "没有相关", "没有信息", "无相关", "不清楚", "没有记录", "未说明", "没有说明", "未知", "无法回答", "不详", "没有具体"}

// said are verbs of which a negation says that there is nothing to answer with.
var said = []string{"mention", "specified", "provided", "indicated", "recorded", "documented", "noted", "disclosed", "detailed", "listed", "given", "available"}

// abstention is where an abstention begins, as a share of the text; 1.1 is none.
func abstention(s string) float64 {
	low := strings.ToLower(s)
	low = strings.ReplaceAll(low, "’", "'")
	first := -1
	for _, p := range abstentions {
		if i := strings.Index(low, p); i >= 0 && (first < 0 || i < first) {
			first = i
		}
	}
	for _, verb := range said { // "no middle name is mentioned"
		for from := 0; ; {
			i := strings.Index(low[from:], verb)
			if i < 0 {
				break
			}
			at := from + i
			from = at + len(verb)
			start := max(sentenceStart(low, at), at-60)
			for _, no := range []string{"no ", "not ", "n't ", "never ", "none ", "nothing "} {
				if j := strings.Index(low[start:at], no); j >= 0 && (j+start == 0 || low[j+start-1] == ' ' || no == "n't ") && (first < 0 || j+start < first) {
					first = j + start
				}
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

// polarity is +1 for a yes, -1 for a no, 0 where the text is neither; explicit says
// that a word of its beginning says so. Of an answer to a yes/no question its first
// sentence is read where no such word does.
func polarity(t *text, asked bool) (pol int, explicit bool) {
	for i := 0; i < len(t.toks) && i < 4; i++ {
		k := &t.toks[i]
		raw := t.raw[k.pos:]
		switch {
		case k.word == "yes" || k.word == "yeah" || k.word == "yep" || k.word == "yup" || k.word == "definitely" || k.word == "certainly" || k.word == "absolutely" || k.word == "true" || hasAny(raw, "是的", "有的", "对，", "会的", "可以") || i == 0 && affirms(t.raw):
			return 1, true
		case k.word == "no" || k.word == "nope" || k.word == "nah" || k.word == "not" || k.word == "unlikely" || k.word == "false" || k.word == "never" || i == 0 && k.han && k.neg || hasAny(raw, "不会", "不是", "没有", "不太"):
			return -1, true
		case k.hedge || k.word == "most" || k.word == "very" || k.word == "it" || k.word == "is" || k.word == "would" || k.word == "be":
			continue
		}
		break
	}
	if !asked {
		return 0, false
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

// affirms reports a Chinese yes: the verb of the question by itself, at the end or before
// a mark.
func affirms(s string) bool {
	for _, w := range []string{"会", "有", "是", "对", "能", "行"} {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(s), w); ok {
			return rest == "" || hasAny(rest, ",", "。", ".", "，", "！", "!")
		}
	}
	return false
}

func hasAny(s string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// comparePolarity holds a yes or no against the gold's.
func comparePolarity(g, a *text) (relation, []Fact) {
	gp, _ := polarity(g, false)
	ap, explicit := polarity(a, true)
	say := map[int]string{1: "yes", -1: "no"}
	how := ", between the lines"
	score := .7
	if explicit {
		how, score = ", in a word", .92
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
		return relation{class: "abstains, for a " + say[gp], score: .2}, nil // "No, not mentioned."
	}
	if ab := abstention(a.raw); ab < .5 && !explicit || ab < .05 {
		r = relation{class: "abstains, for a " + say[gp], score: map[int]float64{1: .05, -1: .45}[gp]}
	} else if gp != ap {
		r = relation{class: "the other of yes and no" + how, score: .04}
	}
	return r, []Fact{{Kind: "polarity", Gold: say[gp], Answer: say[ap], Same: gp == ap, Say: r.class}}
}
