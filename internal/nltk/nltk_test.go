package nltk

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// row is one answer of NLTK 3.9.1 to an invented text: random words, quotes, blanks and
// stops (s, sents, w), or a random word of rule suffixes (s, stem).
type row struct {
	S     string   `json:"s"`
	Sents []string `json:"sents"`
	Words []string `json:"w"`
	Stem  *string  `json:"stem"`
}

func TestAsNLTK(t *testing.T) {
	name := "testdata/nltk3.9.1.jsonl.gz"
	if n := os.Getenv("MEMBENCH_NLTK_ROWS"); n != "" {
		name = n // a larger file of the same form
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	s := bufio.NewScanner(z)
	s.Buffer(nil, 1<<20)
	var tok Tokenizer
	texts, words, bad := 0, 0, 0
	for s.Scan() {
		var r row
		if err := json.Unmarshal(s.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		if r.Stem != nil {
			words++
			if have := Stem(r.S); have != *r.Stem {
				bad++
				t.Errorf("Stem(%q): have %q, want %q", r.S, have, *r.Stem)
			}
		} else {
			texts++
			if have := SentTokenize(r.S); !slices.Equal(have, r.Sents) {
				bad++
				t.Errorf("SentTokenize(%q):\nhave %q\nwant %q", r.S, have, r.Sents)
			}
			var have []string
			for _, w := range tok.Words(r.S) {
				have = append(have, string(w))
			}
			if !slices.Equal(have, r.Words) {
				bad++
				t.Errorf("WordTokenize(%q):\nhave %q\nwant %q", r.S, have, r.Words)
			}
		}
		if bad > 10 {
			t.Fatal("and more")
		}
	}
	if s.Err() != nil || texts < 1000 || words < 1000 {
		t.Fatal(s.Err(), texts, words)
	}
	t.Logf("%d texts, %d words", texts, words)
}

// FuzzTokenize: nothing panics, no letter is lost.
func FuzzTokenize(f *testing.F) {
	for _, s := range []string{"", "It's 5 p.m. on \"Monday\"!", "a.) b", "cannot", "...", "你好。 ok", "\xff'", ". . . ."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		sents := SentTokenize(s)
		n := 0
		for _, x := range sents {
			n += len(x)
		}
		if n > len(s) {
			t.Errorf("sentences of %q are longer than it: %q", s, sents)
		}
		letters := func(s string) int {
			n := 0
			for _, r := range s {
				if r >= 'a' && r <= 'z' || r > 0x4e00 && r < 0x9fff {
					n++
				}
			}
			return n
		}
		if have, want := letters(strings.Join(WordTokenize(s), " ")), letters(s); have != want {
			t.Errorf("%q: have %d letters in words, want %d", s, have, want)
		}
		Stem(s)
	})
}

func BenchmarkWords(b *testing.B) {
	var t Tokenizer
	s := "she went hiking, and swimming with melanie's kids on 7 may 2023"
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		t.Words(s)
	}
}

func BenchmarkStem(b *testing.B) {
	ws := strings.Fields("she went hiking and swimming with melanies kids generally archaeology conversations")
	buf := make([]byte, 0, 64)
	for b.Loop() {
		for _, w := range ws {
			buf = AppendStem(buf[:0], w)
		}
	}
}
