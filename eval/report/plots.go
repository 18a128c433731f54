package report

import (
	"cmp"
	"fmt"
	"html"
	"math"
	"slices"

	"membench/schema"
)

const rowHeight = 24.0

// names is the width that the names of systems take, at most 190.
func (d *Dataset) names() float64 {
	x := 60.0
	for i := range d.Systems {
		x = max(x, wide(d.Systems[i].Name()))
	}
	return min(x, 190) + 20
}

// label writes a system's name at the left of its row.
func (c *canvas) label(s *System, width, y float64) {
	c.printf(`<g><title>%s</title>`, html.EscapeString(s.Name()))
	c.text(width-10, y+rowHeight/2+4, "name end", fit(s.Name(), width-14))
	c.printf(`</g>`)
}

// bars shows each category as a column and each system as a row: a bar with Wilson's
// interval, on one scale from 0 to 100.
func (d *Dataset) bars(id string) captioned {
	cats := []string{""}
	for _, name := range d.categories() {
		for i := range d.Systems {
			if f := category(d.Main(&d.Systems[i]), name); f != nil && f.N > 0 {
				cats = append(cats, name)
				break
			}
		}
	}
	var c canvas
	const bar, head = 92.0, 30.0
	const column = bar + 50
	left := d.names()
	height := head + rowHeight*float64(len(d.Systems)) + 18
	for k, name := range cats {
		x := left + float64(k)*column
		title := data(name)
		if name == "" {
			title = w("Overall", "总体")
		}
		most := 0
		for i := range d.Systems {
			if f := d.cell(&d.Systems[i], name); f != nil {
				most = max(most, f.N)
			}
		}
		c.words(x, 14, "head", title)
		c.text(x+bar+40, 14, "dim end", "n "+grouped(most))
		for _, v := range []float64{0, .5, 1} {
			c.line(x+v*bar, head-8, x+v*bar, height-16, "grid")
			c.text(x+v*bar, height-3, "tick mid", fmt.Sprintf("%.0f", 100*v))
		}
	}
	for i := range d.Systems {
		s := &d.Systems[i]
		y := head + rowHeight*float64(i)
		c.label(s, left, y)
		for k, name := range cats {
			x := left + float64(k)*column
			f := d.cell(s, name)
			if f == nil || f.Value == nil {
				c.text(x+4, y+rowHeight/2+4, "dim", none)
				continue
			}
			what := cmp.Or(name, "Overall")
			class := "bar"
			if s.bound() {
				class = "bar ref"
			}
			c.rect(x, y+5, bar**Shown(f), rowHeight-10, class, fmt.Sprintf("%s, %s: %s %% (%s), n %s, unscored %d", s.Name(), what, percent(f.Value), interval(f.Lo, f.Hi), grouped(f.N), f.Unscored))
			if f.Lo != nil && f.Hi != nil && f.Unscored == 0 {
				c.whisker(x+bar**f.Lo, x+bar**f.Hi, y+rowHeight/2)
			}
			c.text(x+bar+40, y+rowHeight/2+4, "num end", percent(Shown(f)))
		}
	}
	return captioned{id, wordsf("Score by category, by %s, in percent, with %s Wilson intervals; bounds (oracle, full context, no memory) are lighter", "各类别得分（%s），百分数，附 %s Wilson 区间；界限（标准证据、全部上下文、无记忆）颜色较浅", d.grader(), d.level("%s")),
		c.end(left+float64(len(cats))*column, height, id)}
}

func (c *canvas) whisker(x1, x2, y float64) {
	c.printf(`<path d="M%s %sH%sM%s %sv6M%s %sv6" class="whisker"/>`, n(x1), n(y), n(x2), n(x1), n(y-3), n(x2), n(y-3))
}

// cell is a system's figure in a category, its overall one for "".
func (d *Dataset) cell(s *System, name string) *schema.Figure {
	sc := d.Main(s)
	if sc == nil || name != "" {
		return category(sc, name)
	}
	return &sc.Overall
}

// logTicks are 1, 2 and 5 times powers of ten between lo and hi.
func logTicks(lo, hi float64, fine bool) (out []float64) {
	for e := math.Floor(math.Log10(lo)); e <= math.Ceil(math.Log10(hi)); e++ {
		for _, m := range []float64{1, 2, 5} {
			v := m * math.Pow(10, e)
			if v >= lo*0.999 && v <= hi*1.001 && (fine || m == 1) {
				out = append(out, v)
			}
		}
	}
	return out
}

// point is one system of a scatter plot.
type point struct {
	name, x    string // x in words
	at, y      float64
	lo, hi     float64
	labelled   float64 // position of its name
	best, kind bool    // no system under test is cheaper and better; a bound, see bound
}

