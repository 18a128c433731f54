package view

import (
	"math"
	"slices"
	"sync"
)

// The layout is force-directed and multilevel. Communities (community.go) make a
// small graph of the large one, and a smaller one of that; the smallest is laid out
// first, each finer level starts inside the places of the coarser one. Between all
// nodes acts a repulsion of mass·mass/distance, summed over a quadtree (Barnes and
// Hut 1986); along edges an attraction that is linear near by and constant far off,
// which keeps communities apart (the LinLog model of Noack 2007). At the end nodes
// are pushed apart until their discs do not overlap. Cost: O(n log n + m) a step,
// a fixed number of steps.
//
// Bytes must not depend on the machine. Each force is summed by one goroutine in a
// fixed order; only + - * / and square roots are used, which IEEE 754 defines to the
// last bit; and products are converted explicitly, which forbids the compiler to
// fuse them with a following sum (it does so on arm64, not on amd64).

// grid is the range of the coordinates written: 0 to grid-1.
const grid = 1 << 16

type layout struct {
	x, y        []int // 0 to grid-1
	unit        float64
	member      []int // community of each node
	communities []community
}

// Radii in units of the layout; the page draws the same.
const (
	radiusBase = 1.0
	radiusGrow = 0.35 // times the root of the degree
	radiusMax  = 4.5
	gap        = 0.9 // free space around a disc
)

func radius(degree int) float64 {
	return min(radiusMax, radiusBase+float64(radiusGrow*math.Sqrt(float64(degree))))
}

func arrange(pairs [][2]int32, n int, o Options) layout {
	lay := layout{x: make([]int, n), y: make([]int, n), member: make([]int, n), unit: 1}
	if n == 0 {
		return lay
	}
	degree := make([]int, n)
	for _, p := range pairs {
		degree[p[0]]++
		degree[p[1]]++
	}
	// An edge at a hub says little: its weight falls with the root of the larger degree,
	// and beyond hubDegree with the degree itself, so that what all share (a scene, an
	// agent) does not press the communities flat.
	base := &wgraph{n: n, size: make([]float64, n)}
	for i := range base.size {
		base.size[i] = 1
	}
	links := make([]link, 0, len(pairs))
	for _, p := range pairs {
		d := float64(max(degree[p[0]], degree[p[1]]))
		w := 1 / math.Sqrt(d)
		if d > hubDegree {
			w = math.Sqrt(hubDegree) / d
		}
		links = append(links, link{p[0], p[1], w})
	}
	base.build(links)
	levels, maps := coarsen(base)

	if len(maps) > 0 {
		lay.member = slices.Clone(maps[0]) // heads renumbers it
		// Communities are merged up to the level that has few enough to be told apart.
		few := max(12, int(math.Sqrt(float64(n))))
		for k := 1; k < len(maps) && levels[k].n > few; k++ {
			next := make([]int, n)
			for i, c := range lay.member {
				next[i] = maps[k][c]
			}
			lay.member = next
		}
	}
	lay.heads(base)

	pos := places(levels, maps, o)
	r := make([]float64, n)
	for i := range r {
		r[i] = radius(degree[i]) + gap/2
	}
	gather(pos, r, lay.member, len(lay.communities))
	spread(pos, r, 0.6)
	turn(pos)
	lay.write(pos)

	return lay
}

// heads numbers the communities by size, largest first, and finds their heads.
func (l *layout) heads(g *wgraph) {
	count := 0
	for _, c := range l.member {
		count = max(count, c+1)
	}
	cs := make([]community, count)
	strength := make([]float64, count)
	for i, c := range l.member {
		if s := g.strength[i]; cs[c].Size == 0 || s > strength[c] {
			cs[c].Head, strength[c] = i, s
		}
		cs[c].Size++
	}
	order := make([]int, count)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cs[b].Size - cs[a].Size })
	rank := make([]int, count)
	for to, from := range order {
		rank[from] = to
		l.communities = append(l.communities, cs[from])
	}
	for i, c := range l.member {
		l.member[i] = rank[c]
	}
}

