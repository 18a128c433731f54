// Package store keeps the records of native memory systems: one list in the order of
// storing, with a word index and a vector index over it where a system wants them.
package store

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"

	"membench/internal/bm25"
	"membench/internal/vector"
	"membench/llm"
	"membench/memory"
	"membench/schema"
)

// A Record is an item with the data that retrieval needs.
type Record struct {
	memory.Item
	Speaker         string // the speaker; "" if there are several or none
	Role            string // of the speaker
	Index           string // the text that the word index sees; "" means Text
	UserID, AgentID string
	Metadata        schema.Object // of the batch
	Created         string        // created_at of the export
}

func (r *Record) indexed() string {
	if r.Index != "" {
		return r.Index
	}
	return r.Text
}

// Options of a list.
type Options struct {
	Scope string       // begins every id, so that ids are unique in a run
	Words *Words       // nil: no word index
	Embed llm.Embedder // nil: no vectors
}

// Words are the settings of a word index; zero members mean internal/bm25's own.
type Words struct {
	K1, B float64
	Terms func(text string) []string
}

// A Linear list holds records by position, in the order of storing. A record takes about 300 bytes in addition to the texts, 4 bytes per dimension with
// vectors, and 12 bytes per distinct term with words.
type Linear struct {
	o      Options
	recs   []Record
	live   []bool
	open   []bool  // live and not invalid
	owner  []int32 // by position, in owners
	owners map[owner]int32
	byID   map[schema.PointID]int
	words  bm25.Index
	vecs   vector.Index
	names  []string // speakers, in the order they came
	mixed  bool     // ids do not rise with the positions
}

// An owner is whom a record belongs to; queries may name one.
type owner struct{ user, agent string }

// New makes an empty list.
func New(o Options) *Linear {
	l := &Linear{o: o, byID: map[schema.PointID]int{}, owners: map[owner]int32{}}
	if o.Words != nil {
		l.words = bm25.Index{K1: o.Words.K1, B: o.Words.B, Cut: o.Words.Terms}
	}
	return l
}

// ID is the id of the n-th thing stored in scope, from 1. Ids of one scope sort in the
// order of storing.
func ID(scope string, n int) schema.PointID {
	return schema.PointID(fmt.Sprintf("%s:%08d", scope, n))
}

// Next is the id that the next record of the list gets.
func (l *Linear) Next() schema.PointID { return ID(l.o.Scope, len(l.recs)+1) }

// Embed is the embedder of the list, nil when it has none.
func (l *Linear) Embed() llm.Embedder { return l.o.Embed }

// AppendVector stores r with its vector, nil in a list without; an empty ID is filled in.
func (l *Linear) AppendVector(r Record, v []float32) (pos int) {
	if r.ID == "" {
		r.ID = l.Next()
	}
	r.Status = cmp.Or(r.Status, memory.StatusActive)
	if v != nil {
		l.vecs.Add(v)
	}
	pos = len(l.recs)
	l.mixed = l.mixed || pos > 0 && r.ID <= l.recs[pos-1].ID
	if l.o.Words != nil {
		l.words.Set(pos, r.indexed())
	}
	l.recs, l.live = append(l.recs, r), append(l.live, true)
	l.open = append(l.open, r.Status != memory.StatusInvalid)
	l.owner = append(l.owner, l.ownerOf(owner{r.UserID, r.AgentID}))
	l.byID[r.ID] = pos
	if r.Speaker != "" && !slices.Contains(l.names, r.Speaker) {
		l.names = append(l.names, r.Speaker)
	}
	return pos
}

// Add is AppendVector, noted as an addition.
func (l *Linear) Add(r Record, v []float32, done *memory.Receipt) (pos int) {
	pos = l.AppendVector(r, v)
	done.Changes = append(done.Changes, memory.Change{Op: memory.OpAdd, ID: l.recs[pos].ID, New: r.Text})
	return pos
}

// ownerOf is the number of an owner.
func (l *Linear) ownerOf(o owner) int32 {
	i, ok := l.owners[o]
	if !ok {
		i = int32(len(l.owners))
		l.owners[o] = i
	}
	return i
}

// One embeds a single text and checks the result.
func One(ctx context.Context, e llm.Embedder, used *llm.Usage, text string) ([]float32, error) {
	v, err := Many(ctx, e, used, []string{text})
	if err != nil {
		return nil, err
	}
	return v[0], nil
}

// Many embeds texts, adds the usage, and checks that each text has its vector. An empty list costs nothing.
func Many(ctx context.Context, e llm.Embedder, used *llm.Usage, texts []string) ([][]float32, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	out, err := llm.Embed(ctx, e, texts)
	*used = used.Add(out.Usage)
	if err == nil && len(out.Vectors) != len(texts) {
		err = fmt.Errorf("embedding %d texts with %s: have %d vectors", len(texts), e.Profile(), len(out.Vectors))
	}
	return out.Vectors, err
}

// On is a record that rests on those at the positions: of like's session, time and owner,
// with the sources of all and links to them.
func (l *Linear) On(kind string, like *Record, from []int) Record {
	rec := *like
	rec.Item = memory.Item{Kind: kind, Session: like.Session, Status: memory.StatusActive, Time: like.Time, Meta: like.Meta}
	rec.Index, rec.Speaker, rec.Role = "", "", ""
	for _, i := range from {
		rec.Sources, rec.Links = memory.Union(rec.Sources, l.recs[i].Sources), append(rec.Links, l.recs[i].ID)
	}
	return rec
}

