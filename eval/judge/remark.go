package judge

import (
	"strings"

	"membench/internal/depparse"
)

// remark reports whether a clause leaves the answer of its home clause as it is: it says
// something of its own, asks the reader for something, gives the grounds, heads the answer,
// or speaks of somebody else. What takes back, speaks of what was said, or gives another
// answer to the question is no remark.
func (p *prepared) remark(r *reading, list []clause, at, home int) bool {
	c, h := &list[at], &list[home]
	acted := c.acts[0]+c.acts[2]+c.acts[3] > 0
	switch {
	case c.gold >= h.gold || c.gold > 0 && c.typed == 0 || c.embedded:
		return false
	case at < home && c.sent < h.sent && c.acts == [4]int{1} && c.gold == 0:
		return true // denies something else ahead of the answer
	case at < home && c.to-c.from == 1 && c.acts == [4]int{1} && list[at+1].sent == c.sent && list[at+1].acts[0] > 0 && list[at+1].gold == 0:
		return true // "No, it isn't …" before the answer
	case p.has(c, elsewhere) && at > home && c.sent == h.sent && c.acts[0]+c.acts[1] == 0:
		return true
	case acted || c.lead == "contrast":
		return false
	case at < home && c.acts[1] == 0 && p.courteous(p.at.toks[c.from].pos):
		return true
	case at > home && p.grounds(list, home, at):
		return c.acts[1] == 0 && c.typed == 0 && !p.otherValue(c)
	case 2*h.asked < r.asked && home > 0:
		return false
	case at == home-1 && h.from > 0 && strings.Contains(p.at.gap(h.from), ":") && c.acts[1] == 0 && c.typed == 0 && p.has(c, headings):
		return true
	case p.has(c, retracting), c.asked > 0 && 2*c.asked >= r.asked:
		return false
	case p.at.toks[c.from].han:
		return at > home && c.acts[1] == 0 && c.typed == 0 && c.to-c.from > 2 && !p.otherValue(c) && !strings.ContainsAny(p.at.toks[c.from].word, "是即应叫改") && !c.points
	}
	verb, subject, copula := p.predicate(c)
	switch {
	case requests[p.at.toks[c.from].word] && c.rest <= 4 && c.typed == 0 && at > home:
		return true
	case !verb:
		return false
	case !subject:
		return c.typed == 0 && !p.otherValue(c) && c.sent != h.sent
	case c.acts[1] > 0:
		return false
	case copula:
		return c.typed == 0 && !p.otherValue(c)
	}
	return true
}

// answersOtherwise reports whether a clause without the gold repeats the question and says
// something else, and no clause with the gold repeats it.
func (p *prepared) answersOtherwise(r *reading) bool {
	if r.asked < 2 {
		return false
	}
	list := p.clauses(r, p.kinds(r))
	_, full := home(list)
	other := false
	for i := range list {
		c := &list[i]
		repeats := 2*c.asked >= r.asked
		if repeats && c.gold == full {
			return false
		}
		other = other || repeats && c.acts[0]+c.acts[1] == 0 && (c.typed > 0 || p.otherValue(c) || c.rest > 0)
	}
	return other
}

// retracting are words by which a sentence may speak of the answer, without an operator.
var retracting = wordSet("that this those these which so such none neither both same above below former latter opposite statement claim answer following reply ignore disregard forget scratch strike read change turns turned one ones real true truth fact correct right")

// elsewhere are words of those whom a question is not about.
var elsewhere = wordSet("else another different 另一 另一个 另外 别人")

// requests begin a sentence that only addresses the reader.
var requests = wordSet("please let hope feel glad happy")

// headings are what stands over an answer and says nothing of it.
var headings = wordSet("summary conclusion finding findings result results recap overview update status verdict timeline")

// support are words that head what an answer rests on.
var support = wordSet("why reason reasons reasoning explanation because source sources evidence basis reference references 原因 理由 依据 来源 出处")

func (p *prepared) has(c *clause, words map[string]bool) bool {
	for i := c.from; i < c.to; i++ {
		if k := &p.at.toks[i]; words[k.word] {
			return true
		}
	}
	return false
}

// grounds reports whether a clause stands below a heading such as "Why:" behind the answer.
func (p *prepared) grounds(list []clause, home, at int) bool {
	for i := home + 1; i <= at; i++ {
		c := &list[i]
		if support[p.at.toks[c.from].word] && c.sent > list[home].sent && c.from+1 < len(p.at.toks) && strings.Contains(p.at.gap(c.from+1), ":") {
			return true
		}
	}
	return false
}

// predicate reads the grammar of a clause: whether it has a verb, and a subject; copula says
// that the predicate is a quality. A name or thing is no predicate.
func (p *prepared) predicate(c *clause) (verb, subject, copula bool) {
	end := len(p.at.raw)
	if c.to < len(p.at.toks) {
		end = p.at.toks[c.to].pos
	}
	words := depparse.Parse(strings.TrimSpace(p.at.raw[p.at.toks[c.from].pos:end]))
	root := -1
	for i, w := range words {
		if w.Head < 0 && root < 0 {
			root = i
		}
	}
	if root < 0 {
		return false, false, false
	}
	thing := being[strings.ToLower(words[root].Form)] // "it was a slip"
	for _, w := range words {
		thing = thing || w.Head == root && (w.Rel == "det" || w.Rel == "cop" && words[root].Tag[0] != 'J')
		subject = subject || w.Head == root && (strings.HasPrefix(w.Rel, "nsubj") || strings.HasPrefix(w.Rel, "expl"))
	}
	switch tag := words[root].Tag; {
	case thing:
		return false, subject, false
	case strings.HasPrefix(tag, "V") || tag == "MD":
		return true, subject, false
	case strings.HasPrefix(tag, "J") || strings.HasPrefix(tag, "R") || tag == "IN":
		return subject, subject, true
	}
	return false, subject, false
}

// being are forms of the verb that makes a thing a predicate.
var being = wordSet("is was are were be been 's 're")

// courtesies are phrases with words that operate on a statement and change nothing of it.
var courtesies = []string{"that would be ", "it would be ", "this would be ", "if i remember correctly", "if i recall correctly", "if i'm not mistaken", "if i am not mistaken", "unless i'm mistaken", "if memory serves", "to the best of my knowledge", "as far as i know", "as far as i can tell", "如果我没记错", "如果没记错", "我没记错", "没记错的话", "如果我没理解错"}

// courteous reports whether a byte of the answer stands in a courtesy.
func (p *prepared) courteous(pos int) bool {
	low := strings.ToLower(p.at.raw)
	if len(low) != len(p.at.raw) {
		return false
	}
	for _, c := range courtesies {
		if i := strings.Index(low, c); i >= 0 && pos >= i && pos < i+len(c) {
			return true
		}
	}
	return false
}
