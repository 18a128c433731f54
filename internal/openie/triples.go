package openie

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"membench/internal/textnorm"
)

// A Term is one end of a triple: an entity type of the catalogue and the parts that
// its id is made of (one, or work and title for a Chapter). Names are short and
// canonical: no title marks, quotes, articles or particles around them.
type Term struct {
	Type  string
	Parts []string
}

// A Triple is one thing that a sentence says, with the names of the built-in
// catalogue. The zero Subject is the speaker.
type Triple struct {
	Subject    Term
	Predicate  string // the negative of the pair where the sentence denies
	Object     Term
	Rank       int     // 1 = "favourite", 2 = "second favourite"; 0: the text does not rank
	Confidence float64 // [0.60,0.98]; see the bands below
	Sentence   Sentence
}

// Bands of confidence. What is below 0.60 is not reported.
const (
	direct      = 0.95 // the sentence asserts it in so many words
	plainly     = 0.90
	clear       = 0.82 // clear, but unbounded or by implication
	weak        = 0.76
	interpreted = 0.66 // needs interpretation
)

// TripleOptions say how a text is to be read.
type TripleOptions struct {
	Names []string // how the speaker is called: "lin likes tea" is then about the speaker
	Ops   bool     // look for alerts, causes, fixes and the like too
	Alert string   // the alert that was spoken of last, for sentences that name none
	Thing string   // the same for any service, host or alert
}

// Spoken returns the alert and the thing that a text spoke of last; what it names
// none of stays as it was.
func (o TripleOptions) Spoken(text string) (alert, thing string) {
	alert, thing = o.Alert, o.Thing
	for _, n := range opsAny.FindAllString(text, -1) {
		switch opsType(n) {
		case "Alert":
			alert, thing = n, n
		case "Service", "Host":
			thing = n
		}
	}
	if alert == o.Alert && hasHan(text) {
		if a := zhSpoken(text); a != "" {
			alert = a
		}
	}
	return alert, thing
}

// longSentence is the length in bytes above which a sentence is a log, a list or a
// blob, and says nothing of its speaker that a pattern could tell.
const longSentence = 8 << 10

// opsBefore is how many sentences back the thing that is spoken of may have been named.
const opsBefore = 50

// Triples reads the statements that a speaker makes about itself, and with Ops those
// about systems. Questions, wishes, conditions, hedges, jokes, quoted speech and the
// tastes of third persons give nothing. The order is that of the text.
func Triples(text string, o TripleOptions) []Triple {
	var out []Triple
	seen := map[string]bool{}
	ss := Sentences(text)
	en := enReader{o: o}
	for i, s := range ss {
		if len(s.Text) > longSentence {
			continue
		}
		if s.Question && hasLatinWord(s.Text+" x") {
			en.sentence(s.Text, true)
		}
		if i+1 < len(ss) && retracts(ss[i+1].Text) {
			continue
		}
		var ts []Triple
		if o.Ops {
			ts = opsTriples(s.Text, ss[max(0, i-opsBefore):i], o)
		}
		ops := len(ts) > 0
		if !s.Question && !ops {
			plain := dropSpeech(s.Text)
			if hasHan(plain) {
				ts = append(ts, zhTriples(plain, o)...)
			}
			if hasLatinWord(plain) {
				ts = append(ts, en.sentence(plain, false)...)
			}
		}
		for _, t := range ts {
			if t.Confidence < 0.60 || !t.Object.ok() {
				continue
			}
			t.Sentence = s
			t.Confidence = min(t.Confidence, 0.98)
			if k := t.key(); !seen[k] {
				seen[k] = true
				out = append(out, t)
			}
		}
	}
	return out
}

// key is equal for triples that say the same.
func (t Triple) key() string {
	parts := append([]string{t.Predicate, t.Subject.Type}, t.Subject.Parts...)
	parts = append(parts, "\x01", t.Object.Type)
	for _, p := range t.Object.Parts {
		parts = append(parts, textnorm.Key(p))
	}
	return strings.Join(parts, "\x00")
}

// ok reports whether a name is left after cleaning: something with a letter or digit
// in it that is neither too long for an id nor only punctuation.
func (t Term) ok() bool {
	if t.Type == "" || len(t.Parts) == 0 {
		return false
	}
	last := t.Parts[len(t.Parts)-1]
	return utf8.RuneCountInString(last) <= 80 && textnorm.Key(last) != "" && strings.IndexFunc(last, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) >= 0
}

// negativeOf pairs predicates by polarity, as the catalogue does.
var negativeOf = map[string]string{
	"PREFERS_AUTHOR": "DISLIKES_AUTHOR", "FAVORITE_WORK": "DISLIKES_WORK", "DISCUSSED_WORK": "HAS_NOT_DISCUSSED_WORK",
	"DISCUSSED_CHAPTER": "HAS_NOT_DISCUSSED_CHAPTER", "PREFERS_NARRATIVE_STYLE": "DISLIKES_NARRATIVE_STYLE", "SELF_TRAIT": "LACKS_TRAIT",
	"TRIED_STYLE": "HAS_NOT_TRIED_STYLE", "SELF_CRITIQUE": "NO_SELF_CRITIQUE", "PREFERS_TOPIC": "DISLIKES_TOPIC",
	"AFFECTS": "DOES_NOT_AFFECT", "CAUSED_BY": "NOT_CAUSED_BY", "FIXED_BY": "NOT_FIXED_BY", "HANDLED_BY": "NOT_HANDLED_BY",
	"OWNED_BY": "NOT_OWNED_BY", "RUNS_ON": "DOES_NOT_RUN_ON", "DEPENDS_ON": "DOES_NOT_DEPEND_ON", "HAS_SETTING": "LACKS_SETTING",
}

