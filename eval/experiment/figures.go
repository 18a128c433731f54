package experiment

import (
	"cmp"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Figures are drawn in greys with outlines, so that they can be read in print. Names in
// them are ASCII: PNG fonts of the library have no Chinese.

// grey is the i-th of n fills, from dark to light.
func grey(i, n int) color.Color {
	return color.Gray{Y: uint8(60 + 190*i/max(1, n-1))}
}

// save writes a figure as SVG and PNG, and its data.
func (o *output) save(data table, p *plot.Plot, wide, high vg.Length) {
	o.data(&data)
	for _, format := range []string{"svg", "png"} {
		var b strings.Builder
		w, err := p.WriterTo(wide, high, format)
		if err == nil {
			_, err = w.WriteTo(&b)
		}
		if o.fails(err) {
			return
		}
		o.write(data.name+"."+format, b.String())
	}
	o.heading("![%s](%s.svg)", data.name, data.name)
}

func newPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.Padding = vg.Points(6)
	return p
}

// A grid is a heat map: values of [0,1] by row and column, NaN for none.
type grid struct {
	rows, cols []string
	values     [][]float64
}

func (g grid) Dims() (c, r int)   { return len(g.cols), len(g.rows) }
func (g grid) X(c int) float64    { return float64(c) }
func (g grid) Y(r int) float64    { return float64(r) }
func (g grid) Z(c, r int) float64 { return g.values[r][c] }

// shades are the greys of a heat map: the darker, the more.
type shades struct{}

func (shades) Colors() (out []color.Color) {
	for i := range 64 {
		out = append(out, color.Gray{Y: uint8(250 - 2*i)})
	}
	return out
}

func (o *output) heat(name, title string, g grid) {
	data := table{name: name, title: title, head: append([]string{"system"}, g.cols...)}
	p := newPlot(title, "", "system")
	m := plotter.NewHeatMap(g, shades{})
	m.Min, m.Max, m.NaN = 0, 1, color.White
	p.Add(m)
	var at plotter.XYLabels
	for r, line := range g.values {
		row := []string{g.rows[r]}
		for c, v := range line {
			at.XYs = append(at.XYs, plotter.XY{X: float64(c), Y: float64(r)})
			at.Labels = append(at.Labels, points(v))
			row = append(row, points(v))
		}
		data.add(row...)
	}
	labels, err := plotter.NewLabels(at)
	if o.fails(err) {
		return
	}
	for i := range labels.TextStyle {
		labels.TextStyle[i].XAlign, labels.TextStyle[i].YAlign = draw.XCenter, draw.YCenter
	}
	p.Add(labels)
	p.NominalX(g.cols...)
	p.NominalY(g.rows...)
	o.save(data, p, vg.Length(len(g.cols)+2)*2.2*vg.Centimeter, vg.Length(len(g.rows)+2)*1.3*vg.Centimeter)
}

// A stack is stacked bars: counts of parts in each bar, drawn as shares.
type stack struct {
	bars, parts []string
	values      [][]float64
}

func (o *output) stacked(name, title string, s stack) {
	p := newPlot(title, "", "share of failures")
	p.Y.Min, p.Y.Max = 0, 1
	data := table{name: name, title: title, head: append([]string{"system"}, s.parts...)}
	share := make([]plotter.Values, len(s.parts))
	for i := range s.bars {
		sum := 0.0
		for _, x := range s.values[i] {
			sum += x
		}
		row := []string{s.bars[i]}
		for k, x := range s.values[i] {
			v := x / math.Max(sum, 1)
			share[k] = append(share[k], v)
			row = append(row, points(v))
		}
		data.add(row...)
	}
	var below *plotter.BarChart
	for k, part := range s.parts {
		b, err := plotter.NewBarChart(share[k], vg.Centimeter)
		if o.fails(err) {
			return
		}
		b.Color = grey(k, len(s.parts))
		if below != nil {
			b.StackOn(below)
		}
		below = b
		p.Add(b)
		p.Legend.Add(part, b)
	}
	p.Legend.Top = true
	p.NominalX(s.bars...)
	p.X.Max = float64(len(s.bars)) + 1.2
	o.save(data, p, vg.Length(len(s.bars)+3)*2.4*vg.Centimeter, 9*vg.Centimeter)
}

// bars are grouped bars with intervals.
type bars struct {
	groups, series []string
	values         [][]estimate // by series, group
}

// intervals are the error bars of one series.
type intervals struct {
	plotter.XYs
	plotter.YErrors
}

