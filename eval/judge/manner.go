package judge

import (
	"math"
	"strings"

	"membench/internal/tokens"
)

// mannerNames are the features of the last stage about how an answer states the gold, independent of its words. Words are of four kinds: of the gold, of the
// question, of the frame of an answer, and unexplained ones. The span reaches from a sentence's first word of gold or question to its last.
var mannerNames = func() []string {
	names := []string{
		"chinese", "restates", "restates_home", "asked", "gold_words", "gold_values", "gold_date", "gold_name", "polar", "part",
		"words", "sentences", "before", "after", "later", "items",
		"rest_ahead", "rest_inside", "rest_behind", "frame_ahead", "rest_share", "verbatim", "cut_short",
		"rival_ahead", "rival_inside", "rival_behind", "rival_elsewhere", "gold_twice",
		"colon_ahead", "colon_at_gold", "question_at_gold", "question_end", "quoted", "bracket_ahead", "bracket_behind", "bracket_rest", "slash", "arrow", "dash", "dots", "sign", "line", "bullet",
		"possessed", "person_first", "person_home",
	}
	for _, where := range []string{"prior", "next"} {
		for _, what := range []string{"count", "rest", "short", "bare", "asks", "gold", "person", "self", "points", "same_shape", "said_least"} {
			names = append(names, where+"_"+what)
		}
	}
	for _, kind := range operatorKinds {
		names = append(names, kind+"_ahead", kind+"_inside", kind+"_behind", kind+"_elsewhere")
	}
	return append(names, clauseNames...)
}()

// operatorKinds group the kinds of operators as features.
var operatorKinds = []string{"negation", "contrast", "concession", "exclusion", "correction", "condition", "guess", "alternative", "report", "time", "unreal", "intent", "exchange", "question"}

// self are pronouns of the two speakers; points are words that refer to something said before.
var (
	self   = tokens.Set("i me my mine myself we us our you your yours yourself 我 我们 你 你们 您 咱们")
	points = tokens.Set("that this those these it which so such none neither both same above below former latter opposite sentence statement claim answer following reply 这 那 这个 那个 此 其 以上 上面 上述 下面 刚才 前面 这些 那些 这话 这句")
)

// kinds of words of an answer.
const (
	ofFrame = iota
	ofGold
	ofQuestion
	ofRest
)

// manner fills the features.
type manner struct {
	p    *prepared
	r    *reading
	kind []uint8
	f    []float64
}

func (m *manner) put(v ...float64) { m.f = append(m.f, v...) }

func (m *manner) bool(v ...bool) {
	for _, b := range v {
		m.f = append(m.f, b2f(b))
	}
}

// manner returns the features of an answer that states the gold.
func (p *prepared) manner(r *reading) []float64 {
	t := p.at
	m := &manner{p: p, r: r, kind: p.stand(r).kind, f: make([]float64, 0, len(mannerNames))}
	home := t.toks[r.first].sent
	from, to := t.sentence(home)
	lo, hi := to, from
	for i := from; i < to; i++ {
		if m.kind[i] == ofGold || m.kind[i] == ofQuestion {
			lo, hi = min(lo, i), max(hi, i+1)
		}
	}
	m.whole(home, from, to)
	m.span(from, lo, hi, to)
	m.marks(from, to, lo, hi)
	m.sentences(0, home)
	m.sentences(home+1, t.sents)
	m.operators(from, lo, hi, to)
	m.clauseFeatures()
	return m.f
}

// kinds returns the kind of each word of the answer.
func (p *prepared) kinds(r *reading) []uint8 {
	t := p.at
	kind := make([]uint8, len(t.toks))
	for _, list := range [][]int{r.before, r.after, r.later} {
		for _, i := range list {
			kind[i] = ofRest
		}
	}
	for i := range t.toks {
		k := &t.toks[i]
		switch {
		case r.mention[i]:
			kind[i] = ofGold
		case kind[i] != ofRest && !k.stop && k.inQ:
			kind[i] = ofQuestion
		}
	}
	return kind
}

