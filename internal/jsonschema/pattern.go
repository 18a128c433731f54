package jsonschema

import "regexp/syntax"

// simple compiles patterns of the form ^atom…$, where an atom is a set of ASCII
// characters with a repeat count, to a greedy loop over the bytes; nil for all
// others. A true answer is right; after a false one regexp decides.
func simple(pattern string) func([]byte) bool {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	re = re.Simplify()
	parts := []*syntax.Regexp{re}
	if re.Op == syntax.OpConcat {
		parts = re.Sub
	}
	if len(parts) < 2 || parts[0].Op != syntax.OpBeginText || parts[len(parts)-1].Op != syntax.OpEndText {
		return nil
	}
	type atom struct {
		set      [2]uint64
		min, max int // max < 0: no limit
	}
	var atoms []atom
	for _, p := range parts[1 : len(parts)-1] {
		a := atom{min: 1, max: 1}
		switch p.Op {
		case syntax.OpStar:
			a.min, a.max, p = 0, -1, p.Sub[0]
		case syntax.OpPlus:
			a.max, p = -1, p.Sub[0]
		case syntax.OpQuest:
			a.min, p = 0, p.Sub[0]
		}
		if p.Flags&syntax.FoldCase != 0 {
			return nil
		}
		switch p.Op {
		case syntax.OpLiteral:
			if len(p.Rune) > 1 && (a.min != 1 || a.max != 1) {
				return nil
			}
			for _, r := range p.Rune {
				if r >= 128 {
					return nil
				}
				b := a
				b.set[r>>6] |= 1 << (r & 63)
				atoms = append(atoms, b)
			}
			continue
		case syntax.OpCharClass:
			for i := 0; i < len(p.Rune); i += 2 {
				for r := p.Rune[i]; r <= p.Rune[i+1]; r++ {
					if r >= 128 {
						return nil
					}
					a.set[r>>6] |= 1 << (r & 63)
				}
			}
			atoms = append(atoms, a)
		default:
			return nil
		}
	}
	return func(b []byte) bool {
		i := 0
		for k := range atoms {
			a := &atoms[k]
			n := 0
			for i < len(b) && b[i] < 128 && a.set[b[i]>>6]&(1<<(b[i]&63)) != 0 && (a.max < 0 || n < a.max) {
				i++
				n++
			}
			if n < a.min {
				return false // greedy: may still match by backtracking, regexp decides
			}
		}
		return i == len(b)
	}
}
