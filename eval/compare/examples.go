package compare

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"slices"
	"strings"

	"membench/eval/figure"
	"membench/schema"
)

// An Example is a question that one of two runs answered better.
type Example struct {
	Better   string `json:"better"` // name of the run
	CaseID   string `json:"case_id"`
	ID       string `json:"question_id"`
	Category string `json:"category"` // the data set's own label
	Question string `json:"question"`
	Gold     string `json:"gold"`
	A        Shown  `json:"a"`
	B        Shown  `json:"b"`
}

// Shown is one answer to an example and its grader's verdict, from the first repeat. Score is the mean over repeats.
type Shown struct {
	Answer  string   `json:"answer"`
	Outcome string   `json:"outcome"`
	Score   *float64 `json:"score"`
	Label   string   `json:"label,omitzero"`
	Reason  string   `json:"reason,omitzero"`
	Facts   []string `json:"facts,omitempty"`
	Hop     string   `json:"hop,omitzero"` // hop at which eval explain found the loss
	read    bool
}

// Wanted are the questions whose texts are to be read: runs keep scores, no texts, so
// that examples need the records a second time.
type Wanted struct {
	protocol string
	by       schema.By
	byKey    map[*Run]map[string][]*Shown
	about    map[string][]*Example // by question
}

// Examples selects, for each pair of a report, up to n questions that A answered better and n that B did: the largest differences, ties by a random order that
// depends only on the question. runs are the compared runs, in the same order. The result selects the records of every run: see Read.
func Examples(rep *Report, runs []*Run, o Options, n int) (*Wanted, error) {
	_, by, _ := strings.Cut(o.Protocol, " by ")
	w := &Wanted{rep.Protocol, schema.By(by), map[*Run]map[string][]*Shown{}, map[string][]*Example{}}
	at := 0
	for i, a := range runs {
		for _, b := range runs[i+1:] {
			x, _, err := a.graded(rep.Protocol, schema.By(by))
			if err != nil {
				return nil, err
			}
			y, _, err := b.graded(rep.Protocol, schema.By(by))
			if err != nil {
				return nil, err
			}
			p := &rep.Pairs[at]
			at++
			p.Examples = slices.Concat(choose(x, y, rep.Apart, n, a.Name), choose(y, x, rep.Apart, n, b.Name))
			for k := range p.Examples {
				w.want(&p.Examples[k], a, b, x, y)
			}
		}
	}
	return w, nil
}

// LostExamples selects, for each failed gate of a protocol, up to n lost questions. base and runs are those of Hold.
func LostExamples(list []Gated, base, runs []*Run, n int) (out []*Wanted, err error) {
	for i := range list {
		x := &list[i]
		if measures[x.Metric] != nil || x.Outcome == NotWorse || x.Gone {
			continue
		}
		r := runs[slices.IndexFunc(runs, func(r *Run) bool { return r.Name == x.Run && r.Dataset == x.Dataset })]
		b, err := baseline(base, runs, r)
		if err != nil {
			return nil, err
		}
		want, by, _ := strings.Cut(x.Metric, " by ")
		id, err := pick([]*Run{r, b}, want)
		if err != nil {
			return nil, err
		}
		now, _, err := r.graded(id, schema.By(by))
		if err != nil {
			return nil, err
		}
		was, _, err := b.graded(id, schema.By(by))
		if err != nil {
			return nil, err
		}
		w := &Wanted{id, schema.By(by), map[*Run]map[string][]*Shown{}, map[string][]*Example{}}
		x.Examples = choose(was, now, nil, n, b.Name)
		for k := range x.Examples {
			w.want(&x.Examples[k], r, b, now, was)
		}
		out = append(out, w)
	}
	return out, nil
}

// choose takes the n questions at which better is most ahead of other.
func choose(better, other answers, apart []string, n int, name string) []Example {
	type ahead struct {
		key  string
		by   float64
		draw uint64
	}
	var list []ahead
	for key, a := range better {
		s, ok := a.score()
		t, also := other[key].score()
		if ok && also && s > t && !slices.Contains(apart, a.category) {
			h := sha256.Sum256([]byte(key))
			list = append(list, ahead{key, s - t, binary.BigEndian.Uint64(h[:])})
		}
	}
	slices.SortFunc(list, func(x, y ahead) int {
		return cmp.Or(cmp.Compare(y.by, x.by), cmp.Compare(x.draw, y.draw), cmp.Compare(x.key, y.key))
	})
	out := make([]Example, 0, min(n, len(list)))
	for _, x := range list[:min(n, len(list))] {
		caseID, id, _ := strings.Cut(x.key, "\x00")
		out = append(out, Example{Better: name, CaseID: caseID, ID: id, Category: better[x.key].category})
	}
	return out
}

func (w *Wanted) want(x *Example, a, b *Run, of, other answers) {
	key := x.CaseID + "\x00" + x.ID
	w.about[key] = append(w.about[key], x)
	for _, side := range []struct {
		run *Run
		to  *Shown
		of  answers
	}{{a, &x.A, of}, {b, &x.B, other}} {
		if s, ok := side.of[key].score(); ok {
			side.to.Score = &s
		}
		if w.byKey[side.run] == nil {
			w.byKey[side.run] = map[string][]*Shown{}
		}
		w.byKey[side.run][key] = append(w.byKey[side.run][key], side.to)
	}
}

// Read fills the examples from the records that runs were read from. Findings are
// passed over: the first reading reported them.
func (w *Wanted) Read(in schema.Seq[schema.QARecord], runs []*Run) error {
	for rec, err := range in {
		if err != nil {
			var f *schema.Finding
			if !errors.As(err, &f) {
				return err
			}
			if !f.Warning {
				continue
			}
		}
		q := &rec.V
		for _, r := range runs {
			key := r.key(q)
			if r.System != q.System || r.Dataset != q.Dataset || w.about[key] == nil {
				continue
			}
			for _, s := range w.byKey[r][key] {
				s.fill(q, w.protocol, w.by)
			}
			for _, x := range w.about[key] {
				x.Question, x.Gold = q.Question, q.Gold
			}
		}
	}
	return nil
}

func (s *Shown) fill(q *schema.QARecord, protocol string, by schema.By) {
	if s.read {
		return
	}
	s.read = true
	s.Answer, s.Outcome = q.Answer, q.Outcome
	if q.Attribution != nil {
		s.Hop = q.Attribution.Hop
	}
	for i := range q.Grades {
		if g := &q.Grades[i]; figure.Protocol(g.Protocol) == protocol && g.Gold == "" && (by == "" || g.By == by) {
			s.Label, s.Reason, s.Facts = g.Label, g.Reason, g.Facts
		}
	}
}
