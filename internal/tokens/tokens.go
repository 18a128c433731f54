// Package tokens cuts text into search terms, in Chinese and English.
package tokens

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Token is a lower-case word of letters and digits, or a run of Han characters.
type Token struct {
	Text string
	Han  bool
}

// Split cuts text into words and Han runs. An apostrophe inside a word ends it when
// "s" follows and is omitted otherwise ("don't" is one word, "dont"; "Mel's" is "mel").
func Split(text string) []Token {
	var out []Token
	var b strings.Builder
	han := false
	flush := func() {
		if b.Len() > 0 {
			out = append(out, Token{b.String(), han})
			b.Reset()
		}
	}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		i += n
		switch {
		case unicode.Is(unicode.Han, r):
			if !han {
				flush()
			}
			han = true
			b.WriteRune(r)
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r):
			if han {
				flush()
			}
			han = false
			b.WriteRune(unicode.ToLower(r))
		case (r == '\'' || r == '’') && b.Len() > 0 && !han:
			next, m := utf8.DecodeRuneInString(text[i:])
			if next == 's' || next == 'S' {
				after, _ := utf8.DecodeRuneInString(text[i+m:])
				if !unicode.IsLetter(after) {
					i += m
					flush()
				}
			}
		default:
			flush()
		}
	}
	flush()
	return out
}

// Terms are the terms that an index counts: stemmed words that are not stop words;
// of each Han run its characters and its pairs of neighbours, without characters
// and pairs that are grammar only.
func Terms(text string) []string {
	var out []string
	for _, t := range Split(text) {
		if !t.Han {
			if !Stop(t.Text) {
				out = append(out, Stem(t.Text))
			}
			continue
		}
		var last rune
		for _, r := range t.Text {
			if last != 0 && !(FunctionRune(r) && FunctionRune(last)) {
				out = append(out, string(last)+string(r))
			}
			if !FunctionRune(r) {
				out = append(out, string(r))
			}
			last = r
		}
	}
	return out
}

// Stem strips plural and verb endings of English words. It is light on purpose:
// two forms of one word should meet, the stem need not be a word.
func Stem(w string) string {
	if s, ok := irregular[w]; ok {
		return s
	}
	n := len(w)
	switch {
	case n > 4 && strings.HasSuffix(w, "ies"):
		return w[:n-3] + "y"
	case n > 4 && (strings.HasSuffix(w, "sses") || strings.HasSuffix(w, "shes") || strings.HasSuffix(w, "ches") || strings.HasSuffix(w, "xes") || strings.HasSuffix(w, "zes")):
		return w[:n-2]
	case n > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is"):
		return finalE(w[:n-1])
	case n > 5 && strings.HasSuffix(w, "ing") && vowelIn(w[:n-3]):
		return undouble(w[:n-3])
	case n > 4 && strings.HasSuffix(w, "ied"):
		return w[:n-3] + "y"
	case n > 4 && strings.HasSuffix(w, "ed") && vowelIn(w[:n-2]):
		return undouble(w[:n-2])
	}
	return finalE(w)
}

func finalE(w string) string {
	if len(w) > 3 && w[len(w)-1] == 'e' {
		return w[:len(w)-1]
	}
	return w
}

func vowelIn(s string) bool { return strings.ContainsAny(s, "aeiouy") }

func undouble(w string) string {
	n := len(w)
	if n > 3 && w[n-1] == w[n-2] && strings.IndexByte("bdgmnprt", w[n-1]) >= 0 {
		return w[:n-1]
	}
	return finalE(w)
}

// irregular holds forms that endings do not show; a short list of common verbs.
var irregular = table("go went gone goes|buy bought|eat ate eaten|take took taken|make made|read reading|write wrote written|see saw seen|get got gotten|give gave given|run ran running|swim swam|teach taught|think thought|tell told|meet met|move moved moving moves|feel felt|find found|leave left|lose lost|sing sang sung|speak spoke spoken|win won|begin began begun|bring brought|choose chose chosen|draw drew drawn|drink drank|drive drove driven|fly flew flown|grow grew grown|know knew known|sell sold|send sent|spend spent|child children|person people|favourite favorite favorites favourites|colour color colors colours")

func table(s string) map[string]string {
	m := map[string]string{}
	for _, row := range strings.Split(s, "|") {
		forms := strings.Fields(row)
		base := finalE(forms[0])
		for _, f := range forms {
			m[f] = base
		}
	}
	return m
}

// Stop reports whether an English word (lower case, without apostrophe) carries no
// content. Negations are stop words for search; who needs polarity asks Negates.
func Stop(w string) bool { return stop[w] }

var stop = Set("a an the and or but if then so than too very just also of in on at to for from by with about as into onto over under up down out off is are was were be been being am do does did doing done has have had having will would shall should can could may might must not no nor i me my mine myself we us our ours you your yours he him his she her hers it its they them their theirs this that these those there here what which who whom whose when where why how s t d ll m o re ve y im ive id ill youre youve youll theyre hes shes thats whats its dont didnt doesnt isnt arent wasnt werent cant couldnt wont wouldnt shouldnt havent hasnt hadnt yeah yes ok okay oh wow hey hi hello well really actually quite some any all both more most other such only own same lets let got gonna wanna thing things something anything kind lot lots much many one ones time times")

// Negators turn a statement into its contrary in any position: the words on which all
// readers of polarity agree. What one of them adds (hardly, unable; 别 and 非, which are parts
// of other words more often) is beside that reader.
const (
	Negators    = "not no never none nothing nobody neither nor without cannot"
	HanNegators = "不 没 未 无"
)

// Negates reports whether a word (lower case) or a Han character is one of them.
func Negates(w string) bool { return negates[w] }

var negates = Set(Negators + " " + HanNegators)

// FunctionRune reports whether a Han character is mostly grammar, not content.
func FunctionRune(r rune) bool { return function[r] }

var function = func() map[rune]bool {
	m := map[rune]bool{}
	for _, r := range "的了着过吗呢吧啊呀哦嗯哈嘛啦呐哇是有在和与就都也还很太又再把被让给对从向到我你您他她它们这那哪些个么什谁怎样为以而且但或之其所会能要可不没么呗嘿哎唉诶一第应该" {
		m[r] = true
	}
	return m
}()

// Set is a set of blank-separated words.
func Set(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}