// places lays out the levels, coarsest first.
func places(levels []*wgraph, maps [][]int, o Options) []vec {
	var pos []vec
	moved, of := 0, 0
	for _, g := range levels {
		of += g.n * stepsOf(g)
	}
	for k := len(levels) - 1; k >= 0; k-- {
		g := levels[k]
		next := make([]vec, g.n)
		if pos == nil {
			for i := range next {
				next[i] = spiral(i, 2*math.Sqrt(g.size[i]))
			}
		} else {
			// Children start on a spiral around their parent, as wide as their number.
			seen := make([]int, len(pos))
			for i := range next {
				c := maps[k][i]
				s := spiral(seen[c], 2*math.Sqrt(g.size[i]))
				seen[c]++
				next[i] = vec{pos[c].x + s.x, pos[c].y + s.y}
			}
		}
		heat := 6.0
		if k == len(levels)-1 {
			heat = 4 * math.Sqrt(float64(g.n)) * math.Sqrt(g.mean())
		} else {
			heat *= math.Sqrt(g.mean())
		}
		f := field{repulse: math.Inf(1), centre: gravity, across: 1}
		if pos != nil {
			f = field{repulse: 9 * math.Sqrt(g.mean()), centre: anchor, across: 0.08, home: pos, group: maps[k]}
		}
		relax(g, next, f, heat, o.Workers, func() {
			if o.Progress != nil {
				o.Progress("moves", moved, of)
			}
			moved += g.n
		})
		pos = next
	}
	return pos
}

// stepsOf is how often the nodes of a level are moved.
func stepsOf(g *wgraph) int {
	switch {
	case g.n > 20000:
		return 90
	case g.n > 2000:
		return 150
	}
	return 220
}

type vec struct{ x, y float64 }

// spiral is the i-th place of a sunflower, step apart. The golden angle's cosine and
// sine are multiplied up, so that no library function is asked.
func spiral(i int, step float64) vec {
	const c, s = -0.7373688780783197, 0.6754902942615238
	// (c + s·i)^i by repeated squaring
	re, im := 1.0, 0.0
	br, bi := c, s
	for e := i; e > 0; e >>= 1 {
		if e&1 == 1 {
			re, im = float64(re*br)-float64(im*bi), float64(re*bi)+float64(im*br)
		}
		br, bi = float64(br*br)-float64(bi*bi), float64(2*br*bi)
	}
	r := float64(step * math.Sqrt(float64(i)))
	return vec{float64(r * re), float64(r * im)}
}

const (
	hubDegree = 64
	repulsion = 5.0
	gravity   = 0.02
	anchor    = 0.04
	farAway   = 8.0 // from this distance on an edge's pull hardly grows
	theta2    = 0.9 // square of the opening angle
	block     = 512 // nodes of one unit of work; fixed, so that workers do not matter
)

// A field says what acts beside the edges inside a group. On the coarsest level all
// repels all and all falls to the middle. On finer levels the groups have their
// places: nodes keep near home, repel those around them, and edges to other groups
// hardly pull. So a group becomes round, wherever it lies.
type field struct {
	repulse float64 // range of the repulsion
	centre  float64 // pull towards home, or the middle
	across  float64 // weight of edges between groups
	home    []vec   // of each group; nil is the middle for all
	group   []int
}

// relax moves the nodes of g for a number of steps, each node by at most heat, which
// falls to nothing. begun is called before each step.
func relax(g *wgraph, pos []vec, f field, heat float64, workers int, begun func()) {
	steps := stepsOf(g)
	mass := make([]float64, g.n)
	for i := range mass {
		mass[i] = g.size[i] + g.strength[i]
	}
	move := make([]vec, g.n)
	var tree quadtree
	for step := range steps {
		begun()
		cool := 1 - float64(step)/float64(steps)
		limit := float64(heat * cool * cool)
		tree.build(pos, mass)
		each(g.n, workers, func(from, to int) {
			for at := from; at < to; at++ {
				i := int(tree.order[at]) // neighbours in space, so that the cache helps
				p := pos[i]
				fx, fy := tree.force(pos, mass, i, f.repulse)
				k := float64(repulsion * mass[i])
				fx, fy = float64(fx*k), float64(fy*k)
				for e := g.start[i]; e < g.start[i+1]; e++ {
					j := g.to[e]
					dx, dy := pos[j].x-p.x, pos[j].y-p.y
					d := math.Sqrt(float64(dx*dx) + float64(dy*dy))
					w := float64(g.w[e]*4) / (1 + d/farAway)
					if f.group != nil && f.group[i] != f.group[j] {
						w = float64(w * f.across)
					}
					fx += float64(dx * w)
					fy += float64(dy * w)
				}
				// What no edge holds together, this does.
				var home vec
				if f.home != nil {
					home = f.home[f.group[i]]
				}
				gm := float64(f.centre * mass[i])
				fx -= float64((p.x - home.x) * gm)
				fy -= float64((p.y - home.y) * gm)
				// A heavy node is slow.
				fx, fy = fx/mass[i], fy/mass[i]
				d := math.Sqrt(float64(fx*fx) + float64(fy*fy))
				if d > limit {
					s := limit / d
					fx, fy = float64(fx*s), float64(fy*s)
				}
				move[i] = vec{fx, fy}
			}
		})
		for i := range pos {
			pos[i].x += move[i].x
			pos[i].y += move[i].y
		}
	}
}

