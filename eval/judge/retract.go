package judge

import "strings"

// takenBack says why what stands behind the home, or beside a bare gold, goes beyond it: a later
// state of things, another one, or a statement that what was said is no longer worth anything.
func (p *prepared) takenBack(r *reading) string {
	if p.abstainQ || r.first < 0 || p.how != "" && len(p.at.toks) > 120 {
		return ""
	}
	s := p.stand(r)
	if s.full == 0 {
		return ""
	}
	h := &s.list[s.at]
	from := h.from
	for i := h.from; i < h.to; i++ {
		if r.mention[i] {
			from = i + 1
		}
	}
	if w := s.overtakes(from, h.to); w != "" {
		return w
	}
	if op := s.conditional(r); op != "" {
		return "a word that may turn what is said (condition: " + op + ")"
	}
	if near := p.nearby(); near != "" {
		return "it is something by the gold: " + near
	}
	if p.redated() {
		return "what follows in time may overtake it: another date"
	}
	for i := s.at + 1; i < len(s.list); i++ {
		c := &s.list[i]
		if s.outdates(c) {
			return "a clause besides the gold says that it is of the past: " + strings.TrimSpace(p.clauseText(c))
		}
		if c.asks || c.nothing && !s.changes(c) || c.gold == s.full && !s.rival(c) || s.grounds(s.list, s.at, i) {
			continue
		}
		if w := s.overtakes(c.from, c.to); w != "" {
			return w
		}
		if s.otherwise(c) {
			return "a clause besides the gold speaks of another: " + strings.TrimSpace(p.clauseText(c))
		}
		if s.disowns(i) {
			return "a clause besides the gold takes back what it rests on: " + strings.TrimSpace(p.clauseText(c))
		}
	}
	if w := s.beside(); w != "" {
		return "it names another candidate: " + w
	}
	return ""
}

// nearby is the word by which a Chinese answer says a place by the gold instead of it.
func (p *prepared) nearby() string {
	for _, w := range []string{"附近", "旁边", "周边", "周围", "郊外", "郊区", "以外", "以北", "以南", "以东", "以西"} {
		if strings.Contains(p.at.raw, p.gt.raw+w) && !strings.Contains(p.qt.raw, w) {
			return w
		}
	}
	return ""
}

// redated reports whether an answer to a date goes on from it to another one.
func (p *prepared) redated() bool {
	if !p.gw.isDate() {
		return false
	}
	end := -1
	for _, a := range p.aw.abs {
		switch near := relate(p.gw.abs[0], a).score; {
		case near >= .5:
			end = a.End
		case end >= 0 && near < .2 && a.Pos > end:
			between := p.at.between(end, a.Pos)
			if p.has(&between, onward) || p.has(&between, changing) {
				return true
			}
		}
	}
	return false
}

// conditional is the word of a condition in the sentence of the home that is neither a courtesy nor
// an offer.
func (s *standing) conditional(r *reading) string {
	t := s.prepared.at
	for _, op := range r.operators {
		if op.kind != "condition" || t.toks[op.tok].sent != s.list[s.at].sent || op.word == "whether" {
			continue
		}
		offer := false
		for i := op.tok; i < len(t.toks) && t.toks[i].sent == t.toks[op.tok].sent; i++ {
			offer = offer || offering[t.toks[i].word]
		}
		if !offer && !hasWithin(t.raw[t.toks[op.tok].pos:], []string{"需要", "想", "还有"}) {
			return op.word
		}
	}
	return ""
}

// offering are verbs of conditions that offer more.
var offering = wordSet("need want help interested wondering curious matters")

