package judge

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"membench/internal/tokens"
)

// detailNames are the features of the last stage about the missing and replaced parts of the gold, and about its place in a reply of several sentences.
var detailNames = []string{
	"missing_share", "missing_numbers", "parts", "parts_missing", "parts_partial",
	"first_covered", "last_covered", "best_covered", "home_place", "last_restates", "last_concludes", "last_rest",
	"values_found", "values_other", "values_other_home", "value_first", "value_last",
	"agent_asked", "exchanged", "asked_elsewhere", "home_other", "now_asked", "now_home", "now_elsewhere", "period_other", "withheld", "withheld_last",
}

// details appends them.
func (e *evidence) details(f []float64) []float64 {
	put := func(x ...float64) { f = append(f, x...) }
	put(e.lacks()...)
	put(e.parts()...)
	put(e.places()...)
	put(e.valuesSaid()...)
	put(e.roles()...)
	put(e.withheld()...)
	return f
}

// lacks returns the missing share of the gold, by weight, and the number of missing numbers.
func (e *evidence) lacks() []float64 {
	var numbers, share, all float64
	for j, g := range e.gold {
		all += g.weight
		if !e.covered[j] {
			share += g.weight
			numbers += b2f(g.num)
		}
	}
	if all > 0 {
		share /= all
	}
	return []float64{share, numbers}
}

// parts counts the parts of a gold that is a list or a sentence of several parts, and the parts of which nothing, or not everything, is stated.
func (e *evidence) parts() []float64 {
	raw := e.gt.raw
	part, from := 0, 0
	total, found := map[int]int{}, map[int]int{}
	for j, g := range e.gold {
		if gap := strings.ToLower(raw[min(from, g.pos):g.pos]); from > 0 && (strings.ContainsAny(gap, ",;/&、和与及跟") || strings.Contains(gap, " and ")) {
			part++
		}
		from = g.pos + len(g.word)
		total[part]++
		found[part] += int(b2f(e.covered[j]))
	}
	missing, partial := 0, 0
	for k, n := range total {
		missing += int(b2f(found[k] == 0))
		partial += int(b2f(found[k] > 0 && found[k] < n))
	}
	return []float64{ln1(len(total)), ln1(missing), ln1(partial)}
}

// places returns how much of the gold the first, the last and the best sentence have, and what else the last one has.
func (e *evidence) places() []float64 {
	last := e.at.sents - 1
	share := func(s int) float64 {
		n := 0
		for j := range e.gold {
			n += int(b2f(e.sentences[j]>>min(s, 63)&1 == 1))
		}
		return float64(n) / float64(max(1, len(e.gold)))
	}
	best := 0.
	for s := 0; s <= last; s++ {
		best = max(best, share(s))
	}
	h := &e.stand(e.r).list[e.stand(e.r).at]
	start := ""
	rest, asked, n := 0, 0, 0
	for i := range e.a {
		u := &e.a[i]
		if u.sent != last {
			continue
		}
		if start == "" {
			start = e.at.low()[min(u.pos, len(e.at.low())):]
		}
		rest += int(b2f(!e.said[i] && !frame(u)))
	}
	for j := range e.q {
		if e.q[j].stop {
			continue
		}
		n++
		for i := range e.a {
			if e.a[i].sent == last && means(&e.q[j], &e.a[i]) >= .7 {
				asked++
				break
			}
		}
	}
	concludes := hasAny(start, "so ", "so,", "that's ", "that is ", "也就是", "总") || hasAny(start, weakConclusions...)
	return []float64{share(0), share(last), best, float64(h.sent) / float64(max(1, last)), float64(asked) / float64(max(1, n)), b2f(concludes), ln1(rest)}
}

// valuesSaid returns which of the gold's values are found, how many others may be meant instead, and whether the first and the last such value is the gold's.
func (e *evidence) valuesSaid() []float64 {
	if len(e.gv) == 0 {
		return make([]float64, 5)
	}
	found, other, home := 0, 0, 0
	first, last := 0., 0.
	for _, g := range e.gv {
		found += int(b2f(anySame(e.av, g)))
	}
	for _, a := range e.av {
		same, may := anySame(e.gv, a), false
		for _, g := range e.gv {
			may = may || e.contradicts(g, a)
		}
		if !same && (!may || anySame(e.qv, a)) {
			continue
		}
		last = 2*b2f(same) - 1
		first = cmp.Or(first, last)
		if !same {
			other++
			home += int(b2f(a.pos >= e.from && a.pos < e.to))
		}
	}
	return []float64{float64(found) / float64(len(e.gv)), ln1(other), ln1(home), first, last}
}

