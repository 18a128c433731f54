package textnorm

import (
	"strings"
	"testing"
)

func TestLinks(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"no link: here // or :// there", ""},
		{"see https://shop.example/x?a=1,2&b=3.", "https://shop.example/x?a=1,2&b=3"},
		{"(www.example.org) and geo+x://a!", "www.example.org geo+x://a"},
		{"看https://a.example/b这个", "https://a.example/b"},
		{"http://a.example http://b.example", "http://a.example http://b.example"},
	} {
		var got []string
		for from, to := range Links(c.text) {
			got = append(got, c.text[from:to])
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q: have %q, want %q", c.text, got, c.want)
		}
		bare := WithoutLinks(c.text)
		if len(bare) != len(c.text) || strings.Contains(bare, "example") {
			t.Errorf("%q: without links %q", c.text, bare)
		}
	}
}

// A text full of beginnings takes no more than its length.
func TestManyLinks(t *testing.T) {
	for _, text := range []string{strings.Repeat("://", 1<<19), strings.Repeat("a", 1<<20) + "://", strings.Repeat("www.", 1<<18)} {
		if bare := WithoutLinks(text); len(bare) != len(text) {
			t.Errorf("%d of %d bytes", len(bare), len(text))
		}
	}
}
