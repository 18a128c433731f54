package llm

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Prompt is a fixed text for a model. Prompts are files in the folder of the stage that uses them, named <name>.<language>.md, and users can replace them.
type Prompt struct {
	Name string // e.g. "facts"
	Text string
	From string // "built in", or the user's file
}

// SHA256 is the text's, in hex: for fingerprints and manifests.
func (p Prompt) SHA256() string {
	sum := sha256.Sum256([]byte(p.Text))
	return hex.EncodeToString(sum[:])
}

// Prompts chooses among prompts. The zero value gives the built-in English ones.
type Prompts struct {
	lang string
	own  map[string]Prompt
}

// Languages of the built-in prompts.
func Languages() []string { return []string{"en", "zh"} }

// OpenPrompts reads the user's prompts: every <name>.md, and <name>.<language>.md of
// the language, replaces the built-in one of that name. A file of another
// name is an error, since it would change nothing. dir may be nil.
func OpenPrompts(dir fs.FS, lang string, known []string) (Prompts, error) {
	lang = cmp.Or(lang, "en")
	if !slices.Contains(Languages(), lang) {
		return Prompts{}, fmt.Errorf("language of the prompts: have %q, want one of %v", lang, Languages())
	}
	p := Prompts{lang: lang, own: map[string]Prompt{}}
	if dir == nil {
		return p, nil
	}
	files, err := fs.Glob(dir, "*.md")
	if err != nil {
		return p, err
	}
	if len(files) == 0 {
		return p, fmt.Errorf("the prompts' folder holds no <name>.md; names are %s", strings.Join(known, ", "))
	}
	for _, file := range files {
		name := strings.TrimSuffix(file, ".md")
		base, l, any := strings.Cut(name, ".")
		if strings.EqualFold(name, "readme") {
			continue
		}
		if !slices.Contains(known, base) || any && !slices.Contains(Languages(), l) {
			return p, fmt.Errorf("prompt %s is unknown; known are %s, with .en or .zh where they differ by language", file, strings.Join(known, ", "))
		}
		if _, better := p.own[base]; any && l != lang || !any && better {
			continue // "<name>.<language>.md" sorts before "<name>.md" and wins
		}
		b, err := fs.ReadFile(dir, file)
		if err != nil {
			return p, err
		}
		text := trimPrompt(b)
		if text == "" || !utf8.ValidString(text) {
			return p, fmt.Errorf("prompt %s: want text in UTF-8", file)
		}
		p.own[base] = Prompt{base, text, file}
	}
	return p, nil
}

func trimPrompt(b []byte) string {
	return strings.TrimSpace(strings.ReplaceAll(string(b), "\r\n", "\n"))
}

// Of returns the prompt of a name: the user's, or the one in builtin's folder "prompts", which has it in every language.
func (p Prompts) Of(builtin fs.FS, name string) Prompt {
	if own, ok := p.own[name]; ok {
		return own
	}
	b, err := fs.ReadFile(builtin, path.Join("prompts", name+"."+p.Lang()+".md"))
	if err != nil {
		panic("unreachable: built-in prompts are compiled in: " + err.Error())
	}
	return Prompt{name, trimPrompt(b), "built in"}
}

// Lang is the language of the built-in prompts.
func (p Prompts) Lang() string {
	if p.lang == "" {
		return "en"
	}
	return p.lang
}
