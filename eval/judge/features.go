package judge

import (
	"cmp"
	"math"
	"strings"
	"sync"

	"membench/internal/timex"
)

// featureNames are the trained judge's features of a question, a gold and an answer, in the order of its weights. Shares and booleans are in [0,1]; ln_ are
// logarithms of counts.
var featureNames = []string{
	"cov", "cov_exact", "cov_head", "cov_sentence", "cov_first", "cov_short", "cov_ln_gold",
	"prec", "prec_first", "prec_cov", "f1", "trirec", "triprec", "order", "cov_none",
	"long", "ln_words", "ln_gold", "ln_extra", "extra_short", "ln_sentences", "both_unmatched", "gold_unmatched", "valence_same", "valence_opposite", "valence_gold",
	"items", "item_share", "item_any", "ln_items_answer", "answer_items_more",
	"abstain", "abstain_early", "yes_no", "yes_no_same", "yes_no_opposite", "yes_no_explicit", "yes_no_words", "negation_differs",
	"vague_share", "vague_start", "hedges", "hedge_start", "ends_short",
	"name_gold", "name_found", "name_missed", "name_extra",
	"number_gold", "number_found", "number_conflict", "number_only", "number_first", "date_found", "date_conflict", "length_found", "length_conflict", "length_asked_conflict",
	"first_match", "last_match", "synonym_share", "equal", "full", "full_vague_start", "sentence_f", "quoted", "all_in_question", "gold_in_question", "answer_from_question",
	"q_what", "q_who", "q_where", "q_how", "q_why", "q_many", "q_yes_no",
}

// FeatureNames lists the features of the trained judge.
func FeatureNames() []string { return append([]string(nil), featureNames...) }

