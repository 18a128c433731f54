package judge

import (
	"strings"

	"membench/internal/depparse"
)

// A standing is an answer with the clause that says the gold most plainly, its home.
type standing struct {
	*prepared
	r     *reading
	list  []clause
	at    int
	full  int  // how many words of the gold a clause has at most
	whole bool // the home repeats the question: it is a statement by itself
	kind  []uint8
}

// stand reads an answer by its clauses, once.
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

// asserts reports whether a clause on which nothing acts says the gold, and every other one
// leaves it as it is.
func (p *prepared) asserts(r *reading) bool {
	s := p.stand(r)
	h := &s.list[s.at]
	if s.full == 0 || h.acts != [4]int{} || p.signs() || !(h.rest == 0 && p.plainly(r, h)) && !s.answers() {
		return false
	}
	for i := range s.list {
		if i != s.at && !s.leaves(i) {
			return false
		}
	}
	return true
}

// answers reports whether the home is a statement about what was asked, with words of its own: it is
// about somebody or something of the question or goes on about them, names nothing that may be meant
// instead of the gold, and its verb does not deny.
func (s *standing) answers() bool {
	h := &s.list[s.at]
	t := s.prepared.at
	if s.rival(h) || h.asks || s.has(h, disliking) || h.lead == "contrast" {
		return false
	}
	if t.toks[h.from].han || t.toks[s.r.first].han {
		return h.rest <= 2 && h.asked > 0 && !s.possessed(h) && !strings.HasSuffix(strings.TrimRight(s.clauseText(h), "。,. "), "的")
	}
	subject, verb, _ := s.predicate(h)
	if subject == "" || !verb || s.self(subject) {
		return false
	}
	return h.asked > 0 && (persons[subject] || s.asked(subject))
}

// possessed reports whether a Chinese clause is about what somebody of the question has: 李明的哥哥.
func (s *standing) possessed(c *clause) bool {
	t := s.prepared.at
	for i := c.from + 1; i < c.to && s.kind[i] != ofGold; i++ {
		if t.toks[i-1].word == "的" && s.kind[i] == ofRest {
			return true
		}
	}
	return false
}

// self reports whether a pronoun is of the one who answers, or is answered. Where the question speaks
// of "I" and "my", "you" is the one it is about.
func (s *standing) self(w string) bool {
	if !self[w] {
		return false
	}
	return !addressed[w] || !s.qt.hasWord("i") && !s.qt.hasWord("my") && !s.qt.hasWord("me") && !s.qt.hasWord("we") && !s.qt.hasWord("our")
}

var addressed = wordSet("you your yours yourself")

// turned counts the clauses on one side of the home that do not leave the answer as it is:
// those on which something acts, those that name something else instead, and others.
func (s *standing) turned(from, to int) (acted, rival, other int) {
	for i := from; i < to; i++ {
		c := &s.list[i]
		switch {
		case i == s.at || s.leaves(i):
		case c.acts != [4]int{} || c.lead == "contrast":
			acted++
		case s.rival(c):
			rival++
		default:
			other++
		}
	}
	return acted, rival, other
}

// leaves reports whether a clause besides the home leaves the answer as it is.
func (s *standing) leaves(i int) bool {
	c := &s.list[i]
	acted := c.acts != [4]int{}
	switch {
	case c.nothing && !s.rival(c) && !s.changes(c):
		return true
	case !acted && s.reckons(c) && !s.rival(c):
		return true
	case c.gold == s.full:
		return !acted && (c.rest == 0 || s.whole && !s.rival(c) && c.lead != "contrast")
	case i > s.at && requests[s.prepared.at.toks[c.from].word]:
		return c.acts[0]+c.acts[2]+c.acts[3] == 0 && c.rest <= 4 && !s.rival(c)
	case c.asks:
		return c.acts == [4]int{1: 1} && !s.rival(c) && (i < s.at || s.has(c, offers))
	case i < s.at:
		return s.leavesAhead(i)
	case s.rival(c):
		return s.dismissed(i)
	case acted || c.lead == "contrast":
		return s.leavesActing(i)
	}
	return s.details(i)
}

