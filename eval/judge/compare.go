package judge

import (
	"slices"
	"strings"

	"membench/internal/timex"
)

// comparison holds the common parts of one answer and one gold, before any verdict.
type comparison struct {
	q, g, a *text
	gc, ac  []int // content words
	best    []float64
	hit     []int // index in a.toks of the best match, -1
	back    []float64
	perSent [][]float64 // [sentence][gold word] best match

	cov, covExact  float64 // weighted recall of the gold's content words
	covHead        float64 // of the text before "because", "(", ";"
	covSent        float64 // best single sentence
	covFirst       float64 // first sentence
	prec           float64 // weighted share of the answer's words outside the question that match
	precFirst      float64 // the same in its first sentence
	trirec, triprc float64 // of character trigrams
	long           bool
	extra          int // words of the answer outside question and gold
	words          int // distinct content words of the answer outside the question
	items, itemHit int
	unsaid         string // an item of the gold that the answer does not hold
	longest        int    // words of meaning of the gold's longest item
	aItems         int
	order          float64 // longest common run of content words over the gold's
	abstain        float64 // where an abstention begins, share of the answer; 1.1 none
	gPol, aPol     int
	explicit       bool // the answer contains yes or no as a word
	quoted         bool // the answer repeats the question
	allInQ         bool
}

func compare(q, g, a *text) *comparison {
	c := &comparison{q: q, g: g, a: a, abstain: 1.1}
	markQuestion(q, g)
	markQuestion(q, a)
	c.gc, c.ac = g.content(), a.content()
	if len(c.gc) == 0 { // a gold of stop words only: "No", "Her"
		for i := range g.toks {
			c.gc = append(c.gc, i)
			g.toks[i].weight = 1
		}
		c.ac = c.ac[:0]
		for i := range a.toks {
			c.ac = append(c.ac, i)
		}
	}
	c.dropRestated()
	c.align()
	c.coverage()
	c.listed()
	c.trigrams()
	c.abstain = abstention(a.raw)
	c.gPol, _ = polarity(g, false)
	c.aPol, c.explicit = polarity(a, yesNo(q))
	return c
}

// markQuestion marks the words of t that are in the question.
func markQuestion(q, t *text) {
	for i := range t.toks {
		k := &t.toks[i]
		if k.stop {
			continue
		}
		for j := range q.toks {
			if !q.toks[j].stop && (k.stem == q.toks[j].stem || !k.num && similar(k.stem, q.toks[j].stem)) {
				k.inQ = true
				break
			}
		}
	}
}

// dropRestated excludes a part of the answer that repeats the question word for word: it states nothing and would look like coverage.
func (c *comparison) dropRestated() {
	n := len(c.q.toks)
	if n < 5 || len(c.a.toks) < n {
		return
	}
	for i := 0; i+n <= len(c.a.toks); i++ {
		same, own := 0, -1 // own: a word that replaces another: "Anna won" for "Who won" answers who
		for j := 0; j < n; j++ {
			if c.a.toks[i+j].stem == c.q.toks[j].stem {
				same++
			} else if own = i + j; j-same > 1 {
				break
			}
		}
		if same < n-1 {
			continue
		}
		c.quoted = true
		out := c.ac[:0]
		for _, k := range c.ac {
			if k < i || k >= i+n || k == own {
				out = append(out, k)
			}
		}
		if len(out) > 0 {
			c.ac = out
		}
		return
	}
}

// same is how well a word of the answer matches a word of the gold, [0,1].
func same(g, a *tok) float64 {
	switch {
	case g.stem == a.stem:
		return 1
	case g.num || a.num:
		return 0
	case overlap(g.groups, a.groups):
		return .85
	case overlap(g.groups, a.above):
		return .8
	case g.parts != nil && slices.Contains(g.parts, a.stem), a.parts != nil && slices.Contains(a.parts, g.stem):
		return .8
	case g.han || a.han:
		if g.han && a.han && (strings.Contains(a.stem, g.stem) || strings.Contains(g.stem, a.stem)) {
			return .7
		}
		return 0
	case g.proper && a.proper: // names that differ are others
		return 0
	case similar(g.stem, a.stem):
		return .8
	}
	return 0
}