// sentence gives the tokens of a sentence.
func (t *text) sentence(n int) (from, to int) {
	for from < len(t.toks) && t.toks[from].sent < n {
		from++
	}
	for to = from; to < len(t.toks) && t.toks[to].sent == n; to++ {
	}
	return from, to
}

func (m *manner) count(from, to int, kind uint8) (n int) {
	for i := from; i < to; i++ {
		if m.kind[i] == kind {
			n++
		}
	}
	return n
}

// whole adds the features of the whole answer.
func (m *manner) whole(home, from, to int) {
	p, r, t := m.p, m.r, m.p.at
	name, han := false, 0
	for i := range p.gt.toks {
		name = name || p.gt.toks[i].name
	}
	for i := range t.toks {
		han += int(b2f(t.toks[i].han))
	}
	asked := m.count(from, to, ofQuestion)
	m.put(b2f(2*han > len(t.toks)), r.restates, float64(asked)/math.Max(1, float64(r.asked)), ln1(r.asked), ln1(len(p.gt.content())), ln1(len(p.gv)), b2f(len(p.gw.abs) > 0), b2f(name), b2f(p.compared().gPol != 0), b2f(p.how != ""))
	m.put(ln1(len(t.toks)), ln1(t.sents), ln1(len(r.before)), ln1(len(r.after)), ln1(len(r.later)), ln1(r.items))
}

// span adds the position of the unexplained words in the sentence with the gold.
func (m *manner) span(from, lo, hi, to int) {
	p, r, t := m.p, m.r, m.p.at
	n := max(1, to-from-m.count(from, to, ofFrame))
	m.put(ln1(m.count(from, lo, ofRest)), ln1(m.count(lo, hi, ofRest)), ln1(m.count(hi, to, ofRest)), ln1(max(0, lo-from)), float64(m.count(from, to, ofRest))/float64(n))
	verbatim, missed := strings.Contains(t.low(), strings.TrimRight(p.gt.low(), " .。")), 0
	c := p.compared()
	for i, gi := range c.gc {
		missed += int(b2f(c.best[i] == 0 && p.gt.toks[gi].name))
	}
	m.put(b2f(verbatim), ln1(missed))
	rivals := [4]int{}
	for i, k := range m.kind {
		if k != ofRest || !p.rivals(i) {
			continue
		}
		switch {
		case i < from || i >= to:
			rivals[3]++
		case i < lo:
			rivals[0]++
		case i < hi:
			rivals[1]++
		default:
			rivals[2]++
		}
	}
	twice := false
	for i := r.first; i < r.last; i++ {
		twice = twice || m.kind[i] == ofGold && t.toks[i].sent != t.toks[r.first].sent
	}
	m.put(ln1(rivals[0]), ln1(rivals[1]), ln1(rivals[2]), ln1(rivals[3]), b2f(twice))
}