// each calls f on the blocks of 0…n, in parallel.
func each(n, workers int, f func(from, to int)) {
	blocks := (n + block - 1) / block
	workers = min(workers, blocks)
	if workers <= 1 {
		if n > 0 {
			f(0, n)
		}
		return
	}
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for b := w; b < blocks; b += workers {
				f(b*block, min(n, (b+1)*block))
			}
		})
	}
	wg.Wait()
}

// A quadtree holds points sorted along a Z-curve; its cells are in depth-first
// order, each with the index of the cell that follows when it is not opened.
type quadtree struct {
	order []int32 // points along the curve
	keys  []uint64
	cells []cell
}

type cell struct {
	x, y, mass float64 // centre of mass
	size2      float64 // square of the side
	from, to   int32   // points; a leaf sums over them
	skip       int32
	leaf       bool
}

const leafSize = 4

func (t *quadtree) build(pos []vec, mass []float64) {
	n := len(pos)
	t.keys, t.order, t.cells = t.keys[:0], t.order[:0], t.cells[:0]
	minX, minY, maxX, maxY := bounds(pos)
	side := max(maxX-minX, maxY-minY, 1e-9)
	scale := 65535 / side
	for i, p := range pos {
		k := uint64(interleave(uint32(float64((p.x-minX)*scale)))|interleave(uint32(float64((p.y-minY)*scale)))<<1) << 32
		t.keys = append(t.keys, k|uint64(i))
	}
	slices.Sort(t.keys)
	for _, k := range t.keys {
		t.order = append(t.order, int32(uint32(k)))
	}
	t.cell(pos, mass, 0, n, 62, float64(side*side))
}

// cell appends the cell of the points from…to, which agree above bit shift+1.
func (t *quadtree) cell(pos []vec, mass []float64, from, to, shift int, size2 float64) {
	// Levels in which all points share a quarter are passed over.
	for to-from > leafSize && shift >= 32 && t.keys[from]>>shift == t.keys[to-1]>>shift {
		shift -= 2
		size2 /= 4
	}
	at := len(t.cells)
	t.cells = append(t.cells, cell{})
	var x, y, m float64
	for _, i := range t.order[from:to] {
		x += float64(pos[i].x * mass[i])
		y += float64(pos[i].y * mass[i])
		m += mass[i]
	}
	c := cell{x: x / m, y: y / m, mass: m, size2: size2, from: int32(from), to: int32(to)}
	c.leaf = to-from <= leafSize || shift < 32
	if !c.leaf {
		for from < to {
			quarter := t.keys[from] >> shift
			end := from + 1
			for end < to && t.keys[end]>>shift == quarter {
				end++
			}
			t.cell(pos, mass, from, end, shift-2, size2/4)
			from = end
		}
	}
	c.skip = int32(len(t.cells))
	t.cells[at] = c
}

