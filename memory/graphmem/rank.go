package graphmem

import (
	"context"
	"math"
	"strings"
	"time"

	"membench/internal/bm25"
	"membench/internal/tokens"
	"membench/llm/hashing"
	"membench/memory"
	"membench/memory/recall"
	"membench/schema"
)

// Weights of the parts of a turn's score; a part with weight 0 is not computed. z is (x − mean)/sd over the turns that may answer, per question.
type Weights struct {
	Words          float64 `json:"words"`           // z of BM25 of the turn's best passage
	Meaning        float64 `json:"meaning"`         // z of the cosine to the question without names
	Window         float64 `json:"window"`          // NEXT: z of BM25 of the turn with its two neighbours on each side
	Next           float64 `json:"next"`            // NEXT: meaning of the turn after
	Session        float64 `json:"session"`         // IN_SESSION: z of BM25 of the session
	SessionMeaning float64 `json:"session_meaning"` // IN_SESSION: z of the best meaning in the session
	ReplyWords     float64 `json:"reply_words"`     // REPLY_TO: z of BM25 of the question that the turn follows; among equals
	ReplyMeaning   float64 `json:"reply_meaning"`   // REPLY_TO: meaning of the question that the turn follows; among equals
	Speaker        float64 `json:"speaker"`         // the one who is named speaks
	Date           float64 `json:"date"`            // fit of the day that is named
	When           float64 `json:"when"`            // the turn has a time word, when a time is asked for
	Temporal       float64 `json:"temporal"`        // the turn has a time word; among equals
	Length         float64 `json:"length"`          // ln(1 + content terms); among equals
	Question       float64 `json:"question"`        // the turn asks; among equals
	First          float64 `json:"first"`           // the turn speaks of I or we
	Place          float64 `json:"place"`           // the turn names a place, when one is asked for; in chats
	Title          float64 `json:"title"`           // the turn names a title, when a film, book or song is asked for; in chats
	Claimed        float64 `json:"claimed"`         // a claim rests on the turn; in chats
	Standing       float64 `json:"standing"`        // a rule laid down for later, when help is asked for
	Terse          float64 `json:"terse"`           // the side that says less: how much less
	TerseOwn       float64 `json:"terse_own"`       // the same, when something of the asker's own is asked
	TerseTold      float64 `json:"terse_told"`      // the same, for questions about what the other side said
	TerseWhole     float64 `json:"terse_whole"`     // the same, when an order or a summary is asked for
	IsA            float64 `json:"is_a"`            // members of a class that the question names, by a general lexicon
}

// Learnt returns the weights learned on two thirds of LoCoMo, REALTALK, BEAM, Mem-Gallery and HaluMem together (listwise softmax, each source with its own
// weight), rounded; docs/graph-memory.md has the effect of each part, and the figures of the third that was held out.
func Learnt() Weights {
	return Weights{Words: .15, Meaning: .45, Window: .35, Next: .2, Session: .2, SessionMeaning: .2, ReplyWords: .1, ReplyMeaning: .4,
		Speaker: 1.1, Date: 5.5, When: .75, Temporal: .2, Length: .5, Question: -.7, First: .65, Standing: 1.8,
		Terse: .25, TerseOwn: .3, TerseTold: -.4, TerseWhole: -.4, IsA: .6, Place: 1.8, Title: .9, Claimed: .6}
}

// score gives every turn a number; only those of use are meant.
func (v *view) score(ctx context.Context, s *recall.State, w Weights, use []bool) ([]float64, error) {
	v.settle()
	w = v.style.fit(w, len(v.last), hashing.Is(v.st.Embed()))
	n := v.st.Len()
	v.spare = 0
	out := v.take(n)
	plus := func(weight float64, x []float64) {
		if weight != 0 {
			for i := range out {
				out[i] += weight * x[i]
			}
		}
	}
	// reply is x of the turn before where that one asks.
	even := v.style.even()
	reply := func(weight float64, x []float64) {
		if weight *= even; weight == 0 {
			return
		}
		for i := range out {
			if p := v.before[i]; p >= 0 && v.asks[p] {
				out[i] += weight * x[p]
			}
		}
	}
	if w.Words != 0 || w.ReplyWords != 0 {
		bm := v.parts.best(v.take(n), v.take(len(v.parts.of)), s.Query.Text)
		z(bm, use)
		plus(w.Words, bm)
		reply(w.ReplyWords, bm)
	}
	query := strings.Join(tokens.Snowball(s.Query.Text), " ")
	if w.Window != 0 {
		win := v.near.Dense(v.take(n), query, n)
		z(win, use)
		plus(w.Window, win)
	}
	session := func(weight float64, each []float64) {
		ses := v.take(n)
		for i := range ses {
			ses[i] = each[v.sitting[i]]
		}
		z(ses, use)
		plus(weight, ses)
	}
	if w.Session != 0 {
		session(w.Session, v.sittings.Dense(v.take(len(v.last)), query, len(v.last)))
	}
	if w.Meaning != 0 || w.Next != 0 || w.SessionMeaning != 0 || w.ReplyMeaning != 0 {
		mean, err := v.meaning(ctx, s, use)
		if err != nil {
			return nil, err
		}
		plus(w.Meaning, mean)
		reply(w.ReplyMeaning, mean)
		if w.Next != 0 {
			for i, a := range v.after {
				if a >= 0 {
					out[i] += w.Next * mean[a]
				}
			}
		}
		if w.SessionMeaning != 0 {
			best := v.take(len(v.last))
			for i := range best {
				best[i] = math.Inf(-1)
			}
			for i, x := range mean {
				if use[i] {
					best[v.sitting[i]] = max(best[v.sitting[i]], x)
				}
			}
			session(w.SessionMeaning, best)
		}
	}
	if who := recall.Named(s); who != "" && w.Speaker != 0 {
		named := v.voices[who]
		for i, spoke := range v.voice {
			if spoke == named {
				out[i] += w.Speaker
			}
		}
	}
	if fit := recall.OnDay(s.Query.Text); fit != nil && w.Date != 0 {
		day, x := -1, 0.0
		for i, t := range v.when {
			if t.IsZero() {
				continue
			}
			if d := 1000*t.Year() + t.YearDay(); d != day { // turns of a day are adjacent
				day, x = d, w.Date*fit(t)
			}
			out[i] += x
		}
	}
	if w.IsA != 0 {
		plus(w.IsA, v.isA(s))
	}
	if w.Claimed != 0 {
		for at := range v.claims {
			out[at] += w.Claimed
		}
	}
	v.kindScore(out, w, recall.AskedOf(s.Query.Text), even)
	return out, nil
}