// reckons reports whether a clause has terms from which the gold's value is reckoned.
func (s *standing) reckons(c *clause) bool {
	for i := c.from; i < c.to; i++ {
		if s.reckoned(s.prepared.at.toks[i].pos) {
			return true
		}
	}
	return false
}

// leavesAhead says so of a clause ahead of the home: what it says is set aside by a contrast or by
// being denied, or it is an opening.
func (s *standing) leavesAhead(i int) bool {
	c, h := &s.list[i], &s.list[s.at]
	for j := i + 1; j <= s.at; j++ {
		if s.list[j].lead == "contrast" {
			return true
		}
	}
	substance := false
	for j := 0; j <= i; j++ {
		b := &s.list[j]
		substance = substance || b.rest > 0 || s.rival(b) || b.asks && b.gold == 0 // "A chestnut? No, …"
	}
	apart := s.whole || s.apart(s.list, i, s.at)
	next := &s.list[i+1]
	switch {
	case h.embedded && i == s.at-1:
		return c.acts == [4]int{} && c.rest == 0
	case c.acts[1] > 0:
		return false
	case c.to-c.from == 1 && c.acts == [4]int{1} && next.sent == c.sent && next.acts[0] > 0 && next.gold == 0:
		return true // "No, it isn't …"
	case c.acts != [4]int{}:
		return substance && (apart || c.lead == "negation" || c.lead == "exclusion" || c.lead == "concession")
	case c.rest == 0:
		return true
	case s.rival(c), c.asked > 0 && 2*c.asked >= s.r.asked && !s.whole:
		return false
	case s.whole && !strings.Contains(s.prepared.at.gap(c.to), ":"):
		return c.sent != h.sent && s.grounded(c)
	}
	if strings.Contains(s.prepared.at.gap(c.to), ":") && i == s.at-1 {
		return s.has(c, support) || s.whole && c.asked > 0 // "Quick answer: …", "On the inode alert: …"
	}
	subject, verb, _ := s.predicate(c)
	return c.sent != h.sent && verb && subject != ""
}

// grounded reports whether a clause speaks of a person, the question, or where an answer comes from.
func (s *standing) grounded(c *clause) bool {
	for i := c.from; i < c.to; i++ {
		k := &s.prepared.at.toks[i]
		if frameWords[k.word] || k.inQ || persons[k.word] {
			return true
		}
	}
	return false
}

// rival reports whether a clause has something that may be meant instead of the gold.
func (s *standing) rival(c *clause) bool { return c.typed > 0 || s.otherValue(c) }

// dismissed reports whether a clause behind the home that names another candidate sets it aside, or
// says something else of it than was asked.
func (s *standing) dismissed(i int) bool {
	c := &s.list[i]
	word := s.prepared.at.toks[c.from].word
	switch {
	case c.acts[1] > 0 || c.embedded || i > s.at && s.disowns(i):
		return false
	case s.another(c):
		return true
	case i+1 < len(s.list) && s.list[i+1].lead == "contrast" && s.list[i+1].sent == c.sent && s.list[i+1].gold == 0 && !s.rival(&s.list[i+1]):
		return true // "An older one says …, but that one is out of date"
	case c.lead == "contrast" || c.lead == "correction" || word == "no" && c.to-c.from > 2:
		return false
	case c.acts[0]+c.acts[3] > 0 || s.has(c, past):
		return true
	case c.acts != [4]int{} || !s.whole || c.asked > 0 && 2*c.asked >= s.r.asked || c.rest <= c.typed:
		return false
	}
	for j := c.from; j < min(c.from+3, c.to); j++ {
		if s.rivals(j) {
			return true // it is about the other one
		}
	}
	return false
}