func polar(predicate string, negated bool) string {
	if negated {
		return negativeOf[predicate]
	}
	return predicate
}

// liking makes the triple of a like or dislike of a thing, by what the thing is.
func liking(k kind, parts []string, negated bool, rank int, conf float64) Triple {
	t := Triple{Rank: rank, Confidence: conf}
	if negated {
		t.Rank = 0
	}
	switch k {
	case kindAuthor:
		t.Predicate, t.Object = polar("PREFERS_AUTHOR", negated), Term{"Author", parts}
	case kindWork:
		t.Predicate, t.Object = polar("FAVORITE_WORK", negated), Term{"Work", parts}
	case kindStyle:
		t.Predicate, t.Object, t.Rank = polar("PREFERS_NARRATIVE_STYLE", negated), Term{"Topic", parts}, 0
	case kindChapter:
		t.Predicate, t.Object, t.Rank, t.Confidence = "DISCUSSED_CHAPTER", Term{"Chapter", parts}, 0, conf-0.08
	case kindDeed:
		t.Predicate, t.Object = polar("PREFERS_TOPIC", negated), Term{"Tag", parts}
	default:
		t.Predicate, t.Object = polar("PREFERS_TOPIC", negated), Term{"Topic", parts}
	}
	return t
}

type kind uint8

const (
	kindTopic kind = iota
	kindAuthor
	kindWork
	kindChapter
	kindStyle
	kindDeed // something done rather than a thing
)

// retracts reports whether a sentence takes back the one before it.
func retracts(s string) bool {
	s = strings.ToLower(s)
	for _, w := range []string{"开玩笑", "逗你", "骗你的", "瞎说的", "我乱说", "说着玩", "just kidding", "i'm kidding", "i’m kidding", "only joking", "i'm joking", "just joking"} {
		if strings.Contains(s, w) {
			return utf8.RuneCountInString(s) <= 30
		}
	}
	return false
}

var quotePairs = []struct{ open, close string }{{"“", "”"}, {"「", "」"}, {"『", "』"}, {"\"", "\""}}

// dropSpeech cuts out quoted speech: quotes after a word of saying or a colon, and
// quotes that hold a whole sentence. Quoted titles stay.
func dropSpeech(s string) string {
	for _, q := range quotePairs {
		from := 0
		for {
			i := strings.Index(s[from:], q.open)
			if i < 0 {
				break
			}
			i += from
			j := strings.Index(s[i+len(q.open):], q.close)
			if j < 0 {
				break
			}
			j += i + len(q.open)
			inner := s[i+len(q.open) : j]
			before := strings.TrimRight(s[:i], " ,，:：")
			after := strings.TrimLeft(s[j+len(q.close):], " ,，")
			if speech(inner, before, after, s[:i]) {
				s = s[:i] + " … " + s[j+len(q.close):]
				from = i + len(" … ")
			} else {
				from = j + len(q.close)
			}
		}
	}
	return s
}

func speech(inner, before, after, rawBefore string) bool {
	for _, w := range []string{"说", "问", "道", "喊", "回", "写", "讲", "念叨", " said", " says", " say", " asked", " told me", " goes", " replied", " like,"} {
		if strings.HasSuffix(before, w) {
			return true
		}
	}
	low := strings.ToLower(after)
	for _, w := range []string{"said", "says", "as my", "asked", "he ", "she ", "they "} {
		if strings.HasPrefix(low, w) {
			return true
		}
	}
	if strings.HasSuffix(strings.TrimRight(rawBefore, " "), ":") || strings.HasSuffix(rawBefore, "：") {
		return true
	}
	return strings.ContainsAny(inner, "？?！!。") && utf8.RuneCountInString(inner) > 8 || strings.ContainsAny(inner, "你我") && utf8.RuneCountInString(inner) > 5 && strings.ContainsAny(inner, "，,。")
}

func hasHan(s string) bool { return strings.IndexFunc(s, textnorm.IsHan) >= 0 }

// hasLatinWord reports whether s has at least two words of Latin letters in a row:
// one alone is a name in a Chinese sentence.
func hasLatinWord(s string) bool {
	n := 0
	for _, w := range strings.Fields(s) {
		if w != "" && w[0] < utf8.RuneSelf && unicode.IsLetter(rune(w[0])) {
			if n++; n == 2 {
				return true
			}
		} else {
			n = 0
		}
	}
	return false
}

// trimAny strips the given prefixes and suffixes as long as something changes and
// something is left.
func trimAny(s string, prefixes, suffixes []string) string {
	for {
		was := s
		s = strings.TrimFunc(s, func(r rune) bool {
			return unicode.IsSpace(r) || strings.ContainsRune(".,;:!?。，；：！？、…·～~-—–()（）", r)
		})
		for _, p := range prefixes {
			if t, ok := strings.CutPrefix(s, p); ok && t != "" {
				s = t
			}
		}
		for _, p := range suffixes {
			if t, ok := strings.CutSuffix(s, p); ok && t != "" {
				s = t
			}
		}
		if s == was {
			return s
		}
	}
}

// Positive is the positive predicate of the triple's pair, and whether it is denied.
func (t Triple) Positive() (predicate string, negated bool) {
	for pos, neg := range negativeOf {
		if neg == t.Predicate {
			return pos, true
		}
	}
	return t.Predicate, false
}
