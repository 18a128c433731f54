package baseline

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"membench/internal/textnorm"
	"membench/memory"
	"membench/memory/native"
	"membench/memory/op"
	"membench/memory/recall"
	"membench/memory/store"
	"membench/schema"
)

// graphitiWork is the set of changes of an episode.
type graphitiWork struct {
	*op.Work
	p       *graphiti
	o       native.Observation
	id      map[string]int // things by normalised name, new ones after the known
	fresh   []string       // new things
	vecs    [][]float32    // of new things' names
	ends    []int          // facts that end
	until   []string
	again   []int // facts that are said again
	add     []held
	vecAdd  [][]float32
	summary map[int]string // of things
}

// resolve finds the things of names: by the same name, by nearly the same letters, or by
// the model where a name is near to known ones.
func (w *graphitiWork) resolve(names []string) {
	var open []string
	for _, n := range names {
		key := textnorm.Key(n)
		if _, done := w.id[key]; done || key == "" {
			continue
		}
		if i, ok := w.p.names[key]; ok {
			w.id[key] = i
		} else if i := w.p.alike(key); i >= 0 {
			w.id[key] = i
		} else {
			w.id[key] = -1
			open = append(open, strings.TrimSpace(n))
		}
	}
	vecs := w.Embed(open...)
	same := w.doubtful(open, vecs)
	if w.Err != nil {
		return
	}
	for i, n := range open {
		if at, ok := same[i]; ok {
			w.id[textnorm.Key(n)] = at
			continue
		}
		w.id[textnorm.Key(n)] = w.p.nodes.Len() + len(w.fresh)
		w.fresh, w.vecs = append(w.fresh, n), append(w.vecs, vecs[i])
	}
}

// doubtful asks the model about names that are near to known ones; by rule they are new.
func (w *graphitiWork) doubtful(open []string, vecs [][]float32) map[int]int {
	if w.p.d.LLM == nil {
		return nil
	}
	var b strings.Builder
	near := make([][]int, len(open))
	for i, v := range vecs {
		for _, c := range recall.Nearest(w.p.nodes, v, 15, nil) {
			if c.Score >= w.p.o.Same {
				near[i] = append(near[i], c.Pos)
			}
		}
		if len(near[i]) > 0 {
			fmt.Fprintf(&b, "%d. %s; known:", i+1, open[i])
			for _, pos := range near[i] {
				fmt.Fprintf(&b, " [%d] %s", pos, w.p.nodes.At(pos).Index)
			}
			b.WriteString("\n")
		}
	}
	if b.Len() == 0 {
		return nil
	}
	type same struct {
		N  int `json:"n"`
		As int `json:"as"`
	}
	out := map[int]int{}
	for _, x := range op.Member(w.Work, op.PurposeResolve, "same", b.String(), func() []same { return nil }) {
		if i := x.N - 1; i >= 0 && i < len(open) && slices.Contains(near[i], x.As) {
			out[i] = x.As
		}
	}
	return out
}

// alike returns the known thing whose name is spelled almost the same: 0.9 of the trigrams, for names long and varied enough to decide; -1 for none.
func (p *graphiti) alike(key string) int {
	if entropy(key) < 1.5 || len([]rune(key)) < 6 && len(strings.Fields(key)) < 2 {
		return -1
	}
	groups := shingles(key)
	rare := slices.SortedStableFunc(slices.Values(groups), func(a, b string) int { return len(p.grams[a]) - len(p.grams[b]) })
	best := -1
	for _, g := range rare[:len(rare)/10+1] { // a name without any of these lacks more than a tenth
		for _, i := range p.grams[g] {
			if best >= 0 && i >= best {
				break
			}
			if op.Share(groups, shingles(textnorm.Key(p.nodes.At(i).Index))) >= 0.9 {
				best = i
			}
		}
	}
	return best
}

