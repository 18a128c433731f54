package graphmem

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"membench/eval/reader"
	"membench/graph"
	"membench/graph/trace"
	"membench/internal/tokens"
	"membench/memory"
	"membench/schema"
)

// A Reply is the answer to a question, with its evidence.
type Reply struct {
	Question string     `json:"question"`
	AsOf     string     `json:"as_of,omitzero"`
	Answer   string     `json:"answer"`
	Refused  bool       `json:"refused"`           // nothing answers the question for certain: Answer says so
	Used     []int      `json:"used,omitempty"`    // ranks of the hits that it was taken from, by rule
	Unknown  []string   `json:"unknown,omitempty"` // names in the question that nothing in the graph mentions
	Shared   []string   `json:"shared,omitempty"`  // the people whom the question may mean by one name, or by "I"; it is not answered then
	Quoted   []string   `json:"quoted,omitempty"`  // nearest turns, if nothing answers the question
	Near     []string   `json:"near,omitempty"`    // claims found near by, where nothing was said near it either
	By       schema.By  `json:"by"`                // "rule" or the model
	Turns    int        `json:"turns"`
	Claims   int        `json:"claims"`
	Hits     []ReplyHit `json:"hits"` // best first
}

// A ReplyHit is a turn that was searched for the answer, and the claims based on it.
type ReplyHit struct {
	schema.QAHit
	Claims []ReplyClaim        `json:"claims,omitempty"`
	Trail  *graph.Trail        `json:"trail,omitempty"` // from the turn to its source
	Lines  []trace.SourceLines `json:"lines,omitempty"` // of the spans that the trails reach
}

// A ReplyClaim is a claim that rests on a hit.
type ReplyClaim struct {
	ID     schema.ClaimID `json:"claim_id"`
	Text   string         `json:"text"`
	Holds  bool           `json:"holds"` // at the time asked for
	From   string         `json:"from,omitzero"`
	To     string         `json:"to,omitzero"`
	Quotes []string       `json:"quotes"`
	Trail  *graph.Trail   `json:"trail,omitempty"`
}

// AskOptions of Ask.
type AskOptions struct {
	Question   string
	AsOf       string // instant or its beginning: nothing counts that was said later; "": all
	K          int    // turns that the answer is made from, 1 or more
	Graph      string // folder or address of the graph: sources are looked for near a folder
	SourceRoot string // folder that source paths are relative to; "": see trace.NewSources
	Outside    bool   // show sources outside of these folders, too
}

// Ask answers a question from a graph, and walks the evidence of each hit: to the claims that
// rest on it and to the lines of the source. Without a reader claims and rules answer.
// It fails where the graph has neither turns nor memories.
func Ask(ctx context.Context, g graph.Graph, d memory.Deps, r reader.Reader, o AskOptions) (Reply, error) {
	rep := Reply{Question: o.Question, AsOf: o.AsOf}
	m, err := Over(ctx, g, d, Defaults())
	if err != nil {
		return rep, err
	}
	if rep.Turns, rep.Claims = m.Size(); rep.Turns == 0 {
		return rep, fmt.Errorf("%s: the graph has neither turns nor memories to answer from; add them with to-graph --events or --exports", o.Graph)
	}
	a, err := m.Answer(ctx, r, o.Question, o.AsOf, o.K)
	if err != nil {
		return rep, err
	}
	src := trace.NewSources(o.Graph, o.SourceRoot, o.Outside)
	for i, h := range a.Hits {
		x := ReplyHit{QAHit: schema.QAHit{Rank: i + 1, ID: h.ID, Score: h.Score, Text: h.Text, Sources: h.Sources}}
		if err := x.walk(ctx, m, src, o.AsOf); err != nil {
			return rep, err
		}
		rep.Hits = append(rep.Hits, x)
	}
	rep.Answer, rep.By, rep.Used, rep.Unknown, rep.Shared = a.Text, a.By, a.Used, a.Unknown, a.Shared
	for _, q := range a.Near {
		rep.Quoted = append(rep.Quoted, q.Text)
	}
	rep.Refused = a.Text == reader.Refusal || a.Text == reader.RefusalZH
	if rep.Refused && len(a.Near)+len(a.Unknown)+len(a.Shared) == 0 {
		rep.Near = rep.near(m.Speakers())
	}
	return rep, nil
}

// near are claims that were found beside a question that nothing answers: at most three
// that hold, of the best hits, with a word of what is asked, and none of a speaker whom a
// question does not name that names another.
func (rep *Reply) near(speakers []string) (out []string) {
	low := strings.ToLower(rep.Question)
	named := func(s string) bool { return strings.Contains(low, strings.ToLower(s)) }
	foreign := func(claim string) bool {
		return slices.ContainsFunc(speakers, named) && slices.ContainsFunc(speakers, func(s string) bool {
			return !named(s) && strings.HasPrefix(strings.ToLower(claim), strings.ToLower(s)+" ")
		})
	}
	asked := rep.Question
	for _, s := range speakers {
		asked = strings.ReplaceAll(asked, s, " ")
	}
	words := stems(asked)
	share := func(claim string) bool {
		return slices.ContainsFunc(stems(strings.ReplaceAll(claim, "_", " ")), func(w string) bool { return slices.Contains(words, w) })
	}
	for _, h := range rep.Hits {
		for _, c := range h.Claims {
			if c.Holds && !foreign(c.Text) && share(c.Text) && len(out) < 3 && !slices.Contains(out, c.Text) {
				out = append(out, c.Text)
			}
		}
	}
	return out
}

