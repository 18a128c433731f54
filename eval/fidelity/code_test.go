package fidelity

import (
	"encoding/ascii85"
	"encoding/base32"
	"fmt"
	"strings"
	"testing"

	"membench/schema"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// TestCodes reads texts in codes by what the two texts have in common, and no other text of
// the same length for one.
func TestCodes(t *testing.T) {
	each := func(f func(rune) string) func(string) string {
		return func(s string) string {
			var b strings.Builder
			for _, r := range s {
				b.WriteString(f(r))
			}
			return b.String()
		}
	}
	bytes := func(form, between string) func(string) string {
		return func(s string) string {
			var out []string
			for i := range len(s) {
				out = append(out, fmt.Sprintf(form, s[i]))
			}
			return strings.Join(out, between)
		}
	}
	read := func(e encoding.Encoding) func(string) string {
		return func(s string) string { out, _ := e.NewDecoder().String(s); return out }
	}
	codes := map[string]func(string) string{
		"ROT47": each(func(r rune) string {
			if r > ' ' && r < 0x7f {
				return string(33 + (r-33+47)%94)
			}
			return string(r + 5)
		}),
		"Windows-1252": read(charmap.Windows1252), "KOI8-R": read(charmap.KOI8R), "EBCDIC": read(charmap.CodePage037),
		"hex": bytes("%02x", ""), "hex with blanks": bytes("%02X", " "), "bits": bytes("%08b", ""), "bytes": bytes("%d", " "), "escapes": bytes(`\x%02x`, ""),
		"UTF-16": func(s string) string {
			out, _ := unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewEncoder().String(s)
			return read(charmap.ISO8859_1)(out)
		},
		"base32": func(s string) string { return base32.StdEncoding.EncodeToString([]byte(s)) },
		"ascii85": func(s string) string {
			b := make([]byte, ascii85.MaxEncodedLen(len(s)))
			return string(b[:ascii85.Encode(b, []byte(s))])
		},
		"scanner": strings.NewReplacer("o", "0", "l", "1", "s", "5", "a", "4", "e", "€", "我", "戈", "的", "旳", "了", "孒", "在", "茌", "是", "昰", "这", "迓").Replace,
	}
	texts := []string{"The piano exam is on 25 August 2026, and I am nervous already.", "My favourite soup is goulash, nothing else comes near.", "我的牙医是沈医生，离这里两条街，我在那里等了很久。"}
	for name, code := range codes {
		for _, text := range texts {
			if code(text) == text {
				continue
			}
			if d := Compare(Original{Text: text, Speakers: []string{"Ines", "林晓"}}, "Ines: "+code(text), nil); d.Kind != schema.FaultEncoding && (name != "scanner" || d.Kind != schema.FaultWords) {
				t.Errorf("%s of %q: %q (%s)", name, text, d.Kind, d.Marked)
			}
		}
	}
	for _, c := range [][2]string{
		{"The piano exam is on 25 August 2026, and I am nervous already.", "The lift broke and so I took the long stairs, up and up, again"},
		{"My favourite soup is goulash, nothing else comes near.", "ines -- gets -- lots_of_help_from_this_group/assistance_group_at_the_corner"},
		{"我的牙医是沈医生，离这里两条街。", "电梯坏了所以我走楼梯上去，累坏了"},
	} {
		if d := Compare(Original{Text: c[0]}, c[1], nil); d.Kind != schema.FaultOther {
			t.Errorf("%q: %q", c[1], d.Kind)
		}
	}
}
