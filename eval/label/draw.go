package label

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"membench/eval/explain"
	"membench/schema"
)

// The sets that answers are sampled from.
const (
	Failures = "failures" // failed according to the deciding grader: to see where answers are lost
	Doubtful = "doubtful" // where a judge could not read the answer with certainty
	All      = "all"      // every graded answer: to measure judges
)

// Draws lists them.
func Draws() []string { return []string{Failures, Doubtful, All} }

// Options of Draw.
type Options struct {
	From string // one of Draws
	N    int    // at most this many
	Seed uint64
	// Explain has the run's sessions and cases, and the grader that decides.
	Explain explain.Options
}

// candidate is an answer that may be drawn.
type candidate struct {
	key    Key
	hash   uint64
	place  float64 // in the draw: strata take turns
	strata [3]string
}

// Draw samples answers of records, which are read twice, and shows the information about each. Strata are system, data set and category. Failures and doubtful
// verdicts are sampled evenly: one of each stratum in turn, so that rare kinds are included. All answers are sampled in proportion, so that shares among the
// labels are shares of the run. Within a stratum the order is that of the keys hashed with the seed: neither order nor number of the records matters, and a
// smaller sample is the beginning of a larger one. Memory holds a key of each candidate.
func Draw(ctx context.Context, records schema.Seq[schema.QARecord], o Options) ([]Label, error) {
	if !slices.Contains(Draws(), o.From) {
		return nil, fmt.Errorf("a draw from %q: want one of %v", o.From, Draws())
	}
	list, err := candidates(ctx, records, o)
	if err != nil {
		return nil, err
	}
	at := map[Key]int{}
	for i, c := range list[:min(o.N, len(list))] {
		at[c.key] = i
	}
	out := make([]Label, len(at))
	if len(at) == 0 {
		return out, nil
	}
	for s, err := range explain.Sheets(ctx, records, o.Explain, func(r *schema.QARecord) bool { _, ok := at[KeyOf(r)]; return ok }) {
		if err != nil {
			if schema.IsFinding(err) {
				continue
			}
			return nil, err
		}
		l := Label{Sheet: s, Digest: digest(s.Answer), Draw: o.From}
		out[at[l.key()]] = l
	}
	return out, nil
}

// candidates are the answers that may be drawn, in the order of the draw.
func candidates(ctx context.Context, records schema.Seq[schema.QARecord], o Options) ([]candidate, error) {
	var list []candidate
	seen := map[Key]bool{}
	size := map[[3]string]int{}
	for r, err := range records {
		err = cmp.Or(err, ctx.Err())
		if err != nil {
			if schema.IsFinding(err) {
				continue // the reader of the records reports it
			}
			return nil, err
		}
		k := KeyOf(&r.V)
		if seen[k] || !o.takes(&r.V) {
			continue
		}
		seen[k] = true
		sum := sha256.Sum256(fmt.Appendf(nil, "%d\x00%s\x00%s\x00%s\x00%d\x00%s", o.Seed, k.System, k.Dataset, k.CaseID, k.Repeat, k.QuestionID))
		c := candidate{key: k, hash: binary.BigEndian.Uint64(sum[:8]), strata: [3]string{r.V.System, r.V.Dataset, r.V.Category}}
		size[c.strata]++
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b candidate) int {
		return cmp.Or(slices.Compare(a.strata[:], b.strata[:]), cmp.Compare(a.hash, b.hash))
	})
	for i, n := 0, 0; i < len(list); i++ {
		if i > 0 && list[i].strata != list[i-1].strata {
			n = 0
		}
		list[i].place = float64(n)
		if o.From == All {
			list[i].place = (float64(n) + .5) / float64(size[list[i].strata])
		}
		n++
	}
	slices.SortStableFunc(list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.hash, b.hash))
	})
	return list, nil
}

func (o *Options) takes(r *schema.QARecord) bool {
	grade, failed := o.Explain.Deciding(r)
	switch o.From {
	case Failures:
		return failed
	case Doubtful:
		return slices.ContainsFunc(r.Grades, func(g schema.Grade) bool { return g.Doubt != "" && g.Gold == "" })
	}
	return grade != nil
}
