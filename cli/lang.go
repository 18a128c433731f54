package cli

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"membench/internal/yamldoc"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

//go:embed texts/zh.yaml
var zhTexts []byte

// texts are what people read, in a language other than English: by the English words
// of the code, which stay where no other are known. nil is English.
type texts struct {
	Words    map[string]string `yaml:"words"`    // of every help text
	Commands map[string]string `yaml:"commands"` // short descriptions, by command
	Flags    map[string]string `yaml:"flags"`    // by the English text of the flag
	Messages map[string]string `yaml:"messages"` // by format
	Phrases  map[string]string `yaml:"phrases"`  // parts of errors that libraries make

	inHelp, inErrors *strings.Replacer // of Words and Phrases
}

// languages that --lang takes.
var languages = []string{"en", "zh"}

// loadTexts is the catalogue of a language.
func loadTexts(lang string) (*texts, error) {
	if lang != "zh" {
		return nil, nil
	}
	t := &texts{}
	if err := yamldoc.Unmarshal(zhTexts, t); err != nil {
		return nil, err
	}
	t.inHelp, t.inErrors = replacer(t.Words), replacer(t.Phrases)
	return t, nil
}

// replacer puts texts in the place of the English ones, longer ones first.
func replacer(m map[string]string) *strings.Replacer {
	var pairs []string
	for _, from := range slices.SortedFunc(maps.Keys(m), func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) }) {
		if from != helpFlag {
			pairs = append(pairs, from, m[from])
		}
	}
	return strings.NewReplacer(pairs...)
}

// helpFlag is the flag whose text Words has: Cobra makes another for each command.
const helpFlag = "help"

// language is what --lang says, else the environment: help is made before flags are read.
func language(args []string, getenv func(string) string) (string, error) {
	for i, a := range args {
		if a == "--" {
			break
		}
		v, ok := strings.CutPrefix(a, "--lang=")
		if a == "--lang" && i+1 < len(args) {
			v, ok = args[i+1], true
		}
		if ok && !slices.Contains(languages, v) {
			return "en", usagef("--lang: found %q, expected en or zh", v)
		} else if ok {
			return v, nil
		}
	}
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if v := getenv(name); v != "" {
			if strings.HasPrefix(strings.ToLower(v), "zh") {
				return "zh", nil
			}
			break
		}
	}
	return "en", nil
}

// of is a text in the language, the English one where there is no other.
func of(m map[string]string, english string) string {
	if s, ok := m[english]; ok {
		return s
	}
	return english
}

// format is Sprintf in the language.
func (t *texts) format(format string, args ...any) string {
	if t == nil {
		return fmt.Sprintf(format, args...)
	}
	for i, a := range args {
		if err, ok := a.(error); ok {
			args[i] = t.fault(err)
		}
	}
	return fmt.Sprintf(of(t.Messages, format), args...)
}

// fault is an error in the language: its own format where it is a usage error, else
// with the phrases that are known.
func (t *texts) fault(err error) string {
	text := err.Error()
	if u, ok := err.(usageError); ok && u.format != "" {
		if s, ok := t.Messages[u.format]; ok {
			return fmt.Sprintf(s, u.args...)
		}
	}
	return t.inErrors.Replace(text)
}

// words puts the words of every help text into the language.
func (t *texts) words(text string) string {
	if t == nil {
		return text
	}
	return t.inHelp.Replace(text)
}

// translate puts a command and those below it into the language.
func (t *texts) translate(root *cobra.Command) {
	if t == nil {
		return
	}
	for _, g := range root.Groups() {
		g.Title = of(t.Words, g.Title)
	}
	for c := range commands(root) {
		if short, ok := t.Commands[c.CommandPath()]; ok {
			c.Short, c.Long = short, short+"。\n\n"+c.Long
		}
		c.Long = t.words(c.Long)
		c.InitDefaultHelpFlag()
		each := func(f *pflag.Flag) {
			if f.Usage = of(t.Flags, f.Usage); f.Name == helpFlag {
				f.Usage = of(t.Words, helpFlag)
			}
		}
		c.Flags().VisitAll(each)
		c.PersistentFlags().VisitAll(each)
	}
}
