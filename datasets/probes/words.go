package probes

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"

	"membench/internal/pattern"
	"membench/internal/textnorm"
	"membench/internal/tokens"
	"membench/internal/yamldoc"
)

//go:embed words.yaml
var builtin []byte

// words is the wording of questions as data: see words.yaml for the form.
type words struct {
	Version    int                 `yaml:"version"`
	Noise      noise               `yaml:"noise"`
	Nobody     []string            `yaml:"nobody"`
	EN         forms               `yaml:"en"`
	ZH         forms               `yaml:"zh"`
	Predicates map[string]bilinear `yaml:"predicates"`

	lead, alone, tail, in, nobody map[string]bool
}

type noise struct {
	Lead  []string `yaml:"lead"`
	Alone []string `yaml:"alone"`
	Tail  []string `yaml:"tail"`
	In    []string `yaml:"in"`
	ZH    []string `yaml:"zh"`
}

// forms are the templates of one language: several paraphrases of each type.
type forms struct {
	FactDay          []string `yaml:"fact_day"`
	FactQuote        []string `yaml:"fact_quote"`
	FactQuoteUndated []string `yaml:"fact_quote_undated"`
	Date             []string `yaml:"date"`
	DateTold         []string `yaml:"date_told"`
	DateBridge       []string `yaml:"date_bridge"`
	Together         []string `yaml:"together"`
	TogetherQuote    []string `yaml:"together_quote"`
	Order            []string `yaml:"order"`
	Interval         []string `yaml:"interval"`
	UpdateNew        []string `yaml:"update_new"`
	UpdateDate       []string `yaml:"update_date"`
	UpdateOld        []string `yaml:"update_old"`
	Contradiction    []string `yaml:"contradiction"`
	Count            []string `yaml:"count"`
	CountTurns       []string `yaml:"count_turns"`
	CountFacts       []string `yaml:"count_facts"`
	ListDates        []string `yaml:"list_dates"`
	ListFacts        []string `yaml:"list_facts"`
	Absent           []string `yaml:"absent"`
	AbsentPerson     []string `yaml:"absent_person"`
	AbsentTime       []string `yaml:"absent_time"`
	UnanswerableTime string   `yaml:"unanswerable_time"`
	Unanswerable     string   `yaml:"unanswerable"`
	Days             string   `yaml:"days"`
	DayOne           string   `yaml:"day_one"`
	And              string   `yaml:"and"`
}

type bilinear struct {
	EN   wording `yaml:"en"`
	ZH   wording `yaml:"zh"`
	Open bool    `yaml:"open"`
}

// wording is how a predicate is asked for in one language.
type wording struct {
	Ask   []string `yaml:"ask"`
	Did   string   `yaml:"did"`
	NP    string   `yaml:"np"`
	Thing []string `yaml:"thing"` // one, many
	Cues  []string `yaml:"cues"`
}

var builtinWords = sync.OnceValues(func() (*words, error) {
	w := &words{}
	if err := yamldoc.Unmarshal(builtin, w); err != nil {
		return nil, fmt.Errorf("reading words.yaml: %w", err)
	}
	return w, nil
})

func loadWords(extra ...[]byte) (*words, error) {
	own, err := builtinWords()
	if err != nil {
		return nil, err
	}
	copied := *own
	w := &copied
	w.Predicates = maps.Clone(w.Predicates)
	for _, b := range extra {
		var x words
		if err := yamldoc.Unmarshal(b, &x); err != nil {
			return nil, fmt.Errorf("reading words: %w", err)
		}
		maps.Copy(w.Predicates, x.Predicates)
	}
	set := func(list []string) map[string]bool {
		m := map[string]bool{}
		for _, s := range list {
			m[textnorm.Fold(s)] = true
		}
		return m
	}
	w.lead, w.alone, w.tail, w.in, w.nobody = set(w.Noise.Lead), set(w.Noise.Alone), set(w.Noise.Tail), set(w.Noise.In), set(w.Nobody)
	return w, nil
}

func (w *words) forms(zh bool) *forms {
	if zh {
		return &w.ZH
	}
	return &w.EN
}