func b2f(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func ln1(n int) float64 { return math.Log1p(float64(n)) }

// features computes the model's features and keeps the facts that readers see.
func (c *comparison) features(gw, aw, qw *when) ([]float64, []Fact) {
	f := make([]float64, 0, len(featureNames))
	put := func(v ...float64) { f = append(f, v...) }
	short := b2f(!c.long)
	f1 := 0.
	if c.prec+c.cov > 0 {
		f1 = 2 * c.prec * c.cov / (c.prec + c.cov)
	}
	put(c.cov, c.covExact, c.covHead, c.covSent, c.covFirst, c.cov*short, c.cov*ln1(len(c.gc)))
	put(c.prec, c.precFirst, math.Sqrt(c.prec*c.cov), f1, c.trirec, c.triprc, c.order, b2f(c.cov == 0))
	missed, found, syn := 0., 0, 0
	for i, m := range c.best {
		if m == 0 {
			missed += c.weight(i)
		} else {
			found++
			if m < 1 {
				syn++
			}
		}
	}
	put(b2f(c.long), ln1(c.words), ln1(len(c.gc)), ln1(c.extra), math.Min(6, float64(c.extra))*short, ln1(c.a.sents),
		b2f(!c.long && c.extra > 0 && missed > .5), math.Min(4, missed))
	gv, av := valence(c.g, c.gc), valence(c.a, c.ac)
	put(b2f(gv*av > 0), b2f(gv*av < 0), b2f(gv != 0))
	share := 0.
	if c.items > 0 {
		share = float64(c.itemHit) / float64(c.items)
	}
	put(ln1(c.items), share, b2f(c.itemHit > 0), ln1(c.aItems), math.Max(0, ln1(c.aItems)-ln1(c.items)))
	put(b2f(c.abstain <= 1), b2f(c.abstain < .35), b2f(c.gPol != 0), b2f(c.gPol*c.aPol > 0), b2f(c.gPol*c.aPol < 0), b2f(c.gPol*c.aPol > 0 && c.explicit), b2f(c.gPol*c.aPol > 0)*ln1(c.words), b2f(negated(c.g) != negated(c.a)))
	vague, hedges, n := 0, 0, 0
	for _, aj := range c.ac {
		k := &c.a.toks[aj]
		if k.inQ {
			continue
		}
		n++
		if k.vague {
			vague++
		}
	}
	for i := range c.a.toks {
		if c.a.toks[i].hedge {
			hedges++
		}
	}
	for i := range c.g.toks {
		if c.g.toks[i].hedge && hedges > 0 {
			hedges--
		}
	}
	start := 0.
	if w := firstWord(c.a); vagueStart(w) && !vagueStart(firstWord(c.g)) {
		start = 1
	}
	hedged := 0.
	if len(c.a.toks) > 0 && c.a.toks[0].hedge && !(len(c.g.toks) > 0 && c.g.toks[0].hedge) {
		hedged = 1
	}
	put(float64(vague)/float64(max(1, n)), start, math.Min(3, float64(hedges)), hedged, b2f(c.words <= 3))
	names, nameHit, nameMiss, nameExtra := 0, 0, 0, 0
	for i, gi := range c.gc {
		if k := &c.g.toks[gi]; k.name && !k.inQ {
			names++
			if c.best[i] > 0 {
				nameHit++
			} else {
				nameMiss++
			}
		}
	}
	for j, aj := range c.ac {
		if k := &c.a.toks[aj]; k.name && !k.inQ && c.back[j] == 0 {
			nameExtra++
		}
	}
	put(b2f(names > 0), float64(nameHit)/float64(max(1, names)), b2f(names > 0 && nameHit == 0), math.Min(3, float64(nameExtra))*short)
	many := howMany(c.q)
	gq, aq := quantities(c.g, gw.holds, many), quantities(c.a, aw.holds, many)
	hit, conflict := numbersAgree(gq, aq)
	firstNumber := 0. // of a question that asks how many: the first number of the answer
	if many && len(gq) > 0 && len(aq) > 0 {
		firstNumber = -1
		if closeTo(gq[0].val, aq[0].val, .001) {
			firstNumber = 1
		}
	}
	put(b2f(len(gq) > 0), float64(hit)/float64(max(1, len(gq))), b2f(conflict > 0), b2f(len(gq) == 1 && len(c.gc) <= 2), firstNumber)
	var facts []Fact
	dhit, dconf, lhit, lconf := 0., 0., 0., 0.
	if len(gw.abs) > 0 {
		r, fs := compareDates(gw, aw, qw, 0, untrained)
		facts = append(facts, fs...)
		dhit = r.score
		dconf = b2f(len(aw.abs) > 0 && r.score < .3)
	}
	if len(gw.dur) > 0 && len(aw.dur) > 0 {
		r, fs := compareLengths(gw, aw, untrained)
		facts = append(facts, fs...)
		lhit = r.score
		lconf = b2f(r.score < .3)
	}
	put(dhit, dconf, lhit, lconf, b2f(lconf > 0 && howLong(c.q)))
	firstM, lastM := 0., 0.
	for i, gi := range c.gc {
		if c.g.toks[gi].inQ && !c.allInQ {
			continue
		}
		if firstM == 0 && i <= len(c.gc)-1 {
			firstM = c.best[i] + 1e-6
		}
		lastM = c.best[i]
	}
	full := b2f(c.covExact > .999)
	inq, afq := 0, 0
	for _, gi := range c.gc {
		inq += int(b2f(c.g.toks[gi].inQ))
	}
	for _, aj := range c.ac {
		afq += int(b2f(c.a.toks[aj].inQ))
	}
	put(firstM, lastM, float64(syn)/float64(max(1, found)), b2f(c.equal()), full, full*start, c.sentenceF(), b2f(c.quoted), b2f(c.allInQ), float64(inq)/float64(max(1, len(c.gc))), float64(afq)/float64(max(1, len(c.ac))))
	w := firstWord(c.q)
	second := ""
	if len(c.q.toks) > 1 {
		second = c.q.toks[1].word
	}
	put(b2f(w == "what" || w == "which"), b2f(w == "who" || w == "whose"), b2f(w == "where"), b2f(w == "how" && second != "many" && second != "much" && second != "long"), b2f(w == "why"), b2f(many), b2f(yesNo(c.q)))
	for i, gi := range c.gc {
		k := &c.g.toks[gi]
		fact := Fact{Kind: "word", Gold: k.word}
		if k.num {
			fact.Kind = "number"
		}
		if c.hit[i] >= 0 {
			fact.Answer, fact.Same = c.a.toks[c.hit[i]].word, true
			switch {
			case c.best[i] == 1:
				fact.Say = "same"
			case c.best[i] == .85:
				fact.Say = "same meaning"
			case c.best[i] == .8:
				fact.Say = "a form or a kind of it"
			default:
				fact.Say = "part of it"
			}
		} else {
			fact.Say = "missing"
		}
		if k.inQ {
			fact.Say += ", said by the question"
		}
		facts = append(facts, fact)
	}
	return f, facts
}

// valence is +1 where the words of a text are mostly glad ones, -1 where mostly bad ones.
func valence(t *text, idx []int) int {
	v := 0
	for _, i := range idx {
		if !t.toks[i].inQ {
			v += t.toks[i].valence
		}
	}
	return max(-1, min(1, v))
}

// sentenceF is the best F1 of one sentence of the answer against the gold.
func (c *comparison) sentenceF() float64 {
	n, hit := make([]float64, c.a.sents), make([]float64, c.a.sents)
	for j, aj := range c.ac {
		k := &c.a.toks[aj]
		if k.sent < len(n) && (!k.inQ || c.allInQ) {
			n[k.sent] += k.weight
			hit[k.sent] += k.weight * c.back[j]
		}
	}
	total, best := 0., 0.
	for i := range c.gc {
		total += c.weight(i)
	}
	for s, row := range c.perSent {
		cov := 0.
		for i, m := range row {
			cov += c.weight(i) * m
		}
		if n[s] > 0 && total > 0 && cov > 0 && hit[s] > 0 {
			p, r := hit[s]/n[s], cov/total
			best = max(best, 2*p*r/(p+r))
		}
	}
	return best
}

func (c *comparison) equal() bool {
	if len(c.gc) != len(c.ac) {
		return false
	}
	for i := range c.gc {
		if c.g.toks[c.gc[i]].stem != c.a.toks[c.ac[i]].stem {
			return false
		}
	}
	return negated(c.g) == negated(c.a)
}

// howMany reports whether a question asks for a number.
func howMany(q *text) bool {
	for i := range q.toks {
		if w := q.toks[i].word; w == "how" && i+1 < len(q.toks) && (q.toks[i+1].word == "many" || q.toks[i+1].word == "much" || q.toks[i+1].word == "often") {
			return true
		}
	}
	return strings.Contains(q.raw, "多少") || strings.Contains(q.raw, "几")
}

// howLong reports whether a question asks for a length of time.
func howLong(q *text) bool {
	return strings.Contains(q.raw, "ow long") || strings.Contains(q.raw, "多久") || strings.Contains(q.raw, "多长时间")
}

func firstWord(t *text) string {
	if len(t.toks) == 0 {
		return ""
	}
	return t.toks[0].word
}

// vagueStart reports words that begin an answer which names nothing.
func vagueStart(w string) bool {
	switch w {
	case "a", "an", "some", "someone", "somewhere", "something", "various", "several", "through", "in", "one", "different", "many", "multiple", "around", "somehow", "certain", "其中", "某些", "某个", "一些", "某种", "各种", "一种":
		return true
	}
	return false
}

func negated(t *text) bool {
	for i := range t.toks {
		if t.toks[i].neg && t.toks[i].sent == 0 {
			return true
		}
	}
	return false
}

// Features returns the trained judge's features of an answer; nil if a date, a length or an abstention decides instead. For training and for inspecting a
// verdict.
func Features(q Question, gold, answer string) []float64 {
	p := prepare(q, gold, answer)
	if p.by != "words" {
		return nil
	}
	f, _ := p.compared().features(&p.gw, &p.aw, &p.qw)
	return f
}

// Relation returns how the dates or lengths of an answer relate to those of a gold that consists only of them: the name under which the trained judge stores
// its odds; "" if words decide or there are several dates.
func Relation(q Question, gold, answer string) string {
	p := prepare(q, gold, answer)
	var r relation
	switch p.by {
	case "date":
		if r, _ = compareDates(&p.gw, &p.aw, &p.qw, p.ref, untrained); r.class == "several dates" {
			return ""
		}
	case "polarity":
		r, _ = comparePolarity(p.qt, p.gt, p.at)
	case "duration":
		r, _ = compareLengths(&p.gw, &p.aw, untrained)
	}
	return r.class
}

// prepared is an answer analysed together with a gold.
type prepared struct {
	part       string // the final answer
	how        string // how it was found; "" is all of the reply
	qt, gt, at *text
	gv, av, qv []value
	reading    *reading
	terms      [][2]int // bytes of values in the answer whose sum or difference is the gold's value
	gw, aw, qw when
	by         string      // deciding comparison: empty | abstention | date | value | polarity | duration | words
	c          *comparison // see compared
	ref        timex.Day
	from, to   timex.Day // between which days the dialogue may name a date without its year; 0: unknown
	abstainQ   bool
	off        string // how the answer differs from the gold in what is compared as a date, length, yes or no; "" it does not

	lists *[3][]tok // of question, gold and answer
}

// wordPool holds the words of texts that were judged.
var wordPool = sync.Pool{New: func() any { return new([3][]tok) }}

// done gives the words back: nothing of p is used after it.
func (p *prepared) done() {
	*p.lists = [3][]tok{p.qt.toks, p.gt.toks, p.at.toks}
	wordPool.Put(p.lists)
}

// compared compares the words of gold and answer, once. If another comparison decides, the last stage weighs this one too.
func (p *prepared) compared() *comparison {
	if p.c == nil {
		p.c = compare(p.qt, p.gt, p.at)
	}
	return p.c
}

func prepare(q Question, gold, answer string) *prepared {
	lists := wordPool.Get().(*[3][]tok)
	p := &prepared{qt: cut(q.Text, lists[0][:0]), gt: cut(gold, lists[1][:0]), lists: lists}
	p.part, p.how = finalPart(answer, p.qt)
	p.at = cut(p.part, lists[2][:0])
	p.qw = dates(p.qt, 0)
	p.gw = dates(p.gt, p.qw.yearOf())
	year := cmp.Or(p.gw.yearOf(), p.qw.yearOf())
	p.aw = dates(p.at, year)
	p.gv, p.av, p.qv = values(p.gt.raw, &p.gw), values(p.at.raw, &p.aw), values(p.qt.raw, &p.qw)
	if per := periodAsked(p.qt.raw); per != 0 {
		for i := range p.gv {
			p.gv[i].per = cmp.Or(p.gv[i].per, per)
		}
	}
	if asksBound(p.qt.raw) {
		unbound(p.gv)
		unbound(p.av)
	}
	if u := unitAsked(p.qt.raw); u.Mul != 0 {
		for _, list := range [][]value{p.gv, p.av} {
			for i := range list {
				list[i].as = u
			}
		}
	}
	p.reckon()
	p.ref = dayOf(q.AsOf)
	if p.from = dayOf(q.From); p.from != 0 {
		p.from -= aYear
	}
	if p.to = max(p.ref, dayOf(q.To)); p.to != 0 {
		p.to += aYear
	}
	p.abstainQ = q.Abstain || (abstention(p.gt.raw) < .2 && len(p.gt.toks) < 14 || p.goldWithholds()) && !p.gw.isDate()
	p.by = p.decides()
	return p
}

// decides returns the kind of comparison that decides.
func (p *prepared) decides() string {
	switch {
	case len(p.at.toks) == 0:
		return "empty"
	case p.abstainQ:
		return "abstention"
	case p.gw.isDate():
		return "date"
	case p.comparesValues():
		return "value"
	case p.yesNo():
		return "polarity"
	case p.gw.isDuration():
		return "duration"
	}
	return "words"
}

// yesNo reports whether the question asks for yes or no, the gold answers it, and the answer says the other, neither, or the same and little else. Otherwise
// the other words decide.
func (p *prepared) yesNo() bool {
	gold, _ := polarity(p.gt, false)
	if gold == 0 || !yesNo(p.qt) {
		return false
	}
	r, _ := comparePolarity(p.qt, p.gt, p.at)
	return !r.same || len(p.gt.toks) <= 2 && strings.HasSuffix(r.class, repeated) || len(p.gt.toks) == 1 && p.how == "" && !strings.ContainsAny(p.at.raw, "?") && p.restatedBy() >= .5
}
