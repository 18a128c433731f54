package compare

import (
	"crypto/sha256"
	"maps"
	"slices"
	"strings"

	"membench/schema"
)

// A textID is a question's words, without regard to blanks.
type textID [12]byte

func textOf(q *schema.QARecord) (id textID) {
	if words := strings.Fields(q.Question); len(words) > 0 {
		sum := sha256.Sum256([]byte(strings.Join(words, " ")))
		copy(id[:], sum[:])
	}
	return id
}

// pairByText gives questions of later runs the ids of earlier runs of their data set, if the ids differ and the text belongs to only one question: in the same
// conversation, or in the whole data set.
func pairByText(runs []*Run) {
	known := map[string]map[string]textID{} // by data set: texts by id
	for _, r := range runs {
		of := known[r.Dataset]
		if of == nil {
			of = map[string]textID{}
			known[r.Dataset] = of
		}
		for _, whole := range []bool{false, true} {
			r.rename(match(r.texts, of, whole))
		}
		maps.Copy(of, r.texts)
	}
}

// match finds for the ids that only one side has the only id of the other side with their text.
func match(mine, known map[string]textID, whole bool) map[string]string {
	type words struct {
		caseID string
		text   textID
	}
	index := func(of, other map[string]textID) map[words]string {
		out := map[words]string{}
		for key, text := range of {
			if _, both := other[key]; both || text == (textID{}) {
				continue
			}
			w := words{text: text}
			if !whole {
				w.caseID, _, _ = strings.Cut(key, "\x00")
			}
			if _, twice := out[w]; twice {
				key = ""
			}
			out[w] = key
		}
		return out
	}
	theirs, out := index(known, mine), map[string]string{}
	for w, key := range index(mine, known) {
		if to := theirs[w]; key != "" && to != "" {
			out[key] = to
		}
	}
	return out
}

// rename gives questions other ids.
func (r *Run) rename(to map[string]string) {
	if len(to) == 0 {
		return
	}
	r.prints.Rename(to)
	all := slices.Collect(maps.Values(r.measures))
	for _, by := range []map[string]map[schema.By]answers{r.grades, r.anew} {
		for _, of := range by {
			all = slices.AppendSeq(all, maps.Values(of))
		}
	}
	for _, of := range all {
		for key, next := range to {
			if a := of[key]; a != nil {
				a.caseID, _, _ = strings.Cut(next, "\x00")
				of[next] = a
				delete(of, key)
			}
		}
	}
	for key, next := range to {
		r.texts[next] = r.texts[key]
		delete(r.texts, key)
		r.renamed[key] = next
	}
}

// key is the id of a question among all runs.
func (r *Run) key(q *schema.QARecord) string {
	key := questionKey(q)
	if next, ok := r.renamed[key]; ok {
		return next
	}
	return key
}
