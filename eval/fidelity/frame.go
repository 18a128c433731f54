package fidelity

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"membench/internal/codec"
	"membench/internal/depparse"
	"membench/internal/textnorm"
	"membench/internal/timex"
	"membench/internal/tokens"
	"membench/schema"
)

// Frame describes what a system usually puts around the originals that it keeps. It is learned from the system's texts. Without texts, only contradictions of
// the original itself count as differences.
type Frame struct {
	texts    int // that carry an original
	labelled int // with the name or role of its speaker before it
	days     map[timex.Day]int
	strange  map[timex.Day]int // of these, other days than that of the turn
	kept     float64           // sum over texts of the share of words kept
	several  int               // originals of more than one sentence
	parts    int               // of these, memories that are sentences of the original, split or omitted
	broken   int               // that are a piece of the original which ends inside a sentence
	lost     int               // that have next to nothing of the original's words: damage, as own words keep its names
	compared int
	retold   int            // that say it in other words
	selves   int            // originals whose speaker speaks of himself
	named    int            // of these, said with his name in the place of "I" or "we"
	guessed  int            // originals whose text is only the most similar one
	ownWords int            // of these, said in other words
	bare     int            // memories that have almost nothing in addition to the original
	beside   map[string]int // words beyond the original: how many texts have them
}

// Learn takes the texts that the system made of one original.
func (f *Frame) Learn(o Original, texts ...string) {
	want := words(o.Text)
	if len(want) < 4 {
		return
	}
	got := strings.Join(texts, "\n")
	if i := slices.IndexFunc(texts, func(s string) bool { return Carries(o.Text, s) }); i >= 0 {
		got = texts[i]
	} else if slices.ContainsFunc(texts, func(s string) bool { whole, _ := taken(o, want, s); return whole }) {
		f.parts++
	}
	if len(sentences(o.Text)) > 1 {
		f.several++
	}
	if once := halved(o.unlabelled(got)); once != "" && halved(o.Text) == "" {
		got = once
	}
	have := words(got)
	if f.beside == nil {
		f.beside, f.days, f.strange = map[string]int{}, map[timex.Day]int{}, map[timex.Day]int{}
	}
	f.compared++
	if slices.ContainsFunc(want, ofSelf) {
		f.selves++
		if a, name := align(want, have), words(o.Speaker); slices.ContainsFunc(a.edits(), func(e edit) bool {
			gone, put := a.want[e.from:e.to], a.have[e.hfrom:e.hto]
			return slices.ContainsFunc(gone, ofSelf) && !slices.ContainsFunc(gone, func(w word) bool { return !ofSelf(w) }) && len(name) > 0 && ofName(put[:min(len(put), len(name))]) == joined(name)
		}) {
			f.named++
		}
	}
	at := within(want, have)
	if at < 0 {
		kept := align(want, have).kept()
		if f.kept += kept; kept < nothing {
			f.lost++
		} else if !slices.ContainsFunc(o.Around, func(s string) bool { return len(words(s)) >= 4 && Carries(s, got) }) && retold(o, want, words(o.unlabelled(got))) {
			f.retold++
		}
		if _, piece := taken(o, want, got); piece {
			f.broken++
		}
		return
	}
	f.kept++
	f.texts++
	before := label(got, have, at)
	if len(have)-len(want) <= labelWords {
		f.bare++
	}
	if o.named(before) {
		f.labelled++
	}
	said, known := day(o.Time)
	for _, d := range timex.Named(textnorm.Compat(before)) {
		if f.days[d]++; known && d != said {
			f.strange[d]++
		}
	}
	seen := map[string]bool{}
	for i, w := range have {
		if (i < at || i >= at+len(want)) && !seen[w.norm] {
			seen[w.norm] = true
			f.beside[w.norm]++
		}
	}
}

// Guess takes the text that is most like an original, of a system that does not name what its texts are made of.
func (f *Frame) Guess(o Original, text string) {
	want := words(o.Text)
	if len(want) < 4 {
		return
	}
	if f.guessed++; !Carries(o.Text, text) && retold(o, want, words(o.unlabelled(text))) {
		f.ownWords++
	}
}

