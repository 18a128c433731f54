package graphmem

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"membench/eval/reader"
	"membench/internal/sentence"
	"membench/memory"
	"membench/schema"
)

// An Answer is the graph's answer to a question.
type Answer struct {
	reader.Answer
	Hits    []memory.Hit // best first; behind them turns that the answer rests on and words did not find
	Unknown []string     // names in the question that nothing in the graph mentions
	Shared  []string     // the people whom the question may mean by one name, or by "I"; it is not answered then
}

// Answer answers a question from at most k turns, as of a time ("": everything known). "I" is the declared user; a word that may mean several people is refused. Without a reader the claims answer if they can (Told); names that are
// never mentioned are rejected; otherwise the words of the hits decide (reader.Cautious), and an answer is read again from twice as many turns: what is newer, or
// says the opposite, may share fewer words with the question.
func (r *Reading) Answer(ctx context.Context, rd reader.Reader, question, asOf string, k int) (Answer, error) {
	var a Answer
	refusal := reader.Refusal
	if reader.InHan(question) {
		refusal = reader.RefusalZH
	}
	who, err := r.people(ctx)
	if err != nil {
		return a, err
	}
	if question, a.Shared = r.whom(question, who); len(a.Shared) > 0 {
		a.By, a.Text = schema.ByRule, refusal
		return a, nil
	}
	question = r.p.v.called(question)
	got, err := r.fitting(ctx, memory.Query{Text: question, K: k, AsOf: asOf})
	if err != nil {
		return a, err
	}
	a.Hits = got.Hits
	if rd != nil {
		a.Answer, err = r.read(ctx, rd, question, asOf, got)
		return a, err
	}
	if told, ok := r.toldOf(who, question, asOf); ok {
		a.By, a.Text = schema.ByRule, told.Text
		for _, h := range told.Hits {
			a.use(h)
		}
		return a, nil
	}
	if a.Unknown = r.Unknown(question); len(a.Unknown) > 0 {
		a.By, a.Text = schema.ByRule, refusal
		return a, nil
	}
	if a.Answer, err = r.read(ctx, reader.Cautious(), question, asOf, got); err != nil || a.Text == refusal {
		return a, err
	}
	if got, err = r.fitting(ctx, memory.Query{Text: question, K: 2 * k, AsOf: asOf}); err != nil {
		return a, err
	}
	again, err := r.read(ctx, reader.Cautious(), question, asOf, got)
	if err == nil && again.Text != refusal {
		a.Answer, a.Used = again, nil
		for _, n := range again.Used {
			a.use(got.Hits[n-1])
		}
	}
	return a, err
}

// use notes that the answer was taken from a hit.
func (a *Answer) use(h memory.Hit) {
	i := slices.IndexFunc(a.Hits, func(x memory.Hit) bool { return x.ID == h.ID })
	if i < 0 {
		i, a.Hits = len(a.Hits), append(a.Hits, h)
	}
	if !slices.Contains(a.Used, i+1) {
		a.Used = append(a.Used, i+1)
	}
}

func (r *Reading) read(ctx context.Context, rd reader.Reader, question, asOf string, got memory.Retrieved) (reader.Answer, error) {
	in := reader.Input{Question: schema.Question{Text: question, AsOf: asOf}, Speakers: r.Speakers(), Context: got.Context}
	for i, h := range got.Hits {
		in.Hits = append(in.Hits, schema.QAHit{Rank: i + 1, ID: h.ID, Score: h.Score, Text: h.Text, Sources: h.Sources})
		in.Asked = append(in.Asked, r.asked(h.ID))
	}
	return rd.Read(ctx, in)
}

// fitting retrieves turns above the mean. A score is a sum of z-values: what is below the
// mean of all turns is shown only because there are so few.
func (r *Reading) fitting(ctx context.Context, q memory.Query) (memory.Retrieved, error) {
	got, err := r.Retrieve(ctx, q)
	n := 0
	for n < len(got.Hits) && got.Hits[n].Score > 0 {
		n++
	}
	if err == nil && n > 0 && n < len(got.Hits) {
		q.K = n
		return r.Retrieve(ctx, q)
	}
	return got, err
}

const askedMost = 160 // characters of a question that is shown with what replies to it

// asked is the question that a turn follows, of someone else; "" where there is none.
func (r *Reading) asked(id schema.PointID) string {
	v := r.p.v
	at, ok := v.st.Find(id)
	if !ok || v.before[at] < 0 || v.st.At(at).Speaker == v.st.At(int(v.before[at])).Speaker {
		return ""
	}
	prev := v.st.At(int(v.before[at]))
	text := strings.TrimPrefix(prev.Text, prev.Speaker+": ")
	out := ""
	for _, s := range sentence.Split(text) {
		if s.Question && utf8.RuneCountInString(out)+utf8.RuneCountInString(s.Text) <= askedMost {
			out = strings.TrimSpace(out + " " + s.Text)
		}
	}
	return out
}
