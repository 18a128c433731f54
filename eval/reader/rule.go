package reader

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"membench/internal/pattern"
	"membench/internal/textnorm"
	"membench/internal/timex"
	"membench/schema"
)

// RuleName is how records name the rule reader; it changes when an answer may change.
const RuleName = "rule-reader@1"

// What the rule reader says where nothing in the context supports an answer.
const (
	Refusal   = "No information available."
	RefusalZH = "没有相关信息。"
)

// Limits of the rule reader. They were chosen on the LoCoMo conversations that
// tools/judgetrain tunes on, with the gold evidence as the context and with ten hits
// of BM25; docs/quality.md has the figures.
const (
	support   = 0.05 // least share of the question's words that an answer's sentence needs
	shareOf   = 0.5  // sentences of at least this share of the best one's score belong to an answer
	listOf    = 0.5  // the same of a list
	maxUnits  = 4    // sentences of an answer; of a list maxList
	maxList   = 6
	usedUnits = 500 // sentences of a context up to which an answer says what it was taken from
)

// Rule is the deterministic reader: it answers with words of the context, by what the
// question asks for: a day (relative ones counted from when they were said), a length of
// time, a number, a name, a place, yes or no, one of two, or the sentences that share
// most with it. Where nothing supports an answer it says Refusal. English and Chinese.
// It needs no model, knows no gold, and the same input gives the same answer.
//
// It is a lower bound for readers, not a substitute for a model: records have By "rule", and no score of it may be compared with one of a model.
func Rule() Reader { return &rule{} }

type rule struct {
	cautious bool

	mu   sync.Mutex
	held []held // newest last
}

// held is a long context with its sentences: all questions of a case see the same one
// where a system shows everything. About 400 bytes a sentence, for holdMost contexts.
type held struct {
	key string // context and speakers
	ev  *evidence
}

const (
	holdFrom = 4096 // bytes; shorter contexts are cut again
	holdMost = 4
)

func (r *rule) Fingerprint() string {
	if r.cautious {
		return RuleName + " cautious"
	}
	return RuleName
}

func (r *rule) Read(ctx context.Context, in Input) (Answer, error) {
	if err := ctx.Err(); err != nil {
		return Answer{}, err
	}
	ev := r.evidence(in.Context, in.Speakers)
	if r.cautious {
		ev = ev.of(in.Hits, in.Asked).ended(in.Speakers)
	}
	q := understand(in.Question, in.Speakers)
	q.names = in.Speakers
	if r.cautious {
		q = q.careful()
	}
	text, ok := quoted(q, ev, in.Question.Choices)
	if ok {
	} else if len(in.Question.Choices) > 0 {
		text = choose(q, ev, in.Question.Choices)
	} else {
		text = answer(q, ev, in.Question.AsOf)
	}
	a := Answer{Text: text, Used: used(text, q, ev), By: schema.ByRule}
	if text == "" && r.cautious {
		a.Near = ev.nearest(q, in.Speakers)
		for _, n := range a.Near {
			a.Used = append(a.Used, n.Hit)
		}
	}
	if text == "" {
		a.Text = q.say(Refusal, RefusalZH)
	}
	return a, nil
}

// used are the hits whose sentences are in an answer, or that the answer was taken from;
// a refusal rests on none.
func used(text string, q question, ev *evidence) (out []int) {
	if text == "" || len(ev.units) > usedUnits {
		return nil
	}
	add := func(u *unit) {
		if u.hit > 0 && !slices.Contains(out, u.hit) {
			out = append(out, u.hit)
		}
	}
	ranked := rankUnits(q, ev)
	for _, s := range ranked {
		if strings.Contains(text, s.text) {
			add(s.unit)
		}
	}
	for i := 0; len(out) == 0 && i < len(ranked); i++ {
		if strings.Contains(ranked[i].text, text) {
			add(ranked[i].unit)
		}
	}
	if len(out) == 0 && len(ranked) > 0 {
		add(ranked[0].unit)
	}
	return out
}

func (r *rule) evidence(context string, speakers []string) *evidence {
	if len(context) < holdFrom {
		return parse(context, speakers)
	}
	key := strings.Join(speakers, "\x00") + "\x00\x00" + context
	r.mu.Lock()
	for i, h := range r.held {
		if h.key == key {
			r.held = append(slices.Delete(r.held, i, i+1), h)
			r.mu.Unlock()
			return h.ev
		}
	}
	r.mu.Unlock()
	ev := parse(context, speakers)
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.held) >= holdMost {
		r.held = slices.Delete(r.held, 0, 1)
	}
	r.held = append(r.held, held{key, ev})
	return ev
}

// scored is a sentence with how well it fits the question.
type scored struct {
	*unit
	pos   int
	cover float64 // [0,1]: share of the question's words, rare ones counting more, in the sentence or, for less, its turn
	own   float64 // the same of the sentence alone
	score float64
}

