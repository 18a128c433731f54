package datasets

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"

	"membench/schema"
)

// A Sampling is a stratified choice of questions; its stored form reproduces it.
type Sampling struct {
	Seed   uint64         `json:"seed"`
	N      int            `json:"n"`      // asked for
	Taken  int            `json:"taken"`  // fewer if fewer are available
	Of     int            `json:"of"`     // questions there were
	Strata map[string]int `json:"strata"` // taken of each raw category
	IDs    []string       `json:"question_ids"`
	has    map[string]bool
}

type drawn struct {
	id  string
	key uint64
}

// A Sampler collects ids: about 60 bytes and the id for each question.
type Sampler struct{ strata map[string][]drawn }

// Add takes the questions of a case.
func (s *Sampler) Add(c schema.Case, seed uint64) {
	if s.strata == nil {
		s.strata = map[string][]drawn{}
	}
	for _, q := range c.Questions {
		name := q.Category + " " + q.RawCategory
		s.strata[name] = append(s.strata[name], drawn{q.ID, rankOf(seed, q.ID)})
	}
}

// rankOf places an id by a hash of seed and id: independent of the order of files,
// and the same on every machine.
func rankOf(seed uint64, id string) uint64 {
	b := binary.LittleEndian.AppendUint64(nil, seed)
	sum := sha256.Sum256(append(b, id...))
	return binary.LittleEndian.Uint64(sum[:8])
}

// Draw chooses n questions, from each raw category in proportion (largest remainders;
// ties by name), in each those with the smallest hashes.
func (s *Sampler) Draw(n int, seed uint64) Sampling {
	out := Sampling{Seed: seed, N: n, Strata: map[string]int{}, IDs: []string{}, has: map[string]bool{}}
	type share struct {
		name      string
		take      int
		remainder int
	}
	var names []share
	for name, d := range s.strata {
		out.Of += len(d)
		names = append(names, share{name: name})
	}
	n = min(n, out.Of)
	left := n
	for i := range names {
		size := len(s.strata[names[i].name])
		names[i].take, names[i].remainder = n*size/out.Of, n*size%out.Of
		left -= names[i].take
	}
	slices.SortFunc(names, func(a, b share) int {
		return cmp.Or(cmp.Compare(b.remainder, a.remainder), strings.Compare(a.name, b.name))
	})
	for i := range names {
		if left > 0 && names[i].take < len(s.strata[names[i].name]) {
			names[i].take++
			left--
		}
		d := s.strata[names[i].name]
		slices.SortFunc(d, func(a, b drawn) int {
			return cmp.Or(cmp.Compare(a.key, b.key), strings.Compare(a.id, b.id))
		})
		for _, x := range d[:names[i].take] {
			out.IDs = append(out.IDs, x.id)
			out.has[x.id] = true
		}
		out.Strata[names[i].name] = names[i].take
	}
	slices.Sort(out.IDs)
	out.Taken = len(out.IDs)
	return out
}

// Cut leaves the drawn questions in a case; false when none is.
func (s Sampling) Cut(c *schema.Case) bool {
	c.Questions = slices.DeleteFunc(c.Questions, func(q schema.Question) bool { return !s.has[q.ID] })
	return len(c.Questions) > 0
}

// DrawFrom reads a stream and chooses n of its questions.
func DrawFrom(in schema.Seq[schema.Case], n int, seed uint64) (Sampling, error) {
	var s Sampler
	for r, err := range in {
		if err != nil {
			return Sampling{}, err
		}
		s.Add(r.V, seed)
	}
	return s.Draw(n, seed), nil
}

// From cuts the cases of a stream to the chosen questions. Findings are skipped: they
// were met when the questions were drawn.
func (s Sampling) From(in schema.Seq[schema.Case]) schema.Seq[schema.Case] {
	return func(yield func(schema.Record[schema.Case], error) bool) {
		for r, err := range in {
			if schema.IsFinding(err) || err == nil && !s.Cut(&r.V) {
				continue
			}
			if !yield(r, err) {
				return
			}
		}
	}
}
