package published

import (
	"fmt"
	"slices"
	"strings"

	"membench/schema"
)

// unread is the code of a recorded verdict or score that cannot be read: it is lost, its answer is not.
const unread = "PUB003"

// Verdicts are the words of a file for right and wrong answers, in addition to the usual ones and before them. Case and blanks around them do not matter.
type Verdicts struct{ Right, Wrong []string }

// The usual words.
var known = Verdicts{
	Right: strings.Fields("true yes y correct right pass passed accept accepted ok 1 1.0 ✓ ✔ ☑ ✅ 正确 对 是 通过 richtig korrekt wahr ja bestanden vrai oui juste correcto correcta verdadero sí"),
	Wrong: strings.Fields("false no n incorrect wrong fail failed reject rejected 0 0.0 ✗ ✘ ☒ ❌ × 错误 不正确 错 不对 否 不是 不通过 未通过 falsch inkorrekt unwahr nein faux non incorrecto incorrecta falso"),
}

// Set reads right=WORD,wrong=WORD; each may be repeated. An error says what is not of this form, and that a word is both.
func (v *Verdicts) Set(s string) error {
	for pair := range strings.SplitSeq(s, ",") {
		side, word, _ := strings.Cut(pair, "=")
		word = plainWord(word)
		switch into := map[string]*[]string{"right": &v.Right, "wrong": &v.Wrong}[strings.TrimSpace(side)]; {
		case into == nil || word == "":
			return fmt.Errorf("found %q, expected right=WORD or wrong=WORD", pair)
		default:
			*into = append(*into, word)
		}
	}
	for _, w := range v.Right {
		if slices.Contains(v.Wrong, w) {
			return fmt.Errorf("%q is right and wrong", w)
		}
	}
	return nil
}

// String is the words as Set reads them.
func (v *Verdicts) String() string {
	var out []string
	for _, w := range v.Right {
		out = append(out, "right="+w)
	}
	for _, w := range v.Wrong {
		out = append(out, "wrong="+w)
	}
	return strings.Join(out, ",")
}

// Type names the value in help.
func (*Verdicts) Type() string { return "words" }

// plainWord is a verdict in small letters, without blanks, a full stop, quotation marks and the mark for a coloured sign.
func plainWord(s string) string {
	return strings.Trim(strings.ToLower(s), " \t\r\n.。!\"'\ufe0f")
}

// read reads a recorded verdict; ok is false where its word is not known.
func (v *Verdicts) read(s string) (yes, ok bool) {
	s = plainWord(s)
	for _, words := range []*Verdicts{v, &known} {
		if yes = slices.Contains(words.Right, s); yes || slices.Contains(words.Wrong, s) {
			return yes, true
		}
	}
	return false, false
}

// wanted says which verdicts can be read: where the verdicts of a table are two words, how to say which is right.
func (f *file) wanted() string {
	if f.columns != nil && f.words == nil {
		f.words = []string{}
		for r, err := range f.table() {
			if err != nil {
				continue
			}
			for _, s := range f.verdicts(r) {
				if w := plainWord(s.Text); !slices.Contains(f.words, w) && len(f.words) < 3 {
					f.words = append(f.words, w)
				}
			}
		}
	}
	if len(f.words) == 2 {
		a, b := f.words[0], f.words[1]
		return fmt.Sprintf("--verdicts right=%s,wrong=%s, or the other way round: the column has these two", a, b)
	}
	return "true or false, yes or no, pass or fail, 1 or 0 …, or your words with --verdicts right=WORD,wrong=WORD"
}

// lost separates a finding about a verdict or score, whose answer is kept, from one that rejects the row or warns.
func lost(err error) (kept bool) {
	f, ok := err.(*schema.Finding)
	return ok && f.Code == unread
}