// force is the repulsion on point i per unit of its mass. Beyond reach it falls with
// the third power of the distance, and beyond four times reach it is omitted.
func (t *quadtree) force(pos []vec, mass []float64, i int, reach float64) (fx, fy float64) {
	p := pos[i]
	reach2 := float64(reach * reach)
	for at := int32(0); at < int32(len(t.cells)); {
		c := &t.cells[at]
		dx, dy := p.x-c.x, p.y-c.y
		d2 := float64(dx*dx) + float64(dy*dy)
		if d2 > 16*(reach2+c.size2) {
			at = c.skip
			continue
		}
		if c.size2 < theta2*d2 {
			w := c.mass / float64(d2*(1+d2/reach2))
			fx += float64(dx * w)
			fy += float64(dy * w)
			at = c.skip
			continue
		}
		if !c.leaf {
			at++
			continue
		}
		for _, j := range t.order[c.from:c.to] {
			if int(j) == i {
				continue
			}
			dx, dy := p.x-pos[j].x, p.y-pos[j].y
			d2 := float64(dx*dx) + float64(dy*dy)
			if d2 < 0.01 { // the same place: apart along a line that both agree on
				if i < int(j) {
					dx = -0.1
				} else {
					dx = 0.1
				}
				dy, d2 = 0, 0.01
			}
			w := mass[j] / float64(d2*(1+d2/reach2))
			fx += float64(dx * w)
			fy += float64(dy * w)
		}
		at = c.skip
	}
	return fx, fy
}

// interleave spreads the low 16 bits of v over the even bits.
func interleave(v uint32) uint32 {
	v &= 0xffff
	v = (v | v<<8) & 0x00ff00ff
	v = (v | v<<4) & 0x0f0f0f0f
	v = (v | v<<2) & 0x33333333
	return (v | v<<1) & 0x55555555
}

// gather moves whole communities so that each lies close to the next and clear of it.
func gather(pos []vec, r []float64, member []int, count int) {
	size := make([]float64, count)
	centre := make([]vec, count)
	for i, c := range member {
		size[c]++
		centre[c].x += pos[i].x
		centre[c].y += pos[i].y
	}
	for c := range centre {
		centre[c] = vec{centre[c].x / size[c], centre[c].y / size[c]}
	}
	far := make([][]float64, count)
	for i, c := range member {
		dx, dy := pos[i].x-centre[c].x, pos[i].y-centre[c].y
		far[c] = append(far[c], math.Sqrt(float64(dx*dx)+float64(dy*dy))+r[i])
	}
	reach := make([]float64, count)
	for c, d := range far {
		slices.Sort(d)
		reach[c] = float64(1.15*d[len(d)*9/10]) + gap
	}
	to := slices.Clone(centre)
	spread(to, reach, 0.5)
	for i, c := range member {
		pos[i].x += to[c].x - centre[c].x
		pos[i].y += to[c].y - centre[c].y
	}
}

// spread scales the picture so that the given share of the discs has room beside its
// nearest neighbour, then pushes those apart that overlap.
func spread(pos []vec, r []float64, share float64) {
	n := len(pos)
	if n < 2 {
		return
	}
	need := make([]float64, 0, n)
	near := newBuckets(pos, math.Sqrt(area(pos)/float64(n)))
	for i := range pos {
		best := math.Inf(1)
		near.around(pos[i], func(j int) {
			if j == i {
				return
			}
			dx, dy := pos[j].x-pos[i].x, pos[j].y-pos[i].y
			d := math.Sqrt(float64(dx*dx)+float64(dy*dy)) / (r[i] + r[j])
			best = min(best, d)
		})
		if !math.IsInf(best, 1) {
			need = append(need, 1/max(best, 1e-3))
		}
	}
	scale := 1.0
	if len(need) > 0 {
		slices.Sort(need)
		scale = min(need[int(float64(len(need)-1)*share)], 40)
	}
	for i := range pos {
		pos[i].x, pos[i].y = float64(pos[i].x*scale), float64(pos[i].y*scale)
	}
	widest := slices.Max(r)
	move := make([]vec, n)
	for range 40 {
		b := newBuckets(pos, 2*widest)
		any := false
		for i := range pos {
			var m vec
			b.around(pos[i], func(j int) {
				if j == i {
					return
				}
				dx, dy := pos[i].x-pos[j].x, pos[i].y-pos[j].y
				d2 := float64(dx*dx) + float64(dy*dy)
				want := r[i] + r[j]
				if d2 >= float64(want*want) {
					return
				}
				d := math.Sqrt(d2)
				if d < 1e-6 {
					dx, dy, d = 1, 0, 1
					if i < j {
						dx = -1
					}
				}
				push := float64((want-d)*0.5*(r[j]/want)) / d
				m.x += float64(dx * push)
				m.y += float64(dy * push)
				any = true
			})
			move[i] = m
		}
		if !any {
			break
		}
		for i := range pos {
			pos[i].x += move[i].x
			pos[i].y += move[i].y
		}
	}
}