// leavesActing says so of a clause behind the home that denies, moves or contrasts: it must be
// about something else.
func (s *standing) leavesActing(i int) bool {
	c := &s.list[i]
	before := &s.list[i-1]
	switch {
	case c.lead == "contrast" || c.rest == 0:
		return i-1 != s.at && c.acts[1] == 0 && before.sent == c.sent && (before.acts != [4]int{} || s.rival(before) || s.another(before) || s.has(before, past)) && (before.rest > 0 || s.rival(before))
	case c.acts[1] > 0 || c.points || c.embedded || s.has(c, retracting):
		return false
	case s.another(c):
		return true
	}
	return c.acts[0]+c.acts[3] > 0 && c.acts[2] == 0 && !s.disowns(i)
}

// details says so of a clause behind the home on which nothing acts and that names no other
// candidate: it adds something, and does not speak of what was said.
func (s *standing) details(i int) bool {
	c, h := &s.list[i], &s.list[s.at]
	first := &s.prepared.at.toks[c.from]
	switch {
	case s.grounds(s.list, s.at, i), s.another(c):
		return true
	case c.rest == 0:
		return !s.has(c, retracting) || c.points && !s.has(c, turning)
	case first.han:
		return c.to-c.from > 2 && !strings.ContainsAny(first.word, "是即应叫改") && !c.points
	case s.describes(i):
		return true
	case s.has(c, retracting):
		return false
	}
	subject, verb, copula := s.predicate(c)
	switch {
	case subject == "":
		return s.whole && s.grounded(c) && (c.sent == h.sent || frameWords[first.word])
	case s.self(subject):
		return s.has(c, able)
	case !verb:
		return false
	case points[subject] || frameWords[subject]:
		return !copula
	}
	return true
}

// describes reports whether a clause right behind the home says more of the gold: in brackets, as
// "which …", or as somebody's: "Max, his dog".
func (s *standing) describes(i int) bool {
	t := s.prepared.at
	c, h := &s.list[i], &s.list[s.at]
	if i != s.at+1 || c.sent != h.sent || s.rival(c) || s.kind[c.from-1] != ofGold {
		return false
	}
	gap, first := t.gap(c.from), t.toks[c.from].word
	switch {
	case strings.Contains(gap, "("):
		subject, verb, _ := s.predicate(c)
		return c.acts == [4]int{} && (subject != "" && verb || s.grounded(c))
	case first == "which" || first == "who" || first == "where":
		return !s.has(c, turning)
	}
	if len(s.gv) == 1 && s.gv[0].name != "" && strings.Contains(gap, ",") && c.to-c.from >= 4 && c.acts == [4]int{} && !s.has(c, retracting) {
		return true // more of a thing with a name: "10.20.30.5, reachable from the jump host"
	}
	return strings.Contains(gap, ",") && possessive[first] && !possessive[t.toks[h.from].word] && c.to-c.from <= 4
}

var possessive = wordSet("his her their its my your our")

// answersOtherwise reports whether a clause without the gold repeats the question and says
// something else, and no clause with the gold repeats it: the gold's is acted on, or says
// something of the gold.
func (s *standing) answersOtherwise() bool {
	if s.r.asked < 2 || s.full < s.wordsOfGold() || !s.apartFromGold() {
		return false
	}
	other := false
	for i := range s.list {
		c := &s.list[i]
		repeats := 2*c.asked >= s.r.asked
		if repeats && c.gold == s.full {
			return false
		}
		other = other || repeats && c.acts[0]+c.acts[1] == 0 && (c.rest > 0 || s.rival(c))
	}
	return other
}

// apartFromGold reports whether the home says something of the gold, or is acted on: it goes
// on with no other clause.
func (s *standing) apartFromGold() bool {
	h := &s.list[s.at]
	if h.acts != [4]int{} {
		return true
	}
	begun := false
	for i := h.from; i < h.to; i++ {
		switch s.kind[i] {
		case ofGold:
			begun = true
		case ofRest, ofQuestion:
			return begun && h.rest > 0
		}
	}
	return false
}