// Verbatim reports whether the system's texts show that it keeps turns verbatim. A system that regularly extracts sentences or writes in its own words is
// judged on facts. Texts that have nothing of their originals do not count as a system's own words: they are damaged, however many there are.
func (f *Frame) Verbatim() bool {
	switch {
	case f.compared == 0:
		return f.ownWords < habit || f.ownWords*2 < f.guessed
	case f.parts >= habit && f.parts*4 >= f.several && f.parts > f.broken:
		return false
	case f.retold >= habit && f.retold*2 >= f.compared, f.named >= habit && f.named*2 >= f.selves:
		return false
	}
	damaged := f.broken
	if f.lost >= habit { // one or two texts may be about something else
		damaged += f.lost
	}
	return (f.texts+damaged)*2 >= f.compared || f.compared >= 4 && f.kept/float64(f.compared) >= 0.6
}

// usualTexts is the number of texts from which what nine in ten have beside their turn is the system's way.
const usualTexts = 10

// Usual lists what nine in ten texts have beside the turn, without the names given: words, and a date that is not the turn's.
func (f *Frame) Usual(names ...string) (out []string) {
	if f.texts < usualTexts {
		return nil
	}
	known := norms(names...)
	for w, n := range f.beside {
		if n*10 >= f.texts*9 && !known[w] && strings.ContainsFunc(w, unicode.IsLetter) {
			out = append(out, w)
		}
	}
	for d, n := range f.strange {
		if n*2 > f.texts && f.days[d]*10 >= f.texts*9 {
			out = append(out, d.String())
		}
	}
	slices.Sort(out)
	return out
}

// retold reports whether a text says an original in other words: words in place of others, or others in between and the order changed, at more than one place. A
// number or a name in place of another is none. Damage has the original's words, or is no language.
func retold(o Original, want, have []word) bool {
	mine, theirs := map[string]int{}, map[string]int{}
	for _, w := range want {
		mine[root(w)]++
	}
	for _, w := range have {
		theirs[root(w)]++
	}
	known := norms(append(slices.Clone(o.Speakers), o.Speaker, o.Role, "user assistant")...)
	size := func(w word) float64 { // Chinese has two characters to a word
		if r, _ := utf8.DecodeRuneInString(w.norm); textnorm.IsHan(r) {
			return .5
		}
		return 1
	}
	put, gone, moved := 0., 0., 0.
	for _, w := range have {
		r, _ := utf8.DecodeRuneInString(w.norm)
		if !w.number && !w.name && !known[w.norm] && mine[root(w)] == 0 && (textnorm.IsHan(r) || depparse.Common(w.norm) || tokens.Stop(w.norm)) {
			put += size(w)
		}
	}
	for i, at := range align(want, have).pair {
		switch w := want[i]; {
		case at >= 0:
		case theirs[root(w)] > 0:
			moved += size(w)
		default:
			gone += size(w)
		}
	}
	return put > 0 && put+moved >= 2 && gone+moved >= 2
}

// labelWords are as many words as a name before a text has.
const labelWords = 3

// nothing is the share of an original's words below which a text keeps nothing of it.
const nothing = 0.15

// habit is how often a system must do something for it to be its way.
const habit = 3

// taken reports whether every line of a text, after its label, is a stretch of the
// original (piece), and whether each begins and ends where a sentence of it does (whole).
func taken(o Original, want []word, got string) (whole, piece bool) {
	text, lines := o.Text, 0
	whole, piece = true, true
	for line := range strings.Lines(got) {
		ws := words(o.unlabelled(line))
		if len(ws) == 0 {
			continue
		}
		at := within(ws, want)
		if n := len(ws); at < 0 && n > 1 { // a cut may have left a part of the last word, or of the first
			whole = false
			if at = within(ws[:n-1], want); at >= 0 && (at+n > len(want) || !strings.HasPrefix(want[at+n-1].norm, ws[n-1].norm)) {
				at = -1
			}
			if rest := within(ws[1:], want); at < 0 && rest > 0 && strings.HasSuffix(want[rest-1].norm, ws[0].norm) {
				at = rest - 1
			}
		}
		if at < 0 {
			return false, false
		}
		lines++
		before := strings.TrimRight(text[:want[at].from], " \"'“”‘’([-–—")
		rest := strings.TrimLeft(text[want[min(len(want), at+len(ws))-1].to:], " \"'”’)")
		whole = whole && (before == "" || endsSentence(before, strings.HasSuffix)) && (rest == "" || endsSentence(rest, strings.HasPrefix))
	}
	return whole && lines > 0, piece && lines > 0 && !whole
}

