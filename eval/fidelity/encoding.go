package fidelity

import (
	"encoding/base32"
	"encoding/base64"
	"html"
	"io"
	"iter"
	"mime/quotedprintable"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"membench/internal/textnorm"
	"membench/schema"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/unicode/norm"
)

// encoded reports whether a text is the original in another encoding: undoing one or two
// of them, or looking past the characters that one lost, gives the original.
func encoded(o Original, want []word, got string) (Difference, bool) {
	text := o.Text
	d := Difference{Kind: schema.FaultEncoding, Marked: mark(deletion(text), insertion(got))}
	texts := []string{got}
	if said := o.unlabelled(got); said != got {
		texts = append(texts, said) // names and dates before it may be as they were
	}
	plain := align(want, words(got)).kept()
	for t := range Decoded(texts...) {
		if decoded := words(t); within(want, decoded) >= 0 {
			d.Kept = 1
			return d, true
		} else if a := align(want, decoded); a.kept() > 0.8 && a.kept() > plain+0.2 {
			d.Kept = a.kept()
			return d, true
		}
	}
	for _, undo := range undoes { // decoded once more than it was encoded
		if t, ok := undo(text); ok && t != text && !left([]rune(text), []rune(t)) && within(want, words(t)) < 0 && len(words(t)) > 1 && within(words(t), words(got)) >= 0 {
			return d, true
		}
	}
	if lossy(text, got) || unread(text, want, got) || slices.ContainsFunc(texts, func(s string) bool { return disguised(text, want, s) }) {
		return d, true
	}
	return d, false
}

// Decoded yields what undoing one or two common encodings makes of texts: all that one undoes first.
func Decoded(texts ...string) iter.Seq[string] {
	return func(yield func(string) bool) {
		tries := texts
		for range 2 {
			var next []string
			for _, s := range tries {
				for _, undo := range undoes {
					if t, ok := undo(s); ok && t != s && t != texts[0] && !slices.Contains(next, t) {
						if !yield(t) {
							return
						}
						next = append(next, t)
					}
				}
			}
			tries = next
		}
	}
}

