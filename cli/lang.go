package cli

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"membench/internal/yamldoc"
	"membench/schema"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

//go:embed texts/zh.yaml
var zhTexts []byte

// texts are the texts for people in a language other than English, by the English text in the code, which is the fallback. nil is English.
type texts struct {
	Words    map[string]string      `yaml:"words"`    // of every help text
	Commands map[string]string      `yaml:"commands"` // short descriptions, by command
	Help     map[string]helpText    `yaml:"help"`     // long descriptions, by command
	Flags    map[string]string      `yaml:"flags"`    // and titles of groups, by the English text
	Messages map[string]string      `yaml:"messages"` // by format
	Phrases  map[string]string      `yaml:"phrases"`  // parts of errors that libraries make
	Findings map[string]findingText `yaml:"findings"` // by code

	inHelp, inErrors *strings.Replacer // of Words and Phrases
}

// A helpText is the long description of a command, and a digest of the English one that it was made of: see TestTexts.
type helpText struct {
	Of   string `yaml:"of"`
	Text string `yaml:"text"`
}

// A findingText is the meaning of a code and the fix.
type findingText struct {
	Of      string `yaml:"of"`
	Meaning string `yaml:"meaning"`
	Fix     string `yaml:"fix"`
}

// modelPart is where Help has the part that commands which ask models share.
const modelPart = "--model"

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

// replacer replaces English texts, longer ones first.
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

// language returns the value of --lang, or of the environment: help is made before flags are parsed.
func language(args []string, getenv func(string) string) (string, error) {
	for i, a := range args {
		if a == "--" {
			break
		}
		v, ok := strings.CutPrefix(a, "--lang=")
		if a == "--lang" && i+1 < len(args) {
			v, ok = args[i+1], true
		}
		if ok && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
			continue // an incomplete value while completing is not a language
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

// of returns a text in the language, or the English one.
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
	args = slices.Clone(args)
	for i, a := range args {
		switch a := a.(type) {
		case error:
			args[i] = t.fault(a)
		case schema.Sentence:
			args[i] = t.format(a.Format, a.Args...)
		case schema.Said:
			args[i] = t.said(string(a))
		}
	}
	return fmt.Sprintf(strings.ReplaceAll(of(t.Messages, format), "%w", "%v"), args...)
}

// said is an English text in the language: by the message with most words that it may be of.
func (t *texts) said(text string) string {
	best, out := 0, text
	for format, to := range t.Messages {
		words := argument.Split(format, -1)
		n := len(strings.Join(words, ""))
		if len(words) < 2 || n <= best || !strings.HasPrefix(text, words[0]) {
			continue
		}
		for i, w := range words {
			words[i] = regexp.QuoteMeta(strings.ReplaceAll(w, "%%", "%"))
		}
		if m := regexp.MustCompile("(?s)^" + strings.Join(words, "(.*?)") + "$").FindStringSubmatch(text); m != nil {
			args := make([]any, len(m)-1)
			for i, x := range m[1:] {
				args[i] = x
			}
			best, out = n, fmt.Sprintf(argument.ReplaceAllString(to, "%s"), args...)
		}
	}
	return out
}

// argument is where one is in a format.
var argument = regexp.MustCompile(`%[-+.\d]*[a-z]`)

// fault returns an error in the language: by its own format if it is a usage error, otherwise with the known phrases.
func (t *texts) fault(err error) string {
	if f, ok := err.(*schema.Finding); ok {
		return t.finding(f)
	}
	if u, ok := err.(*schema.UsageError); ok && t.Messages[u.Format] != "" {
		return t.format(u.Format, u.Args...)
	}
	return t.inErrors.Replace(err.Error())
}

// finding is a finding in the language: the meaning of its code before its own words.
func (t *texts) finding(f *schema.Finding) string {
	if t == nil || t.Findings[f.Code].Meaning == "" {
		return f.Error()
	}
	own := *f
	own.Message = t.Findings[f.Code].Meaning + " — " + f.Message
	return t.inErrors.Replace(own.Error())
}

// fix returns the fix of a finding, in the language, and then the finding's own hint.
func (t *texts) fix(f *schema.Finding) string {
	if t == nil || t.Findings[f.Code].Fix == "" {
		return f.Hint
	}
	return t.Findings[f.Code].Fix + " — " + f.Hint
}

// code returns the meaning of a code and the fix, in the language.
func (t *texts) code(c schema.CodeInfo) (meaning, fix string) {
	if t == nil {
		return c.Meaning, c.Do
	}
	s := t.Findings[c.Code]
	return cmp.Or(s.Meaning, c.Meaning), cmp.Or(s.Fix, c.Do)
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
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	root.InitDefaultVersionFlag()
	for _, g := range root.Groups() {
		g.Title = of(t.Words, g.Title)
	}
	for c := range commands(root) {
		english, ended := strings.CutSuffix(c.Long, "\n"+ExitCodes)
		english, asks := strings.CutSuffix(english, modelHelp)
		if short := t.Commands[c.CommandPath()]; short != "" {
			if english == c.Short+"." {
				english = short + "。"
			}
			c.Short = short
		}
		if h := t.Help[c.CommandPath()]; h.Text != "" {
			english = h.Text
		}
		c.Long = english
		if asks {
			c.Long += "\n\n" + cmp.Or(t.Help[modelPart].Text, modelHelp)
		}
		if ended {
			c.Long += "\n" + t.words(ExitCodes)
		}
		c.InitDefaultHelpFlag()
		each := func(f *pflag.Flag) {
			if g := f.Annotations[groupOf]; g != nil {
				f.Annotations[groupOf] = []string{of(t.Flags, g[0])}
			}
			if f.Usage = of(t.Flags, f.Usage); f.Name == helpFlag {
				f.Usage = of(t.Words, helpFlag)
			}
		}
		c.Flags().VisitAll(each)
		c.PersistentFlags().VisitAll(each)
	}
}