// unlabelled removes names, roles and dates from the start of a line: up to three stretches that end with a colon or a bracket, contain no other mark, and
// differ from the beginning of the original.
func (o Original) unlabelled(line string) string {
	first := ""
	if ws := words(o.Text); len(ws) > 0 && !o.named(ws[0].said) {
		first = ws[0].norm
	}
	for range 3 {
		at := strings.IndexAny(line, "]:：,.!?，。！？")
		if at < 0 || at >= 40 || line[at] == ']' && !strings.HasPrefix(line, "[") || !strings.HasPrefix(line[at:], "]") && !strings.HasPrefix(line[at:], ":") && !strings.HasPrefix(line[at:], "：") {
			break
		}
		if ws := words(line[:at]); line[at] != ']' && (sayings(ws) > labelSays || len(ws) > 0 && ws[0].norm == first) {
			break
		}
		rest := strings.TrimLeft(line[at:], "]:： ")
		if at > 0 && unicode.IsDigit(rune(line[at-1])) && rest != "" && unicode.IsDigit(rune(rest[0])) && line[at] == ':' {
			break // a clock time
		}
		line = rest
	}
	return line
}

// labelSays is the most that names, roles and verbs of saying can say.
const labelSays = 6

// sayings counts words, two Chinese characters as one, without numbers.
func sayings(ws []word) (n float64) {
	for _, w := range ws {
		switch r, _ := utf8.DecodeRuneInString(w.norm); {
		case w.number:
		case textnorm.IsHan(r):
			n += .5
		default:
			n++
		}
	}
	return n
}

// endsSentence reports whether a text has a mark that ends a sentence at an end. A clause is not a sentence: a system that extracts clauses truncates the turn.
func endsSentence(text string, at func(text, mark string) bool) bool {
	return slices.ContainsFunc([]string{".", "!", "?", ";", "\n", "。", "！", "？", "；", "…"}, func(mark string) bool { return at(text, mark) })
}

// label returns the text before the original on its line.
func label(got string, have []word, at int) string {
	from := 0
	if at < len(have) {
		from = have[at].from
	}
	return got[strings.LastIndexByte(got[:from], '\n')+1 : from]
}

// named reports whether a label names the speaker or the role.
func (o Original) named(label string) bool {
	names := []string{o.Speaker, o.Role}
	switch o.Role {
	case "assistant":
		names = append(names, "agent", "AI", "bot")
	case "user":
		names = append(names, "human")
	}
	return slices.ContainsFunc(names, func(s string) bool {
		w := words(s)
		return len(w) > 0 && within(w, words(label)) >= 0
	})
}

// others reports whether a label right before the text names another participant.
func (o Original) others(label string) bool {
	roles := []string{"user", "assistant", "agent", "human", "system"}
	ws := words(label)
	for _, s := range append(slices.Clone(o.Speakers), roles...) {
		w := words(s)
		if len(w) == 0 || textnorm.Fold(s) == textnorm.Fold(o.Speaker) || textnorm.Fold(s) == o.Role {
			continue
		}
		if at := within(w, ws); at >= 0 && at+len(w) == len(ws) {
			return true
		}
	}
	return false
}

// quoted reports whether the last stretch of a label that ends with a colon names another participant after the speaker ("Iris: Tomas claims:") or next to the
// speaker ("Iris/Tomas:").
func (o Original) quoted(label string) bool {
	colon := func(r rune) bool { return r == ':' || r == '：' }
	s := strings.TrimRight(label, " \"'“‘「")
	rest := strings.TrimRightFunc(s, colon)
	at := max(0, strings.LastIndexFunc(rest, colon))
	ws := words(rest[at:])
	return s != rest && slices.ContainsFunc(o.Speakers, func(name string) bool {
		w := words(name)
		if textnorm.Fold(name) == textnorm.Fold(o.Speaker) || len(w) == 0 || within(w, ws) < 0 {
			return false
		}
		return at > 0 && !o.named(rest[at:]) || o.named(rest[at:]) && len(ws) == len(w)+len(words(o.Speaker))
	})
}

