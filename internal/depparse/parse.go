package depparse

// Moves of the parser.
const (
	shift = iota // the next word onto the stack
	left         // the next word becomes the head of the top of the stack
	right        // the second of the stack becomes the head of the top
)

// readOnce fills in the tags, heads and relations of the words as their forms are.
func (m *models) readOnce(ws []Word) {
	ts := tokensOf(ws)
	m.tagAll(ts)
	s := m.parse(ts)
	score := make([]int32, len(m.label.classes))
	var fs []uint32
	for i := range ws {
		fs = labelFeatures(fs, s, i)
		m.label.vote(fs, score)
		ws[i].Tag, ws[i].Head, ws[i].Rel = m.tag.classes[ts[i].tag-1], s.head[i], m.label.classes[best(score)]
	}
}

func (m *models) tagAll(ts []token) {
	score := make([]int32, len(m.tag.classes))
	var fs []uint32
	for i := range ts {
		fs = tagFeatures(fs, ts, i)
		m.tag.vote(fs, score)
		ts[i].tag = uint32(best(score)) + 1
	}
}

func (m *models) parse(ts []token) *state {
	s := newState(ts)
	var score [3]int32
	var fs []uint32
	for !s.done() {
		fs = moveFeatures(fs, s)
		m.move.vote(fs, score[:])
		b := -1
		for a := range score {
			if s.may(a) && (b < 0 || score[a] > score[b]) {
				b = a
			}
		}
		s.apply(b)
	}
	return s
}

// The root is behind the last word: a word that it becomes the head of is a root.
func (s *state) done() bool { return s.next == len(s.ts) && len(s.stack) == 0 }

func (s *state) may(move int) bool {
	switch move {
	case shift:
		return s.next < len(s.ts)
	case left:
		return len(s.stack) > 0
	}
	return len(s.stack) > 1
}

func (s *state) apply(move int) {
	if move == shift {
		s.stack = append(s.stack, s.next)
		s.next++
		return
	}
	d := s.stack[len(s.stack)-1]
	s.stack = s.stack[:len(s.stack)-1]
	if move == right {
		h := s.stack[len(s.stack)-1]
		s.head[d], s.right[h] = h, int32(d)
		s.nr[h]++
		return
	}
	if s.next < len(s.ts) {
		s.head[d], s.left[s.next] = s.next, int32(d)
		s.nl[s.next]++
	}
}