func overlap(a, b []int) bool {
	return slices.ContainsFunc(a, func(x int) bool { return slices.Contains(b, x) })
}

// similar reports whether two stems are forms or misspellings of one word.
func similar(a, b string) bool {
	if len(a) < 4 || len(b) < 4 || a[0] != b[0] || strings.ContainsAny(a, "0123456789") || strings.ContainsAny(b, "0123456789") {
		return false
	}
	if a[1] != b[1] && a[2] != b[2] {
		return false
	}
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	long, short := max(len(a), len(b)), min(len(a), len(b))
	return n >= 4 && (n*10 >= long*7 || n == short && long-n <= 3) || short >= 5 && timex.EditOne(a, b)
}

// glued reports whether g is a known word and w run together: golds of LoCoMo have
// "threeturtles" and "onwalks".
func glued(g, w string) bool {
	if len(w) < 4 || len(g) < len(w)+2 {
		return false
	}
	rest, ok := strings.CutSuffix(g, w)
	if !ok {
		if rest, ok = strings.CutPrefix(g, w); !ok {
			return false
		}
	}
	if _, _, ok := timex.NumberWord(rest); ok {
		return true
	}
	return lexicon().words[rest].stop && rest != "an" && rest != "in" && rest != "out" && rest != "up" && rest != "over" && rest != "under"
}

func (c *comparison) align() {
	c.best = make([]float64, len(c.gc))
	c.hit = make([]int, len(c.gc))
	c.back = make([]float64, len(c.ac))
	c.perSent = make([][]float64, c.a.sents)
	flat := make([]float64, c.a.sents*len(c.gc))
	for s := range c.perSent {
		c.perSent[s] = flat[s*len(c.gc) : (s+1)*len(c.gc)]
	}
	for i, gi := range c.gc {
		g := &c.g.toks[gi]
		c.hit[i] = -1
		for j, aj := range c.ac {
			a := &c.a.toks[aj]
			m := same(g, a)
			if m == 0 && !g.num && !g.han && len(g.stem) >= 6 && j+1 < len(c.ac) && c.ac[j+1] == aj+1 && // "snow board"
				len(a.word)+len(c.a.toks[aj+1].word) == len(g.word) && strings.HasPrefix(g.word, a.word) && strings.HasSuffix(g.word, c.a.toks[aj+1].word) {
				m = .8
			}
			if m == 0 && !a.num && !a.han && len(a.word) > len(g.word) && gi+1 < len(c.g.toks) && len(g.word) >= 3 &&
				len(a.word) == len(g.word)+len(c.g.toks[gi+1].word) && strings.HasPrefix(a.word, g.word) && strings.HasSuffix(a.word, c.g.toks[gi+1].word) {
				m = .8
			}
			if m == 0 && !g.num && !g.han && !a.han && glued(g.word, a.word) {
				m = .8
			}
			if m == 0 {
				continue
			}
			if m < 1 && g.han && a.han && strings.Contains(c.a.raw, g.word) {
				m = 1 // cut otherwise there: 去喀, 什 for 喀什
			}
			if m > c.best[i] {
				c.best[i], c.hit[i] = m, aj
			}
			c.back[j] = max(c.back[j], m)
			if s := a.sent; s < len(c.perSent) {
				c.perSent[s][i] = max(c.perSent[s][i], m)
			}
		}
	}
}

const inQuestion = .15 // weight of a gold word that the question already contains

func (c *comparison) weight(i int) float64 {
	k := &c.g.toks[c.gc[i]]
	w := k.weight
	if k.inQ && !c.allInQ {
		w *= inQuestion
	}
	return w
}

// head is where a gold's reasons and remarks begin: what stands before them answers.
func (t *text) head() int {
	head := len(t.raw)
	for _, mark := range []string{"(", ";", " because ", " due to ", " since ", " as he", " as she", "，因为", "因为"} {
		if i := strings.Index(t.raw, mark); i > 0 {
			head = min(head, i)
		}
	}
	return head
}