func (o *output) grouped(name, title string, f bars) {
	p := newPlot(title, "", "accuracy")
	p.Y.Min, p.Y.Max = 0, 1.05
	data := table{name: name, title: title, head: []string{"type"}}
	n := len(f.series)
	wide := vg.Points(64 / float64(n+1))
	names := make([]string, len(f.groups))
	rows := make([][]string, len(f.groups))
	for g, c := range f.groups {
		names[g] = nameOf(c)
		rows[g] = []string{names[g]}
	}
	for s, line := range f.values {
		data.head = append(data.head, f.series[s], "lo", "hi")
		var v plotter.Values
		var e intervals
		for g, x := range line {
			mean, lo, hi := x.mean, x.lo, x.hi
			rows[g] = append(rows[g], points(mean), points(lo), points(hi))
			if math.IsNaN(mean) {
				mean = 0
			}
			if math.IsNaN(lo) {
				lo, hi = mean, mean
			}
			v = append(v, mean)
			e.XYs = append(e.XYs, plotter.XY{X: float64(g), Y: mean})
			e.YErrors = append(e.YErrors, struct{ Low, High float64 }{mean - lo, hi - mean})
		}
		b, err := plotter.NewBarChart(v, wide)
		if o.fails(err) {
			return
		}
		b.Color, b.Offset = grey(s, n), wide*vg.Length(float64(s)-float64(n-1)/2)
		p.Add(b)
		p.Legend.Add(f.series[s], b)
		y, err := plotter.NewYErrorBars(e)
		if o.fails(err) {
			return
		}
		p.Add(shifted{y, b.Offset})
	}
	for _, r := range rows {
		data.add(r...)
	}
	p.NominalX(names...)
	p.X.Max = float64(len(f.groups)) + 0.9
	p.Legend.Top = true
	o.save(data, p, vg.Length(len(f.groups)+2)*3*vg.Centimeter, 9*vg.Centimeter)
}

// shifted draws something next to its position, as in grouped bars.
type shifted struct {
	plot.Plotter
	by vg.Length
}

func (s shifted) Plot(c draw.Canvas, p *plot.Plot) {
	c.Min.X += s.by
	c.Max.X += s.by
	s.Plotter.Plot(c, p)
}

// A point is an arm in the plane of tokens and accuracy.
type point struct {
	name  string
	x, y  float64
	front bool
	estimate
}

func (o *output) scatter(name, title string, list []point) {
	p := newPlot(title, "tokens a question", "accuracy")
	data := table{name: name, title: title, head: []string{"system", "tokens", "accuracy", "lo", "hi", "front"}}
	var all, front plotter.XYs
	wide, high := 0.0, 0.1
	for _, q := range list {
		all = append(all, plotter.XY{X: q.x, Y: q.y})
		wide, high = max(wide, q.x), max(high, 1.1*q.y)
		if q.front {
			front = append(front, plotter.XY{X: q.x, Y: q.y})
		}
		data.add(q.name, number(q.x), points(q.y), points(q.lo), points(q.hi), strconv.FormatBool(q.front))
	}
	dots, err := plotter.NewScatter(all)
	if o.fails(err) {
		return
	}
	dots.GlyphStyle = draw.GlyphStyle{Color: color.Gray{Y: 80}, Radius: vg.Points(3), Shape: draw.CircleGlyph{}}
	line, err := plotter.NewLine(front)
	if o.fails(err) {
		return
	}
	line.StepStyle = plotter.PostStep
	if o.fails(nameBeside(p, list, wide, high)) {
		return
	}
	p.Add(line, dots)
	p.Legend.Add("front", line)
	p.Legend.Left = true
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1.4*wide, 0, high // room for names
	o.save(data, p, 18*vg.Centimeter, 12*vg.Centimeter)
}

// nameBeside writes the names of points in a column at the right, none upon another, each
// with a thin line to its point.
func nameBeside(p *plot.Plot, list []point, wide, high float64) error {
	order := slices.Clone(list)
	slices.SortStableFunc(order, func(a, b point) int { return cmp.Compare(b.y, a.y) })
	at := apart(order, .04*high)
	var labels plotter.XYLabels
	for i, q := range order {
		labels.XYs = append(labels.XYs, plotter.XY{X: 1.12 * wide, Y: at[i]})
		labels.Labels = append(labels.Labels, q.name)
		to, err := plotter.NewLine(plotter.XYs{{X: q.x, Y: q.y}, {X: 1.11 * wide, Y: at[i]}})
		if err != nil {
			return err
		}
		to.LineStyle = draw.LineStyle{Color: color.Gray{Y: 190}, Width: vg.Points(.4)}
		p.Add(to)
	}
	text, err := plotter.NewLabels(labels)
	if err != nil {
		return err
	}
	for i := range text.TextStyle {
		text.TextStyle[i].YAlign = draw.YCenter
	}
	p.Add(text)
	return nil
}

// apart moves the heights of points, highest first, as little as it takes to be at least
// gap from each other and not below 0.
func apart(order []point, gap float64) []float64 {
	out := make([]float64, len(order))
	for i, q := range order {
		if out[i] = q.y; i > 0 {
			out[i] = min(q.y, out[i-1]-gap)
		}
	}
	for i := len(out) - 1; i >= 0; i-- {
		least := 0.0
		if i < len(out)-1 {
			least = out[i+1] + gap
		}
		out[i] = max(out[i], least)
	}
	return out
}

// histogram draws one series of shares without intervals.
func (o *output) histogram(name, title string, f bars) {
	p := newPlot(title, "effective surprise", "share of turns")
	data := table{name: name, title: title, head: []string{"from", "share", "turns"}}
	var v plotter.Values
	for i, x := range f.values[0] {
		v = append(v, x.mean)
		data.add(f.groups[i], points(x.mean), strconv.Itoa(x.n))
	}
	b, err := plotter.NewBarChart(v, vg.Points(12))
	if o.fails(err) {
		return
	}
	b.Color = grey(1, 3)
	p.Add(b)
	p.Y.Min = 0
	p.NominalX(f.groups...)
	o.save(data, p, 16*vg.Centimeter, 8*vg.Centimeter)
}
