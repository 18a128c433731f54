package textnorm

import (
	"testing"
	"unicode/utf8"
)

func TestWholeQuotes(t *testing.T) {
	for in, want := range map[string]string{
		`“So we went`:          `So we went`,
		`and then.”`:           `and then.`,
		`他说：“我来了`:              `他说：我来了`,
		`“a” and “b`:           `“a” and b`,
		`喝「龙井`:                 `喝龙井`,
		`「『a』`:                 `『a』`,
		`a“”b”`:                `a“”b`,
		`“one “two”`:           `one “two”`,
		`"So we went`:          `So we went`,
		`we went."`:            `we went.`,
		`a 12" pizza`:          `a 12" pizza`,
		`it is 12"`:            `it is 12"`,
		`say "this" and that`:  `say "this" and that`,
		`It’s ‘fine’`:          `It’s ‘fine’`,
		`„Guten Tag“ sagt sie`: `„Guten Tag“ sagt sie`,
		``:                     ``,
		`"`:                    ``,
	} {
		if have := WholeQuotes(in); have != want {
			t.Errorf("%q: have %q, want %q", in, have, want)
		}
	}
}

func FuzzWholeQuotes(f *testing.F) {
	f.Add("“a「b”c\"")
	f.Fuzz(func(t *testing.T, s string) {
		once := WholeQuotes(s)
		if len(once) > len(s) || utf8.ValidString(s) && !utf8.ValidString(once) {
			t.Errorf("%q: have %q", s, once)
		}
		if again := WholeQuotes(once); again != once && len(again) > len(once) {
			t.Errorf("%q: %q, then %q", s, once, again)
		}
	})
}
