package datasets

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"membench/internal/codec"
	"membench/schema"
)

// A Scalar is a text, or the text of a number, true or false: golds come as any of them.
type Scalar struct {
	Text   string
	Kind   byte // '"', '0', 't' (true, false), 'n'; 0: the member is absent
	Number bool // it was not a string
}

// UnmarshalJSON reads a string, number, boolean or null.
func (s *Scalar) UnmarshalJSON(b []byte) error {
	if len(b) == 0 {
		return &codec.Error{Have: "nothing", Want: "string or number"}
	}
	switch c := b[0]; {
	case c == '"':
		*s = Scalar{Text: codec.Unquote(b), Kind: '"'}
	case c == 'n':
		*s = Scalar{Kind: 'n'}
	case c == 't' || c == 'f':
		*s = Scalar{Text: string(b), Kind: 't', Number: true}
	case c == '-' || c >= '0' && c <= '9':
		*s = Scalar{Text: string(b), Kind: '0', Number: true}
	default:
		return &codec.Error{Have: map[byte]string{'[': "array", '{': "object"}[c], Want: "string or number"}
	}
	return nil
}

// Given reports whether there is a value other than null.
func (s Scalar) Given() bool { return s.Kind != 0 && s.Kind != 'n' }

// A Builder makes a case: it numbers turns through the whole of it and knows where
// the source's ids lead.
type Builder struct {
	Case  schema.Case
	turns map[string][]int // source id → turn ids
}

// NewBuilder starts a case whose conversation is named conv.
func NewBuilder(dataset, id string, conv schema.ConvID, unit string) *Builder {
	return &Builder{Case: schema.Case{ID: id, Dataset: dataset, ConvID: conv, Unit: unit}, turns: map[string][]int{}}
}

// Session begins a session.
func (b *Builder) Session(s schema.Session) { b.Case.Sessions = append(b.Case.Sessions, s) }

// Turn adds a turn to the last session and returns its id. Names, if given, identify it in addition to its SourceID.
func (b *Builder) Turn(t schema.CaseTurn, names ...string) int {
	s := &b.Case.Sessions[len(b.Case.Sessions)-1]
	t.TurnID = b.last() + 1
	s.Turns = append(s.Turns, t)
	if t.SourceID != "" {
		names = append(names, t.SourceID)
	}
	for _, n := range names {
		b.turns[n] = append(b.turns[n], t.TurnID)
	}
	return t.TurnID
}

func (b *Builder) last() int {
	for i := len(b.Case.Sessions) - 1; i >= 0; i-- {
		if t := b.Case.Sessions[i].Turns; len(t) > 0 {
			return t[len(t)-1].TurnID
		}
	}
	return 0
}

// Turns returns the turns that a source id names.
func (b *Builder) Turns(id string) []int { return b.turns[id] }

// Refs makes evidence of turn ids, without repeats, in the order given.
func (b *Builder) Refs(ids []int) []schema.EventRef {
	var out []schema.EventRef
	seen := map[int]bool{}
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			out = append(out, schema.EventRef{ConvID: b.Case.ConvID, TurnID: id})
		}
	}
	return out
}

// Resolve turns source ids into evidence; the second result lists those that name
// no turn.
func (b *Builder) Resolve(ids []string) (refs []schema.EventRef, unresolved []string) {
	var turns []int
	for _, id := range ids {
		t := b.turns[id]
		if len(t) == 0 {
			unresolved = append(unresolved, id)
		}
		turns = append(turns, t...)
	}
	return b.Refs(turns), unresolved
}

// LongMemEvalTime is the layout of LongMemEval's times, which other sets took over with its questions.
const LongMemEvalTime = "2006/01/02 (Mon) 15:04"

// LocalTime writes a time that has no zone in its source: the beginning of an RFC
// 3339 text, as a case holds it; "" for the zero time.
func LocalTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format("2006-01-02T15:04:05")
}

// Chunks cuts text into pieces of at most n code points, at the last line end before that, or the last sentence end or blank, or exactly there. The joined
// pieces are the text.
func Chunks(text string, n int) []string {
	var out []string
	for utf8.RuneCountInString(text) > n {
		cut := 0
		for i, count := 0, 0; count < n; count++ {
			_, w := utf8.DecodeRuneInString(text[i:])
			i += w
			cut = i
		}
		head := text[:cut]
		at := strings.LastIndexByte(head, '\n') + 1
		if at < cut/2 {
			for _, mark := range []string{". ", "! ", "? ", "。", "！", "？"} {
				if i := strings.LastIndex(head, mark); i >= 0 {
					at = max(at, i+len(mark))
				}
			}
		}
		if at < cut/2 {
			at = max(at, strings.LastIndexByte(head, ' ')+1)
		}
		if at < cut/2 {
			at = cut
		}
		out = append(out, text[:at])
		text = text[at:]
	}
	if text != "" {
		out = append(out, text)
	}
	return out
}

// Numbered is prefix and n, padded to width: "S07".
func Numbered(prefix string, n, width int) string {
	s := strconv.Itoa(n)
	return prefix + strings.Repeat("0", max(0, width-len(s))) + s
}

// MarshalJSON writes the text as a string: a former number becomes a string.
func (s Scalar) MarshalJSON() ([]byte, error) { return codec.AppendString(nil, s.Text), nil }