// bounds is the rectangle of the places.
func bounds(pos []vec) (minX, minY, maxX, maxY float64) {
	minX, minY, maxX, maxY = pos[0].x, pos[0].y, pos[0].x, pos[0].y
	for _, p := range pos {
		minX, maxX = min(minX, p.x), max(maxX, p.x)
		minY, maxY = min(minY, p.y), max(maxY, p.y)
	}
	return minX, minY, maxX, maxY
}

func area(pos []vec) float64 {
	minX, minY, maxX, maxY := bounds(pos)
	return max(float64((maxX-minX)*(maxY-minY)), 1)
}

// buckets finds the points of the nine squares around a place.
type buckets struct {
	side       float64
	minX, minY float64
	w, h       int
	start      []int32
	points     []int32
}

func newBuckets(pos []vec, side float64) *buckets {
	minX, minY, maxX, maxY := bounds(pos)
	// At most about four squares a point, however far apart points are.
	side = max(side, math.Sqrt(float64((maxX-minX)*(maxY-minY))/float64(4*len(pos))), max(maxX-minX, maxY-minY)/4096, 1e-9)
	b := &buckets{side: side, minX: minX, minY: minY}
	b.w, b.h = int((maxX-minX)/side)+1, int((maxY-minY)/side)+1
	b.start = make([]int32, b.w*b.h+1)
	for _, p := range pos {
		b.start[b.of(p)+1]++
	}
	for i := 1; i < len(b.start); i++ {
		b.start[i] += b.start[i-1]
	}
	b.points = make([]int32, len(pos))
	at := slices.Clone(b.start)
	for i, p := range pos {
		k := b.of(p)
		b.points[at[k]] = int32(i)
		at[k]++
	}
	return b
}

func (b *buckets) of(p vec) int {
	return min(int((p.y-b.minY)/b.side), b.h-1)*b.w + min(int((p.x-b.minX)/b.side), b.w-1)
}

func (b *buckets) around(p vec, f func(int)) {
	k := b.of(p)
	cx, cy := k%b.w, k/b.w
	for y := max(cy-1, 0); y <= min(cy+1, b.h-1); y++ {
		for x := max(cx-1, 0); x <= min(cx+1, b.w-1); x++ {
			for _, j := range b.points[b.start[y*b.w+x]:b.start[y*b.w+x+1]] {
				f(int(j))
			}
		}
	}
}

// turn rotates the picture so that it is widest from left to right, as screens are.
func turn(pos []vec) {
	n := float64(len(pos))
	var mx, my float64
	for _, p := range pos {
		mx += p.x
		my += p.y
	}
	mx, my = mx/n, my/n
	var xx, xy, yy float64
	for _, p := range pos {
		dx, dy := p.x-mx, p.y-my
		xx += float64(dx * dx)
		xy += float64(dx * dy)
		yy += float64(dy * dy)
	}
	// Direction of the larger eigenvalue of the covariance.
	half := (xx - yy) / 2
	root := math.Sqrt(float64(half*half) + float64(xy*xy))
	c, s := half+root, xy
	if d := math.Sqrt(float64(c*c) + float64(s*s)); d > 1e-12 {
		c, s = c/d, s/d
	} else if yy > xx {
		c, s = 0, 1
	} else {
		c, s = 1, 0
	}
	for i, p := range pos {
		dx, dy := p.x-mx, p.y-my
		pos[i] = vec{float64(dx*c) + float64(dy*s), float64(dy*c) - float64(dx*s)}
	}
}

// write puts the places on the grid.
func (l *layout) write(pos []vec) {
	minX, minY, maxX, maxY := bounds(pos)
	scale := (grid - 1) / max(maxX-minX, maxY-minY, 40)
	for i, p := range pos {
		l.x[i] = int(float64((p.x-minX)*scale) + 0.5)
		l.y[i] = int(float64((p.y-minY)*scale) + 0.5)
	}
	l.unit = math.Round(float64(scale*1000)) / 1000
}