// of is the wording of a predicate; one that no file names is asked by its own words.
func (w *words) of(predicate string, zh bool) wording {
	b, ok := w.Predicates[predicate]
	if !ok {
		name := strings.ToLower(strings.ReplaceAll(predicate, "_", " "))
		b.EN = wording{Ask: []string{"What is on record for {who} under “" + name + "”?"}, Did: "what was put on record for {who} under “" + name + "”", NP: "what {who} has under “" + name + "”", Thing: []string{name, name}, Cues: strings.Fields(name)}
		b.ZH = wording{Ask: []string{"{who}在“" + name + "”一项下记录的是什么？"}, Did: "{who}在“" + name + "”一项下记录了什么", NP: "{who}的“" + name + "”", Thing: []string{name, name}, Cues: strings.Fields(name)}
	}
	if zh {
		return b.ZH
	}
	return b.EN
}

// known reports whether a file words the predicate.
func (w *words) known(predicate string) bool { _, ok := w.Predicates[predicate]; return ok }

// words reports whether a predicate can be asked for in a language: the name of one that no file words is English, and some need an attribute.
func (w *words) words(predicate string, zh bool, attr string) bool {
	if b, ok := w.Predicates[predicate]; ok {
		return attr != "" || !strings.Contains(b.EN.Did, "{attr}")
	}
	return !zh || strings.ContainsFunc(predicate, textnorm.IsHan)
}

// closed reports whether a question may ask for all facts under a predicate, or whether one was stated at all: for a person only if a file
// words the predicate (nobody asks what is on record about a person) and its cues find what the graph has missed.
func (w *words) closed(predicate string, person bool) bool {
	return (w.known(predicate) || !person) && !w.Predicates[predicate].Open
}

// manner is an adverb: how something is done is no thing.
var manner = pattern.New(`\w\w(?:al|ous|ive|ful|less|ing|ed|ent|ant|ic|ib|ab|ar)ly$`)

// noName says why a name that an extractor wrote is none; "" when it will do.
func (w *words) noName(name string) string {
	f := strings.Fields(textnorm.Fold(name))
	switch runes := len([]rune(name)); {
	case len(f) == 0:
		return "empty"
	case !strings.ContainsFunc(name, unicode.IsLetter):
		return "a bare number" // of an exam item, a port or a step: nothing that a person would ask about
	case textnorm.Lang(name) == "zh":
		if runes > 16 {
			return "too long"
		}
		if runes < 2 && len(f) == 1 && textnorm.IsHan([]rune(name)[0]) {
			return "" // 茶 is a thing
		}
		if slices.ContainsFunc(w.Noise.ZH, func(s string) bool { return name == s || strings.HasSuffix(name, s) && s == "的时候" }) {
			return "no name"
		}
	case runes > 60 || len(f) > 8:
		return "too long"
	case runes < 2:
		return "too short"
	case w.lead[f[0]] && !strings.ContainsAny(name, "=") && len(f) > 1 || w.lead[f[0]] && len(f) == 1:
		return "no name"
	case w.alone[headOf(f)]:
		return "no name"
	case len(f) == 1 && (tokens.Stop(f[0]) || name == f[0] && manner.MatchString(name)):
		return "no name"
	case w.tail[f[len(f)-1]], strings.Contains(name, ", "), slices.ContainsFunc(f, func(s string) bool {
		s, _, _ = strings.Cut(strings.Trim(strings.ReplaceAll(s, "’", "'"), ",.;:!?"), "'")
		return w.in[s]
	}):
		return "no name"
	}
	return ""
}

// headOf is the word of an English name that the others go with: "progress" in "good progress
// with my essay".
func headOf(f []string) string {
	if i := slices.IndexFunc(f, func(s string) bool {
		return slices.Contains([]string{"of", "with", "for", "in", "on", "at", "from", "about", "to"}, s)
	}); i > 0 {
		f = f[:i]
	} else if len(f) > 1 {
		return "" // of several words the others say which
	}
	return f[len(f)-1]
}

// fill puts values into a template; {X} with a capital makes its first letter one.
func fill(t string, kv ...string) string {
	for i := 0; i+1 < len(kv); i += 2 {
		t = strings.ReplaceAll(t, "{"+kv[i]+"}", kv[i+1])
	}
	return t
}

// lowerFirst makes the first letter small where it begins a question word: names keep theirs.
func lowerFirst(s string) string {
	for _, q := range []string{"What", "Who", "Whose", "Which", "How", "On ", "To "} {
		if strings.HasPrefix(s, q) {
			return strings.ToLower(s[:1]) + s[1:]
		}
	}
	return s
}