// remarked reports whether a clause behind the home says of what was said that it is something
// that nothing accounts for: "That was a slip of the pen."
func (s *standing) remarked() bool {
	for i := s.at + 1; i < len(s.list); i++ {
		c := &s.list[i]
		if !c.points || c.embedded || c.rest == 0 || c.asked+c.gold > 0 || !s.apart(s.list, i-1, i) || s.leaves(i) {
			continue
		}
		if subject, _, copula := s.predicate(c); copula && subject != "it" && points[subject] {
			return true
		}
	}
	return false
}

// retracting are words by which a sentence may speak of the answer, without an operator.
var retracting = wordSet("that this those these which so such none neither former latter opposite statement claim answer following reply ignore disregard forget scratch strike change turns turned real true truth fact correct right")

// turning are those of them by which a sentence that has nothing of its own takes an answer back.
var turning = wordSet("so such none neither opposite ignore disregard forget scratch strike change turns turned real true truth fact right")

// past are words of what is no longer so.
var past = wordSet("earlier older old previous previously former formerly original originally initial initially outdated stale obsolete 之前 以前 原来 原先 当初 最初")

// offers are words of a question that offers help.
var offers = wordSet("you help else anything more 您 你")

// able are words by which somebody offers to do something.
var able = wordSet("can will ll shall")

// requests begin a sentence that only addresses the reader.
var requests = wordSet("please let hope feel glad happy")

// support are words that head what an answer rests on.
var support = wordSet("answer why reason reasons reasoning explanation because source sources evidence basis reference references 原因 理由 依据 来源 出处")

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

// clauseText is what a clause says, up to the next.
func (p *prepared) clauseText(c *clause) string {
	end := len(p.at.raw)
	if c.to < len(p.at.toks) {
		end = p.at.toks[c.to].pos
	}
	return p.at.raw[p.at.toks[c.from].pos:end]
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

// predicate reads the grammar of a clause: its subject, "" where it has none; whether it says
// something of it; copula: that it is something.
func (p *prepared) predicate(c *clause) (subject string, verb, copula bool) {
	key := [2]int{c.from, c.to}
	g, ok := p.grammar[key]
	if !ok {
		g.subject, g.verb, g.copula = p.parsed(c)
		if p.grammar == nil {
			p.grammar = map[[2]int]predicate{}
		}
		p.grammar[key] = g
	}
	return g.subject, g.verb, g.copula
}

// A predicate is the grammar of a clause.
type predicate struct {
	subject      string
	verb, copula bool
}

func (p *prepared) parsed(c *clause) (subject string, verb, copula bool) {
	words := depparse.Parse(strings.TrimSpace(p.clauseText(c)))
	root := -1
	for i, w := range words {
		if w.Head < 0 && root < 0 {
			root = i
		}
	}
	if root < 0 {
		return "", false, false
	}
	verb = strings.HasPrefix(words[root].Tag, "V") || words[root].Tag == "MD"
	copula = being[strings.ToLower(words[root].Form)]
	for _, w := range words {
		if w.Head != root {
			continue
		}
		if subject == "" && (strings.HasPrefix(w.Rel, "nsubj") || strings.HasPrefix(w.Rel, "expl")) {
			subject = strings.ToLower(w.Form)
		}
		copula = copula || w.Rel == "cop"
	}
	return subject, verb || copula, copula
}

// being are forms of the verb that makes a thing a predicate.
var being = wordSet("is was are were be been 's 're")

// courtesies are phrases with words that operate on a statement and change nothing of it.
var courtesies = []string{"that would be ", "it would be ", "this would be ", "尽管问", "尽管说"}

// courteous reports whether a byte of the answer stands in a courtesy.
func (p *prepared) courteous(pos int) bool {
	low := p.at.low()
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
