package baseline

import (
	"slices"
	"strings"

	okapi "membench/internal/bm25"
	"membench/internal/rank"
	"membench/memory"
	"membench/memory/native"
	"membench/memory/op"
	"membench/memory/recall"
	"membench/memory/store"
	"membench/schema"
)

// m0graph are things, tied to relations. A relation is a record, and so part of snapshots.
type m0graph struct {
	things  lexicon
	users   []string // of things
	st      *store.Linear
	triples []m0triple // by position in st
	same    float64    // the cosine from which two names are one thing
	// seen keeps for each stored name the things similar to it, and how many things were
	// compared, so that a repeated name is compared with newer things only: about 100 bytes
	// a name and 16 for each similar thing.
	seen map[string]m0seen
}

type m0seen struct {
	things []recall.Scored
	upto   int // things that were looked at
}

type m0triple struct{ from, to int } // things; the relation is the record's

// graphChange is the change of a graph by an exchange.
type graphChange struct {
	outdated []int // triples
	add      []op.Triple
	vecs     map[string][]float32
}

// name is a thing's, as Mem0 writes it.
func m0name(s string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(s)), " ", "_")
}

// relate returns the relations that an exchange adds to the graph, and those that it makes outdated.
func (p *m0) relate(w *op.Work, o native.Observation) *graphChange {
	text := strings.Join(texts(op.Captioned(o.Turns), func(t schema.Turn) string { return t.Text }), "\n")
	things := w.Things(text)
	triples := w.Relations(things, text, o.Turns)
	for i := range triples {
		triples[i].Subject, triples[i].Object, triples[i].Relation = m0name(triples[i].Subject), m0name(triples[i].Object), m0name(triples[i].Relation)
	}
	if p.d.LLM == nil { // the rule finds things where it finds relations
		things = nil
		for _, t := range triples {
			things = append(things, t.Subject, t.Object)
		}
	}
	c := &graphChange{add: triples, vecs: map[string][]float32{}}
	names := texts(things, m0name)
	ask := names
	for _, t := range triples {
		ask = append(ask, t.Subject, t.Object)
	}
	if w.Vectors(c.vecs, ask...); w.Err != nil {
		return nil
	}
	var found [][]recall.Scored
	for _, n := range names {
		found = append(found, p.g.known(n, c.vecs[n]))
	}
	near := p.g.around(found, o.Batch.UserID)
	var known strings.Builder
	for _, i := range near {
		known.WriteString(p.g.st.At(i).Text + "\n")
	}
	gone := op.Member(w, op.PurposeOutdated, "relations", "KNOWN\n"+known.String()+"\nNEW\n"+text, func() (out []op.Triple) {
		for _, i := range near {
			if t := p.g.triple(i); slices.ContainsFunc(triples, func(n op.Triple) bool { return n.Contradicts(t) }) {
				out = append(out, t)
			}
		}
		return out
	})
	for _, x := range gone {
		for i := range p.g.triples {
			if (o.Batch.UserID == "" || o.Batch.UserID == p.g.users[p.g.triples[i].from]) && p.g.st.At(i).Status == memory.StatusActive && p.g.triple(i) == (op.Triple{Subject: m0name(x.Subject), Relation: m0name(x.Relation), Object: m0name(x.Object)}) {
				c.outdated = append(c.outdated, i)
			}
		}
	}
	return c
}

func (g *m0graph) triple(i int) op.Triple {
	return op.Triple{Subject: g.things.names[g.triples[i].from], Relation: g.st.At(i).Index, Object: g.things.names[g.triples[i].to]}
}

// known are the things whose names are near enough to a stored name's, of any user.
func (g *m0graph) known(name string, v []float32) []recall.Scored {
	s := g.seen[name]
	s.things, s.upto = append(slices.Clip(s.things), g.things.near(v, s.upto, g.same)...), len(g.users)
	g.seen[name] = s
	return s.things
}

// around are the live relations of things near to each name, the nearest first, at most 100 of
// each name. Relations of one thing have one score and are in the order of ties, so of each
// thing only the first 100 can be among them.
func (g *m0graph) around(names [][]recall.Scored, user string) (out []int) {
	const most = 100
	for _, things := range names {
		score := map[int]float64{}
		for _, n := range things {
			if user != "" && g.users[n.Pos] != user {
				continue
			}
			left := most
			for _, t := range g.things.of[n.Pos] {
				if g.st.At(t).Status == memory.StatusActive {
					score[t] = max(score[t], n.Score)
					if left--; left == 0 {
						break
					}
				}
			}
		}
		best := recall.Best(score)
		for _, c := range best[:min(most, len(best))] {
			if !slices.Contains(out, c.Pos) {
				out = append(out, c.Pos)
			}
		}
	}
	return out
}