// undoes are the ways back from common encodings of text.
var undoes = append([]func(string) (string, bool){
	func(s string) (string, bool) { return html.UnescapeString(s), true },
	func(s string) (string, bool) { return unescape(s), strings.Contains(s, `\`) },
	func(s string) (string, bool) { t, err := url.QueryUnescape(s); return t, err == nil },
	func(s string) (string, bool) { t, err := url.PathUnescape(s); return t, err == nil },
	func(s string) (string, bool) {
		b, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(s)))
		return string(b), err == nil && strings.Contains(s, "=") && utf8.Valid(b)
	},
	func(s string) (string, bool) { return packed(s, base64.StdEncoding.DecodeString, "+/=") },
	func(s string) (string, bool) { return packed(s, base64.RawStdEncoding.DecodeString, "+/") },
	func(s string) (string, bool) { return packed(s, base64.URLEncoding.DecodeString, "-_=") },
	func(s string) (string, bool) { return packed(s, base64.RawURLEncoding.DecodeString, "-_") },
	func(s string) (string, bool) { return packed(s, base32.StdEncoding.DecodeString, "=") },
	hexadecimal,
	func(s string) (string, bool) { return strings.Map(digitOf, s), true },
	func(s string) (string, bool) { r := []rune(s); slices.Reverse(r); return string(r), true },
}, legacy()...)

// legacy are texts whose UTF-8 was read as another character set.
func legacy() (out []func(string) (string, bool)) {
	latin1 := func(s string) (string, bool) { // also where the set has no sign at a place
		b := make([]byte, 0, len(s))
		for _, r := range s {
			if x, ok := charmap.Windows1252.EncodeRune(r); ok {
				b = append(b, x)
			} else if r < 0x100 {
				b = append(b, byte(r))
			} else {
				return "", false
			}
		}
		return string(b), utf8.Valid(b)
	}
	out = append(out, latin1)
	for _, e := range []encoding.Encoding{charmap.Macintosh, simplifiedchinese.GB18030, traditionalchinese.Big5, japanese.ShiftJIS, korean.EUCKR} {
		out = append(out, func(s string) (string, bool) {
			b, err := e.NewEncoder().Bytes([]byte(s))
			return strings.ToValidUTF8(string(b), ""), err == nil
		})
	}
	return out
}

// packed decodes the runs of s that an alphabet allows, in their places.
func packed(s string, decode func(string) ([]byte, error), extra string) (string, bool) {
	in := func(r rune) bool {
		return r <= unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(extra, r))
	}
	found := false
	for _, run := range strings.FieldsFunc(s, func(r rune) bool { return !in(r) }) {
		if len(run) < 16 {
			continue
		}
		if b, err := decode(run); err == nil && utf8.Valid(b) {
			s, found = strings.Replace(s, run, string(b), 1), true
		}
	}
	return s, found
}

var escape = regexp.MustCompile(`\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{2}|[0-7]{3}|[nrtabfv"'\\/])`)

// unescape undoes the escapes of JSON, Go, C and Python, byte escapes of UTF-8 too.
func unescape(s string) string {
	var b []byte
	at := 0
	for _, m := range escape.FindAllStringIndex(s, -1) {
		b = append(b, s[at:m[0]]...)
		at = m[1]
		switch e := s[m[0]+1 : m[1]]; e[0] {
		case 'u', 'U':
			n, _ := strconv.ParseUint(e[1:], 16, 32)
			b = utf8.AppendRune(b, rune(n))
		case 'x':
			n, _ := strconv.ParseUint(e[1:], 16, 8)
			b = append(b, byte(n))
		case 'n', 'r', 't', 'a', 'b', 'f', 'v':
			b = append(b, ' ')
		case '"', '\'', '\\', '/':
			b = append(b, e[0])
		default:
			n, _ := strconv.ParseUint(e, 8, 8)
			b = append(b, byte(n))
		}
	}
	return strings.ToValidUTF8(string(append(b, s[at:]...)), "")
}

// hexadecimal reads the bytes written as separate pairs of digits, anywhere in a dump.
func hexadecimal(s string) (string, bool) {
	var b []byte
	for f := range strings.FieldsFuncSeq(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		f = strings.TrimPrefix(f, "0x")
		if x, err := strconv.ParseUint(f, 16, 8); err == nil && len(f) == 2 {
			b = append(b, byte(x))
		}
	}
	return string(b), len(b) >= leastSigns && utf8.Valid(b)
}

// digitOf returns the ASCII digit for a digit of another script.
func digitOf(r rune) rune {
	if !unicode.Is(unicode.Nd, r) {
		return r
	}
	zero := r // the ten digits of a script are in a row
	for unicode.Is(unicode.Nd, zero-1) && r-zero < 9 {
		zero--
	}
	return '0' + r - zero
}

// lossy reports whether got is text whose characters beyond ASCII, or their accents, were removed or replaced by a placeholder.
func lossy(text, got string) bool {
	standIn := func(r rune) bool { return r == '?' || r == '\uFFFD' || r == '□' || r == '*' }
	bare := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r >= 0x80 || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				return -1
			}
			return unicode.ToLower(r)
		}, s)
	}
	beyond := func(s string) (n int) {
		for _, r := range s {
			if r >= 0x80 && r != '\uFFFD' && unicode.IsLetter(r) {
				n++
			}
		}
		return n
	}
	if masked([]rune(textnorm.Collapse(text)), []rune(textnorm.Collapse(got)), standIn) {
		return true
	}
	if beyond(text) == 0 {
		return false
	}
	if b := bare(text); len(b) >= 8 && strings.Contains(bare(got), b) && beyond(got) == 0 {
		return true
	}
	if plain := strings.Map(unaccented, norm.NFD.String(text)); plain != text && within(words(plain), words(got)) >= 0 {
		return true
	}
	stood := 0
	for _, r := range got {
		if standIn(r) {
			stood++
		}
	}
	return stood >= 4 && stood*2 >= beyond(text) && beyond(got) < beyond(text)
}

// unread reports whether a text has the sign for bytes that no character set has, and it is
// more than the last character of a text that was cut.
func unread(text string, want []word, got string) bool {
	const sign = '\uFFFD'
	if strings.ContainsRune(text, sign) || !strings.ContainsRune(got, sign) {
		return false
	}
	return strings.ContainsRune(strings.TrimRight(got, "\uFFFD"), sign) || align(want, words(got)).kept() < foreignBelow
}

// masked reports whether got contains text with some letters replaced by a placeholder each: at least four letters, in several places, none of which was a
// placeholder before.
func masked(text, got []rune, standIn func(rune) bool) bool {
	for at := 0; at+len(text) <= len(got); at++ {
		n, hidden, runs, letters := 0, 0, 0, 0
		for n < len(text) && (text[n] == got[at+n] || standIn(got[at+n])) {
			if text[n] != got[at+n] {
				if hidden++; n == 0 || text[n-1] == got[at+n-1] {
					runs++
				}
				if !unicode.IsDigit(text[n]) {
					letters++
				}
			}
			n++
		}
		if n == len(text) && hidden >= 4 && (runs > 1 && letters > 0 || hidden*2 >= len(text)) { // one run, or digits alone, are values that were masked
			return true
		}
	}
	return false
}

func unaccented(r rune) rune {
	if unicode.Is(unicode.Mn, r) {
		return -1
	}
	return r
}

// disguised reports whether a text is the original letter by letter in other letters: few
// words are as they were, and it is in a code, or the marks are in the same places and there
// are several of them, or no words.
func disguised(text string, want []word, got string) bool {
	if align(want, words(got)).kept() >= 0.5 {
		return false
	}
	if coded(text, got) {
		return true
	}
	a, b := []rune(strings.TrimSpace(text)), []rune(strings.TrimSpace(got))
	nonsense := gibberish(got)
	if len(a) != len(b) || len(a) < leastDisguised && !nonsense {
		return false
	}
	letter := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	changed, marks := 0, 0
	for i, r := range a {
		switch {
		case r != b[i] && !(letter(r) && letter(b[i])):
			return false
		case r != b[i]:
			changed++
		case !letter(r):
			marks++
		}
	}
	return changed*5 >= len(a) && (marks >= 2 && len(want) >= 5 && !strings.ContainsFunc(got, textnorm.IsHan) || nonsense)
}

// leastDisguised is how long a text must be to be known by the places of its marks.
const leastDisguised = 10

// encodedSigns reports whether a text without words may be one all the same: signs for its
// letters.
func encodedSigns(got string) bool { return strings.ContainsAny(got, "?\uFFFD□*%&\\") }
