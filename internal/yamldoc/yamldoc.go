// Package yamldoc is the one door to the YAML library. A text is checked before
// anything is built of it: its size, the nesting of its values, the number of its
// tokens, of members of a mapping and of entries without a value are limited, since the
// library's parser needs time and memory by the square of these. Tags other than YAML's
// own are rejected.
package yamldoc

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// The limits of one text.
const (
	MaxBytes = 1 << 20
	MaxDepth = 64      // of lists and mappings inside each other
	MaxNodes = 200_000 // tokens, and values after every alias is replaced by what it names
	// MaxBlank is how many entries of block lists and mappings may lack a value, and
	// MaxMembers how many members one block mapping may have.
	MaxBlank, MaxMembers = 5_000, 10_000
)

// An Error is a fault of a text. It never quotes the text, which may hold secrets that
// came from the environment.
type Error struct {
	Line, Col int // from 1; 0 where the place is unknown
	Msg       string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Msg
	}
	return fmt.Sprintf("[%d:%d] %s", e.Line, e.Col, e.Msg)
}

func faultAt(p *token.Position, format string, a ...any) error {
	return &Error{p.Line, p.Column, fmt.Sprintf(format, a...)}
}

// A Doc is a parsed text of one document.
type Doc struct{ file *ast.File }

// Parse reads a text of one YAML document, or none. each, which may be nil, sees every
// token that can be a value and may change it before values are made. Faults are
// *Error, or what each returns.
func Parse(b []byte, each func(*token.Token) error) (d *Doc, err error) {
	defer caught(&err)
	if len(b) > MaxBytes {
		return nil, &Error{Msg: fmt.Sprintf("the YAML text has %d bytes, want at most %d", len(b), MaxBytes)}
	}
	tokens := lexer.Tokenize(string(b))
	if err := limits(tokens); err != nil {
		return nil, err
	}
	for _, t := range tokens {
		switch t.Type {
		case token.StringType, token.SingleQuoteType, token.DoubleQuoteType:
			if each == nil {
				continue
			}
			if err := each(t); err != nil {
				return nil, err
			}
		}
	}
	file, err := parser.Parse(tokens, 0)
	if err != nil {
		return nil, plain(err)
	}
	if len(file.Docs) > 1 {
		return nil, &Error{Msg: fmt.Sprintf("have %d YAML documents, want one", len(file.Docs))}
	}
	d = &Doc{file}
	if !d.Empty() {
		w := weigher{named: map[string]int{}}
		if w.node(file.Docs[0].Body); w.err != nil {
			return nil, w.err
		}
	}
	return d, nil
}

// Empty reports whether the text holds no value.
func (d *Doc) Empty() bool { return len(d.file.Docs) == 0 || d.file.Docs[0].Body == nil }

// Decode reads the text into v; a member that v does not have is an *Error. An empty
// text leaves v as it is.
func (d *Doc) Decode(v any) (err error) {
	defer caught(&err)
	if d.Empty() {
		return nil
	}
	return plain(yaml.NodeToValue(d.file.Docs[0].Body, v, yaml.Strict()))
}

// JSON is the text as JSON, members in their order.
func (d *Doc) JSON() (b []byte, err error) {
	defer caught(&err)
	if d.Empty() {
		return []byte("null"), nil
	}
	var v any
	if err := yaml.NodeToValue(d.file.Docs[0].Body, &v, yaml.UseOrderedMap()); err != nil {
		return nil, plain(err)
	}
	return JSON(v)
}

// Place is where the value of a path such as $.systems[1].type is; ok is false when the
// text has none, or path is not one.
func (d *Doc) Place(path string) (line, col int, ok bool) {
	p, err := yaml.PathString(path)
	if err != nil {
		return 0, 0, false
	}
	n, err := p.FilterFile(d.file)
	if err != nil || n == nil || n.GetToken() == nil {
		return 0, 0, false
	}
	at := n.GetToken().Position
	return at.Line, at.Column, true
}

// Unmarshal parses and decodes a text.
func Unmarshal(b []byte, v any) error {
	d, err := Parse(b, nil)
	if err != nil {
		return err
	}
	return d.Decode(v)
}

// ToJSON is a text as JSON.
func ToJSON(b []byte) ([]byte, error) {
	d, err := Parse(b, nil)
	if err != nil {
		return nil, err
	}
	return d.JSON()
}

// JSON writes v, of which yaml.MapSlices keep their order, as JSON. It fails on what
// JSON cannot hold.
func JSON(v any) ([]byte, error) {
	b, err := yaml.MarshalWithOptions(v, yaml.JSON())
	return []byte(strings.TrimSpace(string(b))), err
}

// Marshal writes v as YAML, two blanks a level. It fails on what YAML cannot hold.
func Marshal(v any) ([]byte, error) {
	return yaml.MarshalWithOptions(v, yaml.Indent(2), yaml.IndentSequence(true))
}

// caught makes a fault of a panic of the library.
func caught(err *error) {
	if r := recover(); r != nil {
		*err = &Error{Msg: fmt.Sprintf("the text cannot be read as YAML (%v)", r)}
	}
}

var inBrackets = regexp.MustCompile(`(?s)^\[(\d+):(\d+)\] (.*)$`)

var wrongType = regexp.MustCompile(`^cannot unmarshal (\S+) into Go .* of type \*?(\S+)$`)