// marks reports the punctuation around the gold.
func (m *manner) marks(from, to, lo, hi int) {
	r, t := m.r, m.p.at
	start := t.toks[r.first].pos
	end := t.end(r.last - 1)
	open := t.toks[from].pos
	shut := len(t.raw)
	if to < len(t.toks) {
		shut = t.toks[to].pos
	}
	head, tail := t.raw[open:start], t.raw[min(end, shut):shut]
	ahead := t.raw[open:t.toks[min(lo, len(t.toks)-1)].pos]
	gap := strings.TrimRight(head, " \"“*_`'")
	all := t.raw
	bracket := 0
	depth := 0
	for i := range t.toks {
		if i > 0 {
			between := t.raw[t.toks[i-1].pos:t.toks[i].pos]
			depth += strings.Count(between, "(") - strings.Count(between, ")")
		}
		if depth > 0 && m.kind[i] == ofRest {
			bracket++
		}
	}
	signs := 0
	for _, c := range all {
		if c >= 0x2190 && c < 0x2c00 || c >= 0x1f000 {
			signs++
		}
	}
	m.bool(strings.ContainsAny(ahead, ":"), strings.HasSuffix(gap, ":"), strings.HasPrefix(strings.TrimLeft(tail, " \"”*"), "?"), strings.HasSuffix(strings.TrimSpace(all), "?"))
	m.bool(strings.ContainsAny(head, "\"“「") && strings.ContainsAny(tail, "\"”」"), strings.Contains(head, "("), strings.Contains(tail, "("))
	m.put(ln1(bracket))
	m.bool(strings.Contains(head+tail, "/"), strings.Contains(all, "->") || strings.Contains(all, "=>"), strings.Contains(all, " - ") || strings.ContainsAny(all, "–—"), strings.Contains(all, "..."))
	m.put(ln1(signs), ln1(strings.Count(all, "\n")))
	m.bool(strings.HasPrefix(all, "- ") || strings.Contains(all, "\n- ") || strings.ContainsAny(all, "[]{}|~"))
	after := t.raw[min(len(t.raw), end):]
	possessed := strings.HasPrefix(after, "'s ") || strings.HasPrefix(after, "的")
	first := t.toks[0].word
	m.bool(possessed && !strings.Contains(m.p.gt.raw, "'s"), self[first], persons[t.toks[from].word])
}

// end is behind the last byte of a token.
func (t *text) end(i int) int { return min(len(t.raw), t.toks[i].pos+len(t.toks[i].word)) }

// sentences says what the sentences beside the one with the gold are made of; of the
// oddest of them where there are several.
func (m *manner) sentences(a, b int) {
	t := m.p.at
	var count, rest, short, bare, asks, gold, person, own, point, shape float64
	least := 1.
	for s := a; s < b; s++ {
		from, to := t.sentence(s)
		if from == to {
			continue
		}
		count++
		g, q, x := m.count(from, to, ofGold), m.count(from, to, ofQuestion), m.count(from, to, ofRest)
		rest += float64(x)
		short = math.Max(short, b2f(to-from <= 4))
		somebody, me, that := false, false, false
		for i := from; i < to; i++ {
			k := &t.toks[i]
			me = me || self[k.word]
			that = that || points[k.word]
			somebody = somebody || persons[k.word] && !self[k.word] && !points[k.word] || k.name && k.inQ
		}
		bare += b2f(g == 0 && q == 0)
		asks = math.Max(asks, float64(q)/math.Max(1, float64(m.r.asked)))
		gold += b2f(g > 0)
		person += b2f(somebody)
		own += b2f(me)
		point += b2f(that)
		least = math.Min(least, float64(g+q)/float64(max(1, g+q+x)))
		shape += b2f(g == 0 && q > 0 && x > 0 && 2*q >= m.r.asked)
	}
	m.put(ln1(int(count)), ln1(int(rest)), short, ln1(int(bare)), asks, ln1(int(gold)), ln1(int(person)), ln1(int(own)), ln1(int(point)), ln1(int(shape)), least)
}

// operators counts the words that operate on a statement, by kind and place.
func (m *manner) operators(from, lo, hi, to int) {
	by := map[string]*[4]int{}
	for _, op := range m.r.operators {
		if by[op.kind] == nil {
			by[op.kind] = new([4]int)
		}
		n := by[op.kind]
		switch {
		case op.tok < from || op.tok >= to:
			n[3]++
		case op.tok < lo:
			n[0]++
		case op.tok < hi:
			n[1]++
		default:
			n[2]++
		}
	}
	for _, kind := range operatorKinds {
		n := by[kind]
		if n == nil {
			n = new([4]int)
		}
		m.put(ln1(n[0]), ln1(n[1]), ln1(n[2]), ln1(n[3]))
	}
}
