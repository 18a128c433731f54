package judge

import (
	"slices"
	"strings"

	"membench/internal/tokens"
)

// A clause is a part of an answer that makes one statement: the text between marks, split at conjunctions and negations.
type clause struct {
	from, to int // tokens
	sent     int
	gold     int    // different words of the gold
	rest     int    // words that nothing accounts for
	typed    int    // of these, such as may be meant instead of the gold
	asked    int    // words of the question
	lead     string // kind of operator that begins it
	acts     [4]int // operators that deny, make it less than certain, move it to another time or speaker, make it an intention
	points   bool   // has a word that refers to something said before
	nothing  bool   // denies that there is anything else
	asks     bool   // a question
	embedded bool   // begins with "that": the text before it attributes the statement
}

// acting groups the kinds of operators by their effect on a statement.
var acting = map[string]int{"negation": 0, "correction": 0, "exclusion": 0, "concession": 2, "exchange": 0, "condition": 1, "guess": 1, "alternative": 1, "question": 1, "report": 2, "time": 2, "unreal": 2, "intent": 3}

// others are words with which a denial confirms a statement: "nobody says anything else".
var others = tokens.Set("else other others otherwise different differently differs contrary contradict contradicts contradicted contradiction doubt dispute disputes disputed objected objection against change changes changed 异议 其他 别的 矛盾 疑问 出入")

// inverted are verbs that make a condition where a clause begins with them.
var inverted = tokens.Set("had were should")

// joins begin a clause in the midst of a sentence.
var joins = tokens.Set("but yet though although whereas while however not never rather instead unlike except despite that which because since so nor")

// clauses splits the answer into clauses. kind is the origin of each word.
func (p *prepared) clauses(r *reading, kind []uint8) []clause {
	t := p.at
	ops := make(map[int]string, len(r.operators))
	for _, op := range r.operators {
		if ops[op.tok] == "" || op.kind != "contrast" {
			ops[op.tok] = op.kind
		}
	}
	var out []clause
	for i := range t.toks {
		if n := len(out) - 1; i == 0 || p.parts(r, i, ops[i]) && !(out[n].to-out[n].from == 1 && out[n].sent == t.toks[i].sent && joins[t.toks[out[n].from].word] && !strings.ContainsAny(t.gap(i), ",:;")) {
			out = append(out, clause{from: i, sent: t.toks[i].sent, lead: ops[i], embedded: t.toks[i].word == "that" && i > 0 && t.toks[i].sent == t.toks[i-1].sent})
		}
		c := &out[len(out)-1]
		c.to = i + 1
	}
	out = p.joinedClauses(out, kind, ops)
	for n := range out {
		c := &out[n]
		said := map[string]bool{}
		negated := false
		for i := c.from; i < c.to; i++ {
			k := &t.toks[i]
			switch kind[i] {
			case ofGold:
				said[k.stem] = true
			case ofRest:
				if ops[i] == "" && len(k.word) > 1 {
					c.rest++
					c.typed += int(b2f(p.rivals(i)))
				}
			case ofQuestion:
				c.asked++
			}
			if a, ok := acting[ops[i]]; ok && ops[i] != "" {
				c.acts[a]++
			}
			if i == c.from && inverted[k.word] && i+1 < c.to && !t.toks[i+1].num {
				c.acts[1]++ // "had it rained"
			}
			c.asks = c.asks || ops[i] == "question"
			negated = negated || k.neg || ops[i] == "negation"
			c.nothing = c.nothing || negated && others[k.word]
			c.points = c.points || points[k.word] && !(c.embedded && i == c.from) || k.han && strings.ContainsAny(k.word, "这那此其")
		}
		c.gold = len(said)
	}
	return out
}

// joinedClauses puts clauses of one sentence together that follow each other and say each a part of
// the gold, with nothing that acts on either: "a place that is safe, where people can grow".
func (p *prepared) joinedClauses(list []clause, kind []uint8, ops map[int]string) []clause {
	stems := func(c *clause) (m map[string]bool, plain bool) {
		m = map[string]bool{}
		for i := c.from; i < c.to; i++ {
			if k := &p.at.toks[i]; kind[i] == ofGold && !k.num {
				m[k.stem] = true
			}
			if _, acts := acting[ops[i]]; ops[i] != "" && (acts || ops[i] == "contrast") {
				return nil, false
			}
		}
		return m, true
	}
	out := list[:0]
	for _, c := range list {
		if n := len(out) - 1; n >= 0 && out[n].sent == c.sent && !strong(p.at.gap(c.from)) && !joins[p.at.toks[c.from].word] {
			before, plain := stems(&out[n])
			more, too := stems(&c)
			if plain && too && len(before) > 0 && len(more) > 0 && apartSets(before, more) {
				out[n].to = c.to
				continue
			}
		}
		out = append(out, c)
	}
	return out
}