// plain is a fault of the library without the lines of the text.
func plain(err error) error {
	var own *Error
	if err == nil || errors.As(err, &own) {
		return err
	}
	e := &Error{Msg: strings.TrimSpace(yaml.FormatError(err, false, false))}
	if m := inBrackets.FindStringSubmatch(e.Msg); m != nil {
		e.Line, _ = strconv.Atoi(m[1])
		e.Col, _ = strconv.Atoi(m[2])
		e.Msg = m[3]
	}
	if m := wrongType.FindStringSubmatch(e.Msg); m != nil {
		want := m[2]
		for _, t := range []struct{ begin, word string }{{"int", "a whole number"}, {"uint", "a whole number"}, {"float", "a number"}, {"bool", "true or false"}, {"string", "a text"}, {"[]", "a list"}, {"map", "a mapping"}} {
			if strings.HasPrefix(m[2], t.begin) {
				want = t.word
			}
		}
		e.Msg = fmt.Sprintf("have a value of type %s, want %s", m[1], want)
	}
	return e
}

// limits refuses texts that the parser cannot take: it goes by tokens, which the lexer
// makes in linear time. Depth is the number of open brackets plus that of the columns
// at which block lists and mappings began; a chain is a run of tokens that each wrap
// what follows (a: a: …, &a &a …, ? ? …) with no comma and no line end between.
func limits(tokens token.Tokens) error {
	if len(tokens) > MaxNodes {
		return &Error{Msg: fmt.Sprintf("the YAML text has %d tokens, want at most %d", len(tokens), MaxNodes)}
	}
	flow, chain, line, blank, documents := 0, 0, 0, 0, 0
	var columns []struct{ at, members int }
	for i, t := range tokens {
		fresh := t.Position.Line != line
		if line = t.Position.Line; fresh && flow == 0 {
			chain = 0
		}
		wraps := false
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow = max(0, flow-1)
		case token.CollectEntryType:
			chain = 0
		case token.SequenceEntryType, token.MappingKeyType, token.MappingValueType, token.AnchorType, token.AliasType, token.MergeKeyType:
			wraps = true
		case token.TagType:
			if !core[t.Value] {
				return faultAt(t.Position, "the tag %.40q is not supported: want a plain value", t.Value)
			}
			wraps = true
		}
		if wraps {
			chain++
		}
		if flow == 0 && (fresh || t.Type == token.SequenceEntryType || t.Type == token.MappingKeyType) {
			c := t.Position.Column
			for len(columns) > 0 && columns[len(columns)-1].at > c {
				columns = columns[:len(columns)-1]
			}
			if len(columns) == 0 || columns[len(columns)-1].at < c {
				columns = append(columns, struct{ at, members int }{at: c})
			}
			switch last := &columns[len(columns)-1]; t.Type {
			case token.SequenceEntryType, token.CommentType:
			case token.DocumentHeaderType:
				documents++
			default:
				if last.members++; last.members > MaxMembers {
					return faultAt(t.Position, "a mapping has more than %d members", MaxMembers)
				}
			}
		}
		if flow+len(columns) > MaxDepth || chain > MaxDepth {
			return faultAt(t.Position, "values lie more than %d levels inside each other", MaxDepth)
		}
		if flow == 0 && withoutValue(tokens, i) {
			if blank++; blank > MaxBlank {
				return faultAt(t.Position, "more than %d entries have no value", MaxBlank)
			}
		}
	}
	if documents > 2 { // the parser counts fewer exactly
		return &Error{Msg: fmt.Sprintf("have %d YAML documents, want one", documents)}
	}
	return nil
}

// withoutValue reports whether token i is the mark of an entry of a block list or mapping
// with nothing behind it: the next line begins no deeper than the entry did.
func withoutValue(tokens token.Tokens, i int) bool {
	t, begin := tokens[i], tokens[i]
	switch t.Type {
	case token.SequenceEntryType, token.MappingKeyType:
	case token.MappingValueType:
		begin = tokens[max(0, i-1)]
	default:
		return false
	}
	for _, next := range tokens[i+1:] {
		if next.Type != token.CommentType {
			at, from := next.Position, begin.Position.Column
			listed := next.Type == token.SequenceEntryType && t.Type == token.MappingValueType // a list may lie at the column of its key
			return at.Line > t.Position.Line && (at.Column < from || at.Column == from && !listed)
		}
	}
	return true
}

// core are YAML's own tags of scalars: on lists and mappings the library panics.
var core = map[string]bool{"!!str": true, "!!int": true, "!!float": true, "!!bool": true, "!!null": true, "!!timestamp": true}

// A weigher counts the values of a document with every alias replaced by what it names.
type weigher struct {
	named map[string]int
	n     int
	err   error
}

func (w *weigher) add(n int, at ast.Node) {
	if w.n += n; w.n > MaxNodes && w.err == nil {
		w.err = faultAt(at.GetToken().Position, "the aliases stand for more than %d values", MaxNodes)
	}
}

func (w *weigher) node(n ast.Node) {
	if n == nil || w.err != nil {
		return
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		for _, v := range n.Values {
			w.node(v)
		}
	case *ast.MappingValueNode:
		w.node(n.Key)
		w.node(n.Value)
	case *ast.SequenceNode:
		for _, v := range n.Values {
			w.node(v)
		}
	case *ast.TagNode:
		if _, scalar := n.Value.(ast.ScalarNode); !scalar && n.Value != nil {
			w.err = faultAt(n.GetToken().Position, "a tag on a list or mapping is not supported")
			return
		}
		w.node(n.Value)
	case *ast.MappingKeyNode:
		w.node(n.Value)
	case *ast.MergeKeyNode:
	case *ast.AnchorNode:
		before := w.n
		w.node(n.Value)
		w.named[n.Name.String()] = w.n - before
	case *ast.AliasNode:
		size, ok := w.named[n.Value.String()]
		if !ok {
			w.err = faultAt(n.GetToken().Position, "the alias names no anchor before it")
			return
		}
		w.add(size, n)
	}
	w.add(1, n)
}