// rankUnits lists the sentences by how well they fit, best first; ties in the order of
// the context.
func rankUnits(q question, ev *evidence) []scored {
	n := float64(len(ev.units))
	idf := func(t string) float64 {
		d := float64(ev.df[t])
		return .4 + math.Log(1+(n-d+.5)/(d+.5))/math.Log(n+2)
	}
	total := 0.0
	weight := map[string]float64{}
	for _, t := range q.terms {
		weight[t] = idf(t)
		total += weight[t]
	}
	for _, t := range q.kin {
		if ev.df[t] > 0 {
			weight[t] = .4 * idf(t)
		}
	}
	for _, t := range q.terms { // motivated, motivation
		if ev.df[t] > 0 || len(t) < 5 || t[0] >= 0x80 {
			continue
		}
		for _, near := range ev.byPrefix[t[:5]] {
			if weight[near] == 0 {
				weight[near] = .8 * weight[t]
			}
		}
	}
	out := make([]scored, len(ev.units))
	lines := make([]float64, ev.lines)
	for i := range ev.units {
		u := &ev.units[i]
		c := 0.0
		for _, t := range u.terms {
			c += weight[t]
		}
		if total > 0 {
			c = min(1, c/total)
		}
		out[i] = scored{unit: u, pos: i, cover: c, own: c}
		lines[u.line] = max(lines[u.line], c)
	}
	for i := range out {
		s := &out[i]
		s.cover = max(s.cover, .6*lines[s.line]) // what is said in the same breath
		s.score = (.02 + s.cover) * fits(q, s.unit)
	}
	slices.SortStableFunc(out, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	return out
}

// fits weighs a sentence by who said it and by its form.
func fits(q question, u *unit) float64 {
	f := 1.0
	low := ""
	if len(q.subjects) > 0 && u.speaker != "" {
		low = strings.ToLower(u.text)
		switch {
		case slices.Contains(q.subjects, u.speaker):
			f = 1.25
		case slices.ContainsFunc(q.subjects, func(s string) bool { return textnorm.Names(low, s) }):
		default:
			f = .7
		}
	}
	if q.first && u.speaker == "assistant" {
		f *= .85
	}
	if u.asks {
		f *= .6
	}
	if len(u.terms) < 2 {
		f *= .5
	}
	if u.former && !q.was && !q.ever {
		f *= .3
	}
	return f
}

// answer answers by the kind of the question; "" refuses.
func answer(q question, ev *evidence, asOf string) string {
	ranked := rankUnits(q, ev)
	if len(ranked) == 0 {
		return ""
	}
	if len(q.terms) > 0 && ranked[0].cover < support && !(q.brief && q.kind == yesno) { // yesNo reads replies
		return ""
	}
	if foreign(q, ranked) {
		return ""
	}
	var may []scored
	if q.brief {
		q.kind = sided(q)
		if s := sooner(q, ev); s != "" {
			return s
		}
		if beyond(q) {
			return ""
		}
		if s := ev.slot(q, ranked); s != "" {
			return s
		}
		may = eligible(q, ranked)
		if s := bothSaid(q, may); s != "" {
			return s
		}
		if q.kind == yesno {
			return yesNo(q, ev, may)
		}
		if s := changed(q, may); s != "" {
			return s
		}
		if q.kind == long {
			if s := spanBetween(q, ev, 0, false); s != "" {
				return s
			}
		}
		if ranked = certain(q, ranked); len(ranked) == 0 {
			return ""
		}
	}
	if q.newest {
		ranked = newestFirst(q, ranked)
	}
	near := ranked[:max(1, count(ranked, .5))]
	now, hasNow := dayOf(asOf)
	switch q.kind {
	case when:
		if q.brief {
			near = ev.joined(near)
		}
		if s := spanWhen(q, near); s != "" {
			return s
		}
	case long:
		if s := spanBetween(q, ev, now, hasNow); s != "" {
			return s
		}
		if q.brief && !q.was {
			near = values(q, may, near[0], func(s scored) (string, string) { return spanLong(q, []scored{s}, now, false), "" })
		}
		if s := spanLong(q, near, now, hasNow); s != "" {
			return s
		}
	case number:
		if q.brief {
			near = values(q, may, newestFirst(q, ranked)[0], func(s scored) (string, string) {
				n := spanNumber(q, []scored{s})
				return n, q.counted(s.text, n)
			})
		}
		if s := spanNumber(q, near); s != "" {
			if q.brief {
				return q.measured(near, s) + earlier(q, near, s)
			}
			return s
		}
	case who, where:
		if q.brief {
			near = near[:1] // the name and the sentence that is shown are of one
			if reWhoIs.MatchString(q.text) {
				return near[0].text
			}
			if s := q.doer(near[0], q.names); s != "" {
				return s + ": " + near[0].text
			}
		}
		if s := spanName(q, near); s != "" {
			if q.brief && (share(termsOf(s), q.terms) == 1 || q.kind == who && strings.ContainsAny(s, "_0123456789")) {
				return "" // the question says that much itself
			}
			return s + ": " + near[0].text + before(q, ev, near[0].text)
		}
		if q.brief && q.kind == where && rePlaced.MatchString(near[0].text) {
			return near[0].text
		}
	case yesno:
		return spanYesNo(q, ev, near)
	case either:
		if s := spanEither(q, ranked); s != "" {
			return s
		}
	}
	if q.brief && slices.Contains([]kind{when, long, number, who, where, either}, q.kind) {
		return "" // it asks for something that no sentence spells out
	}
	text := sentences(q, ev, ranked)
	return text + before(q, ev, text)
}

// foreign reports whether the question is about one speaker and all that fits is the
// other's, about itself.
func foreign(q question, ranked []scored) bool {
	if len(q.subjects) != 1 || q.several {
		return false
	}
	top := ranked[:max(1, count(ranked, .7))]
	for _, s := range top {
		if s.speaker == "" || slices.Contains(q.subjects, s.speaker) || textnorm.Names(s.text, q.subjects[0]) {
			return false
		}
		if !reFirst.MatchString(s.text) && !strings.Contains(s.text, "我") {
			return false
		}
	}
	return true
}

// count is how many of the first scored sentences reach a share of the best.
func count(ranked []scored, share float64) int {
	n := 0
	for n < len(ranked) && ranked[n].score >= share*ranked[0].score {
		n++
	}
	return n
}

// newestFirst puts what was said last before what fits nearly as well; of sentences that all
// surely answer what holds now, before all.
func newestFirst(q question, ranked []scored) []scored {
	n := count(ranked, .8)
	if q.brief && !reLately.MatchString(q.text) {
		n = len(ranked)
	}
	out := slices.Clone(ranked)
	slices.SortStableFunc(out[:n], func(a, b scored) int {
		if (q.kind == what || q.kind == list) && a.day == b.day { // the next turn goes on about the same thing
			return 0
		}
		return byNewest(a, b)
	})
	return out
}

func byNewest(a, b scored) int { return byDay(b.unit, a.unit) }

// byDay orders sentences by when they were said, those of one conversation and day by their turns; 0 where that is not known.
func byDay(a, b *unit) int {
	if !a.dated || !b.dated {
		return 0
	}
	if a.day == b.day && a.turn.ConvID == b.turn.ConvID {
		return cmp.Compare(a.turn.TurnID, b.turn.TurnID)
	}
	return cmp.Compare(a.day, b.day)
}

// reLately asks for a thing of late, which need not be the last one.
var reLately = pattern.New(`(?i)\brecently\b|最近`)

// distinct is how many turns the sentences are of.
func distinct(ranked []scored) int {
	lines := map[int]bool{}
	for _, s := range ranked {
		lines[s.line] = true
	}
	return len(lines)
}

// sentences joins the best sentences in the order of the context.
func sentences(q question, ev *evidence, ranked []scored) string {
	most, share := maxUnits, shareOf
	if q.kind == list {
		most, share = maxList, listOf
	}
	if q.brief {
		if most = atOnce; q.kind == list {
			most = atMostL
		}
	}
	n := min(most, max(1, count(ranked, share)))
	pick := map[int]string{}
	for _, s := range ranked[:n] {
		pick[s.pos] = s.text
	}
	// Few turns were shown because each of them matters: all are heard.
	heard := map[int]bool{}
	if lines := distinct(ranked); lines <= most && !q.brief {
		for _, s := range ranked {
			if !heard[s.line] && !s.asks {
				heard[s.line], pick[s.pos] = true, s.text
			}
		}
	}
	if q.brief {
		return ev.passage(q, slices.Sorted(maps.Keys(pick)))
	}
	// What a sentence brings up, the next one of the same breath often says.
	for _, s := range ranked {
		if s.pos == ranked[0].pos+1 && s.line == ranked[0].line && !s.asks {
			pick[s.pos] = s.text
		}
	}
	var out []string
	for _, pos := range slices.Sorted(maps.Keys(pick)) {
		out = append(out, pick[pos])
	}
	return strings.Join(out, " ")
}

// passage is what a turn says from the first of some sentences on, as long as a quote, without its questions: what one sentence brings up the next one says. One
// that points back is read with the one before it.
func (e *evidence) passage(q question, at []int) string {
	line, from := e.units[at[0]].line, at[0]
	if from > 0 && e.units[from-1].line == line && !e.units[from-1].asks && len(e.units[from-1].terms) > 2 && reBack.MatchString(e.units[from].text) {
		from--
	}
	var b strings.Builder
	length, last := 0, from-1
	for i := from; i < len(e.units) && e.units[i].line == line; i++ {
		u := &e.units[i]
		if length += utf8.RuneCountInString(u.text); !slices.Contains(at, i) && (u.asks || reCode.MatchString(u.text) || length > quoteMost) {
			continue
		}
		if b.Len() > 0 && last != i-1 {
			b.WriteString(q.say(" … ", "……"))
		} else if b.Len() > 0 {
			b.WriteString(q.say(" ", ""))
		}
		b.WriteString(u.text)
		last = i
	}
	return b.String()
}

func dayOf(s string) (timex.Day, bool) {
	if len(s) < 10 {
		return 0, false
	}
	m := stamped.FindStringSubmatch(s)
	if m == nil {
		return 0, false
	}
	return civil(m[1], m[2], m[3])
}