// shingles are the groups of three letters of a name, each once.
func shingles(s string) (out []string) {
	r := []rune(strings.ReplaceAll(s, " ", ""))
	for i := 0; i+3 <= len(r); i++ {
		out = append(out, string(r[i:i+3]))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// entropy of a name's characters, in bits.
func entropy(s string) (h float64) {
	n := map[rune]float64{}
	all := 0.0
	for _, r := range strings.ReplaceAll(s, " ", "") {
		n[r]++
		all++
	}
	for _, r := range slices.Sorted(maps.Keys(n)) {
		h -= n[r] / all * math.Log2(n[r]/all)
	}
	return h
}

// judge determines for each fact whether it is known, and which known facts it ends.
func (w *graphitiWork) judge(facts []edgeAnswer) {
	facts = slices.DeleteFunc(facts, func(f edgeAnswer) bool {
		from, ok := w.id[textnorm.Key(f.Source)]
		to, and := w.id[textnorm.Key(f.Target)]
		return !ok || !and || from == to || strings.TrimSpace(f.Fact) == ""
	})
	for i, v := range w.Embed(texts(facts, func(f edgeAnswer) string { return f.Fact })...) {
		f := facts[i]
		h := held{from: w.id[textnorm.Key(f.Source)], to: w.id[textnorm.Key(f.Target)], relation: f.Relation, fact: f.Fact, span: op.Span{From: f.From, Until: f.Until}}
		if w.p.o.Mode == native.Fixed {
			h.span.From = cmp.Or(f.From, w.o.Time)
		}
		same, near := w.known(h, v)
		var against []int
		if same < 0 {
			same, against = w.compare(h, near)
		}
		if same >= 0 {
			w.again = append(w.again, same)
			continue
		}
		w.contradict(&h, against)
		w.add, w.vecAdd = append(w.add, h), append(w.vecAdd, v)
	}
}

// known returns the fact that a new one repeats verbatim (-1: none), and the facts to compare it with: those between the same two things, and by rule others of
// its source, for a model those of a search over all.
func (w *graphitiWork) known(h held, v []float32) (same int, near []int) {
	var pair, others []int
	same = -1
	key := textnorm.Key(h.fact)
	for _, i := range w.p.touching[h.from] {
		x := &w.p.held[i]
		gone := x.ended && w.p.o.Mode == native.Fixed
		switch {
		case x.from == h.from && x.to == h.to && textnorm.Key(x.fact) == key && !gone:
			same = i
		case x.from == h.from && x.to == h.to || x.from == h.to && x.to == h.from:
			pair = append(pair, i)
		case x.from == h.from:
			others = append(others, i)
		}
	}
	if w.p.d.LLM == nil {
		return same, append(pair[max(0, len(pair)-10):], others[max(0, len(others)-10):]...)
	}
	for _, c := range recall.Among(len(pair), 10, func(i int) (float64, bool) { x := recall.Dot(v, w.p.edges.Vector(pair[i])); return x, x >= w.p.o.Near }) {
		near = append(near, pair[c.Pos])
	}
	found := w.p.search(&recall.State{Store: w.p.edges}, v, h.fact, 10)
	for _, c := range found[:min(10, len(found))] {
		if !slices.Contains(near, c.Pos) {
			near = append(near, c.Pos)
		}
	}
	return same, near
}

// compare returns which of the near facts a new one repeats (-1: none), and which it contradicts.
func (w *graphitiWork) compare(h held, near []int) (same int, against []int) {
	if len(near) == 0 {
		return -1, nil
	}
	type answer struct {
		Same    []int `json:"same"`
		Against []int `json:"contradicted"`
	}
	var b strings.Builder
	fmt.Fprintf(&b, "NEW (%s)\n%s\n\nKNOWN\n", h.span.From, h.fact)
	for i, n := range near {
		fmt.Fprintf(&b, "%d. %s (%s)\n", i+1, w.p.held[n].fact, w.p.held[n].span.From)
	}
	a := op.JSON(w.Work, op.PurposeCompare, b.String(), nil, func() (a answer) {
		new, said := h.triple(), op.NewStatement(h.fact)
		for i, n := range near {
			old := w.p.held[n].triple()
			if said.Compare(op.NewStatement(old.Fact)) == op.Same && new.Negated == old.Negated {
				a.Same = append(a.Same, i+1)
			} else if new.Contradicts(old) {
				a.Against = append(a.Against, i+1)
			}
		}
		return a
	})
	same = -1
	if known := op.Picked(a.Same, near); len(known) > 0 {
		same = known[0]
	}
	return same, op.Picked(a.Against, near)
}

// triple is a fact for the rule that finds contradictions. Things are distinguished by number.
func (h held) triple() op.Triple {
	relation, negated := strings.CutPrefix(h.relation, "NOT_")
	return op.Triple{Subject: fmt.Sprint(h.from), Relation: relation, Object: fmt.Sprint(h.to), Fact: h.fact, Negated: negated}
}

// contradict ends the older of two facts that cannot both hold.
func (w *graphitiWork) contradict(h *held, against []int) {
	for _, i := range against {
		old := w.p.held[i].span
		oldEnds, until, ok := op.Invalidate(h.span, old)
		if !ok && w.p.o.Mode == native.Fixed && old.Until == "" { // times equal or missing: the later statement is kept
			oldEnds, until, ok = true, cmp.Or(h.span.From, w.o.Time), true
		}
		switch {
		case ok && oldEnds:
			w.ends, w.until = append(w.ends, i), append(w.until, until)
		case ok:
			h.span.Until, h.ended = until, true
		}
	}
}

// describe rewrites the description of each thing of the episode.
func (w *graphitiWork) describe() {
	w.summary = map[int]string{}
	for _, id := range slices.Compact(slices.Sorted(maps.Values(w.id))) {
		old := ""
		if id < w.p.nodes.Len() {
			_, old, _ = strings.Cut(w.p.nodes.At(id).Text, ": ")
		}
		var said []string
		for _, h := range w.add {
			if h.from == id || h.to == id {
				said = append(said, h.fact)
			}
		}
		if len(said) == 0 {
			continue
		}
		w.summary[id] = w.Summary(op.PurposeSummary, old, said, 60, nil)
	}
}

func (w *graphitiWork) commit(v []float32, r *memory.Receipt) {
	p := w.p
	episode := p.episodes.At(p.episodes.Add(w.o.Record("episode"), v, r))
	from := func(kind, text, index string) store.Record {
		x := w.o.Record(kind)
		x.Item.Text, x.Index, x.Attachments, x.Links = text, index, nil, []schema.PointID{episode.ID}
		return x
	}
	for i, n := range w.fresh {
		for _, g := range shingles(textnorm.Key(n)) {
			p.grams[g] = append(p.grams[g], p.nodes.Len())
		}
		p.nodes.AppendVector(from("entity", n, n), w.vecs[i])
	}
	maps.Copy(p.names, w.id)
	for _, id := range slices.Sorted(maps.Keys(w.summary)) {
		at := p.nodes.At(id)
		old := at.Text
		at.Text = at.Index + ": " + w.summary[id]
		p.stands(at, episode)
		r.Changes = append(r.Changes, memory.Change{Op: memory.OpUpdate, ID: at.ID, Old: old, New: at.Text})
	}
	for _, i := range w.again {
		at := p.edges.At(i)
		p.stands(at, episode)
		r.Changes = append(r.Changes, memory.Change{Op: memory.OpNone, ID: at.ID, Old: at.Text})
	}
	for k, i := range w.ends {
		p.held[i].span.Until, p.held[i].ended = w.until[k], true
		p.invalidate(i)
		r.Changes = append(r.Changes, memory.Change{Op: memory.OpDelete, ID: p.edges.At(i).ID, Old: p.held[i].fact})
	}
	for i, h := range w.add {
		x := from("edge", h.fact, strings.ReplaceAll(h.relation, "_", " ")+" "+h.fact)
		x.Time = cmp.Or(h.span.From, x.Time)
		pos := p.edges.Add(x, w.vecAdd[i], r)
		p.held = append(p.held, h)
		for _, e := range []int{h.from, h.to} {
			p.touching[e] = append(p.touching[e], pos)
		}
		p.invalidate(pos)
	}
}

// invalidate makes history of a fact that ended; published it is found like others.
func (p *graphiti) invalidate(i int) {
	if p.held[i].ended && p.o.Mode == native.Fixed {
		p.edges.Invalidate(i)
	}
}

// stands records that a record is also based on an episode.
func (p *graphiti) stands(at, episode *store.Record) {
	at.Sources = memory.Union(at.Sources, episode.Sources)
	if !slices.Contains(at.Links, episode.ID) {
		at.Links = append(slices.Clip(at.Links), episode.ID)
	}
}
