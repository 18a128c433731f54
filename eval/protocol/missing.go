package protocol

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"membench/schema"
)

// Settled names the protocol that is the rule judge's verdict where that is sure, and the model's where it is doubtful.
const Settled = "settled@1"

// A Missing is an answer without a grade that others of the same system, data set and file have.
type Missing struct {
	System, Dataset, CaseID, QuestionID, Category, RawCategory string
	Repeat                                                     int
	Protocol                                                   string
	By                                                         schema.By
}

type grader struct {
	protocol string
	by       schema.By
}

// graded holds the answers of one system on one data set in one file, by the graders that they have.
type graded struct {
	file, system, dataset string
	n                     int
	sets                  map[string]*gradedSet
}

type gradedSet struct {
	graders map[grader]bool
	doubt   bool // a rule's verdict is doubtful
	answers []Missing
	first   schema.Pos
}

// see notes whose grades an answer has. Recorded verdicts and labels of people may be of a sample: only grades that this program makes are expected of all.
func (p *Repeats) see(rec *schema.Record[schema.QARecord], byID map[string]*Protocol) {
	r := &rec.V
	k := [3]string{rec.Pos.File, r.System, r.Dataset}
	g := p.graded[k]
	if g == nil {
		g = &graded{file: k[0], system: k[1], dataset: k[2], sets: map[string]*gradedSet{}}
		p.graded[k] = g
	}
	g.n++
	var key strings.Builder
	set := gradedSet{graders: map[grader]bool{}, first: rec.Pos}
	for _, x := range r.Grades {
		if set.doubt = set.doubt || x.Doubt != "" && x.By == schema.ByRule; x.Gold == "" && (byID[x.Protocol] != nil || x.Protocol == Settled) {
			set.graders[grader{x.Protocol, x.By}] = true
			fmt.Fprintf(&key, "%q %q ", x.Protocol, x.By)
		}
	}
	fmt.Fprint(&key, set.doubt)
	s := g.sets[key.String()]
	if s == nil {
		s = &set
		g.sets[key.String()] = s
	}
	s.answers = append(s.answers, Missing{System: r.System, Dataset: r.Dataset, CaseID: r.CaseID, QuestionID: r.QuestionID, Category: r.Category, RawCategory: r.RawCategory, Repeat: r.Repeat})
}

// Missing lists the answers without a grade that they should have, once the stream of Over is at its end.
func (p *Repeats) Missing() (out []Missing) {
	if p == nil {
		return nil
	}
	for _, k := range slices.SortedFunc(maps.Keys(p.graded), func(a, b [3]string) int { return slices.Compare(a[:], b[:]) }) {
		p.graded[k].lacking(func(s *gradedSet, x grader) {
			for _, m := range s.answers {
				m.Protocol, m.By = x.protocol, x.by
				out = append(out, m)
			}
		})
	}
	return out
}

// lacking calls with each set of answers and grader that it should have and has not. Where only doubtful verdicts were put to a model, the others need none of it.
func (g *graded) lacking(each func(*gradedSet, grader)) {
	all := map[grader]bool{}
	for _, s := range g.sets {
		maps.Copy(all, s.graders)
	}
	for _, key := range slices.Sorted(maps.Keys(g.sets)) {
		s := g.sets[key]
		for _, x := range slices.SortedFunc(maps.Keys(all), func(a, b grader) int {
			return cmp.Or(strings.Compare(a.protocol, b.protocol), strings.Compare(string(a.by), string(b.by)))
		}) {
			if asked := x.by != schema.ByRule && x.protocol != Settled; !s.graders[x] && !(asked && !s.doubt && s.graders[grader{Settled, x.by}]) {
				each(s, x)
			}
		}
	}
}

// missed makes one finding (EVL110) of each system whose answers lack grades.
func (p *Repeats) missed() (out []*schema.Finding) {
	for _, g := range p.graded {
		f := &schema.Finding{Pos: schema.Pos{File: g.file}, Code: "EVL110", Hint: "grade the answers again with membench eval grade"}
		answers, of := map[*gradedSet]bool{}, map[string]bool{}
		n := 0
		g.lacking(func(s *gradedSet, x grader) {
			if f.Pos.Line == 0 || s.first.Line < f.Pos.Line {
				f.Pos = s.first
			}
			if !answers[s] {
				answers[s] = true
				n += len(s.answers)
			}
			one := schema.Grade{Protocol: x.protocol, By: x.by}
			of[one.Grader()] = true
		})
		if n > 0 {
			f.Message = fmt.Sprintf("%d of %d answers of %s on %s lack grades that the others have: they count as unscored", n, g.n, g.system, g.dataset)
			f.Want = strings.Join(slices.Sorted(maps.Keys(of)), ", ")
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b *schema.Finding) int {
		return strings.Compare(a.Pos.File+"\x00"+a.Message, b.Pos.File+"\x00"+b.Message)
	})
	return out
}
