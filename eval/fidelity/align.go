package fidelity

import (
	"strings"

	"membench/internal/textnorm"
	"membench/internal/timex"
	"membench/schema"
)

// alignment is a longest common subsequence of the words of an original and of the
// stretch of a text that is most like it.
type alignment struct {
	want, have []word
	pair       []int // by word of want: its word in have, -1 none
}

// align finds it. Long texts cost len(want)² at most: the stretch is not much longer
// than the original.
func align(want, have []word) alignment {
	if len(want) > mostTokens {
		want = want[:mostTokens]
	}
	have = stretch(want, have)
	a := alignment{want, have, make([]int, len(want))}
	n, m := len(want), len(have)
	row := make([][]uint16, n+1)
	cells := make([]uint16, (n+1)*(m+1))
	for i := range row {
		row[i] = cells[i*(m+1) : (i+1)*(m+1)]
	}
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if want[i].norm == have[j].norm {
				row[i][j] = row[i+1][j+1] + 1
			} else {
				row[i][j] = max(row[i+1][j], row[i][j+1])
			}
		}
	}
	for i, j := 0, 0; i < n; {
		switch {
		case j == m || row[i+1][j] == row[i][j] && (want[i].norm != have[j].norm):
			a.pair[i] = -1
			i++
		case want[i].norm == have[j].norm:
			a.pair[i] = j
			i, j = i+1, j+1
		default:
			j++
		}
	}
	return a
}

// stretch is the part of have that shares most words with want, with some room.
func stretch(want, have []word) []word {
	size := len(want) + len(want)/2 + 8
	if len(have) <= size {
		return have
	}
	in := map[string]int{}
	for _, w := range want {
		in[w.norm]++
	}
	best, at, hits := 0., 0, 0.
	seen := map[string]int{}
	for i, w := range have {
		if in[w.norm] > 0 {
			if seen[w.norm]++; seen[w.norm] <= in[w.norm] {
				hits += w.weight
			}
		}
		if i >= size {
			o := have[i-size]
			if in[o.norm] > 0 {
				if seen[o.norm]--; seen[o.norm] < in[o.norm] {
					hits -= o.weight
				}
			}
		}
		if hits > best {
			best, at = hits, i+1
		}
	}
	return have[max(0, at-size):at]
}

// kept is the share of the original that is there, by what its words say.
func (a alignment) kept() float64 {
	all, kept := 0., 0.
	for i, w := range a.want {
		all += w.weight
		if a.pair[i] >= 0 {
			kept += w.weight
		}
	}
	if all == 0 {
		return 0
	}
	return kept / all
}

// edit is a run of words that are gone, and of those in their place.
type edit struct {
	from, to     int // in want
	hfrom, hto   int // in have
	first, atEnd bool
}

// edits are the differences inside the original. What stands before and after it in the
// text belongs to its frame, but for words in the place of its own last or first ones.
func (a alignment) edits() (out []edit) {
	last := -1 // word of have that was matched last
	for i := 0; i < len(a.want); {
		if a.pair[i] >= 0 {
			if a.pair[i] > last+1 && last >= 0 {
				out = append(out, edit{from: i, to: i, hfrom: last + 1, hto: a.pair[i]})
			}
			last = a.pair[i]
			i++
			continue
		}
		e := edit{from: i, hfrom: last + 1, first: last < 0}
		for i < len(a.want) && a.pair[i] < 0 {
			i++
		}
		e.to = i
		room := 2*(e.to-e.from) + 1
		switch {
		case i == len(a.want):
			e.atEnd, e.hto = true, min(len(a.have), e.hfrom+room)
		case e.first:
			e.hto = a.pair[i]
			e.hfrom = max(0, e.hto-room)
		default:
			e.hto = a.pair[i]
		}
		if i < len(a.want) {
			last = a.pair[i] - 1
		}
		out = append(out, e)
	}
	return out
}