// apply ends outdated relations, then adds new ones.
func (g *m0graph) apply(o native.Observation, c graphChange, r *memory.Receipt) {
	for _, i := range c.outdated {
		if at := g.st.At(i); at.Status == memory.StatusActive {
			g.st.Invalidate(i)
			r.Changes = append(r.Changes, memory.Change{Op: memory.OpDelete, ID: at.ID, Old: at.Text})
		}
	}
	for _, t := range c.add {
		if t.Subject == "" || t.Object == "" || t.Relation == "" {
			continue
		}
		from, to := g.resolve(t.Subject, c.vecs[t.Subject], o.Batch.UserID), g.resolve(t.Object, c.vecs[t.Object], o.Batch.UserID)
		g.connect(o, from, t.Relation, to, t.Turn, r)
	}
}

// resolve returns the thing with a name: the user's nearest that is near enough, or a new one.
func (g *m0graph) resolve(name string, v []float32, user string) int {
	best := recall.Scored{Pos: -1}
	for _, n := range g.known(name, v) {
		if g.users[n.Pos] == user && (best.Pos < 0 || n.Score > best.Score) {
			best = n
		}
	}
	if best.Pos >= 0 {
		return best.Pos
	}
	g.users = append(g.users, user)
	return g.things.add(name, v)
}

// connect adds a relation, or confirms a known one.
func (g *m0graph) connect(o native.Observation, from int, relation string, to, turn int, r *memory.Receipt) {
	sources := o.Sources
	if turn < len(o.Turns) && len(o.Turns) > 1 && turn > 0 {
		sources = o.Turns[turn].Sources
	}
	for _, i := range g.things.of[from] {
		if g.triples[i] != (m0triple{from, to}) || g.st.At(i).Index != relation {
			continue
		}
		at := g.st.At(i)
		if at.Status == memory.StatusActive {
			at.Sources = memory.Union(at.Sources, sources)
			r.Changes = append(r.Changes, memory.Change{Op: memory.OpNone, ID: at.ID, Old: at.Text})
			return
		}
	}
	rec := o.Record("triple")
	rec.Sources, rec.Attachments = sources, nil
	rec.Item.Text, rec.Index = g.things.names[from]+" -- "+relation+" -- "+g.things.names[to], relation
	pos := g.st.Add(rec, nil, r)
	g.triples = append(g.triples, m0triple{from, to})
	g.things.tie(from, pos)
	g.things.tie(to, pos)
}

// search finds relations of the things in a question.
func (p *m0) search(w *op.Work, q memory.Query) (out []memory.Hit) {
	var names []string
	for _, n := range w.Things(q.Text) {
		if n = m0name(n); n != "" && !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	var found [][]recall.Scored
	for _, v := range w.Embed(names...) {
		found = append(found, p.g.things.near(v, 0, p.g.same))
	}
	near := p.g.around(found, q.UserID)
	use := p.g.st.Eligible(q.UserID, q.AgentID)
	near = slices.DeleteFunc(near, func(i int) bool { return !use[i] })
	if len(near) == 0 {
		return nil
	}
	docs := make([][]string, len(near))
	for k, i := range near {
		t := p.g.triple(i)
		docs[k] = []string{t.Subject, t.Relation, t.Object}
		if p.o.Mode == native.Fixed {
			docs[k] = strings.FieldsFunc(strings.ToLower(strings.Join(docs[k], "_")), func(c rune) bool { return c == '_' || c == ' ' })
		}
	}
	query := strings.Split(q.Text, " ")
	if p.o.Mode == native.Fixed {
		query = strings.FieldsFunc(strings.ToLower(q.Text), func(c rune) bool { return strings.ContainsRune(" ,.?!'’", c) })
	}
	score := map[int]float64{}
	for k, x := range okapi.NewRanker(okapi.Okapi, 1.5, 0.75, docs).Scores(query) {
		score[len(near)-1-k] = rank.Round6(x) // published, the later of two equal ones is first
	}
	for _, c := range recall.Best(score) {
		if len(out) < p.o.Triples {
			out = append(out, p.g.st.Hit(near[len(near)-1-c.Pos], 0))
		}
	}
	return out
}