// scatter sets the mean against a cost on a logarithmic scale. ok is false where fewer
// than two systems have both.
func (d *Dataset) scatter(id string, cost func(*System) (float64, string), caption, axis words) (captioned, bool) {
	var ps []point
	for i := range d.Systems {
		s := &d.Systems[i]
		x, text := cost(s)
		sc := d.Main(s)
		if x <= 0 || sc == nil || sc.Overall.Value == nil || sc.Overall.Lo == nil {
			continue
		}
		ps = append(ps, point{name: s.Name(), x: text, at: x, y: 100 * *sc.Overall.Value, lo: 100 * *sc.Overall.Lo, hi: 100 * *sc.Overall.Hi, kind: s.bound()})
	}
	if len(ps) < 2 {
		return captioned{}, false
	}
	low, high, top, bottom := math.Inf(1), 0.0, 0.0, 100.0
	for i := range ps {
		p := &ps[i]
		low, high = min(low, p.at), max(high, p.at)
		bottom, top = min(bottom, p.lo), max(top, p.hi)
		p.best = !p.kind
		for _, q := range ps {
			if !q.kind && q.at <= p.at && q.y >= p.y && (q.at < p.at || q.y > p.y) {
				p.best = false
			}
		}
	}
	low, high = low/1.3, high*1.3
	bottom, top = math.Floor(bottom/10)*10, math.Ceil(top/10)*10
	const width, height, left, right, upper, lower = 720.0, 380.0, 44.0, 150.0, 12.0, 44.0
	px := logScale{low, high, left, width - left - right}.at
	py := func(v float64) float64 { return upper + (height-upper-lower)*(top-v)/(top-bottom) }
	var c canvas
	step := 10.0
	if top-bottom > 60 {
		step = 20
	}
	for v := math.Ceil(bottom/step) * step; v <= top; v += step {
		c.line(left, py(v), width-right, py(v), "grid")
		c.text(left-6, py(v)+4, "tick end", fmt.Sprintf("%.0f", v))
	}
	for _, v := range logTicks(low, high, high/low < 30) {
		c.line(px(v), upper, px(v), height-lower, "grid")
		c.text(px(v), height-lower+16, "tick mid", tickText(v))
	}
	c.words((left+width-right)/2, height-8, "dim mid", axis)
	place(ps, py, upper+6, height-lower)
	for _, p := range ps {
		x, y := px(p.at), py(p.y)
		class := "point"
		if p.best {
			class += " best"
		}
		if p.kind {
			class += " ref"
		}
		c.printf(`<g><title>%s</title>`, html.EscapeString(fmt.Sprintf("%s: %.1f %% (%.1f–%.1f), %s", p.name, p.y, p.lo, p.hi, p.x)))
		c.printf(`<path d="M%s %sV%s" class="whisker thin"/>`, n(x), n(py(p.lo)), n(py(p.hi)))
		c.line(x+6, y, width-right+6, p.labelled, "leader")
		if p.kind {
			c.printf(`<rect x="%s" y="%s" width="9" height="9" class="%s"/>`, n(x-4.5), n(y-4.5), class)
		} else {
			c.printf(`<circle cx="%s" cy="%s" r="5" class="%s"/>`, n(x), n(y), class)
		}
		c.text(width-right+10, p.labelled+4, "name", fit(p.name, right-14))
		c.printf(`</g>`)
	}
	return captioned{id, caption, c.end(width, height, id)}, true
}

func tickText(v float64) string {
	if v >= 1 {
		return short(v)
	}
	return fmt.Sprintf("%.3g", v)
}

// place spreads the names over the right edge, in the order of their points, 15 px apart.
func place(ps []point, py func(float64) float64, top, bottom float64) {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(ps[b].y, ps[a].y), cmp.Compare(ps[a].at, ps[b].at)) })
	gap := min(15, (bottom-top)/float64(max(len(ps), 1)))
	y := math.Inf(-1)
	for _, i := range order {
		y = max(py(ps[i].y), y+gap)
		ps[i].labelled = y
	}
	limit := bottom
	for k := len(order) - 1; k >= 0; k-- {
		p := &ps[order[k]]
		p.labelled = min(p.labelled, limit)
		limit = p.labelled - gap
	}
}