// roles returns whether the question asks who does something; whether the answer names the object of the action, so that the question's name, its verb and the
// gold are in that order; whether the home lacks distinguishing words of the question that another clause has; whether the home has something else instead;
// where the answer speaks of the present; and whether it has another period or part of the day than question and gold.
func (e *evidence) roles() []float64 {
	q := e.qt.toks
	agent := len(q) > 1 && q[0].word == "who" && !being[q[1].word] && !auxiliary[q[1].word]
	gold, named, verb, by := e.at.toks[e.r.first].pos, -1, -1, false
	for i := range e.a {
		u := &e.a[i]
		if !agent || !e.home(u) || u.pos >= gold {
			continue
		}
		by = by || u.word == "by" || u.word == "was" || u.word == "is"
		for j := range e.q {
			if x := &e.q[j]; x.name && named < 0 && x.stem == u.stem {
				named = u.pos
			}
		}
		if named >= 0 && means(&q[1], u) >= .7 {
			verb = u.pos
		}
	}
	elsewhere, other := 0, 0
	for j := range e.q {
		x := &e.q[j]
		if x.stop || frame(x) || e.asked[j] || !x.name && !x.num && !x.han {
			continue
		}
		for i := range e.a {
			if u := &e.a[i]; !e.home(u) && means(x, u) >= .7 {
				elsewhere++
				break
			}
		}
		for i := range e.a {
			if u := &e.a[i]; e.home(u) && !e.said[i] && !u.stop && (x.name && u.name || x.num && u.num || x.han && u.han && nearly(x.word, u.word)) {
				other++
				break
			}
		}
	}
	now := func(t *text, from, to int) (here, there int) {
		for i := range t.toks {
			k := &t.toks[i]
			if present[k.word] || k.han && t.hanAt(k, present) != "" {
				if k.pos >= from && k.pos < to {
					here++
				} else {
					there++
				}
			}
		}
		return here, there
	}
	asked, _ := now(e.qt, 0, len(e.qt.raw))
	here, there := now(e.at, e.from, e.to)
	return []float64{b2f(agent), b2f(verb >= 0 && !by), ln1(elsewhere), ln1(other), b2f(asked > 0), ln1(here), ln1(there), b2f(e.otherPeriod())}
}

// nearly reports whether two Chinese words are alike in one of their characters: 影像科, 检验科.
func nearly(a, b string) bool {
	return a != b && utf8.RuneCountInString(a) > 1 && strings.ContainsFunc(a, func(r rune) bool { return strings.ContainsRune(b, r) })
}

// present are words for the present.
var present = tokens.Set("now currently current today nowadays still latest finally eventually anymore 现在 目前 如今 当前 最后 最终 还在 仍")

// periods are the words of lengths that recur, and of parts of the day, by class and member.
var periods = classesOf([][]string{
	{"hour hours hourly 每小时", "day days daily 每天 每日", "week weeks weekly 每周 每星期", "month months monthly 每月 每个月", "year years yearly annually annual 每年"},
	{"morning mornings am 早上 上午 早晨 清晨 凌晨", "afternoon afternoons pm 下午 中午 noon", "evening evenings night nights 晚上 傍晚 夜里"},
	{"left 左", "right 右"},
})

// otherPeriod reports whether the sentence with the gold has a word of such a class where gold or question
// has another of it, and the answer has not that one.
func (e *evidence) otherPeriod() bool {
	members := func(t *text, from, to int) (m [3]uint) {
		for i := range t.toks {
			if k := &t.toks[i]; !k.han && k.pos >= from && k.pos < to {
				if p, ok := periods[k.word]; ok {
					m[p[0]] |= 1 << p[1]
				}
			}
		}
		for w, p := range periods {
			if !t.han {
				break
			}
			if w[0] >= 0x80 && strings.Contains(t.raw[from:to], w) {
				m[p[0]] |= 1 << p[1]
			}
		}
		return m
	}
	q, g, a, h := members(e.qt, 0, len(e.qt.raw)), members(e.gt, 0, len(e.gt.raw)), members(e.at, 0, len(e.at.raw)), members(e.at, e.from, e.to)
	for c := range h {
		want := cmp.Or(g[c], q[c])
		if h[c] != 0 && want != 0 && a[c]&want == 0 {
			return true
		}
	}
	return false
}

// withheld returns whether a sentence of the answer, and whether its last one, denies that the requested information is known or was mentioned.
func (e *evidence) withheld() []float64 {
	any, last := false, false
	for i := range e.at.toks {
		if i == 0 || e.at.toks[i].sent != e.at.toks[i-1].sent {
			last = e.at.withheldAt(i)
			any = any || last
		}
	}
	return []float64{b2f(any), b2f(last)}
}
