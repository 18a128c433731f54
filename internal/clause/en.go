package clause

import (
	"slices"
	"strings"

	"membench/internal/depparse"
	"membench/internal/pattern"
	"membench/internal/timex"
)

// How English is read. The sentence is parsed (internal/depparse). Every word with a
// subject of its own, or that shares one by coordination, is a predicate. Subject, verb
// and polarity are those of the parse; the object runs from behind the verb to the end
// of the clause, since the parse cuts long objects short.

// An enSentence is one parsed sentence.
type enSentence struct {
	text     string
	start    int // of text in the input
	ws       []depparse.Word
	kids     [][]int // dependents of each word, ascending
	times    []timex.Expr
	question bool
	names    []string // who takes part in the talk
	lead     int      // bytes of text that the input does not have
}

func newEnSentence(text string, start int, question bool, o Options) *enSentence {
	lead := 0
	if strings.Contains(text, "no longer") { // as long, and the parser knows it
		text = noLonger.ReplaceAllString(isNoLonger.ReplaceAllString(text, "${1}not      "), "do not   ")
	}
	if w, rest, ok := strings.Cut(text, " "); ok && noted[strings.ToLower(w)] && (w != "Is" || !question) {
		// "Likes hiking": a note on the speaker, as memories write it.
		lead = len("User ")
		text, start = "User "+strings.ToLower(w)+" "+rest, start-lead
	}
	s := &enSentence{text: text, start: start, question: question, ws: depparse.Parse(text), names: o.Names, lead: lead}
	s.kids = make([][]int, len(s.ws))
	for i, w := range s.ws {
		if w.Head >= 0 && w.Head < len(s.ws) {
			s.kids[w.Head] = append(s.kids[w.Head], i)
		}
	}
	if hasTimeWord(s.ws) {
		s.times = timex.Find(text, o.Year)
	}
	return s
}

func (s *enSentence) low(i int) string {
	if i < 0 || i >= len(s.ws) {
		return ""
	}
	return strings.ToLower(s.ws[i].Form)
}

func (s *enSentence) kid(i int, rels ...string) int {
	for _, k := range s.kids[i] {
		if slices.Contains(rels, s.ws[k].Rel) {
			return k
		}
	}
	return -1
}

func isVerb(w depparse.Word) bool { return strings.HasPrefix(w.Tag, "V") }

var (
	noLonger   = pattern.New(`\bno longer\b`)
	isNoLonger = pattern.New(`((?:['’]m|['’]s|['’]re|\bam|\bis|\bare|\bwas|\bwere) )no longer\b`)
)

// noted are verbs that begin a note on the speaker.
var noted = set("likes loves enjoys prefers hates dislikes adores lives works owns has studies wants needs plans doesn't doesn’t tends is was visited bought moved started")

// readEN lists the facts of one sentence.
func readEN(s *enSentence) []Fact {
	var out []Fact
	for i := range s.ws {
		if !s.predicate(i) {
			continue
		}
		if f, ok := s.fact(i); ok {
			if s.lead > 0 {
				f.Start += s.lead
				f.Subject.Start, f.Subject.End = max(f.Subject.Start, f.Start), max(f.Subject.End, f.Start)
			}
			out = append(out, f)
		}
	}
	return out
}

// predicate reports whether word i is the core of a clause.
func (s *enSentence) predicate(i int) bool {
	w := s.ws[i]
	if s.kid(i, "nsubj", "nsubj:pass") >= 0 {
		return true
	}
	if !isVerb(w) && s.kid(i, "cop") < 0 {
		return false
	}
	switch w.Rel {
	case "root", "conj", "parataxis", "ccomp":
		return true
	case "advcl": // "… , helping them" is no statement of its own
		return false
	}
	return false
}

// shared is the predicate that lends word i its subject, or -1.
func (s *enSentence) shared(i int) int {
	for n := 0; n < 8 && s.ws[i].Rel == "conj" && s.ws[i].Head >= 0; n++ {
		i = s.ws[i].Head
		if s.kid(i, "nsubj", "nsubj:pass") >= 0 {
			return i
		}
	}
	return -1
}

// fact reads the clause of predicate i.
func (s *enSentence) fact(i int) (Fact, bool) {
	f := Fact{Start: s.start, End: s.start + len(s.text)}
	subj := s.kid(i, "nsubj", "nsubj:pass")
	governor := i
	if subj < 0 && s.kid(i, "expl", "csubj") >= 0 {
		return f, false
	}
	if subj < 0 {
		if g := s.shared(i); g >= 0 {
			governor, subj = g, s.kid(g, "nsubj", "nsubj:pass")
		}
	}
	inherits := governor != i
	switch {
	case subj >= 0:
		f.Subject = s.mention(subj)
		if s.ws[i].Rel == "acl:relcl" || s.ws[i].Rel == "acl" {
			if r := s.low(subj); r == "who" || r == "that" || r == "which" {
				f.Subject = s.mention(s.ws[i].Head)
			}
		}
	case s.droppedI(i):
		f.Subject = Mention{Kind: Speaker, Phrase: Phrase{Start: s.start + s.ws[i].Start, End: s.start + s.ws[i].Start}}
	default:
		return f, false
	}
	if f.Subject.Kind == NoOne {
		return f, false
	}
	v := s.verbGroup(i, subj, inherits)
	if inherits && len(v.aux) == 0 { // "I will go and see": the second verb is under the same auxiliary
		if tag := s.ws[i].Tag; tag == "VB" || tag == "VBG" || tag == "VBN" {
			g := s.verbGroup(governor, subj, false)
			v.aux = g.aux
		}
	}
	f.Verb = v.lemma
	if f.Verb == "" || emptyVerb[f.Verb] {
		return f, false
	}
	f.Negated = v.negated
	s.objects(i, v, &f)
	f.Tense, f.Modality = s.hold(i, subj, governor, v, &f)
	s.doubts(i, governor, &f)
	return f, slotEN(s, i, v, &f)
}

