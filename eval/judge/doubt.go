package judge

import "strings"

// unsaid returns an item that an answer omits from a gold that is a list of short items, while the answer claims to be complete. Human labels mostly accept a
// partial list that claims nothing about the rest.
func (p *prepared) unsaid() string {
	const short, few = 3, 8 // words of an item; items
	if p.by != "words" {
		return ""
	}
	c := p.compared()
	if c.longest > short || c.items > few || c.items < 2 || p.gt.sents > 1 {
		return ""
	}
	for i := range p.at.toks {
		if k := &p.at.toks[i]; nothingElse[k.word] && !p.qt.hasWord(k.word) && !p.gt.hasWord(k.word) {
			return c.unsaid
		}
	}
	return ""
}

// nothingElse are words by which an answer ends a list.
var nothingElse = wordSet("only just solely alone exclusively single merely 只 只有 仅 仅仅 就只 唯一 唯有")

// unsigned reports whether an answer has no word and no sign that may act on the rest.
func (p *prepared) unsigned(r *reading) bool { return len(r.operators) == 0 && !p.signs() }

// signs reports whether an answer has a sign that may act on its words.
func (p *prepared) signs() bool {
	return strings.ContainsAny(p.at.raw, "~[]{}|") || strings.ContainsFunc(p.at.raw, func(c rune) bool { return c >= 0x2190 && c < 0x2c00 || c >= 0x1f000 && (c < 0x1f600 || c > 0x1f60f) })
}

// bare reports whether an answer is the gold and words that only give an answer.
func (p *prepared) bare(r *reading) bool {
	t := p.at
	for i := range t.toks {
		if k := &t.toks[i]; !r.mention[i] && !giving[k.word] && !p.gt.hasWord(k.word) {
			return false
		}
	}
	return p.unsigned(r)
}

// giving are words that give an answer and change nothing of it.
var giving = wordSet("the a an it its it's is was are were be that this they he she we you i in on at to by for and answer answers answered correct right final result value yes sure so s from what said 是 为 答案 就是 那 它 在 了 的 之 前 之前 提到 提到过 提过 说过 过 我 觉得 您 你 说 记录 显示 应 该 应该 就")

// operator returns the word of an answer that most likely changes its meaning: one that affects the gold, and a mere contrast only if there is no other; nil if
// there is none.
func (p *prepared) operator(r *reading) (found *operator) {
	for i := range r.operators {
		if op := &r.operators[i]; p.reaches(r, op) && (found == nil || found.kind == "contrast") {
			found = op
		}
	}
	return found
}

// why names the reason for the doubt, the simplest one first.
func (p *prepared) why(r *reading) string {
	if op := p.operator(r); op != nil {
		return "a word that may turn what is said (" + op.kind + ": " + op.word + ")"
	}
	if r.rival >= 0 {
		return "it names another candidate: " + p.at.toks[r.rival].word
	}
	for _, part := range []struct {
		rest []int
		say  string
	}{{r.before, "what stands before the gold may turn it: "}, {r.later, "a sentence besides the gold may take it back: "}, {r.after, "it says more than gold and question account for: "}} {
		if len(part.rest) > 0 {
			return part.say + p.words(part.rest)
		}
	}
	return "how it says the gold cannot be read with certainty"
}

// persons are pronouns by which a sentence continues about someone.
var persons = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields("everyone everybody he she they him her them his hers their you your i my we our us it its 他 她 他们 她们 您 你 我 我们 它") {
		m[w] = true
	}
	return m
}()

// reaches reports whether an operator may act on the mention of the gold: it is in its
// sentence, or in the one before or behind.
func (p *prepared) reaches(r *reading, op *operator) bool {
	at := p.at.toks[op.tok].sent
	return at >= p.at.toks[r.first].sent-1 && at <= p.at.toks[r.last-1].sent+1
}

func (p *prepared) words(list []int) string {
	var out []string
	for _, i := range list {
		if len(out) == 4 {
			out = append(out, "…")
			break
		}
		out = append(out, p.at.toks[i].word)
	}
	return strings.Join(out, " ")
}