// kind names the difference that changes most of what a reader learns.
func (a alignment) kind(o Original, got string) string {
	edits := a.edits()
	var cut, swapped int
	date, number, name, speaker, negated := false, false, false, false, false
	spans := timex.Find(textnorm.Compat(o.Text), 0)
	compat := len(textnorm.Compat(o.Text)) == len(o.Text) // offsets are those of the text
	people := map[string]bool{}
	for _, s := range o.Speakers {
		people[textnorm.Fold(s)] = true
	}
	for _, e := range edits {
		gone, put := a.want[e.from:e.to], a.have[e.hfrom:e.hto]
		if negations(gone)%2 != negations(put)%2 && !(e.first || e.atEnd) || negations(gone)%2 == 1 && negations(put) == 0 && len(gone) <= 3 {
			negated = true
		}
		if len(put) == 0 || (e.first || e.atEnd) && len(put) > 2*len(gone) || broken(gone, put) {
			cut += len(gone)
			continue
		}
		if len(gone) > 0 {
			swapped++
		}
		for _, w := range gone {
			inDate := compat && inside(w, spans)
			switch {
			case inDate && (w.number || anyNumberOrDate(put)):
				date = true
			case w.number && has(put, func(p word) bool { return p.number }):
				number = true
			case people[w.norm] && has(put, func(p word) bool { return people[p.norm] }):
				speaker = speaker || e.from == 0
				name = name || e.from > 0
			case w.name && has(put, func(p word) bool { return p.name }):
				name = true
			}
		}
	}
	switch {
	case negated:
		return schema.FaultNegated
	case date:
		return schema.FaultDate
	case number:
		return schema.FaultNumber
	case speaker:
		return schema.FaultSpeaker
	case name:
		return schema.FaultName
	case swapped == 0 && cut > 0:
		return schema.FaultCut
	case swapped == 0:
		return schema.FaultAdded
	}
	return schema.FaultWords
}

// broken reports whether what is in the place of words is what a cut left of one.
func broken(gone, put []word) bool {
	return len(put) == 1 && len(gone) > 0 && (strings.HasPrefix(gone[0].norm, put[0].norm) || strings.HasSuffix(gone[len(gone)-1].norm, put[0].norm))
}

func has(ws []word, is func(word) bool) bool {
	for _, w := range ws {
		if is(w) {
			return true
		}
	}
	return false
}

// inside reports whether a word is part of an expression of a day.
func inside(w word, spans []timex.Expr) bool {
	for _, e := range spans {
		if (e.Kind == timex.Absolute || e.Kind == timex.Deictic) && w.from >= e.Pos && w.to <= e.End {
			return true
		}
	}
	return false
}

// anyNumberOrDate reports whether words in the place of a date are one, too.
func anyNumberOrDate(ws []word) bool {
	var b strings.Builder
	for _, w := range ws {
		if w.number {
			return true
		}
		b.WriteString(w.norm + " ")
	}
	return len(timex.Find(b.String(), 0)) > 0
}

// marked is the original with its edits.
func (a alignment) marked(want, got string) string {
	var b strings.Builder
	at := 0
	const around = 60 // bytes of unchanged text kept on each side of an edit
	for _, e := range a.edits() {
		from := len(want)
		if e.from < len(a.want) {
			from = a.want[e.from].from
		}
		b.WriteString(shorten(want[at:max(at, from)], around))
		if e.to > e.from {
			at = a.want[e.to-1].to
			b.WriteString(deletion(want[from:at]))
		} else {
			at = max(at, from)
		}
		if e.hto > e.hfrom && !((e.first || e.atEnd) && e.hto-e.hfrom > 2*(e.to-e.from)) {
			b.WriteString(insertion(got[a.have[e.hfrom].from:a.have[e.hto-1].to]))
			if e.to == e.from {
				b.WriteString(" ")
			}
		}
	}
	b.WriteString(shorten(want[at:], around))
	return mark(b.String())
}

// shorten keeps both ends of a text, each of at most n bytes.
func shorten(s string, n int) string {
	if len(s) <= 2*n+3 {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + " … " + strings.ToValidUTF8(s[len(s)-n:], "")
}