// kindScore adds what kind of turn each is, for what is asked.
func (v *view) kindScore(out []float64, w Weights, asked recall.Asked, even float64) {
	temporal, standing, terse, place, title := even*w.Temporal, 0.0, w.Terse, 0.0, 0.0
	for _, x := range []struct {
		asked  bool
		part   *float64
		weight float64
	}{{asked.When, &temporal, w.When}, {asked.Request, &standing, w.Standing}, {asked.Own, &terse, w.TerseOwn}, {asked.Told, &terse, w.TerseTold}, {asked.Whole, &terse, w.TerseWhole},
		{asked.Place, &place, w.Place}, {asked.Title, &title, w.Title}} {
		if x.asked {
			*x.part += x.weight
		}
	}
	side := make([]float64, len(v.voices))
	for who, x := range v.style.terse() {
		side[v.voices[who]] = x
	}
	for i, p := range v.pre {
		out[i] += temporal*p.Temporal + even*(w.Length*p.Length+w.Question*p.Question) + w.First*p.First + standing*p.Standing + place*p.Place + title*p.Title
		if terse != 0 {
			out[i] += terse * side[v.voice[i]]
		}
	}
}

// take gives n zeros that last until the next question, so that a question makes no
// garbage: one of these is 8 bytes a turn, and there are about ten.
func (v *view) take(n int) []float64 {
	if v.spare == len(v.scratch) {
		v.scratch = append(v.scratch, nil)
	}
	x := v.scratch[v.spare]
	if cap(x) < n {
		x = make([]float64, n+n/4)
		v.scratch[v.spare] = x
	}
	v.spare++
	x = x[:n]
	clear(x)
	return x
}

// meaning is the z-value of the cosine to the question without the speakers' names.
func (v *view) meaning(ctx context.Context, s *recall.State, use []bool) ([]float64, error) {
	q, err := s.Vector(ctx, recall.WithoutNames(s))
	if err != nil {
		return nil, err
	}
	x := v.st.Cosines(v.take(v.st.Len()), q)
	z(x, use)
	return x, nil
}

// z makes x its z-values over the turns of use, in place; 0 for the others.
func z(x []float64, use []bool) {
	n, sum := 0.0, 0.0
	for i, u := range use {
		if u {
			n, sum = n+1, sum+x[i]
		}
	}
	mean, sq := sum/max(n, 1), 0.0
	for i, u := range use {
		if u {
			sq += (x[i] - mean) * (x[i] - mean)
		}
	}
	scale := 1 / (math.Sqrt(sq/max(n, 1)) + 1e-9)
	for i, u := range use {
		if u {
			x[i] = (x[i] - mean) * scale
		} else {
			x[i] = 0
		}
	}
}

// usable marks the turns that may answer: live, of the user and agent that are asked
// of, and said by the time of the question. It must not be changed.
func (v *view) usable(q memory.Query) []bool {
	use := v.st.Eligible(q.UserID, q.AgentID)
	end, limited := until(q.AsOf)
	if !limited {
		return use
	}
	out := make([]bool, len(use))
	for i, ok := range use {
		out[i] = ok && v.when[i].Before(end) // what has no time may have been said before
	}
	return out
}

// until is the first instant after the one that is named, or after the period.
func until(asOf string) (end time.Time, ok bool) {
	_, end, ok = schema.ParsePeriod(asOf)
	return end, ok
}

// isA is min(8, Σ idf of the members that the turn has)/5 for the classes that the
// question names, with the lexicon of tokens.Kin, which was not read off any data set.
func (v *view) isA(s *recall.State) []float64 {
	if v.kin == nil {
		v.kin = &bm25.Index{Cut: tokens.Terms}
	}
	n := v.st.Len()
	for i := v.kinned; i < n; i++ {
		v.kin.Set(i, opening(v.st.At(i).Text))
	}
	v.kinned = n
	out, counted := v.take(n), v.take(n)
	for k, t := range tokens.Kin(s.Query.Text) {
		idf, kin := v.kin.IDF(t), float64(k+1)
		v.kin.Each(t, func(doc int) {
			if counted[doc] != kin {
				counted[doc], out[doc] = kin, out[doc]+idf
			}
		})
	}
	for i := range out {
		out[i] = min(8, out[i]) / 5
	}
	return out
}
