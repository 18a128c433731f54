package tokens

import (
	_ "embed"
	"strings"
	"sync"
)

// Kin returns terms of words that mean nearly what words of the text mean, or are
// examples of them, in both languages: who asks for a "drink" should meet "tea" and
// "咖啡". It is a small everyday lexicon, no thesaurus; a term of the text itself is
// never among them. The order is fixed.
func Kin(text string) []string {
	have := map[string]bool{}
	for _, t := range Terms(text) {
		have[t] = true
	}
	words := map[string]bool{}
	han := ""
	for _, t := range Split(text) {
		if t.Han {
			han += t.Text + " "
		} else {
			words[Stem(t.Text)] = true
		}
	}
	var out []string
	seen := map[string]bool{}
	for _, g := range groups() {
		hit := false
		for _, w := range g.heads {
			if w.han && strings.Contains(han, w.text) || !w.han && words[w.text] {
				hit = true
				break
			}
		}
		if !hit {
			continue
		}
		for _, t := range g.terms {
			if !have[t] && !seen[t] {
				seen[t] = true
				out = append(out, t)
			}
		}
	}
	return out
}

type word struct {
	text string
	han  bool
}

type group struct {
	heads []word   // a text with one of these …
	terms []string // … is also searched for these
}

// lexicon has one group a line: words that replace each other, then after ">" examples, which are searched for but do not trigger a search.
//
//go:embed kin.txt
var lexicon string

var groups = sync.OnceValue(func() []group {
	var out []group
	for _, line := range strings.Split(strings.TrimSpace(lexicon), "\n") {
		var g group
		asks := true
		for _, w := range strings.Fields(line) {
			if w == ">" {
				asks = false
				continue
			}
			parts := Split(w)
			if len(parts) == 0 {
				continue
			}
			if !parts[0].Han {
				s := Stem(parts[0].Text)
				g.terms = append(g.terms, s)
				if asks {
					g.heads = append(g.heads, word{s, false})
				}
				continue
			}
			runes := []rune(parts[0].Text)
			if asks && len(runes) > 1 {
				g.heads = append(g.heads, word{parts[0].Text, true})
			} else if asks && strings.ContainsRune("喝吃猫狗茶酒书歌车病住爪", runes[0]) {
				g.heads = append(g.heads, word{parts[0].Text, true})
			}
			if len(runes) == 1 {
				g.terms = append(g.terms, parts[0].Text)
			}
			for i := 0; i+1 < len(runes); i++ {
				if !FunctionRune(runes[i]) || !FunctionRune(runes[i+1]) {
					g.terms = append(g.terms, string(runes[i:i+2]))
				}
			}
		}
		out = append(out, g)
	}
	return out
})