// Rewrite returns next in place of old, with the sources of both; the change is recorded. An old record without an id is ignored.
func Rewrite(old, next Record, done *memory.Receipt) Record {
	change := memory.Change{Op: memory.OpAdd, ID: next.ID, New: next.Text}
	if old.ID != "" {
		next.ID = old.ID
		change = memory.Change{Op: memory.OpUpdate, ID: old.ID, Old: old.Text, New: next.Text}
		next.Sources, next.Links = memory.Union(old.Sources, next.Sources), append(slices.Clone(old.Links), next.Links...)
	}
	done.Changes = append(done.Changes, change)
	return next
}

// For reports whether the record belongs to those that a query names.
func (r *Record) For(q memory.Query) bool {
	return (q.UserID == "" || q.UserID == r.UserID) && (q.AgentID == "" || q.AgentID == r.AgentID)
}

// Speakers are the names of who spoke, in the order they came.
func (l *Linear) Speakers() []string { return l.names }

// Len counts the positions, removed ones too.
func (l *Linear) Len() int { return len(l.recs) }

// InOrder reports whether ids rise with the positions, as ids that the list mints do.
func (l *Linear) InOrder() bool { return !l.mixed }

// Live reports whether position i still holds a record.
func (l *Linear) Live(i int) bool { return l.live[i] }

// Eligible reports for every position whether its record may answer a query: it is still valid, and belongs to the given user and agent ("": any). It
// must not be changed, and is valid as long as the list.
func (l *Linear) Eligible(user, agent string) []bool {
	if user == "" && agent == "" {
		return l.open
	}
	of := make([]bool, len(l.owners))
	for o, i := range l.owners {
		of[i] = (user == "" || o.user == user) && (agent == "" || o.agent == agent)
	}
	out := make([]bool, len(l.open))
	for i, ok := range l.open {
		out[i] = ok && of[l.owner[i]]
	}
	return out
}

// At is the record at position i; it may be changed but for its id, indexed text, status,
// user and agent.
func (l *Linear) At(i int) *Record { return &l.recs[i] }

// Find is the position of a live record.
func (l *Linear) Find(id schema.PointID) (int, bool) {
	i, ok := l.byID[id]
	return i, ok && l.live[i]
}

// Remove takes the record at i out of the list; its position stays empty.
func (l *Linear) Remove(i int) {
	if l.live[i] {
		l.live[i], l.open[i] = false, false
		l.words.Remove(i)
	}
}

// Invalidate keeps the record at i as history: it no longer holds, and answers nothing.
func (l *Linear) Invalidate(i int) {
	l.recs[i].Status, l.open[i] = memory.StatusInvalid, false
}

// Vector is the vector at position i; it must not be changed.
func (l *Linear) Vector(i int) []float32 { return l.vecs.At(i) }

// SetVector replaces the vector at position i.
func (l *Linear) SetVector(i int, v []float32) { l.vecs.Set(i, v) }

// Cosines writes the cosine of q to every position into dst, grown as needed. A vector
// of another length than the list's is an error of the caller.
func (l *Linear) Cosines(dst []float64, q []float32) []float64 { return l.vecs.Dots(dst, q) }

// WordScores writes every position's BM25 score into dst, grown as needed; distinct
// query terms count once.
func (l *Linear) WordScores(dst []float64, query string) []float64 {
	return l.words.Dense(dst, query, len(l.recs))
}

// All yields the live records in the order of storing.
func (l *Linear) All() iter.Seq2[int, *Record] {
	return func(yield func(int, *Record) bool) {
		for i := range l.recs {
			if l.live[i] && !yield(i, &l.recs[i]) {
				return
			}
		}
	}
}

// Since copies the records behind the first n, of a list that none was removed from.
func (l *Linear) Since(n int) []Record { return slices.Clone(l.recs[n:]) }

// Records copies the live records, in the order of storing.
func (l *Linear) Records() []Record {
	out := make([]Record, 0, len(l.recs))
	for _, r := range l.All() {
		out = append(out, *r)
	}
	return out
}

// Clone copies the list; changes of one do not affect the other.
func (l *Linear) Clone() *Linear {
	c := &Linear{o: l.o, byID: maps.Clone(l.byID), mixed: l.mixed, recs: slices.Clone(l.recs), live: slices.Clone(l.live), open: slices.Clone(l.open), owner: slices.Clone(l.owner), owners: maps.Clone(l.owners)}
	c.words, c.vecs, c.names = l.words.Clone(), l.vecs.Clone(), slices.Clone(l.names)
	return c
}

// Hit makes a hit of the record at i.
func (l *Linear) Hit(i int, score float64) memory.Hit { return l.recs[i].Hit(score) }

// Hit makes a hit of the record.
func (r *Record) Hit(score float64) memory.Hit {
	return memory.Hit{ID: r.ID, Text: r.Text, Score: score, Sources: slices.Clone(r.Sources), Meta: r.Meta}
}
