package judge

import (
	"strings"

	"membench/internal/tokens"
)

// opposed returns why an answer with the words of the gold is wrong: it states the opposite, or another day or time of the day. doubt is the reason if this is
// uncertain.
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
	if len(p.gt.toks) <= 10 && p.gt.sents <= 1 && !strings.ContainsAny(p.gt.raw, ",;") && denials(p.gt) == 1 && denials(p.at) == 0 && len(r.operators) == 0 {
		if len(r.before)+len(r.after)+len(r.later) == 0 && !p.has(&clause{to: len(p.at.toks)}, disliking) {
			return "the gold denies it, and the answer does not", ""
		}
		return "", "the gold denies it, and the answer has no denial"
	}
	return "", ""
}

// disliking are words that deny without a negation.
var disliking = tokens.Set("讨厌 反感 拒绝 缺 厌恶 恨 怕 别 hate hates hated dislike dislikes disliked loathe loathes avoid avoids avoided refuse refuses refused lack lacks lacked detest stopped quit skipped missed")

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

// otherPart is the day of the week or part of the day in the sentence of the gold where the gold
// has another one and the answer does not have that.
func (p *prepared) otherPart(r *reading) string {
	if len(p.gt.content()) > 4 || p.gw.isDate() {
		return ""
	}
	for _, class := range []int{dayPart, weekday} {
		if w := p.otherOf(r, class); w != "" {
			return w
		}
	}
	return ""
}

func (p *prepared) otherOf(r *reading, class int) (found string) {
	mine := -1
	for i := range p.gt.toks {
		if its, ok := calendar[p.gt.toks[i].word]; ok && its[0] == class {
			if mine >= 0 && mine != its[1] {
				return "" // the gold has several
			}
			mine = its[1]
		}
	}
	if mine < 0 {
		return ""
	}
	for i := range p.at.toks {
		k := &p.at.toks[i]
		its, ok := calendar[k.word]
		switch {
		case k.word == "day", ok && its == [2]int{class, mine}:
			return ""
		case ok && its[0] == class && !p.qt.hasWord(k.word) && k.sent >= p.at.toks[r.first].sent && k.sent <= p.at.toks[r.last-1].sent:
			found = k.word
		}
	}
	return found
}
