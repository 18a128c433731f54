package graphmem

import (
	"maps"
	"math"

	"membench/internal/tokens"
)

// A style is what kind of dialogue it is, by how it runs, not by who speaks: whether the
// speakers take turns, and whether one of them says much more than the other, as an
// assistant does. Parts of the ranking that help in one style alone are weighted by it.
type style struct {
	bySpeaker map[string]length
	all       length
	changes   float64 // turns that follow one of someone else's
	follows   float64 // turns that follow one, in a session
}

// A length is a sum of ln(1 + content terms) over n turns.
type length struct{ sum, n float64 }

func (s *style) add(speaker, said string, follows, same bool) {
	l, x := s.bySpeaker[speaker], math.Log(1+float64(len(tokens.Terms(said))))
	s.bySpeaker[speaker], s.all = length{l.sum + x, l.n + 1}, length{s.all.sum + x, s.all.n + 1}
	if follows {
		s.follows++
		if !same {
			s.changes++
		}
	}
}

// few turns say little of a style: each side has as many of the common length beside its own.
const few = 10

// handful is how many sessions say nothing of their turns; three more count in full.
const handful = 7

// chat is how much a dialogue is a chat of short messages, several in a row by one person:
// 0 where speakers take turns strictly, 1 where a third of the turns or more follow one of
// the same speaker.
func (s *style) chat() float64 {
	return min(1, 3*(1-(s.changes+few)/(s.follows+few)))
}

// fit are the weights for the style of a dialogue. In a chat a message is less of a context
// for its neighbours, whoever is named says in a row what is asked, and what is short says as
// much as what is long; what helps in chats alone weighs nothing elsewhere. Hashed vectors
// tell of a short message what its words tell, which count for them there. Of a handful of
// long sessions each speaks of much, so that a session says little of its turns.
func (s *style) fit(w Weights, sessions int, hashed bool) Weights {
	chat := s.chat()
	for weight, in := range map[*float64]float64{&w.SessionMeaning: .5, &w.Window: .7, &w.Speaker: 2, &w.First: 1.5, &w.Temporal: 1.5,
		&w.ReplyWords: 0, &w.ReplyMeaning: 0, &w.Length: 0, &w.Question: .5, &w.Terse: 0, &w.TerseOwn: 0, &w.TerseTold: 0, &w.TerseWhole: 0} {
		*weight *= 1 + chat*(in-1)
	}
	if hashed {
		w.Words *= 1 + chat
		w.Meaning, w.Next, w.SessionMeaning = (1-chat)*w.Meaning, (1-chat)*w.Next, (1-chat)*w.SessionMeaning
	}
	many := min(1, max(0, float64(sessions-handful)/3))
	w.Session, w.SessionMeaning = many*w.Session, many*w.SessionMeaning
	w.Place, w.Title, w.Claimed = chat*w.Place, chat*w.Title, chat*w.Claimed
	return w
}

// terse is how much less a speaker says than the others: the mean of their ln lengths
// less that of the speaker's own.
func (s *style) terse() map[string]float64 {
	out := make(map[string]float64, len(s.bySpeaker))
	common := few * s.all.sum / max(s.all.n, 1)
	for who, l := range s.bySpeaker {
		out[who] = (s.all.sum-l.sum+common)/(s.all.n-l.n+few) - (l.sum+common)/(l.n+few)
	}
	return out
}

// even is 1 where all say about as much, and 0 where one says three times as much.
func (s *style) even() float64 {
	most := 0.0
	for _, x := range s.terse() {
		most = max(most, math.Abs(x))
	}
	return max(0, 1-most)
}

func (s *style) clone() style {
	c := *s
	c.bySpeaker = maps.Clone(s.bySpeaker)
	return c
}