func (c *comparison) coverage() {
	c.allInQ = true
	for _, gi := range c.gc {
		c.allInQ = c.allInQ && c.g.toks[gi].inQ
	}
	head := c.g.head()
	sum, got, exact, hs, hg := 0., 0., 0., 0., 0.
	for i, gi := range c.gc {
		w := c.weight(i)
		sum += w
		got += w * c.best[i]
		if c.best[i] == 1 {
			exact += w
		}
		if c.g.toks[gi].pos < head {
			hs += w
			hg += w * c.best[i]
		}
	}
	if sum > 0 {
		c.cov, c.covExact = got/sum, exact/sum
		c.covHead = c.cov
		if hs > 0 {
			c.covHead = max(c.cov, hg/hs)
		}
		for s, row := range c.perSent {
			v := 0.
			for i, m := range row {
				v += c.weight(i) * m
			}
			c.covSent = max(c.covSent, v/sum)
			if s == 0 {
				c.covFirst = v / sum
			}
		}
	}
	ps, pg, fs, fg := 0., 0., 0., 0.
	seen := make([]string, 0, 32)
	for j, aj := range c.ac {
		a := &c.a.toks[aj]
		if a.inQ && !c.allInQ {
			continue
		}
		ps += a.weight
		pg += a.weight * c.back[j]
		if a.sent == 0 {
			fs += a.weight
			fg += a.weight * c.back[j]
		}
		if c.back[j] == 0 {
			c.extra++
		}
		if len(seen) < 32 && !slices.Contains(seen, a.stem) {
			seen = append(seen, a.stem)
		}
	}
	c.words = len(seen)
	c.long = c.words >= 9
	if ps > 0 {
		c.prec = pg / ps
	}
	if fs > 0 {
		c.precFirst = fg / fs
	}
	// longest run of gold words found side by side in the answer
	run, last, longest := 0, -9, 0
	for i := range c.gc {
		if c.hit[i] >= 0 && (c.hit[i] == last+1 || c.hit[i] == last+2 || run == 0) {
			run++
		} else if c.hit[i] >= 0 {
			run = 1
		} else {
			run = 0
		}
		last = c.hit[i]
		longest = max(longest, run)
	}
	if len(c.gc) > 0 {
		c.order = float64(longest) / float64(len(c.gc))
	}
}

// listed counts the gold's items and those that the answer holds.
func (c *comparison) listed() {
	for _, it := range c.g.items {
		w, got := 0., 0.
		var said []string
		for i, gi := range c.gc {
			if gi < it[0] || gi >= it[1] {
				continue
			}
			w += c.weight(i)
			got += c.weight(i) * c.best[i]
			said = append(said, c.g.toks[gi].word)
		}
		if w > 0 {
			c.items++
			if c.longest = max(c.longest, len(said)); got/w >= .5 {
				c.itemHit++
			} else if c.unsaid == "" {
				c.unsaid = strings.Join(said, " ")
			}
		}
	}
	c.aItems = len(c.a.items)
}

func (c *comparison) trigrams() {
	var seen [512]uint64 // 32,768 bits
	mark := func(h uint32) { seen[h>>6&511] |= 1 << (h & 63) }
	has := func(h uint32) bool { return seen[h>>6&511]&(1<<(h&63)) != 0 }
	each := func(t *text, idx []int, f func(h uint32)) {
		for _, i := range idx {
			w := t.toks[i].word
			if t.toks[i].inQ && !c.allInQ {
				continue
			}
			a, b := byte('^'), byte(w[0])
			for k := 1; k <= len(w); k++ {
				x := byte('$')
				if k < len(w) {
					x = w[k]
				}
				h := (uint32(a)*131+uint32(b))*131 + uint32(x)
				f((h * 2654435761) >> 17)
				a, b = b, x
			}
		}
	}
	n, got := 0, 0
	each(c.a, c.ac, mark)
	for i, gi := range c.gc {
		word := c.best[i] >= .8 // found as a word: all of it counts
		each(c.g, []int{gi}, func(h uint32) {
			n++
			if word || has(h) {
				got++
			}
		})
	}
	if n > 0 {
		c.trirec = float64(got) / float64(n)
	}
	clear(seen[:])
	each(c.g, c.gc, mark)
	n, got = 0, 0
	for j, aj := range c.ac {
		word := c.back[j] >= .8
		each(c.a, []int{aj}, func(h uint32) {
			n++
			if word || has(h) {
				got++
			}
		})
	}
	if n > 0 {
		c.triprc = float64(got) / float64(n)
	}
}
