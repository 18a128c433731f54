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
	bySpeaker map[string]*length
	all       length
	changes   float64 // turns that follow one of somebody else's
	follows   float64 // turns that follow one, in a session
}

// A length is a sum of ln(1 + content terms) over n turns.
type length struct{ sum, n float64 }

func (s *style) add(speaker, said string, follows, same bool) {
	l := s.bySpeaker[speaker]
	if l == nil {
		l = &length{}
		s.bySpeaker[speaker] = l
	}
	x := math.Log(1 + float64(len(tokens.Terms(said))))
	l.sum, l.n, s.all.sum, s.all.n = l.sum+x, l.n+1, s.all.sum+x, s.all.n+1
	if follows {
		s.follows++
		if !same {
			s.changes++
		}
	}
}

// alternation is the share of turns that follow one of another speaker, of those that
// follow one: 1 where speakers take turns strictly, about .4 in a chat of short messages.
func (s *style) alternation() float64 { return s.changes / max(s.follows, 1) }

// few turns say little of a style: each side has as many of the common length beside its own.
const few = 10

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
	for who, l := range c.bySpeaker {
		twin := *l
		c.bySpeaker[who] = &twin
	}
	return c
}