// own returns the end of a label that belongs to the original: a memory may have its neighbours whole before it, and what they say is not about the original.
func (o Original) own(label string) string {
	have, end := words(label), 0
	for _, s := range o.Around {
		want := words(s)
		if len(want) < 2 {
			continue
		}
		for i := len(have) - len(want); i >= 0; i-- {
			if within(want, have[i:i+len(want)]) == 0 {
				end = max(end, have[i+len(want)-1].to)
				break
			}
		}
	}
	return strings.TrimLeft(label[end:], " |/;,.!?。！？；，")
}

// differs checks the text around an original that is present word for word.
func (f *Frame) differs(o Original, got string, have []word, from, to int) Difference {
	before := o.own(label(got, have, from))
	excerpt := mark(before + o.Text)
	if ws, named := words(before), o.named(before); o.Speaker != "" && (!named || o.quoted(before)) {
		usual := f != nil && f.labelled >= habit && f.labelled*5 >= f.texts
		if named || o.others(before) || usual && len(ws) > 0 && strings.ContainsAny(before, ":：]") {
			if slices.ContainsFunc(undoes, func(undo func(string) (string, bool)) bool {
				label, ok := undo(before)
				return ok && !named && o.named(label)
			}) {
				return Difference{Kind: schema.FaultEncoding, Marked: excerpt}
			}
			return Difference{Kind: schema.FaultSpeaker, Marked: mark(deletion(o.Speaker), insertion(strings.TrimSpace(before)), o.Text)}
		}
	}
	lead := strings.ToValidUTF8(before[strings.LastIndexAny(before, ".!?。！？")+1:], "") // the rest of the sign
	if end := strings.TrimSpace(lead); (strings.HasSuffix(end, ":") || strings.HasSuffix(end, "：")) && newTyped(lead).negations(words(lead))%2 == 1 {
		return Difference{Kind: schema.FaultNegated, Marked: mark(insertion(end), o.Text)}
	}
	if asked(o.Text, got[have[to-1].to:]) {
		return Difference{Kind: schema.FaultWords, Marked: mark(o.Text, insertion("?"))}
	}
	if said, ok := day(o.Time); ok {
		if ds := timex.Named(textnorm.Compat(before)); len(ds) > 0 && !slices.Contains(ds, said) && !f.wallClock(ds) {
			return Difference{Kind: schema.FaultDate, Marked: mark(deletion(said.String()), insertion(ds[0].String()), o.Text)}
		}
	}
	if year := o.redated(got, have, to); year != "" {
		return Difference{Kind: schema.FaultDate, Marked: mark(excerpt, insertion(year))}
	}
	if f == nil || f.texts < 3 && f.bare*2 < max(f.texts, 1) {
		return Difference{}
	}
	more := f.more(o, got, have, from, to)
	if v := f.variant(o, got, have, from, to); len(v) > 0 {
		return Difference{Kind: schema.FaultAdded, Marked: mark(excerpt, insertion(got[v[0].from:v[len(v)-1].to]))}
	}
	if len(more) < addedWords {
		return Difference{}
	}
	put := f.addition(got, have, from, to, more)
	d := Difference{Kind: schema.FaultAdded, Marked: mark(excerpt, insertion(strings.TrimSpace(got[put.from:put.to])))}
	if denial(o.Text, got[put.from:put.to]) {
		d.Kind = schema.FaultNegated
	}
	return d
}

// redated returns the year that follows an original whose last word is a date without one, "" if there is none or if it is the year in which it was said, the
// one before or the next.
func (o Original) redated(got string, have []word, to int) string {
	said, ok := day(o.Time)
	if to >= len(have) || !ok {
		return ""
	}
	year, _, _ := said.Civil()
	for _, e := range timex.Find(got, 0) {
		y, _, _ := e.Lo.Civil()
		if e.Kind == timex.Absolute && !e.Yearless && e.Pos < have[to-1].to && e.End >= have[to].to && (y < year-1 || y > year+1) {
			return got[have[to].from:e.End]
		}
	}
	return ""
}

