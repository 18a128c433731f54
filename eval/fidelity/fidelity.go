// Package fidelity compares a memory system's texts with the original turns: whether a text still contains an original, and if not, what happened to it. It
// knows nothing of systems or faults: it aligns the words of two texts and reports the first difference that changes what a reader would learn.
//
// Differences of case, width, blanks and punctuation are ignored. A text may contain an original inside a frame: a label with the speaker, a date, neighbouring
// turns.
package fidelity

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"membench/internal/textnorm"
	"membench/internal/timex"
	"membench/schema"
)

// Original is the text of a turn, and what is known about it.
type Original struct {
	Text     string
	Speaker  string   // name of who said it; "" unknown
	Role     string   // user, assistant; "" unknown
	Speakers []string // all who take part
	Time     string   // RFC 3339 or its beginning; "" unknown
	// Around are other texts that a memory of it may contain: captions and neighbouring turns.
	Around []string
}

// Difference is what happened to a text. The zero value means that nothing happened.
type Difference struct {
	Kind string // a Fault word of schema; "" none
	// Kept is the share of the original's words that the text has in their order, 0 to 1.
	Kept float64
	// Marked is the original with its changes: [-taken away-] and {+put in+}.
	Marked string
}

// Same reports whether the text carries the original.
func (d Difference) Same() bool { return d.Kind == "" }

// Bounds of an alignment, set on invented texts (fidelity_test.go).
const (
	foreignBelow = 0.35 // less of the original's words: the text is another one
	mostTokens   = 3000 // an original is aligned by at most this many of its words
	excerptBelow = 0.6  // below this share of a sentence's words, the sentence was omitted; with fewer than four words it cannot be determined
	shortestRun  = 3    // weight of words in a row that are not there by chance
	shortestEnd  = 2    // the same at an end of both texts
	mostRest     = 0.8  // share of the letters: if more is left, the missing part is a value
	leastLetters = 4    // that are found in another text's order by chance only if fewer
	restatedFrom = 0.5  // of an original's words: a text with fewer does not say it in other words
	leastKept    = 5    // one in this many of an original's letters: fewer, with gaps, are found in it by chance
	longestName  = 40   // letters and digits of an identifier that is not a digest or address
	leastWords   = 4    // of a text, to be known by how they are spelt
	leastSpliced = 2    // letters that a text shares with an original before it continues as another
	leastLost    = 3    // a text continues as another if a third of the original is missing
	leastCode    = 7    // digits with dashes between them that are one code, not two numbers
	addedWords   = 3    // number of words beyond the frame from which a text says more than the original
)