// scatters are accuracy against tokens and against cost.
func (d *Dataset) scatters(id string) (out []captioned) {
	estimated := false
	f, ok := d.scatter(id+"-tokens", func(s *System) (float64, string) {
		if s.Tokens.Questions == 0 {
			return 0, ""
		}
		estimated = estimated || s.Tokens.Estimated
		return max(s.Tokens.Shown, 1), short(s.Tokens.Shown) + " tokens"
	}, w("Score against the tokens shown for a question. Filled: no other memory shows fewer tokens and scores higher. Squares are bounds (oracle, full context, no memory)", "得分与每题所示词元。实心：没有记忆系统所示更少而得分更高。方形为界限（标准证据、全部上下文、无记忆）"), w("tokens shown for a question (logarithmic)", "每题所示词元（对数轴）"))
	if ok {
		if estimated {
			f.Caption.en += "; tokens estimated from the length of contexts where no model was asked"
			f.Caption.zh += "；未调用模型处的词元按上下文长度估算"
		}
		out = append(out, f)
	}
	currency := ""
	f, ok = d.scatter(id+"-cost", func(s *System) (float64, string) {
		c := s.Summary.Cost
		if c == nil || answers(s) == 0 {
			return 0, ""
		}
		currency = c.Currency
		x := 1000 * ownCost(c) / float64(answers(s))
		return x, amount(x, c) + " " + c.Currency
	}, w("Score against the cost of 1,000 questions, ingest included, judging excluded", "得分与每千题费用（含摄入，不含评判）"), w("cost of 1,000 questions (logarithmic)", "每千题费用（对数轴）"))
	if ok {
		f.Caption.en += ", in " + currency
		f.Caption.zh += "，单位 " + currency
		out = append(out, f)
	}
	return out
}

// latencies shows how long retrievals and answers took: a histogram a system, each of
// the two on its own logarithmic scale, with median and 95th percentile.
func (d *Dataset) latencies(id string) (captioned, bool) {
	const panel, beside, head, apart = 240.0, 150.0, 30.0, 56.0 // apart: labels of an axis, so that none covers the next
	left := d.names()
	height := head + rowHeight*float64(len(d.Systems)) + 20
	var c canvas
	x := left
	for _, k := range []struct {
		title words
		of    func(*System) (*Histogram, *schema.Spread)
	}{
		{w("retrieval", "检索"), func(s *System) (*Histogram, *schema.Spread) { return s.Retrieve, s.Summary.RetrieveMS }},
		{w("answer", "回答"), func(s *System) (*Histogram, *schema.Spread) { return s.Answer, s.Summary.AnswerMS }},
	} {
		first, last := math.MaxInt, -1
		for i := range d.Systems {
			if h, _ := k.of(&d.Systems[i]); h != nil {
				if a, b, ok := h.span(); ok {
					first, last = min(first, a), max(last, b)
				}
			}
		}
		if last < 0 {
			continue
		}
		c.words(x, 14, "head", k.title)
		c.text(x+panel+8, 14, "dim", "p50 · p95")
		scale := logScale{low: edge(first), high: edge(last + 1), x: x, width: panel}
		free := x
		for _, v := range logTicks(scale.low, scale.high, scale.high/scale.low < 15) {
			at := scale.at(v)
			c.line(at, head-8, at, height-18, "grid")
			if at >= free {
				c.text(at, height-4, "tick mid", millis(&v))
				free = at + apart
			}
		}
		for i := range d.Systems {
			s := &d.Systems[i]
			h, spread := k.of(s)
			y := head + rowHeight*float64(i+1) - 4
			if h == nil || spread == nil {
				c.text(x+4, y-4, "dim", none)
				continue
			}
			c.printf(`<g><title>%s</title>`, html.EscapeString(fmt.Sprintf("%s: p50 %s, p95 %s, n %s", s.Name(), millis(spread.P50), millis(spread.P95), grouped(h.N))))
			c.histogram(h, scale, first, last, y)
			for _, q := range []*float64{spread.P50, spread.P95} {
				if q != nil {
					c.line(scale.at(*q), y-rowHeight+8, scale.at(*q), y, "mark")
				}
			}
			c.text(x+panel+8, y-4, "num", millis(spread.P50)+" · "+millis(spread.P95))
			c.printf(`</g>`)
		}
		x += panel + beside
	}
	if x == left {
		return captioned{}, false
	}
	for i := range d.Systems {
		c.label(&d.Systems[i], left, head+rowHeight*float64(i))
	}
	return captioned{id, w("Latency histogram (equal bins of a logarithmic scale), with median and 95th percentile", "时延分布（对数轴等宽分箱），附中位数与 95 百分位"), c.end(x, height, id)}, true
}

// logScale places values between low and high on width pixels from x; values beyond are drawn at the edge.
type logScale struct{ low, high, x, width float64 }

func (l logScale) at(v float64) float64 {
	v = min(max(v, l.low), l.high)
	return l.x + l.width*(math.Log10(v)-math.Log10(l.low))/(math.Log10(l.high)-math.Log10(l.low))
}