// more returns the words around an original that neither the frame nor the neighbouring texts explain. If these contain less than two thirds of a sentence's
// words, all of its words are returned.
func (f *Frame) more(o Original, got string, have []word, from, to int) (out []word) {
	var near *neighbours
	var sentence []word
	known := 0
	end := func() {
		if within(sentence, have[from:to]) >= 0 { // said again
			sentence = nil
		}
		for _, w := range sentence {
			if len(sentence) >= addedWords && known*3 < len(sentence)*2 || !near.have(got, w) {
				out = append(out, w)
			}
		}
		sentence, known = sentence[:0], 0
	}
	for i, w := range have {
		if i > 0 && strings.ContainsAny(got[have[i-1].to:w.from], ".!?\n。！？") {
			end()
		}
		if i >= from && i < to || f.explains(o, w) || syntax(got, w) {
			continue
		}
		if near == nil {
			near = newNeighbours(o.Around)
		}
		if sentence = append(sentence, w); near.have(got, w) {
			known++
		}
	}
	end()
	return out
}

// variant returns a line next to an original that says the same with another value and that no neighbouring text says. A line that has only words of the
// original, such as a list of keywords, has no variant.
func (f *Frame) variant(o Original, got string, have []word, from, to int) []word {
	want := have[from:to]
	for i := 0; i < len(have); {
		j := i + 1
		for j < len(have) && !strings.Contains(got[have[j-1].to:have[j].from], "\n") {
			j++
		}
		line := have[i:j]
		other := slices.ContainsFunc(line, func(w word) bool {
			return (w.number || !f.explains(o, w)) && !slices.ContainsFunc(want, func(x word) bool { return x.norm == w.norm })
		})
		if other && (j <= from || i >= to) && len(line) >= len(want) && len(line) <= 2*len(want) && within(want, line) < 0 && align(want, line).kept() >= excerptBelow &&
			!slices.ContainsFunc(o.Around, func(s string) bool { return within(words(s), line) >= 0 }) {
			return line
		}
		i = j
	}
	return nil
}

// syntax reports whether a word is markup without meaning: in a tag, in capitals, or joined to others by signs as identifiers in programs are.
func syntax(got string, w word) bool {
	if len(w.said) > 1 && w.said == strings.ToUpper(w.said) && w.said != strings.ToLower(w.said) {
		return true
	}
	if open := strings.LastIndexAny(got[:w.from], "<>"); open >= 0 && got[open] == '<' && strings.ContainsRune(got[w.to:], '>') {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(got[:w.from])
	after, _ := utf8.DecodeRuneInString(got[w.to:])
	return before == '.' || strings.ContainsRune("_=[{(/", before) && strings.ContainsRune("_=]})./", after) || after == '_' || after == '=' || after == '.' && len(got) > w.to+1 && !unicode.IsSpace(rune(got[w.to+1])) && got[w.to+1] < utf8.RuneSelf
}

// neighbours are the words of the texts around an original.
type neighbours struct {
	text  string
	words map[string]bool
}

func newNeighbours(around []string) *neighbours {
	n := &neighbours{strings.Join(around, "\n"), map[string]bool{}}
	for _, x := range words(n.text) {
		n.words[x.norm] = true
	}
	return n
}

// have reports whether a word of got is one of the neighbours' words; for a Chinese character, together with an adjacent one.
func (n *neighbours) have(got string, w word) bool {
	if r, _ := utf8.DecodeRuneInString(w.norm); !n.words[w.norm] || !textnorm.IsHan(r) {
		return n.words[w.norm]
	}
	_, before := utf8.DecodeLastRuneInString(got[:w.from])
	_, after := utf8.DecodeRuneInString(got[w.to:])
	return strings.Contains(n.text, got[w.from-before:w.to]) || strings.Contains(n.text, got[w.from:w.to+after])
}

// unwrapped returns the texts of a JSON object without its member names, or a text with doubled quotation marks, as in SQL, reduced to single ones. Other texts
// are returned unchanged.
func unwrapped(got string) string {
	got = strings.ReplaceAll(got, "''", "'")
	at := strings.IndexByte(got, '{')
	if at < 0 || !strings.HasSuffix(strings.TrimSpace(got), "}") {
		return got
	}
	var fields map[string]any
	if codec.Unmarshal([]byte(got[at:]), &fields) != nil {
		return got
	}
	out := got[:at]
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if s, ok := fields[name].(string); ok {
			out += s + "\n"
		}
	}
	return out
}

