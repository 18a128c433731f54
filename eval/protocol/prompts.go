package protocol

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"path"
	"strings"
)

// The prompts in this folder are ours, written to the rules of each protocol; a user's
// copy of an original takes their place (Prompts).
//
//go:embed prompts
var promptFiles embed.FS

// A Template is a prompt with places for question, gold and answer.
type Template struct {
	text     string // places are U+0001, U+0002, U+0003
	original bool
}

// places that a template may name, in the order question, gold, answer.
var places = [3][]string{
	{"{question}", "{Question}"},
	{"{gold}", "{gold_answer}", "{answer_gold}", "{reference}", "{expected}"},
	{"{answer}", "{generated_answer}", "{response}", "{hypothesis}"},
}

const (
	atQuestion = "\x01"
	atGold     = "\x02"
	atAnswer   = "\x03"
)

// own returns one of the embedded templates.
func own(name string) *Template {
	b, err := promptFiles.ReadFile("prompts/" + name + ".txt")
	if err != nil {
		panic(err) // embedded: a broken build
	}
	r := strings.NewReplacer("{question}", atQuestion, "{gold}", atGold, "{answer}", atAnswer)
	return &Template{text: strings.TrimSuffix(r.Replace(string(b)), "\n")}
}

// Render fills in the fields; the content of a field is never parsed.
func (t *Template) Render(question, gold, answer string) string {
	return strings.NewReplacer(atQuestion, question, atGold, gold, atAnswer, answer).Replace(t.text)
}

// Hash is the sha256, in hex, of the template with U+0001, U+0002 and U+0003 in place
// of its fields.
func (t *Template) Hash() string {
	sum := sha256.Sum256([]byte(t.text))
	return hex.EncodeToString(sum[:])
}

// knownPrompt is the beginning of an original's Hash: of the golden vectors for
// LongMemEval, of the published script for Mem0.
type knownPrompt struct{ protocol, kind, hash string }

var knownPrompts = [...]knownPrompt{
	{"lme-official", lmeAnswer, "9c7d89cb3b5a"}, {"lme-official", lmeTemporal, "3023f1078fce"}, {"lme-official", lmeUpdate, "93143a2a27f5"},
	{"lme-official", lmePreference, "c07a93137637"}, {"lme-official", lmeAbstain, "cd16ec12d3a6"},
	{"mem0-2025", "", "465eb63de7db"},
}

// Prompts are a user's copies of original prompts.
type Prompts struct {
	byName map[string]*Template // protocol/kind
}

// Original returns the user's copy for a protocol and kind, nil if there is none.
func (p *Prompts) Original(protocol, kind string) *Template {
	if p == nil {
		return nil
	}
	return p.byName[protocol+"/"+kind]
}

// pick returns the user's copy, or ours.
func (p *Prompts) pick(protocol, kind, file string) *Template {
	if t := p.Original(protocol, kind); t != nil {
		return t
	}
	return own(file)
}

// Add takes a user's copy of a protocol's prompts: the published script (a .py file, whose text literals are searched) or the bare prompt as text. A literal is
// assigned to a kind by its recorded hash; a bare text, or the one literal with all three fields, is the prompt of a protocol that has one. It returns the
// kinds found, and fails if there are none.
func (p *Prompts) Add(protocol, name string, text []byte) (taken []string, err error) {
	kinds := judgeKinds(protocol)
	if len(kinds) == 0 {
		return nil, fmt.Errorf("protocol %q has no prompt: have %s", protocol, strings.Join(judgeNames(), ", "))
	}
	if p.byName == nil {
		p.byName = map[string]*Template{}
	}
	literals := []string{string(text)}
	if path.Ext(name) == ".py" {
		literals = pythonTexts(string(text))
	}
	var found []*Template
	for _, l := range literals {
		if t := templateOf(l); t != nil {
			found = append(found, t)
		}
	}
	for _, t := range found {
		for _, k := range knownPrompts {
			if k.protocol == protocol && strings.HasPrefix(t.Hash(), k.hash) {
				p.byName[protocol+"/"+k.kind] = t
				taken = append(taken, k.kind)
			}
		}
	}
	switch {
	case len(taken) > 0:
		return taken, nil
	case len(kinds) > 1:
		return nil, fmt.Errorf("%s: none of its %d prompts is one of the original's %s: give the unchanged script", name, len(found), strings.Join(kinds, ", "))
	case len(found) != 1:
		return nil, fmt.Errorf("%s: %d texts with fields for question, gold and answer, want one ({question}, {gold_answer}, {generated_answer})", name, len(found))
	}
	p.byName[protocol+"/"+kinds[0]] = found[0]
	return []string{kinds[0]}, nil
}

// templateOf makes a template of a text with named fields, or with three "{}"; nil
// where it has not all three.
func templateOf(s string) *Template {
	if strings.ContainsAny(s, atQuestion+atGold+atAnswer) {
		return nil
	}
	if strings.Count(s, "{}") == 3 {
		for _, at := range []string{atQuestion, atGold, atAnswer} {
			s = strings.Replace(s, "{}", at, 1)
		}
		return &Template{text: s, original: true}
	}
	at := [3]string{atQuestion, atGold, atAnswer}
	for i, names := range places {
		for _, n := range names {
			s = strings.ReplaceAll(s, n, at[i])
		}
		if !strings.Contains(s, at[i]) {
			return nil
		}
	}
	return &Template{text: s, original: true}
}

// pythonTexts lists the text literals of a Python source, adjacent ones joined.
func pythonTexts(src string) []string {
	var out []string
	var b strings.Builder
	open := false // a literal is in b, and only blanks followed it so far
	flush := func() {
		if open {
			out = append(out, b.String())
		}
		b.Reset()
		open = false
	}
	for i := 0; i < len(src); {
		c := src[i]
		switch {
		case c == '#':
			if j := strings.IndexByte(src[i:], '\n'); j >= 0 {
				i += j
			} else {
				i = len(src)
			}
		case c == '"' || c == '\'':
			raw := i > 0 && (src[i-1] == 'r' || src[i-1] == 'R')
			quote := src[i : i+1]
			if strings.HasPrefix(src[i:], strings.Repeat(quote, 3)) {
				quote = src[i : i+3]
			}
			i += len(quote)
			open = true
			for i < len(src) && !strings.HasPrefix(src[i:], quote) {
				if src[i] == '\\' && i+1 < len(src) {
					if raw {
						b.WriteString(src[i : i+2])
					} else {
						b.WriteString(unescape(src[i+1]))
					}
					i += 2
					continue
				}
				b.WriteByte(src[i])
				i++
			}
			i += len(quote)
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		default:
			flush()
			i++
		}
	}
	flush()
	return out
}

func unescape(c byte) string {
	switch c {
	case 'n':
		return "\n"
	case 't':
		return "\t"
	case 'r':
		return "\r"
	case '\n':
		return ""
	case '\\', '\'', '"':
		return string(c)
	}
	return "\\" + string(c)
}