// doubts lowers the confidence of what parses of its kind often get wrong.
func (s *enSentence) doubts(i, governor int, f *Fact) {
	if governor != i {
		for k := governor + 1; k < i; k++ { // a nearer subject may be the right one
			if r := s.ws[k].Rel; (r == "nsubj" || r == "nsubj:pass" || r == "expl") && s.ws[k].Head != governor {
				f.Confidence -= 0.15
				break
			}
		}
		if s.kid(i, "cop") >= 0 {
			f.Confidence -= 0.1
		}
	}
	if r := s.ws[i].Rel; r == "advcl" && f.Tense == Present || r == "acl:relcl" && f.Subject.Kind != Speaker {
		f.Confidence -= 0.12
	}
}

// droppedI reports whether the clause starts with its verb and still states something
// of the speaker: "Just got back", "Love that film".
func (s *enSentence) droppedI(i int) bool {
	w := s.ws[i]
	if w.Rel != "root" && w.Rel != "parataxis" || s.question {
		return false
	}
	first := 0
	for first < i && (s.ws[first].Rel == "discourse" || s.ws[first].Rel == "punct" || s.ws[first].Rel == "advmod" || s.ws[first].Rel == "cc" || strings.HasPrefix(s.ws[first].Rel, "aux") || s.ws[first].Rel == "cop" || s.ws[first].Rel == "vocative") {
		first++
	}
	if first != i {
		return false
	}
	switch w.Tag {
	case "VBD":
		return true
	case "VBG", "VBN":
		return s.kid(i, "aux", "aux:pass") >= 0 || w.Tag == "VBG" && statesAlone[depparse.Verb(w.Form, w.Tag)]
	case "VBP", "VB":
		return attitude[depparse.Verb(w.Form, w.Tag)]
	}
	return s.kid(i, "cop") >= 0 && s.low(s.kid(i, "cop")) == "am"
}

// A verbGroup is the verb of a clause with what belongs to it.
type verbGroup struct {
	lemma   string
	head    int   // the word whose form tells the tense: the verb, or the copula
	end     int   // first word behind the group
	aux     []int // auxiliaries in order
	cop     bool
	passive bool
	negated bool
	chain   int // the verb that carries the meaning: "used to GO", "going to GO"; else the predicate
}

func (s *enSentence) verbGroup(i, subj int, inherits bool) verbGroup {
	v := verbGroup{head: i, end: i + 1, chain: i}
	w := s.ws[i]
	for _, k := range s.kids[i] {
		switch r := s.ws[k].Rel; {
		case r == "aux" || r == "aux:pass":
			if k > subj || inherits || s.question {
				v.aux = append(v.aux, k)
			}
			v.passive = v.passive || r == "aux:pass"
		case r == "cop":
			v.cop, v.head = true, k
		case s.low(k) == "longer" && s.low(k-1) == "no":
			v.negated = true
		case negWord(s.low(k)) && (r == "advmod" || r == "det" || k < i):
			if !(s.low(k) == "no" && r == "det") && k < v.head+8 && s.low(k+1) != "only" {
				v.negated = true
			}
		}
	}
	if s.ws[i].Rel == "nsubj:pass" {
		v.passive = true
	}
	if s.kid(i, "nsubj:pass") >= 0 {
		v.passive = true
	}
	switch {
	case v.cop:
		v.lemma, v.end = "be", v.head+1
		return v
	case isVerb(w) || w.Tag == "MD":
		v.lemma = depparse.Verb(w.Form, w.Tag)
	case w.Tag == "NN" || w.Tag == "JJ" || w.Tag == "NNP": // the tagger took a verb for something else
		v.lemma = depparse.Verb(w.Form, "VBP")
		if _, known := statives[v.lemma]; !known {
			v.lemma = ""
		}
	}
	if p := s.kid(i, "advmod"); p == i+1 && particles[s.low(p)] {
		v.lemma, v.end = v.lemma+" "+s.low(p), p+1
	} else if p := s.kid(i, "compound:prt"); p == i+1 || p == i+2 && !nounTag(s.ws[i+1].Tag) {
		v.lemma += " " + s.low(p)
		if p == i+1 {
			v.end = p + 1
		}
	}
	// "going to", "used to", "have to", "got to" are auxiliaries by meaning.
	if x := s.kid(i, "xcomp"); x > i && isVerb(s.ws[x]) {
		to := s.low(x-1) == "to" || s.low(x-1) == "na" || s.kid(x, "mark") >= 0
		switch {
		case v.lemma == "go" && w.Tag == "VBG" && to && x-i <= 3,
			v.lemma == "use" && w.Tag == "VBD" && to,
			v.lemma == "get" && w.Tag == "VBN" && to,
			v.lemma == "end up", v.lemma == "get" && to && w.Tag != "VBG":
			g := s.verbGroup(x, subj, true)
			g.aux = append(append(slices.Clone(v.aux), i), g.aux...)
			g.negated = g.negated || v.negated
			return g
		}
	}
	return v
}

func negWord(w string) bool {
	switch strings.ReplaceAll(w, "’", "'") {
	case "not", "n't", "nt", "never", "hardly", "barely", "neither", "no":
		return true
	}
	return false
}

func nounTag(t string) bool {
	return strings.HasPrefix(t, "NN") || t == "PRP" || t == "PRP$" || t == "DT"
}