// outdates reports whether a clause behind the home says of the gold, or of what was said, that it
// is of the past: "Ghent was her old home", "that is an earlier record".
func (s *standing) outdates(c *clause) bool {
	t := s.prepared.at
	old := false
	for i := c.from; i < c.to; i++ {
		k := &t.toks[i]
		old = old || past[k.word] && !s.qt.hasWord(k.word) && !s.gt.hasWord(k.word)
	}
	if t.toks[c.from].han {
		return hasWithin(s.clauseText(c), []string{"以前", "原来", "原先", "当初", "过时", "旧"}) && c.points && !s.rival(c)
	}
	if !old || s.rival(c) {
		return false
	}
	subject, _, copula := s.predicate(c)
	return copula && (c.gold == s.full || points[subject] && c.acts[0] == 0)
}

// onward are words with which a clause goes on in time; changing are verbs by which one state
// takes the place of another.
var (
	onward   = wordSet("then later afterwards afterward subsequently next now finally nowadays since today currently 后来 然后 之后 随后 现在 如今 最后 接着 后改 后换 后搬 后又 后转")
	changing = wordSet("move moves moved moving switch switches switched switching change changes changed changing replace replaces replaced replacing become becomes became becoming went go goes going relocate relocated relocates transfer transferred transfers turn turned 搬 换 改 变成 迁 转到 转去 成了")
)

// overtakes reports what goes on in time from the gold to something that neither gold nor question
// accounts for. [from, to) is a clause, or what of the home stands behind the gold.
func (s *standing) overtakes(from, to int) string {
	t := s.prepared.at
	word := ""
	for i := from; i < to; i++ {
		k := &t.toks[i]
		if k.han {
			if i < from+2 {
				word = t.hanAt(k, onward)
			}
		} else if k.word == "these" && i+1 < to && t.toks[i+1].word == "days" {
			word = "these days"
		} else if onward[k.word] && !s.qt.hasWord(k.word) && !s.gt.hasWord(k.word) && inTime(t.toks[i:to], i-from) {
			word = k.word
		}
		if word != "" {
			break
		}
	}
	if word == "" {
		return ""
	}
	rest, han, asked, copula, verb := 0, false, false, false, false
	for i := from; i < to; i++ {
		k := &t.toks[i]
		han = han || k.han
		copula = copula || being[k.word]
		asked = asked || s.kind[i] == ofQuestion
		switch {
		case onward[k.word] || changing[k.word]:
		case s.kind[i] == ofRest && t.hanAt(k, onward) == "" && t.hanAt(k, changing) == "", s.rivals(i) && s.kind[i] != ofGold:
			rest++
		}
	}
	if rest == 0 {
		return ""
	}
	part := clause{from: from, to: to}
	changed := s.has(&part, changing)
	if han {
		text := s.clauseText(&part)
		copula = strings.Contains(text, "是") || strings.Contains(text, "在") || strings.Contains(text, "住")
		verb = !changed && !copula && len([]rune(text)) > 6
	} else {
		_, verb, _ = s.predicate(&part)
		verb = verb && to-from > 3 // "then sencha": a tagger may take a lone new word for a verb
	}
	if changed || copula || asked || !verb {
		return "what follows in time may overtake it: " + word
	}
	return ""
}

// inTime reports whether a word that goes on in time does so here, at place i of its clause: "next to"
// and "since she …" do not.
func inTime(toks []tok, i int) bool {
	next := ""
	if len(toks) > 1 {
		next = toks[1].word
	}
	switch toks[0].word {
	case "next":
		return i <= 1 && next != "to"
	case "since":
		return next == "" || next == "then"
	}
	return true
}