// Compare determines how a text differs from an original. Frame describes what this system usually puts around originals.
func Compare(o Original, got string, frame *Frame) Difference {
	want := words(o.Text)
	if len(want) == 0 {
		return Difference{Kept: 1}
	}
	got = terminal.ReplaceAllString(got, "")
	if !strings.Contains(o.Text, "{") {
		got = unwrapped(got)
	}
	have := words(got)
	if at := within(want, have); at >= 0 {
		d := frame.differs(o, got, have, at, at+len(want))
		if spaced(o.Text, got[have[at].from:have[at+len(want)-1].to]) {
			d = Difference{Kind: schema.FaultEncoding, Marked: mark(deletion(o.Text), insertion(got))}
		}
		if detached(o.Text, got[have[at+len(want)-1].to:]) {
			d = Difference{Kind: schema.FaultEncoding, Marked: mark(deletion(o.Text), insertion(got))}
		}
		for i, w := range want {
			if x := have[at+i]; w.number && negative(o.Text, w) != negative(got, x) {
				d = Difference{Kind: schema.FaultNumber, Marked: mark(deletion(o.Text), insertion(got))}
			}
		}
		d.Kept = 1
		return d
	}
	if line := strings.ReplaceAll(got, "\n", ""); line != got && within(want, words(line)) >= 0 { // wrapped inside a word
		return Difference{Kept: 1}
	}
	if restated(o, got) || rephrased(want, o.unlabelled(got), o) {
		return Difference{Kept: 1}
	}
	if half := halved(o.unlabelled(got)); half != "" && halved(o.Text) == "" {
		d := Compare(o, half, frame)
		if d.Same() {
			d.Kind, d.Marked = schema.FaultAdded, mark(deletion(o.Text), insertion(got))
		}
		return d
	}
	if spaced(o.Text, got) {
		return Difference{Kind: schema.FaultEncoding, Kept: 1, Marked: mark(deletion(o.Text), insertion(got))}
	}
	if spelt(o.Text, got) {
		return Difference{Kept: 1}
	}
	if o.empty(have, got) {
		return Difference{Kind: schema.FaultEmpty, Marked: mark(deletion(o.Text))}
	}
	if said := o.unlabelled(got); elided(o.Text, said) || spliced(o, said) {
		a := align(want, words(said))
		return Difference{Kind: schema.FaultCut, Kept: a.kept(), Marked: a.marked(o.Text, said)}
	}
	if d, ok := encoded(o, want, got); ok {
		return d
	}
	if said := o.unlabelled(got); len(words(said)) == 0 { // signs replaced all letters
		return Difference{Kind: schema.FaultEncoding, Marked: mark(deletion(o.Text), insertion(got))}
	}
	if cut := strings.TrimRight(got, "\uFFFD "); cut != got { // inside a character
		got, have = cut, words(cut)
	}
	if o.identifier(got, want) || o.identifier(o.unlabelled(got), want) {
		return Difference{Kind: schema.FaultIdentifier, Marked: mark(deletion(o.Text), insertion(got))}
	}
	if jumbled(o.unlabelled(got)) && !jumbled(o.Text) {
		return Difference{Kind: schema.FaultEncoding, Marked: mark(deletion(o.Text), insertion(got))}
	}
	a := align(want, have)
	if said := o.unlabelled(got); said != got { // a label is not part of the original
		if b := align(want, words(said)); b.kept() >= a.kept() {
			a, got, have = b, said, words(said)
		}
	}
	d := Difference{Kept: a.kept()}
	whole, piece := taken(o, want, got)
	switch rest := shrunk(o.Text, got); {
	case questioned(o.Text, got) && a.about():
		d.Kind, d.Marked = schema.FaultWords, mark(deletion(o.Text), insertion(got))
	case permuted(o.Text, got) && !a.exchanged(o.Text, got):
		d.Kind, d.Marked = schema.FaultWords, mark(deletion(o.Text), insertion(got))
	case len(have) > 1 && d.Kept > 0 && (whole || piece), rest > 0 && (d.Kept < foreignBelow || rest < mostRest && a.scattered()), d.Kept < foreignBelow && o.selected(want, have):
		d.Kind, d.Marked = schema.FaultCut, a.marked(o.Text, got)
	case respelt(o.Text, o.unlabelled(got)):
		d.Kind, d.Marked = schema.FaultEncoding, mark(deletion(o.Text), insertion(got))
	case d.Kept < foreignBelow && !a.piece():
		d.Kind, d.Marked = schema.FaultOther, mark(deletion(o.Text), insertion(got))
	case d.Kept < foreignBelow:
		d.Kind, d.Marked = schema.FaultCut, a.marked(o.Text, got)
	default:
		d.Kind, d.Marked = a.kind(o, got), a.marked(o.Text, got)
	}
	return d
}

// terminal matches control sequences of terminals (ECMA-48): colours and deleted text.
var terminal = regexp.MustCompile(`\x1b\[[0-?]*[ -/]*[@-~]`)

// empty reports whether a text has no words but names, roles and dates before them, or only a placeholder that programs write for a missing value.
func (o Original) empty(have []word, got string) bool {
	said := strings.TrimSpace(o.unlabelled(got))
	switch strings.ToLower(said) {
	case "null", "none", "nil", "undefined", "nan":
		return true
	}
	if len(have) == 0 || len(words(said)) == 0 {
		return !encodedSigns(got) && signs(said) < len(letters(o.Text))
	}
	known := norms(append(slices.Clone(o.Speakers), o.Speaker, o.Role)...)
	return !slices.ContainsFunc(have, func(w word) bool { return !known[w.norm] })
}

// selected reports whether a text has words of the original only, and names of who takes
// part, in any order.
func (o Original) selected(want, have []word) bool {
	known := append(slices.Clone(want), words(strings.Join(append(slices.Clone(o.Speakers), o.Speaker), " "))...)
	return len(have) > 0 && !slices.ContainsFunc(have, func(w word) bool {
		return !slices.ContainsFunc(known, func(x word) bool { return x.norm == w.norm })
	})
}

// about reports whether half of a text's words come from the original.
func (a alignment) about() bool {
	shared := []word{}
	for _, at := range a.pair {
		if at >= 0 {
			shared = append(shared, a.have[at])
		}
	}
	return len(shared) > 0 && weight(shared)*2 >= weight(a.have)
}

// scattered reports whether more is gone than a value: several stretches, or a long one.
func (a alignment) scattered() bool {
	edits := a.edits()
	return len(edits) >= 3 || slices.ContainsFunc(edits, func(e edit) bool { return content(a.want[e.from:e.to]) > local })
}