// shared are the speakers whose names begin with the same word, which a question has without the rest of any of these names: Alex and Alex (u2) for "Where does
// Alex live?", Sam Lee and Sam Fox for "Sam", but not for "Sam Lee".
func shared(question string, speakers []string) []string {
	low := " " + strings.Join(strings.FieldsFunc(strings.ToLower(question), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ") + " "
	groups := map[string][]string{}
	for _, s := range speakers {
		first, rest, _ := strings.Cut(strings.ToLower(s), " ")
		if full := strings.Trim(rest, "()"); full != "" && strings.Contains(low, " "+first+" "+full+" ") {
			return nil
		}
		groups[first] = append(groups[first], s)
	}
	for _, s := range speakers {
		first, _, _ := strings.Cut(strings.ToLower(s), " ")
		if g := groups[first]; len(g) > 1 && !tokens.Stop(first) && strings.Contains(low, " "+first+" ") {
			return g
		}
	}
	return nil
}

// Lead is the answer, or why there is none, in the language of the question: what is said above the quotes that stand in its place, that nothing was said near it,
// or that nobody knows whom it is about.
func (rep *Reply) Lead() string {
	say := func(en, zh string) string {
		if rep.Answer == reader.RefusalZH {
			return zh
		}
		return en
	}
	list := strings.Join(rep.Shared, say(", ", "、"))
	switch {
	case !rep.Refused:
		return rep.Answer
	case list != "" && inThird(rep.Question, "") != rep.Question:
		return say("It is not known who “I” is: ask by name ("+list+"), or declare the user (user: in the project, init --me).", "不知道“我”是谁：请用名字提问（"+list+"），或在项目中声明用户（user:，init --me）。")
	case list != "":
		return say("Several people have this name: "+list+". Ask with a name that only one of them has, or say in the project who is who (people:).", "多人同名："+list+"。请用只属于一个人的名字提问，或在项目中说明谁是谁（people:）。")
	case len(rep.Quoted) > 0:
		return say("Nothing that was said answers this for certain. Nearest to it:", "没有内容能确切回答这个问题。与它最接近的话：")
	}
	return strings.TrimRight(rep.Answer, ".。") + say(": nothing that was found answers it.", "：找到的内容都没有回答它。")
}

// walk adds the claims that rest on the hit, and the way down from each to the source.
func (x *ReplyHit) walk(ctx context.Context, m *Reading, src *trace.Sources, asOf string) error {
	const steps = 5 // of one node: the demo's longest is 3
	g := m.Graph()
	down := func(id schema.NodeID) (*graph.Trail, error) {
		t, err := graph.TraceLimit(ctx, g, id, graph.Out, steps)
		if err != nil {
			return nil, err
		}
		known(t, asOf)
		for _, span := range t.Spans() {
			if !slices.ContainsFunc(x.Lines, func(l trace.SourceLines) bool { return l.Span == span }) {
				x.Lines = append(x.Lines, src.Lines(span))
			}
		}
		return t, nil
	}
	for _, f := range m.Facts(x.ID, asOf) {
		c := ReplyClaim{ID: f.ID, Text: f.Text, Holds: f.Holds}
		for _, s := range f.Spans { // the last: what was left and taken up again did not hold between
			if end, limited := until(asOf); limited && !s.From.Before(end) {
				break
			}
			c.From, c.To = s.From.Format("2006-01-02"), ""
			if !s.To.IsZero() {
				c.To = s.To.Format("2006-01-02")
			}
		}
		for _, q := range f.Evidence {
			c.Quotes = append(c.Quotes, q.Text)
		}
		var err error
		if c.Trail, err = down(schema.NodeID(f.ID)); err != nil {
			return err
		}
		x.Claims = append(x.Claims, c)
	}
	var err error
	x.Trail, err = down(schema.NodeID(x.ID))
	return err
}

// known leaves out of a trail what was said after asOf.
func known(t *graph.Trail, asOf string) {
	t.Down = slices.DeleteFunc(t.Down, func(s *graph.Trail) bool {
		return !SaidBy(cmp.Or(s.Node.Props.Text("time"), s.Node.Props.Text("created_at")), asOf)
	})
	for _, s := range t.Down {
		known(s, asOf)
	}
}

// Shown returns at most n hits to show: those of the answer, or the best.
func (rep *Reply) Shown(n int) (out []ReplyHit) {
	for _, rank := range rep.Used {
		if rank <= len(rep.Hits) && len(out) < n {
			out = append(out, rep.Hits[rank-1])
		}
	}
	if len(out) == 0 {
		out = rep.Hits[:min(n, len(rep.Hits))]
	}
	return out
}
