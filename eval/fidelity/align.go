package fidelity

import "strings"

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

// kept returns the share of the original that the text contains, weighted by the meaning of the words.
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

// edits returns the differences inside the original. Text before and after it belongs to its frame, unless words replace its own first or last words.
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

// marked is the original with its edits, each in its place with the blanks around it.
func (a alignment) marked(want, got string) string {
	var b strings.Builder
	at := 0
	const around = 60 // bytes of unchanged text kept on each side of an edit
	for _, e := range a.edits() {
		gone, put := a.gone(e, want), a.put(e, got)
		b.WriteString(shorten(want[at:max(at, gone.from)], around))
		at = max(at, gone.to)
		if gone.to > gone.from {
			b.WriteString(deletion(want[gone.from:gone.to]))
		}
		if put.to > put.from && !e.frames() {
			b.WriteString(insertion(got[put.from:put.to]))
			if gone.to == gone.from && strings.HasPrefix(got[put.to:], " ") {
				b.WriteString(" ")
			}
		}
	}
	b.WriteString(shorten(want[at:], around))
	return mark(b.String())
}

// gone returns the bytes of the original that an edit removes; put returns the bytes of the text that replace them.
func (a alignment) gone(e edit, want string) span {
	from := len(want)
	if e.from < len(a.want) {
		from = a.want[e.from].from
	}
	if e.to == e.from {
		return span{from, from}
	}
	return span{from, a.want[e.to-1].to}
}

func (a alignment) put(e edit, got string) span {
	if e.hto == e.hfrom {
		if e.hfrom < len(a.have) {
			return span{a.have[e.hfrom].from, a.have[e.hfrom].from}
		}
		return span{len(got), len(got)}
	}
	return span{a.have[e.hfrom].from, a.have[e.hto-1].to}
}

// frames reports whether an edit only adds text that surrounds the original and replaces none of its words.
func (e edit) frames() bool {
	return (e.first || e.atEnd) && e.hto-e.hfrom > 2*(e.to-e.from)
}

// shorten keeps both ends of a text, each of at most n bytes.
func shorten(s string, n int) string {
	if len(s) <= 2*n+3 {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + " … " + strings.ToValidUTF8(s[len(s)-n:], "")
}