// piece reports whether a run of the original's words without a gap is in the text that is
// not there by chance: a long one, or a shorter one with which both begin or end.
func (a alignment) piece() bool {
	n, from := 0., 0
	for i, w := range a.want {
		if a.pair[i] < 0 || i > 0 && a.pair[i] != a.pair[i-1]+1 {
			n, from = 0, i
		}
		if a.pair[i] < 0 {
			from++
			continue
		}
		n += w.weight
		if n >= shortestRun || n >= shortestEnd && (from == 0 && a.pair[from] == 0 || i == len(a.want)-1 && a.pair[i] == len(a.have)-1) {
			return true
		}
	}
	return false
}

// Same is Compare(o, got, frame).Same(), quickly.
func Same(o Original, got string, frame *Frame) bool {
	if len(got) < len(o.Text)/2 { // no rendering is that much shorter
		return false
	}
	return (Carries(o.Text, got) || align(words(o.Text), words(got)).kept() >= restatedFrom) && Compare(o, got, frame).Same()
}

// Carries reports whether got has the words of text in their order and without a gap.
func Carries(text, got string) bool {
	if text == got {
		return true
	}
	want := words(text)
	return len(want) > 0 && within(want, words(got)) >= 0
}

// Covered reports whether pieces of a text are all of it: each piece is in the text
// without a gap, and together they have its words but for one in fifty.
func Covered(text string, pieces []string) bool {
	want := words(text)
	has := make([]bool, len(want))
	n := 0
	for _, p := range pieces {
		piece := words(p)
		if len(piece) == 0 {
			continue
		}
		if at := within(piece, want); at >= 0 {
			for i := range piece {
				if !has[at+i] {
					has[at+i] = true
					n++
				}
			}
		}
	}
	return len(want) > 0 && n*50 >= len(want)*49
}

// Excerpt reports whether got consists of unchanged sentences of a text and has nothing that resembles the other sentences: these were omitted, not altered.
func Excerpt(text, got string) bool {
	left := 0
	all := sentences(text)
	for _, s := range all {
		ws := words(s)
		if len(ws) == 0 || Carries(s, got) {
			continue
		}
		if left++; len(ws) >= 4 && align(ws, words(got)).kept() >= excerptBelow {
			return false
		}
	}
	return left > 0 && left < len(all)
}

// sentences cuts a text at the ends of its sentences. A point in a number is none.
func sentences(text string) (out []string) {
	from := 0
	for i, r := range text {
		end := i + utf8.RuneLen(r)
		if !strings.ContainsRune(".!?;\n。！？；", r) || r == '.' && i > 0 && isDigit(text[i-1]) && end < len(text) && isDigit(text[end]) {
			continue
		}
		if s := text[from:i]; strings.TrimSpace(s) != "" {
			out = append(out, s)
		}
		from = end
	}
	if s := text[from:]; strings.TrimSpace(s) != "" {
		out = append(out, s)
	}
	return out
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// identifier reports whether a text is a name of a thing and not words: one unbroken run
// of letters, digits and joints, a digit or a joint among them.
func (o Original) identifier(got string, want []word) bool {
	s := strings.TrimSpace(got)
	joint := false
	if len(s) > longestName && strings.Trim(strings.ToLower(s), "0123456789abcdef-:") != "" && !strings.ContainsAny(s, "/.:") { // text in a code
		return false
	}
	for _, r := range s {
		switch {
		case r >= '0' && r <= '9' || strings.ContainsRune("-_:/#.|@", r):
			joint = true
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("[]{}<>()", r):
		default:
			return false
		}
	}
	return joint && len(want) > 1 && !o.selected(want, words(s)) && !slices.ContainsFunc(words(s), func(w word) bool {
		return w.weight >= 1 && !w.number && slices.ContainsFunc(want, func(x word) bool { return x.norm == w.norm })
	})
}

// within is where want is in have without a gap, -1 if nowhere.
func within(want, have []word) int {
	for i := 0; i+len(want) <= len(have); i++ {
		n := 0
		for n < len(want) && want[n].norm == have[i+n].norm {
			n++
		}
		if n == len(want) {
			return i
		}
	}
	return -1
}

// deletion and insertion mark a text as taken away or put in.
func deletion(s string) string  { return "[-" + s + "-]" }
func insertion(s string) string { return "{+" + s + "+}" }

// mark joins marked parts and shortens them to a readable length.
func mark(parts ...string) string {
	const most = 240 // code points of each part
	for i, p := range parts {
		p = textnorm.Collapse(p)
		if r := []rune(p); len(r) > most {
			p = string(r[:most-2]) + "…" + string(r[len(r)-2:])
		}
		parts[i] = p
	}
	return strings.Join(parts, " ")
}

// day is the civil day of an RFC 3339 time or its beginning.
func day(s string) (timex.Day, bool) {
	if len(s) < len("2006-01-02") {
		return 0, false
	}
	for _, e := range timex.Find(s[:len("2006-01-02")], 0) {
		if e.Kind == timex.Absolute && e.Lo == e.Hi {
			return e.Lo, true
		}
	}
	return 0, false
}