// apartSets reports whether two sets have no member in common.
func apartSets(a, b map[string]bool) bool {
	for w := range a {
		if b[w] {
			return false
		}
	}
	return true
}

// parts reports whether a clause begins at a word.
func (p *prepared) parts(r *reading, i int, op string) bool {
	t := p.at
	gap := t.gap(i)
	if !t.toks[i].han && !t.toks[i-1].han && gap != "" && !strings.ContainsAny(gap, " \n,;()—–") && t.toks[i].sent == t.toks[i-1].sent {
		return false // inside a value: 02:17, 00:1b:54
	}
	if t.toks[i].sent != t.toks[i-1].sent || strong(gap) || strings.Contains(gap, " - ") || strings.HasSuffix(gap, ". ") {
		return true
	}
	if r.mention[i] && r.mention[i-1] && !t.toks[i].han {
		return false // "4 March, 2021"
	}
	if strings.ContainsAny(gap, ",()\n") {
		return true
	}
	if prev := &t.toks[i-1]; joins[t.toks[i].word] && (p.gt.hasWord(t.toks[i].word) || being[prev.word] || prev.neg) {
		return false // "it isn't because …"
	}
	return joins[t.toks[i].word] || t.toks[i].han && (op == "contrast" || op == "negation" && !t.toks[i-1].neg)
}

// gap returns the text between a token and the previous one.
func (t *text) gap(i int) string { return t.raw[min(t.end(i-1), t.toks[i].pos):t.toks[i].pos] }

// home is the clause that asserts the gold most plainly, the last where several do; full
// is how many of its words a clause can have.
func home(list []clause) (at, full int) {
	for _, c := range list {
		full = max(full, c.gold)
	}
	best := 1 << 30
	for i, c := range list {
		if cost := 4*c.acts[0] + 2*(c.acts[1]+c.acts[2]+c.acts[3]) + c.rest; c.gold == full && cost <= best {
			best, at = cost, i
		}
	}
	return at, full
}

// plainly reports whether a clause has nothing but gold, question, and words that give an
// answer. A Chinese question is cut into pairs of characters, so one of its characters alone
// counts as its word, too.
func (p *prepared) plainly(r *reading, c *clause) bool {
	for i := c.from; i < c.to; i++ {
		k := &p.at.toks[i]
		if k.word == "的" && i > 0 && r.mention[i-1] && !strings.Contains(p.gt.raw, "的") {
			return false // someone or something of the gold
		}
		if !r.mention[i] && !k.inQ && !(len(p.gv) == 0 && p.at.article(i)) && !p.asked(k.word) && !p.gt.hasWord(k.word) && !(k.han && (strings.Contains(p.qt.raw, k.word) || p.partly(i, nil))) && !giving[k.word] && !p.courteous(k.pos) && !persons[k.word] && !(frame(k) && !k.vague && (!k.han || frameWords[k.word])) && !(i == c.from && joins[k.word]) {
			return false
		}
	}
	return true
}

// asked reports whether the question has a word, or its form without "s".
func (p *prepared) asked(w string) bool {
	return p.qt.hasWord(w) || len(w) > 3 && p.qt.hasWord(strings.TrimSuffix(w, "s"))
}

func strong(gap string) bool {
	return strings.ContainsAny(gap, ";:—–") || strings.Contains(gap, "--")
}

// otherValue reports whether a clause has a value that may be meant instead of the gold's.
func (p *prepared) otherValue(c *clause) bool {
	end := len(p.at.raw)
	if c.to < len(p.at.toks) {
		end = p.at.toks[c.to].pos
	}
	for _, a := range p.av {
		if a.pos < p.at.toks[c.from].pos || a.pos >= end || anySame(p.qv, a) || anySame(p.gv, a) {
			continue
		}
		for _, g := range p.gv {
			if g.kind == a.kind {
				return true
			}
		}
	}
	return false
}

// clauseNames are the features that the clauses give.
var clauseNames = func() []string {
	names := []string{"clauses", "home_last", "home_contrast", "home_negated", "home_uncertain", "home_moved", "home_rest", "home_rest_ahead", "home_typed", "home_asked", "home_embedded", "home_sign", "gold_denied", "gold_uncertain", "gold_moved", "gold_clean", "gold_partial", "joined_or", "home_value", "home_whole", "home_plain"}
	for _, where := range []string{"ahead", "behind"} {
		for _, what := range []string{"plain", "plain_typed", "plain_asked", "negated", "uncertain", "moved", "contrasted", "acted_typed", "points", "points_negated", "nothing", "matrix_acted", "fragment", "value_plain", "value_acted"} {
			names = append(names, what+"_"+where)
		}
	}
	return names
}()

