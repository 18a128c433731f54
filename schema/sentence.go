package schema

import (
	"fmt"
	"strings"
)

// A Sentence is words for people: a format of package fmt and its arguments, which may be sentences too, so that it can be said in another language.
type Sentence struct {
	Format string
	Args   []any
}

// Say makes a sentence.
func Say(format string, args ...any) Sentence { return Sentence{format, args} }

// Listed are sentences after each other, with commas between.
func Listed(all []Sentence) Sentence {
	s := Sentence{Format: strings.TrimSuffix(strings.Repeat("%s, ", len(all)), ", ")}
	for _, x := range all {
		s.Args = append(s.Args, x)
	}
	return s
}

// String is the sentence in the language of its format.
func (s Sentence) String() string { return fmt.Sprintf(s.Format, s.Args...) }

// Said is a sentence that a file keeps in English: who knows its format may say it in another language.
type Said string
