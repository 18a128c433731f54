package graphmem

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"membench/eval/reader"
	"membench/internal/pattern"
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
	question, may, err := r.whom(ctx, question)
	if a.Shared = may; err != nil || len(may) > 0 {
		a.By, a.Text = schema.ByRule, refusal
		return a, err
	}
	question = r.p.v.called(question)
	got, err := r.fitting(ctx, memory.Query{Text: question, K: k, AsOf: asOf})
	if err != nil {
		return a, err
	}
	a.Hits = got.Hits
	if rd != nil {
		a.Answer, err = r.read(ctx, rd, question, asOf, got, 0)
		return a, err
	}
	if told, ok := r.Told(question, asOf); ok {
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
	replies := r.replies(&got, asOf)
	a.Hits = got.Hits
	if a.Answer, err = r.read(ctx, reader.Cautious(), question, asOf, got, replies); err != nil || a.Text == refusal {
		return a, err
	}
	if got, err = r.fitting(ctx, memory.Query{Text: question, K: 2 * k, AsOf: asOf}); err != nil {
		return a, err
	}
	replies = r.replies(&got, asOf)
	again, err := r.read(ctx, reader.Cautious(), question, asOf, got, replies)
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

func (r *Reading) read(ctx context.Context, rd reader.Reader, question, asOf string, got memory.Retrieved, replies int) (reader.Answer, error) {
	in := reader.Input{Question: schema.Question{Text: question, AsOf: asOf}, Speakers: r.Speakers(), Context: got.Context, Replies: replies}
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

// replies adds to what was found the turns that reply to people's questions among it, and returns their number: they may share no word with what is asked.
func (r *Reading) replies(got *memory.Retrieved, asOf string) (n int) {
	v := r.p.v
	if slices.Contains(r.Speakers(), memory.RoleAssistant) { // its questions are offers, its replies advice
		return 0
	}
	var b strings.Builder
	b.WriteString(got.Context)
	for _, h := range slices.Clone(got.Hits) {
		at, ok := v.st.Find(h.ID)
		if !ok || v.after[at] < 0 {
			continue
		}
		next := v.st.Hit(int(v.after[at]), 0)
		if slices.ContainsFunc(got.Hits, func(x memory.Hit) bool { return x.ID == next.ID }) || r.asked(next.ID) == "" || !SaidBy(v.st.At(int(v.after[at])).Time, asOf) {
			continue
		}
		got.Hits, n = append(got.Hits, next), n+1
		b.WriteByte('\n')
		v.show(&b, len(got.Hits), int(v.after[at]), next.Text, asOf)
	}
	got.Context = b.String()
	return n
}

const askedMost = 160 // characters of a question that is shown with what replies to it

// reAsks begins or ends a question that has no mark, as in chats: "what does Leo even do", 那周五假还请不.
var reAsks = pattern.New(`(?i)^(?:(?:and|but|so|ok|hey|oh),? )*(?:who|what|where|when|which|how(?:['’]s| is| are| was| did| does| do| many| much| long| old| often))\b|^(?:do|does|did|are|is|was|were|have|has|will|can|could) (?:you|he|she|they|it|ur?|your|\p{Lu}\w+)\b|(?:[不没]|没有|了没|吗|哪儿?的?|什么|啥|几[点号个天])$`)

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
		if (s.Question || !strings.ContainsAny(s.Text[len(s.Text)-1:], ".!") && reAsks.MatchString(s.Text)) && utf8.RuneCountInString(out)+utf8.RuneCountInString(s.Text) <= askedMost {
			out = strings.TrimSpace(out + " " + s.Text)
		}
	}
	return out
}