// histogram draws bins first to last with their feet at y; the highest has the height of
// the row, as shapes are compared and not sizes.
func (c *canvas) histogram(h *Histogram, scale logScale, first, last int, y float64) {
	most := 0
	for _, m := range h.counts {
		most = max(most, m)
	}
	c.printf(`<path d="M%s %s`, n(scale.x), n(y))
	for bin := first; bin <= last; bin++ {
		top := y - (rowHeight-8)*float64(h.counts[bin])/float64(most)
		c.printf(`L%s %sL%s %s`, n(scale.at(edge(bin))), n(top), n(scale.at(edge(bin+1))), n(top))
	}
	c.printf(`L%s %sZ" class="hist"/>`, n(scale.x+scale.width), n(y))
}

// lost plots the results of all answers: right, or lost at a hop.
func (d *Dataset) lost(id string) (captioned, bool) {
	any := false
	for i := range d.Systems {
		any = any || d.Systems[i].Lost().Answers > 0
	}
	if !any {
		return captioned{}, false
	}
	var c canvas
	left := d.names()
	const bar = 640.0
	type part struct {
		class string
		name  words
		n     int
		find  map[string]string
	}
	parts := func(l Loss) []part {
		out := []part{{"right", verdictWords[Right], l.Right, map[string]string{"verdict": Right}}}
		for _, h := range schema.Hops() {
			out = append(out, part{h, named(hopWords, h), l.Hops[h], map[string]string{"hop": h}})
		}
		return append(out, part{"open", w("failed, unexplained", "失败、未解释"), l.Open, nil})
	}
	var all Loss
	all.Hops = map[string]int{}
	for i := range d.Systems {
		l := d.Systems[i].Lost()
		all.Right, all.Open = all.Right+l.Right, all.Open+l.Open
		schema.Tally(all.Hops, l.Hops)
	}
	x, y := left, 12.0
	for _, p := range parts(all) {
		if p.n == 0 {
			continue
		}
		size := 26 + max(wide(p.name.en), wide(p.name.zh))
		if x+size > left+bar+60 {
			x, y = left, y+20
		}
		c.rect(x, y-10, 12, 12, "hop "+p.class, "")
		c.words(x+17, y, "key", p.name)
		x += size
	}
	head := y + 14
	height := head + rowHeight*float64(len(d.Systems)) + 20
	for v := 0.0; v <= 1; v += .25 {
		c.line(left+v*bar, head-4, left+v*bar, height-18, "grid")
		c.text(left+v*bar, height-4, "tick mid", fmt.Sprintf("%.0f %%", 100*v))
	}
	for i := range d.Systems {
		s := &d.Systems[i]
		l := s.Lost()
		y := head + rowHeight*float64(i)
		c.label(s, left, y)
		if l.Answers == 0 {
			c.text(left+4, y+rowHeight/2+4, "dim", none)
			continue
		}
		x := left
		for _, p := range parts(l) {
			if p.n == 0 {
				continue
			}
			size := bar * float64(p.n) / float64(l.Answers)
			title := fmt.Sprintf("%s: %s / %s, %s of %s (%s %%)", s.Name(), p.name.en, p.name.zh, grouped(p.n), grouped(l.Answers), shareOf(p.n, l.Answers))
			if p.find != nil {
				c.printf(`<a href="%s">`, html.EscapeString(d.find(s, p.find)))
			}
			c.rect(x, y+3, size-1, rowHeight-6, "hop "+p.class, title)
			if text := shareOf(p.n, l.Answers); size > wide(text)+6 {
				c.text(x+(size-1)/2, y+rowHeight/2+4, "in mid "+p.class, text)
			}
			if p.find != nil {
				c.printf(`</a>`)
			}
			x += size
		}
		c.text(left+bar+8, y+rowHeight/2+4, "dim", "n "+grouped(l.Answers))
	}
	return captioned{id, wordsf("Where facts are lost: every answer graded by %s is right, or was lost at one hop; in percent", "事实丢失在哪里：经 %s 评分的每个回答或正确，或丢失在某一环节；百分数", d.grader()), c.end(left+bar+70, height, id)}, true
}

// plots lists the plots of a data set.
func (d *Dataset) plots(id string) (out []captioned) {
	if len(d.Systems) == 0 {
		return nil
	}
	out = append(out, d.bars(id+"-bars"))
	if f, ok := d.lost(id + "-lost"); ok {
		out = append(out, f)
	}
	out = append(out, d.scatters(id)...)
	if f, ok := d.latencies(id + "-latency"); ok {
		out = append(out, f)
	}
	return out
}