// clauseFeatures describes which clause asserts the gold, and the effect of the others.
func (m *manner) clauseFeatures() {
	p, r := m.p, m.r
	s := p.stand(r)
	list, at, full := s.list, s.at, s.full
	h := &list[at]
	ahead := 0
	for i := h.from; i < h.to && m.kind[i] != ofGold; i++ {
		ahead += int(b2f(m.kind[i] == ofRest))
	}
	var denied, uncertain, moved, plain, partial int
	for i := range list {
		if c := &list[i]; c.gold == full {
			denied += int(b2f(c.acts[0] > 0))
			uncertain += int(b2f(c.acts[1] > 0))
			moved += int(b2f(c.acts[2]+c.acts[3] > 0))
			plain += int(b2f(c.acts == [4]int{}))
		} else if c.gold > 0 && c.rest > 0 {
			partial++
		}
	}
	low := p.at.low()
	m.put(ln1(len(list)), b2f(at == len(list)-1), b2f(h.lead == "contrast"), ln1(h.acts[0]), ln1(h.acts[1]), ln1(h.acts[2]+h.acts[3]), ln1(h.rest), ln1(ahead), ln1(h.typed), float64(h.asked)/float64(max(1, r.asked)), b2f(h.embedded),
		b2f(h.from > 0 && strings.Contains(p.at.gap(h.from), ":")),
		ln1(denied), ln1(uncertain), ln1(moved), ln1(plain), ln1(partial), b2f((strings.Contains(low, " or ") || strings.Contains(low, "还是")) && !strings.Contains(p.gt.low(), " or ")), b2f(p.otherValue(h)), b2f(s.whole), b2f(p.plainly(r, h)))
	m.besides(list[:at], full, h)
	m.besides(list[at+1:], full, nil)
}

// besides describes the clauses on one side of the gold's clause. matrix is the clause that follows the last of them.
func (m *manner) besides(list []clause, full int, matrix *clause) {
	var n [15]int
	for i := range list {
		c := &list[i]
		acted := c.acts != [4]int{} || c.lead == "contrast"
		count := func(k int, is bool) { n[k] += int(b2f(is)) }
		if c.rest > 0 && c.gold < full {
			count(0, !acted)
			count(1, !acted && c.typed > 0)
			count(2, !acted && 2*c.asked >= m.r.asked && c.asked > 0)
			count(7, acted && c.typed > 0)
		}
		count(3, c.acts[0] > 0 && !c.nothing)
		count(4, c.acts[1] > 0)
		count(5, c.acts[2]+c.acts[3] > 0)
		count(6, c.lead == "contrast")
		count(8, c.points)
		count(9, c.points && acted)
		count(10, c.nothing)
		count(11, matrix != nil && matrix.embedded && i == len(list)-1 && c.acts != [4]int{})
		count(12, c.to-c.from <= 3)
		if m.p.otherValue(c) {
			count(13, !acted)
			count(14, acted)
		}
	}
	for _, v := range n {
		m.put(ln1(v))
	}
}

// A standing is an answer with its home, the clause that states the gold most plainly.
type standing struct {
	*prepared
	r     *reading
	list  []clause
	at    int
	full  int  // how many words of the gold a clause has at most
	whole bool // the home repeats the question: it is a statement by itself
	kind  []uint8
}

// stand parses an answer into clauses, once.
func (p *prepared) stand(r *reading) *standing {
	if r.standing == nil {
		kind := p.kinds(r)
		list := p.clauses(r, kind)
		at, full := home(list)
		h := &list[at]
		r.standing = &standing{p, r, list, at, full, h.asked > 0 && 2*h.asked >= r.asked && r.restates >= .5, kind}
	}
	return r.standing
}

func (p *prepared) has(c *clause, words map[string]bool) bool {
	han := false
	for i := c.from; i < c.to; i++ {
		k := &p.at.toks[i]
		if words[k.word] {
			return true
		}
		han = han || k.han
	}
	if han {
		for w := range words {
			if w[0] >= 0x80 && strings.Contains(p.clauseText(c), w) {
				return true
			}
		}
	}
	return false
}

// clauseText returns the text of a clause, up to the next one.
func (p *prepared) clauseText(c *clause) string {
	end := len(p.at.raw)
	if c.to < len(p.at.toks) {
		end = p.at.toks[c.to].pos
	}
	return p.at.raw[p.at.toks[c.from].pos:end]
}

// courteous reports whether a byte of the answer is in a courtesy.
func (p *prepared) courteous(pos int) bool {
	low := p.at.low()
	if len(low) != len(p.at.raw) {
		return false
	}
	return slices.ContainsFunc(courtesies, func(c string) bool {
		i := strings.Index(low, c)
		return i >= 0 && pos >= i && pos < i+len(c)
	})
}

// being are forms of the verb that makes a thing a predicate.
var being = tokens.Set("is was are were be been 's 're")

// courtesies are phrases with words that operate on a statement and change nothing of it.
var courtesies = []string{"that would be ", "it would be ", "this would be ", "尽管问", "尽管说"}
