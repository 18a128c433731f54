package judge

import "strings"

// initialled makes one word of a run of words in b whose initials are an acronym of a, so that "polymerase chain reaction" is PCR. The first such run counts.
func initialled(a, b *text) {
	for i := range a.toks {
		short := &a.toks[i]
		if !a.acronym(short) || b.has(short.stem) {
			continue
		}
		for from := range b.toks {
			if n := b.spelled(from, short.word); n > 0 {
				b.fuse(from, n, short.stem)
				break
			}
		}
	}
}

// acronym reports whether a word is three to six capitals. Two would be the initials of too much by chance.
func (t *text) acronym(k *tok) bool {
	if len(k.word) < 3 || len(k.word) > 6 || k.num || k.han {
		return false
	}
	for _, c := range []byte(t.raw[k.pos:min(len(t.raw), k.pos+len(k.word))]) {
		if c < 'A' || c > 'Z' {
			return false
		}
	}
	return true
}

// spelled is how many words from one on have a word's letters as their initials, 0 if they do not: words of meaning side by side.
func (t *text) spelled(from int, initials string) int {
	if from+len(initials) > len(t.toks) {
		return 0
	}
	for i := range len(initials) {
		k := &t.toks[from+i]
		if k.stop || k.num || k.han || len(k.word) < 3 || k.word[0] != initials[i] || i > 0 && strings.Trim(t.gap(from+i), " -") != "" {
			return 0
		}
	}
	return len(initials)
}

// fuse makes one word of n.
func (t *text) fuse(from, n int, stem string) {
	k := &t.toks[from]
	for _, x := range t.toks[from : from+n] {
		k.parts = append(k.parts, x.stem)
	}
	k.stem, k.groups, k.above, k.anti, k.name, k.proper, k.weight = stem, nil, nil, nil, false, false, 1.2
	k.word = strings.ToLower(t.raw[k.pos:t.end(from+n-1)])
	t.toks = append(t.toks[:from+1], t.toks[from+n:]...)
	for i, it := range t.items {
		for side, at := range it {
			if at > from {
				t.items[i][side] = max(from+1, at-n+1)
			}
		}
	}
}
