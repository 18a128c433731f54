package judge

import "strings"

// opposed says why an answer with the words of the gold is none: it says the opposite, or another
// day or time of the day. doubt is why that cannot be read with certainty.
func (p *prepared) opposed(r *reading) (refuse, doubt string) {
	if p.abstainQ || r.first < 0 {
		return "", ""
	}
	if p.gw.isDate() && yesNo(p.qt) {
		gold, _ := polarity(p.gt, false)
		if said, explicit := polarity(p.at, true); gold < 0 && said > 0 && !explicit {
			return "", "the gold says no, and the answer does not say so"
		}
	}
	if w := p.otherPart(r); w != "" {
		return "another time of the day: " + w, ""
	}
	if len(p.gt.toks) <= 10 && p.gt.sents <= 1 && !strings.ContainsAny(p.gt.raw, ",;") && denials(p.gt) == 1 && denials(p.at) == 0 && len(r.operators) == 0 && !hasWithin(p.at.raw, hanDislike) {
		if len(r.before)+len(r.after)+len(r.later) == 0 && !p.dislikes() {
			return "the gold denies it, and the answer does not", ""
		}
		return "", "the gold denies it, and the answer has no denial"
	}
	return "", ""
}

var (
	disliking  = wordSet("hate hates hated dislike dislikes disliked loathe loathes avoid avoids avoided refuse refuses refused lack lacks lacked detest stopped quit skipped missed")
	hanDislike = []string{"讨厌", "反感", "拒绝", "缺", "厌恶", "恨", "怕", "别"}
)

func (p *prepared) dislikes() bool {
	for i := range p.at.toks {
		if disliking[p.at.toks[i].word] {
			return true
		}
	}
	return false
}

// denials counts the words of a text that deny.
func denials(t *text) (n int) {
	for i := range t.toks {
		k := &t.toks[i]
		switch {
		case k.neg, operatorWords[k.word] == "negation":
			n++
		case k.han:
			for _, w := range []string{"不", "没", "未", "无"} {
				if strings.HasPrefix(k.word, w) && !partOf(t.raw, k.pos, w, "", "") {
					n++
				}
			}
		}
	}
	return n
}

// dayParts are words of one part of the day each.
var dayParts = []map[string]bool{
	wordSet("morning mornings 早上 上午 早晨 清晨"),
	wordSet("afternoon afternoons 下午"),
	wordSet("evening evenings night nights midnight tonight 晚上 夜里 夜晚 半夜 傍晚"),
}

// weekdays are words of one day of the week each.
var weekdays = []map[string]bool{
	wordSet("monday mondays 周一 星期一"), wordSet("tuesday tuesdays 周二 星期二"), wordSet("wednesday wednesdays 周三 星期三"), wordSet("thursday thursdays 周四 星期四"),
	wordSet("friday fridays 周五 星期五"), wordSet("saturday saturdays 周六 星期六"), wordSet("sunday sundays 周日 星期日 星期天"),
}

// otherPart is the day or part of the day in the sentence of the gold where the gold has another
// one and the answer does not have that.
func (p *prepared) otherPart(r *reading) string {
	if len(p.gt.content()) > 4 || p.gw.isDate() {
		return ""
	}
	if w := p.otherOf(r, dayParts); w != "" {
		return w
	}
	return p.otherOf(r, weekdays)
}

func (p *prepared) otherOf(r *reading, classes []map[string]bool) string {
	mine := -1
	for n, class := range classes {
		for i := range p.gt.toks {
			if class[p.gt.toks[i].word] {
				if mine >= 0 && mine != n {
					return ""
				}
				mine = n
			}
		}
	}
	if mine < 0 {
		return ""
	}
	found := ""
	for i := range p.at.toks {
		k := &p.at.toks[i]
		if classes[mine][k.word] || k.word == "day" {
			return ""
		}
		for _, class := range classes {
			if class[k.word] && !p.qt.hasWord(k.word) && k.sent >= p.at.toks[r.first].sent && k.sent <= p.at.toks[r.last-1].sent {
				found = k.word
			}
		}
	}
	return found
}

// answersPlainly reports whether an answer to a gold of a mere yes or no is the question as a
// statement, with no more than the denial.
func (p *prepared) answersPlainly(gold int) bool {
	if len(p.gt.toks) != 1 || p.how != "" {
		return false
	}
	r := p.read()
	if r.restates < .6 || len(r.before)+len(r.after)+len(r.later) > 0 || len(r.operators) > 1 || p.signs() || strings.ContainsAny(p.at.raw, "?") {
		return false
	}
	for i := range p.at.toks {
		if w := p.at.toks[i].word; self[w] && !p.qt.hasWord(w) || points[w] {
			return false
		}
	}
	if gold > 0 {
		return len(r.operators) == 0 && denials(p.at) == 0
	}
	return denials(p.at) == 1 && (len(r.operators) == 0 || r.operators[0].kind == "negation")
}