// questioned reports whether a text is a question although the original is not.
func questioned(said, got string) bool {
	asks := func(s string) bool {
		s = strings.TrimRight(s, " \"”’)")
		return strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？")
	}
	return asks(got) && !strings.ContainsAny(said, "?？")
}

// asked reports whether the text after a statement makes it a question.
func asked(said, after string) bool {
	question := func(s string) bool { return strings.HasPrefix(s, "?") || strings.HasPrefix(s, "？") }
	end := said[strings.LastIndexFunc(said, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })+1:]
	if strings.ContainsAny(end, "?？:：") { // it was one, or leads up to something
		return false
	}
	return question(strings.TrimLeft(strings.TrimPrefix(after, "吗"), " \"”’)"))
}

// addition returns the sentences next to an original that contain unexplained words.
func (f *Frame) addition(got string, have []word, from, to int, more []word) span {
	low, high := 0, len(got)
	if more[0].from >= have[from].from {
		low = have[to-1].to
	} else {
		high = have[from].from
	}
	put := span{more[0].from, min(high, more[len(more)-1].to)}
	ends := func(r rune) bool { return strings.ContainsRune(".!?\n。！？", r) }
	before := got[low:max(low, put.from)]
	put.from = low
	if n := strings.LastIndexFunc(before, ends); n >= 0 {
		_, size := utf8.DecodeRuneInString(before[n:])
		put.from += n + size
	}
	if n := strings.IndexFunc(got[put.to:high], ends); n >= 0 {
		_, size := utf8.DecodeRuneInString(got[put.to+n:])
		put.to += n + size
	} else {
		put.to = high
	}
	return put
}

// denial reports whether an addition retracts the original without an alternative: no clause after the negated one says what is true. It must refer to the
// original, by one of its words or by a pronoun.
func denial(said, s string) bool {
	of := newNeighbours([]string{said})
	if !slices.ContainsFunc(words(s), func(w word) bool { return w.weight >= 1 && of.have(s, w) || slices.Contains(pointing, w.norm) }) {
		return false
	}
	denied := false
	for _, clause := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(".!?,;:\n。！？，；：", r) }) {
		ws := words(clause)
		if newTyped(clause).negations(ws)%2 == 1 {
			denied = true
		} else if denied && slices.ContainsFunc(ws, func(w word) bool { return slices.Contains(copulas, w.norm) }) {
			denied = false
		}
	}
	return denied
}

// pointing lists words that refer to something said before, or to whether it is true.
var pointing = []string{"that", "this", "it", "these", "those", "true", "truth", "so", "such", "case", "happened", "happen", "i", "这", "那", "此", "它", "真", "实", "对", "我"}

var copulas = []string{"is", "its", "thats", "are", "was", "were", "am", "是", "叫", "为"}

// wallClock reports whether one of these days is on most texts: then it is the day of the run, not a day from the dialogue.
func (f *Frame) wallClock(ds []timex.Day) bool {
	return f != nil && f.texts >= 4 && slices.ContainsFunc(ds, func(d timex.Day) bool { return f.days[d]*2 > f.texts })
}

// explains reports whether a word around an original is not a surprise: a name, a date, a
// number, a word of most of this system's texts.
func (f *Frame) explains(o Original, w word) bool {
	if w.number || f.beside[w.norm] >= max(3, f.texts*3/4) {
		return true
	}
	for _, s := range append(slices.Clone(o.Speakers), o.Speaker, o.Role) {
		if slices.ContainsFunc(words(s), func(x word) bool { return x.norm == w.norm }) {
			return true
		}
	}
	return len(timex.Find(w.norm, 0)) > 0
}