func hasWithin(s string, words []string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// hanAt is the word of words that begins at a Chinese token or stands in it, "" without one.
func (t *text) hanAt(k *tok, words map[string]bool) string {
	best := ""
	for w := range words {
		if k.han && (strings.Contains(k.word, w) || strings.HasPrefix(t.raw[k.pos:], w)) && (len(w) > len(best) || len(w) == len(best) && w < best) {
			best = w
		}
	}
	return best
}

// between is the part of a text from one byte to another, as a clause.
func (t *text) between(pos, end int) (c clause) {
	for c.from < len(t.toks) && t.toks[c.from].pos < pos {
		c.from++
	}
	for c.to = c.from; c.to < len(t.toks) && t.toks[c.to].pos < end; c.to++ {
	}
	return c
}

// alterity are words of what is not the thing named; people are those of whom they say that
// somebody else is meant.
var (
	alterity   = wordSet("another different elsewhere else other new 另一 另外 别的 其他")
	people     = wordSet("user users person people man woman men women friend friends colleague colleagues member members speaker family neighbour neighbor guy girl boy child brother sister cousin team customer client")
	hanPeople  = []string{"别人", "另一个人", "另一人", "另一位", "另一名", "另一个用户", "另一用户", "其他人", "另外一个人", "另外的人"}
	somebodies = wordSet("somebody someone anybody anyone nobody everyone everybody who person")
)

// another reports whether a clause is about somebody else than the question.
func (p *prepared) another(c *clause) bool {
	for i := c.from; i < c.to; i++ {
		k := &p.at.toks[i]
		switch {
		case k.word == "else" && i > c.from && somebodies[p.at.toks[i-1].word]:
			return true
		case (k.word == "another" || k.word == "different") && i+1 < c.to:
			if n := &p.at.toks[i+1]; people[n.word] || n.name && (n.inQ || p.gt.hasWord(n.word)) {
				return true
			}
		}
	}
	return hasWithin(p.clauseText(c), hanPeople)
}

// otherwise reports whether a clause moves what was asked to a thing that is said not to be the gold:
// "she lives in a different city", "she moved to another one".
func (s *standing) otherwise(c *clause) bool {
	t := s.prepared.at
	if s.another(c) || len(s.gt.items) > 1 || len(s.gv) == 1 && s.gv[0].kind == "count" && s.gv[0].lo > 1 {
		return false // one of several of the gold
	}
	alter, about := false, s.has(c, changing)
	for i := c.from; i < c.to; i++ {
		k := &t.toks[i]
		alter = alter || (alterity[k.word] || t.hanAt(k, alterity) != "") && !s.qt.hasWord(k.word) && (k.word != "new" || i+1 < c.to && s.asked(t.toks[i+1].word))
		about = about || s.kind[i] == ofQuestion || s.does(k) || len(k.word) > 3 && s.asked(k.word)
	}
	if subject, _, _ := s.predicate(c); alter && subject != "" && !t.toks[c.from].han && !persons[subject] && !points[subject] && !s.asked(subject) {
		return false // it is about somebody else
	}
	return alter && about
}

// does reports whether a word means what a word of the question does.
func (p *prepared) does(k *tok) bool {
	for j := range p.qt.toks {
		if q := &p.qt.toks[j]; len(q.word) > 3 && len(k.word) > 3 && !q.num && same(q, k) >= .8 {
			return true
		}
	}
	return false
}

// changes reports whether a clause takes a change for granted: "the change to Bruges".
func (s *standing) changes(c *clause) bool {
	t := s.prepared.at
	for i := c.from; i < c.to; i++ {
		switch t.toks[i].word {
		case "change", "changes", "move", "switch":
			if i+1 < c.to && (t.toks[i+1].word == "to" || t.toks[i+1].word == "from") || i > c.from && (t.toks[i-1].word == "the" || t.toks[i-1].word == "her" || t.toks[i-1].word == "his") {
				return true
			}
		}
	}
	return false
}

// knowledge are words of what an answer is taken from.
var knowledge = wordSet("information info data knowledge memory memories record records note notes source sources answer")

// disowns reports whether a clause behind the home says of what the answer is taken from that it is
// not so, denies something of whom it is about in words that are not the question's, or takes for
// granted that it has changed.
func (s *standing) disowns(i int) bool {
	c := &s.list[i]
	t := s.prepared.at
	if s.changes(c) && (s.rival(c) || c.rest > 0) {
		return true
	}
	if c.acts[0] == 0 || c.embedded || s.another(c) || t.toks[c.from].han {
		return false
	}
	part := *c
	for j := i; j > s.at+1 && s.list[j-1].sent == c.sent && !strings.ContainsAny(t.gap(part.from), ",;:()—"); j-- {
		part.from = s.list[j-1].from // "She | never set foot …"
	}
	subject, _, copula := s.predicate(&part)
	if knowledge[subject] && copula {
		return true
	}
	function := false
	for j := c.from; j < c.to; j++ {
		function = function || t.toks[j].neg
	}
	if !function || !persons[subject] || self[subject] || c.asked > 0 || !s.rival(c) {
		return false
	}
	return c.rest > c.typed
}

// beside is a word of a fragment next to a bare gold in one sentence that consists of nothing
// but words that neither gold nor question accounts for: "oolong, sencha".
func (s *standing) beside() string {
	t, h := s.prepared.at, &s.list[s.at]
	if len(s.gt.items) > 1 || h.asked > 0 {
		return ""
	}
	if w := s.joined(); w != "" {
		return w
	}
	if h.rest > 0 {
		return ""
	}
	article := t.toks[h.from].word == "a" || t.toks[h.from].word == "an"
	for i := h.from; i < h.to; i++ {
		if k := &t.toks[i]; s.kind[i] != ofGold && !k.stop && !giving[k.word] {
			return ""
		}
	}
	if _, verb, _ := s.predicate(h); verb && !t.toks[h.from].han {
		if first := t.toks[h.from].word; first != "it" && !being[first] && s.kind[h.from] != ofGold && !article {
			return ""
		}
	}
	for _, i := range []int{s.at - 1, s.at + 1} {
		if i < 0 || i >= len(s.list) {
			continue
		}
		c := &s.list[i]
		gap := t.gap(max(c.from, h.from))
		if c.sent != h.sent || c.acts != [4]int{} || c.lead != "" || c.rest == 0 || c.asked+c.gold > 0 || c.to-c.from > 4 || !strings.ContainsAny(gap, ",;/") {
			continue
		}
		first := &t.toks[c.from]
		if !first.han && c.to-c.from == 1 && strings.HasSuffix(first.word, "ly") && !first.name {
			continue // "Certainly, …"
		}
		own, rest := true, ""
		for j := c.from; j < c.to; j++ {
			k := &t.toks[j]
			switch {
			case s.kind[j] == ofRest:
				rest = k.word
			case j == c.from && article && (k.word == "a" || k.word == "an"), j == c.from && k.word == "the":
			default:
				own = false
			}
		}
		if own && rest != "" && !onward[first.word] && !joins[first.word] {
			if !first.han {
				if _, verb, _ := s.predicate(c); verb && c.to-c.from > 1 {
					continue
				}
			}
			return rest
		}
	}
	return ""
}

// joined is the word that a bare gold is joined with by "and" or a stroke: "Paris and London".
func (s *standing) joined() string {
	t, h := s.prepared.at, &s.list[s.at]
	if h.rest == 0 || h.rest > 2 || h.to-h.from > 6 || h.acts != [4]int{} || strings.Contains(s.gt.raw, " and ") || strings.ContainsAny(s.gt.raw, "/&和与及") {
		return ""
	}
	for i := h.from + 1; i < h.to; i++ {
		and := t.toks[i-1].word == "and" && i > h.from+1
		if gap := strings.ToLower(t.gap(i)); !and && !strings.ContainsAny(gap, "/&") && !strings.Contains(gap, " and ") && t.toks[i].word != "和" {
			continue
		}
		before := i - 1
		if and {
			before = i - 2
		}
		if s.kind[before] == ofGold && s.kind[i] == ofRest || s.kind[before] == ofRest && s.kind[i] == ofGold {
			for j := h.from; j < h.to; j++ {
				if k := &t.toks[j]; s.kind[j] != ofGold && s.kind[j] != ofRest && !k.stop && !giving[k.word] {
					return ""
				}
			}
			if s.kind[i] == ofRest {
				return t.toks[i].word
			}
			return t.toks[before].word
		}
	}
	return ""
}
