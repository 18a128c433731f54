package graphmem

import (
	"context"
	"slices"
	"strings"

	"membench/internal/pattern"
	"membench/internal/timex"
	"membench/schema/catalog"
)

// A question of another time than now: "Where did Ann live in May 2024?", "What was Ann's job before?", "Where did Ann live before Bari?".

// Told answers a question from the claims known by asOf. It is false if the question has another form, nobody of that name is known, or no claim is about it.
// Another person's claim never answers, nor what holds now where another time is asked for. It fails where the graph cannot be read.
func (r *Reading) Told(ctx context.Context, question, asOf string) (Told, bool, error) {
	who, err := r.people(ctx)
	if err != nil {
		return Told{}, false, err
	}
	t, ok := r.toldOf(who, question, asOf)
	return t, ok, nil
}

func (r *Reading) toldOf(who people, question, asOf string) (Told, bool) {
	question = strings.TrimSpace(question)
	for _, name := range r.Speakers() {
		if word := oneWord(name); word != name {
			question = strings.ReplaceAll(question, name, word)
			who.ids[strings.ToLower(word)] = who.ids[strings.ToLower(name)]
		}
	}
	if rest, e, ok := dated(question); ok {
		if e.Kind != timex.Absolute || e.Yearless || e.Open {
			return Told{}, false
		}
		last := e.Hi.String()
		if asOf != "" && asOf < last {
			last = asOf
		}
		at, ok := r.told(rest, asked{people: who, at: last, asOf: asOf})
		if first, known := r.told(rest, asked{people: who, at: e.Lo.String(), asOf: asOf}); !ok || known && first.Text != at.Text { // it changed in that time
			return Told{}, false
		}
		return at, true
	}
	if m := formerly.FindStringSubmatchIndex(question); m != nil {
		rest, than := question[:m[0]]+question[m[1]:], ""
		if m[2] >= 0 {
			than = question[m[2]:m[3]]
		}
		return r.told(rest, asked{people: who, former: true, than: than, at: asOf, asOf: asOf})
	}
	return r.told(question, asked{people: who, at: asOf, asOf: asOf})
}

// formerly asks for what was before; its group is what it was before, "" now.
var formerly = pattern.New(`(?i) before(?: (?:(?:he|she|they) )?(?:(?:mov|start|join|work|go)\w* )?(?:back )?(?:(?:to|at|in) )?((?-i:\p{Lu})[^?]*?))?\??$|以前|之前|原来|从前`)

// dated is a question without its time, and the time; false where it has none.
func dated(question string) (string, timex.Expr, bool) {
	for _, e := range timex.Find(question, 0) {
		if e.Kind == timex.Clock || e.Kind == timex.Duration {
			continue
		}
		before := strings.TrimRight(question[:e.Pos], " ")
		for _, prep := range []string{" in", " on", " during"} {
			before = strings.TrimSuffix(before, prep)
		}
		return before + strings.TrimPrefix(question[e.End:], "份"), e, true
	}
	return question, timex.Expr{}, false
}

// then reports whether a form of question can be asked of another time: it is of what somebody is, not of what happened.
func (q *asked) then(predicates []string) bool {
	return q.at == q.asOf && !q.former || !slices.ContainsFunc(predicates, func(p string) bool {
		d := catalog.Default().Predicates[p]
		return d.Time != catalog.TimeState && (q.at != q.asOf || d.Single == "" && p != "FAVORITE_WORK" && p != "PREFERS_AUTHOR")
	})
}

// toldLater reports whether something that was said later is of the time that is asked about, or of one before it: "I moved in January", said in March.
func (r *Reading) toldLater(who string, predicates []string, q *asked) bool {
	all := asked{people: q.people}
	r.claimsOf(&all, who, predicates, q.asOf)
	return slices.ContainsFunc(all.held, func(h Held) bool {
		return slices.ContainsFunc(h.Evidence, func(e Quote) bool {
			from, _, _ := strings.Cut(e.Event, "/")
			return from != "" && from <= q.at && !SaidBy(e.Time, q.at)
		})
	})
}

// another is the value at another time than now.
func (q *asked) another(now *Held) string {
	var is *Held
	switch {
	case !q.former: // at a time
		is = now
	case q.than == "":
		for i := range q.held {
			if h := &q.held[i]; !h.Holds {
				is = h
			}
		}
	default:
		if i := slices.IndexFunc(q.held, func(h Held) bool { return like(h.value(), q.than) }); i > 0 {
			is = &q.held[i-1]
		}
	}
	if is == nil {
		return ""
	}
	q.used = []Held{*is}
	return is.shown()
}
